# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of every game: what dialogs remember of them, that scripts never see it, and that dialogs fit the screen."""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from levelwright.addon import checking, common_options, games, levels, operators, remembered
from levelwright.addon.game import Game
from levelwright.addon.scene import wording
from levelwright.addon.scene.fields import options, properties
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.scene.work.progress import Steps, Stepwise

from tests.addon.contract.registered import LEVELS, samples

GAMES = pytest.mark.parametrize("game", games.GAMES, ids=lambda game: game.key)
ROWS = 28
"""Lines of a dialog after a drop, all panels open: at 24 pixels each, with title and buttons, less than 900 pixels."""


def preferences() -> Any:
    return bpy.context.preferences.addons["levelwright"].preferences


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Leave the preferences as they were."""
    yield
    bpy.ops.levelwright.reset_options()
    preferences().property_unset(remembered.SWITCH)


def kinds(game: Game) -> list[type]:
    """The settings of a game's dialogs."""
    found = [settings for _, _, settings in remembered._kinds(game)]
    return list(dict.fromkeys(found))


def other(settings: type) -> Any:
    """Settings that differ from the defaults in every field."""
    values = {}
    for field in properties.fields(settings):
        if issubclass(field.type, Enum):
            values[field.name] = next(each for each in field.type if each is not field.default)
        elif field.choices:
            values[field.name] = next(word for word in field.choices if word != field.default)
        elif field.type is bool:
            values[field.name] = not field.default
        elif field.type is str:
            values[field.name] = "elsewhere"
        else:
            up = field.default + 1
            values[field.name] = up if field.maximum is None or up <= field.maximum else field.default - 1
    return settings(**values)


def usual(settings: type) -> Any:
    """The defaults, as properties hold them: floats of 32 bits."""
    numbers = {field.name: field for field in properties.fields(settings) if field.type is float}
    return settings(**{name: float(np.float32(field.default)) for name, field in numbers.items()})


@GAMES
def test_what_was_chosen_by_hand_is_remembered(game: Game) -> None:
    for settings in kinds(game):
        assert remembered.recall(bpy.context, settings) == usual(settings)
        chosen = other(settings)
        bpy.context.preferences.is_dirty = False
        remembered.keep(bpy.context, chosen)
        recalled = remembered.recall(bpy.context, settings)
        for field in properties.fields(settings):
            expected = chosen if field.is_remembered else settings()
            assert getattr(recalled, field.name) == pytest.approx(getattr(expected, field.name)), field.name
        kept = any(field.is_remembered for field in properties.fields(settings))
        assert bpy.context.preferences.is_dirty == kept, "Blender saves them if it saves its preferences by itself"
    assert bpy.ops.levelwright.reset_options(game=game.key) == {"FINISHED"}
    assert all(remembered.recall(bpy.context, settings) == usual(settings) for settings in kinds(game))


@GAMES
def test_nothing_is_remembered_where_the_user_switched_it_off(game: Game) -> None:
    setattr(preferences(), remembered.SWITCH, False)
    for settings in kinds(game):
        remembered.keep(bpy.context, other(settings))
        assert remembered.recall(bpy.context, settings) == usual(settings)


@GAMES
def test_what_makes_an_export_lose_something_is_chosen_each_time(game: Game) -> None:
    for settings in kinds(game):
        lasting = {field.name for field in properties.fields(settings) if field.is_remembered}
        assert lasting.isdisjoint({"build_as_new", "drop", "drop_themes", "clamp", "snap"})


@GAMES
def test_what_the_preferences_hold_means_the_same_in_later_versions(game: Game) -> None:
    """Blender saves the number of a menu's word: it must not depend on which other words there are."""
    for settings in kinds(game):
        for field in properties.fields(settings):
            words = options._lasting([(word, word, "") for word in field.choices])
            assert len({number for *_, number in words}) == len(words)
            assert options._lasting([(word, word, "") for word in reversed(field.choices)]) == words[::-1]
    gone = SimpleNamespace(**dict.fromkeys((field.name for field in properties.fields(game.import_settings)), ""))
    words = {field.name for field in properties.fields(game.import_settings) if field.choices}
    read = options.from_properties(game.import_settings, gone)
    assert all(getattr(read, name) == getattr(game.import_settings(), name) for name in words)


def settings_of_scripts(monkeypatch: pytest.MonkeyPatch, game: Game, sample: Path) -> list[Any]:
    """What the game's operators give the import and the export, called by a script."""
    seen: list[Any] = []

    def see(_context: Any, _paths: Any, chosen: Any, *_: Any) -> Steps[None]:
        yield
        seen.append(chosen(game))
        raise SceneError("seen")

    def see_export(_context: Any, _level: Any, _path: Any, chosen: Any, *_: Any) -> Steps[None]:
        yield
        seen.append(chosen)
        raise SceneError("seen")

    assert bpy.ops.import_scene.game_level(filepath=str(sample)) == {"FINISHED"}
    with monkeypatch.context() as patched:
        patched.setattr(levels, "import_files", Stepwise(see))
        patched.setattr(levels, "export_file", Stepwise(see_export))
        kind = game.kind_of(sample.name).operator
        own: Any = getattr(bpy.ops.import_scene, kind)
        for call in (own, bpy.ops.import_scene.game_level):
            with pytest.raises(RuntimeError, match="seen"):
                call(filepath=str(sample))
        if game.export_level is not None:
            with pytest.raises(RuntimeError, match="seen"):
                getattr(bpy.ops.export_scene, kind)(filepath=str(sample.parent / "never written"))
    return seen


@LEVELS
def test_scripts_never_see_what_is_remembered(game: Game, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for settings in kinds(game):
        remembered.keep(bpy.context, other(settings))
    seen = settings_of_scripts(monkeypatch, game, sample)
    assert seen == [usual(type(each)) for each in seen]
    assert {type(each) for each in seen} <= {game.import_settings, game.export_settings}
    (level,) = originals.levels()
    layer: Any = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection.children[level.name]
    if game.export_level is not None:
        bpy.ops.collection.exporter_add(name=f"IO_FH_{game.kind_of(sample.name).operator}")
        exporter: Any = level.exporters[0].export_properties
        assert options.from_properties(game.export_settings, exporter) == usual(game.export_settings)


class Dialog(SimpleNamespace):
    """An operator before its dialog is shown, with the options that its caller gave."""

    def __init__(self, name: str, defaults: dict[str, Any], given: dict[str, Any]) -> None:
        super().__init__(**(defaults | given), bl_idname=name)
        self.properties = SimpleNamespace(is_property_set=given.__contains__)

    def draw_left_out(self) -> None:
        """Nothing was."""


@GAMES
def test_a_dialog_begins_with_what_is_remembered_but_for_what_its_caller_gave(game: Game) -> None:
    name = f"import_scene.{game.files[0].operator}"
    defaults = options.to_properties(game.import_settings())
    remembered.keep(bpy.context, other(game.import_settings))
    dialog = Dialog(name, defaults, {})
    remembered.offer(dialog, bpy.context, game.import_settings)
    assert options.from_properties(game.import_settings, dialog) == remembered.recall(bpy.context, game.import_settings)
    first = properties.fields(game.import_settings)[0].name
    dialog = Dialog(name, defaults, {first: defaults[first]})
    remembered.offer(dialog, bpy.context, game.import_settings)
    assert getattr(dialog, first) == defaults[first]


@GAMES
def test_what_an_operator_was_run_with_before_is_not_what_its_caller_gives(game: Game) -> None:
    (sample, *_) = samples(game)
    name = f"import_scene.{game.files[0].operator}"
    field = next((each for each in properties.fields(game.import_settings) if each.type is bool), None)
    if field is None:
        pytest.skip("no switch among its options")
    before = {field.name: not field.default}
    operator: Any = getattr(bpy.ops.import_scene, game.files[0].operator)
    assert operator("EXEC_DEFAULT", True, filepath=str(sample), **before) == {"FINISHED"}
    dialog = Dialog(name, options.to_properties(game.import_settings()), before)  # as Blender fills it in
    remembered.offer(dialog, bpy.context, game.import_settings)
    assert getattr(dialog, field.name) == field.default
    operator("EXEC_DEFAULT", True, filepath=str(sample), **{field.name: field.default})  # for the tests that follow


class Rows:
    """A layout that counts lines, with all panels open."""

    def __init__(self, titles: list[str]) -> None:
        self.titles = titles

    def prop(self, _owner: Any, name: str) -> None:
        self.titles.append(name)

    def label(self, text: str, **_: Any) -> None:
        self.titles.append(text)

    def box(self) -> "Rows":
        return self

    column = box

    def panel(self, _name: str, default_closed: bool = False) -> tuple["Rows", "Rows"]:
        assert default_closed, "what few need is folded"
        return self, self

    def operator(self, name: str, **_: Any) -> Any:
        self.titles.append(name)
        return SimpleNamespace()

    def panel_prop(self, owner: Any, name: str) -> tuple["Rows", "Rows | None"]:
        return self, self if getattr(owner, name) else None


def rows(draw: Any, owner: Any) -> list[str]:
    """The lines that a dialog has."""
    owner.layout = Rows([])
    draw(owner, bpy.context)
    titles: list[str] = owner.layout.titles
    return titles


@GAMES
def test_the_dialog_after_a_drop_has_one_games_options_and_fits_the_screen(game: Game) -> None:
    defaults = options.to_properties(game.import_settings())
    for form in (None, *(form for form in game.forms if form.import_form is not None)):
        own = form.import_settings if form is not None else None
        more = options.to_properties(own()) if own is not None else {}
        dialog = Dialog("", defaults | more, {})
        dialog.game, dialog.form, dialog.of_form = game, form, own
        shown = rows(operators._ImportOfGame.draw, dialog)
        assert set(defaults) | set(more) <= set(shown)
        assert len(shown) <= ROWS
    unfolded = [field for field in properties.fields(game.import_settings) if not field.panel]
    assert 0 < len(unfolded) <= 5, "the few that are used most"


def test_files_of_several_games_show_what_the_games_share_and_one_games_options(tmp_path: Path) -> None:
    paths = [samples(game)[0] for game in games.GAMES]
    defaults = {}
    for game in games.GAMES:
        defaults |= {
            f"{game.key}_{name}": value for name, value in options.to_properties(game.import_settings()).items()
        }
    for game in games.GAMES:
        opened = {f"opened_{each.key}": each == game for each in games.GAMES}
        dialog = Dialog("", defaults | opened, {})
        dialog.is_dropped, dialog.paths = True, paths
        shown = rows(operators._ImportAny.draw, dialog)
        for titles, common in common_options.shared(games.GAMES).items():
            assert shown[shown.index(titles) + 1 :][: len(common)] == [option.key for option in common]
        assert f"{game.title}: {samples(game)[0].name}" in shown
        own = {name for name in shown if name in defaults}
        assert own == {name for name in defaults if name.startswith(f"{game.key}_")}
        assert len(shown) <= ROWS


def test_what_games_share_is_said_of_those_that_have_it() -> None:
    """The options of several games name these; what only one of the files' games has is in its own panel."""
    teeworlds, fable, ns2, source = map(games.by_key, ("teeworlds", "fable", "ns2", "source"))
    found = common_options.shared([teeworlds, fable, ns2, source])
    assert {titles: [option.name for option in common] for titles, common in found.items()} == {
        "Fable, NS2, Source": ["placed"],
        "NS2, Source": ["models"],
    }
    assert common_options.shared([teeworlds, source]) == {}


def test_the_preferences_have_what_dialogs_begin_with() -> None:
    titles: list[str] = []
    remembered.draw(Rows(titles), preferences())  # type: ignore[arg-type]
    expected = [
        field.name
        for game in games.GAMES
        for settings in kinds(game)
        for field in properties.fields(settings)
        if field.is_remembered
    ]
    shown = [title for title in titles if title in set(expected)]
    assert sorted(shown) == sorted(expected)
    assert titles.count("levelwright.reset_options") == len(games.GAMES)


@LEVELS
def test_a_check_asks_nothing_about_a_file_that_it_does_not_write(game: Game, sample: Path) -> None:
    (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    shown = rows(checking.LEVELWRIGHT_OT_check_export.draw, SimpleNamespace(collection=level.name))
    names = {f"{game.key}_{field.name}" for field in properties.fields(game.export_settings)}
    assert set(shown) & names == names - {f"{game.key}_backup"}


class NarrowRows(Rows):
    """A layout that tells which titles stand above their fields."""

    use_property_split = True

    def prop(self, _owner: Any, name: str, text: str | None = None) -> None:
        if text is None:
            super().prop(_owner, name)

    def column(self, **_: Any) -> "NarrowRows":
        return self


@GAMES
def test_titles_that_the_file_browser_would_cut_stand_above_their_fields(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator: Any = getattr(bpy.ops.import_scene, game.files[0].operator)
    owner = SimpleNamespace(bl_rna=operator.get_rna_type())
    narrow = SimpleNamespace(
        space_data=SimpleNamespace(type="FILE_BROWSER"),
        region=SimpleNamespace(width=300),
        preferences=bpy.context.preferences,
    )
    monkeypatch.setattr(options, "bpy", SimpleNamespace(context=narrow, types=bpy.types))
    above: list[str] = []
    rows = NarrowRows(above)
    options.draw(game.import_settings, rows, owner)  # type: ignore[arg-type]
    shown = {each.identifier: each for each in owner.bl_rna.properties}
    room = wording.TITLE * wording.room(narrow)  # type: ignore[arg-type]
    for field in properties.fields(game.import_settings):
        title = shown[field.name].name
        is_cut = field.type is not bool and wording.LETTER * len(title) > room
        assert (title in above, field.name in above) == (is_cut, not is_cut), title
