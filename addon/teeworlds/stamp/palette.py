# SPDX-License-Identifier: GPL-3.0-or-later
"""The palette: the layer's tileset over the 3D view, and as buttons in the sidebar; tiles that are used are marked."""

from __future__ import annotations

import bpy
import bpy.utils.previews
import numpy as np

from ....formats.arrays import Singles
from ....formats.teeworlds import stamps
from ....formats.teeworlds.tiles import ATLAS_CELLS
from ...scene.blender_types import Value, channels_of
from ...scene.interface import tools
from ...scene.interface.sidebar import LevelPanel, Result, refuse
from ...scene.names import showable
from ...scene.reports import SceneError
from ...scene.view import stage
from ..structure.map_operator import OnMap
from ..structure.parts import tile_kind
from . import draw, held, targets
from .operators import LEVELWRIGHT_OT_teeworlds_choose_tile
from .targets import Cell

PART = 0.9
"""Of the region's shorter side that the palette takes."""
ICON = 32
"""Pixels of a tile's icon."""
_MARKED = 9
"""Pixels of the mark on a used tile's icon."""
WIDE = 4
"""Buttons in a row where they have numbers."""
KEYS: tools.Keys = (("MOUSE_LMB_DRAG", "Choose"), ("MOUSE_RMB", "Cancel"))


class LEVELWRIGHT_OT_teeworlds_palette(OnMap, bpy.types.Operator):
    """Show the tileset of the active layer, to choose tiles by clicking or dragging over them"""

    bl_idname = "levelwright.teeworlds_palette"
    bl_label = "Palette"
    bl_options = {"INTERNAL"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Show it, and wait for the mouse."""
        layers, region = targets.layers(context), context.region
        if len(layers) != 1 or region is None or region.type != "WINDOW" or context.window_manager is None:
            return refuse(self, context, SceneError("Make one tile layer the active object to see its tiles"))
        self._kind = tile_kind(layers[0]) or "TILES"
        self._image, self._used = targets.tileset(layers[0]), sorted(targets.used(layers[0]))
        left, low, width, height = tools.free_area(context)
        size = PART * min(width, height)
        self._place = (left + (width - size) / 2, low + (height - size) / 2, size)
        self._key, self._from = event.type, None
        self._to = self._cell(event)
        self._region = region.as_pointer()
        self._overlay = tools.Overlay(self._draw)
        tools.show_keys(context, KEYS)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    _from: Cell | None

    def _cell(self, event: bpy.types.Event) -> Cell | None:
        """The cell of the palette that is under the mouse."""
        left, low, size = self._place
        column = int((event.mouse_region_x - left) / size * ATLAS_CELLS // 1)
        row = int((low + size - event.mouse_region_y) / size * ATLAS_CELLS // 1)
        inside = 0 <= column < ATLAS_CELLS and 0 <= row < ATLAS_CELLS
        return (column, row) if inside else None

    def _area(self) -> stamps.Rectangle | None:
        if self._to is None:
            return None
        return stamps.between(self._from or self._to, self._to)

    def _draw(self, context: bpy.types.Context) -> None:
        if context.region is not None and context.region.as_pointer() == self._region:
            known = stamps.KNOWN.get(self._kind)
            draw.palette(self._image, self._place, self._used, self._area() or held.palette_area(), known)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Follow the mouse: pressed on a tile, and released on the same or another."""
        self._to = self._cell(event) or (self._to if self._from is not None else None)
        stage.redraw(context.window_manager)
        if event.type == "LEFTMOUSE" and event.value == "PRESS" and self._to is not None:
            self._from = self._to
            return {"RUNNING_MODAL"}
        area = self._area()
        if event.type == "LEFTMOUSE" and event.value == "RELEASE" and self._from is not None and area is not None:
            self.cancel(context)
            try:
                held.choose(context, self._kind, area)
            except SceneError as error:  # no error: its window would take the next keys
                self.report({"WARNING"}, showable(error.message))
                return {"CANCELLED"}
            return {"FINISHED"}
        closing = event.type in {*tools.STOPS, self._key} or (event.type == "LEFTMOUSE" and self._from is None)
        if event.value == "PRESS" and closing:
            self.cancel(context)
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Show it no more."""
        self._overlay.remove()
        tools.show_keys(context, None)


# ---- the sidebar

_icons: dict[str, bpy.utils.previews.ImagePreviewCollection] = {}
"""By what `_mark` says of an image."""
_SHOWN = 4
"""Tilesets whose icons are kept."""


def _mark(image: bpy.types.Image) -> str:
    return f"{image.name_full} {tuple(image.size)} {image.get('levelwright_packed', '')}"


def icons(image: bpy.types.Image) -> bpy.utils.previews.ImagePreviewCollection:
    """Two icons for each tile of a tileset: "5", and "5 used", which is marked."""
    mark = _mark(image)
    if mark not in _icons:
        while len(_icons) >= _SHOWN:
            bpy.utils.previews.remove(_icons.pop(next(iter(_icons))))
        _icons[mark] = bpy.utils.previews.new()
        for index, pixels in enumerate(_tiles(image)):
            _icon(_icons[mark].new(str(index)), pixels)
            pixels[-_MARKED:, :_MARKED] = draw.MARK
            _icon(_icons[mark].new(f"{index} used"), pixels)
    return _icons[mark]


def _icon(preview: Value, pixels: Singles) -> None:
    preview.icon_size = (ICON, ICON)
    preview.icon_pixels_float.foreach_set(pixels.reshape(-1))


def _tiles(image: bpy.types.Image) -> Singles:
    """The tiles of a tileset, [256, ICON, ICON, 4], the lowest row of pixels first."""
    width, height = image.size
    if not width or not height or image.channels != 4:
        return np.zeros((ATLAS_CELLS**2, ICON, ICON, 4), np.float32)
    pixels = np.empty((height, width, 4), np.float32)
    channels_of(image).foreach_get(pixels.reshape(-1))
    side = ATLAS_CELLS * ICON
    rows, columns = (np.arange(side) * height // side, np.arange(side) * width // side)
    small = pixels[rows][:, columns].reshape(ATLAS_CELLS, ICON, ATLAS_CELLS, ICON, 4)[::-1]
    return np.ascontiguousarray(small.swapaxes(1, 2).reshape(-1, ICON, ICON, 4))


def draw_buttons(column: bpy.types.UILayout, layer: bpy.types.Object) -> None:
    """Draw a button for each tile that the game knows in such a layer; those of tiles that the layer has are marked,
    those that are held pressed in.
    """
    image = targets.tileset(layer)
    if image is None:
        column.label(text="The layer shows no image", icon="INFO")
        return
    found, used, area = icons(image), targets.used(layer), held.palette_area()
    chosen = set(stamps.cells_of(area) @ (1, ATLAS_CELLS)) if area is not None else set()
    known = stamps.KNOWN.get(tile_kind(layer) or "")
    wide = ATLAS_CELLS if known is None else WIDE
    grid = column.grid_flow(row_major=True, columns=wide, even_columns=True, align=True)
    for index in range(ATLAS_CELLS**2) if known is None else sorted(known):
        button = grid.operator(
            LEVELWRIGHT_OT_teeworlds_choose_tile.bl_idname,
            text="" if known is None else str(index),
            icon_value=found[f"{index} used" if index in used else str(index)].icon_id,
            depress=index in chosen,
        )
        button.index = index


class LEVELWRIGHT_PT_teeworlds_palette(OnMap, LevelPanel, bpy.types.Panel):
    """The palette beside the image editor, where it has room: as in the 3D view's sidebar."""

    bl_label = "Stamp Palette"
    bl_space_type = "IMAGE_EDITOR"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the tiles of the active layer."""
        column, layers = self.layout.column(), targets.layers(context)
        if len(layers) != 1:
            column.label(text="Make a tile layer active", icon="INFO")
            return
        draw_buttons(column, layers[0])


def forget() -> None:
    """Let go of all icons."""
    while _icons:
        bpy.utils.previews.remove(_icons.popitem()[1])


CLASSES = (LEVELWRIGHT_OT_teeworlds_palette, LEVELWRIGHT_PT_teeworlds_palette)
