# SPDX-License-Identifier: GPL-3.0-or-later
"""What vbsp will put into each solid that is a brush of the map, and how its sides have to be ordered for that."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Ints
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from . import side_contents
from .solids import WORLD, VmfSolids

_LADDER = int(Contents.LADDER)
_PORTAL, _WINDOW_TARGETS = "func_areaportal", ("target", "backgroundbmodel")


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What m solids contain; 0 for those that aren't the map's brushes, or were drawn anew."""

    wanted: Ints
    """int64[m], what their brushes contain."""
    made: Ints
    """int64[m], what vbsp will make of their textures."""
    differ: Bools
    """bool[m], where these differ."""
    ladders: Bools
    """bool[m], which must be in a func_ladder for that."""
    leads: Ints
    """int64[m], the side of each that has to be first."""


def reckoned(level: Level, solids: VmfSolids, seen: Bools) -> Reckoned:
    """Reckon the contents of solids. seen: bool[n], which sides have faces. Raises FormatError."""
    first = solids.first_side.tolist()
    brushes = level.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    known = _known(level, solids, seen, brushes)
    classes = [entity.classname.lower() for entity in level.entities]
    windows = _windows(level)
    count = len(solids)
    wanted, made = np.zeros(count, np.int64), np.zeros(count, np.int64)
    ladder, leads = np.zeros(count, np.bool_), solids.first_side[:-1].copy()
    for solid, (brush, owner) in enumerate(zip(solids.brushes.tolist(), solids.owners.tolist(), strict=True)):
        begin, end = first[solid], first[solid + 1]
        if brush < 0 or owner < 0 or begin == end or (solids.records[begin:end] < 0).any():
            continue
        classname = classes[owner] if owner < len(classes) else ""
        own = int(brushes[brush])
        base = side_contents.OF_CLASSES.get(classname, 0)
        sides = [side | base for side in known.of_sides(solids.names[begin:end], own)]
        place = side_contents.lead(sides, own)
        if place < 0 and owner == WORLD and own & _LADDER:
            laddered = [side | _LADDER for side in sides]
            place = side_contents.lead(laddered, own)
            ladder[solid] = place >= 0
            sides = laddered if place >= 0 else sides
        sides.insert(0, sides[max(place, 0)])
        wanted[solid], leads[solid] = own, begin + max(place, 0)
        made[solid] = side_contents.of_brush(sides)
        if classname.startswith(_PORTAL):
            made[solid] = own
        elif owner in windows:
            made[solid] = made[solid] & ~int(Contents.SOLID) | int(Contents.WINDOW | Contents.TRANSLUCENT)
    differ = (wanted ^ made) & 0xFFFFFFFF & ~int(Contents.DETAIL) != 0
    return Reckoned(wanted, made, differ, ladder, leads)


def _known(level: Level, solids: VmfSolids, seen: Bools, brushes: Ints) -> side_contents.SideContents:
    """What sides of materials contain that are no tools, as far as faces tell."""
    adding = {number for number, e in enumerate(level.entities) if e.classname.lower() in side_contents.OF_CLASSES}
    of_sides = np.repeat(np.where(np.isin(solids.owners, list(adding)), -1, solids.brushes), np.diff(solids.first_side))
    chosen = np.flatnonzero(seen & (of_sides >= 0) & (solids.records >= 0))
    contents = brushes[of_sides[chosen]].tolist()
    return side_contents.learned((solids.names[side], own) for side, own in zip(chosen.tolist(), contents, strict=True))


def _windows(level: Level) -> set[int]:
    """The entities whose brushes vbsp makes windows, as an area portal closes with them: places."""
    names = {
        (entity.get(key) or "").lower()
        for entity in level.entities
        if entity.classname.lower().startswith(_PORTAL) and entity.classname.lower() != _PORTAL
        for key in _WINDOW_TARGETS
    } - {""}
    return {number for number, entity in enumerate(level.entities) if entity.targetname.lower() in names}
