# SPDX-License-Identifier: GPL-3.0-or-later
"""A map taken apart: its solids, whose they are, and which faces lie on them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats, Ints
from ..level import Level
from . import displacements, occluders, portals
from . import solids as solid_arrays
from .brush_polygons import CollectedBrushes
from .solids import IN_NO_LEAF, WORLD, VmfSolids


@dataclass(frozen=True, slots=True)
class Map:
    """A map taken apart."""

    level: Level
    solids: VmfSolids
    """All, with ids of their sides."""
    faces: Ints
    """int64[faces], the id of the side that each drawn face lies on, 0: none."""
    copies: dict[tuple[int, int, int], Ints]
    """By place, the ids of sides whose material is a copy for the cubemap there."""
    restored: int
    """As of `solids.Compiled`; so is hidden."""
    hidden: int

    def edited(self, removed: Ints, added: Iterable[VmfSolids]) -> "Map":
        """The map without the solids with the numbers int64[n], and with others behind the rest.

        Sides of these that have the id of one that is gone are it: overlays and cubemaps stay on them.
        """
        kept = np.setdiff1d(np.arange(len(self.solids)), removed)
        parts = [self.solids.taken(kept), *added]
        return replace(self, solids=solid_arrays.joined(parts).numbered())

    def with_brushes(self, before: VmfSolids, collected: CollectedBrushes) -> "Map":
        """The map with what was drawn in the place of its brushes: see `brush_polygons.match`.

        before: the solids that were drawn upon, of this map before anything else of it was edited. Brushes of which
        nothing was drawn are gone; what was made of an entity's brush is at the entity's place of now.
        """
        outlined = np.diff(before.first_corner[before.first_side]) > 0
        gone = np.setdiff1d(before.brushes[outlined & (before.brushes >= 0)], collected.kept)
        removed = np.flatnonzero(np.isin(self.solids.brushes, gone))
        then, now = ({brush: n for n, brush in enumerate(s.brushes.tolist())} for s in (before, self.solids))
        renamed = _renamed(before, self.solids)
        place_of = {record: place for place, record in enumerate(self.solids.records.tolist()) if record >= 0}
        sides = zip(before.ids.tolist(), before.records.tolist(), strict=True)
        smoothing = {side: int(self.solids.smoothing[place_of[record]]) for side, record in sides if record in place_of}
        added = []
        for solid in collected.solids:
            names = [
                renamed.get((side, name), name) for side, name in zip(solid.ids.tolist(), solid.names, strict=True)
            ]
            groups = zip(solid.ids.tolist(), solid.smoothing.tolist(), strict=True)
            smoothed = np.array([smoothing.get(side, group) for side, group in groups], np.uint32)
            solid = replace(solid, names=names, smoothing=smoothed)
            brush = int(solid.brushes[0])
            if brush >= 0 and brush in then and brush in now:
                away = _first_corner(self.solids, now[brush]) - _first_corner(before, then[brush])
                owners, detail = self.solids.owners[[now[brush]]], self.solids.detail[[now[brush]]]
                owners = np.where(owners == IN_NO_LEAF, WORLD, owners)
                solid = replace(solid.moved(away[None]), owners=owners, detail=detail)
            added.append(solid)
        return self.edited(removed, added)


def _renamed(before: VmfSolids, now: VmfSolids) -> dict[tuple[int, str], str]:
    """What sides are made of now, by their ids and what they were made of: where it isn't the same."""
    names = {record: name for record, name in zip(now.records.tolist(), now.names, strict=True) if record >= 0}
    sides = zip(before.ids.tolist(), before.records.tolist(), before.names, strict=True)
    return {(side, name): names[record] for side, record, name in sides if names.get(record, name) != name}


def _first_corner(solids: VmfSolids, number: int) -> Floats:
    return np.asarray(solids.corners[solids.first_corner[solids.first_side[number]]])


def of_level(level: Level) -> Map:
    """Take a map apart. Raises FormatError for lumps that don't fit together."""
    found = solid_arrays.of_level(level)
    solids, closing = occluders.owned(level, found.solids)
    owners, more = portals.owners(level, solids)
    solids = replace(solids, owners=owners, detail=solids.detail & (owners == WORLD))
    parts = [solids, *more, *closing, *_shared(level, solids)]
    face_sides = found.face_sides
    lifted = displacements.of_level(level)
    if lifted is not None:
        first = int(sum(part.first_side[-1] for part in parts))
        parts.append(displacements.solids(level, lifted))
        displaced = displacements.face_sides(lifted, first, len(face_sides))
        face_sides = np.where(displaced >= 0, displaced, face_sides)
    whole = solid_arrays.joined(parts).numbered()
    ids = np.where(face_sides >= 0, whole.ids[face_sides], 0) if len(whole.ids) else np.zeros_like(face_sides)
    copies = {place: whole.ids[own] for place, own in found.cubemaps.items()}
    return Map(level, whole, ids, copies, found.restored, found.hidden)


def _shared(level: Level, solids: VmfSolids) -> Iterator[VmfSolids]:
    """What entities have that share the model of another one: solids of their own, at their own place."""
    for first, *others in solid_arrays.of_models(level).values():
        own = np.flatnonzero(solids.owners == first)
        for number in others:
            entities = level.entities
            away = np.subtract(entities[number].origin or (0, 0, 0), entities[first].origin or (0, 0, 0))
            copied = solids.taken(own).moved(np.tile(away.astype(np.float64), (len(own), 1)))
            yield replace(
                copied,
                owners=np.full(len(own), number),
                brushes=np.full(len(own), -1),
                ids=np.zeros_like(copied.ids),
                records=np.full_like(copied.records, -1),
            )
