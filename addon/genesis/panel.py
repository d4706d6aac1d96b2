# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for Genesis3D levels: how cuts are shown, and what the active brush, model or entity is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import bpy

from ...formats import genesis
from ...formats.binary import FormatError
from ...formats.genesis.editor_level import Level3dt
from ..scene import identity, originals
from ..scene.meshes import select_faces
from ..scene.reports import Report, SceneError
from . import game_headers, importer, layout
from .exporter import export_level
from .preview import compiled as preview
from .preview import live as live_preview
from .settings import ExportSettings

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def _level_of(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The active level, if it is one of Genesis3D."""
    level = originals.level_of(context)
    info = originals.describe(level) if level is not None else None
    return level if info is not None and info.format == layout.FORMAT else None


def _is_editors(level: bpy.types.Collection) -> bool:
    """Whether a level has cuts: a `.map`'s are carved."""
    info = originals.describe(level)
    return info is not None and info.options.get(layout.KIND) == "3dt"


class PreviewCuts(bpy.types.Operator):
    """Show what cut and hollow brushes leave. Again, it follows what was edited since"""

    bl_idname = "levelwright.genesis_preview_cuts"
    bl_label = "Preview Cuts"
    bl_options = {"REGISTER", "UNDO"}

    live: bpy.props.BoolProperty(
        name="Live",
        description="By Boolean modifiers on copies, so that the hole follows the cut that is moved; otherwise as the "
        "compiler will get it",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level that has cuts."""
        level = _level_of(context)
        return level is not None and _is_editors(level)

    def execute(self, context: bpy.types.Context) -> Result:
        """Carve the scene as it is now."""
        collection = _level_of(context)
        if collection is None:
            return {"CANCELLED"}
        report = Report()
        try:
            if self.live:
                live_preview.build(collection, report)
                return {"FINISHED"}
            data = export_level(context, collection, ExportSettings(), report)
            level = genesis.read(data)
            if not isinstance(level, Level3dt):
                raise SceneError(f"{collection.name} has no cuts")
            preview.build(collection, level, importer.materials_again(context, collection, level, report))
        except (SceneError, FormatError) as error:
            for obj, faces in getattr(error, "faces", {}).items():
                select_faces(obj, faces)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class HidePreview(bpy.types.Operator):
    """Remove the preview of cuts, and show the brushes themselves again"""

    bl_idname = "levelwright.genesis_hide_preview"
    bl_label = "Hide Preview"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a preview."""
        level = _level_of(context)
        return level is not None and preview.collection_of(level) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Remove it."""
        level = _level_of(context)
        if level is not None:
            preview.remove(level)
        return {"FINISHED"}


class LEVELWRIGHT_PT_genesis(bpy.types.Panel):
    """The active Genesis3D level, and what of it the active object is."""

    bl_label = "Genesis3D"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game."""
        return _level_of(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the preview's buttons, and the properties of the active object."""
        level = _level_of(context)
        if level is None:
            return
        if _is_editors(level):
            row = self.layout.row(align=True)
            row.operator(PreviewCuts.bl_idname, icon="MESH_CUBE").live = False
            row.operator(PreviewCuts.bl_idname, text="Live Cuts", icon="MOD_BOOLEAN").live = True
            row.operator(HidePreview.bl_idname, text="", icon="X")
        obj: Any = context.active_object
        mark = identity.stamped(obj) if obj is not None else None
        if mark is None:
            return
        column = self.layout.column(align=True)
        column.label(text=f"{mark.kind.title()} {mark.record}: {obj.name}")
        for key in _shown(obj):
            column.prop(obj, f'["{bpy.utils.escape_identifier(key)}"]', text=key)
        if mark.kind == layout.BRUSH:
            self.layout.label(text="Contents")
            grid = self.layout.grid_flow(columns=2, even_columns=True, align=True)
            for bit, name in enumerate(game_headers.contents_names(level)):
                grid.prop(obj, game_headers.NAMES, index=bit, text=name, toggle=1)


def _shown(obj: bpy.types.Object) -> list[str]:
    """The properties of an object that are the level's."""
    keys: Any = obj.keys()
    return [key for key in keys if not key.startswith("levelwright") and isinstance(obj[key], bool | int | float | str)]


def _contents(obj: Any) -> list[bool]:
    """The bits of a brush's property `contents`."""
    value = obj.get("contents")
    number = value if isinstance(value, int) else 0
    return [bool(number >> bit & 1) for bit in range(game_headers.BITS)]


def _set_contents(obj: Any, bits: Sequence[bool]) -> None:
    obj["contents"] = sum(1 << number for number, bit in enumerate(bits) if bit)


CLASSES = (PreviewCuts, HidePreview, LEVELWRIGHT_PT_genesis)


def register() -> None:
    """Register the operators and the panel."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    flags = bpy.props.BoolVectorProperty(
        name="Contents",
        description="The game's own kinds of brushes, as its headers name them (GE_BrushContents): the bits of the "
        "property contents",
        size=game_headers.BITS,
        get=_contents,
        set=_set_contents,
        options=set(),
    )
    setattr(bpy.types.Object, game_headers.NAMES, flags)


def unregister() -> None:
    """Undo `register`."""
    delattr(bpy.types.Object, game_headers.NAMES)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
