# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of a level are, for switching them on and off in views: see `scene.view.kinds`."""

from __future__ import annotations

import bpy

from ...formats.counting import number_of
from ..scene.kept.identity import kind_of
from ..scene.view import stage
from . import layout
from .context import ImportContext

SPAWNS = ("ready_room_start", "player_start", "spawn_location", "team_location")
"""Parts of the names of classes whose entities are where players begin, the first ones first."""

AMBIENT = "Ambient Lights"
MANY = 8
"""More of them than this are hidden at first: each is a sphere as large as it reaches, ten metres and more."""


def hide_spheres(context: bpy.types.Context, importing: ImportContext) -> None:
    """Hide the ambient lights of a level that has many in the view layer, once its collection is linked."""
    lights = [obj for obj in importing.collection.all_objects if obj.get(layout.CLASS) == layout.AMBIENT_LIGHT]
    if len(lights) <= MANY:
        return
    layer = stage.view_layer_of(context)
    for obj in lights:
        if obj.visible_get(view_layer=layer):
            obj.hide_set(True, view_layer=layer)
    importing.report.note(
        f"{number_of(len(lights), 'ambient lights are')} hidden in 3D views, whose spheres would hide the level: "
        "Level Objects, in the header, shows them"
    )


def kind_shown(obj: bpy.types.Object, _home: bpy.types.Collection) -> str:
    """Say which of `scene.view.kinds.KINDS` an object is."""
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
        return AMBIENT
    return "Spawns" if any(part in name for part in SPAWNS) else "Entities"
