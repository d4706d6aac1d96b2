# SPDX-License-Identifier: GPL-3.0-or-later
"""Making levels: the operator, and the entry of File > New."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...formats import fable
from ...formats.fable.records import ROOT_EDGE
from ..scene import declared, stage
from ..scene.reports import Report, SceneError
from ..scene.sidebar import Result, layout_of, refuse
from . import importer
from .settings import ImportSettings


def new_level(
    context: bpy.types.Context, name: str, width: int, height: int, theme: str = "", z: float = 0.0
) -> bpy.types.Collection:
    """Make a flat level, all walkable, linked to the scene; nothing was imported for it.

    width, height: units, multiples of 32. theme: the name of the ground's theme; without one it has a stand-in.
    Raises SceneError for what no level can have.
    """
    try:
        level = fable.new_level(width, height, themes=[theme] if theme else [], z=z)
    except ValueError as error:
        raise SceneError(f"a level can't be like this: {error}") from error
    return importer.build_scene(context, level, None, Path(name), ImportSettings(), Report())


class LEVELWRIGHT_OT_fable_new_level(declared.Declared, bpy.types.Operator):
    """Make a flat Fable level, to be sculpted and painted"""

    bl_idname = "levelwright.fable_new_level"
    bl_label = "New Fable Level"
    bl_options = {"REGISTER", "UNDO"}

    name: str = declared.string(name="Name", default="NewLevel")
    width: int = declared.integer(
        name="Width", description="Along x, in units: a multiple of 32", default=96, min=32, max=1024, step=ROOT_EDGE
    )
    height: int = declared.integer(
        name="Height", description="Along y, in units: a multiple of 32", default=96, min=32, max=1024, step=ROOT_EDGE
    )
    z: float = declared.number(name="Ground", description="How high the ground lies", default=32.0, min=0, max=2047)
    theme: str = declared.string(
        name="Theme", description="Name of the ground's theme in the game", default="GROUND_GRASS_NO_LOCAL_DETAIL"
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for name, size and theme."""
        if context.window_manager is None:
            return {"CANCELLED"}
        done: Result = context.window_manager.invoke_props_dialog(self)
        return done

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it, and make it the active one."""
        try:
            with stage.cleared(context):
                level = new_level(context, self.name, self.width, self.height, self.theme, self.z)
        except SceneError as error:
            return refuse(self, context, error)
        stage.present(context, level)
        return {"FINISHED"}


def _new_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout_of(menu).operator(LEVELWRIGHT_OT_fable_new_level.bl_idname, icon="FILE_NEW")


def register() -> None:
    """Register the operator, and the entry of File > New."""
    bpy.utils.register_class(LEVELWRIGHT_OT_fable_new_level)
    bpy.types.TOPBAR_MT_file_new.append(_new_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_new.remove(_new_menu)
    bpy.utils.unregister_class(LEVELWRIGHT_OT_fable_new_level)
