# SPDX-License-Identifier: GPL-3.0-or-later
"""`.level` files: bytes <-> Level (ns2.md §2)."""

from ..binary import Buffer, FormatError
from .chunks import HEADER, join, split
from .level import Level
from .records import MAGIC, ChunkId, MeshChunkId

OLDEST, NEWEST = 4, 10  # versions that are known; of 5 and 8 no file is
_START = len(MAGIC) + 1


def identify(data: Buffer) -> bool:
    """Whether these bytes are a `.level`: its magic, a version, and a chunk that fits if there is room for one."""
    head = bytes(data[: _START + HEADER])
    return head[: len(MAGIC)] == MAGIC and len(head) >= _START and 0 < head[len(MAGIC)] < 32


def read(data: Buffer) -> Level:
    """Read a level: cheap, what is in its chunks is decoded when it is first asked for. Raises FormatError."""
    head = bytes(data[:_START])
    if len(head) < _START or head[: len(MAGIC)] != MAGIC:
        raise FormatError(f"starts with {head.hex(' ') or 'nothing'}; a level starts with LVL and its version", "", 0)
    version = head[len(MAGIC)]
    if not OLDEST <= version <= NEWEST:
        raise FormatError(f"version {version}; known are {OLDEST} to {NEWEST}", "header", len(MAGIC))
    return Level(version, split(data, _START, 0, "level"))


def write(level: Level) -> bytes:
    """Return the level's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    return MAGIC + bytes([level.version]) + join(level.written())


def section_at(level: Level, offset: int) -> str:
    """Name the part of the file, as it would be written, that a byte is of."""
    if offset < _START:
        return "header"
    offset -= _START
    objects = 0
    for chunk in level.written():
        name = _name(ChunkId, chunk.id)
        if chunk.id == ChunkId.OBJECT:
            name = f"object {objects}"
            objects += 1
        if offset < HEADER + len(chunk.data):
            inner = _mesh_section(chunk.data, offset - HEADER) if chunk.id == ChunkId.MESH else ""
            return inner or name
        offset -= HEADER + len(chunk.data)
    return "end of the file"


def _mesh_section(data: Buffer, offset: int) -> str:
    for chunk in split(data, 0, 0, "mesh") if offset >= 0 else ():
        if offset < chunk.offset + len(chunk.data):
            return f"{_name(MeshChunkId, chunk.id)} of the mesh"
    return ""


def _name(kind: "type[ChunkId | MeshChunkId]", number: int) -> str:
    known = number in kind.__members__.values()
    return kind(number).name.lower().replace("_", " ") if known else f"chunk of id {number}"
