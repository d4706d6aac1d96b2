# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that were drawn in the place of a map's brushes, as edits of its world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints
from ...convex import moved_planes
from ..edits.brush_pieces import Piece
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from ..tree import brushes
from ..vmf import texture_axes, tools
from ..vmf.brush_polygons import ON_PLANE, CollectedBrushes
from ..vmf.solids import VmfSolids
from ..world.types import Change, WorldEdits
from .side_texinfos import KEPT, SideTexinfos, WantedSides, moved, sides_of

_RIGID = 1e-4
_FLAT = 1e-9
_WHOLE = 2.0**-10
"""Units: what moves are rounded to, where they are that near to it."""
_UNMOVED = 0.05
"""Texels: textures that are no further from where they were stay bit for bit."""


@dataclass(frozen=True, slots=True, eq=False)
class Shaped:
    """A brush as it shall be: planes, and what its sides look like."""

    brush: int
    """Its number, -1: a new one."""
    sides: WantedSides
    """What they shall look like; their normals are the planes'."""
    dists: Floats
    """float64[k]."""
    contents: int
    """Of the brush."""
    move: Floats | None
    """As of `Change`."""
    polygons: Ints
    """int64[n], those that it was drawn with, as the caller counts them."""


@dataclass(frozen=True, slots=True, eq=False)
class ShapedEdits:
    """Edits of a world, and what drew them."""

    edits: WorldEdits
    changed: Mapping[int, Ints]
    """By brush, polygons int64[n], as of `Shaped`."""
    added: Sequence[Ints]
    """Likewise, of each new brush."""


def put(level: Level, texinfos: SideTexinfos, shaped: Sequence[Shaped], deleted: Ints) -> ShapedEdits:
    """Give shaped brushes their texinfos, which are added to the level, and say what they are as edits.

    Of several that are one brush, the first is it and the others are new ones. deleted: int64[n], brushes that go.
    Raises FormatError for more texinfos than can be told.
    """
    changed: dict[int, Change] = {brush: Change(None) for brush in deleted.tolist()}
    drawn: dict[int, Ints] = {brush: np.zeros(0, np.int64) for brush in deleted.tolist()}
    added: list[Piece] = []
    drawn_new: list[Ints] = []
    if not shaped:
        return ShapedEdits(WorldEdits(changed), drawn, drawn_new)
    numbers = texinfos.put(level, _joined([each.sides for each in shaped]))
    starts = ranges.starts([len(each.sides) for each in shaped]).tolist()
    for each, first, end in zip(shaped, starts, starts[1:], strict=False):
        piece = Piece(each.sides.normals, each.dists, numbers[first:end], each.contents)
        if each.brush >= 0 and each.brush not in changed:
            rows = sides_of(texinfos.before, np.array([each.brush]))[0].tolist()
            place = {row: number for number, row in enumerate(rows)}
            which = np.array([place.get(row, -1) for row in each.sides.records.tolist()], np.int64)
            changed[each.brush] = Change(piece, which, each.move)
            drawn[each.brush] = each.polygons
        else:
            added.append(piece)
            drawn_new.append(each.polygons)
    return ShapedEdits(WorldEdits(changed, added), drawn, drawn_new)


def _joined(parts: Sequence[WantedSides]) -> WantedSides:
    names = ("records", "normals", "vectors", "luxels", "texdata", "moves")
    return WantedSides(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class ShapedBrushes:
    """What became of the brushes of a map's world, of which all were drawn."""

    def __init__(self, texinfos: SideTexinfos, found: CollectedBrushes) -> None:
        self.texinfos, self.found = texinfos, found
        self.solids = texinfos.compiled.solids
        models = brushes.of_models(texinfos.before)
        self.is_world = models <= 0
        """bool[brushes]: those of the world, and of nothing at all."""
        self.contents: Ints = texinfos.before.table(LumpId.BRUSHES)["contents"].astype(np.int64)
        self._kept = frozenset(found.kept.tolist())
        self.place_of = {brush: place for place, brush in enumerate(self.solids.brushes.tolist())}
        self.side_of = {row: place for place, row in enumerate(self.solids.records.tolist()) if row >= 0}

    @property
    def drawn(self) -> Ints:
        """int64[n]: the brushes of which there is something left."""
        made = [int(solid.brushes[0]) for solid in self.found.solids]
        return np.unique(np.array([*self.found.kept.tolist(), *(brush for brush in made if brush >= 0)], np.int64))

    @property
    def deleted(self) -> Ints:
        """int64[n]: the brushes that were shown, and of which nothing is left."""
        first = self.solids.first_corner[self.solids.first_side]
        return np.setdiff1d(self.solids.brushes[np.diff(first) > 0], self.drawn)

    def shaped(self, number: int, texdata: Ints, contents: int | None) -> Shaped:
        """One of the solids that aren't as they were. texdata: int64[k], of its sides, KEPT: as they were.

        contents: what its polygons say; None for those that say nothing: then its textures do.
        """
        solid, polygons = self.found.solids[number], self.found.polygons[number]
        brush = int(solid.brushes[0])
        own_row = -1 if brush in self._kept else brush  # else a copy of one that is still there
        move = self._move(solid)
        if contents is None:
            contents = int(self.contents[brush]) if brush >= 0 else contents_of(solid.names)
        if move is None:
            none = np.full((len(solid.normals), 4, 4), np.nan)
            sides = WantedSides(
                solid.records, solid.normals, self._textures(solid, np.eye(4)), solid.luxels, texdata, none
            )
            return Shaped(own_row, sides, solid.dists, contents, None, polygons)
        own = sides_of(self.texinfos.before, np.array([brush]))[0]
        place = {row: side for side, row in enumerate(solid.records.tolist())}
        at = np.array([place.get(row, -1) for row in own.tolist()], np.int64)
        normals, dists = moved_planes(*self._planes(own), move)
        vectors, data = np.full((len(own), 2, 4), np.nan), np.full(len(own), KEPT)
        vectors[at >= 0] = self._textures(solid, move)[at[at >= 0]]
        data[at >= 0] = texdata[at[at >= 0]]
        still = np.array_equal(move, np.eye(4))
        moves = np.repeat((np.full((1, 4, 4), np.nan) if still else move[None]), len(own), axis=0)
        sides = WantedSides(own, normals, vectors, np.full(len(own), texture_axes.LUXEL), data, moves)
        return Shaped(own_row, sides, dists, contents, None if still else move, polygons)

    def recontained(self, brush: int, contents: int, polygons: Ints) -> Shaped:
        """A brush that is where it was, with other contents. polygons: int64[n], those that say so."""
        rows = sides_of(self.texinfos.before, np.array([brush]))[0]
        normals, dists = self._planes(rows)
        none = np.full((len(rows), 4, 4), np.nan)
        kept = np.full(len(rows), KEPT)
        luxels = np.full(len(rows), texture_axes.LUXEL)
        sides = WantedSides(rows, normals, np.full((len(rows), 2, 4), np.nan), luxels, kept, none)
        return Shaped(brush, sides, dists, contents, None, polygons)

    def _textures(self, solid: VmfSolids, move: Floats) -> Floats:
        """Texture vectors float64[n, 2, 4] of a solid's sides; NaN for those that a move just took along."""
        vectors = solid.vectors.copy()
        for side, row in enumerate(solid.records.tolist()):
            place = self.side_of.get(row, -1)
            if place < 0:
                continue
            along = moved(self.solids.vectors[[place]], move[None], np.ones(1, np.bool_))[0]
            corners = solid.corners[solid.first_corner[side] : solid.first_corner[side + 1]]
            away = along - vectors[side]
            if np.abs(corners @ away[:, :3].T + away[:, 3]).max(initial=0) <= _UNMOVED:
                vectors[side] = np.nan
        return vectors

    def _planes(self, rows: Ints) -> tuple[Floats, Floats]:
        sides, planes = self.texinfos.before.table(LumpId.BRUSHSIDES), self.texinfos.before.table(LumpId.PLANES)
        used = planes[sides["planenum"][rows].astype(np.int64)]
        return used["normal"].astype(np.float64), used["dist"].astype(np.float64)

    def _move(self, solid: VmfSolids) -> Floats | None:
        """The rigid move float64[4, 4] that took a brush with all its sides to a solid; None where none did."""
        place = self.place_of.get(int(solid.brushes[0]), -1)
        if place < 0 or (solid.records < 0).any():
            return None
        first, end = self.solids.first_side[place : place + 2].tolist()
        outlined = first + np.flatnonzero(np.diff(self.solids.first_corner)[first:end] > 0)
        sides = np.array([self.side_of.get(row, -1) for row in solid.records.tolist()], np.int64)
        shown = np.diff(solid.first_corner) > 0
        if not np.array_equal(np.sort(sides[shown]), outlined):
            return None
        there, here = [], []
        for side, was in zip(np.flatnonzero(shown).tolist(), sides[shown].tolist(), strict=True):
            now = solid.corners[solid.first_corner[side] : solid.first_corner[side + 1]]
            old = self.solids.corners[self.solids.first_corner[was] : self.solids.first_corner[was + 1]]
            if len(now) == len(old):
                there.append(old)
                here.append(now)
        if not there:
            return None
        if np.array_equal(solid.normals, self.solids.normals[sides]) and np.array_equal(
            solid.dists, self.solids.dists[sides]
        ):
            return np.eye(4)
        return rigid(np.concatenate(there), np.concatenate(here))


def rigid(there: Floats, here: Floats) -> Floats | None:
    """The move float64[4, 4] that takes points float64[n, 3] to others without stretching them; None: there is none.

    Numbers are rounded where they are all but whole: turns by right angles, moves by 1/1024 of a unit.
    """
    middle, mean = there.mean(axis=0), here.mean(axis=0)
    arms, wanted = there - middle, here - mean
    left, sizes, right = np.linalg.svd(arms.T @ wanted)
    if sizes[2] <= _FLAT * sizes[0] and np.linalg.det(left @ right) < 0:  # of points in one plane, either side will do
        left[:, 2] = -left[:, 2]
    turn = (left @ right).T
    near = np.round(turn)
    turn = np.where(np.abs(turn - near) < _RIGID, near, turn) if np.abs(turn - near).max() < _RIGID else turn
    shift = mean - turn @ middle
    whole = np.round(shift / _WHOLE) * _WHOLE
    shift = np.where(np.abs(shift - whole) <= ON_PLANE, whole, shift) if np.array_equal(turn, np.round(turn)) else shift
    if np.abs(there @ turn.T + shift - here).max() > 2 * ON_PLANE:
        return None
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = turn, shift
    return made


def contents_of(names: Sequence[str]) -> int:
    """What a new brush contains: it is solid, unless a side has a tool texture that says otherwise."""
    for name in names:
        contents = tools.contents_of(name)
        if contents is not None:
            return contents
    return int(Contents.SOLID)
