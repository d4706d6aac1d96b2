# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of a level are, for switching them on and off in views: see `scene.view.kinds`."""

from __future__ import annotations

import bpy

from ...formats.genesis.entities import CLASSNAME
from ..scene.kept.identity import kind_of
from . import layout

_OF_STAMPS = {
    layout.SURFACES: "World",
    layout.BRUSHES: "Brushes",
    layout.MODEL: "Models",
    layout.MOTION: "Models",
}
_SPAWN = "start"
"""In the names of classes whose entities are where players begin."""


def kind_shown(obj: bpy.types.Object, _home: bpy.types.Collection) -> str:
    """Say which of `scene.view.kinds.KINDS` an object is."""
    stamped = kind_of(obj) or ""
    if stamped == layout.BRUSH:
        return _kind_of_brush(obj)
    if stamped == layout.PREVIEW:  # of lights their glow
        return "Lights" if obj.parent is not None and obj.parent.type == "LIGHT" else "Previews"
    if stamped == layout.ENTITY and obj.type != "LIGHT":
        name = obj.get(CLASSNAME)
        return "Spawns" if isinstance(name, str) and _SPAWN in name.lower() else "Entities"
    return _OF_STAMPS.get(stamped, "")


def _kind_of_brush(obj: bpy.types.Object) -> str:
    """By its flags, as the properties have them."""
    if any(obj.get(name) for name in ("cut", "hollow_cut")):
        return "Cuts"
    is_tool = obj.get("clip") or obj.get("hint") or (obj.get("area") and not obj.get("solid"))
    return "Tools" if is_tool else "Brushes"
