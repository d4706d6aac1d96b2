# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props beside what was opened of an edited world: they are drawn only in leafs that they are listed in
(source.md §2.8, §4). Detail props are in one leaf each, which keeps its number.
"""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Floats, Records
from ...binary import FormatError
from ..edits.changes import Changes
from ..placed import prop_boxes
from ..placed.orientation import rotations
from ..sections.static_props import StaticProps
from ..tree.leaf_tree import LeafTree
from .types import Carved

_WHAT = "leafs of static props"


def place(changes: Changes, carved: Carved) -> tuple[Records, Records] | None:
    """The static props and their list of leafs, with the opened leafs that they reach into; None where none does.

    The level stays as it is: see `put`. Raises FormatError for a longer list than props can tell.
    """
    lump = changes.level.static_props
    if lump is None or lump.props is None or not len(lump.props) or not len(carved.opened):
        return None
    props = lump.props
    first, counts = props["first_leaf"].astype(np.int64), props["leaf_count"].astype(np.int64)
    if (first + counts > len(lump.leafs)).any():
        return None  # damaged: nothing says where they are
    ranges.check_total(counts, len(lump.leafs), _WHAT)
    box, leaf = LeafTree(changes).of_boxes(*_boxes(changes, lump, props))
    reached = np.isin(leaf, carved.opened)
    if not reached.any():
        return None
    owners = np.concatenate([ranges.owners(counts), box[reached]])
    leafs = np.concatenate([lump.leafs["leaf"].astype(np.int64)[ranges.flat(first, counts)], leaf[reached]])
    owners, leafs = np.unique(np.column_stack([owners, leafs]), axis=0).T
    if len(leafs) > np.iinfo(props.dtype["first_leaf"]).max:
        raise FormatError(f"the props are in {len(leafs)} leafs in all", _WHAT)
    made, rows = props.copy(), np.zeros(len(leafs), lump.leafs.dtype)
    sizes = np.bincount(owners, minlength=len(props))
    made["first_leaf"], made["leaf_count"], rows["leaf"] = ranges.starts(sizes)[:-1], sizes, leafs
    return made, rows


def put(lump: StaticProps | None, placed: tuple[Records, Records] | None) -> None:
    """Write what `place` found."""
    if lump is not None and placed is not None:
        lump.props, lump.leafs = placed


def _boxes(changes: Changes, lump: StaticProps, props: Records) -> tuple[Floats, Floats]:
    """Boxes of the world about props, float64[n, 3] twice: as large as their leafs tell, or models may be."""
    low, high = prop_boxes.touched(changes.level, lump, props)
    plausible = prop_boxes.PlausibleBoxes(props, low, high)
    for model in np.unique(props["prop_type"]):
        alike = props["prop_type"] == model
        bottom, top = plausible.of(alike)
        low[alike], high[alike] = np.minimum(low[alike], bottom), np.maximum(high[alike], top)
    turns = rotations(props["angles"].astype(np.float64))
    middle = np.einsum("nij,nj->ni", turns, (low + high) / 2) + props["origin"].astype(np.float64)
    half = np.einsum("nij,nj->ni", np.abs(turns), (high - low) / 2)
    return middle - half, middle + half
