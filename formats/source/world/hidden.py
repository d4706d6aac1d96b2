# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a side is within other brushes: the tree says it of structural ones alone (source.md §2.5, §4)."""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from ..edits.changes import Changes
from ..lumps import LumpId
from .rings import ON, FlatRings

_SEEN = 0xFF
"""Contents that can be seen; of several the lowest one counts."""
_ALONG = 0.5
"""Cosine between planes that look the same way: those that a polygon lies in are parallel anyhow."""


def shows(brush: Ints, other: Ints) -> Bools:
    """Whether a side of a brush with some contents is seen where others are before it: int64[n] both, bool[n].

    As between any two, what can be seen and only one of them has counts, and of that the lowest bit.
    """
    differs = (brush ^ other) & _SEEN
    return np.asarray((differs & -differs & brush) != 0)


class BrushPlanes:
    """The world's brushes as they are in `changes`, by what bounds them."""

    def __init__(self, changes: Changes) -> None:
        table, sides = changes.table(LumpId.BRUSHES), changes.table(LumpId.BRUSHSIDES)
        planes = changes.table(LumpId.PLANES)
        self._leafs, self._listed = changes.table(LumpId.LEAFS), changes.table(LumpId.LEAFBRUSHES)["brush"]
        self.contents = table["contents"].astype(np.int64)
        self._first, self._counts = table["firstside"].astype(np.int64), table["numsides"].astype(np.int64)
        self._bevel = sides["bevel"] != 0
        used = planes[sides["planenum"]]
        self._normals, self._dists = used["normal"].astype(np.float64), used["dist"].astype(np.float64)

    def _boxes(self, which: Ints) -> tuple[Floats, Floats]:
        """float64[n, 3] twice: brushes' boxes, as far as sides along the axes bound them: compilers see that all do."""
        low, high = np.full((len(which), 3), -np.inf), np.full((len(which), 3), np.inf)
        rows, owners = ranges.flat(self._first[which], self._counts[which]), ranges.owners(self._counts[which])
        for axis in range(3):
            along = self._normals[rows, axis]
            for sign, extreme, bound in ((1, np.minimum, high), (-1, np.maximum, low)):
                there = along == sign
                extreme.at(bound, (owners[there], axis), sign * self._dists[rows[there]])
        return low, high

    def within(
        self, rings: FlatRings, normals: Floats, own: Ints, leafs: Ints, owners: Ints
    ) -> dict[int, list[Floats]]:
        """What of polygons other brushes hide, by polygon; of those that nothing hides nothing.

        own: int64[n], the brush of each. leafs, owners: int64[k], in which leaf which polygon lies. A polygon in the
        plane of another brush's side is hidden where that looks the other way.
        """
        first, counts = (self._leafs[name].astype(np.int64)[leafs] for name in ("firstleafbrush", "numleafbrushes"))
        pairs = np.unique(
            np.column_stack([np.repeat(owners, counts), self._listed[ranges.flat(first, counts)].astype(np.int64)]),
            axis=0,
        )
        polygon, brush = pairs.T
        keep = (brush != own[polygon]) & (self._counts[brush] > 0)
        keep &= ~shows(self.contents[own[polygon]], self.contents[brush])
        polygon, brush = polygon[keep], brush[keep]
        low, high = rings.boxes()
        bottom, top = self._boxes(brush)
        near = ((low[polygon] < top + ON) & (high[polygon] > bottom - ON)).all(axis=1)
        polygon, brush = polygon[near], brush[near]
        left = rings.take(polygon)
        for place in range(int(self._counts[brush].max(initial=0))):
            row = self._first[brush] + place
            bounds = place < self._counts[brush]
            bounds[bounds] &= ~self._bevel[row[bounds]]
            row = np.where(bounds, row, 0)
            heights = left.heights(self._normals[row], self._dists[row])
            heights[~bounds] = 0
            flat = bounds & ~heights.any(axis=1)
            outward = np.einsum("ni,ni->n", self._normals[row], normals[polygon]) > _ALONG
            left = left.below(heights)
            left.sizes[flat & outward] = 0
            kept = left.sizes > 0
            left, polygon, brush = left.take(kept), polygon[kept], brush[kept]
        found: dict[int, list[Floats]] = {}
        for number, ring in zip(polygon.tolist(), left.listed(), strict=True):
            found.setdefault(number, []).append(ring)
        return found
