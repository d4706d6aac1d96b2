# SPDX-License-Identifier: GPL-3.0-or-later
"""The texinfos of brush sides that were moved, reshaped, textured anew or are new (source.md "Texinfo").

A side that is where and as it was keeps its texinfo. One that a rigid move took elsewhere takes its texture and its
luxels along, so that its light can be copied. Any other keeps its luxels in their place as long as they lie on it,
otherwise they follow the texture's axes, as vbsp lays them.
"""

from dataclasses import dataclass

import numpy as np

from ... import matrices, ranges
from ...arrays import Bools, Floats, Ints, Records
from .. import geometry
from ..edits.changes import Changes
from ..edits.texture_vectors import share
from ..level import Level
from ..lumps import LumpId
from ..records import SurfaceFlag
from ..vmf import texture_axes, tools
from ..vmf.materials import originals
from ..vmf.solids import Compiled, texture_names

KEPT = -1
"""A texdata: that which the side has."""
_SAID = ("texinfo", "smoothing_groups", "orig_face")
"""Fields of faces that edits of these change."""
_SAME = 1e-6
"""Of a texture vector's size: what differs by less is the same."""
_NOT_DRAWN = int(SurfaceFlag.NODRAW | SurfaceFlag.NOLIGHT)
_TOOLS: tuple[tuple[str, int], ...] = (
    ("tools/toolsskybox2d", int(SurfaceFlag.SKY | SurfaceFlag.SKY2D | SurfaceFlag.NOLIGHT)),
    ("tools/toolsskybox", int(SurfaceFlag.SKY | SurfaceFlag.NOLIGHT)),
    ("tools/toolstrigger", int(SurfaceFlag.TRIGGER | SurfaceFlag.NOLIGHT)),
    ("tools/toolsinvisibleladder", _NOT_DRAWN),
    ("tools/toolsinvisible", _NOT_DRAWN | int(SurfaceFlag.TRANS)),
    ("tools/toolsblockbullets", _NOT_DRAWN | int(SurfaceFlag.TRANS)),
    ("tools/toolshint", _NOT_DRAWN | int(SurfaceFlag.HINT)),
    ("tools/toolsskip", _NOT_DRAWN | int(SurfaceFlag.SKIP)),
    ("tools/toolsblack", int(SurfaceFlag.NOLIGHT)),
)
"""The flags that vbsp gives sides of tool textures, as far as maps show them; of others in that folder: not drawn."""


def flags_of(name: str) -> int:
    """The flags of a texture that no side of the map has yet: tool textures say theirs by their names."""
    folded = name.lower()
    if not folded.startswith(tools.FOLDER):
        return 0
    return next((flags for start, flags in _TOOLS if folded.startswith(start)), _NOT_DRAWN)


@dataclass(frozen=True, slots=True, eq=False)
class WantedSides:
    """n sides as they shall be."""

    records: Ints
    """int64[n]: the rows of BRUSHSIDES that they were, -1: new ones."""
    normals: Floats
    """float64[n, 3]: out of the brush."""
    vectors: Floats
    """float64[n, 2, 4]: s and t in texels; NaN: as the side of before had them, moved along with it."""
    luxels: Floats
    """float64[n]: units a luxel, of new sides."""
    texdata: Ints
    """int64[n]: KEPT or another one."""
    moves: Floats
    """float64[n, 4, 4]: what took each side to where it is; NaN where no rigid move did."""

    def __len__(self) -> int:
        return len(self.records)


class SideTexinfos:
    """The texinfos that sides of the original have, and the faces on them. compiled: the original's brushes."""

    def __init__(self, before: Level, compiled: Compiled) -> None:
        self.before, self.compiled = before, compiled
        sides = before.table(LumpId.BRUSHSIDES)
        faces = before.table(geometry.drawn_faces(before))
        self.numbers: Ints = sides["texinfo"].astype(np.int64)
        """int64[sides]: the texinfo of each, that of its first face where it has some."""
        records = compiled.solids.records
        lying = np.flatnonzero(compiled.face_sides >= 0)
        self.side_of_face = np.full(len(faces), -1, np.int64)
        """int64[faces]: the row of the side that each drawn face lies on, -1: none."""
        self.side_of_face[lying] = records[compiled.face_sides[lying]]
        self.numbers[self.side_of_face[lying[::-1]]] = faces["texinfo"][lying[::-1]]

    def has_texinfo(self, side: int) -> bool:
        """Whether a row of BRUSHSIDES has a texinfo that is there."""
        return 0 <= int(self.numbers[side]) < len(self.before.table(LumpId.TEXINFO))

    def brush_of(self, sides: Ints) -> Ints:
        """int64[n]: the brush that each of these rows of BRUSHSIDES belongs to, -1: none."""
        table = self.before.table(LumpId.BRUSHES)
        counts = table["numsides"].astype(np.int64)
        found = np.full(len(self.numbers), -1, np.int64)
        found[ranges.flat(table["firstside"].astype(np.int64), counts)] = ranges.owners(counts)
        return np.asarray(found[sides])

    def edited_faces(self, level: Level) -> Ints:
        """The drawn faces of the world, numbers of before, that say something else of themselves in `level`: int64[n].

        Other models may have been built anew there; the world's faces are still the same ones.
        """
        drawn = geometry.drawn_faces(self.before)
        model, now = self.before.table(LumpId.MODELS)[0], level.table(LumpId.MODELS)[0]
        first, count = int(model["firstface"]), int(model["numfaces"])
        was = self.before.table(drawn)[first : first + count]
        start = int(now["firstface"])
        here = level.table(drawn)[start : start + count]
        if len(was) != len(here):
            return np.zeros(0, np.int64)
        other = np.any([was[name] != here[name] for name in _SAID], axis=0)
        return first + np.flatnonzero(other)

    def put(self, level: Level, wanted: WantedSides) -> Ints:
        """The number of each side's texinfo, int64[n]; rows that aren't there yet are added to the level.

        Raises FormatError for more texinfos than can be told.
        """
        changes = Changes(level)
        table = changes.table(LumpId.TEXINFO)
        known = wanted.records >= 0
        old = np.where(known, self.numbers[wanted.records.clip(0)] if len(self.numbers) else -1, -1)
        there = (old >= 0) & (old < len(table))
        rows = np.zeros(len(wanted), table.dtype)
        rows[there] = table[old[there]]
        fresh = ~there | (wanted.texdata != KEPT)
        self._give_textures(level, rows, wanted, fresh)
        was = rows["texture_vecs"].astype(np.float64)
        carried = np.isfinite(wanted.moves).all(axis=(1, 2))
        now = np.where(np.isnan(wanted.vectors), moved(was, wanted.moves, carried), wanted.vectors)
        same = there & (np.abs(now - was) <= _SAME * np.maximum(np.abs(was), 1)).all(axis=(1, 2))
        lost = ~same & ~texture_axes.usable(now, wanted.normals)
        now[lost] = texture_axes.standard(wanted.normals[lost])
        rows["texture_vecs"] = np.where(same[:, None, None], rows["texture_vecs"], now.astype(np.float32))
        light = rows["lightmap_vecs"].astype(np.float64)
        lies = there & (texture_axes.usable(light, wanted.normals) | same)
        laid = moved(light, wanted.moves, carried & lies)
        density = np.where(there, texture_axes.luxel_sizes(rows["lightmap_vecs"]), wanted.luxels)
        laid[~lies] = _along(now[~lies], density[~lies])
        rests = lies & (np.abs(laid - light) <= _SAME * np.maximum(np.abs(light), 1)).all(axis=(1, 2))
        rows["lightmap_vecs"] = np.where(rests[:, None, None], rows["lightmap_vecs"], laid.astype(np.float32))
        numbers = np.full(len(wanted), -1, np.int64)
        if there.any():
            numbers[there] = share(changes, rows[there], old[there])
        if (~there).any():
            numbers[~there] = share(changes, rows[~there])
        changes.apply()
        return numbers

    def _give_textures(self, level: Level, rows: Records, wanted: WantedSides, fresh: Bools) -> None:
        """Set texdata and flags of sides that have another texture than before: those that the map gives it."""
        if not fresh.any():
            return
        table = level.table(LumpId.TEXINFO)
        names = originals(level, texture_names(level, level.texture_names))
        texdata = level.table(LumpId.TEXDATA)["name_string_table_id"]
        flags: dict[int, int] = {}
        for number in np.unique(wanted.texdata[fresh]).tolist():
            string = int(texdata[number]) if 0 <= number < len(texdata) else -1
            known = level.texture_names.names
            name = known[string] if 0 <= string < len(known) else tools.NODRAW
            users = np.flatnonzero(table["texdata"] == number)
            if not len(users):
                users = np.array([n for n, each in enumerate(names) if each.lower() == name.lower()], np.int64)
            flags[number] = int(table["flags"][users[0]]) if len(users) else flags_of(name)
        chosen = np.flatnonzero(fresh)
        rows["texdata"][chosen] = wanted.texdata[chosen]
        rows["flags"][chosen] = np.array([flags[number] for number in wanted.texdata[chosen].tolist()])


def moved(vectors: Floats, moves: Floats, carried: Bools) -> Floats:
    """Vectors float64[n, 2, 4] that moves float64[n, 4, 4] took along; those that aren't carried, bool[n], stay."""
    made = vectors.copy()
    turned = vectors[carried, :, :3] @ matrices.inverse(moves[carried, :3, :3])
    made[carried, :, :3] = turned
    made[carried, :, 3] -= (turned @ moves[carried, :3, 3:])[:, :, 0]
    return made


def _along(vectors: Floats, sizes: Floats) -> Floats:
    """Lightmap vectors float64[n, 2, 4] along the axes of textures, float64[n] units a luxel (vbsp, textures.cpp)."""
    lengths = np.sqrt((vectors[:, :, :3] ** 2).sum(axis=2, keepdims=True))
    return np.asarray(vectors / np.maximum(lengths, 1e-12) / sizes[:, None, None])


def sides_of(level: Level, brushes: Ints) -> tuple[Ints, Ints]:
    """The rows in BRUSHSIDES of the sides of brushes int64[n] that are no bevels, in their order; where each brush's
    start, int64[n + 1]. The brushes' sides have to be there.
    """
    table, sides = level.table(LumpId.BRUSHES)[brushes], level.table(LumpId.BRUSHSIDES)
    counts = table["numsides"].astype(np.int64)
    rows = np.asarray(ranges.flat(table["firstside"].astype(np.int64), counts), np.int64)
    plain = sides["bevel"][rows] == 0
    return rows[plain], ranges.starts(np.bincount(ranges.owners(counts)[plain], minlength=len(brushes)))
