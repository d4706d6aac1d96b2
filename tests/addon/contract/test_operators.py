# SPDX-License-Identifier: GPL-3.0-or-later
"""Each operator can be undone: it says so to Blender, and undo gives back the scene as it was."""

import inspect
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.fates import aspects
from levelwright.addon.scene.interface.stoppable import Stoppable
from levelwright.addon.scene.kept import level_blocks, originals
from levelwright.addon.scene.reports import Report

from tests.addon.contract.registered import ALL, LEVELS
from tests.fuzz.scenes import empty_file

CHANGES_NOTHING = {
    "levelwright.ns2_copy": "writes the clipboard",
    "levelwright.genesis_write_leak": "writes a file",
    "levelwright.source_write_leak": "writes a file",
    "levelwright.ns2_minimap": "writes a picture",
    "levelwright.reset_options": "sets the preferences",
    "levelwright.check_export": "reads the scene, and writes its report",
    "levelwright.go_to_spawn": "turns the 3D view",
    "levelwright.fly_from_spawn": "turns the 3D view",
    "levelwright.show_changes": "reads the scene, and writes its list",
    "levelwright.show_report": "opens a text editor",
    "levelwright.copy_report": "writes the clipboard",
    "levelwright.set_game_folder": "opens the preferences",
    "levelwright.fable_brush": "sets the tool",
    "levelwright.fable_brush_size": "sets the tool",
    "levelwright.teeworlds_play": "starts programs on a temporary file",
    "levelwright.teeworlds_stop_playing": "ends them",
    "levelwright.teeworlds_pick_stamp": "sets the tool",
    "levelwright.teeworlds_turn_stamp": "sets the tool",
    "levelwright.teeworlds_drop_stamp": "sets the tool",
    "levelwright.teeworlds_choose_tile": "sets the tool",
    "levelwright.teeworlds_stamp_size": "sets the tool",
    "levelwright.teeworlds_palette": "sets the tool",
    "levelwright.add_folder": "changes the preferences",
    "levelwright.remove_folder": "changes the preferences",
    "levelwright.move_folder": "changes the preferences",
    "levelwright.find_games": "changes the preferences",
    "levelwright.check_setup": "reads folders",
    "levelwright.documentation": "opens the browser",
    "levelwright.export_level": "writes a file",
    "levelwright.make_asset_library": "writes files, and a line of the preferences",
}
"""Operators without UNDO, and why; besides exports."""
SLOW = pytest.mark.slow


def own_operators() -> list[Any]:
    """Every operator class of the extension that is registered."""
    found = []
    for name in dir(bpy.types):
        cls: Any = getattr(bpy.types, name)
        if "_OT_" in name and getattr(cls, "__module__", "").startswith("levelwright."):
            found.append(cls)
    return found


def idname(cls: Any) -> str:
    """As scripts call it: levelwright.add_group."""
    module, _, name = str(cls.bl_idname).partition("_OT_")
    return f"{module.lower()}.{name}" if name else module


def operator(cls: Any) -> Any:
    module, _, name = idname(cls).partition(".")
    return getattr(getattr(bpy.ops, module), name)


def test_each_operator_can_be_undone() -> None:
    classes = own_operators()
    assert len(classes) > 40
    without = {idname(cls) for cls in classes if "UNDO" not in getattr(cls, "bl_options", ())}
    assert {name for name in without if not name.startswith("export_scene.")} <= set(CHANGES_NOTHING)


def shown() -> dict[str, Any]:
    """All that Blender shows of the levels: every aspect of every data-block, by name."""
    found: dict[str, Any] = {}
    for level in originals.levels():
        for block in level_blocks.blocks(level):
            marks = {name: aspects.fingerprint(value) for name, value in aspects.values(block.id_block).items()}
            found[f"{level.name} {type(block.id_block).__name__} {block.id_block.name_full}"] = marks
    return found


def places(level: bpy.types.Collection) -> Iterator[bpy.types.Object]:
    """An object of each kind, to be the active one."""
    kinds: dict[str, bpy.types.Object] = {}
    for block in level_blocks.blocks(level):
        if isinstance(block.id_block, bpy.types.Object):
            kinds.setdefault(block.kind, block.id_block)
    yield from kinds.values()


def activate(name: str, mode: str) -> None:
    """Make an object the active one, and the only one that is selected, with all faces selected in edit mode."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    layer: Any = bpy.context.view_layer
    for obj in layer.objects:
        obj.select_set(obj.name == name)
    active = layer.objects.active = layer.objects.get(name)
    if mode == "EDIT" and active is not None and active.type == "MESH":
        with suppress(RuntimeError):  # Blender refuses hidden objects
            bpy.ops.object.mode_set(mode="EDIT")
            bpy.ops.mesh.select_all(action="SELECT")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
@LEVELS
def test_undo_gives_back_the_scene(game: Game, sample: Path, mode: str) -> None:
    """Of each operator of the game that runs without a mouse, with an object of each kind active."""
    own = [cls for cls in own_operators() if idname(cls).startswith(f"levelwright.{game.key}_")]
    levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    objects = [obj for obj in places(originals.levels()[0]) if mode == "OBJECT" or obj.type == "MESH"]
    names = [obj.name for obj in objects]
    ran, wrong, used = set(), [], False
    for cls in own:
        for name in names:
            if used:
                empty_file()
                levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
            activate(name, mode)
            call, used = operator(cls), False
            if not call.poll():
                continue
            used = True
            bpy.ops.ed.undo_push(message="before")
            before = shown()
            try:
                result = call("EXEC_DEFAULT", True)
            except RuntimeError:
                result = {"CANCELLED"}
            after = shown()
            if result == {"FINISHED"} and idname(cls) not in CHANGES_NOTHING:
                ran.add(idname(cls))
                bpy.ops.ed.undo()
                if shown() != before:
                    wrong.append(f"{idname(cls)} on {name}")
            elif after != before:
                wrong.append(f"{idname(cls)} on {name} has no undo, or was cancelled, but changed the scene")
    assert wrong == []
    assert ran or not own or mode == "EDIT", "no operator of the game could be tried"


def silent(capfd: pytest.CaptureFixture[str]) -> list[str]:
    """Of all operators that can be called now, without arguments: those that fail in Python, or do nothing and don't
    say why. Those that may change what the others find are called all the same: each has to answer wherever it is.
    """
    found = []
    for cls in own_operators():
        call = operator(cls)
        if not call.poll():  # test_menus asks whether it says why
            continue
        capfd.readouterr()
        try:
            result, said = call(), capfd.readouterr().out
        except RuntimeError as refused:
            result, said = {"CANCELLED"}, str(refused)
        if "Traceback" in said or (result == {"CANCELLED"} and not said.strip()):
            found.append(f"{idname(cls)}: {said or result}")
    return found


@pytest.mark.usefixtures("nothing_opens")
@pytest.mark.parametrize("mode", [pytest.param("nothing", marks=SLOW), pytest.param("OBJECT", marks=SLOW), "EDIT"])
def test_a_call_without_arguments_is_answered(mode: str, capfd: pytest.CaptureFixture[str]) -> None:
    """In an empty scene, and with a cube that is no level's."""
    if mode != "nothing":
        bpy.ops.mesh.primitive_cube_add()
        bpy.ops.object.mode_set(mode=mode)
    assert "\n".join(silent(capfd)) == ""


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_opens")
@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
@LEVELS
def test_a_call_without_arguments_is_answered_with_a_level(
    game: Game, sample: Path, mode: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """With an object of each kind active."""
    levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    wrong = set()
    for name in [obj.name for obj in places(originals.levels()[0])]:
        empty_file()
        levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
        activate(name, mode)
        wrong |= set(silent(capfd))
    assert wrong == set()


def test_tooltips_are_sentences_and_what_is_shown_has_a_name() -> None:
    for cls in own_operators():
        shown = operator(cls).get_rna_type()
        assert shown.description, idname(cls)
        assert "\n" not in shown.description and not shown.description.endswith("."), idname(cls)
        for each in shown.properties:
            if not each.is_hidden and each.identifier != "rna_type":
                assert each.name[:1].isupper(), f"{idname(cls)}: {each.identifier}"
                assert not each.description.endswith("."), f"{idname(cls)}: {each.identifier}"


def test_menus_have_a_choice_without_a_level(capfd: pytest.CaptureFixture[str]) -> None:
    manager: Any = bpy.context.window_manager
    for cls in own_operators():
        last = manager.operator_properties_last(idname(cls))
        for name in last.bl_rna.properties.keys() if last is not None else ():
            getattr(last, name)
    assert "matches no enum" not in "".join(capfd.readouterr()), "Blender warns of a menu without its default"


def test_what_can_be_stopped_asks_once() -> None:
    """A dialog that was confirmed starts the operator once more, which begins: `Stoppable.invoke` knows of that."""
    asking = [cls for cls in own_operators() if issubclass(cls, Stoppable)]
    assert len(asking) > len(ALL)
    for cls in asking:
        first = next(base for base in cls.__mro__ if "invoke" in vars(base))
        assert first is Stoppable or "super().invoke(" in inspect.getsource(first.invoke), cls.__name__
