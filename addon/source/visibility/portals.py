# SPDX-License-Identifier: GPL-3.0-or-later
"""What else the compiler kept of entities: area portals and occluders."""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats.binary import FormatError
from ....formats.source import LumpId, ranges
from ...scene import meshes, transforms
from ...scene.attributes import Kind
from .. import layout
from ..context import ImportContext

HOME = "Visibility"


def prepare(importing: ImportContext) -> Callable[[], None]:
    """Make the meshes of area portals and occluders; what is returned makes the objects. Raises FormatError."""
    made = [(layout.AREAPORTALS, _area_portals(importing)), (layout.OCCLUDERS, _occluders(importing))]
    return lambda: _place(importing, [(kind, mesh) for kind, mesh in made if mesh is not None])


def _place(importing: ImportContext, made: list[tuple[str, bpy.types.Mesh]]) -> None:
    for kind, mesh in made:
        obj = importing.object_of(mesh.name, kind, 0, mesh, (importing.group(HOME),))
        obj.display_type = "WIRE"
        obj.hide_render = True
        transforms.remember(obj)


def _area_portals(importing: ImportContext) -> bpy.types.Mesh | None:
    """Each portal once: the lump has it twice, once for each of the areas that it joins."""
    portals = importing.level.table(LumpId.AREAPORTALS)
    points = np.asarray(importing.level.table(LumpId.CLIPPORTALVERTS)["point"], np.float32)
    first, counts = (portals[name].astype(np.int64) for name in ("first_clip_portal_vert", "clip_portal_verts"))
    keys = portals["portal_key"].astype(np.int64)
    shown = np.flatnonzero((counts > 2) & (keys > 0))
    shown = shown[np.unique(keys[shown], return_index=True)[1]]
    return _polygons("Area Portals", points, first[shown], counts[shown], layout.PORTAL_KEY, keys[shown], importing)


def _occluders(importing: ImportContext) -> bpy.types.Mesh | None:
    lump = importing.level.occlusion
    if lump is None or not len(lump.polys):
        return None
    points = np.asarray(importing.level.table(LumpId.VERTEXES)["point"], np.float32)
    numbers = lump.vertices["vertex"].astype(np.int64)
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(points):
        raise FormatError(f"vertex {numbers.max()} of {len(points)}", "occluders")
    first, counts = (lump.occluders[name].astype(np.int64) for name in ("firstpoly", "polycount"))
    _inside(first, counts, len(lump.polys), "polygons of occluders")
    polys = ranges.flat(first, counts)
    starts, sizes = (lump.polys[name].astype(np.int64)[polys] for name in ("firstvertexindex", "vertexcount"))
    return _polygons("Occluders", points[numbers], starts, sizes, layout.OCCLUDER, ranges.owners(counts), importing)


def _polygons(
    name: str,
    points: NDArray[np.float32],
    first: NDArray[np.int64],
    counts: NDArray[np.int64],
    attribute: str,
    values: NDArray[np.int64],
    importing: ImportContext,
) -> bpy.types.Mesh | None:
    """A mesh of polygons, each with points of its own that follow one another."""
    if not len(counts):
        return None
    _inside(first, counts, len(points), name.lower())
    number: Kind = "INT"
    return meshes.build(
        name,
        points[ranges.flat(first, counts)],
        np.arange(counts.sum(), dtype=np.int32),
        ranges.starts(counts)[:-1].astype(np.int32),
        attributes={attribute: ("FACE", number, values.astype(np.int32))},
        report=importing.report,
    )


def _inside(first: NDArray[np.int64], counts: NDArray[np.int64], size: int, what: str) -> None:
    bad = (counts < 0) | (first < 0) | (first + counts > size)
    if bad.any():
        worst = int(bad.argmax())
        raise FormatError(f"{first[worst]} to {first[worst] + counts[worst]} of {size}", what)
    ranges.check_total(counts, size, what)
