# SPDX-License-Identifier: GPL-3.0-or-later
"""The textures of the Genesis3D sample, drawn by code and painted with few colours, as 8-bit bitmaps have to be.

All are 64 x 64 texels, and none looks the same mirrored: a picture of the wrong side shows.
"""

from __future__ import annotations

import numpy as np

from tests.samples.art import Canvas, Color, Picture

SIZE = 64
CLAY, CLAY_DARK, MORTAR = (168, 92, 68), (140, 72, 56), (92, 84, 80)
WOOD, WOOD_DARK, METAL = (182, 130, 76), (122, 82, 46), (196, 200, 208)


def canvas(color: Color) -> Canvas:
    made = Canvas(SIZE, SIZE)
    return made.fill(made.box(-1, -1, 2, 2), color)


def brick() -> Canvas:
    """Two courses of bricks, one brick darker than the others."""
    made = canvas(MORTAR)
    for row in range(4):
        for column in range(-1, 3):
            left = column / 2 + (0.25 if row % 2 else 0)
            color = CLAY_DARK if (row, column) == (1, 0) else CLAY
            made.fill(made.box(left + 0.02, row / 4 + 0.02, left + 0.48, row / 4 + 0.23), color)
    return made


def tiles() -> Canvas:
    """Floor tiles with an arrow: right of it is +u, its tip points against +v."""
    made = canvas((120, 124, 116))
    made.fill(made.box(0.03, 0.03, 0.97, 0.97), (164, 168, 156))
    made.fill(made.polygon([(0.5, 0.12), (0.8, 0.45), (0.2, 0.45)]), (70, 96, 150))
    made.fill(made.box(0.42, 0.44, 0.58, 0.85), (70, 96, 150))
    return made.fill(made.disc(0.82, 0.82, 0.08), (206, 70, 54))


def plaster() -> Canvas:
    made = canvas((214, 206, 186))
    made.fill(made.box(-1, 0.86, 2, 2), (150, 116, 90))
    for x, y, radius in ((0.2, 0.25, 0.06), (0.7, 0.15, 0.04), (0.6, 0.6, 0.08), (0.3, 0.7, 0.03)):
        made.fill(made.disc(x, y, radius), (198, 188, 168))
    return made


def door() -> Canvas:
    made = canvas(WOOD_DARK)
    for left in (0.05, 0.53):
        for top in (0.06, 0.54):
            made.fill(made.box(left, top, left + 0.42, top + 0.4), WOOD)
    return made.fill(made.disc(0.9, 0.5, 0.06), METAL)


def boards() -> Canvas:
    made = canvas(WOOD)
    for row in range(4):
        made.fill(made.box(-1, row / 4, 2, row / 4 + 0.03), WOOD_DARK)
    return made.fill(made.polygon([(0.1, 0.05), (0.2, 0.05), (0.9, 0.95), (0.8, 0.95)]), WOOD_DARK)


def glass() -> Canvas:
    made = canvas((150, 196, 214))
    return made.fill(made.polygon([(0.1, 0.6), (0.6, 0.1), (0.7, 0.1), (0.1, 0.7)]), (226, 240, 244))


def water() -> Canvas:
    made = canvas((40, 96, 168))
    for x, y in ((0.2, 0.2), (0.7, 0.35), (0.35, 0.75)):
        made.fill(np.maximum(made.disc(x, y, 0.2), -made.disc(x, y + 0.06, 0.2)), (122, 176, 220))
    return made


def lamp() -> Canvas:
    made = canvas((90, 84, 70))
    made.fill(made.box(0.08, 0.08, 0.92, 0.92), (255, 240, 190))
    return made.fill(made.box(0.08, 0.08, 0.3, 0.3), (255, 170, 90))


def mirror() -> Canvas:
    made = canvas(METAL)
    return made.fill(made.polygon([(0, 0.9), (0.9, 0), (1, 0), (0, 1)]), (230, 234, 238))


def sky_side() -> Canvas:
    """Blue, lighter at the bottom in steps, with a hill."""
    made = canvas((90, 146, 214))
    for step in range(1, 6):
        made.fill(made.box(-1, step / 6, 2, 2), (90 + 24 * step, 146 + 14 * step, 214 + 5 * step))
    return made.fill(made.disc(0.3, 1.2, 0.45), (96, 128, 84))


def sky_top() -> Canvas:
    made = canvas((80, 136, 208))
    for x, y, radius in ((0.3, 0.35, 0.14), (0.45, 0.3, 0.18), (0.6, 0.36, 0.12)):
        made.fill(made.disc(x, y, radius), (244, 248, 252))
    return made


TEXTURES = {
    draw.__name__: draw
    for draw in (brick, tiles, plaster, door, boards, glass, water, lamp, mirror, sky_side, sky_top)
}  # fmt: skip


def picture(name: str) -> Picture:
    """uint8 [64, 64, 4] in at most 256 colours: channels are rounded to multiples of 17."""
    return (np.rint(TEXTURES[name]().picture() / 17) * 17).astype(np.uint8)
