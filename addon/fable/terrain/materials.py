# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain's material: the ground's themes blended as cells have them, in colours or in images of the user's.

Between two vertices, slot numbers mean nothing (half of slot 3 and slot 7 is slot 5), weights and colours do: so the
blend is made for each vertex, and it is what the shader interpolates. Themes with an image have their weights in colour
attributes, four in each, and the shader blends the images by them; what the others add up to is one colour attribute,
however many there are. What was painted since shows when `refresh` is called.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import bpy
import numpy as np

from ....formats.fable import colors
from ....formats.fable import theme_weights as weights
from ...scene import attributes, identity, images, vertex_groups
from ...scene.materials import Nodes, Socket, shader, unlit
from ...scene.reports import Report
from .. import layout
from ..context import Site
from ..palettes import lists as palettes
from ..palettes.lists import Palettes
from . import overlays

TEXTURE_SIZE = 8.0
"""Units that an image reaches over, as in the game (fable.md §5)."""
MAX_IMAGES = 24
"""Images in the material: more attributes than their weights need don't fit on graphics cards (16, all in all)."""
SOME = 1 - 0.5 / weights.FULL
"""Of a cell's themes together, where a part of the cell is of none."""
PACKED = 4
"""Weights in one colour attribute."""
ENDINGS = (".png", ".tga", ".dds", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
IMAGED = "imaged_slots"
"""On the material: the slots of the themes with images, in the order of their weights."""


def build(
    site: Site,
    terrain: bpy.types.Object,
    names: Palettes,
    blend: weights.Weights,
    folders: Sequence[str | os.PathLike[str]],
) -> None:
    """Give the terrain its material, and the attributes that it needs. folders: where to look for images."""
    pictures = _pictures(site, names, blend, folders)
    material = bpy.data.materials.new(f"{site.collection.name} ground")
    identity.stamp(material, site.token, layout.MATERIAL, 0)
    material[IMAGED] = list(pictures)
    material.diffuse_color = (0.1, 0.2, 0.05, 1.0)
    _build_tree(material, list(pictures.values()))
    mesh: Any = terrain.data
    mesh.materials.append(material)
    color(mesh, names, blend)


def color(mesh: bpy.types.Mesh, names: Palettes, blend: weights.Weights) -> None:
    """Write what the terrain's material shows of themes: their blended colours, and the weights of those with images.

    blend: the weights of the mesh's vertices, whose numbers are its `cells`.
    """
    count = len(mesh.vertices)
    imaged = [slot for material in mesh.materials if material is not None for slot in material.get(IMAGED, ())]
    table = colors.themes(names.themes)
    amounts = blend.weights.astype(np.float32) / np.float32(weights.FULL)
    blended = np.zeros((count, 4), np.float32)  # the last one is how much of the whole is there
    # Two of the four numbers at a time, as one complex number: numpy adds those in half the time of rows.
    halves, colored = blended.view(np.complex64), table.view(np.complex64)
    packed = np.zeros((-(-len(imaged) // PACKED), count, PACKED), np.float32)
    # A vertex has one row a slot at most, and the rows of a slot follow each other: they are added at once.
    bounds = np.searchsorted(blend.slots, np.arange(len(table) + 1)).tolist()
    for slot, (start, end) in enumerate(pairwise(bounds)):
        if start == end:
            continue
        vertices, amount = blend.cells[start:end], amounts[start:end]
        if slot in imaged:
            place = imaged.index(slot)
            packed[place // PACKED, vertices, place % PACKED] = amount
            blended[vertices, 3] += amount
        else:
            for half in (0, 1):
                halves[vertices, half] += amount * colored[slot, half]
    rest = np.flatnonzero(blended[:, 3] < SOME)
    blended[rest, :3] += (1 - blended[rest, 3:]) * np.array(colors.NONE, np.float32)
    blended[:, 3] = 1
    attributes.write(mesh, layout.THEME_COLOR, "POINT", "FLOAT_COLOR", blended)
    for number, four in enumerate(packed):
        attributes.write(mesh, f"{layout.IMAGE_WEIGHTS}{number}", "POINT", "FLOAT_COLOR", four)


def refresh(context: bpy.types.Context, level: bpy.types.Collection) -> bool:
    """Show what was painted of themes since; False where there is no terrain to be coloured (or it is in edit mode)."""
    terrain = layout.object_of(level, layout.TERRAIN)
    mesh: Any = terrain.data if terrain is not None else None
    if not isinstance(mesh, bpy.types.Mesh) or mesh.is_editmode or mesh.shape_keys is not None:
        return False
    names = palettes.read(level)
    slots = {layer: slot for slot, layer in enumerate(names.layers()) if layer}
    plain = bpy.data.objects.new("levelwright plain", mesh)  # the weights are the mesh's: without any modifiers
    try:
        rows = []
        for layer, values in vertex_groups.read(context, plain, names=list(slots)):
            whole = np.rint(np.clip(values, 0, 1) * weights.FULL).astype(np.uint8)
            cells = np.flatnonzero(whole)
            rows.append((slots[layer], whole[cells], cells))
    finally:
        bpy.data.objects.remove(plain)
    color(mesh, names, weights.of_layers(rows))
    return True


def make_plain(collection: bpy.types.Collection, _report: Report) -> None:
    """Give a level's terrain a material that glTF can hold, for good: the colours of its themes."""
    terrain = layout.object_of(collection, layout.TERRAIN)
    mesh: Any = terrain.data if terrain is not None else None
    if not isinstance(mesh, bpy.types.Mesh):
        return
    mesh.materials.clear()
    mesh.materials.append(unlit(f"{collection.name} plain", vertex_color=layout.THEME_COLOR))


def _pictures(
    site: Site, names: Palettes, blend: weights.Weights, folders: Sequence[str | os.PathLike[str]]
) -> dict[int, bpy.types.Image]:
    """The images of the level's themes, by slot; of those that cover most where there are too many."""
    if not folders:
        return {}
    covered = np.bincount(blend.slots, blend.weights, minlength=len(names.themes))
    found: dict[int, bpy.types.Image] = {}
    for slot in sorted(names.used_themes, key=lambda slot: -covered[slot]):
        name = names.themes[slot]
        path = images.find_file(name, folders, ENDINGS) if name else None
        if path is None:
            if covered[slot] > 0:
                site.report.missing("theme images", name or f"slot {slot}")
            continue
        if len(found) == MAX_IMAGES:
            if covered[slot] > 0:
                site.report.warn(f"more than {MAX_IMAGES} themes have images: those that cover least have colours")
            break
        found[slot] = bpy.data.images.load(str(path), check_existing=True)
    site.report.count("theme images", len(found))
    return found


def _build_tree(material: bpy.types.Material, pictures: Sequence[bpy.types.Image]) -> None:
    """Images and colours, blended by the weights in the attributes; over them, what the overlay shows."""
    nodes = shader(material)
    ground: Socket = nodes.add("ShaderNodeAttribute", attribute_name=layout.THEME_COLOR).outputs["Color"]
    if pictures:
        place = nodes.add("ShaderNodeTexCoord").outputs["Object"]
        scaled = nodes.add("ShaderNodeVectorMath", operation="SCALE")
        nodes.feed(scaled, Vector=place, Scale=1.0 / TEXTURE_SIZE)
        amounts = list(_amounts(nodes, len(pictures)))
        for image, amount in zip(pictures, amounts, strict=True):
            texture = nodes.add("ShaderNodeTexImage", image=image)
            nodes.link(scaled.outputs[0], texture.inputs["Vector"])
            total = nodes.add("ShaderNodeVectorMath", operation="MULTIPLY_ADD")
            for socket, value in zip(total.inputs, (texture.outputs["Color"], amount, ground), strict=False):
                nodes.set(socket, value)
            ground = total.outputs[0]
    shown = overlays.add(nodes, ground)
    surface = nodes.feed(nodes.add("ShaderNodeBsdfDiffuse"), Color=shown)
    nodes.link(surface.outputs[0], nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])


def _amounts(nodes: Nodes, count: int) -> Iterator[Socket]:
    """The weights of the themes with images, from their attributes."""
    for number in range(0, count, PACKED):
        packed = nodes.add("ShaderNodeAttribute", attribute_name=f"{layout.IMAGE_WEIGHTS}{number // PACKED}")
        parts = nodes.add("ShaderNodeSeparateColor")
        nodes.link(packed.outputs["Color"], parts.inputs[0])
        yield from [*parts.outputs, packed.outputs["Alpha"]][: count - number]
