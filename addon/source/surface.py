"""The node group that all materials of Source maps end in: baked light or Blender's, and how it is seen through."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene.materials import Nodes, Socket, node_group

_NAME, _VERSION = "Source surface", 1
_COLOR, _FLOAT, _VECTOR = "NodeSocketColor", "NodeSocketFloat", "NodeSocketVector"
_INPUTS: tuple[tuple[str, str, Any], ...] = (
    ("Color", _COLOR, (0.5, 0.5, 0.5, 1.0)),
    ("Light", _COLOR, (1.0, 1.0, 1.0, 1.0)),
    ("Baked", _FLOAT, 0.0),
    ("Alpha", _FLOAT, 1.0),
    ("Additive", _FLOAT, 0.0),
    ("Normal", _VECTOR, None),
    ("Roughness", _FLOAT, 1.0),
    ("Specular", _FLOAT, 0.0),
    ("Specular Tint", _COLOR, (1.0, 1.0, 1.0, 1.0)),
    ("Glow", _FLOAT, 0.0),
)
"""Light: what `Color` is multiplied by where Baked is 1; where that is 0, Blender's lights shine. Glow: how
much it shines in its own colour, whatever lights it. Additive 1: adds to what is behind it."""


def group() -> bpy.types.NodeTree:
    """The shared group, made when the file hasn't got it yet."""
    return node_group(_NAME, _VERSION, _build)


def _build(nodes: Nodes) -> None:
    interface: Any = nodes.tree.interface
    for name, kind, default in _INPUTS:
        socket = interface.new_socket(name, in_out="INPUT", socket_type=kind)
        if default is None:
            socket.hide_value = True
        else:
            socket.default_value = default
    interface.new_socket("Surface", in_out="OUTPUT", socket_type="NodeSocketShader")
    given = nodes.add("NodeGroupInput").outputs
    lit = nodes.feed(
        nodes.add("ShaderNodeBsdfPrincipled"),
        Base_Color=given["Color"],
        Roughness=given["Roughness"],
        Normal=given["Normal"],
        Specular_IOR_Level=given["Specular"],
        Specular_Tint=given["Specular Tint"],
    )
    shining = nodes.feed(nodes.add("ShaderNodeEmission"), Color=given["Color"])
    glowing = _mixed(nodes, given["Glow"], lit.outputs[0], shining.outputs[0])
    light = nodes.add("ShaderNodeMix", data_type="RGBA")
    nodes.link(given["Glow"], light.inputs[0])
    nodes.link(given["Light"], light.inputs[6])
    light.inputs[7].default_value = (1.0, 1.0, 1.0, 1.0)
    baked = nodes.feed(nodes.add("ShaderNodeEmission"), Color=nodes.multiply(given["Color"], light.outputs[2]))
    either = _mixed(nodes, given["Baked"], glowing, baked.outputs[0])
    clear = nodes.add("ShaderNodeBsdfTransparent").outputs[0]
    blended = _mixed(nodes, given["Alpha"], clear, either)
    added = nodes.add("ShaderNodeAddShader")
    nodes.link(clear, added.inputs[0])
    nodes.link(either, added.inputs[1])
    whole = _mixed(nodes, given["Additive"], blended, added.outputs[0])
    nodes.link(whole, nodes.add("NodeGroupOutput").inputs["Surface"])


def _mixed(nodes: Nodes, factor: Socket, one: Socket, other: Socket) -> Socket:
    """Mix two shaders: one at 0, the other at 1."""
    node = nodes.add("ShaderNodeMixShader")
    for target, source in zip(node.inputs, (factor, one, other), strict=True):
        nodes.link(source, target)
    return node.outputs[0]
