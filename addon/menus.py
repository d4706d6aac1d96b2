# SPDX-License-Identifier: GPL-3.0-or-later
"""The submenus *Game Level* of File > Import, File > Export and File > New: made from what the games declare."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy

from . import games, levels, operators
from .game import FileKind, Form
from .operators import GAME_LEVEL
from .scene.blender_types import Value
from .scene.interface.sidebar import layout_of
from .scene.kept import originals
from .scene.registering import called, in_turn
from .scene.reports import SceneError
from .scene.view import stage

LABEL = "Game Level"
MANY = 6
"""Levels of one game that the export lists, where the active collection is in none of them."""


def _text(kind: FileKind) -> str:
    """Return a kind of files as menus have it: "Source map (.bsp)"."""
    return f"{getattr(kind, 'menu', '') or kind.label} ({kind.ending})"


class LEVELWRIGHT_MT_import(bpy.types.Menu):
    """Open levels of games"""

    bl_label = LABEL

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw an entry for levels of any game, one a game, and one for each other form of its levels."""
        layout = layout_of(self)
        layout.operator(GAME_LEVEL, text="Any Game, by the File", icon="VIEWZOOM")
        layout.separator()
        for game in games.GAMES:
            endings = ", ".join(kind.ending for kind in game.files)
            layout.operator(f"import_scene.{game.files[0].operator}", text=f"{game.format.title} ({endings})")
            for form in game.forms:
                if form.import_form is not None:
                    layout.operator(f"import_scene.{form.operator}", text=_text(form))


class LEVELWRIGHT_MT_export(bpy.types.Menu):
    """Write levels of this scene as their games read them"""

    bl_label = LABEL

    def draw(self, context: bpy.types.Context) -> None:
        """Draw an entry for each file that a level of the scene can become."""
        layout = layout_of(self)
        found = list(exportable(context))
        several = len({level for _, level in found}) > 1
        for kind, level in found:
            text = f"{level.name}: {_text(kind)}" if several else _text(kind)
            layout.operator(f"export_scene.{kind.operator}", text=text, translate=False).collection = level.name
        if not found:
            layout.label(text="No level in this scene", icon="INFO")


class LEVELWRIGHT_MT_new(bpy.types.Menu):
    """Make a level from nothing, and put it into this scene"""

    bl_label = LABEL

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw an entry a game."""
        layout = layout_of(self)
        layout.operator_context = "INVOKE_DEFAULT"
        for game in games.GAMES:
            if game.new is not None:
                layout.operator(f"levelwright.{game.new.operator}", text=game.new.label)


def exportable(context: bpy.types.Context) -> Iterator[tuple[FileKind, bpy.types.Collection]]:
    """Give what can be written of the scene: kinds of files, each with the collection that becomes one.

    Of each game it is the level of the active collection, else each level there is.
    """
    active = originals.level_of(context)
    of_games: dict[str, list[bpy.types.Collection]] = {}
    for level in originals.levels(stage.scene_of(context)):
        of_games.setdefault(originals.format_of(level), []).append(level)
    for game, kind in operators.exports():
        found = of_games.get(game.key, [])
        if isinstance(kind, Form) and kind.choose is not None:
            yield from ((kind, level) for level in _chosen(context, kind))
        else:
            shown = [active] if active is not None and active in found else found[:MANY]
            yield from ((kind, level) for level in shown if kind.suits is None or kind.suits(level))


def _chosen(context: bpy.types.Context, form: Form) -> list[bpy.types.Collection]:
    """Return the collection that a form would be written of, if there is one."""
    try:
        return [levels.choose(context, form=form)]
    except SceneError:
        return []


def _submenu(menu: type[bpy.types.Menu]) -> Callable[[bpy.types.Menu, bpy.types.Context], None]:
    """Return what draws a submenu's entry in a menu of Blender's."""

    def draw(shown: bpy.types.Menu, _context: bpy.types.Context) -> None:
        layout_of(shown).menu(menu.__name__)

    return draw


_CLASSES = (LEVELWRIGHT_MT_import, LEVELWRIGHT_MT_export, LEVELWRIGHT_MT_new)
_PLACES: tuple[tuple[Value, Callable[[bpy.types.Menu, bpy.types.Context], None]], ...] = (
    (bpy.types.TOPBAR_MT_file_import, _submenu(LEVELWRIGHT_MT_import)),
    (bpy.types.TOPBAR_MT_file_export, _submenu(LEVELWRIGHT_MT_export)),
    (bpy.types.TOPBAR_MT_file_new, _submenu(LEVELWRIGHT_MT_new)),
)
register, unregister = in_turn(*_CLASSES, *(called(menu, draw) for menu, draw in _PLACES))
