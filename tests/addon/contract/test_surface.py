# SPDX-License-Identifier: GPL-3.0-or-later
"""What every game gets by declaring itself: menus, dialogs, drag and drop, preferences, one undo step."""

import hashlib
import re
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright import formats
from levelwright.addon import file_handlers, games, levels, operators, preferences
from levelwright.addon.game import Game
from levelwright.addon.scene import originals, properties

from tests.addon.contract.registered import ALL, IDS, samples

GAMES = pytest.mark.parametrize("game", games.GAMES, ids=lambda game: game.key)
SAMPLES = pytest.mark.parametrize(("game", "sample"), ALL, ids=IDS)


@GAMES
def test_it_has_a_format_with_all_verbs_and_a_sample(game: Game) -> None:
    assert isinstance(game.format.verbs, formats.Verbs)
    assert samples(game), "the contract is tried on a level in tests/samples"
    endings = {kind.ending for kind in game.files}
    assert endings == set(game.format.endings)


@GAMES
def test_its_files_have_menu_entries_with_tooltips(game: Game) -> None:
    class Layout:
        def __init__(self) -> None:
            self.shown: dict[str, str] = {}

        def operator(self, name: str, text: str) -> None:
            self.shown[name] = text

    class Menu:
        layout = Layout()

    operators._import_menu(Menu, bpy.context)  # type: ignore[arg-type]
    operators._export_menu(Menu, bpy.context)  # type: ignore[arg-type]
    for kind in game.files:
        for category in ("import_scene", "export_scene")[: 1 + (game.export_level is not None)]:
            name = f"{category}.{kind.operator}"
            assert Menu.layout.shown[name].endswith(f"({kind.ending})")
            tooltip = getattr(getattr(bpy.ops, category), kind.operator).get_rna_type().description
            assert len(tooltip) > 20
            assert not tooltip.endswith("."), "Blender adds the full stop"
        assert f"*{kind.ending}" in operators.CLASSES[0].__annotations__["filter_glob"].keywords["default"]


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
    shared = {"activate_level", "attach_original", "check_export", "copy_report", "mend_finding", "select_finding"}
    shared |= {"set_game_folder", "show_changes", "show_report"}
    keys = {each.key for each in games.GAMES}
    for name in dir(bpy.ops.levelwright):
        assert name in shared or name.partition("_")[0] in keys, name
    own = [name for name in dir(bpy.ops.levelwright) if name.startswith(f"{game.key}_")]
    for name in own:
        assert re.fullmatch(r"[a-z0-9_]+", name)


def blocks() -> dict[str, int]:
    """How many data-blocks there are of each kind."""
    tables = (each for each in bpy.data.bl_rna.properties if each.type == "COLLECTION")
    return {each.identifier: len(getattr(bpy.data, each.identifier)) for each in tables}


@SAMPLES
def test_one_undo_takes_an_import_back(game: Game, sample: Path) -> None:
    bpy.ops.ed.undo_push(message="before")
    before = blocks()
    assert bpy.ops.import_scene.game_level("EXEC_DEFAULT", True, filepath=str(sample)) == {"FINISHED"}
    assert [levels.game_of(level) for level in originals.levels()] == [game]
    bpy.ops.ed.undo()
    assert originals.levels() == []
    assert blocks() == before


@SAMPLES
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
