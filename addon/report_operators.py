# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done with what a level has to tell: its report in a text editor, its list in the clipboard, the folders that
are asked for.
"""

from __future__ import annotations

import bpy

from .. import __package__ as base_package
from ..formats.counting import number_of
from . import changes, issues, levels
from .scene.fields import declared
from .scene.interface.sidebar import OnAnyLevel, Result, refuse
from .scene.names import showable_lines
from .scene.registering import in_turn
from .scene.reports import FAILURES, SET_FOLDER, SceneError
from .scene.view import stage


class _OfReport(OnAnyLevel, bpy.types.Operator):
    """Base of the operators about what the active level has to tell."""

    which: str = declared.menu(
        name="List",
        items=[
            ("issues", "Report", "What the last import, export or check had to tell"),
            ("changes", "Changes", "What an export would change"),
        ],
        options={"SKIP_SAVE"},
    )
    collection: str = declared.string(name="Level", options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it with the level's, or say why not."""
        try:
            self.run(context, levels.choose(context, self.collection))
        except FAILURES as error:
            return refuse(self, context, error)
        return {"FINISHED"}

    def run(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Do it. Raises SceneError where there is nothing."""
        raise NotImplementedError


class LEVELWRIGHT_OT_show_report(_OfReport):
    """Open all that there is to tell in a text editor"""

    bl_idname = "levelwright.show_report"
    bl_label = "Open Report"

    def run(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Show the text in an editor that is open, or else in a window of its own."""
        text = levels.whole_report(level) if self.which == "issues" else changes.text_of(level)
        if text is None:
            raise SceneError(f"{level.name}: nothing was told yet")
        if bpy.app.background:
            return  # there is no window to show it in
        areas = [area for window in stage.window_manager_of(context).windows for area in window.screen.areas]
        area = next((area for area in areas if area.type == "TEXT_EDITOR"), None) or _new_window(context)
        space = area.spaces.active
        if isinstance(space, bpy.types.SpaceTextEditor):
            space.text = text
            space.show_word_wrap = True
            space.top = 0


def _new_window(context: bpy.types.Context) -> bpy.types.Area:
    """Open a window with a text editor, as Blender does for its preferences."""
    manager = stage.window_manager_of(context)
    before = set(manager.windows)
    bpy.ops.wm.window_new()
    made = next(window for window in manager.windows if window not in before)
    area = made.screen.areas[0]
    area.type = "TEXT_EDITOR"
    space = area.spaces.active
    if isinstance(space, bpy.types.SpaceTextEditor):
        space.show_syntax_highlight = False  # of Python, whose words reports use, too
    return area


class LEVELWRIGHT_OT_copy_report(_OfReport):
    """Copy the list, a line each, to paste it elsewhere"""

    bl_idname = "levelwright.copy_report"
    bl_label = "Copy List"

    def run(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Put it into the clipboard."""
        groups = issues.groups_of(level, "changes" if self.which == "changes" else "issues")
        lines = [line.message for group in groups for line in group.lines]
        if not lines:
            raise SceneError(f"{level.name}: the list is empty")
        stage.window_manager_of(context).clipboard = showable_lines("\n".join(lines))
        self.report({"INFO"}, f"{number_of(len(lines), 'lines')} copied")


class LEVELWRIGHT_OT_set_game_folder(bpy.types.Operator):
    """Open the preferences where the game's folders are named. Import the level again when they are"""

    bl_idname = SET_FOLDER
    bl_label = "Set Game Folder"

    def execute(self, _context: bpy.types.Context) -> Result:
        """Show the extension's preferences, unfolded."""
        if bpy.app.background:
            self.report({"INFO"}, "There is no window to show the preferences in")
            return {"CANCELLED"}
        bpy.ops.preferences.addon_show(module=base_package)
        return {"FINISHED"}


CLASSES = (LEVELWRIGHT_OT_show_report, LEVELWRIGHT_OT_copy_report, LEVELWRIGHT_OT_set_game_folder)
register, unregister = in_turn(*CLASSES)
