# SPDX-License-Identifier: GPL-3.0-or-later
"""The blocks of solids and their sides."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from ...arrays import Floats, Ints
from ..content.keyvalues import Block
from . import plane_points, texture_axes
from .solids import VmfSolids
from .text import numbers, plain


def blocks(
    solids: VmfSolids, displacements: Sequence[Block], next_id: Callable[[], int], origins: Floats, leads: Ints
) -> list[Block]:
    """A block for each solid. displacements: the blocks of all. next_id: gives the solids their numbers.

    origins: float64[m, 3], of the solids' entities. leads: int64[m], the side of each that stands first.
    """
    moved = np.repeat(origins, np.diff(solids.first_side), axis=0)
    points = plane_points.points(solids.normals, solids.dists, solids.corners, solids.first_corner, moved)
    directions, shifts, scales = texture_axes.axes(solids.vectors)
    planes = _joined(numbers(points), "({} {} {}) ({} {} {}) ({} {} {})")
    both = np.concatenate([directions, shifts[:, :, None], scales[:, :, None]], axis=2)
    axes = _joined(numbers(both), "[{} {} {} {}] {}")
    luxels = numbers(solids.luxels)
    names = {name: plain(name)[0] for name in set(solids.names)}
    made = [
        Block(
            [
                ("id", str(number)),
                ("plane", plane),
                ("material", names[name]),
                ("uaxis", axes[2 * side]),
                ("vaxis", axes[2 * side + 1]),
                ("rotation", "0"),
                ("lightmapscale", luxels[side]),
                ("smoothing_groups", str(smoothing)),
            ]
        )
        for side, (number, plane, name, smoothing) in enumerate(
            zip(solids.ids.tolist(), planes, solids.names, solids.smoothing.tolist(), strict=True)
        )
    ]
    for side in np.flatnonzero(solids.displacements >= 0).tolist():
        made[side].entries.append(("dispinfo", displacements[int(solids.displacements[side])]))
    first = solids.first_side.tolist()
    return [
        Block([("id", str(next_id())), *(("side", made[side]) for side in _led(begin, end, lead))])
        for (begin, end), lead in zip(pairwise(first), leads.tolist(), strict=True)
    ]


def _led(begin: int, end: int, lead: int) -> list[int]:
    """Numbers from begin to end, one of them first."""
    numbers = list(range(begin, end))
    if begin < lead < end:
        numbers.insert(0, numbers.pop(lead - begin))
    return numbers


def _joined(texts: list[str], pattern: str) -> list[str]:
    """Texts, as many at a time as the pattern takes."""
    count = pattern.count("{}")
    return [pattern.format(*texts[place : place + count]) for place in range(0, len(texts), count)]
