# SPDX-License-Identifier: GPL-3.0-or-later
"""A map's text put together, of what it was taken apart to."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ..content.keyvalues import Block
from ..level import Level
from ..lumps import LumpId
from . import compiled_contents, connections, displacements, groups, ladders, placed, rules, sides
from .assembly import Map
from .solids import IN_NO_LEAF, WORLD, VmfSolids
from .text import write as write_text

DETAIL_CLASS = "func_detail"
_LOST = (
    "visgroups, groups and what was hidden: the compiler keeps nothing of them",
    "func_instance, func_viscluster, func_detail_blocker and prop_detail: they are what they were compiled to",
)


@dataclass(frozen=True, slots=True)
class Vmf:
    """A map's text, how much of each there is, what could not be told, and what vbsp will make otherwise."""

    data: bytes
    counts: dict[str, int]
    lost: list[str]
    findings: list[rules.VmfFinding]


def write(source: Map) -> Vmf:
    """Write a map that was taken apart. Raises RuleError for what vbsp would lose or refuse, and FormatError for lumps
    that can't be read.
    """
    return _Writing(source).written()


class _Writing:
    """A map that is being written."""

    def __init__(self, source: Map) -> None:
        self.source, self.level, self.entities = source, source.level, source.level.entities
        origins, self.solids = _placed(self.level, source.solids)
        self.seen = np.isin(self.solids.ids, source.faces)
        self.reckoned = compiled_contents.reckoned(self.level, self.solids, self.seen)
        lifted = displacements.of_level(self.level)
        self.infos = displacements.blocks(self.level, lifted) if lifted is not None else []
        self.ids = _Ids({number for entity in self.entities if (number := connections.hammer_id(entity))})
        self.made = sides.blocks(self.solids, self.infos, self.ids.next, origins, self.reckoned.leads)
        self.lost: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.whole = Block([("versioninfo", _version(self.level)), ("visgroups", Block())])
        self.blocks: list[tuple[int | None, Block]] = []
        """The world's, and of each entity, with the numbers of those that the map has."""

    def written(self) -> Vmf:
        """The text, and what is to be told of it. Raises RuleError."""
        self._of_entities()
        self._of_details()
        self._of_things()
        self.whole.entries += [("cameras", Block([("activecamera", "-1")])), ("cordon", _cordon())]
        self.counts["solids"] = int((self.solids.owners >= 0).sum())
        self.counts["displacements"] = len(self.infos)
        findings = [
            *rules.values([*self.blocks, *((None, info) for info in self.infos)], self.entities),
            *rules.brushes_of_portals(self.level, self.solids),
            *rules.in_no_leaf(self.solids),
            *rules.contents(self.solids, self.reckoned),
            *rules.luxels(self.level, self.solids),
        ]
        if any(finding.refused for finding in findings):
            raise rules.RuleError(findings)
        data = write_text(self.whole, self.entities.encoding)
        return Vmf(data, dict(self.counts), _told(self.source, self.lost), findings)

    def _add(self, what: str, block: Block, number: int | None = None) -> None:
        self.blocks.append((number, block))
        self.whole.entries.append(("entity", block))
        self.counts[what] += 1

    def _of_entities(self) -> None:
        """Write the world and the entities that the map has, with their solids."""
        of_entity: dict[int, list[Block]] = {}
        solids = self.solids
        for solid in np.flatnonzero(~solids.detail & ~self.reckoned.ladders & (solids.owners != IN_NO_LEAF)).tolist():
            of_entity.setdefault(int(solids.owners[solid]), []).append(self.made[solid])
        world = self._block(WORLD, world=True) if self.entities else Block([("id", "1")])
        world.entries.insert(1, ("mapversion", str(self.level.revision)))
        world.entries += [("solid", solid) for solid in of_entity.pop(WORLD, ())]
        self.whole.entries.append(("world", world))
        self.blocks.append((WORLD if self.entities else None, world))
        for number, entity in enumerate(self.entities):
            if number == WORLD or placed.is_made_again(entity):
                continue
            own = of_entity.pop(number, [])
            if rules.is_portal(entity) and not own:
                continue
            if entity.model is not None and not own:
                self.lost["brush entities without solids, as the map has no brushes of theirs"] += 1
            block = self._block(number, ladder=bool(own) and entity.classname == ladders.COMPILED_CLASS)
            block.entries += [("solid", solid) for solid in own]
            self._add("entities", block, number)
        self.lost["solids left out, as no entity has their model"] += sum(map(len, of_entity.values()))

    def _block(self, number: int, world: bool = False, ladder: bool = False) -> Block:
        entity = self.entities[number]
        return connections.block(
            entity, self.ids.of(connections.hammer_id(entity)), self.lost, world=world, ladder=ladder
        )

    def _of_details(self) -> None:
        """Write details and ladders, of which maps have no entities any more."""
        parted = [(DETAIL_CLASS, group) for group in groups.details(self.solids)]
        parted += [(ladders.CLASS, [solid]) for solid in np.flatnonzero(self.reckoned.ladders).tolist()]
        for classname, group in parted:
            block = Block([("id", str(self.ids.next())), ("classname", classname)])
            block.entries += [("solid", self.made[solid]) for solid in group]
            self._add(classname, block)

    def _of_things(self) -> None:
        """Write what the compiler made other lumps of."""
        level, faces = self.level, np.where(np.isin(self.source.faces, self.solids.ids), self.source.faces, 0)
        for what, found in (
            ("static props", placed.static_props(level, self.lost)),
            ("overlays", placed.overlays(level, faces)),
            ("cubemaps", placed.cubemaps(level, self.solids, self.source.copies, self.seen)),
            ("lists of faces without dynamic shadows", placed.shadowless(level, faces)),
        ):
            for pairs in found:
                self._add(what, Block([("id", str(self.ids.next())), *pairs]))


def _placed(level: Level, solids: VmfSolids) -> tuple[Floats, VmfSolids]:
    """The place of each solid's entity, float64[m, 3], and solids as the editor has them: vbsp moves those of an entity
    by its place, also such as become the world's.
    """
    places = np.array([entity.origin or (0.0, 0.0, 0.0) for entity in level.entities] or [(0.0, 0.0, 0.0)])
    places[WORLD] = 0
    worlds = np.array([entity.model is None for entity in level.entities] or [True])
    owners = solids.owners.clip(min=0)
    origins = np.where(solids.owners[:, None] >= 0, places[owners], 0)
    away = np.where(worlds[owners][:, None], origins, 0)
    return origins, solids.moved(away) if away.any() else solids


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
