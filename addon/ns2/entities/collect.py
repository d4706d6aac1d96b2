# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities back from their objects: what was edited is written, all else stays as it is.

`layout` says what becomes what. Objects stand for the record that their stamp names; of several of one record the
first that is still where it was, and the others are copies: new entities like it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import bpy

from ....formats import ns2
from ....formats.binary import FormatError
from ....formats.ns2.editor_setup import Parameter
from ....formats.ns2.entity_classes import PLACED, Classes
from ....formats.ns2.records import PropertyType
from ...scene.blender_types import gives
from ...scene.fields import properties
from ...scene.fields.properties import as_python
from ...scene.geometry import evaluated, shapes, transforms
from ...scene.geometry.meshes import SURFACES
from ...scene.kept import identity, originals
from ...scene.kept.instances import Instance, mark_copies
from ...scene.level import root_of
from ...scene.names import showable
from ...scene.reports import Report, SceneError, listed
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..layers import lists
from ..layout import CLASS
from . import custom_properties, object_data, placements, probes
from .appearance import Appearance, Appearances
from .classes import find_classes
from .custom_properties import CHANNELS, PropertySlot
from .names import GivenNames
from .props import MODEL


@dataclass(slots=True, eq=False)
class _Entity(Instance):
    """An object that is an entity."""

    place: float = math.inf
    """Its number in the list of objects that it came from."""


def collect_entities(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: ns2.Level,
    original: originals.Original | None,
    report: Report,
) -> Steps[list[bpy.types.Object]]:
    """Make the entities of a level what the scene's are. level: the original's, or an empty one where there is none.

    Returns the object of each entity, in their order; none if the import left the entities out: then all of them stay,
    and new ones are added. Raises SceneError, naming objects, for what no level can hold.
    """
    opened = original is None or bool(original.options.get("entities", True))
    root = root_of(collection)
    token = original.token if original is not None else None
    collector = _Collector(context, level, token, root, report, collection, opened)
    instances = collector.instances()
    moved = [one.object for one in instances if transforms.needs_evaluation(one.object, root)]
    if not moved:
        yield from collector.merge(instances, None)
    else:
        with evaluated.shown(context, [*moved, *([root] if root is not None else [])]) as depsgraph:
            yield from collector.merge(instances, depsgraph)
    return [one.object for one in instances] if opened else []


class _Collector:
    """One export of entities."""

    def __init__(
        self,
        context: bpy.types.Context,
        level: ns2.Level,
        token: int | None,
        root: bpy.types.Object | None,
        report: Report,
        collection: bpy.types.Collection,
        opened: bool,
    ) -> None:
        self.level, self.token, self.root, self.report = level, token, root, report
        self.context, self.collection, self.opened = context, collection, opened
        self.records = level.entities
        self.classes = Classes()
        self.appearances = Appearances(self.classes)
        self.homes: dict[lists.Kind, frozenset[int]] = {
            "layers": frozenset(lists.homes(collection, "layers")),
            "groups": frozenset(lists.homes(collection, "groups")),
        }
        self.memberships = lists.memberships(collection)
        self.listed = sum(1 << number for number in self.homes["layers"] if number < 256)
        self.known = custom_properties.Known()
        self.sized: list[str] = []
        self.shapes = shapes.Watch(root)
        self.names = GivenNames(collection)
        self.depsgraph: bpy.types.Depsgraph | None = None

    @cached_property
    def all_classes(self) -> Classes:
        """The classes that the game's `editor_setup.xml` describes, too: what new entities of them have."""
        if self.root is None:
            return self.classes
        return find_classes(ImportContext.of_scene(self.context, self.collection, self.report), self.report)

    # ------------------------------------------------------------------------------------------------------ who is who

    def instances(self) -> list[_Entity]:
        """The objects that are entities: those of the original in its order, then those of other levels in theirs, then
        new ones by their names.
        """
        found, foreign, unknown = list[_Entity](), list[str](), list[str]()
        for obj in list(self.collection.all_objects):
            mark = identity.stamped(obj)
            if mark is None:
                if obj.get(CLASS) is not None or _is_light(obj):
                    found.append(_Entity(obj))
                elif obj.type not in SURFACES:
                    unknown.append(obj.name)
            elif mark.kind == layout.ENTITY:
                own = mark.token == self.token and 0 <= mark.record < len(self.records)
                place = mark.record if mark.record >= 0 else math.inf
                found.append(_Entity(obj, mark.record if own else -1, place=place))
                if not own and mark.record >= 0 and self.token is not None:
                    foreign.append(obj.name)
        found.sort(key=lambda one: one.object.name)
        mark_copies(found, lambda one: transforms.unchanged(one.object, self.root))
        if foreign:
            self.report.note(f"entities of another level, which are new here: {listed(foreign)}")
        if unknown:
            self.report.left_out(f"objects that have no {CLASS}, as entities do: {listed(unknown)}", len(unknown))
        return sorted(found, key=lambda one: (one.copied, one.record < 0, one.place))

    # --------------------------------------------------------------------------------------------------------- merging

    def merge(self, instances: Sequence[_Entity], depsgraph: bpy.types.Depsgraph | None) -> Steps[None]:
        """Write what the objects say: those that are gone go, new ones stand behind the others."""
        self.depsgraph = depsgraph
        kept = {} if self.opened else dict(enumerate(self.records))
        new: list[ns2.Entity] = []
        changed = 0
        # Copies are of the records as they were: before anything is written into those.
        sources = [self.records[one.record].copy() if one.copied else None for one in instances]
        with progress(len(instances), "entities") as step:
            for one, source in zip(instances, sources, strict=True):
                yield step()
                try:
                    if one.is_record:
                        entity = kept[one.record] = self.records[one.record]
                        texts = [self.known.value(each) for each in entity.properties]
                        self.names.look_at(one.object, entity, texts, self._appearance(entity).file)
                        changed += self._merge_one(one.object, entity, fresh=False)
                        continue
                    entity = source if source is not None else self._made(one.object)
                    self._merge_one(one.object, entity, fresh=source is None)
                    new.append(entity)
                except (ValueError, FormatError) as error:  # a FormatError is one, too
                    raise SceneError(f"{one.object.name}: {error}", [one.object]) from error
        gone = len(self.records) - len(kept)
        if gone or new:
            self.level.entities = [entity for record, entity in enumerate(self.records) if record in kept] + new
        for count, what in ((gone, "gone"), (changed, "changed"), (len(new), "new")):
            if count:
                self.report.note(f"entities: {count} {what}")
        self.names.tell(self.report)
        if self.sized:
            self.report.warn(f"{listed(self.sized)}: the edit of scale isn't written: such entities have none")
        if self.shapes.edited:
            self.report.warn(
                "edits of the meshes of props and boxes are ignored, the level has only the path of a model, or "
                f"a scale: {listed(self.shapes.edited)}"
            )

    def _made(self, obj: bpy.types.Object) -> ns2.Entity:
        """A new entity of what an object says: its class, and the properties that it had where it was made."""
        class_name = obj.get(CLASS)
        if not isinstance(class_name, str):
            class_name = object_data.LIGHT_CLASSES[obj.data.type] if isinstance(obj.data, bpy.types.Light) else ""
        if not class_name:
            raise ValueError(f"property {CLASS} says no class")
        entity = ns2.Entity(class_name, group=ns2.no_group(self.level.version))
        slots = self._slots(obj, entity)
        if not slots:
            entity.properties = self.all_classes.new(class_name)
            return entity
        for slot in slots:
            kind = PropertyType(slot.type)
            raw = as_python(obj.get(slot.key)) if slot.key and slot.key not in CHANNELS else None
            if slot.key in CHANNELS:
                start = placements.start_of(obj, slot.key)
                entity.properties.append(ns2.Property.of(slot.name, kind, start))
            elif raw is not None:
                empty = ns2.Property(slot.name, slot.type, slot.components, b"")
                entity.properties.append(_with_value(empty, raw, slot.key))
        return entity

    def _slots(self, obj: bpy.types.Object, entity: ns2.Entity) -> tuple[PropertySlot, ...]:
        """What an object's properties are. Of an entity that has some they must be those."""
        slots = custom_properties.from_text(obj.get(custom_properties.TYPES))
        had = [(one.name, one.type, one.components) for one in entity.properties]
        if not had or had == [slot[:3] for slot in slots]:
            return slots
        return self._usual_slots(entity)

    def _usual_slots(self, entity: ns2.Entity) -> tuple[PropertySlot, ...]:
        return custom_properties.with_channels(self.known.slots(entity), self._appearance(entity).channels)

    def _appearance(self, entity: ns2.Entity) -> Appearance:
        return self.appearances.of(entity.class_name, self.known.slots(entity))

    def _merge_one(self, obj: bpy.types.Object, entity: ns2.Entity, fresh: bool) -> bool:
        """Write what an object says of its entity; whether that changed anything. fresh: made of this very object."""
        changed = False
        self.shapes.look_at(obj)
        class_name = obj.get(CLASS)
        if isinstance(class_name, str) and class_name != showable(entity.class_name):
            if not class_name:
                raise ValueError(f"property {CLASS} says no class")
            entity.class_name, changed = class_name, True
        slots = self._slots(obj, entity) if not fresh else self._fresh_slots(obj, entity)
        channels = {slot.key: at for at, slot in enumerate(slots) if slot.key in CHANNELS}
        changed |= placements.collect(obj, entity, channels, self.root, self.depsgraph, fresh, self.sized)
        edited, gone = self._collect_properties(obj, entity, slots, fresh)
        changed |= self._collect_data(obj, entity, slots, edited, fresh)
        for at in sorted(gone, reverse=True):
            del entity.properties[at]
        changed |= bool(edited or gone) | self._collect_cubemap(obj, entity)
        return self._collect_homes(obj, entity) | changed

    def _fresh_slots(self, obj: bpy.types.Object, entity: ns2.Entity) -> tuple[PropertySlot, ...]:
        """The slots of an entity that was made of an object: those of its that made it."""
        kept = [slot for slot in custom_properties.from_text(obj.get(custom_properties.TYPES)) if slot.key]
        kept = [slot for slot in kept if slot.key in CHANNELS or obj.get(slot.key) is not None]
        if [slot[:3] for slot in kept] == [(one.name, one.type, one.components) for one in entity.properties]:
            return tuple(kept)
        return self._usual_slots(entity)

    def _collect_properties(
        self, obj: bpy.types.Object, entity: ns2.Entity, slots: Sequence[PropertySlot], fresh: bool
    ) -> tuple[set[str], list[int]]:
        """Write the custom properties that say something else; the names of those, and the places of deleted ones.

        fresh: those that are absent were never there.
        """
        edited: set[str] = set()
        gone: list[int] = []
        shown = set()
        for at, slot in enumerate(slots):
            if not slot.key or slot.key in CHANNELS:
                continue
            shown.add(slot.key)
            was = entity.properties[at]
            raw = as_python(obj.get(slot.key))
            if raw is None:
                gone += [] if fresh else [at]
            elif not custom_properties.same(raw, self.known.value(was)):
                entity.properties[at] = _with_value(was, raw, slot.key)
                edited.add(slot.name)
        properties.tell_of_nested(obj, self.report, but=probes.KEY)
        placed = {slot.name for slot in slots if slot.key in CHANNELS}
        for key in custom_properties.written_keys(obj):
            raw = as_python(obj[key])
            if key in shown or properties.is_nested(obj[key]) or properties.is_registered(obj, key):
                continue
            if key in placed:
                raise ValueError(f"property {key}: the object's own place says this; delete the property")
            name = key.partition("#")[0]
            entity.properties.append(self._new_property(obj, entity.class_name, name, key, raw))
            edited.add(name)
        return edited, gone

    def _new_property(self, obj: bpy.types.Object, class_name: str, name: str, key: str, raw: object) -> ns2.Property:
        is_text = isinstance(raw, list) and any(isinstance(one, str) for one in raw)
        shown = gives(obj.id_properties_ui)(key).as_dict() if isinstance(raw, float | list) and not is_text else {}
        made = custom_properties.type_of(raw, str(shown.get("subtype", "")))
        parameter = self.classes.parameters(class_name).get(name)
        known = PLACED.get(name) or _known_type(parameter)
        if made is None:
            raise ValueError(f"property {key}: entities have no such properties")
        kind = known[0] if known is not None and known[1] == made[1] else made[0]
        return _with_value(ns2.Property(name, int(kind), made[1], b""), raw, key)

    def _collect_data(
        self, obj: bpy.types.Object, entity: ns2.Entity, slots: Sequence[PropertySlot], edited: set[str], fresh: bool
    ) -> bool:
        """Write what an edited light, speaker, ... says, unless its property was edited, too; a prop's other mesh."""
        own = obj.get(custom_properties.TYPES) is not None
        links = object_data.links_of(obj) if own else self._appearance(entity).links
        model = obj.data.get(MODEL) if isinstance(obj.data, bpy.types.Mesh) else None
        changed = _collect_light_class(obj, entity)
        if changed:
            slots, links = self._usual_slots(entity), self._appearance(entity).links
        values: dict[str, object] = {}
        for slot, one in zip(slots, entity.properties, strict=False):
            if slot.key:
                values.setdefault(slot.name, self.known.value(one))
        said, lost = object_data.collect(obj, values, links, fresh and not own)
        if lost:
            self.report.warn(f"{obj.name}: {listed(lost)} isn't written: {entity.class_name} has no property for it")
        if isinstance(model, str) and isinstance(values.get(MODEL), str):
            said[MODEL] = model
        for name, value in said.items():
            at = next((at for at, one in enumerate(entity.properties) if one.name == name), None)
            if name in edited or at is None or custom_properties.same(value, values.get(name, "")):
                continue
            entity.properties[at] = _with_value(entity.properties[at], value, name)
            changed = True
        return changed

    def _collect_cubemap(self, obj: bpy.types.Object, entity: ns2.Entity) -> bool:
        """Write what a probe has seen, if its picture was edited, or is new; a picture that was taken away goes."""
        at = next((at for at, one in enumerate(entity.editor_data) if one.name == probes.KEY), None)
        was = entity.editor_data[at].data if at is not None else None
        if was is not None and len(was) != ns2.cubemap.SIZE and obj.get(probes.KEY) is None:
            return False
        now = probes.collect(obj, was)
        if now == was:
            return False
        if now is None and at is not None:
            del entity.editor_data[at]
        elif at is not None and now is not None:
            entity.editor_data[at].data = now
        elif now is not None:
            if self.level.version < 10:
                raise ValueError(
                    f"only levels of version 10 have a {probes.KEY}; this one is of version {self.level.version}"
                )
            entity.editor_data.append(ns2.EditorData(probes.KEY, now))
        return True

    def _collect_homes(self, obj: bpy.types.Object, entity: ns2.Entity) -> bool:
        """Write the layers and the group that an object's collections say."""
        mask, groups = self.memberships.get(obj, (0, []))
        was = entity.layers or 0
        now = (was & ~self.listed) | mask
        changed = False
        if now != was:
            entity.layers = now if now or self.level.version <= 4 else None
            changed = True
        if len(groups) > 1:
            raise ValueError("it is in the collections of several groups; an entity can be in one only")
        none = ns2.no_group(self.level.version)
        group = groups[0] if groups else none if entity.group in self.homes["groups"] else entity.group
        if group != entity.group:
            entity.group, changed = group, True
        return changed


def _with_value(was: ns2.Property, raw: object, key: str) -> ns2.Property:
    try:
        return was.with_value(custom_properties.value_of(was.type, raw))
    except (ValueError, FormatError) as error:
        raise ValueError(f"property {key}: {error}") from error


def _known_type(parameter: Parameter | None) -> tuple[PropertyType, int] | None:
    if parameter is None or parameter.property_type is None:
        return None
    return parameter.property_type, parameter.components


def _collect_light_class(obj: bpy.types.Object, entity: ns2.Entity) -> bool:
    """A point light that became a spotlight is one of the class, and the other way round."""
    if not isinstance(obj.data, bpy.types.Light):
        return False
    wanted = object_data.LIGHT_CLASSES.get(obj.data.type)
    if entity.class_name not in object_data.LIGHT_CLASSES.values() or wanted == entity.class_name:
        return False
    if wanted is None:
        raise ValueError(f"a {obj.data.type.lower()} light is none that a level has: point and spot lights are")
    had = {one.name for one in entity.properties}
    entity.class_name = wanted
    entity.properties += [one for one in Classes().new(wanted) if one.name not in had]
    return True


def _is_light(obj: bpy.types.Object) -> bool:
    return isinstance(obj.data, bpy.types.Light) and obj.data.type in object_data.LIGHT_CLASSES
