# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of materials as the editor knew them: the compiler gives some faces a copy of their material.

Copies lie in the pak as `maps/<map>/<name>_<x>_<y>_<z>` (their cubemap's), `.._depth_<units>` (water) and
`.._wvt_patch` (without blending), and say themselves what they are patches of (source.md "Cubemap").
"""

import re
from collections.abc import Callable

from ...binary import FormatError
from ..content import keyvalues
from ..level import Level
from ..lumps import LumpId

_COPY = re.compile(r"maps/[^/]+/(?P<name>.+)", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:_-?\d+_-?\d+_-?\d+|_depth_-?\d+|_wvt_patch)\Z", re.IGNORECASE)
_CUBEMAP = re.compile(r"maps/[^/]+/.+_(-?\d+)_(-?\d+)_(-?\d+)\Z", re.IGNORECASE)
_FOLDER, _ENDING = "materials/", ".vmt"
_DEEPEST = 4


def originals(level: Level, names: list[str]) -> list[str]:
    """What the materials of these names are copies of; those that are none keep their name."""
    try:
        pak = level.pak
    except FormatError:
        return [_stripped(name) for name in names]

    def read(name: str) -> bytes | None:
        path = f"{_FOLDER}{name}{_ENDING}"
        try:
            return bytes(pak.read(path)) if path in pak else None
        except FormatError:
            return None

    return [_original(name, read) for name in names]


def sizes(level: Level) -> dict[str, tuple[int, int]]:
    """Width and height of textures in texels, by names in small letters: those of copies, and of what they are of."""
    names = level.texture_names.names
    texdata = level.table(LumpId.TEXDATA)
    found: dict[str, tuple[int, int]] = {}
    copied = originals(level, names)
    for string, width, height in zip(
        texdata["name_string_table_id"].tolist(), texdata["width"].tolist(), texdata["height"].tolist(), strict=True
    ):
        if 0 <= string < len(names) and width > 0 and height > 0:
            found.setdefault(copied[string].lower(), (width, height))
            found.setdefault(names[string].lower(), (width, height))
    return found


def cubemap(name: str) -> tuple[int, int, int] | None:
    """The place of the cubemap that a material is a copy for; None if it is no such copy."""
    found = _CUBEMAP.match(name)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _original(name: str, read: Callable[[str], bytes | None]) -> str:
    for _ in range(_DEEPEST):
        if not _COPY.match(name):
            return name
        included = _included(read(name))
        if included is None:
            return _stripped(name)
        name = included
    return _stripped(name)


def _included(data: bytes | None) -> str | None:
    """What a material is a patch of."""
    try:
        patch = keyvalues.parse(data).block("patch") if data is not None else None
    except FormatError:
        return None
    path = (patch.get("include") or "").replace("\\", "/") if patch else ""
    if not path.lower().startswith(_FOLDER) or not path.lower().endswith(_ENDING):
        return None
    return path[len(_FOLDER) : -len(_ENDING)]


def _stripped(name: str) -> str:
    """The name without what the compiler put around it, where it can be seen that it did."""
    found = _COPY.match(name)
    if not found:
        return name
    bare = found["name"]
    while ending := _SUFFIX.search(bare):
        bare = bare[: ending.start()]
    return bare if bare != found["name"] and bare else name
