# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds `.lev` files byte by byte, with struct and nothing of ours: what the reader and the writer are tested with.

Everything can be made unusual: junk words, versions, gaps, node kinds; offsets are worked out here, on their own.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

END_MARK = 0xACBDEF12
NAN = 0x7FA00001  # a signalling NaN with a payload
DOOR = 3202

Entry = tuple[bytes, int]


def palette(entries: Sequence[Entry] = ()) -> bytes:
    slots = [struct.pack("<128sI", name, value) for name, value in entries]
    return b"".join(slots).ljust(256 * 132, b"\0")


def height_cell(
    height: float = 0.0,
    themes: Sequence[int] = (1, 0, 0),
    strengths: Sequence[int] = (255, 0),
    walkable: int = 1,
    camera: int = 1,
    old_sound: int = 0,
    shore: int = 0,
    path: int = 0,
    zero_9: int = 0,
    zero_18: int = 0,
    size: int = 21,
    version: int = 7,
) -> bytes:
    """`height`: an int is taken for the float's bits."""
    bits = height if isinstance(height, int) else struct.unpack("<I", struct.pack("<f", height))[0]
    tail = (*themes, *strengths, walkable, camera, old_sound, zero_18, shore, path)
    return struct.pack("<IBIB11B", size, version, bits, zero_9, *tail)


def game_cell(themes: Sequence[int] = (0, 0, 0), strengths: Sequence[int] = (255, 0), sound: int = 0) -> bytes:
    return struct.pack("<IB6B", 11, 1, *themes, *strengths, sound)


def brushes(count: int = 0, rest: bytes = b"", entries: Sequence[Entry] = ()) -> bytes:
    return struct.pack("<IBI", 33801, 1, count) + palette(entries) + rest


# ------------------------------------------------------------------------------------------------------------ nodes


def head(version: int, switchable: int, root: int, blocked: int) -> bytes:
    return bytes([root, blocked]) if version == 5 else bytes([switchable, root, blocked])


def blank(version: int = 8) -> bytes:
    return head(version, 0, 1, 1)


def internal(
    level: int, x: float, y: float, index: int, children: Sequence[int], layer: int = 0, version: int = 8
) -> bytes:
    start = head(version, 0, int(level == 0), 0)
    return start + struct.pack("<BBBffi4i", 0, level, layer, x, y, index, *children)


def leaf(
    level: int,
    x: float,
    y: float,
    index: int,
    neighbours: Sequence[int] = (),
    region: int = 1,
    preference: int = 128,
    layer: int = 0,
    keys: Sequence[int] | None = None,
    blocked: int = 0,
    version: int = 8,
) -> bytes:
    """`keys` make it switchable; an int as `x` is taken for the float's bits."""
    bits = x if isinstance(x, int) else struct.unpack("<I", struct.pack("<f", x))[0]
    data = head(version, int(keys is not None), int(level == 0), blocked)
    data += struct.pack("<BBBIfi", 1, level, layer, bits, y, index) + struct.pack("<i", region)
    data += struct.pack("<B", preference) if version >= 7 else b""
    data += struct.pack(f"<i{len(neighbours)}i", len(neighbours), *neighbours)
    return data if keys is None else data + struct.pack(f"<I{len(keys)}Q", len(keys), *keys)


def section(
    nodes: Sequence[bytes],
    width: float = 32,
    height: float = 32,
    version: int = 8,
    regions: int = 2,
    positions: Sequence[tuple[float, float, int]] = (),
    layers: int = 1,
    count: int | None = None,
    mark: int = END_MARK,
    tail: bytes = b"",
) -> bytes:
    """A section without its block end."""
    data = struct.pack("<IffII", version, width, height, regions, len(positions))
    data += b"".join(struct.pack("<ffi", *position) for position in positions)
    data += struct.pack("<Ii", layers, len(nodes) if count is None else count)
    return data + b"".join(nodes) + struct.pack("<I", mark) + tail


# ------------------------------------------------------------------------------------------------------------ levels


@dataclass
class Lev:
    width: int = 32
    height: int = 32
    map_header_version: int = 9
    map_version: int = 3
    plus_one: int = 1
    uid_counter: int = 77
    checksum: int = 0xF33B90B5
    unused: int = 0xD8000000
    legacy: int = 0xFF7C37A2
    ground: Sequence[Entry] = ((b"", 0), (b"INVALID_THEME_STANDIN", 9), (b"GROUND_GRASS", 1909))
    atmospheres: Sequence[Entry] = ()
    sounds: Sequence[bytes] = ()
    sound_count: int | None = None
    cell: Callable[[int, int], bytes] = lambda x, y: height_cell()
    game: Callable[[int, int], bytes] = lambda x, y: game_cell()
    brushes: bytes = field(default_factory=brushes)
    sections: Sequence[tuple[bytes, bytes]] | None = ()
    header_gap: bytes = b""
    map_gap: bytes = b""
    directory_gap: bytes = b""
    section_gap: bytes = b""
    trailing: bytes = b""

    def but(self, **changes: object) -> "Lev":
        return replace(self, **changes)  # type: ignore[arg-type]

    def map_header(self) -> bytes:
        size = {8: 67614, 9: 67618}[self.map_header_version]
        count = len(self.sounds) + 1 if self.sound_count is None else self.sound_count
        data = struct.pack(
            "<IBQIIB", size, self.map_header_version, self.uid_counter, self.width, self.height, self.plus_one
        )
        data += palette(self.ground) + struct.pack("<II", self.map_version, count) + palette(self.atmospheres)
        return data + (struct.pack("<I", self.checksum) if self.map_header_version == 9 else b"")

    def map(self) -> bytes:
        """Everything from the map header to the game map, whose rows run downwards."""
        data = self.map_header() + b"".join(struct.pack("<I", len(name)) + name for name in self.sounds)
        columns, rows = self.width + bool(self.plus_one), self.height + bool(self.plus_one)
        data += b"".join(self.cell(x, y) for y in range(rows) for x in range(columns))
        if self.map_version >= 2:
            data += b"".join(self.game(x, y) for y in range(self.height // 4) for x in range(self.width // 4))
        return data

    def build(self) -> bytes:
        map_offset = 25 + len(self.header_gap)
        data = self.header_gap + self.map() + self.map_gap
        brush_offset = 25 + len(data)
        data += self.brushes
        nav_offset = 25 + len(data)
        if self.sections is None:
            offsets = (map_offset, self.unused, brush_offset, self.legacy, 0)
        else:
            offsets = (map_offset, self.unused, brush_offset, self.legacy, nav_offset)
            data += self.navigation(nav_offset, self.sections)
        return struct.pack("<IB5I", 25, 4, *offsets) + data + self.trailing

    def navigation(self, start: int, sections: Sequence[tuple[bytes, bytes]]) -> bytes:
        end = start + 8 + sum(8 + len(name) for name, _ in sections) + len(self.directory_gap)
        entries, blocks, at = b"", b"", end
        for name, payload in sections:
            at += len(self.section_gap)
            entries += struct.pack("<I", len(name)) + name + struct.pack("<I", at)
            at += 4 + len(payload)
            blocks += self.section_gap + struct.pack("<I", at) + payload
        return struct.pack("<II", end, len(sections)) + entries + self.directory_gap + blocks


ONE_ROOT = section([leaf(0, 16.0, 16.0, 1)])

# 64 x 32: the left root is one leaf but for its lower left quarter, which is blocked; the right one is blocked.
HOLE = section(
    [
        internal(0, 16.0, 16.0, 4, (0, 1, 2, 3)),
        leaf(1, 24.0, 8.0, 1, (3,)),
        leaf(1, 8.0, 24.0, 2, (3,)),
        leaf(1, 24.0, 24.0, 3, (2, 1)),
        blank(),
    ],
    width=64,
    positions=[(20.5, 3.25, 0)],
)

# Two layers, linked at their quarters; on the upper one a door between the two quarters that there are.
DOORS = section(
    [
        internal(0, 16.0, 16.0, 5, (1, 2, 3, 4)),
        leaf(1, 8.0, 8.0, 1, (2, 3, 6)),
        leaf(1, 24.0, 8.0, 2, (1, 4), preference=0),
        leaf(1, 8.0, 24.0, 3, (4, 1)),
        leaf(1, 24.0, 24.0, 4, (3, 2)),
        internal(0, 16.0, 16.0, 9, (6, 7, 8, 0), layer=1),
        leaf(1, 8.0, 8.0, 6, (7, 8, 1), layer=1, preference=64),
        leaf(1, 24.0, 8.0, 7, (6,), layer=1, preference=64, keys=(DOOR, DOOR + 1)),
        leaf(1, 8.0, 24.0, 8, (6,), layer=1, preference=64, region=0, keys=(DOOR,), blocked=1),
    ],
    layers=2,
    positions=[(1.0, 2.0, 1), (3.0, -0.0, 0)],
)


def varied_cell(x: int, y: int) -> bytes:
    """Every field differs from cell to cell, strange values among them."""
    n = 37 * x + 11 * y
    strange = {(0, 0): NAN, (1, 0): -0.0, (2, 0): -3.5, (3, 0): 1, (4, 0): 0xFF800000}
    return height_cell(
        strange.get((x, y), n / 2048 / 64),
        (n % 3, (n + 1) % 3, n % 251),
        (n % 256, (n * 7) % 256),
        walkable=n % 5,
        camera=n % 4,
        old_sound=182,
        shore=n % 2,
        path=n % 3,
        zero_9=n % 7,
        zero_18=n % 6,
    )


def full_palette() -> list[Entry]:
    names = [b"", b"INVALID_THEME_STANDIN", b"JUNK\0behind", b"\xc4\xd6\xfc\xff", b"W" * 128, b"UNINITIALISED"]
    return [(name, 7 * slot) for slot, name in enumerate([*names, *(b"THEME_%d" % n for n in range(250))])]


WHOLE = Lev(
    width=64,
    sounds=(b"SOUND_THEME_SEA", b"", b"SOUND_\xe9"),
    ground=full_palette(),
    atmospheres=((b"", 0), (b"ENVIRONMENT_HAUNTED", 3)),
    cell=varied_cell,
    game=lambda x, y: game_cell((x % 3, y % 2, 1), (x * 5 % 256, y * 9), (x + y) % 4),
    sections=((b"NULL", HOLE), (b"Q_Quest", HOLE), (b"", section([blank(), blank()], width=64))),
)
WALKED = Lev(sections=((b"NULL", DOORS),))


def variants() -> dict[str, Lev]:
    """Levels that are unusual in one way each: whatever of it the reader takes, the writer gives back."""
    plain = Lev(sections=((b"NULL", ONE_ROOT),))
    return {
        "whole": WHOLE,
        "walked": WALKED,
        "map header 8": plain.but(map_header_version=8),
        "map version 0": plain.but(map_version=0),
        "map version 1": plain.but(map_version=1),
        "map version 2": plain.but(map_version=2, cell=lambda x, y: height_cell(old_sound=1)),
        "no last row": plain.but(plus_one=0),
        "plus one 2": plain.but(plus_one=2),
        "odd size": plain.but(width=13, height=7),
        "no cells": plain.but(width=0, height=5, plus_one=0),
        "empty palettes": plain.but(ground=()),
        "full palettes": plain.but(ground=full_palette(), atmospheres=full_palette()),
        "sound count 0": plain.but(sound_count=0),
        "128 sounds": plain.but(sounds=[b"S%d" % n for n in range(128)]),
        "gap before the map header": plain.but(header_gap=b"hole"),
        "gap behind the map": plain.but(map_gap=b"\x01\x02\x03"),
        "gap behind the directory": plain.but(directory_gap=b"\0" * 7),
        "gaps between sections": WHOLE.but(section_gap=b"gap"),
        "trailing bytes": plain.but(trailing=b"more"),
        "script brushes": plain.but(brushes=brushes(2, b"\x49" * 200, ((b"BRUSH", -1 & 0xFFFFFFFF),))),
        "short brush block": plain.but(brushes=b"abc"),
        "no sections": plain.but(sections=()),
        "no directory": plain.but(sections=None),
        "nav 5": plain.but(sections=((b"NULL", section([leaf(0, 16.0, 16.0, 1, version=5)], version=5)),)),
        "nav 5 blank": plain.but(sections=((b"NULL", section([blank(5)], version=5)),)),
        "nav 6": plain.but(sections=((b"NULL", section([leaf(0, 16.0, 16.0, 1, version=6)], version=6)),)),
        "nav 7": plain.but(sections=((b"NULL", section([leaf(0, 16.0, 16.0, 1)], version=7)),)),
        "no layers": plain.but(sections=((b"NULL", section([], layers=0)),)),
        "five layers": plain.but(sections=((b"NULL", section([blank() for _ in range(5)], layers=5)),)),
        "level 7": plain.but(sections=((b"NULL", section([leaf(7, 0.125, 0.125, 1)])),)),
        "no keys": plain.but(sections=((b"NULL", section([leaf(0, 16.0, 16.0, 1, keys=())])),)),
        "wild indices": plain.but(
            sections=((b"NULL", section([internal(0, 16.0, 16.0, -5, (9, 9, -1, 0)), leaf(1, 8.0, 8.0, 9, (77, 9))])),)
        ),
        "NaN centre": plain.but(sections=((b"NULL", section([leaf(0, NAN, 16.0, 1)], width=float("nan"))),)),
        "bytes behind the end mark": plain.but(sections=((b"NULL", section([blank()], tail=b"x" * 5)),)),
    }
