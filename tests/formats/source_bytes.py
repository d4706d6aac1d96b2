# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps of the Source engine built byte by byte, without the library, as source.md §2 says.

The map is a room: a cube of six faces that one looks at from inside, a leaf in it, a solid leaf around it, a brush
model, three entities, two props, a pak with two files.
"""

import lzma
import struct
import zlib
from dataclasses import dataclass, field, replace

ENTITIES, PLANES, TEXDATA, VERTEXES, VISIBILITY, NODES, TEXINFO, FACES, LIGHTING, OCCLUSION, LEAFS = range(11)
EDGES, SURFEDGES, MODELS = 12, 13, 14
LEAFFACES, LEAFBRUSHES, BRUSHES, BRUSHSIDES, AREAS, AREAPORTALS = range(16, 22)
PHYSCOLLIDE, VERTNORMALS, VERTNORMALINDICES, GAME_LUMP, PAKFILE = 29, 30, 31, 35, 40
STRING_DATA, STRING_TABLE, FACES_HDR, MAP_FLAGS = 43, 44, 58, 59

# The order in which compilers of 2013 write lumps (source.md §2.10).
ORDER = (
    1, 10, 56, 52, 51, 55, 3, 5, 6, 2, 26, 33, 48, 34, 47, 37, 38, 39, 7, 58, 11, 27, 18, 19, 16, 17, 13, 12, 14, 20,
    21, 8, 53, 4, 0, 15, 54, 36, 9, 59, 41, 42, 43, 44, 45, 50, 60, 29, 28, 30, 31, 46, 35, 40,
)  # fmt: skip

TEXT = b"""{
"world_maxs" "64 64 64"
"classname" "worldspawn"
}
{
"classname" "func_button"
"model" "*1"
"OnPressed" "lamp,TurnOn,,0,-1"
"OnPressed" "lamp,AddOutput,color 1,5,0.5,1"
"OnIn" "lamp\x1bKill\x1b\x1b1.5\x1b-1"
}
{
"origin" "8 16 -24.5"
"angles" "0 90 0"
"targetname" "lamp"
"classname" "light"
}
\0"""

KEYS = b'solid {\n"index" "0"\n}\n\0'


def lzma_lump(data: bytes) -> bytes:
    """A compressed lump: LZMA, plain size, packed size, five bytes of properties."""
    alone = lzma.compress(data, lzma.FORMAT_ALONE)
    return b"LZMA" + struct.pack("<II", len(data), len(alone) - 13) + alone[:5] + alone[13:]


def zip_file(files: dict[str, bytes], comment: bytes = b"XZP1 0".ljust(32, b"\0"), packed: bool = False) -> bytes:
    """A pak as vbsp writes it: no dates, nothing but names and bytes."""
    local, central = b"", b""
    for name, data in files.items():
        stored, method = data, 0
        if packed:
            alone = lzma.compress(data, lzma.FORMAT_ALONE)
            stored, method = b"\x09\x14\x05\0" + alone[:5] + alone[13:], 14
        common = struct.pack("<HHHHHIIIHH", 10, 0, method, 0, 0, zlib.crc32(data), len(stored), len(data), len(name), 0)
        central += b"PK\1\2\x14\0" + common + struct.pack("<HHHII", 0, 0, 0, 0, len(local)) + name.encode()
        local += b"PK\3\4" + common + name.encode() + stored
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(central), len(local), len(comment))
    return local + central + b"PK\5\6" + end + comment


def game_lump(
    place: int,
    lumps: list[tuple[bytes, int, bytes]],
    form: str = "<IHHII",
    packed: bool = False,
    dummy: bool = False,
    leading: tuple[int, ...] = (),
) -> bytes:
    """A game lump at `place` (0 on consoles): ids as the sources write them, versions, bytes."""
    count = len(lumps) + dummy
    at = 4 + struct.calcsize(form) * count
    directory, data = b"", b""
    for name, version, plain in lumps:
        stored = lzma_lump(plain) if packed else plain
        data += bytes(-(at + len(data)) % 4) if packed else b""
        entry = (int.from_bytes(name, "big"), int(packed), version, place + at + len(data), len(plain))
        directory += struct.pack(form, *leading, *entry)
        data += stored
    if dummy:
        directory += bytes(struct.calcsize(form))
    return struct.pack(form[0] + "I", count) + directory + data


def static_props(order: str = "<") -> bytes:
    """Two props of version 6, 64 bytes each, of one model."""
    prop = struct.pack(order + "6f3HBBi2f3ff2H", 1, 2, 3, 0, 90, 0, 0, 0, 1, 6, 0, 0, 0, 0, 1, 2, 3, 1, 0, 0)
    names = b"models/lamp.mdl".ljust(128, b"\0")
    return b"".join(
        (struct.pack(order + "i", 1), names, struct.pack(order + "iH", 1, 1), struct.pack(order + "i", 2), prop, prop)
    )


def room(order: str = "<") -> dict[int, bytes]:
    """The lumps of the room but the game lump, whose bytes depend on where it lies."""

    def pack(form: str, *values: float) -> bytes:
        return struct.pack(order + form, *values)

    corners = [(x, y, z) for z in (-64, 64) for y in (-64, 64) for x in (-64, 64)]
    sides = ((0, 2, 6, 4), (1, 5, 7, 3), (0, 4, 5, 1), (2, 3, 7, 6), (0, 1, 3, 2), (4, 6, 7, 5))
    edges = [(0, 0)] + [(quad[k], quad[(k + 1) % 4]) for quad in sides for k in range(4)]
    faces = b"".join(
        pack("HBBihhhh4B", n, n & 1, 1, 4 * n, 4, 0, -1, -1, 0, 255, 255, 255)
        + pack("if5i2HI", 4 + 20 * n, 16384, 0, 0, 1, 1, 0, 0, 0, 1)
        for n in range(6)
    )
    normals = [[side if each == axis else 0 for each in range(3)] for axis in range(3) for side in (1, -1)]
    bounds = (-64, -64, -64, 64, 64, 64)
    collision = b"".join((pack("5i", 0, 36, 23, 1, 32), b"VPHY", bytes(range(28)), KEYS, pack("4i", -1, -1, 0, 0)))
    leaf = pack("ihH6h4Hhxx", 0, 0, 1, -64, -64, -64, 64, 64, 64, 0, 6, 0, 1, -1)
    solid = pack("ihH6h4Hhxx", 1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1)
    return {
        ENTITIES: TEXT,
        PLANES: b"".join(pack("4fi", *normal, 64, n // 2) for n, normal in enumerate(normals)),
        TEXDATA: pack("3f5i", 0.5, 0.5, 0.5, 0, 64, 64, 64, 64),
        VERTEXES: b"".join(pack("3f", *corner) for corner in corners),
        VISIBILITY: pack("i2i", 1, 12, 13) + b"\1\1",
        NODES: pack("3i6h2Hhxx", 0, -1, -2, -64, -64, -64, 64, 64, 64, 0, 6, 1),
        TEXINFO: pack("16fIi", 1, 0, 0, 0, 0, 1, 0, 0, 1 / 64, 0, 0, 0, 0, 1 / 64, 0, 0, 0, 0),
        FACES: faces,
        LIGHTING: bytes(range(120)),
        OCCLUSION: bytes(12),
        LEAFS: solid + leaf,
        EDGES: b"".join(pack("2H", *edge) for edge in edges),
        SURFEDGES: b"".join(pack("i", n + 1) for n in range(24)),
        MODELS: b"".join(pack("9f3i", *bounds, 0, 0, 0, 0, *range_) for range_ in ((0, 5), (5, 1))),
        LEAFFACES: b"".join(pack("H", n) for n in range(6)),
        LEAFBRUSHES: pack("H", 0),
        BRUSHES: pack("3i", 0, 6, 1),
        BRUSHSIDES: b"".join(pack("Hhhh", n, 0, 0, 0) for n in range(6)),
        AREAS: pack("4i", 0, 0, 0, 0),
        AREAPORTALS: pack("4Hi", 0, 0, 0, 0, 0),
        PHYSCOLLIDE: collision,
        VERTNORMALS: pack("3f", 0, 0, 1),
        VERTNORMALINDICES: bytes(48),
        PAKFILE: zip_file({"materials/Maps/room/a.vmt": b"LightmappedGeneric {}", "scripts\\b.txt": b"hello " * 40}),
        STRING_DATA: b"DEV/DEV_MEASUREGENERIC01\0",
        STRING_TABLE: pack("i", 0),
        MAP_FLAGS: pack("i", 3),
    }  # fmt: skip


VERSIONS = {FACES: 1, LIGHTING: 1, OCCLUSION: 2, LEAFS: 1, FACES_HDR: 1}


@dataclass(frozen=True)
class Bsp:
    """A map: `build` gives its bytes. `gaps`: bytes before lumps; `packed`: lumps that are compressed."""

    lumps: dict[int, bytes] = field(default_factory=room)
    version: int = 20
    minor: int = 0
    revision: int = 7
    big: bool = False
    version_first: bool = False
    extra_int: bool = False
    many: bool = False
    order: tuple[int, ...] = ORDER
    align: int = 4
    pak_align: int = 4
    packed: frozenset[int] = frozenset()
    gaps: dict[int, bytes] = field(default_factory=dict)
    tail: bytes = b""
    game_form: str = "IHHII"
    game_packed: bool = False
    game_leading: tuple[int, ...] = ()
    versions: dict[int, int] = field(default_factory=lambda: VERSIONS)
    empty_offsets: int = 0  # of lumps without bytes

    def but(self, **changes) -> "Bsp":
        """The same with changes."""
        return replace(self, **changes)

    def build(self) -> bytes:
        """Its bytes."""
        order = ">" if self.big else "<"
        count = 128 if self.many else 64
        directory = 12 if self.extra_int else 8
        size = directory + 16 * count + 4
        entries = {lump: (self.empty_offsets, 0, self.versions.get(lump, 0), 0) for lump in range(count)}
        body = b""
        for lump in self.order:
            if lump != GAME_LUMP and not self.lumps.get(lump):
                continue
            gap = self.gaps.get(lump, b"")
            at = size + len(body) + len(gap)
            body += gap + bytes(-at % (self.pak_align if lump == PAKFILE else self.align))
            at = size + len(body)
            plain = self.game_lump(at) if lump == GAME_LUMP else self.lumps[lump]
            stored = lzma_lump(plain) if lump in self.packed else plain
            entries[lump] = (at, len(stored), self.versions.get(lump, 0), len(plain) * (lump in self.packed))
            body += stored
        header = (b"PSBV" if self.big else b"VBSP") + struct.pack(order + "I", self.minor << 16 | self.version)
        header += bytes(4) * self.extra_int
        for lump in range(count):
            at, length, version, plain_size = entries[lump]
            first = (version, at, length) if self.version_first else (at, length, version)
            header += struct.pack(order + "4I", *first, plain_size)
        return header + struct.pack(order + "I", self.revision) + body + self.tail

    def game_lump(self, at: int) -> bytes:
        """The game lump at byte `at` of the file."""
        order = ">" if self.big else "<"
        lumps = [(b"sprp", 6, static_props(order)), (b"dprp", 4, bytes(12)), (b"plan", 2, b"what nobody knows")]
        place = 0 if self.big else at
        return game_lump(place, lumps, order + self.game_form, self.game_packed, self.game_packed, self.game_leading)


def encrypted(data: bytes, key: bytes = bytes(range(100, 132))) -> bytes:
    """A map of Tactical Intervention: every byte XORed with one of 32, in step with the file."""
    return bytes(byte ^ key[number % 32] for number, byte in enumerate(data))


ROOM = Bsp()
PACKED = Bsp(packed=frozenset({ENTITIES, PLANES, FACES, LIGHTING, VISIBILITY}), game_packed=True, pak_align=2048)
VARIANTS: dict[str, bytes] = {
    "room": ROOM.build(),
    "v17": ROOM.but(version=17, lumps={k: v for k, v in room().items() if k != FACES}, versions={}).build(),
    "Left 4 Dead 2": ROOM.but(version=21, version_first=True).build(),
    "CS:GO": ROOM.but(version=21).build(),
    "128 lumps": ROOM.but(version=42, many=True).build(),
    "Contagion": ROOM.but(version=27, extra_int=True, version_first=True).build(),
    "Dark Messiah": ROOM.but(minor=4, game_form="IIHHII", game_leading=(0,)).build(),
    "Vindictus": ROOM.but(game_form="IIIII").build(),
    "console": PACKED.but(big=True, lumps=room(">")).build(),
    "compressed": PACKED.build(),
    "Tactical Intervention": encrypted(ROOM.but(version=22).build()),
    "unaligned": ROOM.but(align=1).build(),
    "moved entities": ROOM.but(order=(*(n for n in ORDER if n), 0), gaps={0: b"hole" * 50}, tail=b"tail").build(),
    "odd padding": ROOM.but(
        gaps={PLANES: b"\1\2\3\4", FACES: b"\xff" * 5, PAKFILE: b"\7" * 3}, empty_offsets=1036
    ).build(),
}
