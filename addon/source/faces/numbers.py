# SPDX-License-Identifier: GPL-3.0-or-later
"""What faces say in numbers, back to the map: smoothing groups and original faces (source.md §2.4).

Flags are a part of the texinfo, which `mapping` writes. The number of that texinfo follows from all of them.
"""

from __future__ import annotations

import numpy as np

from ....formats import source
from ....formats.arrays import Bools, Ints
from ....formats.counting import number_of
from ....formats.source import LumpId, edits
from ...scene.reports import Report
from .. import layout
from .scene_surfaces import NUMBERS, UNKNOWN, SceneSurfaces

_FIELDS = {layout.TEXINFO: "texinfo", layout.ORIGINAL_FACE: "orig_face", layout.SMOOTHING_GROUPS: "smoothing_groups"}
"""The fields of faces that attributes show."""
REDIRECTED = "faces with other original faces"
"""What the report counts."""


def apply(surfaces: SceneSurfaces, level: source.Level, polygons: Ints, report: Report) -> None:
    """Write what was edited on polygons int64[n] that have the numbers of faces, each once.

    Raises SceneError, with the faces selected, for edited texinfos and for original faces that aren't there.
    """
    _report_gone(surfaces, polygons, report)
    faces = surfaces.faces[polygons]
    wrong = _edited(surfaces, polygons, layout.TEXINFO)
    if wrong.any():
        raise surfaces.refused(
            f"{surfaces.named(polygons[wrong])}: {number_of(int(wrong.sum()), 'faces have')} another "
            f"{layout.TEXINFO!r}. It follows from a face's material, its UVs and its {layout.FLAGS!r}: edit these",
            polygons[wrong],
        )
    for name in (layout.ORIGINAL_FACE, layout.SMOOTHING_GROUPS):
        wrong = _edited(surfaces, polygons, name) & (faces >= surfaces.model_faces.drawn)
        if wrong.any():
            raise surfaces.refused(
                f"{surfaces.named(polygons[wrong])}: {number_of(int(wrong.sum()), 'sides have')} another {name!r}, "
                "which only faces have: brush entities without faces have none",
                polygons[wrong],
            )
    originals = surfaces.numbers[layout.ORIGINAL_FACE][polygons]
    chosen = _edited(surfaces, polygons, layout.ORIGINAL_FACE)
    count = len(level.table(LumpId.ORIGINALFACES)) if chosen.any() else 0
    wrong = chosen & ((originals < -1) | (originals >= count))
    if wrong.any():
        raise surfaces.refused(
            f"{surfaces.named(polygons[wrong])}: {number_of(int(wrong.sum()), 'faces have')} an "
            f"{layout.ORIGINAL_FACE!r} that isn't there: there are {count}, and -1 is none",
            polygons[wrong],
        )
    if chosen.any():
        edits.face_fields.change(level, faces[chosen], orig_face=originals[chosen])
        report.count(REDIRECTED, int(chosen.sum()))
    chosen = _edited(surfaces, polygons, layout.SMOOTHING_GROUPS)
    if chosen.any():
        groups = surfaces.numbers[layout.SMOOTHING_GROUPS][polygons[chosen]] & 0xFFFFFFFF
        edits.face_fields.change(level, faces[chosen], smoothing_groups=groups)
        report.count("faces with other smoothing groups", int(chosen.sum()))


def edited(surfaces: SceneSurfaces, polygons: Ints) -> Bools:
    """bool[n]: which of polygons int64[n], which have the numbers of faces, say something else than these."""
    found = np.zeros(len(polygons), np.bool_)
    for name in _FIELDS:
        found |= _edited(surfaces, polygons, name)
    return found


def _edited(surfaces: SceneSurfaces, polygons: Ints, name: str) -> Bools:
    was = surfaces.model_faces.records[_FIELDS[name]][surfaces.faces[polygons]].astype(np.int64)
    now = surfaces.numbers[name][polygons]
    return np.asarray((now != UNKNOWN) & ((now ^ was) & 0xFFFFFFFF != 0))


def _report_gone(surfaces: SceneSurfaces, polygons: Ints, report: Report) -> None:
    """Warn of objects whose meshes have lost an attribute, or have it as another type."""
    for name in NUMBERS:
        gone = polygons[surfaces.numbers[name][polygons] == UNKNOWN]
        if len(gone):
            report.warn(
                f"{surfaces.named(gone)}: the attribute {name!r} of faces is gone, or is of another type: in the map "
                "it stays"
            )
