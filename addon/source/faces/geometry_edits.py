# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices and faces that were moved, added or deleted: found, refused, moved for show, or left to be built anew.

Planes, the tree of the map, collision and light all hang on where faces are: those of the world follow from its
brushes, which `world` edits. Of a brush model that entities have, all can be built anew (`brush_models.collect`).
"""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np

from ....formats import ranges, source
from ....formats.arrays import Bools, Floats, Ints
from ....formats.counting import number_of
from ....formats.source import LumpId
from ....formats.source.edits.changes import FARTHEST
from ....formats.source.faces import displacements
from ....formats.source.faces.surface_edits import Edits, find, turned_over
from ...scene.issues import mends
from ...scene.reports import Report, SceneError, listed
from ..collecting.scene_level import SceneLevel
from ..settings import EDIT, IGNORE, REBUILD, VISUAL
from .scene_surfaces import SceneSurfaces

SAME_PLACE = 1e-3
"""Units: vertices of faces that meet, which were moved, may differ by this."""
_HINT = "An export with its option World on Edit puts them into the map"
NO_MORE = "a map can't get models of another one: copy an entity that it has, and give that one another shape"
_OF_ENTITIES = "An export with its option Moved geometry on Rebuild builds models of brush entities anew"


def apply(scene: SceneLevel, surfaces: SceneSurfaces, level: source.Level, report: Report) -> set[int]:
    """Do with edited geometry what the settings say; returns the brush models that are to be built anew.

    Raises SceneError, with the faces selected, for what is refused.
    """
    edits = _of_map(surfaces, find(surfaces))
    models = edits.models(surfaces)
    if not len(models):
        return set()
    if scene.settings.geometry == IGNORE:
        report.warn(
            f"{number_of(len(models), 'models have')} other faces than the map: what was done to these models is left "
            "out"
        )
        return set(models.tolist())
    if scene.settings.world == EDIT and scene.settings.geometry != VISUAL:  # those of the world are read by `world`
        models = models[models != 0]
    if not len(models) or (scene.settings.geometry == REBUILD and models[0] > 0):
        return set(models.tolist())
    kept = not (edits.torn.any() or edits.new.any() or len(edits.deleted) or len(edits.short))
    if scene.settings.geometry == VISUAL and kept and not _unseen(surfaces, edits).any():
        _move(surfaces, edits, level, report)
        return set()
    raise _refusal(scene, surfaces, edits, models)


def of_world(scene: SceneLevel, surfaces: SceneSurfaces) -> Edits | None:
    """What was done to the faces of the world; None: nothing, or only for show."""
    if scene.settings.geometry in (VISUAL, IGNORE):
        return None
    edits = find(surfaces)
    return edits if (edits.models(surfaces) == 0).any() else None


def undisturbed(surfaces: SceneSurfaces, polygons: Ints) -> Ints:
    """Those of polygons int64[n] that share no vertex with one that is new or lies elsewhere: shaded as they were."""
    edits = find(surfaces)
    touched = np.zeros(len(surfaces.vertices), np.bool_)
    owners = ranges.owners(np.diff(surfaces.starts))
    faulty = np.zeros(len(surfaces.faces), np.bool_)
    faulty[edits.faulty] = True
    touched[surfaces.corners[faulty[owners]]] = True
    beside = np.bincount(owners, touched[surfaces.corners], len(surfaces.faces)) > 0
    return polygons[~beside[polygons]]


def _of_map(surfaces: SceneSurfaces, edits: Edits) -> Edits:
    """Edits of models that the map has, or had before they got another shape: new entities' are no edits of any."""
    added = [model for model, source in surfaces.sources.items() if source < 0]
    others = ~np.isin(surfaces.homes, added)[surfaces.owners]
    return replace(edits, reshaped=edits.reshaped & others, torn=edits.torn & others, new=edits.new & others)


def _unseen(surfaces: SceneSurfaces, edits: Edits) -> Bools:
    """bool[p]: edited polygons that stand in for faces: the game draws none there, so that nothing can be for show."""
    return edits.reshaped & (surfaces.faces >= surfaces.model_faces.drawn)


def _refusal(scene: SceneLevel, surfaces: SceneSurfaces, edits: Edits, models: Ints) -> SceneError:
    """What can't be, and why."""
    torn = edits.torn & ~edits.new
    flipped = turned_over(surfaces, np.flatnonzero(torn))
    counts = {
        "moved": int((edits.reshaped & ~edits.torn & ~edits.new).sum()),
        "turned over (Flip Normals turns them back)": len(flipped),
        "cut or joined": int(torn.sum()) - len(flipped),
        "new": int(edits.new.sum()),
        "deleted": len(edits.deleted),
        "missing in another object of the same model": len(edits.short),
    }
    listed = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    faulty = edits.faulty
    strange = faulty[surfaces.homes[surfaces.owners[faulty]] < 0]
    if len(strange):
        message = f"{surfaces.named(strange)}: its faces are those of no model that it has in this map, and {NO_MORE}"
        return surfaces.refused(message, strange)
    homes = np.unique(surfaces.model_faces.models[edits.deleted])
    where = f" in {surfaces.named(faulty)}" if len(faulty) else f" of {_named_models(scene, surfaces, homes)}"
    message = f"faces{where} are other than the map's: {listed}. "
    if scene.settings.geometry == REBUILD:
        message += f"Only models of brush entities can be built anew. {_HINT}"
    elif scene.settings.geometry == VISUAL and _unseen(surfaces, edits).any():
        message += f"Brush entities without faces are never seen, so that these can't be moved for show. {_OF_ENTITIES}"
    else:
        of_world = f"They are those of the world. {_HINT}"
        if scene.settings.geometry == VISUAL:
            of_world = "Faces that are only seen can be moved, but not be added, cut or deleted"
        message += _OF_ENTITIES if models[0] > 0 else of_world
    if len(faulty):
        return surfaces.refused(message, faulty, mends.FLIP if len(flipped) == len(faulty) else "")
    if len(edits.short):
        return SceneError(message, [surfaces.instances[number].object for number in edits.short.tolist()])
    return SceneError(message, [b.object for b, home in zip(surfaces.instances, surfaces.homes, strict=True)
                                if home in homes])  # fmt: skip


def _named_models(scene: SceneLevel, surfaces: SceneSurfaces, models: Ints) -> str:
    """The objects of models int64[n] that faces were deleted of; of those whose objects are gone, which they were."""
    names = list[str]()
    for model in models.tolist():
        found = [one.object.name for one, home in zip(surfaces.instances, surfaces.homes, strict=True) if home == model]
        gone = "the world" if model == 0 else f"model *{model}"
        names += found or [f"{gone}, whose object was deleted,"]
    return listed(names) if names else scene.collection.name


# -------------------------------------------------------------------------------------------------------- for show only


def _move(surfaces: SceneSurfaces, edits: Edits, level: source.Level, report: Report) -> None:
    """Put vertices where they were moved, and nothing that hangs on them."""
    model_faces = surfaces.model_faces
    moved = np.flatnonzero(edits.moved & _used(surfaces))
    numbers = surfaces.vertices[moved]
    places = np.zeros((len(model_faces.positions), 3))
    places[numbers[::-1]] = surfaces.positions[moved[::-1]]
    apart = (np.abs(surfaces.positions[moved] - places[numbers]) > SAME_PLACE).any(axis=1)
    if apart.any():
        raise _points(
            surfaces, moved[np.isin(numbers, numbers[apart])], "one vertex of the map was moved to two places"
        )
    far = ~(np.abs(surfaces.positions[moved]) <= FARTHEST).all(axis=1)
    if far.any():
        raise _points(surfaces, moved[far], "vertices lie outside of the engine's world")
    table = level.table(LumpId.VERTEXES).copy()
    chosen = np.zeros(len(model_faces.positions), np.bool_)
    chosen[numbers] = True
    _refuse_shared(surfaces, chosen, moved, places)
    _refuse_bound(surfaces, chosen, moved, numbers, level)
    table["point"][chosen[: len(table)]] = places[: len(table)][chosen[: len(table)]]
    level.set_table(LumpId.VERTEXES, table)
    touched = np.unique(model_faces.polygons.corner_face[chosen[model_faces.polygons.corners]])
    report.count("vertices moved for show only", int(chosen.sum()))
    reshaped = np.flatnonzero(edits.reshaped)
    of_entities = surfaces.homes[surfaces.owners[reshaped]] > 0
    for part, stays in (
        (reshaped[~of_entities], "what collides, hides and is lit is where it was"),
        (reshaped[of_entities], "what collides stays around their entity's origin as it was, and goes where that goes"),
    ):
        if len(part):
            report.warn(f"in {surfaces.named(part)}, {number_of(len(part), 'faces are')} moved for show only: {stays}")
    beside = np.setdiff1d(touched, surfaces.faces[edits.reshaped])
    if len(beside):
        report.warn(
            f"{number_of(len(beside), 'faces go', 'face goes')} along with those that were moved, by shared vertices"
        )


def _refuse_shared(surfaces: SceneSurfaces, chosen: Bools, moved: Ints, places: Floats) -> None:
    """Raise SceneError for models that several objects show, of which not all were moved alike."""
    homes = surfaces.homes[ranges.owners(np.diff(surfaces.points))]
    shown = np.flatnonzero(np.isin(homes, surfaces.homes[surfaces.twins]) & _used(surfaces) & (surfaces.vertices >= 0))
    shown = shown[chosen[surfaces.vertices[shown]]]
    apart = (np.abs(surfaces.positions[shown] - places[surfaces.vertices[shown]]) > SAME_PLACE).any(axis=1)
    if apart.any():
        raise _points(
            surfaces,
            moved[np.isin(homes[moved], homes[shown[apart]])],
            "vertices were moved, but entities with one brush model have its shape in common: move those of all, or "
            "have the others use its mesh (Link Object Data)",
        )


def _used(surfaces: SceneSurfaces) -> Bools:
    used = np.zeros(len(surfaces.vertices), np.bool_)
    used[surfaces.corners] = True
    return used


def _refuse_bound(surfaces: SceneSurfaces, chosen: Bools, moved: Ints, numbers: Ints, level: source.Level) -> None:
    """Raise SceneError for vertices that something else needs where they are: displacements, and other models."""
    model_faces = surfaces.model_faces
    owners, corners = model_faces.polygons.corner_face, model_faces.polygons.corners
    if len(level.bytes_of(LumpId.DISPINFO)):
        held = corners[np.isin(owners, displacements.displacements(level, model_faces.polygons).faces)]
        bound = np.isin(numbers, held)
        if bound.any():
            raise _points(surfaces, moved[bound], "vertices are corners of displacements, which would move along")
    model = np.full(len(chosen), -1, np.int64)
    homes = surfaces.homes[np.searchsorted(surfaces.points, moved, "right") - 1]
    model[numbers] = homes
    others = chosen[corners] & (model_faces.models[owners] != model[corners])
    if others.any() or (model[numbers] != homes).any():
        bound = np.isin(numbers, corners[others]) | (model[numbers] != homes)
        raise _points(surfaces, moved[bound], "vertices are those of another model, too, which would move along")


def _points(surfaces: SceneSurfaces, vertices: Ints, message: str) -> SceneError:
    points: dict[bpy.types.Object, Ints] = {}
    for number in np.unique(np.searchsorted(surfaces.points, vertices, "right") - 1).tolist():
        first, end = surfaces.points[number : number + 2]
        points[surfaces.instances[number].object] = vertices[(vertices >= first) & (vertices < end)] - first
    names = ", ".join(obj.name for obj in points)
    return SceneError(f"{names}: {len(vertices)} {message}", points=points)
