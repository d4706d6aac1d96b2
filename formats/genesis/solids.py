# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of convex solids, and cutting them as the editor does. All that is in a batch is cut in one go."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..arrays import Array, Bools, Indices, Singles
from .windings import BACK, FRONT, ON, WindingPlanes, clipped, padded, planes_of, sheets, sides_of

MIN_FACES = 4  # of a solid
SPLIT = 3  # beside FRONT, BACK and ON: a face on both sides


@dataclass(slots=True, eq=False)
class Solids:
    """A batch of solids.

    `points` float32[n, f, v, 3]; `counts` int[n, f], 0 where a solid has no such face; planes: `normals` and `dists`;
    `origins` int[n, f]: numbers of the faces that they look like.
    """

    points: Singles
    counts: Indices
    normals: Singles
    dists: Singles
    origins: Indices

    def __len__(self) -> int:
        return len(self.points)

    @classmethod
    def of(cls, polygons: list[list[Singles]], origins: list[list[int]]) -> Self:
        """Solids of lists of polygons, float32[n, 3] each; faces without a normal are left out."""
        faces = max(map(len, polygons), default=1) or 1
        corners = max((len(points) for solid in polygons for points in solid), default=3)
        solids = cls.empty(len(polygons), faces, corners)
        for number, (solid, names) in enumerate(zip(polygons, origins, strict=True)):
            for face, points in enumerate(solid):
                solids.points[number, face, : len(points)] = points
                solids.counts[number, face] = len(points)
            solids.origins[number, : len(names)] = names
        solids.measure()
        return solids.compact()

    @classmethod
    def empty(cls, count: int, faces: int, corners: int) -> Self:
        """Solids without faces."""
        return cls(
            np.zeros((count, faces, corners, 3), np.float32),
            np.zeros((count, faces), np.intp),
            np.zeros((count, faces, 3), np.float32),
            np.zeros((count, faces), np.float32),
            np.full((count, faces), -1, np.intp),
        )

    def take(self, which: Array | list[int]) -> Self:
        """Some of the solids, as copies."""
        index = np.asarray(which)
        if index.dtype != bool:
            index = index.astype(np.intp)
        parts = (self.points, self.counts, self.normals, self.dists, self.origins)
        return type(self)(*(part[index] for part in parts))

    @classmethod
    def joined(cls, batches: "list[Self]") -> Self:
        """All solids of several batches."""
        faces = max(batch.counts.shape[1] for batch in batches)
        corners = max(batch.points.shape[2] for batch in batches)
        result = cls.empty(sum(map(len, batches)), faces, corners)
        start = 0
        for batch in batches:
            result.put(slice(start, start + len(batch)), batch)
            start += len(batch)
        return result

    def put(self, here: slice, batch: Self) -> None:
        """Set some of the solids, which have room for the others' faces and corners."""
        wide, high = batch.counts.shape[1], batch.points.shape[2]
        self.points[here, :wide, :high] = batch.points
        self.counts[here, :wide] = batch.counts
        self.normals[here, :wide] = batch.normals
        self.dists[here, :wide] = batch.dists
        self.origins[here, :wide] = batch.origins

    @property
    def exists(self) -> Bools:
        """bool[solids, faces]: which faces there are."""
        return self.counts > 0

    def flat(self) -> tuple[Singles, Indices]:
        """All faces as one row of polygons: float32[n, corners, 3], of which the first int[n] count."""
        count, faces, corners = self.points.shape[:3]
        return self.points.reshape(count * faces, corners, 3), self.counts.reshape(-1)

    def measure(self) -> None:
        """Give faces the planes of their corners. Those without a normal are removed."""
        planes, found = planes_of(*self.flat())
        self.normals = planes.normals.reshape(self.normals.shape)
        self.dists = planes.dists.reshape(self.dists.shape)
        self.counts = np.where(found.reshape(self.counts.shape), self.counts, 0)

    def compact(self) -> Self:
        """The same with faces moved up into the places of those that are missing."""
        order = np.argsort(~self.exists, axis=1, kind="stable")
        faces = max(int(self.exists.sum(axis=1).max(initial=1)), 1)
        corners = max(int(self.counts.max(initial=3)), 3)
        order = order[:, :faces]
        rows = np.arange(len(self))[:, None]
        return type(self)(
            self.points[rows, order, :corners],
            self.counts[rows, order],
            self.normals[rows, order],
            self.dists[rows, order],
            self.origins[rows, order],
        )

    def bounds(self) -> tuple[Singles, Singles]:
        """The least and the largest coordinates of each, float32[n, 3]."""
        real = (np.arange(self.points.shape[2]) < self.counts[:, :, None])[..., None]
        low = np.where(real, self.points, np.inf).min(axis=(1, 2)).astype(np.float32)
        high = np.where(real, self.points, -np.inf).max(axis=(1, 2)).astype(np.float32)
        return low, high

    def sealed(self) -> tuple[Self, Bools]:
        """Solids rebuilt from their planes alone, without cracks; and which are still solids, bool[solids].

        Each face starts as a huge square and is clipped by the others. One that is clipped away is removed, and then
        all are looked at again: with its plane gone, those after it keep more.
        """
        count, faces = self.counts.shape
        result = type(self)(
            sheets(WindingPlanes(self.normals.reshape(-1, 3), self.dists.reshape(-1))).reshape(count, faces, 4, 3),
            np.where(self.exists, 4, 0),
            self.normals,
            self.dists,
            self.origins.copy(),
        )
        result.measure()
        pending = np.flatnonzero(result.exists.sum(axis=1) >= MIN_FACES)
        alive = np.zeros(count, bool)
        while len(pending):
            work = result.take(pending)
            removed = work.clip_each_other()
            again = removed.any(axis=1)
            first = removed.argmax(axis=1)
            result.points = padded(result.points, work.points.shape[2])
            done = (np.arange(faces) < first[:, None]) | ~again[:, None]
            row, face = np.nonzero(done)
            size = work.points.shape[2]
            result.points[pending[row], face, :size] = work.points[row, face]
            result.counts[pending[row], face] = work.counts[row, face]
            result.counts[pending[again], first[again]] = 0
            alive[pending[~again]] = True
            pending = pending[again]
        alive &= result.exists.sum(axis=1) >= MIN_FACES
        return result.compact(), alive

    def clip_each_other(self) -> Bools:
        """Clip each face by the planes of the others, in their order; bool[solids, faces]: which are clipped away."""
        count, faces = self.counts.shape
        removed = np.zeros((count, faces), bool)
        exists = self.exists
        for face in range(faces):
            active = exists & exists[:, face, None] & ~removed
            active[:, face] = False
            solid, other = np.nonzero(active)
            if not len(solid):
                continue
            planes = WindingPlanes(self.normals[solid, face], self.dists[solid, face])
            counts = self.counts[solid, other]
            points = self.points[solid, other, : int(counts.max())]
            dists, sides = sides_of(points, counts, planes)
            front, back = (sides == FRONT).any(axis=1), (sides == BACK).any(axis=1)
            removed[solid[~back], other[~back]] = True
            cut = front & back
            if cut.any():
                parts, sizes = clipped(points[cut], counts[cut], planes.take(cut), dists[cut], sides[cut])
                self.points = padded(self.points, parts.shape[1])
                self.points[solid[cut], other[cut]] = padded(parts, self.points.shape[2])
                self.counts[solid[cut], other[cut]] = sizes
        return removed

    def face_sides(self, planes: WindingPlanes) -> Indices:
        """On which side of its solid's plane each face is, int[n, f]: FRONT, BACK, ON or SPLIT; -1 for no face."""
        faces = self.counts.shape[1]
        points, counts = self.flat()
        _, sides = sides_of(points, counts, planes.take(np.repeat(np.arange(len(self)), faces)))
        front, back = (sides == FRONT).any(axis=1), (sides == BACK).any(axis=1)
        found = np.where(front & back, SPLIT, np.where(front, FRONT, np.where(back, BACK, ON)))
        return np.where(counts > 0, found, -1).reshape(len(self), faces)

    def slices(self, planes: WindingPlanes) -> tuple[Singles, Indices]:
        """Where planes, one a solid, cut these: polygons float32[n, corners, 3] and how many corners count, int[n], 0
        where nothing is left.
        """
        points = sheets(planes)
        counts = np.full(len(self), 4, np.intp)
        for face in range(self.counts.shape[1]):
            rows = np.flatnonzero(self.exists[:, face] & (counts > 0))
            if not len(rows):
                continue
            others = WindingPlanes(self.normals[rows, face], self.dists[rows, face])
            some = points[rows]
            dists, sides = sides_of(some, counts[rows], others)
            front, back = (sides == FRONT).any(axis=1), (sides == BACK).any(axis=1)
            counts[rows[~back]] = 0
            cut = front & back
            if cut.any():
                parts, sizes = clipped(some[cut], counts[rows[cut]], others.take(cut), dists[cut], sides[cut])
                points = padded(points, parts.shape[1])
                points[rows[cut]] = padded(parts, points.shape[1])
                counts[rows[cut]] = sizes
        return points, counts

    def split(self, planes: WindingPlanes, origins: Indices) -> tuple[Self, Bools, Self, Bools]:
        """Cut each solid by a plane; new faces look like `origins` int[n].

        Returns the parts in front and whether there are any, and the same of the parts behind. A solid that the plane
        does not cut is, as a whole, on the one side or the other; with a few corners across it still counts as whole.
        """
        cutters = sheets(planes)
        planes = planes_of(cutters, np.full(len(cutters), 4))[0]
        sides = self.face_sides(planes)
        split = (sides == SPLIT).any(axis=1)
        in_front, behind = (sides == FRONT).sum(axis=1), (sides == BACK).sum(axis=1)
        whole_front = np.where(in_front > 0, np.where(behind > 0, in_front > behind, True), False)

        across = np.flatnonzero(split)
        middles, corners = self.take(across).slices(planes.take(across))
        missed = np.zeros(len(self), bool)
        missed[across] = corners == 0
        if missed.any():
            some = self.take(missed)
            points, counts = some.flat()
            owner = np.repeat(np.flatnonzero(missed), some.counts.shape[1])
            dists, places = sides_of(points, counts, planes.take(owner))
            dists = np.where(places < 0, 0, dists).reshape(len(some), -1)
            whole_front[missed] = dists.max(axis=1) >= -dists.min(axis=1)
        cut = split & ~missed
        whole = self.take(np.flatnonzero(~cut))
        whole.measure()
        rows = np.flatnonzero(cut)
        middles, corners = middles[corners > 0], corners[corners > 0]
        parts, sides, planes, origins = self.take(rows), sides[rows], planes.take(rows), origins[rows]
        halves = [parts._half(sides, planes, middles, corners, origins, side) for side in (FRONT, BACK)]
        sealed, alive = type(self).joined(halves).sealed()
        results: list[tuple[Self, Bools]] = []
        for side, start in ((FRONT, 0), (BACK, len(rows))):
            both = type(self).joined([sealed.take(np.arange(start, start + len(rows))), whole])
            place = np.empty(len(self), np.intp)
            place[rows] = np.arange(len(rows))
            place[~cut] = len(rows) + np.arange(len(whole))
            there = np.empty(len(self), bool)
            there[rows] = alive[start : start + len(rows)]
            there[~cut] = whole_front[~cut] == (side == FRONT)
            results.append((both.take(place), there))
        return (*results[0], *results[1])

    def _half(
        self, sides: Indices, planes: WindingPlanes, middles: Singles, corners: Indices, origins: Indices, side: int
    ) -> Self:
        """The faces of solids on one side of planes that cut them, and the new face there."""
        count = len(self)
        solid, face = np.nonzero(sides == SPLIT)
        half = self.take(np.arange(count))
        half.counts = np.where((sides == side) | (sides == SPLIT), self.counts, 0)
        points, counts = self.points[solid, face], self.counts[solid, face]
        dists, places = sides_of(points, counts, planes.take(solid))
        parts, sizes = clipped(points, counts, planes.take(solid), dists, places, side)
        half.points = padded(half.points, parts.shape[1])
        half.points[solid, face] = padded(parts, half.points.shape[2])
        half.counts[solid, face] = sizes
        half.measure()

        new = type(self).empty(count, 1, middles.shape[1])
        new.counts[:, 0] = corners
        new.origins[:, 0] = origins
        if side == BACK:
            new.points[:, 0] = middles
            new.normals[:, 0], new.dists[:, 0] = planes.normals, planes.dists
        else:
            turned = (corners[:, None] - 1 - np.arange(middles.shape[1])) % np.maximum(corners, 1)[:, None]
            new.points[:, 0] = np.take_along_axis(middles, turned[:, :, None], axis=1)
            new.measure()
        size = max(half.points.shape[2], middles.shape[1])
        return type(self)(
            np.concatenate([padded(half.points, size), padded(new.points, size)], axis=1),
            np.concatenate([half.counts, new.counts], axis=1),
            np.concatenate([half.normals, new.normals], axis=1),
            np.concatenate([half.dists, new.dists], axis=1),
            np.concatenate([half.origins, new.origins], axis=1),
        ).compact()


class SolidPool:
    """Solids that are added and never changed, each with a number; `low` and `high` float32[n, 3]: their bounds."""

    def __init__(self, solids: Solids) -> None:
        self._solids = solids
        self._low, self._high = solids.bounds()
        self._count = len(solids)

    def __len__(self) -> int:
        return self._count

    @property
    def low(self) -> Singles:
        """float32[solids, 3]: the least coordinates of each."""
        return self._low[: self._count]

    @property
    def high(self) -> Singles:
        """float32[solids, 3]: the largest coordinates of each."""
        return self._high[: self._count]

    def add(self, solids: Solids) -> int:
        """Add solids; returns the number of the first, the others follow."""
        first, self._count = self._count, self._count + len(solids)
        here = slice(first, self._count)
        wide, high = solids.counts.shape[1], solids.points.shape[2]
        room = (len(self._solids), self._solids.counts.shape[1], self._solids.points.shape[2])
        if (np.array((self._count, wide, high)) > room).any():
            self._grow(wide, high)
        self._solids.put(here, solids)
        self._low[here], self._high[here] = solids.bounds()
        return first

    def _grow(self, faces: int, corners: int) -> None:
        """Make room for all, and for as many again, and for so many faces and corners."""
        before = self._solids
        faces, corners = max(faces, before.counts.shape[1]), max(corners, before.points.shape[2])
        self._solids = Solids.empty(2 * self._count, faces, corners)
        self._solids.put(slice(0, len(before)), before)
        missing = ((0, 2 * self._count - len(before)), (0, 0))
        self._low, self._high = np.pad(self._low, missing), np.pad(self._high, missing)

    def take(self, which: Array | list[int]) -> Solids:
        """Some of the solids, as copies, with room for no more faces and corners than they have."""
        index = np.asarray(which, np.intp)
        counts = self._solids.counts[index]
        faces = int(np.flatnonzero((counts > 0).any(axis=0)).max(initial=0)) + 1
        corners = int(counts.max(initial=3))
        return Solids(
            self._solids.points[index, :faces, :corners],
            counts[:, :faces],
            self._solids.normals[index, :faces],
            self._solids.dists[index, :faces],
            self._solids.origins[index, :faces],
        )

    def faces(self, which: Indices, faces: Indices) -> tuple[WindingPlanes, Indices, Bools]:
        """Of solids [n] one face each [n]: its plane, what it looks like, and whether there is such a face."""
        last = self._solids.counts.shape[1] - 1
        at = which, np.minimum(faces, last)
        there = (self._solids.counts[at] > 0) & (faces <= last)
        return WindingPlanes(self._solids.normals[at], self._solids.dists[at]), self._solids.origins[at], there

    def polygons(self, number: int) -> tuple[list[int], list[Singles]]:
        """The faces of a solid: which ones they look like, and their corners, float32[n, 3] each."""
        counts = self._solids.counts[number].tolist()
        faces = [face for face, count in enumerate(counts) if count]
        points = self._solids.points[number]
        return self._solids.origins[number, faces].tolist(), [points[face, : counts[face]] for face in faces]
