# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of MODELS that are there for the numbers of those behind them alone (source.md §4.4)."""

import numpy as np

from ...arrays import Bools
from ..level import Level
from ..lumps import LumpId


def empty(level: Level) -> Bools:
    """Which models have no faces, and a tree of a node whose sides are one leaf in which nothing is, bool[models].

    Compilers write none such: edits leave them. Raises FormatError for lumps that can't be read.
    """
    models, nodes, leafs = (level.table(lump) for lump in (LumpId.MODELS, LumpId.NODES, LumpId.LEAFS))
    heads, children = models["headnode"].astype(np.int64), nodes["children"].astype(np.int64)
    found = (models["numfaces"] == 0) & (heads >= 0) & (heads < len(nodes)) & (np.arange(len(models)) > 0)
    places = np.flatnonzero(found)
    sides = children[heads[places]]
    single = (sides[:, 0] == sides[:, 1]) & (sides[:, 0] < 0) & (sides[:, 0] >= -len(leafs))
    found[places] = single
    places, rows = places[single], leafs[-1 - sides[single, 0]]
    found[places] = np.logical_and.reduce([rows[name] == 0 for name in _NOTHING])
    return np.asarray(found)


_NOTHING = ("contents", "numleafbrushes", "numleaffaces")
