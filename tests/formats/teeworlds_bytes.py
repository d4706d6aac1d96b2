# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds Teeworlds maps byte by byte, from struct and zlib alone: what the library is tested against.

Imports nothing of the library, on purpose. Facts: teeworlds.md §2 and §3.

    m = Map()                                   # container version 4, compressed at level 6
    m.version()
    m.group("Game")                             # layers go to the last group
    m.tiles(4, 3, bytes(4 * 12), flags=GAME)
    data = m.build()
"""

import struct
import zlib
from collections.abc import Iterable, Sequence

VERSION, INFO, IMAGE, ENVELOPE, GROUP, LAYER, POINTS, SOUND, INDEX = 0, 1, 2, 3, 4, 5, 6, 7, 0xFFFF
TILES, GAME, TELE, SPEEDUP, FRONT, SWITCH, TUNE = 0, 1, 2, 4, 8, 16, 32
AUTOMAPPER = bytes.fromhex("3e1b2716178c39789bd9b11ae0410dd8")
BEZIER = bytes.fromhex("3ab4f84dd9cc3c78b5850d6ccdb2e25c")
GROUP_EX = bytes.fromhex("4a26ca1f64bd30e3907a707eacd1f080")
PHYSICS_SIZE = {TELE: 2, SPEEDUP: 6, FRONT: 4, SWITCH: 4, TUNE: 2}


def words(*values: int) -> bytes:
    """Little-endian int32."""
    return struct.pack(f"<{len(values)}i", *values)


def name(text: str | bytes, count: int = 3) -> tuple[int, ...]:
    """An I32String: every byte + 128, big-endian words, the last raw byte 0."""
    plain = text if isinstance(text, bytes) else text.encode()
    raw = bytearray((byte + 128) % 256 for byte in plain.ljust(4 * count, b"\0"))
    raw[-1] = 0
    return struct.unpack(f">{count}i", raw)


def tile(index: int, flags: int = 0, skip: int = 0, reserved: int = 0) -> bytes:
    return struct.pack("<4B", index, flags, skip, reserved)


def quad(
    corners: Sequence[tuple[int, int]] = ((-512, -512), (512, -512), (-512, 512), (512, 512)),
    pivot: tuple[int, int] = (0, 0),
    colors: Sequence[tuple[int, int, int, int]] = ((255, 255, 255, 255),) * 4,
    texcoords: Sequence[tuple[int, int]] = ((0, 0), (1024, 0), (0, 1024), (1024, 1024)),
    envelopes: tuple[int, int, int, int] = (-1, 0, -1, 0),
) -> bytes:
    """152 bytes: corners TL, TR, BL, BR, the pivot, colours, texture coordinates; envelopes and their offsets."""
    values = [value for point in (*corners, pivot) for value in point]
    values += [value for color in colors for value in color]
    values += [value for point in texcoords for value in point]
    return words(*values, *envelopes)


def source(
    x: int, y: int, shape: int = 1, width: int = 1500, height: int = 0, *, loop: int = 1, pan: int = 1, delay: int = 0,
    falloff: int = 80, envelopes: tuple[int, int, int, int] = (-1, 0, -1, 0),
) -> bytes:  # fmt: skip
    """52 bytes of a sound source."""
    return words(x, y, loop, pan, delay, falloff, *envelopes, shape, width, height)


def old_source(x: int, y: int, radius: int, envelopes: tuple[int, int, int, int] = (-1, 0, -1, 0)) -> bytes:
    """36 bytes of a source of a deprecated sound layer."""
    return words(x, y, 1, 0, radius, *envelopes)


def point(time: int, curve: int, *values: int) -> tuple[int, ...]:
    return (time, curve, *values, *(0,) * (4 - len(values)))


class Map:
    """A map in the making. Methods return the number of what they add."""

    def __init__(self, container: int = 4, magic: bytes = b"DATA", *, crude: bool = False, level: int = 6) -> None:
        self.container = container
        self.magic = magic
        self.crude = crude
        self.level = level
        self.blobs: list[tuple[bytes, int]] = []  # stored, size as claimed
        self.items: list[tuple[int, int, bytes]] = []  # type, id, words
        self.order: list[int] | None = None  # of item types; ascending if None
        self.point_words: list[int] | None = None
        self.groups: list[list[int]] = []
        self.layers = 0

    # -------------------------------------------------------------------------------------------------------- container

    def blob(self, data: bytes, *, size: int | None = None, stored: bytes | None = None) -> int:
        """Add a blob; `stored` and `size` override what is written of it."""
        if stored is None:
            stored = zlib.compress(data, self.level) if self.container >= 4 else data
        self.blobs.append((stored, len(data) if size is None else size))
        return len(self.blobs) - 1

    def text(self, text: str | bytes | None) -> int:
        """A blob with a NUL-terminated string; -1 for None. Bytes are taken as they are."""
        if text is None:
            return -1
        return self.blob(text if isinstance(text, bytes) else text.encode() + b"\0")

    def item(self, kind: int, values: Iterable[int] | bytes, ident: int | None = None) -> int:
        """Add any item."""
        number = sum(1 for other, _, _ in self.items if other == kind)
        raw = values if isinstance(values, bytes) else words(*values)
        self.items.append((kind, number if ident is None else ident, raw))
        return number

    def uuid_type(self, uuid: bytes, number: int | None = None) -> int:
        """The type number of a UUID: registered on first use, from 0xFFFE down, as DDNet does."""
        raw = words(*struct.unpack(">4i", uuid))
        if number is None:
            taken = {ident: value for kind, ident, value in self.items if kind == INDEX}
            for ident, value in taken.items():
                if value == raw:
                    return ident
            number = 0xFFFE - len(taken)
        self.item(INDEX, raw, number)
        return number

    def uuid_item(self, uuid: bytes, values: Iterable[int], ident: int | None = None) -> int:
        """Add an item of a type that has a UUID."""
        return self.item(self.uuid_type(uuid), values, ident)

    def build(self) -> bytes:
        """The file."""
        items = list(self.items)
        for number, group in enumerate(self.groups):
            start = self.layers if not group else group[0]
            kind, ident, raw = items[group_at := self._group_item(number)]
            items[group_at] = (kind, ident, raw[:20] + words(start, len(group)) + raw[28:])
        if self.point_words is not None:
            items.append((POINTS, 0, words(*self.point_words)))
        kinds = sorted({kind for kind, _, _ in items}) if self.order is None else self.order
        ordered = [item for kind in kinds for item in items if item[0] == kind]
        types, start = b"", 0
        for kind in kinds:
            count = sum(1 for item in items if item[0] == kind)
            types += words(kind, start, count)
            start += count
        block, item_offsets = b"", []
        for kind, ident, raw in ordered:
            item_offsets.append(len(block))
            block += struct.pack("<Ii", kind << 16 | ident, len(raw)) + raw
        blob_offsets, data = [], b""
        for stored, _ in self.blobs:
            blob_offsets.append(len(data))
            data += stored
        sizes = words(*(size for _, size in self.blobs)) if self.container >= 4 else b""
        tables = types + words(*item_offsets) + words(*blob_offsets) + sizes
        swaplen = 36 + len(tables) + len(block) - 16
        missing = len(sizes) if self.crude else 0
        header = self.magic + words(
            self.container, swaplen + len(data) - missing, swaplen - missing,
            len(kinds), len(ordered), len(self.blobs), len(block), len(data),
        )  # fmt: skip
        return header + tables + block + data

    def _group_item(self, number: int) -> int:
        return [place for place, item in enumerate(self.items) if item[0] == GROUP][number]

    # ------------------------------------------------------------------------------------------------------------ items

    def version(self, value: int = 1) -> int:
        return self.item(VERSION, (value,))

    def info(
        self, author: str | bytes | None = None, version: str | bytes | None = None,
        credits_: str | bytes | None = None, license_: str | bytes | None = None,
        settings: Sequence[str] | bytes | None = None, length: int = 6,
    ) -> int:  # fmt: skip
        if settings is not None and not isinstance(settings, bytes):
            settings = b"".join(line.encode() + b"\0" for line in settings)
        texts = [self.text(text) for text in (author, version, credits_, license_, settings)]
        return self.item(INFO, (1, *texts)[:length])

    def image(
        self, title: str, width: int, height: int, pixels: bytes | None = None, *, variant: int | None = None,
        extra: Sequence[int] = (),
    ) -> int:  # fmt: skip
        """An image, external without pixels. With a `variant` it has version 2; `extra` words may follow."""
        at = self.text(title)
        data = -1 if pixels is None else self.blob(pixels)
        tail = () if variant is None else (variant,)
        version = 1 if variant is None else 2
        return self.item(IMAGE, (version, width, height, int(pixels is None), at, data, *tail, *extra))

    def sound(self, title: str, data: bytes | None = None) -> int:
        at = self.text(title)
        return self.item(SOUND, (1, int(data is None), at, -1 if data is None else self.blob(data), len(data or b"")))

    def envelope(
        self, channels: int, points: Sequence[Sequence[int]], title: str = "", *, version: int = 2, length: int = 13,
        synchronized: int = 1,
    ) -> int:  # fmt: skip
        """An envelope, its points added to the table; a point is 6 words, or 22 in a map with version 3."""
        table = self.point_words = self.point_words or []
        size = len(points[0]) if points else 6
        values = (version, channels, len(table) // size, len(points), *name(title, 8), synchronized)
        if length == 5:
            values = (*values[:4], -1)
        for values_of_point in points:
            table += values_of_point
        return self.item(ENVELOPE, values[:length])

    def tangents(self, tangents: Sequence[Sequence[int]]) -> int:
        """DDNet's item of bezier tangents: 16 words a point."""
        return self.uuid_item(BEZIER, [value for row in tangents for value in row])

    def group(
        self, title: str | bytes = "", *, offset: tuple[int, int] = (0, 0), parallax: tuple[int, int] = (100, 100),
        clip: tuple[int, int, int, int] | None = None, length: int = 15, version: int | None = None,
    ) -> int:  # fmt: skip
        """A group; its range of layers is filled in by `build`."""
        number = {7: 1, 12: 2}.get(length, 3) if version is None else version
        values = (number, *offset, *parallax, 0, 0, int(clip is not None), *(clip or (0, 0, 0, 0)), *name(title))
        self.groups.append([])
        return self.item(GROUP, values[:length])

    def layer(self, values: Iterable[int]) -> int:
        """Any layer item, in the last group."""
        if self.groups:
            self.groups[-1].append(self.layers)
        self.layers += 1
        return self.item(LAYER, values)

    def tiles(
        self, width: int, height: int, data: bytes, *, flags: int = TILES, title: str = "", version: int = 3,
        color: tuple[int, int, int, int] = (255, 255, 255, 255), color_envelope: int = -1, offset: int = 0,
        image: int = -1, detail: int = 0, length: int | None = None, stray: int = -1, garbage: int = 0,
        dummy: bytes | None = None,
    ) -> int:  # fmt: skip
        """A tile layer. For a physics layer `data` is its own blob; its dummy of plain tiles comes before it.

        `length`: of the item; by default 15 for version 2 (physics: as long as needed), 23 for 3, 18 for 4.
        `stray`: what stands in the words of other kinds. `garbage`: the layer's unused first word.
        """
        physics = [stray] * 5
        if flags in PHYSICS_SIZE:
            at = self.blob(bytes(4 * width * height) if dummy is None else dummy)
            number = list(PHYSICS_SIZE).index(flags)
            physics[number] = self.blob(data)
            shortest = 15 + 3 * (version >= 3) + number + 1
        else:
            at = self.blob(data)
            shortest = 15 + 3 * (version >= 3)
        values = (
            garbage, 2, detail, version, width, height, flags, *color, color_envelope, offset, image, at,
            *(name(title) if version >= 3 else ()), *physics,
        )  # fmt: skip
        if length is None:
            length = 23 if version == 3 else shortest
        return self.layer(values[:length])

    def quads(
        self, quads: Sequence[bytes], image: int = -1, title: str = "", *, version: int = 2, detail: int = 0
    ) -> int:
        """A layer of quads; an empty one has DDNet's dummy."""
        at = self.blob(b"".join(quads) or bytes(152))
        values = (0, 3, detail, version, len(quads), at, image, *name(title))
        return self.layer(values[: 7 if version == 1 else 10])

    def sounds(
        self, sources: Sequence[bytes], sound: int = -1, title: str = "", *, kind: int = 10, detail: int = 0
    ) -> int:
        """A layer of sound sources; kind 9 = deprecated (`old_source`)."""
        at = self.blob(b"".join(sources) or bytes(52))
        return self.layer((0, kind, detail, 2, len(sources), at, sound, *name(title)))

    def automapper(
        self, group: int, layer: int, config: int = 0, seed: int = 0, flags: int = 0, version: int = 1
    ) -> int:
        return self.uuid_item(AUTOMAPPER, (version, group, layer, config, seed, flags))

    def group_ex(self, parallax_zoom: int) -> int:
        return self.uuid_item(GROUP_EX, (1, parallax_zoom))


def small_map(width: int = 4, height: int = 3, tiles: bytes | None = None) -> Map:
    """The least that the game accepts: a game layer in a group."""
    m = Map()
    m.version()
    m.group("Game")
    m.tiles(width, height, tiles or bytes(4 * width * height), flags=GAME, title="Game")
    return m


def noise(count: int, seed: int = 1) -> bytes:
    """Bytes that repeat on every machine."""
    out = bytearray()
    state = seed
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(state >> 16 & 255)
    return bytes(out)


def checkered(width: int, height: int) -> bytes:
    """Tiles: solid ones (index 1) and air, with all eight orientations."""
    orientations = (0, 1, 2, 3, 8, 9, 10, 11)
    cells = ((x + y) % 2 for y in range(height) for x in range(width))
    return b"".join(tile(on, orientations[i % 8] if on else 0) for i, on in enumerate(cells))


def whole_map(container: int = 4, **options: object) -> Map:
    """A small map (12 x 8 tiles) with every kind of item that DDNet has, blobs in its editor's order."""
    width, height = 12, 8
    count = width * height
    m = Map(container, **options)  # type: ignore[arg-type]
    m.version()
    m.info("the author", "1.0", "with thanks", "CC0", ["tune_zone 1 gravity 0.3", "sv_team 2"])
    art = m.image("art", 32, 32, noise(4 * 32 * 32))
    m.image("grass_main", 1024, 1024)
    opus = m.sound("hum", b"OggS" + noise(60))
    position = m.envelope(
        3, [point(0, 1, 0, 0, 0), point(500, 4, 2048, -1024, 92160), point(1000, 0, 0, 0, 368640)], "move"
    )
    colour = m.envelope(4, [point(0, 5, 1024, 1024, 1024, 1024), point(2000, 2, 0, 512, 1024, 256)], "glow")
    volume = m.envelope(1, [point(0, 1, 1024), point(3000, 3, 0)], "fade", synchronized=0)
    zero = (0,) * 16
    m.tangents(
        [
            zero,
            zero,
            zero,
            (*zero[:8], 100, 100, 100, 100, 64, 64, 64, 64),
            (-100,) * 4 + (-32,) * 4 + zero[:8],
            zero,
            zero,
        ]
    )

    m.group("Background", offset=(16, -8), parallax=(50, 25), clip=(0, 0, 320, 200))
    m.quads(
        [
            quad(colors=((255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255, 255, 255, 0))),
            quad(((-4096, 0), (4096, -300), (-3000, 4096), (5000, 4000)), (9, 5), envelopes=(position, 250, colour, 5)),
            quad(texcoords=((-512, 0), (2048, 0), (-512, 3072), (2048, 3072)), envelopes=(-1, 0, colour, 100)),
        ],
        art,
        "Sky",
        detail=1,
    )  # fmt: skip
    m.quads([], -1, "empty")
    m.group("Game")
    m.tiles(width, height, checkered(width, height), flags=GAME, title="Game", stray=2)
    m.tiles(
        width, height, checkered(width, height), image=art, title="Deco", color=(255, 128, 64, 200),
        color_envelope=colour, offset=300, garbage=6770608,
    )  # fmt: skip
    m.tiles(width, height, b"\x01\x1a" + bytes(2 * count - 2), flags=TELE, title="Tele")
    m.tiles(
        width, height, struct.pack("<4Bh", 30, 5, 28, 0, 270) + bytes(6 * (count - 1)), flags=SPEEDUP, title="Speedup"
    )
    m.tiles(width, height, tile(9) + bytes(4 * (count - 1)), flags=FRONT, title="Front")
    m.tiles(width, height, bytes((3, 24, 1, 5)) + bytes(4 * (count - 1)), flags=SWITCH, title="Switch")
    m.tiles(width, height, b"\x01\x44" + bytes(2 * (count - 1)), flags=TUNE, title="Tune")
    m.group("Sound", parallax=(0, 0))
    m.sounds(
        [source(4096, 8192, envelopes=(position, 0, volume, 10)), source(0, 0, 0, 65536, 32768, falloff=0)], opus, "Hum"
    )
    m.sounds([old_source(1024, 2048, 700)], opus, "Old", kind=9)
    m.group("Later")
    m.automapper(1, 1, config=2, seed=1234, flags=1)
    for zoom in (50, 100, 0, 100):
        m.group_ex(zoom)
    return m
