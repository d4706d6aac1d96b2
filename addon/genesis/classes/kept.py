# SPDX-License-Identifier: GPL-3.0-or-later
"""The classes that the game's headers declare, kept with a `.3dt`: its file has none, and a .blend may be elsewhere."""

from __future__ import annotations

import dataclasses
import json

import bpy

from ....formats.genesis.headers import DeclaredClasses
from ....formats.genesis.typedefs import Field, TypeDef
from .types import Types

CLASSES = "levelwright_classes"
"""On a level's collection: JSON, a list of the classes with their fields."""


def keep(level: bpy.types.Collection, declared: DeclaredClasses) -> None:
    """Keep on a level's collection what headers declare."""
    if declared.types:
        level[CLASSES] = json.dumps([dataclasses.asdict(each) for each in declared.types])


def kept_types(level: bpy.types.Collection) -> Types:
    """The classes that a level's collection keeps; none where there are none, or what is there can't be read."""
    text = level.get(CLASSES)
    try:
        made = [_type(**each) for each in json.loads(text)] if isinstance(text, str) else []
    except (TypeError, ValueError):
        return {}
    return {each.name.lower(): each for each in made}


def _type(fields: list[dict[str, str]], **shown: str) -> TypeDef:
    return TypeDef(fields=[Field(**each) for each in fields], **shown)  # type: ignore[arg-type]
