# SPDX-License-Identifier: GPL-3.0-or-later
"""What the stamp tool draws over the view: tiles, rectangles of cells, the palette. All in pixels of the region."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ....formats.arrays import Singles
from ....formats.teeworlds import stamps
from ....formats.teeworlds.stamps import Rectangle, TileStamp
from ....formats.teeworlds.tiles import ATLAS_CELLS, corner_uvs
from ...scene.blender_types import Value
from . import targets
from .targets import Cell

Color = tuple[float, float, float, float]
Points = Singles
FRAME: Color = (1.0, 0.85, 0.2, 1.0)
ERASING: Color = (1.0, 0.3, 0.25, 1.0)
PICKING: Color = (0.3, 0.8, 1.0, 1.0)
SHADE: Color = (0.09, 0.09, 0.1, 0.97)
GRID: Color = (1.0, 1.0, 1.0, 0.12)
MARK: Color = (0.3, 0.95, 0.4, 1.0)
MARKED = 8
"""Pixels of a mark's side."""
GHOST = 0.65
"""Opacity of tiles that aren't there yet."""
MOST = 4096
"""Tiles that are drawn at the mouse."""


def fill(rectangles: Points, color: Color) -> None:
    """Fill rectangles, [n, 4, 2] in pixels, corners around."""
    if len(rectangles):
        _draw("UNIFORM_COLOR", "TRIS", {"pos": _triangles(rectangles)}, color)


def lines(ends: Points, color: Color, width: float = 1.0) -> None:
    """Draw lines between pairs of points, [2n, 2]."""
    gpu.state.line_width_set(width)
    _draw("UNIFORM_COLOR", "LINES", {"pos": ends}, color)
    gpu.state.line_width_set(1.0)


def outline(ring: Points, color: Color, width: float = 2.0) -> None:
    """Draw the rim of a face, [4, 2]."""
    lines(np.stack((ring, np.roll(ring, -1, axis=0)), axis=1).reshape(-1, 2), color, width)


def picture(image: bpy.types.Image, rectangles: Points, uvs: Points, opacity: float = 1.0) -> None:
    """Draw parts of an image: corners in pixels, [n, 4, 2], and in the image, the same."""
    texture = gpu.texture.from_image(image)
    parts = {"pos": _triangles(rectangles), "texCoord": _triangles(uvs)}
    _draw("IMAGE_COLOR", "TRIS", parts, (1.0, 1.0, 1.0, opacity), texture)


def _draw(
    name: str, kind: str, parts: dict[str, Points], color: Color, texture: gpu.types.GPUTexture | None = None
) -> None:
    shader = gpu.shader.from_builtin(name)
    content: Value = {key: np.ascontiguousarray(part, np.float32) for key, part in parts.items()}
    batch = batch_for_shader(shader, kind, content)
    gpu.state.blend_set("ALPHA")
    shader.bind()
    shader.uniform_float("color", color)
    if texture is not None:
        shader.uniform_sampler("image", texture)
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def _triangles(rings: Points) -> Points:
    """Two triangles for each face of four corners: [n, 4, 2] to [6n, 2]."""
    return rings[:, (0, 1, 2, 2, 3, 0)].reshape(-1, 2)


def box(x: float, y: float, width: float, height: float) -> Points:
    """The corners of a rectangle, [4, 2]: around from the top left one."""
    return np.array(((x, y + height), (x, y), (x + width, y), (x + width, y + height)), np.float32)


def on_screen(context: bpy.types.Context, layer: bpy.types.Object, points: Points) -> Points | None:
    """Where points [n, 2] of a layer's plane are in the region, in pixels; None where one lies behind the view."""
    region, view = context.region, context.region_data
    if region is None or view is None:
        return None
    matrix = np.array(view.perspective_matrix) @ np.array(layer.matrix_world)
    spread = points @ matrix[:, :2].T + matrix[:, 3]
    if not (spread[:, 3] > 0).all():
        return None
    flat = spread[:, :2] / spread[:, 3:]
    return np.asarray((flat * 0.5 + 0.5) * (region.width, region.height), np.float32)


def area_on_screen(context: bpy.types.Context, layer: bpy.types.Object, offset: Cell, area: Rectangle) -> Points | None:
    """The corners of a rectangle of a layer's cells in the region, [4, 2]."""
    x, y = area[0] - offset[0], -(area[1] - offset[1])
    corners = np.array(((x, y), (x, y - area[3]), (x + area[2], y - area[3]), (x + area[2], y)), np.float32)
    return on_screen(context, layer, corners)


def ghost(context: bpy.types.Context, layer: bpy.types.Object, offset: Cell, stamp: TileStamp, area: Rectangle) -> None:
    """Draw a stamp, repeated, over a rectangle of a layer's cells, if these aren't too many."""
    image = targets.tileset(layer)
    if image is None or area[2] * area[3] > MOST:
        return
    cells = stamps.cells_of(area)
    values = stamp.at(cells[:, 0] - area[0], cells[:, 1] - area[1])
    there = values["index"] > 0
    cells, index = cells[there], values["index"][there]
    flags = values["flags"][there] if "flags" in values else index & 0
    ring = np.array(((0, 0), (0, -1), (1, -1), (1, 0)), np.float32)
    places = (cells - offset) * (1, -1)
    corners = on_screen(context, layer, (places[:, None] + ring).reshape(-1, 2).astype(np.float32))
    if corners is not None and len(cells):
        picture(image, corners.reshape(-1, 4, 2), corner_uvs(index, flags), GHOST)


def palette(
    image: bpy.types.Image | None,
    place: tuple[float, float, float],
    used: Sequence[int],
    chosen: Rectangle | None,
    known: Collection[int] | None = None,
) -> None:
    """Draw a tileset with its grid, marks on the tiles that are used, and a frame around chosen cells.

    place: left and lower edge and size, pixels. known: the tiles that there are; None: all.
    """
    left, low, size = place
    cell = size / ATLAS_CELLS
    fill(box(left - 8, low - 8, size + 16, size + 16)[None], SHADE)
    if image is not None:
        row, column = np.divmod(np.arange(ATLAS_CELLS**2) if known is None else np.array(sorted(known)), ATLAS_CELLS)
        corner = np.stack((column, ATLAS_CELLS - 1 - row), axis=-1)[:, None] + box(0, 0, 1, 1)
        picture(image, (corner * cell + (left, low)).astype(np.float32), (corner / ATLAS_CELLS).astype(np.float32))
    steps = np.arange(ATLAS_CELLS + 1) * cell
    zeros, full = np.zeros_like(steps), np.full_like(steps, size)
    across = np.stack((zeros, steps, full, steps), axis=-1).reshape(-1, 2)
    both = np.concatenate((across, across[:, ::-1]))
    lines(both + np.array((left, low)), GRID)
    if len(used):
        row, column = np.divmod(np.array(used), ATLAS_CELLS)
        corner = np.stack((left + column * cell, low + (ATLAS_CELLS - row) * cell), axis=-1)[:, None]
        mark = np.array(((1, -1), (1, -MARKED), (MARKED, -MARKED), (MARKED, -1)), np.float32)
        fill((corner + mark).astype(np.float32), MARK)
    if chosen is not None:
        x, y, width, height = chosen
        top = low + size - (y + height) * cell
        outline(box(left + x * cell, top, width * cell, height * cell), FRAME, 3.0)
