# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene laid over its original: nothing edited gives the same bytes, an edit changes what it means and no more."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.materials.collect import materials_of, shown_images

from tests.addon.teeworlds.export_helpers import (
    changes,
    exported,
    image,
    imported,
    layer,
    opened,
    parse,
    part,
    reopened,
)
from tests.formats.teeworlds_bytes import GAME, GROUP, IMAGE, INFO, LAYER, Map, quad, small_map, tile, whole_map

# Of whole_map: blobs, layers and groups by number.
AUTHOR, SETTINGS, ART, GRASS_NAME = 0, 4, 6, 7
GAME_LAYER, DECO = 2, 3
BACKGROUND, PLAYED = 0, 1


# ---- nothing edited


def test_an_unedited_scene_is_the_original_byte_for_byte():
    data = whole_map().build()
    report = Report()
    assert exported(imported(data), report) == data
    assert not report.warnings and not report.notes and "left out" not in report.summary()


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
    level = opened(data)
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
    level = opened(whole_map().build())
    with pytest.raises(SceneError, match=r"cannot hold: .*layer 2 of group 1 \(4 Tele\): the tele layer") as caught:
        exported(level, profile="vanilla07")
    assert layer(level, 4) in caught.value.objects
    report = Report()
    converted = exported(level, report, profile="vanilla07", drop=True)
    assert "left out" in report.summary()
    assert any("layer 2 of group 1 (4 Tele): the tele layer" in line for line in report.lines())
    assert converted != whole_map().build()


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
        (0, "image", 1, ({(LAYER, 0): [6]}, [])),
        (9, "layer_name", "Hm", ({(LAYER, 9): [7]}, [])),
        (9, "detail", True, ({(LAYER, 9): [2]}, [])),
        (9, "sound", -1, ({(LAYER, 9): [6]}, [])),
    ],
)
def test_properties_of_layers(record, key, value, expected):
    data = whole_map().build()
    level = opened(data)
    layer(level, record)[key] = value
    assert changes(data, exported(level)) == expected


def test_the_automapper():
    data = whole_map().build()
    level = opened(data)
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
    level = opened(data)
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
    level = opened(data)
    part(level, layout.GROUP, BACKGROUND)[key] = value
    assert changes(data, exported(level)) == ({(GROUP, BACKGROUND): expected}, [])


def test_a_group_is_moved_by_its_root():
    data = whole_map().build()
    level = opened(data)
    part(level, layout.GROUP, BACKGROUND).location.x += 2
    after = exported(level)
    assert changes(data, after) == ({(GROUP, BACKGROUND): [1]}, [])
    assert parse(after)[0][GROUP, BACKGROUND][1] == 16 - 64


def test_a_turned_group_is_refused():
    level = opened(whole_map().build())
    part(level, layout.GROUP, BACKGROUND).rotation_euler.z = 1
    with pytest.raises(SceneError, match="can be moved, but not turned"):
        exported(level)


def test_the_games_view_is_no_edit():
    data = whole_map().build()
    level = imported(data, game_view=True)
    for what in ("PARALLAX", "BORDERS", "CLIP", "PHYSICS"):
        bpy.ops.levelwright.teeworlds_switch_view(what=what, on=True)
    bpy.context.view_layer.update()
    report = Report()
    assert exported(level, report) == data
    assert "left out" not in report.summary()


def test_the_clip_rectangle_is_an_empty():
    data = whole_map().build()
    level = opened(data)
    clip = part(level, layout.CLIP, BACKGROUND)
    clip.location.x += 1
    clip.scale.y *= 2
    after = exported(level)
    assert changes(data, after) == ({(GROUP, BACKGROUND): [8, 9, 11]}, [])
    assert parse(after)[0][GROUP, BACKGROUND][8:12] == (32, -100, 320, 400)
    bpy.data.objects.remove(clip)
    with pytest.raises(SceneError, match="has no clip rectangle"):
        exported(level)
    part(level, layout.GROUP, BACKGROUND)["use_clip"] = False
    assert parse(exported(level))[0][GROUP, BACKGROUND][7:12] == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("edit", ["offset", "parallax", "clip"])
def test_nothing_moves_the_game_layers_group(edit):
    level = opened(whole_map().build())
    root = part(level, layout.GROUP, PLAYED)
    if edit == "offset":
        root.location.x += 1
    elif edit == "parallax":
        root["parallax_x"] = 50
    else:
        root["use_clip"] = True
    with pytest.raises(SceneError, match=r"game layer's group|has no clip rectangle"):
        exported(level)


def test_a_name_that_is_too_long_names_its_object():
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    deco["layer_name"] = "twelve bytes"
    with pytest.raises(SceneError, match=f"{deco.name}: .*11 fit"):
        exported(level)


def test_a_copy_of_a_folded_quad_is_a_quad_too():
    m = small_map()
    m.group("Quads")
    m.quads([quad(((32768, 0), (0, 0), (0, 32768), (32768, 32768)))])  # crossed sides: two triangles in Blender
    level = imported(m.build())
    obj = layer(level, 1)
    assert len(obj.data.polygons) == 2
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    made = bmesh.ops.duplicate(mesh, geom=mesh.faces)["geom"]
    bmesh.ops.translate(mesh, vec=(4, 0, 0), verts=[one for one in made if isinstance(one, bmesh.types.BMVert)])
    mesh.to_mesh(obj.data)
    items, blobs = parse(exported(level))
    assert items[LAYER, 1][4] == 2
    points = np.frombuffer(blobs[items[LAYER, 1][5]], "<i4").reshape(2, 38)[:, :8]
    assert (points[1] - points[0] == [4 * 32768, 0] * 4).all()


# ---- images, info, settings


def test_a_repainted_image_changes_its_pixels():
    data = whole_map().build()
    level = opened(data)
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
    level = opened(data)
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
    level = opened(data)
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
    level = opened(data)
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


@pytest.mark.parametrize("number", range(4))
def test_any_node_of_a_tilesets_material_tells_its_image(number):
    level = opened(whole_map().build())
    material = layer(level, DECO).material_slots[0].material
    nodes = [node for node in material.node_tree.nodes if node.type == "TEX_IMAGE"]
    nodes[number].image = images.from_rgba("fresh", np.zeros((16, 16, 4), np.uint8))
    report = Report()
    assert parse(exported(level, report))[0][LAYER, DECO][13] == 2
    assert any("'art', the map will show 'fresh'" in warning for warning in report.warnings), report.warnings
    nodes[number - 1].image = images.from_rgba("other", np.zeros((16, 16, 4), np.uint8))
    with pytest.raises(SceneError, match="one image, its material shows 2"):
        exported(level)


@pytest.mark.parametrize(("record", "word"), [(0, 6), (DECO, 13)])
def test_the_image_of_a_layer_is_set_in_the_sidebar(record, word):
    data = whole_map().build()
    level = opened(data)
    bpy.context.view_layer.objects.active = obj = layer(level, record)
    before = obj["image"]
    for number in (1 - before, -1):
        bpy.ops.levelwright.teeworlds_set_image(record=number)
        report = Report()
        assert changes(data, exported(level, report)) == ({(LAYER, record): [word]}, [])
        assert not report.warnings
        shown = {image for one in materials_of((obj, *obj.children_recursive)) for image in shown_images(obj, one)}
        assert shown == ({image(level, number)} if number >= 0 else set())
    bpy.ops.levelwright.teeworlds_set_image(record=before)
    assert exported(level) == data
    with pytest.raises(RuntimeError, match="no image 5"):
        bpy.ops.levelwright.teeworlds_set_image(record=5)
    bpy.context.view_layer.objects.active = layer(level, GAME_LAYER)
    with pytest.raises(RuntimeError, match="The active layer is not one with an image"):
        bpy.ops.levelwright.teeworlds_set_image(record=0)


def test_a_tileset_that_the_game_will_not_show_is_told():
    level = opened(whole_map().build())
    report = Report()
    exported(level, report)
    assert not report.warnings
    image(level, 0).scale(40, 32)
    exported(level, report)
    assert [warning for warning in report.warnings if "'art' has 40 x 32 px" in warning]
    m = small_map()
    m.tiles(4, 3, tile(1) * 12, image=m.image("odd", 40, 32, bytes(4 * 40 * 32)))
    report = Report()
    exported(imported(m.build()), report)
    assert not report.warnings, "it came like that"


def test_a_quad_that_shows_another_image_than_its_layer_is_told():
    data = whole_map().build()
    level = opened(data)
    child = next(obj for obj in layer(level, 0).children if obj.type == "MESH")
    child.data.materials[0] = material = child.material_slots[0].material.copy()
    next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE").image = image(level, 1)
    report = Report()
    assert exported(level, report) == data
    assert any("'grass_main', the map will show 'art'" in warning for warning in report.warnings), report.warnings


def test_a_removed_image_renumbers_what_is_left():
    data = whole_map().build()
    level = opened(data)
    layer(level, DECO)["image"] = 1
    bpy.data.images.remove(image(level, 0))
    items, blobs = parse(exported(level))
    assert len([key for key in items if key[0] == IMAGE]) == 1
    assert items[LAYER, DECO][13] == 0, "was 1"
    assert items[LAYER, 0][6] == -1, "was 0"
    assert b"grass_main\0" in blobs and b"art\0" not in blobs


def test_unused_images_stay(tmp_path):
    data = whole_map().build()
    level = opened(data)
    layer(level, DECO)["image"] = layer(level, 0)["image"] = -1
    level = reopened(level, tmp_path)
    items, _ = parse(exported(level))
    assert len([key for key in items if key[0] == IMAGE]) == 2


def test_property_and_material_may_not_disagree():
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    deco["image"] = 1
    material = deco.material_slots[0].material
    node = next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
    node.image = images.from_rgba("fresh", np.zeros((16, 16, 4), np.uint8))
    with pytest.raises(SceneError, match="both were edited"):
        exported(level)


def test_a_layer_whose_number_names_no_image_never_shows_a_new_one():
    m = small_map()
    for number in (1, 0):
        m.tiles(4, 3, tile(1) * 12, image=number)
    m.image("art", 16, 16, bytes(1024))
    stray, shown = 1, 2
    level = imported(m.build())
    assert exported(level) == m.build()
    material = layer(level, shown).material_slots[0].material
    for node in material.node_tree.nodes:
        if node.type == "TEX_IMAGE":
            node.image = images.from_rgba("fresh", np.zeros((16, 16, 4), np.uint8))
            break
    items, _ = parse(exported(level))
    assert items[LAYER, shown][13] == 1, "the new image"
    assert items[LAYER, stray][13] == -1, "it named none before"


def test_an_image_that_is_not_there_is_refused():
    level = opened(whole_map().build())
    layer(level, DECO)["image"] = 7
    with pytest.raises(SceneError, match="there is no image 7"):
        exported(level)


def test_info_and_settings():
    data = whole_map().build()
    level = opened(data)
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


@pytest.mark.parametrize(("key", "limit"), [("author", 31), ("map_version", 15), ("credits", 127), ("license", 31)])
def test_texts_that_the_games_editors_cut_are_named(key, limit):
    level = opened(whole_map().build())
    report = Report()
    level[key] = "x" * limit
    exported(level, report)
    assert not report.warnings
    level[key] = "x" * (limit - 1) + "äö"
    after = exported(level, report)
    assert report.warnings == [
        f"the map's {key} has {limit + 3} bytes, of which the games' editors read {limit}: {'x' * (limit - 1)!r}"
    ]
    again = Report()
    assert exported(imported(after), again) == after
    assert not again.warnings, "it came so"


def test_server_settings_that_the_games_editors_cut_are_named():
    level, report = imported(whole_map().build()), Report()
    originals.resources(level, layout.SETTINGS)[0].write(f"{'a' * 255}\n{'b' * 256}\n")
    exported(level, report)
    assert report.warnings == [
        f"line 4 of the server settings has 256 bytes, of which the games' editors read 255: {'b' * 255!r}"
    ]


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
    with pytest.raises(SceneError, match=r"refuse the map: .*layer 0 of group 0 \(0 Game\): .*at least 2") as caught:
        exported(level)
    assert caught.value.objects == [layer(level, 0)]


def test_what_the_game_refuses_in_the_original_stays():
    m = Map()
    m.group("Game")  # no version item: DDNet refuses it
    m.tiles(4, 3, tile(1) + bytes(44), flags=GAME)
    data = m.build()
    level = imported(data)
    layer(level, 0)["layer_name"] = "x"
    assert changes(data, exported(level)) == ({(LAYER, 0): [15]}, [])
