# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy to the Spark editor, and paste from it: the bytes that it has on the clipboard, there or in files.

What is copied is as an export would write it, as version 10: selected faces with what they need, selected entities. It
has no layers and no groups: the editor puts none on the clipboard. What is pasted is new in the level.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ...formats import ns2
from ...formats.arrays import Bools, Records
from ...formats.binary import FormatError
from ...formats.ns2.records import NO_MAPPING_GROUP
from ..scene.kept import identity, originals
from ..scene.reports import Report, SceneError
from ..scene.work.progress import drain
from . import layout
from .context import ImportContext
from .entities import editing
from .exporter import collect_level
from .faces.build import build_faces, remember_textures
from .faces.collect import CollectedMesh, collect_faces
from .mapping_groups.build import add_groups, of_file
from .mapping_groups.collect import collect_groups
from .materials.build import Materials
from .settings import ExportSettings


def copy(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> bytes:
    """The bytes of what is selected of a level: in edit mode the faces, else whole objects, of geometry and entities.

    Raises SceneError where nothing is, and for what no level can hold.
    """
    original = originals.require(collection, settings.build_as_new)
    level = ns2.read(original.data) if original is not None else ns2.new_level()
    settings = replace(settings, save_as_v10=True, uneven_uvs="nearest")
    of_export = Report()
    made = collect_level(context, collection, level, original, settings, of_export)
    for warning in of_export.warnings:
        report.warn(warning)
    selected = _selected(made.geometry)
    faces = np.unique(made.polygon_faces[selected])
    if len(selected) and selected.all():
        faces = np.arange(len(made.level.mesh.faces))  # also those that can't be shown
    editing = any(obj.mode == "EDIT" for obj in made.geometry.objects)
    entities = [
        one for one, obj in zip(made.level.entities, made.objects, strict=False) if obj.select_get() and not editing
    ]
    if not len(faces) and not entities:
        raise SceneError(f"nothing of {collection.name} is selected")
    report.count("faces", len(faces))
    report.count("entities", len(entities))
    return ns2.clipboard.build(ns2.clipboard.selection(made.level, faces, entities))


def _selected(found: CollectedMesh) -> Bools:
    """Which polygons are selected, bool[p]."""
    selected = np.zeros(len(found.faces), np.bool_)
    editing = any(obj.mode == "EDIT" for obj in found.objects)
    for number, obj in enumerate(found.objects):
        if not (obj.mode == "EDIT" if editing else obj.select_get()):
            continue
        first, last = found.firsts[number], found.firsts[number + 1]
        mesh = obj.data
        if not editing or not isinstance(mesh, bpy.types.Mesh) or len(mesh.polygons) != last - first:
            selected[first:last] = True  # of objects with modifiers, too: what is selected is before those
        else:
            mesh.polygons.foreach_get("select", selected[first:last])
    return selected


def paste(
    context: bpy.types.Context, collection: bpy.types.Collection, data: bytes, report: Report
) -> list[bpy.types.Object]:
    """Add what was copied to a level, as new faces and entities, and return their objects.

    data: may have bytes behind its end. Raises FormatError for other bytes, SceneError for a collection that is no
    level.
    """
    level = ns2.clipboard.parse(data)
    entities = level.entities
    made: list[bpy.types.Object] = []
    if len(level.mesh.faces):
        made += _paste_faces(context, ImportContext.of_scene(context, collection, report), level)
    if entities:
        made += editing.add_all(context, collection, entities, report)
        report.count("entities", len(entities))
    if not made:
        raise FormatError("there is nothing in it", "clipboard")
    return made


def _paste_faces(context: bpy.types.Context, importing: ImportContext, level: ns2.Level) -> list[bpy.types.Object]:
    """Build faces as an import would, in a collection that isn't kept; of this level they are no records."""
    mesh = level.mesh
    groups = _renumbered(context, importing, mesh)
    aside = bpy.data.collections.new("levelwright pasted")
    try:
        token = identity.new_token()
        other = replace(importing, level=level, collection=aside, token=token)
        materials = Materials(importing)
        objects = drain(build_faces(other, [_material(importing, materials, path) for path in mesh.materials]))
        for obj in objects:
            remember_textures(obj, mesh.faces.records)
            aside.objects.unlink(obj)
            importing.collection.objects.link(obj)
            obj.name = "Pasted"
            identity.stamp(obj, importing.token, layout.GEOMETRY, -1)
    finally:
        bpy.data.collections.remove(aside)
    if len(groups):
        add_groups(importing.collection, groups)
    return objects


def _material(importing: ImportContext, materials: Materials, path: str) -> bpy.types.Material:
    """The level's material of a path, or a new one."""
    for block in originals.resources(importing.collection, layout.MATERIAL_KIND).values():
        if isinstance(block, bpy.types.Material) and block.get(layout.MATERIAL) == path:
            return block
    return materials.get(path)


def _renumbered(context: bpy.types.Context, importing: ImportContext, mesh: ns2.Mesh) -> Records:
    """Give mapping groups of a mesh ids that are none of the level's; returns them."""
    groups = mesh.mapping_groups.copy()
    if not len(groups):
        return groups
    original = originals.find(importing.collection)
    taken = collect_groups(importing.collection, of_file(importing.collection))["id"].tolist()
    used = collect_faces(context, importing.collection, original, importing.report).mapping_groups
    taken += np.unique(used[used != NO_MAPPING_GROUP]).tolist()
    first = max(taken, default=5) + 1  # those of the editor begin at 6
    old = groups["id"].copy()
    groups["id"] = first + np.arange(len(groups))
    records = mesh.faces.records.copy()
    for before, after in zip(old.tolist(), groups["id"].tolist(), strict=True):
        records["mapping_group"][mesh.faces.records["mapping_group"] == before] = after
    mesh.mapping_groups, mesh.faces = groups, replace(mesh.faces, records=records)
    return groups
