# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the world physics objects collide with, after its brushes have changed (source.md §2.8, §4).

A brush has a hull in the solid of each class that it has contents of; all hulls but those of changed brushes stay.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ... import convex
from ...arrays import Floats
from ...binary import FormatError
from ...counting import number_of
from ..collision import physcollide_build, physcollide_surface
from ..collision.physcollide_surface import Hull, Ledges
from ..edits import brush_collision
from ..edits.brush_pieces import Piece
from ..edits.changes import Changes
from ..edits.collision_materials import Materials
from ..edits.world_collision import WorldCollision
from ..level import Level
from ..lumps import LumpId
from .along import Displaced
from .types import Carved, WorldError

_INSETS = (0.0, 0.25, 0.5)
"""Units that compilers of different years make the world's hulls smaller by."""
_SAMPLE = 64
"""Hulls that tell by how much."""


def put(changes: Changes, carved: Carved, along: Displaced) -> None:
    """Have the world collide as it is now; in a map without any collision, nothing does. along: displacements that go
    with brushes.

    Raises WorldError for brushes that no hull can be made of.
    """
    made = WorldCollision.of(changes.level)
    if made is not None and _change(made, changes, carved, along):
        made.put(changes)


def _change(made: WorldCollision, changes: Changes, carved: Carved, along: Displaced) -> bool:
    """Take hulls out and put others in; whether there were any. Raises WorldError."""
    known = {place: physcollide_surface.read_ledges(made.solids[place]) for place in made.masks}
    shapes = {number: piece for number, piece in carved.shapes.items() if piece.contents & made.classes()}
    retextured = np.setdiff1d(carved.retextured, carved.removed)
    materials = Materials(changes, made.text, list(known.values()))
    fresh = materials.given(_hulls(shapes, _inset(changes.level, list(known.values())), carved))
    before = list(made.solids)
    for place, own in known.items():
        stays = ~np.isin(own.brushes, carved.removed)
        kept = own if stays.all() else own.taken(np.flatnonzero(stays))
        now = materials.renewed(kept, np.flatnonzero(np.isin(kept.brushes, retextured)))
        added = [hull for hull in fresh if shapes[hull.brush].contents & made.masks[place]]
        if now is not own or added:
            made.solids[place] = _solid(now, added, made.tagged)
    bare = made.of_displacements() if along else []
    usual = materials.usual() if bare else 0
    made.text = materials.text
    for mask in made.missing():
        added = [hull for hull in fresh if shapes[hull.brush].contents & mask]
        if added:
            made.append(mask, _solid(None, added, made.tagged))
    moves: dict[int, Floats | None] = {number: move for number, (move, _) in along.moved.items()}
    moves |= dict.fromkeys(along.gone.tolist())
    made.displace(changes, moves, bare, usual, changes.level.table(LumpId.DISP_VERTS))
    return made.solids != before


def _inset(level: Level, known: Sequence[Ledges]) -> float:
    """Units by which the map's compiler made hulls smaller."""
    some = [own.hull(n) for own in known for n in range(0, len(own.brushes), len(own.brushes) // _SAMPLE + 1)]
    amounts = brush_collision.insets(level, some)
    many = [np.count_nonzero(np.abs(amounts - inset) < brush_collision.NEAR) for inset in _INSETS]
    return _INSETS[int(np.argmax(many))]


def _solid(kept: Ledges | None, added: Sequence[Hull], tagged: bool) -> bytes:
    """The bytes of a solid; none of no hulls."""
    made = physcollide_build.ledges_of(added)
    whole = made if kept is None else physcollide_build.joined(kept, made)
    return physcollide_build.build_ledges(whole, tagged) if len(whole.counts) else b""


def _hulls(shapes: Mapping[int, Piece], inset: float, carved: Carved) -> list[Hull]:
    """The hull of each brush. Raises WorldError for one that is too fine to have one."""
    made = []
    for number, piece in shapes.items():
        for amount in (inset, 0.0):  # what is too thin for it stays as large as it is
            found = convex.from_planes(piece.normals, piece.dists - amount, [len(piece.dists)])
            if found.closed[0]:
                break
        try:
            made.append(brush_collision.hull_of(found, number))
        except FormatError as error:
            raise _refusal(f"can't collide: {error.message}", [number], carved) from error
    return made


def _refusal(message: str, brushes: Sequence[int], carved: Carved) -> WorldError:
    """An error about brushes, by their numbers."""
    places = {number: place for place, number in enumerate(carved.added.tolist())}
    return WorldError(
        number_of(len(brushes), f"brushes {message}"),
        [number for number in brushes if number not in places],
        [places[number] for number in brushes if number in places],
    )
