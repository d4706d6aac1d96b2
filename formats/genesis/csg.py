# SPDX-License-Identifier: GPL-3.0-or-later
"""The editor's CSG: what cuts and hollows leave of brushes (genesis.md §2.4).

Before the editor writes a `.map` it cuts each brush by the cuts that come after it in the level. A hollow brush is a
shell and, behind it, a cut that is made anew: the shell with its planes moved inwards. Of a multi brush that is a cut
every part cuts. Only brushes of one model, or of the world, meet.

Each brush has its own row of cuts; those of all brushes are made at the same time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Bools, Indices, Singles
from ..steps import Steps, Stepwise, drain, quietly
from .editor_level import EditorBrush, EditorFace, Level3dt
from .records import EditorBrushFlag, EditorFaceFlag
from .solids import SolidPool, Solids
from .windings import WindingPlanes, dot, scaled_sum, sheets

SHOW_VISIBLE = 1  # the setting ShowGroups; 0: all
# As numbers: IntFlags are ten times as slow.
_SOLID_HOLLOW, _HOLLOW_CUT = int(EditorBrushFlag.HOLLOW), int(EditorBrushFlag.HOLLOWCUT)
_HOLLOW = _SOLID_HOLLOW | _HOLLOW_CUT
_CUT, _HIDDEN, _FIXED = int(EditorBrushFlag.SUBTRACT), int(EditorBrushFlag.HIDDEN), int(EditorFaceFlag.FIXEDHULL)


@dataclass(slots=True, eq=False)
class CsgPiece:
    """A convex part of a brush. `faces`: which face each of its own looks like, and its corners float32[n, 3]."""

    brush: EditorBrush
    faces: list[tuple[EditorFace, Singles]]

    @property
    def flags(self) -> int:
        """EditorBrushFlag; no piece is hollow."""
        return self.brush.flags & ~_HOLLOW


@dataclass(slots=True, eq=False)
class _Node:
    """A brush in the tree that cuts walk over. `shape` is its number in the pool, if it has faces."""

    brush: EditorBrush
    flags: int
    children: list["_Node"] | None = None
    shape: int = -1
    pieces: list[int] | None = None  # what is left of it, as soon as something was cut off
    cuts: list[int] = field(default_factory=list)  # not made yet: the cutters' shapes

    @property
    def is_cut(self) -> bool:
        return bool(self.flags & _CUT)

    def left(self) -> list[int]:
        """What is left of it so far: numbers in the pool."""
        return [self.shape] if self.pieces is None else self.pieces


class _Targets:
    """The brushes with faces in a list of brushes, and in those that are made of others, which cuts may cut.

    `places`: the number in that list of the brush that each is, or is a part of.
    """

    def __init__(self, nodes: list[_Node], pool: SolidPool) -> None:
        found = [(place, leaf) for place, node in enumerate(nodes) for leaf in _targets(node)]
        self.nodes = [leaf for _, leaf in found]
        self.places = np.array([place for place, _ in found], np.intp)
        self.models = np.array([nodes[place].brush.model_id for place, _ in found], np.int64)
        shapes = np.array([leaf.shape for leaf in self.nodes], np.intp)
        self.low, self.high = pool.low[shapes], pool.high[shapes]
        self.pool = pool

    def note(self, shape: int, model: int, which: Bools) -> None:
        """Note down that a shape of a model cuts those of `which` whose box its own touches."""
        low, high = self.pool.low[shape], self.pool.high[shape]
        apart = (self.low > high).any(axis=1) | (self.high < low).any(axis=1)
        for number in np.flatnonzero(which & (self.models == model) & ~apart).tolist():
            self.nodes[number].cuts.append(shape)


def _targets(node: _Node) -> Iterator[_Node]:
    if node.children is None:
        yield node
    else:
        for child in node.children:
            if not child.is_cut:
                yield from _targets(child)


class _Cutting:
    """Cuts brushes, each by a row of cutters. What is left of one cut goes on to the next that its box touches.

    All that there is to cut is cut at the same time, each piece by the next face of its cutter: what is in front of it
    is left, the rest goes on to the face after it. `rows`: of each brush its pieces and its cutters, by their numbers.
    """

    def __init__(self, pool: SolidPool, rows: list[tuple[list[int], list[int]]]) -> None:
        self.pool = pool
        self.cutters = [np.array(cutters, np.intp) for _, cutters in rows]
        self.waiting = [(piece, row, 0) for row, (pieces, _) in enumerate(rows) for piece in pieces]
        self.left: dict[tuple[int, int], list[int]] = {}

    def run(self) -> Steps[dict[tuple[int, int], list[int]]]:
        """Cut. Makes what is left of each piece that was cut, by its number and its cutter's place in the row."""
        work = self.pool.take([])
        jobs = np.zeros((0, 4), np.intp)  # the piece, its row, its cutter's place there, and the cutter's next face
        while len(started := self.started()) or len(jobs):
            jobs = np.concatenate([jobs, started])
            work = Solids.joined([work, self.pool.take(started[:, 0])])
            shapes = np.array([self.cutters[row][place] for _, row, place, _ in jobs.tolist()], np.intp)
            planes, origins, there = self.pool.faces(shapes, jobs[:, 3])
            jobs, work = jobs[there], work.take(there)
            if len(jobs):
                front, in_front, back, behind = work.split(planes.take(there), origins[there])
                self.keep(jobs[in_front], front.take(in_front))
                jobs, work = jobs[behind] + (0, 0, 0, 1), back.take(behind)
            yield
        return self.left

    def keep(self, jobs: Indices, solids: Solids) -> None:
        """Note down what is left; it waits for the next cutter of its row."""
        for number, (piece, row, place, _) in enumerate(jobs.tolist(), self.pool.add(solids)):
            self.left[piece, place].append(number)
            self.waiting.append((number, row, place + 1))

    def started(self) -> Indices:
        """What waits, with the next of its cutters that its box touches; what none touches is done."""
        found = []
        for piece, row, start in self.waiting:
            cutters = self.cutters[row][start:]
            low, high = self.pool.low, self.pool.high
            apart = (low[cutters] > high[piece]).any(axis=1) | (high[cutters] < low[piece]).any(axis=1)
            if not apart.all():
                place = start + int(apart.argmin())
                self.left[piece, place] = []
                found.append((piece, row, place, 0))
        self.waiting = []
        return np.array(found, np.intp).reshape(-1, 4)


@Stepwise
def carved(level: Level3dt) -> Steps[list[CsgPiece]]:
    """What the CSG leaves of a level's brushes: those that the editor would write to a `.map`, in its order.

    The level has to be of today's units (`upgraded`).
    """
    return (yield from quietly(_carved(level)))  # hostile floats


def _carved(level: Level3dt) -> Steps[list[CsgPiece]]:
    return (yield from _Csg(level).run())


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
        self.pool = SolidPool(Solids.of(polygons, origins) if leaves else Solids.empty(0, 1, 3))
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

    def run(self) -> Steps[list[CsgPiece]]:
        if not len(self.pool):
            return []
        yield
        self.make_hollows(self.nodes)
        yield
        self.hollow_cuts(self.nodes)
        yield from self.cut_pending()
        yield
        self.cuts()
        yield from self.cut_pending()
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
                flags = (shell.flags & ~_SOLID_HOLLOW) if old is None else old.flags
                cut = _Node(shell.brush if old is None else old.brush, flags)
                cut.flags |= _HOLLOW_CUT | _CUT
                cut.shape = first + number
                siblings.insert(place, cut)
        inner.measure()
        self.pool.add(inner)

    def find_hollows(self, nodes: list[_Node], wanted: list[tuple[list[_Node], _Node, _Node | None]]) -> None:
        """Each cut inside a hollow brush with the list that it is in and its shell; None for a cut that is missing.

        The shell is the hollow brush before it. (The editor takes the first of the list: the same, since each hollow
        brush has a list of its own.)
        """
        for number, node in enumerate(nodes):
            if node.children is not None:
                self.find_hollows(node.children, wanted)
            elif node.flags & _HOLLOW_CUT:
                shells = [other for other in nodes[:number] if other.shape >= 0 and other.flags & _SOLID_HOLLOW]
                if shells:
                    wanted.append((nodes, shells[-1], node))
            elif node.flags & _SOLID_HOLLOW:
                following = nodes[number + 1] if number + 1 < len(nodes) else None
                if following is None or not following.flags & _HOLLOW_CUT:
                    node.children, shell = [], _Node(node.brush, node.flags, shape=node.shape)
                    node.children.append(shell)
                    wanted.append((node.children, shell, None))

    def inner(self, shells: Solids, thickness: list[float]) -> tuple[Solids, Bools]:
        """Solids with their planes moved inwards, except those of faces that are fixed; and which there are."""
        hull = np.maximum(np.array(thickness, np.float32), 1)[:, None, None]
        fixed = np.array([bool(face.flags & _FIXED) for face in self.faces] + [False])[shells.origins]
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
        was = self.pool.take([old.shape])
        origins = was.origins[was.exists]
        if len(origins) == int(inner.exists[number].sum()):
            inner.origins[number, : len(origins)] = origins

    # --------------------------------------------------------------------------------------------------- who cuts whom

    def visible(self, node: _Node) -> bool:
        """Whether the editor shows it: what is hidden neither cuts nor is made hollow."""
        return not node.flags & _HIDDEN and node.brush.group_id not in self.hidden_groups

    def hollow_cuts(self, nodes: list[_Node]) -> None:
        """The cuts inside hollow brushes cut their shells: all brushes before them in their list."""
        targets: _Targets | None = None
        for number in range(len(nodes) - 1, -1, -1):
            node = nodes[number]
            if not self.visible(node):
                continue
            if node.children is not None:
                self.hollow_cuts(node.children)
            if node.flags & _HOLLOW_CUT:
                targets = targets or _Targets(nodes, self.pool)
                for shape in self.cutters(node):
                    targets.note(shape, node.brush.model_id, targets.places < number)

    def cuts(self) -> None:
        """Cuts cut all brushes before them, except other cuts."""
        targets = _Targets(self.nodes, self.pool)
        brushes = np.array([not node.is_cut for node in self.nodes])[targets.places]
        for number in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[number]
            if not self.visible(node) or not node.is_cut:
                continue
            for shape in self.cutters(node, whole=node.children is None and not self.is_carved(node)):
                targets.note(shape, node.brush.model_id, brushes & (targets.places < number))

    def is_carved(self, node: _Node) -> bool:
        return node.pieces is not None or bool(node.cuts)

    def cutters(self, node: _Node, whole: bool = True) -> Iterator[int]:
        """The shapes that a cut is made of: itself, or its parts, or what is left of it."""
        if node.children is not None:
            for child in node.children:
                if child.children is not None or self.is_carved(child) or not child.flags & _HOLLOW_CUT:
                    yield from self.cutters(child)
            return
        if node.cuts:
            drain(self.cut_pending())
        if node.pieces is not None:
            yield from node.pieces
        elif whole or not node.flags & _HOLLOW_CUT:
            yield node.shape

    # --------------------------------------------------------------------------------------------------------- cutting

    def cut_pending(self) -> Steps[None]:
        """Make all cuts that are noted down, and put what is left of each brush into the editor's order."""
        nodes = [node for node in self.all_leaves(self.nodes) if node.cuts]
        left = yield from _Cutting(self.pool, [(node.left(), node.cuts) for node in nodes]).run()
        for node in nodes:
            for place in range(len(node.cuts)):
                pieces = node.left()
                cut_off = [made for piece in pieces for made in left.get((piece, place), ())]
                if node.pieces is not None:
                    cut_off.reverse()  # the editor puts pieces of pieces before all others
                node.pieces = cut_off + [piece for piece in pieces if (piece, place) not in left]
            node.cuts = []

    def all_leaves(self, nodes: list[_Node]) -> Iterator[_Node]:
        for node in nodes:
            if node.children is None:
                yield node
            else:
                yield from self.all_leaves(node.children)

    # ---------------------------------------------------------------------------------------------------------- result

    def left(self, node: _Node) -> Iterator[CsgPiece]:
        """What is left of a brush."""
        if node.children is not None:
            for child in node.children:
                yield from self.left(child)
        elif not node.is_cut and (node.pieces is not None or not node.flags & _HOLLOW):
            for shape in node.left():
                origins, polygons = self.pool.polygons(shape)
                faces = [self.faces[origin] for origin in origins]
                yield CsgPiece(node.brush, list(zip(faces, polygons, strict=True)))
