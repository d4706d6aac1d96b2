# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain's material: the ground's themes blended as cells have them, in colours or in images of the user's.

Between two vertices, slot numbers mean nothing (half of slot 3 and slot 7 is slot 5), weights and colours do: so the
blend is made for each vertex, and it is what the shader interpolates. Themes with an image have their weights in colour
attributes, four in each, and the shader blends the images by them; what the others add up to is one colour attribute,
however many there are. What was painted since shows when `refresh` is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from ....formats.binary import FormatError
from ....formats.fable import colors, theme_weights
from ....formats.fable.colors import PACKED
from ....formats.fable.theme_weights import Weights
from ....formats.reach import AllowedFolders
from ...scene import attributes, identity, images, vertex_groups
from ...scene.blender_types import Value
from ...scene.level import first_of
from ...scene.materials import Nodes, Socket, shader
from .. import layout
from ..content import ENDINGS
from ..context import ImportContext
from ..palettes import lists
from ..palettes.lists import Palettes
from . import overlays

TEXTURE_SIZE = 8.0
"""Units that an image reaches over, as in the game (fable.md §5)."""
MAX_IMAGES = 24
"""Images in the material: more attributes than their weights need don't fit on graphics cards (16, all in all)."""
IMAGED = "imaged_slots"
"""On the material: the slots of the themes with images, in the order of their weights."""


def build_material(
    importing: ImportContext,
    terrain: bpy.types.Object,
    names: Palettes,
    blend: Weights,
    reach: AllowedFolders,
) -> None:
    """Give the terrain its material, and the attributes that it needs. reach: where to look for images."""
    pictures = _pictures(importing, names, blend, reach)
    material = bpy.data.materials.new(f"{importing.collection.name} ground")
    identity.stamp(material, importing.token, layout.MATERIAL, 0)
    material[IMAGED] = list(pictures)
    material.diffuse_color = (0.1, 0.2, 0.05, 1.0)
    _build_tree(material, list(pictures.values()))
    mesh: Value = terrain.data
    mesh.materials.append(material)
    color(mesh, names, blend)


def color(mesh: bpy.types.Mesh, names: Palettes, blend: Weights) -> None:
    """Write what the terrain's material shows of themes: their blended colours, and the weights of those with images.

    blend: the weights of the mesh's vertices, whose numbers are its `cells`.
    """
    imaged = [slot for material in mesh.materials if material is not None for slot in material.get(IMAGED, ())]
    blended, packed = colors.blend(blend, names.themes, len(mesh.vertices), imaged)
    attributes.write(mesh, layout.THEME_COLOR, "POINT", "FLOAT_COLOR", blended)
    for number, four in enumerate(packed):
        attributes.write(mesh, f"{layout.IMAGE_WEIGHTS}{number}", "POINT", "FLOAT_COLOR", four)


def refresh(context: bpy.types.Context, level: bpy.types.Collection) -> bool:
    """Show what was painted of themes since; False where no terrain can be coloured (or it is in edit mode)."""
    terrain = first_of(level, layout.TERRAIN)
    mesh = terrain.data if terrain is not None else None
    if not isinstance(mesh, bpy.types.Mesh) or mesh.is_editmode or mesh.shape_keys is not None:
        return False
    names = lists.get(level)
    slots = {layer: slot for slot, layer in enumerate(names.layers()) if layer}
    unmodified = bpy.data.objects.new("levelwright unmodified", mesh)  # the weights are the mesh's: without modifiers
    try:
        found = vertex_groups.read(context, unmodified, names=list(slots))
        rows = [(slots[layer], *theme_weights.of_values(values)) for layer, values in found]
    finally:
        bpy.data.objects.remove(unmodified)
    color(mesh, names, theme_weights.of_layers(rows))
    return True


def _pictures(
    importing: ImportContext, names: Palettes, blend: Weights, reach: AllowedFolders
) -> dict[int, bpy.types.Image]:
    """The images of the level's themes, by slot; of those that cover most where there are too many."""
    if not reach.folders:
        return {}
    covered = np.bincount(blend.slots, blend.weights, minlength=len(names.themes))
    found: dict[int, bpy.types.Image] = {}
    for slot in sorted(names.used_themes, key=lambda slot: -covered[slot]):
        name = names.themes[slot]
        path = reach.find(name, ENDINGS)
        if path is None:
            if covered[slot] > 0:
                importing.report.missing("theme images", name or f"slot {slot}")
            continue
        if len(found) == MAX_IMAGES:
            if covered[slot] > 0:
                importing.report.warn(f"more than {MAX_IMAGES} themes have images: those that cover least have colours")
            break
        try:
            found[slot] = images.load(path, reach, check_existing=True)
        except (FormatError, OSError, RuntimeError) as error:
            importing.report.warn(f"theme image {path}: {error}")
    importing.report.count("theme images", len(found))
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
