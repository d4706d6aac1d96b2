# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of entities as custom properties and back, and the angles of entities as rotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ....formats.binary import FormatError
from ....formats.genesis import typedefs
from ...scene.blender_types import Value
from ...scene.fields.properties import INT32, Field, to_blender

ROTATION_MODE: Final = "YZX"
"""The engine turns about z, then y, then x (its axes): Blender's y (the other way round), z and x."""
_TEXT = Field("value", str, "")

Property = int | float | str | bytes | list[int] | list[float]


def as_property(kind: str, text: str) -> Property:
    """The property for a value's text. kind: a field's type in a %typedef% ("int", "float", "color", "point", ...).

    Text that can't be a value of its type stays text. A property equal to this one leaves the file's text as it is.
    """
    try:
        value = typedefs.parse(kind, text)
    except FormatError:
        value = text
    if isinstance(value, tuple):
        return list(value) if all(_is_int32(one) for one in value) else [float(one) for one in value]
    if isinstance(value, float) or _is_int32(value):
        return value
    made: str | bytes = to_blender(_TEXT, text)
    return made


def _is_int32(value: object) -> bool:
    return isinstance(value, int) and value in INT32


def as_text(value: Value) -> str:
    """The text of a property's value, as the editor writes it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int | float | str):
        return typedefs.text_of(value)
    return typedefs.text_of(tuple(value))


def rotation(angles: Sequence[float], is_light: bool) -> tuple[float, float, float]:
    """The rotation_euler, in ROTATION_MODE, for an entity's `angles` (degrees).

    An entity without a light looks as Blender's axes look without a rotation. A Blender light shines along its -z: that
    is the engine's x then, along which the compiler lets spotlights shine.
    """
    x, y, z = (math.radians(float(one)) for one in angles)
    return x, -z - math.pi / 2 if is_light else -z, y


def angles(euler: tuple[float, float, float], is_light: bool) -> tuple[float, float, float]:
    """The `angles`, degrees, of a rotation in ROTATION_MODE: the inverse of `rotation`."""
    x, y, z = euler
    return math.degrees(x), math.degrees(z), -math.degrees(y + math.pi / 2 if is_light else y)
