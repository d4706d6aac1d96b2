# SPDX-License-Identifier: GPL-3.0-or-later
"""The art that the game's client draws physics layers with, where the user has it: shown instead of our own drawings.

The art is its authors': it is never packed, only shown from the user's own files. Two node groups, shared by all
materials of a .blend, hold its images and a switch, so that showing it edits no material.
"""

from __future__ import annotations

from pathlib import Path

import bpy

from ....formats.reach import AllowedFolders
from ...scene.blender_types import Socket, expect
from ...scene.media import images
from ...scene.names import showable
from . import shading
from .shading import ShaderTree

ENTITIES, ARROW = "Levelwright entities", "Levelwright entities arrow"
ART = "Art"
"""Name of the image node in both groups."""
MADE = "levelwright_entities"
"""On images of the client's art: that they are here for nothing else."""
SWITCH_OPEN, SWITCH_OPEN_SHOWN = 22.0, 8.0
"""The index of the timed switch that opens, and where the art has it: 22 is another tile's in the game layer."""
LARGE, LOWER, UPPER = (0.58, 3.2), (0.36, 1.7), (0.72, 1.7)
"""Where the client writes numbers, in tiles above the lower edge, and how many times as large as ours: of teles, of
other tiles below and above."""
LONG, LONG_SIZE = 99.5, 2.4
"""Larger numbers than this wouldn't fit into a tile as large."""
UNNUMBERED = (31.0, 63.0)
"""Indices of teles that go by no number: to checkpoints."""
ARROW_SIZE = 0.84
"""How large the client draws the arrow, in tiles."""
OWN_HEIGHT, UPPER_DROP = 10 / 64, 44 / 64
"""Where our own digits stand in a tile (see `physics.draw`), and how much higher the second number."""


def art() -> bpy.types.NodeTree:
    """UV in a tileset, Color and Alpha of our own drawing -> those of the client's art while the switch is on; On."""
    return shading.shared_group(
        ENTITIES,
        {"UV": ("Vector", None), "Color": ("Color", None), "Alpha": ("Float", 1.0)},
        {"Color": "Color", "Alpha": "Float", "On": "Float"},
        lambda tree, inputs, outputs: _choose(tree, inputs, outputs, inputs["UV"]),
    )


def arrow() -> bpy.types.NodeTree:
    """The same of a speedup, whose art is a single arrow in the whole picture."""

    def fill(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs) -> None:
        inner = tree.vector("FRACTION", tree.vector("MULTIPLY", inputs["UV"], (16, 16, 0)))
        shift = 0.5 - 0.5 / ARROW_SIZE
        larger = tree.vector("MULTIPLY_ADD", inner, (1 / ARROW_SIZE,) * 3, (shift, shift, 0.0))
        _choose(tree, inputs, outputs, larger)

    inputs: shading.Inputs = {"UV": ("Vector", None), "Color": ("Color", None), "Alpha": ("Float", 1.0)}
    return shading.shared_group(ARROW, inputs, {"Color": "Color", "Alpha": "Float", "On": "Float"}, fill)


def _choose(tree: ShaderTree, inputs: bpy.types.NodeOutputs, outputs: bpy.types.NodeInputs, uv: Socket) -> None:
    node = tree.put("ShaderNodeTexImage", uv, interpolation="Closest", extension="CLIP", name=ART)
    on = tree.switch()
    tree.set(outputs["Color"], tree.lerp(tree.join(on, on, on), inputs["Color"], node.outputs["Color"]))
    tree.set(outputs["Alpha"], tree.choose(on, inputs["Alpha"], node.outputs["Alpha"]))
    tree.set(outputs["On"], on)


def shade(
    tree: ShaderTree, kind: str, uv: Socket, values: dict[str, Socket], color: Socket, alpha: Socket
) -> bpy.types.NodeOutputs:
    """Add nodes that show the client's art instead of our own drawing: Color, Alpha and On.

    uv: of the tile in our tileset. values: the tile's fields; the index is the one that is shown.
    """
    if kind == "SPEEDUP":
        return tree.group(arrow(), UV=uv, Color=color, Alpha=alpha)
    if kind == "SWITCH":
        timed = tree.math("COMPARE", values["index"], SWITCH_OPEN, 0.5)
        inner = tree.vector("FRACTION", tree.vector("MULTIPLY", uv, (16, 16, 0)))
        moved = tree.group(shading.index(), Index=SWITCH_OPEN_SHOWN, Place=inner)["UV"]
        uv = tree.lerp(tree.join(timed, timed, timed), uv, moved)
    return tree.group(art(), UV=uv, Color=color, Alpha=alpha)


def number_place(tree: ShaderTree, kind: str, place: Socket, number: Socket, upper: bool, on: Socket) -> Socket:
    """Where a digit of a tile is looked up, for numbers as large and there as the client writes them while it is On.

    place: in the layer (tiles, y up). number: the one that is written. upper: the tile's second number.
    """
    height, size = LARGE if kind == "TELE" else UPPER if upper else LOWER
    own = tree.vector("SUBTRACT", place, (0.0, UPPER_DROP, 0.0)) if upper else place
    if kind == "TUNE":  # the client writes none: ours stays small
        return own
    long = tree.math("GREATER_THAN", number, LONG)
    shrunk = tree.choose(long, 1 / size, 1 / min(size, LONG_SIZE))
    middle = tree.vector("SUBTRACT", tree.vector("FRACTION", place), (0.5, height, 0.0))
    theirs = tree.vector("MULTIPLY_ADD", middle, tree.join(shrunk, shrunk, 0.0), (0.5, OWN_HEIGHT, 0.0))
    return tree.lerp(tree.join(on, on, on), own, theirs)


def numbered(tree: ShaderTree, kind: str, index: Socket, on: Socket) -> Socket | None:
    """1 where tiles of a kind show their number, 0 where the client writes none; None for all."""
    if kind != "TELE":
        return None
    without = [tree.math("COMPARE", index, one, 0.5) for one in UNNUMBERED]
    return tree.math("SUBTRACT", 1.0, tree.math("MULTIPLY", tree.math("ADD", *without), on))


def show(tileset: Path, speedup: Path | None, allowed: AllowedFolders) -> None:
    """Show physics layers by a picture of entities, and speedups by an arrow if there is one. allowed: what the
    files are in. Raises OSError or RuntimeError for a file that can't be read; all then stays as it is.
    """
    paths = {ENTITIES: tileset} | ({ARROW: speedup} if speedup is not None else {})
    loaded = {name: _load(name, path, allowed) for name, path in paths.items()}
    hide()
    for name, group in ((ENTITIES, art()), (ARROW, arrow())):
        if name in loaded:
            _node(group).image = loaded[name]
            shading.set_switch(name, 1.0)


def _load(name: str, path: Path, allowed: AllowedFolders) -> bpy.types.Image:
    image = images.load(path, allowed)
    if not all(image.size):
        bpy.data.images.remove(image)
        raise RuntimeError(f"{path}: not an image that Blender can read")
    image.name = showable(f"{name}: {path.stem}")
    image.alpha_mode = "CHANNEL_PACKED"
    images.set_color_space(image, "Non-Color")
    image[MADE] = True
    return image


def hide() -> None:
    """Show our own drawings again, and let go of the client's art."""
    for name in (ENTITIES, ARROW):
        shading.set_switch(name, 0.0)
        group = shading.existing_group(name)
        node = _node(group) if group is not None else None
        image = node.image if node is not None else None
        if node is not None and image is not None:
            node.image = None
            if image.get(MADE) and not image.users:
                bpy.data.images.remove(image)


def shown() -> str:
    """The name of the art that is shown; "" for none."""
    group = shading.existing_group(ENTITIES) if shading.get_switch(ENTITIES) else None
    image = _node(group).image if group is not None else None
    return Path(image.filepath).stem.lower() if image is not None else ""


def _node(group: bpy.types.NodeTree) -> bpy.types.ShaderNodeTexImage:
    return expect(bpy.types.ShaderNodeTexImage, group.nodes[ART])
