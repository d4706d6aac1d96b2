# SPDX-License-Identifier: GPL-3.0-or-later
"""A map's text put together, of what it was taken apart to."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ..content.keyvalues import Block
from ..geometry import Floats
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
    level = source.level
    origins, solids = _placed(level, source.solids)
    seen = np.isin(solids.ids, source.faces)
    reckoned = compiled_contents.reckoned(level, solids, seen)
    lost: Counter[str] = Counter()
    lifted = displacements.of_level(level)
    infos = displacements.blocks(level, lifted) if lifted is not None else []
    used_ids = {number for entity in level.entities if (number := connections.hammer_id(entity))}
    ids = _Ids(used_ids)
    made = sides.blocks(solids, infos, ids.next, origins, reckoned.leads)
    of_entity: dict[int, list[Block]] = {}
    for solid in np.flatnonzero(~solids.detail & ~reckoned.ladders & (solids.owners != IN_NO_LEAF)).tolist():
        of_entity.setdefault(int(solids.owners[solid]), []).append(made[solid])

    whole = Block([("versioninfo", _version(level)), ("visgroups", Block())])
    counts: Counter[str] = Counter()
    entities = level.entities
    world = (
        connections.block(entities[WORLD], ids.of(connections.hammer_id(entities[WORLD])), lost, world=True)
        if entities
        else Block([("id", "1")])
    )
    world.entries.insert(1, ("mapversion", str(level.revision)))
    world.entries += [("solid", solid) for solid in of_entity.pop(WORLD, ())]
    whole.entries.append(("world", world))
    blocks: list[tuple[int | None, Block]] = [(WORLD if entities else None, world)]
    for number, entity in enumerate(entities):
        if number == WORLD:
            continue
        if placed.is_made_again(entity):
            continue
        own = of_entity.pop(number, [])
        if rules.is_portal(entity) and not own:
            continue
        if entity.model is not None and not own:
            lost["brush entities without solids, as the map has no brushes of theirs"] += 1
        ladder = bool(own) and entity.classname == ladders.COMPILED_CLASS
        block = connections.block(entity, ids.of(connections.hammer_id(entity)), lost, ladder=ladder)
        blocks.append((number, block))
        block.entries += [("solid", solid) for solid in own]
        whole.entries.append(("entity", block))
        counts["entities"] += 1
    lost["solids left out, as no entity has their model"] += sum(len(rest) for rest in of_entity.values())
    parted = [(DETAIL_CLASS, group) for group in groups.details(solids)]
    parted += [(ladders.CLASS, [solid]) for solid in np.flatnonzero(reckoned.ladders).tolist()]
    for classname, group in parted:
        block = Block([("id", str(ids.next())), ("classname", classname)])
        block.entries += [("solid", made[solid]) for solid in group]
        whole.entries.append(("entity", block))
        blocks.append((None, block))
        counts[classname] += 1
    faces = np.where(np.isin(source.faces, solids.ids), source.faces, 0)
    for what, found in (
        ("static props", placed.static_props(level, lost)),
        ("overlays", placed.overlays(level, faces)),
        ("cubemaps", placed.cubemaps(level, solids, source.copies, seen)),
        ("lists of faces without dynamic shadows", placed.shadowless(level, faces)),
    ):
        for pairs in found:
            blocks.append((None, Block([("id", str(ids.next())), *pairs])))
            whole.entries.append(("entity", blocks[-1][1]))
            counts[what] += 1
    whole.entries += [("cameras", Block([("activecamera", "-1")])), ("cordon", _cordon())]
    counts["solids"], counts["displacements"] = int((solids.owners >= 0).sum()), len(infos)
    findings = [
        *rules.values([*blocks, *((None, info) for info in infos)], entities),
        *rules.brushes_of_portals(level, solids),
        *rules.in_no_leaf(solids),
        *rules.contents(solids, reckoned),
        *rules.luxels(level, solids),
    ]
    if any(finding.refused for finding in findings):
        raise rules.RuleError(findings)
    return Vmf(write_text(whole, entities.encoding), dict(counts), _told(source, lost), findings)


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
