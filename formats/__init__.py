# SPDX-License-Identifier: GPL-3.0-or-later
"""Levelwright's library: game levels as typed records, read and written byte for byte. Python and numpy, no Blender.

    level = read("dm1.map")
    level.groups[0].name = "Sky"
    Path("copy.map").write_bytes(write(level))

Every format is a folder here, and offers the same verbs (see `format.Verbs`); FORMATS is the table of them.
"""

from importlib import import_module
from os import PathLike
from pathlib import Path
from pkgutil import iter_modules
from typing import cast

from .binary import Buffer, FormatError, Problem
from .format import AnyLevel, Document, Format, Verbs

__all__ = [
    "BESIDE",
    "FORMATS",
    "Format",
    "FormatError",
    "Problem",
    "Verbs",
    "check",
    "contents",
    "format_of",
    "identify",
    "read",
    "summary",
    "write",
]


def _found() -> tuple[Format, ...]:
    """Every format has a folder here, and every folder here is a format's."""
    names = [each.name for each in iter_modules(__path__) if each.ispkg]
    return tuple(Format(name, cast(Verbs, import_module(f"{__name__}.{name}"))) for name in names)


FORMATS: tuple[Format, ...] = _found()
"""All formats. No two of them identify the same bytes."""


def _beside() -> tuple[Format, ...]:
    modules = ((form.key, module) for form in FORMATS for module in getattr(form.verbs, "BESIDE", ()))
    return tuple(Format(key, cast(Verbs, module)) for key, module in modules)


BESIDE: tuple[Format, ...] = _beside()
"""Files that belong to levels without being any, by the keys of their formats: a package names the modules with their
verbs. `identify` and `read` take levels alone.
"""


def identify(data: Buffer) -> Format | None:
    """Return the format that the bytes are of; the name of a file says nothing (two games share `.map`)."""
    return next((form for form in FORMATS if form.identify(data)), None)


def format_of(level: AnyLevel) -> Format:
    """Return the format that a level, or a file beside one, is of. Raises TypeError for what is neither."""
    for form in (*FORMATS, *BESIDE):
        if isinstance(level, form.verbs.Level):
            return form
    raise TypeError(f"{type(level).__name__} is no level of a known format")


def read(source: Buffer | str | PathLike[str], format: str | None = None) -> AnyLevel:  # noqa: A002 - the contract's word
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


def _read_bytes(data: Buffer, key: str | None) -> AnyLevel:
    if key is None:
        form = identify(data)
    else:
        form = next((form for form in FORMATS if form.key == key), None)
        if form is None:
            raise ValueError(f"no format {key!r}: there are {', '.join(form.key for form in FORMATS)}")
    if form is None:
        if not len(data):
            raise FormatError("it is empty")
        raise FormatError(f"starts with {bytes(data[:8]).hex(' ')}: no known level format", "", 0)
    return form.verbs.read(data)


def write(level: AnyLevel) -> bytes:
    """Return a level's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    return format_of(level).verbs.write(level)


def check(level: AnyLevel) -> list[Problem]:
    """Return what the level's game would refuse or misread."""
    return format_of(level).verbs.check(level)


def summary(level: AnyLevel) -> Document:
    """Return what is in a level, in short: plain dictionaries, lists, texts and numbers, by name."""
    return format_of(level).verbs.summary(level)


def contents(level: AnyLevel) -> Document:
    """Return everything in a level, decoded, by name: dictionaries, lists, arrays, bytes; what can't be decoded is a
    FormatError in its place. Lists may be iterators that decode a record when they come to it: go through it once.
    """
    return format_of(level).verbs.contents(level)
