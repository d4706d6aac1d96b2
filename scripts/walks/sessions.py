# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops of all sorts, and a level over two sessions: a .blend that is saved and opened, exporters of collections."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from scripts.walks.walk import MIDDLE, OVER_OUTLINER, SAMPLES, SOURCE, TEEWORLDS, Walk
from scripts.window import WindowError

ODD = "fünf 100% & ein #1 'Ort'.bsp"
"""A name with signs that an address has to have in other words."""
COLLECTION_TAB = (1332, 424)
"""In the properties editor, where the root of a level is active."""
ADD_EXPORTER = (1570, 598)
"""There, beside the list *Exporters*, as long as it is empty."""


def drops(walk: Walk) -> None:
    """Files are dragged from another program: one of no game, and one with an odd name onto the outliner."""
    window = walk.window
    walk.put(SOURCE)
    shutil.copy(window.home / SOURCE.file, window.home / ODD)
    (window.home / "notes.map").write_text("no level\n", encoding="utf-8")
    walk.drop_files("notes.map")
    window.find("no level of a game that Levelwright knows", near=MIDDLE)
    walk.see("none", "A file of no game: refused at once.")
    window.key("Escape")
    walk.drop_files(ODD, on=OVER_OUTLINER)
    walk.confirm(OVER_OUTLINER)
    name = ODD.removesuffix(".bsp")
    walk.expect(f"bpy.context.object and bpy.context.object.name == {name!r}", "it was not imported")
    walk.solid()
    walk.see("odd", "A level with signs in its name, dropped on the outliner.")


def reopened(walk: Walk) -> None:
    """A level is dropped, undone and redone, and saved; Blender ends, and starts with the .blend: what the collection's
    own exporter writes is the file that was imported.
    """
    window = walk.window
    walk.imported(TEEWORLDS)
    window.key("ctrl+z")
    walk.expect(f"{TEEWORLDS.name!r} not in bpy.data.collections", "undo left the level")
    window.key("ctrl+shift+z")
    walk.is_imported(TEEWORLDS)
    window.click(*COLLECTION_TAB)
    window.click(*ADD_EXPORTER)
    window.press("Teeworlds / DDNet map", near=(1450, 386))
    walk.expect(f"len(bpy.data.collections[{TEEWORLDS.name!r}].exporters)", "no exporter was added")
    walk.see("exporter", "Properties > Collection > Exporters: the level's own exporter.")
    walk.save_as("saved.blend")
    walk.over_view()
    window.key("ctrl+q")
    window.reopen("saved.blend")
    walk.expect(f"{TEEWORLDS.name!r} in bpy.data.collections", "the level is not in the .blend")
    (window.home / TEEWORLDS.file).unlink()
    window.press("File", "Export All Collections", near=(40, 12))
    walk.expect(f"__import__('os').path.exists({TEEWORLDS.file!r})", "nothing was written")
    walk.see("opened", "Blender was started with the .blend, and File > Export All Collections wrote the level.")
    if (window.home / TEEWORLDS.file).read_bytes() != (SAMPLES / TEEWORLDS.file).read_bytes():
        raise WindowError("what was written is not the file that was imported")


PATHS: dict[str, Callable[[Walk], None]] = {"drops": drops, "reopened": reopened}
