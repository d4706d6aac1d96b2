# SPDX-License-Identifier: GPL-3.0-or-later
"""The level's ordered lists of layers and groups, kept on its collection, and the collections of what is in them.

They are Blender's own properties (not plain custom ones) so that lists can show and rename them; they are saved,
appended, linked and copied with the collection all the same. Entries are known by their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

import bpy

from ....formats import ns2
from ...scene import identity, originals
from ...scene.reports import SceneError
from .. import layout

KEY = "levelwright_ns2"
"""The property of collections that holds the lists."""

Kind = Literal["layers", "groups"]
STAMPS: dict[Kind, str] = {"layers": layout.LAYER, "groups": layout.GROUP}
"""List -> stamp of its entries' collections; their record is the id."""
HOMES: dict[Kind, tuple[str, str]] = {
    "layers": ("Layers", layout.LAYER_HOMES),
    "groups": ("Groups", layout.GROUP_HOMES),
}
"""List -> name and stamp of the collection that those are in."""

NAMED = "levelwright_name"
"""On those collections: the name that they got, so that one that was renamed is known."""
NO_COLOR = (255, 255, 255, 0)
"""Of layers and groups, at first."""
UNDRAWN = frozenset({"CollisionGeometry", "MovementCollisionGeometry", "InvisibleGeometry", "OcclusionGeometry"})
"""Names of groups whose faces the game doesn't draw (ns2.md §10)."""

Memberships = dict[bpy.types.Object, tuple[int, list[int]]]
"""Of objects in layers and groups: the mask of the layers, and the ids of the groups."""
Listed = TypeVar("Listed", ns2.Layer, ns2.Group)


def lists_of(collection: bpy.types.Collection) -> Any:
    """The lists as Blender has them: an Ns2Lists."""
    return getattr(collection, KEY)


def entries(collection: bpy.types.Collection, kind: Kind) -> Any:
    """A list as Blender has it: Ns2Entry items."""
    return getattr(lists_of(collection), kind)


def write(collection: bpy.types.Collection, level: ns2.Level) -> None:
    """Put a level's lists on its collection, before anything is in it."""
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
            item.name = layout.readable(each.name)
            # To set these shows everything anew: only where they are something else than at first.
            if not each.visible:
                item.visible = False
            if each.color != NO_COLOR:
                item.color = [part / 255 for part in each.color]
            item.pathing = kind == "layers" and each.id in counted


def lay(collection: bpy.types.Collection, level: ns2.Level) -> bool:
    """Make a level's lists what the scene's are; entries that were not edited stay as they are. Says whether any was.

    What the level has in a layer or group that is gone is in it no more. One whose collection was renamed has the
    collection's name.
    """
    ns2.move_layers(level, dict.fromkeys(_gone(level.layers, entries(collection, "layers"))))
    ns2.drop_groups(level, _gone(level.groups, entries(collection, "groups")))
    layers = _laid(entries(collection, "layers"), level.layers, ns2.Layer, _renamed(collection, "layers"))
    groups = _laid(entries(collection, "groups"), level.groups, ns2.Group, _renamed(collection, "groups"))
    changed = False
    if layers is not None:
        level.layers, changed = layers, True
    if groups is not None:
        level.groups, changed = groups, True
    settings = level.pathing
    if settings is not None:
        listed = {unsigned(item.number): item.pathing for item in entries(collection, "layers")}
        mask = settings.layers
        for number, counted in listed.items():
            if number < 256:
                mask = mask | 1 << number if counted else mask & ~(1 << number)
        if mask != settings.layers:
            settings.layers, changed = mask, True
            level.editor_settings = level.editor_settings
    return changed


def _gone(original: Sequence[ns2.Layer | ns2.Group], items: Iterable[Any]) -> set[int]:
    """The ids of layers or groups of the original of which the scene's list has no entry any more."""
    return {each.id for each in original} - {unsigned(item.number) for item in items if item.record >= 0}


def number(level: ns2.Level) -> None:
    """Give the layers of a version that has no ids their numbers, and whatever is in them (call it last)."""
    if level.version > 4:
        return
    moves: dict[int, int | None] = {each.id: number for number, each in enumerate(level.layers)}
    if all(old == new for old, new in moves.items()):
        return
    taken = dict.fromkeys(range(len(level.layers)))  # bits of layers that there aren't
    ns2.move_layers(level, {**taken, **moves})
    level.layers = [replace(each, id=number) for number, each in enumerate(level.layers)]


def _laid(
    items: Iterable[Any], original: list[Listed], make: type[Listed], renamed: Mapping[int, str]
) -> list[Listed] | None:
    """A list as the scene has it; None if nothing of it was edited. renamed: see `_renamed`."""
    made: list[Listed] = []
    for item in items:
        number, color = unsigned(item.number), tuple(round(part * 255) for part in item.color)
        before = next((each for each in original[item.record : item.record + 1] if each.id == number), None)
        name = renamed.get(number, item.name)
        if item.record < 0 or before is None:
            made.append(make(name, number, int(item.visible), (color[0], color[1], color[2], color[3])))
            continue
        same = name == layout.readable(before.name), item.visible == bool(before.visible), color == before.color
        made.append(
            before
            if all(same)
            else replace(
                before,
                name=before.name if same[0] else name,
                visible=before.visible if same[1] else int(item.visible),
                color=before.color if same[2] else color,
            )
        )
    unchanged = len(made) == len(original) and all(a is b for a, b in zip(made, original, strict=True))
    return None if unchanged else made


def _renamed(collection: bpy.types.Collection, kind: Kind) -> dict[int, str]:
    """The names of the collections of layers or groups that got another one, but for a number that Blender adds."""
    return {
        number: home.name
        for number, home in homes(collection, kind).items()
        if isinstance(was := home.get(NAMED), str) and identity.unnumbered(home.name) != identity.unnumbered(was)
    }


def name_home(home: bpy.types.Collection, name: str) -> None:
    """Call the collection of a layer or group as that."""
    home.name = layout.readable(name)
    home[NAMED] = home.name


def signed(number: int) -> int:
    """An id as an int32 bit pattern, as Blender's properties hold it."""
    return number - (number >> 31 << 32)


def unsigned(number: int) -> int:
    """The inverse of `signed`."""
    return number & 0xFFFFFFFF


def homes(collection: bpy.types.Collection, kind: Kind) -> dict[int, bpy.types.Collection]:
    """The collections of a level's layers or groups, by their ids."""
    found: dict[int, bpy.types.Collection] = {}
    for child in _below(collection):
        mark = identity.stamped(child)
        if mark is not None and mark.kind == STAMPS[kind]:
            found.setdefault(unsigned(mark.record), child)
    return found


def unlisted(collection: bpy.types.Collection) -> list[str]:
    """The names of collections among those of layers or groups that are no such: an artist added them."""
    parents = {stamp for _, stamp in HOMES.values()}
    found = [child for child in _below(collection) if (mark := identity.stamped(child)) and mark.kind in parents]
    return sorted(child.name for home in found for child in home.children if identity.stamped(child) is None)


def _below(collection: bpy.types.Collection) -> Iterator[bpy.types.Collection]:
    for child in collection.children:
        yield child
        yield from _below(child)


def memberships(collection: bpy.types.Collection) -> Memberships:
    """Of each object in collections of layers and groups: in which (more than one group are too many for a level)."""
    found: Memberships = {}
    for number, home in homes(collection, "layers").items():
        for obj in home.all_objects if number < 256 else ():
            mask, groups = found.get(obj, (0, []))
            found[obj] = (mask | 1 << number, groups)
    for number, home in homes(collection, "groups").items():
        for obj in home.all_objects:
            mask, groups = found.get(obj, (0, []))
            found[obj] = (mask, [*groups, number])
    return found


def add(collection: bpy.types.Collection, kind: Kind, name: str) -> Any:
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
    item.name = name
    return item


def make_home(collection: bpy.types.Collection, kind: Kind, number: int, name: str) -> bpy.types.Collection:
    """Make the collection of a layer or group, in that of all of them."""
    info = originals.describe(collection)
    token = info.token if info is not None else identity.Token(0)
    title, stamp = HOMES[kind]
    parent = next(
        (child for child in collection.children if (mark := identity.stamped(child)) and mark.kind == stamp), None
    )
    if parent is None:
        parent = bpy.data.collections.new(title)
        identity.stamp(parent, token, stamp, 0)
        collection.children.link(parent)
    made = bpy.data.collections.new(layout.readable(name))
    made[NAMED] = made.name
    identity.stamp(made, token, STAMPS[kind], signed(number))
    parent.children.link(made)
    return made
