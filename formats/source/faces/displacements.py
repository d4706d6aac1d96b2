# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements: the grids that dispinfos lay over faces, and back (source.md §2.2, §2.3).

A displacement of power p has N = 2**p + 1 vertices each way; vertex i * N + j lies i steps along the edge from corner 0
to 1 and j steps across to the edge from corner 3 to 2, where corner 0 is the face's corner next to `start_position`.
Its place is that of the flat grid, bilinear between the corners, plus `vec` * `dist`.
"""

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints, Records
from ...binary import FormatError
from ..geometry import Polygons
from ..level import Level
from ..lumps import LumpId, lump_name
from ..records import DispInfoFlag
from ..tables.displacements import MAX_POWER, MIN_POWER

CORNERS = 4
_ASKEW = np.array([1.0, 0.618034, 0.414214])
"""A direction that no edge of a map has."""
SAME_PLACE = 0.1
"""Units: border vertices of two displacements that are no further apart are one point of the map."""


@dataclass(frozen=True, slots=True)
class Displacements:
    """All displacements of a map: d of them, with n vertices and t triangles in the lumps' order.

    Displacement k has the vertices first_vertex[k] to first_vertex[k] + count[k], likewise triangles.
    """

    infos: Records
    faces: Ints  # [d], the face of each
    corners: Ints  # [d, 4], the face's corners, numbers in Polygons.corners, from corner 0 of the grid
    edge: Ints  # [d], vertices a side: 5, 9 or 17
    first_vertex: Ints  # [d]
    first_triangle: Ints  # [d]
    flat: Floats  # [n, 3], the grid before it is displaced
    grid: Floats  # [n, 2], 0..1 along i and j: for what is bilinear, too
    owner: Ints  # [n], the displacement of each vertex; -1: a record of the lump that none has
    triangles: Ints  # [t, 3], vertices; clockwise from the front

    @property
    def counts(self) -> Ints:
        """int64[displacements]: vertices of each."""
        return self.edge * self.edge

    @np.errstate(all="ignore")  # hostile floats
    def positions(self, verts: Records) -> Floats:
        """float64[n, 3]: where the vertices are, with the records of DISP_VERTS."""
        return self.flat + verts["vec"].astype(np.float64) * verts["dist"].astype(np.float64)[:, None]

    @np.errstate(all="ignore")  # hostile floats
    def bilinear(self, corners: Floats) -> Floats:
        """Values float64[d, 4, c] at the corners -> float64[n, c] at the vertices."""
        i, j = self.grid[:, :1], self.grid[:, 1:]
        values = corners[np.maximum(self.owner, 0)]
        left = values[:, 0] + (values[:, 1] - values[:, 0]) * i
        right = values[:, 3] + (values[:, 2] - values[:, 3]) * i
        return np.asarray(left + (right - left) * j)


def blended(found: Displacements, rows: int) -> Bools | None:
    """bool[n]: the vertices that the records of DISP_MULTIBLEND belong to, in their order; None where they fit none.

    Those of displacements that say so have some; as many as DISP_VERTS has are one each. rows: how many there are.
    """
    if rows == len(found.owner):
        return np.ones(rows, np.bool_)
    flags = found.infos["min_tess"].astype(np.uint32)
    flagged = (flags & DispInfoFlag.HAS_MULTIBLEND > 0) & (flags & DispInfoFlag.IS_FLAGS > 0)
    having = np.append(flagged, False)[found.owner]
    return np.asarray(having) if int(having.sum()) == rows else None


@np.errstate(all="ignore")  # hostile floats
def displacements(level: Level, polygons: Polygons) -> Displacements:
    """Lay out the grids. polygons: those of the drawn faces.

    FormatError where a face or its four corners, vertices or triangles aren't there, and for powers that aren't 2 to 4.
    """
    infos = level.table(LumpId.DISPINFO)
    verts = len(level.table(LumpId.DISP_VERTS))
    powers = infos["power"].astype(np.int64)
    faces = infos["map_face"].astype(np.int64)
    first = infos["disp_vert_start"].astype(np.int64)
    sizes = np.diff(polygons.first_corner)
    what = lump_name(LumpId.DISPINFO)
    _all(what, "power", powers, (powers >= MIN_POWER) & (powers <= MAX_POWER))
    _all(what, "face", faces, (faces >= 0) & (faces < len(sizes)))
    _all(what, "face's corners", sizes[faces], sizes[faces] == CORNERS)
    edge = (1 << powers) + 1
    _all(what, "first vertex", first, (first >= 0) & (first + edge * edge <= verts) & _apart(first, edge * edge))
    quads = (edge - 1) ** 2
    first_triangle = np.cumsum(quads * 2) - quads * 2
    if "disp_tri_start" in (infos.dtype.names or ()):
        first_triangle = infos["disp_tri_start"].astype(np.int64)
    _all(what, "first triangle", first_triangle, (first_triangle >= 0) & _apart(first_triangle, quads * 2))

    around = polygons.first_corner[faces][:, None] + np.arange(CORNERS)
    points = polygons.positions[polygons.corners[around]].astype(np.float64)
    away = ((points - infos["start_position"].astype(np.float64)[:, None]) ** 2).sum(axis=2)
    nearest = np.where(np.isfinite(away), away, np.inf).argmin(axis=1)
    corners = np.take_along_axis(around, (nearest[:, None] + np.arange(CORNERS)) % CORNERS, axis=1)

    owner = np.full(verts, -1, np.int64)
    grid = np.zeros((verts, 2))
    counts = edge * edge
    places, owners = ranges.flat(first, counts), ranges.owners(counts)
    local = places - first[owners]
    side = edge[owners]
    owner[places] = owners
    grid[places] = np.column_stack([local // side, local % side]) / (side - 1)[:, None]
    made = Displacements(
        infos,
        faces,
        corners,
        edge,
        first,
        first_triangle,
        np.zeros((verts, 3)),
        grid,
        owner,
        _triangles(edge, first, first_triangle),
    )
    if len(infos):
        made.flat[:] = made.bilinear(polygons.positions[polygons.corners[corners]].astype(np.float64))
        made.flat[owner < 0] = 0
    return made


def _all(what: str, field: str, values: Ints, good: Bools) -> None:
    if not good.all():
        record = int((~good).argmax())
        raise FormatError(f"record {record}: {field} {values[record]} can't be", what)


def _apart(starts: Ints, counts: Ints) -> Bools:
    """bool[n]: which stretches of a list have nothing in common with the next one: two can't have one vertex."""
    order = np.argsort(starts, kind="stable")
    made = np.ones(len(starts), np.bool_)
    made[order[:-1]] = (starts + counts)[order[:-1]] <= starts[order[1:]]
    return made


def _triangles(edge: Ints, first: Ints, first_triangle: Ints) -> Ints:
    """int64[t, 3], in the order of DISP_TRIS; the diagonal of a quad turns with the number of its first vertex."""
    total = int((first_triangle + 2 * (edge - 1) ** 2).max(initial=0))
    if total > 2 * int(((edge - 1) ** 2).sum()):
        raise FormatError("triangles of displacements leave gaps", lump_name(LumpId.DISPINFO))
    triangles = np.zeros((total, 3), np.int64)
    for size in np.unique(edge).tolist():
        alike = np.flatnonzero(edge == size)
        i, j = np.divmod(np.arange((size - 1) ** 2), size - 1)
        number = i * size + j
        up, right, across = number + 1, number + size, number + size + 1
        odd = (number % 2 == 1)[:, None]
        one = np.where(odd, np.column_stack([number, right, up]), np.column_stack([number, right, across]))
        two = np.where(odd, np.column_stack([up, right, across]), np.column_stack([number, across, up]))
        pattern = np.stack([one, two], axis=1).reshape(-1, 3)
        rows = first_triangle[alike][:, None] + np.arange(len(pattern))
        triangles[rows] = first[alike][:, None, None] + pattern
    return triangles


@np.errstate(all="ignore")  # hostile floats
def normals(displacements: Displacements, positions: Floats) -> Floats:
    """float64[n, 3]: the normal of each vertex, the mean of those of its quads' triangles (source.md §2.3 (step 8)).

    Each quad counts with both of its triangles of one fixed diagonal, whichever it is drawn with; neighbours' don't.
    """
    total = np.zeros_like(positions)
    for size in np.unique(displacements.edge).tolist():
        alike = np.flatnonzero(displacements.edge == size)
        numbers = displacements.first_vertex[alike][:, None] + np.arange(size * size)
        points = positions[numbers].reshape(len(alike), size, size, 3)
        here, up, right, across = points[:, :-1, :-1], points[:, :-1, 1:], points[:, 1:, :-1], points[:, 1:, 1:]
        both = _unit(np.cross(up - here, right - here)) + _unit(np.cross(up - right, across - right))
        sums = np.zeros_like(points)
        for rows in (slice(None, -1), slice(1, None)):
            for columns in (slice(None, -1), slice(1, None)):
                sums[:, rows, columns] += both
        total[numbers] = sums.reshape(len(alike), -1, 3)
    return _unit(total)


@np.errstate(all="ignore")  # hostile floats
def _unit(vectors: Floats) -> Floats:
    lengths = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


@np.errstate(all="ignore")  # hostile floats
def fields(displacements: Displacements, positions: Floats, verts: Records) -> Records:
    """The records of DISP_VERTS for vertices that were moved to `positions` float64[n, 3]: the inverse of `positions`.

    Vertices that are where `verts` has them (to float32) keep their records bit for bit; alphas stay. A distance of 0
    has the direction 0.
    """
    old = displacements.positions(verts)
    moved = (positions.astype(np.float32) != old.astype(np.float32)).any(axis=1)
    made = verts.copy()
    away = positions[moved] - displacements.flat[moved]
    distance = np.sqrt((away * away).sum(axis=1))
    made["dist"][moved] = distance
    made["vec"][moved] = _unit(away)
    return made


@np.errstate(all="ignore")  # hostile floats
def shared(displacements: Displacements, positions: Floats, near: float = SAME_PLACE) -> tuple[Ints, Ints]:
    """Pairs of border vertices of different displacements that lie in one place: moving one must move the other.

    Returns two int64[p], each pair in both orders. near: units.
    """
    on_border = displacements.owner >= 0
    grid = displacements.grid
    on_border &= ((grid == 0) | (grid == 1)).any(axis=1)
    border = np.flatnonzero(on_border & np.isfinite(positions).all(axis=1))
    if not len(border):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    points = positions[border]
    # Sorted along a line, whatever is near lies within a few places: compare with the next, the one after, ... until
    # none is. The line is askew, since whole rows of a map's vertices lie in planes across its axes.
    along = (points * _ASKEW).sum(axis=1)
    order = np.argsort(along, kind="stable")
    points, border, along = points[order], border[order], along[order]
    reach = 1.001 * near * float(_ASKEW.sum())  # a little more than it can be, for what is rounded
    firsts, seconds = [], []
    active = np.arange(len(border))
    step = 0
    while len(active):
        step += 1
        active = active[active + step < len(border)]
        active = active[along[active + step] - along[active] <= reach]
        other = active + step
        together = (np.abs(points[active] - points[other]) <= near).all(axis=1)
        together &= displacements.owner[border[active]] != displacements.owner[border[other]]
        firsts.append(border[active[together]])
        seconds.append(border[other[together]])
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    return np.concatenate([first, second]), np.concatenate([second, first])


def lightmap_corners(displacements: Displacements, faces: Records) -> Floats:
    """float64[d, 4, 2]: luxels at the corners of each, as `geometry.luxels` counts (source.md §2.3 (step 6))."""
    size = faces["lightmap_size"][displacements.faces].astype(np.float64)
    s = np.array([0.0, 0.0, 1.0, 1.0]) * size[:, :1]
    t = np.array([0.0, 1.0, 1.0, 0.0]) * size[:, 1:]
    return np.asarray(np.stack([s, t], axis=2) + 0.5)


@np.errstate(all="ignore")  # hostile floats
def borders(displacements: Displacements, positions: Floats) -> tuple[Ints, Floats]:
    """The number of the place that vertices of different displacements share, int64[v], 0: none; and normals
    float64[v, 3] that agree there.

    positions: float64[v, 3], units.
    """
    own = normals(displacements, positions)
    first, second = shared(displacements, positions)
    lowest = np.arange(len(own))
    np.minimum.at(lowest, first, second)
    together = np.zeros(len(own), np.bool_)
    together[first] = True
    total = own.copy()
    np.add.at(total, first, own[second])
    lengths = np.sqrt((total * total).sum(axis=1, keepdims=True))
    return np.where(together, lowest + 1, 0), np.divide(total, lengths, out=own, where=lengths > 0)
