# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush entities' models back to the map in another shape: from convex meshes, with what collides.

What is seen are the polygons, what collides the pieces that they enclose (`convex_pieces`). A side that nobody sees
keeps the texture that it had. Of a model with faces, brushes that never had one stay where they were. A model without
faces gets none: its polygons are the sides of its brushes (`side_faces`), and have their textures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ....formats import ranges, source
from ....formats.arrays import Floats, Ints
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source import LumpId, edits, geometry
from ....formats.source.edits import brush_models, brush_pieces
from ....formats.source.edits.brush_models import NEW, Face, Piece
from ....formats.source.edits.texture_fits import TOLERANCE, fit
from ....formats.source.entities import brush_classes
from ....formats.source.entities.text import CLASSNAME
from ....formats.source.faces.surface_edits import Edits, find
from ....formats.source.records import Contents, SurfaceFlag
from ....formats.source.shaping import convex_pieces
from ....formats.source.shaping.convex_pieces import ConvexSolid, points_of
from ...scene.reports import Report, SceneError
from .. import layout
from ..collecting import scene_level
from ..collecting.scene_level import SceneLevel
from ..faces import collect as faces
from ..faces import normals, numbers, scene_surfaces
from ..faces.mapping import Patches, TextureMapping
from ..faces.scene_surfaces import UNKNOWN, SceneSurfaces
from ..materials.collect import TextureTable
from ..settings import REBUILD

_SPREAD = 1e-6
"""Area in UV, of a polygon, below which it has no UVs: new sides of an extrusion."""
_SCALE = 4.0
"""Texels a unit of faces without UVs, as the level editor starts with."""
_SIZE = (64, 64)
"""Pixels of a new face's texture that nothing tells the size of."""
_NEAR_SIDE = 0.02
_DETAIL = int(Contents.DETAIL)
"""What brushes of the world have that hide nothing: those of entities never do."""


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Add the models of new brush entities; build those anew whose geometry was edited, where the settings say so.

    A copy of another shape gets a model of its own. Raises SceneError, with faces selected, for what is not convex and
    for what the format cannot hold.
    """
    is_asked = scene.settings.geometry == REBUILD
    if not is_asked and not any(map(scene.is_new_model, scene.added(layout.ENTITY))):
        return
    surfaces = scene_surfaces.read(scene)
    if surfaces is None:
        return
    found = find(surfaces)
    count = max(len(scene.before.table(LumpId.MODELS)), 1)
    edited = [model for model in found.models(surfaces).tolist() if 0 < model < count and is_asked]
    scene.models.update((obj, model) for obj, model in surfaces.shown.items() if model >= count)
    if not edited and not surfaces.sources:
        return
    textures = TextureTable(scene, level, report)
    mapping = TextureMapping(surfaces.model_faces, level, textures, report)
    shared = _Rebuilding(scene, surfaces, found, level, mapping, textures, report)
    first = scene.before.table(LumpId.MODELS)["firstface"]
    for model, of in surfaces.sources.items():  # behind all others, while these are as they were
        _Model(shared, model, of).add()
    for model in sorted(edited, key=lambda model: -int(first[model])):  # so that faces of the next keep their numbers
        _Model(shared, model, model).rebuild()


@dataclass(frozen=True, eq=False)
class _Rebuilding:
    """What all models of an export share. `edits`, `surfaces`: of the whole scene, with the original's numbers."""

    scene: SceneLevel
    surfaces: SceneSurfaces
    edits: Edits
    level: source.Level
    mapping: TextureMapping
    textures: TextureTable
    report: Report


class _Model:
    """One model that is built anew, or added. model: its number. source: the model that its polygons have the faces of:
    itself, of one that is added what it is a copy of, -1: of none.
    """

    def __init__(self, shared: _Rebuilding, model: int, source: int) -> None:
        self.shared, self.model, self.source = shared, model, source
        self.scene, self.surfaces, self.edits = shared.scene, shared.surfaces, shared.edits
        self.level, self.mapping, self.textures, self.report = (
            shared.level, shared.mapping, shared.textures, shared.report
        )  # fmt: skip
        self.is_added = model != source
        known = self.surfaces.model_faces
        self.is_bare = source > 0 and bool((known.models[known.drawn :] == source).any())
        """Whether the model has no faces: its polygons are sides."""
        self.places = np.flatnonzero((self.surfaces.homes == model) & (self.is_added | ~self.surfaces.twins))
        self.objects = [self.surfaces.instances[place].object for place in self.places.tolist()]
        bounds = self.surfaces.polygons
        self.polygons = ranges.flat(bounds[self.places], bounds[self.places + 1] - bounds[self.places])

    def rebuild(self) -> None:
        """Change the level. Raises SceneError."""
        polygons = self.polygons
        records = np.where(self.edits.new[polygons], NEW, self.surfaces.faces[polygons])
        numbers.apply(self.surfaces, self.level, polygons[records >= 0], self.report)
        self._write_looks(polygons[(records >= 0) & ~self.edits.reshaped[polygons] & ~self.edits.torn[polygons]])
        shown = dict(zip(polygons.tolist(), self._faces(polygons, records), strict=True))
        with scene_level.at_fault(*self.objects), self.scene.growth.of(self.level, self.objects):
            old, pieces, kept = self._solids(shown)
            with self._at_face(list(shown)):
                drawn, unseen = ([], list(shown.values())) if self.is_bare else (list(shown.values()), [])
                brush_models.rebuild(self.level, self.model, [*pieces, *kept], drawn, unseen, self._place())
        self.report.count("brush models built anew")
        if kept:
            self.report.warn(f"model *{self.model}: {number_of(len(kept), 'brushes')} without faces, left in place")
        names = ", ".join(obj.name for obj in self.objects)
        faces = int(self.scene.before.table(LumpId.MODELS)["numfaces"][self.model])
        seen = (
            f"{number_of(faces, 'faces')} {len(shown)}; moved faces keep their light, new ones have their neighbours'"
        )
        self.report.note(
            f"model *{self.model} ({names}): {number_of(len(old), 'pieces')} became {len(pieces) + len(kept)}, "
            f"{'and it still has no faces' if self.is_bare else seen}"
        )

    def add(self) -> None:
        """Add the model to the level. Raises SceneError."""
        for obj in self.objects:
            if np.linalg.det(self.scene.matrix(obj)[:3, :3]) <= 0:
                message = "it is mirrored or flat: apply its scale (Ctrl+A), then Flip Normals"
                raise SceneError(f"{obj.name}: {message}", [obj])
        polygons = self.polygons
        shown = dict(zip(polygons.tolist(), self._faces(polygons, self.surfaces.faces[polygons]), strict=True))
        drawn = {polygon: face for polygon, face in shown.items() if not self.is_bare and not self._is_unseen(face)}
        unseen = {polygon: face for polygon, face in shown.items() if polygon not in drawn}
        with scene_level.at_fault(*self.objects), self.scene.growth.of(self.level, self.objects):
            old, pieces, kept = self._solids(shown)
            with self._at_face([*drawn, *unseen]):
                brush_models.add(
                    self.level, [*pieces, *kept], list(drawn.values()), list(unseen.values()), old, self._place()
                )
        self.report.count("brush models added")
        names = ", ".join(obj.name for obj in self.objects)
        self.report.note(
            f"model *{self.model} ({names}) is new: {number_of(len(pieces) + len(kept), 'pieces')}, "
            f"{number_of(len(drawn), 'faces')}"
        )

    def _is_unseen(self, face: Face) -> bool:
        """Whether a face is none of those that are drawn."""
        flags = face.flags if face.flags is not None else int(self.level.table(LumpId.TEXINFO)["flags"][face.texinfo])
        return bool(flags & SurfaceFlag.NODRAW)

    def _solids(self, shown: dict[int, Face]) -> tuple[list[Piece], list[Piece], list[Piece]]:
        """The pieces that the model had; those that its polygons are; and those that no face was on, which stay.

        Raises SceneError, FormatError.
        """
        polygons = self.polygons
        if self.source < 0:
            return [], self._pieces(np.full(len(polygons), -1), np.full(len(polygons), -1), shown, []), []
        old = brush_models.pieces(self.level, self.source)  # with the looks that sides were given just now
        first, drawn_on = self._drawn_on(old)
        carry = convex_pieces.carry_of(self.surfaces, polygons) if self._is_complete() else None
        if carry is not None:
            return old, [convex_pieces.moved(piece, carry) for piece in old], []
        copy_of = self.surfaces.faces[polygons] - first
        copy_of = np.where(copy_of >= 0, drawn_on[np.maximum(copy_of, 0)] if len(drawn_on) else -1, -1)
        pieces = self._pieces(np.where(self.edits.new[polygons], -1, copy_of), copy_of, shown, old)
        return old, pieces, [piece for n, piece in enumerate(old) if len(drawn_on) and n not in drawn_on]

    def _drawn_on(self, old: list[Piece]) -> tuple[int, Ints]:
        """The number of the model's first face, and of each the piece that it is on, -1: none. Raises FormatError."""
        known = self.surfaces.model_faces
        if known.sides is not None and self.is_bare:
            own = np.flatnonzero(known.sides.models == self.source)
            pieces = known.sides.pieces[own]
            return known.drawn + int(own[0]), np.where(pieces < len(old), pieces, -1)
        first = int(self.scene.before.table(LumpId.MODELS)["firstface"][self.source])
        return first, _drawn_on(brush_models.faces(self.scene.before, self.source), old)

    @contextmanager
    def _at_face(self, polygons: list[int]) -> Iterator[None]:
        """Have a FormatError about a face name its polygon, with that selected. polygons: those of the faces."""
        try:
            yield
        except FormatError as error:
            number = re.match(r"face (\d+) of", error.reading)
            if number is None:
                raise
            polygon = np.array([polygons[int(number[1])]])
            raise self.surfaces.refused(f"{self.surfaces.named(polygon)}: {error.message}", polygon) from error

    def _write_looks(self, polygons: Ints) -> None:
        """Give faces that stay where they were the textures, flags and normals that they have in the scene."""
        self.mapping.write(faces.of_polygons(self.surfaces, self.mapping, polygons))
        normals.apply(self.surfaces, self.level, polygons, self.report)

    # ----------------------------------------------------------------------------------------------------- pieces

    def _is_complete(self) -> bool:
        """Whether its polygons are all faces of the model, each as it was but for its place."""
        polygons, known = self.polygons, self.surfaces.model_faces
        count = np.count_nonzero(known.drawable & (known.models == self.source))
        return 0 < count == len(polygons) and not (self.edits.new[polygons].any() or self.edits.torn[polygons].any())

    def _pieces(self, brush_of: Ints, copy_of: Ints, shown: dict[int, Face], old: list[Piece]) -> list[Piece]:
        """The pieces that polygons enclose. Raises SceneError for those that enclose none."""
        polygons, corners = self.polygons, _corners(old)
        parted = convex_pieces.find(self.surfaces, polygons, brush_of, copy_of, corners)
        if len(parted.bent):
            raise self.surfaces.refused(
                f"{self.surfaces.named(parted.bent)}: {number_of(len(parted.bent), 'faces are')} not on the outside "
                "of a convex piece: cut the mesh into loose parts (Split) that are convex each",
                parted.bent,
            )
        texinfos = _TexinfoFinder(old)
        return [self._piece(solid, shown, old, texinfos) for solid in parted.solids]

    def _piece(self, solid: ConvexSolid, shown: dict[int, Face], old: list[Piece], texinfos: _TexinfoFinder) -> Piece:
        """A piece of the library's; its sides have the texinfos of faces on them, or of the sides that were there."""
        numbers = np.full(len(solid.hull.dists), -1, np.int64)
        for polygon, side in zip(solid.polygons.tolist(), solid.sides.tolist(), strict=True):
            numbers[side] = shown[polygon].texinfo
        first, corners = solid.hull.first_corner, solid.hull.corners
        for side in np.flatnonzero(numbers < 0).tolist():
            ring = solid.points[corners[first[side] : first[side + 1]]]
            numbers[side] = texinfos.of_side(solid.hull.normals[side], ring, solid.brush)
        unknown = numbers < 0
        numbers[unknown] = numbers[~unknown][0] if not unknown.all() else 0
        contents = old[max(solid.brush, 0)].contents if old else self._contents(solid.polygons, numbers)
        return Piece(solid.hull.normals, solid.hull.dists, numbers, contents)

    # ------------------------------------------------------------------------------------------------------ faces

    def _faces(self, polygons: Ints, records: Ints) -> list[Face]:
        """The faces of polygons, which have the texinfos of their records, or of like faces. Raises SceneError."""
        texinfos = self.level.table(LumpId.TEXINFO)
        made, bent, stays, other = [], [], 0, 0
        flags = self._flags(polygons[records != NEW])
        for polygon, record in zip(polygons.tolist(), records.tolist(), strict=True):
            points = points_of(self.surfaces, polygon)
            turn = int(self.surfaces.turns[polygon]) if record != NEW else 0
            order = _clockwise(len(points), max(turn, 0))
            still = record != NEW and not self.edits.reshaped[polygon] and not self.edits.torn[polygon]
            face = NEW if self.is_bare or self.is_added else record
            if still and not self.is_added:
                made.append(Face(points[order], self._texinfo(record), face))
                continue
            texdata = self._texdata(polygon, record)
            texinfo = self._texinfo(record) if record != NEW else self._like(texdata)
            if not 0 <= texinfo < len(texinfos):
                raise self.surfaces.refused(
                    f"{self.surfaces.named(polygons)}: a face has no texinfo", np.array([polygon])
                )
            vectors: Floats | None
            vectors, off = self._vectors(polygon, points, texdata)
            if still and not self._has_other_uv(polygon, turn):
                vectors, off = None, 0.0
            if off > TOLERANCE:
                if record == NEW or self._has_other_uv(polygon, turn):
                    bent.append(polygon)
                    continue
                vectors, stays = texinfos["texture_vecs"][texinfo].astype(np.float64), stays + 1
            groups = int(self.surfaces.numbers[layout.SMOOTHING_GROUPS][polygon])
            shown = int(self.surfaces.numbers[layout.FLAGS][polygon])
            own_flags = flags.get(polygon)
            if self.source < 0:
                own_flags = self._new_flags(shown, texdata, texinfo)
            elif record == NEW and shown not in (0, UNKNOWN):
                other += shown & 0xFFFFFFFF != int(texinfos["flags"][texinfo])
            one = Face(
                points[order],
                texinfo,
                face,
                vectors,
                texdata,
                flags=own_flags,
                smoothing_groups=None if record != NEW or groups == UNKNOWN else groups & 0xFFFFFFFF,
                normals=normals.shaded(self.surfaces, polygon)[order].astype(np.float64),
            )
            copied = self.is_added and 0 <= record < self.surfaces.model_faces.drawn
            made.append(replace(one, like=record) if copied else one)
        if bent:
            raise self.surfaces.refused(
                f"the UVs of {number_of(len(bent), 'faces')} in {self.surfaces.named(np.array(bent))} are bent or "
                "torn: a map's texture lies flat on a face",
                np.array(bent),
            )
        if other:
            self.report.warn(
                f"model *{self.model}: {number_of(other, 'new faces have')} the flags of like faces of their texture, "
                f"and not their {layout.FLAGS!r}"
            )
        if stays:
            self.report.warn(
                f"model *{self.model}: on {number_of(stays, 'faces that were')} bent out of shape, the texture stays "
                "where it was"
            )
        return made

    def _texinfo(self, record: int) -> int:
        """The texinfo that a face has by now, or the side that stands in for it."""
        known = self.surfaces.model_faces
        if known.sides is not None and record >= known.drawn:
            return int(self.level.table(LumpId.BRUSHSIDES)["texinfo"][known.sides.sides[record - known.drawn]])
        return int(self.level.table(geometry.drawn_faces(self.level))["texinfo"][record])

    def _flags(self, polygons: Ints) -> dict[int, int]:
        """The flags of faces that were given others, whatever became of their shape. Raises SceneError."""
        surfaces = self.surfaces
        none = np.zeros(0, np.int64)
        patches = Patches(
            surfaces.faces[polygons],
            [None] * len(polygons),
            none,
            np.zeros((0, 3)),
            np.zeros((0, 2), np.float32),
            np.zeros((0, 2), np.float32),
            lambda message, which: surfaces.refused(message.format(surfaces.named(polygons[which])), polygons[which]),
            surfaces.numbers[layout.FLAGS][polygons],
        )
        chosen, made = self.mapping.is_flagged(patches), self.mapping.wanted_flags(patches)
        return dict(zip(polygons[chosen].tolist(), made[chosen].tolist(), strict=True))

    def _texdata(self, polygon: int, record: int) -> int:
        """The texture of a polygon's material: of a face, its own while the material is the same."""
        slot = int(self.surfaces.slot[polygon])
        material = self.surfaces.slots[slot] if slot >= 0 else None
        texinfos, texdata = self.level.table(LumpId.TEXINFO), self.level.table(LumpId.TEXDATA)
        size = _SIZE
        if record != NEW:
            texinfo = self._texinfo(record)
            own = int(texinfos["texdata"][texinfo]) if 0 <= texinfo < len(texinfos) else -1
            if own >= 0 and (material is None or self._is_named(material, own)):
                return own
            if own >= 0:
                size = int(texdata["width"][own]), int(texdata["height"][own])
        if material is None and self.source < 0 and brush_classes.is_trigger(str(self.objects[0].get(CLASSNAME))):
            return edits.textures.add(self.level, brush_classes.TRIGGER_TEXTURE, size)
        if material is None:
            raise self.surfaces.refused(
                f"{self.surfaces.named(np.array([polygon]))}: a new face has no material", np.array([polygon])
            )
        return self.textures.texdata(material, size)

    def _is_named(self, material: bpy.types.Material, texdata: int) -> bool:
        """Whether a material stands for a texture, by its name."""
        names = self.level.texture_names.names
        string = int(self.level.table(LumpId.TEXDATA)["name_string_table_id"][texdata])
        if self.textures.is_nameless(material) or not 0 <= string < len(names):
            return self.textures.is_nameless(material)
        return self.textures.name(material).lower() == names[string].replace("\\", "/").lower()

    def _new_flags(self, shown: int, texdata: int, texinfo: int) -> int | None:
        """The flags of a face of a model that is new: those that it says, else those of others with its texture (None),
        else what follows from its texture's name. shown: what it says.
        """
        texinfos = self.level.table(LumpId.TEXINFO)
        if shown not in (0, UNKNOWN):
            return shown & 0xFFFFFFFF
        if int(texinfos["texdata"][texinfo]) == texdata:
            return None
        string = int(self.level.table(LumpId.TEXDATA)["name_string_table_id"][texdata])
        return brush_classes.flags_of(self.level.texture_names.names[string])

    def _place(self) -> Floats:
        """Where the model is, float64[4, 4], turned as far as it turns with its entity."""
        obj = self.objects[0]
        matrix = np.asarray(self.scene.matrix(obj), np.float64)
        left, _, right = np.linalg.svd(matrix[:3, :3])
        place = np.eye(4)
        place[:3, 3] = matrix[:3, 3]
        if not (self.is_added and obj.get(CLASSNAME) in brush_classes.DIRECTED):
            place[:3, :3] = left * [1, 1, np.sign(np.linalg.det(left @ right))] @ right  # a mirror is its mesh's
        return place

    def _contents(self, polygons: Ints, texinfos: Ints) -> int:
        """The contents of a new piece: what its polygons say, else those of most brushes with its texture, else SOLID.

        texinfos: int64[k], of its sides.
        """
        place = int(self.surfaces.owners[polygons[0]])
        said = self.scene.mesh(self.surfaces.instances[place].object).attribute(layout.CONTENTS, "FACE")
        if said is not None and said.dtype == np.int32:
            values = said[polygons - self.surfaces.polygons[place]].astype(np.int64) & 0xFFFFFFFF
            if values.any():
                return int(values[values != 0][0]) & ~_DETAIL
        found = brush_models.contents_of(self.level, texinfos)
        return int(Contents.SOLID) if found is None else found & ~_DETAIL

    def _like(self, texdata: int) -> int:
        """A texinfo of a face of the model with this texture, else of any in the map, else of any face of the model."""
        texinfos = self.level.table(LumpId.TEXINFO)
        records = np.flatnonzero(self.surfaces.model_faces.models == self.source).tolist() if self.source > 0 else []
        own = np.array([self._texinfo(record) for record in records], np.int64)
        own = own[(own >= 0) & (own < len(texinfos))]
        for found in (own[texinfos["texdata"][own] == texdata], np.flatnonzero(texinfos["texdata"] == texdata), own):
            if len(found):
                return int(found[0])
        return 0

    def _vectors(self, polygon: int, points: Floats, texdata: int) -> tuple[Floats, float]:
        """The texture vectors float64[2, 4] of a polygon's UVs, and how many texels the worst corner is off."""
        first, end = self.surfaces.starts[polygon : polygon + 2]
        uv = self.surfaces.uv[first:end].astype(np.float64)
        row = self.level.table(LumpId.TEXDATA)[texdata]
        size = np.maximum([float(row["width"]), float(row["height"])], 1)
        arms, following = uv - uv[0], np.roll(uv - uv[0], -1, axis=0)
        spread = float((arms[:, 0] * following[:, 1] - arms[:, 1] * following[:, 0]).sum())
        if not np.isfinite(uv).all() or abs(spread) < _SPREAD:
            return _unwrapped(points), 0.0
        texels = np.column_stack([uv[:, 0], 1 - uv[:, 1]]) * size
        vectors, off = fit(np.zeros((1, 2, 4)), points, texels, np.zeros(len(points), np.int64))
        return vectors[0], float(off[0])

    def _has_other_uv(self, polygon: int, turn: int) -> bool:
        """Whether a polygon's UVs are others than the import made of its face, or it has other corners."""
        if turn < 0:
            return False
        patches = faces.of_polygons(self.surfaces, self.mapping, np.array([polygon], np.int64))
        return bool(patches.edited[0])


class _TexinfoFinder:
    """The texinfos of sides that no polygon is on."""

    def __init__(self, old: list[Piece]) -> None:
        self.old = old

    def of_side(self, normal: Floats, ring: Floats, brush: int) -> int:
        """Of the old side in the same place, else of that of its brush which looks the same way; -1: there is none."""
        for piece in self.old:
            off = np.abs(ring @ piece.normals.T - piece.dists).max(axis=0)
            same = (off <= _NEAR_SIDE) & (piece.normals @ normal > 0)
            if same.any():
                return int(piece.texinfos[int(same.argmax())])
        if 0 <= brush < len(self.old):
            return int(self.old[brush].texinfos[int((self.old[brush].normals @ normal).argmax())])
        return -1


def _clockwise(count: int, turn: int) -> Ints:
    """The corners of an anticlockwise polygon as the file has them: from the one that is its face's first."""
    return np.asarray((turn - np.arange(count)) % count)


def _corners(pieces: list[Piece]) -> list[Floats]:
    """The corners of each piece."""
    if not pieces:
        return []
    found = brush_pieces.polygons(pieces)
    return [found.positions[a:b] for a, b in zip(found.first_vertex[:-1], found.first_vertex[1:], strict=True)]


def _drawn_on(faces: list[Face], pieces: list[Piece]) -> Ints:
    """int64[faces]: the piece that each face is on, -1: none."""
    found = np.full(len(faces), -1, np.int64)
    for number, face in enumerate(faces):
        arms = face.points - face.points[0]
        normal = np.cross(np.roll(arms, -1, axis=0), arms).sum(axis=0)
        for place, piece in enumerate(pieces):
            heights = face.points @ piece.normals.T - piece.dists
            on = (np.abs(heights).max(axis=0) <= _NEAR_SIDE) & (piece.normals @ normal > 0)
            if on.any() and heights.max() <= _NEAR_SIDE:
                found[number] = place
                break
    return found


def _unwrapped(points: Floats) -> Floats:
    """Texture vectors float64[2, 4] of a face without UVs: seen along the axis that it looks along most."""
    arms = points - points[0]
    axis = int(np.abs(np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)).argmax())
    u, v = ((1, 2), (0, 2), (0, 1))[axis]
    vectors = np.zeros((2, 4))
    vectors[0, u], vectors[1, v] = _SCALE, -_SCALE
    return vectors
