# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the world physics objects collide with: solids, and the key-values that tell what they are (source.md §2.8).

The world has a solid for each class of contents that is of use to them: walls, what stops players, what stops monsters;
in maps of some compilers one for each displacement, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Records
from ...binary import Buffer
from ..collision import physcollide, physcollide_surface
from ..collision.physcollide import SOLID_TAG, PhysCollide, PhysModel
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from . import brush_collision, displaced_collision
from .changes import Changes
from .collision_materials import Materials

_WALLS = Contents.SOLID | Contents.WINDOW | Contents.MOVEABLE | Contents.MONSTER
_CLASSES = (_WALLS, Contents.GRATE, Contents.PLAYERCLIP, Contents.MONSTERCLIP)
"""The contents that compilers make solids of; most put gratings into the first one's."""
_EMPTY = "virtualterrain {}\nmaterialtable {\n}\n"
_BLOCK = re.compile(r"(\w+)\s*\{([^{}]*)\}\n?")
_PAIR = re.compile(r'"([^"]*)"\s*"([^"]*)"')
_INDEX = re.compile(r'(?<="index" ")\d+(?=")')


def put_displaced(changes: Changes) -> None:
    """Have the world's solids of displacements be as these are sculpted, in maps that have any: others leave them to
    the game. Raises FormatError.
    """
    made = WorldCollision.of(changes.level)
    if made is not None and made.sculpt(changes):
        made.put(changes)


@dataclass(slots=True, eq=False)
class WorldCollision:
    """The world's entry of PHYSCOLLIDE, to be changed."""

    found: PhysCollide
    """The whole lump."""
    entry: PhysModel | None
    """The world's entry of before; None: there was none."""
    text: str
    """Its key-values."""
    rest: bytes
    """What follows their end."""
    solids: list[Buffer]
    """Their bytes."""
    masks: dict[int, int]
    """The contents that solids are for, by place: others are those of displacements and of water."""
    tagged: bool
    """See `physcollide_build.build_ledges`."""

    @classmethod
    def of(cls, level: Level) -> WorldCollision | None:
        """That of a map; None where nothing collides. Raises FormatError."""
        if not len(level.bytes_of(LumpId.PHYSCOLLIDE)):
            return None
        found = level.physcollide
        old = found.of_model(0)
        if old is None:
            return cls(found, None, _EMPTY, b"\0", [], {}, level.version >= brush_collision.TAGGED_SINCE)
        known = {place: mask for place, mask in masks(old.text).items() if place < len(old.solids)}
        tagged = any(bytes(solid[:4]) == SOLID_TAG for solid in old.solids)
        return cls(found, old, old.text, old.keys[len(old.text) :], list(old.solids), known, tagged)

    def put(self, changes: Changes) -> None:
        """Have the map collide so."""
        entry = PhysModel(0, self.solids, self.text.encode("latin-1") + self.rest)
        others = [each for each in self.found.models if each is not self.entry]
        models = [entry, *others] if self.solids else others
        collide = PhysCollide(models, self.found.ended, self.found.last, self.found.trailing)
        changes.set_bytes(LumpId.PHYSCOLLIDE, physcollide.encode(collide, changes.level.byte_order))

    def sculpt(self, changes: Changes) -> bool:
        """Make the solids of displacements anew; whether there were any."""
        bare = self.of_displacements()
        if bare:
            known = [physcollide_surface.read_ledges(self.solids[place]) for place in self.masks]
            materials = Materials(changes, self.text, known)
            usual = materials.usual()
            self.text = materials.text
            self.displace(changes, {}, bare, usual, changes.table(LumpId.DISP_VERTS))
        return bool(bare)

    def displace(
        self,
        changes: Changes,
        along: Mapping[int, Floats | None],
        bare: Sequence[int],
        usual: int,
        verts: Records,
    ) -> None:
        """Take out solids that have no hulls, and those of displacements, by their places, which are made anew.

        The rest: see `displaced_collision.solids`.
        """
        old = [self.solids[place] for place in bare]
        for place in bare:
            self.solids[place] = b""
        self._drop_empty()
        for solid in displaced_collision.solids(changes, along, old, usual, self.tagged, verts) if bare else ():
            self.append(None, solid)

    def classes(self) -> int:
        """All contents that hulls are made of."""
        return int(np.bitwise_or.reduce([0, *self.masks.values(), *self.missing()]))

    def missing(self) -> list[int]:
        """The contents that the map has no solids for yet, a number for each that could be."""
        there = int(np.bitwise_or.reduce([0, *self.masks.values()]))
        classes = _CLASSES if there & (_WALLS | Contents.GRATE) else (_WALLS | Contents.GRATE, *_CLASSES[2:])
        return [int(each) for each in classes if not int(each) & there]

    def of_displacements(self) -> list[int]:
        """The solids that are of displacements: the game makes those of others, whose text says so."""
        blocks = [_INDEX.search(body) for kind, body in _BLOCK.findall(self.text) if kind == "staticsolid"]
        places = {int(found[0]) for found in blocks if found is not None}
        return sorted(place for place in places - self.masks.keys() if place < len(self.solids))

    def append(self, mask: int | None, solid: bytes) -> None:
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
