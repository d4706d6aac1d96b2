# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures that lie flat on flat faces, and what mappers do to them: turn, shift, fit, align, let run on.

On a chart (a face, or several that have one texture) coordinates are an affine map of the place: `gradients` [c, 2, 3]
say how u and v grow along x, y and z, `offsets` [c, 2] what they are at the origin. Nothing here skews a texture that
wasn't.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .arrays import Bools, Floats, Indices

_THIN = 1e-12
"""Of the extent to the fourth: charts with less of an area are lines, on which no texture lies."""
_STILL = 1e-5
"""Of a chart's extent: corners that are no farther off are where they were. Blender's coordinates have 24 bits."""
_ALONG = 1e-6
"""Of a direction's length: what is left of it in a plane counts from this on."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatTextures:
    """How textures lie on c charts with k corners."""

    points: Floats
    """[k, 3]: where the corners are, in any unit."""
    charts: Indices
    """[k]: of which chart each corner is."""
    normals: Floats
    """[c, 3]: unit normals of the visible sides."""
    gradients: Floats
    """[c, 2, 3]: in the planes of the charts; NaN where no texture lies."""
    offsets: Floats
    """[c, 2]."""

    @classmethod
    def of(cls, points: Floats, uv: Floats, charts: Indices, normals: Floats) -> FlatTextures:
        """Those that come nearest to the coordinates uv [k, 2] of corners, by least squares."""
        count = len(normals)
        sizes = np.maximum(np.bincount(charts, minlength=count), 1)[:, None]
        across, ahead = _axes(normals)
        with np.errstate(invalid="ignore", divide="ignore"):
            middle, uv_middle = _sums(points, charts, count) / sizes, _sums(uv, charts, count) / sizes
            own, own_uv = (points - middle[charts]), uv - uv_middle[charts]
            x, y = ((own * axis[charts]).sum(axis=1) for axis in (across, ahead))
            products = np.stack([x * x, x * y, y * y, x * own_uv[:, 0], y * own_uv[:, 0]], axis=1)
            xx, xy, yy, xu, yu = _sums(products, charts, count).T
            xv, yv = _sums(np.stack([x * own_uv[:, 1], y * own_uv[:, 1]], axis=1), charts, count).T
            det = xx * yy - xy * xy
            det = np.where(det > _THIN * (xx + yy) ** 2, det, np.nan)
            along = np.stack([(yy * xu - xy * yu) / det, (yy * xv - xy * yv) / det], axis=1)
            up = np.stack([(xx * yu - xy * xu) / det, (xx * yv - xy * xv) / det], axis=1)
        gradients = along[:, :, None] * across[:, None] + up[:, :, None] * ahead[:, None]
        return cls(points, charts, normals, gradients, uv_middle - (gradients * middle[:, None]).sum(axis=2))

    @staticmethod
    def normals_of(points: Floats, sizes: Indices, charts: Indices) -> Floats:
        """Unit normals [c, 3] of charts of polygons with `sizes` [p] corners at points [k, 3], around each.

        charts: of each corner, [k]. NaN for those without an area.
        """
        after = np.arange(1, len(points) + 1)
        ends = np.cumsum(sizes)
        after[ends - 1] = ends - sizes
        count = int(charts.max(initial=-1)) + 1
        middle = _sums(points, charts, count) / np.maximum(np.bincount(charts, minlength=count), 1)[:, None]
        own = points - middle[charts]
        areas = _sums(np.cross(own, own[after]), charts, count)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(areas / np.linalg.norm(areas, axis=1, keepdims=True))

    @property
    def uv(self) -> Floats:
        """The coordinates of the corners, [k, 2]; NaN where no texture lies."""
        grown = (self.gradients[self.charts] * self.points[:, None]).sum(axis=2)
        return np.asarray(grown + self.offsets[self.charts])

    @property
    def middles(self) -> Floats:
        """The middles of the corners of each chart, [c, 3]."""
        count = len(self.normals)
        sizes = np.maximum(np.bincount(self.charts, minlength=count), 1)[:, None]
        return np.asarray(_sums(self.points, self.charts, count) / sizes)

    def turned(self, angle: float) -> FlatTextures:
        """Turned against the clock, as seen from the visible sides, about the middles of the charts; radians."""
        back = _rotations(self.normals, np.full(len(self.normals), -angle))
        return self._with(self.gradients @ back, self.middles)

    def shifted(self, by: tuple[float, float]) -> FlatTextures:
        """Moved by so many repeats along u and v."""
        return replace(self, offsets=self.offsets - np.array(by))

    def fitted(self, repeats: tuple[float, float], together: bool) -> FlatTextures:
        """Such that they repeat so often on each chart, from its least u and v on. together: on all charts as one."""
        uv, count = self.uv, len(self.normals)
        low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
        np.minimum.at(low, self.charts, uv)
        np.maximum.at(high, self.charts, uv)
        if together and count:
            low, high = (
                np.broadcast_to(np.nanmin(low, axis=0), low.shape),
                np.broadcast_to(np.nanmax(high, axis=0), high.shape),
            )
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.array(repeats) / (high - low)
        factor = np.where(np.isfinite(factor), factor, 1.0)
        return replace(self, gradients=self.gradients * factor[:, :, None], offsets=(self.offsets - low) * factor)

    def along(self, right: Floats) -> FlatTextures:
        """With u along directions [c, 3] as far as these lie in the charts' planes, and v at right angles to it, up as
        seen from the visible side; as large as before. Charts that a direction is straight up from stay.
        """
        flat = right - (right * self.normals).sum(axis=1, keepdims=True) * self.normals
        length = np.linalg.norm(flat, axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            across = flat / length
        stays = (length <= _ALONG * np.linalg.norm(right, axis=1, keepdims=True))[:, 0]
        frame = np.stack([across, np.cross(self.normals, across)], axis=1)
        gradients = frame * np.linalg.norm(self.gradients, axis=2, keepdims=True)
        gradients[stays] = self.gradients[stays]
        return self._with(gradients, self.middles)

    def straightened(self) -> FlatTextures:
        """With v at right angles to u, on its side of it, and as large as before: what was slanted is no more."""
        with np.errstate(divide="ignore", invalid="ignore"):
            across = self.gradients[:, 0] / np.linalg.norm(self.gradients[:, 0], axis=1, keepdims=True)
        upward = np.cross(self.normals, across)
        side = np.sign((self.gradients[:, 1] * upward).sum(axis=1, keepdims=True))
        length = np.linalg.norm(self.gradients[:, 1], axis=1, keepdims=True)
        return self._with(np.stack([self.gradients[:, 0], upward * side * length], axis=1), self.middles)

    def nearest_side(self, directions: Floats) -> Floats:
        """Directions [c, 3], or what is opposite or at right angles to them in the plane: that nearest to u."""
        upward = np.cross(self.normals, directions)
        choices = np.stack([directions, upward, -directions, -upward], axis=1)
        nearness = (choices * self.gradients[:, :1]).sum(axis=2)
        best = np.argmax(np.where(np.isnan(nearness), -np.inf, nearness), axis=1)
        return np.asarray(choices[np.arange(len(best)), best])

    def run_on(self, chart: int, source: int, start: Floats, end: Floats) -> FlatTextures:
        """With the texture of chart `source` running on over the edge from start [3] to end [3] on another chart."""
        edge = (end - start) / (float(np.linalg.norm(end - start)) or 1.0)
        frames = [np.stack([edge, np.cross(self.normals[one], edge), self.normals[one]]) for one in (chart, source)]
        gradients, offsets = self.gradients.copy(), self.offsets.copy()
        gradients[chart] = self.gradients[source] @ frames[1].T @ frames[0]
        offsets[chart] = self.offsets[source] + (self.gradients[source] - gradients[chart]) @ start
        return replace(self, gradients=gradients, offsets=offsets)

    def in_place(self, uv: Floats, points: Floats) -> Floats:
        """The coordinates [k, 2] of corners that had uv and were moved to points [k, 3], of textures that stay where
        they are, in space; where no texture lies, uv.
        """
        grown = (self.gradients[self.charts] * (points - self.points)[:, None]).sum(axis=2)
        return np.where(np.isfinite(grown), uv + grown, uv)

    def carried(self, uv: Floats, points: Floats, normals: Floats) -> Floats:
        """The coordinates [k, 2] of corners that had uv and were moved to points [k, 3], of textures that charts carry
        along, as large as they were. normals: those that the charts have now, [c, 3].

        What was moved and turned as a whole keeps its coordinates. What was reshaped shows more or less of its texture,
        which stays at the corners that weren't moved, and turns about these where they lie on a line; without one, it
        stays in the middle.
        """
        count = len(self.normals)
        with np.errstate(invalid="ignore", divide="ignore"):
            old, new, fits = self._fit(points)
            moved = np.abs(points - self.points).max(axis=1) > _STILL * self._extents()[self.charts]
            still = np.bincount(self.charts, ~moved, count)[:, None]
            anchor = _sums(np.where(moved[:, None], 0, self.points), self.charts, count) / still
            spread = np.where(moved[:, None], 0, self.points - anchor[self.charts])
            pinned = _spans(spread, self.charts, count, self._extents())
            tilt = np.where(pinned[:, None, None], np.eye(3), _tilts(self.normals, normals))
            fixed = still > 0
            old, new = np.where(fixed, anchor, old), np.where(fixed, anchor, new)
            back = ((points - new[self.charts])[:, None] @ tilt[self.charts])[:, 0] + old[self.charts]
            found = self.in_place(uv, back)
        return np.where((fits[self.charts] | ~np.isfinite(found).all(axis=1))[:, None], uv, found)

    def _extents(self) -> Floats:
        """How far the corners of charts lie from their middles at most, [c]."""
        far = np.linalg.norm(self.points - self.middles[self.charts], axis=1)
        most = np.zeros(len(self.normals))
        np.maximum.at(most, self.charts, far)
        return most

    def _fit(self, points: Floats) -> tuple[Floats, Floats, Bools]:
        """The middles of charts before and after their corners were moved to points [k, 3], [c, 3] each, and which of
        them were moved and turned as a whole: [c].
        """
        count = len(self.normals)
        sizes = np.maximum(np.bincount(self.charts, minlength=count), 1)[:, None]
        old, new = self.middles, np.asarray(_sums(points, self.charts, count) / sizes)
        before, after = self.points - old[self.charts], points - new[self.charts]
        products = np.stack(
            [_sums(before * after[:, axis : axis + 1], self.charts, count) for axis in range(3)], axis=1
        )
        products = np.where(np.isfinite(products), products, 0.0)
        left, _, right = np.linalg.svd(products)
        left[:, :, 2] *= np.sign(np.linalg.det(left) * np.linalg.det(right))[:, None]
        turned = (before[:, None] @ (left @ right)[self.charts].transpose(0, 2, 1))[:, 0]
        off = np.zeros(count)
        np.maximum.at(off, self.charts, np.abs(turned - after).max(axis=1))
        return old, new, off <= _STILL * self._extents()

    def _with(self, gradients: Floats, fixed: Floats) -> FlatTextures:
        """Other gradients; what lies at points [c, 3] stays there."""
        moved = ((self.gradients - gradients) * fixed[:, None]).sum(axis=2)
        return replace(self, gradients=gradients, offsets=self.offsets + moved)


def _sums(values: Floats, charts: Indices, count: int) -> Floats:
    return np.stack([np.bincount(charts, column, count) for column in values.T], axis=1)


def _axes(normals: Floats) -> tuple[Floats, Floats]:
    """Two directions [c, 3] in the planes with these normals, at right angles to each other."""
    least = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    with np.errstate(divide="ignore", invalid="ignore"):
        across = np.cross(least, normals)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
    return across, np.cross(normals, across)


def _spans(points: Floats, charts: Indices, count: int, extents: Floats) -> Bools:
    """Whether points [k, 3], measured from the middles of charts [c], lie on no line: [c]."""
    of_axes = [_sums(points * points[:, axis : axis + 1], charts, count) for axis in range(3)]
    lengths = np.linalg.eigvalsh(np.nan_to_num(np.stack(of_axes, axis=1)))
    return np.asarray(lengths[:, 1] > (_STILL * extents) ** 2)


def _tilts(before: Floats, after: Floats) -> Floats:
    """The smallest rotations [c, 3, 3] that turn columns from unit directions [c, 3] to others."""
    axes = np.cross(before, after)
    sines = np.linalg.norm(axes, axis=1)
    upright = sines < _ALONG
    axes = np.where(upright[:, None], _axes(before)[0], axes / np.where(upright, 1.0, sines)[:, None])
    return _rotations(axes, np.arctan2(np.where(upright, 0.0, sines), (before * after).sum(axis=1)))


def _rotations(axes: Floats, angles: Floats) -> Floats:
    """Matrices [c, 3, 3] that turn columns about unit axes [c, 3], radians [c], by Rodrigues' formula."""
    x, y, z = axes.T
    zero = np.zeros(len(axes))
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    sin, cos = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return np.asarray(np.eye(3) + sin * cross + (1 - cos) * cross @ cross)
