# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of a level's objects after undo and redo.

Blender keeps what `all_objects` lists with the collection. Undo leaves such a list as it is where the collection itself
didn't change, though one in it did, with the objects that undo has freed: whoever reads it next reads freed memory.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from . import originals


@persistent  # type: ignore[untyped-decorator]
def _list_anew(*_: object) -> None:
    """Let Blender forget the lists of levels, and of the collections in them. A handler of undo and redo.

    It forgets those of a collection that an object is linked to, and of all above.
    """
    for level in bpy.data.collections:
        if level.get(originals.LEVEL) is None:
            continue
        for collection in (level, *level.children_recursive):
            if not collection.children or collection.library or collection.override_library:
                continue
            there = set(collection.objects)
            other = next((obj for obj in bpy.data.objects if obj not in there), None)
            if other is not None:
                collection.objects.link(other)
                collection.objects.unlink(other)


def register() -> None:
    """Do so from now on: before whatever else follows undo."""
    bpy.app.handlers.undo_post.insert(0, _list_anew)
    bpy.app.handlers.redo_post.insert(0, _list_anew)


def unregister() -> None:
    """Undo `register`."""
    bpy.app.handlers.undo_post.remove(_list_anew)
    bpy.app.handlers.redo_post.remove(_list_anew)
