# SPDX-License-Identifier: GPL-3.0-or-later
"""A map taken apart, and its text put together."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..content.keyvalues import Block
from ..geometry import Floats, Ints
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from . import connections, displacements, groups, placed, portals, sides
from . import solids as solid_arrays
from .brush_polygons import CollectedBrushes
from .solids import WORLD, VmfSolids
from .text import write as write_text

DETAIL_CLASS = "func_detail"
_LOST = (
    "visgroups, groups and what was hidden: the compiler keeps nothing of them",
    "func_instance, func_viscluster, func_detail_blocker and prop_detail: they are what they were compiled to",
)


@dataclass(frozen=True, slots=True)
class Map:
    """A map taken apart. solids: all, with ids of their sides. faces: int64[faces], the id of the side that each drawn
    face lies on, 0: none. copies: the ids of sides whose material is a copy for the cubemap at a place. restored,
    hidden: as of `solids.Compiled`.
    """

    level: Level
    solids: VmfSolids
    faces: Ints
    copies: dict[tuple[int, int, int], Ints]
    restored: int
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


@dataclass(frozen=True, slots=True)
class Vmf:
    """A map's text, how much of each there is, and what could not be told."""

    data: bytes
    counts: dict[str, int]
    lost: list[str]


def of_level(level: Level) -> Map:
    """Take a map apart. Raises FormatError for lumps that don't fit together."""
    found = solid_arrays.of_level(level)
    owners, more = portals.owners(level, found.solids)
    parts = [replace(found.solids, owners=owners), *more, *_shared(level, found.solids)]
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


def write(source: Map) -> Vmf:
    """Write a map that was taken apart. Raises FormatError for lumps that can't be read."""
    level, solids = source.level, source.solids
    lost: Counter[str] = Counter()
    lifted = displacements.of_level(level)
    infos = displacements.blocks(level, lifted) if lifted is not None else []
    used_ids = {number for entity in level.entities if (number := connections.hammer_id(entity))}
    ids = _Ids(used_ids)
    made = sides.blocks(solids, infos, ids.next)
    of_entity: dict[int, list[Block]] = {}
    for solid in np.flatnonzero(~solids.detail).tolist():
        of_entity.setdefault(int(solids.owners[solid]), []).append(made[solid])

    whole = Block([("versioninfo", _version(level)), ("visgroups", Block())])
    counts: Counter[str] = Counter()
    ladders = _ladders(level, solids)
    entities = level.entities
    world = (
        connections.block(entities[WORLD], ids.of(connections.hammer_id(entities[WORLD])), lost, world=True)
        if entities
        else Block([("id", "1")])
    )
    world.entries.insert(1, ("mapversion", str(level.revision)))
    world.entries += [("solid", solid) for solid in of_entity.pop(WORLD, ())]
    whole.entries.append(("world", world))
    for number, entity in enumerate(entities):
        if number == WORLD:
            continue
        if placed.is_made_again(entity, ladders):
            continue
        own = of_entity.pop(number, [])
        if entity.model is not None and not own:
            lost["brush entities without solids, as the map has no brushes of theirs"] += 1
        block = connections.block(entity, ids.of(connections.hammer_id(entity)), lost)
        block.entries += [("solid", solid) for solid in own]
        whole.entries.append(("entity", block))
        counts["entities"] += 1
    lost["solids left out, as no entity has their model"] += sum(len(rest) for rest in of_entity.values())
    for group in groups.details(solids):
        block = Block([("id", str(ids.next())), ("classname", DETAIL_CLASS)])
        block.entries += [("solid", made[solid]) for solid in group]
        whole.entries.append(("entity", block))
        counts[DETAIL_CLASS] += 1
    faces = np.where(np.isin(source.faces, solids.ids), source.faces, 0)
    for what, found in (
        ("static props", placed.static_props(level, lost)),
        ("overlays", placed.overlays(level, faces)),
        ("cubemaps", placed.cubemaps(level, solids, source.copies)),
        ("lists of faces without dynamic shadows", placed.shadowless(level, faces)),
    ):
        for pairs in found:
            whole.entries.append(("entity", Block([("id", str(ids.next())), *pairs])))
            counts[what] += 1
    whole.entries += [("cameras", Block([("activecamera", "-1")])), ("cordon", _cordon())]
    counts["solids"], counts["displacements"] = int((solids.owners >= 0).sum()), len(infos)
    return Vmf(write_text(whole, entities.encoding), dict(counts), _told(source, lost))


class _Ids:
    """Numbers of solids and entities, each given once; those of the editor are kept where they can be."""

    def __init__(self, known: set[int]) -> None:
        self._kept = set(known)
        self._last = max(known, default=0)

    def of(self, wanted: int) -> int:
        """That number if it is still free, else another one."""
        if wanted in self._kept:
            self._kept.remove(wanted)
            return wanted
        return self.next()

    def next(self) -> int:
        """The next free number."""
        self._last += 1
        return self._last


def _version(level: Level) -> Block:
    return Block(
        [
            ("editorversion", "400"),
            ("editorbuild", "8864"),
            ("mapversion", str(level.revision)),
            ("formatversion", "100"),
            ("prefab", "0"),
        ]
    )


def _cordon() -> Block:
    return Block([("mins", "(-1024 -1024 -1024)"), ("maxs", "(1024 1024 1024)"), ("active", "0")])


def _ladders(level: Level, solids: VmfSolids) -> Floats:
    """float64[n, 6]: the boxes of solids that are ladders, of which vbsp makes entities."""
    contents = level.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    compiled = np.flatnonzero(solids.brushes >= 0)
    chosen = compiled[contents[solids.brushes[compiled]] & int(Contents.LADDER) > 0]
    low, high = groups.boxes(solids)
    return np.concatenate([low[chosen], high[chosen]], axis=1)


def _told(source: Map, lost: Counter[str]) -> list[str]:
    """What could not be told, with how often."""
    lines = [f"{what}: {count}" for what, count in lost.items() if count]
    if source.hidden:
        lines.append(f"sides without a face have the material that the compiler left there: {source.hidden}")
    if source.restored:
        lines.append(f"brushes have the tool texture of their contents, as their own is lost: {source.restored}")
    if len(source.level.bytes_of(LumpId.WATEROVERLAYS)):
        lines.append("overlays on water are left out: what they were made of is lost")
    if source.solids.detail.any():
        lines.append(f"which brushes were one {DETAIL_CLASS} is lost: those that follow one another and touch are")
    return [*lines, *_LOST]
