# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension in this Python's Blender, with an empty profile instead of the user's preferences."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator

from scripts import extension


@contextlib.contextmanager
def registered() -> Iterator[None]:
    """Start Blender and enable the extension; it is disabled at the end (bpy 4.5 hangs else)."""
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as profile:
        os.environ["BLENDER_USER_RESOURCES"] = profile
        import bpy

        module = extension.load()
        addons = bpy.context.preferences.addons
        entry = addons.new()
        entry.module = extension.NAME
        module.register()
        try:
            yield
        finally:
            module.unregister()
            addons.remove(entry)
