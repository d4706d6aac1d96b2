# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes of the world as their faces were moved, extruded or deleted.

Faces are those parts of a brush's sides that are seen. A side of which a face was turned or pushed goes where its faces
went; corners that were moved have to stay on those other sides of their brush that they were on, so that what nobody
sees goes along or stays. Where that can't be, the whole brush goes along with the map that moved all of its corners.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints
from ...convex import from_planes, moved_planes, planes
from ...counting import number_of
from ..faces.surface_edits import Edits
from ..faces.surfaces import Surfaces
from ..lumps import LumpId
from ..vmf import texture_axes
from ..vmf.brush_polygons import BEHIND, FLAT, ON_PLANE
from .side_texinfos import KEPT, SideTexinfos, WantedSides, sides_of
from .solids import Shaped, rigid

_MOVED = 0.02
"""Units: a plane that no corner of its faces is further from is where it was."""
_EDIT = "edit the brush itself, in the collection Brushes"


class FaceMoveError(ValueError):
    """Faces that no brushes have. polygons: int64[k], those at fault."""

    def __init__(self, message: str, polygons: Ints) -> None:
        super().__init__(message)
        self.message, self.polygons = message, polygons


@dataclass(frozen=True, slots=True, eq=False)
class _Brush:
    """A brush and its faces, that were drawn as polygons."""

    number: int
    sides: Ints
    """int64[k]: rows of BRUSHSIDES, without bevels."""
    normals: Floats
    dists: Floats
    polygons: Ints
    """int64[p]: the polygons of its faces."""
    side_of: Ints
    """int64[p]: the side that each lies on, a place in `sides`."""


@dataclass(frozen=True, slots=True, eq=False)
class _Moved:
    """Planes of a brush's sides as they are now, and the rigid move that took all of it there, if one did."""

    normals: Floats
    dists: Floats
    move: Floats | None
    changed: Ints
    """Places of sides whose planes are others."""


class FaceMoves:
    """What edits of the faces of a world make of its brushes. Raises FaceMoveError for what no brush can be."""

    def __init__(self, texinfos: SideTexinfos, surfaces: Surfaces, edits: Edits) -> None:
        self._texinfos, self._surfaces, self._edits = texinfos, surfaces, edits
        world = surfaces.homes[surfaces.owners] == 0
        self._new = np.flatnonzero(edits.new & world)
        torn = np.flatnonzero(edits.torn & ~edits.new & world)
        if len(torn):
            raise FaceMoveError(f"faces were cut, joined or turned over: {_EDIT}", torn)
        self._reshaped = np.flatnonzero(edits.reshaped & ~edits.new & world)
        gone = edits.deleted[surfaces.model_faces.models[edits.deleted] == 0]
        self._side_of_face = texinfos.side_of_face
        self.deleted: Ints = self._deleted(gone)
        """int64[n]: brushes that are gone with all of their faces."""
        self.shaped: list[Shaped] = []
        """Brushes that are others."""
        self._follow()

    def polygons_of(self, brushes: Ints) -> Ints:
        """int64[n]: the polygons of the faces of these brushes."""
        faces = self._surfaces.faces
        sides = np.where(faces >= 0, self._sides(faces.clip(0)), -1)
        return np.flatnonzero((sides >= 0) & np.isin(self._texinfos.brush_of(sides.clip(0)), brushes))

    # ---------------------------------------------------------------------------------------------------- deleted faces

    def _sides(self, faces: Ints) -> Ints:
        """The side that each face lies on, a row of BRUSHSIDES; -1: none."""
        there = faces < len(self._side_of_face)
        return np.where(there, self._side_of_face[np.where(there, faces, 0)], -1)

    def _deleted(self, gone: Ints) -> Ints:
        """The brushes of which all faces are gone; of all others, no face may be."""
        if not len(gone):
            return np.zeros(0, np.int64)
        sides = self._sides(gone)
        if (sides < 0).any():
            raise FaceMoveError(
                f"{number_of(int((sides < 0).sum()), 'deleted faces are')} on no brush", self._beside(gone)
            )
        own = np.unique(self._texinfos.brush_of(sides))
        everything = np.flatnonzero(self._side_of_face >= 0)
        of = self._texinfos.brush_of(self._side_of_face[everything])
        left = np.setdiff1d(everything[np.isin(of, own)], gone)
        if len(left):
            polygons = np.flatnonzero(np.isin(self._surfaces.faces, left))
            raise FaceMoveError(
                f"some faces of a brush were deleted, but not these: delete all of them and the brush goes, or {_EDIT}",
                polygons,
            )
        return own

    def _beside(self, faces: Ints) -> Ints:
        """Polygons that share vertices with faces that are gone."""
        known = self._surfaces.model_faces.polygons
        corners, _ = self._surfaces.model_faces.corners(faces)
        touched = np.isin(self._surfaces.vertices, known.corners[corners])
        owners = ranges.owners(np.diff(self._surfaces.starts))
        return np.flatnonzero(np.bincount(owners, touched[self._surfaces.corners], len(self._surfaces.faces)) > 0)

    # ------------------------------------------------------------------------------------------------------ moved faces

    def _follow(self) -> None:
        surfaces = self._surfaces
        loose = self._reshaped[self._sides(surfaces.faces[self._reshaped]) < 0]
        if len(loose):
            raise FaceMoveError("faces were moved that are on no brush", loose)
        made: list[tuple[_Brush, _Moved]] = []
        sliding: list[_Brush] = []
        for brush in self._brushes():
            by_sides = self._by_sides(brush)
            if by_sides is not None and not len(by_sides.changed):
                sliding.append(brush)
            elif by_sides is not None and self._fits(brush, by_sides):
                made.append((brush, by_sides))
            else:
                made.append((brush, self._whole(brush)))
        for brush in sliding:
            if not self._goes_along(brush, made):
                made.append((brush, self._whole(brush)))
        self._refuse_strays(made)
        self.shaped = [self._shaped(brush, moved) for brush, moved in made]

    def _brushes(self) -> Iterator[_Brush]:
        """Those of which faces were moved."""
        surfaces, before = self._surfaces, self._texinfos.before
        numbers = np.unique(self._texinfos.brush_of(self._sides(surfaces.faces[self._reshaped])))
        numbers = np.setdiff1d(numbers, self.deleted)
        kept = np.flatnonzero((surfaces.faces >= 0) & ~self._edits.new & (surfaces.homes[surfaces.owners] == 0))
        sides = self._sides(surfaces.faces[kept])
        kept, sides = kept[sides >= 0], sides[sides >= 0]
        owners = self._texinfos.brush_of(sides)
        order = np.argsort(owners, kind="stable")
        kept, sides, owners = kept[order], sides[order], owners[order]
        rows, starts = sides_of(before, numbers)
        used = before.table(LumpId.PLANES)[before.table(LumpId.BRUSHSIDES)["planenum"][rows].astype(np.int64)]
        normals, dists = used["normal"].astype(np.float64), used["dist"].astype(np.float64)
        for place, number in enumerate(numbers.tolist()):
            first, end = starts[place : place + 2].tolist()
            begin, last = np.searchsorted(owners, [number, number + 1]).tolist()
            at = {row: side for side, row in enumerate(rows[first:end].tolist())}
            side_of = np.array([at.get(row, -1) for row in sides[begin:last].tolist()], np.int64)
            polygons, side_of = kept[begin:last][side_of >= 0], side_of[side_of >= 0]
            yield _Brush(number, rows[first:end], normals[first:end], dists[first:end], polygons, side_of)

    def _by_sides(self, brush: _Brush) -> _Moved | None:
        """Each side where its faces went, and the rest where it was; None where faces of one side went apart."""
        normals, dists, changed = brush.normals.copy(), brush.dists.copy(), []
        for side in np.unique(brush.side_of).tolist():
            own = brush.polygons[brush.side_of == side]
            points = self._surfaces.positions[self._corners(own)]
            if np.abs(points @ normals[side] - dists[side]).max() <= _MOVED:
                continue
            turned, heights = self._planes(own)
            widest = int(np.argmax(self._sizes(own)))
            if np.abs(points @ turned[widest] - heights[widest]).max() > FLAT or not turned[widest].any():
                return None
            normals[side], dists[side] = turned[widest], heights[widest]
            changed.append(side)
        return _Moved(normals, dists, None, np.array(changed, np.int64))

    def _whole(self, brush: _Brush) -> _Moved:
        """The brush where one map took all corners of its faces. Raises FaceMoveError where none did."""
        there, here = self._before(brush.polygons), self._surfaces.positions[self._corners(brush.polygons)]
        move = rigid(there, here)
        linear = move if move is not None else _least_change(there, here)
        if linear is not None and np.linalg.det(linear[:3, :3]) > 0:
            normals, dists = moved_planes(brush.normals, brush.dists, linear)
            made = _Moved(normals, dists, move, np.arange(len(dists)))
            if self._fits(brush, made):
                return made
        raise FaceMoveError(
            "faces were moved to where their brush isn't convex, or comes away from sides that nobody sees: split "
            f"those off that were meant (Y in Edit Mode) before they are moved, or {_EDIT}",
            np.intersect1d(brush.polygons, self._reshaped),
        )

    def _fits(self, brush: _Brush, moved: _Moved) -> bool:
        """Whether moved corners are still on the sides that they were on, and all faces on the brush's surface."""
        corners = self._corners(brush.polygons)
        there, here = self._before(brush.polygons), self._surfaces.positions[corners]
        on = np.abs(there @ brush.normals.T - brush.dists) <= FLAT
        still = np.abs(here @ moved.normals.T - moved.dists) <= FLAT
        away = self._edits.moved[corners]
        if (on & ~still)[away].any():
            return False
        if (here @ moved.normals.T - moved.dists).max(initial=0) > BEHIND:
            return False
        found = from_planes(moved.normals, moved.dists, [len(moved.dists)])
        if not found.closed.all():
            return False
        return bool((np.diff(found.first_corner)[brush.side_of] > 0).all())

    def _goes_along(self, brush: _Brush, made: list[tuple[_Brush, _Moved]]) -> bool:
        """Whether faces that changed in their own plane did so with sides beside them, and are still on their brush:
        then what is seen of it follows from these.
        """
        surfaces = self._surfaces
        covered = np.zeros(len(surfaces.vertices), np.bool_)
        for other, moved in made:
            chosen = np.isin(other.side_of, moved.changed)
            covered[self._corners(other.polygons[chosen])] = True
        numbers = np.unique(surfaces.vertices[covered & (surfaces.vertices >= 0)])
        corners = self._corners(brush.polygons)
        alone = self._edits.moved[corners] & ~covered[corners] & ~np.isin(surfaces.vertices[corners], numbers)
        heights = surfaces.positions[corners] @ brush.normals.T - brush.dists
        return not alone.any() and bool(heights.max(initial=0) <= BEHIND)

    def _refuse_strays(self, made: list[tuple[_Brush, _Moved]]) -> None:
        """Raise FaceMoveError for new faces that are on no side of a brush that was moved, nor walls of an extrusion:
        those lie within the brush where its side reaches further than its face, behind what hides the rest.
        """
        if not len(self._new):
            return
        on = np.zeros(len(self._new), np.bool_)
        normals, _ = self._planes(self._new)
        for number, polygon in enumerate(self._new.tolist()):
            points = self._surfaces.positions[self._corners(np.array([polygon]))]
            for brush, moved in made:
                heights = points @ moved.normals.T - moved.dists
                lies = (np.abs(heights) <= BEHIND).all(axis=0) & (moved.normals @ normals[number] > 0)
                now = np.abs(heights[:, moved.changed]) <= BEHIND
                then = np.abs(points @ brush.normals.T - brush.dists)[:, moved.changed] <= BEHIND
                is_wall = (now | then).all(axis=0) & (now.sum(axis=0) >= 2) & (then.sum(axis=0) >= 2)
                if (lies.any() or is_wall.any()) and heights.max() <= BEHIND:
                    on[number] = True
                    break
        if not on.all():
            raise FaceMoveError(
                "new faces are on no brush: a mesh in the collection Brushes is one (Add Brush in the sidebar), and a "
                "part of a side can't be pulled out of it",
                self._new[~on],
            )

    def _shaped(self, brush: _Brush, moved: _Moved) -> Shaped:
        count = len(brush.sides)
        moves = np.full((count, 4, 4), np.nan) if moved.move is None else np.repeat(moved.move[None], count, axis=0)
        sides = WantedSides(
            brush.sides,
            moved.normals,
            np.full((count, 2, 4), np.nan),
            np.full(count, texture_axes.LUXEL),
            np.full(count, KEPT),
            moves,
        )
        contents = int(self._texinfos.before.table(LumpId.BRUSHES)["contents"][brush.number].astype(np.int64))
        return Shaped(brush.number, sides, moved.dists, contents, moved.move, brush.polygons)

    # --------------------------------------------------------------------------------------------------------- corners

    def _corners(self, polygons: Ints) -> Ints:
        """The vertices of polygons int64[n], one polygon's after another's, each from its face's first on."""
        surfaces = self._surfaces
        if (surfaces.turns[polygons] >= 0).all() and (surfaces.faces[polygons] >= 0).all():
            return np.asarray(surfaces.corners[surfaces.around(polygons)[1]])
        first = surfaces.starts[polygons]
        return np.asarray(surfaces.corners[ranges.flat(first, surfaces.starts[polygons + 1] - first)])

    def _before(self, polygons: Ints) -> Floats:
        """float64[c, 3]: where the corners of faces were, as `_corners` gives them."""
        known = self._surfaces.model_faces
        sources, _ = known.corners(self._surfaces.faces[polygons])
        return np.asarray(known.positions[known.polygons.corners[sources]], np.float64)

    def _planes(self, polygons: Ints) -> tuple[Floats, Floats]:
        first = self._surfaces.starts[polygons]
        counts = self._surfaces.starts[polygons + 1] - first
        corners = self._surfaces.corners[ranges.flat(first, counts)]
        normals, dists, _ = planes(self._surfaces.positions, corners, ranges.starts(counts))
        return normals, dists

    def _sizes(self, polygons: Ints) -> Floats:
        """How large polygons int64[n] are, as far as one has to be chosen: their extents, squared."""
        found = []
        for polygon in polygons.tolist():
            points = self._surfaces.positions[self._corners(np.array([polygon]))]
            found.append(float(((points.max(axis=0) - points.min(axis=0)) ** 2).sum()))
        return np.array(found)


def _least_change(there: Floats, here: Floats) -> Floats | None:
    """The map float64[4, 4] that takes points float64[n, 3] to others, and changes least across what they span; None
    where none does, or turns space inside out.
    """
    middle, mean = there.mean(axis=0), here.mean(axis=0)
    arms, away = there - middle, (here - mean) - (there - middle)
    slopes = np.linalg.pinv(arms, rcond=1e-6) @ away
    if np.abs(arms @ slopes - away).max() > 2 * ON_PLANE:
        return None
    made = np.eye(4)
    made[:3, :3] = np.eye(3) + slopes.T
    made[:3, 3] = mean - made[:3, :3] @ middle
    return made if np.linalg.det(made[:3, :3]) > 1e-6 else None
