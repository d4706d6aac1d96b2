# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at levels: as commanders do, as the minimap, on the editor's grid; and selecting what is alike or broken."""

import bpy
import numpy as np
import pytest
from levelwright.addon.ns2.layers import lists, visibility
from levelwright.addon.scene.view import stage

from tests.addon.ns2.export_helpers import exported, geometry, imported
from tests.addon.ns2.test_lists import editing, seen_faces
from tests.samples import ns2_art, ns2_room

ROOM = ns2_room.LEVEL.read_bytes()
CEILING = 1
SIDEWAYS = (0.5, 0.5, 0.5, 0.5)


def test_commanders_look_from_above_and_see_no_ceiling():
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    level = imported(ROOM)
    obj = geometry(level)
    assert CEILING in seen_faces(obj)
    crate = next(one for one in level.all_objects if one.get("class_name") == "prop_static")
    crate["commanderInvisible"] = True
    for space in stage.viewports(bpy.context):
        space.region_3d.view_rotation = SIDEWAYS
    assert bpy.ops.levelwright.ns2_commander_view() == {"FINISHED"}
    assert CEILING not in seen_faces(obj)
    assert crate.hide_viewport
    for space in stage.viewports(bpy.context):
        assert space.region_3d.view_perspective == "ORTHO"
        assert space.shading.show_backface_culling
    bpy.ops.levelwright.ns2_commander_view()
    assert CEILING in seen_faces(obj)
    assert not crate.hide_viewport
    for space in stage.viewports(bpy.context):
        assert space.region_3d.view_perspective == "PERSP"
        assert list(space.region_3d.view_rotation) == pytest.approx(SIDEWAYS)
    del crate["commanderInvisible"]
    assert exported(level) == ROOM


def test_commanders_see_no_group_whose_name_says_so():
    assert {
        "CommanderInvisible",
        "CommanderInvisibleVents",
        "CommanderInvisibleNonCollision",
        "SeasonalFallCommanderInvisible",
        "SeasonalWinterCommanderInvisible",
    } == lists.FROM_COMMANDERS


def test_a_new_scene_has_the_editors_grid_and_snaps_to_it():
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    imported(ROOM)
    spaces = list(stage.viewports(bpy.context))
    assert spaces
    assert [space.overlay.grid_scale for space in spaces] == pytest.approx([0.2032] * len(spaces))
    assert bpy.context.scene.unit_settings.system == "NONE"
    assert bpy.context.scene.tool_settings.use_snap
    bpy.ops.levelwright.ns2_grid(factor=0.5)
    assert spaces[0].overlay.grid_scale == pytest.approx(0.1016)
    bpy.ops.levelwright.ns2_snap_grid()
    assert spaces[0].overlay.grid_scale == pytest.approx(0.2032)


def test_a_scene_with_other_things_keeps_its_grid():
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("mine", None))
    imported(ROOM)
    assert bpy.context.scene.unit_settings.system == "METRIC"
    assert not bpy.context.scene.tool_settings.use_snap


def tga(data: bytes) -> np.ndarray:
    """Rows from the top, red, green, blue, alpha: of an uncompressed TGA, read here."""
    assert data[2] == 2
    assert data[16] == 32
    width, height = np.frombuffer(data, "<u2", 2, 12).tolist()
    pixels = np.frombuffer(data, np.uint8, width * height * 4, 18 + data[0]).reshape(height, width, 4)
    return (pixels if data[17] & 0x20 else pixels[::-1])[..., [2, 1, 0, 3]]


def extents(level: bpy.types.Collection, side: float) -> bpy.types.Object:
    obj = bpy.data.objects.new("extents", None)
    obj["class_name"] = "minimap_extents"
    obj.location, obj.scale = (ns2_room.DEPTH / 2, ns2_room.WIDTH / 2, 0), (side, side / 2, 1)
    level.objects.link(obj)
    return obj


def test_the_minimap_shows_what_its_extents_enclose(tmp_path):
    level = imported(ROOM)
    obj = extents(level, 40)
    path = tmp_path / "ns2_room.tga"
    assert bpy.ops.levelwright.ns2_minimap(filepath=str(path), size=200) == {"FINISHED"}
    seen = tga(path.read_bytes())[..., 3] > 128
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    # 40 / 4 metres to each side of the middle are 200 pixels: ten a metre, z to the right and x up.
    assert len(columns) == pytest.approx(10 * ns2_room.DEPTH, abs=8)
    assert len(rows) == pytest.approx(10 * ns2_room.WIDTH, abs=4)
    assert not seen[rows[0] + 3, columns[-1] - 3], "the chamfer, where x and z are largest, is in the upper right"
    assert seen[rows[0] + 3, columns[0] + 3]
    assert len(bpy.data.scenes) == 1
    assert not [camera for camera in bpy.data.cameras if "minimap" in camera.name]
    assert not lists.lists_of(level).commander
    obj[f"use{'LegacyOverview'}"] = False
    bpy.ops.levelwright.ns2_minimap(filepath=str(path), size=200)
    wider = tga(path.read_bytes())[..., 3] > 128
    assert seen.any(axis=1).sum() < wider.any(axis=1).sum(), "the new rule's picture reaches less far"


@pytest.mark.parametrize("switch", ["visible", "solo"])
def test_the_minimap_shows_what_is_in_layers_that_are_switched_off(tmp_path, switch):
    level = imported(ROOM)
    extents(level, 40)
    path = tmp_path / "ns2_room.tga"
    bpy.ops.levelwright.ns2_minimap(filepath=str(path), size=64)
    before = path.read_bytes()
    for kind in ("layers", "groups"):
        for item in lists.entries(level, kind):
            setattr(item, switch, switch == "solo" and item == lists.entries(level, "layers")[-1])
    visibility.show(level)
    geometry_ = next(obj for obj in level.all_objects if obj.type == "MESH" and obj.name.startswith("Geometry"))
    hidden = sum(each.value for each in geometry_.data.attributes["levelwright_hidden"].data)
    assert hidden > 0
    bpy.ops.levelwright.ns2_minimap(filepath=str(path), size=64)
    assert path.read_bytes() == before
    assert sum(each.value for each in geometry_.data.attributes["levelwright_hidden"].data) == hidden


def test_without_extents_there_is_no_minimap(tmp_path):
    level = imported(ROOM)
    with pytest.raises(RuntimeError, match="has no minimap_extents"):
        bpy.ops.levelwright.ns2_minimap(filepath=str(tmp_path / "a.tga"))
    assert not list(tmp_path.iterdir())
    with pytest.raises(RuntimeError, match="has no minimap_extents"):
        bpy.ops.levelwright.ns2_minimap()  # which is said before a file is asked for
    assert exported(level) == ROOM


def selected_faces(obj: bpy.types.Object) -> set[int]:
    ids = obj.data.attributes["record_id"].data
    return {ids[polygon.index].value - 1 for polygon in obj.data.polygons if polygon.select}


def test_faces_of_the_active_material_are_selected():
    level = imported(ROOM, invisible="show")
    obj = geometry(level)
    with editing(obj, {0}) as mesh:
        mesh.faces.active = next(face for face in mesh.faces if face.select)
        assert bpy.ops.levelwright.ns2_select_like(by="MATERIAL") == {"FINISHED"}
    assert selected_faces(obj) == {0}, "only the floor is of it"
    with editing(obj, {1}) as mesh:
        mesh.faces.active = next(face for face in mesh.faces if face.select)
        bpy.ops.levelwright.ns2_select_like(by="MATERIAL")
    assert len(selected_faces(obj)) == 10, "the ceiling, the pit and the niche"


def test_entities_of_the_active_class_are_selected():
    level = imported(ROOM)
    bpy.context.view_layer.update()
    light = next(one for one in level.all_objects if one.get("class_name") == "light_point")
    other = light.copy()
    level.objects.link(other)
    bpy.context.view_layer.objects.active = light
    bpy.ops.levelwright.ns2_select_like(by="CLASS")
    assert {one for one in level.all_objects if one.select_get()} == {light, other}


def test_what_names_files_that_are_not_there_is_selected(tmp_path):
    ns2_art.write(tmp_path)
    (tmp_path / "maps").mkdir()
    path = tmp_path / "maps" / "room.level"
    path.write_bytes(ROOM)
    level = imported(ROOM, path)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "maps" / "room.blend"))
    crate = next(one for one in level.all_objects if one.get("class_name") == "prop_static")
    bpy.ops.levelwright.ns2_select_like(by="BROKEN")
    found = selected_faces(geometry(level))
    crate["model"] = "models/gone.model"
    bpy.ops.levelwright.ns2_select_like(by="BROKEN")
    assert crate.select_get()
    assert found == selected_faces(geometry(level))
