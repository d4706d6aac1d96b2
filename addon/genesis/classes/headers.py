# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's C headers, which say what entities' keys and brushes' contents mean: where they are and what they
declare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ....formats.binary import FormatError
from ....formats.genesis import headers
from ....formats.genesis.headers import DeclaredClasses
from ....formats.reach import LARGEST_TEXT, AllowedFolders
from ...scene.disk import content_folders
from ...scene.reports import Report

ENDING = ".h"
DEEPEST = 32
"""Parts of a path that are tried as its beginning."""


def find(chosen: str, named: str, beside: Path, report: Report) -> DeclaredClasses:
    r"""Read the headers of the chosen folder, else of those that a `.3dt` names; what was read is in the report.

    chosen: the option's folder, "" for none. named: a level's HeadersDir ("..\src;C:\Game\src"), folders of its
    author's disk: looked for below the level's folder `beside`, whatever the case. Headers that can't be read are
    warned of, and ones that aren't there are missing: all is shown without them.
    """
    reach = content_folders.reach(content_folders.named(chosen) or ([beside] if beside.parts else []), report)
    folders = list(reach.folders)
    if not chosen:
        names = [name.strip() for name in named.split(";") if name.strip()]
        found = {name: _locate(name, reach) for name in names}
        folders = [folder for folder in found.values() if folder is not None]
        for name, folder in found.items():
            if folder is None:
                report.missing("folders of headers", name)
    files = below(reach) if chosen else [file for one in dict.fromkeys(folders) for file in _headers_in(one, reach)]
    try:
        declared = headers.parse(_texts(files, reach))
    except (OSError, FormatError) as error:
        report.warn(f"the headers in {', '.join(map(str, folders))} can't be read: {error}")
        return DeclaredClasses()
    if chosen and not files:
        report.missing("headers", chosen)
    if files:
        report.count("headers", len(files))
    return declared


def declared_in(chosen: str, report: Report) -> DeclaredClasses:
    """What the headers of the option's folder declare. Raises OSError where it isn't there, FormatError."""
    reach = content_folders.reach(content_folders.named(chosen), report)
    if not reach.folders:
        raise FileNotFoundError(f"{chosen} is no folder")
    return headers.parse(_texts(below(reach), reach))


def below(reach: AllowedFolders) -> list[Path]:
    """The headers in the folders of a reach, then those in each folder in one, as games have them."""
    inside = [one.path for folder in reach.folders for one in reach.entries(folder) if one.is_folder]
    return [file for one in (*reach.folders, *inside) for file in _headers_in(one, reach)]


def _texts(files: Iterable[Path], reach: AllowedFolders) -> Iterator[str]:
    """What headers say, as far as there is room for it. Raises OSError, FormatError."""
    left = LARGEST_TEXT
    for file in files:
        left -= reach.size(file)
        if left < 0:
            raise FormatError(f"all headers have more than {LARGEST_TEXT} bytes", file=str(file))
        yield reach.read(file).decode("latin-1")


def _headers_in(folder: Path, reach: AllowedFolders) -> list[Path]:
    entries = reach.entries(folder)
    return [one.path for one in entries if one.name.lower().endswith(ENDING) and not one.is_folder]


def _locate(name: str, reach: AllowedFolders) -> Path | None:
    r"""The folder that a level calls `name`: there is at least one header in it.

    It is what as many as can be of the last parts of the path say, from the level's folder: "..\src" and "C:\Game\src"
    are its own "src". What the path itself says is never looked at: it is a stranger's.
    """
    parts = [part for part in name.replace("\\", "/").rpartition(":")[2].split("/") if part not in ("", ".", "..")]
    tries = ["/".join(parts[start:]) for start in range(min(len(parts), DEEPEST))]
    found = [folder for beside in reach.folders for one in tries if (folder := reach.folder(beside, one)) is not None]
    if not parts:
        found = list(reach.folders)
    return next((folder for folder in found if _headers_in(folder, reach)), None)
