# SPDX-License-Identifier: GPL-3.0-or-later
"""How far overlays lie behind the faces that they are painted on: the game projects them, Blender has to lift them."""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..faces import displacements
from ..geometry import Polygons
from ..level import Level
from ..lumps import LumpId
from ..numbers import doubles, singles
from ..tables import overlay_lists

_SAME_WAY = 0.999
"""The cosine from which on a face looks the same way as an overlay."""


def is_facing(corners: Floats, normals: Floats) -> Bools:
    """bool[n]: which quads float64[n, 4, 3] are anticlockwise, seen from where their normals float64[n, 3] point to."""
    across = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    return np.asarray(np.einsum("ni,ni->n", across, normals) >= 0)


def behind(level: Level, polygons: Polygons, overlays: Records, corners: Floats) -> Floats:
    """float64[n]: how far overlays lie behind the faces that they are painted on, as many do: the game projects them.

    Of faces that look the same way as the overlay the foremost counts, and of displacements what rises highest below
    it. polygons: the map's rendered faces. corners: float64[n, 4, 3]. Raises FormatError.
    """
    depth = np.full(len(overlays), -np.inf)
    if "faces" in (overlays.dtype.names or ()):
        own, painted = overlay_lists.face_lists(overlays)
        faces, planes = level.table(geometry.drawn_faces(level)), level.table(LumpId.PLANES)
        inside = (painted >= 0) & (painted < len(faces))
        own, painted = own[inside], painted[inside]
        displaced = faces["dispinfo"][painted].astype(np.int64)
        numbers = faces["planenum"].astype(np.int64)[painted]
        flat = (numbers >= 0) & (numbers < len(planes)) & (displaced < 0)
        flat_owners, numbers = own[flat], numbers[flat]
        normals, origins = doubles(planes["normal"][numbers]), doubles(overlays["origin"][flat_owners])
        alike = np.einsum("ni,ni->n", normals, doubles(overlays["basis_normal"][flat_owners])) > _SAME_WAY
        away = doubles(planes["dist"][numbers]) - np.einsum("ni,ni->n", normals, origins)
        np.maximum.at(depth, flat_owners[alike], away[alike])
        if (displaced >= 0).any():
            _climb(level, polygons, overlays, corners, own[displaced >= 0], displaced[displaced >= 0], depth)
    return np.where(np.isfinite(depth), depth, 0.0)


def _climb(
    level: Level, polygons: Polygons, overlays: Records, corners: Floats, own: Ints, displaced: Ints, depth: Floats
) -> None:
    """Raise `depth` to what the `displaced` displacements have in front of the overlays `own`, within their reach."""
    try:
        found = displacements.displacements(level, polygons)
        points = singles(found.positions(level.table(LumpId.DISP_VERTS))).astype(np.float64)
    except FormatError:  # who reads displacements meets the error
        return
    for number, displacement in zip(own.tolist(), displaced.tolist(), strict=True):
        if displacement >= len(found.faces):
            continue
        start = int(found.first_vertex[displacement])
        origin, normal = doubles(overlays["origin"][number]), doubles(overlays["basis_normal"][number])
        away = points[start : start + int(found.counts[displacement])] - origin
        height = away @ normal
        beside = np.linalg.norm(away - height[:, None] * normal, axis=1)
        reach = float(np.linalg.norm(corners[number] - origin, axis=1).max())
        below = ~(beside > reach) | (beside == beside.min())
        depth[number] = max(depth[number], float(height[below].max()))
