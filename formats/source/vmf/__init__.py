# SPDX-License-Identifier: GPL-3.0-or-later
"""VMF, the maps of the Hammer editor, from compiled ones: for edits of geometry, which vbsp has to compile anew.

`of_level` takes a map apart, `write` gives the text. In between, its solids may be others: `match` finds out what
polygons are as brushes, `Map.with_brushes` puts these in.
"""

from .assembly import Map, of_level
from .brush_polygons import BrushPolygons, BrushShapeError, CollectedBrushes, match
from .materials import sizes
from .rules import RuleError, VmfFinding
from .solids import WORLD, VmfSolids, bare, is_detail, joined
from .solids import of_level as compiled
from .texture_axes import standard
from .writing import Vmf, write

__all__ = [
    "WORLD",
    "BrushPolygons",
    "BrushShapeError",
    "CollectedBrushes",
    "Map",
    "RuleError",
    "Vmf",
    "VmfFinding",
    "VmfSolids",
    "bare",
    "compiled",
    "is_detail",
    "joined",
    "match",
    "of_level",
    "sizes",
    "standard",
    "write",
]
