# SPDX-License-Identifier: GPL-3.0-or-later
"""New entities in a level that is open in Blender: of any class, or whole ones from elsewhere (pasted).

They look as if they had been imported, but are no record of any file: their stamps say -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from ....formats import ns2
from ....formats.binary import FormatError
from ...scene import originals, stage
from ...scene.reports import Report, SceneError
from .. import importer, layout
from ..context import Site
from ..layers import assign
from ..layers import lists as layers
from ..layers import visibility as view
from ..settings import ImportSettings
from . import appearance as entity_looks
from . import build as entities
from . import classes as entity_classes
from . import object_data as entity_data
from . import props
from . import values as entity_values
from .appearance import Looks
from .classes import ORIGIN, Classes
from .values import CLASS


def site_of(context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> Site:
    """What an import would share, of a level that is there: its collections, where content is; `level` is empty.

    Raises SceneError for a collection that is no level, or has no root.
    """
    info = originals.describe(level)
    root = layout.object_of(level, layout.ROOT)
    if info is None or root is None:
        raise SceneError(f"{level.name} is no level with a root empty")
    return Site(
        ns2.new_level(),
        level,
        root,
        info.token,
        stage.scene_of(context),
        ImportSettings(),
        report,
        importer.content_folders(Path(bpy.data.filepath)),
        assign.entities_home(level),
        layers.homes(level, "layers"),
        layers.homes(level, "groups"),
    )


def classes(context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> Classes:
    """The classes that a new entity of a level can have."""
    return entity_classes.find(site_of(context, level, report).find, report)


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
    made = entities.build(site_of(context, level, report), listed)
    view.show(level)
    return made


def show_properties(
    context: bpy.types.Context, level: bpy.types.Collection, objects: Sequence[bpy.types.Object], report: Report
) -> int:
    """Make lights, speakers, cameras, props and empties look as the properties of their entities say. Returns how many.

    What those said otherwise is forgotten: now the properties count.
    """
    site = site_of(context, level, report)
    looks, models = Looks(entity_classes.find(site.find, report)), props.Props(site)
    shown = 0
    for each in objects:
        obj: Any = each
        class_name = obj.get(CLASS)
        if not isinstance(class_name, str):
            continue
        slots, values = entity_values.current(obj)
        look = looks.of(class_name, slots)
        if obj.type == "MESH" and look.kind == entity_looks.PROP:
            obj.data = models.model(entities.model_of(look, values))
        elif obj.type == "EMPTY":
            entity_data.show_size(obj, look, values)
        else:
            entity_data.show(obj.data, look, values)
        entity_data.remember(obj, look)
        shown += 1
    return shown


def select_only(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> None:
    """Select these objects, as far as they are shown, and make the last one active."""
    layer: Any = context.view_layer
    layer.update()  # what was just made isn't in it yet
    shown = set(layer.objects)
    for obj in layer.objects:
        obj.select_set(False)
    for obj in objects:
        if obj in shown:
            obj.select_set(True)
            layer.objects.active = obj
