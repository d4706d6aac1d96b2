# SPDX-License-Identifier: GPL-3.0-or-later
"""New Source maps, an entry of File > New: a box of sky over a floor, to be built upon with brushes."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...formats import source
from ...formats.source import new_map
from ...formats.source.new_level import BRANCHES
from ..scene.fields import level_options
from ..scene.fields.options import new_name, option
from ..scene.reports import Report
from . import importer, layout
from .settings import EDIT, ExportSettings, ImportSettings


@dataclass(frozen=True)
class NewSettings:
    """What a new map is like."""

    name: str = new_name()
    branch: str = option(
        "2013",
        "Branch",
        "Which games read it",
        {
            "2013": ("2013", "Team Fortress 2, Counter-Strike: Source, Half-Life 2, Portal, Garry's Mod (version 20)"),
            "2004": ("2004", "Half-Life 2 and Counter-Strike: Source as they came out (version 19)"),
            "left4dead2": ("Left 4 Dead 2", "Version 21, with a header of its own"),
            "csgo": ("CS:GO", "Counter-Strike: Global Offensive (version 21)"),
        },
    )
    width: float = option(2048.0, "Width", "Of the room, units", minimum=128.0)
    height: float = option(1024.0, "Height", "Of the room, units", minimum=128.0)
    sky: str = option("sky_day01_01", "Sky", "The world's skyname")


def make(context: bpy.types.Context, settings: NewSettings, report: Report) -> bpy.types.Collection:
    """Make a map and show it with its brushes, as if it had been imported from a file. Dialogs of its exports begin
    with *World* on *Edit*: brushes are all that it is.

    Raises FormatError, SceneError.
    """
    width, height = settings.width, settings.height
    level = new_map.sky_box((width, width, height), settings.sky, BRANCHES[settings.branch])
    file = f"{settings.name}.bsp"
    made = importer.import_level(context, source.write(level), file, ImportSettings(brushes=True), report)
    level_options.keep(made, ExportSettings(world=EDIT))
    return made


def home(made: bpy.types.Collection) -> bpy.types.Collection:
    """Show the collection of a new map's brushes, which what is built into it goes to, and return it."""
    brushes = next(each for each in made.children_recursive if each.name.startswith(layout.BRUSH_HOME))
    brushes.hide_viewport = False
    for obj in brushes.objects:
        obj.display_type = "WIRE"  # so that the room can be looked into
    return brushes
