# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain's material: the ground's themes blended as cells have them, in colours or in images of the user's.

Between two vertices, slot numbers mean nothing (half of slot 3 and slot 7 is slot 5), weights and colours do: so the
blend is made for each vertex, and it is what the shader interpolates. Themes with an image have their weights in colour
attributes, four in each, and the shader blends the images by them; what the others add up to is one colour attribute,
however many there are. What was painted since shows when `refresh` is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import bpy
import numpy as np

from ....formats.binary import FormatError
from ....formats.fable import colors, theme_weights
from ....formats.fable.colors import PACKED
from ....formats.fable.theme_weights import Weights
from ...scene.blender_types import mesh_of
from ...scene.geometry import vertex_groups
from ...scene.kept import identity
from ...scene.level import first_of
from ...scene.media import images
from ...scene.media.materials import Nodes, Socket, picture_nodes, shader
from ...scene.reports import SceneError
from .. import layout
from ..context import ImportContext
from ..palettes import lists
from ..palettes.lists import Palettes
from . import for_show, overlays
from .pictures import NO_PICTURE, ThemePictures

TEXTURE_SIZE = 8.0
"""Units that an image reaches over, as in the game (fable.md §5)."""
MAX_IMAGES = 24
"""Images in the material: more attributes than their weights need don't fit on graphics cards (16, all in all)."""
IMAGED = "imaged_slots"
"""On the material: the slots of the themes with images, in the order of their weights."""
MEANS = "imaged_colors"
"""On the material: what these images look like from afar, linear RGB one after another."""


def build_material(
    importing: ImportContext, terrain: bpy.types.Object, names: Palettes, blend: Weights, sources: ThemePictures
) -> None:
    """Give the terrain its material, and the attributes that it needs. sources: where to look for pictures."""
    pictures = _pictures(importing, names, blend, sources)
    material = bpy.data.materials.new(f"{importing.collection.name} ground")
    identity.stamp(material, importing.token, layout.MATERIAL, 0)
    material.diffuse_color = (0.1, 0.2, 0.05, 1.0)
    _show(material, pictures)
    mesh_of(terrain).materials.append(material)
    color(mesh_of(terrain), names, blend)


def _show(material: bpy.types.Material, pictures: Mapping[int, bpy.types.Image]) -> None:
    """Let a material show these pictures, by slot, and colours for all other themes."""
    means = [value for image in pictures.values() for value in images.mean_color(image)]
    for key, values in ((IMAGED, list(pictures)), (MEANS, means)):
        if material.get(key) is not None:
            del material[key]
        if values:
            material[key] = values
    _build_tree(material, list(pictures.values()))


def _material_of(level: bpy.types.Collection) -> bpy.types.Material | None:
    """The material of a level's terrain, where it has ours."""
    terrain = first_of(level, layout.TERRAIN)
    materials = mesh_of(terrain).materials if terrain is not None else ()
    return next((one for one in materials if one is not None and identity.kind_of(one) == layout.MATERIAL), None)


def pictures_of(level: bpy.types.Collection) -> dict[int, bpy.types.Image]:
    """The pictures that a level's ground shows, by slot."""
    material = _material_of(level)
    if material is None:
        return {}
    nodes = picture_nodes(material.node_tree)  # in the order of the slots
    slots = material.get(IMAGED, ())
    return {slot: node.image for slot, node in zip(slots, nodes, strict=False) if node.image is not None}


def set_picture(
    context: bpy.types.Context, level: bpy.types.Collection, slot: int, image: bpy.types.Image | None
) -> None:
    """Let a theme show a picture, or none. Raises SceneError where the ground has no material of ours, is being edited,
    or shows as many as it can.
    """
    material = _material_of(level)
    if material is None or _colorable(level) is None:
        raise SceneError("The level's terrain is gone, or is being edited, or has another material or shape keys")
    pictures = pictures_of(level)
    if image is not None:
        pictures[slot] = image
    else:
        pictures.pop(slot, None)
    if len(pictures) > MAX_IMAGES:
        raise SceneError(f"the ground shows {MAX_IMAGES} pictures already: take one from another theme")
    kind = overlays.shown(level)
    _show(material, pictures)
    overlays.show(level, kind)
    refresh(context, level)


def color(mesh: bpy.types.Mesh, names: Palettes, blend: Weights) -> None:
    """Write what the terrain's material shows of themes: their blended colours, and the weights of those with images.

    blend: the weights of the mesh's vertices, whose numbers are its `cells`.
    """
    ours = [one for one in mesh.materials if one is not None and one.get(IMAGED)]
    imaged = [slot for material in ours for slot in material[IMAGED]]
    blended, packed = colors.blend(blend, names.themes, len(mesh.vertices), imaged)
    for_show.write(mesh, layout.THEME_COLOR, "POINT", blended)
    for number, four in enumerate(packed):
        for_show.write(mesh, f"{layout.IMAGE_WEIGHTS}{number}", "POINT", four)
    if imaged:
        means = np.array([value for material in ours for value in material.get(MEANS, ())], np.float32).reshape(-1, 3)
        for number, mean in enumerate(means):
            blended[:, :3] += packed[number // PACKED, :, number % PACKED, None] * mean
        for_show.write(mesh, layout.GROUND_COLOR, "POINT", blended)
    elif layout.GROUND_COLOR in mesh.attributes:
        for_show.remove(mesh, layout.GROUND_COLOR)
    mesh.attributes.active_color = mesh.attributes[overlays.ground_color(mesh)]


def refresh(context: bpy.types.Context, level: bpy.types.Collection) -> bool:
    """Show what was painted of themes since; False where no terrain can be coloured (or it is in edit mode)."""
    mesh = _colorable(level)
    if mesh is not None:
        color(mesh, lists.get(level), painted(context, level, mesh))
    return mesh is not None


def _colorable(level: bpy.types.Collection) -> bpy.types.Mesh | None:
    """The mesh of a level's terrain; None where its vertices can't be coloured as the cells that they are."""
    terrain = first_of(level, layout.TERRAIN)
    mesh = terrain.data if terrain is not None else None
    return mesh if isinstance(mesh, bpy.types.Mesh) and not mesh.is_editmode and mesh.shape_keys is None else None


def painted(context: bpy.types.Context, level: bpy.types.Collection, mesh: bpy.types.Mesh) -> Weights:
    """The weights of themes that a terrain's mesh has, modifiers aside."""
    slots = {layer: slot for slot, layer in enumerate(lists.get(level).layers()) if layer}
    unmodified = bpy.data.objects.new("levelwright unmodified", mesh)  # the weights are the mesh's: without modifiers
    try:
        found = vertex_groups.read(context, unmodified, names=list(slots))
        rows = [(slots[layer], *theme_weights.of_values(values)) for layer, values in found]
    finally:
        bpy.data.objects.remove(unmodified)
    return theme_weights.of_layers(rows)


def _pictures(
    importing: ImportContext, names: Palettes, blend: Weights, sources: ThemePictures
) -> dict[int, bpy.types.Image]:
    """The pictures of the level's themes, by slot; of those that cover most where there are too many."""
    if not sources.any:
        return {}
    report = importing.report
    covered = np.bincount(blend.slots, blend.weights, minlength=len(names.themes))
    found: dict[int, bpy.types.Image] = {}
    for slot in sorted(names.used_themes, key=lambda slot: -covered[slot]):
        name = names.themes[slot]
        try:
            image = sources.find(name)
        except (FormatError, OSError, RuntimeError) as error:
            report.warn(f"theme image of {name}: {error}")
            continue
        if image is not None and len(found) == MAX_IMAGES:
            if covered[slot] > 0:
                report.warn(f"more than {MAX_IMAGES} themes have images: those that cover least have colours")
            break
        if image is not None:
            found[slot] = image
        elif covered[slot] > 0 and sources.chosen.get(name) != NO_PICTURE:
            report.missing("theme images", name or f"slot {slot}")
    report.count("theme images", len(found))
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
            texture = nodes.feed(nodes.add("ShaderNodeTexImage", image=image), Vector=scaled.outputs[0])
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
        parts = nodes.put("ShaderNodeSeparateColor", packed.outputs["Color"])
        yield from [*parts.outputs, packed.outputs["Alpha"]][: count - number]
