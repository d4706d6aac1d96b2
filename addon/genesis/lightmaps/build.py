# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps of a `.bsp` as images of one layout, an image for each place among a face's four light types.

Pixels are the level's luxels, byte by byte. Faces without a lightmap lie on a white patch, or, where they should have
one that the compiler left out because no light falls on them, on a black one.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import atlas, ranges
from ....formats.arrays import Bools, Int32s, Ints, Singles
from ....formats.atlas import Atlas
from ....formats.genesis import CompiledLevel, FaceFlag
from ....formats.genesis.compiled import ChunkId, geometry, lighting
from ....formats.genesis.compiled.lighting import LightBlocks
from ....formats.genesis.compiled.records import MAX_LIGHT_TYPES, NO_LIGHT_TYPE
from ....formats.genesis.compiled.surfaces import DrawnFaces
from ....formats.genesis.records import FaceArray
from ...scene.blender_types import Input
from ...scene.kept import baselines, identity, originals
from ...scene.media import images
from ...scene.media.materials import Nodes, Socket
from .. import layout
from ..context import ImportContext

PLAIN = 2
"""Pixels a side of the patches for faces without a lightmap."""
LARGEST = 1 << 13
SLOTS = MAX_LIGHT_TYPES
"""Places among a face's light types, and so images."""
BAKED, TYPE = "Baked light", "Light type"
"""Names of the nodes that hold what can be set: 1 or 0, and how bright each light type other than 0 is."""
USUAL = 13 / 27
"""How bright those are: the games' tables of light types mostly say "m", the 13th letter, and 27 is full."""
FULL = 255.0


@dataclass(frozen=True)
class CompiledLight:
    """The light of a level, for its c corners and f faces."""

    group: bpy.types.NodeTree
    """The node group: the light is its output "Light", how much it counts "Baked"."""
    uvs: Singles
    """[c, 2]: where corners are in the images, v upwards."""
    vertex_light: Singles
    """[c, 3]."""
    types: dict[str, Int32s]
    """Face attribute -> [f]."""


def build(importing: ImportContext, level: CompiledLevel, drawn: DrawnFaces, faces: FaceArray) -> CompiledLight:
    """Make the images and the node group. faces: of `geometry.records`. Raises FormatError."""
    found = lighting.blocks(level, drawn)
    if len(found.outside):
        importing.report.left_out("lightmaps beyond the end of the level's light", len(found.outside))
    lit = found.lit
    at_corners = geometry.vertex_lit(faces)
    unlit = not lit.any() and not len(level.table(ChunkId.VERTEX_LIGHT))
    if unlit:
        importing.report.warn("the level was compiled without light: all of it is shown fully bright")
    sizes = np.zeros((len(faces) + 2, 2), np.int64)  # the last two: the white patch, and the black one
    sizes[:-2] = np.column_stack([found.width, found.height])
    sizes[-2:] = PLAIN
    packed = _packed(importing, sizes)
    places = np.column_stack([packed.x, packed.y])
    lit = sizes[:-2, 0] > 0
    bright = at_corners | (faces["flags"] & int(FaceFlag.NO_LIGHTMAP) != 0) | unlit
    places[:-2][~lit] = places[np.where(bright, -2, -1)][~lit]
    baselines.store(importing.collection, layout.ATLAS_SIZE, np.array([packed.width, packed.height], np.int32))
    baselines.store(importing.collection, layout.ATLAS, np.where(lit[:, None], places[:-2], -1).astype(np.int32))
    types = _types(found)
    shown = _images(importing, level, found, packed, sizes)
    owners = ranges.owners(np.diff(drawn.starts))
    luxels = geometry.grid(faces, drawn.points, owners) - lighting.first_luxels(faces, drawn)[owners] + 0.5
    luxels = np.where(lit[owners, None] & np.isfinite(luxels), luxels, PLAIN / 2)
    uvs = (places[:-2][owners] + luxels) / (packed.width, packed.height)
    uvs[:, 1] = 1 - uvs[:, 1]
    light = vertex_light(level, drawn, at_corners, owners)
    return CompiledLight(_group(importing, shown, types), uvs.astype(np.float32), light, types)


def vertex_light(level: CompiledLevel, drawn: DrawnFaces, at_corners: Bools, owners: Ints) -> Singles:
    """The light of corners, float32[c, 3]: the file's on faces that are lit so, else FULL."""
    table = level.table(ChunkId.VERTEX_LIGHT)
    made = np.full((len(drawn.corners), 3), FULL, np.float32)
    chosen = at_corners[owners] & (drawn.corners < len(table))
    for axis, name in enumerate("xyz"):
        made[chosen, axis] = table[name][drawn.corners[chosen]]
    return made


def _packed(importing: ImportContext, sizes: Ints) -> Atlas:
    """The layout of the images; without lightmaps where there are too many for one."""
    try:
        return atlas.pack(sizes, LARGEST)
    except ValueError as error:
        importing.report.warn(f"no lightmaps: {error}")
        sizes[:-2] = 0
        return atlas.pack(sizes, LARGEST)


def _types(found: LightBlocks) -> dict[str, Int32s]:
    """The light type of each face's lightmaps, by the attribute's name: none where all are of type 0."""
    used = found.type_of[found.lit]
    slots = int(found.types.max(initial=0))
    if slots <= 1 and not (used[:, 0] % NO_LIGHT_TYPE).any():
        return {}
    lit = np.where(found.lit[:, None], found.type_of, NO_LIGHT_TYPE)
    return {layout.LIGHT_TYPES[slot]: lit[:, slot].astype(np.int32) for slot in range(slots)}


def _images(
    importing: ImportContext, level: CompiledLevel, found: LightBlocks, packed: Atlas, sizes: Ints
) -> list[bpy.types.Image]:
    """Make the images, by their slot."""
    pixels, starts = atlas.pixels_of(packed, sizes)
    data = level.table(ChunkId.LIGHT_DATA)
    made = []
    for slot in range(max(int(found.types.max(initial=0)), 1)):
        picture = np.zeros((packed.height * packed.width, 4), np.uint8)
        picture[:, 3] = 255
        there = np.flatnonzero((found.types > slot) & (sizes[:-2, 0] > 0))
        at = pixels[ranges.flat(starts[there], found.luxels[there])]
        offsets = found.bytes_of(there, slot)
        for channel in range(lighting.CHANNELS):
            picture[at, channel] = data[offsets + channel]
        if slot == 0:
            picture[pixels[starts[-3] : starts[-2]]] = 255
        title = f"{importing.collection.name} light" + (f" {slot + 1}" if slot else "")
        image = images.from_rgba(title, picture.reshape(packed.height, packed.width, 4), non_color=True)
        identity.stamp(image, importing.token, layout.LIGHTMAP, slot)
        originals.set_resource(importing.collection, layout.LIGHTMAP, slot, image)
        importing.report.count("lightmap images")
        made.append(image)
    return made


def _group(importing: ImportContext, shown: list[bpy.types.Image], types: dict[str, Int32s]) -> bpy.types.NodeTree:
    """Make the level's own node group: the sum of its lightmaps, no brighter than full, times the light of corners."""
    made = bpy.data.node_groups.new(f"{importing.collection.name} baked light", "ShaderNodeTree")
    nodes = Nodes(made)
    nodes.sockets({}, {"Light": "Color", "Baked": "Float"})
    used = sorted({kind for given in types.values() for kind in np.unique(given).tolist()} - {0, NO_LIGHT_TYPE})
    values = {kind: nodes.value(f"{TYPE} {kind}", USUAL) for kind in used}
    place = nodes.add("ShaderNodeUVMap", uv_map=layout.LIGHTMAP_UV).outputs[0]
    total: Input = (0.0, 0.0, 0.0)
    for slot, image in enumerate(shown):
        texture = nodes.feed(nodes.add("ShaderNodeTexImage", image=image, extension="EXTEND"), Vector=place)
        light = texture.outputs["Color"]
        name = layout.LIGHT_TYPES[slot]
        if name in types:
            light = nodes.vector("SCALE", light, factor=_share(nodes, name, values, slot))
        total = nodes.vector("ADD", total, light) if slot else light
    total = nodes.vector("MINIMUM", total, (1.0, 1.0, 1.0))
    corners = nodes.add("ShaderNodeAttribute", attribute_name=layout.VERTEX_LIGHT).outputs["Vector"]
    total = nodes.vector("MULTIPLY", total, nodes.vector("SCALE", corners, factor=1 / FULL))
    out = nodes.add("NodeGroupOutput")
    nodes.link(total, out.inputs["Light"])
    nodes.link(nodes.value(BAKED, 1.0), out.inputs["Baked"])
    originals.set_resource(importing.collection, layout.BAKED_LIGHT, 0, made)
    return made


def _share(nodes: Nodes, attribute: str, values: dict[int, Socket], slot: int) -> Socket:
    """How much a slot counts on a face: 1 of light type 0 (and on patches), else the value of its type."""
    given = nodes.add("ShaderNodeAttribute", attribute_name=attribute).outputs["Fac"]
    total = nodes.math("COMPARE", given, 0.0, 0.5)
    if slot == 0:
        total = nodes.math("ADD", total, nodes.math("COMPARE", given, float(NO_LIGHT_TYPE), 0.5))
    for kind, value in values.items():
        total = nodes.math("MULTIPLY_ADD", nodes.math("COMPARE", given, float(kind), 0.5), value, total)
    return total


def places_of(collection: bpy.types.Collection, sizes: Ints) -> tuple[Atlas, Ints] | None:
    """Where the import put luxels: the layout, and sizes int64[f, 2] with 0 for faces that aren't in it; None where
    that is lost.
    """
    corners, size = (baselines.load(collection, key) for key in (layout.ATLAS, layout.ATLAS_SIZE))
    if corners is None or size is None or corners.shape != sizes.shape or size.shape != (2,):
        return None
    wide = np.where(corners[:, :1] >= 0, sizes, 0)
    width, height = size.tolist()
    return Atlas(width, height, *corners.astype(np.int64).T), wide
