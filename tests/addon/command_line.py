# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls the command line as the scripts do."""

import subprocess
import sys

import bpy
from levelwright.addon import commands

from scripts.extension import ROOT


def convert(*words: object) -> int:
    """Run `levelwright convert` and return its exit code: in this process, but for .glb in Blender 4.2.

    That one's glTF exporter crashes now and then, or soon after, in a process in which many scenes were open before.
    """
    arguments = ["convert", *map(str, words)]
    if bpy.app.version >= (4, 5, 0) or not any(word.endswith(".glb") for word in arguments):
        return commands.main(arguments)
    done = subprocess.run(
        [sys.executable, "-m", "scripts.extension", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    sys.stderr.write(done.stderr)
    return done.returncode
