# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of a level have its faces, found by stamps and never by names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy

from ...scene.geometry import evaluated, meshes, transforms
from ...scene.kept import identity
from .. import layout
from ..layers import visibility
from ..layout import CLASS


def is_geometry(obj: bpy.types.Object) -> bool:
    """Whether an object's faces are faces of the level: those that the import made so, and whatever has faces that the
    user added. Objects with a class are entities.
    """
    kind = identity.kind_of(obj)
    return kind == layout.GEOMETRY or (kind is None and obj.type in meshes.SURFACES and obj.get(CLASS) is None)


def geometry(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The objects with the level's faces: the import's in their order, then those that the user added."""
    found = [obj for obj in collection.all_objects if is_geometry(obj)]
    marks = {obj: identity.stamped(obj) for obj in found}

    def place(obj: bpy.types.Object) -> tuple[float, str]:
        mark = marks[obj]
        return (float("inf") if mark is None or mark.record < 0 else mark.record, obj.name)

    return sorted(found, key=place)


@contextmanager
def readable(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    objects: Sequence[bpy.types.Object],
    root: bpy.types.Object | None,
) -> Iterator[bpy.types.Depsgraph | None]:
    """Let meshes be read as they are exported: what hides faces is off; a depsgraph, if modifiers, shape keys or
    constraints act on any.
    """
    with visibility.nothing_hidden(collection):
        if not any(meshes.needs_evaluation(obj) or transforms.needs_evaluation(obj, root) for obj in objects):
            yield None
            return
        with evaluated.shown(context, [*objects, *([root] if root is not None else [])]) as depsgraph:
            yield depsgraph
