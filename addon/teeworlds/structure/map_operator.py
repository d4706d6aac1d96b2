# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators on a map share: the active map, group and layer, one undo step, and errors as the user sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import bpy

from ...scene.interface import sidebar
from ...scene.kept import originals
from ...scene.kept.identity import kind_of
from ...scene.reports import FAILURES, SceneError
from .. import layout
from .parts import group_of, groups_of, layer_above, tile_kind

NO_LAYER = "The active object is not a layer of the map"
NO_GROUP = "Neither the active object nor the active collection is in a group of the map"


def active_map(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The level that the active object is in, or else the active one, if it is a map."""
    obj = context.active_object
    if obj is not None and context.scene is not None:
        level = next((one for one in originals.levels(context.scene) if obj.name in one.all_objects), None)
        if level is not None:
            return level if originals.format_of(level) == layout.FORMAT else None
    return sidebar.active_level(context, layout.FORMAT)


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


def make_object_active(
    context: bpy.types.Context, obj: bpy.types.Object, selected: Sequence[bpy.types.Object] | None = None
) -> None:
    """Make an object the active one, and select it alone, as Blender's own operators do with what they add.

    selected: what is selected instead of it. Objects whose collection is excluded are left alone.
    """
    view_layer = context.view_layer
    if view_layer is None:
        return
    view_layer.update()
    if obj.name in view_layer.objects:
        view_layer.objects.active = obj
    for other in list(view_layer.objects.selected):
        other.select_set(False)
    for chosen in (obj,) if selected is None else selected:
        if chosen.name in view_layer.objects:
            chosen.select_set(True)


Kinds = Literal["TILES", "DRAWN", "IMAGE", "SOUNDS"]
_FITTING: dict[Kinds, tuple[Callable[[bpy.types.Object], bool], str]] = {
    "TILES": (lambda layer: tile_kind(layer) is not None, "one of tiles"),
    "DRAWN": (lambda layer: tile_kind(layer) == "TILES", "one of drawn tiles"),
    "IMAGE": (
        lambda layer: tile_kind(layer) in (None, "TILES") and layer.get("image") is not None,
        "one with an image",
    ),
    "SOUNDS": (lambda layer: layer.get("sound") is not None, "one of sounds"),
}
"""Kinds of layers, and what is said of others."""
_RESOURCES = {layout.IMAGE: "images", layout.SOUND: "sounds", layout.ENVELOPE: "envelopes"}


class OnMap(sidebar.OnLevel):
    """Mixed into panels and operators that are about the active map."""

    @classmethod
    def level(cls, context: bpy.types.Context) -> bpy.types.Collection | None:
        """The active map, by the active object first."""
        return active_map(context)


class MapOperator(OnMap, sidebar.LevelOperator):
    """What the operators on the active map share: one undo step, and errors as the user sees them."""

    failures = (*FAILURES, RuntimeError)
    """RuntimeError: of Blender's own operators."""
    needs_layer: ClassVar[bool] = False
    """Whether it is about the active layer."""
    needs_group: ClassVar[bool] = False
    """Whether it is about the active group."""
    layer_kind: ClassVar[Kinds | None] = None
    """Which layers it is for, where it needs one; None: all."""
    needs_resource: ClassVar[str] = ""
    """The kind of resource that it is about: layout.IMAGE, SOUND or ENVELOPE."""

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for a layer or a group, where it is about one, and for a map that has what it is about."""
        layer = active_layer(context)
        if cls.needs_layer and layer is None:
            return NO_LAYER
        if cls.layer_kind is not None and layer is not None:
            fits, what = _FITTING[cls.layer_kind]
            if layer.get(layout.STORAGE) == layout.KEPT:
                return "The active layer can't be read, so it stays as it is"
            if not fits(layer):
                return f"The active layer is not {what}"
        if cls.needs_group and active_group(context, level) is None:
            return NO_GROUP
        if cls.needs_resource and not originals.resources(level, cls.needs_resource):
            return f"The map has no {_RESOURCES[cls.needs_resource]}"
        return super().lacks(context, level)

    @staticmethod
    def layer(context: bpy.types.Context) -> bpy.types.Object:
        """The active layer; SceneError without one."""
        layer = active_layer(context)
        if layer is None:
            raise SceneError(NO_LAYER)
        return layer

    @staticmethod
    def group(context: bpy.types.Context, level: bpy.types.Collection) -> bpy.types.Collection:
        """The active group; SceneError without one."""
        group = active_group(context, level)
        if group is None:
            raise SceneError(NO_GROUP)
        return group
