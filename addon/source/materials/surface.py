# SPDX-License-Identifier: GPL-3.0-or-later
"""The node group that all materials of Source maps end in: baked light or Blender's, and how it is seen through."""

from __future__ import annotations

import bpy

from ...scene.blender_types import Constant, always, set_default
from ...scene.media.materials import Nodes, Socket, node_group

_NAME, _MIRROR, _VERSION = "Source surface", "Source mirroring surface", 3
_COLOR, _FLOAT, _VECTOR = "NodeSocketColor", "NodeSocketFloat", "NodeSocketVector"
_INPUTS: tuple[tuple[str, str, Constant | None], ...] = (
    ("Color", _COLOR, (0.5, 0.5, 0.5, 1.0)),
    ("Light", _COLOR, (1.0, 1.0, 1.0, 1.0)),
    ("Baked", _FLOAT, 0.0),
    ("Alpha", _FLOAT, 1.0),
    ("Additive", _FLOAT, 0.0),
    ("Normal", _VECTOR, None),
    ("Roughness", _FLOAT, 1.0),
    ("Specular", _FLOAT, 0.0),
    ("Sheen", _FLOAT, 0.0),
    ("Sheen Roughness", _FLOAT, 0.5),
    ("Hue", _COLOR, (1.0, 1.0, 1.0, 1.0)),
    ("Glow", _COLOR, (0.0, 0.0, 0.0, 1.0)),
    ("Glow Tint", _COLOR, (1.0, 1.0, 1.0, 1.0)),
    ("Added Light", _COLOR, (0.0, 0.0, 0.0, 1.0)),
)
"""Light: what `Color` is multiplied by where Baked is 1; where that is 0, Blender's lights shine, on `Color` times
`Hue`. Glow: how much it shines in its own colour, whatever lights it, of red, green and blue. Additive 1: adds to what
is behind it."""
_REFLECTION = ("Reflection", _COLOR, (0.0, 0.0, 0.0, 1.0))
"""What of the light around is mirrored and added."""


def group(mirrors: bool = False) -> bpy.types.NodeTree:
    """The shared group, made when the file hasn't got it yet. mirrors: the one with "Reflection"."""
    if mirrors:
        return node_group(_MIRROR, _VERSION, lambda nodes: _build(nodes, True))
    return node_group(_NAME, _VERSION, lambda nodes: _build(nodes, False))


def _build(nodes: Nodes, mirrors: bool) -> None:
    interface = always(nodes.tree.interface)
    for name, kind, default in (*_INPUTS, _REFLECTION) if mirrors else _INPUTS:
        socket = interface.new_socket(name, in_out="INPUT", socket_type=kind)
        if default is None:
            socket.hide_value = True
        else:
            set_default(socket, default)
    interface.new_socket("Surface", in_out="OUTPUT", socket_type="NodeSocketShader")
    given = nodes.add("NodeGroupInput").outputs
    rest = nodes.multiply(given["Color"], nodes.vector("SUBTRACT", 1.0, given["Glow"]))
    glow = nodes.multiply(nodes.multiply(given["Color"], given["Glow Tint"]), given["Glow"])
    lit = nodes.feed(
        nodes.add("ShaderNodeBsdfPrincipled"),
        Base_Color=nodes.multiply(rest, given["Hue"]),
        Roughness=given["Roughness"],
        Normal=given["Normal"],
        Specular_IOR_Level=given["Specular"],
        Sheen_Weight=given["Sheen"],
        Sheen_Roughness=given["Sheen Roughness"],
        Emission_Color=glow,
        Emission_Strength=1.0,
    )
    light = nodes.vector("MULTIPLY_ADD", rest, given["Light"], glow)
    baked = nodes.feed(nodes.add("ShaderNodeEmission"), Color=light)
    either = nodes.mix_shaders(given["Baked"], lit.outputs[0], baked.outputs[0])
    more = nodes.feed(nodes.add("ShaderNodeEmission"), Color=given["Added Light"])
    either = _added(nodes, either, more.outputs[0])
    if mirrors:
        mirror = nodes.feed(
            nodes.add("ShaderNodeBsdfAnisotropic"),
            Color=given["Reflection"],
            Roughness=given["Roughness"],
            Normal=given["Normal"],
        )
        either = _added(nodes, either, mirror.outputs[0])
    clear = nodes.add("ShaderNodeBsdfTransparent").outputs[0]
    blended = nodes.mix_shaders(given["Alpha"], clear, either)
    dimmed = nodes.mix_shaders(given["Alpha"], clear, _added(nodes, clear, either))
    whole = nodes.mix_shaders(given["Additive"], blended, dimmed)
    nodes.link(whole, nodes.add("NodeGroupOutput").inputs["Surface"])


def _added(nodes: Nodes, one: Socket, other: Socket) -> Socket:
    """Add two shaders."""
    node = nodes.put("ShaderNodeAddShader", one, other)
    return node.outputs[0]
