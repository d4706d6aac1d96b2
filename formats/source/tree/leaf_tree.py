# SPDX-License-Identifier: GPL-3.0-or-later
"""The BSP tree: which leafs points and boxes lie in (source.md §2.5, §3 for the leafs of props)."""

from typing import Protocol

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints, Records
from ...binary import FormatError
from ..geometry import drawn_faces
from ..level import Level
from ..lumps import LumpId, lump_name


class Tabled(Protocol):
    """What has the lumps' records: a level, or what is about to become of one."""

    def table(self, lump: int) -> Records:
        """A lump's records. Raises FormatError."""
        ...


class LeafTree:
    """The tree of one model; head: its first node (a model's `headnode`, the world's is 0).

    children int64[nodes, 2]: in front of the plane and behind it, -1 - leaf. normals float64[nodes, 3] and dists
    float64[nodes]: the planes of nodes. Raises FormatError for planes and children that aren't there, and for a tree
    that runs in circles.
    """

    def __init__(self, level: Tabled, head: int = 0) -> None:
        nodes = level.table(LumpId.NODES)
        planes = level.table(LumpId.PLANES)
        self.leafs = len(level.table(LumpId.LEAFS))
        self.children = nodes["children"].astype(np.int64)
        numbers = nodes["planenum"].astype(np.int64)
        what = lump_name(LumpId.NODES)
        if ((numbers < 0) | (numbers >= len(planes))).any():
            raise FormatError(f"a plane of {len(planes)} isn't there", what)
        if ((self.children >= len(nodes)) | (self.children < -self.leafs)).any() or not -self.leafs <= head < max(
            len(nodes), 1
        ):
            raise FormatError(f"a child of {len(nodes)} nodes and {self.leafs} leafs isn't there", what)
        self.head = head if len(nodes) else -1
        self.normals = planes["normal"].astype(np.float64)[numbers]
        self.dists = planes["dist"].astype(np.float64)[numbers]

    @np.errstate(all="ignore")  # hostile floats
    def of_points(self, points: Floats) -> Ints:
        """The leaf of each of float64[n, 3] points; on a plane counts as in front."""
        found = np.full(len(points), self.head, np.int64)
        for _ in range(len(self.children) + 1):
            inner = np.flatnonzero(found >= 0)
            if not len(inner):
                return -1 - found
            node = found[inner]
            height = np.einsum("ni,ni->n", self.normals[node], points[inner]) - self.dists[node]
            found[inner] = self.children[node, (height < 0).astype(np.int64)]
        raise FormatError("runs in circles", lump_name(LumpId.NODES))

    @np.errstate(all="ignore")  # hostile floats
    def of_boxes(self, mins: Floats, maxs: Floats) -> tuple[Ints, Ints]:
        """Which leafs float64[n, 3] boxes touch: the box and the leaf of each meeting, by box and then by leaf."""
        box = np.arange(len(mins))
        node = np.full(len(mins), self.head, np.int64)
        middle, half = (mins + maxs) / 2, (maxs - mins) / 2
        boxes, leafs = [], []
        visits = len(mins) * (2 * len(self.children) + 1)  # of a tree, whose nodes and ends a box comes to once
        while visits >= len(box):
            visits -= len(box)
            done = node < 0
            boxes.append(box[done])
            leafs.append(-1 - node[done])
            box, node = box[~done], node[~done]
            if not len(box):
                all_boxes, all_leafs = np.concatenate(boxes), np.concatenate(leafs)
                order = np.lexsort([all_leafs, all_boxes])
                return all_boxes[order], all_leafs[order]
            normal = self.normals[node]
            height = np.einsum("ni,ni->n", normal, middle[box]) - self.dists[node]
            reach = np.einsum("ni,ni->n", np.abs(normal), half[box])
            front, back = height >= -reach, height <= reach
            children = self.children[node]
            node = np.concatenate([children[front, 0], children[back, 1]])
            box = np.concatenate([box[front], box[back]])
        raise FormatError("runs in circles, or parts of it meet again", lump_name(LumpId.NODES))


def clusters(level: Level, leafs: Ints) -> Ints:
    """The cluster of leafs int64[n], -1 for solid ones. Raises FormatError for leafs that aren't there."""
    known = level.table(LumpId.LEAFS)["cluster"].astype(np.int64)
    if leafs.max(initial=-1) >= len(known):
        raise FormatError(f"leaf {leafs.max()} of {len(known)}", lump_name(LumpId.LEAFS))
    return np.asarray(known[leafs])


def faces(level: Level) -> tuple[Ints, Ints]:
    """Leafs and the faces in them, int64[n] each: pairs by leaf; a face is in each of the leafs that it touches.

    Displacements are in none: the engine finds their leafs itself. Raises FormatError for faces that aren't there.
    """
    leafs, listed = level.table(LumpId.LEAFS), level.table(LumpId.LEAFFACES)["face"].astype(np.int64)
    first, counts = (leafs[name].astype(np.int64) for name in ("firstleafface", "numleaffaces"))
    what = lump_name(LumpId.LEAFFACES)
    if (first + counts > len(listed)).any() or listed.max(initial=-1) >= len(level.table(drawn_faces(level))):
        raise FormatError("faces of leafs aren't there", what)
    ranges.check_total(counts, len(listed), what)
    return ranges.owners(counts), listed[ranges.flat(first, counts)]


def first_clusters(level: Level, count: int) -> Ints:
    """int64[faces]: the first cluster of visibility that has each face in a leaf; -1 where none has."""
    leafs, members = faces(level)
    owners = level.table(LumpId.LEAFS)["cluster"].astype(np.int64)[leafs]
    none = np.iinfo(np.int64).max
    lowest = np.full(count, none)
    seen = owners >= 0
    np.minimum.at(lowest, members[seen], owners[seen])
    return np.where(lowest == none, -1, lowest)
