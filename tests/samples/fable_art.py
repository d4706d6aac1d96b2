# SPDX-License-Identifier: GPL-3.0-or-later
"""Images for the themes of the Fable sample, drawn by code: none looks the same mirrored.

Users have a folder of their own with such images; `write` makes one. North is up in the picture.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from tests.samples.art import Canvas, Color

SIZE = 64


def canvas(color: Color) -> Canvas:
    made = Canvas(SIZE, SIZE)
    return made.fill(made.box(-1, -1, 2, 2), color)


def grass() -> Canvas:
    """Blades that lean to the east."""
    made = canvas((74, 118, 48))
    for x, y in ((0.1, 0.1), (0.55, 0.05), (0.3, 0.45), (0.75, 0.55)):
        made.fill(made.polygon([(x, y + 0.35), (x + 0.2, y), (x + 0.08, y + 0.35)]), (104, 156, 66))
    return made


def meadow() -> Canvas:
    made = canvas((108, 142, 62))
    for x, y, color in ((0.2, 0.25, (232, 214, 96)), (0.7, 0.35, (226, 232, 240)), (0.45, 0.75, (200, 96, 120))):
        made.fill(made.disc(x, y, 0.07), color)
    return made


def sand() -> Canvas:
    made = canvas((208, 190, 140))
    for row in range(4):
        made.fill(
            made.polygon([(0, row / 4), (1, row / 4 + 0.1), (1, row / 4 + 0.14), (0, row / 4 + 0.04)]), (186, 164, 112)
        )
    return made


def path() -> Canvas:
    made = canvas((128, 98, 66))
    for x, y, radius in ((0.2, 0.2, 0.08), (0.65, 0.3, 0.1), (0.35, 0.7, 0.12), (0.85, 0.8, 0.06)):
        made.fill(made.disc(x, y, radius), (158, 148, 132))
    return made


def rock() -> Canvas:
    made = canvas((112, 106, 98))
    made.fill(made.polygon([(0.1, 0.6), (0.5, 0.1), (0.6, 0.5)]), (138, 132, 122))
    return made.fill(made.polygon([(0.4, 0.9), (0.9, 0.5), (0.95, 0.9)]), (84, 80, 74))


def heather() -> Canvas:
    made = canvas((118, 86, 112))
    for x, y in ((0.2, 0.3), (0.6, 0.2), (0.8, 0.7), (0.35, 0.75)):
        made.fill(made.disc(x, y, 0.11), (158, 106, 152))
    return made


def water() -> Canvas:
    made = canvas((46, 92, 140))
    return made.fill(made.polygon([(0.1, 0.35), (0.7, 0.25), (0.7, 0.35), (0.1, 0.45)]), (110, 158, 196))


def wheat() -> Canvas:
    made = canvas((204, 172, 78))
    for column in range(4):
        made.fill(made.box(column / 4, -1, column / 4 + 0.06, 2), (168, 132, 52))
    return made


IMAGES = {
    f"GROUND_VALE_{draw.__name__.upper()}": draw for draw in (grass, meadow, sand, path, rock, heather, water, wheat)
}
"""By theme."""


def write(folder: Path) -> Path:
    """Make the folder's images, named like the themes; returns the folder."""
    for name, draw in IMAGES.items():
        Image.fromarray(draw().picture()).save(folder / f"{name}.png")
    return folder
