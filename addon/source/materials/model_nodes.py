# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that only models have: hues by how far they look away from the sun, light on their rims, fading by distance.

Valve Developer Community: "$lightwarptexture", "$rimlight", "prop_static" (Start Fade Dist, End Fade Dist); where
alpha lies between the two: the SDK's `staticpropmgr`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....formats.source.content import vmt
from ...scene.blender_types import Value
from ...scene.materials import Nodes, Socket, node_group
from .texture_nodes import TextureNodes

_RIM_EXPONENT, _RIM_BOOST, _RIM_POWER = 4.0, 1.0, 4.0
_FADES = 1
"""Of a static prop's flags."""
_FADE, _VERSION = "Source fade", 1


@dataclass(frozen=True, slots=True)
class ModelLooks:
    """What an import's materials of models have of the map. faded: objects are seen through by their own alpha. units:
    metres a unit, where static props fade with distance; None: they don't. sun: where it is seen, None: there is none.
    """

    faded: bool = False
    units: float | None = None
    sun: tuple[float, float, float] | None = None


def warped(nodes: Nodes, texture: TextureNodes, sun: tuple[float, float, float] | None) -> Socket | None:
    """The hue that $lightwarptexture has where the surface looks, from away from the sun (left) to at it (right); None
    without one of both. How bright it is stays that of Blender's lights, whatever they are.
    """
    name = texture.found.texture("$lightwarptexture") if sun is not None else None
    image = texture.textures.image(name) if name else None
    if image is None:
        return None
    facing = nodes.add("ShaderNodeVectorMath", operation="DOT_PRODUCT")
    nodes.link(nodes.add("ShaderNodeNewGeometry").outputs["Normal"], facing.inputs[0])
    facing.inputs[1].default_value = sun
    place = nodes.feed(nodes.add("ShaderNodeCombineXYZ"), Y=0.5)
    nodes.link(nodes.math("MULTIPLY_ADD", facing.outputs["Value"], 0.5, 0.5), place.inputs[0])
    ramp = nodes.add("ShaderNodeTexImage", image=image, extension="EXTEND")
    nodes.link(place.outputs[0], ramp.inputs["Vector"])
    parts = nodes.add("ShaderNodeSeparateColor", mode="HSV")
    nodes.link(ramp.outputs["Color"], parts.inputs[0])
    hue = nodes.add("ShaderNodeCombineColor", mode="HSV")
    nodes.link(parts.outputs[0], hue.inputs[0])
    nodes.link(parts.outputs[1], hue.inputs[1])
    hue.inputs[2].default_value = 1.0
    return hue.outputs[0]


def rim(nodes: Nodes, found: vmt.Material, mask: Socket | None) -> tuple[Socket, float]:
    """How strong and how rough the sheen is that stands for $rimlight: none where a surface looks at who sees it, all
    at its rim, with the fourth power of what lies between. mask: alpha of $phongexponenttexture.
    """
    strength: Value = min(max(found.number("$rimlightboost", _RIM_BOOST), 0.0), 1.0)
    exponent = max(found.number("$rimlightexponent", _RIM_EXPONENT), 0.0)
    if mask is not None and found.flag("$rimmask"):
        strength = nodes.math("MULTIPLY", mask, strength)
    facing = nodes.math("POWER", nodes.add("ShaderNodeLayerWeight").outputs["Facing"], _RIM_POWER)
    return nodes.math("MULTIPLY", facing, strength), 2.0 / (exponent + 2.0)


def fade(nodes: Nodes, units: float) -> Socket:
    """How much of its object is shown from where the camera is. units: metres a unit."""
    node = nodes.add("ShaderNodeGroup", node_tree=node_group(_FADE, _VERSION, _build_fade))
    node.inputs["Metres a Unit"].default_value = units
    return node.outputs["Shown"]


def _build_fade(nodes: Nodes) -> None:
    """All of an object up to `fade_min_dist` units, nothing of it from `fade_max_dist` on, by squares in between; with
    a lower end below 0 it is gone at once. The flag has to say that it fades.
    """
    interface: Value = nodes.tree.interface
    interface.new_socket("Metres a Unit", in_out="INPUT", socket_type="NodeSocketFloat").default_value = 1.0
    interface.new_socket("Shown", in_out="OUTPUT", socket_type="NodeSocketFloat")
    given = nodes.add("NodeGroupInput").outputs
    near, far, flags = (
        nodes.add("ShaderNodeAttribute", attribute_type="OBJECT", attribute_name=name).outputs["Fac"]
        for name in ("fade_min_dist", "fade_max_dist", "flags")
    )
    eye = nodes.add("ShaderNodeVectorTransform", vector_type="POINT", convert_from="CAMERA", convert_to="WORLD")
    eye.inputs[0].default_value = (0.0, 0.0, 0.0)
    away = nodes.add("ShaderNodeVectorMath", operation="DISTANCE")
    nodes.link(eye.outputs[0], away.inputs[0])
    nodes.link(nodes.add("ShaderNodeObjectInfo").outputs["Location"], away.inputs[1])
    units = nodes.math("DIVIDE", away.outputs["Value"], given[0])
    begin = nodes.math(
        "ADD", nodes.math("MULTIPLY", far, nodes.math("LESS_THAN", near, 0.0)), nodes.math("MAXIMUM", near, 0.0)
    )
    squares = [nodes.math("MULTIPLY", each, each) for each in (far, units, begin)]
    left = nodes.math("SUBTRACT", squares[0], squares[1])
    width = nodes.math("MAXIMUM", nodes.math("SUBTRACT", squares[0], squares[2]), 1e-3)
    shown = nodes.math("DIVIDE", left, width, clamp=True)
    fades = nodes.math(
        "MULTIPLY", nodes.math("GREATER_THAN", far, 0.0), nodes.math("FLOORED_MODULO", flags, 2.0 * _FADES)
    )
    kept = nodes.math("SUBTRACT", 1.0, nodes.math("MINIMUM", fades, 1.0))
    whole = nodes.math("ADD", nodes.math("MULTIPLY", fades, shown), kept, clamp=True)
    nodes.link(whole, nodes.add("NodeGroupOutput").inputs["Shown"])
