# SPDX-License-Identifier: GPL-3.0-or-later
"""Light of an edited world: luxels of faces that stay, that took theirs along, and that are new (source.md §2.6, §4).

Luxels that were there keep their bytes. A new face has the styles of the nearest one, and each luxel the light of the
nearest luxel: what *Bake Lightmaps* begins with. Blocks of faces that are gone are taken out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...binary import FormatError
from .. import geometry, lighting, ranges, rgbe
from ..edits.changes import Changes
from ..geometry import Ints
from ..lighting import BUMP_SAMPLES, Blocks
from ..lumps import LumpId, lump_name
from ..records import NO_STYLE, RGBE, Records, SurfaceFlag
from . import leaf_light, lightmap_size, nearest_light
from .drafts import NEW
from .faces import PutFaces
from .nearest_light import LuxelPlanes
from .rings import Bools, FlatRings
from .types import Carved

Bytes = NDArray[np.uint8]

_COLOR = RGBE.itemsize


def put(changes: Changes, carved: Carved, made: PutFaces) -> None:
    """Give new faces their light, and leafs that are new or parted theirs. Raises FormatError."""
    leaf_light.put(changes, carved)
    fresh = _fresh(changes, made)
    found = lighting.lightmaps(changes.level)
    lumps: dict[LumpId, list[LumpId]] = {}
    for lump in found:
        hdr = lump == LumpId.LIGHTING_HDR and len(changes.level.bytes_of(LumpId.FACES_HDR)) > 0
        lumps.setdefault(LumpId.FACES_HDR if hdr else LumpId.FACES, []).append(lump)
    for faces, lighted in lumps.items():
        rows = [_write(changes, made, fresh, lump, faces, found[lump]) for lump in lighted]
        if any(not np.array_equal(row["lightofs"], rows[0]["lightofs"]) for row in rows):
            raise FormatError("two lumps of light share faces, and are laid out differently", lump_name(lighted[0]))
        changes.set_table(faces, rows[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Fresh:
    """Faces without light of their own that are to be lit. places: int64[n], among the drafts."""

    places: Ints
    maps: LuxelPlanes
    samples: Ints


def _fresh(changes: Changes, made: PutFaces) -> _Fresh:
    """New faces, with their lightmaps' places and sizes written to all lumps of faces."""
    new = np.array([n for n, draft in enumerate(made.made) if draft.face == NEW], np.int64)
    drafts = [made.made[place] for place in new.tolist()]
    texinfos = changes.table(LumpId.TEXINFO)[[draft.texinfo for draft in drafts]]
    rings = FlatRings.of([draft.points for draft in drafts])
    vectors = texinfos["lightmap_vecs"].astype(np.float64)
    mins, sizes = lightmap_size.extents(rings, vectors)
    for lump in (LumpId.FACES, LumpId.FACES_HDR):
        if len(changes.level.bytes_of(lump)):
            table = changes.table(lump)
            table["lightmap_mins"][made.first + new] = mins
            table["lightmap_size"][made.first + new] = sizes
    planes = changes.table(LumpId.PLANES)[[draft.plane for draft in drafts]]
    lit = (texinfos["flags"] & SurfaceFlag.NOLIGHT) == 0
    low, high = rings.boxes()
    maps = LuxelPlanes(
        vectors[lit],
        planes["normal"].astype(np.float64)[lit],
        planes["dist"].astype(np.float64)[lit],
        mins[lit],
        sizes[lit] + 1,
        low[lit],
        high[lit],
    )
    bumped = (texinfos["flags"][lit] & SurfaceFlag.BUMPLIGHT) > 0
    return _Fresh(new[lit], maps, np.where(bumped, BUMP_SAMPLES, 1))


def _write(changes: Changes, made: PutFaces, fresh: _Fresh, lump: LumpId, faces: LumpId, found: Blocks) -> Records:
    """Write a lighting lump; the rows of its faces, with their light."""
    data = np.frombuffer(changes.level.bytes_of(lump), np.uint8)
    rows = changes.table(faces).copy()
    keep, moved = _kept(found, made.now, len(data))
    offsets = rows["lightofs"].astype(np.int64)
    stays = np.zeros(len(rows), np.bool_)
    stays[made.now[made.now >= 0]] = True
    known = stays & (offsets >= 0) & (offsets < len(moved))
    rows["lightofs"][known] = moved[offsets[known]]
    parts = [data[keep]]
    end = len(parts[0])
    of = np.array([draft.face for draft in made.made], np.int64)
    block = np.full(len(made.now), -1)
    block[found.faces] = np.arange(len(found.faces))
    carried = np.flatnonzero((of != NEW) & (block[np.maximum(of, 0)] >= 0)) if len(block) else np.zeros(0, np.int64)
    own = block[of[carried]]
    lengths = found.header[own] + found.size[own]
    parts.append(data[ranges.flat(found.offset[own] - found.header[own], lengths)])
    _held(rows, made.first + carried, end + ranges.starts(lengths)[:-1] + found.header[own], lump)
    end += int(lengths.sum())
    donors = _donors(changes, found)
    if len(fresh.places) and len(donors.faces):
        light = _Filled(changes, found, donors, fresh, changes.level.table(faces))
        parts.append(light.bytes(data))
        _held(rows, made.first + fresh.places, end + light.blocks.offset, lump)
        rows["styles"][made.first + fresh.places] = light.styles
        if "average" in (rows.dtype.names or ()):
            rows["average"][made.first + fresh.places] = light.averages
    changes.set_bytes(lump, np.concatenate(parts).tobytes())
    return rows


def _held(rows: Records, which: Ints, offsets: Ints, lump: LumpId) -> None:
    if len(offsets) and int(offsets.max()) > np.iinfo(rows.dtype["lightofs"]).max:
        raise FormatError("would be too large", lump_name(lump))
    rows["lightofs"][which] = offsets


def _kept(found: Blocks, now: Ints, length: int) -> tuple[Bools, NDArray[np.int32]]:
    """Which bytes of a lump stay, bool[length], and where each byte of before is now, int32[length]: all but what only
    faces that are gone have.
    """
    gone = now[found.faces] < 0
    covered = []
    for which in (gone, ~gone):
        count = np.zeros(length + 1, np.int32)  # of lumps that an int32 tells the places of: `lightofs`
        np.add.at(count, (found.offset - found.header)[which], 1)
        np.add.at(count, (found.offset + found.size)[which], -1)
        covered.append(np.cumsum(count, out=count)[:-1] > 0)
        del count  # before the next one
    only, shared = covered
    keep = ~only | shared
    places = np.cumsum(keep, dtype=np.int32)
    places -= keep
    return keep, places


def _donors(changes: Changes, found: Blocks) -> Blocks:
    """The lightmaps of the world's flat faces: those of displacements lie elsewhere than their planes."""
    level = changes.level
    faces, model = level.table(geometry.drawn_faces(level)), level.table(LumpId.MODELS)[0]
    first, count = int(model["firstface"]), int(model["numfaces"])
    good = (found.faces >= first) & (found.faces < first + count) & (faces["dispinfo"][found.faces] < 0)
    good &= found.luxels > 0
    return replace(
        found,
        **{
            name: getattr(found, name)[good]
            for name in ("faces", "offset", "width", "height", "styles", "samples", "header")
        },
    )


class _Filled:
    """Blocks of new faces, filled from the nearest luxels of others."""

    def __init__(self, changes: Changes, found: Blocks, donors: Blocks, fresh: _Fresh, faces: Records) -> None:
        self.donors, self.fresh, self.faces = donors, fresh, faces
        there = _lightmaps(changes, donors)
        candidates = nearest_light.near(fresh.maps, there)
        own = faces["styles"][donors.faces[candidates[:, 0]]]
        self.styles = own.copy()
        styles = donors.styles[candidates[:, 0]]
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
            fresh.maps, there, candidates, owners, np.column_stack([local % width[owners], local // width[owners]])
        )
        self.luxel = place[:, 1] * donors.width[self.face] + place[:, 0]
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


def _lightmaps(changes: Changes, donors: Blocks) -> LuxelPlanes:
    """Where the luxels of faces are."""
    level = changes.level
    faces = level.table(geometry.drawn_faces(level))[donors.faces]
    planes = level.table(LumpId.PLANES)[faces["planenum"]]
    polygons = geometry.polygons(level)
    counts = np.diff(polygons.first_corner)[donors.faces]
    corners = polygons.corners[ranges.flat(polygons.first_corner[donors.faces], counts)]
    points, starts = polygons.positions[corners].astype(np.float64), ranges.starts(counts)[:-1]
    starts = starts.clip(max=max(len(points) - 1, 0))
    low, high = (outer.reduceat(points, starts) if len(points) else points for outer in (np.minimum, np.maximum))
    return LuxelPlanes(
        level.table(LumpId.TEXINFO)["lightmap_vecs"].astype(np.float64)[faces["texinfo"]],
        planes["normal"].astype(np.float64),
        planes["dist"].astype(np.float64),
        faces["lightmap_mins"].astype(np.int64),
        np.column_stack([donors.width, donors.height]),
        low,
        high,
    )
