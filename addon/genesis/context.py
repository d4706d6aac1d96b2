# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share, and what all parts of an export do."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
from mathutils import Matrix

from ...formats import genesis
from ..scene import level
from ..scene.kept import identity, originals
from ..scene.reports import Report, SceneError
from ..scene.view import stage
from . import layout
from .settings import ExportSettings, ImportSettings

NEW = -1
"""Record of what was made in Blender: it is not in any file yet."""


class ImportContext(level.ImportContext[genesis.Level, ImportSettings]):
    """One import, or the making of new parts of a level that is there."""


@dataclass
class Destination:
    """Where the objects of a row of brushes go."""

    collection: bpy.types.Collection
    parent: bpy.types.Object
    inverse: Matrix | None = None
    """The inverse of the parent's place below the root; None if the parent is the root."""


def resumed(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    report: Report,
    shown: genesis.Level | None = None,
) -> ImportContext:
    """What makers of parts need to add to a level that was imported before.

    shown: what the scene says now; None where only the kind of level counts. Content is looked for beside the .blend.
    Raises SceneError for a collection that is not a level with a root.
    """
    info = originals.describe(collection)
    root = level.root_of(collection)
    if info is None or root is None:
        raise SceneError(f"{collection.name} is not a Genesis3D level, or its root empty is gone")
    settings = ImportSettings(**{key: info.options[key] for key in ("scale", "lighting") if key in info.options})
    if shown is None:
        shown = genesis.new_level("3dt") if info.options.get(layout.KIND) == "3dt" else genesis.new_level("map")
    return ImportContext(
        level=shown,
        settings=settings,
        report=report,
        path=Path(bpy.data.filepath),
        scene=stage.scene_of(context),
        alone=False,
        token=identity.Token(info.token),
        collection=collection,
        root=root,
        parts={},
    )


@dataclass
class ExportContext:
    """One export."""

    context: bpy.types.Context
    collection: bpy.types.Collection
    """The level's."""
    token: int | None
    """The level's; None where there is no original, so that no record is known."""
    scale: float
    """Metres a unit, of the import."""
    settings: ExportSettings
    report: Report
    changed: bool = False
    """Whether anything differs from the original."""

    @property
    def scene(self) -> bpy.types.Scene:
        """Blender's scene. Raises SceneError where there is none."""
        if self.context.scene is None:
            raise SceneError("there is no scene to export from")
        return self.context.scene

    def note(self, what: str) -> None:
        """Tell of something that changed."""
        self.changed = True
        self.report.note(what)

    def replace_list(self, owner: object, name: str, values: Sequence[object]) -> None:
        """Give a record another list if it holds other things than the one that it has, or in another order."""
        before = getattr(owner, name)
        if before is None or len(before) != len(values) or any(a is not b for a, b in zip(before, values, strict=True)):
            setattr(owner, name, values)
            self.changed = True


def numbered_name(name: str, taken: Container[str]) -> str:
    """The name with the first number from 2 on that makes it another than those taken (in lower case)."""
    number = 2
    while f"{name}_{number}".lower() in taken:
        number += 1
    return f"{name}_{number}"
