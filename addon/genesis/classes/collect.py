# SPDX-License-Identifier: GPL-3.0-or-later
"""The text with a `.map`'s definitions of classes, back into its entities."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ....formats import genesis
from ....formats.binary import FormatError
from ....formats.genesis import class_text, typedefs
from ....formats.genesis.entities import Entity
from ....formats.genesis.level import EntityLevel
from ....formats.genesis.typedefs import DEFAULT, TypeDef
from ...scene.kept import originals
from ...scene.names import showable_lines
from ...scene.reports import Report, SceneError
from .. import layout
from ..context import ExportContext
from .kept import kept_types
from .types import Types, own_types


def edited_types(collection: bpy.types.Collection, own: Types) -> list[TypeDef] | None:
    """The classes that a level's text declares, in its order; None where it says what `own` says, or is gone.

    own: those of the level's file. Raises SceneError, naming the text and the line, for what is no definition.
    """
    held = originals.resources(collection, layout.TYPEDEFS).get(0)
    if not isinstance(held, bpy.types.Text):
        return None
    body, was = held.as_string(), showable_lines(class_text.write(own.values()))
    if body.rstrip() == was.rstrip():
        return None
    if not class_text.says(was, own.values()):
        raise SceneError(
            f"{held.name}: the level's own definitions have names that this text can't say, so that it can't be edited"
        )
    try:
        return class_text.read(body)
    except FormatError as error:
        raise SceneError(f"{held.name}, {error.reading}: {error.message}") from error


def define(exporting: ExportContext, level: EntityLevel, types: Sequence[TypeDef]) -> None:
    """Let a level define these classes, in this order, and no others. What says the same already stays as it is.

    Of several definitions of a class the first counts; the others stay behind it, or go with it.
    """
    wanted = {each.name.lower(): each for each in types}
    groups: dict[str, list[Entity]] = {}
    for entity in level.typedefs:
        groups.setdefault(_name_of(entity), []).append(entity)
    for name, several in groups.items():
        if name in wanted:
            before = typedefs.from_entity(several[0])
            if not class_text.same(before, wanted[name]):
                _redefine(several[0], wanted[name])
                exporting.note(f"class {wanted[name].name} changed")
        else:
            exporting.note(f"class {typedefs.from_entity(several[0]).name} is no longer defined")
    made = [entity for entity in level.typedefs if _name_of(entity) in wanted]
    order = list(dict.fromkeys(map(_name_of, made)))
    if order != [name for name in wanted if name in groups]:
        made = [entity for name in wanted for entity in groups.get(name, ())]
    at = 0
    for name, each in wanted.items():
        if name not in groups:
            made.insert(at, each.entity())
            exporting.note(f"class {each.name} is new")
            at += 1
        else:
            at = made.index(groups[name][0]) + 1
    level.entities = _in_places(level.entities, made)


def _name_of(entity: Entity) -> str:
    return (entity.get(typedefs.TYPE_NAME) or "").lower()


def _redefine(entity: Entity, made: TypeDef) -> None:
    """Give a definition other fields; those that it had keep their defaults."""
    before = typedefs.from_entity(entity)
    pairs = [entity.pairs[0], (entity.pairs[1][0], made.name)]
    for each in made.fields:
        known = before.field(each.name)
        pairs += [(each.name, each.type), (DEFAULT, known.default if known is not None else "")]
    entity.pairs = pairs


def _in_places(entities: list[Entity], made: list[Entity]) -> list[Entity]:
    """Entities with other definitions: in the places of those that there were, and behind the last one."""
    places = [number for number, entity in enumerate(entities) if number and entity.is_typedef]
    result: list[Entity] = []
    left = list(made)
    for number, entity in enumerate(entities):
        if number not in places:
            result.append(entity)
        elif number == places[-1]:
            result += left
            left = []
        elif left:
            result.append(left.pop(0))
    return result + left


def classes_of(level: bpy.types.Collection) -> Types:
    """The classes that the entities of a level in the scene can be of: its text's, as far as that can be read; of a
    `.3dt`, which has no such text, those of the headers that were read when it was imported.
    """
    original = originals.find(level)
    read = genesis.read(original.data) if original is not None else genesis.new_level("map")
    own = own_types(read, Report()) if isinstance(read, EntityLevel) else None
    try:
        edited = edited_types(level, own) if own is not None else None
    except SceneError:
        edited = None
    found = {each.name.lower(): each for each in typedefs.BUILTIN} | kept_types(level)
    return found | ({each.name.lower(): each for each in edited} if edited is not None else own or {})
