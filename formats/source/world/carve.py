# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes put into the world's leafs and taken out of them (source.md §4.1, §4.2)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ..edits.brush_tables import held
from ..edits.changes import Changes
from ..lumps import LumpId
from ..records import Contents
from ..sections import visibility as stored_visibility
from ..tables.fields import areas
from . import bare, lists, rows, visibility
from .asked import Asked, editable, looked_through
from .brush_cells import BrushCells
from .cells import Cell
from .opening import Opening, Openings
from .tree import WorldTree
from .types import Carved, WorldEdits, WorldError

_NEAR = 1.0  # units: brushes whose boxes come so near to a leaf's may be in it


@dataclass(frozen=True, slots=True, eq=False)
class Removed:
    """A brush that goes: its space, its planes float64[k, 4], their rows in PLANES, its contents."""

    number: int
    cell: Cell
    planes: Floats
    planenums: Ints
    contents: int


def carve(changes: Changes, edits: WorldEdits) -> Carved:
    """Change brushes, leafs, nodes, visibility and the box of the world; all that faces are of stays.

    Raises WorldError for what can't be, FormatError for damaged tables and numbers that fields cannot hold.
    """
    carved, errors = tried(changes, edits)
    if errors or carved is None:
        raise errors[0]
    return carved


def tried(changes: Changes, edits: WorldEdits) -> tuple[Carved | None, list[WorldError]]:
    """What `carve` gives, or all that can't be of some edits. Raises FormatError for damaged tables."""
    editable(changes.level)
    brushes = BrushCells(changes)
    asked, errors = looked_through(changes, brushes, edits)
    box = _box(brushes)
    removed = _remove(brushes, asked.removed)
    new = rows.free_brushes(changes, len(asked.added))
    shapes = dict(asked.shapes) | dict(zip(new.tolist(), asked.added, strict=True))
    gone = [number for number in asked.removed if number not in shapes]
    shapes = rows.put_brushes(changes, brushes, shapes, gone)
    _retexture(changes, asked, brushes)

    tree, leafs = WorldTree(changes), changes.level.table(LumpId.LEAFS)
    openings = Openings(tree, leafs["contents"].astype(np.int64) & Contents.SOLID != 0, brushes)
    for each in removed:
        if each.contents & Contents.SOLID:
            detail = bool(each.contents & Contents.DETAIL)
            openings.take_out(each.number, each.cell, each.planes, each.planenums, detail)
    openings.fill()
    found = openings.found()
    errors += _refused(changes, found)
    if errors:
        return None, errors

    clusters = leafs["cluster"].astype(np.int64)
    like = {leaf: other for opening in found for leaf, other in openings.like(opening, clusters).items()}
    numbers, nodes = openings.numbered(len(leafs))
    source, alike = rows.put_leafs(changes, openings, numbers, like)
    rows.put_tree(changes, openings, numbers, nodes)
    _empty(changes, openings, removed)
    freed = _freed(openings, removed, numbers)
    _list_brushes(changes, openings, brushes, shapes, asked.removed, numbers, freed)
    seen = _see(changes, openings, found)
    rows.cut_off(changes)
    _put_box(changes, box, _box(brushes))
    spaces = {numbers.get(leaf, leaf): cell for leaf, cell in openings.opened.items()}
    bared = sorted([*spaces.items(), *freed], key=lambda each: each[0])
    return Carved(
        removed=np.array(asked.removed, np.int64),
        shapes=shapes,
        added=new,
        retextured=np.array(list(asked.retextured), np.int64),
        source=source,
        like=alike,
        opened=np.array(sorted(spaces), np.int64),
        cells=spaces,
        bare=list(bare.sides(bared, brushes, shapes)),
        clusters=seen,
    ), []


def _remove(brushes: BrushCells, numbers: Sequence[int]) -> list[Removed]:
    found = []
    brushes.prepare(numbers)
    for number in numbers:
        cell = brushes.cell(number)
        planes, planenums = brushes.planes(number)
        if cell is not None:
            found.append(Removed(number, cell, planes, planenums, int(brushes.contents[number])))
    for number in numbers:
        brushes.remove(number)
    return found


def _retexture(changes: Changes, asked: Asked, brushes: BrushCells) -> None:
    for number, shape in asked.retextured.items():
        held(changes.table(LumpId.BRUSHSIDES), "texinfo", brushes.rows(number), shape.texinfos)


def _freed(openings: Openings, removed: Sequence[Removed], numbers: Mapping[int, int]) -> list[tuple[int, Cell]]:
    """The parts of brushes that go in leafs that weren't solid: leafs and spaces."""
    found = []
    for each in removed:
        for _, leaf, part in openings.tree.of_cell(each.cell):
            if leaf not in openings.opened and not openings.is_solid(leaf):
                found.append((numbers.get(leaf, leaf), part))
    return found


def _empty(changes: Changes, openings: Openings, removed: Sequence[Removed]) -> None:
    """Have leafs lose the contents that they have of brushes that go and aren't solid: of glass and gratings."""
    leafs, contents = changes.table(LumpId.LEAFS), changes.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    listed, starts = lists.of_leafs(changes, LumpId.LEAFBRUSHES)
    gone = [each.number for each in removed]
    for each in removed:
        if each.contents & (Contents.SOLID | Contents.DETAIL):
            continue
        for link, leaf, _ in openings.tree.of_cell(each.cell):
            space = None if openings.is_solid(leaf) or leaf in openings.opened else openings.tree.cell(link)
            if space is not None and each.cell.contains(space.corners, _NEAR).all():
                others = np.setdiff1d(listed[starts[leaf] : starts[leaf + 1]], gone)
                others = contents[others[contents[others] & Contents.DETAIL == 0]]
                kept = ~each.contents | int(np.bitwise_or.reduce(others, initial=0))
                leafs["contents"][leaf] = int(leafs["contents"][leaf]) & kept & 0xFFFFFFFF


def _refused(changes: Changes, found: Sequence[Opening]) -> list[WorldError]:
    """What of openings can't be."""
    errors = []
    leafs = changes.level.table(LumpId.LEAFS)
    area = areas(leafs)[0]
    for opening in found:
        touching = np.array(list(opening.touching), np.int64)
        joined = np.unique(area[touching])
        joined = joined[joined != 0]
        portal = (leafs["contents"][touching].astype(np.int64) & Contents.AREAPORTAL != 0).any()
        names = counted(opening.by)
        if opening.void:
            errors.append(WorldError(f"{names} would leak: outside of it is nothing", changed=opening.by))
        elif portal:
            errors.append(WorldError(f"{names} would open an area portal's side", changed=opening.by))
        elif len(joined) > 1:
            message = f"{names} would join areas {joined[0]} and {joined[1]}, which only an area portal may part"
            errors.append(WorldError(message, changed=opening.by))
    return errors


def counted(numbers: Sequence[int]) -> str:
    """The names of brushes."""
    return ("brush " if len(numbers) == 1 else "brushes ") + ", ".join(map(str, numbers))


# --------------------------------------------------------------------------------------------------------- leaf brushes


def _list_brushes(
    changes: Changes,
    openings: Openings,
    brushes: BrushCells,
    shapes: Mapping[int, object],
    removed: Sequence[int],
    numbers: Mapping[int, int],
    freed: Sequence[tuple[int, Cell]],
) -> None:
    """Have leafs list the brushes that are in them, those too that compilers cut away where others were that went."""
    listed, starts = lists.of_leafs(changes, LumpId.LEAFBRUSHES)
    kept = ~np.isin(listed, np.array(removed, np.int64))
    made: dict[int, list[int]] = {}

    def of(leaf: int) -> list[int]:
        first, end = starts[leaf : leaf + 2]
        return [int(number) for number in listed[first:end][kept[first:end]]]

    for leaf in np.unique(np.searchsorted(starts, np.flatnonzero(~kept), side="right") - 1).tolist():
        made[leaf] = of(leaf)
    touched = [leaf for leaf in openings.boxes if leaf in openings.tree.links] + list(openings.opened)
    for leaf in dict.fromkeys(touched):
        made[numbers.get(leaf, leaf)] = _in_leaf(openings, brushes, leaf, of(openings.source.get(leaf, leaf)))
    new: dict[int, list[int]] = defaultdict(list)
    for number in sorted(shapes):
        cell = brushes.cell(number)
        for _, leaf, _ in openings.tree.of_cell(cell) if cell is not None else ():
            row = numbers.get(leaf, leaf)
            if row not in new or new[row][-1] != number:
                new[row].append(number)
    for row, part in freed:
        there = [*(made[row] if row in made else of(row)), *new[row]]
        for number in brushes.near(part.box).tolist():
            if number not in there and _is_bared(brushes, number, part, there):
                new[row].append(number)
                there.append(number)
    for leaf, more in new.items():
        already = made[leaf] if leaf in made else of(leaf)
        made[leaf] = already + [number for number in more if number not in already]
    lists.put(changes, LumpId.LEAFBRUSHES, made)


def _is_bared(brushes: BrushCells, number: int, part: Cell, others: Sequence[int]) -> bool:
    """Whether some of a brush in a part of a leaf is in none of the others there that compilers cut brushes by: solid
    ones, but of brushes that aren't detail by ones that aren't, too.
    """
    own = part.within(brushes.planes(number)[0])
    left = [] if own is None else [own]
    is_detail = brushes.contents[number] & Contents.DETAIL
    for other in brushes.solid(others):
        if is_detail or not brushes.contents[other] & Contents.DETAIL:
            left = [piece for each in left for piece in each.without(brushes.planes(other)[0])]
    return bool(left)


def _in_leaf(openings: Openings, brushes: BrushCells, leaf: int, before: Sequence[int]) -> list[int]:
    """The brushes in a leaf that was cut or opened: of those that were in what it was cut from, and others."""
    cell = openings.opened.get(leaf)
    if cell is None:
        box = openings.boxes[leaf]
        near = set(brushes.near(box, _NEAR).tolist()) | openings.also.get(leaf, set())
        return [*(number for number in before if number in near), *sorted(openings.also.get(leaf, set()) - {*before})]
    inside = {number for number in brushes.near(cell.box).tolist() if cell.within(brushes.planes(number)[0])}
    return [*(number for number in before if number in inside), *sorted(inside - {*before})]


# ------------------------------------------------------------------------------------------------------ what is around


def _see(changes: Changes, openings: Openings, found: Sequence[Opening]) -> Ints:
    """Have clusters see through openings; those that see more, int64[n]."""
    before, leafs = changes.level.visibility, changes.table(LumpId.LEAFS)
    if before is None or not found:
        return np.zeros(0, np.int64)
    clusters = changes.level.table(LumpId.LEAFS)["cluster"].astype(np.int64)
    holes = []
    for opening in found:
        touching = np.unique(clusters[np.array(list(opening.touching), np.int64)])
        touching = touching[(touching >= 0) & (touching < before.clusters)]
        if len(touching):
            corners = np.concatenate([openings.opened[leaf].corners for leaf in opening.leafs])
            holes.append(visibility.Hole(touching, corners))
    after = visibility.widened(before, holes, visibility.boxes(leafs, before.clusters))
    more = np.flatnonzero((after.pvs != before.pvs).any(axis=1) | (after.pas != before.pas).any(axis=1))
    changes.set_bytes(LumpId.VISIBILITY, stored_visibility.encode(after, changes.level.byte_order))
    visibility.put_flags(changes.level, leafs, after, more)
    return more


def _box(brushes: BrushCells) -> Floats:
    """The box float64[2, 3] around all brushes, NaN of none."""
    there = brushes.boxes[np.isfinite(brushes.boxes).all(axis=(1, 2))]
    if not len(there):
        return np.full((2, 3), np.nan)
    return np.array([there[:, 0].min(axis=0), there[:, 1].max(axis=0)])


def _put_box(changes: Changes, before: Floats, after: Floats) -> None:
    """Have the model be as large as its brushes: where it was just so before, else as large at least."""
    row = changes.table(LumpId.MODELS)
    for name, old, new, outer in (("mins", before[0], after[0], np.minimum), ("maxs", before[1], after[1], np.maximum)):
        now = row[name][0].astype(np.float64)
        wanted = np.where(np.abs(now - old) <= 0.01, new, outer(now, new))
        row[name][0] = np.where(np.isfinite(wanted) & (np.abs(wanted - now) > 0.01), wanted, now)
