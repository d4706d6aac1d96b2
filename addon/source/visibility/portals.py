# SPDX-License-Identifier: GPL-3.0-or-later
"""What else the compiler kept of entities: area portals and occluders."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import ranges, source
from ....formats.arrays import Int32s, Ints, Singles
from ....formats.binary import FormatError
from ....formats.source import LumpId
from ...scene.attributes import Domain, Kind
from ...scene.geometry import meshes, transforms
from ...scene.work.progress import Steps
from .. import layout
from ..context import ImportContext

HOME = "Visibility"
OCCLUDER_FIELDS = {layout.OCCLUDER_FLAGS: "flags", layout.OCCLUDER_AREA: "area"}
"""Face attributes that say of each polygon what its occluder has, and the field of it."""


def prepare(importing: ImportContext) -> Steps[None]:
    """Make the meshes of area portals and occluders; what is returned makes the objects. Raises FormatError."""
    level = importing.level
    made = [
        (layout.AREAPORTALS, _mesh("Area Portals", area_portals(level), importing)),
        (layout.OCCLUDERS, _mesh("Occluders", occluders(level), importing)),
    ]
    return _place(importing, [(kind, mesh) for kind, mesh in made if mesh is not None])


def _place(importing: ImportContext, made: list[tuple[str, bpy.types.Mesh]]) -> Steps[None]:
    for kind, mesh in made:
        obj = importing.object_of(mesh.name, kind, 0, mesh, (importing.group(HOME),))
        obj.display_type = "WIRE"
        obj.hide_render = True
        transforms.remember(obj)
        yield


@dataclass(frozen=True)
class LumpPolygons:
    """Polygons of a map, each with points of its own that follow one another."""

    points: Singles
    """float32[n, 3]."""
    counts: Ints
    """int64[p], the points of each."""
    values: dict[str, Int32s]
    """int32[p] by the names of face attributes."""


def area_portals(level: source.Level) -> LumpPolygons | None:
    """Each portal once: the lump has it twice, once for each of the areas that it joins. None without any.

    Raises FormatError.
    """
    portals = level.table(LumpId.AREAPORTALS)
    points = np.asarray(level.table(LumpId.CLIPPORTALVERTS)["point"], np.float32)
    first, counts = (portals[name].astype(np.int64) for name in ("first_clip_portal_vert", "clip_portal_verts"))
    keys = portals["portal_key"].astype(np.int64)
    shown = np.flatnonzero((counts > 2) & (keys > 0))
    shown = shown[np.unique(keys[shown], return_index=True)[1]]
    values = {layout.PORTAL_KEY: keys[shown].astype(np.int32)}
    return _polygons("area portals", points, first[shown], counts[shown], values)


def occluders(level: source.Level) -> LumpPolygons | None:
    """The polygons of all occluders, one after another; None without any. Raises FormatError."""
    lump = level.occlusion
    if lump is None or not len(lump.polys):
        return None
    points = np.asarray(level.table(LumpId.VERTEXES)["point"], np.float32)
    numbers = lump.vertices["vertex"].astype(np.int64)
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(points):
        raise FormatError(f"vertex {numbers.max()} of {len(points)}", "occluders")
    first, counts = (lump.occluders[name].astype(np.int64) for name in ("firstpoly", "polycount"))
    _inside(first, counts, len(lump.polys), "polygons of occluders")
    polys, owners = ranges.flat(first, counts), ranges.owners(counts)
    starts, sizes = (lump.polys[name].astype(np.int64)[polys] for name in ("firstvertexindex", "vertexcount"))
    values = {layout.OCCLUDER: owners.astype(np.int32)}
    for name, field in OCCLUDER_FIELDS.items():
        if field in (lump.occluders.dtype.names or ()):
            values[name] = lump.occluders[field].astype(np.int32)[owners]
    return _polygons("occluders", points[numbers], starts, sizes, values)


def _polygons(
    what: str,
    points: Singles,
    first: Ints,
    counts: Ints,
    values: dict[str, Int32s],
) -> LumpPolygons | None:
    if not len(counts):
        return None
    _inside(first, counts, len(points), what)
    return LumpPolygons(points[ranges.flat(first, counts)], counts, values)


def _mesh(name: str, shown: LumpPolygons | None, importing: ImportContext) -> bpy.types.Mesh | None:
    if shown is None:
        return None
    domain: Domain = "FACE"
    number: Kind = "INT"
    return meshes.build(
        name,
        shown.points,
        np.arange(len(shown.points), dtype=np.int32),
        ranges.starts(shown.counts)[:-1].astype(np.int32),
        attributes={key: (domain, number, values) for key, values in shown.values.items()},
        report=importing.report,
    )


def _inside(first: Ints, counts: Ints, size: int, what: str) -> None:
    bad = (counts < 0) | (first < 0) | (first + counts > size)
    if bad.any():
        worst = int(bad.argmax())
        raise FormatError(f"{first[worst]} to {first[worst] + counts[worst]} of {size}", what)
    ranges.check_total(counts, size, what)
