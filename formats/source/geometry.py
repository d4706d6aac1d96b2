# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces as polygons: corners, normals, triangles, texture and lightmap coordinates, of all faces of a map in one go.

Corners are in the file's order: clockwise seen from the front (source.md §2.4).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import ranges
from ..arrays import Bools, Floats, Integers, Ints, Reals, Records, Singles
from ..binary import FormatError
from .level import Level
from .lumps import LumpId, lump_name
from .tables import fields

_STEP = 1 << 12  # points at once: their numbers stay in the cache


@dataclass(frozen=True)
class Polygons:
    """Polygons over the map's vertices. Face f has the corners `first_corner[f]` to `first_corner[f + 1]`."""

    positions: Singles  # [vertices, 3], the lump VERTEXES
    corners: Ints  # numbers of vertices
    first_corner: Ints  # [faces + 1]

    @cached_property
    def corner_face(self) -> Ints:
        """int64[corners]: the face of each. Not to be changed."""
        return ranges.owners(np.diff(self.first_corner))


def drawn_faces(level: Level) -> LumpId:
    """The lump with the faces that are drawn: FACES, or FACES_HDR in maps that have only that one filled."""
    only_hdr = len(level.bytes_of(LumpId.FACES_HDR)) and not len(level.bytes_of(LumpId.FACES))
    return LumpId.FACES_HDR if only_hdr else LumpId.FACES


def polygons(level: Level, lump: int | None = None) -> Polygons:
    """The polygons of FACES, FACES_HDR or ORIGINALFACES; of the drawn faces where no lump is named.

    Raises FormatError where a face's number of corners is negative, and for surfedges, edges and vertices that aren't
    there.
    """
    lump = drawn_faces(level) if lump is None else lump
    faces = level.table(lump)
    surfedges = level.table(LumpId.SURFEDGES)["edge"]
    edges = level.table(LumpId.EDGES)["v"].reshape(-1)
    points = np.asarray(level.table(LumpId.VERTEXES)["point"], np.float32)
    first, counts = faces["firstedge"].astype(np.int64), faces["numedges"].astype(np.int64)
    _inside(lump, "surfedges", first, first + counts, counts, len(surfedges))
    starts = ranges.starts(counts)
    if np.array_equal(first, starts[:-1]):  # as compilers write them
        walked = surfedges[: starts[-1]].astype(np.int64)
    else:
        walked = surfedges[ranges.flat(first, counts)].astype(np.int64)
    numbers = np.abs(walked)
    if len(numbers) and 2 * int(numbers.max()) >= len(edges):
        raise FormatError(f"edge {numbers.max()} of {len(edges) // 2}", lump_name(LumpId.SURFEDGES))
    numbers *= 2
    numbers += walked < 0
    corners = edges[numbers].astype(np.int64)
    if len(corners) and corners.max(initial=0) >= len(points):
        raise FormatError(f"vertex {corners.max()} of {len(points)}", lump_name(LumpId.EDGES))
    return Polygons(points, corners, starts)


def readable_polygons(level: Level) -> Polygons:
    """The drawn faces as far as they can be read: those of which something isn't there have no corners.

    Raises FormatError for lumps that are no records.
    """
    try:
        return polygons(level)
    except FormatError:
        lump = drawn_faces(level)
    faces, surfedges = level.table(lump), level.table(LumpId.SURFEDGES)["edge"]
    points = np.asarray(level.table(LumpId.VERTEXES)["point"], np.float32)
    edges = np.append(level.table(LumpId.EDGES)["v"].reshape(-1).astype(np.int64), len(points))  # the last isn't there
    first, counts = faces["firstedge"].astype(np.int64), faces["numedges"].astype(np.int64)
    counts = np.where((counts > 0) & (first >= 0) & (first + counts <= len(surfedges)), counts, 0)
    ranges.check_total(counts, len(surfedges), lump_name(lump))
    walked, owners = surfedges[ranges.flat(first, counts)].astype(np.int64), ranges.owners(counts)
    corners = edges[np.minimum(2 * np.abs(walked) + (walked < 0), len(edges) - 1)]
    whole = np.bincount(owners, corners >= len(points), len(counts)) == 0
    return Polygons(points, corners[whole[owners]], ranges.starts(np.where(whole, counts, 0)))


def _inside(lump: int, what: str, low: Ints, high: Ints, counts: Ints, size: int) -> None:
    bad = (counts < 0) | ((counts > 0) & ((low < 0) | (high > size)))
    if bad.any():
        record = int(bad.argmax())
        message = f"record {record} has the {what} {low[record]} to {high[record]} of {size}"
        raise FormatError(message, lump_name(lump))


@np.errstate(all="ignore")  # hostile floats
def area_normals(polygons: Polygons) -> Floats:
    """float64[faces, 3]: out of the front of each face, as long as its area; 0 for faces without one."""
    sizes = np.diff(polygons.first_corner)
    owners = polygons.corner_face
    filled = sizes > 0
    following = np.arange(1, len(polygons.corners) + 1)
    following[polygons.first_corner[1:][filled] - 1] = polygons.first_corner[:-1][filled]
    first = polygons.corners[polygons.first_corner[:-1][owners]]
    # arms from the first corner: near zero, where products are exact
    axes = (np.ascontiguousarray(axis, np.float64) for axis in polygons.positions.T)
    arms = [axis[polygons.corners] - axis[first] for axis in axes]
    pairs = ((1, 2), (2, 0), (0, 1))
    areas = (arms[i][following] * arms[j] - arms[j][following] * arms[i] for i, j in pairs)  # clockwise
    return np.column_stack([np.bincount(owners, area, len(sizes)) for area in areas]) / 2


def corner_normals(level: Level, polygons: Polygons) -> Singles | None:
    """float32[corners, 3]: the normals that vbsp smoothed, of the drawn faces in order (source.md §2.4); None as
    `normal_numbers` says. FormatError for one that isn't there.
    """
    numbers = normal_numbers(level, polygons)
    return None if numbers is None else np.asarray(level.table(LumpId.VERTNORMALS)["normal"][numbers], np.float32)


def normal_numbers(level: Level, polygons: Polygons) -> Integers | None:
    """uint16 or uint32[corners]: which of VERTNORMALS each corner of the drawn faces has; None where the map has none,
    or not one a corner. FormatError for one that isn't there.
    """
    numbers: Integers = level.table(LumpId.VERTNORMALINDICES)["normal"]
    count = len(level.table(LumpId.VERTNORMALS))
    if len(numbers) != len(polygons.corners) or not len(numbers):
        return None
    if numbers.max() >= count:
        raise FormatError(f"normal {numbers.max()} of {count}", lump_name(LumpId.VERTNORMALINDICES))
    return numbers


def triangles(level: Level, polygons: Polygons) -> tuple[Ints, Ints]:
    """How the map cuts drawn faces with T-junctions: int64[t, 3] corners, and the face of each (source.md §2.4).

    Corners are numbers in `polygons.corners`. Faces that have no primitives, or others than triangle lists of their
    own corners, have no triangles here: they are fans. FormatError for primitives and indices that aren't there.
    """
    lump = drawn_faces(level)
    faces, prims = level.table(lump), level.table(LumpId.PRIMITIVES)
    counts, _ = fields.prim_counts(faces)
    if not counts.any():
        return np.zeros((0, 3), np.int64), np.zeros(0, np.int64)
    first = faces["first_prim_id"].astype(np.int64)
    _inside(lump, "primitives", first, first + counts, counts, len(prims))
    owners, used = ranges.owners(counts), prims[ranges.flat(first, counts)]
    lists = (used["type"] == 0) & (used["vert_count"] == 0)
    used, owners = used[lists], owners[lists]
    indices = level.table(LumpId.PRIMINDICES)["index"].astype(np.int64)
    first, counts = used["first_index"].astype(np.int64), used["index_count"].astype(np.int64)
    _inside(LumpId.PRIMITIVES, "indices", first, first + counts, counts, len(indices))
    counts -= counts % 3
    owners, local = np.repeat(owners, counts), indices[ranges.flat(first, counts)]
    sizes = np.diff(polygons.first_corner)
    whole = np.ones(len(faces), np.bool_)
    whole[owners[local >= sizes[owners]]] = False
    good = whole[owners]
    return (polygons.first_corner[owners] + local)[good].reshape(-1, 3), owners[good][::3]


def texels(points: Floats | Singles, texinfos: Records, numbers: Integers) -> Floats:
    """float64[n, 2]: s and t in texels of float[n, 3] points, each with the number of its texinfo (source.md §2.7)."""
    return _project(points, texinfos["texture_vecs"], numbers)


@np.errstate(all="ignore")  # hostile floats
def texture_coordinates(
    points: Floats | Singles,
    texinfos: Records,
    texdata: Records,
    numbers: Integers,
    dtype: type[np.float64] | type[np.float32] = np.float64,
) -> Reals:
    """[n, 2]: u right and v down, 1 a texture, of points as in `texels`. A side of 0 texels counts as 1.

    dtype: what the numbers, which are worked out as float64, are rounded to.
    """
    owners = texinfos["texdata"]
    known = (owners >= 0) & (owners < len(texdata))
    sizes = np.ones((len(owners), 2))
    used = texdata[owners[known]]
    sizes[known] = np.column_stack([used["width"], used["height"]]).clip(min=1)
    return _project(points, texinfos["texture_vecs"] / sizes[:, :, None], numbers, dtype)


@np.errstate(all="ignore")  # hostile floats
def luxels(
    points: Floats | Singles,
    texinfos: Records,
    numbers: Integers,
    lightmap_mins: Integers,
) -> Floats:
    """float64[n, 2]: where points lie in their face's lightmap, from its corner; the middle of its first luxel is 0.5.

    lightmap_mins: int[n, 2], of the face of each point. A lightmap has lightmap_size + 1 luxels each way.
    """
    placed = _project(points, texinfos["lightmap_vecs"], numbers)
    placed -= lightmap_mins
    placed += 0.5
    return placed


@np.errstate(all="ignore")  # hostile floats
def _project(
    points: Reals, vectors: Reals, numbers: Integers, dtype: type[np.float64] | type[np.float32] = np.float64
) -> Reals:
    """Points float[n, 3] along two vectors each, of vectors float32[m, 2, 4]: their numbers are int[n]."""
    wide = np.ascontiguousarray(np.moveaxis(vectors, 0, -1), np.float64)  # a column at a time is twice as fast
    placed: Reals = np.empty((len(numbers), 2), dtype)
    for start in range(0, len(numbers), _STEP):
        part = slice(start, start + _STEP)
        x, y, z = np.ascontiguousarray(points[part].T, np.float64)
        which = numbers[part].astype(np.intp, copy=False)
        for axis in range(2):
            a, b, c, d = wide[axis].take(which, axis=1)
            a *= x
            b *= y
            c *= z
            a += b
            a += c
            placed[part, axis] = a + d
    return placed


def valid_texinfos(level: Level, faces: Records) -> Bools:
    """Which faces have a texinfo that is there, bool[n]: tools leave others at -1."""
    numbers = np.ascontiguousarray(faces["texinfo"])
    return np.asarray((numbers >= 0) & (numbers < len(level.table(LumpId.TEXINFO))))
