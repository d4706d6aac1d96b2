# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps resized, cropped, shifted and widened: what they show stays in place, and all layers fit together."""

import bpy
import numpy as np
import pytest
from levelwright.addon import levels
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.operators import add_physics_layers
from levelwright.addon.teeworlds.resizing.resize import Growth, missing_cells, resize_map
from levelwright.addon.teeworlds.structure.parts import tile_kind
from levelwright.addon.teeworlds.view import borders, game_view
from levelwright.formats import teeworlds
from levelwright.formats.teeworlds.tile_images import shifted

from tests.addon.teeworlds.export_helpers import (
    changes,
    corners,
    exported,
    face_at,
    imported,
    layer,
    opened,
    part,
    place,
    reopened,
    values,
)
from tests.formats.teeworlds_bytes import Map, noise, quad, small_map, tile, whole_map

SKY, EMPTY, GAME, DECO, TELE, SPEEDUP, FRONT, SWITCH, TUNE, HUM, OLD = range(11)
PHYSICS = (GAME, TELE, SPEEDUP, FRONT, SWITCH, TUNE)
WIDTH, HEIGHT = 12, 8


def read(data: bytes) -> list[teeworlds.Layer]:
    return list(teeworlds.read(data).layers)


def moved(tiles: np.ndarray, growth: Growth) -> np.ndarray:
    """Tiles [h, w] as they have to be afterwards."""
    width, height = growth.of(*tiles.shape[::-1])
    result = np.zeros((height, width), tiles.dtype)
    for y in range(tiles.shape[0]):
        for x in range(tiles.shape[1]):
            row, column = y + growth.top, x + growth.left
            if 0 <= row < height and 0 <= column < width:
                result[row, column] = tiles[y, x]
    return result


GROWTHS = [Growth(3, 2, 1, 5), Growth(0, 4, 0, 0), Growth(-2, -1, -3, 0), Growth(4, -4, -2, 2)]


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("plane", [False, True])
def test_all_layers_of_the_games_size_are_resized_together(growth: Growth, plane: bool) -> None:
    data = whole_map().build()
    level = imported(data, large_layer=0 if plane else 2_000_000)
    resize_map(level, growth)
    after, before = read(exported(level)), read(data)
    for number in (*PHYSICS, DECO):
        wanted = moved(before[number].tiles(), growth)
        wanted[wanted == np.zeros((), wanted.dtype)] = 0
        found = after[number].tiles()
        assert found.shape == wanted.shape
        for field in found.dtype.names:
            assert np.array_equal(found[field], wanted[field]), (number, field)


def test_nothing_but_what_was_resized_changes():
    data = whole_map().build()
    level = opened(data)
    resize_map(level, Growth(right=1))
    words, blobs = changes(data, exported(level))
    assert all(kind == 5 and numbers == [4] for (kind, _), numbers in words.items())
    assert len(words) == len(PHYSICS) + 1
    assert len(blobs) == 2 * len(PHYSICS)  # tele and its like have a dummy each


@pytest.mark.parametrize("plane", [False, True])
@pytest.mark.parametrize(
    "steps", [[growth] for growth in GROWTHS] + [GROWTHS, [Growth(-3, 0, -2, 0), Growth(3, 0, 2, 0)]]
)
def test_air_takes_its_bytes_along_and_new_cells_have_none(steps: list[Growth], plane: bool) -> None:
    """As in the game's editor: flags of air, which DDNet keeps in files, and bytes that nobody reads."""
    data = small_map(12, 8, (tile(0, 1, 0, 5) + tile(0, 10) + tile(0) + tile(4, 8)) * 24).build()
    level = imported(data, large_layer=0 if plane else 2_000_000)
    wanted = read(data)[0].tiles()
    for growth in steps:
        resize_map(level, growth)
        wanted = moved(wanted, growth)
    assert np.array_equal(read(exported(level))[0].tiles(), wanted)


def test_there_and_back_is_the_same_file():
    data = whole_map().build()
    level = opened(data)
    resize_map(level, Growth(3, 0, 2, 1))
    resize_map(level, Growth(-3, 0, -2, -1))
    assert exported(level) == data


def test_quads_and_sounds_move_with_the_tiles():
    m = small_map(10, 10)
    m.quads([quad(pivot=(7, 9)), quad(((0, 0), (64, 0), (0, 64), (64, 64)))], -1, "Signs")
    m.group("Far", parallax=(50, 25), offset=(16, -8), clip=(32, 64, 320, 200))
    m.quads([quad()], -1, "Sun")
    data = m.build()
    level = imported(data)
    assert resize_map(level, Growth(3, 0, -2, 0)) == []
    before, after = teeworlds.read(data), teeworlds.read(exported(level))
    near = after.groups[0].layers[1].quads()["points"] - before.groups[0].layers[1].quads()["points"]
    assert (near == (3 * 32768, -2 * 32768)).all()
    assert np.array_equal(after.groups[1].layers[0].quads(), before.groups[1].layers[0].quads())
    far = after.groups[1]
    assert (far.offset_x, far.offset_y) == (16 - 3 * 16, -8 + 2 * 8)
    assert (far.clip_x, far.clip_y, far.clip_w, far.clip_h) == (32 + 3 * 32, 64 - 2 * 32, 320, 200)


def seen(level: teeworlds.Level, camera: tuple[float, float]) -> list[np.ndarray]:
    """Where quads and sounds of each group are on the screen, px, with the camera at a place."""
    places = []
    for group in level.groups:
        x = camera[0] * group.parallax_x / 100 + group.offset_x
        y = camera[1] * group.parallax_y / 100 + group.offset_y
        for one in group.layers:
            if isinstance(one, teeworlds.QuadLayer):
                places.append(one.quads()["points"] / 1024 - (x, y))
            elif isinstance(one, teeworlds.SoundLayer):
                sources = one.sources()
                places.append(np.stack((sources["x"], sources["y"]), axis=-1) / 1024 - (x, y))
    return places


def test_everything_is_where_it_was_on_the_screen():
    data = whole_map().build()
    level = opened(data)
    told = resize_map(level, Growth(5, 0, 3, 0))
    before, after = teeworlds.read(data), teeworlds.read(exported(level))
    for was, now in zip(seen(before, (100, 70)), seen(after, (100 + 5 * 32, 70 + 3 * 32)), strict=True):
        assert np.abs(was - now).max(initial=0) <= 0.5
    assert told == []


def looked_at() -> list[tuple[float, ...]]:
    """Where the views of all workspaces look, and the 3D cursor."""
    spaces = [space for screen in bpy.data.screens for area in screen.areas for space in area.spaces]
    regions = [space.region_3d for space in spaces if isinstance(space, bpy.types.SpaceView3D) and space.region_3d]
    assert len(regions) > 3
    return [tuple(region.view_location) for region in regions] + [tuple(bpy.context.scene.cursor.location)]


def test_views_and_the_cursor_go_with_what_they_show() -> None:
    imported(whole_map().build())
    bpy.ops.ed.undo_push(message="import")
    start = np.array(looked_at())
    bpy.ops.levelwright.teeworlds_resize_map("EXEC_DEFAULT", True, left=5, top=2, right=1)
    assert np.allclose(looked_at() - start, (5, -2, 0))
    bpy.ops.levelwright.teeworlds_resize_map("EXEC_DEFAULT", True, bottom=4, right=-2)
    assert np.allclose(looked_at() - start, (5, -2, 0))
    bpy.ops.levelwright.teeworlds_shift_map("EXEC_DEFAULT", True, x=-1, y=-1)
    assert np.allclose(looked_at() - start, (4, -1, 0))
    for moved in ((5, -2, 0), (5, -2, 0), (0, 0, 0)):
        bpy.ops.ed.undo()
        assert np.allclose(looked_at() - start, moved)
    for moved in ((5, -2, 0), (5, -2, 0), (4, -1, 0)):
        bpy.ops.ed.redo()
        assert np.allclose(looked_at() - start, moved)


@pytest.mark.parametrize("parallax", [False, True])
def test_views_go_with_the_active_group(parallax: bool) -> None:
    """Of another parallax it moves less; where the view shows that as the game does, as far as all others."""
    m = small_map()
    m.group("Far", parallax=(50, 100))
    m.tiles(4, 3, tile(1) * 12, title="Hills")
    level = imported(m.build())
    hills = layer(level, 1)
    bpy.context.view_layer.objects.active = hills
    if parallax:
        game_view.view_as_game(bpy.context.scene, level, 0, 0)
        game_view.set_parallax(level, True)
    bpy.context.view_layer.update()
    start, place = np.array(looked_at()), hills.matrix_world.translation.copy()
    bpy.ops.levelwright.teeworlds_resize_map("EXEC_DEFAULT", True, left=4)
    bpy.context.view_layer.update()
    moved = hills.matrix_world.translation - place
    assert np.allclose(moved, (2 + 2 * parallax, 0, 0))
    assert np.allclose(looked_at() - start, moved)


def test_views_follow_a_turned_level_alone() -> None:
    first = imported(whole_map().build())
    root = part(first, "root", 0)
    root.rotation_euler.z, root.scale = np.pi / 2, (2, 2, 2)
    bpy.context.view_layer.update()
    start = np.array(looked_at())
    other = bpy.data.scenes.new("other")
    other.cursor.location = 1, 2, 3
    resize_map(first, Growth(left=3))
    assert np.allclose(looked_at() - start, (0, 6, 0), atol=1e-5)
    assert tuple(other.cursor.location) == (1, 2, 3)


def test_what_falls_between_pixels_is_told():
    m = small_map()
    m.group("Far", parallax=(33, 100))
    level = imported(m.build())
    assert resize_map(level, Growth(left=1)) == [
        "Group 1: Far: it moved by whole pixels: 10.56, 0 would have been exact"
    ]


def with_tiles(width: int, height: int, data: bytes, parallax: int = 100) -> Map:
    """A map of 4 x 4 with a layer of another size, in a group with one of the game layer's."""
    m = Map()
    m.version()
    art = m.image("art", 16, 16, noise(4 * 16 * 16))
    m.group("Game")
    m.tiles(4, 4, bytes(64), flags=1, title="Game")
    m.group("Back", parallax=(parallax, parallax))
    m.tiles(4, 4, tile(3) * 16, image=art, title="Same")
    m.tiles(width, height, data, image=art, title="Other")
    return m


@pytest.mark.parametrize("plane", [False, True])
@pytest.mark.parametrize(
    ("growth", "columns"),
    [
        (Growth(left=2), [1, 1, 1, 2, 0, 3]),
        (Growth(left=-1, right=1), [2, 0, 3]),
        (Growth(left=-3, right=9), [3, 3]),
        (Growth(right=7), [1, 2, 0, 3]),
    ],
)
def test_layers_of_another_size_show_the_same_with_the_edges_that_the_game_repeats(growth, columns, plane):
    data = with_tiles(4, 2, (tile(1) + tile(2, 8) + tile(0) + tile(3)) * 2).build()
    level = imported(data, large_layer=0 if plane else 2_000_000)
    resize_map(level, growth)
    other = teeworlds.read(exported(level)).groups[1].layers[1].tiles()
    assert other["index"].tolist() == [columns] * 2
    assert (other["flags"][other["index"] == 2] == 8).all()


def test_layers_that_look_the_same_everywhere_and_groups_of_another_parallax_stay_as_they_are():
    for m in (with_tiles(2, 2, tile(5) * 4), with_tiles(2, 3, noise(24), parallax=99)):
        data = m.build()
        level = imported(data)
        resize_map(level, Growth(1, 1, 1, 1))
        before, after = teeworlds.read(data), teeworlds.read(exported(level))
        assert np.array_equal(after.groups[1].layers[1].tiles(), before.groups[1].layers[1].tiles())
        same = after.groups[1].layers[0].tiles().shape
        assert same == ((6, 6) if after.groups[1].parallax_x == 100 else (4, 4))


@pytest.mark.parametrize("plane", [False, True])
def test_new_cells_can_have_the_tiles_of_the_edges(plane):
    data = with_tiles(4, 4, (tile(1) + tile(2) * 2 + tile(4)) * 4).build()
    level = imported(data, large_layer=0 if plane else 2_000_000)
    resize_map(level, Growth(1, 2, 0, 1), repeat=True)
    after = teeworlds.read(exported(level))
    assert after.groups[1].layers[1].tiles()["index"].tolist() == [[1, 1, 2, 2, 4, 4, 4]] * 5
    assert not after.groups[0].layers[0].tiles()["index"].any()


def test_speedups_and_switches_keep_their_numbers_in_planes_too():
    data = whole_map().build()
    level = imported(data, large_layer=0)
    assert all(layer(level, number)[layout.STORAGE] == layout.PLANE for number in PHYSICS)
    resize_map(level, Growth(1, 0, 1, 0))
    after = read(exported(level))
    assert after[SPEEDUP].tiles()[1, 1].item() == (30, 5, 28, 0, 270)
    assert after[SWITCH].tiles()[1, 1].item() == (3, 24, 1, 5)


def test_a_resized_level_survives_saving(tmp_path):
    level = imported(whole_map().build(), large_layer=0)
    resize_map(level, Growth(1, 1, 1, 1))
    wanted = exported(level)
    assert exported(reopened(level, tmp_path)) == wanted


def test_a_layer_whose_object_was_moved_or_turned():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    deco.rotation_euler.z = np.pi
    deco.location.x, deco.location.y = WIDTH, -HEIGHT
    turned = read(exported(level))[DECO].tiles()
    resize_map(level, Growth(2, 0, -1, 0))
    assert np.array_equal(read(exported(level))[DECO].tiles()["index"], moved(turned, Growth(2, 0, -1, 0))["index"])


def test_layers_that_share_a_mesh_are_moved_once_each():
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    twin = deco.copy()
    deco.users_collection[0].objects.link(twin)
    resize_map(level, Growth(left=1))
    found = read(exported(level))
    one, other = (item for item in found if isinstance(item, teeworlds.TileLayer) and item.name == "Deco")
    assert np.array_equal(one.tiles(), other.tiles())
    assert not one.tiles()["index"][:, 0].any()


# ---- what is refused


@pytest.mark.parametrize("growth", [Growth(left=-11), Growth(bottom=-7), Growth(-6, -5)])
def test_too_small_maps_are_refused(growth):
    data = whole_map().build()
    level = opened(data)
    with pytest.raises(SceneError, match="is too small: 2 x 2 is the least"):
        resize_map(level, growth)
    assert exported(level) == data


def test_a_layer_that_cannot_be_resized_leaves_all_as_it_was():
    data = whole_map().build()
    level = opened(data)
    layer(level, TUNE).modifiers.new("Array", "ARRAY").count = 1
    with pytest.raises(SceneError, match="has modifiers"):
        resize_map(level, Growth(left=1))
    layer(level, TUNE).modifiers.clear()
    assert exported(level) == data


def test_layers_that_could_not_be_read_are_refused():
    m = small_map()
    m.tiles(4, 3, b"\x01\x44", flags=32, title="Tune")
    level = imported(m.build())
    with pytest.raises(SceneError, match="its tiles can't be read"):
        resize_map(level, Growth(left=1))


def test_a_map_without_a_game_layer_has_no_size():
    level = imported(small_map().build())
    bpy.data.objects.remove(layer(level, 0))
    with pytest.raises(SceneError, match="no game layer"):
        resize_map(level, Growth(left=1))


# ---- what is only shown


def test_camera_parallax_and_borders_follow():
    level = imported(with_tiles(4, 4, tile(1) * 16, parallax=50).build())
    camera = game_view.view_as_game(bpy.context.scene, level, 2.0, 2.0)
    before = tuple(camera.location)
    resize_map(level, Growth(2, 0, 1, 0))
    assert tuple(camera.location)[:2] == (before[0] + 2, before[1] - 1)
    root = part(level, layout.GROUP, 1)
    assert tuple(root.location)[:2] == (1.0, -0.5)
    assert any("1.0" in driver.driver.expression for driver in root.animation_data.drivers)
    assert borders.has_borders(level)


# ---- the operators


def test_operators_resize_shift_crop_and_widen():
    data = whole_map().build()
    level = opened(data)
    bpy.context.view_layer.objects.active = layer(level, DECO)
    assert bpy.ops.levelwright.teeworlds_resize_map(left=1, bottom=2) == {"FINISHED"}
    assert read(exported(level))[GAME].tiles().shape == (10, 13)
    assert bpy.ops.levelwright.teeworlds_shift_map(x=-1) == {"FINISHED"}
    assert bpy.ops.levelwright.teeworlds_shift_map() == {"CANCELLED"}
    deco = layer(level, DECO)
    chosen = np.zeros(len(deco.data.polygons), np.bool_)
    chosen[[face_at(deco, 1, 0), face_at(deco, 4, 3)]] = True
    deco.data.polygons.foreach_set("select", chosen)
    assert bpy.ops.levelwright.teeworlds_crop_map() == {"FINISHED"}
    found = read(exported(level))
    assert found[GAME].tiles().shape == found[DECO].tiles().shape == (4, 4)
    assert np.array_equal(found[DECO].tiles()["index"], read(data)[DECO].tiles()["index"][:4, 1:5])
    assert bpy.ops.levelwright.teeworlds_widen_map() == {"CANCELLED"}


def test_crop_reads_what_is_selected_in_edit_mode():
    cells = np.zeros((5, 6, 4), np.uint8)
    cells[1:3, 2:5, 0] = 1
    level = imported(small_map(6, 5, cells.tobytes()).build(), physics=True)
    bpy.context.view_layer.objects.active = layer(level, 0)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.levelwright.teeworlds_crop_map()
    assert bpy.context.mode == "OBJECT"
    assert read(exported(level))[0].tiles()["index"].tolist() == [[1] * 3] * 2


def test_crop_wants_a_selection():
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    bpy.context.view_layer.objects.active = deco
    deco.data.polygons.foreach_set("select", np.zeros(len(deco.data.polygons), np.bool_))
    with pytest.raises(RuntimeError, match=r"no tiles of .*Deco are selected"):
        bpy.ops.levelwright.teeworlds_crop_map()


def test_a_map_is_widened_to_the_tiles_that_were_put_outside():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    positions = corners(deco)
    index = values(deco, "index")
    face = face_at(deco, 1, 0)
    positions[face] += (-4, 2, 0)
    place(deco, positions)
    with pytest.raises(SceneError, match="outside the layer"):
        exported(level)
    assert missing_cells(level) == (Growth(3, 0, 2, 0), [])
    bpy.context.view_layer.objects.active = deco
    bpy.ops.levelwright.teeworlds_widen_map()
    found = read(exported(level))
    assert found[DECO].tiles()["index"][0, 0] == index[face]
    assert found[GAME].tiles().shape == (HEIGHT + 2, WIDTH + 3)
    assert np.array_equal(found[GAME].tiles()["index"][2:, 3:], read(data)[GAME].tiles()["index"])


@pytest.mark.parametrize(("size", "parallax"), [((3, 2), 100), ((4, 4), 50)])
def test_a_layer_of_another_size_or_parallax_is_not_widened_with_the_map(size: tuple[int, int], parallax: int) -> None:
    """The map would grow, and grow again, and the tiles still lie outside."""
    level = imported(with_tiles(*size, tile(1) * size[0] * size[1], parallax).build())
    other = layer(level, 2)
    place(other, np.add(corners(other), (1, 0, 0)))
    bpy.context.view_layer.objects.active = other
    with pytest.raises(RuntimeError, match="2 Other: not of the map's size, or in a group of another parallax"):
        bpy.ops.levelwright.teeworlds_widen_map()


def test_the_list_of_findings_has_a_button_that_widens(tmp_path):
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    place(deco, np.add(corners(deco), (1, 0, 0)))
    with pytest.raises(SceneError, match="outside the layer"):
        levels.check_export(bpy.context, level, Report())
    [found] = findings.kept(level)
    assert (found.objects, found.mend) == ([deco.name], layout.WIDEN_MAP)
    bpy.context.view_layer.objects.active = deco
    bpy.ops.levelwright.teeworlds_widen_map()
    levels.check_export(bpy.context, level, Report())
    assert not findings.kept(level)


def test_undo_gives_the_whole_map_back():
    data = whole_map().build()
    level = imported(data, large_layer=0)
    name = level.name
    bpy.context.view_layer.objects.active = layer(level, GAME)
    bpy.ops.ed.undo_push()
    bpy.ops.levelwright.teeworlds_resize_map("EXEC_DEFAULT", True, left=3, top=1)
    bpy.ops.ed.undo()
    assert exported(bpy.data.collections[name]) == data


# ---- physics layers that are missing


def test_missing_physics_layers_are_added_in_the_games_group():
    level = imported(small_map(6, 5).build())
    bpy.context.view_layer.objects.active = layer(level, 0)
    assert bpy.ops.levelwright.teeworlds_add_physics_layers() == {"FINISHED"}
    after = teeworlds.read(exported(level))
    kinds = [one.tile_kind.name for one in after.groups[0].layers]
    assert sorted(kinds) == ["FRONT", "GAME", "SPEEDUP", "SWITCH", "TELE", "TUNE"]
    assert {one.tiles().shape for one in after.groups[0].layers} == {(5, 6)}
    assert teeworlds.check(after) == []
    assert not bpy.ops.levelwright.teeworlds_add_physics_layers.poll()


def test_only_those_that_are_asked_for_are_added():
    level = imported(small_map().build())
    assert [tile_kind(obj) for obj in add_physics_layers(level, ["TELE", "GAME"])] == ["TELE"]
    assert add_physics_layers(level, ["TELE"]) == []


def test_they_need_a_game_layer():
    level = imported(small_map().build())
    bpy.data.objects.remove(layer(level, 0))
    with pytest.raises(SceneError, match="no game layer"):
        add_physics_layers(level, ["TELE"])


def test_pixels_moved_in_an_image():
    pixels = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    air = shifted(pixels, (1, -1), (4, 2), repeat=False)
    assert air[0, 1:].tolist() == pixels[1].tolist()
    assert not air[1, :, :3].any() and not air[:, 0, :3].any()
    edge = shifted(pixels, (1, -1), (4, 2), repeat=True)
    assert edge[..., 0].tolist() == [[12, 12, 16, 20]] * 2
