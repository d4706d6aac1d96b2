# SPDX-License-Identifier: GPL-3.0-or-later
"""Which texture and flags faces have, and how it lies on them: solved from materials and UVs (source.md §2.7, §3).

A patch whose UVs and material are as the import made them keeps its texinfo; lightmap vectors, and with them the light,
always stay. Faces of one texinfo that were moved together share their new one. What is solved for is what Blender
shows: with a texture of another size, vectors are scaled. UVs that no flat texture gives are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import source
from ....formats.arrays import Bools, Floats, Ints, Records, Singles
from ....formats.binary import FormatError
from ....formats.counting import number_of
from ....formats.source import LumpId, edits, geometry
from ....formats.source.edits.texture_fits import ROUNDING, solve
from ....formats.source.faces.surfaces import ModelFaces
from ....formats.source.numbers import singles
from ....formats.source.records import SurfaceFlag
from ...scene.reports import Report, SceneError
from .. import layout
from ..materials.collect import TextureTable
from .scene_surfaces import UNKNOWN

_MATERIAL_FLAGS = (
    SurfaceFlag.BUMPLIGHT
    | SurfaceFlag.NODRAW
    | SurfaceFlag.SKY
    | SurfaceFlag.SKY2D
    | SurfaceFlag.WARP
    | SurfaceFlag.TRANS
    | SurfaceFlag.NOLIGHT
)
"""Flags that a texture's material gives to the faces that are compiled with it."""
_BUMP = int(SurfaceFlag.BUMPLIGHT)
FLAGGED = "faces with other flags"
"""What the report counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """What textures lie on: n faces of the map, each with some of the c points."""

    faces: Ints
    """int64[n]: each once; numbers as those of `ModelFaces`, sides behind faces."""
    materials: list[bpy.types.Material | None]
    """[n]; None: it has none."""
    owners: Ints
    """int64[c]: places in `faces`, in any order."""
    points: Floats
    """float64[c, 3]: on the flat face, units."""
    uv: Singles
    """float32[c, 2]: as they are, v upwards."""
    was: Singles
    """float32[c, 2]: as the import made them, v upwards."""
    refused: Callable[[str, Ints], SceneError]
    """Gives the error about some faces, int64[k] of n, from a message that says what is wrong."""
    flags: Ints | None = None
    """int64[n]: SurfaceFlags as int32, UNKNOWN: as they were; None: all are."""

    @property
    def edited(self) -> Bools:
        """bool[n]: whose UVs are no longer those of the import."""
        near = ROUNDING * np.maximum(np.abs(self.was), 1)
        away = ~(np.abs(self.uv - self.was) <= near).all(axis=1)
        return np.bincount(self.owners, away, len(self.faces)) > 0


class TextureMapping:
    """One export's. faces: those of the original. textures: what materials stand for."""

    def __init__(self, faces: ModelFaces, level: source.Level, textures: TextureTable, report: Report) -> None:
        self.faces, self.level, self.textures, self.report = faces, level, textures, report
        before, self.records = faces.level, faces.records
        self.texinfos, self.texdata = before.table(LumpId.TEXINFO), before.table(LumpId.TEXDATA)
        self.textured = geometry.valid_texinfos(before, self.records)
        self.sizes = _sizes(self.texdata)
        self.lit = np.zeros(len(self.records), np.bool_)
        """bool[f]: faces that have light, in LDR or HDR."""
        for lump in edits.face_fields.DRAWN:
            table = before.table(lump)
            if len(table) == faces.drawn:
                self.lit[: faces.drawn] |= table["lightofs"] >= 0

    def uv(self, points: Singles, faces: Ints) -> Singles:
        """float32[c, 2]: the UVs that the import made of corners float32[c, 3], each with its face (see `build`)."""
        uv = np.zeros((len(points), 2), np.float32)
        if len(self.texinfos):
            texinfo = np.where(self.textured, self.records["texinfo"], 0).astype(np.int64)
            uv = singles(geometry.texture_coordinates(points, self.texinfos, self.texdata, texinfo[faces]))
        uv[:, 1] = 1 - uv[:, 1]
        return uv

    def write(self, patches: Patches) -> None:
        """Give the faces of patches what the scene shows on them. Raises SceneError, with faces, and FormatError."""
        old = self._old_texdata(patches.faces)
        new = self._swapped(patches, old)
        swapped, edited, flagged = new != old, patches.edited, self.is_flagged(patches)
        touched = np.flatnonzero(swapped | edited | flagged)
        if not len(touched):
            return
        bad = touched[~self.textured[patches.faces[touched]]]
        if len(bad):
            raise patches.refused("{}: faces have no texinfo, so that they can have no texture and no flags", bad)
        vectors, scaled = self._scaled(patches.faces, old, new)
        self._solve(patches, np.flatnonzero(edited), new, vectors)
        flags = self.wanted_flags(patches)
        moved, other = np.flatnonzero(edited & ~swapped), np.flatnonzero(swapped)
        plain = np.flatnonzero(flagged & ~edited & ~swapped)
        changed = np.where((edited | scaled)[other, None, None], vectors[other], self._vectors(patches.faces[other]))
        try:
            self._assign(patches.faces[moved], flags[moved], vectors[moved])
            self._assign(patches.faces[other], flags[other], changed, new[other])
            self._assign(patches.faces[plain], flags[plain])
        except FormatError as error:  # more texinfos than there may be
            raise patches.refused(f"{{}}: {_escaped(str(error))}", touched) from error
        self.report.count("faces with other UVs", int(edited.sum()))
        self.report.count("faces with another texture", len(other))
        self.report.count(FLAGGED, int(flagged.sum()))
        self._report_flags(flags[other], new[other])

    def _assign(
        self, faces: Ints, flags: NDArray[np.uint32], vectors: Floats | None = None, texdata: Ints | None = None
    ) -> None:
        """Give faces int64[n], and sides among them, other flags, texture vectors or textures. Raises FormatError."""
        is_side, sides = faces >= self.faces.drawn, self.faces.sides
        for chosen in (~is_side, is_side):
            numbers = faces[chosen]
            given = (None if each is None else each[chosen] for each in (vectors, texdata, flags))
            if not len(numbers):
                continue
            if chosen is is_side and sides is not None:
                edits.texture_vectors.assign_sides(self.level, sides.sides[numbers - self.faces.drawn], *given)
            else:
                edits.texture_vectors.assign(self.level, numbers, *given)

    def is_swapped(self, patches: Patches) -> Bools:
        """bool[n]: which have another texture than their faces in the original."""
        old = self._old_texdata(patches.faces)
        return np.asarray(self._swapped(patches, old) != old)

    # ------------------------------------------------------------------------------------------------------ flags

    def is_flagged(self, patches: Patches) -> Bools:
        """bool[n]: which have other flags than their faces in the original."""
        if patches.flags is None:
            return np.zeros(len(patches.faces), np.bool_)
        now = patches.flags.astype(np.uint32)
        return np.asarray((patches.flags != UNKNOWN) & (now != self._flags(patches.faces)))

    def wanted_flags(self, patches: Patches) -> NDArray[np.uint32]:
        """uint32[n]: flags with those that were edited. Raises SceneError for lit faces that would be misread."""
        flags = self._flags(patches.faces)
        if patches.flags is None:
            return flags
        made = np.where(self.is_flagged(patches), patches.flags.astype(np.uint32), flags)
        wrong = ((made ^ flags) & _BUMP > 0) & self.lit[patches.faces]
        if wrong.any():
            raise patches.refused(
                f"{{}}: {number_of(int(wrong.sum()), 'faces were')} compiled with light for other {layout.FLAGS!r}: "
                f"{_BUMP:#x} says how many lightmaps each has, and has to stay",
                np.flatnonzero(wrong),
            )
        return made

    def _flags(self, faces: Ints) -> NDArray[np.uint32]:
        """uint32[n]: the SurfaceFlags of faces in the original; 0 where they have no texinfo."""
        flags = np.zeros(len(faces), np.uint32)
        known = np.flatnonzero(self.textured[faces])
        flags[known] = self.texinfos["flags"][self.records["texinfo"][faces[known]]]
        return flags

    # --------------------------------------------------------------------------------------------------- textures

    def _old_texdata(self, faces: Ints) -> Ints:
        """int64[n]: the texdata of faces; -1: none that is there."""
        texdata = np.full(len(faces), -1, np.int64)
        known = np.flatnonzero(self.textured[faces])
        texdata[known] = self.texinfos["texdata"][self.records["texinfo"][faces[known]]]
        texdata[(texdata < 0) | (texdata >= len(self.texdata))] = -1
        return texdata

    def _swapped(self, patches: Patches, old: Ints) -> Ints:
        """int64[n]: the texdata that the materials of patches stand for."""
        materials = list(dict.fromkeys(patches.materials))
        places = {material: place for place, material in enumerate(materials)}
        number = np.array([places[material] for material in patches.materials], np.int64)
        pairs, which = np.unique(np.column_stack([number, old]), axis=0, return_inverse=True)
        made = np.empty(len(pairs), np.int64)
        for pair, (place, texdata) in enumerate(pairs.tolist()):
            material = materials[place]
            if material is None:
                if texdata >= 0:
                    concerned = np.flatnonzero(which.reshape(-1) == pair)
                    raise patches.refused("{}: faces have no material", concerned)
                made[pair] = -1
            elif self._stands_for(material, texdata):
                made[pair] = texdata
            else:
                width, height = self.sizes[texdata].tolist() if texdata >= 0 else (64, 64)
                made[pair] = self.textures.texdata(material, (width, height))
        return made[which.reshape(-1)] if len(pairs) else np.zeros(0, np.int64)

    def _stands_for(self, material: bpy.types.Material, texdata: int) -> bool:
        """Whether a material is that of a texdata, by the name that it now has; of faces without one: none."""
        if texdata < 0:
            return self.textures.is_nameless(material)
        names = self.level.texture_names.names
        string = int(self.level.table(LumpId.TEXDATA)["name_string_table_id"][texdata])
        if not 0 <= string < len(names):
            return self.textures.is_nameless(material)
        return self.textures.name(material).lower() == names[string].replace("\\", "/").lower()

    def _report_flags(self, flags: NDArray[np.uint32], texdata: Ints) -> None:
        """Warn of faces that have other flags than those that were compiled with their new texture."""
        names = self.level.texture_names.names
        known = self.level.table(LumpId.TEXDATA)["name_string_table_id"]
        for number in np.unique(texdata).tolist():
            users = self.texinfos["flags"][self.texinfos["texdata"] == number]
            if not len(users):
                continue
            apart = (flags[texdata == number] ^ users[0]) & int(_MATERIAL_FLAGS)
            if apart.any():
                differing = ", ".join(
                    flag.name.lower() for flag in _MATERIAL_FLAGS if flag.name and (apart & int(flag)).any()
                )
                self.report.warn(
                    f"texture {names[known[number]]}, given to {number_of(int((apart > 0).sum()), 'faces')}. Flags "
                    f"stay, and differ from what was compiled with it in {differing}"
                )

    # ---------------------------------------------------------------------------------------------------- vectors

    def _vectors(self, faces: Ints) -> Floats:
        """float64[n, 2, 4], 0 where a face has none."""
        vectors = np.zeros((len(faces), 2, 4))
        known = np.flatnonzero(self.textured[faces])
        vectors[known] = self.texinfos["texture_vecs"][self.records["texinfo"][faces[known]]]
        return vectors

    def _scaled(self, faces: Ints, old: Ints, new: Ints) -> tuple[Floats, Bools]:
        """Vectors that lay a texture of another size as Blender does, and which faces have such ones."""
        sizes = _sizes(self.level.table(LumpId.TEXDATA))
        ratio = sizes[new] / self.sizes[old]  # -1: the last row, of those that have none
        return self._vectors(faces) * ratio[:, :, None], (ratio != 1).any(axis=1)

    def _solve(self, patches: Patches, edited: Ints, texdata: Ints, vectors: Floats) -> None:
        """Put the vectors of edited patches in place."""
        if not len(edited):
            return
        place = np.full(len(patches.faces), -1, np.int64)
        place[edited] = np.arange(len(edited))
        corners = np.flatnonzero(place[patches.owners] >= 0)
        owners, points, uv = place[patches.owners[corners]], patches.points[corners], patches.uv[corners]
        hurt = ~(np.isfinite(points).all(axis=1) & np.isfinite(uv).all(axis=1))
        if hurt.any():
            raise patches.refused("{}: UVs of faces are NaN or infinite", edited[np.unique(owners[hurt])])
        sizes = _sizes(self.level.table(LumpId.TEXDATA))[texdata[edited]]
        keys = np.column_stack([self.records["texinfo"][patches.faces[edited]], texdata[edited]])
        _, groups = np.unique(keys, axis=0, return_inverse=True)
        made = solve(vectors[edited], points, uv.astype(np.float64), owners, sizes, groups.reshape(-1))
        if made.bent.any():
            worst = float(made.residuals[made.bent].max())
            raise patches.refused(
                f"the UVs of {number_of(int(made.bent.sum()), 'faces')} in {{}} are bent or torn, by up to "
                f"{worst:.3g} texels: a map's texture lies flat on a face, moved, turned, scaled or slanted",
                edited[made.bent],
            )
        vectors[edited] = made.vectors


def _escaped(text: str) -> str:
    """A text in which nothing is filled in."""
    return text.replace("{", "{{").replace("}", "}}")


def _sizes(texdata: Records) -> Floats:
    """float64[n + 1, 2]: pixels of textures; 1 where there are none, and at the end, for those that aren't there."""
    sizes = np.ones((len(texdata) + 1, 2))
    sizes[:-1] = np.column_stack([texdata["width"], texdata["height"]]).clip(min=1)
    return sizes
