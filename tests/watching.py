# SPDX-License-Identifier: GPL-3.0-or-later
"""Which paths Python asks the system about, whatever asks: for tests of what a level may reach."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EVENTS = ("open", "os.listdir", "os.scandir")
"""Of `sys.addaudithook`; asking what a path is has none, so those functions are wrapped."""
ASKING = ("stat", "lstat", "readlink", "access")

_watchers: list[list[str]] = []
_is_hooked: list[bool] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _watchers and event in EVENTS:
        _note(arguments[0])


def _note(path: object) -> None:
    if isinstance(path, str | bytes | os.PathLike):
        for seen in _watchers:
            seen.append(os.fsdecode(path))


@contextmanager
def watched() -> Iterator[list[str]]:
    """Give the list of the paths that are opened, listed or asked about inside."""
    if not _is_hooked:
        sys.addaudithook(_hook)
        _is_hooked.append(True)
    kept = {name: getattr(os, name) for name in ASKING}

    def wrapped(name: str) -> object:
        def ask(path: object, *arguments: object, **options: object) -> object:
            _note(path)
            return kept[name](path, *arguments, **options)

        return ask

    seen: list[str] = []
    for name in ASKING:
        setattr(os, name, wrapped(name))
    _watchers.append(seen)
    try:
        yield seen
    finally:
        _watchers.remove(seen)
        for name, function in kept.items():
            setattr(os, name, function)


def outside(seen: list[str], folders: list[Path]) -> list[str]:
    """Those of the paths that are neither in the folders nor above them, nor Python's or Blender's own."""
    own = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).resolve().parents[1]]
    wrong = []
    for text in seen:
        path = Path(os.path.abspath(text)) if not text.startswith("//") else Path(text)
        above = any(folder.is_relative_to(path) for folder in folders)
        if not above and not any(path.is_relative_to(one) for one in (*folders, *own)):
            wrong.append(text)
    return wrong
