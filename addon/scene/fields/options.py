# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of an import or export: a frozen dataclass a game, as operator properties and on the command line.

Its fields are those of `properties`: bool, int, float, str, IntEnum, str with choices; `option` says how they are
shown.
"""

import dataclasses
import enum
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

import bpy

from .. import wording
from ..blender_types import Value
from . import declared
from .properties import Field, fields, refuse_outside

Settings = TypeVar("Settings")
Default = TypeVar("Default")

_PROPERTIES: dict[type, Callable[..., object]] = {
    bool: bpy.props.BoolProperty,
    int: bpy.props.IntProperty,
    float: bpy.props.FloatProperty,
    str: bpy.props.StringProperty,
}
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class UsageError(ValueError):
    """A command line, or an option in it, that makes no sense."""


def option(
    default: Default,
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
    step: int | None = None,
    common: str | None = None,
    is_remembered: bool | None = None,
) -> Default:
    """Return the dataclass field of an option. choices: word -> its title and tooltip, of a menu of words.

    panel: title of the panel that it is folded into; None for what is used most. subtype: as Blender has it
    ("DIR_PATH"). precision: digits that a number shows after its point. unit: what a number measures ("LENGTH"). step:
    by how much a whole number is turned. common: which of the options it is that several games have, as
    `common_options` names them. is_remembered: False for what is about one file, or lets an export lose something: it
    is chosen each time.
    """
    shown = {"title": title, "tooltip": tooltip, "choices": choices, "min": minimum, "max": maximum}
    shown |= {"subtype": subtype, "panel": panel, "precision": precision, "unit": unit, "step": step}
    shown |= {"common": common, "is_remembered": is_remembered}
    return dataclasses.field(default=default, metadata={key: each for key, each in shown.items() if each is not None})


def new_name() -> str:
    """Return the field of the name that a level gets which is made from nothing: it begins alike in all games."""
    return option("new_level", "Name", "What the level is called, and its file")


def _choices(field: Field) -> tuple[str, ...]:
    """Return the words that a field may hold; none for a plain field."""
    return tuple(field.type.__members__) if issubclass(field.type, enum.Enum) else field.choices


def _title(name: str) -> str:
    """Return a name as the interface shows it: `too_big` as "Too Big"."""
    return name.replace("_", " ").title()


def items(settings: type, field: Field) -> list[tuple[str, str, str]]:
    """Return the words that a field may hold as a menu has them: word, title, tooltip."""
    told = next(one.metadata.get("choices") for one in dataclasses.fields(settings) if one.name == field.name)
    texts = told if isinstance(told, Mapping) else {}
    return [(word, *texts.get(word, (_title(word), ""))) for word in _choices(field)]


def _lasting(words: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str, int]]:
    """Return a menu's words with a number each that follows from the word alone: Blender saves the number."""
    return [(*word, zlib.crc32(word[0].encode()) >> 1) for word in words]


def _property(settings: type, field: Field, is_saved: bool) -> object:
    """Return the deferred Blender property of one field. is_saved: it is in a file that later versions read."""
    shown: dict[str, Value] = {"name": field.title or _title(field.name), "description": field.tooltip}
    if _choices(field):
        words = items(settings, field)
        return declared.menu(items=_lasting(words) if is_saved else words, default=_word(field.default), **shown)
    limits: dict[str, object] = {"min": field.minimum, "max": field.maximum, "subtype": field.subtype}
    limits |= {"precision": field.precision, "unit": field.unit} if field.type is float else {"step": field.step}
    shown.update((name, limit) for name, limit in limits.items() if limit is not None)
    return _PROPERTIES[field.type](default=field.default, **shown)


def _word(value: Value) -> Value:
    """Return a field's value as its Blender property has it."""
    return value.name if isinstance(value, enum.Enum) else value


def properties(settings: type, prefix: str = "") -> dict[str, object]:
    """Return the annotations that give an operator a property for each field of a dataclass, named prefix + field."""
    return {prefix + field.name: _property(settings, field, is_saved=False) for field in fields(settings)}


def remembered_properties(settings: type) -> dict[str, object]:
    """Return the annotations of a property group that keeps what is remembered of a dataclass's fields."""
    return {field.name: _property(settings, field, is_saved=True) for field in fields(settings) if field.is_remembered}


def from_properties(settings: type[Settings], owner: object, prefix: str = "") -> Settings:
    """Return the dataclass that properties hold: an operator's, or a property group's, which may lack some.

    What holds a word that the field doesn't know, as an older version may have saved, counts as the default.
    """
    values = {}
    for field in fields(settings):
        value = getattr(owner, prefix + field.name, field.default)
        if _choices(field):
            value = value if _word(value) in _choices(field) else field.default
            value = field.type[_word(value)] if issubclass(field.type, enum.Enum) else value
        values[field.name] = value
    return settings(**values)


def to_properties(instance: object) -> dict[str, object]:
    """Return what the properties of a dataclass's fields have to hold, by the names of the fields."""
    return {field.name: _word(getattr(instance, field.name)) for field in fields(type(instance))}


def draw(
    settings: type,
    layout: bpy.types.UILayout,
    owner: bpy.types.bpy_struct,
    prefix: str = "",
    only_remembered: bool = False,
    without: Collection[str] = (),
) -> None:
    """Draw the properties that `properties` made: those in no panel, then the panels, folded.

    without: names of fields that mean nothing there. only_remembered: the owner has those that `remembered_properties`
    made. Blender knows which panels the user opened.
    """
    layout.use_property_split = True
    layout.use_property_decorate = False
    panels: dict[str, list[str]] = {"": []}
    for field in fields(settings):
        if field.name not in without and (field.is_remembered or not only_remembered):
            panels.setdefault(field.panel, []).append(prefix + field.name)
    for title, names in panels.items():
        body: bpy.types.UILayout | None = layout
        if title:
            panel = f"LEVELWRIGHT_{settings.__module__}.{settings.__name__}.{title}"
            header, body = layout.panel(panel, default_closed=True)
            header.label(text=title)
        if body is None:
            continue
        for name in names:
            _draw_property(body, owner, name)


def _draw_property(layout: bpy.types.UILayout, owner: bpy.types.bpy_struct, name: str) -> None:
    """Draw one; above its field its title, where the narrow sidebar of the file browser would cut that."""
    space = bpy.context.space_data
    if space is not None and space.type == "FILE_BROWSER":
        shown = declared.properties_of(owner)[name]
        if shown.type != "BOOLEAN" and not wording.is_title(shown.name, bpy.context):
            column = layout.column(align=True)
            column.use_property_split = False
            column.label(text=shown.name)
            column.prop(owner, name, text="")
            return
    layout.prop(owner, name)


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


def _value(field: Field, text: str) -> object:
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
        raise UsageError(f"option {field.name}: {text!r} is no {'whole ' * (field.type is int)}number") from None
    if isinstance(value, str):
        return value
    try:
        refuse_outside(field, value)
    except ValueError as error:
        raise UsageError(f"option {field.name}: {error}") from None
    return value
