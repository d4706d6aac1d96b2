# SPDX-License-Identifier: GPL-3.0-or-later
"""A level made larger or smaller at its edges: what its scene says is resized, and takes its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import bpy

from ...formats import fable
from ...formats.binary import FormatError
from ...formats.counting import number_of
from ...formats.fable import tng
from ...formats.fable.resize import LARGEST, Edges, move_things, resize
from ..scene.disk import known_files
from ..scene.fates import ledger
from ..scene.fields import declared, properties
from ..scene.interface.sidebar import AskingOperator
from ..scene.kept import identity, originals
from ..scene.level import needed_root
from ..scene.names import showable
from ..scene.reports import Report, SceneError
from ..scene.view import stage
from . import layout
from .exporter import collect_level
from .importer import build_scene
from .palettes import lists
from .settings import ExportSettings, ImportSettings
from .terrain.materials import pictures_of


def resize_level(
    context: bpy.types.Context, collection: bpy.types.Collection, edges: Edges, report: Report
) -> bpy.types.Collection:
    """Give a level another size, and return its collection, which is made anew and takes the old one's place.

    In a world its map's corner moves along, so that the ground stays where it is. What is edited is in the new level as
    an export would write it; it counts as imported. Raises SceneError, having left all as it was.
    """
    info = originals.describe(collection)
    if info is None:
        raise SceneError(f"{collection.name} is no level")
    level, things = collect_level(context, collection, ExportSettings(), report)
    try:
        size = edges.size(level.width, level.height)
        level = fable.read(fable.write(level))
        resize(level, edges)
        moved = None if things is None else tng.read(things)
        outside = 0 if moved is None else move_things(moved, edges, size)
        data = fable.write(level)
    except (FormatError, ValueError) as error:
        raise SceneError(f"{collection.name} can't be resized: {error}") from error
    if outside:
        report.warn(f"{number_of(outside, 'things lie')} outside of the level now")
    name = info.file_name or collection.name
    parts = {} if moved is None else {Path(name).stem + layout.TNG: tng.write(moved)}
    known = {one.name for one in fields(ImportSettings)}
    settings = ImportSettings(**{key: value for key, value in info.options.items() if key in known})
    held = data if info.sha256 else None
    before = stage.scene_settings(context)
    themes = lists.get(collection).themes
    pictures = {themes[slot]: image for slot, image in pictures_of(collection).items()}
    made = build_scene(context, fable.read(data), held, Path(name), settings, report, parts, pictures)
    stage.restore_settings(before)  # it is no import: one goes on looking where one looked
    for number, text in originals.resources(collection, originals.REPORTS).items():
        originals.set_resource(made, originals.REPORTS, number, text)
    _replace(context, collection, made, edges)
    ledger.enter(made, layout.FATES)
    return made


def _replace(context: bpy.types.Context, old: bpy.types.Collection, made: bpy.types.Collection, edges: Edges) -> None:
    """Put a level where another one is, and remove that with all that is in it."""
    before, now = needed_root(old), needed_root(made)
    now.location = before.location
    now.location.x -= edges.west
    now.location.y -= edges.south
    if old.get(layout.MAP) is not None:
        properties.put(made, layout.MAP, old[layout.MAP])
    known_files.inherit(made, old)
    scenes = [scene.collection for scene in bpy.data.scenes]
    for home in [*scenes, *bpy.data.collections]:
        if old.name in home.children and made.name not in home.children:
            home.children.link(made)
    if all(old.name not in scene.children for scene in scenes):
        for scene in scenes:
            if made.name in scene.children:
                scene.children.unlink(made)
    name, names = old.name, {one.name for one in _blocks(old)}
    _hand_over_sun(old, made)
    objects = list(old.all_objects)
    active = context.view_layer.objects.active if context.view_layer is not None else None
    held = active.name if active in objects else ""
    selected = [obj.name for obj in objects if obj.select_get()]
    data = {obj.data for obj in objects if obj.data is not None}
    bpy.data.batch_remove([*objects, *old.children_recursive, old, *(one for one in data if one.users <= 1)])
    made.name = showable(name)
    for block in _blocks(made):  # Blender numbered them, since the old ones were still there
        if (own := identity.unnumbered(block.name)) in names:
            block.name = showable(own)
    originals.make_active(context, made)
    _select_again(context, made, selected, held)


def _select_again(context: bpy.types.Context, made: bpy.types.Collection, selected: Sequence[str], active: str) -> None:
    """Select a level's objects by their names, and make one the active object ("": none)."""
    layer = context.view_layer
    if layer is None:
        return
    for obj in (one for one in made.all_objects if one.name in layer.objects):
        obj.select_set(obj.name in selected)
        if obj.name == active:
            layer.objects.active = obj


def _hand_over_sun(old: bpy.types.Collection, made: bpy.types.Collection) -> None:
    """Give a level the light that another one's import made for the scene: what was built beside it got none."""
    info = originals.describe(made)
    for obj in list(old.all_objects):
        if info is not None and obj.type == "LIGHT" and identity.kind_of(obj) == layout.PREVIEW:
            for home in obj.users_collection:
                home.objects.unlink(obj)
            made.objects.link(obj)
            obj.parent = needed_root(made)
            identity.stamp(obj, info.token, layout.PREVIEW, 0)


def _blocks(collection: bpy.types.Collection) -> list[bpy.types.ID]:
    """What a level's collection holds: objects, their data, collections."""
    objects = list(collection.all_objects)
    data = dict.fromkeys(obj.data for obj in objects if obj.data is not None)
    return [*objects, *data, *collection.children_recursive]


class LEVELWRIGHT_OT_fable_resize(AskingOperator):
    """Make the level larger or smaller at its edges: cells, atmospheres, navigation and things go along"""

    bl_idname = "levelwright.fable_resize"
    bl_label = "Resize Level"
    idle = "The level stays as it is: all sides are 0"
    confirm = "Resize"

    west: int = declared.integer(name="West", description="Units, multiples of 32", min=-LARGEST, max=LARGEST, step=32)
    east: int = declared.integer(name="East", description="Units, multiples of 32", min=-LARGEST, max=LARGEST, step=32)
    south: int = declared.integer(
        name="South", description="Units, multiples of 32", min=-LARGEST, max=LARGEST, step=32
    )
    north: int = declared.integer(
        name="North", description="Units, multiples of 32", min=-LARGEST, max=LARGEST, step=32
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool | None:
        """Resize it."""
        edges = Edges(self.west, self.east, self.south, self.north)
        if edges == Edges():
            return False
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        report = Report()
        resize_level(context, level, edges, report)
        for line in report.warnings:
            self.report({"WARNING"}, line)
        return None


CLASSES = (LEVELWRIGHT_OT_fable_resize,)
