# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes: what collides, as convex polyhedra between the planes of their sides (source.md "BRUSHES").

A side's plane points out of the brush. Sides that are bevels only widen what a box-shaped player collides with: they
touch the solid in an edge or a corner, and bound nothing here.
"""

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints, Records
from ...binary import FormatError
from ...convex import Polygons, from_planes
from ..level import Level
from ..lumps import LumpId, lump_name
from .leaf_tree import Tabled


@dataclass(frozen=True, slots=True)
class Solids:
    """The polyhedra of brushes."""

    brushes: Records
    polygons: Polygons
    """Of their sides, brush after brush."""
    sides: Ints
    """int64[polygons], their numbers in BRUSHSIDES."""

    @property
    def first_side(self) -> Ints:
        """int64[brushes + 1]: where the sides of each start, in `sides` and among the polygons."""
        return ranges.starts(self.brushes["numsides"])


def solids(level: Tabled, numbers: Ints | None = None) -> Solids:
    """The polyhedra of all brushes, or of those with the numbers int64[n]; FormatError for what isn't there."""
    brushes, sides, planes = (level.table(lump) for lump in (LumpId.BRUSHES, LumpId.BRUSHSIDES, LumpId.PLANES))
    if numbers is not None:
        brushes = brushes[numbers]
    first, counts = brushes["firstside"].astype(np.int64), brushes["numsides"].astype(np.int64)
    bad = (first < 0) | (counts < 0) | (first + counts > len(sides))
    if bad.any():
        record = int(bad.argmax())
        message = f"record {record} has the sides {first[record]} to {first[record] + counts[record]} of {len(sides)}"
        raise FormatError(message, lump_name(LumpId.BRUSHES))
    which = ranges.flat(first, counts)
    on = sides["planenum"][which].astype(np.int64)
    if len(on) and on.max() >= len(planes):
        raise FormatError(f"plane {on.max()} of {len(planes)}", lump_name(LumpId.BRUSHSIDES))
    used = planes[on]
    normals, dists = used["normal"].astype(np.float64), used["dist"].astype(np.float64)
    dists[sides["bevel"][which] != 0] = np.nan  # bounds nothing
    return Solids(brushes, _unbevelled(normals, dists, counts), which)


def _unbevelled(normals: Floats, dists: Floats, counts: Ints) -> Polygons:
    """Polygons without those sides, which have none; the others are numbered as before."""
    kept = np.isfinite(dists)
    owners = ranges.owners(counts)
    found = from_planes(normals[kept], dists[kept], np.bincount(owners[kept], minlength=len(counts)))
    sizes = np.zeros(len(dists), np.int64)
    sizes[kept] = np.diff(found.first_corner)
    return Polygons(found.positions, found.first_vertex, found.corners, ranges.starts(sizes), found.closed)


def of_models(level: Level) -> Ints:
    """The model of each brush: int64[brushes], -1 for those that no leaf has.

    Each model has a tree of its own; the brushes are those in its leafs. Raises FormatError for what isn't there.
    """
    nodes, leafs = level.table(LumpId.NODES), level.table(LumpId.LEAFS)
    children = nodes["children"].astype(np.int64)
    if ((children >= len(nodes)) | (children < -len(leafs))).any():
        raise FormatError("a child isn't there", lump_name(LumpId.NODES))
    heads = level.table(LumpId.MODELS)["headnode"].astype(np.int64)
    if ((heads >= len(nodes)) | (heads < -len(leafs))).any():
        raise FormatError("a head node isn't there", lump_name(LumpId.MODELS))
    model_of_leaf = np.full(len(leafs), -1, np.int64)
    places, models = heads, np.arange(len(heads))
    for _ in range(len(nodes) + 2):
        inner = places >= 0
        model_of_leaf[-1 - places[~inner]] = models[~inner]
        if not inner.any():
            break
        places, models = children[places[inner]].reshape(-1), np.repeat(models[inner], 2)
        if len(places) > len(nodes) + len(leafs):
            raise FormatError("runs in circles", lump_name(LumpId.NODES))
    leaf_brushes = level.table(LumpId.LEAFBRUSHES)["brush"].astype(np.int64)
    first, counts = leafs["firstleafbrush"].astype(np.int64), leafs["numleafbrushes"].astype(np.int64)
    if (first + counts > len(leaf_brushes)).any():
        raise FormatError("its brushes aren't there", lump_name(LumpId.LEAFS))
    brushes = leaf_brushes[ranges.flat(first, counts)]
    found = np.full(len(level.table(LumpId.BRUSHES)), -1, np.int64)
    if len(brushes) and brushes.max() >= len(found):
        raise FormatError(f"brush {brushes.max()} of {len(found)}", lump_name(LumpId.LEAFBRUSHES))
    owners = np.repeat(model_of_leaf, counts)
    found[brushes[::-1]] = owners[::-1]  # of several, the first leaf's
    return found
