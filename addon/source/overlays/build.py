# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays and decals: quads on the faces that they are painted on."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import LumpId
from ....formats.source.numbers import doubles, singles
from ....formats.source.placed import overlay_depths, overlay_quads, overlay_rows
from ....formats.source.records import Records
from ....formats.source.tables import overlay_lists
from ...scene.fields.properties import describe
from ...scene.geometry import meshes, transforms
from ...scene.kept import baselines, identity
from ...scene.names import showable
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..lightmaps.build import Lightmaps
from .light import Beneath

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

HOME = "Overlays"
ID = "overlay_id"
"""Key on overlays: the number that the game's scripts know it by."""
ORDER = "render_order"
"""Key on overlays: their place in the order of drawing, 0 to 3."""
FADES = ("fade_min_dist", "fade_max_dist")
"""Keys on overlays of maps that have OVERLAY_FADES: units from where on one fades, and is gone."""
LEVELS = ("min_cpu_level", "max_cpu_level", "min_gpu_level", "max_gpu_level")
"""Keys on overlays of maps that have OVERLAY_SYSTEM_LEVELS: the machines that show one."""
_TOOLTIPS = {
    FADES[0]: "Units from where on it fades; negative: never",
    FADES[1]: "Units from where on it is gone",
    LEVELS[0]: "Lowest processor level that shows it; 0: any",
    LEVELS[1]: "Highest processor level that shows it; 0: any",
    LEVELS[2]: "Lowest graphics level that shows it; 0: any",
    LEVELS[3]: "Highest graphics level that shows it; 0: any",
}
LIFT = 0.1
"""Units that overlays are lifted off their faces, for each place in their order of drawing."""
_DECAL_SIZE = 64
_STRATA = 3
_NONE = np.zeros(0, np.int64)


def records(level: source.Level) -> Records:
    """The map's overlays. Raises FormatError."""
    if level.version == 25 and level.version_of(LumpId.OVERLAYS) == _STRATA:
        return overlay_lists.read(level.bytes_of(LumpId.OVERLAYS)).overlays
    return level.table(LumpId.OVERLAYS)


def beside(level: source.Level, count: int) -> dict[str, list[float] | list[int]]:
    """What the lumps beside OVERLAYS say of each of `count` overlays, by key: those of FADES and LEVELS that there are.

    The map has squares of the distances; negative ones stay so. Nothing where such a lump can't be read.
    """
    found: dict[str, list[float] | list[int]] = {}
    try:
        lumps = overlay_rows.rows_beside(level, count)
    except FormatError:
        return {}
    for lump in lumps:
        table = level.table(lump)
        if lump == LumpId.OVERLAY_FADES:
            squares = (table["fade_dist_min_sq"].astype(np.float64), table["fade_dist_max_sq"].astype(np.float64))
            roots = (np.copysign(np.sqrt(np.abs(one)), one).tolist() for one in squares)
            found |= dict(zip(FADES, roots, strict=True))
        else:
            found |= {name: table[name].tolist() for name in LEVELS}
    return found


def prepare(importing: ImportContext, baked: Lightmaps | None) -> Steps[Steps[None] | None]:
    """Make the meshes of overlays; what is returned makes the objects. baked: their light. Raises FormatError."""
    overlays = records(importing.level)
    if not len(overlays):
        return None
    away = singles(overlay_quads.corners(overlays) - overlays["origin"].astype(np.float64)[:, None])
    baselines.store(importing.collection, layout.OVERLAY_CORNERS, away)
    baselines.store(importing.collection, layout.OVERLAY_UVS, _uvs(overlays))
    return (yield from _prepared(importing, overlays, layout.OVERLAY, "Overlay", baked))


def prepare_water(importing: ImportContext, baked: Lightmaps | None) -> Steps[Steps[None] | None]:
    """Make those that are painted on water, as `prepare` does: for reference only. Raises FormatError."""
    overlays = importing.level.table(LumpId.WATEROVERLAYS)
    if not len(overlays):
        return None
    return (yield from _prepared(importing, overlays, layout.WATER_OVERLAY, "Water Overlay", baked))


def _uvs(overlays: Records) -> NDArray[np.float32]:
    """float32[n, 4, 2]: the texture coordinates of the meshes, v upwards."""
    down = overlay_quads.texture_corners(overlays)
    return singles(down * np.array([1, -1], np.float32) + np.array([0, 1], np.float32))


def _prepared(
    importing: ImportContext, overlays: Records, kind: str, title: str, baked: Lightmaps | None
) -> Steps[Steps[None]]:
    textures = OverlayTextures(importing)
    corners = overlay_quads.corners(overlays)
    origins = overlays["origin"].astype(np.float64)
    uvs = _uvs(overlays)
    facing = overlay_depths.is_facing(corners, overlays["basis_normal"].astype(np.float64))
    width = len(str(len(overlays)))
    beneath = Beneath(importing, baked)
    painted = overlay_lists.face_lists(overlays) if "faces" in (overlays.dtype.names or ()) else (_NONE, _NONE)
    faces = beneath.nearest(*painted, doubles(overlays["origin"]))
    light = beneath.coordinates(corners, faces)
    made = []
    with progress(len(overlays), f"{title.lower()}s") as step:
        for number in range(len(overlays)):
            name, size = textures.of(int(overlays["texinfo"][number]))
            label = f"{title} {number:0{width}} {name.rpartition('/')[2]}"
            order = np.arange(4) if facing[number] else np.arange(4)[::-1]
            lit = None if light is None else light[number]
            made.append(quad(label, corners[number] - origins[number], uvs[number], order, importing, lit))
            made[-1].materials.append(importing.materials.of(name, light is None or bool(faces[number] >= 0), size))
            yield step()
    sunken = overlay_depths.behind(importing.level, importing.polygons, overlays, corners)
    return _place(importing, overlays, kind, made, sunken)


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
    return meshes.build(showable(name), points, order, start, layers, report=importing.report, sound=True)


def _place(
    importing: ImportContext, overlays: Records, kind: str, made: Sequence[bpy.types.Mesh], sunken: NDArray[np.float64]
) -> Steps[None]:
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
    others = beside(importing.level, len(overlays)) if kind == layout.OVERLAY else {}
    for number, mesh in enumerate(made):
        obj = bpy.data.objects.new(mesh.name, mesh)
        obj.parent = importing.root
        identity.stamp(obj, importing.token, kind, number)
        obj.location, obj.delta_location = places[number], lifts[number]
        if numbers:
            obj[ID] = int(numbers[number])
        obj[ORDER] = int(order[number])
        for key, values in others.items():
            obj[key] = values[number]
            describe(obj, key, description=_TOOLTIPS[key])
        transforms.remember(obj)
        home.objects.link(obj)
        yield
    importing.report.count(f"{kind.replace('_', ' ')}s", len(made))


class OverlayTextures:
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
