# SPDX-License-Identifier: GPL-3.0-or-later
"""Which brushes of detail go together: vbsp puts all of a func_detail into the world, one entity's after another's."""

from itertools import pairwise

import numpy as np

from ... import ranges
from ..geometry import Floats
from .solids import VmfSolids

_TOUCH = 1.0  # units


def details(solids: VmfSolids) -> list[list[int]]:
    """The solids of each func_detail, as likely as can be told: those that follow one another and touch.

    What is compiled doesn't depend on it.
    """
    numbers = np.flatnonzero(solids.detail)
    if not len(numbers):
        return []
    low, high = boxes(solids)
    apart = np.maximum(low[numbers[1:]] - high[numbers[:-1]], low[numbers[:-1]] - high[numbers[1:]]).max(axis=1)
    starts = np.concatenate([[0], np.flatnonzero(apart > _TOUCH) + 1, [len(numbers)]]).tolist()
    return [numbers[begin:end].tolist() for begin, end in pairwise(starts)]


def boxes(solids: VmfSolids) -> tuple[Floats, Floats]:
    """The lowest and highest corner of each solid, float64[m, 3]; infinite, the wrong way round, without corners."""
    sides = ranges.owners(np.diff(solids.first_side))
    owners = sides[ranges.owners(np.diff(solids.first_corner))]
    low, high = np.full((len(solids), 3), np.inf), np.full((len(solids), 3), -np.inf)
    np.minimum.at(low, owners, solids.corners)
    np.maximum.at(high, owners, solids.corners)
    return low, high
