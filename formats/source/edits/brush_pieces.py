# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex pieces as the compiler has them: sides in its order, and the bevels that boxes collide with (source.md §2.2).

A brush's first six sides look along -x, +x, -y, +y, -z, +z. Those that it hasn't are added as bevels; then, for each
edge across all axes, the planes through it along an axis that touch the brush in no more than that edge.
"""

from dataclasses import dataclass

import numpy as np

from ... import convex, ranges
from ...arrays import Array, Floats, Ints
from ...binary import FormatError
from ...convex import Polygons

WHAT = "brush model"
_SNAP = 1e-5  # of a direction's numbers to 0 and 1
_SAME_DIST = 0.01  # units: planes that are nearer are one
_OFF = 0.1  # units that a brush must come behind a bevel, and may come before it
_SHORTEST = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A convex piece of a brush model, relative to its entity's origin."""

    normals: Floats
    """float64[k, 3], of length 1: of its sides, out of the solid."""
    dists: Floats
    """float64[k]."""
    texinfos: Ints
    """int64[k], of each side."""
    contents: int
    """Of the brush."""


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The sides of a brush as they are written."""

    normals: Floats
    """float64[n, 3]."""
    dists: Floats
    """float64[n]."""
    source: Ints
    """int64[n], which of the piece's sides each is; -1: a bevel."""


def polygons(pieces: "list[Piece]") -> Polygons:
    """The polygons of pieces; sides that bound nothing have none. FormatError for a piece that encloses nothing."""
    if not pieces:
        raise FormatError("no piece is left of it", WHAT)
    for number, piece in enumerate(pieces):
        count = len(piece.dists)
        if piece.normals.shape != (count, 3) or piece.texinfos.shape != (count,):
            raise FormatError(f"piece {number} has sides that don't fit together", WHAT)
        if not 4 <= count <= convex.MOST_PLANES:
            raise FormatError(f"piece {number} has {count} sides, 4 to {convex.MOST_PLANES} can be", WHAT)
        lengths = (piece.normals * piece.normals).sum(axis=1)
        if not (np.abs(lengths - 1) < 1e-4).all() or not np.isfinite(piece.dists).all():
            raise FormatError(f"piece {number} has a side that is no plane", WHAT)
    found = convex.from_planes(
        np.concatenate([piece.normals for piece in pieces]),
        np.concatenate([piece.dists for piece in pieces]),
        [len(piece.dists) for piece in pieces],
    )
    if not found.closed.all():
        raise FormatError(f"piece {int(found.closed.argmin())} encloses nothing", WHAT)
    return found


def sides(piece: Piece, rings: "list[Floats]") -> Sides:
    """The sides of a piece with its bevels, in the compiler's order. rings: the corners of each side, float64[n, 3]."""
    normals, dists, source = list(piece.normals), piece.dists.tolist(), list(range(len(piece.dists)))
    corners, starts = np.concatenate(rings), ranges.starts([len(ring) for ring in rings if len(ring)])[:-1]
    low, high = corners.min(axis=0), corners.max(axis=0)
    for place in range(6):
        axis, sign = place // 2, place % 2 * 2 - 1
        there = next((n for n in range(len(normals)) if normals[n][axis] == sign), None)
        if there is None:
            there = len(normals)
            normals.append(np.eye(3)[axis] * sign)
            dists.append(float(high[axis] if sign > 0 else -low[axis]))
            source.append(-1)
        for row in (normals, dists, source):
            row[place], row[there] = row[there], row[place]
    for number in range(6, len(normals)):
        if source[number] < 0:
            continue
        ring = rings[source[number]]
        for point, following in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            for normal in _slanted(point - following):
                dist = float(point @ normal)
                if _bevels(normal, dist, corners, starts) and not _known(normal, dist, normals, dists):
                    normals.append(normal)
                    dists.append(dist)
                    source.append(-1)
    return Sides(np.array(normals), np.array(dists), np.array(source, np.int64))


def _slanted(edge: Floats) -> list[Floats]:
    """The planes along an axis that an edge lies in; none of edges that are short or along an axis themselves."""
    length = float(np.sqrt(edge @ edge))
    if length < _SHORTEST:
        return []
    along = edge / length
    if (np.abs(along) >= 1 - _SNAP).any():
        return []
    found = []
    x, y, z = along.tolist()
    for u, v, w in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        across = np.array([y * w - z * v, z * u - x * w, x * v - y * u])
        size = float(np.sqrt(across @ across))
        if size >= _SHORTEST:
            found += [-across / size, across / size]
    return found


def _bevels(normal: Floats, dist: float, corners: Floats, starts: Ints) -> bool:
    """Whether all polygons, which start at these corners, lie behind a plane, and none in it."""
    heights = corners @ normal - dist
    return bool(heights.max() <= _OFF and (np.minimum.reduceat(heights, starts) <= -_OFF).all())


def _known(normal: Floats, dist: float, normals: "list[Floats]", dists: "list[float]") -> bool:
    same = np.abs(np.array(normals) - normal).max(axis=1) < _SAME_DIST
    return bool((same & (np.abs(np.array(dists) - dist) < _SAME_DIST)).any())


def snapped(normals: Array) -> Floats:
    """Directions float[n, 3] of length 1, with those that nearly lie along an axis on it."""
    wide = np.asarray(normals, np.float64)
    slight = np.abs(wide) <= _SNAP
    return np.where((slight.sum(axis=1) == 2)[:, None], np.where(slight, 0.0, np.sign(wide)), wide)
