# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding records of varying length that stand behind each other, without a loop over them."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..arrays import Indices, Integers
from ..binary import FormatError

_DOUBLINGS = 4  # a step of the loop below is 2 ** this records


def starts(
    size: int,
    sizes: Callable[[Indices], Indices],
    count: int,
    what: str,
    offset: int,
    hop: Callable[[int], int] | None = None,
) -> Indices:
    """The places [count] where records begin that stand one behind the other and fill `size` places.

    sizes(places): how long a record would be that began at these places, int[k]; 0 at one that `hop` is asked about,
    which gives the place behind its record.

    Records that are all of one size are found at once. Otherwise the chain from record to record is followed 16 at a
    time: its table is composed with itself four times, and the records between are then filled in by the same tables.
    Raises FormatError if there aren't `count` records, or if they end elsewhere than at `size`; `offset` is that of
    place 0 in the file, places are 4 bytes.
    """
    if count and size and size % count == 0:
        even = np.arange(0, size, size // count)
        if (sizes(even) == size // count).all():
            return even
    places = np.arange(size)
    broken = size + 1
    jump = np.empty(size + 2, np.intp)
    np.minimum(places + sizes(places), broken, out=jump[:size])
    jump[size:] = size, broken
    jumps = [jump]
    for _ in range(_DOUBLINGS):
        jumps.append(jumps[-1][jumps[-1]])
    far = jumps.pop()
    place, anchors = 0, []
    while place < size:
        anchors.append(place)
        step = int(far[place])
        if hop is not None and step < size and jump[step] == step:
            anchors.append(step)
            step = hop(step)
        place = step
    begins = np.zeros(size + 2, np.bool_)
    found = np.array(anchors, np.intp)
    for jump in reversed(jumps):
        found = np.concatenate([found, jump[found]])
    begins[found] = True
    places = np.flatnonzero(begins[:size])
    if place != size or len(places) != count:
        if place == size:
            raise FormatError(f"{len(places)} fill it, {count} are claimed", what, offset)
        last = int(places[-1]) if len(places) else 0
        raise FormatError(f"number {len(places) - 1} reaches beyond the end", what, offset + 4 * last)
    return places


def counts_to_starts(counts: Integers) -> Indices:
    """Where the parts of a list begin that have these sizes, and where the last ends: [n + 1]."""
    begins = np.zeros(len(counts) + 1, np.intp)
    np.cumsum(counts, out=begins[1:])
    return begins


def rows_at(values: npt.NDArray[np.uint32], places: Indices, width: int) -> npt.NDArray[np.uint32]:
    """The `width` values from each place on, [n, width]."""
    if not len(places):
        return np.zeros((0, width), values.dtype)
    return np.lib.stride_tricks.sliding_window_view(values, width)[places]


def gather(begins: Indices, chosen: Indices) -> tuple[Indices, Indices]:
    """Of parts of a list (`begins` [n + 1], from 0) the chosen ones: their own begins, and which elements those are."""
    if len(chosen) == len(begins) - 1 and (chosen == np.arange(len(chosen))).all():
        return begins, np.arange(begins[-1], dtype=np.intp)
    sizes = np.diff(begins)[chosen]
    new = counts_to_starts(sizes)
    return new, np.arange(new[-1], dtype=np.intp) + np.repeat(begins[:-1][chosen] - new[:-1], sizes)
