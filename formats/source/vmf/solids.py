# SPDX-License-Identifier: GPL-3.0-or-later
"""The solids of a VMF as arrays: those of a map's brushes, and whatever else is to be compiled with them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from ... import ranges
from ...arrays import Bools, Floats, Ints, Records
from .. import geometry
from ..faces import face_sides
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from ..sections.texdata import Strings
from ..tree import brushes
from . import ladders, materials, side_contents, texture_axes, tools

WORLD = 0
"""The entity of solids that belong to no other: the first one."""
IN_NO_LEAF = -2
"""The entity of solids that the compiled map is without, though it has their brush."""


@dataclass(frozen=True, slots=True)
class VmfSolids:
    """m convex solids with n sides, one solid's after another's, in the world's place and units."""

    owners: Ints
    """int64[m], each one's entity, a place in the map's; -1: of a model that no entity has; or `IN_NO_LEAF`."""
    detail: Bools
    """bool[m], in a func_detail."""
    brushes: Ints
    """int64[m], the record in BRUSHES; -1: none."""
    first_side: Ints
    """int64[m + 1]."""
    normals: Floats
    """float64[n, 3] of length 1, out of the solid."""
    dists: Floats
    """float64[n]."""
    corners: Floats
    """float64[c, 3], of the sides' polygons."""
    first_corner: Ints
    """int64[n + 1]: side k's are from first_corner[k] to first_corner[k + 1]."""
    vectors: Floats
    """float64[n, 2, 4], s and t in texels."""
    luxels: Floats
    """float64[n], units."""
    smoothing: NDArray[np.uint32]
    """uint32[n]."""
    names: list[str]
    """Of materials."""
    ids: Ints
    """int64[n]; 0: none yet."""
    records: Ints
    """int64[n], in BRUSHSIDES; -1: none."""
    displacements: Ints
    """int64[n], in DISPINFO; -1: none."""

    def __len__(self) -> int:
        return len(self.owners)

    def taken(self, which: Ints) -> "VmfSolids":
        """Those with the numbers int64[k], in that order."""
        counts = np.diff(self.first_side)[which]
        sides = ranges.flat(self.first_side[which], counts)
        return self._of(which, counts, sides)

    def with_sides(self, kept: Bools) -> "VmfSolids":
        """All of them, without the sides that aren't kept: bool[n]."""
        counts = np.bincount(ranges.owners(np.diff(self.first_side))[kept], minlength=len(self))
        return self._of(np.arange(len(self)), counts, np.flatnonzero(kept))

    def _of(self, which: Ints, counts: Ints, sides: Ints) -> "VmfSolids":
        corner_counts = np.diff(self.first_corner)[sides]
        return VmfSolids(
            self.owners[which],
            self.detail[which],
            self.brushes[which],
            ranges.starts(counts),
            self.normals[sides],
            self.dists[sides],
            self.corners[ranges.flat(self.first_corner[sides], corner_counts)],
            ranges.starts(corner_counts),
            self.vectors[sides],
            self.luxels[sides],
            self.smoothing[sides],
            [self.names[side] for side in sides.tolist()],
            self.ids[sides],
            self.records[sides],
            self.displacements[sides],
        )

    @np.errstate(all="ignore")  # hostile floats
    def moved(self, offsets: Floats) -> "VmfSolids":
        """With each solid elsewhere, by float64[m, 3] units, and its textures with it."""
        of_sides = np.repeat(offsets, np.diff(self.first_side), axis=0)
        vectors = self.vectors.copy()
        vectors[:, :, 3] -= np.einsum("nki,ni->nk", vectors[:, :, :3], of_sides)
        return replace(
            self,
            dists=self.dists + (self.normals * of_sides).sum(axis=1),
            corners=self.corners + np.repeat(of_sides, np.diff(self.first_corner), axis=0),
            vectors=vectors,
        )

    def numbered(self) -> "VmfSolids":
        """With an id for each side: those that have one keep it, the first of several; others get the next free."""
        ids = self.ids.copy()
        _, first = np.unique(ids, return_index=True)
        again = np.ones(len(ids), np.bool_)
        again[first] = False
        ids[again | (ids <= 0)] = 0
        new = np.flatnonzero(ids == 0)
        ids[new] = int(ids.max(initial=0)) + 1 + np.arange(len(new))
        return replace(self, ids=ids)


def joined(parts: Sequence[VmfSolids]) -> VmfSolids:
    """Several as one, one's after another's; at least one."""

    def all_of(name: str) -> NDArray[np.generic]:
        return np.concatenate([getattr(part, name) for part in parts])

    def starts(name: str) -> Ints:
        return ranges.starts(np.concatenate([np.diff(getattr(part, name)) for part in parts]))

    values = {field.name: all_of(field.name) for field in fields(VmfSolids) if field.name not in _OTHERS}
    values |= {"first_side": starts("first_side"), "first_corner": starts("first_corner")}
    return VmfSolids(names=[name for part in parts for name in part.names], **values)  # type: ignore[arg-type]


_OTHERS = ("first_side", "first_corner", "names")


@dataclass(frozen=True, slots=True)
class Compiled:
    """The brushes of a map as solids."""

    solids: VmfSolids
    face_sides: Ints
    """int64[faces], the side that each drawn face lies on, a place among all sides; -1: none."""
    restored: int
    """How many brushes have the tool texture of their contents."""
    hidden: int
    """How many sides have no face, and so maybe another one's texture."""
    cubemaps: dict[tuple[int, int, int], Ints]
    """By place, the sides whose material is a copy for the cubemap there."""


def texture_names(level: Level, names: Strings) -> list[str]:
    """The name of each texinfo's material, "" for none."""
    texinfos, texdata, known = level.table(LumpId.TEXINFO), level.table(LumpId.TEXDATA), names.names
    number = texinfos["texdata"].astype(np.int64)
    there = (number >= 0) & (number < len(texdata))
    string = np.full(len(texinfos), -1, np.int64)
    string[there] = texdata["name_string_table_id"][number[there]]
    return [known[place] if 0 <= place < len(known) else "" for place in string.tolist()]


@np.errstate(all="ignore")  # hostile floats
def of_level(level: Level) -> Compiled:
    """The brushes of a map. Raises FormatError for lumps that don't fit together."""
    found = brushes.solids(level)
    polygons, counts = found.polygons, found.brushes["numsides"].astype(np.int64)
    drawn = geometry.drawn_faces(level)
    faces = level.table(drawn)
    face_places = face_sides.of_faces(level, found, geometry.polygons(level, drawn), faces)
    records, planes = level.table(LumpId.BRUSHSIDES)[found.sides], level.table(LumpId.PLANES)
    on = planes[records["planenum"].astype(np.int64)]
    owners = ranges.owners(counts)
    entity, origins = entities_of(level)
    moved = origins[owners]
    normals = on["normal"].astype(np.float64)
    dists = on["dist"].astype(np.float64) + (normals * moved).sum(axis=1)

    seen = np.full(len(records), -1, np.int64)  # the first face of each side
    lying = np.flatnonzero(face_places >= 0)[::-1]
    seen[face_places[lying]] = lying
    texinfo = records["texinfo"].astype(np.int64)
    texinfo[seen >= 0] = faces["texinfo"][seen[seen >= 0]]
    texinfos = level.table(LumpId.TEXINFO)
    texinfo[(texinfo < 0) | (texinfo >= len(texinfos))] = -1
    vectors, luxels, flags = _of_texinfos(texinfos, texinfo)
    vectors[:, :, 3] -= np.einsum("nki,ni->nk", vectors[:, :, :3], moved)
    unusable = ~texture_axes.usable(vectors, normals)
    vectors[unusable] = texture_axes.standard(normals[unusable])

    contents = found.brushes["contents"].astype(np.int64)
    corners = polygons.positions[polygons.corners] + moved[ranges.owners(np.diff(polygons.first_corner))]
    low, high = _boxes(owners, polygons.first_corner, corners, len(found.brushes))
    ladder = ladders.owners(level, np.where(entity == WORLD, contents, 0), low, high)
    entity[ladder >= 0] = ladder[ladder >= 0]
    added = _added(level, entity)
    wanted = contents & ~added
    wanted[(added & side_contents.THROUGH) > 0] = int(Contents.SOLID)  # or whatever: the class makes it no matter

    texture = texture_names(level, level.texture_names)
    originals = [*materials.originals(level, texture), ""]
    names = [originals[number] for number in texinfo.tolist()]
    telling = np.flatnonzero((seen >= 0) & (added[owners] == 0)).tolist()
    known = side_contents.learned((names[side], int(contents[owners[side]])) for side in telling)
    names, restored = tools.restored(wanted, owners, names, (seen >= 0).tolist(), flags.tolist(), known)
    smoothing = np.zeros(len(records), np.uint32)
    smoothing[seen >= 0] = faces["smoothing_groups"][seen[seen >= 0]]
    solids = VmfSolids(
        entity,
        (entity == WORLD) & is_detail(contents),
        np.arange(len(found.brushes)),
        found.first_side,
        normals,
        dists,
        corners,
        polygons.first_corner,
        vectors,
        luxels,
        smoothing,
        names,
        np.where(seen >= 0, hammer_ids(level, len(faces))[seen], 0),
        found.sides,
        np.full(len(records), -1, np.int64),
    )
    bounding = _bounding(found, records)
    place = np.append(np.cumsum(bounding) - 1, -1)  # the last one: of no side
    face_places = place[face_places]
    hidden = int((bounding & (seen < 0)).sum())
    copies = _copies(texture, texinfo[bounding])
    return Compiled(solids.with_sides(bounding), face_places, restored, hidden, copies)


@np.errstate(all="ignore")  # hostile floats
def bare(level: Level) -> VmfSolids:
    """The shapes of a map's brushes, of maps that `of_level` can't read: all as the world's, each where its model has
    it, without textures. Raises FormatError where BRUSHES, BRUSHSIDES or PLANES can't be read.
    """
    found = brushes.solids(level)
    polygons, count, number = found.polygons, len(found.brushes), len(found.sides)
    records = level.table(LumpId.BRUSHSIDES)[found.sides]
    on = level.table(LumpId.PLANES)[records["planenum"].astype(np.int64)]
    normals = on["normal"].astype(np.float64)
    none = np.full(number, -1, np.int64)
    solids = VmfSolids(
        np.full(count, WORLD, np.int64),
        is_detail(found.brushes["contents"].astype(np.int64)),
        np.arange(count),
        found.first_side,
        normals,
        on["dist"].astype(np.float64),
        polygons.positions[polygons.corners],
        polygons.first_corner,
        texture_axes.standard(normals),
        np.full(number, texture_axes.LUXEL),
        np.zeros(number, np.uint32),
        [""] * number,
        np.zeros(number, np.int64),
        found.sides,
        none,
    )
    return solids.with_sides(_bounding(found, records))


def boxes(solids: VmfSolids) -> tuple[Floats, Floats]:
    """The lowest and highest corner of each solid, float64[m, 3]; infinite, the wrong way round, without corners."""
    owners = ranges.owners(np.diff(solids.first_side))
    return _boxes(owners, solids.first_corner, solids.corners, len(solids))


def _boxes(owners: Ints, first_corner: Ints, corners: Floats, count: int) -> tuple[Floats, Floats]:
    """As `boxes`; owners: int64[n], the solid of each side."""
    of_corners = owners[ranges.owners(np.diff(first_corner))]
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, of_corners, corners)
    np.maximum.at(high, of_corners, corners)
    return low, high


def _bounding(found: brushes.Solids, records: Records) -> Bools:
    """Which sides are a part of their brush's surface, or may be."""
    polygons = found.polygons
    bounding = np.diff(polygons.first_corner) > 0
    bounding |= ~polygons.closed[ranges.owners(np.diff(found.first_side))]
    return np.asarray(bounding & (records["bevel"] == 0))


def is_detail(contents: Ints) -> Bools:
    """Which brushes of the world were in a func_detail, bool[n], by their contents, int64[n]: what isn't seen is always
    called detail.
    """
    seen = int(tools.SEEN | Contents.WATER)
    return np.asarray((contents & Contents.DETAIL > 0) & (contents & seen > 0) & (contents & int(tools.CLIP) == 0))


def hammer_ids(level: Level, count: int) -> Ints:
    """The editor's number of the side that each of `count` drawn faces was made of; 0 where the map has none."""
    ids = level.table(LumpId.FACEIDS)
    if len(ids) != count or not count:
        return np.zeros(max(count, 1), np.int64)
    return np.asarray(ids["hammer_face_id"].astype(np.int64))


def entities_of(level: Level) -> tuple[Ints, Floats]:
    """The first entity of each brush, int64[brushes], and its origin that the brush is relative to (source.md §2.4).

    -1: the brush belongs to a model that no entity has.
    """
    entity_of = {WORLD: WORLD, -1: WORLD}  # a brush that no leaf has is the world's
    for model, numbers in of_models(level).items():
        entity_of[model] = numbers[0]
    owners = np.array([entity_of.get(model, -1) for model in brushes.of_models(level).tolist()], np.int64)
    places = [entity.origin if entity.model is not None else None for entity in level.entities]
    origins = np.array([place or (0.0, 0.0, 0.0) for place in [*places, None]], np.float64)
    return owners, origins[owners]


def of_models(level: Level) -> dict[int, list[int]]:
    """The entities, places, that have each brush model but the world's."""
    found: dict[int, list[int]] = {}
    for number, entity in enumerate(level.entities):
        if number != WORLD and entity.model:
            found.setdefault(entity.model, []).append(number)
    return found


def _added(level: Level, owners: Ints) -> Ints:
    """What brushes contain that their entities, int64[n], add to their textures."""
    classes = [side_contents.OF_CLASSES.get(entity.classname.lower(), 0) for entity in level.entities]
    return np.asarray(np.array([*classes, 0], np.int64)[np.where(owners < 0, -1, owners)])


def _of_texinfos(texinfos: Records, numbers: Ints) -> tuple[Floats, Floats, Ints]:
    """Texture vectors, units a luxel and flags of texinfos; 0, the standard and 0 for the number -1."""
    vectors, luxels = np.zeros((len(numbers), 2, 4)), np.full(len(numbers), texture_axes.LUXEL)
    flags = np.zeros(len(numbers), np.int64)
    there = numbers >= 0
    used = texinfos[numbers[there]]
    vectors[there] = used["texture_vecs"]
    luxels[there] = texture_axes.luxel_sizes(used["lightmap_vecs"])
    flags[there] = used["flags"]
    return vectors, luxels, flags


def _copies(names: list[str], texinfo: Ints) -> dict[tuple[int, int, int], Ints]:
    """The sides whose material is a copy for a cubemap, by the cubemap's place."""
    found: dict[tuple[int, int, int], list[int]] = {}
    for number, name in enumerate(names):
        place = materials.cubemap(name)
        if place is not None:
            found.setdefault(place, []).append(number)
    return {place: np.flatnonzero(np.isin(texinfo, numbers)) for place, numbers in found.items()}
