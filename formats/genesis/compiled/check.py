# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine would refuse or misread in a compiled level (genesis.md §4)."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from ...arrays import Array
from ...binary import FormatError, Problem
from ...counting import number_of
from .. import check_map
from ..records import MAX_TEXTURE_SIZE, NAME_SIZE
from . import lighting, surfaces, tree
from .level import CompiledLevel
from .pictures import names
from .records import RECORDS, ChunkId

_REFERENCES: tuple[tuple[ChunkId, str, ChunkId], ...] = (
    (ChunkId.TEXINFOS, "texture", ChunkId.TEXTURES),
    (ChunkId.TEXTURES, "palette", ChunkId.PALETTES),
    (ChunkId.LEAF_FACES, "index", ChunkId.FACES),
    (ChunkId.LEAF_SIDES, "plane", ChunkId.PLANES),
    (ChunkId.VERTEX_INDICES, "index", ChunkId.VERTICES),
    (ChunkId.AREA_PORTALS, "model", ChunkId.MODELS),
    (ChunkId.AREA_PORTALS, "area", ChunkId.AREAS),
    (ChunkId.CLIP_NODES, "plane", ChunkId.PLANES),
)
"""Records, what of them names another record, and of which chunk that is."""
_NEEDED = (ChunkId.MODELS, ChunkId.NODES, ChunkId.LEAFS, ChunkId.PLANES, ChunkId.FACES, ChunkId.ENTITIES)


def check(level: CompiledLevel) -> list[Problem]:
    """What the engine would refuse or misread."""
    with np.errstate(all="ignore"):  # hostile floats
        return [*_chunks(level), *_records(level), *_parts(level), *_entities(level)]


def _chunks(level: CompiledLevel) -> Iterator[Problem]:
    for chunk in level.chunks:
        dtype = RECORDS.get(ChunkId(chunk.type)) if chunk.type in ChunkId.__members__.values() else None
        if dtype is None:
            yield Problem(chunk.name, "the engine refuses the whole level")
        elif chunk.size != dtype.itemsize:
            yield Problem(chunk.name, f"elements of {chunk.size} bytes, known are {dtype.itemsize}")
    for kind, count in Counter(chunk.type for chunk in level.chunks).items():
        if count > 1:
            name = next(chunk.name for chunk in level.chunks if chunk.type == kind)
            yield Problem(name, f"there {count} times: the last one counts", "warning", count)
    for which in _NEEDED:
        if level.chunk(which) is None:
            yield Problem(f"chunk {which.name}", "isn't there")
    if level.trailing:
        message = f"{len(level.trailing)} bytes behind the end are ignored"
        yield Problem("file", message, "warning", len(level.trailing))


def _table(level: CompiledLevel, which: ChunkId) -> Array:
    """A chunk's records; none where they have another size, which `_chunks` tells."""
    try:
        return level.table(which)
    except FormatError:
        return np.empty(0, RECORDS[which])


def _records(level: CompiledLevel) -> Iterator[Problem]:
    for which, field, target in _REFERENCES:
        numbers, there = _table(level, which)[field], len(_table(level, target))
        count = int(((numbers < 0) | (numbers >= there)).sum())
        if count:
            yield Problem(
                f"chunk {which.name}", f"{count} name {target.name} beyond the {there} there are", count=count
            )
    textures = _table(level, ChunkId.TEXTURES)
    large = (textures["width"] > MAX_TEXTURE_SIZE) | (textures["height"] > MAX_TEXTURE_SIZE)
    if large.any():
        yield Problem(
            "chunk TEXTURES", f"{int(large.sum())} are larger than {MAX_TEXTURE_SIZE}", count=int(large.sum())
        )
    for which, fields in ((ChunkId.PLANES, ("normal", "dist")), (ChunkId.TEXINFOS, ("u_vec", "v_vec"))):
        table = _table(level, which)
        bad = sum(~np.isfinite(table[name]).reshape(len(table), -1).all(axis=1) for name in fields if len(table))
        count = int(np.count_nonzero(bad))
        if count:
            yield Problem(
                f"chunk {which.name}", f"{number_of(count, 'records have')} numbers that are not finite", count=count
            )


def _parts(level: CompiledLevel) -> Iterator[Problem]:
    """What reading the tree, the faces and their light finds."""
    try:
        tree.tree_of(level)
        drawn = surfaces.of_level(level)
        empty = int((np.diff(drawn.starts) == 0).sum())
        if empty:
            yield Problem("chunk FACES", f"{number_of(empty, 'faces have')} no corners that there are", count=empty)
        outside = len(lighting.blocks(level, drawn).outside)
        if outside:
            yield Problem(
                "chunk FACES",
                f"{number_of(outside, 'faces have')} lightmaps beyond the end of LIGHT_DATA",
                count=outside,
            )
        for number, name in enumerate(names(level)):
            if len(name) >= NAME_SIZE:
                yield Problem(f"texture {number}", f"its name has no end within {NAME_SIZE} bytes")
    except FormatError as error:
        yield Problem(error.reading or "file", error.message)


def _entities(level: CompiledLevel) -> Iterator[Problem]:
    try:
        yield from check_map.entity_problems(level)
    except FormatError as error:
        yield Problem(error.reading, error.message)
    size = len(_table(level, ChunkId.ENTITIES))
    if size > check_map.MAX_ENTITY_DATA:
        yield Problem(
            "chunk ENTITIES", f"{size} bytes of entities, {check_map.MAX_ENTITY_DATA} are allowed", count=size
        )
