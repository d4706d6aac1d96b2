# SPDX-License-Identifier: GPL-3.0-or-later
"""Which faces of a map are new against an earlier version of it, and which are within reach of what changed: those
whose light is to be made anew (source.md §4).

Light goes in straight lines, from what shines and from each surface to others. So the faces whose light changes at once
are those that see what is new, or see where something was: a ray says so, through the tree of either map. Details
aren't in a tree and stop no ray: rather a face too many.
"""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from .. import geometry
from ..entities import brush_classes, entity_values
from ..entities.text import ORIGIN, Entity
from ..level import Level
from ..lumps import LumpId
from ..placed import orientation
from ..records import Contents
from ..tree.leaf_tree import LeafTree

BEFORE = 1.0
"""Units before a face that rays start and end at."""
INWARDS = 0.9
"""How far out from a face's middle, of the way to a corner, rays start and end."""
CELL = 64.0
"""Units: of what changed, rays go to one point of each cell of this size."""
MOST = 48
"""Points of what changed that rays from a face go to, the nearest ones."""
_SHORTEST = 0.02
"""Units of a ray in something solid that don't stop it: it touches a corner."""
_STEP = 1 << 15


def new(before: Level, after: Level) -> Bools:
    """bool[faces]: the drawn faces of a map that an earlier version of it hasn't where they are. Raises FormatError."""
    known = set(_Placed(before).marks())
    return np.array([key not in known for key in _Placed(after).marks()], np.bool_)


@np.errstate(all="ignore")  # hostile floats
def within_reach(before: Level, after: Level) -> Bools:
    """bool[faces]: the drawn faces of a map that are new, or see something of the world that is, or where something of
    it was that an earlier version has: brush models throw no shadows. Raises FormatError.
    """
    placed, earlier = _Placed(after), _Placed(before)
    fresh, gone = new(before, after), new(after, before)
    changed = placed.points(np.flatnonzero(fresh & placed.of_world))[0]
    targets = np.concatenate([changed, earlier.points(np.flatnonzero(gone & earlier.of_world))[0]])
    faces = np.flatnonzero(~fresh)
    if not len(targets) or not len(faces):
        return fresh
    cells = np.unique(np.floor(targets / CELL), axis=0, return_index=True)[1]
    found = fresh.copy()
    found[faces[_see(placed, faces, targets[cells], [_Solid(after), _Solid(before)])]] = True
    return found


class _Placed:
    """The drawn faces of a map where they are seen, those of brush models where their entities are.

    corners: float64[c, 3]; of face f first_corner[f] to first_corner[f + 1]. normals: float64[f, 3]. dists: float64[f].
    of_world: bool[f]. Raises FormatError.
    """

    def __init__(self, level: Level) -> None:
        polygons, faces = geometry.polygons(level), level.table(geometry.drawn_faces(level))
        planes = level.table(LumpId.PLANES)
        numbers = np.where(faces["planenum"] < len(planes), faces["planenum"], 0)
        self.first_corner = polygons.first_corner
        self.corners = polygons.positions[polygons.corners].astype(np.float64)
        self.normals, self.dists = (planes[name].astype(np.float64)[numbers] for name in ("normal", "dist"))
        self.of_world = np.ones(len(faces), np.bool_)
        models = level.table(LumpId.MODELS)
        first = models["firstface"].astype(np.int64).clip(0, len(faces))
        end = (first + models["numfaces"]).clip(first, len(faces))
        places = {entity.model: entity for entity in reversed(list(level.entities))}
        for model, (start, stop) in enumerate(zip(first[1:].tolist(), end[1:].tolist(), strict=True), 1):
            self.of_world[start:stop] = False
            if model in places:
                self._place(slice(start, stop), places[model])

    def _place(self, rows: slice, entity: Entity) -> None:
        """Have faces where their entity is."""
        values = entity_values.by_key(entity)
        corners = slice(self.first_corner[rows.start], self.first_corner[rows.stop])
        if entity.classname not in brush_classes.DIRECTED:
            turn = orientation.rotations([entity_values.angles(values)])[0]
            self.corners[corners], self.normals[rows] = self.corners[corners] @ turn.T, self.normals[rows] @ turn.T
        shift = np.array(entity_values.triple(values, ORIGIN))
        self.corners[corners] += shift
        self.dists[rows] += self.normals[rows] @ shift

    def marks(self) -> list[bytes]:
        """What tells each face from others: where it lies."""
        points, normals = self.corners.astype("<f4") + np.float32(0), self.normals.astype("<f4") + np.float32(0)
        bounds = self.first_corner.tolist()
        return [
            points[first:end].tobytes() + normal.tobytes()
            for first, end, normal in zip(bounds, bounds[1:], normals, strict=False)
        ]

    def points(self, faces: Ints) -> tuple[Floats, Ints]:
        """Points just before faces, float64[n, 3]: their middles, and near their corners; and the face of each."""
        counts = np.diff(self.first_corner)[faces]
        corners = self.corners[ranges.flat(self.first_corner[faces], counts)]
        owners = ranges.owners(counts)
        sums = np.column_stack([np.bincount(owners, corners[:, axis], len(faces)) for axis in range(3)])
        middles = sums / np.maximum(counts, 1)[:, None]
        ahead = BEFORE * self.normals[faces]
        near = middles[owners] + INWARDS * (corners - middles[owners])
        return np.concatenate([middles + ahead, near + ahead[owners]]), np.concatenate([np.arange(len(faces)), owners])


def _see(placed: _Placed, faces: Ints, targets: Floats, solids: list[_Solid]) -> Bools:
    """bool[faces]: from which of them a target, float64[n, 3], is seen in either map: the nearest ones of each."""
    starts, owners = placed.points(faces)
    normals, dists = placed.normals[faces], placed.dists[faces]
    seen = np.zeros(len(faces), np.bool_)
    middles = starts[: len(faces)]
    order = np.concatenate(
        [
            np.argsort(((middles[part, None] - targets) ** 2).sum(axis=2), axis=1)[:, :MOST]
            for part in np.array_split(np.arange(len(faces)), len(faces) * len(targets) // _STEP + 1)
        ]
    )
    for column in order.T:  # so that most faces are done with after a few
        ends = targets[column]
        ahead = np.einsum("ni,ni->n", normals, ends) > dists
        left = np.flatnonzero((ahead & ~seen)[owners])
        for solid in solids:
            clear = solid.clear(starts[left], ends[owners[left]])
            seen[owners[left[clear]]] = True
            left = left[~seen[owners[left]]]
    return seen


class _Solid:
    """The solid leafs of a map's world."""

    def __init__(self, level: Level) -> None:
        self._tree = LeafTree(level)
        self._solid = (level.table(LumpId.LEAFS)["contents"].astype(np.int64) & Contents.SOLID) > 0

    def clear(self, starts: Floats, ends: Floats) -> Bools:
        """bool[n]: which ways from float64[n, 3] to others lie outside of all that is solid."""
        return np.concatenate(
            [np.zeros(0, np.bool_)]
            + [self._clear(starts[at : at + _STEP], ends[at : at + _STEP]) for at in range(0, len(starts), _STEP)]
        )

    def _clear(self, starts: Floats, ends: Floats) -> Bools:
        clear = np.ones(len(starts), np.bool_)
        tree, ray, node = self._tree, np.arange(len(starts)), np.full(len(starts), self._tree.head)
        one, two = starts, ends
        for _ in range(len(tree.children) + 2):
            done = np.flatnonzero(node < 0)
            stopped = done[self._solid[-1 - node[done]] & (np.abs(two[done] - one[done]).max(axis=1) > _SHORTEST)]
            clear[ray[stopped]] = False
            left = (node >= 0) & clear[ray]
            ray, node, one, two = ray[left], node[left], one[left], two[left]
            if not len(ray):
                break
            normals = tree.normals[node]
            high, low = (np.einsum("ni,ni->n", normals, end) - tree.dists[node] for end in (one, two))
            first, second = (high < 0).astype(np.int64), (low < 0).astype(np.int64)
            across = first != second
            share = np.where(across, high / np.where(across, high - low, 1), 0)[:, None]
            middle = one + share * (two - one)
            children = tree.children[node]
            far = np.flatnonzero(across)
            one, two = (
                np.concatenate([one, middle[far]]),
                np.concatenate([np.where(across[:, None], middle, two), two[far]]),
            )
            node = np.concatenate([children[np.arange(len(ray)), first], children[far, second[far]]])
            ray = np.concatenate([ray, ray[far]])
        return clear
