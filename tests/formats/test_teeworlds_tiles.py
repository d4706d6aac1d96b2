# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles: what flags show where, its inverse from faces, and run-length records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.teeworlds import tiles
from formats.teeworlds.records import TILE

# What the game shows at a cell's TL, TR, BR, BL (u right, v down), written out by hand from its tile table.
SHOWN = {
    0: [(0, 0), (1, 0), (1, 1), (0, 1)],
    1: [(1, 0), (0, 0), (0, 1), (1, 1)],
    2: [(0, 1), (1, 1), (1, 0), (0, 0)],
    3: [(1, 1), (0, 1), (0, 0), (1, 0)],
    8: [(0, 1), (0, 0), (1, 0), (1, 1)],
    9: [(1, 1), (1, 0), (0, 0), (0, 1)],
    10: [(0, 0), (0, 1), (1, 1), (1, 0)],
    11: [(1, 0), (1, 1), (0, 1), (0, 0)],
}
RING = [(0, 0), (0, 1), (1, 1), (1, 0)]  # TL, BL, BR, TR: x right, y down
ALL = np.indices((256, 256)).reshape(2, -1)  # every index with every flag byte


@pytest.mark.parametrize("flags", SHOWN)
def test_corners_show_what_the_game_shows(flags: int) -> None:
    (corners,) = tiles.corner_uvs(np.array([0x35]), np.array([flags]))
    top_left, top_right, bottom_right, bottom_left = SHOWN[flags]
    expected = [((5 + u) / 16, 1 - (3 + v) / 16) for u, v in (top_left, bottom_left, bottom_right, top_right)]
    assert corners.tolist() == [list(corner) for corner in expected]


def test_flags_that_turn_nothing_change_no_uv() -> None:
    index, flags = ALL
    kept = (index == 7) & (flags & tiles.ORIENTATION == 9)
    assert kept.sum() == 32
    assert len(np.unique(tiles.corner_uvs(index[kept], flags[kept]), axis=0)) == 1


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("step", [1, -1])
def test_every_tile_is_found_again_from_its_face(start: int, step: int) -> None:
    index, flags = ALL
    order = [(start + step * corner) % 4 for corner in range(4)]  # where the face starts, which way it runs
    uvs = tiles.corner_uvs(index, flags)[:, order]
    found_index, found_flags = tiles.tiles_from_uvs(np.tile(order, (len(index), 1)), uvs)
    assert np.array_equal(found_index, index)
    assert np.array_equal(found_flags, flags & tiles.ORIENTATION)


@given(
    index=st.integers(0, 255),
    flags=st.integers(0, 255),
    noise=st.lists(st.floats(-0.24 / 16, 0.24 / 16), min_size=8, max_size=8),
)
def test_noise_below_the_tolerance_is_ignored(index: int, flags: int, noise: list[float]) -> None:
    uvs = tiles.corner_uvs(np.array([index]), np.array([flags])) + np.array(noise, np.float32).reshape(1, 4, 2)
    found = tiles.tiles_from_uvs(np.array([[0, 1, 2, 3]]), uvs)
    assert [int(value[0]) for value in found] == [index, flags & tiles.ORIENTATION]


def test_uvs_inset_from_the_cell_are_the_cell() -> None:
    inset = 1.25 / 1024
    uvs = np.array(
        [[(inset, 1 - inset), (inset, 15 / 16 + inset), (1 / 16 - inset, 15 / 16 + inset), (1 / 16 - inset, 1 - inset)]]
    )
    index, flags = tiles.tiles_from_uvs(np.array([[0, 1, 2, 3]]), uvs)
    assert (index[0], flags[0]) == (0, 0)


@pytest.mark.parametrize(
    "uvs",
    [
        [(0, 1), (0, 0), (1, 0), (1, 1)],  # the whole image
        [(0, 1), (0, 15 / 16), (1 / 16, 15 / 16), (1 / 32, 1)],  # half a cell off
        [(0, 1), (0, 1), (0, 1), (0, 1)],  # a point
        [(0, 1), (1 / 16, 15 / 16), (0, 15 / 16), (1 / 16, 1)],  # crossed
        [(1, 1), (1, 15 / 16), (17 / 16, 15 / 16), (17 / 16, 1)],  # right of the atlas
        [(0, 0), (0, -1 / 16), (1 / 16, -1 / 16), (1 / 16, 0)],  # below it
        [(np.nan, 1), (0, 15 / 16), (1 / 16, 15 / 16), (1 / 16, 1)],
        [(np.inf, 1), (np.inf, 15 / 16), (np.inf, 15 / 16), (np.inf, 1)],
        [(1e30, 1), (1e30, 15 / 16), (1e30, 15 / 16), (1e30, 1)],
    ],
)
def test_what_is_no_cell_is_refused(uvs: list[tuple[float, float]]) -> None:
    index, flags = tiles.tiles_from_uvs(np.array([[0, 1, 2, 3]]), np.array([uvs], np.float32))
    assert (index[0], flags[0]) == (-1, -1)


def test_a_face_off_its_cell_has_no_orientation() -> None:
    good = np.array([[0, 1, 2, 3]])
    bad = np.array([[-1, -1, -1, -1], [0, 0, 2, 3], [0, 2, 1, 3]])  # off the grid, twice the same corner, crossed
    assert tiles.orientations(bad, np.repeat(good, 3, axis=0)).tolist() == [-1, -1, -1]
    assert tiles.orientations(np.repeat(good, 3, axis=0), bad).tolist() == [-1, -1, -1]


def test_locate_finds_cells_and_corners() -> None:
    faces = np.array(
        [[(7 + x, -2 + y) for x, y in RING], [(x * 2, y) for x, y in RING], [(x + 0.5, y) for x, y in RING]]
    )
    cells, corners = tiles.locate(faces, tolerance=0.1)
    assert cells[0].tolist() == [7, -2]
    assert corners.tolist() == [[0, 1, 2, 3], [-1] * 4, [-1] * 4]


@given(st.integers(-5000, 5000), st.integers(-5000, 5000), st.permutations(range(4)), st.floats(-0.04, 0.04))
def test_locate_any_cell_and_order(column: int, row: int, order: list[int], noise: float) -> None:
    face = np.array([[(column + RING[k][0] + noise, row + RING[k][1] - noise) for k in order]], np.float32)
    cells, corners = tiles.locate(face, tolerance=0.05)
    assert cells.tolist() == [[column, row]]
    assert corners.tolist() == [list(order)]


def test_no_faces_are_no_tiles() -> None:
    index, flags = tiles.tiles_from_uvs(np.zeros((0, 4), int), np.zeros((0, 4, 2)))
    assert len(index) == len(flags) == len(tiles.corner_uvs(np.zeros(0, int), np.zeros(0, int))) == 0


def runs(*records: tuple[int, int, int]) -> np.ndarray:
    return np.array([(index, flags, skip, 0) for index, flags, skip in records], TILE)


def test_runs_are_expanded_byte_by_byte() -> None:
    stored = np.frombuffer(bytes.fromhex("01000200 02090000 00000000"), TILE)
    assert tiles.expand_runs(stored, 5).tobytes().hex(" ", 4) == "01000000 01000000 01000000 02090000 00000000"
    assert tiles.compress_runs(tiles.expand_runs(stored, 5)).tobytes() == stored.tobytes()


def test_runs_hold_at_most_256_tiles() -> None:
    layer = np.zeros(600, TILE)
    layer["index"] = 3
    assert tiles.compress_runs(layer).tolist() == [(3, 0, 255, 0), (3, 0, 255, 0), (3, 0, 87, 0)]
    layer["index"][256] = 4
    assert tiles.compress_runs(layer)["skip"].tolist() == [255, 0, 255, 86]


def test_runs_cross_rows_and_ignore_what_skip_held() -> None:
    layer = np.zeros((3, 4), TILE)
    layer["skip"] = 9
    assert tiles.compress_runs(layer).tolist() == [(0, 0, 11, 0)]
    assert (layer["skip"] == 9).all()


def test_a_run_too_long_is_cut_and_records_left_over_are_counted() -> None:
    stored = runs((1, 0, 1), (2, 0, 9), (3, 0, 0), (3, 0, 0))
    assert tiles.expand_runs(stored, 4)["index"].tolist() == [1, 1, 2, 2]
    assert [tiles.unread_runs(stored, count) for count in (0, 1, 2, 3, 12, 13, 14, 20)] == [4, 3, 3, 2, 2, 1, 0, 0]
    assert tiles.expand_runs(stored, 0).tolist() == []


def test_runs_that_end_too_soon_are_refused_before_anything_is_made() -> None:
    with pytest.raises(FormatError, match="3 of 1000000000000 tiles"):
        tiles.expand_runs(runs((1, 0, 2)), 10**12)


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 8]), st.integers(1, 700)), max_size=12))
def test_runs_round_trip_and_are_canonical(pieces: list[tuple[int, int, int]]) -> None:
    layer = np.concatenate([np.zeros(0, TILE), *(np.repeat(runs((i, f, 0)), n) for i, f, n in pieces)])
    stored = tiles.compress_runs(layer)
    assert np.array_equal(tiles.expand_runs(stored, len(layer)), layer)
    assert tiles.unread_runs(stored, len(layer)) == 0
    same = (stored["index"][1:] == stored["index"][:-1]) & (stored["flags"][1:] == stored["flags"][:-1])
    assert (stored["skip"][:-1][same] == 255).all()  # a run ends where the tile changes, or when it is full
