# SPDX-License-Identifier: GPL-3.0-or-later
"""Shader node groups that draw as the game does: few, shared by all materials of a .blend.

The game multiplies and blends the numbers that stand in its images, as a screen shows them (sRGB encoded). Blender does
so too when images are Non-Color, the numbers go straight into the emission and the scene's view transform is Raw:
then block means agree with pictures of the real game within 1 of 255 (with the Standard view and light-linear blending
within 5). In a scene with other things in it the Raw view would spoil those, so one switch in DISPLAY decodes the
colours instead.

Tilesets are read texel by texel ("Closest") and blended here, kept inside the tile: Blender's own filtering reads
smaller copies of the image ("mipmaps"), which mix neighbouring tiles, and shows lines between tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ....formats.srgb import OFFSET, POWER, SCREEN_KNEE, SLOPE
from ...scene.blender_types import Constant, Input, Socket, always, default_of, set_default
from ...scene.media.materials import Nodes, node_group
from ...scene.names import showable
from ...scene.view import stage

VERSION = 1
"""Raised when a group changes what it does: a .blend may hold groups of an older version."""

DISPLAY, SURFACE, CLIP = "Levelwright display", "Levelwright surface", "Levelwright clip"
INDEX, TEXELS, BLEND = "Levelwright index", "Levelwright texels", "Levelwright blend"
TILE = "Levelwright tile"
SWITCH = "Switch"
"""Name of the Value node in DISPLAY and CLIP that the sidebar's switches turn."""


@dataclass(frozen=True)
class Picture:
    """An image as materials use it."""

    image: bpy.types.Image
    width: int
    """Of the pixels, in px: what the map says may be wrong."""
    height: int
    """Of the pixels, in px."""


class ShaderTree(Nodes):
    """Nodes written as expressions: each method adds a node and returns its output."""

    def split(self, vector: Input) -> tuple[Socket, Socket, Socket]:
        """X, Y and Z (or red, green and blue) of a vector."""
        outputs = self.put("ShaderNodeSeparateXYZ", vector).outputs
        return outputs[0], outputs[1], outputs[2]

    def join(self, x: Input, y: Input, z: Input = 0.0) -> Socket:
        """A vector of three numbers."""
        return self.put("ShaderNodeCombineXYZ", x, y, z).outputs[0]

    def lerp(self, factor: Input, a: Input, b: Input) -> Socket:
        """A + factor * (b - a) of vectors or colours, number by number."""
        return self.vector("MULTIPLY_ADD", self.vector("SUBTRACT", b, a), factor, a)

    def choose(self, factor: Input, no: Input, yes: Input) -> Socket:
        """The number `no` where factor is 0, `yes` where it is 1."""
        return self.math("MULTIPLY_ADD", self.math("SUBTRACT", yes, no), factor, no)

    def switch(self) -> Socket:
        """The Value node that a sidebar switch turns; 0 at first."""
        node = self.add("ShaderNodeValue", SWITCH, name=SWITCH)
        set_default(node.outputs[0], 0.0)
        return node.outputs[0]

    def group(self, group: bpy.types.NodeTree, **inputs: Input | None) -> bpy.types.NodeOutputs:
        """Use a node group; inputs by name with _ for spaces (None: as it is). Returns its outputs."""
        return self.feed(self.add("ShaderNodeGroup", node_tree=group), **inputs).outputs


Fill = Callable[[ShaderTree, bpy.types.NodeOutputs, bpy.types.NodeInputs], None]


Inputs = dict[str, tuple[str, Constant | None]]
"""The inputs of a group by name: the kind of their socket, and what they are where nothing is linked to them."""


def shared_group(name: str, inputs: Inputs, outputs: dict[str, str], fill: Fill) -> bpy.types.NodeTree:
    """The shared node group of this name; `fill(tree, group's inputs, group's outputs)` makes it when there is none.

    outputs: name -> kind of socket.
    """

    def build(nodes: Nodes) -> None:
        interface = always(nodes.tree.interface)
        for title, (kind, default) in inputs.items():
            socket = interface.new_socket(title, in_out="INPUT", socket_type=f"NodeSocket{kind}")
            if default is not None:
                set_default(socket, default)
        nodes.sockets({}, outputs)
        tree = ShaderTree(nodes.tree)
        fill(tree, tree.add("NodeGroupInput").outputs, tree.add("NodeGroupOutput").inputs)

    return node_group(name, VERSION, build)


def display() -> bpy.types.NodeTree:
    """Color as a screen shows it -> Color to emit. Its switch: 0 = as it is (view Raw), 1 = decoded (view Standard)."""

    def fill(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs) -> None:
        color = tree.vector("MINIMUM", tree.vector("MAXIMUM", inputs["Color"], (0, 0, 0)), (1, 1, 1))
        dark = tree.vector("MULTIPLY", color, (1 / SLOPE,) * 3)
        bright = tree.vector("MULTIPLY_ADD", color, (1 / (1 + OFFSET),) * 3, (OFFSET / (1 + OFFSET),) * 3)
        bright = tree.put("ShaderNodeGamma", bright, POWER).outputs[0]
        is_bright = tree.vector("MULTIPLY_ADD", color, (1e6,) * 3, (-1e6 * SCREEN_KNEE,) * 3)
        is_bright = tree.vector("MINIMUM", tree.vector("MAXIMUM", is_bright, (0, 0, 0)), (1, 1, 1))
        linear = tree.lerp(is_bright, dark, bright)
        factor = tree.switch()
        tree.set(outputs["Color"], tree.lerp(tree.join(factor, factor, factor), color, linear))

    return shared_group(DISPLAY, {"Color": ("Color", None)}, {"Color": "Color"}, fill)


def surface() -> bpy.types.NodeTree:
    """Texture x tint x envelope (colours and alphas; white without) as an unlit, transparent surface."""

    def fill(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs) -> None:
        color = tree.vector("MULTIPLY", inputs["Texture"], inputs["Tint"])
        color = tree.vector("MULTIPLY", color, inputs["Envelope"])
        alpha = tree.math("MULTIPLY", inputs["Texture Alpha"], inputs["Tint Alpha"])
        alpha = tree.math("MULTIPLY", alpha, inputs["Envelope Alpha"], clamp=True)
        alpha = tree.math("MULTIPLY", alpha, inputs["Visible"])
        emission = tree.put("ShaderNodeEmission", tree.group(display(), Color=color)[0]).outputs[0]
        nothing = tree.add("ShaderNodeBsdfTransparent").outputs[0]
        tree.set(outputs["Shader"], tree.put("ShaderNodeMixShader", alpha, nothing, emission).outputs[0])

    inputs: Inputs = {}
    for part in ("Texture", "Tint", "Envelope"):
        inputs[part] = ("Color", (1.0, 1.0, 1.0, 1.0))
        inputs[f"{part} Alpha"] = ("Float", 1.0)
    return shared_group(SURFACE, inputs | {"Visible": ("Float", 1.0)}, {"Shader": "Shader"}, fill)


TAPS = ("Lower Left", "Lower Right", "Upper Left", "Upper Right")


def texels() -> bpy.types.NodeTree:
    """UV in a tileset, Size of a tile in texels -> the UVs of the four texels around, all of the same tile; Part."""

    def fill(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs) -> None:
        size = inputs["Size"]
        scaled = tree.vector("MULTIPLY", inputs["UV"], (16, 16, 0))
        cell = tree.vector("FLOOR", scaled)
        place = tree.vector("MULTIPLY_ADD", tree.vector("SUBTRACT", scaled, cell), size, (-0.5, -0.5, 0))
        low = tree.vector("FLOOR", place)
        last = tree.vector("SUBTRACT", size, (1, 1, 0))
        first = tree.vector("MULTIPLY", cell, size)
        ends = []
        for texel in (low, tree.vector("ADD", low, (1, 1, 0))):
            texel = tree.vector("MINIMUM", tree.vector("MAXIMUM", texel, (0, 0, 0)), last)
            middle = tree.vector("ADD", tree.vector("ADD", first, texel), (0.5, 0.5, 0))
            ends.append(tree.split(tree.vector("DIVIDE", middle, tree.vector("MULTIPLY", size, (16, 16, 1)))))
        for tap, (x, y) in zip(TAPS, ((0, 0), (1, 0), (0, 1), (1, 1)), strict=True):
            tree.set(outputs[tap], tree.join(ends[x][0], ends[y][1]))
        tree.set(outputs["Part"], tree.vector("SUBTRACT", place, low))

    vectors: Inputs = {"UV": ("Vector", None), "Size": ("Vector", (64.0, 64.0, 1.0))}
    return shared_group(TEXELS, vectors, dict.fromkeys((*TAPS, "Part"), "Vector"), fill)


def blend() -> bpy.types.NodeTree:
    """The colours and alphas of four texels, and how far (Part) the place lies from the first to the last."""

    def fill(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs) -> None:
        right, up, _ = tree.split(inputs["Part"])
        rights = tree.join(right, right, right)
        colors = [tree.lerp(rights, inputs[a], inputs[b]) for a, b in (TAPS[:2], TAPS[2:])]
        tree.set(outputs["Color"], tree.lerp(tree.join(up, up, up), *colors))
        alphas = [tree.choose(right, inputs[f"{a} Alpha"], inputs[f"{b} Alpha"]) for a, b in (TAPS[:2], TAPS[2:])]
        tree.set(outputs["Alpha"], tree.choose(up, *alphas))

    inputs: Inputs = dict.fromkeys(TAPS, ("Color", None))
    inputs |= {f"{tap} Alpha": ("Float", None) for tap in TAPS} | {"Part": ("Vector", None)}
    return shared_group(BLEND, inputs, {"Color": "Color", "Alpha": "Float"}, fill)


def tileset(tree: ShaderTree, picture: Picture, uv: Socket) -> tuple[Socket, Socket]:
    """Add nodes that read a tileset smoothly within the tiles; returns colour and alpha."""
    size = (max(picture.width / 16, 1.0), max(picture.height / 16, 1.0), 1.0)
    around = tree.group(texels(), UV=uv, Size=size)
    mixed: dict[str, Socket] = {"Part": around["Part"]}
    for tap in TAPS:
        node = tree.put("ShaderNodeTexImage", around[tap], image=picture.image, interpolation="Closest")
        mixed[tap], mixed[f"{tap} Alpha"] = node.outputs["Color"], node.outputs["Alpha"]
        tree.tree.nodes.active = node  # what the Solid viewport's texture mode shows
    found = tree.group(blend(), **mixed)
    return found["Color"], found["Alpha"]


def clip() -> bpy.types.NodeTree:
    """Place in the clip empty's own coordinates (-1..1 inside) -> Visible. Its switch: 1 = clip.

    `Always` 1 clips whatever the switch says: for groups that lie where the game draws them without a camera.
    """

    def fill(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs) -> None:
        x, y, _ = tree.split(tree.vector("ABSOLUTE", inputs["Place"]))
        inside = tree.math("LESS_THAN", tree.math("MAXIMUM", x, y), 1.0)
        on = tree.math("MAXIMUM", tree.switch(), inputs["Always"])
        tree.set(outputs["Visible"], tree.math("MAXIMUM", inside, tree.math("SUBTRACT", 1.0, on)))

    return shared_group(CLIP, {"Place": ("Vector", None), "Always": ("Float", 0.0)}, {"Visible": "Float"}, fill)


def index() -> bpy.types.NodeTree:
    """A tile's Index and Flags, and the Place in it (tiles, y up) -> UV in the tileset, Visible (0 for air).

    The turns are those of teeworlds.md §5: rotated first, then mirrored along the texture's axes.
    """

    def fill(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs) -> None:
        def bit(value: float) -> Socket:
            return tree.math("MODULO", tree.math("FLOOR", tree.math("DIVIDE", flags, value)), 2.0)

        number, flags = (tree.math("ROUND", inputs[name]) for name in ("Index", "Flags"))
        right, up, _ = tree.split(tree.vector("FRACTION", inputs["Place"]))
        down = tree.math("SUBTRACT", 1.0, up)
        mirrored_x, mirrored_y, rotated = bit(1.0), bit(2.0), bit(8.0)
        u = tree.choose(rotated, right, down)
        v = tree.choose(rotated, down, tree.math("SUBTRACT", 1.0, right))
        u = tree.choose(mirrored_x, u, tree.math("SUBTRACT", 1.0, u))
        v = tree.choose(mirrored_y, v, tree.math("SUBTRACT", 1.0, v))
        row = tree.math("FLOOR", tree.math("DIVIDE", number, 16.0))
        column = tree.math("MODULO", number, 16.0)
        inner = tree.vector("MINIMUM", tree.join(u, tree.math("SUBTRACT", 1.0, v)), (0.9999, 0.9999, 0))
        cell = tree.join(column, tree.math("SUBTRACT", 15.0, row))
        tree.set(outputs["UV"], tree.vector("MULTIPLY", tree.vector("ADD", cell, inner), (1 / 16, 1 / 16, 0)))
        tree.set(outputs["Visible"], tree.math("GREATER_THAN", number, 0.5))

    inputs = dict.fromkeys(("Index", "Flags"), ("Float", 0.0))
    return shared_group(INDEX, inputs | {"Place": ("Vector", None)}, {"UV": "Vector", "Visible": "Float"}, fill)


def tile() -> bpy.types.NodeTree:
    """Attributes and UV of a face -> Index and Flags that it shows and the Place in its picture, for `index`.

    By the rule of formats/teeworlds/tile_faces.py: an attribute that isn't what UV_TILE says was painted, and counts;
    otherwise the UV does, which has turned with its face. What the UV turns comes without Flags. Place: in the layer
    (tiles, y up). Upright 1: nothing turns such tiles.
    """

    def fill(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs) -> None:
        def modulo(value: Socket, divisor: float) -> Socket:  # of Blender's own operations, one has it in all versions
            parts = tree.math("FLOOR", tree.math("DIVIDE", value, divisor))
            return tree.math("MULTIPLY_ADD", parts, -divisor, value)

        def differ(one: Socket, other: Socket) -> Socket:
            return tree.math("GREATER_THAN", tree.math("ABSOLUTE", tree.math("SUBTRACT", one, other)), 0.5)

        number, flags, angle, made = (
            tree.math("ROUND", inputs[name]) for name in ("Index", "Flags", "Angle", "UV Tile")
        )
        made_index, made_turn = modulo(made, 256.0), tree.math("FLOOR", tree.math("DIVIDE", made, 256.0))
        opaque = tree.math("SUBTRACT", modulo(flags, 8.0), modulo(flags, 4.0))  # 4 or 0: the bit that turns nothing
        turn = tree.math("ADD", tree.math("SUBTRACT", modulo(flags, 16.0), opaque), modulo(angle, 65536.0))
        painted = differ(number, made_index)
        unmade = tree.math("MULTIPLY", painted, tree.math("LESS_THAN", made_index, 0.5))
        turned = tree.math("MAXIMUM", tree.math("MAXIMUM", unmade, differ(turn, made_turn)), inputs["Upright"])
        scaled = tree.vector("MULTIPLY", inputs["UV"], (16, 16, 0))
        cell = tree.vector("FLOOR", scaled)
        column, row, _ = tree.split(cell)
        shown = tree.math("MULTIPLY_ADD", tree.math("SUBTRACT", 15.0, row), 16.0, column)
        tree.set(outputs["Index"], tree.choose(painted, shown, number))
        tree.set(outputs["Flags"], tree.math("MULTIPLY", flags, turned))
        inner = tree.vector("SUBTRACT", scaled, cell)
        tree.set(outputs["Place"], tree.lerp(tree.join(turned, turned, turned), inner, inputs["Place"]))

    inputs: Inputs = dict.fromkeys(("Index", "Flags", "Angle", "UV Tile", "Upright"), ("Float", 0.0))
    inputs |= {"UV": ("Vector", None), "Place": ("Vector", None)}
    return shared_group(TILE, inputs, {"Index": "Float", "Flags": "Float", "Place": "Vector"}, fill)


def existing_group(name: str) -> bpy.types.NodeTree | None:
    """The shared node group of this name, if the .blend has it."""
    return bpy.data.node_groups.get(f"{name} v{VERSION}")


def _switch_of(name: str) -> Socket | None:
    group = existing_group(name)
    node = group.nodes.get(SWITCH) if group else None
    return node.outputs[0] if node is not None else None


def backdrop(brightness: float) -> bpy.types.World:
    """What shows where a map draws nothing, as a world; brightness as a screen shows it."""
    name = f"Levelwright backdrop {brightness:.2f}"
    world = bpy.data.worlds.get(name)
    if world is None:
        world = bpy.data.worlds.new(showable(name))
        world[stage.MADE] = True
        if bpy.app.version < (5, 0):  # from 5.0 on every world has nodes, and asking for them warns
            world.use_nodes = True
        nodes = always(world.node_tree)
        nodes.nodes.clear()
        tree = ShaderTree(nodes)
        color = tree.group(display(), Color=(brightness, brightness, brightness, 1.0))[0]
        tree.put("ShaderNodeOutputWorld", tree.put("ShaderNodeBackground", color).outputs[0])
    return world


def set_switch(name: str, value: float) -> None:
    """Turn the switch of DISPLAY or CLIP (nothing to turn: nothing happens)."""
    switch = _switch_of(name)
    if switch is not None and default_of(switch) != value:
        set_default(switch, value)


def get_switch(name: str) -> float:
    """The value of a switch; 0 while its group doesn't exist."""
    switch = _switch_of(name)
    return default_of(switch) if switch is not None else 0.0
