# SPDX-License-Identifier: GPL-3.0-or-later
"""A layer's object as an export sees it: where it lies, which record it stands for, what its properties say."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import bpy
import numpy as np

from ....formats import matrices
from ....formats.arrays import Floats
from ....formats.teeworlds import Layer, TileLayer
from ...scene.geometry import evaluated, meshes, transforms
from ...scene.kept.identity import ancestor
from ...scene.reports import Report, SceneError
from .. import layout
from ..layout import read_properties
from .collect import GroupInstance
from .merge import MergedLayer

Matrix = Floats
Kind = TypeVar("Kind", bound=layout.LayerProperties)
_WHITE = (1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class SceneLayer:
    """A layer's object as an export sees it."""

    object: bpy.types.Object
    matrix: Matrix
    """float64 [4, 4]: relative to its group's root."""
    ids_token: int | None
    """The token of its elements' ids; None where none of them is a record's."""
    depsgraph: bpy.types.Depsgraph | None
    """Holds the object if it must be evaluated."""
    report: Report
    parts: Sequence[bpy.types.Object] = ()
    """What is collected of it: itself and the objects below it, see `structure.collect`."""
    new: bool = False
    """Whether its record was made for it, so that everything is written, not only what was edited."""

    def properties(self, cls: type[Kind]) -> tuple[Kind, frozenset[str]]:
        """The layer's properties, and the names of those to be written: edited ones, all for a new record.

        Raises SceneError for values that don't fit.
        """
        values, changed = read_properties(self.object, cls)
        return values, frozenset(vars(values)) if self.new else changed


def collect(
    one: MergedLayer, group: GroupInstance, token: int | None, depsgraph: bpy.types.Depsgraph | None, report: Report
) -> SceneLayer:
    """A layer of a group as an export sees it. token: the level's; None where there is no original."""
    obj = one.instance.object
    _check_storage(obj)
    ids_token = None if one.new or token is None else layout.element_token(token, one.instance.record)
    return SceneLayer(
        obj, _matrix(obj, group.root, depsgraph), ids_token, depsgraph, report, one.instance.parts, one.new
    )


def _check_storage(obj: bpy.types.Object) -> None:
    """Refuse an edit of how an import showed a layer, and faces in an object whose layer couldn't be read."""
    storage = obj.get(layout.STORAGE, layout.MESH)
    fields = obj.get(layout.FIELD_IMAGES[0]) is not None
    if storage not in (layout.MESH, layout.PLANE, layout.KEPT) or (storage == layout.MESH and fields):
        raise SceneError(
            f"{obj.name}: its property {layout.STORAGE} says how an import showed it: {storage!r} is wrong", [obj]
        )
    if storage == layout.KEPT and isinstance(obj.data, bpy.types.Mesh) and len(obj.data.polygons):
        raise SceneError(f"{obj.name}: its layer couldn't be read and stays as it is, so it can't get faces", [obj])


def write_common(scene: SceneLayer, layer: Layer, values: layout.LayerProperties, changed: frozenset[str]) -> None:
    """Name and detail flag, where they were edited. Raises FormatError for a name that is too long.

    Warns of what layers of its kind don't have.
    """
    if "layer_name" in changed:
        layer.name = values.layer_name
    if "detail" in changed:
        layer.detail = values.detail
    if not isinstance(layer, TileLayer) and tuple(scene.object.color) != _WHITE:
        scene.report.warn(f"{scene.object.name}: its colour isn't written: only layers of tiles have one")


def tell_of_missing(scene: SceneLayer, obj: bpy.types.Object, names: Iterable[str], held: Container[str]) -> None:
    """Warn of attributes that the faces of an object of a layer have lost, or have as another type.

    names: those that an import makes. held: those that can be read.
    """
    for name in names:
        if name not in held:
            scene.report.warn(
                f"{obj.name}: attribute {name} of faces is gone, or is of another type: what it told stays as it was",
                [obj],
            )


@contextmanager
def evaluation(context: bpy.types.Context, groups: list[GroupInstance]) -> Iterator[bpy.types.Depsgraph | None]:
    """A depsgraph with all layers that modifiers, shape keys or constraints act on; None where they act on nothing."""
    layers = dict.fromkeys(layer.object for group in groups for layer in group.layers)
    acted_on = [
        obj
        for layer in layers
        for obj in (layer, *layer.children_recursive)
        if transforms.needs_evaluation(obj) or (obj.type == "MESH" and meshes.needs_evaluation(obj))
    ]
    if not acted_on:
        yield None
        return
    roots = [group.root for group in groups]
    with evaluated.shown(context, [*roots, *acted_on]) as depsgraph:
        yield depsgraph


def _matrix(obj: bpy.types.Object, root: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None) -> Matrix:
    """A layer's transform relative to its group's root, float64 [4, 4].

    A layer that was put into another group's collection still hangs below the root of the one that it came from: what
    it holds stays where it is in the group, as when the game's editor moves a layer.
    """
    above = ancestor(obj, layout.GROUP)
    if above is not None:
        return transforms.compose(obj, above, depsgraph)
    to_level = transforms.compose(obj, None, depsgraph)
    return np.asarray(matrices.inverse(transforms.compose(root, deltas=False)) @ to_level, np.float64)
