# SPDX-License-Identifier: GPL-3.0-or-later
"""Making levels and faces with holes, and the Spark editor's clipboard: operators, and their place in the sidebar."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import bpy
import numpy as np

from ...formats import ns2
from ...formats.binary import FormatError
from ..scene import attributes, files
from ..scene.reports import Report, SceneError
from . import importer, layout
from .clipboard import transfer as clipboard
from .clipboard.windows import WindowsClipboard, available
from .entities import editing as entity_edit
from .panel import active_level
from .settings import ExportSettings, ImportSettings

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
ENDING = ".spark"
"""Of files with what the Spark editor has on the clipboard."""
FAILURES = (FormatError, SceneError, OSError)


def new_level(context: bpy.types.Context, name: str) -> bpy.types.Collection:
    """Make an empty level, linked to the scene; nothing was imported for it. Mesh objects in it are its faces."""
    return importer.build_scene(context, ns2.new_level(), None, Path(name), ImportSettings(), Report())


def mark_bridges(context: bpy.types.Context, on: bool) -> int:
    """Make selected edges, in edit mode, bridges or edges: faces on both sides of a bridge are one face of the level.

    Returns how many edges there were.
    """
    count = 0
    objects = list(context.objects_in_mode_unique_data)
    bpy.ops.object.mode_set(mode="OBJECT")  # edit mode of Blender 4.2 has no access to booleans
    try:
        for obj in objects:
            mesh: Any = obj.data
            selected = np.zeros(len(mesh.edges), np.bool_)
            mesh.edges.foreach_get("select", selected)
            bridges = attributes.read(mesh, layout.BRIDGE, "EDGE")
            if bridges is None:
                bridges = np.zeros(len(selected), np.bool_)
            attributes.write(mesh, layout.BRIDGE, "EDGE", "BOOLEAN", np.where(selected, on, bridges.astype(np.bool_)))
            count += int(selected.sum())
    finally:
        bpy.ops.object.mode_set(mode="EDIT")
    return count


# ----------------------------------------------------------------------------------------------------------- operators


class NewLevel(bpy.types.Operator):
    """Make an empty level of Natural Selection 2: mesh objects put into it are its faces"""

    bl_idname = "levelwright.new_ns2_level"
    bl_label = "NS2 Level"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Name", default="ns2_level")

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it."""
        try:
            new_level(context, self.name)
        except FAILURES as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class MarkBridges(bpy.types.Operator):
    """Join the faces at selected edges to one face of the level, as around a hole; or keep them two"""

    bl_idname = "levelwright.ns2_bridges"
    bl_label = "Bridge"
    bl_options = {"REGISTER", "UNDO"}

    clear: bpy.props.BoolProperty(name="Clear", description="They are edges of their own again")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for edit mode."""
        return context.mode == "EDIT_MESH"

    def execute(self, context: bpy.types.Context) -> Result:
        """Mark them."""
        return {"FINISHED"} if mark_bridges(context, not self.clear) else {"CANCELLED"}


class _Clipboard(bpy.types.Operator):
    """What copying and pasting share: a file, or the clipboard where there is one."""

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return active_level(context) is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Use the clipboard of Windows; elsewhere ask for a file."""
        if self.filepath or available():
            return self.execute(context)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it."""
        level = active_level(context)
        report = Report()
        try:
            if level is None:
                raise SceneError("there is no level of NS2")
            if not self.filepath and not available():
                raise SceneError("only Windows has the Spark editor's clipboard: name a file")
            self.run(context, level, report)
        except FAILURES as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        report.forward(self)
        return {"FINISHED"}

    def run(self, context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> None:
        """Copy or paste. Raises what FAILURES lists."""
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """The file that was chosen."""
        return Path(bpy.path.abspath(self.filepath))


class Copy(_Clipboard):
    """Copy what is selected, as the Spark editor does: in edit mode faces, else geometry and entities"""

    bl_idname = "levelwright.ns2_copy"
    bl_label = "Copy to Spark Editor"

    def run(self, context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> None:
        """Write the clipboard, or the file."""
        data = clipboard.copy(context, level, ExportSettings(), report)
        if self.filepath:
            files.write_atomically(self.path, data, verify=ns2.clipboard.parse)
        else:
            WindowsClipboard(ns2.clipboard.FORMAT).put(data)


class Paste(_Clipboard):
    """Paste what was copied in the Spark editor, as new faces and entities"""

    bl_idname = "levelwright.ns2_paste"
    bl_label = "Paste from Spark Editor"
    bl_options = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> None:
        """Read the clipboard, or the file."""
        data = self.path.read_bytes() if self.filepath else WindowsClipboard(ns2.clipboard.FORMAT).get()
        if data is None:
            raise SceneError("nothing of the Spark editor is on the clipboard")
        made = clipboard.paste(context, level, data, report)
        if context.view_layer is not None:
            context.view_layer.update()  # it doesn't know them yet
        entity_edit.select_only(context, made)


class LEVELWRIGHT_PT_ns2_edit(bpy.types.Panel):
    """Bridges, and the clipboard."""

    bl_label = "Spark Editor"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_parent_id = "LEVELWRIGHT_PT_ns2"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the buttons."""
        column = self.layout.column(align=True)
        column.operator(Copy.bl_idname, icon="COPYDOWN")
        column.operator(Paste.bl_idname, icon="PASTEDOWN")
        if context.mode == "EDIT_MESH":
            row = self.layout.row(align=True)
            row.operator(MarkBridges.bl_idname, text="Bridge")
            clear: Any = row.operator(MarkBridges.bl_idname, text="Clear Bridge")
            clear.clear = True


def _new_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(NewLevel.bl_idname, icon="FILE_NEW")


CLASSES = (NewLevel, MarkBridges, Copy, Paste, LEVELWRIGHT_PT_ns2_edit)


def register() -> None:
    """Register the operators and the panel, after the one that it is part of, and the entry of File > New."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_new.append(_new_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_new.remove(_new_menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
