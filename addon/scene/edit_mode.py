# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes in edit mode."""

from __future__ import annotations

from collections.abc import Iterator

import bpy


def edited_meshes(context: bpy.types.Context) -> Iterator[bpy.types.Object]:
    """The mesh objects in edit mode, one for each mesh."""
    for obj in context.objects_in_mode_unique_data if context.mode == "EDIT_MESH" else ():
        if obj.type == "MESH":
            yield obj
