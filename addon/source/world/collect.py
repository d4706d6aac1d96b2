# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the world back to the map: brushes that were drawn, moved, cut or deleted, and faces that were moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import source
from ....formats.arrays import Floats, Ints
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source import LumpId, vmf, world
from ....formats.source.light import lighting
from ....formats.source.shaping import solids as shaping
from ....formats.source.shaping.side_texinfos import SideTexinfos
from ....formats.source.shaping.solids import Shaped, ShapedEdits
from ...scene.reports import Report, SceneError, listed
from ...scene.work.progress import Steps, Stepwise
from .. import layout
from ..brushes import collect as brushes
from ..brushes import contents
from ..collecting.growth import LIGHT, MOST, LumpGrowth
from ..collecting.scene_level import SceneLevel
from ..faces import geometry_edits, scene_surfaces
from ..settings import EDIT, IGNORE
from .brushes import WorldBrushes
from .faces import WorldFaces

EDITED, ADDED, DELETED = "brushes of the world edited", "brushes of the world added", "brushes of the world deleted"
"""What the report counts."""
_HINT = "An export with its option World on Edit puts them into the map; one as VMF takes them, too"


@Stepwise
def apply(scene: SceneLevel, level: source.Level, report: Report) -> Steps[None]:
    """Do with edits of the world what the settings say. Raises SceneError, with objects and faces at fault."""
    names = brushes.edited(scene)
    if scene.settings.world != EDIT:
        if names and scene.settings.world == IGNORE:
            report.warn(f"{listed(names)}: {brushes.LEFT_OUT}")
        elif names:
            raise SceneError(f"{listed(names)}: brushes were edited. {_HINT}", _objects(scene, names))
        return
    edited = _read(scene, level, report)
    if edited is not None:
        yield
        yield from edited.write()


def displaced(scene: SceneLevel) -> dict[int, Floats | None]:
    """The displacements that lie on brushes that are edited: float64[4, 4], units, where the brush is moved, None where
    it is deleted. Of brushes that are reshaped, none. Raises SceneError.
    """
    if scene.settings.world != EDIT or not len(scene.before.table(LumpId.DISPINFO)):
        return {}
    beneath = world.displaced(scene.before)
    edited = _read(scene, source.read(source.write(scene.before), salvage=True), Report()) if beneath else None
    if edited is None:
        return {}
    shaped, deleted = edited.asked()
    moves = {each.brush: each.move for each in shaped if each.move is not None} | dict.fromkeys(deleted.tolist())
    return {number: moves[brush] for brush in beneath if brush in moves for number in beneath[brush][:, 0].tolist()}


def goes_with(scene: SceneLevel, displacements: Ints) -> str:
    """What a refusal to delete displacements, int64[n], says of the brushes that they could go with."""
    try:
        beneath = world.displaced(scene.before)
    except FormatError:
        return ""
    own = [(brush, number) for brush in beneath for number in beneath[brush][:, 0].tolist() if number in displacements]
    if not own:
        return ": no brush of the world lies beneath it, which could be deleted with it"
    named = listed([f"{number} on brush {brush}" for brush, number in sorted(own, key=lambda pair: pair[1])])
    return f" but with the brush that it lies on, which {layout.BRUSH_HOME} shows ({named}), with world = {EDIT!r}"


def _read(scene: SceneLevel, level: source.Level, report: Report) -> _World | None:
    """The edits of a map's world, None: there are none. Raises SceneError."""
    names, surfaces = brushes.edited(scene), scene_surfaces.read(scene)
    moved = None if surfaces is None else geometry_edits.of_world(scene, surfaces)
    recontained = contents.of_world(scene, report)
    if not names and moved is None and not recontained:
        return None
    texinfos = SideTexinfos(scene.before, vmf.compiled(scene.before))
    drawn = WorldBrushes(scene, level, texinfos, report) if names or recontained else None
    faces = WorldFaces(surfaces, moved, texinfos, report) if surfaces is not None and moved is not None else None
    return _World(level, texinfos, drawn, faces, report, scene.growth)


def _objects(scene: SceneLevel, names: list[str]) -> list[bpy.types.Object]:
    return [obj for obj in brushes.objects(scene) if obj.name in names]


@dataclass(frozen=True)
class _World:
    """All edits of a map's world, by brushes and by faces."""

    level: source.Level
    texinfos: SideTexinfos
    drawn: WorldBrushes | None
    faces: WorldFaces | None
    report: Report
    growth: LumpGrowth

    def asked(self) -> tuple[list[Shaped], Ints]:
        """The brushes that are others or new, and those that are gone."""
        shaped: list[Shaped] = []
        deleted = np.zeros(0, np.int64)
        for part in (self.drawn, self.faces):
            if part is not None:
                shaped += part.shaped
                deleted = np.union1d(deleted, part.deleted)
        return shaped, deleted

    def write(self) -> Steps[None]:
        """Put the edits into the level. Raises SceneError."""
        shaped, deleted = self.asked()
        self._refuse_both()
        yield
        try:
            made = shaping.put(self.level, self.texinfos, shaped, deleted)
        except FormatError as error:
            changed = {each.brush: each.polygons for each in shaped if each.brush >= 0}
            added = [each.polygons for each in shaped if each.brush < 0]
            raise self._refused([error], ShapedEdits(world.WorldEdits(), changed, added)) from error
        yield
        if not made.edits.changed and not made.edits.added:
            return
        sizes = self.growth.sizes(self.level)
        try:
            carved = yield from world.apply.steps(self.level, made.edits)
        except world.WorldError as error:
            raise self._refused(world.check(self.level, made.edits) or [error], made) from error
        except FormatError as error:
            raise self._refused([error], made) from error
        self.report.count(EDITED, sum(change.shape is not None for change in made.edits.changed.values()))
        self.report.count(DELETED, sum(change.shape is None for change in made.edits.changed.values()))
        self.report.count(ADDED, len(made.edits.added))
        for numbers, what in ((carved.displacements, "moved along"), (carved.undisplaced, "are taken away")):
            if len(numbers):
                named = listed([str(number) for number in numbers.tolist()])
                several = number_of(len(numbers), f"displacements {what}")
                self.report.warn(f"{several} with the brushes beneath: {named}")
        drawn = {**made.changed, **dict(zip(carved.added.tolist(), made.added, strict=True))}
        self._tell_ladders(np.array(list(made.edits.changed), np.int64))
        self._tell_unmet(world.unmet.of(self.level, carved), drawn)
        for lump, size in self.growth.too_large(self.level, sizes).items():
            self._blame(lump, size, carved, made)
        self.report.note("the world was edited: import the written map to see its brushes and faces as they are now")

    def _tell_ladders(self, changed: Ints) -> None:
        """Warn where brushes of before, int64[n], are those of an info_ladder, which says their box."""
        solids, entities = self.texinfos.compiled.solids, self.level.entities
        owners = np.unique(solids.owners[np.isin(solids.brushes, changed) & (solids.owners >= 0)]).tolist()
        ladders = [f"entity {number}" for number in owners if entities[number].classname == "info_ladder"]
        if ladders:
            self.report.warn(
                f"brushes of ladders were edited: the box that info_ladder says ({listed(ladders)}; mins.x to maxs.z) "
                "doesn't follow"
            )

    def _tell_unmet(self, unmet: Ints, drawn: Mapping[int, Ints]) -> None:
        """Warn of brushes, int64[n], of which nothing is met. drawn: the polygons of all that were edited."""
        if not len(unmet):
            return
        what = "brushes lie wholly in others or outside of the map, where nobody meets or sees them"
        told = (
            f"{number_of(len(unmet), what)} ({listed([str(number) for number in unmet.tolist()])} of the written map)"
        )
        polygons = np.concatenate([drawn[number] for number in unmet.tolist()]).astype(np.int64)
        if self.drawn is None or not len(polygons):
            self.report.warn(f"{layout.WORLD}: {told}")
            return
        error = self.drawn.refused(told, unmet, polygons)
        self.report.warn(error.message, error.objects, error.faces)

    def _blame(self, lump: LumpId, size: int, carved: world.Carved, made: ShapedEdits) -> None:
        """Say which brushes made a lump larger by so many bytes: those with most of the light, or all that opened."""
        bytes_of = dict.fromkeys(made.edits.changed, size) | dict.fromkeys(carved.added.tolist(), 0)
        if lump in LIGHT:
            lit = self._light(lump, carved)
            bytes_of = {brush: lit[brush] for brush in bytes_of if brush in lit} or bytes_of
        places = {brush: place for place, brush in enumerate(carved.added.tolist())}
        for brush in sorted(bytes_of, key=lambda brush: -bytes_of[brush])[:MOST]:
            changed, added = ([], [places[brush]]) if brush in places else ([brush], [])
            error = self._refused([world.WorldError("", changed, added)], made)
            self.growth.blame(lump, bytes_of[brush], error.objects, error.faces)

    def _light(self, lump: LumpId, carved: world.Carved) -> dict[int, int]:
        """How many bytes of a lump of light the faces of brushes have that are new or have moved, by brush."""
        model, blocks = self.level.table(LumpId.MODELS)[0], lighting.lightmaps(self.level)[lump]
        first = int(model["firstface"]) + int(model["numfaces"]) - len(carved.drawn)
        own = (blocks.faces >= first) & (blocks.faces < first + len(carved.drawn))
        brushes_of, sizes = carved.drawn[blocks.faces[own] - first], blocks.size[own]
        known = brushes_of >= 0
        found = np.bincount(brushes_of[known], sizes[known]).astype(np.int64)
        return {brush: int(found[brush]) for brush in np.flatnonzero(found).tolist()}

    def _refuse_both(self) -> None:
        """Raise SceneError for brushes that were edited both as brushes and by their faces."""
        if self.drawn is None:
            return
        touched = self.drawn.touched
        by_faces = self.texinfos.edited_faces(self.level)
        rows = self.texinfos.side_of_face[by_faces]
        textured = self.texinfos.brush_of(rows[rows >= 0])
        both = np.intersect1d(touched, textured if self.faces is None else np.union1d(textured, self.faces.touched))
        if len(both):
            raise self.drawn.refused(
                "brushes were edited, and so were their faces in the world: undo one of the two "
                f"(brushes {listed([str(brush) for brush in both.tolist()])} of the map)",
                both,
            )

    def _refused(self, errors: Sequence[FormatError], made: ShapedEdits) -> SceneError:
        """The errors as one, with what drew the brushes that they are about: those of the map as a whole, with all."""
        about = [error for error in errors if isinstance(error, world.WorldError)]
        changed = {brush for error in about for brush in error.changed if brush in made.changed}
        added = {place for error in about for place in error.added if 0 <= place < len(made.added)}
        if not changed and not added:
            changed, added = set(made.changed), set(range(len(made.added)))
        message = "; ".join(dict.fromkeys(error.message for error in errors))
        blamed = np.array(sorted(changed), np.int64)
        parts = [made.added[place] for place in sorted(added)]
        if self.drawn is not None:
            parts += [made.changed[brush] for brush in blamed.tolist() if brush in self.drawn.touched]
        polygons: Ints = np.concatenate([*parts, np.zeros(0, np.int64)]).astype(np.int64)
        if self.drawn is not None and (len(polygons) or self.faces is None):
            return self.drawn.refused(message, blamed, polygons)
        if self.faces is not None:
            return self.faces.refused(message, blamed)
        return SceneError(f"{layout.WORLD}: {message}")
