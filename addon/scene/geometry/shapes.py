# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether meshes that only stand for something else (a model, a trigger's box) still are what the import made.

What an artist does to such a mesh is lost in an export, for the level has but its name or size: so it must be told.
"""

from __future__ import annotations

import zlib
from functools import cache

import bpy
import numpy as np
from bpy.types import Mesh

from ....formats.arrays import Ints
from .. import attributes
from ..kept import baselines, identity
from ..names import storable
from . import meshes, transforms

_SHAPE, _MATERIALS = "shape", "levelwright_materials"


def remember(mesh: bpy.types.Mesh) -> None:
    """Keep what shape a mesh has."""
    baselines.store(mesh, _SHAPE, _checksum(mesh))
    mesh[_MATERIALS] = storable(_materials(mesh))


def is_known(mesh: bpy.types.Mesh) -> bool:
    """Whether it is remembered what shape a mesh has."""
    return baselines.load(mesh, _SHAPE) is not None


def is_edited(mesh: bpy.types.Mesh) -> bool:
    """Whether a mesh has another shape than the one that is remembered. It isn't in edit mode."""
    was = baselines.load(mesh, _SHAPE)
    if was is None:
        return False
    shape, materials = _checksum(mesh)[: len(was)], _materials(mesh)  # 0.3.0 kept the points only
    return not np.array_equal(shape, was) or mesh.get(_MATERIALS, materials) != materials


class Watch:
    """What one export finds was done to such meshes. edited: the names of objects for which it is ignored."""

    def __init__(self, root: bpy.types.Object | None) -> None:
        self.root, self.edited = root, list[str]()
        self._is_edited = cache(is_edited)

    def look_at(self, obj: bpy.types.Object) -> None:
        """Note an object whose mesh has another shape now, or has modifiers. Raises ValueError where its place was
        applied to its mesh: what it was moved, turned or scaled by since the import, its channels don't say any more.
        """
        mesh = obj.data
        if not isinstance(mesh, Mesh):
            return
        if mesh.is_editmode:
            obj.update_from_editmode()
        if self._is_edited(mesh):
            if mesh.users == 1 and obj.get(transforms.BASELINE) is not None and self._is_at_rest(obj):
                raise ValueError("its place was applied to its mesh (Ctrl+A), and a level has but its place: undo that")
        elif not meshes.needs_evaluation(obj):
            return
        self.edited.append(obj.name)

    def _is_at_rest(self, obj: bpy.types.Object) -> bool:
        """Whether a channel that was changed has become one that does nothing."""
        changed = transforms.changed_channels(obj, self.root)
        scale = np.array(obj.scale, np.float64)
        turn = transforms.local(obj)[:3, :3] / np.where(scale != 0, scale, 1.0)
        return (
            (transforms.LOCATION in changed and not any(obj.location[:]))
            or (transforms.ROTATION in changed and np.array_equal(turn, np.eye(3)))
            or (transforms.SCALE in changed and bool((scale == 1).all()))
        )


def _checksum(mesh: bpy.types.Mesh) -> Ints:
    """int64[3]: how many points there are, a checksum of where, and one of what its faces are."""
    points = attributes.read(mesh, "position", "POINT")
    faces = zlib.crc32(str((len(mesh.polygons), len(mesh.uv_layers), mesh.has_custom_normals)).encode())
    for name in (".corner_vert", "material_index", "sharp_face", *mesh.uv_layers.keys()) if len(mesh.polygons) else ():
        values = attributes.read(mesh, name)
        faces = zlib.crc32(b"" if values is None or not values.any() else values.tobytes(), faces)
    return np.array([len(mesh.vertices), zlib.crc32(b"" if points is None else points.tobytes()), faces], np.int64)


def _materials(mesh: bpy.types.Mesh) -> str:
    """The materials of a mesh, by their stamps or names."""
    return "\n".join("" if each is None else identity.told_by(each) for each in mesh.materials)
