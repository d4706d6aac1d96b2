# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangles that the game draws, and groups of geometry (ns2.md §3.2, chunks 5 and 8)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Indices, Records, Singles
from ..binary import Buffer, Cursor, FormatError
from .chunks import words
from .faces import check_starts, frozen
from .records import NO_GROUP, TRIANGLE3, TRIANGLE6
from .walk import counts_to_starts, gather, starts

Vectors = Singles


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """The triangles of each face: those of face f are triangles[face_triangles[f] : face_triangles[f + 1]].

    Vertex numbers from the number of the mesh's vertices on are ghosts, which versions 7 and 9 put on borders. The
    number of normals as the number of a normal means none: use the face's.
    """

    ghosts: Vectors  # [ghosts, 3], empty before version 7
    normals: Vectors  # [normals, 3] of smooth edges, empty before version 9
    face_triangles: Indices  # [faces + 1]
    triangles: Records  # TRIANGLE6, before version 9 TRIANGLE3

    @classmethod
    def empty(cls, record: "np.dtype[np.void]" = TRIANGLE6) -> "Triangles":
        """Of no faces; `record`: that of the version."""
        none = np.zeros((0, 3), np.float32)
        return cls(none, none, np.zeros(1, np.intp), np.zeros(0, record))

    def take(self, faces: npt.ArrayLike) -> "Triangles":
        """Those of these faces only (numbers or a mask); ghosts and normals stay where they are."""
        numbers = np.asarray(faces)
        numbers = np.flatnonzero(numbers) if numbers.dtype == np.bool_ else numbers.astype(np.intp)
        face_triangles, chosen = gather(self.face_triangles, numbers)
        return Triangles(self.ghosts, self.normals, face_triangles, self.triangles[chosen])

    @classmethod
    def joined(cls, parts: "Sequence[Triangles]", vertices: int) -> "Triangles":
        """All of the parts, one behind the other; `vertices`: how many all of them count before their ghosts.

        Numbers of ghosts and normals move on, and "no normal" stays that. All parts must have the same records.
        """
        total = sum(len(part.normals) for part in parts)
        ghosts = normals = 0
        tables = []
        for part in parts:
            table = part.triangles.copy()
            table["vertices"][table["vertices"] >= vertices] += np.uint32(ghosts)
            if "normals" in (table.dtype.names or ()):
                numbers = table["normals"]
                table["normals"] = np.where(numbers == len(part.normals), total, numbers + np.uint32(normals))
            ghosts += len(part.ghosts)
            normals += len(part.normals)
            tables.append(table)
        return cls(
            np.concatenate([part.ghosts for part in parts]),
            np.concatenate([part.normals for part in parts]),
            counts_to_starts(np.concatenate([np.diff(part.face_triangles) for part in parts])),
            np.concatenate(tables),
        )


@dataclass(frozen=True, slots=True, eq=False)
class GroupTable:
    """Groups of elements of one kind: the elements of group ids[g] are members[starts[g] : starts[g + 1]]."""

    ids: npt.NDArray[np.uint32]  # [groups], ascending in files
    starts: Indices  # [groups + 1]
    members: npt.NDArray[np.uint32]  # numbers of elements, ascending in a group

    @classmethod
    def empty(cls) -> "GroupTable":
        """No groups."""
        return cls(np.zeros(0, np.uint32), np.zeros(1, np.intp), np.zeros(0, np.uint32))

    @classmethod
    def of(cls, groups: npt.ArrayLike) -> "GroupTable":
        """The table of elements whose groups are given: ids [elements], NO_GROUP for none."""
        wanted = np.asarray(groups, np.uint32)
        members = np.flatnonzero(wanted != NO_GROUP)
        members = members[np.argsort(wanted[members], kind="stable")]
        ids, counts = np.unique(wanted[members], return_counts=True)
        return cls(ids, counts_to_starts(counts), members.astype(np.uint32))

    def assignment(self, count: int) -> npt.NDArray[np.uint32]:
        """The group's id of each of `count` elements, NO_GROUP for none; the last one of those in several.

        Raises FormatError for a member that is no element.
        """
        if len(self.members) and int(self.members.max()) >= count:
            raise FormatError(f"has a member {self.members.max()}, there are {count}", "geometry groups")
        groups = np.full(count, NO_GROUP, np.uint32)
        groups[self.members] = np.repeat(self.ids, np.diff(self.starts))
        return groups


@dataclass(frozen=True, slots=True, eq=False)
class GeometryGroups:
    """Groups of vertices, of edges and of faces: three assignments that know nothing of each other."""

    vertices: GroupTable
    edges: GroupTable
    faces: GroupTable

    @classmethod
    def empty(cls) -> "GeometryGroups":
        """No groups."""
        return cls(GroupTable.empty(), GroupTable.empty(), GroupTable.empty())


# --------------------------------------------------------------------------------------------------- triangles, bytes


def decode_triangles(data: Buffer, offset: int, ghosts: bool, normals: bool) -> Triangles:
    """Chunk 5 of the mesh; `ghosts`, `normals`: whether its version has those lists. Raises FormatError."""
    what = "triangles"
    cursor = Cursor(data, base=offset)
    vectors = []
    for present, name in ((ghosts, "ghost vertices"), (normals, "smoothed normals")):
        count = cursor.u32(f"number of {name}") if present else 0
        vectors.append(cursor.array("<f4", 3 * count, name).reshape(-1, 3))
    count, total = cursor.u32(what), cursor.u32(what)
    start = cursor.offset
    body = words(memoryview(data)[start:], what, offset + start)
    record = TRIANGLE6 if normals else TRIANGLE3
    size = record.itemsize // 4
    begins = starts(len(body), lambda places: 1 + size * body.take(places).astype(np.intp), count, what, offset + start)
    face_triangles = counts_to_starts(body[begins])
    if face_triangles[-1] != total:
        raise FormatError(f"{face_triangles[-1]} of them, {total} are claimed", what, offset + start - 4)
    inside = np.ones(len(body), np.bool_)
    inside[begins] = False
    return Triangles(*frozen(vectors[0], vectors[1], face_triangles, body[inside].view(record)))


def encode_triangles(value: Triangles, ghosts: bool, normals: bool) -> bytes:
    """Chunk 5 of the mesh. Raises FormatError for tables that don't fit together or that the version has not."""
    record = TRIANGLE6 if normals else TRIANGLE3
    if value.triangles.dtype != record:
        raise FormatError(f"are records of {value.triangles.dtype.itemsize} bytes, not {record.itemsize}", "triangles")
    check_starts(value.face_triangles, len(value.face_triangles) - 1, len(value.triangles), "triangles of faces")
    parts = []
    for present, vectors, name in ((ghosts, value.ghosts, "ghost vertices"), (normals, value.normals, "normals")):
        if present:
            parts += [len(vectors).to_bytes(4, "little"), vectors.astype("<f4", copy=False).tobytes()]
        elif len(vectors):
            raise FormatError(f"this version of the format has none, here are {len(vectors)}", name)
    count = len(value.face_triangles) - 1
    body = np.empty(count + len(value.triangles) * (record.itemsize // 4), "<u4")
    inside = np.ones(len(body), np.bool_)
    begins = np.arange(count) + value.face_triangles[:-1] * (record.itemsize // 4)
    inside[begins] = False
    body[begins] = np.diff(value.face_triangles)
    body[inside] = np.ascontiguousarray(value.triangles).view("<u4")
    parts += [count.to_bytes(4, "little"), len(value.triangles).to_bytes(4, "little"), body.tobytes()]
    return b"".join(parts)


# ------------------------------------------------------------------------------------------------------ groups, bytes


def decode_groups(data: Buffer, offset: int) -> GeometryGroups:
    """Chunk 8 of the mesh. Raises FormatError."""
    cursor = Cursor(data, base=offset)
    tables = [_decode_table(cursor, f"groups of {kind}") for kind in ("vertices", "edges", "faces")]
    if cursor.left:
        raise cursor.error(f"{cursor.left} bytes behind them", "geometry groups")
    return GeometryGroups(*tables)


def _decode_table(cursor: Cursor, what: str) -> GroupTable:
    count = cursor.u32(what)
    cursor.need(8 * count, what)
    ids, parts = [], []
    for _ in range(count):
        ids.append(cursor.u32(what))
        parts.append(cursor.array("<u4", cursor.u32(what), what))
    members = np.concatenate([np.zeros(0, np.uint32), *parts])
    counts = np.array([len(part) for part in parts], np.intp)
    arrays = frozen(np.array(ids, np.uint32), counts_to_starts(counts), members)
    return GroupTable(*arrays)


def encode_groups(groups: GeometryGroups) -> bytes:
    """Chunk 8 of the mesh. Raises FormatError for tables that don't fit together."""
    return b"".join(_encode_table(table) for table in (groups.vertices, groups.edges, groups.faces))


def _encode_table(table: GroupTable) -> bytes:
    check_starts(table.starts, len(table.ids), len(table.members), "geometry groups")
    parts = [len(table.ids).to_bytes(4, "little")]
    members = table.members.astype("<u4", copy=False)
    for group, first, last in zip(table.ids.tolist(), table.starts[:-1], table.starts[1:], strict=True):
        part = members[first:last]
        parts += [group.to_bytes(4, "little"), len(part).to_bytes(4, "little"), part.tobytes()]
    return b"".join(parts)
