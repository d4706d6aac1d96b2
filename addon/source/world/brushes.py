# SPDX-License-Identifier: GPL-3.0-or-later
"""The brushes of the world as they were drawn: which are others than the map's, and what they look like."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ....formats import ranges, source
from ....formats.arrays import Ints
from ....formats.binary import FormatError
from ....formats.linked import components
from ....formats.source import LumpId, edits, vmf
from ....formats.source.edits.changes import room_for
from ....formats.source.shaping.side_texinfos import KEPT, SideTexinfos
from ....formats.source.shaping.solids import Shaped, ShapedBrushes
from ....formats.source.vmf import tools
from ...scene.kept import identity
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..brushes import collect as brushes
from ..brushes.collect import NO_CONTENTS, SceneBrushes
from ..collecting.scene_level import SceneLevel
from ..materials.collect import TextureTable


class WorldBrushes:
    """What was done to a map's brushes in their collection. Raises SceneError, with the faces at fault."""

    def __init__(self, scene: SceneLevel, level: source.Level, texinfos: SideTexinfos, report: Report) -> None:
        self._level, self._texinfos, self._report = level, texinfos, report
        self._objects = brushes.objects(scene)
        self._textures = TextureTable(scene, level, report)
        drawn = brushes.read(scene, level, report)
        if drawn is None:
            raise SceneError(
                f"{scene.collection.name}: all of its brushes are gone from the collection {layout.BRUSH_HOME!r}, and "
                "nothing would be left of the world: undo that"
            )
        self._drawn: SceneBrushes = drawn
        self._refuse_too_many()
        self._brushes = ShapedBrushes(texinfos, drawn.matched(texinfos.compiled.solids))
        self._refuse_models()

    @cached_property
    def shaped(self) -> list[Shaped]:
        """The brushes that are others or new."""
        made = [self._shaped(number) for number in range(len(self._brushes.found.solids))]
        polygons = self._drawn.polygons.brushes
        order = np.argsort(polygons, kind="stable")
        sorted_brushes = polygons[order]
        for brush in self._brushes.found.kept.tolist():
            if not self._brushes.is_world[brush]:
                continue
            begin, end = np.searchsorted(sorted_brushes, brush, "left"), np.searchsorted(sorted_brushes, brush, "right")
            own = order[begin:end]
            wanted = self._contents(own)
            if wanted is not None and wanted != int(self._brushes.contents[brush]):
                made.append(self._brushes.recontained(brush, wanted, own))
        return made

    @cached_property
    def deleted(self) -> Ints:
        """int64[n]: the brushes that are gone."""
        gone = self._brushes.deleted
        return np.asarray(gone[self._brushes.is_world[gone]])

    @cached_property
    def touched(self) -> Ints:
        """int64[n]: the brushes of the map that are others or gone."""
        shaped = np.array([each.brush for each in self.shaped if each.brush >= 0], np.int64)
        return np.asarray(np.union1d(self.deleted, shaped))

    def refused(self, message: str, blamed: Ints, polygons: Ints | None = None) -> SceneError:
        """An error about brushes of the map, int64[n], with what was drawn of them, or with polygons int64[k].

        Of brushes that were deleted, with the objects that they were in, where these are left.
        """
        own = np.flatnonzero(np.isin(self._drawn.polygons.brushes, blamed)) if polygons is None else polygons
        if len(own):
            return self._drawn.refused(message, own)
        titles = {brushes.title_of(contents & 0xFFFFFFFF) for contents in self._brushes.contents[blamed].tolist()}
        homes = [obj for obj in self._objects if identity.unnumbered(obj.name) in titles]
        named = listed([obj.name for obj in homes]) or layout.BRUSH_HOME
        return SceneError(f"{named}: {message}", homes)

    def _shaped(self, number: int) -> Shaped:
        solid, polygons = self._brushes.found.solids[number], self._brushes.found.polygons[number]
        texdata = self._texdata(solid)
        shaped = self._brushes.shaped(number, texdata, self._contents(polygons))
        for name in {solid.names[side] for side in np.flatnonzero(texdata != KEPT).tolist()}:
            meaning = tools.contents_of(name)
            if meaning is not None and not shaped.contents & meaning:
                self._report.warn(
                    f"{self._drawn.named(polygons)}: sides have the texture {name}, but their brush doesn't contain "
                    f"what it stands for: the face attribute {layout.CONTENTS!r} says what a brush contains"
                )
        return shaped

    def _contents(self, polygons: Ints) -> int | None:
        """What polygons int64[n] of one brush say that it contains; None: nothing. Raises SceneError."""
        said = np.unique(self._drawn.contents[polygons])
        said = said[said != NO_CONTENTS]
        if len(said) > 1:
            raise self._drawn.refused(
                f"a brush has faces that differ in their {layout.CONTENTS!r}: all faces of a brush say the same",
                polygons,
            )
        return int(said[0]) if len(said) else None

    def _texdata(self, solid: vmf.VmfSolids) -> Ints:
        """int64[k]: the texdata of a solid's sides, KEPT: that of before. Raises SceneError, FormatError."""
        before, made = self._texinfos.compiled.solids, []
        for row, name in zip(solid.records.tolist(), solid.names, strict=True):
            place = self._brushes.side_of.get(row, -1)
            if place >= 0 and before.names[place].lower() == name.lower() and self._texinfos.has_texinfo(row):
                made.append(KEPT)
                continue
            material, size = self._drawn.materials.get(name, (None, (64, 64)))
            if material is not None and not self._is_known(name):
                made.append(self._textures.texdata(material, size))
            else:
                made.append(edits.textures.add(self._level, name or brushes.NODRAW, size))
        return np.array(made, np.int64)

    def _is_known(self, name: str) -> bool:
        """Whether the level has a texture of this name."""
        return name.lower() in {each.lower() for each in self._level.texture_names.names}

    def _refuse_too_many(self) -> None:
        """Raise SceneError where more solids are drawn than a map may have: before each is looked at, with new ones."""
        drawn, table = self._drawn.polygons, self._level.table(LumpId.BRUSHES)
        owners, firsts = ranges.owners(np.diff(drawn.first_corner)), drawn.corners[drawn.first_corner[:-1]]
        part = components(len(drawn.positions), drawn.corners, firsts[owners])[firsts]
        parts, place = np.unique(part, return_index=True)
        try:
            room_for(self._level, LumpId.BRUSHES, len(table), len(parts) - len(table))
        except FormatError as error:
            brushes_of = drawn.brushes[place]
            is_new = np.ones(len(parts), np.bool_)
            is_new[np.unique(brushes_of, return_index=True)[1]] = False
            fresh = parts[is_new | (brushes_of < 0)]
            raise self._drawn.refused(error.message, np.flatnonzero(np.isin(part, fresh))) from error

    def _refuse_models(self) -> None:
        """Raise SceneError for brushes of entities that were edited: their own mesh is what shapes those."""
        found = self._brushes
        made = [int(solid.brushes[0]) for solid in found.found.solids]
        own = [brush for brush in made if brush >= 0 and not found.is_world[brush]]
        gone = found.deleted[~found.is_world[found.deleted]].tolist()
        if not own and not gone:
            return
        names = listed([f"{brush}" for brush in sorted({*own, *gone})])
        message = (
            f"brushes of entities were edited ({names}): edit the mesh of the entity itself, and export it with the "
            "option Moved geometry on Rebuild"
        )
        polygons = np.flatnonzero(np.isin(self._drawn.polygons.brushes, own))
        raise self._drawn.refused(message, polygons)
