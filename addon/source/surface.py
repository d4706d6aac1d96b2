"""The node group that all materials of Source maps end in: baked light or Blender's, and how it is seen through."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene.materials import Nodes, node_group

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
    ("Glow", _COLOR, (0.0, 0.0, 0.0, 1.0)),
)
"""Light: what `Color` is multiplied by where Baked is 1; where that is 0, Blender's lights shine. Glow: light of its
own, whatever lights it. Additive 1: adds to what is behind it."""


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
    baked = nodes.feed(nodes.add("ShaderNodeEmission"), Color=nodes.multiply(given["Color"], given["Light"]))
    either = nodes.add("ShaderNodeMixShader")
    nodes.link(given["Baked"], either.inputs[0])
    nodes.link(lit.outputs[0], either.inputs[1])
    nodes.link(baked.outputs[0], either.inputs[2])
    glow = nodes.feed(nodes.add("ShaderNodeEmission"), Color=given["Glow"])
    glowing = nodes.add("ShaderNodeAddShader")
    nodes.link(either.outputs[0], glowing.inputs[0])
    nodes.link(glow.outputs[0], glowing.inputs[1])
    clear = nodes.add("ShaderNodeBsdfTransparent").outputs[0]
    blended = nodes.add("ShaderNodeMixShader")
    nodes.link(given["Alpha"], blended.inputs[0])
    nodes.link(clear, blended.inputs[1])
    nodes.link(glowing.outputs[0], blended.inputs[2])
    added = nodes.add("ShaderNodeAddShader")
    nodes.link(clear, added.inputs[0])
    nodes.link(glowing.outputs[0], added.inputs[1])
    mode = nodes.add("ShaderNodeMixShader")
    nodes.link(given["Additive"], mode.inputs[0])
    nodes.link(blended.outputs[0], mode.inputs[1])
    nodes.link(added.outputs[0], mode.inputs[2])
    nodes.link(mode.outputs[0], nodes.add("NodeGroupOutput").inputs["Surface"])
