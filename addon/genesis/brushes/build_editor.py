# SPDX-License-Identifier: GPL-3.0-or-later
"""The brushes of a `.3dt`: a tree, of which the leaves are meshes and what is made of others are empties."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np

from ....formats.arrays import Ints
from ....formats.genesis.editor_level import EditorBrush, Level3dt
from ....formats.genesis.records import EditorBrushFlag, brush_flags_from_editor
from ...scene.fields import properties
from ...scene.kept import identity
from ...scene.names import showable
from ...scene.work.progress import Steps
from .. import layout
from ..context import Destination, ImportContext
from ..faces.build import MeshMaker
from .build import put
from .flags import editor_properties, is_see_through

SIZE = 16.0
"""Units: how large the empties of brushes made of others are drawn."""


def build_editor_brushes(
    importing: ImportContext,
    level: Level3dt,
    maker: MeshMaker,
    numbers: Ints,
    destination_of: Callable[[EditorBrush], Destination],
) -> Steps[dict[int, bpy.types.Object]]:
    """Make all brushes; returns the objects by the brushes' numbers. numbers: of those with faces.

    destination_of: where a brush goes that is in no other.
    """
    rows = [(number, brush, parent, _name(brush, number)) for number, brush, parent in level.numbered_brushes()]
    # All meshes before the first object: giving a mesh a material looks through all objects of the .blend.
    leaf_of = {int(number): row for row, number in enumerate(numbers)}
    names = {leaf_of[number]: name for number, brush, _, name in rows if brush.children is None}
    meshes = yield from maker.make_all([names[row] for row in range(len(names))])
    made: dict[int, bpy.types.Object] = {}
    destinations: dict[int, Destination] = {}
    orders: dict[int, int] = {}
    for number, brush, parent, name in rows:
        destination = destination_of(brush) if parent < 0 else destinations[parent]
        if brush.children is None:
            obj = bpy.data.objects.new(showable(name), meshes[leaf_of[number]])
            origin = maker.arrays.origins[leaf_of[number]]
        else:
            obj = bpy.data.objects.new(showable(name), None)
            obj.empty_display_size = SIZE
            obj.empty_display_type = "CUBE"
            origin = np.zeros(3, np.float32)
            # Its children are below it, but where they would be without it.
            destinations[number] = Destination(destination.collection, obj)
        identity.stamp(obj, importing.token, layout.BRUSH, number)
        order = orders.get(parent, 0)
        orders[parent] = order + 1
        obj[layout.ORDER] = int(order)
        properties.write(obj, editor_properties(brush))
        if is_cutting(brush) or is_see_through(brush_flags_from_editor(brush.flags)):
            obj.display_type = "WIRE"
            obj.hide_render = True
        put(obj, destination, origin)
        show(obj, brush)
        made[number] = obj
        yield
    importing.report.count("brushes", len(leaf_of))
    roles = [brush.role for _, brush, _, _ in rows]
    importing.report.count("cuts", sum(role in ("cut", "hollow cut") for role in roles))
    return made


def show(obj: bpy.types.Object, brush: EditorBrush) -> None:
    """Hide and lock a brush's object as the editor does."""
    obj.hide_viewport = bool(brush.flags & EditorBrushFlag.HIDDEN)
    obj.hide_select = bool(brush.flags & EditorBrushFlag.LOCKED)
    obj[layout.SEEN] = int(seen(obj))


def seen(obj: bpy.types.Object) -> int:
    """HIDDEN and LOCKED of an object."""
    return layout.HIDDEN * obj.hide_viewport | layout.LOCKED * obj.hide_select


def seen_changes(obj: bpy.types.Object) -> dict[str, bool]:
    """The properties of EditorBrushProperties that hiding or locking an object changed, and their values."""
    was = obj.get(layout.SEEN, 0)
    changed = seen(obj) ^ (was if isinstance(was, int) else 0)
    states = (("hidden", layout.HIDDEN, obj.hide_viewport), ("locked", layout.LOCKED, obj.hide_select))
    return {name: now for name, bit, now in states if changed & bit}


def _name(brush: EditorBrush, number: int) -> str:
    """What a brush's object is called."""
    return showable(brush.name) or f"Brush {number}"


def is_cutting(brush: EditorBrush) -> bool:
    """Whether a brush takes volume away, or is a shell that is solid until its inner cut is made."""
    return brush.is_cut or brush.is_hollow or brush.role == "hollow cut"
