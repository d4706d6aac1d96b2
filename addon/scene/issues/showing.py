# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing what something is about: objects are selected, and their faces and vertices in edit mode, and looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ....formats.arrays import Bools, Integers
from ..blender_types import Value, always, mesh_of
from ..geometry.meshes import select_faces, select_points
from ..reports import SceneError
from ..view.stage import view_layer_of, viewports

Places = Mapping[bpy.types.Object, Integers]
"""Indices of faces or vertices, by the objects that have them."""
_SWITCHES = {"SURFACE": "surf", "GPENCIL": "grease_pencil", "GREASEPENCIL": "grease_pencil"}
"""What 3D views call the types of objects that they can leave out, where that isn't the type's name."""
FACES_ASKED = 1000
"""Of an object, for where its faces look to."""
ONE_WAY, EDGE = 0.3, 0.2
"""How far faces have to look to one side for views to be turned there; the cosine at which they are seen well."""


def show(context: bpy.types.Context, objects: Sequence[bpy.types.Object], faces: Places, points: Places) -> list[str]:
    """Select these objects and no others, enter edit mode where faces or points of theirs are meant, with these
    selected, and let the 3D views look at them. What of it is hidden is shown again; returns the names of that.

    Raises SceneError where none of the objects is in the scene.
    """
    layer = view_layer_of(context)
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    told = _unhide(context, layer, objects)
    there = [obj for obj in objects if obj.name in layer.objects]
    if not there:
        raise SceneError(f"{', '.join(obj.name for obj in objects[:5])}: not in this scene any more")
    for obj in layer.objects:
        obj.select_set(False)
    for obj in there:
        obj.select_set(True)
    edited = [obj for obj in there if (obj in faces or obj in points) and _can_be_edited(obj)]
    layer.objects.active = (edited or there)[0]
    for obj in edited:
        _select_elements(obj, faces.get(obj), points.get(obj))
    if edited:
        for obj in there:  # Blender takes all selected meshes into edit mode
            obj.select_set(obj in edited)
        if context.scene is not None and context.scene.tool_settings is not None:
            is_of_faces = any(obj in faces for obj in edited)
            context.scene.tool_settings.mesh_select_mode = (not is_of_faces, False, is_of_faces)
    front = _front({obj: faces[obj] for obj in edited if obj in faces})
    if edited:
        bpy.ops.object.mode_set(mode="EDIT")
    _look(context, front)
    return told


def _can_be_edited(obj: bpy.types.Object) -> bool:
    """Whether elements of an object can be selected: it has a mesh, of this file."""
    mesh = obj.data if isinstance(obj.data, bpy.types.Mesh) else None
    return mesh is not None and mesh.library is None


def _select_elements(obj: bpy.types.Object, faces: Integers | None, points: Integers | None) -> None:
    """Select elements of a mesh, and show those of them that were hidden in edit mode."""
    if faces is not None:
        select_faces(obj, faces)
    elif points is not None:
        select_points(obj, points)
    mesh = mesh_of(obj)
    for elements in (mesh.vertices, mesh.edges, mesh.polygons):
        hidden, selected = _flags(elements, "hide"), _flags(elements, "select")
        if (hidden & selected).any():
            elements.foreach_set("hide", hidden & ~selected)


def _flags(elements: Value, name: str) -> Bools:
    found = np.zeros(len(elements), np.bool_)
    elements.foreach_get(name, found)
    return found


# -------------------------------------------------------------------------------------------------------------- hidden


class _Found(NamedTuple):
    """A collection of the view layer, those that it lies in, and which objects of interest are in it."""

    chain: tuple[bpy.types.LayerCollection, ...]
    objects: set[bpy.types.Object]


def _unhide(context: bpy.types.Context, layer: bpy.types.ViewLayer, objects: Sequence[bpy.types.Object]) -> list[str]:
    """Let objects be seen and selected, and the collections that they are in; the names of those that weren't."""
    told: dict[str, None] = {}
    root = layer.layer_collection
    left = set(objects)
    for found in _holders((root,), left):
        if not found.objects & left:
            continue  # seen by way of another collection
        for one in found.chain:
            if one.exclude or one.hide_viewport or one.collection.hide_viewport:
                told[f"collection {one.name}"] = None
                one.exclude = one.hide_viewport = one.collection.hide_viewport = False
            one.collection.hide_select = False
        left -= found.objects
    if told:
        layer.update()
    for obj in objects:
        if obj.name not in layer.objects:
            continue
        if obj.hide_viewport or obj.hide_get():
            told[obj.name] = None
            obj.hide_viewport = False
            obj.hide_set(False)
        obj.hide_select = False
    told.update(dict.fromkeys(_show_types(context, objects)))
    return list(told)


def _holders(chain: tuple[bpy.types.LayerCollection, ...], wanted: set[bpy.types.Object]) -> Iterator[_Found]:
    """The collections of a view layer that hold objects directly, those that are shown first."""
    found = []
    stack = [chain]
    while stack:
        above = stack.pop()
        inside = wanted.intersection(above[-1].collection.objects)
        if inside:
            found.append(_Found(above, inside))
        stack += [(*above, child) for child in above[-1].children]
    yield from sorted(found, key=lambda each: sum(one.exclude or one.hide_viewport for one in each.chain))


def _show_types(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> Iterator[str]:
    """Let the 3D views show the types of objects; names of the types that one left out."""
    kinds = {obj.type for obj in objects}
    for space in viewports(context):
        for kind in sorted(kinds):
            switch = f"show_object_viewport_{_SWITCHES.get(kind, kind.lower())}"
            if getattr(space, switch, True) is False:
                setattr(space, switch, True)
                yield f"objects of type {kind.replace('_', ' ').lower()}"
        if space.local_view is not None:
            for obj in objects:
                with suppress(RuntimeError):  # one that isn't in the view layer
                    obj.local_view_set(space, True)


# ---------------------------------------------------------------------------------------------------------------- look


def _front(faces: Places) -> Vector | None:
    """Return where faces look to, in the world; None where they look to all sides, or there are none."""
    total = Vector()
    for obj, indices in faces.items():
        mesh, turned = obj.data, obj.matrix_world.inverted_safe().transposed().to_3x3()
        if isinstance(mesh, bpy.types.Mesh):
            for index in indices[:FACES_ASKED].tolist():
                total += (turned @ mesh.polygons[index].normal).normalized()
    number = sum(min(len(indices), FACES_ASKED) for indices in faces.values())
    return total.normalized() if total.length > ONE_WAY * number else None


def face(region: bpy.types.RegionView3D, front: Vector) -> None:
    """Turn a view to what looks to `front`, where it would be seen from behind or from its edge: through the rest."""
    if region.view_perspective == "CAMERA" or region.lock_rotation:
        return
    if (region.view_rotation @ Vector((0.0, 0.0, -1.0))).dot(front) > -EDGE:
        region.view_rotation = (-front).to_track_quat("-Z", "Y")


def _look(context: bpy.types.Context, front: Vector | None) -> None:
    """Let the 3D views of the window look at what is selected. front: from where."""
    window = context.window
    if window is None or bpy.app.background:
        return
    for area in window.screen.areas:
        region = next((each for each in area.regions if each.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None:
            space = area.spaces.active
            if front is not None and isinstance(space, bpy.types.SpaceView3D):
                face(always(space.region_3d), front)
            with context.temp_override(window=window, area=area, region=region), suppress(RuntimeError):
                bpy.ops.view3d.view_selected()  # which a view that is locked to a camera refuses
