# SPDX-License-Identifier: GPL-3.0-or-later
"""Collections back to the groups of a `.3dt`."""

from __future__ import annotations

from dataclasses import replace

from ....formats.genesis.editor_level import Group, Level3dt
from ...scene import properties
from ...scene.reports import SceneError
from .. import layout
from ..context import ExportContext
from ..parts.level import SceneGroup


class GroupIds:
    """The ids that the groups of a scene have in the level, and those that the original's had."""

    def __init__(self, level: Level3dt) -> None:
        self._of: dict[int, int] = {}  # by id() of SceneGroup
        self._old = {group.group_id for group in level.groups}

    def add(self, part: SceneGroup, group: Group) -> None:
        """Say which group of the level a group of the scene is."""
        self._of[id(part)] = group.group_id

    def of(self, part: SceneGroup | None, was: int) -> int:
        """The id for what is in a group of the scene, None: in none. was: that of its record."""
        if part is not None:
            return self._of[id(part)]
        return was if was not in self._old else 0


def collect_groups(exporting: ExportContext, level: Level3dt, parts: list[SceneGroup]) -> GroupIds:
    """Give a level the groups of the scene. Raises SceneError for properties that no group can have."""
    ids = GroupIds(level)
    old = list(level.groups)
    kept: list[Group] = []
    new: list[Group] = []
    for part in parts:
        record = old[part.record] if 0 <= part.record < len(old) else None
        fresh = record is None or part.copied
        if record is None or part.copied:
            taken = [group.group_id for group in (*old, *new)]
            made = Group(part.collection.name, max(taken, default=-1) + 1)
            if record is not None:
                made = replace(record, group_id=made.group_id, span=None)
            new.append(made)
        else:
            made = record
            kept.append(made)
        ids.add(part, made)
        edited = _collect_properties(part, made, record is None)
        if fresh:
            exporting.note(f"group {made.name} is new")
        elif edited:
            exporting.note(f"group {made.name} changed: {', '.join(sorted(edited))}")
    result = []
    for group in old:
        if any(group is one for one in kept) or group.group_id == 0:  # the editor needs its first group
            result.append(group)
        else:
            exporting.note(f"group {group.name} removed")
    exporting.replace_list(level, "groups", [*result, *new])
    return ids


def _collect_properties(part: SceneGroup, group: Group, is_new: bool) -> frozenset[str]:
    """Write what was edited of a group's properties; returns their names. is_new: it has no record."""
    try:
        values, edited = properties.read(part.collection, layout.GroupProperties)
    except ValueError as error:
        raise SceneError(str(error)) from error
    if is_new and part.collection.get(properties.BASELINE) is not None:
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
