# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles beyond the edges of their layer: the game repeats those at the edges outwards for ever.

A border is a frame around a layer's object whose material reads an image of the layer's tiles and goes on beyond its
edges with the last ones (see Materials.plane). It is made for looking at, follows no edits, and is never exported.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Records
from ....formats.teeworlds import TILE
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.media import animation, images
from ...scene.names import showable
from ...scene.reports import SceneError
from .. import layout
from ..materials.build import Clip, Materials
from ..structure.clips import clips_of
from ..structure.parts import all_layers, tile_kind
from ..tiles import faces

REACH = 512
"""How far a border goes, in tiles: further than the game ever shows at once."""


def is_border(obj: bpy.types.Object) -> bool:
    """Say whether an object is a border: a preview on a tile layer (sounds show their shapes by previews, too)."""
    mark = identity.stamped(obj)
    if mark is None or mark.kind != layout.PREVIEW or obj.parent is None:
        return False
    return obj.parent.get("tile_kind") is not None


def has_borders(collection: bpy.types.Collection) -> bool:
    """Say whether tiles are repeated beyond the edges of a level's layers."""
    return any(is_border(obj) for obj in collection.all_objects)


def set_borders(collection: bpy.types.Collection, on: bool) -> None:
    """Repeat the tiles at the layers' edges outwards, as the game does for ever; or stop it."""
    for obj in [obj for obj in collection.all_objects if is_border(obj)]:
        _remove(obj)
    if on:
        materials = Materials.of_level(collection)
        by_root = clips_of(collection)
        for layer in all_layers(collection):
            if tile_kind(layer) == "TILES":
                _add(layer, materials, by_root.get(layer.parent))


def _add(layer: bpy.types.Object, materials: Materials, clip: Clip | None) -> None:
    """Give a tile layer's object its border, if there is anything at its edges to repeat."""
    width, height = int(layer["width"]), int(layer["height"])
    name = f"{layer.name} border"
    storage = layer.get(layout.STORAGE)
    if storage == layout.KEPT:
        return  # nobody could read its tiles
    if storage == layout.PLANE:
        material = layer.material_slots[0].material if layer.material_slots else None
    else:
        tiles = shown_tiles(layer)
        edges = (tiles[0], tiles[-1], tiles[:, 0], tiles[:, -1])
        if not any(edge["index"].any() for edge in edges):
            return
        pixels = np.zeros((height, width, 4), np.uint8)
        pixels[..., 0], pixels[..., 1], pixels[..., 3] = tiles["index"], tiles["flags"], 255
        field = images.from_rgba(name, pixels, non_color=True)
        animated = layer.get(layout.ENVELOPE_COLOR) is not None
        material = materials.plane("TILES", int(layer["image"]), [field], (width, height), clip, animated)
    mesh = _frame(name, width, height)
    mesh.materials.append(material)
    obj = bpy.data.objects.new(showable(name), mesh)
    obj.color = layer.color
    obj.hide_select = True
    obj.parent = layer
    identity.stamp(obj, 0, layout.PREVIEW, -1)
    if layer.get(layout.ENVELOPE_COLOR) is not None:
        obj[layout.ENVELOPE_COLOR] = (1.0, 1.0, 1.0, 1.0)
        for channel in range(4):
            path = f'["{layout.ENVELOPE_COLOR}"]'
            animation.drive(obj, path, channel, "v", {"v": (layer, f"{path}[{channel}]")})
    for collection in layer.users_collection:
        collection.objects.link(obj)


def _remove(border: bpy.types.Object) -> None:
    """Remove a border with what only it uses."""
    mesh = border.data
    bpy.data.objects.remove(border)
    if not isinstance(mesh, bpy.types.Mesh):
        return
    materials = [material for material in mesh.materials if material is not None]
    bpy.data.meshes.remove(mesh)
    for material in materials:
        if material.users == 0:
            nodes = material.node_tree.nodes if material.node_tree is not None else ()
            used = [node.image for node in nodes if isinstance(node, bpy.types.ShaderNodeTexImage)]
            bpy.data.materials.remove(material)
            for image in used:
                if image is not None and image.users == 0:
                    bpy.data.images.remove(image)


def shown_tiles(layer: bpy.types.Object) -> Records:
    """The tiles [h, w] (TILE) that a layer's object shows, those off its grid left out."""
    width, height = int(layer["width"]), int(layer["height"])
    tiles = np.zeros((height, width), TILE)
    field = layer.get(layout.FIELD_IMAGES[0])
    if isinstance(field, bpy.types.Image):
        pixels = images.to_rgba(field)[:height, :width]
        tiles["index"][: len(pixels), : pixels.shape[1]] = pixels[..., 0]
        tiles["flags"][: len(pixels), : pixels.shape[1]] = pixels[..., 1]
        return tiles
    if not isinstance(layer.data, bpy.types.Mesh):
        return tiles
    try:
        found = faces.shown(layer, bpy.context.evaluated_depsgraph_get() if meshes.needs_evaluation(layer) else None)
    except SceneError:
        return tiles  # an export says what is wrong with it
    column, row = found.cells.T
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height) & (found.values["index"] > 0)
    for name in ("index", "flags"):
        tiles[name][row[inside], column[inside]] = found.values[name][inside]
    return tiles


def _frame(name: str, width: int, height: int) -> bpy.types.Mesh:
    """Four faces around a layer: left and right over the whole height, above and below between them."""
    left, right, top, bottom = -REACH, width + REACH, REACH, -height - REACH
    boxes = [
        (left, bottom, 0, top),
        (width, bottom, right, top),
        (0, 0, width, top),
        (0, bottom, width, -height),
    ]
    corners = [[(x0, y1, 0), (x0, y0, 0), (x1, y0, 0), (x1, y1, 0)] for x0, y0, x1, y1 in boxes]
    return meshes.build(name, np.array(corners, np.float32), np.arange(16))
