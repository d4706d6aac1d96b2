# SPDX-License-Identifier: GPL-3.0-or-later
"""Collections back to the groups of a `.3dt`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ....formats.genesis.editor_level import Group, Level3dt
from ...scene.fields import properties
from ...scene.kept.identity import kind_of
from ...scene.reports import SceneError
from .. import layout
from ..context import ExportContext
from ..parts.level import SceneGroup
from ..parts.merging import Ids, Merging


def collect_groups(exporting: ExportContext, level: Level3dt, parts: list[SceneGroup]) -> Ids:
    """Give a level the groups of the scene. Raises SceneError for properties that no group can have."""
    # A level without an original has the editor's first group, which the scene's own first one stands for.
    own = exporting.token is None and any(kind_of(part.collection) == layout.GROUP for part in parts)
    merging = Merging([] if own else level.groups)
    ids = Ids(group.group_id for group in level.groups)
    for part in parts:
        number = max((group.group_id for group in (*merging.before, *merging.new)), default=-1) + 1
        group, fresh = merging.record_of(part, partial(_new_group, part.collection.name, number))
        ids.add(part, group.group_id)
        edited = _collect_properties(part, group)
        if fresh:
            exporting.note(f"group {group.name} is new")
        elif edited:
            exporting.note(f"group {group.name} changed: {', '.join(sorted(edited))}")
    for number, group in merging.removed():
        if group.group_id == 0:  # the editor needs its first group
            merging.keep(number)
        else:
            exporting.note(f"group {group.name} removed")
    exporting.replace_list(level, "groups", [*merging.kept(), *merging.new])
    return ids


def _new_group(name: str, number: int, example: Group | None) -> Group:
    return Group(name, number) if example is None else replace(example, group_id=number, span=None)


def _collect_properties(part: SceneGroup, group: Group) -> frozenset[str]:
    """Write what was edited of a group's properties; returns their names."""
    try:
        values, edited = properties.read(part.collection, layout.GroupProperties)
    except ValueError as error:
        raise SceneError(str(error)) from error
    if part.record < 0 and part.collection.get(properties.BASELINE) is not None:
        edited = frozenset(vars(values))
    if "group_name" in edited:
        group.name = values.group_name
    if "group_visible" in edited:
        group.visible = int(values.group_visible)
    if "group_locked" in edited:
        group.locked = int(values.group_locked)
    if "group_color" in edited:
        red, green, blue = values.group_color
        group.color = (red, green, blue)
    return edited
