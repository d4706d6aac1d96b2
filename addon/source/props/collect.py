# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props back from their objects: moved, turned, scaled, with other properties or another mesh, new and gone."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ....formats import source
from ....formats.arrays import Records
from ....formats.binary import FormatError
from ....formats.source import edits, numbers
from ....formats.source.edits.static_props import MODEL, OWN
from ....formats.source.numbers import doubles
from ....formats.source.placed import prop_boxes
from ....formats.source.records import Solidity
from ....formats.source.sections.static_props import StaticProps, model_name
from ...scene.blender_types import Value
from ...scene.fields import properties
from ...scene.geometry import shapes
from ...scene.kept import baselines
from ...scene.kept.instances import Instance
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..collecting import placement
from ..collecting.placement import Placement
from ..collecting.scene_level import SceneLevel, at_fault, one_at_fault
from . import build, models
from .build import LIGHTING_ORIGIN

Fields = dict[str, Value]

_TINT = "diffuse_modulation"
_WHITE = (1.0, 1.0, 1.0, 1.0)
_SOLID, _SKIN = "solid", "skin"


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the static props of a level what the scene's are: new ones stand behind the others, which move up where one
    is gone.

    Copies bring along the baked light of what they were copied from.
    """
    instances = scene.instances(layout.STATIC_PROP)
    try:
        lump = level.static_props
    except FormatError:
        if instances:
            raise
        return  # the import left them out as well
    if lump is None or lump.props is None:
        if instances:
            why = lump.reason if lump is not None else "the map has no lump for static props"
            raise SceneError(f"static props can't be written: {why}", [one.object for one in instances])
        return
    collector = _PropCollector(scene, lump, lump.props)
    records = scene.records(layout.STATIC_PROP)
    changes = {number: fields for number, one in records.items() if (fields := collector.changes(one))}
    added = scene.added(layout.STATIC_PROP)
    new = [collector.new(one) for one in added]
    gone = scene.deleted(layout.STATIC_PROP, len(lump.props))
    if changes:
        with one_at_fault({number: records[number].object for number in changes}):
            edits.static_props.change(level, changes, collector.hulls)
    if new:
        first = len(lump.props)
        with one_at_fault({first + place: one.object for place, one in enumerate(added)}):
            numbers = edits.static_props.add(level, new, collector.hulls)
        kept = [place for place, one in enumerate(added) if one.record >= 0 and collector.has_model_of(one, new[place])]
        edits.static_props.copy_light(level, {numbers[place]: added[place].record for place in kept})
        dark = [one.object.name for place, one in enumerate(added) if place not in kept]
        if dark:
            report.warn(f"new static props have no baked light: {listed(dark)}")
    if gone:
        edits.static_props.remove(level, gone)
    if collector.shapes.edited:
        report.warn(f"{listed(collector.shapes.edited)}: {models.EDITED}")
    if collector.uncolored:
        report.warn(f"{listed(collector.uncolored)}: static props of this version have no color")


class _PropCollector:
    """One export of static props. hulls: boxes of models, where meshes show them. shapes: whose meshes were edited.
    uncolored: which were given a color, where the version has none.
    """

    def __init__(self, scene: SceneLevel, lump: StaticProps, records: Records) -> None:
        self.scene, self.records = scene, records
        self.fields = records.dtype.names or ()
        self.kind = build.properties_of(self.fields)
        self.models = lump.models
        kinds = np.unique(records["prop_type"][records["leaf_count"] > 0]).tolist()
        self.used = {models.normal(self.models[kind]) for kind in kinds if kind < len(self.models)}
        self.listed = lump.scales is not None
        self.scales = prop_boxes.scales(lump).tolist()
        self.skins = baselines.load(scene.collection, layout.SKINS)
        self.hulls: dict[str, tuple[ArrayLike, ArrayLike]] = {}
        self.shapes = shapes.Watch(scene.root)
        self.uncolored: list[str] = []

    def changes(self, one: Instance) -> Fields:
        """The fields of a record (or of what a copy was copied from) that its object says otherwise.

        Raises SceneError.
        """
        obj = one.object
        with at_fault(obj):
            if one.record >= len(self.records):
                raise ValueError(f"static prop {one.record} isn't there, there are {len(self.records)}")
            record = self.records[one.record]
            values: object
            values, edited = properties.read(obj, self.kind)
            found = {name: getattr(values, name) for name in edited}
            self._read_light(obj, found, record[LIGHTING_ORIGIN].tolist() if LIGHTING_ORIGIN in self.fields else None)
            if _TINT in self.fields and _TINT not in found:
                was = record[_TINT].tolist()
                if not numbers.same(obj.color[:], [channel / 255 for channel in was]):
                    found[_TINT] = [round(min(max(channel, 0.0), 1.0) * 255) for channel in obj.color]
            elif _TINT not in self.fields and tuple(obj.color) != _WHITE:
                self.uncolored.append(obj.name)
            self._read_mesh(one, found, int(record["prop_type"]))
            place = placement.place_of(self.scene, obj)
            if place is not None:
                self._read_place(place, found, *(doubles(record[name]).tolist() for name in ("origin", "angles")))
                self._read_scale(place, found, self.scales[one.record])
            _check(found)
            self.shapes.look_at(obj)
            if found:
                self._add_hull(obj, self._model_of(one, found))
            return found

    def new(self, one: Instance) -> Fields:
        """The fields of a new prop: those of what it was copied from with what is other, or what its object says.

        Raises SceneError.
        """
        obj = one.object
        if one.record >= 0:
            changed = self.changes(one)
            record = self.records[one.record]
            fields = {name: _plain(record[name]) for name in self.fields if name not in OWN}
            fields = {name: value for name, value in fields.items() if _is_finite(value)}
            fields[MODEL] = self._model_of(one, changed)
            if LIGHTING_ORIGIN in fields and LIGHTING_ORIGIN not in changed and "origin" in changed:
                moved = np.subtract(changed["origin"], fields["origin"])
                fields[LIGHTING_ORIGIN] = np.add(fields[LIGHTING_ORIGIN], moved).tolist()
            if self.listed and not numbers.same(self.scales[one.record], (1, 1, 1)):
                fields["scale"] = self.scales[one.record]
            fields |= changed
        else:
            with at_fault(obj):
                fields = self._of_object(obj)
        self._add_hull(obj, str(fields[MODEL]), models.normal(str(fields[MODEL])) not in self.used)
        return fields

    def _of_object(self, obj: bpy.types.Object) -> Fields:
        """The fields of a prop that is no record's. Raises ValueError."""
        values: object
        values, _ = properties.read(obj, self.kind)
        fields: Fields = {each.name: getattr(values, each.name) for each in properties.fields(self.kind)
                          if obj.get(each.name) is not None}  # fmt: skip
        mesh = obj.data
        if isinstance(mesh, bpy.types.Mesh) and isinstance(mesh.get(layout.MODEL_PATH), str):
            fields.setdefault(MODEL, mesh.get(layout.MODEL_PATH))
            fields.setdefault("skin", mesh.get(layout.SKIN, 0))
        fields.setdefault(MODEL, "")
        _check(fields)
        self.shapes.look_at(obj)
        place = placement.here(self.scene, obj)
        fields["origin"], fields["angles"] = place.origin((0.0, 0.0, 0.0)), place.angles((0.0, 0.0, 0.0))
        self._read_light(obj, fields, None)
        self._read_scale(place, fields, (1.0, 1.0, 1.0))
        return fields

    def has_model_of(self, one: Instance, fields: Fields) -> bool:
        """Whether a copy has still the model of what it was copied from."""
        return bool(models.normal(str(fields[MODEL])) == models.normal(self._model_of(one, {})))

    def _model_of(self, one: Instance, changed: Fields) -> str:
        kind = int(self.records["prop_type"][one.record])
        return str(changed.get(MODEL, self.models[kind] if kind < len(self.models) else ""))

    def _read_light(self, obj: bpy.types.Object, found: Fields, was: Sequence[float] | None) -> None:
        raw: Value = obj.get(LIGHTING_ORIGIN)
        if raw is None or LIGHTING_ORIGIN not in self.fields:
            return
        try:
            now = [float(value) for value in raw]
        except (TypeError, ValueError):
            raise ValueError(f"{LIGHTING_ORIGIN} is {raw!r}, and three numbers are meant") from None
        if was is None or repr(now) != repr(list(was)):
            found[LIGHTING_ORIGIN] = now

    def _read_mesh(self, one: Instance, found: Fields, kind: int) -> None:
        """The model and skin of another mesh that an object was given; edited properties win."""
        mesh = one.object.data
        path = mesh.get(layout.MODEL_PATH) if isinstance(mesh, bpy.types.Mesh) else None
        if not isinstance(mesh, bpy.types.Mesh) or not isinstance(path, str):
            return
        skin = mesh.get(layout.SKIN, 0)
        if not isinstance(skin, int):
            raise ValueError(f"property {layout.SKIN} of its mesh {mesh.name} is no whole number")
        other = kind < len(self.models) and path != models.normal(self.models[kind])
        if other:
            found.setdefault(MODEL, path)
        known = self.skins is not None and one.record < len(self.skins)
        if "skin" in self.fields and (other or (known and self.skins is not None and skin != self.skins[one.record])):
            found.setdefault("skin", skin)

    def _read_place(self, place: Placement, found: Fields, origin: Sequence[float], angles: Sequence[float]) -> None:
        for name, was, now in (("origin", origin, place.origin(origin)), ("angles", angles, place.angles(angles))):
            if not numbers.same(was, now):
                found[name] = now

    def _read_scale(self, place: Placement, found: Fields, was: Sequence[float]) -> None:
        """The scale, where the version has one. Raises ValueError."""
        now = place.scale
        if numbers.same(was, now.tolist()) or (not place.exact and np.allclose(was, now, rtol=1e-5, atol=0)):
            return
        if (now <= 0).any():
            raise ValueError(f"its scale is {now.tolist()}: a static prop can't be mirrored")
        if "scale" in self.fields or self.listed:
            found["scale"] = now.tolist()
        elif "uniform_scale" not in self.fields:
            raise ValueError("static props of this version of the format have no scale")
        elif not np.allclose(now, now[0], rtol=1e-4, atol=0):
            raise ValueError(
                f"its scale is {now.tolist()}: static props of this version are scaled alike along all axes"
            )
        else:
            found["uniform_scale"] = float(now[0])

    def _add_hull(self, obj: bpy.types.Object, path: str, guessed: bool = False) -> None:
        """Tell how large a model is, if the object's mesh shows it. guessed: a box will do, too."""
        mesh = obj.data
        if not isinstance(mesh, bpy.types.Mesh) or path in self.hulls or not len(mesh.vertices):
            return
        if guessed or mesh.get(layout.MODEL_PATH) == models.normal(path):
            points = np.empty(len(mesh.vertices) * 3, np.float32)
            mesh.vertices.foreach_get("co", points)
            self.hulls[path] = points.reshape(-1, 3).min(axis=0), points.reshape(-1, 3).max(axis=0)


def _check(fields: Fields) -> None:
    """Raise ValueError for edited fields that no static prop can have."""
    if not fields.get(MODEL, MODEL):
        raise ValueError(f"a static prop needs a property {MODEL!r}, the model's path")
    model = str(fields.get(MODEL, ""))
    if model and not models.is_model(model):
        raise ValueError(f"{model!r} isn't a model's path, as models/props/crate.mdl is")
    model_name(model)
    if fields.get(_SOLID, 0) not in tuple(Solidity):
        raise ValueError(f"{_SOLID} is {fields[_SOLID]}, and 0 to {max(Solidity):d} are known")
    if fields.get(_SKIN, 0) < 0:
        raise ValueError(f"{_SKIN} is {fields[_SKIN]}, and the first one is 0")


def _plain(value: Value) -> Value:
    """A record's value as edits take it."""
    return value.tobytes() if np.asarray(value).dtype.kind == "V" else np.asarray(value).tolist()


def _is_finite(value: Value) -> bool:
    return isinstance(value, bytes) or bool(np.isfinite(value).all())
