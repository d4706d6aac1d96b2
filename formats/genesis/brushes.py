# SPDX-License-Identifier: GPL-3.0-or-later
"""The polygons of a `.map`'s brushes (see `convex`)."""

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Floats
from ..convex import CLIP, Polygons, from_planes, planes
from .records import FaceArray

__all__ = ["CLIP", "Polygons", "from_planes", "inside_out", "planes", "polygons"]


def polygons(faces: FaceArray, face_counts: npt.ArrayLike) -> Polygons:
    """The polygons of brushes: `faces` records of FACE, brush after brush; `face_counts` int[brushes]."""
    return from_planes(*face_planes(faces), face_counts)


def face_planes(faces: FaceArray) -> tuple[Floats, Floats]:
    """Normals float64[n, 3] of length 1 and distances float64[n] of faces, as the compiler takes them."""
    with np.errstate(all="ignore"):  # hostile floats
        normals = faces["normal"].astype(np.float64)
        normals /= np.sqrt((normals * normals).sum(axis=1))[:, None]  # the compiler leaves dist alone
        return normals, faces["dist"].astype(np.float64)


def inside_out(normals: Floats, dists: Floats, face_counts: npt.ArrayLike, closed: Bools) -> Bools:
    """Which of the brushes that don't close [b] would, if all of their normals pointed the other way.

    normals float64[n, 3], dists float64[n]: of their faces, brush after brush; face_counts: int[b].
    """
    counts = np.asarray(face_counts, np.int64)
    open_ = np.repeat(~closed, counts)
    result = ~closed
    result[~closed] = from_planes(-normals[open_], -dists[open_], counts[~closed]).closed
    return result
