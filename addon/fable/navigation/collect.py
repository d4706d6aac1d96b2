# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections of navigation back from their collections: renamed, added and deleted ones, and what was edited in them.

What is in a section is `section_edit`'s. A collection that was added is a section, too: a copy of the one whose objects
are in it, or made of the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy

from ....formats import fable
from ....formats.fable.blank import DEFAULT_SECTION
from ....formats.fable.sections import NumberedSection, numbered_sections
from ...scene import evaluated, identity, meshes, transforms
from ...scene.identity import kind_of
from ...scene.level import root_of
from ...scene.reports import Report, SceneError, listed
from .. import layout
from .ground import navigation_of_ground
from .section_edit import SectionEdit


@dataclass(eq=False)
class _SectionHome:
    """A collection in *Navigation*, and which section it is."""

    collection: bpy.types.Collection
    name: str
    """Of the section, as it will be written."""
    number: int
    """The section of the file that it is, or is a copy of; -1 for one that is made of the ground."""
    copied: bool
    """Whether it is no section of the file."""
    layers: dict[int, bpy.types.Object] = field(default_factory=dict)
    """The objects of its leaves, by their layers."""


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
    objects = [obj for obj in home.all_objects if obj.type == "MESH" and kind_of(obj) == layout.LEAVES]
    points = [obj for obj in home.all_objects if obj.type == "EMPTY"]
    driven = [obj for obj in objects if meshes.needs_evaluation(obj)]
    driven += [obj for obj in points if transforms.needs_evaluation(obj)]
    root = root_of(collection)
    if not driven:
        _Sections(level, token, report, root, None).collect(home)
        return
    with evaluated.shown(context, [*driven, *filter(None, [root])]) as depsgraph:
        _Sections(level, token, report, root, depsgraph).collect(home)


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

    def collect(self, home: bpy.types.Collection) -> None:
        """Give the level its sections: those of the file in its order, then new ones."""
        homes = self._homes(home)
        loose = self._sort_leaves(home, homes)
        _refuse_twice(homes, [section.name for section in self.numbered])
        self._tell_loose_points(home, homes)
        own = {one.number: one for one in homes if not one.copied}
        made = []
        for section in self.numbered:
            if section.number in own:
                made.append(self._edited(own[section.number], section))
            elif loose.get(section.number):
                what = f"section {section.name} has no collection of its own: it stays, and so do its action points"
                self.report.warn(f"navigation: {what}")
                there = _SectionHome(home, section.name, section.number, False, loose[section.number])
                made.append(self._edited(there, section, points=False))
            else:
                self.report.note(f"navigation: section {section.name} is gone")
        made += [self._new(one) for one in homes if one.copied]
        self.level.sections = made

    def _homes(self, home: bpy.types.Collection) -> list[_SectionHome]:
        """Which section each collection is: of several of one section all but the first are copies of it."""
        homes: list[_SectionHome] = []
        there: set[int] = set()
        for child, record in layout.section_collections(home, layout.SECTION, self.token).items():
            record = record if record < len(self.numbered) else -1
            name = layout.section_name(child, self.numbered[record].name if record >= 0 else None)
            homes.append(_SectionHome(child, name, record, copied=record < 0 or record in there))
            there.add(record)
        return homes

    def _sort_leaves(
        self, home: bpy.types.Collection, homes: list[_SectionHome]
    ) -> dict[int, dict[int, bpy.types.Object]]:
        """Find the objects of each section's leaves, and return by section those that are in no section's collection.

        An object in the collection of another section of the file is still its own section's.
        """
        own = {one.number: one for one in homes if not one.copied}
        loose: dict[int, dict[int, bpy.types.Object]] = {}
        sorted_in: set[bpy.types.Object] = set()
        for one in homes:
            for obj in one.collection.all_objects:
                number, layer = self._leaves_of(obj)
                if number < 0:
                    continue
                sorted_in.add(obj)
                if one.copied:
                    _refuse_mixture(one, number, obj)
                    one.number = number
                    _put(one.layers, layer, obj)
                elif number == one.number:
                    _put(one.layers, layer, obj)
                else:
                    where = f"the collection of section {one.name}"
                    self.report.warn(f"{obj.name} is in {where}, but is navigation of {self.numbered[number].name}")
                    _put(own[number].layers if number in own else loose.setdefault(number, {}), layer, obj)
        for obj in home.all_objects:
            number, layer = self._leaves_of(obj)
            if number >= 0 and obj not in sorted_in:
                _put(own[number].layers if number in own else loose.setdefault(number, {}), layer, obj)
        return loose

    def _leaves_of(self, obj: bpy.types.Object) -> tuple[int, int]:
        """The section and the layer whose leaves an object is; -1 for none. What comes from elsewhere is told."""
        mark = identity.stamped(obj)
        if mark is None or mark.kind != layout.LEAVES:
            return -1, -1
        number, layer = layout.section_and_layer(mark.record)
        if mark.token != self.token or number >= len(self.numbered):
            self.report.warn(f"{obj.name} is no navigation of this level: it is left out")
            return -1, -1
        return number, layer

    def _tell_loose_points(self, home: bpy.types.Collection, homes: list[_SectionHome]) -> None:
        """Name the empties that are in no section's collection."""
        inside = {obj for one in homes for obj in one.collection.all_objects}
        for obj in home.all_objects:
            if obj.type == "EMPTY" and obj not in inside:
                self.report.left_out(f"{obj.name}, which is in no section of navigation")

    def _edited(self, home: _SectionHome, section: NumberedSection, points: bool = True) -> fable.Section:
        """A section of the file, as its objects now say."""
        made = self.before[section.number]
        if home.name != section.name:
            self.report.note(f"navigation: section {section.name} is called {home.name} now")
            made.name = home.name
        notes = self._collect(home, section, made, points)
        if notes:
            self.report.note(f"navigation of section {made.name}: {', '.join(notes)}")
        return made

    def _new(self, home: _SectionHome) -> fable.Section:
        """A section that the file doesn't have: a copy of one that it has, or made of the ground."""
        if home.number >= 0:
            section = self.numbered[home.number]
            made, what = self.before[home.number].copy(home.name), f"a copy of {section.name}"
        else:
            ground = navigation_of_ground(self.level)
            section = NumberedSection(-1, home.name, ground, 0, 0)
            made, what = fable.Section.new(home.name, ground), "made of the ground"
        notes = self._collect(home, section, made, points=True)
        self.report.note(f"navigation: section {home.name} is new, {', '.join([what, *notes])}")
        return made

    def _collect(self, home: _SectionHome, section: NumberedSection, made: fable.Section, points: bool) -> list[str]:
        """Give a section what was edited of its leaves and action points, and return what that was."""
        if section.navigation is None:
            return []
        edit = SectionEdit(section, section.navigation, self.token, self.root, self.depsgraph)
        for layer in section.layers() if section.number >= 0 else ():
            if layer in home.layers:
                edit.collect_layer(home.layers[layer], layer)
            else:
                as_was = "its navigation stays as it is"
                self.report.warn(f"section {home.name} has no object of layer {layer}: {as_was}")
        if points and (section.number < 0 or home.collection.get(layout.POINTS) is not None):
            edit.collect_points(home.collection)
        if edit.notes:
            made.navigation = edit.made()
        return edit.notes


def make_navigation(collection: bpy.types.Collection, level: fable.Level, report: Report) -> None:
    """Give a level that takes nothing from a file navigation of its ground: the sections that its collections name.

    Action points are the scene's. Without a collection of navigation there is one section. Raises SceneError.
    """
    home = home_of(collection)
    ground = navigation_of_ground(level)
    if home is None:
        level.sections = [fable.Section.new(DEFAULT_SECTION, ground)]
        report.note("navigation: one section, made of the ground")
        return
    children = layout.section_collections(home, layout.SECTION, None)
    homes = [_SectionHome(child, layout.section_name(child, None), -1, copied=True) for child in children]
    _refuse_twice(homes, [])
    root = root_of(collection)
    made = []
    for one in homes:
        section = fable.Section.new(one.name, ground)
        edit = SectionEdit(NumberedSection(-1, one.name, ground, 0, 0), ground, None, root, None)
        above = edit.collect_points(one.collection, lowest_only=True)
        if above:
            what = f"action points of section {one.name}, which are above the ground: {listed(above)}"
            report.left_out(what, len(above))
        section.navigation = edit.made()
        made.append(section)
    level.sections = made
    report.note(f"navigation: {len(made)} sections, made of the ground")


def _refuse_twice(homes: list[_SectionHome], before: list[str]) -> None:
    """Raise SceneError for a name that a collection gives its section and another has, too. before: as they were."""
    by_name: dict[str, list[_SectionHome]] = {}
    for one in homes:
        by_name.setdefault(one.name, []).append(one)
    for name, alike in by_name.items():
        brought = [one for one in alike if one.copied or before[one.number] != name]
        if len(alike) > 1 and brought:
            collections = listed([repr(one.collection.name) for one in alike])
            objects = [obj for one in alike for obj in one.collection.all_objects]
            message = f"{len(alike)} sections of navigation are called {name}: rename one of {collections}"
            raise SceneError(message, objects)


def _put(layers: dict[int, bpy.types.Object], layer: int, obj: bpy.types.Object) -> None:
    """Take the object of a layer. Raises SceneError where there is another one."""
    if layer in layers:
        both = [layers[layer], obj]
        raise SceneError(f"{obj.name} and {both[0].name} are the same layer of navigation: delete one", both)
    layers[layer] = obj


def _refuse_mixture(home: _SectionHome, number: int, obj: bpy.types.Object) -> None:
    """Raise SceneError for leaves of another section than those that a new section has already."""
    if home.layers and home.number != number:
        both = [next(iter(home.layers.values())), obj]
        names = listed([one.name for one in both])
        raise SceneError(f"the new section {home.name} has leaves of several sections: {names}", both)
