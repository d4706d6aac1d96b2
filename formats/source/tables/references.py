# SPDX-License-Identifier: GPL-3.0-or-later
"""Which field of which lump's records names rows of which other lump (source.md §2.1-2.9).

Integrity checks, renumbering and compaction go by these two tables, so that a reference is written down once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Ints, Records
from ...binary import FormatError
from ..lumps import LumpId
from . import fields

Tables = Callable[[LumpId], Records | None]
"""Gives a lump's records, None where there are none that can be read."""
NONE = -1
"""Of numbers that may name nothing."""

DRAWN_FACES = (LumpId.FACES, LumpId.FACES_HDR)
ALL_FACES = (*DRAWN_FACES, LumpId.ORIGINALFACES)


def has(records: Records | None, *names: str) -> bool:
    """Whether there are records with these fields."""
    return records is not None and set(names) <= set(records.dtype.names or ())


class Reference:
    """What records of a lump say that names rows of another, or of the same."""

    lump: LumpId
    """Whose records say it."""
    target: LumpId
    """Whose rows they name."""


@dataclass(frozen=True, slots=True)
class Number(Reference):
    """A field that names rows by their numbers."""

    lump: LumpId
    field: str
    target: LumpId
    may_be_none: bool = False
    """Whether it may be -1."""

    def names(self, records: Records) -> Ints:
        """The rows that records name, int64 of the field's shape; negative: none."""
        return np.asarray(records[self.field], np.int64)

    def put(self, records: Records, names: Ints) -> None:
        """Have records name other rows. Raises FormatError for numbers that the field cannot hold."""
        records[self.field] = _fitting(records, self.field, names)


class Walked(Number):
    """Numbers of edges: negative ones are walked backwards."""

    def names(self, records: Records) -> Ints:
        """The edges, int64 of the field's shape."""
        return np.abs(np.asarray(records[self.field], np.int64))

    def put(self, records: Records, names: Ints) -> None:
        """Have other edges, walked the same way."""
        backwards = np.asarray(records[self.field], np.int64) < 0
        records[self.field] = _fitting(records, self.field, np.where(backwards, -names, names))


class LeafChild(Number):
    """Children of nodes that are leafs: -1 - number. Those that are nodes are a `Number`, negative for leafs."""

    def names(self, records: Records) -> Ints:
        """The leafs, int64 of the field's shape, negative for nodes."""
        return -1 - np.asarray(records[self.field], np.int64)

    def put(self, records: Records, names: Ints) -> None:
        """Have other leafs."""
        records[self.field] = _fitting(records, self.field, -1 - names)


class OverlayFaces(Number):
    """Faces of overlays: as many of the slots as the overlay says, whatever lies behind them."""

    def names(self, records: Records) -> Ints:
        """The faces, int64[n, slots], -1 in slots that aren't used."""
        slots = np.arange(records[self.field].shape[1])
        used = slots < fields.overlay_counts(records)[0][:, None]
        return np.where(used, np.asarray(records[self.field], np.int64), NONE)

    def put(self, records: Records, names: Ints) -> None:
        """Have other faces; slots that aren't used stay."""
        kept = np.where(names < 0, records[self.field], names)
        records[self.field] = _fitting(records, self.field, kept)


@dataclass(frozen=True, slots=True)
class Run(Reference):
    """Two fields that name rows which follow one another: the first and how many."""

    lump: LumpId
    first: str
    count: str
    target: LumpId

    def runs(self, records: Records) -> tuple[Ints, Ints]:
        """First and count of each record's run, int64[n] both."""
        return np.asarray(records[self.first], np.int64), np.asarray(records[self.count], np.int64)

    def put(self, records: Records, first: Ints) -> None:
        """Have runs begin elsewhere, int[n]. Raises FormatError for numbers that the field cannot hold."""
        records[self.first] = _fitting(records, self.first, first)


class Primitives(Run):
    """Primitives of faces, whose count shares a word with something else."""

    def runs(self, records: Records) -> tuple[Ints, Ints]:
        """First and count of each face's, int64[n] both."""
        return np.asarray(records[self.first], np.int64), fields.prim_counts(records)[0]


NUMBERS: tuple[Number, ...] = (
    *(Number(faces, "planenum", LumpId.PLANES) for faces in ALL_FACES),
    # Original faces have numbers of texinfos from before vbsp left out the unused ones.
    *(Number(faces, "texinfo", LumpId.TEXINFO, True) for faces in DRAWN_FACES),
    *(Number(faces, "dispinfo", LumpId.DISPINFO, True) for faces in DRAWN_FACES),
    *(Number(faces, "orig_face", LumpId.ORIGINALFACES, True) for faces in DRAWN_FACES),
    Number(LumpId.EDGES, "v", LumpId.VERTEXES),
    Walked(LumpId.SURFEDGES, "edge", LumpId.EDGES),
    Number(LumpId.BRUSHSIDES, "planenum", LumpId.PLANES),
    Number(LumpId.BRUSHSIDES, "texinfo", LumpId.TEXINFO, True),
    Number(LumpId.NODES, "planenum", LumpId.PLANES),
    Number(LumpId.NODES, "children", LumpId.NODES, True),
    LeafChild(LumpId.NODES, "children", LumpId.LEAFS, True),
    Number(LumpId.LEAFS, "leaf_water_data_id", LumpId.LEAFWATERDATA, True),
    Number(LumpId.LEAFFACES, "face", LumpId.FACES),
    Number(LumpId.LEAFBRUSHES, "brush", LumpId.BRUSHES),
    Number(LumpId.LEAFWATERDATA, "surface_texinfo", LumpId.TEXINFO, True),
    Number(LumpId.MODELS, "headnode", LumpId.NODES),
    Number(LumpId.TEXINFO, "texdata", LumpId.TEXDATA, True),
    Number(LumpId.TEXDATA, "name_string_table_id", LumpId.TEXDATA_STRING_TABLE),
    Number(LumpId.AREAPORTALS, "otherarea", LumpId.AREAS),
    Number(LumpId.AREAPORTALS, "planenum", LumpId.PLANES),
    Number(LumpId.DISPINFO, "map_face", LumpId.FACES),
    Number(LumpId.VERTNORMALINDICES, "normal", LumpId.VERTNORMALS),
    Number(LumpId.OVERLAYS, "texinfo", LumpId.TEXINFO, True),
    Number(LumpId.WATEROVERLAYS, "texinfo", LumpId.TEXINFO, True),
    OverlayFaces(LumpId.OVERLAYS, "faces", LumpId.FACES, True),
    OverlayFaces(LumpId.WATEROVERLAYS, "faces", LumpId.FACES, True),
    Number(LumpId.PORTALS, "planenum", LumpId.PLANES),
    Number(LumpId.PORTALVERTS, "vertex", LumpId.VERTEXES),
    Number(LumpId.CLUSTERPORTALS, "portal", LumpId.PORTALS),
)
"""Fields that hold numbers of rows."""

RUNS: tuple[Run, ...] = (
    *(Run(faces, "firstedge", "numedges", LumpId.SURFEDGES) for faces in ALL_FACES),
    *(
        Primitives(faces, "first_prim_id", count, LumpId.PRIMITIVES)
        for faces in DRAWN_FACES
        for count in ("num_prims", "shadows_num_prims")
    ),
    Run(LumpId.BRUSHES, "firstside", "numsides", LumpId.BRUSHSIDES),
    Run(LumpId.NODES, "firstface", "numfaces", LumpId.FACES),
    Run(LumpId.LEAFS, "firstleafface", "numleaffaces", LumpId.LEAFFACES),
    Run(LumpId.LEAFS, "firstleafbrush", "numleafbrushes", LumpId.LEAFBRUSHES),
    Run(LumpId.MODELS, "firstface", "numfaces", LumpId.FACES),
    Run(LumpId.AREAS, "firstareaportal", "numareaportals", LumpId.AREAPORTALS),
    Run(LumpId.AREAPORTALS, "first_clip_portal_vert", "clip_portal_verts", LumpId.CLIPPORTALVERTS),
    Run(LumpId.PRIMITIVES, "first_index", "index_count", LumpId.PRIMINDICES),
    Run(LumpId.PRIMITIVES, "first_vert", "vert_count", LumpId.PRIMVERTS),
    Run(LumpId.LEAF_AMBIENT_INDEX, "first", "count", LumpId.LEAF_AMBIENT_LIGHTING),
    Run(LumpId.LEAF_AMBIENT_INDEX_HDR, "first", "count", LumpId.LEAF_AMBIENT_LIGHTING_HDR),
    Run(LumpId.PORTALS, "firstportalvert", "numportalverts", LumpId.PORTALVERTS),
    Run(LumpId.CLUSTERS, "firstportal", "numportals", LumpId.CLUSTERPORTALS),
    Run(LumpId.PORTALS, "hull_start", "hull_count", LumpId.CLUSTERS),
    Run(LumpId.CLUSTERS, "vert_start", "vert_count", LumpId.PORTALVERTS),
)
"""Fields that hold the first and the count of rows."""


_CUBES = (LumpId.LEAF_AMBIENT_LIGHTING, LumpId.LEAF_AMBIENT_LIGHTING_HDR)
PER_LEAF = (*_CUBES, LumpId.LEAF_AMBIENT_INDEX, LumpId.LEAF_AMBIENT_INDEX_HDR, LumpId.LEAFMINDISTTOWATER)
"""Lumps that may have a row for each leaf (source.md §2.5): see `is_per_leaf`."""


def is_per_leaf(tables: Tables, lump: LumpId) -> bool:
    """Whether a lump has a row for each leaf: not where it has samples of light, which an index counts."""
    table, leafs = tables(lump) if lump in PER_LEAF else None, tables(LumpId.LEAFS)
    if table is None or leafs is None or not 0 < len(table) == len(leafs):
        return False
    return lump not in _CUBES or "x" not in (table.dtype.names or ())


def _fitting(records: Records, field: str, values: Ints) -> Ints:
    kind = records.dtype[field].base
    limits = np.iinfo(kind)
    if values.size and not limits.min <= int(values.min()) <= int(values.max()) <= limits.max:
        raise FormatError(f"{field} would be {values.min()} to {values.max()}, {limits.max} is the most", "references")
    return values.astype(kind)


def named(tables: Tables, target: LumpId, rows: Mapping[LumpId, Bools], count: int) -> Bools:
    """Which of a lump's `count` rows are named by records of other lumps: bool[count]. Numbers outside name nothing.

    rows: by lump, which of its records to ask, bool[n]; all of those of lumps that it hasn't.
    """
    found = np.zeros(count, np.bool_)
    for number in NUMBERS:
        records = tables(number.lump) if number.target == target else None
        if records is not None and has(records, number.field):
            asked = rows.get(number.lump)
            names = number.names(records if asked is None else records[asked]).reshape(-1)
            found[names[(names >= 0) & (names < count)]] = True
    for run in RUNS:
        records = tables(run.lump) if run.target == target else None
        if records is not None and has(records, run.first, run.count):
            asked = rows.get(run.lump)
            first, counts = run.runs(records if asked is None else records[asked])
            there = (first >= 0) & (counts > 0) & (first + counts <= count)
            steps = np.zeros(count + 1, np.int64)
            np.add.at(steps, first[there], 1)
            np.add.at(steps, (first + counts)[there], -1)
            found |= np.cumsum(steps[:-1]) > 0
    return found


def renumber(tables: Tables, target: LumpId, now: Ints) -> None:
    """Have all records name rows by their new numbers.

    tables: gives records that can be written to. now: int64[rows], the new number of each row that a number may name;
    runs follow their first row, so that rows of a run have to stay together. Raises FormatError for numbers that fields
    cannot hold.
    """
    if np.array_equal(now, np.arange(len(now))):
        return
    for number in NUMBERS:
        records = tables(number.lump) if number.target == target else None
        if records is not None and has(records, number.field):
            names = number.names(records)
            known = (names >= 0) & (names < len(now))
            moved = np.where(known, now[np.where(known, names, 0)], names)
            if not np.array_equal(moved, names):
                number.put(records, moved)
    for run in RUNS:
        records = tables(run.lump) if run.target == target else None
        if records is not None and has(records, run.first, run.count):
            first, counts = run.runs(records)
            known = (counts > 0) & (first >= 0) & (first < len(now))
            moved = np.where(known, now[np.where(known, first, 0)], first)
            if not np.array_equal(moved, first):
                run.put(records, moved)
