# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that several games have, for files whose game isn't known yet: views of the games' own, and nothing else.

A game says by `common=` which of these an option of its imports is. The property here holds no value: what it is set
to, the properties of all these games are, and it shows what they agree on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import bpy

from . import games
from .game import Game
from .scene.blender_types import Value
from .scene.fields import declared
from .scene.fields.properties import fields

OWN = "own"
"""The word of menus for what the games don't agree on; setting it leaves each game's as it is."""


@dataclass(frozen=True, slots=True)
class CommonOption:
    """An option that several games have."""

    name: str
    """As fields of settings say it in `common`."""
    title: str
    tooltip: str
    words: Mapping[str, tuple[object, str, str]] | None = None
    """Of a menu, by its words: the games' value, title and tooltip; None: it is a folder of one game's files."""

    @property
    def key(self) -> str:
        """The name of the operator's property."""
        return f"all_{self.name}"

    def own(self, among: Sequence[Game] = games.GAMES) -> Iterator[str]:
        """Give the names of the games' properties, each behind its game's key."""
        for game in among:
            yield from (f"{game.key}_{each.name}" for each in fields(game.import_settings) if each.common == self.name)

    def deferred(self) -> object:
        """Return the deferred Blender property of an operator that has the options of all games."""
        if self.words is None:
            return declared.string(
                name=self.title,
                description=self.tooltip,
                subtype="DIR_PATH",
                options={"SKIP_SAVE", "SKIP_PRESET"},
                get=lambda owner: _same(self._values(owner)) or "",
                set=lambda owner, value: self._set(owner, value),  # Blender wants a function, and no method
            )
        words = {OWN: (None, "Each game's own", "As the options of each game say")} | dict(self.words)
        values = [value for value, _, _ in words.values()]

        def get(owner: bpy.types.bpy_struct) -> int:
            same = _same(self._values(owner))
            return values.index(same) if same in values else 0

        def put(owner: bpy.types.bpy_struct, number: int) -> None:
            if number:
                self._set(owner, values[number])

        items = [(word, title, tooltip) for word, (_, title, tooltip) in words.items()]
        # Menus can't be left out of presets. They stand before the games' own options there, which count.
        return declared.menu(
            name=self.title, description=self.tooltip, items=items, options={"SKIP_SAVE"}, get=get, set=put
        )

    def _values(self, owner: bpy.types.bpy_struct) -> set[object]:
        return {getattr(owner, name) for name in self.own()}

    def _set(self, owner: bpy.types.bpy_struct, value: object) -> None:
        for name in self.own():
            setattr(owner, name, value)


def shared(among: Sequence[Game]) -> dict[str, list[CommonOption]]:
    """Return the options that several of some games have, by the titles of these ("Fable, Source"), widest first.

    Folders aren't: each has one game's files.
    """
    found: dict[str, list[CommonOption]] = {}
    having = {option.name: [game.title for game in among if any(option.own([game]))] for option in COMMON}
    for option in sorted(COMMON, key=lambda option: -len(having[option.name])):
        if len(having[option.name]) > 1 and option.words is not None:
            found.setdefault(", ".join(having[option.name]), []).append(option)
    return found


def _same(values: set[Value]) -> Value:
    """What all are, None where they differ."""
    return next(iter(values)) if len(values) == 1 else None


COMMON = (
    CommonOption(
        "content",
        "Game folder",
        "Folder with the files of the level's game, looked into before those of the preferences",
    ),
    CommonOption(
        "placed",
        "Entities",
        "Lights, spawns, sounds, creatures and all else that is placed in a level",
        {"open": (True, "Open", "All of them"), "none": (False, "Leave out", "None of them")},
    ),
    CommonOption(
        "models",
        "Props",
        "How props are shown",
        {
            "models": ("models", "Models", "By the game's models where they are found, otherwise as boxes"),
            "boxes": ("boxes", "Boxes", "All as boxes: quick"),
        },
    ),
)
