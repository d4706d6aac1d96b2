"""Materials (VMT) as node trees: the common shaders, each ending in the group of `surface`.

What shaders do with their parameters: Valve Developer Community, "LightmappedGeneric", "WorldVertexTransition",
"Water", "Refract" and others. In the game's textures, green of normal maps points down.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...formats.source.content import vmt
from ..scene import identity, originals
from ..scene import materials as shaders
from ..scene.materials import Nodes, Socket
from . import layout, surface
from .textures import Textures

_WATER_COLOR = (0.03, 0.07, 0.06)
_WATER_ALPHA, _WATER_ROUGHNESS = 0.6, 0.08
_GLASS_ALPHA = 0.15
_ALPHA_TEST = 0.5

_MOVING = ("texturescroll", "animatedtexture", "texturetransform")
_DETAIL_SCALE = 4.0
_GAMMA = 2.2
"""Of colours in materials, up to 1."""
_GREY = (0.2, 0.2, 0.2)
_PLACEHOLDER = "placeholder"
"""Name of the node with a placeholder's image."""


class Materials:
    """The materials of an import: see `site.MaterialMaker`. reflectivity: linear colours of textures by their names,
    for those that are missing. baked: the level's node group of `lightmaps`; None where Blender's lights shine.
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
        self._collection = collection
        self._token = token
        self._reflectivity = reflectivity
        self._numbers = numbers
        self._made: dict[tuple[str, bool], bpy.types.Material] = {}
        self._templates: dict[bool, bpy.types.Material] = {}

    def of(self, name: str, lightmapped: bool = False, size: tuple[int, int] = (512, 512)) -> bpy.types.Material:
        """See `site.MaterialMaker`."""
        key = (name, lightmapped and self.baked is not None)
        if key not in self._made:
            made = self._make(name, key[1], size)
            number = self._numbers.get(name, -1)
            identity.stamp(made, self._token, layout.MATERIAL_KIND, number)
            made[layout.MATERIAL] = layout.readable(name)
            if lightmapped and number >= 0:
                originals.set_resource(self._collection, layout.MATERIAL_KIND, number, made)
            self._made[key] = made
        return self._made[key]

    def _make(self, name: str, lightmapped: bool, size: tuple[int, int]) -> bpy.types.Material:
        found = self.textures.content.material(name) if name else None
        if found is None:
            if name:
                self.textures.report.missing("materials", name)
            return self._placeholder(name, lightmapped, self.checker(name, size))
        material = bpy.data.materials.new(layout.readable(name))
        _Builder(self, material, found, lightmapped).build(name, size)
        return material

    def _placeholder(self, name: str, lightmapped: bool, image: bpy.types.Image) -> bpy.types.Material:
        """The material of one that is missing. All but the first are copies of it: nodes take their time to make."""
        template = self._templates.get(lightmapped)
        if template is None:
            material = bpy.data.materials.new("placeholder")
            _Builder(self, material, vmt.Material("missing"), lightmapped).placeholder(image)
            self._templates[lightmapped] = material
        else:
            material = template.copy()
            tree: Any = material.node_tree
            tree.nodes[_PLACEHOLDER].image = image
        material.name = layout.readable(name) or "no material"
        shown: Any = material
        shown.diffuse_color = (*self._reflectivity.get(name, _GREY), 1.0)
        return material

    def checker(self, name: str, size: tuple[int, int]) -> bpy.types.Image:
        """The placeholder of a material's texture, in the colour that the map knows of it."""
        return self.textures.checker(name or "none", size, self._reflectivity.get(name, _GREY))


class _Builder:
    """One material."""

    def __init__(self, owner: Materials, material: bpy.types.Material, found: vmt.Material, lightmapped: bool) -> None:
        self.owner = owner
        self.material: Any = material
        self.found = found
        self.nodes: Nodes = shaders.shader(material)
        self.end: Any = self.nodes.add("ShaderNodeGroup", node_tree=surface.group())
        self.baked = owner.baked if lightmapped else None

    def build(self, name: str, size: tuple[int, int]) -> None:
        """Make what the shader's name says."""
        shader = self.found.shader.lower()
        for proxy, _ in self.found.proxies.blocks():
            if proxy.lower() in _MOVING:
                self.owner.textures.report.note(f"material {name}: its {proxy} is left out, it stands still")
        if shader.startswith(("water", "unlitwater")) or self.found.text("$abovewater") is not None:
            self._water()
        elif shader.startswith("refract"):
            self._refract()
        else:
            self._surface(name, shader, size)
        self._finish()

    def placeholder(self, image: bpy.types.Image) -> None:
        """Make the material of one that is missing."""
        self._light()
        self._checker(image)
        self._finish()

    def _checker(self, image: bpy.types.Image) -> None:
        self.material["levelwright_placeholder"] = True
        node = self._texture(image)
        node.name = _PLACEHOLDER
        self.nodes.link(node.outputs["Color"], self.end.inputs["Color"])

    def _finish(self) -> None:
        out = self.nodes.add("ShaderNodeOutputMaterial")
        self.nodes.link(self.end.outputs["Surface"], out.inputs["Surface"])
        self.material.use_backface_culling = not self.found.flag("$nocull")

    def _light(self) -> None:
        """Let the lightmaps light it."""
        if self.baked is not None:
            light = self.nodes.add("ShaderNodeGroup", node_tree=self.baked)
            self.nodes.link(light.outputs["Light"], self.end.inputs["Light"])
            self.nodes.link(light.outputs["Baked"], self.end.inputs["Baked"])

    def _texture(self, image: bpy.types.Image, transform: str = "", scale: float = 1.0) -> Any:
        """Add an image, with the texture coordinates turned and scaled as a parameter says."""
        node = self.nodes.add("ShaderNodeTexImage", image=image)
        matrix = self.found.transform(transform) if transform else np.eye(2, 3)
        if scale == 1.0 and np.allclose(matrix, np.eye(2, 3)):
            return node
        # v runs down in the game: v' = 1 - v on both sides of the matrix.
        place = self.nodes.add("ShaderNodeUVMap", uv_map=layout.UV).outputs[0]
        parts = self.nodes.add("ShaderNodeSeparateXYZ")
        self.nodes.link(place, parts.inputs[0])
        u, v = parts.outputs[0], self.nodes.math("SUBTRACT", 1.0, parts.outputs[1])
        rows = [
            self.nodes.math(
                "MULTIPLY_ADD", u, float(a) * scale, self.nodes.math("MULTIPLY_ADD", v, float(b) * scale, float(c))
            )
            for a, b, c in matrix
        ]
        joined = self.nodes.add("ShaderNodeCombineXYZ")
        self.nodes.link(rows[0], joined.inputs[0])
        self.nodes.link(self.nodes.math("SUBTRACT", 1.0, rows[1]), joined.inputs[1])
        self.nodes.link(joined.outputs[0], node.inputs["Vector"])
        return node

    def _named(self, parameter: str, transform: str = "", data: bool = False) -> Any:
        """Add the image that a parameter names; None where there is none."""
        name = self.found.texture(parameter)
        image = self.owner.textures.image(name, data) if name else None
        return None if image is None else self._texture(image, transform)

    # ------------------------------------------------------------------------------------------------ opaque surfaces

    def _surface(self, name: str, shader: str, size: tuple[int, int]) -> None:
        """LightmappedGeneric, VertexLitGeneric, UnlitGeneric, WorldVertexTransition and what resembles them."""
        unlit = shader.startswith(("unlit", "sky", "sprite", "decal", "modulate")) and not shader.startswith("decalmod")
        base = self._named("$basetexture", "$basetexturetransform")
        if base is None:
            if not unlit:
                self._light()
            self._checker(self.owner.checker(name, size))
            return
        color, alpha = base.outputs["Color"], base.outputs["Alpha"]
        if shader.startswith(("worldvertextransition", "lightmapped_4wayblend")):
            color, alpha = self._two_textures(color, alpha)
        color = self._detailed(color)
        tint = np.asarray(self.found.color("$color")) * self.found.color("$color2")
        tint = np.where(tint > 1, tint, np.power(tint.clip(0), _GAMMA))
        if not np.allclose(tint, 1):
            color = self.nodes.multiply(color, (*tint.tolist(), 1.0))
        self.nodes.link(color, self.end.inputs["Color"])
        if unlit:
            self.nodes.set(self.end.inputs["Baked"], 1.0)
        else:
            self._light()
            self._normal_map()
            self._reflections()
        self._glow(alpha)
        self._transparency(alpha)

    def _two_textures(self, color: Socket, alpha: Socket) -> tuple[Socket, Socket]:
        """Blend with the second texture by the displacement's alpha, sharpened by $blendmodulatetexture."""
        second = self._named("$basetexture2", "$basetexturetransform2")
        if second is None:
            return color, alpha
        factor = self.nodes.add("ShaderNodeAttribute", attribute_name=layout.ALPHA).outputs["Fac"]
        mask = self._named("$blendmodulatetexture", "$blendmasktransform", data=True)
        if mask is not None:  # green is the middle, red the width
            parts = self.nodes.add("ShaderNodeSeparateColor")
            self.nodes.link(mask.outputs["Color"], parts.inputs[0])
            low = self.nodes.math("SUBTRACT", parts.outputs[1], parts.outputs[0])
            high = self.nodes.math("ADD", parts.outputs[1], parts.outputs[0])
            ramp = self.nodes.add("ShaderNodeMapRange", interpolation_type="SMOOTHSTEP")
            self.nodes.feed(ramp, Value=factor, From_Min=low, From_Max=high)
            factor = ramp.outputs[0]
        mix = self.nodes.add("ShaderNodeMix", data_type="RGBA")
        self.nodes.link(factor, mix.inputs[0])
        self.nodes.link(color, mix.inputs[6])
        self.nodes.link(second.outputs["Color"], mix.inputs[7])
        opacity = self.nodes.add("ShaderNodeMix", data_type="FLOAT")
        self.nodes.link(factor, opacity.inputs[0])
        self.nodes.link(alpha, opacity.inputs[2])
        self.nodes.link(second.outputs["Alpha"], opacity.inputs[3])
        return mix.outputs[2], opacity.outputs[0]

    def _detailed(self, color: Socket) -> Socket:
        """Lay the detail texture over it, twice its light: $detailblendmode 0, the default. Others are left out."""
        name = self.found.texture("$detail")
        if name is None or self.found.number("$detailblendmode") != 0:
            return color
        image = self.owner.textures.image(
            name, data=True
        )  # the engine takes its bytes as they are: 128 changes nothing
        if image is None:
            return color
        detail = self._texture(image, "", self.found.number("$detailscale", _DETAIL_SCALE))
        twice = self.nodes.multiply(detail.outputs["Color"], (2.0, 2.0, 2.0, 1.0))
        over = self.nodes.add("ShaderNodeMix", data_type="RGBA", blend_type="MULTIPLY")
        over.inputs[0].default_value = float(np.clip(self.found.number("$detailblendfactor", 1.0), 0, 1))
        self.nodes.link(color, over.inputs[6])
        self.nodes.link(twice, over.inputs[7])
        return over.outputs[2]

    def _normal_map(self) -> None:
        bump = None if self.found.flag("$ssbump") else self._named("$bumpmap", "$bumptransform", data=True)
        if bump is not None:
            self.nodes.link(self._normal(bump), self.end.inputs["Normal"])

    def _normal(self, bump: Any) -> Socket:
        """The normals of a normal map, whose green points down."""
        parts = self.nodes.add("ShaderNodeSeparateColor")
        self.nodes.link(bump.outputs["Color"], parts.inputs[0])
        joined = self.nodes.add("ShaderNodeCombineColor")
        self.nodes.link(parts.outputs[0], joined.inputs[0])
        self.nodes.link(self.nodes.math("SUBTRACT", 1.0, parts.outputs[1]), joined.inputs[1])
        self.nodes.link(parts.outputs[2], joined.inputs[2])
        normal = self.nodes.add("ShaderNodeNormalMap", uv_map=layout.UV)
        self.nodes.link(joined.outputs[0], normal.inputs["Color"])
        return normal.outputs[0]

    def _reflections(self) -> None:
        """Shine as much as $envmaptint says, where there is an $envmap."""
        if self.found.text("$envmap") is None:
            return
        tint = self.found.color("$envmaptint")
        strength = max(tint)
        self.nodes.set(self.end.inputs["Specular"], min(1.0, strength))
        self.nodes.set(self.end.inputs["Roughness"], 0.3)
        if strength > 0:
            self.nodes.set(self.end.inputs["Specular Tint"], (*(part / strength for part in tint), 1.0))

    def _glow(self, alpha: Socket) -> None:
        if self.found.flag("$selfillum"):
            mask = self._named("$selfillummask", data=True)
            self.nodes.link(alpha if mask is None else mask.outputs["Color"], self.end.inputs["Glow"])

    def _transparency(self, alpha: Socket) -> None:
        whole = self.found.number("$alpha", 1.0)
        if self.found.flag("$alphatest"):
            limit = self.found.number("$alphatestreference", _ALPHA_TEST) or _ALPHA_TEST
            self.nodes.link(self.nodes.math("GREATER_THAN", alpha, limit), self.end.inputs["Alpha"])
        elif self.found.flag("$translucent") or self.found.flag("$vertexalpha") or whole < 1:
            shown = self.nodes.math("MULTIPLY", alpha, whole) if self.found.flag("$translucent") else whole
            self.nodes.set(self.end.inputs["Alpha"], shown)
            self.material.surface_render_method = "BLENDED"
        if self.found.flag("$additive"):
            self.nodes.set(self.end.inputs["Additive"], 1.0)
            self.material.surface_render_method = "BLENDED"

    # ------------------------------------------------------------------------------------------- what is seen through

    def _water(self) -> None:
        """Water: its fog's colour, shining, with waves. What it mirrors in the game is left to Blender."""
        color = self.found.color("$fogcolor", _WATER_COLOR)
        self.nodes.set(self.end.inputs["Color"], (*(min(part, 1.0) ** _GAMMA for part in color), 1.0))
        self.nodes.set(self.end.inputs["Alpha"], _WATER_ALPHA)
        self._shine()

    def _refract(self) -> None:
        """Glass that distorts: nearly clear, shining."""
        tint = self.found.color("$refracttint")
        self.nodes.set(self.end.inputs["Color"], (*tint, 1.0))
        self.nodes.set(self.end.inputs["Alpha"], _GLASS_ALPHA)
        self._shine()

    def _shine(self) -> None:
        self.nodes.set(self.end.inputs["Specular"], 0.5)
        self.nodes.set(self.end.inputs["Roughness"], _WATER_ROUGHNESS)
        bump = self._named("$normalmap", data=True) or self._named("$bumpmap", data=True)
        if bump is not None:
            self.nodes.link(self._normal(bump), self.end.inputs["Normal"])
        self.material.surface_render_method = "BLENDED"
