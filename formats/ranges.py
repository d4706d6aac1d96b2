# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists within lists, as arrays: where each one starts and how many it has."""

import numpy as np
import numpy.typing as npt

from . import arrays
from .arrays import Bools, Int32s, Ints
from .binary import FormatError

_SHARED = 16
_BLOCK = 1 << 15  # numbers that are compared at a time, so that they stay in the processor's cache


def flat(starts: npt.ArrayLike, counts: npt.ArrayLike, step: int = 1) -> Ints:
    """Return starts[0], starts[0] + step, ... (counts[0] of them), starts[1], ...: int64 [sum of counts]."""
    first, lengths = np.asarray(starts, np.int64), np.asarray(counts, np.int64)
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    numbers: Ints = np.arange(0, total * step, step, dtype=np.int64)
    numbers += np.repeat(first - (ends - lengths) * step, lengths)
    return numbers


def index(starts: npt.ArrayLike, counts: npt.ArrayLike) -> slice | Ints:
    """Return what picks the entries of `flat` out of an array: a slice where they follow one another, else `flat`."""
    first, lengths = np.asarray(starts, np.int64), np.asarray(counts, np.int64)
    if len(first) and np.array_equal(first[1:], first[:-1] + lengths[:-1]):
        return slice(int(first[0]), int(first[-1] + lengths[-1]))
    return flat(first, lengths)


def check_total(counts: npt.ArrayLike, there: int, what: str) -> None:
    """Raise FormatError for lists that share their entries as none do: a small file must not fill the memory.

    `there`: how many entries there are to share.
    """
    total = int(np.asarray(counts, np.int64).clip(0).sum())
    if total > _SHARED * (there + 1024):
        raise FormatError(f"lists of {total} entries in all, of which there are {there}", what)


def are_in_order(numbers: Int32s) -> bool:
    """Say whether numbers, int32 [n], are 0, 1, 2, ...; without an array of as many beside them."""
    steps = np.arange(_BLOCK, dtype=np.int32)
    for start in range(0, len(numbers), _BLOCK):
        block = numbers[start : start + _BLOCK]
        if not (block == steps[: len(block)]).all():
            return False
        steps += np.int32(_BLOCK)
    return True


def owners(counts: npt.ArrayLike) -> Ints:
    """Return whose each entry of `flat` is: int64 [sum of counts], indices of `counts`."""
    lengths = np.asarray(counts, np.int64)
    whose: Ints = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    return whose


def starts(counts: npt.ArrayLike) -> Ints:
    """Return where each one's entries of `flat` start, and where the last one's end: int64 [len(counts) + 1]."""
    lengths = np.asarray(counts, np.int64)
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


def among(numbers: arrays.Integers, count: int) -> Bools:
    """Return which of `count` things are among these numbers: bool [count]. Numbers of no thing mean nothing."""
    found = np.zeros(count, np.bool_)
    found[numbers[(numbers >= 0) & (numbers < count)]] = True
    return found


def firsts(ordered: npt.ArrayLike) -> Bools:
    """Return which of ordered values are the first of their kind: bool [n]."""
    values = np.asarray(ordered)
    first = np.ones(len(values), np.bool_)
    first[1:] = values[1:] != values[:-1]
    return first


def distinct(numbers: arrays.Integers, count: int) -> tuple[Ints, Ints]:
    """Return which of the numbers below `count` there are, ascending, and the place of each of `numbers` among them:
    np.unique with its inverse, of numbers that need no sorting.
    """
    if len(numbers) * _SHARED < count:
        ordered = np.sort(numbers)
        found = ordered[firsts(ordered)]
        return found.astype(np.int64), np.searchsorted(found, numbers)
    there = np.zeros(count, np.bool_)
    there[numbers] = True
    place = np.cumsum(there) - 1
    return np.flatnonzero(there), place[numbers]
