# SPDX-License-Identifier: GPL-3.0-or-later
"""The first minute with a level of each game, options that are remembered, and a big level."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable

from scripts.walks.walk import ALL, MIDDLE, SOURCE, TEEWORLDS, Sample, Walk
from scripts.window import WindowError

FUNNEL = (1280, 40)
"""*Level Objects* in the header of the 3D view, on a screen of 1600 x 900."""
VIEW = (193, 40)
"""The menu *View* there: over a bright level its letters can't be read, and the timeline has one, too."""
STATUS = (0, 860, 1600, 40)
"""The status bar: x, y, width and height."""
PRESET, PLUS, FIELD = "As the Game", 70, 110
"""A preset; how far to the right of *Import* the button is, in the line of *Operator Presets*, that keeps one; and how
far to the right of *Name* the field is.
"""
COPIES = 12
"""Of the big level: enough for Esc to come in time."""
KINDS = (
    "objects",
    "meshes",
    "materials",
    "images",
    "collections",
    "node_groups",
    "texts",
    "actions",
    "cameras",
    "lights",
)
"""What a stopped import leaves none of."""


def first_minute(walk: Walk, sample: Sample) -> None:
    """A level is dropped, and the dialog left by Esc; then it is chosen in File > Import > Game Level, and looked at:
    Material Preview, Solid, the kinds of its objects, Interior View, Go to Spawn.
    """
    window = walk.window
    walk.drop(sample)
    window.find("Cancel", near=MIDDLE)
    is_shown = sample is SOURCE
    dropped = f"{sample.file} was dropped: what can be chosen is {sample.game}'s, the rest folded."
    walk.see("drop", dropped, ("drop", (170, 394, 616, 634)) if is_shown else None)
    window.key("Escape")
    walk.expect(f"{sample.name!r} not in bpy.data.collections", "Esc in the dialog imported the level")
    window.press("File", "Import", "Game Level", near=(40, 12))
    window.find(sample.entry, near=window.at)
    entries = "File > Import > Game Level has an entry a game."
    walk.see("menu", entries, ("import", (0, 0, 740, 672)) if is_shown else None)
    window.press(sample.entry, near=window.at)
    walk.browse(sample.file)
    walk.see("files", "The file browser has the options of the game.")
    window.press(sample.button, near=(1500, 850))
    walk.is_imported(sample)
    walk.expect("'Cube' not in bpy.data.objects", "the startup cube stayed")
    walk.over_view()
    walk.drawn()
    walk.see("level", "The level as it is first seen; its root is selected, the startup cube is gone.")
    walk.solid()
    walk.see("solid", "Solid shows the images of the materials.")
    window.click(*FUNNEL)
    window.find("Hide All", near=FUNNEL)
    kinds = "Level Objects, the funnel: kinds of objects with their numbers, to be hidden and shown."
    walk.see("objects", kinds, ("objects", (560, 26, 1440, 560)) if is_shown else None)
    walk.over_view()
    window.key("Escape")
    _interior(walk)
    walk.over_view()
    window.key("Home")  # a room without outer walls is shown from its spawn at once
    walk.see("whole", "Home shows all of the level.")
    before = walk.value("list(area.spaces.active.region_3d.view_location)")
    walk.over_view()
    window.click(*VIEW)
    window.press("Go to Spawn", near=(270, 400))
    walk.over_view()
    walk.expect(f"list(area.spaces.active.region_3d.view_location) != {before!r}", "Go to Spawn did not move the view")
    walk.see("spawn", "View > Go to Spawn looks from where players begin.")


def _interior(walk: Walk) -> None:
    """Switch Interior View twice, from the menu Levelwright."""
    culled = walk.value("area.spaces.active.shading.show_backface_culling")
    for expected in (not culled, culled):
        walk.menu("Levelwright", "Interior View")
        walk.over_view()
        culling = f"area.spaces.active.shading.show_backface_culling == {expected}"
        walk.expect(culling, "Interior View did not switch")
        if expected is not culled:
            walk.see("interior", f"Interior View was switched {'on' if expected else 'off'}.")


def several_at_once(walk: Walk) -> None:
    """Levels of two games and a file of none are dropped at once: the dialog says so; undo takes all back."""
    (walk.window.home / "notes.map").write_text("no level\n", encoding="utf-8")
    for sample in (TEEWORLDS, SOURCE):
        walk.put(sample)
    walk.drop_files(TEEWORLDS.file, SOURCE.file, "notes.map")
    walk.window.find("Cancel", near=MIDDLE)
    walk.see("drop", "Levels of two games and a file of none: whose each option is, and what is left out.")
    walk.confirm()
    walk.is_imported(SOURCE)
    walk.expect(f"{TEEWORLDS.name!r} in bpy.data.collections", "the other level is missing")
    walk.solid()
    walk.see("both", "Both levels are there.")
    walk.window.key("ctrl+z")
    walk.expect(f"not {{{TEEWORLDS.name!r}, {SOURCE.name!r}}} & set(bpy.data.collections.keys())", "undo left a level")
    walk.expect("'Cube' in bpy.data.objects", "undo did not give the startup objects back")
    walk.see("undone", "One undo took both back, and gave the startup objects back.")
    walk.window.key("ctrl+shift+z")
    walk.is_imported(SOURCE)
    walk.expect(f"{TEEWORLDS.name!r} in bpy.data.collections", "redo did not bring both back")


def options_remembered(walk: Walk) -> None:
    """An option is switched in the dialog after a drop; the next dialog begins with it."""
    window = walk.window
    walk.drop(TEEWORLDS)
    window.press("View as the game", near=MIDDLE)
    walk.see("first", "The first dialog: View as the game was switched on by a click.")
    walk.confirm()
    walk.is_imported(TEEWORLDS)
    walk.solid()
    window.key("ctrl+z")
    walk.expect(f"{TEEWORLDS.name!r} not in bpy.data.collections", "undo left the level")
    walk.drop(TEEWORLDS)
    window.find("Cancel", near=MIDDLE)
    walk.see("second", "The second dialog begins with what was chosen.")
    walk.confirm()
    walk.is_imported(TEEWORLDS)
    objects = f"set(bpy.data.collections[{TEEWORLDS.name!r}].all_objects)"
    walk.expect(f"bpy.context.scene.camera in {objects}", "the option was forgotten: the level has no camera")


def presets(walk: Walk) -> None:
    """An option is switched in the dialog after a drop, and all of them kept as a preset; the file browser of the next
    import gets them back from the list of presets.
    """
    window = walk.window
    walk.drop(TEEWORLDS)
    window.press("View as the game", near=MIDDLE)
    plus = window.find("Import", near=MIDDLE).x + PLUS, window.find("Operator Presets", near=MIDDLE).y
    window.click(*plus)
    name = window.find("Name", near=plus)
    walk.see("name", "The plus beside the list asks how the preset is called.")
    window.click(name.x + FIELD, name.y)
    window.type(PRESET)
    window.key("Return")
    window.press("OK", near=name[:2])
    walk.see("kept", "All options are kept by that name; the dialog is as it was.")
    walk.over_view()
    window.key("Escape")
    walk.expect(f"{TEEWORLDS.name!r} not in bpy.data.collections", "Esc in the dialog imported the level")
    window.press("File", "Import", "Game Level", near=(40, 12))
    window.press(TEEWORLDS.entry, near=window.at)
    walk.browse(TEEWORLDS.file)
    window.press("Operator Presets", near=(1450, 100))
    window.press(PRESET, near=window.at)
    walk.see("chosen", "The file browser has the preset in its list.")
    window.press(TEEWORLDS.button, near=(1500, 850))
    walk.is_imported(TEEWORLDS)
    objects = f"set(bpy.data.collections[{TEEWORLDS.name!r}].all_objects)"
    walk.expect(f"bpy.context.scene.camera in {objects}", "the preset has lost the option: the level has no camera")


def long_work(walk: Walk) -> None:
    """A big level is imported a dozen times at once, since once takes a second: the status bar says what is done; Esc
    stops it, and nothing is left.
    """
    if walk.level is None:
        raise WindowError("needs --level FILE")
    walk.window.put(walk.level)
    names = [f"big-{number}{walk.level.suffix}" for number in range(COPIES)]
    for name in names:
        shutil.copy(walk.window.home / walk.level.name, walk.window.home / name)
    counts = f"[len(getattr(bpy.data, kind)) for kind in {KINDS}]"
    before = walk.value(counts)
    walk.drop_files(*names)
    walk.confirm()
    walk.expect(f"{counts} != {before!r}", "nothing of the level was made")
    walk.expect_now("window.modal_operators", "the import was over before it could be stopped")
    walk.see_now("status", f"{COPIES} big levels: the status bar says what is being done, and that Esc stops it.")
    walk.over_view()
    walk.window.key("Escape")
    says = "leave nothing behind"
    if not walk.window.read(says, STATUS):
        raise WindowError(f"the status bar did not say: {says}")
    walk.expect("not window.modal_operators", "Esc did not stop the import")
    walk.expect(f"{counts} == {before!r}", "Esc left something of the level")
    walk.expect("'Cube' in bpy.data.objects", "Esc did not give the startup objects back")
    walk.see("stopped", "Esc stopped the import: the scene is as it was.")


PATHS: dict[str, Callable[[Walk], None]] = {
    **{f"first-minute-{sample.key}": functools.partial(first_minute, sample=sample) for sample in ALL},
    "several-at-once": several_at_once,
    "options-remembered": options_remembered,
    "presets": presets,
    "long-work": long_work,
}
