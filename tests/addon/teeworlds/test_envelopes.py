# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelopes as actions: Blender's values are the game's, an import comes back as it was, an edit as what was edited."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.envelopes import build as envelopes
from levelwright.addon.teeworlds.envelopes.collect import EnvelopeTable
from levelwright.formats import teeworlds
from levelwright.formats.teeworlds.envelopes import evaluate
from levelwright.formats.teeworlds.records import BEZIER, POINT, Curve, EnvelopeKind

from tests.addon.teeworlds.game_scene import begin

FPS = 24.0
POSITION, COLOR, SOUND = EnvelopeKind.POSITION, EnvelopeKind.COLOR, EnvelopeKind.SOUND


def points_of(*rows):
    """POINT records from (time, curve, values)."""
    points = np.zeros(len(rows), POINT)
    for point, (time, curve, values) in zip(points, rows, strict=True):
        point["time"], point["curve"] = time, curve
        point["value"][: len(values)] = values
    return points


def tangents_of(count, **values):
    tangents = np.zeros(count, BEZIER)
    for name, rows in values.items():
        for row, value in rows.items():
            tangents[name][row] = value
    return tangents


EVERY_CURVE = points_of(
    (0, Curve.STEP, (0, 0, 0, 77)),  # the unused value is garbage that must stay
    (500, Curve.LINEAR, (32768, -1000, 90 * 1024, 78)),
    (900, Curve.SLOW, (-5000, 40000, -45 * 1024, 0)),
    (1333, Curve.FAST, (100, 200, 300, 0)),
    (2001, Curve.SMOOTH, (-90000, 12345, 1000, -1)),
    (2500, 2752512, (0, 0, 0, 0)),  # garbage counts as linear
    (3000, Curve.BEZIER, (7, 8, 9, 0)),
    (4000, Curve.BEZIER, (65536, -65536, 1024, 5)),
    (5000, Curve.LINEAR, (1024, 0, 720 * 1024, 0)),
)
HANDLES = tangents_of(
    9,
    out_x={6: (300, 2000, 0, 1), 7: (500, 10, 900, 2)},  # beyond the next point: the game cuts it
    out_y={6: (5000, -9000, 4096, 3), 7: (1, 2, 3, 4)},
    in_x={7: (-300, -2000, 0, 5), 8: (-1, -900, -900, 6)},
    in_y={7: (-70000, 7, 4096, 7), 8: (-5, -6, 7, 8)},
)
COLORS = points_of(
    (0, 1, (1024, 0, 512, 1024)), (250, 4, (0, 1024, 100, 0)), (750, 3, (3, 2, 1, 2048)), (1000, 0, (9, 9, 9, 9))
)
LATE = points_of((238, 1, (0, 0, 0)), (600, 4, (32768, 0, 0)), (1000, 1, (-32768, 1024, 0)))
DOUBLE = points_of(
    *((t, 1, (v * 1024, 0, 0)) for t, v in ((0, 0), (0, 5), (150, 9), (150, -9), (150, 3), (600, 1), (600, 2)))
)
BACKWARDS = points_of((0, 1, (0, 0, 0)), (500, 1, (1024, 0, 0)), (300, 2, (2048, 0, 0)), (1000, 1, (4096, 0, 0)))
VOLUME = points_of((0, 1, (0,)), (1000, 2, (1024,)), (2000, 1, (100,)))


def make_level(*listed):
    """A level in memory and in the scene, with the importer's parts that envelopes need."""
    level = teeworlds.new_level()
    level.envelopes += [
        teeworlds.Envelope.new(kind, f"env {number}", points, tangents)
        for number, (kind, points, tangents) in enumerate(listed)
    ]
    level = teeworlds.read(teeworlds.write(level))
    importing = begin(level, Report())
    built = envelopes.build(importing, FPS)
    return level, importing.finish(), built


def add(collection, built, kind, number=0, offset=0):
    """A thing that plays an envelope."""
    data = bpy.data.speakers.new("speaker") if kind is SOUND else None
    obj = bpy.data.objects.new("thing", data)
    collection.objects.link(obj)
    assert built.play(data or obj, kind, number, offset)
    return obj


def shown(obj, kind, frame):
    """What Blender shows at a frame, in the file's units / 1024."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
    ready = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if kind is POSITION:
        x, y = ready.delta_location[0] * 32, ready.delta_location[1] * -32
        return [x, y, np.degrees(ready.delta_rotation_euler[2]) * -1]
    return list(ready[layout.ENVELOPE_COLOR]) if kind is COLOR else [ready.data.volume]


@pytest.mark.parametrize("offset", [0, 700, 109152])
@pytest.mark.parametrize(
    ("kind", "points", "tangents"),
    [
        (POSITION, EVERY_CURVE, HANDLES),
        (POSITION, EVERY_CURVE, None),  # Béziers without tangents are linear
        (COLOR, COLORS, None),
        (POSITION, LATE, None),
        (POSITION, DOUBLE, None),
        (POSITION, BACKWARDS, None),
        (SOUND, VOLUME, None),
        (POSITION, points_of((0, 1, (1024, 2048, 3072))), None),
        (POSITION, points_of((0, 1, (1, 1, 1)), (0, 1, (2048, 4096, 6144))), None),
    ],
    ids=["bezier", "no tangents", "colour", "late", "double", "backwards", "sound", "one point", "no time"],
)
def test_blender_shows_what_the_game_computes(kind, points, tangents, offset):
    level, collection, built = make_level((kind, points, tangents))
    obj = add(collection, built, kind, 0, offset)
    times = np.concatenate([np.arange(0, 11000, 97.0), points["time"] * 2.0 + 30, [0, 5000, 10000]])
    length = max(points["time"].max(), 1)
    near = np.abs((times[:, None] + offset) % length - points["time"]).min(1) if length > 1 else np.full(len(times), 9)
    times = times[(near > 2) | (near == 0) & (len(np.unique(points["time"])) == len(points))]  # not inside a jump
    want = evaluate(level.envelopes[0].points, level.envelopes[0].tangents, times + offset)
    channels = {POSITION: 3, COLOR: 4, SOUND: 1}[kind]
    got = np.array([shown(obj, kind, time * FPS / 1000) for time in times])
    limits = np.ptp(want[:, :channels], axis=0) + 1
    # Keys that share a time lie 1/64 frame apart: on a ramp of 4 frames that is half a percent.
    shared = len(np.unique(np.maximum.accumulate(points["time"]))) < len(points)
    assert (np.abs(got - want[:, :channels]).max(0) / limits).max() < (5e-3 if shared else 3e-4)


def test_a_loop_begins_with_the_first_point_on_the_very_frame():
    points = points_of((0, 0, (1024, 0, 0)), (500, 0, (0, 0, 0)), (1000, 0, (0, 0, 0)))
    _, collection, built = make_level((POSITION, points, None))
    obj = add(collection, built, POSITION)
    assert [shown(obj, POSITION, frame)[0] for frame in (23, 24, 25, 36, 48)] == pytest.approx([0, 1, 1, 0, 1])


ALL = [
    (POSITION, EVERY_CURVE, HANDLES),
    (COLOR, COLORS, None),
    (POSITION, LATE, None),
    (POSITION, DOUBLE, None),
    (POSITION, BACKWARDS, None),
    (SOUND, VOLUME, None),
    (POSITION, points_of(), None),
    (COLOR, points_of((5, 1, (1, 2, 3, 4))), None),
]


@pytest.mark.parametrize("reopened", [False, True])
def test_untouched_envelopes_come_back_as_they_were(reopened, tmp_path):
    level, collection, built = make_level(*ALL)
    for number, (kind, *_) in enumerate(ALL):
        add(collection, built, kind, number, 333 * number)
    before = teeworlds.write(level)
    if reopened:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "map.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "map.blend"))
        collection = bpy.data.collections["map"]
    bpy.context.scene.frame_set(17)
    bpy.context.scene.render.fps = 60
    table = EnvelopeTable(collection, level, 60.0)
    assert table.apply(level) == []
    assert teeworlds.write(level) == before
    for number, (kind, *_) in enumerate(ALL):
        obj = collection.objects[1 + number]  # after the root
        played = table.played(obj.data if kind is SOUND else obj, kind)
        record = np.array([number], np.int32), np.array([333 * number], np.int32)
        assert [a.tolist() for a in table.assign(kind, played, record)] == [[number], [333 * number]]


def edited(level, collection, number=0):
    """Points and tangents of an envelope after the scene's edits."""
    before = level.envelopes[number].points.copy()
    EnvelopeTable(collection, level, FPS).apply(level)
    return before, level.envelopes[number].points, level.envelopes[number].tangents


def plain(points):
    return [(int(point["time"]), int(point["curve"]), *point["value"].tolist()) for point in points]


def fcurves(built, number=0):
    return animation.fcurves(built.actions[number])


def test_a_changed_value_changes_one_number():
    level, collection, built = make_level((POSITION, EVERY_CURVE, HANDLES))
    key = fcurves(built)[0].keyframe_points[2]
    key.co.y = 3
    before, after, tangents = edited(level, collection)
    want = before.copy()
    want["value"][2, 0] = 3 * 32768
    assert plain(after) == plain(want)
    assert tangents.tobytes() == HANDLES.tobytes()


def test_a_moved_point_changes_its_time():
    level, collection, built = make_level((POSITION, EVERY_CURVE, HANDLES))
    for curve in fcurves(built):
        curve.keyframe_points[3].co_ui.x = 1500 * FPS / 1000
    before, after, _ = edited(level, collection)
    want = before.copy()
    want["time"][3] = 1500
    assert plain(after) == plain(want)


def test_points_before_the_beginning_are_refused():
    level, collection, built = make_level((POSITION, EVERY_CURVE, HANDLES))
    for curve in fcurves(built):
        for key in curve.keyframe_points:
            key.co_ui.x -= 10
    with pytest.raises(SceneError, match="before frame 0"):
        edited(level, collection)


def test_added_and_removed_keys_add_and_remove_points():
    level, collection, built = make_level((COLOR, COLORS, None))
    for curve in fcurves(built):
        curve.keyframe_points.remove(curve.keyframe_points[1])
        curve.keyframe_points.insert(18, 0.5).interpolation = "CONSTANT"
    _, after, tangents = edited(level, collection)
    assert after["time"].tolist() == [0, 750, 1000]
    assert after["value"][0].tolist() == COLORS["value"][0].tolist()
    level, collection, built = make_level((COLOR, COLORS, None))
    for curve in fcurves(built):
        curve.keyframe_points.insert(21, 0.5).interpolation = "LINEAR"
    _, after, tangents = edited(level, collection)
    assert after["time"].tolist() == [0, 250, 750, 875, 1000]
    assert after["value"][3].tolist() == [512] * 4
    assert plain(after[[0, 1, 2, 4]]) == plain(COLORS)
    assert tangents is None


@pytest.mark.parametrize(
    ("interpolation", "easing", "curve"),
    [
        ("CONSTANT", "AUTO", Curve.STEP),
        ("LINEAR", "AUTO", Curve.LINEAR),
        ("CUBIC", "EASE_IN", Curve.SLOW),
        ("CUBIC", "EASE_OUT", Curve.FAST),
        ("BEZIER", "AUTO", Curve.SMOOTH),  # the handles lie flat at the thirds already
    ],
)
def test_a_changed_interpolation_changes_the_curve(interpolation, easing, curve):
    level, collection, built = make_level((COLOR, COLORS, None))
    for fcurve in fcurves(built):
        fcurve.keyframe_points[0].interpolation = interpolation
        fcurve.keyframe_points[0].easing = easing
    before, after, _ = edited(level, collection)
    want = before.copy()
    want["curve"][0] = curve
    assert plain(after) == plain(want)


def test_an_interpolation_that_the_game_lacks_is_refused():
    level, collection, built = make_level((COLOR, COLORS, None))
    fcurves(built)[1].keyframe_points[1].interpolation = "BOUNCE"
    with pytest.raises(SceneError, match=r"0 env 0 \(colour\).*frame 6.*interpolation"):
        edited(level, collection)


def same_motion(level, collection, built, kind, channels):
    """Compare what Blender shows after an edit with what the game makes of the exported envelope."""
    obj = add(collection, built, kind)
    length = int(level.envelopes[0].points["time"][-1])
    times = np.arange(3.0, length - 3, 37.0)
    got = np.array([shown(obj, kind, time * FPS / 1000) for time in times])
    edited(level, collection)
    want = evaluate(level.envelopes[0].points, level.envelopes[0].tangents, times)[:, :channels]
    jump = np.abs(times[:, None] - level.envelopes[0].points["time"]).min(1) < 2
    assert np.abs(got - want)[~jump].max() < 0.004 * max(1, np.abs(want).max())


def test_moved_handles_become_tangents():
    level, collection, built = make_level((COLOR, COLORS, None))
    for curve in fcurves(built):
        first, second = curve.keyframe_points[1:3]
        first.handle_right = (first.co[0] + 2, first.co[1] + 0.5)
        second.handle_left = (second.co[0] - 5, second.co[1] - 0.25)
    same_motion(level, collection, built, COLOR, 4)
    assert level.envelopes[0].points["curve"].tolist() == [1, 5, 3, 0]
    assert level.envelopes[0].tangents["out_x"][1].tolist() == [83] * 4
    assert level.envelopes[0].tangents["in_y"][2].tolist() == [-256] * 4


def test_channels_with_keys_of_their_own_are_merged():
    level, collection, built = make_level((POSITION, EVERY_CURVE, HANDLES))
    x, y, angle = fcurves(built)
    x.keyframe_points.insert(30, 2).interpolation = "LINEAR"  # in the fast part
    y.keyframe_points.insert(78, -1).interpolation = "LINEAR"  # in a Bézier
    angle.keyframe_points.remove(angle.keyframe_points[1])
    angle.keyframe_points[3].interpolation = "CONSTANT"
    x.keyframe_points[1].interpolation = "CONSTANT"
    same_motion(level, collection, built, POSITION, 3)
    assert len(level.envelopes[0].points) > len(EVERY_CURVE)


def test_the_start_that_blender_shows_is_exported_where_the_hold_was_changed():
    level, collection, built = make_level((POSITION, LATE, None))
    for curve in fcurves(built):
        curve.keyframe_points.remove(curve.keyframe_points[0])
    same_motion(level, collection, built, POSITION, 3)
    assert level.envelopes[0].points["time"].tolist() == [0, 238, 600, 1000]


def test_what_the_game_holds_at_the_start_is_exported_as_blender_shows_it():
    level, collection, built = make_level((POSITION, LATE, None))
    fcurves(built)[1].keyframe_points[3].co_ui.y += 1  # the game would hold this, Blender still shows the old value
    fcurves(built)[0].keyframe_points.insert(3, 2).interpolation = "LINEAR"
    same_motion(level, collection, built, POSITION, 3)


def test_a_jump_that_one_channel_loses_stays_in_the_others():
    points = EVERY_CURVE.copy()
    points["time"][3] = points["time"][2]
    level, collection, built = make_level((POSITION, points, HANDLES))
    x = fcurves(built)[0]
    x.keyframe_points.remove(x.keyframe_points[3])
    same_motion(level, collection, built, POSITION, 3)


def test_an_edit_elsewhere_keeps_points_that_share_a_time():
    level, collection, built = make_level((POSITION, DOUBLE, None))
    fcurves(built)[1].keyframe_points[5].co.y = -1
    before, after, _ = edited(level, collection)
    want = before.copy()
    want["value"][5, 1] = 32768
    assert plain(after) == plain(want)


def test_names_and_settings_are_read_back():
    level, collection, built = make_level((POSITION, LATE, None))
    built.actions[0]["envelope_name"] = "swing"
    built.actions[0]["synchronized"] = False
    edited(level, collection)
    assert (level.envelopes[0].name, level.envelopes[0].synchronized) == ("swing", False)


def test_an_envelope_stays_of_its_kind():
    level, collection, built = make_level((POSITION, LATE, None))
    built.actions[0]["envelope_kind"] = 2
    with pytest.raises(SceneError, match="another kind"):
        edited(level, collection)


def test_deleted_and_new_actions_are_removed_and_appended():
    level, collection, built = make_level(
        (POSITION, LATE, None), (COLOR, COLORS, None), (POSITION, EVERY_CURVE, HANDLES)
    )
    plays = [add(collection, built, POSITION, 0), add(collection, built, POSITION, 2, 40)]
    bpy.data.actions.remove(built.actions[0])
    fresh = bpy.data.objects.new("fresh", None)
    collection.objects.link(fresh)
    fresh.keyframe_insert("delta_location", index=0, frame=0)
    fresh.delta_location[0] = 2
    fresh.keyframe_insert("delta_location", index=0, frame=12)
    copy = add(collection, built, POSITION, 2)
    copy.animation_data.nla_tracks[0].strips[0].action = built.actions[2].copy()
    table = EnvelopeTable(collection, level, FPS)
    numbers = [played and played.number for played in (table.played(o, POSITION) for o in (*plays, fresh, copy))]
    assert numbers == [None, 1, 2, 3]
    assert table.renumbered(np.array([0, 1, 2, 3, -1, -2, 40], np.int32)).tolist() == [-1, 0, 1, -1, -1, -2, 40]
    table.apply(level)
    level = teeworlds.read(teeworlds.write(level))
    assert [envelope.kind for envelope in level.envelopes] == [COLOR, POSITION, POSITION, POSITION]
    assert level.envelopes[2].points["time"].tolist() == [0, 500]
    assert level.envelopes[2].points["value"][:, 0].tolist() == [0, 65536]
    assert level.envelopes[3].points.tobytes() == EVERY_CURVE.tobytes()
    assert level.envelopes[1].tangents.tobytes() == HANDLES.tobytes()


def test_moving_a_strip_changes_the_offset():
    level, collection, built = make_level((POSITION, LATE, None))
    obj = add(collection, built, POSITION, 0, 250)
    strip = obj.animation_data.nla_tracks[0].strips[0]
    strip.frame_start -= 12
    table = EnvelopeTable(collection, level, FPS)
    record = np.array([0, 0], np.int32), np.array([250, 100], np.int32)
    assert table.assign(POSITION, table.played(obj, POSITION), record)[1].tolist() == [750, 750]
    strip.scale = 2
    with pytest.raises(SceneError, match="scaled"):
        EnvelopeTable(collection, level, FPS)


@pytest.mark.parametrize("points", [LATE, DOUBLE, EVERY_CURVE, points_of((5, 1, (1, 2, 3)))])
def test_looking_at_the_keys_edits_nothing(points):
    level, collection, built = make_level((POSITION, points, None))
    obj = add(collection, built, POSITION, 0, 1234)
    track = obj.animation_data.nla_tracks[0]
    obj.animation_data.nla_tracks.active = track
    track.select = track.strips[0].select = True
    record = np.array([0], np.int32), np.array([1234], np.int32)
    for tweaking in (True, False):
        obj.animation_data.use_tweak_mode = tweaking
        assert (obj.animation_data.action is not None) == tweaking
        table = EnvelopeTable(collection, level, FPS)
        assert [a.tolist() for a in table.assign(POSITION, table.played(obj, POSITION), record)] == [[0], [1234]]
        assert table.apply(level) == []


def test_properties_decide_where_the_strip_was_left_alone():
    level, collection, built = make_level((COLOR, COLORS, None), (COLOR, COLORS, None))
    obj = add(collection, built, COLOR, 0, 250)
    table = EnvelopeTable(collection, level, FPS)
    played = table.played(obj, COLOR)

    def ints(*values):
        return np.array(values, np.int32)

    record = ints(0), ints(250)
    assert [a.tolist() for a in table.assign(COLOR, played, record, (ints(1), ints(30)))] == [[1], [30]]
    assert [a.tolist() for a in table.assign(COLOR, None, record, record)] == [[-1], [250]]
    assert [a.tolist() for a in table.assign(COLOR, None, (ints(-2), ints(9)), (ints(-2), ints(9)))] == [[-2], [9]]
    with pytest.raises(SceneError, match="no envelope 7"):
        table.assign(COLOR, played, record, (ints(7), ints(250)))


def test_no_envelope_of_the_kind_moves_nothing():
    _, collection, built = make_level((COLOR, COLORS, None))
    obj = bpy.data.objects.new("thing", None)
    assert not any(built.play(obj, kind, number, 0) for kind, number in ((POSITION, 0), (COLOR, -1), (COLOR, 1)))
    assert obj.animation_data is None
    assert originals.resources(collection, layout.ENVELOPE) == {0: built.actions[0]}
