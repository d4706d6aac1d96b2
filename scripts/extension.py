# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension in a Python that has bpy: `load` imports it, and as a program this is its command line."""

import importlib.util
import os
import shutil
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import NoReturn

NAME = "levelwright"
ROOT = Path(__file__).resolve().parent.parent


def load() -> ModuleType:
    """Import the repository's root folder as the package `levelwright`, whatever the clone is called."""
    if NAME not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            NAME, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
        )
        if spec is None or spec.loader is None:
            raise ImportError(f"{ROOT} holds no extension")
        module = sys.modules[NAME] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[NAME]


def main() -> int:
    """Run the command line that the extension also registers in Blender."""
    extension = load()
    extension.register()
    try:
        from levelwright.addon import commands

        return commands.main(sys.argv[1:])
    finally:
        extension.unregister()  # bpy 4.5 hangs at exit while a class is registered


def leave(status: int) -> NoReturn:
    """End the process without Blender's own clean-up: bpy 4.2 crashes in it now and then, 4.5 hangs after renders."""
    import bpy

    shutil.rmtree(bpy.app.tempdir, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run() -> NoReturn:
    """Run the command line and end the process, whatever happens: an error that goes all the way up hangs bpy 4.5."""
    status = 1
    try:
        status = main()
    except Exception:
        traceback.print_exc()
        raise
    finally:
        leave(status)


if __name__ == "__main__":
    run()
