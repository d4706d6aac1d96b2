# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of an import, each made once: what `shaders` makes of a VMT, or a placeholder where it is missing."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import source
from ....formats.source import LumpId
from ....formats.source.content import vmt
from ...scene.blender_types import always, expect
from ...scene.kept import identity, originals
from ...scene.names import showable
from .. import layout
from .model_nodes import ModelShading
from .shaders import PLACEHOLDER, Builder, unlit
from .textures import Textures

_GREY = (0.2, 0.2, 0.2)


class Materials:
    """The materials of an import: see `context.MaterialMaker`. reflectivity: linear colours of textures by their names,
    for those that are missing. baked: the level's node group of `lightmaps.build`; None where Blender's lights shine.
    """

    def __init__(
        self,
        collection: bpy.types.Collection,
        token: int,
        textures: Textures,
        reflectivity: dict[str, tuple[float, float, float]],
        numbers: dict[str, int],
    ) -> None:
        self.textures = textures
        self.baked: bpy.types.NodeTree | None = None
        self.lit_props = False
        """Whether `baked` has light of static props."""
        self.shading = ModelShading()
        """Of the map's models."""
        self._collection = collection
        self._token = token
        self._reflectivity = reflectivity
        self._numbers = numbers
        self._made: dict[tuple[str, bool], bpy.types.Material] = {}
        self._templates: dict[tuple[bool, bool], bpy.types.Material] = {}

    def _builder(self, material: bpy.types.Material, found: vmt.Material, lightmapped: bool, water: bool) -> Builder:
        """What makes a material: of the map's faces, or of models."""
        baked = self.baked if lightmapped or self.lit_props else None
        return Builder(material, found, self.textures, baked, water, None if lightmapped else self.shading)

    def of(
        self, name: str, lightmapped: bool = False, size: tuple[int, int] = (512, 512), water: bool = False
    ) -> bpy.types.Material:
        """See `context.MaterialMaker`."""
        key = (name, lightmapped and self.baked is not None)
        if key not in self._made:
            made = self._make(name, key[1], size, water)
            number = self._numbers.get(name, -1)
            identity.stamp(made, self._token, layout.MATERIAL_KIND, number)
            made[layout.MATERIAL] = showable(name)
            made.pop(layout.OWN_NAME, None)  # of the placeholder that it is a copy of
            if number < 0:
                made[layout.OWN_NAME] = showable(name)
            if lightmapped and number >= 0:
                originals.set_resource(self._collection, layout.MATERIAL_KIND, number, made)
            self._made[key] = made
        return self._made[key]

    def _make(self, name: str, lightmapped: bool, size: tuple[int, int], water: bool) -> bpy.types.Material:
        found = self.textures.content.material(name) if name else None
        if found is None:
            if name:
                self.textures.report.missing("materials", name)
            return self._placeholder(name, (lightmapped, water), self.checker(name, size))
        if found.flaws:
            self.textures.report.note(f"material {name} is read as the game reads it: {showable(found.flaws[0])}")
        material = bpy.data.materials.new(showable(name))
        builder = self._builder(material, found, lightmapped, water)
        if not builder.build(name):
            builder.placeholder(self.checker(name, size), not unlit(builder.shader))
        if name in self._reflectivity and not builder.is_clear:
            material.diffuse_color = (*self._reflectivity[name], 1.0)
        return material

    def _placeholder(self, name: str, kind: tuple[bool, bool], image: bpy.types.Image) -> bpy.types.Material:
        """The material of one that is missing. All but the first of a kind are copies of it: nodes take their time to
        make. kind: whether it is lightmapped, and water.
        """
        template = self._templates.get(kind)
        if template is None:
            material = bpy.data.materials.new("placeholder")
            self._builder(material, vmt.Material("missing"), *kind).placeholder(image)
            self._templates[kind] = material
        else:
            material = template.copy()
            node = always(material.node_tree).nodes[PLACEHOLDER]
            expect(bpy.types.ShaderNodeTexImage, node).image = image
        material.name = showable(name) or "no material"
        material.diffuse_color = (*self._reflectivity.get(name, _GREY), 1.0)
        return material

    def checker(self, name: str, size: tuple[int, int]) -> bpy.types.Image:
        """The placeholder of a material's texture, in the colour that the map knows of it."""
        return self.textures.checker(name or "none", size, self._reflectivity.get(name, _GREY))


def known_textures(level: source.Level) -> tuple[dict[str, tuple[float, float, float]], dict[str, int]]:
    """The colours (linear, 0 to 1) of a map's textures by their names, and their numbers in the table of names.

    Raises FormatError.
    """
    names, texdata = level.texture_names.names, level.table(LumpId.TEXDATA)
    known = texdata[(texdata["name_string_table_id"] >= 0) & (texdata["name_string_table_id"] < len(names))]
    colors = np.nan_to_num(known["reflectivity"].astype(np.float64)).clip(0, 1).tolist()
    reflectivity = {names[n]: (r, g, b) for n, (r, g, b) in zip(known["name_string_table_id"], colors, strict=True)}
    return reflectivity, {name: number for number, name in reversed(list(enumerate(names)))}
