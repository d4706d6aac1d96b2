# SPDX-License-Identifier: GPL-3.0-or-later
"""What every game gets by declaring itself: menus, dialogs, drag and drop, preferences, one undo step."""

import hashlib
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright import formats
from levelwright.addon import file_handlers, games, levels, menus, operators, preferences
from levelwright.addon.game import Game
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.kept import originals

from tests.addon.contract.registered import LEVELS, samples
from tests.addon.contract.test_operators import idname, own_operators

GAMES = pytest.mark.parametrize("game", games.GAMES, ids=lambda game: game.key)


class Noted:
    """A menu, and a layout that takes notes of the entries that are drawn into it."""

    def __init__(self) -> None:
        self.layout = self
        self.entries: list[tuple[str, str, Any]] = []

    def operator(self, name: str, text: str, **_: object) -> Any:
        self.entries.append((name, text, SimpleNamespace()))
        return self.entries[-1][2]

    def label(self, text: str, **_: object) -> None:
        self.entries.append(("", text, None))

    def separator(self) -> None:
        """Nothing to note."""


def drawn(menu: Any) -> list[tuple[str, str, Any]]:
    """The entries of a menu: operators, texts, and what the buttons set."""
    noted = Noted()
    menu.draw(noted, bpy.context)
    return noted.entries


@GAMES
def test_it_has_a_format_with_all_verbs_and_a_sample(game: Game) -> None:
    assert isinstance(game.format.verbs, formats.Verbs)
    assert samples(game), "the contract is tried on a level in tests/samples"
    endings = {kind.ending for kind in game.files}
    assert endings == set(game.format.endings)


@GAMES
def test_its_files_have_menu_entries_with_tooltips(game: Game) -> None:
    imports = {cls.bl_idname: cls for cls in operators.CLASSES}
    shown = drawn(menus.LEVELWRIGHT_MT_import)
    (entry,) = [text for name, text, _ in shown if name == f"import_scene.{game.files[0].operator}"]
    for kind in game.files:
        assert kind.ending in entry, "one entry takes all that its levels are in"
        for category in ("import_scene", "export_scene")[: 1 + (game.export_level is not None)]:
            tooltip = getattr(getattr(bpy.ops, category), kind.operator).get_rna_type().description
            assert len(tooltip) > 20
            assert not tooltip.endswith("."), "Blender adds the full stop"
        for takes in (operators.CLASSES[0], imports[f"import_scene.{game.files[0].operator}"]):
            assert f"*{kind.ending}" in takes.__annotations__["filter_glob"].keywords["default"]
    for form in game.forms:
        offered = [text for name, text, _ in shown if name == f"import_scene.{form.operator}"]
        assert len(offered) == (form.import_form is not None)


@LEVELS
def test_the_export_menu_has_what_the_scene_has(game: Game, sample: Path) -> None:
    assert drawn(menus.LEVELWRIGHT_MT_export) == [("", "No level in this scene", None)]
    assert bpy.ops.import_scene.game_level(filepath=str(sample)) == {"FINISHED"}
    (level,) = originals.levels()
    kind = game.kind_of(sample.name)
    shown = drawn(menus.LEVELWRIGHT_MT_export)
    own = {each.operator for each in (*game.files, *game.forms)}
    assert {name.removeprefix("export_scene.") for name, _, _ in shown} <= own
    (made,) = [button for name, _, button in shown if name == f"export_scene.{kind.operator}"]
    assert made.collection == level.name


@GAMES
def test_a_level_of_another_game_keeps_how_the_scene_is_shown(game: Game) -> None:
    """Units, colours, snapping and world are those of the level that was there before."""
    other = next(each for each in games.GAMES if each != game)
    assert bpy.ops.import_scene.game_level(filepath=str(samples(other)[0])) == {"FINISHED"}
    scene = bpy.context.scene

    def shown() -> list[object]:
        held = (scene.view_settings, scene.unit_settings, scene.tool_settings, scene.display.shading, scene.render)
        simple = {"BOOLEAN", "INT", "FLOAT", "STRING"}
        return [
            scene.world,
            *(
                (key, getattr(one, key))
                for one in held
                for key, about in one.bl_rna.properties.items()
                if about.type in simple and not getattr(about, "is_array", False)
            ),
            scene.unit_settings.system,
            scene.view_settings.view_transform,
            scene.display.shading.color_type,
        ]

    before = shown()
    assert bpy.ops.import_scene.game_level(filepath=str(samples(game)[0])) == {"FINISHED"}
    assert shown() == before


@GAMES
def test_a_new_level_can_be_exported_and_opened_again(game: Game, tmp_path: Path) -> None:
    assert game.new is not None
    assert game.new.operator.startswith(f"{game.key}_")
    assert (f"levelwright.{game.new.operator}", game.new.label) in [
        each[:2] for each in drawn(menus.LEVELWRIGHT_MT_new)
    ]
    assert all(field.tooltip for field in properties.fields(game.new.settings))
    make: Any = getattr(bpy.ops.levelwright, game.new.operator)
    bpy.ops.ed.undo_push(message="before")
    before = blocks()
    assert make("EXEC_DEFAULT", True) == {"FINISHED"}
    level = levels.choose(bpy.context)
    assert levels.game_of(level) == game
    assert level.objects
    target = tmp_path / f"new{game.files[0].ending}"
    exporting: Any = getattr(bpy.ops.export_scene, game.files[0].operator)
    assert exporting(filepath=str(target), collection=level.name) == {"FINISHED"}
    errors = [each for each in formats.check(formats.read(target)) if each.severity == "error"]
    assert errors == []
    bpy.ops.ed.undo()
    assert blocks() == before
    assert bpy.ops.import_scene.game_level(filepath=str(target)) == {"FINISHED"}


@GAMES
def test_its_options_are_in_the_dialogs(game: Game) -> None:
    anything = bpy.ops.import_scene.game_level.get_rna_type().properties
    for kind in game.files:
        own = getattr(bpy.ops.import_scene, kind.operator).get_rna_type().properties
        for field in properties.fields(game.import_settings):
            assert own[field.name].description == anything[f"{game.key}_{field.name}"].description == field.tooltip
            assert field.tooltip
        if game.export_settings is not None:
            own = getattr(bpy.ops.export_scene, kind.operator).get_rna_type().properties
            for field in properties.fields(game.export_settings):
                assert own[field.name].description == field.tooltip
                assert field.tooltip


@GAMES
def test_its_files_can_be_dropped_and_exported_with_a_collection(game: Game) -> None:
    handlers = {cls.bl_idname: cls for cls in file_handlers.CLASSES}
    for kind in game.files:
        assert kind.ending in handlers["IO_FH_game_level"].bl_file_extensions.split(";")
        if game.export_level is not None:
            assert handlers[f"IO_FH_{kind.operator}"].bl_export_operator == f"export_scene.{kind.operator}"


@GAMES
def test_its_folders_are_in_the_preferences(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = bpy.context.preferences.addons["levelwright"].preferences
    for folder in game.folders:
        assert folder in preferences.FOLDERS
        assert entry.bl_rna.properties[folder.name].description == folder.tooltip
        setattr(entry, folder.name, str(tmp_path))
        try:
            assert folder.chosen() == str(tmp_path)
            if folder.variable:
                assert folder.folders()[0] == tmp_path
        finally:
            entry.property_unset(folder.name)
        if folder.variable:
            monkeypatch.setenv(folder.variable, str(tmp_path))
            assert folder.folders()[0] == tmp_path


@GAMES
def test_its_operators_carry_its_prefix(game: Game) -> None:
    """Names of operators are what scripts depend on: a game's begin with its key."""
    keys = {each.key for each in games.GAMES}
    shared = {idname(cls).partition(".")[2] for cls in own_operators() if cls.__module__.split(".")[2] not in keys}
    assert "check_export" in shared
    for name in dir(bpy.ops.levelwright):
        assert name in shared or name.partition("_")[0] in keys, name
    own = [name for name in dir(bpy.ops.levelwright) if name.startswith(f"{game.key}_")]
    for name in own:
        assert re.fullmatch(r"[a-z0-9_]+", name)


def blocks() -> dict[str, int]:
    """How many data-blocks there are of each kind."""
    tables = (each for each in bpy.data.bl_rna.properties if each.type == "COLLECTION")
    return {each.identifier: len(getattr(bpy.data, each.identifier)) for each in tables}


@LEVELS
def test_one_undo_takes_an_import_back(game: Game, sample: Path) -> None:
    bpy.ops.ed.undo_push(message="before")
    before = blocks()
    assert bpy.ops.import_scene.game_level("EXEC_DEFAULT", True, filepath=str(sample)) == {"FINISHED"}
    assert [levels.game_of(level) for level in originals.levels()] == [game]
    bpy.ops.ed.undo()
    assert originals.levels() == []
    assert blocks() == before


@LEVELS
def test_an_import_that_fails_leaves_nothing_behind(game: Game, sample: Path, tmp_path: Path) -> None:
    data = sample.read_bytes()
    cut = tmp_path / sample.name
    cut.write_bytes(data[: len(data) // 3])
    before = blocks()
    operator: Any = getattr(bpy.ops.import_scene, game.kind_of(sample.name).operator)
    try:
        operator(filepath=str(cut))
    except RuntimeError as error:
        assert sample.name in str(error)
        assert blocks() == before
    else:
        (level,) = originals.levels()  # what is there can be read: then it is exported as it came
        target = tmp_path / f"out{sample.suffix}"
        exporting: Any = getattr(bpy.ops.export_scene, game.kind_of(sample.name).operator)
        assert exporting(filepath=str(target), collection=level.name) == {"FINISHED"}
        assert hashlib.sha256(target.read_bytes()).hexdigest() == hashlib.sha256(cut.read_bytes()).hexdigest()
