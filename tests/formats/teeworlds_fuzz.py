# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages small maps in seeded ways and decodes everything that is left of them."""

import random
import struct
import zlib
from collections.abc import Callable, Iterator

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
from tests.formats.leaves import leaves
from tests.formats.teeworlds_bytes import GAME, TELE, Map, noise, point, quad, small_map, tile, whole_map
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


MAPS: tuple[Callable[[], Map], ...] = (whole_map, lambda: whole_map(3), old_map, vanilla_map, small_map)


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


def mutation(seed: int) -> bytes:
    """The same damaged map for the same seed, everywhere."""
    rng = random.Random(seed)
    m = rng.choice(MAPS)()
    if rng.random() < 0.5:
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
    yield lambda: (summary(level), list(leaves(contents(level))), section_at(level, 40))
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
