# SPDX-License-Identifier: GPL-3.0-or-later
"""The convex pieces that the surfaces of a brush entity are made of.

Polygons that are faces of one brush of the map are a piece: what their hull encloses or, where not all of the brush is
seen, the brush itself, if all its vertices were moved by one affine map. Otherwise a loose part of the mesh is a piece
if all its polygons lie on the hull around it; what the hull has more are sides that no polygon is on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ... import convex_hull, matrices
from ...arrays import Bools, Floats, Ints
from ...convex_hull import Hull
from ..edits.brush_models import Piece
from ..faces.surfaces import Surfaces

NEAR = 0.02
"""Units that a polygon's corners may lie off the hull."""
SAME = 0.05
"""Units that a brush's corners may lie off the hull of its polygons."""


@dataclass(frozen=True, slots=True, eq=False)
class ConvexSolid:
    """A convex piece."""

    points: Floats
    """float64[k, 3], which the hull's corners are numbers of."""
    hull: Hull
    polygons: Ints
    """int64[n], those that are on it."""
    sides: Ints
    """int64[n], which of the hull's faces each is on."""
    brush: int
    """Which of the old pieces it was, -1: none."""


@dataclass(frozen=True, slots=True, eq=False)
class Parted:
    """What a mesh is made of."""

    solids: list[ConvexSolid]
    bent: Ints
    """int64[n], polygons of parts that are no convex pieces."""


def find(surfaces: Surfaces, polygons: Ints, brush_of: Ints, copy_of: Ints, corners: Sequence[Floats]) -> Parted:
    """The pieces of polygons int64[n]. brush_of: int64[n], which of the old pieces each was drawn on, -1: none that is
    known. copy_of: the same, of copies and cut off parts of faces too. corners: of each of the old pieces,
    float64[k, 3].
    """
    solids: list[ConvexSolid] = []
    bent = [np.zeros(0, np.int64)]
    for part in _loose(surfaces, polygons):
        numbers, brushes = polygons[part], brush_of[part]
        several = _brushes(surfaces, numbers, copy_of[part], corners)
        if several is not None:
            solids += several
            continue
        one = _solid(surfaces, numbers, _most(brushes))
        known = (brushes >= 0).all() and len(np.unique(brushes)) == 1
        if isinstance(one, ConvexSolid) and not (known and not _is_whole(surfaces, numbers, corners[int(brushes[0])])):
            solids.append(one)
        else:
            off = one if not isinstance(one, ConvexSolid) and one.any() else np.ones(len(numbers), np.bool_)
            bent.append(numbers[off])
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


def _brushes(surfaces: Surfaces, polygons: Ints, brushes: Ints, corners: Sequence[Floats]) -> list[ConvexSolid] | None:
    """A part as the brushes that its polygons were drawn on; None where it isn't that."""
    if brushes.min(initial=0) < 0:
        return None
    found = []
    for brush in np.unique(brushes).tolist():
        numbers = polygons[brushes == brush]
        solid = _solid(surfaces, numbers, brush) if _is_whole(surfaces, numbers, corners[brush]) else None
        if not isinstance(solid, ConvexSolid):
            solid = _carried(surfaces, numbers, brush, corners[brush])
        if solid is None:
            return None
        found.append(solid)
    return found


def _is_whole(surfaces: Surfaces, polygons: Ints, corners: Floats) -> bool:
    """Whether the faces that polygons are have all corners of their brush."""
    was = _as_drawn(surfaces, surfaces.faces[polygons])
    off = np.abs(corners[:, None] - was[None]).max(axis=2).min(axis=1)
    return bool(off.max(initial=0) <= SAME)


def _carried(surfaces: Surfaces, polygons: Ints, brush: int, corners: Floats) -> ConvexSolid | None:
    """A brush that has gone with the vertices of its polygons; None where no affine map says where to."""
    carry = carry_of(surfaces, polygons)
    if carry is None:
        return None
    moved = corners @ carry[:3] + carry[3]
    hull = convex_hull.hull(moved)
    return None if hull is None else _placed(surfaces, polygons, brush, moved, hull)


def carry_of(surfaces: Surfaces, polygons: Ints) -> Floats | None:
    """The affine map that has moved all vertices of polygons that the map has from where they were, float64[4, 3];
    None: there is none.

    Points are rows: `p @ map[:3] + map[3]`. Of polygons in one plane, what is across it turns along, as wide as it was.
    """
    places = np.concatenate([np.arange(*surfaces.starts[n : n + 2]) for n in polygons.tolist()])
    vertices = np.unique(surfaces.corners[places])
    vertices = vertices[surfaces.vertices[vertices] >= 0]
    if len(vertices) < 3:
        return None
    was = surfaces.model_faces.positions[surfaces.vertices[vertices]].astype(np.float64)
    now = surfaces.positions[vertices]
    middle, mean = was.mean(axis=0), now.mean(axis=0)
    across = np.linalg.svd(was - middle, full_matrices=False)[2][2]
    if np.abs((was - middle) @ across).max() <= NEAR:
        first = int(polygons[0])
        old, new = _normal(_as_drawn(surfaces, surfaces.faces[[first]])), _normal(points_of(surfaces, first))
        was, now = np.concatenate([was, [middle + old]]), np.concatenate([now, [mean + new]])
    spread = np.column_stack([was - middle, np.ones(len(was))])
    carry, _, rank, _ = np.linalg.lstsq(spread, now, rcond=1e-9)
    if rank < 4 or np.abs(spread @ carry - now).max() > NEAR:
        return None
    carry[3] -= middle @ carry[:3]
    return np.asarray(carry)


def moved(piece: Piece, carry: Floats) -> Piece:
    """A piece where an affine map, float64[4, 4], puts it. Raises ValueError for a map that flattens it."""
    try:
        normals = piece.normals @ matrices.inverse(carry[:3]).T
    except np.linalg.LinAlgError as error:
        raise ValueError("it is flat") from error
    lengths = np.sqrt((normals * normals).sum(axis=1))
    dists = (piece.dists + normals @ carry[3]) / lengths
    return Piece(normals / lengths[:, None], dists, piece.texinfos, piece.contents)


def _as_drawn(surfaces: Surfaces, faces: Ints) -> Floats:
    """The corners of faces of the original, float64[n, 3]."""
    places, _ = surfaces.model_faces.corners(faces)
    return np.asarray(surfaces.model_faces.positions[surfaces.model_faces.polygons.corners[places]], np.float64)


def _most(brushes: Ints) -> int:
    """The brush that most polygons were drawn on, -1 for none."""
    known = brushes[brushes >= 0]
    return int(np.bincount(known).argmax()) if len(known) else -1


def points_of(surfaces: Surfaces, polygon: int) -> Floats:
    """The corners of a polygon, float64[n, 3], anticlockwise."""
    first, end = surfaces.starts[polygon : polygon + 2]
    return np.asarray(surfaces.positions[surfaces.corners[first:end]])


def _solid(surfaces: Surfaces, polygons: Ints, brush: int) -> ConvexSolid | Bools:
    """The piece of polygons; or which of them, bool[n], are not on the hull around them (none: there is no hull)."""
    points = np.concatenate([points_of(surfaces, polygon) for polygon in polygons.tolist()])
    around = convex_hull.hull(points)
    if around is None:
        return np.zeros(len(polygons), np.bool_)
    sides = _sides(surfaces, polygons, around)
    bad = sides < 0
    return bad if bad.any() else ConvexSolid(points, around, polygons, sides, brush)


def _placed(surfaces: Surfaces, polygons: Ints, brush: int, points: Floats, hull: Hull) -> ConvexSolid | None:
    sides = _sides(surfaces, polygons, hull)
    return None if (sides < 0).any() else ConvexSolid(points, hull, polygons, sides, brush)


def _sides(surfaces: Surfaces, polygons: Ints, hull: Hull) -> Ints:
    """int64[n]: the face of the hull that each polygon is on, -1: none."""
    sides = np.full(len(polygons), -1, np.int64)
    for number, polygon in enumerate(polygons.tolist()):
        ring = points_of(surfaces, polygon)
        off = np.abs(ring @ hull.normals.T - hull.dists).max(axis=0)
        on = (off <= NEAR) & (hull.normals @ _normal(ring) > 0)
        if on.any():
            sides[number] = int(np.where(on, off, np.inf).argmin())
    return sides


def _normal(ring: Floats) -> Floats:
    """Out of the front of an anticlockwise polygon, of length 1; 0 for one without an area."""
    arms = ring - ring[0]
    total = np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)
    length = float(np.sqrt(total @ total))
    return np.asarray(total / length if length > 0 else total)
