# SPDX-License-Identifier: GPL-3.0-or-later
"""Valve's Source engine: compiled maps (`.bsp`), versions 17 to 27 and 42, of PCs and consoles.

A `Level` gives each lump as bytes (`bytes_of`), as a table of records (`table`), and as what it means: `entities`,
`pak`, `visibility`, `game_lumps`, `static_props`, `physcollide` and more. Units are Hammer's, Z up.

    level = read(data)
    level.entities[0].set("skyname", "sky_day01_01")
    planes = level.table(LumpId.PLANES)  # read-only: copy, change, and `set_table`
    data = write(level)

Tables name rows of one another: `edits` changes what belongs together, `world` brushes of the world with all that
follows of them, `vmf` writes a map's source. `patch_file` has the verbs for `.lmp` files, which take the place of a
lump. `leaks` says what of a map counts for leaks.
"""

from ..binary import Buffer
from . import leaks, patch_file
from .check import check
from .collision.physcollide import PhysCollide, PhysModel
from .container import bsp_file
from .container.bsp_file import BspFile
from .container.game_lump import GameLumps
from .container.pak import Pak, PakFile
from .content.kinds import KINDS as CONTENT
from .contents import contents, section_at, summary
from .entities.text import Entities, Entity, Output
from .level import Level
from .lumps import LumpId, lump_name
from .new_level import new_level
from .patch_file import PatchFile
from .sections.visibility import Visibility

TITLE = "Source map"
ENDINGS = (".bsp",)
BESIDE = (patch_file,)

__all__ = [
    "BESIDE",
    "CONTENT",
    "ENDINGS",
    "TITLE",
    "BspFile",
    "Entities",
    "Entity",
    "GameLumps",
    "Level",
    "LumpId",
    "Output",
    "Pak",
    "PakFile",
    "PatchFile",
    "PhysCollide",
    "PhysModel",
    "Visibility",
    "check",
    "contents",
    "identify",
    "leaks",
    "lump_name",
    "new_level",
    "patch_file",
    "read",
    "section_at",
    "summary",
    "write",
]


def identify(data: Buffer) -> bool:
    """Whether these bytes are a map of the Source engine."""
    return bsp_file.identify(data)


def read(data: Buffer, salvage: bool = False) -> Level:
    """Read a map: cheap, lumps are decoded when they are first asked for. Raises FormatError.

    salvage: of a lump of entities that is damaged, read what can be read, and keep the rest.
    """
    return Level(BspFile(data), salvage)


def write(level: Level) -> bytes:
    """Return the map's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    level.store()
    return level.file.write()
