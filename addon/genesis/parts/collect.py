# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level's collection holds: brushes, models, entities and groups, and which record of the original each one is.

Identity is the stamp, never the name. Blender's duplicates carry the stamps of what they were copied from: of several
objects with one stamp one is that record, the others are new ones made after its example.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.counting import number_of
from ....formats.genesis.entities import CLASSNAME
from ...scene.geometry import transforms
from ...scene.kept import identity, originals
from ...scene.kept.identity import ancestor, kind_of, record_of
from ...scene.kept.instances import mark_copies
from ...scene.level import root_of
from ...scene.reports import Report, SceneError, listed
from .. import layout
from .level import SceneBrush, SceneEntity, SceneGroup, SceneLevel, SceneModel
from .placement import order_of

SURFACES = frozenset(("MESH", "CURVE", "SURFACE", "FONT", "META"))
"""Types of objects whose faces can be brushes."""
LIGHTS = frozenset(("POINT", "SPOT"))
"""Types of Blender lights that an entity can be made of."""


def collect_parts(collection: bpy.types.Collection, token: int | None, report: Report) -> SceneLevel:
    """What there is to export of a level. `token`: the level's; None where there is no original, so no record is known.

    Names in the report what is left out. Raises SceneError for a level with several roots.
    """
    objects = list(collection.all_objects)
    level = SceneLevel(root_of(collection))
    homes = _grouped(collection, token, level.groups)
    models = {obj: SceneModel(obj, record_of(obj, token)) for obj in objects if kind_of(obj) == layout.MODEL}
    level.models = list(models.values())
    found: dict[bpy.types.Object, SceneBrush] = {}
    foreign: list[str] = []
    for obj in objects:
        kind = kind_of(obj)
        mark = identity.stamped(obj)
        if mark is not None and token is not None and mark.token != token and mark.record >= 0:
            foreign.append(obj.name)
        if kind == layout.MOTION:
            above = ancestor(obj, layout.MODEL)
            if above not in models:
                report.warn(f"{obj.name}: isn't written: it is the motion of no model", [obj])
            elif models[above].motion is not None:
                report.warn(f"{obj.name}: a second motion of {above.name}, which isn't written: a model has one", [obj])
            else:
                models[above].motion = obj
        elif kind in (layout.BRUSH, layout.BRUSHES) or (kind is None and obj.type in SURFACES):
            above = ancestor(obj, layout.MODEL)
            model = models[above] if above is not None and above in models else None
            made_of: list[SceneBrush] | None = [] if obj.type == "EMPTY" else None
            found[obj] = SceneBrush(obj, record_of(obj, token), model, homes.get(obj), made_of)
        elif kind == layout.ENTITY or (kind is None and _is_entity(obj)):
            level.entities.append(SceneEntity(obj, record_of(obj, token), group=homes.get(obj)))
        elif kind is None:
            report.left_out(_left_out(obj))
    for obj, brush in found.items():
        above = obj.parent
        siblings = found[above].children if above is not None and above in found else None
        if siblings is not None:
            siblings.append(brush)
        else:
            level.brushes.append(brush)
    for brush in found.values():
        if brush.children is not None:
            brush.children.sort(key=lambda one: order_of(one.object))
    level.brushes.sort(key=lambda one: order_of(one.object))
    if foreign:
        report.warn(f"{number_of(len(foreign), 'objects come')} from another level, taken as new: {listed(foreign)}")
    _refuse_applied_root(collection, level)
    mark_copies(level.models, lambda one: transforms.unchanged(one.object, level.root))
    mark_copies(level.entities, lambda one: transforms.unchanged(one.object, level.root))
    mark_copies(level.groups)
    return level


def _grouped(
    collection: bpy.types.Collection, token: int | None, groups: list[SceneGroup]
) -> dict[bpy.types.Object, SceneGroup]:
    """The group that each object is in; adds all to `groups`.

    A collection that was made in Blender is a new one, as far as parts of the level are in no other.
    """
    homes: dict[bpy.types.Object, SceneGroup] = {}
    for child in collection.children_recursive:
        if kind_of(child) == layout.GROUP:
            groups.append(SceneGroup(child, record_of(child, token)))
            homes.update(dict.fromkeys(child.all_objects, groups[-1]))
    for child in collection.children_recursive:
        if kind_of(child) is None and any(obj not in homes and _is_in_groups(obj) for obj in child.objects):
            groups.append(SceneGroup(child, -1))
            homes = dict.fromkeys(child.all_objects, groups[-1]) | homes
    return homes


def _is_in_groups(obj: bpy.types.Object) -> bool:
    """Whether an object is what groups have: a brush or an entity."""
    kind = kind_of(obj)
    return kind in (layout.BRUSH, layout.BRUSHES, layout.ENTITY) or (
        kind is None and (obj.type in SURFACES or _is_entity(obj))
    )


def _left_out(obj: bpy.types.Object) -> str:
    """Name an object that a level has no place for."""
    if isinstance(obj.data, bpy.types.Light):
        kind = obj.data.type.lower()
        return f"{kind} light {obj.name!r} (new lights are point lights and spots, others need a {CLASSNAME})"
    return f"object {obj.name!r} (no mesh, no light, and without a {CLASSNAME})"


def _refuse_applied_root(collection: bpy.types.Collection, level: SceneLevel) -> None:
    """Raise SceneError where somebody applied the root's scale: that made metres of the units of all that is in it.

    Scaling the root alone edits nothing, but Blender then gives all of its children a scale to make up for it.
    """
    info = originals.describe(collection)
    if info is None or level.root is None or not level.entities:
        return
    size = float(info.options.get("scale", layout.SCALE))
    if np.allclose(level.root.scale[:], size, rtol=1e-5):
        return
    scales = np.array([one.object.scale[:] for one in level.entities], np.float64)
    usual = np.median(scales, axis=0)
    alike = np.isclose(scales, usual, rtol=1e-4).all(axis=1)
    if not np.allclose(usual, 1, rtol=1e-4) and 2 * np.count_nonzero(alike) > len(scales):
        raise SceneError(
            f"{level.root.name}: its scale was applied (Ctrl+A), which made metres of the level's units: undo that, "
            "and leave the root out when you apply transforms",
            [level.root],
        )


def _is_entity(obj: bpy.types.Object) -> bool:
    """Whether an object that no import made is a point entity."""
    if isinstance(obj.data, bpy.types.Light):
        return obj.data.type in LIGHTS or obj.get(CLASSNAME) is not None
    return obj.get(CLASSNAME) is not None
