# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads keyed as animators do, envelopes made, shared and removed, quads subdivided and painted."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.motion import playing
from levelwright.addon.teeworlds.motion.operators import CHOSEN
from levelwright.addon.teeworlds.sounds import operators
from levelwright.formats import teeworlds
from levelwright.formats.teeworlds.envelopes import evaluate
from levelwright.formats.teeworlds.records import EnvelopeKind

from tests.addon.teeworlds.export_helpers import exported, imported, layer, part
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, small_map
from tests.samples import opus

FPS = 24.0
TILE = 32768
POSITION, COLOR, SOUND = EnvelopeKind.POSITION, EnvelopeKind.COLOR, EnvelopeKind.SOUND


def art_map() -> bytes:
    """A map with a layer of three still quads (layer 0), and one with a moving quad (layer 1)."""
    m = Map()
    m.version()
    m.envelope(3, [raw.point(0, 1, 0, 0, 0, 0), raw.point(1000, 1, TILE, 0, 0, 0)], "swing")
    m.group("Art")
    m.quads([square(2), square(5), square(9)], title="Still")
    m.quads([square(4, envelope=0)], title="Moving")
    m.group("Game")
    m.tiles(4, 3, bytes(4 * 12), flags=raw.GAME)
    return m.build()


def square(x: int, envelope: int = -1) -> bytes:
    record = np.zeros(1, teeworlds.QUAD)
    corners = [(x, 1), (x + 2, 1), (x, 3), (x + 2, 3), (x + 1, 2)]
    record["points"] = np.array(corners, np.int32) * TILE
    record["colors"] = (10, 100, 200, 255)
    record["texcoords"] = [(0, 0), (1024, 0), (0, 1024), (1024, 1024)]
    record["position_envelope"], record["color_envelope"] = envelope, -1
    return record.tobytes()


def read_quads(data: bytes, number: int = 0) -> tuple[teeworlds.Level, np.ndarray]:
    level = teeworlds.read(data)
    found = [one for one in level.layers if isinstance(one, teeworlds.QuadLayer)][number]
    return level, found.quads()


@pytest.fixture
def level() -> bpy.types.Collection:
    bpy.context.scene.render.fps = int(FPS)
    return imported(art_map())


def activate(obj: bpy.types.Object, *faces: int) -> None:
    """Make an object the active, selected one, with these of its faces selected in edit mode."""
    for one in bpy.context.view_layer.objects:
        one.select_set(one == obj)
    bpy.context.view_layer.objects.active = obj
    meshes.select_faces(obj, list(faces))


def animate(obj: bpy.types.Object, *faces: int) -> bpy.types.Object:
    activate(obj, *faces)
    assert bpy.ops.levelwright.teeworlds_animate_quad() == {"FINISHED"}
    return bpy.context.active_object


def key(obj: bpy.types.Object, path: str, frame: float, value: tuple[float, ...]) -> None:
    setattr(obj, path, value)
    obj.keyframe_insert(path, frame=frame)


def test_a_quad_of_its_own_is_the_same_record(level: bpy.types.Collection) -> None:
    made = animate(layer(level, 0), 1)
    assert tuple(made.location[:2]) == (6, -2) and len(made.data.polygons) == 1
    assert len(layer(level, 0).data.polygons) == 2
    assert exported(level) == art_map()


def test_quads_are_chosen_in_edit_mode(level: bpy.types.Collection) -> None:
    activate(layer(level, 0), 0)
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.levelwright.teeworlds_animate_quad() == {"FINISHED"}
    assert bpy.context.mode == "OBJECT"
    assert sorted(obj.location.x for obj in bpy.context.selected_objects) == [3]
    assert exported(level) == art_map()
    activate(layer(level, 0))
    with pytest.raises(RuntimeError, match="select its quads in edit mode"):
        bpy.ops.levelwright.teeworlds_animate_quad()


@pytest.mark.parametrize("adopted", [False, True], ids=["exported as they are", "made an envelope"])
def test_keys_on_location_rotation_and_colour_are_the_envelope(level: bpy.types.Collection, adopted: bool) -> None:
    """What Blender shows of the keys is what the game computes of the exported envelopes."""
    obj = animate(layer(level, 0), 1)
    for frame, place, angle in (
        (0, (6, -2, obj.location.z), 0.0),
        (24, (8, -1, obj.location.z), 1.0),
        (48, (6, -5, obj.location.z), -2.0),
    ):
        key(obj, "location", frame, place)
        key(obj, "rotation_euler", frame, (0, 0, angle))
    obj[layout.ENVELOPE_COLOR] = (1, 1, 1, 1)
    key(obj, "color", 0, (1, 1, 1, 1))
    key(obj, "color", 48, (1, 0.5, 0, 0.25))
    shown = []
    for frame in range(0, 48, 5):
        bpy.context.scene.frame_set(frame)
        shown.append((obj.location.x, obj.location.y, obj.rotation_euler.z, *obj.color))
    if adopted:
        assert bpy.ops.levelwright.teeworlds_animate_quad() == {"FINISHED"}
        assert tuple(obj.location[:2]) == (6, -2) and obj.rotation_euler.z == 0 and obj.animation_data.action is None
        bpy.context.scene.frame_set(24 + 48)  # it repeats
        assert obj.delta_location.x == pytest.approx(2, abs=1e-5)
    report = Report()
    after, quads = read_quads(exported(level, report))
    assert report.warnings == []
    assert quads["points"].tolist() == read_quads(art_map())[1]["points"].tolist()
    row = quads[1]
    assert quads["position_envelope"].tolist()[::2] == [-1, -1]
    position, color = (after.envelopes[row[name]] for name in ("position_envelope", "color_envelope"))
    assert (position.kind, color.kind, len(after.envelopes)) == (POSITION, COLOR, 3)
    times = np.arange(0, 48, 5) * 1000 / FPS
    moved, tinted = (evaluate(one.points, one.tangents, times) for one in (position, color))
    want = np.array(shown)
    assert np.abs(6 + moved[:, 0] / 32 - want[:, 0]).max() < 0.01
    assert np.abs(-2 - moved[:, 1] / 32 - want[:, 1]).max() < 0.01
    assert np.abs(-np.radians(moved[:, 2]) - want[:, 2]).max() < 0.01
    assert np.abs(tinted - want[:, 3:]).max() < 0.01


def test_animate_quad_takes_keys_on_the_channels_of_envelopes_too(level: bpy.types.Collection) -> None:
    obj = animate(layer(level, 0), 1)
    for frame, size in ((0, 1.0), (24, 0.5)):
        obj[layout.ENVELOPE_COLOR] = (size,) * 4
        obj.keyframe_insert(f'["{layout.ENVELOPE_COLOR}"]', frame=frame)
    before = exported(level)
    assert bpy.ops.levelwright.teeworlds_animate_quad() == {"FINISHED"}
    assert obj.animation_data.action is None and len(playing.envelopes(level)) == 2
    (one, quads), (other, again) = read_quads(before), read_quads(exported(level))
    assert quads.tobytes() == again.tobytes()
    assert one.envelopes[1].points.tobytes() == other.envelopes[1].points.tobytes()


def test_keys_that_change_nothing_are_no_envelope(level: bpy.types.Collection) -> None:
    """Blender keys all channels at once, as many as its preferences say."""
    obj = animate(layer(level, 0), 1)
    for frame in (0, 24):
        for path in ("location", "rotation_euler", "scale", "color", f'["{layout.ENVELOPE_COLOR}"]'):
            obj.keyframe_insert(path, frame=frame)
    assert exported(level) == art_map()
    key(obj, "location", 24, (8, -2, 0))
    after, quads = read_quads(exported(level))
    assert [(one.kind, len(one.points)) for one in after.envelopes] == [(POSITION, 2), (POSITION, 2)]
    assert quads["color_envelope"].tolist() == [-1] * 3


def test_a_new_quad_keyed_somewhere_lies_where_it_is_at_frame_0(level: bpy.types.Collection) -> None:
    obj = animate(layer(level, 0), 1)
    key(obj, "location", 0, (20, -10, 0))
    key(obj, "location", 24, (22, -10, 0))
    bpy.context.scene.frame_set(13)
    after, quads = read_quads(exported(level))
    row = quads[quads["position_envelope"] >= 0][0]
    assert row["points"][4].tolist() == [20 * TILE, 10 * TILE]
    assert after.envelopes[row["position_envelope"]].points["value"][:, 0].tolist() == [0, 2 * TILE]


def test_keys_beside_an_envelope_are_refused(level: bpy.types.Collection) -> None:
    obj = part(level, layout.QUAD, 0)
    for frame in (0, 10):
        key(obj, "location", frame, (frame, 1, 0))
    with pytest.raises(SceneError, match="has an envelope, and keys on its own location") as caught:
        exported(level)
    assert caught.value.objects == [obj]
    activate(obj)
    with pytest.raises(RuntimeError, match="has an envelope, and keys"):
        bpy.ops.levelwright.teeworlds_animate_quad()


def test_keys_that_no_envelope_has_are_told(level: bpy.types.Collection) -> None:
    obj = animate(layer(level, 0), 1)
    for frame, size in ((0, 1.0), (10, 2.0)):
        key(obj, "scale", frame, (size, 1, 1))
        key(obj, "rotation_euler", frame, (0, size, 0))
    tiles = layer(level, 2)
    for frame in (0, 10):
        key(tiles, "location", frame, (0, 0, frame))
    report = Report()
    exported(level, report)
    assert [line.partition(" are not")[0] for line in report.warnings] == [
        f"{tiles.name}: keys on its location",
        f"{obj.name}: keys on its scale and rotation",
    ] or [line.partition(" are not")[0] for line in report.warnings] == [
        f"{obj.name}: keys on its scale and rotation",
        f"{tiles.name}: keys on its location",
    ]


def test_an_envelope_is_made_shared_and_removed(level: bpy.types.Collection) -> None:
    one = animate(layer(level, 0), 1)
    two = animate(layer(level, 0), 1)
    assert bpy.ops.levelwright.teeworlds_new_envelope(kind="POSITION", title="sway") == {"FINISHED"}
    record, action = list(playing.envelopes(level).items())[-1]
    assert (record, action["envelope_name"]) == (1, "sway")
    activate(one)
    assert bpy.ops.levelwright.teeworlds_use_envelope(offset=250) == {"FINISHED"}  # the one chosen in the list
    assert set(playing.players_of(level, action)) == {one, two}
    curve = next(iter(playing.animation.fcurves(action)))
    curve.keyframe_points[1].co.y = 3
    action["synchronized"] = False
    after, quads = read_quads(exported(level))
    assert [(env.name, env.synchronized) for env in after.envelopes] == [("swing", True), ("sway", False)]
    assert quads["position_envelope"].tolist() == [-1, 1, 1]
    assert quads["position_envelope_offset"].tolist() == [0, 250, 0]
    assert after.envelopes[1].points["value"][1, 0] == 3 * TILE
    assert bpy.ops.levelwright.teeworlds_select_players(record=record) == {"FINISHED"}
    assert set(bpy.context.selected_objects) == {one, two}
    assert bpy.ops.levelwright.teeworlds_remove_envelope(record=record) == {"FINISHED"}
    assert exported(level) == art_map()
    with pytest.raises(RuntimeError, match="choose an envelope in the list"):
        setattr(bpy.context.window_manager, CHOSEN, -1)
        bpy.ops.levelwright.teeworlds_remove_envelope()


def test_an_imported_envelope_is_shared_and_stopped(level: bpy.types.Collection) -> None:
    moving, still = part(level, layout.QUAD, 0), animate(layer(level, 0), 1)
    assert bpy.ops.levelwright.teeworlds_use_envelope(record=0) == {"FINISHED"}
    activate(moving)
    assert bpy.ops.levelwright.teeworlds_stop_envelope(kind="POSITION") == {"FINISHED"}
    assert tuple(moving.delta_location) == (0, 0, 0)
    data = exported(level)
    assert read_quads(data)[1]["position_envelope"].tolist() == [-1, 0, -1]
    assert read_quads(data, 1)[1]["position_envelope"].tolist() == [-1]
    assert len(teeworlds.read(data).envelopes) == 1
    activate(still)
    assert bpy.ops.levelwright.teeworlds_stop_envelope(kind="SOUND") == {"CANCELLED"}


def test_a_removed_envelopes_number_is_not_given_again(level: bpy.types.Collection) -> None:
    """An export would take the new one for the deleted one, and what played that would play it."""
    assert bpy.ops.levelwright.teeworlds_remove_envelope(record=0) == {"FINISHED"}
    assert bpy.ops.levelwright.teeworlds_new_envelope(kind="COLOR", title="new") == {"FINISHED"}
    data = exported(level)
    assert [(env.name, env.kind) for env in teeworlds.read(data).envelopes] == [("new", COLOR)]
    assert read_quads(data, 1)[1]["position_envelope"].tolist() == [-1]


def test_what_cannot_play_an_envelope_is_named(level: bpy.types.Collection) -> None:
    tiles = layer(level, 2)
    activate(tiles)
    with pytest.raises(RuntimeError, match=f"{tiles.name}: only quads and sound sources have a position envelope"):
        bpy.ops.levelwright.teeworlds_use_envelope(record=0)
    assert tiles.animation_data is None


def test_a_layer_of_tiles_plays_a_colour_envelope() -> None:
    m = small_map()
    m.tiles(2, 2, raw.tile(1) * 4, title="colour")
    level = imported(m.build())
    tiles = layer(level, 1)
    activate(tiles)
    bpy.ops.levelwright.teeworlds_new_envelope(kind="COLOR", title="glow")
    action = playing.envelopes(level)[0]
    for curve in playing.animation.fcurves(action):
        curve.keyframe_points[1].co.y = 0.5
    after = teeworlds.read(exported(level))
    assert [one.color_envelope for one in after.layers] == [-1, 0]
    assert after.envelopes[0].points["value"].tolist() == [[1024] * 4, [512] * 4]


def test_subdivided_quads_are_quads_with_the_colours_between(level: bpy.types.Collection) -> None:
    obj = layer(level, 0)
    colors = obj.data.attributes[layout.COLOR].data
    for corner in obj.data.polygons[0].loop_indices:
        x = obj.data.vertices[obj.data.loops[corner].vertex_index].co.x
        colors[corner].color = (0, 0, 0, 1) if x < 3 else (1, 0, 0, 1)
    activate(obj, 0)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=1)
    bpy.ops.object.mode_set(mode="OBJECT")
    _, quads = read_quads(exported(level))
    assert len(quads) == 6
    parts = quads[(quads["points"][:, :4, 0] <= 4 * TILE).all(axis=1)]
    assert len(parts) == 4
    assert {tuple(np.ptp(part["points"][:4], axis=0).tolist()) for part in parts} == {(TILE, TILE)}
    for part_of in parts:
        for place, color in zip(part_of["points"][:4], part_of["colors"], strict=True):
            assert abs(color[0] - 255 * (place[0] / TILE - 2) / 2) <= 1
        for place, uv in zip(part_of["points"][:4], part_of["texcoords"], strict=True):
            assert uv.tolist() == [512 * (place[0] // TILE - 2), 512 * (place[1] // TILE - 1)]


def test_corner_colours_are_what_vertex_paint_paints(level: bpy.types.Collection) -> None:
    obj = layer(level, 0)
    obj.data.color_attributes.new("other", "BYTE_COLOR", "CORNER")
    obj.data.color_attributes.active_color = obj.data.color_attributes["other"]
    activate(obj)
    assert bpy.ops.levelwright.teeworlds_paint_quad_colors() == {"FINISHED"}
    assert bpy.context.mode == "PAINT_VERTEX"
    assert obj.data.color_attributes.active_color.name == layout.COLOR
    if bpy.app.version >= (4, 3):  # 4.2 crashes where no window has made its brush
        bpy.ops.paint.vertex_color_set()
    else:
        obj.data.attributes[layout.COLOR].data.foreach_set("color", [0.5] * 48)
    bpy.ops.object.mode_set(mode="OBJECT")
    _, quads = read_quads(exported(level))
    assert len(np.unique(quads["colors"].reshape(-1, 4), axis=0)) == 1
    assert quads["colors"][0, 0].tolist() != [10, 100, 200, 255]


@pytest.mark.parametrize("kind", ["FLOAT_COLOR", "BYTE_COLOR"])
@pytest.mark.parametrize("domain", ["CORNER", "POINT", "FACE"])
def test_colours_are_read_wherever_they_were_put(level: bpy.types.Collection, domain: str, kind: str) -> None:
    """Nodes and *Convert Attribute* put them onto points or faces, and into bytes."""
    obj = layer(level, 0)
    obj.data.attributes.remove(obj.data.attributes[layout.COLOR])
    colors = obj.data.attributes.new(layout.COLOR, kind, domain)
    for one in colors.data:
        one.color = (0.5, 0.25, 0, 1)
    _, quads = read_quads(exported(level))
    assert np.unique(quads["colors"].reshape(-1, 4), axis=0).tolist() == [[128, 64, 0, 255]]


@pytest.mark.parametrize(
    ("name", "domain", "kind"),
    [
        (layout.COLOR, "CORNER", "FLOAT"),
        (layout.COLOR, "EDGE", "FLOAT_COLOR"),
        (layout.PIVOT, "POINT", "FLOAT_VECTOR"),
        (layout.PIVOT, "FACE", "INT"),
        ("position_envelope", "POINT", "INT"),
    ],
)
def test_attributes_of_quads_in_the_wrong_place_are_refused(
    level: bpy.types.Collection, name: str, domain: str, kind: str
) -> None:
    mesh = layer(level, 0).data
    if name in mesh.attributes:
        mesh.attributes.remove(mesh.attributes[name])
    mesh.attributes.new(name, kind, domain)
    with pytest.raises(SceneError, match=f"attribute {name} must hold"):
        exported(level)


def test_sounds_and_sources_are_made_by_operators(tmp_path: Path) -> None:
    path = tmp_path / "hum.opus"
    path.write_bytes(opus.ogg_opus([opus.SILENCE] * 10))
    level = imported(small_map().build())
    bpy.context.view_layer.objects.active = layer(level, 0)
    bpy.ops.levelwright.teeworlds_add_layer(kind="SOUNDS", title="Hums")
    assert bpy.ops.levelwright.teeworlds_add_sound(filepath=str(path)) == {"FINISHED"}
    assert bpy.ops.levelwright.teeworlds_set_sound(record=0) == {"FINISHED"}
    bpy.context.scene.cursor.location = (3, -2, 0)
    assert bpy.ops.levelwright.teeworlds_add_source(shape="RECTANGLE") == {"FINISHED"}
    speaker = bpy.context.active_object
    assert speaker.type == "SPEAKER" and speaker.data.sound is not None
    bpy.ops.levelwright.teeworlds_new_envelope(kind="SOUND", title="swell")
    key(speaker, "location", 0, (3, -2, 0))
    key(speaker, "location", 24, (5, -2, 0))
    assert bpy.ops.levelwright.teeworlds_stop_envelope(kind="SOUND") == {"FINISHED"}
    for frame, volume in ((0, 1.0), (24, 0.5)):  # from 4.4 on in the same action, in another slot
        speaker.data.volume = volume
        speaker.data.keyframe_insert("volume", frame=frame)
    after = teeworlds.read(exported(level))
    made = next(one for one in after.layers if isinstance(one, teeworlds.SoundLayer))
    source = made.sources()[0]
    assert (after.sounds[made.sound].name, after.sounds[made.sound].data()) == ("hum", path.read_bytes())
    assert (source["x"], source["y"], source["shape"]) == (3 * TILE, 2 * TILE, 0)
    kinds = [after.envelopes[source[name]].kind for name in ("position_envelope", "sound_envelope")]
    assert kinds == [POSITION, SOUND]
    bpy.ops.levelwright.teeworlds_remove_sound(record=0)
    assert teeworlds.read(exported(level)).sounds == []
    wrong = tmp_path / "wrong.opus"
    wrong.write_bytes(b"RIFF" + bytes(60))
    with pytest.raises(RuntimeError, match="not an Ogg file"):
        bpy.ops.levelwright.teeworlds_add_sound(filepath=str(wrong))
    assert len(bpy.data.sounds) == 0


@pytest.mark.parametrize("by_us", [True, False])
def test_undo_leaves_no_object_in_the_levels_list(
    level: bpy.types.Collection, by_us: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blender keeps the list with the collection, and undo frees the objects: the sidebar would read them. by_us: what
    added them says so; Blender's own operators don't.
    """
    if not by_us:
        monkeypatch.setattr(operators, "let_undo_see", lambda _level: None)
    bpy.context.view_layer.objects.active = layer(level, 0)
    bpy.ops.levelwright.teeworlds_add_layer(kind="SOUNDS", title="Hums")
    name = level.name
    bpy.ops.ed.undo_push(message="before")
    before = sorted(obj.name for obj in level.all_objects)
    assert bpy.ops.levelwright.teeworlds_add_source("EXEC_DEFAULT", True) == {"FINISHED"}
    assert len(level.all_objects) == len(before) + 3  # a speaker, and both shapes
    bpy.ops.ed.undo()
    assert sorted(obj.name for obj in bpy.data.collections[name].all_objects) == before


def test_a_physics_layer_goes_to_the_game_layer_and_there_is_one_of_a_kind() -> None:
    level = imported(small_map().build())
    bpy.ops.levelwright.teeworlds_add_group(title="Far")
    bpy.ops.levelwright.teeworlds_add_layer(kind="TILES", title="far")
    assert bpy.ops.levelwright.teeworlds_add_layer(kind="TELE", title="Tele") == {"FINISHED"}
    after = teeworlds.read(exported(level))
    assert [one.tile_kind.name for one in after.groups[0].layers][-1] == "TELE"
    with pytest.raises(RuntimeError, match="the map has a tele layer: "):
        bpy.ops.levelwright.teeworlds_add_layer(kind="TELE", title="Again")


def test_what_is_added_is_selected_alone() -> None:
    """As by Blender's own operators: so G moves it, and nothing that was selected before."""
    level = imported(small_map().build())
    bpy.context.view_layer.objects.active = layer(level, 0)
    layer(level, 0).select_set(True)
    added = (
        lambda: bpy.ops.levelwright.teeworlds_add_layer(kind="QUADS", title="Art"),
        lambda: bpy.ops.levelwright.teeworlds_add_group(title="Far"),
        lambda: bpy.ops.levelwright.teeworlds_add_layer(kind="SOUNDS", title="Hums"),
        lambda: bpy.ops.levelwright.teeworlds_add_source(),
    )
    before = layer(level, 0)
    for add in added:
        assert add() == {"FINISHED"}
        assert bpy.context.active_object != before
        assert bpy.context.selected_objects == [bpy.context.active_object]
        before = bpy.context.active_object
