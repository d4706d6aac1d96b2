# SPDX-License-Identifier: GPL-3.0-or-later
"""What brushes contain, back to the map: the attribute `contents` of their faces (source.md "BRUSHES")."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Ints
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source import LumpId, edits, vmf
from ....formats.source.tree import brushes as level_brushes
from ...scene.geometry import meshes
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..settings import EDIT
from . import collect

EDITED = "brushes with other contents"
"""What the report counts."""
STAYS = "leafs, and what physics objects meet, keep the contents that they were compiled with"


@dataclass(frozen=True)
class _Faces:
    """The faces of one object that are a brush's of the map."""

    object: bpy.types.Object
    numbers: Ints
    """int64[n]: places among the object's faces."""
    brushes: Ints
    """int64[n]: numbers in BRUSHES."""
    contents: Ints
    """int64[n]: as they are now, 32 bits."""


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Write the contents that were edited; where edits of the world are asked for, only those of entities' brushes.

    Raises SceneError, with the faces selected, for brushes of which not all faces say the same.
    """
    if not scene.instances(layout.BRUSHES):
        return
    try:
        before = scene.before.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    except FormatError:  # the import left brushes out as well
        return
    parts = _parts(scene, len(before), report)
    brushes, contents = _all_of(parts)
    chosen = np.unique(brushes[contents != before[brushes]])
    if scene.settings.world == EDIT:
        chosen = chosen[level_brushes.of_models(scene.before)[chosen] > 0]
    if not len(chosen):
        return
    least, most = np.full(len(before), np.iinfo(np.int64).max), np.full(len(before), -1)
    np.minimum.at(least, brushes, contents)
    np.maximum.at(most, brushes, contents)
    _refuse_mixed(parts, chosen[least[chosen] != most[chosen]])
    edits.brush_contents.change(level, chosen, most[chosen])
    report.count(EDITED, len(chosen))
    report.warn(f"{EDITED}: {len(chosen)} of {scene.collection.name}. {STAYS}")


def of_world(scene: SceneLevel, report: Report) -> bool:
    """Whether brushes of the world have other contents: an edit of the world, where the settings ask for that."""
    if not scene.instances(layout.BRUSHES):
        return False
    before = scene.before.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    brushes, contents = _all_of(_parts(scene, len(before), report))
    chosen = np.unique(brushes[contents != before[brushes]])
    return bool((level_brushes.of_models(scene.before)[chosen] <= 0).any())


def _all_of(parts: list[_Faces]) -> tuple[Ints, Ints]:
    """The brush of each face, int64[n], and what the face says that it contains."""
    none = np.zeros(0, np.int64)
    return (
        np.concatenate([*(part.brushes for part in parts), none]),
        np.concatenate([*(part.contents for part in parts), none]),
    )


def warn_of_vmf(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Warn of contents that were edited and that a VMF can't say: vbsp makes them of textures and func_detail.

    level: the map as it is exported.
    """
    before, now = (one.table(LumpId.BRUSHES)["contents"] for one in (scene.before, level))
    if len(before) != len(now) or np.array_equal(before, now):
        return
    then, made = (_said(vmf.compiled(one).solids) for one in (scene.before, level))
    lost = [brush for brush in np.flatnonzero(before != now).tolist() if then.get(brush) == made.get(brush)]
    if lost:
        report.warn(
            f"the contents of brushes {listed(list(map(str, lost)))} were edited, but a VMF has none: give them the "
            "textures that make these"
        )


def _said(solids: vmf.VmfSolids) -> dict[int, tuple[bool, list[str]]]:
    """What says in a VMF what brushes contain: whether they are detail, and their textures."""
    first = solids.first_side.tolist()
    return {
        brush: (bool(solids.detail[place]), solids.names[first[place] : first[place + 1]])
        for place, brush in enumerate(solids.brushes.tolist())
    }


def _parts(scene: SceneLevel, count: int, report: Report) -> list[_Faces]:
    found = []
    for obj in collect.objects(scene):
        mesh = scene.mesh(obj)
        own, contents = (mesh.attribute(name, "FACE") for name in (layout.BRUSH, layout.CONTENTS))
        if own is None:  # drawn anew
            continue
        if contents is None or contents.dtype != np.int32:
            report.warn(f"{obj.name}: the attribute {layout.CONTENTS!r} is gone, or is of another type: it stays")
            continue
        numbers = np.flatnonzero((own > 0) & (own <= count))
        found.append(
            _Faces(obj, numbers, own[numbers].astype(np.int64) - 1, contents[numbers].astype(np.int64) & 0xFFFFFFFF)
        )
    return found


def _refuse_mixed(parts: list[_Faces], brushes: Ints) -> None:
    if not len(brushes):
        return
    faces = {part.object: part.numbers[np.isin(part.brushes, brushes)] for part in parts}
    faces = {obj: own for obj, own in faces.items() if len(own)}
    seen = {obj: own for obj, own in faces.items() if not meshes.needs_evaluation(obj)}
    raise SceneError(
        f"{listed([obj.name for obj in faces])}: {number_of(len(brushes), 'brushes have')} faces that differ in their "
        f"{layout.CONTENTS!r}: all faces of a brush, and of its copies, say the same",
        faces,
        faces=seen,
    )
