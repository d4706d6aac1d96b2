# SPDX-License-Identifier: GPL-3.0-or-later
"""The committed sample is what its maker makes, holds what it is for, and suits the library.

Its things are written by the maker's own code, its ground and navigation by the library.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import formats
from formats import fable
from tests.samples import fable_art, fable_vale


def level() -> fable.Level:
    return fable.read(fable_vale.LEVEL.read_bytes())


def things() -> Any:
    return fable.tng.read(fable_vale.THINGS.read_bytes())


@pytest.mark.parametrize("path", fable_vale.files(), ids=lambda path: path.suffix[1:])
def test_the_committed_files_are_what_the_script_makes(path: Path) -> None:
    assert path.read_bytes() == fable_vale.files()[path]


def test_they_are_read_and_written_back() -> None:
    made = formats.read(fable_vale.LEVEL)
    assert formats.write(made) == fable_vale.LEVEL.read_bytes()
    assert formats.check(made) == []
    assert fable.tng.write(things()) == fable_vale.THINGS.read_bytes()


def test_the_ground_has_one_of_everything() -> None:
    made = level()
    cells = made.cells
    strengths = fable.strengths(cells)
    assert (strengths >= 0).all()
    shares = np.bincount(cells["themes"].ravel(), strengths.ravel(), minlength=10) / strengths.sum()
    assert (shares[2:] > 0.003).all(), "each theme covers some of it"
    assert shares[:2].tolist() == [0, 0]
    assert ((strengths > 8).sum(axis=-1) == 3).sum() > 100, "three themes blend"
    for flag in ("walkable", "camera", "path", "shore"):
        assert 0.03 < cells[flag].mean() < 0.97, flag
    assert not (cells["walkable"] & ~cells["camera"] & 1).any()
    assert fable.heights(cells).min() < fable_vale.SHORE < 30 < fable.heights(cells).max()
    assert set(made.game_map["sound"].ravel().tolist()) == {0, 1, 2, 3}
    assert len(set(made.game_map["strengths"][..., 0].ravel().tolist())) > 4, "atmospheres blend"


def test_names_are_ours_and_have_images() -> None:
    names = [name for name in fable.palette_names(level().ground_palette) if name][1:]
    assert tuple(names) == fable_vale.THEMES
    assert set(names) == set(fable_art.IMAGES)
    for draw in fable_art.IMAGES.values():
        picture = draw().picture()
        assert not np.array_equal(picture, picture[:, ::-1])


def test_navigation_has_layers_a_door_stairs_and_regions() -> None:
    usual, quest = (section.navigation for section in level().sections or ())
    door = int(np.flatnonzero(usual.nodes["switchable"])[0])
    assert usual.layer_count == 2
    assert usual.positions.tolist() == list(fable_vale.BEDS)
    assert usual.keys.tolist() == [fable_vale.DOOR_KEY]
    assert (usual.nodes["blocked"][door], quest.nodes["blocked"][door]) == (1, 0)
    leaves = usual.nodes[usual.nodes["leaf"] != 0]
    assert set(leaves["level"].tolist()) >= {2, 3, 4, 5}
    assert set(leaves["preference"].tolist()) == {0, 64, 128}
    by_index = {int(node["index"]): node for node in leaves}
    starts = usual.first_neighbours()
    links = [
        (node, by_index[int(index)])
        for number, node in enumerate(usual.nodes)
        for index in usual.neighbours[starts[number] : starts[number + 1]]
    ]
    crossing = [(one, other) for one, other in links if one["layer"] != other["layer"]]
    assert len(crossing) == 2
    assert {(float(one["x"]), float(one["y"])) for one, _ in crossing} == {(44.5, 12.5)}
    inside = next(node for node in leaves if node["layer"] == 1)
    outside = next(node for node in leaves if node["layer"] == 0 and node["y"] < 6 and node["x"] < 32)
    assert inside["region"] != outside["region"], "only the door leads in"


def test_a_rebuild_of_the_ground_gives_the_navigation_back() -> None:
    """The library's promise, on what isn't a retail level: untouched leaves, links, doors and layers come out alike."""
    made = level()
    for section in made.sections or ():
        before = section.navigation
        ground = fable.raster(before, 0)
        after = fable.rebuild(before, 0, ground)
        assert fable.write(made) == fable_vale.LEVEL.read_bytes()
        section.navigation = after
        assert fable.write(made) == fable_vale.LEVEL.read_bytes()


def test_things_stand_on_the_ground_and_look_all_ways() -> None:
    heights = fable.heights(level().cells)
    found = things()
    assert [section.name for section in found.sections] == ["NULL", fable_vale.QUEST]
    assert [section.name for section in level().sections or ()] == ["NULL", fable_vale.QUEST]
    for thing in found:
        x, y, z = thing.position
        assert abs(z - heights[round(y), round(x)]) < 1.0
        assert 0.999 < np.linalg.norm(thing.forward) < 1.001
        assert thing.uid - fable.UID_BASE < fable_vale.COUNTER
    assert len({thing.forward for thing in found}) >= 7
    assert any(thing.up != (0.0, 0.0, 1.0) for thing in found)
    assert {thing.kind for thing in found} == {"Marker", "Building", "Object", "Thing", "AICreature", "TrackNode"}
    (door,) = (thing for thing in found if thing.door_key == fable_vale.DOOR_KEY)
    assert door.components["CTCDoor"].get("Open") == "FALSE"
