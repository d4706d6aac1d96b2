# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights that cells have in the layers of their themes: from the file's integers, and back by nobody but these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Bytes, Indices, Int32s, Integers, Records, Singles
from . import strengths

FULL = 255
"""The weight of a cell that is of one theme alone: 1.0 in Blender."""


class Weights(NamedTuple):
    """Which cells are of which layers, and how much: rows of three arrays, ordered by slot (`of_cells`: and by weight).

    A cell has at most one row a layer.
    """

    slots: Bytes
    """[k], the first slot of the layer's name."""
    weights: Bytes
    """[k], 1 to FULL."""
    cells: Int32s
    """[k], y * columns + x."""


def of_cells(cells: Records, has_layer: Bools) -> Weights:
    """Return the weights of cells, CELL [rows, columns] or [n]. has_layer: bool[256], the slots that have one.

    A weight is the sum of the cell's strengths with that slot, clamped to 0..255; rows of weight 0 are left out.
    """
    flat = cells.reshape(-1)
    themes = np.ascontiguousarray(flat["themes"].T)  # a row a slot: the file's records are slow to walk
    amounts = np.ascontiguousarray(strengths(flat).T)
    # A slot that stands twice in a cell: the later one's strength is the earlier one's as well.
    for earlier, later in ((0, 1), (0, 2), (1, 2)):
        twice = np.flatnonzero((themes[earlier] == themes[later]) & (amounts[later] != 0))
        amounts[earlier, twice] += amounts[later, twice]
        amounts[later, twice] = 0
    keys = []
    numbers = []
    for slot, amount in zip(themes, amounts, strict=True):
        found = np.flatnonzero((amount > 0) & has_layer[slot])
        whole = np.minimum(amount[found], FULL).astype(np.uint16)
        keys.append(slot[found].astype(np.uint16) << np.uint16(8) | whole)
        numbers.append(found.astype(np.int32))
    key, number = np.concatenate(keys), np.concatenate(numbers)
    order = np.argsort(key, kind="stable")  # a radix sort, for it is of 16 bits
    key = key[order]
    return Weights((key >> np.uint16(8)).astype(np.uint8), (key & np.uint16(0xFF)).astype(np.uint8), number[order])


def of_values(values: Singles) -> tuple[Bytes, Indices]:
    """The weights that a layer has, and of which cells, from one value a cell, float32[n]: uint8[k], 1 to FULL, and
    int[k], ascending. What is outside 0 to 1 is clamped.
    """
    whole = np.rint(np.clip(values, 0, 1) * FULL).astype(np.uint8)
    found = np.flatnonzero(whole)
    return whole[found], found


def of_layers(layers: Iterable[tuple[int, Bytes, Integers]]) -> Weights:
    """Put layers together: of each its slot, the weights of its cells, uint8[n] of 1..255, and these cells, int[n]."""
    parts = [
        (np.full(len(cells), slot, np.uint8), amounts, cells.astype(np.int32))
        for slot, amounts, cells in sorted(layers, key=lambda layer: layer[0])
    ]
    if not parts:
        return Weights(np.zeros(0, np.uint8), np.zeros(0, np.uint8), np.zeros(0, np.int32))
    return Weights(*(np.concatenate(column) for column in zip(*parts, strict=True)))
