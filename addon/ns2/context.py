# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

import bpy

from ...formats import ns2
from ...formats.reach import AllowedFolders
from ..scene import level
from ..scene.kept import originals
from ..scene.reports import Report, SceneError
from ..scene.view import stage
from .content import ENDINGS, content_of
from .settings import ImportSettings


@dataclass(frozen=True)
class ImportContext(level.ImportContext[ns2.Level, ImportSettings]):
    """One import, and where it finds the game's content."""

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
    def content(self) -> AllowedFolders:
        """Where the game's content is looked for: what is in these folders are `materials`, `models`, ..."""
        return content_of(self.path, self.settings.game_directory, self.report)

    def find(self, name: str) -> Path | None:
        """The file of this path (from the game's directory, with `/`) in the first folder that has it; capitals don't
        matter.
        """
        if name not in self._found:
            self._found[name] = self.content.find(name) if name.lower().endswith(ENDINGS) else None
        return self._found[name]
