# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of a level stand in a scene."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Floats
from ...scene.geometry import transforms
from ...scene.kept.identity import ancestor
from ...scene.reports import SceneError
from .. import layout

Matrix = Floats

MOVED = 1e-3
"""Units by which a place may be off its record and leave it: Blender keeps single precision."""


def order_of(obj: bpy.types.Object) -> tuple[float, str]:
    """What orders the brushes of a level or of a parent: new ones, without the property, come last."""
    order = obj.get(layout.ORDER, float("inf"))
    if not isinstance(order, int | float):
        raise SceneError(f"{obj.name}: its property {layout.ORDER} must be a number", [obj])
    return float(order), obj.name


def matrix_of(
    obj: bpy.types.Object,
    root: bpy.types.Object | None,
    depsgraph: bpy.types.Depsgraph | None,
    pose: Matrix | None = None,
) -> Matrix:
    """Where an object is relative to the level's root, float64 [4, 4], in Blender's axes and the level's units.

    pose: where its model's motion is when the brushes stand as the file has them; what it does at the current frame
    doesn't count.
    """
    motion = ancestor(obj, layout.MOTION)
    if motion is None:
        return transforms.seen(obj, root, depsgraph)
    rest = np.array(motion.matrix_parent_inverse, np.float64)
    if pose is not None:
        rest = rest @ pose
    rest = rest @ transforms.compose(obj, motion, depsgraph)
    return rest if motion.parent is None else transforms.seen(motion.parent, root, depsgraph) @ rest


def reach_of(obj: bpy.types.Object, pose: Matrix | None) -> float:
    """The largest number in the places that `matrix_of` puts together below a motion: ways there and back cancel out,
    and leave the rounding of single precision.
    """
    motion = ancestor(obj, layout.MOTION)
    if motion is None:
        return 0.0
    ways = [np.array(obj.matrix_parent_inverse, np.float64)[:3, 3]]
    if pose is not None:
        ways.append(pose[:3, 3])
    if motion.parent is not None:
        ways.append(np.array(motion.parent.location, np.float64))
    return float(np.abs(np.array(ways)).max())
