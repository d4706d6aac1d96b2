# SPDX-License-Identifier: GPL-3.0-or-later
"""A level that is larger or smaller at its edges: cells, game map, navigation and action points; and its things."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Records
from ..binary import FormatError
from . import tng
from .leaves import crossings
from .level import Level
from .navigation import navigation_of_leaves, raster, rebuild, weights
from .nodes import Navigation
from .quadtree import QUARTERS
from .records import GAME_CELL_EDGE, ROOT_EDGE

LARGEST = 1024
"""Units along a side: the game's largest level has 256."""


@dataclass(frozen=True, slots=True)
class Edges:
    """By how many units a level grows at each side; negative: what is there is cut off."""

    west: int = 0
    east: int = 0
    south: int = 0
    north: int = 0

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height afterwards. Raises ValueError unless all are multiples of 32 and something is left."""
        if any(value % ROOT_EDGE for value in (self.west, self.east, self.south, self.north)):
            raise ValueError(f"a level grows and shrinks by multiples of {ROOT_EDGE}")
        made = width + self.west + self.east, height + self.south + self.north
        if min(made) < ROOT_EDGE or max(made) > LARGEST:
            raise ValueError(f"{made[0]} x {made[1]} units: {ROOT_EDGE} to {LARGEST} are possible")
        if -self.west >= width or -self.south >= height or -self.east >= width or -self.north >= height:
            raise ValueError("nothing of the level would be left")
        return made


def resize(level: Level, edges: Edges) -> None:
    """Give a level another size, in place: new cells are those at the edge again.

    New ground is as walkable as its cells on the lowest layer of each section; what lies outside goes. Raises
    ValueError for sizes that there aren't, FormatError for navigation that can't be read.
    """
    width, height = edges.size(level.width, level.height)
    sections = [(section, section.navigation) for section in level.sections or ()]
    was = level.width, level.height
    level.cells = _grown(level.cells, edges, 1)
    if level.game_map is not None and level.game_map.size:
        level.game_map = _grown(level.game_map, edges, GAME_CELL_EDGE)
    level.map_header["width"], level.map_header["height"] = width, height
    for section, navigation in sections:
        section.navigation = _resized(navigation, was, (width, height), edges, _ground(level))


def _ground(level: Level) -> npt.NDArray[np.int16]:
    """Weights of the ground, [height, width], also of a level without the cells of the last row and column."""
    found = np.full((level.height, level.width), -1, np.int16)
    made = weights(level.cells)
    found[: made.shape[0], : made.shape[1]] = made[: level.height, : level.width]
    return found


def move_things(things: tng.Things, edges: Edges, size: tuple[int, int]) -> int:
    """Move things along with the ground that they stand on, in place; how many of them lie outside of `size` (width,
    height) then. Where creatures start in the world stays: the map's origin moves the other way.
    """
    outside = 0
    for thing in things:
        place = thing.position
        if place is None:
            continue
        moved = (place[0] + edges.west, place[1] + edges.south, place[2])
        if moved != place:
            thing.position = moved
        outside += not (0 <= moved[0] <= size[0] and 0 <= moved[1] <= size[1])
    return outside


def _grown(cells: Records, edges: Edges, edge: int) -> Records:
    """Cells, rows upwards, with those at the edge again where there weren't any. edge: units to a cell."""
    rows, columns = cells.shape
    y = np.arange(-(edges.south // edge), rows + edges.north // edge)
    x = np.arange(-(edges.west // edge), columns + edges.east // edge)
    made: Records = cells[np.ix_(np.clip(y, 0, rows - 1), np.clip(x, 0, columns - 1))]
    return made


def _resized(
    old: Navigation, was: tuple[int, int], size: tuple[int, int], edges: Edges, ground: npt.NDArray[np.int16]
) -> Navigation:
    """Navigation moved along with its ground, cut off at the edges, and made of the ground where that is new."""
    if old.header["width"] != was[0] or old.header["height"] != was[1]:
        raise FormatError("it is of another size than the level", "navigation")
    numbers = np.flatnonzero(old.nodes["leaf"] != 0)
    leaves = old.nodes[numbers]
    leaves["x"] += np.float32(edges.west)
    leaves["y"] += np.float32(edges.south)
    stay: Bools = (leaves["x"] > 0) & (leaves["x"] < size[0]) & (leaves["y"] > 0) & (leaves["y"] < size[1])
    owners = np.repeat(stay & (leaves["switchable"] != 0), np.where(leaves["switchable"] != 0, leaves["key_count"], 0))
    place = np.full(len(old.nodes), -1)
    place[numbers[stay]] = np.arange(np.count_nonzero(stay))
    crossing = place[crossings(old)]
    crossing = crossing[(crossing >= 0).all(axis=1)]
    layers = max(old.layer_count, 1)
    made = navigation_of_leaves((size[1], size[0]), layers, leaves[stay], old.keys[owners], crossing)
    points = old.positions.copy()
    points["x"] += np.float32(edges.west)
    points["y"] += np.float32(edges.south)
    inside = (points["x"] >= 0) & (points["x"] <= size[0]) & (points["y"] >= 0) & (points["y"] <= size[1])
    made = replace(made, positions=points[inside])
    fresh = np.ones(ground.shape, np.bool_)
    fresh[_span(edges.south, was[1]), _span(edges.west, was[0])] = False
    if fresh.any():
        values = raster(made, 0)
        fine = fresh.repeat(QUARTERS, axis=0).repeat(QUARTERS, axis=1)
        values[fine] = ground.repeat(QUARTERS, axis=0).repeat(QUARTERS, axis=1)[fine]
        made = rebuild(made, 0, values)
    return made


def _span(before: int, length: int) -> slice:
    """Where what was there lies now. before: by how much it grew at the low side."""
    return slice(max(before, 0), max(before + length, 0))
