# SPDX-License-Identifier: GPL-3.0-or-later
"""What a displacement says of itself (DISPINFO), as properties of its object, and back (source.md §2.2).

Only where each displacement has an object of its own: joined ones show no such properties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import bpy

from ....formats import source
from ....formats.arrays import Records
from ....formats.source import LumpId, edits
from ....formats.source.records import DispInfoFlag
from ...scene.fields import properties
from ...scene.fields.properties import setting
from ...scene.reports import Report, SceneError
from .. import layout
from ..collecting.scene_level import SceneLevel, at_fault

_IS_FLAGS = int(DispInfoFlag.IS_FLAGS)
_HIGHEST = 0x7FFFFFFF


@dataclass(frozen=True)
class DisplacementProperties:
    """On objects of displacements. The file has one word for `flags` and `min_tess`: it is either."""

    flags: int = setting(0, "Bits: 2 no physics, 4 players and monsters pass, 8 shots pass, "
                            "1073741824 blends four textures", 0, _HIGHEST)  # fmt: skip
    min_tess: int = setting(0, "Least tesselation, in maps that have no flags here (up to version 19)", 0, _HIGHEST)
    smoothing_angle: float = setting(0.0, "Degrees up to which the compiler smooths it with its neighbours")

    @classmethod
    def of(cls, word: int, angle: float) -> DisplacementProperties:
        """From a record's `min_tess` and `smoothing_angle`."""
        if word & _IS_FLAGS:
            return cls(flags=word & ~_IS_FLAGS, smoothing_angle=angle)
        return cls(min_tess=word, smoothing_angle=angle)

    def word(self, before: int) -> int:
        """The record's `min_tess`, which was `before`. Raises ValueError where both are set."""
        if self.flags and self.min_tess:
            raise ValueError("flags and min_tess are one word of the map: one of them has to be 0")
        return self.flags | _IS_FLAGS if self.flags or (before & _IS_FLAGS and not self.min_tess) else self.min_tess


def writer(infos: Records) -> Callable[[bpy.types.Object, int], None]:
    """What gives an object the properties of a displacement by its number."""
    kept = cache(lambda word, angle: properties.writer(DisplacementProperties.of(word, angle)))
    words, angles = infos["min_tess"].tolist(), infos["smoothing_angle"].tolist()

    def write(obj: bpy.types.Object, number: int) -> None:
        kept(words[number], angles[number])(obj)

    return write


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Write the properties that were edited. Raises SceneError with the object."""
    for number, one in scene.records(layout.DISPLACEMENT).items():
        infos = level.table(LumpId.DISPINFO)
        if not 0 <= number < len(infos):
            continue
        try:
            given, edited = properties.read(one.object, DisplacementProperties)
        except ValueError as error:
            raise SceneError(str(error), [one.object]) from error
        with at_fault(one.object):
            before = int(infos["min_tess"][number])
            word = given.word(before) if edited & {"flags", "min_tess"} else before
            angle = given.smoothing_angle if "smoothing_angle" in edited else None
            if word != before or angle is not None:
                edits.displacements.change_info(level, number, word if word != before else None, angle)
                report.count("displacements with other properties")
