# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solid of vphysics is made of: convex hulls of triangles in a tree of spheres (source.md "Physics").

The engine is Ivory's, and so is the layout, a "compact surface": a header, the hulls ("ledges"), the points that these
share, the tree. Lengths are metres, y is down and z is Source's y; here, everything is in the map's units and axes.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ... import ranges
from ...arrays import Floats, Ints, Records, Singles
from ...binary import Buffer, Cursor, FormatError
from ..records import VECTOR, record
from .physcollide import SOLID_TAG

METRE = 1 / 0.0254
"""Units in a metre."""
WHAT = "solid"
SURFACE_TAG = b"IVPS"
COLLIDE_POLY = 0
"""The model type of hulls; the other one, 1, is a MOPP of displacements."""

#: Before the surface, since 2004. `drag_axis_areas`: how much of the box's sides the solid covers, seen along x, y, z.
HEADER = record(
    ("id", "S4"),
    ("version", "<i2"),
    ("model_type", "<i2"),
    ("surface_size", "<i4"),
    ("drag_axis_areas", VECTOR),
    ("axis_map_size", "<i4"),
    size=28,
)
SURFACE = record(
    ("mass_center", VECTOR),
    ("rotation_inertia", VECTOR),  # of a mass of 1
    ("upper_limit_radius", "<f4"),  # about the mass centre
    ("max_factor_surface_deviation", "u1"),  # in 250ths of that radius
    ("byte_size", "u1", 3),
    ("offset_ledgetree_root", "<i4"),  # offsets count from the record that they stand in
    ("dummy", "<i4", 2),
    ("tag", "S4"),
    size=48,
)
#: The left child follows its parent. `box_sizes`: half the box, in 250ths of the radius.
NODE = record(
    ("offset_right_node", "<i4"),  # 0: an end of the tree
    ("offset_compact_ledge", "<i4"),  # of inner nodes: a hull around all below, or 0
    ("center", VECTOR),
    ("radius", "<f4"),
    ("box_sizes", "u1", 3),
    ("free_0", "u1"),
    size=28,
)
#: `client_data`: what vbsp has there is the brush; in hulls around others, the offset of their node.
LEDGE = record(
    ("c_point_offset", "<i4"),
    ("client_data", "<i4"),
    ("flags", "u1"),  # 2 bits: has children; 2 bits: is compact
    ("size_div_16", "u1", 3),  # with its points, as if they weren't shared
    ("n_triangles", "<i2"),
    ("for_future_use", "<i2"),
    size=16,
)
#: `indices`: 12 bits its number, 12 bits the triangle on the other side, 7 bits material, 1 bit virtual. `edges`: 16
#: bits the point that it starts in, 15 bits how many words further the neighbour has it, 1 bit virtual.
TRIANGLE = record(("indices", "<u4"), ("edges", "<u4", 3), size=16)
POINT = record(("k", VECTOR), ("hesse_val", "<f4"), size=16)

MOST_TRIANGLES = 1 << 12
ACROSS, MATERIAL = 12, 24
"""The first bit of what a triangle's `indices` say."""
MOST_MATERIALS = (1 << 7) - 1
_SAID = 0x7FFFF000
_CHILDREN = 1


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A convex hull."""

    points: Floats
    """float64[p, 3], units."""
    triangles: Ints
    """int64[t, 3], points, anticlockwise seen from outside."""
    brush: int = 0
    """The number of the brush that it was made of."""
    materials: Ints | None = None
    """int64[t], 0 to 127, which row of the text's `materialtable` each triangle is of, 0: none. None: all are 0."""
    across: Ints | None = None
    """int64[t], the triangle that a line from each one's middle leaves the hull by. None: not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A solid."""

    hulls: list[Hull]
    """Those that collide."""
    outer: Hull | None
    """The one around them all, where there is one."""
    mass_center: Floats
    """float64[3], units."""
    rotation_inertia: Floats
    """float64[3]: square metres, x, y and z."""
    radius: float
    """Units."""
    deviation: int
    """250ths of the radius."""
    drag_areas: Floats | None
    """float64[3], None in solids of older compilers."""


def from_ivp(points: npt.ArrayLike) -> Floats:
    """Metres float[n, 3] of vphysics as units."""
    wide = np.asarray(points, np.float64)
    return np.asarray(np.stack([wide[..., 0], wide[..., 2], -wide[..., 1]], axis=-1) * METRE)


def to_ivp(points: npt.ArrayLike) -> Floats:
    """Units float[n, 3] as metres of vphysics."""
    wide = np.asarray(points, np.float64)
    return np.asarray(np.stack([wide[..., 0], -wide[..., 2], wide[..., 1]], axis=-1) / METRE)


@dataclass(frozen=True, slots=True, eq=False)
class Ledges:
    """h hulls as a solid has them, all in one."""

    points: Singles
    """float32[p, 3], metres in vphysics' axes."""
    triangles: Ints
    """int64[t, 3], numbers of points, one hull's behind another's."""
    words: Ints
    """int64[t], what their `indices` say but for numbers and virtual bits."""
    opposites: Ints
    """int64[t, 3], how many words further each edge's neighbour has it."""
    counts: Ints
    """int64[h], of triangles."""
    brushes: Ints
    """int64[h]."""

    def taken(self, hulls: Ints) -> "Ledges":
        """Some of them, int64[k]; points that they don't have stay."""
        rows = ranges.flat(ranges.starts(self.counts)[:-1][hulls], self.counts[hulls])
        return Ledges(
            self.points,
            self.triangles[rows],
            self.words[rows],
            self.opposites[rows],
            self.counts[hulls],
            self.brushes[hulls],
        )

    def hull(self, number: int) -> Hull:
        """One of them by itself."""
        first = int(self.counts[:number].sum())
        return self._hull(number, slice(first, first + int(self.counts[number])))

    def hulls(self) -> list[Hull]:
        """Each of them by itself."""
        first = ranges.starts(self.counts).tolist()
        return [self._hull(n, slice(*part)) for n, part in enumerate(pairwise(first))]

    def _hull(self, number: int, part: slice) -> Hull:
        used, triangles = np.unique(self.triangles[part], return_inverse=True)
        across = self.words[part] >> ACROSS & MOST_TRIANGLES - 1
        return Hull(
            from_ivp(self.points[used]),
            triangles.reshape(-1, 3),
            int(self.brushes[number]),
            self.words[part] >> MATERIAL & MOST_MATERIALS,
            across if int(across.max(initial=0)) < self.counts[number] else None,
        )


@np.errstate(all="ignore")  # hostile floats
def read(data: Buffer) -> Solid:
    """Read a solid of PHYSCOLLIDE. Raises FormatError for what is no solid of hulls."""
    whole, drag = _surface_of(data)
    surface = Cursor(whole).array(SURFACE, 1, WHAT)[0]
    ledges, outer = _ledges_of(whole, int(surface["offset_ledgetree_root"]))
    x, y, z = surface["rotation_inertia"].astype(np.float64).tolist()
    return Solid(
        ledges.hulls(),
        None if outer is None else outer.hulls()[0],
        from_ivp(surface["mass_center"]),
        np.array([x, z, y]),
        float(surface["upper_limit_radius"]) * METRE,
        int(surface["max_factor_surface_deviation"]),
        drag,
    )


@np.errstate(all="ignore")  # hostile floats
def read_ledges(data: Buffer) -> Ledges:
    """Read only the hulls of a solid, all in one: much faster where there are many. Raises FormatError as `read`."""
    whole, _ = _surface_of(data)
    return _ledges_of(whole, int(Cursor(whole).array(SURFACE, 1, WHAT)[0]["offset_ledgetree_root"]))[0]


@np.errstate(all="ignore")  # hostile floats
def renumbered(data: Buffer, numbers: Ints) -> bytes:
    """A solid whose hulls are of brushes with other numbers, int64[brushes of before]. Raises FormatError as `read`."""
    whole, _ = _surface_of(data)
    ledges, _ = _places_of(whole, int(Cursor(whole).array(SURFACE, 1, WHAT)[0]["offset_ledgetree_root"]))
    heads = _at(whole, ledges, LEDGE)
    brushes = heads["client_data"].astype(np.int64)
    known = (heads["flags"] & _CHILDREN == 0) & (brushes >= 0) & (brushes < len(numbers))
    heads["client_data"] = np.where(known, numbers[np.where(known, brushes, 0)], brushes)
    made = np.frombuffer(data, np.uint8).copy()
    rows = ledges[:, None] + (len(made) - len(whole)) + np.arange(LEDGE.itemsize)
    made[rows] = heads.view(np.uint8).reshape(-1, LEDGE.itemsize)
    return made.tobytes()


def _surface_of(data: Buffer) -> tuple[memoryview, Floats | None]:
    """A solid from its surface on, and the drag areas before that. Raises FormatError."""
    whole = memoryview(data).toreadonly().cast("B")
    drag = None
    if bytes(whole[:4]) == SOLID_TAG:
        header = Cursor(whole).array(HEADER, 1, WHAT)[0]
        if header["model_type"] != COLLIDE_POLY:
            raise FormatError(f"model type {header['model_type']}, hulls have {COLLIDE_POLY}", WHAT, 6)
        drag = header["drag_axis_areas"].astype(np.float64)
        whole = whole[HEADER.itemsize :]
    surface = Cursor(whole).array(SURFACE, 1, WHAT)[0]
    if surface["tag"] != SURFACE_TAG:
        raise FormatError(f"{surface['tag']!r} where {SURFACE_TAG!r} is meant", WHAT, SURFACE.itemsize - 4)
    return whole, drag


def _ledges_of(whole: memoryview, root: int) -> tuple[Ledges, Ledges | None]:
    """The hulls at the ends of a tree, in its order, and the one of its root."""
    ends, outer = _places_of(whole, root)
    return _ledges(whole, ends), None if outer is None else _ledges(whole, outer)


def _places_of(whole: memoryview, root: int) -> tuple[Ints, Ints | None]:
    """Where the hulls at the ends of a tree are, int64[h], in its order, and the one of its root, int64[1]."""
    outer = None
    ends: list[Ints] = []
    places, left = np.array([root]), len(whole) // NODE.itemsize + 1
    while len(places):
        left -= len(places)
        if left < 0:
            raise FormatError("its tree runs in circles", WHAT, root)
        nodes = _at(whole, places, NODE)
        right = nodes["offset_right_node"].astype(np.int64)
        ledges = places + nodes["offset_compact_ledge"]
        inner = right != 0
        if places[0] == root and inner[0] and ledges[0] != root:
            outer = ledges[:1]
        ends.append(np.column_stack([places, ledges])[~inner])
        places = np.concatenate([places[inner] + NODE.itemsize, places[inner] + right[inner]])
    found = np.concatenate(ends)
    return found[np.argsort(found[:, 0], kind="stable"), 1], outer


def _ledges(whole: memoryview, places: Ints) -> Ledges:
    """The ledges at bytes int64[h]."""
    heads = _at(whole, places, LEDGE)
    counts = heads["n_triangles"].astype(np.int64)
    bad = (counts < 0) | (counts > MOST_TRIANGLES)
    if bad.any():
        raise FormatError(f"{counts[bad][0]} triangles", WHAT, int(places[bad][0]))
    ranges.check_total(counts, len(whole) // TRIANGLE.itemsize, WHAT)
    records = _at(whole, ranges.flat(places + LEDGE.itemsize, counts, TRIANGLE.itemsize), TRIANGLE)
    edges = records["edges"].astype(np.int64)
    owners = ranges.owners(counts)
    own = (places + heads["c_point_offset"])[owners, None] + (edges & 0xFFFF) * POINT.itemsize
    used, numbers = np.unique(own, return_inverse=True)
    points = _at(whole, used, POINT)["k"]
    if not np.isfinite(points).all():
        raise FormatError("a point is NaN or infinite", WHAT)
    return Ledges(
        points.astype(np.float32),
        numbers.reshape(-1, 3).astype(np.int64),
        records["indices"].astype(np.int64) & _SAID,
        edges >> 16 & 0x7FFF,
        counts,
        np.where(heads["flags"] & _CHILDREN, 0, heads["client_data"]).astype(np.int64),
    )


def _at(whole: memoryview, places: Ints, dtype: np.dtype[np.void]) -> Records:
    """Records at bytes int64[n], checked to be there."""
    bad = (places < 0) | (places > len(whole) - dtype.itemsize)
    if bad.any():
        raise FormatError(f"{dtype.itemsize} bytes aren't there", WHAT, int(places[bad][0]))
    rows = np.frombuffer(whole, np.uint8)[places[:, None] + np.arange(dtype.itemsize)]
    return np.ascontiguousarray(rows).view(dtype).reshape(-1)
