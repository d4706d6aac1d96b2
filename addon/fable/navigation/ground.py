# SPDX-License-Identifier: GPL-3.0-or-later
"""Navigation that follows the ground: after cells were made passable or not, or path."""

from __future__ import annotations

import numpy as np

from ....formats import fable
from ....formats.arrays import Floats, Records
from ....formats.binary import FormatError
from ....formats.fable import tng
from ...scene.reports import Report, SceneError

LOWEST = 0
"""The layer that is on the ground; those above it are on bridges and floors, which cells know nothing of."""
SEEDS = ("NAVIGATION_SEED", "REGION_ENTRANCE_POINT", "REGION_EXIT_POINT")
"""Things from which walkable ground must be reached, or the game's editor leaves it out (fable.md §2.8)."""


def follow_ground(level: fable.Level, before: Records, how: str, things: bytes | None, report: Report) -> None:
    """Bring a level's sections in line with its cells, as the setting `ground_navigation` says.

    before: the cells that the sections were made for. things: the bytes of the level's `.tng`: a rebuilt layer loses
    ground that its seeds don't reach, if there are any. Raises SceneError where navigation can't be read.
    """
    if not level.sections:
        return
    changed = level.cells.shape != before.shape or bool((fable.weights(before) != fable.weights(level.cells)).any())
    if how == "keep":
        if changed:
            report.warn(
                "where creatures can walk is as it was, though cells were made passable, impassable or path: the "
                "option Navigation brings it in line"
            )
        return
    if how == "patch" and not changed:
        return
    seeds = _seeds(things) if how == "rebuild" else np.empty((0, 2))
    for section in level.sections:
        try:
            old = section.navigation
            if old.layer_count == 0:
                continue
            ground = fable.weights(level.cells)
            if how == "patch":
                made = fable.patch(old, LOWEST, ground, fable.weights(before))
            else:
                made = fable.rebuild(old, LOWEST, ground)
                made = fable.without_islands(made, seeds) if len(seeds) else made
        except FormatError as error:
            raise SceneError(f"the navigation of section {section.name} can't be made anew: {error}") from error
        section.navigation = made
        for line in fable.changes(old, made, LOWEST).lines():
            say = report.note if how == "patch" else report.warn
            say(f"navigation of section {section.name}: {line}")


def navigation_of_ground(level: fable.Level) -> fable.Navigation:
    """The navigation of a level's ground: one layer, no doors. Raises SceneError for sizes that it can't have."""
    try:
        return fable.new_navigation(fable.weights(level.cells))
    except FormatError as error:
        raise SceneError(f"no navigation can be made of the ground: {error}") from error


def _seeds(things: bytes | None) -> Floats:
    """Where ground has to be reached from, [n, 2]; none where the things can't be read."""
    if things is None:
        return np.empty((0, 2))
    try:
        found = [thing.position for thing in tng.read(things) if thing.definition_type in SEEDS]
    except FormatError:
        return np.empty((0, 2))
    return np.array([place[:2] for place in found if place is not None], np.float64).reshape(-1, 2)
