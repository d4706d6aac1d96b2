# SPDX-License-Identifier: GPL-3.0-or-later
"""Which image a layer shows."""

from __future__ import annotations

import bpy

from ....formats.teeworlds.tile_faces import UV_TILE
from ...scene.kept.identity import kind_of
from ...scene.reports import SceneError
from .. import layout
from ..materials.build import Materials
from ..structure.clips import clips_of
from ..structure.parts import all_layers, tile_kind
from ..tiles import faces
from ..view import borders


def set_image(
    level: bpy.types.Collection, layer: bpy.types.Object, record: int, materials: Materials | None = None
) -> None:
    """Let a tile or quad layer, with all quads below it, show the level's image of this record; -1 = none.

    materials: the level's, where several layers get one. Raises SceneError for layers that show no image, and for a
    record that names none.
    """
    kind = tile_kind(layer)
    if kind not in (None, "TILES") or layer.get("image") is None or layer.get(layout.STORAGE) == layout.KEPT:
        raise SceneError(f"{layer.name} is not a layer that shows an image", [layer])
    materials = materials or Materials.of_level(level)
    if record != -1 and not (materials.picture(record)):
        raise SceneError(f"{level.name} has no image {record}")
    layer["image"] = int(record)
    clip = clips_of(level).get(layer.parent)
    for obj in (layer, *layer.children_recursive):
        if kind_of(obj) == layout.PREVIEW or not isinstance(obj.data, bpy.types.Mesh):
            continue
        animated = obj.get(layout.ENVELOPE_COLOR) is not None
        if kind is None:
            material = materials.quads(record, clip, animated)
        elif layer[layout.STORAGE] == layout.PLANE:
            fields = [layer[key] for key in layout.FIELD_IMAGES if layer.get(key) is not None]
            size = (int(layer["width"]), int(layer["height"]))
            material = materials.plane(kind, record, fields, size, clip, animated)
        else:
            if UV_TILE not in obj.data.attributes:  # of a version whose materials showed the UVs alone
                faces.settle(obj)
            material = materials.tiles(record, clip, animated)
        obj.data.materials.clear()
        obj.data.materials.append(material)
    if borders.has_borders(level):
        borders.set_borders(level, True)


def show_again(level: bpy.types.Collection, record: int) -> None:
    """Let the layers that show the level's image of this record show it as it is now, in its new size."""
    materials = Materials.of_level(level)
    for layer in all_layers(level):
        shows = tile_kind(layer) in (None, "TILES") and layer.get(layout.STORAGE) != layout.KEPT
        if shows and layer.get("image") == record:
            set_image(level, layer, record, materials)
