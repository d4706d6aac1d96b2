# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels that grow and shrink at their edges."""

import numpy as np
import pytest

from formats.fable import changes, check, read, tng, weights, write
from formats.fable.changes import COST, GAINED, LOST, different
from formats.fable.navigation import new_navigation, raster
from formats.fable.resize import Edges, move_things, resize
from tests.formats import fable_bytes as build
from tests.samples import fable_vale

DATA = build.Lev(
    width=64,
    height=32,
    cell=lambda x, y: build.height_cell((x + y) / 2048, walkable=int(x % 7 != 0)),
    game=lambda x, y: build.game_cell(sound=x % 2),
    sounds=(b"SOUND_SEA",),
    sections=((b"NULL", build.section([build.leaf(0, 16.0, 16.0, 1), build.blank()], width=64)),),
).build()


def test_growing_keeps_what_was_there_and_repeats_the_edge():
    level = read(DATA)
    cells, game = level.cells.copy(), level.game_map.copy()
    resize(level, Edges(west=32, north=64))
    again = read(write(level))
    assert (again.width, again.height) == (96, 96) and again.cells.shape == (97, 97)
    assert again.cells[:33, 32:].tobytes() == cells.tobytes()
    assert (again.cells[:33, :32]["height"] == cells[:, :1]["height"]).all()
    assert (again.cells[33:, 32:] == cells[-1]).all()
    assert again.game_map[:8, 8:].tobytes() == game.tobytes() and again.game_map.shape == (24, 24)
    made = raster(again.sections[0].navigation, 0)
    assert (made[:128, 128:256] >= 0).all() and not (made[:128, 256:] >= 0).any(), "as the section had it"
    ground = weights(again.cells).repeat(4, axis=0).repeat(4, axis=1)
    assert np.array_equal(made[128:], ground[128:]) and np.array_equal(made[:128, :128], ground[:128, :128])
    assert not check(again)


def test_growing_and_shrinking_again_gives_the_level_back():
    """The sample has doors, an upper floor, links between the layers and action points."""
    data = fable_vale.LEVEL.read_bytes()
    for edges, back in (
        (Edges(32, 64, 32, 0), Edges(-32, -64, -32, 0)),
        (Edges(0, 0, 0, 96), Edges(0, 0, 0, -96)),
    ):
        level = read(data)
        resize(level, edges)
        grown = read(write(level))
        resize(grown, back)
        made, was = read(write(grown)), read(data)
        assert made.cells.tobytes() == was.cells.tobytes() and made.game_map.tobytes() == was.game_map.tobytes()
        for one, other in zip(made.sections, was.sections, strict=True):
            new, old = one.navigation, other.navigation
            for name in ("level", "layer", "x", "y", "preference", "switchable", "blocked", "index", "children"):
                np.testing.assert_array_equal(new.nodes[name], old.nodes[name], name)
            assert new.keys.tolist() == old.keys.tolist() and new.positions.tolist() == old.positions.tolist()
            assert list(changes(old, new, 0).lines()) == []


def test_cutting_takes_off_what_lies_outside():
    level = read(fable_vale.LEVEL.read_bytes())
    cells = level.cells.copy()
    resize(level, Edges(west=-32))
    assert level.cells.tobytes() == cells[:, 32:].tobytes()
    navigation = level.sections[0].navigation
    leaves = navigation.nodes[navigation.nodes["leaf"] != 0]
    assert leaves["x"].min() > 0 and leaves["x"].max() < 32
    assert sorted(navigation.positions["x"].tolist()) == sorted(bed[0] - 32 for bed in fable_vale.BEDS)
    assert not check(read(write(level)))


@pytest.mark.parametrize(
    "edges", [Edges(west=1), Edges(east=-64), Edges(west=-96, east=96), Edges(north=2048), Edges(north=-32)]
)
def test_sizes_that_there_are_not(edges):
    level = read(DATA)
    with pytest.raises(ValueError, match=r"multiples of 32|are possible|would be left"):
        resize(level, edges)
    assert write(level) == DATA


def test_things_move_along_with_their_ground():
    data = fable_vale.THINGS.read_bytes()
    things, before = tng.read(data), tng.read(data)
    assert move_things(things, Edges(west=32, north=32), (96, 96)) == 0
    for now, was in zip(things, before, strict=True):
        assert now.initial_position == was.initial_position
        if was.position is not None:
            assert now.position == (was.position[0] + 32, *was.position[1:])
    assert move_things(things, Edges(west=-64), (32, 96)) > 0
    moved = tng.read(tng.write(things))
    move_things(moved, Edges(west=32), (64, 64))
    assert [one.position for one in moved] == [one.position for one in before]


def test_what_became_of_ground():
    was = np.full((32, 32), 128)
    was[:, 16:] = -1
    now = was.copy()
    now[:4, :4], now[4:8, :4], now[:8, 24:] = -1, 0, 128
    found = different(new_navigation(was), new_navigation(now), 0)
    area = {what: sum((32 / 2 ** found["level"][found["preference"] == what]) ** 2) for what in (GAINED, LOST, COST)}
    assert area == {GAINED: 64, LOST: 16, COST: 16}
    told = changes(new_navigation(was), new_navigation(now), 0)
    assert (told.gained, told.lost, told.cost) == (64, 16, 16)
    assert len(different(None, new_navigation(was), 0)) == 2
