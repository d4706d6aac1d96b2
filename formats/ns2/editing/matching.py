# SPDX-License-Identifier: GPL-3.0-or-later
"""Which faces of the level the polygons of an edited mesh are.

A face is the same while its polygons are those that were shown: the same vertices, in the same cyclic order, with the
same bridges. Then its loops stay as they are, with all that polygons can't show. Of others the polygons are joined
across bridges and only there; of several faces of one record, the one with most of its edges is it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Indices, Integers, Records
from ..faces import Faces
from ..joining import joined
from ..mesh import Mesh
from ..records import MEMBER, new_faces
from ..walk import gather
from .edited import TEXTURE, EditedMesh
from .numbering import EdgeNumbers, VertexNumbers, mixed
from .shown import ShownPolygons


@dataclass(slots=True, eq=False)
class FaceTable:
    """The f faces of an edited mesh, as a level has them: those of the original that stay, then new ones."""

    records: Indices
    """[f]: the face of the original that each is, -1: new."""
    polygons: Indices
    """[p]: the face of each polygon of the edited mesh."""
    first: Indices
    """[f]: a polygon of each, -1: it isn't shown."""
    same: Bools
    """[f]: its loops are the original's."""
    parents: Indices
    """[f]: the face of the original that it is, or came from, -1: none."""
    faces: Faces
    """With interim numbers of edges."""


def match_faces(
    edited: EditedMesh, mesh: Mesh, shown: ShownPolygons, vertices: VertexNumbers, edges: EdgeNumbers
) -> FaceTable:
    """Find out which faces the polygons are, and their loops; `edges` gets those that they need."""
    count = len(mesh.faces)
    owners = np.where(edited.faces < count, edited.faces, -1)
    ends = vertices.numbers[edited.corners]
    matched = _matched(edited, mesh, shown, owners, ends, ends[edited.following])
    same = np.full(count, -1, np.intp)  # of faces of the file that stay as they are: a polygon
    found = np.flatnonzero(matched)
    same[owners[found][::-1]] = found[::-1]

    rest = np.flatnonzero(~matched)
    starts, chosen = gather(edited.starts, rest)
    made = joined(
        edited.positions.astype(np.float64),
        edited.corners[chosen],
        edited.sides[chosen],
        starts,
        np.where(owners[rest] >= 0, owners[rest], count),  # new polygons are joined too, where the user marks edges
        edited.bridges,
    )
    corners = chosen[made.corners]
    heads = np.full(len(made.face_loops) - 1, len(rest), np.intp)
    np.minimum.at(heads, made.polygon_faces, np.arange(len(rest)))
    heads = rest[heads]
    parents = owners[heads]
    pairs, members = _members(made.loop_corners, corners, ends, edges)
    known = _of_record(mesh, members, parents, made.face_loops, made.loop_corners, pairs)
    records = _instances(parents, same, known[0])
    members["edge"][known[1]], members["flipped"][known[1]] = known[2]["edge"], known[2]["flipped"]
    new = Faces(new_faces(len(heads)), made.face_loops, made.loop_corners, members)
    return _table(edited, mesh, shown, same, matched, rest, made.polygon_faces, heads, parents, records, new)


def _matched(
    edited: EditedMesh, mesh: Mesh, shown: ShownPolygons, owners: Indices, here: Indices, there: Indices
) -> Bools:
    """Which polygons make up faces that are as the import made them, bool[p]."""
    known = np.zeros(len(owners), np.bool_)
    if not len(shown.faces) or not len(owners):
        return known
    # By the face and the pairs of vertices along it. New vertices have numbers that none of the file's has.
    was_here = mesh.corners[shown.members]
    was_there = was_here[_following(shown.starts)]
    was_of = np.repeat(np.arange(len(shown.faces)), np.diff(shown.starts))
    before = np.add.reduceat(mixed(shown.faces[was_of], was_here, was_there), shown.starts[:-1])
    keys = np.add.reduceat(mixed(owners[edited.polygons], here, there), edited.starts[:-1])
    values, first = np.unique(before, return_index=True)
    at = np.searchsorted(values, keys).clip(max=len(values) - 1)
    number = first[at]  # of the import's polygon
    bridges = mixed(was_of, was_here, was_there)[shown.bridges]
    marked = edited.bridges[edited.sides] & np.isin(mixed(number[edited.polygons], here, there), bridges)
    wanted = np.add.reduceat(shown.bridges.astype(np.intp), shown.starts[:-1])[number]
    still_marked = np.add.reduceat(marked.astype(np.intp), edited.starts[:-1]) == wanted
    found = np.flatnonzero((values[at] == keys) & (owners >= 0) & still_marked)
    _, heads = np.unique(at[found], return_index=True)  # one polygon of the edited mesh for each of the file
    known[found[heads]] = True
    # All polygons of the face, or none of them.
    needed = np.bincount(shown.faces, minlength=len(mesh.faces))
    have = np.bincount(owners[known], minlength=len(mesh.faces))
    result: Bools = known & (have == needed)[owners]
    return result


def _following(starts: Integers) -> Indices:
    """The next corner of each corner's polygon or loop, none of which is empty."""
    after = np.arange(1, int(starts[-1]) + 1)
    after[starts[1:] - 1] = starts[:-1]
    return after


def _members(loop_corners: Indices, corners: Indices, ends: Indices, edges: EdgeNumbers) -> tuple[Indices, Records]:
    """The vertices along loops [k, 2], and members along edges, which are made where there are none yet."""
    pairs = np.stack([ends[corners], ends[corners[_following(loop_corners)]]], axis=1)
    members = np.zeros(len(pairs), MEMBER)
    numbers = edges.need(pairs)
    members["edge"] = numbers
    members["flipped"] = edges.pairs[numbers, 0] != pairs[:, 0] if len(pairs) else 0
    return pairs, members


def _of_record(
    mesh: Mesh, members: Records, parents: Indices, face_loops: Indices, loop_corners: Indices, pairs: Indices
) -> tuple[Indices, Indices, Records]:
    """How many of each face's steps its record has as well [n]; which steps [m], and the record's members for those."""
    counts = np.diff(loop_corners)
    loops = np.repeat(np.arange(len(counts)), counts)
    faces = np.repeat(np.arange(len(face_loops) - 1), np.diff(face_loops))[loops]
    old = mesh.faces
    wanted = np.unique(parents[parents >= 0])
    part = old.take(wanted)
    owners = wanted[part.loop_faces[part.member_loops]]
    _, loop_numbers = gather(old.face_loops, wanted)
    _, numbers = gather(old.loop_members, loop_numbers)
    was = mixed(owners, mesh.corners[numbers], mesh.ends[numbers])
    now = mixed(parents[faces], pairs[:, 0], pairs[:, 1])
    values, first = np.unique(was, return_index=True)
    if not len(values) or not len(now):
        return np.zeros(len(parents), np.intp), np.zeros(0, np.intp), members[:0]
    at = np.searchsorted(values, now).clip(max=len(values) - 1)
    steps = np.flatnonzero((values[at] == now) & (parents[faces] >= 0))
    return np.bincount(faces[steps], minlength=len(parents)), steps, part.members[first[at[steps]]]


def _instances(parents: Indices, same: Indices, known: Indices) -> Indices:
    """The record that each joined face is, -1 for none: those that stay as they are have their polygons already."""
    records = np.full(len(parents), -1, np.intp)
    free = np.flatnonzero((parents >= 0) & (same[parents] < 0)) if len(same) else np.zeros(0, np.intp)
    order = free[np.lexsort((free, -known[free], parents[free]))]
    heads = np.ones(len(order), np.bool_)
    heads[1:] = parents[order][1:] != parents[order][:-1]
    records[order[heads]] = parents[order[heads]]
    return records


def _table(
    edited: EditedMesh,
    mesh: Mesh,
    shown: ShownPolygons,
    same: Indices,
    matched: Bools,
    rest: Indices,
    polygon_faces: Indices,
    heads: Indices,
    parents: Indices,
    records: Indices,
    made: Faces,
) -> FaceTable:
    """All faces in their final order."""
    count = len(mesh.faces)
    hidden = np.ones(count, np.bool_)
    hidden[shown.faces] = False
    source = np.where(hidden | (same >= 0), np.arange(count), -1)  # places in the file's faces and then the made ones
    changed = np.flatnonzero(records >= 0)
    source[records[changed]] = count + changed
    kept = np.flatnonzero(source >= 0)
    new = np.flatnonzero(records < 0)
    places = np.concatenate([source[kept], count + new])
    both = Faces.joined([mesh.faces, made])
    faces = both.take(places)
    final = np.full(count + len(heads), -1, np.intp)
    final[places] = np.arange(len(places))
    table_records = np.concatenate([kept, np.full(len(new), -1)])
    faces.records[: len(kept)] = mesh.faces.records[kept]
    polygons = np.full(len(edited.faces), -1, np.intp)
    polygons[matched] = final[edited.faces[matched]]
    polygons[rest] = final[count + polygon_faces]
    first = np.full(len(places), -1, np.intp)
    first[polygons[::-1]] = np.arange(len(polygons))[::-1]
    all_parents = np.concatenate([kept, parents[new]])
    came_from = np.flatnonzero((table_records < 0) & (all_parents >= 0))
    faces.records[came_from] = mesh.faces.records[all_parents[came_from]]
    foreign = np.flatnonzero((all_parents < 0) & (first >= 0))
    for (name, place), column in zip(TEXTURE, edited.textures[first[foreign]].T, strict=True):
        field = faces.records[name]
        (field if field.ndim == 1 else field[:, place])[foreign] = column
    return FaceTable(table_records, polygons, first, places < count, all_parents, faces)
