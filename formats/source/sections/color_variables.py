# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of colours that tints of Strata's overlays and static props refer to: the game lump `clvr`.

Layout: Strata Source's wiki, "BSP v25 Format". A tint whose flag says so holds no colour but the number of a name.
"""

import numpy as np

from ...arrays import Bytes, Ints, Records
from ...binary import Buffer
from ..records import ByteOrder
from ..tables.props import COLOR_VARIABLE
from .counted import read_table, table_bytes


def read(data: Buffer, byte_order: ByteOrder = "<") -> Records:
    """Read the lump: COLOR_VARIABLE [n], a view; `counted.texts` gives their names. Raises FormatError."""
    return read_table(data, COLOR_VARIABLE, byte_order, "colour variables")


def write(names: Records, byte_order: ByteOrder = "<") -> bytes:
    """Return the bytes of the lump."""
    return table_bytes(names, byte_order)


def numbers(tints: Bytes) -> Ints:
    """Which name each of uint8 [n, 4] tints refers to: int64 [n]."""
    red, green, blue = tints[..., :3].astype(np.int64).T
    return np.asarray(red << 16 | green << 8 | blue)
