# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine would refuse or misread in a map: lumps that are not whole, numbers of what is not there, limits.

Records are looked at in `check_records`. An error names a lump and a record; limits are those of the public compilers
and only worth a warning: games raised them (source.md §3).
"""

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np

from ..binary import FormatError, Problem
from ..counting import number_of
from .check_records import PARTS, count, table
from .entities.text import Entities
from .level import Level
from .lumps import LumpId, lump_name
from .tables import layouts, overlay_lists
from .tree import empty_models

# lump and the lump that it has a record for each record of, if it has any at all
_SAME_COUNT: tuple[tuple[LumpId, LumpId], ...] = (
    (LumpId.FACEIDS, LumpId.FACES),
    (LumpId.FACE_MACRO_TEXTURE_INFO, LumpId.FACES),
    (LumpId.FACES_HDR, LumpId.FACES),
    (LumpId.OVERLAY_FADES, LumpId.OVERLAYS),
    (LumpId.LEAF_AMBIENT_INDEX, LumpId.LEAFS),
    (LumpId.LEAF_AMBIENT_INDEX_HDR, LumpId.LEAFS),
)
_SINCE_20 = (LumpId.LEAF_AMBIENT_INDEX, LumpId.LEAF_AMBIENT_INDEX_HDR)  # before, other things had their numbers

MOST_RECORDS: dict[LumpId, int] = {
    LumpId.PLANES: 65536,
    LumpId.TEXDATA: 2048,
    LumpId.VERTEXES: 65536,
    LumpId.NODES: 65536,
    LumpId.TEXINFO: 12288,
    LumpId.FACES: 65536,
    LumpId.LEAFS: 65536,
    LumpId.EDGES: 256000,
    LumpId.SURFEDGES: 512000,
    LumpId.MODELS: 1024,
    LumpId.WORLDLIGHTS: 8192,
    LumpId.WORLDLIGHTS_HDR: 8192,
    LumpId.LEAFFACES: 65536,
    LumpId.LEAFBRUSHES: 65536,
    LumpId.BRUSHES: 8192,
    LumpId.BRUSHSIDES: 65536,
    LumpId.AREAS: 256,
    LumpId.AREAPORTALS: 1024,
    LumpId.DISPINFO: 2048,
    LumpId.PRIMITIVES: 32768,
    LumpId.PRIMINDICES: 65536,
    LumpId.CUBEMAPS: 1024,
    LumpId.OVERLAYS: 512,
}
_RAISED, _STRATA = 21, 25
_MOST_RECORDS_21: dict[LumpId, int] = {LumpId.OVERLAYS: 1024}
_MOST_RECORDS_STRATA: dict[LumpId, int] = {  # its wiki, "BSP v25 Format"
    **dict.fromkeys(
        (
            *(LumpId.PLANES, LumpId.VERTEXES, LumpId.NODES, LumpId.FACES, LumpId.LEAFS, LumpId.LEAFFACES),
            *(LumpId.LEAFBRUSHES, LumpId.PRIMITIVES, LumpId.PRIMINDICES),
        ),
        1 << 20,
    ),
    **dict.fromkeys((LumpId.MODELS, LumpId.AREAS, LumpId.AREAPORTALS), 65536),
    **dict.fromkeys((LumpId.TEXDATA, LumpId.CUBEMAPS, LumpId.OVERLAYS), 16384),
    LumpId.EDGES: 4096000,
    LumpId.SURFEDGES: 8192000,
    LumpId.BRUSHES: 131072,
    LumpId.BRUSHSIDES: 1310720,
    LumpId.DISPINFO: 262144,
}
MOST_BYTES: dict[LumpId, int] = {
    LumpId.VISIBILITY: 1 << 24,
    LumpId.LIGHTING: 1 << 24,
    LumpId.LIGHTING_HDR: 1 << 24,
    LumpId.TEXDATA_STRING_DATA: 256000,
}
_MOST_ENTITIES, _MOST_ENTITIES_21 = 8192, 20480
LONGEST_KEY, LONGEST_VALUE = 32, 1024


def most_records(level: Level, lump: LumpId) -> int:
    """How many records of a lump, one of MOST_RECORDS, the usual compilers for a map's version allow."""
    if level.version == _STRATA:
        return _MOST_RECORDS_STRATA.get(lump, MOST_RECORDS[lump])
    return _MOST_RECORDS_21.get(lump, MOST_RECORDS[lump]) if level.version >= _RAISED else MOST_RECORDS[lump]


def most_entities(level: Level) -> int:
    """How many entities they allow."""
    return _MOST_ENTITIES_21 if level.version >= _RAISED else _MOST_ENTITIES


def check(level: Level) -> list[Problem]:
    """What the engine would refuse or misread."""
    problems: list[Problem] = []
    for part in (_file, _lumps, *PARTS, _counts, _entities, _pak):
        try:
            problems += part(level)
        except FormatError as error:  # a lump that is not whole is named once, by _lumps
            problem = Problem(error.reading or "map", error.message)
            if str(problem) not in map(str, problems):
                problems.append(problem)
    return problems


def _file(level: Level) -> Iterator[Problem]:
    entries = level.file.entries
    used = np.flatnonzero(entries["length"] > 0)
    order = used[np.argsort(entries["offset"][used], kind="stable")]
    starts, ends = entries["offset"][order], (entries["offset"] + entries["length"])[order]
    for number in np.flatnonzero(starts[1:] < np.maximum.accumulate(ends)[:-1]).tolist():
        yield Problem(lump_name(int(order[number + 1])), f"shares bytes with lump {int(order[number])}", "warning")
    for lump in level.lumps:
        lacks = level.file.cut(lump)
        if lacks:
            yield Problem(lump_name(lump), f"{lacks} of its bytes lie behind the end of the file", count=lacks)


def _lumps(level: Level) -> Iterator[Problem]:
    """Lumps that cannot be decoded or whose records are not known."""
    meanings: dict[int, Callable[[], object]] = {
        LumpId.ENTITIES: lambda: _all_entities(level),
        LumpId.VISIBILITY: lambda: level.visibility,
        LumpId.OCCLUSION: lambda: level.occlusion,
        LumpId.GAME_LUMP: lambda: (level.static_props, level.detail_props),
        LumpId.PHYSCOLLIDE: lambda: level.physcollide,
        LumpId.PHYSDISP: lambda: level.physdisp,
        LumpId.PAKFILE: lambda: level.pak,
        LumpId.TEXDATA_STRING_DATA: lambda: level.texture_names.names,
        LumpId.LIGHTING: lambda: level.bytes_of(LumpId.LIGHTING),
        LumpId.LIGHTING_HDR: lambda: level.bytes_of(LumpId.LIGHTING_HDR),
    }
    if level.version_of(LumpId.OVERLAYS) >= overlay_lists.VERSION:
        meanings[LumpId.OVERLAYS] = lambda: overlay_lists.read(level.bytes_of(LumpId.OVERLAYS))
    for lump in level.lumps:
        if level.file.cut(lump):
            continue
        try:
            if lump in meanings:
                meanings[lump]()
            elif level.layout(lump).reason == layouts.TEXT:
                Entities.decode(level.bytes_of(lump))
            elif level.layout(lump).dtype is None and len(level.bytes_of(lump)):
                yield Problem(lump_name(lump), level.layout(lump).reason, "warning")
        except FormatError as error:
            yield Problem(lump_name(lump), error.message)


def _all_entities(level: Level) -> None:
    """Raise FormatError for an entity lump that can't be read, as a whole or in part."""
    unread = level.entities.unread
    if unread is not None:
        raise unread


def _counts(level: Level) -> Iterator[Problem]:
    for lump in MOST_RECORDS:
        size, most = count(level, lump), most_records(level, lump)
        if size is not None and size > most:
            yield Problem(
                lump_name(lump), f"{number_of(size, 'records')}, usual compilers allow {most}", "warning", size
            )
    for lump, most in MOST_BYTES.items():
        size = 0 if level.file.cut(lump) else len(level.bytes_of(lump))
        if size > most:
            yield Problem(lump_name(lump), f"{size} bytes, usual compilers allow {most}", "warning", size)
    for lump, other in _SAME_COUNT:
        if lump in _SINCE_20 and level.version < 20:
            continue
        size, expected = count(level, lump), count(level, other)
        if size is not None and expected is not None and size not in (0, expected):
            what = f"{number_of(size, 'records')} for {expected} {other.name}"
            yield Problem(lump_name(lump), what, count=abs(size - expected))
    faces, normals = (table(level, lump) for lump in (LumpId.FACES, LumpId.VERTNORMALINDICES))
    if faces is not None and normals is not None and len(faces) and len(normals):
        corners = int(faces["numedges"].astype(np.int64).sum())
        if corners != len(normals):
            place = lump_name(LumpId.VERTNORMALINDICES)
            what = f"{len(normals)} of them for {number_of(corners, 'corners')} of faces"
            yield Problem(place, what, "warning", abs(len(normals) - corners))


def _entities(level: Level) -> Iterator[Problem]:
    entities, place = level.entities, lump_name(LumpId.ENTITIES)
    if not entities or entities[0].classname != "worldspawn":
        yield Problem(place, "the first entity is not worldspawn")
    if len(entities) > most_entities(level):
        what = f"{number_of(len(entities), 'entities')}, usual compilers allow {most_entities(level)}"
        yield Problem(place, what, "warning", len(entities))
    models = count(level, LumpId.MODELS)
    seen = {0}
    for number, entity in enumerate(entities):
        one = f"{place}, entity {number}"
        if entity.model is not None:
            seen.add(entity.model)
            if models is not None and entity.model >= models:
                yield Problem(one, f"its model is *{entity.model}, there are {models}")
        for key, value in entity.pairs:
            if len(key) > LONGEST_KEY:
                yield Problem(one, f"{key[:64]!r} is longer than {LONGEST_KEY} characters", "warning")
            if len(value) > LONGEST_VALUE:
                yield Problem(one, f"the value of {key[:64]!r} is longer than {LONGEST_VALUE} characters", "warning")
    missing = sorted(set(range(models or 0)) - seen)
    if missing:
        with suppress(FormatError):  # rows that edits left, which are there for the numbers of others
            missing = np.setdiff1d(missing, np.flatnonzero(empty_models.empty(level))).tolist()
    if missing:
        what = f"no entity has model *{missing[0]}; {len(missing)} such"
        yield Problem(lump_name(LumpId.MODELS), what, "warning", len(missing))


def _pak(level: Level) -> Iterator[Problem]:
    if level.file.cut(LumpId.PAKFILE):
        return
    for file in level.pak:
        try:
            data = level.pak.read(file.name)
        except FormatError as error:
            yield Problem(f"{file.name} in {lump_name(LumpId.PAKFILE)}", error.message)
            continue
        if zlib.crc32(data) != file.crc and file.name == level.pak.file(file.name).name:
            yield Problem(f"{file.name} in {lump_name(LumpId.PAKFILE)}", "its checksum is another", "warning")
