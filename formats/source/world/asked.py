# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of the world, looked through: which brushes are another shape, and what can't be (source.md §4.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...binary import FormatError
from ...convex import Polygons
from ..edits import brush_pieces
from ..edits.brush_models import snapped_onto
from ..edits.brush_pieces import Piece
from ..edits.changes import FARTHEST, Changes
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from .brush_cells import BrushCells
from .types import WHAT, WorldEdits, WorldError

_NEEDED = (
    *(LumpId.PLANES, LumpId.BRUSHES, LumpId.BRUSHSIDES, LumpId.NODES, LumpId.LEAFS, LumpId.LEAFBRUSHES),
    *(LumpId.LEAFFACES, LumpId.MODELS, LumpId.TEXINFO),
)
REFUSED = {
    Contents.WATER: "is water, which has leafs, fog and a surface of its own",
    Contents.SLIME: "is slime, which has leafs, fog and a surface of its own",
    Contents.AREAPORTAL: "is an area portal, which parts the world",
}
"""Contents of brushes that can't be changed, and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Edits that can be made."""

    removed: Sequence[int]
    """int64[n], of all brushes those whose shape goes."""
    shapes: Mapping[int, Piece]
    """New shapes of brushes that were there."""
    retextured: Mapping[int, Piece]
    """Those of which only texinfos change."""
    added: Sequence[Piece]
    """New brushes."""


def editable(level: Level) -> None:
    """Raise WorldError for a map whose world can't be changed."""
    for lump in _NEEDED:
        try:
            level.table(lump)
        except FormatError as error:
            raise WorldError(f"{error.reading or WHAT}: {error.message}") from error
    if not len(level.table(LumpId.NODES)) or not len(level.table(LumpId.MODELS)):
        raise WorldError("it has no tree")


def looked_through(changes: Changes, brushes: BrushCells, edits: WorldEdits) -> tuple[Asked, list[WorldError]]:
    """What is asked, as far as it can be, and what can't be."""
    errors: list[WorldError] = []
    removed, shapes, retextured, added = [], {}, {}, []
    texinfos = len(changes.table(LumpId.TEXINFO))
    for number, change in edits.changed.items():
        try:
            if number not in brushes:
                raise FormatError("isn't a brush of the world", WHAT)
            old = brushes.piece(number)
            shape = None if change.shape is None else _checked(_settled(change.shape, old), texinfos)
            if shape is not None and _same(old, shape):
                if not np.array_equal(old.texinfos, shape.texinfos):
                    retextured[number] = shape
                continue
            _check_contents(old.contents)
        except FormatError as error:
            errors.append(WorldError(f"brush {number} {error.message}", changed=[number]))
            continue
        removed.append(number)
        if shape is not None:
            shapes[number] = _detailed(shape)
    for place, piece in enumerate(edits.added):
        try:
            added.append(_detailed(_checked(piece, texinfos)))
        except FormatError as error:
            errors.append(WorldError(f"a new brush {error.message}", added=[place]))
    return Asked(removed, shapes, retextured, added), errors


def _settled(shape: Piece, old: Piece) -> Piece:
    """A shape with the very planes that the brush had, where its sides still lie in them."""
    found = _polygons(shape)
    return snapped_onto([shape], found, [old])[0]


def _polygons(shape: Piece) -> Polygons:
    try:
        return brush_pieces.polygons([shape])
    except FormatError as error:
        raise FormatError(error.message.removeprefix("piece 0 "), WHAT) from error


def _checked(shape: Piece, texinfos: int) -> Piece:
    """A shape whose sides all bound it. Raises FormatError for what can't be a brush."""
    _check_contents(shape.contents)
    shape = replace(shape, normals=brush_pieces.snapped(shape.normals))
    found = _polygons(shape)
    if np.abs(found.positions).max() > FARTHEST:
        raise FormatError(f"reaches further than {FARTHEST:.0f} units", WHAT)
    strange = shape.texinfos[(shape.texinfos < -1) | (shape.texinfos >= texinfos)]
    if len(strange):
        raise FormatError(f"has the texinfo {strange[0]}, there are {texinfos}", WHAT)
    if not 0 <= shape.contents < 1 << 32:
        raise FormatError(f"has the contents {shape.contents:#x}", WHAT)
    return shape


def _check_contents(contents: int) -> None:
    for flag, why in REFUSED.items():
        if contents & flag:
            raise FormatError(why, WHAT)


def _same(old: Piece, new: Piece) -> bool:
    """Whether a brush encloses the same, to the bits that the file has, and is of the same."""
    return (
        len(old.dists) == len(new.dists)
        and old.contents == new.contents
        and np.array_equal(old.normals.astype(np.float32), new.normals.astype(np.float32))
        and np.array_equal(old.dists.astype(np.float32), new.dists.astype(np.float32))
    )


def _detailed(shape: Piece) -> Piece:
    """As a func_detail: it is in leafs as they are, and hides nothing from those that see one another."""
    return replace(shape, contents=int(shape.contents | Contents.DETAIL))
