# SPDX-License-Identifier: GPL-3.0-or-later
"""Other map versions: sounds go to where the version has them, and the game map comes and goes."""

import pytest

from formats.fable import Level, check, read, write
from formats.fable.map_versions import change_map_version
from tests.formats import fable_bytes as build

PLAIN = build.Lev(sounds=(b"SEA", b"WIND"), sections=((b"NULL", build.ONE_ROOT),))


def level(version: int, **changes: object) -> Level:
    return read(PLAIN.but(map_version=version, **changes).build())


def errors(made: Level) -> list[str]:
    return [str(one) for one in check(made) if one.severity == "error"]


def test_sounds_of_the_game_map_become_those_of_the_cells_under_it():
    made = level(
        3, game=lambda x, y: build.game_cell(sound=(x + 3 * y) % 3), cell=lambda x, y: build.height_cell(old_sound=182)
    )
    above = made.game_map["sound"].copy()
    change_map_version(made, 2)
    after = read(write(made))
    assert (after.map_version, errors(after)) == (2, [])
    for y, x in ((0, 0), (3, 3), (4, 3), (17, 9), (31, 31)):
        assert after.cells["old_sound"][y, x] == above[y // 4, x // 4]
    assert after.cells["old_sound"][32].tolist() == after.cells["old_sound"][31].tolist(), "which have none above them"
    assert after.game_map.tobytes() == made.game_map.tobytes()


def test_each_cell_of_the_game_map_gets_the_commonest_sound_under_it():
    def cell(x: int, y: int) -> bytes:
        if x < 4 and y < 4:
            return build.height_cell(old_sound=2 if x else 1)
        return build.height_cell(old_sound=1 + y % 2 if 4 <= x < 8 else 0)

    made = level(2, cell=cell)
    change_map_version(made, 3)
    after = read(write(made))
    assert after.game_map["sound"][0, :3].tolist() == [2, 1, 0], "of two that are as common the lower one"
    assert after.cells.tobytes() == made.cells.tobytes()


def test_there_and_back_it_is_the_same():
    made = level(3, game=lambda x, y: build.game_cell((1, 2, 3), (100, 50), (x + y) % 3))
    before = write(made)
    change_map_version(made, 2)
    assert write(made) != before
    made.cells = made.cells.copy()
    change_map_version(made, 3)
    made.cells["old_sound"] = 0
    assert write(made) == before


@pytest.mark.parametrize(("old", "new"), [(3, 1), (3, 0), (2, 1), (2, 0)])
def test_old_versions_have_no_game_map(old, new):
    made = level(old, game=lambda x, y: build.game_cell(sound=2))
    change_map_version(made, new)
    after = read(write(made))
    assert after.game_map is None
    assert set(after.cells["old_sound"].ravel().tolist()) == ({2} if old == 3 else {0})
    assert errors(after) == []


@pytest.mark.parametrize(("old", "new"), [(0, 3), (1, 2), (1, 3)])
def test_a_game_map_that_is_new_is_of_no_atmosphere(old, new):
    made = level(old, cell=lambda x, y: build.height_cell(old_sound=1))
    change_map_version(made, new)
    after = read(write(made))
    assert after.game_map.shape == (8, 8)
    assert (after.game_map["themes"] == 0).all()
    assert (after.game_map["strengths"] == (255, 0)).all()
    assert set(after.game_map["sound"].ravel().tolist()) == {1 if new == 3 else 0}
    assert errors(after) == []


def test_levels_of_odd_sizes():
    for size in ({"width": 13, "height": 7}, {"width": 2, "height": 3}, {"width": 32, "height": 32, "plus_one": 0}):
        for old in range(4):
            for new in range(4):
                made = level(old, **size)
                change_map_version(made, new)
                assert write(read(write(made))) == write(made)


def test_there_are_no_other_versions():
    for version in (-1, 4, 77):
        with pytest.raises(ValueError, match="there are versions 0 to 3"):
            change_map_version(level(3), version)


def test_the_same_version_changes_nothing():
    made = level(3)
    cells, before = made.cells, write(made)
    change_map_version(made, 3)
    assert write(made) == before
    assert made.cells is cells
