# SPDX-License-Identifier: GPL-3.0-or-later
"""Teeworlds' tools: tiles stamped from the palette, and the map made larger, with all that is in it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scripts.walks.walk import TEEWORLDS, Walk
from scripts.window import WindowError

LAYER = "Ground"
TILE = (1, 0)
"""Column and row in the palette of the tile that is stamped."""
FROM, TO = (4, 3), (9, 3)
"""The cells of the layer between which it is stamped."""
ADDED = 5
"""Columns that the map gets at its left."""
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


FOUND = f"next(o for o in bpy.data.objects if o.get('layer_name') == {LAYER!r})"
GAME = "next(o for o in bpy.data.objects if o.get('tile_kind') == 1)"
"""The object of the layer that is stamped, and that of the game layer."""
WIDTH = f"{GAME}['width']"


def of_layer(expression: str) -> str:
    """An expression about `T`, the object of the layer that is stamped."""
    return f"(lambda T: {expression})({FOUND})"


TILES = of_layer(
    "sorted(zip((tuple(p.center) for p in T.data.polygons), (v.value for v in T.data.attributes['index'].data)))"
)


def place_of(walk: Walk, cell: tuple[int, int]) -> tuple[int, int]:
    """Where the middle of a cell of the layer is on the screen."""
    at = f"(lambda T: T.matrix_world @ __import__('mathutils').Vector(({cell[0]} + 0.5, -{cell[1]} - 0.5, 0)))({FOUND})"
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
    begin(walk)
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
    """Tiles are stamped, the map gets five columns at its left by the dialog of Resize Map, and tiles are stamped
    again; undo takes all of it back and redo brings it again, and what one looks at stays where it is; the level is
    exported.
    """
    window = walk.window
    begin(walk)
    before, empty, seen = walk.value(WIDTH), walk.value(TILES), place_of(walk, FROM)
    window.drag([place_of(walk, FROM), place_of(walk, TO)])
    walk.expect(f"{TILES} != {empty!r}", "the stroke stamped nothing")
    narrow = walk.value(TILES)
    walk.see("before", "Tiles are stamped before the map is resized.")
    walk.menu("Levelwright", "Teeworlds", "Map", "Resize Map")
    x, y, _ = window.find("Left", near=window.at)
    for _ in range(2):  # a double click
        window.click(x + 120, y)
    window.key("ctrl+a")
    window.type(str(ADDED))
    window.key("Return")
    walk.see("dialog", "How many columns and rows are added on each side.")
    x, y, _ = window.find("Cancel", near=window.at)
    window.press("Resize Map", near=(x + 160, y))
    walk.expect(f"{WIDTH} == {before} + {ADDED}", "the map did not become wider")
    wide, there = walk.value(TILES), (FROM[0] + ADDED, FROM[1])
    stays(walk, there, seen, "the view did not follow")
    walk.see("resized", "Five columns more at the left; what one looked at is where it was.")
    walk.over_view()
    window.drag([place_of(walk, (cell[0] + ADDED, cell[1] + 1)) for cell in (FROM, TO)])
    walk.expect(f"{TILES} != {wide!r}", "nothing could be stamped after the map was resized")
    last = walk.value(TILES)
    for number, (tiles, cell) in enumerate(((wide, there), (narrow, FROM), (empty, FROM)), 1):
        window.key("ctrl+z")
        walk.expect(f"{TILES} == {tiles!r}", f"undo {number} did not give back what was there")
        stays(walk, cell, seen, f"the view did not follow undo {number}")
    walk.expect(f"{WIDTH} == {before}", "undo did not take the columns away")
    walk.see("undone", "Undone: both strokes and the columns are gone, and the view shows the same.")
    for number, (tiles, cell) in enumerate(((narrow, FROM), (wide, there), (last, there)), 1):
        window.key("ctrl+shift+z")
        walk.expect(f"{TILES} == {tiles!r}", f"redo {number} did not bring back what was there")
        stays(walk, cell, seen, f"the view did not follow redo {number}")
    walk.expect(f"{WIDTH} == {before} + {ADDED}", "redo did not bring the columns back")
    walk.see("redone", "And all of it again.")
    written(walk)


def widen(walk: Walk) -> None:
    """Tiles are dragged out of the map at its left, in edit mode; Widen to Fit makes room for them, tiles are stamped
    there, undo and redo go through all of it, and the level is exported.
    """
    window = walk.window
    begin(walk)
    before, seen = walk.value(WIDTH), place_of(walk, FROM)
    window.drag([place_of(walk, FROM), place_of(walk, TO)])
    walk.over_view()
    window.key("Tab")
    walk.expect("bpy.context.mode == 'EDIT_MESH'", "Tab did not lead to edit mode")
    window.key("3", "a", "g", "x", "minus", "1", "0", "Return", "Tab")
    walk.expect("bpy.context.mode == 'OBJECT'", "Tab did not lead back")
    outside = walk.value(TILES)
    walk.see("outside", "All of the layer's tiles lie ten cells further to the left, some outside of the map.")
    walk.menu("Levelwright", "Teeworlds", "Map", "Widen to Fit")
    walk.expect(f"{WIDTH} > {before}", "the map did not become wider")
    added = int(str(walk.value(WIDTH))) - int(str(before))
    wide, there = walk.value(TILES), (FROM[0] + added, FROM[1])
    stays(walk, there, seen, "the view did not follow")
    walk.see("widened", "The map has as many columns more as they need; what one looked at is where it was.")
    walk.over_view()
    window.drag([place_of(walk, (cell[0] + added - 5, cell[1] + 1)) for cell in (FROM, TO)])
    walk.expect(f"{TILES} != {wide!r}", "nothing could be stamped from the new columns on")
    last = walk.value(TILES)
    walk.see("stamped", "A stroke that begins in the new columns.")
    for tiles, cell in ((wide, there), (outside, FROM)):
        window.key("ctrl+z")
        walk.expect(f"{TILES} == {tiles!r}", "undo did not give back what was there")
        stays(walk, cell, seen, "the view did not follow undo")
    for tiles in (wide, last):
        window.key("ctrl+shift+z")
        walk.expect(f"{TILES} == {tiles!r}", "redo did not bring back what was there")
        stays(walk, there, seen, "the view did not follow redo")
    written(walk)


def begin(walk: Walk) -> None:
    """Import the map, take the stamp tool, and choose a layer and a tile."""
    walk.imported(TEEWORLDS)
    walk.window.python(ON_TOP)
    walk.menu("Levelwright", "Teeworlds", "Tiles", "Stamp Tiles")
    walk.window.press("Choose Layer", near=(60, 68))
    walk.window.press(LAYER, near=(100, 200))
    walk.expect(f"bpy.context.object.get('layer_name') == {LAYER!r}", "the header's menu chose no layer")
    choose_tile(walk)


def stays(walk: Walk, cell: tuple[int, int], seen: tuple[int, int], says: str) -> None:
    """Ask whether a cell of the layer is where it was seen. Raises WindowError."""
    place = place_of(walk, cell)
    if max(abs(now - was) for now, was in zip(place, seen, strict=True)) > 1:
        raise WindowError(f"{says}: {place} instead of {seen}")


def written(walk: Walk) -> None:
    """Export the level over its file, undo behind that, and redo."""
    walk.menu("Levelwright", "Export Level")
    walk.browse_folder()
    walk.overwrite(TEEWORLDS.file)
    walk.differs(TEEWORLDS)
    walk.over_view()
    walk.window.key("ctrl+z", "ctrl+shift+z")
    walk.see("written", "The level was written, and undo and redo work behind that.")


PATHS: dict[str, Callable[[Walk], None]] = {"tools-stamp": stamp, "tools-resize": resize, "tools-widen": widen}
