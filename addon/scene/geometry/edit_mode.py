# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes in edit mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ..blender_types import expect, mesh_of
from ..fates.aspects import readable_data


def edited_meshes(context: bpy.types.Context) -> Iterator[bpy.types.Object]:
    """The mesh objects in edit mode, one for each mesh."""
    for obj in context.objects_in_mode_unique_data if context.mode == "EDIT_MESH" else ():
        if obj.type == "MESH":
            yield obj


@contextmanager
def readable(obj: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """A mesh object's mesh as it is now: in edit mode, where attributes can't be read, a copy that isn't in it."""
    mesh_of(obj)  # raises for what has none
    with readable_data(obj) as data:
        yield expect(bpy.types.Mesh, data)
