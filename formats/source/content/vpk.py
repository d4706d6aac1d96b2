# SPDX-License-Identifier: GPL-3.0-or-later
"""VPK archives, versions 1 and 2: a `_dir.vpk` lists files that lie in it or in `_000.vpk`, `_001.vpk` and so on.

Layout: Valve Developer Community, "VPK (file format)". Vampire: The Masquerade - Bloodlines has other archives
under the same name (`troika`), which this refuses.
"""

import os
import struct
from dataclasses import dataclass

from ...binary import Buffer, FormatError
from ...reach import LARGEST, largest
from . import archive

SIGNATURE = 0x55AA1234
_ENTRY = struct.Struct("<IHHIIH")
_IN_DIRECTORY = 0x7FFF
_END = 0xFFFF


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a file lies."""

    crc: int
    preload: bytes
    """Its first bytes, in the directory."""
    archive: int | None
    """None for the directory's own file."""
    offset: int
    length: int


class VpkArchive(archive.Archive[tuple[int, dict[str, Entry]]]):
    """An archive, by its directory file."""

    def _read_list(self) -> tuple[int, dict[str, Entry]]:
        """Where the data in this file start, and all files by name."""
        with self.reach.open(self.path) as file:
            head = file.read(28)
            if len(head) < 12:
                raise FormatError(f"{len(head)} bytes are no archive", "VPK header", 0, str(self.path))
            signature, version, size = struct.unpack_from("<III", head)
            if signature != SIGNATURE or version not in (1, 2):
                raise FormatError(f"signature {signature:#x}, version {version}", "VPK header", 0, str(self.path))
            start = 12 if version == 1 else 28
            if size > os.fstat(file.fileno()).st_size - start:
                raise FormatError(f"lists files in {size} bytes, behind its end", "VPK header", 8, str(self.path))
            if size > LARGEST:
                raise FormatError(f"lists files in {size} bytes: too many", "VPK header", 8, str(self.path))
            file.seek(start)
            return start + size, entries(file.read(size))

    @property
    def files(self) -> dict[str, Entry]:
        """All files by their names: small letters, slashes. FormatError where the list can't be read; OSError."""
        return self._list[1]

    def read(self, name: str) -> bytes | None:
        """A file's bytes, None where there is none; FormatError where its archive is missing or too short."""
        start, files = self._list
        entry = files.get(name)
        if entry is None:
            return None
        if not entry.length:
            return entry.preload
        if entry.length > largest(name):
            raise FormatError(f"has {entry.length} bytes: of more than {largest(name)} none are read", name)
        path = self.path
        if entry.archive is not None:
            stem = path.stem[:-4] if path.stem.lower().endswith("_dir") else path.stem
            path = path.with_name(f"{stem}_{entry.archive:03}{path.suffix}")
            start = 0
        try:
            with self.reach.open(path) as file:
                file.seek(start + entry.offset)
                data = file.read(entry.length)
        except OSError as error:
            raise FormatError(f"its archive can't be read: {error}", name, file=str(path)) from None
        if len(data) != entry.length:
            raise FormatError(f"{len(data)} of its {entry.length} bytes are there", name, entry.offset, str(path))
        return entry.preload + data


def entries(tree: Buffer) -> dict[str, Entry]:
    """The files that a directory tree lists; FormatError where it is cut off. Of equal names the first counts.

    The tree: endings, in each its folders, in each its names, every list and text ended by a NUL; " " stands for none.
    """
    data = bytes(tree)
    found: dict[str, Entry] = {}
    place = 0

    def text() -> str | None:
        """The next text, None where the list ends."""
        nonlocal place
        end = data.find(b"\0", place)
        if end < 0:
            raise FormatError("is cut off", "VPK tree", place)
        piece = data[place:end]
        place = end + 1
        return piece.decode("utf-8", "surrogateescape").lower().strip() if piece else None

    while (ending := text()) is not None:
        while (folder := text()) is not None:
            while (stem := text()) is not None:
                name = (f"{folder}/" if folder else "") + stem + (f".{ending}" if ending else "")
                if place + _ENTRY.size > len(data):
                    raise FormatError("is cut off", "VPK tree", place)
                crc, small, archive, offset, length, end = _ENTRY.unpack_from(data, place)
                place += _ENTRY.size
                if end != _END or place + small > len(data):
                    raise FormatError(f"the entry of {name!r} ends with {end:#x}", "VPK tree", place)
                number = None if archive == _IN_DIRECTORY else archive
                entry = Entry(crc, data[place : place + small], number, offset, length)
                found.setdefault(name.replace("\\", "/"), entry)
                place += small
    return found
