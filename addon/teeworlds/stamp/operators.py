# SPDX-License-Identifier: GPL-3.0-or-later
"""What the keys of the stamp tool do."""

from __future__ import annotations

import bpy

from ....formats.teeworlds import stamps
from ...scene.fields import declared
from ...scene.interface import tools
from ...scene.interface.sidebar import Result, refuse
from ...scene.names import showable
from ...scene.reports import FAILURES, SceneError
from ...scene.view import stage
from ..automapping.live import live
from ..structure.map_operator import OnMap, active_layer, active_map
from ..structure.parts import tile_kind
from . import draw, held, targets
from .stroke import StampStroke, picked

WAYS = [
    (stamps.FLIP_X, "Flip X", "Mirror the stamp left to right"),
    (stamps.FLIP_Y, "Flip Y", "Mirror the stamp top to bottom"),
    (stamps.TURN, "Rotate", "Turn the stamp by 90 degrees clockwise"),
    ("TURN_BACK", "Rotate Back", "Turn the stamp by 90 degrees counter-clockwise"),
]
_FAILURES = (*FAILURES, ReferenceError)


class LEVELWRIGHT_OT_teeworlds_stamp(OnMap, tools.StrokeOperator):
    """Stamp tiles into the active layer, or into the layers of the active group"""

    bl_idname = "levelwright.teeworlds_stamp"
    bl_label = "Stamp"
    bl_options = {"UNDO", "INTERNAL"}
    failures = _FAILURES

    mode: str = declared.menu(
        name="Mode", items=[("SET", "As Set", "What the tool is set to", "NONE", -1), *held.MODES], default="SET"
    )
    x: int = declared.integer(name="X", description="Column, where it is called without a mouse")
    y: int = declared.integer(name="Y", description="Row, where it is called without a mouse")
    to_x: int = declared.integer(name="To X", description="Column where it ends, without a mouse")
    to_y: int = declared.integer(name="To Y", description="Row where it ends, without a mouse")

    def execute(self, context: bpy.types.Context) -> Result:
        """Stamp from one cell to another, without a mouse."""
        try:
            stroke = self._stroke(context)
            try:
                stroke.to((self.x, self.y))
                stroke.to((self.to_x, self.to_y))
            except BaseException:
                stroke.abandon()
                raise
            return {"FINISHED"} if self._finish(stroke) else {"CANCELLED"}
        except self.failures as error:
            return refuse(self, context, error)

    def _finish(self, stroke: StampStroke) -> bool:
        """Let go, and say what the game won't know."""
        changed = stroke.finish()
        for line in stroke.unknown() if changed else ():
            self.report({"WARNING"}, showable(line))
        return changed

    def _stroke(self, context: bpy.types.Context) -> StampStroke:
        values = held.settings(context)
        layers = targets.layers(context)
        parts = [None for _ in layers] if values.erase else held.for_layers(layers) if layers else []
        mode = values.mode if self.mode == "SET" else self.mode
        level = active_map(context)
        mappers = [live(level, layer) if level is not None else None for layer in layers]
        return StampStroke(targets.grids(context), parts, mode, values.size, values.air, mappers)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Begin a stroke; where nothing is held, pick from the map, as the game's editor does."""
        if not held.parts() and not held.settings(context).erase:
            bpy.ops.levelwright.teeworlds_pick_stamp("INVOKE_DEFAULT")  # type: ignore[attr-defined]
            return {"CANCELLED"}  # there is nothing to undo
        return super().invoke(context, event)

    def begin(self, context: bpy.types.Context, event: bpy.types.Event) -> bool:
        """Stamp where the mouse is."""
        self._done = self._stroke(context)
        try:
            self.follow(context, event)
        except BaseException:
            self._done.abandon()
            raise
        return True

    def follow(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Stamp on to where the mouse is."""
        grid = self._done.grids[0]
        mouse = (event.mouse_region_x, event.mouse_region_y)
        cell = targets.cell_under(context, grid.layer, grid.offset, mouse, inside=False)
        if cell is not None:
            self._done.to(cell)

    def finish(self, _context: bpy.types.Context) -> bool:
        """Let go."""
        return self._finish(self._done)

    def abandon(self, _context: bpy.types.Context) -> None:
        """Give the layers their tiles back."""
        self._done.abandon()


class LEVELWRIGHT_OT_teeworlds_pick_stamp(OnMap, tools.StrokeOperator):
    """Pick the stamp from the map: drag over the tiles of the active layer, or of the layers of the active group"""

    bl_idname = "levelwright.teeworlds_pick_stamp"
    bl_label = "Pick Stamp"
    bl_options = {"INTERNAL"}
    failures = _FAILURES

    def begin(self, context: bpy.types.Context, event: bpy.types.Event) -> bool:
        """Begin a rectangle at the mouse."""
        self._grids = targets.grids(context)
        cell = self._cell(context, event)
        if cell is None:
            return False
        self._from = self._to = cell
        self._overlay = tools.Overlay(self._draw)
        return True

    def _cell(self, context: bpy.types.Context, event: bpy.types.Event) -> targets.Cell | None:
        grid, mouse = self._grids[0], (event.mouse_region_x, event.mouse_region_y)
        return targets.cell_under(context, grid.layer, grid.offset, mouse, inside=False)

    def follow(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Go on to the mouse."""
        self._to = self._cell(context, event) or self._to

    def _draw(self, context: bpy.types.Context) -> None:
        grid = self._grids[0]
        area = stamps.between(self._from, self._to)
        ring = draw.area_on_screen(context, grid.layer, grid.offset, area)
        if ring is not None:
            draw.fill(ring[None], (*draw.PICKING[:3], 0.2))
            draw.outline(ring, draw.PICKING)

    def finish(self, context: bpy.types.Context) -> bool:
        """Hold what was dragged over."""
        self._overlay.remove()
        try:
            held.pick(context, picked(self._grids, self._from, self._to))
        except ValueError as error:
            raise SceneError("there is no part of the layer to pick a stamp from") from error
        return True

    def abandon(self, _context: bpy.types.Context) -> None:
        """Hold what was held before."""
        self._overlay.remove()


class LEVELWRIGHT_OT_teeworlds_turn_stamp(declared.Declared, bpy.types.Operator):
    """Flip or rotate the stamp, with the directions of its tiles, as the game's editor does"""

    bl_idname = "levelwright.teeworlds_turn_stamp"
    bl_label = "Turn Stamp"
    bl_options = {"INTERNAL"}

    way: str = declared.menu(name="Way", items=WAYS)

    def execute(self, context: bpy.types.Context) -> Result:
        """Turn it."""
        try:
            for _ in range(3 if self.way == "TURN_BACK" else 1):
                held.turn(context, stamps.TURN if self.way == "TURN_BACK" else self.way)
        except SceneError as error:  # no error: its window would take the next keys
            self.report({"WARNING"}, showable(error.message))
            return {"CANCELLED"}
        stage.redraw(context.window_manager)
        return {"FINISHED"}


class LEVELWRIGHT_OT_teeworlds_drop_stamp(bpy.types.Operator):
    """Hold no stamp: then dragging picks one from the map"""

    bl_idname = "levelwright.teeworlds_drop_stamp"
    bl_label = "Drop Stamp"
    bl_options = {"INTERNAL"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Drop it."""
        held.drop()
        stage.redraw(context.window_manager)
        return {"FINISHED"}


class LEVELWRIGHT_OT_teeworlds_choose_tile(OnMap, declared.Declared, bpy.types.Operator):
    """Hold this tile; Shift-click: the rectangle from the last one to this one"""

    bl_idname = "levelwright.teeworlds_choose_tile"
    bl_label = "Choose Tile"
    bl_options = {"INTERNAL"}

    index: int = declared.integer(name="Index", description="Of the tile", default=1, min=0, max=255)
    extend: bool = declared.boolean(name="Extend", description="From the tile that is held to this one")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """See whether Shift is held."""
        self.extend = event.shift
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> Result:
        """Hold it."""
        layer = active_layer(context)
        kind = tile_kind(layer) if layer is not None else None
        if kind is None:
            return refuse(self, context, SceneError("Make a tile layer the active object"))
        row, column = divmod(self.index, 16)
        before = held.palette_area()
        start = before[:2] if self.extend and before is not None else (column, row)
        try:
            held.choose(context, kind, stamps.between(start, (column, row)))
        except SceneError as error:
            return refuse(self, context, error)
        stage.redraw(context.window_manager)
        return {"FINISHED"}


class LEVELWRIGHT_OT_teeworlds_stamp_size(tools.SizeOperator):
    """Change how often the stamp is repeated"""

    bl_idname = "levelwright.teeworlds_stamp_size"
    bl_label = "Stamp Size"
    bl_options = {"INTERNAL"}
    limits = (1, held.MAX_SIZE)
    pixels = 20.0
    whole = True

    def read_size(self, context: bpy.types.Context) -> float:
        """The size."""
        return held.settings(context).size

    def write_size(self, context: bpy.types.Context, value: float) -> None:
        """Make it this size."""
        held.settings(context).size = int(value)


CLASSES = (
    LEVELWRIGHT_OT_teeworlds_stamp,
    LEVELWRIGHT_OT_teeworlds_pick_stamp,
    LEVELWRIGHT_OT_teeworlds_turn_stamp,
    LEVELWRIGHT_OT_teeworlds_drop_stamp,
    LEVELWRIGHT_OT_teeworlds_choose_tile,
    LEVELWRIGHT_OT_teeworlds_stamp_size,
)
