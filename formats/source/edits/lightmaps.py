# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of lightmaps: other light on luxels of the same blocks, LDR or HDR (source.md §2.6, §3).

Luxels whose light is what it was keep their bytes; what CS:GO has behind the colours stays.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ...arrays import Floats, Ints, Records, Singles
from ...binary import FormatError
from ..level import Level
from ..light import lighting, rgbe
from ..lumps import LumpId, lump_name
from ..records import RGBE
from .changes import Changes

Lightmap = tuple[int, int]
"""Which style of each face, 0 to 3, and which sample: 0 the flat one, 1 to 3 those of the bump basis."""

_BRIGHTEST = float(np.finfo(np.float32).max)


def paint(level: Level, lump: LumpId, lightmaps: Mapping[Lightmap, npt.ArrayLike]) -> int:
    """Change lightmaps of LIGHTING or LIGHTING_HDR; returns how many luxels did.

    lightmaps: by style and sample, float[luxels, 3] linear light in the order of `lighting.luxel_offsets`. The average
    colours of a face go along with its flat lightmaps, by as much as the mean of their luxels does.

    Raises FormatError where the map hasn't that lump, for another number of luxels, and for light that is no number
    or negative.
    """
    found = lighting.lightmaps(level).get(lump)
    if found is None:
        raise FormatError("the map has no such lightmaps", lump_name(lump))
    hdr = lump == LumpId.LIGHTING_HDR and len(level.bytes_of(LumpId.FACES_HDR)) > 0
    faces = LumpId.FACES_HDR if hdr else LumpId.FACES
    changes = Changes(level)
    data: bytes | memoryview = level.bytes_of(lump)
    count = 0
    for (style, sample), values in lightmaps.items():
        offsets, owners = lighting.luxel_offsets(found, style, sample)
        with np.errstate(over="ignore"):  # refused below
            light = np.asarray(values, np.float32)
        if light.shape != (len(offsets), 3):
            message = f"light of the shape {light.shape} for {len(offsets)} luxels of style {style}, sample {sample}"
            raise FormatError(message, lump_name(lump))
        if not (np.isfinite(light) & (light >= 0)).all():
            luxel = int((~(np.isfinite(light) & (light >= 0))).any(axis=1).argmax())
            raise FormatError(
                f"luxel {luxel} of face {found.faces[owners[luxel]]} has no light that can be", lump_name(lump)
            )
        old = lighting.colors_at(data, offsets)
        new = rgbe.encode(light, old)
        changed = old != new
        count += int(changed.sum())
        data = lighting.with_colors(data, offsets[changed], new[changed])
        touched = np.unique(owners[changed])
        if sample == 0 and len(touched):
            data = _averages(changes, faces, found, data, style, touched, (owners, old, new))
    changes.set_bytes(lump, bytes(data))
    changes.apply()
    return count


def _averages(
    changes: Changes,
    lump: LumpId,
    found: lighting.Blocks,
    data: bytes,
    style: int,
    touched: Ints,
    luxels: tuple[Ints, Records, Records],
) -> bytes:
    """The lump with the averages of touched blocks changed in the ratio in which the mean of their luxels changed.

    The compiler's own averages leave out luxels that lie beside the face: a ratio keeps that.
    """
    owners, old, new = luxels
    before, after = (_means(rgbe.decode(colors), owners, len(found.faces))[touched] for colors in (old, new))

    def scaled(colors: Records) -> Records:
        light = rgbe.decode(colors).astype(np.float64)
        known = (before > 0) & (light > 0)
        ratio = np.divide(after, before, out=np.ones_like(after), where=known)
        return rgbe.encode(np.minimum(np.where(known, light * ratio, after), _BRIGHTEST), colors)

    places = found.averages(style)[touched]
    there = places >= 0
    if there.any():
        colors = np.zeros(len(places), RGBE)
        colors[there] = lighting.colors_at(data, places[there])
        data = lighting.with_colors(data, places[there], scaled(colors)[there])
    faces = changes.table(lump)
    if "average" in (faces.dtype.names or ()):
        rows = found.faces[touched]
        faces["average"][rows, style] = scaled(faces["average"][rows, style])
    return data


def _means(light: Singles, owners: Ints, count: int) -> Floats:
    """float64[blocks, 3]: the mean light of each block's luxels."""
    sizes = np.bincount(owners, minlength=count)
    sums = [np.bincount(owners, light[:, channel].astype(np.float64), count) for channel in range(3)]
    return np.asarray(np.column_stack(sums) / np.maximum(sizes, 1)[:, None])
