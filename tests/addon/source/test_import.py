# SPDX-License-Identifier: GPL-3.0-or-later
"""A small map in Blender: what lives where, options, several levels, and maps with parts that can't be read."""

import struct
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import layout, panel
from levelwright.addon.source.lightmaps import build as lightmaps
from levelwright.formats import source
from levelwright.formats.binary import FormatError
from levelwright.formats.source import LumpId
from levelwright.formats.source.records import DispInfoFlag
from levelwright.formats.source.tables.displacements import DISPMULTIBLEND

from tests.addon.source.exports import ROOM
from tests.addon.source.rooms import NAME, imported, of_kind, room, seen_from_above, texture, token_of
from tests.formats import source_bytes as build
from tests.formats import source_room


def test_what_lives_where() -> None:
    level = imported(room())
    assert [child.name for child in level.children][:2] == [layout.WORLD, layout.BRUSH_ENTITIES]
    (root,) = of_kind(level, layout.ROOT)
    assert tuple(root.scale) == pytest.approx((layout.SCALE,) * 3)
    world = of_kind(level, layout.MODEL)[0]
    assert world.parent == root
    assert world.name in level.children[layout.WORLD].objects
    data = meshes.read(world)
    assert len(data.face_starts) == 5
    assert data.ids("FACE", token_of(level)).tolist() == [1, 2, 3, 4, 5]
    assert set(map(tuple, data.positions.tolist())) == {
        (x, y, z) for x in (-64, 64) for y in (-64, 64) for z in (-64, 64)
    }
    for name in (layout.TEXINFO, layout.ORIGINAL_FACE, layout.SMOOTHING_GROUPS, layout.FLAGS):
        assert data.attribute(name, "FACE").dtype == np.int32, name
    assert data.attribute(layout.SMOOTHING_GROUPS).tolist() == [1] * 5
    assert world.data.materials[0][layout.MATERIAL] == NAME


def test_polygons_run_the_other_way_round_from_the_same_corner() -> None:
    level = imported(room())
    data = meshes.read(of_kind(level, layout.MODEL)[0])
    file_corners = ((0, 2, 6, 4), (1, 5, 7, 3), (0, 4, 5, 1), (2, 3, 7, 6), (0, 1, 3, 2))
    shown = (data.attribute(layout.VERTEX_ID, "POINT")[data.corner_verts] - 1).reshape(-1, 4)
    assert [tuple(face) for face in shown.tolist()] == [(a, d, c, b) for a, b, c, d in file_corners]


def test_the_original_travels_and_levels_are_told_apart(tmp_path: Path) -> None:
    data = room()
    first, second = imported(data), imported(data)
    assert token_of(first) != token_of(second)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "two.blend"))
    assert len(originals.levels()) == 2
    for level in originals.levels():
        original = originals.find(level)
        assert original.data == data
        assert original.format == "source"
        assert source.write(source.read(original.data)) == data
        image = originals.resources(level, layout.LIGHTMAP)[lightmaps.record(source.LumpId.LIGHTING)]
        assert image.packed_file is not None
        assert not image.is_dirty


@pytest.mark.parametrize(("scale", "metres"), [("0.01905", 0.01905), ("0.0254", 0.0254), ("0.01", 0.01), ("1", 1.0)])
def test_scale_is_the_roots_alone(scale: str, metres: float) -> None:
    level = imported(room(), scale=scale)
    assert of_kind(level, layout.ROOT)[0].scale[0] == pytest.approx(metres)
    assert np.abs(meshes.read(of_kind(level, layout.MODEL)[0]).positions).max() == 64


@pytest.mark.parametrize(
    ("lump", "name"),
    [(build.ENTITIES, "ENTITIES"), (build.NODES, "NODES"), (build.TEXINFO, "TEXINFO"), (build.FACES, "FACES")],
)
def test_brushes_without_all_that_is_known_of_them(lump: int, name: str) -> None:
    """What can't be read leaves the shapes, without textures; the report names it."""
    report = Report()
    whole = {part.name: meshes.read(part) for part in brushes_of(report)}
    assert whole
    assert report.warnings == []
    parts = brushes_of(report, lump)
    (warning,) = [warning for warning in report.warnings if "brushes have no textures" in warning]
    assert name in warning
    assert {identity.unnumbered(part.name) for part in parts} == set(whole)
    assert report.counts["brushes"] == 2 * len(source.read(ROOM).table(LumpId.BRUSHES))
    for part in parts:
        now, before = meshes.read(part), whole[identity.unnumbered(part.name)]
        for attribute in (layout.SIDE, layout.BRUSH, layout.CONTENTS):
            np.testing.assert_array_equal(now.attribute(attribute, "FACE"), before.attribute(attribute, "FACE"))
        assert now.positions.shape == before.positions.shape


def brushes_of(report: Report, unreadable: int = -1) -> list[bpy.types.Object]:
    """The brushes of tests.formats.source_room, a lump of which may be unreadable."""
    level = source.read(ROOM)
    if unreadable >= 0:
        level.set_bytes(unreadable, b"{odd")
    return of_kind(imported(source.write(level), brushes=True, report=report), layout.BRUSHES)


@pytest.mark.parametrize(
    ("lump", "name"), [(build.PLANES, "PLANES"), (build.BRUSHES, "BRUSHES"), (build.BRUSHSIDES, "BRUSHSIDES")]
)
def test_brushes_without_a_shape_are_left_out(lump: int, name: str) -> None:
    report = Report()
    assert not brushes_of(report, lump)
    (warning,) = [warning for warning in report.warnings if warning.startswith("brushes are left out")]
    assert f"({name})" in warning


def test_faces_of_one_place_keep_vertices_of_their_own() -> None:
    lumps = build.room()
    surfedges = list(struct.unpack("<24i", lumps[build.SURFEDGES]))
    surfedges[4:8] = [-edge for edge in reversed(surfedges[:4])]  # the second face is the first one's back
    level = imported(room(lumps={build.SURFEDGES: struct.pack("<24i", *surfedges)}))
    world = of_kind(level, layout.MODEL)[0]
    data = meshes.read(world)
    assert data.ids("FACE", token_of(level)).tolist() == [1, 2, 3, 4, 5]
    shown = data.attribute(layout.VERTEX_ID, "POINT")[data.corner_verts].reshape(-1, 4)
    assert set(shown[0]) == set(shown[1])
    assert set(data.corner_verts[:4]).isdisjoint(data.corner_verts[4:8])
    assert not world.data.validate(), "nothing that Blender would repair"


@pytest.mark.parametrize(
    ("turned", "yaw"),
    [
        ('"classname" "func_brush"\n"angles" "0 90 0"', np.pi / 2),
        ('"classname" "func_brush"\n"angle" "90"', np.pi / 2),
        ('"classname" "func_door"\n"angles" "0 90 0"', 0),  # where it moves to
    ],
)
def test_brush_models_lie_where_their_entities_are(turned: str, yaw: float) -> None:
    text = f'{{\n"classname" "worldspawn"\n}}\n{{\n{turned}\n"model" "*1"\n"origin" "1 2 3.5"\n}}\n\0'
    level = imported(room(lumps={build.ENTITIES: text.encode()}))
    door = next(obj for obj in level.all_objects if obj.type == "MESH" and tuple(obj.location) == (1.0, 2.0, 3.5))
    assert door.rotation_euler.z == pytest.approx(yaw)
    assert meshes.read(door).ids("FACE", token_of(level)).tolist() == [6]


@pytest.mark.parametrize(
    ("name", "home"),
    [
        ("TOOLS/TOOLSTRIGGER", layout.TOOLS),
        ("tools/toolsskybox2d", layout.SKY),
        ("TOOLS\\TOOLSNODRAW", layout.NODRAW),
        ("tools/toolsblack", layout.WORLD),
        ("brick/tools", layout.WORLD),
    ],
)
def test_tool_textures_have_collections_that_are_hidden(name: str, home: str) -> None:
    level = imported(room(lumps={build.STRING_DATA: name.encode() + b"\0"}))
    world = next(obj for obj in of_kind(level, layout.MODEL) if identity.stamped(obj).record == 0)
    (collection,) = world.users_collection
    assert collection.name == home
    assert collection.hide_viewport == collection.hide_render == (home != layout.WORLD)


def test_water_has_its_collection() -> None:
    lumps = build.room()
    texinfo = lumps[build.TEXINFO][:64] + struct.pack("<I", 0x8) + lumps[build.TEXINFO][68:]
    level = imported(room(lumps={build.TEXINFO: texinfo}))
    (collection,) = of_kind(level, layout.MODEL)[0].users_collection
    assert collection.name == layout.WATER
    assert not collection.hide_viewport


def test_the_world_may_be_split_by_material() -> None:
    lumps = build.room()
    texdata = lumps[build.TEXDATA] + struct.pack("<3f5i", 0.1, 0.2, 0.3, 1, 32, 32, 32, 32)
    texinfo = lumps[build.TEXINFO] + lumps[build.TEXINFO][:68] + struct.pack("<i", 1)
    faces = bytearray(lumps[build.FACES])
    struct.pack_into("<h", faces, 56 * 2 + 10, 1)
    names = {build.STRING_DATA: b"one\0two\0", build.STRING_TABLE: struct.pack("<2i", 0, 4)}
    data = room(lumps={build.TEXDATA: texdata, build.TEXINFO: texinfo, build.FACES: bytes(faces), **names})
    whole = imported(data)
    world = of_kind(whole, layout.MODEL)[0]
    assert [material[layout.MATERIAL] for material in world.data.materials] == ["one", "two"]
    assert meshes.read(world).material_index.tolist() == [0, 0, 1, 0, 0]
    split = imported(data, split="material")
    parts = [obj for obj in of_kind(split, layout.MODEL) if identity.stamped(obj).record == 0]
    assert sorted(len(obj.data.polygons) for obj in parts) == [1, 4]


def test_without_lightmaps_there_is_no_second_uv_map() -> None:
    level = imported(room(), lightmaps="none")
    world = of_kind(level, layout.MODEL)[0]
    assert list(meshes.read(world).uvs) == [layout.UV]
    assert originals.resources(level, layout.LIGHTMAP) == {}


@pytest.mark.parametrize(
    ("lump", "data", "told"),
    [
        (build.SURFEDGES, b"\xff\xff\xff\x7f" * 24, "faces"),
        (build.STRING_TABLE, b"\xff\xff\xff\x7f", "colours of textures"),
        (build.ENTITIES, b"{ broken", "entities"),
        (build.PAKFILE, b"PK\3\4" + b"\xff" * 60, "own files"),
        (build.MODELS, struct.pack("<9f3i", *([0.0] * 9), 0, 0, 99), "models"),
    ],
)
def test_a_part_that_cannot_be_read_is_left_out_and_told(lump: int, data: bytes, told: str) -> None:
    report = Report()
    level = imported(room(lumps={lump: data}), report=report)
    assert any(told in warning for warning in report.warnings), report.warnings
    assert of_kind(level, layout.ROOT)
    assert originals.find(level) is not None


def test_bytes_that_are_no_map_are_refused() -> None:
    with pytest.raises(FormatError):
        imported(b"no map at all")


def test_the_scene_shows_colours_as_they_are() -> None:
    imported(room(grey=texture((1, 2, 3, 4))))
    assert bpy.context.scene.view_settings.view_transform == "Standard"


def test_a_scene_with_other_things_keeps_its_look() -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("cube", None))
    bpy.context.scene.view_settings.view_transform = "AgX"
    report = Report()
    imported(room(), report=report)
    assert bpy.context.scene.view_settings.view_transform == "AgX"
    assert any("AgX" in warning for warning in report.warnings)


def four_textures(flagged: int) -> bytes:
    """The room of two displacements, of which `flagged` blend four textures; all of the fourth."""
    level = source_room.room()
    infos = level.table(source.LumpId.DISPINFO).copy()
    infos["min_tess"][2 - flagged :] = DispInfoFlag.IS_FLAGS | DispInfoFlag.HAS_MULTIBLEND
    level.set_table(source.LumpId.DISPINFO, infos)
    blends = np.zeros(25 * flagged, DISPMULTIBLEND)
    blends["multiblend"] = (0, 0, 0, 1)
    level.set_table(source.LumpId.DISP_MULTIBLEND, blends)
    level.pak.put("materials/dev/floor.vmt", b"Lightmapped_4WayBlend { $basetexture a $basetexture4 b }")
    level.pak.put("materials/a.vtf", texture((0, 0, 0, 255)))
    level.pak.put("materials/b.vtf", texture((255, 255, 255, 255)))
    return source.write(level)


@pytest.mark.parametrize("flagged", [1, 2])
def test_displacements_may_blend_four_textures(flagged: int, tmp_path: Path) -> None:
    level = imported(four_textures(flagged))
    hills = {identity.stamped(obj).record: obj for obj in of_kind(level, layout.DISPLACEMENT)}
    weights = [meshes.read(hills[number]).attribute(layout.BLENDS[0], "POINT")[:, 3].mean() for number in (0, 1)]
    assert weights == [flagged - 1, 1]
    dict(panel.settings(level))[lightmaps.EXPOSURE].default_value = 20.0
    seen = seen_from_above(tmp_path, height=64, width=400)[2:6]
    assert seen[:, 5:7].min() > 1, "the fourth texture, white"
    assert (seen[:, 1:3].max() > 1) == (flagged == 2)
