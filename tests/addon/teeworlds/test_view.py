# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at a map as the game does: where the groups go, what the borders and switches do."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.addon.scene.view import stage
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.materials import shading
from levelwright.addon.teeworlds.settings import ImportSettings
from levelwright.addon.teeworlds.structure import map_operator
from levelwright.addon.teeworlds.view import borders
from levelwright.addon.teeworlds.view import game_view as view

from tests.addon.teeworlds.export_helpers import exported, imported, layer, part, reopened
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, small_map, tile, whole_map

SAMPLE = Path(__file__).parents[2] / "samples" / "first-light.map"


def groups_map(*groups: tuple[tuple[int, int], tuple[int, int]]) -> bytes:
    """A map with these groups (offset, parallax) before the game's; each has one tile layer."""
    m = Map()
    m.version()
    for offset, parallax in groups:
        m.group("", offset=offset, parallax=parallax)
        m.tiles(2, 2, tile(1) * 4)
    m.group("Game", offset=(640, 0), parallax=(30, 30))
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    return m.build()


def drawn_at(place: float, camera: float, zoom: float, parallax: float, largest: float, offset: float) -> float:
    """Where in the world the game draws what lies at `place` of its group, along one axis (all in tiles, y down).

    Facts: the picture's middle is at camera * parallax + offset in the group, whose view is 1 + largest * (zoom - 1)
    times as wide as at zoom 1, while the world's is zoom times as wide (teeworlds.md §5).
    """
    wide = 1 + max(0.0, min(largest, 1.0)) * (zoom - 1)
    return camera + (place - (camera * parallax + offset)) * zoom / wide


@pytest.mark.parametrize("zoom", [1.0, 2.5, 0.5])
@pytest.mark.parametrize("parallax", [(100, 100), (0, 0), (20, 50), (150, -40), (-10, -20)])
def test_groups_lie_where_the_game_draws_them(zoom: float, parallax: tuple[int, int]) -> None:
    level = imported(groups_map(((320, -96), parallax)))
    view.view_as_game(bpy.context.scene, level, 40, 25, zoom)
    bpy.context.view_layer.update()
    obj = layer(level, 0)
    for place in ((0, 0), (7, 11)):
        world = obj.matrix_world @ obj.data.vertices[0].co.__class__((place[0], -place[1], 0))
        largest = max(parallax) / 100
        expected = (
            drawn_at(place[0], 40, zoom, parallax[0] / 100, largest, 10),
            -drawn_at(place[1], 25, zoom, parallax[1] / 100, largest, -3),
        )
        assert tuple(world[:2]) == pytest.approx(expected, abs=1e-4)


def test_groups_follow_the_camera_and_edited_parallax() -> None:
    level = imported(groups_map(((0, 0), (50, 50))))
    camera = view.view_as_game(bpy.context.scene, level, 0, 0)
    camera.location.x = 8
    bpy.context.view_layer.update()
    assert layer(level, 0).matrix_world.translation.x == pytest.approx(4)
    part(level, layout.GROUP, 0)["parallax_x"] = 25
    part(level, layout.GROUP, 0).update_tag()
    bpy.context.view_layer.update()
    assert layer(level, 0).matrix_world.translation.x == pytest.approx(6)


def test_the_games_own_group_stands_still() -> None:
    level = imported(groups_map())
    view.view_as_game(bpy.context.scene, level, 40, 25, 2.0)
    bpy.context.view_layer.update()
    assert tuple(layer(level, 0).matrix_world.translation[:2]) == (0, 0)


def test_parallax_off_puts_the_groups_back() -> None:
    level = imported(groups_map(((320, -96), (10, 20))))
    view.view_as_game(bpy.context.scene, level, 40, 25, 2.0)
    view.set_parallax(level, False)
    bpy.context.view_layer.update()
    assert not view.has_parallax(level)
    assert tuple(part(level, layout.GROUP, 0).matrix_world.translation) == (-10, -3, 0)


def test_the_camera_shows_what_the_game_does() -> None:
    level = imported(small_map().build())
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = 1280, 720
    scene.render.fps = 25
    camera = view.view_as_game(scene, level, 12.5, 3, 2.0, 1.5)
    assert scene.camera is camera and tuple(camera.location[:2]) == (12.5, -3)
    assert camera.data.type == "ORTHO" and camera.data.ortho_scale == pytest.approx(2 * 44.683, abs=1e-3)
    assert scene.frame_current_final == pytest.approx(37.5)
    assert view.view_as_game(scene, level, 0, 0) is camera  # one a level


def test_looking_changes_nothing_in_the_map() -> None:
    data = whole_map().build()
    level = imported(data)
    view.view_as_game(bpy.context.scene, level, 5, 4, 2.0, 0.3)
    view.show_physics(level, True)
    assert exported(level) == data


def edge_map(tiles: bytes) -> bytes:
    m = small_map()
    m.tiles(4, 3, tiles, title="edge")
    return m.build()


def test_borders_are_made_where_there_is_something_to_repeat() -> None:
    middle = bytes(4 * 5) + tile(1) * 2 + bytes(4 * 5)
    level = imported(edge_map(middle))
    borders.set_borders(level, True)
    assert not borders.has_borders(level)
    level = imported(edge_map(tile(3, 9) + bytes(4 * 11)))
    borders.set_borders(level, True)
    found = [obj for obj in level.all_objects if borders.is_border(obj)]
    assert len(found) == 1 and found[0].parent is layer(level, 1)
    assert identity.stamped(found[0]).kind == layout.PREVIEW


def test_borders_go_without_a_trace() -> None:
    level = imported(edge_map(tile(3) * 12))
    before = [len(table) for table in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.images)]
    borders.set_borders(level, True)
    borders.set_borders(level, True)
    borders.set_borders(level, False)
    assert [len(table) for table in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.images)] == before


def test_borders_are_nothing_to_tell() -> None:
    m = small_map()
    m.tiles(4, 3, tile(3) * 12, title="edge", image=m.image("art", 16, 16, bytes(1024)))
    level, report = imported(m.build()), Report()
    borders.set_borders(level, True)
    exported(level, report)
    assert not report.warnings


def test_borders_of_planes_show_the_planes_own_images() -> None:
    level = imported(edge_map(tile(3) * 12), large_layer=0)
    borders.set_borders(level, True)
    border = next(obj for obj in level.all_objects if borders.is_border(obj))
    assert border.data.materials[0] is layer(level, 1).data.materials[0]
    borders.set_borders(level, False)
    assert layer(level, 1).data.materials[0].users


def test_import_can_end_in_the_games_view() -> None:
    level = imported(small_map(4, 3, bytes(4 * 6) + tile(192) + bytes(4 * 5)).build(), game_view=True)
    camera = view.game_camera(level)
    assert camera is bpy.context.scene.camera and tuple(camera.location[:2]) == (2.5, -1.5)


@pytest.mark.parametrize("what", ["PARALLAX", "BORDERS", "CLIP", "PHYSICS", "COLORS"])
def test_each_switch_goes_on_and_off(what: str) -> None:
    from levelwright.addon.teeworlds.view.operators import SWITCHES

    m = small_map()
    m.group("clipped", parallax=(50, 50), clip=(0, 0, 64, 64))
    m.tiles(4, 3, tile(3) * 12, title="edge")
    level = imported(m.build())
    assert bpy.ops.levelwright.teeworlds_view_as_game(x=2, y=2) == {"FINISHED"}
    for on in (False, True, False):
        assert bpy.ops.levelwright.teeworlds_switch_view(what=what, on=on) == {"FINISHED"}
        assert SWITCHES[what].get(bpy.context, level) is on


def test_game_colours_go_with_the_view_transform() -> None:
    imported(whole_map().build())
    settings = bpy.context.scene.view_settings
    bpy.ops.levelwright.teeworlds_switch_view(what="COLORS", on=False)
    assert settings.view_transform == "Standard" and shading.get_switch(shading.DISPLAY) == 1
    bpy.ops.levelwright.teeworlds_switch_view(what="COLORS", on=True)
    assert settings.view_transform == "Raw" and shading.get_switch(shading.DISPLAY) == 0


def test_of_several_maps_that_of_the_active_object_is_looked_at() -> None:
    for _ in range(2):
        bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    levels = list(bpy.context.scene.collection.children)
    bpy.context.view_layer.update()
    for level in levels:
        bpy.context.view_layer.objects.active = level.objects[0]
        assert map_operator.active_map(bpy.context) == level
        bpy.ops.levelwright.teeworlds_view_as_game(x=2, y=2)
        assert view.has_parallax(level)


def test_without_a_map_there_is_nothing_to_look_at() -> None:
    assert not bpy.ops.levelwright.teeworlds_view_as_game.poll()
    assert ImportSettings().game_view is False


def test_what_an_operator_refuses_is_selected() -> None:
    level = imported(whole_map().build())
    layers = [obj for obj in level.all_objects if identity.kind_of(obj) == layout.LAYER]
    tiles = next(obj for obj in layers if obj.get("tile_kind") is not None and obj.visible_get())
    bpy.ops.object.select_all(action="SELECT")
    bpy.context.view_layer.objects.active = tiles
    with pytest.raises(RuntimeError, match="reach beyond it"):
        bpy.ops.levelwright.teeworlds_fill_tiles(x=1000)
    assert bpy.context.selected_objects == [tiles]
    bpy.context.view_layer.objects.active = next(obj for obj in layers if obj.get("tile_kind") is None)
    with pytest.raises(RuntimeError, match="The active layer is not one of tiles"):
        bpy.ops.levelwright.teeworlds_fill_tiles()


def test_an_operator_says_once_that_blender_refuses(tmp_path: Path) -> None:
    imported(whole_map().build())
    with pytest.raises(RuntimeError, match=r"^Error: (?!Error).*gone\.png"):
        bpy.ops.levelwright.teeworlds_add_image(filepath=str(tmp_path / "gone.png"))


def test_the_view_starts_at_the_first_spawn_as_edited() -> None:
    level = imported(small_map(4, 3, bytes(4 * 6) + tile(192) + bytes(4 * 5)).build())
    bpy.context.scene.cursor.location = (40, 40, 0)
    assert bpy.ops.levelwright.teeworlds_view_as_game() == {"FINISHED"}
    assert tuple(view.game_camera(level).location[:2]) == (2.5, -1.5)
    layer(level, 0).data.vertices.foreach_set(
        "co", [c for x, y in ((0, 0), (0, -1), (1, -1), (1, 0)) for c in (x, y, 0)]
    )
    layer(level, 0).data.update()
    assert bpy.ops.levelwright.teeworlds_view_as_game() == {"FINISHED"}
    assert tuple(view.game_camera(level).location[:2]) == (0.5, -0.5)
    level = imported(small_map(4, 3, bytes(4 * 6) + tile(192) + bytes(4 * 5)).build(), large_layer=0)
    assert view.first_spawn(level) == (2.5, 1.5)


def test_leaving_the_view_puts_everything_back(tmp_path: Path) -> None:
    stranger, hidden = (bpy.data.objects.new(name, None) for name in ("stranger", "hidden"))
    for obj in (stranger, hidden):
        bpy.context.scene.collection.objects.link(obj)
    camera = bpy.data.objects.new("mine", bpy.data.cameras.new("mine"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    hidden.hide_set(True)
    level = imported(groups_map(((320, -96), (10, 20))))
    space = next(stage.viewports(bpy.context))
    space.overlay.show_relationship_lines = True
    space.region_3d.view_perspective = "ORTHO"
    view.show_physics(level, True)
    before = exported(level)
    for _ in range(2):  # the second time moves the camera alone
        assert bpy.ops.levelwright.teeworlds_view_as_game(x=1, y=1) == {"FINISHED"}
        assert not view.has_physics(level)
    assert stranger.hide_get() and stranger.hide_render and not layer(level, 0).hide_get()
    assert not space.overlay.show_relationship_lines and not space.overlay.show_extras
    assert view.has_parallax(level) and exported(level) == before
    names = level.name
    level = reopened(level, tmp_path)
    assert level.name == names
    bpy.context.view_layer.objects.active = layer(level, 0)
    assert bpy.ops.levelwright.teeworlds_end_game_view() == {"FINISHED"}
    found = bpy.data.objects
    assert [(found[name].hide_get(), found[name].hide_render) for name in ("stranger", "hidden")] == [
        (False, False),
        (True, False),
    ]
    space = next(stage.viewports(bpy.context))
    assert space.overlay.show_relationship_lines and space.region_3d.view_perspective == "ORTHO"
    assert bpy.context.scene.camera == found["mine"] and view.game_camera(level) is None
    assert not view.has_parallax(level) and not borders.has_borders(level) and view.has_physics(level)
    assert not bpy.ops.levelwright.teeworlds_end_game_view.poll()


def test_the_view_leaves_the_entities_view_alone() -> None:
    level = imported(groups_map(((320, -96), (10, 20))))
    switch, look = bpy.ops.levelwright.teeworlds_switch_view, bpy.ops.levelwright.teeworlds_view_as_game
    assert switch(what="ENTITIES", on=True) == {"FINISHED"}
    assert look(x=1, y=1) == {"FINISHED"} and view.has_physics(level)
    assert bpy.ops.levelwright.teeworlds_end_game_view() == {"FINISHED"} and view.has_physics(level)
    assert switch(what="ENTITIES", on=False) == {"FINISHED"} and not view.has_physics(level)
