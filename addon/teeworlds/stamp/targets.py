# SPDX-License-Identifier: GPL-3.0-or-later
"""Which layers the stamp tool works on, which cell is under the mouse, and what their tiles look like."""

from __future__ import annotations

import math

import bpy
import numpy as np

from ....formats.teeworlds.tile_faces import TILE_FIELDS, UV_TILE
from ...scene import attributes
from ...scene.blender_types import channels_of
from ...scene.interface import tools
from ...scene.kept import originals
from ...scene.kept.identity import kind_of
from ...scene.reports import SceneError
from .. import layout
from ..materials import physics
from ..structure.map_operator import active_group, active_layer, active_map
from ..structure.parts import layers_of, tile_kind
from ..tiles import memory
from ..tiles.grid import TileGrid

Cell = tuple[int, int]
"""Column and row."""


def layers(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The layers to paint: the active one; of an active group (its root, or only its collection) all visible ones that
    show an image. None where neither is active.
    """
    level = active_map(context)
    if level is None:
        return []
    active = active_layer(context)
    if active is not None:
        return [active] if tile_kind(active) is not None else []
    group = active_group(context, level)
    if group is None:
        return []
    found = [layer for layer in layers_of(group) if tile_kind(layer) == "TILES" and layer.visible_get()]
    return [layer for layer in found if layer.get(layout.STORAGE) != layout.KEPT]


def grids(context: bpy.types.Context) -> list[TileGrid]:
    """The layers to paint, read. Raises SceneError where there is none, or one can't be painted."""
    found = layers(context)
    if not found:
        raise SceneError(
            "Choose the layer to paint in the tool's header, or make a group of visible tile layers active"
        )
    for layer in found:
        if not layer.visible_get():
            raise SceneError(f"{layer.name} is hidden: show it to paint on it", [layer])
    return [TileGrid(layer) for layer in found]


def prepare(layer: bpy.types.Object) -> None:
    """Get ready for a stroke on a layer, which the mouse is over: what takes time is done before it begins."""
    kind = tile_kind(layer)
    if isinstance(layer.data, bpy.types.Mesh) and kind is not None:
        memory.prepare(layer.data, ("position", ".corner_vert", layout.UV, UV_TILE, *TILE_FIELDS[kind].attributes))


def cell_under(
    context: bpy.types.Context, layer: bpy.types.Object, offset: Cell, mouse: tuple[float, float], inside: bool = True
) -> Cell | None:
    """The cell of a layer that is under the mouse (pixels of the region). offset: the cell at the object's origin.

    Beyond the layer there are cells, too. None where there is none: see `tools.ray`.
    """
    sight = tools.ray(context, layer, mouse, inside)
    place = sight.at_height() if sight is not None else None
    if place is None or not (math.isfinite(place.x) and math.isfinite(place.y)):
        return None
    return math.floor(place.x) + offset[0], math.floor(-place.y) + offset[1]


def tileset(layer: bpy.types.Object) -> bpy.types.Image | None:
    """The image with the tiles of a layer, 16 x 16; None for a layer that shows flat colour."""
    kind = tile_kind(layer)
    if kind is None:
        return None
    if kind != "TILES":
        return physics.picture(kind).image
    level = next((one for one in originals.levels() if layer.name in one.all_objects), None)
    held = originals.resources(level, layout.IMAGE) if level is not None else {}
    image = held.get(layout.read_properties(layer, layout.TileLayerProperties)[0].image)
    return image if isinstance(image, bpy.types.Image) else None


def used(layer: bpy.types.Object) -> frozenset[int]:
    """The indices that a layer's tiles have; none where they can't be told at a glance (edit mode, damaged layers)."""
    if layer.get(layout.STORAGE) == layout.PLANE:
        return _used_pixels(layer)
    mesh = layer.data
    if not isinstance(mesh, bpy.types.Mesh) or mesh.is_editmode:
        return frozenset()
    index = attributes.read(mesh, "index", "FACE")
    if index is None or index.dtype != np.int32:
        return frozenset()
    return frozenset(np.flatnonzero(np.bincount(index[(index > 0) & (index < 256)], minlength=1)).tolist())


_of_images: dict[str, tuple[object, frozenset[int]]] = {}
"""By name of an image: what it held when its tiles were counted, and these."""


def _used_pixels(layer: bpy.types.Object) -> frozenset[int]:
    image = layer.get(layout.FIELD_IMAGES[0])
    if not isinstance(image, bpy.types.Image) or image.is_dirty:
        return _of_images.get(layer.name, (None, frozenset()))[1]
    mark = (image.name, image.get("levelwright_packed"))
    if _of_images.get(layer.name, (None,))[0] != mark:
        values = np.empty(image.size[0] * image.size[1] * image.channels, np.float32)
        channels_of(image).foreach_get(values)
        index = np.rint(values[:: image.channels] * 255).astype(np.int64)
        _of_images[layer.name] = (mark, frozenset(np.flatnonzero(np.bincount(index)[1:256]).tolist()))
    return _of_images[layer.name][1]


def is_layer(obj: bpy.types.Object | None) -> bool:
    """Whether an object is a tile layer."""
    return obj is not None and kind_of(obj) == layout.LAYER and tile_kind(obj) is not None
