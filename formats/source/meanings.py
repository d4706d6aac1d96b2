# SPDX-License-Identifier: GPL-3.0-or-later
"""What rows of a map's tables mean, whatever their numbers are: for comparing maps (source.md §2.1-2.9).

A row means what its own fields say and what the rows mean that it names, by `tables.references`. Where tables name one
another in a circle, one way goes by the other's own fields alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.lib.recfunctions import repack_fields

from .. import row_keys
from ..arrays import Ints, Records
from ..binary import FormatError
from ..row_keys import Keys, Meaning
from ..steps import Steps
from .level import Level
from .light.lighting import lightmaps
from .lumps import LumpId
from .tables.fields import prim_counts
from .tables.references import DRAWN_FACES, NUMBERS, RUNS, has

_SHALLOW: dict[tuple[LumpId, str], tuple[str, ...]] = {
    (LumpId.NODES, "children"): ("mins", "maxs"),
    (LumpId.DISPINFO, "map_face"): ("side", "area"),
    (LumpId.AREAPORTALS, "otherarea"): ("numareaportals",),
    (LumpId.PORTALS, "hull_start"): ("vert_count",),
}
"""Fields that close a circle, and by which own fields they know what they name."""
_KNOWN = frozenset(each for one in (*NUMBERS, *RUNS) for each in (one.lump, one.target))
_THINGS = frozenset({LumpId.FACES, LumpId.FACES_HDR, LumpId.BRUSHES, LumpId.MODELS, LumpId.DISPINFO, LumpId.OVERLAYS})
_WORD = 4
_NEIGHBORS = (("edge_neighbors", "neighbor"), ("corner_neighbors", "neighbors"))
"""Of displacements: fields, and what of them names other displacements."""
_BYTES = ("lightmap_alpha_start", "lightmap_sample_position_start")
"""Of displacements: where bytes begin that hold nothing of their own."""


class Meanings:
    """The meanings of a map's tables, each worked out when it is first asked for."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._found: dict[LumpId, Meaning | None] = {}
        self._plain: dict[LumpId, Records | None] = {}

    def of(self, lump: int) -> Meaning | None:
        """What the rows of a lump mean; None where nothing names them and they name nothing, or they can't be read."""
        if lump not in _KNOWN:
            return None
        known = LumpId(lump)
        if known not in self._found:
            self._found[known] = self._worked_out(known)
        return self._found[known]

    def worked_out(self, lump: int) -> Steps[Meaning | None]:
        """As `of`, a table a step: what it names first."""
        if lump in _KNOWN and LumpId(lump) not in self._found:
            for target in _targets(LumpId(lump)):
                yield from self.worked_out(target)
            yield
        return self.of(lump)

    def _worked_out(self, lump: LumpId) -> Meaning | None:
        records = self._table(lump)
        if records is None:
            return None
        plain = _plain(lump, records)
        named: dict[str, Keys] = {}
        for field, keys in self._named(lump, records):
            before = named[field] if field in named else row_keys.of_rows(plain[field])
            named[field] = row_keys.joined(before, keys)
        rows = row_keys.of_rows(plain)
        for field in sorted(named):
            rows = row_keys.joined(rows, named[field])
        return Meaning(rows, named, lump in _THINGS)

    def _table(self, lump: LumpId) -> Records | None:
        try:
            return None if self._level.layout(lump).dtype is None else self._level.table(lump)
        except FormatError:  # what can't be read is compared by its bytes
            return None

    def _keys(self, target: LumpId, field: tuple[LumpId, str]) -> Keys | None:
        """Keys of the rows that a field names, None where they can't be read."""
        if field not in _SHALLOW:
            meaning = self.of(target)
            return None if meaning is None else meaning.rows
        records = self._table(target)
        names = [name for name in _SHALLOW[field] if has(records, name)]
        return None if records is None else row_keys.of_rows(repack_fields(records[names]))

    def _named(self, lump: LumpId, records: Records) -> Iterator[tuple[str, Keys]]:
        """Each field that names rows, and keys of what it names."""
        for number in NUMBERS:
            if number.lump == lump and has(records, number.field):
                keys = self._keys(number.target, (lump, number.field))
                yield number.field, _of_numbers(number.names(records), keys)
        for run in RUNS:
            if run.lump == lump and has(records, run.first, run.count):
                yield run.first, _of_runs(*run.runs(records), self._keys(run.target, (lump, run.first)))
        if lump in DRAWN_FACES:
            yield from self._of_faces(lump, records)
        elif lump == LumpId.DISPINFO:
            yield from self._of_displacements(records)
        elif lump == LumpId.TEXDATA_STRING_TABLE:
            yield "offset", self._names(records)

    def _of_faces(self, lump: LumpId, faces: Records) -> Iterator[tuple[str, Keys]]:
        if has(faces, "first_prim_id"):
            primitives = self._keys(LumpId.PRIMITIVES, (lump, "first_prim_id"))
            yield "first_prim_id", _of_runs(faces["first_prim_id"].astype(np.int64), prim_counts(faces)[0], primitives)
        if has(faces, "lightofs"):
            yield "lightofs", self._light(lump, faces)

    def _light(self, lump: LumpId, faces: Records) -> Keys:
        """What the luxels of faces are; where that can't be told, whether there are any."""
        found = (faces["lightofs"] >= 0).astype(np.uint64)
        try:
            lit = lightmaps(self._level)
        except FormatError:
            return found
        light = LumpId.LIGHTING_HDR if lump == LumpId.FACES_HDR or LumpId.LIGHTING not in lit else LumpId.LIGHTING
        blocks = lit.get(light)
        if blocks is None or len(faces) <= blocks.faces.max(initial=-1):
            return found
        begin, size = blocks.offset - blocks.header, blocks.size + blocks.header
        if not ((begin % _WORD == 0) & (size % _WORD == 0)).all():
            return found
        data = np.frombuffer(self._level.bytes_of(light), np.uint8)
        words = np.ascontiguousarray(data[: len(data) // _WORD * _WORD]).view("<u4").astype(np.uint64)
        found[blocks.faces] = row_keys.of_runs(begin // _WORD, size // _WORD, row_keys.mixed(words))
        return found

    def _of_displacements(self, infos: Records) -> Iterator[tuple[str, Keys]]:
        edge = 2 ** infos["power"].astype(np.int64).clip(0, 8)
        for field, lump, counts in (
            ("disp_vert_start", LumpId.DISP_VERTS, (edge + 1) ** 2),
            ("disp_tri_start", LumpId.DISP_TRIS, 2 * edge**2),
        ):
            if has(infos, field):
                records = self._table(lump)
                keys = None if records is None else row_keys.of_rows(records)
                yield field, _of_runs(infos[field].astype(np.int64), counts, keys)
        own = row_keys.of_rows(_plain(LumpId.DISPINFO, infos))
        for field, name in _NEIGHBORS:
            if has(infos, field):
                yield field, row_keys.of_numbers(infos[field][name].astype(np.int64), own)

    def _names(self, table: Records) -> Keys:
        """The names of textures that a table has the places of; these places where they can't be read."""
        try:
            names = np.array([hash(name) for name in self._level.texture_names.names], np.int64)
        except FormatError:
            return row_keys.of_rows(table)
        return row_keys.mixed(names.view(np.uint64)) if len(names) == len(table) else row_keys.of_rows(table)


def _targets(lump: LumpId) -> list[LumpId]:
    """The tables whose meanings those of a table's rows are made of."""
    named = [(one.field, one.target) for one in NUMBERS if one.lump == lump]
    named += [(one.first, one.target) for one in RUNS if one.lump == lump]
    drawn = [LumpId.PRIMITIVES] if lump in DRAWN_FACES else []
    return [*drawn, *dict.fromkeys(target for field, target in named if (lump, field) not in _SHALLOW)]


def _of_numbers(numbers: Ints, keys: Keys | None) -> Keys:
    none = np.zeros(0, np.uint64)
    return row_keys.of_numbers(numbers, none if keys is None else keys)


def _of_runs(first: Ints, count: Ints, keys: Keys | None) -> Keys:
    if keys is None:
        return row_keys.of_numbers(np.column_stack([first, count]), np.zeros(0, np.uint64))
    return row_keys.of_runs(np.where(count > 0, first, 0), count, keys)


def _plain(lump: LumpId, records: Records) -> Records:
    """Records that name nothing: 0 in the place of every number of a row, and of every place of bytes."""
    made = records.copy()
    for number in NUMBERS:
        if number.lump == lump and has(made, number.field):
            names = number.names(made)
            number.put(made, np.where(names >= 0, 0, names))
    for run in RUNS:
        if run.lump == lump and has(made, run.first, run.count):
            made[run.first] = 0
    if lump in DRAWN_FACES:
        for name in {"first_prim_id", "lightofs"}.intersection(made.dtype.names or ()):
            made[name] = 0
    elif lump == LumpId.DISPINFO:
        for name in {"disp_vert_start", "disp_tri_start", *_BYTES}.intersection(made.dtype.names or ()):
            made[name] = 0
        for field, name in _NEIGHBORS:
            if has(made, field):
                made[field][name] = 0
    elif lump == LumpId.TEXDATA_STRING_TABLE:
        made["offset"] = 0
    return made
