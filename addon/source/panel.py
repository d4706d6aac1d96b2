# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for Source maps: how baked light is shown, and which collections are."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene import originals
from . import layout


def active_level(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The Source map of the active collection, or the scene's only level if it is one."""
    level = originals.level_of(context)
    found = originals.levels(context.scene)
    if level is None and len(found) == 1:
        level = found[0]
    info = originals.describe(level) if level is not None else None
    return level if info is not None and info.format == layout.FORMAT else None


class LEVELWRIGHT_PT_source(bpy.types.Panel):
    """The active Source map."""

    bl_label = "Source"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a map of the game."""
        return active_level(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Show the values of the baked light's nodes, and the map's collections."""
        level = active_level(context)
        if level is None:
            return
        column = self.layout.column(align=True)
        for title, socket in settings(level):
            column.prop(socket, "default_value", text=title)
        column = self.layout.column(align=True)
        for child in level.children_recursive:
            row = column.row()
            row.label(text=child.name, icon="OUTLINER_COLLECTION")
            row.prop(child, "hide_viewport", text="", emboss=False)


def settings(level: bpy.types.Collection) -> list[tuple[str, Any]]:
    """What can be set of a map's baked light: titles, and sockets with the values; none without lightmaps."""
    group: Any = originals.resources(level, layout.BAKED_LIGHT).get(0)
    nodes = [node for node in group.nodes if node.type == "VALUE"] if group is not None else []
    return [(node.label, node.outputs[0]) for node in nodes]


def register() -> None:
    """Register the panel."""
    bpy.utils.register_class(LEVELWRIGHT_PT_source)


def unregister() -> None:
    """Undo `register`."""
    bpy.utils.unregister_class(LEVELWRIGHT_PT_source)
