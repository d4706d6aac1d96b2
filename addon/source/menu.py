# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's menu: all of its operators."""

from collections.abc import Iterator

import bpy

from ..scene.interface.menus import MenuEntry, MenuSection, Values, entries, textures
from ..scene.interface.sidebar import active_level
from ..scene.reports import SceneError
from . import layout
from .entities.operators import entity_of
from .entities.outputs import outputs_of
from .pak import files


def _outputs(context: bpy.types.Context) -> Iterator[tuple[str, Values]]:
    """The outputs of the active entity."""
    obj = entity_of(context)
    for place, output in outputs_of(obj) if obj is not None else ():
        yield f"{output.name}: {output.target} {output.input}", {"key": output.name, "place": place}


def _pak(context: bpy.types.Context) -> Iterator[tuple[str, Values]]:
    """The files that the list of changed ones has."""
    level = active_level(context, layout.FORMAT)
    try:
        found = files.entries(level) if level is not None else ()
    except SceneError:
        return
    for entry in found:
        yield entry.name, {"path": entry.name}


MENU = (
    MenuSection("Map", "a-new-map", entries("new_level")),
    MenuSection(
        "Add",
        "what-can-be-edited",
        entries("add_entity", "add_brush_entity", "add_static_prop", "add_overlay", "add_brush"),
    ),
    MenuSection(
        "Brushes", "editing-the-world", entries("cut_brushes", "split_brushes", "make_brush_entity", "make_world_brush")
    ),
    MenuSection(
        "Outputs",
        "what-can-be-edited",
        entries(
            MenuEntry("edit_output", "Add Output", {"key": "OnTrigger", "place": -1}),
            MenuEntry("edit_output", "Change Output", rows=_outputs),
            MenuEntry("remove_output", rows=_outputs),
        ),
    ),
    MenuSection("Leaks", "leaks", entries("find_leaks", "remove_leak", "write_leak", "select_hidden", "mark_hidden")),
    MenuSection("Textures", "editing-the-world", textures("texture")),
    MenuSection("Visibility", "what-becomes-what", entries("show_seen", "show_all")),
    MenuSection("Light", "what-can-be-edited", entries("bake")),
    MenuSection(
        "Files in the Map",
        "what-can-be-edited",
        entries("pak_files", "pak_image", "pak_text", "pak_remove", MenuEntry("pak_forget", rows=_pak)),
    ),
)
