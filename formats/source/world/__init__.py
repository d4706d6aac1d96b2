# SPDX-License-Identifier: GPL-3.0-or-later
"""The world of a compiled map, changed without a compiler (source.md §4).

Brushes are put into the leafs that are there, as the compiler does it with a func_detail, and taken out of them; what
opens sees and is seen. Nothing but what was edited changes.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...binary import FormatError
from ...steps import Steps, Stepwise, drain, quietly
from ..edits.brush_pieces import Piece
from ..edits.brush_tables import GROWING
from ..edits.changes import Changes
from ..edits.compaction import compact
from ..level import Level
from ..lumps import LumpId
from . import carve, cells, collision, faces, gone_models, leaf_light, light, props, unmet
from .asked import editable
from .brush_cells import BrushCells
from .owned import displaced
from .types import Bare, Carved, Change, WorldEdits, WorldError

__all__ = [
    "Bare",
    "Carved",
    "Change",
    "Piece",
    "WorldEdits",
    "WorldError",
    "apply",
    "cells",
    "check",
    "displaced",
    "editable",
    "gone_models",
    "pieces",
    "unmet",
]

_CARVED = (LumpId.BRUSHES, LumpId.NODES, LumpId.LEAFS, LumpId.LEAFBRUSHES)
"""Tables that are as large as they will be once brushes are carved: rows of others that go are used again."""
_DENSE = (
    *(LumpId.LEAFBRUSHES, LumpId.LEAFFACES, LumpId.NODES, LumpId.LEAFS),
    *(LumpId.LEAF_AMBIENT_LIGHTING, LumpId.LEAF_AMBIENT_LIGHTING_HDR),
)
"""Tables in which `carve` and `faces` leave no gaps."""


def pieces(level: Level) -> dict[int, Piece]:
    """The brushes of the world as they are, without bevels, by their numbers. Raises FormatError."""
    brushes = BrushCells(Changes(level))
    return {number: brushes.piece(number) for number in brushes.numbers.tolist()}


@Stepwise
def apply(level: Level, edits: WorldEdits) -> Steps[Carved]:
    """Change the world of a level.

    Raises WorldError, which names the brushes, or FormatError, and leaves the level as it was.
    """
    return (yield from quietly(_apply(level, edits)))  # hostile floats


def _apply(level: Level, edits: WorldEdits) -> Steps[Carved]:
    changes = Changes(level)
    carved = carve.carve(changes, edits)
    yield
    carved = yield from _follow(changes, edits, carved)
    placed, lengths = props.place(changes, carved), leaf_light.lengths(level)
    yield
    changes.apply()
    props.put(level.static_props, placed)
    leaf_light.keep_lengths(level, lengths)
    _put_bounds(level, carved)
    return carved


def _follow(changes: Changes, edits: WorldEdits, carved: Carved) -> Steps[Carved]:
    """Have faces, light and what collides follow the brushes. Raises WorldError and FormatError."""
    _check_room(changes, _CARVED if edits.changed else GROWING)  # before work that is in vain
    put = faces.put(changes, edits, carved)
    yield
    light.put(changes, carved, put)
    yield
    collision.put(changes, carved, put.displaced)
    yield
    sides = compact(changes, dense=_DENSE, closed=True).get(LumpId.BRUSHSIDES)
    yield
    _check_room(changes, GROWING)
    moved = np.array(sorted(put.displaced.moved), np.int64)
    bare = carved.bare if sides is None else [replace(part, side=int(sides[part.side])) for part in carved.bare]
    drawn = np.array([draft.brush for draft in put.made], np.int64)
    return replace(carved, bare=bare, drawn=drawn, displacements=moved, undisplaced=put.displaced.gone)


@np.errstate(all="ignore")
def check(level: Level, edits: WorldEdits) -> list[WorldError]:
    """All that `apply` would refuse, as far as that can be told of each by itself. Raises FormatError."""
    changes = Changes(level)
    carved, errors = carve.tried(changes, edits)
    if carved is not None:
        try:
            drain(_follow(changes, edits, carved))
        except FormatError as error:
            errors.append(error if isinstance(error, WorldError) else WorldError(error.message))
    return errors


def _check_room(changes: Changes, lumps: Sequence[LumpId]) -> None:
    """Raise WorldError where a table has become larger than usual compilers allow."""
    try:
        changes.check_room(lumps)
    except FormatError as error:
        raise WorldError(error.message) from error


def _put_bounds(level: Level, carved: Carved) -> None:
    """Have the worldspawn say how far the world reaches, where it opened."""
    world = level.entities[0] if len(level.entities) else None
    if world is None or not len(carved.opened):
        return
    corners = np.concatenate([cell.corners for cell in carved.cells.values()])
    for key, outer, bound in (
        ("world_mins", np.minimum, corners.min(axis=0)),
        ("world_maxs", np.maximum, corners.max(axis=0)),
    ):
        try:
            now = np.array([float(word) for word in (world.get(key) or "").split()])
        except ValueError:
            continue
        if now.shape == (3,) and (outer(now, bound) != now).any() and np.abs(now).max() <= 65536:
            world.set(key, " ".join(f"{value:g}" for value in outer(now, bound)))
