# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds of bytes: Blender loads them from files alone."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

import bpy

from ....formats.reach import AllowedFolders
from ..names import showable


def pack(name: str, data: bytes, ending: str) -> bpy.types.Sound:
    """Return a new sound with these bytes packed: there is a file for a moment. ending: of what kind it is (".wav")."""
    with tempfile.TemporaryDirectory(prefix="levelwright-") as folder:
        path = Path(folder) / f"sound{ending}"
        path.write_bytes(data)
        block = bpy.data.sounds.load(str(path))
        block.pack()
    block.name = showable(name)
    block.filepath = showable(f"//{_file_name(name)}{ending}")
    return block


def load(path: Path, reach: AllowedFolders) -> bpy.types.Sound:
    """Load a sound from a file that was found in a reach. Raises OSError, and FormatError for one that is too large."""
    reach.size(path)
    return bpy.data.sounds.load(str(path))


def absent(name: str, folder: str, ending: str) -> bpy.types.Sound:
    """Return a sound whose file isn't there: it would be played from this folder beside the .blend."""
    return bpy.data.sounds.load(f"//{folder}/{_file_name(name)}{ending}")


def _file_name(name: str) -> PurePosixPath:
    """A name that is one of a file, wherever it comes from."""
    return PurePosixPath("".join(sign if sign.isalnum() or sign in " ._-" else "_" for sign in name))
