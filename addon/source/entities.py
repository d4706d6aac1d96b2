# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities as objects, and all else that is placed in a map: each part makes its meshes before any object is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy

from ...formats.binary import FormatError
from ...formats.source.content import fgd
from ...formats.source.entities import ANGLES, CLASSNAME, MODEL, ORIGIN, TARGETNAME, Entity, vector
from ..scene import identity, transforms
from . import (
    content,
    detail_props,
    entity_classes,
    entity_data,
    entity_values,
    ladders,
    layout,
    lights,
    models,
    overlays,
    portals,
    props,
    ropes,
    worldlights,
)
from .entity_values import Types, number, told
from .lightmaps import Lightmaps
from .site import Site
from .sounds import Sounds

HOME = "Entities"
_WORLD = "worldspawn"
_CAMERA_TURN = -90.0

Step = Callable[[], None]


def build(site: Site, baked: Lightmaps | None = None) -> None:
    """Make all that is placed in a map. A part that can't be read is left out, and told. baked: the map's light."""
    known = models.Models(site)
    parts: list[tuple[str, Callable[[], Step]]] = []
    if site.settings.entities:
        parts += [
            ("entities", lambda: prepare(site, known, baked)),
            ("overlays", lambda: overlays.prepare(site, baked)),
            ("water overlays", lambda: overlays.prepare_water(site, baked)),
            ("area portals and occluders", lambda: portals.prepare(site)),
            ("cubemaps", lambda: portals.prepare_cubemaps(site)),
        ]
    if site.settings.static_props != "none":
        parts.append(("static props", lambda: props.prepare(site, known)))
    if site.settings.detail_props:
        parts.append(("detail props", lambda: detail_props.prepare(site, known)))
    if site.settings.worldlights:
        parts.append(("compiled lights", lambda: worldlights.prepare(site)))
    steps = []
    for title, part in parts:
        try:
            steps.append(part())
        except FormatError as error:
            site.report.warn(f"{title} are left out: {error}")
    for step in steps:
        step()


def prepare(site: Site, known: models.Models, baked: Lightmaps | None) -> Step:
    """Make the meshes of entities' models and of decals; what is returned makes the objects. Raises FormatError."""
    listed = [(record, entity, told(entity)) for record, entity in enumerate(site.level.entities)]
    world = next((one for one in listed if one[2].get(CLASSNAME) == _WORLD), None)
    values = [one for *_, one in listed]
    wanted = [(one[MODEL], int(number(one, "skin"))) for one in values if models.is_model(one.get(MODEL, ""))]
    known.prepare(wanted)
    try:
        painted = [(record, entity) for record, entity, one in listed if one.get(CLASSNAME) == entity_classes.DECAL]
        quads = overlays.decals(site, painted, baked)
    except FormatError as error:
        site.report.warn(f"decals are shown as empties: {error}")
        quads = {}
    maker = _Maker(site, known, types_of(site), quads, ropes.targets(values), len(listed))
    if world is not None:
        entity_values.write(site.collection, world[1], maker.types)
        listed.remove(world)
    return lambda: maker.make(listed)


def add(site: Site, entity: Entity) -> bpy.types.Object:
    """Make the object of an entity that the map does not have yet."""
    return _Maker(site, models.Models(site), types_of(site), {}, {}, 1).entity(-1, entity, told(entity))


def types_of(site: Site) -> Types:
    """What the game definition of the options says, else that of the preferences."""
    chosen = site.settings.fgd or content.DEFINITION.chosen()
    if not chosen:
        return Types()
    path = Path(bpy.path.abspath(chosen))

    def beside(name: str) -> bytes | None:
        try:
            return (path.parent / Path(name.replace("\\", "/")).name).read_bytes()
        except OSError:
            return None

    try:
        made = fgd.read(path.read_bytes(), beside)
    except (FormatError, OSError) as error:
        site.report.warn(f"the game definition can't be read, values of entities are text: {error}")
        return Types()
    for name in made.missing:
        site.report.missing("game definitions", name)
    for reason in made.errors:
        site.report.warn(f"a definition is read in part: {reason}")
    return Types(made)


class _Maker:
    """Makes the objects of entities. quads: meshes of decals, by the entity's number. targets: see `ropes`."""

    def __init__(
        self,
        site: Site,
        known: models.Models,
        types: Types,
        quads: Mapping[int, bpy.types.Mesh],
        targets: Mapping[str, ropes.Place],
        count: int,
    ) -> None:
        self.site, self.models, self.types, self.quads, self.targets = site, known, types, quads, targets
        self.sounds = Sounds(site)
        self.width = len(str(count))
        self.hdr = lights.shows_hdr(site.level, site.settings.lightmaps)

    def make(self, listed: Sequence[tuple[int, Entity, Mapping[str, str]]]) -> None:
        """Make the objects, in order: of each its record and what `told` says of it."""
        for record, entity, values in listed:
            self.entity(record, entity, values)

    def entity(self, record: int, entity: Entity, values: Mapping[str, str]) -> bpy.types.Object:
        """Make the object of one entity. record: -1 for a new one. values: what `told` says of it."""
        classname = values.get(CLASSNAME, "")
        group = entity_classes.group_of(classname)
        title = values.get(TARGETNAME) or classname or "entity"
        name = layout.readable(f"{title} {record:0{self.width}}" if record >= 0 else title)
        brush_model = entity.model if values.get(MODEL, "").startswith("*") else None
        data = self._shape(name, record, entity, values, brush_model)
        obj: Any = bpy.data.objects.new(name, data)
        obj.parent = self.site.root
        identity.stamp(obj, self.site.token, layout.ENTITY, record)
        place = vector(values.get(ORIGIN))
        if place is not None and all(map(math.isfinite, place)):
            obj.location = place
        obj.rotation_euler = rotation_of(values, data, brush_model is not None)
        if data is None:
            obj.empty_display_type, obj.empty_display_size = group.shape, group.size
        elif classname in entity_classes.LADDERS:
            obj.display_type = "WIRE"
        elif obj.type == "MESH" and brush_model is None and record not in self.quads:
            size = number(values, "modelscale", 1.0)
            obj.scale = (size,) * 3 if size > 0 else (1.0,) * 3
        entity_values.write(obj, entity, self.types)
        transforms.remember(obj)
        entity_data.remember(obj)
        home = self.site.group(group.name, HOME) if brush_model is None else self.site.brush_home(brush_model)
        home.objects.link(obj)
        self.site.report.count("lights" if obj.type == "LIGHT" else "entities")
        made: bpy.types.Object = obj
        return made

    def _shape(
        self, name: str, record: int, entity: Entity, values: Mapping[str, str], brush_model: int | None
    ) -> bpy.types.ID | None:
        """What an entity's object shows."""
        site, classname = self.site, values.get(CLASSNAME, "")
        if brush_model is not None:
            return site.meshes.get(brush_model)
        kind = lights.kind_of(classname)
        if kind is not None:
            return lights.build(name, kind, lights.look(classname, values, site.scale, self.hdr))
        if record in self.quads:
            return self.quads[record]
        if classname in entity_classes.ROPES:
            rope = ropes.curve_of(name, entity, self.targets)
            if rope is not None:
                rope.materials.append(site.materials.of(ropes.material_of(values)))
            return rope
        if classname in entity_classes.LADDERS:
            return ladders.shape(name, classname, values)
        if classname in entity_classes.SPEAKERS:
            return self.sounds.speaker(name, values)
        if classname in entity_classes.CAMERAS:
            return self._camera(name, values)
        path = values.get(MODEL, "")
        return self.models.of(path, int(number(values, "skin"))) if models.is_model(path) else None

    def _camera(self, name: str, values: Mapping[str, str]) -> bpy.types.Camera:
        camera: Any = bpy.data.cameras.new(name)
        camera.angle = math.radians(min(max(number(values, "fov", 90.0), 1.0), 170.0))
        camera.display_size = 16.0
        camera.clip_end = 32768.0 * self.site.scale
        made: bpy.types.Camera = camera
        return made


def rotation_of(values: Mapping[str, str], data: bpy.types.ID | None, is_brush: bool) -> tuple[float, float, float]:
    """The Euler angles (XYZ) of an entity's object."""
    pitch, yaw, roll = entity_values.angles(values)
    classname = values.get(CLASSNAME, "")
    if data is not None:
        if isinstance(data, bpy.types.Light):
            return lights.rotation(values, entity_values.triple(values, ANGLES))
        if isinstance(data, bpy.types.Camera):  # Blender's look along -z, with y up; the roll isn't shown
            return layout.euler((0.0, yaw + _CAMERA_TURN, 90.0 - pitch))
        if isinstance(data, bpy.types.Curve):
            return 0.0, 0.0, 0.0  # they lie where their points are
    if classname == entity_classes.DECAL:
        return 0.0, 0.0, 0.0
    if is_brush and classname in entity_classes.DIRECTED:
        return 0.0, 0.0, 0.0
    return layout.euler((pitch, yaw, roll))
