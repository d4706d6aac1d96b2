# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes as polygons: from planes to convex polygons and back, for all brushes of a level in one go.

What a brush is, several games share (Genesis3D and Source descend from one design); so this belongs to none of them.

A brush is what lies behind all its planes. Its edges are the parts of the lines in which two planes meet that no third
plane cuts off. As both faces of an edge get the same part of the same line, polygons fit together whatever the
rounding, and which corners are one vertex follows from going round it, not from how near they are.

Only a brush whose planes enclose nothing fails at that: slivers that the editor's CSG leaves between nearly parallel
planes, or a brush with a face missing (genesis.md §1.8). Its faces are clipped one by one, with a tolerance, and
it is marked as not closed.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import matrices, ranges
from .arrays import Bools, Floats, Ints

SHORTEST = 1e-3  # units: edges shorter than this are points
WELD = 1e-2  # units: corners of one vertex that are further apart than this mean that the brush is not closed
CLIP = 1e-2  # units: how far behind a plane a point of an unclosed brush may lie and stay
PARALLEL = 1e-6  # sine of the angle between two planes that meet nowhere
AXIAL, WHOLE = 1e-5, 1e-3  # how near to an axis and to a whole number a plane is taken for that
MOST_PLANES = 256
"""A brush of more planes is clipped face by face: looking at all pairs of planes would take seconds."""
BOUND = 32768.0  # units: faces of unclosed brushes end here; more than the compiler's world
_UNIT = 1e-12
"""How far a normal's length may be off: float32 normals are off by what tells where planes are far from the middle."""

_BLOCK = 1 << 13  # numbers of a step's arrays: they stay in the cache


@dataclass(frozen=True, slots=True)
class Polygons:
    """The polygons of brushes, counter-clockwise seen from outside.

    Brush b has the vertices `first_vertex[b]` to `first_vertex[b + 1]`; face f the corners `first_corner[f]` to
    `first_corner[f + 1]`, none if it bounds nothing. Arrays of starts have one more element than there are things.
    """

    positions: Floats  # [vertices, 3], units
    first_vertex: Ints  # [brushes + 1]
    corners: Ints  # numbers of vertices
    first_corner: Ints  # [faces + 1]
    closed: Bools  # [brushes]: its polygons enclose a solid and share vertices

    @property
    def corner_face(self) -> Ints:
        """int64[corners]: the face of each."""
        return np.repeat(np.arange(len(self.first_corner) - 1), np.diff(self.first_corner))


def from_planes(normals: Floats, dists: Floats, face_counts: npt.ArrayLike) -> Polygons:
    """The polygons of brushes: `normals` float64[faces, 3] of length 1, out of the solid; dot(normal, P) == dist.

    A plane with a number that is not finite, or without a direction, bounds nothing, and its brush is not closed.
    """
    counts = np.asarray(face_counts, np.int64)
    first_face = ranges.starts(counts)
    usable = np.isfinite(normals).all(axis=1) & normals.any(axis=1) & np.isfinite(dists) & (np.abs(dists) < 1e9)
    broken = np.zeros(len(counts), np.bool_)
    owners = np.repeat(np.arange(len(counts)), counts)
    broken[owners[~usable]] = True
    closed = np.zeros(len(counts), np.bool_)
    pieces = _Pieces()
    with np.errstate(all="ignore"):  # parallel planes divide by zero; what comes of it is masked
        _close(normals, dists, first_face, ~broken, closed, pieces)
        lengths = np.sqrt((normals * normals).sum(axis=1))
        short = np.bincount(owners, np.abs(lengths - 1) > _UNIT, len(counts)) > 0
        _close(normals / lengths[:, None], dists / lengths, first_face, short & ~(broken | closed), closed, pieces)
    for brush in np.flatnonzero(~closed).tolist():
        _clipped(normals, dists, usable, brush, range(first_face[brush], first_face[brush + 1]), pieces)
    return pieces.join(len(counts), len(normals), closed)


def planes(positions: Floats, corners: Ints, first_corner: Ints) -> tuple[Floats, Floats, Floats]:
    """The planes of polygons (counter-clockwise seen from outside), laid out as in :class:`Polygons`.

    Returns normals float64[n, 3] of length 1 (0 for a polygon without an area), dists float64[n], and how far the
    polygon's furthest corner lies off its plane. A normal within 1e-5 of an axis is that axis, and a dist within 0.001
    of a whole number is that number: less than the compiler rounds.
    """
    sizes = np.diff(first_corner)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    following = np.arange(1, len(corners) + 1)
    following[first_corner[1:][sizes > 0] - 1] = first_corner[:-1][sizes > 0]
    points = positions[corners]
    first = positions[corners[first_corner[:-1].clip(max=max(len(corners) - 1, 0))]] if len(corners) else points
    arms = points - first[owners]  # near zero, where cross products are exact
    areas = cross(arms, arms[following])
    normals: Floats = np.column_stack([np.bincount(owners, areas[:, axis], len(sizes)) for axis in range(3)]).astype(
        "f8"
    )
    with np.errstate(all="ignore"):
        normals /= np.sqrt((normals * normals).sum(axis=1))[:, None]
    normals[~np.isfinite(normals).all(axis=1)] = 0
    slight = np.abs(normals) <= AXIAL
    normals = np.where((slight.sum(axis=1) == 2)[:, None], np.where(slight, 0.0, np.sign(normals)), normals)
    heights = (points * normals[owners]).sum(axis=1)
    dists = np.bincount(owners, heights, len(sizes)) / np.maximum(sizes, 1)
    whole = np.round(dists)
    dists = np.where(np.abs(dists - whole) <= WHOLE, whole, dists)
    off = np.zeros(len(sizes))
    np.maximum.at(off, owners, np.abs(heights - dists[owners]))
    return normals, dists, off


class _Pieces:
    """Polygons in the order they are found in; numbers of vertices count on."""

    def __init__(self) -> None:
        self.positions: list[Floats] = []
        self.brushes: list[Ints] = []  # of each vertex
        self.corners: list[Ints] = []
        self.faces: list[Ints] = []  # of each corner
        self.vertices = 0

    def add(self, positions: Floats, brushes: Ints, corners: Ints, faces: Ints) -> None:
        self.positions.append(positions)
        self.brushes.append(brushes)
        self.corners.append(corners + self.vertices)
        self.faces.append(faces)
        self.vertices += len(positions)

    def join(self, brush_count: int, face_count: int, closed: Bools) -> Polygons:
        """Everything in the order of brushes and faces."""
        positions = np.concatenate([np.empty((0, 3)), *self.positions])
        brushes = np.concatenate([np.empty(0, np.int64), *self.brushes])
        corners = np.concatenate([np.empty(0, np.int64), *self.corners])
        faces = np.concatenate([np.empty(0, np.int64), *self.faces])
        by_brush = np.argsort(brushes, kind="stable")
        place = np.empty_like(by_brush)
        place[by_brush] = np.arange(len(by_brush))
        by_face = np.argsort(faces, kind="stable")
        return Polygons(
            positions[by_brush],
            _starts(brushes, brush_count),
            place[corners[by_face]],
            _starts(faces, face_count),
            closed,
        )


def _starts(owners: Ints, count: int) -> Ints:
    return ranges.starts(np.bincount(owners, minlength=count))


def _close(normals: Floats, dists: Floats, first_face: Ints, wanted: Bools, closed: Bools, pieces: _Pieces) -> None:
    """Find the polygons of those brushes that are wanted, bool[brushes], and write to `closed` which of them are."""
    counts = np.diff(first_face)
    for count in np.unique(counts[wanted]).tolist():
        if not 4 <= count <= MOST_PLANES:
            continue
        alike = np.flatnonzero((counts == count) & wanted)
        step = max(1, int(_BLOCK // (count * (count - 1) // 2)))
        for start in range(0, len(alike), step):
            brushes = alike[start : start + step]
            numbers = first_face[brushes, None] + np.arange(count)
            closed[brushes] = _solids(normals[numbers], dists[numbers], brushes, numbers, pieces)


def _solids(normals: Floats, dists: Floats, brushes: Ints, numbers: Ints, pieces: _Pieces) -> Bools:
    """Find the polygons of brushes of k planes each: normals [b, k, 3], dists [b, k], numbers of faces [b, k].

    Returns which of them are closed; only of those the polygons are added. Inside, brushes are the last axis: then each
    step goes along memory, many brushes at a time.
    """
    planes = np.ascontiguousarray(normals.transpose(2, 1, 0))
    dists = np.ascontiguousarray(dists.T)
    count = len(dists)
    one, two = np.triu_indices(count, 1)
    first, second = planes[:, one], planes[:, two]
    directions = np.stack([first[i] * second[j] - first[j] * second[i] for i, j in ((1, 2), (2, 0), (0, 1))])
    sines = _dot(directions, directions)
    directions /= np.sqrt(sines)
    cosines = _dot(first, second)
    # A plane that is there twice: as in the compiler the first one counts. Further out, the other bounds nothing.
    twice = (sines <= PARALLEL * PARALLEL) & (cosines > 0) & (np.abs(dists[one] - dists[two]) <= SHORTEST)
    if twice.any():
        pair, brush = np.nonzero(twice)
        dists[two[pair], brush] += 1
    points = (dists[one] - dists[two] * cosines) / sines * first
    points += (dists[two] - dists[one] * cosines) / sines * second
    # Where each line is cut by each plane, and by which it enters and leaves the solid.
    leaves, enters = np.full(sines.shape, np.inf), np.full(sines.shape, -np.inf)
    edges = sines > PARALLEL * PARALLEL
    step = max(1, _BLOCK // sines.size)
    for first_plane in range(0, count, step):
        some = np.arange(first_plane, min(first_plane + step, count))
        slopes = _dot(directions[:, None], planes[:, some, None])
        # How far behind the planes the lines' points lie.
        heights = dists[some, None] - _dot(points[:, None], planes[:, some, None])
        own = (one == some[:, None]) | (two == some[:, None])
        slopes[own] = heights[own] = 0
        edges &= ~((heights < 0) & (np.abs(slopes) <= 1e-7)).any(axis=0)
        cuts = heights / slopes
        np.minimum(leaves, np.where(slopes > 1e-7, cuts, np.inf).min(axis=0), out=leaves)
        np.maximum(enters, np.where(slopes < -1e-7, cuts, -np.inf).max(axis=0), out=enters)
    edges &= leaves - enters > SHORTEST
    bounded = (np.isfinite(leaves) & np.isfinite(enters) | ~edges).all(axis=0)
    edges &= bounded
    brush, pair = np.nonzero(edges.T)
    chosen = pair * edges.shape[1] + brush
    points, directions = (values.reshape(3, -1).take(chosen, axis=1) for values in (points, directions))
    from_, to = (points + ends.reshape(-1).take(chosen) * directions for ends in (enters, leaves))
    found = _Edges(brush, one[pair], two[pair], directions, from_, to)
    return np.asarray(bounded & _rings(found, planes, brushes, numbers, pieces))


def _dot(a: Floats, b: Floats) -> Floats:
    """The dot products of vectors whose parts are the first axis."""
    result: Floats = a[0] * b[0]
    result += a[1] * b[1]
    result += a[2] * b[2]
    return result


def cross(a: Floats, b: Floats) -> Floats:
    """Return the cross products of vectors float64[..., 3]: numpy.cross, several times as fast."""
    result = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        result[..., axis] = a[..., i] * b[..., j] - a[..., j] * b[..., i]
    return result


@dataclass(frozen=True, slots=True)
class _Edges:
    """The edges of brushes, brush after brush."""

    brush: Ints
    """int64[e]."""
    one: Ints
    """int64[e], a face that meets another in it."""
    two: Ints
    """int64[e], the other one."""
    directions: Floats
    """float64[3, e]."""
    enters: Floats
    """float64[3, e], where it begins."""
    leaves: Floats
    """float64[3, e], where it ends."""


def _rings(edges: _Edges, planes: Floats, brushes: Ints, numbers: Ints, pieces: _Pieces) -> Bools:
    """Put edges in order round their faces and give their ends to vertices; see :func:`_solids`."""
    _, face_count, brush_count = planes.shape
    # Each edge is two half-edges: of the first plane along the line, of the second one back.
    base = edges.brush * face_count
    faces = np.concatenate([base + edges.one, base + edges.two])
    starts = np.concatenate([edges.enters, edges.leaves], axis=1)
    count = len(base)
    # Round a face, the directions of edges turn counter-clockwise.
    order = np.argsort(faces * 5 + _turns(edges, faces, planes))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    faces, starts = faces[order], starts.take(order, axis=1)
    twins = place[np.where(order < count, order + count, order - count)]
    sizes = np.bincount(faces, minlength=brush_count * face_count)
    ends = np.cumsum(sizes)[sizes > 0]
    following = np.arange(1, len(faces) + 1)
    following[ends - 1] = ends - sizes[sizes > 0]
    # Half-edges that leave the same vertex: of each the next one round it is what follows its twin.
    labels = _orbits(following[twins])
    apart = np.abs(starts - starts.take(labels, axis=1)).max(axis=0)
    result = np.count_nonzero(sizes.reshape(brush_count, face_count) > 2, axis=1) >= 4
    result[faces[~(apart <= WELD)] // face_count] = False
    # Faces of two edges have no area: the neighbours' edges meet without them.
    kept = np.repeat(np.repeat(result, face_count), sizes)
    roots = np.flatnonzero(kept & (labels == np.arange(len(labels))))
    vertex = np.empty(len(labels), np.int64)
    vertex[roots] = np.arange(len(roots))
    corners = np.flatnonzero(kept & np.repeat(sizes > 2, sizes))
    owners, sides = brushes[faces[roots] // face_count], numbers.reshape(-1)[faces[corners]]
    pieces.add(starts.take(roots, axis=1).T, owners, vertex[labels[corners]], sides)
    return np.asarray(result)


def _turns(edges: _Edges, faces: Ints, planes: Floats) -> Floats:
    """How far the directions of half-edges have turned about their faces: grows with the angle, from 0 to 4."""
    axes = np.abs(planes).argmax(axis=0)  # [faces, brushes], as its turn in the plane is what is asked for
    below = np.take_along_axis(planes, axes[None], axis=0)[0] < 0
    axis, turned_over = axes.T.reshape(-1)[faces], below.T.reshape(-1)[faces]
    count = edges.directions.shape[1]
    flat, column = edges.directions.reshape(-1), np.tile(np.arange(count), 2)
    x, y = flat[(axis + 1) % 3 * count + column], flat[(axis + 2) % 3 * count + column]
    x[count:] *= -1
    y[count:] *= -1
    np.negative(y, out=y, where=turned_over)
    turned: Floats = 2.0 - np.copysign(1.0 + x / (np.abs(x) + np.abs(y)), y)
    return turned


def _orbits(following: Ints) -> Ints:
    """The smallest element of each element's cycle."""
    labels = np.arange(len(following))
    while True:
        smaller = np.minimum(labels, labels[following])
        if np.array_equal(smaller, labels):
            return labels
        labels, following = smaller, following[following]


def _clipped(normals: Floats, dists: Floats, usable: Bools, brush: int, faces: range, pieces: _Pieces) -> None:
    """Add what the other planes of an unclosed brush leave of each of its faces; these polygons share no vertices.

    All faces are cut by one plane after the other: rings float64[n, m, 3], of which the first `sizes` corners count.
    """
    own = np.array([face for face in faces if usable[face]], np.int64)
    directions, places = normals[own], dists[own] + CLIP
    cuts = np.abs(directions @ directions.T) <= 1 - PARALLEL * PARALLEL  # not by itself, nor by one that it never meets
    np.fill_diagonal(cuts, False)
    rings = np.array([_plane_square(normals[face], float(dists[face])) for face in own.tolist()]).reshape(-1, 4, 3)
    sizes = np.full(len(own), 4)
    for plane in range(len(own)):
        heights = rings @ directions[plane] - places[plane]
        there = np.arange(rings.shape[1]) < sizes[:, None]
        rows = np.flatnonzero(((heights > 0) & there).any(axis=1) & cuts[:, plane])
        if not len(rows):
            continue
        shorter, left = cut(rings[rows], heights[rows], sizes[rows])
        wider = shorter.shape[1] - rings.shape[1]
        if wider > 0:
            rings = np.pad(rings, ((0, 0), (0, wider), (0, 0)))
        rings[rows, : shorter.shape[1]] = shorter
        sizes[rows] = left
    for face, ring, size in zip(own.tolist(), rings, sizes.tolist(), strict=True):
        if size > 2:
            pieces.add(ring[:size], np.full(size, brush), np.arange(size), np.full(size, face))


def _plane_square(normal: Floats, dist: float) -> Floats:
    """A square of the size of the world in a plane, counter-clockwise seen from the side its normal points to."""
    up = np.zeros(3)
    up[int(np.abs(normal).argmin())] = 1
    right = np.cross(up, normal)
    right *= BOUND / np.linalg.norm(right)
    up = np.cross(normal, right)
    return np.asarray(normal * dist + np.array([-right - up, right - up, right + up, up - right]))


def cut(rings: Floats, heights: Floats, sizes: Ints) -> tuple[Floats, Ints]:
    """The parts of convex polygons whose heights over a plane are not positive, and how many corners they have.

    rings: float64[n, m, 3], of which the first sizes[k] corners count, int64[n]. heights: float64[n, m], of the
    corners; a corner of height 0 stays as it is. Returns the same for what is left, at most twice as wide.
    """
    count, width = heights.shape
    corner = np.arange(width)
    there = corner < sizes[:, None]
    following = np.where(corner + 1 < sizes[:, None], corner + 1, 0)
    inside = there & (heights <= 0)
    after_heights = np.take_along_axis(heights, following, axis=1)
    crosses = there & (np.minimum(heights, after_heights) < 0) & (np.maximum(heights, after_heights) > 0)
    share = heights / np.where(crosses, heights - after_heights, 1)
    after = np.take_along_axis(rings, following[:, :, None], axis=1)
    crossing = rings + share[:, :, None] * (after - rings)
    both = np.stack([rings, crossing], axis=2).reshape(count, 2 * width, 3)
    keep = np.stack([inside, crosses], axis=2).reshape(count, 2 * width)
    left = keep.sum(axis=1)
    order = np.argsort(~keep, axis=1, kind="stable")[:, : left.max(initial=0)]
    return np.take_along_axis(both, order[:, :, None], axis=1), left


def clipped(rings: Floats, sizes: Ints, normals: Floats, dists: Floats) -> tuple[Floats, Ints]:
    """What lies behind planes of convex polygons, each with planes of its own.

    rings float64[n, m, 3], of which the first `sizes` int[n] corners count; normals float64[n, k, 3] and dists
    float64[n, k]: dot(normal, P) <= dist stays. A normal of zeros cuts nothing. Returns rings and sizes, 0 where
    nothing is left.
    """
    for plane in range(normals.shape[1]):
        heights = np.einsum("nmk,nk->nm", rings, normals[:, plane]) - dists[:, plane, None]
        heights[~normals[:, plane].any(axis=1)] = 0
        there = np.arange(rings.shape[1]) < sizes[:, None]
        rows = np.flatnonzero(((heights > 0) & there).any(axis=1))
        if len(rows):
            shorter, left = cut(rings[rows], heights[rows], sizes[rows])
            wider = shorter.shape[1] - rings.shape[1]
            if wider > 0:
                rings = np.pad(rings, ((0, 0), (0, wider), (0, 0)))
            rings, sizes = rings.copy(), sizes.copy()
            rings[rows, : shorter.shape[1]] = shorter
            sizes[rows] = left
    return rings, sizes


def areas(rings: Floats, sizes: Ints) -> Floats:
    """The areas of flat polygons float64[n, m, 3], of which the first `sizes` int[n] corners count: float64[n]."""
    if not len(rings):
        return np.zeros(0)
    corner = np.arange(rings.shape[1])
    arms = np.where((corner < sizes[:, None])[:, :, None], rings - rings[:, :1], 0)
    sums = cross(arms[:, :-1], arms[:, 1:]).sum(axis=1)  # corners that don't count lie on the first one
    return np.asarray(np.linalg.norm(sums, axis=1) / 2)


def within(ring: Floats, bound: float) -> Floats:
    """The part of a convex polygon whose coordinates are -bound to bound: float64[n, 3], in its order; n may be 0."""
    rings, sizes = ring[None], np.array([len(ring)])
    for axis in (0, 1, 2):
        for sign in (1.0, -1.0):
            rings, sizes = cut(rings, sign * rings[:, :, axis] - bound, sizes)
    return np.clip(rings[0, : sizes[0]], -bound, bound)


@dataclass(frozen=True, slots=True)
class BrushEdges:
    """The edges of all brushes, one brush behind the other."""

    vertices: Ints  # [edges, 2]
    of_corner: Ints  # [corners]: the edge from each corner to the next of its face
    starts: Ints  # [brushes + 1]: the first edge of each brush
    sound: Bools  # [brushes]: no edge is shared by more than two faces, and no face meets itself


def edges(polygons: Polygons, face_counts: npt.ArrayLike) -> BrushEdges:
    """The edges of brushes: half-edges with the same two vertices are one. face_counts: int[brushes]."""
    counts = np.asarray(face_counts, np.int64)
    brush_of_face = np.repeat(np.arange(len(counts)), counts)
    corners, starts = polygons.corners, polygons.first_corner
    count = len(counts)
    vertices = len(polygons.positions)
    following = np.arange(1, len(corners) + 1)
    full = np.diff(starts) > 0
    following[starts[1:][full] - 1] = starts[:-1][full]
    ends = corners[following] if len(corners) else corners
    along = corners < ends
    span = int(np.abs(ends - corners).max(initial=0)) + 1
    keys = np.minimum(corners, ends) * span + np.abs(ends - corners)
    order = np.argsort(keys, kind="stable")
    firsts = np.flatnonzero(ranges.firsts(keys.take(order)))
    sizes = np.diff(firsts, append=len(keys))
    corner_edges = np.empty(len(keys), np.int64)
    corner_edges[order] = np.repeat(np.arange(len(firsts)), sizes)
    chosen = order.take(firsts)
    ends_of = np.empty((len(chosen), 2), np.int64)
    ends_of[:, 0], ends_of[:, 1] = corners.take(chosen), ends.take(chosen)
    brush_of_vertex = np.repeat(np.arange(count), np.diff(polygons.first_vertex))
    edge_brush = brush_of_vertex.take(ends_of[:, 0]) if len(ends_of) else np.empty(0, np.int64)
    edge_starts = _starts(edge_brush, count)
    # Sound: each edge is gone along at most once in each direction, and never from a vertex to itself; no face meets
    # a vertex twice.
    sound = np.ones(count, np.bool_)
    if len(firsts):
        forward = np.add.reduceat(along.take(order), firsts, dtype=np.int64)
        sound[edge_brush[(forward > 1) | (sizes - forward > 1) | (ends_of[:, 0] == ends_of[:, 1])]] = False
    owners = polygons.corner_face
    visits = np.sort(owners * max(vertices, 1) + corners)
    twice = visits[1:][visits[1:] == visits[:-1]] // max(vertices, 1)
    sound[brush_of_face[twice]] = False
    sound[brush_of_face[np.flatnonzero(full & (np.diff(starts) < 3))]] = False
    return BrushEdges(ends_of, corner_edges, edge_starts, sound)


def moved_planes(normals: Floats, dists: Floats, move: Floats) -> tuple[Floats, Floats]:
    """Planes (normals float64[n, 3] of length 1, dists float64[n]) after a transform of all that lies in them.

    move: float64[4, 4]. Where nothing turns, the normals are the same bits.
    """
    linear, shift = move[:3, :3], move[:3, 3]
    if np.array_equal(linear, np.eye(3)):
        return normals, dists + normals @ shift
    turned = normals @ matrices.inverse(linear)
    lengths = np.linalg.norm(turned, axis=1)
    with np.errstate(all="ignore"):
        result = np.where(lengths[:, None] > 0, turned / lengths[:, None], normals)
        return result, np.where(lengths > 0, dists / lengths, dists) + result @ shift
