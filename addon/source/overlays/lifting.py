# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays that were moved are lifted off the faces that they lie on now, as the import lifts those of the map.

Else Blender would draw both in one plane, and the overlay flickers: what is snapped to a face has its lifted place on
it, and what was turned is lifted along a normal of before. The lift is the delta location, which no export reads; it is
kept as what the import made of it, so that it counts as no edit.
"""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ....formats import matrices
from ....formats.arrays import Floats
from ...scene.blender_types import persistent
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.view import stage
from .. import layout
from . import build

SETTLED = 0.3
"""Seconds after which what isn't moved any more has settled."""
REACH = 16.0
"""Units before and behind an overlay in which faces are looked for."""
_PAST = 0.01
"""Units behind a hit from where on the next one is looked for."""
_HITS = 16
_SAME = 1e-3
_TRANSFORMS = "TRANSFORM_OT_"
_moved: set[str] = set()


@persistent
def _follow(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Remember which overlays were moved. A handler of `depsgraph_update_post`."""
    if depsgraph is None or not depsgraph.id_type_updated("OBJECT"):
        return
    changed = [update.id.original for update in depsgraph.updates if update.is_updated_transform and update.id]
    found = {one.name for one in changed if isinstance(one, bpy.types.Object) and _is_overlay(one)}
    if found:
        _moved.update(found)
        if not bpy.app.background and not bpy.app.timers.is_registered(_wait):
            bpy.app.timers.register(_wait, first_interval=SETTLED)


def _is_overlay(obj: bpy.types.Object) -> bool:
    return identity.kind_of(obj) == layout.OVERLAY and isinstance(obj.data, bpy.types.Mesh)


def _wait() -> float | None:
    """Lift what was moved once nobody moves anything. A timer."""
    if _is_moving():
        return SETTLED
    settle(bpy.context)
    return None


def _is_moving() -> bool:
    manager = bpy.context.window_manager
    running = [one for window in manager.windows for one in getattr(window, "modal_operators", ())] if manager else []
    return any(one.bl_idname.startswith(_TRANSFORMS) for one in running)


def settle(context: bpy.types.Context) -> None:
    """Lift the overlays that were moved since they were lifted last."""
    names = sorted(_moved)
    _moved.clear()
    there = stage.view_layer_of(context).objects
    for obj in [there[name] for name in names if name in there]:
        if obj.mode == "OBJECT" and _is_overlay(obj):
            lift(context, obj)


def lift(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Give an overlay that isn't where the import put it the lift that one there has: off the foremost face of the map
    that is seen through it and looks its way, if one is near.
    """
    changed = transforms.changed_channels(obj)
    root, mesh = obj.parent, obj.data
    if not changed & {transforms.LOCATION, transforms.ROTATION} or transforms.DELTA in changed:
        return
    if root is None or identity.kind_of(root) != layout.ROOT or not isinstance(mesh, bpy.types.Mesh):
        return
    if len(mesh.polygons) != 1 or obj.constraints:
        return
    matrix = transforms.local(obj, deltas=False)
    polygon = mesh.polygons[0]
    normal = matrices.inverse(matrix[:3, :3]).T @ np.array(polygon.normal)
    length = float(np.linalg.norm(normal))
    if not np.isfinite(matrix).all() or not length > 0:
        return
    normal /= length
    middle = matrix[:3, :3] @ np.array(polygon.center) + matrix[:3, 3]
    order = obj.get(build.ORDER)
    place = order if isinstance(order, int) and 0 <= order < 4 else 0
    found = normal * (build.LIFT * (1 + place) + _height(context, root, middle, normal))
    if np.abs(found - np.array(obj.delta_location)).max() > _SAME:
        obj.delta_location = found.tolist()
        transforms.remember_delta(obj)


def _height(context: bpy.types.Context, root: bpy.types.Object, middle: Floats, normal: Floats) -> float:
    """How far the map's face is before a place, along a normal, in units; 0 where none is near."""
    to_world = root.matrix_world
    way = (to_world.to_3x3() @ Vector((-normal).tolist())).normalized()
    scale = (to_world.to_3x3() @ Vector(normal.tolist())).length
    start = to_world @ Vector((middle + normal * REACH).tolist())
    scene, depsgraph = stage.scene_of(context), context.evaluated_depsgraph_get()
    gone = 0.0
    for _ in range(_HITS):
        hit, point, facing, _, obj, _ = scene.ray_cast(
            depsgraph, start + way * gone, way, distance=2 * REACH * scale - gone
        )
        if not hit:
            return 0.0
        gone = (point - start).length
        kind = identity.kind_of(obj.original) if isinstance(obj.original, bpy.types.Object) else ""
        if kind in (layout.MODEL, layout.DISPLACEMENT, layout.DISPLACEMENTS) and facing.dot(way) < 0:
            return REACH - gone / scale
        gone += _PAST * scale
    return 0.0


def register() -> None:
    """Do so from now on."""
    bpy.app.handlers.depsgraph_update_post.append(_follow)


def unregister() -> None:
    """Undo `register`."""
    bpy.app.handlers.depsgraph_update_post.remove(_follow)
    if bpy.app.timers.is_registered(_wait):
        bpy.app.timers.unregister(_wait)
    _moved.clear()
