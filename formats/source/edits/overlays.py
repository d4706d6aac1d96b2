# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of overlays, with the rows of OVERLAY_FADES and OVERLAY_SYSTEM_LEVELS that go with them (source.md §2.7, §3).

An overlay names the faces that it is painted on: whenever it goes elsewhere, these are found anew (`overlay_faces`), as
all of the world's that it covers a part of. Those that it covered before without being painted on them, which the level
designer has not chosen, stay without it; a list that need not change doesn't.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ...arrays import Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..level import Level
from ..lumps import LumpId, lump_name
from ..placed import overlay_quads, overlay_rows
from ..tables.fields import overlay_counts
from . import overlay_faces
from .changes import FARTHEST, Changes, Fields, fitting, numbered, put, room_for
from .overlay_faces import OFF_PLANE, Reach
from .texture_vectors import share

TEXDATA, RENDER_ORDER, FACES, FADE = "texdata", "render_order", "faces", "fade"

_LEAST_AREA = 1e-4  # of an overlay, in units
_NOWHERE = (0.0, 0.0, 0.0, -99999.0)  # of an overlay's texinfo, which only names a texture
_PLACE = ("origin", "basis_normal", "basis_u", "uv_points")
_COUNT_BITS = 14
_OWN = {"face_count_and_render_order"}
_FADES_SINCE = 20  # the version of maps


def change(level: Level, overlays: Mapping[int, Fields]) -> None:
    """Change fields of overlays, by number.

    Fields: those of the record, and "texdata" (its number), "render_order" (0 to 3), "faces" (numbers; found by where
    it lies if left out), "fade" (the distances in units where it begins to fade and is gone), and the four levels
    of OVERLAY_SYSTEM_LEVELS. `placed` gives the fields for other corners.

    Raises FormatError for fields that there are none of and values that they cannot hold, for overlays that lie on no
    face or on more than they can name, and for maps whose overlays are no table.
    """
    edit = _OverlayEdit(level)
    numbered(list(overlays), len(edit.overlays), LumpId.OVERLAYS)
    for number, fields in overlays.items():
        edit.set(number, fields)
    moved = [n for n, fields in overlays.items() if FACES not in fields and any(name in _PLACE for name in fields)]
    edit.find_faces(moved, {number: number for number in moved})
    edit.changes.apply()


def add(level: Level, overlays: Sequence[Fields], copied: Sequence[int | None] | None = None) -> list[int]:
    """Add overlays behind the others; returns their numbers. `overlays`: fields as in `change`, "origin",
    "basis_normal", "uv_points" and "texdata" or "texinfo" at least. copied: of each the overlay that it is a copy of,
    None for what is none. Raises FormatError as `change` does.
    """
    edit = _OverlayEdit(level)
    first = len(edit.overlays)
    room_for(level, LumpId.OVERLAYS, first, len(overlays))
    numbers = list(range(first, first + len(overlays)))
    numbered([one for one in copied or () if one is not None], first, LumpId.OVERLAYS)
    edit.grow(len(overlays))
    for number, fields in zip(numbers, overlays, strict=True):
        lacking = [name for name in ("origin", "basis_normal", "uv_points") if name not in fields]
        if lacking or not {TEXDATA, "texinfo"} & set(fields):
            raise FormatError(f"a new overlay needs {', '.join(lacking) or TEXDATA}", lump_name(LumpId.OVERLAYS))
        edit.set(number, fields)
    like = dict(zip(numbers, copied or [None] * len(numbers), strict=True))
    edit.find_faces([n for n, fields in zip(numbers, overlays, strict=True) if FACES not in fields], like)
    edit.changes.apply()
    return numbers


def remove(level: Level, numbers: Collection[int]) -> None:
    """Remove overlays; those behind move up. Raises FormatError for numbers that aren't there."""
    edit = _OverlayEdit(level)
    gone = numbered(list(numbers), len(edit.overlays), LumpId.OVERLAYS)
    for lump in (LumpId.OVERLAYS, *edit.beside):
        edit.changes.set_table(lump, np.delete(edit.changes.table(lump), gone))
    edit.changes.apply()


def placed(corners: npt.ArrayLike, old: Records | None = None) -> dict[str, npt.ArrayLike]:
    """The fields of an overlay whose corners are float[4, 3] points, in the order of `overlay_quads.corners`.

    old: its record, where it has one: the same movement of all corners changes its origin alone; in the old plane, its
    basis stays. Raises FormatError for corners that lie in no plane.
    """
    points = np.asarray(corners, np.float64)
    if points.shape != (4, 3) or not np.isfinite(points).all():
        raise FormatError("four points are meant", "corners of an overlay")
    if old is not None:
        record = np.atleast_1d(old)
        delta = points - overlay_quads.corners(record)[0]
        origin = record["origin"][0].astype(np.float64) + delta.mean(axis=0)
        if np.abs(delta - delta.mean(axis=0)).max() < 1e-3:
            return {"origin": origin}
    across = np.cross(points[2] - points[0], points[3] - points[1])  # clockwise from the front
    length = float(np.sqrt(across @ across))
    if length < _LEAST_AREA:
        raise FormatError("they span no area", "corners of an overlay")
    if old is not None:
        u, v = (vectors[0] for vectors in overlay_quads.bases(record))
        normal = record["basis_normal"][0].astype(np.float64)
        if np.abs((points - origin) @ normal).max() < OFF_PLANE / 4 and _are_a_basis(u, v):
            return {"origin": origin, "uv_points": _uv_points(record, points - origin, u, v)}
    origin = points.mean(axis=0)
    if np.abs((points - origin) @ across).max() > OFF_PLANE / 4 * length:
        raise FormatError("they lie in no plane", "corners of an overlay")
    normal = -across / length
    u = points[3] - points[0] + points[2] - points[1]
    u -= normal * (u @ normal)
    u /= max(float(np.sqrt(u @ u)), 1e-9)
    v = np.cross(normal, u)
    fields: dict[str, npt.ArrayLike] = {"origin": origin, "basis_normal": normal}
    uv = np.zeros((4, 3))
    uv[:, 0], uv[:, 1], uv[:3, 2] = (points - origin) @ u, (points - origin) @ v, u
    return fields | {"uv_points": uv}


def _are_a_basis(u: Floats, v: Floats) -> bool:
    return bool(abs(u @ u - 1) < 1e-3 and abs(v @ v - 1) < 1e-3)


def _uv_points(record: Records, away: Floats, u: Floats, v: Floats) -> Floats:
    """Corners on the basis, with what else stands in that field."""
    uv = record["uv_points"][0].astype(np.float64).copy()
    uv[:, 0], uv[:, 1] = away @ u, away @ v
    return np.asarray(uv)


class _OverlayEdit:
    """The overlays of a level while they are changed."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.changes = Changes(level)
        count = len(self.overlays)
        self.beside = overlay_rows.rows_beside(level, count)
        if not count and level.version >= _FADES_SINCE:
            self.beside = [LumpId.OVERLAY_FADES]

    @property
    def overlays(self) -> Records:
        """The records."""
        return self.changes.table(LumpId.OVERLAYS)

    def grow(self, count: int) -> None:
        """Have new records, with rows beside them; the first of a map get those that compilers write today."""
        new = np.zeros(count, self.overlays.dtype)
        new["id"] = int(self.overlays["id"].max(initial=-1)) + 1 + np.arange(count)
        new["u"], new["v"] = (0, 1), (0, 1)
        self.changes.append(LumpId.OVERLAYS, new)
        for lump in self.beside:
            rows = np.zeros(count, self.changes.table(lump).dtype)
            if lump == LumpId.OVERLAY_FADES:
                rows["fade_dist_min_sq"] = -1
            self.changes.append(lump, rows)

    def set(self, number: int, fields: Fields) -> None:
        """Set fields of an overlay. Raises FormatError."""
        what = f"overlay {number}"
        rest = dict(fields)
        for name in _OWN & rest.keys():
            raise FormatError(f"{name} follows from the faces and {RENDER_ORDER!r} and cannot be set", what)
        if FADE in rest:
            least, most = fitting(rest.pop(FADE), np.zeros(2), f"{FADE} of {what}").tolist()
            squared = {"fade_dist_min_sq": least * abs(least), "fade_dist_max_sq": most * abs(most)}
            put(self._beside(LumpId.OVERLAY_FADES, what), number, squared, what)
        levels = {name: rest.pop(name) for name in list(rest) if name.endswith(("cpu_level", "gpu_level"))}
        if levels:
            put(self._beside(LumpId.OVERLAY_SYSTEM_LEVELS, what), number, levels, what)
        if TEXDATA in rest:
            rest["texinfo"] = self._texinfo(rest.pop(TEXDATA))
        if "texinfo" in rest:
            numbered(rest["texinfo"], len(self.changes.table(LumpId.TEXINFO)), LumpId.TEXINFO)
        counts, orders = overlay_counts(self.overlays[number : number + 1])
        faces, order = rest.pop(FACES, None), rest.pop(RENDER_ORDER, int(orders[0]))
        put(self.overlays, number, rest, what)
        if "origin" in rest and np.abs(self.overlays["origin"][number]).max() > FARTHEST:
            raise FormatError(f"lies out of the world, which ends {FARTHEST:g} units from its middle", what)
        if order not in range(4):
            raise FormatError(f"render order {order}, 0 to 3 are allowed", what)
        self.overlays["face_count_and_render_order"][number] = int(counts[0]) | int(order) << _COUNT_BITS
        if faces is not None:
            drawn = geometry.drawn_faces(self.level)
            self._set_faces(number, numbered(faces, len(self.level.table(drawn)), drawn))

    def _beside(self, lump: LumpId, what: str) -> Records:
        if lump not in self.beside:
            raise FormatError(f"the map has no {lump.name} for it", what)
        return self.changes.table(lump)

    def _texinfo(self, texdata: int) -> int:
        """A texinfo of no place, which only names a texture."""
        numbered(texdata, len(self.level.table(LumpId.TEXDATA)), LumpId.TEXDATA)
        row = np.zeros(1, self.changes.table(LumpId.TEXINFO).dtype)
        row["texture_vecs"] = row["lightmap_vecs"] = _NOWHERE
        row["texdata"] = texdata
        return int(share(self.changes, row)[0])

    def _set_faces(self, number: int, faces: Ints) -> None:
        slots = self.overlays["faces"].shape[1]
        if not len(faces):
            raise FormatError("lies on no face of the world: it has to be in the plane of one", f"overlay {number}")
        if len(faces) > slots:
            raise FormatError(f"lies on {len(faces)} faces, it can tell {slots}: make it smaller", f"overlay {number}")
        self.overlays["faces"][number] = 0
        self.overlays["faces"][number, : len(faces)] = faces
        word = int(self.overlays["face_count_and_render_order"][number])
        self.overlays["face_count_and_render_order"][number] = word >> _COUNT_BITS << _COUNT_BITS | len(faces)

    def find_faces(self, numbers: Sequence[int], like: Mapping[int, int | None]) -> None:
        """Find the faces of overlays where they are now; a list that is right already stays as it is.

        like: of each the overlay of the level that it is, or is a copy of: where that isn't painted, it isn't.
        """
        if not numbers:
            return
        there = overlay_faces.pieces(self.level)
        for number in numbers:
            overlay, other = self.overlays[number : number + 1], like[number]
            if other is None:
                self._set_faces(number, overlay_faces.touched(there, overlay, Reach()))
                continue
            old = self.level.table(LumpId.OVERLAYS)[other : other + 1]
            listed = old["faces"][0][: int(overlay_counts(old)[0][0])]
            reach = overlay_faces.reach_of(there, old, listed)
            before = overlay_faces.touched(there, old, reach)
            painted = np.intersect1d(before, listed)
            every = overlay_faces.touched(there, overlay, reach)
            if not len(every) and len(painted):
                every = overlay_faces.touched(there, overlay, Reach())
            faces = np.setdiff1d(every, np.setdiff1d(before, listed))
            faces = faces if len(faces) else every
            if np.array_equal(faces, painted):  # the list may have more, which it doesn't reach
                self._keep_faces(number, old)
            else:
                self._set_faces(number, faces)

    def _keep_faces(self, number: int, old: Records) -> None:
        order = int(overlay_counts(self.overlays[number : number + 1])[1][0])
        self.overlays["faces"][number] = old["faces"][0]
        count = int(overlay_counts(old)[0][0])
        self.overlays["face_count_and_render_order"][number] = count | order << _COUNT_BITS
