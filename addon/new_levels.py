# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels from nothing: an operator for each game that declares how it makes one."""

from __future__ import annotations

from typing import ClassVar

import bpy

from . import games
from .game import Game, NewLevel
from .scene.fates import ledger
from .scene.fields import options
from .scene.interface.sidebar import Result, layout_of, refuse
from .scene.kept import originals
from .scene.registering import in_turn
from .scene.reports import FAILURES, Report
from .scene.view import stage


class _New(bpy.types.Operator):
    """What all of them share: a dialog, one undo step, and the new level becomes the active one."""

    bl_options = {"REGISTER", "UNDO"}

    game: ClassVar[Game]
    new: ClassVar[NewLevel]

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask what it shall be like."""
        return set(stage.window_manager_of(context).invoke_props_dialog(self, confirm_text="Make"))

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it, or say why not."""
        report = Report()
        try:
            with stage.cleared(context):
                level = self.new.make(context, options.from_properties(self.new.settings, self), report)
        except FAILURES as error:
            return refuse(self, context, error)
        if self.game.fates:
            ledger.enter(level, self.game.fates)
        stage.present(context, level, self.new.first(level) if self.new.first is not None else None)
        if self.new.home is not None:
            originals.make_active(context, self.new.home(level))
        for warning in report.warnings:
            self.report({"WARNING"}, warning)
        return {"FINISHED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Show what can be chosen."""
        options.draw(self.new.settings, layout_of(self), self)


def _operator(game: Game, new: NewLevel) -> type[bpy.types.Operator]:
    """Return the operator that makes a game's levels."""
    title = " ".join(word[:1].upper() + word[1:] for word in new.label.split(" "))
    body = {
        "__doc__": new.tooltip,
        "__module__": __name__,
        "__annotations__": options.properties(new.settings),
        "bl_idname": f"levelwright.{new.operator}",
        "bl_label": f"New {title}",
        "game": game,
        "new": new,
    }
    return type(f"LEVELWRIGHT_OT_{new.operator}", (_New,), body)


CLASSES = tuple(_operator(game, game.new) for game in games.GAMES if game.new is not None)
register, unregister = in_turn(*CLASSES)
