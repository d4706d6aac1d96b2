# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays and decals: quads on the faces that they are painted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import LumpId, displacements, geometry, overlay_lists, overlay_quads, ranges
from ....formats.source.entities import Entity
from ....formats.source.entity_values import by_key
from ....formats.source.records import Records
from ...scene import baselines, identity, meshes, transforms
from .. import layout
from ..context import ImportContext
from ..lightmaps.build import Lightmaps
from ..props.build import doubles
from .light import Beneath

Ints = NDArray[np.int64]

HOME = "Overlays"
ID = "overlay_id"
"""Key on overlays: the number that the game's scripts know it by."""
ORDER = "render_order"
"""Key on overlays: their place in the order of drawing, 0 to 3."""
LIFT = 0.1
"""Units that overlays are lifted off their faces, for each place in their order of drawing."""
_DECAL_SIZE = 64
_STRATA = 3
_SAME_WAY = 0.999
_NONE = np.zeros(0, np.int64)


def records(level: source.Level) -> Records:
    """The map's overlays. Raises FormatError."""
    if level.version == 25 and level.version_of(LumpId.OVERLAYS) == _STRATA:
        return overlay_lists.read(level.bytes_of(LumpId.OVERLAYS)).overlays
    return level.table(LumpId.OVERLAYS)


def prepare(importing: ImportContext, baked: Lightmaps | None) -> Callable[[], None]:
    """Make the meshes of overlays; what is returned makes the objects. baked: their light. Raises FormatError."""
    overlays = records(importing.level)
    if not len(overlays):
        return lambda: None
    away = layout.finite(overlay_quads.corners(overlays) - overlays["origin"].astype(np.float64)[:, None])
    baselines.store(importing.collection, layout.OVERLAY_CORNERS, away)
    baselines.store(importing.collection, layout.OVERLAY_UVS, _uvs(overlays))
    return _prepared(importing, overlays, layout.OVERLAY, "Overlay", baked)


def prepare_water(importing: ImportContext, baked: Lightmaps | None) -> Callable[[], None]:
    """Make those that are painted on water, as `prepare` does: for reference only. Raises FormatError."""
    overlays = importing.level.table(LumpId.WATEROVERLAYS)
    return (
        _prepared(importing, overlays, layout.WATER_OVERLAY, "Water Overlay", baked) if len(overlays) else lambda: None
    )


def _uvs(overlays: Records) -> NDArray[np.float32]:
    """float32[n, 4, 2]: the texture coordinates of the meshes, v upwards."""
    down = overlay_quads.texture_corners(overlays)
    return layout.finite(down * np.array([1, -1], np.float32) + np.array([0, 1], np.float32))


def _prepared(
    importing: ImportContext, overlays: Records, kind: str, title: str, baked: Lightmaps | None
) -> Callable[[], None]:
    textures = Textures(importing)
    corners = overlay_quads.corners(overlays)
    origins = overlays["origin"].astype(np.float64)
    uvs = _uvs(overlays)
    facing = _facing(corners, overlays["basis_normal"].astype(np.float64))
    width = len(str(len(overlays)))
    beneath = Beneath(importing, baked)
    painted = overlay_lists.face_lists(overlays) if "faces" in (overlays.dtype.names or ()) else (_NONE, _NONE)
    faces = beneath.nearest(*painted, doubles(overlays["origin"]))
    light = beneath.coordinates(corners, faces)
    made = []
    for number in range(len(overlays)):
        name, size = textures.of(int(overlays["texinfo"][number]))
        label = f"{title} {number:0{width}} {name.rpartition('/')[2]}"
        order = np.arange(4) if facing[number] else np.arange(4)[::-1]
        lit = None if light is None else light[number]
        made.append(quad(label, corners[number] - origins[number], uvs[number], order, importing, lit))
        made[-1].materials.append(importing.materials.of(name, light is None or bool(faces[number] >= 0), size))
    sunken = _sunken(importing, overlays, corners)
    return lambda: _place(importing, overlays, kind, made, sunken)


def _facing(corners: NDArray[np.float64], normals: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which quads are counter-clockwise seen from the side that the normals point to."""
    across = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    return np.asarray(np.einsum("ni,ni->n", across, normals) >= 0)


def quad(
    name: str,
    corners: NDArray[np.float64],
    uvs: NDArray[np.float32],
    order: NDArray[np.intp],
    importing: ImportContext,
    light: NDArray[np.float32] | None = None,
) -> bpy.types.Mesh:
    """A mesh of four vertices. order: in which its polygon passes them. light: its places in the lightmaps."""
    layers = {layout.UV: uvs[order]}
    if light is not None:
        layers[layout.LIGHTMAP_UV] = light[order]
    with np.errstate(over="ignore"):  # hostile floats
        points = corners.astype(np.float32)
    start = np.zeros(1, np.int32)
    return meshes.build(layout.readable(name), points, order, start, layers, report=importing.report, sound=True)


def _sunken(importing: ImportContext, overlays: Records, corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n]: how far overlays lie behind the faces that they are painted on, as many do: the game projects them.

    Of faces that look the same way as the overlay the foremost counts, and of displacements what rises highest below
    it. corners: float64[n, 4, 3].
    """
    depth = np.full(len(overlays), -np.inf)
    if "faces" in (overlays.dtype.names or ()):
        own, painted = overlay_lists.face_lists(overlays)
        faces, planes = (
            importing.level.table(geometry.drawn_faces(importing.level)),
            importing.level.table(LumpId.PLANES),
        )
        inside = (painted >= 0) & (painted < len(faces))
        own, painted = own[inside], painted[inside]
        displaced = faces["dispinfo"][painted].astype(np.int64)
        numbers = faces["planenum"].astype(np.int64)[painted]
        flat = (numbers >= 0) & (numbers < len(planes)) & (displaced < 0)
        level, numbers = own[flat], numbers[flat]
        normals, origins = doubles(planes["normal"][numbers]), doubles(overlays["origin"][level])
        alike = np.einsum("ni,ni->n", normals, doubles(overlays["basis_normal"][level])) > _SAME_WAY
        behind = doubles(planes["dist"][numbers]) - np.einsum("ni,ni->n", normals, origins)
        np.maximum.at(depth, level[alike], behind[alike])
        if (displaced >= 0).any():
            _climb(importing, overlays, corners, own[displaced >= 0], displaced[displaced >= 0], depth)
    return np.where(np.isfinite(depth), depth, 0.0)


def _climb(
    importing: ImportContext,
    overlays: Records,
    corners: NDArray[np.float64],
    own: Ints,
    displaced: Ints,
    depth: NDArray[np.float64],
) -> None:
    """Raise `depth` to what the `displaced` displacements have in front of the overlays `own`, within their reach."""
    try:
        found = displacements.displacements(importing.level, importing.polygons)
        points = layout.finite(found.positions(importing.level.table(LumpId.DISP_VERTS))).astype(np.float64)
    except FormatError:  # the displacements' own part of the import reports that
        return
    for number, displacement in zip(own.tolist(), displaced.tolist(), strict=True):
        if displacement >= len(found.faces):
            continue
        start = int(found.first_vertex[displacement])
        origin, normal = doubles(overlays["origin"][number]), doubles(overlays["basis_normal"][number])
        away = points[start : start + int(found.counts[displacement])] - origin
        height = away @ normal
        beside = np.linalg.norm(away - height[:, None] * normal, axis=1)
        reach = float(np.linalg.norm(corners[number] - origin, axis=1).max())
        below = ~(beside > reach) | (beside == beside.min())
        depth[number] = max(depth[number], float(height[below].max()))


def _place(
    importing: ImportContext, overlays: Records, kind: str, made: Sequence[bpy.types.Mesh], sunken: NDArray[np.float64]
) -> None:
    if not len(made):
        return
    home = importing.group(HOME)
    normals = doubles(overlays["basis_normal"])
    names = overlays.dtype.names or ()
    order = (
        (overlays["face_count_and_render_order"] >> 14)
        if "face_count_and_render_order" in names
        else (overlays["render_order"])
    )
    lifts = (normals * (LIFT * (1 + order.astype(np.float64)) + sunken)[:, None]).tolist()
    places = doubles(overlays["origin"]).tolist()
    numbers = overlays["id"].tolist() if "id" in names else []
    for number, mesh in enumerate(made):
        obj: Any = bpy.data.objects.new(mesh.name, mesh)
        obj.parent = importing.root
        identity.stamp(obj, importing.token, kind, number)
        obj.location, obj.delta_location = places[number], lifts[number]
        if numbers:
            obj[ID] = numbers[number]
        obj[ORDER] = int(order[number])
        transforms.remember(obj)
        home.objects.link(obj)
    importing.report.count(f"{kind.replace('_', ' ')}s", len(made))


class Textures:
    """Names and sizes of the textures that texinfos have."""

    def __init__(self, importing: ImportContext) -> None:
        level = importing.level
        self._texdata = level.table(LumpId.TEXINFO)["texdata"].astype(np.int64)
        self._records = level.table(LumpId.TEXDATA)
        self._names = level.texture_names.names

    def of(self, texinfo: int) -> tuple[str, tuple[int, int]]:
        """The name and size of a texinfo's texture; ("", ...) for one that isn't there."""
        if not 0 <= texinfo < len(self._texdata) or not 0 <= self._texdata[texinfo] < len(self._records):
            return "", (_DECAL_SIZE, _DECAL_SIZE)
        record = self._records[self._texdata[texinfo]]
        name = int(record["name_string_table_id"])
        size = int(record["width"]), int(record["height"])
        return self._names[name] if 0 <= name < len(self._names) else "", size


@np.errstate(all="ignore")  # hostile floats
def decals(
    importing: ImportContext, entities: Sequence[tuple[int, Entity]], baked: Lightmaps | None
) -> dict[int, bpy.types.Mesh]:
    """Quads of decals, by the entity's number: on the nearest face, around the entity's origin. Raises FormatError.

    baked: their light. Those without a place or with no face near them have none.
    """
    placed = [(number, entity) for number, entity in entities if entity.origin is not None]
    if not placed:
        return {}
    polygons = importing.polygons
    filled = np.flatnonzero(np.diff(polygons.first_corner) > 2)
    starts = polygons.first_corner[:-1][filled]
    counts = np.diff(polygons.first_corner)[filled]
    if not len(filled):
        return {}
    normals = importing.area_normals[filled]
    length = np.sqrt((normals * normals).sum(axis=1, keepdims=True))
    unit = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0)
    around = polygons.positions[polygons.corners[ranges.index(starts, counts)]]
    mins, maxs = (
        extreme.reduceat(around, ranges.starts(counts)[:-1]).astype(np.float64) for extreme in (np.minimum, np.maximum)
    )
    points = polygons.positions[polygons.corners[starts]].astype(np.float64)
    origins = np.array([entity.origin for _, entity in placed], np.float64)
    finite = np.isfinite(origins).all(axis=1)
    face = overlay_quads.nearest_faces(np.nan_to_num(origins), unit, points, mins, maxs)
    found = np.flatnonzero((face >= 0) & finite)
    appearances = [_decal(importing, placed[place][1]) for place in found.tolist()]
    sizes = np.array([size for _, size in appearances], np.float64).reshape(-1, 2)
    quads = overlay_quads.decal_quads(origins[found], unit[face[found]], points[face[found]], sizes)
    quads += unit[face[found]][:, None] * LIFT
    beneath = Beneath(importing, baked)
    on = beneath.nearest(np.arange(len(found)), filled[face[found]], origins[found])
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
        return name, (_DECAL_SIZE, _DECAL_SIZE)
    scale = material.number("$decalscale", 1.0)
    return name, (texture.width * scale, texture.height * scale)
