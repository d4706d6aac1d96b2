# SPDX-License-Identifier: GPL-3.0-or-later
"""Menus, search, pies, help and preferences."""

from __future__ import annotations

from collections.abc import Callable

from scripts.walks.walk import FABLE, MIDDLE, SAMPLES, SOURCE, TEEWORLDS, Walk
from scripts.window import WindowError

NEW = {
    "teeworlds": "Teeworlds map",
    "genesis": "Genesis3D level",
    "fable": "Fable level",
    "ns2": "NS2 level",
    "source": "Source map",
}
"""Entries of File > New > Game Level."""
SHOW_PREFERENCES = """
bpy.context.preferences.active_section = "ADDONS"
bpy.context.window_manager.addon_search = "Levelwright"
bpy.ops.preferences.addon_expand(module="bl_ext.user_default.levelwright")
"""
"""Lets editors of preferences show Levelwright's."""


def new_levels(walk: Walk) -> None:
    """File > New > Game Level, an entry a game: each dialog is confirmed, and the level is in the scene."""
    window = walk.window
    for key, entry in NEW.items():
        before = walk.value("len(bpy.context.scene.collection.children)")
        window.press("File", "New", near=(40, 12))
        window.press("Game Level", near=(300, 250))
        if key == "teeworlds":
            window.find(entry, near=window.at)
            walk.see("menu", "File > New > Game Level has an entry a game.")
        window.press(entry, near=window.at)
        walk.see(f"{key}-dialog", f"What can be chosen of a new {entry}.")
        window.key("Return")
        walk.expect(f"len(bpy.context.scene.collection.children) > {before}", f"no {entry} was made")
        walk.solid()
        window.key("Home")
        walk.see(key, f"A new {entry}, among those before.")


def export_menu(walk: Walk) -> None:
    """Two levels are imported; File > Export > Game Level has what they can become, and what is written unedited is
    the file that was imported.
    """
    window = walk.window
    for sample in (FABLE, SOURCE):
        walk.imported(sample)
    window.press("File", "Export", "Game Level", near=(40, 12))
    window.find("Source map (.bsp)", near=window.at)
    walk.see("menu", "File > Export > Game Level: each level of the scene, and what it can become.")
    window.press("source_room: Source map (.bsp)", near=window.at)
    walk.browse_folder()
    walk.see("files", "The export's options in the file browser.")
    walk.overwrite(SOURCE.file)
    if (window.home / SOURCE.file).read_bytes() != (SAMPLES / SOURCE.file).read_bytes():
        raise WindowError("what was written unedited is not the file that was imported")


def menu_and_search(walk: Walk) -> None:
    """The menu Levelwright of the header, the game's own menu in it; the search (F3) finds the same, first of all."""
    window = walk.window
    walk.imported(TEEWORLDS)
    walk.over_view()
    window.press("Levelwright", near=(397, 40))
    window.press("Teeworlds", near=(480, 400))
    walk.see("menu", "The menu Levelwright: the active level's game has a mark.")
    window.key("Escape", "Escape")
    walk.over_view()
    window.key("F3")
    window.type("add group")  # other games have one, too
    window.find("Add Group", near=MIDDLE)
    walk.see("search", "The search finds operators by the names that menus have.")
    count = walk.value("len(bpy.data.collections)")
    window.key("Return")
    walk.expect(f"len(bpy.data.collections) > {count}", "the search did not start Add Group")


def pies(walk: Walk) -> None:
    """The keys of Preferences > Shortcuts are switched on, and both pie menus opened by Ctrl+Alt+W."""
    window = walk.window
    walk.imported(SOURCE)
    window.python(
        "for keymap in bpy.context.window_manager.keyconfigs.user.keymaps:\n"
        "    for item in keymap.keymap_items:\n"
        "        if item.idname == 'wm.call_menu_pie' and 'LEVELWRIGHT' in item.properties.name: item.active = True"
    )
    walk.over_view()
    window.key("ctrl+alt+w")
    window.find("Check Export", near=MIDDLE)
    walk.see("level", "The pie menu of a level.")
    window.key("Escape")
    window.python("bpy.context.view_layer.objects.active = bpy.data.objects['World']")
    walk.over_view()
    window.key("Tab")
    walk.expect("bpy.context.mode == 'EDIT_MESH'", "Tab did not lead to Edit Mode")
    window.key("ctrl+alt+w")
    window.find("Fit Texture Together", near=MIDDLE)
    walk.see("textures", "The pie menu of textures, in Edit Mode.")
    window.key("Escape")


def documentation(walk: Walk) -> None:
    """Levelwright > Documentation: the page is written, and its address handed to the browser."""
    walk.window.python(
        "import webbrowser\nbpy.app.driver_namespace['opened'] = []\n"
        "webbrowser.open = lambda url, *_, **__: bpy.app.driver_namespace['opened'].append(url) or True"
    )
    walk.menu("Levelwright", "Documentation")
    walk.expect("bpy.app.driver_namespace['opened']", "no page was opened")
    walk.expect("'using.html' in bpy.app.driver_namespace['opened'][0]", "another page was opened")
    walk.see("done", "Levelwright > Documentation opened the page in the browser (which is none here).")


def preferences(walk: Walk) -> None:
    """The preferences: folders of games, Find Installed Games, options, shortcuts, Check Set-up."""
    window = walk.window
    window.python(f"area.ui_type = 'PREFERENCES'\n{SHOW_PREFERENCES}")
    window.find("Game Folders", near=MIDDLE)
    shown = ("folders", (176, 286, 1310, 766))
    walk.see("folders", "Preferences: a list of folders for each kind of content.", shown)
    window.press("Find Installed Games", near=MIDDLE)
    walk.see("found", "Find Installed Games says what it found, and where it looked.")
    for tab, word, sentence in (
        ("Options", "options", "What dialogs begin with, a panel a game."),
        ("Shortcuts", "shortcuts", "Keys are off until the mark beside them is set."),
        ("Set-up", "set-up", "Check Set-up."),
    ):
        window.press(tab, near=(700, 250))
        if tab == "Set-up":
            window.press("Check Set-up", near=MIDDLE)
        walk.see(word, sentence)


PATHS: dict[str, Callable[[Walk], None]] = {
    "new-levels": new_levels,
    "export-menu": export_menu,
    "menu-and-search": menu_and_search,
    "pies": pies,
    "documentation": documentation,
    "preferences": preferences,
}
