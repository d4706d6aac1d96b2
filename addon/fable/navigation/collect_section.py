# SPDX-License-Identifier: GPL-3.0-or-later
"""One section of navigation back from its objects: what was edited of leaves, doors and action points.

Which squares there are follows from the ground (`ground`), so leaves can't be moved, added or deleted here.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats.arrays import Bools, Indices, Records, Singles
from ....formats.counting import number_of
from ....formats.fable import POSITION, UID_BASE, Navigation
from ....formats.fable.geometry import finite_points, leaf_corners
from ....formats.fable.nodes import COSTS_SINCE
from ....formats.fable.sections import NumberedSection, door_lists
from ...scene.fields.properties import INT32, own_keys
from ...scene.geometry import meshes, transforms
from ...scene.geometry.meshes import MeshData
from ...scene.kept import identity
from ...scene.kept.identity import record_of
from ...scene.kept.instances import Instance, mark_copies
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..cells import MeshCells, match_cells, refuse

HINT = "The squares follow from the ground: paint that, and export with the option Navigation"
Keys = dict[int, tuple[int, ...]]
"""Number of a node -> its keys."""


class SectionEdit:
    """What becomes of one section."""

    def __init__(
        self,
        section: NumberedSection,
        before: Navigation,
        token: int | None,
        root: bpy.types.Object | None,
        depsgraph: bpy.types.Depsgraph | None,
        report: Report,
    ) -> None:
        self.section, self.before, self.root, self.depsgraph = section, before, root, depsgraph
        self.report = report
        self.token = 0 if token is None else token
        self.nodes = before.nodes.copy()
        self.positions = before.positions
        self.keys: Keys = {}
        self.notes: list[str] = []

    def made(self) -> Navigation:
        """The navigation with all edits."""
        header = self.before.header.copy()
        old, new = (_highest(nodes) + 1 for nodes in (self.before.nodes, self.nodes))
        count = self.before.region_count
        header["region_count"] = new if count == old else max(count, new)
        starts = self.before.first_keys()
        parts: list[NDArray[np.uint64]] = [self.before.keys[:0]]
        for node in np.flatnonzero(self.nodes["switchable"] != 0).tolist():
            kept = self.before.keys[starts[node] : starts[node + 1]]
            parts.append(np.array(self.keys[node], np.uint64) if node in self.keys else kept)
        keys = np.concatenate(parts).astype(np.uint64)
        return replace(self.before, header=header, nodes=self.nodes, keys=keys, positions=self.positions)

    # --------------------------------------------------------------------------------------------------------- leaves

    def collect_layer(self, obj: bpy.types.Object, layer: int) -> None:
        """Take what was edited of the leaves of a layer."""
        if transforms.changed_channels(obj) - ({transforms.PARENT} if obj.parent is None else set()):
            raise SceneError(f"{obj.name} was moved, turned or scaled. {HINT}", [obj])
        leaves, extra, missing = self._leaves(obj, layer)
        if len(extra):
            refuse(obj, "FACE", f"{{}} too many. {HINT}", extra)
        if len(missing):
            raise SceneError(f"{obj.name}: {number_of(len(missing), 'leaves are')} gone. {HINT}", [obj])
        numbers = self.section.leaves(layer)
        leaves.refuse("moved", self._moved(leaves, layer), HINT)
        self._collect_fields(leaves, numbers)
        self._collect_doors(leaves, numbers)

    def shows(self, obj: bpy.types.Object, layer: int) -> bool:
        """Whether an object's faces are the leaves of a layer, each where it was."""
        leaves, extra, missing = self._leaves(obj, layer)
        return not len(extra) and not len(missing) and not self._moved(leaves, layer).any()

    def _leaves(self, obj: bpy.types.Object, layer: int) -> tuple[MeshCells, Indices, Indices]:
        """The faces of an object as the leaves of a layer; faces too many; leaves without a face."""
        numbers = self.section.leaves(layer)
        data = meshes.read(obj, self.depsgraph, (*layout.LEAF_FIELDS, layout.DOOR, layout.CLOSED))
        ids = data.ids("FACE", self.token)
        found = ids.astype(np.int64) - 1 - self.section.first_node
        at = np.searchsorted(numbers, found)
        known = np.append(numbers, -1)[at] == found
        faces, extra, missing = match_cells(np.where((found >= 0) & known, at, -1), len(numbers))
        return MeshCells(obj, "FACE", data, ids, faces, self.report), extra, missing

    def _moved(self, leaves: MeshCells, layer: int) -> Bools:
        return _moved(leaves.data, leaves.indices, leaf_corners(self.before.nodes[self.section.leaves(layer)]))

    def _collect_fields(self, leaves: MeshCells, numbers: Indices) -> None:
        for name, highest in layout.LEAF_FIELDS.items():
            now = leaves.whole(name)
            if now is None:
                continue
            changed = now != self.before.nodes[name][numbers]
            leaves.refuse(f"attribute {name} isn't within 0 and {highest}", changed & ((now < 0) | (now > highest)))
            if name == "preference" and self.before.version < COSTS_SINCE:
                leaves.refuse(f"another {name}, which this old section doesn't store", changed)
            if changed.any():
                self.nodes[name][numbers[changed]] = now[changed]
                self.notes.append(f"{number_of(np.count_nonzero(changed), 'leaves')} with other {name}")

    def _collect_doors(self, leaves: MeshCells, numbers: Indices) -> None:
        """Take which leaves are doors, of what things, and which of them are closed."""
        was, lists = door_lists(self.before, numbers)
        now = leaves.whole(layout.DOOR)
        now = was.astype(np.int64) if now is None else now
        listing = {number: door_keys(leaves.object, number) for number in np.unique(now[now != 0]).tolist()}
        closed = leaves.whole(layout.CLOSED)
        before = self.before.nodes["blocked"][numbers] != 0
        closed = before if closed is None else closed != 0
        leaves.refuse("closed, but not a door", closed & (now == 0), HINT)
        names = {f"{layout.DOOR}_{number}" for number in listing}
        unused = [key for key in own_keys(leaves.object) if key not in names]
        if unused:
            self.report.warn(f"{leaves.object.name}: no leaf has the doors of its properties {listed(sorted(unused))}")
        keys_were: dict[int, tuple[int, ...] | None] = dict(enumerate(lists, start=1))
        different = {
            (old, new)
            for old, new in {(int(a), int(b)) for a, b in zip(was.tolist(), now.tolist(), strict=True) if a or b}
            if keys_were.get(old) != listing.get(new)
        }
        rekeyed = np.array([(old, new) in different for old, new in zip(was.tolist(), now.tolist(), strict=True)], bool)
        if self.before.version == 5:
            leaves.refuse("made a door, which this old section doesn't store", rekeyed)
        for at in np.flatnonzero(rekeyed).tolist():
            node, keys = int(numbers[at]), listing.get(int(now[at]))
            self.nodes["switchable"][node] = keys is not None
            self.nodes["key_count"][node] = len(keys or ())
            self.keys[node] = keys or ()
        turned = closed != before
        self.nodes["blocked"][numbers[turned]] = closed[turned]
        for count, what in ((rekeyed, "doors with other keys"), (turned, "doors opened or closed")):
            if count.any():
                self.notes.append(f"{np.count_nonzero(count)} {what}")

    # -------------------------------------------------------------------------------------------------- action points

    def collect_points(self, objects: Iterable[bpy.types.Object], lowest_only: bool = False) -> list[str]:
        """Take the action points among a section's objects. lowest_only: those of other layers are left out; returns
        their names.
        """
        points: list[Instance] = []
        above: list[str] = []
        for obj in sorted(objects, key=lambda one: one.name):
            mark = identity.stamped(obj)
            if obj.type == "EMPTY" and (mark is None or mark.kind == layout.ACTION_POINT):
                if lowest_only and obj.get(layout.POINT_LAYER, 0) != 0:
                    above.append(obj.name)
                    continue
                record = record_of(obj, self.token) - self.section.first_point
                points.append(Instance(obj, record if 0 <= record < len(self.before.positions) else -1))
        mark_copies(points, lambda one: transforms.unchanged(one.object))
        known = {one.record: one.object for one in points if one.is_record}
        new = [one.object for one in points if not one.is_record]
        rows = [self._point(obj, self.before.positions[record]) for record, obj in sorted(known.items())]
        rows += [self._point(obj, None) for obj in new]
        made = np.array(rows, POSITION)
        if made.tobytes() != self.before.positions.tobytes():
            gone = len(self.before.positions) - len(known)
            moved = sum(
                row.tobytes() != self.before.positions[record].tobytes()
                for row, record in zip(made[: len(known)], sorted(known), strict=True)
            )
            counts = ((moved, "changed"), (len(new), "new"), (gone, "gone"))
            self.notes.append(f"action points {listed([f'{count} {what}' for count, what in counts if count])}")
            self.positions = made
        return above

    def _point(self, obj: bpy.types.Object, was: np.void | None) -> Records | np.void:
        """The record of an action point: that of the file but for what was edited."""
        row = np.zeros((), POSITION) if was is None else was.copy()
        if was is None or not transforms.unchanged(obj) or transforms.needs_evaluation(obj):
            matrix = transforms.seen(obj, self.root, self.depsgraph)
            shown = (None, None) if was is None else finite_points(np.array([was], POSITION))[0]
            for axis, name in enumerate(("x", "y")):
                value = np.float32(matrix[axis, 3])
                if not np.isfinite(value):
                    raise SceneError(f"{obj.name}: its place is NaN or infinite", [obj])
                if shown[axis] is None or shown[axis] != value:
                    row[name] = value
            if was is not None and transforms.LOCATION in transforms.changed_channels(obj) and row == was:
                self.report.warn(
                    f"{obj.name}: moved up or down, which isn't written: an action point lies on the ground"
                )
        layer = obj.get(layout.POINT_LAYER, 0)
        if not isinstance(layer, int) or layer not in INT32:
            what = f"{reprlib.repr(layer)} isn't the number of a layer"
            raise SceneError(f"{obj.name}: property {layout.POINT_LAYER}: {what}", [obj])
        if (was is None or layer != was["layer"]) and not 0 <= layer < self.before.layer_count:
            which = f"section {self.section.name} has {self.before.layer_count} from 0 on"
            raise SceneError(f"{obj.name}: property {layout.POINT_LAYER}: there is no layer {layer}, {which}", [obj])
        row["layer"] = layer
        return row


def _highest(nodes: Records) -> int:
    return int(nodes["region"].max(initial=0))


def _moved(data: MeshData, faces: Indices, expected: Singles) -> Bools:
    """Which leaves aren't the squares that they were, seen from above."""
    if not len(faces):
        return np.zeros(0, np.bool_)
    at = data.positions[data.corner_verts][:, :2]
    low = np.minimum.reduceat(at, data.face_starts)[faces]
    high = np.maximum.reduceat(at, data.face_starts)[faces]
    moved: Bools = ((low != expected.min(axis=1)) | (high != expected.max(axis=1))).any(axis=1)
    moved |= data.face_sizes[faces] != 4
    return moved


def door_keys(obj: bpy.types.Object, number: int) -> tuple[int, ...]:
    """The keys of an object's list of this number, from the UIDs that its property has."""
    name = f"{layout.DOOR}_{number}"
    text = obj.get(name)
    if not isinstance(text, str | int) or not re.fullmatch(r"[0-9\s,]*", str(text)):
        raise SceneError(f"{obj.name}: property {name} must have the UIDs of the things that are door {number}", [obj])
    return tuple(_checked(obj, name, (int(part) for part in re.findall(r"[0-9]+", str(text)))))


def _checked(obj: bpy.types.Object, name: str, uids: Iterable[int]) -> Iterable[int]:
    for uid in uids:
        if uid >> 64:
            raise SceneError(f"{obj.name}: property {name}: {uid} isn't a UID: they have 64 bits", [obj])
        yield (uid - UID_BASE) % (1 << 64)
