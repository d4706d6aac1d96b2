# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of an import or export: a frozen dataclass a game, as operator properties and on the command line.

Its fields are those of `scene.properties`: bool, int, float, str, IntEnum, str with choices; `option` says how they are
shown.
"""

import dataclasses
import enum
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import bpy

from . import declared
from .blender_types import Value
from .properties import Field, fields

Settings = TypeVar("Settings")

_PROPERTIES: dict[type, Callable[..., Value]] = {
    bool: bpy.props.BoolProperty,
    int: bpy.props.IntProperty,
    float: bpy.props.FloatProperty,
    str: bpy.props.StringProperty,
}
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class UsageError(ValueError):
    """A command line, or an option in it, that makes no sense."""


def option(
    default: Value,
    title: str,
    tooltip: str,
    choices: Mapping[str, tuple[str, str]] | None = None,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    subtype: str | None = None,
    panel: str | None = None,
    precision: int | None = None,
    unit: str | None = None,
) -> Value:
    """Return the dataclass field of an option. choices: word -> its title and tooltip, of a menu of words.

    panel: title of the panel that it is shown in. subtype: as Blender has it ("DIR_PATH"). precision: digits that a
    number shows after its point. unit: what a number measures ("LENGTH").
    """
    shown = {"title": title, "tooltip": tooltip, "choices": choices, "min": minimum, "max": maximum}
    shown |= {"subtype": subtype, "panel": panel, "precision": precision, "unit": unit}
    return dataclasses.field(default=default, metadata={key: each for key, each in shown.items() if each is not None})


def _choices(field: Field) -> tuple[str, ...]:
    """Return the words that a field may hold; none for a plain field."""
    return tuple(field.type.__members__) if issubclass(field.type, enum.Enum) else field.choices


def _title(name: str) -> str:
    """Return a name as the interface shows it: `too_big` as "Too Big"."""
    return name.replace("_", " ").title()


def _items(settings: type, field: Field) -> list[tuple[str, str, str]]:
    """Return the words that a field may hold as a menu has them: word, title, tooltip."""
    told = next(one.metadata.get("choices") for one in dataclasses.fields(settings) if one.name == field.name)
    texts = told if isinstance(told, Mapping) else {}
    return [(word, *texts.get(word, (_title(word), ""))) for word in _choices(field)]


def _property(settings: type, field: Field) -> Value:
    """Return the deferred Blender property of one field."""
    shown: dict[str, Value] = {"name": field.title or _title(field.name), "description": field.tooltip}
    if _choices(field):
        default = field.default.name if isinstance(field.default, enum.Enum) else field.default
        return declared.menu(items=_items(settings, field), default=default, **shown)
    limits: dict[str, Value] = {"min": field.minimum, "max": field.maximum, "subtype": field.subtype}
    limits |= {"precision": field.precision, "unit": field.unit} if field.type is float else {}
    shown.update((name, limit) for name, limit in limits.items() if limit is not None)
    return _PROPERTIES[field.type](default=field.default, **shown)


def properties(settings: type, prefix: str = "") -> dict[str, Value]:
    """Return the annotations that give an operator a property for each field of a dataclass, named prefix + field."""
    return {prefix + field.name: _property(settings, field) for field in fields(settings)}


def from_properties(settings: type[Settings], owner: object, prefix: str = "") -> Settings:
    """Return the dataclass that an operator's properties hold."""
    values = {field.name: getattr(owner, prefix + field.name) for field in fields(settings)}
    for field in fields(settings):
        if issubclass(field.type, enum.Enum):
            values[field.name] = field.type[values[field.name]]
    return settings(**values)


def draw(settings: type, layout: bpy.types.UILayout, owner: bpy.types.bpy_struct, prefix: str = "") -> None:
    """Draw the properties that `properties` made, in the order of the fields: those of a panel one after another."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    for title, group in itertools.groupby(fields(settings), lambda field: field.panel):
        body: bpy.types.UILayout | None = layout
        if title:
            header, body = layout.panel(f"LEVELWRIGHT_{settings.__module__}.{settings.__name__}.{title}")
            header.label(text=title)
        for field in group:
            if body is not None:
                body.prop(owner, prefix + field.name)


def from_text(settings: type[Settings], options: Mapping[str, str]) -> Settings:
    """Return the dataclass that the options of a command line give; those that aren't its fields are left alone.

    Raises UsageError for a value that doesn't fit its field.
    """
    known = {field.name: field for field in fields(settings)}
    return settings(**{name: _value(known[name], text) for name, text in options.items() if name in known})


def refuse_unknown(options: Iterable[str], settings: Iterable[type]) -> None:
    """Raise UsageError, with the names that there are, for an option that none of the dataclasses has."""
    known = list(dict.fromkeys(field.name for cls in settings for field in fields(cls)))
    unknown = [name for name in options if name not in known]
    if unknown:
        raise UsageError(f"no option {', '.join(unknown)} here; there are: {', '.join(known) or 'none'}")


def _value(field: Field, text: str) -> Value:
    """Return a command line's word as a field's value, within its limits."""
    choices = _choices(field)
    if choices:
        if text not in choices:
            raise UsageError(f"option {field.name}: {text!r} is none of {', '.join(choices)}")
        return field.type[text] if issubclass(field.type, enum.Enum) else text
    if field.type is bool:
        if text.lower() not in _WORDS:
            raise UsageError(f"option {field.name}: {text!r} is neither true nor false")
        return _WORDS[text.lower()]
    try:
        value = field.type(text)
    except ValueError:
        raise UsageError(f"option {field.name}: {text!r} is no {field.type.__name__}") from None
    if (field.minimum is not None and value < field.minimum) or (field.maximum is not None and value > field.maximum):
        raise UsageError(f"option {field.name}: {text} is outside {field.minimum} to {field.maximum}")
    return value
