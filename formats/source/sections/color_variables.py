# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of colours that tints of Strata's overlays and static props refer to: the game lump `clvr`.

Layout: Strata Source's wiki, "BSP v25 Format". A tint whose flag says so holds no colour but the number of a name.
"""

import numpy as np

from ...arrays import Bytes, Ints, Records
from ...binary import Buffer, Cursor
from ..records import ByteOrder
from ..tables.props import COLOR_VARIABLE
from .counted import table_bytes, take_table

_WHAT = "colour variables"


def read(data: Buffer, byte_order: ByteOrder = "<") -> Records:
    """Read the lump: COLOR_VARIABLE [n], a view; `counted.texts` gives their names. Raises FormatError."""
    cursor = Cursor(data)
    names = take_table(cursor, COLOR_VARIABLE, byte_order, _WHAT)
    if cursor.left:
        raise cursor.error(f"{cursor.left} bytes follow the last", _WHAT)
    return names


def write(names: Records, byte_order: ByteOrder = "<") -> bytes:
    """Return the bytes of the lump."""
    return table_bytes(names, byte_order)


def numbers(tints: Bytes) -> Ints:
    """Which name each of uint8 [n, 4] tints refers to: int64 [n]."""
    red, green, blue = tints[..., :3].astype(np.int64).T
    return np.asarray(red << 16 | green << 8 | blue)
