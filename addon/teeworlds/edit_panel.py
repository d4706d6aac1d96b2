# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators and the sidebar panel that make and change maps; what they do is in `edit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ImportHelper

from ...formats.binary import FormatError
from ...formats.teeworlds.tile_faces import TILE_FIELDS
from ...formats.teeworlds.tiles import TileFlag
from ..scene import originals, properties
from ..scene.reports import SceneError
from . import edit, layout
from .layout import GroupProperties, LevelProperties
from .structure.collect import kind_of, layer_above
from .view import game_view as view

Result = set[Any]  # {"FINISHED"} or {"CANCELLED"}

LAYER_KINDS = [
    *((kind, kind.title(), f"A tile layer: {kind.lower()}") for kind in TILE_FIELDS),
    ("QUADS", "Quads", "A layer of pictures with four corners anywhere"),
    ("SOUNDS", "Sounds", "A layer of places where a sound is heard"),
]


def active_layer(context: bpy.types.Context) -> bpy.types.Object | None:
    """The layer that the active object is, or hangs below."""
    obj = context.active_object
    if obj is None:
        return None
    return obj if kind_of(obj) == layout.LAYER else layer_above(obj)


def active_group(context: bpy.types.Context, level: bpy.types.Collection) -> bpy.types.Collection | None:
    """The group that the active object or the active collection is in."""
    group = edit.group_of(level, context.active_object)
    if group is None and context.collection is not None:
        inside = [one for one in edit.group_collections(level) if context.collection in (one, *one.children_recursive)]
        group = inside[0] if inside else None
    return group


class _Edit:
    """What the operators on the active map share: one undo step, and errors as the user sees them."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a map."""
        return view.active_map(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Change the map."""
        level = view.active_map(context)
        if level is None:
            return {"CANCELLED"}
        try:
            self.change(context, level)
        except (SceneError, FormatError, OSError, RuntimeError) as error:
            message = str(error).strip().removeprefix("Error: ")  # Blender's own errors begin with that
            self.report({"ERROR"}, message)  # type: ignore[attr-defined]  # every subclass is an operator
            return {"CANCELLED"}
        return {"FINISHED"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Do what the operator is for."""
        raise NotImplementedError

    @staticmethod
    def layer(context: bpy.types.Context) -> bpy.types.Object:
        """The active layer; SceneError without one."""
        layer = active_layer(context)
        if layer is None:
            raise SceneError("the active object is no layer of the map")
        return layer

    @staticmethod
    def group(context: bpy.types.Context, level: bpy.types.Collection) -> bpy.types.Collection:
        """The active group; SceneError without one."""
        group = active_group(context, level)
        if group is None:
            raise SceneError("neither the active object nor the active collection is in a group of the map")
        return group


class NewMap(bpy.types.Operator):
    """Make a map with an empty game layer"""

    bl_idname = "levelwright.new_teeworlds_map"
    bl_label = "New Teeworlds Map"
    bl_options = {"REGISTER", "UNDO"}

    title: bpy.props.StringProperty(name="Name", default="New map")
    width: bpy.props.IntProperty(name="Width", description="In tiles", default=50, min=2, soft_max=1000)
    height: bpy.props.IntProperty(name="Height", description="In tiles", default=50, min=2, soft_max=1000)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for name and size."""
        return set(context.window_manager.invoke_props_dialog(self)) if context.window_manager else {"CANCELLED"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Make the map's collection and make it the active one."""
        try:
            level = edit.new_map(context, self.title, self.width, self.height)
        except FormatError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        originals.make_active(context, level)
        return {"FINISHED"}


def make_active(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Make an object the active one, unless its collection is excluded."""
    view_layer = context.view_layer
    if view_layer is not None:
        view_layer.update()
        if obj.name in view_layer.objects:
            view_layer.objects.active = obj


class EditSettings(_Edit, bpy.types.Operator):
    """Show the map's server settings in the text editor, a line a command; made if it has none"""

    bl_idname = "levelwright.edit_settings"
    bl_label = "Server Settings"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Show it where a text editor is open, and say what it is called."""
        text = edit.settings_text(level)
        for area in context.screen.areas if context.screen else ():
            space: Any = area.spaces.active
            if area.type == "TEXT_EDITOR":
                space.text = text
        self.report({"INFO"}, f"The settings are in the text {text.name!r}")


class AddGroup(_Edit, bpy.types.Operator):
    """Add a group of layers in front of all others"""

    bl_idname = "levelwright.add_group"
    bl_label = "Add Group"
    bl_options = {"REGISTER", "UNDO"}

    title: bpy.props.StringProperty(name="Name", description="Up to 11 bytes", maxlen=11)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make the group and make it the active one: layers are added to the group of the active object."""
        group = edit.add_group(level, self.title)
        originals.make_active(context, group)
        make_active(context, edit.root_of(group))


class AddLayer(_Edit, bpy.types.Operator):
    """Add a layer in front of the others of the active group"""

    bl_idname = "levelwright.add_layer"
    bl_label = "Add Layer"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(name="Kind", items=LAYER_KINDS)
    title: bpy.props.StringProperty(name="Name", description="Up to 11 bytes", maxlen=11)
    width: bpy.props.IntProperty(name="Width", description="In tiles; 0 = that of the game layer", min=0)
    height: bpy.props.IntProperty(name="Height", description="In tiles; 0 = that of the game layer", min=0)
    resource: bpy.props.IntProperty(
        name="Image or Sound", description="Its number in the map, -1 = none", default=-1, min=-1
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make the layer and make it the active object."""
        group = self.group(context, level)
        if self.kind == "QUADS":
            made = edit.add_quad_layer(level, group, self.title, self.resource)
        elif self.kind == "SOUNDS":
            made = edit.add_sound_layer(level, group, self.title, self.resource)
        else:
            width, height = edit.game_size(level)
            size = (self.width or width, self.height or height)
            made = edit.add_tile_layer(level, group, self.kind, self.title, size, self.resource)
            if self.kind != "TILES":
                view.show_physics(level, True)
        make_active(context, made)


class MoveLayer(_Edit, bpy.types.Operator):
    """Draw the active layer later or earlier than its neighbour"""

    bl_idname = "levelwright.move_layer"
    bl_label = "Move Layer"
    bl_options = {"REGISTER", "UNDO"}

    steps: bpy.props.IntProperty(name="Steps", description="Positive: later, in front", default=1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move it within its group."""
        edit.move_layer(level, self.layer(context), self.steps)


class MoveGroup(_Edit, bpy.types.Operator):
    """Draw the active group later or earlier than its neighbour"""

    bl_idname = "levelwright.move_group"
    bl_label = "Move Group"
    bl_options = {"REGISTER", "UNDO"}

    steps: bpy.props.IntProperty(name="Steps", description="Positive: later, in front", default=1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move it."""
        edit.move_group(level, self.group(context, level), self.steps)


class MoveToGroup(_Edit, bpy.types.Operator):
    """Put the active layer into another group; what it holds keeps its place in the group"""

    bl_idname = "levelwright.move_to_group"
    bl_label = "Move Layer to Group"
    bl_options = {"REGISTER", "UNDO"}

    target: bpy.props.IntProperty(name="Group", description="Its number in draw order, from 0", min=0)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move it."""
        groups = edit.group_collections(level)
        if self.target >= len(groups):
            raise SceneError(f"there is no group {self.target}: the map has {len(groups)}")
        edit.move_to_group(level, self.layer(context), groups[self.target])


class RemoveLayer(_Edit, bpy.types.Operator):
    """Remove the active layer with all that is in it"""

    bl_idname = "levelwright.remove_layer"
    bl_label = "Remove Layer"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        edit.remove_layer(level, self.layer(context))


class RemoveGroup(_Edit, bpy.types.Operator):
    """Remove the active group with all its layers"""

    bl_idname = "levelwright.remove_group"
    bl_label = "Remove Group"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        edit.remove_group(level, self.group(context, level))


class AddClip(_Edit, bpy.types.Operator):
    """Give the active group a clip rectangle: move and scale it; layers show only inside"""

    bl_idname = "levelwright.add_clip"
    bl_label = "Add Clip Rectangle"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make it."""
        edit.add_clip(level, self.group(context, level))


class AddImage(_Edit, ImportHelper, bpy.types.Operator):  # type: ignore[misc]  # as Blender's own importers are
    """Add an image to the map, from a file"""

    bl_idname = "levelwright.add_image"
    bl_label = "Add Image"
    bl_options = {"REGISTER", "UNDO"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default="*.png;*.tga;*.jpg;*.webp;*.bmp", options={"HIDDEN"})
    external: bpy.props.BoolProperty(name="External", description="The map holds only its name")

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Load it and let the map hold it."""
        path = Path(bpy.path.abspath(self.filepath))
        image = bpy.data.images.load(str(path))
        if not all(image.size):
            bpy.data.images.remove(image)
            raise SceneError(f"{path}: no image that Blender can read")
        edit.add_image(level, image, self.external)


class RemoveImage(_Edit, bpy.types.Operator):
    """Remove an image from the map and from this file; layers that show it lose it"""

    bl_idname = "levelwright.remove_image"
    bl_label = "Remove Image"
    bl_options = {"REGISTER", "UNDO"}

    record: bpy.props.IntProperty(name="Image", min=0)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        edit.remove_image(level, self.record)


class SetImage(_Edit, bpy.types.Operator):
    """Show this image on the active layer"""

    bl_idname = "levelwright.set_image"
    bl_label = "Set Layer Image"
    bl_options = {"REGISTER", "UNDO"}

    record: bpy.props.IntProperty(name="Image", description="Its number in the map, -1 = none", default=-1, min=-1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Set it."""
        edit.set_image(level, self.layer(context), self.record)


class FillTiles(_Edit, bpy.types.Operator):
    """Fill a rectangle of the active tile layer with one tile, or empty it (index 0)"""

    bl_idname = "levelwright.fill_tiles"
    bl_label = "Fill Tiles"
    bl_options = {"REGISTER", "UNDO"}

    x: bpy.props.IntProperty(name="X", description="Column of the first tile", min=0)
    y: bpy.props.IntProperty(name="Y", description="Row of the first tile", min=0)
    width: bpy.props.IntProperty(name="Width", default=1, min=1)
    height: bpy.props.IntProperty(name="Height", default=1, min=1)
    index: bpy.props.IntProperty(name="Index", description="0 = air", default=1, min=0, max=255)
    flip_x: bpy.props.BoolProperty(name="Mirror Left to Right")
    flip_y: bpy.props.BoolProperty(name="Mirror Top to Bottom")
    rotate: bpy.props.BoolProperty(name="Rotate")

    def change(self, context: bpy.types.Context, _level: bpy.types.Collection) -> None:
        """Fill it."""
        flags = self.flip_x * TileFlag.XFLIP | self.flip_y * TileFlag.YFLIP | self.rotate * TileFlag.ROTATE
        edit.fill_tiles(self.layer(context), (self.x, self.y), (self.width, self.height), self.index, int(flags))


class LEVELWRIGHT_PT_teeworlds_edit(bpy.types.Panel):
    """What the active map holds, and how to change it."""

    bl_label = "Teeworlds Map"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the active group and layer with their properties, and the map's images."""
        level, column = view.active_map(context), self.layout
        if column is None:
            return
        column.operator(NewMap.bl_idname, icon="FILE_NEW")
        if level is None:
            return
        column.use_property_split = True
        column.use_property_decorate = False
        _section(column, "map", level.name, lambda body: _draw_map(body, level))
        _section(column, "group", "Group", lambda body: _draw_group(body, active_group(context, level)))
        _section(column, "layer", "Layer", lambda body: _draw_layer(body, active_layer(context)))
        _section(column, "images", "Images", lambda body: _draw_images(body, level))


def _section(column: bpy.types.UILayout, key: str, title: str, draw: Any) -> None:
    header, body = column.panel(f"LEVELWRIGHT_teeworlds_{key}")
    header.label(text=title)
    if body is not None:
        draw(body)


def _draw_properties(column: bpy.types.UILayout, block: bpy.types.ID, cls: type) -> None:
    for field in properties.fields(cls):
        if block.get(field.name) is not None:
            column.prop(block, f'["{field.name}"]', text=field.name.replace("_", " ").capitalize())


def _draw_map(column: bpy.types.UILayout, level: bpy.types.Collection) -> None:
    _draw_properties(column, level, LevelProperties)
    column.operator(EditSettings.bl_idname, icon="TEXT")


def _draw_group(column: bpy.types.UILayout, group: bpy.types.Collection | None) -> None:
    column.operator(AddGroup.bl_idname, icon="ADD")
    if group is None:
        column.label(text="No group is active")
        return
    column.label(text=group.name)
    _draw_properties(column, edit.root_of(group), GroupProperties)
    row = column.row(align=True)
    row.operator(MoveGroup.bl_idname, text="", icon="TRIA_UP").steps = 1
    row.operator(MoveGroup.bl_idname, text="", icon="TRIA_DOWN").steps = -1
    row.operator(AddClip.bl_idname, text="Clip")
    row.operator(RemoveGroup.bl_idname, text="", icon="REMOVE")


def _draw_layer(column: bpy.types.UILayout, layer: bpy.types.Object | None) -> None:
    column.operator_menu_enum(AddLayer.bl_idname, "kind", icon="ADD")
    if layer is None:
        column.label(text="No layer is active")
        return
    column.label(text=layer.name)
    _draw_properties(column, layer, edit.properties_of(layer))
    if layer.get("tile_kind") is not None:
        column.prop(layer, "color")
        column.operator(FillTiles.bl_idname)
    row = column.row(align=True)
    row.operator(MoveLayer.bl_idname, text="", icon="TRIA_UP").steps = 1
    row.operator(MoveLayer.bl_idname, text="", icon="TRIA_DOWN").steps = -1
    row.operator(MoveToGroup.bl_idname, text="To Group")
    row.operator(RemoveLayer.bl_idname, text="", icon="REMOVE")


def _draw_images(column: bpy.types.UILayout, level: bpy.types.Collection) -> None:
    for record, image in originals.resources(level, layout.IMAGE).items():
        row = column.row(align=True)
        row.label(text=f"{record}: {image.name}", icon="IMAGE_DATA")
        row.operator(SetImage.bl_idname, text="", icon="MATERIAL").record = record
        row.operator(RemoveImage.bl_idname, text="", icon="REMOVE").record = record
    row = column.row(align=True)
    row.operator(AddImage.bl_idname, icon="ADD")
    row.operator(SetImage.bl_idname, text="None", icon="MATERIAL").record = -1


CLASSES = (
    NewMap,
    EditSettings,
    AddGroup,
    AddLayer,
    MoveLayer,
    MoveGroup,
    MoveToGroup,
    RemoveLayer,
    RemoveGroup,
    AddClip,
    AddImage,
    RemoveImage,
    SetImage,
    FillTiles,
    LEVELWRIGHT_PT_teeworlds_edit,
)


def _new_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(NewMap.bl_idname, icon="FILE_NEW")


def register() -> None:
    """Register the operators, the panel and the entry of File > New."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_new.append(_new_menu)


def unregister() -> None:
    """Undo `register`."""
    bpy.types.TOPBAR_MT_file_new.remove(_new_menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
