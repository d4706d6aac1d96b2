# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes, models, entities and groups as objects of a scene, each with the record of the original that it is."""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy

from ...scene.kept.instances import Instance


@dataclass(slots=True, eq=False)
class SceneModel(Instance):
    """A world model's empty."""

    motion: bpy.types.Object | None = None
    """The empty below it that moves; None: it has no motion."""


@dataclass(slots=True, eq=False)
class SceneGroup:
    """A group's collection (`.3dt`)."""

    collection: bpy.types.Collection
    record: int
    copied: bool = False
    """Whether another collection is the record."""


@dataclass(slots=True, eq=False)
class SceneBrush:
    """An object that is a brush or several, or (an empty) one that is made of others."""

    object: bpy.types.Object
    record: int
    """The number of the brush that it is or was copied from, of several the first; -1: none."""
    model: SceneModel | None = None
    group: SceneGroup | None = None
    children: list[SceneBrush] | None = None
    """The brushes that it is made of; None: it has a mesh of its own."""


@dataclass(slots=True, eq=False)
class SceneEntity(Instance):
    """The object of a point entity."""

    group: SceneGroup | None = None


@dataclass(slots=True, eq=False)
class SceneLevel:
    """All of a level; models, entities and groups are in the scene's order."""

    root: bpy.types.Object | None
    brushes: list[SceneBrush] = field(default_factory=list)
    """Those that are in no other brush, in the order of the file."""
    models: list[SceneModel] = field(default_factory=list)
    entities: list[SceneEntity] = field(default_factory=list)
    groups: list[SceneGroup] = field(default_factory=list)

    def all_brushes(self) -> list[SceneBrush]:
        """Every brush, parents before their children."""
        result: list[SceneBrush] = []
        stack = list(reversed(self.brushes))
        while stack:
            brush = stack.pop()
            result.append(brush)
            stack += reversed(brush.children or ())
        return result
