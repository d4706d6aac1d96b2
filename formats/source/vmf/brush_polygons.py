# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that were drawn as polygons: which are still the map's brushes, and what the others are as solids.

The polygons of a solid hang together and enclose it; all of its corners lie behind each of them. A polygon that isn't
flat counts as triangles, which bend outwards.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from ...convex import from_planes, planes
from ...counting import number_of
from ..edits import texture_fits
from . import texture_axes
from .solids import WORLD, VmfSolids

ON_PLANE = 4e-3
"""Units that a corner lies beside the plane it was drawn on, at most: float32 rounds as much at the world's end."""
FLAT, BEHIND = 0.02, 0.05
"""Units that corners may lie beside their polygon, and before the polygons of their solid."""
TEXELS = 0.25
"""Texels that corners may be away from where a flat texture has them."""

_UNMOVED = 0.05  # texels
_SAME_ANGLE, _SAME_DIST = 1e-4, 0.02  # polygons that differ less are parts of one side
_SAME_LENGTH = 1e-3
_ROUND = 2.0**-10  # units: what whole brushes are moved by
_MOST_SIDES = 128  # that the engine allows a brush
_MOST_POLYGONS = 512  # more than any brush, however it is cut up


class BrushShapeError(ValueError):
    """Polygons that aren't a brush. polygons: int64[k], those at fault. are_bent: because they aren't flat.

    are_concave: because what they enclose isn't convex.
    """

    def __init__(self, message: str, polygons: Ints, are_bent: bool = False, are_concave: bool = False) -> None:
        super().__init__(message)
        self.message, self.polygons, self.are_bent, self.are_concave = message, polygons, are_bent, are_concave


@dataclass(frozen=True, slots=True)
class BrushPolygons:
    """p polygons over v points with c corners, anticlockwise from outside."""

    positions: Floats
    """float64[v, 3]: units."""
    corners: Ints
    """int64[c]: points."""
    first_corner: Ints
    """int64[p + 1]: where each polygon's corners start."""
    texels: Floats
    """float64[c, 2]: s and t; not finite where there is no texture."""
    brushes: Ints
    """int64[p]: the record in BRUSHES that each was drawn for or copied from; -1: new."""
    sides: Ints
    """int64[p]: the record in BRUSHSIDES that each was drawn for or copied from; -1: new."""
    names: list[str]
    """[p]: of materials."""
    detail: Bools
    """bool[p]: whether a new solid is for a func_detail."""


@dataclass(frozen=True, slots=True)
class CollectedBrushes:
    """What polygons are as brushes."""

    kept: Ints
    """int64[k]: the brushes that are as they were."""
    solids: list[VmfSolids]
    """All others; their records in BRUSHES and BRUSHSIDES are those of what they were made of."""
    polygons: list[Ints]
    """int64[n] for each of `solids`: the polygons that it was drawn with."""


def match(before: VmfSolids, drawn: BrushPolygons) -> CollectedBrushes:
    """What became of a map's solids. before: all of them. Raises BrushShapeError for what isn't a brush.

    A side that is where it was keeps its plane, and its texture if that is still on it. One that was moved takes its
    texture along as long as it keeps its size; where it grows, the texture stays in its place.
    """
    matcher = _Matcher(before, drawn)
    whole = matcher.unchanged()
    kept = set(whole.tolist())
    made: list[VmfSolids] = []
    polygons_of: list[Ints] = []
    brushes = drawn.brushes[matcher.source]
    rest = ~np.isin(brushes, whole)
    for brush in np.unique(brushes[rest & (brushes >= 0)]).tolist():
        own = np.flatnonzero(brushes == brush)
        shifted = matcher.shifted(brush, own)
        if shifted is not None:
            made.append(shifted)
            polygons_of.append(np.unique(matcher.source[own]))
            rest[own] = False
    for polygons in matcher.parts(rest):
        brush = int(drawn.brushes[matcher.source[polygons]].max())
        if brush not in kept and matcher.is_unchanged(brush, polygons):
            kept.add(brush)
        else:
            made.append(matcher.solid(brush, polygons))
            polygons_of.append(np.unique(matcher.source[polygons]))
    return CollectedBrushes(np.array(sorted(kept), np.int64), made, polygons_of)


class _Matcher:
    """Polygons that are flat, with their planes, the side of the map that each was drawn for, and its texture."""

    def __init__(self, before: VmfSolids, drawn: BrushPolygons) -> None:
        self.before, self.drawn = before, drawn
        bent = planes(drawn.positions, drawn.corners, drawn.first_corner)[2] > FLAT
        self.points, self.texels, self.first, self.source = _flattened(drawn, bent)
        numbers = np.arange(len(self.points))
        self.normals, self.dists, _ = planes(self.points, numbers, self.first)
        place_of = {record: place for place, record in enumerate(before.records.tolist()) if record >= 0}
        self.places = np.array([place_of.get(side, -1) for side in drawn.sides[self.source].tolist()], np.int64)
        self._shown = np.bincount(self.places[self.places >= 0], minlength=len(before.records) + 1)
        self.solid_of = {record: place for place, record in enumerate(before.brushes.tolist()) if record >= 0}
        self.owner = ranges.owners(np.diff(self.first))
        there = self.places >= 0
        heights = np.full(len(self.points), np.inf)
        own = self.owner[there[self.owner]]
        sides = self.places[own]
        heights[there[self.owner]] = (
            np.einsum("ni,ni->n", self.points[there[self.owner]], before.normals[sides]) - before.dists[sides]
        )
        self.in_place = self._most(np.abs(heights)) <= ON_PLANE
        facing = np.zeros(len(there))
        facing[there] = (before.normals[self.places[there]] * self.normals[there]).sum(axis=1)
        self.turned = self.in_place & (facing < 0)  # and from inside
        self.in_place &= facing > 0
        for polygon in np.flatnonzero(there & ~self.in_place & (facing >= 0)).tolist():
            self.in_place[polygon] = self._has_corners(polygon)
        off = np.full(len(self.points), np.inf)
        off[there[self.owner]] = np.abs(
            self.texels[there[self.owner]] - _texels(before.vectors[sides], self.points[there[self.owner]])
        ).max(axis=1)
        names = [before.names[place].lower() if place >= 0 else None for place in self.places.tolist()]
        alike = [drawn.names[number].lower() == name for number, name in zip(self.source.tolist(), names, strict=True)]
        self.same_name = np.array(alike, np.bool_)
        without = ~np.isfinite(self.texels).all(axis=1)
        self.untextured = self._most(without.astype(np.float64)) > 0
        self.same_texture = (self._most(off) <= _UNMOVED) | self.untextured
        self.same = self.in_place & self.same_name & self.same_texture

    def _has_corners(self, polygon: int) -> bool:
        """Whether a polygon's corners are those of its side: where several planes meet, some of them are off it."""
        place = int(self.places[polygon])
        had = self.before.corners[self.before.first_corner[place] : self.before.first_corner[place + 1]]
        points = self.points[self.first[polygon] : self.first[polygon + 1]]
        if len(had) != len(points):
            return False
        return bool((np.abs(points[:, None] - had[None]).max(axis=2).min(axis=1) <= ON_PLANE).all())

    def _most(self, values: Floats) -> Floats:
        """The highest value of each polygon's corners; 0 at least."""
        most = np.zeros(len(self.first) - 1)
        np.maximum.at(most, self.owner, np.where(np.isnan(values), np.inf, values))
        return most

    def unchanged(self) -> Ints:
        """The brushes that were drawn as they were, each side once and nothing else: int64[k]."""
        brushes = self.drawn.brushes[self.source]
        solids = np.array([self.solid_of.get(brush, -1) for brush in brushes.tolist()], np.int64)
        there = solids >= 0
        count = len(self.before)
        outlined = np.diff(self.before.first_corner) > 0
        side_solids = ranges.owners(np.diff(self.before.first_side))
        wanted = np.bincount(side_solids[outlined], minlength=count)
        drawn = np.bincount(solids[there], minlength=count)
        good = there & self.same
        good[there] &= side_solids[self.places[there]] == solids[there]
        sides = np.unique(self.places[good])
        distinct = np.bincount(side_solids[sides], minlength=count)
        same = (drawn > 0) & (drawn == np.bincount(solids[good], minlength=count)) & (drawn == wanted)
        return np.asarray(self.before.brushes[same & (drawn == distinct)])

    def shifted(self, brush: int, polygons: Ints) -> VmfSolids | None:
        """The brush elsewhere, with its textures, if polygons are all its sides moved together; else None."""
        if brush not in self.solid_of or not self.same_name[polygons].all():
            return None
        solid, before = self.solid_of[brush], self.before
        places = self.places[polygons]
        sides = np.arange(before.first_side[solid], before.first_side[solid + 1])
        sides = sides[np.diff(before.first_corner)[sides] > 0]
        if not np.array_equal(np.sort(places), sides):
            return None
        there, here = self._corners(before.first_corner, places), self._corners(self.first, polygons)
        if len(there) != len(here):
            return None
        away = self.points[here] - before.corners[there]
        if np.abs(away - away[0]).max() > 2 * ON_PLANE:
            return None
        owners = np.repeat(places, np.diff(before.first_corner)[places])
        texels = self.texels[here] - _texels(before.vectors[owners], before.corners[there])
        if np.isfinite(texels).any() and not np.abs(texels).max() <= _UNMOVED:
            return None
        offset = np.round(away.mean(axis=0) / _ROUND) * _ROUND
        return before.taken(np.array([solid])).moved(offset[None])

    def parts(self, wanted: Bools) -> Iterator[Ints]:
        """The wanted polygons of each solid: those that share points and were drawn for one brush, and new ones that
        close it.
        """
        drawn = self.drawn
        sizes = np.diff(drawn.first_corner)
        count = len(drawn.positions)
        keys = (drawn.brushes[ranges.owners(sizes)] + 1) * np.int64(max(count, 1)) + drawn.corners
        points, nodes = np.unique(keys, return_inverse=True)
        labels = np.arange(len(points))
        owner = ranges.owners(sizes)
        while True:
            lowest = np.full(len(sizes), len(points))
            np.minimum.at(lowest, owner, labels[nodes])
            smaller = labels.copy()
            np.minimum.at(smaller, nodes, lowest[owner])
            smaller = smaller[smaller]
            if np.array_equal(smaller, labels):
                break
            labels = smaller
        part = self._adopted(lowest)[self.source]
        order = np.flatnonzero(wanted)
        order = order[np.argsort(part[order], kind="stable")]
        ends = np.flatnonzero(np.diff(part[order])) + 1
        return iter(np.split(order, ends)) if len(order) else iter(())

    def _adopted(self, parts: Ints) -> Ints:
        """Parts int64[p] of drawn polygons, those of new ones that are open with the part that goes on there."""
        drawn = self.drawn
        fresh = drawn.brushes < 0
        if not fresh.any() or fresh.all():
            return parts
        following = np.arange(1, len(drawn.corners) + 1)
        sizes = np.diff(drawn.first_corner)
        following[drawn.first_corner[1:][sizes > 0] - 1] = drawn.first_corner[:-1][sizes > 0]
        ends = np.sort(np.column_stack([drawn.corners, drawn.corners[following]]), axis=1)
        _, edge = np.unique(ends, axis=0, return_inverse=True)
        edge, owner = edge.reshape(-1), ranges.owners(sizes)
        _, once, times = np.unique(np.column_stack([parts[owner], edge]), axis=0, return_index=True, return_counts=True)
        open_ = once[times == 1]  # corners from which an edge leaves that no other polygon of the part has
        old = open_[~fresh[owner[open_]]]
        made = parts.copy()
        for corner in open_[fresh[owner[open_]]].tolist():
            beyond = old[edge[old] == edge[corner]]
            if len(beyond):
                made[parts == parts[owner[corner]]] = parts[owner[beyond[0]]]
        return made

    def is_unchanged(self, brush: int, polygons: Ints) -> bool:
        """Whether polygons are all the sides of a brush, where and how the import drew them."""
        if brush not in self.solid_of:
            return False
        if not self.same[polygons].all():
            return False
        begin, end = self.before.first_side[self.solid_of[brush] :][:2].tolist()
        outlined = np.diff(self.before.first_corner)[begin:end] > 0
        sides = begin + np.flatnonzero(outlined)
        places = self.places[polygons]
        return len(np.unique(places)) == len(sides) and bool(np.isin(places, sides).all())

    @staticmethod
    def _corners(first: Ints, which: Ints) -> Ints:
        return ranges.flat(first[which], first[which + 1] - first[which])

    def solid(self, brush: int, polygons: Ints) -> VmfSolids:
        """The solid that polygons enclose. Raises BrushShapeError."""
        source = np.unique(self.source[polygons])
        if len(polygons) > _MOST_POLYGONS:
            raise BrushShapeError(f"{number_of(len(polygons), 'faces')} in one brush", source)
        normals, dists, fixed = self.normals[polygons].copy(), self.dists[polygons].copy(), self.in_place[polygons]
        points = np.unique(self.points[self._corners(self.first, polygons)], axis=0)
        has_area = normals.any(axis=1)
        if has_area.any() and (normals @ points.mean(axis=0) > dists)[has_area].all():  # inside out: it was mirrored
            normals, dists, fixed = -normals, -dists, self.turned[polygons]
        normals[fixed] = self.before.normals[self.places[polygons[fixed]]]
        dists[fixed] = self.before.dists[self.places[polygons[fixed]]]
        flat = ~normals.any(axis=1)
        if flat.any():  # no area: what is left of merged corners
            polygons, normals, dists = polygons[~flat], normals[~flat], dists[~flat]
        before = points @ normals.T - dists
        bulging = (before > BEHIND).any(axis=0)
        if bulging.any():
            faulty = self.source[polygons[bulging]]
            raise BrushShapeError("is not convex: a brush lies behind each of its faces", faulty, are_concave=True)
        first = self._sides(normals, dists, polygons)
        if not 4 <= len(first) <= _MOST_SIDES:
            raise BrushShapeError(f"has {number_of(len(first), 'sides')}; a brush has 4 to {_MOST_SIDES}", source)
        chosen, normals, dists = polygons[first], normals[first], dists[first]
        found = from_planes(normals, dists, [len(first)])
        if not found.closed.all():
            raise BrushShapeError("is not closed: its faces enclose nothing", source)
        low, high = _bounds(points)
        if np.abs(np.array(_bounds(found.positions)) - np.array([low, high])).max() > 2 * BEHIND:
            raise BrushShapeError("is not closed: a face is missing", source)
        return self._made(brush, chosen, normals, dists)

    def _sides(self, normals: Floats, dists: Floats, polygons: Ints) -> Ints:
        """The polygon that stands for each side, a place: of those in one plane the one with most corners."""
        same = (np.abs(normals[:, None] - normals[None]).max(axis=2) <= _SAME_ANGLE) & (
            np.abs(dists[:, None] - dists[None]) <= _SAME_DIST
        )
        leader = same.argmax(axis=1)
        sizes = np.diff(self.first)[polygons]
        order = np.lexsort((-sizes, leader))
        return np.sort(order[np.unique(leader[order], return_index=True)[1]])

    def _made(self, brush: int, polygons: Ints, normals: Floats, dists: Floats) -> VmfSolids:
        before, places = self.before, self.places[polygons]
        known, records = places >= 0, np.full(len(places), -1, np.int64)
        records[known] = before.records[places[known]]
        corners = self._corners(self.first, polygons)
        counts = np.diff(self.first)[polygons]
        vectors = self._vectors(polygons, normals)
        luxels, smoothing = np.full(len(places), texture_axes.LUXEL), np.zeros(len(places), np.uint32)
        luxels[known], smoothing[known] = before.luxels[places[known]], before.smoothing[places[known]]
        ids, names = np.zeros(len(places), np.int64), []
        ids[known] = before.ids[places[known]]
        for polygon, place in zip(polygons.tolist(), places.tolist(), strict=True):
            kept = place >= 0 and self.same_name[polygon]
            names.append(before.names[place] if kept else self.drawn.names[self.source[polygon]])
        old = self.solid_of.get(brush, -1)
        owner = int(before.owners[old]) if old >= 0 else WORLD
        detail = before.detail[old] if old >= 0 else self.drawn.detail[self.source[polygons]].any()
        return VmfSolids(
            np.array([owner], np.int64),
            np.array([bool(detail)]),
            np.array([brush], np.int64),
            np.array([0, len(places)], np.int64),
            normals,
            dists,
            self.points[corners],
            ranges.starts(counts),
            vectors,
            luxels,
            smoothing,
            names,
            ids,
            records,
            np.full(len(places), -1, np.int64),
        )

    def _vectors(self, polygons: Ints, normals: Floats) -> Floats:
        """Texture vectors of sides. Raises BrushShapeError for textures that lie on no plane."""
        places, corners = self.places[polygons], self._corners(self.first, polygons)
        owners = ranges.owners(np.diff(self.first)[polygons])
        points, texels = self.points[corners], self.texels[corners]
        standard = texture_axes.standard(normals)
        old = standard.copy()
        known = places >= 0
        old[known] = self.before.vectors[places[known]]
        textured = ~self.untextured[polygons]
        fitted, off = texture_fits.fit(old, points, np.where(np.isfinite(texels), texels, 0.0), owners)
        untouched = np.array(
            [
                place >= 0 and self._has_texels(place, texels[owners == number])
                for number, place in enumerate(places.tolist())
            ],
            np.bool_,
        )
        same = np.zeros(len(places), np.bool_)
        same[known] = (self.in_place & self.same_texture)[polygons[known]]
        planes_before = normals.copy()
        planes_before[known] = self.before.normals[places[known]]
        rigid = (off <= TEXELS) & _alike(_within(fitted, normals), _within(old, planes_before))
        rests = same | (untouched & ~rigid) | ~textured  # the texture stays where the map has it
        bent = textured & ~rests & (off > TEXELS)
        # What fills a cut has the numbers of a face beside it, and coordinates that mean nothing.
        once = known.copy()
        once[known] = self._shown[places[known]] <= 1
        filling = bent & ~self.in_place[polygons] & ~once
        bent &= ~filling
        if bent.any():
            worst = float(off[bent].max())
            message = f"has a texture that is bent by {worst:.3g} texels: a brush has flat ones"
            raise BrushShapeError(message, self.source[polygons[bent]])
        made = np.where(rests[:, None, None], old, fitted)
        made[filling] = standard[filling]
        bad = ~texture_axes.usable(made, normals)
        made[bad] = old[bad]
        bad = ~texture_axes.usable(made, normals)
        made[bad] = standard[bad]
        return made

    def _has_texels(self, place: int, texels: Floats) -> bool:
        """Whether all corners have texels that the corners of a side had: then only points were moved."""
        first = self.before.first_corner[place : place + 2]
        had = _texels(self.before.vectors[place][None], self.before.corners[first[0] : first[1]])
        away = np.abs(texels[:, None] - had[None]).max(axis=2)
        return bool(len(had)) and bool((away.min(axis=1) <= _UNMOVED).all())


def _texels(vectors: Floats, points: Floats) -> Floats:
    """float64[n, 2]: where points are on textures; vectors: float64[n or 1, 2, 4]."""
    return np.asarray((vectors[:, :, :3] * points[:, None]).sum(axis=2) + vectors[:, :, 3])


def _within(vectors: Floats, normals: Floats) -> Floats:
    """The part of texture vectors float64[n, 2, 4] within planes with the normals float64[n, 3]: what is seen there."""
    made = vectors.copy()
    made[:, :, :3] -= np.einsum("nki,ni->nk", made[:, :, :3], normals)[:, :, None] * normals[:, None]
    return made


def _alike(one: Floats, other: Floats) -> Bools:
    """Whether textures have one size and angle between their axes, wherever they are and however they are turned."""
    products = [np.einsum("nki,nli->nkl", vectors[:, :, :3], vectors[:, :, :3]) for vectors in (one, other)]
    size = np.abs(products[1]).max(axis=(1, 2))
    return np.asarray(np.abs(products[0] - products[1]).max(axis=(1, 2)) <= _SAME_LENGTH * np.maximum(size, 1e-9))


def _bounds(points: Floats) -> tuple[Floats, Floats]:
    return points.min(axis=0), points.max(axis=0)


def _flattened(drawn: BrushPolygons, bent: Bools) -> tuple[Floats, Floats, Ints, Ints]:
    """Corners and their texels, first corners and the polygon that each came from: bent quads as two triangles.

    Raises BrushShapeError for bent polygons of more corners.
    """
    sizes = np.diff(drawn.first_corner)
    if (bent & (sizes > 4)).any():
        raise BrushShapeError("has faces that are not flat", np.flatnonzero(bent & (sizes > 4)), are_bent=True)
    points = drawn.positions[drawn.corners]
    quads = np.flatnonzero(bent)
    if not len(quads):
        return points, drawn.texels, drawn.first_corner, np.arange(len(sizes))
    around = drawn.first_corner[quads][:, None] + np.arange(4)
    a, b, c, d = (points[around[:, corner]] for corner in range(4))
    # Cut from a to c if d lies behind the triangle abc, else from b to d.
    behind = (np.cross(b - a, c - a) * (d - a)).sum(axis=1) <= 0
    cuts = np.where(behind[:, None], [0, 1, 2, 0, 2, 3], [0, 1, 3, 1, 2, 3])
    triangles = np.take_along_axis(around, cuts, axis=1).reshape(-1)
    whole = np.flatnonzero(~bent)
    order = np.concatenate([ranges.flat(drawn.first_corner[whole], sizes[whole]), triangles])
    counts = np.concatenate([sizes[whole], np.full(2 * len(quads), 3)])
    source = np.concatenate([whole, np.repeat(quads, 2)])
    return points[order], drawn.texels[order], ranges.starts(counts), source
