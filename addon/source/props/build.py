# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props: instances of models that are part of the world."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Any, get_type_hints

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats.binary import FormatError
from ....formats.source import LumpId, ranges
from ....formats.source.records import Records
from ....formats.source.static_props import StaticProps
from ...scene import baselines, identity, properties, transforms
from ...scene.properties import setting
from .. import layout
from ..boxes import box, show_box
from ..context import ImportContext
from . import models
from .models import Models

HOME = "Static Props"
LIGHTING_ORIGIN = "lighting_origin"
_USES_LIGHTING_ORIGIN = 0x2
_SMALLEST, _LARGEST, _UNKNOWN = 8.0, 512.0, 16.0
_FARTHEST_MIDDLE = 128.0
"""Of models whose middle the map tells. All in units."""


@dataclass
class PropProperties:
    """On static props, besides LIGHTING_ORIGIN (a place in the map's units). Versions have some of these fields."""

    model: str = setting("", "The model's file")
    skin: int = setting(0, "Which of the model's skins it has")
    solid: int = setting(6, "How it collides: 0 not, 2 as its bounding box, 6 as its physics model", 0, 255)
    flags: int = setting(0, "Bits: 1 fades, 2 has a lighting origin of its own, 4 no draw, 16 casts no shadow, "
                            "64 no vertex lighting, 128 no shadow on itself")  # fmt: skip
    fade_min_dist: float = setting(0.0, "Units from where on it fades")
    fade_max_dist: float = setting(0.0, "Units from where on it is gone; 0: never")
    forced_fade_scale: float = setting(1.0, "Scales when it fades on small screens")
    diffuse_modulation: tuple[int, int, int, int] = setting((255, 255, 255, 255), "Colour that it is tinted with, RGBA")
    min_dx_level: int = setting(0, "Lowest DirectX version that shows it; 0: any", 0, 65535)
    max_dx_level: int = setting(0, "Highest DirectX version that shows it; 0: any", 0, 65535)
    min_cpu_level: int = setting(0, "Lowest processor level that shows it; 0: any", 0, 255)
    max_cpu_level: int = setting(0, "Highest processor level that shows it; 0: any", 0, 255)
    min_gpu_level: int = setting(0, "Lowest graphics level that shows it; 0: any", 0, 255)
    max_gpu_level: int = setting(0, "Highest graphics level that shows it; 0: any", 0, 255)
    disable_x360: int = setting(0, "Not shown on the Xbox 360", 0, 255)
    flags_ex: int = setting(0, "More bits: 1 no depth pass, 2 not in the flashlight's shadow")
    lightmap_res_x: int = setting(0, "Luxels across, of props that are lit by lightmaps", 0, 65535)
    lightmap_res_y: int = setting(0, "Luxels down, of props that are lit by lightmaps", 0, 65535)


@cache
def properties_of(fields: tuple[str, ...]) -> type:
    """PropProperties with these fields alone: those of a version's records."""
    types = get_type_hints(PropProperties)
    shown = [one for one in dataclasses.fields(PropProperties) if one.name in ("model", *fields)]
    parts = [
        (one.name, types[one.name], dataclasses.field(default=one.default, metadata=one.metadata)) for one in shown
    ]
    return dataclasses.make_dataclass("PropProperties", parts)


def prepare(importing: ImportContext, known: Models) -> Callable[[], None]:
    """Make the meshes of static props; what is returned makes the objects. Raises FormatError."""
    lump = importing.level.static_props
    if lump is None or lump.props is None or not len(lump.props):
        if lump is not None and lump.reason:
            importing.report.warn(f"static props are left out: {lump.reason}")
        return lambda: None
    props = lump.props
    names = lump.models
    kinds = props["prop_type"].astype(np.int64)
    pairs, pair_of = np.unique(np.stack([kinds, props["skin"].astype(np.int64)], axis=1), axis=0, return_inverse=True)
    paths = [names[kind] if kind < len(names) else "" for kind in pairs[:, 0].tolist()]
    if importing.settings.static_props == "models":
        known.prepare([(path, skin) for path, skin in zip(paths, pairs[:, 1].tolist(), strict=True) if path])
    boxes: dict[str, bpy.types.Mesh] = {}
    try:
        low, high = _touched(importing, lump, props)
    except FormatError:  # other parts of the import report what is wrong with leafs
        low = high = np.zeros((len(props), 3))
    shown = []
    for number in range(len(pairs)):
        path = paths[number]
        found = known.of(path, int(pairs[number, 1])) if path and importing.settings.static_props == "models" else None
        if found is None:
            if path not in boxes:
                title = PurePosixPath(models.normal(path)).stem or "Prop"
                alike = kinds == pairs[number, 0]
                boxes[path] = box(title, *plausible(props[alike], low[alike], high[alike]))
            found = boxes[path]
        shown.append(found)
    return lambda: _place(importing, lump, [shown[number] for number in pair_of.reshape(-1).tolist()])


def _touched(
    importing: ImportContext, lump: StaticProps, props: Records
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """float64[props, 3] twice: corners of boxes around the origin, along each prop's own axes, that touch the leafs
    which the compiler found it in: as large it is at least. Raises FormatError.
    """
    first, counts = props["first_leaf"].astype(np.int64), props["leaf_count"].astype(np.int64)
    counts = np.where(first + counts <= len(lump.leafs), counts, 0)
    ranges.check_total(counts, len(lump.leafs), "leafs of static props")
    leafs = importing.level.table(LumpId.LEAFS)
    owners, numbers = ranges.owners(counts), lump.leafs["leaf"].astype(np.int64)[ranges.flat(first, counts)]
    there = numbers < len(leafs)
    owners, leafs = owners[there], leafs[numbers[there]]
    origins = doubles(props["origin"])[owners]
    away = origins.clip(doubles(leafs["mins"]), doubles(leafs["maxs"])) - origins
    turned = np.einsum("nij,ni->nj", matrices(doubles(props["angles"]))[owners], away)
    low, high = np.zeros((len(props), 3)), np.zeros((len(props), 3))
    np.minimum.at(low, owners, turned)
    np.maximum.at(high, owners, turned)
    return low, high


def plausible(
    props: Records, low: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Corners of a box about as large as the model of these props may be, which isn't known. low, high: float64[n, 3],
    see `_touched`.

    Some compilers light props at their model's middle, which then is the same of all, and about as far away from the
    origin as the model's sides are; others leave there what lay in their memory.
    """
    bottom, top = low.min(axis=0), high.max(axis=0)
    least = _SMALLEST if (top > bottom).any() else _UNKNOWN
    middle, half = np.zeros(3), least
    usual = props[props["flags"] & _USES_LIGHTING_ORIGIN == 0]
    if LIGHTING_ORIGIN in (props.dtype.names or ()) and len(usual) and usual[LIGHTING_ORIGIN].any():
        away = doubles(usual[LIGHTING_ORIGIN]) - doubles(usual["origin"])
        turned = np.einsum("nij,ni->nj", matrices(doubles(usual["angles"])), away)
        reach = float(np.abs(turned[0]).max())
        if 1 < reach <= _FARTHEST_MIDDLE and (np.abs(turned - turned[0]) < 1).all():
            middle, half = turned[0], max(reach, _SMALLEST)
    return np.minimum(bottom, middle - half).clip(-_LARGEST), np.maximum(top, middle + half).clip(max=_LARGEST)


def doubles(values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers of a file as float64, what is not finite as 0."""
    with np.errstate(invalid="ignore"):  # signalling NaNs
        made = values.astype(np.float64)
    made[~np.isfinite(made)] = 0.0
    return np.asarray(made)


def matrices(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n, 3, 3]: rotations by pitch, yaw and roll (degrees), float64[n, 3]: about x, then y, then z."""
    pitch, yaw, roll = np.radians(angles).T
    (sp, sy, sr), (cp, cy, cr) = np.sin([pitch, yaw, roll]), np.cos([pitch, yaw, roll])
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _place(importing: ImportContext, lump: StaticProps, shown: list[bpy.types.Mesh]) -> None:
    props, names = lump.props, lump.models
    if props is None:
        return
    fields = props.dtype.names or ()
    home = importing.group(HOME)
    finite = {name: doubles(props[name]).tolist() for name in ("origin", "angles")}
    scales = scales_of(lump).tolist()
    skins = [mesh.get(layout.SKIN, -1) for mesh in shown]
    baselines.store(importing.collection, layout.SKINS, np.array(skins, np.int32))
    lit = props[LIGHTING_ORIGIN].tolist() if LIGHTING_ORIGIN in fields else None
    kind_of = properties_of(fields)
    shown_fields = [one.name for one in properties.fields(kind_of) if one.name in fields]
    values = list(zip(*(props[name].tolist() for name in shown_fields), strict=True))
    kinds = props["prop_type"].tolist()
    writers: dict[Any, Callable[[bpy.types.ID], None]] = {}
    width = len(str(len(props)))
    for number, mesh in enumerate(shown):
        kind = kinds[number]
        path = names[kind] if kind < len(names) else ""
        obj: Any = bpy.data.objects.new(f"Prop {number:0{width}} {mesh.name}", mesh)
        obj.parent = importing.root
        if skins[number] < 0:
            show_box(obj)
        identity.stamp(obj, importing.token, layout.STATIC_PROP, number)
        obj.location = finite["origin"][number]
        obj.rotation_euler = layout.euler(finite["angles"][number])
        obj.scale = scales[number]
        key = (kind, *(tuple(one) if isinstance(one, list) else one for one in values[number]))
        if key not in writers:
            given = dict(zip(shown_fields, key[1:], strict=True))
            writers[key] = properties.writer(kind_of(**{"model": path, **given}))
        writers[key](obj)
        if lit is not None:
            obj[LIGHTING_ORIGIN] = lit[number]
        if "diffuse_modulation" in shown_fields:
            obj.color = [channel / 255 for channel in key[1 + shown_fields.index("diffuse_modulation")]]
        transforms.remember(obj)
        home.objects.link(obj)
    importing.report.count("static props", len(shown))


def scales_of(lump: StaticProps) -> NDArray[np.float64]:
    """float64[props, 3]: how large props are; what is not finite is 1."""
    props = lump.props
    count = 0 if props is None else len(props)
    made = np.ones((count, 3))
    fields = () if props is None else props.dtype.names or ()
    if props is not None and "uniform_scale" in fields:
        made[:] = props["uniform_scale"].astype(np.float64)[:, None]
    if props is not None and "scale" in fields:
        made[:] = props["scale"]
    if lump.scales is not None:
        there = (lump.scales["prop"] >= 0) & (lump.scales["prop"] < count)
        made[lump.scales["prop"][there]] = lump.scales["scale"][there]
    made[~np.isfinite(made).all(axis=1)] = 1.0
    return made
