# SPDX-License-Identifier: GPL-3.0-or-later
"""Outputs of entities, as lists of text under the key of each: shown, changed and taken away."""

from __future__ import annotations

import bpy

from ....formats.source.entities.text import Output
from ...scene.reports import SceneError
from . import custom_properties


def outputs_of(obj: bpy.types.Object) -> list[tuple[int, Output]]:
    """The outputs of an entity's object, each with its place among those of its key."""
    found = []
    for key in custom_properties.written_keys(obj):
        if isinstance(obj.get(key), list | str):
            made = [Output.of_pair(key, value) for value in custom_properties.as_values(obj.get(key))]
            found += [(place, output) for place, output in enumerate(made) if output is not None]
    return found


def set_output(obj: bpy.types.Object, output: Output, place: int | None = None) -> None:
    """Give an entity's object an output in the place of one of the same key, or behind those. Raises SceneError."""
    if Output.of_pair(output.name, output.value) != output:
        raise SceneError(f"{output.value!r} would be read as something else", [obj])
    values = custom_properties.as_values(obj.get(output.name)) if obj.get(output.name) is not None else []
    if place is None:
        values.append(output.value)
    else:
        values[place] = output.value
    obj[output.name] = [custom_properties.readable(value) for value in values]


def remove_output(obj: bpy.types.Object, key: str, place: int) -> None:
    """Take an output away from an entity's object."""
    values = custom_properties.as_values(obj.get(key))
    del values[place]
    if values:
        obj[key] = [custom_properties.readable(value) for value in values]
    else:
        del obj[key]
