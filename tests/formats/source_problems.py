# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of problem that a map can have: see tests/addon/contract/test_gate.py.

The map has four records in every lump that is a table; those for the tables of references are made from these.
"""

import struct
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from formats.source import Level, LumpId, PhysModel, check_records, new_level, write
from formats.source.check import LONGEST_KEY, LONGEST_VALUE, MOST_BYTES, MOST_RECORDS, most_entities, most_records
from formats.source.entities.text import Entity
from formats.source.sections.counted import table_bytes
from formats.source.sections.visibility import Visibility
from formats.source.tables import props, references, tree
from formats.source.tables.displacements import NO_NEIGHBOR
from formats.source.tables.overlays import OVERLAY_V3
from formats.source.tables.references import LeafChild, Number, OverlayFaces, Run

Bring = Callable[[Level, int], None]

MANY, CORNERS = 4, 4
POWER, SIDE = 2, 5
SIZES = {
    LumpId.SURFEDGES: MANY * CORNERS,
    LumpId.VERTNORMALINDICES: MANY * CORNERS,
    LumpId.DISP_VERTS: MANY * SIDE**2,
    LumpId.DISP_TRIS: MANY * 2 * 4**POWER,
}
COMPILED = tuple(lump for lump in LumpId if lump.name.startswith("LEAF_AMBIENT"))
"""Lumps that mean something else in maps of other versions."""


@cache
def clean() -> bytes:
    """Four of everything, with nothing in it: all numbers name the first record."""
    level = new_level()
    for lump in level.lumps:
        dtype = level.layout(lump).dtype
        if dtype is not None:
            records = np.zeros(SIZES.get(LumpId(lump), MANY), dtype)
            if lump in references.ALL_FACES:
                records["numedges"], records["dispinfo"], records["styles"] = CORNERS, np.arange(MANY), 255
                records["lightofs"] = -1
            elif lump == LumpId.DISPINFO:
                records["power"], records["map_face"] = POWER, np.arange(MANY)
                records["edge_neighbors"]["neighbor"] = NO_NEIGHBOR
            level.set_table(lump, records)
    level.set_bytes(LumpId.TEXDATA_STRING_DATA, b"wall\0")
    level.set_bytes(LumpId.LIGHTING, bytes(64))
    level.set_bytes(LumpId.LIGHTING_HDR, bytes(64))
    level.set_bytes(LumpId.PHYSDISP, struct.pack("<5H", MANY, *[2] * MANY) + bytes(2 * MANY))
    level.visibility = Visibility(np.ones((MANY, 1), np.uint8), np.ones((MANY, 1), np.uint8))
    occlusion = (tree.OCCLUDER_V2, tree.OCCLUDER_POLY, tree.OCCLUDER_VERTEX)
    level.set_bytes(LumpId.OCCLUSION, b"".join(table_bytes(np.zeros(MANY, dtype), "<") for dtype in occlusion))
    placed = (props.NAME, props.PROP_LEAF, props.PROP_V6)
    level.game_lumps.set_bytes("sprp", b"".join(table_bytes(np.zeros(MANY, dtype), "<") for dtype in placed), 6)
    grass = (props.NAME, props.DETAIL_SPRITE, props.DETAIL_V4)
    level.game_lumps.set_bytes("dprp", b"".join(table_bytes(np.zeros(MANY, dtype), "<") for dtype in grass), 4)
    level.game_lumps.set_bytes("dplt", table_bytes(np.zeros(MANY, props.DETAIL_LIGHTSTYLE), "<"), 0)
    for number in range(1, MANY):
        level.entities.append(Entity([("classname", "func_door"), ("model", f"*{number}")]))
    for number in range(MANY):
        level.pak.put(f"{number}.txt", b"text")
    return write(level)


# ------------------------------------------------------------------------------------------------- what brings problems


def put(lump: LumpId, field: str, value: Any) -> Bring:
    """What gives a field of the record at a place another value; a path "edge_neighbors.neighbor" for one within."""

    def bring(level: Level, place: int) -> None:
        records = level.table(lump).copy()
        into: Any = records
        *outer, last = field.split(".")
        for name in outer:
            into = into[name]
        into[last][place] = value
        level.set_table(lump, records)

    return bring


def put_in(part: str, table: str, field: str, value: Any) -> Bring:
    """The same for the tables of static props, detail props and occluders."""

    def bring(level: Level, place: int) -> None:
        owner = getattr(level, part)
        records = getattr(owner, table).copy()
        records[field][place] = value
        setattr(owner, table, records)

    return bring


def largest(level: Level, lump: LumpId, field: str) -> int:
    """The largest number that a field holds."""
    return int(np.iinfo(level.table(lump).dtype[field].base).max)


def wrong_number(number: Number) -> Bring:
    """What makes a record name one that isn't there."""

    def bring(level: Level, place: int) -> None:
        needed(number.lump, number.field)(level)
        put(number.lump, number.field, largest(level, number.lump, number.field))(level, place)

    return bring


def wrong_run(run: Run) -> Bring:
    """What makes a record name some that aren't there."""

    def bring(level: Level, place: int) -> None:
        needed(run.lump, run.first)(level)
        count = max(int(level.table(run.lump)[run.count][place]), 1)
        put(run.lump, run.first, largest(level, run.lump, run.first) // 2)(level, place)
        put(run.lump, run.count, count)(level, place)

    return bring


def needed(lump: LumpId, field: str) -> Callable[[Level], None]:
    """What makes a map one of a version whose records of a lump have a field."""

    def other(level: Level) -> None:
        dtype = level.layout(lump).dtype
        if dtype is not None and field in (dtype.names or ()):
            return
        if "hull" in field or "vert_" in field:
            of_version(level, 21, (props.PROPCOLLISION, props.PROPHULL, props.PROPHULLVERT, props.PROPHULLTRIS))
        else:
            of_version(level, 19, (tree.PORTAL, tree.CLUSTER, tree.PORTALVERT, tree.CLUSTERPORTAL))

    return other


def of_version(level: Level, version: int, dtypes: tuple[Any, ...]) -> None:
    """Make it a map of another version, whose lumps 22 to 25 hold other records."""
    level.file.version = version
    for lump in COMPILED:
        level.set_bytes(lump, b"")
    for lump, dtype in zip(range(LumpId.PORTALS, LumpId.CLUSTERPORTALS + 1), dtypes, strict=False):
        level.set_bytes(lump, np.zeros(MANY, dtype).tobytes())
    forget(level)


def forget(level: Level) -> None:
    """Have a map ask again what its lumps hold."""
    level.set_bytes(LumpId.NODES, level.bytes_of(LumpId.NODES))


def more_records(lump: LumpId) -> Bring:
    """What gives a lump more records than compilers allow: the more, the later the place."""

    def bring(level: Level, place: int) -> None:
        records = level.table(lump)
        level.set_table(lump, np.concatenate([records, np.zeros(most_records(level, lump), records.dtype)]))

    return bring


def more_bytes(lump: LumpId) -> Bring:
    """What gives a lump more bytes than compilers allow."""
    return lambda level, place: level.set_bytes(lump, bytes(level.bytes_of(lump)) + bytes(MOST_BYTES[lump]))


def one_more(lump: LumpId) -> Bring:
    """What gives a lump one more record."""

    def bring(level: Level, place: int) -> None:
        records = level.table(lump)
        level.set_table(lump, np.concatenate([records, records[:1]]))

    return bring


def set_bytes(lump: LumpId, data: bytes) -> Bring:
    """What gives a lump other bytes."""
    return lambda level, place: level.set_bytes(lump, data)


ALIKE = (LumpId.PRIMVERTS, LumpId.VERTNORMALS, LumpId.CLIPPORTALVERTS)
"""Tables that nothing else is to say of if they can't be read."""
UNKNOWN = (LumpId.PHYSCOLLIDESURFACE, LumpId.XZIPPAKFILE, LumpId.PHYSLEVEL)


def not_whole(level: Level, place: int) -> None:
    """Give a lump a byte more than its records have."""
    level.set_bytes(ALIKE[place], bytes(level.bytes_of(ALIKE[place])) + b"\0")


def unknown_version(level: Level, place: int) -> None:
    """Give a lump a version that there is none of."""
    level.file.entries["version"][ALIKE[place]] = 77
    forget(level)


def cut(level: Level, place: int) -> None:
    """Have a lump lie behind the end of the file."""
    level.file.entries["offset"][ALIKE[place]] = level.file.size + 100 * place
    level.file.entries["length"][ALIKE[place]] = 12


def shared(level: Level, place: int) -> None:
    """Have a lump begin within the largest."""
    start = level.file.entries["offset"][LumpId.DISP_VERTS]
    level.file.entries["offset"][ALIKE[place]] = start + 200 * (place + 1)


def no_sense(level: Level, place: int) -> None:
    """Fill a lump that may have records of two sizes with what fits neither."""
    level.set_bytes(LumpId.WORLDLIGHTS, b"\x77" * 2200)


def overlay_lists(level: Level) -> None:
    """Have overlays whose faces are a list."""
    if level.version_of(LumpId.OVERLAYS) != 3:
        level.file.entries["version"][LumpId.OVERLAYS] = 3
        records = np.zeros(MANY, OVERLAY_V3)
        level.set_bytes(LumpId.OVERLAYS, struct.pack("<2i", MANY, MANY) + bytes(4 * MANY) + records.tobytes())


def wrong_list(level: Level, place: int) -> None:
    """Have such an overlay name more of the list than it has."""
    overlay_lists(level)
    data = bytearray(level.bytes_of(LumpId.OVERLAYS))
    records = np.frombuffer(data, OVERLAY_V3, MANY, 8 + 4 * MANY)
    records["face_offset"][place], records["face_count"][place] = 99, 1
    level.set_bytes(LumpId.OVERLAYS, bytes(data))


def wrong_face_in_list(level: Level, place: int) -> None:
    """Have the list name a face that isn't there."""
    overlay_lists(level)
    data = bytearray(level.bytes_of(LumpId.OVERLAYS))
    struct.pack_into("<i", data, 8 + 4 * place, 99)
    level.set_bytes(LumpId.OVERLAYS, bytes(data))


def wrong_brush_of_face(level: Level, place: int) -> None:
    """Have a face be made of a brush that isn't there, as CS:GO says it."""
    if level.version != 21:
        of_version(level, 21, ())
        level.set_bytes(LumpId.CLUSTERS, struct.pack("<2H", 1, 0) * MANY)
        forget(level)
    data = bytearray(level.bytes_of(LumpId.CLUSTERS))
    struct.pack_into("<H", data, 4 * place + 2, 99)
    level.set_bytes(LumpId.CLUSTERS, bytes(data))


def add_pair(key: str, value: str) -> Bring:
    """What gives an entity one more pair."""
    return lambda level, place: level.entities[place + 1].pairs.append((key, value))


def other_checksum(level: Level, place: int) -> None:
    """Give a file of the pak another checksum."""
    level.pak.files[place] = replace(level.pak.files[place], crc=1)


def unknown_method(level: Level, place: int) -> None:
    """Have a file of the pak be packed as nobody knows."""
    level.pak.files[place] = replace(level.pak.files[place], method=99)


def no_props(level: Level, place: int) -> None:
    """Give static props a version that there is none of."""
    level.game_lumps.set_bytes("sprp", bytes(level.game_lumps.bytes_of("sprp")), 99)


def lit(lump: LumpId) -> Bring:
    """What has a lightmap of a face begin behind the end of the light."""

    def bring(level: Level, place: int) -> None:
        put(lump, "styles", (0, 255, 255, 255))(level, place)
        put(lump, "lightofs", 5000)(level, place)

    return bring


def neighbour_at_corner(level: Level, place: int) -> None:
    """Give a displacement a neighbour that isn't there."""
    put(LumpId.DISPINFO, "corner_neighbors.count", 1)(level, place)
    put(LumpId.DISPINFO, "corner_neighbors.neighbors", 99)(level, place)


def on_wrong_face(lump: LumpId) -> Bring:
    """What has an overlay lie on a face that isn't there."""

    def bring(level: Level, place: int) -> None:
        put(lump, "face_count_and_render_order", 1)(level, place)
        put(lump, "faces", 99)(level, place)

    return bring


def client_entities(level: Level, place: int) -> None:
    """Have entities of the client that can't be read."""
    of_version(level, 22, ())
    for lump in (LumpId.DISPINFO, *COMPILED):
        level.set_bytes(lump, b"")
    level.set_bytes(LumpId.PORTALVERTS, b'{\n"""""')


# ------------------------------------------------------------------------------------------------------------ the table

NUMBERS: dict[str, Bring] = {
    f"{number.lump.name}.{number.field} names no {number.target.name}": wrong_number(number)
    for number in references.NUMBERS
    if not isinstance(number, LeafChild | OverlayFaces) and (number.lump, number.target) != (LumpId.NODES, LumpId.NODES)
}
RUNS: dict[str, Bring] = {
    f"{run.lump.name}.{run.first} names no {run.target.name}": wrong_run(run)
    for run in references.RUNS
    if run.count != "shadows_num_prims"  # of Strata's faces, where others have `num_prims`
}
FLOATS: dict[str, Bring] = {
    f"{lump.name}.{field} is NaN": put(lump, field, np.nan) for lump, field in check_records.FINITE
}
LIMITS: dict[str, Bring] = {
    **{f"too many {lump.name}": more_records(lump) for lump in MOST_RECORDS},
    **{f"too many bytes of {lump.name}": more_bytes(lump) for lump in MOST_BYTES},
}
UNREADABLE: dict[str, Bring] = {
    "entities that can't be read": set_bytes(LumpId.ENTITIES, b'{\n"""""'),
    "visibility that can't be read": set_bytes(LumpId.VISIBILITY, b"\x01"),
    "occlusion that can't be read": set_bytes(LumpId.OCCLUSION, b"\x01"),
    "a game lump that can't be read": set_bytes(LumpId.GAME_LUMP, b"\x01"),
    "collision that can't be read": set_bytes(LumpId.PHYSCOLLIDE, b"\x01"),
    "collision of displacements that can't be read": set_bytes(LumpId.PHYSDISP, b"\x01"),
    "a pak that can't be read": set_bytes(LumpId.PAKFILE, b"\x01"),
    "entities of the client that can't be read": client_entities,
    "static props of a version that isn't known": no_props,
    "texture names that aren't there": put(LumpId.TEXDATA_STRING_TABLE, "offset", 99),
    "records that make no sense": no_sense,
    "the first entity isn't the world": lambda level, place: level.entities[0].set("classname", "light"),
}
CASES: dict[str, Bring] = {
    **NUMBERS,
    **RUNS,
    **FLOATS,
    **LIMITS,
    **UNREADABLE,
    "lumps that share bytes": shared,
    "lumps behind the end": cut,
    "records that aren't whole": not_whole,
    "versions of lumps that aren't known": unknown_version,
    "lumps that aren't known": lambda level, place: level.set_bytes(UNKNOWN[place], b"what"),
    "children of nodes": put(LumpId.NODES, "children", -99),
    "areas of leafs": put(LumpId.LEAFS, "area_flags", 99),
    "clusters of leafs": put(LumpId.LEAFS, "cluster", 99),
    "clusters of lights": put(LumpId.WORLDLIGHTS, "cluster", 99),
    "clusters of HDR lights": put(LumpId.WORLDLIGHTS_HDR, "cluster", 99),
    "lightmaps": lit(LumpId.FACES),
    "HDR lightmaps": lit(LumpId.FACES_HDR),
    "primitives of faces": put(LumpId.FACES, "num_prims", 99),
    "primitives of HDR faces": put(LumpId.FACES_HDR, "num_prims", 99),
    "brushes of faces": wrong_brush_of_face,
    "vertices of displacements": put(LumpId.DISPINFO, "disp_vert_start", 999),
    "triangles of displacements": put(LumpId.DISPINFO, "disp_tri_start", 999),
    "neighbours at edges": put(LumpId.DISPINFO, "edge_neighbors.neighbor", 99),
    "neighbours at corners": neighbour_at_corner,
    "faces of other displacements": put(LumpId.FACES, "dispinfo", -1),
    "corners of displacements": put(LumpId.FACES, "numedges", 3),
    "hulls of displacements": lambda level, place: level.physdisp.append(b"hull"),
    "faces of overlays": on_wrong_face(LumpId.OVERLAYS),
    "faces of water overlays": on_wrong_face(LumpId.WATEROVERLAYS),
    "slots of overlays": put(LumpId.OVERLAYS, "face_count_and_render_order", 65),
    "slots of water overlays": put(LumpId.WATEROVERLAYS, "face_count_and_render_order", 257),
    "lists of overlays": wrong_list,
    "faces in lists of overlays": wrong_face_in_list,
    "models of static props": put_in("static_props", "props", "prop_type", 99),
    "leafs of static props": put_in("static_props", "props", "leaf_count", 99),
    "origins of static props": put_in("static_props", "props", "origin", np.nan),
    "lists of static props' leafs": put_in("static_props", "leafs", "leaf", 99),
    "models of detail props": put_in("detail_props", "details", "detail_model", 99),
    "leafs of detail props": put_in("detail_props", "details", "leaf", 99),
    "light of detail props": put_in("detail_props", "details", "light_style_count", 99),
    "polys of occluders": put_in("occlusion", "occluders", "polycount", 99),
    "vertices of occluders' polys": put_in("occlusion", "polys", "vertexcount", 99),
    "planes of occluders' polys": put_in("occlusion", "polys", "planenum", 99),
    "occluders' vertices": put_in("occlusion", "vertices", "vertex", 99),
    "collision of models": lambda level, place: level.physcollide.models.append(PhysModel(90 + place, [], b"\0")),
    "one record a face, FACEIDS": one_more(LumpId.FACEIDS),
    "one record a face, FACE_MACRO_TEXTURE_INFO": one_more(LumpId.FACE_MACRO_TEXTURE_INFO),
    "one record a face, FACES_HDR": one_more(LumpId.FACES),
    "one record an overlay": one_more(LumpId.OVERLAY_FADES),
    "one record a leaf": one_more(LumpId.LEAF_AMBIENT_INDEX),
    "one HDR record a leaf": one_more(LumpId.LEAF_AMBIENT_INDEX_HDR),
    "one normal a corner": one_more(LumpId.VERTNORMALINDICES),
    "models of entities": lambda level, place: level.entities[place + 1].set("model", "*99"),
    "models of no entity": lambda level, place: level.entities[place + 1].set("model", "*0"),
    "long keys": add_pair("k" * (LONGEST_KEY + 1), ""),
    "long values": add_pair("key", "v" * (LONGEST_VALUE + 1)),
    "too many entities": lambda level, place: level.entities.extend(
        [Entity([("classname", "light")])] * most_entities(level)
    ),
    "checksums of files": other_checksum,
    "methods of files": unknown_method,
}

SINGLE = frozenset(UNREADABLE)
