"""The level's ordered lists: ground themes, atmospheres and sounds, kept on its collection.

    names = palettes.read(collection)
    names.themes[7]         # "GROUND_GRASS": the name of slot 7
    names.sounds[3 - 1]     # the name of sound 3; sound 0 is none

They are Blender's own properties (not plain custom ones) so that lists can show and rename them; they are saved,
appended, linked and copied with the collection all the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import bpy

from ...formats.fable import palette_names
from ...formats.fable.level import Level
from ...formats.fable.records import MAX_SOUNDS, PALETTE_SLOTS, Records
from . import layout

KEY = "levelwright_fable"
"""The property of collections that holds the lists."""

List = Literal["themes", "atmospheres", "sounds"]


@dataclass
class Palettes:
    """The names of a level. themes, atmospheres: 256 each, by slot, "" for one that is not used or has no name. sounds:
    that of sound n is sounds[n - 1]. used_themes, used_atmospheres: the slots that are in use (a slot may have a value
    and no name).
    """

    themes: list[str] = field(default_factory=lambda: [""] * PALETTE_SLOTS)
    atmospheres: list[str] = field(default_factory=lambda: [""] * PALETTE_SLOTS)
    sounds: list[str] = field(default_factory=list)
    used_themes: set[int] = field(default_factory=set)
    used_atmospheres: set[int] = field(default_factory=set)

    def layers(self) -> list[str]:
        """The name of each slot's weight layer, "" for none."""
        return layout.layer_names(self.themes, [slot in self.used_themes for slot in range(PALETTE_SLOTS)])


def of_level(level: Level) -> Palettes:
    """The names that a level has."""
    return Palettes(
        palette_names(level.ground_palette),
        palette_names(level.atmosphere_palette),
        list(level.sounds),
        _used(level.ground_palette),
        _used(level.atmosphere_palette),
    )


def _used(palette: Records) -> set[int]:
    return {
        slot for slot, name in enumerate(palette_names(palette)) if slot and (name or int(palette["value"][slot]) != 0)
    }


def write(collection: bpy.types.Collection, names: Palettes) -> None:
    """Put lists on a level's collection, instead of those that it has."""
    lists = _lists(collection)
    _fill(lists.themes, ((slot, names.themes[slot]) for slot in sorted(names.used_themes)))
    _fill(lists.atmospheres, ((slot, names.atmospheres[slot]) for slot in sorted(names.used_atmospheres)))
    _fill(lists.sounds, enumerate(names.sounds, 1))


def read(collection: bpy.types.Collection) -> Palettes:
    """The lists of a level's collection."""
    lists = _lists(collection)
    names = Palettes()
    for item in lists.themes:
        names.themes[item.slot] = item.name
        names.used_themes.add(item.slot)
    for item in lists.atmospheres:
        names.atmospheres[item.slot] = item.name
        names.used_atmospheres.add(item.slot)
    names.sounds = [item.name for item in lists.sounds]
    return names


def _lists(collection: bpy.types.Collection) -> Any:
    return getattr(collection, KEY)


def _fill(items: Any, names: Iterable[tuple[int, str]]) -> None:
    items.clear()
    for slot, name in names:
        item = items.add()
        item.slot, item.name = slot, name


class FableName(bpy.types.PropertyGroup):
    """A name in one of the lists, and which slot (or sound) it is."""

    slot: bpy.props.IntProperty(min=0, max=PALETTE_SLOTS - 1)
    name: bpy.props.StringProperty(name="Name")


class FableLists(bpy.types.PropertyGroup):
    """The lists of a level, and which of their names are chosen in the sidebar."""

    themes: bpy.props.CollectionProperty(type=FableName)
    atmospheres: bpy.props.CollectionProperty(type=FableName)
    sounds: bpy.props.CollectionProperty(type=FableName)
    active_theme: bpy.props.IntProperty(min=0, max=PALETTE_SLOTS)
    active_atmosphere: bpy.props.IntProperty(min=0, max=PALETTE_SLOTS)
    active_sound: bpy.props.IntProperty(min=0, max=MAX_SOUNDS)


CLASSES = (FableName, FableLists)


def register() -> None:
    """Give collections their lists."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    setattr(bpy.types.Collection, KEY, bpy.props.PointerProperty(type=FableLists))


def unregister() -> None:
    """Undo `register`."""
    delattr(bpy.types.Collection, KEY)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
