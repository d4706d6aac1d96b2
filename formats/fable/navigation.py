# SPDX-License-Identifier: GPL-3.0-or-later
"""Navigation made from ground: quadtrees of a whole layer, or of changed cells only (fable.md §2.7-2.8).

The game's editor splits each 32-unit square until all of a part may be walked on alike, so the tree follows from a
raster of weights; nodes are numbered in post-order, and leaves that share an edge are neighbours. Rebuilding a real
level from its own raster gives back all its bytes. What ground alone cannot tell are the outlines of objects, which
cut half-unit squares out of it: `rebuild` forgets them, `patch` keeps them wherever no cell was changed.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Integers, Ints, Records
from ..binary import FormatError
from ..linked import components
from .leaves import BLOCKED, Leaves, Weights, finer, leaves_of, links, paint
from .nodes import COSTS_SINCE, OLD_PREFERENCE, Navigation
from .quadtree import DEEPEST, QUARTERS, Grid, assemble, edges, regions
from .records import NAVIGATION_HEADER, NAVIGATION_VERSION, NODE, POSITION, ROOT_EDGE

PATH, GROUND, UPPER_LAYERS = 0, 128, 64  # what a leaf costs
_MIXED = -2
_FAR = 1 << 20  # units; no map reaches there


def weights(cells: Records, layer: int = 0) -> Weights:
    """Weight of each unit square of a map, [height, width]: BLOCKED, or what a leaf costs there.

    A square is that of the height cell at its lower left; the cells of the last row and column have none.
    """
    inner = cells[:-1, :-1]
    cost = np.where(inner["path"] != 0, PATH, GROUND) if layer == 0 else np.full(inner.shape, UPPER_LAYERS)
    found: Weights = np.where(inner["walkable"] & 1 != 0, cost, BLOCKED).astype(np.int16)
    return found


def raster(navigation: Navigation, layer: int) -> Weights:
    """Weights of a layer as its leaves have them, [4 * height, 4 * width]: squares of a quarter unit, doors included.

    Raises FormatError if the leaves are not squares of one grid.
    """
    old = leaves_of(navigation)
    return paint(old.grid, old.nodes[old.nodes["layer"] == layer])


def rebuild(navigation: Navigation, layer: int, ground: Integers) -> Navigation:
    """Make all of a layer from weights: [height, width], or finer by 2 or 4 where half or quarter units count.

    Kept are the other layers, doors on ground that is not blocked, the regions and the order of neighbours of leaves
    that come out as they were, and the links between layers where both have a leaf still. Navigation before version 7
    stores no costs: its ground all costs the same. Raises FormatError.
    """
    old = leaves_of(navigation)
    if not 0 <= layer < navigation.layer_count:
        raise FormatError(f"there are {navigation.layer_count} layers, no layer {layer}", "navigation")
    values = _quarters(old.grid, np.asarray(ground))
    if navigation.version < COSTS_SINCE:
        values[values != BLOCKED] = OLD_PREFERENCE

    doors = np.flatnonzero((old.nodes["layer"] == layer) & (old.nodes["switchable"] != 0))
    free = np.zeros(len(doors), np.bool_)
    for number, door in enumerate(doors):
        x, y, edge = old.grid.square(old.nodes[door])
        part = values[y : y + edge, x : x + edge]
        free[number] = bool((part != BLOCKED).all())
        part[...] = BLOCKED  # its leaf is not part of the ground's
    new = cover(values, layer)
    same = _matches(old, new)
    known = same >= 0
    kept = new[known].copy()
    new[known] = old.nodes[same[known]]
    new["preference"][known] = kept["preference"]

    stay = np.concatenate([np.flatnonzero(old.nodes["layer"] != layer), doors[free]])
    leaves = np.concatenate([old.nodes[stay], new])
    before = np.concatenate([stay, same])
    places = old.grid.places(leaves)
    order = np.argsort(places, kind="stable")
    return _linked(navigation, old, leaves[order], before[order])


def patch(navigation: Navigation, layer: int, ground: Integers, before: Integers) -> Navigation:
    """Make a layer anew where its ground was edited: `before` and `ground` are weights [height, width], then and now.

    Where a square became passable or blocked, all of it does. Where only its cost changed, what of it was walkable has
    the new one, and what was cut out of it stays cut. Ground elsewhere stays as the navigation has it, the outlines of
    objects included. Raises FormatError.
    """
    values = raster(navigation, layer)
    shape = (values.shape[0] // QUARTERS, values.shape[1] // QUARTERS)
    if before.shape != shape or ground.shape != shape:
        raise FormatError(f"weights of {ground.shape}, and of {before.shape} before, not of {shape}", "navigation")
    fine = finer(np.asarray(ground, np.int16), QUARTERS)
    passable = finer((before == BLOCKED) != (ground == BLOCKED), QUARTERS)
    cost = finer(before != ground, QUARTERS) & (values != BLOCKED)
    values = np.where(passable | cost, fine, values)
    return rebuild(navigation, layer, values)


def without_islands(navigation: Navigation, seeds: Floats) -> Navigation:
    """Drop ground that nothing can be reached from; `seeds` [n, 2]: x and y, on whatever layers have ground there.

    The game's editor takes things of the types NAVIGATION_SEED, REGION_ENTRANCE_POINT and REGION_EXIT_POINT for seeds;
    open doors and links between layers lead on. Doors stay. Raises FormatError.
    """
    old = leaves_of(navigation)
    part = components(len(old.nodes), *links(navigation, old.numbers))
    points = np.asarray(seeds, np.float64).reshape(-1, 2)
    points = points[(np.abs(points) < _FAR).all(axis=1)]
    x, y = np.floor(points * QUARTERS).astype(np.int64).T
    layers = np.arange(old.grid.layers)[:, None]
    at = old.find(old.grid.place(layers, x, y).ravel())
    island = ~np.isin(part, part[at[at >= 0]]) & (old.nodes["switchable"] == 0)
    for layer in np.unique(old.nodes["layer"][island]).tolist():
        own = old.nodes["layer"] == layer
        ground = paint(old.grid, old.nodes[own])
        ground[paint(old.grid, old.nodes[own & island]) != BLOCKED] = BLOCKED
        navigation = rebuild(navigation, layer, ground)
    return navigation


def new_navigation(ground: Integers) -> Navigation:
    """Navigation of one layer, made of weights [height, width], both multiples of 32. Raises FormatError."""
    header = np.zeros((), NAVIGATION_HEADER)
    header["version"], header["height"], header["width"] = NAVIGATION_VERSION, *ground.shape
    none = Navigation(
        header, np.zeros(0, POSITION), 1, np.zeros(0, NODE), np.zeros(0, np.int32), np.zeros(0, np.uint64)
    )
    return rebuild(none, 0, ground)


def navigation_of_leaves(
    shape: tuple[int, int], layer_count: int, leaves: Records, keys: npt.NDArray[np.uint64], crossing: Ints
) -> Navigation:
    """Navigation that has these leaves, NODE [n], in whatever order, on a map of `shape` (height, width).

    What counts of a leaf is where it is (layer, level, x, y), its region (0: what can be reached from it gets one), its
    preference, and whether it is a door (switchable, blocked, key_count). keys: of the doors, leaf after leaf.
    crossing: [n, 2], numbers of leaves of different layers that are neighbours. Raises FormatError.
    """
    header = np.zeros((), NAVIGATION_HEADER)
    header["version"], header["height"], header["width"] = NAVIGATION_VERSION, *shape
    nodes = leaves.copy()
    nodes["leaf"], nodes["root"], nodes["index"] = 1, leaves["level"] == 0, np.arange(1, len(leaves) + 1)
    both = np.unique(np.concatenate([crossing, crossing[:, ::-1]]).reshape(-1, 2), axis=0)
    nodes["neighbour_count"] = np.bincount(both[:, 0], minlength=len(leaves))
    names = (both[:, 1] + 1).astype(np.int32)
    loose = Navigation(header, np.zeros(0, POSITION), layer_count, nodes, names, keys)
    old = leaves_of(loose)
    made = _linked(loose, old, old.nodes.copy(), np.arange(len(old.nodes)))
    own = np.flatnonzero(made.nodes["leaf"] != 0)  # in the order of `old`: both go by place
    given = old.nodes["region"] > 0
    made.nodes["region"][own[given]] = old.nodes["region"][given]
    made.header["region_count"] = int(made.nodes["region"].max(initial=0)) + 1
    return made


# ------------------------------------------------------------------------------------------------------ what is to be


def _quarters(grid: Grid, ground: Integers) -> Weights:
    """Weights for each square of a quarter unit: a copy."""
    for times in (1, 2, 4):
        if ground.shape == (grid.height * QUARTERS // times, grid.width * QUARTERS // times):
            if ground.size and (ground.min() < BLOCKED or ground.max() > 255):
                raise FormatError(f"weights go from {BLOCKED} to 255", "navigation")
            return finer(ground.astype(np.int16), times)
    raise FormatError(f"weights of {ground.shape} for a map of {grid.height} rows, {grid.width} columns", "navigation")


def cover(values: Weights, layer: int) -> Records:
    """The largest squares of one weight that cover all ground that is not blocked, NODE [n]. values: int16[rows,
    columns], weights of smallest squares.
    """
    levels = [values]
    for _ in range(DEEPEST):
        rows, columns = levels[-1].shape
        four = levels[-1].reshape(rows // 2, 2, columns // 2, 2)
        first = four[:, 0, :, 0]
        same = (four == first[:, None, :, None]).all(axis=(1, 3))
        levels.append(np.where(same, first, _MIXED).astype(np.int16))
    levels.reverse()
    parts = []
    for level, own in enumerate(levels):
        taken = own >= 0
        if level:
            taken &= finer(levels[level - 1] == _MIXED, 2)
        y, x = np.nonzero(taken)
        edge = ROOT_EDGE / 2**level
        leaves = np.zeros(len(x), NODE)
        leaves["leaf"], leaves["level"], leaves["layer"], leaves["root"] = 1, level, layer, level == 0
        leaves["x"], leaves["y"] = (x + 0.5) * edge, (y + 0.5) * edge
        leaves["preference"] = own[y, x]
        parts.append(leaves)
    return np.concatenate(parts)


def _matches(old: Leaves, new: Records) -> Ints:
    """The number of the old leaf, no door, that each new one is; -1 for none."""
    same = old.find(old.grid.places(new))
    hit = same >= 0
    hit[hit] = (old.nodes["level"][same[hit]] == new["level"][hit]) & (old.nodes["switchable"][same[hit]] == 0)
    return np.where(hit, same, -1)


def _linked(navigation: Navigation, old: Leaves, leaves: Records, before: Ints) -> Navigation:
    """Make a navigation of leaves, ordered by place; `before`: what number each had in `old`, or -1."""
    grid, count = old.grid, len(leaves)
    places = grid.places(leaves)
    from_old, to_old = links(navigation, old.numbers)
    crossing = old.nodes["layer"][from_old] != old.nodes["layer"][to_old]
    centres = old.places + grid.spans(old.nodes) * 3 // 4  # the lower left corner of its last child
    ends = [grid.find(places, leaves, centres[number[crossing]]) for number in (from_old, to_old)]
    crossed = np.stack(ends, axis=1)
    pairs = np.concatenate([edges(grid, places, leaves), crossed[(crossed >= 0).all(axis=1)]])
    pairs = np.unique(pairs[:, 0] * count + pairs[:, 1])
    first, second = pairs // max(count, 1), pairs % max(count, 1)

    leaves["region"] = regions(leaves, before >= 0, first, second)
    # Neighbours that a leaf had stand in their order; new ones behind them, by place.
    old_keys = from_old * len(old.nodes) + to_old
    sorter = np.argsort(old_keys, kind="stable")
    keys = np.where((before[first] >= 0) & (before[second] >= 0), before[first] * len(old.nodes) + before[second], -1)
    rank = np.full(len(keys), len(old_keys))
    if len(old_keys):
        at = np.minimum(np.searchsorted(old_keys[sorter], keys), len(old_keys) - 1)
        rank = np.where(old_keys[sorter][at] == keys, sorter[at], rank)
    order = np.lexsort((second, rank, first))
    leaves["neighbour_count"] = np.bincount(first, minlength=count)

    nodes, indices = assemble(grid, leaves, navigation.layer_count)
    doors = before[(leaves["switchable"] != 0)]
    starts = navigation.first_keys()
    at_door = old.numbers[doors]
    parts = [navigation.keys[starts[n] : starts[n + 1]] for n in at_door.tolist()]
    header = navigation.header.copy()
    header["region_count"] = int(leaves["region"].max(initial=0)) + 1
    return replace(
        navigation,
        header=header,
        nodes=nodes,
        neighbours=indices[second[order]].astype(np.int32),
        keys=np.concatenate([navigation.keys[:0], *parts]),
    )
