# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to fit the screen: sidebars, preferences and pies in a small and in a large window, other workspaces."""

from __future__ import annotations

import functools
from collections.abc import Callable

from scripts.walks import menus
from scripts.walks.walk import ALL, SOURCE, TEEWORLDS, Sample, Walk

SMALL, LARGE = (1280, 720), (1920, 1080)
"""Of the window: width and height."""
PREFERENCES = 680
"""How wide Blender's window of preferences is at first: pixels. A second window ends a Blender that runs under Xvfb."""
SIDEBAR = ("VIEW_3D", "UI")
"""Its editor and its region."""
WORKSPACES = ("Modeling", "UV Editing", "Texture Paint", "Shading")
"""What is opened by its tab, from Layout."""
SLOW = 8
"""How often it is asked whether a workspace is open, before its tab is clicked again."""
ACTIVE: dict[str, tuple[str, ...]] = {
    "teeworlds": ("o.get('layer_name') == 'Fence'", "o.name == '1 Sun quad 0'", "o.get('sound') is not None"),
    "genesis": ("o.name == 'light1'", "o.type == 'MESH'"),
    "fable": ("o.name == 'OBJECT_VALE_FALLEN_PILLAR'",),
    "ns2": ("o.name == 'crate'", "o.type == 'MESH' and len(o.data.polygons) > 6"),
    "source": ("o.get('classname') == 'func_door_rotating'", "o.name == 'World'"),
}
"""By game, what is made the active object one after another: an expression that is true of it."""
OPEN_PANELS = """
import addon_utils
name = "bl_ext.user_default.levelwright"
addon_utils.disable(name)
for cls in bpy.types.Panel.__subclasses__():
    for one in (cls, *cls.__subclasses__()):
        if getattr(one, "bl_category", "") == "Levelwright":
            one.bl_options = set(getattr(one, "bl_options", ())) - {"DEFAULT_CLOSED"}
addon_utils.enable(name)
"""
"""Lets the sidebar's panels begin unfolded."""


def sidebars(walk: Walk) -> None:
    """The sidebar of a level of each game, all panels unfolded, from its top to its end: with the level's root active,
    with objects that have properties of their own, in Edit Mode of faces.
    """
    walk.window.python(OPEN_PANELS)
    for sample in ALL:
        walk.imported(sample)
        if sample is ALL[0]:
            walk.sidebar()
        walk.scroll(*SIDEBAR, sample.key, f"The sidebar of {sample.file}.")
        for number, wanted in enumerate(ACTIVE[sample.key], 1):
            _activate(walk, sample, wanted)
            walk.scroll(*SIDEBAR, f"{sample.key}-{number}", f"The sidebar of {sample.file}, an object of it active.")
        if walk.value("bpy.context.object.type == 'MESH'"):
            walk.over_view()
            walk.window.key("Tab")
            walk.expect("bpy.context.mode == 'EDIT_MESH'", "Tab did not lead to Edit Mode")
            walk.scroll(*SIDEBAR, f"{sample.key}-edit", f"The sidebar of {sample.file} in Edit Mode.")
            walk.over_view()
            walk.window.key("Tab")


def _activate(walk: Walk, sample: Sample, wanted: str) -> None:
    """Make an object of a level the active one. wanted: an expression that is true of `o`, the object."""
    walk.window.python(
        f"o = next(o for o in bpy.data.collections[{sample.name!r}].all_objects if {wanted})\n"
        "bpy.ops.object.select_all(action='DESELECT')\n"
        "o.select_set(True)\nbpy.context.view_layer.objects.active = o"
    )


def preferences(walk: Walk) -> None:
    """The preferences, as narrow as the window that Edit > Preferences opens: each tab from its top to its end."""
    window = walk.window
    window.python(
        f"bpy.ops.screen.area_split(direction='VERTICAL', factor={PREFERENCES} / area.width)\n"
        "area = min((one for one in window.screen.areas if one.type == 'VIEW_3D'), key=lambda one: one.x)\n"
        f"area.ui_type = 'PREFERENCES'\n{menus.SHOW_PREFERENCES}"
        "import os\nfor each in ('source', 'fable'):\n"
        "    bpy.ops.levelwright.add_folder(folder=f'{each}_directory', directory=os.getcwd())"
    )
    left, top, width, _ = walk.region("PREFERENCES")
    near = left + width // 2, top + 60
    for tab, button in (("Game Folders", ""), ("Options", ""), ("Shortcuts", ""), ("Set-up", "Check Set-up")):
        window.press(tab, *[button] * bool(button), near=near)
        walk.scroll("PREFERENCES", "WINDOW", tab.replace(" ", "-").lower(), f"The tab {tab}.")
    window.press("Game Folders", "Find Installed Games", near=near)
    walk.scroll("PREFERENCES", "WINDOW", "found", "Find Installed Games says what it found, and where it looked.")


def workspaces(walk: Walk, sample: Sample) -> None:
    """A level is imported in the workspace Layout; the 3D views of others show it, too."""
    walk.imported(sample)
    place = "[round(v, 3) for v in area.spaces.active.region_3d.view_location]"
    before = walk.value(place)
    for name in WORKSPACES:
        _open(walk, name)
        walk.drawn()
        walk.see(name.replace(" ", "-").lower(), f"The level in {name}.")
        walk.expect(f"{place} == {before!r}", f"the 3D view of {name} does not look at the level")


def _open(walk: Walk, name: str) -> None:
    """Open a workspace by its tab. A Blender that compiles shaders misses clicks."""
    is_open = f"window.workspace.name == {name!r}"
    for _ in range(3):
        walk.window.press(name, near=(600, 12))
        for _ in range(SLOW):
            if walk.value(is_open):
                return
    walk.expect(is_open, f"clicks did not open {name}")


PATHS: dict[str, Callable[[Walk], None]] = {
    **{f"sidebars-{size[0]}": sidebars for size in (SMALL, LARGE)},
    "preferences-narrow": preferences,
    **{f"pies-{size[0]}": menus.pies for size in (SMALL, LARGE)},
    **{f"workspaces-{sample.key}": functools.partial(workspaces, sample=sample) for sample in (TEEWORLDS, SOURCE)},
}
SIZES = {name: size for size in (SMALL, LARGE) for name in PATHS if name.endswith(f"-{size[0]}")}
"""Of the windows of paths, where they aren't the usual ones."""
