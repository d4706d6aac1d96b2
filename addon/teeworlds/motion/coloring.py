# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects whose colour an envelope multiplies: the property to key, and the material that shows it."""

from __future__ import annotations

import bpy

from ...scene.fields import properties
from ...scene.kept.identity import kind_of
from .. import layout
from ..image_tools.assign import set_image
from ..materials.build import Materials
from ..structure.clips import clips_of
from ..structure.parts import layer_above

WHITE = (1.0, 1.0, 1.0, 1.0)


def show_color(level: bpy.types.Collection, obj: bpy.types.Object) -> None:
    """Give a quad's, a quad layer's or a tile layer's object the property of its envelope's colour, and show it."""
    if obj.get(layout.ENVELOPE_COLOR) is not None:
        return
    layer = obj if kind_of(obj) == layout.LAYER else layer_above(obj)
    if layer is None or not isinstance(obj.data, bpy.types.Mesh):
        return
    obj[layout.ENVELOPE_COLOR] = WHITE
    properties.describe(
        obj,
        layout.ENVELOPE_COLOR,
        subtype="COLOR",
        min=0.0,
        soft_max=1.0,
        default=list(WHITE),
        description="What its envelope multiplies the colours by: key it",
    )
    if layer.get("tile_kind") is not None:
        set_image(level, layer, int(layer.get("image", -1)))
        return
    like = next((one for one in layer.children_recursive if one != obj and _is_colored(one)), None)
    if like is not None and isinstance(like.data, bpy.types.Mesh):
        material = like.data.materials[0]
    else:
        clip = clips_of(level).get(layer.parent)
        material = Materials.of_level(level).quads(int(layer.get("image", -1)), clip, True)
    obj.data.materials.clear()
    obj.data.materials.append(material)


def _is_colored(obj: bpy.types.Object) -> bool:
    colored = obj.get(layout.ENVELOPE_COLOR) is not None
    return colored and isinstance(obj.data, bpy.types.Mesh) and len(obj.data.materials) > 0
