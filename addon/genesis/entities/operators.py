# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding point entities of the level's classes."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ....formats.genesis import typedefs
from ....formats.genesis.entities import CLASSNAME, NAME, ORIGIN, KeyValues
from ...scene.fields import declared
from ...scene.interface import sidebar
from ...scene.kept.identity import kind_of
from ...scene.level import needed_root
from ...scene.reports import Report, SceneError
from ...scene.view import stage
from .. import layout
from ..classes.collect import classes_of
from ..context import NEW, resumed
from .build import build_entity


def add_entity(
    context: bpy.types.Context, level: bpy.types.Collection, classname: str, place: Sequence[float]
) -> bpy.types.Object:
    """Make a point entity with its class's fields. place: below the level's root, in Blender's axes.

    Raises SceneError for a class that the level doesn't know.
    """
    importing = resumed(context, level, Report())
    types = classes_of(level)
    made = types.get(classname.lower())
    if made is None:
        names = ", ".join(one.name for one in types.values())
        raise SceneError(f"the level defines no class {classname}; it has {names}")
    own = next((one for one in typedefs.BUILTIN if one.name == made.name), None)
    x, y, z = (round(float(one)) for one in layout.from_blender(np.array(place, np.float64)))
    record = KeyValues([(CLASSNAME, made.name), (NAME, _free_name(level, made.name))])
    for each in made.fields:
        if each.name in (made.origin, ORIGIN):
            record.pairs.append((each.name, f"{x} {y} {z}"))
        elif each.type in _DEFAULTS:
            # Definitions in a `.map` have lost the defaults.
            builtin = own.field(each.name) if own is not None else None
            record.pairs.append((each.name, each.default or (builtin and builtin.default) or _DEFAULTS[each.type]))
    homes = [one for one in level.children if kind_of(one) in (layout.ENTITIES, layout.GROUP)]
    obj = build_entity(importing, record, NEW, types, homes[0] if homes else level)
    obj.location = [float(one) for one in layout.to_blender((x, y, z))]
    return obj


_DEFAULTS = {"int": "0", "float": "0", "color": "255 255 255", "point": "0 0 0", "string": ""}
"""Values of fields without a default, by their type; references (to models, entities) are left out."""


def _free_name(level: bpy.types.Collection, name: str) -> str:
    taken = {str(obj.get(NAME)).lower() for obj in level.all_objects}
    number = 1
    while f"{name}{number}".lower() in taken:
        number += 1
    return f"{name}{number}"


def _class_items(_self: object, context: bpy.types.Context | None) -> declared.Items:
    level = sidebar.active_level(context, layout.FORMAT) if context is not None else None
    found = sorted(one.name for one in (classes_of(level) if level is not None else {}).values())
    return [(name, name, "") for name in found]


class AddGenesisEntity(sidebar.SearchingOperator):
    """Add a point entity at the 3D cursor, with the fields of its class"""

    bl_idname = "levelwright.genesis_add_entity"
    bl_label = "Add Entity"
    bl_property = "classname"

    classname: str = declared.menu(name="Class", description="Class of the entity", items=declared.items(_class_items))

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make it."""
        obj = add_entity(context, level, self.classname, _at_cursor(context, level))
        if context.view_layer is not None:
            context.view_layer.objects.active = obj


def _at_cursor(context: bpy.types.Context, level: bpy.types.Collection) -> list[float]:
    """Where the 3D cursor is below a level's root. Raises SceneError where that is gone."""
    root = needed_root(level)
    at = stage.scene_of(context).cursor.location
    place: list[float] = np.linalg.solve(np.array(root.matrix_world), [at.x, at.y, at.z, 1.0])[:3].tolist()
    return place
