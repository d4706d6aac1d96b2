# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles filled in and cleared."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ....formats.teeworlds.tile_faces import RING_X, RING_Y, TILE_FIELDS, UV_TILE, made_for
from ....formats.teeworlds.tiles import TileFlag, corner_uvs
from ...scene import declared, identity, meshes, properties
from ...scene.attributes import Domain, Kind
from ...scene.names import showable
from ...scene.reports import SceneError
from .. import layout
from ..structure.map_operator import MapOperator
from ..structure.parts import tile_kind
from . import faces
from .automap import follow_edit

RING = np.stack((RING_X, RING_Y, np.zeros(4, np.float32)), axis=-1)
"""Corners of a tile, y up."""


def fill_tiles(
    layer: bpy.types.Object, place: tuple[int, int], size: tuple[int, int], index: int, flags: int = 0, **fields: int
) -> None:
    """Fill a rectangle of a tile layer with one tile; index 0 empties it.

    `place`: column and row of its top left corner, `size`: width and height in tiles. `fields`: further attributes, as
    the layer's kind has them (number, force, ...). Raises SceneError for what reaches beyond the layer, and for layers
    that aren't meshes of tiles, are in edit mode or have modifiers.
    """
    kind = tile_kind(layer)
    if (
        kind is None
        or layer.get(layout.STORAGE) != layout.MESH
        or layer.mode == "EDIT"
        or meshes.needs_evaluation(layer)
    ):
        raise SceneError(f"{layer.name}: tiles are filled in tile layers in object mode, without modifiers", [layer])
    values, _ = properties.read(layer, layout.TileLayerProperties)
    (x, y), (width, height) = place, size
    if min(x, y) < 0 or min(width, height) < 1 or x + width > values.width or y + height > values.height:
        raise SceneError(f"{layer.name}: {width} x {height} tiles at ({x}, {y}) reach beyond it", [layer])
    was = layer.data
    if not isinstance(was, bpy.types.Mesh):
        raise SceneError(f"{layer.name} is not a mesh", [layer])
    if UV_TILE not in was.attributes:  # of a version that had none
        faces.settle(layer)
    data = meshes.read(layer)
    if (data.face_sizes != 4).any():
        raise SceneError(f"{layer.name}: not all of its faces have four corners", [layer])
    points = data.positions[data.corner_verts].reshape(-1, 4, 3)
    column, row = np.floor(points.mean(axis=1)[:, :2].T * ((1,), (-1,)))
    kept = (column < x) | (column >= x + width) | (row < y) | (row >= y + height)
    count = width * height if index else 0
    cells = np.arange(count)
    cell = np.stack((x + cells % width, -(y + cells // width), np.zeros(count)), axis=-1)
    uv = data.uv(layout.UV)
    old_uvs = np.zeros((len(points), 4, 2)) if uv is None else uv.reshape(-1, 4, 2)
    new_uvs = corner_uvs(np.full(count, index), np.full(count, flags))
    given = {"index": index, "flags": flags} | fields
    named = {name: np.array([given.get(name, 0)]) for name in TILE_FIELDS[kind].attributes}
    given[UV_TILE] = int(made_for(kind, named)[0])
    names = [*TILE_FIELDS[kind].attributes, UV_TILE, identity.ID, identity.CHECK]
    attributes: dict[str, tuple[Domain, Kind, npt.ArrayLike]] = {}
    for name in names:
        stored = data.attribute(name, "FACE")
        old = np.zeros(len(points), np.int32) if stored is None else stored
        attributes[name] = ("FACE", "INT", np.concatenate((old[kept], np.full(count, given.get(name, 0), np.int32))))
    positions = np.concatenate((points[kept], cell[:, None] + RING))
    layer.data = made = meshes.build(
        was.name,
        positions.reshape(-1, 3),
        np.arange(4 * len(positions), dtype=np.int32),
        uvs={layout.UV: np.concatenate((old_uvs[kept], new_uvs)).reshape(-1, 2)},
        attributes=attributes,
    )
    for material in was.materials:
        made.materials.append(material)
    if not was.users:
        name = was.name
        bpy.data.meshes.remove(was)
        made.name = showable(name)


class FillTiles(MapOperator):
    """Fill a rectangle of the active tile layer with one tile, or empty it (index 0)"""

    bl_idname = "levelwright.teeworlds_fill_tiles"
    bl_label = "Fill Tiles"
    bl_options = {"REGISTER", "UNDO"}

    x: int = declared.integer(name="X", description="Column of the first tile", min=0)
    y: int = declared.integer(name="Y", description="Row of the first tile", min=0)
    width: int = declared.integer(name="Width", default=1, min=1)
    height: int = declared.integer(name="Height", default=1, min=1)
    index: int = declared.integer(name="Index", description="0 = air", default=1, min=0, max=255)
    flip_x: bool = declared.boolean(name="Mirror Left to Right")
    flip_y: bool = declared.boolean(name="Mirror Top to Bottom")
    rotate: bool = declared.boolean(name="Rotate")

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Fill it, and let the layer's automapper follow."""
        flags = self.flip_x * TileFlag.XFLIP | self.flip_y * TileFlag.YFLIP | self.rotate * TileFlag.ROTATE
        layer = self.layer(context)
        fill_tiles(layer, (self.x, self.y), (self.width, self.height), self.index, int(flags))
        follow_edit(level, layer, (self.x, self.y, self.width, self.height))


CLASSES = (FillTiles,)
