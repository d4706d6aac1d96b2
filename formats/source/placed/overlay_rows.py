# SPDX-License-Identifier: GPL-3.0-or-later
"""The lumps that have a row for each overlay (source.md §2.7 "Overlay")."""

from ..level import Level
from ..lumps import LumpId

_MOST_BYTES = 8  # of a row


def rows_beside(level: Level, count: int) -> list[LumpId]:
    """Which of OVERLAY_FADES and OVERLAY_SYSTEM_LEVELS have a row for each of `count` overlays.

    Some games have other things in their place. Raises FormatError.
    """
    found = []
    for lump in (LumpId.OVERLAY_FADES, LumpId.OVERLAY_SYSTEM_LEVELS) if count else ():
        layout = level.layout(lump).dtype if len(level.bytes_of(lump)) else None
        if layout is not None and layout.itemsize <= _MOST_BYTES and len(level.table(lump)) == count:
            found.append(lump)
    return found
