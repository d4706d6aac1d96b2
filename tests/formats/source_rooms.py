# SPDX-License-Identifier: GPL-3.0-or-later
"""Three rooms of boxes with a tree, clusters and areas, as a compiler has them: for edits of the world.

West and east room are parted by one wall; north of both, behind another wall, is a room of an area of its own. In the
east room stands a crate that is part of the tree, in the west room a beam that is a detail.
"""

from collections.abc import Iterator

import numpy as np

from formats.source import Level, LumpId, Visibility, new_level, read, write
from formats.source.records import Contents
from formats.source.tables import geometry, tree
from tests.formats.source_room import rows

WEST, EAST, NORTH = 0, 1, 2
ROOMS = [((-256, -128, 0), (-8, 128, 128)), ((8, -128, 0), (256, 128, 128)), ((-256, 144, 0), (256, 400, 128))]
AREAS = [1, 1, 2]
FLOOR, CEILING, WEST_WALL, EAST_WALL, SOUTH_WALL, NORTH_WALL, DIVIDER, MIDDLE, CRATE, BEAM = range(10)
BRUSHES = [
    ((-272, -144, -16), (272, 416, 0)), ((-272, -144, 128), (272, 416, 144)), ((-272, -144, 0), (-256, 416, 128)),
    ((256, -144, 0), (272, 416, 128)), ((-256, -144, 0), (256, -128, 128)), ((-256, 400, 0), (256, 416, 128)),
    ((-8, -128, 0), (8, 128, 128)), ((-256, 128, 0), (256, 144, 128)), ((100, 0, 0), (132, 32, 32)),
    ((-100, -20, 0), (-90, 20, 64)),
]  # fmt: skip
CONTENTS = [int(Contents.SOLID)] * 9 + [int(Contents.SOLID | Contents.DETAIL)]
OUTSIDE = ((-1024, -1024, -1024), (1024, 1024, 1024))
TEXINFOS = 3

Box = tuple[tuple[int, ...], tuple[int, ...]]


def _inside(point: np.ndarray, box: Box) -> bool:
    return bool((point > box[0]).all() and (point < box[1]).all())


def _overlap(one: Box, other: Box) -> bool:
    return all(a < d and c < b for a, b, c, d in zip(*one, *other, strict=True))


class _Tree:
    """Space cut by the sides of all boxes that are part of it, as long as one goes through."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, list[int], Box]] = []  # axis, dist, children, box
        self.leafs: list[tuple[int, Box]] = [(-1, ((0, 0, 0), (0, 0, 0)))]  # its room, -1: solid
        self.build(OUTSIDE)

    def build(self, box: Box) -> int:
        cut = next(self._cuts(box), None)
        if cut is None:
            return self._leaf(box)
        axis, dist = cut
        number = len(self.nodes)
        self.nodes.append((axis, dist, [], box))
        low, high = (tuple(dist if n == axis else end[n] for n in range(3)) for end in box)
        count = len(self.leafs)
        children = [self.build((low, box[1])), self.build((box[0], high))]
        if all(child < 0 for child in children) and all(self.leafs[-1 - child][0] < 0 for child in children):
            del self.nodes[number:], self.leafs[count:]  # compilers make one of two solid leafs
            return self._leaf(box)
        self.nodes[number][2].extend(children)
        return number

    def _cuts(self, box: Box) -> Iterator[tuple[int, int]]:
        for solid in (*ROOMS, *(BRUSHES[n] for n in range(len(BRUSHES)) if not CONTENTS[n] & Contents.DETAIL)):
            if _overlap(solid, box):
                for axis in range(3):
                    for end in solid:
                        if box[0][axis] < end[axis] < box[1][axis]:
                            yield axis, end[axis]

    def _leaf(self, box: Box) -> int:
        middle = np.add(*box) / 2
        room = next((n for n, each in enumerate(ROOMS) if _inside(middle, each)), -1)
        solid = any(_inside(middle, BRUSHES[n]) for n in range(len(BRUSHES)) if not CONTENTS[n] & Contents.DETAIL)
        self.leafs.append((-1 if solid else room, box))
        return -len(self.leafs)


def _pairs(axis: int, dist: float) -> list[tuple[np.ndarray, float]]:
    return [(np.eye(3)[axis], dist), (-np.eye(3)[axis], -dist)]


def rooms(visible: bool = True) -> Level:
    """The map, as read from its bytes. visible: whether it has visibility."""
    level, made = new_level(), _Tree()
    planes: list[tuple[np.ndarray, float]] = []
    numbers: dict[tuple[int, int], int] = {}

    def plane(axis: int, dist: int) -> int:
        if (axis, dist) not in numbers:
            numbers[axis, dist] = len(planes)
            planes.extend(_pairs(axis, dist))
        return numbers[axis, dist]

    sides = [
        (plane(axis, box[end][axis]) + 1 - end, number % TEXINFOS, 0, 0, 0)
        for number, box in enumerate(BRUSHES)
        for axis in range(3)
        for end in (0, 1)
    ]
    nodes = [(plane(axis, dist), children, *box, 0, 0, 0, b"") for axis, dist, children, box in made.nodes]
    level.set_table(LumpId.NODES, rows(tree.NODE, *nodes))
    level.set_table(LumpId.BRUSHSIDES, rows(geometry.BRUSHSIDE, *sides))
    level.set_table(LumpId.BRUSHES, rows(geometry.BRUSH, *((6 * n, 6, CONTENTS[n]) for n in range(len(BRUSHES)))))
    table = rows(
        geometry.PLANE, normal=[n for n, _ in planes], dist=[d for _, d in planes],
        type=[int(np.abs(n).argmax()) for n, _ in planes],
    )  # fmt: skip
    level.set_table(LumpId.PLANES, table)

    leafs, listed, cluster = [], [], 0
    for number, (room, box) in enumerate(made.leafs):
        solid = room < 0
        brushes = [n for n, each in enumerate(BRUSHES)
                   if number and _overlap(each, box) and (not solid or not CONTENTS[n] & Contents.DETAIL)]  # fmt: skip
        leafs.append((
            1 if solid else 0, -1 if solid else cluster, 0 if solid else AREAS[room], *box, 0, 0,
            len(listed), len(brushes), -1, b"",
        ))  # fmt: skip
        listed += brushes
        cluster += not solid
    level.set_table(LumpId.LEAFS, rows(tree.LEAF, *leafs))
    level.set_table(LumpId.LEAFBRUSHES, rows(tree.LEAFBRUSH, brush=listed))
    of = [room for room, _ in made.leafs if room >= 0]
    sees = np.equal.outer(of, of)
    packed = np.packbits(sees, axis=1, bitorder="little")
    level.visibility = Visibility(packed, packed.copy()) if visible else None
    low, high = np.min([box[0] for box in BRUSHES], axis=0), np.max([box[1] for box in BRUSHES], axis=0)
    level.set_table(LumpId.MODELS, rows(geometry.MODEL, (low, high, (0, 0, 0), 0, 0, 0)))
    level.set_table(LumpId.AREAS, rows(tree.AREA, (0, 0), (0, 0), (0, 0)))
    flat = [(1, 0, 0, 0), (0, -1, 0, 0)]
    level.set_table(LumpId.TEXINFO, rows(geometry.TEXINFO, *[(flat, flat, 0, 0)] * TEXINFOS))
    level.set_table(LumpId.TEXDATA, rows(geometry.TEXDATA, ((0.5,) * 3, 0, 64, 64, 64, 64)))
    level.set_bytes(LumpId.TEXDATA_STRING_DATA, b"dev/wall\0")
    level.set_table(LumpId.TEXDATA_STRING_TABLE, rows(geometry.TEXDATA_STRING, offset=[0]))
    return read(write(level))
