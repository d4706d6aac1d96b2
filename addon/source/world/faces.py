# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of the world as they were moved, extruded or deleted: which brushes that changes, and how."""

from __future__ import annotations

import numpy as np

from ....formats.arrays import Ints
from ....formats.counting import number_of
from ....formats.source.faces.surface_edits import Edits
from ....formats.source.shaping.face_moves import FaceMoveError, FaceMoves
from ....formats.source.shaping.side_texinfos import SideTexinfos
from ....formats.source.shaping.solids import Shaped
from ...scene.reports import Report, SceneError
from ..faces.scene_surfaces import SceneSurfaces


class WorldFaces:
    """What was done to the faces of a map's world. Raises SceneError, with the faces selected."""

    def __init__(self, surfaces: SceneSurfaces, edits: Edits, texinfos: SideTexinfos, report: Report) -> None:
        self._surfaces = surfaces
        try:
            self._moves = FaceMoves(texinfos, surfaces, edits)
        except FaceMoveError as error:
            polygons = error.polygons
            named = surfaces.named(polygons) if len(polygons) else "World"
            raise surfaces.refused(f"{named}: {error.message}", polygons) from error
        report.note(
            f"by their faces, {number_of(len(self.shaped), 'brushes were')} reshaped, and {len(self.deleted)} deleted"
        )

    @property
    def shaped(self) -> list[Shaped]:
        """The brushes that are others."""
        return self._moves.shaped

    @property
    def deleted(self) -> Ints:
        """int64[n]: the brushes that are gone."""
        return self._moves.deleted

    @property
    def touched(self) -> Ints:
        """int64[n]: the brushes of the map that are others or gone."""
        return np.union1d(self.deleted, np.array([each.brush for each in self.shaped], np.int64))

    def refused(self, message: str, blamed: Ints) -> SceneError:
        """An error about brushes of the map, int64[n], with what is left of their faces."""
        polygons = self._moves.polygons_of(blamed)
        named = self._surfaces.named(polygons) if len(polygons) else "World"
        return self._surfaces.refused(f"{named}: {message}", polygons)
