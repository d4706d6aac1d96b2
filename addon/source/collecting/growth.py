# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects made lumps larger that no edit refuses for their size: light and visibility, of which compilers only
allow so much.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Integers
from ....formats.source import LumpId
from ....formats.source.check import MOST_BYTES
from ....formats.source.lumps import lump_name
from ...scene.fates.gate import Blamed, Faces

LIGHT = (LumpId.LIGHTING, LumpId.LIGHTING_HDR)
MEASURED = (*LIGHT, LumpId.VISIBILITY)
MOST = 10
"""Objects that are named at most, and brushes of the world."""


class LumpGrowth:
    """By how much objects made lumps larger that are larger than usual compilers allow."""

    def __init__(self) -> None:
        self._found: dict[LumpId, list[tuple[int, Sequence[bpy.types.Object], Faces]]] = defaultdict(list)

    @contextmanager
    def of(self, level: source.Level, objects: Sequence[bpy.types.Object]) -> Iterator[None]:
        """Blame objects for what becomes of a level meanwhile."""
        before = self.sizes(level)
        yield
        for lump, size in self.too_large(level, before).items():
            self.blame(lump, size, objects)

    @staticmethod
    def sizes(level: source.Level) -> dict[LumpId, int]:
        """How many bytes a level's lumps of MEASURED have."""
        return {lump: len(level.bytes_of(lump)) for lump in MEASURED}

    @staticmethod
    def too_large(level: source.Level, before: Mapping[LumpId, int]) -> dict[LumpId, int]:
        """By how many bytes lumps have grown that are too large now. before: as of `sizes`."""
        now = LumpGrowth.sizes(level)
        return {lump: now[lump] - size for lump, size in before.items() if MOST_BYTES[lump] < now[lump] > size}

    def blame(self, lump: LumpId, size: int, objects: Sequence[bpy.types.Object], faces: Faces | None = None) -> None:
        """Have objects, and those of their faces that are to be selected, be to blame for so many bytes of a lump."""
        self._found[lump].append((size, objects, faces or {}))

    def blamed(self) -> Blamed:
        """The objects that made the most of each lump, and their faces, by what problems call the lump."""
        made = {}
        for lump, parts in self._found.items():
            objects: dict[bpy.types.Object, None] = {}
            faces: dict[bpy.types.Object, Integers] = {}
            for _, those, polygons in sorted(parts, key=lambda part: -part[0])[:MOST]:
                objects |= dict.fromkeys(those)
                faces |= {obj: np.union1d(faces[obj], own) if obj in faces else own for obj, own in polygons.items()}
            made[lump_name(lump)] = list(objects)[:MOST], faces
        return made
