# SPDX-License-Identifier: GPL-3.0-or-later
"""The light of a level's `light_ambient` entities as the world of the scene, for show.

Each has six colours, of the light from six sides, and counts as far as its distance. Blender's world is the same
everywhere: here it is their mean, where an entity weighs as much as its intensity and the volume that it reaches. On
what scale their intensities are is not published (10 to 200 in real levels): the world's strength is a fixed one.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import ns2
from ....formats.arrays import Floats
from ....formats.binary import FormatError
from ...scene.blender_types import Input, always
from ...scene.kept import identity
from ...scene.media.materials import Nodes, Socket
from ...scene.view import stage
from .. import layout
from ..context import ImportContext
from .classes import numbers

STRENGTH = 0.3
PLAIN = (0.15, 0.15, 0.15)
"""Linear colour of the light in levels without any of these."""
_SIDES = (("forward", "backward"), ("left", "right"), ("up", "down"))
"""Blender's x, y and z, each with the side against it: Spark's z, x and y, of which x points to the left of z."""
_WHITE = (1.0, 1.0, 1.0)

Colors = Floats


def colors_of(entity: ns2.Entity) -> Colors:
    """The light from the six sides, [3, 2, 3]: of Blender's axes, along and against each, red, green and blue."""
    base = np.array(_color(entity, "color"))
    return np.array([[base * _color(entity, f"color_dir_{side}") for side in pair] for pair in _SIDES])


def mean_of(entities: list[ns2.Entity]) -> Colors | None:
    """The mean of ambient lights, as `colors_of`; None where no light comes from any."""
    weights = np.array([_number(each, "intensity", 1.0) * _number(each, "distance", 2.0) ** 3 for each in entities])
    if not weights.sum() > 0 or not np.isfinite(weights.sum()):
        return None
    found: Colors = np.tensordot(weights / weights.sum(), np.stack([colors_of(each) for each in entities]), 1)
    return found if found.any() else None


def build(importing: ImportContext) -> None:
    """Give a scene that has no world that of the level's ambient lights, or without any a plain grey one."""
    scene = importing.scene
    if not stage.lacks_world(scene):
        return
    found = None
    if importing.settings.entities:
        found = mean_of([each for each in importing.level.entities if each.class_name == layout.AMBIENT_LIGHT])
    if found is None:
        scene.world = stage.plain_world("NS2", PLAIN)
        return
    world = bpy.data.worlds.new(f"{importing.collection.name} ambience")
    identity.stamp(world, importing.token, layout.PREVIEW, 0)
    if bpy.app.version < (5, 0):  # from 5.0 on every world has nodes, and asking for them warns
        world.use_nodes = True
    world.color = found.mean(axis=(0, 1)) * STRENGTH  # for the viewport without nodes
    tree = always(world.node_tree)
    tree.nodes.clear()
    _shine(Nodes(tree), found)
    scene.world = world


def _shine(nodes: Nodes, colors: Colors) -> None:
    """The colour from a direction: of each axis the colour of its side, by the square of the direction's share. The
    camera itself sees black.
    """
    direction = nodes.add("ShaderNodeTexCoord").outputs["Generated"]
    ahead = _vector(nodes, "MULTIPLY", direction, _vector(nodes, "MAXIMUM", direction, (0, 0, 0)))
    sides = [ahead, _vector(nodes, "SUBTRACT", _vector(nodes, "MULTIPLY", direction, direction), ahead)]
    shares = [nodes.feed(nodes.add("ShaderNodeSeparateXYZ"), Vector=side) for side in sides]
    total: Input = (0.0, 0.0, 0.0)
    for axis in range(3):
        for share, color in zip(shares, colors[axis], strict=True):
            part = nodes.put("ShaderNodeVectorMath", color.tolist(), operation="SCALE")
            nodes.link(share.outputs[axis], part.inputs["Scale"])
            total = _vector(nodes, "ADD", total, part.outputs[0]) if isinstance(total, Socket) else part.outputs[0]
    seen = nodes.add("ShaderNodeLightPath").outputs["Is Camera Ray"]
    strength = nodes.math("MULTIPLY", nodes.math("SUBTRACT", 1.0, seen), STRENGTH)
    background = nodes.feed(nodes.add("ShaderNodeBackground"), Color=total, Strength=strength)
    nodes.link(background.outputs[0], nodes.add("ShaderNodeOutputWorld").inputs["Surface"])


def _vector(nodes: Nodes, operation: str, *values: Input) -> Socket:
    node = nodes.add("ShaderNodeVectorMath", operation=operation)
    for socket, value in zip(node.inputs, values, strict=False):
        nodes.set(socket, value)
    return node.outputs[0]


def _color(entity: ns2.Entity, name: str) -> tuple[float, ...]:
    found = numbers(_value(entity, name), 3)
    return _WHITE if found is None else tuple(max(one, 0.0) for one in found)


def _number(entity: ns2.Entity, name: str, default: float) -> float:
    found = numbers(_value(entity, name), 1)
    return default if found is None else max(found[0], 0.0)


def _value(entity: ns2.Entity, name: str) -> object:
    try:
        return entity.get(name)
    except FormatError:  # bytes that are no value
        return None
