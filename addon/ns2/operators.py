# SPDX-License-Identifier: GPL-3.0-or-later
"""Making a level in Blender: an entry of File > New."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import bpy

from ...formats import ns2
from ...formats.binary import FormatError
from ..scene.reports import Report, SceneError
from .importer import build_scene
from .settings import ImportSettings

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def new_level(context: bpy.types.Context, name: str) -> bpy.types.Collection:
    """Make an empty level, linked to the scene; nothing was imported for it. Mesh objects in it are its faces."""
    return build_scene(context, ns2.new_level(), None, Path(name), ImportSettings(), Report())


class NewLevel(bpy.types.Operator):
    """Make an empty level of Natural Selection 2: mesh objects put into it are its faces"""

    bl_idname = "levelwright.ns2_new_level"
    bl_label = "NS2 Level"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Name", default="ns2_level")

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it."""
        try:
            new_level(context, self.name)
        except (FormatError, SceneError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


def add_to_new_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    """Draw the entry."""
    menu.layout.operator(NewLevel.bl_idname, icon="FILE_NEW")


CLASSES = (NewLevel,)
