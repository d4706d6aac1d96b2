# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups made, moved and removed; layers of any kind moved and removed.

What is made here looks as if it had been imported, but isn't a record of any file: its stamps say -1.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import teeworlds
from ...scene.fields import declared
from ...scene.geometry import transforms
from ...scene.kept import identity, originals
from ...scene.level import needed_root
from ...scene.reports import SceneError
from .. import layout
from ..layout import NEW
from . import group_build as groups
from .clips import clip_empty
from .map_operator import MapOperator, make_object_active
from .parts import game_group, game_size, group_of, group_root, groups_of, layers_of, move, restack, tile_kind, token_of


def add_group(level: bpy.types.Collection, name: str) -> bpy.types.Collection:
    """Add an empty group in front of all others. Raises SceneError for a level without its root."""
    root = needed_root(level)
    token = token_of(level)
    made = groups.build(teeworlds.Group.new(name), len(groups_of(level)), False, level, root, token)
    for block in (made.collection, made.root):
        identity.stamp(block, token, layout.GROUP, NEW)
    return made.collection


def add_clip(level: bpy.types.Collection, group: bpy.types.Collection) -> bpy.types.Object:
    """Give a group a clip rectangle of 20 x 15 tiles; layers made from now on are drawn clipped."""
    root, record = group_root(group), teeworlds.Group.new()
    if root.parent is None:
        raise SceneError(f"{root.name} isn't below the level's root empty", [root])
    record.clip_w, record.clip_h = 20 * layout.TILE, 15 * layout.TILE
    rectangle = clip_empty(f"Clip {group.name}", record, root.parent)
    group.objects.link(rectangle)
    identity.stamp(rectangle, token_of(level), layout.CLIP, NEW)
    root["use_clip"] = True
    return rectangle


def move_group(level: bpy.types.Collection, group: bpy.types.Collection, steps: int) -> None:
    """Draw a group later (steps > 0) or earlier than its neighbours."""
    order = groups_of(level)
    move(order, group, steps)
    for child in order:  # Blender has no other way to order collections
        level.children.unlink(child)
    for child in order:
        level.children.link(child)
    restack(level)


def remove_group(level: bpy.types.Collection, group: bpy.types.Collection) -> None:
    """Remove a group with all that is in it."""
    bpy.data.batch_remove([*group.all_objects, *group.children_recursive, group])
    restack(level)


def move_layer(level: bpy.types.Collection, layer: bpy.types.Object, steps: int) -> None:
    """Draw a layer later (steps > 0) or earlier than the other layers of its group."""
    group = group_of(level, layer)
    if group is None:
        raise SceneError(f"{layer.name} is not in a group", [layer])
    order = layers_of(group)
    move(order, layer, steps)
    for number, one in enumerate(order):
        one[layout.ORDER] = int(number)
    restack(level)


def move_to_group(level: bpy.types.Collection, layer: bpy.types.Object, group: bpy.types.Collection) -> None:
    """Put a layer, with all below it, into another group, in front of that group's layers.

    One that was in none, as what is dragged in from the asset browser, stays where it is seen; if it has tiles, it goes
    to the next cell and is as large as the game layer.
    """
    if group_of(level, layer) is None:
        _adopt(level, layer, group)
    layer[layout.ORDER] = len(layers_of(group))
    for obj in (layer, *layer.children_recursive):
        for old in obj.users_collection:
            old.objects.unlink(obj)
        group.objects.link(obj)
    layer.parent = group_root(group)
    restack(level)


def _adopt(level: bpy.types.Collection, layer: bpy.types.Object, group: bpy.types.Collection) -> None:
    """Have a layer that was in no group lie in one as its own layers do."""
    seen = transforms.compose(layer, None)[:, 3]
    layer.location = np.linalg.solve(transforms.compose(group_root(group), None, deltas=False), seen)[:3].tolist()
    if tile_kind(layer) is not None:
        layer.location.xy = (round(layer.location.x), round(layer.location.y))
        layer.rotation_euler = (0.0, 0.0, 0.0)  # dropped onto a surface, it has that one's
        layer["width"], layer["height"] = game_size(level)


def remove_layer(level: bpy.types.Collection, layer: bpy.types.Object) -> None:
    """Remove a layer with all below it."""
    bpy.data.batch_remove([layer, *layer.children_recursive])
    restack(level)


class AddGroup(MapOperator):
    """Add a group of layers in front of all others"""

    bl_idname = "levelwright.teeworlds_add_group"
    bl_label = "Add Group"

    title: str = declared.string(name="Name", description="Up to 11 bytes", maxlen=11)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make the group and make it the active one: layers are added to the group of the active object."""
        group = add_group(level, self.title)
        originals.make_active(context, group)
        make_object_active(context, group_root(group))


class AddClip(MapOperator):
    """Give the active group a clip rectangle: move and scale it; layers show only inside"""

    bl_idname = "levelwright.teeworlds_add_clip"
    bl_label = "Add Clip Rectangle"
    needs_group = True

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make it."""
        add_clip(level, self.group(context, level))


class MoveGroup(MapOperator):
    """Draw the active group later or earlier than its neighbour"""

    bl_idname = "levelwright.teeworlds_move_group"
    bl_label = "Move Group"
    needs_group = True

    steps: int = declared.integer(name="Steps", description="Positive: later, in front", default=1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move it."""
        move_group(level, self.group(context, level), self.steps)


class RemoveGroup(MapOperator):
    """Remove the active group with all its layers"""

    bl_idname = "levelwright.teeworlds_remove_group"
    bl_label = "Remove Group"
    needs_group = True

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        remove_group(level, self.group(context, level))


class MoveLayer(MapOperator):
    """Draw the active layer later or earlier than its neighbour"""

    bl_idname = "levelwright.teeworlds_move_layer"
    bl_label = "Move Layer"
    needs_layer = True

    steps: int = declared.integer(name="Steps", description="Positive: later, in front", default=1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move it within its group."""
        move_layer(level, self.layer(context), self.steps)


class MoveToGroup(MapOperator):
    """Put the active layer into another group. What it holds keeps its place; one from the asset browser is aligned"""

    bl_idname = "levelwright.teeworlds_move_to_group"
    bl_label = "Move Layer to Group"
    needs_layer = True

    target: int = declared.integer(
        name="Group", description="Its number in draw order, from 0; -1: that of the game layer", default=-1, min=-1
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move it: at first to where players are, since the rearmost group's other layers would be in front of it."""
        groups = groups_of(level)
        if self.target < 0:
            self.target = game_group(groups)
        if self.target >= len(groups):
            raise SceneError(f"there is no group {self.target}: the map has {len(groups)}")
        move_to_group(level, self.layer(context), groups[self.target])


class RemoveLayer(MapOperator):
    """Remove the active layer with all that is in it"""

    bl_idname = "levelwright.teeworlds_remove_layer"
    bl_label = "Remove Layer"
    needs_layer = True

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        remove_layer(level, self.layer(context))


CLASSES = (AddGroup, AddClip, MoveGroup, RemoveGroup, MoveLayer, MoveToGroup, RemoveLayer)
