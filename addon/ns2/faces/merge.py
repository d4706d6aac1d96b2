# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene's faces laid over those of a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy
import numpy as np

from ....formats import ns2
from ....formats.ns2.editing import RefusedFacesError, ShownPolygons, overlay
from ....formats.ns2.editing.edited import Ints
from ....formats.ns2.records import MASK_WORDS, Records
from ...scene import identity, originals
from ...scene.reports import Report, SceneError, listed
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
) -> tuple[CollectedMesh, Ints]:
    """Lay the scene's faces over those of a level. Returns what the scene has, and the face of each polygon of that.

    groups: MAPPING_GROUP records, the mapping groups that there are now.
    Raises SceneError, with the faces selected, and FormatError for what the level's version can't hold.
    """
    found = collect_faces(context, collection, original, report)
    shown = layout.shown(collection) if original is not None else ShownPolygons.none()
    if shown is None:
        raise SceneError(f"{collection.name}: what the import made of its faces is lost: export with Build as New")
    options = original.options if original is not None else {}
    token = original.token if original is not None else None
    before = level.mesh
    held = originals.resources(collection, layout.MATERIAL_KIND)
    try:
        made = overlay(
            found,
            before,
            shown,
            collect_materials(found.palette, held, list(before.materials), token),
            loose_edges=bool(options.get("loose_edges")),
            split=options.get("split", "none") != "none",
            groups=groups,
            nearest=settings.uneven_uvs == "nearest",
        )
    except RefusedFacesError as error:
        raise found.error(error.message, error.polygons) from error
    for finding in made.findings:
        where = "" if finding.polygons is None else f"{listed([obj.name for obj in found.owners(finding.polygons)])}: "
        (report.warn if finding.severity == "warning" else report.note)(f"{where}{finding.message}")
    _report_names(held, before.materials, report)
    level.mesh = made.mesh
    report.count("faces", len(made.mesh.faces))
    report.count("edges", len(made.mesh.edges))
    report.count("vertices", len(made.mesh.vertices))
    _report_hidden(collection, before, np.setdiff1d(np.arange(len(before.faces)), made.table.records), report)
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


def _report_hidden(collection: bpy.types.Collection, mesh: ns2.Mesh, deleted: Ints, report: Report) -> None:
    """Warn of faces that were deleted though nobody saw them: what hides them is a modifier, which can be applied."""
    if not len(deleted):
        return
    off, groups = visibility.hidden(collection)
    masks = mesh.face_layers.masks[deleted]
    words = MASK_WORDS if masks.shape[1] == MASK_WORDS else 1
    bits = np.frombuffer(ns2.mask_of([one for one in off if one < 256]).to_bytes(4 * MASK_WORDS, "little"), "<u4")
    of_groups = mesh.geometry_groups.faces.assignment(len(mesh.faces))[deleted]
    unseen = (masks[:, :words] & bits[:words]).any(axis=1) | np.isin(of_groups, list(groups))
    if unseen.any():
        report.warn(
            f"{unseen.sum()} faces were deleted that are hidden: if the modifier {layout.HIDING!r} was applied, undo it"
        )
