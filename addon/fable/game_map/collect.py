# SPDX-License-Identifier: GPL-3.0-or-later
"""The game map's object back to its cells: atmospheres and sounds that were painted on its faces.

Faces are found by their identity alone: they lie over the terrain for show.
"""

from __future__ import annotations

from collections import Counter

import bpy
import numpy as np

from ....formats.fable import theme_weights as weights
from ....formats.fable.records import PALETTE_SLOTS, Records
from ...scene import meshes
from .. import layout
from ..cells import Elements, borne, refuse
from ..palettes.lists import Palettes
from ..settings import ExportSettings
from ..terrain.collect import CLAMP_HINT


def read(
    obj: bpy.types.Object,
    cells: Records,
    names: Palettes,
    token: int,
    settings: ExportSettings,
    depsgraph: bpy.types.Depsgraph | None,
) -> tuple[Records, Counter[str]]:
    """Return a copy of the cells, GAME_CELL [rows, columns], as they are now, and how many of them were edited in what.

    names: the palettes as they'll be written. token: that of the faces' ids. Raises SceneError with faces at fault.
    """
    elements = _elements(obj, cells.size, token, depsgraph)
    made = cells.copy()
    flat, before = made.reshape(-1), cells.reshape(-1)
    used = np.zeros(PALETTE_SLOTS, np.bool_)
    used[[0, *names.used_atmospheres]] = True
    for name, field in layout.GAME_FIELDS.items():
        values = elements.whole(name)
        if values is None:
            continue
        edited = values != field.of(before)
        wrong = edited & ((values < 0) | (values > 0xFF))
        if field.field == "strengths":
            if settings.clamp:
                values = np.clip(values, 0, 0xFF)
            else:
                elements.refuse(f"attribute {name} isn't within 0 and 255", wrong, CLAMP_HINT)
        elif field.field == "themes":
            wrong |= edited & ~used[np.clip(values, 0, 0xFF)]
            elements.refuse(f"attribute {name} is a slot that the palette doesn't use", wrong)
        else:
            wrong |= edited & (values > len(names.sounds))
            elements.refuse(f"attribute {name} is no sound: there are {len(names.sounds)}", wrong)
        field.of(flat)[edited] = values[edited]
    over = (flat["strengths"].sum(axis=1, dtype=np.intp) > weights.FULL) & (
        flat["strengths"] != before["strengths"]
    ).any(1)
    if not settings.clamp:
        elements.refuse("the strengths are more than 255 in all", over, CLAMP_HINT)
    flat["strengths"][over, 1] = weights.FULL - flat["strengths"][over, 0]
    blended = (flat["themes"] != before["themes"]).any(1) | (flat["strengths"] != before["strengths"]).any(1)
    counts = {"atmospheres": np.count_nonzero(blended), "sounds": np.count_nonzero(flat["sound"] != before["sound"])}
    return made, +Counter({what: int(count) for what, count in counts.items()})


def _elements(obj: bpy.types.Object, count: int, token: int, depsgraph: bpy.types.Depsgraph | None) -> Elements:
    """Find the face of each cell. Raises SceneError unless every cell has one, and none is left."""
    data = meshes.read(obj, depsgraph, list(layout.GAME_FIELDS))
    ids = data.ids("FACE", token)
    ids[ids > count] = 0
    bearers, extra, missing = borne(ids.astype(np.intp) - 1, count)
    if len(extra) or len(missing):
        lost = f", and {len(missing)} of its {count} cells have none" if len(missing) else ""
        refuse(obj, "FACE", f"not every face is a cell's (added, or there twice): {{}}{lost}", extra)
    return Elements(obj, "FACE", data, ids, bearers)
