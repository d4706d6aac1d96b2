# SPDX-License-Identifier: GPL-3.0-or-later
"""The baked light of overlays and decals: that of the face beneath them, as far as it reaches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....formats.source import LumpId, geometry
from ....formats.source.geometry import Floats, Ints
from ..context import ImportContext
from ..lightmaps.build import Lightmaps

_EDGE = 0.5
"""Luxels: from the middle of the first to that of the last one, the light is the face's own."""


class Beneath:
    """The drawn faces of a map as places of light. baked: None where there is none. Raises FormatError."""

    def __init__(self, importing: ImportContext, baked: Lightmaps | None) -> None:
        level = importing.level
        self._baked = baked
        self._faces = level.table(geometry.drawn_faces(level))
        self._texinfos, self._planes = level.table(LumpId.TEXINFO), level.table(LumpId.PLANES)
        known = geometry.valid_texinfos(level, self._faces) & (self._faces["dispinfo"] < 0)
        self._texinfo = np.where(known, self._faces["texinfo"], 0).astype(np.int64)
        self._lit = known & (baked.lit if baked is not None else False)

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
    def coordinates(self, corners: Floats, faces: Ints) -> NDArray[np.float32] | None:
        """float32[n, 4, 2]: where in the lightmaps the corners float64[n, 4, 3] of quads on faces int64[n] are.

        Quads on no face (-1) have the white patch. None for maps without lightmaps.
        """
        if self._baked is None or not len(self._faces):
            return None
        owner = np.repeat(np.where(faces >= 0, faces, 0), 4)
        places, last = self._luxels(corners.reshape(-1, 3), owner)
        inside = np.where(np.repeat(faces >= 0, 4)[:, None], places.clip(_EDGE, last), np.nan)
        return self._baked.pixels(inside, owner).reshape(-1, 4, 2)

    def _luxels(self, points: Floats, faces: Ints) -> tuple[Floats, NDArray[np.float64]]:
        """Where points are in the lightmaps of a face each; and where the middle of its last luxel is."""
        records = self._faces[faces]
        if not len(self._texinfos):
            return np.zeros((len(points), 2)), np.full((len(points), 2), _EDGE)
        last = np.maximum(records["lightmap_size"].astype(np.float64) + _EDGE, _EDGE)
        return geometry.luxels(points, self._texinfos, self._texinfo[faces], records["lightmap_mins"]), last
