# SPDX-License-Identifier: GPL-3.0-or-later
"""Light of faces that have none of their own: a lightmap each, filled from the nearest luxels (source.md §2.6, §4).

A new face has the styles of the nearest face that has luxels, and each of its luxels the light of the nearest one: what
*Bake Lightmaps* begins with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ... import ranges
from ...arrays import Bools, Bytes, Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..level import Level
from ..light import lighting, rgbe
from ..light.lighting import BUMP_SAMPLES, Blocks
from ..lumps import LumpId, lump_name
from ..records import NO_STYLE, RGBE, SurfaceFlag
from . import nearest_light
from .changes import Changes
from .nearest_light import LuxelPlanes

MOST = 32
"""Luxels, less one, that compilers give a lightmap along a side."""
_USUAL = 16.0
"""Units a luxel where nothing says how many: Hammer's."""
_LEAST = 1e-4
"""Luxels a unit: where there are fewer, vectors don't part the points of a plane."""
ROUND = 1e-3
"""Luxels that a corner may lie beyond a whole one: vectors are float32."""
_COLOR = RGBE.itemsize


# ---------------------------------------------------------------------------------------------- how large lightmaps are


def extents(corners: Floats, sizes: Ints, vectors: Floats) -> tuple[Ints, Ints]:
    """`lightmap_mins` and `lightmap_size` of polygons by their vectors float64[n, 2, 4]: int64[n, 2] both.

    corners: float64[sum of sizes, 3], of one polygon after another. sizes: int64[n], three at least.
    """
    if not len(sizes):
        return np.zeros((0, 2), np.int64), np.zeros((0, 2), np.int64)
    own = vectors[ranges.owners(sizes)]
    placed = np.einsum("ki,ksi->ks", corners, own[:, :, :3]) + own[:, :, 3]
    low, high = (extreme.reduceat(placed, ranges.starts(sizes)[:-1]) for extreme in (np.minimum, np.maximum))
    first = np.floor(low + ROUND).astype(np.int64)
    return first, np.maximum(np.ceil(high - ROUND).astype(np.int64) - first, 0)


def spanning(vectors: Floats, normal: Floats, share: float = 0.0) -> Floats:
    """Lightmap vectors float64[2, 4] that tell the points of a plane apart: those that are given, where they do, else
    vectors along the axes that the plane is nearest to.

    normal: float64[3], of any length. share: how many of the luxels have to be left, of those that a plane which the
    vectors lie in would have.
    """
    s, t = vectors[:, :3]
    length = float(np.sqrt(normal @ normal))
    seen = abs(float(np.cross(s, t) @ normal)) / (length or 1.0)
    if np.isfinite(vectors).all() and seen > max(_LEAST**2, share * float(np.sqrt((s @ s) * (t @ t)))):
        return vectors
    axis = int(np.abs(normal).argmax())
    made = np.zeros((2, 4))
    made[0, 1 if axis == 0 else 0] = 1 / _USUAL
    made[1, 1 if axis == 2 else 2] = -1 / _USUAL
    return made


def coarse(vectors: Floats, points: Floats) -> Floats:
    """Lightmap vectors float64[2, 4] with luxels so large that a polygon float64[k, 3] has no more than `MOST`."""
    size = extents(points, np.array([len(points)]), vectors[None])[1][0]
    reach = np.ptp(points @ vectors[:, :3].T, axis=0)
    return np.asarray(vectors / np.where(size > MOST, reach / (MOST - 1), 1.0)[:, None])


# --------------------------------------------------------------------------------------------------- the nearest luxels


@dataclass(frozen=True, slots=True, eq=False)
class FreshFaces:
    """Faces without light of their own that are to be lit."""

    places: Ints
    """int64[n], which of the faces that are put."""
    maps: LuxelPlanes
    samples: Ints
    """int64[n], lightmaps a style."""

    @classmethod
    def of(
        cls,
        places: Ints,
        texinfos: Records,
        planes: Records,
        corners: Floats,
        sizes: Ints,
        lightmaps: tuple[Ints, Ints],
    ) -> FreshFaces:
        """Those of faces that are lit. All are rows of as many faces. corners, lightmaps: as `extents` has them."""
        lit = (texinfos["flags"] & SurfaceFlag.NOLIGHT) == 0
        maps = _planes(texinfos, planes, lightmaps[0], lightmaps[1] + 1, corners, sizes)
        bumped = (texinfos["flags"][lit] & SurfaceFlag.BUMPLIGHT) > 0
        return cls(places[lit], maps.take(lit), np.where(bumped, BUMP_SAMPLES, 1))

    def moved(self, place: Floats) -> FreshFaces:
        """The same where a place float64[4, 4], which turns and doesn't scale, takes them."""
        return replace(self, maps=self.maps.moved(place, np.ones(len(self.places), np.bool_)))


def lumps(level: Level) -> dict[LumpId, dict[LumpId, Blocks]]:
    """The lightmaps of a map, lump by lump, by the lump of the faces that they are of. Raises FormatError."""
    found: dict[LumpId, dict[LumpId, Blocks]] = {}
    for lump, blocks in lighting.lightmaps(level).items():
        hdr = lump == LumpId.LIGHTING_HDR and len(level.bytes_of(LumpId.FACES_HDR)) > 0
        found.setdefault(LumpId.FACES_HDR if hdr else LumpId.FACES, {})[lump] = blocks
    return found


def same_places(rows: Mapping[LumpId, Records]) -> Records:
    """The rows of faces that lighting lumps share, by these. Raises FormatError where each says another place."""
    lump, first = next(iter(rows.items()))
    if any(not np.array_equal(row["lightofs"], first["lightofs"]) for row in rows.values()):
        raise FormatError("two lumps of light share faces, and are laid out differently", lump_name(lump))
    return first


def dropped(found: Blocks, gone: Bools) -> Ints:
    """The bytes of a lump that only blocks have that are gone, bool[n]: int64[n], ascending."""
    first, end = found.offset - found.header, found.offset + found.size
    starts, stops = np.sort(first[gone]), np.sort(end[gone])
    shared = ~gone & (np.searchsorted(starts, end) > np.searchsorted(stops, first, side="right"))
    own = np.unique(ranges.flat(first[gone], (end - first)[gone]))
    return own[~np.isin(own, ranges.flat(first[shared], (end - first)[shared]))]


def drop(changes: Changes) -> None:
    """Cut out the light that faces had before the changes, and none has any more. Raises FormatError."""
    for faces, lighted in lumps(changes.level).items():
        table, rows = changes.table(faces), {}
        for lump, found in lighted.items():
            rows[lump] = table.copy()
            offsets = table["lightofs"].astype(np.int64)
            gone = dropped(found, ~np.isin(found.offset, offsets))
            if len(gone):
                data = np.frombuffer(changes.bytes_of(lump), np.uint8)
                changes.set_bytes(lump, np.delete(data, gone).tobytes())
                lit = np.flatnonzero(offsets >= 0)
                put_places(rows[lump], lit, offsets[lit] - np.searchsorted(gone, offsets[lit]), lump)
        changes.set_table(faces, same_places(rows))


def put_places(rows: Records, which: Ints, offsets: Ints, lump: LumpId) -> None:
    """Have faces, int64[n], their lightmaps at bytes of a lump, int64[n]. Raises FormatError for too large a lump."""
    if len(offsets) and int(offsets.max()) > np.iinfo(rows.dtype["lightofs"]).max:
        raise FormatError("would be too large", lump_name(lump))
    rows["lightofs"][which] = offsets


@dataclass(frozen=True, slots=True, eq=False)
class Donors:
    """Lightmaps whose light others get."""

    rows: Records
    """The faces of the map."""
    blocks: Blocks
    """Theirs."""
    maps: LuxelPlanes
    """Where their luxels are."""

    @classmethod
    def of(cls, changes: Changes, found: Blocks, faces: LumpId, model: int = 0, place: Floats | None = None) -> Donors:
        """The lightmaps of the world's flat faces (those of displacements lie elsewhere than their planes), and of a
        model's, with these where its place, float64[4, 4], takes them.
        """
        level = changes.level
        drawn = level.table(geometry.drawn_faces(level))
        models = level.table(LumpId.MODELS)[[0, model]]
        first, count = models["firstface"].astype(np.int64), models["numfaces"].astype(np.int64)
        own = (found.faces[:, None] >= first) & (found.faces[:, None] < first + count)
        flat = (drawn["dispinfo"] < 0) & (drawn["numedges"] > 0) & geometry.valid_texinfos(level, drawn)
        flat &= drawn["planenum"] < len(level.table(LumpId.PLANES))
        good = own.any(axis=1) & flat[found.faces] & (found.luxels > 0)
        blocks = _taken(found, good)
        rows = drawn[blocks.faces]
        polygons = geometry.polygons(level)
        sizes = np.diff(polygons.first_corner)[blocks.faces]
        corners = polygons.corners[ranges.flat(polygons.first_corner[blocks.faces], sizes)]
        maps = _planes(
            level.table(LumpId.TEXINFO)[rows["texinfo"]],
            level.table(LumpId.PLANES)[rows["planenum"]],
            rows["lightmap_mins"].astype(np.int64),
            np.column_stack([blocks.width, blocks.height]),
            polygons.positions[corners].astype(np.float64),
            sizes,
        )
        if place is not None:
            maps = maps.moved(place, own[good, 1] & ~own[good, 0])
        return cls(level.table(faces), blocks, maps)


def _taken(found: Blocks, which: Bools) -> Blocks:
    names = ("faces", "offset", "width", "height", "styles", "samples", "header")
    return replace(found, **{name: getattr(found, name)[which] for name in names})


def _planes(texinfos: Records, planes: Records, mins: Ints, sizes: Ints, corners: Floats, counts: Ints) -> LuxelPlanes:
    """Where the luxels of faces are. sizes: int64[n, 2], luxels. corners, counts: as of `extents`."""
    starts = ranges.starts(counts)[:-1]
    low = high = np.zeros((0, 3))
    if len(counts):
        low, high = (extreme.reduceat(corners, starts) for extreme in (np.minimum, np.maximum))
    vectors = texinfos["lightmap_vecs"].astype(np.float64)
    normals, dists = planes["normal"].astype(np.float64), planes["dist"].astype(np.float64)
    return LuxelPlanes(vectors, normals, dists, mins, sizes, low, high)


class Filled:
    """Lightmaps of new faces, filled from the nearest luxels of others."""

    def __init__(self, found: Blocks, donors: Donors, fresh: FreshFaces) -> None:
        self.donors, self.fresh, self.faces = donors.blocks, fresh, donors.rows
        candidates = nearest_light.near(fresh.maps, donors.maps)
        own = self.faces["styles"][self.donors.faces[candidates[:, 0]]]
        self.styles = own.copy()
        styles = self.donors.styles[candidates[:, 0]]
        self.styles[np.arange(own.shape[1]) >= styles[:, None]] = NO_STYLE
        self.averages = np.zeros((len(own), own.shape[1]), RGBE)
        width, height = fresh.maps.sizes.T
        each = int(found.header.max(initial=0) > 0) * _COLOR  # bytes of averages a style
        sizes = width * height * styles * (_COLOR * fresh.samples + found.extra) + styles * each
        self.length = int(sizes.sum())
        self.blocks = Blocks(
            fresh.places, ranges.starts(sizes)[:-1] + styles * each, width, height, styles, fresh.samples,
            styles * each, found.extra, found.interleaved, np.zeros(0, np.int64),
        )  # fmt: skip
        owners = ranges.owners(width * height)
        local = np.arange(len(owners)) - ranges.starts(width * height)[owners]
        self.owners = owners
        self.face, place = nearest_light.nearest(
            fresh.maps,
            donors.maps,
            candidates,
            owners,
            np.column_stack([local % width[owners], local // width[owners]]),
        )
        self.luxel = place[:, 1] * self.donors.width[self.face] + place[:, 0]
        self.local = local

    def bytes(self, data: Bytes) -> Bytes:
        """The blocks, uint8[length]. data: the lump of before, uint8."""
        made = np.zeros(self.length, np.uint8)
        for slot in range(self.styles.shape[1]):
            style = self.styles[self.owners, slot]
            slots = self._slots(style)
            for sample in range(BUMP_SAMPLES):
                to = self.blocks.lightmap(slot, sample)[self.owners]
                colors = np.zeros(len(to), RGBE)
                for number in range(self.styles.shape[1]):
                    begin = np.where(
                        self.donors.samples > sample,
                        self.donors.lightmap(number, sample),
                        self.donors.lightmap(number, 0),
                    )[self.face]
                    there = (slots == number) & (to >= 0)
                    colors[there] = lighting.colors_at(data.data, begin[there] + _COLOR * self.luxel[there])
                _put_colors(made, to + _COLOR * self.local, to >= 0, colors)
                if sample == 0:
                    self._average(made, slot, colors, to >= 0)
            self._extras(made, data, slot, slots)
        return made

    def tell(self, rows: Records, first: int, start: int, lump: LumpId) -> None:
        """Have the rows of the faces say where their blocks are, behind byte `start` of a lump. first: the row of the
        first of the faces that were put. Call it after `bytes`. Raises FormatError.
        """
        where = first + self.fresh.places
        put_places(rows, where, start + self.blocks.offset, lump)
        rows["styles"][where] = self.styles
        if "average" in (rows.dtype.names or ()):
            rows["average"][where] = self.averages

    def _slots(self, style: Ints) -> Ints:
        """Which slot of its nearest face has a style, for each luxel; -1: none, so that it gets no light of it."""
        theirs = self.faces["styles"][self.donors.faces[self.face]]
        same = (theirs == style[:, None]) & (style != NO_STYLE)[:, None]
        same &= np.arange(theirs.shape[1]) < self.donors.styles[self.face][:, None]
        return np.where(same.any(axis=1), same.argmax(axis=1), -1)

    def _average(self, made: Bytes, slot: int, colors: Records, there: Bools) -> None:
        """Write the mean of a style's flat lightmaps: before the blocks, or for the faces' own field."""
        light = rgbe.decode(colors)
        count = np.maximum(np.bincount(self.owners[there], minlength=len(self.styles)), 1)
        sums = [np.bincount(self.owners[there], light[there, axis], len(self.styles)) for axis in range(3)]
        means = rgbe.encode(np.column_stack(sums) / count[:, None])
        used = self.styles[:, slot] != NO_STYLE
        self.averages[used, slot] = means[used]
        places = self.blocks.averages(slot)
        there = places >= 0
        _put_colors(made, places, there, means)

    def _extras(self, made: Bytes, data: Bytes, slot: int, slots: Ints) -> None:
        """CS:GO's bytes behind the colours: those of the same luxels."""
        size = self.blocks.extra
        to = self.blocks.extras(slot)[self.owners]
        for number in range(self.styles.shape[1] if size else 0):
            begin = self.donors.extras(number)[self.face]
            there = np.flatnonzero((slots == number) & (to >= 0) & (begin >= 0))
            for byte in range(size):
                made[to[there] + size * self.local[there] + byte] = data[begin[there] + size * self.luxel[there] + byte]


def _put_colors(made: Bytes, places: Ints, there: Bools, colors: Records) -> None:
    raw = np.ascontiguousarray(colors, RGBE).view((np.uint8, _COLOR))
    for byte in range(_COLOR):
        made[places[there] + byte] = raw[there, byte]


# -------------------------------------------------------------------------------------------------- faces of one model


def put(
    changes: Changes,
    rows: dict[LumpId, Records],
    which: Ints,
    points: Sequence[Floats],
    planes: Ints,
    texinfos: Ints,
    model: int,
    place: Floats,
) -> None:
    """Give new faces of a brush model lightmaps behind all others: in the lumps of light, and in rows, which are those
    of the model's faces to be, by their lump.

    which: int64[n], the faces' rows. points: float64[k, 3] of each. planes, texinfos: int64[faces], of all rows. place:
    float64[4, 4], where the model is. Raises FormatError.
    """
    if not len(which):
        return
    corners, sizes = np.concatenate(points), np.array([len(each) for each in points], np.int64)
    infos, flat = changes.table(LumpId.TEXINFO)[texinfos[which]], changes.table(LumpId.PLANES)[planes[which]]
    lightmaps = extents(corners, sizes, infos["lightmap_vecs"].astype(np.float64))
    for table in rows.values():
        table["lightmap_mins"][which], table["lightmap_size"][which] = lightmaps
        table["lightofs"][which], table["styles"][which] = -1, NO_STYLE
    fresh = FreshFaces.of(which, infos, flat, corners, sizes, lightmaps).moved(place)
    for faces, lighted in lumps(changes.level).items():
        if faces not in rows:
            continue
        filled = {}
        for lump, found in lighted.items():
            filled[lump] = rows[faces].copy()
            donors = Donors.of(changes, found, faces, model, place)
            if len(donors.blocks.faces):
                data = bytes(changes.level.bytes_of(lump))
                light = Filled(found, donors, fresh)
                changes.set_bytes(lump, data + light.bytes(np.frombuffer(data, np.uint8)).tobytes())
                light.tell(filled[lump], 0, len(data), lump)
        rows[faces] = same_places(filled)
