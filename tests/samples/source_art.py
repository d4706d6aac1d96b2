# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the pak of the Source sample: materials, their textures and a model, drawn and built by code.

No picture looks the same mirrored.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.formats import source_content_bytes as content
from tests.formats import source_model_bytes as models
from tests.samples.art import Canvas, Color

SIZE = 32
CRATE = "models/room/crate.mdl"
HALF = 16.0
"""Units from the crate's middle to its sides."""
RGBA, RGB = 0, 2
"""Forms of textures."""


def canvas(color: Color) -> Canvas:
    made = Canvas(SIZE, SIZE)
    return made.fill(made.box(-1, -1, 2, 2), color)


def tiles() -> Canvas:
    """One of four dark, with an arrow."""
    made = canvas((168, 160, 140))
    made.fill(made.box(0.5, 0.5, 2, 2), (92, 80, 70))
    made.fill(made.polygon([(0.1, 0.4), (0.25, 0.1), (0.4, 0.4)]), (190, 90, 40))
    return made.fill(made.box(-1, 0.97, 2, 2), (60, 56, 52))


def brick() -> Canvas:
    made = canvas((90, 84, 80))
    for row, shift in enumerate((0.0, 0.25, 0.6, 0.1)):
        for left in (shift - 1, shift - 0.5, shift, shift + 0.5):
            made.fill(made.box(left + 0.02, row / 4 + 0.02, left + 0.48, row / 4 + 0.23), (150, 76, 60))
    return made


def grass() -> Canvas:
    made = canvas((70, 120, 50))
    return made.fill(made.polygon([(0.1, 0.9), (0.3, 0.1), (0.4, 0.9)]), (120, 170, 70))


def rock() -> Canvas:
    made = canvas((120, 116, 112))
    return made.fill(made.polygon([(0.2, 0.2), (0.9, 0.4), (0.4, 0.8)]), (80, 76, 74))


def stone() -> Canvas:
    made = canvas((150, 150, 156))
    return made.fill(made.polygon([(0.0, 0.0), (0.4, 0.0), (0.0, 0.3)]), (110, 110, 120))


def boards() -> Canvas:
    made = canvas((150, 104, 60))
    made.fill(made.box(0.46, -1, 0.5, 2), (90, 60, 34))
    return made.fill(made.polygon([(0.1, 0.2), (0.35, 0.3), (0.1, 0.4)]), (220, 200, 150))


def painted() -> Canvas:
    """The crate's second skin."""
    made = canvas((50, 90, 140))
    return made.fill(made.polygon([(0.1, 0.9), (0.5, 0.2), (0.6, 0.9)]), (230, 220, 120))


def lamp() -> Canvas:
    """Its alpha is what shines."""
    made = Canvas(SIZE, SIZE)
    made.fill(made.box(-1, -1, 2, 2), (255, 240, 200, 40))
    return made.fill(made.box(0.1, 0.15, 0.75, 0.7), (255, 240, 200))


def fence() -> Canvas:
    """Bars with holes between them."""
    made = Canvas(SIZE, SIZE)
    for left in (0.05, 0.4, 0.8):
        made.fill(made.box(left, -1, left + 0.12, 2), (60, 64, 70))
    return made.fill(made.polygon([(0.0, 0.1), (1.0, 0.3), (1.0, 0.45), (0.0, 0.25)]), (60, 64, 70))


def sign() -> Canvas:
    """An arrow to the right on a plate with clear corners."""
    made = Canvas(SIZE, SIZE)
    made.fill(made.disc(0.5, 0.5, 0.48), (240, 240, 230))
    made.fill(made.box(0.15, 0.42, 0.6, 0.58), (200, 30, 30))
    return made.fill(made.polygon([(0.55, 0.2), (0.9, 0.5), (0.55, 0.8)]), (200, 30, 30))


def stain() -> Canvas:
    """Grey changes nothing."""
    made = canvas((128, 128, 128))
    made.fill(made.disc(0.4, 0.5, 0.3), (50, 40, 40))
    return made.fill(made.disc(0.75, 0.3, 0.12), (50, 40, 40))


def bumps() -> Canvas:
    """A normal map: the upper half leans up, in the game's sense; its alpha is how much it mirrors."""
    made = Canvas(SIZE, SIZE)
    made.fill(made.box(-1, -1, 2, 2), (128, 90, 240, 90))
    return made.fill(made.polygon([(-1, 0.6), (2, 0.4), (2, 2), (-1, 2)]), (150, 160, 240, 20))


DRAWN = (tiles, brick, grass, rock, stone, boards, painted, lamp, fence, sign, stain, bumps)
CLEAR = (lamp, fence, sign, bumps)
"""Those with an alpha."""

MATERIALS = {
    "tiles": 'LightmappedGeneric { "$basetexture" "room/tiles" "$detail" "room/stone" "$detailscale" 2 }',
    "brick": 'LightmappedGeneric { "$basetexture" "room/brick" }',
    "brick_cold": 'patch { include "materials/room/brick.vmt" insert { "$color" "[.6 .8 1]" } }',
    "brick_wet": 'LightmappedGeneric { "$basetexture" "room/brick" "$bumpmap" "room/bumps" "$envmap" "env_cubemap" '
    '"$envmaptint" "[.6 .6 .6]" "$normalmapalphaenvmapmask" 1 }',
    "ground": 'WorldVertexTransition { "$basetexture" "room/grass" "$basetexture2" "room/rock" }',
    "stone": 'LightmappedGeneric { "$basetexture" "room/stone" '
    '"$basetexturetransform" "center .5 .5 scale 2 2 rotate 30 translate 0 0" }',
    "boards": 'VertexLitGeneric { "$basetexture" "room/boards" }',
    "painted": 'VertexLitGeneric { "$basetexture" "room/painted" }',
    "lamp": 'LightmappedGeneric { "$basetexture" "room/lamp" "$selfillum" 1 }',
    "fence": 'LightmappedGeneric { "$basetexture" "room/fence" "$alphatest" 1 "$nocull" 1 }',
    "sign": 'UnlitGeneric { "$basetexture" "room/sign" "$translucent" 1 }',
    "stain": 'DecalModulate { "$basetexture" "room/stain" "$decalscale" 2 }',
    "water": 'Water { "$normalmap" "room/bumps" "$fogenable" 1 "$fogcolor" "{20 70 80}" "$fogstart" 0 "$fogend" 200 '
    '"$abovewater" 1 Proxies { TextureScroll { "texturescrollvar" "$bumptransform" } } }',
}


def files() -> Iterator[tuple[str, bytes]]:
    """All files by their names."""
    for draw in DRAWN:
        picture = draw().picture()
        form, channels = (RGBA, 4) if draw in CLEAR else (RGB, 3)
        texture = content.vtf(picture[..., :channels].tobytes(), SIZE, SIZE, form)
        yield f"materials/room/{draw.__name__}.vtf", texture
    for name, text in MATERIALS.items():
        yield f"materials/room/{name}.vmt", text.encode("ascii")
    for ending, data in crate().items():
        yield CRATE.removesuffix(".mdl") + ending, data


def crate() -> dict[str, bytes]:
    """A cube with two skins, by the files' endings; each side has the whole picture."""
    vertices: list[models.Vertex] = []
    indices: list[int] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.roll((sign, 0.0, 0.0), axis)
            down = np.array((0.0, 0.0, -1.0)) if axis < 2 else np.array((0.0, -1.0, 0.0))
            right = np.cross(normal, down)
            first = len(vertices)
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                x, y, z = ((normal + right * (2 * u - 1) + down * (2 * v - 1)) * HALF).tolist()
                vertices.append((x, y, z + HALF, *normal.tolist(), float(u), float(v)))
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    count = len(vertices)
    hull = (-HALF, -HALF, 0.0, HALF, HALF, 2 * HALF)
    return {
        ".mdl": models.mdl([[[(0, 0, count)]]], ("boards", "painted"), ("room\\",), ((0,), (1,)), hull=hull),
        ".vvd": models.vvd(vertices),
        ".dx90.vtx": models.vtx([[[[(list(range(count)), [(1, indices)])]]]]),
    }
