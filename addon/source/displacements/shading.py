# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements that are shaded otherwise than the game does: their normals follow from their shape alone."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Floats, Ints
from ....formats.source import LumpId, geometry
from ....formats.source.faces import displacements
from ....formats.source.faces.displacements import Displacements
from ...scene.geometry import meshes
from ...scene.geometry.meshes import MeshData
from ...scene.kept import baselines
from ...scene.reports import Report, listed
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..faces.scene_surfaces import records
from . import collect

_SAME = 0.015
"""Normals that differ by less, along an axis, are the same: Blender has one normal for corners that meet smoothly and
differ by up to 0.8 degrees, which is 0.0142.
"""


def warn_if_shaded(scene: SceneLevel, _: source.Level, report: Report) -> None:
    """Warn of objects that were shaded flat, have sharp edges or other custom normals: no map can have these."""
    objects = collect.objects_of(scene)
    base = baselines.load(scene.collection, layout.BASE)
    if not objects or base is None or not len(scene.before.bytes_of(LumpId.DISPINFO)):
        return
    token = layout.displacement_token(scene.token)
    data = [scene.mesh(obj, normals=True) for obj in objects]
    points = [records(mesh, "POINT", token) for mesh in data]
    if any(len(own) and (own.min() < 0 or own.max() >= len(base)) for own in points):
        return  # the step of displacements refuses these
    grids = displacements.displacements(scene.before, geometry.readable_polygons(scene.before))
    positions = base.astype(np.float64)
    normals, exact = _nearly(grids, positions, data, points), False
    shaded = []
    for obj, mesh, own in zip(objects, data, points, strict=True):
        turned = np.array_equal(mesh.positions, base[own]) and _differ(mesh, normals[own])
        if turned and not exact:
            normals, exact = displacements.borders(grids, positions)[1], True
        if _is_sharp(mesh) or (turned and _is_turned(mesh, normals[own])):
            shaded.append(obj.name)
    if shaded:
        report.warn(
            f"{listed(shaded)}: displacements were shaded flat or have other normals: the game makes these of their "
            "shape, in the map nothing changes"
        )


def _is_sharp(mesh: MeshData) -> bool:
    found = [mesh.attribute("sharp_face", "FACE"), mesh.attribute("sharp_edge", "EDGE")]
    return any(one is not None and bool(one.any()) for one in found)


def _differ(mesh: MeshData, normals: Floats) -> bool:
    """Whether corners have other normals than those of their vertices, float64[n, 3]."""
    return bool((np.abs(mesh.corner_normals - normals[mesh.corner_verts]) > _SAME).any())


def _is_turned(mesh: MeshData, normals: Floats) -> bool:
    """Whether corners have other normals than Blender makes of those of their vertices, float64[n, 3]: of thin
    triangles it turns some a long way, so that a mesh is made to tell.
    """
    if not _differ(mesh, normals):
        return False
    report = Report()
    made = meshes.build(
        "normals", mesh.positions, mesh.corner_verts, mesh.face_starts, smooth=True, report=report, sound=True
    )
    try:
        made.normals_split_custom_set_from_vertices(normals.tolist())
        return bool((np.abs(meshes.normals_of(made)[0] - mesh.corner_normals) > _SAME).any())
    finally:
        bpy.data.meshes.remove(made)


def _nearly(grids: Displacements, positions: Floats, data: list[MeshData], points: list[Ints]) -> Floats:
    """The normals of vertices, float64[n, 3], as `displacements.borders` makes them, but for a few on borders: which
    vertices are in one place, it goes by the attribute for, and needn't look for.
    """
    own = displacements.normals(grids, positions)
    border = np.zeros(len(positions), np.int64)
    for mesh, numbers in zip(data, points, strict=True):
        found = mesh.attribute(layout.BORDER, "POINT")
        if found is not None and found.dtype == np.int32:
            border[numbers] = found
    _, group = np.unique(border, return_inverse=True)
    group = group.reshape(-1)
    total = np.column_stack([np.bincount(group, own[:, axis]) for axis in range(3)])[group]
    lengths = np.sqrt((total * total).sum(axis=1, keepdims=True))
    joined = np.divide(total, lengths, out=own.copy(), where=lengths > 0)
    return np.where((border > 0)[:, None], joined, own)
