# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the vertices and edges of an edited mesh in the level.

They are *interim*: those of the level keep theirs, new ones come behind them. What is gone goes when everything is
known (`Kept`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import ranges
from ...arrays import Bools, Indices, Integers, Singles
from .edited import EditedMesh

_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def mixed(*columns: Integers) -> NDArray[np.uint64]:
    """A number for each row of columns of whole numbers, of which sums tell sets of rows apart: uint64[n]."""
    result = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        result ^= column.astype(np.uint64) + np.uint64(1)
        result *= _MIX[0]
        result ^= result >> np.uint64(30)
        result *= _MIX[1]
        result ^= result >> np.uint64(27)
        result *= _MIX[2]
        result ^= result >> np.uint64(31)
    return result


@dataclass(slots=True, eq=False)
class VertexNumbers:
    """Which vertices of an edited mesh are which of the level."""

    numbers: Indices
    """int[n]: the interim number of each vertex of the edited mesh."""
    count: int
    """How many vertices the level has."""
    instances: Indices
    """int[m]: for each interim number the vertex of the edited mesh that says where it is, -1: none does."""


def number_vertices(edited: EditedMesh, shown: Singles) -> VertexNumbers:
    """Find out which vertices of an edited mesh are which. shown: where each vertex of the level was shown, [v, 3].

    Several of one record at the very same place are one vertex: meshes that share a border. Of those at several places
    the nearest to the record is it; the others are new.
    """
    records = np.where(edited.vertices < len(shown), edited.vertices, -1)
    numbers = np.full(len(records), -1, np.intp)
    known = np.flatnonzero(records >= 0)
    key = np.empty((len(known), 4), np.uint32)
    key[:, 0] = records[known]
    key[:, 1:] = (edited.positions[known] + np.float32(0)).view(np.uint32)  # -0 is 0
    _, first, places = np.unique(key.view("V16").reshape(-1), return_index=True, return_inverse=True)
    heads = known[first]
    with np.errstate(over="ignore"):
        apart = ((edited.positions[heads].astype(np.float64) - shown[records[heads]]) ** 2).sum(axis=1)
    order = np.lexsort((apart, records[heads]))
    kept = np.zeros(len(heads), np.bool_)
    kept[order[ranges.firsts(records[heads][order])]] = True
    groups = np.where(kept, records[heads], -1)
    fresh = np.flatnonzero(~kept)
    fresh = fresh[np.argsort(heads[fresh])]
    groups[fresh] = len(shown) + np.arange(len(fresh))
    numbers[known] = groups[places.reshape(-1)]
    new = np.flatnonzero(records < 0)
    numbers[new] = len(shown) + len(fresh) + np.arange(len(new))
    instances = np.full(len(shown) + len(fresh) + len(new), -1, np.intp)
    instances[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return VertexNumbers(numbers, len(shown), instances)


def _edge_keys(pairs: Indices) -> NDArray[np.uint64]:
    """A number for each pair of vertices [k, 2], whichever comes first: uint64[k]."""
    low, high = pairs.min(axis=1).astype(np.uint64), pairs.max(axis=1).astype(np.uint64)
    return np.asarray(low << np.uint64(32) | high)


class EdgeNumbers:
    """The edges of a level by the vertices that they join, then new ones.

    Where the level has several between two vertices, the lowest of those that were shown stands for them.
    """

    def __init__(self, pairs: Indices, shown: Bools) -> None:
        """Begin with those of the level: pairs int[e, 2] of vertices, shown bool[e]: polygons pass it."""
        self.count = len(pairs)
        self.pairs = pairs
        keys = _edge_keys(pairs)
        order = np.lexsort((np.arange(len(pairs)), ~shown, keys))
        ordered = keys[order]
        first = ranges.firsts(ordered)
        self._known, self._numbers = ordered[first], order[first]
        self.representatives = np.empty(len(pairs), np.intp)
        """The edge of the level that stands for each, int[e]."""
        self.representatives[order] = self._numbers[np.cumsum(first) - 1]

    def find(self, pairs: Indices) -> Indices:
        """The interim number of the edge between two vertices each, int[k]; -1 where there is none yet."""
        keys = _edge_keys(pairs)
        if not len(self._known):
            return np.full(len(keys), -1, np.intp)
        at = np.searchsorted(self._known, keys).clip(max=len(self._known) - 1)
        return np.where(self._known[at] == keys, self._numbers[at], -1)

    def need(self, pairs: Indices) -> Indices:
        """As `find`, but those that there aren't yet are made, in the order in which they are first asked for."""
        numbers = self.find(pairs)
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            keys = _edge_keys(pairs[missing])
            made, first = np.unique(keys, return_index=True)
            order = np.argsort(first)
            given = len(self.pairs) + np.argsort(order)
            self.pairs = np.concatenate([self.pairs, pairs[missing[first[order]]]])
            self._known = np.concatenate([self._known, made])
            self._numbers = np.concatenate([self._numbers, given])
            sort = np.argsort(self._known)
            self._known, self._numbers = self._known[sort], self._numbers[sort]
            numbers = self.find(pairs)
        return numbers


@dataclass(slots=True, eq=False)
class Kept:
    """Which interim elements stay."""

    old: Indices
    """Their interim numbers, ascending."""
    numbers: Indices
    """The final number of each interim one; -1: it is gone."""

    @classmethod
    def of(cls, kept: Bools) -> Kept:
        """Elements that are kept, bool[m]."""
        old = np.flatnonzero(kept)
        numbers = np.full(len(kept), -1, np.intp)
        numbers[old] = np.arange(len(old))
        return cls(old, numbers)
