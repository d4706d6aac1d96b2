# SPDX-License-Identifier: GPL-3.0-or-later
"""The checksum by which client and server know that they have one map: of all lumps but ENTITIES (source.md §2.10)."""

import zlib

from .container.bsp_file import BspFile
from .level import Level
from .lumps import LumpId


def map_crc(level: Level) -> int:
    """CRC-32 of the lumps as they are stored, in the order of their numbers: those of the file that `write` would give.

    Entities that take more or fewer bytes do change it where they move the game lump, which has offsets into the file;
    a patch file with the entities doesn't. Raises FormatError where the map cannot be written.
    """
    level.store()
    file = BspFile(level.file.write())
    crc = 0
    for lump in level.lumps:
        if lump != LumpId.ENTITIES:
            crc = zlib.crc32(file.stored(lump), crc)
    return crc
