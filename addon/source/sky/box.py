# SPDX-License-Identifier: GPL-3.0-or-later
"""The 3D skybox: the small scenery around the sky camera, once more in the size and place that the game shows it in.

The camera's area is drawn around the world, as many times larger as its key `scale` says, so that the camera's place
becomes the world's origin. What is shown is a copy, for show only: a mesh of the area's faces (and one of its
displacements, where they are joined), and objects that share the meshes of its displacements, static props and
entities. All of these stay where they are, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress

import bpy
import numpy as np
from bpy.types import Mesh

from ....formats.arrays import Bools, Floats, Ints
from ....formats.source import LumpId
from ....formats.source.entities.entity_values import by_key, number
from ....formats.source.numbers import doubles
from ....formats.source.tables import fields
from ....formats.source.tree import leaf_tree
from ....formats.source.tree.leaf_tree import LeafTree
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.kept import identity
from .. import layout
from ..context import ImportContext
from ..displacements.build import DisplacementMeshes
from ..faces.build import RenderedFaces
from ..props import build as props

HOME = "3D Skybox"
_CLASS = "sky_camera"
_SCALE = 16.0
_NEAR = 1.0
"""Units around displacements: flat ones touch the leafs above them."""
_SHOWN = tuple(layout.KINDS.index(kind) for kind in (layout.WORLD, layout.WATER))


@dataclass(frozen=True)
class SkyBox:
    """What is around the sky camera."""

    camera: tuple[float, float, float]
    """Its place, units."""
    scale: float
    """How many times larger the game shows it."""
    areas: Ints
    """int64[leafs]: the area of each leaf."""
    area: int
    """The camera's."""
    tree: LeafTree
    """The map's, for the leafs of places."""
    meshes: list[bpy.types.Mesh]
    """Of the faces in the area, and of its displacements where those of the map are one object."""

    def holds(self, places: Floats) -> Bools:
        """Which of float64[n, 3] places are in the camera's area."""
        return np.asarray(self.areas[self.tree.of_points(places)] == self.area)

    def holds_boxes(self, mins: Floats, maxs: Floats) -> Bools:
        """Which of float64[n, 3] boxes touch the camera's area, and no other one."""
        owners, leafs = self.tree.of_boxes(mins, maxs)
        areas = self.areas[leafs]
        inside = np.zeros(len(mins), np.bool_)
        inside[owners[areas == self.area]] = True
        inside[owners[(areas > 0) & (areas != self.area)]] = False
        return inside


def prepare(importing: ImportContext, faces: RenderedFaces, disp_meshes: DisplacementMeshes | None) -> SkyBox | None:
    """Find the map's first sky camera, and make the meshes of what is around it; None without one, or one that is
    outside. Raises FormatError.
    """
    camera = next(importing.level.entities.of_class(_CLASS), None)
    if camera is None or camera.origin is None or not np.isfinite(camera.origin).all():
        return None
    leafs, tree = importing.level.table(LumpId.LEAFS), LeafTree(importing.level)
    if not len(leafs):
        return None
    areas, _ = fields.areas(leafs)
    area = int(areas[tree.of_points(np.array([camera.origin]))[0]])
    if not area:
        return None
    owners, listed = leaf_tree.faces(importing.level)
    numbers = np.unique(listed[areas[owners] == area])
    shown = numbers[faces.drawable[numbers] & np.isin(faces.kinds[numbers], _SHOWN)]
    scale = number(by_key(camera), "scale", _SCALE)
    box = SkyBox(camera.origin, scale if scale > 0 else _SCALE, areas, area, tree, [])
    title = f"{importing.collection.name} {HOME}"
    if len(shown):
        box.meshes.append(faces.mesh(title, shown))
    if disp_meshes is not None and importing.settings.displacements == "joined":
        mins, maxs = disp_meshes.boxes()
        inside = np.flatnonzero(box.holds_boxes(mins - _NEAR, maxs + _NEAR))
        if len(inside):
            box.meshes.append(disp_meshes.mesh(f"{title} Displacements", inside))
    return box


def place(importing: ImportContext, box: SkyBox) -> None:
    """Make the objects, below an empty with the skybox's place and size: called when those of the map are made."""
    displaced, entities = _displacements(importing), _entities(importing)
    inside = _inside(box, displaced + entities)  # at once: most of its time is numpy's own for each step down the tree
    shown_entities = compress(entities, inside[len(displaced) :])
    originals = [*compress(displaced, inside), *_props(importing, box), *shown_entities]
    if not box.meshes and not originals:
        return
    home = importing.group(HOME)
    root = importing.object_of(HOME, layout.PREVIEW, homes=(home,))
    root.scale = (box.scale,) * 3
    root.location = [-box.scale * axis for axis in box.camera]
    root.empty_display_size = 8.0
    copies = [obj.copy() for obj in originals]
    copies += [bpy.data.objects.new(mesh.name, mesh) for mesh in box.meshes]
    for record, obj in enumerate(copies, 1):
        obj.id_properties_clear()  # they say what the record is that it shows
        obj.parent = root
        obj.hide_select = True
        identity.stamp(obj, importing.token, layout.PREVIEW, record)
        home.objects.link(obj)


def _displacements(importing: ImportContext) -> list[bpy.types.Object]:
    """The objects of single displacements, whose boxes tell whether they are in the area: no leaf lists their faces."""
    disp_meshes = []
    for obj in (
        importing.group(layout.DISPLACEMENT_HOME).objects if len(importing.level.bytes_of(LumpId.DISPINFO)) else ()
    ):
        mark = identity.stamped(obj)
        if mark is not None and mark.kind == layout.DISPLACEMENT and mark.record >= 0:
            disp_meshes.append(obj)
    return disp_meshes


def _entities(importing: ImportContext) -> list[bpy.types.Object]:
    """The objects of entities that have a mesh, but those that are hidden, as triggers are."""
    found: list[bpy.types.Object] = []
    for home in (importing.collection, *importing.collection.children_recursive):
        for obj in () if home.hide_viewport else home.objects:
            if isinstance(obj.data, Mesh) and len(obj.data.vertices):
                mark = identity.stamped(obj)
                if mark is not None and mark.kind == layout.ENTITY:
                    found.append(obj)
    return found


def _inside(box: SkyBox, objects: list[bpy.types.Object]) -> list[bool]:
    """Which of these objects, with meshes, are in the area."""
    mins, maxs = np.empty((len(objects), 3)), np.empty((len(objects), 3))
    for row, obj in enumerate(objects):
        mesh = mesh_of(obj)
        matrix = np.array(obj.matrix_basis, np.float64)
        points = np.asarray(attributes.read(mesh, "position"), np.float64)
        placed = points @ matrix[:3, :3].T + matrix[:3, 3]
        mins[row], maxs[row] = placed.min(axis=0), placed.max(axis=0)
    inside: list[bool] = box.holds_boxes(mins - _NEAR, maxs + _NEAR).tolist()
    return inside


def _props(importing: ImportContext, box: SkyBox) -> Iterator[bpy.types.Object]:
    """The objects of the static props in the area."""
    lump = importing.level.static_props
    if importing.settings.static_props == "none" or lump is None or lump.props is None or not len(lump.props):
        return
    inside = box.holds(doubles(lump.props["origin"]))
    for obj in importing.group(props.HOME).objects:
        mark = identity.stamped(obj)
        if mark is not None and mark.kind == layout.STATIC_PROP and inside[mark.record]:
            yield obj
