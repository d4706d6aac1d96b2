# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for what the chosen theme looks like."""

import bpy

from ...scene.interface.sidebar import LevelPanel
from ...scene.reports import SET_FOLDER
from .. import content
from ..palettes import lists
from . import materials
from .operators import LEVELWRIGHT_OT_fable_choose_picture
from .pictures import NO_PICTURE

SIZE = 5.0
"""Of the picture, in icons."""


class LEVELWRIGHT_PT_fable_picture(LevelPanel, bpy.types.Panel):
    """The picture of the theme that is chosen in the list above: for show only, levels have none."""

    bl_label = "Picture"
    anchor = "pictures-of-the-ground"
    bl_parent_id = "LEVELWRIGHT_PT_fable_themes"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw it, and the button that chooses another one."""
        level = self.level(context)
        item = lists.active_theme(level) if level is not None else None
        if level is None or item is None:
            return
        image = materials.pictures_of(level).get(item.slot)
        column = self.layout.column()
        if image is not None:
            column.template_icon(self.layout.icon(image), scale=SIZE)
        column.label(text=_said(item, image))
        column.operator(LEVELWRIGHT_OT_fable_choose_picture.bl_idname, icon="VIEWZOOM")
        if not content.GAME.folders(context):
            column.operator(SET_FOLDER, icon="FILE_FOLDER")


def _said(item: lists.FableName, image: bpy.types.Image | None) -> str:
    """What a theme is shown as, and who chose that."""
    if item.picture == NO_PICTURE:
        return "Its colour: chosen"
    if image is None:
        return f"{item.picture}: not found" if item.picture else "Its colour: no picture is known"
    return f"{image.name}: chosen" if item.picture else image.name


CLASSES = (LEVELWRIGHT_PT_fable_picture,)
