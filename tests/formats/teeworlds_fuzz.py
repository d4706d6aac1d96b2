# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages small maps in seeded ways and decodes everything that is left of them."""

import random
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from formats.binary import FormatError
from formats.teeworlds import (
    Group,
    Level,
    QuadLayer,
    SoundLayer,
    TileKind,
    TileLayer,
    check,
    contents,
    convert,
    identify,
    read,
    section_at,
    summary,
    write,
)
from formats.teeworlds.envelopes import evaluate
from tests.formats.leaves import decoded
from tests.formats.teeworlds_bytes import (
    AUTOMAPPER,
    BEZIER,
    GAME,
    GROUP,
    GROUP_EX,
    INDEX,
    LAYER,
    TELE,
    Map,
    noise,
    point,
    quad,
    small_map,
    tile,
    whole_map,
)
from tests.fuzz.driver import Fuzzer

HOSTILE = (-1, -2, 0, 1, 3, 255, 256, 1024, 65535, 65536, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, -(1 << 31))


def old_map() -> Map:
    """Forms that editors no longer write: version 2 layers with prefixes, short envelopes, groups of 7 words, RGB."""
    m = Map(crude=True)
    m.version()
    m.image("rgb", 4, 4, noise(48), variant=0)
    m.envelope(4, [point(0, 1, 1024), point(900, 2, 0)], length=5, version=1)
    m.group("", length=7)
    m.tiles(4, 3, bytes(48), flags=GAME, version=2, length=15)
    m.tiles(4, 3, bytes(24), flags=TELE, version=2, length=16)
    m.quads([quad()], 0, version=1)
    return m


def vanilla_map() -> Map:
    """Runs and wide points, as Teeworlds 0.7 writes."""
    m = Map()
    m.version()
    m.image("art", 16, 16, noise(1024), variant=1)
    m.envelope(3, [(*point(0, 5, 0), *range(16)), (*point(1000, 1, 9), *range(16))], version=3)
    m.group("Game")
    m.tiles(40, 30, tile(1, 0, 255) * 4 + tile(2, 9, 175), flags=GAME, version=4)
    m.tiles(300, 300, tile(0, 0, 255) * 352, version=4)
    return m


def opened(data: bytes) -> Map:
    """A map as its items and blobs stand in the file; nothing in it is filled in any more when it is built."""
    version, _, _, kinds, items, blobs, item_size, _ = struct.unpack_from("<8i", data, 4)
    item_offsets = np.frombuffer(data, "<i4", items, 36 + 12 * kinds)
    tables = np.frombuffer(data, "<i4", blobs * (2 if version >= 4 else 1), 36 + 12 * kinds + 4 * items)
    at = 36 + 12 * kinds + 4 * items + tables.nbytes
    m = Map(version, data[:4])
    for offset in item_offsets.tolist():
        key, size = struct.unpack_from("<Ii", data, at + offset)
        m.items.append((key >> 16, key & 0xFFFF, data[at + offset + 8 : at + offset + 8 + size]))
    stored = data[at + item_size :]
    ends = [*tables[1:blobs].tolist(), len(stored)][:blobs]
    for number, (start, end) in enumerate(zip(tables.tolist(), ends, strict=False)):
        m.blobs.append((stored[start:end], int(tables[blobs + number]) if version >= 4 else end - start))
    return m


SAMPLE = Path(__file__).parent.parent / "samples" / "first-light.map"
MAPS: tuple[Callable[[], Map], ...] = (
    whole_map, lambda: whole_map(3), old_map, vanilla_map, small_map, lambda: opened(SAMPLE.read_bytes()),
)  # fmt: skip


def flip_bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def splice(data: bytearray, rng: random.Random) -> None:
    """Copy a stretch of the file, or of another map, over or between others."""
    donor = bytes(data) if rng.random() < 0.5 else rng.choice(MAPS)().build()
    start, length = rng.randrange(len(donor)), rng.choice((1, 4, 12, 40, 200))
    at = rng.randrange(len(data))
    data[at : at + rng.choice((0, length))] = donor[start : start + length]


def set_word(data: bytearray, rng: random.Random, end: int) -> None:
    """Put a hostile number into one of the words before `end`."""
    at = 4 * rng.randrange(min(end, len(data)) // 4)
    data[at : at + 4] = struct.pack("<i", rng.choice(HOSTILE))


def damage_header(data: bytearray, rng: random.Random) -> None:
    set_word(data, rng, 36)


def damage_tables(data: bytearray, rng: random.Random) -> None:
    set_word(data, rng, len(data))


BYTES = (flip_bits, truncate, splice, damage_header, damage_tables)


def damage_items(m: Map, rng: random.Random) -> None:
    """Hostile, missing and additional words in items of a sound container."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        number = rng.randrange(len(m.items))
        kind, ident, raw = m.items[number]
        words = bytearray(raw)
        if words and rng.random() < 0.8:
            at = 4 * rng.randrange(len(words) // 4)
            value = rng.choice((rng.choice(HOSTILE), rng.randrange(-3, 40)))
            words[at : at + 4] = struct.pack("<i", value)
        elif rng.random() < 0.5:
            del words[4 * rng.randrange(len(words) // 4 + 1) :]
        else:
            words += struct.pack("<i", rng.choice(HOSTILE)) * rng.randrange(4)
        m.items[number] = (kind, ident, bytes(words))


def damage_blobs(m: Map, rng: random.Random) -> None:
    """Other bytes, sizes and streams in blobs of a sound container."""
    number = rng.randrange(len(m.blobs))
    stored, size = m.blobs[number]
    plain = bytearray(zlib.decompress(stored) if m.container >= 4 else stored)
    way = rng.randrange(5)
    if way == 0:
        size = rng.choice(HOSTILE)
    elif way == 1:
        stored = stored[: rng.randrange(len(stored) + 1)]
    else:
        if way == 2 and plain:
            flip_bits(plain, rng)
        elif way == 3:
            plain = bytearray(rng.choice((b"\0", b"\xff")) * rng.choice((0, 1, 4096, 1 << 20)))
        else:
            plain += noise(rng.randrange(300), rng.randrange(1000))
        stored = zlib.compress(plain) if m.container >= 4 else bytes(plain)
        size = len(plain)
    m.blobs[number] = (stored, size)


def damage_both(m: Map, rng: random.Random) -> None:
    damage_items(m, rng)
    damage_blobs(m, rng)


def set_words(m: Map, number: int, at: int, *values: int) -> None:
    """Put words into an item from word `at` on, as far as it has them."""
    kind, ident, raw = m.items[number]
    m.items[number] = (
        kind,
        ident,
        (raw[: 4 * at] + struct.pack(f"<{len(values)}i", *values))[: len(raw)] + raw[4 * (at + len(values)) :],
    )


def places(m: Map, kind: int, rng: random.Random) -> list[int]:
    """Where one of the items of a type stands, if there are any."""
    found = [place for place, item in enumerate(m.items) if item[0] == kind]
    return rng.sample(found, min(len(found), 1))


def share_layers(m: Map, rng: random.Random) -> None:
    """Give a group any range of the layers: some are then in two groups, some in none."""
    layers = sum(kind == LAYER for kind, _, _ in m.items)
    start = rng.randrange(layers + 1)
    for number in places(m, GROUP, rng):
        set_words(m, number, 5, start, rng.choice((0, 1, 2, layers - start, layers)))


def share_blob(m: Map, rng: random.Random) -> None:
    """Let a word of a layer name any blob: one that another item has, too."""
    for number in places(m, LAYER, rng):
        set_words(m, number, rng.choice((5, 14, 18, 19, 20, 21, 22)), rng.randrange(len(m.blobs)))


def double_item(m: Map, rng: random.Random) -> None:
    """An item a second time, with the same id or another."""
    kind, ident, raw = rng.choice(m.items)
    m.items.insert(rng.randrange(len(m.items) + 1), (kind, rng.choice((ident, rng.randrange(1 << 16))), raw))


def drop_item(m: Map, rng: random.Random) -> None:
    del m.items[rng.randrange(len(m.items))]


def odd_item(m: Map, rng: random.Random) -> None:
    """An item of a type that nobody knows, or that is nobody's business."""
    kind = rng.choice((8, 9, 100, 0x7FFF, 0x8001, 0xFFF0, INDEX))
    m.item(kind, [rng.choice(HOSTILE) for _ in range(rng.randrange(6))], rng.randrange(1 << 16))


def name_type(m: Map, rng: random.Random) -> None:
    """A type of the game's own, or one that is named already, by a UUID."""
    uuid = rng.choice((AUTOMAPPER, BEZIER, GROUP_EX))
    m.uuid_type(uuid, rng.choice((*range(8), 0x8000, 0xFFFE, 0xFFFD, INDEX)))


def map_layer(m: Map, rng: random.Random) -> None:
    """An automapper of any layer, in any group."""
    m.uuid_item(AUTOMAPPER, [1, rng.randrange(5), rng.randrange(5), *(rng.choice(HOSTILE) for _ in range(3))])


STRUCTURE = (share_layers, share_layers, share_blob, double_item, drop_item, odd_item, name_type, map_layer)


def damage_structure(m: Map, rng: random.Random) -> Map:
    """Parts that are shared, doubled, missing or unknown, in a sound container."""
    m = opened(m.build())
    for _ in range(rng.choice((1, 2, 3, 5))):
        rng.choice(STRUCTURE)(m, rng)
    return m


def mutation(seed: int) -> bytes:
    """The same damaged map for the same seed, everywhere."""
    rng = random.Random(seed)
    m = rng.choice(MAPS)()
    if rng.random() < 0.3:
        return damage_structure(m, rng).build()
    if rng.random() < 0.6:
        rng.choice((damage_items, damage_items, damage_blobs, damage_both))(m, rng)
        return m.build()
    data = bytearray(m.build())
    for _ in range(rng.choice((1, 1, 1, 2))):
        if data:
            rng.choice(BYTES)(data, rng)
    return bytes(data)


def readers(level: Level) -> Iterator[Callable[[], object]]:
    """Everything that can be asked of a level."""
    yield lambda: (level.era, level.game_layer, level.unknown, [str(item.words) for item in level.unknown])
    if level.info is not None:
        for name in ("author", "map_version", "credits", "license", "settings"):
            yield lambda name=name: getattr(level.info, name)  # type: ignore[misc]
    for image in level.images:
        yield lambda image=image: (image.width, image.height, image.external, image.variant)  # type: ignore[misc]
        yield lambda image=image: image.name  # type: ignore[misc]
        yield image.pixels
    for sound in level.sounds:
        yield lambda sound=sound: (sound.name, sound.external)  # type: ignore[misc]
        yield sound.data
    for envelope in level.envelopes:
        yield lambda envelope=envelope: (envelope.kind, envelope.name, envelope.synchronized)  # type: ignore[misc]
        yield lambda envelope=envelope: evaluate(envelope.points, envelope.tangents, range(-50, 5000, 99))  # type: ignore[misc]
    for group in level.groups:
        yield lambda group=group: (group.name, group.use_clip, group.clip_w, group.parallax_zoom)  # type: ignore[misc]
    for layer in (*level.layers, *level.orphans):
        yield lambda layer=layer: (layer.kind, layer.name, layer.detail, layer.flags)  # type: ignore[misc]
        if isinstance(layer, TileLayer):
            yield layer.tiles
            yield lambda layer=layer: (layer.tile_kind, layer.color, layer.image, layer.color_envelope)  # type: ignore[misc]
            yield lambda layer=layer: layer.automapper and (layer.automapper.config, layer.automapper.automatic)  # type: ignore[misc]
        elif isinstance(layer, QuadLayer):
            yield layer.quads
        elif isinstance(layer, SoundLayer):
            yield layer.sources
    yield lambda: (summary(level), decoded(contents, level), section_at(level, 40))
    yield lambda: check(level, "lenient")
    yield lambda: check(level, "ddnet")
    yield lambda: convert(level, "ddnet", drop=True)[0]
    yield lambda: write(convert(level, "vanilla07", drop=True)[0])


def decode_all(data: bytes) -> bool:
    """Read a map and everything in it; False if it was refused. Only FormatErrors are caught."""
    identify(data)
    try:
        level = read(data)
    except FormatError:
        return False
    for ask in readers(level):
        try:
            ask()
        except FormatError:
            continue
    if write(level) != data:
        raise AssertionError("it is written back with other bytes")
    try:
        edit(level)
        edited = write(level)
    except FormatError:
        return True
    if write(read(edited)) != edited:
        raise AssertionError("what was edited cannot be read back")
    return True


def edit(level: Level) -> None:
    """Change the structure of what is left of a map."""
    for things, remove in (
        (level.images, level.remove_image),
        (level.sounds, level.remove_sound),
        (level.envelopes, level.remove_envelope),
    ):
        if things:
            remove(0)
    group = Group.new("new")
    group.layers.append(TileLayer.new(TileKind.TILES, 3, 2, "new"))
    level.groups.insert(0, group)
    for group in level.groups:
        group.layers.reverse()
        group.name = "renamed"
    for envelope in level.envelopes:
        envelope.set_points(envelope.points[::-1])


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode_all,
    whole=tuple(make().build() for make in MAPS),
    accepted=(1 / 3, 0.9),
)
