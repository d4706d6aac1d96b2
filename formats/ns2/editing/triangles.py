# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles and smoothed normals of an edited mesh: those of untouched faces stay, those of others are made anew.

Triangles stay as long as no vertex of theirs moved or went. A corner's normal stays as long as what it would be now is
nearly what it was: which one it is isn't known, for the file only has the normals of corners (ns2.md §9).
"""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Bools, Indices, Records
from ..mesh import Mesh
from ..normals import face_normals, smoothed_normals
from ..records import TRIANGLE3, TRIANGLE6
from ..triangles import Triangles
from ..triangulation import triangulate
from .numbering import Kept

_SAME = 1e-4
"""Unit normals this near each other are one: they come from 32-bit coordinates."""


def retriangulated(
    old: Mesh, new: Mesh, records: Indices, changed: Bools, vertices: Kept, moved: Bools, resmoothed: Bools
) -> Triangles:
    """The triangles of `new`, of whose tables all others are set already.

    `records` int[f]: the face of `old` that each face is, -1: new; `changed` bool[f]: its loops are others; `vertices`:
    which of interim ones stayed; `moved` bool[v] of `old`; `resmoothed` bool[e] of `new`: edges that are smooth or not
    as they weren't, or whose faces are others.
    """
    record = TRIANGLE3 if new.vertices.dtype.itemsize == 12 else TRIANGLE6
    before = old.triangles
    if before is None:
        before, records = Triangles.empty(record), np.full_like(records, -1)
    count = len(old.vertices)
    broken = np.concatenate([moved | (vertices.numbers[:count] < 0), np.zeros(1, np.bool_)])
    # Ghosts, and numbers that mean nothing, are beyond the vertices: they stay as far beyond.
    bad = broken[np.minimum(before.triangles["vertices"].astype(np.intp), count)].any(axis=1)
    faces = np.repeat(np.arange(len(before.face_triangles) - 1), np.diff(before.face_triangles))
    torn = np.bincount(faces[bad], minlength=len(before.face_triangles)) > 0
    anew = changed | (records < 0)
    anew[~anew] = torn[records[~anew]]

    kept = before.take(records[~anew])
    part = new.faces.take(anew)
    corners = new.corners[_members(new, anew)]
    numbers, begins = triangulate(new.positions, corners, part.face_loops, part.loop_members, new.version, whole=True)
    table = np.zeros(len(numbers), record)
    table["vertices"] = corners[numbers]
    triangles = _renumbered(kept, vertices, count, len(new.vertices))
    if record == TRIANGLE6:
        table["normals"] = len(before.normals)
    both = np.concatenate([triangles, table])
    both_begins = np.concatenate([kept.face_triangles, begins[1:] + len(triangles)])
    places = np.argsort(np.argsort(anew, kind="stable"), kind="stable")
    joined = Triangles(before.ghosts, before.normals, both_begins, both).take(places)
    if record == TRIANGLE3:
        return joined
    return _with_normals(old, new, before, joined, records, anew, vertices, resmoothed)


def _members(mesh: Mesh, faces: Bools) -> Bools:
    """The members of some faces, bool[members]."""
    return np.asarray(faces[mesh.faces.loop_faces[mesh.faces.member_loops]], np.bool_)


def _renumbered(kept: Triangles, vertices: Kept, count: int, total: int) -> Records:
    """Triangles with the new numbers of vertices. Ghosts stay, also those that nothing uses any more."""
    triangles = kept.triangles.copy()
    numbers = triangles["vertices"].astype(np.intp)
    final = np.append(vertices.numbers[:count], 0)
    triangles["vertices"] = np.where(numbers < count, final[np.minimum(numbers, count)], numbers - count + total)
    return triangles


def _with_normals(
    old: Mesh,
    new: Mesh,
    before: Triangles,
    triangles: Triangles,
    records: Indices,
    anew: Bools,
    vertices: Kept,
    resmoothed: Bools,
) -> Triangles:
    """The same triangles with normals at the corners of faces at which something changed."""
    faces = new.faces
    member_faces = faces.loop_faces[faces.member_loops]
    edges = faces.members["edge"].astype(np.intp)
    smooth = new.smooth
    if not smooth.any() and not len(before.normals):
        return triangles
    touched = anew.copy()
    around = np.zeros(len(smooth), np.bool_)
    around[edges[anew[member_faces]]] = True
    touched[member_faces[(around | resmoothed)[edges]]] = True

    corners = new.corners
    loops = (faces.face_loops, faces.loop_members)
    values, at = smoothed_normals(
        face_normals(new.positions, corners, *loops), smooth, edges, corners, new.ends, member_faces
    )
    table = triangles.triangles.copy()
    owners = np.repeat(np.arange(len(faces)), np.diff(triangles.face_triangles))
    rows = np.flatnonzero(touched[owners])
    none = len(before.normals)
    size = len(new.vertices) + 1
    wanted = owners[rows, None] * size + np.minimum(table["vertices"][rows].astype(np.intp), size - 1)
    made = _looked_up(member_faces * size + corners, at, wanted, len(values))  # numbers of `values`, len: none
    was = _before(old, before, records, vertices, size, wanted)  # numbers of the file's normals, `none`: none
    lists = np.concatenate([before.normals, np.full((1, 3), np.nan, np.float32)])
    fresh = np.concatenate([values, np.full((1, 3), np.nan, np.float32)])
    with np.errstate(invalid="ignore"):
        stays = np.abs(lists[was] - fresh[made]).max(axis=2) <= _SAME
    # A normal that one face keeps is the other face's too.
    known = np.full(len(values) + 1, -1, np.intp)
    known[made[stays]] = was[stays]
    result = np.where(stays, was, known[made])
    new_ones = np.unique(made[(result < 0) & (made < len(values))])
    known[new_ones] = none + np.arange(len(new_ones))
    result = np.where(made == len(values), -1, np.where(result < 0, known[made], result))
    numbers = table["normals"].astype(np.intp)
    numbers[numbers == none] = -1
    numbers[rows] = result
    # New ones take the places of those that nothing uses any more, so that the others keep their numbers.
    total = none + len(new_ones)
    free = np.flatnonzero(
        ranges.among(before.triangles["normals"].astype(np.intp), total) & ~ranges.among(numbers, total)
    )
    free = free[free < none]
    filled = min(len(free), len(new_ones))
    places = np.arange(total)
    places[none : none + filled] = free[:filled]
    places[none + filled :] -= filled
    normals = np.concatenate([before.normals, np.zeros((len(new_ones) - filled, 3), np.float32)])
    normals[places[none:]] = values[new_ones]
    stays_there = np.ones(len(normals), np.bool_)
    stays_there[free[filled:]] = False
    kept = Kept.of(stays_there)
    inside = (numbers >= 0) & (numbers < total)
    numbers[inside] = kept.numbers[places[numbers[inside]]]
    numbers[numbers < 0] = len(kept.old)
    table["normals"] = numbers
    return Triangles(triangles.ghosts, normals[kept.old], triangles.face_triangles, table)


def _looked_up(keys: Indices, values: Indices, wanted: Indices, default: int) -> Indices:
    """The value of the key that is wanted, of `wanted`'s shape; `default` where there is none."""
    known, first = np.unique(keys, return_index=True)
    if not len(known):
        return np.full(wanted.shape, default, np.intp)
    at = np.searchsorted(known, wanted).clip(max=len(known) - 1)
    return np.where(known[at] == wanted, values[first[at]], default)


def _before(old: Mesh, before: Triangles, records: Indices, vertices: Kept, size: int, wanted: Indices) -> Indices:
    """The normals that corners had in the file; keys are those of `new`: face * size + vertex."""
    none = len(before.normals)
    places = np.full(len(before.face_triangles) - 1, -1, np.intp)
    places[records[records >= 0]] = np.flatnonzero(records >= 0)
    owners = places[np.repeat(np.arange(len(places)), np.diff(before.face_triangles))]
    numbers = before.triangles["vertices"].astype(np.intp)
    final = np.full(len(old.vertices) + 1, -1, np.intp)
    final[:-1] = vertices.numbers[: len(old.vertices)]
    at = final[np.minimum(numbers, len(old.vertices))]
    good = (at >= 0) & (owners >= 0)[:, None]
    keys = (owners[:, None] * size + at)[good]
    values = before.triangles["normals"].astype(np.intp)[good].clip(max=none)
    return _looked_up(keys, values, wanted, none)
