# SPDX-License-Identifier: GPL-3.0-or-later
"""Navigation made from ground: covers, numbers, neighbours, regions, and what stays when only some of it changes."""

import dataclasses
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.fable import (
    BLOCKED,
    NavigationChanges,
    changes,
    new_level,
    new_navigation,
    patch,
    raster,
    read,
    rebuild,
    weights,
    without_islands,
)
from formats.fable.nodes import decode, encode
from tests.formats import fable_bytes as build


def boxes(tree):
    """Leaf by leaf: layer, x0, y0, x1, y1."""
    found = []
    for node in tree.nodes[tree.nodes["leaf"] != 0]:
        half = 16 / 2 ** int(node["level"])
        x, y = float(node["x"]), float(node["y"])
        found.append((int(node["layer"]), x - half, y - half, x + half, y + half))
    return found


def neighbour_sets(tree):
    """Leaf by leaf: the numbers of the leaves that it names."""
    starts = tree.first_neighbours()
    leaves = np.flatnonzero(tree.nodes["leaf"])
    number = {int(tree.nodes["index"][node]): at for at, node in enumerate(leaves)}
    return [{number[i] for i in tree.neighbours[starts[node] : starts[node + 1]].tolist()} for node in leaves]


def touching(tree):
    """The same, from the boxes: an edge of more than no length in common."""
    own = boxes(tree)
    found = [set() for _ in own]
    for (i, a), (j, b) in combinations(enumerate(own), 2):
        width = min(a[3], b[3]) - max(a[1], b[1])
        height = min(a[4], b[4]) - max(a[2], b[2])
        if a[0] == b[0] and min(width, height) == 0 and max(width, height) > 0:
            found[i].add(j)
            found[j].add(i)
    return found


def check_numbers(tree):
    """Walk the trees: pre-order in the file, post-order in indices, children where they should be."""
    at, counter = 0, 0

    def visit(level, x, y):
        nonlocal at, counter
        node = tree.nodes[at]
        at += 1
        assert (int(node["level"]), float(node["x"]), float(node["y"])) == (level, x, y)
        assert node["root"] == (level == 0)
        if not node["leaf"]:
            quarter = 8 / 2**level
            for child, (dx, dy) in zip(node["children"].tolist(), ((-1, -1), (1, -1), (-1, 1), (1, 1)), strict=True):
                if child:
                    assert visit(level + 1, x + dx * quarter, y + dy * quarter) == child
        counter += 1
        assert node["index"] == counter
        return counter

    columns, rows = int(tree.header["width"]) // 32, int(tree.header["height"]) // 32
    for _ in range(tree.layer_count):
        for slot in range(columns * rows):
            if tree.nodes[at]["blocked"] and not tree.nodes[at]["switchable"]:
                at += 1
                counter += 1
            else:
                visit(0, slot % columns * 32 + 16.0, slot // columns * 32 + 16.0)
    assert at == len(tree.nodes)


def test_one_leaf():
    assert encode(new_navigation(np.full((32, 32), 128))) == build.ONE_ROOT


def test_a_hole():
    ground = np.full((32, 64), BLOCKED)
    ground[:, :32] = 128
    ground[:16, :16] = BLOCKED
    tree = dataclasses.replace(new_navigation(ground), positions=decode(build.HOLE).positions)
    assert encode(rebuild(decode(build.HOLE), 0, ground)) == build.HOLE
    assert neighbour_sets(tree) == neighbour_sets(decode(build.HOLE))
    assert tree.nodes.tobytes() == decode(build.HOLE).nodes.tobytes()


def test_doors_layers_and_the_links_between_them_stay():
    tree = decode(build.DOORS)
    for layer in (0, 1):
        assert encode(rebuild(tree, layer, raster(tree, layer))) == build.DOORS
    ground = np.full((32, 32), 64)
    ground[16:, 16:] = BLOCKED
    assert encode(rebuild(tree, 1, ground)) == build.DOORS


def test_a_door_on_blocked_ground_goes():
    tree = decode(build.DOORS)
    ground = np.full((32, 32), 64)
    ground[:, 16:] = BLOCKED
    without = rebuild(tree, 1, ground)
    assert without.keys.tolist() == [build.DOOR]
    assert boxes(without) == [box for box in boxes(tree) if box != (1, 16, 0, 32, 16)]
    check_numbers(without)


def test_links_between_layers_follow_the_leaf_that_takes_their_place():
    tree = decode(build.DOORS)
    ground = np.full((32, 32), BLOCKED)
    ground[:16, :16] = 128
    ground[0, 0] = BLOCKED
    below = rebuild(tree, 0, ground)
    leaves = boxes(below)
    crossing = [
        (leaves[a], leaves[b])
        for a, near in enumerate(neighbour_sets(below))
        for b in near
        if leaves[a][0] < leaves[b][0]
    ]
    assert crossing == [((0, 8, 8, 16, 16), (1, 0, 0, 16, 16))]  # the leaf that holds the centre of the old one
    assert all(a in neighbour_sets(below)[b] for a, near in enumerate(neighbour_sets(below)) for b in near)
    ground[8:, 8:] = BLOCKED
    apart = rebuild(tree, 0, ground)
    assert not any(
        boxes(apart)[b][0] for a, near in enumerate(neighbour_sets(apart)) for b in near if not boxes(apart)[a][0]
    )


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 1 << 30), st.sampled_from([1, 2, 4]), st.sampled_from([0.02, 0.3, 0.95]))
def test_any_ground_is_covered_by_the_largest_squares(seed, fineness, share):
    random = np.random.default_rng(seed)
    coarse = random.choice([0, 128], (8 * fineness, 4 * fineness)).repeat(8, 0).repeat(8, 1)
    ground = np.where(random.random(coarse.shape) < share, BLOCKED, coarse)
    if share == 0.95:
        ground[:, 10 * fineness :] = BLOCKED
    tree = new_navigation_of(ground, fineness)
    check_numbers(tree)
    assert np.array_equal(raster(tree, 0), ground.repeat(4 // fineness, 0).repeat(4 // fineness, 1))
    leaves = tree.nodes[tree.nodes["leaf"] != 0]
    if len(leaves) < 500:
        assert neighbour_sets(tree) == touching(tree)
    parents = {}
    for node in leaves[leaves["level"] > 0]:
        edge = 64 / 2 ** int(node["level"])
        key = int(node["level"]), float(node["x"]) // edge, float(node["y"]) // edge
        parents.setdefault(key, []).append(int(node["preference"]))
    assert not any(len(costs) == 4 and len(set(costs)) == 1 for costs in parents.values())
    assert encode(decode(encode(tree))) == encode(tree)
    assert encode(rebuild(tree, 0, raster(tree, 0))) == encode(tree)


def new_navigation_of(ground, fineness):
    """Of ground that is finer than units."""
    empty = new_navigation(np.full((ground.shape[0] // fineness, ground.shape[1] // fineness), BLOCKED))
    return rebuild(empty, 0, ground)


def test_regions_are_what_can_be_reached():
    ground = np.full((32, 64), 128)
    ground[:, 20] = BLOCKED
    ground[10] = BLOCKED
    tree = new_navigation(ground)
    values = {}
    for node in tree.nodes[tree.nodes["leaf"] != 0]:
        values.setdefault((node["x"] > 20, node["y"] > 10), set()).add(int(node["region"]))
    assert sorted(values.values(), key=min) == [{1}, {2}, {3}, {4}]
    assert tree.region_count == 5


def test_a_patch_keeps_regions_and_joins_or_parts_them():
    ground = np.full((32, 64), 128)
    ground[:, 40] = BLOCKED
    tree = new_navigation(ground)
    header = tree.header.copy()
    nodes = tree.nodes.copy()
    nodes["region"][nodes["region"] == 1] = 7
    header["region_count"] = 8
    tree = dataclasses.replace(tree, nodes=nodes, header=header)
    left, right = (region_at(tree, x) for x in (1, 60))
    assert {left, right} == {2, 7}

    opened = ground.copy()
    opened[3, 40] = 128
    bridge = patch(tree, 0, opened, ground)
    assert region_at(bridge, 1) == region_at(bridge, 60) == region_at(bridge, 40.5, 3.5)
    assert region_at(bridge, 1) in (left, right)

    walled = ground.copy()
    walled[:, 20] = BLOCKED
    wall = patch(tree, 0, walled, ground)
    parts = [region_at(wall, x) for x in (1, 30, 60)]
    assert len(set(parts)) == 3
    assert {left, right} < set(parts)
    assert wall.region_count == max(*parts, left, right) + 1 or wall.region_count == max(parts) + 1
    check_numbers(wall)


def region_at(tree, x, y=1.0):
    for number, box in enumerate(boxes(tree)):
        if box[1] <= x < box[3] and box[2] <= y < box[4]:
            return int(tree.nodes[tree.nodes["leaf"] != 0][number]["region"])
    return None


def test_doors_part_regions_and_keep_their_own():
    tree = decode(build.DOORS)
    ground = np.full((32, 32), 64)
    tree = rebuild(tree, 1, ground)
    doors = tree.nodes[tree.nodes["switchable"] != 0]
    assert doors["region"].tolist() == [1, 0]
    upper = tree.nodes[(tree.nodes["layer"] == 1) & (tree.nodes["leaf"] != 0) & (tree.nodes["switchable"] == 0)]
    assert upper["region"].tolist() == [1, 2]  # the fourth quarter is behind doors


def test_a_patch_touches_nothing_else():
    random = np.random.default_rng(1)
    ground = np.where(random.random((64, 64)) < 0.1, BLOCKED, 128)
    tree = new_navigation(ground)
    changed = np.zeros(ground.shape, np.bool_)
    changed[40:44, 8:12] = True
    was = np.where(changed, 128, 0)  # elsewhere the ground was, and is, a path that the navigation doesn't know of
    patched = patch(tree, 0, np.where(changed, BLOCKED, 0), was)
    assert np.array_equal(raster(patched, 0)[::4, ::4], np.where(changed, BLOCKED, ground))
    before, after = set(boxes(tree)), set(boxes(patched))
    gone = before - after
    assert all(box[1] < 12 + 16 and box[3] > 8 - 16 for box in gone)
    assert len(gone) < 20
    assert encode(patch(tree, 0, was, was)) == encode(tree)


def test_a_path_leaves_what_was_cut_out_of_the_ground():
    """Half a square is cut out, as by an object's outline: as path, the other half costs less; nothing is gained."""
    fine = np.full((128, 128), 128)
    fine[40:42, 40:44] = BLOCKED  # half of the square at 10, 10
    tree = rebuild(new_navigation(np.full((32, 32), 128)), 0, fine)
    ground = np.full((32, 32), 128)
    path = ground.copy()
    path[10, 8:13] = 0
    expected = np.where(
        np.arange(128)[:, None] // 4 == 10, np.where(np.isin(np.arange(128) // 4, range(8, 13)), 0, 128), 128
    )
    expected[40:42, 40:44] = BLOCKED
    assert np.array_equal(raster(patch(tree, 0, path, ground), 0), expected)
    opened = ground.copy()
    opened[10, 10] = BLOCKED
    assert (raster(patch(tree, 0, path, opened), 0)[40:44, 40:44] == 0).all(), "the square was made walkable, all of it"


def test_islands_are_dropped_but_for_doors_and_what_they_lead_to():
    ground = np.full((32, 96), 128)
    ground[:, (20, 40, 70)] = BLOCKED
    tree = new_navigation(ground)
    seeds = np.array([[1.5, 1.5], [50.0, 3.0], [1e300, float("nan")], [-5.0, 400.0]])
    kept = raster(without_islands(tree, seeds), 0)[::4, ::4] != BLOCKED
    expected = ground != BLOCKED
    expected[:, 20:40] = expected[:, 70:] = False
    assert np.array_equal(kept, expected)
    assert not (raster(without_islands(tree, np.zeros((0, 2))), 0) != BLOCKED).any()
    doors = decode(build.DOORS)
    assert encode(without_islands(doors, np.array([[30.0, 30.0]]))) == build.DOORS
    alone = without_islands(doors, np.zeros((0, 2)))
    assert boxes(alone) == [(1, 16, 0, 32, 16), (1, 0, 16, 16, 32)]
    check_numbers(alone)


def test_changes_are_told():
    tree = decode(build.DOORS)
    assert list(changes(tree, tree, 0).lines()) == []
    cut = np.full((64, 64), 128)
    cut[0, 0] = cut[10:12, 10:12] = BLOCKED
    before = rebuild(tree, 0, cut)
    ground = np.full((32, 32), 128)
    ground[31] = BLOCKED
    after = rebuild(before, 0, ground)
    assert changes(before, after, 0) == NavigationChanges(gained=1.25, lost=32.0, outlines=1, doors=0, links=0)
    without = rebuild(tree, 1, np.full((32, 32), BLOCKED))
    told = changes(tree, without, 1)
    assert told == NavigationChanges(gained=0.0, lost=768.0, outlines=0, doors=2, links=1)
    assert list(told.lines()) == [
        "768 square units of ground cannot be walked on any more",
        "gone: 2 squares of doors",
        "gone: 1 link between layers",
    ]


@pytest.mark.parametrize("version", [5, 6])
def test_versions_without_costs_stay_without(version):
    whole = build.section([build.leaf(0, 16.0, 16.0, 1, version=version)], version=version)
    ground = np.full((32, 32), 128)
    ground[:, 16:] = 0
    assert encode(rebuild(decode(whole), 0, ground)) == whole
    ground[:16, :16] = BLOCKED
    cut = decode(encode(rebuild(decode(whole), 0, ground)))
    assert len(boxes(cut)) == 3
    assert neighbour_sets(cut) == touching(cut)


def test_weights_of_cells():
    level = read(build.Lev(cell=lambda x, y: build.height_cell(walkable=(0, 1, 2, 3)[x % 4], path=y % 2)).build())
    ground = weights(level.cells)
    assert ground.shape == (32, 32)
    assert ground[0, :4].tolist() == [BLOCKED, 128, BLOCKED, 128]
    assert ground[1, :4].tolist() == [BLOCKED, 0, BLOCKED, 0]
    assert weights(level.cells, 1)[1, :4].tolist() == [BLOCKED, 64, BLOCKED, 64]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        (build.section([build.leaf(8, 1.0, 1.0, 1)]), "not a square of the map's grid: level 8"),
        (build.section([build.leaf(0, 17.0, 16.0, 1)]), "not a square"),
        (build.section([build.leaf(0, build.NAN, 16.0, 1)]), "not a square"),
        (build.section([build.leaf(0, 48.0, 16.0, 1)]), "not a square"),
        (build.section([build.leaf(0, 16.0, 16.0, 1, layer=1)]), "not a square"),
        (build.section([build.leaf(0, 16.0, 16.0, 1), build.leaf(1, 8.0, 8.0, 2)]), "over each other"),
        (build.section([], width=33), "not a multiple of 32"),
        (build.section([], width=float("nan")), "not a multiple of 32"),
        (build.section([], width=1e9, height=1e9), "not a multiple of 32"),
        (build.section([], width=1 << 16, height=1 << 16), "more than any map has"),
        (build.section([], layers=1 << 31), "more than any map has"),
    ],
)
def test_navigation_that_is_no_quadtree_is_refused(section, message):
    with pytest.raises(FormatError, match=message):
        rebuild(decode(section), 0, np.full((32, 32), 128))


def test_wrong_arguments_are_refused():
    tree = decode(build.ONE_ROOT)
    for call in (
        lambda: rebuild(tree, 1, np.zeros((32, 32))),
        lambda: rebuild(tree, 0, np.zeros((32, 31))),
        lambda: rebuild(tree, 0, np.full((32, 32), 256)),
        lambda: rebuild(tree, 0, np.full((32, 32), -2)),
        lambda: patch(tree, 0, np.zeros((32, 31)), np.zeros((32, 31))),
        lambda: new_navigation(np.zeros((32, 31))),
    ):
        with pytest.raises(FormatError):
            call()


def test_neighbours_that_are_no_leaves_are_dropped():
    wild = build.section(
        [
            build.internal(0, 16.0, 16.0, 3, (1, 2, 0, 0)),
            build.leaf(1, 8.0, 8.0, 1, (99, 2, 3)),
            build.leaf(1, 24.0, 8.0, 2),
        ]
    )
    tree = decode(wild)
    assert neighbour_sets(rebuild(tree, 0, raster(tree, 0))) == [{1}, {0}]


def test_new_levels_can_be_walked():
    level = new_level(96, 64)
    tree = level.sections[0].navigation
    assert len(boxes(tree)) == 6
    assert neighbour_sets(tree) == touching(tree)
    check_numbers(tree)
