# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes recovered from the regions of a compiled level's tree (genesis.md §4.4).

A brush has one texture a side, so regions are cut where the faces on a side have several; and those that share a side
and are convex together become one, as far as their textures agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ... import convex, ranges
from ...arrays import Floats, Ints
from ...binary import FormatError
from ...convex import Polygons
from ...steps import Steps
from .level import CompiledLevel
from .records import ChunkId
from .surfaces import DrawnFaces
from .tree import LevelTree

UNSEEN = -1
"""What lies on a side without faces."""
SMALL = 0.25
"""Square units of a face on a side that count for nothing: what rounding leaves of neighbours."""
FLAT = 0.02
"""Units by which a corner may be off a plane and still lie on it."""
NEAR, ALIKE = 0.05, 1 - 1e-6
"""Units by which corners of a face may be off a side that it lies on, and the cosine between their planes."""
_ROWS = 256
JOINED = 1e-3
"""Units by which a corner of one piece may be in front of a side of another that it is joined with."""
MARGIN = 8.0
"""Units of solid around a model's box: sides that only touch the box would leave slivers."""
ROUNDS = 16
"""Of cutting and of merging; each only looks at what the one before changed."""
MOST_PAIRS = 1 << 24
"""Of sides and faces in one plane: 50 times what a real level of 5,589 faces has; more would fill the memory."""
_PAIRS = 1 << 14
"""Pairs looked at in one go."""


@dataclass(slots=True, eq=False)
class ConvexPiece:
    """A convex solid."""

    sides: list[int]
    """As `tree` numbers them."""
    contents: int
    texinfos: dict[int, int] = field(default_factory=dict)
    """What lies on each side; UNSEEN where no face does."""
    rings: list[Floats] = field(default_factory=list)
    """The polygon of each side, in their order."""
    points: Floats = field(default_factory=lambda: np.empty((0, 3)))
    """The corners."""


class SidePlanes:
    """The planes of a level, and those that cuts add."""

    def __init__(self, tree: LevelTree, mins: Floats, maxs: Floats) -> None:
        """mins, maxs: float64[3], of the model; the six sides of a box that is MARGIN larger come behind the level's
        planes, and bound all pieces.
        """
        self._normals = [*tree.normals, *np.eye(3), *np.eye(3)]
        self._dists = [*tree.dists.tolist(), *(maxs + MARGIN).tolist(), *(mins - MARGIN).tolist()]
        first = 2 * len(tree.dists)
        self.bounds = [*range(first, first + 6, 2), *range(first + 7, first + 12, 2)]

    def add(self, normal: Floats, dist: float) -> int:
        """Add a plane, whose normal is float64[3]; returns the number of the side that is behind it."""
        self._normals.append(normal)
        self._dists.append(dist)
        return 2 * (len(self._dists) - 1)

    def of(self, sides: list[int]) -> tuple[Floats, Floats]:
        """Normals float64[n, 3] out of the solid, as long as the file's, and dists float64[n], of sides."""
        signs = np.array([-1.0 if side & 1 else 1.0 for side in sides])
        normals = np.array([self._normals[side >> 1] for side in sides]).reshape(-1, 3) * signs[:, None]
        return normals, np.array([self._dists[side >> 1] for side in sides]) * signs


def shaped(pieces: list[ConvexPiece], planes: SidePlanes) -> list[ConvexPiece]:
    """Give pieces their polygons and leave out sides that bound nothing; those that enclose nothing are left out."""
    if not pieces:
        return []
    normals, dists = planes.of([side for piece in pieces for side in piece.sides])
    lengths = np.linalg.norm(normals, axis=1)
    normals, dists = normals / lengths[:, None], dists / lengths
    counts = [len(piece.sides) for piece in pieces]
    found: Polygons = convex.from_planes(normals, dists, counts)
    first_face = np.concatenate([[0], np.cumsum(counts)]).tolist()
    starts = found.first_corner.tolist()
    made = []
    for number, piece in enumerate(pieces):
        if not found.closed[number]:
            continue
        faces = [face for face in range(first_face[number], first_face[number + 1]) if starts[face + 1] > starts[face]]
        piece.rings = [found.positions[found.corners[starts[face] : starts[face + 1]]] for face in faces]
        piece.sides = [piece.sides[face - first_face[number]] for face in faces]
        piece.points = found.positions[found.first_vertex[number] : found.first_vertex[number + 1]]
        made.append(piece)
    return made


# ------------------------------------------------------------------------------------------------------------ textures


@dataclass(frozen=True, slots=True)
class _Overlaps:
    """Parts of faces on sides of pieces: n of them."""

    piece: Ints
    side: Ints  # the place in the piece's sides
    texinfo: Ints
    area: Floats
    rings: Floats  # [n, m, 3]
    sizes: Ints


def textured(pieces: list[ConvexPiece], planes: SidePlanes, surfaces: DrawnFaces) -> list[ConvexPiece]:
    """Give the sides of pieces the texinfos of the faces on them, cutting pieces where they differ on a side."""
    done: list[ConvexPiece] = []
    for _ in range(ROUNDS):
        if not pieces:
            break
        found = _overlaps(pieces, planes, surfaces)
        several = _lay(pieces, found)
        cut: list[ConvexPiece] = []
        for number, piece in enumerate(pieces):
            side = several.get(number)
            parts = None if side is None else _cut_between(piece, side, number, found, planes)
            if parts is None:
                done.append(piece)
            else:
                cut += parts
        pieces = shaped(cut, planes)
    return done + pieces


def _overlaps(pieces: list[ConvexPiece], planes: SidePlanes, surfaces: DrawnFaces) -> _Overlaps:
    """What of the faces lies on which sides."""
    owner, number, low, high = _sides(pieces)
    side = np.concatenate([np.arange(len(piece.sides)) for piece in pieces])
    at, face = _faces_near(planes, number, surfaces.side)
    meets = (surfaces.low[face] <= high[at] + FLAT).all(axis=1) & (surfaces.high[face] >= low[at] - FLAT).all(axis=1)
    at, face = at[meets], face[meets]
    rings, sizes = surfaces.rings_of(face)
    towards, away = planes.of(number[at].tolist())
    heights = np.abs(np.einsum("nmk,nk->nm", rings, towards) - away[:, None])
    heights[np.arange(rings.shape[1]) >= sizes[:, None]] = 0
    close = (heights <= NEAR).all(axis=1)
    at, face, rings, sizes = at[close], face[close], rings[close], sizes[close]
    most = max((len(piece.sides) for piece in pieces), default=0)
    normals, dists = np.zeros((len(pieces), most, 3)), np.zeros((len(pieces), most))
    for place, piece in enumerate(pieces):
        normals[place, : len(piece.sides)], dists[place, : len(piece.sides)] = planes.of(piece.sides)
    mine = normals[owner[at]]
    mine[np.arange(len(at)), side[at]] = 0  # not by the side that they lie on
    rings, sizes = convex.clipped(rings, sizes, mine, dists[owner[at]])
    area = convex.areas(rings, sizes)
    kept = (sizes > 2) & (area > SMALL)
    at, face = at[kept], face[kept]
    return _Overlaps(owner[at], side[at], surfaces.texinfo[face], area[kept], rings[kept], sizes[kept])


def _faces_near(planes: SidePlanes, sides: Ints, faces: Ints) -> tuple[Ints, Ints]:
    """Pairs of sides and faces, by their places, whose planes (their numbers are given) are nearly one.

    Of two such planes in the tree only one may bound a region, and a face lie in the other.
    """
    wanted, of_side = np.unique(sides, return_inverse=True)
    there = np.unique(faces)
    (normals, dists), (other_normals, other_dists) = (planes.of(each.tolist()) for each in (wanted, there))
    found: list[Ints] = [np.empty((0, 2), np.int64)]
    for first in range(0, len(wanted), _ROWS):
        part = slice(first, first + _ROWS)
        near = normals[part] @ other_normals.T > ALIKE
        near &= np.abs(dists[part, None] - other_dists) < 1
        rows, columns = np.nonzero(near)
        found.append(np.column_stack([rows + first, columns]))
    pairs = np.concatenate(found)
    begin, count = _runs(pairs[:, 0], of_side.reshape(-1))
    at, number = ranges.owners(count), there[pairs[ranges.flat(begin, count), 1]]
    order = np.argsort(faces, kind="stable")
    begin, count = _runs(faces[order], number)
    return at[ranges.owners(count)], order[ranges.flat(begin, count)]


def _sides(pieces: list[ConvexPiece]) -> tuple[Ints, Ints, Floats, Floats]:
    """All sides of pieces: their pieces, numbers, and the lower and upper corner of each one's box."""
    owner = ranges.owners([len(piece.sides) for piece in pieces])
    number = np.array([one for piece in pieces for one in piece.sides], np.int64)
    low = np.array([ring.min(axis=0) for piece in pieces for ring in piece.rings]).reshape(-1, 3)
    high = np.array([ring.max(axis=0) for piece in pieces for ring in piece.rings]).reshape(-1, 3)
    return owner, number, low, high


def _runs(ordered: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    """Where the run of each wanted number begins among ordered ones, and how many it has. Raises FormatError."""
    begin = np.searchsorted(ordered, wanted, "left")
    counts = np.searchsorted(ordered, wanted, "right") - begin
    if int(counts.sum()) > MOST_PAIRS:
        raise FormatError(f"{int(counts.sum()):,} pairs of sides in the same planes", "tree")
    return begin, counts


def _lay(pieces: list[ConvexPiece], found: _Overlaps) -> dict[int, int]:
    """Give sides the texinfo that covers most of each. Returns, of pieces with a side of several, the first such."""
    cover: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
    rows = zip(found.piece.tolist(), found.side.tolist(), found.texinfo.tolist(), found.area.tolist(), strict=True)
    for piece, side, texinfo, area in rows:
        held = cover[piece, side]
        held[texinfo] = held.get(texinfo, 0.0) + area
    several: dict[int, int] = {}
    for piece in pieces:
        piece.texinfos = dict.fromkeys(piece.sides, UNSEEN)
    for (number, side), held in cover.items():
        pieces[number].texinfos[pieces[number].sides[side]] = max(held, key=lambda one: (held[one], -one))
        if len(held) > 1:
            several[number] = min(side, several.get(number, side))
    return several


def _cut_between(
    piece: ConvexPiece, side: int, number: int, found: _Overlaps, planes: SidePlanes
) -> list[ConvexPiece] | None:
    """The parts of a piece cut by a plane that stands on a side along an edge of a face; None where none parts its
    textures.
    """
    here = np.flatnonzero((found.piece == number) & (found.side == side))
    rings = [found.rings[one, : found.sizes[one]] for one in here.tolist()]
    texinfos = found.texinfo[here]
    (normal,), _ = planes.of([piece.sides[side]])
    best: tuple[int, Floats, float] | None = None
    for ring in rings:
        for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            across = np.cross(end - start, normal)
            length = float(np.linalg.norm(across))
            if length < convex.WELD:
                continue
            across /= length
            dist = float(across @ start)
            heights = [one @ across - dist for one in rings]
            behind = np.array([bool((height < -FLAT).any()) for height in heights])
            before = np.array([bool((height > FLAT).any()) for height in heights])
            if not (behind & ~before).any() or not (before & ~behind).any():
                continue
            # Few faces cut, and few textures on both sides.
            cost = int((behind & before).sum()) + len(set(texinfos[behind]) & set(texinfos[before]))
            if best is None or cost < best[0]:
                best = cost, across, dist
    if best is None:
        return None
    added = planes.add(best[1], best[2])
    return [ConvexPiece([*piece.sides, added + turned], piece.contents) for turned in (0, 1)]


# ------------------------------------------------------------------------------------------------------------- merging


def merged(pieces: list[ConvexPiece], planes: SidePlanes) -> list[ConvexPiece]:
    """Join pieces of the same contents that share a side and are convex together, as far as their textures agree."""
    changed = set(map(id, pieces))
    for _ in range(ROUNDS):
        pairs = _neighbours(pieces, changed)
        taken: set[int] = set()
        joins: list[tuple[int, int, ConvexPiece]] = []
        for one, other, shared in _joinable(pieces, pairs, planes):
            if one not in taken and other not in taken:
                taken |= {one, other}
                joins.append((one, other, _join(pieces[one], pieces[other], shared)))
        made = shaped([join for _, _, join in joins], planes)
        changed = set(map(id, made))
        gone = {number for one, other, join in joins if id(join) in changed for number in (one, other)}
        pieces = [piece for number, piece in enumerate(pieces) if number not in gone] + made
        if not made:
            break
    return pieces


def _neighbours(pieces: list[ConvexPiece], changed: set[int]) -> Ints:
    """Pairs of pieces, int64[n, 3], that touch at opposite sides, and the number of the side of the first.

    changed: ids of pieces, one of which is in each pair.
    """
    owner, number, low, high = _sides(pieces)
    contents = np.array([piece.contents for piece in pieces], np.int64)[owner]
    fresh = np.array([id(piece) in changed for piece in pieces], np.bool_)[owner]
    order = np.lexsort((contents, number))
    keys = number[order] * (1 << 32) + contents[order]
    wanted = np.flatnonzero(number % 2 == 0)
    key = (number[wanted] + 1) * (1 << 32) + contents[wanted]
    begin, count = _runs(keys, key)
    one, other = np.repeat(wanted, count), order[ranges.flat(begin, count)]
    meets = (low[one] < high[other] + FLAT).all(axis=1) & (high[one] > low[other] - FLAT).all(axis=1)
    meets &= fresh[one] | fresh[other]
    one, other = one[meets], other[meets]
    return np.column_stack([owner[one], owner[other], number[one]])


def _joinable(pieces: list[ConvexPiece], pairs: Ints, planes: SidePlanes) -> list[tuple[int, int, int]]:
    """The pairs that are one convex solid: no corner of either is in front of a side of the other, but the shared one.

    The largest shared sides come first.
    """
    most_sides = max((len(piece.sides) for piece in pieces), default=0)
    most_points = max((len(piece.points) for piece in pieces), default=0)
    normals, dists = np.zeros((len(pieces), most_sides, 3)), np.zeros((len(pieces), most_sides))
    sides = np.full((len(pieces), most_sides), -1)
    points = np.zeros((len(pieces), most_points, 3))
    for place, piece in enumerate(pieces):
        count = len(piece.sides)
        normals[place, :count], dists[place, :count] = planes.of(piece.sides)
        sides[place, :count] = piece.sides
        points[place] = np.resize(piece.points, (most_points, 3))  # some twice: that changes nothing
    fits = np.ones(len(pairs), np.bool_)
    for first in range(0, len(pairs), _PAIRS):
        part = slice(first, first + _PAIRS)
        for one, other, turned in ((0, 1, 0), (1, 0, 1)):
            mine, theirs = pairs[part, one], pairs[part, other]
            heights = np.einsum("nkc,npc->nkp", normals[mine], points[theirs]) - dists[mine][:, :, None]
            outside = (heights > JOINED).any(axis=2) & (sides[mine] != pairs[part, 2, None] + turned)
            fits[part] &= ~outside.any(axis=1)
    made = []
    for one, other, shared in pairs[fits].tolist():
        if all(_agree(pieces[other].texinfos.get(side, UNSEEN), laid) for side, laid in pieces[one].texinfos.items()):
            ring = pieces[one].rings[pieces[one].sides.index(shared)]
            made.append((float(convex.areas(ring[None], np.array([len(ring)]))[0]), one, other, shared))
    return [(one, other, shared) for _, one, other, shared in sorted(made, reverse=True)]


def _agree(one: int, other: int) -> bool:
    return UNSEEN in (one, other) or one == other


def _join(one: ConvexPiece, other: ConvexPiece, shared: int) -> ConvexPiece:
    """Two pieces as one: all their sides but the shared one. (Polygons are for `shaped` to find.)"""
    texinfos = {side: laid for side, laid in one.texinfos.items() if side != shared}
    for side, laid in other.texinfos.items():
        if side != shared + 1 and texinfos.get(side, UNSEEN) == UNSEEN:
            texinfos[side] = laid
    return ConvexPiece(list(texinfos), one.contents, texinfos)


def recovered(
    level: CompiledLevel, tree: LevelTree, model: int, regions: Sequence[tuple[list[int], int]], surfaces: DrawnFaces
) -> Steps[tuple[list[ConvexPiece], SidePlanes, int]]:
    """The brushes of a model's regions, their planes, and how many regions enclose too little to be one.

    surfaces: the model's faces.
    """
    record = level.table(ChunkId.MODELS)[model]
    planes = SidePlanes(tree, record["mins"].astype(np.float64), record["maxs"].astype(np.float64))
    pieces = shaped([ConvexPiece([*sides, *planes.bounds], contents) for sides, contents in regions], planes)
    lost = len(regions) - len(pieces)
    yield
    pieces = textured(pieces, planes, surfaces)
    yield
    return merged(pieces, planes), planes, lost
