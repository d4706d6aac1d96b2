# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rows of a map's tables something names, from its models on."""

from contextlib import suppress
from functools import cached_property

import numpy as np

from ...arrays import Bools, Ints
from ...binary import FormatError
from ..level import Level
from ..lumps import LumpId
from ..tables import overlay_lists
from ..tables.references import DRAWN_FACES, NUMBERS, RUNS, Tables, has, is_per_leaf, named

ROOTS = frozenset((LumpId.MODELS, *DRAWN_FACES, LumpId.AREAS, LumpId.CLUSTERS, LumpId.PORTALS))
"""Lumps of which all rows count: models are of entities, faces of models, areas and clusters of leafs."""


class Living:
    """Which rows of a map something names, from its models on."""

    def __init__(self, level: Level, tables: Tables) -> None:
        self._level, self._tables = level, tables
        self._found: dict[LumpId, Bools] = {}

    def rows(self, lump: LumpId) -> Bools:
        """Which of a lump's rows are named, bool[n]: of ones in ROOTS and of ones that nothing names, all."""
        if lump not in self._found:
            records = self._tables(lump)
            count = 0 if records is None else len(records)
            sources = {each.lump for each in (*NUMBERS, *RUNS) if each.target == lump} - {lump}
            if is_per_leaf(self._tables, lump):
                self._found[lump] = self.rows(LumpId.LEAFS)
            elif lump in ROOTS or not sources:
                self._found[lump] = np.ones(count, np.bool_)
            else:
                asked = {source: self.rows(source) for source in sources}
                asked[lump] = np.zeros(count, np.bool_)
                found = self.elsewhere(lump, count) | named(self._tables, lump, asked, count)
                while not np.array_equal(found, asked[lump]):  # nodes name nodes
                    asked[lump] = found
                    found = found | named(self._tables, lump, asked, count)
                self._found[lump] = found
        return self._found[lump]

    def elsewhere(self, lump: LumpId, count: int) -> Bools:
        """Which of a lump's `count` rows are named by lumps that are no tables, or by numbers that may be stale: those
        count as well, and keep their numbers, but for leafs, which props follow.
        """
        found = np.zeros(count, np.bool_)
        for numbers in self._elsewhere.get(lump, ()):
            found[numbers[(numbers >= 0) & (numbers < count)]] = True
        return found

    @cached_property
    def _elsewhere(self) -> dict[LumpId, list[Ints]]:
        found: dict[LumpId, list[Ints]] = {LumpId.PLANES: [], LumpId.VERTEXES: [], LumpId.TEXINFO: []}
        with suppress(FormatError):
            occlusion = self._level.occlusion
            if occlusion is not None:
                found[LumpId.PLANES].append(occlusion.polys["planenum"].astype(np.int64))
                found[LumpId.VERTEXES].append(occlusion.vertices["vertex"].astype(np.int64))
        with suppress(FormatError):
            static, detail = self._level.static_props, self._level.detail_props
            parts = [] if static is None else [static.leafs]
            parts += [] if detail is None else [detail.details]
            found[LumpId.LEAFS] = [part["leaf"].astype(np.int64) for part in parts]
        for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
            lights = self._tables(lump)
            if has(lights, "texinfo") and lights is not None:
                found[LumpId.TEXINFO].append(lights["texinfo"].astype(np.int64))
        macros = self._tables(LumpId.FACE_MACRO_TEXTURE_INFO)
        if macros is not None:
            found[LumpId.TEXDATA_STRING_TABLE] = [macros["macro_texture_name_id"].astype(np.int64)]
        for lump in (LumpId.OVERLAYS, LumpId.WATEROVERLAYS):
            if self._level.version_of(lump) >= overlay_lists.VERSION and self._tables(lump) is None:
                with suppress(FormatError):
                    overlays = overlay_lists.read(self._level.bytes_of(lump)).overlays
                    found[LumpId.TEXINFO].append(overlays["texinfo"].astype(np.int64))
        return found
