# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level's collection holds: its groups and layers in order, and which record of the original each one is.

Identity is the stamp, never the name. Of several instances of one record the first in the scene's order is that record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import bpy

from ....formats.counting import number_of
from ...scene.kept import identity
from ...scene.kept.identity import kind_of, record_of
from ...scene.kept.instances import Instance, mark_copies
from ...scene.reports import Report, SceneError
from .. import layout
from .parts import layer_above

SURFACES = frozenset(("MESH", "CURVE", "SURFACE", "FONT", "META"))
"""Types of objects whose faces can be quads."""


@dataclass(slots=True, eq=False)
class LayerInstance(Instance):
    """An object that stands for a layer."""

    parts: list[bpy.types.Object] = field(default_factory=list)
    """What is collected of it: itself and the objects below it, without those that lie in another group."""
    elsewhere: bool = False
    """Whether the parts lie in another group than the layer's object: they become a layer of their own there."""


@dataclass(slots=True)
class GroupInstance:
    """A collection that stands for a group."""

    collection: bpy.types.Collection
    root: bpy.types.Object
    """Its root empty."""
    record: int
    """The original's group that it is or was copied from; -1 = none."""
    copied: bool = False
    """Whether it is a copy: another collection is the record's."""
    layers: list[LayerInstance] = field(default_factory=list)
    """In draw order."""


def collect(collection: bpy.types.Collection, token: int | None, report: Report) -> list[GroupInstance]:
    """The groups of a level with their layers, in the order that they are exported in.

    `token`: the level's; None where there is no original, so that no record is known. Names in the report what is left
    out. Raises SceneError for layers outside a group and for groups without their root.
    """
    groups = []
    for child in collection.children:
        kind = kind_of(child)
        if kind == layout.GROUP:
            groups.append(_collect_group(child, token, report))
        elif kind != layout.PREVIEW:
            _refuse_layers(child.all_objects)
            report.left_out(f"collection {child.name!r} (not a group)")
    _refuse_layers(collection.objects)
    for obj in collection.objects:
        if kind_of(obj) in (None, layout.QUAD, layout.SOURCE):
            report.left_out(f"object {obj.name!r} (not in a group)")
    _part(groups, report)
    mark_copies(groups)
    # Layers in a copied group are copies where the group that it was copied from still has them.
    layers = [layer for group in sorted(groups, key=lambda group: group.copied) for layer in group.layers]
    mark_copies(layers, lambda one: not one.elsewhere)
    return groups


def _part(groups: list[GroupInstance], report: Report) -> None:
    """Say which objects are parts of which layer: what was put into another group's collection alone, without its
    layer, becomes a layer in front of that group, like the one that it came from.
    """
    held = [set(group.collection.all_objects) for group in groups]
    layers = [layer for group in groups for layer in group.layers]
    gone: set[bpy.types.Object] = set()
    for group, objects in zip(groups, held, strict=True):
        of_other_maps: dict[bpy.types.Object, list[bpy.types.Object]] = {}
        for obj in group.collection.all_objects:
            layer = layer_above(obj)
            if layer is None or layer in objects or kind_of(obj) == layout.PREVIEW or not _is_known(obj):
                continue
            if not any({layer, obj} <= others for others in held):
                of_other_maps.setdefault(layer, []).append(obj)
        for layer, parts in of_other_maps.items():
            record = next((one.record for one in layers if one.object == layer), -1)
            group.layers.append(LayerInstance(layer, record, parts=parts, elsewhere=True))
            gone.update(parts)
            names = ", ".join(repr(obj.name) for obj in parts)
            report.note(f"{names} of layer {layer.name!r}: in group {group.collection.name!r}, as a layer of its own")
    for one in layers:
        one.parts = [obj for obj in (one.object, *one.object.children_recursive) if obj not in gone]


def _collect_group(collection: bpy.types.Collection, token: int | None, report: Report) -> GroupInstance:
    inner = next((child for child in collection.children_recursive if kind_of(child) == layout.GROUP), None)
    if inner is not None:
        raise SceneError(f"group {inner.name!r} lies in group {collection.name!r}: put it beside that one")
    roots = [obj for obj in collection.objects if kind_of(obj) == layout.GROUP]
    if len(roots) != 1:
        raise SceneError(
            f"group {collection.name!r} has {number_of(len(roots), 'root empties') if roots else 'no root empty'} "
            "instead of one: it holds the group's offset and properties",
            roots,
        )
    layers = []
    for obj in collection.all_objects:
        if kind_of(obj) == layout.LAYER:
            layers.append(LayerInstance(obj, record_of(obj, token)))
            if token is not None and _is_foreign(obj, token):
                report.warn(f"layer {obj.name!r} comes from another map: it is written as a new one")
        elif not _is_known(obj):
            report.left_out(f"object {obj.name!r} (not part of a layer)")
    layers.sort(key=_order)
    return GroupInstance(collection, roots[0], record_of(roots[0], token), layers=layers)


def _refuse_layers(objects: Iterable[bpy.types.Object]) -> None:
    stray = [obj for obj in objects if kind_of(obj) == layout.LAYER]
    if stray:
        raise SceneError(f"layer {stray[0].name!r} is not in a group: put it into a group's collection", stray)


def _is_foreign(obj: bpy.types.Object, token: int) -> bool:
    mark = identity.stamped(obj)
    return mark is not None and mark.token != token and mark.record >= 0


def _is_known(obj: bpy.types.Object) -> bool:
    """Whether an object in a group is collected with its layer, or isn't meant to be exported."""
    kind, layer = kind_of(obj), layer_above(obj)
    if kind in (layout.QUAD, layout.SOURCE) or kind is None:
        if layer is None or layer.get("tile_kind") is not None:
            return False
        return obj.type == "SPEAKER" if layer.get("sound") is not None else obj.type in SURFACES
    return True


def _order(layer: LayerInstance) -> tuple[int, str]:
    """What orders the layers of a group."""
    order = layer.object.get(layout.ORDER, 0)
    if not isinstance(order, int | float):
        raise SceneError(f"{layer.object.name}: its property {layout.ORDER} must be a number", [layer.object])
    return int(order), layer.object.name
