# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models whose entities were deleted, or made brushes of the world: the last ones are taken out of the map."""

from __future__ import annotations

import re
from contextlib import suppress

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import LumpId
from ....formats.source.edits import compaction, gone_models
from ...scene.reports import Report
from ..collecting.scene_level import SceneLevel
from ..settings import EDIT, REBUILD

_NAMED = re.compile(r"\*(\d{1,9})")
"""Models in values, of outputs as well."""


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Take away the last models, as far as an export that changes models may, and their entities were in the original.

    Others keep their numbers, by which patch files and scripts name them. A model that can't go, or that an output
    names, stays, as `check` says.
    """
    if scene.settings.world != EDIT and scene.settings.geometry != REBUILD:
        return
    try:
        was = {entity.model for entity in scene.before.entities}
        now = {int(name) for each in level.entities for _, value in each.pairs for name in _NAMED.findall(value)}
        last = len(level.table(LumpId.MODELS)) - 1
        while last > 0 and last in was - now:
            gone_models.remove_last(level)
            report.note(f"model *{last}, which no entity has any more, is taken out of the map")
            last -= 1
    except FormatError:
        return


def sweep(scene: SceneLevel, level: source.Level, _report: Report) -> None:
    """Take out the rows that edits of models and of faces' textures left, where there were any such edits."""
    edited = (LumpId.EDGES, LumpId.FACES, LumpId.FACES_HDR, LumpId.TEXINFO, LumpId.TEXDATA)
    with suppress(FormatError):
        if any(level.bytes_of(lump) != scene.before.bytes_of(lump) for lump in edited):
            compaction.sweep(level, scene.before)
