# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of collections that hold a level's lists of layers and groups, and what editing them does."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ....formats.ns2.names import GROUPS, LAYERS
from ...scene.blender_types import expect
from ...scene.fields import declared
from ...scene.fields.declared import Declared
from ...scene.registering import added_property, in_turn
from . import lists, visibility


def _is_layer(item: Ns2Entry) -> bool:
    return str(item.path_from_id()).startswith(f"{lists.KEY}.layers[")


def _renamed(item: Ns2Entry, _context: bpy.types.Context) -> None:
    """An entry that is renamed takes its collection along."""
    level = expect(bpy.types.Collection, item.id_data)
    home = lists.homes(level, "layers" if _is_layer(item) else "groups").get(lists.unsigned(item.number))
    if home is not None:
        lists.name_home(home, item.name)


def _shown(item: Ns2Entry, _context: bpy.types.Context) -> None:
    visibility.show(expect(bpy.types.Collection, item.id_data))


def _names(item: Ns2Entry, _context: bpy.types.Context, text: str) -> list[tuple[str, str]]:
    """The names that mean something to the game, with what they mean."""
    table = LAYERS if _is_layer(item) else GROUPS
    return [(name, tooltip) for name, tooltip in table.items() if text.casefold() in name.casefold()]


class Ns2Entry(Declared, bpy.types.PropertyGroup):
    """A layer or a group. number: its id, an int32 bit pattern. record: its place in the original's list, -1: new."""

    number: int = declared.integer()
    record: int = declared.integer(default=-1)
    name: str = declared.string(
        name="Name",
        description="Some names mean something to the game, if they are spelled to the letter",
        update=_renamed,
        search=_names,
        search_options={"SUGGESTION"},
    )
    visible: bool = declared.boolean(
        name="Visible", description="Shown in the editor, and here", default=True, update=_shown
    )
    color: Sequence[float] = declared.vector(
        name="Color",
        description="Colour in the editor, and of objects here; transparent: none",
        update=_shown,
        size=4,
        min=0.0,
        max=1.0,
        default=(1.0, 1.0, 1.0, 0.0),
        subtype="COLOR_GAMMA",
    )
    pathing: bool = declared.boolean(name="Pathing", description="The navigation mesh is made from this layer")
    solo: bool = declared.boolean(
        name="Solo", description="Show only what is in this one, and in others with this mark; only here", update=_shown
    )


class Ns2Lists(Declared, bpy.types.PropertyGroup):
    """The lists of a level, in the editor's order."""

    layers: declared.Groups[Ns2Entry] = declared.collection(Ns2Entry)
    groups: declared.Groups[Ns2Entry] = declared.collection(Ns2Entry)
    active_layer: int = declared.integer(min=0)
    active_group: int = declared.integer(min=0)
    hide_undrawn: bool = declared.boolean(
        name="Hide what the game doesn't draw",
        description="What is in groups named CollisionGeometry, OcclusionGeometry, ... can't be seen in the game",
        update=_shown,
    )
    show_all: bool = declared.boolean(
        name="Show All Layers",
        description="Show also what is in layers and groups that are switched off; their switches stay as they are",
        update=_shown,
    )
    commander: bool = declared.boolean(
        name="As Commanders See It", description="Hide what commanders don't see in the game", update=_shown
    )
    overview: bool = declared.boolean(update=_shown)
    others_hidden: bool = declared.boolean()


CLASSES = (Ns2Entry, Ns2Lists)
register, unregister = in_turn(*CLASSES, added_property(bpy.types.Collection, lists.KEY, declared.pointer(Ns2Lists)))
