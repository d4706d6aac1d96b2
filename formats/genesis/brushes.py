# SPDX-License-Identifier: GPL-3.0-or-later
"""The polygons of a `.map`'s brushes (see `convex`)."""

import numpy as np
import numpy.typing as npt

from ..convex import CLIP, Floats, Ints, Polygons, from_planes, planes
from .records import FaceArray

__all__ = ["CLIP", "Floats", "Ints", "Polygons", "from_planes", "planes", "polygons"]


def polygons(faces: FaceArray, face_counts: npt.ArrayLike) -> Polygons:
    """The polygons of brushes: `faces` records of FACE, brush after brush; `face_counts` int[brushes]."""
    with np.errstate(all="ignore"):  # hostile floats
        normals = faces["normal"].astype(np.float64)
        dists = faces["dist"].astype(np.float64)
        lengths = np.sqrt((normals * normals).sum(axis=1))
        normals /= lengths[:, None]  # as the compiler does; it leaves dist alone
    return from_planes(normals, dists, face_counts)
