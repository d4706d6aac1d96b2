# SPDX-License-Identifier: GPL-3.0-or-later
"""The level's ordered lists: ground themes, atmospheres and sounds, kept on its collection.

    names = lists.get(collection)
    names.themes[7]         # "GROUND_GRASS": the name of slot 7
    names.sounds[3 - 1]     # the name of sound 3; sound 0 is none

They are Blender's own properties (not plain custom ones) so that lists can show and rename them; they are saved,
appended, linked and copied with the collection all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import bpy

from ....formats.fable.records import MAX_SOUNDS, PALETTE_SLOTS
from ...scene.blender_types import expect
from ...scene.fields import declared
from ...scene.level import first_of
from ...scene.names import showable
from ...scene.registering import added_property, in_turn
from .. import layout

UNKNOWN = -1.0
"""Depth of water over a theme of which no definition was found."""
KEY = "levelwright_fable"
"""The property of collections that holds the lists."""

List = Literal["themes", "atmospheres", "sounds"]
LISTS: dict[str, tuple[str, str]] = {
    "themes": ("Themes", "active_theme"),
    "atmospheres": ("Atmospheres", "active_atmosphere"),
    "sounds": ("Sounds", "active_sound"),
}
"""List -> title, and the property that says which of its names is chosen."""


@dataclass
class Palettes:
    """The names of a level."""

    themes: list[str] = field(default_factory=lambda: [""] * PALETTE_SLOTS)
    """256, by slot: "" for one that is not used or has no name."""
    atmospheres: list[str] = field(default_factory=lambda: [""] * PALETTE_SLOTS)
    """256, likewise."""
    sounds: list[str] = field(default_factory=list)
    """The name of sound n is sounds[n - 1]."""
    used_themes: set[int] = field(default_factory=set)
    """The slots of `themes` that are in use: a slot may have a value and no name."""
    used_atmospheres: set[int] = field(default_factory=set)
    """Those of `atmospheres`, likewise."""

    def layers(self) -> list[str]:
        """The name of each slot's weight layer, "" for none."""
        return layout.layer_names(self.themes, [slot in self.used_themes for slot in range(PALETTE_SLOTS)])


def put(collection: bpy.types.Collection, names: Palettes) -> None:
    """Put lists on a level's collection, instead of those that it has; `name_layers` makes the layers of its themes."""
    lists = of(collection)
    pictures, deep = {item.name: item.picture for item in lists.themes}, depths(collection)
    _fill(lists.themes, ((slot, names.themes[slot]) for slot in sorted(names.used_themes)))
    put_shown(collection, pictures, deep)
    _fill(lists.atmospheres, ((slot, names.atmospheres[slot]) for slot in sorted(names.used_atmospheres)))
    _fill(lists.sounds, enumerate(names.sounds, 1))


def put_shown(collection: bpy.types.Collection, pictures: Mapping[str, str], deep: Mapping[str, float]) -> None:
    """Note what themes are shown as, by their names: see `FableName`."""
    for item in of(collection).themes:
        item.picture = pictures.get(item.name, "")
        item.depth = deep.get(item.name, UNKNOWN)


def active_theme(collection: bpy.types.Collection) -> FableName | None:
    """The theme that is chosen in the list."""
    held = of(collection)
    return held.themes[held.active_theme] if held.active_theme < len(held.themes) else None


def depths(collection: bpy.types.Collection) -> dict[str, float]:
    """How deep water is over themes, by their names, as far as the game's definitions said so."""
    return {item.name: item.depth for item in of(collection).themes if item.depth >= 0}


def get(collection: bpy.types.Collection) -> Palettes:
    """The lists of a level's collection."""
    lists = of(collection)
    names = Palettes()
    for item in lists.themes:
        names.themes[item.slot] = item.name
        names.used_themes.add(item.slot)
    for item in lists.atmospheres:
        names.atmospheres[item.slot] = item.name
        names.used_atmospheres.add(item.slot)
    names.sounds = [item.name for item in lists.sounds]
    return names


def of(collection: bpy.types.Collection) -> FableLists:
    """The lists as Blender has them, for the panel."""
    found: FableLists = getattr(collection, KEY)
    return found


def _fill(items: declared.Groups[FableName], names: Iterable[tuple[int, str]]) -> None:
    items.clear()
    for slot, name in names:
        item = items.add()
        item.slot, item.name = slot, name


def name_layers(collection: bpy.types.Collection) -> None:
    """Give the terrain's weight layers the names that the list of themes has now, and make those that are missing."""
    terrain = first_of(collection, layout.TERRAIN)
    items = of(collection).themes
    layers = get(collection).layers()
    if terrain is None:
        return
    groups = terrain.vertex_groups
    held = {item.slot: groups[item.layer] for item in items if item.layer and item.layer in groups}
    changed = [item for item in items if layers[item.slot] != item.layer or item.slot not in held]
    for item in changed:  # first out of each other's way: Blender would number names that are taken
        if item.slot in held:
            held[item.slot].name = f"levelwright {int(item.slot)}"
    for item in changed:
        item.layer = layers[item.slot]
        if item.slot in held:
            held[item.slot].name = showable(item.layer)
        elif item.layer and groups.get(item.layer) is None:
            groups.new(name=showable(item.layer))


def _renamed(item: FableName, _context: bpy.types.Context) -> None:
    """A theme that is renamed in the list takes its weight layer along."""
    if item.layer:
        name_layers(expect(bpy.types.Collection, item.id_data))


def _chosen(lists: FableLists, _context: bpy.types.Context) -> None:
    """The theme that is chosen in the list is the one that weight painting paints."""
    terrain = first_of(expect(bpy.types.Collection, lists.id_data), layout.TERRAIN)
    if terrain is not None and lists.active_theme < len(lists.themes):
        group: bpy.types.VertexGroup | None = terrain.vertex_groups.get(lists.themes[lists.active_theme].layer)
        if group is not None:
            terrain.vertex_groups.active_index = group.index


class FableName(declared.Declared, bpy.types.PropertyGroup):
    """A name in one of the lists, which slot (or sound) it is, and a theme's weight layer on the terrain."""

    slot: int = declared.integer(min=0, max=PALETTE_SLOTS - 1)
    name: str = declared.string(name="Name", update=_renamed)
    layer: str = declared.string()
    picture: str = declared.string()
    """Of a theme: the texture of the game's that was chosen for it, for show only."""
    depth: float = declared.number(default=UNKNOWN)
    """Of a theme: units of water over it, by the game's definitions, for show only."""


class FableLists(declared.Declared, bpy.types.PropertyGroup):
    """The lists of a level, and which of their names are chosen in the sidebar."""

    themes: declared.Groups[FableName] = declared.collection(FableName)
    atmospheres: declared.Groups[FableName] = declared.collection(FableName)
    sounds: declared.Groups[FableName] = declared.collection(FableName)
    active_theme: int = declared.integer(min=0, max=PALETTE_SLOTS, update=_chosen)
    active_atmosphere: int = declared.integer(min=0, max=PALETTE_SLOTS)
    active_sound: int = declared.integer(min=0, max=MAX_SOUNDS)


CLASSES = (FableName, FableLists)
register, unregister = in_turn(*CLASSES, added_property(bpy.types.Collection, KEY, declared.pointer(FableLists)))
