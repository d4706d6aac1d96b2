# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of entities as custom properties, and back.

A property has its own name as its key; a further one of that name "#2", "#3" behind it. What an object of the scene
can't show so (a name that is no key, bytes that are no value) has no key, and stays in the original. Slots say which
properties an entity had, in their order and with their types, and where each is: they stand on the object as TYPES, so
that it knows them wherever it is copied to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import bpy

from ....formats import ns2
from ....formats.binary import FormatError
from ....formats.ns2.objects import PROPERTY
from ....formats.ns2.records import FLOAT_TYPES, INT_TYPES, TEXT_TYPES, PropertyType
from ...scene.fields import properties
from ...scene.fields.properties import as_python
from ..layout import CLASS

TYPES = "levelwright_types"
RESERVED = ("levelwright", "cycles")
"""Keys that begin so are ours or Blender's."""
LOCATION, ROTATION, SCALE = "@location", "@rotation", "@scale"
"""In place of a key: the property is this channel of the object."""
CHANNELS = frozenset((LOCATION, ROTATION, SCALE))


class PropertySlot(NamedTuple):
    """One property of an entity."""

    name: str
    type: int
    components: int
    key: str
    """Of the custom property, or one of CHANNELS; "" for one that isn't shown."""


Value = bool | int | float | str | bytes | list[float]


Shape = tuple[str, int, int, bool]
"""Name, type and components of a property, and whether its bytes are a value."""


class Known:
    """What properties are in Blender, worked out once for those that are the same."""

    def __init__(self) -> None:
        self._known: dict[ns2.Property, tuple[Shape, Value | None]] = {}

    def _of(self, one: ns2.Property) -> tuple[Shape, Value | None]:
        found = self._known.get(one)
        if found is None:
            value = as_property(one)
            found = self._known[one] = ((one.name, one.type, one.components, value is not None), value)
        return found

    def slots(self, entity: ns2.Entity) -> tuple[PropertySlot, ...]:
        """The slots of an entity's properties, none of which is a channel of its object."""
        return _slots(tuple([self._of(one)[0] for one in entity.properties]))

    def value(self, one: ns2.Property) -> Value | None:
        """What `as_property` says."""
        return self._of(one)[1]

    def shown(self, entity: ns2.Entity) -> tuple[tuple[PropertySlot, ...], dict[str, Value | None]]:
        """The slots of an entity's properties, and the values that can be shown, by the keys of those."""
        found = [self._of(one) for one in entity.properties]
        slots = _slots(tuple([shape for shape, _ in found]))
        return slots, {slot.key: value for slot, (_, value) in zip(slots, found, strict=True) if slot.key}


@lru_cache(maxsize=4096)
def _slots(made: tuple[Shape, ...]) -> tuple[PropertySlot, ...]:
    taken, found = {CLASS}, []
    for name, kind, components, shown in made:
        key = ""
        if shown and name and name.isprintable() and not name.startswith(RESERVED):
            key, number = name, 1
            while key in taken:
                number += 1
                key = f"{name}#{number}"
            key = key if len(key.encode("utf-8", "surrogateescape")) <= properties.MAX_KEY else ""
            taken.add(key)
        found.append(PropertySlot(name, kind, components, key))
    return tuple(found)


@lru_cache(maxsize=4096)
def with_channels(slots: tuple[PropertySlot, ...], channels: tuple[tuple[str, str], ...]) -> tuple[PropertySlot, ...]:
    """Slots of which some are channels of the object: the first of each name, where it has three numbers."""
    keys = dict(channels)
    return tuple(
        slot._replace(key=keys[slot.key])
        if slot.key in keys and slot.components == 3 and slot.type in FLOAT_TYPES
        else slot
        for slot in slots
    )


@lru_cache(maxsize=4096)
def as_text(found: tuple[PropertySlot, ...]) -> str:
    """Slots as the text that TYPES holds."""
    return json.dumps(found, separators=(",", ":"))


@lru_cache(maxsize=4096)
def from_text(text: object) -> tuple[PropertySlot, ...]:
    """The inverse of `as_text`; empty for anything else."""
    try:
        parts = json.loads(text) if isinstance(text, str) else []
        made = tuple(
            PropertySlot(str(name), int(kind), int(components), str(key)) for name, kind, components, key in parts
        )
    except (ValueError, TypeError):
        return ()
    return made


def as_property(one: ns2.Property) -> Value | None:
    """A property's value as Blender can hold it, exactly; None for bytes that are no value, and old kinds of chunks."""
    try:
        value = one.value if one.id == PROPERTY else None
    except FormatError:
        return None
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, str) and ("\0" in value or not _is_unicode(value)):
        return value.encode("utf-8", "surrogatepass")
    return value


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def same(now: object, was: object) -> bool:
    """Whether a custom property still is what the import made; NaN is equal to itself here."""
    if isinstance(was, list) and isinstance(now, list):
        return len(now) == len(was) and all(same(one, other) for one, other in zip(now, was, strict=True))
    if isinstance(now, str | bytes) != isinstance(was, str | bytes):
        return False
    return bool(now == was or (now != now and was != was))


def value_of(kind: int, raw: object) -> ns2.Value:
    """The value of a property of a type that a custom property says. Raises ValueError where it is none."""
    if kind in TEXT_TYPES and isinstance(raw, str | bytes):
        return raw.decode("utf-8", "surrogatepass") if isinstance(raw, bytes) else raw
    if kind in FLOAT_TYPES and isinstance(raw, list) and all(isinstance(one, int | float) for one in raw):
        return tuple(float(one) for one in raw)
    if isinstance(raw, bool | int | float):
        if kind in FLOAT_TYPES:
            return float(raw)
        if kind == PropertyType.BOOL:
            return bool(raw)
        if kind in INT_TYPES and raw == int(raw):
            return int(raw)
    raise ValueError(f"{raw!r} is no value of type {PropertyType(kind).name.lower()}")


def type_of(raw: object, subtype: str = "") -> tuple[PropertyType, int] | None:
    """The type, and the number of components, that a new custom property is best written as; None where none is."""
    if isinstance(raw, bool):
        return PropertyType.BOOL, 1
    if isinstance(raw, int):
        return PropertyType.INTEGER, 1
    if isinstance(raw, str | bytes):
        return PropertyType.STRING, 1
    if isinstance(raw, float):
        return PropertyType.REAL, 1
    if isinstance(raw, list) and raw and all(isinstance(one, int | float) for one in raw):
        color = len(raw) == 3 and subtype.startswith("COLOR")
        return (PropertyType.COLOR if color else PropertyType.REAL), len(raw)
    return None


def current(obj: bpy.types.Object) -> tuple[tuple[PropertySlot, ...], dict[str, object]]:
    """What an object's custom properties say now, as `Known.shown` does of an entity."""
    slots, values = list[PropertySlot](), dict[str, object]()
    for slot in from_text(obj.get(TYPES)):
        if slot.key in CHANNELS:
            slots.append(slot._replace(key=slot.name))
        elif slot.key and obj.get(slot.key) is not None:
            slots.append(slot)
            values[slot.key] = as_python(obj[slot.key])
    for key in written_keys(obj):
        made = type_of(as_python(obj[key])) if key not in values else None
        if made is not None:
            slots.append(PropertySlot(key, int(made[0]), made[1], key))
            values[key] = as_python(obj[key])
    return tuple(slots), values


def written_keys(obj: bpy.types.Object) -> list[str]:
    """The keys of an object's custom properties that are an entity's, or may be new ones of it."""
    names: Iterable[str] = obj.keys()
    return [key for key in names if key != CLASS and not key.startswith(RESERVED)]
