# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of what faces say besides their shape and texture: smoothing groups, original faces, normals of their corners
(source.md §2.4).

FACES and FACES_HDR have the same faces, and get the same. Compilers make the normals by the smoothing groups and the
light by both; the game goes by the normals alone, so that neither follows the other here.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ...arrays import Ints, Records
from ...binary import FormatError
from .. import geometry
from ..level import Level
from ..lumps import LumpId, lump_name
from .brush_tables import vector_numbers
from .changes import Changes, fitting, numbered

DRAWN = (LumpId.FACES, LumpId.FACES_HDR)
"""The lumps of faces that are drawn."""


def change(
    level: Level,
    faces: npt.ArrayLike,
    smoothing_groups: npt.ArrayLike | None = None,
    orig_face: npt.ArrayLike | None = None,
) -> None:
    """Give faces other smoothing groups, or other original faces.

    faces: int[n], of the drawn faces, each once. smoothing_groups: int[n], 32 bits. orig_face: int[n], numbers in
    ORIGINALFACES, -1: none. What is left out stays.

    Raises FormatError for faces and original faces that aren't there, and values that the records can't hold.
    """
    changes = Changes(level)
    drawn = geometry.drawn_faces(level)
    wanted = distinct(faces, len(changes.table(drawn)), drawn)
    if orig_face is not None:
        known = np.asarray(orig_face, np.int64)
        numbered(known[known != -1], len(level.table(LumpId.ORIGINALFACES)), LumpId.ORIGINALFACES)
    for table in tables(changes):
        for name, values in (("smoothing_groups", smoothing_groups), ("orig_face", orig_face)):
            if values is not None:
                table[name][wanted] = fitting(values, table[name][wanted], f"{name} of faces")
    changes.apply()


def set_normals(level: Level, corners: npt.ArrayLike, normals: npt.ArrayLike) -> None:
    """Give corners of faces other normals: rows of VERTNORMALS that are there already, or new ones behind these.

    corners: int[n], places in `geometry.Polygons.corners` of the drawn faces. normals: float[n, 3] of length 1.

    Raises FormatError in maps that have no normal for each corner, for corners that aren't there, normals that are NaN
    or infinite, and for more normals than can be told.
    """
    changes = Changes(level)
    if geometry.normal_numbers(level, geometry.polygons(level)) is None:
        raise FormatError("the map has no normals of faces' corners", lump_name(LumpId.VERTNORMALINDICES))
    indices, table = changes.table(LumpId.VERTNORMALINDICES), changes.table(LumpId.VERTNORMALS)
    wanted = np.asarray(corners, np.int64).reshape(-1)
    numbered(wanted, len(indices), LumpId.VERTNORMALINDICES)
    made = np.zeros(len(wanted), table.dtype)
    made["normal"] = fitting(normals, made["normal"], "normals of faces' corners")
    numbers = vector_numbers(changes, LumpId.VERTNORMALS, made["normal"], nameless=True)
    count, most = len(changes.table(LumpId.VERTNORMALS)), int(np.iinfo(indices.dtype["normal"]).max)
    if count > most + 1:
        raise FormatError(f"would have {count}, {most + 1} can be told", lump_name(LumpId.VERTNORMALS))
    indices["normal"][wanted] = numbers
    changes.apply()


def distinct(faces: npt.ArrayLike, count: int, drawn: LumpId) -> Ints:
    """Numbers of faces, int64[n], in their order. Raises FormatError for one that isn't there, or is named twice."""
    wanted = np.asarray(faces, np.int64).reshape(-1)
    if len(numbered(wanted, count, drawn)) != len(wanted):
        raise FormatError("a face is named twice", lump_name(drawn))
    return wanted


def tables(changes: Changes) -> Iterator[Records]:
    """The filled lumps of drawn faces, to be written to. Raises FormatError where they have different faces."""
    count = len(changes.table(geometry.drawn_faces(changes.level)))
    for lump in DRAWN:
        if len(changes.level.bytes_of(lump)):
            if len(changes.table(lump)) != count:
                raise FormatError(f"{len(changes.table(lump))} faces, others are {count}", lump_name(lump))
            yield changes.table(lump)
