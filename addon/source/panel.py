# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for Source maps: how baked light is shown, and which collections are, and the map's revision."""

from __future__ import annotations

import bpy

from ..scene.blender_types import Socket
from ..scene.interface.sidebar import LevelPanel
from ..scene.kept import originals
from . import layout, revision


class LEVELWRIGHT_PT_source(LevelPanel, bpy.types.Panel):
    """The active Source map."""

    bl_label = "Source"

    def draw_level(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Show the values of the baked light's nodes, and the map's collections."""
        column = self.layout.column(align=True)
        for title, socket in settings(level):
            column.prop(socket, "default_value", text=title)
        if level.get(revision.REVISION) is not None:
            self.layout.prop(level, f'["{revision.REVISION}"]', text="Map Revision")
        column = self.layout.column(align=True)
        for child in level.children_recursive:
            row = column.row()
            row.label(text=child.name, icon="OUTLINER_COLLECTION")
            row.prop(child, "hide_viewport", text="", emboss=False)


def settings(level: bpy.types.Collection) -> list[tuple[str, Socket]]:
    """What can be set of a map's baked light: titles, and sockets with the values; none without lightmaps."""
    group = originals.resources(level, layout.BAKED_LIGHT).get(0)
    nodes = [node for node in group.nodes if node.type == "VALUE"] if isinstance(group, bpy.types.NodeTree) else []
    return [(node.label, node.outputs[0]) for node in nodes]
