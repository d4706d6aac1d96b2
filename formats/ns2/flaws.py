# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that the game draws badly though it takes them: without an area, or over another one in the same plane."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Bools, Floats, Indices
from .mesh import Mesh
from .normals import face_normals

LEAST_AREA = 1e-6
"""Square metres: what covers less is a line or a point. The smallest square on the editor's grid of inches has 6e-4."""
APART = 1e-3
"""Metres: planes that are nearer to each other are one, and so much faces may cover of each other."""
_STEEP = 1e-4
"""Of unit normals: those that are nearer to each other are one."""
_BLOCK = 1 << 20
"""Pairs of triangles that are compared at a time."""
_FARTHEST = 2.0**62
"""Steps of APART: planes that are farther away than whole numbers can tell are taken for one."""


def without_area(mesh: Mesh) -> Bools:
    """Which faces cover nothing, bool[f]."""
    faces, points = mesh.faces, mesh.positions.astype(np.float64)
    if not len(faces):
        return np.zeros(0, np.bool_)
    first = faces.loop_members[faces.face_loops[:-1]].clip(max=max(len(mesh.corners) - 1, 0))
    owners = faces.loop_faces[faces.member_loops]
    origin = points[mesh.corners[first]] if len(mesh.corners) else np.zeros((len(faces), 3))
    with np.errstate(invalid="ignore", over="ignore"):
        steps = np.cross(points[mesh.corners] - origin[owners], points[mesh.ends] - origin[owners])
        sums = np.stack([np.bincount(owners, axis, len(faces)) for axis in steps.T], axis=1)
        return np.asarray(~(np.linalg.norm(sums, axis=1) / 2 > LEAST_AREA), np.bool_)


def overlapping(mesh: Mesh, among: Bools) -> Bools:
    """Which faces cover a part of another one that lies in the same plane and is seen from the same side, bool[f]:
    where they are, the game draws now one and now the other.

    among: bool[f], those that are compared.
    """
    result = np.zeros(len(mesh.faces), np.bool_)
    table = mesh.triangles
    if table is None or not len(mesh.faces):
        return result
    owners = np.repeat(np.arange(len(mesh.faces)), np.diff(table.face_triangles))
    corners = table.triangles["vertices"].astype(np.intp)
    known = (corners < len(mesh.vertices)).all(axis=1) & among[owners]
    owners, points = owners[known], mesh.positions.astype(np.float64)[corners[known]]
    normals = face_normals(mesh.positions, mesh.corners, mesh.faces.face_loops, mesh.faces.loop_members)[owners]
    with np.errstate(invalid="ignore"):
        kept = np.isfinite(points).all(axis=(1, 2)) & np.isfinite(normals).all(axis=1)
    owners, points, normals = owners[kept], points[kept], normals[kept]
    planes = _planes(points, normals)
    shared = np.bincount(planes)[planes] > 1
    owners, points, normals, planes = owners[shared], points[shared], normals[shared], planes[shared]
    _, first, planes = np.unique(planes, return_index=True, return_inverse=True)
    planes = planes.reshape(-1)
    flat = _flattened(points, normals[first][planes])
    for one, other in _pairs(flat, owners, planes):
        covered = _cover(flat[one], flat[other])
        result[owners[one[covered]]] = True
        result[owners[other[covered]]] = True
    return result


def _planes(points: Floats, normals: Floats) -> Indices:
    """The plane, and side of it, of each triangle, int[n]: by normals and distances that were rounded."""
    distances = np.rint((points[:, 0] * normals).sum(axis=1) / APART).clip(-_FARTHEST, _FARTHEST)
    keys = np.column_stack([np.rint(normals / _STEEP), distances]).astype(np.int64)
    order = np.lexsort(keys.T)
    ordered = keys[order]
    numbers = np.zeros(len(keys), np.intp)
    numbers[order[1:]] = np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))
    return numbers


def _flattened(points: Floats, normals: Floats) -> Floats:
    """Triangles [n, 3, 2] in their planes, which have these normals, against the clock."""
    across = np.cross(np.eye(3)[np.argmin(np.abs(normals), axis=1)], normals)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    frames = np.stack([across, np.cross(normals, across)], axis=2)
    flat: Floats = points @ frames
    turn = flat[:, 1:] - flat[:, :1]
    clockwise = turn[:, 0, 0] * turn[:, 1, 1] < turn[:, 0, 1] * turn[:, 1, 0]
    flat[clockwise] = flat[clockwise][:, ::-1]
    return flat


def _pairs(flat: Floats, owners: Indices, planes: Indices) -> Iterator[tuple[Indices, Indices]]:
    """Pairs of triangles of one plane and different faces whose boxes overlap: numbers, a block of pairs at a time."""
    if not len(flat):
        return
    low, high = flat.min(axis=1) + APART, flat.max(axis=1) - APART
    least, most = np.full((planes.max() + 1, 2), np.inf), np.full((planes.max() + 1, 2), -np.inf)
    np.minimum.at(least, planes, low)
    np.maximum.at(most, planes, high)
    tall = np.argmax(most - least, axis=1)[planes] == 1  # along the longer side few of them lie beside each other
    low[tall], high[tall] = low[tall][:, ::-1], high[tall][:, ::-1]
    begin, wide = low[:, 0].min(), high[:, 0].max() - low[:, 0].min() + 1
    lefts, rights = (planes * wide + side[:, 0] - begin for side in (low, high))  # planes one beside the other
    order = np.argsort(lefts, kind="stable")
    ends = np.searchsorted(lefts[order], rights[order])
    counts = np.maximum(ends - np.arange(len(order)) - 1, 0)
    for block in np.array_split(np.arange(len(order)), max(1, int(counts.sum()) // _BLOCK)):
        firsts = np.repeat(block, counts[block])
        before = np.cumsum(counts[block]) - counts[block]
        seconds = firsts + 1 + np.arange(len(firsts)) - np.repeat(before, counts[block])
        one, other = order[firsts], order[seconds]
        near = (low[one, 1] < high[other, 1]) & (low[other, 1] < high[one, 1]) & (owners[one] != owners[other])
        yield one[near], other[near]


def _cover(one: Floats, other: Floats) -> Bools:
    """Which pairs of triangles [n, 3, 2], against the clock, overlap by more than APART: no side parts them."""
    apart = np.zeros(len(one), np.bool_)
    for near, far in ((one, other), (other, one)):
        sides = np.roll(near, -1, axis=1) - near
        outward = np.stack([sides[..., 1], -sides[..., 0]], axis=2)
        length = np.linalg.norm(outward, axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            beyond = ((far[:, None] - near[:, :, None]) * outward[:, :, None]).sum(axis=3) / length[..., None]
        apart |= (beyond > -APART).all(axis=2).any(axis=1) | (length <= APART).any(axis=1)
    return ~apart
