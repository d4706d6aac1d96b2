# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels from nothing: an empty one, or a room where players begin."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...formats import ns2
from ..scene import boxes
from ..scene.fields.options import new_name, option
from ..scene.reports import Report
from ..scene.view import stage
from . import layout
from .checks import LOCATION
from .entities import editing
from .entities.props import TRIGGER
from .importer import build_scene
from .settings import ImportSettings

_HALF, _HEIGHT = 5.0, 3.0
"""Metres: half of the room's sides, and its height."""
_WALLS, _FLOOR = "materials/dev/dev_1024x1024.material", "materials/dev/dev_floor_grid.material"
"""The game's own, for levels that are begun."""
_ENTITIES = (("location", (0.0, 0.0, 0.0)), ("ready_room_start", (0.0, 0.0, 0.0)), ("light_point", (0.0, 0.0, 2.5)))
"""Classes, and where."""


def new_level(context: bpy.types.Context, name: str) -> bpy.types.Collection:
    """Make an empty level, linked to the scene; nothing was imported for it. Mesh objects in it are its faces."""
    return build_scene(context, ns2.new_level(), None, name, ImportSettings(), Report())


@dataclass(frozen=True)
class NewSettings:
    """What a new level is like."""

    name: str = new_name()
    room: bool = option(True, "Room", "With a room, a light, a location and a place to begin at; otherwise it is empty")


def make(context: bpy.types.Context, settings: NewSettings, report: Report) -> bpy.types.Collection:
    """Make the level of File > New. Raises SceneError."""
    is_alone = stage.is_free_for(stage.scene_of(context), layout.FORMAT)
    level = new_level(context, settings.name)
    if settings.room:
        materials = [bpy.data.materials.new(_WALLS), bpy.data.materials.new(_FLOOR)]
        low, high = (-_HALF, -_HALF, 0.0), (_HALF, _HALF, _HEIGHT)
        boxes.add(level, "Room", low, high, materials, of_sides=(0, 0, 0, 0, 1, 0), is_room=True)
        for class_name, place in _ENTITIES:
            made = editing.add(context, level, class_name, place, report)
            if class_name == LOCATION:
                made.scale = (_HALF / TRIGGER, _HALF / TRIGGER, _HEIGHT / (2 * TRIGGER))  # all of the room
        if is_alone:
            boxes.look_at(context, level, low, high)
    return level
