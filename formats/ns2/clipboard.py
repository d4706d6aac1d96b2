# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Spark editor copies: "application/spark editor" on the Windows clipboard (ns2.md §5).

Two blocks, geometry and objects, of which either may be missing; no layers, no groups, no triangles. Here they are a
`Level` of version 10 that has nothing else.
"""

import struct
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..arrays import Indices
from ..binary import Buffer, Cursor, FormatError
from .blank import new_mesh
from .chunks import Chunk, join, split
from .faces import FaceLayers, encode_layers
from .level import Level
from .mesh import Mesh
from .objects import Entity, encode_entities
from .records import MESH_ORDER, NO_GROUP, NO_MAPPING_GROUP, VERSION, ChunkId, MeshChunkId

FORMAT = "application/spark editor"  # the name under which it is registered on Windows

_BLOCK = struct.Struct("<IIH")  # 1, length with the kind, kind
_KIND_SIZE = 2
_NO_GROUPS = bytes(12)
_ORDER = tuple(number for number in MESH_ORDER if number != MeshChunkId.TRIANGLES)


def identify(data: Buffer) -> bool:
    """Whether these bytes begin as what the editor copies: with a block of either kind that fits."""
    if len(data) < _BLOCK.size:
        return False
    one, length, kind = _BLOCK.unpack(bytes(data[: _BLOCK.size]))
    fits = _KIND_SIZE <= length <= len(data) - (_BLOCK.size - _KIND_SIZE)
    return one == 1 and kind in (ChunkId.OBJECT, ChunkId.MESH) and fits


def parse(data: Buffer) -> Level:
    """What was copied, as a level of version 10 whose mesh has no triangles. Raises FormatError.

    Bytes behind the last block are ignored: Windows gives more than were put in.
    """
    cursor = Cursor(data)
    chunks: list[Chunk] = []
    seen: set[int] = set()
    while cursor.left >= _BLOCK.size:
        start = cursor.offset
        one, length, kind = _BLOCK.unpack(cursor.take(_BLOCK.size, "clipboard"))
        known = kind in (ChunkId.OBJECT, ChunkId.MESH)
        if one != 1 or not known or kind in seen or length < _KIND_SIZE:
            if seen:
                break
            message = f"block {one} of kind {kind} with {length} bytes; known are block 1 of kinds 1 and 2"
            raise FormatError(message, "clipboard", start)
        seen.add(kind)
        place = cursor.offset
        body = cursor.take(length - _KIND_SIZE, "clipboard")
        if kind == ChunkId.MESH:
            chunks.append(Chunk(ChunkId.MESH, body, place))
        else:
            chunks += _objects(body, place)
    if not seen:
        raise FormatError(f"{len(data)} bytes are no block", "clipboard", 0)
    return Level(VERSION, chunks)


def _objects(body: Buffer, place: int) -> list[Chunk]:
    chunks = split(body, 0, place, "objects of the clipboard")
    for chunk in chunks:
        if chunk.id != ChunkId.OBJECT:
            raise FormatError(f"chunk of id {chunk.id}; known is 1", "objects of the clipboard", chunk.offset - 8)
    return chunks


def build(level: Level) -> bytes:
    """What the editor would copy of all geometry and all objects of a level: without layers, groups and triangles.

    Raises FormatError for a level of another version than 10 (`as_v10` makes one).
    """
    if level.version != VERSION:
        raise FormatError(f"version {level.version}; the clipboard holds version {VERSION}", "clipboard")
    blocks = []
    mesh = level.mesh
    if len(mesh.vertices):
        blocks.append((ChunkId.MESH, join(_bare_mesh(mesh))))
    if level.entities:
        bare = [replace(entity, layers=None, group=NO_GROUP) for entity in level.entities]
        objects = [Chunk(ChunkId.OBJECT, data) for data in encode_entities(bare, VERSION)]
        blocks.append((ChunkId.OBJECT, join(objects)))
    parts = []
    for kind, body in blocks:
        if len(body) + _KIND_SIZE >= 1 << 32:
            raise FormatError(f"{len(body)} bytes are more than a block can hold", "clipboard")
        parts += [_BLOCK.pack(1, len(body) + _KIND_SIZE, kind), body]
    return b"".join(parts)


def _bare_mesh(mesh: Mesh) -> list[Chunk]:
    chunks = {chunk.id: chunk.data for chunk in reversed(mesh.written())}
    chunks[MeshChunkId.FACE_LAYERS] = encode_layers(FaceLayers.none(len(mesh.faces)), VERSION)
    chunks[MeshChunkId.GEOMETRY_GROUPS] = _NO_GROUPS
    return [Chunk(number, chunks.get(number, bytes(4))) for number in _ORDER]


def selection(level: Level, faces: npt.ArrayLike, entities: list[Entity]) -> Level:
    """A level of version 10 with these faces (numbers or a mask) of a level of version 10 and these objects only.

    The edges, vertices, materials and mapping groups that the faces use come along, in the order that they had. It is
    meant to be built: it has no layers, groups or triangles.
    """
    old, mesh = level.mesh, new_mesh()
    chosen = old.faces.take(faces)
    records, members = chosen.records.copy(), chosen.members.copy()
    edges, members["edge"] = _compact(members["edge"], len(old.edges), "edge")
    mesh.edges = old.edges[edges].copy()
    vertices, numbers = _compact(mesh.edges["vertices"], len(old.vertices), "vertex")
    mesh.edges["vertices"] = numbers
    mesh.vertices = old.vertices[vertices]
    materials, records["material"] = _compact(records["material"], len(old.materials), "material")
    mesh.materials = [old.materials[number] for number in materials.tolist()]
    used = np.isin(old.mapping_groups["id"], records["mapping_group"])
    mesh.mapping_groups = old.mapping_groups[used & (old.mapping_groups["id"] != NO_MAPPING_GROUP)]
    mesh.faces = replace(chosen, records=records, members=members)
    mesh.face_layers = FaceLayers.none(len(chosen))
    mesh.triangles = None
    result = Level(VERSION)
    result.mesh = mesh
    result.entities = [replace(entity.copy(), layers=None, group=NO_GROUP) for entity in entities]
    return result


def _compact(numbers: npt.NDArray[np.uint32], count: int, what: str) -> tuple[npt.NDArray[np.uint32], Indices]:
    """Which numbers occur, and each as its place among those. Raises FormatError for one that nothing has."""
    used, places = np.unique(numbers, return_inverse=True)
    if len(used) and int(used[-1]) >= count:
        raise FormatError(f"{what} {used[-1]} is used, there are {count}", "selection")
    return used, places.reshape(numbers.shape)
