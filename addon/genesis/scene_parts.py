# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level's collection holds: brushes, models, entities and groups, and which record of the original each one is.

Identity is the stamp, never the name. Blender's duplicates carry the stamps of what they were copied from: of several
objects with one stamp one is that record, the others are new ones made after its example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import bpy
import numpy as np
import numpy.typing as npt

from ..scene import identity, originals, transforms
from ..scene.reports import Report, SceneError
from . import layout

Matrix = npt.NDArray[np.float64]

SURFACES = frozenset(("MESH", "CURVE", "SURFACE", "FONT", "META"))
"""Types of objects whose faces can be brushes."""
CLASSNAME = "classname"
MOVED = 1e-3
"""Units by which a place may be off its record and leave it: Blender keeps single precision."""
LIGHTS = frozenset(("POINT", "SPOT"))
"""Types of Blender lights that an entity can be made of."""


@dataclass(slots=True, eq=False)
class SceneModel:
    """A world model's empty."""

    object: bpy.types.Object
    record: int
    motion: bpy.types.Object | None = None
    """The empty below it that moves; None: it has no motion."""
    copy: bool = False
    """Whether another object is the record."""


@dataclass(slots=True, eq=False)
class SceneGroup:
    """A group's collection (`.3dt`)."""

    collection: bpy.types.Collection
    record: int
    copy: bool = False
    """Whether another collection is the record."""


@dataclass(slots=True, eq=False)
class SceneBrush:
    """An object that is a brush or several, or (an empty) one that is made of others."""

    object: bpy.types.Object
    record: int
    """The number of the brush that it is or was copied from, of several the first; -1: none."""
    model: SceneModel | None = None
    group: SceneGroup | None = None
    children: list[SceneBrush] | None = None
    """The brushes that it is made of; None: it has a mesh of its own."""


@dataclass(slots=True, eq=False)
class SceneEntity:
    """The object of a point entity."""

    object: bpy.types.Object
    record: int
    group: SceneGroup | None = None
    copy: bool = False
    """Whether another object is the record."""


@dataclass(slots=True, eq=False)
class SceneLevel:
    """All of a level; models, entities and groups are in the scene's order."""

    root: bpy.types.Object | None
    brushes: list[SceneBrush] = field(default_factory=list)
    """Those that are in no other brush, in the order of the file."""
    models: list[SceneModel] = field(default_factory=list)
    entities: list[SceneEntity] = field(default_factory=list)
    groups: list[SceneGroup] = field(default_factory=list)

    def all_brushes(self) -> list[SceneBrush]:
        """Every brush, parents before their children."""
        result: list[SceneBrush] = []
        stack = list(reversed(self.brushes))
        while stack:
            brush = stack.pop()
            result.append(brush)
            stack += reversed(brush.children or ())
        return result


def collect_parts(collection: bpy.types.Collection, token: int | None, report: Report) -> SceneLevel:
    """What there is to export of a level. `token`: the level's; None where there is no original, so no record is known.

    Names in the report what is left out. Raises SceneError for a level with several roots.
    """
    objects = list(collection.all_objects)
    roots = [obj for obj in objects if kind_of(obj) == layout.ROOT]
    if len(roots) > 1:
        raise SceneError(f"{collection.name!r} has {len(roots)} root empties: a level has one", roots)
    level = SceneLevel(roots[0] if roots else None)
    homes: dict[bpy.types.Object, SceneGroup] = {}
    for child in collection.children_recursive:
        if kind_of(child) == layout.GROUP:
            group = SceneGroup(child, record_of(child, token))
            level.groups.append(group)
            homes.update(dict.fromkeys(child.all_objects, group))
    models = {obj: SceneModel(obj, record_of(obj, token)) for obj in objects if kind_of(obj) == layout.MODEL}
    level.models = list(models.values())
    found: dict[bpy.types.Object, SceneBrush] = {}
    foreign: list[str] = []
    for obj in objects:
        kind = kind_of(obj)
        mark = identity.stamped(obj)
        if mark is not None and token is not None and mark.token != token:
            foreign.append(obj.name)
        if kind == layout.MOTION:
            above = ancestor(obj, layout.MODEL)
            if above in models:
                models[above].motion = obj
        elif kind in (layout.BRUSH, layout.BRUSHES) or (kind is None and obj.type in SURFACES):
            above = ancestor(obj, layout.MODEL)
            model = models[above] if above is not None and above in models else None
            made_of: list[SceneBrush] | None = [] if obj.type == "EMPTY" else None
            found[obj] = SceneBrush(obj, record_of(obj, token), model, homes.get(obj), made_of)
        elif kind == layout.ENTITY or (kind is None and _is_entity(obj)):
            level.entities.append(SceneEntity(obj, record_of(obj, token), homes.get(obj)))
        elif kind is None and not _is_ignored(obj):
            report.left_out(f"object {obj.name!r} (no mesh, no light, and without a {CLASSNAME})")
    for obj, brush in found.items():
        above = obj.parent
        siblings = found[above].children if above is not None and above in found else None
        if siblings is not None:
            siblings.append(brush)
        else:
            level.brushes.append(brush)
    for brush in found.values():
        if brush.children is not None:
            brush.children.sort(key=lambda one: place_of(one.object))
    level.brushes.sort(key=lambda one: place_of(one.object))
    if foreign:
        named = ", ".join(foreign[:5]) + (" ..." if len(foreign) > 5 else "")
        report.warn(f"{len(foreign)} objects come from another level, they are written as new ones: {named}")
    _refuse_applied_root(collection, level)
    _mark_copies(level.models, lambda one: transforms.unchanged(one.object, level.root))
    _mark_copies(level.entities, lambda one: transforms.unchanged(one.object, level.root))
    _mark_copies(level.groups, lambda _: True)
    return level


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


def _is_ignored(obj: bpy.types.Object) -> bool:
    """Whether an object is there for Blender only: nobody expects it in a level."""
    return obj.type in ("CAMERA", "LIGHT_PROBE") or isinstance(obj.data, bpy.types.Light)


def _mark_copies(
    parts: Iterable[SceneModel | SceneEntity | SceneGroup],
    stays: Callable[[SceneModel | SceneEntity | SceneGroup], bool],
) -> None:
    """Of several parts with one record the first that stands where the record does is it; else the first."""
    by_record: dict[int, list[SceneModel | SceneEntity | SceneGroup]] = {}
    for part in parts:
        if part.record >= 0:
            by_record.setdefault(part.record, []).append(part)
    for several in by_record.values():
        kept = several[0] if len(several) == 1 else next(filter(stays, several), several[0])
        for one in several:
            one.copy = one is not kept


def place_of(obj: bpy.types.Object) -> tuple[float, str]:
    """What orders the brushes of a level or of a parent: new ones, without the property, come last."""
    order = obj.get(layout.ORDER, float("inf"))
    if not isinstance(order, int | float):
        raise SceneError(f"{obj.name}: its property {layout.ORDER} must be a number", [obj])
    return float(order), obj.name


def kind_of(id_block: bpy.types.ID) -> str | None:
    """The kind of a data-block's stamp (see layout); None for what the user added."""
    mark = identity.stamped(id_block)
    return None if mark is None else mark.kind


def record_of(id_block: bpy.types.ID, token: int | None) -> int:
    """The record of the level with this token that a data-block is, -1 for none or another level's."""
    mark = identity.stamped(id_block)
    return mark.record if mark is not None and token is not None and mark.token == token else -1


def ancestor(obj: bpy.types.Object, kind: str) -> bpy.types.Object | None:
    """The nearest parent with a stamp of this kind."""
    parent = obj.parent
    while parent is not None and kind_of(parent) != kind:
        parent = parent.parent
    return parent


def matrix_of(
    obj: bpy.types.Object,
    root: bpy.types.Object | None,
    depsgraph: bpy.types.Depsgraph | None,
    pose: Matrix | None = None,
) -> Matrix:
    """Where an object is relative to the level's root, float64 [4, 4], in Blender's axes and the level's units.

    pose: where its model's motion is when the brushes stand as the file has them; what it does at the current frame
    doesn't count.
    """
    motion = ancestor(obj, layout.MOTION)
    if motion is None:
        return transforms.seen(obj, root, depsgraph)
    rest = np.array(motion.matrix_parent_inverse, np.float64)
    if pose is not None:
        rest = rest @ pose
    rest = rest @ transforms.compose(obj, motion, depsgraph)
    return rest if motion.parent is None else transforms.seen(motion.parent, root, depsgraph) @ rest
