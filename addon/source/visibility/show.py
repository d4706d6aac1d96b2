# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen from a place: all else of a map is hidden, as the game leaves it out, and shown again.

Faces of the world are seen by their leafs, all else by the leafs that its box touches. Objects that are seen in part
are hidden and give way to a copy of what is seen. Nothing is deleted, and exports take no notice.
"""

from __future__ import annotations

from collections.abc import Callable

import bmesh
import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Bools, Floats, Integers
from ....formats.source.geometry import drawn_faces
from ....formats.source.tree import sight
from ....formats.source.tree.sight import Sight
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.geometry import transforms
from ...scene.kept import identity, originals
from ...scene.level import needed_root
from ...scene.reports import SceneError
from .. import layout

_VIEWPORT, _RENDER = 1, 2
_POINT = 4.0
"""Units around things without a size: what stands on a floor or hangs on a wall touches what it is seen from."""
_IN_PARTS = frozenset(
    (layout.MODEL, layout.DISPLACEMENTS, layout.BRUSHES, layout.CLUSTERS, layout.AREAPORTALS, layout.OCCLUDERS,
     layout.DETAIL_SPRITES)
)  # fmt: skip
"""Objects that are many things."""
_ALWAYS = frozenset((layout.ROOT, layout.PREVIEW))
_IDS = (identity.ID, identity.CHECK, layout.VERTEX_ID, layout.VERTEX_CHECK)


def show_seen(context: bpy.types.Context, collection: bpy.types.Collection, place: Floats) -> int:
    """Hide what isn't seen from a place in the world (metres, float64[3]); returns the cluster that it is in.

    What an earlier call hid is shown first. Raises SceneError where nothing is known of the place, FormatError.
    """
    original = originals.require(collection)
    if original is None:
        raise SceneError(f"{collection.name} was made in Blender: what is seen is for the compiler to find out")
    level, token = source.read(original.data), original.token
    root = needed_root(collection)
    if context.view_layer is not None:
        context.view_layer.update()
    cluster = sight.cluster_at(level, _below(root, place))
    if cluster < 0:
        raise SceneError("that place is inside a wall or outside the map: nothing is seen from there")
    try:
        seen = Sight(level, cluster)
    except ValueError as error:
        raise SceneError(str(error)) from None
    show_all(collection)
    faces = seen.faces(len(level.table(drawn_faces(level))))
    for obj in list(collection.all_objects):
        mark = identity.stamped(obj)
        if mark is None or mark.kind in _ALWAYS:
            continue
        parts = _parts(obj, mark, seen, faces, token, root)
        if not parts.all():
            if parts.any():
                _copy(obj, parts, token)
            _hide(obj)
    collection[layout.UNSEEN] = int(cluster)
    return cluster


def show_all(collection: bpy.types.Collection) -> None:
    """Show again what `show_seen` hid, and remove its copies."""
    for obj in list(collection.all_objects):
        hidden: object = obj.get(layout.UNSEEN)
        if not isinstance(hidden, int):
            continue
        if identity.kind_of(obj) == layout.PREVIEW:
            mesh = mesh_of(obj)
            bpy.data.objects.remove(obj)
            if mesh.users == 0:
                bpy.data.meshes.remove(mesh)
            continue
        if hidden & _VIEWPORT:
            obj.hide_viewport = False
        if hidden & _RENDER:
            obj.hide_render = False
        del obj[layout.UNSEEN]
    if is_limited(collection):
        del collection[layout.UNSEEN]


def is_limited(collection: bpy.types.Collection) -> bool:
    """Whether something of a level is hidden by `show_seen`."""
    return collection.get(layout.UNSEEN) is not None


def _below(root: bpy.types.Object, place: Floats) -> Floats:
    """A place in the world in the map's units."""
    matrix = np.array(root.matrix_world, np.float64)
    if abs(np.linalg.det(matrix)) == 0:
        raise SceneError("the level's root has no size: so that no place in the map can be found", [root])
    made: Floats = np.linalg.solve(matrix, np.append(place, 1.0))[:3]
    return made


def _hide(obj: bpy.types.Object) -> None:
    obj[layout.UNSEEN] = _VIEWPORT * (not obj.hide_viewport) + _RENDER * (not obj.hide_render)
    obj.hide_viewport = obj.hide_render = True


def _copy(obj: bpy.types.Object, shown: Bools, token: int) -> None:
    """Put a copy of those faces of an object that are seen in its place."""
    original = mesh_of(obj)
    mesh = original.copy()
    made = bmesh.new()
    made.from_mesh(mesh)
    bmesh.ops.delete(made, geom=[face for face, kept in zip(made.faces, shown.tolist(), strict=True) if not kept],
                     context="FACES")  # fmt: skip
    made.to_mesh(mesh)
    made.free()
    for name in _IDS:
        layer: bpy.types.Attribute | None = mesh.attributes.get(name)
        if layer is not None:
            mesh.attributes.remove(layer)
    copy = obj.copy()
    copy.data = mesh
    for key in list(dict(copy.items())):
        if key.startswith(identity.STAMP):
            del copy[key]
    copy.name = mesh.name = f"{obj.name} seen"
    identity.stamp(copy, token, layout.PREVIEW, -1)
    copy[layout.UNSEEN] = 0
    copy.hide_select = True
    for home in obj.users_collection:
        home.objects.link(copy)


def _parts(
    obj: bpy.types.Object, mark: identity.Stamp, seen: Sight, faces: Bools, token: int, root: bpy.types.Object
) -> Bools:
    """What of an object is seen: bool[faces of its mesh] of one that is many things, bool[1] of others."""
    matrix = transforms.compose(obj, root)
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh):
        return seen.boxes(*_around(_corners(obj) @ matrix[:3, :3].T + matrix[:3, 3]))
    positions = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", positions)
    points = positions.astype(np.float64).reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    if mark.kind not in _IN_PARTS or (mark.kind == layout.MODEL and mark.record > 0) or not len(mesh.polygons):
        return seen.boxes(*_around(points if len(points) else matrix[None, :3, 3]))
    if mark.kind == layout.CLUSTERS:
        own = attributes.read(mesh, layout.CLUSTER, "FACE")
        if own is not None:
            return _looked_up(seen.clusters, own - 1)
    low, high = _of_faces(mesh, points)
    if mark.kind != layout.MODEL:
        return seen.boxes(low, high)
    ids = identity.read_ids(mesh, "FACE", token)
    shown, new = _looked_up(faces, ids - 1), ids == 0
    shown[new] = seen.boxes(low[new], high[new])
    return shown


def _looked_up(seen: Bools, numbers: Integers) -> Bools:
    there = (numbers >= 0) & (numbers < len(seen))
    return np.asarray(there & seen[np.where(there, numbers, 0)])


def _corners(obj: bpy.types.Object) -> Floats:
    """float64[n, 3]: what an object without a mesh fills, in its own axes."""
    if isinstance(obj.data, bpy.types.Curve):
        return np.array([point.co[:3] for spline in obj.data.splines for point in spline.points] or [(0.0, 0.0, 0.0)])
    return np.zeros((1, 3))


def _around(points: Floats) -> tuple[Floats, Floats]:
    """The box around points, float64[1, 3] each."""
    return points.min(axis=0)[None] - _POINT, points.max(axis=0)[None] + _POINT


def _of_faces(mesh: bpy.types.Mesh, points: Floats) -> tuple[Floats, Floats]:
    """The boxes around a mesh's faces, float64[faces, 3] each."""
    corners, starts = np.empty(len(mesh.loops), np.int32), attributes.face_starts(mesh)
    mesh.loops.foreach_get("vertex_index", corners)
    fold: tuple[Callable[..., Floats], ...] = (np.minimum.reduceat, np.maximum.reduceat)
    low, high = (one(points[corners], starts) for one in fold)
    return low, high
