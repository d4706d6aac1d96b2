# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels from nothing: an empty one, or a room with a light, where players begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import bpy

from ...formats import genesis
from ...formats.genesis import typedefs
from ...formats.genesis.headers import DeclaredClasses
from ...formats.genesis.typedefs import TypeDef
from ..scene import boxes
from ..scene.fields.options import new_name, option
from ..scene.level import needed_root
from ..scene.reports import Report
from ..scene.view import stage
from . import importer, layout, view
from .classes.kept import keep
from .entities.operators import add_entity
from .settings import ImportSettings

_WIDE, _HIGH, _WALL = 256.0, 192.0, 16.0
"""Units: half of the room's sides, its height, how thick its walls are."""
_LIGHT_AT, _START_AT = (0.0, 0.0, 144.0), (0.0, -128.0, 64.0)


def new_level(
    context: bpy.types.Context, name: str, kind: Literal["map", "3dt"], classes: Sequence[TypeDef] = ()
) -> bpy.types.Collection:
    """Make an empty level, linked to the scene; nothing was imported for it. classes: those that it knows besides the
    editor's own.
    """
    level: genesis.MapLevel | genesis.Level3dt
    if kind == "map":
        level = genesis.new_level("map")
        level.entities += typedefs.entities(classes)
    else:
        level = genesis.new_level("3dt")
    made = importer.build_scene(context, level, None, name, ImportSettings(), Report())
    if kind == "3dt":
        keep(made, DeclaredClasses(list(classes)))
    return made


@dataclass(frozen=True)
class NewSettings:
    """What a new level is like."""

    name: str = new_name()
    kind: str = option(
        "map",
        "Kind",
        "Which file it becomes",
        {"map": (".map", "What the compiler reads"), "3dt": (".3dt", "What the editor opens")},
    )
    room: bool = option(True, "Room", "With six brushes, a light and a place to begin at; otherwise it is empty")


def make(context: bpy.types.Context, settings: NewSettings, _report: Report) -> bpy.types.Collection:
    """Make the level of File > New."""
    is_alone = stage.is_free_for(stage.scene_of(context), layout.FORMAT)
    classes = (typedefs.PLAYER_START,) if settings.room else ()
    level = new_level(context, settings.name, "map" if settings.kind == "map" else "3dt", classes)
    if settings.room:
        _build_room(level)
        add_entity(context, level, "light", _LIGHT_AT)
        add_entity(context, level, typedefs.PLAYER_START.name, _START_AT)
        if is_alone:
            boxes.look_at(context, level, (-_WIDE, -_WIDE, 0.0), (_WIDE, _WIDE, _HIGH))
            view.look_from_start(context, level, needed_root(level))
    return level


def _build_room(level: bpy.types.Collection) -> None:
    """Add the brushes of a room: its floor is at 0."""
    floor, wall = (bpy.data.materials.new("floor"), bpy.data.materials.new("wall"))
    out = _WIDE + _WALL
    brushes = {
        "Floor": ((-out, -out, -_WALL), (out, out, 0.0), floor),
        "Ceiling": ((-out, -out, _HIGH), (out, out, _HIGH + _WALL), wall),
        "Wall -x": ((-out, -out, 0.0), (-_WIDE, out, _HIGH), wall),
        "Wall +x": ((_WIDE, -out, 0.0), (out, out, _HIGH), wall),
        "Wall -y": ((-_WIDE, -out, 0.0), (_WIDE, -_WIDE, _HIGH), wall),
        "Wall +y": ((-_WIDE, _WIDE, 0.0), (_WIDE, out, _HIGH), wall),
    }
    for title, (low, high, material) in brushes.items():
        boxes.add(level, title, low, high, [material])
