# SPDX-License-Identifier: GPL-3.0-or-later
"""The brushes of a level, of either kind of file, as arrays: polygons, records of faces, textures and appearance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

from .. import ranges
from ..arrays import Array, Floats, Int32s, Ints, Singles
from . import brushes, records, textures
from .brushes import Polygons
from .convert import lay_locked
from .editor_level import EditorBrush, EditorFace
from .map_file import MapLevel
from .records import BrushFlag, FaceFlag


class FaceAppearance(IntFlag):
    """What of a face's flags, and of its brush's, makes it look different."""

    MIRROR = 0x1
    FULLBRIGHT = 0x2
    SKY = 0x4
    TRANSLUCENT = 0x8
    INVISIBLE = 0x10


APPEARANCES = 0x20
_BLOCK = 1 << 12
"""Faces of a step's arrays: they stay in the processor's cache."""
_HASH_BITS = 16
_APPEARANCE_OF_FLAG = {
    FaceFlag.MIRROR: FaceAppearance.MIRROR,
    FaceFlag.FULLBRIGHT: FaceAppearance.FULLBRIGHT,
    FaceFlag.SKY: FaceAppearance.SKY,
    FaceFlag.TRANSLUCENT: FaceAppearance.TRANSLUCENT,
}
_APPEARANCES = np.array(
    [
        sum(shown for bit, shown in _APPEARANCE_OF_FLAG.items() if flags & bit)
        for flags in range(2 * max(_APPEARANCE_OF_FLAG))
    ],
    np.int64,
)
"""int64[n]: the Appearance for the lower bits of a face's flags."""


@dataclass(frozen=True)
class Geometry:
    """b brushes with faces, f faces, in the file's order."""

    numbers: Ints
    """[b]: of a `.map`'s brush its place in `MapLevel.table`, of a `.3dt`'s its number in `numbered_brushes`."""
    flags: NDArray[np.uint32]
    """[b], as in the file."""
    counts: Ints
    """[b]: faces of each brush."""
    faces: records.FaceArray
    """[f]: records of FACE; of a `.3dt`, what they would be in a `.map`."""
    fields: dict[str, Array]
    """What the file says of each face, [f] or [f, n], by the names of fields that a scene shows it under."""
    names: list[str]
    """The textures."""
    texture: Ints
    """[f]: the texture's place in `names`."""
    appearance: Ints
    """[f]: Appearance."""
    polygons: Polygons

    @property
    def brush_of_face(self) -> Ints:
        """int[f]: a number from 0 to b."""
        return ranges.owners(self.counts)

    @property
    def first_face(self) -> Ints:
        """int[b + 1]: the first face of each brush."""
        return ranges.starts(self.counts)

    def uvs(self, sizes: Floats) -> Singles:
        """UVs of the corners, float32[c, 2]. sizes: float64[f, 2], width and height of each face's texture."""
        polygons, made = self.polygons, np.empty((len(self.polygons.corners), 2), np.float32)
        for first in range(0, len(self.faces), _BLOCK):
            starts = polygons.first_corner[first : first + _BLOCK + 1]
            here, faces = slice(int(starts[0]), int(starts[-1])), slice(first, first + _BLOCK)
            owners = ranges.owners(np.diff(starts))
            points = polygons.positions.take(polygons.corners[here], axis=0)
            with np.errstate(all="ignore"):
                texels = textures.texels(self.faces[faces], points, owners)
                made[here] = textures.to_uv(texels, sizes[faces].take(owners, axis=0))
        made[~np.isfinite(made)] = 0  # scales of 0
        return made


def of_map(level: MapLevel) -> tuple[Geometry, Ints]:
    """The geometry of a `.map`, and the entity of each brush, int[b]."""
    table, faces = level.table()
    counts = table["num_faces"].astype(np.int64)
    polygons = brushes.polygons(faces, counts)
    fields = {name: faces[name] for name in ("flags", "face_light", "mip_map_bias", "alpha", "reflective_scale")}
    fields |= {"u_vec": faces["u_vec"], "v_vec": faces["v_vec"]}
    for name in ("draw_scale", "offset"):
        fields[name] = np.empty((len(faces), 2), np.float32)
        fields[name][:, 0], fields[name][:, 1] = faces[f"{name}_x"], faces[f"{name}_y"]
    names, texture = texture_numbers(faces)
    flags = table["flags"].copy()
    appearance = appearances(faces["flags"], flags, counts)
    made = Geometry(np.arange(len(table)), flags, counts, faces, fields, names, texture, appearance, polygons)
    return made, table["entity"].astype(np.int64)


def of_editor(leaves: Sequence[tuple[int, EditorBrush]]) -> Geometry:
    """The geometry of the brushes with faces of a `.3dt`, each with its number."""
    sides = [face for _, brush in leaves for face in brush.faces]
    counts = np.array([len(brush.faces) for _, brush in leaves], np.int64)
    polygons = _editor_polygons(sides, counts)
    faces = records.new_faces(len(sides))
    faces["normal"], faces["dist"], _ = _planes(polygons, sides)
    polygons = sound(polygons)
    editor_flags = np.array([face.flags for face in sides], np.int64)
    kinds, of_face = np.unique(editor_flags, return_inverse=True)
    faces["flags"] = np.array([records.face_flags_from_editor(int(kind)) for kind in kinds], np.int32)[of_face]
    columns = {
        "face_light": np.array([face.light for face in sides], np.float32),
        "mip_map_bias": np.array([face.mip_map_bias for face in sides], np.float32),
        "alpha": np.array([face.translucency for face in sides], np.float32),
        "reflective_scale": np.array([face.reflectivity for face in sides], np.float32),
    }
    for name, column in columns.items():
        faces[name] = column
    faces["tex_name"] = np.array([_field(face.texture) for face in sides], "V32")
    rotate = np.array([face.rotate for face in sides], np.float32)
    shift = np.array([face.shift for face in sides], np.int64).reshape(-1, 2).clip(-(2**31), 2**31 - 1).astype(np.int32)
    scale = np.array([face.scale for face in sides], np.float32).reshape(-1, 2)
    light_scale = np.array([face.light_scale for face in sides], np.float32).reshape(-1, 2)
    with np.errstate(all="ignore"):
        textures.lay(faces, rotate, scale, shift, light_scale)
    lay_locked(faces, sides)
    fields: dict[str, Array] = {"flags": editor_flags.astype(np.int32), **columns}
    fields |= {"rotate": rotate, "shift": shift, "scale": scale, "light_scale": light_scale}
    flags = np.array([brush.flags & 0xFFFFFFFF for _, brush in leaves], np.uint32)
    of_map_flags = np.array([records.brush_flags_from_editor(int(one)) for one in flags], np.uint32)
    names, texture = texture_numbers(faces)
    appearance = appearances(faces["flags"], of_map_flags, counts)
    numbers = np.array([number for number, _ in leaves], np.int64)
    return Geometry(numbers, flags, counts, faces, fields, names, texture, appearance, polygons)


def _field(name: str) -> bytes:
    """A texture's name as a record holds it; longer ones are cut, which a `.3dt` isn't."""
    return name.encode("latin-1", "replace")[: records.NAME_SIZE - 1].ljust(records.NAME_SIZE, b"\0")


def texture_numbers(faces: records.FaceArray) -> tuple[list[str], Ints]:
    """The names of all textures, each once, and the number of each face's, int64[n]."""
    raw = np.ascontiguousarray(faces["tex_name"])
    like = _alike(raw.view(np.uint64).reshape(-1, records.NAME_SIZE // 8))
    first = np.flatnonzero(like == np.arange(len(raw)))
    first = first[np.argsort(raw[first].view("S32"))]
    names = records.texture_names(faces[first])
    unique = list(dict.fromkeys(names))
    place = {name: number for number, name in enumerate(unique)}
    numbers = np.empty(len(raw), np.int64)
    numbers[first] = [place[name] for name in names]
    return unique, numbers.take(like)


def _alike(rows: NDArray[np.uint64]) -> Ints:
    """For each row, the number of one that equals it, the same one for all that do. rows: uint64[n, k].

    A hash table: its places are those of the row that came last, and rows that find another one there have another turn
    with other factors. Sorting takes several times as long.
    """
    like = np.empty(len(rows), np.int64)
    table = np.empty(1 << _HASH_BITS, np.int64)
    random = np.random.default_rng()
    left = np.arange(len(rows))
    while len(left):
        factors = random.integers(0, 1 << 64, rows.shape[1], np.uint64) | np.uint64(1)
        some = rows.take(left, axis=0)
        places = (some @ factors >> np.uint64(64 - _HASH_BITS)).astype(np.int64)
        table[places] = left
        found = table.take(places)
        same = (rows.take(found, axis=0) == some).all(axis=1)
        like[left[same]] = found[same]
        left = left[~same]
    return like


def appearances(face_flags: Int32s, flags: NDArray[np.uint32], counts: Ints) -> Ints:
    """The Appearance of each face, int64[n]. flags: of brushes, which have so many faces as counts say."""
    appearance = _APPEARANCES.take(face_flags & len(_APPEARANCES) - 1)
    hidden = (flags & int(BrushFlag.CLIP | BrushFlag.HINT)) != 0
    hidden |= ((flags & int(BrushFlag.AREA)) != 0) & ((flags & int(BrushFlag.SOLID)) == 0)
    invisible = np.repeat(hidden, counts)
    back = np.repeat((flags & int(BrushFlag.SHEET)) != 0, counts)
    starts = np.cumsum(counts) - counts
    back[starts[counts > 0]] = False  # of a sheet, only the first face can be seen
    appearance[invisible | back] = int(FaceAppearance.INVISIBLE)
    return appearance


def _editor_polygons(sides: Sequence[EditorFace], counts: Ints) -> Polygons:
    """The polygons of a `.3dt`: corners that lie at the very same point of a brush are one vertex."""
    sizes = np.array([len(face.points) for face in sides], np.int64)
    first_corner = ranges.starts(sizes)
    points = np.concatenate([np.empty((0, 3), np.float32), *(face.points for face in sides)])
    # The file goes clockwise as seen from outside: each ring backwards, beginning with the same corner.
    place = np.arange(len(points)) - np.repeat(first_corner[:-1], sizes)
    points = points[np.repeat(first_corner[:-1], sizes) + (-place) % np.repeat(sizes, sizes)]
    brush = np.repeat(ranges.owners(counts), sizes)
    rows = np.zeros(len(points), [("brush", "<i8"), ("point", "<f4", (3,))])
    rows["brush"], rows["point"] = brush, points + np.float32(0)  # -0.0 is 0.0
    _, chosen, corners = np.unique(rows.view("V20"), return_index=True, return_inverse=True)
    order = np.lexsort((chosen, brush[chosen]))  # by brush, then as they come
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    vertex_brush = brush[chosen[order]]
    first_vertex = ranges.starts(np.bincount(vertex_brush, minlength=len(counts)))
    return Polygons(
        points[chosen[order]].astype(np.float64),
        first_vertex,
        rank[corners.reshape(-1)],
        first_corner,
        np.ones(len(counts), np.bool_),
    )


def sound(polygons: Polygons) -> Polygons:
    """Only the polygons that a mesh can hold: of three corners or more, none of them twice, each once."""
    sizes = np.diff(polygons.first_corner)
    sound = sizes >= 3
    for size in np.unique(sizes[sound]).tolist():
        alike = np.flatnonzero(sizes == size)
        rings = np.sort(polygons.corners[polygons.first_corner[alike, None] + np.arange(size)], axis=1)
        repeats = np.ones(len(alike), np.bool_)
        repeats[np.unique(rings, axis=0, return_index=True)[1]] = False
        sound[alike] = ~repeats & (np.diff(rings, axis=1) > 0).all(axis=1)
    if sound.all():
        return polygons
    corners = polygons.corners[np.repeat(sound, sizes)]
    first_corner = ranges.starts(np.where(sound, sizes, 0))
    return replace(polygons, corners=corners, first_corner=first_corner)


def _planes(polygons: Polygons, sides: Sequence[EditorFace]) -> tuple[Floats, Floats, Floats]:
    """The planes of a `.3dt`'s faces; where a polygon has no area, any."""
    if not len(sides):
        return np.empty((0, 3)), np.empty(0), np.empty(0)
    return brushes.planes(polygons.positions, polygons.corners, polygons.first_corner)
