# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level becomes assets: its things, by their definitions. Themes of the ground are painted, and none."""

from __future__ import annotations

import bpy

from ..scene.assets import AssetRules, text_property
from ..scene.kept.identity import kind_of
from . import layout
from .kinds import DEFINITION

_FORGOTTEN = ("UID", "ScriptName", "InitialPosX", "InitialPosY", "InitialPosZ")
"""What names one thing of one level, and where it begins in the world."""


def _object_key(obj: bpy.types.Object) -> str:
    definition = text_property(obj, DEFINITION)
    if kind_of(obj) != layout.THING or not definition:
        return ""
    return f"{text_property(obj, layout.NEW_THING)}/{definition}"


ASSETS = AssetRules(object_key=_object_key, forgets=lambda _: _FORGOTTEN)
