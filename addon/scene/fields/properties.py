# SPDX-License-Identifier: GPL-3.0-or-later
"""A dataclass's fields as custom properties with tooltip, limits and names for numbers; and back.

    @dataclass
    class Lamp:
        brightness: int = setting(255, "Brightness", minimum=0, maximum=255)
        style: Style = setting(Style.STEADY, "How it flickers")        # an IntEnum becomes a menu

Field types: bool, int, float, str, bytes, IntEnum, IntFlag, tuples of int or float. A str field with `choices` becomes
a menu of them. Integers that may go beyond int32 are kept as decimal text, text with NULs as bytes, and numpy scalars
become Python's: Blender would refuse them, cut them, or store nothing without a word.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import bpy
import numpy as np

from ..blender_types import Value, gives
from ..kept.baselines import put_bytes
from ..names import storable
from ..reports import Report, SceneError

BASELINE = "levelwright_fields"
"""Key of the values as they were written (JSON), by which `read` tells what changed."""
MAX_KEY = 63
"""Bytes that Blender allows in a key."""
INT32 = range(-(2**31), 2**31)
"""What a custom property holds as a number; others are kept as text."""
INT32_LIMITS = (INT32[0], INT32[-1])

T = TypeVar("T")


class PropertyError(SceneError, ValueError):
    """A custom property that holds what its field can't be, in words that name it and its data-block."""

    def __init__(self, id_block: bpy.types.ID, message: str) -> None:
        super().__init__(f"{id_block.name}: {message}", [id_block] if isinstance(id_block, bpy.types.Object) else [])


@dataclass(frozen=True, eq=False)
class Field:
    """One property: what a dataclass's field says about it."""

    name: str
    type: type
    default: Value
    tooltip: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    subtype: str | None = None
    title: str = ""
    """What an operator's option is called, where its name in capitals won't do."""
    panel: str = ""
    """Title of the panel that an operator's option is shown in; "": above all panels."""
    precision: int | None = None
    """Digits that an operator's option shows after the point; None: Blender's two."""
    unit: str | None = None
    """What an operator's option measures, as Blender names it: "LENGTH"."""
    numbers: int | None = None
    """How many numbers it is; None: one, or as many as there are."""
    step: int | None = None
    """By how much an operator's whole number is turned up and down; None: one."""
    common: str = ""
    """What an option is called that several games share; "": it is this game's alone."""
    is_remembered: bool = True
    """Whether the next dialog begins with what was chosen for this option last."""

    @property
    def wide(self) -> bool:
        """An int that may not fit Blender's 32 bits, so kept as text."""
        return self.type is int and not all(
            limit is None or int(limit) in INT32 for limit in (self.minimum, self.maximum)
        )


def setting(
    default: T,
    tooltip: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] = (),
    subtype: str | None = None,
) -> T:
    """Return a dataclass field with what its custom property needs. subtype: as `id_properties_ui` has it ("COLOR")."""
    optional = {"min": minimum, "max": maximum, "choices": tuple(choices) or None, "subtype": subtype}
    metadata = {"tooltip": tooltip} | {key: value for key, value in optional.items() if value is not None}
    return dataclasses.field(default=default, metadata=metadata)


def fields(cls: type) -> tuple[Field, ...]:
    """Return the properties of a dataclass, in order, with what their metadata says."""
    return _fields(cls)


@cache
def _fields(cls: type) -> tuple[Field, ...]:
    types = typing.get_type_hints(cls)
    found = []
    for one in dataclasses.fields(cls):
        if len(one.name.encode()) > MAX_KEY:
            raise ValueError(f"{one.name}: a property's key has at most {MAX_KEY} bytes")
        default = one.default
        if default is dataclasses.MISSING and one.default_factory is not dataclasses.MISSING:
            default = one.default_factory()
        kind = types[one.name]
        meta = one.metadata
        found.append(
            Field(
                one.name,
                typing.get_origin(kind) or kind,
                None if default is dataclasses.MISSING else default,
                meta.get("tooltip", ""),
                meta.get("min"),
                meta.get("max"),
                tuple(meta.get("choices", ())),
                meta.get("subtype"),
                meta.get("title", ""),
                meta.get("panel", ""),
                meta.get("precision"),
                meta.get("unit"),
                _numbers(kind),
                meta.get("step"),
                meta.get("common", ""),
                meta.get("is_remembered", True),
            )
        )
    return tuple(found)


def _numbers(kind: type) -> int | None:
    """How many numbers a tuple's type says that it is: tuple[float, float] are 2."""
    parts = typing.get_args(kind)
    return len(parts) if parts and set(parts) <= {int, float} else None


def write(id_block: bpy.types.ID, instance: object) -> None:
    """Write a dataclass instance's fields as custom properties, and keep the values for `read` to compare with."""
    writer(instance)(id_block)


def writer(instance: object) -> Callable[[bpy.types.ID], None]:
    """Return a function that does what `write` does, for the same fields on many data-blocks: it is worked out once."""
    values = {one.name: to_blender(one, getattr(instance, one.name)) for one in fields(type(instance))}
    kinds: dict[str, type] = {name: type(value) for name, value in values.items()}
    shown = [(one.name, ui) for one in fields(type(instance)) if (ui := _ui(one, kinds[one.name]))]
    stored = {name: value if type(value) in _PLAIN else _comparable(value) for name, value in values.items()}
    text = json.dumps(stored)

    def write_to(id_block: bpy.types.ID) -> None:
        for name, value in values.items():
            put(id_block, name, value)
        for name, ui in shown:
            describe(id_block, name, **ui)
        text_now = json.dumps({**_stored(id_block), **stored}) if id_block.get(BASELINE) is not None else text
        id_block[BASELINE] = storable(text_now)

    return write_to


def describe(holder: bpy.types.bpy_struct, key: str, **shown: object) -> None:
    """Say how the interface shows a custom property: description, min, max, subtype, items, default, ..."""
    gives(holder.id_properties_ui)(key).update(**shown)


def put(id_block: bpy.types.ID, key: str, value: object) -> None:
    """Set a custom property to a value that Blender can hold (see `to_blender`)."""
    if isinstance(value, bytes):
        put_bytes(id_block, key, value)
    else:
        id_block[key] = storable(value) if isinstance(value, str) else value


def put_texts(id_block: bpy.types.ID, texts: Mapping[str, str]) -> None:
    """Set custom properties to texts: what `put` does, at a third of its price, since all are looked at together."""
    together = "".join(texts.values())
    if storable(together) != together:
        texts = {key: storable(text) for key, text in texts.items()}
    for key, text in texts.items():
        id_block[key] = text


def read(id_block: bpy.types.ID, cls: type[T]) -> tuple[T, frozenset[str]]:
    """Return an instance made of the custom properties, and the names of the fields that were edited.

    Properties that are absent have the field's default. Edited are those that differ from what `write` stored (a
    deleted one too); on a data-block that it never wrote, all that are present.
    Raises PropertyError, naming data-block and property, for a value that doesn't fit the field; one that is out of its
    limits and was not edited came so with the level.
    """
    stored = _stored(id_block)
    values, changed = {}, set()
    for one in fields(cls):
        raw = id_block.get(one.name)
        if raw is None:
            values[one.name] = one.default
            if one.name in stored:
                changed.add(one.name)
            continue
        raw = raw if type(raw) in _PLAIN else as_python(raw)
        now = raw if type(raw) in _PLAIN else _comparable(raw)
        was = stored.get(one.name)
        if was != now or type(was) is not type(now):  # True isn't 1 here
            changed.add(one.name)
        try:
            values[one.name] = from_blender(one, raw, limited=one.name in changed)
        except (ValueError, TypeError, UnicodeError) as error:
            raise PropertyError(id_block, f"property {one.name}: {error}") from error
    return cls(**values), frozenset(changed)


def _stored(id_block: bpy.types.ID) -> dict[str, object]:
    """Return what `write` stored. Raises PropertyError where that is damaged."""
    text = id_block.get(BASELINE)
    if text is None:
        return {}
    try:
        stored = json.loads(text)
    except (ValueError, TypeError):
        stored = None
    if not isinstance(stored, dict):
        raise PropertyError(id_block, f"its property {BASELINE}, what the import kept of the others, is damaged")
    return stored


def to_blender(field: Field, value: Value) -> Value:
    """Return a value as Blender stores it without loss. Raises ValueError where there is no way."""
    if type(value) is bool:
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if field.choices:
        if value not in field.choices:
            raise ValueError(f"{field.name}: {value!r} is none of {', '.join(field.choices)}")
        return field.choices.index(value)
    if isinstance(value, enum.Enum):
        value = value.value
    if field.type is float:
        return float(value)
    if isinstance(value, bool | float | bytes):
        return value
    if isinstance(value, int):
        return str(value) if field.wide or value not in INT32 else value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape") if "\0" in value else value
    if isinstance(value, np.ndarray | tuple | list):
        return _to_list(field, value)
    raise ValueError(f"{field.name}: {type(value).__name__} has no custom property")


def refuse_outside(field: Field, number: float) -> None:
    """Raise ValueError for a number that isn't within a field's limits, NaN included."""
    low, high = field.minimum, field.maximum
    if (low is None or number >= low) and (high is None or number <= high):
        return
    if low is not None and high is not None:
        raise ValueError(f"{number} is outside {low} to {high}")
    raise ValueError(f"{number}: {low} is the least" if high is None else f"{number}: {high} is the most")


def from_blender(field: Field, raw: Value, limited: bool = True) -> Value:
    """Return a stored value as the field's type. Raises ValueError or TypeError if it doesn't fit.

    limited: it has to lie within the field's limits, as what people enter. Files hold numbers that don't.
    """
    kind = field.type
    if field.choices:
        if isinstance(raw, str):  # typed in by hand
            if raw not in field.choices:
                raise ValueError(f"{raw!r} is none of {', '.join(field.choices)}")
            return raw
        if not 0 <= _whole(raw) < len(field.choices):
            raise ValueError(f"{raw} stands for none of {', '.join(field.choices)}")
        return field.choices[_whole(raw)]
    if issubclass(kind, enum.Enum):
        number = _whole(raw)
        try:
            return kind(number)
        except ValueError:
            return number  # files hold numbers that no enum names
    if kind is bool:
        return bool(raw)
    if kind is str:
        return raw.decode("utf-8", "surrogateescape") if isinstance(raw, bytes) else _text(raw)
    if kind is bytes:
        return raw if isinstance(raw, bytes) else _text(raw).encode("utf-8", "surrogateescape")
    if kind is int:
        number = _whole(raw)
        if limited:
            refuse_outside(field, number)
        return number
    if kind is float:
        try:
            return float(raw)
        except (ValueError, TypeError):
            raise ValueError(f"{raw!r} is not a number") from None
    if kind is tuple:
        if not isinstance(raw, list | tuple):
            raise ValueError(f"{raw!r} is no list")
        if field.numbers and (len(raw) != field.numbers or not all(isinstance(one, int | float) for one in raw)):
            raise ValueError(f"{raw!r} isn't {field.numbers} numbers")
        return tuple(raw)
    raise TypeError(f"{kind.__name__} has no custom property")


def _text(raw: object) -> str:
    """Return a stored text, or a number or a list as one. Raises ValueError for groups and data-blocks."""
    if not isinstance(raw, str | int | float | list):
        raise ValueError("it is a group or a data-block, and has to be text")
    return str(raw)


def _whole(raw: Value) -> int:
    """Return a stored number, or one in a text. Raises ValueError for what is none."""
    try:
        number = int(raw)
        if isinstance(raw, str) or number == raw:
            return number
    except (ValueError, TypeError, OverflowError):
        pass
    raise ValueError(f"{raw!r} is no whole number")


def _to_list(field: Field, values: Iterable[Value]) -> list[Value]:
    """Return several values as Blender keeps them: all int, all float, all bool or all text."""
    plain = [one.item() if isinstance(one, np.generic) else one for one in values]
    if any(isinstance(one, str) and "\0" in one for one in plain):
        raise ValueError(f"{field.name}: text in a list can't hold a NUL")
    if any(isinstance(one, float) for one in plain):
        return [float(one) for one in plain]
    if any(isinstance(one, int) and one not in INT32 for one in plain):
        raise ValueError(f"{field.name}: a list holds only integers of 32 bits")
    return plain


@cache
def _ui(field: Field, kind: type) -> dict[str, object]:
    """Return tooltip, limits, default and menu of a field that is stored as a kind of value."""
    if kind is bytes:
        return {}
    ui: dict[str, object] = {"description": field.tooltip} if field.tooltip else {}
    if field.choices:
        ui["items"] = [(name, name, "", number) for number, name in enumerate(field.choices)]
    elif issubclass(field.type, enum.IntEnum) and kind is int:
        ui["items"] = [(one.name, one.name.replace("_", " ").title(), "", one.value) for one in field.type]
    elif kind in (int, float):
        for key, limit in (("min", field.minimum), ("max", field.maximum)):
            if limit is not None:
                ui[key] = ui["soft_" + key] = kind(limit)
    if field.subtype and kind is not str:
        ui["subtype"] = field.subtype
    if field.default is not None and kind in (bool, int, float, str):
        default = to_blender(field, field.default)
        if type(default) is kind and not field.choices:
            ui["default"] = default
    return ui


def is_registered(id_block: bpy.types.ID, key: str) -> bool:
    """Say whether a key is a property that an add-on gave to all blocks of a kind.

    Before Blender 5 those are among the custom ones.
    """
    registered: bpy.types.Property | None = id_block.bl_rna.properties.get(key)
    return registered is not None and bool(registered.is_runtime)


def own_keys(id_block: bpy.types.ID) -> list[str]:
    """Return the names of a data-block's custom properties, without the extension's own and what add-ons registered."""
    names: Iterable[str] = id_block.keys()
    keys = [key for key in names if not key.startswith(("levelwright", "cycles"))]
    return [key for key in keys if not is_registered(id_block, key)]


def is_nested(raw: object) -> bool:
    """Say whether a custom property holds neither text nor numbers: a group, a data-block, or a list of groups."""
    parts = raw if isinstance(raw, list) else [raw]
    return any(isinstance(one, bpy.types.ID) or hasattr(one, "to_dict") for one in parts)


def tell_of_nested(id_block: bpy.types.ID, report: Report, but: str = "") -> None:
    """Warn of custom properties that hold neither text nor numbers, which no level has. but: one that is known."""
    for key in own_keys(id_block):
        if key != but and is_nested(id_block[key]):
            objects = [id_block] if isinstance(id_block, bpy.types.Object) else []
            report.warn(f"{id_block.name}: property {key} isn't written: it holds neither text nor numbers", objects)


def as_python(raw: object) -> object:
    """Return Blender's arrays as lists."""
    return raw.to_list() if hasattr(raw, "to_list") else raw


_PLAIN = frozenset({int, str, bool})


def _comparable(value: object) -> object:
    """Return a stored value as JSON gives it back: exact, -0.0 and NaN too."""
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_comparable(one) for one in value]
    return value
