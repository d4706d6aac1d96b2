# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of a map are, for switching them on and off in views: see `scene.view.kinds`."""

from __future__ import annotations

import bpy

from ..scene.kept.identity import kind_of
from . import layout
from .structure.parts import layer_above, tile_kind

_OF_STAMPS = {layout.GROUP: "Groups", layout.CLIP: "Clips", layout.QUAD: "Quads", layout.SOURCE: "Sounds"}


def kind_shown(obj: bpy.types.Object, _home: bpy.types.Collection) -> str:
    """Say which of `scene.view.kinds.KINDS` an object is."""
    stamped = kind_of(obj) or ""
    if stamped == layout.LAYER:
        return _kind_of_layer(obj)
    if stamped == layout.PREVIEW and obj.type == "MESH":  # a layer's border tiles, the outline of a sound
        layer = layer_above(obj)
        return _kind_of_layer(layer) if layer is not None else "Previews"
    return _OF_STAMPS.get(stamped, "")


def _kind_of_layer(layer: bpy.types.Object) -> str:
    try:
        tiles = tile_kind(layer)
    except ValueError:  # somebody gave it properties of another kind: the export says which
        return ""
    if tiles is not None:
        return "Tiles" if tiles == "TILES" else "Physics"
    return "Sounds" if layer.get("sound") is not None else "Quads"
