# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a thing of a `.tng` is, how it stands and how large it is made (fable.md §5)."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from . import tng
from .text import Statement, StatementBlock, number

Frame = tuple[tng.Vector, tng.Vector, tng.Vector]

OBJECT_SCALE = "ObjectScale"
"""The statement that says how large a thing is made; 1 where there is none."""


@dataclass(frozen=True, slots=True)
class ThingPlacement:
    """Where a thing is, as far as it says so in finite numbers of a usable size."""

    body: StatementBlock | None = None
    """The component that says it (CTCPhysicsStandard, ...)."""
    position: tng.Vector | None = None
    """Units, local to the map."""
    frame: Frame | None = None
    """Its right, its front and its top: at right angles, of length 1."""
    scale: float | None = None
    """ObjectScale."""
    statements: tuple[Statement, ...] = ()
    """Those that say all this."""


def placement_of(thing: tng.Thing) -> ThingPlacement:
    """Where a thing is, how it stands, and how large it is made.

    Right is front x top. The file's vectors are a little short, and not quite at right angles: the front is kept.
    """
    scale = thing.block.find(OBJECT_SCALE)
    factor = number(scale.value) if scale is not None else None
    if scale is None or factor is None or not 1e-6 < factor < 1e6:
        scale = factor = None
    found = () if scale is None else (scale,)
    body = thing.body
    if body is None:
        return ThingPlacement(scale=factor, statements=found)
    first: dict[str, Statement] = {}
    for statement in body.statements():
        first.setdefault(statement.key, statement)
    position, where = _vector(first, "Position")
    if position is None:
        return ThingPlacement(body, scale=factor, statements=found)
    forward, towards = _vector(first, "RHSetForward")
    up, upwards = _vector(first, "RHSetUp")
    frame = None if forward is None or up is None else _frame(forward, up)
    return ThingPlacement(body, position, frame, factor, (*found, *where, *(towards + upwards if frame else ())))


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
