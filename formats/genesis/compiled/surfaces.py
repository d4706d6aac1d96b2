# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of a compiled level as polygons (genesis.md §4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from ...binary import FormatError
from .level import CompiledLevel
from .records import ChunkId

MOST_CORNERS = 64
"""Of a face that is drawn: the engine has room for as many."""


@dataclass(frozen=True, slots=True)
class DrawnFaces:
    """Faces as polygons, counter-clockwise as they are seen. f faces, those of a model one after another."""

    numbers: Ints
    """[f]: of the faces in the file."""
    model: Ints
    """[f]."""
    side: Ints
    """[f]: twice the plane's number, plus 1 where a face looks against its normal (as `tree` numbers sides)."""
    texinfo: Ints
    """[f]."""
    starts: Ints
    """[f + 1]: the first corner of each; none of those that can't be drawn."""
    corners: Ints
    """[c]: numbers in VERTEX_INDICES, where vertex light stands, too."""
    vertices: Ints
    """[c]: numbers of vertices."""
    points: Floats
    """[c, 3]."""
    low: Floats
    """[f, 3]: the corners of each face's box; those of a face without corners hold nothing."""
    high: Floats

    def rings_of(self, faces: Ints) -> tuple[Floats, Ints]:
        """The polygons of some faces: float64[n, m, 3], of which the first corners count, and how many of each."""
        sizes = np.diff(self.starts)[faces]
        corner = np.arange(max(int(sizes.max(initial=0)), 3))
        at = np.where(corner < sizes[:, None], self.starts[faces, None] + corner, 0)
        return (self.points[at] if len(self.points) else np.zeros((*at.shape, 3))), sizes

    def only(self, model: int) -> DrawnFaces:
        """The faces of one model."""
        chosen = np.flatnonzero(self.model == model)
        sizes = np.diff(self.starts)[chosen]
        at = ranges.flat(self.starts[chosen], sizes)
        return DrawnFaces(
            self.numbers[chosen],
            self.model[chosen],
            self.side[chosen],
            self.texinfo[chosen],
            ranges.starts(sizes),
            self.corners[at],
            self.vertices[at],
            self.points[at],
            self.low[chosen],
            self.high[chosen],
        )


def of_level(level: CompiledLevel) -> DrawnFaces:
    """The faces of a level's models. Raises FormatError where these, or planes or texinfos of faces, are not there."""
    faces, models = level.table(ChunkId.FACES), level.table(ChunkId.MODELS)
    indices = level.table(ChunkId.VERTEX_INDICES)["index"].astype(np.int64)
    table = level.table(ChunkId.VERTICES)
    vertices = np.column_stack([table["x"], table["y"], table["z"]]).astype(np.float64)
    first, count = models["first_face"].astype(np.int64), models["num_faces"].astype(np.int64)
    if ((first < 0) | (count < 0) | (first + count > len(faces))).any() or int(count.sum()) > len(faces):
        raise FormatError(f"faces beyond the {len(faces)} there are", "chunk MODELS")
    model, numbers = ranges.owners(count), ranges.flat(first, count)
    if len(np.unique(numbers)) < len(numbers):
        raise FormatError("models share faces", "chunk MODELS")
    faces = faces[numbers]
    for name, which in (("plane", ChunkId.PLANES), ("texinfo", ChunkId.TEXINFOS)):
        there = len(level.table(which))
        if ((faces[name] < 0) | (faces[name] >= there)).any():
            raise FormatError(f"faces name {which.name} beyond the {there} there are", "chunk FACES")
    ranges.check_total(faces["num_vertices"].clip(max=MOST_CORNERS), len(indices), "corners of faces")
    begin, sizes = faces["first_vertex"].astype(np.int64), faces["num_vertices"].astype(np.int64)
    sound = (sizes >= 3) & (sizes <= MOST_CORNERS) & (begin >= 0) & (begin + sizes <= len(indices))
    sizes = np.where(sound, sizes, 0)
    # The file goes clockwise as seen: each ring backwards, beginning with the same corner.
    place = ranges.flat(np.zeros_like(sizes), sizes)
    corners = np.repeat(begin, sizes) + (-place) % np.repeat(np.maximum(sizes, 1), sizes)
    named = indices[corners]
    sound &= ~_any(((named < 0) | (named >= len(vertices))), sizes)
    kept = np.repeat(sound, sizes)
    corners, named, sizes = corners[kept], named[kept], np.where(sound, sizes, 0)
    points = vertices[named]
    low, high = np.full((len(faces), 3), np.inf), np.full((len(faces), 3), -np.inf)
    owner = ranges.owners(sizes)
    np.minimum.at(low, owner, points)
    np.maximum.at(high, owner, points)
    side = 2 * faces["plane"].astype(np.int64) + (faces["side"] != 0)
    texinfo = faces["texinfo"].astype(np.int64)
    return DrawnFaces(numbers, model, side, texinfo, ranges.starts(sizes), corners, named, points, low, high)


def _any(flags: Bools, sizes: Ints) -> Bools:
    """Whether any flag of each run is set."""
    return np.asarray(np.bincount(ranges.owners(sizes), flags, len(sizes)) > 0)
