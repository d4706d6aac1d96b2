# SPDX-License-Identifier: GPL-3.0-or-later
"""New overlays."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Floats
from ....formats.source import geometry
from ....formats.source.placed import near_faces, overlay_quads
from ...scene.fields import declared
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.reports import Report, SceneError
from .. import layout
from ..adding.open_map import importing_into
from ..adding.operators import AddAtCursor, known_materials
from ..collecting.scene_level import at_fault
from ..materials.collect import texture_name_of
from . import build as overlays

OVERLAY_SIZE = 64.0
"""Units across, of new overlays."""


def add_overlay(
    context: bpy.types.Context,
    level: bpy.types.Collection,
    material: str,
    place: Sequence[float],
    report: Report,
    size: float = OVERLAY_SIZE,
) -> bpy.types.Object:
    """Add an overlay of a material on the face of the world that is next to a place (units, below the root).

    Raises SceneError.
    """
    name = texture_name_of(material)
    if not name:
        raise SceneError("an overlay needs a material, by its path: decals/decalstain01a")
    importing = importing_into(context, level, report)
    with at_fault():
        corners, normal = _on_face(importing.level, np.array(place, np.float64), size)
    middle = corners.mean(axis=0)
    title = f"Overlay {name.rpartition('/')[2]}"
    uvs = np.array([[0, 0], [0, 1], [1, 1], [1, 0]], np.float32)
    mesh = overlays.quad(title, corners - middle, uvs, np.arange(4)[::-1], importing)
    mesh.materials.append(importing.materials.of(name))
    obj = bpy.data.objects.new(mesh.name, mesh)
    obj.parent = importing.root
    identity.stamp(obj, importing.token, layout.OVERLAY, -1)
    obj.location, obj.delta_location = middle.tolist(), (normal * overlays.LIFT).tolist()
    obj[overlays.ORDER] = 0
    transforms.remember(obj)
    importing.group(overlays.HOME).objects.link(obj)
    return obj


def _on_face(level: source.Level, place: Floats, size: float) -> tuple[Floats, Floats]:
    """Corners float64[4, 3] of a square on the nearest face, in the order of an overlay's, and the face's normal.

    Raises FormatError, and ValueError where no face is near.
    """
    polygons = geometry.readable_polygons(level)
    (face,), normals, points = near_faces.nearest(polygons, geometry.area_normals(polygons), place[None])
    if face < 0:
        raise ValueError("no face of the world is there: put the 3D cursor next to one")
    quad = overlay_quads.decal_quads(place[None], normals, points, np.full((1, 2), size))[0]
    return quad[[0, 3, 2, 1]], normals[0]


class AddOverlay(AddAtCursor):
    """Add an overlay to the Source map, on the face next to the 3D cursor"""

    bl_idname = "levelwright.source_add_overlay"
    bl_label = "Add Overlay"
    add = staticmethod(add_overlay)

    what: str = declared.string(
        name="Material", description="Path of the material: decals/decalstain01a", search=known_materials
    )
