# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons that are, or were, the faces of a map's models: which face each is, and how it is turned against it.

A polygon is a face while it has the face's number and goes around its very vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints, Records, Singles
from ...binary import FormatError
from .. import geometry
from ..geometry import Polygons
from ..level import Level
from ..lumps import LumpId
from .side_faces import SideFaces

_LEAST_CORNERS = 3


@dataclass(frozen=True, slots=True, eq=False)
class ModelFaces:
    """The rendered faces f of a map, and the models that have them; behind them the sides that stand in for faces."""

    level: Level
    """The map."""
    records: Records
    """[f], of the lump that `geometry.drawn_faces` names, then `SideFaces.records`."""
    polygons: Polygons
    """Their corners, as the file has them."""
    models: Ints
    """int64[f]: the model of each; -1: none."""
    drawable: Bools
    """bool[f]: which a polygon can be made of: those with three corners or more, in a model, that aren't displaced."""
    positions: Singles
    """float32[v, 3]: of VERTEXES, then of sides; 0 for what is not finite."""
    sides: SideFaces | None = None
    """Those that stand in for faces."""

    @property
    def drawn(self) -> int:
        """How many of them are faces: the others are sides."""
        return len(self.records) - (0 if self.sides is None else len(self.sides.sides))

    @property
    def drawn_polygons(self) -> Polygons:
        """The corners of faces alone, which are the first of `polygons`."""
        first = self.polygons.first_corner[: self.drawn + 1]
        return Polygons(self.polygons.positions, self.polygons.corners[: first[-1]], first)

    def corners(self, faces: Ints) -> tuple[Ints, Ints]:
        """The corners of faces int64[n], anticlockwise: places in `polygons.corners`, and where each face's
        start, int64[n + 1].
        """
        first = self.polygons.first_corner[faces]
        counts = self.polygons.first_corner[faces + 1] - first
        owners, starts = ranges.owners(counts), ranges.starts(counts)
        local = np.arange(len(owners)) - starts[owners]
        return first[owners] + (counts[owners] - local) % np.maximum(counts[owners], 1), starts


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Surfaces:
    """Polygons p with corners c and vertices v of several objects o, one object after another."""

    model_faces: ModelFaces
    """The faces of the map that they are compared with."""
    homes: Ints
    """int64[o]: the model that each object shows; -1: none that is known."""
    twins: Bools
    """bool[o]: objects that show a brush model again that another one before them shows."""
    polygons: Ints
    """int64[o + 1]: where each object's polygons start."""
    points: Ints
    """int64[o + 1]: where each object's vertices start."""
    faces: Ints
    """int64[p]: the face that each polygon has the number of; -1: it is new."""
    turns: Ints
    """int64[p]: by how many corners it is turned against its face; -1: it isn't around the face's vertices."""
    starts: Ints
    """int64[p + 1]: where each polygon's corners start."""
    corners: Ints
    """int64[c]: the vertex of each, counted through all objects; polygons are anticlockwise."""
    vertices: Ints
    """int64[v]: numbers in VERTEXES; -1: new."""
    positions: Floats
    """float64[v, 3]: relative to the map, or to the entity that has the model."""

    @property
    def owners(self) -> Ints:
        """int64[p]: the object of each polygon."""
        return ranges.owners(np.diff(self.polygons))

    def around(self, polygons: Ints) -> tuple[Ints, Ints, Ints]:
        """The corners of polygons int64[n] that go around the vertices of their faces, in the faces' order from their
        first one on, anticlockwise: the polygon of each, a place in `polygons`; its place in `self.corners`; and its
        place in the corners of `model_faces.polygons`.
        """
        sources, first = self.model_faces.corners(self.faces[polygons])
        counts = np.diff(first)
        owners = ranges.owners(counts)
        local = np.arange(len(owners)) - first[owners] + self.turns[polygons][owners]
        return owners, self.starts[polygons][owners] + local % np.maximum(counts, 1)[owners], sources

    @property
    def kept(self) -> Ints:
        """int64[n]: the polygons that are faces as they were, each face once, whatever became of its looks."""
        whole = np.flatnonzero((self.turns >= 0) & ~self.twins[self.owners])
        return whole[np.unique(self.faces[whole], return_index=True)[1]]


def model_faces(level: Level, sides: SideFaces | None = None) -> ModelFaces | None:
    """The faces of a map's models; None for maps whose lumps don't fit together.

    sides: what stands in for the faces of models that have none.
    """
    try:
        records, polygons = level.table(geometry.drawn_faces(level)), geometry.readable_polygons(level)
        models = level.table(LumpId.MODELS)
    except FormatError:
        return None
    first, counts = models["firstface"].astype(np.int64), models["numfaces"].astype(np.int64)
    if ((first < 0) | (counts < 0) | (first + counts > len(records))).any():
        return None
    of = np.full(len(records), -1, np.int64)
    of[ranges.flat(first, counts)[::-1]] = ranges.owners(counts)[::-1]
    if sides is not None:
        of = np.concatenate([of, sides.models])
        records, polygons = np.concatenate([records, sides.records(level)]), _joined(polygons, sides.polygons)
    drawable = (np.diff(polygons.first_corner) >= _LEAST_CORNERS) & (records["dispinfo"] < 0) & (of >= 0)
    finite = np.isfinite(polygons.positions)
    return ModelFaces(
        level, records, polygons, of, drawable, np.where(finite, polygons.positions, np.float32(0)), sides
    )


def _joined(one: Polygons, other: Polygons) -> Polygons:
    """The polygons of both; the other's vertices are numbered on."""
    return Polygons(
        np.concatenate([one.positions, other.positions]),
        np.concatenate([one.corners, other.corners + len(one.positions)]),
        np.concatenate([one.first_corner, other.first_corner[1:] + one.first_corner[-1]]),
    )


def turns(original: ModelFaces, faces: Ints, starts: Ints, vertices: Ints) -> Ints:
    """By how many corners each polygon is turned against its face, -1 where it has others.

    original: the faces. faces: int64[p], of each polygon; -1: none. starts: int64[p + 1]. vertices: int64[c], numbers
    in VERTEXES of all corners; -1: new. Returns int64[p].
    """
    found = np.full(len(faces), -1, np.int64)
    counts = np.diff(starts)
    wanted = np.diff(original.polygons.first_corner)
    left = np.flatnonzero((faces >= 0) & (counts == wanted[faces] if len(wanted) else faces >= 0))
    turn = 0
    while len(left):
        sources, first = original.corners(faces[left])
        owners = ranges.owners(np.diff(first))
        local = np.arange(len(owners)) - first[owners]
        there = vertices[starts[left][owners] + (local + turn) % counts[left][owners]]
        other = np.bincount(owners, there != original.polygons.corners[sources], len(left)) > 0
        found[left[~other]] = turn
        turn += 1
        left = left[other]
        left = left[counts[left] > turn]
    return found
