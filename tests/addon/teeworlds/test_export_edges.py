# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export reads of groups, clip rectangles, colours, tiles: each axis and sign, both sides of each limit."""

import math
from typing import Any

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.sounds import build as sounds
from levelwright.formats import teeworlds

from tests.addon.teeworlds.export_helpers import changes, exported, image, imported, layer, opened, parse, part
from tests.formats.teeworlds_bytes import (
    FRONT,
    GAME,
    GROUP,
    IMAGE,
    LAYER,
    SOUND,
    Map,
    point,
    quad,
    small_map,
    tile,
    whole_map,
)

DECO = 3
PIXEL = 1 / 32


def report_of(level: bpy.types.Collection) -> Report:
    report = Report()
    exported(level, report)
    return report


# ---- groups


@pytest.mark.parametrize(("axis", "moved", "words"), [(0, 3, (16 - 96, -8)), (1, 5, (16, -8 + 160))])
def test_a_group_moves_on_each_axis(axis: int, moved: int, words: tuple[int, int]) -> None:
    data = whole_map().build()
    level = opened(data)
    part(level, layout.GROUP, 0).location[axis] += moved
    after = exported(level)
    assert changes(data, after) == ({(GROUP, 0): [1 + axis]}, [])
    assert parse(after)[0][GROUP, 0][1:3] == words


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", [layout.GROUP, layout.CLIP])
def test_a_place_between_pixels_is_told_from_a_sixteenth_on(kind: str, axis: int) -> None:
    level = opened(whole_map().build())
    obj = part(level, kind, 0)
    start = obj.location[axis]
    for sign in (-1, 1):
        obj.location[axis] = start + sign * PIXEL / 16
        assert not report_of(level).warnings
        obj.location[axis] = start + sign * PIXEL / 8
        told = [f"{obj.name} was moved to whole pixels: its place is stored in those"]
        assert report_of(level).warnings == told
        obj.location[axis] = start + sign * 7 * PIXEL
        assert not report_of(level).warnings


@pytest.mark.parametrize("axis", [0, 1])
def test_a_group_is_not_scaled(axis: int) -> None:
    level = opened(whole_map().build())
    root = part(level, layout.GROUP, 0)
    root.scale[axis] = 1.01
    with pytest.raises(SceneError, match="can be moved, but not turned or scaled") as caught:
        exported(level)
    assert caught.value.objects == [root]
    root.scale[axis] = 1
    root.location.z = root.scale.z = 3
    exported(level)


REST = {"offset_x": 1, "offset_y": 2, "parallax_x": 3, "parallax_y": 4, "use_clip": 7}
"""Words of a group."""


def game_group(**values: int) -> bytes:
    got = {"offset_x": 0, "offset_y": 0, "parallax_x": 100, "parallax_y": 100, "use_clip": 0} | values
    m = Map()
    m.version()
    m.group(
        "Game",
        offset=(got["offset_x"], got["offset_y"]),
        parallax=(got["parallax_x"], got["parallax_y"]),
        clip=(32, 64, 96, 128) if got["use_clip"] else None,
    )
    m.tiles(4, 3, tile(1) * 12, flags=GAME)
    return m.build()


@pytest.mark.parametrize(
    ("name", "value"), [("offset_x", 64), ("offset_y", 64), ("parallax_x", 50), ("parallax_y", 99), ("use_clip", 1)]
)
def test_the_game_layers_group_may_be_put_to_rest_and_no_elsewhere(name: str, value: int) -> None:
    data = game_group(**{name: value})
    level = imported(data)
    root = part(level, layout.GROUP, 0)
    assert exported(level) == data

    def put(rest: bool) -> None:
        if name.startswith("offset"):
            root.location[name == "offset_y"] = 0 if rest else 1
        elif name == "use_clip":
            root["use_clip"] = not rest
        else:
            root[name] = 100 if rest else 101

    put(rest=True)
    assert parse(exported(level))[0][GROUP, 0][REST[name]] == (100 if name.startswith("parallax") else 0)
    put(rest=False)
    if name == "use_clip":
        assert exported(level) == data
    else:
        with pytest.raises(SceneError, match="the game layer's group can't have"):
            exported(level)


def test_built_as_new_groups_have_all_their_fields() -> None:
    data = whole_map().build()
    (old, _), (new, _) = parse(data), parse(exported(imported(data), build_as_new=True, profile="preserve"))
    for number in range(4):
        assert new[GROUP, number][1:5] == old[GROUP, number][1:5]
        assert new[GROUP, number][7:15] == old[GROUP, number][7:15]


@pytest.mark.parametrize(
    ("moved", "scaled", "words"),
    [
        ((1, 0), (1, 1), (64, 20, 320, 200)),
        ((0, 1), (1, 1), (32, -12, 320, 200)),
        ((2, 3), (1, 1), (96, -76, 320, 200)),
        ((0, 0), (0.5, 1), (112, 20, 160, 200)),
        ((0, 0), (1, 2), (32, -80, 320, 400)),
        ((0, 0), (0.5, 2), (112, -80, 160, 400)),
        ((0, 0), (-0.5, -1), (112, 20, 160, 200)),
        ((-1, 2), (2, 0.5), (-160, 6, 640, 100)),
    ],
)
def test_clip_rectangles_are_moved_and_scaled_on_each_axis(
    moved: tuple[float, float], scaled: tuple[float, float], words: tuple[int, int, int, int]
) -> None:
    m = small_map()
    m.group("Clipped", clip=(32, 20, 320, 200))
    m.quads([quad()])
    level = imported(m.build())
    clip = part(level, layout.CLIP, 1)
    assert clip.location[:2] == ((32 + 160) / 32, -(20 + 100) / 32)
    for axis in range(2):
        clip.location[axis] += moved[axis]
        clip.scale[axis] *= scaled[axis]
    assert parse(exported(level))[0][GROUP, 1][7:12] == (1, *words)


@pytest.mark.parametrize("turn", [0.01, -0.01, 1, math.pi / 2])
def test_a_turned_clip_rectangle_is_refused(turn: float) -> None:
    level = opened(whole_map().build())
    clip = part(level, layout.CLIP, 0)
    clip.rotation_euler.z = turn
    with pytest.raises(SceneError, match="can't be turned") as caught:
        exported(level)
    assert caught.value.objects == [clip]


def test_a_group_has_one_clip_rectangle() -> None:
    level = opened(whole_map().build())
    clip = part(level, layout.CLIP, 0)
    twin = clip.copy()
    clip.users_collection[0].objects.link(twin)
    with pytest.raises(SceneError, match="has one clip rectangle, here are 2") as caught:
        exported(level)
    assert set(caught.value.objects) == {clip, twin}


# ---- colours


STRANGE = (-5, 300, 0, 255)


def colored() -> Map:
    m = small_map()
    m.tiles(4, 3, tile(1) * 12, color=STRANGE)
    return m


@pytest.mark.parametrize("channel", range(4))
@pytest.mark.parametrize(("shown", "word"), [(0.0, 0), (1.0, 255), (0.2, 51), (0.501, 128)])
def test_each_channel_of_a_colour_is_written_alone(channel: int, shown: float, word: int) -> None:
    data = colored().build()
    level = imported(data)
    assert exported(level) == data, "numbers that Blender can't show stay"
    obj = layer(level, 1)
    before = obj.color[channel]
    obj.color[channel] = shown
    want = list(STRANGE)
    if obj.color[channel] != before:
        want[channel] = word
    assert list(parse(exported(level))[0][LAYER, 1][7:11]) == want


@pytest.mark.parametrize("channel", range(4))
def test_a_colour_beyond_1_is_refused(channel: int) -> None:
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    deco.color[channel] = 1.004
    with pytest.raises(SceneError, match=r"isn't within 0 and 1") as caught:
        exported(level)
    assert caught.value.objects == [deco]


# ---- the automapper


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [("automapper_config", 5, 3), ("automapper_seed", 99, 4), ("automapper_automatic", False, 5)],
)
def test_each_setting_of_the_automapper_is_written_alone(key: str, value: int, word: int) -> None:
    data = whole_map().build()
    level = opened(data)
    layer(level, DECO)[key] = value
    after = exported(level)
    assert changes(data, after) == ({(0xFFFD, 0): [word]}, [])
    assert parse(after)[0][0xFFFD, 0][word] == int(value)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("automapper_config", 5, (5, 0, 0)),
        ("automapper_seed", 99, (-1, 99, 0)),
        ("automapper_automatic", True, (-1, 0, 1)),
    ],
)
def test_a_layer_gets_an_automapper_with_the_rest_at_rest(key: str, value: int, words: tuple[int, int, int]) -> None:
    level = opened(whole_map().build())
    layer(level, 2)[key] = value
    assert parse(exported(level))[0][0xFFFD, 1][3:] == words


# ---- tiles


@pytest.mark.parametrize(
    ("property_", "axis", "value"),
    [("location", 0, 1), ("location", 1, 1), ("scale", 0, 2), ("scale", 1, 2), ("rotation_euler", 2, 1)],
)
def test_layers_drawn_from_images_stay_where_they_are(property_: str, axis: int, value: float) -> None:
    data = whole_map().build()
    level = imported(data, large_layer=0)
    deco = layer(level, DECO)
    deco.location.z += 5
    deco.scale.z = 3
    assert exported(level) == data
    getattr(deco, property_)[axis] = value
    with pytest.raises(SceneError, match="can't be moved or turned, only painted") as caught:
        exported(level)
    assert caught.value.objects == [deco]


@pytest.mark.parametrize(("width", "height"), [(14, 8), (12, 9), (5, 3)])
def test_layers_drawn_from_images_are_resized(width: int, height: int) -> None:
    data = whole_map().build()
    level = imported(data, large_layer=0)
    deco = layer(level, DECO)
    deco["width"], deco["height"] = width, height
    items, blobs = parse(exported(level))
    old = np.frombuffer(parse(data)[1][13], np.uint8).reshape(8, 12, 4)
    new = np.frombuffer(blobs[items[LAYER, DECO][14]], np.uint8).reshape(height, width, 4)
    assert items[LAYER, DECO][4:6] == (width, height)
    assert (new[:8, :12] == old[:height, :width]).all()
    assert not new[8:].any() and not new[:, 12:].any()


def test_images_that_cannot_hold_the_tiles_are_refused() -> None:
    level = imported(whole_map().build(), large_layer=0)
    deco = layer(level, DECO)
    deco[layout.FIELD_IMAGES[0]] = bpy.data.images.new("other", 11, 7)
    with pytest.raises(SceneError, match="other is 11 x 7, the layer 12 x 8"):
        exported(level)
    del deco[layout.FIELD_IMAGES[0]]
    with pytest.raises(SceneError, match=rf"holds its tiles is gone \({layout.FIELD_IMAGES[0]}\)") as caught:
        exported(level)
    assert caught.value.objects == [deco]


@pytest.mark.parametrize("value", [7.0, 255.0])
def test_whole_numbers_of_any_type_are_attributes_of_tiles(value: float) -> None:
    level = imported(small_map(tiles=tile(3) * 12).build(), physics=True)
    mesh = layer(level, 0).data
    mesh.attributes.remove(mesh.attributes["index"])
    mesh.attributes.new("index", "FLOAT", "FACE").data.foreach_set("value", [value] * 12)
    assert parse(exported(level))[1][0] == tile(int(value)) * 12


@pytest.mark.parametrize("value", [0.5, -0.5, float("nan"), float("inf"), 2.0**31, -(2.0**31)])
def test_other_numbers_are_not(value: float) -> None:
    level = imported(small_map(tiles=tile(3) * 12).build(), physics=True)
    game = layer(level, 0)
    mesh = game.data
    mesh.attributes.remove(mesh.attributes["index"])
    mesh.attributes.new("index", "FLOAT", "FACE").data.foreach_set("value", [3.0] * 11 + [value])
    with pytest.raises(SceneError, match="attribute index must hold one whole number a face") as caught:
        exported(level)
    assert caught.value.objects == [game]


def test_vectors_are_not_either() -> None:
    level = imported(small_map(tiles=tile(3) * 12).build(), physics=True)
    mesh = layer(level, 0).data
    mesh.attributes.remove(mesh.attributes["index"])
    mesh.attributes.new("index", "FLOAT_VECTOR", "FACE")
    with pytest.raises(SceneError, match="attribute index must hold one whole number a face"):
        exported(level)


# ---- order, physics, images


def test_a_layer_without_an_order_counts_as_the_first() -> None:
    m = small_map()
    m.group("Two")
    for title in ("b", "a"):
        m.tiles(4, 3, tile(1) * 12, title=title)
    data = m.build()
    level = imported(data)
    del layer(level, 1)[layout.ORDER]
    report = Report()
    assert exported(level, report) == data
    assert not report.notes
    layer(level, 2)[layout.ORDER] = 0
    layer(level, 2).name, layer(level, 1).name = "a first", "b second"
    assert parse(exported(level))[0][LAYER, 1][15:18] == parse(data)[0][LAYER, 2][15:18], "of one order by name"
    layer(level, 1)[layout.ORDER] = "first"
    with pytest.raises(SceneError, match="its property order must be a number"):
        exported(level)


def test_physics_layers_that_a_map_has_elsewhere_stay_there() -> None:
    m = small_map()
    m.group("Elsewhere")
    m.tiles(4, 3, tile(9) + bytes(44), flags=FRONT, title="Front")
    data = m.build()
    level = imported(data)
    assert exported(level) == data
    layer(level, 1)["layer_name"] = "Back"
    assert set(changes(data, exported(level))[0]) == {(LAYER, 1)}


def test_uneven_images_are_told_of_layers_that_come_to_show_them() -> None:
    m = small_map()
    even, uneven = m.image("even", 32, 32, bytes(4096)), m.image("uneven", 40, 32, bytes(5120))
    for number in (-1, even, uneven):
        m.tiles(4, 3, tile(1) * 12, image=number)
    level = imported(m.build())
    assert not report_of(level).warnings, "they came so, and one shows none"
    bpy.context.view_layer.objects.active = obj = layer(level, 2)
    bpy.ops.levelwright.teeworlds_set_image(record=uneven)
    told = f"{obj.name}: image 'uneven' has 40 x 32 px: the game shows only images on tile layers whose sides are "
    assert report_of(level).warnings == [f"{told}multiples of 16"]
    bpy.ops.levelwright.teeworlds_set_image(record=even)
    image(level, uneven).scale(32, 40)
    assert not report_of(level).warnings, "it was uneven on that layer before"
    image(level, even).scale(32, 40)
    assert report_of(level).warnings == [
        f"{told.replace('uneven', 'even').replace('40 x 32', '32 x 40')}multiples of 16"
    ]


def test_layers_that_named_no_image_show_a_new_one_that_their_material_has() -> None:
    m = small_map()
    for number in (0, 1):
        m.tiles(4, 3, tile(1) * 12, image=number)
    m.image("art", 16, 16, bytes(1024))
    level = imported(m.build())
    fresh = images.from_rgba("fresh", np.zeros((16, 16, 4), np.uint8))
    material = layer(level, 1).material_slots[0].material
    for node in material.node_tree.nodes:
        if node.type == "TEX_IMAGE" and node.image == image(level, 0):
            node.image = fresh
    layer(level, 2).material_slots[0].material = material
    items, _ = parse(exported(level))
    assert [items[LAYER, record][13] for record in (1, 2)] == [1, 1]


@pytest.mark.parametrize("kept", range(3))
@pytest.mark.parametrize("kind", [layout.IMAGE, layout.SOUND, layout.ENVELOPE])
def test_of_several_resources_one_is_left(kind: str, kept: int) -> None:
    m = small_map()
    for name in "abc":
        m.image(name, 16, 16, bytes(1024))
        m.sound(name, b"OggS" + name.encode())
        m.envelope(1, [point(0, 1, 1024)], name)
    level = imported(m.build())
    blocks: dict[str, Any] = {
        layout.IMAGE: bpy.data.images,
        layout.SOUND: bpy.data.sounds,
        layout.ENVELOPE: bpy.data.actions,
    }
    for number, block in originals.resources(level, kind).items():
        if number != kept:
            blocks[kind].remove(block)
    report = Report()
    after = teeworlds.read(exported(level, report))
    left = {layout.IMAGE: after.images, layout.SOUND: after.sounds, layout.ENVELOPE: after.envelopes}
    assert {name: [one.name for one in ones] for name, ones in left.items()} == {
        name: ["abc"[kept]] if name == kind else ["a", "b", "c"] for name in left
    }
    gone = [number for number in range(3) if number != kept]
    told = [f"envelope {n} removed" if kind == layout.ENVELOPE else f"{kind} {'abc'[n]!r} removed" for n in gone]
    assert sorted(report.notes) == told


# ---- what the report says


def test_everything_is_counted() -> None:
    report = report_of(imported(whole_map().build()))
    for count in (
        "4 groups",
        "7 tile layers",
        "2 quad layers",
        "2 sound layers",
        "2 images",
        "3 envelopes",
        "1 sound",
    ):
        assert count in report.summary()


def test_what_was_added_is_counted_and_named() -> None:
    level = opened(whole_map().build())
    pixels = np.full((16, 16, 4), 9, np.uint8)
    for number in (2, 3):
        originals.set_resource(level, layout.IMAGE, number, images.from_rgba(f"fresh {number}", pixels))
    originals.set_resource(level, layout.SOUND, 1, sounds.pack("boo", b"OggS!"))
    report = Report()
    after = teeworlds.read(exported(level, report))
    assert [one.name for one in after.images] == ["art", "grass_main", "fresh 2", "fresh 3"]
    assert [one.pixels().tobytes() for one in after.images[2:]] == [pixels.tobytes()] * 2
    assert [(one.name, one.data()) for one in after.sounds][1:] == [("boo", b"OggS!")]
    for count in ("2 images added", "1 sound added", "4 images", "2 sounds"):
        assert count in report.summary()
    assert not report.notes and not report.warnings


def test_what_is_painted_on_an_external_image_is_told() -> None:
    data = whole_map().build()
    level, report = imported(data), Report()
    grass = image(level, 1)
    assert exported(level, report) == data and not report.warnings
    grass.pixels[0] = 0.5
    assert exported(level, report) == data
    assert report.warnings == [
        "image 'grass_main' was painted, but is external: the map holds its name only (clear its property `external` "
        "to embed it)"
    ]


@pytest.mark.parametrize("kind", [layout.IMAGE, layout.SOUND])
@pytest.mark.parametrize("external", [False, True])
def test_each_edit_of_a_resource_is_written_alone(kind: str, external: bool) -> None:
    m = small_map()
    for name in ("one", "two"):
        m.image(name, 16, 16, None if external else bytes(1024))
        m.sound(name, None if external else b"OggS" + name.encode())
    data = m.build()
    level = imported(data)
    block = originals.resources(level, kind)[1]
    block[f"{kind}_name"] = "other"
    items, blobs = parse(exported(level))
    word, type_ = (4, IMAGE) if kind == layout.IMAGE else (2, SOUND)
    assert changes(data, exported(level)) == ({}, [items[type_, 1][word]])
    assert blobs[items[type_, 1][word]] == b"other\0"
    block[f"{kind}_name"] = "two"
    block.name = "renamed.png" if kind == layout.IMAGE else "renamed.opus"
    items, blobs = parse(exported(level))
    assert blobs[items[type_, 1][word]] == b"renamed\0"
