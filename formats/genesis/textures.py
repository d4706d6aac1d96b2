# SPDX-License-Identifier: GPL-3.0-or-later
"""How textures lie on faces (genesis.md §1.7): vectors to texels and back, and the editor's parameters.

U = dot(P, u_vec) / draw_scale_x + offset_x, and V likewise, in texels; row 0 of a bitmap is its top. The length of
u_vec also is the fineness of the lightmap (a lumel is 16 / |u_vec| units), draw_scale that of the texture alone.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import matrices
from ..arrays import Bools, Floats, Ints, Records, Singles
from .records import FaceArray

LIGHT_SCALE = 2.0  # of faces in new levels
_FIELDS = (("u_vec", "draw_scale_x", "offset_x"), ("v_vec", "draw_scale_y", "offset_y"))
_TEXEL = 1e-3  # what counts as no difference
_SINGLE = 3e-7  # share of a number that single precision loses, some steps of a computation on
_TIE = 1e-6  # by which two parts of a normal may differ after rounding
_LEVEL = 1e-9  # texels a unit: all corners at one U or V

PARAMETERS = np.dtype(
    [
        ("rotate", "<f8"),  # degrees
        ("scale", "<f8", (2,)),  # world units a texel, across and down
        ("shift", "<f8", (2,)),  # texels
        ("light_scale", "<f8", (2,)),
        ("fits", "?"),  # whether the vectors follow the editor's rule for faces that are not texture-locked
    ]
)


def world_axes(
    normals: npt.ArrayLike, rotate: npt.ArrayLike = 0.0, light_scale: npt.ArrayLike = LIGHT_SCALE
) -> tuple[Singles, Singles]:
    """The editor's u_vec and v_vec, float32[n, 3], of faces that are not texture-locked.

    The texture is laid on from the side that the normal [n, 3] points to most, and turned by `rotate` degrees;
    `light_scale` is a number, [n], or [n, 2] for u and v. Signs of zeros are the editor's.
    """
    vectors = np.atleast_2d(np.asarray(normals, np.float64))
    count = len(vectors)
    scales = np.asarray(light_scale, np.float32)
    scales = np.broadcast_to(scales[:, None] if scales.ndim == 1 else scales, (count, 2))
    angles = np.broadcast_to(np.radians(-np.asarray(rotate, np.float64)).astype(np.float32), count)
    sines, cosines = np.sin(angles.astype(np.float64)), np.cos(angles.astype(np.float64))
    axis = np.abs(vectors).argmax(axis=1)  # of equals the first
    sines, cosines = sines.astype(np.float32), cosines.astype(np.float32)
    zeros = np.zeros(count, np.float32)
    u = np.select(
        [(axis == 0)[:, None], (axis == 1)[:, None]],
        [np.column_stack([zeros, sines, cosines]), np.column_stack([cosines, zeros, sines])],
        np.column_stack([cosines, sines, zeros]),
    )
    v = np.select(
        [(axis == 0)[:, None], (axis == 1)[:, None]],
        [np.column_stack([zeros, -cosines, sines]), np.column_stack([-sines, zeros, cosines])],
        np.column_stack([sines, -cosines, zeros]),
    )
    return (u / scales[:, :1]).astype(np.float32), (v / scales[:, 1:]).astype(np.float32)


def lay(
    faces: FaceArray,
    rotate: npt.ArrayLike = 0.0,
    scale: npt.ArrayLike = 1.0,
    shift: npt.ArrayLike = 0.0,
    light_scale: npt.ArrayLike = LIGHT_SCALE,
) -> None:
    """Set the texture vectors of `faces` from the editor's parameters, for faces with their normals.

    `scale`, `shift` and `light_scale` may be a number, or [n, 2] for across and down.
    """
    scales = np.broadcast_to(np.asarray(light_scale, np.float32), (len(faces), 2))
    faces["u_vec"], faces["v_vec"] = world_axes(faces["normal"], rotate, scales)
    stretch = np.broadcast_to(np.asarray(scale, np.float32), (len(faces), 2)) / scales
    faces["draw_scale_x"], faces["draw_scale_y"] = stretch.T
    faces["offset_x"], faces["offset_y"] = np.broadcast_to(np.asarray(shift, np.float32), (len(faces), 2)).T


def ties(normals: Singles) -> Bools:
    """bool[n]: which normals [n, 3] point to two axes as much, but for rounding.

    Builds of the editor differ in the last bits, so that they may lay such a texture on from different sides.
    """
    sizes = np.sort(np.abs(normals.astype(np.float64)), axis=1)
    return np.asarray(sizes[:, 2] - sizes[:, 1] <= _TIE)


def parameters(faces: FaceArray, normals: Singles | None = None) -> Records:
    """The editor's parameters of faces, as records of PARAMETERS: the inverse of :func:`lay` where it `fits`.

    normals [n, 3]: those that the editor will go by, if they aren't the faces' own.
    """
    result = np.zeros(len(faces), PARAMETERS)
    normals = faces["normal"] if normals is None else normals
    axis = np.abs(normals).argmax(axis=1)
    rows = np.arange(len(faces))
    with np.errstate(all="ignore"):
        u, v = faces["u_vec"].astype(np.float64), faces["v_vec"].astype(np.float64)
        sine = u[rows, np.array([1, 2, 1])[axis]]
        cosine = u[rows, np.array([2, 0, 0])[axis]]
        result["rotate"] = _rounded(-np.degrees(np.arctan2(sine, cosine)), 1e-4) + 0.0
        for number, (vectors, (_, draw_scale, offset)) in enumerate(zip((u, v), _FIELDS, strict=True)):
            lengths = np.sqrt((vectors * vectors).sum(axis=1))
            result["light_scale"][:, number] = _rounded(1 / lengths, 1e-4)
            result["scale"][:, number] = _rounded(faces[draw_scale] / lengths, 1e-4)
            result["shift"][:, number] = faces[offset]
        made = world_axes(normals, result["rotate"], result["light_scale"])
        away = np.maximum(np.abs(made[0] - u).max(axis=1), np.abs(made[1] - v).max(axis=1))
        result["fits"] = away <= 1e-4 / np.maximum(result["light_scale"].min(axis=1), 1)
    return result


def _rounded(values: Floats, within: float) -> Floats:
    """Values, but whole numbers where they are nearly that."""
    whole = np.round(values)
    return np.where(np.abs(values - whole) <= within, whole, values)


def texels(faces: FaceArray, points: Floats, owners: Ints) -> Floats:
    """U and V, float64[n, 2], of `points` [n, 3] on the faces numbered `owners` [n]; not finite for a scale of 0."""
    result = np.empty((len(points), 2))
    with np.errstate(all="ignore"):
        for number, (vector, draw_scale, offset) in enumerate(_FIELDS):
            axes = np.ascontiguousarray(faces[vector].T, np.float64)
            along = axes[0].take(owners) * points[:, 0]
            for axis in (1, 2):
                along += axes[axis].take(owners) * points[:, axis]
            along /= faces[draw_scale].astype(np.float64).take(owners)
            along += faces[offset].astype(np.float64).take(owners)
            result[:, number] = along
    return result


def to_uv(texel: Floats, sizes: npt.ArrayLike) -> Floats:
    """UVs with v up, [n, 2], of texels; `sizes`: width and height of the texture, [2] or [n, 2]."""
    result: Floats = texel / np.asarray(sizes, np.float64)
    result[..., 0] += 0.0  # no -0.0
    np.subtract(1.0, result[..., 1], out=result[..., 1])
    return result


def from_uv(uv: npt.ArrayLike, sizes: npt.ArrayLike) -> Floats:
    """Texels of UVs with v up: the inverse of :func:`to_uv`."""
    return np.asarray((np.asarray(uv, np.float64) - (0, 1)) * (1, -1) * np.asarray(sizes, np.float64))


@dataclass(frozen=True, slots=True)
class Fit:
    """What :func:`fit` found, for each face."""

    faces: FaceArray  # with their new vectors
    residual: Floats  # texels by which the worst corner is off: bent or torn UVs fit no face
    possible: Bools  # False where UVs have no direction (all corners at one U or V): vectors stay


def fit(faces: FaceArray, points: Floats, owners: Ints, texel: Floats) -> Fit:
    """Texture vectors that put `texel` float64[n, 2] at `points` [n, 3], corners of the faces numbered `owners` [n].

    What need not change does not: a texture that only slid gets another offset, a stretched one another scale. A turned
    one gets vectors that, like the editor's, have no part along the axis that the normal points to most; their length
    (the lightmap's fineness) and the sign of the scale stay. Faces with vectors of zero get a light scale of 2.
    """
    with np.errstate(all="ignore"):  # hostile floats, faces without a direction
        return _fit(faces, points, owners, texel)


def _fit(faces: FaceArray, points: Floats, owners: Ints, texel: Floats) -> Fit:
    result = faces.copy()
    count = len(faces)
    normals = faces["normal"].astype(np.float64)
    sizes = np.maximum(np.bincount(owners, minlength=count), 1)[:, None]
    centres, middles = _sums(points, owners, count) / sizes, _sums(texel, owners, count) / sizes
    corners = _Corners(points - centres[owners], texel - middles[owners], owners, normals)
    # What single-precision coordinates can say: less, the further away from 0 they are.
    furthest = np.zeros(count)
    np.maximum.at(furthest, owners, np.abs(texel).max(axis=1, initial=0.0))
    noise = _TEXEL + _SINGLE * furthest
    possible = np.ones(count, np.bool_)
    for number, (vector, draw_scale, offset) in enumerate(_FIELDS):
        old, old_scale = faces[vector].astype(np.float64), faces[draw_scale].astype(np.float64)
        gradients = corners.gradients(number)
        flat = old - (old * normals).sum(axis=1)[:, None] * normals
        stretched = (flat * flat).sum(axis=1) / (gradients * flat).sum(axis=1)
        new, new_scale = _upright(gradients, normals, old, old_scale)
        slid = (corners.error(number, old / old_scale[:, None]) <= noise) & (old != 0).any(axis=1)
        kept = slid | (corners.error(number, old / stretched[:, None]) <= noise)
        scale = np.where(slid, old_scale, np.where(kept, stretched, new_scale))
        works = np.isfinite(scale)
        possible &= works
        result[vector] = np.where((kept | ~works)[:, None], old, new)
        result[draw_scale] = np.where(works, scale, old_scale)
        per_unit = result[vector].astype(np.float64) / result[draw_scale].astype(np.float64)[:, None]
        shift = middles[:, number] - (centres * per_unit).sum(axis=1)
        before = result[offset].astype(np.float64)
        same = (np.abs(shift - before) <= noise) | ~np.isfinite(shift)
        result[offset] = np.where(same, before, _rounded(shift, _TEXEL))
    off = np.abs(texels(result, points, owners) - texel).max(axis=1, initial=0.0)
    residual = np.zeros(count)
    np.maximum.at(residual, owners, off)
    return Fit(result, residual, possible)


class _Corners:
    """Corners of faces, with points and texels relative to the middle of their face."""

    def __init__(self, points: Floats, texel: Floats, owners: Ints, normals: Floats) -> None:
        self.points, self.texel, self.owners, self.count = points, texel, owners, len(normals)
        self.axes = _plane_axes(normals)
        self.flat = np.column_stack([(points * axis[owners]).sum(axis=1) for axis in self.axes])
        first, second = self.flat.T
        self.moments = _sums(np.column_stack([first * first, second * second, first * second]), owners, self.count)

    def gradients(self, number: int) -> Floats:
        """By least squares, how U (0) or V (1) grows along each face's plane: float64[faces, 3]."""
        one, two = _sums(self.flat * self.texel[:, number : number + 1], self.owners, self.count).T
        along, across, mixed = self.moments.T
        determinants = along * across - mixed * mixed
        first, second = (one * across - two * mixed) / determinants, (two * along - one * mixed) / determinants
        return np.asarray(first[:, None] * self.axes[0] + second[:, None] * self.axes[1])

    def error(self, number: int, per_unit: Floats) -> Floats:
        """Texels by which vectors [faces, 3] miss each face's worst corner; NaN where they are infinite or NaN."""
        result = np.zeros(self.count)
        off = np.abs((self.points * per_unit[self.owners]).sum(axis=1) - self.texel[:, number])
        np.maximum.at(result, self.owners, off)
        return result


def _upright(gradients: Floats, normals: Floats, old: Floats, old_scale: Floats) -> tuple[Floats, Floats]:
    """Vectors like the editor's, with nothing along the axis that the normal points to most, and their scales."""
    rows = np.arange(len(normals))
    axis = np.abs(normals).argmax(axis=1)
    upright = gradients - (gradients[rows, axis] / normals[rows, axis])[:, None] * normals
    upright[rows, axis] = 0
    steepness = np.sqrt((upright * upright).sum(axis=1))
    lengths = np.sqrt((old * old).sum(axis=1))
    lengths = np.where(lengths > 0, lengths, 1 / LIGHT_SCALE)
    scales = np.copysign(lengths / np.where(steepness > _LEVEL, steepness, 0), np.where(old_scale < 0, -1.0, 1.0))
    return upright * scales[:, None], scales


def _sums(values: Floats, owners: Ints, count: int) -> Floats:
    return np.column_stack([np.bincount(owners, column, count) for column in values.T])


def _plane_axes(normals: Floats) -> tuple[Floats, Floats]:
    """Two axes in each plane, of length 1 and at right angles."""
    helper = np.zeros_like(normals)
    helper[np.arange(len(normals)), np.abs(normals).argmin(axis=1)] = 1
    across = np.cross(helper, normals)
    with np.errstate(all="ignore"):
        across /= np.sqrt((across * across).sum(axis=1))[:, None]
    return across, np.cross(normals, across)


def moved(faces: FaceArray, move: Floats) -> FaceArray:
    """Faces with the texture vectors that keep the texture on what a transform moved.

    move: float64[4, 4]. The vectors' lengths (the lightmap's fineness) stay: a scale goes into the texture's scale.
    """
    result = faces.copy()
    linear, shift = move[:3, :3], move[:3, 3]
    straight = np.array_equal(linear, np.eye(3))
    for vector, scale, offset in (("u_vec", "draw_scale_x", "offset_x"), ("v_vec", "draw_scale_y", "offset_y")):
        old, scales = faces[vector].astype(np.float64), faces[scale].astype(np.float64)
        with np.errstate(all="ignore"):
            if straight:
                new, stretched = old, scales
            else:
                new = old @ matrices.inverse(linear)
                shares = np.linalg.norm(old, axis=1) / np.linalg.norm(new, axis=1)
                shares = np.where(np.isfinite(shares), shares, 1.0)
                shares = np.where(np.abs(shares - 1) < 1e-6, 1.0, shares)
                new, stretched = new * shares[:, None], scales * shares
                result[vector] = np.where(np.abs(new) < 1e-9, 0, new)
                result[scale] = stretched
            shifted = faces[offset] - new @ shift / stretched
        result[offset] = np.where(np.isfinite(shifted), shifted, faces[offset])
    return result


def upright(faces: FaceArray) -> FaceArray:
    """The same textures on the same planes, by vectors like the editor's: without a part along the axis that the normal
    points to most. Their lengths (the lightmap's fineness) stay.
    """
    result = faces.copy()
    normals, dists = faces["normal"].astype(np.float64), faces["dist"].astype(np.float64)
    rows, axis = np.arange(len(faces)), np.abs(faces["normal"]).argmax(axis=1)
    for vector, draw_scale, offset in (("u_vec", "draw_scale_x", "offset_x"), ("v_vec", "draw_scale_y", "offset_y")):
        old, scale = faces[vector].astype(np.float64), faces[draw_scale].astype(np.float64)
        with np.errstate(all="ignore"):
            along = old[rows, axis] / normals[rows, axis]
            new = old - along[:, None] * normals
            new[rows, axis] = 0
            longer = np.linalg.norm(old, axis=1) / np.linalg.norm(new, axis=1)
            shift = along * dists / scale  # dot(P, normal) is dist all over the plane
        leans = np.isfinite(longer) & (along != 0)
        result[vector][leans] = new[leans] * longer[leans, None]
        result[draw_scale][leans] = scale[leans] * longer[leans]
        result[offset][leans] += shift[leans]
    return result
