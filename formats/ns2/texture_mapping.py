# SPDX-License-Identifier: GPL-3.0-or-later
"""How textures lie on faces: from angle, scale and offset to texture coordinates and back (ns2.md §8).

A face's plane has two axes: s to the right and t up, as seen from its visible side. The texture is turned by the angle,
repeats `scale` times a metre along each axis, and is moved by `offset` repeats. Coordinates here are Blender's (v
upwards); the game's v is 1 - v, or -v.

A face in a mapping group takes the group's normal, angle, scale and offset, so that a texture runs on across many
faces. What is solved for is a *chart*: corners on which one set of parameters lies, those of a face or of all faces of
a mapping group.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats, Indices, Reals

HORIZONTAL = 0.002  # a normal whose x and z are no longer is straight up or down; the exact bound isn't known
TOLERANCE = 1e-3  # repeats: how far texture coordinates may lie from what parameters give
_THIN = 1e-12  # of a chart's extent squared: narrower ones tell nothing about one of the axes
_FLOAT_STEP = 2.0**-22  # of a coordinate's size


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Parameters of charts."""

    angle: Reals
    """[c], radians."""
    scale: Reals
    """[c, 2], repeats a metre."""
    offset: Reals
    """[c, 2], repeats."""

    def __getitem__(self, some: slice) -> "Mapping":
        """Those of some charts."""
        return Mapping(self.angle[some], self.scale[some], self.offset[some])


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What texture coordinates say of charts."""

    mapping: Mapping
    """float64."""
    residual: Floats
    """[c]: the farthest that a corner's coordinates lie from what the mapping gives, repeats; NaN where there is
    nothing to go by (a chart without an area)."""
    found: Bools
    """[c]: whether this is within the tolerance. Where it isn't, the coordinates are skewed, bent or torn, and no
    parameters give them."""


def axes(normals: Reals) -> tuple[Floats, Floats]:
    """The directions s (right) and t (up) of textures on planes with these normals [n, 3] of any length, level axes."""
    x, y, z = np.asarray(normals, np.float64).T
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        length = np.sqrt(x * x + y * y + z * z)
        x, y, z = x / length, y / length, z / length
        level = np.hypot(x, z)
        right, ahead = z / level, -x / level
        s = np.stack([right, np.zeros(len(x)), ahead])
        t = np.stack([y * ahead, z * right - x * ahead, -y * right])
    flat = np.flatnonzero((np.abs(x) <= HORIZONTAL) & (np.abs(z) <= HORIZONTAL))
    t[:, flat] = np.array([[1], [0], [0]])
    s[:2, flat] = 0
    s[2, flat] = np.where(y[flat] > 0, 1, -1)
    return s.T, t.T


def coordinates(positions: Reals, normals: Reals, mapping: Mapping, charts: Indices) -> Floats:
    """Texture coordinates float64[k, 2] of corners.

    `positions` [k, 3]: where the corners are (metres, level axes), `charts` int[k]: of which chart each is; `normals`
    [c, 3] and `mapping` are those of the charts. Parameters that are NaN or infinite give such coordinates.
    """
    s, t = axes(normals)
    with np.errstate(invalid="ignore", over="ignore"):
        cos, sin = (f(np.asarray(mapping.angle, np.float64)) for f in (np.cos, np.sin))
        u_axis = (s.T * cos - t.T * sin) * mapping.scale[:, 0]
        v_axis = (s.T * sin + t.T * cos) * mapping.scale[:, 1]
        offsets = np.asarray(mapping.offset, np.float64).T
        # Column by column, also in memory: five times as fast as rows of three.
        columns = [np.asarray(column, np.float64) for column in np.asarray(positions).T]
        result = np.zeros((2, len(charts)))
        for sums, axis, offset in zip(result, (u_axis, v_axis), (offsets[0], -offsets[1]), strict=True):
            for column, part in zip(columns, axis, strict=True):
                product = part.take(charts)
                product *= column
                sums += product
            sums += offset.take(charts)
    return result.T


def solve(
    positions: Reals,
    normals: Reals,
    uv: Reals,
    charts: Indices,
    before: Mapping | None = None,
    tolerance: float = TOLERANCE,
) -> Solution:
    """The parameters that give texture coordinates `uv` [k, 2], by least squares; arguments as of `coordinates`.

    One texture lies the same with several sets of parameters: turned by half with both scales negated. Of these the one
    nearest to `before` is taken, or else the one with a positive scale along u. Charts on which `before` still gives
    the coordinates keep it, to the bit.
    """
    count = len(normals)
    points = np.asarray(positions, np.float64)
    uv = np.asarray(uv, np.float64)
    s, t = axes(normals)
    sizes = np.bincount(charts, minlength=count)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        flat = np.stack([(points * s[charts]).sum(axis=1), (points * t[charts]).sum(axis=1)], axis=1)
        middle, uv_middle = _means(flat, charts, sizes), _means(uv, charts, sizes)
        own, own_uv = flat - middle[charts], uv - uv_middle[charts]
        gradients = _gradients(own, own_uv, charts, count)
        # The two gradients should be at right angles: the turn that brings both nearest to the axes, by doubled angles.
        gu, gv = (gradients[:, row, 0] + 1j * gradients[:, row, 1] for row in (0, 1))
        angle = -np.angle(gu**2 - gv**2) / 2
        scale = _scales(angle, own, own_uv, charts, count)
        turn = _half_turns(angle, scale, before)
        angle = np.where(turn, angle - np.copysign(np.pi, angle), angle)
        scale = np.where(turn[:, None], -scale, scale)
        cos, sin = np.cos(angle), np.sin(angle)
        along = np.stack([middle[:, 0] * cos - middle[:, 1] * sin, middle[:, 0] * sin + middle[:, 1] * cos], axis=1)
        offset = (uv_middle - along * scale) * (1, -1)
        mapping = Mapping(angle, scale, offset)
        residual = _residual(points, normals, uv, charts, mapping)
        # Coordinates are 32-bit floats: far from zero they are coarse themselves.
        limit = tolerance + _FLOAT_STEP * np.sqrt(np.bincount(charts, (uv**2).sum(axis=1), count))
        if before is not None:
            kept = _residual(points, normals, uv, charts, before) <= limit
            mapping = Mapping(*(_where(kept, getattr(before, name), getattr(mapping, name)) for name in _FIELDS))
            residual = np.where(kept, _residual(points, normals, uv, charts, mapping), residual)
        found = residual <= limit
    return Solution(mapping, residual, found)


_FIELDS = ("angle", "scale", "offset")


def _where(which: Bools, one: Reals, two: Reals) -> Reals:
    return np.where(which.reshape(-1, *[1] * (one.ndim - 1)), one, two)


def _sums(values: Floats, charts: Indices, count: int) -> Floats:
    columns = [np.bincount(charts, column, count) for column in values.T]
    return np.stack(columns, axis=1)


def _means(values: Floats, charts: Indices, sizes: Indices) -> Floats:
    return np.asarray(_sums(values, charts, len(sizes)) / np.maximum(sizes, 1)[:, None])


def _gradients(own: Floats, uv: Floats, charts: Indices, count: int) -> Floats:
    """The affine map [c, 2, 2] from points about their middle to coordinates about theirs; NaN for thin charts."""
    x, y, u, v = own[:, 0], own[:, 1], uv[:, 0], uv[:, 1]
    xx, xy, yy, xu, yu, xv, yv = _sums(np.stack([x * x, x * y, y * y, x * u, y * u, x * v, y * v], 1), charts, count).T
    det = xx * yy - xy * xy
    det = np.where(det > _THIN * (xx + yy) ** 2, det, np.nan)
    rows = np.stack([yy * xu - xy * yu, xx * yu - xy * xu, yy * xv - xy * yv, xx * yv - xy * xv], axis=1)
    return np.asarray((rows / det[:, None]).reshape(-1, 2, 2))


def _scales(angle: Floats, own: Floats, uv: Floats, charts: Indices, count: int) -> Floats:
    """The best scales along the axes that are turned by `angle`."""
    cos, sin = np.cos(angle)[charts], np.sin(angle)[charts]
    along = np.stack([own[:, 0] * cos - own[:, 1] * sin, own[:, 0] * sin + own[:, 1] * cos], axis=1)
    return np.asarray(_sums(along * uv, charts, count) / _sums(along**2, charts, count))


def _half_turns(angle: Floats, scale: Floats, before: Mapping | None) -> Bools:
    """Where the parameters that are turned by half are to be taken.

    The solved angle is one of four, a quarter turn apart; a quarter would swap the scales' axes and is no choice.
    """
    if before is None:
        return np.asarray(scale[:, 0] < 0)
    apart = np.asarray(before.angle, np.float64) - angle
    apart = np.where(np.isfinite(apart), apart, 0)
    return np.asarray(np.cos(apart) < 0)


def _residual(points: Floats, normals: Reals, uv: Floats, charts: Indices, mapping: Mapping) -> Floats:
    """How far coordinates lie at most from what a mapping gives; NaN for charts without corners."""
    apart = np.abs(coordinates(points, normals, mapping, charts) - uv).max(axis=1)
    worst = np.full(len(normals), -1.0)
    np.maximum.at(worst, charts, apart)
    return np.where(worst < 0, np.nan, worst)
