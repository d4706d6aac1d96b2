"""The convex pieces that a brush entity's mesh is made of.

A loose part of the mesh is a piece if all its polygons lie on the hull around it; what the hull has more, sides without
a polygon, was never drawn. A part that isn't convex may be several brushes of the map that share vertices: the polygons
of each are then a piece, as long as these were all that its brush had.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...formats import convex_hull
from ...formats.convex_hull import Hull
from .surface_reader import Bools, Floats, Ints, Surfaces

NEAR = 0.02
"""Units that a polygon's corners may lie off the hull."""
SAME = 0.05
"""Units that a brush's corners may lie off the hull of its polygons."""


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A convex piece. polygons: int64[n], those that are on it; sides: int64[n], which of the hull's faces each is on.
    brush: which of the model's old pieces it was, -1: none.
    """

    hull: Hull
    polygons: Ints
    sides: Ints
    brush: int


@dataclass(frozen=True, slots=True, eq=False)
class Parted:
    """What a mesh is made of; bent: int64[n], polygons of parts that are no convex pieces."""

    solids: list[Solid]
    bent: Ints


def find(surfaces: Surfaces, polygons: Ints, brush_of: Ints, corners: Sequence[Floats]) -> Parted:
    """The pieces of polygons int64[n]. brush_of: int64[n], which of the old pieces each was drawn on, -1: none that is
    known. corners: of each of the old pieces, float64[k, 3].
    """
    solids: list[Solid] = []
    bent = [np.zeros(0, np.int64)]
    for part in _loose(surfaces, polygons):
        numbers, brushes = polygons[part], brush_of[part]
        several = _brushes(surfaces, numbers, brushes, corners)
        if several is not None:
            solids += several
            continue
        one = _solid(surfaces, numbers, _most(brushes))
        if isinstance(one, Solid):
            solids.append(one)
        else:
            bent.append(numbers[one] if one.any() else numbers)
    return Parted(solids, np.concatenate(bent))


def _loose(surfaces: Surfaces, polygons: Ints) -> list[Ints]:
    """Places in `polygons` of each part that shares no vertex with another."""
    counts = surfaces.starts[polygons + 1] - surfaces.starts[polygons]
    owners = np.repeat(np.arange(len(polygons)), counts)
    first = np.repeat(surfaces.starts[polygons] - (np.cumsum(counts) - counts), counts)
    _, vertices = np.unique(surfaces.corners[np.arange(len(owners)) + first], return_inverse=True)
    labels = np.arange(len(polygons))
    while True:
        least = np.full(int(vertices.max(initial=-1)) + 1, len(polygons))
        np.minimum.at(least, vertices, labels[owners])
        smaller = labels.copy()
        np.minimum.at(smaller, owners, least[vertices])
        if np.array_equal(smaller, labels):
            return [np.flatnonzero(labels == label) for label in np.unique(labels)]
        labels = smaller[smaller]


def _brushes(surfaces: Surfaces, polygons: Ints, brushes: Ints, corners: Sequence[Floats]) -> list[Solid] | None:
    """A part as the several brushes that its polygons were drawn on; None where it isn't that."""
    known = np.unique(brushes)
    if len(known) < 2 or known[0] < 0:
        return None
    found = []
    for brush in known.tolist():
        numbers = polygons[brushes == brush]
        was = _as_drawn(surfaces, surfaces.faces[numbers])
        off = np.abs(corners[brush][:, None] - was[None]).max(axis=2).min(axis=1)
        solid = _solid(surfaces, numbers, brush)
        if not isinstance(solid, Solid) or off.max(initial=0) > SAME:
            return None
        found.append(solid)
    return found


def _as_drawn(surfaces: Surfaces, faces: Ints) -> Floats:
    """The corners of faces of the original, float64[n, 3]."""
    places, _ = surfaces.drawn.corners(faces)
    return np.asarray(surfaces.drawn.positions[surfaces.drawn.polygons.corners[places]], np.float64)


def _most(brushes: Ints) -> int:
    """The brush that most polygons were drawn on, -1 for none."""
    known = brushes[brushes >= 0]
    return int(np.bincount(known).argmax()) if len(known) else -1


def points_of(surfaces: Surfaces, polygon: int) -> Floats:
    """The corners of a polygon, float64[n, 3], anticlockwise."""
    first, end = surfaces.starts[polygon : polygon + 2]
    return np.asarray(surfaces.positions[surfaces.corners[first:end]])


def _solid(surfaces: Surfaces, polygons: Ints, brush: int) -> Solid | Bools:
    """The piece of polygons; or which of them, bool[n], are not on the hull around them (none: there is no hull)."""
    rings = [points_of(surfaces, polygon) for polygon in polygons.tolist()]
    around = convex_hull.hull(np.concatenate(rings))
    if around is None:
        return np.zeros(len(polygons), np.bool_)
    sides = np.full(len(polygons), -1, np.int64)
    for number, ring in enumerate(rings):
        arms = ring - ring[0]
        normal = np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)
        off = np.abs(ring @ around.normals.T - around.dists).max(axis=0)
        on = (off <= NEAR) & (around.normals @ normal > 0)
        if on.any():
            sides[number] = int(np.where(on, off, np.inf).argmin())
    bad = sides < 0
    return bad if bad.any() else Solid(around, polygons, sides, brush)
