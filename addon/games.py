# SPDX-License-Identifier: GPL-3.0-or-later
"""The games that Levelwright knows in Blender: a row each, joining a format to what makes and reads its scenes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import bpy

from .. import formats
from ..formats.binary import FormatError
from . import fable, genesis, ns2, source, teeworlds
from .scene.reports import Report, SceneError


class Side(Protocol):
    """What a game's package in addon/ offers; one whose levels can be written is a `Writer`, too.

    The settings are frozen dataclasses; their fields become the operators' options.
    """

    ImportSettings: type[Any]

    def import_level(
        self, context: bpy.types.Context, data: bytes, file: Path, settings: Any, report: Report, /
    ) -> bpy.types.Collection:
        """Build a level's scene and return its collection, linked to the scene; FormatError, SceneError."""

    def register(self) -> None:
        """Register the game's own classes."""

    def unregister(self) -> None:
        """Undo `register`."""


@runtime_checkable
class Writer(Protocol):
    """What the package of a game offers whose levels can be written, besides what all do: see `Side`.

    Where the settings have `backup` and it is true, a file that is replaced stays as `.bak`.
    """

    ExportSettings: type[Any]

    def export_level(
        self, context: bpy.types.Context, collection: bpy.types.Collection, settings: Any, report: Report, /
    ) -> bytes | Mapping[str, bytes]:
        """Return the file's bytes; of a level of several files those of each by their endings, its own file first.

        Raises SceneError, with the objects at fault, or FormatError where it can't be.
        """


@dataclass(frozen=True, slots=True)
class Form:
    """Another form of a game's levels, which is only written: what the game's editor has. ending: of its files.
    settings: a frozen dataclass. export: the file's bytes, as `Writer.export_level`. check: raises FormatError for
    others.
    """

    ending: str
    operator: str
    settings: type[Any]
    export: Callable[[bpy.types.Context, bpy.types.Collection, Any, Report], bytes]
    check: Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Game:
    """One game. operators: by a file's ending, the name after import_scene. and export_scene. make_plain: gives a
    level's meshes materials that glTF can hold; None where they have such. for_file: the export's settings, where they
    depend on what the file is called. beside: by ending, what reads the files of the same name that are parts of a
    level, and raises FormatError for others. forms: others that its levels are written in.
    """

    format: formats.Format
    operators: Mapping[str, str]
    side: Side
    make_plain: Callable[[bpy.types.Collection, Report], None] | None = None
    for_file: Callable[[Any, Path], Any] | None = None
    beside: Mapping[str, Callable[[bytes], object]] = field(default_factory=dict)
    forms: tuple[Form, ...] = ()

    @property
    def plural(self) -> str:
        """What its levels are called: "Source maps"."""
        return f"{self.format.title}s"

    @property
    def can_write(self) -> bool:
        """Whether its levels can be written, not only opened."""
        return isinstance(self.side, Writer)

    @property
    def writer(self) -> Writer:
        """What writes the game's levels. Raises SceneError for a game whose levels can only be opened."""
        if isinstance(self.side, Writer):
            return self.side
        raise SceneError(f"{self.plural} can be opened, but this version of Levelwright writes none")

    def operator(self, file_name: str) -> str:
        """Return the operators' name for a file of this name."""
        return self.operators.get(Path(file_name).suffix.lower(), next(iter(self.operators.values())))


_FORMATS = {form.key: form for form in formats.FORMATS}
VMF: Form = Form(".vmf", "source_vmf", source.VmfSettings, source.export_vmf, source.check_vmf)
GAMES: tuple[Game, ...] = (
    Game(_FORMATS["teeworlds"], {".map": "teeworlds_map"}, teeworlds, teeworlds.make_plain),
    Game(
        _FORMATS["genesis"],
        {".map": "genesis_map", ".3dt": "genesis_3dt"},
        genesis,
        for_file=genesis.for_file,
    ),
    Game(_FORMATS["fable"], {".lev": "fable_lev"}, fable, fable.make_plain, beside=fable.BESIDE),
    Game(_FORMATS["source"], {".bsp": "source_bsp"}, source, source.make_plain, forms=(VMF,)),
    Game(_FORMATS["ns2"], {".level": "ns2_level"}, ns2),
)


def endings() -> list[str]:
    """Return the endings of all levels, each once."""
    return list(dict.fromkeys(ending for game in GAMES for ending in game.format.endings))


def by_key(key: str) -> Game:
    """Return the game of a format's key; KeyError for one that has no scenes."""
    return {game.format.key: game for game in GAMES}[key]


def identify(data: bytes, file: str) -> Game:
    """Return the game whose level these bytes are, whatever the file is called; FormatError where they are none's."""
    found = formats.identify(data)
    for game in GAMES:
        if game.format is found:
            return game
    raise FormatError("no level of a game that Levelwright knows", offset=0, file=file)


def register() -> None:
    """Register what each game has of its own: panels, operators, properties."""
    for game in GAMES:
        game.side.register()


def unregister() -> None:
    """Undo `register`."""
    for game in reversed(GAMES):
        game.side.unregister()
