# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a map: the embedded original with all that was edited merged into it.

Each step compares a part of the scene with what the import made of the original, and has `formats.source.edits` change
what differs, with all that is linked with it. So what nobody touched stays as it is, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import bpy

from ...formats import source
from ...formats.binary import FormatError
from ...formats.source.differences import differences
from ..scene.fates import gate
from ..scene.kept import originals
from ..scene.reports import Report, SceneError
from ..scene.work.progress import Steps, Stepwise, progress, steps_of
from . import layout, revision
from .brush_models import collect as brush_models
from .brush_models import gone as gone_models
from .brushes import collect as brushes
from .brushes import contents
from .collecting import scene_level
from .collecting.scene_level import SceneLevel
from .cubemaps import collect as cubemaps
from .displacements import collect as displacements
from .displacements import info, mapping, shading
from .entities import collect as entities
from .faces import collect as faces
from .lightmaps import collect as lightmaps
from .lights import collect as lights
from .materials import collect as materials
from .overlays import collect as overlays
from .pak import collect as pak
from .props import collect as props
from .settings import ExportSettings
from .visibility import collect as visibility
from .world import collect as world


@dataclass(frozen=True, slots=True)
class Step:
    """One part of an export."""

    title: str
    """Plural, for errors."""
    apply: Callable[[SceneLevel, source.Level, Report], None]
    """Changes the level where the scene isn't what the import made of it, and nothing else: a `Stepwise`, where it
    takes longer than a moment.

    Raises SceneError with the objects at fault, or FormatError where no object is.
    """


STEPS: tuple[Step, ...] = (
    Step("displacements", displacements.apply),
    Step("properties of displacements", info.apply),
    Step("normals of displacements", shading.warn_if_shaded),
    Step("textures", materials.apply),
    Step("faces", faces.apply),
    Step("textures on displacements", mapping.apply),
    Step("lightmaps", lightmaps.apply),
    Step("files in the pak", pak.apply),
    Step("static props", props.apply),
    Step("overlays", overlays.apply),
    Step("cubemaps", cubemaps.apply),
    Step("compiled lights", lights.apply),
    Step("area portals", visibility.apply_area_portals),
    Step("occluders", visibility.apply_occluders),
    Step("contents of brushes", contents.apply),
    Step("brush models", brush_models.apply),
    Step("the world", world.apply),
    Step("entities", entities.apply),
    Step("brush models without entities", gone_models.apply),
    Step("rows that nothing names", gone_models.sweep),
    Step("the map's revision", revision.apply),
)
"""In this order, so that numbers of faces, textures and models are the original's until models are rebuilt; files of
the pak have the original's names when they are replaced, then follow what they are named after; and entities come when
all models are there, before those that they no longer have, and before the revision, which the world has as well.
"""


@Stepwise
def export_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> Steps[bytes]:
    """The `.bsp` that a level's collection shows: the very bytes of the original, if nothing is edited.

    Writes no file. The report gets all that differs, lump by lump. Raises SceneError, naming objects and faces, for
    what no map can hold and for what the game would refuse, and FormatError.
    """
    original = _original(collection)
    with scene_level.read(context, collection, original, settings) as scene:
        level = source.read(original.data, salvage=True)  # as the import does
        with progress(len(STEPS)) as done:
            for step in STEPS:
                try:
                    with progress(1, step.title):
                        yield from steps_of(step.apply, scene, level, report)
                except FormatError as error:
                    raise SceneError(f"{step.title}: {error}") from error
                yield done()
        brush_objects = frozenset(brushes.objects(scene))
        _report_loose((obj for obj in scene.loose if obj not in brush_objects), report)
        if collection.get(layout.PATCH) is not None:
            report.note("its entities are those of the patch file that it was opened with")
        data = source.write(level)
        if data == original.data:
            report.note("nothing is edited: the file is the original, byte for byte")
            return original.data
        yield
        yield from _compare(scene, source.read(data, salvage=True), report)
    report.note(f"the file: from {len(original.data)} to {len(data)} bytes")
    return data


def _original(collection: bpy.types.Collection) -> originals.Original:
    """What a level was imported from. Raises SceneError for one that was imported from nothing, or has lost it."""
    original = originals.require(collection)
    if original is None:
        raise SceneError(
            f"{collection.name}: it wasn't imported from a .bsp. File > New > Game Level makes one to build upon"
        )
    return original


def _report_loose(loose: Iterable[bpy.types.Object], report: Report) -> None:
    for obj in loose:
        if obj.type == "LIGHT":
            report.left_out(f"light {obj.name!r} (not an entity: it needs a property classname)")
        elif obj.type == "LIGHT_PROBE":
            report.left_out(f"light probe {obj.name!r} (not a cubemap: copy one that the map has)")
        elif obj.type == "MESH":
            report.left_out(f"mesh {obj.name!r} (not a part of the map: Make Brush Entity makes it one)")
        else:
            report.left_out(f"object {obj.name!r} (not a part of the map: an entity needs a property classname)")


def _compare(scene: SceneLevel, after: source.Level, report: Report) -> Steps[None]:
    """Report how maps differ. Raises SceneError with what the game would refuse, unless it was so before."""
    blamed = scene.growth.blamed()
    yield from gate.refuse_new.steps(source.check, after, lambda: scene.before, report, "map", blamed=blamed)
    for difference in differences(scene.before, after):
        report.count("changed lumps")
        report.note(str(difference))
        yield
