# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked over when a level was made of its scene: lines of the list of findings, which select what is meant."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import bpy
import numpy as np

from ...formats import matrices, ns2
from ...formats.arrays import Bools, Floats, Indices
from ...formats.binary import FormatError
from ...formats.counting import number_of
from ..scene.geometry import transforms
from ..scene.issues import mends
from ..scene.level import root_of
from ..scene.reports import Report
from .entities.props import TRIGGER
from .faces.collect import CollectedMesh
from .layers import lists
from .layout import CLASS

LOCATION = "location"
PLACED = (
    "tech_point",
    "resource_point",
    "power_point",
    "spawn_location",
    "player_start",
    "ready_room_start",
)
"""Classes of which the game asks in which location they are: what is in none has no name, and no power."""
_NEAR = 0.01
"""Metres that something may stand outside of a location's box: on its floor is in it."""


def look_over(
    collection: bpy.types.Collection,
    level: ns2.Level,
    geometry: CollectedMesh,
    polygon_faces: Indices,
    report: Report,
) -> None:
    """Add to a report's findings what a level has that the game takes, but a mapper didn't mean.

    level: what was made of the scene. geometry, polygon_faces: its polygons, and the face of each.
    """
    with suppress(FormatError):  # a mesh that came damaged, and goes out as it came: `check` says what is wrong with it
        _faces(level, geometry, polygon_faces, report)
    _locations(collection, report)


def _faces(level: ns2.Level, geometry: CollectedMesh, polygon_faces: Indices, report: Report) -> None:
    mesh = level.mesh
    undrawn = [group.id for group in level.groups if group.name in lists.UNDRAWN]
    drawn = ~np.isin(mesh.geometry_groups.faces.assignment(len(mesh.faces)), undrawn)
    for wrong, message, mend in (
        (ns2.flaws.without_area(mesh), "faces have no area", mends.REMOVE_FLAT),
        (ns2.flaws.overlapping(mesh, drawn), "faces lie over others in the same plane: that will flicker", ""),
    ):
        polygons = np.flatnonzero(wrong[polygon_faces])
        shown = len(np.unique(polygon_faces[polygons]))
        count = int(wrong.sum())
        if count:
            unshown = f"; not shown in Blender: {count - shown}" if shown < count else ""
            report.find(f"{number_of(count, message)}{unshown}", mend=mend, faces=geometry.by_object(polygons))


def _locations(collection: bpy.types.Collection, report: Report) -> None:
    """Whether spawns and points are in a location."""
    root = root_of(collection)
    objects = [obj for obj in collection.all_objects if isinstance(obj.get(CLASS), str)]
    placed = [obj for obj in objects if obj[CLASS] in PLACED]
    boxes = [_place(obj, root) for obj in objects if obj[CLASS] == LOCATION]
    if not placed:
        return
    points = np.array([_place(obj, root)[:3, 3] for obj in placed])
    inside = np.zeros(len(points), np.bool_)
    for box in boxes:
        inside |= _inside(points, box)
    outside = [obj for obj, there in zip(placed, inside.tolist(), strict=True) if not there]
    if outside:
        report.find(f"{number_of(len(outside), 'entities')} outside of every location: {_named(outside)}", outside)


def _place(obj: bpy.types.Object, root: bpy.types.Object | None) -> Floats:
    """Where an object is below the level's root, [4, 4]; what constraints move, where Blender showed it last."""
    if not transforms.needs_evaluation(obj, root):
        return transforms.seen(obj, root)
    above = np.array(root.matrix_world, np.float64) if root is not None else np.eye(4)
    return matrices.inverse(above) @ np.array(obj.matrix_world, np.float64)


def _named(objects: Iterable[bpy.types.Object]) -> str:
    """The classes of objects."""
    return ", ".join(sorted({str(obj[CLASS]) for obj in objects}))


def _inside(points: Floats, box: Floats) -> Bools:
    """Which points [n, 3] are in a trigger's box, of which this matrix [4, 4] says where it is, bool[n]."""
    sizes = np.linalg.norm(box[:3, :3], axis=0)
    if not (sizes > 0).all():
        return np.zeros(len(points), np.bool_)
    own = (points - box[:3, 3]) @ (box[:3, :3] / sizes)
    half = TRIGGER * sizes
    middle = np.array([0, 0, half[2]])
    return np.asarray((np.abs(own - middle) <= half + _NEAR).all(axis=1), np.bool_)
