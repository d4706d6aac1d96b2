# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces back to the map: those that were moved, new or deleted, and the textures on all others."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import LumpId, displacements, geometry, ranges
from ...scene import baselines, meshes
from ...scene.reports import Report, SceneError
from .. import layout
from ..displacements import collect as collect_displacements
from ..lightmaps import build as lightmaps
from ..materials.collect import Textures
from ..scene_level import SceneLevel
from ..settings import ExportSettings
from . import geometry_edits, scene_surfaces
from .mapping import Patches, TextureReader
from .scene_surfaces import Ints, Surfaces

_SAME_LIGHT = 1e-5
"""Of an image's sides: places in it that are no further apart are one."""


def apply(scene: SceneLevel, level: source.Level, settings: ExportSettings, report: Report) -> None:
    """Give faces and displacements what the scene shows on them. Raises SceneError, with faces selected.

    Brush models that are to be built anew (`model_rebuild`) are left as they are.
    """
    surfaces = scene_surfaces.read(scene)
    if surfaces is None:
        return
    rebuilt = geometry_edits.apply(scene, surfaces, level, settings, report)
    try:
        reader = TextureReader(scene.before, level, Textures(scene, level, report), report)
    except FormatError as error:
        report.warn(f"textures on faces stay as they are: {error}")
        return
    _refuse_twins(surfaces, reader)
    polygons = surfaces.kept
    polygons = polygons[~np.isin(surfaces.drawn.models[surfaces.faces[polygons]], list(rebuilt))]
    reader.lay(of_polygons(surfaces, reader, polygons))
    _tell_light(scene, surfaces, polygons, report)
    if collect_displacements.is_shown(scene) and len(scene.before.bytes_of(LumpId.DISPINFO)):
        reader.lay(_of_displacements(scene, surfaces.drawn, reader))


def of_polygons(surfaces: Surfaces, reader: TextureReader, polygons: Ints) -> Patches:
    """Polygons int64[n], which are around the vertices of their faces, as patches."""
    drawn = surfaces.drawn
    faces = surfaces.faces[polygons]
    sources, first = drawn.corners(faces)
    counts = np.diff(first)
    owners = ranges.owners(counts)
    local = np.arange(len(owners)) - first[owners] + surfaces.turns[polygons][owners]
    corners = surfaces.starts[polygons][owners] + local % np.maximum(counts, 1)[owners]
    slots = surfaces.slot[polygons].tolist()
    return Patches(
        faces,
        [surfaces.slots[slot] if slot >= 0 else None for slot in slots],
        owners,
        surfaces.positions[surfaces.corners[corners]],
        surfaces.uv[corners],
        reader.uv(drawn.polygons.positions[drawn.polygons.corners[sources]], faces[owners]),
        lambda message, which: surfaces.refused(message.format(surfaces.named(polygons[which])), polygons[which]),
    )


def _tell_light(scene: SceneLevel, surfaces: Surfaces, polygons: Ints, report: Report) -> None:
    """Warn of faces whose places in the lightmaps were edited: those of the map can't change without its light."""
    corners, size = (baselines.load(scene.collection, key) for key in (layout.ATLAS, layout.ATLAS_SIZE))
    drawn, texinfos = surfaces.drawn, scene.before.table(LumpId.TEXINFO)
    if corners is None or size is None or not len(texinfos):
        return
    faces = surfaces.faces[polygons]
    lit = (corners[faces, 0] >= 0) & geometry.valid_texinfos(scene.before, drawn.records[faces])
    patches, faces = polygons[lit], faces[lit]
    sources, first = drawn.corners(faces)
    owners = ranges.owners(np.diff(first))
    local = np.arange(len(owners)) - first[owners] + surfaces.turns[patches][owners]
    now = surfaces.light[surfaces.starts[patches][owners] + local % np.maximum(np.diff(first), 1)[owners]]
    luxels = geometry.luxels(
        drawn.polygons.positions[drawn.polygons.corners[sources]],
        texinfos,
        drawn.records["texinfo"][faces][owners].astype(np.int64),
        drawn.records["lightmap_mins"][faces][owners],
    )
    was = lightmaps.uv_of(corners[faces][owners] + luxels, *size.tolist())
    with np.errstate(invalid="ignore"):
        away = (np.abs(now - was) > _SAME_LIGHT * np.maximum(np.abs(was), 1)).any(axis=1)
    away &= np.isfinite(luxels).all(axis=1)
    edited = np.unique(owners[away])
    if len(edited):
        report.warn(
            f"{len(edited)} faces in {surfaces.named(patches[edited])}: the UV map {layout.LIGHTMAP_UV!r} was edited, "
            "which says where light is. A map keeps that"
        )


def _refuse_twins(surfaces: Surfaces, reader: TextureReader) -> None:
    """Raise SceneError for objects that show a brush model again, and otherwise than its own object does."""
    twins = np.flatnonzero(surfaces.twins[surfaces.owners] & (surfaces.turns >= 0))
    twins = twins[np.unique(surfaces.faces[twins], return_index=True)[1]]
    if not len(twins):
        return
    patches = of_polygons(surfaces, reader, twins)
    other = patches.edited | reader.is_swapped(patches)
    if other.any():
        raise patches.refused(
            "{}: entities with one brush model have its textures in common: edit those of the first one, or have the "
            "others use its mesh (Link Object Data)",
            np.flatnonzero(other),
        )


def _of_displacements(scene: SceneLevel, drawn: scene_surfaces.Drawn, reader: TextureReader) -> Patches:
    """All displacements as patches: their points are those of the flat grid, one for each corner of a triangle."""
    laid = displacements.displacements(scene.before, drawn.polygons)
    around, first = drawn.corners(laid.faces)
    uv = np.zeros((len(drawn.polygons.corners), 2))
    uv[around] = reader.uv(
        drawn.polygons.positions[drawn.polygons.corners[around]], laid.faces[ranges.owners(np.diff(first))]
    )
    was = laid.bilinear(uv[laid.corners]).astype(np.float32)
    owner_of_triangle = np.full(len(laid.triangles), -1, np.int64)
    triangles = ranges.flat(laid.first_triangle, 2 * (laid.edge - 1) ** 2)
    owner_of_triangle[triangles] = ranges.owners(2 * (laid.edge - 1) ** 2)
    token = layout.displacement_token(scene.token)
    owners, vertices, uvs = [], [], []
    slots: dict[int, dict[bpy.types.Material | None, None]] = {}
    where: list[tuple[bpy.types.Object, Ints]] = []
    for obj in collect_displacements.objects_of(scene):
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
        names = ", ".join(list(dict.fromkeys(obj.name for obj in faces))[:3])
        seen = {obj: each for obj, each in faces.items() if not meshes.needs_evaluation(obj)}
        return SceneError(message.format(names), faces, faces=seen)

    mixed = [number for number, kinds in slots.items() if len(kinds) > 1]
    if mixed:
        raise refused("{}: a displacement has one material, not several", np.array(mixed, np.int64))
    return Patches(
        laid.faces,
        [next(iter(slots[number])) for number in range(len(laid.faces))],
        np.concatenate([*owners, np.zeros(0, np.int64)]),
        laid.flat[every],
        np.concatenate([*uvs, np.zeros((0, 2), np.float32)]),
        was[every],
        refused,
    )
