# SPDX-License-Identifier: GPL-3.0-or-later
"""Painted or baked lightmaps back to the map: pixels of the images of `build` to luxels, LDR and HDR.

A luxel whose pixel is what the import made of it keeps its bytes. All styles and samples are kept: of bump-mapped faces
whose flat lightmap was painted, the three for the bump basis, which the game shows, get as much brighter or darker as
it did, unless they were painted themselves.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import atlas, source
from ....formats.arrays import Records, Singles
from ....formats.atlas import Atlas
from ....formats.luxel_pixels import LuxelPixels
from ....formats.source import LumpId, edits, geometry
from ....formats.source.light import lighting, radiance, rgbe
from ....formats.source.light.lighting import BUMP_SAMPLES, Blocks
from ...scene.kept import baselines, originals
from ...scene.media import images
from ...scene.reports import Report, SceneError
from ...scene.view import baking
from .. import layout
from ..collecting.scene_level import SceneLevel
from . import build

Light = Singles
Shown = dict[tuple[LumpId, int, int], bpy.types.Image]
"""Images by lump, style slot and bump sample."""

_COLORS = 3
_BRIGHTEST = float(np.finfo(np.float32).max)


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Write painted images into the map. Raises SceneError for images of another size, and pixels that are NaN."""
    painted = {key: image for key, image in shown(scene.collection).items() if not images.unchanged(image)}
    if not painted:
        return
    where = places(scene.collection, scene.before)
    for lump, found in lighting.lightmaps(scene.before).items():
        values = {
            (slot, sample): painted_light(scene.before, where, found, (lump, slot, sample), image)
            for (of, slot, sample), image in painted.items()
            if of == lump
        }
        changed = {key: light for key, light in values.items() if light is not None}
        _follow(scene.before, lump, found, changed)
        if changed:
            count = edits.lightmaps.paint(level, lump, changed)
            report.count(f"luxels painted ({build.TITLES[lump]})", count)


def shown(collection: bpy.types.Collection) -> Shown:
    """The images of a level's lightmaps."""
    held = originals.resources(collection, layout.LIGHTMAP)
    known = {
        build.record(lump, slot, sample): (lump, slot, sample)
        for lump in build.TITLES
        for slot in range(build.SLOTS)
        for sample in range(BUMP_SAMPLES)
    }
    return {
        known[number]: image for number, image in held.items() if number in known and isinstance(image, bpy.types.Image)
    }


def places(collection: bpy.types.Collection, before: source.Level) -> LuxelPixels:
    """Where the import put luxels. Raises SceneError where that is lost."""
    corners, size = (baselines.load(collection, key) for key in (layout.ATLAS, layout.ATLAS_SIZE))
    faces = before.table(geometry.drawn_faces(before))
    if corners is None or size is None or corners.shape != (len(faces), 2) or size.shape != (2,):
        raise SceneError(f"{collection.name}: what the import made of lightmaps is gone from the collection")
    lit = corners[:, 0] >= 0
    sizes = np.where(lit[:, None], faces["lightmap_size"].astype(np.int64) + 1, 0)
    width, height = size.tolist()
    packed = Atlas(width, height, *corners.astype(np.int64).T)
    pixels, first = atlas.pixels_of(packed, sizes)
    return LuxelPixels(width, height, np.vstack([sizes, [[0, 0]]]), pixels, first)


def painted_light(
    before: source.Level, where: LuxelPixels, found: Blocks, key: tuple[LumpId, int, int], image: bpy.types.Image
) -> Light | None:
    """float32[luxels, 3]: the light of a lightmap with what was painted; None where nothing was."""
    lump, slot, sample = key
    offsets, _ = lighting.luxel_offsets(found, slot, sample)
    old = lighting.colors_at(before.bytes_of(lump), offsets)
    inside, pixels = lighting.luxels_in(where, found, slot, sample)
    now = picture(image, where)[pixels]
    was = pixels_of(old[inside])
    with np.errstate(over="ignore"):
        halves = was.astype(np.float16)  # what is left of them in a file of such floats
    changed = ((now != was) & (now != halves)).any(axis=1)
    if not changed.any():
        return None
    if np.isnan(now[changed]).any():
        raise SceneError(f"image {image.name!r}: pixels that are NaN can't be light")
    light = rgbe.decode(old)
    painted = np.flatnonzero(inside)[changed]
    light[painted] = np.clip(now[changed] / np.float32(build.WHITE), 0, _BRIGHTEST)
    return light


def pixels_of(colors: Records) -> Light:
    """float32[n, 3]: the pixels that the import makes of colours RGBE[n]."""
    exponents = colors["exponent"].astype(np.int32).clip(-radiance.EXPONENT_BIAS, 255 - radiance.EXPONENT_BIAS)
    return np.asarray(np.ldexp(colors["rgb"].astype(np.float32), exponents[:, None]))


def picture(image: bpy.types.Image, where: LuxelPixels) -> Light:
    """float32[pixels, 3]: an image's, row by row from the top. Raises SceneError for one of another size or kind."""
    width, height = image.size
    if (width, height) != (where.width, where.height) or image.channels < _COLORS:
        raise SceneError(
            f"image {image.name!r} has {width} x {height} pixels: that of a lightmap has to keep {where.width} x "
            f"{where.height}, in colour"
        )
    return np.ascontiguousarray(baking.pixels_of(image)[:, :_COLORS])


def _follow(before: source.Level, lump: LumpId, found: Blocks, changed: dict[tuple[int, int], Light]) -> None:
    """Add the lightmaps for the bump basis where only the flat one was painted: changed in the same ratio."""
    data = before.bytes_of(lump)
    bumped = found.samples == BUMP_SAMPLES
    for slot, sample in list(changed):
        offsets, owners = lighting.luxel_offsets(found, slot)
        here = bumped[owners]
        if sample or not here.any():
            continue
        was, now = rgbe.decode(lighting.colors_at(data, offsets[here])), changed[slot, 0][here]
        if (was == now).all():
            continue
        lit = was > 0
        ratio = np.divide(now, was, out=np.ones_like(now), where=lit)
        added = np.where(lit, 0, now)
        for basis in range(1, BUMP_SAMPLES):
            if (slot, basis) not in changed:
                offsets, _ = lighting.luxel_offsets(found, slot, basis)
                light = rgbe.decode(lighting.colors_at(data, offsets))
                with np.errstate(over="ignore"):
                    changed[slot, basis] = np.minimum(light * ratio + added, np.float32(_BRIGHTEST))
