# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's view, and what of it is switched on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ...scene.blender_types import Value
from ...scene.fields import declared
from ...scene.interface.sidebar import Result
from ...scene.media import animation
from ...scene.view import stage
from ..materials import shading
from ..structure.map_operator import MapOperator
from . import borders, entities, game_view, undisturbed


class ViewAsGame(MapOperator):
    """Put the scene's camera where the game's would be, and draw what the game draws from there"""

    bl_idname = "levelwright.teeworlds_view_as_game"
    bl_label = "View as the Game"

    x: float = declared.number(name="X", description="Middle of the picture, in tiles from the map's left edge")
    y: float = declared.number(name="Y", description="Middle of the picture, in tiles from the map's upper edge")
    zoom: float = declared.number(name="Zoom", description="Above 1 shows more", default=1.0, min=0.01, max=100.0)
    time: float = declared.number(name="Time", description="Seconds since the map began", unit="TIME_ABSOLUTE")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Start at the first spawn, at the current frame."""
        scene = stage.scene_of(context)
        self.time = float(animation.time_of(scene.frame_current_final, scene))
        return self.execute(context)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make or move the game camera, and hide all else. Without a place: where a player first appears."""
        if not (self.properties.is_property_set("x") or self.properties.is_property_set("y")):
            self.x, self.y = game_view.first_spawn(level)
        before = {
            "parallax": game_view.has_parallax(level),
            "borders": borders.has_borders(level),
            "clip": shading.get_switch(shading.CLIP),
            "made": game_view.game_camera(level) is None,
            "physics": game_view.has_physics(level),
        }
        if not (undisturbed.is_on(level) or entities.is_on(level)):
            game_view.show_physics(level, False)
        undisturbed.begin(context, level, before)
        game_view.view_as_game(stage.scene_of(context), level, self.x, self.y, self.zoom, self.time)
        space = context.space_data
        if isinstance(space, bpy.types.SpaceView3D) and space.region_3d is not None:
            space.region_3d.view_perspective = "CAMERA"


class EndGameView(MapOperator):
    """Show again what View as the Game hid, and let scene and windows look as before"""

    bl_idname = "levelwright.teeworlds_end_game_view"
    bl_label = "Leave the Game's View"

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for a map that is seen so."""
        return super().lacks(context, level) if undisturbed.is_on(level) else "The map isn't seen as in the game"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Put all of it back."""
        before = undisturbed.end(context, level)
        game_view.set_parallax(level, before["parallax"])
        borders.set_borders(level, before["borders"])
        shading.set_switch(shading.CLIP, before["clip"])
        if "physics" in before and not entities.is_on(level):  # not in files of 0.3.0
            game_view.show_physics(level, before["physics"])
        camera = game_view.game_camera(level)
        if before["made"] and camera is not None:
            game_view.remove_camera(camera)


@dataclass(frozen=True)
class _Switch:
    """One thing that can be shown or not."""

    title: str
    tooltip: str
    get: Callable[[bpy.types.Context, bpy.types.Collection], bool]
    """Says whether it is shown for a map."""
    put: Callable[[bpy.types.Context, bpy.types.Collection, bool], object]
    """Shows it or not."""


SWITCHES = {
    "PARALLAX": _Switch(
        "Parallax",
        "Groups follow the game camera as in the game",
        lambda _, level: game_view.has_parallax(level),
        lambda _, level, on: game_view.set_parallax(level, on),
    ),
    "BORDERS": _Switch(
        "Borders",
        "Repeat the tiles at the layers' edges outwards, as the game does; switch off and on to follow edits",
        lambda _, level: borders.has_borders(level),
        lambda _, level, on: borders.set_borders(level, on),
    ),
    "CLIP": _Switch(
        "Clip",
        "Draw clipped groups only inside their rectangles (in all levels of the file)",
        lambda _, __: shading.get_switch(shading.CLIP) != 0,
        lambda _, __, on: shading.set_switch(shading.CLIP, float(on)),
    ),
    "PHYSICS": _Switch(
        "Physics",
        "Show the game, front, tele, speedup, switch and tune layers",
        lambda _, level: game_view.has_physics(level),
        lambda _, level, on: game_view.show_physics(level, on),
    ),
    "ENTITIES": _Switch(
        "Entities",
        "Hide the design and show the physics layers with the art of your client, as its entities view does",
        lambda _, level: entities.is_on(level),
        entities.set_entities,
    ),
    "COLORS": _Switch(
        "Game Colors",
        "Blend as the game does: view transform Raw. Off: Standard, for scenes with other things in them",
        lambda context, _: game_view.has_game_colors(stage.scene_of(context)),
        lambda context, _, on: game_view.set_game_colors(stage.scene_of(context), on),
    ),
}


class SwitchView(MapOperator):
    """Show or hide a part of the game's view"""

    bl_idname = "levelwright.teeworlds_switch_view"
    bl_label = "Switch View"

    what: str = declared.menu(name="What", items=[(key, one.title, one.tooltip) for key, one in SWITCHES.items()])
    on: bool = declared.boolean(name="On", default=True)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Value) -> str:
        """The tooltip of the one that it switches."""
        return SWITCHES[properties.what].tooltip

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Switch it."""
        SWITCHES[self.what].put(context, level, self.on)


def _art(_operator: object, context: bpy.types.Context | None) -> declared.Items:
    return entities.items(context)


class ShowEntities(MapOperator):
    """Show the map by its entities, with this art"""

    bl_idname = "levelwright.teeworlds_show_entities"
    bl_label = "Art of Entities"

    art: str = declared.menu(name="Art", description="Of which game type", items=declared.items(_art))

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Show them."""
        entities.set_entities(context, level, True, self.art)


CLASSES = (ViewAsGame, EndGameView, ShowEntities, SwitchView)
