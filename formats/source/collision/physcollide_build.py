# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids of vphysics, made of convex hulls: what `physcollide_surface` reads, field by field as vphysics fills it in.

Which triangles a flat face is cut into, and in which order these stand, is the one thing that is vphysics' own.
"""

from collections.abc import Sequence

import numpy as np

from ... import convex_hull, ranges
from ...arrays import Bools, Bytes, Floats, Ints, Records, Singles
from ...binary import FormatError
from .physcollide import SOLID_TAG
from .physcollide_surface import (
    ACROSS,
    COLLIDE_POLY,
    HEADER,
    LEDGE,
    MATERIAL,
    MOST_MATERIALS,
    MOST_TRIANGLES,
    NODE,
    POINT,
    SURFACE,
    SURFACE_TAG,
    WHAT,
    Hull,
    Ledges,
    to_ivp,
)

VERSION = 0x100
STEPS = 250  # box sizes and deviations are told in as many parts of a radius
_COMPACT = 1 << 2
_HAS_CHILDREN = 1
_VIRTUAL = 1 << 31
_MOST_POINTS = 1 << 16
_MOST_BYTES = 1 << 23
_SAME_MIDDLE = 1e-6  # metres
_ON_EDGE = 1e-3  # units
_NO_VOLUME = 1e-9
"""Of what the triangles' volumes add up to whichever way they face: less than this is rounding."""
_TOLERANCES = (1e-3, 1e-2, 1e-1)  # units


def build(hulls: Sequence[Hull], tagged: bool = True, with_outer: bool = True) -> bytes:
    """The bytes of a solid of hulls, each closed and convex.

    tagged: with the header that compilers write since 2004. with_outer: several hulls get one around them all.
    Raises FormatError for hulls that are not closed, and for more than a solid can hold.
    """
    if not hulls:
        raise FormatError("no hulls", WHAT)
    if not volume(hulls) > 0:
        raise FormatError("hulls of no volume", WHAT)
    wanted = with_outer and len(hulls) > 1
    outer = around(np.concatenate([hull.points for hull in hulls])) if wanted else None
    return build_ledges(ledges_of(hulls), tagged, None if outer is None else ledges_of([outer]))


def build_ledges(ledges: Ledges, tagged: bool = True, outer: Ledges | None = None) -> bytes:
    """The same of hulls that are all in one. outer: the one around them. Raises FormatError for more than can be."""
    parts = ledges if outer is None else joined(ledges, outer)
    if (parts.counts < 1).any() or not len(ledges.counts):
        raise FormatError("hulls without triangles", WHAT)
    points, triangles = _shared(parts)
    first = ranges.starts(parts.counts + 1)  # of records of 16 bytes, as ledges and triangles are
    places = SURFACE.itemsize + LEDGE.itemsize * first
    root = int(places[-1]) + POINT.itemsize * len(points)
    inner = int(ledges.counts.sum())
    corners = points[triangles[:inner]].astype(np.float64)
    nodes = _tree(_ends(corners, ledges.counts), places, root)
    size = root + nodes.nbytes
    if len(points) > _MOST_POINTS or size >= _MOST_BYTES:
        raise FormatError(f"{len(points)} points and {size} bytes are more than a solid can have", WHAT)
    brushes = parts.brushes.copy()
    words, edges = parts.words.copy(), triangles | parts.opposites << 16
    if outer is not None:
        nodes["offset_compact_ledge"][0] = places[-2] - root
        brushes[-1] = root - places[-2]
        virtual_edges, virtual = _virtual(triangles[inner:], triangles[:inner], len(points))
        words[inner:] |= np.where(virtual, _VIRTUAL, 0)
        edges[inner:] |= np.where(virtual_edges, _VIRTUAL, 0)
    owners = ranges.owners(parts.counts)
    rows = np.zeros((int(first[-1]), 4), np.uint32)
    flags = np.full(len(brushes), _COMPACT)
    flags[len(ledges.counts) :] |= _HAS_CHILDREN
    distinct = np.bincount(np.unique(np.repeat(owners, 3) * len(points) + triangles.reshape(-1)) // len(points))
    sizes = 1 + parts.counts + distinct
    heads = np.column_stack([places[-1] - places[:-1], brushes, flags | sizes << 8, parts.counts])
    rows[first[:-1]] = (heads & 0xFFFFFFFF).astype(np.uint32)
    own = np.arange(len(owners)) - ranges.starts(parts.counts)[owners]
    behind = ranges.flat(first[:-1] + 1, parts.counts)
    rows[behind] = np.column_stack([own | words, edges]).astype(np.uint32)
    table = np.zeros(len(points), POINT)
    table["k"] = points
    surface = _surface(corners, size, root)
    whole = b"".join([surface.tobytes(), rows.astype("<u4").tobytes(), table.tobytes(), nodes.tobytes()])
    if not tagged:
        return whole
    header = np.zeros(1, HEADER)
    header["id"], header["version"], header["model_type"] = SOLID_TAG, VERSION, COLLIDE_POLY
    header["surface_size"], header["drag_axis_areas"] = size, 1
    return header.tobytes() + whole


def ledges_of(hulls: Sequence[Hull]) -> Ledges:
    """Hulls all in one. Raises FormatError for one that isn't closed, or has more than a solid can hold."""
    points = [to_ivp(hull.points).astype(np.float32) for hull in hulls]
    first = ranges.starts([len(part) for part in points])[:-1].tolist()
    triangles = [hull.triangles + start for hull, start in zip(hulls, first, strict=True)]
    return Ledges(
        np.concatenate([np.zeros((0, 3), np.float32), *points]),
        np.concatenate([np.zeros((0, 3), np.int64), *triangles]),
        np.concatenate([np.zeros(0, np.int64), *map(_words, hulls)]),
        np.concatenate([np.zeros((0, 3), np.int64), *(_opposites(hull.triangles) & 0x7FFF for hull in hulls)]),
        np.array([len(hull.triangles) for hull in hulls], np.int64),
        np.array([hull.brush for hull in hulls], np.int64),
    )


def joined(one: Ledges, other: Ledges) -> Ledges:
    """The hulls of both."""
    return Ledges(
        np.concatenate([one.points, other.points]),
        np.concatenate([one.triangles, other.triangles + len(one.points)]),
        np.concatenate([one.words, other.words]),
        np.concatenate([one.opposites, other.opposites]),
        np.concatenate([one.counts, other.counts]),
        np.concatenate([one.brushes, other.brushes]),
    )


def _words(hull: Hull) -> Ints:
    """What triangles say of their material and of what lies across, int64[t]. Raises FormatError."""
    count = len(hull.triangles)
    if count >= MOST_TRIANGLES:
        raise FormatError(f"a hull of {count} triangles, {MOST_TRIANGLES - 1} are the most", WHAT)
    across = _pierced(hull) if hull.across is None else hull.across
    materials = np.zeros(count, np.int64) if hull.materials is None else hull.materials
    if materials.shape != (count,) or across.shape != (count,) or (materials & ~MOST_MATERIALS).any():
        raise FormatError(f"materials of triangles that a hull hasn't, or beyond {MOST_MATERIALS}", WHAT)
    return np.asarray(across << ACROSS | materials << MATERIAL)


def triangulated(positions: Floats, corners: Ints, first_corner: Ints, brush: int = 0) -> Hull:
    """A hull of polygons, anticlockwise seen from outside and laid out as in `convex.Polygons`, cut into fans."""
    sizes = np.diff(first_corner)
    count = np.maximum(sizes - 2, 0)
    first = np.repeat(first_corner[:-1], count)
    step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    triangles = np.column_stack([corners[first], corners[first + step + 1], corners[first + step + 2]])
    used, places = np.unique(triangles, return_inverse=True)
    return Hull(positions[used], places.reshape(-1, 3), brush)


def volume(hulls: Sequence[Hull]) -> float:
    """Cubic units in hulls."""
    corners = _corners(hulls)
    counts = [len(hull.triangles) for hull in hulls]
    middles = np.repeat(np.array([hull.points[0] for hull in hulls]).reshape(-1, 3), counts, axis=0)
    a, b, c = (corners[:, corner] - middles for corner in range(3))
    return float(np.einsum("ni,ni->", a, np.cross(b, c))) / 6


def _corners(hulls: Sequence[Hull]) -> Floats:
    """Where the corners of all triangles are, float64[t, 3, 3]."""
    return np.concatenate([np.zeros((0, 3, 3)), *(hull.points[hull.triangles] for hull in hulls)])


def around(points: Floats, brush: int = 0) -> Hull | None:
    """The hull around points float64[n, 3], as exact as closes it; None where they enclose nothing."""
    for tolerance in _TOLERANCES:
        found = convex_hull.hull(points, tolerance)
        made = None if found is None else triangulated(points, found.corners, found.first_corner, brush)
        if made is not None and is_closed(made):
            return made
    return None


def is_closed(hull: Hull) -> bool:
    """Whether each edge of a hull's triangles has a neighbour: rounding may leave points that are nearly one."""
    try:
        _opposites(hull.triangles)
    except FormatError:
        return False
    return True


def _shared(parts: Ledges) -> tuple[Singles, Ints]:
    """The points in use, each once, in the order of their use; and the triangles with their numbers."""
    points = parts.points + np.float32(0)  # no -0.0
    _, same = np.unique(np.ascontiguousarray(points).view("V12").reshape(-1), return_inverse=True)
    used, first, places = np.unique(
        same.reshape(-1)[parts.triangles.reshape(-1)], return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    rank = np.empty(len(used), np.int64)
    rank[order] = np.arange(len(used))
    return points[parts.triangles.reshape(-1)[first[order]]], rank[places.reshape(-1)].reshape(-1, 3)


def _ends(corners: Floats, counts: Ints) -> Floats:
    """The boxes of hulls, float64[h, 2, 3]. corners: float64[t, 3, 3], of their triangles; counts: int64[h]."""
    first = ranges.starts(counts)[:-1]
    low, high = corners.min(axis=1), corners.max(axis=1)
    return np.stack([np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)], axis=1)


# ------------------------------------------------------------------------------------------------------------- ledges


def _virtual(triangles: Ints, inner: Ints, count: int) -> tuple[Bools, Bools]:
    """Of a hull around others, what none of these has: bool[t, 3] edges, either way, and bool[t] triangles, which begin
    with the same corner. inner: the triangles of these; count: of all points.
    """
    edges = np.isin(_edge_keys(triangles, count), _edge_keys(inner, count))
    numbers = [1, count, count**2]
    return ~edges, ~np.isin(triangles @ numbers, inner @ numbers)


def _three_bytes(value: int) -> Bytes:
    return np.frombuffer(value.to_bytes(3, "little"), np.uint8)


def _edge_keys(triangles: Ints, count: int, back: bool = False) -> Ints:
    """int64[t, 3]: the edges of triangles, from each corner to the next, as numbers that differ where they do."""
    start, end = triangles, np.roll(triangles, -1, axis=1)
    return np.asarray(end * count + start if back else start * count + end)


def _opposites(triangles: Ints) -> Ints:
    """int64[t, 3]: how many words from each edge to the same edge of the neighbour. FormatError for an open hull."""
    count = int(triangles.max(initial=0)) + 1
    own, wanted = _edge_keys(triangles, count).reshape(-1), _edge_keys(triangles, count, back=True).reshape(-1)
    order = np.argsort(own)
    found = order[np.searchsorted(own[order], wanted).clip(max=len(own) - 1)]
    if len(np.unique(own)) != len(own) or not np.array_equal(own[found], wanted):
        raise FormatError("a hull isn't closed", WHAT)
    edge = np.arange(len(own))
    words = edge // 3 * 4 + edge % 3  # a triangle's edges follow a word of its own
    return np.asarray(words[found] - words).reshape(-1, 3)


def _pierced(part: Hull) -> Ints:
    """The triangle that each one looks at through the hull: what a line from its middle inwards leaves by."""
    corners = part.points[part.triangles]
    arms = corners - corners[:, :1]
    normals = np.cross(arms[:, 1], arms[:, 2])
    lengths = np.sqrt((normals * normals).sum(axis=1))
    normals /= np.where(lengths > 0, lengths, 1)[:, None]
    dists = (normals * corners[:, 0]).sum(axis=1)
    middles = corners.mean(axis=1)
    slopes = -normals @ normals.T
    with np.errstate(all="ignore"):
        reach = np.where(slopes > 1e-9, (dists - middles @ normals.T) / slopes, np.inf)
    ends = middles - normals * reach.min(axis=1)[:, None]
    # Of the triangles in the plane that it ends in, the one that it lies the farthest within.
    edges = np.roll(corners, -1, axis=1) - corners
    inwards = np.cross(normals[:, None], edges)
    inwards /= np.maximum(np.sqrt((inwards * inwards).sum(axis=2, keepdims=True)), 1e-12)
    within = np.einsum("jkc,ic->ijk", inwards, ends) - np.einsum("jkc,jkc->jk", inwards, corners)
    near = reach <= reach.min(axis=1)[:, None] * (1 + 1e-6) + 1e-6
    depth = np.where(near, within.min(axis=2), -np.inf)
    found = depth.argmax(axis=1)
    taken = np.zeros(len(found), np.bool_)
    for number in range(len(found)):  # on the edge between two, the one that none looks at yet: the later one first
        alike = np.flatnonzero(depth[number] >= depth[number, found[number]] - _ON_EDGE)
        free = alike[~taken[alike]]
        found[number] = free[-1] if len(free) else found[number]
        taken[found[number]] = True
    return np.asarray(found, np.int64)


# --------------------------------------------------------------------------------------------------- surface and tree


def _surface(everything: Floats, size: int, root: int) -> Records:
    """The header: mass centre, inertia and radius of all hulls. everything: float64[t, 3, 3], their corners, metres.

    Of hulls without volume, as displacements have them, the centre is the middle of their box.
    """
    six = np.einsum("ni,ni->n", everything[:, 0], np.cross(everything[:, 1], everything[:, 2]))
    sums = everything.sum(axis=1)
    weight, first = float(six.sum()) / 6, six @ sums / 24
    second = six @ (sums * sums + (everything * everything).sum(axis=1)) / 120
    flat = everything.reshape(-1, 3)
    solid = abs(weight) > _NO_VOLUME * np.abs(six).sum()
    center = first / weight if solid else (flat.min(axis=0) + flat.max(axis=0)) / 2
    spread = np.maximum(second / weight - center * center, 0) if solid else np.zeros(3)
    away = everything - center
    normals = np.cross(everything[:, 1] - everything[:, 0], everything[:, 2] - everything[:, 0])
    lengths = (normals * normals).sum(axis=1)
    aside = np.cross(away, normals[:, None])
    aside = (aside * aside).sum(axis=2) / np.where(lengths > 0, lengths, np.inf)[:, None]
    radius = float(np.sqrt(((flat - center) ** 2).sum(axis=1).max()))
    made = np.zeros(1, SURFACE)
    made["mass_center"] = center
    inertia = [np.hypot(spread[1], spread[2]), np.hypot(spread[2], spread[0]), np.hypot(*spread[:2])]
    made["rotation_inertia"] = inertia if solid else radius * radius / 2
    made["upper_limit_radius"] = radius
    made["max_factor_surface_deviation"] = min(int(1 + float(np.sqrt(aside.max())) / (radius / STEPS)), 255)
    made["byte_size"], made["offset_ledgetree_root"], made["tag"] = _three_bytes(size), root, SURFACE_TAG
    return made


def _tree(ends: Floats, places: Ints, root: int) -> Records:
    """The nodes over hulls, each with its left child behind it. ends: float64[h, 2, 3], the hulls' boxes; places: of
    the ledges, in bytes.
    """
    middles, boxes = ends.mean(axis=1), _told(ends)[2]
    nodes = np.zeros(2 * len(ends) - 1, NODE)
    order = np.arange(len(ends))  # the hulls from left to right, of which each node has some
    first, sizes = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64)
    level = np.array([[0, 0, len(ends)]])  # numbers of nodes that are as far from the root, their first hull, how many
    while len(level):
        number, start, size = level.T
        first[number], sizes[number] = start, size
        number, start, size = level[size > 1].T
        rows = ranges.flat(start, size)
        goes_left = _parted(middles[order[rows]], boxes[order[rows]], size)
        owners = ranges.owners(size)
        order[rows] = order[rows][np.argsort(2 * owners + ~goes_left, kind="stable")]
        lefts = np.bincount(owners, goes_left, len(size)).astype(np.int64)
        nodes["offset_right_node"][number] = 2 * lefts * NODE.itemsize  # behind all that is left
        left = np.column_stack([number + 1, start, lefts])
        right = np.column_stack([number + 2 * lefts, start + lefts, size - lefts])
        level = np.concatenate([left, right])
    below, starts = order[ranges.flat(first, sizes)], ranges.starts(sizes)[:-1]
    low, high = np.minimum.reduceat(boxes[below, 0], starts), np.maximum.reduceat(boxes[below, 1], starts)
    alone = sizes == 1
    low[alone], high[alone] = ends[order, 0], ends[order, 1]
    spheres, steps, _ = _told(np.stack([low, high], axis=1))
    nodes["center"], nodes["radius"], nodes["box_sizes"] = spheres[:, :3], spheres[:, 3], steps
    nodes["offset_compact_ledge"][alone] = places[order] - root - np.flatnonzero(alone) * NODE.itemsize
    return nodes


def _told(ends: Floats) -> tuple[Floats, Ints, Floats]:
    """How nodes tell boxes float64[n, 2, 3]: float64[n, 4] middle and radius, int64[n, 3] steps; and the boxes that
    these mean, [n, 2, 3].
    """
    middle = ends.mean(axis=1)
    half = ends[:, 1] - middle
    radius = np.sqrt((half * half).sum(axis=1))
    step = np.where(radius > 0, radius / STEPS, 1.0)[:, None]
    sizes = (half / step).astype(np.int64) + 1
    told = np.stack([middle - sizes * step, middle + sizes * step], axis=1)
    return np.column_stack([middle, radius]), sizes, told


def _parted(middles: Floats, boxes: Floats, sizes: Ints) -> Bools:
    """Boxes in two heaps, for several nodes at once, each with the next sizes int64[n] of them: either side of their
    mean, along the axis that leaves the heaps most alike in volume. middles float64[k, 3], boxes float64[k, 2, 3].
    Returns which go to the left, bool[k].
    """
    if not len(sizes):
        return np.zeros(0, np.bool_)
    starts, owners = ranges.starts(sizes)[:-1], ranges.owners(sizes)
    off = middles - (np.add.reduceat(middles, starts) / sizes[:, None])[owners]
    left, between = off < -_SAME_MIDDLE, np.abs(off) <= _SAME_MIDDLE
    lefts, many = (np.add.reduceat(each.astype(np.int64), starts) for each in (left, between))
    more = ((sizes[:, None] - 2 * lefts + 1) // 2).clip(0, many)  # of what lies on the mean, to make the heaps alike
    rank = np.cumsum(between, axis=0)
    rank -= (rank[starts] - between[starts])[owners]
    left |= between & (rank <= more[owners])
    lefts += more
    volumes = []
    for heap in (left, ~left):
        high = np.maximum.reduceat(np.where(heap[:, :, None], boxes[:, None, 1], -np.inf), starts)
        low = np.minimum.reduceat(np.where(heap[:, :, None], boxes[:, None, 0], np.inf), starts)
        volumes.append(np.where(np.isfinite(high), high, 0) - np.where(np.isfinite(low), low, 0))
    apart = np.abs(volumes[0].prod(axis=2) - volumes[1].prod(axis=2))
    able = (lefts > 0) & (lefts < sizes[:, None])
    axis = np.where(able, apart, np.inf).argmin(axis=1)
    halves = np.arange(len(owners)) - starts[owners] < (sizes // 2)[owners]
    return np.where(able.any(axis=1)[owners], left[np.arange(len(owners)), axis[owners]], halves)
