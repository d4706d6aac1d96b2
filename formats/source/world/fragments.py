# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons in the world's tree: which leafs they look into, and what of them is seen.

All polygons go down the tree at the same time, and are parted by the planes of nodes. What is seen isn't left in these
pieces: of a polygon whose pieces are all seen nothing is cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...binary import FormatError
from ..tree.leaf_tree import LeafTree
from .rings import FlatRings, joined


@dataclass(frozen=True, slots=True, eq=False)
class Fragments:
    """n pieces of polygons: first the polygons, then halves of these, then halves of halves."""

    owners: Ints
    """int64[n], the polygon."""
    parents: Ints
    """int64[n], of which piece each is a half, -1: it is a polygon."""
    leafs: Ints
    """int64[n], where it ended, -1: it was parted further."""
    rings: FlatRings
    """The pieces."""
    rounds: Ints
    """int64[r + 1], where the pieces of each parting start."""

    def largest(self, seen: Bools) -> Ints:
        """The fewest pieces that make up all those that are seen, bool[n] (of pieces in leafs): int64[k]."""
        whole = np.where(self.leafs >= 0, seen, True)
        for first, end in zip(self.rounds[-2:0:-1], self.rounds[:1:-1], strict=True):
            np.logical_and.at(whole, self.parents[first:end], whole[first:end].copy())
        top = whole.copy()
        child = self.parents >= 0
        top[child] &= ~whole[self.parents[child]]
        return np.flatnonzero(top)

    def within(self, pieces: Ints) -> Ints:
        """Of which of some pieces, int64[k], none within another, each piece is a part: int64[n], places in `pieces`,
        -1: of none.
        """
        found = np.full(len(self.owners), -1, np.int64)
        found[pieces] = np.arange(len(pieces))
        for first, end in zip(self.rounds[1:-1], self.rounds[2:], strict=True):
            inherited = found[self.parents[first:end]]
            found[first:end] = np.where(inherited >= 0, inherited, found[first:end])
        return found


def find(tree: LeafTree, rings: FlatRings, normals: Floats) -> Fragments:
    """The pieces of convex polygons in the leafs that they look into. normals: float64[n, 3], theirs.

    A polygon on a node's plane goes to the side that its normal looks to. Raises FormatError for a tree in circles.
    """
    count = len(rings)
    held, owners, parents, rounds = [rings], [np.arange(count)], [np.full(count, -1)], [0, count]
    piece, owner, node = np.arange(count), np.arange(count), np.full(count, tree.head)
    where = np.full(count, -1)
    for _ in range(len(tree.children) + 2):
        done = node < 0
        where[piece[done]] = -1 - node[done]
        rings, piece, owner, node = rings.take(~done), piece[~done], owner[~done], node[~done]
        if not len(node):
            return Fragments(np.concatenate(owners), np.concatenate(parents), where, joined(held), np.array(rounds))
        facing = tree.normals[node]
        heights = rings.heights(facing, tree.dists[node])
        front, back = (heights > 0).any(axis=1), (heights < 0).any(axis=1)
        ahead = np.einsum("ni,ni->n", facing, normals[owner]) > 0
        crossed = np.flatnonzero(front & back)
        before, behind = (rings.take(crossed).below(sign * heights[crossed]) for sign in (-1, 1))
        parted = (before.sizes > 0) & (behind.sizes > 0)
        front[crossed], back[crossed] = before.sizes > 0, behind.sizes > 0  # of slivers, the other side counts
        side = np.where(front == back, ~ahead, back).astype(np.int64)
        halved = crossed[parted]
        halves = joined([before.take(parted), behind.take(parted)])
        fresh = np.arange(len(halves)) + len(where)
        below, whose, of = (tree.children[node[halved]].T.reshape(-1), np.tile(owner[halved], 2), piece[halved])
        if len(fresh):
            held.append(halves)
            owners.append(whose)
            parents.append(np.tile(of, 2))
            rounds.append(len(where) + len(fresh))
            where = np.concatenate([where, np.full(len(fresh), -1)])
        stays = np.ones(len(node), np.bool_)
        stays[halved] = False
        rings = joined([rings.take(stays), halves])
        piece, owner = np.concatenate([piece[stays], fresh]), np.concatenate([owner[stays], whose])
        node = np.concatenate([tree.children[node[stays], side[stays]], below])
    raise FormatError("runs in circles", "world's tree")
