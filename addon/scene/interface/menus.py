# SPDX-License-Identifier: GPL-3.0-or-later
"""What a game declares of its menu: each of its operators has a place there, since Blender's search (F3) finds but what
is in a menu.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import bpy

Values = Mapping[str, object]
"""What an operator's properties are set to, by name."""
Rows = Callable[[bpy.types.Context], Iterable[tuple[str, Values]]]
"""Gives a line for each thing that there is now: its text, and the operator's values."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """An operator in a menu, or where it has rows, a menu of it with a line each."""

    operator: str
    """What follows the game's prefix: "add_group"; a whole name where there is a dot: "wm.tool_set_by_id"."""
    text: str = ""
    """"": the operator's label."""
    values: Values = field(default_factory=dict)
    rows: Rows | None = None

    def idname(self, key: str) -> str:
        """The operator's whole name. key: the game's."""
        return self.operator if "." in self.operator else f"levelwright.{key}_{self.operator}"


@dataclass(frozen=True, slots=True)
class MenuSection:
    """A menu of a game's: operators that belong together, and where the game's page tells of them."""

    title: str
    anchor: str
    """Of the heading in `docs/<game>.md`; "" for the page's top."""
    entries: tuple[MenuEntry, ...]


def entries(*made: MenuEntry | str) -> tuple[MenuEntry, ...]:
    """Entries; a text is the name of an operator that needs nothing else."""
    return tuple(MenuEntry(one) if isinstance(one, str) else one for one in made)


def each(name: str, items: Iterable[tuple[str, ...]], **values: object) -> Rows:
    """A row for each item of a menu of words (as `declared.menu` takes them). name: the property. values: of others."""
    found = [(item[1], {**values, name: item[0]}) for item in items]
    return lambda _context: found


def textures(prefix: str) -> tuple[MenuEntry, ...]:
    """The tools for textures that all games have which lay them on faces: see `texture_tools`. prefix: before "fit"."""
    quarter = 1.5707963267948966
    return (
        MenuEntry(f"{prefix}_fit", "Fit Texture", {"together": False}),
        MenuEntry(f"{prefix}_fit", "Fit Texture Together", {"together": True}),
        MenuEntry(f"{prefix}_turn", "Turn Texture by 90\N{DEGREE SIGN}", {"angle": quarter}),
        MenuEntry(f"{prefix}_shift", "Shift Texture Half Right", {"by": (0.5, 0.0)}),
        MenuEntry(f"{prefix}_shift", "Shift Texture Half Up", {"by": (0.0, 0.5)}),
        MenuEntry(f"{prefix}_align", "Align Texture to View", {"to": "VIEW"}),
        MenuEntry(f"{prefix}_align", "Align Texture to Edge", {"to": "EDGE"}),
        MenuEntry(f"{prefix}_align", "Run Texture On", {"to": "NEIGHBOUR"}),
    )
