# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's menu: all of its operators."""

from ..scene.interface.menus import MenuEntry, MenuSection, entries, textures


def _of_lists(kind: str, title: str) -> tuple[MenuEntry, ...]:
    """What is done with one of the level's lists. kind: as the operators have it."""
    of = {"kind": kind}
    return (
        MenuEntry("add_entry", f"Add {title}", of),
        MenuEntry("remove_entry", f"Remove {title}", of),
        MenuEntry("move_entry", f"Move {title} Up", {**of, "by": -1}),
        MenuEntry("move_entry", f"Move {title} Down", {**of, "by": 1}),
        MenuEntry("assign", f"Put Selected into {title}", {**of, "on": True}),
        MenuEntry("assign", f"Take Selected out of {title}", {**of, "on": False}),
        MenuEntry("select", f"Select {title}", of),
    )


MENU = (
    MenuSection("Level", "", entries("new_level", "minimap")),
    MenuSection("Layers", "what-can-be-edited", _of_lists("layers", "Layer")),
    MenuSection("Groups", "what-can-be-edited", _of_lists("groups", "Group")),
    MenuSection(
        "Mapping Groups",
        "what-can-be-edited",
        entries(
            "list_mapping",
            MenuEntry("add_mapping", "Add Mapping Group"),
            MenuEntry("remove_mapping", "Remove Mapping Group"),
            MenuEntry("assign_mapping", "Put Selected into Mapping Group", {"on": True}),
            MenuEntry("assign_mapping", "Take Selected out of Mapping Group", {"on": False}),
            MenuEntry("select_mapping", "Select Mapping Group"),
        ),
    ),
    MenuSection("Entities", "what-can-be-edited", entries("add_entity", "show_properties")),
    MenuSection(
        "Faces",
        "what-can-be-edited",
        entries(
            MenuEntry("smooth_edges", "Smooth Edges", {"smooth": True}),
            MenuEntry("smooth_edges", "Hard Edges", {"smooth": False}),
            MenuEntry("bridges", "Bridge", {"clear": False}),
            MenuEntry("bridges", "Clear Bridge", {"clear": True}),
        ),
    ),
    MenuSection("Spark Editor", "what-can-be-edited", entries("copy", "paste")),
    MenuSection(
        "Look and Find",
        "looking-and-finding",
        entries(
            "commander_view",
            "snap_grid",
            MenuEntry("grid", "Finer Grid", {"factor": 0.5}),
            MenuEntry("grid", "Coarser Grid", {"factor": 2.0}),
            MenuEntry("select_like", "Select by Material", {"by": "MATERIAL"}),
            MenuEntry("select_like", "Select by Class", {"by": "CLASS"}),
            MenuEntry("select_like", "Select Broken", {"by": "BROKEN"}),
        ),
    ),
    MenuSection(
        "Textures",
        "what-can-be-edited",
        (
            *textures("texture"),
            MenuEntry("texture_lay", "Lay Texture as on New Faces", {"how": "WORLD"}),
        ),
    ),
)
