# SPDX-License-Identifier: GPL-3.0-or-later
"""The sky that a map names (`skyname` of its world): six textures around the world, as Blender's background.

Only what looks at it sees the sky: the camera, and what mirrors. All else gets the light that it would get without,
since the game's sky lights nothing: its light is in the lightmaps, and in the map's lights.

A texture's place and its edges: vbsp's cubemap.cpp and vtf.h of the SDK (rt, lf, bk, ft, up, dn are +x, -x, +y, -y, +z
and -z; the upper edge of "up" is behind whoever looks along +x). Valve Developer Community, "Sky (shader)": which
texture is shown, and `$basetexturetransform`, with which the sides' textures end at the horizon and go on as their last
row. The SDK's sky_hdr_dx9.cpp: compressed light is rgb * alpha * 8, `$color` is linear.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import open_exr
from ....formats.arrays import Floats
from ....formats.binary import FormatError
from ....formats.source.content import vmt
from ...scene.blender_types import Input, always
from ...scene.kept import identity
from ...scene.media import images
from ...scene.media.materials import Nodes, Socket
from ...scene.names import showable
from ...scene.view import stage
from .. import layout
from ..context import ImportContext
from ..lights import lamps
from ..materials import textures

SIDES = {
    "rt": ((1, 0, 0), (0, -1, 0), (0, 0, 1)),
    "lf": ((-1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "bk": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "ft": ((0, -1, 0), (-1, 0, 0), (0, 0, 1)),
    "up": ((0, 0, 1), (0, -1, 0), (-1, 0, 0)),
    "dn": ((0, 0, -1), (0, -1, 0), (1, 0, 0)),
}
"""Endings of materials: the side that has each, and where its texture runs to the right and upwards."""
_LDR, _HDR, _COMPRESSED = "$basetexture", "$hdrbasetexture", "$hdrcompressedtexture"
_BRIGHTEST = 8.0
"""Of compressed light."""
_NEARLY = 0.9999
"""What a direction's largest coordinate, which is 1, is more than."""


def build(importing: ImportContext, light: tuple[float, float, float]) -> bpy.types.World | None:
    """Make the world of a map's sky; None where the map names none or, which the report says, it isn't all there.

    light: linear colour of what shines on all that doesn't see the sky.
    """
    name = name_of(importing)
    if not name:
        return None
    hdr = lamps.shows_hdr(importing.level, importing.settings.lightmaps)
    found: list[tuple[vmt.Material, bpy.types.Image]] = []
    for side in SIDES:
        material = importing.content.material(f"skybox/{name}{side}")
        image = None if material is None else _image(importing, material, hdr)
        if material is None or image is None:
            importing.report.missing("skies", name)
            bpy.data.batch_remove([one for _, one in found])
            return None
        found.append((material, image))
    world = stage.plain_world(showable(name), light)
    _show(world, found, light)
    importing.report.count("skies")
    return world


def name_of(importing: ImportContext) -> str:
    """The sky that the map's world names; "" for none."""
    try:
        world = next(importing.level.entities.of_class("worldspawn"), None)
    except FormatError:  # the entities' own part of the import reports that
        return ""
    return (world.get("skyname") or "").strip() if world is not None else ""


def _image(importing: ImportContext, material: vmt.Material, hdr: bool) -> bpy.types.Image | None:
    """Make the image that a side shows; None, which the report says, where it can't be read."""
    for parameter in (_COMPRESSED, _HDR, _LDR) if hdr else (_LDR, _HDR, _COMPRESSED):
        name = material.texture(parameter)
        texture = importing.content.texture(name) if name else None
        if name is None or texture is None:
            continue
        title = showable(name)
        try:
            if parameter == _COMPRESSED:
                pixels = texture.pixels()
                shares = pixels[..., 3:] * np.float32(_BRIGHTEST / 255**2)
                made = _of_light(title, (pixels[..., :3] * shares).astype(np.float16))
            elif texture.format.name.endswith("F"):
                light = np.clip(np.nan_to_num(texture.pixels()[..., :3]), 0, np.finfo(np.float16).max)
                made = _of_light(title, light.astype(np.float16))
            else:
                made = textures.to_image(title, texture)
        except (FormatError, IndexError, ValueError) as error:
            importing.report.warn(f"texture {name} can't be read: {error}")
            return None
        identity.stamp(made, importing.token, layout.IMAGE, 0)
        return made
    return None


def _of_light(name: str, light: NDArray[np.float16]) -> bpy.types.Image:
    """Make an image of linear light float16[h, w, 3], which may exceed 1, top row first."""
    return images.from_file_bytes(name, open_exr.encode(light), non_color=True)


def _show(
    world: bpy.types.World, found: list[tuple[vmt.Material, bpy.types.Image]], light: tuple[float, float, float]
) -> None:
    """Let a world show materials and images in the order of SIDES, and light everything else."""
    tree = always(world.node_tree)
    tree.nodes.clear()
    nodes = Nodes(tree)
    sky = nodes.feed(nodes.add("ShaderNodeBackground", "Sky"), Color=_color(nodes, found))
    plain = nodes.feed(nodes.add("ShaderNodeBackground", "Light"), Color=(*light, 1.0))
    path = nodes.add("ShaderNodeLightPath").outputs
    seen = nodes.add("ShaderNodeMixShader")
    nodes.link(nodes.math("MAXIMUM", path["Is Camera Ray"], path["Is Glossy Ray"]), seen.inputs[0])
    nodes.link(plain.outputs[0], seen.inputs[1])
    nodes.link(sky.outputs[0], seen.inputs[2])
    nodes.link(seen.outputs[0], nodes.add("ShaderNodeOutputWorld").inputs["Surface"])


def _color(nodes: Nodes, found: list[tuple[vmt.Material, bpy.types.Image]]) -> Input:
    """What is seen of the sides: where a direction meets the cube around the world tells which one, and its pixel."""
    direction = nodes.add("ShaderNodeTexCoord").outputs["Generated"]
    sizes = nodes.put("ShaderNodeVectorMath", direction, operation="ABSOLUTE")
    largest = nodes.put("ShaderNodeSeparateXYZ", sizes.outputs[0])
    length = nodes.math("MAXIMUM", largest.outputs[0], nodes.math("MAXIMUM", largest.outputs[1], largest.outputs[2]))
    met = nodes.put("ShaderNodeVectorMath", direction, operation="SCALE")
    nodes.link(nodes.math("DIVIDE", 1.0, length), met.inputs["Scale"])
    shown: Input = (0.0, 0.0, 0.0, 1.0)
    for number, (axes, (material, image)) in enumerate(zip(SIDES.values(), found, strict=True)):
        place = nodes.add("ShaderNodeCombineXYZ")
        for socket, row in zip(place.inputs, _rows(axes, material.transform("$basetexturetransform")), strict=False):
            nodes.link(_dot(nodes, met.outputs[0], row), socket)
        node = nodes.feed(nodes.add("ShaderNodeTexImage", image=image, extension="EXTEND"), Vector=place.outputs[0])
        color = node.outputs["Color"]
        tint = material.color("$color")
        if tint != (1.0, 1.0, 1.0):
            color = nodes.multiply(color, (*tint, 1.0))
        if not number:
            shown = color
            continue
        here = nodes.math("GREATER_THAN", _dot(nodes, met.outputs[0], axes[0]), _NEARLY)
        shown = nodes.mix(here, shown, color)
    return shown


def _rows(axes: tuple[tuple[int, int, int], ...], transform: Floats) -> Floats:
    """float64[2, 3]: whose dot products with a point of the cube are its texture coordinates, v upwards.

    transform: float64[2, 3], of texture coordinates, v downwards.
    """
    ahead, right, up = np.array(axes, np.float64)
    u, v = (ahead + right) / 2, (ahead - up) / 2  # the cube's side is where `ahead` gives 1
    moved = transform @ np.array([u, v, ahead])
    return np.array([moved[0], ahead - moved[1]])


def _dot(nodes: Nodes, vector: Socket, constant: Sequence[float] | Floats) -> Socket:
    node = nodes.put("ShaderNodeVectorMath", vector, [float(part) for part in constant], operation="DOT_PRODUCT")
    return node.outputs["Value"]
