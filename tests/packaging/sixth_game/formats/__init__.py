# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiny levels (`.tiny`): places of gems, for the test that a game is added by two folders and a line."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..binary import Buffer, Cursor, FormatError, Problem

TITLE = "Tiny level"
ENDINGS = (".tiny",)
MAGIC = b"TINY"


@dataclass
class Level:
    """A level: where its gems are."""

    gems: npt.NDArray[np.float32]
    """float32[n, 3], metres, z up."""


def identify(data: Buffer) -> bool:
    """Whether these bytes begin as a tiny level does."""
    return bytes(data[:4]) == MAGIC


def read(data: Buffer) -> Level:
    """Read a level: its magic, a count of gems and their places, float32. Raises FormatError."""
    cursor = Cursor(data)
    if bytes(cursor.take(4, "magic")) != MAGIC:
        raise FormatError("no tiny level", "magic", 0)
    gems = cursor.array("<f4", 3 * cursor.u32("count of gems"), "gems").reshape(-1, 3)
    if cursor.left:
        raise cursor.error(f"{cursor.left} bytes too many", "end")
    return Level(gems.copy())


def write(level: Level) -> bytes:
    """Return a level's bytes."""
    return MAGIC + len(level.gems).to_bytes(4, "little") + level.gems.astype("<f4").tobytes()


def check(level: Level) -> list[Problem]:
    """Gems that are nowhere."""
    lost = np.flatnonzero(~np.isfinite(level.gems).all(axis=1)).tolist()
    return [Problem(f"gem {number}", "is nowhere") for number in lost]


def contents(level: Level) -> dict[str, Any]:
    """Everything in a level."""
    return {"gems": level.gems}


def summary(level: Level) -> dict[str, Any]:
    """What is in a level, in short."""
    return {"gems": len(level.gems)}


def section_at(level: Level, offset: int) -> str:
    """The part of the file that a byte is in."""
    return "header" if offset < 8 else f"gem {(offset - 8) // 12}"
