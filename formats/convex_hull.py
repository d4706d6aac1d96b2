# SPDX-License-Identifier: GPL-3.0-or-later
"""The convex hull of points in space, as the flat polygons that it consists of.

Points are added one at a time, the farthest first, to a hull of triangles; of these only their planes are taken. So it
does not matter that many points of a level lie in one plane or on one line: corners of a face are what lies on its
plane, in order around it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import Floats, Ints

TOLERANCE = 1e-2
"""Units: what lies this near to a face lies on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """Faces of a convex hull."""

    normals: Floats
    """float64[faces, 3]."""
    dists: Floats
    """float64[faces]: dot(normal, P) of their points."""
    corners: Ints
    """Numbers of the given points, face after face, anticlockwise seen from outside."""
    first_corner: Ints
    """int64[faces + 1]: face f has the corners `first_corner[f]` to `first_corner[f + 1]`."""


def hull(points: npt.ArrayLike, tolerance: float = TOLERANCE) -> Hull | None:
    """The hull of float[n, 3] points; None where they enclose no volume. Of points in one place, the first counts.

    Points that lie on an edge or within a face are no corners.
    """
    given = np.asarray(points, np.float64)
    if not len(given) or not np.isfinite(given).all():
        return None
    middle = (given.min(axis=0) + given.max(axis=0)) / 2
    apart = _apart(given, tolerance)
    centred = given[apart] - middle
    triangles = _triangles(centred, tolerance)
    if triangles is None:
        return None
    normals, dists = _planes(centred, triangles, tolerance)
    rings = [_around(centred, normal, dist, tolerance) for normal, dist in zip(normals, dists.tolist(), strict=True)]
    used = np.array([number for number, ring in enumerate(rings) if len(ring) > 2], np.int64)
    if len(used) < 4:
        return None
    sizes = [len(rings[number]) for number in used]
    return Hull(
        normals[used],
        dists[used] + normals[used] @ middle,
        apart[np.concatenate([rings[number] for number in used])],
        np.concatenate([[0], np.cumsum(sizes)]),
    )


def _apart(points: Floats, tolerance: float) -> Ints:
    """The points that no earlier one lies at."""
    alone = np.ones(len(points), np.bool_)
    for number in range(len(points)):
        if alone[number]:
            alone[number + 1 :] &= np.abs(points[number + 1 :] - points[number]).max(axis=1) > tolerance
    return np.flatnonzero(alone)


def _first_four(points: Floats, tolerance: float) -> list[int] | None:
    """Four points that are far apart; None if all lie in one plane."""
    one = int(points[:, int(np.ptp(points, axis=0).argmax())].argmin())
    away = points - points[one]
    two = int((away * away).sum(axis=1).argmax())
    across = np.cross(away, away[two])
    three = int((across * across).sum(axis=1).argmax())
    normal = np.cross(away[two], away[three])
    length = float(np.sqrt(normal @ normal))
    if length <= tolerance * tolerance:
        return None
    heights = away @ (normal / length)
    four = int(np.abs(heights).argmax())
    if abs(heights[four]) <= tolerance:
        return None
    return [one, three, two, four] if heights[four] > 0 else [one, two, three, four]


def _triangles(points: Floats, tolerance: float) -> Ints | None:
    """Triangles int64[t, 3] of the hull, anticlockwise; some may have no area."""
    start = _first_four(points, tolerance)
    if start is None:
        return None
    a, b, c, d = start
    triangles = np.array([[a, b, c], [a, d, b], [b, d, c], [c, d, a]])
    done = np.zeros(len(points), np.bool_)
    done[start] = True
    while True:
        normals, dists = _normals(points, triangles)
        heights = points @ normals.T - dists
        heights[done] = -np.inf
        highest = heights.max(axis=1)
        point = int(highest.argmax())
        if highest[point] <= tolerance / 8:
            return triangles
        seen = heights[point] > 1e-9
        edges = triangles[seen][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        keys, back = edges @ [len(points), 1], edges @ [1, len(points)]
        rim = edges[~np.isin(keys, back)]
        fresh = np.column_stack([rim, np.full(len(rim), point)])
        triangles = np.concatenate([triangles[~seen], fresh])
        done[point] = True


def _normals(points: Floats, triangles: Ints) -> tuple[Floats, Floats]:
    """Normals of triangles, and their dists; those of triangles without an area have everything below them."""
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.sqrt((normals * normals).sum(axis=1))
    flat = lengths <= 1e-12
    normals /= np.where(flat, 1, lengths)[:, None]
    normals[flat] = 0
    return normals, np.where(flat, np.inf, (normals * a).sum(axis=1))


def _planes(points: Floats, triangles: Ints, tolerance: float) -> tuple[Floats, Floats]:
    """The planes of triangles, each once: of those in one plane that of the largest, with all points behind it."""
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.sqrt((normals * normals).sum(axis=1))
    order = np.argsort(-areas, kind="stable")
    order = order[areas[order] > tolerance * tolerance]
    found = normals[order] / areas[order][:, None]
    dists = np.asarray((points @ found.T).max(axis=0))
    corners = points[triangles[order]]
    alone = np.ones(len(order), np.bool_)
    kept: list[int] = []
    for number in range(len(order)):
        if alone[number]:  # a sliver's normal is worth little: what counts is that its corners lie on the plane
            kept.append(number)
            off = np.abs(corners @ found[number] - dists[number]).max(axis=1)
            alone &= (off > tolerance) | (found @ found[number] < 0)
    return found[kept], dists[kept]


def _around(points: Floats, normal: Floats, dist: float, tolerance: float) -> Ints:
    """The corners of the face on a plane, in order; none for a face without an area."""
    on = np.flatnonzero(points @ normal >= dist - tolerance)
    u = np.zeros(3)
    u[int(np.abs(normal).argmin())] = 1
    u = np.cross(normal, u)
    u /= np.sqrt(u @ u)
    flat = np.column_stack([points[on] @ u, points[on] @ np.cross(normal, u)])
    return on[_outline(flat, tolerance)]


def _outline(points: Floats, tolerance: float) -> list[int]:
    """The corners of the convex outline of float64[n, 2] points, anticlockwise."""
    order = np.lexsort([np.arange(len(points)), points[:, 1], points[:, 0]]).tolist()

    def chain(numbers: list[int]) -> list[int]:
        kept: list[int] = []
        for number in numbers:
            while len(kept) > 1:
                along, arm = points[number] - points[kept[-2]], points[kept[-1]] - points[kept[-2]]
                if arm[0] * along[1] - arm[1] * along[0] > tolerance / 10 * np.sqrt(along @ along):
                    break
                kept.pop()
            kept.append(number)
        return kept

    return chain(order)[:-1] + chain(order[::-1])[:-1]
