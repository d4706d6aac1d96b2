# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of collections that hold a level's lists of layers and groups, and what editing them does."""

from __future__ import annotations

from typing import Any

import bpy

from ....formats.ns2.names import GROUPS, LAYERS
from ...scene.sidebar import register_classes, unregister_classes
from . import lists, visibility


def _is_layer(item: Any) -> bool:
    return str(item.path_from_id()).startswith(f"{lists.KEY}.layers[")


def _renamed(item: Any, _context: bpy.types.Context) -> None:
    """An entry that is renamed takes its collection along."""
    home = lists.homes(item.id_data, "layers" if _is_layer(item) else "groups").get(lists.unsigned(item.number))
    if home is not None:
        lists.name_home(home, item.name)


def _shown(item: Any, _context: bpy.types.Context) -> None:
    visibility.show(item.id_data)


def _names(item: Any, _context: bpy.types.Context, text: str) -> list[tuple[str, str]]:
    """The names that mean something to the game, with what they mean."""
    table = LAYERS if _is_layer(item) else GROUPS
    return [(name, tooltip) for name, tooltip in table.items() if text.casefold() in name.casefold()]


class Ns2Entry(bpy.types.PropertyGroup):
    """A layer or a group. number: its id, an int32 bit pattern. record: its place in the original's list, -1: new."""

    number: bpy.props.IntProperty()
    record: bpy.props.IntProperty(default=-1)
    name: bpy.props.StringProperty(
        name="Name",
        description="Some names mean something to the game, if they are spelled to the letter",
        update=_renamed,
        search=_names,
        search_options={"SUGGESTION"},
    )
    visible: bpy.props.BoolProperty(
        name="Visible", description="Shown in the editor, and here", default=True, update=_shown
    )
    color: bpy.props.FloatVectorProperty(
        name="Color",
        description="Colour in the editor, and of objects here; transparent: none",
        update=_shown,
        size=4,
        min=0.0,
        max=1.0,
        default=(1.0, 1.0, 1.0, 0.0),
        subtype="COLOR_GAMMA",
    )
    pathing: bpy.props.BoolProperty(name="Pathing", description="The navigation mesh is made from this layer")


class Ns2Lists(bpy.types.PropertyGroup):
    """The lists of a level, in the editor's order."""

    layers: bpy.props.CollectionProperty(type=Ns2Entry)
    groups: bpy.props.CollectionProperty(type=Ns2Entry)
    active_layer: bpy.props.IntProperty(min=0)
    active_group: bpy.props.IntProperty(min=0)
    hide_undrawn: bpy.props.BoolProperty(
        name="Hide what the game doesn't draw",
        description="What is in groups named CollisionGeometry, OcclusionGeometry, ... can't be seen in the game",
        update=_shown,
    )


CLASSES = (Ns2Entry, Ns2Lists)


def register() -> None:
    """Give collections their lists."""
    register_classes(CLASSES)
    setattr(bpy.types.Collection, lists.KEY, bpy.props.PointerProperty(type=Ns2Lists))


def unregister() -> None:
    """Undo `register`."""
    delattr(bpy.types.Collection, lists.KEY)
    unregister_classes(CLASSES)
