# SPDX-License-Identifier: GPL-3.0-or-later
"""The baked light of overlays and decals: that of the face beneath them."""

from __future__ import annotations

from ....formats.arrays import Floats, Ints, Singles
from ....formats.source.placed.lit_faces import LitFaces
from ..context import ImportContext
from ..lightmaps.build import Lightmaps


class Beneath(LitFaces):
    """The faces of a map that is imported. baked: None where there is no light. Raises FormatError."""

    def __init__(self, importing: ImportContext, baked: Lightmaps | None) -> None:
        super().__init__(importing.level, baked.lit if baked is not None else None)
        self._baked = baked

    def coordinates(self, corners: Floats, faces: Ints) -> Singles | None:
        """float32[n, 4, 2]: where in the images the corners float64[n, 4, 3] of quads on faces int64[n] are.

        Quads on no face (-1) have the white patch. None for maps without lightmaps.
        """
        if self._baked is None or not len(self):
            return None
        return self._baked.pixels(*self.luxels_of(corners, faces)).reshape(-1, 4, 2)
