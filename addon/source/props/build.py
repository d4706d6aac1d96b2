# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props: instances of models that are part of the world."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import get_type_hints

import bpy
import numpy as np

from ....formats.binary import FormatError
from ....formats.source.numbers import doubles
from ....formats.source.placed import prop_boxes
from ....formats.source.sections.static_props import StaticProps
from ...scene.fields import properties
from ...scene.fields.properties import setting
from ...scene.geometry import transforms
from ...scene.kept import baselines, identity
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from . import models
from .boxes import box, show_box
from .light import PropLight
from .models import Models

HOME = "Static Props"
LIGHTING_ORIGIN = "lighting_origin"


@dataclass
class PropProperties:
    """On static props, besides LIGHTING_ORIGIN (a place in the map's units). Versions have some of these fields."""

    model: str = setting("", "The model's file")
    skin: int = setting(0, "Which of the model's skins it has")
    solid: int = setting(6, "How it collides: 0 not, 2 as its bounding box, 6 as its physics model", 0, 255)
    flags: int = setting(0, "Bits: 1 fades, 2 has a lighting origin of its own, 4 no draw, 16 casts no shadow, "
                            "32 fades by its width, 64 no vertex lighting, 128 no shadow on itself")  # fmt: skip
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


def prepare(importing: ImportContext, known: Models) -> Steps[Steps[None] | None]:
    """Make the meshes of static props; what is returned makes the objects. Raises FormatError."""
    lump = importing.level.static_props
    if lump is None or lump.props is None or not len(lump.props):
        if lump is not None and lump.reason:
            importing.report.warn(f"static props are left out: {lump.reason}")
        return None
    props = lump.props
    names = lump.models
    kinds = props["prop_type"].astype(np.int64)
    pairs, pair_of = np.unique(np.stack([kinds, props["skin"].astype(np.int64)], axis=1), axis=0, return_inverse=True)
    paths = [names[kind] if kind < len(names) else "" for kind in pairs[:, 0].tolist()]
    if importing.settings.static_props == "models":
        yield from known.prepare([(path, skin) for path, skin in zip(paths, pairs[:, 1].tolist(), strict=True) if path])
    boxes: dict[str, bpy.types.Mesh] = {}
    try:
        low, high = prop_boxes.touched(importing.level, lump, props)
    except FormatError:  # other parts of the import report what is wrong with leafs
        low = high = np.zeros((len(props), 3))
    plausible = prop_boxes.PlausibleBoxes(props, low, high)
    shown = []
    for number in range(len(pairs)):
        path = paths[number]
        found = known.of(path, int(pairs[number, 1])) if path and importing.settings.static_props == "models" else None
        if found is None:
            if path not in boxes:
                title = PurePosixPath(models.normal(path)).stem or "Prop"
                boxes[path] = box(title, *plausible.of(kinds == pairs[number, 0]))
            found = boxes[path]
        shown.append(found)
    of_props = [shown[number] for number in pair_of.reshape(-1).tolist()]
    light = PropLight(importing, known)
    if light:
        with progress(len(of_props), "light of static props") as step:
            for number, mesh in enumerate(of_props):
                if layout.MODEL_PATH in mesh and light.has(number, props[number]):
                    of_props[number] = light.lit(number, names[int(kinds[number])], mesh)
                yield step()
    light.tell()
    return _place(importing, lump, of_props)


def _place(importing: ImportContext, lump: StaticProps, shown: list[bpy.types.Mesh]) -> Steps[None]:
    props, names = lump.props, lump.models
    if props is None:
        return
    fields = props.dtype.names or ()
    home = importing.group(HOME)
    finite = {name: doubles(props[name]).tolist() for name in ("origin", "angles")}
    scales = prop_boxes.scales(lump).tolist()
    skins = [mesh.get(layout.SKIN, -1) for mesh in shown]
    baselines.store(importing.collection, layout.SKINS, np.array(skins, np.int32))
    lit = props[LIGHTING_ORIGIN].tolist() if LIGHTING_ORIGIN in fields else None
    kind_of = properties_of(fields)
    shown_fields = [one.name for one in properties.fields(kind_of) if one.name in fields]
    values = list(zip(*(props[name].tolist() for name in shown_fields), strict=True))
    kinds = props["prop_type"].tolist()
    writers: dict[tuple[object, ...], Callable[[bpy.types.ID], None]] = {}
    width = len(str(len(props)))
    with progress(len(shown), "static props") as step:
        for number, mesh in enumerate(shown):
            kind = kinds[number]
            path = names[kind] if kind < len(names) else ""
            obj = bpy.data.objects.new(f"Prop {number:0{width}} {mesh.name}", mesh)
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
                obj[LIGHTING_ORIGIN] = list(lit[number])
            if "diffuse_modulation" in shown_fields:
                obj.color = [channel / 255 for channel in key[1 + shown_fields.index("diffuse_modulation")]]
            transforms.remember_new(obj)
            home.objects.link(obj)
            yield step()
    importing.report.count("static props", len(shown))
