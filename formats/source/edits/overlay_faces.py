# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces that overlays are painted on, found by where they lie (source.md §2.7 "Overlay").

The game projects an overlay along its normal onto the faces of its list. So a face is one of them if it looks the same
way, is covered as seen along that normal, and is near the overlay's plane. What "near" and "the same way" are, an
overlay that has a list shows by it: some hover before their wall, others go round a corner or down some stairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..faces import displacements
from ..level import Level
from ..lumps import LumpId
from ..placed import overlay_quads
from ..records import SurfaceFlag

OFF_PLANE = 1.01
"""Units that a face may be away from the plane: in real maps, it is up to 1."""
_ALIGNED = 0.999  # cosine of the angle between their normals
_FACING = 0.05  # the same of triangles of displacements, and of slanted faces that a list has
_SAME_WAY = 1e-4
_TOUCHING = 0.05  # units that both must have in common
_UNSEEN = SurfaceFlag.NODRAW | SurfaceFlag.SKY | SurfaceFlag.SKY2D | SurfaceFlag.SKIP | SurfaceFlag.HINT


@dataclass(frozen=True)
class Reach:
    """How near to an overlay a face has to be: units along the overlay's normal, from where it lies, and the cosine of
    the angle between their normals. Triangles of displacements may also be as far away as the overlay is large.
    """

    low: float = -OFF_PLANE
    high: float = OFF_PLANE
    cosine: float = _ALIGNED


@dataclass(frozen=True)
class Pieces:
    """What overlays can be painted on, p convex polygons: the world's drawn faces, and the triangles of displacements.

    Piece k has the points `first[k]` to `first[k + 1]`.
    """

    points: Floats  # [points, 3]
    first: Ints  # [p + 1]
    normals: Floats  # [p, 3], of length 1; 0 for what has no area
    faces: Ints  # [p], the number of the drawn face
    displaced: Bools  # [p], whether it is a triangle of a displacement

    @cached_property
    def spheres(self) -> tuple[Floats, Floats]:
        """The middle of each piece, float64[p, 3], and the square of how far its points are from there, float64[p]."""
        if not len(self.faces):
            return np.zeros((0, 3)), np.zeros(0)
        counts = np.diff(self.first)
        middles = np.add.reduceat(self.points, self.first[:-1], axis=0) / counts[:, None]
        away = self.points - np.repeat(middles, counts, axis=0)
        return middles, np.maximum.reduceat(np.einsum("ni,ni->n", away, away), self.first[:-1])

    def of(self, chosen: Ints) -> tuple[Floats, Ints]:
        """The points of some pieces, float64[n, 3], and how many each has."""
        counts = np.diff(self.first)[chosen]
        return self.points[ranges.flat(self.first[:-1][chosen], counts)], counts


@np.errstate(all="ignore")  # hostile floats
def pieces(level: Level) -> Pieces:
    """The pieces of a level. Raises FormatError for faces that can't be read; displacements that can't have none."""
    polygons = geometry.polygons(level)
    usable = np.flatnonzero(_is_usable(level, polygons))
    counts = np.diff(polygons.first_corner)[usable]
    corners = polygons.corners[ranges.flat(polygons.first_corner[:-1][usable], counts)]
    normals = geometry.area_normals(polygons)[usable]
    points = polygons.positions[corners].astype(np.float64)
    triangles, owners = _triangles(level, polygons, usable)
    clockwise = np.cross(triangles[:, 2] - triangles[:, 0], triangles[:, 1] - triangles[:, 0])
    all_normals = np.concatenate([normals, clockwise])
    lengths = np.sqrt((all_normals * all_normals).sum(axis=1))
    return Pieces(
        np.concatenate([points, triangles.reshape(-1, 3)]),
        ranges.starts(np.concatenate([counts, np.full(len(triangles), 3)])),
        np.divide(all_normals, lengths[:, None], out=np.zeros_like(all_normals), where=lengths[:, None] > 0),
        np.concatenate([usable, owners]),
        np.arange(len(all_normals)) >= len(usable),
    )


def _is_usable(level: Level, polygons: geometry.Polygons) -> Bools:
    """bool[faces]: drawn faces of the world that are seen."""
    faces, models = level.table(geometry.drawn_faces(level)), level.table(LumpId.MODELS)
    usable = np.diff(polygons.first_corner) > 2
    usable &= geometry.valid_texinfos(level, faces)
    usable[usable] &= level.table(LumpId.TEXINFO)["flags"][faces["texinfo"][usable]] & _UNSEEN == 0
    if len(models):  # the others' vertices count from their entities' origins
        first, count = int(models["firstface"][0]), int(models["numfaces"][0])
        usable[: max(first, 0)] = False
        usable[first + count :] = False
    return np.asarray(usable)


def _triangles(level: Level, polygons: geometry.Polygons, usable: Ints) -> tuple[Floats, Ints]:
    """The triangles of displacements on usable faces, float64[t, 3, 3], and the face of each."""
    none = np.zeros((0, 3, 3)), np.zeros(0, np.int64)
    try:
        if not len(level.table(LumpId.DISPINFO)):
            return none
        found = displacements.displacements(level, polygons)
        points = found.positions(level.table(LumpId.DISP_VERTS))
    except FormatError:  # who reads displacements meets the error
        return none
    owners = found.faces[found.owner[found.triangles[:, 0]]]
    chosen = np.isin(owners, usable)
    return points[found.triangles[chosen]], owners[chosen]


@np.errstate(all="ignore")  # what is no number is in no plane
def touched(there: Pieces, overlay: Records, reach: Reach) -> Ints:
    """The faces, int64[n] ascending, that an overlay (one record) covers a part of."""
    own = _covered(there, overlay, reach.cosine, np.arange(len(there.faces)))
    low, high = _depths(there, overlay, own)
    slack = _slack(there, overlay, own)
    near = (low < reach.high + slack) & (high > reach.low - slack)
    return np.asarray(np.unique(there.faces[own[near]]), np.int64)


@np.errstate(all="ignore")
def reach_of(there: Pieces, overlay: Records, listed: Ints) -> Reach:
    """How far an overlay (one record) reaches, by the faces int64[n] that it lists; as usual where it covers none."""
    own = _covered(there, overlay, _FACING, np.flatnonzero(np.isin(there.faces, listed)))
    if not len(own):
        return Reach()
    low, high = _depths(there, overlay, own)
    off = np.clip(0.0, low, high)
    off = np.sign(off) * np.maximum(np.abs(off) - _slack(there, overlay, own), 0.0)
    order = np.lexsort((np.abs(off), there.faces[own]))
    nearest = order[np.unique(there.faces[own][order], return_index=True)[1]]  # a displacement needs but one triangle
    flat = nearest[~there.displaced[own[nearest]]]
    towards = there.normals[own[flat]] @ _normal(overlay)
    return Reach(
        float(off[nearest].min()) - OFF_PLANE,
        float(off[nearest].max()) + OFF_PLANE,
        min(_ALIGNED, float(towards.min(initial=1.0)) - _SAME_WAY),
    )


def _normal(overlay: Records) -> Floats:
    normal = overlay["basis_normal"][0].astype(np.float64)
    return np.asarray(normal / max(float(np.sqrt(normal @ normal)), 1e-9))


def _size(overlay: Records) -> float:
    """Units from an overlay's origin to its farthest corner."""
    away = overlay_quads.corners(overlay)[0] - overlay["origin"][0].astype(np.float64)
    return float(np.sqrt((away * away).sum(axis=1)).max())


def _slack(there: Pieces, overlay: Records, chosen: Ints) -> Floats:
    """float64[n]: how much farther away triangles of displacements may be: half of the overlay's size."""
    return np.where(there.displaced[chosen], _size(overlay), 0.0)


def _depths(there: Pieces, overlay: Records, chosen: Ints) -> tuple[Floats, Floats]:
    """float64[n] twice: from where to where pieces lie along an overlay's normal, as far as it covers them."""
    normal, origin = _normal(overlay), overlay["origin"][0].astype(np.float64)
    points, counts = there.of(chosen)
    if not len(chosen):
        return np.zeros(0), np.zeros(0)
    starts = ranges.starts(counts)[:-1]
    heights = (points - origin) @ normal
    low, high = np.minimum.reduceat(heights, starts), np.maximum.reduceat(heights, starts)
    # Of a slanted piece only what is behind or before the overlay's corners counts.
    away = overlay_quads.corners(overlay)[0] - origin
    normals = there.normals[chosen]
    planes = np.einsum("ni,ni->n", points[starts] - origin, normals)[:, None] - normals @ away.T
    planes = planes / (normals @ normal)[:, None] + away @ normal
    return np.clip(planes.min(axis=1), low, high), np.clip(planes.max(axis=1), low, high)


def _covered(there: Pieces, overlay: Records, cosine: float, among: Ints) -> Ints:
    """Which pieces of some look an overlay's way and have more than an edge in common with it, seen along its normal.

    No edge of either parts them. cosine: of pieces that are no triangles of displacements.
    """
    quad, normal = overlay_quads.corners(overlay)[0], _normal(overlay)
    least = np.where(there.displaced[among], _FACING, cosine)
    middles, squares = there.spheres
    away = middles[among] - overlay["origin"][0].astype(np.float64)
    beside = np.einsum("ni,ni->n", away, away) - (away @ normal) ** 2
    near = beside <= (np.sqrt(squares[among]) + _size(overlay)) ** 2 + 1
    own = among[near & (there.normals[among] @ normal > least)]
    if not len(own):
        return np.zeros(0, np.int64)
    corners, counts = there.of(own)
    firsts, owners = ranges.starts(counts)[:-1], ranges.owners(counts)
    apart = np.zeros(len(own), np.bool_)
    for axis in np.cross(normal, np.roll(quad, -1, axis=0) - quad):
        heights, across = corners @ axis, quad @ axis
        width = _TOUCHING * float(np.sqrt(axis @ axis))
        low, high = np.minimum.reduceat(heights, firsts), np.maximum.reduceat(heights, firsts)
        apart |= (low > across.max() - width) | (high < across.min() + width)
    following = np.arange(1, len(corners) + 1)
    following[firsts + counts - 1] = firsts
    axes = np.cross(normal, corners[following] - corners)
    widths = np.sqrt((axes * axes).sum(axis=1)) * _TOUCHING
    across = axes @ quad.T
    # Each edge of a polygon has all of that polygon on one side.
    here = (axes * corners).sum(axis=1)
    middle = np.column_stack([np.bincount(owners, corners[:, axis], len(own)) for axis in range(3)]) / counts[:, None]
    inwards = (axes * middle[owners]).sum(axis=1) >= here
    beyond = np.where(inwards, across.max(axis=1) < here + widths, across.min(axis=1) > here - widths)
    apart |= np.bincount(owners, beyond & (widths > 0), len(own)) > 0
    return np.asarray(own[~apart])
