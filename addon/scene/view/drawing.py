# SPDX-License-Identifier: GPL-3.0-or-later
"""What draws Blender's windows: a graphics processor or, tens of times as slowly, the computer's own."""

from __future__ import annotations

from typing import Literal

import bpy
import gpu

Shading = Literal["SOLID", "MATERIAL"]
_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "swiftshader", "basic render", "gdi generic", "software")
"""Parts of the names that such drivers give themselves: Mesa's, Google's, Microsoft's, Apple's."""


def is_by_software() -> bool:
    """Say whether windows are drawn without a graphics processor; False where there are no windows."""
    if bpy.app.background:
        return False
    platform = gpu.platform
    names = f"{platform.device_type_get()} {platform.renderer_get()}".lower()
    return any(name in names for name in _SOFTWARE)


def view_shading() -> Shading:
    """Return how 3D views show a level that was just imported: with its materials, but by software solid.

    Before the first picture with materials Blender compiles shaders, which takes most of a minute without a graphics
    processor, and each later one takes seconds (speed.md).
    """
    return "SOLID" if is_by_software() else "MATERIAL"
