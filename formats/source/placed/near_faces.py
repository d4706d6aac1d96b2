# SPDX-License-Identifier: GPL-3.0-or-later
"""The rendered face that is next to a place: what decals and new overlays are painted on."""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints
from ..geometry import Polygons
from . import overlay_quads

_LEAST_CORNERS = 3


def nearest(polygons: Polygons, area_normals: Floats, places: Floats) -> tuple[Ints, Floats, Floats]:
    """The face next to each place, float64[n, 3], as `overlay_quads.nearest_faces` finds it.

    polygons: a map's; area_normals: float64[f, 3], theirs (see `geometry.area_normals`). Returns int64[n], -1 where no
    face is near; the faces' normals, float64[n, 3], of length 1; and a corner of each, float64[n, 3].
    """
    sizes = np.diff(polygons.first_corner)
    filled = np.flatnonzero(sizes >= _LEAST_CORNERS)
    if not len(filled):
        return np.full(len(places), -1, np.int64), np.zeros((len(places), 3)), np.zeros((len(places), 3))
    starts, counts = polygons.first_corner[:-1][filled], sizes[filled]
    normals = area_normals[filled]
    lengths = np.sqrt((normals * normals).sum(axis=1, keepdims=True))
    unit = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    around = polygons.positions[polygons.corners[ranges.index(starts, counts)]]
    first = ranges.starts(counts)[:-1]
    mins, maxs = (extreme.reduceat(around, first).astype(np.float64) for extreme in (np.minimum, np.maximum))
    points = polygons.positions[polygons.corners[starts]].astype(np.float64)
    found = overlay_quads.nearest_faces(places, unit, points, mins, maxs)
    return np.where(found >= 0, filled[found], -1), unit[found], points[found]
