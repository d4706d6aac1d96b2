# SPDX-License-Identifier: GPL-3.0-or-later
"""What a compiled level holds, for people to read: a summary, everything decoded, and which part a byte is of."""

from collections import Counter

from ...binary import FormatError
from ...format import Document, tried
from .. import contents_map
from ..entities import Entity
from . import pictures
from .level import Chunk, CompiledLevel
from .records import RECORDS, ChunkId

_HEAD = 12


def summary(level: CompiledLevel) -> Document:
    """Return the outlines: counts, names, the world's keys."""
    time = level.table(ChunkId.HEADER)["time"][0].tolist()
    return {
        "kind": level.kind,
        "compiled": f"{time[0]:04}-{time[1]:02}-{time[3]:02} {time[4]:02}:{time[5]:02}:{time[6]:02}",
        "world": tried(lambda: {} if level.world is None else dict(level.world.pairs)),
        "chunks": {chunk.name.removeprefix("chunk "): chunk.count for chunk in level.chunks},
        "textures": tried(lambda: pictures.names(level)),
        "models": tried(lambda: [entity.name for entity in level.models]),
        "entities": tried(lambda: dict(Counter(entity.classname for entity in level.points).most_common())),
        "bytes behind the end": len(level.trailing) or None,
    }


def contents(level: CompiledLevel) -> Document:
    """Return everything decoded: each chunk's records as an array, entities and their motions."""
    made: Document = {"kind": level.kind}
    for chunk in level.chunks:
        made[chunk.name.removeprefix("chunk ")] = _decoded(chunk, level)
    made["trailing"] = level.trailing
    return made


def _decoded(chunk: Chunk, level: CompiledLevel) -> object:
    counts = level.chunk(ChunkId(chunk.type)) is chunk if chunk.type in ChunkId.__members__.values() else False
    if not counts:
        return chunk.data
    which = ChunkId(chunk.type)
    if which == ChunkId.ENTITIES:
        return tried(lambda: [[list(pair) for pair in entity.pairs] for entity in level.entities])
    if which == ChunkId.MOTIONS:
        moving = [entity for entity in _entities(level) if entity.motion is not None]
        return {entity.name: contents_map.motion_contents(entity.motion) for entity in moving if entity.motion}
    table = tried(lambda: level.table(which))
    if isinstance(table, FormatError) or table.dtype.names is None:
        return table
    return {name: table[name] for name in table.dtype.names}


def _entities(level: CompiledLevel) -> list[Entity]:
    try:
        return level.entities
    except FormatError:
        return []


def section_at(level: CompiledLevel, offset: int) -> str:
    """Name the part of the file that a byte is of."""
    for chunk in level.chunks:
        if offset < _HEAD:
            return f"head of {chunk.name}"
        offset -= _HEAD
        if offset < len(chunk.data):
            known = chunk.type in ChunkId.__members__.values() and RECORDS[ChunkId(chunk.type)].itemsize > 1
            return f"record {offset // chunk.size} of {chunk.name}" if known else chunk.name
        offset -= len(chunk.data)
    if offset < len(level.end):
        return "chunk that ends the file"
    return "trailing bytes" if offset < len(level.end) + len(level.trailing) else "end of the file"
