# SPDX-License-Identifier: GPL-3.0-or-later
"""Levelwright's library: game levels as typed records, read and written byte for byte. Python and numpy, no Blender.

    level = read("dm1.map")
    level.groups[0].name = "Sky"
    Path("copy.map").write_bytes(write(level))

Every format offers the same verbs; FORMATS is the table of them.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from . import fable, genesis, ns2, source, teeworlds
from .binary import Buffer, FormatError, Problem

__all__ = ["FORMATS", "Format", "FormatError", "Problem", "check", "format_of", "identify", "read", "write"]

Level = teeworlds.Level | genesis.Level | fable.Level | ns2.Level | source.Level


@dataclass(frozen=True, slots=True)
class Format:
    """One format: how to know it, and the module with its verbs (read, write, check)."""

    key: str
    title: str
    endings: tuple[str, ...]  # of file names, with the dot
    level: type[Any]
    module: ModuleType

    def identify(self, data: Buffer) -> bool:
        """Whether these bytes are of the format, by magic and structure."""
        return bool(self.module.identify(data))


FORMATS = (
    Format("teeworlds", "Teeworlds / DDNet map", (".map",), teeworlds.Level, teeworlds),
    Format("genesis", "Genesis3D level", (".map", ".3dt"), genesis.Level, genesis),
    Format("fable", "Fable: The Lost Chapters level", (".lev",), fable.Level, fable),
    Format("ns2", "Natural Selection 2 level", (".level",), ns2.Level, ns2),
    Format("source", "Source map", (".bsp",), source.Level, source),
)


def identify(data: Buffer) -> Format | None:
    """Return the format that the bytes are of; the name of a file says nothing (two games share `.map`)."""
    return next((form for form in FORMATS if form.identify(data)), None)


def format_of(level: Level) -> Format:
    """Return the format that a level is of."""
    for form in FORMATS:
        if isinstance(level, form.level):
            return form
    raise TypeError(f"{type(level).__name__} is no level of a known format")


def read(source: Buffer | str | PathLike[str], format: str | None = None) -> Level:  # noqa: A002 - the contract's word
    """Read a level from bytes or from a file.

    `format`: the key of a format, where the bytes shall not decide. Raises FormatError (which names the file), OSError.
    """
    if not isinstance(source, str | PathLike):
        return _read_bytes(source, format)
    path = Path(source)
    try:
        return _read_bytes(path.read_bytes(), format)
    except FormatError as error:
        raise error.in_file(path) from None


def _read_bytes(data: Buffer, key: str | None) -> Level:
    if key is None:
        form = identify(data)
    else:
        form = next((form for form in FORMATS if form.key == key), None)
        if form is None:
            raise ValueError(f"no format {key!r}: there are {', '.join(form.key for form in FORMATS)}")
    if form is None:
        raise FormatError(f"starts with {bytes(data[:8]).hex(' ') or 'nothing'}: no known level format", "", 0)
    level: Level = form.module.read(data)
    return level


def write(level: Level) -> bytes:
    """Return a level's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    data: bytes = format_of(level).module.write(level)
    return data


def check(level: Level) -> list[Problem]:
    """Return what the level's game would refuse or misread."""
    problems: list[Problem] = format_of(level).module.check(level)
    return problems
