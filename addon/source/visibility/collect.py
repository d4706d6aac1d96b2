# SPDX-License-Identifier: GPL-3.0-or-later
"""Area portals and occluders back from their meshes: other polygons, keys and flags, as far as their lumps go.

The meshes have no ids: a polygon that has the corners of one of the map's is that one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import bpy
import numpy as np

from ....formats import ranges, source
from ....formats.arrays import Ints, Singles
from ....formats.binary import FormatError
from ....formats.source import edits
from ....formats.source.edits import flat_polygons
from ....formats.source.tables.tree import OCCLUDER
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..collecting import placement
from ..collecting.scene_level import SceneLevel, at_fault
from .portals import OCCLUDER_FIELDS, LumpPolygons, area_portals, occluders

Fields = dict[str, int]


@dataclass(frozen=True)
class _Polygons:
    """Polygons by what they belong to (a portal's key, an occluder's number), with what tells them apart."""

    loops: list[Singles]
    keys: list[bytes]
    values: dict[str, Ints]
    """int64[p] by the names of face attributes; of those that a mesh has."""

    def of(self, attribute: str, number: int) -> Ints:
        """The places of all of one number."""
        return np.flatnonzero(self.values[attribute] == number)

    def shape(self, attribute: str, number: int) -> list[bytes]:
        """What the polygons of a number are, whichever comes first."""
        return sorted(self.keys[place] for place in self.of(attribute, number).tolist())


def apply_area_portals(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the polygons and keys of area portals the scene's. Raises SceneError."""
    read = _both(scene, report, layout.AREAPORTALS, "area portals", layout.PORTAL_KEY, area_portals)
    if read is None:
        return
    obj, was, now = read
    key = layout.PORTAL_KEY
    known, there = was.values[key].tolist(), now.values[key].tolist()
    own, by_shape = dict(zip(known, was.keys, strict=True)), dict(zip(was.keys, known, strict=True))
    portals = [number if own.get(number) == shape else by_shape.get(shape, number)
               for number, shape in zip(there, now.keys, strict=True)]  # fmt: skip
    several = [
        number
        for number, portal in zip(there, portals, strict=True)
        if max(portals.count(portal), there.count(number)) > 1
    ]
    _refuse(obj, now, several, key, "area portal {} has several faces, and can have but one")
    new = [number for number, portal in zip(there, portals, strict=True) if portal not in own]
    _refuse(obj, now, new, key, "{} is the key of no area portal of the map, and only a compiler makes new ones")
    gone = [str(number) for number in known if number not in portals]
    if gone:
        raise SceneError(f"{obj.name}: the faces of area portals {listed(gone)} are gone: none can be taken out", [obj])
    places = {portal: place for place, portal in enumerate(portals)}
    shapes = {portal: now.loops[place] for portal, place in places.items() if now.keys[place] != own[portal]}
    renamed = {portal: there[place] for portal, place in places.items() if there[place] != portal}
    for number in shapes:
        _check(obj, was, now, key, number, "area portal")
    if shapes or renamed:
        with at_fault(obj):
            edits.area_portals.change(level, shapes, renamed)
    for number, other in renamed.items():
        report.warn(f"{obj.name}: portal {number} is {other} now: its entity's portalnumber has to be the same")


def apply_occluders(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the polygons, flags and areas of occluders the scene's. Raises SceneError."""
    read = _both(scene, report, layout.OCCLUDERS, "occluders", layout.OCCLUDER, occluders)
    if read is None:
        return
    obj, was, now = read
    lump = scene.before.occlusion
    records = lump.occluders if lump is not None else np.zeros(0, OCCLUDER)
    known, there = set(range(len(records))), set(now.values[layout.OCCLUDER].tolist())
    new = "{} is the number of no occluder of the map, and only a compiler makes new ones"
    _refuse(obj, now, sorted(there - known), layout.OCCLUDER, new)
    shapes, fields = {}, {}
    for number in sorted(known):
        if now.shape(layout.OCCLUDER, number) != was.shape(layout.OCCLUDER, number):
            shapes[number] = [now.loops[place] for place in now.of(layout.OCCLUDER, number).tolist()]
        if number in there and (found := _fields(obj, now, number, records[number])):
            fields[number] = found
    for number in shapes:
        _check(obj, was, now, layout.OCCLUDER, number, "occluder")
    if shapes or fields:
        with at_fault(obj):
            edits.occluders.change(level, shapes, fields)
    gone = set(was.values[layout.OCCLUDER].tolist()) - there
    if gone:
        names = listed([str(number) for number in sorted(gone)])
        report.warn(f"{obj.name}: the faces of occluders {names} are gone: they stay in the map and hide nothing")


def _fields(obj: bpy.types.Object, now: _Polygons, number: int, record: np.void) -> Fields:
    """The fields of an occluder that its faces say otherwise. Raises SceneError where they don't agree."""
    found: Fields = {}
    for name, field in OCCLUDER_FIELDS.items():
        if name not in now.values or field not in (record.dtype.names or ()):  # 0.3.0 saved levels without
            continue
        values = now.values[name][now.of(layout.OCCLUDER, number)]
        if (values != values[0]).any():
            what = f"its faces of occluder {number} have several {name}: {listed(list(map(str, values.tolist())))}"
            raise SceneError(f"{obj.name}: {what}", faces={obj: now.of(layout.OCCLUDER, number)})
        if values[0] != record[field]:
            found[field] = int(values[0])
    return found


def _check(obj: bpy.types.Object, was: _Polygons, now: _Polygons, attribute: str, number: int, what: str) -> None:
    """Raise SceneError, with its face, for a polygon of a number that no map can hold and that isn't the map's."""
    known = set(was.shape(attribute, number))
    for place in now.of(attribute, number).tolist():
        if now.keys[place] not in known:
            try:
                flat_polygons.checked(now.loops[place], what)
            except FormatError as error:
                faces = {obj: np.array([place], np.int64)}
                raise SceneError(f"{obj.name}: a face of {what} {number} {error.message}", faces=faces) from error


def _refuse(obj: bpy.types.Object, now: _Polygons, numbers: list[int], attribute: str, why: str) -> None:
    """Raise SceneError with the faces of numbers that can't be. why: with a {} for the first of them."""
    if numbers:
        faces = np.flatnonzero(np.isin(now.values[attribute], numbers))
        raise SceneError(f"{obj.name}: {why.format(numbers[0])}", faces={obj: faces})


def _both(
    scene: SceneLevel,
    report: Report,
    kind: str,
    title: str,
    attribute: str,
    shown: Callable[[source.Level], LumpPolygons | None],
) -> tuple[bpy.types.Object, _Polygons, _Polygons] | None:
    """The object of a kind, with the polygons that the import made and those that it has; None where it has none."""
    objects = [one.object for one in scene.instances(kind)]
    if not objects:
        if scene.is_shown(kind):
            report.warn(f"{title.title()} can't be taken out of a map: they were deleted, in the map they stay")
        return None
    if len(objects) > 1:
        raise SceneError(f"{title} are one object: join {listed([obj.name for obj in objects])} or delete one", objects)
    (obj,) = objects
    with at_fault(obj):
        now = _of_object(scene, obj)
        if attribute not in now.values:
            raise ValueError(f"its faces have lost the attribute {attribute}, which says what they belong to")
        try:
            imported = shown(scene.before)
        except FormatError:
            imported = None
        if imported is None:
            raise ValueError(f"the map has no {title}")
    return obj, _of_map(imported), now


def _of_map(shown: LumpPolygons) -> _Polygons:
    """What the import makes of polygons: those with fewer than three corners are left out, as no mesh has them."""
    kept = np.flatnonzero(shown.counts > 2)
    points = np.where(np.isfinite(shown.points), shown.points, np.float32(0))
    starts = ranges.starts(shown.counts)
    loops = [points[starts[place] : starts[place + 1]] for place in kept.tolist()]
    values = {name: each[kept].astype(np.int64) for name, each in shown.values.items()}
    return _Polygons(loops, [flat_polygons.key(loop) for loop in loops], values)


def _of_object(scene: SceneLevel, obj: bpy.types.Object) -> _Polygons:
    mesh = scene.mesh(obj)
    positions = mesh.positions
    place = placement.place_of(scene, obj)
    if place is not None:
        moved = positions.astype(np.float64) @ place.matrix[:3, :3].T + place.matrix[:3, 3]
        positions = moved.astype(np.float32)
    bounds = np.append(mesh.face_starts, len(mesh.corner_verts)).tolist()
    loops = [positions[mesh.corner_verts[start:end]] for start, end in pairwise(bounds)]
    names = (layout.PORTAL_KEY, layout.OCCLUDER, *OCCLUDER_FIELDS)
    read = {name: mesh.attribute(name, "FACE") for name in names}
    values = {name: each.astype(np.int64) for name, each in read.items() if each is not None}
    return _Polygons(loops, [flat_polygons.key(loop) for loop in loops], values)
