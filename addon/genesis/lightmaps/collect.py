# SPDX-License-Identifier: GPL-3.0-or-later
"""Painted or baked lightmaps back to a `.bsp`: pixels of the images of `build` to luxels."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import atlas, ranges
from ....formats.arrays import Ints
from ....formats.counting import number_of
from ....formats.genesis import CompiledLevel
from ....formats.genesis.compiled import ChunkId, edits, lighting
from ....formats.genesis.compiled.lighting import CHANNELS, LightBlocks
from ....formats.genesis.compiled.surfaces import DrawnFaces
from ....formats.luxel_pixels import LuxelPixels
from ...scene.kept import originals
from ...scene.media import images
from ...scene.reports import SceneError
from .. import layout
from ..context import ExportContext
from .build import SLOTS, places_of


def collect_lightmaps(exporting: ExportContext, level: CompiledLevel, drawn: DrawnFaces) -> None:
    """Write painted images into a level. Raises SceneError for images of another size."""
    painted = {slot: image for slot, image in shown(exporting.collection).items() if not images.unchanged(image)}
    if not painted:
        return
    found = lighting.blocks(level, drawn)
    where = places(exporting.collection, found)
    data = level.table(ChunkId.LIGHT_DATA)
    for slot, image in painted.items():
        faces = with_slot(found, where, slot)
        if not len(faces):
            continue
        pixels = where.pixels[ranges.flat(where.first[faces], found.luxels[faces])]
        now = picture(image, where)[pixels, :CHANNELS]
        offsets = found.bytes_of(faces, slot)
        was = np.column_stack([data[offsets + channel] for channel in range(CHANNELS)])
        count = int((now != was).any(axis=1).sum())
        if count:
            edits.paint(level, found, faces, slot, now)
            exporting.note(f"{image.name} changed: {number_of(count, 'luxels')}")


def shown(collection: bpy.types.Collection) -> dict[int, bpy.types.Image]:
    """The images of a level's lightmaps, by their slots."""
    held = originals.resources(collection, layout.LIGHTMAP)
    return {slot: image for slot, image in held.items() if slot < SLOTS and isinstance(image, bpy.types.Image)}


def places(collection: bpy.types.Collection, found: LightBlocks) -> LuxelPixels:
    """Where the import put luxels. Raises SceneError where that is lost."""
    kept = places_of(collection, np.column_stack([found.width, found.height]))
    if kept is None:
        raise SceneError(f"{collection.name}: what the import made of lightmaps is gone from the collection")
    packed, sizes = kept
    pixels, first = atlas.pixels_of(packed, sizes)
    return LuxelPixels(packed.width, packed.height, sizes, pixels, first)


def with_slot(found: LightBlocks, where: LuxelPixels, slot: int) -> Ints:
    """The faces that have a lightmap in a slot, and a place in the images."""
    return np.flatnonzero((found.types > slot) & (where.sizes[:, 0] > 0))


def picture(image: bpy.types.Image, where: LuxelPixels) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """An image's pixels, uint8[pixels, 4], row by row from the top. Raises SceneError for one of another size."""
    if tuple(image.size) != (where.width, where.height):
        wide, high = image.size
        raise SceneError(
            f"image {image.name!r} has {wide} x {high} pixels: that of a lightmap has to keep {where.width} x "
            f"{where.height}"
        )
    return images.to_rgba(image).reshape(-1, 4)
