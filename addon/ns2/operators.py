# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of whole levels: the Spark editor's clipboard."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...formats import ns2
from ..scene.disk import chosen_files, files
from ..scene.fields import declared
from ..scene.interface.sidebar import LevelOperator, Result, tell
from ..scene.reports import Report, SceneError
from ..scene.view import stage
from . import clipboard
from .settings import ExportSettings
from .windows_clipboard import WindowsClipboard, available

ENDING = ".spark"
"""Of files with what the Spark editor has on the clipboard."""


class _Clipboard(LevelOperator):
    """What copying and pasting share: a file, or the clipboard where there is one."""

    filepath: str = declared.string(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: str = declared.string(default=f"*{ENDING}", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Use the clipboard of Windows; elsewhere ask for a file."""
        if self.filepath or available():
            return self.execute(context)
        stage.window_manager_of(context).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Do it, and show what there is to tell."""
        report = Report()
        if not self.filepath and not available():
            raise SceneError("only Windows has the Spark editor's clipboard: name a file")
        self.run(context, level, report)
        tell(self, level, report)

    def run(self, context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> None:
        """Copy or paste. Raises what `failures` has."""
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """The file that was chosen."""
        return Path(bpy.path.abspath(self.filepath))


class LEVELWRIGHT_OT_ns2_copy(_Clipboard):
    """Copy what is selected, as the Spark editor does: in edit mode faces, else geometry and entities"""

    bl_idname = "levelwright.ns2_copy"
    bl_label = "Copy to Spark Editor"
    bl_options = set()  # the level stays as it is

    def run(self, context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> None:
        """Write the clipboard, or the file."""
        data = clipboard.copy(context, level, ExportSettings(), report)
        if self.filepath:
            target = chosen_files.to_write(self.path)
            for line in files.write_atomically(target, data, verify=ns2.clipboard.parse):
                report.warn(line)
        else:
            WindowsClipboard(ns2.clipboard.FORMAT).put(data)


class LEVELWRIGHT_OT_ns2_paste(_Clipboard):
    """Paste what was copied in the Spark editor, as new faces and entities"""

    bl_idname = "levelwright.ns2_paste"
    bl_label = "Paste from Spark Editor"

    def run(self, context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> None:
        """Read the clipboard, or the file."""
        data = chosen_files.read(self.path) if self.filepath else WindowsClipboard(ns2.clipboard.FORMAT).get()
        if data is None:
            raise SceneError("nothing of the Spark editor is on the clipboard")
        made = clipboard.paste(context, level, data, report)
        stage.select_only(context, made)


CLASSES = (LEVELWRIGHT_OT_ns2_copy, LEVELWRIGHT_OT_ns2_paste)
