# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene back to the entities of a `.3dt`."""

from __future__ import annotations

from dataclasses import replace

import bpy

from ....formats.genesis.editor_level import EditorEntity, Level3dt
from ....formats.genesis.entities import NAME
from ...scene.reports import SceneError, naming
from ...scene.work.progress import Steps
from ..classes.types import Types
from ..context import ExportContext
from ..parts.level import SceneEntity
from ..parts.merging import Ids, Merging
from .collect import collect_entity, name_of


def collect_editor_entities(
    exporting: ExportContext,
    level: Level3dt,
    parts: list[SceneEntity],
    root: bpy.types.Object | None,
    types: Types,
    groups: Ids,
) -> Steps[None]:
    """Give a `.3dt` the entities of the scene. Raises SceneError for what no entity can be."""
    merging = Merging(level.entities)
    originals = {str(part.object.get(NAME)).lower() for part in parts if not part.copied}
    for part in parts:
        made, fresh = merging.record_of(part, _new_entity)
        if fresh:
            exporting.note(f"entity {part.object.name} is new")
        edited = _collect_values(exporting, part.object, made, fresh, root, types)
        if fresh and NAME not in edited:
            others = (*level.entities, *merging.new)
            taken = originals | {one.name.lower() for one in others if one is not made}
            made.set(NAME, name_of(part.object, made, taken))
        group = groups.of(part.group, made.group_id)
        if group != made.group_id:
            made.group_id = group
            edited.append("group")
        if edited and not fresh:
            exporting.note(f"entity {part.object.name} changed: {', '.join(edited)}")
        yield
    for number, entity in merging.removed():
        exporting.note(f"entity {number} ({entity.classname}, {entity.name}) removed")
    exporting.replace_list(level, "entities", [*merging.kept(), *merging.new])


def _new_entity(example: EditorEntity | None) -> EditorEntity:
    return EditorEntity() if example is None else replace(example, pairs=list(example.pairs), span=None)


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
