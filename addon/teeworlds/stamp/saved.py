# SPDX-License-Identifier: GPL-3.0-or-later
"""Stamps as objects: what the asset browser has of tiles, saved from the tool and put into layers again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy
import numpy as np

from ....formats import teeworlds
from ....formats.arrays import Int32s
from ....formats.teeworlds.stamps import TileStamp
from ....formats.teeworlds.tile_faces import TILE_FIELDS
from ...scene import assets
from ...scene.fields import declared, properties
from ...scene.kept import originals
from ...scene.media import images, previews
from ...scene.names import storable
from ...scene.reports import SceneError
from .. import layout
from ..materials.build import Materials
from ..materials.collect import shown_images
from ..structure.map_operator import MapOperator, active_layer
from ..structure.parts import group_of, let_undo_see, tile_kind
from ..tiles.build import mesh_of
from ..tiles.grid import TileGrid
from . import held, targets

CATALOG = "Tiles"
_WHITE = np.full((16, 16, 4), 255, np.uint8)
"""A tileset for previews of tiles that show no image."""


def stamp_object(
    level: bpy.types.Collection, stamp: TileStamp, title: str, material: bpy.types.Material | None
) -> bpy.types.Object:
    """A stamp as a layer that is in no map: its first tile's corner is the object's origin. material: of its tiles."""
    fields = TILE_FIELDS[stamp.kind].attributes
    tiles = np.zeros(stamp.shape, teeworlds.TILE_RECORDS[teeworlds.TileKind[stamp.kind]])
    for name, field in fields.items():
        tiles[field] = stamp.values[name]
    mesh = mesh_of(title, tiles, stamp.kind, 0)
    mesh.materials.append(material)
    made = assets.piece(title, mesh, level, layout.LAYER)
    made[layout.STORAGE] = storable(layout.MESH)
    height, width = stamp.shape
    properties.write(
        made, layout.TileLayerProperties(layer_name="Tiles", tile_kind=stamp.kind, width=width, height=height)
    )
    return made


def put_into(layer: bpy.types.Object, pieces: Iterable[bpy.types.Object]) -> None:
    """Put the tiles of stamps' objects into a layer, at the nearest cells; air stays as it was.

    Raises SceneError for tiles of another kind or image, and for an object of which none lies in the layer; nothing is
    changed then.
    """
    target = TileGrid(layer)
    try:
        for piece in pieces:
            _put(target, piece)
    except SceneError:
        target.restore()
        raise
    target.finish()


def _put(target: TileGrid, piece: bpy.types.Object) -> None:
    layer = target.layer
    if tile_kind(piece) != target.kind:
        raise SceneError(f"{piece.name}: its tiles are {tile_kind(piece)}, those of {layer.name} {target.kind}")
    own, other = _image_of(piece), _image_of(layer)
    if own != other and target.kind == "TILES":
        shows = f"{piece.name} shows {own or 'no image'}, {layer.name} shows {other or 'no image'}"
        raise SceneError(shows, [piece, layer])
    source = _upright(piece)
    place = layer.matrix_world.inverted() @ piece.matrix_world.translation
    rows, columns = np.nonzero(source["index"])
    values = {name: field[rows, columns] for name, field in source.items()}
    rows, columns = rows + target.offset[1] - round(place.y), columns + target.offset[0] + round(place.x)
    inside = (rows >= 0) & (rows < target.shape[0]) & (columns >= 0) & (columns < target.shape[1])
    if not inside.any():
        raise SceneError(f"{piece.name} lies outside of {layer.name}", [piece])
    cells = (rows * target.shape[1] + columns)[inside]
    target.put(cells, {name: field[inside] for name, field in values.items()})


def _upright(piece: bpy.types.Object) -> Mapping[str, Int32s]:
    """The tiles of an object: what is dropped onto a surface is turned as that is."""
    turned = piece.rotation_euler.copy()
    piece.rotation_euler = (0.0, 0.0, 0.0)
    try:
        return TileGrid(piece).values
    finally:
        piece.rotation_euler = turned


NO_STAMP = "Pick a stamp of one layer first: of the palette, or of the map by Ctrl + drag"


class SaveStamp(MapOperator):
    """Make an asset of the stamp that is held, with the image of the active layer, in this .blend"""

    bl_idname = "levelwright.teeworlds_save_stamp"
    bl_label = "Save Stamp as Asset"
    needs_layer = True
    layer_kind = "TILES"

    title: str = declared.string(name="Name", description="What the asset is called", default="Stamp")

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for a stamp, too."""
        return super().lacks(context, level) or ("" if len(held.parts()) == 1 else NO_STAMP)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make it."""
        layer, stamps = self.layer(context), held.parts()
        kind = tile_kind(layer)
        if kind is None:
            raise SceneError("Make a tile layer the active object")
        if len(stamps) != 1:
            raise SceneError(NO_STAMP)
        made = stamp_object(level, stamps[0].as_kind(kind), self.title or "Stamp", _material(level, layer, kind))
        shown = shown_images(layer, layer.active_material)
        assets.mark_asset(made, "Teeworlds", CATALOG, f"{shown[0].name if shown else kind}/{made.name}")
        tileset = targets.tileset(layer)
        pixels = images.to_rgba(tileset) if tileset is not None and all(tileset.size) else _WHITE
        previews.show(made, previews.fitted(stamps[0].painted(pixels, previews.SIZE)))
        self.report({"INFO"}, f"{made.name} is in the asset browser, library Current File")


class PutTiles(MapOperator):
    """Put the selected tiles from the asset browser into the active layer, at the nearest cells"""

    bl_idname = "levelwright.teeworlds_put_tiles"
    bl_label = "Put Tiles into Layer"

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for a layer of the map, and for tiles that are in none."""
        layer = active_layer(context)
        if layer is None or group_of(level, layer) is None or tile_kind(layer) is None:
            return "Select the tiles, then the layer of the map that they go into: it has to be active"
        if not any(_is_piece(obj) for obj in context.selected_objects or ()):
            return "Select tiles that were dragged in from the asset browser, too"
        return super().lacks(context, level)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Put them there; their objects are gone then."""
        pieces = [obj for obj in context.selected_objects or () if _is_piece(obj)]
        put_into(self.layer(context), pieces)
        bpy.data.batch_remove(pieces)
        let_undo_see(level)


def _material(level: bpy.types.Collection, layer: bpy.types.Object, kind: str) -> bpy.types.Material | None:
    """What faces of a layer's tiles show: of a plane, which has one face, what they would."""
    if layer.get(layout.STORAGE) != layout.PLANE:
        return layer.active_material
    materials, image = Materials.of_level(level), layer.get("image")
    return materials.physics(kind) if kind != "TILES" else materials.tiles(image if isinstance(image, int) else -1)


def _image_of(layer: bpy.types.Object) -> str:
    """What the map calls the image of a layer: one that was dragged in with tiles is another data-block."""
    found = shown_images(layer, layer.active_material)
    return layout.plain_name(found[0].name) if found else ""


def _is_piece(obj: bpy.types.Object) -> bool:
    """Whether an object is a layer of tiles that is in no group of a map, neither of another one."""
    if obj.get("tile_kind") is None or tile_kind(obj) is None:
        return False
    return all(group_of(level, obj) is None for level in originals.levels())


CLASSES = (SaveStamp, PutTiles)
