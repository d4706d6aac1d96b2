# SPDX-License-Identifier: GPL-3.0-or-later
"""VMF, the maps of the Hammer editor, from compiled ones: for edits of geometry, which vbsp has to compile anew.

`of_level` takes a map apart, `write` gives the text. In between, its solids may be others: `read` tells what drawn
polygons are, `Map.redrawn` puts that in.
"""

from .assembly import Map, Vmf, of_level, write
from .drawn import Drawn, Redrawn, ShapeError, read
from .materials import sizes
from .solids import WORLD, Solids, bare, is_detail, joined
from .solids import of_level as compiled
from .texture_axes import standard

__all__ = [
    "WORLD",
    "Drawn",
    "Map",
    "Redrawn",
    "ShapeError",
    "Solids",
    "Vmf",
    "bare",
    "compiled",
    "is_detail",
    "joined",
    "of_level",
    "read",
    "sizes",
    "standard",
    "write",
]
