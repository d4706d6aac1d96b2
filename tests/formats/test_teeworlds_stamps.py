# SPDX-License-Identifier: GPL-3.0-or-later
"""Stamps are flipped and turned as the game's editor does, and strokes go over the right cells."""

import numpy as np
import pytest

from formats.teeworlds import stamps, tiles
from formats.teeworlds.stamps import FLIP_X, FLIP_Y, TURN, TileStamp

WAYS = (FLIP_X, FLIP_Y, TURN)


def drawn(stamp: TileStamp) -> np.ndarray:
    """A stamp as pixels, 2 x 2 a tile: which corner of which index is seen where (corner: 0 top left, row by row)."""
    height, width = stamp.shape
    picture = np.zeros((2 * height, 2 * width), np.int64)
    for row in range(height):
        for column in range(width):
            tile = np.arange(4).reshape(2, 2) + 4 * int(stamp.values["index"][row, column])
            flags = int(stamp.values["flags"][row, column])
            tile = tile[:, ::-1] if flags & 1 else tile
            tile = tile[::-1] if flags & 2 else tile
            tile = np.rot90(tile, -1) if flags & 8 else tile
            picture[2 * row : 2 * row + 2, 2 * column : 2 * column + 2] = tile
    return picture


def turned(picture: np.ndarray, way: str) -> np.ndarray:
    return {FLIP_X: picture[:, ::-1], FLIP_Y: picture[::-1], TURN: np.rot90(picture, -1)}[way]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_drawn_turns_as_a_whole(way: str) -> None:
    """Whatever flags the tiles had, the stamp's picture is the old one, flipped or turned."""
    flags = np.array([[0, 1, 2, 3], [8, 9, 10, 11]], np.int32)
    stamp = TileStamp("TILES", {"index": np.arange(1, 9, dtype=np.int32).reshape(2, 4), "flags": flags})
    changed = stamp.changed(way)
    assert np.array_equal(drawn(changed), turned(drawn(stamp), way))
    assert changed.shape == ((4, 2) if way == TURN else (2, 4))


def test_ways_undo_themselves() -> None:
    """Two flips and four turns change nothing; OPAQUE stays."""
    flags = np.arange(16, dtype=np.int32)
    for way, times in ((FLIP_X, 2), (FLIP_Y, 2), (TURN, 4)):
        again = flags
        for _ in range(times):
            again = stamps.turned_flags(again, way)
            assert np.array_equal(again & 4, flags & 4)
        assert np.array_equal(again, flags)


def test_the_games_editor_turns_a_rotated_tile_the_other_way() -> None:
    """In DDNet's editor, X mirrors the Y flag of a tile that is rotated, and the other way round."""
    assert stamps.turned_flags(np.array([0, 8]), FLIP_X).tolist() == [1, 10]
    assert stamps.turned_flags(np.array([0, 8]), FLIP_Y).tolist() == [2, 9]
    assert stamps.turned_flags(np.array([0, 8, 1]), TURN).tolist() == [8, 3, 9]


def test_only_tiles_that_point_turn_on_physics_layers() -> None:
    values = {"index": np.array([[1, 60, 197]], np.int32), "flags": np.array([[1, 0, 8]], np.int32)}
    assert TileStamp("GAME", values).changed(FLIP_X).values["flags"].tolist() == [[10, 1, 0]]


def test_speedups_turn_by_their_angle() -> None:
    stamp = stamps.of_palette("SPEEDUP", (12, 1, 1, 1), {"angle": 30, "force": 7})
    assert {name: int(field[0, 0]) for name, field in stamp.values.items()} == {
        "index": 28, "force": 7, "max_speed": 0, "angle": 30,
    }  # fmt: skip
    assert [int(stamp.changed(way).values["angle"][0, 0]) for way in WAYS] == [150, 330, 120]


def test_a_palettes_air_and_what_the_game_does_not_know_have_no_fields() -> None:
    assert stamps.of_palette("GAME", (0, 0, 2, 2)).values["index"].tolist() == [[0, 1], [16, 17]]
    stamp = stamps.of_palette("TELE", (13, 0, 2, 2), {"number": 9})
    assert stamp.values["index"].tolist() == [[0, 14], [29, 30]]
    assert stamp.values["number"].tolist() == [[0, 9], [9, 9]]
    assert stamp.with_field("number", 3).values["number"].tolist() == [[0, 3], [3, 3]]
    assert stamp.with_field("force", 3) is stamp
    assert stamp.as_kind("TILES").values["flags"].tolist() == [[0, 0], [0, 0]]


def test_a_stamp_is_cut_out_of_a_layer_and_repeats() -> None:
    values = {"index": np.arange(12, dtype=np.int32).reshape(3, 4), "flags": np.zeros((3, 4), np.int32)}
    stamp = stamps.of_cells("TILES", values, (2, 1, 9, 9))
    assert stamp.values["index"].tolist() == [[6, 7], [10, 11]]
    assert stamp.at([0, 3, -1], [0, 1, 2])["index"].tolist() == [6, 11, 7]
    with pytest.raises(ValueError, match="outside"):
        stamps.of_cells("TILES", values, (4, 0, 1, 1))


def test_lines_have_no_gaps() -> None:
    there, back = stamps.line((2, 3), (7, 1)), stamps.line((7, 1), (2, 3))
    assert there[0].tolist() == [2, 3]
    assert there[-1].tolist() == [7, 1]
    assert np.abs(np.diff(there, axis=0)).max() == 1
    assert np.array_equal(there, back[::-1])
    assert stamps.line((4, 4), (4, 4)).tolist() == [[4, 4]]
    assert stamps.between((5, 1), (2, 3)) == (2, 1, 4, 3)


def test_a_brush_covers_each_cell_once_and_the_last_place_counts() -> None:
    cells, owner = stamps.swept(np.array([[0, 0], [1, 0], [-2, 5]]), (1, 2))
    assert dict(zip(map(tuple, cells.tolist()), owner.tolist(), strict=True)) == {
        (0, 0): 0, (1, 0): 1, (2, 0): 1, (-2, 5): 2, (-1, 5): 2,
    }  # fmt: skip


def spread(alike: np.ndarray, start: tuple[int, int]) -> np.ndarray:
    """The plain way to flood: cell by cell."""
    found = np.zeros(alike.shape, np.bool_)
    waiting = [start]
    while waiting:
        column, row = waiting.pop()
        inside = 0 <= row < alike.shape[0] and 0 <= column < alike.shape[1]
        if inside and alike[row, column] and not found[row, column]:
            found[row, column] = True
            waiting += [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_floods_agree_with_the_plain_way(seed: int) -> None:
    numbers = np.random.default_rng(seed)
    alike = numbers.random((23, 31)) < (0.3, 0.55, 0.6, 0.65, 0.9, 1.0)[seed]
    for column, row in ((0, 0), (15, 11), (30, 22)):
        assert np.array_equal(stamps.flood(alike, (column, row)), spread(alike, (column, row)))


def test_a_flood_winds_through_a_maze() -> None:
    alike = np.ones((41, 41), np.bool_)
    alike[1::4, :-1] = alike[3::4, 1:] = False
    assert np.array_equal(stamps.flood(alike, (0, 0)), alike)


@pytest.mark.parametrize("flags", [flags for flags in range(16) if flags & tiles.ORIENTATION == flags])
def test_a_stamp_is_painted_as_its_tiles_are_turned(flags: int) -> None:
    tileset = np.zeros((32, 32, 4), np.uint8)
    tileset[2:4, :2, 0] = [[10, 40], [20, 30]]  # tile 16, by corners: top left, and on against the clock
    values = {"index": np.array([[0, 16]]), "flags": np.array([[0, flags | tiles.TileFlag.OPAQUE]])}
    painted = TileStamp("TILES", values).painted(tileset, 4)[..., 0]
    assert painted.shape == (2, 4) and not painted[:, :2].any()
    corners = [painted[0, 2], painted[1, 2], painted[1, 3], painted[0, 3]]
    assert corners == [10 * (corner + 1) for corner in tiles.shown_corners()[flags]]


def test_a_painted_stamp_has_a_pixel_a_tile_at_least() -> None:
    tileset = np.full((16, 48, 4), 255, np.uint8)
    stamp = TileStamp("TELE", {"index": np.ones((3, 200), np.int32)})
    assert stamp.painted(tileset, 128).shape == (3, 200, 4)
    assert stamp.painted(tileset, 128).all()
