# SPDX-License-Identifier: GPL-3.0-or-later
"""Decals: quads around the places of their entities, on the nearest faces."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ....formats.source.entities.entity_values import by_key
from ....formats.source.entities.text import Entity
from ....formats.source.placed import near_faces, overlay_quads
from ..context import ImportContext
from ..lightmaps.build import Lightmaps
from .build import LIFT, quad
from .light import Beneath

_UNKNOWN_SIZE = 64
"""Units: of decals whose texture isn't found."""


@np.errstate(all="ignore")  # hostile floats
def build(
    importing: ImportContext, entities: Sequence[tuple[int, Entity]], baked: Lightmaps | None
) -> dict[int, bpy.types.Mesh]:
    """Quads of decals, by the entity's number: on the nearest face, around the entity's origin. Raises FormatError.

    baked: their light. Those without a place or with no face near them have none.
    """
    placed = [(number, entity) for number, entity in entities if entity.origin is not None]
    if not placed:
        return {}
    origins = np.array([entity.origin for _, entity in placed], np.float64)
    finite = np.isfinite(origins).all(axis=1)
    faces, normals, points = near_faces.nearest(importing.polygons, importing.area_normals, np.nan_to_num(origins))
    found = np.flatnonzero((faces >= 0) & finite)
    appearances = [_decal(importing, placed[place][1]) for place in found.tolist()]
    sizes = np.array([size for _, size in appearances], np.float64).reshape(-1, 2)
    quads = overlay_quads.decal_quads(origins[found], normals[found], points[found], sizes)
    quads += normals[found][:, None] * LIFT
    beneath = Beneath(importing, baked)
    on = beneath.nearest(np.arange(len(found)), faces[found], origins[found])
    light = beneath.coordinates(quads, on)
    uvs = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    made = {}
    for at, (place, corners, (name, size)) in enumerate(zip(found.tolist(), quads, appearances, strict=True)):
        number = placed[place][0]
        lit = None if light is None else light[at]
        mesh = quad(f"{name.rpartition('/')[2]} {number}", corners - origins[place], uvs, np.arange(4), importing, lit)
        whole = max(int(size[0]), 1), max(int(size[1]), 1)
        mesh.materials.append(importing.materials.of(name, light is None or bool(on[at] >= 0), whole))
        made[number] = mesh
    return made


def _decal(importing: ImportContext, entity: Entity) -> tuple[str, tuple[float, float]]:
    """The material of a decal, and its size in units: that of the texture by `$decalscale`."""
    name = by_key(entity).get("texture", "").replace("\\", "/").lower().removesuffix(".vmt")
    material = importing.content.material(name) if name else None
    base = material.texture("$basetexture") if material is not None else None
    texture = importing.content.texture(base) if base is not None else None
    if material is None or texture is None:
        return name, (_UNKNOWN_SIZE, _UNKNOWN_SIZE)
    scale = material.number("$decalscale", 1.0)
    return name, (texture.width * scale, texture.height * scale)
