# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities as objects, and all else that is placed in a map: each part makes its meshes before any object is made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Camera, Curve, Light, Mesh

from ....formats.binary import FormatError
from ....formats.source.content import fgd
from ....formats.source.entities import brush_classes, entity_values
from ....formats.source.entities.entity_values import by_key, number
from ....formats.source.entities.text import ANGLES, CLASSNAME, MODEL, ORIGIN, TARGETNAME, Entity, brush_model, vector
from ...scene.disk import content_folders
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.names import showable
from ...scene.view import gizmos
from ...scene.work.progress import Steps, progress
from .. import layout
from ..content import DEFINITION
from ..context import ImportContext
from ..lightmaps.build import Lightmaps
from ..lights import lamps
from ..overlays import decals
from ..props import colors, models
from . import classes, custom_properties, datablocks, ladders, ropes, stand_ins
from .custom_properties import Types
from .sounds import Sounds

HOME = "Entities"
_WORLD = "worldspawn"
_CAMERA_TURN = -90.0


def prepare(importing: ImportContext, known: models.Models, baked: Lightmaps | None) -> Steps[Steps[None]]:
    """Make the meshes of entities' models and of decals; what is returned makes the objects. Raises FormatError."""
    values = importing.values
    listed = list(zip(range(len(values)), importing.level.entities, values, strict=True))
    world = next((one for one in listed if one[2].get(CLASSNAME) == _WORLD), None)
    wanted = [(one[MODEL], int(number(one, "skin"))) for one in values if models.is_model(one.get(MODEL, ""))]
    yield from known.prepare(wanted)
    try:
        painted = [(record, entity) for record, entity, one in listed if one.get(CLASSNAME) == classes.DECAL]
        quads = decals.build(importing, painted, baked)
    except FormatError as error:
        importing.report.warn(f"decals are shown as empties: {error}")
        quads = {}
    maker = _Maker(importing, known, types_of(importing), quads, ropes.targets(values), len(listed))
    if world is not None:
        custom_properties.write(importing.collection, world[1], maker.types)
        listed.remove(world)
    return maker.make(listed)


def add(importing: ImportContext, entity: Entity) -> bpy.types.Object:
    """Make the object of an entity that the map does not have yet."""
    return _Maker(importing, models.Models(importing), types_of(importing), {}, {}, 1).entity(
        -1, entity, by_key(entity)
    )


def types_of(importing: ImportContext) -> Types:
    """What the game definition of the options says, else that of the preferences."""
    chosen = importing.settings.fgd or DEFINITION.chosen()
    if not chosen:
        return Types()
    path = content_folders.named_file(chosen)
    reach = content_folders.reach([path.parent] if path is not None else [], importing.report)

    def beside(name: str) -> bytes | None:
        try:
            found = reach.find(name.replace("\\", "/").rpartition("/")[2])
            return None if found is None else reach.read(found)
        except (FormatError, OSError):
            return None

    try:
        made = fgd.read(reach.read(path or Path(chosen)), beside)
    except (FormatError, OSError) as error:
        importing.report.warn(f"the game definition can't be read, values of entities are text: {error}")
        return Types()
    for name in made.missing:
        importing.report.missing("game definitions", name)
    for reason in made.errors:
        importing.report.warn(f"a definition is read in part: {reason}")
    return Types(made)


class _Maker:
    """Makes the objects of entities. quads: meshes of decals, by the entity's number. targets: see `ropes`."""

    def __init__(
        self,
        importing: ImportContext,
        known: models.Models,
        types: Types,
        quads: Mapping[int, bpy.types.Mesh],
        targets: Mapping[str, ropes.Point],
        count: int,
    ) -> None:
        self.importing, self.models, self.types, self.quads, self.targets = importing, known, types, quads, targets
        self.sounds, self.shapes = Sounds(importing), stand_ins.StandInShapes()
        self.width = len(str(count))
        self.size = gizmos.LARGEST
        self.hdr = lamps.shows_hdr(importing.level, importing.settings.lightmaps)

    def make(self, listed: Sequence[tuple[int, Entity, Mapping[str, str]]]) -> Steps[None]:
        """Make the objects, in order: of each its record and its values, see `by_key`."""
        heard = [values for *_, values in listed if values.get(CLASSNAME) in classes.SPEAKERS]
        places = [place for values in heard if (place := vector(values.get(ORIGIN))) is not None]
        self.size = gizmos.size_among(np.array(places, np.float64).reshape(-1, 3) * self.importing.scale)
        with progress(len(listed), "entities") as step:
            for record, entity, values in listed:
                self.entity(record, entity, values)
                yield step()

    def entity(self, record: int, entity: Entity, values: Mapping[str, str]) -> bpy.types.Object:
        """Make the object of one entity. record: -1 for a new one. values: its values, see `by_key`."""
        classname = values.get(CLASSNAME, "")
        group = classes.group_of(classname)
        title = values.get(TARGETNAME) or classname or "entity"
        name = showable(f"{title} {record:0{self.width}}" if record >= 0 else title)
        brush = brush_model(values.get(MODEL, ""))
        data = self._shape(name, record, entity, values, brush)
        obj = bpy.data.objects.new(showable(name), data)
        obj.parent = self.importing.root
        identity.stamp(obj, self.importing.token, layout.ENTITY, record)
        place = vector(values.get(ORIGIN))
        if place is not None and all(map(math.isfinite, place)):
            obj.location = place
        obj.rotation_euler = rotation_of(values, data, brush is not None)
        if data is None:
            obj.empty_display_type, obj.empty_display_size = group.shape, group.size
        elif classname in classes.LADDERS:
            obj.display_type = "WIRE"
        elif obj.type == "MESH" and brush is None and record not in self.quads:
            size = number(values, "modelscale", 1.0)
            obj.scale = (size,) * 3 if size > 0 else (1.0,) * 3
            obj.color = colors.of_entity(values)
        custom_properties.write(obj, entity, self.types)
        if obj.type == "SPEAKER" and gizmos.draw(obj, self.size, self.importing.scale):
            transforms.remember(obj)
        else:
            transforms.remember_new(obj)
        if data is not None:
            datablocks.remember(obj)
        if brush is None and isinstance(data, Mesh | Curve):
            self.shapes.remember(obj)
        home = self.importing.group(group.name, HOME) if brush is None else self.importing.brush_home(brush)
        home.objects.link(obj)
        self.importing.report.count("lights" if obj.type == "LIGHT" else "entities")
        made: bpy.types.Object = obj
        return made

    def _shape(
        self, name: str, record: int, entity: Entity, values: Mapping[str, str], brush: int | None
    ) -> bpy.types.ID | None:
        """What an entity's object shows."""
        importing, classname = self.importing, values.get(CLASSNAME, "")
        if brush is not None:
            return importing.meshes.get(brush)
        kind = lamps.kind_of(classname)
        if kind is not None:
            return lamps.build(name, kind, lamps.appearance(classname, values, importing.scale, self.hdr))
        if record in self.quads:
            return self.quads[record]
        if classname in classes.ROPES:
            rope = ropes.curve_of(name, entity, self.targets)
            if rope is not None:
                rope.materials.append(importing.materials.of(ropes.material_of(values)))
            return rope
        if classname in classes.LADDERS:
            return ladders.shape(name, classname, values)
        if classname in classes.SPEAKERS:
            return self.sounds.speaker(name, values)
        if classname in classes.CAMERAS:
            return self._camera(name, values)
        path = values.get(MODEL, "")
        return self.models.of(path, int(number(values, "skin"))) if models.is_model(path) else None

    def _camera(self, name: str, values: Mapping[str, str]) -> bpy.types.Camera:
        camera = bpy.data.cameras.new(showable(name))
        camera.angle = math.radians(min(max(number(values, "fov", 90.0), 1.0), 170.0))
        camera.display_size = 16.0
        camera.clip_end = 32768.0 * self.importing.scale
        made: bpy.types.Camera = camera
        return made


def rotation_of(values: Mapping[str, str], data: bpy.types.ID | None, is_brush: bool) -> tuple[float, float, float]:
    """The Euler angles (XYZ) of an entity's object."""
    pitch, yaw, roll = entity_values.angles(values)
    classname = values.get(CLASSNAME, "")
    if data is not None:
        if isinstance(data, Light):
            return lamps.rotation(values, entity_values.triple(values, ANGLES))
        if isinstance(data, Camera):  # Blender's look along -z, with y up; the roll isn't shown
            return layout.euler((0.0, yaw + _CAMERA_TURN, 90.0 - pitch))
        if isinstance(data, Curve):
            return 0.0, 0.0, 0.0  # they lie where their points are
    if classname == classes.DECAL:
        return 0.0, 0.0, 0.0
    if is_brush and classname in brush_classes.DIRECTED:
        return 0.0, 0.0, 0.0
    return layout.euler((pitch, yaw, roll))
