# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a level: the embedded original with everything laid over it that was edited.

Each part of the scene is compared with what the import made of the original, and writes only what differs. So what
nobody touched stays as it is, bit for bit, with all that Blender can't show.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import bpy
import numpy as np

from ...formats import ns2
from ...formats.binary import Problem
from ...formats.ns2 import material as material_file
from ...formats.ns2.records import MASK_WORDS, NO_GROUP
from ..scene import identity, originals
from ..scene.reports import Report, SceneError
from . import layout, level_settings
from .entities import collect as entity_reader
from .faces import collect as mesh_reader
from .faces import mapping_groups
from .faces import objects as scene_reader
from .faces import other_levels as strangers
from .faces.collect import Ints, SceneMesh
from .faces.overlay import MeshOverlay
from .layers import lists as layers
from .layers import visibility as view
from .settings import ExportSettings

NOTHING_SHOWN = layout.Shown(
    np.zeros(0, np.int32),
    np.zeros(1, np.int32),
    np.zeros(0, np.int32),
    np.zeros(0, np.bool_),
    np.zeros((0, 2), np.float32),
    np.zeros(0, np.uint8),
)
"""Of a level that was made in Blender."""
NAMED = 5
"""Problems that an error names."""


def export_level(
    context: bpy.types.Context, collection: bpy.types.Collection, settings: ExportSettings, report: Report
) -> bytes:
    """The `.level` that a level's collection shows. Writes no file.

    A level of an older version is written as that, or as version 10 by the setting. Raises SceneError, naming objects
    and faces, for scenes that no level can hold, and FormatError for what the version can't hold.
    """
    original = originals.require(collection, settings.build_as_new)
    level = ns2.read(original.data) if original is not None else ns2.new_level()
    converted = settings.save_as_v10 and level.version != ns2.records.VERSION
    before = ns2.write(ns2.as_v10(level) if converted else level)
    level = laid(context, collection, level, original, settings, report).level
    data = ns2.write(level)
    if original is None or data != before:
        _refuse_new_problems(data, before if original is not None else None, report)
    return data


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A level as the scene has it. polygon_faces int[p]: which face each polygon of `geometry` is of; objects: those of
    the entities, in their order.
    """

    level: ns2.Level
    geometry: SceneMesh
    polygon_faces: Ints
    objects: list[bpy.types.Object]


def laid(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: ns2.Level,
    original: originals.Original | None,
    settings: ExportSettings,
    report: Report,
) -> Laid:
    """Lay all of the scene over a level: the original, or an empty one. Raises SceneError, FormatError."""
    level_settings.lay(collection, level)
    if settings.save_as_v10 and level.version != ns2.records.VERSION:
        report.note(f"version {level.version} becomes version {ns2.records.VERSION}")
        level = ns2.as_v10(level)
    layers.lay(collection, level)
    unlisted = layers.unlisted(collection)
    if unlisted:
        report.warn(f"collections that are no layers or groups (the sidebar adds those): {', '.join(unlisted[:NAMED])}")
    overlay = _lay_mesh(context, collection, level, original, settings, report)
    objects = entity_reader.apply(context, collection, level, original, report)
    layers.number(level)
    report.count("entities", len(level.entities))
    return Laid(level, overlay.scene, overlay.table.polygons, objects)


def _lay_mesh(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    level: ns2.Level,
    original: originals.Original | None,
    settings: ExportSettings,
    report: Report,
) -> MeshOverlay:
    """Lay the scene's geometry over a level. Raises SceneError."""
    scene = read_geometry(context, collection, original, report)
    known = layout.shown(collection) if original is not None else NOTHING_SHOWN
    if known is None:
        raise SceneError(f"{collection.name}: what the import made of its faces is lost: export with Build as New")
    options = original.options if original is not None else {}
    added = mapping_groups.added(collection)
    nearest = settings.uneven_uvs == "nearest"
    before = level.mesh
    overlay = MeshOverlay(scene, before, known, options, added, nearest, report)
    listed = list(before.materials)
    token = original.token if original is not None else None
    paths = [material_path(material, listed, token) for material in scene.palette]
    names, present = _materials_now(originals.resources(collection, layout.MATERIAL_KIND), listed, token)
    level.mesh = overlay.run(paths, names, present)
    _tell_hidden(collection, before, np.setdiff1d(np.arange(len(before.faces)), overlay.table.records), report)
    return overlay


def _materials_now(
    held: Mapping[int, bpy.types.ID], listed: list[str], token: int | None
) -> tuple[list[str], frozenset[int]]:
    """The paths of the file's materials, of which the scene may have renamed some, and the numbers of those that it
    still has. held: the level's materials by number. A path that another one has is no new name.
    """
    names, present = list(listed), set[int]()
    for number, block in held.items():
        if isinstance(block, bpy.types.Material) and number < len(listed):
            path = material_path(block, listed, token)
            if path and path not in names:
                names[number] = path
            if path == names[number]:
                present.add(number)
    return names, frozenset(present)


def _tell_hidden(collection: bpy.types.Collection, mesh: ns2.Mesh, deleted: Ints, report: Report) -> None:
    """Warn of faces that were deleted though nobody saw them: what hides them is a modifier, which can be applied."""
    if not len(deleted):
        return
    off, groups = view.hidden(collection)
    masks = mesh.face_layers.masks[deleted]
    words = MASK_WORDS if masks.shape[1] == MASK_WORDS else 1
    bits = np.frombuffer(ns2.mask_of([one for one in off if one < 256]).to_bytes(4 * MASK_WORDS, "little"), "<u4")
    of_groups = mesh.geometry_groups.faces.assignment(len(mesh.faces))[deleted]
    unseen = (masks[:, :words] & bits[:words]).any(axis=1) | np.isin(of_groups, list(groups))
    if unseen.any():
        report.warn(
            f"{unseen.sum()} faces were deleted that are hidden: if the modifier {layout.HIDING!r} was applied, undo it"
        )


def read_geometry(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    original: originals.Original | None,
    report: Report,
) -> SceneMesh:
    """The meshes of a level as one. Raises SceneError."""
    others = strangers.of(collection)
    root = scene_reader.root_of(collection)
    objects = scene_reader.geometry(collection)
    with scene_reader.readable(context, collection, objects, root) as depsgraph:
        scene = mesh_reader.read(objects, root, original.token if original is not None else None, depsgraph, others)
    for other in others:
        if other.lost:
            report.warn(f"{other.lost} faces of {other.name} were in layers or groups that {collection.name} hasn't")
    _put_into_homes(scene, layers.memberships(collection))
    return scene


def _put_into_homes(scene: SceneMesh, memberships: layers.Memberships) -> None:
    """Let the faces of objects in collections of layers and groups be in those, too. Raises SceneError."""
    for number, obj in enumerate(scene.objects):
        mask, groups = memberships.get(obj, (0, []))
        if len(groups) > 1:
            raise SceneError(f"{obj.name} is in the collections of several groups: faces can be in one only", [obj])
        own = slice(*scene.firsts[number : number + 2])
        scene.layers[own] |= np.frombuffer(mask.to_bytes(4 * MASK_WORDS, "little"), "<u4")
        if groups:
            of_object = scene.face_groups[own]
            of_object[of_object == NO_GROUP] = groups[0]


def material_path(material: bpy.types.Material | None, listed: list[str], token: int | None) -> str:
    """The path that a material stands for, "" for no material. listed: those of the file with this token.

    One that was renamed to a path has that one: the import calls none so.
    """
    if material is None:
        return ""
    if "/" in material.name and material.name.endswith(material_file.ENDING):
        return material.name
    path = material.get(layout.MATERIAL)
    if isinstance(path, str):
        return path
    mark = identity.stamped(material)
    if mark is not None and mark.kind == layout.MATERIAL_KIND and mark.token == token and mark.record < len(listed):
        return listed[mark.record]  # a path that no property can hold
    return material.name


def _refuse_new_problems(data: bytes, original: bytes | None, report: Report) -> None:
    """Raise SceneError with what the game would refuse, and warn of what is worth a look, unless it was so before."""
    known: Counter[str] = Counter()
    if original is not None:
        known.update(_what(problem) for problem in ns2.check(ns2.read(original)))
    new = [problem for problem in ns2.check(ns2.read(data)) if _what(problem) not in known]
    errors = [str(problem) for problem in new if problem.severity == "error"]
    if errors:
        more = f" and {len(errors) - NAMED} more" if len(errors) > NAMED else ""
        raise SceneError(f"the game would refuse the level: {', '.join(errors[:NAMED])}{more}")
    for problem in new:
        report.warn(str(problem))


def _what(problem: Problem) -> str:
    """A problem without its numbers."""
    return f"{problem.severity} {re.sub('[0-9]+', '0', problem.message)}"
