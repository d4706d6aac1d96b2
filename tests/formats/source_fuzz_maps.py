# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps to be damaged: those of source_bytes, and one more that has something in every lump that means something."""

import struct

from tests.formats import source_bytes as build
from tests.formats import source_content_bytes as content_bytes

DISPINFO, DISP_VERTS, DISP_SAMPLES, OVERLAYS, DISP_TRIS, PHYSDISP = 26, 33, 34, 45, 48, 28
PRIMITIVES, PRIMINDICES, CUBEMAPS, WORLDLIGHTS, LEAFWATER, FACES_HDR, LIGHTING_HDR = 37, 39, 42, 15, 36, 58, 53
AMBIENT_INDEX_HDR, AMBIENT_INDEX, AMBIENT_HDR, AMBIENT = 51, 52, 55, 56
SIDE = 5  # vertices of a displacement of power 2


def _pack(form: str, *values: float | bytes) -> bytes:
    return struct.pack("<" + form, *values)


def _faces(faces: bytes) -> bytes:
    """The room's faces: the first has a displacement, the second primitives, the third bump-mapped light."""
    changed = bytearray(faces)
    struct.pack_into("<h", changed, 12, 0)
    struct.pack_into("<HH", changed, 56 + 48, 1, 0)
    return bytes(changed)


def _occlusion() -> bytes:
    occluder = _pack("3i6fi", 0, 0, 1, 0, 0, 0, 8, 8, 8, 0)
    return _pack("i", 1) + occluder + _pack("i3i", 1, 0, 3, 0) + _pack("i3i", 3, 0, 1, 2)


def _collision() -> bytes:
    """A solid of one tetrahedron, an inch along each axis: surface, ledge, triangles, points, the tree's only node."""
    surface = _pack("7fB3s3i", 0, 0, 0, 1, 1, 1, 1, 9, b"\xdc\0\0", 192, 0, 0) + b"IVPS"
    ledge = _pack("2iB3s2h", 80, 0, 4, b"\x09\0\0", 4, 0)
    sides = ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2))
    triangles = b"".join(_pack("4I", number, *side) for number, side in enumerate(sides))
    inch = 0.0254
    points = b"".join(_pack("4f", *point, 0) for point in ((0, 0, 0), (inch, 0, 0), (0, -inch, 0), (0, 0, inch)))
    node = _pack("2i4f4B", 0, -144, 0, 0, 0, 1, 250, 250, 250, 0)
    solid = surface + ledge + triangles + points + node
    solid = b"VPHY" + _pack("2hi3fi", 0x100, 0, len(solid), 1, 1, 1, 0) + solid
    head = _pack("5i", 0, 4 + len(solid), len(build.KEYS), 1, len(solid))
    return head + solid + build.KEYS + _pack("4i", -1, -1, 0, 0)


def lumps() -> dict[int, bytes]:
    """The room's lumps, and the others."""
    room = build.room()
    info = _pack("3f4ifi2H2i", -64, -64, -64, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0)
    info += b"\xff" * 88 + b"\xff" * 40
    texture = content_bytes.vtf(bytes(8), form=13)
    return room | {
        build.FACES: _faces(room[build.FACES]),
        build.NODES: room[build.NODES] + _pack("3i6h2Hhxx", 0, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1),
        build.MODELS: room[build.MODELS][:-12] + _pack("3i", 1, 5, 1),  # with a tree of its own
        FACES_HDR: _faces(room[build.FACES]),
        LIGHTING_HDR: room[build.LIGHTING],
        build.OCCLUSION: _occlusion(),
        DISPINFO: info,
        DISP_VERTS: b"".join(_pack("5f", 0, 0, 1, number, 255) for number in range(SIDE * SIDE)),
        DISP_TRIS: bytes(2 * 2 * (SIDE - 1) ** 2),
        DISP_SAMPLES: b"\xff\x01\x02\x03\x04" + b"\x07\x01\x02\x03" * 3,
        PHYSDISP: _pack("2H", 1, 8) + bytes(8),
        OVERLAYS: _pack("ihH", 1, 0, 1) + _pack("64i", 2, *[0] * 63) + _pack("4f", 0, 1, 0, 1)
        + _pack("12f", -8, -8, 1, -8, 8, 0, 8, 8, 0, 8, -8, 0) + _pack("6f", 0, 0, 64, 0, 0, -1),
        WORLDLIGHTS: _pack("9f3i7f3i", 0, 0, 8, 1, 1, 1, 0, 0, -1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0),
        build.PHYSCOLLIDE: _collision(),
        PRIMITIVES: _pack("BB4H", 0, 0, 0, 6, 0, 0),
        PRIMINDICES: _pack("6H", 0, 1, 2, 0, 2, 3),
        CUBEMAPS: _pack("3iBxxx", 1, 2, 3, 6),
        LEAFWATER: _pack("2fhxx", 8, 0, 0),
        AMBIENT_INDEX: _pack("4H", 0, 0, 1, 0),
        AMBIENT: bytes(range(28)),
        AMBIENT_INDEX_HDR: _pack("4H", 0, 0, 1, 0),
        AMBIENT_HDR: bytes(range(28)),
        build.PAKFILE: build.zip_file(
            {
                "materials/maps/room/c1_2_3.vtf": texture,
                "materials/maps/room/a.vmt": b'"patch" { "include" "materials/b.vmt" "replace" { "$envmap" "c" } }',
                "materials/b.vmt": b'LightmappedGeneric { $basetexture maps/room/c1_2_3 $color "[1 .5 0]" }',
                "sp_0.vhv": bytes(40),
            }
        ),
    }  # fmt: skip


class Everything(build.Bsp):
    """With sprites and grass in its game lump."""

    def game_lump(self, at: int) -> bytes:
        sprite = _pack("8f", *range(8))
        grass = _pack("6f2H4BI5B3xB3xf", 1, 2, 3, 0, 0, 0, 0, 1, 9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 1.0)
        detail = _pack("i", 0) + _pack("i", 1) + sprite + _pack("i", 1) + grass
        lit = _pack("i", 1) + bytes(5)
        parts = [(b"sprp", 6, build.static_props()), (b"dprp", 4, detail), (b"dplt", 0, lit), (b"dplh", 0, lit)]
        return build.game_lump(at, parts)


VERSIONS = build.VERSIONS | {AMBIENT: 1, AMBIENT_HDR: 1, LIGHTING_HDR: 1}
EVERYTHING = Everything(lumps=lumps(), versions=VERSIONS).build()
LEVELS = (*build.VARIANTS.values(), *[EVERYTHING] * 6)
