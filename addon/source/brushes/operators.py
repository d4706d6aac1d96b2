# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes of a map that is open in Blender, new and cut, for its world and for an export as VMF."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ....formats import source
from ....formats.source import vmf
from ....formats.source.tree.brushes import of_models
from ....formats.source.vmf.uv import size_of, uv_of
from ...scene.fields import declared
from ...scene.geometry import edit_mode, meshes
from ...scene.interface.sidebar import LevelOperator
from ...scene.kept import originals
from ...scene.level import needed_root
from ...scene.names import showable
from ...scene.reports import Report, SceneError
from .. import layout
from ..adding.open_map import importing_into
from ..adding.operators import AddAtCursor, known_materials
from ..context import ImportContext
from .collect import is_drawn
from .cutting import Cutter

SIZE, GRID = 64.0, 8.0
"""Units: of a new brush each way, and what its corners lie on."""

_QUADS = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
_NORMALS = ((0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0), (-1, 0, 0), (1, 0, 0))


def add_brush(
    context: bpy.types.Context, level: bpy.types.Collection, material: str, place: Sequence[float], report: Report
) -> bpy.types.Object:
    """Add a box of a material to the brushes, its corners on the grid, and show their collection.

    place: its middle, units below the root. Raises SceneError.
    """
    importing = importing_into(context, level, report)
    made = box(importing, "Brush", material, place)
    home = importing.group(layout.BRUSH_HOME)
    home.hide_viewport = False
    home.objects.link(made)
    return made


def box(importing: ImportContext, name: str, material: str, place: Sequence[float]) -> bpy.types.Object:
    """A box of a material, its corners on the grid, in no collection yet. place: its middle, units below the root."""
    low = np.round((np.array(place[:3]) - SIZE / 2) / GRID) * GRID
    corners = np.array([(n & 1, n >> 1 & 1, n >> 2 & 1) for n in range(8)]) * SIZE
    quads = np.array(_QUADS).reshape(-1)
    vectors = vmf.standard(np.array(_NORMALS, np.float64)).repeat(4, axis=0)
    texels = np.einsum("nki,ni->nk", vectors[:, :, :3], (corners + low)[quads])
    size = size_of(material, vmf.sizes(importing.level))
    uvs = {layout.UV: uv_of(texels, np.array([size]))}
    mesh = meshes.build(name, corners, quads, np.arange(6) * 4, uvs, report=importing.report)
    mesh.materials.append(importing.materials.of(material, size=size))
    made: bpy.types.Object = bpy.data.objects.new(showable(name), mesh)
    made.parent = importing.root
    made.location = low.tolist()
    return made


class AddBrush(AddAtCursor):
    """Add a box to the Source map's brushes at the 3D cursor, for edits of the world and an export as VMF"""

    bl_idname = "levelwright.source_add_brush"
    bl_label = "Add Brush"
    add = staticmethod(add_brush)

    what: str = declared.string(
        name="Material",
        description="Path of the material, such as dev/dev_measuregeneric01, tools/toolsplayerclip",
        default="dev/dev_measuregeneric01",
        search=known_materials,
    )


class CutBrushes(LevelOperator):
    """Take the other selected meshes out of the brushes of the active one: a door out of a wall, as convex brushes"""

    bl_idname = "levelwright.source_cut_brushes"
    bl_label = "Cut Brushes"
    needs_selection = True
    needs_mode = "OBJECT"
    idle = "Nothing that is selected reaches into a brush of the active object"

    keep: bool = declared.boolean(name="Keep what cuts", description="Else it is deleted afterwards")
    entities: bool = declared.boolean(
        name="Brushes of entities",
        description="Those are cut, too, for an export as VMF. In a map an entity's own mesh is what counts",
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Cut, and leave the brushes selected alone."""
        active = context.active_object
        others = [obj for obj in context.selected_objects or () if obj != active and obj.type == "MESH"]
        if active is None or active not in set(level.all_objects) or not is_drawn(active):
            raise SceneError(
                "make the object with the brushes active, the last that is selected: one of those in Brushes"
            )
        if not others:
            raise SceneError("select what cuts, too: a mesh, then the brushes")
        if not _cutter(level, active, spare_entities=not self.entities).take_out(
            others, context.evaluated_depsgraph_get()
        ):
            return False
        if not self.keep:
            for obj in others:
                bpy.data.objects.remove(obj)
        return True


class SplitBrushes(LevelOperator):
    """Make several brushes of each selected one that isn't convex; in Edit Mode, of those with a selected face"""

    bl_idname = layout.SPLIT_BRUSHES
    bl_label = "Split into Convex Brushes"
    needs_selection = True
    idle = "All of these brushes are convex"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Split them."""
        edited = list(edit_mode.edited_meshes(context))
        chosen = [obj for obj in edited or context.selected_objects or () if is_drawn(obj)]
        if not chosen:
            raise SceneError("none of the brushes is selected")
        for obj in chosen:
            if not edited and meshes.needs_evaluation(obj):
                raise SceneError(f"{obj.name}: apply its modifiers and shape keys first", [obj])
        return sum([_cutter(level, obj).split(only_selected=bool(edited)) for obj in chosen]) > 0


def _cutter(level: bpy.types.Collection, obj: bpy.types.Object, spare_entities: bool = False) -> Cutter:
    """What cuts an object's brushes, those of entities too unless they are spared. Raises SceneError, FormatError."""
    place = needed_root(level).matrix_world.inverted_safe() @ obj.matrix_world
    original = originals.require(level)
    if original is None:
        return Cutter(obj, place, {})
    read = source.read(original.data, salvage=True)
    own = np.flatnonzero(of_models(read) > 0).tolist() if spare_entities else []
    return Cutter(obj, place, vmf.sizes(read), frozenset(own))
