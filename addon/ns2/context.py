# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

import bpy

from ...formats import ns2
from ..scene import images, level, originals, stage
from ..scene.reports import Report, SceneError
from .content import content_folders
from .layers import lists
from .settings import ImportSettings


@dataclass(frozen=True)
class ImportContext(level.ImportContext[ns2.Level, ImportSettings]):
    """One import, with what it knows of the game's content and of the collections of layers and groups."""

    _found: dict[str, Path | None] = field(default_factory=dict, repr=False)
    """The files that were asked for, by their names in the game."""

    @classmethod
    def of_scene(cls, context: bpy.types.Context, collection: bpy.types.Collection, report: Report) -> Self:
        """What an import would share of a level that is in the scene: where things go there; `level` is empty.

        Raises SceneError for a collection that is no level, or has no root.
        """
        info, root = originals.describe(collection), level.root_of(collection)
        if info is None or root is None:
            raise SceneError(f"{collection.name} is no level with a root empty")
        return cls(
            ns2.new_level(),
            ImportSettings(),
            report,
            Path(bpy.data.filepath),
            stage.scene_of(context),
            False,
            info.token,
            collection,
            root,
            {},
        )

    @cached_property
    def folders(self) -> tuple[Path, ...]:
        """Where the game's content is looked for: what is in them are `materials`, `models`, ..."""
        return content_folders(self.path, self.settings.game_directory)

    @cached_property
    def _layer_homes(self) -> dict[int, bpy.types.Collection]:
        """The collections of layers, by their ids."""
        return lists.homes(self.collection, "layers")

    @cached_property
    def _group_homes(self) -> dict[int, bpy.types.Collection]:
        """The collections of groups, by their ids."""
        return lists.homes(self.collection, "groups")

    def find(self, name: str) -> Path | None:
        """The file of this path (from the game's directory, with `/`) in the first folder that has it; capitals don't
        matter.
        """
        if name not in self._found:
            self._found[name] = images.find_file(name, self.folders)
        return self._found[name]

    def homes(self, layers: int | None, group: int) -> list[bpy.types.Collection]:
        """The collections of an object that is in these layers (a mask) and in this group: one at least."""
        found = [self._layer_homes[layer] for layer in ns2.layers_of(layers) if layer in self._layer_homes]
        if group in self._group_homes:
            found.append(self._group_homes[group])
        return found or [lists.entities_home(self.collection)]
