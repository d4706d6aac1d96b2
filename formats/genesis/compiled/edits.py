# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be changed in a compiled level without compiling it again (genesis.md §4.7)."""

from __future__ import annotations

import numpy as np

from ... import matrices, ranges
from ...arrays import Array, Bytes, Floats, Ints
from ...binary import FormatError
from ..records import FaceArray, FaceFlag
from . import geometry, lighting
from .level import CompiledLevel
from .lighting import CHANNELS, LightBlocks
from .records import TEXINFO, ChunkId
from .surfaces import DrawnFaces

LIT_OTHERWISE = int(FaceFlag.NO_LIGHTMAP | FaceFlag.GOURAUD | FaceFlag.FLAT)
"""Flags that say where a face's light is: only compiling makes one of another kind."""
MOST_LUXELS = 18
"""Across or down: what the engine has room for (MAX_LMAP_SIZE)."""
_FIELDS = (
    "u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y",
    "flags", "face_light", "reflective_scale", "alpha", "mip_map_bias",
)  # fmt: skip


def put_faces(level: CompiledLevel, drawn: DrawnFaces, chosen: Ints, made: FaceArray, textures: Ints) -> None:
    """Let faces look otherwise: `made`, records of FACE, and the numbers of their textures, of faces `chosen` of
    `drawn`. Where their vectors turn, their lightmaps are laid on anew, from the light that there was.

    Raises FormatError for vectors that lie along a face, and lightmaps larger than the engine takes.
    """
    infos = level.table(ChunkId.TEXINFOS)
    rows = infos[drawn.texinfo[chosen]].copy()
    for name in _FIELDS:
        rows[name] = made[name]
    rows["texture"] = textures
    before = geometry.records(level, drawn)
    turned = (before["u_vec"][chosen] != made["u_vec"]) | (before["v_vec"][chosen] != made["v_vec"])
    faces = level.table(ChunkId.FACES).copy()
    found = lighting.blocks(level, drawn)
    relit = np.flatnonzero(turned.any(axis=1) & found.lit[chosen])
    if len(relit):
        _relight(level, drawn, found, faces, before, chosen[relit], made[relit])
    known = {row.tobytes(): number for number, row in reversed(list(enumerate(infos)))}
    added: list[np.void] = []
    for face, row in zip(drawn.numbers[chosen].tolist(), rows, strict=True):
        raw = row.tobytes()
        if raw not in known:
            known[raw] = len(infos) + len(added)
            added.append(row)
        faces["texinfo"][face] = known[raw]
    if added:
        level.set_table(ChunkId.TEXINFOS, np.concatenate([infos, np.array(added, TEXINFO)]))
    level.set_table(ChunkId.FACES, faces)


def _relight(
    level: CompiledLevel,
    drawn: DrawnFaces,
    found: LightBlocks,
    table: Array,
    before: FaceArray,
    chosen: Ints,
    made: FaceArray,
) -> None:
    """Give faces lightmaps on the grid of their new vectors, behind the others where they are of another size."""
    after = before.copy()
    after[chosen] = made
    old_first, new_first = lighting.first_luxels(before, drawn), lighting.first_luxels(after, drawn)
    sizes = lighting.grid_sizes(after, drawn)
    data = level.table(ChunkId.LIGHT_DATA).copy()
    blocks = [data]
    end = len(data)
    for face in chosen.tolist():
        width, height = sizes[face].tolist()
        if not (0 < width <= MOST_LUXELS and 0 < height <= MOST_LUXELS):
            raise FormatError(
                f"a lightmap of {width} by {height} luxels, {MOST_LUXELS} are allowed", f"face {drawn.numbers[face]}"
            )
        places = _old_places(before[face], after[face], new_first[face], width, height) - old_first[face]
        own = np.array([face])
        was = (int(found.height[face]), int(found.width[face]), CHANNELS)
        body = [np.ones(1, np.uint8)]
        for slot in range(int(found.types[face])):
            offsets = found.bytes_of(own, slot)
            light = np.column_stack([data[offsets + channel] for channel in range(CHANNELS)]).reshape(was)
            body.append(_sampled(light, places).reshape(-1))
        block = np.concatenate(body)
        number = drawn.numbers[face]
        if (width, height) == (was[1], was[0]):
            begin = int(found.offset[face]) - 1
            blocks[0][begin : begin + len(block)] = block
            continue
        table["light_offset"][number], table["light_width"][number], table["light_height"][number] = end, width, height
        blocks.append(block)
        end += len(block)
    level.set_table(ChunkId.LIGHT_DATA, np.concatenate(blocks))


def _old_places(before: np.void, after: np.void, first: Ints, width: int, height: int) -> Floats:
    """Where the luxels of a new grid are on the old one: float64[height * width, 2]. Raises FormatError."""
    rows = np.array([after["u_vec"], after["v_vec"], after["normal"]], np.float64)
    old = np.array([before["u_vec"], before["v_vec"]], np.float64)
    whole = np.isfinite(rows).all() and np.isfinite(old).all() and np.isfinite(before["dist"])
    if not whole or abs(np.linalg.det(rows)) < 1e-9:
        raise FormatError("its texture vectors are no numbers, lie along the face or on one another", "a face")
    across, down = np.meshgrid(np.arange(width), np.arange(height))
    wanted = np.column_stack([across.reshape(-1) + first[0], down.reshape(-1) + first[1]]) * geometry.LUXEL
    points = np.column_stack([wanted, np.full(len(wanted), float(before["dist"]))]) @ matrices.inverse(rows).T
    return np.asarray(points @ old.T / geometry.LUXEL)


def _sampled(light: Bytes, places: Floats) -> Bytes:
    """A lightmap uint8[h, w, 3] at places float64[n, 2] (across, down) between its luxels: uint8[n, 3]."""
    limit = np.array([light.shape[1] - 1, light.shape[0] - 1])
    inside = places.clip(0, limit)
    low = np.floor(inside).astype(np.int64)
    high, share = np.minimum(low + 1, limit), inside - low
    values = light.astype(np.float64)
    top = _between(values[low[:, 1], low[:, 0]], values[low[:, 1], high[:, 0]], share[:, :1])
    bottom = _between(values[high[:, 1], low[:, 0]], values[high[:, 1], high[:, 0]], share[:, :1])
    return np.asarray(np.rint(_between(top, bottom, share[:, 1:])), np.uint8)


def _between(one: Floats, other: Floats, share: Floats) -> Floats:
    return np.asarray(one + (other - one) * share)


def paint(
    level: CompiledLevel,
    found: LightBlocks,
    faces: Ints,
    slot: int,
    colors: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
) -> None:
    """Give the lightmaps in a slot of some faces other colours: uint8[luxels, 3], one face's after another's."""
    data = level.table(ChunkId.LIGHT_DATA).copy()
    offsets = found.bytes_of(faces, slot)
    for channel in range(CHANNELS):
        data[offsets + channel] = colors[:, channel]
    level.set_table(ChunkId.LIGHT_DATA, data)


def put_vertex_light(
    level: CompiledLevel, drawn: DrawnFaces, chosen: Ints, light: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
) -> None:
    """Give the corners of faces `chosen` other light, float32[c, 3], one face's corners after another's.

    Raises FormatError where the level has no light for all of them.
    """
    table = level.table(ChunkId.VERTEX_LIGHT).copy()
    corners = drawn.corners[ranges.flat(drawn.starts[chosen], np.diff(drawn.starts)[chosen])]
    if corners.max(initial=-1) >= len(table):
        raise FormatError(f"corner {int(corners.max())} has no light, of {len(table)}", "VERTEX_LIGHT")
    for axis, name in enumerate("xyz"):
        table[name][corners] = light[:, axis]
    level.set_table(ChunkId.VERTEX_LIGHT, table)
