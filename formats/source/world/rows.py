# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of brushes, nodes and leafs of a world that was changed (source.md §2.4, §2.5, §4)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Floats, Ints, Records
from ..edits import brush_pieces
from ..edits.brush_pieces import Piece
from ..edits.brush_tables import held, plane_numbers, wipe
from ..edits.changes import Changes
from ..lumps import LumpId
from .brush_cells import BrushCells
from .opening import Openings


def free_brushes(changes: Changes, count: int) -> Ints:
    """The numbers that new brushes take: rows that an earlier edit wiped, then ones behind the table. int64[count]."""
    table, named = changes.table(LumpId.BRUSHES), changes.table(LumpId.LEAFBRUSHES)["brush"].astype(np.int64)
    free = (table["numsides"] == 0) & (table["contents"] == 0) & (table["firstside"] == 0)
    free[named[named < len(table)]] = False
    used = np.flatnonzero(free)[:count]
    return np.concatenate([used, np.arange(len(table), len(table) + count - len(used))])


def put_brushes(
    changes: Changes, brushes: BrushCells, shapes: Mapping[int, Piece], gone: Sequence[int]
) -> dict[int, Piece]:
    """Write brushes with their bevels, by their numbers, and wipe those that are gone. Returns the shapes as they are
    in the file, and gives them to `brushes`. FormatError for numbers that fields cannot hold.
    """
    more = max([*shapes, -1]) + 1 - len(changes.table(LumpId.BRUSHES))
    if more > 0:
        changes.append(LumpId.BRUSHES, np.zeros(more, changes.table(LumpId.BRUSHES).dtype))
    wipe(changes.table(LumpId.BRUSHES), LumpId.BRUSHES, np.array(gone, np.int64))
    changes.table(LumpId.BRUSHES)["contents"][list(gone)] = 0
    sides = [_sides(shape) for shape in shapes.values()]
    if not sides:
        return {}
    numbers = plane_numbers(
        changes, np.concatenate([each.normals for each in sides]), np.concatenate([each.dists for each in sides])
    )
    planes = changes.table(LumpId.PLANES)
    written, place = {}, 0
    for (number, shape), made in zip(shapes.items(), sides, strict=True):
        own = numbers[place : place + len(made.dists)]
        place += len(made.dists)
        _put_sides(changes, number, shape, made.source, own)
        order = np.argsort(np.where(made.source < 0, len(own), made.source), kind="stable")  # bevels last
        own = own[order[: len(shape.dists)]]
        used = planes[own]
        written[number] = replace(
            shape, normals=used["normal"].astype(np.float64), dists=used["dist"].astype(np.float64)
        )
        brushes.put(number, written[number], own)
    return written


def _sides(shape: Piece) -> brush_pieces.Sides:
    """The sides of a shape with its bevels, in the compiler's order."""
    found = brush_pieces.polygons([shape])
    rings = np.split(found.positions[found.corners], found.first_corner[1:-1])
    return brush_pieces.sides(shape, rings)


def _put_sides(changes: Changes, number: int, shape: Piece, source: Ints, planes: Ints) -> None:
    """Write a brush's sides where its old ones were, if there are as many at least, else behind all others."""
    brushes, table = changes.table(LumpId.BRUSHES), changes.table(LumpId.BRUSHSIDES)
    rows = np.zeros(len(source), table.dtype)
    held(rows, "planenum", slice(None), planes)
    held(rows, "texinfo", slice(None), shape.texinfos[source.clip(0)])
    rows["bevel"] = source < 0
    start, there = int(brushes["firstside"][number]), int(brushes["numsides"][number])
    if there >= len(rows):
        table[start : start + len(rows)] = rows
    else:
        start = changes.append(LumpId.BRUSHSIDES, rows)
    held(brushes, "firstside", number, start)
    held(brushes, "numsides", number, len(rows))
    held(brushes, "contents", number, shape.contents)


def cut_off(changes: Changes) -> None:
    """Cut off brushes at the table's end that are wiped."""
    table = changes.table(LumpId.BRUSHES)
    used = np.flatnonzero((table["numsides"] != 0) | (table["contents"] != 0))
    kept = int(used[-1]) + 1 if len(used) else 0
    if kept < len(table):
        changes.set_table(LumpId.BRUSHES, table[:kept])


# ---------------------------------------------------------------------------------------------------------------- tree


def put_tree(changes: Changes, openings: Openings, leafs: Mapping[int, int], nodes: Mapping[int, int]) -> None:
    """Write nodes that are new, and links to what is. leafs, nodes: the numbers that new ones get."""
    tree, table = openings.tree, changes.table(LumpId.NODES)
    count = len(table)
    changed = {tree.parents[node][0] for node in nodes} | {tree.links[leaf][0] for leaf in leafs}
    made = np.zeros(len(nodes), table.dtype)
    for node, place in nodes.items():
        above = _above(tree.parents, node, count)
        made[place - count] = table[above]
        made["numfaces"][place - count] = 0
    if len(made):
        changes.append(LumpId.NODES, made)
    table = changes.table(LumpId.NODES)
    for node in (*nodes, *(node for node in changed if node < count)):
        children = [nodes.get(child, child) if child >= 0 else -1 - leafs.get(-1 - child, -1 - child)
                    for child in tree.children[node]]  # fmt: skip
        held(table, "children", nodes.get(node, node), children)
    rows = np.array(list(nodes.values()), np.int64)
    if len(rows):
        held(table, "planenum", rows, np.array([tree.planenums[node] for node in nodes]))
        put_boxes(table, rows, np.array([tree.boxes[node] for node in nodes]))
    for leaf, cell in openings.opened.items():  # what is above must be as large
        node = tree.links[leaf][0]
        while node >= 0:
            _widen(table, nodes.get(node, node), cell.box)
            node = tree.parents[node][0]


def _above(parents: Mapping[int, tuple[int, int]], node: int, count: int) -> int:
    """The node of before that a new one is below."""
    while node >= count:
        node = parents[node][0]
    return max(node, 0)


def put_boxes(table: Records, rows: Ints, boxes: Floats) -> None:
    """Give rows boxes float64[n, 2, 3], rounded outwards where they are whole numbers."""
    whole = table.dtype["mins"].base.kind in "iu"
    rounded = np.stack([np.floor(boxes[:, 0].round(3)), np.ceil(boxes[:, 1].round(3))], axis=1) if whole else boxes
    for side, name in enumerate(("mins", "maxs")):
        held(table, name, rows, rounded[:, side].astype(np.int64) if whole else rounded[:, side])


def _widen(table: Records, row: int, box: Floats) -> None:
    low, high = np.minimum(table["mins"][row], box[0]), np.maximum(table["maxs"][row], box[1])
    put_boxes(table, np.array([row]), np.array([[low, high]]))


def put_leafs(
    changes: Changes, openings: Openings, numbers: Mapping[int, int], like: Mapping[int, int]
) -> tuple[Ints, Ints]:
    """Write leafs that are new or opened. like: for opened ones, the leaf that they have cluster and area of.

    Returns for all leafs which they are parts of, and which they are like: int64[leafs] both.
    """
    before = changes.level.table(LumpId.LEAFS)
    count = len(before)
    source = np.arange(count + len(numbers))
    for leaf, number in numbers.items():
        source[number] = openings.source[leaf]
    alike = source.copy()
    opened = {numbers.get(leaf, leaf): leaf for leaf in openings.opened}
    alike[list(opened)] = [like[leaf] for leaf in opened.values()]
    if len(numbers):
        changes.append(LumpId.LEAFS, before[source[count:]])
    table = changes.table(LumpId.LEAFS)
    rows = np.array(list(opened), np.int64)
    lists = table[["firstleafbrush", "numleafbrushes"]][rows].copy()
    table[rows] = before[alike[rows]]
    for name in ("firstleafbrush", "numleafbrushes"):
        table[name][rows] = lists[name]
    table["contents"][rows] = 0
    table["leaf_water_data_id"][rows] = -1
    table["numleaffaces"][rows] = table["firstleafface"][rows] = 0
    behind = np.array(list(numbers.values()), np.int64)
    table["numleafbrushes"][behind] = 0
    table["firstleafbrush"][behind] = len(changes.table(LumpId.LEAFBRUSHES))
    touched = [(numbers.get(leaf, leaf), box) for leaf, box in openings.boxes.items() if leaf in openings.tree.links]
    if touched:
        put_boxes(table, np.array([row for row, _ in touched]), np.array([box for _, box in touched]))
    return source, alike
