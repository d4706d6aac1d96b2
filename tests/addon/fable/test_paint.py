# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting flags, themes, atmospheres and sounds, by strokes and on what is selected; and new levels."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.new_level import new_level
from levelwright.addon.fable.paint import brush, tool
from levelwright.addon.fable.paint.canvas import Canvas
from levelwright.addon.fable.paint.stroke import Stroke
from levelwright.addon.fable.paint.tool import LEVELWRIGHT_OT_fable_stroke as Stroking
from levelwright.addon.fable.palettes import lists
from levelwright.addon.fable.terrain import overlays
from levelwright.addon.scene import attributes
from levelwright.addon.scene.geometry import vertex_groups
from levelwright.addon.scene.interface import tools
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable
from mathutils import Vector

from tests.addon.fable.export_helpers import (
    LEVEL,
    activate,
    changed_cells,
    exported,
    game_map,
    imported,
    paint,
    positions,
    reopened,
    set_values,
    terrain,
)

DATA = LEVEL.build()
COLUMNS = 33


def at(x: int, y: int) -> int:
    return y * COLUMNS + x


def stroke(level, target, *places, name="", radius=2.0, strength=1.0, erase=False):
    made = Stroke(Canvas(bpy.context, level, target, name), radius, strength, erase)
    for x, y in places:
        made.to(x, y)
    made.end()


def select(obj: bpy.types.Object, elements: str, wanted: list[int]) -> None:
    sequence = getattr(obj.data, elements)
    chosen = np.zeros(len(sequence), np.bool_)
    chosen[wanted] = True
    for each in ("vertices", "edges", "polygons"):
        count = len(getattr(obj.data, each))
        getattr(obj.data, each).foreach_set("select", chosen if each == elements else np.zeros(count, np.bool_))


def disc(x: float, y: float, radius: float) -> set[tuple[int, int]]:
    return {(a, b) for a in range(COLUMNS) for b in range(COLUMNS) if np.hypot(a - x, b - y) < radius}


# ---- strokes


def test_a_flag_is_set_in_a_disc_and_erased_again():
    level = imported()
    stroke(level, "walkable", (24, 24), radius=3, erase=True)
    after = exported(level)
    assert changed_cells(DATA, after) == {place: {"walkable"} for place in disc(24, 24, 3)}
    stroke(level, "walkable", (24, 24), radius=3)
    assert exported(level) == DATA


def test_a_stroke_leaves_no_gaps():
    level = imported()
    stroke(level, "path", (3, 3), (27, 28), radius=1.5)
    found = changed_cells(DATA, exported(level))
    for step in np.linspace(0, 1, 50):
        x, y = 3 + 24 * step, 3 + 25 * step
        near = [(a, b) for a, b in found if np.hypot(a - x, b - y) < 1.5]
        assert near or 20 in (round(x), round(x) + 1, round(x) - 1)  # x = 20 was a path


def test_a_small_brush_paints_the_nearest_cell():
    level = imported()
    stroke(level, "shore", (5.4, 7.4), radius=0.1)
    assert changed_cells(DATA, exported(level)) == {(5, 7): {"shore"}}
    stroke(level, "shore", (-100, 7), radius=2)
    assert changed_cells(DATA, exported(level)) == {(5, 7): {"shore"}}


def test_a_theme_is_blended_in_weights_attributes_and_colour():
    level = imported()
    obj = terrain(level)
    color = attributes.read(obj.data, layout.THEME_COLOR)
    stroke(level, "theme", (6, 6), name="ROCK", radius=2.5)
    cells = fable.read(exported(level)).cells
    found = changed_cells(DATA, exported(level))
    assert set(found) <= disc(6, 6, 2.5) and (6, 6) in found
    assert cells["themes"][6, 6].tolist() == [2, 3, 4] and cells["strengths"][6, 6].tolist() == [0, 0]
    rim = cells[6, 8]
    rock = (255 - rim["strengths"].sum(dtype=int)) if rim["themes"][2] == 4 else 0
    assert 0 < rock < 128
    weights = dict(vertex_groups.read(bpy.context, obj))
    assert sum(values[at(8, 6)] for values in weights.values()) == pytest.approx(1, abs=1e-6)
    assert weights["ROCK"][at(8, 6)] == np.float32(rock / 255)
    for n in (1, 2, 3):
        assert attributes.read(obj.data, f"theme_{n}")[at(8, 6)] == rim["themes"][n - 1]
    now = attributes.read(obj.data, layout.THEME_COLOR)
    assert {(int(v) % COLUMNS, int(v) // COLUMNS) for v in np.flatnonzero((now != color).any(axis=1))} == set(found)
    obj.vertex_groups.clear()  # the attributes alone say the same
    assert (fable.read(exported(level)).cells["strengths"] == cells["strengths"]).all()


@pytest.mark.parametrize(("target", "name"), [("theme", "GRASS"), ("atmosphere", "HAZE"), ("sound", "WOOD")])
def test_what_the_brush_shows_is_no_edit_but_what_others_do_to_it_is_told(target, name):
    level = imported()
    kind = {"theme": "themes"}.get(target, f"{target}s")
    name = next(each for each in getattr(lists.get(level), kind)[::-1] if each)
    overlays.show(level, "themes" if target == "theme" else target)
    stroke(level, target, (10, 10), (14, 10), name=name)
    overlays.show_solid(level)
    assert told_of_colors(level) == []
    shown = layout.THEME_COLOR if target == "theme" else layout.OVERLAY_COLOR
    mesh = terrain(level).data
    mesh.attributes[shown].data[3].color = 0.1, 0.2, 0.3, 1.0
    assert told_of_colors(level) == [shown]
    mesh.attributes.remove(mesh.attributes[shown])
    assert told_of_colors(level) == [shown]


def told_of_colors(level: bpy.types.Collection) -> list[str]:
    """The attributes of the terrain of which an export says that their edit isn't written."""
    report = Report()
    exported(level, report)
    return [line.split("attribute ")[1].split(" ")[0] for line in report.lines() if "the edit of attribute" in line]


def test_painting_never_makes_a_cell_that_cannot_be():
    level = imported()
    rng = np.random.default_rng(5)
    for _ in range(30):
        name = ["GRASS", "SAND", "ROCK", "MUD"][rng.integers(4)]
        place = tuple(rng.uniform(0, 32, 2).tolist())
        erase, strength = bool(rng.random() < 0.3), float(rng.random())
        stroke(level, "theme", place, name=name, radius=float(rng.uniform(1, 8)), strength=strength, erase=erase)
    report = Report()
    after = exported(level, report)
    assert not fable.check(fable.read(after))
    assert "left out" not in report.summary()
    weights = np.array([values for _, values in vertex_groups.read(bpy.context, terrain(level))])
    np.testing.assert_allclose(weights.sum(axis=0), 1, atol=1e-6)
    assert ((weights > 0).sum(axis=0) <= 3).all()


def test_the_only_theme_of_a_cell_stays():
    level = imported()
    stroke(level, "theme", (0, 2), name="GRASS", radius=0.5, erase=True)
    assert exported(level) == DATA


def test_what_weight_painting_did_counts_for_the_brush():
    level = imported()
    terrain(level).vertex_groups["ROCK"].add([at(2, 2)], 1.0, "REPLACE")
    terrain(level).vertex_groups["GRASS"].remove([at(2, 2)])
    terrain(level).vertex_groups["SAND"].remove([at(2, 2)])
    stroke(level, "theme", (2, 2), name="MUD", radius=0.5, strength=0.5)
    cell = fable.read(exported(level)).cells[2, 2]
    assert {4, 5} <= set(cell["themes"].tolist())
    shown = dict(zip(cell["themes"].tolist(), fable.strengths(cell).tolist(), strict=True))
    assert {shown[4], shown[5]} == {127, 128}


def test_atmospheres_and_sounds_of_the_game_map():
    level = imported()
    stroke(level, "sound", (10, 10), name="SOUND_WIND", radius=3)
    stroke(level, "atmosphere", (20, 20), name="ENVIRONMENT_FOG", radius=3)
    found = changed_cells(DATA, exported(level), "game_map")
    game = fable.read(exported(level)).game_map
    assert game["sound"][2, 2] == 2 and game["themes"][5, 5].tolist() == [1, 2, 0]
    assert game["strengths"][5, 5].tolist() != [200, 55]
    assert all({"sound": 2, "strengths": 5}[next(iter(kinds))] - 1 <= x <= 5 for (x, _), kinds in found.items())
    stroke(level, "sound", (10, 10), radius=3, erase=True)
    assert fable.read(exported(level)).game_map["sound"][2, 2] == 0


def test_what_is_drawn_over_the_ground_follows():
    level = imported()
    overlays.show(level, "sound")
    before = attributes.read(terrain(level).data, layout.OVERLAY_COLOR)
    stroke(level, "sound", (10, 10), name="SOUND_WIND", radius=6)
    assert (attributes.read(terrain(level).data, layout.OVERLAY_COLOR) != before).any()


@pytest.mark.parametrize(
    ("target", "name", "what"),
    [
        ("theme", "LAVA", "no theme 'LAVA'"),
        ("theme", "", "no theme ''"),
        ("atmosphere", "FOG", "no atmosphere"),
        ("sound", "SEA", "no sound"),
        ("height", "", "can't be painted"),
    ],
)
def test_what_cannot_be_painted(target, name, what):
    with pytest.raises(SceneError, match=what):
        Canvas(bpy.context, imported(), target, name)


def test_nothing_to_paint_on():
    level = imported()
    terrain(level).data.attributes.remove(terrain(level).data.attributes["path"])
    with pytest.raises(SceneError, match="lost its attribute path"):
        stroke(level, "path", (3, 3))
    bpy.data.objects.remove(game_map(level))
    with pytest.raises(SceneError, match="no game map"):
        Canvas(bpy.context, level, "sound")


# ---- what is selected


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT", "WEIGHT_PAINT", "SCULPT"])
def test_selected_vertices(mode):
    level = imported()
    obj = terrain(level)
    activate(obj)
    select(obj, "vertices", [at(4, 4), at(5, 4)])
    bpy.ops.object.mode_set(mode=mode)
    assert bpy.ops.levelwright.fable_paint_selected(target="walkable", erase=True) == {"FINISHED"}
    assert bpy.ops.levelwright.fable_paint_selected(target="theme", name="ROCK", strength=1.0) == {"FINISHED"}
    assert obj.mode == mode
    found = changed_cells(DATA, exported(level))
    assert found == {(4, 4): {"walkable", "themes", "strengths"}, (5, 4): {"walkable", "themes", "strengths"}}


def test_selected_faces_of_the_game_map_and_those_under_the_terrains_vertices():
    level = imported()
    faces = game_map(level)
    activate(faces)
    select(faces, "polygons", [0, 9])
    bpy.ops.levelwright.fable_paint_selected(target="sound", name="SOUND_WIND")
    game = fable.read(exported(level)).game_map
    assert game["sound"][0, 0] == 2 and game["sound"][1, 1] == 2
    activate(terrain(level))
    select(terrain(level), "vertices", [at(30, 30), at(31, 31)])
    bpy.ops.levelwright.fable_paint_selected(target="sound", erase=True)
    game = fable.read(exported(level)).game_map
    assert game["sound"][7, 7] == 0


def test_nothing_selected_is_said():
    level = imported()
    activate(terrain(level))
    select(terrain(level), "vertices", [])
    with pytest.raises(RuntimeError, match="is selected"):
        bpy.ops.levelwright.fable_paint_selected(target="walkable")
    with pytest.raises(RuntimeError, match="no theme"):
        bpy.ops.levelwright.fable_paint_selected(target="theme", name="LAVA")


def test_painting_after_an_undo_step():
    level = imported()
    activate(terrain(level))
    select(terrain(level), "vertices", [at(4, 4)])
    bpy.ops.ed.undo_push()
    bpy.ops.levelwright.fable_paint_selected("EXEC_DEFAULT", True, target="path")
    bpy.ops.ed.undo()
    again = next(one for one in bpy.data.collections if one.get("levelwright_level") is not None)
    assert exported(again) == DATA


# ---- the interface


class Mouse(SimpleNamespace):
    """What the brush looks at of an event."""

    def __init__(self, kind: str, value: str = "PRESS", ctrl: bool = False) -> None:
        super().__init__(type=kind, value=value, ctrl=ctrl, oskey=False, mouse_region_x=0, mouse_region_y=0)


class Hand:
    """A stroke as if a view had begun it: `under` is where the mouse points, `said` what it reported."""

    def __init__(self, monkeypatch, target: str, name: str = "") -> None:
        self.level = imported()
        self.under: Vector | None = Vector((6, 6, 0))
        monkeypatch.setattr(tool, "under", lambda *_: self.under)
        settings = brush.brush_of(bpy.context)
        settings.target, settings.radius, settings.strength = target, 1.5, 1.0
        held = lists.of(self.level)
        if name:
            held.active_theme = [item.name for item in held.themes].index(name)
        self.said: list[str] = []
        self.made = SimpleNamespace(erase=False, report=lambda _, message: self.said.append(message))
        for one in ("begin", "follow", "finish", "abandon", "key", "_step", "_leave", "cancel"):
            method = getattr(Stroking, one)
            setattr(self.made, one, lambda *args, method=method: method(self.made, *args))
        self.made.failures, self.made.hints = Stroking.failures, ()

    def press(self) -> set[str]:
        return Stroking.invoke(self.made, self.context(), Mouse("LEFTMOUSE"))

    def send(self, *event, **options) -> set[str]:
        return Stroking.modal(self.made, self.context(), Mouse(*event, **options))

    def context(self):
        manager = SimpleNamespace(
            modal_handler_add=lambda _: True, windows=(), **{brush.KEY: brush.brush_of(bpy.context)}
        )
        names = ("view_layer", "scene", "collection", "space_data", "active_object")
        found = {name: getattr(bpy.context, name, None) for name in names}
        found["evaluated_depsgraph_get"] = bpy.context.evaluated_depsgraph_get
        return SimpleNamespace(window_manager=manager, workspace=None, area=None, **found)


def test_the_brush_follows_the_mouse(monkeypatch):
    hand = Hand(monkeypatch, "walkable")
    hand.made.erase = True
    assert hand.press() == {"RUNNING_MODAL"}
    hand.under = Vector((6, 2, 0))
    hand.send("MOUSEMOVE")
    hand.under = None  # beside the level
    hand.send("MOUSEMOVE")
    assert hand.send("LEFTMOUSE", "RELEASE") == {"FINISHED"}
    found = changed_cells(DATA, exported(hand.level))
    assert {(6, y) for y in range(2, 7)} <= set(found) and all(5 <= x <= 7 for x, _ in found)
    assert hand.press() == {"PASS_THROUGH"}, "nothing is under the mouse"
    assert not hand.said


@pytest.mark.parametrize(("target", "name"), [("walkable", ""), ("theme", "ROCK"), ("sound", ""), ("atmosphere", "")])
@pytest.mark.parametrize("how", ["Z", "ESC", "RIGHTMOUSE", "another file"])
def test_an_abandoned_stroke_leaves_all_as_it_was(monkeypatch, target, name, how):
    hand = Hand(monkeypatch, target, name)
    obj = terrain(hand.level)
    paint(obj, "MUD", [at(6, 6)], 0.4)
    before = exported(hand.level)
    weights = {group: values.copy() for group, values in vertex_groups.read(bpy.context, obj)}
    hand.press()
    for x in (8, 12, 20):
        hand.under = Vector((x, 7, 0))
        hand.send("MOUSEMOVE")
    assert exported(hand.level) != before
    if how == "another file":
        hand.made.cancel(hand.context())
    else:
        assert hand.send(how, ctrl=how == "Z") == {"CANCELLED"}
    assert exported(hand.level) == before
    for group, values in vertex_groups.read(bpy.context, obj):
        np.testing.assert_array_equal(values, weights.get(group, np.zeros_like(values)), group)
    assert tools.overlays() == 0


def test_what_cannot_be_painted_is_said_and_begins_nothing(monkeypatch):
    hand = Hand(monkeypatch, "theme", "ROCK")
    lists.of(hand.level).themes[lists.of(hand.level).active_theme].name = ""
    assert hand.press() == {"CANCELLED"}
    assert "choose one in the sidebar's list" in hand.said[0]
    assert exported(imported()) == DATA


def test_views_that_draw_solid_colours_show_what_is_painted():
    level = imported()
    obj = terrain(level)
    overlays.show(level, "walkable")
    overlays.show_solid(level)
    assert obj.data.attributes.active_color.name == layout.SOLID_COLOR
    before = attributes.read(obj.data, layout.SOLID_COLOR)
    assert before[at(24, 24), 1] > before[at(24, 24), 0], "green"
    stroke(level, "walkable", (24, 24), radius=3, erase=True)
    after = attributes.read(obj.data, layout.SOLID_COLOR)
    assert after[at(24, 24), 0] > after[at(24, 24), 1], "red"
    changed = {(int(v) % COLUMNS, int(v) // COLUMNS) for v in np.flatnonzero((before != after).any(axis=1))}
    assert changed == disc(24, 24, 3)
    overlays.show(level, "sound")
    before = attributes.read(obj.data, layout.SOLID_COLOR)
    stroke(level, "sound", (10, 10), name="SOUND_WIND", radius=6)
    assert (attributes.read(obj.data, layout.SOLID_COLOR) != before).any()
    overlays.show(level, "themes")
    overlays.show_solid(level)
    assert obj.data.attributes.active_color.name == layout.THEME_COLOR


def test_the_cursor_is_a_ring_on_the_ground():
    level = imported()
    circle = np.array(tool.ring(terrain(level), Vector((5, 6, 7)), 2.0))
    np.testing.assert_allclose(np.hypot(circle[:, 0] - 5, circle[:, 1] - 6), 2, rtol=1e-5)
    assert (circle[:, 2] == 7 + tool.LIFT).all()


def test_the_names_that_are_chosen():
    level = imported()
    held = lists.of(level)
    held.active_theme, held.active_sound = 2, 1
    assert brush.chosen(level, "theme") == "SAND"
    assert brush.chosen(level, "sound") == "SOUND_WIND"
    assert brush.chosen(level, "atmosphere") == "ENVIRONMENT_DAY"
    assert brush.chosen(level, "walkable") == ""
    held.sounds.clear()
    assert brush.chosen(level, "sound") == ""
    assert not hasattr(bpy.context.scene, brush.KEY), "undo would set it back there"


# ---- new levels


def test_a_new_level_exports_whole(tmp_path):
    assert bpy.ops.levelwright.fable_new_level(name="Meadow", width=64, height=32, z=10.5, theme="GRASS") == {
        "FINISHED"
    }
    level = bpy.data.collections["Meadow"]
    assert bpy.context.view_layer.active_layer_collection.collection == level
    report = Report()
    data = exported(level, report)
    made = fable.read(data)
    assert (made.width, made.height) == (64, 32) and made.cells.shape == (33, 65)
    assert (fable.heights(made.cells) == 10.5).all() and (made.cells["walkable"] == 1).all()
    assert fable.palette_names(made.ground_palette)[:3] == ["", "INVALID_THEME_STANDIN", "GRASS"]
    assert len(made.sections[0].navigation.nodes) == 2
    assert not fable.check(made)
    assert data == fable.write(fable.new_level(64, 32, themes=["GRASS"], z=10.5))
    assert any("FinalAlbion_RT.stb" in line for line in report.notes)
    assert exported(reopened(level, tmp_path)) == data


def test_a_new_level_with_everything_edited():
    level = new_level(bpy.context, "New", 32, 32, "GRASS")
    names = lists.get(level)
    names.themes[3], names.sounds = "SAND", ["SOUND_SEA"]
    names.used_themes.add(3)
    lists.put(level, names)
    lists.name_layers(level)
    stroke(level, "theme", (10, 10), name="SAND", radius=4)
    stroke(level, "walkable", (20, 20), radius=4, erase=True)
    stroke(level, "sound", (16, 16), name="SOUND_SEA", radius=8)
    values = positions(terrain(level))
    values[at(3, 3), 2] = 99.5
    attributes.write(terrain(level).data, "position", "POINT", "FLOAT_VECTOR", values)
    level["thing_uid_counter"] = "12"
    made = fable.read(exported(level))
    assert not fable.check(made)
    assert made.map_header["thing_uid_counter"] == 12 and made.sounds == ["SOUND_SEA"]
    assert fable.heights(made.cells)[3, 3] == 99.5 and not made.cells["walkable"][20, 20]
    assert 3 in made.cells["themes"][10, 10] and made.game_map["sound"].any()
    assert (fable.raster(made.sections[0].navigation, 0) < 0).any()


def test_an_imported_level_built_as_new():
    level = imported()
    set_values(terrain(level), "walkable", at(4, 4), False)
    made, was = fable.read(exported(level, build_as_new=True)), fable.read(DATA)
    assert not fable.check(made)
    changed = made.cells != was.cells
    assert np.argwhere(changed).tolist() == [[4, 4]]
    assert made.game_map.tobytes() == was.game_map.tobytes() and made.sounds == was.sounds
    assert fable.palette_names(made.ground_palette) == fable.palette_names(was.ground_palette)


@pytest.mark.parametrize("options", [{"width": 33}, {"theme": "\u8349"}, {"theme": "x" * 200}])
def test_new_levels_that_cannot_be(options):
    with pytest.raises(RuntimeError, match="a level can't be like this"):
        bpy.ops.levelwright.fable_new_level(**options)
    assert not bpy.data.collections
