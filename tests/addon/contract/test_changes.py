# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export would change is listed before it writes, and checks have the options of exports: of every game."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright.addon import changes, checking, levels
from levelwright.addon.game import Game
from levelwright.addon.scene.fields import declared, level_options, properties
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.scene.work.progress import Steps, Stepwise

from tests.addon.contract.registered import ALL, LEVELS


def imported(game: Game, sample: Path) -> bpy.types.Collection:
    (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    return level


@LEVELS
def test_nothing_would_change_in_an_unedited_level(game: Game, sample: Path) -> None:
    level = imported(game, sample)
    assert bpy.ops.levelwright.show_changes() == {"FINISHED"}
    assert [line.message for group in findings.changes(level) for line in group.lines] == ["nothing would change"]
    text = originals.resources(level, originals.REPORTS)[3]
    assert text.as_string() == f"compared at {changes.compared_at(level)}\nnothing would change\n"  # type: ignore[attr-defined]


def edit(game: Game, level: bpy.types.Collection) -> bpy.types.Object:
    """Move something that is a record of its own, of those that an export writes."""
    kinds = {kind for place in game.places for kind in place.kinds} - {"layer", "model", "surfaces"}
    for obj in sorted(level.all_objects, key=lambda each: each.name):
        mark = identity.stamped(obj)
        if mark is None or mark.record < 0 or any(obj.lock_location) or obj.parent is None:
            continue
        if mark.kind in kinds:
            obj.location.x += 4.0
            return obj
    raise AssertionError("no object to move")


@LEVELS
def test_an_edit_is_listed_with_its_object(game: Game, sample: Path) -> None:
    level = imported(game, sample)
    obj = edit(game, level)
    bpy.ops.levelwright.show_changes()
    groups = findings.changes(level)
    lines = [line for group in groups for line in group.lines]
    assert lines
    fields = [line.message.rpartition(": ")[0] for line in lines]
    assert len(set(fields)) == len(fields), "told twice"
    selecting = [line for line in lines if obj.name in line.objects]
    assert selecting, [line.message for line in lines]
    assert bpy.ops.levelwright.show_report(which="changes") == {"FINISHED"}
    findings.select(bpy.context, level, selecting)
    assert obj in bpy.context.selected_objects


@LEVELS
def test_a_refused_comparison_leaves_no_earlier_list(game: Game, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    level = imported(game, sample)
    bpy.ops.levelwright.show_changes()
    assert findings.changes(level)

    def refused(*_: object) -> Steps[dict[str, bytes]]:
        yield
        raise SceneError("not so")

    monkeypatch.setattr(levels, "check_export", Stepwise(refused))
    with pytest.raises(RuntimeError, match="not so"):
        bpy.ops.levelwright.show_changes()
    assert not findings.changes(level)


@LEVELS
def test_checks_have_the_options_of_the_export_and_begin_with_its_last(
    game: Game, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: Any = game.export_settings
    fields = [field for field in properties.fields(settings) if field.type is bool]
    for name in ("check_export", "show_changes"):
        own = getattr(bpy.ops.levelwright, name).get_rna_type().properties
        for field in properties.fields(settings):
            assert own[f"{game.key}_{field.name}"].description == field.tooltip
    if not fields:
        pytest.skip("the game's export has nothing to switch")
    field = fields[0]
    level = imported(game, sample)
    exporting: Any = getattr(bpy.ops.export_scene, game.kind_of(sample.name).operator)
    exporting(filepath=str(tmp_path / sample.name), **{field.name: not field.default})
    assert level_options.kept(level)[field.name] is (not field.default)
    seen = []

    def check(_context: object, _level: object, _report: object, chosen: object) -> Steps[dict[str, bytes]]:
        yield
        seen.append(getattr(chosen, field.name))
        return {}

    monkeypatch.setattr(levels, "check_export", Stepwise(check))
    bpy.ops.levelwright.check_export()
    assert seen == [field.default], "what scripts don't say is as usual"
    shown = SimpleNamespace(bl_rna=bpy.ops.levelwright.check_export.get_rna_type())
    level_options.restore(level, shown, f"{game.key}_")  # type: ignore[arg-type]
    assert getattr(shown, f"{game.key}_{field.name}") is (not field.default)


def test_a_real_operator_gets_what_is_kept_and_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own `bl_rna` has none of its properties: what is drawn or restored has to look elsewhere."""
    level = bpy.data.collections.new("level")
    level[level_options.KEY] = '{"world": "edit", "backup": true}'
    seen: list[object] = []

    def execute(self: Any, _context: bpy.types.Context) -> set[str]:
        level_options.restore(level, self, only={"world"})
        shown = declared.properties_of(self)
        seen.extend((self.world, self.backup, shown["world"].name))
        return {"FINISHED"}

    monkeypatch.setattr(bpy.types.EXPORT_SCENE_OT_source_bsp, "execute", execute)
    assert bpy.ops.export_scene.source_bsp("EXEC_DEFAULT", filepath="nowhere.bsp") == {"FINISHED"}
    assert seen == ["edit", False, "World"]


class Dialog(SimpleNamespace):
    """What takes yes and no, as Blender's own refuses other values."""

    def __setattr__(self, name: str, value: object) -> None:
        if not isinstance(value, bool):
            raise TypeError(name)
        super().__setattr__(name, value)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("{", {}),
        ("[1]", {}),
        ('{"no_such": true, "drop": "what", "build_as_new": true}', {"teeworlds_build_as_new": True}),
    ],
)
def test_options_of_another_version_are_left_alone(text: str, taken: dict[str, bool]) -> None:
    level = bpy.data.collections.new("level")
    level[level_options.KEY] = text
    rna = bpy.ops.levelwright.check_export.get_rna_type()
    shown = Dialog(bl_rna=rna)
    level_options.restore(level, shown, "teeworlds_")  # type: ignore[arg-type]
    assert vars(shown) == {"bl_rna": rna, **taken}


def test_the_dialogs_of_checks_say_what_their_button_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """It exports nothing, and OK would not say so."""
    imported(*ALL[0])
    said = []

    def asked(_operator: object, *, confirm_text: str, **_options: object) -> set[str]:
        said.append(confirm_text)
        return {"CANCELLED"}

    monkeypatch.setattr(checking.stage, "window_manager_of", lambda _: SimpleNamespace(invoke_props_dialog=asked))
    for operator in checking.CLASSES:  # without a window, Blender executes what is to be invoked
        checking._AsExported.invoke(SimpleNamespace(collection="", confirm=operator.confirm), bpy.context, None)
    assert said == ["Check", "Compare"]


def test_keys_of_a_source_map_are_called_by_their_names() -> None:
    """Not by their numbers among others: `[0] (origin)[1]` says nothing to whoever moved a lamp."""
    source, sample = next(pair for pair in ALL if pair[1].suffix == ".bsp" and pair[0].key == "source")
    level = imported(source, sample)
    lamp = next(obj for obj in level.all_objects if obj.type == "LIGHT")
    lamp.location.x += 8.0
    bpy.ops.levelwright.show_changes()
    said = [line.message for line in findings.kept(level, "changes")]
    assert any(line.startswith(f"{lamp.name}: origin: ") for line in said), said
