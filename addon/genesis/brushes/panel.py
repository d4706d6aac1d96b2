# SPDX-License-Identifier: GPL-3.0-or-later
"""The contents of a brush in the sidebar, by the names that the game's headers give them."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...scene.fields import declared
from ...scene.interface.sidebar import layout_of
from ...scene.registering import added_property, in_turn
from . import contents


def draw_contents(panel: bpy.types.Panel, obj: bpy.types.Object, level: bpy.types.Collection) -> None:
    """Draw a button for each bit of a brush's contents into a panel."""
    layout = layout_of(panel)
    layout.label(text="Contents")
    grid = layout.grid_flow(columns=2, even_columns=True, align=True)
    for bit, name in enumerate(contents.names_of(level)):
        grid.prop(obj, contents.NAMES, index=bit, text=name, toggle=1)


def _contents(obj: bpy.types.Object) -> list[bool]:
    """The bits of a brush's property `contents`."""
    value = obj.get("contents")
    number = value if isinstance(value, int) else 0
    return [bool(number >> bit & 1) for bit in range(contents.BITS)]


def _set_contents(obj: bpy.types.Object, bits: Sequence[bool]) -> None:
    obj["contents"] = sum(1 << number for number, bit in enumerate(bits) if bit)


register, unregister = in_turn(
    added_property(
        bpy.types.Object,
        contents.NAMES,
        declared.flags(
            name="Contents",
            description="The game's own kinds of brushes, as its headers name them (GE_BrushContents): the bits of the "
            "property contents",
            size=contents.BITS,
            get=_contents,
            set=_set_contents,
            options=set(),
        ),
    )
)
"""Gives objects the bits of their contents as a property."""
