# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaks of Source maps, as vbsp would find them in an export as VMF, and the faces that nobody sees: `scene.leaks`."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ...formats import source
from ...formats.arrays import Bools, Ints
from ...formats.solid_leaks import Sealing, examine
from ...formats.source import vmf
from ...formats.source.records import Contents
from ..scene import attributes, leaks
from ..scene.geometry import meshes
from ..scene.kept import originals
from ..scene.level import needed_root
from ..scene.reports import Report, SceneError
from ..scene.work.progress import Steps, Stepwise
from . import layout
from .adding.open_map import importing_into
from .brushes import collect as brushes
from .collecting import scene_level
from .settings import VmfSettings
from .vmf_exporter import map_of

_TOOLS = "tools/"


def _examine(context: bpy.types.Context, collection: bpy.types.Collection) -> Steps[Sealing]:
    """Flood the map as it would be exported as VMF. Raises SceneError, FormatError."""
    taken_apart = yield from map_of.steps(context, collection, VmfSettings(), Report(), Report())
    yield
    return (yield from examine.steps(source.leaks.space_of(taken_apart)))


def _faces(context: bpy.types.Context, collection: bpy.types.Collection) -> list[leaks.StillFaces]:
    """The faces of the world's brushes. Raises SceneError without any, FormatError."""
    root = needed_root(collection)
    original = originals.require(collection)
    if original is None:
        raise SceneError(f"{collection.name} was made in Blender: only an imported map has brushes")
    with scene_level.read(context, collection, original) as scene:
        objects = brushes.objects(scene)
        solids = vmf.of_level(scene.before).solids
    if not objects:
        raise SceneError("the map's brushes aren't in the scene: import with the option Brushes")
    still = solids.brushes[(solids.owners == vmf.WORLD) & (solids.brushes >= 0)]
    found = [leaks.placed(obj, root) for obj in objects]
    return [replace(faces, still=_of_world(faces.data, still)) for faces in found if faces is not None]


def _of_world(data: meshes.MeshData, still: Ints) -> Bools:
    """bool[faces]: those of the world's brushes, int64[n] their records, and those that were drawn."""
    brush = data.attribute(layout.BRUSH, "FACE")
    if brush is None:
        return np.ones(len(data.face_starts), np.bool_)
    return np.asarray((brush <= 0) | np.isin(brush.astype(np.int64) - 1, still))


@Stepwise
def mark_hidden(context: bpy.types.Context, collection: bpy.types.Collection, report: Report) -> Steps[int]:
    """Give the faces that nobody sees the material that isn't drawn; returns how many got it.

    Faces with tool textures keep them, and so do those of brushes that aren't solid: what these are, their textures
    say. Raises SceneError, FormatError.
    """
    nodraw: bpy.types.Material | None = None
    count = 0
    for shown, faces in (yield from leaks.hidden.steps(context, collection, FINDER, report)):
        mesh = shown.object.data
        faces = faces[_markable(shown)[faces]]
        if not len(faces) or not isinstance(mesh, bpy.types.Mesh):
            continue
        if nodraw is None:
            nodraw = importing_into(context, collection, Report()).materials.of(brushes.NODRAW)
        slots = shown.data.material_index.astype(np.int32)
        slots[faces] = _slot(mesh, nodraw)
        attributes.write(mesh, "material_index", "FACE", "INT", slots)
        mesh.update()
        count += len(faces)
    report.count("faces marked", count)
    return count


def _markable(shown: leaks.StillFaces) -> Bools:
    """bool[faces]: those of solid brushes, without a tool texture."""
    tools = [
        material is not None and str(material.get(layout.MATERIAL, "")).lower().startswith(_TOOLS)
        for material in (slot.material for slot in shown.object.material_slots)
    ]
    slots = shown.data.material_index
    plain = ~np.array([*tools, False])[np.clip(slots, 0, len(tools))]
    contents = shown.data.attribute(layout.CONTENTS, "FACE")
    if contents is not None:
        plain &= (contents == 0) | (contents & int(Contents.SOLID) != 0)
    return np.asarray(plain)


def _slot(mesh: bpy.types.Mesh, material: bpy.types.Material) -> int:
    """The place of a material in a mesh, which gets it if it has it not."""
    found = mesh.materials.find(material.name)
    if found >= 0:
        return int(found)
    mesh.materials.append(material)
    return len(mesh.materials) - 1


FINDER = leaks.Finder(
    verbs=source.leaks,
    kind=layout.PREVIEW,
    entities=frozenset((layout.ENTITY, layout.STATIC_PROP, layout.MODEL)),
    examine=_examine,
    faces=_faces,
)


class FindSourceLeaks(leaks.FindLeaks):
    """Find out whether the Source map is sealed, as vbsp would of its VMF, and draw the way out where it isn't"""

    finder = FINDER
    bl_idname = "levelwright.source_find_leaks"


class RemoveSourceLeak(leaks.RemoveLeak):
    """Remove the curve of the Source map's leak"""

    finder = FINDER
    bl_idname = "levelwright.source_remove_leak"


class WriteSourceLeakFile(leaks.WriteLeakFile):
    """Write the leak that is drawn as vbsp writes it (.lin), for Hammer"""

    finder = FINDER
    bl_idname = "levelwright.source_write_leak"


class SelectSourceHiddenFaces(leaks.SelectHiddenFaces):
    """Select the faces of the map's brushes that nobody ever sees: inside other brushes, or facing the void"""

    finder = FINDER
    bl_idname = "levelwright.source_select_hidden"


class MarkSourceHiddenFaces(leaks.SelectHiddenFaces):
    """Give the faces of the map's brushes that nobody ever sees tools/toolsnodraw, so that they aren't compiled"""

    finder = FINDER
    bl_idname = "levelwright.source_mark_hidden"
    bl_label = "Mark Hidden Faces"

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[bool | None]:
        """Mark them."""
        report = Report(level.name)
        count = yield from mark_hidden.steps(context, level, report)
        self.tell(level, report)
        return None if count else False


class LEVELWRIGHT_PT_source_leaks(leaks.LeakPanel, bpy.types.Panel):
    """Leaks of the active Source map."""

    bl_label = "Leaks"
    bl_options = {"DEFAULT_CLOSED"}
    bl_parent_id = "LEVELWRIGHT_PT_source"
    operators = (FindSourceLeaks, RemoveSourceLeak, WriteSourceLeakFile, SelectSourceHiddenFaces, MarkSourceHiddenFaces)


CLASSES = (*LEVELWRIGHT_PT_source_leaks.operators, LEVELWRIGHT_PT_source_leaks)
