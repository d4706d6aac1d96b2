# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking into rooms from outside: faces seen from their front only, as one-sided games draw them, or from both sides.

Solid views have a switch of their own for it; what EEVEE draws, Material Preview too, has one on each material. That
one is for show: no export reads it.
"""

from __future__ import annotations

import bpy

from ..media import materials

KEPT = "levelwright_one_sided"
"""On materials that were one-sided before both of their sides were shown."""


def is_open(level: bpy.types.Collection) -> bool:
    """Whether rooms of a level can be looked into: some of its materials are seen from one side only."""
    return any(material.use_backface_culling for material in materials.of_level(level))


def show(level: bpy.types.Collection, on: bool) -> None:
    """Let a level's materials be seen from their front only, or from both sides.

    Those that the game draws from both sides stay as they are, and come back so; of a level that has none that is
    one-sided, because an older version imported it, all become so but those that are blended.
    """
    found = materials.of_level(level)
    if not on:
        for material in found:
            if material.use_backface_culling:
                material[KEPT], material.use_backface_culling = True, False
        return
    kept = [material for material in found if material.get(KEPT)]
    for material in kept or found:
        if material.pop(KEPT, None) or material.surface_render_method == "DITHERED":
            material.use_backface_culling = True
