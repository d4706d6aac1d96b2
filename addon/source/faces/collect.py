# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces back to the map: those that were moved, new or deleted, and what all others look like and say of themselves."""

from __future__ import annotations

import numpy as np

from ....formats import source
from ....formats.arrays import Ints
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source import LumpId, geometry
from ...scene.kept import baselines
from ...scene.reports import Report
from ...scene.work.progress import Steps, Stepwise
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..lightmaps import build as lightmaps
from ..materials.collect import TextureTable
from ..settings import EDIT
from . import geometry_edits, normals, numbers, scene_surfaces
from .mapping import Patches, TextureMapping
from .scene_surfaces import SceneSurfaces

_SAME_LIGHT = 1e-5
"""Of an image's sides: places in it that are no further apart are one."""


@Stepwise
def apply(scene: SceneLevel, level: source.Level, report: Report) -> Steps[None]:
    """Give faces what the scene shows on them. Raises SceneError, with faces selected.

    Brush models that are to be built anew (`brush_models.collect`) are left as they are.
    """
    surfaces = scene_surfaces.read(scene)
    if surfaces is None:
        return
    yield
    rebuilt = geometry_edits.apply(scene, surfaces, level, report)
    yield
    try:
        mapping = TextureMapping(surfaces.model_faces, level, TextureTable(scene, level, report), report)
    except FormatError as error:
        report.warn(f"textures on faces stay as they are: {error}")
        return
    _refuse_twins(surfaces, mapping)
    polygons = surfaces.kept
    polygons = polygons[~np.isin(surfaces.model_faces.models[surfaces.faces[polygons]], list(rebuilt))]
    yield
    patches = of_polygons(surfaces, mapping, polygons)
    yield
    mapping.write(patches)
    yield
    numbers.apply(surfaces, level, polygons, report)
    shaded = geometry_edits.undisturbed(surfaces, polygons) if scene.settings.world == EDIT else polygons
    yield
    normals.apply(surfaces, level, shaded, report)
    yield
    _report_light(scene, surfaces, polygons, report)


def of_polygons(surfaces: SceneSurfaces, mapping: TextureMapping, polygons: Ints) -> Patches:
    """Polygons int64[n], which are around the vertices of their faces, as patches."""
    model_faces = surfaces.model_faces
    faces = surfaces.faces[polygons]
    owners, corners, sources = surfaces.around(polygons)
    slots = surfaces.slot[polygons].tolist()
    return Patches(
        faces,
        [surfaces.slots[slot] if slot >= 0 else None for slot in slots],
        owners,
        surfaces.positions[surfaces.corners[corners]],
        surfaces.uv[corners],
        mapping.uv(model_faces.polygons.positions[model_faces.polygons.corners[sources]], faces[owners]),
        lambda message, which: surfaces.refused(message.format(surfaces.named(polygons[which])), polygons[which]),
        surfaces.numbers[layout.FLAGS][polygons],
    )


def _report_light(scene: SceneLevel, surfaces: SceneSurfaces, polygons: Ints, report: Report) -> None:
    """Warn of faces whose places in the lightmaps were edited: those of the map can't change without its light."""
    corners, size = (baselines.load(scene.collection, key) for key in (layout.ATLAS, layout.ATLAS_SIZE))
    model_faces, texinfos = surfaces.model_faces, scene.before.table(LumpId.TEXINFO)
    if corners is None or size is None or not len(texinfos):
        return
    faces = surfaces.faces[polygons]
    lit = faces < min(len(corners), model_faces.drawn)  # sides have no light
    lit[lit] = corners[faces[lit], 0] >= 0
    edited = _moved_off_white(scene, surfaces, polygons[~lit])
    lit &= geometry.valid_texinfos(scene.before, model_faces.records[faces])
    patches, faces = polygons[lit], faces[lit]
    owners, places, sources = surfaces.around(patches)
    now = surfaces.light[places]
    luxels = geometry.luxels(
        model_faces.polygons.positions[model_faces.polygons.corners[sources]],
        texinfos,
        model_faces.records["texinfo"][faces][owners].astype(np.int64),
        model_faces.records["lightmap_mins"][faces][owners],
    )
    was = lightmaps.uv_of(corners[faces][owners] + luxels, *size.tolist())
    with np.errstate(invalid="ignore"):
        away = ~(np.abs(now - was) <= _SAME_LIGHT * np.maximum(np.abs(was), 1)).all(axis=1)
    away &= np.isfinite(luxels).all(axis=1)
    edited = np.concatenate([edited, patches[np.unique(owners[away])]])
    if len(edited):
        report.warn(
            f"{number_of(len(edited), 'faces')} in {surfaces.named(edited)}: the UV map {layout.LIGHTMAP_UV!r} was "
            "edited, which says where light is. A map keeps that"
        )


def _moved_off_white(scene: SceneLevel, surfaces: SceneSurfaces, polygons: Ints) -> Ints:
    """Those of polygons int64[n] without light that are no longer on the white patch of the lightmaps' images."""
    white = baselines.load(scene.collection, layout.WHITE)
    if white is None or white.shape != (2,):  # levels that 0.3.0 saved
        return polygons[:0]
    owners, places, _ = surfaces.around(polygons)
    with np.errstate(invalid="ignore"):
        away = ~(np.abs(surfaces.light[places] - white) <= _SAME_LIGHT).all(axis=1)  # where the UV map is gone, too
    return np.asarray(polygons[np.unique(owners[away])])


def _refuse_twins(surfaces: SceneSurfaces, mapping: TextureMapping) -> None:
    """Raise SceneError for objects that show a brush model again, and otherwise than its own object does."""
    shared = surfaces.twins & ~np.isin(surfaces.homes, list(surfaces.sources))
    twins = np.flatnonzero(shared[surfaces.owners] & (surfaces.turns >= 0))
    twins = twins[np.unique(surfaces.faces[twins], return_index=True)[1]]
    if not len(twins):
        return
    patches = of_polygons(surfaces, mapping, twins)
    other = patches.edited | mapping.is_swapped(patches) | mapping.is_flagged(patches)
    other |= numbers.edited(surfaces, twins) | normals.edited(surfaces, twins)
    if other.any():
        raise patches.refused(
            "{}: entities with one brush model have its textures in common, and flags and normals, too: edit those "
            "of the first one, or have the others use its mesh (Link Object Data)",
            np.flatnonzero(other),
        )
