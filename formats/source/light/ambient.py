# SPDX-License-Identifier: GPL-3.0-or-later
"""Ambient light of leafs: cubes of light at points of them (source.md §2.5).

Maps before v20 have one cube a leaf, in the leaf itself; v20 had a lump of one cube a leaf before there were several
points a leaf. All three are one thing here.
"""

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Ints, Records, Singles
from ...binary import FormatError

SIDES = ("+x", "-x", "+y", "-y", "+z", "-z")  # of a cube, in the file's order
_WHAT = "ambient lighting"


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Cubes of light: [n]."""

    leafs: Ints  # which leaf each is in
    points: Singles  # [n, 3] where
    cubes: Records  # RGBE [n, 6]: a view; rgbe.decode gives light


def samples(leafs: Records, lighting: Records | None = None, index: Records | None = None) -> Samples:
    """Return the cubes of all leafs.

    `lighting`: the lump LEAF_AMBIENT_LIGHTING or that of HDR; without it, the leafs' own. `index`: the lump
    LEAF_AMBIENT_INDEX that goes with it. Raises FormatError where they do not go together.
    """
    if lighting is None:
        if "cube" not in (leafs.dtype.names or ()):
            raise FormatError("leafs of this version have none of their own", _WHAT)
        lighting = leafs
    if "x" not in (lighting.dtype.names or ()):
        if len(lighting) != len(leafs):
            raise FormatError(f"{len(lighting)} cubes, one for each of {len(leafs)} leafs", _WHAT)
        chosen = np.arange(len(leafs), dtype=np.int64)
        middle = np.full((len(leafs), 3), 0.5, np.float32)
        return Samples(chosen, _inside(leafs, middle), lighting["cube"])
    if index is None or len(index) != len(leafs):
        raise FormatError(f"its index has {0 if index is None else len(index)} entries, not {len(leafs)}", _WHAT)
    beyond = (index["count"] > 0) & (index["first"].astype(np.int64) + index["count"] > len(lighting))
    if beyond.any():
        raise FormatError(f"leaf {int(beyond.argmax())} names samples beyond the {len(lighting)} there are", _WHAT)
    ranges.check_total(index["count"], len(lighting), _WHAT)
    order, chosen = ranges.flat(index["first"], index["count"]), ranges.owners(index["count"])
    found = lighting[order]
    fractions = np.stack([found["x"], found["y"], found["z"]], axis=-1).astype(np.float32) / np.float32(255)
    return Samples(chosen, _inside(leafs[chosen], fractions), found["cube"])


def _inside(leafs: Records, fractions: Singles) -> Singles:
    """Points at fractions [n, 3] of the bounds of leafs [n]."""
    mins, maxs = leafs["mins"].astype(np.float32), leafs["maxs"].astype(np.float32)
    with np.errstate(all="ignore"):  # hostile floats
        points: Singles = mins + fractions * (maxs - mins)
    return points
