# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the level as a whole: the preview of what cuts leave, and decompiling."""

from __future__ import annotations

import bpy

from ...formats import genesis
from ...formats.binary import FormatError
from ...formats.genesis import CompiledLevel
from ...formats.genesis.editor_level import Level3dt
from ..scene import declared, ledger, originals, sidebar, stage
from ..scene.reports import Report, SceneError
from . import importer, layout
from .context import resumed
from .exporter import export_level
from .fates import FATES
from .materials.build import materials_again
from .preview import compiled, live
from .settings import ExportSettings, ImportSettings


def has_cuts(level: bpy.types.Collection) -> bool:
    """Whether a level can have cuts: a `.map`'s are carved."""
    info = originals.describe(level)
    return info is not None and info.options.get(layout.KIND) == "3dt"


class PreviewCuts(sidebar.LevelOperator):
    """Show what cut and hollow brushes leave. Again, it follows what was edited since"""

    format_key = layout.FORMAT
    failures = (SceneError, FormatError)
    bl_idname = "levelwright.genesis_preview_cuts"
    bl_label = "Preview Cuts"
    bl_options = {"REGISTER", "UNDO"}

    live: bool = declared.boolean(
        name="Live",
        description="By Boolean modifiers on copies, so that the hole follows the cut that is moved; otherwise as the "
        "compiler will get it",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level that has cuts."""
        level = cls.level(context)
        if level is None:
            return super().poll(context)
        return sidebar.allows(cls, has_cuts(level), "Only levels of the editor (.3dt) have cuts")

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Carve the scene as it is now."""
        show_cuts(context, level, self.live, Report())


def show_cuts(context: bpy.types.Context, collection: bpy.types.Collection, is_live: bool, report: Report) -> None:
    """Show what the cuts of a `.3dt` leave. is_live: by modifiers. Raises SceneError, FormatError."""
    if is_live:
        live.build(collection, report)
        return
    level = genesis.read(export_level(context, collection, ExportSettings(), report))
    if not isinstance(level, Level3dt):
        raise SceneError(f"{collection.name} has no cuts")
    compiled.build(collection, level, materials_again(resumed(context, collection, report, level), level))


class HidePreview(sidebar.LevelOperator):
    """Remove the preview of cuts, and show the brushes themselves again"""

    format_key = layout.FORMAT
    bl_idname = "levelwright.genesis_hide_preview"
    bl_label = "Hide Preview"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a preview."""
        level = cls.level(context)
        if level is None:
            return super().poll(context)
        return sidebar.allows(cls, compiled.collection_of(level) is not None, "No preview is shown")

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        compiled.remove(level)


def is_compiled(level: bpy.types.Collection) -> bool:
    """Whether a level is a `.bsp`."""
    info = originals.describe(level)
    return info is not None and info.options.get(layout.KIND) == "bsp"


class Decompile(sidebar.LevelOperator):
    """Make a level of brushes of a compiled one, as it is now: all of it can be edited, and compiled again"""

    format_key = layout.FORMAT
    failures = (SceneError, FormatError)
    bl_idname = "levelwright.genesis_decompile"
    bl_label = "Decompile"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a compiled level."""
        level = cls.level(context)
        if level is None:
            return super().poll(context)
        return sidebar.allows(cls, is_compiled(level), "Only compiled levels (.bsp) can be decompiled")

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Add the level of brushes to the scene."""
        report = Report("decompiled")
        edited = genesis.read(export_level(context, level, ExportSettings(), report))
        if not isinstance(edited, CompiledLevel):
            raise SceneError(f"{level.name} is no compiled level")
        info = originals.describe(level)
        scale = float(info.options.get("scale", layout.SCALE)) if info is not None else layout.SCALE
        made = importer.decompiled(context, edited, f"{level.name}.bsp", ImportSettings(scale=scale), report)
        ledger.enter(made, FATES)
        stage.present(context, made)
        sidebar.tell(self, made, report)


CLASSES = (PreviewCuts, HidePreview, Decompile)


def register() -> None:
    """Register the operators."""
    sidebar.register_classes(CLASSES)


def unregister() -> None:
    """Undo `register`."""
    sidebar.unregister_classes(CLASSES)
