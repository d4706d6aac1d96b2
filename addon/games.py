# SPDX-License-Identifier: GPL-3.0-or-later
"""The games that Levelwright knows in Blender. Adding one is its two folders and its line here."""

from importlib import import_module

from .. import formats
from ..formats.binary import Buffer, FormatError
from .game import Game
from .scene.registering import in_turn

_FOLDERS = (
    "teeworlds",
    "genesis",
    "fable",
    "source",
    "ns2",
)
GAMES: tuple[Game, ...] = tuple(import_module(f".{folder}.game", __package__).GAME for folder in _FOLDERS)
"""All of them, in the order of menus."""


def endings() -> list[str]:
    """Return the endings of all levels, each once."""
    return list(dict.fromkeys(ending for game in GAMES for ending in game.format.endings))


def by_key(key: str) -> Game:
    """Return the game of a format's key; KeyError for one that has no scenes."""
    return {game.key: game for game in GAMES}[key]


def identify(data: Buffer, file: str) -> Game:
    """Return the game whose level these bytes are, whatever the file is called; FormatError where they are none's."""
    found = formats.identify(data)
    for game in GAMES:
        if found is not None and game.key == found.key:
            return game
    if not data:
        raise FormatError("it is empty", file=file)
    raise FormatError("no level of a game that Levelwright knows", file=file)


register, unregister = in_turn(*GAMES)
"""What each game has of its own: panels, operators, properties."""
