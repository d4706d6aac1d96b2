# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities to objects: see `layout` for what becomes what; `entity_reader` is the way back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import ns2
from ...scene import baselines, identity, properties, transforms
from .. import layout
from ..context import Site
from . import ambience, probes
from . import appearance as entity_looks
from . import classes as entity_classes
from . import object_data as entity_data
from . import values as entity_values
from .appearance import Look, Looks
from .classes import Classes
from .props import Props
from .values import CLASS, Slot

NEW = -1
"""Record of what is no record of the original."""
TURN: NDArray[np.float64] = np.array([[0, 0, -1], [-1, 0, 0], [0, 1, 0]], np.float64)
"""What turns a Blender spotlight or camera, which look along their -z, along the x that is an entity's front."""
KEPT = "entity_angles"
"""Baseline, on objects whose rotation isn't their angles (see TURN): those angles, float64[3]."""
AXES = (2, 0, 1)
"""Spark's y, z, x of Blender's x, y, z: `layout.to_blender` of a scale."""


def build(site: Site, listed: Sequence[ns2.Entity] | None = None) -> list[bpy.types.Object]:
    """Make an object of each entity of the level, in order; or of others, which then are no record of any file."""
    classes = entity_classes.find(site.find, site.report)
    return _Builder(site, classes).build(site.level.entities if listed is None else listed, listed is None)


class _Builder:
    """One import of entities."""

    def __init__(self, site: Site, classes: Classes) -> None:
        self.site, self.classes = site, classes
        self.looks, self.props = Looks(classes), Props(site)
        self.known = entity_values.Known()
        self._homes: dict[tuple[int | None, int], list[bpy.types.Collection]] = {}

    def build(self, listed: Sequence[ns2.Entity], records: bool) -> list[bpy.types.Object]:
        shown = [self.known.shown(each) for each in listed]
        plain, values = [slots for slots, _ in shown], [said for _, said in shown]
        looks = [self.looks.of(each.class_name, slots) for each, slots in zip(listed, plain, strict=True)]
        # All meshes first: a mesh that gets a material looks at all objects. Then objects, in Blender's order of names.
        for look, said in zip(looks, values, strict=True):
            if look.kind == entity_looks.PROP:
                self.props.model(model_of(look, said))
        names = [_name(each, look, said) for each, look, said in zip(listed, looks, values, strict=True)]
        made: list[Any] = [None] * len(listed)
        for at in sorted(range(len(listed)), key=names.__getitem__):
            slots = entity_values.with_channels(plain[at], looks[at].channels)
            made[at] = self._make(listed[at], names[at], looks[at], slots, values[at], at if records else NEW)
        for obj, each in zip(made, listed, strict=True):
            for home in self._homes_of(each.layers, each.group):
                home.objects.link(obj)
        return made

    def _homes_of(self, layers: int | None, group: int) -> list[bpy.types.Collection]:
        key = (layers, group)
        if key not in self._homes:
            self._homes[key] = self.site.homes(layers, group)
        return self._homes[key]

    def _make(
        self,
        entity: ns2.Entity,
        name: str,
        look: Look,
        slots: tuple[Slot, ...],
        said: dict[str, Any],
        record: int,
    ) -> bpy.types.Object:
        obj: Any = bpy.data.objects.new(name, self._data(name, look, said))
        obj.parent = self.site.root
        identity.stamp(obj, self.site.token, layout.ENTITY, record)
        place(obj, {slot.key: said[slot.name] for slot in slots if slot.key in entity_values.CHANNELS})
        if look.kind == entity_looks.EMPTY or obj.data is None:
            entity_data.show_size(obj, look, said)
        if entity.class_name == ambience.CLASS:
            obj.color = (*ambience.colors_of(entity).mean(axis=(0, 1)).clip(0, 1), 1.0)
        self._write(obj, entity, slots, said)
        entity_data.remember(obj, look)
        for each in entity.editor_data:
            if each.name == probes.KEY and (image := probes.build(name, each.data)) is not None:
                obj[probes.KEY] = image
        transforms.remember(obj)
        self.site.report.count(_COUNTED.get(look.kind, "entities"))
        made: bpy.types.Object = obj
        return made

    def _data(self, name: str, look: Look, said: dict[str, Any]) -> bpy.types.ID | None:
        if look.kind == entity_looks.PROP:
            path = model_of(look, said)
            # A class that is a model by itself has a shape of its own where that isn't found.
            return self.props.model(path) if look.model or self.props.is_found(path) else None
        if look.kind == entity_looks.BOX:
            return self.props.box(look.centred)
        return entity_data.make(look, name, said)

    def _write(self, obj: Any, entity: ns2.Entity, slots: tuple[Slot, ...], said: dict[str, Any]) -> None:
        """Write class and properties, with what the editor knows of them."""
        class_name = entity.class_name
        obj[CLASS] = layout.readable(class_name)
        obj[entity_values.TYPES] = entity_values.as_text(slots)
        for slot in slots:
            if slot.key in said:
                write(obj, class_name, slot, said[slot.key], self.classes)


def write(obj: Any, class_name: str, slot: Slot, value: Any, classes: Classes) -> None:
    """Write one custom property, with its tooltip, limits and choices."""
    properties.put(obj, slot.key, value)
    if not isinstance(value, bytes):
        shown = classes.describe(class_name, slot.name, slot.type, slot.components)
        if shown:
            obj.id_properties_ui(slot.key).update(**shown)


def place(obj: Any, said: dict[str, Any]) -> None:
    """Put an object where the channels say, by their keys; what isn't finite is 0 (of a scale, 1).

    Angles are roll, pitch and yaw: Blender's Euler angles about x, y and z, in that order.
    """
    origin = said.get(entity_values.LOCATION)
    if origin is not None:
        obj.location = [origin[axis] if math.isfinite(origin[axis]) else 0.0 for axis in AXES]
    angles = said.get(entity_values.ROTATION)
    euler = [angle if math.isfinite(angle) else 0.0 for angle in angles] if angles is not None else [0.0] * 3
    obj.rotation_mode = "XYZ"
    if is_turned(obj):
        obj.rotation_euler = euler_of(rotation_of(euler) @ TURN)
        baselines.store(obj, KEPT, np.array(euler, np.float64))
    else:
        obj.rotation_euler = euler
    scale = said.get(entity_values.SCALE)
    if scale is not None:
        obj.scale = [scale[axis] if math.isfinite(scale[axis]) else 1.0 for axis in AXES]


def is_turned(obj: Any) -> bool:
    """Whether an object looks along its own -z, so that TURN is a part of its rotation."""
    return bool(obj.type == "CAMERA" or (obj.type == "LIGHT" and obj.data.type == "SPOT"))


def rotation_of(angles: Sequence[float]) -> NDArray[np.float64]:
    """Roll, pitch and yaw as a rotation in Blender's axes, float64[3, 3]: first about x, then y, then z."""
    (cx, sx), (cy, sy), (cz, sz) = ((np.cos(angle), np.sin(angle)) for angle in np.asarray(angles, np.float64))
    return np.array(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]
    )


def euler_of(rotation: NDArray[np.float64]) -> tuple[float, float, float]:
    """The inverse of `rotation_of`; of what looks straight up or down, without roll."""
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    if np.hypot(rotation[0, 0], rotation[1, 0]) > 1e-7:
        roll, yaw = np.arctan2(rotation[2, 1], rotation[2, 2]), np.arctan2(rotation[1, 0], rotation[0, 0])
    else:
        roll, yaw = 0.0, np.arctan2(-rotation[0, 1], rotation[1, 1])
    return float(roll), float(pitch), float(yaw)


_COUNTED = {
    entity_looks.LIGHT_POINT: "lights",
    entity_looks.LIGHT_SPOT: "lights",
    entity_looks.SPEAKER: "sounds",
    entity_looks.PROP: "props",
}


def model_of(look: Look, said: Mapping[str, Any]) -> str:
    """The path of a prop's model, "" for none."""
    path = said.get(look.model) if look.model else look.file
    return path if isinstance(path, str) else ""


def _name(entity: ns2.Entity, look: Look, said: dict[str, Any]) -> str:
    """What to call an entity's object: as its model, as itself, otherwise as its class."""
    path = model_of(look, said) if look.model else ""
    own = said.get("name")
    name = path.rsplit("/", 1)[-1].removesuffix(".model") or (own if isinstance(own, str) else "") or entity.class_name
    return layout.readable(name) or "(no class)"
