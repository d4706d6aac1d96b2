# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export would do, before it writes anything: *Check Export* and *What Would Change?*."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ..formats.counting import number_of
from . import changes, games, levels
from .game import Settings
from .scene.fields import declared, level_options, options
from .scene.interface.sidebar import OnAnyLevel, Result, layout_of, refuse, show_tab
from .scene.interface.stoppable import Stoppable
from .scene.issues import findings
from .scene.registering import in_turn
from .scene.reports import FAILURES, Report
from .scene.view import stage
from .scene.work.progress import Steps

OF_FILES = ("backup",)
"""Options of exports that are about the file, and none is written."""
WIDTH = 360
"""Pixels of the dialog."""


def _export_options() -> dict[str, object]:
    """The options of the exports of all games, each behind its game's key, as properties of an operator."""
    shown: dict[str, object] = {}
    for game in games.GAMES:
        if game.export_settings is not None:
            shown |= options.properties(game.export_settings, f"{game.key}_")
    return shown


class _ExportOptions:
    """Mixed into operators that have the options of all exports."""

    __annotations__ = _export_options()


class _AsExported(_ExportOptions, OnAnyLevel, bpy.types.Operator):
    """Base of the operators that make a level's file in memory, with the options that its export has."""

    collection: str = declared.string(name="Level", options={"HIDDEN", "SKIP_SAVE"})
    confirm: ClassVar[str]
    """What the dialog's button says: that it exports nothing."""

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Show the options that the level's last export or check had."""
        try:
            level = levels.choose(context, self.collection)
            game = levels.game_of(level)
        except FAILURES as error:
            return refuse(self, context, error)
        self.collection = level.name
        level_options.restore(level, self, f"{game.key}_")
        manager = stage.window_manager_of(context)
        result: Result = manager.invoke_props_dialog(self, width=WIDTH, confirm_text=self.confirm)
        return result

    def draw(self, _context: bpy.types.Context) -> None:
        """Show the options of the level's game."""
        level: bpy.types.Collection | None = bpy.data.collections.get(self.collection)
        game = levels.game_of(level) if level is not None else None
        if game is not None and game.export_settings is not None:
            options.draw(game.export_settings, layout_of(self), self, f"{game.key}_", without=OF_FILES)

    def work(self, context: bpy.types.Context) -> Steps[Result]:
        """Make the file in memory."""
        report = Report()
        try:
            level = levels.choose(context, self.collection)
            game = levels.game_of(level)
            _, settings = game.writer
            yield from self.make(context, level, options.from_properties(settings, self, f"{game.key}_"), report)
        except FAILURES as error:
            return refuse(self, context, error)
        finally:
            if self.options.is_invoke:
                show_tab(context)
        return {"FINISHED"}

    def make(
        self, context: bpy.types.Context, level: bpy.types.Collection, settings: Settings, report: Report
    ) -> Steps[None]:
        """Make the file, and tell what is to be told. Raises what `FAILURES` has."""
        raise NotImplementedError


class LEVELWRIGHT_OT_check_export(Stoppable, _AsExported):
    """Say what the game would refuse, and what an export can't write, without writing a file"""

    bl_idname = "levelwright.check_export"
    bl_label = "Check Export"
    confirm = "Check"

    def make(
        self, context: bpy.types.Context, level: bpy.types.Collection, settings: Settings, report: Report
    ) -> Steps[None]:
        """Check it."""
        yield from levels.check_export.steps(context, level, report, settings)
        report.forward(self)
        report.log()


class LEVELWRIGHT_OT_show_changes(Stoppable, _AsExported):
    """List record by record what an export would change in the imported file, without writing one"""

    bl_idname = "levelwright.show_changes"
    bl_label = "What Would Change?"
    confirm = "Compare"

    def make(
        self, context: bpy.types.Context, level: bpy.types.Collection, settings: Settings, report: Report
    ) -> Steps[None]:
        """Make it, and compare it with the imported one."""
        try:
            made = yield from levels.check_export.steps(context, level, report, settings)
            number = yield from changes.keep.steps(level, made)
        except FAILURES:
            findings.keep(level, (), "changes")  # an earlier list would look like what was found now
            raise
        said = number_of(number, "changes") if number else changes.NOTHING
        self.report({"INFO"}, f"{level.name}: {said}")


CLASSES = (LEVELWRIGHT_OT_check_export, LEVELWRIGHT_OT_show_changes)
register, unregister = in_turn(*CLASSES)
