# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of objects that a level has, counted, and switched on and off in the 3D views.

A kind is off when its objects are hidden in the view layer, as by H or by the eye of a collection: Blender saves that
and undoes it, renders and exports take no notice of it, and it is none of the switches that levels have a meaning for
(Disable in Viewports, which a `.3dt` and the layers of NS2 have). Nothing else remembers what is off.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import bpy

from ..blender_types import Icon
from ..kept import identity
from ..work import once
from . import stage

OTHER = "Other"
KINDS: dict[str, Icon] = {
    "World": "MESH_GRID",
    "Terrain": "MESH_GRID",
    "Displacements": "MOD_DISPLACE",
    "Tiles": "TEXTURE",
    "Quads": "MESH_PLANE",
    "Physics": "PHYSICS",
    "Brushes": "MESH_CUBE",
    "Cuts": "MOD_BOOLEAN",
    "Models": "EMPTY_ARROWS",
    "Brush Entities": "OUTLINER_OB_MESH",
    "Water": "MOD_FLUIDSIM",
    "Sky": "WORLD",
    "Tools": "MOD_WIREFRAME",
    "Triggers": "SHADING_BBOX",
    "Props": "PACKAGE",
    "Detail Props": "PARTICLES",
    "Overlays": "IMAGE_DATA",
    "Entities": "EMPTY_DATA",
    "Things": "EMPTY_DATA",
    "Markers": "EMPTY_AXIS",
    "Creatures": "ARMATURE_DATA",
    "Buildings": "HOME",
    "Spawns": "OUTLINER_OB_ARMATURE",
    "Lights": "LIGHT",
    "Ambient Lights": "LIGHT_HEMI",
    "Compiled Lights": "LIGHT_DATA",
    "Sounds": "SPEAKER",
    "Cameras": "CAMERA_DATA",
    "Probes": "LIGHTPROBE_SPHERE",
    "Navigation": "MOD_EDGESPLIT",
    "Atmosphere": "OUTLINER_OB_VOLUME",
    "Visibility": "OUTLINER_OB_LATTICE",
    "Groups": "OUTLINER_COLLECTION",
    "Clips": "SELECT_SET",
    "Previews": "GHOST_ENABLED",
    OTHER: "OBJECT_DATA",
}
"""What kinds are called in all games, in the order of the list, and their icons."""
_OF_TYPES = {"LIGHT": "Lights", "SPEAKER": "Sounds", "CAMERA": "Cameras", "LIGHT_PROBE": "Probes"}

KindOf = Callable[[bpy.types.Object, bpy.types.Collection], str]
"""Says which of KINDS an object is, in a collection that it is linked to; "" where only its type tells."""


class KindCount(NamedTuple):
    """The objects of a kind in a level."""

    name: str
    """One of KINDS."""
    total: int
    visible: int
    """How many of them the view layer shows."""


def members(level: bpy.types.Collection, kind_of: KindOf) -> dict[bpy.types.Object, str]:
    """Return the kind of each object of a level but its root."""
    found: dict[bpy.types.Object, str] = {}
    for home in (level, *level.children_recursive):
        for obj in home.objects:
            if obj not in found and identity.kind_of(obj) != identity.ROOT:
                found[obj] = kind_of(obj, home) or _OF_TYPES.get(obj.type, OTHER)
    return found


def count(level: bpy.types.Collection, kind_of: KindOf) -> list[KindCount]:
    """Count the objects of each kind that a level has, in the order of KINDS."""
    totals, visible = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for obj, kind in members(level, kind_of).items():
        totals[kind] += 1
        visible[kind] += obj.visible_get()
    return [KindCount(name, totals[name], visible[name]) for name in KINDS if totals[name]]


def shown(context: bpy.types.Context, level: bpy.types.Collection, kind_of: KindOf) -> list[KindCount]:
    """What `count` gives, for what is drawn: counted once until the scene changes."""
    layer, scene = stage.view_layer_of(context), stage.scene_of(context)
    key = "kinds", level.session_uid, scene.session_uid, layer.name
    return once.kept(key, lambda: count(level, kind_of))


def switch(
    context: bpy.types.Context, level: bpy.types.Collection, kind_of: KindOf, wanted: Collection[str], on: bool
) -> None:
    """Show all objects of some kinds of a level, with the collections that they are in, or hide them.

    Objects that are disabled in viewports stay so: that means something to the level.
    """
    layer = stage.view_layer_of(context)
    known = members(level, kind_of)
    ours = [obj for obj, kind in known.items() if kind in wanted]
    if on:
        before = {obj for obj in known if obj.visible_get()}
        _open(layer.layer_collection, level, set(ours))
        for obj, kind in known.items():
            if kind not in wanted and obj not in before and obj.visible_get():
                obj.hide_set(True)
        for obj in ours:
            if obj.hide_get():
                obj.hide_set(False)
        return
    for home in _layers(layer.layer_collection, level):
        objects = home.collection.all_objects
        if home.collection != level and len(objects) and all(known.get(obj) in wanted for obj in objects):
            home.hide_viewport = True  # a thousand objects at once: hiding one takes as long as there are objects
    for obj in ours:
        if obj.visible_get():
            obj.hide_set(True)


def _layers(
    top: bpy.types.LayerCollection, level: bpy.types.Collection, inside: bool = False
) -> Iterator[bpy.types.LayerCollection]:
    """Give what stands in a view layer for a level's collection and those in it."""
    inside = inside or top.collection == level
    if inside:
        yield top
    for child in top.children:
        yield from _layers(child, level, inside)


def _open(top: bpy.types.LayerCollection, level: bpy.types.Collection, wanted: set[bpy.types.Object]) -> None:
    """Let the view layer show the collections of a level that have any of these objects in them."""
    for home in _layers(top, level):
        if not wanted.isdisjoint(home.collection.all_objects):
            for struct, name in ((home, "exclude"), (home, "hide_viewport"), (home.collection, "hide_viewport")):
                if getattr(struct, name):
                    setattr(struct, name, False)
