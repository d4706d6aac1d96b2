"""VMF, the maps of the Hammer editor, from compiled ones: for edits of geometry, which vbsp has to compile anew.

`of_level` takes a map apart, `write` gives the text. In between, solids may be taken out and put in (`Map.edited`).
"""

from .assembly import Map, Vmf, of_level, write
from .solids import WORLD, Solids, joined

__all__ = ["WORLD", "Map", "Solids", "Vmf", "joined", "of_level", "write"]
