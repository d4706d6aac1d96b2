# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a level: the embedded original with everything laid over it that was edited.

Each part of the scene is compared with what the import made of the original, and writes only what differs. So what
nobody touched stays as it is, bit for bit, with all that Blender can't show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy

from ...formats import ns2
from ...formats.arrays import Indices
from ...formats.binary import FormatError
from ..scene.fates import gate
from ..scene.kept import originals
from ..scene.reports import Report, SceneError, listed
from ..scene.work.progress import Steps, Stepwise, progress
from . import checks
from .entities.collect import collect_entities
from .faces.collect import CollectedMesh
from .faces.merge import merge_faces
from .layers import visibility
from .layers.collect import collect_lists, deleted_collections, number_layers, unlisted_collections
from .level_settings import collect_settings, unknown_settings, wanted_version
from .mapping_groups.collect import collect_groups
from .settings import ExportSettings

NAMED = 5
"""Collections that a warning names."""


@Stepwise
def export_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> Steps[bytes]:
    """The `.level` that a level's collection shows. Writes no file.

    A level of an older version is written as that, or as version 10 by the setting or its property. Raises SceneError,
    naming objects and faces, for scenes that no level can hold, and FormatError for what the version can't hold.
    """
    original = originals.require(collection, settings.build_as_new)
    level = ns2.read(original.data) if original is not None else ns2.new_level()
    converted = _version(collection, level, settings) != level.version
    before = ns2.write(ns2.as_v10(level) if converted else level)
    yield
    made = yield from collect_level.steps(context, collection, level, original, settings, report)
    data = ns2.write(made.level)
    yield
    if original is None or data != before:
        old = (lambda: ns2.read(before)) if original is not None else None
        if made.carried is not None:  # what Build as New took along, the level came with
            old = made.carried
        yield from gate.refuse_new.steps(ns2.check, ns2.read(data), old, report)
    checks.look_over(collection, made.level, made.geometry, made.polygon_faces, report)
    return data


def _version(collection: bpy.types.Collection, level: ns2.Level, settings: ExportSettings) -> int:
    """The version to write: 10 where the settings say so, otherwise that of the level's property. Raises SceneError."""
    if settings.save_as_v10 or settings.build_as_new:
        return ns2.records.VERSION
    return wanted_version(collection, level.version)


@dataclass(frozen=True, slots=True, eq=False)
class CollectedLevel:
    """A level as the scene has it."""

    level: ns2.Level
    geometry: CollectedMesh
    """All polygons of the scene."""
    polygon_faces: Indices
    """int[p]: which face of the level each polygon of `geometry` is of."""
    objects: list[bpy.types.Object]
    """The object of each entity; none where the import left entities out."""
    carried: Callable[[], ns2.Level] | None = None
    """Gives the imported level where Build as New took anything of it."""


@Stepwise
def collect_level(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: ns2.Level,
    original: originals.Original | None,
    settings: ExportSettings,
    report: Report,
) -> Steps[CollectedLevel]:
    """Lay all of the scene over a level: the original, or an empty one. Raises SceneError, FormatError."""
    collect_settings(collection, level)
    if unknown := unknown_settings(collection, level):
        report.warn(f"{collection.name}: properties that no level has, so they aren't written: {listed(unknown)}")
    if (wanted := _version(collection, level, settings)) != level.version:
        report.note(f"version {level.version} becomes version {wanted}")
        level = ns2.as_v10(level)
    collect_lists(collection, level)
    if unlisted := unlisted_collections(collection):
        report.warn(f"collections that are no layers or groups (the sidebar adds those): {', '.join(unlisted[:NAMED])}")
    if deleted := deleted_collections(collection):
        report.warn(
            f"{listed(deleted)}: deleted here, but the file stays as it is: the sidebar's lists say which layers and "
            "groups there are"
        )
    visibility.tell_edits(collection, report)
    source = _carry_mesh(collection, level, report) if settings.build_as_new else original
    groups = collect_groups(collection, level.mesh.mapping_groups)
    with progress(2) as part:
        with progress(1, "faces"):
            yield
            geometry, polygon_faces = yield from merge_faces(
                context, collection, level, source, settings, report, groups
            )
        yield part()
        objects = yield from collect_entities(context, collection, level, original, report)
    number_layers(level)
    report.count("entities", len(level.entities))
    carried = _as_imported(source) if settings.build_as_new and source is not None else None
    return CollectedLevel(level, geometry, polygon_faces, objects, carried)


def _carry_mesh(collection: bpy.types.Collection, level: ns2.Level, report: Report) -> originals.Original | None:
    """Give a level that is built as new the imported file's mesh, in the layers and groups that there still are: how
    textures lie on it, and what of it Blender can't show, is nowhere else. Returns that file, None where it is lost.
    """
    try:
        original = originals.find(collection)
        if original is None:
            return None
        imported = ns2.as_v10(ns2.read(original.data))
    except (SceneError, FormatError) as error:
        report.warn(f"faces that the import left out aren't written, if there were any: {error}")
        return None
    collect_lists(collection, imported)
    level.mesh = imported.mesh
    return original


def _as_imported(original: originals.Original) -> Callable[[], ns2.Level]:
    return lambda: ns2.as_v10(ns2.read(original.data))
