# SPDX-License-Identifier: GPL-3.0-or-later
"""What all parts of an import share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import bpy
import numpy as np

from ...formats import source
from ...formats.arrays import Floats, Records
from ...formats.binary import FormatError
from ...formats.source import LumpId, geometry
from ...formats.source.content.search_path import SearchPath
from ...formats.source.entities.entity_values import by_key
from ...formats.source.records import Dtype
from ...formats.source.tables import geometry as records_geometry
from ..scene import level
from . import layout
from .settings import ImportSettings


class MaterialMaker(Protocol):
    """What gives the parts of an import their materials."""

    def of(
        self, name: str, lightmapped: bool = False, size: tuple[int, int] = (512, 512), water: bool = False
    ) -> bpy.types.Material:
        """The material of this name ("brick/wall": without "materials/" and ending), made when first asked for.

        lightmapped: lit by the map's lightmaps (see layout.LIGHTMAP_UV), as faces are; otherwise by Blender's lights.
        size: pixels of the texture, for the placeholder where it is missing. water: faces have it that are water's.
        """


@dataclass(frozen=True)
class ImportContext(level.ImportContext[source.Level, ImportSettings]):
    """One import of a map. Meshes that no object uses when all parts are made get a plain object."""

    content: SearchPath
    """Files: the map's pak, then the game's."""
    materials: MaterialMaker
    """The materials of all parts."""
    meshes: dict[int, bpy.types.Mesh] = field(default_factory=dict)
    """Those of brush models by their number, 1 and up."""
    lit_props: bool = False
    """Whether static props are shown with the light that the compiler baked into them."""
    triggers: set[int] = field(default_factory=set)
    """Which of these models have nothing but tool textures, or no faces."""
    _groups: dict[tuple[str, str], bpy.types.Collection] = field(default_factory=dict, repr=False)
    """Collections by their name and that of the one around them."""

    @property
    def scale(self) -> float:
        """Metres a unit: of the root."""
        return float(self.settings.scale)

    @cached_property
    def values(self) -> list[dict[str, str]]:
        """The values of each entity by key in small letters, see `by_key`. Raises FormatError."""
        return [by_key(entity) for entity in self.level.entities]

    @cached_property
    def polygons(self) -> geometry.Polygons:
        """The drawn faces; those that can't be read, which the report says, have no corners. Raises FormatError."""
        try:
            return geometry.polygons(self.level)
        except FormatError as error:
            found = geometry.readable_polygons(self.level)
            self.report.warn(f"faces without all of their corners are left out: {error}")
            return found

    @cached_property
    def area_normals(self) -> Floats:
        """Those of the drawn faces, see `geometry`. Raises FormatError."""
        return geometry.area_normals(self.polygons)

    @cached_property
    def texinfos(self) -> Records:
        """How textures lie on faces: none where that can't be read, which the report says."""
        return self._readable(LumpId.TEXINFO, records_geometry.TEXINFO)

    @cached_property
    def texdata(self) -> Records:
        """The textures' sizes and the numbers of their names: none where they can't be read, which the report says."""
        return self._readable(LumpId.TEXDATA, records_geometry.TEXDATA)

    @cached_property
    def texture_names(self) -> list[str]:
        """Those that texdata have the numbers of: none where they can't be read, which the report says."""
        try:
            return self.level.texture_names.names
        except FormatError as error:
            self.report.warn(f"textures have no names: {error}")
            return []

    def _readable(self, lump: LumpId, dtype: Dtype) -> Records:
        try:
            return self.level.table(lump)
        except FormatError as error:
            self.report.warn(f"faces have no textures: {error}")
            return np.zeros(0, dtype)

    def group(self, name: str, below: str = "") -> bpy.types.Collection:
        """The collection of this name (layout.WORLD, "Static Props") in the level's, or in the group `below`; made
        when first asked for, hidden if layout.HIDDEN says so.
        """
        if (name, below) not in self._groups:
            made = self.collection_of(name, layout.GROUP, parent=self.group(below) if below else None)
            made.hide_viewport = made.hide_render = name in layout.HIDDEN
            self._groups[name, below] = made
        return self._groups[name, below]

    def brush_home(self, model: int) -> bpy.types.Collection:
        """The collection of a brush model's object: hidden for those that the game never draws."""
        if model in self.triggers:
            return self.group(layout.TRIGGERS, layout.BRUSH_ENTITIES)
        return self.group(layout.BRUSH_ENTITIES)
