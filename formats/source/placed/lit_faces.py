# SPDX-License-Identifier: GPL-3.0-or-later
"""Which faces light overlays and decals: the lit one beneath them, as far as its lightmap reaches."""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from .. import geometry
from ..level import Level
from ..lumps import LumpId

_EDGE = 0.5
"""Luxels: from the middle of the first to that of the last one, the light is the face's own."""


class LitFaces:
    """The rendered faces of a map as places of light."""

    def __init__(self, level: Level, lit: Bools | None) -> None:
        """lit: bool[faces], which have lightmaps; None: none has. Raises FormatError."""
        self._faces = level.table(geometry.drawn_faces(level))
        self._texinfos, self._planes = level.table(LumpId.TEXINFO), level.table(LumpId.PLANES)
        known = geometry.valid_texinfos(level, self._faces) & (self._faces["dispinfo"] < 0)
        self._texinfo = np.where(known, self._faces["texinfo"], 0).astype(np.int64)
        self._lit = known & (lit if lit is not None else False)

    def __len__(self) -> int:
        """How many faces there are, lit or not."""
        return len(self._faces)

    @np.errstate(all="ignore")  # hostile floats
    def nearest(self, owner: Ints, painted: Ints, centres: Floats) -> Ints:
        """Of the faces that each quad is painted on the one that its centre, float64[n, 3], is on or nearest to.

        owner, painted: int64[pairs], a quad and a face. Returns int64[n], -1 where no face is lit.
        """
        there = (painted >= 0) & (painted < len(self._faces))
        owner, painted = owner[there], painted[there]
        lit = self._lit[painted]
        owner, painted = owner[lit], painted[lit]
        found = np.full(len(centres), -1, np.int64)
        if not len(owner):
            return found
        places, last = self._luxels(centres[owner], painted)
        away = np.abs(places - places.clip(_EDGE, last)).sum(axis=1)
        number = self._faces["planenum"][painted].astype(np.int64)
        plane = self._planes[np.where((number >= 0) & (number < len(self._planes)), number, 0)]
        away += np.abs((plane["normal"].astype(np.float64) * centres[owner]).sum(axis=1) - plane["dist"])
        order = np.lexsort([np.nan_to_num(away, nan=np.inf), owner])[::-1]
        found[owner[order]] = painted[order]  # of several the last one counts: the nearest
        return found

    @np.errstate(all="ignore")  # hostile floats
    def luxels_of(self, corners: Floats, faces: Ints) -> tuple[Floats, Ints]:
        """Where in the lightmaps of faces int64[n] the corners float64[n, 4, 3] of quads are, as far as those reach.

        Returns float64[4 n, 2], luxels from the lightmap's corner, NaN on no face (-1), and the face of each corner,
        int64[4 n]. There has to be a face.
        """
        owner = np.repeat(np.where(faces >= 0, faces, 0), 4)
        places, last = self._luxels(corners.reshape(-1, 3), owner)
        return np.where(np.repeat(faces >= 0, 4)[:, None], places.clip(_EDGE, last), np.nan), owner

    def _luxels(self, points: Floats, faces: Ints) -> tuple[Floats, Floats]:
        """Where points are in the lightmaps of a face each; and where the middle of its last luxel is."""
        records = self._faces[faces]
        if not len(self._texinfos):
            return np.zeros((len(points), 2)), np.full((len(points), 2), _EDGE)
        last = np.maximum(records["lightmap_size"].astype(np.float64) + _EDGE, _EDGE)
        return geometry.luxels(points, self._texinfos, self._texinfo[faces], records["lightmap_mins"]), last
