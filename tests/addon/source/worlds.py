# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps whose brushes and faces are edited by Blender's own operators, and what an export makes of their world."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import bmesh
import bpy
import numpy as np
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId, world
from levelwright.formats.source.tree import brushes

from tests.addon.source.exports import Scene
from tests.formats import source_hall

HALL = source.write(source.read(bytes(source_hall.write(source_hall.hall()))))
"""The map of tests.formats.source_hall."""
UNIT = 0.01905
"""Metres: what operators take."""
Chosen = Callable[[bmesh.types.BMFace], bool]


class World(Scene):
    """A map with its brushes shown, for edits in Edit Mode."""

    def __init__(self, data: bytes = HALL, **options: object) -> None:
        super().__init__(data, brushes=True, **options)
        for collection in self.level.children_recursive:
            collection.hide_viewport = False
        bpy.context.view_layer.update()

    def object_of(self, brush: int) -> bpy.types.Object:
        """The object that has the polygons of a brush."""
        for obj in self.objects(layout.BRUSHES).values():
            numbers = np.zeros(len(obj.data.polygons), np.int32)
            obj.data.attributes[layout.BRUSH].data.foreach_get("value", numbers)
            if (numbers == brush + 1).any():
                return obj
        raise KeyError(brush)

    @contextmanager
    def selected(self, *chosen: int, side: Sequence[float] | None = None) -> Iterator[bpy.types.Object]:
        """Edit Mode with the faces of brushes selected, or those of them that look along `side`."""
        obj = self.object_of(chosen[0])
        wanted = {brush + 1 for brush in chosen}
        numbers = [item.value for item in obj.data.attributes[layout.BRUSH].data]
        with editing(obj, [numbers[n] in wanted and looks(face, side) for n, face in enumerate(obj.data.polygons)]):
            yield obj

    def edit(self, **settings: str) -> source.Level:
        """The map with its world edited."""
        return self.export(world="edit", **settings)


def looks(face: bpy.types.MeshPolygon, side: Sequence[float] | None) -> bool:
    return side is None or float(np.dot(face.normal, side)) > 0.99


@contextmanager
def editing(obj: bpy.types.Object, faces: Sequence[bool]) -> Iterator[None]:
    """Edit Mode on an object, in the mode for faces, with some of them selected."""
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)
    bpy.context.view_layer.objects.active = obj
    bpy.context.scene.tool_settings.mesh_select_mode = (False, False, True)
    bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(obj.data)
    for face in mesh.faces:
        face.select_set(False)
    for face, chosen in zip(mesh.faces, faces, strict=True):
        if chosen:
            face.select_set(True)
    mesh.select_flush_mode()
    bmesh.update_edit_mesh(obj.data)
    yield
    bpy.ops.object.mode_set(mode="OBJECT")


def translate(*by: float) -> None:
    """Move what is selected by units."""
    bpy.ops.transform.translate(value=[UNIT * part for part in by])


def bounds(level: source.Level, brush: int) -> list[list[float]]:
    """The lowest and the highest corner of a brush."""
    found = brushes.solids(level, np.array([brush])).polygons.positions
    return np.round([found.min(axis=0), found.max(axis=0)], 3).tolist()


def contents(level: source.Level, brush: int) -> int:
    return int(level.table(LumpId.BRUSHES)["contents"][brush])


__all__ = ["HALL", "World", "bounds", "contents", "editing", "translate", "world"]
