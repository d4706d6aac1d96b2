# SPDX-License-Identifier: GPL-3.0-or-later
"""What Steam has installed on this machine, as its own library files say.

`steamapps/libraryfolders.vdf` lists the libraries, and the `steamapps` of each library has a file for each program,
`appmanifest_<number>.acf`, with its name and that of its folder in `common` (as Steam writes them: seen in files that
people published with questions about them).

Such a file may come from a disk of anybody's: paths on other computers aren't asked about, names of folders are names
and lead nowhere else, and there are limits to how many and how large files are read.
"""

import codecs
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...binary import FormatError
from ...reach import LONGEST, AllowedFolders, steps
from . import keyvalues
from .keyvalues import Block

MOST_LIBRARIES = 64
MOST_PROGRAMS = 4096
"""Of a library: manifests that are read."""
LARGEST_FILE = 1 << 20
"""Bytes of a manifest, or of the list of libraries: real ones have a few thousand."""
_LISTS = ("steamapps/libraryfolders.vdf", "config/libraryfolders.vdf")
_MANIFEST = re.compile(r"appmanifest_\d{1,10}\.acf", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is installed: its name, and its folder, which is there."""

    name: str
    folder: Path


@dataclass(slots=True)
class Installed:
    """What was found: the libraries, the programs in them, and what was left out, in words."""

    libraries: list[Path] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def installed(roots: list[Path]) -> Installed:
    """Return what Steam has installed. roots: the folders that it itself may be in, whether they are there or not."""
    found = Installed()
    for library in _libraries(roots, found):
        found.libraries.append(library)
        found.programs += _programs(library, found)
    return found


def is_local(path: str) -> bool:
    r"""Whether a path is an absolute one that names no other computer: not `\\host\share`, `//host`, `\\?\UNC\host`."""
    if not path or len(path) > LONGEST or "\0" in path or path.replace("\\", "/").startswith("//"):
        return False
    return Path(path).is_absolute()


def _libraries(roots: list[Path], found: Installed) -> Iterator[Path]:
    """The folders of the libraries, each once, whatever links lead to it."""
    seen: set[str] = set()
    for root in AllowedFolders(roots).folders:
        for place in [root, *_listed(root, found)]:
            real = os.path.realpath(place)  # of what is on this machine: the user's Steam is often reached by a link
            if real in seen:
                continue
            if len(seen) == MOST_LIBRARIES:
                found.left_out.append(f"more than {MOST_LIBRARIES} libraries")
                return
            seen.add(real)
            yield from AllowedFolders([place]).folders


def _listed(root: Path, found: Installed) -> Iterator[Path]:
    """The libraries that a Steam's own files name: since 2021 a block each with a path, before that a path each."""
    reach = AllowedFolders([root])
    for name in _LISTS:
        whole = _parsed(reach, reach.find(name), found)
        listed = whole.block("libraryfolders") if whole is not None else None
        if listed is None:
            continue
        blocks = [block.get("path") for _, block in listed.blocks()]
        for path in [*blocks, *(value for key, value in listed.texts() if key.isdecimal())]:
            text = (path or "").replace("\\\\", "\\")  # Steam doubles backslashes
            if is_local(text):
                yield Path(text)
            elif text:
                found.left_out.append(f"the library {text[:80]}: it isn't on this computer")


def _programs(library: Path, found: Installed) -> Iterator[Program]:
    """The programs of a library whose folders are there."""
    reach = AllowedFolders([library])
    apps = reach.folder(library, "steamapps")
    common = None if apps is None else reach.folder(apps, "common")
    if apps is None or common is None:
        return
    manifests = [entry.path for entry in reach.entries(apps) if _MANIFEST.fullmatch(entry.name) and not entry.is_folder]
    if len(manifests) > MOST_PROGRAMS:
        found.left_out.append(f"all but {MOST_PROGRAMS} programs of the library {library}")
    for manifest in manifests[:MOST_PROGRAMS]:
        whole = _parsed(reach, manifest, found)
        state = whole.block("appstate") if whole is not None else None
        name = state.get("installdir") if state is not None else None
        if state is None or not name:
            continue
        if len(steps(name) or ()) != 1:
            found.left_out.append(f"{manifest.name}: {name[:80]!r} is no name of a folder")
            continue
        folder = reach.folder(common, name)
        if folder is not None:
            yield Program(state.get("name") or name, folder)
    mods = reach.folder(apps, "sourcemods")  # where Steam looks for mods that were installed by hand
    if mods is not None:
        yield Program("mods of Source games", mods)


def _parsed(reach: AllowedFolders, path: Path | None, found: Installed) -> Block | None:
    """What a file says; None where there is none that can be read."""
    try:
        if path is None:
            return None
        if reach.size(path) > LARGEST_FILE:
            found.left_out.append(f"{path}: it is larger than {LARGEST_FILE} bytes")
            return None
        data = reach.read(path).removeprefix(codecs.BOM_UTF8)
        return keyvalues.parse(codecs.BOM_UTF8 + data)  # Steam writes UTF-8 without a mark
    except (FormatError, OSError) as error:
        found.left_out.append(str(error))
        return None
