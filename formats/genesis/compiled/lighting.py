# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps of compiled levels (genesis.md §4.5): where each face's stand in LIGHT_DATA, and on the face.

A face's block is a byte (1: colours) and then, for each of its light types, rows of R, G, B from 1 to 255.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from ..records import FaceArray
from . import geometry
from .level import CompiledLevel
from .records import MAX_LIGHT_TYPES, NO_LIGHT_TYPE, ChunkId
from .surfaces import DrawnFaces

CHANNELS = 3
LARGEST = 64
"""Luxels a side that are shown: the engine draws up to 18, the compiler makes up to 17."""


@dataclass(frozen=True, slots=True, eq=False)
class LightBlocks:
    """The lightmaps of f faces, those of `DrawnFaces`. Arrays are int64[f], 0 where a face has none."""

    offset: Ints  # of the first luxel, in bytes
    width: Ints  # luxels
    height: Ints
    types: Ints  # how many lightmaps, one after another
    type_of: Ints  # [f, 4]: their light types; NO_LIGHT_TYPE behind the last
    outside: Ints  # faces whose blocks LIGHT_DATA does not hold

    @property
    def lit(self) -> Bools:
        """bool[faces]: which have one."""
        return np.asarray(self.types > 0)

    @property
    def luxels(self) -> Ints:
        """int64[faces]: of one lightmap of each."""
        return self.width * self.height

    def bytes_of(self, faces: Ints, slot: int) -> Ints:
        """Where the luxels of a lightmap of some faces that have that slot begin, one after another: int64[luxels]."""
        begin = self.offset[faces] + slot * self.luxels[faces] * CHANNELS
        return ranges.flat(begin, self.luxels[faces], CHANNELS)


def blocks(level: CompiledLevel, drawn: DrawnFaces) -> LightBlocks:
    """Find the lightmaps of a level. Raises FormatError for ones that overlap a lot."""
    faces = level.table(ChunkId.FACES)[drawn.numbers]
    length = len(level.table(ChunkId.LIGHT_DATA))
    type_of = faces["light_types"].astype(np.int64)
    none = type_of == NO_LIGHT_TYPE
    types = np.where(none.any(axis=1), none.argmax(axis=1), MAX_LIGHT_TYPES)
    width, height = (faces[name].astype(np.int64) for name in ("light_width", "light_height"))
    offset = faces["light_offset"].astype(np.int64) + 1
    has = (offset > 0) & (types > 0)
    fits = (width > 0) & (height > 0) & (width <= LARGEST) & (height <= LARGEST)
    size = np.where(fits, width * height * types * CHANNELS, 0)
    fits &= has & (offset + size <= length)
    ranges.check_total(size[fits], length, "lightmaps")
    type_of[np.arange(MAX_LIGHT_TYPES) >= types[:, None]] = NO_LIGHT_TYPE
    offset, width, height, types = (np.where(fits, each, 0) for each in (offset, width, height, types))
    return LightBlocks(offset, width, height, types, type_of, np.flatnonzero(has & ~fits))


def first_luxels(faces: FaceArray, drawn: DrawnFaces) -> Ints:
    """Where on the grid of luxels the lightmap of each face begins: int64[f, 2]. faces: of `geometry.records`."""
    return np.asarray(np.floor(_extremes(faces, drawn)[0]), np.int64)


def grid_sizes(faces: FaceArray, drawn: DrawnFaces) -> Ints:
    """How many luxels across and down each face needs: int64[f, 2]."""
    low, high = _extremes(faces, drawn)
    return np.asarray(np.ceil(high) - np.floor(low) + 1, np.int64)


def _extremes(faces: FaceArray, drawn: DrawnFaces) -> tuple[Floats, Floats]:
    owners = ranges.owners(np.diff(drawn.starts))
    low, high = np.zeros((len(faces), 2)), np.zeros((len(faces), 2))
    if len(owners):
        with np.errstate(all="ignore"):  # hostile vectors
            places = geometry.grid(faces, drawn.points, owners)
        places[~np.isfinite(places)] = 0
        full = np.flatnonzero(np.diff(drawn.starts))
        low[full] = np.minimum.reduceat(places, drawn.starts[full])
        high[full] = np.maximum.reduceat(places, drawn.starts[full])
    return low.clip(-1e9, 1e9), high.clip(-1e9, 1e9)
