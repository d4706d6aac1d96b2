# SPDX-License-Identifier: GPL-3.0-or-later
"""Normals of faces' corners back to the map: faces that were shaded smooth or flat, and custom normals.

They are VERTNORMALS, which the compiler smoothed by the smoothing groups; the game goes by the normals alone
(source.md §2.4). Smoothing groups are for the next compiler: neither follows the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import LumpId, edits, vertex_normals
from ....formats.source.geometry import Ints
from ....formats.source.surfaces import Bools
from ...scene.reports import Report
from .scene_surfaces import SceneSurfaces

SAME = 0.015
"""Normals that differ by less, along an axis, are the same: Blender has one normal for those that meet smoothly and
differ by up to 0.8 degrees, which is 0.0142.
"""
_NONE = 0.5
"""Shorter than this are only the normals 0 of corners that Blender has none for: of faces that pass a line twice."""
SHADED = "faces with other normals"
"""What the report counts."""


def apply(surfaces: SceneSurfaces, level: source.Level, polygons: Ints, report: Report) -> None:
    """Write the normals of polygons int64[n], around the vertices of their faces, that were shaded otherwise.

    Raises SceneError, with the faces selected, where the map has no normals.
    """
    wrong, corners, owners, sources = _compared(surfaces, polygons)
    if not wrong.any():
        return
    which = polygons[np.unique(owners[wrong])]
    sides = which[surfaces.faces[which] >= surfaces.model_faces.drawn]
    if len(sides):
        raise surfaces.refused(
            f"{surfaces.named(sides)}: {len(sides)} sides are shaded smooth, or with other normals: brush entities "
            "without faces have none",
            sides,
        )
    now, flat = surfaces.normals[corners[wrong]], surfaces.flat[polygons[owners[wrong]]]
    model_faces = surfaces.model_faces
    planes = model_faces.level.table(LumpId.PLANES)["normal"]
    of = model_faces.records["planenum"][surfaces.faces[polygons[owners[wrong]]]].astype(np.int64)
    known = of < len(planes)
    exact = np.where(known[:, None], planes[np.where(known, of, 0)], flat) if len(planes) else flat
    made = np.where(_alike(now, flat)[:, None], exact, now)
    try:
        edits.face_fields.set_normals(level, sources[wrong], made)
    except FormatError as error:
        raise surfaces.refused(
            f"{surfaces.named(which)}: {len(which)} faces are shaded with other normals than the map's: {error}", which
        ) from error
    report.count(SHADED, len(which))


def shaded(surfaces: SceneSurfaces, polygon: int) -> NDArray[np.float32]:
    """The normals of a polygon's corners, float32[k, 3], in their order; 0 where they are the polygon's own."""
    first, end = surfaces.starts[polygon : polygon + 2]
    now = surfaces.normals[first:end]
    return np.where(_alike(now, surfaces.flat[polygon])[:, None], np.float32(0), now)


def edited(surfaces: SceneSurfaces, polygons: Ints) -> Bools:
    """bool[n]: which of polygons int64[n], around the vertices of their faces, are shaded otherwise than these."""
    wrong, _, owners, _ = _compared(surfaces, polygons)
    return np.asarray(np.bincount(owners, wrong, len(polygons)) > 0)


def _compared(surfaces: SceneSurfaces, polygons: Ints) -> tuple[Bools, Ints, Ints, Ints]:
    """Which corners are shaded otherwise than the import did it; of each its place in the scene's corners, its polygon
    (a place in `polygons`), and its place in the map's corners.
    """
    owners, corners, sources = surfaces.around(polygons)
    now, flat = surfaces.normals[corners], surfaces.flat[polygons[owners]]
    model_faces = surfaces.model_faces
    try:
        found = vertex_normals.smooth(model_faces.level, model_faces.drawn_polygons)
    except FormatError:  # the import left them out as well
        found = None
    was = flat
    if found is not None:
        rest = len(model_faces.polygons.corners) - len(found[0])  # of sides, which have none
        smooth, numbers = (np.concatenate([each, np.zeros(rest, each.dtype)]) for each in found)
        given = _unit(model_faces.level.table(LumpId.VERTNORMALS)["normal"][numbers[sources]])
        was = np.where(smooth[sources][:, None], given, flat)
    known = (now * now).sum(axis=1) > _NONE * _NONE
    return known & ~_alike(now, was), corners, owners, sources


def _alike(one: NDArray[np.float32], other: NDArray[np.float32]) -> Bools:
    with np.errstate(invalid="ignore"):
        return np.asarray((np.abs(one - other) <= SAME).all(axis=1))


def _unit(normals: NDArray[np.float32]) -> NDArray[np.float32]:
    with np.errstate(all="ignore"):  # hostile floats
        return np.asarray(normals / np.sqrt((normals * normals).sum(axis=1, keepdims=True)), np.float32)
