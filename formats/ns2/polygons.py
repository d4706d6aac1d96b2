# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces with holes as polygons that a Blender mesh can hold: no vertex twice, no two of the same vertices.

Most faces are such polygons already. The others are cut: into triangles first, of which neighbours are joined again
where this makes no polygon that meets itself, across long cuts first. What is left of the cuts are bridges; `joining`
opens them again.
"""

from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations, pairwise

import numpy as np

from ..arrays import Bools, Bytes, Indices, Reals
from .cycles import cycles, pairs
from .ears import Rule, clip
from .rings import MOST_CORNERS, Rings, rings
from .walk import counts_to_starts, gather

Faults = Bytes

_FEW = 6  # corners of which all pairs are compared faster than they are sorted
_CUTTING = Rule(smallest=0, whole=True, several=True)


class Fault(IntEnum):
    """Why a face can't be shown, or not all of it."""

    NONE = 0
    UNCHAINED = 1  # a member of a loop ends elsewhere than the next one starts
    TOO_FEW = 2  # fewer than three different corners
    TANGLED = 3  # its outline runs to and fro or crosses itself: no polygons without a vertex twice come of it
    TOO_LARGE = 4  # a face to be cut has more than 2,048 corners
    TWIN = 5  # another face has the same vertices
    PARTLY = 6  # shown, but without parts that enclose nothing


@dataclass(frozen=True, slots=True, eq=False)
class Polygons:
    """p polygons with k corners, in the order of their n faces."""

    starts: Indices
    """[p + 1]: where the corners of each begin."""
    members: Indices
    """[k]: the member of a loop that starts at the corner, so that corners[members] are vertices."""
    bridges: Bools
    """[k]: the edge from the corner to the next one is a cut, else it is the member's."""
    faces: Indices
    """[p]."""
    faults: Faults
    """[n]: a Fault of every face."""


def polygons(
    positions: Reals, corners: Indices, face_loops: Indices, loop_members: Indices, ends: Indices | None = None
) -> Polygons:
    """Make polygons of faces.

    `positions` float[v, 3], `corners` and `ends` int[k]: the vertices where each member starts and ends (without
    `ends`: where the next one starts), `face_loops` int[n + 1], `loop_members` int[l + 1]. Every vertex of a face that
    is shown is a corner of its polygons; members that end where they start are left out.
    """
    count = len(face_loops) - 1
    faults = np.zeros(count, np.uint8)
    loop_faces = np.repeat(np.arange(count), np.diff(face_loops))
    following = _after(corners, loop_members)
    # Members without a length go, and with them loops that can enclose nothing.
    kept = following != corners
    sizes = np.diff(loop_members) - np.bincount(_parts_of(loop_members, ~kept), minlength=len(loop_faces))
    borders = np.zeros(len(loop_faces), bool)
    borders[face_loops[:-1]] = True
    small = sizes < 3
    faults[loop_faces[small & ~borders]] = Fault.PARTLY
    faults[loop_faces[small & borders]] = Fault.TOO_FEW
    if ends is not None:
        faults[loop_faces[_parts_of(loop_members, ends != following)]] = Fault.UNCHAINED
    wanted = ~small & ((faults == Fault.NONE) | (faults == Fault.PARTLY))[loop_faces]
    kept[gather(loop_members, np.flatnonzero(~wanted))[1]] = False
    members = np.flatnonzero(kept)
    loop_starts = counts_to_starts(sizes[wanted])
    face_starts = counts_to_starts(np.bincount(loop_faces[wanted], minlength=count))

    alone = np.flatnonzero(np.diff(face_starts) == 1)
    lone_loops = face_starts[alone]
    simple = ~_repeating(corners[members], loop_starts, lone_loops)
    starts, which = gather(loop_starts, lone_loops[simple])
    part = _Part(alone[simple], starts, members[which], np.zeros(len(which), bool))
    others = []
    wound = alone[~simple]
    cut = np.flatnonzero(np.diff(face_starts) > 1)
    if len(wound):
        lobes, wound = _unwound(positions, corners, members, loop_starts, wound, face_starts[wound], faults)
        others.append(lobes)
        cut = np.union1d(cut, wound)
    if len(cut):
        chosen_loops, numbers = gather(face_starts, cut)
        chosen_members, which = gather(loop_starts, numbers)
        own = members[which]
        others += _opened(positions, corners[own], chosen_loops, chosen_members, cut, own, faults)
    if others:
        part = _joined([part, _mended(_joined(others), corners, following, loop_members[face_loops])])
    return _without_twins(part, corners, faults)


def _after(values: Indices, starts: Indices) -> Indices:
    """Of loops of values [k] that begin at `starts`, what comes behind each value [k], the first behind the last."""
    result = np.empty_like(values)
    result[:-1] = values[1:]
    filled = np.flatnonzero(np.diff(starts))
    result[starts[1:][filled] - 1] = values[starts[:-1][filled]]
    return result


def _parts_of(starts: Indices, which: Bools) -> Indices:
    """In which part of a list, by `starts` [n + 1], each of some elements is."""
    return np.searchsorted(starts, np.flatnonzero(which), side="right") - 1


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    faces: Indices
    starts: Indices
    members: Indices
    bridges: Bools

    def of(self, which: Bools, faces: Indices, members: Indices) -> "_Part":
        """Some of the polygons, with the numbers of faces and members replaced."""
        starts, numbers = gather(self.starts, np.flatnonzero(which))
        return _Part(faces[self.faces[which]], starts, members[self.members[numbers]], self.bridges[numbers])


def _joined(parts: list[_Part]) -> _Part:
    """The polygons of all parts, by the numbers of their faces."""
    if len(parts) == 1:
        return parts[0]
    faces = np.concatenate([part.faces for part in parts])
    starts = counts_to_starts(np.concatenate([np.diff(part.starts) for part in parts]))
    members = np.concatenate([part.members for part in parts])
    bridges = np.concatenate([part.bridges for part in parts])
    order = np.argsort(faces, kind="stable")
    new_starts, which = gather(starts, order)
    return _Part(faces[order], new_starts, members[which], bridges[which])


def _mended(part: _Part, corners: Indices, following: Indices, face_members: Indices) -> _Part:
    """Where a hole touches the border, two members start at one vertex: each corner gets the one that ends right.

    A corner for which its face has none is on a bridge. There are hardly any: this is a loop over them. `face_members`
    int[n + 1]: where the members of each face begin.
    """
    vertices = corners[part.members]
    ends = _after(vertices, part.starts)
    wrong = ~part.bridges & (following[part.members] != ends)
    if not wrong.any():
        return part
    members, bridges = part.members.copy(), part.bridges.copy()
    for corner, polygon in zip(np.flatnonzero(wrong).tolist(), _parts_of(part.starts, wrong).tolist(), strict=True):
        face = part.faces[polygon]
        own = np.arange(face_members[face], face_members[face + 1])
        right = own[(corners[own] == vertices[corner]) & (following[own] == ends[corner])]
        if len(right):
            members[corner] = right[0]
        else:
            bridges[corner] = True
    return _Part(part.faces, part.starts, members, bridges)


def _repeating(vertices: Indices, starts: Indices, loops: Indices) -> Bools:
    """Which loops visit a vertex twice."""
    result = np.zeros(len(loops), bool)
    sizes = np.diff(starts)[loops]
    for size in np.flatnonzero(np.bincount(sizes)).tolist():
        rows = np.flatnonzero(sizes == size)
        ring = vertices[starts[loops[rows]] + np.arange(size)[:, None]]
        if size > _FEW:
            ring.sort(axis=0)
        neighbours = pairwise(ring) if size > _FEW else combinations(ring, 2)
        twice = np.zeros(len(rows), bool)
        for one, other in neighbours:
            twice |= one == other
        result[rows] = twice
    return result


def _unwound(
    positions: Reals,
    corners: Indices,
    members: Indices,
    loop_starts: Indices,
    faces: Indices,
    loops: Indices,
    faults: Faults,
) -> tuple[_Part, Indices]:
    """Divide loops that visit vertices twice where they do; and the faces for which this is no answer.

    Those are faces of which a part runs the other way round: a hole that touches the border. Parts of two members run
    to and fro and are left out. There are few such faces: this is a loop over them.
    """
    kept, sizes, owners, rest = [np.zeros(0, np.intp)], list[int](), list[int](), list[int]()
    for face, loop in zip(faces.tolist(), loops.tolist(), strict=True):
        own = members[loop_starts[loop] : loop_starts[loop + 1]]
        lobes = _lobes(corners[own].tolist())
        wide = [own[lobe] for lobe in lobes if len(lobe) > 2]
        points = [positions[corners[lobe]].astype(np.float64) for lobe in wide]
        with np.errstate(invalid="ignore", over="ignore"):
            areas = np.array([np.cross(lobe, np.roll(lobe, -1, axis=0)).sum(axis=0) for lobe in points])
            inward = len(wide) > 1 and bool(((areas * areas.sum(axis=0)).sum(axis=1) < 0).any())
        if inward:
            rest.append(face)
            continue
        if not wide:
            faults[face] = Fault.TANGLED
        elif len(wide) < len(lobes):
            faults[face] = Fault.PARTLY
        kept += wide
        sizes += map(len, wide)
        owners += [face] * len(wide)
    found = np.concatenate(kept)
    starts = counts_to_starts(np.array(sizes, np.intp))
    return _Part(np.array(owners, np.intp), starts, found, np.zeros(len(found), bool)), np.array(rest, np.intp)


def _lobes(vertices: list[int]) -> list[list[int]]:
    """The parts of a loop between two visits of a vertex, as places in the loop; none visits a vertex twice."""
    lobes, stack, places = list[list[int]](), list[int](), dict[int, int]()
    for place, vertex in enumerate(vertices):
        if vertex in places:
            first = places[vertex]
            lobe = stack[first:]
            for other in lobe:
                del places[vertices[other]]
            lobes.append(lobe)
            del stack[first:]
        places[vertex] = len(stack)
        stack.append(place)
    return [*lobes, stack]


def _without_twins(part: _Part, corners: Indices, faults: Faults) -> Polygons:
    """Leave out faces of which a polygon has the same vertices as one before: Blender drops such polygons."""
    sizes = np.diff(part.starts)
    vertices = corners[part.members]
    mixed = np.arange(1, vertices.max(initial=0) + 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    sums = np.add.reduceat(mixed[vertices], part.starts[:-1]) if len(sizes) else mixed[:0]
    ordered = np.sort(sums)
    suspects = np.flatnonzero(np.isin(sums, ordered[1:][ordered[1:] == ordered[:-1]]))
    seen: set[tuple[int, ...]] = set()
    twins = np.zeros(len(sizes), bool)
    for polygon in suspects.tolist():  # few, and ascending: the first one stays
        key = tuple(np.sort(vertices[part.starts[polygon] : part.starts[polygon + 1]]).tolist())
        twins[polygon] = key in seen
        seen.add(key)
    if twins.any():
        faults[part.faces[twins]] = Fault.TWIN
        part = part.of(faults[part.faces] != Fault.TWIN, np.arange(len(faults)), np.arange(len(corners)))
    return Polygons(part.starts, part.members, part.bridges, part.faces, faults)


# ------------------------------------------------------------------------------------------------------------- cutting


def _opened(
    positions: Reals,
    corners: Indices,
    face_loops: Indices,
    loop_members: Indices,
    faces: Indices,
    members: Indices,
    faults: Faults,
) -> list[_Part]:
    """Polygons of faces that have to be cut; `faces` and `members`: whose numbers these loops and corners are."""
    totals = loop_members[face_loops[1:]] - loop_members[face_loops[:-1]]
    faults[faces[totals > MOST_CORNERS]] = Fault.TOO_LARGE
    parts = []
    for batch in rings(positions.astype(np.float64), corners, face_loops, loop_members, share=True):
        part, tangled = _cut(batch, corners)
        good = ~tangled & batch.complete
        faults[faces[batch.faces[~good]]] = Fault.TANGLED
        parts.append(part.of(np.isin(part.faces, batch.faces[good]), faces, members))
    return parts


def _cut(batch: Rings, corners: Indices) -> tuple[_Part, Bools]:
    """Cut rings into polygons; and which rings can't be (their polygons are to be ignored)."""
    triangles, owners = clip(batch.flat, batch.sizes, _CUTTING)
    count, width = batch.rings.shape
    members = batch.rings[owners[:, None], triangles]
    vertices = corners[members]
    flat = (vertices == np.roll(vertices, -1, axis=1)).any(axis=1)
    tangled = np.bincount(owners, flat, minlength=count) > 0

    # Half-edges 3 * t + e of the triangles; those that are no edges of the face have a partner across the cut.
    slots = triangles.reshape(-1)
    nexts = np.roll(triangles, -1, axis=1).reshape(-1)
    rows = np.repeat(owners, 3)
    on_ring = nexts == np.where(slots + 1 < batch.sizes[rows], slots + 1, 0)
    start, stop = batch.rings[rows, slots], batch.rings[rows, nexts]
    real = on_ring & _is_edge(batch, start, stop)
    # Cuts that the ring runs along twice pair up by members, others by their places in the ring.
    a, b = np.where(on_ring, start, slots), np.where(on_ring, stop, nexts)
    size = max(len(corners), width) + 1
    keys = ((rows * 2 + on_ring) * size + np.minimum(a, b)) * size + np.maximum(a, b)
    twins = np.full(len(slots), -1, np.intp)
    inner = np.flatnonzero(~real)
    found = pairs(keys[inner], (a > b)[inner])
    twins[inner] = np.where(found >= 0, inner[found], -1)
    tangled[rows[inner[found < 0]]] = True
    inner = np.flatnonzero((twins > np.arange(len(twins))) & ~tangled[rows])
    points = batch.flat
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = ((points[rows[inner], slots[inner]] - points[rows[inner], nexts[inner]]) ** 2).sum(axis=1)
    open_ = _merged(owners, vertices, inner, twins, lengths)
    removed = np.zeros(len(slots), bool)
    removed[open_] = removed[twins[open_]] = True

    # Round each polygon: behind an edge comes the next one of its triangle, or of the triangle beyond a cut that went.
    following = np.arange(len(slots)).reshape(-1, 3)
    following = np.roll(following, -1, axis=1).reshape(-1)
    through = following.copy()
    while (gone := removed[through]).any():
        through[gone] = following[twins[through[gone]]]
    kept = np.flatnonzero(~removed)
    place = np.zeros(len(slots), np.intp)
    place[kept] = np.arange(len(kept))
    order, starts = cycles(place[through[kept]])
    edges = kept[order]
    faces = batch.faces[rows[edges[starts[:-1]]]]
    sort = np.argsort(faces, kind="stable")
    starts, which = gather(starts, sort)
    edges = edges[which]
    return _Part(faces[sort], starts, start[edges], ~real[edges]), tangled


def _is_edge(batch: Rings, start: Indices, stop: Indices) -> Bools:
    """Whether steps of rings from member to member are edges of faces: bridges are passed the other way too."""
    size = int(batch.rings.max(initial=0)) + 2
    after = np.roll(batch.rings, -1, axis=1)
    after[np.arange(len(after)), batch.sizes - 1] = batch.rings[:, 0]
    steps = (after * size + batch.rings)[np.arange(after.shape[1]) < batch.sizes[:, None]]
    return ~np.isin(start * size + stop, steps)


def _merged(owners: Indices, vertices: Indices, inner: Indices, twins: Indices, lengths: Reals) -> Indices:
    """Which cuts go, the longest first: those between polygons with no vertex in common but the cut's own two.

    What goes depends on what went before, and there are few cuts even in big levels: this is a loop over them.
    """
    # The vertices of each triangle as bits of one number: by their places among those of the face.
    size = int(vertices.max(initial=0)) + 1
    owner = np.repeat(owners, 3)
    keys, numbers = np.unique(owner * size + vertices.reshape(-1), return_inverse=True)
    bits = [1 << bit for bit in (numbers.reshape(-1) - np.searchsorted(keys, owner * size)).tolist()]
    held = [one | two | three for one, two, three in zip(bits[::3], bits[1::3], bits[2::3], strict=True)]
    merged = list(range(len(held)))  # into which polygon each triangle's went; that one's may have gone on

    def polygon(triangle: int) -> int:
        while merged[triangle] != triangle:
            merged[triangle] = triangle = merged[merged[triangle]]
        return triangle

    gone = []
    inner = inner[np.argsort(-lengths, kind="stable")]
    for cut, twin in zip(inner.tolist(), twins[inner].tolist(), strict=True):
        one, two = polygon(cut // 3), polygon(twin // 3)
        if one != two and held[one] & held[two] == bits[cut] | bits[twin]:
            merged[two] = one
            held[one] |= held[two]
            gone.append(cut)
    return np.array(gone, np.intp)
