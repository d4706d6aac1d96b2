# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import bpy

from ...formats import fable
from ..scene import identity
from ..scene.reports import Report
from .settings import ImportSettings


@dataclass(frozen=True)
class ImportContext:
    """One import, and what makes collections and objects of it."""

    level: fable.Level
    """What is imported."""
    collection: bpy.types.Collection
    """The level's."""
    root: bpy.types.Object
    """The empty that is the parent of everything."""
    token: identity.Token
    """The import's."""
    scene: bpy.types.Scene
    """The scene that it is imported into."""
    settings: ImportSettings
    """The options."""
    report: Report
    """Where counts and warnings go."""
    parts: Mapping[str, bytes] = field(default_factory=dict)
    """The bytes of the files beside the level that belong to it, by their names (the `.tng`)."""

    def part(self, ending: str) -> bytes | None:
        """The bytes of the file with this ending (".tng") that came with the level, or None."""
        return next((data for name, data in self.parts.items() if name.lower().endswith(ending)), None)

    def collection_of(
        self, name: str, kind: str, record: int = 0, parent: bpy.types.Collection | None = None
    ) -> bpy.types.Collection:
        """Make a collection of a kind in the level's, or in one of those."""
        made = bpy.data.collections.new(name)
        identity.stamp(made, self.token, kind, record)
        (parent or self.collection).children.link(made)
        return made

    def object_of(
        self,
        name: str,
        kind: str,
        record: int = 0,
        data: bpy.types.ID | None = None,
        home: bpy.types.Collection | None = None,
    ) -> bpy.types.Object:
        """Make an object (without data: an empty) below the root, in the level's collection or in one of those."""
        made = bpy.data.objects.new(name, data)
        made.parent = self.root
        identity.stamp(made, self.token, kind, record)
        (home or self.collection).objects.link(made)
        return made
