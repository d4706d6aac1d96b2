# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that hold several things in one word, taken apart (source.md §2.2, §2.4, §2.5, §2.7, §2.9)."""

import numpy as np

from ...arrays import Bools, Ints, Records
from .tree import LEAF_FLOAT


def prim_counts(faces: Records) -> tuple[Ints, Bools]:
    """Return how many primitives faces have, int[n], and whether they get dynamic shadows, bool[n].

    Faces of v17 have no primitives.
    """
    names = faces.dtype.names or ()
    if "shadows_num_prims" in names:  # Strata
        word = faces["shadows_num_prims"].astype(np.int64)
        return word >> 1, (word & 1).astype(np.bool_)
    if "num_prims" not in names:
        return np.zeros(len(faces), np.int64), np.ones(len(faces), np.bool_)
    word = faces["num_prims"].astype(np.int64)
    return word & 0x7FFF, word & 0x8000 == 0


def areas(leafs: Records) -> tuple[Ints, Ints]:
    """Return the area and the LeafFlags of leafs, int[n] each."""
    word = leafs["area_flags"].astype(np.int64)
    bits = _area_bits(leafs)
    return word & ((1 << bits) - 1), word >> bits


def put_areas(leafs: Records, area: Ints, flags: Ints) -> None:
    """Give leafs an area and LeafFlags: what `areas` returns."""
    leafs["area_flags"] = area | flags << _area_bits(leafs)


def _area_bits(leafs: Records) -> int:
    return 17 if leafs.dtype.newbyteorder("<") == LEAF_FLOAT else 9


def overlay_counts(overlays: Records) -> tuple[Ints, Ints]:
    """Return how many faces overlays lie on, and their render order, int[n] each."""
    names = overlays.dtype.names or ()
    if "face_count" in names:  # Strata, version 3
        return overlays["face_count"].astype(np.int64), overlays["render_order"].astype(np.int64)
    word = overlays["face_count_and_render_order"].astype(np.int64)
    return word & 0x3FFF, word >> 14
