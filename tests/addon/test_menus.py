# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's search (F3) finds what is in a menu: each of our operators is in one, and says why when it is greyed."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright.addon import game_menus, games, keymaps, operators, pies
from levelwright.addon.game import Game
from levelwright.addon.scene.interface.menus import MenuEntry
from levelwright.addon.scene.kept import originals
from levelwright.addon.shortcuts import is_there

from tests.addon.contract.registered import LEVELS
from tests.addon.contract.test_operators import idname, operator, own_operators, places

OF_LINES = {"levelwright.select_finding", "levelwright.mend_finding"}
"""Operators about one line of a list in the sidebar: a search has no use for them."""
KEYS = [game.key for game in games.GAMES]


class Drawn:
    """A layout that notes what is drawn into it, and draws menus that it is given the names of."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, Any]] = []
        self.path: list[str] = []

    def operator(self, name: str, text: str | None = None, icon: str = "NONE") -> Any:
        category, _, word = name.partition(".")
        assert word in dir(getattr(bpy.ops, category)), f"{name} is no operator"
        made = SimpleNamespace()
        self.lines.append((name, " > ".join([*self.path, text or ""]), made))
        return made

    def menu(self, name: str, text: str | None = None, icon: str = "NONE") -> None:
        cls: Any = getattr(bpy.types, name)
        self.path.append(text or cls.bl_label)
        cls.draw(SimpleNamespace(layout=self), bpy.context)
        self.path.pop()

    def menu_pie(self) -> "Drawn":
        return self

    def separator(self) -> None:
        pass

    def label(self, text: str = "", icon: str = "NONE") -> None:
        pass


def drawn() -> list[tuple[str, str, Any]]:
    """All lines of the menu: operators, the way to them, and the values of their properties."""
    layout = Drawn()
    layout.menu("LEVELWRIGHT_MT_menu")
    return layout.lines


def entries() -> Iterator[tuple[str, MenuEntry]]:
    """The operators of all entries, and these."""
    for game in games.GAMES:
        yield from ((entry.idname(game.key), entry) for section in game.menu for entry in section.entries)
    yield from ((one.idname(""), one) for one in (*game_menus.SHARED, *game_menus.VIEW, *game_menus.SET_UP))


def test_each_operator_is_in_a_menu() -> None:
    """But for those that only a tool, or a line of a list, has a use for: they say INTERNAL, and so does Blender."""
    ours = {idname(cls): set(getattr(cls, "bl_options", ())) for cls in own_operators()}
    wanted = {name for name, options in ours.items() if name.startswith("levelwright.") and "INTERNAL" not in options}
    listed = {name for name, _ in entries()}
    assert len(wanted) > 90
    assert sorted(wanted - listed - OF_LINES) == [], "put them into their game's menu.py"
    files = {
        f"{way}.{kind.operator}"
        for way, found in (("import_scene", operators.imports()), ("export_scene", operators.exports()))
        for _, kind in found
    }
    assert {name for name in ours if not name.startswith("levelwright.")} == files | {operators.GAME_LEVEL}


def test_internal_operators_are_in_no_menu() -> None:
    internal = {idname(cls) for cls in own_operators() if "INTERNAL" in getattr(cls, "bl_options", ())}
    assert internal & {name for name, _ in entries()} == set()


def test_the_way_to_an_operator_names_its_game() -> None:
    sample = Path(__file__).resolve().parents[1] / "samples" / "first-light.map"
    bpy.ops.import_scene.game_level(filepath=str(sample))
    ways = {name: way for name, way, _ in drawn()}
    assert ways["levelwright.teeworlds_add_group"].startswith("Levelwright > Teeworlds > Groups > ")
    for name, way in ways.items():
        key = name.partition(".")[2].partition("_")[0]
        if key in KEYS:
            assert f"Levelwright > {games.by_key(key).title} > " in way, way


def test_other_games_have_what_can_be_used_now() -> None:
    """So that a search for "add group" does not begin with the greyed one of a game whose level isn't there."""
    sample = Path(__file__).resolve().parents[1] / "samples" / "ns2_room.level"
    bpy.ops.import_scene.game_level(filepath=str(sample))
    names = {name for name, *_ in drawn()}
    assert "levelwright.ns2_minimap" in names
    assert "levelwright.teeworlds_add_group" not in names
    assert "levelwright.teeworlds_new_map" in names
    others = [key for key in KEYS if key != "ns2"]
    found = [name for name in names if name.partition(".")[2].partition("_")[0] in others]
    assert [name for name in found if not operator(SimpleNamespace(bl_idname=name)).poll()] == []


@LEVELS
def test_lines_for_what_a_level_has_can_be_drawn(game: Game, sample: Path) -> None:
    """With a level, and an object of each kind as the active one."""
    bpy.ops.import_scene.game_level(filepath=str(sample))
    for obj in [None, *places(originals.levels()[0])]:
        bpy.context.view_layer.objects.active = obj
        for name, way, values in drawn():
            known = operator(SimpleNamespace(bl_idname=name)).get_rna_type().properties
            for key, value in vars(values).items():
                assert key in known, f"{way}: {key}"
                if known[key].type == "ENUM" and known[key].enum_items:
                    assert value in known[key].enum_items, f"{way}: {value}"


def test_rows_are_what_the_level_has() -> None:
    sample = Path(__file__).resolve().parents[1] / "samples" / "first-light.map"
    empty = [name for name, *_ in drawn()]
    assert empty.count("levelwright.teeworlds_remove_image") == 0
    bpy.ops.import_scene.game_level(filepath=str(sample))
    rows = [(way, values.record) for name, way, values in drawn() if name == "levelwright.teeworlds_remove_image"]
    assert rows and all(f" > {record}: " in way for way, record in rows)


def unexplained(mode: str) -> list[str]:
    """The operators that can't be called now and don't say why."""
    silent = []
    for cls in own_operators():
        call = operator(cls)
        if "INTERNAL" in getattr(cls, "bl_options", ()) or call.poll():
            continue
        with pytest.raises(RuntimeError) as refused:
            call()
        if "context is incorrect" in str(refused.value):
            silent.append(f"{idname(cls)} ({mode})")
    return silent


def test_a_greyed_out_operator_says_why() -> None:
    """In an empty scene, and in Edit Mode of something that is no level's."""
    silent = []
    for mode in ("OBJECT", "EDIT"):
        if mode == "EDIT":
            bpy.ops.mesh.primitive_cube_add()
            bpy.ops.object.mode_set(mode="EDIT")
        silent += unexplained(mode)
    assert silent == []


@LEVELS
def test_a_greyed_out_operator_says_why_with_a_level(game: Game, sample: Path) -> None:
    bpy.ops.import_scene.game_level(filepath=str(sample))
    silent = set()
    objects = [obj for obj in bpy.context.view_layer.objects if obj.type == "MESH"][:1]
    for mode in ("OBJECT", "EDIT") if objects else ("OBJECT",):
        bpy.context.view_layer.objects.active = objects[0] if objects else None
        if mode == "EDIT":
            bpy.ops.object.mode_set(mode="EDIT")
        silent |= set(unexplained(mode))
    assert silent == set()


@pytest.mark.parametrize("sample", ["first-light.map", "genesis_room.3dt"])
def test_the_pie_has_what_the_active_level_can(sample: str) -> None:
    path = Path(__file__).resolve().parents[1] / "samples" / sample
    layout = Drawn()
    layout.menu(pies.LEVEL_PIE)
    assert not [name for name, *_ in layout.lines if "leaks" in name]
    bpy.ops.import_scene.game_level(filepath=str(path))
    layout = Drawn()
    layout.menu(pies.LEVEL_PIE)
    names = [name for name, *_ in layout.lines]
    assert names[:3] == [operators.GAME_LEVEL, "levelwright.export_level", "levelwright.check_export"]
    assert ("levelwright.genesis_find_leaks" in names) == (path.suffix == ".3dt")
    layout = Drawn()
    layout.menu(pies.TEXTURE_PIE)
    assert len(layout.lines) == (8 if path.suffix == ".3dt" else 0)


def test_export_level_writes_the_active_level(tmp_path: Path) -> None:
    sample = Path(__file__).resolve().parents[1] / "samples" / "first-light.map"
    assert not bpy.ops.levelwright.export_level.poll()
    bpy.ops.import_scene.game_level(filepath=str(sample))
    assert bpy.ops.levelwright.export_level(filepath=str(tmp_path / "out.map")) == {"FINISHED"}
    assert (tmp_path / "out.map").read_bytes() == sample.read_bytes()
    with pytest.raises(RuntimeError, match="file"):
        bpy.ops.levelwright.export_level()


def shortcuts() -> list[Any]:
    """What Blender's keymaps of add-ons have of ours."""
    config: Any = bpy.context.window_manager.keyconfigs.addon
    items = [item for keymap in config.keymaps for item in keymap.keymap_items]
    pies_too = [item for item in items if getattr(item.properties, "name", "").startswith("LEVELWRIGHT_MT_")]
    own = [item for item in items if item.idname in {one.operator for one in keymaps._all()} - {"wm.call_menu_pie"}]
    return [*pies_too, *own]


def test_no_shortcut_is_on_and_each_can_be_called() -> None:
    found = list(keymaps._all())
    operators_of = {one.operator for one in found}
    assert {"wm.call_menu_pie", "levelwright.export_level", "levelwright.genesis_find_leaks"} <= operators_of
    assert all(is_there(name) for name in operators_of)
    keys = [(one.key, one.modifiers, one.keymap) for one in found if "leaks" not in one.operator]
    assert len(set(keys)) == len(keys), "two of them on one key"
    assert len(shortcuts()) == len(found)
    assert not any(item.active for item in shortcuts())
    keymaps.unregister()
    assert shortcuts() == []
    keymaps.register()
    assert len(shortcuts()) == len(found)
