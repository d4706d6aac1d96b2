# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters see through what was opened: never too little (source.md §4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints, Records
from ..geometry import drawn_faces
from ..level import Level
from ..lumps import LumpId
from ..records import Contents, LeafFlag, SurfaceFlag
from ..sections.visibility import Bits, Visibility
from ..tables.fields import areas, put_areas
from ..tree import leaf_tree

_WET = int(Contents.WATER | Contents.SLIME)
_SKIES = ((SurfaceFlag.SKY, LeafFlag.SKY), (SurfaceFlag.SKY2D, LeafFlag.SKY2D))
_ROUNDED = 2.0
"""Units that boxes of leafs may be too small by: compilers round them towards 0."""
_DIRECTIONS = np.array(
    [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) > (0, 0, 0)], np.float64
)
"""Along axes and diagonals. Two that lie beyond a hole along one of them, both the same way, it can't join."""


@dataclass(frozen=True, slots=True, eq=False)
class Hole:
    """Where it opened."""

    touching: Ints
    """int64[n], the clusters that it opens to."""
    corners: Floats
    """float64[m, 3], of its cells."""


def widened(before: Visibility, holes: Sequence[Hole], boxes: Floats) -> Visibility:
    """Visibility through holes. boxes: float64[clusters, 2, 3], around each, with the holes that are in it.

    A line of sight through a hole comes from a cluster that one of those beside it sees, and goes to another such; the
    hole isn't wholly on one side of both. One through several holes is covered one by one: the sight between two of
    them was there, or is there by the one before.
    """
    after = Visibility(before.pvs.copy(), before.pas.copy())
    for hole in holes:
        seen = _seen(after.pvs, hole.touching, before.clusters)
        together = np.packbits(seen, bitorder="little")
        apart = np.zeros((before.clusters, len(together)), np.uint8)
        for way in _DIRECTIONS:
            ends = np.sort(boxes * way, axis=1).sum(axis=2)
            hole_ends = hole.corners @ way
            for beyond in (ends[:, 1] < hole_ends.min(), ends[:, 0] > hole_ends.max()):
                apart[beyond] |= np.packbits(beyond, bitorder="little")
        after.pvs[seen] |= together & ~apart[seen]
        heard = _seen(after.pas, hole.touching, before.clusters)
        after.pas[heard] |= np.packbits(heard, bitorder="little")
    return after


def _seen(rows: Bits, clusters: Ints, count: int) -> Bools:
    """All that some clusters have in their rows, and these."""
    together = np.bitwise_or.reduce(rows[clusters], axis=0)
    members = np.unpackbits(together, count=count, bitorder="little").astype(np.bool_)
    members[clusters] = True
    return members


def boxes(leafs: Records, count: int) -> Floats:
    """The boxes float64[count, 2, 3] of clusters; of those without leafs, the whole world's."""
    clusters = leafs["cluster"].astype(np.int64)
    known = (clusters >= 0) & (clusters < count)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, clusters[known], leafs["mins"][known].astype(np.float64) - _ROUNDED)
    np.maximum.at(high, clusters[known], leafs["maxs"][known].astype(np.float64) + _ROUNDED)
    low, high = np.where(np.isfinite(low), low, -1e6), np.where(np.isfinite(high), high, 1e6)
    return np.stack([low, high], axis=1)


def put_flags(level: Level, leafs: Records, after: Visibility, changed: Ints) -> None:
    """Have leafs of clusters that see more know whether they see the sky, and water, as the compilers tell them."""
    clusters = leafs["cluster"].astype(np.int64)
    contents = leafs["contents"].astype(np.int64)
    known = (clusters >= 0) & (clusters < after.clusters) & (contents & Contents.SOLID == 0)
    area, flags = areas(leafs)
    rows = np.unpackbits(after.pvs[changed], axis=1, count=after.clusters, bitorder="little").astype(np.bool_)
    wet = contents & _WET != 0
    for flag, sky in _skies(level, clusters, after.clusters):
        if (flags & flag).any():
            flags[known & _of(clusters, changed[rows[:, sky].any(axis=1)])] |= flag
    if (contents & Contents.TESTFOGVOLUME).any():
        pools = np.unique(clusters[wet & known])
        contents[known & ~wet & _of(clusters, changed[rows[:, pools].any(axis=1)])] |= Contents.TESTFOGVOLUME
    put_areas(leafs, area, flags)
    leafs["contents"] = contents


def _of(clusters: Ints, wanted: Ints) -> Bools:
    return np.isin(clusters, wanted)


def _skies(level: Level, clusters: Ints, count: int) -> list[tuple[int, Ints]]:
    """For each kind of sky the flag of leafs that see it, and the clusters with faces of it."""
    members, listed = leaf_tree.faces(level)
    faces, texinfos = level.table(drawn_faces(level)), level.table(LumpId.TEXINFO)
    numbers = faces["texinfo"][listed].astype(np.int64)
    there = (numbers >= 0) & (numbers < len(texinfos))
    flags = texinfos["flags"][numbers[there]].astype(np.int64)
    owners = clusters[members[there]]
    fine = (owners >= 0) & (owners < count)
    return [(int(flag), np.unique(owners[fine & (flags & kind != 0)])) for kind, flag in _SKIES]
