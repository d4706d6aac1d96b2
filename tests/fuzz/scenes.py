# SPDX-License-Identifier: GPL-3.0-or-later
"""Fuzzers of the extension: they run in the Blender of this process, and each input in an empty file."""

from pathlib import Path

import bpy


def empty_file() -> None:
    """Open an empty file; no reference into Blender's data outlives this.

    The startup file is read, which a test's or a benchmark's empty profile has none of, and not the built-in one
    (use_factory_startup=True). Without windows, Blender keeps notices of what changed for ever once a file was opened
    with load_ui=False, as our command line does, and goes through all of them for each data block that it removes:
    later tests took a second each. Reading a startup file drops the notices, reading the built-in one does not.
    What is read is the startup file as this Blender saves it, which takes two thirds of the time.
    """
    startup = Path(bpy.app.tempdir, "startup.blend")
    if not startup.exists():
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.ops.wm.save_as_mainfile(filepath=str(startup), copy=True, compress=False)
    bpy.ops.wm.read_homefile(filepath=str(startup), use_empty=True)
