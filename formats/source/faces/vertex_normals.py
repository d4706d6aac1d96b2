# SPDX-License-Identifier: GPL-3.0-or-later
"""Which corners of faces have other normals than their planes' (source.md §2.4)."""

from collections.abc import Callable

import numpy as np

from ...arrays import Bools, Floats, Integers
from .. import geometry
from ..geometry import Polygons
from ..level import Level
from ..lumps import LumpId

SAME_NORMAL = 1e-3
"""Normals that differ less from their plane's are those of a flat face: the file has float32 of both."""


@np.errstate(all="ignore")  # hostile floats
def smooth(
    level: Level, polygons: Polygons, areas: Callable[[], Floats] | None = None
) -> tuple[Bools, Integers] | None:
    """The corners of faces that are smooth, bool[corners], and which of VERTNORMALS each corner has.

    A face is smooth where a corner has another normal than its plane's: then all corners of it are that have one which
    is finite. None in maps without normals. polygons: of the drawn faces. areas: gives their `geometry.area_normals`.
    FormatError for a normal that isn't there.
    """
    numbers = geometry.normal_numbers(level, polygons)
    if numbers is None:
        return None
    owner, places = polygons.corner_face, numbers.astype(np.int64)
    normals = level.table(LumpId.VERTNORMALS)["normal"]
    columns = np.ascontiguousarray((geometry.area_normals(polygons) if areas is None else areas()).T)
    lengths = np.sqrt((columns * columns).sum(axis=0))
    turned = np.zeros(len(places), np.bool_)
    for axis, column in zip(np.ascontiguousarray(normals.T, np.float64), columns, strict=True):
        plane = np.divide(column, lengths, out=np.zeros_like(column), where=lengths > 0)
        turned |= np.abs(axis[places] - plane[owner]) > SAME_NORMAL
    known = np.isfinite(normals).all(axis=1)[places]
    whole = np.zeros(len(lengths), np.bool_)
    whole[owner[turned & known & (lengths > 0)[owner]]] = True
    return whole[owner] & known, numbers
