# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps as images of one layout, an image for each lump, style slot and bump sample (source.md §2.6).

Pixels are the map's luxels, bit by bit (see `radiance`): the light of one is `rgb * 2**exponent`, and a 255th of that
is what the game shows. The raw blocks in the original stay the truth: luxels that nobody painted are theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import atlas, ranges, source
from ....formats.arrays import Bools, Floats, Int32s, Ints, Records, Singles
from ....formats.atlas import Atlas
from ....formats.binary import FormatError
from ....formats.source import LumpId, geometry
from ....formats.source.light import lighting, radiance
from ....formats.source.light.lighting import BUMP_SAMPLES, Blocks
from ....formats.source.numbers import singles
from ....formats.source.records import NO_STYLE
from ...scene.blender_types import Input, Socket, set_default
from ...scene.kept import baselines, identity, originals
from ...scene.media import images
from ...scene.media.materials import Nodes
from ...scene.work.progress import Steps
from .. import layout
from ..context import ImportContext

WHITE = 255.0
"""What a pixel has where light is 1."""
PLAIN = 2
"""Pixels a side of the white patch, for faces without a lightmap."""
EXPOSURE, BAKED, FULL, STYLE = "Exposure", "Baked light", "Full bright", "Style"
"""Labels of the nodes that hold what can be set: stops, 1 or 0, of unlit maps 1 or 0, and a factor for each light style
other than 0.
"""
TITLES = {LumpId.LIGHTING: "LDR", LumpId.LIGHTING_HDR: "HDR"}
_EXPONENT = 24
"""Place of the exponent's bits in a luxel, and in a pixel."""
_HIGHEST = 0xFF - radiance.EXPONENT_BIAS
"""Exponent that pixels have room for."""
_LARGEST = 1 << 13
_INITIALLY_DARK = 1
"""Of the spawnflags of lamps."""
SLOTS = 8
"""Style slots of a face in the oldest maps; later ones have 4."""


@dataclass(frozen=True)
class Lightmaps:
    """Where lightmaps are in their images."""

    atlas: Atlas
    """The layout of the images."""
    places: Ints
    """int64[faces, 2]: the pixel of the first luxel, from the top left."""
    lit: Bools
    """bool[faces]: which have one."""
    group: bpy.types.NodeTree
    """The node group: see `layout.LIGHT`."""
    styles: dict[str, Int32s]
    """int32[faces] of each slot that has others than style 0, by the names of face attributes."""
    white: Ints
    """int64[2]: the pixel where the white patch begins, from the top left."""

    def coordinates(self, points: Singles, faces: Records, texinfos: Records, texinfo: Ints, owner: Ints) -> Singles:
        """float32[c, 2], v upwards: where in the image points float[c, 3] are, each with the number of its face.

        texinfo: int64[faces].
        """
        if not len(texinfos):
            return self.pixels(np.ones((len(points), 2)), owner)
        mins = faces["lightmap_mins"][owner]
        return self.pixels(geometry.luxels(points, texinfos, texinfo[owner], mins), owner)

    def plain(self, count: int) -> Singles:
        """float32[count, 2], v upwards: the middle of the white patch, where all is that has no light."""
        return np.repeat(uv_of(self.white[None] + PLAIN / 2, self.atlas.width, self.atlas.height), count, axis=0)

    def pixels(self, luxels: Floats, owner: Ints) -> Singles:
        """float32[c, 2], v upwards: where luxels float64[c, 2] of faces are in the image."""
        inside = np.where(self.lit[owner, None] & np.isfinite(luxels), luxels, PLAIN / 2)
        return uv_of(self.places[owner] + inside, self.atlas.width, self.atlas.height)


def uv_of(pixels: Floats, width: int, height: int) -> Singles:
    """float32[c, 2], v upwards: where pixels float64[c, 2], from the top left, are in an image of a size."""
    placed = pixels / (width, height)
    placed[:, 1] = 1 - placed[:, 1]
    return singles(placed)


def record(lump: LumpId, slot: int = 0, sample: int = 0) -> int:
    """The number of an image among the level's resources: of a lump, a style slot and a bump sample."""
    return (list(TITLES).index(lump) * SLOTS + slot) * BUMP_SAMPLES + sample


def build(importing: ImportContext) -> Steps[Lightmaps | None]:
    """Make the images and the node group; None for maps without lightmaps. Raises FormatError."""
    found = lighting.lightmaps(importing.level) if importing.settings.lightmaps != "none" else {}
    found = {lump: blocks for lump, blocks in found.items() if len(blocks.faces)}
    if not found:
        return None
    faces = importing.level.table(geometry.drawn_faces(importing.level))
    sizes = np.zeros((len(faces) + 1, 2), np.int64)  # the last one: the white patch
    for lump, blocks in found.items():
        known = blocks.faces < len(faces)
        wide = np.column_stack([blocks.width, blocks.height])
        has_room = known & (wide == faces["lightmap_size"][np.where(known, blocks.faces, 0)] + 1).all(axis=1)
        has_room &= (wide <= _LARGEST).all(axis=1)
        sizes[blocks.faces[has_room]] = wide[has_room]
        huge = int((wide > _LARGEST).any(axis=1).sum())
        if huge:
            importing.report.left_out(f"lightmaps ({TITLES[lump]}) too large for an image", huge)
        if len(blocks.outside):
            importing.report.left_out(f"lightmaps ({TITLES[lump]}) beyond the end", len(blocks.outside))
    sizes[-1] = PLAIN
    try:
        packed = atlas.pack(sizes, _LARGEST)
    except ValueError as error:
        importing.report.warn(f"no lightmaps: {error}")
        return None
    places = np.column_stack([packed.x, packed.y])
    lit = sizes[:-1, 0] > 0
    places[:-1][~lit] = places[-1]
    wanted = LumpId.LIGHTING_HDR if importing.settings.lightmaps == "hdr" else LumpId.LIGHTING
    wanted = wanted if wanted in found else next(iter(found))
    shown = yield from _images(importing, found, packed, sizes, wanted)
    styles = _styles(importing.level, wanted, len(faces), len(shown))
    baselines.store(importing.collection, layout.ATLAS_SIZE, np.array([packed.width, packed.height], np.int32))
    baselines.store(importing.collection, layout.ATLAS, np.where(lit[:, None], places[:-1], -1).astype(np.int32))
    made = Lightmaps(packed, places[:-1], lit, _group(importing, shown, styles), styles, places[-1])
    baselines.store(importing.collection, layout.WHITE, made.plain(1)[0])
    return made


def fullbright(importing: ImportContext) -> bpy.types.NodeTree:
    """The node group of a map without lightmaps: white light everywhere, as the game shows it."""
    return _group(importing, [], {})


def is_unlit(level: source.Level) -> bool:
    """Whether a map has no compiled lights: the game then shows all of it fully bright, whatever its lightmaps say (it
    tells "Level unlit, setting 'mat_fullbright 1'").
    """
    try:
        return not any(len(level.bytes_of(lump)) for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR))
    except FormatError:
        return False


def _styles(level: source.Level, lump: LumpId, count: int, slots: int) -> dict[str, Int32s]:
    """The style of each face's slots, by the attribute's name: of slots where it isn't 0 everywhere."""
    lists = LumpId.FACES
    if lump == LumpId.LIGHTING_HDR and len(level.bytes_of(LumpId.FACES_HDR)):
        lists = LumpId.FACES_HDR
    given = level.table(lists)["styles"]
    made = {}
    for slot in range(min(slots, given.shape[1])):
        styles = np.full(count, NO_STYLE, np.int32)
        styles[: len(given)] = given[:count, slot]
        if ((styles != 0) & (styles != NO_STYLE)).any() or slot:
            made[layout.LIGHT_STYLES[slot]] = styles
    return made


def _images(
    importing: ImportContext, found: dict[LumpId, Blocks], packed: Atlas, sizes: Ints, wanted: LumpId
) -> Steps[list[bpy.types.Image]]:
    """Make the images; returns those that are shown, of the lump that is wanted, by their style slot."""
    painter = _Painter(importing, packed, sizes)
    samples = BUMP_SAMPLES if importing.settings.bump_lightmaps else 1
    shown = []
    for lump, blocks in found.items():
        for slot in range(int(blocks.styles.max())):
            for sample in range(samples):
                image = painter.image(lump, blocks, slot, sample)
                if image is not None and lump == wanted and sample == 0:
                    shown.append(image)
                yield
    return shown


class _Painter:
    """Makes the images of a map: all of one layout."""

    def __init__(self, importing: ImportContext, packed: Atlas, sizes: Ints) -> None:
        self.importing, self.packed, self.sizes = importing, packed, sizes
        self.pixels, self.starts = atlas.pixels_of(packed, sizes)

    def image(self, lump: LumpId, blocks: Blocks, slot: int, sample: int) -> bpy.types.Image | None:
        """Make the image of a style slot and a bump sample; None where no block has these."""
        begin = blocks.lightmap(slot, sample)
        there = np.flatnonzero((begin >= 0) & lighting.fits(blocks, self.sizes))
        if not len(there):
            return None
        luxels = blocks.luxels[there]
        colors = lighting.lightmap_colors(self.importing.level.bytes_of(lump), begin[there], luxels)
        places = self.pixels[ranges.index(self.starts[blocks.faces[there]], luxels)]
        width, height = self.packed.width, self.packed.height
        picture = np.zeros(width * height, "<u4")
        picture[places] = _pixels(colors.view("<u4"))
        if slot == 0:
            picture[self.pixels[self.starts[-2] :]] = 0xFFFFFF | radiance.EXPONENT_BIAS << _EXPONENT
        title = f"{self.importing.collection.name} light {TITLES[lump]}"
        if slot or sample:
            title += f" slot {slot + 1}" + (f" bump {sample}" if sample else "")
        data = radiance.encode(picture.view(np.uint8).reshape(height, width, 4))
        made = images.from_file_bytes(title, data, non_color=True)
        number = record(lump, slot, sample)
        identity.stamp(made, self.importing.token, layout.LIGHTMAP, number)
        originals.set_resource(self.importing.collection, layout.LIGHTMAP, number, made)
        self.importing.report.count("lightmap images")
        return made


def _pixels(luxels: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Luxels (ColorRGBExp32) as pixels of `radiance`."""
    pixels = luxels + np.uint32(radiance.EXPONENT_BIAS << _EXPONENT)  # what carries over the last bit is the sign
    signed = luxels.view("<i4")  # as the exponents are
    if signed.max(initial=0) >> _EXPONENT > _HIGHEST:
        pixels[signed >> _EXPONENT > _HIGHEST] |= np.uint32(0xFF << _EXPONENT)
    return pixels


def _group(importing: ImportContext, shown: list[bpy.types.Image], styles: dict[str, Int32s]) -> bpy.types.NodeTree:
    """Make the level's own node group: the sum of its style slots, or white without any; exposed."""
    made = bpy.data.node_groups.new(f"{importing.collection.name} baked light", "ShaderNodeTree")
    nodes = Nodes(made)
    nodes.sockets({}, {layout.LIGHT: "Color", layout.BAKED: "Float"})
    if shown:
        place = total = nodes.add("ShaderNodeUVMap", uv_map=layout.LIGHTMAP_UV).outputs[0]
    else:
        place = total = nodes.add("ShaderNodeRGB").outputs[0]
        set_default(total, (255.0, 255.0, 255.0, 1.0))
    switches = _switches(importing, nodes, styles)
    for slot, image in enumerate(shown):
        texture = nodes.feed(nodes.add("ShaderNodeTexImage", image=image, extension="EXTEND"), Vector=place)
        light = texture.outputs["Color"]
        name = layout.LIGHT_STYLES[slot]
        if name in styles:
            light = nodes.vector("SCALE", light, factor=_share(nodes, name, np.unique(styles[name]).tolist(), switches))
        total = nodes.vector("ADD", total, light) if slot else light
    if shown and is_unlit(importing.level):
        bright = nodes.add("ShaderNodeMix", data_type="RGBA")
        nodes.link(nodes.value(FULL, 1.0), bright.inputs[0])
        nodes.link(total, bright.inputs[6])
        nodes.set(bright.inputs[7], (WHITE, WHITE, WHITE, 1.0))
        total = bright.outputs[2]
    stops = nodes.value(EXPOSURE, 0.0)
    factor = nodes.math("MULTIPLY", nodes.math("POWER", 2.0, stops), 1 / 255)
    out = nodes.add("NodeGroupOutput")
    nodes.link(nodes.vector("SCALE", total, factor=factor), out.inputs[layout.LIGHT])
    baked = nodes.value(BAKED, 1.0)
    nodes.link(baked, out.inputs[layout.BAKED])
    if importing.lit_props:
        _light_props(nodes, stops, baked)
    originals.set_resource(importing.collection, layout.BAKED_LIGHT, 0, made)
    return made


def _light_props(nodes: Nodes, stops: Socket, baked: Socket) -> None:
    """Add the light of props to a group: what their vertices have, exposed; meshes without such light have none."""
    nodes.sockets({}, {layout.PROP_LIGHT: "Color", layout.PROP_BAKED: "Float"})
    given = nodes.add("ShaderNodeAttribute", attribute_name=layout.VERTEX_LIGHT)
    there = nodes.math("GREATER_THAN", given.outputs["Fac"], 0.0)
    out = next(node for node in nodes.tree.nodes if node.type == "GROUP_OUTPUT")
    exposed = nodes.vector("SCALE", given.outputs["Color"], factor=nodes.math("POWER", 2.0, stops))
    nodes.link(exposed, out.inputs[layout.PROP_LIGHT])
    nodes.link(nodes.math("MULTIPLY", baked, there), out.inputs[layout.PROP_BAKED])


def _switches(importing: ImportContext, nodes: Nodes, styles: dict[str, Int32s]) -> dict[int, Socket]:
    """Add a value for each light style that the map has: 1, or 0 for those of lamps that are dark at first."""
    used = {style for given in styles.values() for style in np.unique(given).tolist()} - {0, NO_STYLE}
    lamps: dict[int, tuple[str, bool]] = {}
    try:
        for entity in importing.level.entities if used else ():
            style = (entity.get("style") or "").strip()
            if style.isdecimal() and (entity.classname or "").startswith("light"):
                flags = (entity.get("spawnflags") or "").strip()
                dark = flags.isdecimal() and int(flags) & _INITIALLY_DARK > 0
                lamps.setdefault(int(style), (entity.targetname or "", dark))
    except FormatError:  # the entities' own part of the import reports that
        lamps = {}
    switches = {}
    for style in sorted(used):
        name, dark = lamps.get(style, ("", False))
        switches[style] = nodes.value(" ".join(filter(None, (STYLE, str(style), name))), 0.0 if dark else 1.0)
    return switches


def _share(nodes: Nodes, attribute: str, styles: list[int], switches: dict[int, Socket]) -> Input:
    """How much a slot counts on a face: the value of its style there."""
    given = nodes.add("ShaderNodeAttribute", attribute_name=attribute).outputs["Fac"]
    total = nodes.math("COMPARE", given, 0.0, 0.5) if 0 in styles else 0.0
    for style in styles:
        if style in switches:
            here = nodes.math("COMPARE", given, float(style), 0.5)
            total = nodes.math("MULTIPLY_ADD", here, switches[style], total)
    return total
