# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of a level are, for switching them on and off in views: see `scene.kinds`."""

from __future__ import annotations

import bpy

from ..scene.identity import kind_of
from . import layout

SPAWNS = ("ready_room_start", "player_start", "spawn_location", "team_location")
"""Parts of the names of classes whose entities are where players begin, the first ones first."""


def kind_shown(obj: bpy.types.Object, _home: bpy.types.Collection) -> str:
    """Say which of `scene.kinds.KINDS` an object is."""
    name = obj.get(layout.CLASS)
    if isinstance(name, str):
        return _kind_of_entity(obj, name)
    return "World" if kind_of(obj) == layout.GEOMETRY else ""


def _kind_of_entity(obj: bpy.types.Object, name: str) -> str:
    """By its class, and by what it is in Blender: "" for lights, speakers and cameras."""
    if isinstance(obj.data, bpy.types.Mesh):
        is_prop = len(obj.data.polygons) > 0 or isinstance(obj.get("model"), str)
        return "Props" if is_prop else "Triggers"  # whose boxes have edges alone
    if obj.data is not None:
        return ""
    if "probe" in name:
        return "Probes"
    if name == layout.AMBIENT_LIGHT:
        return "Lights"
    return "Spawns" if any(part in name for part in SPAWNS) else "Entities"
