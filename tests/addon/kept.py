# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels that many tests edit: imported once, then opened from a .blend, which takes a tenth of the time.

It is the same level: that one which was saved is exported as one which was just imported is a promise with tests of
its own. Tests of imports, and of what is left of them in a session, import.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import bpy
from levelwright.addon.scene.kept import originals

_asked: set[str] = set()


def opened(key: bytes, make: Callable[[], bpy.types.Collection]) -> bpy.types.Collection:
    """The level that `make` imports. key: all that says which one; who asks again gets it from a .blend."""
    name = hashlib.sha256(key).hexdigest()
    path = Path(bpy.app.tempdir, f"{name}.blend")
    is_first = name not in _asked
    _asked.add(name)
    if is_first or bpy.data.objects or bpy.data.collections:
        return make()
    if not path.exists():
        level = make()
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=False)
        return level
    bpy.ops.wm.read_homefile(filepath=str(path))
    (level,) = originals.levels()
    return level
