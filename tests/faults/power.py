# SPDX-License-Identifier: GPL-3.0-or-later
"""What a disk may hold after the power failed: the worst that file systems may make of what wasn't synced.

Names change in the order in which they were changed, but any number of the last changes may be missing, back to when
the folder was synced. A file has the bytes that it had when it was synced, and none where it never was.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Disk = dict[str, bytes]
"""A folder: bytes by name."""


class Power:
    """Watches an export into a folder, as the `act` of Points, and knows what could be left of it at each point."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.disks: list[Disk] = []
        """What could be left, each once."""
        self._listings = [self._listing()]
        self._bytes = {inode: (folder / name).read_bytes() for name, inode in self._listings[0].items()}

    def __call__(self, _number: int, name: str, arguments: tuple[Any, ...]) -> None:
        self.look()
        if name != "fsync":
            return
        what = os.fstat(arguments[0])
        if stat.S_ISDIR(what.st_mode):
            del self._listings[:-1]
        else:
            path = next(name for name, inode in self._listings[-1].items() if inode == what.st_ino)
            self._bytes[what.st_ino] = (self.folder / path).read_bytes()

    def look(self) -> list[Disk]:
        """Add what could be left now, and return it."""
        listing = self._listing()
        for inode in set(listing.values()) - set(self._listings[-1].values()):
            self._bytes[inode] = b""  # a new file
        self._listings.append(listing)
        now = [{name: self._bytes[inode] for name, inode in names.items()} for names in self._listings]
        self.disks += [disk for disk in now if disk not in self.disks]
        return now

    def _listing(self) -> Mapping[str, int]:
        return {path.name: path.lstat().st_ino for path in self.folder.iterdir()}
