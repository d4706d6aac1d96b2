# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import bpy

from ...formats import ns2
from ..scene import identity, images, originals, stage
from ..scene.reports import Report, SceneError
from . import layout
from .content import content_folders
from .layers import lists
from .settings import ImportSettings


@dataclass(frozen=True)
class ImportContext:
    """One import."""

    level: ns2.Level
    collection: bpy.types.Collection
    """The level's."""
    root: bpy.types.Object
    """The empty that is the parent of everything."""
    token: identity.Token
    """The import's."""
    scene: bpy.types.Scene
    settings: ImportSettings
    report: Report
    folders: tuple[Path, ...]
    """Where the game's content is looked for: what is in them are `materials`, `models`, ..."""
    entities: bpy.types.Collection
    """The collection of objects that are in no layer and no group."""
    layer_homes: Mapping[int, bpy.types.Collection]
    """The collections of layers, by their ids."""
    group_homes: Mapping[int, bpy.types.Collection]
    """The collections of groups, by their ids."""
    _found: dict[str, Path | None] = field(default_factory=dict, repr=False)

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


def context_of(context: bpy.types.Context, level: bpy.types.Collection, report: Report) -> ImportContext:
    """What an import would share, of a level that is there: its collections, where content is; `level` is empty.

    Raises SceneError for a collection that is no level, or has no root.
    """
    info = originals.describe(level)
    root = layout.object_of(level, layout.ROOT)
    if info is None or root is None:
        raise SceneError(f"{level.name} is no level with a root empty")
    return ImportContext(
        ns2.new_level(),
        level,
        root,
        info.token,
        stage.scene_of(context),
        ImportSettings(),
        report,
        content_folders(Path(bpy.data.filepath)),
        lists.entities_home(level),
        lists.homes(level, "layers"),
        lists.homes(level, "groups"),
    )
