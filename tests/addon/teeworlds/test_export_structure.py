# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups and layers added, removed, copied and put in another order; what belongs to no level or to another one."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout, operators
from levelwright.addon.teeworlds.structure.operators import remove_group, remove_layer
from levelwright.addon.teeworlds.tiles.operators import fill_tiles
from levelwright.formats.teeworlds.tile_faces import TILE_FIELDS

from tests.addon.teeworlds.export_helpers import (
    changes,
    corners,
    exported,
    group,
    image,
    imported,
    layer,
    names,
    opened,
    parse,
    part,
    place,
    reopened,
)
from tests.formats.teeworlds_bytes import GROUP, IMAGE, INFO, LAYER, SOUND, small_map, tile, whole_map

DECO, FRONT = 3, 6
BEFORE = [
    ("Background", ["Sky", "empty"]),
    ("Game", ["Game", "Deco", "Tele", "Speedup", "Front", "Switch", "Tune"]),
    ("Sound", ["Hum", "Old"]),
    ("Later", []),
]


@pytest.fixture
def data() -> bytes:
    return whole_map().build()


@pytest.fixture
def level(data: bytes) -> bpy.types.Collection:
    return opened(data)


def duplicated(obj: bpy.types.Object) -> bpy.types.Object:
    """The object once more, with its own mesh, as Shift+D makes it."""
    twin = obj.copy()
    if obj.data is not None:
        twin.data = obj.data.copy()
    for collection in obj.users_collection:
        collection.objects.link(twin)
    return twin


def test_the_order_of_layers_is_their_property(data, level):
    layer(level, DECO)["order"] = -1
    after = exported(level)
    assert names(after)[1][1][:2] == ["Deco", "Game"]
    words, _ = changes(data, after)
    assert set(words) == {(LAYER, 2), (LAYER, 3), (0xFFFD, 0)}, (
        "two items changed places, and the automapper's followed"
    )


def test_moving_layers_with_the_operator(data, level):
    bpy.context.view_layer.objects.active = layer(level, DECO)
    bpy.ops.levelwright.teeworlds_move_layer(steps=2)
    after = exported(level)
    assert names(after)[1][1] == ["Game", "Tele", "Speedup", "Deco", "Front", "Switch", "Tune"]
    bpy.ops.levelwright.teeworlds_move_layer(steps=-2)
    assert exported(level) == data


def test_the_order_of_groups_is_that_of_their_collections(data, level):
    bpy.context.view_layer.objects.active = layer(level, 0)
    bpy.ops.levelwright.teeworlds_move_group(steps=1)
    after = exported(level)
    assert names(after) == [BEFORE[1], BEFORE[0], BEFORE[2], BEFORE[3]]
    bpy.ops.levelwright.teeworlds_move_group(steps=-1)
    assert exported(level) == data


def test_a_removed_layer_is_gone_and_nothing_else(data, level):
    bpy.data.objects.remove(layer(level, FRONT))
    after = exported(level, report := Report())
    assert names(after)[1][1] == ["Game", "Deco", "Tele", "Speedup", "Switch", "Tune"]
    old, new = parse(data)[1], parse(after)[1]
    assert new == old[:18] + old[20:], "its tiles and their dummy"
    assert report.notes == ["layer 'Front' removed"]


def test_a_removed_group_takes_its_layers_along(data, level):
    bpy.context.view_layer.objects.active = layer(level, 0)
    bpy.ops.levelwright.teeworlds_remove_group()
    assert names(exported(level)) == BEFORE[1:]


def test_a_map_without_its_game_layer_is_refused(level):
    bpy.data.objects.remove(layer(level, 2))
    with pytest.raises(SceneError, match=r"no game layer \(its object was deleted\)"):
        exported(level)


def test_a_copied_layer_is_a_new_one_with_all_fields(data, level):
    twin = duplicated(layer(level, DECO))
    twin["layer_name"] = "Twin"
    report = Report()
    after = exported(level, report)
    assert names(after)[1][1] == ["Game", "Deco", "Twin", "Tele", "Speedup", "Front", "Switch", "Tune"]
    items, blobs = parse(after)
    old, new = items[LAYER, DECO], items[LAYER, DECO + 1]
    assert {number for number in range(23) if old[number] != new[number]} == {14, 15}, "its tiles and its name"
    assert blobs[old[14]] == blobs[new[14]]
    assert report.notes == [f"layer {twin.name} is new"]
    assert parse(after)[1][: old[14] + 1] == parse(data)[1][: old[14] + 1]


def test_a_copy_that_was_edited_starts_from_the_records_of_the_first(level):
    twin = duplicated(layer(level, DECO))
    positions = corners(twin)
    positions[:, :, 0] += np.where(np.floor(positions.mean(axis=1)[:, :1]) % 2 == 0, 1, -1)  # columns change places
    place(twin, positions)
    items, blobs = parse(exported(level))
    old, new = (np.frombuffer(blobs[items[LAYER, at][14]], "<u4").reshape(8, 12) for at in (DECO, DECO + 1))
    assert (new.reshape(8, 6, 2)[:, :, ::-1] == old.reshape(8, 6, 2)).all()


def test_a_copied_quad_layer(data, level):
    sky = layer(level, 0)
    twins = {obj: duplicated(obj) for obj in (sky, *sky.children_recursive)}
    for obj, twin in twins.items():
        twin.parent = twins.get(obj.parent, obj.parent)
    after = exported(level)
    assert names(after)[0] == ("Background", ["Sky", "Sky", "empty"])
    items, blobs = parse(after)
    assert blobs[items[LAYER, 0][5]] == blobs[items[LAYER, 1][5]] == parse(data)[1][10]


def test_a_copied_group_is_a_new_one_with_all_fields(data, level):
    """As the outliner's Duplicate Collection does it."""
    source = group(level, 0)
    twin = bpy.data.collections.new("twin")
    level.children.link(twin)
    identity_of = identity.stamped(source)
    identity.stamp(twin, identity_of.token, identity_of.kind, identity_of.record)
    copies = {obj: obj.copy() for obj in source.all_objects}
    for obj, copy in copies.items():
        copy.parent = copies.get(obj.parent, obj.parent)
        twin.objects.link(copy)
    after = exported(level)
    assert names(after) == [*BEFORE, BEFORE[0]]
    items, _ = parse(after)
    old, new = items[GROUP, 0], items[GROUP, 4]
    assert {number for number in range(15) if old[number] != new[number]} == {5}, "its first layer"


def test_a_layer_moved_to_another_group_keeps_what_it_holds(data, level):
    deco = layer(level, DECO)
    group(level, 1).objects.unlink(deco)
    group(level, 0).objects.link(deco)
    after = exported(level)
    assert names(after)[:2] == [
        ("Background", ["Sky", "empty", "Deco"]),
        ("Game", ["Game", "Tele", "Speedup", "Front", "Switch", "Tune"]),
    ]
    assert sorted(parse(after)[1]) == sorted(parse(data)[1])
    bpy.context.view_layer.objects.active = deco
    bpy.ops.levelwright.teeworlds_move_to_group(target=3)
    after = exported(level)
    assert names(after)[3] == ("Later", ["Deco"])
    assert sorted(parse(after)[1]) == sorted(parse(data)[1])


@pytest.mark.parametrize("record", [2, FRONT])
def test_physics_layers_exist_once(level, record):
    duplicated(layer(level, record))
    with pytest.raises(SceneError, match=r"a map has one (GAME|FRONT) layer, here are 2") as caught:
        exported(level)
    assert len(caught.value.objects) == 2


def test_physics_layers_stay_with_the_game_layer(level):
    front = layer(level, FRONT)
    front.users_collection[0].objects.unlink(front)
    group(level, 0).objects.link(front)
    with pytest.raises(SceneError, match="a FRONT layer must be in the group of the game layer"):
        exported(level)


def test_a_layer_outside_all_groups_is_refused(level):
    deco = layer(level, DECO)
    group(level, 1).objects.unlink(deco)
    level.objects.link(deco)
    with pytest.raises(SceneError, match="is not in a group"):
        exported(level)


def test_a_group_in_a_group_is_refused(level):
    inner, outer = group(level, 2), group(level, 0)
    level.children.unlink(inner)
    outer.children.link(inner)
    with pytest.raises(SceneError, match="lies in group"):
        exported(level)


def test_what_is_no_part_of_the_map_is_left_out_by_name(data, level):
    cube = bpy.data.objects.new("a cube", bpy.data.meshes.new("a cube"))
    group(level, 1).objects.link(cube)
    lamp = bpy.data.objects.new("a lamp", bpy.data.lights.new("a lamp", "SUN"))
    level.objects.link(lamp)
    level.children.link(bpy.data.collections.new("notes"))
    report = Report()
    assert exported(level, report) == data
    for name in ("a cube", "a lamp", "notes"):
        assert name in report.summary()


# ---- made in Blender


def test_layers_of_every_kind_are_added_to_an_imported_map(data, level):
    later = group(level, 3)
    operators.add_tile_layer(level, later, "TILES", "tiles", (12, 8), image=0)
    operators.add_quad_layer(level, later, "quads", image=1)
    operators.add_sound_layer(level, later, "sounds", sound=0)
    after = exported(level)
    assert names(after) == [*BEFORE[:3], ("Later", ["tiles", "quads", "sounds"])]
    items, blobs = parse(after)
    assert items[LAYER, 11][13] == 0 and items[LAYER, 12][6] == 1 and items[LAYER, 13][6] == 0
    assert not any(blobs[items[LAYER, 11][14]])
    assert (
        blobs[items[LAYER, 12][5]]
        == np.array([(x * 32768, y * 32768) for x, y in ((-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0))], "<i4").tobytes()
        + np.array([255] * 16 + [0, 0, 1024, 0, 0, 1024, 1024, 1024, -1, 0, -1, 0], "<i4").tobytes()
    )
    assert parse(after)[1][: len(parse(data)[1]) - 1] == parse(data)[1][:-1], "what was there stays in its place"


def test_the_operators_add_and_remove(data, level):
    bpy.context.view_layer.objects.active = layer(level, DECO)  # the new group is the active one then
    bpy.ops.levelwright.teeworlds_add_group(title="Mine")
    bpy.ops.levelwright.teeworlds_add_layer(kind="TILES", title="ground", width=5, height=4)
    made = bpy.context.view_layer.objects.active
    bpy.ops.levelwright.teeworlds_fill_tiles(x=1, y=1, width=3, height=2, index=17, rotate=True)
    bpy.ops.levelwright.teeworlds_fill_tiles(x=2, y=1, index=0)
    after = exported(level)
    assert names(after)[4] == ("Mine", ["ground"])
    items, blobs = parse(after)
    found = np.frombuffer(blobs[items[LAYER, 11][14]], np.uint8).reshape(4, 5, 4)
    assert found[..., 0].tolist() == [[0] * 5, [0, 17, 0, 17, 0], [0, 17, 17, 17, 0], [0] * 5]
    assert found[1, 1].tolist() == [17, 8, 0, 0]
    bpy.context.view_layer.objects.active = made
    bpy.ops.levelwright.teeworlds_remove_layer()
    with pytest.raises(RuntimeError, match="not a layer of the map"):
        bpy.ops.levelwright.teeworlds_remove_layer()
    assert names(exported(level)) == [*BEFORE, ("Mine", [])]


def test_tiles_filled_in_may_be_turned_on(level):
    made = operators.add_tile_layer(level, group(level, 3), "TILES", "new", (4, 4))
    fill_tiles(made, (0, 0), (1, 1), 5, 1)
    positions = corners(made)
    place(made, positions[:, [3, 0, 1, 2]])  # by 90 degrees clockwise
    items, blobs = parse(exported(level))
    assert blobs[items[LAYER, 11][14]][:4] in (bytes((5, 9, 0, 0)), bytes((5, 10, 0, 0)))
    with pytest.raises(SceneError, match="reach beyond it"):
        fill_tiles(made, (3, 0), (2, 1), 5)


def test_a_missing_physics_layer_is_added_to_the_game_group():
    level = imported(small_map().build(), physics=True)
    bpy.context.view_layer.objects.active = layer(level, 0)
    bpy.ops.levelwright.teeworlds_add_layer(kind="SWITCH", title="Switch")
    made = bpy.context.view_layer.objects.active
    fill_tiles(made, (0, 0), (1, 1), 22, number=3, delay=7)
    items, blobs = parse(exported(level))
    assert items[LAYER, 1][4:7] == (4, 3, 16)
    assert blobs[items[LAYER, 1][21]][:4] == bytes((3, 22, 0, 7))
    assert len(blobs[items[LAYER, 1][14]]) == 4 * 4 * 3, "its dummy"


def test_changing_the_kind_of_a_layer(data, level):
    front = layer(level, FRONT)
    front["tile_kind"] = list(TILE_FIELDS).index("TILES")
    after = exported(level)
    items, blobs = parse(after)
    assert items[LAYER, FRONT][6] == 0
    assert blobs[items[LAYER, FRONT][14]] == parse(data)[1][19]


def test_images_are_added_and_removed_with_the_operators(data, level, tmp_path):
    path = tmp_path / "fresh.png"
    path.write_bytes(images.png(np.full((16, 16, 4), 9, np.uint8)))
    bpy.ops.levelwright.teeworlds_add_image(filepath=str(path))
    assert sorted(originals.resources(level, layout.IMAGE)) == [0, 1, 2]
    layer(level, DECO)["image"] = 2
    items, blobs = parse(exported(level))
    assert items[LAYER, DECO][13] == 2
    assert [blobs[items[IMAGE, 2][word]] for word in (4, 5)] == [b"fresh\0", bytes([9]) * 1024]
    bpy.ops.levelwright.teeworlds_remove_image(record=2)
    with pytest.raises(RuntimeError, match="no image 2"):
        bpy.ops.levelwright.teeworlds_remove_image(record=2)
    path.write_bytes(b"nothing to see")
    with pytest.raises(RuntimeError, match=r"fresh\.png: not an image"):
        bpy.ops.levelwright.teeworlds_add_image(filepath=str(path))
    layer(level, DECO)["image"] = 0
    assert exported(level) == data


def test_a_clip_rectangle_is_added(level):
    bpy.context.view_layer.objects.active = part(level, layout.GROUP, 3)
    bpy.ops.levelwright.teeworlds_add_clip()
    assert parse(exported(level))[0][GROUP, 3][7:12] == (1, 0, 0, 640, 480)


# ---- never imported


def test_a_new_map_exports(tmp_path):
    bpy.ops.levelwright.teeworlds_new_map(name="mine", width=20, height=10)
    level = originals.level_of(bpy.context)
    assert level.name == "mine"
    bpy.ops.levelwright.teeworlds_add_group(title="Front")
    bpy.ops.levelwright.teeworlds_add_layer(kind="TILES", title="deco")
    fill_tiles(bpy.context.view_layer.objects.active, (0, 0), (20, 1), 3)
    level["author"] = "me"
    path = tmp_path / "mine.map"
    bpy.ops.export_scene.teeworlds_map(filepath=str(path))
    after = path.read_bytes()
    assert names(after) == [("Game", ["Game"]), ("Front", ["deco"])]
    level = reopened(level, tmp_path)
    assert exported(level) == after, "the same again after saving and reopening"
    again = imported(after)
    assert exported(again) == after


def test_settings_are_added_in_the_sidebar(tmp_path):
    bpy.ops.levelwright.teeworlds_new_map(name="mine", width=20, height=10)
    level = originals.level_of(bpy.context)
    for _ in range(2):
        bpy.ops.levelwright.teeworlds_edit_settings()
    (text,) = bpy.data.texts
    before = exported(level)
    text.write("sv_deepfly 0")
    items, blobs = parse(exported(level))
    assert blobs[items[INFO, 0][5]] == b"sv_deepfly 0\0"
    text.clear()
    assert exported(level) == before


def test_a_new_map_needs_its_game_layer():
    level = operators.new_map(bpy.context, "mine", 20, 10)
    remove_layer(level, layer(level, 0))
    with pytest.raises(SceneError, match="no game layer"):
        exported(level)


def test_copies_in_a_new_map_are_layers_too():
    level = operators.new_map(bpy.context, "mine", 20, 10)
    made = operators.add_tile_layer(level, group(level, 0), "TILES", "one", (20, 10))
    fill_tiles(made, (0, 0), (2, 2), 9)
    twin = duplicated(made)
    twin["layer_name"] = "two"
    after = exported(level)
    assert names(after) == [("Game", ["Game", "one", "two"])]
    items, blobs = parse(after)
    assert blobs[items[LAYER, 1][14]] == blobs[items[LAYER, 2][14]]


def test_built_as_new_a_map_holds_the_same_without_the_original(data, level):
    after = exported(level, build_as_new=True, profile="preserve")
    assert names(after) == names(data)
    items, blobs = parse(after)
    old_items, old_blobs = parse(data)
    for record in (2, DECO):
        assert blobs[items[LAYER, record][14]] == old_blobs[old_items[LAYER, record][14]]
    assert items[LAYER, DECO][7:14] == old_items[LAYER, DECO][7:14], "colour, envelope and image"
    assert blobs[items[LAYER, 0][5]] == old_blobs[old_items[LAYER, 0][5]], "quads"
    for key, words in (((INFO, 0), (1, 2, 3, 4, 5)), ((IMAGE, 0), (4, 5)), ((SOUND, 0), (2, 3))):
        for word in words:
            assert blobs[items[key][word]] == old_blobs[old_items[key][word]], (key, word)
    assert items[LAYER, 9][6] == 0, "the sound"
    assert exported(imported(after)) == after


# ---- without or with another original


def test_a_layer_of_another_level_becomes_a_new_one(data, level):
    m = small_map(tiles=tile(44, 9) + bytes(44))
    m.group("Other")
    m.tiles(4, 3, tile(45, 8) + bytes(44), title="guest")
    other = imported(m.build())
    guest = layer(other, 1)
    guest.users_collection[0].objects.unlink(guest)
    group(level, 3).objects.link(guest)
    after = exported(level)
    assert names(after)[3] == ("Later", ["guest"])
    items, blobs = parse(after)
    assert blobs[items[LAYER, 11][14]] == tile(45, 8) + bytes(44)
    assert exported(other) != data


def test_a_level_without_its_original_is_refused_until_it_is_attached(data, level):
    del level[originals.ORIGINAL]
    with pytest.raises(SceneError, match="Attach the file whose SHA-256"):
        exported(level)
    originals.reattach(level, data)
    assert exported(level) == data


def test_an_image_copied_in_blender_is_a_new_image(level):
    copy = image(level, 0).copy()
    material = layer(level, DECO).material_slots[0].material
    next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE").image = copy
    items, blobs = parse(exported(level))
    assert items[LAYER, DECO][13] == 2 and blobs[items[2, 2][4]] == b"art\0"


def test_a_layer_whose_original_is_nowhere_is_refused_unless_it_is_built_as_new(level):
    """One object appended to a file that doesn't have the map that it came from."""
    deco = layer(level, DECO)
    deco.name = "appended"
    level.name = "old"
    mine = operators.new_map(bpy.context, "mine", 20, 10)
    deco.users_collection[0].objects.unlink(deco)
    group(mine, 0).objects.link(deco)
    deco.parent = None
    digest = identity.stamped(deco).digest
    remove_group(level, group(level, 0))
    bpy.data.collections.remove(level)
    with pytest.raises(SceneError, match=digest) as caught:
        exported(mine)
    assert caught.value.objects == [deco]
    deco["color_envelope"] = deco["image"] = -1
    for slot in deco.material_slots:
        slot.material = None
    items, blobs = parse(exported(mine, build_as_new=True))
    assert names(exported(mine, build_as_new=True)) == [("Game", ["Game", "Deco"])]
    assert blobs[items[LAYER, 1][14]] == parse(whole_map().build())[1][13]


def test_a_layer_in_a_collection_of_the_users_own_is_refused(level):
    deco = layer(level, DECO)
    own = bpy.data.collections.new("own")
    level.children.link(own)
    group(level, 1).objects.unlink(deco)
    own.objects.link(deco)
    with pytest.raises(SceneError, match="is not in a group"):
        exported(level)


def test_what_lost_its_layer_is_left_out_by_name(level):
    sky = layer(level, 0)
    animated = [obj.name for obj in sky.children_recursive if obj.type == "MESH"]
    bpy.data.objects.remove(sky)
    lamp = bpy.data.objects.new("a lamp", bpy.data.lights.new("a lamp", "SUN"))
    lamp.parent = layer(level, DECO)
    group(level, 1).objects.link(lamp)
    report = Report()
    assert names(exported(level, report))[0] == ("Background", ["empty"])
    assert animated
    for name in (*animated, "a lamp"):
        assert f"object {name!r}" in report.summary()


def test_a_copy_of_the_whole_level_exports_on_its_own(data, level):
    """As the outliner's Duplicate Collection does it: everything, with the original."""
    twin = level.copy()
    for child in twin.children:
        twin.children.unlink(child)
    for obj in twin.objects:
        twin.objects.unlink(obj)
    copies = {obj: obj.copy() for obj in level.all_objects}
    for obj, copy in copies.items():
        copy.parent = copies.get(obj.parent)

    def fill(source, target):
        for obj in source.objects:
            target.objects.link(copies[obj])
        for child in source.children:
            made = child.copy()
            for inner in list(made.children):
                made.children.unlink(inner)
            for obj in list(made.objects):
                made.objects.unlink(obj)
            target.children.link(made)
            fill(child, made)

    fill(level, twin)
    bpy.context.scene.collection.children.link(twin)
    assert exported(twin) == data
    bpy.data.objects.remove(layer(twin, FRONT))
    assert exported(level) == data != exported(twin)
