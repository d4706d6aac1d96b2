# SPDX-License-Identifier: GPL-3.0-or-later
"""Normals of faces' corners back to the map: faces that were shaded smooth or flat, and custom normals.

They are VERTNORMALS, which the compiler smoothed by the smoothing groups; the game goes by the normals alone
(source.md §2.4). Smoothing groups are for the next compiler: neither follows the other.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Bools, Ints, Singles
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source import LumpId, edits
from ....formats.source.faces import vertex_normals
from ...scene.geometry import meshes
from ...scene.reports import Report
from .scene_surfaces import SceneSurfaces

SAME = 0.002
"""Normals that differ by less, along an axis, are the same: Blender rounds its angles to steps of 0.0002."""
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
            f"{surfaces.named(sides)}: {number_of(len(sides), 'sides are')} shaded smooth, or with other normals: "
            "brush entities without faces have none",
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
            f"{surfaces.named(which)}: {number_of(len(which), 'faces are')} shaded with other normals than the map's: "
            f"{error}",
            which,
        ) from error
    report.count(SHADED, len(which))


def shaded(surfaces: SceneSurfaces, polygon: int) -> Singles:
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
    smooth, given = np.zeros(len(model_faces.polygons.corners), np.bool_), np.zeros((1, 3), np.float32)
    numbers = np.zeros(len(smooth), np.int64)
    if found is not None:
        smooth[: len(found[0])], numbers[: len(found[1])] = found  # sides, which come behind faces, have none
        given = np.asarray(model_faces.level.table(LumpId.VERTNORMALS)["normal"], np.float32)
    was = np.where(smooth[sources][:, None], _unit(given[numbers[sources]]), flat)
    known = (now * now).sum(axis=1) > _NONE * _NONE
    wrong = known & ~_alike(now, was)
    if wrong.any():
        rows = np.where(smooth[:, None], given[numbers], np.float32(0))
        for number in np.unique(surfaces.owners[polygons[owners[wrong]]]).tolist():
            begin, end = surfaces.starts[surfaces.polygons[number : number + 2]]
            here = np.flatnonzero(wrong & (corners >= begin) & (corners < end))
            wrong[here] = ~_alike(now[here], _imported(surfaces, number, smooth, rows)[corners[here] - begin])
    return wrong, corners, owners, sources


def _imported(surfaces: SceneSurfaces, number: int, smooth: Bools, rows: Singles) -> Singles:
    """The normals float32[c, 3] that an object's corners have where nobody shaded it: as Blender makes them of the
    map's, of which it turns some a long way on thin faces.

    number: the object's. smooth, rows: bool and float32[k, 3] of the map's corners, 0 where they aren't smooth.
    """
    first, end = surfaces.polygons[number : number + 2].tolist()
    starts = surfaces.starts[first : end + 1]
    points = slice(*surfaces.points[number : number + 2].tolist())
    own = first + np.flatnonzero((surfaces.faces[first:end] >= 0) & (surfaces.turns[first:end] >= 0))
    owners, corners, sources = surfaces.around(own)
    given = np.zeros((int(starts[-1] - starts[0]), 3), np.float32)
    given[corners - starts[0]] = rows[sources]
    sharp = np.ones(end - first, np.bool_)
    sharp[own[owners[smooth[sources]]] - first] = False
    mesh = meshes.build(
        "normals",
        surfaces.positions[points],
        surfaces.corners[starts[0] : starts[-1]] - points.start,
        starts[:-1] - starts[0],
        attributes={"sharp_face": ("FACE", "BOOLEAN", sharp)},
        smooth=True,
        report=Report(),
        sound=True,
    )
    try:
        if not sharp.all():
            mesh.normals_split_custom_set(given.tolist())
        return meshes.normals_of(mesh)[0]
    finally:
        bpy.data.meshes.remove(mesh)


def _alike(one: Singles, other: Singles) -> Bools:
    with np.errstate(invalid="ignore"):
        return np.asarray((np.abs(one - other) <= SAME).all(axis=1))


def _unit(normals: Singles) -> Singles:
    with np.errstate(all="ignore"):  # hostile floats
        return np.asarray(normals / np.sqrt((normals * normals).sum(axis=1, keepdims=True)), np.float32)
