# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials by their paths, from the game's content: what faces and props have.

A surface shows albedo, normal, specular, opacity and emissive maps as far as its `.material` names them and they are
found. Shaders of level geometry have the strength of highlights in the albedo's alpha, those of models have their
colour in the specular map and their sharpness in its alpha (ns2.md §10). Textures are referred to where they
are: `.dds`, which Blender reads itself.
"""

from __future__ import annotations

from pathlib import Path

import bpy

from ....formats.binary import FormatError
from ....formats.ns2 import dds
from ....formats.ns2 import material as material_file
from ....formats.ns2.material import Material
from ....formats.reach import AllowedFolders
from ...scene.blender_types import Input, Node, always, expect
from ...scene.kept import identity, originals
from ...scene.media import images
from ...scene.media.materials import Nodes, Socket, blended, shader
from ...scene.names import showable, storable
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from .collect import NAMELESS, title_of

PLACEHOLDER = "levelwright_placeholder"
ROUGHNESS = 0.5
"""Of surfaces that don't say how sharp their highlights are."""
HIGHLIGHT = 0.5
"""Specular IOR level of full strength."""
LABEL_SIZE = 128
"""Pixels of the picture that stands for a texture that wasn't found."""


class Materials:
    """Makes each material when it is first asked for."""

    def __init__(self, importing: ImportContext) -> None:
        self.importing = importing
        self._made: dict[str, bpy.types.Material] = {}
        self._textures: dict[str, tuple[bpy.types.Image, dds.Texture] | None] = {}
        self._label: dict[str, bpy.types.Image] = {}
        self._template: bpy.types.Material | None = None
        """The first placeholder: others are copies of it, which takes a tenth of the time that making nodes takes."""

    def of_level(self) -> Steps[list[bpy.types.Material]]:
        """The materials of the level's list, one for each entry, and one more where faces name what isn't in it."""
        importing = self.importing
        names = list(importing.level.mesh.materials)
        made = []
        records = importing.level.mesh.faces.records["material"]
        if len(records) and int(records.max()) >= len(names):
            names.append("")
        with progress(len(names), "materials") as step:
            for number, path in enumerate(names):
                material = self._new(path)
                identity.stamp(material, importing.token, layout.MATERIAL_KIND, number)
                originals.set_resource(importing.collection, layout.MATERIAL_KIND, number, material)
                self._made.setdefault(path, material)
                made.append(material)
                yield step()
        return made

    def get(self, path: str) -> bpy.types.Material:
        """The material of this path: what props and decals have."""
        found = self._made.get(path)
        if found is None:
            found = self._made[path] = self._new(path)
        return found

    def _new(self, path: str) -> bpy.types.Material:
        title = title_of(path)
        name = title or NAMELESS
        about = self._read(path)
        if about is None:
            material = self._placeholder(name, title)
        else:
            material = bpy.data.materials.new(showable(name))
            self._surface(material, about, title)
        if showable(path) == path:
            material[layout.MATERIAL] = storable(path)
        return material

    def _read(self, path: str) -> Material | None:
        """The `.material` of a path; None, and a line in the report, where there is none that can be read."""
        file = self.importing.find(path) if path else None
        if file is None:
            self.importing.report.missing("materials", path or "(no name)")
            return None
        try:
            return material_file.read(self.importing.content.read(file))
        except (FormatError, OSError) as error:
            self.importing.report.warn(f"{path}: {error}")
            return None

    def texture(self, path: str, non_color: bool = False) -> tuple[bpy.types.Image, dds.Texture] | None:
        """The image at a path, and what its header says; None, and a line in the report, where there is none."""
        if not path:
            return None
        key = f"{path.lower()}{' data' if non_color else ''}"
        if key not in self._textures:
            self._textures[key] = self._load(path, non_color)
        return self._textures[key]

    def _load(self, path: str, non_color: bool) -> tuple[bpy.types.Image, dds.Texture] | None:
        file = self.importing.find(path)
        if file is None:
            self.importing.report.missing("textures", path)
            return None
        try:
            about = _describe(file, self.importing.content)
        except (FormatError, OSError) as error:
            self.importing.report.warn(f"{path}: {error}")
            return None
        space = "Non-Color" if non_color else "sRGB"
        image = images.load(file, self.importing.content, check_existing=True)
        if always(image.colorspace_settings).name != space:
            if image.users:  # the same file as a colour and as data
                image = images.load(file, self.importing.content)
            images.set_color_space(image, space)
        image.alpha_mode = "CHANNEL_PACKED"
        return image, about

    def _placeholder(self, name: str, label: str) -> bpy.types.Material:
        """A grey checker with the material's name on it, lit as all else is."""
        if self._template is None:
            self._template = bpy.data.materials.new(showable(name))
            self._template[PLACEHOLDER] = True
            nodes = shader(self._template)
            _finish(self._template, nodes, self._lit(nodes, self._checker(label)).outputs[0])
            return self._template
        made = self._template.copy()
        made.name = showable(name)
        expect(bpy.types.ShaderNodeTexImage, always(made.node_tree).nodes.active).image = self._checker(label)
        identity.unstamp(made)
        if made.get(layout.MATERIAL) is not None:
            del made[layout.MATERIAL]
        return made

    def _checker(self, label: str) -> bpy.types.Image:
        if label not in self._label:
            self._label[label] = images.checker(f"{label} (not found)", LABEL_SIZE, LABEL_SIZE, label, 8)
        return self._label[label]

    def _lit(self, nodes: Nodes, image: bpy.types.Image) -> Node:
        picture = nodes.add("ShaderNodeTexImage", image=image)
        nodes.tree.nodes.active = picture
        surface = nodes.add("ShaderNodeBsdfPrincipled")
        return nodes.feed(surface, Base_Color=picture.outputs["Color"], Roughness=1.0, Specular_IOR_Level=0.0)

    def _surface(self, material: bpy.types.Material, about: Material, label: str) -> None:
        """What the `.material` says, as far as Blender's standard surface can show it."""
        albedo = self.texture(about.texture("albedoMap"))
        if albedo is None:
            material[PLACEHOLDER] = True
        nodes = shader(material)
        surface = self._lit(nodes, albedo[0] if albedo is not None else self._checker(label))
        self._highlights(nodes, surface, about, albedo, nodes.tree.nodes.active)
        normal = self.texture(about.texture("normalMap"), non_color=True)
        if normal is not None:
            bump = nodes.add("ShaderNodeNormalMap", uv_map=layout.UV)
            nodes.link(nodes.add("ShaderNodeTexImage", image=normal[0]).outputs["Color"], bump.inputs["Color"])
            nodes.link(bump.outputs[0], surface.inputs["Normal"])
        glow = self.texture(about.texture("emissiveMap"))
        if glow is not None:
            picture = nodes.add("ShaderNodeTexImage", image=glow[0])
            nodes.feed(surface, Emission_Color=picture.outputs["Color"], Emission_Strength=1.0)
        opacity = self.texture(about.texture("opacityMap"), non_color=True)
        if opacity is not None:
            picture = nodes.add("ShaderNodeTexImage", image=opacity[0])
            nodes.link(picture.outputs["Alpha" if opacity[1].alpha else "Color"], surface.inputs["Alpha"])
        _finish(material, nodes, surface.outputs[0])

    def _highlights(
        self,
        nodes: Nodes,
        surface: Node,
        about: Material,
        albedo: tuple[bpy.types.Image, dds.Texture] | None,
        color: Node | None,
    ) -> None:
        """Strength, colour and sharpness of highlights."""
        if color is not None and about.specular_in_albedo and albedo is not None and albedo[1].alpha:
            strength = nodes.math("MULTIPLY", color.outputs["Alpha"], HIGHLIGHT)
            nodes.feed(surface, Specular_IOR_Level=strength, Roughness=ROUGHNESS)
            return
        specular = self.texture(about.texture("specularMap"), non_color=True)
        if specular is None:
            return
        picture = nodes.add("ShaderNodeTexImage", image=specular[0])
        gray = nodes.put("ShaderNodeRGBToBW", picture.outputs["Color"])
        nodes.feed(surface, Specular_IOR_Level=nodes.math("MULTIPLY", gray.outputs[0], HIGHLIGHT))
        sharp = specular[1].alpha and not about.specular_in_albedo
        rough: Input = nodes.math("SUBTRACT", 1.0, picture.outputs["Alpha"]) if sharp else ROUGHNESS
        nodes.feed(surface, Roughness=rough, Specular_Tint=picture.outputs["Color"])


def _finish(material: bpy.types.Material, nodes: Nodes, surface: Socket) -> None:
    """Show a surface from its visible side only, as the game does: so rooms can be looked into from outside."""
    blended(material, transparent=False)
    material.use_backface_culling = True
    nodes.link(surface, nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])


def _describe(file: Path, content: AllowedFolders) -> dds.Texture:
    with content.open(file) as stream:
        head = stream.read(dds.HEADER)
    return dds.describe(head, content.size(file))
