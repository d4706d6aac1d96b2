# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar of the 3D view: the scene's levels, what they were imported from, and how to write them."""

import textwrap

import bpy

from . import levels
from .operators import (
    GAME_LEVEL,
    LEVELWRIGHT_OT_attach_original,
    LEVELWRIGHT_OT_check_export,
    LEVELWRIGHT_OT_select_finding,
)
from .scene import findings, originals
from .scene.reports import SceneError
from .scene.sidebar import CATEGORY, layout_of

LETTER = 9  # pixels, about
LINES = 8
FOUND = 16
"""Lines of findings that are shown."""


class LEVELWRIGHT_PT_levels(bpy.types.Panel):
    """The levels of the scene."""

    bl_label = "Levels"
    bl_category = CATEGORY
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw a box a level; the one that an export would take has a filled mark."""
        layout = layout_of(self)
        found = originals.levels(context.scene)
        if not found:
            layout.label(text="No level in this scene")
            layout.operator(GAME_LEVEL, icon="IMPORT")
        active = originals.level_of(context)
        letters = context.region.width // LETTER if context.region else 40
        for level in found:
            _draw_level(layout.box(), level, level == active, letters)


def _draw_level(layout: bpy.types.UILayout, level: bpy.types.Collection, active: bool, letters: int) -> None:
    """Draw one level: its name, its original, its report in lines of so many letters, and what can be done with it."""
    layout.label(text=level.name, icon="RADIOBUT_ON" if active else "RADIOBUT_OFF")
    info = originals.describe(level)
    try:
        game = levels.game_of(level)
    except SceneError as error:
        layout.label(text=str(error), icon="ERROR")
        return
    column = layout.column(align=True)
    column.label(text=game.format.title)
    if info is None or not info.sha256:
        column.label(text="Made in Blender, exported whole", icon="FILE_NEW")
    elif level.get(originals.ORIGINAL) is not None:
        column.label(text=f"Laid over {info.file_name or 'the imported file'}", icon="CHECKMARK")
    else:
        column.label(text=f"Its original is gone: {info.file_name}", icon="ERROR")
        column.operator(LEVELWRIGHT_OT_attach_original.bl_idname).collection = level.name
    report = levels.report_of(level)
    if report is not None:
        for line in textwrap.wrap(report.as_string(), letters)[:LINES]:
            column.label(text=line)
        column.label(text=f"All of it: text {report.name}", icon="TEXT")
    _draw_findings(column, level, letters)
    if game.export_level is None:
        layout.label(text=f"{game.plural} can't be written yet", icon="INFO")
        return
    kind = game.kind_of(levels.file_name(level))
    layout.operator(f"export_scene.{kind.operator}", icon="EXPORT").collection = level.name
    layout.operator(LEVELWRIGHT_OT_check_export.bl_idname, icon="CHECKMARK").collection = level.name


def _draw_findings(column: bpy.types.UILayout, level: bpy.types.Collection, letters: int) -> None:
    """Draw what the last export, or its check, found: a line each, with buttons that select it and mend it."""
    lines = findings.kept(level)
    for number, line in enumerate(lines[:FOUND]):
        row = column.row(align=True)
        shown = textwrap.shorten(line.message, letters, placeholder="...")
        if line.objects:
            button = row.operator(LEVELWRIGHT_OT_select_finding.bl_idname, text=shown, icon="RESTRICT_SELECT_OFF")
            button.collection, button.number = level.name, number
        else:
            row.label(text=shown, icon="ERROR")
        if line.mend:
            row.operator(line.mend, text="", icon="TOOL_SETTINGS")
    if len(lines) > FOUND:
        column.label(text=f"and {len(lines) - FOUND} more, in the text")


def register() -> None:
    """Register the panel."""
    bpy.utils.register_class(LEVELWRIGHT_PT_levels)


def unregister() -> None:
    """Undo `register`."""
    bpy.utils.unregister_class(LEVELWRIGHT_PT_levels)
