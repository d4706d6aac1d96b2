# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons that bridges divide as faces with holes again: the inverse of :mod:`.polygons`.

Polygons are joined across marked edges only, so that a cut that an artist made through a face stays one.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Indices, Reals
from .cycles import cycles, pairs
from .walk import counts_to_starts, gather


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """n faces with l loops: the border first, then holes, as in a level; made of p polygons."""

    face_loops: Indices
    """[n + 1]: where the loops of each face begin."""
    loop_corners: Indices
    """[l + 1]: where the corners of each loop begin."""
    corners: Indices
    """[k]: corners of the polygons. The edge from one to the next of its loop is the polygon's own."""
    polygon_faces: Indices
    """[p]: the face that each polygon is in."""


def joined(
    positions: Reals, vertices: Indices, edges: Indices, starts: Indices, owners: Indices, marked: Bools
) -> Joined:
    """Join polygons across marked edges.

    `positions` float[v, 3]; `vertices` and `edges` int[k]: of each corner its vertex and the edge to the next corner;
    `starts` int[p + 1]: where the corners of polygons begin; `owners` int[p]: only polygons of one owner (a face of the
    level) are joined, those of a negative owner never; `marked` bool[e]. An edge joins two polygons that pass it in
    opposite directions, if no third one of this owner passes it. Polygons that would not make one face, a border with
    holes in it, stay as they are. Faces go by their first polygon.
    """
    count = len(starts) - 1
    polygons = np.repeat(np.arange(count), np.diff(starts))
    after = np.arange(1, len(vertices) + 1)
    after[starts[1:] - 1] = starts[:-1]
    partners = _partners(vertices, edges, polygons, after, owners, marked)
    faces = _components(polygons, partners, count)
    result, wrong = _outlined(positions[vertices], after, partners, faces, polygons)
    if wrong.any():
        partners[wrong[faces][polygons]] = -1
        faces = _components(polygons, partners, count)
        result, _ = _outlined(positions[vertices], after, partners, faces, polygons)
    return result


def _partners(
    vertices: Indices, edges: Indices, polygons: Indices, after: Indices, owners: Indices, marked: Bools
) -> Indices:
    """The corner whose edge is the other side of each corner's marked edge; -1 where there isn't one."""
    partners = np.full(len(vertices), -1, np.intp)
    sides = np.flatnonzero(marked[edges] & (owners[polygons] >= 0))
    keys = owners[polygons[sides]] * np.intp(len(marked) + 1) + edges[sides]
    found = pairs(keys, vertices[sides] > vertices[after[sides]])
    partners[sides] = np.where(found >= 0, sides[found], -1)
    return np.where(polygons == polygons[partners], -1, partners)


def _components(polygons: Indices, partners: Indices, count: int) -> Indices:
    """The number of the face that each polygon is a part of; faces go by their first polygon."""
    sides = np.flatnonzero(partners >= 0)
    one, two = polygons[sides], polygons[partners[sides]]
    labels = np.arange(count)
    while True:
        smaller = labels.copy()
        np.minimum.at(smaller, one, labels[two])
        np.minimum.at(smaller, labels[one], labels[two])
        smaller = smaller[smaller]
        if np.array_equal(smaller, labels):
            return np.asarray(np.unique(labels, return_inverse=True)[1].reshape(-1), np.intp)
        labels = smaller


def _outlined(
    points: Reals, after: Indices, partners: Indices, faces: Indices, polygons: Indices
) -> tuple[Joined, Bools]:
    """What is left of the edges of polygons [k], as loops; and which faces [n] aren't one border with holes."""
    count = int(faces.max(initial=-1)) + 1
    kept = np.flatnonzero(partners < 0)
    through = after[kept]
    while (inner := partners[through] >= 0).any():
        through[inner] = after[partners[through[inner]]]
    place = np.zeros(len(after), np.intp)
    place[kept] = np.arange(len(kept))
    order, starts = cycles(place[through])
    corners = kept[order]
    heads = corners[starts[:-1]]
    loop_faces = faces[polygons[heads]]
    # Areas about a corner of the face, so that far away from the origin nothing of them is lost.
    loops = np.repeat(np.arange(len(heads)), np.diff(starts))
    origins = np.zeros((count, 3))
    origins[loop_faces[::-1]] = points[heads[::-1]]
    following = np.arange(1, len(corners) + 1)
    following[starts[1:] - 1] = starts[:-1]
    with np.errstate(invalid="ignore", over="ignore"):
        own = points[corners] - origins[loop_faces[loops]]
        crosses = np.cross(own, own[following])
        areas = np.stack([np.bincount(loops, crosses[:, axis], len(heads)) for axis in range(3)], axis=1)
        normals = np.stack([np.bincount(loop_faces, areas[:, axis], count) for axis in range(3)], axis=1)
        heights = (areas * normals[loop_faces]).sum(axis=1)
    sizes = np.bincount(loop_faces, minlength=count)
    wrong = (sizes != 1) & (np.bincount(loop_faces, heights > 0, count) != 1)
    # Borders first, of several loops the rest in their order.
    sort = np.lexsort((np.arange(len(heads)), -heights, loop_faces))
    first = np.zeros(len(heads), bool)
    first[sort[counts_to_starts(sizes)[:-1][sizes > 0]]] = True
    sort = np.lexsort((np.arange(len(heads)), ~first, loop_faces))
    loop_corners, which = gather(starts, sort)
    return Joined(counts_to_starts(sizes), loop_corners, corners[which], faces), wrong
