# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces of compiled levels as the engine draws them: the texture's numbers times the light's, as a screen has them.

Blender multiplies light, which a screen's numbers aren't: so these are made of colours before, and colours of them
behind (genesis.md §4.5).
"""

from __future__ import annotations

import bpy

from ....formats.srgb import KNEE, OFFSET, POWER, SLOPE
from ...scene.media.materials import Nodes, Socket, node_group


def as_drawn(nodes: Nodes, baked: bpy.types.NodeTree, color: Socket, by_lights: Socket) -> Socket:
    """A surface with the light of a level's node group, and how much of `by_lights`, that group says."""
    light = nodes.add("ShaderNodeGroup", node_tree=baked)
    product = nodes.put(
        "ShaderNodeGroup",
        color,
        light.outputs["Light"],
        node_tree=node_group("Levelwright screen product", 1, _build_product),
    )
    shown = nodes.feed(nodes.add("ShaderNodeEmission"), Color=product.outputs[0]).outputs[0]
    return nodes.mix_shaders(light.outputs["Baked"], by_lights, shown)


def _build_product(nodes: Nodes) -> None:
    """A colour, as a screen's numbers, times others of them, as a colour."""
    nodes.sockets({"Color": "Color", "Light": "Color"}, {"Color": "Color"})
    entry = nodes.add("NodeGroupInput")
    screen = _to_screen(nodes, entry.outputs[0])
    product = nodes.vector("MULTIPLY", screen, entry.outputs[1])
    nodes.link(_from_screen(nodes, product), nodes.add("NodeGroupOutput").inputs[0])


def _power(nodes: Nodes, color: Socket, power: float) -> Socket:
    node = nodes.feed(nodes.add("ShaderNodeGamma"), Gamma=power, Color=color)
    return node.outputs[0]


def _to_screen(nodes: Nodes, color: Socket) -> Socket:
    """What lies below the knee on the straight line, and what is beyond it on the curve, channel by channel."""
    below = nodes.vector("MINIMUM", color, KNEE)
    above = _power(nodes, nodes.vector("MAXIMUM", color, KNEE), 1 / POWER)
    curve = nodes.vector("MULTIPLY_ADD", above, 1 + OFFSET, -OFFSET - KNEE * SLOPE)
    return nodes.vector("MULTIPLY_ADD", below, SLOPE, curve)


def _from_screen(nodes: Nodes, numbers: Socket) -> Socket:
    below = nodes.vector("MINIMUM", numbers, KNEE * SLOPE)
    above = nodes.vector("MAXIMUM", numbers, KNEE * SLOPE)
    curve = _power(nodes, nodes.vector("MULTIPLY_ADD", above, 1 / (1 + OFFSET), OFFSET / (1 + OFFSET)), POWER)
    return nodes.vector("MULTIPLY_ADD", below, 1 / SLOPE, nodes.vector("SUBTRACT", curve, KNEE))
