"""What the engine would refuse or misread in a map: lumps that are not whole, numbers of what is not there, limits.

An error names a lump and a record; limits are those of the public compilers and only worth a warning: games raised
them (source-bsp-seed, source-bsp-notes §2.2-2.8).
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..binary import FormatError, Problem
from .fields import prim_counts
from .level import Level
from .lumps import LumpId, lump_name
from .records import Records

Mask = npt.NDArray[np.bool_]

_NONE = -1  # of numbers that may name nothing
_DRAWN_FACES = (LumpId.FACES, LumpId.FACES_HDR)
_FACES = (*_DRAWN_FACES, LumpId.ORIGINALFACES)
_MAY_BE_MISSING = frozenset({LumpId.ORIGINALFACES})  # on consoles

# lump, field, what it is a number in, whether it may be -1
_REFERENCES: tuple[tuple[LumpId, str, LumpId, bool], ...] = (
    *((faces, "planenum", LumpId.PLANES, False) for faces in _FACES),
    # Original faces have numbers of texinfos from before vbsp left out the unused ones.
    *((faces, "texinfo", LumpId.TEXINFO, True) for faces in _DRAWN_FACES),
    *((faces, "dispinfo", LumpId.DISPINFO, True) for faces in _DRAWN_FACES),
    *((faces, "orig_face", LumpId.ORIGINALFACES, True) for faces in _DRAWN_FACES),
    (LumpId.EDGES, "v", LumpId.VERTEXES, False),
    (LumpId.BRUSHSIDES, "planenum", LumpId.PLANES, False),
    (LumpId.BRUSHSIDES, "texinfo", LumpId.TEXINFO, True),
    (LumpId.NODES, "planenum", LumpId.PLANES, False),
    (LumpId.LEAFS, "leaf_water_data_id", LumpId.LEAFWATERDATA, True),
    (LumpId.LEAFFACES, "face", LumpId.FACES, False),
    (LumpId.LEAFBRUSHES, "brush", LumpId.BRUSHES, False),
    (LumpId.LEAFWATERDATA, "surface_texinfo", LumpId.TEXINFO, True),
    (LumpId.MODELS, "headnode", LumpId.NODES, False),
    (LumpId.TEXINFO, "texdata", LumpId.TEXDATA, True),
    (LumpId.TEXDATA, "name_string_table_id", LumpId.TEXDATA_STRING_TABLE, False),
    (LumpId.AREAPORTALS, "otherarea", LumpId.AREAS, False),
    (LumpId.AREAPORTALS, "planenum", LumpId.PLANES, False),
    (LumpId.DISPINFO, "map_face", LumpId.FACES, False),
    (LumpId.VERTNORMALINDICES, "normal", LumpId.VERTNORMALS, False),
    (LumpId.OVERLAYS, "texinfo", LumpId.TEXINFO, True),
)

# lump, first, count, what they count in
_RANGES: tuple[tuple[LumpId, str, str, LumpId], ...] = (
    *((faces, "firstedge", "numedges", LumpId.SURFEDGES) for faces in _FACES),
    (LumpId.BRUSHES, "firstside", "numsides", LumpId.BRUSHSIDES),
    (LumpId.NODES, "firstface", "numfaces", LumpId.FACES),
    (LumpId.LEAFS, "firstleafface", "numleaffaces", LumpId.LEAFFACES),
    (LumpId.LEAFS, "firstleafbrush", "numleafbrushes", LumpId.LEAFBRUSHES),
    (LumpId.MODELS, "firstface", "numfaces", LumpId.FACES),
    (LumpId.AREAS, "firstareaportal", "numareaportals", LumpId.AREAPORTALS),
    (LumpId.AREAPORTALS, "first_clip_portal_vert", "clip_portal_verts", LumpId.CLIPPORTALVERTS),
    (LumpId.PRIMITIVES, "first_index", "index_count", LumpId.PRIMINDICES),
    (LumpId.PRIMITIVES, "first_vert", "vert_count", LumpId.PRIMVERTS),
    (LumpId.LEAF_AMBIENT_INDEX, "first", "count", LumpId.LEAF_AMBIENT_LIGHTING),
    (LumpId.LEAF_AMBIENT_INDEX_HDR, "first", "count", LumpId.LEAF_AMBIENT_LIGHTING_HDR),
)

# lump and the lump that it has a record for each record of, if it has any at all
_SAME_COUNT: tuple[tuple[LumpId, LumpId], ...] = (
    (LumpId.FACEIDS, LumpId.FACES),
    (LumpId.FACE_MACRO_TEXTURE_INFO, LumpId.FACES),
    (LumpId.FACES_HDR, LumpId.FACES),
    (LumpId.OVERLAY_FADES, LumpId.OVERLAYS),
    (LumpId.LEAF_AMBIENT_INDEX, LumpId.LEAFS),
    (LumpId.LEAF_AMBIENT_INDEX_HDR, LumpId.LEAFS),
)

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
MOST_BYTES: dict[LumpId, int] = {
    LumpId.VISIBILITY: 1 << 24,
    LumpId.LIGHTING: 1 << 24,
    LumpId.LIGHTING_HDR: 1 << 24,
    LumpId.TEXDATA_STRING_DATA: 256000,
}
MOST_ENTITIES = 8192
LONGEST_KEY, LONGEST_VALUE = 32, 1024


def check(level: Level) -> list[Problem]:
    """What the engine would refuse or misread."""
    problems: list[Problem] = []
    for part in (_file, _lumps, _references, _ranges, _counts, _tree, _entities, _props, _displacements, _pak):
        try:
            problems += part(level)
        except FormatError as error:  # a lump that is not whole is named once, by _lumps
            problem = Problem(error.reading or "map", error.message)
            if problem not in problems:
                problems.append(problem)
    return problems


def _file(level: Level) -> Iterator[Problem]:
    entries = level.file.entries
    used = np.flatnonzero(entries["length"] > 0)
    order = used[np.argsort(entries["offset"][used], kind="stable")]
    starts, ends = entries["offset"][order], (entries["offset"] + entries["length"])[order]
    for number in np.flatnonzero(starts[1:] < np.maximum.accumulate(ends)[:-1]).tolist():
        place = lump_name(int(order[number + 1]))
        yield Problem(place, f"shares bytes with {lump_name(int(order[number]))}", "warning")
    for lump in level.lumps:
        if level.file.cut(lump):
            yield Problem(lump_name(lump), f"{level.file.cut(lump)} of its bytes lie behind the end of the file")


def _lumps(level: Level) -> Iterator[Problem]:
    """Lumps that cannot be decoded or whose records are not known."""
    meanings: dict[int, Callable[[], Any]] = {
        LumpId.ENTITIES: lambda: level.entities,
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
    for lump in level.lumps:
        if level.file.cut(lump):
            continue
        try:
            if lump in meanings:
                meanings[lump]()
            elif level.layout(lump).dtype is None and len(level.bytes_of(lump)):
                yield Problem(lump_name(lump), level.layout(lump).reason, "warning")
        except FormatError as error:
            yield Problem(lump_name(lump), error.message)


def _table(level: Level, lump: int) -> Records | None:
    """A lump as records; None if that is not possible, which `_lumps` tells."""
    try:
        return level.table(lump)
    except FormatError:
        return None


def _count(level: Level, lump: LumpId) -> int | None:
    """How many records there are. Maps of Left 4 Dead 2 have one of two lumps of faces."""
    if lump == LumpId.FACES:
        tables = [_table(level, each) for each in _DRAWN_FACES]
        return max((len(table) for table in tables if table is not None), default=None)
    table = _table(level, lump)
    return None if table is None else len(table)


def _wrong(lump: LumpId, wrong: Mask, values: npt.NDArray[Any], what: str) -> Iterator[Problem]:
    """One problem for all the records of a lump that something is wrong with."""
    if wrong.any():
        rows = np.flatnonzero(wrong.reshape(len(wrong), -1).any(axis=1))
        first = int(rows[0])
        more = f"; so do {len(rows) - 1} more" if len(rows) > 1 else ""
        yield Problem(f"{lump_name(lump)}, record {first}", f"{what} {values[first].tolist()}{more}")


def _references(level: Level) -> Iterator[Problem]:
    for lump, field, target, may_be_none in _REFERENCES:
        table, count = _table(level, lump), _count(level, target)
        if table is None or count is None or field not in (table.dtype.names or ()):
            continue
        if not count and target in _MAY_BE_MISSING:
            continue
        values = table[field].astype(np.int64)
        wrong = (values >= count) | (values < (_NONE if may_be_none else 0))
        yield from _wrong(lump, wrong, values, f"of {count} {target.name} names, as its {field},")
    surfedges, edges = _table(level, LumpId.SURFEDGES), _count(level, LumpId.EDGES)
    if surfedges is not None and edges is not None:
        values = surfedges["edge"].astype(np.int64)
        yield from _wrong(LumpId.SURFEDGES, np.abs(values) >= edges, values, f"of {edges} EDGES names")


def _ranges(level: Level) -> Iterator[Problem]:
    for lump, first, count, target in _RANGES:
        table, size = _table(level, lump), _count(level, target)
        if table is None or size is None:
            continue
        starts, counts = table[first].astype(np.int64), table[count].astype(np.int64)
        yield from _wrong_ranges(lump, starts, counts, target.name, size)
    primitives = _count(level, LumpId.PRIMITIVES)
    for lump in (LumpId.FACES, LumpId.FACES_HDR):
        table = _table(level, lump)
        if table is not None and primitives is not None and "first_prim_id" in (table.dtype.names or ()):
            firsts = table["first_prim_id"].astype(np.int64)
            yield from _wrong_ranges(lump, firsts, prim_counts(table)[0], "PRIMITIVES", primitives)


def _wrong_ranges(
    lump: LumpId, starts: npt.NDArray[Any], counts: npt.NDArray[Any], target: str, size: int
) -> Iterator[Problem]:
    wrong = (counts < 0) | (counts > 0) & ((starts < 0) | (starts + counts > size))
    yield from _wrong(lump, wrong, np.stack([starts, counts], axis=1), f"of {size} {target} has, as first and count,")


def _counts(level: Level) -> Iterator[Problem]:
    for lump, most in MOST_RECORDS.items():
        table = _table(level, lump)
        if table is not None and len(table) > most:
            yield Problem(lump_name(lump), f"{len(table)} records, usual compilers allow {most}", "warning")
    for lump, most in MOST_BYTES.items():
        size = 0 if level.file.cut(lump) else len(level.bytes_of(lump))
        if size > most:
            yield Problem(lump_name(lump), f"{size} bytes, usual compilers allow {most}", "warning")
    for lump, other in _SAME_COUNT:
        table, count = _table(level, lump), _count(level, other)
        if table is not None and count is not None and len(table) not in (0, count):
            yield Problem(lump_name(lump), f"{len(table)} records for {count} {other.name}")
    faces, normals = _table(level, LumpId.FACES), _table(level, LumpId.VERTNORMALINDICES)
    if faces is not None and normals is not None and len(faces) and len(normals):
        corners = int(faces["numedges"].astype(np.int64).sum())
        if corners != len(normals):
            place = lump_name(LumpId.VERTNORMALINDICES)
            yield Problem(place, f"{len(normals)} of them for {corners} corners of faces", "warning")


def _tree(level: Level) -> Iterator[Problem]:
    nodes, leafs = _table(level, LumpId.NODES), _count(level, LumpId.LEAFS)
    if nodes is not None and leafs is not None:
        children = nodes["children"].astype(np.int64)
        wrong = (children >= len(nodes)) | (children < -leafs)
        what = f"of {len(nodes)} NODES and {leafs} LEAFS has the children"
        yield from _wrong(LumpId.NODES, wrong, children, what)
    table = _table(level, LumpId.LEAFS)
    visibility = level.visibility
    if table is not None and visibility is not None:
        clusters = table["cluster"].astype(np.int64)
        what = f"of {visibility.clusters} clusters is in"
        yield from _wrong(LumpId.LEAFS, clusters >= visibility.clusters, clusters, what)


def _entities(level: Level) -> Iterator[Problem]:
    entities, place = level.entities, lump_name(LumpId.ENTITIES)
    if not entities or entities[0].classname != "worldspawn":
        yield Problem(place, "the first entity is not worldspawn")
    if len(entities) > MOST_ENTITIES:
        yield Problem(place, f"{len(entities)} entities, usual compilers allow {MOST_ENTITIES}", "warning")
    models = _count(level, LumpId.MODELS)
    seen = {0}
    for number, entity in enumerate(entities):
        if entity.model is not None:
            seen.add(entity.model)
            if models is not None and entity.model >= models:
                yield Problem(f"entity {number}", f"its model is *{entity.model}, there are {models}")
        for key, value in entity.pairs:
            if len(key) > LONGEST_KEY:
                yield Problem(f"entity {number}", f"{key[:64]!r} is longer than {LONGEST_KEY} characters", "warning")
            if len(value) > LONGEST_VALUE:
                message = f"the value of {key[:64]!r} is longer than {LONGEST_VALUE} characters"
                yield Problem(f"entity {number}", message, "warning")
    missing = sorted(set(range(models or 0)) - seen)
    if missing:
        yield Problem(lump_name(LumpId.MODELS), f"no entity has model *{missing[0]}; {len(missing)} such", "warning")


def _props(level: Level) -> Iterator[Problem]:
    props = level.static_props
    if props is None:
        return
    place = "static props"
    if props.props is None:
        if props.trailing:
            yield Problem(place, props.reason, "warning")
        return
    kinds = props.props["prop_type"].astype(np.int64)
    first, count = props.props["first_leaf"].astype(np.int64), props.props["leaf_count"].astype(np.int64)
    for wrong, what in (
        (kinds >= len(props.names), f"names a model that is not among the {len(props.names)}"),
        ((count > 0) & (first + count > len(props.leafs)), f"names leafs that are not among the {len(props.leafs)}"),
    ):
        if wrong.any():
            yield Problem(f"{place}, record {int(wrong.argmax())}", what)
    leafs, in_map = props.leafs["leaf"].astype(np.int64), _count(level, LumpId.LEAFS)
    if in_map is not None and (leafs >= in_map).any():
        yield Problem(place, f"in leaf {int(leafs.max())}, there are {in_map}")


def _displacements(level: Level) -> Iterator[Problem]:
    infos = _table(level, LumpId.DISPINFO)
    if infos is None or not len(infos):
        return
    power = np.clip(infos["power"].astype(np.int64), 0, 8)
    for lump, field, counts in (
        (LumpId.DISP_VERTS, "disp_vert_start", (2**power + 1) ** 2),
        (LumpId.DISP_TRIS, "disp_tri_start", 2 * 4**power),
    ):
        size = _count(level, lump)
        if size is not None and field in (infos.dtype.names or ()):
            yield from _wrong_ranges(LumpId.DISPINFO, infos[field].astype(np.int64), counts, lump.name, size)
    hulls = level.physdisp
    if hulls and len(hulls) != len(infos):
        yield Problem(lump_name(LumpId.PHYSDISP), f"{len(hulls)} hulls for {len(infos)} displacements")


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
