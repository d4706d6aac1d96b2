# SPDX-License-Identifier: GPL-3.0-or-later
"""The collision of a brush model that is rebuilt: hulls a little smaller than its pieces (source.md §2.8).

The compiler moves the sides of brush entities inwards by half a unit, so that two that touch don't rub: not where that
would leave less than a unit and a half, nor where another piece of the model covers the side.
"""

import re
from collections.abc import Sequence

import numpy as np

from ... import convex
from ...arrays import Floats, Ints
from ...binary import FormatError
from ...convex import Polygons
from ..collision import physcollide_build, physcollide_surface
from ..collision.physcollide import SOLID_TAG, PhysCollide, PhysModel
from ..collision.physcollide_surface import Hull, Solid
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from .brush_pieces import WHAT, Piece

SHRINK = 0.5
"""Units; older compilers have half of it."""
_THIN = 3  # times that
_COVERED = 0.1  # units in front of a side
NEAR = 1e-2  # units: what amounts may differ by
_SAME, _ROUNDED = 1e-3, 1e-7  # units, and a part of the distance: what a hull that is read back may be off by
COLLIDES = (
    Contents.SOLID
    | Contents.MOVEABLE
    | Contents.WINDOW
    | Contents.MONSTER
    | Contents.GRATE
    | Contents.WATER
    | Contents.SLIME
    | Contents.PLAYERCLIP
    | Contents.MONSTERCLIP
)
"""Contents of brushes that become hulls."""
TAGGED_SINCE = 19  # the version of maps
_HEAVIEST = (50000.0, 100000.0)  # kilograms: what compilers of different years write at most
_DENSITY = 2000 * 0.0254**3  # kilograms in a cubic unit of the material "default"
_MASS, _VOLUME = (re.compile(rf'"{key}" "([^"]*)"', re.IGNORECASE) for key in ("mass", "volume"))


def collision(level: Level, model: int, pieces: Sequence[Piece], polygons: Polygons, brushes: Ints) -> PhysCollide:
    """The map's collision with that of a model's pieces.

    brushes: int64[pieces], their numbers. Raises FormatError where the model's is none that can be replaced.
    """
    found = level.physcollide
    entry = found.of_model(model)
    if entry is not None and len(entry.solids) != 1:
        raise FormatError(f"its collision has {len(entry.solids)} solids, one is meant", WHAT)
    old = None if entry is None else physcollide_surface.read(entry.solids[0])
    hulls = _hulls(pieces, polygons, brushes, _shrink(level, old))
    rest = [other for other in found.models if other is not entry]
    if hulls:
        recent = level.version >= TAGGED_SINCE
        tagged = recent if entry is None else bytes(entry.solids[0][:4]) == SOLID_TAG
        outer = recent if old is None or len(old.hulls) == 1 else old.outer is not None
        keys = _text(None if entry is None else entry.text, old, hulls)
        solid = physcollide_build.build(hulls, tagged, outer)
        check_told(hulls, physcollide_surface.read(solid))
        rest.append(PhysModel(model, [solid], keys))
        rest.sort(key=lambda other: other.model)
    return PhysCollide(rest, found.ended, found.last, found.trailing)


def check_told(hulls: Sequence[Hull], solid: Solid) -> None:
    """Raise FormatError for a solid that is read back as other hulls than it was made of."""
    found = {hull.brush: hull.points for hull in solid.hulls}
    for hull in hulls:
        allowed = _SAME + float(np.abs(hull.points).max()) * _ROUNDED
        apart = np.abs(hull.points[:, None] - found[hull.brush][None]).max(axis=2)
        if apart.min(axis=1).max() > allowed or apart.min(axis=0).max() > allowed:
            raise FormatError(f"what collides of brush {hull.brush} is too fine to be told", WHAT)


def _shrink(level: Level, old: Solid | None) -> float:
    """By how much the compiler made this model's hulls smaller: the half or the quarter of a unit."""
    amounts = insets(level, () if old is None else old.hulls)
    quarters, halves = (np.count_nonzero(np.abs(amounts - amount) < NEAR) for amount in (SHRINK / 2, SHRINK))
    return SHRINK / 2 if quarters > halves else SHRINK


def insets(level: Level, hulls: Sequence[Hull]) -> Floats:
    """How far hulls stay behind the sides of their brushes: float64[n], units, of each side that is no bevel."""
    brushes, sides, planes = (level.table(lump) for lump in (LumpId.BRUSHES, LumpId.BRUSHSIDES, LumpId.PLANES))
    amounts = [np.zeros(0)]
    for hull in hulls:
        if 0 <= hull.brush < len(brushes):
            first, count = int(brushes["firstside"][hull.brush]), int(brushes["numsides"][hull.brush])
            own = sides[first : first + count]
            own = own[(own["bevel"] == 0) & (own["planenum"] < len(planes))]
            used = planes[own["planenum"]]
            heights = hull.points @ used["normal"].astype(np.float64).T - used["dist"].astype(np.float64)
            amounts.append(-heights.max(axis=0, initial=-np.inf))
    return np.concatenate(amounts)


def _hulls(pieces: Sequence[Piece], polygons: Polygons, brushes: Ints, shrink: float) -> list[Hull]:
    """The hull of each piece that collides. Raises FormatError for one that is too thin to have one."""
    made = []
    first = 0
    for number, piece in enumerate(pieces):
        places = range(first, first + len(piece.dists))
        first += len(piece.dists)
        if not piece.contents & COLLIDES:
            continue
        rings = [
            polygons.positions[polygons.corners[polygons.first_corner[n] : polygons.first_corner[n + 1]]]
            for n in places
        ]
        corners = np.concatenate(rings)
        heights = corners @ piece.normals.T
        thick = heights.max(axis=0) - heights.min(axis=0)
        inwards = np.where(thick < _THIN * shrink, 0.0, shrink)
        for side, ring in enumerate(rings):
            if len(ring) and _is_covered(ring + piece.normals[side] * _COVERED, pieces, number):
                inwards[side] = 0
        found = convex.from_planes(piece.normals, piece.dists - inwards, [len(piece.dists)])
        if not found.closed[0]:
            raise FormatError(f"piece {number} is too thin: what collides would enclose nothing", WHAT)
        made.append(hull_of(found, int(brushes[number])))
    return made


def hull_of(polygons: Polygons, brush: int) -> Hull:
    """The hull of a brush, of its polygons. Raises FormatError for one that is too fine to be told."""
    hull = physcollide_build.triangulated(polygons.positions, polygons.corners, polygons.first_corner, brush)
    told = bool(polygons.closed[0]) and physcollide_build.is_closed(hull)
    closed = hull if told else physcollide_build.around(polygons.positions, brush)
    if closed is None:
        raise FormatError(f"what collides of brush {brush} is too fine to be told", WHAT)
    return closed


def _is_covered(ring: Floats, pieces: Sequence[Piece], own: int) -> bool:
    """Whether a polygon, drawn in a little, lies within another piece."""
    inner = ring.mean(axis=0) + (ring - ring.mean(axis=0)) * 0.99
    return any(
        bool((inner @ piece.normals.T <= piece.dists).all()) for number, piece in enumerate(pieces) if number != own
    )


def _text(text: str | None, old: Solid | None, hulls: Sequence[Hull]) -> bytes:
    """The key-values: with the new volume, and a mass that has changed as much; the material stays.

    What a mass was that is the most that compilers write, is not known: it stays.
    """
    size = physcollide_build.volume(hulls)
    if text is None:
        mass = min(size * _DENSITY, _HEAVIEST[1])
        text = f'solid {{\n"index" "0"\n"mass" "{mass:f}"\n"surfaceprop" "default"\n"volume" "{size:f}"\n}}\n'
        return text.encode("latin-1") + b"\0"
    before = 0.0 if old is None else physcollide_build.volume(old.hulls)
    found = _MASS.search(text)
    if found is not None and before > 0:
        try:
            mass = float(found[1])
        except ValueError:
            mass = 0.0
        if mass not in _HEAVIEST:
            text = _MASS.sub(lambda match: f'{match[0][: -len(match[1]) - 1]}{min(mass * size / before, 1e5):f}"', text)
    text = _VOLUME.sub(lambda match: f'{match[0][: -len(match[1]) - 1]}{size:f}"', text)
    return text.encode("latin-1") + b"\0"
