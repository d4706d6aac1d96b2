# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the Spark editor's clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import bpy

from ....formats import ns2
from ....formats.binary import FormatError
from ...scene import files
from ...scene.reports import Report, SceneError
from .. import layout
from ..entities.editing import select_only
from ..settings import ExportSettings
from . import transfer
from .windows import WindowsClipboard, available

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
ENDING = ".spark"
"""Of files with what the Spark editor has on the clipboard."""
FAILURES = (FormatError, SceneError, OSError)


class _Clipboard(bpy.types.Operator):
    """What copying and pasting share: a file, or the clipboard where there is one."""

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return layout.active_level(context) is not None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Use the clipboard of Windows; elsewhere ask for a file."""
        if self.filepath or available():
            return self.execute(context)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it."""
        level = layout.active_level(context)
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
        data = transfer.copy(context, level, ExportSettings(), report)
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
        made = transfer.paste(context, level, data, report)
        if context.view_layer is not None:
            context.view_layer.update()  # it doesn't know them yet
        select_only(context, made)


CLASSES = (Copy, Paste)
