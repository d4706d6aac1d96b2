# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids of displacements in maps that have them among the world's, for physics objects (source.md §2.8, §4.8).

Later compilers leave them to the game; these have hulls of a triangle each, or a tree that nothing else has.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ...arrays import Floats, Ints, Records
from ...binary import Buffer, FormatError
from .. import geometry
from ..collision import physcollide_surface
from ..collision.physcollide_build import build_ledges
from ..collision.physcollide_surface import ACROSS, MATERIAL, MOST_MATERIALS, Ledges, from_ivp, to_ivp
from ..faces import displacements
from ..lumps import LumpId
from ..records import DispInfoFlag
from .changes import Changes

_OPPOSITES = np.array([[4, 5, 3], [-4, -3, -5]]) & 0x7FFF
"""Words from the edges of a triangle to those of its back, and back again."""
_NEAR = 1.0  # units


def solids(
    changes: Changes,
    along: Mapping[int, Floats | None],
    old: Sequence[Buffer],
    usual: int,
    tagged: bool,
    verts: Records,
) -> list[bytes]:
    """A solid for each displacement that stays or moves, a hull a triangle; none where its flags say so.

    along: float64[4, 4], how some move with their brushes; None: taken away. old: the solids of before. usual: the
    material of displacements that these don't say one of. tagged: see `build`. verts: rows of DISP_VERTS, those of
    before or as they are sculpted. Raises FormatError.
    """
    level = changes.level
    grids = displacements.displacements(level, geometry.polygons(level))
    positions = grids.positions(level.table(LumpId.DISP_VERTS))
    materials = _materials(positions[grids.triangles[grids.first_triangle]].mean(axis=1), old, usual)
    positions = grids.positions(verts)
    words = grids.infos["min_tess"].astype(np.uint32)
    flags = DispInfoFlag.IS_FLAGS | DispInfoFlag.NO_PHYSICS_COLL
    made = []
    for number in np.flatnonzero(words & flags != flags).tolist():
        move = along.get(number)
        if move is None and number in along:
            continue
        first, triangle = int(grids.first_vertex[number]), int(grids.first_triangle[number])
        points = positions[first : first + int(grids.counts[number])]
        if move is not None:
            points = points @ move[:3, :3].T + move[:3, 3]
        triangles = grids.triangles[triangle : triangle + 2 * (int(grids.edge[number]) - 1) ** 2] - first
        count = len(triangles)
        ledges = Ledges(
            to_ivp(points).astype(np.float32),
            np.stack([triangles, triangles[:, [1, 0, 2]]], axis=1).reshape(-1, 3),
            np.tile([1 << ACROSS, 0], count) | int(materials[number]) << MATERIAL,
            np.tile(_OPPOSITES, (count, 1)),
            np.full(count, 2),
            np.zeros(count, np.int64),
        )
        made.append(build_ledges(ledges, tagged))
    return made


def _materials(middles: Floats, old: Sequence[Buffer], usual: int) -> Ints:
    """The material of each displacement, int64[d]: that of the old hull at a triangle's middle float64[d, 3]."""
    found = np.full(len(middles), usual, np.int64)
    for solid in old:
        try:
            known = physcollide_surface.read_ledges(solid)
        except FormatError:  # a tree of triangles: what is in it isn't known
            continue
        if not len(known.counts) or (known.counts != 2).any():
            continue
        there = from_ivp(known.points[known.triangles[::2]]).mean(axis=1)
        for number, middle in enumerate(middles):
            away = np.abs(there - middle).max(axis=1)
            if away.min() <= _NEAR:
                found[number] = known.words[2 * away.argmin()] >> MATERIAL & MOST_MATERIALS
    return found
