"""A scene laid over its original: nothing edited gives the same bytes, an edit changes what it means and no more."""

import math

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene import images, originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout

from tests.addon.teeworlds.export_helpers import (
    changes,
    corners,
    exported,
    face_at,
    image,
    imported,
    layer,
    names,
    parse,
    part,
    place,
    reopened,
)
from tests.formats.teeworlds_bytes import GAME, GROUP, IMAGE, INFO, LAYER, Map, small_map, tile, whole_map

# Of whole_map: blobs and layers by number.
AUTHOR, SETTINGS, ART_NAME, ART, GRASS_NAME, GAME_TILES, DECO_TILES = 0, 4, 5, 6, 7, 12, 13
GAME_LAYER, DECO, TELE, SPEEDUP, FRONT, SWITCH = 2, 3, 4, 5, 6, 7
BACKGROUND, PLAYED = 0, 1


def tiles(data: bytes, blob: int, width: int = 12) -> np.ndarray:
    """The tiles of a blob, [height, width, 4 bytes]."""
    return np.frombuffer(parse(data)[1][blob], np.uint8).reshape(-1, width, 4)


def differing(before: bytes, after: bytes, blob: int) -> dict[tuple[int, int], list[int]]:
    """The tiles that differ, by column and row."""
    old, new = tiles(before, blob), tiles(after, blob)
    return {(int(x), int(y)): new[y, x].tolist() for y, x in zip(*np.nonzero((old != new).any(axis=2)), strict=True)}


# ---- nothing edited


def test_an_unedited_scene_is_the_original_byte_for_byte():
    data = whole_map().build()
    report = Report()
    assert exported(imported(data), report) == data
    assert not report.warnings and not report.notes


def test_also_after_saving_closing_and_reopening(tmp_path):
    data = whole_map().build()
    level = reopened(imported(data), tmp_path)
    assert exported(level) == data
    layer(level, DECO)["layer_name"] = "later"
    assert changes(data, exported(level)) == ({(LAYER, DECO): [15, 16]}, [])


def test_what_only_looks_different_is_no_edit():
    data = whole_map().build()
    level = imported(data, physics=True)
    bpy.context.view_layer.layer_collection.children[0].exclude = True
    for obj in list(level.all_objects):
        obj.hide_viewport = obj.hide_render = True
        obj.name = "renamed"
    for one in level.children_recursive:
        one.name = "renamed"
    level.objects[0].location = (100, 20, 3)  # the root of everything
    layer(level, DECO).location.z = 7
    for block in (image(level, 0), image(level, 1)):
        block.name += ".001"
    assert exported(level) == data


def test_an_excluded_layer_with_a_modifier_is_still_evaluated():
    data = whole_map().build()
    level = imported(data)
    bpy.context.view_layer.layer_collection.children[0].exclude = True
    deco = layer(level, DECO)
    modifier = deco.modifiers.new("mirror", "MIRROR")
    modifier.use_axis = (False, False, False)
    assert exported(level) == data


@pytest.mark.parametrize("profile", ["ddnet", "vanilla07"])
def test_profiles_convert_what_was_exported(profile):
    level = imported(small_map().build())
    converted = exported(level, profile=profile)
    assert exported(imported(converted)) == converted


def test_what_a_profile_cannot_hold_is_refused_or_left_out():
    level = imported(whole_map().build())
    with pytest.raises(ValueError, match="cannot hold"):
        exported(level, profile="vanilla07")
    report = Report()
    converted = exported(level, report, profile="vanilla07", drop=True)
    assert "left out" in report.summary()
    assert converted != whole_map().build()


# ---- tiles


def moved(positions: np.ndarray, face: int, x: float, y: float) -> np.ndarray:
    positions[face] += (x, y, 0)
    return positions


def test_moving_a_tile_changes_two_cells_and_nothing_else():
    data = whole_map().build()
    level = imported(data)
    deco = layer(level, DECO)
    place(deco, moved(corners(deco), face_at(deco, 1, 0), 1, -2))
    report = Report()
    after = exported(level, report)
    assert changes(data, after) == ({}, [DECO_TILES])
    assert differing(data, after, DECO_TILES) == {(1, 0): [0, 0, 0, 0], (2, 2): [1, 1, 0, 0]}
    assert report.notes == [f"layer {deco.name} changed"]


def test_an_edit_in_progress_in_edit_mode_is_exported():
    data = whole_map().build()
    level = imported(data)
    deco = layer(level, DECO)
    face, other = face_at(deco, 1, 0), face_at(deco, 3, 0)
    bpy.context.view_layer.objects.active = deco
    bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(deco.data)
    mesh.faces.ensure_lookup_table()
    chosen, gone = mesh.faces[face], mesh.faces[other]
    made = bmesh.ops.duplicate(mesh, geom=[chosen])["geom"]
    bmesh.ops.translate(mesh, vec=(1, 0, 0), verts=[one for one in made if isinstance(one, bmesh.types.BMVert)])
    bmesh.ops.delete(mesh, geom=[gone], context="FACES")
    bmesh.update_edit_mesh(deco.data)
    after = exported(level)
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert differing(data, after, DECO_TILES) == {(2, 0): [1, 1, 0, 0], (3, 0): [0, 0, 0, 0]}


@pytest.mark.parametrize(
    ("matrix", "flags"),
    [
        ([[0, 1], [-1, 0]], 8),
        ([[-1, 0], [0, -1]], 3),
        ([[0, -1], [1, 0]], 11),
        ([[-1, 0], [0, 1]], 1),
        ([[1, 0], [0, -1]], 2),
    ],
    ids=["clockwise", "half", "counterclockwise", "mirrored", "upside down"],
)
def test_turning_a_tile_in_edit_mode_writes_the_flags_that_look_so(matrix, flags):
    data = small_map(tiles=tile(5) + bytes(44)).build()
    level = imported(data, physics=True)
    game = layer(level, 0)
    bpy.context.view_layer.objects.active = game
    bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(game.data)
    full = np.eye(3)
    full[:2, :2] = matrix
    bmesh.ops.transform(mesh, matrix=_about((0.5, -0.5, 0), full), verts=mesh.verts)
    bmesh.ops.reverse_faces(mesh, faces=mesh.faces)
    bmesh.update_edit_mesh(game.data)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert tiles(exported(level), 0, 4)[0, 0].tolist() == [5, flags, 0, 0]


def _about(centre, turn):
    from mathutils import Matrix, Vector

    return Matrix.Translation(Vector(centre)) @ Matrix(turn).to_4x4() @ Matrix.Translation(-Vector(centre))


def test_attributes_are_written_where_they_were_edited():
    data = whole_map().build()
    level = imported(data)
    deco = layer(level, DECO)
    face = face_at(deco, 1, 0)
    deco.data.attributes["index"].data[face].value = 200
    deco.data.attributes["flags"].data[face].value = 8 | 4
    assert differing(data, exported(level), DECO_TILES) == {(1, 0): [200, 12, 0, 0]}


@pytest.mark.parametrize(
    ("record", "blob", "attribute", "byte", "value"),
    [
        (TELE, 15, "number", 0, 77),
        (TELE, 15, "index", 1, 10),
        (SPEEDUP, 17, "force", 0, 99),
        (SPEEDUP, 17, "max_speed", 1, 7),
        (SPEEDUP, 17, "angle", 4, 45),
        (SWITCH, 21, "delay", 3, 9),
        (SWITCH, 21, "number", 0, 4),
    ],
)
def test_special_fields_are_attributes(record, blob, attribute, byte, value):
    data = whole_map().build()
    level = imported(data)
    layer(level, record).data.attributes[attribute].data[0].value = value
    after = exported(level)
    assert changes(data, after) == ({}, [blob])
    old, new = parse(data)[1][blob], parse(after)[1][blob]
    allowed = {byte, byte + 1} if attribute == "angle" else {byte}
    assert {at for at in range(len(old)) if old[at] != new[at]} <= allowed
    assert new[byte] == value


def test_disagreeing_edits_are_refused_with_their_faces():
    level = imported(whole_map().build())
    deco = layer(level, DECO)
    face = face_at(deco, 1, 0)
    deco.data.attributes["flags"].data[face].value = 2
    positions = corners(deco)
    place(
        deco, np.concatenate([positions[:face], np.roll(positions[face : face + 1], 1, axis=1), positions[face + 1 :]])
    )
    with pytest.raises(SceneError, match=r"1 tile is turned in two ways: .* at \(1, 0\)") as caught:
        exported(level)
    assert caught.value.faces[deco].tolist() == [face]


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [(0.5, 0, r"1 tile is not on the grid .* at \(1.5, 0\)"), (1, -1, r"2 tiles are overlapping: at \(2, 1\)"),
     (0, 3, r"1 tile is outside the layer \(12 x 8\): at \(1, -3\)")],
)  # fmt: skip
def test_tiles_that_fit_no_cell_are_refused_and_selected(x, y, message):
    level = imported(whole_map().build())
    deco = layer(level, DECO)
    face = face_at(deco, 1, 0)
    place(deco, moved(corners(deco), face, x, y))
    with pytest.raises(SceneError, match=message) as caught:
        exported(level)
    assert face in caught.value.faces[deco]


def test_the_operator_selects_the_tiles_and_leaves_the_file(tmp_path):
    level = imported(whole_map().build())
    deco = layer(level, DECO)
    face = face_at(deco, 1, 0)
    place(deco, moved(corners(deco), face, 0.5, 0))
    path = tmp_path / "out.map"
    path.write_bytes(b"as it was")
    with pytest.raises(RuntimeError, match="not on the grid"):
        bpy.ops.export_scene.teeworlds_map(filepath=str(path))
    assert path.read_bytes() == b"as it was"
    assert [one.index for one in deco.data.polygons if one.select] == [face]
    assert bpy.context.view_layer.objects.active == deco


def test_a_layer_moved_and_turned_in_object_mode():
    data = small_map(5, 5, tile(7) + tile(8, 1) + bytes(4 * 23)).build()
    level = imported(data, physics=True)
    game = layer(level, 0)
    game.location.x, game.location.y = 2, -1
    assert differing_small(data, exported(level)) == {
        (0, 0): [0, 0, 0, 0], (1, 0): [0, 0, 0, 0], (2, 1): [7, 0, 0, 0], (3, 1): [8, 1, 0, 0]
    }  # fmt: skip
    game.location.x, game.location.y = 5, 0
    game.rotation_euler.z = -math.pi / 2  # clockwise: rows become columns from the right
    assert differing_small(data, exported(level)) == {
        (0, 0): [0, 0, 0, 0], (1, 0): [0, 0, 0, 0], (4, 0): [7, 8, 0, 0], (4, 1): [8, 9, 0, 0]
    }  # fmt: skip
    game.rotation_euler.z = 0
    game.scale.x = -1
    assert differing_small(data, exported(level)) == {
        (0, 0): [0, 0, 0, 0], (1, 0): [0, 0, 0, 0], (3, 0): [8, 0, 0, 0], (4, 0): [7, 1, 0, 0]
    }  # fmt: skip
    game.scale.x = 2
    with pytest.raises(SceneError, match="2 tiles are not on the grid"):
        exported(level)


def differing_small(before: bytes, after: bytes) -> dict[tuple[int, int], list[int]]:
    old, new = tiles(before, 0, 5), tiles(after, 0, 5)
    return {(int(x), int(y)): new[y, x].tolist() for y, x in zip(*np.nonzero((old != new).any(axis=2)), strict=True)}


def test_array_and_mirror_modifiers_make_tiles():
    data = small_map(5, 5, tile(7, 1) + bytes(4 * 24)).build()
    level = imported(data, physics=True)
    game = layer(level, 0)
    array = game.modifiers.new("array", "ARRAY")
    array.count, array.use_relative_offset, array.use_constant_offset = 2, False, True
    array.constant_offset_displace = (1, 0, 0)
    assert differing_small(data, exported(level)) == {(1, 0): [7, 1, 0, 0]}
    game.modifiers.remove(array)
    centre = bpy.data.objects.new("centre", None)
    centre.location = (1.5, 0, 0)
    mirror = game.modifiers.new("mirror", "MIRROR")
    mirror.mirror_object = centre
    assert differing_small(data, exported(level)) == {(2, 0): [7, 0, 0, 0]}


def test_new_faces_get_index_and_flags_from_their_texture():
    data = whole_map().build()
    level = imported(data)
    deco = layer(level, DECO)
    mesh = bmesh.new()
    mesh.from_mesh(deco.data)
    uv = mesh.loops.layers.uv[layout.UV]
    face = mesh.faces.new([mesh.verts.new((x, y, 0)) for x, y in ((2, 0), (2, -1), (3, -1), (3, 0))])
    for loop, (u, v) in zip(face.loops, ((5, 16), (5, 15), (6, 15), (6, 16)), strict=True):
        loop[uv].uv = (u / 16, v / 16)
    mesh.to_mesh(deco.data)
    assert differing(data, exported(level), DECO_TILES) == {(2, 0): [5, 0, 0, 0]}
    for corner in deco.data.polygons[-1].loop_indices:
        deco.data.uv_layers[0].uv[corner].vector = (0, 0)
    with pytest.raises(SceneError, match=r"1 tile is new, and neither .* at \(2, 0\)"):
        exported(level)


def test_subdivided_tiles_are_refused():
    level = imported(whole_map().build())
    deco = layer(level, DECO)
    mesh = bmesh.new()
    mesh.from_mesh(deco.data)
    bmesh.ops.subdivide_edges(mesh, edges=mesh.edges, cuts=1, use_grid_fill=True)
    mesh.to_mesh(deco.data)
    with pytest.raises(SceneError, match="not on the grid"):
        exported(level)


def test_triangulated_tiles_are_refused():
    level = imported(whole_map().build())
    deco = layer(level, DECO)
    mesh = bmesh.new()
    mesh.from_mesh(deco.data)
    bmesh.ops.triangulate(mesh, faces=mesh.faces)
    mesh.to_mesh(deco.data)
    with pytest.raises(SceneError, match="96 faces don't have four corners") as caught:
        exported(level)
    assert len(caught.value.faces[deco]) == 96


def test_tiles_joined_into_another_layer_go_there():
    data = whole_map().build()
    level = imported(data, physics=True)
    front, deco = layer(level, FRONT), layer(level, DECO)
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in (front, deco))
    bpy.context.view_layer.objects.active = deco
    bpy.ops.object.join()
    after = exported(level)
    assert names(after)[1] == ("Game", ["Game", "Deco", "Tele", "Speedup", "Switch", "Tune"])
    assert differing(data, after, DECO_TILES) == {(0, 0): [9, 0, 0, 0]}


def test_tiles_separated_from_a_layer_become_a_layer_like_it():
    data = whole_map().build()
    level = imported(data)
    deco = layer(level, DECO)
    bpy.context.view_layer.objects.active = deco
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == deco)
    face = face_at(deco, 1, 0)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.tool_settings.mesh_select_mode = (False, False, True)
    for one in bmesh.from_edit_mesh(deco.data).faces:
        one.select_set(one.index == face)
    bmesh.update_edit_mesh(deco.data)
    bpy.ops.mesh.separate(type="SELECTED")
    bpy.ops.object.mode_set(mode="OBJECT")
    after = exported(level)
    assert names(after)[1] == ("Game", ["Game", "Deco", "Deco", "Tele", "Speedup", "Front", "Switch", "Tune"])
    items, blobs = parse(after)
    assert differing(data, after, items[LAYER, DECO][14]) == {(1, 0): [0, 0, 0, 0]}
    made = np.frombuffer(blobs[items[LAYER, DECO + 1][14]], np.uint8).reshape(8, 12, 4)
    assert made[0, 1].tolist() == [1, 1, 0, 0] and np.count_nonzero(made[..., 0]) == 1
    old, new = items[LAYER, DECO], items[LAYER, DECO + 1]
    assert [number for number in range(23) if old[number] != new[number]] == [14], "all fields but its tiles"


def test_a_layer_is_resized_by_its_properties():
    data = whole_map().build()
    level = imported(data)
    deco = layer(level, DECO)
    deco["width"], deco["height"] = 14, 9
    after = exported(level)
    assert changes(data, after) == ({(LAYER, DECO): [4, 5]}, [DECO_TILES])
    assert (tiles(after, DECO_TILES, 14)[:8, :12] == tiles(data, DECO_TILES)).all()
    deco["width"] = 4
    with pytest.raises(SceneError, match=r"outside the layer \(4 x 9\)"):
        exported(level)


def test_a_layer_drawn_from_images_is_edited_by_painting():
    data = whole_map().build()
    level = imported(data, large_layer=10)
    deco = layer(level, DECO)
    assert deco[layout.STORAGE] == layout.PLANE
    assert exported(level) == data
    picture = deco[layout.FIELD_IMAGES[0]]
    pixels = np.array(picture.pixels[:], np.float32).reshape(8, 12, 4)
    pixels[7, 0, :2] = np.array((9, 8)) / 255  # the top row is the last
    picture.pixels.foreach_set(pixels.ravel())
    picture.update()
    after = exported(level)
    assert changes(data, after) == ({}, [DECO_TILES])
    assert differing(data, after, DECO_TILES) == {(0, 0): [9, 8, 0, 0]}
    deco.location.x += 1
    with pytest.raises(SceneError, match="can't be moved or turned, only painted"):
        exported(level)


def test_painting_reaches_every_byte_of_a_speedup():
    data = whole_map().build()
    level = imported(data, large_layer=0)
    speedup = layer(level, SPEEDUP)
    assert exported(level) == data
    picture = speedup[layout.FIELD_IMAGES[1]]
    pixels = np.array(picture.pixels[:], np.float32).reshape(8, 12, 4)
    pixels[7, 0, :2] = np.array((0xFE, 0xFF)) / 255  # -2 in 16 bits
    picture.pixels.foreach_set(pixels.ravel())
    assert parse(exported(level))[1][17][:6] == bytes((30, 5, 28, 0, 0xFE, 0xFF))


# ---- what layers and groups say


@pytest.mark.parametrize(
    ("record", "key", "value", "expected"),
    [
        (DECO, "layer_name", "decoration", ({(LAYER, DECO): [15, 16, 17]}, [])),
        (DECO, "detail", True, ({(LAYER, DECO): [2]}, [])),
        (DECO, "image", 1, ({(LAYER, DECO): [13]}, [])),
        (DECO, "color_envelope", -1, ({(LAYER, DECO): [11]}, [])),
        (DECO, "color_envelope_offset", -20, ({(LAYER, DECO): [12]}, [])),
        (0, "layer_name", "Air", ({(LAYER, 0): [7]}, [])),
        (0, "detail", False, ({(LAYER, 0): [2]}, [])),
        (9, "layer_name", "Hm", ({(LAYER, 9): [7]}, [])),
    ],
)
def test_properties_of_layers(record, key, value, expected):
    data = whole_map().build()
    level = imported(data)
    layer(level, record)[key] = value
    assert changes(data, exported(level)) == expected


def test_the_automapper():
    data = whole_map().build()
    level = imported(data)
    layer(level, DECO)["automapper_seed"] = 99
    words, blobs = changes(data, exported(level))
    assert list(words.values()) == [[4]] and not blobs
    level = imported(data)
    layer(level, GAME_LAYER)["automapper_config"] = 1
    after = exported(level)
    assert parse(after)[0][0xFFFD, 0] == parse(data)[0][0xFFFD, 0], "the one that was there"
    assert parse(after)[0][0xFFFD, 1] == (1, 1, 0, 1, 0, 0)


def test_a_layers_colour_is_its_objects():
    data = whole_map().build()
    level = imported(data)
    layer(level, DECO).color[1] = 0.2
    after = exported(level)
    assert changes(data, after) == ({(LAYER, DECO): [8]}, [])
    assert parse(after)[0][LAYER, DECO][8] == 51
    layer(level, DECO).color[1] = 1.5
    with pytest.raises(SceneError, match="colour"):
        exported(level)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [("group_name", "Back", [13, 14]), ("parallax_x", 33, [3]), ("parallax_y", 1, [4]), ("use_clip", False, [7])],
)
def test_properties_of_groups(key, value, expected):
    data = whole_map().build()
    level = imported(data)
    part(level, layout.GROUP, BACKGROUND)[key] = value
    assert changes(data, exported(level)) == ({(GROUP, BACKGROUND): expected}, [])


def test_a_group_is_moved_by_its_root():
    data = whole_map().build()
    level = imported(data)
    part(level, layout.GROUP, BACKGROUND).location.x += 2
    after = exported(level)
    assert changes(data, after) == ({(GROUP, BACKGROUND): [1]}, [])
    assert parse(after)[0][GROUP, BACKGROUND][1] == 16 - 64


def test_a_turned_group_is_refused():
    level = imported(whole_map().build())
    part(level, layout.GROUP, BACKGROUND).rotation_euler.z = 1
    with pytest.raises(SceneError, match="can be moved, but not turned"):
        exported(level)


def test_parallax_shown_in_the_viewport_is_no_edit():
    data = whole_map().build()
    level = imported(data, game_view=True)
    bpy.context.view_layer.update()
    assert exported(level) == data


def test_the_clip_rectangle_is_an_empty():
    data = whole_map().build()
    level = imported(data)
    clip = part(level, layout.CLIP, BACKGROUND)
    clip.location.x += 1
    clip.scale.y *= 2
    after = exported(level)
    assert changes(data, after) == ({(GROUP, BACKGROUND): [8, 9, 11]}, [])
    assert parse(after)[0][GROUP, BACKGROUND][8:12] == (32, -100, 320, 400)
    bpy.data.objects.remove(clip)
    with pytest.raises(SceneError, match="its clip rectangle is gone"):
        exported(level)
    part(level, layout.GROUP, BACKGROUND)["use_clip"] = False
    assert parse(exported(level))[0][GROUP, BACKGROUND][7:12] == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("edit", ["offset", "parallax", "clip"])
def test_nothing_moves_the_game_layers_group(edit):
    level = imported(whole_map().build())
    root = part(level, layout.GROUP, PLAYED)
    if edit == "offset":
        root.location.x += 1
    elif edit == "parallax":
        root["parallax_x"] = 50
    else:
        root["use_clip"] = True
    with pytest.raises(SceneError, match=r"game layer's group|clip rectangle is gone"):
        exported(level)


def test_a_name_that_is_too_long_names_its_object():
    level = imported(whole_map().build())
    deco = layer(level, DECO)
    deco["layer_name"] = "twelve bytes"
    with pytest.raises(SceneError, match=f"{deco.name}: .*11 fit"):
        exported(level)


# ---- images, info, settings


def test_a_repainted_image_changes_its_pixels():
    data = whole_map().build()
    level = imported(data)
    block = image(level, 0)
    pixels = np.array(block.pixels[:], np.float32)
    pixels[:4] = (1, 0, 0, 0.5)
    block.pixels.foreach_set(pixels)
    after = exported(level)
    assert changes(data, after) == ({}, [ART])
    assert parse(after)[1][ART][-32 * 4 :][:4] == bytes((255, 0, 0, 128))


@pytest.mark.parametrize("way", ["property", "data-block"])
def test_a_renamed_image(way):
    data = whole_map().build()
    level = imported(data)
    block = image(level, 1)
    if way == "property":
        block["image_name"] = "jungle_main"
    else:
        block.name = "jungle_main.png"
    after = exported(level)
    assert changes(data, after) == ({}, [GRASS_NAME])
    assert parse(after)[1][GRASS_NAME] == b"jungle_main\0"


def test_an_embedded_image_becomes_external():
    data = whole_map().build()
    level = imported(data)
    image(level, 0)["external"] = True
    words, _ = changes(data, exported(level))
    assert words[IMAGE, 0] == [3, 5]
    image(level, 0)["external"] = False
    assert exported(level) == data


def test_a_placeholder_is_never_embedded():
    m = small_map()
    m.image("no such image", 64, 64)
    level = imported(m.build())
    image(level, 0)["external"] = False
    with pytest.raises(SceneError, match="only its placeholder"):
        exported(level)


def test_a_new_image_of_a_material_joins_the_map():
    data = whole_map().build()
    level = imported(data)
    pixels = np.full((16, 16, 4), 200, np.uint8)
    block = images.from_rgba("fresh.png", pixels)
    material = layer(level, DECO).material_slots[0].material
    node = next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
    node.image = block
    after = exported(level)
    items, blobs = parse(after)
    assert items[LAYER, DECO][13] == 2
    assert items[IMAGE, 2][:4] == (1, 16, 16, 0)
    assert blobs[items[IMAGE, 2][4]] == b"fresh\0"
    assert blobs[items[IMAGE, 2][5]] == pixels.tobytes()
    block["external"] = True
    items, blobs = parse(exported(level))
    assert items[IMAGE, 2][3] == 1 and items[IMAGE, 2][5] == -1


def test_a_removed_image_renumbers_what_is_left():
    data = whole_map().build()
    level = imported(data)
    layer(level, DECO)["image"] = 1
    bpy.data.images.remove(image(level, 0))
    items, blobs = parse(exported(level))
    assert len([key for key in items if key[0] == IMAGE]) == 1
    assert items[LAYER, DECO][13] == 0, "was 1"
    assert items[LAYER, 0][6] == -1, "was 0"
    assert b"grass_main\0" in blobs and b"art\0" not in blobs


def test_unused_images_stay(tmp_path):
    data = whole_map().build()
    level = imported(data)
    layer(level, DECO)["image"] = layer(level, 0)["image"] = -1
    level = reopened(level, tmp_path)
    items, _ = parse(exported(level))
    assert len([key for key in items if key[0] == IMAGE]) == 2


def test_property_and_material_may_not_disagree():
    level = imported(whole_map().build())
    deco = layer(level, DECO)
    deco["image"] = 1
    material = deco.material_slots[0].material
    node = next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
    node.image = images.from_rgba("fresh", np.zeros((16, 16, 4), np.uint8))
    with pytest.raises(SceneError, match="both were edited"):
        exported(level)


def test_info_and_settings():
    data = whole_map().build()
    level = imported(data)
    level["author"] = "someone else"
    assert changes(data, exported(level)) == ({}, [AUTHOR])
    level["author"] = "the author"
    text = originals.resources(level, layout.SETTINGS)[0]
    text.write("sv_cheats 1\n")
    after = exported(level)
    assert changes(data, after) == ({}, [SETTINGS])
    assert parse(after)[1][SETTINGS] == b"tune_zone 1 gravity 0.3\0sv_team 2\0sv_cheats 1\0"
    text.clear()
    assert changes(data, exported(level))[0][INFO, 0] == [5]


def test_a_map_without_info_gets_one_only_for_what_was_written():
    data = small_map().build()
    level = imported(data)
    assert exported(level) == data
    level["credits"] = "me"
    items, blobs = parse(exported(level))
    assert blobs[items[INFO, 0][3]] == b"me\0"


# ---- refusals of the game


def test_a_level_that_the_game_would_refuse_is_refused():
    level = imported(small_map().build())
    layer(level, 0)["width"] = 1
    with pytest.raises(SceneError, match=r"the game would refuse the map: .*at least 2"):
        exported(level)


def test_what_the_game_refuses_in_the_original_stays():
    m = Map()
    m.group("Game")  # no version item: DDNet refuses it
    m.tiles(4, 3, tile(1) + bytes(44), flags=GAME)
    data = m.build()
    level = imported(data)
    layer(level, 0)["layer_name"] = "x"
    assert changes(data, exported(level)) == ({(LAYER, 0): [15]}, [])
