# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ...formats import genesis
from ..scene import identity
from ..scene.reports import Report
from .settings import ImportSettings


@dataclass(frozen=True)
class Site:
    """One import. collection: the level's. root: its empty. token: the import's."""

    level: genesis.Level
    collection: bpy.types.Collection
    root: bpy.types.Object
    token: identity.Token
    scene: bpy.types.Scene
    settings: ImportSettings
    report: Report

    def collection_of(
        self, name: str, kind: str, record: int = 0, parent: bpy.types.Collection | None = None
    ) -> bpy.types.Collection:
        """Make a collection of a kind in the level's, or in one of those."""
        made = bpy.data.collections.new(name)
        identity.stamp(made, self.token, kind, record)
        (parent or self.collection).children.link(made)
        return made

    def empty(self, name: str, kind: str, record: int, size: float) -> bpy.types.Object:
        """Make an empty below the root; it is in no collection yet. size: units."""
        made = bpy.data.objects.new(name, None)
        made.empty_display_size = size
        made.parent = self.root
        identity.stamp(made, self.token, kind, record)
        return made
