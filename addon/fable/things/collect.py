# SPDX-License-Identifier: GPL-3.0-or-later
"""The `.tng` of a level back from its objects: what was edited is written, all other text stays as it is.

`layout` tells what becomes what; `values` how a property becomes text, `placements` how a place does.
"""

from __future__ import annotations

import copy
import re
import reprlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose

import bpy

from ....formats import fable
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.fable import UID_BASE, tng
from ....formats.fable.sections import numbered_sections
from ....formats.fable.text import Document, Statement, StatementBlock, line_end
from ...scene.fields.properties import as_python
from ...scene.geometry import evaluated, transforms
from ...scene.kept import identity
from ...scene.kept.identity import kind_of, record_of
from ...scene.kept.instances import Instance, mark_copies
from ...scene.level import root_of
from ...scene.reports import Report, SceneError, listed
from ...scene.work.progress import Steps, progress
from .. import layout
from ..worlds.maps import MapMove
from . import values
from .build import DISPLAY, OTHERS, name_of
from .placements import collect_placement, move_with_map

KEY_BITS = 41
"""A UID is UID_BASE and a number of so many bits."""
_MAX_UID = 2**64 - 1
_VERSION = "2"


@dataclass(slots=True, eq=False)
class ThingInstance(Instance):
    """An object that stands for a thing."""

    foreign: bool = False
    """Whether it comes from another level."""
    block: StatementBlock | None = None
    """Of a copy, what it was copied from."""


def collect_things(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: fable.Level,
    data: bytes | None,
    token: int | None,
    report: Report,
    shown: bool = False,
    move: MapMove | None = None,
) -> Steps[bytes | None]:
    """The bytes of a level's `.tng` as its things now say; None for a level without one.

    data: those of the import, None where there is none (or nothing is to be taken from it). token: the level's, None
    likewise. shown: whether the import made objects of things. move: of its map in the world. New things get their UIDs
    from the level's counter, which is moved on. Raises SceneError naming objects.
    """
    home = next((one for one in collection.children_recursive if kind_of(one) == layout.THINGS), None)
    if home is None and data is not None and shown:
        report.warn("the collection Things is gone: the level's things stay as they are")
    if home is None or (_is_for_new_ones(home) and not home.all_objects and not home.children):
        return data
    try:
        things = tng.read(data) if data is not None else _empty()
    except FormatError:
        return data  # the import said so
    merged = yield from _Things(context, collection, home, things, level, token, report, move).merged()
    return tng.write(merged)


def _is_for_new_ones(home: bpy.types.Collection) -> bool:
    mark = identity.stamped(home)
    return mark is not None and mark.record == layout.NO_THINGS


def _is_thing(obj: bpy.types.Object) -> bool:
    """Whether an object is a thing, or a new one: an empty that says what it is."""
    mark = identity.stamped(obj)
    if mark is not None:
        return mark.kind == layout.THING
    return obj.type == "EMPTY" and obj.get("DefinitionType") is not None


def _empty() -> tng.Things:
    return tng.Things(Document([Statement("Version", _VERSION, "")], "\n"))


class _Things:
    """One export of things."""

    def __init__(
        self,
        context: bpy.types.Context,
        collection: bpy.types.Collection,
        home: bpy.types.Collection,
        things: tng.Things,
        level: fable.Level,
        token: int | None,
        report: Report,
        move: MapMove | None,
    ) -> None:
        self.context, self.collection, self.things, self.level = context, collection, things, level
        self.home, self.token, self.report = home, token, report
        self.move = move if move is not None and any(move.by) else None
        self.root = root_of(collection)
        self.sections = things.sections
        self.records = [thing for section in self.sections for thing in section.things]
        self.section_of = [n for n, section in enumerate(self.sections) for _ in section.things]
        texts = [section.block.opening.before for section in self.sections]
        self.newline = line_end("".join([*texts, things.document.tail]))
        self.uids = {thing.uid for thing in self.records} - {None}
        self.changed = self.added = 0
        self.dressed: list[str] = []
        self.depsgraph: bpy.types.Depsgraph | None = None

    def merged(self) -> Steps[tng.Things]:
        """The things as all objects now say."""
        homes = self._homes()
        instances = self._instances(homes)
        moved = [one.object for one in instances if transforms.needs_evaluation(one.object, self.root)]
        if moved:
            with evaluated.shown(self.context, [*moved, *filter(None, [self.root])]) as self.depsgraph:
                yield from self._merge(instances, homes)
        else:
            yield from self._merge(instances, homes)
        self.report.count("things", len(instances))
        if self.dressed:
            what = "names, colours and sizes of empties are Blender's alone, a thing's name is its ScriptName"
            self.report.note(f"{listed(self.dressed)}: {what}")
        for count, what in ((self.changed, "changed"), (self.added, "new")):
            if count:
                self.report.note(f"things: {count} {what}")
        return self.things

    # ------------------------------------------------------------------------------------------------------- sections

    def _merge_sections(self) -> dict[bpy.types.Collection, int]:
        """The number of the section that each collection is: new ones are added, those without a collection go."""
        homes: dict[bpy.types.Collection, int] = {}
        names = [section.name for section in self.sections]
        known, there = len(names), set[int]()
        for child, record in layout.section_collections(self.home, layout.THING_SECTION, self.token).items():
            record = record if record < known else -1
            name = layout.section_name(child, names[record] if record >= 0 else None)
            if record >= 0 and record not in there:
                homes[child] = record
                there.add(record)
                if names[record] != name:
                    self.sections[record].block.opening.value = name
                    self.report.note(f"section {names[record]} of the things is called {name} now")
            else:
                homes[child] = len(self.sections)
                self.sections.append(self._new_section(name))
        entries = self.things.document.entries
        for record, section in enumerate(self.sections[:known]):
            if record not in there:
                entries.remove(section.block)
                self.report.note(
                    f"section {section.name} of the things is gone, with {number_of(len(section.things), 'things')}"
                )
        return homes

    def _homes(self) -> dict[bpy.types.Object, int]:
        """The objects among the things and the section that each is in; things that are in none stay in theirs."""
        sections = self._merge_sections()
        found: dict[bpy.types.Object, int] = {}
        for child, section in sections.items():
            for obj in child.all_objects:
                found.setdefault(obj, section)
        loose, there = set(self.home.objects), set(sections.values())
        first = min(there, default=-1)
        for obj in self.collection.all_objects:
            if obj not in found and (kind_of(obj) == layout.THING or obj in loose):
                record = self._record_of(obj)
                own = self.section_of[record] if record >= 0 else -1
                if own not in there:
                    own = first
                if own < 0 and _is_thing(obj):
                    own = len(self.sections)
                    self.sections.append(self._new_section("NULL"))
                    sections[self.home] = first = own
                    there.add(own)
                found[obj] = own
        return found

    def _record_of(self, obj: bpy.types.Object) -> int:
        """Which thing of the file an object is, or is a copy of; -1 for none."""
        record = record_of(obj, self.token)
        return record if 0 <= record < len(self.records) else -1

    def _new_section(self, name: str) -> tng.ThingSection:
        opening = Statement(tng.SECTION, name, self.newline * 2)
        block = StatementBlock(opening, closing=Statement("XXXSectionEnd", "", self.newline * 2, ""))
        self.things.document.entries.append(block)
        return tng.ThingSection(block)

    # --------------------------------------------------------------------------------------------------------- things

    def _instances(self, objects: Mapping[bpy.types.Object, int]) -> list[ThingInstance]:
        """The objects that are things; of several of one record the first that stands where it did is it."""
        found, foreign, unknown = list[ThingInstance](), list[str](), list[str]()
        for obj in objects:
            mark = identity.stamped(obj)
            if mark is not None and mark.kind == layout.THING:
                record = self._record_of(obj)
                foreign_here = record < 0 and mark.record >= 0 and self.token is not None
                found.append(ThingInstance(obj, record, foreign=foreign_here))
                if found[-1].foreign:
                    foreign.append(obj.name)
            elif _is_thing(obj):
                found.append(ThingInstance(obj, -1))
            elif mark is None:
                unknown.append(obj.name)
        mark_copies(found, lambda one: transforms.unchanged(one.object, self.root))
        for one in found:
            if one.copied:
                one.block = copy.deepcopy(self.records[one.record].block)
        if foreign:
            self.report.warn(
                f"{number_of(len(foreign), 'things come')} from another level, taken as new: {listed(foreign)}"
            )
        for name in unknown:
            self.report.left_out(f"object {name!r} among the things (no empty with a DefinitionType)")
        return found

    def _merge(self, instances: list[ThingInstance], homes: Mapping[bpy.types.Object, int]) -> Steps[None]:
        there = {one.record for one in instances if one.is_record}
        self._remove([record for record in range(len(self.records)) if record not in there])
        named: list[tuple[bpy.types.Object, tng.Thing]] = []
        with progress(len(instances), "things") as step:
            for one in instances:
                yield step()
                home = homes[one.object]
                try:
                    if not one.is_record:
                        self._add(one, self.sections[home])
                    else:
                        thing = self.records[one.record]
                        self._tell_what_is_not_written(one.object, thing)
                        moved, uid = self._move(one.record, home), thing.uid
                        self.changed += self._merge_thing(one.object, thing) or moved
                        if thing.uid != uid:
                            named.append((one.object, thing))
                except ValueError as error:
                    raise SceneError(f"{one.object.name}: {error}", [one.object]) from error
        self._refuse_uids(named)

    def _tell_what_is_not_written(self, obj: bpy.types.Object, thing: tng.Thing) -> None:
        """Note what of an object is Blender's alone, and warn of what no thing has. thing: as the file has it."""
        size = DISPLAY.get(thing.kind, OTHERS)[1]
        plain = isclose(obj.empty_display_size, size, rel_tol=1e-6) and obj.color[:] == (1.0, 1.0, 1.0, 1.0)
        if not plain or not layout.is_called(obj.name, name_of(thing)):
            self.dressed.append(obj.name)
        if obj.instance_collection is not None:
            self.report.warn(f"{obj.name}: the collection that it is an instance of isn't written")
        data = obj.animation_data
        if data is not None and (data.action is not None or data.drivers or data.nla_tracks):
            self.report.warn(f"{obj.name}: its animation isn't written: a thing is where it is at the current frame")

    def _refuse_uids(self, named: list[tuple[bpy.types.Object, tng.Thing]]) -> None:
        """Raise SceneError for things that were given a UID that is none, or another thing's."""
        if not named:
            return
        times = Counter(thing.uid for thing in self.things)
        for obj, thing in named:
            if thing.uid is None or thing.uid > _MAX_UID:
                text = thing.block.get("UID")
                raise SceneError(f"{obj.name}: property UID: {reprlib.repr(text)} isn't a number of 64 bits", [obj])
            if thing.uid < UID_BASE:
                self.report.warn(f"{obj.name}: property UID: {thing.uid} is none that the game gives: those are larger")
            if times[thing.uid] > 1:
                raise SceneError(f"{obj.name}: property UID: {thing.uid} is another thing's", [obj])

    def _remove(self, records: list[int]) -> None:
        """Take out the things whose objects are gone."""
        gone = {str(self.records[record].uid) for record in records}
        for record in records:
            self.sections[self.section_of[record]].remove(self.records[record])
        if not records:
            return
        self.report.note(f"things: {len(records)} gone")
        left = [thing for section in self.sections for thing in section.things]
        named = {value for thing in left for value in _texts(thing.block) if value in gone}
        if named:
            self.report.warn(f"other things refer to some that are gone, by their UIDs: {listed(sorted(named))}")
        doors = {key for record in records if (key := self.records[record].door_key) is not None}
        opened = {key for section in numbered_sections(self.level) for key in section.door_keys() if key in doors}
        if opened:
            uids = [str(key + UID_BASE) for key in sorted(opened)]
            self.report.warn(f"doors of the navigation are opened by things that are gone: {listed(uids)}")

    def _move(self, record: int, home: int) -> bool:
        """Put a thing into the section whose collection it is in; whether it was in another one."""
        was = self.section_of[record]
        if was == home:
            return False
        self.sections[was].remove(self.records[record])
        self.sections[home].add(self.records[record])
        return True

    def _add(self, one: ThingInstance, section: tng.ThingSection) -> None:
        """Make a new thing: of a copy's original, or of what the object says."""
        obj = one.object
        made = self._fresh(obj) if one.block is None else tng.Thing(one.block)
        section.add(made)
        self._merge_thing(obj, made, fresh=one.block is None, foreign=one.foreign)
        uid = made.uid or None
        if one.block is not None or one.foreign or uid is None or uid in self.uids or uid > _MAX_UID:
            made.uid = self._next_uid()
        self.uids.add(made.uid)
        self.added += 1

    def _next_uid(self) -> int:
        counter = int(self.level.map_header["thing_uid_counter"])
        while counter + UID_BASE in self.uids:
            counter += 1
        if counter >= 1 << KEY_BITS:
            raise ValueError(f"the level's counter, {counter}, is too high for the UIDs of things")
        self.level.map_header["thing_uid_counter"] = counter + 1
        return counter + UID_BASE

    def _fresh(self, obj: bpy.types.Object) -> tng.Thing:
        """A thing of what an object's properties say, in their order, and what every thing has."""
        keys = values.written_keys(obj)
        physics = next((key.partition(".")[0] for key in keys if key.startswith("CTCPhysics")), "CTCPhysicsStandard")
        kind = _kind_name(obj.get(layout.NEW_THING, "Object"))
        model = tng.new_thing(kind, 0, "", (0.0, 0.0, 0.0), self.newline, physics.removeprefix("CTC"))
        made = tng.Thing(StatementBlock(model.block.opening, closing=model.block.closing))
        for key in keys:
            _add(made, key, as_python(obj[key]))
        entries = made.block.entries
        heads = [made.block.find(own.key) or own for own in model.block.statements()]  # the game's order
        entries[:] = [*heads, *(entry for entry in entries if not any(entry is head for head in heads))]
        for block in model.block.blocks():
            same = next((one for one in made.block.blocks(block.opening.key)), None)
            if same is None:
                entries.append(block)
            else:
                same.entries[:0] = [entry for entry in block.entries if isinstance(entry, Statement)]
        return made

    # ----------------------------------------------------------------------------------------------------- one thing

    def _merge_thing(self, obj: bpy.types.Object, thing: tng.Thing, fresh: bool = False, foreign: bool = False) -> bool:
        """Write what an object says of its thing; whether that changed any text.

        fresh: made of this very object. foreign: it comes from another level, whose place in the world counts for it.
        """
        start = thing.initial_position
        changed = False if fresh else _collect_properties(obj, thing)
        with_start = not fresh and thing.initial_position == start
        if self.move is not None and not foreign:
            changed |= move_with_map(thing, self.move.origin, self.move.by)
        return collect_placement(obj, thing, self.root, self.depsgraph, fresh, with_start) or changed


def _collect_properties(obj: bpy.types.Object, thing: tng.Thing) -> bool:
    """Write the properties of an object that differ from what its thing says; whether any did."""
    sources = values.sources(thing)
    now = {key: as_python(obj[key]) for key in values.written_keys(obj, sources)}
    changed = False
    kind = obj.get(layout.NEW_THING)
    if kind != thing.kind:
        thing.block.opening.value = _kind_name(kind)
        changed = True
    emptied: list[StatementBlock] = []
    for key, source in sources.items():
        if key in now:
            try:
                changed |= values.change(source, now[key])
            except ValueError as error:
                raise ValueError(f"property {key}: {error}") from error
        elif source.entry is thing.body:
            raise ValueError(f"property {key} is gone, but the component holds the thing's place")
        else:
            source.parent.entries.remove(source.entry)
            emptied.append(source.parent)
            changed = True
    for block in emptied:
        _drop_empty(thing.block, block)
    for key in now:
        if key not in sources:
            _add(thing, key, now[key])
            changed = True
    return changed


def _add(thing: tng.Thing, key: str, value: object) -> None:
    try:
        values.add(thing, key, value)
    except ValueError as error:
        raise ValueError(f"property {key}: {error}") from error


def _drop_empty(around: StatementBlock, block: StatementBlock) -> None:
    """Take a component out of its block, wherever that is, if nothing is left in it."""
    if block.entries:
        return
    for inside in around.blocks():
        if inside is block:
            around.entries.remove(block)
            return
        _drop_empty(inside, block)


def _kind_name(kind: object) -> str:
    if not isinstance(kind, str) or not re.fullmatch(r"\w+( \w+)*", kind, re.ASCII):
        raise ValueError(f"property {layout.NEW_THING}: {reprlib.repr(kind)} can't be the kind of a thing")
    return kind


def _texts(block: StatementBlock) -> Iterator[str]:
    """The values of all statements of a thing, those of its components too."""
    for entry in block.entries:
        if isinstance(entry, StatementBlock):
            yield from _texts(entry)
        else:
            yield entry.value
