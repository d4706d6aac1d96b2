# SPDX-License-Identifier: GPL-3.0-or-later
"""Rings of half-edges, each of which knows the one that follows it."""

import numpy as np

from ..arrays import Bools, Indices
from .walk import counts_to_starts


def cycles(following: Indices) -> tuple[Indices, Indices]:
    """All elements of a permutation int[n], cycle by cycle in order round it, and where the cycles begin.

    Each cycle begins with its smallest element; cycles go by these. By pointer doubling: no loop an element.
    """
    labels = np.arange(len(following), dtype=np.intp)
    jump = following
    while True:
        smaller = np.minimum(labels, labels[jump])
        if np.array_equal(smaller, labels):
            break
        labels, jump = smaller, jump[jump]
    # Steps to the end of the cycle.
    ends = following == labels
    jump = np.where(ends, np.arange(len(following)), following)
    steps = (~ends).astype(np.intp)
    while not ends[jump].all():
        steps, jump = steps + steps[jump], jump[jump]
    order = np.lexsort((-steps, labels))
    heads, counts = np.unique(labels, return_counts=True)
    del heads
    return order, counts_to_starts(counts)


def pairs(keys: Indices, backward: Bools) -> Indices:
    """The partner of each element, int[n]: the one other that has its key, int[n], and runs the other way; -1: none."""
    order = np.lexsort((backward, keys))
    sizes = np.unique(keys, return_counts=True)[1]
    begins = counts_to_starts(sizes)[:-1][sizes == 2]
    first, second = order[begins], order[begins + 1]
    good = backward[first] != backward[second]
    partners = np.full(len(keys), -1, np.intp)
    partners[first[good]], partners[second[good]] = second[good], first[good]
    return partners
