# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections of navigation back from their collections: renamed, added and deleted ones, and what was edited in them.

What is in a section is `collect_section`'s. A collection that was added is a section, too: a copy of the one whose
objects are in it, or made of the ground.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy

from ....formats import fable
from ....formats.counting import number_of
from ....formats.fable.sections import NumberedSection, numbered_sections
from ...scene.geometry import evaluated, meshes, transforms
from ...scene.kept import identity
from ...scene.kept.identity import kind_of
from ...scene.level import root_of
from ...scene.reports import Report, SceneError, listed
from .. import layout
from .collect_section import SectionEdit
from .ground import navigation_of_ground


@dataclass(eq=False)
class SectionHome:
    """What of the scene is one section."""

    collection: bpy.types.Collection | None
    """Its collection in *Navigation*; None where that is gone, but not all that was in it."""
    name: str
    """Of the section, as it will be written."""
    number: int
    """The section of the file that it is, or is a copy of; -1 for one that is made of the ground."""
    copied: bool
    """Whether it is no section of the file."""
    layers: dict[int, bpy.types.Object] = field(default_factory=dict)
    """The objects of its leaves, by their layers."""
    points: list[bpy.types.Object] = field(default_factory=list)
    """Its action points."""

    def put(self, layer: int, obj: bpy.types.Object) -> None:
        """Take the object of a layer. Raises SceneError where there is another one."""
        if layer in self.layers:
            both = [self.layers[layer], obj]
            raise SceneError(f"{obj.name} and {both[0].name} are the same layer of navigation: delete one", both)
        self.layers[layer] = obj


def collect_navigation(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: fable.Level,
    token: int | None,
    report: Report,
    shown: bool = False,
) -> None:
    """Give a level the sections that its scene has, with what was edited in them; others stay, bit for bit.

    token: the level's; None where nothing is known of an original: nothing is done then. shown: whether the import made
    objects of navigation. Raises SceneError.
    """
    if token is None or level.sections is None:
        return
    home = home_of(collection)
    if home is None:
        if shown and level.sections:
            report.warn("the collection Navigation is gone: the level's sections of navigation stay as they are")
        return
    with evaluation(context, collection, home) as depsgraph:
        _Sections(level, token, report, root_of(collection), depsgraph).collect(collection, home)


@contextmanager
def evaluation(
    context: bpy.types.Context, collection: bpy.types.Collection, home: bpy.types.Collection
) -> Iterator[bpy.types.Depsgraph | None]:
    """A depsgraph with the objects of navigation on which modifiers or constraints act; None where there are none."""
    objects = [obj for obj in collection.all_objects if kind_of(obj) in (layout.LEAVES, layout.ACTION_POINT)]
    objects += [obj for obj in home.all_objects if obj.type == "EMPTY"]
    driven = [obj for obj in objects if obj.type == "MESH" and meshes.needs_evaluation(obj)]
    driven += [obj for obj in objects if obj.type == "EMPTY" and transforms.needs_evaluation(obj)]
    if not driven:
        yield None
        return
    with evaluated.shown(context, [*driven, *filter(None, [root_of(collection)])]) as depsgraph:
        yield depsgraph


def home_of(collection: bpy.types.Collection) -> bpy.types.Collection | None:
    """The collection of a level's navigation; None where there is none."""
    return next((one for one in collection.children_recursive if kind_of(one) == layout.NAVIGATION), None)


class _Sections:
    """The sections of one level, while they are collected."""

    def __init__(
        self,
        level: fable.Level,
        token: int,
        report: Report,
        root: bpy.types.Object | None,
        depsgraph: bpy.types.Depsgraph | None,
    ) -> None:
        self.level, self.token, self.report, self.root, self.depsgraph = level, token, report, root, depsgraph
        self.before = list(level.sections or ())
        self.numbered = list(numbered_sections(level))

    def collect(self, collection: bpy.types.Collection, home: bpy.types.Collection) -> None:
        """Give the level its sections: those of the file in its order, then new ones."""
        homes = self._homes(home)
        refuse_twice(homes, [section.name for section in self.numbered])
        own = {one.number: one for one in homes if not one.copied}
        for section in self.numbered:
            own.setdefault(section.number, SectionHome(None, section.name, section.number, copied=False))
        self._sort(collection, home, homes, own)
        made = []
        for section in self.numbered:
            one = own[section.number]
            if one.collection is None and not one.layers and not one.points:
                self.report.note(f"navigation: section {section.name} is gone")
                continue
            if one.collection is None:
                self.report.warn(f"navigation: section {section.name} has no collection of its own: it stays")
            made.append(self._edited(one, section))
        made += [self._new(one) for one in homes if one.copied]
        self.level.sections = made

    def _homes(self, home: bpy.types.Collection) -> list[SectionHome]:
        """Which section each collection is: of several of one section all but the first are copies of it."""
        homes: list[SectionHome] = []
        there: set[int] = set()
        for child, record in layout.section_collections(home, layout.SECTION, self.token).items():
            record = record if record < len(self.numbered) else -1
            name = layout.section_name(child, self.numbered[record].name if record >= 0 else None)
            homes.append(SectionHome(child, name, record, copied=record < 0 or record in there))
            there.add(record)
        return homes

    # ---------------------------------------------------------------------------------------------- what is of which

    def _sort(
        self,
        collection: bpy.types.Collection,
        home: bpy.types.Collection,
        homes: list[SectionHome],
        own: dict[int, SectionHome],
    ) -> None:
        """Find the objects of each section, wherever in the level they are. own: sections of the file, by number."""
        inside: dict[bpy.types.Object, list[SectionHome]] = {}
        for one in homes:
            for obj in one.collection.all_objects if one.collection is not None else ():
                inside.setdefault(obj, []).append(one)
        loose = set(home.all_objects)
        for obj in collection.all_objects:
            mark = identity.stamped(obj)
            around = inside.get(obj, [])
            if mark is not None and mark.kind == layout.LEAVES:
                self._sort_leaves(obj, mark, around, own)
            elif obj.type != "EMPTY" or (mark is not None and mark.kind != layout.ACTION_POINT):
                continue
            elif around:
                for one in around:
                    one.points.append(obj)
            elif mark is not None and (number := self._section_of_point(mark)) >= 0:
                own[number].points.append(obj)
            elif mark is not None or obj in loose:
                self.report.left_out(f"{obj.name}, which is in no section of navigation")

    def _sort_leaves(
        self,
        obj: bpy.types.Object,
        mark: identity.Stamp,
        around: list[SectionHome],
        own: dict[int, SectionHome],
    ) -> None:
        """Give an object of leaves to the sections whose it is: in the collection of a new one it is of that; in that
        of another one of the file, or in none, it is of its own.
        """
        number, layer = layout.section_and_layer(mark.record)
        if mark.token != self.token or number not in own:
            self.report.warn(f"{obj.name} is no navigation of this level: it is left out")
            return
        copies = [one for one in around if one.copied]
        for one in copies:
            if one.layers and one.number != number:
                both = [next(iter(one.layers.values())), obj]
                names = listed([each.name for each in both])
                raise SceneError(f"the new section {one.name} has leaves of several sections: {names}", both)
            one.number = number
            one.put(layer, obj)
        if len(copies) == len(around) > 0:
            return
        own[number].put(layer, obj)
        if around and own[number] not in around:
            where, what = around[0].name, self.numbered[number].name
            self.report.warn(f"{obj.name} is in the collection of section {where}, but is navigation of {what}")

    def _section_of_point(self, mark: identity.Stamp) -> int:
        """The section of the file that an action point is of; -1 for none."""
        for section in self.numbered if mark.token == self.token else ():
            navigation = section.navigation
            if navigation is not None and 0 <= mark.record - section.first_point < len(navigation.positions):
                return section.number
        return -1

    # ------------------------------------------------------------------------------------------------- what is written

    def _edited(self, home: SectionHome, section: NumberedSection) -> fable.Section:
        """A section of the file, as its objects now say."""
        made = self.before[section.number]
        if home.name != section.name:
            self.report.note(f"navigation: section {section.name} is called {home.name} now")
            made.name = home.name
        notes = self._collect(home, section, made)
        if notes:
            self.report.note(f"navigation of section {made.name}: {', '.join(notes)}")
        return made

    def _new(self, home: SectionHome) -> fable.Section:
        """A section that the file doesn't have: a copy of one that it has, or made of the ground."""
        if home.number >= 0:
            section = self.numbered[home.number]
            made, what = self.before[home.number].copy(home.name), f"a copy of {section.name}"
        else:
            ground = navigation_of_ground(self.level)
            section = NumberedSection(-1, home.name, ground, 0, 0)
            made, what = fable.Section.new(home.name, ground), "made of the ground"
        notes = self._collect(home, section, made)
        self.report.note(f"navigation: section {home.name} is new, {', '.join([what, *notes])}")
        return made

    def _collect(self, home: SectionHome, section: NumberedSection, made: fable.Section) -> list[str]:
        """Give a section what was edited of its leaves and action points, and return what that was."""
        if section.navigation is None:
            return []
        edit = SectionEdit(section, section.navigation, self.token, self.root, self.depsgraph, self.report)
        for layer in section.layers() if section.number >= 0 else ():
            if layer in home.layers:
                edit.collect_layer(home.layers[layer], layer)
            else:
                name = layout.layer_name(section.name, layer)
                self.report.warn(
                    f"{name}: the object is gone, and navigation of section {home.name} stays as it is there"
                )
        if home.collection is None:
            shown = bool(home.points)
        else:
            shown = section.number < 0 or home.collection.get(layout.POINTS) is not None
        if shown:
            edit.collect_points(home.points)
        elif home.points:
            names = listed([obj.name for obj in home.points])
            self.report.left_out(f"new action points of section {home.name}, which has too many to be shown: {names}")
        if edit.notes:
            made.navigation = edit.made()
        return edit.notes


def refuse_twice(homes: Sequence[SectionHome], before: Sequence[str]) -> None:
    """Raise SceneError for a name that a collection gives its section and another has, too. before: as they were."""
    by_name: dict[str, list[SectionHome]] = {}
    for one in homes:
        by_name.setdefault(one.name, []).append(one)
    for name, alike in by_name.items():
        brought = [one for one in alike if one.copied or before[one.number] != name]
        if len(alike) > 1 and brought:
            there = [one.collection for one in alike if one.collection is not None]
            collections = listed([repr(one.name) for one in there])
            objects = [obj for one in there for obj in one.all_objects]
            message = (
                f"{number_of(len(alike), 'sections')} of navigation are called {name}: rename one of {collections}"
            )
            raise SceneError(message, objects)
