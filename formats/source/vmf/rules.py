# SPDX-License-Identifier: GPL-3.0-or-later
"""What vbsp stops at, or compiles otherwise than the map was: looked for before a VMF is written.

Each rule gives findings, which name what they are about. Those that would cost more than themselves are refused: of a
value that is too long, vbsp loses all that follows, and at an area portal of several brushes it stops.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints
from ...binary import FormatError
from ..content.keyvalues import Block
from ..entities.text import Entities, Entity
from ..level import Level
from ..lumps import LumpId
from ..tree.leaf_tree import LeafTree
from . import displacements
from .compiled_contents import Reckoned
from .connections import hammer_id
from .solids import IN_NO_LEAF, VmfSolids

LONGEST = 1023
"""Characters of a value."""

_BESIDE = 2.0  # units before the sides of a portal, where its areas are looked for
_NAMED = 20  # numbers in one finding


@dataclass(frozen=True, slots=True)
class VmfFinding:
    """What vbsp won't take as it is."""

    message: str
    refused: bool = False
    entity: int | None = None
    """The place among the map's of the one that it is about, None: of none."""


class RuleError(FormatError):
    """A map that vbsp would lose or refuse. findings: all that were found, refused or not."""

    def __init__(self, findings: Sequence[VmfFinding]) -> None:
        super().__init__("; ".join(finding.message for finding in findings if finding.refused), "VMF")
        self.findings = list(findings)


def values(blocks: Iterable[tuple[int | None, Block]], entities: Entities) -> Iterator[VmfFinding]:
    """Values that are too long. blocks: of entities, each with its place among the map's, None for new ones, and of
    displacements: those of solids' sides are short.
    """
    for number, block in blocks:
        for key, length in _long(block, entities.encoding):
            what = named(entities, number) if number is not None else (block.get("classname") or "a block")
            message = f"the value of {key[:64]!r} has {length} characters. vbsp reads {LONGEST} and loses what follows"
            yield VmfFinding(f"{what}: {message}", True, number)


def _long(block: Block, encoding: str) -> Iterator[tuple[str, int]]:
    for key, value in block.entries:
        if isinstance(value, Block):
            yield from _long(value, encoding) if key != "solid" else ()
        elif len(value) > LONGEST // 4:  # no character has more than four bytes
            length = len(value.encode(encoding, "replace"))
            if length > LONGEST:
                yield key, length


def is_portal(entity: Entity) -> bool:
    """Whether an entity is an area portal, which vbsp takes the brush of."""
    return entity.classname.lower().startswith("func_areaportal") and entity.model is None


def brushes_of_portals(level: Level, solids: VmfSolids) -> Iterator[VmfFinding]:
    """Area portals that haven't one brush, or whose brush isn't between two areas."""
    counts = np.bincount(solids.owners[solids.owners >= 0], minlength=len(level.entities))
    tree = areas = None
    for number, entity in enumerate(level.entities):
        if not is_portal(entity):
            continue
        what = named(level.entities, number)
        if counts[number] == 0:
            yield VmfFinding(
                f"{what}: left out, as it has no brush, and vbsp stops at such area portals", entity=number
            )
            continue
        if counts[number] > 1:
            message = f"an area portal has one brush, and this one {counts[number]}: vbsp stops there"
            yield VmfFinding(f"{what}: {message}", True, number)
            continue
        if tree is None or areas is None:
            tree, areas = LeafTree(level), _areas(level)
        solid = int(np.flatnonzero(solids.owners == number)[0])
        around = areas[tree.of_points(_before(solids, solid))]
        if len(np.unique(around[around > 0])) < 2:
            yield VmfFinding(f"{what}: its brush is not between two areas", entity=number)


def _areas(level: Level) -> Ints:
    """The area of each leaf, int64[leafs]; 0: of none, as in matter."""
    leafs = level.table(LumpId.LEAFS)
    words = leafs["area_flags"]
    areas = words.astype(np.int64) & (0x1FF if words.dtype.itemsize == 2 else 0x1FFFF)
    return np.where(leafs["cluster"].astype(np.int64) >= 0, areas, 0)


def _before(solids: VmfSolids, solid: int) -> Floats:
    """Points before the sides of a solid, float64[k, 3]: before the middle of each, and of each of its corners."""
    first, end = solids.first_side[solid : solid + 2].tolist()
    starts = solids.first_corner[first : end + 1]
    corners = solids.corners[starts[0] : starts[-1]]
    sides = ranges.owners(np.diff(starts))
    sums = [np.bincount(sides, corners[:, axis], end - first) for axis in range(3)]
    middles = np.column_stack(sums) / np.maximum(np.diff(starts), 1)[:, None]
    halfway = (corners + middles[sides]) / 2
    normals = solids.normals[first:end] * _BESIDE
    return np.concatenate([middles + normals, halfway + normals[sides]])


def in_no_leaf(solids: VmfSolids) -> Iterator[VmfFinding]:
    """Brushes that are left out, as the compiled map is without them."""
    numbers = solids.brushes[solids.owners == IN_NO_LEAF]
    if len(numbers):
        yield VmfFinding(f"brushes {listed(numbers)} are left out: they are in no leaf, and the map is without them")


def contents(solids: VmfSolids, reckoned: Reckoned) -> Iterator[VmfFinding]:
    """Brushes that vbsp would make of other contents, of what their textures say."""
    for wanted, made in sorted(set(zip(reckoned.wanted.tolist(), reckoned.made.tolist(), strict=True))):
        own = (reckoned.wanted == wanted) & (reckoned.made == made) & reckoned.differ
        if own.any():
            yield VmfFinding(
                f"brushes {listed(solids.brushes[own])} will contain {made & 0xFFFFFFFF:#x} instead of "
                f"{wanted & 0xFFFFFFFF:#x}, as no texture that is known makes that"
            )
    ladders = np.flatnonzero(reckoned.ladders)
    if len(ladders):
        numbers = listed(solids.brushes[ladders])
        yield VmfFinding(f"brushes {numbers} are written as func_ladder: their textures don't make them ladders")


def luxels(level: Level, solids: VmfSolids) -> Iterator[VmfFinding]:
    """Displacements whose luxels were made larger, and those that still have too many."""
    own = np.flatnonzero(solids.displacements >= 0)
    if not len(own):
        return
    before = displacements.luxels(level)[solids.displacements[own]]
    for number, was, now in zip(
        solids.displacements[own].tolist(), before.tolist(), solids.luxels[own].tolist(), strict=True
    ):
        if was != now:
            yield VmfFinding(
                f"displacement {number}: its lightmapscale is {now:g} instead of {was:g}, as vbsp has "
                f"{displacements.MOST_LUXELS} luxels along a side at most"
            )


def listed(numbers: Ints) -> str:
    """Numbers, the first of many."""
    first = ", ".join(map(str, numbers[:_NAMED].tolist()))
    return first if len(numbers) <= _NAMED else f"{first} and {len(numbers) - _NAMED} more"


def named(entities: Entities, number: int) -> str:
    """An entity by its class and name, or its number in the editor, or among the map's."""
    entity = entities[number]
    known = entity.targetname or (str(hammer_id(entity)) if hammer_id(entity) else f"number {number}")
    return f"{entity.classname} {known}"
