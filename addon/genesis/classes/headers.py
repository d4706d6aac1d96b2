# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's C headers, which say what entities' keys and brushes' contents mean: where they are and what they
declare.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy

from ....formats.binary import FormatError
from ....formats.genesis import headers
from ....formats.genesis.headers import DeclaredClasses
from ...scene.reports import Report

ENDING = ".h"


def find(chosen: str, named: str, beside: Path, report: Report) -> DeclaredClasses:
    r"""Read the headers of the chosen folder, else of those that a `.3dt` names; what was read is in the report.

    chosen: the option's folder, "" for none. named: a level's HeadersDir ("..\src;C:\Game\src"), folders of its
    author's disk: looked for from the level's folder `beside`, whatever the case. Headers that can't be read are
    warned of, and ones that aren't there are missing: all is shown without them.
    """
    if chosen:
        folders = [Path(bpy.path.abspath(chosen))]
    else:
        names = [name.strip() for name in named.split(";") if name.strip()]
        found = {name: _locate(name, beside) for name in names}
        folders = [folder for folder in found.values() if folder is not None]
        for name, folder in found.items():
            if folder is None:
                report.missing("folders of headers", name)
    try:
        files = below(folders[0]) if chosen else [file for one in dict.fromkeys(folders) for file in _headers_in(one)]
        declared = headers.parse(file.read_bytes().decode("latin-1") for file in files)
    except (OSError, FormatError) as error:
        report.warn(f"the headers in {', '.join(map(str, folders))} can't be read: {error}")
        return DeclaredClasses()
    if chosen and not files:
        report.missing("headers", str(folders[0]))
    if files:
        report.count("headers", len(files))
    return declared


def below(folder: Path) -> list[Path]:
    """The headers in a folder, then those in each folder in it, as games have them. Raises OSError."""
    inside = sorted(one for one in folder.iterdir() if one.is_dir())
    return [file for one in (folder, *inside) for file in _headers_in(one)]


def _headers_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix.lower() == ENDING and file.is_file())


def _locate(name: str, beside: Path) -> Path | None:
    r"""The folder that a level calls `name`: there is at least one header in it.

    It is what the path says, from the level's folder or on this machine; else what as many as can be of the last parts
    of the path say, from the level's folder.
    """
    path = name.replace("\\", "/")
    drive, _, rest = path.rpartition(":")
    parts = [part for part in rest.split("/") if part not in ("", ".")]
    absolute = bool(drive) or rest.startswith("/")
    candidates: list[tuple[Path, list[str]]] = []
    if absolute:
        candidates.append((Path(path), []))
    elif beside.parts:
        candidates.append((beside, parts))
    if beside.parts:
        below = [part for part in parts if part != ".."]
        candidates += [(beside, below[start:]) for start in range(len(below))]
    for start, steps in candidates:
        for folder in _walk(start, steps):
            try:
                if _headers_in(folder):
                    return folder
            except OSError:
                continue
    return None


def _walk(folder: Path, steps: list[str]) -> Iterator[Path]:
    """The folders that steps lead to, whatever the case."""
    if not steps:
        yield folder
        return
    if steps[0] == "..":
        yield from _walk(folder.resolve().parent, steps[1:])
        return
    try:
        matches = sorted(one for one in folder.iterdir() if one.name.lower() == steps[0].lower() and one.is_dir())
    except OSError:
        return
    for match in matches:
        yield from _walk(match, steps[1:])
