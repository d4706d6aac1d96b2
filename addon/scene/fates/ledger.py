# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of an edit: written, or told by name. An import enters all that it made which no export reads; an export
compares the scene with it.

A game declares in its layout what its export writes, kind by kind and aspect by aspect, and why it doesn't write
others. Whatever is not declared is told of when it changes: so nothing that Blender shows is dropped without a word.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import ClassVar, NamedTuple

import bpy
from bpy.types import Collection, Material, Mesh, Object, World

from ..kept import baselines, identity
from ..kept.level_blocks import TEXTURE, LevelBlock, blocks
from ..reports import Report, listed
from ..work.progress import Steps, Stepwise, progress
from . import aspects
from .aspects import Aspect

KEY = "levelwright_ledger"
"""On the level's collection: the entries, as deflated JSON."""
COPIED, DELETED = "copied", "deleted"
"""Beside the aspects of a data-block: that there are more of it, or that it is gone."""
_NAMES = frozenset(("name", "data"))
"""Aspects that Blender gives other values to in copies."""
_USED = (Material, World)
"""Data-blocks that come and go with what uses them, an object or a scene: that is where an edit is to be told."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of an edit of an aspect."""

    why: str = ""
    """Why it isn't written, as a clause: "it follows from the texture"; "" where it is."""
    is_aside: bool = False
    """It belongs to Blender more than to the level: the report notes an edit, and warns of none."""
    is_unset: bool = False
    """The import leaves it as Blender makes it: it has to be looked at by no import."""
    is_ours: Callable[[bpy.types.ID], bool] | None = None
    """Whether it is what our own tools make of the rest of a data-block: then there is nothing to tell."""

    @property
    def is_written(self) -> bool:
        """Whether an export reads the aspect: writes it, refuses it or speaks of it itself."""
        return not self.why


WRITTEN = Fate()
"""The export reads it: an edit reaches the file, or is refused or told by the step that reads it."""


def written(*names: str | Iterable[str]) -> dict[str, Fate]:
    """Names, and groups of them, that the export reads."""
    return {each: WRITTEN for name in names for each in ((name,) if isinstance(name, str) else name)}


def follows(source: str) -> Fate:
    """An aspect that the import makes of something else: "the texture's size". It comes and goes with elements."""
    return Fate(f"it follows from {source}")


def read_only(why: str = "it is for reference only") -> Fate:
    """An aspect that shows what no export writes."""
    return Fate(why)


def aside(why: str) -> Fate:
    """An aspect that is Blender's own, so that nobody expects it in the file: an edit is only noted."""
    return Fate(why, is_aside=True)


KEPT = read_only("without it the file keeps what it says")
"""What becomes of the deletion of a property, where the record can't do without its value."""


def unset(fate: Fate) -> Fate:
    """The same of an aspect that the game's import never sets: so it costs an import nothing."""
    return replace(fate, is_unset=True)


Fates = Mapping[str, Mapping[str, Fate]]
"""By kind of data-block (as stamped, or the resource's kind; "*" for all kinds), then by aspect. "property *" stands
for all custom properties that aren't named, "attribute *", "light *" and so on likewise, "*" for all aspects."""

UNDECLARED = Fate("the file has no place for it")
COMMON: Fates = {
    "*": {
        "name": aside("names of data-blocks are for Blender alone"),
        "data": aside("names of data-blocks are for Blender alone"),
        "color": aside("it is how Blender displays it"),
        "display size": aside("it is how Blender displays it"),
        f"{aspects.GONE}*": WRITTEN,
    },
    identity.ROOT: {"*": aside("where a level lies in the scene is no part of it")},
    "preview": {"*": aside("it is for show only")},
    TEXTURE: {
        "pixels": read_only("a level has the names of its textures alone"),
        "color space": aside("it is how Blender displays it"),
        COPIED: WRITTEN,  # they come and go with the materials that show them
        DELETED: WRITTEN,
    },
}
"""What holds for every game that doesn't say otherwise."""


def fate_of(fates: Fates, kind: str, aspect: str) -> Fate:
    """Return what becomes of an edit of an aspect of a kind of data-blocks: what is declared most closely.

    The game's word for the kind comes first, then its word for all kinds, then what holds for every game.
    """
    group = next((each for each in aspects.GROUPS if aspect.startswith(each)), None)
    names = (aspect, "*") if group is None else (aspect, f"{group}*", "*")
    for table in (declared.get(key, {}) for declared in (fates, COMMON) for key in (kind, "*")):
        found = next((table[name] for name in names if name in table), None)
        if found is not None:
            return found
    return UNDECLARED


@dataclass(slots=True)
class _Entries:
    """What is kept of a level."""

    marks: dict[str, dict[str, int | list[int]]] = field(default_factory=dict)
    """By entry and aspect, the fingerprint that data-blocks of this entry have, or those; absent where all have 0."""
    names: dict[str, list[str]] = field(default_factory=dict)
    """By key, the names of the data-blocks of the kinds whose copies or deletion no export reads."""
    properties: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """By names of properties whose deletion no export reads, joined with NULs: entries and names of what has these."""

    @classmethod
    def of(cls, marked: Iterable[tuple[LevelBlock, dict[str, int]]], fates: Fates) -> _Entries:
        """Make the entries of a level as it is now. marked: see `_marks`."""
        found, rules = cls(), _Rules.of(fates)
        together: dict[str, list[dict[str, int]]] = defaultdict(list)
        for block, marks in marked:
            rule, entry = rules[block.kind], block.entry
            together[entry].append(marks)
            if rule.is_counted and not isinstance(block.id_block, _USED):
                found.names.setdefault(block.key, []).append(block.id_block.name)
            if rule.kept_of is not None and (kept := rule.kept_of(block.id_block)):
                found.properties.setdefault("\0".join(kept), []).append((entry, block.id_block.name))
        for key, several in together.items():
            if len(several) == 1:
                found.marks[key] = {**several[0]}
                continue
            names = {name for marks in several for name in marks}
            found.marks[key] = {name: sorted({marks.get(name, 0) for marks in several}) for name in names}
        return found

    @classmethod
    def kept(cls, collection: bpy.types.Collection) -> _Entries | None:
        """Read what `enter` kept; None where it kept nothing."""
        data = collection.get(KEY)
        return cls(**json.loads(zlib.decompress(data))) if isinstance(data, bytes) else None

    def keep(self, collection: bpy.types.Collection) -> None:
        """Write them to the level's collection."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}  # `asdict` copies all that is below, too
        text = json.dumps(told, separators=(",", ":"))
        baselines.put_bytes(collection, KEY, zlib.compress(text.encode("utf-8", "surrogatepass"), 1))


def enter(collection: bpy.types.Collection, fates: Fates) -> None:
    """Keep of a level that was just imported what no export of it reads, and lock what Blender can lock of that.

    fates: the game's.
    """
    marked = list(_marks(collection, fates, is_import=True))
    _Entries.of(marked, fates).keep(collection)
    _lock((block for block, _ in marked), fates)


def _lock(listed: Iterable[LevelBlock], fates: Fates) -> None:
    """Lock the channels of objects that are read-only, so that they look so in the sidebar and no gizmo moves them."""
    rules = _Rules.of(fates)
    for kind, _, id_block in listed:
        locked = rules[kind].locked
        if locked and isinstance(id_block, Object):
            for name in locked:
                setattr(id_block, f"lock_{name}", (True, True, True))


class _Rule(NamedTuple):
    """What holds for all data-blocks of a kind."""

    is_counted: bool
    """Whether there are copies or deletions of them that no export reads."""
    kept_of: Callable[[bpy.types.ID], list[str]] | None
    """Gives the properties of one whose deletion no export reads; None: all are read."""
    locked: tuple[str, ...]
    """Channels of objects that are read-only."""


class _Rules(dict[str, _Rule]):
    """The rule of each kind; worked out once a game."""

    _known: ClassVar[dict[int, _Rules]] = {}

    @classmethod
    def of(cls, fates: Fates) -> _Rules:
        """Those of a table, which is never changed."""
        found = cls._known.get(id(fates))
        if found is None:  # it keeps the table, so that no other one gets its id
            found = cls._known[id(fates)] = cls()
            found.fates = fates
        return found

    fates: Fates

    def __missing__(self, kind: str) -> _Rule:
        channels = {name: fate_of(self.fates, kind, name) for name in ("location", "rotation", "scale")}
        rule = self[kind] = _Rule(
            not all(fate_of(self.fates, kind, what).is_written for what in (COPIED, DELETED)),
            _kept_properties(self.fates, kind),
            tuple(name for name, fate in channels.items() if not (fate.is_written or fate.is_aside)),
        )
        return rule


def _kept_properties(fates: Fates, kind: str) -> Callable[[bpy.types.ID], list[str]] | None:
    """Return what gives the properties of a data-block of a kind whose deletion no export reads; None: all are read."""
    declared = {name for table in (fates.get(kind, {}), fates.get("*", {})) for name in table}
    named = [name.removeprefix(aspects.GONE) for name in sorted(declared) if name.startswith(aspects.GONE)]
    kept = cache(lambda name: not fate_of(fates, kind, aspects.GONE + name).is_written)
    if not any(map(kept, named)):
        return None
    if kept("*"):
        return lambda block: [*filter(kept, block.keys())]
    return lambda block: [name for name in named if kept(name) and block.get(name) is not None]


@Stepwise
def tell(collection: bpy.types.Collection, fates: Fates, report: Report) -> Steps[None]:
    """Warn of all that was edited in a level and reaches no file, by the names of the data-blocks.

    Nothing is said of levels that were made in Blender, or that a version imported which kept no such entries.
    """
    was = _Entries.kept(collection)
    if was is None:
        return
    edited: dict[tuple[str, Fate], list[LevelBlock]] = defaultdict(list)
    unknown: dict[tuple[str, Fate], list[LevelBlock]] = defaultdict(list)
    """Elements of meshes were added or deleted, so that nothing can be compared."""
    seen: list[LevelBlock] = []
    still: dict[tuple[str, str], set[int]] = defaultdict(set)
    """By entry and aspect, what is as it was."""
    with progress(len(was.marks), "objects and their data") as step:
        for block, marks in _marks(collection, fates):
            yield step()
            seen.append(block)
            before = was.marks.get(block.entry)
            if before is None:
                continue
            for name in {*marks, *before}:
                fate = fate_of(fates, block.kind, name)
                mark, was_marked = marks.get(name, 0), before.get(name, 0)
                then = [was_marked] if isinstance(was_marked, int) else was_marked
                if fate.is_written or mark in then:
                    if name in _NAMES:
                        still[block.entry, name].add(mark)
                    continue
                if fate.is_ours is not None and fate.is_ours(block.id_block):
                    continue
                if not mark and _is_emptied(block):
                    then = [each for each in then if not aspects.is_counted(each)]
                known = any(aspects.comparable(mark, each) for each in then)
                if known or not fate.why.startswith(follows("").why):
                    (edited if known else unknown)[name, fate].append(block)
    for (name, fate), blocks_ in edited.items():
        those = [block.id_block for block in blocks_ if not _is_copied(name, block, was, still)]
        if those:
            _say(report, fate, f"{_listed(those)}: the edit of {name} isn't written: {fate.why}", those)
    for (name, fate), blocks_ in unknown.items():
        those = [block.id_block for block in blocks_]
        if not fate.is_aside:  # nobody expects those in the file, nor were they edited for all that is known
            report.note(f"{_listed(those)}: {name}: no edit of it is written: {fate.why}")
    _tell_of_names(was, seen, fates, report)
    _tell_of_properties(was, seen, fates, report)
    _tell_of_blocks(was, seen, fates, report)


def _is_emptied(block: LevelBlock) -> bool:
    """Whether it has a mesh of which no face is left."""
    with aspects.readable_data(block.id_block) as data:
        return isinstance(data, bpy.types.Mesh) and not len(data.polygons)


def _is_copied(aspect: str, block: LevelBlock, was: _Entries, still: Mapping[tuple[str, str], set[int]]) -> bool:
    """Whether a name is one that a copy, or a part that was separated, got: those that were there are there still.

    still: by entry and aspect, the marks that are as they were.
    """
    then = was.marks[block.entry].get(aspect, 0)
    return aspect in _NAMES and still[block.entry, aspect].issuperset([then] if isinstance(then, int) else then)


def _tell_of_names(was: _Entries, seen: Sequence[LevelBlock], fates: Fates, report: Report) -> None:
    """Warn of data-blocks that are no record, and have another name: one of their sort is there no more."""
    missing = was.marks.keys() - {block.entry for block in seen}
    for block in seen:
        fate = fate_of(fates, block.kind, "name")
        if fate.is_written or not block.is_no_record or block.entry in was.marks:
            continue
        if any(entry.startswith(f"{block.sort} ") for entry in missing):
            said = f"{block.id_block.name}: the edit of its name isn't written: {fate.why}"
            _say(report, fate, said, [block.id_block])


def _tell_of_properties(was: _Entries, seen: Iterable[LevelBlock], fates: Fates, report: Report) -> None:
    """Warn of properties that were deleted."""
    left: dict[str, dict[str, list[str]]] = defaultdict(dict)  # several data-blocks may be one record
    for keys, those in was.properties.items():
        for entry, name in those:
            left[entry][name] = keys.split("\0")
    found: list[tuple[LevelBlock, list[str]]] = []
    others = list(seen)
    for name_of in (lambda block: block.name, lambda block: identity.unnumbered(block.name)):
        unknown: list[LevelBlock] = []
        for block in others:
            keys_then = left[block.entry].pop(name_of(block.id_block), None) if block.entry in left else None
            if keys_then is not None:
                found.append((block, keys_then))
            else:
                unknown.append(block)
        others = unknown
    # one that was renamed, if one is missing
    found += [(block, left[block.entry].popitem()[1]) for block in others if left.get(block.entry)]
    lacking: dict[tuple[str, Fate], list[bpy.types.ID]] = defaultdict(list)
    for block, keys_then in found:
        for key in keys_then:
            if block.id_block.get(key) is None:
                lacking[key, fate_of(fates, block.kind, aspects.GONE + key)].append(block.id_block)
    for (key, fate), blocks_ in lacking.items():
        said = f"{_listed(blocks_)}: property {key} was deleted, but that isn't written: {fate.why}"
        _say(report, fate, said, blocks_)


def _tell_of_blocks(was: _Entries, seen: Iterable[LevelBlock], fates: Fates, report: Report) -> None:
    """Warn of data-blocks that were copied or deleted."""
    there: dict[str, list[str]] = defaultdict(list)
    for block in seen:
        there[block.key].append(block.id_block.name)
    for key, names in was.names.items():
        now, kind = there.get(key, []), key.rpartition(" ")[0]
        copied, deleted = fate_of(fates, kind, COPIED), fate_of(fates, kind, DELETED)
        if len(now) > len(names) and not copied.is_written:
            copies = [name for name in now if name not in names]
            _say(report, copied, f"{listed(copies)}: a copy, which isn't written: {copied.why}")
        if len(now) < len(names) and not deleted.is_written:
            gone = [name for name in names if name not in now]
            _say(report, deleted, f"{listed(gone)}: deleted here, but the file stays as it is: {deleted.why}")


def _say(report: Report, fate: Fate, line: str, those: Iterable[bpy.types.ID] = ()) -> None:
    """Warn of an edit. those: the data-blocks that it is about."""
    if fate.is_aside:
        report.note(line)
    else:
        report.warn(line, [block for block in those if isinstance(block, Object)])


def _listed(those: Iterable[bpy.types.ID]) -> str:
    return listed([block.name for block in those])


def _marks(
    collection: bpy.types.Collection, fates: Fates, is_import: bool = False
) -> Iterator[tuple[LevelBlock, dict[str, int]]]:
    """Give each data-block of a level with the fingerprints of its aspects that no export reads, but for those of 0.

    Those of kinds of which an export reads everything are left out. is_import: right after one, when what that never
    sets is as Blender makes it.
    """
    needed = _Needed.of(fates, is_import)
    shared: dict[tuple[int, str], dict[str, int]] = {}
    for block in blocks(collection):
        if block.kind in needed.read_whole:
            continue
        marks = needed.marks(block.kind, block.id_block)
        data = aspects.data_of(block.id_block)
        if data is not None and needed.has_any(block.kind, data):
            known = (data.session_uid, block.kind)  # objects share data
            if known not in shared:
                with aspects.readable_data(block.id_block) as readable:
                    shared[known] = needed.marks(block.kind, readable) if readable is not None else {}
            if shared[known]:
                marks |= shared[known]
        yield block, marks


class _Plan(NamedTuple):
    """What to look at of data-blocks of a kind and type."""

    static: tuple[Aspect, ...]
    has_properties: bool
    has_attributes: bool
    is_needed: Callable[[str], bool]
    """Whether an aspect of this name, a property or an attribute, is one that no export reads."""


class _Needed:
    """Which aspects no export reads; worked out once a game. is_import: without those that an import never sets."""

    _known: ClassVar[dict[tuple[int, bool], _Needed]] = {}

    @classmethod
    def of(cls, fates: Fates, is_import: bool) -> _Needed:
        """Those of a table, which is never changed."""
        found = cls._known.get((id(fates), is_import))
        if found is None:  # it keeps the table, so that no other one gets its id
            found = cls._known[id(fates), is_import] = cls(fates, is_import)
        return found

    def __init__(self, fates: Fates, is_import: bool) -> None:
        self._fates, self._is_import = fates, is_import
        self._plans: dict[tuple[str, type], _Plan] = {}
        self._written: dict[tuple[str, str], bool] = {}
        self.read_whole = frozenset(
            kind for kind, table in fates.items() if "*" in table and all(fate.is_written for fate in table.values())
        )

    def marks(self, kind: str, holder: bpy.types.ID) -> dict[str, int]:
        """Return the fingerprints of a data-block, or of the data of an object, of a kind: those that aren't 0."""
        plan = self._plan_of(kind, holder)
        found = aspects.marks(plan.static, holder)
        if plan.has_properties:
            found |= aspects.marks(aspects.custom_properties(holder, plan.is_needed), holder)
        if plan.has_attributes and isinstance(holder, Mesh):
            found |= aspects.marks(aspects.mesh_attributes(holder, plan.is_needed), holder)
        return found

    def has_any(self, kind: str, holder: bpy.types.ID) -> bool:
        """Whether there may be anything to look at."""
        plan = self._plan_of(kind, holder)
        return bool(plan.static) or plan.has_properties or plan.has_attributes

    def _plan_of(self, kind: str, holder: bpy.types.ID) -> _Plan:
        plan = self._plans.get((kind, type(holder)))
        if plan is None:
            plan = self._plans[kind, type(holder)] = self._plan(kind, holder)
        return plan

    def _plan(self, kind: str, holder: bpy.types.ID) -> _Plan:
        static = list(aspects.static(holder))
        if kind == identity.LEVEL and isinstance(holder, Collection):
            static += aspects.lists(holder)
        return _Plan(
            tuple(each for each in static if not self._is_written(kind, each.name)),
            not self._all_written(kind, aspects.PROPERTY),
            not self._all_written(kind, aspects.ATTRIBUTE),
            cache(lambda name: not self._is_written(kind, name)),
        )

    def _is_written(self, kind: str, name: str) -> bool:
        found = self._written.get((kind, name))
        if found is None:
            fate = fate_of(self._fates, kind, name)
            found = self._written[kind, name] = fate.is_written or (fate.is_unset and self._is_import)
        return found

    def _all_written(self, kind: str, group: str) -> bool:
        """Whether all aspects of a group are written: then none has to be looked for."""
        declared = (name for table in ("*", kind) for name in self._fates.get(table, {}) if name.startswith(group))
        return all(self._is_written(kind, name) for name in (f"{group}*", *declared))
