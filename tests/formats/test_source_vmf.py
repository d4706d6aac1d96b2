# SPDX-License-Identifier: GPL-3.0-or-later
"""VMF from maps: plane points that give the plane back, axes, materials, entities, displacements; what is put in."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.source import LumpId
from formats.source.content import keyvalues
from formats.source.entities.text import Entity
from formats.source.records import Contents, DispInfoFlag, SurfaceFlag
from formats.source.tables import displacements as disp
from formats.source.tables import geometry, tree
from formats.source.vmf import materials as vmf_materials
from formats.source.vmf import of_level, plane_points, texture_axes, tools, write
from formats.source.vmf.side_contents import learned
from formats.source.vmf.text import numbers
from tests import examples
from tests.formats.source_room import NORTH_LEFT, room, rows
from tests.formats.source_vmf import compiled_planes, solids_of

INTS = st.integers(-4096, 4096)


def text_of(level):
    return keyvalues.parse(write(of_level(level)).data)


def entities_of(whole, classname):
    return [entity for kind, entity in whole.blocks() if kind == "entity" and entity.get("classname") == classname]


# -------------------------------------------------------------------------------------------------------------- planes


@examples.at_most(60)
@given(st.lists(st.tuples(*[st.tuples(INTS, INTS, INTS)] * 3), min_size=1, max_size=20))
def test_planes_through_whole_points_come_back_to_the_bit(triples):
    """As vbsp has it: the plane of an editor's points, as float32, goes into the map; our points give it again."""
    three = np.array(triples, np.float64)
    across = np.cross(three[:, 0] - three[:, 1], three[:, 2] - three[:, 1])
    three = three[np.abs(across).max(axis=1) >= 1024]  # no slivers: an editor has none
    normals, dists = compiled_planes(three)
    fourth = three[:, 0] + three[:, 2] - three[:, 1]
    corners = np.stack([three[:, 0], three[:, 1], three[:, 2], fourth], axis=1).reshape(-1, 3)
    blurred = corners + np.tile([[0.004, -0.003, 0.002]], (len(corners), 1))
    made = plane_points.points(
        normals.astype(np.float64), dists.astype(np.float64), blurred, np.arange(len(three) + 1) * 4
    )
    again, where = compiled_planes(made)
    spans = np.abs(three - three.mean(axis=1, keepdims=True)).max(axis=(1, 2))
    assert np.abs(again - normals).max(initial=0) <= 1e-6
    off = np.abs(np.einsum("nki,ni->nk", three, again.astype(np.float64)) - where.astype(np.float64)[:, None])
    assert (off.max(axis=1, initial=0) <= 2e-3 + 2e-7 * spans).all()


@examples.at_most(60)
@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 3, st.floats(-8000, 8000)), min_size=1, max_size=20))
def test_planes_that_miss_the_grid_are_near_enough(rows_):
    values = np.array(rows_)
    lengths = np.sqrt((values[:, :3] ** 2).sum(axis=1))
    values = values[lengths > 1e-3]
    normals = values[:, :3] / np.sqrt((values[:, :3] ** 2).sum(axis=1))[:, None]
    dists = values[:, 3]
    corners = np.zeros((0, 3))
    made = plane_points.points(normals, dists, corners, np.zeros(len(normals) + 1, np.int64))
    texts = numbers(made)
    again, where = compiled_planes(np.array(texts, np.float64).reshape(-1, 3, 3))
    assert np.abs(again - normals).max(initial=0) <= 1e-5
    assert np.abs(where - dists).max(initial=0) <= 2e-2  # vbsp takes planes that are nearer than 0.01 for one
    off = np.abs(np.einsum("nki,ni->nk", made, normals) - dists[:, None])
    assert (off <= 2e-7 * np.abs(made).max(axis=(1, 2))[:, None] + 1e-6).all()  # as float32 has them


def test_a_box_has_whole_points_in_its_corners():
    corners = np.array([(0, 0, 8), (16, 0, 8), (16, 32, 8), (0, 32, 8)], float)
    made = plane_points.points(np.array([(0, 0, 1.0)]), np.array([8.0]), corners, np.array([0, 4]))
    assert {tuple(point) for point in made[0].tolist()} <= {tuple(point) for point in corners.tolist()}
    normal, dist = plane_points.plane(made)
    assert (normal.tolist(), dist.tolist()) == ([[0, 0, 1]], [8])


def test_planes_that_are_no_numbers():
    normals, dists = np.array([(np.nan, 0, 1), (0, 0, 0)]), np.array([np.inf, 0])
    assert np.isfinite(plane_points.points(normals, dists, np.zeros((0, 3)), np.zeros(3, np.int64))).all()


# ------------------------------------------------------------------------------------------------------------ textures


def test_axes():
    vectors = np.array([[(4, 0, 0, 12.5), (0, -np.float32(1 / 0.3), 0, -3)]], float)
    directions, shifts, scales = texture_axes.axes(vectors)
    assert directions.tolist() == [[[1, 0, 0], [0, -1, 0]]]
    assert shifts.tolist() == [[12.5, -3]]
    assert numbers(scales) == ["0.25", "0.3"]


def test_vectors_that_lie_on_no_side():
    normals = np.array([(0, 0, 1.0), (0, 0, 1.0), (1.0, 0, 0), (0, 1.0, 0)])
    flat, upright = [(4, 0, 0, 0), (0, -4, 0, 0)], [(4, 0, 0, 0), (0, 0, -4, 0)]
    vectors = np.array([flat, upright, flat, [(0, 0, 0, 0)] * 2], float)
    assert texture_axes.usable(vectors, normals).tolist() == [True, False, False, False]
    assert texture_axes.usable(texture_axes.standard(normals), normals).all()
    assert texture_axes.luxel_sizes(np.array([flat, [(0, 0, 0, 0)] * 2], float)).tolist() == [0.25, 16]


@pytest.mark.parametrize(
    ("name", "original"),
    [
        ("brick/wall", "brick/wall"),
        ("maps/de_x/brick/wall_-10_20_30", "brick/wall"),
        ("maps/de_x/nature/water_depth_64", "nature/water"),
        ("maps/de_x/nature/blend_wvt_patch", "nature/blend"),
        ("maps/de_x/nature/blend_wvt_patch_1_2_3", "nature/blend"),
        ("maps/de_x/poster", "maps/de_x/poster"),  # an author's own
        ("maps/de_x/patched", "concrete/floor01"),
        ("maps/de_x/twice", "concrete/floor01"),
        ("maps/de_x/broken_1_2_3", "broken"),
        ("maps/de_x/Glass/Whole", "Glass/Whole"),  # lit by the map's default cubemap: an old compiler's copy
        ("maps/de_x/GLASS/SECOND", "GLASS/SECOND"),  # lit by one of the map's, written with backslashes
        ("maps/de_x/signs/own", "maps/de_x/signs/own"),
        ("maps/de_x/signs/other", "maps/de_x/signs/other"),  # lit by another map's
        ("maps/room/dev/WALL", "dev/WALL"),  # there is one of the same with an ending
    ],
)
def test_copies_of_materials(name, original):
    level = room()
    whole = {
        "glass/whole": "maps/de_x/cubemapdefault",
        "glass/second": "MAPS\\DE_X\\c-1_20_300",
        "signs/own": "env_cubemap",
        "signs/other": "maps/de_y/c1_2_3",
    }
    for path, cubemap in whole.items():
        text = f'"LightmappedGeneric" {{ "$basetexture" "x" "$envmap" "{cubemap}" }}'
        level.pak.put(f"materials/maps/de_x/{path}.vmt", text.encode())
    level.pak.put("materials/maps/de_x/patched.vmt", b'patch { include "materials/concrete/floor01.vmt" replace { } }')
    level.pak.put("materials/maps/de_x/twice.vmt", b'patch { include "materials/maps/de_x/patched.vmt" }')
    level.pak.put("materials/maps/de_x/broken_1_2_3.vmt", b"}{")
    assert vmf_materials.originals(level, [name]) == [original]


@pytest.mark.parametrize(
    ("contents", "names", "flags", "expected"),
    [
        (0x8010000, ["tools/toolsnodraw"] * 2, [0x80, 0x80], ["tools/toolsplayerclip"] * 2),
        (0x8030000, ["", ""], [0, 0], ["tools/toolsclip"] * 2),
        (0x8030000, ["tools/toolsclip_wood", "brick"], [0, 0], ["tools/toolsclip_wood", "brick"]),
        (0x8020000, ["tools/toolsclip"] * 2, [0, 0], ["tools/toolsnpcclip"] * 2),
        (0x30000008, ["TOOLS/TOOLSNODRAW"] * 2, [0, 0], ["tools/toolsinvisibleladder"] * 2),
        (0x10000008, ["tools/toolsnodraw"] * 2, [0, 0], ["tools/toolsinvisible"] * 2),
        (0x10000002, ["tools/toolsnodraw"] * 2, [0, 0], ["tools/toolsblockbullets"] * 2),
        (0x1, ["tools/toolsinvisibleladder", "brick"], [0, 0], ["tools/toolsnodraw", "brick"]),
        (0x1, ["", "brick"], [0x4, 0], ["tools/toolsskybox", "brick"]),
        (0x1, ["tools/toolsnodraw", "tools/toolsskybox"], [0x80, 4], ["tools/toolsnodraw", "tools/toolsskybox"]),
        (0x8000080, ["tools/toolsnodraw"] * 2, [0, 0], ["tools/toolsblocklight"] * 2),
        (0, ["tools/toolshint", ""], [0x100, 0x200], ["tools/toolshint", "tools/toolsskip"]),
    ],
)
def test_tools_that_the_compiler_took_away(contents, names, flags, expected):
    assert (
        tools.restored(np.array([contents]), np.zeros(2, np.int64), names, [False] * 2, flags, learned([]))[0]
        == expected
    )


def test_what_has_a_face_keeps_its_material():
    brush = np.array([int(Contents.PLAYERCLIP)])
    names = ["brick", "tools/toolsinvisibleladder"]
    assert tools.restored(brush, np.zeros(2, np.int64), names, [True, True], [0, 0], learned([])) == (names, 0)


# --------------------------------------------------------------------------------------------------------------- a map


def test_the_room():
    level = room()
    made = write(of_level(level))
    whole = keyvalues.parse(made.data)
    assert [key for key, _ in whole.entries][:3] == ["versioninfo", "visgroups", "world"]
    assert whole.block("versioninfo").get("mapversion") == whole.block("world").get("mapversion") == "3"
    assert whole.block("world").get("skyname") == "sky"
    assert made.counts["solids"] == 4
    assert made.counts["displacements"] == 2
    solids = solids_of(whole)
    assert len(solids) == 4
    west = next(solid for solid in solids if {"dev/wall"} & set(solid.materials))
    assert sorted(west.dists.tolist()) == [-256, 0, 128, 128, 128, 272]
    ids = [int(side) for solid in solids for side in solid.ids]
    assert len(set(ids)) == len(ids)


def test_entities_and_their_connections():
    level = room()
    level.entities[1].set("hammerid", "77")
    level.entities[1].set("_light", '255 "odd" 1 200')
    made = write(of_level(level))
    light = entities_of(keyvalues.parse(made.data), "light")[0]
    assert light.get("id") == "77"
    assert light.get("hammerid") is None
    assert light.get("_light") == "255 'odd' 1 200"
    assert light.block("connections").get("OnUser1") == "a,Kill,,0,-1"
    assert light.get("OnUser1") is None
    assert any("apostrophes" in line for line in made.lost)
    assert entities_of(keyvalues.parse(made.data), "info_target")[0].get("targetname") == "a"


def test_props_overlays_and_cubemaps():
    level = room()
    whole = text_of(level)
    props = entities_of(whole, "prop_static")
    assert [prop.get("origin") for prop in props] == ["-200 0 8"] * 3
    assert (props[0].get("model"), props[0].get("solid"), props[0].get("fademindist")) == ("models/a.mdl", "6", "-1")
    overlay = entities_of(whole, "info_overlay")[0]
    assert overlay.get("material") == "dev/floor"
    assert overlay.get("uv0") == "-16 -16 0"
    assert (overlay.get("BasisU"), overlay.get("BasisNormal")) == ("1 0 0", "0 -1 0")
    assert (overlay.get("origin"), overlay.get("fademindist")) == ("-100 128 64", "-1")
    assert [cubemap.get("origin") for cubemap in entities_of(whole, "env_cubemap")] == ["10 20 30", "50 60 70"]
    assert entities_of(whole, "env_cubemap")[1].get("cubemapsize") == "6"


def test_lights_of_props_and_what_has_no_shadows():
    level = room()
    props = level.static_props.props.copy()
    props["flags"] = 2
    level.static_props.props = props
    faces = level.table(LumpId.FACES).copy()
    faces["num_prims"][6] |= 0x8000
    level.set_table(LumpId.FACES, faces)
    whole = text_of(level)
    assert [light.get("origin") for light in entities_of(whole, "info_lighting")] == ["-200 0 20"]
    assert {prop.get("lightingorigin") for prop in entities_of(whole, "prop_static")} == {"prop_light_1"}
    assert entities_of(whole, "info_no_dynamic_shadow") == []  # the face is on no side of a brush


def test_a_face_lies_on_its_side():
    """The west wall's face gives its side the id, and an overlay on it names that side."""
    level = room()
    level.set_table(LumpId.FACEIDS, rows(geometry.FACEID, hammer_face_id=np.arange(10) + 500))
    overlays = level.table(LumpId.OVERLAYS).copy()
    overlays["faces"][0, 0] = 4  # west
    level.set_table(LumpId.OVERLAYS, overlays)
    planes = level.table(LumpId.BRUSHSIDES).copy()
    planes["planenum"][6] = level.table(LumpId.FACES)["planenum"][4]
    level.set_table(LumpId.BRUSHSIDES, planes)
    made = of_level(level)
    assert made.faces[4] == 504
    assert 504 in made.solids.ids
    assert made.faces[NORTH_LEFT] == 0
    assert entities_of(keyvalues.parse(write(made).data), "info_overlay")[0].get("sides") == "504"


def test_displacements_are_above_their_solids():
    level = room()
    verts = level.table(LumpId.DISP_VERTS).copy()
    verts["vec"][7], verts["dist"][7] = (0, 0, 1), 12.5
    level.set_table(LumpId.DISP_VERTS, verts)
    whole = text_of(level)
    found = [side for solid in solids_of(whole) for side in solid.sides if side.block("dispinfo")]
    assert len(found) == 2
    info = found[0].block("dispinfo")
    assert (info.get("power"), info.get("startposition"), info.get("flags")) == ("2", "[-256 -128 0]", "0")
    assert info.block("distances").get("row1") == "0 0 12.5 0 0"
    assert info.block("normals").get("row1").split()[6:9] == ["0", "0", "1"]
    assert info.block("alphas").get("row4") == "10 10 10 10 10"
    assert info.block("triangle_tags").get("row0") == "1 1 1 1 1 1 1 1"
    assert info.block("allowed_verts").get("10") == " ".join(["-1"] * 10)
    assert {name for solid in solids_of(whole) if solid.displaced for name in solid.materials} == {
        "dev/floor",
        tools.NODRAW,
    }


def test_brush_entities_are_where_their_origin_is():
    level = room()
    level.set_table(LumpId.LEAFBRUSHES, rows(tree.LEAFBRUSH, brush=[0, 1]))
    leafs = np.concatenate([level.table(LumpId.LEAFS), level.table(LumpId.LEAFS)[:1]])
    leafs["numleafbrushes"] = [1, 0, 0, 1]
    leafs["firstleafbrush"] = [0, 0, 0, 1]
    level.set_table(LumpId.LEAFS, leafs)
    models = np.concatenate([level.table(LumpId.MODELS)] * 2)
    models["headnode"][1] = -4
    models["numfaces"][1] = 0
    level.set_table(LumpId.MODELS, models)
    door = Entity([("classname", "func_door"), ("model", "*1"), ("origin", "1000 0 0"), ("hammerid", "9")])
    level.entities.append(door)
    before = {tuple(sorted(solid.dists.tolist())) for solid in solids_of(text_of(room()))}
    solids = [solid for solid in solids_of(text_of(level)) if solid.classname == "func_door"]
    assert len(solids) == 1
    assert solids[0].entity.get("model") is None
    moved = solids[0].dists - solids[0].normals @ [1000, 0, 0]
    assert tuple(sorted(moved.tolist())) in before
    shifts = {axis[3] for axis in solids[0].axes.reshape(-1, 4).tolist()}
    assert {1 - 500, 2.0} <= shifts  # the wall's texture moves along


def test_detail_areaportals_and_occluders():
    level = room()
    brushes = level.table(LumpId.BRUSHES).copy()
    brushes["contents"] = [int(Contents.SOLID | Contents.DETAIL), int(Contents.AREAPORTAL)]
    level.set_table(LumpId.BRUSHES, brushes)
    sides = level.table(LumpId.BRUSHSIDES).copy()
    sides["texinfo"][6:] = -1
    level.set_table(LumpId.BRUSHSIDES, sides)
    corners = [(-264, -8, 0), (-264, 8, 0), (-264, 8, 16), (-264, -8, 16)]
    level.set_table(LumpId.CLIPPORTALVERTS, rows(tree.CLIPPORTALVERT, point=[*corners, *np.add(corners, (500, 0, 0))]))
    portals = [(0, 0, 0, 0, 0), (7, 1, 0, 4, 0), (7, 0, 0, 4, 0), (8, 0, 4, 4, 0)]
    level.set_table(LumpId.AREAPORTALS, rows(tree.AREAPORTAL, *portals))
    for number in "789":
        level.entities.append(Entity([("classname", "func_areaportal"), ("portalnumber", number)]))
    found = solids_of(text_of(level))
    assert [solid.classname for solid in found if "tools/toolsareaportal" in solid.materials] == ["func_areaportal"] * 2
    assert [len(solid.sides) for solid in found if solid.classname == "func_areaportal"] == [6, 6]
    assert [solid.classname for solid in found].count("func_detail") == 1


def test_solids_are_taken_out_and_put_in():
    made = of_level(room())
    first = made.solids.taken(np.array([0]))
    moved = replace(first, dists=first.dists + first.normals @ [0, 0, 8.0], corners=first.corners + np.array([0, 0, 8]))
    edited = made.edited(np.array([0]), [moved, moved])
    assert len(edited.solids) == len(made.solids) + 1
    assert len(set(edited.solids.ids.tolist())) == len(edited.solids.ids)
    assert set(first.ids.tolist()) <= set(edited.solids.ids.tolist())
    whole = keyvalues.parse(write(edited).data)
    kept = {tuple(sorted(solid.dists.tolist())) for solid in solids_of(whole)}
    assert tuple(sorted(moved.dists.tolist())) in kept
    assert tuple(sorted(first.dists.tolist())) not in kept


def test_flags_that_stand_for_a_tool():
    assert tools.of_flags(int(SurfaceFlag.SKY2D | SurfaceFlag.SKY)) == "tools/toolsskybox2d"
    assert tools.of_flags(0) == ""


def test_numbers_are_short_and_exact():
    values = np.array([0.25, -0.0, 1e-7, 1234.5678, 16384.125, np.float32(1 / 3)])
    texts = numbers(values)
    assert texts[:2] == ["0.25", "0"]
    assert (np.array(texts, np.float64).astype(np.float32) == values.astype(np.float32)).all()


# ---------------------------------------------------------------------------------------------------------- and others


def test_what_the_compiler_makes_again_is_left_out():
    level = room()
    brushes = level.table(LumpId.BRUSHES).copy()
    brushes["contents"][0] = int(Contents.LADDER | Contents.GRATE | Contents.TRANSLUCENT)
    level.set_table(LumpId.BRUSHES, brushes)
    box = {"mins": (-256, -128, -16), "maxs": (256, 128, 0)}
    keys = [
        (f"{end}.{axis}", f"{value:.2f}")
        for end, point in box.items()
        for axis, value in zip("xyz", point, strict=True)
    ]
    level.entities.append(Entity([*keys, ("classname", "info_ladder")]))
    level.entities.append(Entity([*keys[:-1], ("maxs.z", "900"), ("classname", "info_ladder")]))
    level.entities.append(Entity([("classname", "info_overlay_accessor"), ("OverlayID", "4"), ("targetname", "sign")]))
    whole = text_of(level)
    assert [ladder.get("maxs.z") for ladder in entities_of(whole, "info_ladder")] == ["900"]
    assert entities_of(whole, "info_overlay_accessor") == []
    assert entities_of(whole, "info_overlay")[0].get("targetname") == "sign"


def test_occluders_and_faces_without_shadows():
    level = room()
    level.set_table(LumpId.FACEIDS, rows(geometry.FACEID, hammer_face_id=np.arange(10) + 500))
    sides = level.table(LumpId.BRUSHSIDES).copy()
    faces = level.table(LumpId.FACES).copy()
    sides["planenum"][6] = faces["planenum"][4]
    faces["num_prims"][4] |= 0x8000
    level.set_table(LumpId.BRUSHSIDES, sides)
    level.set_table(LumpId.FACES, faces)
    lists = [np.array([1, 0, 0, 1], "<i4"), np.zeros(6, "<f4"), np.array([0, 1, 0, 4, 0, 4, 0, 1, 3, 2], "<i4")]
    level.set_bytes(LumpId.OCCLUSION, b"".join(part.tobytes() for part in lists))
    level.entities.append(Entity([("classname", "func_occluder"), ("occludernumber", "0")]))
    whole = text_of(level)
    assert [e.get("sides") for e in entities_of(whole, "info_no_dynamic_shadow")] == ["504"]
    occluders = [solid for solid in solids_of(whole) if solid.classname == "func_occluder"]
    assert len(occluders) == 1
    assert occluders[0].materials.count("tools/toolsoccluder") == 1


def test_entities_that_share_a_model_have_solids_each():
    level = room()
    leafs = np.concatenate([level.table(LumpId.LEAFS), level.table(LumpId.LEAFS)[:1]])
    leafs["numleafbrushes"], leafs["firstleafbrush"] = [1, 0, 0, 1], [0, 0, 0, 1]
    level.set_table(LumpId.LEAFS, leafs)
    models = np.concatenate([level.table(LumpId.MODELS)] * 2)
    models["headnode"][1], models["numfaces"][1] = -4, 0
    level.set_table(LumpId.MODELS, models)
    assert write(of_level(level)).counts["solids"] == 3  # of a model that no entity has
    for x in (0, 300):
        level.entities.append(Entity([("classname", "func_door"), ("model", "*1"), ("origin", f"{x} 0 0")]))
    doors = [solid for solid in solids_of(text_of(level)) if solid.classname == "func_door"]
    assert len(doors) == 2
    assert np.allclose(doors[1].dists - doors[0].dists, doors[0].normals @ [300, 0, 0])


def test_four_blended_textures():
    level = room()
    blends = np.zeros(len(level.table(LumpId.DISP_VERTS)), disp.DISPMULTIBLEND)
    blends["multiblend"][6] = (0.25, 0.5, 0, 1)
    blends["colors"][6, 2] = (1, 0, 0.5)
    level.file.entries["version"][LumpId.DISP_MULTIBLEND] = 0
    level.set_bytes(LumpId.DISP_MULTIBLEND, blends.tobytes())
    info = next(
        side.block("dispinfo") for solid in solids_of(text_of(level)) for side in solid.sides if solid.displaced
    )
    assert info.block("multiblend").get("row1").split()[4:8] == ["0.25", "0.5", "0", "1"]
    assert info.block("multiblend_color_2").get("row1").split()[3:6] == ["1", "0", "0.5"]
    assert len(info.block("alphablend").get("row4").split()) == 20


def test_four_blended_textures_of_one_displacement():
    level = room()
    infos = level.table(LumpId.DISPINFO).copy()
    infos["min_tess"][1] = DispInfoFlag.IS_FLAGS | DispInfoFlag.HAS_MULTIBLEND
    level.set_table(LumpId.DISPINFO, infos)
    blends = np.zeros(25, disp.DISPMULTIBLEND)
    blends["multiblend"][6] = (0.25, 0.5, 0, 1)
    level.set_bytes(LumpId.DISP_MULTIBLEND, blends.tobytes())
    displaced = [side for solid in solids_of(text_of(level)) for side in solid.sides if side.block("dispinfo")]
    first, second = (side.block("dispinfo") for side in displaced)
    assert first.block("multiblend") is None
    assert second.block("multiblend").get("row1").split()[4:8] == ["0.25", "0.5", "0", "1"]


def test_displacements_without_planes_are_refused():
    level = room()
    for lump in (LumpId.PLANES, LumpId.BRUSHES, LumpId.BRUSHSIDES, LumpId.LEAFBRUSHES):
        level.set_bytes(lump, b"")
    leafs = level.table(LumpId.LEAFS).copy()
    leafs["numleafbrushes"] = 0
    level.set_table(LumpId.LEAFS, leafs)
    with pytest.raises(FormatError, match="no planes"):
        of_level(level)
