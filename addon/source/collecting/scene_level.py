# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level's collection holds, by what the objects stand for: see `layout`. Found by stamps, never by names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

import bpy
import numpy as np
from bpy.types import Mesh

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source.entities import brush_classes
from ....formats.source.entities.text import CLASSNAME, MODEL
from ...scene import level
from ...scene.geometry import evaluated, meshes, transforms
from ...scene.kept import identity, originals
from ...scene.kept.instances import Instance, mark_copies
from ...scene.names import storable
from ...scene.reports import SceneError, listed
from .. import layout
from ..settings import ExportSettings
from .growth import LumpGrowth

ALONE = frozenset(
    (layout.ENTITY, layout.STATIC_PROP, layout.OVERLAY, layout.CUBEMAP, layout.WORLDLIGHT, layout.DISPLACEMENT)
)
"""Kinds of which each record is one object: of several instances, all but one are copies."""
_SHAPED = frozenset(
    (
        *(layout.MODEL, layout.DISPLACEMENT, layout.DISPLACEMENTS, layout.OVERLAY, layout.BRUSHES),
        *(layout.AREAPORTALS, layout.OCCLUDERS),
    )
)


class SceneLevel:
    """A level in Blender. original: what it was imported from. before: that, decoded: never to be changed.

    root: the parent of everything, or None. depsgraph: for objects that have modifiers or constraints. loose: objects
    that stand for nothing, which the user added: without a stamp and without a class. models: the brush models that the
    export has made, or found, for objects of new entities (`brush_models.collect`). growth: whose light is too much.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        collection: bpy.types.Collection,
        original: originals.Original,
        settings: ExportSettings,
    ) -> None:
        self.context, self.collection, self.original, self.settings = context, collection, original, settings
        self.before = source.read(original.data, salvage=True)  # as the import does
        self.depsgraph: bpy.types.Depsgraph | None = None
        self.root = level.root_of(collection)
        self._instances, self.loose = _found(collection, original.token)
        self.models: dict[bpy.types.Object, int] = {}
        self.growth = LumpGrowth()
        for kind in ALONE & self._instances.keys():
            mark_copies(self._instances[kind], lambda one: transforms.unchanged(one.object, self.root))
            self._instances[kind].sort(key=_order)

    @property
    def token(self) -> identity.Token:
        """The import's."""
        return self.original.token

    @cached_property
    def _shown(self) -> frozenset[str]:
        kinds = self.collection.get(layout.SHOWN)
        return frozenset(kinds.split()) if isinstance(kinds, str) else frozenset()

    def instances(self, kind: str) -> list[Instance]:
        """The objects of a kind: the records in their order, then copies and new ones, by their names."""
        return self._instances.get(kind, [])

    def records(self, kind: str) -> dict[int, Instance]:
        """The objects that are records of the original, by number, ascending; only for kinds in ALONE."""
        return {one.record: one for one in self.instances(kind) if one.is_record}

    def added(self, kind: str) -> list[Instance]:
        """Copies of records, and new objects; only for kinds in ALONE."""
        return [one for one in self.instances(kind) if not one.is_record]

    def is_shown(self, kind: str) -> bool:
        """Whether the import made objects of this kind: only then is one that isn't there deleted."""
        return kind in self._shown

    def deleted(self, kind: str, count: int) -> list[int]:
        """The numbers of those of `count` records whose objects are gone; none where the import made none."""
        if not self.is_shown(kind):
            return []
        there = self.records(kind)
        return [number for number in range(count) if number not in there]

    def matrix(self, obj: bpy.types.Object, deltas: bool = True) -> transforms.Matrix:
        """Where an object is relative to the root, float64[4, 4], in the map's units. deltas: with delta channels.

        What isn't below the root (as new objects are) is where it is seen.
        """
        return transforms.seen(obj, self.root, self.depsgraph, deltas)

    def mesh(self, obj: bpy.types.Object, normals: bool = False) -> meshes.MeshData:
        """An object's mesh as it is seen, with its modifiers and shape keys; with normals as it is shaded, too.

        Raises SceneError if it has none.
        """
        return meshes.read(obj, self.depsgraph, normals=normals)

    def shows_model(self, one: Instance) -> bool:
        """Whether an entity's object shows a brush model, or did when it was imported."""
        if not isinstance(one.object.data, Mesh):
            return False
        return shows_faces(one.object) or one.record in self._brush_entities or self.is_new_model(one)

    def is_new_model(self, one: Instance) -> bool:
        """Whether an entity's object is to have a brush model that the map hasn't: a mesh with the class of one, that
        is neither an entity of the map, nor a copy of one, nor names a model of the map.
        """
        obj = one.object
        classname, model = obj.get(CLASSNAME), obj.get(MODEL)
        if one.record >= 0 or not isinstance(obj.data, Mesh) or not isinstance(classname, str):
            return False
        if not brush_classes.has_model(classname, self._brush_entities.values()):
            return False
        return not isinstance(model, str) or not model or (model.startswith("*") and shows_faces(obj))

    @cached_property
    def _brush_entities(self) -> dict[int, str]:
        """The entities of the original that have a brush model, and their classes."""
        try:
            return {number: one.classname for number, one in enumerate(self.before.entities) if one.model}
        except FormatError:
            return {}

    @property
    def evaluated(self) -> list[bpy.types.Object]:
        """The objects that have to be evaluated to be read."""
        return [
            one.object
            for kind, instances in self._instances.items()
            for one in instances
            if transforms.needs_evaluation(one.object, self.root)
            or (
                (kind in _SHAPED or self.shows_model(one))
                and one.object.data is not None
                and meshes.needs_evaluation(one.object)
            )
        ]


def shows_faces(obj: bpy.types.Object) -> bool:
    """Whether an object's mesh is, or was, that of a brush model."""
    return isinstance(obj.data, Mesh) and layout.VERTEX_ID in obj.data.attributes


@contextmanager
def read(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    original: originals.Original,
    settings: ExportSettings | None = None,
) -> Iterator[SceneLevel]:
    """What a level holds, to be read while the context lasts. Raises SceneError, FormatError."""
    scene = SceneLevel(context, collection, original, settings or ExportSettings())
    objects = scene.evaluated
    if not objects:
        yield scene
        return
    with evaluated.shown(context, [*objects, *([scene.root] if scene.root is not None else [])]) as depsgraph:
        scene.depsgraph = depsgraph
        yield scene


@contextmanager
def at_fault(*objects: bpy.types.Object) -> Iterator[None]:
    """Have a FormatError or ValueError name the objects that it is about: it becomes a SceneError."""
    try:
        yield
    except (FormatError, ValueError) as error:
        said = error.message if isinstance(error, FormatError) else str(error)
        said = said.removeprefix(f"{objects[0].name}: ") if objects else said
        raise SceneError(f"{objects[0].name}: {said}" if objects else str(error), objects) from error


@contextmanager
def one_at_fault(objects: Mapping[int, bpy.types.Object]) -> Iterator[None]:
    """As `at_fault`, for an edit of several records: the error says which one, "static prop 12", or is about all."""
    try:
        yield
    except FormatError as error:
        what, _, record = error.reading.rpartition(" of ")
        number = re.search(r"\d+", record)
        obj = objects.get(int(number[0])) if number is not None else None
        said = f"{what}: {error.message}" if what else error.message
        blamed = [obj] if obj else list(dict.fromkeys(objects.values()))
        names = listed([each.name for each in blamed])
        raise SceneError(f"{names}: {said if obj else error}" if blamed else str(error), blamed) from error


def remember(collection: bpy.types.Collection) -> None:
    """Keep which kinds of objects an import made: what `SceneLevel.is_shown` goes by."""
    collection[layout.SHOWN] = storable(" ".join(sorted(identity.kinds(list(collection.all_objects)))))


def _found(collection: bpy.types.Collection, token: int) -> tuple[dict[str, list[Instance]], list[bpy.types.Object]]:
    """The objects of each kind, and those that stand for nothing."""
    instances: dict[str, list[Instance]] = {}
    loose: list[bpy.types.Object] = []
    for obj in list(collection.all_objects):
        kind = identity.kind_of(obj)
        if kind is None and not isinstance(obj.get(CLASSNAME), str):
            loose.append(obj)
        elif kind not in (layout.ROOT, layout.PREVIEW):
            one = Instance(obj, identity.record_of(obj, token))
            instances.setdefault(kind or layout.ENTITY, []).append(one)
    for alike in instances.values():
        alike.sort(key=_order)
    return instances, loose


def _order(one: Instance) -> tuple[bool, float, str]:
    """Records in their order, then copies in that of their records, then what is new."""
    return not one.is_record, one.record if one.record >= 0 else np.inf, one.object.name
