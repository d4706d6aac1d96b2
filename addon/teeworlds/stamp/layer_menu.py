# SPDX-License-Identifier: GPL-3.0-or-later
"""Which layer the stamp tool paints, as the tool's header and the sidebar have it: clicks in the view are strokes then,
and choose no object.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...scene.fields import declared
from ...scene.interface.sidebar import Result, refuse
from ...scene.names import showable
from ...scene.reports import SceneError
from ...scene.view import stage
from .. import layout
from ..structure.map_operator import OnMap, active_map, make_object_active
from ..structure.parts import groups_of, layers_of, tile_kind
from . import targets


class LEVELWRIGHT_OT_teeworlds_paint_layer(OnMap, declared.Declared, bpy.types.Operator):
    """Paint this layer: make it the active object"""

    bl_idname = "levelwright.teeworlds_paint_layer"
    bl_label = "Paint Layer"
    bl_options = {"UNDO", "INTERNAL"}

    layer: str = declared.string(name="Layer", description="Name of the layer's object")

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it active, and select nothing: outlines would lie over its tiles."""
        level = active_map(context)
        known = level.all_objects if level is not None else ()
        chosen = next((obj for obj in known if obj.name == self.layer), None)
        if chosen is None or not targets.is_layer(chosen):
            return refuse(self, context, SceneError(f"{self.layer!r} isn't a tile layer of the map"))
        if not chosen.visible_get():
            return refuse(self, context, SceneError(f"{chosen.name} is hidden: show it to paint on it"))
        make_object_active(context, chosen, ())
        stage.redraw(context.window_manager)
        return {"FINISHED"}


class LEVELWRIGHT_MT_teeworlds_paint_layer(bpy.types.Menu):
    """The layers that can be painted"""

    bl_label = "Paint Layer"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw an entry for each visible tile layer, below its group."""
        column, level = self.layout, active_map(context)
        if level is None or column is None:
            return
        active, empty = targets.layers(context), True
        for group in groups_of(level):
            found = list(_paintable(group))
            if found:
                column.label(text=group.name)
            for layer in found:
                button = column.operator(
                    LEVELWRIGHT_OT_teeworlds_paint_layer.bl_idname,
                    text=_title(layer),
                    icon="LAYER_ACTIVE" if layer in active else "LAYER_USED",
                )
                button.layer, empty = showable(layer.name), False
        if empty:
            column.label(text="No tile layer is shown", icon="INFO")


def _paintable(group: bpy.types.Collection) -> Iterator[bpy.types.Object]:
    """The tile layers of a group that are shown, in draw order."""
    for layer in layers_of(group):
        if tile_kind(layer) is not None and layer.get(layout.STORAGE) != layout.KEPT and layer.visible_get():
            yield layer


def _title(layer: bpy.types.Object) -> str:
    """What a layer is called in the menu: with its image, by which mappers know it."""
    image = targets.tileset(layer) if tile_kind(layer) == "TILES" else None
    return layer.name if image is None else f"{layer.name} ({image.name})"


def draw(context: bpy.types.Context, row: bpy.types.UILayout) -> None:
    """Draw the button that opens the menu, and says what is painted now."""
    if active_map(context) is None:
        return
    found = targets.layers(context)
    title = f"Layer: {found[0].name}" if len(found) == 1 else f"{len(found)} Layers" if found else "Choose Layer"
    row.menu(LEVELWRIGHT_MT_teeworlds_paint_layer.__name__, text=title)


CLASSES = (LEVELWRIGHT_OT_teeworlds_paint_layer, LEVELWRIGHT_MT_teeworlds_paint_layer)
