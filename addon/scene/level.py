# SPDX-License-Identifier: GPL-3.0-or-later
"""A level on its way into the scene: what all parts of an import share, and what every game's import begins with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Self, TypeVar

import bpy

from ...formats.binary import Budget
from ...formats.counting import number_of
from .blender_types import Value
from .fields.properties import fields
from .kept import identity, originals
from .names import showable
from .reports import Report, SceneError, listed
from .view import stage

PATHS = frozenset(("DIR_PATH", "FILE_PATH"))
"""Subtypes of settings that say where things are on this machine: those aren't kept in the scene."""

Level = TypeVar("Level")
Settings = TypeVar("Settings")


@dataclass(frozen=True)
class ImportContext(Generic[Level, Settings]):
    """One import. A game adds fields where its parts share more."""

    level: Level
    """The records, as the format's library reads them."""
    settings: Settings
    """The options of the import."""
    report: Report
    path: Path
    """The level's file: content is looked for beside it."""
    scene: bpy.types.Scene
    alone: bool
    """Whether the scene held nothing but levels of the game when the import began: then it is made to look like it."""
    token: identity.Token
    """What stamps and ids of this import carry."""
    collection: bpy.types.Collection
    """The level's."""
    root: bpy.types.Object
    """The empty at the level's origin, the parent of all that has a place."""
    parts: Mapping[str, bytes]
    """The bytes of the files beside the level that belong to it, by their names."""
    pixels: Budget = field(default_factory=Budget.of_pixels, kw_only=True)
    """What pictures may still be made of the level's, pixel by pixel: what is beyond it gets placeholders."""

    @classmethod
    def begin(
        cls,
        context: bpy.types.Context,
        format_key: str,
        level: Level,
        data: bytes | None,
        file: str | Path,
        settings: Settings,
        report: Report,
        *,
        display_size: float = 1.0,
        scale: float = 1.0,
        options: Mapping[str, object] | None = None,
        parts: Mapping[str, bytes] | None = None,
        **more: Value,
    ) -> Self:
        """Make a level's collection and root, with the original on it; not yet linked to the scene, see `finish`.

        data: the bytes that the level was read from, None for one that was just made. file: its path or name: the
        collection is named after it. display_size: of the root empty, in its units. scale: metres a unit. options: kept
        with the original besides the settings. parts: the bytes of further files of the level, by name. more: the
        game's own fields. Raises SceneError where there is no scene.
        """
        path = Path(file)
        scene = stage.scene_of(context)
        alone = stage.is_free_for(scene, format_key)
        token = identity.new_token(data)
        collection = bpy.data.collections.new(showable(path.stem if data is not None else path.name))
        kept = {one.name: getattr(settings, one.name) for one in fields(type(settings)) if one.subtype not in PATHS}
        name = path.name if data is not None else ""
        originals.attach(collection, format_key, data, token, {**kept, **(options or {})}, name, parts)
        root = bpy.data.objects.new(collection.name, None)
        root.scale = (scale,) * 3
        root.empty_display_size = display_size
        identity.stamp(root, token, identity.ROOT, 0)
        collection.objects.link(root)
        return cls(level, settings, report, path, scene, alone, token, collection, root, parts or {}, **more)

    def finish(self) -> bpy.types.Collection:
        """Link the level's collection to the scene, now that all of it is made, and return it."""
        self.scene.collection.children.link(self.collection)
        return self.collection

    def part(self, ending: str) -> bytes | None:
        """The bytes of the file with this ending (".tng") that came with the level, or None."""
        return next((data for name, data in self.parts.items() if name.lower().endswith(ending)), None)

    def collection_of(
        self, name: str, kind: str, record: int = 0, parent: bpy.types.Collection | None = None
    ) -> bpy.types.Collection:
        """Make a collection of a kind in the level's, or in one of those."""
        made = bpy.data.collections.new(showable(name))
        identity.stamp(made, self.token, kind, record)
        (parent or self.collection).children.link(made)
        return made

    def object_of(
        self,
        name: str,
        kind: str,
        record: int = 0,
        data: bpy.types.ID | None = None,
        homes: Iterable[bpy.types.Collection] = (),
    ) -> bpy.types.Object:
        """Make an object (without data: an empty) below the root, in these collections, else in the level's own."""
        made = bpy.data.objects.new(showable(name), data)
        made.parent = self.root
        identity.stamp(made, self.token, kind, record)
        for home in homes or (self.collection,):
            home.objects.link(made)
        return made


def first_of(collection: bpy.types.Collection, kind: str) -> bpy.types.Object | None:
    """Return the first object of a kind in a level; None without one. For what is shown: `only` refuses several."""
    return next((obj for obj in collection.all_objects if identity.kind_of(obj) == kind), None)


def only(collection: bpy.types.Collection, kind: str) -> bpy.types.Object | None:
    """Return the object of a kind of which a level has one; None without one. Raises SceneError for several."""
    found = [obj for obj in collection.all_objects if identity.kind_of(obj) == kind]
    if len(found) > 1:
        names = listed([obj.name for obj in found])
        raise SceneError(f"{collection.name!r} has several objects of which a level has one: {names}", found)
    return found[0] if found else None


def root_of(collection: bpy.types.Collection) -> bpy.types.Object | None:
    """Return a level's root empty; None where it was deleted. Raises SceneError where there are several."""
    roots = [obj for obj in collection.all_objects if identity.kind_of(obj) == identity.ROOT]
    if len(roots) > 1:
        raise SceneError(f"{collection.name!r} has {number_of(len(roots), 'root empties')}: a level has one", roots)
    return roots[0] if roots else None


def needed_root(collection: bpy.types.Collection) -> bpy.types.Object:
    """Return a level's root empty. Raises SceneError where it was deleted, or there are several."""
    root = root_of(collection)
    if root is None:
        raise SceneError(f"{collection.name} has no root empty")
    return root
