# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu *Levelwright* of the 3D view: a menu a game with all of its operators, for Blender's search (F3), too.

They are made of what the games declare (`interface.menus`). The game of the active level has all of its operators,
greyed where they can't be used now; other games only what can be: a search for "add group" doesn't begin with theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import bpy

from . import documentation, games, shortcuts
from .asset_operators import LEVELWRIGHT_OT_make_asset_library
from .game import Game
from .operators import GAME_LEVEL
from .scene.blender_types import Value
from .scene.interface.menus import MenuEntry, Rows, Values
from .scene.interface.sidebar import active_level, layout_of
from .scene.kept import originals
from .scene.names import showable
from .scene.registering import called, in_turn
from .setup_operators import LEVELWRIGHT_OT_check_setup, LEVELWRIGHT_OT_find_games

_Draw = Callable[[bpy.types.UILayout, bpy.types.Context], None]
_MENU = "LEVELWRIGHT_MT_menu"


def _levels(context: bpy.types.Context) -> Iterator[tuple[str, Values]]:
    """The levels of the scene."""
    for level in originals.levels(context.scene):
        yield level.name, {"collection": level.name}


SHARED = (
    MenuEntry(GAME_LEVEL),
    MenuEntry(shortcuts.LEVELWRIGHT_OT_export_level.bl_idname),
    MenuEntry("levelwright.check_export"),
    MenuEntry("levelwright.show_changes"),
    MenuEntry("levelwright.show_report", "Open Report", {"which": "issues"}),
    MenuEntry("levelwright.copy_report", "Copy Report", {"which": "issues"}),
    MenuEntry("levelwright.attach_original"),
    MenuEntry("levelwright.activate_level", rows=_levels),
)
"""What is the same for all games."""
VIEW = (
    MenuEntry("levelwright.interior_view"),
    MenuEntry("levelwright.go_to_spawn"),
    MenuEntry("levelwright.fly_from_spawn"),
    MenuEntry("levelwright.camera_at_spawn"),
    MenuEntry("levelwright.show_kind", "Show All Kinds of Objects", {"kind": "", "action": "SHOW"}),
)
"""How levels are looked at."""
SET_UP = (
    MenuEntry(LEVELWRIGHT_OT_make_asset_library.bl_idname),
    MenuEntry("levelwright.set_game_folder"),
    MenuEntry(LEVELWRIGHT_OT_find_games.bl_idname),
    MenuEntry(LEVELWRIGHT_OT_check_setup.bl_idname),
    MenuEntry(documentation.LEVELWRIGHT_OT_documentation.bl_idname, "Documentation", {"page": documentation.FIRST}),
)


def _menu(name: str, label: str, draw: _Draw) -> type[bpy.types.Menu]:
    """Return a menu's class."""

    def draw_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
        draw(layout_of(menu), context)

    return cast(
        type[bpy.types.Menu],
        type(name, (bpy.types.Menu,), {"__module__": __name__, "bl_label": label, "draw": draw_menu}),
    )


def _put(layout: bpy.types.UILayout, idname: str, text: str, values: Values) -> None:
    """Draw an operator with its values."""
    button = layout.operator(idname, text=showable(text)) if text else layout.operator(idname)
    for name, value in values.items():
        setattr(button, name, value)


def _of_rows(idname: str, rows: Rows) -> _Draw:
    """Return what draws a line for each thing that there is."""

    def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
        found = list(rows(context))
        for text, values in found:
            _put(layout, idname, text, values)
        if not found:
            layout.label(text="There is nothing here now")

    return draw


def _label(idname: str) -> str:
    """What an operator is called."""
    category, _, word = idname.partition(".")
    cls: Value = getattr(bpy.types, f"{category.upper()}_OT_{word}")
    return str(cls.bl_label)


def _can_be_used(idname: str) -> bool:
    """Whether an operator can be called now."""
    category, _, word = idname.partition(".")
    can: bool = getattr(getattr(bpy.ops, category), word).poll()
    return can


class _Line:
    """An entry as it is drawn: as an operator or, where it has rows, as a menu of its own, which is made here."""

    def __init__(self, entry: MenuEntry, key: str, menu_name: str) -> None:
        self.idname, self.text, self.values = entry.idname(key), entry.text, entry.values
        rows = entry.rows
        self.menu = _menu(menu_name, entry.text or entry.operator, _of_rows(self.idname, rows)) if rows else None

    def is_shown(self, is_active: bool) -> bool:
        """Whether it is in the menu. is_active: its game is the active level's, or it is of none."""
        return shortcuts.is_there(self.idname) and (is_active or _can_be_used(self.idname))

    def draw(self, layout: bpy.types.UILayout) -> None:
        """Draw it."""
        if self.menu is not None:
            layout.menu(self.menu.__name__, text=self.text or _label(self.idname))
        else:
            _put(layout, self.idname, self.text, self.values)


class _Entries:
    """Some entries of a menu. key: their game's, "" for what games share. name: what their own menus begin with."""

    def __init__(self, entries: tuple[MenuEntry, ...], key: str, name: str) -> None:
        self.key = key
        self.lines = [_Line(entry, key, f"{name}_{number}") for number, entry in enumerate(entries)]
        self.menus = [line.menu for line in self.lines if line.menu is not None]

    def shown(self, context: bpy.types.Context) -> list[_Line]:
        """The lines that are in the menu now."""
        is_active = not self.key or active_level(context, self.key) is not None
        return [line for line in self.lines if line.is_shown(is_active)]

    def draw(self, layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
        """Draw them."""
        for line in self.shown(context):
            line.draw(layout)


def _game(game: Game) -> list[type[bpy.types.Menu]]:
    """The menus of a game, its own last: a menu a section."""
    menus: list[type[bpy.types.Menu]] = []
    sections: list[tuple[str, _Entries]] = []
    for number, section in enumerate(game.menu):
        name = f"{name_of(game)}_{number}"
        entries = _Entries(section.entries, game.key, name)
        menus += [*entries.menus, _menu(name, section.title, entries.draw)]
        sections.append((name, entries))

    def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
        if active_level(context, game.key) is None:
            layout.label(text=f"No {game.title} level is active", icon="INFO")
        for name, entries in sections:
            if entries.shown(context):
                layout.menu(name)
        layout.separator()
        idname = documentation.LEVELWRIGHT_OT_documentation.bl_idname
        _put(layout, idname, f"{game.title} Documentation", {"page": documentation.page_of(game)})

    return [*menus, _menu(name_of(game), game.title, draw)]


def name_of(game: Game) -> str:
    """The name of a game's menu."""
    return f"LEVELWRIGHT_MT_{game.key}"


def _all() -> list[type[bpy.types.Menu]]:
    """Every menu, *Levelwright* last."""
    shared = _Entries(SHARED, "", f"{_MENU}_shared")
    view = _Entries(VIEW, "", f"{_MENU}_view")
    set_up = _Entries(SET_UP, "", f"{_MENU}_set_up")

    def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
        shared.draw(layout, context)
        layout.separator()
        view.draw(layout, context)
        layout.separator()
        for game in games.GAMES:
            is_active = active_level(context, game.key) is not None
            layout.menu(name_of(game), icon="CHECKMARK" if is_active else "BLANK1")
        layout.separator()
        set_up.draw(layout, context)

    made = [menu for game in games.GAMES for menu in _game(game)]
    return [*shared.menus, *view.menus, *set_up.menus, *made, _menu(_MENU, "Levelwright", draw)]


CLASSES = _all()


def _in_header(header: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout_of(header).menu(_MENU)


register, unregister = in_turn(*CLASSES, called(bpy.types.VIEW3D_MT_editor_menus, _in_header))
