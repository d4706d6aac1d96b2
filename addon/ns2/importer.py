# SPDX-License-Identifier: GPL-3.0-or-later
"""A level to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...formats import ns2
from ...formats.binary import FormatError
from ...formats.counting import number_of
from ...formats.ns2.names import meant
from ..scene.reports import Report
from ..scene.view import stage
from ..scene.work.progress import Steps, Stepwise, progress
from . import kinds, layout, view
from .context import ImportContext
from .entities import ambience
from .entities.build import build_entities
from .faces.build import build_faces
from .layers import visibility
from .layers.build import build_homes, build_lists
from .level_settings import build_settings
from .mapping_groups.build import build_groups
from .materials.build import Materials
from .settings import ImportSettings


@Stepwise
def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> Steps[bpy.types.Collection]:
    """Build the scene of a level in a collection of its own, in the context's scene.

    file: the level's path or name: the collection is named after it, and content is looked for in the folders around
    it. Raises FormatError for bytes that are no level, and for parts of one that an export couldn't read.
    """
    level = ns2.read(data)
    yield from _refuse_unreadable(level)
    return (yield from build_scene.steps(context, level, data, file, settings, report))


def _refuse_unreadable(level: ns2.Level) -> Steps[None]:
    """Raise FormatError for what an import might not ask for, but an export does: by then it is too late."""
    mesh = level.mesh
    yield
    _ = level.entities
    yield
    layered = len(mesh.face_layers.has)
    if layered != len(mesh.faces):
        raise FormatError(f"are of {number_of(layered, 'faces')}, there are {len(mesh.faces)}", "face layers")


@Stepwise
def build_scene(
    context: bpy.types.Context,
    level: ns2.Level,
    data: bytes | None,
    file: str | Path,
    settings: ImportSettings,
    report: Report,
) -> Steps[bpy.types.Collection]:
    """Build the scene of a level; `data`: the bytes that it was read from, None for one that was just made."""
    importing = ImportContext.begin(context, layout.FORMAT, level, data, file, settings, report)
    build_lists(importing.collection, level, settings.invisible == "hide", settings.layers == "all")
    build_homes(importing)
    build_settings(importing)
    build_groups(importing.collection, level.mesh.mapping_groups, len(level.mesh.mapping_groups))
    materials = Materials(importing)
    with progress(3) as part:
        listed = yield from materials.of_level()
        part()
        with progress(1, "faces"):
            yield from build_faces(importing, listed)
        part()
        if settings.entities:
            yield from build_entities(importing, materials)
    _check_names(importing)
    visibility.tell_hidden(importing.collection, level.mesh, report)
    visibility.show(importing.collection)
    collection = importing.finish()
    kinds.hide_spheres(context, importing)
    stage.show_true_colors(importing.scene, importing.alone, report)
    if importing.alone:
        corners = view.seen_corners(collection)
        if not len(corners):
            corners = layout.to_blender(level.mesh.positions)
        stage.look_at(context, collection, corners, is_one_sided=True)
        view.set_grid(context)
        ambience.build(importing)
    return collection


def _check_names(importing: ImportContext) -> None:
    """Warn of names that look as if they should mean something to the game, but don't."""
    for kind, listed in (("layer", importing.level.layers), ("group", importing.level.groups)):
        for each in listed:
            wanted = meant(each.name, kind)
            if wanted is not None:
                importing.report.warn(f"{kind} {each.name!r} means nothing to the game; {wanted!r} would")
