# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of textures on faces, how they lie, and flags: texinfos, which faces share (source.md §2.4, §2.7, §3).

A face gets a row of its own, or that of faces that lie the same; lightmap vectors and with them the lighting stay. Its
original face and its side of a brush follow where they go with it: those are for decompilers and tools alone, and maps
that are protected from these have them no more.
"""

import numpy as np
import numpy.typing as npt

from ... import ranges
from ...arrays import Array, Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..faces import face_sides
from ..geometry import Polygons
from ..level import Level
from ..lumps import LumpId, lump_name
from ..tree import brushes
from . import face_fields
from .changes import Changes, fitting, numbered, room_for
from .texture_fits import TOLERANCE, fit

_ALIKE = 0.9  # of the original faces, in maps where these have texinfos that mean something


def assign(
    level: Level,
    faces: npt.ArrayLike,
    vectors: npt.ArrayLike | None = None,
    texdata: npt.ArrayLike | None = None,
    flags: npt.ArrayLike | None = None,
) -> None:
    """Give faces other texture vectors, other textures, or other flags.

    faces: int[n], of the drawn faces. vectors: float[n, 2, 4] as `texture_vecs`: s and t in texels. texdata: int[n].
    flags: int[n], SurfaceFlags; those of a new texture's material have to go with it, BUMPLIGHT above all, which says
    how many lightmaps a face has: with another one than its light was made for, all of that is misread. What is left
    out stays.

    Raises FormatError for faces and texdata that aren't there, faces without a texinfo, vectors that are no numbers,
    flags that 32 bits can't hold, and for more texinfos than faces can name.
    """
    changes = Changes(level)
    drawn = geometry.drawn_faces(level)
    table = changes.table(drawn)
    wanted = face_fields.distinct(faces, len(table), drawn)
    if not geometry.valid_texinfos(level, table[wanted]).all():
        bad = int(wanted[(~geometry.valid_texinfos(level, table[wanted])).argmax()])
        raise FormatError(f"face {bad} has no texinfo", lump_name(drawn))
    old = table["texinfo"].astype(np.int64)
    new = old.copy()
    new[wanted] = _shared(changes, old[wanted], vectors, texdata, flags)
    for each in face_fields.tables(changes):
        each["texinfo"][wanted] = new[wanted]
    touched = np.flatnonzero(old != new)
    for follow in (_original_faces, _brush_sides) if len(touched) else ():
        try:
            follow(changes, table, old, new, touched)
        except FormatError:  # taken out of the map, or damaged, so that they are of no use to any tool
            continue
    changes.apply()


def assign_sides(
    level: Level,
    sides: npt.ArrayLike,
    vectors: npt.ArrayLike | None = None,
    texdata: npt.ArrayLike | None = None,
    flags: npt.ArrayLike | None = None,
) -> None:
    """As `assign`, of sides of brushes, int[n] of BRUSHSIDES: of models without faces, nothing else has a texture."""
    changes = Changes(level)
    table, wanted = changes.table(LumpId.BRUSHSIDES), np.asarray(sides, np.int64).reshape(-1)
    if len(numbered(wanted, len(table), LumpId.BRUSHSIDES)) != len(wanted):
        raise FormatError("a side is named twice", lump_name(LumpId.BRUSHSIDES))
    old = table["texinfo"][wanted].astype(np.int64)
    bad = (old < 0) | (old >= len(changes.table(LumpId.TEXINFO)))
    if bad.any():
        raise FormatError(f"side {wanted[bad.argmax()]} has no texinfo", lump_name(LumpId.BRUSHSIDES))
    table["texinfo"][wanted] = _shared(changes, old, vectors, texdata, flags)
    changes.apply()


def _shared(
    changes: Changes,
    old: Ints,
    vectors: npt.ArrayLike | None,
    texdata: npt.ArrayLike | None,
    flags: npt.ArrayLike | None,
) -> Ints:
    """The texinfos int64[n] that are as old ones int64[n], but for other vectors, textures or flags."""
    rows = changes.table(LumpId.TEXINFO)[old]
    if vectors is not None:
        made = np.asarray(vectors, np.float64)
        with np.errstate(over="ignore"):
            narrow = made.astype(np.float32)
        if made.shape != (len(old), 2, 4) or not np.isfinite(narrow).all():
            raise FormatError(f"{made.shape} numbers, finite ones of the shape ({len(old)}, 2, 4) are meant", "vectors")
        rows["texture_vecs"] = narrow
    if texdata is not None:
        numbered(texdata, len(changes.level.table(LumpId.TEXDATA)), LumpId.TEXDATA)
        rows["texdata"] = texdata
    if flags is not None:
        rows["flags"] = fitting(flags, rows["flags"], "flags of faces")
    return share(changes, rows, old)


def share(changes: Changes, rows: Records, old: Ints | None = None) -> Ints:
    """The numbers of texinfos: of rows that are there already, or else of new ones; each is there but once.

    old: the number that each row had; those that are still the same keep it. Raises FormatError for too many.
    """
    table = changes.table(LumpId.TEXINFO)
    text = f"S{table.dtype.itemsize}"  # compares all bytes, as all have one length
    known, wanted = (np.frombuffer(part.tobytes(), text) for part in (table, rows))
    _, first, where = np.unique(np.concatenate([known, wanted]), return_index=True, return_inverse=True)
    numbers: Ints = first[where.reshape(-1)[len(known) :]].astype(np.int64)
    if old is not None:
        numbers = np.where(known[old] == wanted, old, numbers).astype(np.int64)
    fresh = np.unique(numbers[numbers >= len(known)])
    numbers[numbers >= len(known)] = len(known) + np.searchsorted(fresh, numbers[numbers >= len(known)])
    if len(fresh):
        users = (changes.level.layout(lump).dtype for lump in (*face_fields.DRAWN, LumpId.BRUSHSIDES))
        most = min(int(np.iinfo(dtype["texinfo"]).max) for dtype in users if dtype is not None)
        if len(known) + len(fresh) > most:
            raise FormatError(f"would have {len(known) + len(fresh)}, {most} can be told", lump_name(LumpId.TEXINFO))
        room_for(changes.level, LumpId.TEXINFO, len(known), len(fresh))
        changes.append(LumpId.TEXINFO, rows[fresh - len(known)])
    return numbers


def _original_faces(changes: Changes, faces: Records, old: Ints, new: Ints, touched: Ints) -> None:
    """Have original faces follow of which all faces went the same way.

    Most compilers leave numbers in them from before unused texinfos were left out; then they mean nothing, and stay.
    """
    originals = changes.table(LumpId.ORIGINALFACES)
    of = faces["orig_face"].astype(np.int64)
    there = (of >= 0) & (of < len(originals))
    if not there.any() or (originals["texinfo"][of[there]] == old[there]).mean() < _ALIKE:
        return
    concerned = np.isin(of, of[touched]) & there & (originals["texinfo"][np.where(there, of, 0)] == old)
    _follow(originals["texinfo"], of[concerned], new[concerned])


def _follow(numbers: Array, which: Ints, new: Ints) -> None:
    """Set `numbers[which]` to `new` in place, where all entries of one agree."""
    least = np.full(len(numbers), np.iinfo(np.int64).max)
    most = np.full(len(numbers), -1)
    np.minimum.at(least, which, new)
    np.maximum.at(most, which, new)
    agree = least == most
    numbers[agree] = most[agree]


def _brush_sides(changes: Changes, faces: Records, old: Ints, new: Ints, touched: Ints) -> None:
    """Have brush sides follow: of the face's model, on its plane, with its texinfo, and around its middle."""
    level = changes.level
    sides, brush = changes.table(LumpId.BRUSHSIDES), level.table(LumpId.BRUSHES)
    planes = len(level.table(LumpId.PLANES))
    texinfos = len(changes.table(LumpId.TEXINFO))

    def keys(model: Ints, records: Records, texinfo: Array) -> Ints:
        return np.asarray((model * planes + records["planenum"].astype(np.int64)) * texinfos + texinfo)

    face_keys = keys(face_sides.models_of_faces(level, len(faces)), faces, old)
    concerned = np.flatnonzero(np.isin(face_keys, face_keys[touched]))

    which, owners = face_sides.listed(brush["firstside"], brush["numsides"], len(sides), LumpId.BRUSHES)
    side_keys = keys(brushes.of_models(level)[owners], sides[which], sides["texinfo"][which].astype(np.int64))
    used = np.unique(owners[np.isin(side_keys, face_keys[touched])])
    if not len(used):
        return
    solids = brushes.solids(level, used)
    candidates = keys(
        brushes.of_models(level)[used][ranges.owners(solids.brushes["numsides"])],
        sides[solids.sides],
        sides["texinfo"][solids.sides].astype(np.int64),
    )
    middles = face_sides.middles(geometry.polygons(level))[concerned]
    found = []
    for face, side in face_sides.joined(face_keys[concerned], candidates):
        within = face_sides.around(middles[face], solids, side)
        found.append((solids.sides[side[within]], new[concerned[face[within]]]))
    if found:
        _follow(sides["texinfo"], *(np.concatenate(part) for part in zip(*found, strict=True)))


# --------------------------------------------------------------------------------------------------- moved coordinates


def solve(
    level: Level, polygons: Polygons, faces: npt.ArrayLike, texels: npt.ArrayLike, tolerance: float = TOLERANCE
) -> Floats:
    """Texture vectors for coordinates that were moved: float64[n, 2, 4] for `assign`.

    polygons: of the drawn faces. faces: int[n]. texels: float[corners, 2], s and t of the corners of these faces, one
    face after another, as `geometry.texels` gives them. What the corners moved by is put onto the old vectors as a
    change within the face's plane, so that the part across it, and rounding of corners that didn't move, stay.

    Raises FormatError where a corner is further than `tolerance` texels from where any affine map of a face's plane can
    put it; the message names the first such face and by how much (`misfits` gives all).
    """
    vectors, residuals = _fit(level, polygons, faces, texels)
    if (residuals > tolerance).any():
        place = int((residuals > tolerance).argmax())
        face = int(np.asarray(faces, np.int64)[place])
        message = f"face {face}: its coordinates are {residuals[place]:.3g} texels from those of any flat texture"
        more = int((residuals > tolerance).sum()) - 1
        raise FormatError(f"{message}; {more} more such faces" if more else message, "texture coordinates")
    return vectors


def misfits(level: Level, polygons: Polygons, faces: npt.ArrayLike, texels: npt.ArrayLike) -> Floats:
    """float64[n]: how many texels the worst corner of each face is away from an affine map; arguments as of `solve`."""
    return _fit(level, polygons, faces, texels)[1]


def _fit(level: Level, polygons: Polygons, faces: npt.ArrayLike, texels: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Vectors float64[n, 2, 4], and how far the worst corner is from where they put it float64[n]."""
    numbers = np.asarray(faces, np.int64).reshape(-1)
    drawn = level.table(geometry.drawn_faces(level))
    numbered(numbers, len(drawn), geometry.drawn_faces(level))
    if not geometry.valid_texinfos(level, drawn[numbers]).all():
        raise FormatError("a face has no texinfo", "texture coordinates")
    counts = np.diff(polygons.first_corner)[numbers]
    owners = ranges.owners(counts)
    corners = polygons.corners[ranges.flat(polygons.first_corner[numbers], counts)]
    wanted = np.asarray(texels, np.float64)
    if wanted.shape != (len(corners), 2) or not np.isfinite(wanted).all():
        raise FormatError(f"{wanted.shape} numbers for {len(corners)} corners, finite pairs are meant", "texels")
    points = polygons.positions.astype(np.float64)[corners]
    old = level.table(LumpId.TEXINFO)["texture_vecs"][drawn["texinfo"][numbers]].astype(np.float64)
    if not (np.isfinite(points).all() and np.isfinite(old).all()):
        raise FormatError("a corner or a texture vector of these faces is NaN or infinite", "texture coordinates")
    return fit(old, points, wanted, owners)
