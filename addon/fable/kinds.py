# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of a level are, for switching them on and off in views: see `scene.view.kinds`."""

from __future__ import annotations

import bpy

from ..scene.kept.identity import kind_of
from . import layout

DEFINITION = "DefinitionType"
"""The property that has a thing's class."""
SPAWNS = ("holy_site_player_start", "region_entrance_point")
"""In small letters, classes of things where players begin: the first ones first."""
_OF_STAMPS = {
    layout.TERRAIN: "Terrain",
    layout.WATER: "Water",
    layout.GAME_MAP: "Atmosphere",
    layout.LEAVES: "Navigation",
    layout.ACTION_POINT: "Navigation",
    layout.PREVIEW: "Previews",
}
_OF_THINGS = {"Marker": "Markers", "TrackNode": "Markers", "Building": "Buildings", "AICreature": "Creatures"}


def kind_shown(obj: bpy.types.Object, _home: bpy.types.Collection) -> str:
    """Say which of `scene.view.kinds.KINDS` an object is."""
    if obj.type == "LIGHT":
        return "Lights"
    kind = _OF_STAMPS.get(kind_of(obj) or "")
    if kind is not None:
        return kind
    definition = obj.get(DEFINITION)
    if isinstance(definition, str) and definition.lower() in SPAWNS:
        return "Spawns"
    thing = obj.get(layout.NEW_THING)
    return _OF_THINGS.get(thing, "Things") if isinstance(thing, str) else ""
