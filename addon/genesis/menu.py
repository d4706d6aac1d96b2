# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's menu: all of its operators."""

from ..scene.interface.menus import MenuEntry, MenuSection, entries, textures

MENU = (
    MenuSection("Level", "", entries("new_level", "decompile")),
    MenuSection(
        "Edit",
        "what-can-be-edited",
        entries("add_entity", "make_model", "write_textures"),
    ),
    MenuSection(
        "Rooms and Cuts",
        "what-becomes-what",
        entries(
            "show_rooms",
            MenuEntry("preview_cuts", values={"live": False}),
            MenuEntry("preview_cuts", "Live Cuts", {"live": True}),
            "hide_preview",
        ),
    ),
    MenuSection("Leaks", "leaks", entries("find_leaks", "remove_leak", "write_leak", "select_hidden")),
    MenuSection("Textures", "what-can-be-edited", textures("texture")),
    MenuSection("Light", "compiled-levels", entries("bake")),
)
