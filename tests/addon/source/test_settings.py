# SPDX-License-Identifier: GPL-3.0-or-later
"""The import's options in the dialog: in panels, with presets that set what there is."""

import ast
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from levelwright.addon import games, operators
from levelwright.addon.scene.fields import options as settings
from levelwright.addon.scene.fields.properties import fields
from levelwright.addon.source.settings import ImportSettings

PRESETS = "operator/import_scene.source_bsp"


class Panels:
    """A layout that notes which options are drawn in which panel."""

    def __init__(self, shown: dict[str, list[str]], title: str = "") -> None:
        self.shown, self.title = shown, title

    def panel(self, _name: str, default_closed: bool = False) -> tuple["Panels", "Panels"]:
        inner = Panels(self.shown)
        return inner, inner

    def label(self, text: str) -> None:
        self.title = text

    def prop(self, _owner: object, name: str) -> None:
        self.shown.setdefault(self.title, []).append(name)


def test_options_are_in_panels():
    shown: dict[str, list[str]] = {}
    values = settings.to_properties(ImportSettings())
    dialog = SimpleNamespace(layout=Panels(shown), game=games.by_key("source"), of_form=None, **values)
    dialog.draw_left_out = lambda: None
    operators._ImportOfGame.draw(dialog, bpy.context)
    assert list(shown) == ["", "World", "Baked light", "Entities and props"]
    assert sorted(name for names in shown.values() for name in names) == sorted(
        one.name for one in fields(ImportSettings)
    )
    assert shown["Baked light"] == ["lightmaps", "bump_lightmaps", "prop_light"]


def preset_files() -> list[Path]:
    return sorted(path for folder in bpy.utils.preset_paths(PRESETS) for path in Path(folder).glob("*.py"))


def test_there_are_presets():
    assert {path.stem for path in preset_files()} == {"Everything", "Geometry_Only", "Quick_Look"}


@pytest.mark.parametrize("name", ["Everything", "Geometry_Only", "Quick_Look"])
def test_presets_set_what_there_is(name):
    (path,) = [path for path in preset_files() if path.stem == name]
    lines = [line for line in ast.parse(path.read_text()).body if isinstance(line, ast.Assign)]
    values = {line.targets[0].attr: ast.literal_eval(line.value) for line in lines if hasattr(line.targets[0], "attr")}
    here = {"game_directory", "fgd", "scale"}  # where things are and what is usual is the artist's own
    assert values.keys() | here == {one.name for one in fields(ImportSettings)}
    chosen = settings.from_text(ImportSettings, {key: str(value) for key, value in values.items()})
    assert {key: getattr(chosen, key) for key in values} == values
