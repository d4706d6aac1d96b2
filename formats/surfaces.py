# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed surfaces of polygons: their separate shells, what is bent or concave, their volumes and distinct planes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from . import convex
from .arrays import Bools, Floats, Ints
from .counting import number_of

NEAR = 1e-2
"""Units: how far a point may be off a plane and still be taken to lie in it. As `formats.convex` clips."""
SAME_DIRECTION = 1e-6
"""1 - cosine: normals nearer than this are one (0.08 degrees)."""


class SurfaceError(ValueError):
    """A surface that no brush can be made of.

    faces: numbers of those at fault. splits: cut apart, it would do. flaw: what is wrong, where that can be mended.
    """

    def __init__(
        self, message: str, faces: npt.ArrayLike, splits: bool = False, flaw: Literal["", "bent", "inverted"] = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.flaw = flaw
        self.splits = splits
        self.faces: Ints = np.asarray(faces, np.int64).reshape(-1)


@dataclass(frozen=True, slots=True)
class Surface:
    """Polygons, counter-clockwise seen from outside, laid out as in `convex.Polygons`, each with its plane."""

    positions: Floats
    """float64[n, 3]."""
    corners: Ints
    first_corner: Ints
    """int64[f + 1]."""
    normals: Floats
    """float64[f, 3], of length 1."""
    dists: Floats
    """float64[f]."""
    known: Bools
    """bool[f], those whose plane is certain, so that of several in one plane theirs is taken."""

    @property
    def corner_face(self) -> Ints:
        """int64[corners]: the face of each."""
        return np.repeat(np.arange(len(self.first_corner) - 1), np.diff(self.first_corner))

    def ring(self, face: int) -> Floats:
        """The corners of a face, float64[k, 3]."""
        return np.asarray(self.positions[self.corners[self.first_corner[face] : self.first_corner[face + 1]]])


def surface(positions: npt.ArrayLike, corners: npt.ArrayLike, first_corner: npt.ArrayLike) -> Surface:
    """A surface with the planes that its polygons have (see `convex.planes`); none of them is known."""
    points = np.asarray(positions, np.float64).reshape(-1, 3)
    numbers, starts = np.asarray(corners, np.int64), np.asarray(first_corner, np.int64)
    normals, dists, _ = convex.planes(points, numbers, starts)
    return Surface(points, numbers, starts, normals, dists, np.zeros(len(dists), np.bool_))


def shells(of: Surface) -> Ints:
    """The shell of each face, int64[f], as the number of one of its faces. Raises SurfaceError where edges are open."""
    # By the mesh's own vertices first: solids that only touch each other stay apart. Then by places.
    _, places = np.unique(of.positions + 0.0, axis=0, return_inverse=True)
    twins, loose = _twins(of, np.arange(len(of.positions)))
    if loose.any():
        twins, loose = _twins(of, places.reshape(-1))
    if loose.any():  # editors keep each face's corners by themselves, and round them by themselves
        twins, loose = _twins(of, near_places(of.positions))
    owners = of.corner_face
    if loose.any():
        faces = np.unique(owners[loose])
        raise SurfaceError(
            f"it is open: {number_of(len(faces), 'faces have')} an edge that no other face continues", faces
        )
    paired = twins >= 0
    one, other = owners[paired], owners[twins[paired]]
    labels = np.arange(len(of.dists))
    while True:
        smaller = labels.copy()
        np.minimum.at(smaller, one, labels[other])
        smaller = smaller[smaller]
        if np.array_equal(smaller, labels):
            return labels
        labels = smaller


def near_places(points: Floats) -> Ints:
    """The place of each point, as the number of a point there, int64[n]: those that NEAR or less parts are in one.

    Places grow together where there are more points between them, so they may be a few NEAR wide.
    """
    labels = np.arange(len(points))
    shifts = np.array(list(itertools.product((0.0, 0.5), repeat=3)))  # within half a cell two share one of these
    cells = [
        np.unique(np.floor(points / (2 * NEAR) + shift), axis=0, return_inverse=True)[1].reshape(-1) for shift in shifts
    ]
    while True:
        before = labels.copy()
        for cell in cells:
            least = np.full(len(points), len(points))
            np.minimum.at(least, cell, labels)
            labels = least[cell]
        if np.array_equal(labels, before):
            return labels


def _twins(of: Surface, vertices: Ints) -> tuple[Ints, Bools]:
    """The corner whose edge is that of each corner the other way round (-1: none, its edge is a point), and which
    corners' edges are not met by exactly one other.
    """
    starts = vertices[of.corners]
    ends = starts[_following(of.first_corner)]
    count = len(vertices)
    forth, back = starts * count + ends, ends * count + starts
    order = np.argsort(forth, kind="stable")
    ordered = forth[order]
    first = np.searchsorted(ordered, back, "left")
    number = np.searchsorted(ordered, back, "right") - first
    own = np.searchsorted(ordered, forth, "right") - np.searchsorted(ordered, forth, "left")
    point = starts == ends
    loose = ~point & ((number != 1) | (own != 1))
    twins = np.where(point | loose, -1, order[np.minimum(first, len(order) - 1)])
    return twins, loose


def _following(first_corner: Ints) -> Ints:
    """The corner after each corner of its polygon."""
    following = np.arange(1, first_corner[-1] + 1)
    sizes = np.diff(first_corner)
    following[first_corner[1:][sizes > 0] - 1] = first_corner[:-1][sizes > 0]
    return following


def bent(of: Surface) -> Ints:
    """The faces that have a corner off their plane, int64[n]."""
    owners = of.corner_face
    off = np.abs((of.positions[of.corners] * of.normals[owners]).sum(axis=1) - of.dists[owners])
    worst = np.zeros(len(of.dists))
    np.maximum.at(worst, owners, off)
    # A face without an area bounds nothing: its neighbours' edges meet without it.
    return np.flatnonzero((worst > NEAR) & of.normals.any(axis=1))


def volumes(of: Surface) -> Floats:
    """What each face adds to the volume that they enclose, float64[f]; the sum is negative if they face inwards."""
    owners = of.corner_face
    points = of.positions[of.corners] - of.positions.mean(axis=0)
    first = points[of.first_corner[:-1].clip(max=len(points) - 1)]
    parts = np.einsum("ij,ij->i", first[owners], np.cross(points, points[_following(of.first_corner)]))
    return np.bincount(owners, parts, len(of.dists)) / 6


def _areas(of: Surface) -> Floats:
    """The area of each face, negative where it turns the other way round than its normal says."""
    owners = of.corner_face
    points = of.positions[of.corners] - of.positions.mean(axis=0)
    parts = np.einsum("ij,ij->i", of.normals[owners], np.cross(points, points[_following(of.first_corner)]))
    return np.bincount(owners, parts, len(of.dists)) / 2


def concave(of: Surface, faces: Ints) -> Ints:
    """Which of a shell's faces, int64[k], have parts of the shell before them: int64[n]."""
    points = of.positions[np.unique(of.corners[np.isin(of.corner_face, faces)])]
    step = max(1, (1 << 22) // len(points))
    before = [
        (of.normals[some] @ points.T > of.dists[some, None] + NEAR).any(axis=1)
        for some in (faces[start : start + step] for start in range(0, len(faces), step))
    ]
    result: Ints = faces[np.concatenate(before)]
    return result


@dataclass(slots=True)
class Planes:
    """Distinct planes of a surface, numbered; `reverse` gives each its own other side."""

    normals: list[Floats] = field(default_factory=list)
    dists: list[float] = field(default_factory=list)
    leads: list[int] = field(default_factory=list)  # the face that each is taken from
    of_face: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # -1: of no area
    _reversed: dict[int, int] = field(default_factory=dict)

    def add(self, normal: Floats, dist: float, lead: int) -> int:
        """Number another plane. normal: float64[3]. lead: the face that it is taken from."""
        self.normals.append(normal)
        self.dists.append(dist)
        self.leads.append(lead)
        return len(self.dists) - 1

    def find(self, normal: Floats, points: Floats) -> int:
        """The plane with this normal, float64[3], that points, float64[n, 3], lie in; -1 if there is none."""
        if not self.dists:
            return -1
        normals, dists = np.array(self.normals), np.array(self.dists)
        near = np.flatnonzero(normals @ normal >= 1 - SAME_DIRECTION)
        if not len(near):
            return -1
        off = np.abs(normals[near] @ points.T - dists[near, None]).max(axis=1)
        best = int(off.argmin())
        return int(near[best]) if off[best] <= NEAR else -1

    def reverse(self, plane: int, points: Floats) -> int:
        """The number of a plane seen from behind. points: float64[n, 3], some that lie in it."""
        if plane not in self._reversed:
            other = self.find(-self.normals[plane], points)
            if other < 0:
                other = self.add(-self.normals[plane], -self.dists[plane], self.leads[plane])
            self._reversed[plane] = other
            self._reversed[other] = plane
        return self._reversed[plane]


def planes(of: Surface, faces: Ints) -> Planes:
    """The distinct planes of faces, int64[k]: known ones first, then those of large faces."""
    table = Planes(of_face=np.full(len(of.dists), -1, np.int64))
    sizes = np.abs(_areas(of))
    order = faces[np.lexsort((-sizes[faces], ~of.known[faces]))]
    for face in order[of.normals[order].any(axis=1)].tolist():
        found = table.find(of.normals[face], of.ring(face))
        table.of_face[face] = found if found >= 0 else table.add(of.normals[face], float(of.dists[face]), face)
    return table
