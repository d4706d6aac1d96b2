# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of faces are of brushes that are changed: faces are shared where the compiler joined them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from ...binary import FormatError
from .. import brushes, face_brushes, geometry, ranges
from ..geometry import Ints, Polygons
from ..level import Level
from ..lumps import LumpId
from .rings import SLIVER, Floats, Rings, parted

_ALL = 0.999
"""Share of a face's area that is all of it: corners of faces lie off those of brushes."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a face. brush, side: whose it is, the side's row in BRUSHSIDES; -1: of a brush that stays. points:
    float64[n, 3], clockwise seen from the front. whole: the face's own corners, all of it.
    """

    face: int
    brush: int
    side: int
    points: Floats
    whole: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Sides s of brushes. rings: clockwise seen from the front, as faces."""

    brush: Ints
    row: Ints
    plane: Ints
    texinfo: Ints
    rings: Rings


def parts(level: Level, polygons: Polygons, chosen: Collection[int]) -> list[Part]:
    """The faces that some brushes have a part in, in parts. Faces of others and displaced ones are left out.

    chosen: numbers of brushes of the world. A part is of the side on whose plane it is and within whose polygon; of
    several that of a brush that the map names for the face (CS:GO), then one with its texinfo, then the first.
    Raises FormatError.
    """
    faces = level.table(geometry.drawn_faces(level))
    sides = _sides(level, np.fromiter(chosen, np.int64, len(chosen)))
    own = np.isin(sides.brush, list(chosen))
    model = level.table(LumpId.MODELS)[0]
    ours = np.zeros(len(faces), np.bool_)
    ours[int(model["firstface"]) : int(model["firstface"]) + int(model["numfaces"])] = True
    planes = faces["planenum"].astype(np.int64)
    near = np.flatnonzero(ours & (faces["dispinfo"] < 0) & np.isin(planes, sides.plane[own]))
    rings = rings_of(polygons, near)
    named = _named(level, near)
    found: list[Part] = []
    low, high = rings.boxes()
    side_low, side_high = sides.rings.boxes()
    for plane in np.unique(planes[near]).tolist():
        there = np.flatnonzero(sides.plane == plane)
        for place in np.flatnonzero(planes[near] == plane).tolist():
            meets = (side_low[there] < high[place]).sum(axis=1) + (side_high[there] > low[place]).sum(axis=1)
            across = np.abs(high[place] - low[place]) < SLIVER  # along the normal of an axial plane there is no room
            meeting = there[meets + 2 * across.sum() >= 6] if len(there) else there
            if own[meeting].any():
                face = int(near[place])
                rank = np.lexsort(
                    (meeting, sides.texinfo[meeting] != int(faces["texinfo"][face]), _unnamed(named, face, sides, meeting))
                )
                found += _shared(face, rings.listed()[place], sides, own, meeting[rank])
    return found
