# SPDX-License-Identifier: GPL-3.0-or-later
"""What a solid of vphysics is made of: convex hulls of triangles in a tree of spheres (source.md "Physics").

The engine is Ivory's, and so is the layout, a "compact surface": a header, the hulls ("ledges"), the points that these
share, the tree. Lengths are metres, y is down and z is Source's y; here, everything is in the map's units and axes.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..binary import Buffer, Cursor, FormatError
from .physcollide import SOLID_TAG
from .records import VECTOR, record

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

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
_CHILDREN = 1


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A convex hull. points: float64[p, 3], units. triangles: int64[t, 3] points, anticlockwise seen from outside.
    brush: the number of the brush that it was made of.

    materials: int64[t], 0 to 127, which row of the text's `materialtable` each triangle is of, 0: none; left out: all
    are 0. across: int64[t], the triangle that a line from each one's middle leaves the hull by; left out: not known.
    """

    points: Floats
    triangles: Ints
    brush: int = 0
    materials: Ints | None = None
    across: Ints | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A solid. hulls: those that collide; outer: the one around them all, where there is one.

    mass_center float64[3] and radius: units. rotation_inertia float64[3]: square metres, x, y and z. deviation: 250ths
    of the radius. drag_areas: float64[3], None in solids of older compilers.
    """

    hulls: list[Hull]
    outer: Hull | None
    mass_center: Floats
    rotation_inertia: Floats
    radius: float
    deviation: int
    drag_areas: Floats | None


def from_ivp(points: npt.ArrayLike) -> Floats:
    """Metres float[n, 3] of vphysics as units."""
    wide = np.asarray(points, np.float64)
    return np.asarray(np.stack([wide[..., 0], wide[..., 2], -wide[..., 1]], axis=-1) * METRE)


def to_ivp(points: npt.ArrayLike) -> Floats:
    """Units float[n, 3] as metres of vphysics."""
    wide = np.asarray(points, np.float64)
    return np.asarray(np.stack([wide[..., 0], -wide[..., 2], wide[..., 1]], axis=-1) / METRE)


@np.errstate(all="ignore")  # hostile floats
def read(data: Buffer) -> Solid:
    """Read a solid of PHYSCOLLIDE. Raises FormatError for what is no solid of hulls, and for solids of consoles."""
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
    hulls, outer = _hulls(whole, int(surface["offset_ledgetree_root"]))
    x, y, z = surface["rotation_inertia"].astype(np.float64).tolist()
    return Solid(
        hulls,
        outer,
        from_ivp(surface["mass_center"]),
        np.array([x, z, y]),
        float(surface["upper_limit_radius"]) * METRE,
        int(surface["max_factor_surface_deviation"]),
        drag,
    )


def _hulls(whole: memoryview, root: int) -> tuple[list[Hull], Hull | None]:
    """The hulls at the ends of a tree, and the one of its root."""
    found: list[Hull] = []
    outer = None
    stack, left = [root], len(whole) // NODE.itemsize + 1
    while stack:
        place = stack.pop()
        left -= 1
        if left < 0:
            raise FormatError("its tree runs in circles", WHAT, root)
        node = _at(whole, place, NODE, 1)[0]
        ledge = place + int(node["offset_compact_ledge"])
        if node["offset_right_node"]:
            stack += [place + int(node["offset_right_node"]), place + NODE.itemsize]
            if place == root and ledge != place:
                outer = _hull(whole, ledge)
        else:
            found.append(_hull(whole, ledge))
    return found, outer


def _hull(whole: memoryview, place: int) -> Hull:
    ledge = _at(whole, place, LEDGE, 1)[0]
    count = int(ledge["n_triangles"])
    if not 0 <= count <= MOST_TRIANGLES:
        raise FormatError(f"{count} triangles", WHAT, place)
    triangles = _at(whole, place + LEDGE.itemsize, TRIANGLE, count)
    starts = (triangles["edges"] & 0xFFFF).astype(np.int64)
    used, numbers = np.unique(starts, return_inverse=True)
    points = _at(whole, place + int(ledge["c_point_offset"]), POINT, int(used.max(initial=-1)) + 1)
    if not np.isfinite(points["k"]).all():
        raise FormatError("a point is NaN or infinite", WHAT, place)
    brush = 0 if ledge["flags"] & _CHILDREN else int(ledge["client_data"])
    words = triangles["indices"].astype(np.int64)
    across = words >> ACROSS & MOST_TRIANGLES - 1
    return Hull(
        from_ivp(points["k"][used]),
        numbers.reshape(-1, 3).astype(np.int64),
        brush,
        words >> MATERIAL & MOST_MATERIALS,
        across if int(across.max(initial=0)) < count else None,
    )


def _at(whole: memoryview, place: int, dtype: np.dtype[np.void], count: int) -> npt.NDArray[np.void]:
    """Records at a byte, checked to be there."""
    if not 0 <= place <= len(whole) - count * dtype.itemsize:
        raise FormatError(f"{count} records of {dtype.itemsize} bytes aren't there", WHAT, place)
    return np.frombuffer(whole, dtype, count, place)
