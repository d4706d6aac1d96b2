# SPDX-License-Identifier: GPL-3.0-or-later
"""The level's lists of layers and groups, as the scene has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import bpy

from ....formats import ns2
from ...scene.kept import identity
from ...scene.names import showable
from .lists import HOMES, NAMED, Kind, entries, homes, unsigned

if TYPE_CHECKING:
    from .properties import Ns2Entry

Listed = TypeVar("Listed", ns2.Layer, ns2.Group)


def collect_lists(collection: bpy.types.Collection, level: ns2.Level) -> bool:
    """Make a level's lists what the scene's are; entries that were not edited stay as they are. Says whether any was.

    What the level has in a layer or group that is gone is in it no more. One whose collection was renamed has the
    collection's name.
    """
    ns2.move_layers(level, dict.fromkeys(_gone(level.layers, entries(collection, "layers"))))
    ns2.drop_groups(level, _gone(level.groups, entries(collection, "groups")))
    layers = _collected(entries(collection, "layers"), level.layers, ns2.Layer, _renamed(collection, "layers"))
    groups = _collected(entries(collection, "groups"), level.groups, ns2.Group, _renamed(collection, "groups"))
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


def _gone(original: Sequence[ns2.Layer | ns2.Group], items: Iterable[Ns2Entry]) -> set[int]:
    """The ids of layers or groups of the original of which the scene's list has no entry any more."""
    return {each.id for each in original} - {unsigned(item.number) for item in items if item.record >= 0}


def number_layers(level: ns2.Level) -> None:
    """Give the layers of a version that has no ids their numbers, and whatever is in them (call it last)."""
    if level.version > 4:
        return
    moves: dict[int, int | None] = {each.id: number for number, each in enumerate(level.layers)}
    if all(old == new for old, new in moves.items()):
        return
    taken = dict.fromkeys(range(len(level.layers)))  # bits of layers that there aren't
    ns2.move_layers(level, {**taken, **moves})
    level.layers = [replace(each, id=number) for number, each in enumerate(level.layers)]


def _collected(
    items: Iterable[Ns2Entry], original: list[Listed], make: type[Listed], renamed: Mapping[int, str]
) -> list[Listed] | None:
    """A list as the scene has it; None if nothing of it was edited. renamed: see `_renamed`."""
    made: list[Listed] = []
    for item in items:
        number = unsigned(item.number)
        red, green, blue, alpha = (round(part * 255) for part in item.color)
        color = red, green, blue, alpha
        before = next((each for each in original[item.record : item.record + 1] if each.id == number), None)
        name = renamed.get(number, item.name)
        if item.record < 0 or before is None:
            made.append(make(name, number, int(item.visible), color))
            continue
        same = name == showable(before.name), item.visible == bool(before.visible), color == before.color
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


def deleted_collections(collection: bpy.types.Collection) -> list[str]:
    """The names of layers and groups that are in the lists, but whose collections are gone."""
    return [
        item.name
        for kind in HOMES
        for item in entries(collection, kind)
        if unsigned(item.number) not in homes(collection, kind)
    ]


def unlisted_collections(collection: bpy.types.Collection) -> list[str]:
    """The names of collections among those of layers or groups that are no such: an artist added them."""
    parents = {stamp for _, stamp in HOMES.values()}
    found = [child for child in collection.children_recursive if identity.kind_of(child) in parents]
    return sorted(child.name for home in found for child in home.children if identity.stamped(child) is None)
