"""Node trees from code, shared node groups, and the materials that every game needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

Socket = Any
"""A node's input or output (bpy.types.NodeSocket; what its value is depends on its type)."""


class Nodes:
    """Builds a node tree, left to right: `out = nodes.add("ShaderNodeMath", operation="ADD")(a, 0.5)`."""

    def __init__(self, tree: bpy.types.NodeTree) -> None:
        self.tree = tree
        self._column = 0

    def add(self, kind: str, label: str = "", **settings: Any) -> Any:
        """Add a node with these settings, right of those before it."""
        node: Any = self.tree.nodes.new(kind)
        node.location = (self._column * 220.0, 0.0)
        self._column += 1
        if label:
            node.label = label
        for name, value in settings.items():
            setattr(node, name, value)
        return node

    def link(self, source: Socket, target: Socket) -> None:
        """Connect an output to an input."""
        self.tree.links.new(target, source)

    def feed(self, node: Any, **inputs: Any) -> Any:
        """Set inputs by name (spaces as _) from sockets or values, and return the node."""
        for name, value in inputs.items():
            socket = node.inputs[name.replace("_", " ")]
            if isinstance(value, bpy.types.NodeSocket):
                self.link(value, socket)
            else:
                socket.default_value = value
        return node

    def math(self, operation: str, *values: Any, clamp: bool = False) -> Socket:
        """Add a Math node on sockets or numbers and return its output."""
        node = self.add("ShaderNodeMath", operation=operation, use_clamp=clamp)
        for socket, value in zip(node.inputs, values, strict=False):
            if isinstance(value, bpy.types.NodeSocket):
                self.link(value, socket)
            else:
                socket.default_value = value
        return node.outputs[0]


def shader(material: bpy.types.Material) -> Nodes:
    """Return a builder on the material's emptied node tree."""
    if bpy.app.version < (5, 0):  # from 5.0 on every material has nodes, and asking for them warns
        material.use_nodes = True
    tree: Any = material.node_tree
    tree.nodes.clear()
    return Nodes(tree)


def node_group(name: str, version: int, build: Callable[[Nodes], None]) -> bpy.types.NodeTree:
    """Return the shared node group `<name> v<version>`, built when the file hasn't got it yet.

    The version is raised when the code changes what the group does: files made before keep the look they had.
    """
    full = f"{name} v{version}"
    group: bpy.types.NodeTree | None = bpy.data.node_groups.get(full)
    if group is None:
        group = bpy.data.node_groups.new(full, "ShaderNodeTree")
        build(Nodes(group))
    return group


def blended(material: bpy.types.Material, transparent: bool = True) -> None:
    """Let alpha blend as it does in games (sorted by object), with both sides of a face drawn."""
    material.use_backface_culling = False
    material.surface_render_method = "BLENDED" if transparent else "DITHERED"
    if transparent:
        material.use_transparency_overlap = True


def unlit(
    name: str, image: bpy.types.Image | None = None, color: tuple[float, ...] = (1, 1, 1, 1)
) -> bpy.types.Material:
    """Make a material that shows image x colour without light: in Blender, and through the glTF exporter too.

    A background shader is what Blender's glTF exporter takes for KHR_materials_unlit; alpha goes through a Mix node.
    """
    material = bpy.data.materials.new(name)
    material.diffuse_color = (*color[:3], color[3] if len(color) > 3 else 1.0)
    nodes = shader(material)
    background = nodes.add("ShaderNodeBackground")
    clear = nodes.add("ShaderNodeBsdfTransparent")
    mix = nodes.add("ShaderNodeMixShader")
    output = nodes.add("ShaderNodeOutputMaterial")
    background.inputs["Color"].default_value = (*color[:3], 1.0)
    mix.inputs[0].default_value = color[3] if len(color) > 3 else 1.0
    if image is not None:
        texture = nodes.add("ShaderNodeTexImage", image=image)
        nodes.link(texture.outputs["Color"], background.inputs["Color"])
        nodes.link(texture.outputs["Alpha"], mix.inputs[0])
        blended(material)
    nodes.link(clear.outputs[0], mix.inputs[1])
    nodes.link(background.outputs[0], mix.inputs[2])
    nodes.link(mix.outputs[0], output.inputs["Surface"])
    return material


def placeholder(name: str, image: bpy.types.Image | None = None) -> bpy.types.Material:
    """Return the material of something that wasn't found: its labelled checker, or plain grey. Never pink."""
    material = unlit(name, image, (0.18, 0.18, 0.2, 1.0))
    material["levelwright_placeholder"] = True
    return material
