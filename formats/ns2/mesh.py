# SPDX-License-Identifier: GPL-3.0-or-later
"""The mesh of a level: vertices, edges, faces with holes, and what lies beside them (ns2.md §3.2)."""

import numpy as np

from ..arrays import Array, Bools, Indices, Records, Singles
from ..binary import Buffer, Cursor, FormatError
from .chunks import Chunk, ended, join, read_str8, split, str8
from .faces import FaceLayers, Faces, decode_faces, decode_layers, encode_faces, encode_layers
from .parts import Encode, Parts
from .records import EDGE8, EDGE9, MAPPING_GROUP, MESH_ORDER, VERTEX12, VERTEX13, MeshChunkId
from .triangles import (
    GeometryGroups,
    GroupTable,
    Triangles,
    decode_groups,
    decode_triangles,
    encode_groups,
    encode_triangles,
)

_FLAGS_SINCE = 9  # the byte behind vertices and edges, and smoothed normals; of version 8 no file is known
_GHOSTS_SINCE = 7


class Mesh(Parts):
    """The geometry: tables of records, each decoded when it is first asked for and encoded when it was set.

    Arrays can't be written to: copy, change, set (`mesh.vertices = changed`). `materials` may be changed in place.
    Faces, their layers and their triangles belong together: `write` refuses tables of different lengths.
    """

    __slots__ = ()

    ORDER = MESH_ORDER

    @property
    def materials(self) -> list[str]:
        """Paths of .material files, which faces name by number. May be changed in place."""
        value: list[str] = self._get(MeshChunkId.MATERIALS, _decode_materials, list)
        return value

    @materials.setter
    def materials(self, value: list[str]) -> None:
        self._set(MeshChunkId.MATERIALS, value)

    @property
    def vertices(self) -> Records:
        """VERTEX12 or VERTEX13 [v]: metres, Y up."""
        value: Records = self._get(
            MeshChunkId.VERTICES,
            lambda data, offset: _decode_table(data, offset, VERTEX12, VERTEX13, self.version, "vertices"),
            lambda: np.zeros(0, VERTEX13 if self.version >= _FLAGS_SINCE else VERTEX12),
        )
        return value

    @vertices.setter
    def vertices(self, value: Records) -> None:
        self._set(MeshChunkId.VERTICES, value)

    @property
    def edges(self) -> Records:
        """EDGE8 or EDGE9 [e]: numbers of two vertices."""
        value: Records = self._get(
            MeshChunkId.EDGES,
            lambda data, offset: _decode_table(data, offset, EDGE8, EDGE9, self.version, "edges"),
            lambda: np.zeros(0, EDGE9 if self.version >= _FLAGS_SINCE else EDGE8),
        )
        return value

    @edges.setter
    def edges(self, value: Records) -> None:
        self._set(MeshChunkId.EDGES, value)

    @property
    def faces(self) -> Faces:
        """Faces with their loops."""
        value: Faces = self._get(MeshChunkId.FACES, decode_faces, Faces.empty)
        return value

    @faces.setter
    def faces(self, value: Faces) -> None:
        self._set(MeshChunkId.FACES, value)

    @property
    def face_layers(self) -> FaceLayers:
        """The layers of each face."""
        value: FaceLayers = self._get(
            MeshChunkId.FACE_LAYERS,
            lambda data, offset: decode_layers(data, offset, self.version),
            lambda: FaceLayers.none(len(self.faces)),
        )
        return value

    @face_layers.setter
    def face_layers(self, value: FaceLayers) -> None:
        self._set(MeshChunkId.FACE_LAYERS, value)

    @property
    def mapping_groups(self) -> Records:
        """MAPPING_GROUP [g]: textures that lie on several faces as on one plane."""
        value: Records = self._get(MeshChunkId.MAPPING_GROUPS, _decode_mapping, lambda: np.zeros(0, MAPPING_GROUP))
        return value

    @mapping_groups.setter
    def mapping_groups(self, value: Records) -> None:
        self._set(MeshChunkId.MAPPING_GROUPS, value)

    @property
    def geometry_groups(self) -> GeometryGroups:
        """The groups of vertices, edges and faces; version 4 has none."""
        value: GeometryGroups = self._get(MeshChunkId.GEOMETRY_GROUPS, decode_groups, GeometryGroups.empty)
        return value

    @geometry_groups.setter
    def geometry_groups(self, value: GeometryGroups) -> None:
        self._set(MeshChunkId.GEOMETRY_GROUPS, value)

    @property
    def triangles(self) -> Triangles | None:
        """The triangles of each face; None where there is no such chunk, as on the clipboard."""
        value: Triangles | None = self._get(
            MeshChunkId.TRIANGLES,
            lambda data, offset: decode_triangles(data, offset, self.version >= _GHOSTS_SINCE, self._has_flags),
            lambda: None,
        )
        return value

    @triangles.setter
    def triangles(self, value: Triangles | None) -> None:
        self._set(MeshChunkId.TRIANGLES, value)

    # ------------------------------------------------------------------------------------------------ what they mean

    @property
    def positions(self) -> Singles:
        """Of the vertices: float32 [v, 3], metres, Y up. A copy."""
        return np.ascontiguousarray(self.vertices["position"])

    @property
    def edge_vertices(self) -> Indices:
        """Numbers of the vertices of each edge [e, 2]. Raises FormatError where one is no vertex."""
        pairs = self.edges["vertices"].astype(np.intp)
        _below(pairs, len(self.vertices), "edge", "vertex")
        return pairs

    @property
    def smooth(self) -> Bools:
        """Whether each edge is smooth [e]; before version 9 none is."""
        edges = self.edges
        return edges["smooth"] != 0 if "smooth" in (edges.dtype.names or ()) else np.zeros(len(edges), np.bool_)

    @property
    def corners(self) -> Indices:
        """The vertex at which each member of the loops starts: edge.vertices[flipped], [members].

        Raises FormatError where a member names no edge, or its `flipped` is neither 0 nor 1.
        """
        places, vertices = self._member_places()
        corners: Indices = vertices[places]
        return corners

    @property
    def ends(self) -> Indices:
        """The vertex at which each member ends: edge.vertices[1 - flipped], [members].

        That is where the next member of the loop starts, but for 12 loops of known levels. Raises as `corners` does.
        """
        return self.member_vertices()[1]

    def member_vertices(self) -> tuple[Indices, Indices]:
        """Both `corners` and `ends`: half of the work is the same."""
        places, vertices = self._member_places()
        return vertices[places], vertices[places ^ 1]

    def _member_places(self) -> tuple[Indices, Indices]:
        """Where the vertex at which each member starts stands among those of all edges, and these: [2 * e]."""
        members = self.faces.members
        pairs = self.edge_vertices
        flipped, edges = members["flipped"], members["edge"]
        _below(flipped, 2, "loop member", "direction")
        _below(edges, len(pairs), "loop member", "edge")
        places = edges.astype(np.intp)
        places *= 2
        places += flipped
        return places, pairs.reshape(-1)

    # ------------------------------------------------------------------------------------------------------- writing

    @property
    def _has_flags(self) -> bool:
        """Whether records have the bytes of version 9: the length of the vertices says it, as their version does."""
        return self.vertices.dtype == VERTEX13

    def written(self) -> list[Chunk]:
        """The mesh's chunks as they are now: those that nobody set as they came. Raises FormatError."""
        if self._changed:
            self._check()
        encoders: dict[int, Encode] = {
            MeshChunkId.MATERIALS: _encode_materials,
            MeshChunkId.VERTICES: _encode_table,
            MeshChunkId.EDGES: _encode_table,
            MeshChunkId.FACES: encode_faces,
            MeshChunkId.FACE_LAYERS: lambda value: encode_layers(value, self.version),
            MeshChunkId.MAPPING_GROUPS: _encode_table,
            MeshChunkId.GEOMETRY_GROUPS: encode_groups,
            MeshChunkId.TRIANGLES: lambda value: encode_triangles(
                value, self.version >= _GHOSTS_SINCE, self._has_flags
            ),
        }
        return self._written(encoders, {})

    def _check(self) -> None:
        """Raise FormatError for tables that don't fit together; only what was set, and what that counts, is decoded."""

        def changed(*numbers: MeshChunkId) -> bool:
            return not self._changed.isdisjoint(numbers)

        ids = MeshChunkId
        flags = self._has_flags if self.version == _FLAGS_SINCE - 1 else self.version >= _FLAGS_SINCE
        for number, dtype, what in (
            (ids.VERTICES, VERTEX13 if flags else VERTEX12, "vertices"),
            (ids.EDGES, EDGE9 if flags else EDGE8, "edges"),
            (ids.MAPPING_GROUPS, MAPPING_GROUP, "mapping groups"),
        ):
            if changed(number) and self._values[number].dtype != dtype:
                raise FormatError(f"version {self.version} has records of {dtype.itemsize} bytes: {dtype}", what)
        if changed(ids.VERTICES, ids.EDGES):
            _below(self.edges["vertices"], len(self.vertices), "edge", "vertex")
        if changed(ids.EDGES, ids.FACES):
            _below(self.faces.members["flipped"], 2, "loop member", "direction")
            _below(self.faces.members["edge"], len(self.edges), "loop member", "edge")
        if changed(ids.MATERIALS, ids.FACES):
            _below(self.faces.records["material"], len(self.materials), "face", "material")
        if changed(ids.FACES, ids.FACE_LAYERS) and len(self.face_layers.has) != len(self.faces):
            raise FormatError(f"are of {len(self.face_layers.has)} faces, there are {len(self.faces)}", "face layers")
        if changed(ids.FACES, ids.TRIANGLES) and self.triangles is not None:
            counted = len(self.triangles.face_triangles) - 1
            if counted != len(self.faces):
                raise FormatError(f"are of {counted} faces, there are {len(self.faces)}", "triangles")
        if self.version <= 4 and changed(ids.GEOMETRY_GROUPS):
            raise FormatError(f"version {self.version} has none", "geometry groups")
        for number, kind in ((ids.VERTICES, "vertices"), (ids.EDGES, "edges"), (ids.FACES, "faces")):
            if changed(number, ids.GEOMETRY_GROUPS):
                table: GroupTable = getattr(self.geometry_groups, kind)
                _below(table.members, len(getattr(self, kind)), f"group of {kind}", "member")


def decode_mesh(data: Buffer, offset: int, version: int) -> Mesh:
    """Chunk 2 of a level. Raises FormatError."""
    return Mesh(version, split(data, 0, offset, "mesh"))


def encode_mesh(mesh: Mesh) -> bytes:
    """Chunk 2 of a level. Raises FormatError."""
    return join(mesh.written())


def _below(numbers: Array, count: int, what: str, of: str) -> None:
    """Raise FormatError unless each number is below the count of what it names."""
    if len(numbers) and int(numbers.max()) >= count:
        row = int(np.flatnonzero((numbers >= count).reshape(len(numbers), -1).any(axis=1))[0])
        raise FormatError(f"names {of} {numbers[row].max()}, there are {count}", f"{what} {row}")


def _decode_materials(data: Buffer, offset: int) -> list[str]:
    cursor = Cursor(data, base=offset)
    count = cursor.u32("materials")
    cursor.need(4 * count, "materials")
    names = [read_str8(cursor, f"material {number}") for number in range(count)]
    ended(cursor, "materials")
    return names


def _encode_materials(names: list[str]) -> bytes:
    texts = [str8(name, f"material {number}") for number, name in enumerate(names)]
    return len(names).to_bytes(4, "little") + b"".join(texts)


def _decode_table(
    data: Buffer, offset: int, before: "np.dtype[np.void]", since: "np.dtype[np.void]", version: int, what: str
) -> Records:
    """Records that have a byte more from version 9 on; their length says which, and the version where both fit."""
    cursor = Cursor(data, base=offset)
    count = cursor.u32(what)
    fits = [dtype for dtype in (before, since) if count * dtype.itemsize == cursor.left]
    if not fits:
        sizes = f"{before.itemsize} or {since.itemsize}"
        raise cursor.error(f"{count} of {sizes} bytes do not give the {cursor.left} that there are", what)
    return cursor.array(fits[version >= _FLAGS_SINCE] if len(fits) > 1 else fits[0], count, what)


def _decode_mapping(data: Buffer, offset: int) -> Records:
    cursor = Cursor(data, base=offset)
    groups = cursor.array(MAPPING_GROUP, cursor.u32("mapping groups"), "mapping groups")
    ended(cursor, "mapping groups")
    return groups


def _encode_table(records: Records) -> bytes:
    return len(records).to_bytes(4, "little") + records.tobytes()
