# SPDX-License-Identifier: GPL-3.0-or-later
"""What a new file of Blender's starts with: a cube, a lamp and a camera, known as long as nobody has touched them.

A level is not looked at well with a grey cube in its middle, so an import puts them away. Whatever anybody did to one
of them makes it that person's work: it is compared with Blender's own startup file (the same in 4.2 to 5.2) by all that
Blender shows of it, see `aspects`.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ..blender_types import Node, color_of, default_of
from ..fates import aspects
from ..kept import identity
from ..reports import Report

WORLD = "World"
_GREY, _WORLD_GREY = (0.8, 0.8, 0.8, 1.0), (0.050876, 0.050876, 0.050876, 1.0)
_PLAIN: dict[str, dict[str, object]] = {
    "Cube": {"data": "Cube", "materials": ("Material",)},
    "Light": {
        "data": "Light",
        "location": (4.076245, 1.005454, 5.903862),
        "rotation": ("XYZ", 0.650328, 0.055217, 1.866391),
        "light energy": 1000.0,
        "light shadow soft size": 0.1,
    },
    "Camera": {
        "data": "Camera",
        "location": (7.358891, -6.925791, 4.958309),
        "rotation": ("XYZ", 1.109319, 0.0, 0.814928),
        "camera angle": 0.691111,
        "camera clip end": 100.0,
    },
}
"""Aspects of the objects by their names, as far as they aren't those of any new object."""
_BESIDE = {
    "Cube": frozenset(("name", "color", "vertices", "faces", "smooth shading", "attribute UVMap")),
    "Light": frozenset(("name", "color")),
    "Camera": frozenset(("name", "color", "camera angle x", "camera angle y", "camera ortho scale")),
}
"""Further aspects that they have: those of a cube's mesh are looked at on their own."""
_LENS = "camera fisheye"
"""What the names of settings begin with that only cameras of another kind use, and which differ between versions."""
_CLOSE = 1e-5


def untouched(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the objects of a scene that Blender's startup file has and nobody has changed.

    A file that was saved once has none: by then they were kept on purpose.
    """
    if bpy.data.filepath:
        return []
    return [obj for obj in scene.objects if obj.name in _PLAIN and is_untouched(obj)]


def is_untouched(obj: bpy.types.Object) -> bool:
    """Whether an object is one of Blender's startup file, and is as it is there."""
    linked = obj
    if obj.name not in _PLAIN or linked.library or linked.override_library or identity.stamped(obj) is not None:
        return False
    if obj.mode != "OBJECT":
        return False
    found, plain = aspects.values(obj), _PLAIN[obj.name]
    strange = found.keys() - plain.keys() - _BESIDE[obj.name]
    if any(not name.startswith(_LENS) for name in strange):
        return False
    if not all(_alike(found.get(name), value) for name, value in plain.items()):
        return False
    return obj.name != "Cube" or _is_plain_cube(found, obj)


def is_untouched_world(world: bpy.types.World) -> bool:
    """Whether a world is the dark grey one of Blender's startup file."""
    tree = world.node_tree
    node: Node | None = tree.nodes.get("Background") if tree is not None and len(tree.nodes) == 2 else None
    sockets = node.inputs if node is not None else None
    return (
        not bpy.data.filepath
        and world.name == WORLD
        and sockets is not None
        and _alike(color_of(sockets[0]), _WORLD_GREY)
        and default_of(sockets[1]) == 1.0
    )


def put_away(objects: Sequence[bpy.types.Object]) -> None:
    """Remove objects that are `untouched`, with their data. An undo gives them back."""
    data = [obj.data for obj in objects if obj.data is not None and obj.data.users == 1]
    bpy.data.batch_remove([*objects, *data])


def tell(objects: Sequence[bpy.types.Object], report: Report) -> None:
    """Say in a report that these are put away."""
    if objects:
        names = ", ".join(sorted(obj.name for obj in objects))
        report.note(f"out of the way: what a new file has in it, as nobody had touched it: {names}. Undo gives it back")


def _alike(value: object, wanted: object) -> bool:
    """Whether a value is the wanted one, as Blender rounds it."""
    if isinstance(value, tuple) and isinstance(wanted, tuple):
        return len(value) == len(wanted) and all(map(_alike, value, wanted))
    if isinstance(value, float) and isinstance(wanted, float):
        return abs(value - wanted) <= _CLOSE * max(1.0, abs(wanted))
    return value == wanted


def _is_plain_cube(found: dict[str, object], obj: bpy.types.Object) -> bool:
    """Whether the mesh is a cube from -1 to 1, and its material plain grey."""
    corners = found.get("vertices")
    if not isinstance(corners, np.ndarray) or corners.shape != (8, 3) or not (np.abs(corners) == 1).all():
        return False
    material = obj.material_slots[0].material
    tree = material.node_tree if material is not None else None
    node: Node | None = tree.nodes.get("Principled BSDF") if tree is not None and len(tree.nodes) == 2 else None
    color = node.inputs["Base Color"] if node is not None else None
    return color is not None and not color.is_linked and _alike(color_of(color), _GREY)
