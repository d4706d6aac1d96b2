# SPDX-License-Identifier: GPL-3.0-or-later
"""The editor's CSG: what cuts and hollows leave of brushes (genesis.md §2.4).

Before the editor writes a `.map` it cuts each brush by the cuts that come after it in the level. A hollow brush is a
shell and, behind it, a cut that is made anew: the shell with its planes moved inwards. Of a multi brush that is a cut
every part cuts. Only brushes of one model, or of the world, meet.

Each brush has its own row of cuts; those of all brushes are made at the same time, in rounds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from .editor_level import EditorBrush, EditorFace, Level3dt
from .records import EditorBrushFlag, EditorFaceFlag
from .solids import Solids
from .windings import Floats, Mask, WindingPlanes, dot, scaled_sum, sheets

SHOW_ALL, SHOW_VISIBLE = 0, 1  # the setting ShowGroups
_HOLLOW = EditorBrushFlag.HOLLOW | EditorBrushFlag.HOLLOWCUT


@dataclass(slots=True, eq=False)
class CsgPiece:
    """A convex part of a brush. `faces`: which face each of its own looks like, and its corners float32[n, 3]."""

    brush: EditorBrush
    faces: list[tuple[EditorFace, Floats]]

    @property
    def flags(self) -> int:
        """EditorBrushFlag; no piece is hollow."""
        return self.brush.flags & ~int(_HOLLOW)


@dataclass(slots=True, eq=False)
class _Node:
    """A brush in the tree that cuts walk over. `shape` is its number in the pool, if it has faces."""

    brush: EditorBrush
    flags: int
    children: list["_Node"] | None = None
    shape: int = -1
    low: Floats = field(default_factory=lambda: np.zeros(3, np.float32))
    high: Floats = field(default_factory=lambda: np.zeros(3, np.float32))
    pieces: list[int] | None = None  # what is left of it, as soon as something was cut off
    cuts: list[tuple[int, Floats, Floats]] = field(default_factory=list)  # not made yet: shape and bounds of the cutter

    @property
    def is_cut(self) -> bool:
        return bool(self.flags & EditorBrushFlag.SUBTRACT)

    def meets(self, low: Floats, high: Floats) -> bool:
        """Whether its box touches another."""
        return not bool((self.low > high).any() or (self.high < low).any())


def carved(level: Level3dt) -> list[CsgPiece]:
    """What the CSG leaves of a level's brushes: those that the editor would write to a `.map`, in its order.

    The level has to be of today's units (`upgraded`).
    """
    with np.errstate(all="ignore"):  # hostile floats
        return _Csg(level).run()


class _Csg:
    def __init__(self, level: Level3dt) -> None:
        self.level = level
        self.faces: list[EditorFace] = []
        leaves = level.leaves()
        polygons, origins = [], []
        for leaf in leaves:
            origins.append(list(range(len(self.faces), len(self.faces) + len(leaf.faces))))
            polygons.append([face.points for face in leaf.faces])
            self.faces += leaf.faces
        self.pool = Solids.of(polygons, origins) if leaves else Solids.empty(0, 1, 3)
        numbers = {id(leaf): number for number, leaf in enumerate(leaves)}
        self.nodes = [self.node(brush, numbers) for brush in level.brushes]
        hidden = {group.group_id for group in level.groups if not group.visible}
        self.hidden_groups = hidden if level.setting("ShowGroups")[:1] == [str(SHOW_VISIBLE)] else set()

    def node(self, brush: EditorBrush, numbers: dict[int, int]) -> _Node:
        node = _Node(brush, brush.flags)
        if brush.children is None:
            node.shape = numbers[id(brush)]
        else:
            node.children = [self.node(child, numbers) for child in brush.children]
        return node

    def run(self) -> list[CsgPiece]:
        if not len(self.pool):
            return []
        self.make_hollows(self.nodes)
        low, high = self.pool.bounds()
        for node in self.nodes:
            self.bound(node, low, high)
        self.hollow_cuts(self.nodes)
        self.cut_pending()
        self.cuts()
        self.cut_pending()
        return [piece for node in self.nodes for piece in self.left(node)]

    # ---------------------------------------------------------------------------------------------------- preparation

    def make_hollows(self, nodes: list[_Node]) -> None:
        """Make the cuts inside hollow brushes anew from their shells, and those that are missing."""
        wanted: list[tuple[list[_Node], _Node, _Node | None]] = []
        self.find_hollows(nodes, wanted)
        if not wanted:
            return
        shells = self.pool.take([shell.shape for _, shell, _ in wanted])
        inner, alive = self.inner(shells, [shell.brush.hull_size for _, shell, _ in wanted])
        first = len(self.pool)
        for number, (siblings, shell, old) in enumerate(wanted):
            place = len(siblings)
            if old is not None:
                self.look_like(inner, number, old)
                place = next(at for at, node in enumerate(siblings) if node is old)
                del siblings[place]
            if alive[number]:
                flags = (shell.flags & ~EditorBrushFlag.HOLLOW) if old is None else old.flags
                cut = _Node(shell.brush if old is None else old.brush, flags)
                cut.flags |= EditorBrushFlag.HOLLOWCUT | EditorBrushFlag.SUBTRACT
                cut.shape = first + number
                siblings.insert(place, cut)
        inner.measure()
        self.pool = Solids.joined([self.pool, inner])

    def find_hollows(self, nodes: list[_Node], wanted: list[tuple[list[_Node], _Node, _Node | None]]) -> None:
        """Each cut inside a hollow brush with the list that it is in and its shell; None for a cut that is missing.

        The shell is the hollow brush before it. (The editor takes the first of the list: the same, since each hollow
        brush has a list of its own.)
        """
        for number, node in enumerate(nodes):
            if node.children is not None:
                self.find_hollows(node.children, wanted)
            elif node.flags & EditorBrushFlag.HOLLOWCUT:
                shells = [
                    other for other in nodes[:number] if other.shape >= 0 and other.flags & EditorBrushFlag.HOLLOW
                ]
                if shells:
                    wanted.append((nodes, shells[-1], node))
            elif node.flags & EditorBrushFlag.HOLLOW:
                following = nodes[number + 1] if number + 1 < len(nodes) else None
                if following is None or not following.flags & EditorBrushFlag.HOLLOWCUT:
                    node.children, shell = [], _Node(node.brush, node.flags, shape=node.shape)
                    node.children.append(shell)
                    wanted.append((node.children, shell, None))

    def inner(self, shells: Solids, thickness: list[float]) -> tuple[Solids, Mask]:
        """Solids with their planes moved inwards, except those of faces that are fixed; and which there are."""
        hull = np.maximum(np.array(thickness, np.float32), 1)[:, None, None]
        fixed = np.array([bool(face.flags & EditorFaceFlag.FIXEDHULL) for face in self.faces] + [False])[shells.origins]
        points = scaled_sum(shells.normals * -hull, shells.normals, shells.dists.astype(np.float64))
        moved = dot(shells.normals, points).astype(np.float32)
        shells.dists = np.where(fixed, shells.dists, moved)
        count, faces = shells.counts.shape
        flat = WindingPlanes(shells.normals.reshape(-1, 3), shells.dists.reshape(-1))
        shells.points = sheets(flat).reshape(count, faces, 4, 3)
        shells.counts = np.where(shells.exists, 4, 0)
        shells.measure()
        return shells.sealed()

    def look_like(self, inner: Solids, number: int, old: _Node) -> None:
        """Give the faces of a new inner cut the look of the old one, if it has as many."""
        origins = self.pool.origins[old.shape]
        origins = origins[self.pool.exists[old.shape]]
        if len(origins) == int(inner.exists[number].sum()):
            inner.origins[number, : len(origins)] = origins

    def bound(self, node: _Node, low: Floats, high: Floats) -> None:
        if node.children is None:
            node.low, node.high = low[node.shape], high[node.shape]
        else:
            for child in node.children:
                self.bound(child, low, high)
            if node.children:
                node.low = np.minimum.reduce([child.low for child in node.children])
                node.high = np.maximum.reduce([child.high for child in node.children])

    # --------------------------------------------------------------------------------------------------- who cuts whom

    def visible(self, node: _Node) -> bool:
        """Whether the editor shows it: what is hidden neither cuts nor is made hollow."""
        return not node.flags & EditorBrushFlag.HIDDEN and node.brush.group_id not in self.hidden_groups

    def hollow_cuts(self, nodes: list[_Node]) -> None:
        """The cuts inside hollow brushes cut their shells: all brushes before them in their list."""
        for number in range(len(nodes) - 1, -1, -1):
            node = nodes[number]
            if not self.visible(node):
                continue
            if node.children is not None:
                self.hollow_cuts(node.children)
            if node.flags & EditorBrushFlag.HOLLOWCUT:
                for shape in self.cutters(node):
                    for target in reversed(nodes[:number]):
                        self.cut_if_met(shape, node, target)

    def cuts(self) -> None:
        """Cuts cut all brushes before them, except other cuts."""
        for number in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[number]
            if not self.visible(node) or not node.is_cut:
                continue
            for shape in self.cutters(node, whole=node.children is None and not self.is_carved(node)):
                for target in reversed(self.nodes[:number]):
                    if not target.is_cut:
                        self.cut_if_met(shape, node, target)

    def is_carved(self, node: _Node) -> bool:
        return node.pieces is not None or bool(node.cuts)

    def cutters(self, node: _Node, whole: bool = True) -> Iterator[int]:
        """The shapes that a cut is made of: itself, or its parts, or what is left of it."""
        if node.children is not None:
            for child in node.children:
                if child.children is not None or self.is_carved(child) or not child.flags & EditorBrushFlag.HOLLOWCUT:
                    yield from self.cutters(child)
            return
        if node.cuts:
            self.cut_pending()
        if node.pieces is not None:
            yield from node.pieces
        elif whole or not node.flags & EditorBrushFlag.HOLLOWCUT:
            yield node.shape

    def cut_if_met(self, shape: int, node: _Node, target: _Node) -> None:
        """Note down that a shape cuts a brush, or the brushes that it is made of."""
        if target.brush.model_id != node.brush.model_id:
            return
        low, high = self.pool.take([shape]).bounds()
        self.note(shape, low[0], high[0], target)

    def note(self, shape: int, low: Floats, high: Floats, target: _Node) -> None:
        if not target.meets(low, high):
            return
        if target.children is None:
            target.cuts.append((shape, low, high))
        else:
            for child in target.children:
                if not child.is_cut:
                    self.note(shape, low, high, child)

    # --------------------------------------------------------------------------------------------------------- cutting

    def cut_pending(self) -> None:
        """Make all cuts that are noted down. In a round each brush that has some left gets its next one."""
        while targets := [node for node in self.all_leaves(self.nodes) if node.cuts]:
            jobs = [(node, *node.cuts.pop(0)) for node in targets]
            self.cut_round(jobs)

    def all_leaves(self, nodes: list[_Node]) -> Iterator[_Node]:
        for node in nodes:
            if node.children is None:
                yield node
            else:
                yield from self.all_leaves(node.children)

    def cut_round(self, jobs: list[tuple[_Node, int, Floats, Floats]]) -> None:
        """Cut each node's pieces by one shape: what is in front of one of its faces is left, the rest goes on."""
        low, high = self.pool.bounds()
        owners: list[int] = []
        shapes: list[int] = []
        kept: list[list[int]] = []
        for job, (node, _, cut_low, cut_high) in enumerate(jobs):
            pieces = [node.shape] if node.pieces is None else node.pieces
            met = [
                node.pieces is None or not bool((cut_low > high[piece]).any() or (cut_high < low[piece]).any())
                for piece in pieces
            ]
            shapes += [piece for piece, meets in zip(pieces, met, strict=True) if meets]
            owners += [job] * sum(met)
            kept.append([piece for piece, meets in zip(pieces, met, strict=True) if not meets])
        fronts: list[tuple[int, int, int]] = []  # job, order of the piece that it was cut off, number in the pool
        batches = [self.pool]
        end = len(self.pool)
        cutters = self.pool.take([jobs[owner][1] for owner in owners])
        work = self.pool.take(shapes)
        order = np.arange(len(owners))
        for face in range(cutters.counts.shape[1]):
            there = cutters.exists[order, face]
            if not there.any():
                break
            order, work = order[there], work.take(there)
            planes = WindingPlanes(cutters.normals[order, face], cutters.dists[order, face])
            front, in_front, back, behind = work.split(planes, cutters.origins[order, face])
            batches.append(front.take(in_front))
            for piece in order[in_front].tolist():
                fronts.append((owners[piece], piece, end))
                end += 1
            order, work = order[behind], back.take(behind)
            if not len(order):
                break
        self.pool = Solids.joined(batches)
        for job, (node, _, _, _) in enumerate(jobs):
            cut_off = [number for owner, _, number in sorted(fronts) if owner == job]
            if node.pieces is not None:
                cut_off.reverse()  # the editor puts pieces of pieces before all others
            node.pieces = cut_off + (kept[job] if node.pieces is not None else [])

    # ---------------------------------------------------------------------------------------------------------- result

    def left(self, node: _Node) -> Iterator[CsgPiece]:
        """What is left of a brush."""
        if node.children is not None:
            for child in node.children:
                yield from self.left(child)
        elif not node.is_cut and (node.pieces is not None or not node.flags & _HOLLOW):
            for shape in [node.shape] if node.pieces is None else node.pieces:
                faces = np.flatnonzero(self.pool.exists[shape])
                counts, origins = self.pool.counts[shape], self.pool.origins[shape]
                points = self.pool.points[shape]
                yield CsgPiece(
                    node.brush, [(self.faces[origins[face]], points[face, : counts[face]]) for face in faces]
                )
