# SPDX-License-Identifier: GPL-3.0-or-later
"""How large static props are: by their scale, and boxes about as large as models that aren't there (source.md §2.8)."""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Records
from ..level import Level
from ..lumps import LumpId
from ..numbers import doubles
from ..sections.static_props import StaticProps
from .orientation import rotations

_LIGHTING_ORIGIN = "lighting_origin"
_USES_LIGHTING_ORIGIN = 0x2
_SMALLEST, _LARGEST, _UNKNOWN = 8.0, 512.0, 16.0
_FARTHEST_MIDDLE = 128.0
"""Of models whose middle the map tells. All in units."""


def touched(level: Level, lump: StaticProps, props: Records) -> tuple[Floats, Floats]:
    """float64[props, 3] twice: corners of boxes around the origin, along each prop's own axes, that touch the leafs
    which the compiler found it in: as large it is at least. Raises FormatError.
    """
    first, counts = props["first_leaf"].astype(np.int64), props["leaf_count"].astype(np.int64)
    counts = np.where(first + counts <= len(lump.leafs), counts, 0)
    ranges.check_total(counts, len(lump.leafs), "leafs of static props")
    leafs = level.table(LumpId.LEAFS)
    owners, numbers = ranges.owners(counts), lump.leafs["leaf"].astype(np.int64)[ranges.flat(first, counts)]
    there = numbers < len(leafs)
    owners, leafs = owners[there], leafs[numbers[there]]
    origins = doubles(props["origin"])[owners]
    away = origins.clip(doubles(leafs["mins"]), doubles(leafs["maxs"])) - origins
    turned = np.einsum("nij,ni->nj", rotations(doubles(props["angles"]))[owners], away)
    low, high = np.zeros((len(props), 3)), np.zeros((len(props), 3))
    np.minimum.at(low, owners, turned)
    np.maximum.at(high, owners, turned)
    return low, high


class PlausibleBoxes:
    """Boxes about as large as models may be that aren't known, by their props: what these say is worked out at once,
    since numpy takes as long for one as for a hundred.

    Some compilers light props at their model's middle, which then is the same of all, and about as far away from the
    origin as the model's sides are; others leave there what lay in their memory.
    """

    def __init__(self, props: Records, low: Floats, high: Floats) -> None:
        """low, high: float64[props, 3], see `touched`."""
        self._low, self._high = low, high
        self._usual = np.zeros(len(props), np.bool_)
        if _LIGHTING_ORIGIN in (props.dtype.names or ()):
            self._usual = props["flags"] & _USES_LIGHTING_ORIGIN == 0
            self._given = props[_LIGHTING_ORIGIN].any(axis=1)
            away = doubles(props[_LIGHTING_ORIGIN]) - doubles(props["origin"])
            self._lit = np.einsum("nij,ni->nj", rotations(doubles(props["angles"])), away)

    def of(self, alike: Bools) -> tuple[Floats, Floats]:
        """Two corners of the box of a model, float64[3]. alike: bool[props], those that have it."""
        bottom, top = self._low[alike].min(axis=0), self._high[alike].max(axis=0)
        least = _SMALLEST if (top > bottom).any() else _UNKNOWN
        middle, half = np.zeros(3), least
        usual = alike & self._usual
        if usual.any() and self._given[usual].any():
            lit = self._lit[usual]
            reach = float(np.abs(lit[0]).max())
            if 1 < reach <= _FARTHEST_MIDDLE and (np.abs(lit - lit[0]) < 1).all():
                middle, half = lit[0], max(reach, _SMALLEST)
        return np.minimum(bottom, middle - half).clip(-_LARGEST), np.maximum(top, middle + half).clip(max=_LARGEST)


def scales(lump: StaticProps) -> Floats:
    """float64[props, 3]: how large props are; what is not finite is 1."""
    props = lump.props
    count = 0 if props is None else len(props)
    made = np.ones((count, 3))
    fields = () if props is None else props.dtype.names or ()
    if props is not None and "uniform_scale" in fields:
        made[:] = props["uniform_scale"].astype(np.float64)[:, None]
    if props is not None and "scale" in fields:
        made[:] = props["scale"]
    if lump.scales is not None:
        there = (lump.scales["prop"] >= 0) & (lump.scales["prop"] < count)
        made[lump.scales["prop"][there]] = lump.scales["scale"][there]
    made[~np.isfinite(made).all(axis=1)] = 1.0
    return made
