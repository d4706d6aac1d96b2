# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes that stand in no leaf: those of func_occluder, and those that are nowhere in the compiled map.

vbsp makes polygons of a func_occluder's sides (source.md "Occlusion") and leaves its brushes in BRUSHES, in the order
of the entities. Other brushes that no leaf has lie in matter of their kind, where nothing of them was left; or, slivers
of a unit or two, in the open, where the map is without them.
"""

from dataclasses import replace

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints
from ...binary import FormatError
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from ..tree import brushes
from ..tree.leaf_tree import LeafTree
from . import tools
from .connections import OCCLUDER_NUMBER
from .portals import numbered, prism
from .solids import IN_NO_LEAF, WORLD, VmfSolids

OCCLUDER = "tools/toolsoccluder"

_NEAR = 0.1  # units that corners of an occluder may lie beside its brush
_INWARDS = 0.1  # of the way from a corner to the middle
_MATTER = ~int(Contents.DETAIL | Contents.TRANSLUCENT | Contents.MOVEABLE) & 0xFFFFFFFF


def owned(level: Level, solids: VmfSolids) -> tuple[VmfSolids, list[VmfSolids]]:
    """Solids whose brushes of occluders belong to their entities, and those that are nowhere to `IN_NO_LEAF`.

    Occluders without a brush are given one for each polygon, which are in the list. Raises FormatError for lumps that
    don't fit together.
    """
    owners, names = solids.owners.copy(), list(solids.names)
    loops = _polygons(level)
    keys = {number: entity for number, entity in numbered(level.entities, OCCLUDER_NUMBER).items() if number in loops}
    free = _unlisted(level, solids)
    made: list[VmfSolids] = []
    for number in sorted(keys):
        own = [solid for solid in free if any(_on(solids, solid, loop).any() for loop in loops[number])]
        for solid in own:
            owners[solid] = keys[number]
            first, end = solids.first_side[solid : solid + 2].tolist()
            drawn = np.any([_on(solids, solid, loop) for loop in loops[number]], axis=0)
            names[first:end] = [OCCLUDER if side else tools.NODRAW for side in drawn.tolist()]
        free = [solid for solid in free if solid not in own]
        if not own:
            made += [prism(loop, keys[number], OCCLUDER, tools.NODRAW) for loop in loops[number]]
    if free:
        tree, contents = LeafTree(level), level.table(LumpId.LEAFS)["contents"].astype(np.int64)
        wanted = level.table(LumpId.BRUSHES)["contents"].astype(np.int64)[solids.brushes[free]] & _MATTER
        for solid, bits in zip(free, wanted.tolist(), strict=True):
            around = contents[tree.of_points(_inside(solids, solid))]
            if (around & bits != bits).any():
                owners[solid] = IN_NO_LEAF
    return replace(solids, owners=owners, names=names), made


def _unlisted(level: Level, solids: VmfSolids) -> list[int]:
    """The world's solids that no leaf has, in the order of their brushes."""
    listed = brushes.of_models(level) >= 0
    compiled = np.flatnonzero((solids.brushes >= 0) & (solids.owners == WORLD))
    found: list[int] = compiled[~listed[solids.brushes[compiled]]].tolist()
    return found


def _on(solids: VmfSolids, solid: int, loop: Floats) -> Ints:
    """Which sides of a solid a polygon lies on, bool[sides]."""
    sides = slice(int(solids.first_side[solid]), int(solids.first_side[solid + 1]))
    heights = loop @ solids.normals[sides].T - solids.dists[sides]
    inside = bool((heights <= _NEAR).all())
    return np.asarray((np.abs(heights) <= _NEAR).all(axis=0) & inside)


def _inside(solids: VmfSolids, solid: int) -> Floats:
    """Points in a solid, float64[k, 3]: its middle, and one next to each corner."""
    first, end = solids.first_corner[solids.first_side[solid : solid + 2]]
    corners = solids.corners[first:end]
    if not len(corners):
        return corners
    middle = corners.mean(axis=0)
    return np.concatenate([middle[None], corners + (middle - corners) * _INWARDS])


def _polygons(level: Level) -> dict[int, list[Floats]]:
    """The polygons of each occluder. Raises FormatError for what isn't there."""
    lump = level.occlusion
    if lump is None:
        return {}
    points = level.table(LumpId.VERTEXES)["point"].astype(np.float64)
    numbers = lump.vertices["vertex"].astype(np.int64)
    starts, sizes = (lump.polys[name].astype(np.int64) for name in ("firstvertexindex", "vertexcount"))
    first, counts = (lump.occluders[name].astype(np.int64) for name in ("firstpoly", "polycount"))
    inside = bool(((numbers >= 0) & (numbers < len(points))).all())
    for begin, count, size in ((starts, sizes, len(numbers)), (first, counts, len(lump.polys))):
        inside = inside and not bool(((begin < 0) | (count < 0) | (begin + count > size)).any())
        ranges.check_total(count, size, "occluders")
    if not inside:
        raise FormatError("polygons or corners that aren't there", "occluders")
    return {
        number: [
            points[numbers[starts[poly] : starts[poly] + sizes[poly]]]
            for poly in range(first[number], first[number] + counts[number])
            if sizes[poly] > 2
        ]
        for number in range(len(counts))
    }
