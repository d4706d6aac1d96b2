# SPDX-License-Identifier: GPL-3.0-or-later
"""Making world models of brushes."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ....formats.genesis.map_file import MapLevel
from ...scene.fields import declared
from ...scene.interface import sidebar
from ...scene.kept.identity import kind_of
from ...scene.reports import Report, SceneError
from .. import layout
from ..context import NEW, resumed
from ..parts.collect import SURFACES
from ..parts.placement import matrix_of
from .build import WorldModel, build_model


def make_model(
    context: bpy.types.Context, level: bpy.types.Collection, brushes: Sequence[bpy.types.Object], name: str
) -> bpy.types.Object:
    """Make a world model of brushes, about their middle; they stay where they are. Returns its empty.

    Raises SceneError for objects that are not brushes.
    """
    wrong = [obj for obj in brushes if obj.type not in SURFACES or kind_of(obj) not in (None, layout.BRUSH)]
    if wrong or not brushes:
        name = wrong[0].name if wrong else "nothing"
        raise SceneError(f"{name} is not a brush, so no model can be made of it", wrong)
    importing = resumed(context, level, Report())
    matrices = {obj: matrix_of(obj, importing.root, None) for obj in brushes}
    middle = np.round(np.mean([matrix[:3, 3] for matrix in matrices.values()], axis=0))
    origin = layout.from_blender(middle)
    home = next((one for one in level.children if kind_of(one) == layout.MODELS), None)
    home = home or importing.collection_of("Models", layout.MODELS)
    written: layout.ModelProperties = layout.ModelProperties(name)
    if not isinstance(importing.level, MapLevel):
        written = layout.EditorModelProperties(name)
    about = WorldModel(NEW, name, tuple(origin.tolist()), None, written)
    destination = build_model(importing, about, home, home)
    for obj, matrix in matrices.items():
        direct = obj.parent == importing.root and np.array_equal(np.array(obj.matrix_parent_inverse), np.eye(4))
        obj.parent = destination.parent
        if destination.inverse is not None:
            obj.matrix_parent_inverse = destination.inverse
        if not direct:
            obj.matrix_basis = Matrix(matrix.tolist())
    above = destination.parent.parent
    if above is None:
        raise SceneError(f"{name}: its empty is gone")
    return above


class MakeModel(sidebar.LevelOperator):
    """Make a world model of the selected brushes: they move together, by its motion"""

    bl_idname = "levelwright.genesis_make_model"
    bl_label = "Make World Model"
    needs_selection = True

    name: str = declared.string(name="Name", description="Name that entities refer to it by", default="door")

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make it."""
        make_model(context, level, context.selected_objects, self.name)
