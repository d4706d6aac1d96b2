# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities back from their objects: what was edited is written, all else stays as it is, in its order.

An edited property wins over what the object's place says. `layout` tells what becomes what.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import bpy
import numpy as np

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import edits, numbers
from ....formats.source.entities import brush_classes, entity_values
from ....formats.source.entities.entity_values import ANGLE, DOWN, UP
from ....formats.source.entities.text import ANGLES, CLASSNAME, MODEL, ORIGIN, Entity, vector
from ....formats.source.placed import orientation
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.kept.instances import Instance
from ...scene.reports import Report, SceneError
from .. import layout
from ..collecting import placement, scene_level
from ..collecting.placement import Placement
from ..collecting.scene_level import SceneLevel, at_fault
from ..faces import geometry_edits
from ..lights import lamps
from ..props import models
from ..settings import REFUSE
from . import build, classes, custom_properties, datablocks, stand_ins

Pairs = list[tuple[str, str]]

_MODEL_SCALE = "modelscale"
_STILL = (0.0, 0.0, 0.0)
_STRAIGHT = 90.0
"""Degrees of pitch of what looks up or down."""
_WORLD = "worldspawn"
_CHANNELS = {
    ORIGIN: transforms.LOCATION,
    ANGLES: transforms.ROTATION,
    "pitch": transforms.ROTATION,
    ANGLE: transforms.ROTATION,
    _MODEL_SCALE: transforms.SCALE,
}
"""Keys that say what an object's place says as well, and which of its channels does."""
_STANDS_IN = "what was done to its mesh or curve is ignored: the map has only its place and its properties"


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the entities of a level what the scene's are: those that are gone go, new ones stand behind the others."""
    try:
        count = len(level.entities)
    except FormatError:
        if scene.instances(layout.ENTITY):
            raise
        return  # the import left them out as well
    collector = _EntityCollector(scene, report, scene.settings.geometry != REFUSE)
    world = next((number for number, entity in enumerate(level.entities) if entity.classname == _WORLD), -1)
    if world >= 0 and scene.original.options.get("entities", True):
        properties.tell_of_nested(scene.collection, report)
        pairs, edited = custom_properties.merged_pairs(scene.collection, level.entities[world])
        if edited:
            try:
                edits.entities.set_pairs(level, world, pairs)
            except FormatError as error:
                raise SceneError(f"{scene.collection.name}: {error.message}") from error
    for number, one in scene.records(layout.ENTITY).items():
        with at_fault(one.object):
            if number >= count:
                raise FormatError(f"entity {number} isn't there, there are {count}", "entities")
            pairs = collector.pairs(one, level.entities[number])
            if pairs != level.entities[number].pairs:
                edits.entities.set_pairs(level, number, pairs)
    collector.move_models(level)
    for one in scene.added(layout.ENTITY):
        with at_fault(one.object):
            known = scene.before.entities[one.record] if one.record >= 0 else Entity()
            edits.entities.add(level, collector.pairs(one, known))
    gone = [number for number in scene.deleted(layout.ENTITY, count) if number != world]
    with at_fault():
        edits.entities.remove(level, gone)


class _EntityCollector:
    """One export of entities. reshapes: whether brush models that were given another shape are not refused."""

    def __init__(self, scene: SceneLevel, report: Report, reshapes: bool) -> None:
        self.scene, self.report, self.reshapes = scene, report, reshapes
        self.shapes = stand_ins.StandInShapes()
        options = scene.original.options
        self.scale = float(options.get("scale", layout.SCALE))
        self.hdr = lamps.shows_hdr(scene.before, options.get("lightmaps"))

    def pairs(self, one: Instance, entity: Entity) -> Pairs:
        """The pairs of an object's entity. entity: its record's, or an empty one. Raises ValueError, SceneError."""
        obj = one.object
        pairs, edited = custom_properties.merged_pairs(obj, entity)
        is_new = one.record < 0
        place = placement.here(self.scene, obj) if is_new else placement.place_of(self.scene, obj)
        edited = self._typed(obj, edited) if is_new else edited
        made = Entity(pairs)
        if obj in self.scene.models:
            made.set(MODEL, f"*{self.scene.models[obj]}")
        values = entity_values.by_key(made)
        if is_new:
            self._report_shape(one, values)
        self._report_odd(obj, values)
        collected = datablocks.edited(obj, values, self.scale, self.hdr)
        if place is not None:
            is_brush = values.get(MODEL, "").startswith("*")
            collected |= self._placed(place, values, is_brush, edited)
        if is_new:
            collected.setdefault(ORIGIN, numbers.merged(None, _STILL, _STILL))
        for key, value in collected.items():
            if key not in edited and value != made.get(key):
                made.set(key, value)
        return made.pairs

    def _typed(self, obj: bpy.types.Object, keys: set[str]) -> set[str]:
        """Those keys of a new entity that win over its place: where it was made with them, until it is turned."""
        if obj.get(transforms.BASELINE) is None:
            return keys & _CHANNELS.keys()
        moved = transforms.changed_channels(obj, self.scene.root)
        stay = {key for key, channel in _CHANNELS.items() if not {channel, transforms.PARENT} & moved}
        return keys & (stay | {ORIGIN})

    def _report_shape(self, one: Instance, values: Mapping[str, str]) -> None:
        """Warn of a new entity's mesh that no map can have. Raises ValueError where the entity is nothing without."""
        obj = one.object
        classname, model = values.get(CLASSNAME, ""), values.get(MODEL, "")
        if obj in self.scene.models:
            return
        if self.scene.is_new_model(one):
            raise ValueError("its mesh can't become a brush model, since the map's models can't be read")
        mark = identity.stamped(obj)
        if model.startswith("*") and mark is not None and mark.record >= 0:
            raise ValueError(f"its model {model} is that of another map, and {geometry_edits.NO_MORE}")
        if not model and obj.data is None and brush_classes.has_model(classname, ()):
            self.report.warn(f"{obj.name}: a {classname} needs a brush model: give it a mesh")
        if not isinstance(obj.data, bpy.types.Mesh) or models.is_model(model) or model.startswith("*"):
            return
        if classname in (*classes.LADDERS, classes.DECAL):
            return
        if brush_classes.is_of_compiler(classname):
            raise ValueError(f"a compiler makes no model of a {classname}, but something of the world")
        self.report.warn(f"{obj.name}: its mesh isn't part of the map: its class has no brush model")

    def _report_odd(self, obj: bpy.types.Object, values: Mapping[str, str]) -> None:
        """Warn of what isn't part of the entity: groups of properties, a light of another type, what was done
        to the mesh.
        """
        stands_in = not values.get(MODEL, "").startswith("*") and isinstance(obj.data, bpy.types.Mesh | bpy.types.Curve)
        if stands_in and self.shapes.is_edited(obj):
            self.report.warn(f"{obj.name}: {models.EDITED if models.is_model(values.get(MODEL, '')) else _STANDS_IN}")
        properties.tell_of_nested(obj, self.report)
        kind = lamps.kind_of(values.get(CLASSNAME, ""))
        if kind is not None and isinstance(obj.data, bpy.types.Light) and obj.data.type != kind:
            self.report.warn(f"{obj.name}: the type of a light follows from its class, {obj.data.type} is ignored")

    def _placed(self, place: Placement, values: Mapping[str, str], is_brush: bool, edited: set[str]) -> dict[str, str]:
        """What an object's place says of its entity, by key. values: what the properties say, by key."""
        found: dict[str, str] = {}
        was = entity_values.triple(values, ORIGIN)
        now = place.origin(was)
        if now != was:
            found[ORIGIN] = numbers.merged(values.get(ORIGIN) if vector(values.get(ORIGIN)) else None, was, now)
        if not {ANGLES, "pitch", ANGLE} & edited:
            found |= self._turned(place, values, is_brush)
        self._scaled(place, values, is_brush, found)
        return found

    def _turned(self, place: Placement, values: Mapping[str, str], is_brush: bool) -> dict[str, str]:
        """The keys of an entity's direction, if it was turned."""
        obj = place.object
        was = entity_values.angles(values)
        shown = build.rotation_of(values, obj.data, is_brush)
        if place.euler is not None and numbers.same(place.euler, shown):
            return {}
        if place.euler is None and orientation.same_rotation(place.rotation, shown):
            return {}
        if isinstance(obj.data, bpy.types.Light):
            return _turned_light(place, values)
        if isinstance(obj.data, bpy.types.Camera):
            pitch, yaw = _looking(place)
            return _angle_keys(values, was, numbers.nearly(was, (-pitch, yaw, was[2])))
        if obj in self.scene.models and values.get(CLASSNAME, "") in brush_classes.DIRECTED:
            return {}  # its model is as it is seen
        if is_brush and values.get(CLASSNAME, "") in brush_classes.DIRECTED:
            raise ValueError("the angles of its class are where it moves: turn its model by editing that property")
        if isinstance(obj.data, bpy.types.Curve) or _is_decal(values):
            self.report.warn(f"{obj.name}: its class is not turned, so its rotation is ignored")
            return {}
        return _angle_keys(values, was, place.angles(was))

    def _scaled(self, place: Placement, values: Mapping[str, str], is_brush: bool, found: dict[str, str]) -> None:
        """Add the scale of an entity's model, if that was changed."""
        obj, now = place.object, place.scale
        size = entity_values.number(values, _MODEL_SCALE, 1.0) if _MODEL_SCALE in values else 1.0
        was = size if size > 0 and obj.type == "MESH" and not is_brush and not _is_decal(values) else 1.0
        if obj.type == "SPEAKER" and not place.exact:
            was = obj.delta_scale[0]  # how large it is drawn, see `scene.view.gizmos`
        if np.allclose(now, was, rtol=1e-5, atol=0):
            return
        has_shape = isinstance(obj.data, bpy.types.Mesh) and len(obj.data.polygons) and scene_level.shows_faces(obj)
        if obj in self.scene.models or (is_brush and self.reshapes and has_shape and (now > 0).all()):
            return  # the vertices were moved by it
        if is_brush:
            raise ValueError("brush models have no scale: apply it to the mesh, and export it as moved geometry")
        is_model = isinstance(obj.data, bpy.types.Mesh) and obj.data.get(layout.MODEL_PATH) is not None
        if not is_model and obj.parent is None and np.allclose(np.array(obj.scale), 1):
            return  # as Blender adds objects, below no root: nobody scaled it
        if obj.type != "MESH" or _is_decal(values):
            self.report.warn(f"{obj.name}: its entity has no scale, so the object's scale is ignored")
            return
        if not np.allclose(now, now[0], rtol=1e-4, atol=0) or now[0] <= 0:
            raise ValueError(f"its scale is {now.tolist()}: models are scaled alike along x, y and z")
        found[_MODEL_SCALE] = numbers.text(round(float(now[0]), 5))

    def move_models(self, level: source.Level) -> None:
        """Move the entities of brush models that are plain objects: all of them, if the import left entities out.

        Raises SceneError where no entity has a model that was moved, or several objects are one model.
        """
        seen: dict[int, bpy.types.Object] = {}
        for one in self.scene.instances(layout.MODEL):
            obj = one.object
            if one.record <= 0:
                continue
            if one.record in seen:
                first = seen[one.record]
                raise SceneError(f"{first.name} and {obj.name} are one brush model: copy its entity", [first, obj])
            seen[one.record] = obj
            place = placement.place_of(self.scene, obj)
            if place is None:
                continue
            with at_fault(obj):
                number = next((n for n, entity in enumerate(level.entities) if entity.model == one.record), None)
                if number is None:
                    raise ValueError("no entity has this model, so nothing says where it is")
                found = self._placed(place, entity_values.by_key(level.entities[number]), True, set())
                edits.entities.set_keys(level, number, found)


def _is_decal(values: Mapping[str, str]) -> bool:
    return values.get(CLASSNAME, "") == classes.DECAL


def _looking(place: Placement) -> tuple[float, float]:
    """Pitch (upwards) and yaw in degrees of where an object looks that looks along Blender's -z."""
    if place.euler is not None and place.euler[1] == 0:
        return numbers.degrees(place.euler[0]) - 90, numbers.degrees(place.euler[2]) + 90
    x, y, z = (-place.rotation[:, 2]).tolist()
    return math.degrees(math.atan2(z, math.hypot(x, y))), math.degrees(math.atan2(y, x))


def _angle_keys(values: Mapping[str, str], was: tuple[float, ...], now: tuple[float, ...]) -> dict[str, str]:
    """The key of the angles of what is no light: `angle`, if an entity has that one and it can say so."""
    pitch, yaw, roll = now
    single = None
    if roll == 0 and ANGLES not in values and ANGLE in values:
        if pitch == 0:
            single = yaw % 360
        elif abs(pitch) == _STRAIGHT and yaw == 0:
            single = UP if pitch < 0 else DOWN
    if single is not None:
        return {ANGLE: numbers.text(single)}
    return {ANGLES: numbers.merged(values.get(ANGLES), was, now)}


def _turned_light(place: Placement, values: Mapping[str, str]) -> dict[str, str]:
    """The keys of a light's direction: see `lamps.rotation`."""
    pitch, yaw = _looking(place)
    was = entity_values.triple(values, ANGLES)
    own = lamps.direction(values, was)
    pitch, yaw = numbers.nearly(own, (pitch, yaw))
    found: dict[str, str] = {}
    if "pitch" in values:
        found["pitch"] = numbers.merged(values["pitch"], own[:1], (pitch,))
    if entity_values.number(values, ANGLE):
        found[ANGLE] = "0"
    counts = not entity_values.number(values, "pitch") or pitch == 0
    found[ANGLES] = numbers.merged(values.get(ANGLES), was, (pitch if counts else was[0], yaw, was[2]))
    return found
