# SPDX-License-Identifier: GPL-3.0-or-later
"""The stamp tool in the toolbar, its keys, its header and its panel in the sidebar."""

from __future__ import annotations

import bpy

from ....formats.counting import number_of
from ....formats.teeworlds import stamps
from ...scene.blender_types import Icon
from ...scene.fields import declared
from ...scene.interface import tools
from ...scene.interface.sidebar import LevelPanel, draw_text
from ...scene.names import showable
from ...scene.registering import Both, added_property, in_turn
from ...scene.reports import SceneError
from ..structure.map_operator import OnMap
from ..structure.parts import tile_kind
from ..tiles.grid import offset_of, refuse
from . import draw, held, layer_menu, operators, palette, saved, targets
from .operators import (
    LEVELWRIGHT_OT_teeworlds_drop_stamp,
    LEVELWRIGHT_OT_teeworlds_pick_stamp,
    LEVELWRIGHT_OT_teeworlds_stamp,
    LEVELWRIGHT_OT_teeworlds_stamp_size,
    LEVELWRIGHT_OT_teeworlds_turn_stamp,
)
from .palette import LEVELWRIGHT_OT_teeworlds_palette

_STAMP, _TURN = LEVELWRIGHT_OT_teeworlds_stamp.bl_idname, LEVELWRIGHT_OT_teeworlds_turn_stamp.bl_idname


def _press(key: str, **modifiers: bool) -> dict[str, object]:
    return {"type": key, "value": "PRESS", **modifiers}


class LEVELWRIGHT_TOOL_teeworlds_stamp(tools.Tool):
    """Stamp tiles of Teeworlds maps"""

    bl_idname = "levelwright.teeworlds_stamp_tool"
    bl_label = "Stamp Tiles"
    bl_description = "Stamp tiles into the layers of a Teeworlds map"
    bl_icon = "brush.paint_texture.clone"
    bl_keymap = (
        (_STAMP, _press("LEFTMOUSE"), None),
        (_STAMP, _press("LEFTMOUSE", shift=True), {"properties": [("mode", "RECTANGLE")]}),
        (LEVELWRIGHT_OT_teeworlds_pick_stamp.bl_idname, _press("LEFTMOUSE", ctrl=True), None),
        (LEVELWRIGHT_OT_teeworlds_drop_stamp.bl_idname, _press("RIGHTMOUSE"), None),
        (LEVELWRIGHT_OT_teeworlds_palette.bl_idname, _press("SPACE"), None),
        (LEVELWRIGHT_OT_teeworlds_stamp_size.bl_idname, _press("F"), None),
        (_TURN, _press("N"), {"properties": [("way", stamps.FLIP_X)]}),
        (_TURN, _press("M"), {"properties": [("way", stamps.FLIP_Y)]}),
        (_TURN, _press("R"), {"properties": [("way", "TURN_BACK")]}),
        (_TURN, _press("T"), {"properties": [("way", stamps.TURN)]}),
        ("wm.context_toggle", _press("E"), {"properties": [("data_path", f"window_manager.{held.KEY}.erase")]}),
    )
    hints = (
        ("MOUSE_LMB", "Stamp"),
        ("EVENT_SHIFT", "Rectangle"),
        ("EVENT_CTRL", "Pick"),
        ("MOUSE_RMB", "Drop"),
        ("EVENT_SPACEKEY", "Palette"),
        ("EVENT_E", "Erase"),
        ("EVENT_N", "Flip X"),
        ("EVENT_M", "Flip Y"),
        ("EVENT_R", "Rotate Back"),
        ("EVENT_T", "Rotate"),
        ("EVENT_F", "Size"),
    )

    @staticmethod
    def draw_settings(context: bpy.types.Context, row: bpy.types.UILayout, _tool: object) -> None:
        """Draw the settings, in the header or in the sidebar's Tool tab."""
        values = held.settings(context)
        layer_menu.draw(context, row)
        row.prop(values, "mode", text="", expand=False)
        row.prop(values, "erase", toggle=True)
        row.prop(values, "size")
        row.prop(values, "air", toggle=True)
        for name in _fields(context):
            row.prop(values, name)

    @classmethod
    def draw_over(cls, context: bpy.types.Context, mouse: tuple[float, float]) -> None:
        """Draw what a click would stamp."""
        found = targets.layers(context)
        if not found or tools.overlays() or not found[0].visible_get():
            return
        values, parts = held.settings(context), tuple(held.parts())
        layer, offset = found[0], _offset(found[0])
        cell = None if offset is None else targets.cell_under(context, layer, offset, mouse)
        if cell is None or offset is None:
            return
        targets.prepare(layer)
        height, width = (1, 1) if values.erase or not parts else parts[0].shape
        middle = (values.size - 1) // 2
        size = values.size if parts or values.erase else 1
        area = (cell[0] - middle * width, cell[1] - middle * height, width * size, height * size)
        if not values.erase and len(parts) in (1, len(found)):
            for each, part in zip(found, parts * len(found), strict=False):
                draw.ghost(context, each, offset, part.as_kind(tile_kind(each) or "TILES"), area)
        ring = draw.area_on_screen(context, layer, offset, area)
        if ring is not None:
            draw.outline(ring, draw.ERASING if values.erase else draw.FRAME if parts else draw.PICKING)


def _offset(layer: bpy.types.Object) -> targets.Cell | None:
    """The cell at a layer's origin; None for layers that can't be painted."""
    try:
        refuse(layer)
        return offset_of(layer)
    except SceneError:
        return None


def _fields(context: bpy.types.Context) -> tuple[str, ...]:
    """The settings that the tiles of the layers have that are painted."""
    kinds = {tile_kind(layer) or "TILES" for layer in targets.layers(context)}
    return tuple(name for name in held.FIELDS if any(name in held.TeeworldsStamp.fields_of[kind] for kind in kinds))


class LEVELWRIGHT_PT_teeworlds_stamp(OnMap, LevelPanel, bpy.types.Panel):
    """The stamp tool's settings and palette."""

    bl_label = "Stamp"
    anchor = "the-stamp-tool"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the tool's button, its settings and the tiles of the active layer."""
        column = self.layout.column()
        button = column.operator("wm.tool_set_by_id", text="Stamp Tiles", icon="BRUSH_DATA")
        button.name = showable(LEVELWRIGHT_TOOL_teeworlds_stamp.bl_idname)
        found = targets.layers(context)
        layer_menu.draw(context, column)
        if not found:
            return
        values = held.settings(context)
        column.row(align=True).prop(values, "mode", expand=True, icon_only=True)
        row = column.row(align=True)
        row.prop(values, "erase", toggle=True)
        row.prop(values, "air", toggle=True)
        column.prop(values, "size")
        for name in _fields(context):
            column.prop(values, name)
        row = column.row(align=True)
        icons: tuple[Icon, ...] = ("NONE", "NONE", "LOOP_FORWARDS", "LOOP_BACK")
        for (way, text, _), icon in zip(operators.WAYS, icons, strict=True):
            row.operator(_TURN, text=text if icon == "NONE" else "", icon=icon).way = way
        row = column.row(align=True)
        row.operator(saved.SaveStamp.bl_idname)
        row.operator(saved.PutTiles.bl_idname)
        if len(found) == 1:
            palette.draw_buttons(column, found[0])
        else:
            draw_text(column, context, f"{number_of(len(found), 'layers')} of the group: pick from the map", "INFO")


CLASSES = (
    held.TeeworldsStamp,
    *operators.CLASSES,
    *layer_menu.CLASSES,
    *palette.CLASSES,
    *saved.CLASSES,
    LEVELWRIGHT_PT_teeworlds_stamp,
)
TOOLS = (LEVELWRIGHT_TOOL_teeworlds_stamp,)
register, unregister = in_turn(
    *CLASSES,
    added_property(bpy.types.WindowManager, held.KEY, declared.pointer(held.TeeworldsStamp)),
    Both(unregister=held.drop),
    Both(unregister=palette.forget),
    tools.Toolbar(TOOLS),
)
