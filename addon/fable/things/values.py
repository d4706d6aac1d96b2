# SPDX-License-Identifier: GPL-3.0-or-later
"""What a thing's block says as custom properties: their names, their types, and the text of edited ones.

`layout` tells the names. A property that is what `as_property` makes of a statement's text leaves that text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite, sqrt

import bpy

from ....formats.fable import tng
from ....formats.fable.text import Block, Statement, coordinates, coordinates_text, decimal, line_end, number, unquoted
from ...scene import properties
from .. import layout

Property = bool | int | float | str | list[float]
Frame = tuple[tng.Vector, tng.Vector, tng.Vector]

_WHOLE, _DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)"), re.compile(r"-?[0-9]+\.[0-9]+")
_BARE = re.compile(r"-?[0-9.]+|[A-Za-z0-9]+\(.*\)")
_PATH = re.compile(r"((?:CTC\w*(?:#\d+)?\.)*)([^\s;\"]+)")


@dataclass(frozen=True, slots=True)
class Slot:
    """What a property stands for: a statement, or a component without any that are shown; and the block around it."""

    parent: Block
    entry: Statement | Block

    @property
    def value(self) -> Property:
        """The property that is made of it."""
        return "" if isinstance(self.entry, Block) else as_property(self.entry.value)


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
            raise ValueError(f"{value} is no number that a statement holds")
        whole = isinstance(value, int) if not isinstance(was, int | float) else isinstance(was, int)
        return str(int(value)) if whole and value == int(value) else decimal(value)
    if isinstance(value, list) and len(value) == 3 and all(isinstance(one, int | float) for one in value):
        if not all(map(isfinite, value)):
            raise ValueError(f"{value} are no coordinates that a statement holds")
        return coordinates_text((float(value[0]), float(value[1]), float(value[2])))
    raise ValueError("a statement holds a switch, a number, a text or three coordinates")


def slots(thing: tng.Thing, place: Place | None = None) -> dict[str, Slot]:
    """What of a thing is shown, by the names of the properties, in the file's order. place: its own, if known."""
    found: dict[str, Slot] = {}
    taken: dict[str, int] = {}
    hidden = {id(statement) for statement in (place or place_of(thing)).statements}
    for path, slot in _walk(thing.block, "", hidden):
        times = taken[path] = taken.get(path, 0) + 1
        key = path if times == 1 else f"{path}#{times}"
        if len(key.encode()) <= properties.MAX_KEY and "\0" not in key and not is_reserved(key):
            found.setdefault(key, slot)
    return found


def _walk(block: Block, prefix: str, hidden: set[int]) -> Iterator[tuple[str, Slot]]:
    names: dict[str, int] = {}
    for entry in block.entries:
        if isinstance(entry, Statement):
            if entry.key and id(entry) not in hidden:
                yield prefix + entry.key, Slot(block, entry)
            continue
        name = entry.opening.key.removeprefix("Start")
        times = names[name] = names.get(name, 0) + 1
        path = prefix + (name if times == 1 else f"{name}#{times}")
        inside = list(_walk(entry, path + ".", hidden))
        yield from inside or [(path, Slot(block, entry))]


def is_reserved(key: str) -> bool:
    """Whether a property is Blender's or ours, and so says nothing of a thing."""
    return key.startswith(("levelwright", "_", "cycles")) or key == layout.NEW_THING


def add(thing: tng.Thing, key: str, value: object) -> None:
    """Add what a property says at the end of its block; components that it names are made.

    Raises ValueError for names and values that no statement has.
    """
    match = _PATH.fullmatch(key)
    if match is None or not key.isascii():
        raise ValueError("a statement's name has no blanks, quotes and semicolons")
    block = thing.block
    for name in match[1].split(".")[:-1]:
        block = _component(block, name)
    name = match[2].partition("#")[0]
    if name.startswith("CTC"):
        _component(block, match[2])
        return
    made = Block(block.opening)
    text = as_text(value)
    quoted = isinstance(value, str) and not _BARE.fullmatch(text) and name not in layout.BARE_TEXTS
    made.set(name, f'"{text}"' if quoted and '"' not in text else text)
    statement = made.entries[0]
    if isinstance(statement, Statement):
        statement.before = line_end(thing.block.opening.before)
    block.entries.append(statement)


def _component(block: Block, name: str) -> Block:
    """A component of this name ("CTCDoor", of several of a name "CTCDoor#2"), made where there is none."""
    base, _, which = name.partition("#")
    there = list(block.blocks(f"Start{base}"))
    wanted = int(which) if which.isdigit() else 1
    if 0 < wanted <= len(there):
        return there[wanted - 1]
    newline = line_end(block.opening.before)
    made = Block(Statement(f"Start{base}", "", newline, ""), closing=Statement(f"End{base}", "", newline, ""))
    block.entries.append(made)
    return made


def change(slot: Slot, value: object) -> bool:
    """Give a statement what a property says; whether that changed its text. Raises ValueError as `as_text` does."""
    if isinstance(slot.entry, Block):
        return False
    was = slot.value
    if type(was) is type(value) and was == value:
        return False
    text = as_text(value, was)
    if as_property(text) == was:
        return False
    before = slot.entry.value
    Block(slot.parent.opening, [slot.entry]).set(slot.entry.key, text)
    return slot.entry.value != before


# ---------------------------------------------------------------------------------------------------------------- place


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing is, as far as it says so in numbers that Blender can show. statements: those that say it.

    body: the component that has it. frame: its right, its front and its top, of length 1.
    """

    body: Block | None = None
    position: tng.Vector | None = None
    frame: Frame | None = None
    scale: float | None = None
    statements: tuple[Statement, ...] = ()


def place_of(thing: tng.Thing) -> Place:
    """Where a thing is, how it stands, and how large it is made.

    Right is front x top (fable.md §5). The file's vectors are a little short, and not quite square: the front
    counts.
    """
    scale = thing.block.find(layout.OBJECT_SCALE)
    factor = number(scale.value) if scale is not None else None
    if scale is None or factor is None or not 1e-6 < factor < 1e6:
        scale = factor = None
    shown = () if scale is None else (scale,)
    body = thing.body
    if body is None:
        return Place(scale=factor, statements=shown)
    first: dict[str, Statement] = {}
    for statement in body.statements():
        first.setdefault(statement.key, statement)
    position, where = _vector(first, "Position")
    if position is None:
        return Place(body, scale=factor, statements=shown)
    forward, towards = _vector(first, "RHSetForward")
    up, upwards = _vector(first, "RHSetUp")
    frame = None if forward is None or up is None else _frame(forward, up)
    return Place(body, position, frame, factor, (*shown, *where, *(towards + upwards if frame else ())))


def _vector(statements: dict[str, Statement], name: str) -> tuple[tng.Vector | None, tuple[Statement, ...]]:
    """The numbers that three statements say, and those statements; None where they aren't numbers of use."""
    found = tuple(statements[name + axis] for axis in "XYZ" if name + axis in statements)
    values = [value for one in found if (value := number(one.value)) is not None and abs(value) < 1e30]
    return ((values[0], values[1], values[2]), found) if len(values) == 3 else (None, ())


def _frame(forward: tng.Vector, up: tng.Vector) -> Frame | None:
    front = _unit(forward)
    right = front and _unit(_cross(front, up))
    return (right, front, _cross(right, front)) if front and right else None


def _cross(one: tng.Vector, other: tng.Vector) -> tng.Vector:
    (a, b, c), (x, y, z) = one, other
    return b * z - c * y, c * x - a * z, a * y - b * x


def _unit(vector: tng.Vector) -> tng.Vector | None:
    x, y, z = vector
    length = sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length) if 1e-6 < length < 1e30 else None


def written_keys(obj: bpy.types.Object) -> Iterable[str]:
    """The custom properties of an object that say something of a thing."""
    names: Iterable[str] = obj.keys()
    return [key for key in names if not is_reserved(key)]
