# SPDX-License-Identifier: GPL-3.0-or-later
"""The map resized, cropped, shifted and widened."""

from __future__ import annotations

import bpy

from ...scene.fields import declared
from ...scene.geometry.edit_mode import edited_meshes
from ...scene.interface.sidebar import AskingOperator
from ...scene.reports import SceneError
from .. import layout
from ..structure.map_operator import MapOperator, active_group
from ..tiles.cells import selected_region
from .resize import Growth, map_size, missing_cells, resize_map

REPEAT = "New cells of drawn layers get the tiles at their edges, which the game shows there anyway; air otherwise"


class _SizeOperator(MapOperator):
    """What operators share that give the map another size."""

    idle = "The map stays as it is"

    repeat: bool = declared.boolean(name="Repeat Edges", description=REPEAT)

    def growth(self, context: bpy.types.Context, level: bpy.types.Collection) -> Growth:
        """By how much. Raises SceneError."""
        raise NotImplementedError

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Resize the map, and say what couldn't be done exactly."""
        if any(edited_meshes(context)):
            bpy.ops.object.mode_set(mode="OBJECT")
        growth = self.growth(context, level)
        if not growth:
            return False
        for line in resize_map(level, growth, self.repeat, active_group(context, level)):
            self.report({"WARNING"}, line)
        width, height = map_size(level)
        self.report({"INFO"}, f"The map has {width} x {height} tiles")
        return True


class ResizeMap(_SizeOperator, AskingOperator):
    """Add columns and rows to the map or cut them off, on each side; all that is in it stays in place"""

    bl_idname = "levelwright.teeworlds_resize_map"
    bl_label = "Resize Map"

    left: int = declared.integer(name="Left", description="Columns to add; negative: to cut off", options={"SKIP_SAVE"})
    right: int = declared.integer(
        name="Right", description="Columns to add; negative: to cut off", options={"SKIP_SAVE"}
    )
    top: int = declared.integer(name="Top", description="Rows to add; negative: to cut off", options={"SKIP_SAVE"})
    bottom: int = declared.integer(
        name="Bottom", description="Rows to add; negative: to cut off", options={"SKIP_SAVE"}
    )

    def growth(self, _context: bpy.types.Context, _level: bpy.types.Collection) -> Growth:
        """As the user says."""
        return Growth(self.left, self.right, self.top, self.bottom)


class ShiftMap(_SizeOperator, AskingOperator):
    """Move all that is in the map; what leaves it on one side is cut off"""

    bl_idname = "levelwright.teeworlds_shift_map"
    bl_label = "Shift Map"

    x: int = declared.integer(name="X", description="Columns to the right", options={"SKIP_SAVE"})
    y: int = declared.integer(name="Y", description="Rows down", options={"SKIP_SAVE"})

    def growth(self, _context: bpy.types.Context, _level: bpy.types.Collection) -> Growth:
        """As much on one side as goes on the other."""
        return Growth(self.x, -self.x, self.y, -self.y)


class CropMap(_SizeOperator):
    """Cut the map down to the selected tiles of the active layer"""

    bl_idname = "levelwright.teeworlds_crop_map"
    bl_label = "Crop to Selection"
    needs_layer = True
    layer_kind = "TILES"

    def growth(self, context: bpy.types.Context, level: bpy.types.Collection) -> Growth:
        """What leaves the selected tiles' rectangle."""
        layer = self.layer(context)
        region = selected_region(layer)
        if region is None:
            raise SceneError(f"no tiles of {layer.name} are selected", [layer])
        width, height = map_size(level)
        x, y, across, down = region
        return Growth(-x, x + across - width, -y, y + down - height)


class WidenMap(_SizeOperator):
    """Make the map as large as the tiles ask that were put outside of it"""

    bl_idname = layout.WIDEN_MAP
    bl_label = "Widen to Fit"

    def growth(self, _context: bpy.types.Context, level: bpy.types.Collection) -> Growth:
        """What these need. Raises SceneError where they are in layers whose size isn't the map's."""
        growth, others = missing_cells(level)
        if others and not growth:
            names = ", ".join(layer.name for layer in others)
            raise SceneError(
                f"{names}: not of the map's size, or in a group of another parallax: put the tiles inside, or make the "
                "layer larger by its properties width and height",
                others,
            )
        return growth


CLASSES = (ResizeMap, ShiftMap, CropMap, WidenMap)
