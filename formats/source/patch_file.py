# SPDX-License-Identifier: GPL-3.0-or-later
"""Patch files: `mymap_l_0.lmp` beside `mymap.bsp` takes the place of one of its lumps (source.md §2.1).

It has the verbs of a format, for the file alone: no game's level is only this.
"""

import re
import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath

from ..binary import Buffer, Cursor, FormatError, Problem
from ..format import Document
from . import level as map_level
from .entities.text import Entities
from .lumps import MANY_LUMPS, LumpId, lump_name

TITLE = "Source patch file"
ENDINGS = (".lmp",)

_HEADER = struct.Struct("<5i")
_NAME = re.compile(r"(?P<map>.+)_[hls]_(?P<number>\d+)", re.ASCII | re.IGNORECASE)
_LONGEST_GAP = 4096
"""Bytes between header and data of what is taken for such a file: compilers leave none."""


@dataclass(slots=True, eq=False)
class PatchFile:
    """One lump for a map: `data` is not compressed. `revision`: of the map that it was made for."""

    lump: int
    version: int
    revision: int
    data: bytes
    gap: bytes = b""  # between the header and the data
    trailing: bytes = b""

    @property
    def entities(self) -> Entities:
        """What the data mean, if they are of the lump of entities. Raises FormatError."""
        return Entities.decode(self.data)

    @classmethod
    def of(cls, level: map_level.Level, lump: int) -> "PatchFile":
        """Take a lump of a map."""
        return cls(lump, level.version_of(lump), level.revision, bytes(level.bytes_of(lump)))

    def apply(self, level: map_level.Level) -> None:
        """Put the lump into a map as the game does. Raises FormatError if the map has no such lump."""
        if self.lump not in level.lumps:
            raise FormatError(f"a map with {len(level.lumps)} lumps has none of that number", lump_name(self.lump))
        level.set_bytes(self.lump, self.data)
        level.file.entries["version"][self.lump] = self.version


def identify(data: Buffer) -> bool:
    """Whether these bytes are a patch file: it has no magic, but its numbers have to fit its length to the byte."""
    if len(data) < _HEADER.size:
        return False
    offset, lump, _, length, _ = _HEADER.unpack(bytes(data[: _HEADER.size]))
    fits = _HEADER.size <= offset <= _LONGEST_GAP and 0 <= lump < MANY_LUMPS
    return bool(fits and length >= 0 and offset + length == len(data))


def read(data: Buffer) -> PatchFile:
    """Read a patch file. Raises FormatError."""
    what = "patch file"
    cursor = Cursor(data)
    offset, lump, version, length, revision = _HEADER.unpack(cursor.take(_HEADER.size, what))
    if not 0 <= lump < MANY_LUMPS:
        raise FormatError(f"it is for lump {lump}: there are up to {MANY_LUMPS}", what, 4)
    if offset < _HEADER.size:
        raise FormatError(f"its data begin at byte {offset}, within the header", what, 0)
    gap = bytes(cursor.take(offset - _HEADER.size, what))
    lump_data = bytes(cursor.take(length, what))
    return PatchFile(
        lump, version & 0xFFFFFFFF, revision & 0xFFFFFFFF, lump_data, gap, bytes(cursor.take(cursor.left, what))
    )


def write(patch: PatchFile) -> bytes:
    """Return the bytes of a patch file."""
    offset = _HEADER.size + len(patch.gap)
    header = struct.pack("<iiIiI", offset, patch.lump, patch.version, len(patch.data), patch.revision)
    return b"".join((header, patch.gap, patch.data, patch.trailing))


def name_of(map_name: str | PurePath, lump: int) -> str:
    """The name of the patch file for a lump of a map: "mymap_l_0.lmp"."""
    return f"{PurePath(map_name).stem}_l_{lump}.lmp"


def map_of(name: str | PurePath) -> tuple[str, int] | None:
    """The map's name and the number that a patch file's name tells; None if it is no such name.

    The number only says in which order the game takes several: which lump it is, the header has.
    """
    path = PurePath(name)
    found = _NAME.fullmatch(path.stem)
    if path.suffix.lower() != ".lmp" or found is None or len(found["number"]) > 3:
        return None
    return found["map"], int(found["number"])


def check(patch: PatchFile) -> list[Problem]:
    """Return what the game would refuse or misread, as far as that can be said without the map."""
    if patch.lump != LumpId.ENTITIES:
        return []
    place = lump_name(patch.lump)
    try:
        entities = patch.entities
    except FormatError as error:
        return [Problem(place, error.message)]
    if not entities or entities[0].classname != "worldspawn":
        return [Problem(place, "the first entity is not worldspawn")]
    return []


def summary(patch: PatchFile) -> Document:
    """Return the outlines: which lump it is, for which revision of the map, and how many entities of each class."""
    head = {
        "lump": f"{lump_name(patch.lump)} version {patch.version}: {len(patch.data)} bytes",
        "map revision": patch.revision,
    }
    if patch.lump != LumpId.ENTITIES:
        return head
    try:
        return head | {"entities": dict(Counter(entity.classname for entity in patch.entities).most_common())}
    except FormatError as error:
        return head | {"entities": str(error)}


def contents(patch: PatchFile) -> Document:
    """Return all of it, decoded; entities that can't be read are a FormatError in their place."""
    head: Document = {
        "lump": lump_name(patch.lump),
        "version": patch.version,
        "map revision": patch.revision,
        "gap": patch.gap,
        "trailing": patch.trailing,
    }
    if patch.lump != LumpId.ENTITIES:
        return head | {"bytes": patch.data}
    try:
        return head | {"holds": ([list(pair) for pair in entity.pairs] for entity in patch.entities)}
    except FormatError as error:
        return head | {"holds": error}


def section_at(patch: PatchFile, offset: int) -> str:
    """Say which part of the file this byte of it belongs to."""
    data = _HEADER.size + len(patch.gap)
    if offset < _HEADER.size:
        return "header"
    if offset < data:
        return "gap behind the header"
    return lump_name(patch.lump) if offset < data + len(patch.data) else "behind the data"


Level = PatchFile
"""What the verbs call it."""
