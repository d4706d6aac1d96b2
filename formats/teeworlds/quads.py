# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads: the order of their corners and how the game draws them (teeworlds.md §3, §5).

A record holds its corners in Z order (top left, top right, bottom left, bottom right; the pivot follows). Everything
else here goes round them: top left, bottom left, bottom right, top right, the ring that tiles use (`tiles.CORNERS`).

The game draws the two triangles TL, TR, BR and TL, BR, BL, with colour and texture affine in each. In the ring that is
the split of corner 0 to corner 2, which is also how Blender triangulates a face of four corners, unless the face is
folded over that diagonal.
"""

import numpy as np
import numpy.typing as npt

from ..arrays import Array, Bools, Floats, Records
from .records import QUAD

FILE_FROM_RING = np.array((0, 3, 1, 2))  # the ring's number of each corner of the record
RING_FROM_FILE = np.array((0, 2, 3, 1))  # the record's number of each corner of the ring
PIVOT = 4  # the last of a record's five points
TRIANGLES = ((0, 1, 2), (0, 2, 3))  # in ring numbers; counter-clockwise seen from +Z with Blender's y up

UNITS_PER_PIXEL = 1024  # of points; a tile is 32 pixels
UNITS_PER_TEXTURE = 1024  # of texture coordinates: 1024 is the texture's whole width or height


def to_ring(corners: Array) -> Array:
    """Values of a record's corners [n, 4, ...] (of its points the first four, [n, 5, 2]) in the order of the ring."""
    return corners[:, RING_FROM_FILE]


def to_file(ring: Array) -> Array:
    """Values of corners in the order of the ring [n, 4, ...] as a record holds them: the inverse of :func:`to_ring`."""
    return ring[:, FILE_FROM_RING]


def folded(ring: Array) -> Bools:
    """Which quads have triangles that wind opposite ways: there a face of four corners is not what the game draws.

    `ring`: corner positions [n, 4, 2 or more], any unit; only x and y count. Returns bool [n]. Blender splits a face
    along its other diagonal where this is true (dents at corner 1 or 3, crossed sides).
    """
    corners = np.asarray(ring, np.float64)

    def winding(a: int, b: int, c: int) -> Floats:
        (x, y), (other_x, other_y) = (corners[:, end, :2].T - corners[:, a, :2].T for end in (b, c))
        turn: Floats = np.sign(x * other_y - y * other_x)
        return turn

    first, second = (winding(*triangle) for triangle in TRIANGLES)
    opposite: Bools = first * second < 0
    return opposite


def default_quads(centres: npt.ArrayLike, size: int = 64 * UNITS_PER_PIXEL) -> Records:
    """New quads as the game's editor makes them: white squares around their pivot, the whole texture, no envelopes.

    `centres`: int32 [n, 2] in file units, y down; `size`: their width and height (the editor's are 64 pixels wide).
    Returns QUAD records [n].
    """
    middle = np.asarray(centres, np.int32).reshape(-1, 1, 2)
    sides = np.array([(0, 0), (1, 0), (0, 1), (1, 1)], np.int32)
    quads = np.zeros(len(middle), QUAD)
    quads["points"][:, :PIVOT] = middle + (2 * sides - 1) * np.int32(size // 2)
    quads["points"][:, PIVOT] = middle[:, 0]
    quads["colors"] = 255
    quads["texcoords"] = sides * UNITS_PER_TEXTURE
    quads["position_envelope"] = quads["color_envelope"] = -1
    return quads
