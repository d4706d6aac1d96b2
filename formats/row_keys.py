# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of table rows: 64 bits of what a row says, and of what the rows say that it names by their numbers.

Rows of two tables with equal keys mean the same, whatever numbers they and those that they name have. Two rows that
mean different things have equal keys by chance once in 2**64.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import Array, Integers

Keys = npt.NDArray[np.uint64]
_ODD = np.uint64(0x9E3779B97F4A7C15)
_STEPS = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_LAST = np.uint64(31)
_BASE = 0x5851F42D4C957F2D
_INVERSE = pow(_BASE, -1, 1 << 64)


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """What the rows of a table mean."""

    rows: Keys
    """uint64[n], of each as a whole."""
    named: Mapping[str, Keys]
    """By the fields that name rows of tables, uint64[n]: of what they name."""
    are_things: bool = False
    """Whether a row is worth telling where nothing but what it names is other: a brush of whose sides one is."""


def mixed(values: Keys) -> Keys:
    """Keys that tell nothing of one another though the values are near each other (splitmix64)."""
    for shift, factor in _STEPS:
        values = (values ^ (values >> shift)) * factor
    return values ^ (values >> _LAST)


def joined(keys: Keys, more: Keys) -> Keys:
    """Keys of pairs, which are others the other way round."""
    return mixed(keys * _ODD + more)


def of_rows(table: Array) -> Keys:
    """Keys of the bytes of rows, uint64[n] of n rows."""
    width = table.dtype.itemsize * int(np.prod(table.shape[1:], dtype=np.int64))
    padded = np.zeros((len(table), -(-width // 8) * 8), np.uint8)
    if width:
        padded[:, :width] = np.ascontiguousarray(table).view(np.uint8).reshape(len(table), width)
    keys = np.full(len(table), width, np.uint64)
    for word in padded.view("<u8").T:
        keys = joined(keys, word.astype(np.uint64))
    return keys


def of_numbers(numbers: Integers, keys: Keys) -> Keys:
    """Keys of what each row names, uint64[n]. numbers: int64[n] or int64[n, ...] of rows that have these keys; negative
    ones name nothing, and what is behind the last row is its own meaning.
    """
    known = (numbers >= 0) & (numbers < len(keys))
    own = mixed(np.maximum(numbers, -1).astype(np.int64).view(np.uint64))
    found = np.where(known, keys[np.where(known, numbers, 0)], own) if len(keys) else own
    made = np.zeros(len(numbers), np.uint64)
    for column in found.reshape(len(numbers), int(np.prod(numbers.shape[1:], dtype=np.int64))).T:
        made = joined(made, column)
    return made


def of_runs(first: Integers, count: Integers, keys: Keys) -> Keys:
    """Keys of what runs of rows say one after another, uint64[n]. first, count: int64[n]; runs that reach beyond the
    rows are their own meaning.
    """
    there = (first >= 0) & (count >= 0) & (first <= len(keys)) & (count <= len(keys) - first)
    begin, end = np.where(there, first, 0), np.where(there, first + count, 0)
    powers, inverses = _powers(_BASE, len(keys)), _powers(_INVERSE, len(keys) + 1)
    sums = np.zeros(len(keys) + 1, np.uint64)
    np.cumsum(keys * powers, out=sums[1:])
    found = joined((sums[end] - sums[begin]) * inverses[begin], count.astype(np.uint64))
    own = joined(mixed(first.astype(np.int64).view(np.uint64)), count.astype(np.int64).view(np.uint64))
    return np.where(there, found, own)


def _powers(base: int, count: int) -> Keys:
    """Powers of a number, from 0 on, uint64[count]."""
    made = np.full(count, base, np.uint64)
    made[:1] = 1
    return np.cumprod(made, dtype=np.uint64)


def matched(was: Keys, now: Keys) -> Integers:
    """For each key of `was` a place in `now` that has it, int64[n], each place once, -1 where none is left."""
    if np.array_equal(was, now):
        return np.arange(len(was))
    order, other = np.argsort(was, kind="stable"), np.argsort(now, kind="stable")
    mine, theirs = was[order], now[other]
    nth = np.arange(len(mine)) - np.searchsorted(mine, mine)
    place = np.searchsorted(theirs, mine) + nth
    found = place < len(theirs)
    found[found] = theirs[place[found]] == mine[found]
    made = np.full(len(was), -1, np.int64)
    made[order[found]] = other[place[found]]
    return made


def replaced(place: Integers, count: int) -> tuple[Integers, Integers]:
    """Which rows stand where others stood, of those that no other means: numbers before and after, int64[n] both.

    place: as `matched` gives it. count: of the rows after. A row stands where another stood if as many rows are between
    it and the nearest one before that both tables have.
    """
    numbers = np.arange(len(place))
    before = np.maximum.accumulate(np.where(place >= 0, numbers, -1))
    there = numbers if not len(place) else np.where(before >= 0, place[before] + numbers - before, numbers)
    free = np.ones(count + 1, np.bool_)
    free[place[place >= 0]] = False
    free[count] = False
    rows = np.flatnonzero((place < 0) & free[np.minimum(there, count)])
    after, firsts = np.unique(there[rows], return_index=True)
    return rows[firsts], after
