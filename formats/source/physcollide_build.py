# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids of vphysics, made of convex hulls: what `physcollide_surface` reads, field by field as vphysics fills it in.

Which triangles a flat face is cut into, and in which order these stand, is the one thing that is vphysics' own.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .. import convex_hull
from ..binary import FormatError
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
    TRIANGLE,
    WHAT,
    Floats,
    Hull,
    Ints,
    to_ivp,
)

Bools = npt.NDArray[np.bool_]

VERSION = 0x100
STEPS = 250  # box sizes and deviations are told in as many parts of a radius
_COMPACT = 1 << 2
_HAS_CHILDREN = 1
_VIRTUAL = 1 << 31
_MOST_POINTS = 1 << 16
_MOST_BYTES = 1 << 23
_SAME_MIDDLE = 1e-6  # metres
_ON_EDGE = 1e-3  # units
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
    parts = [*hulls, *([outer] if outer is not None else [])]
    points, numbers = _shared(parts)
    sizes = [LEDGE.itemsize + TRIANGLE.itemsize * len(part.triangles) for part in parts]
    places = SURFACE.itemsize + np.concatenate([[0], np.cumsum(sizes)])
    root = int(places[-1]) + POINT.itemsize * len(points)
    nodes = _tree(hulls, places, root)
    if outer is not None:
        nodes["offset_compact_ledge"][0] = places[-2] - root
    size = root + nodes.nbytes
    if len(points) > _MOST_POINTS or size >= _MOST_BYTES:
        raise FormatError(f"{len(points)} points and {size} bytes are more than a solid can have", WHAT)
    ledges = [
        _ledge(part, triangles, int(places[-1]) - place, part.brush)
        for part, triangles, place in zip(hulls, numbers, places.tolist(), strict=False)
    ]
    if outer is not None:
        place = int(places[-2])
        virtual = _virtual(numbers[-1], np.concatenate(numbers[:-1]), len(points))
        ledges.append(_ledge(outer, numbers[-1], int(places[-1]) - place, root - place, virtual))
    table = np.zeros(len(points), POINT)
    table["k"] = points
    whole = b"".join([_surface(hulls, size, root).tobytes(), *ledges, table.tobytes(), nodes.tobytes()])
    if not tagged:
        return whole
    header = np.zeros(1, HEADER)
    header["id"], header["version"], header["model_type"] = SOLID_TAG, VERSION, COLLIDE_POLY
    header["surface_size"], header["drag_axis_areas"] = size, 1
    return header.tobytes() + whole


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


def _shared(parts: Sequence[Hull]) -> tuple[npt.NDArray[np.float32], list[Ints]]:
    """The points of all hulls in metres, each once, in the order of their use; and with their numbers the triangles."""
    points = np.concatenate([to_ivp(part.points[part.triangles.reshape(-1)]) for part in parts]).astype(np.float32)
    points += 0  # no -0.0
    rows = points.view("V12").reshape(-1)
    _, first, places = np.unique(rows, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    numbers = np.split(rank[places.reshape(-1)], np.cumsum([3 * len(part.triangles) for part in parts])[:-1])
    return points[first[order]], [part.reshape(-1, 3) for part in numbers]


# ------------------------------------------------------------------------------------------------------------- ledges


def _virtual(triangles: Ints, inner: Ints, count: int) -> tuple[Bools, Bools]:
    """Of a hull around others, what none of these has: bool[t, 3] edges, either way, and bool[t] triangles, which begin
    with the same corner. inner: the triangles of these; count: of all points.
    """
    edges = np.isin(_edge_keys(triangles, count), _edge_keys(inner, count))
    numbers = [1, count, count**2]
    return ~edges, ~np.isin(triangles @ numbers, inner @ numbers)


def _ledge(part: Hull, triangles: Ints, to_points: int, own: int, virtual: tuple[Bools, Bools] | None = None) -> bytes:
    """A hull's header and triangles. virtual: of a hull around others, see `_virtual`."""
    count = len(triangles)
    if count >= MOST_TRIANGLES:
        raise FormatError(f"a hull of {count} triangles, {MOST_TRIANGLES - 1} are the most", WHAT)
    ledge, records = np.zeros(1, LEDGE), np.zeros(count, TRIANGLE)
    ledge["c_point_offset"], ledge["client_data"], ledge["n_triangles"] = to_points, own, count
    ledge["flags"] = _COMPACT | (0 if virtual is None else _HAS_CHILDREN)
    ledge["size_div_16"] = _three_bytes(1 + count + len(np.unique(triangles)))
    opposite = _opposites(part.triangles) & 0x7FFF
    edges = triangles | opposite << 16
    across = _pierced(part) if part.across is None else part.across
    materials = np.zeros(count, np.int64) if part.materials is None else part.materials
    if (
        materials.shape != (count,)
        or across.shape != (count,)
        or ((materials < 0) | (materials > MOST_MATERIALS)).any()
    ):
        raise FormatError(f"materials of triangles that a hull hasn't, or beyond {MOST_MATERIALS}", WHAT)
    indices = np.arange(count) | across << ACROSS | materials << MATERIAL
    edge_bits, bits = (0, 0) if virtual is None else (np.where(each, _VIRTUAL, 0) for each in virtual)
    records["indices"] = indices | bits
    records["edges"] = edges | edge_bits
    return ledge.tobytes() + records.tobytes()


def _three_bytes(value: int) -> npt.NDArray[np.uint8]:
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


def _surface(hulls: Sequence[Hull], size: int, root: int) -> npt.NDArray[np.void]:
    """The header: mass centre, inertia and radius of all hulls."""
    everything = to_ivp(_corners(hulls))
    six = np.einsum("ni,ni->n", everything[:, 0], np.cross(everything[:, 1], everything[:, 2]))
    sums = everything.sum(axis=1)
    weight, first = float(six.sum()) / 6, six @ sums / 24
    second = six @ (sums * sums + (everything * everything).sum(axis=1)) / 120
    flat = everything.reshape(-1, 3)
    center = first / weight
    spread = np.maximum(second / weight - center * center, 0)
    away = everything - center
    normals = np.cross(everything[:, 1] - everything[:, 0], everything[:, 2] - everything[:, 0])
    lengths = (normals * normals).sum(axis=1)
    aside = np.cross(away, normals[:, None])
    aside = (aside * aside).sum(axis=2) / np.where(lengths > 0, lengths, np.inf)[:, None]
    radius = float(np.sqrt(((flat - center) ** 2).sum(axis=1).max()))
    made = np.zeros(1, SURFACE)
    made["mass_center"] = center
    made["rotation_inertia"] = [np.hypot(spread[1], spread[2]), np.hypot(spread[2], spread[0]), np.hypot(*spread[:2])]
    made["upper_limit_radius"] = radius
    made["max_factor_surface_deviation"] = min(int(1 + float(np.sqrt(aside.max())) / (radius / STEPS)), 255)
    made["byte_size"], made["offset_ledgetree_root"], made["tag"] = _three_bytes(size), root, SURFACE_TAG
    return made


def _tree(hulls: Sequence[Hull], places: Ints, root: int) -> npt.NDArray[np.void]:
    """The nodes over hulls, each with its left child behind it; places: of the ledges, in bytes."""
    points = [to_ivp(hull.points).astype(np.float32).astype(np.float64) for hull in hulls]
    ends = np.array([[part.min(axis=0), part.max(axis=0)] for part in points])
    middles = ends.mean(axis=1)
    boxes = np.array([_told(low, high)[2] for low, high in ends])
    nodes = np.zeros(2 * len(hulls) - 1, NODE)
    stack: list[tuple[Ints, int]] = [(np.arange(len(hulls)), -1)]
    for number in range(len(nodes)):
        members, parent = stack.pop()
        if parent >= 0:
            nodes["offset_right_node"][parent] = (number - parent) * NODE.itemsize
        low, high = ends[members[0]] if len(members) == 1 else (boxes[members, 0].min(0), boxes[members, 1].max(0))
        sphere, sizes, _ = _told(low, high)
        nodes["center"][number], nodes["radius"][number], nodes["box_sizes"][number] = sphere[:3], sphere[3], sizes
        if len(members) == 1:
            nodes["offset_compact_ledge"][number] = places[members[0]] - root - number * NODE.itemsize
        else:
            left, right = _parted(members, middles, boxes)
            stack += [(right, number), (left, -1)]
    return nodes


def _told(low: Floats, high: Floats) -> tuple[Floats, Ints, Floats]:
    """How a node tells a box: float64[4] middle and radius, int64[3] steps; and the box that these mean, [2, 3]."""
    middle = (low + high) / 2
    radius = float(np.sqrt(((high - middle) ** 2).sum()))
    step = radius / STEPS if radius > 0 else 1.0
    sizes = ((high - middle) / step).astype(np.int64) + 1
    return np.append(middle, radius), sizes, np.array([middle - sizes * step, middle + sizes * step])


def _parted(members: Ints, middles: Floats, boxes: Floats) -> tuple[Ints, Ints]:
    """Boxes in two heaps: either side of their mean, along the axis that leaves the heaps most alike in volume."""
    if len(members) == 2:
        return members[:1], members[1:]
    best: tuple[float, Ints, Ints] | None = None
    for axis in range(3):
        values = middles[members, axis]
        mean = values.mean()
        left, right = values < mean - _SAME_MIDDLE, values > mean + _SAME_MIDDLE
        between = np.flatnonzero(~left & ~right)
        for place in between.tolist():
            if left.sum() <= right.sum():
                left[place] = True
            else:
                right[place] = True
        if not left.any() or not right.any():
            continue
        one, two = members[left], members[right]
        volumes = [float(np.prod(boxes[heap, 1].max(0) - boxes[heap, 0].min(0))) for heap in (one, two)]
        apart = abs(volumes[0] - volumes[1])
        if best is None or apart < best[0]:
            best = apart, one, two
    if best is None:
        return members[: len(members) // 2], members[len(members) // 2 :]
    return best[1], best[2]
