"""Valve's Source engine: compiled maps (`.bsp`), versions 17 to 27 and 42, of PCs and consoles.

A `Level` gives each lump as bytes (`bytes_of`), as a table of records (`table`), and what it means as attributes.
"""

from ..binary import Buffer
from . import bsp_file
from .bsp_file import BspFile
from .level import Level
from .lumps import LumpId, lump_name

__all__ = ["BspFile", "Level", "LumpId", "identify", "lump_name", "read", "write"]


def identify(data: Buffer) -> bool:
    """Whether these bytes are a map of the Source engine."""
    return bsp_file.identify(data)


def read(data: Buffer) -> Level:
    """Read a map: cheap, lumps are decoded when they are first asked for. Raises FormatError."""
    return Level(BspFile(data))


def write(level: Level) -> bytes:
    """Return the map's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    level.store()
    return level.file.write()
