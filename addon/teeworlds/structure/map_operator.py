# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators on a map share: the active map, group and layer, one undo step, and errors as the user sees them."""

from __future__ import annotations

from typing import Any

import bpy

from ....formats.binary import FormatError
from ...scene import originals
from ...scene.reports import SceneError
from .. import layout
from .parts import group_of, groups_of, kind_of, layer_above

Result = set[Any]  # {"FINISHED"} or {"CANCELLED"}


def active_map(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The level that the active object is in, or else the active one, if it is a map."""
    obj, level = context.active_object, originals.level_of(context)
    if obj is not None and context.scene is not None:
        level = next((one for one in originals.levels(context.scene) if obj.name in one.all_objects), level)
    info = originals.describe(level) if level is not None else None
    return level if info is not None and info.format == "teeworlds" else None


def active_layer(context: bpy.types.Context) -> bpy.types.Object | None:
    """The layer that the active object is, or hangs below."""
    obj = context.active_object
    if obj is None:
        return None
    return obj if kind_of(obj) == layout.LAYER else layer_above(obj)


def active_group(context: bpy.types.Context, level: bpy.types.Collection) -> bpy.types.Collection | None:
    """The group that the active object or the active collection is in."""
    group = group_of(level, context.active_object)
    if group is None and context.collection is not None:
        inside = [one for one in groups_of(level) if context.collection in (one, *one.children_recursive)]
        group = inside[0] if inside else None
    return group


def make_object_active(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Make an object the active one, unless its collection is excluded."""
    view_layer = context.view_layer
    if view_layer is not None:
        view_layer.update()
        if obj.name in view_layer.objects:
            view_layer.objects.active = obj


class MapOperator:
    """What the operators on the active map share: one undo step, and errors as the user sees them."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a map."""
        return active_map(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Change the map."""
        level = active_map(context)
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
            raise SceneError("the active object is not a layer of the map")
        return layer

    @staticmethod
    def group(context: bpy.types.Context, level: bpy.types.Collection) -> bpy.types.Collection:
        """The active group; SceneError without one."""
        group = active_group(context, level)
        if group is None:
            raise SceneError("neither the active object nor the active collection is in a group of the map")
        return group
