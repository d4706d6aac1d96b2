# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements that are shaded otherwise than the game does: their normals follow from their shape alone."""

from __future__ import annotations

import numpy as np

from ....formats import source
from ....formats.source import LumpId, displacements, geometry
from ....formats.source.geometry import Floats, Ints
from ...scene import baselines
from ...scene.meshes import MeshData
from ...scene.reports import Report, listed
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..faces.scene_surfaces import records
from . import collect

_SAME = 0.015
"""Normals that differ by less, along an axis, are the same: see `faces.normals`."""


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
    normals = _normals(scene.before, base.astype(np.float64), data, points)
    shaded = [
        obj.name
        for obj, mesh, own in zip(objects, data, points, strict=True)
        if _is_sharp(mesh)
        or (
            np.array_equal(mesh.positions, base[own])
            and (np.abs(mesh.corner_normals - normals[own[mesh.corner_verts]]) > _SAME).any()
        )
    ]
    if shaded:
        report.warn(
            f"{listed(shaded)}: displacements were shaded flat or have other normals: the game makes these of their "
            "shape, in the map nothing changes"
        )


def _is_sharp(mesh: MeshData) -> bool:
    found = [mesh.attribute("sharp_face", "FACE"), mesh.attribute("sharp_edge", "EDGE")]
    return any(one is not None and bool(one.any()) for one in found)


def _normals(before: source.Level, base: Floats, data: list[MeshData], points: list[Ints]) -> Floats:
    """The normals that the import gave vertices, float64[n, 3]: those of one place on borders have one."""
    grids = displacements.displacements(before, geometry.readable_polygons(before))
    own = displacements.normals(grids, base)
    border = np.zeros(len(base), np.int64)
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
