# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the level as a whole: a new level, and the preview of what cuts leave."""

from __future__ import annotations

from typing import Literal

import bpy

from ...formats import genesis
from ...formats.binary import FormatError
from ...formats.genesis import CompiledLevel
from ...formats.genesis.editor_level import Level3dt
from ..scene import declared, ledger, originals, sidebar
from ..scene.reports import Report, SceneError
from . import importer, layout
from .context import resumed
from .exporter import export_level
from .fates import FATES
from .materials.build import materials_again
from .preview import compiled, live
from .settings import ExportSettings, ImportSettings


def new_level(context: bpy.types.Context, name: str, kind: Literal["map", "3dt"]) -> bpy.types.Collection:
    """Make an empty level, linked to the scene; nothing was imported for it."""
    level = genesis.new_level("map") if kind == "map" else genesis.new_level("3dt")
    return importer.build_scene(context, level, None, name, ImportSettings(), Report())


class NewLevel(declared.Declared, bpy.types.Operator):
    """Make an empty Genesis3D level: meshes put into its collection become brushes"""

    bl_idname = "levelwright.genesis_new_level"
    bl_label = "New Genesis3D Level"
    bl_options = {"REGISTER", "UNDO"}

    name: str = declared.string(name="Name", default="level")
    kind: str = declared.menu(
        name="Kind",
        items=(("map", ".map", "What the compiler reads"), ("3dt", ".3dt", "What the editor opens")),
        default="map",
    )

    def execute(self, context: bpy.types.Context) -> sidebar.Result:
        """Make it."""
        originals.make_active(context, new_level(context, self.name, "map" if self.kind == "map" else "3dt"))
        return {"FINISHED"}


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
        return level is not None and has_cuts(level)

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
        return level is not None and compiled.collection_of(level) is not None

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
        return level is not None and is_compiled(level)

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
        originals.make_active(context, made)
        sidebar.tell(self, made, report)


def _new_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    sidebar.layout_of(menu).operator(NewLevel.bl_idname, icon="FILE_NEW")


CLASSES = (NewLevel, PreviewCuts, HidePreview, Decompile)


def register() -> None:
    """Register the operators, and put the new level into the menu File > New."""
    sidebar.register_classes(CLASSES)
    bpy.types.TOPBAR_MT_file_new.append(_new_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_new.remove(_new_menu)
    sidebar.unregister_classes(CLASSES)
