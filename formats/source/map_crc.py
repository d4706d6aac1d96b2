"""The checksum by which client and server know that they have one map: of all lumps but ENTITIES (notes §2.10)."""

import zlib

from .level import Level
from .lumps import LumpId


def map_crc(level: Level) -> int:
    """CRC-32 of the lumps as they are stored, in the order of their numbers."""
    crc = 0
    for lump in level.lumps:
        if lump != LumpId.ENTITIES:
            crc = zlib.crc32(level.file.stored(lump), crc)
    return crc
