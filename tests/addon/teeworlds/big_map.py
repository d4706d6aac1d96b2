# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports a map of 147 million tiles, exports it, paints one cell, and exports it again; prints what that took.

    python -m tests.addon.teeworlds.big_map FOLDER

Run by test_big_map.py in a process of its own: the memory is that of the whole process.
"""

import json
import resource
import sys
from pathlib import Path

import bpy

from scripts import extension
from tests.samples import generated

WIDTH, HEIGHT = 9600, 3828
FILLS = (1.0, 0.5, 0.1)
CELL = 4321, 1234
"""Column and row of the painted cell."""
PAINTED = 77


def peak() -> int:
    """The most bytes of memory that this process has had so far (Linux counts KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def paint(layer: bpy.types.Object) -> None:
    """Set one cell's index, as a brush would: one pixel's red. Images begin with the bottom row."""
    image = layer["index_image"]
    column, row = CELL
    image.pixels[4 * ((HEIGHT - 1 - row) * WIDTH + column)] = PAINTED / 255
    image.update()


def main(folder: Path) -> None:
    source = folder / "source.map"
    data = generated.tile_map(WIDTH, HEIGHT, FILLS, period=32)
    source.write_bytes(data)
    made = peak()
    module = extension.load()
    module.register()
    try:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        bpy.ops.import_scene.teeworlds_map(filepath=str(source))
        imported = peak()
        bpy.ops.export_scene.teeworlds_map(filepath=str(folder / "unedited.map"))
        planes = [obj for obj in bpy.data.objects if obj.get("index_image") is not None]
        paint(next(obj for obj in planes if "Tiles 0" in obj.name))
        bpy.ops.export_scene.teeworlds_map(filepath=str(folder / "painted.map"))
    finally:
        module.unregister()
    print(json.dumps({"generator": made, "import": imported, "export": peak(), "planes": len(planes)}))


if __name__ == "__main__":
    extension.run(lambda: main(Path(sys.argv[1])))
