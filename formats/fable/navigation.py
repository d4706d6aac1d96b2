"""Navigation made from ground: quadtrees of a whole layer, or of changed cells only (fable-lev-notes §2.7-2.8).

The game's editor splits each 32-unit square until all of a part may be walked on alike, so the tree follows from a
raster of weights; nodes are numbered in post-order, and leaves that share an edge are neighbours. Rebuilding a real
level from its own raster gives back all its bytes. What ground alone cannot tell are the outlines of objects, which
cut half-unit squares out of it: `rebuild` forgets them, `patch` keeps them wherever no cell was changed.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..binary import FormatError
from .nodes import Navigation
from .quadtree import DEEPEST, QUARTERS, Grid, assemble, edges, regions
from .records import NAVIGATION_HEADER, NAVIGATION_VERSION, NODE, POSITION, ROOT_EDGE, Records

BLOCKED = -1
PATH, GROUND, UPPER_LAYERS = 0, 128, 64  # what a leaf costs
_MIXED = -2

Weights = npt.NDArray[np.int16]
Numbers = npt.NDArray[np.int64]


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
    old = _leaves(navigation)
    return _raster(old.grid, old.nodes[old.nodes["layer"] == layer])


def rebuild(navigation: Navigation, layer: int, ground: npt.NDArray[Any]) -> Navigation:
    """Make all of a layer from weights: [height, width], or finer by 2 or 4 where half or quarter units count.

    Kept are the other layers, doors on ground that is not blocked, the regions and the order of neighbours of leaves
    that come out as they were, and the links between layers where both have a leaf still. Raises FormatError.
    """
    old = _leaves(navigation)
    if not 0 <= layer < navigation.layer_count:
        raise FormatError(f"there are {navigation.layer_count} layers, no layer {layer}", "navigation")
    values = _quarters(old.grid, np.asarray(ground))

    doors = np.flatnonzero((old.nodes["layer"] == layer) & (old.nodes["switchable"] != 0))
    free = np.zeros(len(doors), np.bool_)
    for number, door in enumerate(doors):
        x, y, edge = old.grid.square(old.nodes[door])
        part = values[y : y + edge, x : x + edge]
        free[number] = bool((part != BLOCKED).all())
        part[...] = BLOCKED  # its leaf is no part of the ground's
    new = _cover(values, layer)
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


def patch(navigation: Navigation, layer: int, ground: npt.NDArray[Any], changed: npt.NDArray[np.bool_]) -> Navigation:
    """Make a layer anew where `changed` [height, width] is set, of the weights `ground` (of the same shape).

    Ground elsewhere stays as the navigation has it, the outlines of objects included. Raises FormatError.
    """
    values = raster(navigation, layer)
    if changed.shape != (values.shape[0] // QUARTERS, values.shape[1] // QUARTERS) or ground.shape != changed.shape:
        shape = (values.shape[0] // QUARTERS, values.shape[1] // QUARTERS)
        raise FormatError(f"weights of {ground.shape} and changes of {changed.shape}, not {shape}", "navigation")
    fine = _finer(changed, QUARTERS)
    values[fine] = _finer(ground, QUARTERS)[fine]
    return rebuild(navigation, layer, values)


def new_navigation(ground: npt.NDArray[Any]) -> Navigation:
    """Navigation of one layer, made of weights [height, width], both multiples of 32. Raises FormatError."""
    header = np.zeros((), NAVIGATION_HEADER)
    header["version"], header["height"], header["width"] = NAVIGATION_VERSION, *ground.shape
    none = Navigation(
        header, np.zeros(0, POSITION), 1, np.zeros(0, NODE), np.zeros(0, np.int32), np.zeros(0, np.uint64)
    )
    return rebuild(none, 0, ground)


# ------------------------------------------------------------------------------------------------------- what there is


@dataclass(frozen=True, slots=True)
class _Leaves:
    """The leaves of a navigation, ordered by place."""

    grid: Grid
    nodes: Records
    numbers: Numbers  # of the nodes in the navigation
    places: Numbers


def _leaves(navigation: Navigation) -> _Leaves:
    grid = Grid.of(navigation)
    numbers = np.flatnonzero(navigation.nodes["leaf"] != 0)
    nodes = navigation.nodes[numbers]
    grid.validate(nodes)
    places = grid.places(nodes)
    order = np.argsort(places, kind="stable")
    found = _Leaves(grid, nodes[order], numbers[order], places[order])
    if (found.places[:-1] + grid.spans(found.nodes)[:-1] > found.places[1:]).any():
        raise FormatError("leaves lie over each other", "navigation")
    return found


def _links(navigation: Navigation, old: _Leaves) -> tuple[Numbers, Numbers]:
    """Who names whom as neighbour, as numbers in `old`, in the order of the lists; names of no leaf are left out."""
    nodes = navigation.nodes
    place = np.full(len(nodes), -1)
    place[old.numbers] = np.arange(len(old.numbers))
    by_index = np.argsort(nodes["index"], kind="stable")
    by_index = by_index[nodes["leaf"][by_index] != 0]
    indices = nodes["index"][by_index]
    owners = np.repeat(place, nodes["neighbour_count"])
    if not len(indices):
        return owners[:0], owners[:0]
    at = np.minimum(np.searchsorted(indices, navigation.neighbours), len(indices) - 1)
    found = indices[at] == navigation.neighbours
    return owners[found], place[by_index[at[found]]]


def _raster(grid: Grid, leaves: Records) -> Weights:
    """Paint leaves, the largest first: each level is the one above, twice as fine."""
    values: Weights = np.full((grid.rows, grid.columns), BLOCKED, np.int16)
    for level in range(DEEPEST + 1):
        if level:
            values = _finer(values, 2)
        those = leaves[leaves["level"] == level]
        x, y, _ = grid.squares(those)
        shift = DEEPEST - level
        values[y >> shift, x >> shift] = those["preference"]
    return values


# ------------------------------------------------------------------------------------------------------ what is to be


def _finer(values: npt.NDArray[Any], times: int) -> npt.NDArray[Any]:
    return values.repeat(times, axis=0).repeat(times, axis=1)


def _quarters(grid: Grid, ground: npt.NDArray[Any]) -> Weights:
    """Weights for each square of a quarter unit: a copy."""
    for times in (1, 2, 4):
        if ground.shape == (grid.height * QUARTERS // times, grid.width * QUARTERS // times):
            if ground.size and (ground.min() < BLOCKED or ground.max() > 255):
                raise FormatError(f"weights go from {BLOCKED} to 255", "navigation")
            return _finer(ground.astype(np.int16), times)
    raise FormatError(f"weights of {ground.shape} for a map of {grid.height} rows, {grid.width} columns", "navigation")


def _cover(values: Weights, layer: int) -> Records:
    """The largest squares of one weight that cover all ground that is not blocked."""
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
            taken &= _finer(levels[level - 1] == _MIXED, 2)
        y, x = np.nonzero(taken)
        edge = ROOT_EDGE / 2**level
        leaves = np.zeros(len(x), NODE)
        leaves["leaf"], leaves["level"], leaves["layer"], leaves["root"] = 1, level, layer, level == 0
        leaves["x"], leaves["y"] = (x + 0.5) * edge, (y + 0.5) * edge
        leaves["preference"] = own[y, x]
        parts.append(leaves)
    return np.concatenate(parts)


def _matches(old: _Leaves, new: Records) -> Numbers:
    """The number of the old leaf, no door, that each new one is; -1 for none."""
    same = old.grid.find(old.places, old.nodes, old.grid.places(new))
    hit = same >= 0
    hit[hit] = (old.nodes["level"][same[hit]] == new["level"][hit]) & (old.nodes["switchable"][same[hit]] == 0)
    return np.where(hit, same, -1)


def _linked(navigation: Navigation, old: _Leaves, leaves: Records, before: Numbers) -> Navigation:
    """Make a navigation of leaves, ordered by place; `before`: what number each had in `old`, or -1."""
    grid, count = old.grid, len(leaves)
    places = grid.places(leaves)
    from_old, to_old = _links(navigation, old)
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
