# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that only models have: hues by how far they look away from the sun, light on their rims, fading by distance.

Valve Developer Community: "$lightwarptexture", "$rimlight", "prop_static" (Start Fade Dist, End Fade Dist); how alpha
follows from distances: the SDK's `staticpropmgr.cpp` and `cdll_util.cpp` (ComputeDistanceFade).
"""

from __future__ import annotations

from dataclasses import dataclass

from ....formats.source.content import vmt
from ...scene.blender_types import Input, always, set_default
from ...scene.media.materials import Nodes, Socket, node_group
from .texture_nodes import TextureNodes

_RIM_EXPONENT, _RIM_BOOST, _RIM_POWER = 4.0, 1.0, 4.0
_FADES, _BY_SCREEN = 1, 32
"""Of a static prop's flags: it fades; by how wide it is on the screen, and not by distance."""
_FADE_WIDTH = 400.0
"""Units in which an entity fades that has no nearer distance."""
_FADE, _VERSION = "Source fade", 1


@dataclass(frozen=True, slots=True)
class ModelShading:
    """What an import's materials of models have of the map."""

    faded: bool = False
    """Objects are seen through by their own alpha."""
    units: float | None = None
    """Metres a unit, where static props fade with distance; None: they don't."""
    sun: tuple[float, float, float] | None = None
    """Where it is seen, None: there is none."""


def warped(nodes: Nodes, texture: TextureNodes, sun: tuple[float, float, float] | None) -> Socket | None:
    """The hue that $lightwarptexture has where the surface looks, from away from the sun (left) to at it (right); None
    without one of both. How bright it is stays that of Blender's lights, whatever they are.
    """
    name = texture.found.texture("$lightwarptexture") if sun is not None else None
    image = texture.textures.image(name) if name else None
    if image is None or sun is None:
        return None
    facing = nodes.add("ShaderNodeVectorMath", operation="DOT_PRODUCT")
    nodes.link(nodes.add("ShaderNodeNewGeometry").outputs["Normal"], facing.inputs[0])
    nodes.set(facing.inputs[1], sun)
    place = nodes.feed(nodes.add("ShaderNodeCombineXYZ"), Y=0.5)
    nodes.link(nodes.math("MULTIPLY_ADD", facing.outputs["Value"], 0.5, 0.5), place.inputs[0])
    ramp = nodes.feed(nodes.add("ShaderNodeTexImage", image=image, extension="EXTEND"), Vector=place.outputs[0])
    parts = nodes.put("ShaderNodeSeparateColor", ramp.outputs["Color"], mode="HSV")
    hue = nodes.put("ShaderNodeCombineColor", parts.outputs[0], parts.outputs[1], 1.0, mode="HSV")
    return hue.outputs[0]


def rim(nodes: Nodes, found: vmt.Material, mask: Socket | None) -> tuple[Socket, float]:
    """How strong and how rough the sheen is that stands for $rimlight: none where a surface looks at who sees it, all
    at its rim, with the fourth power of what lies between. mask: alpha of $phongexponenttexture.
    """
    strength: Input = min(max(found.number("$rimlightboost", _RIM_BOOST), 0.0), 1.0)
    exponent = max(found.number("$rimlightexponent", _RIM_EXPONENT), 0.0)
    if mask is not None and found.flag("$rimmask"):
        strength = nodes.math("MULTIPLY", mask, strength)
    facing = nodes.math("POWER", nodes.add("ShaderNodeLayerWeight").outputs["Facing"], _RIM_POWER)
    return nodes.math("MULTIPLY", facing, strength), 2.0 / (exponent + 2.0)


def fade(nodes: Nodes, units: float) -> Socket:
    """How much of its object is shown from where the camera is. units: metres a unit."""
    node = nodes.feed(
        nodes.add("ShaderNodeGroup", node_tree=node_group(_FADE, _VERSION, _build_fade)), Metres_a_Unit=units
    )
    return node.outputs["Shown"]


def _build_fade(nodes: Nodes) -> None:
    """All of an object up to the nearer distance in units, nothing of it from the farther one on, and in between as the
    squares of distances say. Static props have both in their records, and flags; entities have keys, which are numbers
    where a game's definition says so, and no nearer distance where it is below 0.
    """
    interface = always(nodes.tree.interface)
    set_default(interface.new_socket("Metres a Unit", in_out="INPUT", socket_type="NodeSocketFloat"), 1.0)
    interface.new_socket("Shown", in_out="OUTPUT", socket_type="NodeSocketFloat")
    given = nodes.add("NodeGroupInput").outputs
    near, far, flags, own_near, own_far = (
        nodes.add("ShaderNodeAttribute", attribute_type="OBJECT", attribute_name=name).outputs["Fac"]
        for name in ("fade_min_dist", "fade_max_dist", "flags", "fademindist", "fademaxdist")
    )
    eye = nodes.put(
        "ShaderNodeVectorTransform", (0.0, 0.0, 0.0), vector_type="POINT", convert_from="CAMERA", convert_to="WORLD"
    )
    away = nodes.put("ShaderNodeVectorMath", eye.outputs[0], operation="DISTANCE")
    nodes.link(nodes.add("ShaderNodeObjectInfo").outputs["Location"], away.inputs[1])
    units = nodes.math("DIVIDE", away.outputs["Value"], given[0])

    is_entity = nodes.math("GREATER_THAN", own_far, 0.0)
    missing = nodes.math("MULTIPLY", is_entity, nodes.math("LESS_THAN", own_near, 0.0))
    usual = nodes.math("MAXIMUM", nodes.math("SUBTRACT", own_far, _FADE_WIDTH), 0.0)
    begins = nodes.math("MULTIPLY_ADD", missing, usual, nodes.math("MAXIMUM", own_near, 0.0))
    begin, end = (
        nodes.math("ADD", near, begins),
        nodes.math("ADD", far, own_far),
    )  # an object has the ones or the others
    squares = [nodes.math("MULTIPLY", each, each) for each in (begin, units, end)]
    left = nodes.math("SUBTRACT", squares[2], squares[1])
    width = nodes.math("MAXIMUM", nodes.math("SUBTRACT", squares[2], squares[0]), 1e-3)
    shown = nodes.math("DIVIDE", left, width, clamp=True)

    has_end = nodes.math("GREATER_THAN", far, 0.0)
    flagged = nodes.math("MULTIPLY", has_end, _bit(nodes, flags, _FADES))
    by_distance = nodes.math("SUBTRACT", 1.0, _bit(nodes, flags, _BY_SCREEN))
    fades = nodes.math("MULTIPLY_ADD", flagged, by_distance, is_entity, clamp=True)
    whole = nodes.math("MULTIPLY_ADD", fades, shown, nodes.math("SUBTRACT", 1.0, fades), clamp=True)
    nodes.link(whole, nodes.add("NodeGroupOutput").inputs["Shown"])


def _bit(nodes: Nodes, flags: Socket, bit: int) -> Socket:
    """Whether flags have a bit: 0 or 1."""
    shifted = nodes.math("FLOOR", nodes.math("DIVIDE", flags, float(bit)))
    return nodes.math("FLOORED_MODULO", shifted, 2.0)
