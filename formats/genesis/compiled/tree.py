# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of a compiled level: which leaf a point is in, and the convex regions of equal contents (genesis.md §4.4).

A side of a region is a number: twice its plane's, plus 1 where the plane, turned round, points out of the region. It is
the number of a face, too, of its plane and side: faces look out of what they are the surface of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Floats, Ints
from ...binary import FormatError
from .level import CompiledLevel
from .records import ChunkId

DEEPEST = 512
"""Nodes above a leaf: 25 in a real level of 4,162 nodes. Deeper trees are hostile, and would fill the memory."""


@dataclass(frozen=True, slots=True)
class LevelTree:
    """The nodes of a level, checked: every child, plane and leaf that they name is there, and none is reached twice."""

    children: Ints  # [nodes, 2]: nodes, or -1 - leaf
    plane: Ints  # [nodes]
    normals: Floats  # [planes, 3]
    dists: Floats  # [planes]
    contents: Ints  # [leafs]
    roots: list[int]  # of each model


def tree_of(level: CompiledLevel) -> LevelTree:
    """The tree of a level. Raises FormatError for one that isn't sound."""
    nodes, leafs, planes = (level.table(which) for which in (ChunkId.NODES, ChunkId.LEAFS, ChunkId.PLANES))
    models = level.table(ChunkId.MODELS)
    children = nodes["children"].astype(np.int64)
    roots = models["root_node"].astype(np.int64)
    for numbers, what in ((children, "NODES"), (roots, "MODELS")):
        if ((numbers >= len(nodes)) | (numbers < -len(leafs))).any():
            raise FormatError(f"children beyond {len(nodes)} nodes and {len(leafs)} leafs", f"chunk {what}")
    inner = np.concatenate([children[children >= 0], roots[roots >= 0]])
    if len(inner) and np.bincount(inner).max() > 1:
        raise FormatError("a node is reached twice", "chunk NODES")
    plane = nodes["plane"].astype(np.int64)
    if ((plane < 0) | (plane >= len(planes))).any():
        raise FormatError(f"planes beyond the {len(planes)} there are", "chunk NODES")
    return LevelTree(
        children,
        plane,
        planes["normal"].astype(np.float64),
        planes["dist"].astype(np.float64),
        leafs["contents"].astype(np.int64),
        roots.tolist(),
    )


def leafs_at(tree: LevelTree, model: int, points: Floats) -> Ints:
    """The leaf that each of points float64[n, 3] is in, in a model's tree: int64[n]."""
    where = np.full(len(points), tree.roots[model], np.int64)
    moving = np.flatnonzero(where >= 0)
    while len(moving):
        node = where[moving]
        plane = tree.plane[node]
        behind = (points[moving] * tree.normals[plane]).sum(axis=1) < tree.dists[plane]
        where[moving] = tree.children[node, behind.astype(np.int64)]
        moving = moving[where[moving] >= 0]
    return np.asarray(-1 - where)


def regions(tree: LevelTree, model: int, contents: Array) -> Iterator[tuple[list[int], int]]:
    """The convex regions of a model's tree that have contents: their sides, as numbers, and contents.

    contents: int[leafs], what to take for those of each leaf. A part of the tree all of whose leafs have the same is
    one region: its sides then are the node's. Raises FormatError for trees deeper than DEEPEST.
    """
    same = _uniform(tree, model, contents)
    stack: list[tuple[int, list[int]]] = [(tree.roots[model], [])]
    while stack:
        node, sides = stack.pop()
        held = int(contents[-1 - node]) if node < 0 else same[node]
        if held >= 0:
            if held:
                yield sides, held
            continue
        if len(sides) >= DEEPEST:
            raise FormatError(f"more than {DEEPEST} nodes above a leaf", "chunk NODES")
        front, back = tree.children[node].tolist()
        side = 2 * int(tree.plane[node])
        stack += ((back, [*sides, side]), (front, [*sides, side + 1]))


def _uniform(tree: LevelTree, model: int, contents: Array) -> dict[int, int]:
    """The contents of each node of a model that are those of all leafs below it; -1 where they differ."""
    order, stack = [], [tree.roots[model]]
    while stack:
        node = stack.pop()
        if node >= 0:
            order.append(node)
            stack += tree.children[node].tolist()
    same: dict[int, int] = {}
    for node in reversed(order):  # children before their parents
        front, back = (int(contents[-1 - one]) if one < 0 else same[one] for one in tree.children[node].tolist())
        same[node] = front if front == back else -1
    return same
