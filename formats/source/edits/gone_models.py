# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models that no entity has any more, taken away with all that hangs on them: the inverse of `brush_models.add`.

Only the last of a map's: patch files and scripts name models by their numbers, as entities do, and the numbers of
others stay as they are.
"""

import numpy as np

from ...arrays import Ints, Records
from ..collision import physcollide
from ..level import Level
from ..lumps import LumpId
from ..tree import brushes as level_brushes
from . import brush_models, leaf_lumps, new_light
from .brush_faces import FaceEdit
from .brush_tables import cut, wipe
from .changes import Changes
from .compaction import compact

NONE = np.zeros(0, np.int64)


def remove_last(level: Level) -> None:
    """Take the last brush model away: its faces and their light, brushes, tree and collision.

    Rows of its own at the end of their tables go, others are left blank for the next edit. Raises FormatError for the
    world, for a model with displacements or with faces that overlays lie on, and for one whose tree isn't its own.
    """
    model = len(level.table(LumpId.MODELS)) - 1
    brush_models.check_model(level, model)
    changes = Changes(level)
    nodes, leafs = brush_models.tree_of(level, model)
    _drop_light(changes, model)
    FaceEdit(changes, model).put([], NONE, NONE)
    brushes = np.flatnonzero(level_brushes.of_models(level) == model)
    for lump, rows in ((LumpId.BRUSHES, brushes), (LumpId.NODES, nodes), (LumpId.LEAFS, leafs)):
        wipe(changes.table(lump), lump, rows)
    for field, value in (("numsides", 0), ("contents", 0)):
        changes.table(LumpId.BRUSHES)[field][brushes] = value
    cut(changes, LumpId.BRUSHES, brushes)
    cut(changes, LumpId.NODES, nodes)
    leaf_lumps.cut_leafs(changes, leafs)
    changes.set_table(LumpId.MODELS, changes.table(LumpId.MODELS)[:-1])
    found = level.physcollide
    if found.of_model(model) is not None:
        found.models = [entry for entry in found.models if entry.model != model]
        changes.set_bytes(LumpId.PHYSCOLLIDE, physcollide.encode(found, level.byte_order))
    lengths = leaf_lumps.cube_lengths(level)
    compact(changes, closed=True)
    changes.apply()
    leaf_lumps.keep_versions(level, lengths)


def _drop_light(changes: Changes, model: int) -> None:
    """Cut out the light of a model's faces, as far as it is theirs alone."""
    row = changes.level.table(LumpId.MODELS)[model]
    first, count = int(row["firstface"]), int(row["numfaces"])
    for faces, lighted in new_light.lumps(changes.level).items():
        gone = {}
        for lump, found in lighted.items():
            gone[lump] = new_light.dropped(found, (found.faces >= first) & (found.faces < first + count))
            data = np.frombuffer(changes.level.bytes_of(lump), np.uint8)
            changes.set_bytes(lump, np.delete(data, gone[lump]).tobytes())
        rows = {lump: _shifted(changes.table(faces), own, lump) for lump, own in gone.items()}
        changes.set_table(faces, new_light.same_places(rows))


def _shifted(faces: Records, gone: Ints, lump: LumpId) -> Records:
    """Faces whose light has moved up, after bytes of a lump were cut out, int64[n]."""
    made, offsets = faces.copy(), faces["lightofs"].astype(np.int64)
    lit = np.flatnonzero(offsets >= 0)
    new_light.put_places(made, lit, offsets[lit] - np.searchsorted(gone, offsets[lit]), lump)
    return made
