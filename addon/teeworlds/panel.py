# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panels: what the active map holds, how to change it, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import bpy

from ..scene.fields import properties
from ..scene.interface.sidebar import LevelPanel, draw_property, layout_of
from ..scene.kept import originals
from ..scene.registering import in_turn
from . import layout, operators, play
from .image_tools import operators as images
from .image_tools.operators import (
    AddImage,
    EmbedImage,
    RemoveImage,
    ReplaceImage,
    can_embed,
    is_external,
)
from .layout import GroupProperties, LevelProperties
from .motion import panel as motion
from .new_map import OPERATOR
from .operators import AddLayer, AddPhysicsLayers, EditSettings, SetImage
from .play import Play, StopPlaying
from .resizing import operators as resizing
from .resizing import views
from .resizing.operators import CropMap, ResizeMap, ShiftMap, WidenMap
from .sounds import panel as sounds
from .stamp import tool as stamp
from .structure import operators as structure
from .structure.map_operator import OnMap, active_group, active_layer, active_map
from .structure.operators import AddClip, AddGroup, MoveGroup, MoveLayer, MoveToGroup, RemoveGroup, RemoveLayer
from .structure.parts import group_root, properties_of, tile_kind
from .tiles import automap, following, memory
from .tiles import operators as tiles
from .tiles.operators import FillTiles
from .view import entities, undisturbed
from .view import operators as view
from .view.operators import SWITCHES, EndGameView, ShowEntities, SwitchView, ViewAsGame


class LEVELWRIGHT_PT_teeworlds_edit(OnMap, LevelPanel, bpy.types.Panel):
    """What the active map holds, and how to change it."""

    bl_label = "Teeworlds Map"

    def draw_level(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the active group and layer with their properties, and the map's images."""
        column = self.layout
        column.operator(f"levelwright.{OPERATOR}", icon="FILE_NEW")
        column.use_property_split = True
        column.use_property_decorate = False
        _section(column, "map", level.name, lambda body: _draw_map(body, level))
        _section(column, "group", "Group", lambda body: _draw_group(body, active_group(context, level)))
        _section(column, "layer", "Layer", lambda body: _draw_layer(body, level, active_layer(context)))
        _section(column, "images", "Images", lambda body: _draw_images(body, level))


def _section(column: bpy.types.UILayout, key: str, title: str, draw: Callable[[bpy.types.UILayout], object]) -> None:
    header, body = column.panel(f"LEVELWRIGHT_teeworlds_{key}")
    header.label(text=title)
    if body is not None:
        draw(body)


def _draw_properties(column: bpy.types.UILayout, block: bpy.types.ID, cls: type) -> None:
    for field in properties.fields(cls):
        if block.get(field.name) is not None:
            draw_property(column, bpy.context, block, field.name, field.name.replace("_", " ").capitalize())


def _draw_map(column: bpy.types.UILayout, level: bpy.types.Collection) -> None:
    _draw_properties(column, level, LevelProperties)
    column.operator(EditSettings.bl_idname, icon="TEXT")
    for operators_of_row in ((ResizeMap, ShiftMap), (CropMap, WidenMap)):
        row = column.row(align=True)
        for operator in operators_of_row:
            row.operator(operator.bl_idname)
    column.operator(AddPhysicsLayers.bl_idname)


def _draw_group(column: bpy.types.UILayout, group: bpy.types.Collection | None) -> None:
    column.operator(AddGroup.bl_idname, icon="ADD")
    if group is None:
        column.label(text="No group is active")
        return
    column.label(text=group.name)
    _draw_properties(column, group_root(group), GroupProperties)
    row = column.row(align=True)
    row.operator(MoveGroup.bl_idname, text="", icon="TRIA_UP").steps = 1
    row.operator(MoveGroup.bl_idname, text="", icon="TRIA_DOWN").steps = -1
    row.operator(AddClip.bl_idname, text="Clip")
    row.operator(RemoveGroup.bl_idname, text="", icon="REMOVE")


def _draw_layer(column: bpy.types.UILayout, level: bpy.types.Collection, layer: bpy.types.Object | None) -> None:
    column.operator_menu_enum(AddLayer.bl_idname, "kind", icon="ADD")
    if layer is None:
        column.label(text="No layer is active")
        return
    column.label(text=layer.name)
    _draw_properties(column, layer, properties_of(layer))
    if layer.get("tile_kind") is not None:
        column.prop(layer, "color")
        column.operator(FillTiles.bl_idname)
        if tile_kind(layer) == "TILES":
            automap.draw_panel(column, level, layer)
    row = column.row(align=True)
    row.operator(MoveLayer.bl_idname, text="", icon="TRIA_UP").steps = 1
    row.operator(MoveLayer.bl_idname, text="", icon="TRIA_DOWN").steps = -1
    row.operator(MoveToGroup.bl_idname, text="To Group")
    row.operator(RemoveLayer.bl_idname, text="", icon="REMOVE")


def _draw_images(column: bpy.types.UILayout, level: bpy.types.Collection) -> None:
    for record, image in originals.resources(level, layout.IMAGE).items():
        row = column.row(align=True)
        row.label(text=f"{record}: {image.name}", icon="IMAGE_DATA")
        row.context_pointer_set(LEVELWRIGHT_MT_teeworlds_image.IMAGE, image)
        row.menu(LEVELWRIGHT_MT_teeworlds_image.__name__, text="", icon="DOWNARROW_HLT")
    buttons = column.column(align=True)
    buttons.operator(AddImage.bl_idname, icon="ADD")
    buttons.operator(SetImage.bl_idname, text="Take Image off Layer", icon="X").record = -1


class LEVELWRIGHT_MT_teeworlds_image(bpy.types.Menu):
    """What can be done with an image: in the list its name has the room that buttons would take."""

    bl_label = "Image"
    IMAGE: ClassVar[str] = "levelwright_image"
    """The image that it is about, in the context."""

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the entries."""
        layout_, image, level = layout_of(self), getattr(context, self.IMAGE, None), active_map(context)
        held = originals.resources(level, layout.IMAGE) if level is not None else {}
        record = next((number for number, each in held.items() if each == image), None)
        if image is None or record is None:
            return
        layout_.operator(SetImage.bl_idname, text="Show on Active Layer", icon="MATERIAL").record = record
        layout_.operator(ReplaceImage.bl_idname, icon="FILEBROWSER").record = record
        external = is_external(image)
        icon: Literal["PACKAGE", "UGLYPACKAGE"] = "PACKAGE" if external else "UGLYPACKAGE"
        title = "Embed in Map" if external else "Keep outside of Map"
        if can_embed(image, external):
            embed = layout_.operator(EmbedImage.bl_idname, text=title, icon=icon)
            embed.record, embed.embed = record, external
        else:
            layout_.label(text="Not found: replace it to embed it", icon="INFO")
        layout_.operator(RemoveImage.bl_idname, icon="REMOVE").record = record


class LEVELWRIGHT_PT_teeworlds_view(OnMap, LevelPanel, bpy.types.Panel):
    """How the active map is shown."""

    bl_label = "Teeworlds View"

    def draw_level(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the button and a switch a line."""
        self.layout.operator(ViewAsGame.bl_idname, icon="CAMERA_DATA")
        if undisturbed.is_on(level):
            self.layout.operator(EndGameView.bl_idname, icon="LOOP_BACK")
        row = self.layout.row(align=True)
        row.operator(Play.bl_idname, icon="PLAY")
        if play.is_playing():
            row.operator(StopPlaying.bl_idname, text="Stop", icon="SNAP_FACE")
        layer, space = active_layer(context), context.space_data
        solid = isinstance(space, bpy.types.SpaceView3D) and space.shading is not None and space.shading.type == "SOLID"
        if solid and layer is not None and layer.modifiers and tile_kind(layer) is not None:
            self.layout.label(text="Solid views show what modifiers do once they are applied", icon="INFO")
        column = self.layout.column(align=True)
        for key, switch in SWITCHES.items():
            on = switch.get(context, level)
            icon: Literal["CHECKBOX_HLT", "CHECKBOX_DEHLT"] = "CHECKBOX_HLT" if on else "CHECKBOX_DEHLT"
            button = column.operator(SwitchView.bl_idname, text=switch.title, icon=icon, depress=on)
            button.what, button.on = key, not on
            if key == "ENTITIES" and on:
                column.operator_menu_enum(ShowEntities.bl_idname, "art", text=entities.title())


CLASSES = (
    *operators.CLASSES,
    *structure.CLASSES,
    *images.CLASSES,
    *tiles.CLASSES,
    *automap.CLASSES,
    *resizing.CLASSES,
    *view.CLASSES,
    *play.CLASSES,
    LEVELWRIGHT_PT_teeworlds_view,
    LEVELWRIGHT_MT_teeworlds_image,
    LEVELWRIGHT_PT_teeworlds_edit,
    *motion.CLASSES,
    *sounds.CLASSES,
)
register, unregister = in_turn(
    stamp,  # its panel comes first: it is what is used most
    *CLASSES,
    play,
    motion,
    following,
    memory,
    views,
)
