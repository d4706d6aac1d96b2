# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of the world of a compiled map, and what came of it (source.md §4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...arrays import Floats, Ints
from ...binary import FormatError
from ..edits.brush_pieces import Piece
from .cells import Cell

WHAT = "world"


class WorldError(FormatError):
    """An edit of the world that can't be made. changed: the brushes of `WorldEdits.changed` that are to blame, by their
    numbers; added: those of `WorldEdits.added`, by their places. Both empty: the map as a whole.
    """

    def __init__(self, message: str, changed: Sequence[int] = (), added: Sequence[int] = ()) -> None:
        super().__init__(message, WHAT)
        self.changed = tuple(changed)
        self.added = tuple(added)


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A brush of the world that is given another shape, or taken out (shape None)."""

    shape: Piece | None
    sides: Ints | None = None
    """int64[k], for each side of the shape, which of the sides of the old brush without its bevels it was, -1: a new
    one."""
    move: Floats | None = None
    """float64[4, 4], the transform that took the old brush to the new one, None where there is none such: faces of
    sides that were there take their light along."""


@dataclass(frozen=True, slots=True, eq=False)
class WorldEdits:
    """What is to be other: brushes of model 0, by their numbers, and new ones. Texinfos are rows that are there, or
    -1: none, of sides that aren't drawn.
    """

    changed: Mapping[int, Change] = field(default_factory=dict)
    added: Sequence[Piece] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Bare:
    """A part of a brush's side that was hidden before, and looks into an opened leaf now."""

    brush: int
    """Its number."""
    side: int
    """Its row in BRUSHSIDES."""
    leaf: int
    """The opened leaf, as it is numbered now."""
    points: Floats
    """float64[n, 3], clockwise seen from the front, as in faces."""


@dataclass(frozen=True, slots=True, eq=False)
class Carved:
    """What the world became. Brushes, and leafs that were there, keep their numbers."""

    removed: Ints
    """int64[n], brushes whose shape went: ones that are gone and ones that have another shape."""
    shapes: Mapping[int, Piece]
    """Brushes that have another shape or are new, by their numbers, as they are written: planes are the file's float32,
    and contents have DETAIL."""
    added: Ints
    """int64[n], the number of each of `WorldEdits.added`."""
    retextured: Ints
    """int64[n], brushes of which only texinfos of sides changed."""
    source: Ints
    """int64[leafs], the leaf of before that each is a part of: itself, or of new ones the solid leaf that was cut."""
    like: Ints
    """int64[leafs], the leaf of before that it has cluster, area and light of: its source, or of opened ones an empty
    one beside it."""
    opened: Ints
    """int64[n], ascending, leafs that were solid and aren't any more."""
    cells: Mapping[int, Cell]
    """The space of each of these."""
    bare: Sequence[Bare]
    """What of sides of brushes that were there has come to be seen. Sides of `shapes` are not among them."""
    clusters: Ints
    """int64[n], those that see or hear more than before."""
    drawn: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64[n], the brush of each of the world's last n faces, which are new or have moved, -1: not known."""
    displacements: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64[n], by their numbers of before, those that moved along with brushes."""
    undisplaced: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64[n], those that were taken away with brushes."""
