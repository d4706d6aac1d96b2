# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level's collection names and says after undo and redo.

**Names.** Undo leaves a collection as it is that didn't change between two steps, and whatever it names that undo has
freed is freed memory. That is what `all_objects` lists, where a collection in it changed. And the texts of reports,
where they were made after the last step: an export is none, so its text is in no step, while the level's collection
names it.

**Reports.** What exports and checks say of a level is no edit: an undo of what was done before, or after, takes none of
it away. Texts and properties are put back as they were; only those of what undo removed are gone with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import bpy

from ..blender_types import persistent
from ..names import showable, showable_lines
from . import originals

_keys: set[str] = set()


@dataclass(slots=True)
class _Said:
    """What was said of a level when undo began."""

    values: dict[str, str | None] = field(default_factory=dict)
    """By the keys of properties; None: there was none."""
    texts: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Of reports, by number: name and content."""


_said: dict[int, _Said] = {}
"""By level, as Blender numbers data-blocks in a session."""


def stays(key: str) -> str:
    """Return the key of a property of levels, a text, that undo leaves as it is: it holds no part of the level."""
    _keys.add(key)
    return key


def _levels() -> Iterator[bpy.types.Collection]:
    for level in bpy.data.collections:
        if level.get(originals.LEVEL) is not None:
            yield level


@persistent
def _remember(*_: object) -> None:
    """Keep what was said, and let levels name no texts of reports. A handler of before undo and redo."""
    for level in _levels():
        if level.library:
            continue
        held = originals.resources(level, originals.REPORTS)
        texts = {number: text for number, text in held.items() if isinstance(text, bpy.types.Text)}
        _said[level.session_uid] = _Said(
            {key: text if isinstance(text := level.get(key), str) else None for key in _keys},
            {number: (text.name, text.as_string()) for number, text in texts.items()},
        )
        for number in held:
            originals.set_resource(level, originals.REPORTS, number, None)


@persistent
def _say_again(*_: object) -> None:
    """Put back what was said of the levels that are there. A handler of undo and redo."""
    for level in _levels():
        said = _said.get(level.session_uid)
        if said is None or level.library:
            continue
        for key, value in said.values.items():
            if value is not None:
                level[key] = value
            elif level.get(key) is not None:
                del level[key]
        for number, (name, content) in said.texts.items():
            text = bpy.data.texts.get(name)
            if text is None:
                text = bpy.data.texts.new(showable(name))
            if text.as_string() != content:
                text.from_string(showable_lines(content))
            originals.set_resource(level, originals.REPORTS, number, text)


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
        before.append(_remember)
    for after in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post):
        after[:0] = [_say_again, _list_anew]


def unregister() -> None:
    """Undo `register`."""
    for before in (bpy.app.handlers.undo_pre, bpy.app.handlers.redo_pre):
        before.remove(_remember)
    for after in (bpy.app.handlers.undo_post, bpy.app.handlers.redo_post):
        after.remove(_say_again)
        after.remove(_list_anew)
    _said.clear()
