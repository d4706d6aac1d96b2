# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a VMF, for Hammer and vbsp: the way of all edits of geometry that a compiled map can't take.

All but brushes comes from the map that `exporter.export_level` makes; those are what is in their collection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import bpy

from ...formats import source
from ...formats.source import vmf
from ...formats.source.content import keyvalues
from ..scene.kept import originals
from ..scene.reports import Report, SceneError
from ..scene.work.progress import Steps, Stepwise
from . import exporter, layout
from .brushes import collect as brushes
from .brushes import contents
from .collecting import scene_level
from .collecting.scene_level import SceneLevel
from .faces import mapping, normals, numbers
from .settings import IGNORE, REFUSE, ExportSettings, VmfSettings

VMF_NOTE = (
    "Brushes are those in the collection Brushes, which an import with the option Brushes makes. All else is the map "
    "as it would be exported."
)
"""What has to be known before an export."""
_LOST = {
    mapping.FLAGGED: "vbsp gives faces those of their materials",
    normals.SHADED: "vbsp makes them by the smoothing groups",
    numbers.REDIRECTED: "vbsp numbers them",
}
"""What an export as .bsp counts and no VMF can say, and where it comes from instead."""


@Stepwise
def export_vmf(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: VmfSettings, report: Report
) -> Steps[bytes]:
    """The text of a level as Hammer has it. Raises SceneError, with objects and faces at fault, or FormatError."""
    own = Report()
    level = yield from _exported(context, collection, settings, own)
    with _taken_apart(context, collection, level, report) as (scene, made):
        yield
        text = _written(scene, level, made, report)
    for what, count in text.counts.items():
        report.count(what, count)
    for what, instead in _LOST.items():
        if own.counts.get(what):
            report.warn(f"{what}: {own.counts[what]}. A VMF has none: {instead}")
    for warning in own.warnings:
        if not warning.endswith(brushes.LEFT_OUT) and not warning.startswith(contents.EDITED):
            report.warn(warning)
    for what in text.lost:
        report.note(f"not as in the editor: {what}")
    return text.data


@Stepwise
def map_of(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: VmfSettings, report: Report, own: Report
) -> Steps[vmf.Map]:
    """The map that a level's scene shows, taken apart, with what was drawn in the place of its brushes.

    own: gets what an export as .bsp tells. Raises SceneError, with objects and faces at fault, or FormatError.
    """
    level = yield from _exported(context, collection, settings, own)
    with _taken_apart(context, collection, level, report) as (_, made):
        return made


def _exported(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: VmfSettings, own: Report
) -> Steps[source.Level]:
    """The level that an export as .bsp makes of the scene."""
    chosen = ExportSettings(geometry=IGNORE if settings.faces == "ignore" else REFUSE, world=IGNORE)
    data = yield from exporter.export_level.steps(context, collection, chosen, own)
    yield
    return source.read(data)


@contextmanager
def _taken_apart(
    context: bpy.types.Context, collection: bpy.types.Collection, level: source.Level, report: Report
) -> Iterator[tuple[SceneLevel, vmf.Map]]:
    """The scene as it is read, and the map: see `map_of`. level: what an export as .bsp makes of it."""
    original = originals.require(collection)
    if original is None:  # export_level has refused that
        raise ValueError(collection.name)
    with scene_level.read(context, collection, original) as scene:
        made = brushes.apply(scene, level, vmf.of_level(level), report)
        contents.warn_of_vmf(scene, level, report)
        if not scene.is_shown(layout.BRUSHES) and len(level.bytes_of(source.LumpId.BRUSHES)):
            report.note("the map's brushes aren't in the scene: import with the option Brushes to edit them")
        yield scene, made


def _written(scene: SceneLevel, level: source.Level, made: vmf.Map, report: Report) -> vmf.Vmf:
    """The text; what vbsp will make otherwise is told. Raises SceneError, with the objects, for what it refuses."""
    try:
        text = vmf.write(made)
    except vmf.RuleError as error:
        refused = [finding for finding in error.findings if finding.refused]
        objects = _objects(scene, len(level.entities))
        faulty = [objects[one.entity] for one in refused if one.entity is not None and one.entity in objects]
        said = "; ".join(_said(finding, objects) for finding in refused)
        raise SceneError(f"vbsp would not compile it: {said}", faulty) from error
    objects = _objects(scene, len(level.entities)) if text.findings else {}
    for finding in text.findings:
        report.warn(_said(finding, objects))
    return text


def _said(finding: vmf.VmfFinding, objects: Mapping[int, bpy.types.Object]) -> str:
    obj = objects.get(finding.entity) if finding.entity is not None else None
    return finding.message if obj is None else f"{obj.name}: {finding.message}"


def _objects(scene: SceneLevel, count: int) -> dict[int, bpy.types.Object]:
    """The objects of the entities that an export has, by their places there: old ones first, in their order."""
    records = scene.records(layout.ENTITY)
    old = len(scene.before.entities)
    gone = set(scene.deleted(layout.ENTITY, old))
    world = next(
        (number for number, entity in enumerate(scene.before.entities) if entity.classname == "worldspawn"), -1
    )
    kept = [number for number in range(old) if number == world or number not in gone]
    found = {place: records[number].object for place, number in enumerate(kept) if number in records}
    added = [one.object for one in scene.added(layout.ENTITY)]
    return found | {place: obj for place, obj in enumerate(added, len(kept)) if place < count}


def check_vmf(data: bytes) -> None:
    """Read a file back as far as can be done without Hammer. Raises FormatError."""
    keyvalues.parse(data)
