# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities to objects: see `layout` for what becomes what; `collect` is the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from ....formats import ns2
from ....formats.ns2.entity_classes import ORIGIN, Classes
from ...scene.blender_types import Value
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.names import showable, storable
from ...scene.view import gizmos
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..layers.lists import Homes
from ..layout import CLASS
from ..materials.build import Materials
from . import ambience, custom_properties, object_data, placements, probes
from .appearance import BOX, EMPTY, LIGHT_POINT, LIGHT_SPOT, PROP, SPEAKER, Appearance, Appearances
from .classes import Descriptions, find_classes
from .custom_properties import PropertySlot
from .names import NO_CLASS, title_of
from .props import Props

NEW = -1
"""Record of what is no record of the original."""


def build_entities(
    importing: ImportContext, materials: Materials, listed: Sequence[ns2.Entity] | None = None
) -> Steps[list[bpy.types.Object]]:
    """Make an object of each entity of the level, in order; or of others, which then are no record of any file."""
    builder = _Builder(importing, materials, find_classes(importing, importing.report))
    return (yield from builder.build(importing.level.entities if listed is None else listed, listed is None))


class _Builder:
    """One import of entities."""

    def __init__(self, importing: ImportContext, materials: Materials, classes: Classes) -> None:
        self.importing, self.descriptions = importing, Descriptions(classes)
        self.appearances, self.props = Appearances(classes), Props(importing, materials)
        self.known = custom_properties.Known()
        self.homes = Homes(importing.collection)
        self.size = gizmos.LARGEST

    def build(self, listed: Sequence[ns2.Entity], records: bool) -> Steps[list[bpy.types.Object]]:
        shown = [self.known.shown(each) for each in listed]
        unplaced, values = [slots for slots, _ in shown], [said for _, said in shown]
        appearances = [
            self.appearances.of(each.class_name, slots) for each, slots in zip(listed, unplaced, strict=True)
        ]
        spots = (said.get(ORIGIN) for one, said in zip(appearances, values, strict=True) if one.kind == LIGHT_SPOT)
        self.size = gizmos.size_among([place for place in spots if isinstance(place, list) and len(place) == 3])
        # All meshes first: a mesh that gets a material looks at all objects. Then objects, in Blender's order of names.
        models = [
            model_of(appearance, said)
            for appearance, said in zip(appearances, values, strict=True)
            if appearance.kind == PROP
        ]
        with progress(2) as part:
            with progress(len(models), "models of props") as step:
                for path in models:
                    self.props.model(path)
                    yield step()
            part()
            return (yield from self._make_all(listed, unplaced, values, appearances, records))

    def _make_all(
        self,
        listed: Sequence[ns2.Entity],
        unplaced: Sequence[tuple[PropertySlot, ...]],
        values: Sequence[dict[str, Value]],
        appearances: Sequence[Appearance],
        records: bool,
    ) -> Steps[list[bpy.types.Object]]:
        """Make the objects. Of each entity, unplaced: its properties, values: what these say."""
        names = [
            _name(each, appearance, said) for each, appearance, said in zip(listed, appearances, values, strict=True)
        ]
        made: dict[int, bpy.types.Object] = {}
        with progress(len(listed), "entities") as step:
            for at in sorted(range(len(listed)), key=names.__getitem__):
                slots = custom_properties.with_channels(unplaced[at], appearances[at].channels)
                made[at] = self._make(listed[at], names[at], appearances[at], slots, values[at], at if records else NEW)
                yield step()
        for at, each in enumerate(listed):
            for home in self.homes.of(each.layers, each.group):
                home.objects.link(made[at])
            yield
        return [made[at] for at in range(len(listed))]

    def _make(
        self,
        entity: ns2.Entity,
        name: str,
        appearance: Appearance,
        slots: tuple[PropertySlot, ...],
        said: dict[str, Value],
        record: int,
    ) -> bpy.types.Object:
        obj = bpy.data.objects.new(showable(name), self._data(name, appearance, said))
        obj.parent = self.importing.root
        identity.stamp(obj, self.importing.token, layout.ENTITY, record)
        placements.build(obj, {slot.key: said[slot.name] for slot in slots if slot.key in custom_properties.CHANNELS})
        if appearance.kind == EMPTY or obj.data is None:
            object_data.show_size(obj, appearance, said)
        if entity.class_name == layout.AMBIENT_LIGHT:
            obj.color = (*ambience.colors_of(entity).mean(axis=(0, 1)).clip(0, 1), 1.0)
        self._write(obj, entity, slots, said)
        object_data.remember(obj, appearance)
        is_scaled = appearance.kind == LIGHT_SPOT and gizmos.draw(obj, self.size)
        for each in entity.editor_data:
            if each.name == probes.KEY and (image := probes.build(name, each.data)) is not None:
                obj[probes.KEY] = image
        if is_scaled:
            transforms.remember(obj)
        else:
            transforms.remember_new(obj)
        self.importing.report.count(_COUNTED.get(appearance.kind, "entities"))
        return obj

    def _data(self, name: str, appearance: Appearance, said: dict[str, Value]) -> bpy.types.ID | None:
        if appearance.kind == PROP:
            path = model_of(appearance, said)
            # A class that is a model by itself has a shape of its own where that isn't found.
            return self.props.model(path) if appearance.model or self.props.is_found(path) else None
        if appearance.kind == BOX:
            return self.props.box(appearance.centred)
        return object_data.build(appearance, name, said)

    def _write(
        self, obj: bpy.types.Object, entity: ns2.Entity, slots: tuple[PropertySlot, ...], said: dict[str, Value]
    ) -> None:
        """Write class and properties, with what the editor knows of them."""
        class_name = entity.class_name
        obj[CLASS] = showable(class_name)
        obj[custom_properties.TYPES] = storable(custom_properties.as_text(slots))
        for slot in slots:
            if slot.key in said:
                write(obj, class_name, slot, said[slot.key], self.descriptions)


def write(
    obj: bpy.types.Object, class_name: str, slot: PropertySlot, value: object, descriptions: Descriptions
) -> None:
    """Write one custom property, with its tooltip, limits and choices."""
    properties.put(obj, slot.key, value)
    if not isinstance(value, bytes):
        shown = descriptions.of(class_name, slot.name, slot.type, slot.components)
        if shown:
            properties.describe(obj, slot.key, **shown)


_COUNTED = {
    LIGHT_POINT: "lights",
    LIGHT_SPOT: "lights",
    SPEAKER: "sounds",
    PROP: "props",
}


def model_of(appearance: Appearance, said: Mapping[str, Value]) -> str:
    """The path of a prop's model, "" for none."""
    path = said.get(appearance.model) if appearance.model else appearance.file
    return path if isinstance(path, str) else ""


def _name(entity: ns2.Entity, appearance: Appearance, said: dict[str, Value]) -> str:
    """What to call an entity's object: as its model, as itself, otherwise as its class."""
    path = model_of(appearance, said) if appearance.model else ""
    own = said.get("name")
    return title_of(path) or showable((own if isinstance(own, str) else "") or entity.class_name) or NO_CLASS
