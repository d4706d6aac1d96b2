# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds of brushes for trees and leaks: boxes, what is turned, and grids of voxels to hold a flood against."""

import numpy as np

from formats import solid_tree

AXES = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], np.float64)


def boxes(*bounds):
    """Planes of boxes (low, high), one's after another's: normals, dists, counts."""
    dists = [value for low, high in bounds for axis in range(3) for value in (high[axis], -low[axis])]
    return np.tile(AXES, (len(bounds), 1)), np.array(dists, np.float64), [6] * len(bounds)


def world(*bounds):
    """Boxes as brushes."""
    return solid_tree.brushes(*boxes(*bounds))


def turned(turn, *bounds):
    """Boxes that are turned about the origin by a matrix."""
    normals, dists, counts = boxes(*bounds)
    return solid_tree.brushes(normals @ np.asarray(turn).T, dists, counts)


def room(size=128.0, thick=16.0):
    """Six walls around the origin: +x, -x, +y, -y, +z, -z."""
    walls = []
    for axis in range(3):
        for sign in (1, -1):
            low, high = np.full(3, -size - thick), np.full(3, size + thick)
            (low if sign > 0 else high)[axis] = sign * size
            walls.append((low, high))
    return walls


def depths(of, points):
    """How deep points lie in the brush that they are deepest in, float64[n]; negative: how far outside of all."""
    found = np.full(len(points), -np.inf)
    for brush in range(len(of)):
        sides = slice(of.first_side[brush], of.first_side[brush + 1])
        found = np.maximum(found, (of.dists[sides] - points @ of.normals[sides].T).min(axis=1))
    return found


def voxel_flood(solid, seeds):
    """Which voxels of bool[n, n, n] a flood from some, int[k, 3], gets to; and whether it gets out.

    All around is empty.
    """
    padded = np.pad(solid, 1)
    reached = np.zeros_like(padded)
    for seed in seeds:
        place = tuple(np.array(seed) + 1)
        reached[place] = not padded[place]
    while True:
        grown = reached.copy()
        for axis in range(3):
            for step in (1, -1):
                moved = np.roll(reached, step, axis)
                edge = [slice(None)] * 3
                edge[axis] = 0 if step > 0 else -1
                moved[tuple(edge)] = False
                grown |= moved
        grown &= ~padded
        if (grown == reached).all():
            return reached[1:-1, 1:-1, 1:-1], bool(reached[0, 0, 0])
        reached = grown


def town(count, seed=18):
    """About `count` brushes: a sealed square with houses of walls and roofs, and things that lie about, some turned."""
    random = np.random.default_rng(seed)
    side, pitch = int(np.ceil(np.sqrt(count / 25))), 512.0
    parts = [world(*room(side * pitch / 2))]
    for number in range(side * side):
        corner = (np.array(divmod(number, side)) - side / 2) * pitch + random.integers(32, 96, 2)
        size, height = random.integers(16, 24, 2) * 16.0, random.integers(8, 12) * 16.0
        parts.append(world(*house(corner, size, height)))
        angle = random.uniform(0, 1) * (number % 4 == 0)
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        low = (random.uniform(-200, 200, (12, 3)) + np.append(corner + size / 2, 300)) @ turn
        high = low + random.integers(1, 6, (12, 3)) * 8.0
        parts.append(turned(turn, *zip(low, high, strict=True)))
    return solid_tree.brushes(
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.dists for part in parts]),
        np.concatenate([np.diff(part.first_side) for part in parts]),
    )


def house(corner, size, height, thick=16.0):
    """Four walls with a door each, and a roof: boxes."""
    boxes = [((*corner, height), (*(corner + size), height + thick))]
    for axis in range(2):
        across = 1 - axis
        begin, end = corner[across], corner[across] + size[across]
        middle = (begin + end) / 2
        for front in (corner[axis], corner[axis] + size[axis] - thick):
            for start, stop, bottom in (
                (begin, middle - 32, 0),
                (middle + 32, end, 0),
                (middle - 32, middle + 32, 112),
            ):
                low, high = np.array([0.0, 0, bottom]), np.array([0.0, 0, height])
                low[axis], high[axis], low[across], high[across] = front, front + thick, start, stop
                boxes.append((low, high))
    return boxes
