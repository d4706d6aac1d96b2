# SPDX-License-Identifier: GPL-3.0-or-later
"""What the import made of a level's geometry, to tell what was edited since."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....formats.arrays import Bools, Floats, Ints, Singles
from ....formats.genesis.geometry import Geometry
from ...scene.geometry.meshes import MeshData
from ...scene.kept import baselines
from ...scene.reports import SceneError
from .. import layout


@dataclass(frozen=True)
class Baseline:
    """What the import made of a level's geometry: see layout for the arrays."""

    positions: Singles
    corners: Ints
    corner_starts: Ints
    uvs: Singles
    origins: Floats

    def with_polygon(self) -> Bools:
        """Which faces have a polygon, bool[f]."""
        return np.diff(self.corner_starts) > 0

    def same(self, mesh: MeshData, records: Ints) -> tuple[Bools, Bools]:
        """Which faces' corners and which faces' UVs are those that the import made, bit for bit. records: -1: new."""
        sizes = mesh.face_sizes.astype(np.int64)
        known = np.flatnonzero(records >= 0)
        starts = self.corner_starts[records[known]]
        alike = self.corner_starts[records[known] + 1] - starts == sizes[known]
        known, starts = known[alike], starts[alike]
        step, owners = corner_steps(sizes[known])
        here, there = mesh.face_starts[known].astype(np.int64)[owners] + step, starts[owners] + step
        uv = mesh.uv(layout.UV)
        uv = mesh.uv() if uv is None else uv
        result = []
        for now, was in (
            (mesh.positions[mesh.corner_verts[here]], self.positions[self.corners[there]]),
            (None if uv is None else uv[here], self.uvs[there]),
        ):
            same = np.zeros(len(sizes), np.bool_)
            if now is None:  # without any UV map nobody says another thing
                same[known] = True
            elif len(known):
                equal = (np.ascontiguousarray(now).view("<u4") == np.ascontiguousarray(was).view("<u4")).all(axis=1)
                same[known] = np.bincount(owners, ~equal, len(known)) == 0
            result.append(same)
        return result[0], result[1]


def load_baseline(collection: bpy.types.Collection, geometry: Geometry) -> Baseline:
    """What the import kept on a level's collection; raises SceneError if it is damaged or not of this original."""
    arrays = {name: one for name in _BASELINES if (one := baselines.load(collection, name)) is not None}
    sizes = {name: len(one) for name, one in arrays.items()}
    damaged = len(arrays) < len(_BASELINES) or sizes[layout.CORNER_STARTS] != len(geometry.faces) + 1
    if damaged or sizes[layout.ORIGINS] != len(geometry.counts):
        raise SceneError(
            f"{collection.name}: what the import kept of its geometry is missing or damaged; import the level again, "
            "or export with Build as New"
        )
    return Baseline(
        arrays[layout.POSITIONS],
        arrays[layout.CORNERS].astype(np.int64),
        arrays[layout.CORNER_STARTS].astype(np.int64),
        arrays[layout.UVS],
        arrays[layout.ORIGINS].astype(np.float64),
    )


_BASELINES = (layout.POSITIONS, layout.CORNERS, layout.CORNER_STARTS, layout.UVS, layout.ORIGINS)


def corner_steps(sizes: Ints) -> tuple[Ints, Ints]:
    """0, 1, 2... for each of the sizes, and the number of the size that each belongs to."""
    owners = np.repeat(np.arange(len(sizes)), sizes)
    return np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes), owners
