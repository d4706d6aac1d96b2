# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that several games have, for files whose game isn't known yet: views of the games' own, and nothing else.

A game says by `common=` which of these an option of its imports is. The property here holds no value: what it is set
to, the properties of all these games are, and it shows what they agree on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import bpy

from . import games
from .scene import declared
from .scene.blender_types import Value
from .scene.properties import fields

_MODELS = (
    ("models", "Models", "By the game's models where they are found, otherwise as boxes"),
    ("boxes", "Boxes", "All as boxes: quick"),
)
"""Words that the options of all games with props have."""
_WORDS = [word for word, *_ in _MODELS]


def _same(values: set[str]) -> str:
    """What all are, "" where they differ."""
    return next(iter(values)) if len(values) == 1 else ""


def _number(values: set[str]) -> int:
    """Which word all are, the first where they differ: Blender's menus are numbers inside."""
    return _WORDS.index(_same(values)) if _same(values) in _WORDS else 0


@dataclass(frozen=True, slots=True)
class CommonOption:
    """An option that several games have."""

    name: str
    """As fields of settings say it in `common`."""
    title: str
    tooltip: str
    declare: Callable[..., Value]
    kind: dict[str, Value]
    """What the property is besides."""
    shown: Callable[[set[Value]], Value]
    """Makes of the games' values what is shown."""
    given: Callable[[Value], Value]
    """Makes of what is set the games' values."""

    @property
    def key(self) -> str:
        """The name of the operator's property."""
        return f"all_{self.name}"

    def own(self) -> Iterator[str]:
        """Give the names of the games' properties, each behind its game's key."""
        for game in games.GAMES:
            yield from (f"{game.key}_{each.name}" for each in fields(game.import_settings) if each.common == self.name)

    def deferred(self) -> Value:
        """Return the deferred Blender property of an operator that has the options of all games."""

        def get(owner: bpy.types.bpy_struct) -> Value:
            return self.shown({getattr(owner, name) for name in self.own()})

        def put(owner: bpy.types.bpy_struct, value: Value) -> None:
            for name in self.own():
                setattr(owner, name, self.given(value))

        # Menus can't be left out of presets; they stand before the games' own there, which count.
        return self.declare(
            name=self.title, description=self.tooltip, options={"SKIP_SAVE"}, get=get, set=put, **self.kind
        )


COMMON = (
    CommonOption(
        "content",
        "Game folder",
        "Folder with the files of the level's game, looked into before those of the preferences",
        declared.string,
        {"subtype": "DIR_PATH"},
        _same,
        str,
    ),
    CommonOption(
        "placed",
        "Entities",
        "Open lights, spawns, sounds, creatures and all else that is placed in a level",
        declared.boolean,
        {},
        all,
        bool,
    ),
    CommonOption(
        "models", "Props", "How props are shown", declared.menu, {"items": _MODELS}, _number, _WORDS.__getitem__
    ),
)
