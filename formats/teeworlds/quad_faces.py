# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads as faces of a mesh, and faces back to quads (arrays in, arrays out; teeworlds.md §3, §5).

A face has the four corners of its quad in the order of the ring (see `quads`), y up, in tiles; texture coordinates with
v up; colours of 1.0 for 255. Going back, a face that carries a record's id keeps all of that record that the face still
shows: coordinates that float32 can't tell from the record's, colours and texture coordinates of the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from ..arrays import Bools, Floats, Indices, Int32s, Records, Singles
from .quads import PIVOT, UNITS_PER_PIXEL, UNITS_PER_TEXTURE, to_file, to_ring
from .records import QUAD

Quads = Records

UNIT = UNITS_PER_PIXEL * 32
"""Units of the file's lengths per tile."""
COLOR_LIMIT = 255
"""A full colour channel of a record."""

_TO_FILE = np.array((UNIT, -UNIT), np.float64)
_ROUNDING = 4 * float(np.finfo(np.float32).eps)
"""How far float32 coordinates lie off, at worst, as part of the largest number that made them."""
_TURNS = [np.roll(order, -start) for order in ((0, 1, 2, 3), (0, 3, 2, 1)) for start in range(4)]
"""The eight ways to go round a face; the first is the ring's."""


def corner_positions(quads: Quads) -> Singles:
    """Corners and pivot (the fifth) of QUAD records [n] in tiles: float32 [n, 5, 2], ring order, y up."""
    return np.asarray(_ring_points(quads) * (1 / _TO_FILE), np.float32)


def corner_offsets(quads: Quads) -> Singles:
    """Corners of QUAD records [n] relative to their pivots, in tiles: float32 [n, 4, 2], ring order, y up."""
    points = _ring_points(quads).astype(np.int64)
    return np.asarray((points[:, :4] - points[:, 4:]) * (1 / _TO_FILE), np.float32)


def corner_uvs(quads: Quads) -> Singles:
    """Texture coordinates of QUAD records [n]: float32 [n, 4, 2], ring order, v up."""
    u, v = np.moveaxis(to_ring(quads["texcoords"]).astype(np.float64) / UNITS_PER_TEXTURE, -1, 0)
    return np.asarray(np.stack([u, 1 - v], axis=-1), np.float32)


def corner_colors(quads: Quads) -> Singles:
    """Colours of QUAD records [n]: float32 [n, 4, 4] (red, green, blue, alpha), ring order; 1.0 is 255."""
    return np.asarray(to_ring(quads["colors"]).astype(np.float64) / COLOR_LIMIT, np.float32)


def _ring_points(quads: Quads) -> Int32s:
    """The points of records [n, 5, 2] in file units: corners in the order of the ring, then the pivot."""
    points: Int32s = quads["points"]
    return np.concatenate([to_ring(points), points[:, PIVOT:]], axis=1)


class QuadError(Exception):
    """Faces that no map can hold."""

    def __init__(self, message: str, rows: Bools) -> None:
        super().__init__(message)
        self.message = message
        self.rows = rows
        """Which faces: bool [n]."""


@dataclass
class QuadFaces:
    """Faces that are quads, a row each, corners in the order of the ring."""

    ids: Int32s
    """[n]: the record's number + 1, 0 for none."""
    matrices: Floats
    """[n, 2, 4]: from the coordinates of the face's object to those of the group, in tiles, y up."""
    corners: Floats
    """[n, 4, 2]: places in the group, in tiles, y up."""
    depth: Floats
    """[n]: what orders the quads of a layer."""
    uvs: Singles
    """[n, 4, 2], v up."""
    colors: Singles
    """[n, 4, 4]; 1.0 is 255."""
    pivots: Floats
    """[n, 2]: places in the group, in tiles, y up."""
    pivot_known: Bools
    """[n]: whether anything tells the pivot."""
    pivot_follows: Bools
    """[n]: whether the pivot moves with the face."""

    @classmethod
    def joined(cls, parts: Iterable[QuadFaces]) -> QuadFaces:
        """All the faces of these, one after the other."""
        columns = zip(*([getattr(part, one.name) for one in fields(cls)] for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


def draw_order(faces: QuadFaces) -> Indices:
    """The order [n] in which the faces are drawn: those with a record by depth, then new ones by depth."""
    return np.asarray(np.lexsort((faces.ids, faces.depth, faces.ids == 0)), np.intp)


def read_quads(faces: QuadFaces, original: Quads) -> Quads:
    """The QUAD records [n] of faces: points, colours and texture coordinates; the rest is the record's, or 0.

    `original`: the records [m] that the ids number. Raises QuadError for coordinates that the file can't hold.
    """
    known = faces.ids > 0
    quads = np.zeros(len(known), QUAD)
    quads[known] = original[faces.ids[known] - 1]
    points = _ring_points(quads)
    corners = faces.corners * _TO_FILE
    limits = _limits(points, corners)
    corners, face_colors, face_uvs = _turned(faces, corners, quads, points, limits)
    old = known[:, None, None]

    places = np.concatenate([corners, _pivots(faces, corners, points, limits)[:, None]], axis=1)
    kept = old & (np.abs(places - points) <= limits)
    _refuse_far(kept, places, "too far away: a map ends 65,536 tiles from its origin")
    points = np.where(kept, points, np.rint(places).astype(np.int64))
    quads["points"][:, :PIVOT] = to_file(points[:, :4])
    quads["points"][:, PIVOT] = points[:, 4]

    shown = np.clip(np.rint(np.nan_to_num(face_colors).astype(np.float64) * COLOR_LIMIT), 0, COLOR_LIMIT)
    same = old & (face_colors == corner_colors(quads))
    quads["colors"] = to_file(np.where(same, to_ring(quads["colors"]), shown.astype(np.int32)))

    places = face_uvs.astype(np.float64) * (UNITS_PER_TEXTURE, -UNITS_PER_TEXTURE) + (0, UNITS_PER_TEXTURE)
    kept = old & (face_uvs == corner_uvs(quads))
    _refuse_far(kept, places, "its texture coordinates are larger than a map can hold")
    quads["texcoords"] = to_file(np.where(kept, to_ring(quads["texcoords"]), np.rint(places).astype(np.int64)))
    return quads


def _refuse_far(kept: Bools, places: Floats, message: str) -> None:
    far = ~(kept | (np.abs(places) < 2**31)).all(axis=(1, 2))
    if far.any():
        raise QuadError(message, far)


def _limits(points: Int32s, corners: Floats) -> Floats:
    """How far float32 coordinates of quads may lie off [n, 1, 1], in file units."""
    largest = np.maximum(np.abs(points.astype(np.float64)).max(axis=(1, 2)), np.abs(corners).max(axis=(1, 2)))
    return np.asarray(np.maximum(0.5, _ROUNDING * largest)[:, None, None])


def _turned(
    faces: QuadFaces, corners: Floats, quads: Quads, points: Int32s, limits: Floats
) -> tuple[Floats, Singles, Singles]:
    """Corners, colours and texture coordinates that begin where those of the record do, if they are the record's in
    another order (flipped normals).
    """
    colors, uvs = corner_colors(quads), corner_uvs(quads)
    new_corners, new_colors, new_uvs = corners.copy(), faces.colors.copy(), faces.uvs.copy()
    rest = np.flatnonzero(faces.ids)
    for turn in _TURNS:
        places, shades, cuts = (values[rest][:, turn] for values in (corners, faces.colors, faces.uvs))
        same = (np.abs(places - points[rest, :4]) <= limits[rest]).all(axis=(1, 2))
        same &= (shades == colors[rest]).all(axis=(1, 2)) & (cuts == uvs[rest]).all(axis=(1, 2))
        hits = rest[same]
        new_corners[hits], new_colors[hits], new_uvs[hits] = places[same], shades[same], cuts[same]
        rest = rest[~same]
        if not len(rest):
            break
    return new_corners, new_colors, new_uvs


def _pivots(faces: QuadFaces, corners: Floats, points: Int32s, limits: Floats) -> Floats:
    """Pivots [n, 2] in file units: where the scene has them, or moved with their face; new faces' are their middle."""
    known = faces.ids > 0
    # Where corners and pivot of the record would be, if nothing but the object had been moved.
    unedited = np.einsum("nij,nkj->nki", faces.matrices[:, :, :2], points / _TO_FILE) + faces.matrices[:, None, :, 3]
    unedited *= _TO_FILE
    pivots = faces.pivots * _TO_FILE
    pivots = np.where((known & ~faces.pivot_known)[:, None], unedited[:, 4], pivots)  # joining objects loses them
    pivots = np.where((~known & ~faces.pivot_known)[:, None], corners.mean(axis=1), pivots)
    shift = corners - unedited[:, :4]
    as_one = (np.ptp(shift, axis=1) <= 2 * limits[:, 0]).all(axis=1)
    own = np.abs(pivots - unedited[:, 4]).max(axis=1) > limits[:, 0, 0]  # the pivot was edited by itself
    follows = known & faces.pivot_follows & as_one & ~own
    return np.asarray(pivots + np.where(follows[:, None], shift.mean(axis=1), 0.0))
