# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of brushes, which leafs' lists say, hulls of PHYSCOLLIDE and CS:GO's lists of the brushes of faces
(source.md §2.4, §2.8).
"""

from dataclasses import replace

import numpy as np

from ...arrays import Ints
from ...binary import Buffer, FormatError
from ..collision import physcollide, physcollide_surface
from ..collision.physcollide import PhysCollide
from ..lumps import LumpId
from ..sections import face_brushes
from ..tables.references import has, renumber
from .changes import Changes


def close(changes: Changes, gone: Ints, collision: PhysCollide) -> PhysCollide:
    """Take rows, int64[n] ascending, out of BRUSHES, which nothing names: the last brushes get their numbers.

    collision: the map's. Returns it with the numbers that brushes have then, or as it is. Raises FormatError for
    numbers that fields cannot hold.
    """
    table = changes.table(LumpId.BRUSHES)
    length = len(table) - len(gone)
    kept = np.setdiff1d(np.arange(len(table)), gone)
    movers, places = kept[kept >= length], gone[gone < length]
    made = table[:length].copy()
    made[places] = table[movers]
    changes.set_table(LumpId.BRUSHES, made)
    if not len(movers):
        return collision
    numbers = np.arange(len(table))
    numbers[movers] = places
    renumber(changes.tables_naming(LumpId.BRUSHES).get, LumpId.BRUSHES, numbers)
    lists, brushes = changes.peek(LumpId.CLUSTERS), changes.peek(LumpId.PORTALS)
    if has(lists, "start", "count") and has(brushes, "brush"):
        face_brushes.renumber(changes.table(LumpId.CLUSTERS), changes.table(LumpId.PORTALS), numbers)
    models = [replace(each, solids=[_solid(solid, numbers) for solid in each.solids]) for each in collision.models]
    return physcollide.PhysCollide(models, collision.ended, collision.last, collision.trailing)


def _solid(solid: Buffer, numbers: Ints) -> Buffer:
    """A solid whose hulls are of brushes with other numbers; one of something else, as it is."""
    try:
        return physcollide_surface.renumbered(solid, numbers)
    except FormatError:
        return solid
