# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels from nothing: an empty one, or a room with a light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import bpy

from ...formats import genesis
from ..scene import boxes, stage
from ..scene.options import option
from ..scene.reports import Report
from . import importer
from .entities.operators import add_entity
from .settings import ImportSettings

_WIDE, _HIGH, _WALL = 256.0, 192.0, 16.0
"""Units: half of the room's sides, its height, how thick its walls are."""
_LIGHT_AT = (0.0, 0.0, 144.0)


def new_level(context: bpy.types.Context, name: str, kind: Literal["map", "3dt"]) -> bpy.types.Collection:
    """Make an empty level, linked to the scene; nothing was imported for it."""
    level = genesis.new_level("map") if kind == "map" else genesis.new_level("3dt")
    return importer.build_scene(context, level, None, name, ImportSettings(), Report())


@dataclass(frozen=True)
class NewSettings:
    """What a new level is like."""

    name: str = option("level", "Name", "What it is called")
    kind: str = option(
        "map",
        "Kind",
        "Which file it becomes",
        {"map": (".map", "What the compiler reads"), "3dt": (".3dt", "What the editor opens")},
    )
    room: bool = option(True, "Room", "With a room of six brushes and a light; otherwise it is empty")


def make(context: bpy.types.Context, settings: NewSettings, _report: Report) -> bpy.types.Collection:
    """Make the level of File > New."""
    is_alone = stage.is_empty(stage.scene_of(context))
    level = new_level(context, settings.name, "map" if settings.kind == "map" else "3dt")
    if settings.room:
        _build_room(level)
        add_entity(context, level, "light", _LIGHT_AT)
        if is_alone:
            boxes.look_at(context, level, (-_WIDE, -_WIDE, 0.0), (_WIDE, _WIDE, _HIGH))
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
