# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of a material's textures: where they lie, what normal maps mean, and how textures are blended.

Valve Developer Community: "$basetexturetransform", "$seamless_scale", "$bumpmap", "$ssbump", "$detail".
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.source.content import vmt
from ...scene.blender_types import Input, Node
from ...scene.media.materials import Nodes, Socket
from .. import layout
from .textures import Textures

_DETAIL_SCALE = 4.0
_SEAM = 0.3
"""How much of a seamless texture's three projections lie over each other."""
_SDK = "sdk_"
"""Shaders of mods have the names of the game's own behind it."""
_OF_MODELS = ("vertexlit", "unlit")
_SEAMLESS = {"$basetexturetransform": "$seamless_base", "$detailtexturetransform": "$seamless_detail"}
"""What says that a model's texture is seamless, by the texture's transform."""
_BUMP_BASIS = (
    ((2 / 3) ** 0.5, 0.0, 3**-0.5),
    (-(6**-0.5), 2**-0.5, 3**-0.5),
    (-(6**-0.5), -(2**-0.5), 3**-0.5),
)
"""The directions, in the surface's own axes, whose light self-shadowing normal maps have as red, green and blue."""
_MOD2X, _ADD, _OVER, _FADE, _UNDER, _GLOW, _TWO_PATTERNS, _MULTIPLY, _MASK = 0, 1, 2, 3, 4, 5, 7, 8, 9
"""What $detailblendmode says."""
KNOWN_DETAILS = frozenset((_MOD2X, _ADD, _OVER, _FADE, _UNDER, _GLOW, _TWO_PATTERNS, _MULTIPLY, _MASK))


def plain_name(shader: str) -> str:
    """The name of a shader in small letters, without what mods put before it."""
    return shader.lower().removeprefix(_SDK)


class TextureNodes:
    """Adds the nodes of a material's textures to its tree."""

    def __init__(self, nodes: Nodes, found: vmt.Material, textures: Textures) -> None:
        self.nodes, self.found, self.textures = nodes, found, textures
        self.is_world = not plain_name(found.shader).startswith(_OF_MODELS)

    def _seamless(self, flag: str) -> float:
        """How much a texture that is projected from three sides is scaled, 0 for one that has coordinates: all of the
        world's, of models those that the parameter `flag` says so of.
        """
        return self.found.number("$seamless_scale") if self.is_world or self.found.flag(flag) else 0.0

    def named(self, parameter: str, transform: str = "", data: bool = False) -> Node | None:
        """Add the image that a parameter names; None where there is none. data: its pixels are no colours."""
        name = self.found.texture(parameter)
        image = self.textures.image(name, data) if name else None
        return None if image is None else self.texture(image, transform)

    def on_iris(self, parameter: str) -> Node | None:
        """Add the image of an iris, where the model's eyes have it; None where there is none."""
        name = self.found.texture(parameter)
        image = self.textures.image(name) if name else None
        if image is None:
            return None
        node = self.nodes.add("ShaderNodeTexImage", image=image, extension="CLIP")
        self.nodes.link(self.nodes.add("ShaderNodeUVMap", uv_map=layout.IRIS_UV).outputs[0], node.inputs["Vector"])
        return node

    def texture(self, image: bpy.types.Image, transform: str = "", scale: float = 1.0) -> Node:
        """Add an image, with the texture coordinates turned and scaled as a parameter says."""
        seamless = self._seamless(_SEAMLESS.get(transform, ""))
        if seamless > 0:
            node = self.nodes.add("ShaderNodeTexImage", image=image, projection="BOX", projection_blend=_SEAM)
            place = self.nodes.feed(self.nodes.add("ShaderNodeVectorMath", operation="SCALE"), Scale=seamless)
            self.nodes.link(self.nodes.add("ShaderNodeTexCoord").outputs["Object"], place.inputs[0])
            self.nodes.link(place.outputs[0], node.inputs["Vector"])
            return node
        node = self.nodes.add("ShaderNodeTexImage", image=image)
        matrix = self.found.transform(transform) if transform else np.eye(2, 3)
        if scale == 1.0 and np.allclose(matrix, np.eye(2, 3)):
            return node
        # v runs down in the game: v' = 1 - v on both sides of the matrix.
        at = self.nodes.add("ShaderNodeUVMap", uv_map=layout.UV).outputs[0]
        parts = self.nodes.put("ShaderNodeSeparateXYZ", at)
        u, v = parts.outputs[0], self.nodes.math("SUBTRACT", 1.0, parts.outputs[1])
        rows = [
            self.nodes.math(
                "MULTIPLY_ADD", u, float(a) * scale, self.nodes.math("MULTIPLY_ADD", v, float(b) * scale, float(c))
            )
            for a, b, c in matrix
        ]
        joined = self.nodes.put("ShaderNodeCombineXYZ", rows[0])
        self.nodes.link(self.nodes.math("SUBTRACT", 1.0, rows[1]), joined.inputs[1])
        self.nodes.link(joined.outputs[0], node.inputs["Vector"])
        return node

    # ------------------------------------------------------------------------------------------------------- mixtures

    def mix(self, factor: Input, one: Input, other: Input, blend: str = "MIX") -> Socket:
        """Mix two colours: one at 0, the other (blended with it) at 1."""
        return self.nodes.mix(factor, one, other, blend)

    def mix_numbers(self, factor: Input, one: Input, other: Input) -> Socket:
        """Mix two numbers: one at 0, the other at 1."""
        node = self.nodes.add("ShaderNodeMix", data_type="FLOAT")
        for number, value in ((0, factor), (2, one), (3, other)):
            self.nodes.set(node.inputs[number], value)
        return node.outputs[0]

    def detailed(self, color: Socket, alpha: Socket, shader: str) -> tuple[Socket, Socket, Socket | None]:
        """Lay the detail texture over colour and alpha, as $detailblendmode says; and what it adds to the light."""
        name = self.found.texture("$detail")
        mode = int(self.found.number("$detailblendmode", _OVER if shader.startswith("worldtwotexture") else _MOD2X))
        if name is None or mode not in KNOWN_DETAILS:
            return color, alpha, None
        image = self.textures.image(name, data=mode == _MOD2X)  # its bytes as they are: 128 changes nothing
        if image is None:
            return color, alpha, None
        node = self.texture(image, "$detailtexturetransform", self.found.number("$detailscale", _DETAIL_SCALE))
        detail, cover = node.outputs["Color"], node.outputs["Alpha"]
        factor = float(np.clip(self.found.number("$detailblendfactor", 1.0), 0, 1))
        twice = (2.0, 2.0, 2.0, 1.0)
        if mode == _ADD:
            color = self.mix(factor, color, detail, "ADD")
        elif mode == _OVER:
            color = self.mix(self.nodes.math("MULTIPLY", cover, factor), color, detail)
        elif mode == _FADE:
            color, alpha = self.mix(factor, color, detail), self.mix_numbers(factor, alpha, cover)
        elif mode == _UNDER:
            under = self.nodes.math("MULTIPLY", self.nodes.math("SUBTRACT", 1.0, alpha), factor)
            color, alpha = self.mix(under, color, detail), cover
        elif mode == _GLOW:
            return color, alpha, self.nodes.multiply(detail, (factor, factor, factor, 1.0))
        elif mode == _TWO_PATTERNS:
            parts = self.nodes.put("ShaderNodeSeparateColor", detail)
            either = self.nodes.add("ShaderNodeCombineColor")
            pattern = self.mix_numbers(alpha, parts.outputs[0], cover)
            for socket in either.inputs[:3]:
                self.nodes.link(pattern, socket)
            color = self.mix(factor, color, self.nodes.multiply(either.outputs[0], twice), "MULTIPLY")
        elif mode == _MASK:
            alpha = self.mix_numbers(factor, alpha, self.nodes.math("MULTIPLY", alpha, cover))
        else:
            over = detail if mode == _MULTIPLY else self.nodes.multiply(detail, twice)
            color = self.mix(factor, color, over, "MULTIPLY")
        return color, alpha, None

    # -------------------------------------------------------------------------------------------------------- normals

    def normal(self, bump: Socket) -> Socket:
        """The normals of a normal map's colour: its green points down, or it is self-shadowing."""
        if self.found.flag("$ssbump"):
            joined = self._unpacked(bump)
        else:
            parts = self.nodes.put("ShaderNodeSeparateColor", bump)
            combined = self.nodes.put("ShaderNodeCombineColor", parts.outputs[0])
            self.nodes.link(self.nodes.math("SUBTRACT", 1.0, parts.outputs[1]), combined.inputs[1])
            self.nodes.link(parts.outputs[2], combined.inputs[2])
            joined = combined.outputs[0]
        normal = self.nodes.feed(self.nodes.add("ShaderNodeNormalMap", uv_map=layout.UV), Color=joined)
        return normal.outputs[0]

    def _unpacked(self, bump: Socket) -> Socket:
        """A self-shadowing normal map as a usual one, green upwards."""
        joined = self.nodes.add("ShaderNodeCombineColor")
        for axis, flip in enumerate((1.0, -1.0, 1.0)):
            dot = self.nodes.put(
                "ShaderNodeVectorMath",
                bump,
                [flip * direction[axis] for direction in _BUMP_BASIS],
                operation="DOT_PRODUCT",
            )
            self.nodes.link(self.nodes.math("MULTIPLY_ADD", dot.outputs["Value"], 0.5, 0.5), joined.inputs[axis])
        return joined.outputs[0]
