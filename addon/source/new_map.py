# SPDX-License-Identifier: GPL-3.0-or-later
"""New Source maps, an entry of File > New: a box of sky over a floor, to be built upon with brushes."""

from __future__ import annotations

import bpy

from ...formats import source
from ...formats.binary import FormatError
from ...formats.source import new_map
from ...formats.source.new_level import BRANCHES
from ..scene import declared, ledger, originals, sidebar, stage
from ..scene.reports import Report, SceneError
from . import importer, layout
from .fates import FATES
from .settings import ImportSettings

_WIDTH, _HEIGHT = 2048.0, 1024.0


def new_level(
    context: bpy.types.Context, name: str, branch: str, width: float, height: float, sky: str
) -> bpy.types.Collection:
    """Make a map and show it with its brushes: as if it had been imported from a file. Raises FormatError, SceneError.

    branch: one of `BRANCHES`. width, height: of the room, units. sky: its `skyname`.
    """
    level = new_map.sky_box((width, width, height), sky, BRANCHES[branch])
    made = importer.import_level(context, source.write(level), f"{name}.bsp", ImportSettings(brushes=True), Report())
    ledger.enter(made, FATES)
    return made


def _open_brushes(made: bpy.types.Collection) -> bpy.types.Collection:
    """Show the collection of a new map's brushes, which what is built into it goes to, and return it."""
    home = next(each for each in made.children_recursive if each.name.startswith(layout.BRUSH_HOME))
    home.hide_viewport = False
    for obj in home.objects:
        obj.display_type = "WIRE"  # so that the room can be looked into
    return home


class NewSourceMap(declared.Declared, bpy.types.Operator):
    """Make a Source map: a box of sky over a floor, with a spawn and a sun. Brushes are built into it"""

    bl_idname = "levelwright.source_new_level"
    bl_label = "New Source Map"
    bl_options = {"REGISTER", "UNDO"}

    name: str = declared.string(name="Name", default="map")
    branch: str = declared.menu(
        name="Branch",
        items=(
            ("2013", "2013", "Team Fortress 2, Counter-Strike: Source, Half-Life 2, Portal, Garry's Mod (version 20)"),
            ("2004", "2004", "Half-Life 2 and Counter-Strike: Source as they came out (version 19)"),
            ("left4dead2", "Left 4 Dead 2", "Version 21, with a header of its own"),
            ("csgo", "CS:GO", "Counter-Strike: Global Offensive (version 21)"),
        ),
        default="2013",
    )
    width: float = declared.number(name="Width", description="Of the room, units", default=_WIDTH, min=128.0)
    height: float = declared.number(name="Height", description="Of the room, units", default=_HEIGHT, min=128.0)
    sky: str = declared.string(name="Sky", description="The world's skyname", default="sky_day01_01")

    def execute(self, context: bpy.types.Context) -> sidebar.Result:
        """Make it."""
        try:
            with stage.cleared(context):
                made = new_level(context, self.name, self.branch, self.width, self.height, self.sky)
        except (FormatError, SceneError) as error:
            return sidebar.refuse(self, context, error)
        stage.present(context, made)
        originals.make_active(context, _open_brushes(made))
        return {"FINISHED"}


def _new_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    sidebar.layout_of(menu).operator(NewSourceMap.bl_idname, icon="FILE_NEW")


def register() -> None:
    """Register the operator, and put it into the menu File > New."""
    bpy.utils.register_class(NewSourceMap)
    bpy.types.TOPBAR_MT_file_new.append(_new_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_new.remove(_new_menu)
    bpy.utils.unregister_class(NewSourceMap)
