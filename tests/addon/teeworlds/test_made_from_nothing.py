# SPDX-License-Identifier: GPL-3.0-or-later
"""A part for DDNet, made from nothing by operators alone: what is in it, read by others, and taken by the game."""

import struct
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.teeworlds.structure.parts import tile_kind

from tests.addon.teeworlds.export_helpers import parse
from tests.addon.teeworlds.test_real_programs import program, run, serve
from tests.fuzz.scenes import empty_file
from tests.samples import ddnet_part as part
from tests.samples.art import tile_sheet

LAYER, ENVELOPE, POINTS = 5, 3, 6


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of the map."""
    folder = tmp_path_factory.mktemp("part")
    empty_file()
    part.make(folder)
    assert bpy.ops.export_scene.teeworlds_map(filepath=str(folder / "made.map")) == {"FINISHED"}
    return (folder / "made.map").read_bytes()


@pytest.fixture
def written(made: bytes, tmp_path: Path) -> Path:
    """The map's file, in a folder that is also the programs' home."""
    target = tmp_path / "maps" / "part.map"
    target.parent.mkdir()
    target.write_bytes(made)
    return target


def layers(path: Path) -> dict[str, np.ndarray]:
    """The bytes of the tiles [h, w, k] of each tile layer by its flags, read with struct alone."""
    items, blobs = parse(path.read_bytes())
    found = {}
    for key, words in sorted(items.items()):
        if key[0] == LAYER and words[1] == 2:
            width, height, flags = words[4:7]
            # Physics layers have their own blob behind a dummy of plain tiles.
            place = {1: 14, 2: 18, 4: 19, 8: 20, 16: 21, 32: 22}.get(flags, 14)
            blob = np.frombuffer(blobs[words[place]], np.uint8)
            found[str(flags)] = blob.reshape(height, width, -1)
    return found


def cells(tiles: np.ndarray, index: int, at: int = 0) -> set[tuple[int, int]]:
    rows, columns = np.nonzero(tiles[..., at] == index)
    return set(zip(columns.tolist(), rows.tolist(), strict=True))


def area(left: int, top: int, right: int, bottom: int) -> set[tuple[int, int]]:
    return {(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)}


def test_an_independent_reader_finds_all_of_it(written: Path) -> None:
    found = layers(written)
    game, tele, speedup, drawn = (found[flags] for flags in ("1", "2", "4", "0"))
    earth = set().union(*(area(*one) for one in part.GROUND))
    walls = area(0, 0, 43, 0) | area(0, 0, 0, 21) | area(43, 0, 43, 21)
    freeze = area(14, 17, 25, 17)
    assert cells(game, part.SOLID) == (earth | walls) - freeze
    assert cells(game, part.FREEZE) == freeze
    assert cells(game, part.SPAWN) == area(3, 15, 5, 15)
    assert cells(game, part.START) == area(8, 12, 8, 15)
    assert cells(game, part.FINISH) == area(40, 10, 40, 13)
    # A tele tile is (number, type); a speedup (force, max speed, type, padding, angle).
    assert cells(tele, part.TELE_IN, 1) == area(24, 15, 25, 16) and cells(tele, part.TELE_OUT, 1) == {(11, 14)}
    assert set(tele[tele[..., 1] > 0][:, 0].tolist()) == {1}
    assert cells(speedup, part.SPEEDUP, 2) == area(9, 15, 12, 15)
    assert set(speedup[speedup[..., 2] > 0][:, 0].tolist()) == {6}
    # Automapped: grass where there is nothing above, earth below.
    above = {(x, y) for x, y in earth if (x, y - 1) not in earth and y > 0}
    assert cells(drawn, 2) == above and cells(drawn, 1) == earth - above


def test_quad_sound_and_envelopes_are_there(written: Path) -> None:
    items, blobs = parse(written.read_bytes())
    listed = [words for key, words in items.items() if key[0] == LAYER]
    quads, sounds = ([words for words in listed if words[1] == kind] for kind in (3, 10))
    (sky, ball) = (np.frombuffer(blobs[words[5]], np.int32) for words in quads)
    assert sky[:8].tolist() == [side * 40 * 32768 for side in (-1, -1, 1, -1, -1, 1, 1, 1)]
    assert sky[10:26].reshape(4, 4).tolist() == [[89, 153, 229, 255]] * 2 + [[242, 217, 178, 255]] * 2
    # Points (five of x, y), colours, texture coordinates, then position and colour envelope with their offsets.
    assert ball[8:10].tolist() == [13 * 32768, 13 * 32768]
    envelopes = [words for key, words in sorted(items.items()) if key[0] == ENVELOPE]
    assert [words[1] for words in envelopes] == [3, 4, 1] and ball[34:38].tolist() == [0, 0, 1, 0]
    points = np.array(next(words for key, words in items.items() if key[0] == POINTS)).reshape(-1, 6)
    x, turn, red = (points[:3, 2], points[:3, 4], points[3:6, 2:])
    assert points[:3, 0].tolist() == [0, 2000, 4000]
    assert x.tolist() == [0, 14 * 32768, 0] and abs(turn[1] / 1024 - np.degrees(7)) < 0.01
    assert red[1].tolist() == [1024, round(0.3 * 1024), round(0.2 * 1024), 1024]
    source = struct.unpack_from("<2i", blobs[sounds[0][5]])
    assert source == (20 * 32768, 16 * 32768)
    assert points[6:, 2].tolist() == [1024, 256]


def test_twmap_reads_it(written: Path) -> None:
    """A library that isn't ours; skipped where it isn't installed (pip install twmap)."""
    twmap = pytest.importorskip("twmap")
    level = twmap.Map(str(written))
    kinds = sorted(layer.kind() for group in level.groups for layer in group.layers)
    assert kinds == ["Game", "Quads", "Quads", "Sounds", "Speedup", "Tele", "Tiles"]
    assert [(one.kind(), one.name) for one in level.envelopes][2] == ("Sound", "swell")
    game = np.asarray(level.game_layer().tiles)
    assert (game[..., 0] == part.FREEZE).sum() == 12 and (game[..., 0] == part.SPAWN).sum() == 3
    assert [image.name for image in level.images] == ["meadow", "ball"]
    assert (np.asarray(level.images[0].data) == tile_sheet()).all()
    assert [sound.name for sound in level.sounds] == ["hum"]


def test_ddnets_tools_and_server_take_it(written: Path, tmp_path: Path) -> None:
    """Its own reader and writer give our bytes back, and its server runs the map."""
    (tmp_path / ".local" / "share" / "ddnet").mkdir(parents=True)
    run(tmp_path, program("map_resave"), str(written), "resaved.map")
    assert next(tmp_path.rglob("resaved.map")).read_bytes() == written.read_bytes()
    said = serve(tmp_path, program("DDNet-Server"), "sv_map part")
    assert "loading done" in said and "server: version" in said and "failed to load map" not in said


def test_nothing_is_left_to_find_and_it_opens_again(written: Path) -> None:
    """Opened again and exported without an edit, it is the same file."""
    assert bpy.ops.import_scene.teeworlds_map(filepath=str(written)) == {"FINISHED"}
    again = written.with_name("again.map")
    assert bpy.ops.export_scene.teeworlds_map(filepath=str(again)) == {"FINISHED"}
    assert again.read_bytes() == written.read_bytes()


def test_a_new_map_can_be_stamped_at_once() -> None:
    empty_file()
    assert bpy.ops.levelwright.teeworlds_new_map(width=10, height=60) == {"FINISHED"}
    game = bpy.context.active_object
    assert game is not None and tile_kind(game) == "GAME" and bpy.context.selected_objects == [game]
    assert bpy.ops.levelwright.teeworlds_choose_tile(index=part.SOLID) == {"FINISHED"}
    assert bpy.ops.levelwright.teeworlds_stamp(x=4, y=5, to_x=6, to_y=5) == {"FINISHED"}
