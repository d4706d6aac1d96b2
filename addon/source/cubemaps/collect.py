# SPDX-License-Identifier: GPL-3.0-or-later
"""Cubemaps back from their light probes: moved, of another size, new and gone; with all that is named after them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....formats import source
from ....formats.counting import number_of
from ....formats.source import LumpId, edits
from ...scene.kept.instances import Instance
from ...scene.reports import Report
from .. import layout
from ..collecting import placement
from ..collecting.scene_level import SceneLevel, at_fault
from .build import CUBEMAP_SIZE


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the cubemaps of a level what the scene's are: whole units; new ones stand behind the others."""
    instances = scene.instances(layout.CUBEMAP)
    if not instances and not scene.is_shown(layout.CUBEMAP):
        return
    table = level.table(LumpId.CUBEMAPS)
    gone = scene.deleted(layout.CUBEMAP, len(table))
    for number in reversed(gone):
        edits.cubemaps.remove(level, number)
    waiting: dict[int, tuple[Instance, list[int], int]] = {}
    for number, one in scene.records(layout.CUBEMAP).items():
        with at_fault(one.object):
            if number >= len(table):
                raise ValueError(f"cubemap {number} isn't there, there are {len(table)}")
            was = table["origin"][number].tolist()
            origin, size = _origin(scene, one, was), _size(one, int(table["size"][number]))
            if origin != was or size != table["size"][number]:
                waiting[number - sum(other < number for other in gone)] = one, origin, size
    stale = len(waiting)
    while waiting:  # first those whose new place is free: a row may be moved along by one
        origins = level.table(LumpId.CUBEMAPS)["origin"].tolist()
        free = (n for n, (_, origin, _) in waiting.items() if origin == origins[n] or origin not in origins)
        number = next(free, next(iter(waiting)))
        one, origin, size = waiting.pop(number)
        with at_fault(one.object):
            edits.cubemaps.change(level, number, origin if origin != origins[number] else None, size)
    for one in scene.added(layout.CUBEMAP):
        with at_fault(one.object):
            edits.cubemaps.add(level, _origin(scene, one, None), _size(one, 0))
            stale += 1
    if stale:
        report.warn(
            f"{number_of(stale, 'cubemaps show', 'cubemap shows')} what was there before, or nothing: build cubemaps "
            "again in the game"
        )


def _origin(scene: SceneLevel, one: Instance, was: Sequence[int] | None) -> list[int]:
    """Where a probe is, in whole units. was: where its record says that it is."""
    if was is not None and placement.place_of(scene, one.object) is None:
        return list(was)
    place = placement.here(scene, one.object)
    return [int(value) for value in np.rint(place.location).tolist()]


def _size(one: Instance, was: int) -> int:
    size: object = one.object.get(CUBEMAP_SIZE, was)
    if not isinstance(size, int):
        raise ValueError(f"property {CUBEMAP_SIZE}: {size!r} isn't a whole number")
    return size
