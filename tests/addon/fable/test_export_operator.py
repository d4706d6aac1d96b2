# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export: what is at fault gets selected, the note about the baked ground, and the sidebar's painting panel."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from levelwright.addon import operators
from levelwright.addon.fable.exporter import BAKED
from levelwright.addon.fable.game import GAME
from levelwright.addon.fable.paint import panel as edit_panel
from levelwright.addon.fable.paint.brush import brush_of
from levelwright.addon.fable.palettes import lists

from tests.addon.fable.export_helpers import LEVEL, activate, game_map, imported, place, positions, set_values, terrain


class Notes:
    """A layout that notes what is put into it; a row, column or box of it is itself."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.properties: list[str] = []
        self.operators: list[SimpleNamespace] = []
        self.enabled = True

    def label(self, text: str, **_: object) -> None:
        self.labels.append(text)

    def prop(self, _owner: object, name: str, **_: object) -> None:
        self.properties.append(name)

    def operator(self, name: str, **_: object) -> SimpleNamespace:
        category, _, verb = name.partition(".")
        assert verb in dir(getattr(bpy.ops, category)), name
        self.operators.append(SimpleNamespace(id=name, erase=False))
        return self.operators[-1]

    def column(self, **_: object) -> "Notes":
        return self

    row = box = column


def export(tmp_path):
    return bpy.ops.export_scene.fable_lev(filepath=str(tmp_path / "out.lev"))


def test_vertices_at_fault_are_selected_and_the_file_stays(tmp_path):
    level = imported()
    (tmp_path / "out.lev").write_bytes(b"old")
    obj = terrain(level)
    activate(game_map(level))
    values = positions(obj)
    values[[3, 40], 0] += 0.5
    place(obj, values)
    with pytest.raises(RuntimeError, match="2 vertices are moved sideways"):
        export(tmp_path)
    chosen = np.empty(len(values), np.bool_)
    obj.data.vertices.foreach_get("select", chosen)
    assert np.flatnonzero(chosen).tolist() == [3, 40]
    assert bpy.context.view_layer.objects.active == obj and obj.select_get() and not game_map(level).select_get()
    assert (tmp_path / "out.lev").read_bytes() == b"old"


def test_faces_at_fault_are_selected(tmp_path):
    level = imported()
    obj = game_map(level)
    set_values(obj, "sound", [5, 6], 99)
    with pytest.raises(RuntimeError, match="2 faces: attribute sound isn't the number of a sound"):
        export(tmp_path)
    assert [face.index for face in obj.data.polygons if face.select] == [5, 6]
    assert not (tmp_path / "out.lev").exists()


def test_options_reach_the_export(tmp_path):
    level = imported()
    values = positions(terrain(level))
    values[3, 2] = 5000
    place(terrain(level), values)
    path = str(tmp_path / "out.lev")
    assert bpy.ops.export_scene.fable_lev(filepath=path, clamp=True) == {"FINISHED"}
    assert (tmp_path / "out.lev").read_bytes() != LEVEL.build()
    report = bpy.data.texts[f"{level.name} export"].as_string()
    assert "FinalAlbion_RT.stb" in report and "1 cell with other heights" in report


def test_the_exporter_says_that_the_ground_is_baked():
    notes = Notes()
    kind = GAME.files[0]
    dialog = SimpleNamespace(layout=notes, choices=GAME.export_settings, kind=kind, collection="", filepath="")
    operators._Export.draw(dialog, bpy.context)
    assert " ".join(notes.labels) == BAKED
    assert {"clamp", "snap", "ground_navigation"} <= set(notes.properties)


@pytest.mark.parametrize(
    ("target", "name", "able"),
    [("walkable", "", True), ("theme", "GRASS", True), ("sound", "SOUND_SEA", True), ("atmosphere", "", False)],
)
def test_the_panel_paints_what_is_chosen(target, name, able):
    level = imported()
    held = lists.of(level)
    held.active_theme = 1
    if target == "atmosphere":
        held.atmospheres.clear()
    brush_of(bpy.context).target = target
    notes = Notes()
    edit_panel.LEVELWRIGHT_PT_fable_paint.draw_level(SimpleNamespace(layout=notes), bpy.context, level)
    assert [one.id for one in notes.operators] == [
        "levelwright.fable_brush", "levelwright.fable_paint_selected", "levelwright.fable_paint_selected",
    ]  # fmt: skip
    assert {(one.target, one.name) for one in notes.operators[1:]} == {(target, name)}
    assert [one.erase for one in notes.operators[1:]] == [False, True]
    assert notes.enabled == able
