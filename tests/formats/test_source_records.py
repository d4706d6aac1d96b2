# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of records, against bytes that struct packed; and which of them is chosen for a lump."""

import struct

import numpy as np
import pytest

from formats.source.lumps import LumpId
from formats.source.tables import displacements, geometry, layouts, lights, overlays, props, tree
from tests.formats import source_record_bytes as build

MODULES = (
    displacements,
    geometry,
    lights,
    overlays,
    props,
    tree,
)
TABLES = {
    name: value
    for module in MODULES
    for name, value in vars(module).items()
    if isinstance(value, np.dtype) and not name.startswith("_") and value.names
}


def table(name):
    return TABLES[name]


def numbers(value):
    """All numbers of a field, records within it taken apart; pads are left out."""
    if value.dtype.names:
        return (
            [number for name in value.dtype.names if name != "pad" for number in numbers(value[name])]
            if not value.ndim
            else [number for each in value for number in numbers(each)]
        )
    return value.reshape(-1).tolist()


@pytest.mark.parametrize("name", build.RECORDS)
@pytest.mark.parametrize("byte_order", "<>")
def test_fields_hold_what_was_packed(name, byte_order):
    spec = build.RECORDS[name]
    made = [build.sample(spec, first) for first in (0, 40)]
    data = b"".join(build.pack(spec, each, byte_order) for each in made)
    rows = np.frombuffer(data, table(name).newbyteorder(byte_order))
    assert len(rows) == 2
    for row, values in zip(rows, made, strict=True):
        assert {field: numbers(row[field]) for field in values} == values
    assert rows.tobytes() == data


def test_every_table_is_tested():
    inner = {"DISP_SUB_NEIGHBOR", "DISP_SUB_NEIGHBOR_32", "DISP_CORNER_NEIGHBORS", "DISP_CORNER_NEIGHBORS_32", "NAME"}
    shared = {"RGBE", "VECTOR", "RGBA"}
    assert set(TABLES) - inner - shared == set(build.RECORDS)


def test_places_within_a_displacement():
    offsets = {name: place[1] for name, place in displacements.DISPINFO.fields.items()}
    known = {"power": 20, "min_tess": 24, "map_face": 36, "pad": 38, "lightmap_alpha_start": 40}
    known |= {"edge_neighbors": 48, "corner_neighbors": 96, "allowed_verts": 136}
    assert offsets | known == offsets


# ------------------------------------------------------------------------------------------------------------- choose


GIVEN = {  # what makes sense of records, where several could fill a lump
    "FACE": {"side": 1, "on_node": 0},
    "FACE_17": {"side": 1, "on_node": 0},
    "FACE_18": {"side": 0, "on_node": 1},
    "FACE_17_DAY_NIGHT": {"side": 1, "on_node": 0},
}
CASES = [
    (LumpId.PLANES, 0, 20, "PLANE", {}),
    (LumpId.FACES, 0, 17, "FACE_17_DAY_NIGHT", {}),
    (LumpId.FACES, 0, 17, "FACE_17", {}),
    (LumpId.FACES, 0, 18, "FACE_18", {}),
    (LumpId.FACES, 1, 19, "FACE", {}),
    (LumpId.FACES_HDR, 1, 20, "FACE", {}),
    (LumpId.ORIGINALFACES, 1, 21, "FACE", {}),
    (LumpId.FACES, 1, 20, "FACE_32", {"wide": True}),
    (LumpId.FACES, 0, 18, "FACE", {}),
    (LumpId.FACES, 2, 20, "FACE_32_V2", {"wide": True}),
    (LumpId.FACES, 2, 20, "FACE_32_V2_STYLES_LAST", {"wide": True}),
    (LumpId.FACES, 2, 25, "FACE_STRATA", {}),
    (LumpId.NODES, 0, 20, "NODE", {}),
    (LumpId.NODES, 0, 20, "NODE_32", {"wide": True}),
    (LumpId.NODES, 1, 25, "NODE_FLOAT", {}),
    (LumpId.LEAFS, 0, 17, "LEAF", {}),
    (LumpId.LEAFS, 0, 19, "LEAF_AMBIENT", {}),
    (LumpId.LEAFS, 1, 20, "LEAF", {}),
    (LumpId.LEAFS, 1, 20, "LEAF_32", {"wide": True}),
    (LumpId.LEAFS, 2, 25, "LEAF_FLOAT", {}),
    (LumpId.EDGES, 0, 20, "EDGE", {}),
    (LumpId.EDGES, 0, 20, "EDGE_32", {"wide": True}),
    (LumpId.EDGES, 1, 25, "EDGE_32", {}),
    (LumpId.LEAFFACES, 0, 20, "LEAFFACE_32", {"wide": True}),
    (LumpId.LEAFBRUSHES, 1, 25, "LEAFBRUSH_32", {}),
    (LumpId.BRUSHSIDES, 0, 20, "BRUSHSIDE", {}),
    (LumpId.BRUSHSIDES, 0, 21, "BRUSHSIDE", {}),
    (LumpId.BRUSHSIDES, 0, 20, "BRUSHSIDE_32", {"wide": True}),
    (LumpId.BRUSHSIDES, 1, 25, "BRUSHSIDE_STRATA", {}),
    (LumpId.AREAPORTALS, 0, 20, "AREAPORTAL", {}),
    (LumpId.AREAPORTALS, 0, 20, "AREAPORTAL_32", {"wide": True}),
    (LumpId.AREAPORTALS, 1, 25, "AREAPORTAL_32", {}),
    (LumpId.DISPINFO, 0, 17, "DISPINFO", {}),
    (LumpId.DISPINFO, 0, 17, "DISPINFO_17", {}),
    (LumpId.DISPINFO, 0, 20, "DISPINFO", {}),
    (LumpId.DISPINFO, 0, 22, "DISPINFO", {}),
    (LumpId.DISPINFO, 0, 22, "DISPINFO_22", {}),
    (LumpId.DISPINFO, 0, 23, "DISPINFO_23", {}),
    (LumpId.DISPINFO, 0, 20, "DISPINFO_32", {"wide": True}),
    (LumpId.DISPINFO, 1, 25, "DISPINFO_STRATA", {}),
    (LumpId.MODELS, 0, 20, "MODEL", {}),
    (LumpId.MODELS, 0, 4 << 16 | 20, "MODEL_52", {}),
    (LumpId.TEXINFO, 0, 4 << 16 | 20, "TEXINFO_96", {}),
    (LumpId.TEXINFO, 0, 4 << 16 | 20, "TEXINFO", {}),
    (LumpId.PORTALS, 0, 17, "PORTAL", {}),
    (LumpId.CLUSTERS, 0, 17, "CLUSTER", {}),
    (LumpId.PORTALS, 0, 21, "FACEBRUSH", {}),
    (LumpId.CLUSTERS, 0, 21, "FACEBRUSHLIST", {}),
    (LumpId.PORTALS, 1, 25, "FACEBRUSH_32", {}),
    (LumpId.CLUSTERS, 1, 25, "FACEBRUSHLIST_32", {}),
    (LumpId.OVERLAYS, 0, 20, "OVERLAY", {}),
    (LumpId.OVERLAYS, 0, 23, "OVERLAY_23", {}),
    (LumpId.OVERLAYS, 0, 20, "OVERLAY_32", {"wide": True}),
    (LumpId.OVERLAYS, 1, 25, "OVERLAY_32", {}),
    (LumpId.OVERLAYS, 2, 25, "OVERLAY_32_TINT", {}),
    (LumpId.WATEROVERLAYS, 0, 20, "WATEROVERLAY", {}),
    (LumpId.WATEROVERLAYS, 1, 25, "WATEROVERLAY_32", {}),
    (LumpId.WORLDLIGHTS, 0, 20, "WORLDLIGHT", {}),
    (LumpId.WORLDLIGHTS_HDR, 1, 21, "WORLDLIGHT_V1", {}),
    (LumpId.WORLDLIGHTS, 2, 25, "WORLDLIGHT_V2", {}),
    (LumpId.LEAF_AMBIENT_LIGHTING, 1, 20, "LEAF_AMBIENT_LIGHTING", {}),
    (LumpId.LEAF_AMBIENT_LIGHTING_HDR, 72, 20, "LEAF_AMBIENT_CUBE", {}),
    (LumpId.LEAF_AMBIENT_LIGHTING_HDR, 0, 20, "LEAF_AMBIENT_CUBE", {}),
    (LumpId.LEAF_AMBIENT_LIGHTING_HDR, 1, 20, "LEAF_AMBIENT_CUBE", {}),
    (LumpId.LEAF_AMBIENT_INDEX, 0, 20, "LEAF_AMBIENT_INDEX", {}),
    (LumpId.LEAF_AMBIENT_INDEX, 1, 25, "LEAF_AMBIENT_INDEX_32", {}),
    (LumpId.LEAF_AMBIENT_INDEX, 0, 19, "LIGHTMAP_PAGE_INFO", {}),
    (LumpId.LEAF_AMBIENT_INDEX_HDR, 0, 19, "LIGHTMAP_PAGE", {}),
    (LumpId.PRIMITIVES, 1, 25, "PRIMITIVE_32", {}),
    (LumpId.VERTNORMALINDICES, 1, 25, "VERTNORMALINDEX_32", {}),
    (LumpId.LEAFWATERDATA, 1, 25, "LEAFWATERDATA_32", {}),
    (LumpId.MAP_FLAGS, 0xDEADBEEF, 20, "MAP_FLAGS", {}),
    (LumpId.DISP_MULTIBLEND, 0, 21, "DISPMULTIBLEND", {}),
]


@pytest.mark.parametrize(("lump", "version", "bsp_version", "name", "options"), CASES)
@pytest.mark.parametrize("big_endian", [False, True])
def test_versions_and_sizes_tell_what_records_are(lump, version, bsp_version, name, options, big_endian):
    byte_order = ">" if big_endian else "<"
    data = build.records(name, 3, byte_order, **GIVEN.get(name, {}))
    layout = layouts.choose(lump, version, bsp_version, data, big_endian, **options)
    assert layout == layouts.Layout(table(name).newbyteorder(byte_order))


def test_an_empty_lump_has_the_usual_records():
    assert layouts.choose(LumpId.FACES, 1, 20, b"").dtype == table("FACE")


def test_faces_of_bloodlines_and_of_the_beta_that_fill_the_same_lump_are_told_apart():
    bloodlines = build.records("FACE_17_DAY_NIGHT", 17, side=1, on_node=0, numedges=4)
    beta = build.records("FACE_17", 26, side=0, on_node=1, numedges=3)
    assert len(bloodlines) == len(beta)
    assert layouts.choose(LumpId.FACES, 0, 17, bloodlines).dtype == table("FACE_17_DAY_NIGHT")
    assert layouts.choose(LumpId.FACES, 0, 17, beta).dtype == table("FACE_17")


def test_leafs_of_the_same_version_with_and_without_light_are_told_apart():
    given = {"cluster": 3, "leaf_water_data_id": -1, "mins": (-9, -8, -7), "maxs": (9, 8, 7)}
    lit = build.records("LEAF_AMBIENT", 4, **given)
    plain = build.records("LEAF", 7, **given)
    assert len(lit) == len(plain)
    assert layouts.choose(LumpId.LEAFS, 0, 19, lit).dtype == table("LEAF_AMBIENT")
    assert layouts.choose(LumpId.LEAFS, 0, 19, plain).dtype == table("LEAF")


def test_models_and_texinfos_of_a_minor_version_are_measured():
    shares = [{"firstface": 4 * number, "numfaces": 4} for number in range(13)]
    minor = 4 << 16 | 20
    for name, number in (("MODEL_52", 12), ("MODEL", 13)):
        data = b"".join(build.record(name, number, **share) for share in shares[:number])
        assert len(data) == 12 * 52
        assert layouts.choose(LumpId.MODELS, 0, minor, data).dtype == table(name)
    for name, number in (("TEXINFO_96", 3), ("TEXINFO", 4)):
        for scale in ([0.5] * 8, [4, 0, 0, 0, 0, -4, 0, 0]):  # of a floor: 0 may be any number
            data = build.records(name, number, texture_vecs=scale, lightmap_vecs=scale)
            assert layouts.choose(LumpId.TEXINFO, 0, minor, data).dtype == table(name)


def test_overlays_that_fill_the_same_lump_are_told_apart_by_their_normals():
    for name, number in (("OVERLAY", 89), ("OVERLAY_23", 88)):
        data = build.records(name, number, basis_normal=(0, 0, 1))
        assert layouts.choose(LumpId.OVERLAYS, 0, 23, data).dtype == table(name)


def test_face_ids_of_strata_are_long():
    assert layouts.choose(LumpId.FACEIDS, 0, 25, struct.pack("<4I", 9, 70, 3, 1)).dtype == table("FACEID_32")
    assert layouts.choose(LumpId.FACEIDS, 0, 25, struct.pack("<4H", 9, 70, 3, 1)).dtype == table("FACEID")
    assert layouts.choose(LumpId.FACEIDS, 0, 20, struct.pack("<4I", 9, 70, 3, 1)).dtype == table("FACEID")


def test_black_mesa_keeps_blends_where_others_keep_levels():
    blends = build.records("DISPMULTIBLEND", 2, multiblend=(0, 0.5, 1, 0))
    assert layouts.choose(LumpId.OVERLAY_SYSTEM_LEVELS, 0, 20, blends).dtype == table("DISPMULTIBLEND")
    levels = build.records(
        "OVERLAY_SYSTEM_LEVEL", 20, min_cpu_level=0, max_cpu_level=3, min_gpu_level=0, max_gpu_level=2
    )
    assert len(levels) == 80
    assert layouts.choose(LumpId.OVERLAY_SYSTEM_LEVELS, 0, 20, levels).dtype == table("OVERLAY_SYSTEM_LEVEL")


@pytest.mark.parametrize(
    ("lump", "version", "bsp_version", "size", "reason"),
    [
        (LumpId.FACES, 9, 20, 56, "what its version 9 holds in maps of version 20 is not known"),
        (LumpId.FACES, 1, 20, 57, "57 bytes are no whole number of records of 56 bytes"),
        (LumpId.DISPINFO, 0, 22, 100, "100 bytes are no whole number of records of 176 or 180 bytes"),
        (LumpId.PHYSLEVEL, 16, 21, 60, "what it holds is not known"),
        (LumpId.OVERLAYS, 3, 25, 60, "is two tables: overlay_lists"),
        (LumpId.VISIBILITY, 0, 20, 60, "is no table: visibility"),
        (100, 0, 42, 60, "what it holds is not known"),
        (LumpId.LEAF_AMBIENT_INDEX, 3, 20, 4, "what its version 3 holds in maps of version 20 is not known"),
        (LumpId.LEAF_AMBIENT_LIGHTING, 0, 19, 24, "what its version 0 holds in maps of version 19 is not known"),
    ],
)
def test_what_is_not_known_says_so(lump, version, bsp_version, size, reason):
    assert layouts.choose(lump, version, bsp_version, bytes(size)) == layouts.Layout(None, reason)


def test_prop_collision_of_left_4_dead_2_is_no_list_of_brushes():
    chosen = [layouts.choose(lump, 0, 21, bytes(48), prop_collision=True).dtype for lump in layouts.PROP_COLLISION]
    assert chosen == [table(name) for name in ("PROPCOLLISION", "PROPHULL", "PROPHULLVERT", "PROPHULLTRIS")]
    assert layouts.choose(LumpId.PORTALVERTS, 0, 21, bytes(48)).dtype is None


def test_entities_of_the_client_take_the_place_of_portals():
    text = b'{\n"classname" "light"\n}\n\0'
    assert layouts.choose(LumpId.PORTALVERTS, 0, 22, text) == layouts.Layout(None, layouts.TEXT)
    assert layouts.choose(LumpId.PORTALVERTS, 0, 17, text[:24]).dtype == table("PORTALVERT")


def test_a_few_records_that_make_no_sense_change_nothing():
    given = {"cluster": 3, "leaf_water_data_id": -1, "mins": (-9, -8, -7)}
    bounds = [(9, 8, 7)] * 7 + [(-99, 8, 7)]
    lit = b"".join(build.record("LEAF_AMBIENT", n, **given, maxs=maxs) for n, maxs in enumerate(bounds))
    assert len(lit) % table("LEAF").itemsize == 0
    assert layouts.choose(LumpId.LEAFS, 0, 19, lit).dtype == table("LEAF_AMBIENT")


def test_records_that_make_no_sense_are_not_guessed():
    data = b"\xff" * (17 * 104)
    reason = "records of 104 or 68 bytes would make no sense"
    assert layouts.choose(LumpId.FACES, 0, 17, data) == layouts.Layout(None, reason)


def nodes(name, number, byte_order="<"):
    """A chain of nodes: each has a leaf and the next node."""
    chain = [(-1 - each, each + 1 if each + 1 < number else -1 - number) for each in range(number)]
    bounds = {"mins": (-300, -200, -100), "maxs": (300, 200, 100)}
    return b"".join(build.record(name, each, byte_order, children=pair, **bounds) for each, pair in enumerate(chain))


def test_wide_indices_are_measured_by_the_nodes():
    wide, narrow = nodes("NODE_32", 6), nodes("NODE", 9)
    assert len(wide) == len(narrow)
    assert layouts.has_wide_indices(wide, 0, 20)
    assert not layouts.has_wide_indices(narrow, 0, 20)
    assert layouts.has_wide_indices(nodes("NODE_32", 5), 0, 20)
    assert not layouts.has_wide_indices(nodes("NODE_FLOAT", 5), 1, 25)
    assert not layouts.has_wide_indices(wide, 0, 21)
    assert not layouts.has_wide_indices(b"", 0, 20)
