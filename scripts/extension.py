# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension in a Python that has bpy: `load` imports it, and as a program this is its command line."""

import importlib.util
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
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

        return commands.program(sys.argv[1:])
    finally:
        extension.unregister()  # bpy 4.5 hangs at exit while a class is registered


def leave(status: int) -> NoReturn:
    """End the process without Blender's own clean-up: bpy 4.2 crashes in it now and then, 4.5 hangs after renders."""
    if "bpy" in sys.modules:
        shutil.rmtree(sys.modules["bpy"].app.tempdir, ignore_errors=True)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # nobody reads it any more, or the disk is full
            stream.flush()
    os._exit(status)


def run(program: Callable[[], int | None] = main) -> NoReturn:
    """Run a program and end the process, whatever happens: an error that goes all the way up hangs bpy 4.5.

    program: returns the exit code, None for 0, or ends as `argparse` does.
    """
    status: int | str | None = 1
    try:
        status = program()
    except SystemExit as ended:
        status = ended.code
    except KeyboardInterrupt:
        status = 130  # as shells have it
    except BaseException:  # noqa: BLE001 - it is told, and the process ends
        traceback.print_exc()
    if isinstance(status, str):
        print(status, file=sys.stderr)
        status = 1
    leave(status or 0)


if __name__ == "__main__":
    run()
