# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures on displacements back to the map: which each has, and how it lies on the flat grid."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import ranges, source
from ....formats.arrays import Ints
from ....formats.binary import FormatError
from ....formats.source import LumpId
from ....formats.source.faces import displacements
from ....formats.source.faces.surfaces import ModelFaces, model_faces
from ...scene.geometry import meshes
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..faces import scene_surfaces
from ..faces.mapping import Patches, TextureMapping
from ..materials.collect import TextureTable
from . import collect


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Give displacements the textures that the scene shows on them: after faces got theirs.

    Raises SceneError, with faces selected, for UVs that no flat texture gives, and for several materials on one.
    """
    if not collect.is_shown(scene) or not len(scene.before.bytes_of(LumpId.DISPINFO)):
        return
    original = model_faces(scene.before)
    if original is None:
        return
    try:
        mapping = TextureMapping(original, level, TextureTable(scene, level, report), report)
    except FormatError:  # the step of faces reports that
        return
    mapping.write(_patches(scene, original, mapping))


def _patches(scene: SceneLevel, original: ModelFaces, mapping: TextureMapping) -> Patches:
    """All displacements as patches: their points are those of the flat grid, one for each corner of a triangle."""
    grids = displacements.displacements(scene.before, original.polygons)
    around, first = original.corners(grids.faces)
    uv = np.zeros((len(original.polygons.corners), 2))
    uv[around] = mapping.uv(
        original.polygons.positions[original.polygons.corners[around]], grids.faces[ranges.owners(np.diff(first))]
    )
    was = grids.bilinear(uv[grids.corners]).astype(np.float32)
    owner_of_triangle = np.full(len(grids.triangles), -1, np.int64)
    triangles = ranges.flat(grids.first_triangle, 2 * (grids.edge - 1) ** 2)
    owner_of_triangle[triangles] = ranges.owners(2 * (grids.edge - 1) ** 2)
    token = layout.displacement_token(scene.token)
    owners, vertices, uvs = [], [], []
    slots: dict[int, dict[bpy.types.Material | None, None]] = {}
    where: list[tuple[bpy.types.Object, Ints]] = []
    for obj in collect.objects_of(scene):
        mesh = scene.mesh(obj)
        of = owner_of_triangle[scene_surfaces.records(mesh, "FACE", token)]
        found = mesh.uv(layout.UV)
        if found is None:
            raise SceneError(f"{obj.name}: its UV map {layout.UV!r} is gone", [obj])
        owners.append(np.repeat(of, mesh.face_sizes))
        vertices.append(scene_surfaces.records(mesh, "POINT", token)[mesh.corner_verts])
        uvs.append(found)
        where.append((obj, of))
        index = mesh.material_index.clip(0, max(len(mesh.materials) - 1, 0))
        for number, slot in np.unique(np.column_stack([of, index]), axis=0).tolist():
            slots.setdefault(number, {})[mesh.materials[slot] if mesh.materials else None] = None
    every = np.concatenate([*vertices, np.zeros(0, np.int64)])

    def refused(message: str, which: Ints) -> SceneError:
        faces = {obj: np.flatnonzero(np.isin(of, which)) for obj, of in where if np.isin(of, which).any()}
        names = listed([obj.name for obj in faces])
        seen = {obj: each for obj, each in faces.items() if not meshes.needs_evaluation(obj)}
        return SceneError(message.format(names), faces, faces=seen)

    mixed = [number for number, kinds in slots.items() if len(kinds) > 1]
    if mixed:
        raise refused("{}: a displacement has one material, not several", np.array(mixed, np.int64))
    there = np.array(sorted(slots), np.int64)  # but those that are deleted with the brushes that they lie on
    return Patches(
        grids.faces[there],
        [next(iter(slots[number])) for number in there.tolist()],
        np.searchsorted(there, np.concatenate([*owners, np.zeros(0, np.int64)])),
        grids.flat[every],
        np.concatenate([*uvs, np.zeros((0, 2), np.float32)]),
        was[every],
        lambda message, which: refused(message, there[which]),
    )
