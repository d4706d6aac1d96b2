# SPDX-License-Identifier: GPL-3.0-or-later
"""The drawn faces of an edited world: which go, which come, and which leafs they lie in (source.md §4).

Faces that nothing was done to keep their rows, also where a new brush covers them, as the world's beneath details do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Ints
from .. import geometry
from ..edits.changes import Changes
from ..geometry import Polygons
from ..lumps import LumpId
from ..records import Contents
from ..tree.leaf_tree import LeafTree
from . import along, drafts, face_rows, fragments, junctions, lightmap_size, owned
from .along import Displaced
from .drafts import NEW, Draft
from .rings import ON, FlatRings
from .types import Carved, WorldEdits

_AHEAD = 0.25
"""Units before a face that its leafs are looked for where there are none at it."""


@dataclass(frozen=True, slots=True, eq=False)
class PutFaces:
    """What became of the faces."""

    now: Ints
    """int64[faces before], the number of each, -1: it is gone."""
    first: int
    """Of new ones, whose drafts follow one another."""
    made: Sequence[Draft]
    displaced: Displaced
    """What became of displacements."""


def put(changes: Changes, edits: WorldEdits, carved: Carved) -> PutFaces:
    """Have the world's faces as its brushes are now. Light of new ones is still to be made.

    Raises WorldError for reshaped brushes beneath displacements, FormatError for more than tables and overlays can
    have.
    """
    level = changes.level
    polygons = geometry.polygons(level)
    faces = level.table(geometry.drawn_faces(level))
    displaced = along.find(changes, edits, carved, polygons)
    along.put(changes, displaced, polygons)
    chosen = np.unique(np.concatenate([carved.removed, carved.retextured]))
    parts = owned.parts(level, polygons, set(chosen.tolist()))
    made = drafts.build(changes, edits, carved, polygons, parts, displaced.covered)
    gone = np.zeros(len(faces), np.bool_)
    gone[[part.face for part in parts]] = True
    gone[displaced.lost] = True
    made = lightmap_size.fitted(changes, made)
    staying = [draft for draft in made if _stays(draft)]
    gone[[draft.face for draft in staying]] = False
    for table in face_rows.tables(changes):
        table["texinfo"][[draft.face for draft in staying]] = [draft.texinfo for draft in staying]
    made = [draft for draft in made if draft not in staying]
    stays = np.flatnonzero(owned.of_world(level) & ~gone & (faces["dispinfo"] < 0))
    made = junctions.closed(changes, made, owned.rings_of(polygons, stays).points)
    lists = _Lists(changes, carved, polygons, gone)
    now, first = face_rows.put(changes, polygons, gone, made, displaced.left)
    lists.write(now, first, made)
    return PutFaces(now, first, made, displaced)


def _stays(draft: Draft) -> bool:
    """Whether a face to be is one that is there, with the light that it had."""
    return draft.whole and draft.move is None and draft.face != NEW


class _Lists:
    """Which faces the leafs list: those that were there and stay, and what opened leafs have come to look at."""

    def __init__(self, changes: Changes, carved: Carved, polygons: Polygons, gone: Bools) -> None:
        self.changes = changes
        self.leafs = changes.table(LumpId.LEAFS)
        self.tree = LeafTree(changes)
        self.solid = (self.leafs["contents"].astype(np.int64) & Contents.SOLID) > 0
        first, counts = (self.leafs[name].astype(np.int64) for name in ("firstleafface", "numleaffaces"))
        owners = ranges.owners(counts)
        listed = changes.table(LumpId.LEAFFACES)["face"].astype(np.int64)[ranges.flat(first, counts)]
        near = self._near(carved, polygons, gone)
        planes = changes.level.table(geometry.drawn_faces(changes.level))["planenum"][near]
        pairs = self._looking(owned.rings_of(polygons, near), planes)
        pairs = pairs[np.isin(pairs[:, 0], carved.opened)]
        self.owners = np.concatenate([owners, pairs[:, 0]])
        self.listed = np.concatenate([listed, near[pairs[:, 1]]])

    def _near(self, carved: Carved, polygons: Polygons, gone: Bools) -> Ints:
        """Faces of the world that may look into leafs that were opened: int64[n]."""
        faces, model = (
            self.changes.level.table(geometry.drawn_faces(self.changes.level)),
            self.changes.level.table(LumpId.MODELS)[0],
        )
        own = np.arange(int(model["firstface"]), int(model["firstface"]) + int(model["numfaces"]))
        own = own[(faces["dispinfo"][own] < 0) & ~gone[own]]
        counts = np.diff(polygons.first_corner)[own]
        own, counts = own[counts > 0], counts[counts > 0]
        if not len(own) or not len(carved.opened):
            return np.zeros(0, np.int64)
        corners = polygons.positions[polygons.corners[ranges.flat(polygons.first_corner[own], counts)]]
        low, high = (extreme.reduceat(corners, ranges.starts(counts)[:-1]) for extreme in (np.minimum, np.maximum))
        near = np.zeros(len(own), np.bool_)
        for leaf in carved.opened.tolist():
            box = carved.cells[leaf].box
            near |= ((low <= box[1] + ON) & (high >= box[0] - ON)).all(axis=1)
        return np.asarray(own[near])

    def _looking(self, rings: FlatRings, planes: Ints) -> Ints:
        """Leafs that aren't solid and polygons on planes that look into them, int64[n, 2]."""
        normals = self.changes.table(LumpId.PLANES)["normal"].astype(np.float64)[planes]
        found = fragments.find(self.tree, rings, normals)
        lies = found.leafs >= 0
        lies[lies] = ~self.solid[found.leafs[lies]]
        return np.asarray(np.unique(np.column_stack([found.leafs[lies], found.owners[lies]]), axis=0))

    def write(self, now: Ints, first: int, made: Sequence[Draft]) -> None:
        """Have LEAFFACES as it is, with faces by their new numbers."""
        rings = FlatRings.of([draft.points for draft in made])
        planes = np.array([draft.plane for draft in made], np.int64)
        pairs = self._looking(rings, planes)
        lost = np.setdiff1d(np.arange(len(made)), pairs[:, 1])
        if len(lost):  # what is before them is thinner than numbers tell
            ahead = self.changes.table(LumpId.PLANES)["normal"].astype(np.float64)[planes[lost]] * _AHEAD
            behind = self._looking(FlatRings(rings.corners[lost] + ahead[:, None], rings.sizes[lost]), planes[lost])
            pairs = np.concatenate([pairs, np.column_stack([behind[:, 0], lost[behind[:, 1]]])])
        numbers = now[self.listed]
        owners = np.concatenate([self.owners[numbers >= 0], pairs[:, 0]])
        listed = np.concatenate([numbers[numbers >= 0], first + pairs[:, 1]])
        order = np.argsort(owners, kind="stable")
        face_rows.put_lists(self.changes, np.bincount(owners, minlength=len(self.leafs)), listed[order])
