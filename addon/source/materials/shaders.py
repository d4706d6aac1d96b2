# SPDX-License-Identifier: GPL-3.0-or-later
"""What the engine's shaders do with the parameters of a material (VMT), as nodes that end in the group of `surface`.

Valve Developer Community: "LightmappedGeneric", "WorldVertexTransition", "Water", "Refract", "$envmap", "DecalModulate"
and others; where a mask is turned round (that of a base texture for reflections): the SDK's shaders.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.source.content import vmt
from ...scene.blender_types import Input, Node, color_of
from ...scene.media import materials as plain
from ...scene.media.materials import Nodes, Socket, given
from ...scene.names import showable
from .. import layout
from . import model_nodes, surface
from .model_nodes import ModelShading
from .texture_nodes import KNOWN_DETAILS, TextureNodes, plain_name
from .textures import Textures

_WATER_COLOR = (0.03, 0.07, 0.06)
_WATER_ALPHA, _WATER_ROUGHNESS, _WATER_MIRRORS = 0.6, 0.08, 0.02
"""_WATER_MIRRORS: of what is seen from straight above."""
_AHEAD = 0.1
"""Units: more than Cycles' numbers are apart in the largest maps."""
_GLASS_ALPHA = 0.15
_MIRROR_ROUGHNESS = 0.15
"""Cubemaps are small pictures: what they show is blurred."""
_ALPHA_TEST = 0.5
_WATER = ("water", "unlitwater")
_MOVING = ("texturescroll", "animatedtexture", "texturetransform")
_GAMMA = 2.2
"""Of colours in materials, up to 1."""
_WHITE = (1.0, 1.0, 1.0)
PLACEHOLDER = "placeholder"
"""Name of the node with a placeholder's image."""
IS_PLACEHOLDER = "levelwright_placeholder"
_KEY_LETTERS = 60
_PHONG_EXPONENT, _SHARPEST = 5.0, 149.0
"""Of highlights where a material doesn't say; and what white in an exponent's texture stands for, besides 1."""
_HIGHLIGHT = 0.5
"""Specular IOR level of highlights of full strength."""
_PHONG_FRESNEL, _LEAST_HIGHLIGHT = (0.0, 0.5, 1.0), 0.2
"""_LEAST_HIGHLIGHT: of those that are strong only at grazing angles, where Blender's surface is so itself."""
_EYES, _SCLERA = ("eyes", "eyerefract"), (0.75, 0.73, 0.7, 1.0)
"""_SCLERA: what eyes have around the iris whose shader works it out."""


Bump = tuple[Socket, Socket]
"""Colour and alpha of a normal map."""


class Builder:
    """Makes one material.

    baked: the node group of the light that is baked into it; None for Blender's lights. water: water has it, whatever
    it says itself. shading: of models, whose objects' colours tint them; None for the map's faces.
    """

    def __init__(
        self,
        material: bpy.types.Material,
        found: vmt.Material,
        textures: Textures,
        baked: bpy.types.NodeTree | None,
        water: bool = False,
        shading: ModelShading | None = None,
    ) -> None:
        self.material = material
        self.found, self.report = found, textures.report
        self.shader = plain_name(found.shader)
        self.shading = shading
        self.tinted = shading is not None and found.text("$allowdiffusemodulation") != "0"
        self.nodes: Nodes = plain.shader(material)
        self.texture = TextureNodes(self.nodes, found, textures)
        self.water = self.shader.startswith(_WATER) or found.text("$abovewater") is not None
        self.doubled = water or self.water
        self.mirrors = self.water or found.text("$envmap") is not None
        self.end = self.nodes.add("ShaderNodeGroup", node_tree=surface.group(self.mirrors))
        self.baked = baked
        self.is_clear = False
        """Whether it has no picture, and what is behind is seen through its colour."""

    def build(self, name: str) -> bool:
        """Make what the shader's name says, and keep the parameters as properties. False where its texture is missing:
        what is made then waits for a `placeholder`.
        """
        shader = self.shader
        self.material[layout.SHADER] = showable(self.found.shader)
        for key, value in self.found.parameters.items():
            if key.startswith("$"):
                self.material[showable(key)[:_KEY_LETTERS]] = showable(value)
        for proxy, _ in self.found.proxies.blocks():
            if proxy.lower() in _MOVING:
                self.report.note(f"material {name}: its {proxy} is left out, it stands still")
        if self.water:
            self._water()
        elif shader.startswith("refract"):
            self._refract()
        elif shader.startswith(("decalmodulate", "modulate")):
            return self._modulate(shader)
        elif not self._surface(name, shader):
            return False
        self._finish(self.end.outputs["Surface"])
        return True

    def placeholder(self, image: bpy.types.Image, lit: bool = True) -> None:
        """Make the material of one that is missing, or whose texture is."""
        self.material[IS_PLACEHOLDER] = True
        if lit:
            self._light()
        node = self.nodes.add("ShaderNodeTexImage", image=image)
        node.name = PLACEHOLDER
        self.nodes.tree.nodes.active = node
        self.nodes.link(node.outputs["Color"], self.end.inputs["Color"])
        self._finish(self.end.outputs["Surface"])

    def _finish(self, shown: Socket) -> None:
        out = self.nodes.feed(self.nodes.add("ShaderNodeOutputMaterial"), Surface=shown)
        self.material.use_backface_culling = not self.found.flag("$nocull")
        if self.doubled and self.material.use_backface_culling:
            self._part(out)

    def _part(self, out: Node) -> None:
        """Part both sides of water: it lies face to face with what it is from beneath, and Cycles, which culls nothing,
        would show now the one and now the other. Each is shown a bit ahead of its place, and its back isn't.
        """
        alpha = self.end.inputs["Alpha"]
        shown = given(alpha)
        front = self.nodes.math("SUBTRACT", 1.0, self.nodes.add("ShaderNodeNewGeometry").outputs["Backfacing"])
        self.nodes.link(self.nodes.math("MULTIPLY", front, shown), alpha)
        ahead = self.nodes.feed(self.nodes.add("ShaderNodeDisplacement"), Height=_AHEAD, Midlevel=0.0, Scale=1.0)
        self.nodes.link(ahead.outputs[0], out.inputs["Displacement"])
        self.material.displacement_method = "DISPLACEMENT"

    def _light(self) -> None:
        """Let the lightmaps light it, or the light of a prop's vertices."""
        if self.baked is not None:
            light = self.nodes.add("ShaderNodeGroup", node_tree=self.baked)
            names = (layout.LIGHT, layout.BAKED) if self.shading is None else (layout.PROP_LIGHT, layout.PROP_BAKED)
            for name, target in zip(names, ("Light", "Baked"), strict=True):
                self.nodes.link(light.outputs[name], self.end.inputs[target])

    # ------------------------------------------------------------------------------------------------ opaque surfaces

    def _surface(self, name: str, shader: str) -> bool:
        """LightmappedGeneric, VertexLitGeneric, UnlitGeneric, WorldVertexTransition and what resembles them."""
        base = self.texture.named("$basetexture", "$basetexturetransform")
        if shader.startswith(_EYES):
            return self._eyes(base)
        if base is None:
            return False
        self.nodes.tree.nodes.active = base  # what Solid views show of it
        color, alpha = base.outputs["Color"], base.outputs["Alpha"]
        bump_map = self.texture.named("$bumpmap", "$bumptransform", data=True)
        bump: Bump | None = None
        if shader.startswith("worldvertextransition"):
            color, alpha, bump = self._two_textures(color, alpha, bump_map)
        elif shader.startswith("lightmapped_4wayblend"):
            color, alpha = self._four_textures(color, alpha)
        elif bump_map is not None:
            bump = bump_map.outputs["Color"], bump_map.outputs["Alpha"]
        mode = self.found.number("$detailblendmode")
        if self.found.texture("$detail") and mode not in KNOWN_DETAILS:
            self.report.note(f"material {name}: its detail texture is left out ($detailblendmode {mode:g})")
        color, alpha, added = self.texture.detailed(color, alpha, shader)
        if shader.startswith("unlittwotexture"):
            color = self._multiplied(color)
        self.nodes.link(self._tint(color, alpha), self.end.inputs["Color"])
        if unlit(shader):
            self.nodes.set(self.end.inputs["Baked"], 1.0)
        else:
            self._light()
            if bump is not None:
                self.nodes.link(self.texture.normal(bump[0]), self.end.inputs["Normal"])
            self._reflections(alpha, None if bump is None else bump[1])
            if self.found.flag("$phong"):
                self._highlights(color, alpha, None if bump is None else bump[1])
            hue = None if self.shading is None else model_nodes.warped(self.nodes, self.texture, self.shading.sun)
            if hue is not None:
                self.nodes.link(hue, self.end.inputs["Hue"])
        self._glow(alpha, added)
        self._transparency(alpha)
        return True

    def _eyes(self, base: Node | None) -> bool:
        """The iris over the white of the eye; eyes of the newer shader have but an iris."""
        iris = self.texture.on_iris("$iris")
        if base is None and iris is None:
            return False
        color: Input = _SCLERA if base is None else base.outputs["Color"]
        if iris is not None:
            color = self.texture.mix(iris.outputs["Alpha"], color, iris.outputs["Color"])
        self.nodes.set(self.end.inputs["Color"], color)
        self._light()
        self.nodes.feed(self.end, Specular=_HIGHLIGHT, Roughness=_WATER_ROUGHNESS)
        return True

    def _multiplied(self, color: Socket) -> Socket:
        """A colour times that of the second texture of UnlitTwoTexture."""
        second = self.texture.named("$texture2", "$texture2transform")
        return color if second is None else self.nodes.multiply(color, second.outputs["Color"])

    def _tint(self, color: Socket, alpha: Socket) -> Socket:
        """A colour times those of the material and, on models, of the object; only where alpha says so, if the material
        does.
        """
        tint = np.asarray(self.found.color("$color")) * self.found.color("$color2")
        tint = np.where(tint > 1, tint, np.power(tint.clip(0), _GAMMA))
        tinted = color if np.allclose(tint, 1) else self.nodes.multiply(color, (*tint.tolist(), 1.0))
        if self.tinted:
            curved = self.nodes.feed(self.nodes.add("ShaderNodeGamma"), Gamma=_GAMMA)
            self.nodes.link(self.nodes.add("ShaderNodeObjectInfo").outputs["Color"], curved.inputs["Color"])
            tinted = self.nodes.multiply(tinted, curved.outputs[0])
        if self.found.flag("$blendtintbybasealpha") and tinted is not color:
            return self.texture.mix(alpha, color, tinted)
        return tinted

    def _highlights(self, color: Socket, alpha: Socket, bump_alpha: Socket | None) -> None:
        """Highlights of $phong, as near as Blender's surface comes: as sharp as the exponent says, where the mask does,
        as strong as $phongboost straight on.
        """
        exponent: Input = self.found.number("$phongexponent", _PHONG_EXPONENT)
        sharp = self.texture.named("$phongexponenttexture", data=True)
        if sharp is not None and self.found.text("$phongexponent") is None:
            parts = self.nodes.put("ShaderNodeSeparateColor", sharp.outputs["Color"])
            exponent = self.nodes.math("MULTIPLY_ADD", parts.outputs[0], _SHARPEST, 1.0)
        wide = self.nodes.math("DIVIDE", 2.0, self.nodes.math("ADD", exponent, 2.0))
        self.nodes.link(self.nodes.math("POWER", wide, 0.25), self.end.inputs["Roughness"])
        mask = bump_alpha
        if self.found.flag("$basemapalphaphongmask"):
            mask = alpha
        elif self.found.flag("$basemapluminancephongmask"):
            gray = self.nodes.put("ShaderNodeRGBToBW", color)
            mask = gray.outputs[0]
        if mask is not None and self.found.flag("$invertphongmask"):
            mask = self.nodes.math("SUBTRACT", 1.0, mask)
        straight = self.found.color("$phongfresnelranges", _PHONG_FRESNEL)[0]
        strength = min(self.found.number("$phongboost", 1.0) * max(straight, 0.0), 1.0)
        level = max(strength, _LEAST_HIGHLIGHT * (self.found.number("$phongboost", 1.0) > 0)) * _HIGHLIGHT
        self.nodes.set(self.end.inputs["Specular"], level if mask is None else self.nodes.math("MULTIPLY", mask, level))
        if self.found.flag("$rimlight"):
            sheen, rough = model_nodes.rim(self.nodes, self.found, None if sharp is None else sharp.outputs["Alpha"])
            self.nodes.feed(self.end, Sheen=sheen, Sheen_Roughness=rough)

    def _two_textures(self, color: Socket, alpha: Socket, bump: Node | None) -> tuple[Socket, Socket, Bump | None]:
        """Blend with the second texture by the displacement's alpha, sharpened by $blendmodulatetexture; normal maps,
        too: colour and alpha, None without one.
        """
        normal = None if bump is None else (bump.outputs["Color"], bump.outputs["Alpha"])
        second = self.texture.named("$basetexture2", "$basetexturetransform2")
        if second is None:
            return color, alpha, normal
        factor = self.nodes.add("ShaderNodeAttribute", attribute_name=layout.ALPHA).outputs["Fac"]
        mask = self.texture.named("$blendmodulatetexture", "$blendmasktransform", data=True)
        if mask is not None:  # green is the middle, red the width
            parts = self.nodes.put("ShaderNodeSeparateColor", mask.outputs["Color"])
            low = self.nodes.math("SUBTRACT", parts.outputs[1], parts.outputs[0])
            high = self.nodes.math("ADD", parts.outputs[1], parts.outputs[0])
            ramp = self.nodes.add("ShaderNodeMapRange", interpolation_type="SMOOTHSTEP")
            self.nodes.feed(ramp, Value=factor, From_Min=low, From_Max=high)
            factor = ramp.outputs[0]
        other = self.texture.named("$bumpmap2", "$bumptransform2", data=True) if normal is not None else None
        if normal is not None and other is not None:
            normal = (
                self.texture.mix(factor, normal[0], other.outputs["Color"]),
                self.texture.mix_numbers(factor, normal[1], other.outputs["Alpha"]),
            )
        return (
            self.texture.mix(factor, color, second.outputs["Color"]),
            self.texture.mix_numbers(factor, alpha, second.outputs["Alpha"]),
            normal,
        )

    def _four_textures(self, color: Socket, alpha: Socket) -> tuple[Socket, Socket]:
        """Lay the second, third and fourth texture over the first, by the displacement's multiblend."""
        weights = self.nodes.add("ShaderNodeAttribute", attribute_name=layout.BLENDS[0])
        parts = self.nodes.put("ShaderNodeSeparateColor", weights.outputs["Color"])
        there = self.nodes.add("ShaderNodeAttribute", attribute_name=layout.FACE).outputs["Fac"]  # else alpha is 1
        last = self.nodes.math("MULTIPLY", weights.outputs["Alpha"], self.nodes.math("GREATER_THAN", there, 0.5))
        factors = (parts.outputs[1], parts.outputs[2], last)
        for number, factor in enumerate(factors, 2):
            node = self.texture.named(f"$basetexture{number}", f"$basetexturetransform{number}")
            if node is not None:
                color = self.texture.mix(factor, color, node.outputs["Color"])
                alpha = self.texture.mix_numbers(factor, alpha, node.outputs["Alpha"])
        return color, alpha

    def _reflections(self, alpha: Socket, bump_alpha: Socket | None) -> None:
        """Mirror what is around as much as $envmaptint says, where there is an $envmap: the game's cubemaps are small
        pictures of it, added to the light.
        """
        if not self.mirrors:
            return
        strength: Input = (*self.found.color("$envmaptint"), 1.0)
        mask = self.texture.named("$envmapmask", "$envmapmasktransform", data=True)
        if mask is not None:
            strength = self.nodes.multiply(mask.outputs["Color"], strength)
        factors = []
        if self.found.flag("$basealphaenvmapmask"):
            factors.append(self.nodes.math("SUBTRACT", 1.0, alpha))
        if self.found.flag("$normalmapalphaenvmapmask") and bump_alpha is not None:
            factors.append(bump_alpha)
        straight = self.found.number("$fresnelreflection", 1.0 - self.found.number("$envmapfresnel"))
        if straight < 1:
            factors.append(self._grazing(straight))
        for factor in factors:
            strength = self.nodes.multiply(self._gray(factor), strength)
        self.nodes.set(self.end.inputs["Reflection"], strength)
        self.nodes.set(self.end.inputs["Roughness"], _MIRROR_ROUGHNESS)

    def _grazing(self, straight: float) -> Socket:
        """How much is mirrored: `straight` of what is seen from straight ahead, all at grazing angles."""
        facing = self.nodes.add("ShaderNodeLayerWeight").outputs["Facing"]
        turned = self.nodes.math("POWER", facing, 5.0)
        return self.nodes.math("MULTIPLY_ADD", turned, 1.0 - straight, straight)

    def _gray(self, value: Socket) -> Socket:
        node = self.nodes.add("ShaderNodeCombineColor")
        for socket in node.inputs[:3]:
            self.nodes.link(value, socket)
        return node.outputs[0]

    def _glow(self, alpha: Socket, added: Socket | None) -> None:
        """Shine by itself, where $selfillum and its mask say so; added: a detail texture's own light."""
        if self.found.flag("$selfillum"):
            self.nodes.set(self.end.inputs["Glow"], self._glow_mask(alpha))  # a mask's channels are those of the light
            self.nodes.set(self.end.inputs["Glow Tint"], (*self.found.color("$selfillumtint"), 1.0))
        if added is not None:
            self.nodes.link(added, self.end.inputs["Added Light"])

    def _glow_mask(self, alpha: Socket) -> Input:
        """Where a surface shines by itself: where its own texture says (nowhere if that is missing), the reflections'
        mask, or its alpha.
        """
        if self.found.texture("$selfillummask") is not None:
            mask = self.texture.named("$selfillummask", data=True)
            return (0.0, 0.0, 0.0, 1.0) if mask is None else mask.outputs["Color"]
        mask = None
        if self.found.flag("$selfillum_envmapmask_alpha"):
            mask = self.texture.named("$envmapmask", "$envmapmasktransform", data=True)
        return alpha if mask is None else mask.outputs["Alpha"]

    def _transparency(self, alpha: Socket) -> None:
        whole = self.found.number("$alpha", 1.0)
        if self.found.flag("$alphatest"):
            limit = self.found.number("$alphatestreference", _ALPHA_TEST) or _ALPHA_TEST
            self.nodes.link(self.nodes.math("GREATER_THAN", alpha, limit), self.end.inputs["Alpha"])
        elif self.found.flag("$translucent") or self.found.flag("$vertexalpha") or whole < 1:
            shown = self.nodes.math("MULTIPLY", alpha, whole) if self.found.flag("$translucent") else whole
            self.nodes.set(self.end.inputs["Alpha"], shown)
            self.material.surface_render_method = "BLENDED"
        if self.shading is not None and self.shading.faded:
            self._dim(self.nodes.add("ShaderNodeObjectInfo").outputs["Alpha"])
        if self.shading is not None and self.shading.units is not None:
            self._dim(model_nodes.fade(self.nodes, self.shading.units))
        if self.found.flag("$additive"):
            self.nodes.set(self.end.inputs["Additive"], 1.0)
            self.material.surface_render_method = "BLENDED"

    def _dim(self, share: Socket) -> None:
        """Let only a share of it be seen."""
        opacity = self.end.inputs["Alpha"]
        self.nodes.link(self.nodes.math("MULTIPLY", share, given(opacity)), opacity)

    # ------------------------------------------------------------------------------------------- what is seen through

    def _water(self) -> None:
        """Water: its fog's colour, which no light changes, over what is below; and what it mirrors, with waves."""
        color = self.found.color("$fogcolor", _WATER_COLOR)
        self.nodes.set(self.end.inputs["Color"], (*(min(part, 1.0) ** _GAMMA for part in color), 1.0))
        self.nodes.set(self.end.inputs["Baked"], 1.0)
        self.nodes.set(
            self.end.inputs["Reflection"],
            self.nodes.multiply(self._gray(self._grazing(_WATER_MIRRORS)), (*self.found.color("$reflecttint"), 1.0)),
        )
        self._shine(_WATER_ALPHA)

    def _refract(self) -> None:
        """Glass that distorts: nearly clear, shining."""
        tint = self.found.color("$refracttint")
        self.nodes.set(self.end.inputs["Color"], (*tint, 1.0))
        self._shine(_GLASS_ALPHA)

    def _shine(self, alpha: float) -> None:
        """Shine as smooth as water. Solid views show the colour: they took the normal map for a picture."""
        self.nodes.set(self.end.inputs["Alpha"], alpha)
        self.material.diffuse_color = (*color_of(self.end.inputs["Color"])[:3], alpha)
        self.is_clear = True
        self.nodes.set(self.end.inputs["Specular"], 0.5)
        self.nodes.set(self.end.inputs["Roughness"], _WATER_ROUGHNESS)
        bump = self.texture.named("$normalmap", data=True) or self.texture.named("$bumpmap", data=True)
        if bump is not None:
            self.nodes.link(self.texture.normal(bump.outputs["Color"]), self.end.inputs["Normal"])
            plain.show_color(self.nodes)
        self.material.surface_render_method = "BLENDED"

    def _modulate(self, shader: str) -> bool:
        """Darken and lighten what is behind: by twice the texture, 128 changes nothing; Modulate by the texture. The
        game multiplies the screen's numbers, so their product gets the screen's gamma.
        """
        base = self.texture.named("$basetexture", "$basetexturetransform", data=True)
        if base is None:
            return False
        twice = shader.startswith("decal") or self.found.flag("$mod2x")
        doubled = self.nodes.multiply(base.outputs["Color"], (2.0, 2.0, 2.0, 1.0) if twice else (*_WHITE, 1.0))
        curved = self.nodes.feed(self.nodes.add("ShaderNodeGamma"), Color=doubled, Gamma=_GAMMA)
        clear = self.nodes.feed(self.nodes.add("ShaderNodeBsdfTransparent"), Color=curved.outputs[0])
        self.nodes.tree.nodes.remove(self.end)
        self.doubled = False
        self.material.surface_render_method = "BLENDED"
        self._finish(clear.outputs[0])
        return True


def unlit(shader: str) -> bool:
    """Whether a shader (see `plain_name`) takes no notice of light."""
    return shader.startswith(("unlit", "sky", "sprite", "decal", "modulate"))
