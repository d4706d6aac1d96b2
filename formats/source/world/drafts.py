# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces that an edited world is to have: of brushes that are new or other, and of sides that came to be seen.

A side that was there takes its faces along, with their light; what of it they don't cover is new. Of all only what is
seen is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Bools, Floats
from .. import geometry
from ..edits import brush_pieces
from ..edits.brush_pieces import Piece
from ..edits.brush_tables import plane_numbers
from ..edits.changes import Changes
from ..geometry import Polygons
from ..lumps import LumpId
from ..records import SurfaceFlag
from ..tree.leaf_tree import LeafTree
from . import fragments, owned
from .hidden import BrushPlanes, shows
from .owned import Part
from .rings import ON, FlatRings, is_thin, joined, merged, parted, without
from .types import Carved, Change, WorldEdits

NEW = -1
UNDRAWN = SurfaceFlag.NODRAW | SurfaceFlag.SKIP | SurfaceFlag.HINT
"""What no face is made of."""
_NEAR = 0.1
"""Units that a face that was moved may lie off its side."""


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A face to be."""

    points: Floats
    """float64[n, 3], clockwise seen from the front."""
    plane: int
    """Its row."""
    texinfo: int
    """Its row."""
    brush: int
    face: int = NEW
    """The face of before that it is a part of, or NEW."""
    move: Floats | None = None
    """float64[4, 4], what took it here; None: it is where it was."""
    whole: bool = False
    """The points are that face's own."""
    kept: bool = False
    """It isn't asked whether it is seen."""


def build(
    changes: Changes,
    edits: WorldEdits,
    carved: Carved,
    polygons: Polygons,
    parts: Sequence[Part],
    covered: Mapping[tuple[int, int], Sequence[Floats]],
) -> list[Draft]:
    """All faces that come into the place of those that parts are of, and new ones. polygons: of the faces of before.

    covered: by brush and row of its side, what of the side displacements lie on: no face comes there.
    """
    faces = changes.level.table(geometry.drawn_faces(changes.level))
    made = [
        Draft(
            part.points, int(faces["planenum"][part.face]), int(faces["texinfo"][part.face]), -1, part.face, kept=True
        )
        for part in parts
        if part.brush < 0
    ]
    own: dict[tuple[int, int], list[Part]] = {}
    for part in parts:
        own.setdefault((part.brush, part.side), []).append(part)
    bodies = dict(carved.shapes)
    for brush in carved.retextured.tolist():
        shape = edits.changed[brush].shape
        if shape is not None:
            bodies[brush] = shape
    again = set(carved.retextured.tolist())
    for brush, shape in bodies.items():
        change = edits.changed.get(brush)
        made += _of_brush(changes, brush, shape, change, own, brush in again, covered)
    shown = _Shown(changes, polygons, {part.face for part in parts})
    undrawn = _undrawn(changes)
    drawn = []
    for draft in _seen(changes, [draft for draft in made if draft.brush < 0 or not undrawn[draft.texinfo]]):
        there = draft.face != NEW and draft.move is None
        for points in [draft.points] if there else shown.beside(draft.plane, draft.points):
            drawn.append(draft if points is draft.points else replace(draft, points=points, whole=False))
            shown.add(draft.plane, points)
    return [*drawn, *_bared(changes, carved, shown)]


def _undrawn(changes: Changes) -> Bools:
    """bool[texinfos + 1]: which aren't drawn. Sides without one (-1) have the last: they aren't."""
    return np.append(changes.table(LumpId.TEXINFO)["flags"].astype(np.int64) & UNDRAWN != 0, True)


def _of_brush(
    changes: Changes,
    brush: int,
    shape: Piece,
    change: Change | None,
    own: dict[tuple[int, int], list[Part]],
    retextured: bool,
    covered: Mapping[tuple[int, int], Sequence[Floats]],
) -> Iterator[Draft]:
    """The faces of a brush that is new or other."""
    found = brush_pieces.polygons([shape])
    planes = plane_numbers(changes, shape.normals, shape.dists)
    rows = owned.side_rows(changes, brush) if change is not None else np.zeros(0, np.int64)
    sides = np.full(len(planes), -1) if change is None or change.sides is None else change.sides
    old = changes.level.table(LumpId.BRUSHSIDES)["texinfo"].astype(np.int64)
    undrawn = _undrawn(changes)
    move = None if change is None else change.move
    for side, (plane, texinfo) in enumerate(zip(planes.tolist(), shape.texinfos.tolist(), strict=True)):
        first, end = found.first_corner[side : side + 2]
        ring = found.positions[found.corners[first:end]][::-1]  # those of solids go the other way
        if len(ring) < 3:
            continue
        row = int(rows[sides[side]]) if 0 <= sides[side] < len(rows) else -1
        stays = row >= 0 and move is None and old[row] == texinfo
        appears = not retextured or (row >= 0 and bool(undrawn[old[row]]))
        carried: list[Floats] = list(covered.get((brush, row), ()))
        for part in own.get((brush, row), []) if row >= 0 else []:
            draft = Draft(part.points, plane, texinfo, brush, part.face, move, part.whole, retextured)
            if stays:
                faces = changes.level.table(geometry.drawn_faces(changes.level))
                draft = replace(draft, texinfo=int(faces["texinfo"][part.face]))
            for piece in _carried(draft, ring, shape.normals[side], float(shape.dists[side])):
                carried.append(piece.points)
                yield piece
        for points in without([ring], carried) if appears else []:
            if not carried or not is_thin(points):
                yield Draft(points, plane, texinfo, brush)


def _carried(draft: Draft, ring: Floats, normal: Floats, dist: float) -> Iterator[Draft]:
    """What of a face is on its side, float64[n, 3], when both have been moved."""
    points = draft.points
    if draft.move is not None:
        points = points @ draft.move[:3, :3].T + draft.move[:3, 3]
        if np.linalg.det(draft.move[:3, :3]) <= 0:
            return
    if np.abs(points @ normal - dist).max() > _NEAR or float(FlatRings.of([points]).area_normals[0] @ normal) <= 0:
        return
    if draft.move is not None:  # compilers' corners lie a little off the plane: it would be behind its own side
        points = points - np.outer(points @ normal - dist, normal)
    inside, outside = parted([points], ring)
    if not outside and inside:
        yield replace(draft, points=points, whole=draft.whole)
        return
    for piece in inside:
        yield replace(draft, points=piece, whole=False)


class _Shown:
    """What faces show already: of coplanar brushes that overlap, one does, as compilers have it."""

    def __init__(self, changes: Changes, polygons: Polygons, gone: set[int]) -> None:
        self._polygons, self._gone = polygons, gone
        faces = changes.level.table(geometry.drawn_faces(changes.level))
        ours = (faces["dispinfo"] < 0) & owned.of_world(changes.level)  # models have places of their own
        self._planes = np.where(ours, faces["planenum"].astype(np.int64), -1)
        self._rings: dict[int, FlatRings] = {}  # by plane

    def add(self, plane: int, points: Floats) -> None:
        """Have a further polygon."""
        self._rings[plane] = joined([self._of(plane), FlatRings.of([points])])

    def beside(self, plane: int, points: Floats) -> list[Floats]:
        """What of a polygon on a plane no other one shows."""
        rings = self._of(plane)
        low, high = rings.boxes()
        rings = rings.take(((low < points.max(axis=0) + ON) & (high > points.min(axis=0) - ON)).all(axis=1))
        left = without([points], rings.take(rings.meeting(points)).listed())
        return left if left and left[0] is points else [ring for ring in left if not is_thin(ring)]

    def _of(self, plane: int) -> FlatRings:
        if plane not in self._rings:
            there = [face for face in np.flatnonzero(self._planes == plane).tolist() if face not in self._gone]
            self._rings[plane] = owned.rings_of(self._polygons, np.array(there, np.int64))
        return self._rings[plane]


def _bared(changes: Changes, carved: Carved, shown: _Shown) -> Iterator[Draft]:
    """What sides of other brushes show that were hidden, and no face shows already."""
    wanted: dict[tuple[int, int], list[Floats]] = {}
    for part in carved.bare:
        wanted.setdefault((part.brush, part.side), []).append(part.points)
    sides, undrawn = changes.table(LumpId.BRUSHSIDES), _undrawn(changes)
    for (brush, side), parts in wanted.items():
        plane = int(sides["planenum"][side])
        for whole in [] if undrawn[sides["texinfo"][side]] else merged(parts):
            for points in shown.beside(plane, whole):
                shown.add(plane, points)
                yield Draft(points, plane, int(sides["texinfo"][side]), brush, kept=True)


def _seen(changes: Changes, made: Sequence[Draft]) -> list[Draft]:
    """What of faces to be is seen, in the fewest pieces."""
    asked = [draft for draft in made if not draft.kept]
    left = [draft for draft in made if draft.kept]
    if not asked:
        return left
    normals = changes.table(LumpId.PLANES)["normal"].astype(np.float64)[[draft.plane for draft in asked]]
    rings = FlatRings.of([draft.points for draft in asked])
    found = fragments.find(LeafTree(changes), rings, normals)
    brushes = BrushPlanes(changes)
    ends = np.flatnonzero(found.leafs >= 0)
    own = np.array([draft.brush for draft in asked], np.int64)
    hidden = brushes.within(rings, normals, own, found.leafs[ends], found.owners[ends])
    contents = changes.table(LumpId.LEAFS)["contents"].astype(np.int64)
    seen = np.zeros(len(found.leafs), np.bool_)
    seen[ends] = shows(brushes.contents[own[found.owners[ends]]], contents[found.leafs[ends]])
    pieces = found.rings.listed()
    for piece in found.largest(seen).tolist():
        number = int(found.owners[piece])
        whole = asked[number] if found.parents[piece] < 0 else replace(asked[number], points=pieces[piece], whole=False)
        if number in hidden:
            left += [replace(whole, points=points, whole=False) for points in _beside(whole.points, hidden[number])]
        else:
            left.append(whole)
    return left


def _beside(points: Floats, hidden: Sequence[Floats]) -> list[Floats]:
    return [ring for ring in without([points], hidden) if not is_thin(ring)]
