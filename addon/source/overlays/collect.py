# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays back from their quads: moved, turned, scaled, with another texture or other coordinates of it, new and gone.

The delta location, which lifts an overlay off its faces for show, is ignored.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Floats, Records, Singles
from ....formats.source import LumpId, edits, numbers
from ....formats.source.edits.overlays import FACES, FADE, RENDER_ORDER, TEXDATA
from ....formats.source.numbers import doubles
from ....formats.source.placed import overlay_quads
from ....formats.source.tables.fields import overlay_counts
from ...scene.blender_types import Value
from ...scene.kept import baselines
from ...scene.kept.instances import Instance
from ...scene.reports import Report
from .. import layout
from ..collecting import placement
from ..collecting.scene_level import SceneLevel, at_fault, one_at_fault
from ..materials.collect import TextureTable
from . import build

Fields = dict[str, Value]

_BLANK = (64, 64)
"""Pixels of a texture that nothing tells the size of."""
_NEVER = dict(zip(build.FADES, (-1.0, 0.0), strict=True))
"""What compilers write for overlays that never fade."""
_SAME_UV = 1e-4
_OWN = frozenset((FACES, "id", "face_count_and_render_order", "face_offset", "face_count"))


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the overlays of a level what the scene's are: new ones stand behind the others."""
    instances = scene.instances(layout.OVERLAY)
    if not instances and not scene.is_shown(layout.OVERLAY):
        return
    collector = _OverlayCollector(scene, level, report)
    records, added = scene.records(layout.OVERLAY), scene.added(layout.OVERLAY)
    changes = {number: found for number, one in records.items() if (found := collector.changes(one))}
    new = [collector.new(one) for one in added]
    if changes:
        with one_at_fault({number: records[number].object for number in changes}):
            edits.overlays.change(level, changes)
    if new:
        with one_at_fault({len(collector.table) + place: one.object for place, one in enumerate(added)}):
            edits.overlays.add(level, new, [one.record if one.record >= 0 else None for one in added])
    gone = scene.deleted(layout.OVERLAY, len(collector.table))
    if gone:
        edits.overlays.remove(level, gone)


class _OverlayCollector:
    """One export of overlays. table: the original's."""

    def __init__(self, scene: SceneLevel, level: source.Level, report: Report) -> None:
        self.scene, self.level, self.report = scene, level, report
        self.table: Records = build.records(scene.before)
        self.texinfos = scene.before.table(LumpId.TEXINFO)
        self.beside = build.beside(scene.before, len(self.table))
        self.textures = TextureTable(scene, level, report)
        self.corners = baselines.load(scene.collection, layout.OVERLAY_CORNERS)
        self.uvs = baselines.load(scene.collection, layout.OVERLAY_UVS)

    def changes(self, one: Instance) -> Fields:
        """The fields of a record (or of what a copy was copied from) that its object says otherwise.

        Raises SceneError.
        """
        with at_fault(one.object):
            if one.record >= len(self.table):
                raise ValueError(f"overlay {one.record} isn't there, there are {len(self.table)}")
            record = self.table[[one.record]]
            if self.corners is None or self.uvs is None or min(len(self.corners), len(self.uvs)) <= one.record:
                raise ValueError("what the import made of it is lost: nothing says whether it was edited")
            corners, uvs = self._quad(one.object)
            found = self._moved(one, record, corners, self.corners[one.record])
            if np.abs(uvs - self.uvs[one.record]).max() > _SAME_UV:
                found |= _coordinates(uvs)
            texinfo = int(record["texinfo"][0])
            old = int(self.texinfos["texdata"][texinfo]) if 0 <= texinfo < len(self.texinfos) else -1
            texdata = self._texdata(one.object, old)
            if texdata != old:
                found[TEXDATA] = texdata
            order: object = one.object.get(RENDER_ORDER)
            if order is not None and order != _order(record):
                found[RENDER_ORDER] = order
            number = one.object.get(build.ID)
            if number is not None and "id" in (record.dtype.names or ()) and number != record["id"][0]:
                found["id"] = number
            return found | self._beside(one)

    def new(self, one: Instance) -> Fields:
        """The fields of a new overlay: those of what it was copied from with what is other, or what its quad says.

        Raises SceneError.
        """
        if one.record >= 0:
            return self._fields(one.record) | self.changes(one)
        with at_fault(one.object):
            corners, uvs = self._quad(one.object)
            matrix = placement.here(self.scene, one.object, deltas=False).matrix
            fields = edits.overlays.placed(corners @ matrix[:3, :3].T + matrix[:3, 3]) | _coordinates(uvs)
            fields[TEXDATA] = self._texdata(one.object, -1)
            order: object = one.object.get(RENDER_ORDER, 0)
            return fields | {RENDER_ORDER: order} | self._beside(one)

    def _beside(self, one: Instance) -> Fields:
        """The fields of the lumps beside OVERLAYS that an object says otherwise than its record, or at all."""
        was: Fields = {key: values[one.record] for key, values in self.beside.items()} if one.record >= 0 else {}
        now = {key: raw for key in (*build.FADES, *build.LEVELS) if (raw := one.object.get(key)) is not None}
        found = {key: raw for key, raw in now.items() if key not in was or repr(raw) != repr(was[key])}
        fades = {key for key in found if key in build.FADES}
        made: Fields = {key: raw for key, raw in found.items() if key not in fades}
        if fades:
            made[FADE] = [{**_NEVER, **was, **now}[key] for key in build.FADES]
        return made

    def _fields(self, record: int) -> Fields:
        """What a copy has of a record."""
        row = self.table[[record]]
        fields = {name: _plain(row[name][0]) for name in row.dtype.names or () if name not in _OWN}
        fields[RENDER_ORDER] = _order(row)
        others = {key: values[record] for key, values in self.beside.items()}
        if build.FADES[0] in others:
            fields[FADE] = [others.pop(key) for key in build.FADES]
        fields |= others
        return fields

    def _quad(self, obj: bpy.types.Object) -> tuple[Floats, Singles]:
        """The four corners float64[4, 3] of an overlay's mesh, and their UVs float32[4, 2]. Raises ValueError."""
        mesh = self.scene.mesh(obj)
        if len(mesh.positions) != 4 or len(mesh.corner_verts) != 4 or len(np.unique(mesh.corner_verts)) != 4:
            raise ValueError("an overlay is one face with four corners")
        found = mesh.uv(layout.UV)
        if found is None:
            raise ValueError(f"it has no UV map {layout.UV!r}")
        uvs = np.zeros((4, 2), np.float32)
        uvs[mesh.corner_verts] = found
        return mesh.positions.astype(np.float64), uvs

    def _moved(self, one: Instance, record: Records, corners: Floats, made: Singles) -> Fields:
        """The fields of where an overlay lies, if it was moved. made: the corners float32[4, 3] of the import."""
        same = np.array_equal(corners.astype(np.float32), made)
        place = placement.place_of(self.scene, one.object, deltas=False)
        if place is None and same:
            return {}
        was = doubles(record["origin"])[0]
        if same:
            corners = overlay_quads.corners(record)[0] - was  # as exact as the map has them
        if place is None:
            matrix = placement.here(self.scene, one.object, deltas=False).matrix
            return edits.overlays.placed(corners @ matrix[:3, :3].T + matrix[:3, 3], record)
        turn = place.matrix[:3, :3]
        if not same or not np.allclose(turn @ turn.T, np.eye(3), atol=1e-5) or np.linalg.det(turn) < 0:
            return edits.overlays.placed(corners @ turn.T + place.matrix[:3, 3], record)
        now = place.origin(was.tolist())
        found: Fields = {} if numbers.same(now, was.tolist()) else {"origin": now}
        if np.abs(turn - np.eye(3)).max() > 1e-6:
            u = turn @ overlay_quads.bases(record)[0][0]
            found["basis_normal"] = turn @ record["basis_normal"][0].astype(np.float64)
            if "basis_u" in (record.dtype.names or ()):
                found["basis_u"] = u
            else:
                points = record["uv_points"][0].astype(np.float64)
                points[:3, 2] = u
                found["uv_points"] = points
        return found

    def _texdata(self, obj: bpy.types.Object, old: int) -> int:
        """The texdata of an overlay's material. old: the one that it had, -1: none. Raises ValueError."""
        material = _material(obj)
        if material is None:
            if old < 0:
                raise ValueError("an overlay needs a material")
            self.report.warn(f"{obj.name}: without a material, its texture stays as it was", [obj])
            return old
        if self.textures.is_nameless(material):
            return old
        table = self.level.table(LumpId.TEXDATA)
        if 0 <= old < len(table):
            names, number = self.level.texture_names.names, int(table["name_string_table_id"][old])
            if 0 <= number < len(names) and names[number].lower() == self.textures.name(material).lower():
                return old
            return self.textures.texdata(material, (int(table["width"][old]), int(table["height"][old])))
        return self.textures.texdata(material, _BLANK)


def _material(obj: bpy.types.Object) -> bpy.types.Material | None:
    """The material of an overlay's polygon."""
    data = obj.data
    slots = obj.material_slots
    first = data.polygons[0].material_index if isinstance(data, bpy.types.Mesh) and len(data.polygons) else 0
    return slots[min(first, len(slots) - 1)].material if slots else None


def _order(record: Records) -> int:
    """The place of an overlay in the order of drawing."""
    names = record.dtype.names or ()
    return int(record[RENDER_ORDER][0]) if RENDER_ORDER in names else int(overlay_counts(record)[1][0])


def _coordinates(uvs: Singles) -> Fields:
    """The fields of texture coordinates float32[4, 2] of the corners. Raises ValueError where they are no rectangle."""
    across, down = uvs[:, 0].astype(np.float64), 1 - uvs[:, 1].astype(np.float64)
    apart = [across[0] - across[1], across[2] - across[3], down[0] - down[3], down[1] - down[2]]
    if max(map(abs, apart)) > _SAME_UV:
        raise ValueError("its UVs aren't an upright rectangle: the map has only where u and v begin and end")
    return {"u": (across[0], across[2]), "v": (down[0], down[1])}


def _plain(value: Value) -> Value:
    """A record's value as edits take it."""
    return value.tobytes() if np.asarray(value).dtype.kind == "V" else np.asarray(value).tolist()
