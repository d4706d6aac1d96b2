# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models without faces, as the sides of their brushes: triggers, buy zones, clips (source.md §2.4, §2.8).

The compiler drops faces that the game never draws. What is left of such a model are the brushes in its tree, and the
texinfos of their sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Int32s, Ints, Records, Singles
from .. import geometry
from ..geometry import Polygons
from ..level import Level
from ..lumps import LumpId
from ..records import NO_STYLE
from ..tree import brushes

_LEAST_CORNERS = 3
_BLANK = (
    ("styles", NO_STYLE),
    ("lightofs", -1),
    ("surface_fog_volume_id", -1),
    ("orig_face", -1),
    ("dispinfo", -1),
)
"""What fields of a face hold that has no light, no original face and no displacement."""


@dataclass(frozen=True, slots=True, eq=False)
class SideFaces:
    """Polygons p, one model's after another's, that stand in for the faces of models that have none."""

    polygons: Polygons
    """Their corners: as those of faces clockwise, seen from the front; relative to the model's entity."""
    sides: Ints
    """int64[p]: numbers in BRUSHSIDES."""
    models: Ints
    """int64[p]: numbers in MODELS, ascending."""
    pieces: Ints
    """int64[p]: which of its model's brushes each is of, counted from 0 in their order."""

    def records(self, level: Level) -> Records:
        """Faces [p] as the sides would be: with their planes and texinfos (-1 where none is there), without light."""
        table = level.table(LumpId.BRUSHSIDES)[self.sides]
        made = np.zeros(len(self.sides), level.table(geometry.drawn_faces(level)).dtype)
        for name, value in _BLANK:
            if name in (made.dtype.names or ()):
                made[name] = value
        most = np.iinfo(made.dtype["texinfo"]).max
        made["texinfo"] = np.where(table["texinfo"] <= most, table["texinfo"], -1)
        made["planenum"] = table["planenum"]
        return made


def of_level(level: Level) -> SideFaces | None:
    """The sides of all brush models without faces; None where there are none. Raises FormatError."""
    models = level.table(LumpId.MODELS)
    bare = models["numfaces"] == 0
    bare[:1] = False  # the world
    if not bare.any():
        return None
    owners = brushes.of_models(level)
    numbers = np.flatnonzero((owners >= 0) & bare[owners])
    numbers = numbers[np.argsort(owners[numbers], kind="stable")]
    solids = brushes.solids(level, numbers)
    found, counts = solids.polygons, np.diff(solids.polygons.first_corner)
    shown = np.flatnonzero(counts >= _LEAST_CORNERS)
    if not len(shown):
        return None
    first, counts = found.first_corner[shown], counts[shown]
    starts, owner = ranges.starts(counts), ranges.owners(counts)
    local = np.arange(len(owner)) - starts[owner]
    corners = found.corners[first[owner] + (counts[owner] - local) % counts[owner]]  # turned over: clockwise
    brush = ranges.owners(np.diff(solids.first_side))[shown]
    of_brush = owners[numbers]
    return SideFaces(
        Polygons(found.positions.astype(np.float32), corners, starts),
        solids.sides[shown],
        of_brush[brush],
        brush - np.searchsorted(of_brush, of_brush)[brush],
    )


def from_arrays(level: Level, positions: Singles, corners: Int32s, rows: Int32s) -> SideFaces | None:
    """The sides that `to_arrays` has made arrays of; None for arrays that aren't of this map."""
    if positions.ndim != 2 or corners.ndim != 1 or rows.ndim != 2 or positions.shape[1:] + rows.shape[1:] != (3, 4):
        return None
    sides, models, pieces, counts = rows.astype(np.int64).T
    if (
        int(counts.sum()) != len(corners)
        or (np.diff(models) < 0).any()
        or int(pieces.min(initial=0)) < 0
        or int(counts.min(initial=_LEAST_CORNERS)) < _LEAST_CORNERS
        or not _within(corners, len(positions))
        or not _within(sides, len(level.table(LumpId.BRUSHSIDES)))
        or not _within(models, len(level.table(LumpId.MODELS)))
    ):
        return None
    return SideFaces(Polygons(positions, corners.astype(np.int64), ranges.starts(counts)), sides, models, pieces)


def to_arrays(sides: SideFaces) -> tuple[Singles, Int32s, Int32s]:
    """Positions float32[v, 3], corners int32[c], and of each polygon side, model, piece, corners: int32[p, 4]."""
    rows = (sides.sides, sides.models, sides.pieces, np.diff(sides.polygons.first_corner))
    return sides.polygons.positions, sides.polygons.corners.astype(np.int32), np.column_stack(rows).astype(np.int32)


def _within(numbers: Int32s | Ints, count: int) -> bool:
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < count)
