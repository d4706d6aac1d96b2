# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles filled in and cleared."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.teeworlds import stamps
from ....formats.teeworlds.stamps import cells_of
from ....formats.teeworlds.tiles import TileFlag
from ...scene.fields import declared
from ...scene.names import showable
from ...scene.reports import SceneError
from ..structure.map_operator import MapOperator
from ..structure.parts import tile_kind
from .automap import follow_edit
from .grid import TileGrid


def fill_tiles(
    layer: bpy.types.Object, place: tuple[int, int], size: tuple[int, int], index: int, flags: int = 0, **fields: int
) -> None:
    """Fill a rectangle of a tile layer with one tile; index 0 empties it.

    `place`: column and row of its top left corner, `size`: width and height in tiles. `fields`: further attributes, as
    the layer's kind has them (number, force, ...), 0 where not given. Raises SceneError for what reaches beyond the
    layer, and as `TileGrid` does.
    """
    grid = TileGrid(layer)
    (x, y), (width, height) = place, size
    if min(x, y) < 0 or min(width, height) < 1 or x + width > grid.shape[1] or y + height > grid.shape[0]:
        raise SceneError(f"{layer.name}: {width} x {height} tiles at ({x}, {y}) reach beyond it", [layer])
    cells = cells_of((x, y, width, height))
    given = {"index": index, "flags": flags} | fields
    grid.put(cells[:, 1] * grid.shape[1] + cells[:, 0], {name: given.get(name, 0) for name in grid.values})
    grid.finish()


class FillTiles(MapOperator):
    """Fill a rectangle of the active tile layer with one tile, or empty it (index 0)"""

    bl_idname = "levelwright.teeworlds_fill_tiles"
    bl_label = "Fill Tiles"
    needs_layer = True
    layer_kind = "TILES"

    x: int = declared.integer(name="X", description="Column of the first tile", min=0)
    y: int = declared.integer(name="Y", description="Row of the first tile", min=0)
    width: int = declared.integer(name="Width", default=1, min=1)
    height: int = declared.integer(name="Height", default=1, min=1)
    index: int = declared.integer(name="Index", description="0 = air", default=1, min=0, max=255)
    flip_x: bool = declared.boolean(name="Mirror Left to Right")
    flip_y: bool = declared.boolean(name="Mirror Top to Bottom")
    rotate: bool = declared.boolean(name="Rotate")
    number: int = declared.integer(name="Number", description="Of tele, switch and tune tiles", min=0, max=255)
    delay: int = declared.integer(name="Delay", description="Of switch tiles: seconds", min=0, max=255)
    force: int = declared.integer(name="Force", description="Of speedups", min=0, max=255)
    max_speed: int = declared.integer(name="Max Speed", description="Of speedups, 0 = no limit", min=0, max=255)
    angle: int = declared.integer(name="Angle", description="Of speedups: degrees, clockwise", min=0, max=359)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Fill it, and let the layer's automapper follow."""
        flags = self.flip_x * TileFlag.XFLIP | self.flip_y * TileFlag.YFLIP | self.rotate * TileFlag.ROTATE
        layer = self.layer(context)
        fields = {name: int(getattr(self, name)) for name in ("number", "delay", "force", "max_speed", "angle")}
        fill_tiles(layer, (self.x, self.y), (self.width, self.height), self.index, int(flags), **fields)
        unknown = stamps.unknown(tile_kind(layer) or "", np.array([self.index]))
        if unknown:
            said = stamps.unknown_in_words(tile_kind(layer) or "", unknown)
            self.report({"WARNING"}, showable(f"{layer.name}: {said}"))
        follow_edit(level, layer, (self.x, self.y, self.width, self.height))


CLASSES = (FillTiles,)
