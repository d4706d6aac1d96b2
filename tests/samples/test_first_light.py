# SPDX-License-Identifier: GPL-3.0-or-later
"""The committed sample is what its maker makes, holds what it is for, and suits the library and the game."""

import numpy as np

import formats
from formats import teeworlds
from tests.samples import first_light

LEVEL_BYTES = first_light.TARGET.read_bytes()


def test_the_committed_file_is_what_the_script_makes() -> None:
    """Items word for word and blobs byte for byte; how zlib packs the blobs may differ from machine to machine."""
    made, committed = teeworlds.read(bytes(first_light.first_light())).file, teeworlds.read(LEVEL_BYTES).file
    words = [[[(item.id, *item.words) for item in row.items] for row in file.item_types] for file in (made, committed)]
    assert words[0] == words[1]
    assert [blob.data() for blob in made.blobs] == [blob.data() for blob in committed.blobs]
    assert len(LEVEL_BYTES) < 60_000


def test_the_sample_is_read_and_written_back() -> None:
    assert formats.write(formats.read(LEVEL_BYTES)) == LEVEL_BYTES


def test_the_game_accepts_the_sample() -> None:
    level = teeworlds.read(LEVEL_BYTES)
    assert teeworlds.check(level, "lenient") == []
    assert teeworlds.check(level, "ddnet") == []


def test_the_sample_holds_one_of_everything() -> None:
    level = teeworlds.read(LEVEL_BYTES)
    layers = [layer for group in level.groups for layer in group.layers]
    tiles = [layer for layer in layers if isinstance(layer, teeworlds.TileLayer)]
    assert {layer.tile_kind.name for layer in tiles} == {
        "TILES", "GAME", "FRONT", "TELE", "SPEEDUP", "SWITCH", "TUNE",
    }  # fmt: skip
    signs = next(layer for layer in tiles if layer.name == "Signs").tiles()
    assert signs["flags"][signs["index"] == 7].tolist() == list(first_light.TURNS)
    assert {int(curve) for envelope in level.envelopes for curve in envelope.points["curve"]} == set(range(6))
    assert {envelope.channels for envelope in level.envelopes} == {1, 3, 4}
    assert len({(group.parallax_x, group.parallax_y) for group in level.groups}) >= 4
    assert [group.name for group in level.groups if group.use_clip] == ["Pond"]
    assert [image.external for image in level.images] == [False] * 4
    assert np.any(level.images[0].pixels()[..., 3] == 128)  # half transparent glass
    assert (level.sounds[0].data() or b"")[:4] == b"OggS"
    assert level.info is not None and len(level.info.settings) == 3
    assert any(layer.automapper is not None for layer in tiles)
