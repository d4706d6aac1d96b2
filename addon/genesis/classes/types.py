# SPDX-License-Identifier: GPL-3.0-or-later
"""The classes that entities can be of, with the types of their keys: the editor's, the game's and the level's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy

from ....formats.binary import FormatError
from ....formats.genesis import typedefs
from ....formats.genesis.editor_level import Level3dt
from ....formats.genesis.headers import DeclaredClasses
from ....formats.genesis.level import EntityLevel
from ....formats.genesis.typedefs import TypeDef
from ...scene.reports import Report, SceneError
from ..settings import ExportSettings
from . import headers as game_headers

Types = dict[str, TypeDef]
"""Classes by their names in lower case."""


def own_types(level: EntityLevel, report: Report) -> Types | None:
    """The classes that a `.map` defines; None, with a warning, where they can't be read."""
    try:
        return typedefs.read(level.typedefs)
    except FormatError as error:
        report.warn(f"the level's definitions of types can't be read: the values of its entities are text: {error}")
        return None


def known_types(declared: DeclaredClasses) -> Types:
    """The editor's own classes, and those that headers declare."""
    return {each.name.lower(): each for each in (*typedefs.BUILTIN, *declared.types)}


def type_of(key: str, classname: str, types: Types) -> str:
    """The type of a key's values: a field's type, or "string" for what the class doesn't know."""
    made = types.get(classname.lower())
    found = made.field(key) if made is not None else None
    return found.type if found is not None else "string"


def tooltip_of(key: str, classname: str, types: Types) -> str:
    """What a key is: its type and what the game's header says about it."""
    made = types.get(classname.lower())
    found = made.field(key) if made is not None else None
    if found is None:
        return ""
    kind = found.type if found.type in typedefs.BASIC else f"name of an entity of the class {found.type}"
    kind = "name of a model" if found.type == "model" else kind
    return ": ".join(part for part in (f"{classname} {found.name}, {kind}", found.documentation) if part)


def declared_types(settings: ExportSettings, level: EntityLevel | Level3dt, report: Report) -> Sequence[TypeDef]:
    """The classes that the chosen folder's headers declare, after the editor's own; else those of the level's own
    HeadersDir, as far as it can be found from the .blend.
    """
    if not settings.headers_directory:
        if not isinstance(level, Level3dt) or not bpy.data.filepath:
            return typedefs.BUILTIN
        beside = Path(bpy.data.filepath).parent
        return (*typedefs.BUILTIN, *game_headers.find("", level.headers_directory, beside, report).types)
    try:
        declared = game_headers.declared_in(settings.headers_directory, report)
    except OSError as error:
        raise SceneError(f"the headers in {settings.headers_directory} can't be read: {error}") from error
    return (*typedefs.BUILTIN, *declared.types)


def define_classes(level: EntityLevel, settings: ExportSettings, report: Report) -> None:
    """Add definitions of classes that entities have, that the level doesn't define, and that headers declare."""
    if not settings.headers_directory:
        return
    declared = {each.name.lower(): each for each in declared_types(settings, level, report)}
    known = {(one.get(typedefs.TYPE_NAME) or "").lower() for one in level.typedefs}
    wanted = [one.classname.lower() for one in level.points]
    while wanted:
        name = wanted.pop()
        if name in known or name not in declared:
            continue
        known.add(name)
        made = declared[name]
        level.entities.append(made.entity())
        report.note(f"class {made.name} is defined from the headers")
        wanted += [each.type.lower() for each in made.fields if each.type not in typedefs.BASIC]
