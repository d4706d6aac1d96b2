# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the lightmaps of new faces are, and faces that would have too large ones (source.md §2.4, §2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ... import matrices
from ...arrays import Bools, Floats, Ints
from .. import geometry
from ..edits import new_light
from ..edits.changes import Changes
from ..edits.new_light import MOST
from ..edits.texture_vectors import share
from ..level import Level
from ..light import lighting
from ..lumps import LumpId
from ..records import SurfaceFlag
from .drafts import NEW, Draft
from .rings import FlatRings


def extents(rings: FlatRings, vectors: Floats) -> tuple[Ints, Ints]:
    """`lightmap_mins` and `lightmap_size` of polygons by their vectors float64[n, 2, 4]: int64[n, 2] both."""
    return new_light.extents(rings.points, rings.sizes, vectors)


def fitted(changes: Changes, made: Sequence[Draft]) -> list[Draft]:
    """Faces to be with lightmap vectors that fit them, those without light of their own in parts of `MOST` luxels.

    One that takes its light along has the vectors of its old face, moved with it.
    """
    if not made:
        return []
    rows = changes.table(LumpId.TEXINFO)[[draft.texinfo for draft in made]]
    old = np.array([draft.texinfo for draft in made], np.int64)
    normals = changes.table(LumpId.PLANES)["normal"].astype(np.float64)[[draft.plane for draft in made]]
    lit = rows["flags"] & SurfaceFlag.NOLIGHT == 0
    blocks = lit_faces(changes.level)
    texinfos = changes.level.table(geometry.drawn_faces(changes.level))["texinfo"].astype(np.int64)
    drafted = list(made)
    for number, draft in enumerate(drafted):
        if draft.face != NEW and (draft.move is not None or draft.texinfo != texinfos[draft.face]):
            was = changes.table(LumpId.TEXINFO)[texinfos[draft.face]]
            if (
                blocks[draft.face]
                and lit[number]
                and not (was["flags"] ^ rows["flags"][number]) & SurfaceFlag.BUMPLIGHT
            ):
                back = np.eye(4) if draft.move is None else matrices.inverse(draft.move)
                rows["lightmap_vecs"][number] = was["lightmap_vecs"].astype(np.float64) @ back
            else:
                drafted[number] = draft = replace(draft, face=NEW, move=None, whole=False)
        if draft.face == NEW and lit[number]:
            vectors = rows["lightmap_vecs"][number].astype(np.float64)
            rows["lightmap_vecs"][number] = new_light.spanning(vectors, normals[number])
    numbers = share(changes, rows, old)
    found: list[Draft] = []
    for number, draft in enumerate(drafted):
        draft = replace(draft, texinfo=int(numbers[number]))
        if draft.face != NEW or not lit[number]:
            found.append(draft)
        else:
            vectors = rows["lightmap_vecs"][number].astype(np.float64)
            found += [replace(draft, points=points) for points in _parts(draft.points, vectors)]
    return found


def lit_faces(level: Level) -> Bools:
    """bool[faces]: which have luxels."""
    found = np.zeros(len(level.table(geometry.drawn_faces(level))), np.bool_)
    for blocks in lighting.lightmaps(level).values():
        found[blocks.faces] = True
    return found


def _parts(points: Floats, vectors: Floats) -> list[Floats]:
    """A polygon in strips, along each axis, of no more than `MOST` luxels."""
    left = [points]
    for vector in vectors:
        length = float(np.sqrt(vector[:3] @ vector[:3]))
        strips: list[Floats] = []
        for ring in left:
            placed = ring @ vector[:3] + vector[3]
            low, high = np.floor(placed.min() + new_light.ROUND), np.ceil(placed.max() - new_light.ROUND)
            count = max(int(np.ceil((high - low) / MOST)), 1)
            for edge in (low + np.ceil((high - low) / count) * np.arange(1, count)).tolist():
                part = FlatRings.of([ring])
                heights = part.heights(vector[None, :3] / length, np.array([edge - vector[3]]) / length)
                strips += [each for each in part.below(heights).listed() if len(each)]
                rest = part.below(-heights).listed()[0]
                if not len(rest):
                    break
                ring = rest
            else:
                strips.append(ring)
        left = strips
    return left
