# SPDX-License-Identifier: GPL-3.0-or-later
"""Automappers that draw on tile layers: when they are asked to, and after each edit."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.counting import number_of
from ....formats.teeworlds.stamps import Rectangle
from ....formats.teeworlds.tiles import ORIENTATION
from ...scene.fields import declared
from ...scene.reports import SceneError
from ..automapping.live import Automapping, automapping, live, new_seed
from ..automapping.rules import rule_sets
from ..structure.map_operator import MapOperator, active_layer, active_map
from .cells import selected_region
from .grid import TileGrid


def draw(grid: TileGrid, mapper: Automapping, region: Rectangle | None = None) -> int:
    """Let an automapper draw on a layer that is being edited; `grid.finish` is left to the caller.

    region: the rectangle that was edited; None: draw the whole layer. Returns how many tiles it changed.
    """
    before = {name: grid.values[name].astype(np.uint8) for name in ("index", "flags")}
    after = {name: field.copy() for name, field in before.items()}
    x, y, width, height = mapper.run(after["index"], after["flags"], region)
    part = slice(y, y + height), slice(x, x + width)
    new, old = ({name: field[part] for name, field in fields.items()} for fields in (after, before))
    turned = (new["flags"] ^ old["flags"]) & np.uint8(ORIENTATION)  # OPAQUE is no part of what a rule says
    rows, columns = np.nonzero((new["index"] != old["index"]) | ((turned != 0) & (new["index"] != 0)))
    cells = (rows + y) * grid.shape[1] + columns + x
    grid.put(cells, {name: field[rows, columns].astype(np.int32) for name, field in new.items()})
    return len(cells)


def automap_layer(level: bpy.types.Collection, layer: bpy.types.Object, region: Rectangle | None = None) -> int:
    """Let a layer's automapper draw on it: round a rectangle, or the whole layer. Returns how many tiles it changed.

    Raises SceneError for a layer that no rules draw, or that can't be edited cell by cell.
    """
    mapper, grid = automapping(level, layer), TileGrid(layer)
    changed = draw(grid, mapper, region)
    grid.finish()
    return changed


def follow_edit(level: bpy.types.Collection, layer: bpy.types.Object, region: Rectangle) -> None:
    """Let a layer's automapper draw round a rectangle that was edited, if the layer wants it to."""
    mapper = live(level, layer)
    if mapper is not None:
        grid = TileGrid(layer)
        draw(grid, mapper, region)
        grid.finish()


class Automap(MapOperator):
    """Draw edges, corners and variants of tiles by the rules that the layer's image has, as the game's editor does"""

    bl_idname = "levelwright.teeworlds_automap"
    bl_label = "Automap"
    needs_layer = True
    layer_kind = "DRAWN"

    selected: bool = declared.boolean(
        name="Selected Tiles", description="Only round the rectangle of the selected tiles, as after an edit of them"
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Run the layer's automapper."""
        layer = self.layer(context)
        if layer.mode == "EDIT":
            bpy.ops.object.mode_set(mode="OBJECT")
        region = None
        if self.selected:
            region = selected_region(layer)
            if region is None:
                raise SceneError(f"no tiles of {layer.name} are selected", [layer])
        changed = automap_layer(level, layer, region)
        self.report({"INFO"}, f"{number_of(changed, 'tiles')} changed")
        return bool(changed)


class ChooseAutomapper(MapOperator):
    """Let these rules draw the active layer"""

    bl_idname = "levelwright.teeworlds_choose_automapper"
    bl_label = "Choose Automapper"
    needs_layer = True
    layer_kind = "DRAWN"

    number: int = declared.integer(
        name="Rules", description="Their number in the image's file of rules; -1 = none", default=-1, min=-1
    )

    def change(self, context: bpy.types.Context, _level: bpy.types.Collection) -> None:
        """Set them."""
        self.layer(context)["automapper_config"] = int(self.number)


class NewAutomapperSeed(MapOperator):
    """Give the active layer another seed, by which its automapper chooses at random. With seed 0 each run differs, and
    none runs live
    """

    bl_idname = "levelwright.teeworlds_new_automapper_seed"
    bl_label = "New Seed"
    needs_layer = True
    layer_kind = "DRAWN"

    def change(self, context: bpy.types.Context, _level: bpy.types.Collection) -> None:
        """Set another seed."""
        self.layer(context)["automapper_seed"] = new_seed()


class LEVELWRIGHT_MT_teeworlds_automappers(bpy.types.Menu):
    """The rules of the active layer's image"""

    bl_label = "Automapper"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw an entry for each."""
        level, layer, column = active_map(context), active_layer(context), self.layout
        if level is None or layer is None or column is None:
            return
        column.operator(ChooseAutomapper.bl_idname, text="None").number = -1
        for number, one in enumerate(rule_sets(level, layer)):
            column.operator(ChooseAutomapper.bl_idname, text=one.name or str(number)).number = number


def draw_panel(column: bpy.types.UILayout, level: bpy.types.Collection, layer: bpy.types.Object) -> None:
    """Draw what the sidebar has of a layer's automapper."""
    sets, number = rule_sets(level, layer), layer.get("automapper_config", -1)
    title = sets[number].name if isinstance(number, int) and 0 <= number < len(sets) else f"None of {len(sets)}"
    row = column.row(align=True)
    row.menu(LEVELWRIGHT_MT_teeworlds_automappers.__name__, text=f"Automapper: {title}")
    row.operator(NewAutomapperSeed.bl_idname, text="", icon="FILE_REFRESH")
    row = column.row(align=True)
    row.operator(Automap.bl_idname).selected = False
    row.operator(Automap.bl_idname, text="Selected").selected = True


CLASSES = (Automap, ChooseAutomapper, NewAutomapperSeed, LEVELWRIGHT_MT_teeworlds_automappers)
