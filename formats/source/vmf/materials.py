# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of materials as the editor knew them: the compiler gives some faces a copy of their material.

Copies lie in the pak as `maps/<map>/<name>_<x>_<y>_<z>` (their cubemap's), `.._depth_<units>` (water) and
`.._wvt_patch` (without blending), and say themselves what they are patches of (source.md "Cubemap"). Old compilers made
whole copies for the default cubemap, too, and called them `maps/<map>/<name>`, as authors call materials of their own.
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
_OF_MAP = re.compile(r'"\s*(maps/[^/"]+)/(?:cubemapdefault|c-?\d+_-?\d+_-?\d+)\s*"', re.IGNORECASE)
_FOLDER, _ENDING = "materials/", ".vmt"
_DEEPEST = 4


def originals(level: Level, names: list[str]) -> list[str]:
    """What the materials of these names are copies of; those that are none keep their name."""
    known = {_stripped(name).lower() for name in level.texture_names.names if _SUFFIX.search(name)}
    try:
        pak = level.pak
    except FormatError:
        pak = None

    def read(name: str) -> bytes | None:
        path = f"{_FOLDER}{name}{_ENDING}"
        try:
            return bytes(pak.read(path)) if pak is not None and path in pak else None
        except FormatError:
            return None

    return [_original(name, read, known) for name in names]


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


def _original(name: str, read: Callable[[str], bytes | None], known: set[str]) -> str:
    """The material that one is a copy of. known: originals of copies with an ending, in small letters."""
    for _ in range(_DEEPEST):
        copy = _COPY.match(name)
        if not copy:
            return name
        data = read(name)
        included = _included(data)
        if included is None:
            whole = copy["name"].lower() in known or _has_cubemap(name, data)
            return copy["name"] if whole and not _SUFFIX.search(name) else _stripped(name)
        name = included
    return _stripped(name)


def _has_cubemap(name: str, data: bytes | None) -> bool:
    """Whether a material is lit by a cubemap of the map in whose folder it lies: no author's own is."""
    found = _OF_MAP.search((data or b"").decode("latin-1").replace("\\", "/"))
    return found is not None and name.lower().startswith(found[1].lower() + "/")


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
