# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds of bytes: Blender loads them from files alone."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

import bpy

from .names import showable


def pack(name: str, data: bytes, ending: str) -> bpy.types.Sound:
    """Return a new sound with these bytes packed: there is a file for a moment. ending: of what kind it is (".wav")."""
    with tempfile.TemporaryDirectory(prefix="levelwright-") as folder:
        path = Path(folder) / f"sound{ending}"
        path.write_bytes(data)
        block = bpy.data.sounds.load(str(path))
        block.pack()
    block.name = showable(name)
    file_name = "".join(sign if sign.isalnum() or sign in " ._-" else "_" for sign in name)
    block.filepath = showable(f"//{PurePosixPath(file_name)}{ending}")
    return block
