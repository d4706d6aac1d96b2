# SPDX-License-Identifier: GPL-3.0-or-later
"""Fable levels in Blender: `game` declares them, `layout` says what lives where, `importer` and `exporter` do it."""

from ..scene.registering import in_turn
from . import panel, preview, resizing, tools_panel
from .paint import panel as paint_panel
from .palettes import lists
from .palettes import operators as palette_operators
from .palettes import panel as palette_panel
from .terrain import flooding
from .terrain import operators as terrain_operators
from .terrain import panel as terrain_panel
from .things import operators as thing_operators
from .worlds import operators as world_operators

_CLASSES = (
    *palette_operators.CLASSES,
    *terrain_operators.CLASSES,
    *flooding.CLASSES,
    *thing_operators.CLASSES,
    *world_operators.CLASSES,
    *preview.CLASSES,
    *resizing.CLASSES,
    *panel.CLASSES,
    *palette_panel.CLASSES,
    *terrain_panel.CLASSES,
    tools_panel.LEVELWRIGHT_PT_fable_tools,
)
register, unregister = in_turn(lists, *_CLASSES, paint_panel)
