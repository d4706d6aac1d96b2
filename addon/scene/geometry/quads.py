# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a mesh has quads alone."""

from __future__ import annotations

import bpy
import numpy as np

from .. import attributes


def are_quads(mesh: bpy.types.Mesh) -> bool:
    """Say whether all faces of a mesh have four corners."""
    corners = len(mesh.loops)
    if corners != 4 * len(mesh.polygons):
        return False
    return bool((attributes.face_starts(mesh) == np.arange(0, corners, 4, dtype=np.int32)).all())
