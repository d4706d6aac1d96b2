# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles of faces, made again as the Spark editor makes them (ns2.md §9).

Measured on 55 real levels: of faces that differ, without holes, 99.9 % come out with the same triangles in the same
order and rotation as in files of version 10, all in files of version 4; what is left are ties that hang on a last bit,
and slivers. Versions 7 and 9 also use other vertices of the same place and put ghost vertices on borders; these
functions don't.
"""

import numpy as np

from ..arrays import Bools, Indices, Reals
from .ears import SMALLEST, Rule, clip
from .rings import Rings, rings
from .walk import counts_to_starts, gather

_RULE = Rule()
_OLD_RULE = Rule(by_shape=False, smallest=0)  # before version 7
_WHOLE_RULE = Rule(smallest=0, whole=True)
_COVERED = 1e-3  # of a face's area: what rounding may leave of it


def triangulate(
    positions: Reals,
    corners: Indices,
    face_loops: Indices,
    loop_members: Indices,
    version: int = 10,
    whole: bool = False,
) -> tuple[Indices, Indices]:
    """Cut faces into triangles.

    `positions` float32[v, 3] (metres), `corners` int[k]: the vertex of each member of a loop, `face_loops` int[n + 1]
    and `loop_members` int[l + 1]: where the loops of faces and the members of loops begin (border first, then holes).
    `whole`: the editor's rounding may leave parts of a face open, mostly where holes are in rows; such faces are cut
    more exactly, if that covers them. Returns int[t, 3], numbers of corners (corners[triangles] are vertices), and
    int[n + 1], where those of each face begin. Faces whose triangles would all be smaller than half of SMALLEST have
    none, nor have those of more than 2,048 corners.
    """
    rule = _OLD_RULE if version < 7 else _RULE
    points = np.asarray(positions, np.float32)
    triangles, owners, open_ = _cut(points, corners, face_loops, loop_members, rule)
    torn = np.flatnonzero(open_) if whole else np.zeros(0, np.intp)
    if len(torn):
        loops, numbers = gather(face_loops, torn)
        members, chosen = gather(loop_members, numbers)
        again, places, still = _cut(points.astype(np.float64), corners[chosen], loops, members, _WHOLE_RULE)
        better = ~still[places]
        stays = ~np.isin(owners, torn[~still])
        triangles = np.concatenate([triangles[stays], chosen[again[better]]])
        owners = np.concatenate([owners[stays], torn[places[better]]])
    order = np.argsort(owners, kind="stable")
    return triangles[order], counts_to_starts(np.bincount(owners, minlength=len(face_loops) - 1))


def _cut(
    points: Reals, corners: Indices, face_loops: Indices, loop_members: Indices, rule: Rule
) -> tuple[Indices, Indices, Bools]:
    """Triangles int[t, 3] of corners, the face of each int[t], and which faces they don't cover bool[n]."""
    faces, found = [np.zeros(0, np.intp)], [np.zeros((0, 3), np.intp)]
    open_ = np.zeros(len(face_loops) - 1, np.bool_)
    for batch in rings(points, corners, face_loops, loop_members):
        triangles, owners = clip(batch.flat, batch.sizes, rule)
        faces.append(batch.faces[owners])
        found.append(batch.rings[owners[:, None], triangles])
        open_[batch.faces] = _open(batch, triangles, owners)
    return np.concatenate(found), np.concatenate(faces), open_


@np.errstate(invalid="ignore", over="ignore")
def _open(batch: Rings, triangles: Indices, owners: Indices) -> Bools:
    """Which faces of a batch have another area than their triangles, but for what these may be too small for."""
    flat = batch.flat.astype(np.float64)
    flat -= flat[:, :1].copy()
    (x, y), (after_x, after_y) = np.moveaxis(flat[:, :-1], 2, 0), np.moveaxis(flat[:, 1:], 2, 0)
    wanted = np.nan_to_num(x * after_y - y * after_x).sum(axis=1)
    one, two, three = np.moveaxis(flat[owners[:, None], triangles], 1, 0)
    (x, y), (other_x, other_y) = (two - one).T, (three - one).T
    covered = np.bincount(owners, np.abs(x * other_y - y * other_x), len(flat))
    return np.asarray(np.abs(covered - wanted) > _COVERED * wanted + (batch.sizes - 2) * SMALLEST)
