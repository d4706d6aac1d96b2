# SPDX-License-Identifier: GPL-3.0-or-later
"""The light that falls where a new face is: that of the nearest lit face of the world (source.md §2.6)."""

import numpy as np

from .. import geometry
from ..geometry import Floats
from ..level import Level
from ..lumps import LumpId
from ..records import SurfaceFlag


class WorldLight:
    """The lit faces of a map's world. Raises FormatError for faces that aren't there."""

    def __init__(self, level: Level) -> None:
        drawn = geometry.drawn_faces(level)
        self._polygons = geometry.polygons(level, drawn)
        self._faces, self._texinfos = level.table(drawn), level.table(LumpId.TEXINFO)
        world = level.table(LumpId.MODELS)[0]
        numbers = np.arange(int(world["firstface"]), int(world["firstface"]) + int(world["numfaces"]))
        numbers = numbers[numbers < len(self._faces)]
        own = self._faces[numbers]
        lit = geometry.valid_texinfos(level, own) & (own["lightofs"] >= 0) & (own["dispinfo"] < 0)
        self._numbers = numbers[lit & (own["numedges"] > 0)]
        self._bumped = self._texinfos["flags"][self._faces["texinfo"][self._numbers]] & SurfaceFlag.BUMPLIGHT != 0
        corners = [self._corners(number) for number in self._numbers.tolist()]
        self._middles = np.array([points.mean(axis=0) for points in corners]).reshape(-1, 3)

    def _corners(self, face: int) -> Floats:
        first, end = self._polygons.first_corner[face : face + 2]
        return np.asarray(self._polygons.positions[self._polygons.corners[first:end]], np.float64)

    def of(self, points: Floats, bumped: bool) -> tuple[int, Floats] | None:
        """The number of the lit face that is nearest to a polygon float64[n, 3], units, and the luxel on it that is
        nearest to its middle, for each corner the same, float64[n, 2]; of those with bumped light, or of those without.
        None where the map has no such face.
        """
        able = np.flatnonzero(self._bumped == bumped)
        if not len(able):
            return None
        middle = points.mean(axis=0)
        face = int(self._numbers[able[np.abs(self._middles[able] - middle).sum(axis=1).argmin()]])
        row = self._faces[face]
        vectors = self._texinfos["lightmap_vecs"][int(row["texinfo"])].astype(np.float64)
        luxel = vectors[:, :3] @ middle + vectors[:, 3] - row["lightmap_mins"]
        return face, np.tile(np.clip(luxel, 0, row["lightmap_size"]) + 0.5, (len(points), 1))
