# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export reads of sources, quads, envelopes, texts and orders: each field alone, both sides of each limit."""

from itertools import pairwise

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.envelopes.collect import Played
from levelwright.addon.teeworlds.quads import collect as quad_collect
from levelwright.formats import teeworlds
from levelwright.formats.teeworlds.quads import default_quads

from tests.addon.teeworlds.export_helpers import exported, group, imported, layer, names, opened, parse, part
from tests.addon.teeworlds.test_quads import same as same_quads
from tests.addon.teeworlds.test_quads import scene_of as quad_scene
from tests.addon.teeworlds.test_sounds import CIRCLE, FIELDS, RECTANGLE, changed, collect, same, scene_of, speakers
from tests.formats.teeworlds_bytes import INFO, quad, small_map, tile, whole_map

TILE = 32768


# ---- sources


@pytest.mark.parametrize(
    ("reach", "full", "radius", "falloff"),
    [
        (10, 5, 320, 128), (20, 19, 640, 242), (20, 20, 640, 255), (20, 30, 640, 255), (20, 0, 640, 0),
        (7.5, 4, 240, 136), (0, 0.5, 0, 128), (40, 4, 1280, 26), (20, 3, 640, 38),
    ],
)  # fmt: skip
def test_the_distances_of_a_speaker_are_its_radius_and_falloff(
    reach: float, full: float, radius: int, falloff: int
) -> None:
    scene = scene_of(CIRCLE)
    data = speakers(scene)[0].data
    data.distance_max, data.distance_reference = reach, full
    same(collect(scene), [changed(CIRCLE, width=radius, falloff=falloff)])


def test_properties_go_before_distances_and_rectangles_have_none() -> None:
    scene = scene_of(CIRCLE, CIRCLE, RECTANGLE)
    first, second, third = speakers(scene)
    first["radius"], first.data.distance_max = 100, 10
    second["falloff"], second.data.distance_reference = 7, 10
    third.data.distance_max, third.data.distance_reference = 3, 1
    # The first's own distance up to which it is heard in full, 4, is 0.4 of the 10 that it has now.
    same(collect(scene), [changed(CIRCLE, width=100, falloff=102), changed(CIRCLE, falloff=7), RECTANGLE])


@pytest.mark.parametrize(("scale", "factor"), [((2, 1), 2), ((1, 3), 3), ((0.5, 0.25), 0.5), ((-1, 1), 1)])
def test_the_larger_scale_scales_a_circle(scale: tuple[float, float], factor: float) -> None:
    scene = scene_of(CIRCLE)
    speakers(scene)[0].scale[:2] = scale
    same(collect(scene), [changed(CIRCLE, width=int(640 * factor))])


@pytest.mark.parametrize("scale", [(2, 1), (1, 3), (0.5, 0.25), (-2, 1)])
def test_each_scale_scales_a_side_of_a_rectangle(scale: tuple[float, float]) -> None:
    scene = scene_of(RECTANGLE)
    speakers(scene)[0].scale[:2] = scale
    width, height = (abs(factor) * side for factor, side in zip(scale, (4 * TILE + 1, 2 * TILE), strict=True))
    same(collect(scene), [changed(RECTANGLE, width=round(width), height=round(height))])


@pytest.mark.parametrize(("axis", "field", "sign"), [(0, "x", 1), (1, "y", -1)])
@pytest.mark.parametrize("way", [-1, 1])
def test_a_source_lies_on_the_map(axis: int, field: str, sign: int, way: int) -> None:
    scene = scene_of(CIRCLE)
    speaker = speakers(scene)[0]
    speaker.location[axis] = way * 65535.5
    same(collect(scene), [changed(CIRCLE, **{field: sign * way * (65535 * TILE + TILE // 2)})])
    speaker.location[axis] = way * 65536
    with pytest.raises(SceneError, match="a map ends 65,536 tiles from its origin") as caught:
        collect(scene)
    assert caught.value.objects == [speaker]


def test_sizes_end_where_their_numbers_do() -> None:
    scene = scene_of(CIRCLE, RECTANGLE)
    circle, rectangle = speakers(scene)
    circle["radius"], circle.scale = 2**31 - 1, (2, 2, 1)
    rectangle["width"], rectangle["height"] = 2.0**21, 2.0**21 - 1
    largest = 2**31 - 1
    same(collect(scene), [changed(CIRCLE, width=largest), changed(RECTANGLE, width=largest, height=2**31 - 1024)])


@pytest.mark.parametrize(
    ("row", "edits", "message"),
    [
        (CIRCLE, {"width": 5.0}, "its width isn't written: a circle has no such size"),
        (CIRCLE, {"width": 5.0, "height": 6.0}, "its height and width isn't written: a circle has no such size"),
        (RECTANGLE, {"radius": 5}, "its radius isn't written: a rectangle has no such size"),
    ],
)
def test_sizes_of_the_other_shape_are_told(row: tuple[int, ...], edits: dict[str, float], message: str) -> None:
    scene = scene_of(row)
    speaker = speakers(scene)[0]
    for key, value in edits.items():
        speaker[key] = value
    same(collect(scene), [row])
    assert scene.report.warnings == [f"{speaker.name}: {message}"]


def test_a_rectangle_becomes_a_circle() -> None:
    scene = scene_of(RECTANGLE)
    speaker = speakers(scene)[0]
    speaker["shape"], speaker["radius"] = 1, 77
    same(collect(scene), [changed(RECTANGLE, shape=1, width=77, height=0)])
    assert not scene.report.warnings


@pytest.mark.parametrize("field", ["position_envelope", "sound_envelope"])
def test_the_strips_of_a_source_are_its_envelopes(field: str) -> None:
    scene = scene_of(RECTANGLE, CIRCLE)
    speaker = speakers(scene)[0]
    tracks = (speaker if field == "position_envelope" else speaker.data).animation_data.nla_tracks
    tracks[0].strips[0].frame_start -= 10  # 400 ms at 25 frames a second
    offset = RECTANGLE[FIELDS.index(f"{field}_offset")] + 400
    same(collect(scene), [changed(RECTANGLE, **{f"{field}_offset": offset}), CIRCLE])
    tracks.remove(tracks[0])
    same(collect(scene)[1:], [CIRCLE])
    assert collect(scene)[field].tolist() == [-1, -1]


def test_a_layer_without_speakers_has_its_sound() -> None:
    scene = scene_of()
    near, table = scene.layers[0], scene.sounds()
    assert table.of_layer(near, near.children_recursive, 0, 0) == 0
    assert table.of_layer(near, near.children_recursive, 0, 1) == 1


def test_the_property_of_a_sound_layer_goes_before_its_speakers() -> None:
    scene = scene_of(CIRCLE)
    speakers(scene)[0].data.sound = bpy.data.sounds["wind"]
    table = scene.sounds()
    layer = scene.layers[0]
    assert [table.of_layer(layer, layer.children_recursive, 0, number) for number in (0, 1, -1)] == [1, 1, -1]


# ---- quads


def pair_of_triangles(obj: bpy.types.Object, count: int) -> None:
    """Give an object as many triangles round a corner, all of its first face's record."""
    made = bmesh.new()
    made.from_mesh(obj.data)
    made.faces.ensure_lookup_table()
    first = made.faces[0]
    ring = [made.verts.new((np.cos(turn), np.sin(turn), 0)) for turn in range(count + 1)]
    middle = made.verts.new((0, 0, 0))
    for pair in pairwise(ring):
        made.faces.new((middle, *pair), first)
    made.faces.remove(first)
    made.to_mesh(obj.data)
    made.free()


@pytest.mark.parametrize("count", [1, 3, 4])
def test_only_two_triangles_are_a_quad(count: int) -> None:
    scene = quad_scene(default_quads(np.zeros((1, 2), np.int32)))
    obj = scene.layers[0]
    pair_of_triangles(obj, count)
    said = "1 face isn't a quad" if count == 1 else f"{count} faces aren't quads"
    with pytest.raises(SceneError, match=said) as caught:
        scene.collect(quad_collect)
    assert caught.value.faces[obj].tolist() == list(range(count))


def test_a_mesh_without_colours_and_texture_is_white_and_shows_the_whole_image() -> None:
    scene = quad_scene(default_quads(np.zeros((1, 2), np.int32)))
    mesh = bpy.data.meshes.new("plain")
    mesh.from_pydata([(2, -1, 0), (2, -4, 0), (3, -4, 0), (3, -1, 0)], [], [(0, 1, 2, 3)])
    obj = bpy.data.objects.new("plain", mesh)
    obj.parent = scene.layers[0]
    scene.collection.objects.link(obj)
    made = scene.collect(quad_collect)[1]
    assert made["points"][:4].tolist() == [[x * TILE, y * TILE] for x, y in ((2, 1), (3, 1), (2, 4), (3, 4))]
    assert made["points"][4].tolist() == [0, 0], "its origin"
    assert made["colors"].tolist() == [[255] * 4] * 4
    assert made["texcoords"].tolist() == [[0, 0], [1024, 0], [0, 1024], [1024, 1024]]
    assert [int(made[name]) for name in made.dtype.names[-4:]] == [-1, 0, -1, 0]


def test_a_removed_strip_takes_the_envelopes_motion_along_on_any_frame() -> None:
    records = default_quads(np.array([(0, 0), (5 * TILE, TILE)], np.int32))
    records["position_envelope"] = 0, 0
    scene = quad_scene(records)
    bpy.context.scene.frame_set(13)
    obj = scene.layers[0].children[1]
    obj.animation_data.nla_tracks.remove(obj.animation_data.nla_tracks[0])
    records["position_envelope"][1] = -1
    same_quads(scene.collect(quad_collect), records)


# ---- envelopes


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(
    ("record", "off", "kept"),
    [(250, 0, True), (250, 0.031, True), (250, 0.033, False), (-4_000_000, 0.13, True), (-4_000_000, 0.14, False)],
)
def test_a_strip_may_be_off_by_a_32nd_of_a_frame(record: int, off: float, kept: bool, sign: int) -> None:
    fps = 25.0  # a frame is 40 ms
    played = Played(0, record / 40 + sign * off)
    got = played.offsets(np.array([record], np.int32), np.zeros(1, np.int32), fps)
    assert got.tolist() == [record if kept else round(record + sign * off * 40)]


def action_of(level: bpy.types.Collection, number: int) -> bpy.types.Action:
    return originals.resources(level, layout.ENVELOPE)[number]


@pytest.mark.parametrize(("key", "value"), [("envelope_name", "else"), ("synchronized", False)])
def test_each_setting_of_an_envelope_is_written_alone_and_told(key: str, value: object) -> None:
    data = whole_map().build()
    level, report = imported(data), Report()
    action_of(level, 1)[key] = value
    before, after = teeworlds.read(data).envelopes, teeworlds.read(exported(level, report)).envelopes
    assert report.notes == ["envelope 1 changed"]
    assert [one.synchronized for one in after] == [True, key != "synchronized", False]
    assert [one.name for one in after] == ["move", "else" if key == "envelope_name" else "glow", "fade"]
    assert [one.points.tobytes() for one in after] == [one.points.tobytes() for one in before]


def test_the_copy_of_an_envelope_has_its_settings_and_the_rest_is_the_actions() -> None:
    level = opened(whole_map().build())
    child = part(level, layout.QUAD, 1)
    (track,) = [one for one in child.animation_data.nla_tracks if one.strips[0].action == action_of(level, 0)]
    copy = action_of(level, 0).copy()
    copy["envelope_name"], copy["synchronized"] = "copy", False
    track.strips[0].action = copy
    report = Report()
    after = teeworlds.read(exported(level, report))
    assert [one.name for one in after.envelopes] == ["move", "glow", "fade", "copy"]
    assert not after.envelopes[3].synchronized
    assert after.envelopes[3].points.tobytes() == after.envelopes[0].points.tobytes()
    assert f"envelope {copy.name} added" in report.notes
    fresh = bpy.data.actions.new("n" * 40)
    track.strips[0].action = None
    child.animation_data.nla_tracks.remove(track)
    child.animation_data.action = fresh
    child.delta_location = (0, 3, 0)
    child.keyframe_insert("delta_location", index=1, frame=0)
    made = teeworlds.read(exported(level)).envelopes[3]
    assert (made.name, made.synchronized) == ("n" * 31, True)
    assert made.points["value"].tolist() == [[0, -3 * TILE, 0, 0]], "channels without keys are at rest"


def test_channels_without_keys_are_at_rest() -> None:
    level = opened(whole_map().build())
    action = action_of(level, 1)
    for curve in animation.fcurves(action, animation.slot(action))[1:]:
        curve.keyframe_points.clear()
    points = teeworlds.read(exported(level)).envelopes[1].points
    assert points["value"].tolist() == [[1024] * 4, [0, 1024, 1024, 1024]]


# ---- texts


@pytest.mark.parametrize(
    ("key", "word"), [("author", 1), ("map_version", 2), ("credits", 3), ("license", 4), ("settings", 5)]
)
@pytest.mark.parametrize("build_as_new", [False, True])
def test_each_text_of_a_map_without_any_is_written(key: str, word: int, build_as_new: bool) -> None:
    level = imported(small_map().build())
    if key == "settings":
        bpy.context.view_layer.objects.active = layer(level, 0)
        bpy.ops.levelwright.teeworlds_edit_settings()
        originals.resources(level, layout.SETTINGS)[0].write("text\n\n")
    else:
        level[key] = "text"
    items, blobs = parse(exported(level, build_as_new=build_as_new))
    texts = [blobs[at] if at >= 0 else b"\0" for at in items[INFO, 0][1:]]
    assert [number for number, text in enumerate(texts, 1) if text.strip(b"\0")] == [word]
    assert texts[word - 1] == b"text\0"


def test_empty_lines_between_settings_stay_and_those_at_the_end_do_not() -> None:
    m = small_map()
    m.info(settings=["", "one", "", "two", ""])
    data = m.build()
    level = imported(data)
    assert exported(level) == data
    originals.resources(level, layout.SETTINGS)[0].write("three\n\n\n")
    items, blobs = parse(exported(level))
    assert blobs[items[INFO, 0][5]].startswith(b"\0one\0\0two\0")
    assert blobs[items[INFO, 0][5]].endswith(b"three\0")


# ---- order


def with_unknown() -> bytes:
    m = small_map()
    m.group("Two")
    m.tiles(4, 3, tile(1) * 12, title="a")
    for number in (71, 72):
        m.layer((0, 99, 0, number))
    m.quads([quad()], title="b")
    m.layer((0, 99, 0, 73))
    return m.build()


def layers_of(data: bytes) -> list[object]:
    """The layers of the second group: a name, or the last word of one of no known kind."""
    return [
        layer.item.words[3] if isinstance(layer, teeworlds.UnknownLayer) else layer.name
        for layer in teeworlds.read(data).groups[1].layers
    ]


def test_layers_of_no_known_kind_follow_those_before_them() -> None:
    data = with_unknown()
    level = imported(data)
    assert exported(level) == data
    assert layers_of(data) == ["a", 71, 72, "b", 73]
    first = layer(level, 1)
    first[layout.ORDER] = 9
    assert layers_of(exported(level)) == ["b", 73, "a", 71, 72]
    bpy.data.objects.remove(first)
    assert layers_of(exported(level)) == [71, 72, "b", 73]


def test_a_copied_group_has_the_zoom_of_the_first() -> None:
    data = whole_map().build()
    level = opened(data)
    mark = identity.stamped(group(level, 3))
    twin = bpy.data.collections.new("twin")
    level.children.link(twin)
    identity.stamp(twin, mark.token, mark.kind, mark.record)
    root = part(level, layout.GROUP, 0)
    copy = root.copy()
    twin.objects.link(copy)
    clip = part(level, layout.CLIP, 0).copy()
    twin.objects.link(clip)
    after = teeworlds.read(exported(level))
    assert [one.parallax_zoom for one in after.groups] == [50, 100, 0, 100, 50]
    assert names(exported(level))[4] == ("Background", [])
