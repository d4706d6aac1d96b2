# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks over what Levelwright needs of this machine: a line says what is there, and what to do where it isn't."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import bpy

from .game import Game
from .scene.disk.content_folders import ContentFolder

TESTED = ((4, 2), (4, 5), (5, 0), (5, 2))
"""Versions of Blender that the tests run in."""
LITTLE_SPACE = 1 << 30
"""Bytes that ought to be free where files are written."""


class SetupLine(NamedTuple):
    """A line of the check."""

    is_right: bool
    title: str
    text: str
    """What is there."""
    advice: str = ""
    """What to do; "" where nothing has to be done."""
    is_optional: bool = False
    """Whether one may do without: it is only for one game's levels, or for one button."""


def check(context: bpy.types.Context, games: tuple[Game, ...]) -> list[SetupLine]:
    """Look over all of it: the folders that the user named are listed, and an empty file is made where files have to be
    written, and removed.
    """
    lines = [_version(), _drawing(), _cycles(), *_writing()]
    for game in games:
        for folder in game.folders:
            lines += _program(folder, context) if folder.programs else _folders(folder, context)
    return lines


def _version() -> SetupLine:
    version = bpy.app.version
    known = ", ".join(f"{major}.{minor}" for major, minor in TESTED)
    if version[:2] in TESTED:
        return SetupLine(True, "Blender", bpy.app.version_string)
    advice = f"Tested are {known}: another one may differ in what levels look like"
    return SetupLine(False, "Blender", bpy.app.version_string, advice)


def _drawing() -> SetupLine:
    """What draws the views."""
    if bpy.app.background:
        return SetupLine(True, "Graphics", "no window, so nothing is drawn")
    import gpu  # it can be asked only where there is a window

    name = f"{gpu.platform.renderer_get()} ({gpu.platform.backend_type_get()})"
    if gpu.platform.device_type_get() != "SOFTWARE" and "llvmpipe" not in name.lower():
        return SetupLine(True, "Graphics", name)
    advice = "The processor draws: install a driver for the graphics card; until then use Solid view"
    return SetupLine(False, "Graphics", name, advice)


def _cycles() -> SetupLine:
    """Whether light can be baked."""
    engines = bpy.types.RenderEngine.__subclasses__()  # the scene's own list of engines has but those without an add-on
    if any(getattr(engine, "bl_idname", "") == "CYCLES" for engine in engines):
        return SetupLine(True, "Cycles", "there, for pictures and for Bake Lightmaps")
    return SetupLine(False, "Cycles", "not there", "Bake Lightmaps needs it: switch on the add-on Cycles Render Engine")


def _writing() -> Iterator[SetupLine]:
    """Whether files can be written: where Blender keeps temporary ones, and beside the .blend."""
    yield _writable("Temporary folder", Path(bpy.app.tempdir), "Preferences > File Paths > Temporary Files says where")
    if bpy.data.filepath:
        yield _writable("Folder of the .blend", Path(bpy.data.filepath).parent, "Save it where you may write")


def _writable(title: str, folder: Path, advice: str) -> SetupLine:
    try:
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        return SetupLine(False, title, f"{folder}: {error.strerror}", f"Files can't be written there. {advice}")
    if free < LITTLE_SPACE:
        return SetupLine(False, title, f"{folder}: {free >> 20} MiB are free", "Make room on that disk")
    return SetupLine(True, title, f"{folder}: can be written to, {free >> 30} GiB are free")


def _folders(folder: ContentFolder, context: bpy.types.Context) -> Iterator[SetupLine]:
    """Each folder that the user named, or that none is there."""
    for path in folder.listed(context):
        seen = folder.look(path)
        yield SetupLine(seen.is_right, folder.title, f"{seen.text}: {path}", "" if seen.is_right else _ADVICE)
    for path in folder.from_variable():
        seen = folder.look(path)
        advice = "" if seen.is_right else f"Change the variable {folder.variable} that Blender is started with"
        yield SetupLine(seen.is_right, folder.title, f"{seen.text}: {path} ({folder.variable})", advice)
    if folder.listed(context) or folder.from_variable() or folder.is_file:
        return
    usual = folder.folders(context)
    if usual:
        yield SetupLine(True, folder.title, f"where the game is usually installed: {usual[0]}")
    else:
        yield SetupLine(False, folder.title, "no folder: its levels show placeholders", _ADD, is_optional=True)


_ADD = "Find Installed Games, or add it under Game Folders"
_ADVICE = "Correct or remove it under Game Folders"


def _program(folder: ContentFolder, context: bpy.types.Context) -> Iterator[SetupLine]:
    """A program that Play starts."""
    program = folder.program(context)
    if program is not None:
        yield SetupLine(True, folder.title, str(program))
    elif chosen := folder.chosen(context):
        yield SetupLine(False, folder.title, f"{chosen}: no such file", "Correct or clear it under Game Folders")
    else:
        yield SetupLine(
            False, folder.title, "not found", "Only for Play: install it, or name its file under Game Folders", True
        )
