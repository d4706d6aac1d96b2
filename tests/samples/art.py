# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of our own sample maps, drawn by code: small shapes given as signed distances, anti-aliased.

A shape is a float array over the pixels of a cell, negative inside; `Canvas.fill` lays a colour over what is there
(straight alpha). Everything is seeded or exact, so that the same bytes come out on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Shape = NDArray[np.float64]
Picture = NDArray[np.uint8]
Color = tuple[int, int, int] | tuple[int, int, int, int]

CELL = 32
"""Pixels along the side of a tile in the sheet; the sheet has 16 x 16 of them."""


class Canvas:
    """A square of RGBA pixels in 0..1 whose coordinates run from 0 to 1, x right and y down."""

    def __init__(self, width: int, height: int) -> None:
        self.pixels = np.zeros((height, width, 4))
        self.y, self.x = ((np.mgrid[0:height, 0:width] + 0.5).T / (width, height)[::-1]).T
        self.soft = 1.0 / width

    def box(self, left: float, top: float, right: float, bottom: float) -> Shape:
        beside = np.abs(self.x - (left + right) / 2) - (right - left) / 2
        above = np.abs(self.y - (top + bottom) / 2) - (bottom - top) / 2
        return np.maximum(beside, above)

    def disc(self, x: float, y: float, radius: float) -> Shape:
        return np.hypot(self.x - x, self.y - y) - radius

    def polygon(self, corners: Sequence[tuple[float, float]]) -> Shape:
        """A convex polygon, its corners in order clockwise on the screen."""
        inside = np.full(self.x.shape, -np.inf)
        for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
            length = np.hypot(bx - ax, by - ay)
            inside = np.maximum(inside, ((self.x - ax) * (by - ay) - (self.y - ay) * (bx - ax)) / length)
        return inside

    def fill(self, shape: Shape, color: Color) -> Canvas:
        """Lay `color` (0..255, opaque unless it has an alpha) over the pixels inside `shape`.

        Pixels that stay empty take the colour too: where a picture is drawn enlarged, edges are mixed with it.
        """
        red, green, blue, alpha = (np.array((*color, 255)[:4]) / 255).tolist()
        over = np.clip(0.5 - shape / self.soft, 0, 1) * alpha
        under = self.pixels[..., 3] * (1 - over)
        total = over + under
        share = np.divide(over, total, out=np.ones_like(over), where=total > 0)[..., None]
        self.pixels[..., :3] += (np.array([red, green, blue]) - self.pixels[..., :3]) * share
        self.pixels[..., 3] = total
        return self

    def picture(self) -> Picture:
        """uint8 [height, width, 4], top row first, straight alpha."""
        return np.rint(self.pixels * 255).astype(np.uint8)


EARTH, EARTH_DARK, GRASS, GRASS_LIGHT = (122, 82, 52), (96, 62, 40), (84, 148, 60), (128, 190, 84)
STONE, STONE_DARK, WOOD, WOOD_DARK = (150, 148, 156), (104, 102, 116), (178, 128, 74), (120, 80, 44)


def earth() -> Canvas:
    cell = Canvas(CELL, CELL)
    cell.fill(cell.box(-1, -1, 2, 2), EARTH)
    for x, y, radius in ((0.2, 0.25, 0.08), (0.7, 0.15, 0.05), (0.55, 0.6, 0.1), (0.15, 0.8, 0.06), (0.85, 0.85, 0.07)):
        cell.fill(cell.disc(x, y, radius), EARTH_DARK)
    return cell


def grass() -> Canvas:
    cell = earth()
    cell.fill(cell.box(-1, -1, 2, 0.3), GRASS)
    for x in (0.12, 0.37, 0.62, 0.87):
        cell.fill(cell.disc(x, 0.3, 0.12), GRASS)
    return cell.fill(cell.box(-1, -1, 2, 0.1), GRASS_LIGHT)


def grass_end() -> Canvas:
    """The left end of a grassy ledge: its upper left corner is round and empty."""
    cell = grass()
    outside = np.maximum(-cell.disc(0.5, 0.5, 0.5), cell.box(-1, -1, 0.5, 0.5))
    cell.pixels[np.asarray(outside < 0)] = 0
    return cell


def slope() -> Canvas:
    """Earth under a rising edge, lower left to upper right."""
    cell = Canvas(CELL, CELL)
    cell.fill(cell.polygon([(0, 1), (1, 0), (1, 1)]), GRASS)
    return cell.fill(cell.polygon([(0.25, 1), (1, 0.25), (1, 1)]), EARTH)


def brick() -> Canvas:
    cell = Canvas(CELL, CELL)
    cell.fill(cell.box(-1, -1, 2, 2), STONE_DARK)
    for left, top in ((0, 0), (-0.25, 0.25), (0.25, 0.25), (0.75, 0.25), (0.5, 0)):
        for row in (0, 0.5):
            cell.fill(cell.box(left + 0.03, top + row + 0.03, left + 0.47, top + row + 0.22), STONE)
    return cell


def window() -> Canvas:
    """A window with half transparent glass."""
    cell = Canvas(CELL, CELL)
    cell.fill(cell.box(0.12, 0.06, 0.88, 0.94), WOOD_DARK)
    cell.pixels[np.asarray(cell.box(0.2, 0.14, 0.8, 0.86) < 0)] = 0
    cell.fill(cell.box(0.2, 0.14, 0.8, 0.86), (255, 232, 150, 128))
    cell.fill(cell.box(0.47, 0.1, 0.53, 0.9), WOOD_DARK)
    return cell.fill(cell.box(0.15, 0.4, 0.85, 0.46), WOOD_DARK)


def sign() -> Canvas:
    """A board with the letter F and a red corner: no flip or rotation of it looks like another."""
    cell = Canvas(CELL, CELL)
    cell.fill(cell.box(0.04, 0.04, 0.96, 0.96), WOOD)
    cell.fill(cell.polygon([(0.04, 0.04), (0.34, 0.04), (0.04, 0.34)]), (206, 58, 44))
    for left, top, right, bottom in ((0.34, 0.2, 0.46, 0.86), (0.34, 0.2, 0.8, 0.32), (0.34, 0.46, 0.68, 0.58)):
        cell.fill(cell.box(left, top, right, bottom), (44, 30, 22))
    return cell


def flower() -> Canvas:
    cell = Canvas(CELL, CELL)
    cell.fill(cell.box(0.46, 0.45, 0.54, 1), (60, 120, 50))
    cell.fill(cell.polygon([(0.5, 0.85), (0.85, 0.6), (0.75, 0.8)]), (76, 150, 60))
    for angle in range(5):
        turn = angle * 2 * np.pi / 5
        cell.fill(cell.disc(0.5 + 0.17 * float(np.sin(turn)), 0.4 - 0.17 * float(np.cos(turn)), 0.13), (226, 92, 140))
    return cell.fill(cell.disc(0.5, 0.4, 0.1), (250, 214, 90))


def water() -> Canvas:
    cell = Canvas(CELL, CELL)
    cell.fill(cell.box(-1, -1, 2, 2), (60, 130, 210, 150))
    for x in (0.0, 0.5, 1.0):
        cell.fill(cell.disc(x, 0.75, 0.12), (140, 196, 240, 110))
    return cell


def wave() -> Canvas:
    cell = Canvas(CELL, CELL)
    for x in (0.0, 0.5, 1.0):
        cell.fill(cell.disc(x, 0.55, 0.3), (200, 230, 250, 190))
    return cell.fill(cell.box(-1, 0.55, 2, 2), (60, 130, 210, 150))


def fence() -> Canvas:
    cell = Canvas(CELL, CELL)
    cell.fill(cell.box(-1, 0.45, 2, 0.58), WOOD_DARK)
    for x in (0.25, 0.75):
        cell.fill(cell.polygon([(x - 0.12, 1), (x - 0.12, 0.25), (x, 0.1), (x + 0.12, 0.25), (x + 0.12, 1)]), WOOD)
    return cell


def chequer() -> Canvas:
    cell = Canvas(CELL, CELL)
    cell.fill(cell.box(-1, -1, 2, 2), (236, 236, 236))
    cell.fill(cell.box(-1, -1, 0.5, 0.5), (70, 70, 80))
    return cell.fill(cell.box(0.5, 0.5, 2, 2), (70, 70, 80))


SHEET = {
    1: earth,
    2: grass,
    3: grass_end,
    4: slope,
    5: brick,
    6: window,
    7: sign,
    8: flower,
    16: water,
    17: wave,
    18: fence,
    255: chequer,
}
"""Which cell of the tile sheet holds what; cell 255, the last, shows an off-by-one at the sheet's end."""


def tile_sheet() -> Picture:
    """uint8 [512, 512, 4]: the sheet of 16 x 16 cells."""
    sheet = np.zeros((16 * CELL, 16 * CELL, 4), np.uint8)
    for index, draw in SHEET.items():
        row, column = divmod(index, 16)
        sheet[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL] = draw().picture()
    return sheet


def sun() -> Picture:
    """uint8 [64, 64, 4]: a disc with eight rays, one of them longer, so that a turn can be seen."""
    canvas = Canvas(64, 64)
    for ray in range(8):
        turn = ray * np.pi / 4
        across, along = np.array([np.cos(turn), np.sin(turn)]), np.array([np.sin(turn), -np.cos(turn)])
        tip = 0.49 if ray == 0 else 0.4
        corners = [
            np.array([0.5, 0.5]) + side * across * 0.07 + along * reach
            for side, reach in ((-1, 0.2), (0, tip), (1, 0.2))
        ]
        canvas.fill(canvas.polygon([(float(x), float(y)) for x, y in corners]), (255, 206, 84))
    return canvas.fill(canvas.disc(0.5, 0.5, 0.26), (255, 226, 120)).picture()


def cloud() -> Picture:
    """uint8 [48, 96, 4]: a white cloud, flat below; its size is no multiple of 16 cells, which quads may have."""
    canvas = Canvas(96, 48)
    for x, y, radius in ((0.25, 0.6, 0.2), (0.45, 0.45, 0.28), (0.7, 0.55, 0.24)):
        shape = np.hypot(canvas.x - x, (canvas.y - y) / 2) - radius * 0.7
        canvas.fill(np.maximum(shape, canvas.y - 0.8), (250, 252, 255, 235))
    return canvas.picture()


def ball() -> Picture:
    """uint8 [32, 32, 4]: a white ball with a dark quarter, to be tinted by a quad's colours."""
    canvas = Canvas(32, 32)
    canvas.fill(canvas.disc(0.5, 0.5, 0.46), (255, 255, 255))
    return canvas.fill(np.maximum(canvas.disc(0.5, 0.5, 0.36), canvas.box(0.5, 0, 1, 0.5)), (90, 90, 100)).picture()
