# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of cubemaps: the lump, and all that is named after a cubemap's place (source.md §2.11, §3).

A cubemap at x, y, z has the files maps/<map>/cX_Y_Z.vtf and .hdr.vtf; materials that use it were patched by the
compiler and are named ..._X_Y_Z: in the pak, in texdata, and in each other.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ...binary import Buffer, FormatError
from ..level import Level
from ..lumps import LumpId, lump_name
from .changes import Changes, numbered, put, room_for

_WHAT = lump_name(LumpId.CUBEMAPS)
_FOLDER = re.compile(r"(materials/maps/.+)/c-?\d+_-?\d+_-?\d+\.[^/]*", re.IGNORECASE)
_FILE, _USER = "/c", "_"  # what stands before the numbers in the names of a cubemap's own files, and of its users

Place = tuple[int, int, int]


def change(level: Level, number: int, origin: Sequence[int] | None = None, size: int | None = None) -> None:
    """Move a cubemap, in whole units, or have it another size: 2**(size - 1) pixels square; 0 is the default.

    Its files in the pak, the materials that were patched for it and the names of texdata follow. What it shows is what
    was seen from its old place, until cubemaps are built again in the game.

    Raises FormatError for a cubemap that isn't there, a place where another is, and names that are taken or too long.
    """
    changes = Changes(level)
    table = changes.table(LumpId.CUBEMAPS)
    numbered(number, len(table), LumpId.CUBEMAPS)
    old = _place(table["origin"][number])
    if size is not None:
        put(table, number, {"size": size}, f"cubemap {number}")
    if origin is not None:
        put(table, number, {"origin": origin}, f"cubemap {number}")
        new = _place(table["origin"][number])
        _alone(changes, number)
        if new != old:
            alone = all(_place(row) != old for row in table["origin"])
            if alone:  # else the names are another cubemap's, too
                _rename(changes, old, new)
    changes.apply()


def add(
    level: Level, origin: Sequence[int], size: int = 0, files: Mapping[str, Buffer] | None = None, map_name: str = ""
) -> int:
    """Add a cubemap; returns its number.

    files: its textures by ending, ".vtf" (LDR) and ".hdr.vtf"; without them it shows the map's default until cubemaps
    are built in the game. map_name: of the map's file, without ending; needed where no cubemap tells. Faces use a
    cubemap by patched materials, which are no part of this.

    Raises FormatError for a place where another is, one too many, and files without a map's name.
    """
    changes = Changes(level)
    made = np.zeros(1, level.table(LumpId.CUBEMAPS).dtype)
    put(made, 0, {"origin": origin, "size": size}, "new cubemap")
    number = changes.append(LumpId.CUBEMAPS, made)
    room_for(level, LumpId.CUBEMAPS, number)
    _alone(changes, number)
    if files:
        folder = f"materials/maps/{map_name}" if map_name else _folder(changes)
        for ending, data in files.items():
            changes.pak.put(f"{folder}/c{_token(_place(made['origin'][0]))}{ending}", data)
    changes.apply()
    return number


def remove(level: Level, number: int) -> None:
    """Remove a cubemap; those behind move up. Its files go too, unless materials that were patched for it need them.

    Raises FormatError for a cubemap that isn't there.
    """
    changes = Changes(level)
    table = changes.table(LumpId.CUBEMAPS)
    numbered(number, len(table), LumpId.CUBEMAPS)
    old = _place(table["origin"][number])
    changes.set_table(LumpId.CUBEMAPS, np.delete(table, number))
    left = changes.table(LumpId.CUBEMAPS)["origin"]
    if len(level.bytes_of(LumpId.PAKFILE)) and all(_place(row) != old for row in left):
        user, own = _pattern(old, _USER), _pattern(old, _FILE)
        names = [name.replace("\\", "/") for name in (*changes.pak.names, *changes.names.names)]
        if not any(user.search(name) for name in names):
            for name in [name for name in changes.pak.names if own.search(name.replace("\\", "/"))]:
                changes.pak.remove(name)
    changes.apply()


def _place(origin: np.ndarray[tuple[int], np.dtype[np.int32]]) -> Place:
    x, y, z = origin.tolist()
    return x, y, z


def _token(place: Place) -> str:
    return "_".join(map(str, place))


def _alone(changes: Changes, number: int) -> None:
    """Raise FormatError if another cubemap is where this one is."""
    table = changes.table(LumpId.CUBEMAPS)
    same = np.flatnonzero((table["origin"] == table["origin"][number]).all(axis=1))
    others = same[same != number]
    if len(others):
        raise FormatError(f"cubemap {others[0]} is at {_place(table['origin'][number])} already", _WHAT)


def _folder(changes: Changes) -> str:
    """Where the pak has the files of cubemaps."""
    for name in changes.pak.names:
        found = _FOLDER.fullmatch(name.replace("\\", "/"))
        if found:
            return found[1]
    raise FormatError("no other cubemap has files: the name of the map is needed", _WHAT)


def _pattern(place: Place, before: str = f"(?:{_FILE}|{_USER})") -> re.Pattern[str]:
    """Finds a place in names below maps/: behind what `before` matches, and with no fourth number behind it."""
    return re.compile(rf"(maps[/\\][^\"\r\n]*?{before}){re.escape(_token(place))}(?!_?-?\d)", re.IGNORECASE)


def _rename(changes: Changes, old: Place, new: Place) -> None:
    """Have all names of a cubemap's place name another. Raises FormatError."""
    pattern, put_new = _pattern(old), rf"\g<1>{_token(new)}"
    names = changes.names
    for number, name in enumerate(names.names):
        if pattern.search(name):
            names = names.renamed(number, pattern.sub(put_new, name))
    changes.names = names
    if not len(changes.level.bytes_of(LumpId.PAKFILE)):
        return
    for name in changes.pak.names:
        if name.lower().endswith(".vmt"):
            text = bytes(changes.pak.read(name)).decode("latin-1")
            if pattern.search(text):
                changes.pak.put(name, pattern.sub(put_new, text).encode("latin-1"))
    for name in changes.pak.names:
        if pattern.search(name):
            changes.pak.rename(name, pattern.sub(put_new, name))
