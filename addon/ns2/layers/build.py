# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of layers and groups on a level's collection, and the collections of what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ....formats import ns2
from ...scene.kept import identity, originals
from ...scene.names import showable, storable
from ...scene.reports import SceneError
from .. import layout
from ..context import ImportContext
from .lists import HOMES, NAMED, NO_COLOR, STAMPS, Kind, entries, lists_of, signed, unsigned

if TYPE_CHECKING:
    from .properties import Ns2Entry


def build_lists(collection: bpy.types.Collection, level: ns2.Level, hide_undrawn: bool, show_all: bool) -> None:
    """Put a level's lists on its collection, before anything but the root is in it.

    hide_undrawn: what the game doesn't draw is hidden. show_all: what is in layers that are switched off isn't.
    """
    lists_of(collection).hide_undrawn = hide_undrawn
    if show_all:
        lists_of(collection).show_all = True
    settings = level.pathing
    counted = set(ns2.layers_of(settings.layers)) if settings is not None else set()
    parts: tuple[tuple[Kind, Sequence[ns2.Layer | ns2.Group]], ...] = (
        ("layers", level.layers),
        ("groups", level.groups),
    )
    for kind, listed in parts:
        items = entries(collection, kind)
        items.clear()
        for record, each in enumerate(listed):
            item = items.add()
            item.number, item.record = signed(each.id), record
            item.name = showable(each.name)
            # To set these shows everything anew: only where they are something else than at first.
            if not each.visible:
                item.visible = False
            if each.color != NO_COLOR:
                item.color = [part / 255 for part in each.color]
            item.pathing = kind == "layers" and each.id in counted


def build_homes(importing: ImportContext) -> None:
    """Make the collections of a level's objects: of those in no layer and no group, and of each layer and group."""
    importing.collection_of("Entities", layout.ENTITIES)
    listed: dict[Kind, Sequence[ns2.Layer | ns2.Group]] = {
        "layers": importing.level.layers,
        "groups": importing.level.groups,
    }
    for kind, entries_ in listed.items():
        names: dict[int, str] = {}
        for each in entries_:
            names.setdefault(each.id, each.name)  # of several with one id the first
        for number, name in names.items():
            make_home(importing.collection, kind, number, name)
        importing.report.count(kind, len(entries_))


def add_entry(collection: bpy.types.Collection, kind: Kind, name: str) -> Ns2Entry:
    """Add a layer or group, with a collection, and return its entry. Raises SceneError where no id is left."""
    items = entries(collection, kind)
    taken = {unsigned(item.number) for item in items}
    # Layers are bits of masks: groups begin with 1, for 0 is no group.
    free = [number for number in (range(256) if kind == "layers" else range(1, len(taken) + 2)) if number not in taken]
    if not free:
        raise SceneError("a level has 256 layers at most")
    item = items.add()
    item.number = free[0]
    make_home(collection, kind, free[0], name)
    item.name = showable(name)
    return item


def make_home(collection: bpy.types.Collection, kind: Kind, number: int, name: str) -> bpy.types.Collection:
    """Make the collection of a layer or group, in that of all of them."""
    info = originals.describe(collection)
    token = info.token if info is not None else identity.Token(0)
    title, stamp = HOMES[kind]
    parent = next((child for child in collection.children if identity.kind_of(child) == stamp), None)
    if parent is None:
        parent = bpy.data.collections.new(showable(title))
        identity.stamp(parent, token, stamp, 0)
        collection.children.link(parent)
    made = bpy.data.collections.new(showable(name))
    made[NAMED] = storable(made.name)
    identity.stamp(made, token, STAMPS[kind], signed(number))
    parent.children.link(made)
    return made
