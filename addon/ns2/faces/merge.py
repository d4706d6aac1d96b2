# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's faces laid over those of a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import bpy
import numpy as np

from ....formats import ns2
from ....formats.arrays import Indices, Records
from ....formats.counting import number_of
from ....formats.ns2.editing import RefusedFacesError, ShownPolygons, TextureRules, overlay, show_mesh
from ...scene.issues import mends
from ...scene.kept import identity, originals
from ...scene.reports import Report, SceneError, listed
from ...scene.work.progress import Steps
from .. import layout
from ..layers import visibility
from ..materials.collect import NAMELESS, collect_materials, is_path, title_of
from ..settings import ExportSettings
from .collect import CollectedMesh, collect_faces


def merge_faces(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: ns2.Level,
    original: originals.Original | None,
    settings: ExportSettings,
    report: Report,
    groups: Records,
) -> Steps[tuple[CollectedMesh, Indices]]:
    """Lay the scene's faces over those of a level. Returns what the scene has, and the face of each polygon of that.

    level: has the mesh of `original`, or an empty one where there is none. groups: MAPPING_GROUP records, the mapping
    groups that there are now.
    Raises SceneError, with the faces selected, and FormatError for what the level's version can't hold.
    """
    found = collect_faces(context, collection, original, report)
    yield
    before, rebuilt = level.mesh, settings.build_as_new
    options = original.options if original is not None else {}
    loose = bool(options.get("loose_edges"))
    shown = layout.shown(collection) if original is not None else ShownPolygons.none()
    if shown is None and rebuilt:
        shown = show_mesh(before, loose).polygons
    if shown is None:
        raise SceneError(f"{collection.name}: what the import made of its faces is lost: export with Build as New")
    token = original.token if original is not None else None
    held = originals.resources(collection, layout.MATERIAL_KIND)
    materials = collect_materials(found.palette, held, list(before.materials), token)
    yield
    if rebuilt:  # those that no face has go
        materials = replace(materials, kept=frozenset())
    try:
        made = overlay(
            found,
            before,
            shown,
            materials,
            loose_edges=loose,
            split=options.get("split", "none") != "none",
            groups=groups,
            textures=TextureRules(
                settings.uneven_uvs == "nearest", settings.new_textures == "world", settings.texture_lock
            ),
            rebuilt=rebuilt,
        )
    except RefusedFacesError as error:
        raise found.error(error.message, error.polygons) from error
    yield
    for finding in made.findings:
        where = "" if finding.polygons is None else f"{listed([obj.name for obj in found.owners(finding.polygons)])}: "
        if finding.severity == "note":
            report.note(f"{where}{finding.message}")
            continue
        faces = None if finding.polygons is None else found.by_object(finding.polygons)
        report.warn(f"{where}{finding.message}", faces=faces, mend=mends.TRIANGULATE if finding.are_bent else "")
    _report_names(held, before.materials, report)
    level.mesh = made.mesh
    report.count("faces", len(made.mesh.faces))
    report.count("edges", len(made.mesh.edges))
    report.count("vertices", len(made.mesh.vertices))
    _refuse_applied(collection, before, np.setdiff1d(np.arange(len(before.faces)), made.table.records))
    return found, made.table.polygons


def _report_names(held: Mapping[int, bpy.types.ID], paths: Sequence[str], report: Report) -> None:
    """Warn of materials that were renamed to what is no path: such a name says nothing. held: by number."""
    for number, block in held.items():
        given = (title_of(paths[number]) or NAMELESS) if number < len(paths) else None
        if given is not None and not identity.is_named(block.name, given) and not is_path(block.name):
            report.warn(
                f"{block.name}: a material's name is written only if it is a path that ends in .material; its property "
                f"{layout.MATERIAL} is its path"
            )


def _refuse_applied(collection: bpy.types.Collection, mesh: ns2.Mesh, deleted: Indices) -> None:
    """Refuse that faces go which nobody saw, because the modifier that hides them was applied. Others were deleted by
    hand, as where their edges were dissolved.
    """
    if not len(deleted) or not visibility.is_applied(collection):
        return
    unseen = visibility.hidden(collection).of_file(mesh)[deleted]
    if unseen.any():
        raise SceneError(
            f"{number_of(unseen.sum(), 'hidden faces are')} gone, because the modifier {layout.HIDING!r} was applied: "
            "undo that. If they are to go, let the sidebar's switches show what they are in"
        )
