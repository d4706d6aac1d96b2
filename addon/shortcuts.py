# SPDX-License-Identifier: GPL-3.0-or-later
"""What works on the active level whichever game it is of: for keys, pie menus and the menu *Levelwright*."""

from __future__ import annotations

import bpy

from . import levels
from .game import Game
from .scene.blender_types import Value
from .scene.fields import declared
from .scene.fields.declared import Declared
from .scene.interface.sidebar import NO_LEVEL, Result, allows, refuse
from .scene.kept import originals
from .scene.registering import in_turn
from .scene.reports import SceneError


def game_of_active(context: bpy.types.Context) -> Game | None:
    """The game of the active level; None without one."""
    level = originals.level_of(context)
    try:
        return levels.game_of(level) if level is not None else None
    except SceneError:
        return None


def own_operator(game: Game, word: str) -> str:
    """The name of a game's operator that has the same name in several games ("find_leaks"); "" where it has none."""
    name = f"levelwright.{game.key}_{word}"
    return name if is_there(name) else ""


def is_there(operator: str) -> bool:
    """Whether an operator is registered, or is Blender's own."""
    category, _, word = operator.partition(".")
    return category == "wm" or hasattr(bpy.types, f"{category.upper()}_OT_{word}")


class LEVELWRIGHT_OT_export_level(Declared, bpy.types.Operator):
    """Write the active level as a file of its game"""

    bl_idname = "levelwright.export_level"
    bl_label = "Export Level"

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level that can be written."""
        game = game_of_active(context)
        return allows(cls, game is not None, NO_LEVEL) and allows(
            cls, game is not None and game.export_level is not None, "Levels of this game can only be opened"
        )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask where to, with the options of the game's export."""
        return self._export(context, "INVOKE_DEFAULT")

    def execute(self, context: bpy.types.Context) -> Result:
        """Write it to the file that a script names."""
        return self._export(context, "EXEC_DEFAULT", filepath=self.filepath)

    def _export(self, context: bpy.types.Context, how: str, **options: str) -> Result:
        level, game = originals.level_of(context), game_of_active(context)
        if level is None or game is None:
            return {"CANCELLED"}
        operator: Value = getattr(bpy.ops.export_scene, game.kind_of(levels.file_name(level)).operator)
        try:
            done: Result = operator(how, collection=level.name, **options)
        except RuntimeError as error:  # what it refused
            return refuse(self, context, error)
        return {"FINISHED"} if "RUNNING_MODAL" in done else done


CLASSES = (LEVELWRIGHT_OT_export_level,)
register, unregister = in_turn(*CLASSES)
