# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene back to the entities of a `.3dt`."""

from __future__ import annotations

from dataclasses import replace

import bpy

from ....formats.genesis.editor_level import EditorEntity, Level3dt
from ....formats.genesis.entities import NAME
from ...scene.reports import SceneError
from ..classes.types import Types
from ..context import ExportContext, naming, numbered_name
from ..groups.collect import GroupIds
from ..parts.level import SceneEntity
from .collect import collect_entity


def collect_editor_entities(
    exporting: ExportContext,
    level: Level3dt,
    parts: list[SceneEntity],
    root: bpy.types.Object | None,
    types: Types,
    groups: GroupIds,
) -> None:
    """Give a `.3dt` the entities of the scene. Raises SceneError for what no entity can be."""
    old = list(level.entities)
    kept: list[EditorEntity] = []
    new: list[EditorEntity] = []
    originals = {str(part.object.get(NAME)).lower() for part in parts if not part.copied}
    for part in parts:
        record = old[part.record] if 0 <= part.record < len(old) else None
        fresh = record is None or part.copied
        if record is None or part.copied:
            made = EditorEntity() if record is None else replace(record, pairs=list(record.pairs), span=None)
            new.append(made)
            exporting.note(f"entity {part.object.name} is new")
        else:
            made = record
            kept.append(made)
        edited = _collect_values(exporting, part.object, made, fresh, root, types)
        if part.copied and NAME not in edited and made.name:
            taken = originals | {one.name.lower() for one in level.entities if one is not made}
            made.set(NAME, numbered_name(made.name, taken))
        group = groups.of(part.group, made.group_id)
        if group != made.group_id:
            made.group_id = group
            edited.append("group")
        if edited and not fresh:
            exporting.note(f"entity {part.object.name} changed: {', '.join(edited)}")
    for number, entity in enumerate(old):
        if not any(entity is one for one in kept):
            exporting.note(f"entity {number} ({entity.classname}, {entity.name}) removed")
    exporting.replace_list(level, "entities", [*(one for one in old if any(one is two for two in kept)), *new])


def _collect_values(
    exporting: ExportContext,
    obj: bpy.types.Object,
    made: EditorEntity,
    fresh: bool,
    root: bpy.types.Object | None,
    types: Types,
) -> list[str]:
    """The keys of an entity that were edited; what they say now is in its record."""
    with naming(obj):
        edited = collect_entity(exporting, obj, made, fresh, root, types)
    broken = [key for key in edited if set("\r\n") & set(made.get(key) or "")]
    if broken:
        raise SceneError(f"{obj.name}: property {broken[0]}: a value in a .3dt is one line", [obj])
    return edited
