# SPDX-License-Identifier: GPL-3.0-or-later
"""Real levels: byte for byte, at once, and their navigation made anew as the game's editor made it.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

from pathlib import Path

import numpy as np
import pytest

from formats.fable import (
    BLOCKED,
    changes,
    check,
    contents,
    heights,
    identify,
    palette_names,
    patch,
    raster,
    read,
    rebuild,
    summary,
    theme_weights,
    tng,
    water,
    weights,
    without_islands,
    write,
)
from formats.fable.geometry import finite_heights
from formats.fable.nodes import encode
from formats.fable.text import decimal


@pytest.fixture(scope="module")
def levels(corpus) -> list[Path]:
    found = sorted(corpus.glob("lev/*/*.lev"))
    if not found:
        pytest.skip(f"no Fable levels in {corpus}")
    return found


@pytest.fixture(scope="module")
def barrow(levels) -> bytes:
    return next(path for path in levels if path.name == "BarrowFields.lev").read_bytes()


def sections(levels):
    """Every section of every level, with its level."""
    for path in levels:
        level = read(path.read_bytes())
        for section in level.sections:
            yield level, section


def test_every_level_comes_out_as_it_came_in(levels):
    for path in levels:
        data = path.read_bytes()
        assert identify(data)
        level = read(data)
        assert write(level) == data, path
        for section in level.sections:
            section.navigation = section.navigation
        assert write(level) == data, path
        assert check(level) == [], path
        assert summary(level)["blocked cells"] == 0
        list(contents(level)["navigation"])


def test_offsets_move_by_what_a_sound_is_long(levels):
    for path in levels:
        data = path.read_bytes()
        level = read(data)
        level.sounds.append("SOUND_THEME_ADDED")
        longer = write(level)
        assert len(longer) == len(data) + 21
        again = read(longer)
        assert check(again) == []
        assert again.cells.tobytes() == level.cells.tobytes()
        again.sounds.pop()
        assert write(again) == data


def test_the_sea_sounds_where_the_sea_is(levels):
    """The game map's rows run the right way: water's sound lies over water's ground."""
    level = read(next(path for path in levels if path.name == "StartOakValeEast.lev").read_bytes())
    names = palette_names(level.ground_palette)
    wet = np.array([("WATER" in name or "SEA" in name) for name in names])[level.cells["themes"]]
    water = (wet & (level.cells["strengths"][..., :1] > 0)).any(axis=-1)[:-1, :-1]
    oceans = [number for number, name in enumerate(level.sounds, 1) if "OCEAN" in name]
    sounding = np.isin(level.game_map["sound"], oceans).repeat(4, axis=0).repeat(4, axis=1)
    assert water[sounding].mean() > 0.9
    assert water[sounding[::-1]].mean() < 0.2


def test_things_stand_on_the_ground(levels):
    for path in levels:
        level, things = read(path.read_bytes()), tng.read(path.with_suffix(".tng").read_bytes())
        z = heights(level.cells)
        markers = [t for t in things if t.kind == "Marker" and t.position is not None]
        gaps = [abs(t.position[2] - z[round(t.position[1]), round(t.position[0])]) for t in markers]
        assert not gaps or np.median(gaps) < 0.5
        uids = things.by_uid()
        assert level.map_header["thing_uid_counter"] > max((uid & 0xFFFFFFFF for uid in uids), default=0)
        keys = {key for section in level.sections for key in section.navigation.keys.tolist()}
        doors = {thing.door_key for thing in things if "DOOR" in (thing.definition_type or "")}
        assert keys <= doors


def test_creatures_start_at_their_place_in_the_world(levels):
    things = tng.read(next(path for path in levels if path.stem == "BarrowFields").with_suffix(".tng").read_bytes())
    starts = [(thing.position, thing.initial_position) for thing in things if thing.initial_position is not None]
    origins = {tuple(round(w - m, 1) for w, m in zip(world, on_map, strict=True)) for on_map, world in starts}
    assert origins == {(2592.0, 2112.0, 0.0)}


def test_every_tng_comes_out_as_it_came_in(corpus):
    paths = sorted(corpus.glob("lev/*/*.tng"))
    if not paths:
        pytest.skip(f"no Fable things in {corpus}")
    for path in paths:
        data = path.read_bytes()
        for text in (data, data.replace(b"\n", b"\r\n")):
            things = tng.read(text)
            assert tng.write(things) == text
            for thing in things:
                assert thing.uid is not None
                if thing.forward is not None:  # villages have a place, but look nowhere
                    thing.forward, thing.up = thing.forward, thing.up
                if thing.position is not None:
                    thing.position = thing.position
                    written = [thing.body.get(f"Position{axis}") for axis in "XYZ"]
                    assert [decimal(value) for value in thing.position] == written
            assert tng.write(things) == text


# ---------------------------------------------------------------------------------------------------------- navigation


def test_an_untouched_layer_is_rebuilt_to_the_byte(levels):
    """Leaves, neighbours in their order, child links, indices, regions, doors, links between layers."""
    count = 0
    for _, section in sections(levels):
        tree = section.navigation
        for layer in range(tree.layer_count):
            assert encode(rebuild(tree, layer, raster(tree, layer))) == encode(tree)
            count += 1
    assert count >= 6


def test_a_patch_without_changes_changes_nothing(levels):
    for level, section in sections(levels):
        tree = section.navigation
        ground = weights(level.cells)
        assert encode(patch(tree, 0, ground, ground)) == encode(tree)


def test_a_path_makes_nothing_walkable_and_costs_what_it_should(levels):
    """Cells in which something was cut out, as an object's outline, become path: what is cut stays cut."""
    for level, section in sections(levels):
        tree = section.navigation
        before = weights(level.cells)
        was = raster(tree, 0)
        units = (was >= 0).reshape(level.height, 4, level.width, 4).sum(axis=(1, 3))
        cut = (units > 0) & (units < 16)
        after = raster(patch(tree, 0, np.where(cut, 0, before), before), 0)
        assert np.array_equal(after >= 0, was >= 0)
        fine = cut.repeat(4, axis=0).repeat(4, axis=1)
        door = raster_of_doors(tree)
        assert (after[fine & (was >= 0) & ~door] == 0).all()
        assert np.array_equal(after[~fine], was[~fine])


def raster_of_doors(tree):
    """Which squares of a quarter unit are doors of the lowest layer."""
    found = np.zeros((int(tree.header["height"]) * 4, int(tree.header["width"]) * 4), np.bool_)
    nodes = tree.nodes
    for node in nodes[(nodes["leaf"] != 0) & (nodes["switchable"] != 0) & (nodes["layer"] == 0)]:
        half = 64 / 2 ** int(node["level"])
        x, y = (float(node[axis]) * 4 for axis in "xy")
        found[int(y - half) : int(y + half), int(x - half) : int(x + half)] = True
    return found


def by_place(tree):
    """Leaves by layer, level and centre: what they are, and whom they name, by the same."""
    leaves = np.flatnonzero(tree.nodes["leaf"])
    names = {
        int(tree.nodes["index"][n]): tuple(tree.nodes[n][field].item() for field in ("layer", "level", "x", "y"))
        for n in leaves
    }
    starts = tree.first_neighbours()
    return {
        names[int(tree.nodes["index"][n])]: (
            int(tree.nodes["region"][n]),
            int(tree.nodes["preference"][n]),
            int(tree.nodes["switchable"][n]),
            [names[i] for i in tree.neighbours[starts[n] : starts[n + 1]].tolist()],
        )
        for n in leaves
    }


def test_a_patch_leaves_all_other_leaves_as_they_were(levels):
    edited = 0
    for level, section in sections(levels):
        tree = section.navigation
        before = by_place(tree)
        x, y = next(place[2:] for place in before if place[0] == 0 and place[1] == 3)
        changed = np.zeros((level.height, level.width), np.bool_)
        changed[int(y), int(x)] = True
        after = by_place(patch(tree, 0, np.where(changed, BLOCKED, 128), np.full(changed.shape, 128)))
        gone, new = before.keys() - after.keys(), after.keys() - before.keys()
        assert gone == {(0, 3, x, y)}
        assert len(new) == 3 + 3  # 4 x 4 without a unit: three of 2 x 2, three of 1 x 1
        for place in before.keys() - gone:
            assert after[place][:3] == before[place][:3]
            kept = [name for name in before[place][3] if name not in gone]
            assert after[place][3][: len(kept)] == kept
            assert set(after[place][3][len(kept) :]) <= new
        edited += 1
    assert edited >= 4


def test_a_patch_and_its_reverse_give_the_level_back(levels):
    for level, section in sections(levels):
        tree = section.navigation
        changed = np.zeros((level.height, level.width), np.bool_)
        leaves = tree.nodes[(tree.nodes["leaf"] != 0) & (tree.nodes["layer"] == 0) & (tree.nodes["level"] <= 5)]
        own = leaves[leaves["switchable"] == 0][7]
        half = 16 / 2 ** int(own["level"])
        changed[int(own["y"] - half) : int(own["y"] + half), int(own["x"] - half) : int(own["x"] + half)] = True
        without = patch(tree, 0, np.where(changed, BLOCKED, 128), np.full(changed.shape, 128))
        again = patch(
            without,
            0,
            np.full(changed.shape, own["preference"].astype(np.int16)),
            np.where(changed, BLOCKED, own["preference"].astype(np.int16)),
        )
        first, second = by_place(tree), by_place(again)
        assert first.keys() == second.keys()
        assert all(set(first[place][3]) == set(second[place][3]) for place in first)
        assert again.nodes[["index", "children", "level", "x", "y"]].tobytes() == (
            tree.nodes[["index", "children", "level", "x", "y"]].tobytes()
        )


def test_a_rebuild_from_ground_forgets_what_ground_does_not_tell(levels):
    """These copies say that all ground may be walked on; preferences come out as they were where there were leaves."""
    for level, section in sections(levels):
        anew = rebuild(section.navigation, 0, weights(level.cells))
        before, after = raster(section.navigation, 0), raster(anew, 0)
        assert (after != BLOCKED).all()
        assert np.array_equal(before[before != BLOCKED], after[before != BLOCKED])
        told = changes(section.navigation, anew, 0)
        assert told.outlines > 0
        assert told.gained == np.count_nonzero(before == BLOCKED) / 16
        assert (told.lost, told.doors, told.links) == (0, 0, 0)


SEEDS = ("NAVIGATION_SEED", "REGION_ENTRANCE_POINT", "REGION_EXIT_POINT")


def test_all_ground_is_reached_from_a_seed(levels):
    for path in levels:
        things = tng.read(path.with_suffix(".tng").read_bytes())
        seeds = np.array([thing.position[:2] for thing in things if thing.definition_type in SEEDS]).reshape(-1, 2)
        for section in read(path.read_bytes()).sections:
            assert len(seeds) > 0
            assert encode(without_islands(section.navigation, seeds)) == encode(section.navigation)


def test_water_is_level(levels):
    """What themes of water say of its depth fits the ground: water is flat where that isn't (fable.md §5.1)."""
    for path in levels:
        level = read(path.read_bytes())
        names = palette_names(level.ground_palette)
        cells = level.cells
        ground = finite_heights(cells)
        blend = theme_weights.of_cells(cells, np.array([bool(name) for name in names]))
        surface, squares = water.surface(ground, blend, water.depths(names))
        wet = (surface - ground > water.SHALLOWEST) & np.pad(squares, (0, 1))
        assert wet.sum() > 400, path
        off = np.abs(surface[wet] - np.median(surface[wet]))
        assert np.quantile(off, 0.95) < 0.04 and np.ptp(ground[wet]) > 1.9, path
