# SPDX-License-Identifier: GPL-3.0-or-later
"""Teeworlds' tools: tiles stamped from the palette, and the map made larger, with all that is in it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scripts.walks.walk import TEEWORLDS, Walk

LAYER = "Fence"
TILE = (1, 0)
"""Column and row in the palette of the tile that is stamped."""
FROM, TO = (4, 3), (9, 3)
"""The cells of the layer between which it is stamped."""
PART, CELLS = 0.9, 16
"""Of the view's shorter side that the palette takes; its cells in each direction."""
MODULE = "__import__('importlib').import_module('bl_ext.user_default.levelwright.addon.{}')"
SHOWN = f"{MODULE.format('scene.interface.tools')}.free_area(bpy.context)"
HELD = f"[part.shape for part in {MODULE.format('teeworlds.stamp.held')}.parts()]"
VIEW = "next(r for r in area.regions if r.type == 'WINDOW')"
TO_REGION = "__import__('bpy_extras.view3d_utils').view3d_utils.location_3d_to_region_2d"
ON_TOP = """
view = area.spaces.active.region_3d
view.view_perspective, view.view_rotation = "ORTHO", (1, 0, 0, 0)
view.view_location, view.view_distance = (8, -5, 0), 20
"""


def of_layer(expression: str) -> str:
    """An expression about `T`, the object of the layer that is stamped."""
    found = f"next(o for o in bpy.data.objects if o.get('layer_name') == {LAYER!r})"
    return f"(lambda T: {expression})({found})"


TILES = of_layer(
    "sorted(zip((tuple(p.center) for p in T.data.polygons), (v.value for v in T.data.attributes['index'].data)))"
)


def place_of(walk: Walk, cell: tuple[int, int]) -> tuple[int, int]:
    """Where the middle of a cell of the layer is on the screen."""
    at = of_layer(f"T.matrix_world @ __import__('mathutils').Vector(({cell[0]} + 0.5, -{cell[1]} - 0.5, 0))")
    x, y = ast.literal_eval(str(walk.value(f"tuple({TO_REGION}({VIEW}, area.spaces.active.region_3d, {at}))")))
    left, top, _, height = walk.region("VIEW_3D")
    return int(left + x), int(top + height - y)


def choose_tile(walk: Walk) -> None:
    """Show the palette by Space, and click on a tile."""
    walk.over_view()
    walk.window.key("space")
    walk.see("palette", "Space shows the layer's tileset; tiles that the layer has are marked.")
    left, low, width, height = ast.literal_eval(str(walk.value(SHOWN)))
    size = PART * min(width, height)
    x, y = left + (width - size) / 2, low + (height + size) / 2
    region = walk.region("VIEW_3D")
    cell = size / CELLS
    walk.window.click(
        int(region[0] + x + (TILE[0] + 0.5) * cell), int(region[1] + region[3] - y + (TILE[1] + 0.5) * cell)
    )
    walk.expect(f"{HELD} == [(1, 1)]", "no tile of the palette is held")


def stamp(walk: Walk) -> None:
    """The stamp tool is chosen, a layer in its header, a tile in its palette; a stroke puts it into the layer, undo
    takes it back and redo brings it again; E erases; the level is exported.
    """
    window = walk.window
    walk.imported(TEEWORLDS)
    window.python(ON_TOP)
    walk.menu("Levelwright", "Teeworlds", "Tiles", "Stamp Tiles")
    window.press("Choose Layer", near=(60, 68))
    window.press(LAYER, near=(100, 200))
    walk.expect(f"bpy.context.object.get('layer_name') == {LAYER!r}", "the header's menu chose no layer")
    choose_tile(walk)
    before = walk.value(TILES)
    window.drag([place_of(walk, FROM), place_of(walk, TO)])
    walk.expect(f"{TILES} != {before!r}", "the stroke stamped nothing")
    after = walk.value(TILES)
    walk.see("stroke", "A stroke from one cell to another.")
    window.key("ctrl+z")
    walk.expect(f"{TILES} == {before!r}", "undo did not take the stroke back")
    window.key("ctrl+shift+z")
    walk.expect(f"{TILES} == {after!r}", "redo did not bring the stroke back")
    window.key("e")
    window.drag([place_of(walk, FROM), place_of(walk, TO)])
    walk.expect(f"len({TILES}) < len({after!r})", "E did not let the stroke erase")
    walk.see("erased", "E erases: the same cells are empty.")
    window.key("ctrl+z", "e")
    written(walk)


def resize(walk: Walk) -> None:
    """The map gets five columns at its left, by the dialog of Resize Map; undo takes them away, redo brings them again;
    the level is exported.
    """
    window = walk.window
    walk.imported(TEEWORLDS)
    width = "next(o for o in bpy.data.objects if o.get('tile_kind') == 1)['width']"
    before = walk.value(width)
    walk.menu("Levelwright", "Teeworlds", "Map", "Resize Map")
    x, y, _ = window.find("Left", near=window.at)
    for _ in range(2):  # a double click
        window.click(x + 120, y)
    window.key("ctrl+a")
    window.type("5")
    window.key("Return")
    walk.see("dialog", "How many columns and rows are added on each side.")
    x, y, _ = window.find("Cancel", near=window.at)
    window.press("Resize Map", near=(x + 160, y))
    walk.expect(f"{width} == {before} + 5", "the map did not become wider")
    walk.see("resized", "Five columns more at the left; all else stays where it is seen.")
    walk.over_view()
    window.key("ctrl+z")
    walk.expect(f"{width} == {before}", "undo did not take the columns away")
    window.key("ctrl+shift+z")
    walk.expect(f"{width} == {before} + 5", "redo did not bring the columns back")
    written(walk)


def written(walk: Walk) -> None:
    """Export the level over its file, undo behind that, and redo."""
    walk.menu("Levelwright", "Export Level")
    walk.browse_folder()
    walk.overwrite(TEEWORLDS.file)
    walk.differs(TEEWORLDS)
    walk.over_view()
    walk.window.key("ctrl+z", "ctrl+shift+z")
    walk.see("written", "The level was written, and undo and redo work behind that.")


PATHS: dict[str, Callable[[Walk], None]] = {"tools-stamp": stamp, "tools-resize": resize}
