# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that something is about are looked at from where they can be seen."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.issues import showing
from mathutils import Quaternion, Vector

DOWN = Quaternion()


def seen(front: tuple[float, float, float], **others: object) -> Vector:
    """Where a view that looked down looks after it was turned to faces."""
    view = SimpleNamespace(**{"view_perspective": "PERSP", "lock_rotation": False, "view_rotation": DOWN} | others)
    showing.face(view, Vector(front))  # type: ignore[arg-type]
    return view.view_rotation @ Vector((0.0, 0.0, -1.0))


def test_views_are_turned_to_faces_that_look_away() -> None:
    assert (seen((1.0, 0.0, 0.0)) - Vector((-1.0, 0.0, 0.0))).length < 1e-6, "seen from their edge"
    assert (seen((0.0, 0.0, -1.0)) - Vector((0.0, 0.0, 1.0))).length < 1e-6, "seen from behind"


def test_views_that_see_them_stay() -> None:
    down = Vector((0.0, 0.0, -1.0))
    assert seen((0.6, 0.0, 0.8)) == down
    assert seen((1.0, 0.0, 0.0), view_perspective="CAMERA") == down
    assert seen((1.0, 0.0, 0.0), lock_rotation=True) == down


def test_where_faces_look_to() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.mesh.primitive_cube_add(rotation=(0.0, 0.0, np.pi / 2), scale=(1.0, 2.0, 3.0))
    cube = bpy.context.object
    assert cube is not None and isinstance(cube.data, bpy.types.Mesh)
    right = next(face.index for face in cube.data.polygons if face.normal.x > 0.9)
    front = showing._front({cube: np.array([right])})
    assert front is not None and front.y == pytest.approx(1.0)
    assert showing._front({cube: np.arange(6)}) is None, "to all sides"
    assert showing._front({}) is None
