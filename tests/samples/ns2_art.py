# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's folder of the NS2 sample: materials, their textures and a model, drawn and built by code.

No picture looks the same mirrored. `write` makes the folder, as users have one of the game.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from tests.formats import ns2_content_bytes as content
from tests.samples import ns2_room
from tests.samples.art import Canvas, Color, Picture

SIZE = 64


def canvas(color: Color) -> Canvas:
    made = Canvas(SIZE, SIZE)
    return made.fill(made.box(-1, -1, 2, 2), color)


def floor() -> Canvas:
    """Tiles, one of four dark, with an arrow."""
    made = canvas((150, 140, 120))
    made.fill(made.box(0.5, 0.5, 2, 2), (70, 62, 54))
    made.fill(made.polygon([(0.1, 0.4), (0.25, 0.1), (0.4, 0.4)]), (200, 120, 40))
    return made.fill(made.box(-1, 0.97, 2, 2), (40, 36, 32))


def wall() -> Canvas:
    """Panels with a stripe that rises to the right."""
    made = canvas((96, 112, 128))
    made.fill(made.polygon([(0, 0.8), (1, 0.4), (1, 0.6), (0, 1.0)]), (220, 200, 80))
    return made.fill(made.box(0.94, -1, 2, 2), (40, 48, 60))


def metal() -> Canvas:
    made = canvas((120, 116, 112))
    for row in range(4):
        made.fill(made.polygon([(0, row / 4), (0.7, row / 4), (0.5, row / 4 + 0.1), (0, row / 4 + 0.1)]), (84, 78, 72))
    return made


def column() -> Canvas:
    made = canvas((140, 60, 50))
    return made.fill(made.polygon([(0.1, 0.9), (0.5, 0.2), (0.6, 0.9)]), (210, 190, 170))


def pane() -> Canvas:
    """A bolt."""
    made = canvas((30, 120, 90))
    return made.fill(made.polygon([(0.2, 0.1), (0.8, 0.3), (0.5, 0.9)]), (150, 255, 200))


def clip() -> Canvas:
    return canvas((255, 0, 255))


IMAGES = {f"materials/room/{draw.__name__}": draw for draw in (floor, wall, metal, column, pane, clip)}
"""By material, without the ending."""


def dds(picture: Picture) -> bytes:
    """A picture (uint8 [height, width, 4], top row first) as a texture of plain pixels: blue, green, red, alpha."""
    height, width = picture.shape[:2]
    head = struct.pack("<4s7I44x", b"DDS ", 124, 0x100F, height, width, width * 4, 0, 0)
    form = struct.pack("<2I4x5I", 32, 0x41, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    return head + form + struct.pack("<I16x", 0x1000) + picture[..., [2, 1, 0, 3]].tobytes()


def material(path: str) -> str:
    """A `.material`: the pane glows."""
    glow = f'emissiveMap = "{path}.dds"\n' if path.endswith("pane") else ""
    return f'shader = "shaders/Model.surface_shader"\nalbedoMap = "{path}.dds"\n{glow}'


def crate() -> bytes:
    """A `.model`: a cube of half a metre to each side, the picture of the column on all of its sides."""
    vertices, triangles = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.roll((sign, 0.0, 0.0), axis)
            right, up = np.roll((0.0, sign, 0.0), axis), np.roll((0.0, 0.0, 1.0), axis)
            first = len(vertices)
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                place = (normal + right * (2 * u - 1) + up * (2 * v - 1)) / 2
                vertices.append(content.vertex(place, normal, (u, 1 - v), (255, 255, 255, 255)))
            triangles += [first, first + 1, first + 2, first, first + 2, first + 3]
    return b"MDL\x07" + b"".join(
        (
            content.chunk(1, struct.pack("<I", len(vertices)) + b"".join(vertices)),
            content.chunk(2, struct.pack(f"<{len(triangles) + 1}I", len(triangles), *triangles)),
            content.chunk(3, struct.pack("<5I", 1, 0, 0, len(triangles) // 3, 0)),
            content.chunk(4, struct.pack("<I", 1) + content.text(ns2_room.MATERIALS[ns2_room.COLUMN])),
            content.chunk(6, bytes(4)),
            content.chunk(17, struct.pack("<6f", 0, 0, 0, 0.5, 0.5, 0.5)),
        )
    )


def write(folder: Path) -> Path:
    """Make the folder's files; returns the folder."""
    for path, draw in IMAGES.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_suffix(".dds").write_bytes(dds(draw().picture()))
        file.with_suffix(".material").write_text(material(path), encoding="ascii")
    model = folder / ns2_room.CRATE
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_bytes(crate())
    return folder
