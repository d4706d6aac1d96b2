# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of what brushes contain (source.md "BRUSHES", §3).

Touched is BRUSHES alone: what players, shots and sight meet. Leafs keep the contents that they were compiled with
(where a point is in water, say), and so does what physics objects meet (PHYSCOLLIDE).
"""

import numpy.typing as npt

from ..level import Level
from ..lumps import LumpId
from .changes import Changes, fitting, numbered


def change(level: Level, brushes: npt.ArrayLike, contents: npt.ArrayLike) -> None:
    """Give brushes other contents. brushes: int[n], ascending and each once. contents: int[n], of 32 bits, `Contents`.

    Raises FormatError for brushes that aren't there, and contents that are none.
    """
    changes = Changes(level)
    table = changes.table(LumpId.BRUSHES)
    wanted = numbered(brushes, len(table), LumpId.BRUSHES)
    table["contents"][wanted] = fitting(contents, table["contents"][wanted], "contents of brushes")
    changes.apply()
