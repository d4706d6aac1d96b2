# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps from nothing: what can be chosen."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..scene.fields.options import new_name, option
from ..scene.reports import Report
from .operators import new_map
from .structure.parts import all_layers, tile_kind

OPERATOR = "teeworlds_new_map"
"""The operator that makes one, after `levelwright.`."""


@dataclass(frozen=True)
class NewSettings:
    """What a new map is like."""

    name: str = new_name()
    width: int = option(50, "Width", "In tiles", minimum=2)
    height: int = option(50, "Height", "In tiles", minimum=2)
    room: bool = option(True, "Room", "With walls all around and a spawn: it can be played. Otherwise it is empty")


def make(context: bpy.types.Context, settings: NewSettings, _report: Report) -> bpy.types.Collection:
    """Make the map of File > New."""
    return new_map(context, settings.name, settings.width, settings.height, settings.room)


def game_layer(level: bpy.types.Collection) -> bpy.types.Object | None:
    """The layer that is painted first."""
    return next((layer for layer in all_layers(level) if tile_kind(layer) == "GAME"), None)
