# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a compiled Genesis3D level byte by byte, from struct alone: what the library is tested against.

Imports nothing of the library, on purpose. Facts: genesis.md §4. The level is a room of 128 units with water on its
floor and a lift in it:

    data = room()                               # lit, with everything
    data = room(chunks={LIGHT_DATA: None})      # without a chunk
"""

import math
import struct
from collections.abc import Mapping, Sequence

from tests.formats.genesis_bytes import LIGHT, motion

Vector = tuple[float, float, float]

HEADER, MODELS, NODES, CLIP_NODES, LEAFS, CLUSTERS, AREAS, AREA_PORTALS, LEAF_SIDES, PORTALS = range(10)
PLANES, FACES, LEAF_FACES, VERTEX_INDICES, VERTICES, VERTEX_LIGHT, ENTITIES, TEXINFOS, TEXTURES = range(10, 19)
TEXTURE_DATA, LIGHT_DATA, VISIBILITY, SKY, PALETTES, MOTIONS = range(19, 25)
SIZES = {
    HEADER: 28, MODELS: 80, NODES: 44, CLIP_NODES: 12, LEAFS: 60, CLUSTERS: 4, AREAS: 8, AREA_PORTALS: 8,
    LEAF_SIDES: 8, PORTALS: 16, PLANES: 20, FACES: 36, LEAF_FACES: 4, VERTEX_INDICES: 4, VERTICES: 12, VERTEX_LIGHT: 12,
    ENTITIES: 1, TEXINFOS: 64, TEXTURES: 52, TEXTURE_DATA: 1, LIGHT_DATA: 1, VISIBILITY: 1, SKY: 44, PALETTES: 768,
    MOTIONS: 1,
}  # fmt: skip
ORDER = (
    HEADER, MODELS, NODES, PORTALS, CLIP_NODES, LEAFS, AREAS, AREA_PORTALS, CLUSTERS, PLANES, LEAF_FACES, LEAF_SIDES,
    VERTICES, VERTEX_INDICES, ENTITIES, TEXTURES, TEXINFOS, TEXTURE_DATA, VISIBILITY, SKY, PALETTES, MOTIONS,
    LIGHT_DATA, VERTEX_LIGHT, FACES,
)  # fmt: skip
"""As the compiler writes a level that is lit."""

INSIDE, OUTSIDE, SURFACE, LIFT = 64.0, 80.0, -32.0, 16.0
SOLID, WATER = 0x1, 0x1000C
ROCK, METAL, WATER_PICTURE, SKY_PICTURE = range(4)
NAMES = ("rock", "metal", "water", "sky")
SIDE = 16  # texels of each texture
GOURAUD, NO_LIGHTMAP, TRANSLUCENT, SKY_FLAGS = 0x20, 0x8000, 0x10, 0x8006
VERTEX_COLOR = (200.0, 100.0, 50.0)


def chunk(kind: int, data: bytes, size: int | None = None, count: int | None = None) -> bytes:
    size = SIZES[kind] if size is None else size
    return struct.pack("<3i", kind, size, len(data) // size if count is None else count) + data


def header(version: int = 15, magic: bytes = b"GBSP\0\0\0\0") -> bytes:
    return struct.pack("<8si8H", magic, version, 1999, 5, 2, 11, 7, 48, 53, 90)


def plane(axis: int, dist: float) -> bytes:
    return struct.pack("<4fi", *(float(axis == each) for each in range(3)), dist, axis)


def leaf(contents: int, cluster: int, faces: tuple[int, int] = (0, 0)) -> bytes:
    return struct.pack("<I6f8i", contents, *[0.0] * 6, *faces, -1, 0, cluster, 1, -1, 0)


def node(plane_number: int, front: int, back: int) -> bytes:
    return struct.pack("<5i6f", front, back, 0, 0, plane_number, *[0.0] * 6)


def texinfo(u: Vector, v: Vector, texture: int, *, flags: int = 0, alpha: float = 255.0, shift: float = 0.0) -> bytes:
    values = (*u, *v, shift, shift, 0.5, 0.5)
    return struct.pack("<10f", *values) + struct.pack("<i4fi", flags, 300, 1, alpha, 1, texture)


X_AXES, Y_AXES, Z_AXES = (
    ((0.0, 0.0, 0.5), (0.0, -0.5, 0.0)),
    ((0.5, 0.0, 0.0), (0.0, 0.0, 0.5)),
    ((0.5, 0.0, 0.0), (0.0, -0.5, 0.0)),
)
AXES = (X_AXES, Y_AXES, Z_AXES)
INFOS = [
    texinfo(*X_AXES, ROCK),
    texinfo(*X_AXES, METAL),
    texinfo(*Y_AXES, ROCK, shift=4),
    texinfo(*Y_AXES, SKY_PICTURE, flags=SKY_FLAGS),
    texinfo(*Z_AXES, ROCK, flags=GOURAUD | NO_LIGHTMAP),
    texinfo(*Z_AXES, ROCK),
    texinfo(*Y_AXES, WATER_PICTURE, flags=TRANSLUCENT, alpha=128),
    texinfo(*Y_AXES, METAL),
    texinfo(*Z_AXES, METAL),
]
INFO_AXES = (0, 0, 1, 1, 2, 2, 1, 1, 2)

Quad = tuple[int, float, int, int, int, tuple[float, float, float, float], tuple[int, ...]]
"""Axis, place on it, plane, side, texinfo, box of the two other coordinates, light types."""


def walls() -> list[Quad]:
    """The faces of the room."""
    i = INSIDE
    full = (-i, i, -i, i)
    return [
        (0, i, 0, 1, 0, (-i, i, -i, 0.0), (0,)),  # rock, and metal beside it in the same plane
        (0, i, 0, 1, 1, (-i, i, 0.0, i), (0,)),
        (0, -i, 1, 0, 0, full, (0,)),
        (1, i, 2, 1, 3, full, ()),  # sky
        (1, -i, 3, 0, 2, full, (0,)),
        (2, i, 4, 1, 4, full, ()),  # light at its corners
        (2, -i, 5, 0, 5, full, (0, 11)),  # light that flickers
        (1, SURFACE, 6, 0, 6, full, (0,)),  # water, from above and from below
        (1, SURFACE, 6, 1, 6, full, (0,)),
    ]


def lift() -> list[Quad]:
    s = LIFT
    full = (-s, s, -s, s)
    infos = (1, 7, 8)
    planes = ((0, s, 7), (0, -s, 8), (1, s, 9), (1, -s, 10), (2, s, 11), (2, -s, 12))
    return [(axis, at, number, int(at < 0), infos[axis], full, (0,)) for axis, at, number in planes]


def ring(quad: Quad) -> list[Vector]:
    """The corners of a face, clockwise as it is seen."""
    axis, at, _, side, _, (low1, high1, low2, high2), _ = quad
    one, other = (axis + 1) % 3, (axis + 2) % 3
    if axis == 1:  # the box is of x and z, and of y and z, in their order
        one, other = other, one
    corners = [(low1, low2), (high1, low2), (high1, high2), (low1, high2)]
    made: list[Vector] = []
    for first, second in corners:
        place = [at, at, at]
        place[one], place[other] = first, second
        made.append((place[0], place[1], place[2]))
    # Counter-clockwise about the axis, unless the axes were changed round.
    turns = axis != 1
    return made[::-1] if turns == (side == 0) else made


def grid(quad: Quad) -> tuple[int, int]:
    """How many luxels a face has across and down."""
    sizes = []
    for vector in AXES[INFO_AXES[quad[4]]]:
        along = [sum(a * b for a, b in zip(corner, vector, strict=True)) for corner in ring(quad)]
        sizes.append(math.ceil(max(along) / 16) - math.floor(min(along) / 16) + 1)
    return sizes[0], sizes[1]


def luxel(face: int, slot: int, number: int) -> bytes:
    """The colour of a luxel: another one for each of a face."""
    return bytes((40 + 8 * face, 10 + 5 * (number % 40), 60 + 40 * slot))


def text(value: str) -> bytes:
    raw = value.encode("latin-1")
    return struct.pack("<i", len(raw) + 1) + raw + b"\0"


def entities(every: Sequence[Sequence[tuple[str, str]]]) -> bytes:
    data = struct.pack("<i", len(every))
    for pairs in every:
        data += struct.pack("<i", len(pairs)) + b"".join(text(key) + text(value) for key, value in pairs)
    return data


def typedef(name: str, fields: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    pairs = [("classname", "%typedef%"), ("%typename%", name)]
    for key, kind in fields:
        pairs += [(key, kind), ("%defaultvalue%", "")]
    return pairs


def everyone() -> list[list[tuple[str, str]]]:
    """The entities: world, lift, light, and the class of the light."""
    return [
        [("TextureLib", ".\\none.txl"), ("SkyAxis", "1.000000 0.000000 0.000000"), ("SkyTop", "sky")],
        [("Model", "1"), ("classname", "%Model%"), ("%name%", "lift"), ("origin", "0.000000 0.000000 0.000000")],
        [("classname", "light"), ("%name%", "light1"), ("light", "150"), ("origin", "0 40 8")],
        typedef("light", LIGHT),
    ]


def motions(each: Mapping[int, bytes]) -> bytes:
    data = b"Genesis_Motion_File v1.0\r\nNumMotions %d\r\n" % len(each)
    return data + b"".join(b"ModelNum %d\r\n" % number + raw for number, raw in each.items())


def picture(seed: int) -> bytes:
    """A texture: its pixels and three mip maps. Water has holes in it."""
    parts = []
    for level in range(4):
        side = SIDE >> level
        rows = [[(x * 16 + y * 3 + 40 * seed) % 250 for x in range(side)] for y in range(side)]
        if seed == WATER_PICTURE and level == 0:
            rows[3][5] = 255
        parts += [bytes(row) for row in rows]
    return b"".join(parts)


def palette(seed: int) -> bytes:
    return b"".join(bytes((number, 255 - number, 60 * seed)) for number in range(256))


def parts(light: bool = True) -> dict[int, bytes]:
    """The chunks of the room."""
    i, o, s = INSIDE, OUTSIDE, LIFT
    planes = [(0, i), (0, -i), (1, i), (1, -i), (2, i), (2, -i), (1, SURFACE)]
    planes += [(0, s), (0, -s), (1, s), (1, -s), (2, s), (2, -s)]
    # Each of the first six has solid on one side, and what is left of the room on the other.
    nodes = []
    for number in range(6):
        solid, inner = -1 - number, number + 1
        nodes.append(node(number, *((solid, inner) if number % 2 == 0 else (inner, solid))))
    nodes.append(node(6, -7, -8))  # air over water
    for number in range(6):
        air, inner = -9 - number, 8 + number if number < 5 else -15
        nodes.append(node(7 + number, *((air, inner) if number % 2 == 0 else (inner, air))))
    leafs = [leaf(SOLID, -1)] * 6 + [leaf(0, 0, (0, 9)), leaf(WATER, 1)] + [leaf(0, -1)] * 6 + [leaf(SOLID, -1)]
    quads = walls() + lift()
    vertices: list[Vector] = []
    indices: list[int] = []
    faces, lights, colors = b"", b"", b""
    for number, quad in enumerate(quads):
        corners = ring(quad)
        offset = len(lights) if quad[6] and light else -1
        width, height = grid(quad)
        faces += struct.pack("<8i", len(indices), 4, quad[2], quad[3], quad[4], offset, width, height)
        faces += bytes((*(quad[6] if light else ()), 255, 255, 255, 255))[:4]
        if offset >= 0:
            lights += b"\1"
            lights += b"".join(luxel(number, slot, n) for slot in range(len(quad[6])) for n in range(width * height))
        for corner in corners:
            if corner not in vertices:
                vertices.append(corner)
            indices.append(vertices.index(corner))
            colors += struct.pack("<3f", *(VERTEX_COLOR if quad[4] == 4 else (0.0, 0.0, 0.0)))
    count = len(walls())
    bounds = struct.pack("<9f", -o, -o, -o, o, o, o, 0, 0, 0)
    models = struct.pack("<2i", 0, 0) + bounds + struct.pack("<8iI", 0, count, 0, 8, 0, 2, 0, 0, 0xCDCDCDCD)
    bounds = struct.pack("<9f", -s, -s, -s, s, s, s, 0, 0, 0)
    models += struct.pack("<2i", 7, 0) + bounds + struct.pack("<8iI", count, len(lift()), 8, 7, -1, 0, 0, 0, 0xCDCDCDCD)
    textures = b"".join(
        struct.pack("<32sI4i", name.encode(), number == SKY_PICTURE, SIDE, SIDE, number * len(picture(0)), number)
        for number, name in enumerate(NAMES)
    )
    made = {
        HEADER: header(),
        MODELS: models,
        NODES: b"".join(nodes),
        PORTALS: b"",
        CLIP_NODES: struct.pack("<3i", -1, -2, 0),
        LEAFS: b"".join(leafs),
        AREAS: bytes(16),
        AREA_PORTALS: b"",
        CLUSTERS: struct.pack("<2i", -1, -1),
        PLANES: b"".join(plane(axis, dist) for axis, dist in planes),
        LEAF_FACES: struct.pack(f"<{count}i", *range(count)),
        LEAF_SIDES: struct.pack("<2i", 0, 0),
        VERTICES: b"".join(struct.pack("<3f", *corner) for corner in vertices),
        VERTEX_INDICES: struct.pack(f"<{len(indices)}i", *indices),
        ENTITIES: entities(everyone()),
        TEXTURES: textures,
        TEXINFOS: b"".join(INFOS),
        TEXTURE_DATA: b"".join(picture(seed) for seed in range(len(NAMES))),
        VISIBILITY: b"\3",
        SKY: struct.pack("<4f6if", 1, 0, 0, 10, *[SKY_PICTURE] * 6, 1),
        PALETTES: b"".join(palette(seed) for seed in range(len(NAMES))),
        MOTIONS: motions({1: motion()}),
        LIGHT_DATA: lights,
        VERTEX_LIGHT: colors,
        FACES: faces,
    }
    return made if light else {kind: data for kind, data in made.items() if kind not in (LIGHT_DATA, VERTEX_LIGHT, SKY)}


def room(
    *, light: bool = True, chunks: Mapping[int, bytes | None] | None = None, extra: bytes = b"", trailing: bytes = b""
) -> bytes:
    """The level. chunks: other data for some, None to leave one out. extra: chunks before the end."""
    every = {**parts(light), **(chunks or {})}
    body = b"".join(chunk(kind, data) for kind in ORDER if (data := every.get(kind)) is not None)
    return body + extra + struct.pack("<3i", 0xFFFF, 0, 0) + trailing
