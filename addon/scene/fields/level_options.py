# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a level's last export or check, kept on the level: its next one begins with them.

Only dialogs do: what scripts don't say is as usual, whatever was chosen before.
"""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Container

import bpy

from ..kept import undone
from . import declared

KEY = undone.stays("levelwright_export_options")
"""On a level's collection: JSON, values by the names of options."""
_PLAIN = bool | int | float | str


def keep(collection: bpy.types.Collection, settings: object) -> None:
    """Keep the options of an export, a dataclass of settings, in the place of the last ones."""
    if not dataclasses.is_dataclass(settings):
        return
    values = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)}
    plain = {name: value.name if isinstance(value, enum.Enum) else value for name, value in values.items()}
    collection[KEY] = json.dumps({name: value for name, value in plain.items() if isinstance(value, _PLAIN)})


def kept(collection: bpy.types.Collection) -> dict[str, object]:
    """The options that are kept, by name, as properties of operators hold them; none that can't be read."""
    text = collection.get(KEY)
    try:
        values = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def restore(
    collection: bpy.types.Collection, owner: bpy.types.bpy_struct, prefix: str = "", only: Container[str] | None = None
) -> None:
    """Give the properties of an operator, named prefix + option, the values that are kept; others stay as they are.

    only: the options that are given; None: all.
    """
    for name, value in kept(collection).items():
        if prefix + name in declared.properties_of(owner) and (only is None or name in only):
            try:
                setattr(owner, prefix + name, value)
            except (TypeError, ValueError):  # another version's options
                continue
