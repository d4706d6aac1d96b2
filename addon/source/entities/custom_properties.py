# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and values of entities as custom properties, and back; typed where a game definition says how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import bpy
from bpy.types import Object

from ....formats.source.content import fgd
from ....formats.source.entities.text import OLD_SEPARATOR, ORIGIN, SEPARATOR, Entity, Output, vector
from ...scene.blender_types import gives
from ...scene.fields.properties import INT32, MAX_KEY, is_nested, is_registered, put, put_texts
from ...scene.reports import SceneError

RESERVED = "levelwright"
"""Keys that begin so would be taken for ours: they stay in the original only."""
SHOWN_SEPARATOR = "\u241b"
"""Between the fields of an output, where the file has the character ESC, which no text field shows."""

Property = int | float | str | bytes | list[int] | list[float] | list[str]
_INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
_TYPED = ("integer", "float", "color255", "vector", "color1")
"""Types of keys that make all kinds of values there are."""
_FLOATS = {"angle": 3, "vector": 3, "origin": 3, "color1": 0}


@dataclass
class Types:
    """What a game definition says; without one all values are text."""

    definitions: fgd.Definitions = field(default_factory=fgd.Definitions)

    def key(self, classname: str, key: str) -> fgd.Key | None:
        """What a key of a class is; None for what no definition knows."""
        made = self.definitions.of(classname)
        return made.keys.get(key.lower()) if made is not None else None


def shown(entity: Entity) -> dict[str, list[str]]:
    """The values of each key that is a property, in the file's order: keys that differ in capitals are several.

    Not shown are the origin, if it is a place (the object's location), and keys and values that Blender can't hold:
    those longer than 63 bytes, with a NUL where there are several, or with a name of ours.
    """
    pairs = entity.pairs
    keys = _keys_of(tuple([key for key, _ in pairs]))
    found: dict[str, list[str]] = {}
    for key, numbers in keys.unplaced if keys.is_placed(pairs) else keys.shown:
        values = [pairs[number][1] for number in numbers]
        if len(values) == 1 or "\0" not in "".join(values):
            found[key] = values
    return found


class _Keys(NamedTuple):
    """What there is to know of the keys of an entity."""

    shown: tuple[tuple[str, tuple[int, ...]], ...]
    """Those that Blender can hold, each with the numbers of its pairs."""
    unplaced: tuple[tuple[str, tuple[int, ...]], ...]
    """The same without the origin."""
    origin: int
    """The number of the origin's pair, of several the last, which counts; -1: none."""
    are_single: bool
    """Whether each has one pair."""

    def is_placed(self, pairs: Sequence[tuple[str, str]]) -> bool:
        """Whether the origin is a place. pairs: of such an entity."""
        return self.origin >= 0 and vector(pairs[self.origin][1]) is not None


@lru_cache(1 << 10)  # the entities of a class have the same keys: half the time of `shown` was spent on them
def _keys_of(keys: tuple[str, ...]) -> _Keys:
    numbers: dict[str, list[int]] = {}
    origin = -1
    for number, key in enumerate(keys):
        numbers.setdefault(key, []).append(number)
        if key.lower() == ORIGIN:
            origin = number
    found = tuple((key, tuple(own)) for key, own in numbers.items() if _shows(key))
    unplaced = tuple((key, own) for key, own in found if key.lower() != ORIGIN)
    return _Keys(found, unplaced, origin, all(len(own) == 1 for _, own in found))


def _shows(key: str) -> bool:
    """Whether Blender can hold a key."""
    short = len(key) * 3 <= MAX_KEY or len(key.encode("utf-8", "surrogateescape")) <= MAX_KEY
    return short and key != "" and "\0" not in key and not key.lower().startswith(RESERVED)


def as_property(key: str, values: Sequence[str], kind: fgd.Key | None = None) -> Property:
    """The property of a key: a list of text for outputs and for keys that repeat, otherwise the value as its type.

    Text that is no value of its type stays text. A property equal to this one leaves the pairs in the file as they are.
    """
    text = values[0]
    if len(values) > 1 or ((SEPARATOR in text or OLD_SEPARATOR in text) and Output.of_pair(key, text) is not None):
        return [readable(value) for value in values]
    if "\0" in text:
        return text.encode("utf-8", "surrogateescape")
    return _typed(text, kind) if kind is not None else text


def _typed(text: str, kind: fgd.Key) -> Property:
    if kind.type in ("integer", "boolean", "choices", "flags"):
        whole = _INTEGER.fullmatch(text) is not None and int(text) in INT32 and str(int(text)) == text
        return int(text) if whole else text
    if kind.type == "color255":
        parts = text.split()
        small = parts and all(_INTEGER.fullmatch(part) is not None and int(part) in INT32 for part in parts)
        return [int(part) for part in parts] if small else text
    try:
        numbers = [float(part) for part in text.split()]
    except ValueError:
        return text
    if kind.type == "float" and len(numbers) == 1:
        return numbers[0]
    wanted = _FLOATS.get(kind.type)
    return numbers if wanted is not None and numbers and (not wanted or len(numbers) == wanted) else text


def as_values(value: object) -> list[str]:
    """The values in the file of a property: the inverse of `as_property`, for edited ones too.

    value: as Blender gives it. Numbers are written as the editor does: as few digits as tell them apart.
    """
    plain = value.to_list() if hasattr(value, "to_list") else value
    if isinstance(plain, bytes):
        return [plain.decode("utf-8", "surrogateescape")]
    if isinstance(plain, str):
        return [plain.replace(SHOWN_SEPARATOR, SEPARATOR)]
    if isinstance(plain, Sequence):
        if not len(plain) or any(isinstance(one, str) for one in plain):
            return [str(one).replace(SHOWN_SEPARATOR, SEPARATOR) for one in plain]
        return [" ".join(_number(one) for one in plain)]
    return [_number(plain)]


def _values_of(id_block: bpy.types.ID, key: str) -> list[str]:
    """The values of a property. Raises SceneError for a group or a data-block."""
    raw: object = id_block[key]
    if is_nested(raw):
        at_fault = [id_block] if isinstance(id_block, Object) else []
        raise SceneError(
            f"{id_block.name}: property {key} is a group or a data-block: a value is text or numbers", at_fault
        )
    return as_values(raw)


def _number(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return str(value) if isinstance(value, int) else f"{value:.9g}"


def is_same(key: str, raw: object, values: Sequence[str]) -> bool:
    """Whether a property is what `as_property` makes of a key's values, whichever game definition it went by."""
    plain = raw.to_list() if hasattr(raw, "to_list") else raw
    unedited = as_property(key, values)
    if (
        isinstance(unedited, bytes)
        or isinstance(plain, bytes | str)
        or (isinstance(unedited, list) and isinstance(unedited[0], str))
    ):
        return type(plain) is type(unedited) and plain == unedited
    return any(_alike(plain, _typed(values[0], fgd.Key("", kind))) for kind in _TYPED)


def _alike(one: object, other: object) -> bool:
    """Whether numbers, or lists of them, are the same, bit for bit."""
    return type(one) is type(other) and repr(one) == repr(other)


def merged_pairs(id_block: bpy.types.ID, entity: Entity) -> tuple[list[tuple[str, str]], set[str]]:
    """The pairs that an entity has by the custom properties of a data-block, and the keys (in small letters) of those
    that differ from its own.

    Properties that are gone are pairs that are gone. Further values of a key stand behind the last one that it has,
    keys that the entity hasn't behind all.
    """
    known = shown(entity)
    fresh: dict[str, list[str]] = {}
    edited: set[str] = set()
    for key, values in known.items():
        raw: object = id_block.get(key)
        fresh[key] = values
        if raw is None or not is_same(key, raw, values):
            fresh[key] = [] if raw is None else _values_of(id_block, key)
            edited.add(key.lower())
    left = {key: len(values) for key, values in known.items()}
    pairs: list[tuple[str, str]] = []
    for key, value in entity.pairs:
        if key not in known:
            pairs.append((key, value))
            continue
        left[key] -= 1
        place = len(known[key]) - 1 - left[key]
        pairs += [(key, one) for one in fresh[key][place : None if left[key] == 0 else place + 1]]
    for key in written_keys(id_block):
        if key not in known:
            values = _values_of(id_block, key)
            hidden = [number for number, pair in enumerate(pairs) if pair[0].lower() == key.lower() == ORIGIN]
            if hidden and values:  # the place, which was no property so far
                pairs[hidden[-1]] = (pairs[hidden[-1]][0], values[-1])
            else:
                pairs += [(key, one) for one in values]
            edited.add(key.lower())
    return pairs, edited


def written_keys(id_block: bpy.types.ID) -> list[str]:
    """The keys of a data-block's custom properties that are pairs of an entity, or may be new ones.

    Those of other extensions aren't: groups, and (up to Blender 4.5 they are among the keys) what these registered.
    """
    keys: Sequence[str] = list(id_block.keys())
    own = [key for key in keys if not key.lower().startswith(RESERVED) and not is_registered(id_block, key)]
    return [key for key in own if not is_nested(id_block[key])]


def readable(value: str) -> str:
    """An output's value with separators that can be seen."""
    return value.replace(SEPARATOR, SHOWN_SEPARATOR)


def write(id_block: bpy.types.ID, entity: Entity, types: Types) -> None:
    """Write an entity's pairs as custom properties, in their order."""
    known = types.definitions.of(entity.classname) if types.definitions.classes else None
    if known is None and (texts := _plain_texts(entity)) is not None:
        put_texts(id_block, texts)
        return
    for key, values in shown(entity).items():
        kind = known.keys.get(key.lower()) if known is not None else None
        value = as_property(key, values, kind)
        put(id_block, key, value)
        if kind is not None:
            _describe(id_block, key, value, kind)


def _plain_texts(entity: Entity) -> dict[str, str] | None:
    """What `shown` and `as_property` make of an entity without types, where that is each value as it is, as it is of
    most entities; None where it isn't.
    """
    pairs = entity.pairs
    keys = _keys_of(tuple([key for key, _ in pairs]))
    if not keys.are_single:
        return None
    listed = keys.unplaced if keys.is_placed(pairs) else keys.shown
    texts = {key: pairs[number][1] for key, (number,) in listed}
    together = "".join(texts.values())
    return None if SEPARATOR in together or OLD_SEPARATOR in together or "\0" in together else texts


def _describe(id_block: bpy.types.ID, key: str, value: Property, kind: fgd.Key) -> None:
    """Give a property the tooltip, and a number the menu, that its definition has. Lists of text can have none."""
    if isinstance(value, bytes) or (isinstance(value, list) and isinstance(value[0], str)):
        return
    shows: dict[str, object] = {"description": _tooltip(kind)}
    numbers = [choice for choice in kind.choices if _INTEGER.fullmatch(choice.value) and int(choice.value) in INT32]
    if kind.type == fgd.CHOICES and any(int(choice.value) == value for choice in numbers):
        # A menu shows nothing but what is in it: other numbers stay plain ones.
        titles = {int(choice.value): choice.title or choice.value for choice in numbers}
        shows["items"] = [(str(number), title, "", number) for number, title in titles.items()]
    manager = gives(id_block.id_properties_ui)(key)
    manager.update(**shows)


def _tooltip(kind: fgd.Key) -> str:
    parts = [": ".join(part for part in (kind.title, kind.help) if part) or kind.name]
    parts += [f"{choice.value}: {choice.title}" for choice in kind.choices]
    return "\n".join(parts)
