# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of a map are, for switching them on and off in views: see `scene.view.kinds`."""

from __future__ import annotations

import bpy

from ...formats.source.entities.text import CLASSNAME
from ..scene.kept.identity import kind_of, unnumbered
from . import layout
from .entities import classes
from .sky import box

_OF_STAMPS = {
    layout.DISPLACEMENT: "Displacements",
    layout.DISPLACEMENTS: "Displacements",
    layout.BRUSHES: "Brushes",
    layout.STATIC_PROP: "Props",
    layout.DETAIL_PROP: "Detail Props",
    layout.DETAIL_SPRITES: "Detail Props",
    layout.OVERLAY: "Overlays",
    layout.WATER_OVERLAY: "Overlays",
    layout.CUBEMAP: "Probes",
    layout.WORLDLIGHT: "Compiled Lights",
    layout.AREAPORTALS: "Visibility",
    layout.OCCLUDERS: "Visibility",
    layout.CLUSTERS: "Visibility",
}
_OF_HOMES = {
    layout.WORLD: "World",
    layout.TOOLS: "Tools",
    layout.NODRAW: "Tools",
    layout.SKY: "Sky",
    layout.WATER: "Water",
    layout.BRUSH_ENTITIES: "Brush Entities",
    layout.TRIGGERS: "Triggers",
    box.HOME: "Sky",
}
"""By the collection's name: which object a face of the world is in means nothing else."""
_OF_CLASSES = {
    "Lights": "Lights",
    "Cameras": "Cameras",
    "Sounds": "Sounds",
    "Spawns": "Spawns",
    "Props": "Props",
    "Decals": "Overlays",
}
"""By the group of an entity's class; the others are entities."""


def kind_shown(obj: bpy.types.Object, home: bpy.types.Collection) -> str:
    """Say which of `scene.view.kinds.KINDS` an object is."""
    stamped = kind_of(obj)
    kind = _OF_STAMPS.get(stamped or "") or _OF_HOMES.get(unnumbered(home.name))
    if kind is not None:
        return kind
    classname = obj.get(CLASSNAME)
    if isinstance(classname, str):
        return _OF_CLASSES.get(classes.group_of(classname).name, "Entities")
    return "Previews" if stamped == layout.PREVIEW else "World" if stamped == layout.MODEL else ""
