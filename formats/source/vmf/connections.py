# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities as a VMF has them: keys, and outputs in a block of their own (source.md §2.10)."""

from collections import Counter

from ..content.keyvalues import Block
from ..entities.text import ANGLES, CLASSNAME, MODEL, ORIGIN, Entity, Output
from . import ladders
from .text import plain

HAMMER_ID = "hammerid"
PORTAL_NUMBER, OCCLUDER_NUMBER = "portalnumber", "occludernumber"

_COMPILED = frozenset((HAMMER_ID, PORTAL_NUMBER, OCCLUDER_NUMBER))
_OF_WORLD = frozenset(("world_mins", "world_maxs", "mapversion", CLASSNAME))
"""Keys that the compiler adds, or that stand first."""


def hammer_id(entity: Entity) -> int:
    """The number that the entity had in the editor; 0 if the map doesn't tell."""
    text = (entity.get(HAMMER_ID) or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def block(entity: Entity, number: int, lost: Counter[str], *, world: bool = False, ladder: bool = False) -> Block:
    """An entity's block without solids: id, class, keys, connections. lost: what can't be told is counted there.

    ladder: it is an info_ladder with brushes, which make it again.
    """
    made = Block([("id", str(number))])
    outputs: list[tuple[str, str]] = []
    keys: list[tuple[str, str]] = []
    brush_model = entity.model is not None
    classname = ""
    for key, value in entity.pairs:
        folded = key.lower()
        if folded == CLASSNAME:
            classname = value
            continue
        if folded in _COMPILED or (world and folded in _OF_WORLD) or (folded == MODEL and brush_model):
            continue
        if ladder and folded in ladders.BOX_KEYS:
            continue
        (safe_key, changed_key), (safe, changed) = plain(key), plain(value)
        lost["values with apostrophes for quotation marks, which a VMF can't hold"] += changed_key or changed
        output = Output.of_pair(key, value) if folded not in (ORIGIN, ANGLES) else None
        (keys if output is None else outputs).append((safe_key, safe))
    made.entries += [(CLASSNAME, ladders.CLASS if ladder else plain(classname)[0]), *keys]
    if outputs:
        made.entries.append(("connections", Block(list(outputs))))
    return made
