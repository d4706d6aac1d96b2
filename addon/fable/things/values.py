# SPDX-License-Identifier: GPL-3.0-or-later
"""What a thing's block says as custom properties: their names, their types, and the text of edited ones.

`layout` tells the names. A property that is what `as_property` makes of a statement's text leaves that text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from math import isfinite

import bpy

from ....formats.fable import tng
from ....formats.fable.placement import ThingPlacement, placement_of
from ....formats.fable.text import Statement, StatementBlock, coordinates, coordinates_text, decimal, line_end, unquoted
from ...scene.fields import properties
from .. import layout

Property = bool | int | float | str | list[float]

_WHOLE, _DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)"), re.compile(r"-?[0-9]+\.[0-9]+")
_BARE = re.compile(r"-?[0-9.]+|[A-Za-z0-9]+\(.*\)")
_PATH = re.compile(r"((?:CTC\w*(?:#\d+)?\.)*)([^\s;\"]+)")


@dataclass(frozen=True, slots=True)
class PropertySource:
    """What a property is made of."""

    parent: StatementBlock
    """The block around it."""
    entry: Statement | StatementBlock
    """A statement, or a component without any that are shown."""

    @property
    def value(self) -> Property:
        """The property that is made of it."""
        return "" if isinstance(self.entry, StatementBlock) else as_property(self.entry.value)


def as_property(text: str) -> Property:
    """A statement's value as a custom property: text has no quotes, numbers too large for Blender stay text."""
    if text in ("TRUE", "FALSE"):
        return text == "TRUE"
    if _WHOLE.fullmatch(text) and len(text) < 12 and int(text) in properties.INT32 and text != "-0":
        return int(text)
    if _DECIMAL.fullmatch(text) and isfinite(value := float(text)):
        return value
    vector = coordinates(text)
    if vector is not None and all(map(isfinite, vector)):
        return list(vector)
    return unquoted(text)


def as_text(value: object, was: Property | None = None) -> str:
    """The text of a property, in the way of what it `was`. Raises ValueError for what no statement holds."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or (isinstance(was, bool) and isinstance(value, int) and value in (0, 1)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        if not isfinite(value):
            raise ValueError(f"{value} can't be the number of a statement")
        whole = isinstance(value, int) if not isinstance(was, int | float) else isinstance(was, int)
        return str(int(value)) if whole and value == int(value) else decimal(value)
    if isinstance(value, list) and len(value) == 3 and all(isinstance(one, int | float) for one in value):
        if not all(map(isfinite, value)):
            raise ValueError(f"{value} can't be the coordinates of a statement")
        return coordinates_text((float(value[0]), float(value[1]), float(value[2])))
    raise ValueError("a statement holds a switch, a number, a text or three coordinates")


def sources(thing: tng.Thing, placement: ThingPlacement | None = None) -> dict[str, PropertySource]:
    """What of a thing is shown, by the names of the properties, in the file's order. placement: its own, if known."""
    found: dict[str, PropertySource] = {}
    taken: dict[str, int] = {}
    hidden = {id(statement) for statement in (placement or placement_of(thing)).statements}
    for path, source in _walk(thing.block, "", hidden):
        times = taken[path] = taken.get(path, 0) + 1
        key = path if times == 1 else f"{path}#{times}"
        if len(key.encode()) <= properties.MAX_KEY and "\0" not in key and not is_reserved(key):
            found.setdefault(key, source)
    return found


def _walk(block: StatementBlock, prefix: str, hidden: set[int]) -> Iterator[tuple[str, PropertySource]]:
    names: dict[str, int] = {}
    for entry in block.entries:
        if isinstance(entry, Statement):
            if entry.key and id(entry) not in hidden:
                yield prefix + entry.key, PropertySource(block, entry)
            continue
        name = entry.opening.key.removeprefix("Start")
        times = names[name] = names.get(name, 0) + 1
        path = prefix + (name if times == 1 else f"{name}#{times}")
        inside = list(_walk(entry, path + ".", hidden))
        yield from inside or [(path, PropertySource(block, entry))]


def is_reserved(key: str) -> bool:
    """Whether a property is Blender's or ours, and so says nothing of a thing."""
    return key.startswith(("levelwright", "_", "cycles")) or key == layout.NEW_THING


def add(thing: tng.Thing, key: str, value: object) -> None:
    """Add what a property says at the end of its block; components that it names are made.

    Raises ValueError for names and values that no statement has.
    """
    match = _PATH.fullmatch(key)
    if match is None or not key.isascii():
        raise ValueError("a statement's name can't have blanks, quotes or semicolons")
    block = thing.block
    for name in match[1].split(".")[:-1]:
        block = _component(block, name)
    name = match[2].partition("#")[0]
    if name.startswith("CTC"):
        _component(block, match[2])
        return
    made = StatementBlock(block.opening)
    text = as_text(value)
    quoted = isinstance(value, str) and not _BARE.fullmatch(text) and name not in layout.BARE_TEXTS
    made.set(name, f'"{text}"' if quoted and '"' not in text else text)
    statement = made.entries[0]
    if isinstance(statement, Statement):
        statement.before = line_end(thing.block.opening.before)
    block.entries.append(statement)


def _component(block: StatementBlock, name: str) -> StatementBlock:
    """A component of this name ("CTCDoor", of several of a name "CTCDoor#2"), made where there is none."""
    base, _, which = name.partition("#")
    there = list(block.blocks(f"Start{base}"))
    wanted = int(which) if which.isdigit() else 1
    if 0 < wanted <= len(there):
        return there[wanted - 1]
    newline = line_end(block.opening.before)
    made = StatementBlock(Statement(f"Start{base}", "", newline, ""), closing=Statement(f"End{base}", "", newline, ""))
    block.entries.append(made)
    return made


def change(source: PropertySource, value: object) -> bool:
    """Give a statement what a property says; whether that changed its text. Raises ValueError as `as_text` does."""
    was = source.value
    if _same(was, value):
        return False
    if isinstance(source.entry, StatementBlock):
        raise ValueError("it stands for a component, which has no value of its own")
    text = as_text(value, was)
    if _same(as_property(text), was):
        return False
    before = source.entry.value
    StatementBlock(source.parent.opening, [source.entry]).set(source.entry.key, text)
    return source.entry.value != before


def _same(first: object, second: object) -> bool:
    """Whether two properties are alike: TRUE isn't 1 here, and 1 isn't 1.0."""
    return type(first) is type(second) and first == second


def written_keys(obj: bpy.types.Object, shown: Container[str] = ()) -> list[str]:
    """The custom properties of an object that say something of a thing. shown: those that an import made of it; of the
    others, what an add-on gave to all objects says nothing.
    """
    names: Iterable[str] = obj.keys()
    keys = [key for key in names if not is_reserved(key)]
    return [key for key in keys if key in shown or not properties.is_registered(obj, key)]
