# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the pak: files added, replaced, removed and renamed (source.md §2.10, §3)."""

from collections.abc import Collection, Mapping

from ...binary import Buffer, FormatError
from ..container.pak import WHAT
from ..level import Level
from .changes import Changes


def put(level: Level, files: Mapping[str, Buffer], compress: bool = False) -> None:
    """Add files or give those that are there other bytes: stored, or compressed with LZMA, the only ways there are.

    Raises FormatError for names that cannot be in a zip, for a pak that isn't whole and for one of a console.
    """
    changes = Changes(level)
    for name, data in files.items():
        if name in changes.pak and bytes(changes.pak.read(name)) == bytes(data):
            continue
        changes.pak.put(name, data, compress)
    changes.apply()


def remove(level: Level, names: Collection[str]) -> None:
    """Remove files. Raises FormatError for ones that aren't there."""
    changes = Changes(level)
    for name in names:
        _there(changes, name)
        changes.pak.remove(name)
    changes.apply()


def rename(level: Level, names: Mapping[str, str]) -> None:
    """Rename files, old name -> new name. Raises FormatError for ones that aren't there, and names that are taken."""
    changes = Changes(level)
    for old, new in names.items():
        _there(changes, old)
        if not new or len(new) > 0xFFFF or any(ord(letter) > 0xFF for letter in new):
            raise FormatError(f"{new[:64]!r} cannot be the name of a file", WHAT)
        changes.pak.rename(old, new)
    changes.apply()


def _there(changes: Changes, name: str) -> None:
    if name not in changes.pak:
        raise FormatError(f"has no file {name!r}", WHAT)
