# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a map was saved in the editor: the header's revision, and worldspawn's `mapversion`, which is the same.

The revision is a property of the level's collection, `mapversion` another, as all of the world's keys. Whichever was
edited, both are written.
"""

from __future__ import annotations

from ...formats import source
from ...formats.binary import FormatError
from ...formats.source import edits
from ...formats.source.entities.text import Entity
from ..scene.fields.properties import INT32, describe
from ..scene.reports import Report, SceneError
from .collecting.scene_level import SceneLevel, at_fault
from .context import ImportContext

REVISION = "levelwright_revision"
"""Key on the level's collection: a number, as text where it is beyond Blender's. It begins as no key of the world."""
_KEY, _WORLD = "mapversion", "worldspawn"
_MOST = 2**32 - 1


def show(importing: ImportContext) -> None:
    """Show a map's revision on its collection."""
    number = importing.level.revision
    importing.collection[REVISION] = number if number in INT32 else str(number)
    describe(importing.collection, REVISION, description="How often the map was saved in the editor: its mapversion")


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the revision of a level the scene's. Entities have to be applied before.

    Raises SceneError for what is no revision, and where both were edited and differ.
    """
    was = scene.before.revision
    shown = scene.collection.get(REVISION, was)
    with at_fault():
        number = was if str(shown) == str(was) else _number(shown, scene.collection.name)
    key_was, key = _world_key(scene.before), _world_key(level)
    typed = key is not None and key != key_was
    if typed and not str(key).isdecimal():
        report.warn(f"{scene.collection.name}: {_KEY} {key!r} isn't a number: the map's revision stays {number}")
        typed = False
    if typed and number != was and int(str(key)) != number:
        raise SceneError(f"{scene.collection.name}: its revision is {number}, its {_KEY} {key}: they are one number")
    if number != was and key is not None and key != str(number):
        _set_world_key(level, number)
    elif typed:
        with at_fault():
            number = _number(str(key), scene.collection.name)
    if number != was:
        level.file.revision = number
        report.note(f"the map's revision: from {was} to {number}")


def _number(value: object, name: str) -> int:
    """A value as a revision. Raises ValueError for what is none."""
    text = str(value)
    if not text.isdecimal() or int(text) > _MOST:
        raise ValueError(f"{name}: its revision is {text!r}, and a whole number from 0 to {_MOST} is meant")
    return int(text)


def _world(level: source.Level) -> tuple[int, Entity] | None:
    try:
        entities = level.entities
    except FormatError:  # the import left them out as well
        return None
    return next(((number, entity) for number, entity in enumerate(entities) if entity.classname == _WORLD), None)


def _world_key(level: source.Level) -> str | None:
    found = _world(level)
    return None if found is None else found[1].get(_KEY)


def _set_world_key(level: source.Level, number: int) -> None:
    found = _world(level)
    if found is not None:
        pairs = [(key, str(number) if key.lower() == _KEY else value) for key, value in found[1].pairs]
        edits.entities.set_pairs(level, found[0], pairs)
