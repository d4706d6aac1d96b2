# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the level as a whole: the preview of what cuts leave, and decompiling."""

from __future__ import annotations

import bpy

from ...formats import genesis, solid_leaks
from ...formats.genesis import CompiledLevel
from ...formats.genesis.editor_level import Level3dt
from ..scene.fates import ledger
from ..scene.fields import declared
from ..scene.interface import sidebar
from ..scene.interface.stoppable import StoppableTool, nothing_left_behind
from ..scene.kept import originals
from ..scene.registering import in_turn
from ..scene.reports import Report, SceneError
from ..scene.view import stage
from ..scene.work.progress import Steps, Stepwise, progress
from . import importer, layout
from .context import resumed
from .exporter import export_level
from .fates import FATES
from .materials.build import materials_again
from .preview import compiled, live
from .settings import ExportSettings, ImportSettings


def has_cuts(level: bpy.types.Collection) -> bool:
    """Whether a level can have cuts: a `.map`'s are carved."""
    return originals.options_of(level).get(layout.KIND) == "3dt"


class PreviewCuts(StoppableTool):
    """Show what cut and hollow brushes leave. Again, it follows what was edited since"""

    bl_idname = "levelwright.genesis_preview_cuts"
    bl_label = "Preview Cuts"

    live: bool = declared.boolean(
        name="Live",
        description="By Boolean modifiers on copies, so that the hole follows the cut that is moved; otherwise as the "
        "compiler will get it",
    )

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be."""
        return "" if has_cuts(level) else "Only levels of the editor (.3dt) have cuts"

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[None]:
        """Carve the scene as it is now."""
        with nothing_left_behind(context):
            yield from show_cuts.steps(context, level, self.live, Report())


@Stepwise
def show_cuts(
    context: bpy.types.Context, collection: bpy.types.Collection, is_live: bool, report: Report
) -> Steps[None]:
    """Show what the cuts of a `.3dt` leave. is_live: by modifiers. Raises SceneError, FormatError."""
    if is_live:
        live.build(collection, report)
        return
    level = genesis.read((yield from export_level.steps(context, collection, ExportSettings(), report)))
    yield
    if not isinstance(level, Level3dt):
        raise SceneError(f"{collection.name} has no cuts")
    materials = materials_again(resumed(context, collection, report, level), level)
    yield from compiled.build(collection, level, materials)


class ShowRooms(StoppableTool):
    """Show the rooms alone, without the faces towards the void, so that they can be looked into from outside. Brushes
    are wire meanwhile. Again, it follows what was edited since
    """

    bl_idname = "levelwright.genesis_show_rooms"
    bl_label = "Show Rooms"

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be."""
        return "Compiled levels (.bsp) have nothing but rooms" if is_compiled(level) else ""

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[None]:
        """Find the rooms of the scene as it is now."""
        with nothing_left_behind(context):
            yield from show_rooms.steps(context, level, Report())


@Stepwise
def show_rooms(context: bpy.types.Context, collection: bpy.types.Collection, report: Report) -> Steps[None]:
    """Show what of a level's brushes looks into its rooms. Raises SceneError, where it leaks, too, and FormatError."""
    level = genesis.read((yield from export_level.steps(context, collection, ExportSettings(container="3dt"), report)))
    yield
    if not isinstance(level, Level3dt):
        raise SceneError(f"{collection.name} has no brushes")
    space = yield from genesis.leaks.space.steps(level)
    sealing = yield from solid_leaks.examine.steps(space)
    materials = materials_again(resumed(context, collection, report, level), level)
    yield from compiled.build(collection, level, materials, sealing)


def look_into(context: bpy.types.Context, collection: bpy.types.Collection) -> None:
    """Show the rooms of a level of brushes; a compiled one has nothing else. Raises as `show_rooms`."""
    if not is_compiled(collection):
        show_rooms(context, collection, Report())


class HidePreview(sidebar.LevelOperator):
    """Remove the preview of cuts or rooms, and show the brushes themselves again"""

    bl_idname = "levelwright.genesis_hide_preview"
    bl_label = "Hide Preview"

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be."""
        return "" if compiled.collection_of(level) is not None else "No preview is shown"

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        compiled.remove(level)


def is_compiled(level: bpy.types.Collection) -> bool:
    """Whether a level is a `.bsp`."""
    return originals.options_of(level).get(layout.KIND) == "bsp"


class Decompile(StoppableTool):
    """Make a level of brushes of a compiled one, as it is now: all of it can be edited, and compiled again"""

    bl_idname = "levelwright.genesis_decompile"
    bl_label = "Decompile"

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be."""
        return "" if is_compiled(level) else "Only compiled levels (.bsp) can be decompiled"

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[None]:
        """Add the level of brushes to the scene."""
        report = Report("decompiled")
        with progress(2) as part:
            edited = genesis.read((yield from export_level.steps(context, level, ExportSettings(), report)))
            yield part()
            made = yield from self._decompiled(context, level, edited, report)
        stage.present(context, made)
        sidebar.tell(self, made, report)

    def _decompiled(
        self, context: bpy.types.Context, level: bpy.types.Collection, edited: genesis.Level, report: Report
    ) -> Steps[bpy.types.Collection]:
        """The level of brushes, in the scene. edited: the compiled one, as it is now."""
        if not isinstance(edited, CompiledLevel):
            raise SceneError(f"{level.name} is no compiled level")
        settings = ImportSettings(scale=float(originals.options_of(level).get("scale", layout.SCALE)))
        with nothing_left_behind(context):
            made = yield from importer.decompiled.steps(context, edited, f"{level.name}.bsp", settings, report)
        ledger.enter(made, FATES)
        return made


CLASSES = (PreviewCuts, ShowRooms, HidePreview, Decompile)
register, unregister = in_turn(*CLASSES)
