# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that makes a library of assets: in a Blender of its own, so that the open file stays as it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import bpy

from ..formats.counting import number_of
from . import batch
from .asset_library import levels_in
from .scene.blender_types import always
from .scene.disk.programs import Programs
from .scene.fields import declared
from .scene.fields.declared import Declared
from .scene.fields.options import UsageError
from .scene.interface.sidebar import Result
from .scene.interface.stoppable import Stoppable
from .scene.names import showable
from .scene.registering import in_turn
from .scene.reports import SceneError, in_words
from .scene.view import stage
from .scene.work.progress import Steps, progress

NAME = "Levelwright"
"""What the library's folder, and the library, are called where nobody says otherwise."""
_LOOK = 0.1
"""Seconds between two looks at what the other Blender says."""


class LEVELWRIGHT_OT_make_asset_library(Stoppable, Declared, bpy.types.Operator):
    """Make assets of levels, or of all in a folder: props, entities, materials, to be dragged into other levels"""

    bl_idname = "levelwright.make_asset_library"
    bl_label = "Make Asset Library"
    reads_scene = False

    directory: str = declared.string(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: declared.Groups[bpy.types.OperatorFileListElement] = declared.collection(
        bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"}
    )
    filter_folder: bool = declared.boolean(default=True, options={"HIDDEN", "SKIP_SAVE"})
    library: str = declared.string(
        name="Library",
        description="Folder that the assets are written into; it becomes one of Blender's asset libraries",
        subtype="DIR_PATH",
    )

    def ask(self, context: bpy.types.Context) -> Result:
        """Ask which levels."""
        if not self.library:
            self.library = str(default_folder(context))
        stage.window_manager_of(context).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask which levels, or begin with those that were chosen."""
        return super().invoke(context, event) if self.directory else self.ask(context)

    def work(self, context: bpy.types.Context) -> Steps[Result]:
        """Have the other Blender make the library, and tell Blender of its folder."""
        chosen = [Path(self.directory, file.name) for file in self.files if file.name]
        inputs = chosen or ([Path(self.directory)] if self.directory else [])
        if not inputs:
            self.report({"ERROR"}, "Choose levels, or a folder with some")
            return {"CANCELLED"}
        folder = Path(bpy.path.abspath(self.library)) if self.library else default_folder(context)
        try:
            if next(levels_in(inputs), None) is None:
                raise UsageError("Nothing to do: there is no level")
            said = yield from _make(inputs, folder)
        except (SceneError, UsageError, OSError) as error:
            self.report({"ERROR"}, showable(in_words(error)))
            return {"CANCELLED"}
        add_to_preferences(context, folder)
        self.report({"INFO"}, showable(f"{folder}: {said}"))
        return {"FINISHED"}


def _make(inputs: Sequence[Path], folder: Path) -> Steps[str]:
    """Start the other Blender, wait for it, and return what it said last. Raises SceneError where it made nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = Programs()
    try:
        programs.start(NAME, [*batch.command("assets"), *inputs, "--out", folder], folder)
        with progress(0, "Make Asset Library") as step:
            while programs.ended(NAME) is None:
                time.sleep(_LOOK)
                yield step(0)
        said = [line for line in programs.said(NAME, 1000).splitlines() if line.startswith("levelwright: ")]
        failed = [line.partition(" failed ")[2] for line in said if " failed " in line]
        if programs.ended(NAME) and not (len(said) > len(failed) > 0):
            raise SceneError(said[-1].removeprefix("levelwright: ") if said else programs.said(NAME))
    finally:
        programs.stop()
    done = f"assets of {number_of(len(said) - len(failed), 'levels')}"
    return f"{done}; {len(failed)} failed, first {failed[0]}" if failed else done


def default_folder(context: bpy.types.Context) -> Path:
    """A folder in the first of the user's asset libraries, else beside the user's files."""
    preferences = always(context.preferences)
    libraries = [one.path for one in preferences.filepaths.asset_libraries if one.path]
    return Path(libraries[0] if libraries else Path.home() / "Documents" / "Blender" / "Assets", NAME)


def add_to_preferences(context: bpy.types.Context, folder: Path) -> bool:
    """Make a folder one of Blender's asset libraries; False where it is, or lies in one.

    What is dragged from it can be edited: 5.2 would pack it, which leaves meshes and materials linked.
    """
    preferences = always(context.preferences)
    known = [Path(one.path).resolve() for one in preferences.filepaths.asset_libraries if one.path]
    place = folder.resolve()
    if any(one == place or one in place.parents for one in known):
        return False
    made = preferences.filepaths.asset_libraries.new(name=NAME, directory=showable(str(folder)))
    if made.import_method not in ("APPEND", "APPEND_REUSE"):
        made.import_method = "APPEND"
    preferences.is_dirty = True
    return True


CLASSES = (LEVELWRIGHT_OT_make_asset_library,)
register, unregister = in_turn(*CLASSES)
