# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a file that an export replaces is still the one that was imported, or exported last.

A level's collection has the names and hashes of those files: of the imported ones (`originals`), and of what was
exported since (WRITTEN). Where they lie is known only as long as Blender runs: no .blend says where files of its maker
are.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import bpy

from ..kept import identity, originals, undone

WRITTEN = undone.stays("levelwright_written")
"""Property of a collection: JSON of the SHA-256 of each file that was exported, by name."""
_places: dict[int, dict[Path, str]] = {}  # by token: the level's files as this process last read or wrote them


def imported(collection: bpy.types.Collection, path: Path) -> None:
    """Remember where the files of a level lie that was just imported."""
    for name, sha256 in originals.digests(collection).items():
        _remember(collection, path.with_name(name), sha256)


def exported(collection: bpy.types.Collection, files: Mapping[Path, bytes | memoryview]) -> None:
    """Remember what was just written, or read, in another form than a level."""
    written = _written(collection)
    for path, data in files.items():
        written[path.name] = hashlib.sha256(data).hexdigest()
        _remember(collection, path, written[path.name])
    collection[WRITTEN] = json.dumps(written)


def inherit(collection: bpy.types.Collection, before: bpy.types.Collection) -> None:
    """Take over what is known of another level's files, whose place a level takes."""
    collection[WRITTEN] = json.dumps({**originals.digests(before), **_written(before)})
    _places.setdefault(_token(collection), {}).update(_places.get(_token(before), {}))


def changed(collection: bpy.types.Collection, path: Path, quick: bool = False) -> bool:
    """Say whether an export to path would replace what others have written there since the import or the last export.

    A file that isn't known to be the level's is not meant: neither another one of the same name, as far as this process
    knows where the level's lie. quick: don't read again what was read, and has the same time and size.
    """
    target = _real(path)
    if not target.is_file():
        return False
    places = _places.get(_token(collection), {})
    saved = {**originals.digests(collection), **_written(collection)}
    if target not in places and (target.name not in saved or any(place.name == target.name for place in places)):
        return False
    stat = target.stat()
    found = _seen(target, stat.st_mtime_ns, stat.st_size) if quick else digest(target)
    return found not in {*originals.digests(collection).values(), *saved.values(), places.get(target)}


def folders(collection: bpy.types.Collection) -> list[Path]:
    """Return where the level's files lie, as far as this process read or wrote them."""
    return list(dict.fromkeys(place.parent for place in _places.get(_token(collection), {})))


def _remember(collection: bpy.types.Collection, path: Path, sha256: str) -> None:
    _places.setdefault(_token(collection), {})[_real(path)] = sha256


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _token(collection: bpy.types.Collection) -> int:
    """Return what tells imports apart; 0 for what has none."""
    mark = identity.stamped(collection)
    return mark.token if mark is not None else 0


def _written(collection: bpy.types.Collection) -> dict[str, str]:
    """Return the hashes of what was exported, by name."""
    try:
        held = json.loads(collection.get(WRITTEN, "{}"))
    except (TypeError, ValueError):  # somebody edited the property
        return {}
    return {name: sha256 for name, sha256 in held.items() if isinstance(sha256, str)} if isinstance(held, dict) else {}


def digest(path: Path) -> str:
    """Return a file's SHA-256, hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=8)
def _seen(path: Path, _time: int, _size: int) -> str:
    """Do as `_digest`, once: dialogs are drawn whenever the mouse moves."""
    return digest(path)
