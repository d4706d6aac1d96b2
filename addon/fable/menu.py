# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's menu: all of its operators."""

from ..scene.interface.menus import MenuEntry, MenuSection, each, entries
from .palettes.lists import LISTS
from .terrain import overlays

_OVERLAYS = each("kind", [(kind, title) for kind, (title, _) in overlays.KINDS.items()])


def _of_list(kind: str, title: str) -> tuple[MenuEntry, ...]:
    """What is done with one of the level's lists of names. kind: as the operators have it."""
    one = title.lower().removesuffix("s").title()
    return (
        MenuEntry("add_name", f"Add {one}", {"kind": kind}),
        MenuEntry("remove_name", f"Remove {one}", {"kind": kind}),
    )


MENU = (
    MenuSection("Level", "", entries("new_level", "resize")),
    MenuSection(
        "Ground",
        "what-can-be-edited",
        entries(
            MenuEntry("brush", "Paint Tool"),
            MenuEntry("paint_selected", "Paint Selected"),
            MenuEntry("overlay", "Show", rows=_OVERLAYS),
            "refresh",
            "choose_picture",
            "fill_water",
        ),
    ),
    MenuSection(
        "Names", "what-can-be-edited", tuple(entry for kind, one in LISTS.items() for entry in _of_list(kind, one[0]))
    ),
    MenuSection("Things", "what-can-be-edited", entries("add_thing", "follow_ground", "drop")),
    MenuSection(
        "Navigation",
        "what-can-be-edited",
        entries(
            MenuEntry("preview_navigation", "Preview Patched Navigation", {"how": "patch"}),
            MenuEntry("preview_navigation", "Preview Rebuilt Navigation", {"how": "rebuild"}),
            MenuEntry("preview_navigation", "Remove Navigation Preview", {"how": "clear"}),
        ),
    ),
    MenuSection("World", "what-can-be-edited", entries("show_seams", "mend_seams")),
)
