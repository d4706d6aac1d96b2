# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models whose entities were deleted, or made brushes of the world: they are taken out of the map, and models
that are added take their numbers.
"""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import LumpId
from ....formats.source.edits import compaction
from ....formats.source.tree import empty_models
from ....formats.source.world import gone_models
from ...scene.reports import Report
from ..collecting.scene_level import SceneLevel
from ..settings import EDIT, REBUILD

_NAMED = re.compile(r"\*(\d{1,9})")
"""Models in values, of outputs as well."""
_SWEPT = (
    *(LumpId.EDGES, LumpId.FACES, LumpId.FACES_HDR, LumpId.TEXINFO, LumpId.TEXDATA),
    *(LumpId.NODES, LumpId.LEAFS, LumpId.BRUSHSIDES),
)
"""What edits that leave rows behind change."""


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Take away the models that entities of the original had and none has any more, where an export may change models,
    and give the models that it added their numbers, and those that earlier exports left empty.

    Of the others' numbers, by which patch files and scripts name them, none changes: where one is taken away before
    them, an empty row stays. A model that an output names, or that can't go, stays, as `check` says.
    """
    with suppress(FormatError):
        count, made = len(scene.before.table(LumpId.MODELS)), len(level.table(LumpId.MODELS))
        was = {entity.model for entity in scene.before.entities}
        now = {int(name) for each in level.entities for _, value in each.pairs for name in _NAMED.findall(value)}
        may_go = scene.settings.world == EDIT or scene.settings.geometry == REBUILD
        gone = [model for model in range(1, count) if may_go and model in was - now]
        if not gone and made == count:
            return
        blank = np.flatnonzero(empty_models.empty(scene.before)).tolist()
        free = sorted({*gone, *blank} - now)
        places = [*free, *range(count, made)][: made - count]
        moved = {count + number: place for number, place in enumerate(places) if place != count + number}
        gone_models.settle(level, free, moved)
        _tell(report, gone, len(level.table(LumpId.MODELS)), moved)


def _tell(report: Report, gone: list[int], count: int, moved: dict[int, int]) -> None:
    taken = set(moved.values())
    for models, what in (
        ([model for model in gone if model >= count or model in taken], "taken out of the map"),
        ([model for model in gone if model < count and model not in taken], "left empty for the numbers of others"),
    ):
        if models:
            report.note(f"{', '.join(f'model *{model}' for model in models)}, which no entity has any more: {what}")
    for old, new in moved.items():
        report.note(f"model *{old}, which is new, has the number *{new}, which was free")


def sweep(scene: SceneLevel, level: source.Level, _report: Report) -> None:
    """Take out the rows that edits of models and of faces' textures left, where there were any such edits."""
    with suppress(FormatError):
        if any(level.bytes_of(lump) != scene.before.bytes_of(lump) for lump in _SWEPT):
            compaction.sweep(level, scene.before)
