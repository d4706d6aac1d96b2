# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of any kind moved and removed."""

from __future__ import annotations

from typing import Any

import bpy

from ...scene.reports import SceneError
from .. import layout
from ..structure.map_operator import MapOperator
from ..structure.parts import group_of, groups_of, layers_of, move, restack, root_of


def move_layer(level: bpy.types.Collection, layer: bpy.types.Object, steps: int) -> None:
    """Draw a layer later (steps > 0) or earlier than the other layers of its group."""
    group = group_of(level, layer)
    if group is None:
        raise SceneError(f"{layer.name} is not in a group", [layer])
    order = layers_of(group)
    move(order, layer, steps)
    for number, one in enumerate(order):
        one[layout.ORDER] = number
    restack(level)


def move_to_group(level: bpy.types.Collection, layer: bpy.types.Object, group: bpy.types.Collection) -> None:
    """Put a layer, with all below it, into another group, in front of that group's layers."""
    layer[layout.ORDER] = len(layers_of(group))
    for obj in (layer, *layer.children_recursive):
        for old in obj.users_collection:
            old.objects.unlink(obj)
        group.objects.link(obj)
    layer.parent = root_of(group)
    restack(level)


def remove_layer(level: bpy.types.Collection, layer: bpy.types.Object) -> None:
    """Remove a layer with all below it."""
    bpy.data.batch_remove([layer, *layer.children_recursive])
    restack(level)


class MoveLayer(MapOperator, bpy.types.Operator):
    """Draw the active layer later or earlier than its neighbour"""

    bl_idname = "levelwright.teeworlds_move_layer"
    bl_label = "Move Layer"
    bl_options = {"REGISTER", "UNDO"}

    steps: bpy.props.IntProperty(name="Steps", description="Positive: later, in front", default=1)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move it within its group."""
        move_layer(level, self.layer(context), self.steps)


class MoveToGroup(MapOperator, bpy.types.Operator):
    """Put the active layer into another group; what it holds keeps its place in the group"""

    bl_idname = "levelwright.teeworlds_move_to_group"
    bl_label = "Move Layer to Group"
    bl_options = {"REGISTER", "UNDO"}

    target: bpy.props.IntProperty(name="Group", description="Its number in draw order, from 0", min=0)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move it."""
        groups = groups_of(level)
        if self.target >= len(groups):
            raise SceneError(f"there is no group {self.target}: the map has {len(groups)}")
        move_to_group(level, self.layer(context), groups[self.target])


class RemoveLayer(MapOperator, bpy.types.Operator):
    """Remove the active layer with all that is in it"""

    bl_idname = "levelwright.teeworlds_remove_layer"
    bl_label = "Remove Layer"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Remove it."""
        remove_layer(level, self.layer(context))


CLASSES: tuple[type[Any], ...] = (MoveLayer, MoveToGroup, RemoveLayer)
