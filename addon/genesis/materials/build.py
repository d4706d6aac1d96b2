# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of a level's textures: one for each texture and appearance of faces.

Surfaces are lit as anything in Blender is. What the engine draws otherwise: full-bright ones as bright as their
texture, translucent ones as opaque as the face's alpha, mirrors as a mirror behind the texture that the alpha lets
through, and sky faces as holes in which the six textures of the sky are seen, whatever texture they have.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ....formats.genesis.editor_level import SKY_SIDES, Level3dt
from ....formats.genesis.geometry import FaceAppearance
from ...scene.blender_types import Input
from ...scene.kept import identity, originals
from ...scene.media import images
from ...scene.media.materials import Nodes, Socket, blended, node_group, shader
from ...scene.names import showable, storable
from .. import layout
from ..context import ImportContext
from . import library
from .collect import given_size
from .library import Pictures
from .names import APPEARANCE, NAMED, title_of
from .screen_colors import as_drawn

ALPHA = "alpha"
"""The face attribute."""
SIDES = ("SkyLeft", "SkyRight", "SkyTop", "SkyBottom", "SkyFront", "SkyBack")
_AXES = {
    # Side: the axis of the direction that meets it, its sign, and what of the direction goes right and up on it.
    "SkyLeft": (0, -1, (1, 1), (2, 1)),
    "SkyRight": (0, 1, (1, -1), (2, 1)),
    "SkyTop": (2, 1, (0, 1), (1, -1)),
    "SkyBottom": (2, -1, (0, 1), (1, 1)),
    "SkyFront": (1, 1, (0, 1), (2, 1)),
    "SkyBack": (1, -1, (0, -1), (2, 1)),
}
"""In Blender's axes, seen from inside: the engine looks along its -z, Blender's +y, to the front."""


class Materials:
    """Makes each material of a level when it is first asked for. sky: texture of each of SIDES that has one."""

    baked: bpy.types.NodeTree | None = None
    """The node group of the level's light; None where Blender's lights shine."""

    def __init__(self, importing: ImportContext, pictures: Pictures, sky: dict[str, str]) -> None:
        self.importing = importing
        self.pictures = pictures
        self.sky = sky
        self._made: dict[tuple[str, FaceAppearance], bpy.types.Material] = {}
        self._number = max(originals.resources(importing.collection, layout.MATERIAL), default=-1) + 1

    def get(self, texture: str, appearance: FaceAppearance) -> bpy.types.Material:
        """The material of faces with a texture and an appearance."""
        if self.importing.settings.lighting == "full_bright" and not appearance & (
            FaceAppearance.SKY | FaceAppearance.MIRROR | FaceAppearance.INVISIBLE
        ):
            appearance |= FaceAppearance.FULLBRIGHT
        key = (texture, appearance)
        material = self._made.get(key)
        if material is None:
            material = self._made[key] = self._make(texture, appearance)
        return material

    def adopt(self, materials: Iterable[bpy.types.ID]) -> None:
        """Use materials that an import made earlier, whose textures may be nowhere else by now."""
        for material in materials:
            texture, appearance = material.get(layout.TEXTURE), material.get(APPEARANCE)
            if isinstance(material, bpy.types.Material) and isinstance(texture, str) and isinstance(appearance, int):
                self._made[texture, FaceAppearance(appearance)] = material
                size = given_size(material)
                if size is not None and min(size) > 0:
                    self.pictures.sizes[texture.lower()] = (int(size[0]), int(size[1]))

    def _make(self, texture: str, appearance: FaceAppearance) -> bpy.types.Material:
        material = bpy.data.materials.new(showable(title_of(texture, appearance)))
        material[NAMED] = showable(title_of(texture, appearance))
        material[layout.TEXTURE] = storable(texture)
        material[layout.TEXTURE_SIZE] = list(self.pictures.size(texture))
        material[APPEARANCE] = int(appearance)
        number = self._number
        self._number += 1
        identity.stamp(material, self.importing.token, layout.MATERIAL, number)
        originals.set_resource(self.importing.collection, layout.MATERIAL, number, material)
        nodes = shader(material)
        if appearance & FaceAppearance.INVISIBLE:
            surface = _invisible(material, nodes)
        elif appearance & FaceAppearance.SKY and self.sky:
            surface = self._sky(nodes)
            material.use_backface_culling = True
        else:
            surface = self._textured(material, nodes, texture, appearance)
        nodes.link(surface, nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])
        return material

    def _textured(self, material: bpy.types.Material, nodes: Nodes, texture: str, appearance: FaceAppearance) -> Socket:
        image = self.pictures.image(texture)
        if images.is_placeholder(image):
            material["levelwright_placeholder"] = True
        picture = nodes.add("ShaderNodeTexImage", image=image)
        nodes.tree.nodes.active = picture
        color = picture.outputs["Color"]
        if appearance & (FaceAppearance.FULLBRIGHT | FaceAppearance.SKY):
            surface = nodes.feed(nodes.add("ShaderNodeEmission"), Color=color).outputs[0]
        else:
            lit = nodes.add("ShaderNodeBsdfPrincipled")
            surface = nodes.feed(lit, Base_Color=color, Roughness=1.0, Specular_IOR_Level=0.0).outputs[0]
            if self.baked is not None:
                surface = as_drawn(nodes, self.baked, color, surface)
        alpha = nodes.math("DIVIDE", nodes.add("ShaderNodeAttribute", attribute_name=ALPHA).outputs["Fac"], 255.0)
        if appearance & FaceAppearance.MIRROR:
            mirror = nodes.feed(nodes.add("ShaderNodeBsdfGlossy"), Roughness=0.0).outputs[0]
            return nodes.mix_shaders(alpha, mirror, surface)
        if appearance & FaceAppearance.TRANSLUCENT:
            alpha = nodes.math("MULTIPLY", alpha, picture.outputs["Alpha"])
            blended(material)
            return nodes.mix_shaders(alpha, nodes.add("ShaderNodeBsdfTransparent").outputs[0], surface)
        blended(material, transparent=False)
        material.use_backface_culling = True  # as the engine draws it: so rooms can be looked into from outside
        return surface

    def _sky(self, nodes: Nodes) -> Socket:
        """The sky box as seen in the direction of the view; light from outside doesn't come in, as in the game."""
        direction = nodes.add("ShaderNodeNewGeometry").outputs["Incoming"]
        color: Input = (0.0, 0.0, 0.0, 1.0)
        cube = nodes.put("ShaderNodeGroup", direction, node_tree=node_group("Levelwright sky", 1, _build_sky))
        for number, side in enumerate(SIDES):
            if side not in self.sky:
                continue
            image = self.pictures.image(self.sky[side])
            picture = nodes.feed(
                nodes.add("ShaderNodeTexImage", image=image, extension="EXTEND"), Vector=cube.outputs[2 * number]
            )
            color = nodes.mix(cube.outputs[2 * number + 1], color, picture.outputs["Color"])
        return nodes.feed(nodes.add("ShaderNodeEmission"), Color=color).outputs[0]


def _invisible(material: bpy.types.Material, nodes: Nodes) -> Socket:
    blended(material)
    material.diffuse_color = (0.8, 0.8, 0.2, 0.25)
    return nodes.add("ShaderNodeBsdfTransparent").outputs[0]


def _build_sky(nodes: Nodes) -> None:
    """Where on each side of a cube round the viewer a direction goes through it, and which side that is."""
    outputs = {name: kind for side in SIDES for name, kind in ((f"{side} UV", "Vector"), (side, "Float"))}
    nodes.sockets({"Incoming": "Vector"}, outputs)
    entry = nodes.add("NodeGroupInput").outputs[0]
    leave = nodes.add("NodeGroupOutput")
    parts = nodes.put("ShaderNodeSeparateXYZ", entry)
    axes = [nodes.math("MULTIPLY", axis, -1.0) for axis in parts.outputs]
    sizes = [nodes.math("ABSOLUTE", axis) for axis in axes]
    largest = nodes.math("MAXIMUM", nodes.math("MAXIMUM", sizes[0], sizes[1]), sizes[2])
    cube = [nodes.math("DIVIDE", axis, largest) for axis in axes]
    for number, side in enumerate(SIDES):
        axis, sign, (right, right_sign), (up, up_sign) = _AXES[side]
        place = nodes.add("ShaderNodeCombineXYZ")
        for entry_, source, turned in ((0, right, right_sign), (1, up, up_sign)):
            nodes.link(nodes.math("MULTIPLY_ADD", cube[source], 0.5 * turned, 0.5), place.inputs[entry_])
        nodes.link(place.outputs[0], leave.inputs[2 * number])
        seen = nodes.math("GREATER_THAN", nodes.math("MULTIPLY", cube[axis], float(sign)), 1 - 1e-5)
        nodes.link(seen, leave.inputs[2 * number + 1])


def sky_of(level: Level3dt) -> dict[str, str]:
    """The texture of each of SIDES of a `.3dt`'s sky that has one."""
    sides = level.sky.faces if level.sky else []
    named = {f"Sky{side}": face.texture for side, face in zip(SKY_SIDES, sides, strict=False) if face.apply}
    return {side: name for side, name in named.items() if name}


def materials_of(importing: ImportContext, named: str, sky: dict[str, str]) -> Materials:
    """The materials of a level. named: its texture library."""
    return Materials(importing, library.Pictures(importing, library.find(importing, named)), sky)


def materials_again(importing: ImportContext, level: Level3dt) -> Materials:
    """The materials of a level that was imported before: those that it holds, and new ones for what has none yet."""
    made = materials_of(importing, level.texture_library, sky_of(level))
    made.adopt(originals.resources(importing.collection, layout.MATERIAL).values())
    return made
