# SPDX-License-Identifier: GPL-3.0-or-later
"""What the game's headers call the bits of brushes' contents: kept with the level, for the sidebar."""

from __future__ import annotations

import json
from collections.abc import Mapping

import bpy

from ....formats.genesis.headers import DeclaredClasses

BITS = 16
"""Bits of a brush's contents, which the editor's header language can name (genesis.md §1.5)."""
NAMES = "levelwright_contents"
"""On a level's collection: JSON, bit number -> its name. On objects: the bits, see `panel`."""


def keep(level: bpy.types.Collection, declared: DeclaredClasses) -> None:
    """Keep on a level's collection what headers call the bits of brushes' contents."""
    names: dict[int, str] = {}
    for name, value in declared.contents.items():
        bit = value.bit_length() - 1
        if BITS <= bit < 2 * BITS and value == 1 << bit:
            names.setdefault(bit - BITS, name)
    if names:
        level[NAMES] = json.dumps(names)


def names_of(level: bpy.types.Collection) -> list[str]:
    """What the 16 bits of brushes' contents are called: by the game's headers, or else "User 1" to "User 16"."""
    text = level.get(NAMES)
    try:
        known: Mapping[str, str] = json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        known = {}
    return [str(known.get(str(bit), f"User {bit + 1}")) for bit in range(BITS)]
