# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import bpy

from ...formats import ns2
from ..scene import identity, images
from ..scene.reports import Report
from . import layout
from .materials.build import Materials
from .settings import ImportSettings


@dataclass(frozen=True)
class Site:
    """One import. collection: the level's. root: its empty. token: the import's. folders: where the game's content is
    looked for: what is in them are `materials`, `models`, ... layer_homes, group_homes: the collections of layers and
    groups by their ids; entities: that of objects in none.
    """

    level: ns2.Level
    collection: bpy.types.Collection
    root: bpy.types.Object
    token: identity.Token
    scene: bpy.types.Scene
    settings: ImportSettings
    report: Report
    folders: tuple[Path, ...]
    entities: bpy.types.Collection
    layer_homes: Mapping[int, bpy.types.Collection]
    group_homes: Mapping[int, bpy.types.Collection]
    _found: dict[str, Path | None] = field(default_factory=dict, repr=False)

    @cached_property
    def materials(self) -> Materials:
        """The materials that faces and props have, by their paths."""
        return Materials(self)

    def find(self, name: str) -> Path | None:
        """The file of this path (from the game's directory, with `/`) in the first folder that has it; capitals don't
        matter.
        """
        if name not in self._found:
            self._found[name] = images.find_file(name, self.folders)
        return self._found[name]

    def homes(self, layers: int | None, group: int) -> list[bpy.types.Collection]:
        """The collections of an object that is in these layers (a mask) and in this group: one at least."""
        found = [self.layer_homes[layer] for layer in ns2.layers_of(layers) if layer in self.layer_homes]
        if group in self.group_homes:
            found.append(self.group_homes[group])
        return found or [self.entities]

    def collection_of(
        self, name: str, kind: str, record: int = 0, parent: bpy.types.Collection | None = None
    ) -> bpy.types.Collection:
        """Make a collection of a kind in the level's, or in one of those."""
        made = bpy.data.collections.new(layout.readable(name))
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
        """Make an object (without data: an empty) below the root, in the level's collection or in those."""
        made = bpy.data.objects.new(layout.readable(name), data)
        made.parent = self.root
        identity.stamp(made, self.token, kind, record)
        for home in homes or (self.collection,):
            home.objects.link(made)
        return made
