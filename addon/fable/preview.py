# SPDX-License-Identifier: GPL-3.0-or-later
"""What an export would make of navigation, over the ground: before anything is written."""

from __future__ import annotations

import bpy
import numpy as np

from ...formats import fable
from ...formats.arrays import Records
from ...formats.binary import FormatError
from ...formats.fable.changes import COST, GAINED, LOST, different
from ...formats.fable.geometry import finite_heights, leaf_corners, over_ground, unit_squares
from ..scene.fields import declared
from ..scene.geometry import meshes
from ..scene.interface.sidebar import LevelOperator
from ..scene.kept import identity, originals
from ..scene.kept.identity import kind_of
from ..scene.media.materials import shader
from ..scene.names import showable
from ..scene.reports import Report, SceneError, listed
from . import layout
from .exporter import collect_level
from .navigation.ground import LOWEST
from .settings import ExportSettings

NAME = "Navigation preview"
LIFT = 0.4
"""How far squares lie over the ground, units."""
COLORS: dict[int, tuple[str, tuple[float, float, float, float]]] = {
    GAINED: ("walkable now", (0.05, 0.7, 0.1, 1.0)),
    LOST: ("lost", (0.9, 0.03, 0.02, 1.0)),
    COST: ("other cost", (0.9, 0.6, 0.0, 1.0)),
}
"""What became of ground -> its material's name and colour."""


def preview(context: bpy.types.Context, collection: bpy.types.Collection, how: str) -> list[str]:
    """Show what an export with this setting of `ground_navigation` would make of navigation; returns it in words.

    Squares that become walkable are green, lost ones red, those of another cost yellow. Raises SceneError as an export.
    """
    clear(collection)
    original = originals.find(collection)
    made, _ = collect_level(context, collection, ExportSettings(ground_navigation=how), Report())
    was = {} if original is None else {one.name: one for one in fable.read(original.data).sections or ()}
    lines: list[str] = []
    home: bpy.types.Collection | None = None
    for section in made.sections or ():
        try:
            old = was[section.name].navigation if section.name in was else None
            now = section.navigation
            squares = different(old, now, LOWEST)
            told = list(fable.changes(old, now, LOWEST).lines()) if old is not None else ["it is new"]
        except FormatError as error:
            raise SceneError(f"section {section.name} can't be shown: {error}") from error
        lines += [f"{section.name}: {', '.join(told)}"] if told else []
        if len(squares):
            home = home or _home(collection)
            home.objects.link(_object(collection, section.name, squares, made))
    return lines


def clear(collection: bpy.types.Collection) -> bool:
    """Remove a level's preview; whether there was one."""
    found = [one for one in collection.children if kind_of(one) == layout.PREVIEW and one.name.startswith(NAME)]
    for one in found:
        data = [obj.data for obj in one.objects]
        bpy.data.batch_remove([*one.objects, *(mesh for mesh in data if mesh is not None), one])
    return bool(found)


def _home(collection: bpy.types.Collection) -> bpy.types.Collection:
    made = bpy.data.collections.new(NAME)
    mark = identity.stamped(collection)
    identity.stamp(made, mark.token if mark is not None else 0, layout.PREVIEW, -1)
    collection.children.link(made)
    return made


def _object(collection: bpy.types.Collection, name: str, squares: Records, level: fable.Level) -> bpy.types.Object:
    """The squares of a section, a face for each unit of them: large ones would lie far above hilly ground."""
    squares = unit_squares(squares)
    corners = leaf_corners(squares)
    z = over_ground(finite_heights(level.cells), corners, squares["level"]) + np.float32(LIFT)
    points = np.concatenate([corners, z[:, :, None]], axis=2).reshape(-1, 3)
    kinds = squares["preference"].astype(np.int32)
    mesh = meshes.build(showable(name) or "-", points, attributes={"material_index": ("FACE", "INT", kinds)})
    for title, color in COLORS.values():
        mesh.materials.append(_material(title, color))
    made = bpy.data.objects.new(mesh.name, mesh)
    made.parent = next((obj for obj in collection.all_objects if kind_of(obj) == layout.ROOT), None)
    mark = identity.stamped(collection)
    identity.stamp(made, mark.token if mark is not None else 0, layout.PREVIEW, -1)
    return made


def _material(title: str, color: tuple[float, float, float, float]) -> bpy.types.Material:
    """The material of a kind of square, made once for all previews."""
    name = f"{NAME}: {title}"
    if name in bpy.data.materials:
        return bpy.data.materials[name]
    made = bpy.data.materials.new(showable(name))
    made.diffuse_color = color
    nodes = shader(made)
    emission = nodes.feed(nodes.add("ShaderNodeEmission"), Color=color)
    nodes.link(emission.outputs[0], nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])
    return made


class LEVELWRIGHT_OT_fable_preview_navigation(LevelOperator):
    """Show what an export would make of navigation: green is walkable then, red lost, yellow costs other than now"""

    bl_idname = "levelwright.fable_preview_navigation"
    bl_label = "Preview Navigation"

    how: str = declared.menu(
        name="Navigation",
        items=[
            ("patch", "Patch", "Follows the cells whose passability or path was changed"),
            ("rebuild", "Rebuild", "The lowest layer is made anew from the ground; outlines of objects are lost"),
            ("clear", "Clear", "Remove the preview"),
        ],
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool | None:
        """Make it, or remove it, and say what would change."""
        if self.how == "clear":
            return clear(level)
        lines = preview(context, level, self.how)
        shown = listed(lines) if lines else "navigation would stay as it is"
        self.report({"INFO"}, shown)
        return None


CLASSES = (LEVELWRIGHT_OT_fable_preview_navigation,)
