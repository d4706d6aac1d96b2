# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages small maps in seeded ways and decodes everything that is left of them."""

import random
import struct
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from formats import atlas
from formats.binary import FormatError
from formats.source import (
    Entity,
    Level,
    LumpId,
    check,
    contents,
    geometry,
    identify,
    map_crc,
    patch_file,
    read,
    section_at,
    summary,
    write,
)
from formats.source.content import vmt, vtf
from formats.source.faces import displacements
from formats.source.light import lighting
from formats.source.placed import overlay_quads
from formats.source.tree import leaf_tree
from tests.formats import source_fuzz_maps, source_layout_maps, source_parts
from tests.formats.leaves import decoded
from tests.fuzz.driver import Fuzzer

HOSTILE = (-1, -2, 0, 1, 3, 255, 65535, 1 << 16, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, -(1 << 31))
LEVELS = (*source_fuzz_maps.LEVELS, *source_layout_maps.BYTES.values())


def somewhere(data: bytearray, rng: random.Random) -> int:
    """Mostly where damage tells: in the header, and in the lumps that are no tables."""
    if rng.random() < 0.3:
        return rng.randrange(min(len(data), 1040))
    return rng.randrange(len(data))


def flip_bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[somewhere(data, rng)] ^= 1 << rng.randrange(8)


def truncate(data: bytearray, rng: random.Random) -> None:
    del data[max(somewhere(data, rng), 1) :]


def splice(data: bytearray, rng: random.Random) -> None:
    """Copy a stretch of the file over or between others."""
    start, length, at = somewhere(data, rng), rng.choice((1, 4, 16, 64, 200)), somewhere(data, rng)
    data[at : at + rng.choice((0, length))] = data[start : start + length]


def set_word(data: bytearray, rng: random.Random) -> None:
    """Put a hostile number somewhere, more often than not at a multiple of 4."""
    at = somewhere(data, rng) & (~3 if rng.random() < 0.7 else ~0)
    value = rng.choice(HOSTILE) if rng.random() < 0.6 else rng.randrange(-3, 4000)
    data[at : at + 4] = struct.pack(rng.choice("<<>") + "i", value)


def set_short(data: bytearray, rng: random.Random) -> None:
    at = somewhere(data, rng)
    data[at : at + 2] = struct.pack("<H", rng.choice((0, 1, 2, 255, 0x7FFF, 0xFFFF)))


def swap_lumps(data: bytearray, rng: random.Random) -> None:
    """Let a lump of the directory have another's place, length or version."""
    first, second, part = rng.randrange(64), rng.randrange(64), rng.choice((0, 4, 8, 12))
    one, other = 8 + 16 * first + part, 8 + 16 * second + part
    data[one : one + 4] = data[other : other + 4]


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip_bits, flip_bits, truncate, splice, set_word, set_word, set_word, set_short, swap_lumps,
)  # fmt: skip


def mutation(seed: int) -> bytes:
    """The same damaged map for the same seed, everywhere."""
    rng = random.Random(seed)
    data = bytearray(rng.choice(LEVELS))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(WAYS)(data, rng)
    return bytes(data)


def readers(level: Level) -> Iterator[Callable[[], object]]:
    """Everything that can be asked of a map."""
    yield lambda: summary(level)
    yield lambda: decoded(contents, level)
    yield lambda: [str(problem) for problem in check(level)]
    yield lambda: [section_at(level, offset) for offset in (0, 2000, 1 << 30)]
    yield lambda: [[entity.origin, entity.angles, entity.model] for entity in level.entities]
    yield lambda: None if level.visibility is None else level.visibility.matrix()
    for part in (*source_parts.DECODED.values(), source_parts.solids):
        yield partial(deque, part(level), 0)
    yield lambda: in_leafs(level)
    yield lambda: borders(level)
    yield lambda: luxels(level)
    yield lambda: decals(level)
    yield lambda: textures(level)
    yield lambda: map_crc.map_crc(level)
    yield lambda: patch_file.read(patch_file.write(patch_file.PatchFile.of(level, LumpId.PLANES)))


def in_leafs(level: Level) -> None:
    points = np.array([[0.0, 0.0, 0.0], [1e30, -1e30, 0.5], [65.0, 0.0, 0.0]])
    for head in level.table(LumpId.MODELS)["headnode"][:4].tolist():
        tree = leaf_tree.LeafTree(level, head)
        leaf_tree.clusters(level, tree.of_points(points))
        tree.of_boxes(points - 70, points + 70)


def borders(level: Level) -> None:
    found = displacements.displacements(level, geometry.polygons(level))
    verts = level.table(LumpId.DISP_VERTS)
    positions = found.positions(verts)
    displacements.shared(found, positions)
    displacements.fields(found, positions + 1, verts)
    displacements.lightmap_corners(found, level.table(geometry.drawn_faces(level)))


def luxels(level: Level) -> None:
    """The light of every face in one image, and back into the lump."""
    for lump, blocks in lighting.lightmaps(level).items():
        offsets, _ = lighting.luxel_offsets(blocks)
        data = level.bytes_of(lump)
        colors = lighting.colors_at(data, offsets)
        if lighting.with_colors(data, offsets, colors) != data:
            raise AssertionError("light that was put back is another")
        sizes = np.column_stack([blocks.width, blocks.height])
        try:
            atlas.pixels_of(atlas.pack(sizes), sizes)
        except ValueError:  # as said: they don't fit
            continue


def decals(level: Level) -> None:
    polygons = geometry.polygons(level)
    normals = geometry.area_normals(polygons)
    points = np.zeros((len(normals), 3))
    overlay_quads.nearest_faces(points[:3], normals, points, points - 64, points + 64)
    overlay_quads.decal_quads(points, normals, points, np.ones((len(points), 2)), np.ones(len(points)))


def textures(level: Level) -> None:
    """Of the pak: materials with what they include, and pictures."""

    def file(path: str) -> bytes | None:
        return bytes(level.pak.read(path)) if path in level.pak else None

    for name in level.pak.names:
        if name.lower().endswith(".vmt"):
            vmt.read(bytes(level.pak.read(name)), file)
        elif name.lower().endswith(".vtf"):
            vtf.read(level.pak.read(name)).pixels()


def edits(level: Level) -> Iterator[Callable[[], object]]:
    """Some things that change a map."""
    yield lambda: level.set_bytes(LumpId.PLANES, bytes(60))
    yield lambda: level.entities.append(Entity([("classname", "info_target")]))
    yield lambda: level.pak.put("new.txt", b"new")
    yield lambda: level.game_lumps.set_bytes("sprp", bytes(12), 6)
    yield lambda: level.set_bytes(LumpId.CUBEMAPS, bytes(16))


def decode_all(data: bytes) -> bool:
    """Read a map and everything in it; False if it was refused. Only FormatErrors are caught."""
    known = identify(data)
    try:
        level = read(data)
    except FormatError:
        return False
    if not known:
        raise AssertionError("it was read, but not identified")
    for ask in readers(level):
        try:
            ask()
        except FormatError:
            continue
    if write(level) != data:
        raise AssertionError("it is written back with other bytes")
    for edit in edits(level):
        try:
            edit()
        except FormatError:
            continue
    try:
        edited = write(level)
        again = read(edited)
    except FormatError:
        return True
    if write(again) != edited:
        raise AssertionError("what was edited is written back with other bytes")
    for lump in again.lumps:
        if lump != LumpId.GAME_LUMP and not level.file.cut(lump) and level.file.stored(lump) != again.file.stored(lump):
            raise AssertionError(f"lump {lump} was lost by an edit")
    return True


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode_all,
    whole=LEVELS,
)
