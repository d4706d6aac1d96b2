# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces as flat rings, one each: where there are holes, the ring runs to each hole and back (ns2.md §9).

Rings are rows of padded arrays: `rings` int[n, m] of corner numbers (members of loops), -1 behind the last one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Indices, Reals
from .ears import batches
from .walk import gather

MOST_CORNERS = 2048  # of a face that is cut: tables of corners by corners are made
_FAR = 1e9  # metres: beyond every hit on the right side


@dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """A batch of n faces as rings of up to m corners."""

    faces: Indices
    """[n]."""
    rings: Indices
    """[n, m]."""
    sizes: Indices
    """[n]: corners of each ring."""
    flat: Reals
    """[n, m, 2]: the corners in their planes, counter-clockwise; NaN behind them."""
    complete: Bools
    """[n]: all holes could be joined to their border. Those that couldn't are missing in the ring."""


def padded(begins: Indices, sizes: Indices) -> tuple[Indices, Bools]:
    """Numbers begins[i] to begins[i] + sizes[i] as rows, and where there are any (else a row repeats its first)."""
    slots = np.arange(int(sizes.max(initial=0)))
    valid = slots < sizes[:, None]
    return np.asarray(begins[:, None] + np.where(valid, slots, 0)), valid


def area_normals(points: Reals, valid: Bools) -> Reals:
    """Sum of p(i) x p(i + 1) round polygons [n, m, 3]: twice the area, along the visible side's normal (ns2.md §7).

    Summed up corner after corner in the points' own precision: the editor's choice of a plane depends on it.
    """
    rows = np.arange(len(points))
    following = np.roll(points, -1, axis=1)
    following[rows, np.maximum(valid.sum(axis=1) - 1, 0)] = points[:, 0]
    (x1, y1, z1), (x2, y2, z2) = np.moveaxis(points, 2, 0), np.moveaxis(following, 2, 0)
    crosses = np.stack([y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2], axis=2)
    crosses[~valid] = 0
    return np.asarray(np.add.accumulate(crosses, axis=1)[:, -1])


def flattened(points: Reals, normals: Reals) -> Reals:
    """Points [k, 3] without the axis along which their normal [k, 3] is longest, so that polygons turn left."""
    axis = np.abs(normals).argmax(axis=1)
    rows = np.arange(len(points))
    up = normals[rows, axis] > 0
    u = points[rows, np.array([1, 2, 1])[axis]]
    v = points[rows, np.array([2, 0, 0])[axis]]
    return np.stack([np.where(np.where(axis == 2, up, ~up), -u, u), v], axis=1)


def rings(
    positions: Reals, corners: Indices, face_loops: Indices, loop_members: Indices, *, share: bool = False
) -> Iterator[Rings]:
    """All faces as rings, in batches of like sizes; faces of fewer than 3 or more than 2,048 corners are left out.

    `positions` float[v, 3], `corners` int[k]: the vertex of each member, `face_loops` int[n + 1] and `loop_members`
    int[l + 1]: where the loops of faces and the members of loops begin. `share`: a hole that touches the border in the
    corner to be joined is joined there, without a bridge of no length (the editor makes one).
    """
    begins = loop_members[face_loops[:-1]]
    borders = loop_members[face_loops[:-1] + 1] - begins
    totals = loop_members[face_loops[1:]] - begins
    holes = np.diff(face_loops) - 1
    usable = (borders > 2) & (totals <= MOST_CORNERS)
    plain, holed = np.flatnonzero(usable & (holes == 0)), np.flatnonzero(usable & (holes > 0))
    for batch in batches(borders[plain]):
        yield _simple(positions, corners, begins[plain[batch]], borders[plain[batch]], plain[batch])
    for batch in batches(totals[holed] + 2 * holes[holed], dimensions=1):
        faces = holed[batch]
        flat, border, inner = _with_holes(positions, corners, face_loops, loop_members, faces)
        ring, sizes, complete = _bridged(flat, border, inner, corners if share else None)
        for part in batches(sizes):
            own = ring[part, : int(sizes[part].max())]
            points = np.where(own[..., None] >= 0, flat[own], np.nan)
            yield Rings(faces[part], own, sizes[part], points, complete[part])


@np.errstate(over="ignore", invalid="ignore")
def _simple(positions: Reals, corners: Indices, begins: Indices, sizes: Indices, faces: Indices) -> Rings:
    """Faces without holes as rings. begins, sizes: where their corners begin, and how many they are."""
    ring, valid = padded(begins, sizes)
    points = positions[corners[ring]]
    normals = area_normals(points, valid)
    flat = flattened(points.reshape(-1, 3), np.repeat(normals, points.shape[1], axis=0)).reshape(*ring.shape, 2)
    flat[~valid] = np.nan
    return Rings(faces, np.where(valid, ring, -1), sizes, flat, np.ones(len(faces), bool))


@np.errstate(over="ignore", invalid="ignore")
def _with_holes(
    positions: Reals, corners: Indices, face_loops: Indices, loop_members: Indices, faces: Indices
) -> tuple[Reals, Indices, Indices]:
    """Faces with holes, as `_bridged` takes them: all corners flat, borders, holes."""
    begins = loop_members[face_loops[faces]]
    ring, valid = padded(begins, loop_members[face_loops[faces] + 1] - begins)
    normals = area_normals(positions[corners[ring]], valid)
    loops, which = gather(face_loops, faces)
    members, numbers = gather(loop_members, which)
    owners = np.repeat(np.repeat(np.arange(len(faces)), np.diff(loops)), np.diff(members))
    flat = np.zeros((len(corners), 2), positions.dtype)
    flat[numbers] = flattened(positions[corners[numbers]], normals[owners])
    holes = int(np.diff(loops).max()) - 1
    inner = np.full((len(faces), holes, int(np.diff(members).max())), -1, np.intp)
    turns = np.arange(loops[-1]) - np.repeat(loops[:-1], np.diff(loops)) - 1
    slots = np.arange(members[-1]) - np.repeat(members[:-1], np.diff(members))
    turn = np.repeat(turns, np.diff(members))
    inside = turn >= 0
    inner[owners[inside], turn[inside], slots[inside]] = numbers[inside]
    return flat, np.where(valid, ring, -1), inner


@np.errstate(over="ignore", invalid="ignore")
def _bridged(flat: Reals, borders: Indices, holes: Indices, vertices: Indices | None) -> tuple[Indices, Indices, Bools]:
    """Insert holes int[n, h, c] of corner numbers into borders int[n, b]: rings, their sizes, whether all went in.

    The hole that reaches furthest along u comes first; its furthest corner M is joined to a corner P of the ring that
    it can see: the ring up to P, the hole from M round to M, and from P again.
    """
    rows = np.arange(len(borders))
    sizes = (borders >= 0).sum(axis=1)
    counts = (holes >= 0).sum(axis=2)
    width = int((sizes + np.where(counts > 0, counts + 2, 0).sum(axis=1)).max(initial=0))
    result = np.full((len(borders), width), -1, np.intp)
    result[:, : borders.shape[1]] = borders
    u = np.where(holes >= 0, flat[holes, 0], -np.inf)
    order = np.argsort(-u.max(axis=2), axis=1, kind="stable")
    furthest = u.argmax(axis=2)
    complete = np.ones(len(borders), bool)
    for turn in range(holes.shape[1]):
        some = np.flatnonzero(counts[rows, order[:, turn]] > 0)
        if not len(some):
            break
        hole = order[some, turn]
        start = furthest[some, hole]
        inner = holes[some, hole, start]
        at = _visible(flat, result[some, : int(sizes[some].max())], sizes[some], inner)
        good = at >= 0
        complete[some[~good]] = False
        some, hole, start, inner, at = some[good], hole[good], start[good], inner[good], at[good]
        count = counts[some, hole]
        touch = np.zeros(len(some), np.intp)
        if vertices is not None:
            touch += vertices[result[some, at]] == vertices[inner]
        more = count + np.where(touch, 0, 2)
        sizes[some] += more
        slots = np.arange(int(sizes[some].max(initial=0)))
        ring = result[some, : len(slots)]
        inside = slots - at[:, None] - 1
        around = np.take_along_axis(holes[some, hole], (start[:, None] + touch[:, None] + inside) % count[:, None], 1)
        later = np.take_along_axis(ring, np.maximum(slots - more[:, None], 0), axis=1)
        end = np.where(touch, count, count + 1)
        result[some, : len(slots)] = np.where(inside < 0, ring, np.where(inside < end[:, None], around, later))
    return result, sizes, complete


def _visible(flat: Reals, rings_: Indices, sizes: Indices, inner: Indices) -> Indices:
    """The place in each ring of a corner that the inner corner can see along u; -1 if there is none."""
    rows = np.arange(len(rings_))
    slots = np.arange(rings_.shape[1])
    valid = slots < sizes[:, None]
    after = np.where(slots + 1 < sizes[:, None], slots + 1, 0)
    before = np.where(slots > 0, slots - 1, sizes[:, None] - 1)
    here = np.where(valid[..., None], flat[rings_], np.nan) - flat[inner][:, None]
    following, last = here[rows[:, None], after], here[rows[:, None], before]
    with np.errstate(invalid="ignore", divide="ignore"):
        # The nearest edge that runs up across the ray from the inner corner along u.
        u1, v1, u2, v2 = here[..., 0], here[..., 1], following[..., 0], following[..., 1]
        hits = np.where(v1 == v2, np.minimum(u1, u2), u1 + v1 / (v1 - v2) * (u2 - u1))
        hits = np.where((v1 == 0) & (v2 != 0), u1, np.where((v2 == 0) & (v1 != 0), u2, hits))
        hits = np.where((v1 <= 0) & (v2 >= 0), hits, np.inf)
        edge = np.where(hits >= 0, hits, _FAR - hits).argmin(axis=1)
        reach = hits[rows, edge]
        low, high = edge, after[rows, edge]
        on_low, on_high = v1[rows, low] == 0, v2[rows, edge] == 0
        ahead = u1[rows, edge] > u2[rows, edge]
        end = np.where(on_low & on_high, np.where(ahead, high, low), np.where(ahead, low, high))
        end = np.where(on_low & ~on_high, low, np.where(on_high & ~on_low, high, end))
        # Of reflex corners in the triangle of the inner corner, the hit and the end, the one nearest to the ray.
        target = here[rows, end]
        upward = np.where(target[:, 1:] < 0, -1, 1)
        px, py, far = target[:, :1], target[:, 1:], reach[:, None]
        within = valid & (_cross(here - last, following - last) <= 0) & (far * v1 * upward >= 0)
        within &= (py * u1 - px * v1) * upward >= 0
        within &= ((px - far) * v1 - py * (u1 - far)) * upward >= 0
        length = u1 * u1 + v1 * v1
        cosines = np.where(within & (length > 0), u1 * u1 / length, -2)
        straight = px[:, 0] ** 2 / (target**2).sum(axis=1)
        cosines[rows, end] = np.where(px[:, 0] > 0, straight, -1)
        best = cosines == cosines.max(axis=1)[:, None]
        chosen = np.where(best, length, np.inf).argmin(axis=1)
        chosen = np.where(on_low | on_high, end, chosen)
        # Of several times that the ring passes there, the one that has the inner corner inside.
        corner = here[rows, chosen][:, None]
        there = (u1 == corner[..., 0]) & (v1 == corner[..., 1])
        if (there.sum(axis=1) > 1).any():
            into, out, back = last - corner, following - corner, -corner
            wide = _cross(out, into) < 0
            between = (_cross(out, back) >= 0) & (_cross(back, into) >= 0)
            outside = (_cross(into, back) > 0) & (_cross(back, out) > 0)
            facing = there & np.where(wide, ~outside, between)
            chosen = np.where(facing.any(axis=1), facing.argmax(axis=1), chosen)
    return np.where(np.isfinite(reach), chosen, -1)


def _cross(one: Reals, two: Reals) -> Reals:
    return np.asarray(one[..., 0] * two[..., 1] - one[..., 1] * two[..., 0])
