# SPDX-License-Identifier: GPL-3.0-or-later
"""The palettes and sounds of a level, as lists in the sidebar."""

from __future__ import annotations

from ....formats.arrays import Records
from ....formats.fable import palette_names
from ....formats.fable.level import Level
from ..context import ImportContext
from . import lists
from .lists import Palettes


def build_palettes(importing: ImportContext) -> Palettes:
    """Put the names that a level has on its collection, and return them; the terrain's layers are made later."""
    names = names_of(importing.level)
    lists.put(importing.collection, names)
    return names


def names_of(level: Level) -> Palettes:
    """The names that a level has."""
    return Palettes(
        palette_names(level.ground_palette),
        palette_names(level.atmosphere_palette),
        list(level.sounds),
        _used(level.ground_palette),
        _used(level.atmosphere_palette),
    )


def _used(palette: Records) -> set[int]:
    return {
        slot for slot, name in enumerate(palette_names(palette)) if slot and (name or int(palette["value"][slot]) != 0)
    }
