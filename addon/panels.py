# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar of the 3D view: the scene's levels, what there is to tell of the active one, and how to write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from . import changes, issues, levels
from .checking import LEVELWRIGHT_OT_check_export, LEVELWRIGHT_OT_show_changes
from .operators import GAME_LEVEL, LEVELWRIGHT_OT_attach_original
from .report_operators import LEVELWRIGHT_OT_copy_report, LEVELWRIGHT_OT_show_report
from .scene import wording
from .scene.blender_types import Icon
from .scene.fields import declared
from .scene.interface import sidebar
from .scene.interface.sidebar import CATEGORY, Result, layout_of
from .scene.issues import findings
from .scene.kept import originals
from .scene.registering import in_turn
from .scene.reports import FAILURES, SceneError

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import RegionTypeItems, SpaceTypeItems

BESIDE = 180.0
"""Pixels of a line from which on two buttons have room in it."""


class LEVELWRIGHT_OT_activate_level(sidebar.OnAnyLevel, bpy.types.Operator):
    """Make this the active level: the sidebar is about it, and what is added becomes part of it"""

    bl_idname = "levelwright.activate_level"
    bl_label = "Activate Level"
    bl_options = {"REGISTER", "UNDO"}

    collection: str = declared.string(name="Level", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Make its collection the active one."""
        try:
            originals.make_active(context, levels.choose(context, self.collection))
        except FAILURES as error:
            return sidebar.refuse(self, context, error)
        return {"FINISHED"}


class LEVELWRIGHT_PT_levels(bpy.types.Panel):
    """The levels of the scene."""

    bl_label = "Levels"
    bl_category = CATEGORY
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw a line a level, and of the active one what it is and what can be done with it."""
        layout = layout_of(self)
        found = originals.levels(context.scene)
        if not found:
            layout.label(text="No level in this scene")
            layout.operator(GAME_LEVEL, icon="IMPORT")
            return
        active = originals.level_of(context)
        if len(found) > 1:
            column = layout.column(align=True)
            for level in found:
                is_active = level == active
                icon: Icon = "RADIOBUT_ON" if is_active else "RADIOBUT_OFF"
                row = column.row()
                row.alignment = "LEFT"
                button = row.operator(LEVELWRIGHT_OT_activate_level.bl_idname, text=level.name, icon=icon, emboss=False)
                button.collection = level.name
        if active is None:
            sidebar.draw_text(layout, context, "Make one of them the active level", "INFO")
        else:
            _draw_level(layout, context, active)


def _draw_level(layout: bpy.types.UILayout, context: bpy.types.Context, level: bpy.types.Collection) -> None:
    """Draw the active level: its name and game, its original, and what can be done with it."""
    info = originals.describe(level)
    try:
        game = levels.game_of(level)
    except SceneError as error:
        sidebar.draw_text(layout, context, str(error), "ERROR")
        return
    column = layout.column(align=True)
    column.label(text=level.name, icon="OUTLINER_COLLECTION")
    icon: Icon
    if info is None or not info.sha256:
        text, icon = f"{game.format.title}, made in Blender: all of it is written", "FILE_NEW"
    elif level.get(originals.ORIGINAL) is not None:
        text = (
            f"{game.format.title}, imported from {info.file_name or 'a file'}: what isn't edited is written as it was"
        )
        icon = "CHECKMARK"
    else:
        text, icon = f"{game.format.title}. Its imported file is not in this .blend: {info.file_name}", "ERROR"
    sidebar.draw_text(column, context, text, icon)
    if icon == "ERROR":
        column.operator(LEVELWRIGHT_OT_attach_original.bl_idname).collection = level.name
    if game.export_level is None:
        layout.label(text=f"{game.plural} can't be written yet", icon="INFO")
        return
    kind = game.kind_of(levels.file_name(level))
    column = layout.column(align=True)
    column.operator(f"export_scene.{kind.operator}", icon="EXPORT").collection = level.name
    column.operator(LEVELWRIGHT_OT_check_export.bl_idname, icon="CHECKMARK").collection = level.name
    column.operator(LEVELWRIGHT_OT_show_changes.bl_idname, icon="VIEWZOOM").collection = level.name


class _OfActiveLevel:
    """Mixed into panels about the active level, of whatever game."""

    bl_category = CATEGORY
    bl_space_type: SpaceTypeItems = "VIEW_3D"
    bl_region_type: RegionTypeItems = "UI"
    bl_parent_id = "LEVELWRIGHT_PT_levels"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return originals.level_of(context) is not None


class LEVELWRIGHT_PT_issues(_OfActiveLevel, bpy.types.Panel):
    """What there is to tell of the active level."""

    bl_label = "Issues"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        """Say how many there are, at the right."""
        level = originals.level_of(context)
        groups = findings.issues(level) if level is not None else []
        count = sum(line.count for group in groups for line in group.lines)
        layout_of(self).label(text=f"{count:,}" if count else "", icon="ERROR" if count else "CHECKMARK")

    def draw(self, context: bpy.types.Context) -> None:
        """Draw what came in, the list, and buttons for all of it."""
        layout, level = layout_of(self), originals.level_of(context)
        if level is None:
            return
        report = levels.report_of(level)
        column = layout.column(align=True)
        if any(line.sort == "error" for line in findings.kept(level)):
            sidebar.draw_text(column, context, "The last export was refused: nothing was written", "CANCEL")
        elif report is not None and report.lines:
            sidebar.draw_text(column, context, report.lines[0].body.partition("; ")[0])
        if findings.issues(level):
            issues.draw_list(layout, context, level, "issues")
        else:
            layout.label(text="Nothing to tell", icon="CHECKMARK")
        if report is not None:
            _draw_buttons(layout, context, level, "issues")


class LEVELWRIGHT_PT_changes(_OfActiveLevel, bpy.types.Panel):
    """What an export of the active level would change: there once it was compared, until it is exported."""

    bl_label = "What Would Change?"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a list."""
        level = originals.level_of(context)
        return level is not None and bool(findings.changes(level))

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        """Say when it was compared, at the right: what was edited since isn't in the list."""
        level = originals.level_of(context)
        if level is not None:
            layout_of(self).label(text=changes.compared_at(level), icon="TIME")

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the list."""
        layout, level = layout_of(self), originals.level_of(context)
        if level is None:
            return
        issues.draw_list(layout, context, level, "changes")
        _draw_buttons(layout, context, level, "changes")


def _draw_buttons(
    layout: bpy.types.UILayout, context: bpy.types.Context, level: bpy.types.Collection, which: issues.Which
) -> None:
    """Draw the buttons for all that a list says: beside one another where their names have room."""
    row = layout.row(align=True) if wording.room(context) > BESIDE else layout.column(align=True)
    buttons: tuple[tuple[type[bpy.types.Operator], Icon], ...] = (
        (LEVELWRIGHT_OT_show_report, "TEXT"),
        (LEVELWRIGHT_OT_copy_report, "COPYDOWN"),
    )
    is_empty = not issues.groups_of(level, which)
    for operator, icon in buttons[:1] if is_empty else buttons:
        button = row.operator(operator.bl_idname, icon=icon)
        button.which, button.collection = which, level.name


CLASSES = (
    LEVELWRIGHT_OT_activate_level,
    LEVELWRIGHT_PT_levels,
    LEVELWRIGHT_PT_issues,
    LEVELWRIGHT_PT_changes,
)
register, unregister = in_turn(*CLASSES)
