# SPDX-License-Identifier: GPL-3.0-or-later
"""Patch files: `mymap_l_0.lmp` beside `mymap.bsp` takes the place of its lump 0 (source.md §2.1)."""

import re
import struct
from dataclasses import dataclass
from pathlib import PurePath

from ..binary import Buffer, Cursor, FormatError
from .level import Level
from .lumps import MANY_LUMPS, lump_name

_HEADER = struct.Struct("<5i")
_NAME = re.compile(r"(?P<map>.+)_l_(?P<number>\d+)", re.ASCII)


@dataclass(slots=True, eq=False)
class PatchFile:
    """One lump for a map: `data` is not compressed. `revision`: of the map that it was made for."""

    lump: int
    version: int
    revision: int
    data: bytes
    gap: bytes = b""  # between the header and the data
    trailing: bytes = b""

    @classmethod
    def of(cls, level: Level, lump: int) -> "PatchFile":
        """Take a lump of a map."""
        return cls(lump, level.version_of(lump), level.revision, bytes(level.bytes_of(lump)))

    def apply(self, level: Level) -> None:
        """Put the lump into a map as the game does. Raises FormatError if the map has no such lump."""
        if self.lump not in level.lumps:
            raise FormatError(f"a map with {len(level.lumps)} lumps has none of that number", lump_name(self.lump))
        level.set_bytes(self.lump, self.data)
        level.file.entries["version"][self.lump] = self.version


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


def lump_of(name: str | PurePath) -> tuple[str, int] | None:
    """The map's name and the lump that a patch file's name tells; None if it is no such name."""
    path = PurePath(name)
    found = _NAME.fullmatch(path.stem)
    if path.suffix.lower() != ".lmp" or found is None or len(found["number"]) > 3:
        return None
    return found["map"], int(found["number"])
