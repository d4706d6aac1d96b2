# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level's collection names after undo and redo: undo leaves a collection as it is that didn't change between two
steps, and whatever it names that undo has freed is freed memory.

That is what `all_objects` lists, where a collection in it changed. And the texts of reports, where they were made after
the last step: an export is none, so its text is in no step, while the level's collection names it.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..blender_types import persistent
from . import originals

_reports: dict[int, dict[int, str]] = {}
"""By level, as Blender numbers data-blocks in a session, the names of its texts of reports: while undo works."""


def _levels() -> Iterator[bpy.types.Collection]:
    for level in bpy.data.collections:
        if level.get(originals.LEVEL) is not None:
            yield level


@persistent
def _let_go_of_reports(*_: object) -> None:
    """Let levels name no texts of reports. A handler of before undo and redo."""
    _reports.clear()
    for level in _levels():
        texts = originals.resources(level, originals.REPORTS) if not level.library else {}
        _reports[level.session_uid] = {number: text.name for number, text in texts.items()}
        for number in texts:
            originals.set_resource(level, originals.REPORTS, number, None)


@persistent
def _hold_reports(*_: object) -> None:
    """Let levels name their texts again, if these are still there; the last one may then be the import's. A handler of
    undo and redo.
    """
    texts = bpy.data.texts
    for level in _levels():
        held, names = originals.resources(level, originals.REPORTS), _reports.get(level.session_uid, {})
        for number, name in names.items():
            there = names.get(1, "") if number == 0 and name not in texts else name
            if there in texts and number not in held and not level.library:
                originals.set_resource(level, originals.REPORTS, number, texts[there])
    _reports.clear()


@persistent
def _list_anew(*_: object) -> None:
    """Let Blender forget the lists of levels, and of the collections in them. A handler of undo and redo.

    It forgets those of a collection that an object is linked to, and of all above.
    """
    for level in _levels():
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
    for before in (bpy.app.handlers.undo_pre, bpy.app.handlers.redo_pre):
        before.append(_let_go_of_reports)
    for after in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post):
        after[:0] = [_hold_reports, _list_anew]


def unregister() -> None:
    """Undo `register`."""
    for before in (bpy.app.handlers.undo_pre, bpy.app.handlers.redo_pre):
        before.remove(_let_go_of_reports)
    for after in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post):
        after.remove(_hold_reports)
        after.remove(_list_anew)
