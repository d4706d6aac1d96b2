# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns of tiles that a layer uses: pieces that hang together, such as a house, a tree, a sign."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from ..arrays import Bools, Integers
from ..linked import components
from .stamps import TileStamp

LARGEST = 16
"""Tiles that a pattern is wide and high, at most: what is larger is ground."""
MOST = 64
"""Patterns of a layer, at most: those that are used most."""
_NEIGHBOURS = ((0, 1), (1, -1), (1, 0), (1, 1))
"""Rows and columns from a tile to those that come after it and touch it."""


def patterns(kind: str, values: Mapping[str, Integers]) -> list[TileStamp]:
    """The patterns of a layer, those that are used most first, then in the order of their first tiles.

    kind: name of the TileKind. values: its fields by name, int[h, w] each; index 0 is air. A pattern has two tiles at
    least: one alone is in the palette.
    """
    there = values["index"] > 0
    rows, columns = np.nonzero(there)
    if not len(rows):
        return []
    label = _labels(there)
    numbers, part = np.unique(label, return_inverse=True)
    low, high = np.full((2, len(numbers)), max(there.shape)), np.full((2, len(numbers)), -1)
    for axis, places in enumerate((rows, columns)):
        np.minimum.at(low[axis], part, places)
        np.maximum.at(high[axis], part, places)
    sizes = high - low + 1
    fits = (sizes <= LARGEST).all(axis=0) & (np.bincount(part) > 1)
    numbered = np.full(there.shape, -1)
    numbered[there] = part
    found: Counter[tuple[tuple[int, ...], bytes]] = Counter()
    stamps: dict[tuple[tuple[int, ...], bytes], TileStamp] = {}
    for one in np.flatnonzero(fits).tolist():
        (top, left), (bottom, right) = low[:, one].tolist(), (high[:, one] + 1).tolist()
        own = numbered[top:bottom, left:right] == one
        stamp = _cut(kind, values, (slice(top, bottom), slice(left, right)), own)
        key = stamp.shape, stamp.tiles
        found[key] += 1
        stamps.setdefault(key, stamp)
    return [stamps[key] for key, _ in found.most_common(MOST)]


def _labels(there: Bools) -> Integers:
    """Of each tile, row by row, the number of the first one of those that it hangs together with."""
    number = np.full((there.shape[0] + 1, there.shape[1] + 2), -1)
    number[:-1, 1:-1][there] = np.arange(np.count_nonzero(there))
    own = number[:-1, 1:-1]
    links = []
    for row, column in _NEIGHBOURS:
        other = number[row : row + own.shape[0], 1 + column : 1 + column + own.shape[1]]
        both = (own >= 0) & (other >= 0)
        links.append(np.stack((own[both], other[both])))
    first, second = np.concatenate(links, axis=1)
    return components(np.count_nonzero(there), np.append(first, second), np.append(second, first))


def _cut(kind: str, values: Mapping[str, Integers], area: tuple[slice, slice], own: Bools) -> TileStamp:
    """The tiles of one pattern alone, in the smallest rectangle round it."""
    return TileStamp(kind, {name: np.where(own, field[area], 0).astype(np.int32) for name, field in values.items()})
