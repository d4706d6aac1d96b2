# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the world physics objects collide with, after its brushes have changed (source.md §2.8, §4).

The world has a solid for each class of contents that is of use to them: walls, what stops players, what stops monsters.
A brush has a hull in the solid of each class that it has contents of; all hulls but those of changed brushes stay.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ... import convex
from ...binary import Buffer, FormatError
from .. import physcollide, physcollide_build, physcollide_surface
from ..edits import brush_collision
from ..edits.brush_pieces import Piece
from ..edits.changes import Changes
from ..level import Level
from ..lumps import LumpId
from ..physcollide import SOLID_TAG, PhysCollide, PhysModel
from ..physcollide_surface import Hull, Ledges
from ..records import Contents, Records
from . import displaced_collision
from .along import Displaced
from .collision_materials import Materials
from .types import Carved, WorldError

_WALLS = Contents.SOLID | Contents.WINDOW | Contents.MOVEABLE | Contents.MONSTER
_CLASSES = (_WALLS, Contents.GRATE, Contents.PLAYERCLIP, Contents.MONSTERCLIP)
"""The contents that compilers make solids of; most put gratings into the first one's."""
_INSETS = (0.0, 0.25, 0.5)
"""Units that compilers of different years make the world's hulls smaller by."""
_SAMPLE = 64
"""Hulls that tell by how much."""
_EMPTY = "virtualterrain {}\nmaterialtable {\n}\n"
_BLOCK = re.compile(r"(\w+)\s*\{([^{}]*)\}\n?")
_PAIR = re.compile(r'"([^"]*)"\s*"([^"]*)"')
_INDEX = re.compile(r'(?<="index" ")\d+(?=")')


def put(changes: Changes, carved: Carved, along: Displaced) -> None:
    """Have the world collide as it is now; in a map without any collision, nothing does. along: displacements that go
    with brushes.

    Raises WorldError for brushes that no hull can be made of, and in maps of consoles, whose solids aren't known.
    """
    level = changes.level
    if not len(level.bytes_of(LumpId.PHYSCOLLIDE)):
        return
    found = level.physcollide
    old = found.of_model(0)
    made = _World.of(level, old)
    if level.byte_order == ">":
        made.refuse_consoles(changes, carved)
    elif made.change(changes, carved, along):
        _write(changes, found, old, made)


def put_displaced(changes: Changes) -> None:
    """Have the world's solids of displacements be as these are sculpted, in maps that have any: others leave them to
    the game, and solids of consoles aren't known. Raises FormatError.
    """
    level = changes.level
    if not len(level.bytes_of(LumpId.PHYSCOLLIDE)) or level.byte_order == ">":
        return
    found = level.physcollide
    old = found.of_model(0)
    made = _World.of(level, old)
    if old is not None and made.sculpt(changes):
        _write(changes, found, old, made)


def has_displaced(level: Level) -> bool:
    """Whether the world's solids are of displacements, too. Raises FormatError."""
    old = level.physcollide.of_model(0) if len(level.bytes_of(LumpId.PHYSCOLLIDE)) else None
    return old is not None and bool(_World.of(level, old).of_displacements())


def _write(changes: Changes, found: PhysCollide, old: PhysModel | None, made: "_World") -> None:
    entry = PhysModel(0, made.solids, made.text.encode("latin-1") + made.rest)
    models = [*([entry] if made.solids else []), *(each for each in found.models if each is not old)]
    collide = PhysCollide(models, found.ended, found.last, found.trailing)
    changes.set_bytes(LumpId.PHYSCOLLIDE, physcollide.encode(collide, changes.level.byte_order))


@dataclass(slots=True, eq=False)
class _World:
    """The world's collision. text: its key-values, rest: what follows their end; solids: their bytes; masks: the
    contents that solids are for, by place: others are those of displacements and of water. tagged: see `build`.
    """

    level: Level
    text: str
    rest: bytes
    solids: list[Buffer]
    masks: dict[int, int]
    tagged: bool

    @classmethod
    def of(cls, level: Level, old: PhysModel | None) -> "_World":
        """That of a map. old: its entry, None: there is none."""
        if old is None:
            return cls(level, _EMPTY, b"\0", [], {}, level.version >= brush_collision.TAGGED_SINCE)
        known = {place: mask for place, mask in masks(old.text).items() if place < len(old.solids)}
        tagged = any(bytes(solid[:4]) == SOLID_TAG for solid in old.solids)
        return cls(level, old.text, old.keys[len(old.text) :], list(old.solids), known, tagged)

    def change(self, changes: Changes, carved: Carved, along: Displaced) -> bool:
        """Take hulls out and put others in; whether there were any. Raises WorldError."""
        known = {place: physcollide_surface.read_ledges(self.solids[place]) for place in self.masks}
        shapes = {number: piece for number, piece in carved.shapes.items() if piece.contents & self._classes()}
        retextured = np.setdiff1d(carved.retextured, carved.removed)
        materials = Materials(changes, self.text, list(known.values()))
        fresh = materials.given(_hulls(shapes, self._inset(list(known.values())), carved))
        before = list(self.solids)
        for place, own in known.items():
            stays = ~np.isin(own.brushes, carved.removed)
            kept = own if stays.all() else own.taken(np.flatnonzero(stays))
            told = materials.told(kept, np.flatnonzero(np.isin(kept.brushes, retextured)))
            added = [hull for hull in fresh if shapes[hull.brush].contents & self.masks[place]]
            if told is not own or added:
                self.solids[place] = self._solid(told, added)
        bare = self.of_displacements() if along else []
        usual = materials.usual() if bare else 0
        self.text = materials.text
        for mask in self._missing():
            added = [hull for hull in fresh if shapes[hull.brush].contents & mask]
            if added:
                self._append(mask, self._solid(None, added))
        self._displace(changes, along, bare, usual, changes.level.table(LumpId.DISP_VERTS))
        return self.solids != before

    def sculpt(self, changes: Changes) -> bool:
        """Make the solids of displacements anew; whether there were any."""
        bare = self.of_displacements()
        if bare:
            known = [physcollide_surface.read_ledges(self.solids[place]) for place in self.masks]
            materials = Materials(changes, self.text, known)
            usual = materials.usual()
            self.text = materials.text
            self._displace(changes, Displaced(np.zeros(0, np.int64)), bare, usual, changes.table(LumpId.DISP_VERTS))
        return bool(bare)

    def _displace(self, changes: Changes, along: Displaced, bare: Sequence[int], usual: int, verts: Records) -> None:
        """Take out solids that have no hulls, and those of displacements, which are made anew."""
        old = [self.solids[place] for place in bare]
        for place in bare:
            self.solids[place] = b""
        self._drop_empty()
        for solid in displaced_collision.solids(changes, along, old, usual, self.tagged, verts) if bare else ():
            self._append(None, solid)

    def refuse_consoles(self, changes: Changes, carved: Carved) -> None:
        """Raise WorldError where anything that collides has changed."""
        contents = changes.level.table(LumpId.BRUSHES)["contents"].astype(np.int64)
        collides = int(np.bitwise_or.reduce(_CLASSES))
        gone = [number for number in carved.removed.tolist() if contents[number] & collides]
        new = [number for number, piece in carved.shapes.items() if piece.contents & collides]
        if gone or new:
            raise _refusal("collide, and solids of consoles aren't known", [*gone, *new], carved)

    def _classes(self) -> int:
        """All contents that hulls are made of."""
        return int(np.bitwise_or.reduce([0, *self.masks.values(), *self._missing()]))

    def _missing(self) -> list[int]:
        """The contents that the map has no solids for yet, a number for each that could be."""
        there = int(np.bitwise_or.reduce([0, *self.masks.values()]))
        classes = _CLASSES if there & (_WALLS | Contents.GRATE) else (_WALLS | Contents.GRATE, *_CLASSES[2:])
        return [int(each) for each in classes if not int(each) & there]

    def _inset(self, known: Sequence[Ledges]) -> float:
        """Units by which the map's compiler made hulls smaller."""
        some = [own.hull(n) for own in known for n in range(0, len(own.brushes), len(own.brushes) // _SAMPLE + 1)]
        amounts = brush_collision.insets(self.level, some)
        many = [np.count_nonzero(np.abs(amounts - inset) < brush_collision.NEAR) for inset in _INSETS]
        return _INSETS[int(np.argmax(many))]

    def _solid(self, kept: Ledges | None, added: Sequence[Hull]) -> bytes:
        """The bytes of a solid; none of no hulls."""
        made = physcollide_build.ledges_of(added)
        whole = made if kept is None else physcollide_build.joined(kept, made)
        return physcollide_build.build_ledges(whole, self.tagged) if len(whole.counts) else b""

    def of_displacements(self) -> list[int]:
        """The solids that are of displacements: the game makes those of others, whose text says so."""
        blocks = [_INDEX.search(body) for kind, body in _BLOCK.findall(self.text) if kind == "staticsolid"]
        places = {int(found[0]) for found in blocks if found is not None}
        return sorted(place for place in places - self.masks.keys() if place < len(self.solids))

    def _append(self, mask: int | None, solid: bytes) -> None:
        """Put a further solid of a class behind the others. mask: its contents, None: it is of displacements."""
        contents = "" if mask is None else f'"contents" "{mask}"\n'
        block = f'staticsolid {{\n"index" "{len(self.solids)}"\n{contents}}}\n'
        places = [found.end() for found in _BLOCK.finditer(self.text) if found[1] == "staticsolid"]
        end = max(places, default=0)
        self.text = self.text[:end] + block + self.text[end:]
        self.solids.append(solid)

    def _drop_empty(self) -> None:
        """Take solids out that have no hulls left; those behind them have other numbers."""
        for place in reversed([number for number, solid in enumerate(self.solids) if not len(solid)]):
            del self.solids[place]
            self.text = _without(self.text, place)


def masks(text: str) -> dict[int, int]:
    """The contents that solids are for, by place, as key-values say."""
    found = {}
    for kind, body in _BLOCK.findall(text):
        values = dict(_PAIR.findall(body))
        if kind == "staticsolid" and values.get("contents", "").isdecimal() and values.get("index", "").isdecimal():
            found[int(values["index"])] = int(values["contents"])
    return found


def _without(text: str, gone: int) -> str:
    """Key-values where a solid is gone: its block goes, too, and those behind it have other numbers."""

    def renumbered(block: re.Match[str]) -> str:
        index = _INDEX.search(block[0])
        if index is None or int(index[0]) < gone:
            return block[0]
        return "" if int(index[0]) == gone else _INDEX.sub(str(int(index[0]) - 1), block[0])

    return _BLOCK.sub(renumbered, text)


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
        f"{len(brushes)} brushes {message}",
        [number for number in brushes if number not in places],
        [places[number] for number in brushes if number in places],
    )
