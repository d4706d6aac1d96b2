# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed surfaces to convex solids: what a brush can be made of, and what it can't.

A brush is the space behind its planes, so that only a closed, convex surface with flat faces is one. `solids` finds the
separate shells of a surface and gives the sides of each; what is not convex is refused, or cut apart along the planes
of its own faces (a BSP tree: its solid leaves are convex).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from . import convex, surfaces
from .arrays import Bools, Floats, Ints
from .counting import number_of
from .surfaces import NEAR, Planes, Surface, SurfaceError

LOST = 1e-3
"""Share of a surface's volume that its parts may lack or exceed; more, and the surface crosses itself."""
_INWARDS = "its faces point inwards, or it encloses nothing"
CANDIDATES = 64
"""Planes that are tried for a cut; the best of them is taken."""


@dataclass(slots=True)
class Side:
    """A side of a convex solid."""

    normal: Floats  # [3]
    dist: float
    faces: list[int]
    """Those of the surface that lie in its plane, the one to go by first."""
    inside: bool = False
    """A cut through the solid made it, so nobody sees it; `faces` then are those whose plane the cut continues."""


Solid = list[Side]


def solids(of: Surface, split: bool = False) -> list[Solid]:
    """The convex solids that a surface bounds: one for each shell, its sides in the order of their first faces.

    split: cut apart what is concave or has cavities, and cut faces that are not flat into triangles.
    Raises SurfaceError where there is a hole, and (unless `split`) for faces that are bent and shells that are concave.
    """
    if not len(of.dists):
        raise SurfaceError("it has no faces", [])
    labels = surfaces.shells(of)
    bent = surfaces.bent(of)
    if len(bent) and not split:
        raise SurfaceError(f"{number_of(len(bent), 'faces are')} not flat", bent, splits=True, flaw="bent")
    volumes = np.bincount(labels, surfaces.volumes(of), labels.max() + 1)
    shells = np.unique(labels)
    if not split and (volumes[shells] <= 0).any():
        inverted = np.isin(labels, shells[volumes[shells] <= 0])
        splits = bool(volumes.sum() > 0)
        raise SurfaceError(_INWARDS, np.flatnonzero(inverted), splits, "inverted")
    if volumes.sum() <= 0:
        raise SurfaceError(_INWARDS, np.arange(len(labels)), False, "inverted")
    if (volumes[shells] <= 0).any():  # cavities belong to what is around them
        return _apart(*_pieces(of, np.arange(len(labels)), bent))
    result = []
    for shell in shells.tolist():
        faces = np.flatnonzero(labels == shell)
        flat = not np.isin(bent, faces).any()
        concave = surfaces.concave(of, faces)
        if flat and not len(concave):
            result.append(_convex(of, faces))
        elif split:
            result += _apart(*_pieces(of, faces, bent))
        else:
            raise SurfaceError(f"it is concave at {number_of(len(concave), 'faces')}", concave, splits=True)
    return result


def _convex(of: Surface, faces: Ints) -> Solid:
    """The sides of a convex shell: faces in one plane are one side."""
    sides: dict[int, Side] = {}
    table = surfaces.planes(of, faces)
    for face, plane in zip(faces.tolist(), table.of_face[faces].tolist(), strict=True):
        if plane < 0:
            continue
        if plane not in sides:
            lead = table.leads[plane]
            sides[plane] = Side(of.normals[lead], float(of.dists[lead]), [lead])
        if face != sides[plane].faces[0]:
            sides[plane].faces.append(face)
    return sorted(sides.values(), key=lambda side: min(side.faces))


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


def _pieces(of: Surface, faces: Ints, bent: Ints) -> tuple[list[_Piece], Planes]:
    """Faces as convex pieces: concave and bent ones become triangles."""
    table = surfaces.planes(of, faces[~np.isin(faces, bent)])
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


def _apart(pieces: list[_Piece], table: Planes) -> list[Solid]:
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


def _cut_plane(cell: _Cell, table: Planes) -> int | None:
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


def _divided(cell: _Cell, plane: int, table: Planes) -> tuple[_Cell, _Cell]:
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


def _solid(leaf: _Cell, planes: list[int], table: Planes) -> Solid:
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
