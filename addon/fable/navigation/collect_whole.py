# SPDX-License-Identifier: GPL-3.0-or-later
"""Navigation of a level that takes nothing from a file: of the leaves that its scene has, or of its ground.

What no mesh shows of imported leaves is on the collections of their sections: layers without leaves, and links between
layers. A level that was made in Blender has the navigation of its ground.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ....formats import fable
from ....formats.arrays import Int32s, Ints, Records
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.fable.blank import DEFAULT_SECTION
from ....formats.fable.leaves import BLOCKED
from ....formats.fable.quadtree import DEEPEST
from ....formats.fable.records import NODE, ROOT_EDGE
from ....formats.fable.sections import NumberedSection
from ...scene.geometry import meshes, transforms
from ...scene.kept import identity, originals
from ...scene.kept.identity import kind_of
from ...scene.level import root_of
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..cells import MeshCells
from .collect import SectionHome, evaluation, home_of, refuse_twice
from .collect_section import SectionEdit, door_keys
from .ground import LOWEST, follow_ground, navigation_of_ground

REBUILD = "the option Navigation: Rebuild makes it of the ground"
_ORDINARY = 128
"""Preference of a leaf that lost the attribute: that of ground."""
Ids = Int32s


def make_navigation(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: fable.Level,
    how: str,
    things: bytes | None,
    report: Report,
) -> None:
    """Give a level that takes nothing from a file the sections that its collections name.

    Imported leaves are built as the scene has them, layers, regions, costs, doors and links included; how: the setting
    `ground_navigation`, of which "rebuild" makes the lowest layer anew. things: the bytes of the level's `.tng`. What
    was never imported is made of the ground. Raises SceneError, naming objects, for leaves that no section can have,
    and for sections that aren't in the scene.
    """
    info = originals.describe(collection)
    imported = info is not None and bool(info.sha256)
    home = home_of(collection)
    if home is None:
        shown = info is None or bool(info.options.get("navigation", True))
        if imported and not shown and how != "rebuild":
            raise SceneError(f"{collection.name} was opened without its navigation: open it with that, or {REBUILD}")
        level.sections = [fable.Section.new(DEFAULT_SECTION, navigation_of_ground(level))]
        say = report.warn if imported else report.note
        say("navigation: one section, made of the ground")
        return
    children = layout.section_collections(home, layout.SECTION, None)
    homes = {child: SectionHome(child, layout.section_name(child, None), -1, copied=True) for child in children}
    refuse_twice(list(homes.values()), [])
    whole = _Whole(level, how, root_of(collection), report)
    with evaluation(context, collection, home) as whole.depsgraph:
        level.sections = [whole.section(child, one.name, imported) for child, one in homes.items()]
    _tell_loose(collection, homes.keys(), report)
    if imported and how == "rebuild":
        follow_ground(level, level.cells, how, things, report)
    elif imported and how == "patch":
        report.warn("navigation is as the scene has it: to patch it, the imported file has to say what the ground was")
    report.note(f"navigation: {number_of(len(level.sections), 'sections')}")


def _tell_loose(collection: bpy.types.Collection, homes: Iterable[bpy.types.Collection], report: Report) -> None:
    """Name leaves that are in no section's collection."""
    inside = {obj for child in homes for obj in child.all_objects}
    loose = [obj.name for obj in collection.all_objects if kind_of(obj) == layout.LEAVES and obj not in inside]
    if loose:
        report.left_out(f"layers in no section of navigation: {listed(loose)}", len(loose))


class _Whole:
    """The sections of one level that is built whole."""

    def __init__(self, level: fable.Level, how: str, root: bpy.types.Object | None, report: Report) -> None:
        self.level, self.how, self.root, self.report = level, how, root, report
        self.depsgraph: bpy.types.Depsgraph | None = None

    def section(self, child: bpy.types.Collection, name: str, imported: bool) -> fable.Section:
        """The section that a collection is. imported: whether its level was."""
        shown = sorted((obj for obj in child.all_objects if kind_of(obj) == layout.LEAVES), key=_layer)
        known = child.get(layout.LAYERS)
        counts: list[int] = [] if known is None else list(known)
        unread = kind_of(child) == layout.SECTION and known is None and child.get(layout.POINTS) is None
        if imported and not shown and unread and self.how != "rebuild":
            raise SceneError(f"section {name} of navigation can't be read, so it isn't in the scene; {REBUILD}")
        if imported and (shown or counts):
            return self._of_leaves(child, name, shown, counts)
        return self._of_ground(child, name, shown)

    # ------------------------------------------------------------------------------------------------- of the ground

    def _of_ground(self, child: bpy.types.Collection, name: str, shown: list[bpy.types.Object]) -> fable.Section:
        """Made of the ground; regions, costs and doors as far as objects show the leaves that it has."""
        ground = navigation_of_ground(self.level)
        edit = self._edit(name, ground, shown)
        for obj in shown:
            if len(shown) == 1 and edit.shows(obj, LOWEST):
                edit.collect_layer(obj, LOWEST)
            else:
                self.report.warn(
                    f"{obj.name}: the ground has other leaves: its regions, costs and doors aren't written"
                )
        above = edit.collect_points(child.all_objects, lowest_only=True)
        if above:
            what = f"action points of section {name}, which are above the ground: {listed(above)}"
            self.report.left_out(what, len(above))
        return fable.Section.new(name, edit.made())

    def _edit(self, name: str, navigation: fable.Navigation, shown: list[bpy.types.Object]) -> SectionEdit:
        token = next((mark.token for mark in map(identity.stamped, shown) if mark is not None), None)
        section = NumberedSection(-1, name, navigation, 0, len(navigation.positions))
        return SectionEdit(section, navigation, token, self.root, self.depsgraph, self.report)

    # ----------------------------------------------------------------------------------------------------- of leaves

    def _of_leaves(
        self, child: bpy.types.Collection, name: str, shown: list[bpy.types.Object], counts: list[int]
    ) -> fable.Section:
        """Built of the leaves that objects show. counts: how many each layer had, [] where that isn't known."""
        layers = [_layer(obj) for obj in shown]
        twice = [obj for obj in shown if layers.count(_layer(obj)) > 1]
        if twice:
            raise SceneError(f"{listed([obj.name for obj in twice])} are the same layer of section {name}", twice)
        gone = [layer for layer, count in enumerate(counts) if count and layer not in layers]
        if gone and (gone != [LOWEST] or self.how != "rebuild"):
            names = listed([layout.layer_name(name, layer) for layer in gone])
            raise SceneError(f"section {name} of navigation: the objects of its layers are gone: {names}", shown)
        parts = [self._leaves(obj) for obj in shown]
        leaves = np.concatenate([np.zeros(0, NODE), *(part for part, _, _ in parts)])
        ids = np.concatenate([np.zeros(0, np.int32), *(part for _, part, _ in parts)])
        keys = [key for _, _, part in parts for key in part]
        count = max([len(counts), 1, *(layer + 1 for layer in layers)])
        try:
            made = fable.navigation_of_leaves(
                (self.level.height, self.level.width),
                count,
                leaves,
                np.array(keys, np.uint64),
                self._crossing(child, name, ids, count),
            )
        except FormatError as error:
            raise SceneError(f"the leaves of section {name} are no navigation: {error}", shown) from error
        edit = self._edit(name, made, shown)
        edit.collect_points(child.all_objects)
        self._compare(name, made)
        return fable.Section.new(name, edit.made())

    def _leaves(self, obj: bpy.types.Object) -> tuple[Records, Ids, list[int]]:
        """The leaves that an object shows, NODE [n]; the record_id of each; and the keys of its doors."""
        if transforms.changed_channels(obj) - ({transforms.PARENT} if obj.parent is None else set()):
            raise SceneError(f"{obj.name} was moved, turned or scaled: leaves stay where they are", [obj])
        mark = identity.stamped(obj)
        data = meshes.read(obj, self.depsgraph, (*layout.LEAF_FIELDS, layout.DOOR, layout.CLOSED))
        count = len(data.face_starts)
        ids = data.ids("FACE", mark.token if mark is not None else 0)
        faces = MeshCells(obj, "FACE", data, ids, np.arange(count), self.report)
        leaves = _squares(faces, _layer(obj))
        for field, highest in layout.LEAF_FIELDS.items():
            values = faces.whole(field)
            if values is not None:
                faces.refuse(f"attribute {field} isn't within 0 and {highest}", (values < 0) | (values > highest))
                leaves[field] = values
            elif field == "preference":
                leaves[field] = _ORDINARY
        door, closed = faces.whole(layout.DOOR), faces.whole(layout.CLOSED)
        door = np.zeros(count, np.int64) if door is None else door
        leaves["blocked"] = False if closed is None else closed != 0
        faces.refuse("closed, but not a door", (leaves["blocked"] != 0) & (door == 0))
        lists = {number: door_keys(obj, number) for number in np.unique(door[door != 0]).tolist()}
        keys = [key for number in door[door != 0].tolist() for key in lists[number]]
        leaves["switchable"] = door != 0
        leaves["key_count"] = [len(lists.get(number, ())) for number in door.tolist()]
        return leaves, ids, keys

    def _crossing(self, child: bpy.types.Collection, name: str, ids: Ids, layer_count: int) -> Ints:
        """The links between layers, as numbers of leaves, [n, 2]. ids: record_id of each leaf."""
        kept = child.get(layout.LINKS)
        if kept is None:
            if layer_count > 1 and child.get(layout.LAYERS) is None:
                self.report.warn(f"section {name} of navigation: links between its layers aren't in the scene")
            return np.zeros((0, 2), np.int64)
        pairs = np.array(list(kept), np.int64)
        pairs = pairs[: len(pairs) // 2 * 2].reshape(-1, 2)
        order = np.argsort(ids, kind="stable")
        at = np.minimum(np.searchsorted(ids[order], pairs), len(ids) - 1) if len(ids) else np.zeros_like(pairs)
        found = order[at] if len(ids) else at
        there = (ids[found] == pairs).all(axis=1) if len(ids) else np.zeros(len(pairs), np.bool_)
        lost = int(np.count_nonzero(~there))
        if lost:
            self.report.warn(
                f"section {name} of navigation loses {number_of(lost, 'links')} between layers with their leaves"
            )
        kept_pairs: Ints = found[there].astype(np.int64)
        return kept_pairs

    def _compare(self, name: str, made: fable.Navigation) -> None:
        """Tell where the lowest layer leads over ground that is blocked."""
        if self.how == "rebuild":
            return
        blocked = fable.weights(self.level.cells) == BLOCKED
        fine = fable.raster(made, LOWEST).reshape(self.level.height, 4, self.level.width, 4)
        wrong = int(np.count_nonzero((fine != BLOCKED).any(axis=(1, 3)) & blocked))
        if wrong:
            what = f"{number_of(wrong, 'squares')} can be walked on where the ground is blocked"
            self.report.warn(f"navigation of section {name} is as the scene has it: {what}; {REBUILD}")


def _layer(obj: bpy.types.Object) -> int:
    """The layer of navigation that an object shows."""
    mark = identity.stamped(obj)
    return 0 if mark is None else layout.section_and_layer(mark.record)[1]


def _squares(faces: MeshCells, layer: int) -> Records:
    """Leaves, NODE [faces], where faces are seen from above. Raises SceneError for those that are no squares."""
    data = faces.data
    leaves = np.zeros(len(data.face_starts), NODE)
    if not len(leaves):
        return leaves
    at = data.positions[data.corner_verts][:, :2].astype(np.float64)
    low, high = (extreme.reduceat(at, data.face_starts) for extreme in (np.minimum, np.maximum))
    edge = (high - low).max(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        level = np.rint(np.log2(ROOT_EDGE / edge))
    level = np.where(np.isfinite(level), np.clip(level, 0, DEEPEST), 0)
    square = (high - low == (ROOT_EDGE * 0.5**level)[:, None]).all(axis=1) & (data.face_sizes == 4)
    faces.refuse(f"not a square of {ROOT_EDGE} units, or of a half, a quarter, ... of that", ~square)
    leaves["level"], leaves["layer"] = level, layer
    leaves["x"], leaves["y"] = ((low + high) / 2).T
    return leaves
