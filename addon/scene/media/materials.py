# SPDX-License-Identifier: GPL-3.0-or-later
"""Node trees from code, shared node groups, and the materials that every game needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

import bpy
import numpy as np
from bpy.types import Mesh, NodeSocket

from ....formats.arrays import Singles
from ..blender_types import Input, Node, always, configure, default_of, set_default
from ..blender_types import Socket as Socket
from ..names import showable

_WIDE = 220.0
"""From node to node."""


class Nodes:
    """Builds a node tree, left to right: `out = nodes.add("ShaderNodeMath", operation="ADD")(a, 0.5)`."""

    def __init__(self, tree: bpy.types.NodeTree) -> None:
        self.tree = tree

    def add(self, kind: str, label: str = "", **settings: object) -> Node:
        """Add a node with these settings, right of those before it."""
        nodes = self.tree.nodes
        node = nodes.new(kind)
        nodes.foreach_set("location", _in_a_row(len(nodes)))  # one that is moved alone updates the tree
        if label:
            node.label = showable(label)
        configure(node, **settings)
        return node

    def put(self, kind: str, *inputs: Input | None, **settings: object) -> Node:
        """Add a node with these inputs in order: outputs of others, or values (None: as it is)."""
        node = self.add(kind, "", **settings)
        for socket, value in zip(node.inputs, inputs, strict=False):
            self.set(socket, value)
        return node

    def link(self, source: Socket, target: Socket) -> None:
        """Connect an output to an input."""
        self.tree.links.new(target, source)

    def set(self, target: Socket, value: Input | None) -> None:
        """Give an input an output to be linked to, or a value; None leaves it."""
        if isinstance(value, NodeSocket):
            self.link(value, target)
        elif value is not None:
            set_default(target, value)

    def feed(self, node: Node, **inputs: Input | None) -> Node:
        """Set inputs by name (spaces as _) from sockets or values, and return the node."""
        for name, value in inputs.items():
            self.set(node.inputs[name.replace("_", " ")], value)
        return node

    def math(self, operation: str, *values: Input, clamp: bool = False) -> Socket:
        """Add a Math node on sockets or numbers and return its output."""
        return self.put("ShaderNodeMath", *values, operation=operation, use_clamp=clamp).outputs[0]

    def vector(self, operation: str, *values: Input, factor: Input | None = None) -> Socket:
        """Add a Vector Math node on sockets, vectors or numbers (three times the same) and return its output.

        factor: of SCALE.
        """
        node = self.add("ShaderNodeVectorMath", operation=operation)
        for socket, value in zip(node.inputs, values, strict=False):
            self.set(socket, (value,) * 3 if isinstance(value, float) else value)
        if factor is not None:
            self.set(node.inputs["Scale"], factor)
        return node.outputs[0]

    def value(self, label: str, value: float) -> Socket:
        """Add a Value node that is found again by its label, which is its name, too, and return its output."""
        node = self.add("ShaderNodeValue", label)
        node.name = showable(label)
        set_default(node.outputs[0], value)
        return node.outputs[0]

    def multiply(self, color: Socket, factor: Input) -> Socket:
        """Multiply a colour by another, or by constant RGBA, and return the product."""
        return self.mix(1.0, color, factor, "MULTIPLY")

    def mix(self, factor: Input, one: Input, other: Input, blend: str = "MIX") -> Socket:
        """Mix two colours: one at 0, the other (blended with it) at 1."""
        node = self.add("ShaderNodeMix", data_type="RGBA", blend_type=blend)
        for place, value in ((0, factor), (6, one), (7, other)):
            self.set(node.inputs[place], value)
        return node.outputs[2]

    def mix_shaders(self, factor: Input, one: Input, other: Input) -> Socket:
        """Mix two shaders: one at 0, the other at 1."""
        return self.put("ShaderNodeMixShader", factor, one, other).outputs[0]

    def sockets(self, inputs: Mapping[str, str], outputs: Mapping[str, str]) -> None:
        """Give the tree, which is a group, inputs and outputs by name: the kind of each, "Color"."""
        interface = always(self.tree.interface)
        for name, kind in inputs.items():
            interface.new_socket(name, in_out="INPUT", socket_type=f"NodeSocket{kind}")
        for name, kind in outputs.items():
            interface.new_socket(name, in_out="OUTPUT", socket_type=f"NodeSocket{kind}")


def given(socket: Socket) -> Input:
    """What an input of numbers is given: the output that is linked to it, or what it has for itself."""
    source = socket.links[0].from_socket if socket.links else None
    return default_of(socket) if source is None else source


@cache
def _in_a_row(count: int) -> Singles:
    """Where so many nodes lie, left to right: float32[2 * count], x and y of each."""
    places = np.zeros((count, 2), np.float32)
    places[:, 0] = np.arange(count) * _WIDE
    return places.reshape(-1)


def shader(material: bpy.types.Material) -> Nodes:
    """Return a builder on the material's emptied node tree."""
    if bpy.app.version < (5, 0):  # from 5.0 on every material has nodes, and asking for them warns
        material.use_nodes = True
    tree = always(material.node_tree)
    tree.nodes.clear()
    return Nodes(tree)


def node_group(
    name: str,
    version: int,
    build: Callable[[Nodes], None],
    kind: Literal["ShaderNodeTree", "GeometryNodeTree"] = "ShaderNodeTree",
) -> bpy.types.NodeTree:
    """Return the shared node group `<name> v<version>`, built when the file hasn't got it yet.

    The version is raised when the code changes what the group does: files made before keep the look they had.
    """
    full = f"{name} v{version}"
    group: bpy.types.NodeTree | None = bpy.data.node_groups.get(full)
    if group is None:
        group = bpy.data.node_groups.new(showable(full), kind)
        build(Nodes(group))
    return group


def blended(material: bpy.types.Material, transparent: bool = True) -> None:
    """Let alpha blend as it does in games (sorted by object), with both sides of a face drawn."""
    material.use_backface_culling = False
    material.surface_render_method = "BLENDED" if transparent else "DITHERED"
    if transparent:
        material.use_transparency_overlap = True


def unlit(
    name: str,
    image: bpy.types.Image | None = None,
    color: tuple[float, float, float, float] = (1, 1, 1, 1),
    vertex_color: str = "",
) -> bpy.types.Material:
    """Make a material that shows image x colour x vertex colour without light, in Blender and through glTF.

    color: linear RGBA factor. vertex_color: name of a colour attribute. It lights nothing else. Blender's glTF exporter
    makes KHR_materials_unlit of emission that only the camera sees, and reads alpha from a mix with a transparent
    shader around that; it understands products with one constant and one vertex colour.
    """
    material = bpy.data.materials.new(showable(name))
    material.diffuse_color = color
    nodes = shader(material)
    rgb: Socket | None = None
    alpha: Socket | None = None
    if image is not None:
        texture = nodes.add("ShaderNodeTexImage", image=image)
        rgb, alpha = texture.outputs["Color"], texture.outputs["Alpha"]
    if vertex_color:
        attribute = nodes.add("ShaderNodeVertexColor", layer_name=vertex_color)
        rgb = attribute.outputs["Color"] if rgb is None else nodes.multiply(rgb, attribute.outputs["Color"])
        tint = attribute.outputs["Alpha"]
        alpha = tint if alpha is None else nodes.math("MULTIPLY", alpha, tint)
    factor = (*color[:3], 1.0)
    if rgb is not None and color[:3] != (1, 1, 1):
        rgb = nodes.multiply(rgb, factor)
    if alpha is not None and color[3] != 1:
        alpha = nodes.math("MULTIPLY", alpha, color[3])
    cover: Input = color[3] if alpha is None else alpha
    emission = nodes.feed(nodes.add("ShaderNodeEmission"), Color=factor if rgb is None else rgb)
    transparent = nodes.add("ShaderNodeBsdfTransparent").outputs[0]
    seen = nodes.add("ShaderNodeLightPath").outputs["Is Camera Ray"]
    shown = emission.outputs[0]
    for mask in (seen, cover):
        shown = nodes.mix_shaders(mask, transparent, shown)
    nodes.link(shown, nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])
    blended(material, cover != 1)
    return material


def placeholder(name: str, image: bpy.types.Image | None = None) -> bpy.types.Material:
    """Return the material of something that wasn't found: its labelled checker, or plain grey. Never pink."""
    material = unlit(name, image, (1, 1, 1, 1) if image else (0.18, 0.18, 0.2, 1.0))
    material["levelwright_placeholder"] = True
    return material


def picture_nodes(tree: bpy.types.NodeTree | None) -> list[bpy.types.ShaderNodeTexImage]:
    """The nodes of a tree that show an image, or could, in its order; none of no tree."""
    return [node for node in (tree.nodes if tree else ()) if isinstance(node, bpy.types.ShaderNodeTexImage)]


def is_placeholder(material: bpy.types.Material) -> bool:
    """Say whether a material only stands for one that wasn't found."""
    return bool(material.get("levelwright_placeholder", False))


def of_level(collection: bpy.types.Collection) -> list[bpy.types.Material]:
    """The materials that a level's objects show, each once."""
    own = (slot.material for obj in collection.all_objects for slot in obj.material_slots if slot.link == "OBJECT")
    return [one for one in dict.fromkeys((*_of_meshes(meshes_of(collection)), *own)) if one is not None]


def meshes_of(collection: bpy.types.Collection) -> list[bpy.types.Mesh]:
    """The meshes of a level's objects, each once."""
    return list(dict.fromkeys(obj.data for obj in collection.all_objects if isinstance(obj.data, Mesh)))


def solid_color(collection: bpy.types.Collection) -> Literal["TEXTURE", "VERTEX", "MATERIAL"]:
    """What Solid views show of a level best: images where its materials have one to show, else colours of its points,
    else those that its materials have for such views.
    """
    meshes = meshes_of(collection)
    if any(_is_pictured(material) for material in _of_meshes(meshes)):
        return "TEXTURE"
    return "VERTEX" if any(mesh.color_attributes for mesh in meshes) else "MATERIAL"


def show_color(nodes: Nodes) -> None:
    """Let Solid views show a material's colour, though its nodes have images: as a normal map, which is no picture."""
    nodes.tree.nodes.active = nodes.add("ShaderNodeTexImage")  # Blender takes the active image, and this has none


def shows_color(material: bpy.types.Material) -> bool:
    """Whether `show_color` was asked for."""
    tree = material.node_tree
    active = tree.nodes.active if tree is not None else None
    return isinstance(active, bpy.types.ShaderNodeTexImage) and active.image is None


def _of_meshes(meshes: Iterable[bpy.types.Mesh]) -> Iterator[bpy.types.Material | None]:
    for mesh in meshes:
        yield from mesh.materials


def _is_pictured(material: bpy.types.Material | None) -> bool:
    """Whether Solid views have an image to show of a material: that of its active node."""
    tree = material.node_tree if material is not None else None
    node = tree.nodes.active if tree is not None else None
    return isinstance(node, bpy.types.ShaderNodeTexImage) and node.image is not None
