# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed surfaces to convex solids: what a brush can be made of, and what it can't.

A brush is the space behind its planes, so that only a closed, convex surface with flat faces is one. `solids` finds the
separate shells of a surface and gives the sides of each; what is not convex is refused, or cut apart along the planes
of its own faces (a BSP tree: its solid leaves are convex).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from . import convex

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

NEAR = 1e-2
"""Units: how far a point may be off a plane and still be taken to lie in it. As `formats.convex` clips."""
SAME_DIRECTION = 1e-6
"""1 - cosine: normals nearer than this are one (0.08 degrees)."""
LOST = 1e-3
"""Share of a surface's volume that its parts may lack or exceed; more, and the surface crosses itself."""
CANDIDATES = 64
"""Planes that are tried for a cut; the best of them is taken."""


class SurfaceError(ValueError):
    """A surface that no brush can be made of. `faces`: numbers of those at fault; `splits`: cut apart, it would do."""

    def __init__(self, message: str, faces: npt.ArrayLike, splits: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.splits = splits
        self.faces: Ints = np.asarray(faces, np.int64).reshape(-1)


@dataclass(frozen=True, slots=True)
class Surface:
    """Polygons, counter-clockwise seen from outside, laid out as in `convex.Polygons`, each with its plane.

    known: faces whose plane is certain, so that of several in one plane theirs is taken.
    """

    positions: Floats  # [n, 3]
    corners: Ints
    first_corner: Ints  # [f + 1]
    normals: Floats  # [f, 3], length 1
    dists: Floats  # [f]
    known: Bools  # [f]

    @property
    def corner_face(self) -> Ints:
        """The face of each corner."""
        return np.repeat(np.arange(len(self.first_corner) - 1), np.diff(self.first_corner))

    def ring(self, face: int) -> Floats:
        """The corners of a face, float64[k, 3]."""
        return np.asarray(self.positions[self.corners[self.first_corner[face] : self.first_corner[face + 1]]])


@dataclass(slots=True)
class Side:
    """A side of a convex solid: its plane, and the faces of the surface that lie in it, the one to go by first.

    inside: a cut through the solid made it, so nobody sees it; `faces` then are those whose plane the cut continues.
    """

    normal: Floats  # [3]
    dist: float
    faces: list[int]
    inside: bool = False


Solid = list[Side]


def surface(positions: npt.ArrayLike, corners: npt.ArrayLike, first_corner: npt.ArrayLike) -> Surface:
    """A surface with the planes that its polygons have (see `convex.planes`); none of them is known."""
    points = np.asarray(positions, np.float64).reshape(-1, 3)
    numbers, starts = np.asarray(corners, np.int64), np.asarray(first_corner, np.int64)
    normals, dists, _ = convex.planes(points, numbers, starts)
    return Surface(points, numbers, starts, normals, dists, np.zeros(len(dists), np.bool_))


def solids(of: Surface, split: bool = False) -> list[Solid]:
    """The convex solids that a surface bounds: one for each shell, its sides in the order of their first faces.

    split: cut apart what is concave or has cavities, and cut faces that are not flat into triangles.
    Raises SurfaceError where there is a hole, and (unless `split`) for faces that are bent and shells that are concave.
    """
    if not len(of.dists):
        raise SurfaceError("it has no faces", [])
    labels = _shells(of)
    bent = _bent(of)
    if len(bent) and not split:
        raise SurfaceError(f"{_some(len(bent))} not flat", bent, splits=True)
    volumes = np.bincount(labels, _volumes(of), labels.max() + 1)
    shells = np.unique(labels)
    if not split and (volumes[shells] <= 0).any():
        inverted = np.isin(labels, shells[volumes[shells] <= 0])
        splits = bool(volumes.sum() > 0)
        raise SurfaceError("its faces point inwards, or it encloses nothing", np.flatnonzero(inverted), splits)
    if volumes.sum() <= 0:
        raise SurfaceError("its faces point inwards, or it encloses nothing", np.arange(len(labels)))
    if (volumes[shells] <= 0).any():  # cavities belong to what is around them
        return _apart(*_pieces(of, np.arange(len(labels)), bent))
    result = []
    for shell in shells.tolist():
        faces = np.flatnonzero(labels == shell)
        flat = not np.isin(bent, faces).any()
        concave = _concave(of, faces)
        if flat and not len(concave):
            result.append(_convex(of, faces))
        elif split:
            result += _apart(*_pieces(of, faces, bent))
        else:
            raise SurfaceError(f"it is concave at {_some(len(concave), verb='')}", concave, splits=True)
    return result


def _some(count: int, verb: str = " is", verbs: str = " are") -> str:
    return f"{count} face{verb}" if count == 1 else f"{count} faces{verbs if verb else ''}"


def _shells(of: Surface) -> Ints:
    """The shell of each face, as the number of one of its faces. Raises SurfaceError where edges are open."""
    # By the mesh's own vertices first: solids that only touch each other stay apart. Then by places.
    _, places = np.unique(of.positions + 0.0, axis=0, return_inverse=True)
    twins, loose = _twins(of, np.arange(len(of.positions)))
    if loose.any():
        twins, loose = _twins(of, places.reshape(-1))
    owners = of.corner_face
    if loose.any():
        faces = np.unique(owners[loose])
        raise SurfaceError(
            f"it is open: {_some(len(faces), ' has', ' have')} an edge that no other face continues", faces
        )
    paired = twins >= 0
    one, other = owners[paired], owners[twins[paired]]
    labels = np.arange(len(of.dists))
    while True:
        smaller = labels.copy()
        np.minimum.at(smaller, one, labels[other])
        smaller = smaller[smaller]
        if np.array_equal(smaller, labels):
            return labels
        labels = smaller


def _twins(of: Surface, vertices: Ints) -> tuple[Ints, Bools]:
    """The corner whose edge is that of each corner the other way round (-1: none, its edge is a point), and which
    corners' edges are not met by exactly one other.
    """
    starts = vertices[of.corners]
    ends = starts[_following(of.first_corner)]
    count = len(vertices)
    forth, back = starts * count + ends, ends * count + starts
    order = np.argsort(forth, kind="stable")
    ordered = forth[order]
    first = np.searchsorted(ordered, back, "left")
    number = np.searchsorted(ordered, back, "right") - first
    own = np.searchsorted(ordered, forth, "right") - np.searchsorted(ordered, forth, "left")
    point = starts == ends
    loose = ~point & ((number != 1) | (own != 1))
    twins = np.where(point | loose, -1, order[np.minimum(first, len(order) - 1)])
    return twins, loose


def _following(first_corner: Ints) -> Ints:
    """The corner after each corner of its polygon."""
    following = np.arange(1, first_corner[-1] + 1)
    sizes = np.diff(first_corner)
    following[first_corner[1:][sizes > 0] - 1] = first_corner[:-1][sizes > 0]
    return following


def _bent(of: Surface) -> Ints:
    """Faces with a corner off their plane, or with no area."""
    owners = of.corner_face
    off = np.abs((of.positions[of.corners] * of.normals[owners]).sum(axis=1) - of.dists[owners])
    worst = np.zeros(len(of.dists))
    np.maximum.at(worst, owners, off)
    # A face without an area bounds nothing: its neighbours' edges meet without it.
    return np.flatnonzero((worst > NEAR) & of.normals.any(axis=1))


def _volumes(of: Surface) -> Floats:
    """What each face adds to the volume: its sum is that of what the faces enclose, negative if they face inwards."""
    owners = of.corner_face
    points = of.positions[of.corners] - of.positions.mean(axis=0)
    first = points[of.first_corner[:-1].clip(max=len(points) - 1)]
    parts = np.einsum("ij,ij->i", first[owners], np.cross(points, points[_following(of.first_corner)]))
    return np.bincount(owners, parts, len(of.dists)) / 6


def _concave(of: Surface, faces: Ints) -> Ints:
    """Which of a shell's faces have parts of the shell before them."""
    points = of.positions[np.unique(of.corners[np.isin(of.corner_face, faces)])]
    step = max(1, (1 << 22) // len(points))
    before = [
        (of.normals[some] @ points.T > of.dists[some, None] + NEAR).any(axis=1)
        for some in (faces[start : start + step] for start in range(0, len(faces), step))
    ]
    result: Ints = faces[np.concatenate(before)]
    return result


def _convex(of: Surface, faces: Ints) -> Solid:
    """The sides of a convex shell: faces in one plane are one side."""
    sides: dict[int, Side] = {}
    table = _planes(of, faces)
    for face, plane in zip(faces.tolist(), table.of_face[faces].tolist(), strict=True):
        if plane < 0:
            continue
        if plane not in sides:
            lead = table.leads[plane]
            sides[plane] = Side(of.normals[lead], float(of.dists[lead]), [lead])
        if face != sides[plane].faces[0]:
            sides[plane].faces.append(face)
    return sorted(sides.values(), key=lambda side: min(side.faces))


# ---------------------------------------------------------------------------------------------------- distinct planes


@dataclass(slots=True)
class _Planes:
    """Distinct planes of a surface, numbered; `reverse` gives each its own other side."""

    normals: list[Floats] = field(default_factory=list)
    dists: list[float] = field(default_factory=list)
    leads: list[int] = field(default_factory=list)  # the face that each is taken from
    of_face: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # -1: of no area
    _reversed: dict[int, int] = field(default_factory=dict)

    def add(self, normal: Floats, dist: float, lead: int) -> int:
        self.normals.append(normal)
        self.dists.append(dist)
        self.leads.append(lead)
        return len(self.dists) - 1

    def find(self, normal: Floats, points: Floats) -> int:
        """The plane with this normal that points lie in, -1 if there is none."""
        if not self.dists:
            return -1
        normals, dists = np.array(self.normals), np.array(self.dists)
        near = np.flatnonzero(normals @ normal >= 1 - SAME_DIRECTION)
        if not len(near):
            return -1
        off = np.abs(normals[near] @ points.T - dists[near, None]).max(axis=1)
        best = int(off.argmin())
        return int(near[best]) if off[best] <= NEAR else -1

    def reverse(self, plane: int, points: Floats) -> int:
        """The number of a plane seen from behind. points: some that lie in it."""
        if plane not in self._reversed:
            other = self.find(-self.normals[plane], points)
            if other < 0:
                other = self.add(-self.normals[plane], -self.dists[plane], self.leads[plane])
            self._reversed[plane] = other
            self._reversed[other] = plane
        return self._reversed[plane]


def _planes(of: Surface, faces: Ints) -> _Planes:
    """The distinct planes of faces: known ones first, then those of large faces."""
    table = _Planes(of_face=np.full(len(of.dists), -1, np.int64))
    sizes = np.abs(_areas(of))
    order = faces[np.lexsort((-sizes[faces], ~of.known[faces]))]
    for face in order[of.normals[order].any(axis=1)].tolist():
        found = table.find(of.normals[face], of.ring(face))
        table.of_face[face] = found if found >= 0 else table.add(of.normals[face], float(of.dists[face]), face)
    return table


def _areas(of: Surface) -> Floats:
    owners = of.corner_face
    points = of.positions[of.corners] - of.positions.mean(axis=0)
    parts = np.einsum("ij,ij->i", of.normals[owners], np.cross(points, points[_following(of.first_corner)]))
    return np.bincount(owners, parts, len(of.dists)) / 2


# ------------------------------------------------------------------------------------------------------ cutting apart


@dataclass(frozen=True, slots=True)
class _Piece:
    """A flat convex piece of a face."""

    ring: Floats
    plane: int
    face: int


@dataclass(slots=True)
class _Cell:
    """A part of space: the pieces in it, and the planes that it is behind, with those that pieces in it lie in."""

    pieces: list[_Piece]
    walls: list[int]


def _pieces(of: Surface, faces: Ints, bent: Ints) -> tuple[list[_Piece], _Planes]:
    """Faces as convex pieces: concave and bent ones become triangles."""
    table = _planes(of, faces[~np.isin(faces, bent)])
    crooked = set(bent.tolist())
    pieces = []
    for face in faces.tolist():
        ring = of.ring(face)
        if not of.normals[face].any():
            continue
        if face not in crooked:
            plane = int(table.of_face[face])
            rings = (
                [ring]
                if _turns_one_way(ring, of.normals[face])
                else [ring[one] for one in _ears(ring, of.normals[face])]
            )
            pieces += [_Piece(one, plane, face) for one in rings]
            continue
        for one in _ears(ring, of.normals[face]):
            triangle = ring[one]
            normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
            length = float(np.linalg.norm(normal))
            if length <= 1e-9:
                continue
            normal /= length
            plane = table.find(normal, triangle)
            if plane < 0:
                plane = table.add(normal, float((triangle @ normal).mean()), face)
            pieces.append(_Piece(triangle, plane, face))
    return pieces, table


def _turns_one_way(ring: Floats, normal: Floats) -> bool:
    """Whether a flat polygon is convex."""
    edges = np.roll(ring, -1, axis=0) - ring
    lengths = np.maximum(np.linalg.norm(edges, axis=1), 1e-9)
    turns = np.cross(edges, np.roll(edges, -1, axis=0)) @ normal
    return bool((turns >= -1e-6 * lengths * np.roll(lengths, -1)).all())


def _ears(ring: Floats, normal: Floats) -> list[list[int]]:
    """Triangles of a polygon (corner numbers); of a quad's two cuts the one that bulges outwards."""
    if len(ring) == 4:
        bulge = float(np.cross(ring[1] - ring[0], ring[3] - ring[0]) @ (ring[2] - ring[0]))
        one, two = [[0, 1, 2], [0, 2, 3]], [[0, 1, 3], [1, 2, 3]]
        best = one if bulge >= 0 else two
        return best if all(_upward(ring[triangle], normal) for triangle in best) else (two if best is one else one)
    left, triangles = list(range(len(ring))), []
    while len(left) > 3:
        for at in range(len(left)):
            triangle = [left[at - 1], left[at], left[(at + 1) % len(left)]]
            others = ring[[one for one in left if one not in triangle]]
            if _upward(ring[triangle], normal) and not _inside(others, ring[triangle], normal).any():
                triangles.append(triangle)
                del left[at]
                break
        else:  # corners on one line: any of them may go
            del left[1]
    return [*triangles, left]


def _upward(triangle: Floats, normal: Floats) -> bool:
    return float(np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0]) @ normal) > 1e-9


def _inside(points: Floats, triangle: Floats, normal: Floats) -> Bools:
    """Which points lie in a triangle, seen along the normal."""
    result = np.ones(len(points), np.bool_)
    for start, end in zip(triangle, np.roll(triangle, -1, axis=0), strict=True):
        result &= np.cross(end - start, points - start) @ normal >= 0
    return result


def _apart(pieces: list[_Piece], table: _Planes) -> list[Solid]:
    """The convex solids that pieces enclose. Raises SurfaceError if their volumes don't add up."""
    leaves: list[_Cell] = []
    cells = [_Cell(pieces, [])]
    while cells:
        cell = cells.pop()
        if not cell.pieces:
            continue
        plane = _cut_plane(cell, table)
        if plane is None:
            leaves.append(cell)
        else:
            cells += _divided(cell, plane, table)
    walls = [list(dict.fromkeys([*(piece.plane for piece in leaf.pieces), *leaf.walls])) for leaf in leaves]
    numbers = np.concatenate([np.empty(0, np.int64), *map(np.array, walls)]).astype(np.int64)
    shapes = convex.from_planes(
        np.array(table.normals)[numbers], np.array(table.dists)[numbers], [len(one) for one in walls]
    )
    sizes = np.diff(shapes.first_corner) > 2
    parts, total, first = [], 0.0, 0
    for number, (leaf, planes) in enumerate(zip(leaves, walls, strict=True)):
        real = sizes[first : first + len(planes)]
        if shapes.closed[number]:
            total += _volume(_shape_pieces(shapes, first, first + len(planes)))
            parts.append(_solid(leaf, [plane for plane, there in zip(planes, real, strict=True) if there], table))
        first += len(planes)
    volume = _volume(pieces)
    if abs(total - volume) > LOST * volume + NEAR:
        raise SurfaceError("it crosses itself, so that it has no inside", sorted({piece.face for piece in pieces}))
    return [solid for solid in parts if solid]


def _cut_plane(cell: _Cell, table: _Planes) -> int | None:
    """The plane to cut a cell by: of those with pieces before them that which cuts the fewest; None if it is convex."""
    used = np.unique([piece.plane for piece in cell.pieces])
    normals, dists = np.array(table.normals), np.array(table.dists)
    points = np.concatenate([piece.ring for piece in cell.pieces])
    sizes = np.array([len(piece.ring) for piece in cell.pieces])
    starts = np.cumsum(sizes) - sizes
    heights = points @ normals[used].T - dists[used]
    highest = np.maximum.reduceat(heights, starts, axis=0)
    lowest = np.minimum.reduceat(heights, starts, axis=0)
    facing = normals[[piece.plane for piece in cell.pieces]] @ normals[used].T
    opposed = (highest <= NEAR) & (lowest >= -NEAR) & (facing < 0)
    needed = np.flatnonzero(((highest > NEAR) | opposed).any(axis=0))
    if not len(needed):
        return None
    needed = needed[:: max(1, len(needed) // CANDIDATES)]
    before, behind = highest[:, needed] > NEAR, lowest[:, needed] < -NEAR
    cuts = (before & behind).sum(axis=0)
    balance = np.abs(before.sum(axis=0) - behind.sum(axis=0))
    return int(used[needed[int((8 * cuts + balance).argmin())]])


def _divided(cell: _Cell, plane: int, table: _Planes) -> tuple[_Cell, _Cell]:
    """A cell's parts before and behind a plane."""
    normal, dist = table.normals[plane], table.dists[plane]
    front: list[_Piece] = []
    back: list[_Piece] = []
    for piece in cell.pieces:
        heights = piece.ring @ normal - dist
        before, behind = bool((heights > NEAR).any()), bool((heights < -NEAR).any())
        if before and behind:
            front += _clipped(piece, -heights)
            back += _clipped(piece, heights)
        elif before or (not behind and float(table.normals[piece.plane] @ normal) < 0):
            front.append(piece)
        else:
            back.append(piece)
    on_it = next(piece.ring for piece in cell.pieces if piece.plane == plane)
    return _Cell(front, [*cell.walls, table.reverse(plane, on_it)]), _Cell(back, [*cell.walls, plane])


def _clipped(piece: _Piece, heights: Floats) -> list[_Piece]:
    """What of a piece is not above a plane, if it has an area."""
    inside = heights <= 0
    after, next_heights = np.roll(piece.ring, -1, axis=0), np.roll(heights, -1)
    with np.errstate(all="ignore"):
        crossing = piece.ring + (heights / (heights - next_heights))[:, None] * (after - piece.ring)
    both = np.stack([piece.ring, crossing], axis=1).reshape(-1, 3)
    keep = np.stack([inside, inside != np.roll(inside, -1)], axis=1).reshape(-1)
    ring = both[keep]
    return [_Piece(ring, piece.plane, piece.face)] if len(ring) > 2 and bool((heights < -NEAR).any()) else []


def _shape_pieces(shapes: convex.Polygons, first: int, end: int) -> list[_Piece]:
    """The polygons of faces first to end as pieces."""
    spans = zip(shapes.first_corner[first:end].tolist(), shapes.first_corner[first + 1 : end + 1].tolist(), strict=True)
    return [_Piece(shapes.positions[shapes.corners[start:stop]], 0, 0) for start, stop in spans if stop > start]


def _volume(pieces: list[_Piece]) -> float:
    """The volume that pieces enclose."""
    if not pieces:
        return 0.0
    middle = pieces[0].ring[0]
    rings = [piece.ring - middle for piece in pieces]
    return sum(float(np.cross(ring[1:-1], ring[2:]).sum(axis=0) @ ring[0]) for ring in rings) / 6


def _solid(leaf: _Cell, planes: list[int], table: _Planes) -> Solid:
    """The sides of a convex leaf: first those that are faces."""
    faces: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for piece in leaf.pieces:
        faces[piece.plane][piece.face] = None
    sides = []
    for plane in planes:
        lead = table.leads[plane]
        found = [lead] * (lead in faces[plane]) + [face for face in faces[plane] if face != lead]
        sides.append(Side(table.normals[plane], table.dists[plane], found or [lead], inside=not found))
    return sorted(sides, key=lambda side: (side.inside, min(side.faces)))
