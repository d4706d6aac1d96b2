# SPDX-License-Identifier: GPL-3.0-or-later
"""The game map's object back to its cells: atmospheres and sounds that were painted on its faces.

Faces are found by their identity alone: they lie over the terrain for show.
"""

from __future__ import annotations

from collections import Counter

import bpy
import numpy as np

from ....formats.arrays import Records
from ....formats.counting import number_of
from ....formats.fable.records import PALETTE_SLOTS
from ....formats.fable.theme_weights import FULL
from ...scene.geometry import meshes
from ...scene.reports import Report
from .. import layout
from ..cells import MeshCells, match_cells, refuse
from ..palettes.lists import Palettes
from ..settings import CLAMP_HINT, ExportSettings


def collect_game_map(
    obj: bpy.types.Object,
    cells: Records,
    names: Palettes,
    token: int,
    settings: ExportSettings,
    depsgraph: bpy.types.Depsgraph | None,
    report: Report,
) -> tuple[Records, Counter[str]]:
    """Return a copy of the cells, GAME_CELL [rows, columns], as they are now, and how many of them were edited in what.

    names: the palettes as they'll be written. token: that of the faces' ids. Raises SceneError with faces at fault.
    """
    mesh = _cells(obj, cells.size, token, depsgraph, report)
    made = cells.copy()
    flat, before = made.reshape(-1), cells.reshape(-1)
    used = np.zeros(PALETTE_SLOTS, np.bool_)
    used[[0, *names.used_atmospheres]] = True
    for name, field in layout.GAME_FIELDS.items():
        values = mesh.whole(name)
        if values is None:
            continue
        edited = values != field.of(before)
        wrong = edited & ((values < 0) | (values > 0xFF))
        if field.field == "strengths":
            if settings.clamp:
                values = np.clip(values, 0, 0xFF)
            else:
                mesh.refuse(f"attribute {name} isn't within 0 and 255", wrong, CLAMP_HINT)
        elif field.field == "themes":
            wrong |= edited & ~used[np.clip(values, 0, 0xFF)]
            mesh.refuse(f"attribute {name} is a slot that the palette doesn't use", wrong)
        else:
            wrong |= edited & (values > len(names.sounds))
            mesh.refuse(f"attribute {name} isn't the number of a sound: there are {len(names.sounds)}", wrong)
        field.of(flat)[edited] = values[edited]
    over = (flat["strengths"].sum(axis=1, dtype=np.intp) > FULL) & (flat["strengths"] != before["strengths"]).any(1)
    if not settings.clamp:
        mesh.refuse("the strengths are more than 255 in all", over, CLAMP_HINT)
    flat["strengths"][over, 1] = FULL - flat["strengths"][over, 0]
    blended = (flat["themes"] != before["themes"]).any(1) | (flat["strengths"] != before["strengths"]).any(1)
    counts = {"atmospheres": np.count_nonzero(blended), "sounds": np.count_nonzero(flat["sound"] != before["sound"])}
    return made, +Counter({what: int(count) for what, count in counts.items()})


def _cells(
    obj: bpy.types.Object, count: int, token: int, depsgraph: bpy.types.Depsgraph | None, report: Report
) -> MeshCells:
    """Find the face of each cell. Raises SceneError unless every cell has one, and none is left."""
    data = meshes.read(obj, depsgraph, list(layout.GAME_FIELDS))
    ids = data.ids("FACE", token)
    ids[ids > count] = 0
    indices, extra, missing = match_cells(ids.astype(np.intp) - 1, count)
    if len(extra) or len(missing):
        lost = f", and {len(missing)} of {number_of(count, 'cells')} without a face" if len(missing) else ""
        refuse(obj, "FACE", f"faces that belong to no cell (added, or there twice): {{}}{lost}", extra)
    return MeshCells(obj, "FACE", data, ids, indices, report)
