# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that change what the terrain shows: the overlay over its themes, and their colours."""

from functools import lru_cache
from pathlib import Path

import bpy

from ....formats.binary import FormatError
from ...scene.disk import content_folders
from ...scene.fields import declared
from ...scene.interface.sidebar import LevelOperator, SearchingOperator
from ...scene.names import showable
from ...scene.reports import Report, SceneError
from .. import content
from ..palettes import lists
from . import materials, overlays
from .installed import find_game
from .pictures import NO_PICTURE, ThemePictures, remember
from .water import refresh_water

AS_GAME = ":game"
"""What is chosen for a theme that shall look as without a choice."""


@lru_cache(maxsize=1)  # a search asks at each key, and Blender needs the texts to stay
def _listed(folders: tuple[Path, ...]) -> declared.Items:
    return [
        (AS_GAME, "As the Game Has It", "What the game's own definitions say, or an image in a folder of yours"),
        (NO_PICTURE, "No Picture", "The colour that stands for the theme"),
        *((name, showable(name), "") for name in sorted(find_game(folders, Report()).by_name) if name),
    ]


def _textures(_operator: bpy.types.OperatorProperties, _context: bpy.types.Context | None) -> declared.Items:
    """The textures of the installed game, and what else a theme may look like."""
    return _listed(tuple(content.GAME.folders()))


class LEVELWRIGHT_OT_fable_overlay(LevelOperator):
    """Show over the ground where creatures may walk, which sounds are where, and more. Again, it follows what was
    edited since
    """

    bl_idname = "levelwright.fable_overlay"
    bl_label = "Show"

    kind: str = declared.menu(
        name="Show", items=[(kind, title, tooltip) for kind, (title, tooltip) in overlays.KINDS.items()]
    )

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Switch the terrain's material."""
        if not overlays.show(level, self.kind):
            raise SceneError("The level's terrain is gone, or is being edited, or has another material")


class LEVELWRIGHT_OT_fable_refresh(LevelOperator):
    """Colour the ground by its themes as they are painted now, and let its water follow"""

    bl_idname = "levelwright.fable_refresh"
    bl_label = "Refresh Ground"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Read the weight layers, and colour the terrain."""
        if not materials.refresh(context, level):
            raise SceneError("The level's terrain is gone, or is being edited, or has shape keys")
        refresh_water(context, level)


class LEVELWRIGHT_OT_fable_choose_picture(SearchingOperator):
    """Choose which of the installed game's textures the theme that is chosen in the list is shown with. It is
    remembered for levels that are opened later, and changes nothing in the level
    """

    bl_idname = "levelwright.fable_choose_picture"
    bl_label = "Choose Picture"
    bl_options = {"UNDO"}
    bl_property = "texture"

    texture: str = declared.menu(name="Texture", items=_textures)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Show the texture, and remember it."""
        item = lists.active_theme(level)
        if item is None:
            raise SceneError("Choose a theme in the list of themes first")
        choice = "" if self.texture == AS_GAME else self.texture
        report = Report()
        sources = ThemePictures(
            content_folders.reach(content.THEMES.folders(), report),
            find_game(content.GAME.folders(), report),
            {item.name: choice},
        )
        try:
            image = sources.find(item.name)
        except (FormatError, OSError, RuntimeError) as error:
            raise SceneError(f"{self.texture} can't be shown: {error}") from error
        materials.set_picture(context, level, item.slot, image)
        item.picture = choice
        remember(item.name, choice)
        if image is None and not choice:
            self.report({"INFO"}, f"nothing is known of how {item.name} looks: it has its colour")


CLASSES = (LEVELWRIGHT_OT_fable_overlay, LEVELWRIGHT_OT_fable_refresh, LEVELWRIGHT_OT_fable_choose_picture)
