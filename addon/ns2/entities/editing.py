# SPDX-License-Identifier: GPL-3.0-or-later
"""New entities in a level that is open in Blender: of any class, or whole ones from elsewhere (pasted).

They look as if they had been imported, but are no record of any file: their stamps say -1.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ....formats import ns2
from ....formats.binary import FormatError
from ....formats.ns2.entity_classes import ORIGIN, Classes
from ...scene.reports import Report, SceneError
from ...scene.work.progress import drain
from ..context import ImportContext
from ..layers import visibility
from ..layout import CLASS
from ..materials.build import Materials
from . import custom_properties, object_data
from .appearance import PROP, Appearances
from .build import build_entities, model_of
from .classes import find_classes
from .props import Props


def classes(context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> Classes:
    """The classes that a new entity of a level can have."""
    return find_classes(ImportContext.of_scene(context, level, report), report)


def add(
    context: bpy.types.Context,
    level: bpy.types.Collection,
    class_name: str,
    place: Sequence[float],
    report: Report,
    layer: int | None = None,
) -> bpy.types.Object:
    """Add an entity of a class with the defaults of its properties. place: below the level's root, in Blender's axes.

    layer: the id of the layer that it is in. Raises SceneError for a class that isn't one.
    """
    if not class_name or not class_name.isascii() or not class_name.isprintable():
        raise SceneError(f"{class_name!r} can't be the name of a class")
    try:
        entity = ns2.Entity(class_name, classes(context, level, report).new(class_name))
        x, y, z = place
        entity.set(ORIGIN, (float(y), float(z), float(x)))
    except FormatError as error:
        raise SceneError(f"{class_name}: {error}") from error
    if layer is not None:
        entity.layers = ns2.mask_of([layer])
    (made,) = add_all(context, level, [entity], report)
    return made


def add_all(
    context: bpy.types.Context, level: bpy.types.Collection, listed: Sequence[ns2.Entity], report: Report
) -> list[bpy.types.Object]:
    """Add entities as they are; their layers and groups are those of the level, by their ids."""
    importing = ImportContext.of_scene(context, level, report)
    made = drain(build_entities(importing, Materials(importing), listed))
    visibility.show(level)
    return made


def show_properties(
    context: bpy.types.Context, level: bpy.types.Collection, objects: Sequence[bpy.types.Object], report: Report
) -> int:
    """Make lights, speakers, cameras, props and empties look as the properties of their entities say; returns how many.

    What those said otherwise is forgotten: now the properties count.
    """
    importing = ImportContext.of_scene(context, level, report)
    appearances = Appearances(find_classes(importing, report))
    models = Props(importing, Materials(importing))
    shown = 0
    for obj in objects:
        class_name = obj.get(CLASS)
        if not isinstance(class_name, str):
            continue
        slots, values = custom_properties.current(obj)
        appearance = appearances.of(class_name, slots)
        if obj.type == "MESH" and appearance.kind == PROP:
            obj.data = models.model(model_of(appearance, values))
        elif obj.type == "EMPTY":
            object_data.show_size(obj, appearance, values)
        else:
            object_data.show(obj.data, appearance, values)
        object_data.remember(obj, appearance)
        shown += 1
    return shown
