# SPDX-License-Identifier: GPL-3.0-or-later
"""Real maps: every one that can be read comes out byte for byte, opens at once, and decodes.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

import random
import zlib
from pathlib import Path

import numpy as np
import pytest

from formats import FormatError, identify, read, write
from formats.teeworlds import QuadLayer, TileLayer, contents
from formats.teeworlds.datafile import Datafile

# What no engine opens: cut off or padded containers, and counts that cannot be.
UNREADABLE = {
    "TestOut.map", "05_trailing_bytes.map", "06_truncated_data.map", "39_negative_counts.map", "40_huge_counts.map",
}  # fmt: skip
# Opened, but the tiles of the game layer cannot be decoded: damaged stream, wrong sizes, runs that end too soon.
DAMAGED = {
    "07_corrupt_zlib.map", "09_data_size_too_small.map", "10_data_size_too_big.map", "20_tilemap_v4_skip_short.map",
}  # fmt: skip


@pytest.fixture(scope="module")
def maps(corpus) -> list[Path]:
    found = sorted(corpus.glob("teeworlds/*/*.map"))
    if not found:
        pytest.skip(f"no Teeworlds maps in {corpus}")
    return found


def readable(maps: list[Path]) -> list[Path]:
    return [path for path in maps if path.name not in UNREADABLE]


def test_every_map_comes_out_as_it_came_in(maps):
    for path in maps:
        data = path.read_bytes()
        assert identify(data).key == "teeworlds"
        if path.name in UNREADABLE:
            with pytest.raises(FormatError) as caught:
                read(path)
            assert str(caught.value).startswith(f"{path}: at byte 0x")
        else:
            assert write(read(data)) == data, path


def leaves(value):
    if isinstance(value, dict):
        value = value.values()
    elif isinstance(value, (np.ndarray, str, bytes)) or not hasattr(value, "__iter__"):
        yield value
        return
    for part in value:
        yield from leaves(part)


@pytest.mark.slow
def test_every_record_decodes(maps):
    damaged = set()
    for path in readable(maps):
        level = read(path)
        if any(isinstance(value, FormatError) for value in leaves(contents(level))):
            damaged.add(path.name)
        assert write(level) == path.read_bytes()
    assert damaged == DAMAGED & {path.name for path in maps}


def test_blobs_are_what_writers_compress(maps):
    """Level 6 of zlib gives most blobs back: a changed blob looks as the game's own editor would write it."""
    same = total = 0
    for path in readable(maps)[::5]:
        file = Datafile.read(path.read_bytes())
        for blob in file.blobs:
            if file.version == 4 and 0 < blob.size < 1 << 16 and "synthetic" not in str(path):
                total += 1
                same += zlib.compress(blob.data(), 6) == bytes(blob.stored(4))
    if zlib.ZLIB_RUNTIME_VERSION.count(".") == 2 and "ng" not in zlib.ZLIB_RUNTIME_VERSION:
        assert same > 0.9 * total > 0


def parts(data: bytes) -> tuple[list[bytes], dict[tuple[int, int, int], bytes]]:
    """The stored blobs, and the items by their place."""
    file = Datafile.read(data)
    items = {
        (row.type, i, item.id): item.words.tobytes() for row in file.item_types for i, item in enumerate(row.items)
    }
    return [bytes(blob.stored(file.version)) for blob in file.blobs], items


def test_a_tile_or_a_quad_moved_in_a_real_map_changes_one_blob(maps):
    chooser = random.Random(2)
    edited = 0
    for path in chooser.sample(readable(maps), min(60, len(readable(maps)))):
        data = path.read_bytes()
        level = read(data)
        layers = [
            layer
            for layer in level.layers
            if (isinstance(layer, TileLayer) and 0 < layer.width * layer.height < 1 << 20)
            or (isinstance(layer, QuadLayer) and layer.count)
        ]
        if not layers or path.name in DAMAGED:
            continue
        layer = chooser.choice(layers)
        if isinstance(layer, TileLayer):
            tiles = layer.tiles().copy()
            tiles[-1, -1][tiles.dtype.names[0]] ^= 1
            layer.set_tiles(tiles)
        else:
            quads = layer.quads().copy()
            quads["points"][0, 2] += 64
            layer.set_quads(quads)
        before, after = parts(data), parts(write(level))
        assert before[1] == after[1], path
        assert sum(a != b for a, b in zip(before[0], after[0], strict=True)) == 1, path
        again = read(write(level))
        assert [layer.name for layer in again.layers] == [layer.name for layer in level.layers]
        edited += 1
    assert edited > 0


def test_layers_of_real_maps_can_be_taken_out_and_put_back(maps):
    for path in readable(maps)[::3]:
        data = path.read_bytes()
        level = read(data)
        if not level.groups or not any(group.layers for group in level.groups):
            continue
        group = next(group for group in level.groups if group.layers)
        layer = group.layers.pop()
        without = write(level)
        assert len(list(read(without).layers)) == len(list(read(data).layers)) - 1, path
        group.layers.append(layer)
        assert write(level) == data, path
