"""Whether meshes that only stand for something else (a model, a trigger's box) still are what the import made.

What an artist does to such a mesh is lost in an export, for the level has but its name or size: so it must be told.
"""

from __future__ import annotations

import zlib

import bpy
import numpy as np
from numpy.typing import NDArray

from . import baselines

_SHAPE = "shape"


def remember(mesh: bpy.types.Mesh) -> None:
    """Keep what shape a mesh has."""
    baselines.store(mesh, _SHAPE, _checksum(mesh))


def is_edited(mesh: bpy.types.Mesh) -> bool:
    """Whether a mesh has another shape than the one that is remembered. It isn't in edit mode."""
    return baselines.load(mesh, _SHAPE) is not None and not baselines.same(mesh, _SHAPE, _checksum(mesh))


def _checksum(mesh: bpy.types.Mesh) -> NDArray[np.int64]:
    """int64[2]: how many points there are, and a checksum of where."""
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", points)
    return np.array([len(mesh.vertices), zlib.crc32(points.tobytes())], np.int64)
