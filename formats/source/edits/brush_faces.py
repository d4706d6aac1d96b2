# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawn faces of a brush model that is rebuilt, and every lump that has something for each face (source.md §2.4, §2.6).

A face that was there keeps its lightmap: where it has moved, its lightmap vectors are fitted so that each corner has
the luxel that it had. A copy shares that of what it is a copy of. A new face gets one of its own behind the others,
filled from the nearest luxels of the world and of the model, as `new_light` has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..level import Level
from ..lumps import LumpId
from ..records import NO_STYLE, SurfaceFlag
from ..tables import overlay_lists
from ..tables.fields import overlay_counts
from ..tables.references import renumber
from . import new_light
from .brush_pieces import WHAT, snapped
from .brush_tables import held
from .changes import Changes, joined
from .face_fields import DRAWN
from .texture_vectors import share

NEW = -1
_UNMOVED = 1e-4  # units
_FITS = 0.05  # luxels that corners may lie beside the lightmap
_LEFT = 0.5
"""Of the luxels that a texinfo of another face has on a plane of its own, so many that a new face takes its vectors."""
_NO_MACRO = 0xFFFF
_FLAT = 1e-6
_THIN = 1e-3  # units, as wide as a face without an area may be
_BENT = 1.0  # units between the corners of a face across its plane: of slivers in real maps, up to a half


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A face to be drawn."""

    points: Floats
    """float64[n, 3], clockwise seen from the front, as in the file."""
    texinfo: int
    """The one that flags, texture and vectors are of."""
    record: int = NEW
    """The number of the drawn face that it is, NEW for none."""
    vectors: Floats | None = None
    """float64[2, 4], where they are others than the texinfo's; likewise texdata and flags."""
    texdata: int | None = None
    flags: int | None = None
    smoothing_groups: int | None = None
    """None: those of its record, or of the face that it is a copy of, or of the nearest one."""
    normals: Floats | None = None
    """float64[n, 3], of its corners; 0: the plane's. None: smoothed by the groups. A face that is where it was keeps
    its own."""
    like: int = NEW
    """Of a new face, the number of the drawn face that it is a copy of, and whose luxels its corners have; NEW: it gets
    its own."""


class FaceEdit:
    """The faces of one model while they are changed. place: float64[4, 4], where the model is in the world. brushes: of
    each face that is put, -1 where it is not known.
    """

    def __init__(self, changes: Changes, model: int, place: Floats | None = None) -> None:
        self.changes = changes
        self.model, self.place = model, np.eye(4) if place is None else place
        self.level = changes.level
        self.drawn = geometry.drawn_faces(self.level)
        self.lumps = [lump for lump in DRAWN if len(self.level.bytes_of(lump))] or [self.drawn]
        self.old = self.level.table(self.drawn)
        self.polygons = geometry.polygons(self.level, self.drawn)
        row = self.level.table(LumpId.MODELS)[model]
        self.first, self.count = int(row["firstface"]), int(row["numfaces"])
        self.brushes: list[int] = []
        if self.first < 0 or self.count < 0 or self.first + self.count > len(self.old):
            raise FormatError("its faces aren't there", WHAT)
        own = self.old[self.first : self.first + self.count]
        if (own["dispinfo"] >= 0).any():
            raise FormatError("it has displacements, which only the world can", WHAT)
        for lump in self.lumps:
            if len(changes.table(lump)) != len(self.old):
                raise FormatError("FACES and FACES_HDR have different faces", WHAT)

    def points_of(self, record: int) -> Floats:
        """The corners of a face as it was: float64[n, 3]."""
        first, end = self.polygons.first_corner[record : record + 2]
        return np.asarray(self.polygons.positions[self.polygons.corners[first:end]], np.float64)

    def check(self, faces: Sequence[Face]) -> None:
        """Raise FormatError for faces that can't be."""
        texinfos, texdata = len(self.changes.table(LumpId.TEXINFO)), len(self.level.table(LumpId.TEXDATA))
        seen: set[int] = set()
        for number, face in enumerate(faces):
            what = f"face {number} of {WHAT}"
            if face.points.ndim != 2 or face.points.shape[1] != 3 or len(face.points) < 3:
                raise FormatError("three points at least are meant", what)
            if not np.isfinite(face.points).all():
                raise FormatError("its points are NaN or infinite", what)
            if not 0 <= face.texinfo < texinfos or (face.texdata is not None and not 0 <= face.texdata < texdata):
                raise FormatError("its texinfo or its texture isn't there", what)
            if face.record != NEW and (not 0 <= face.record - self.first < self.count or face.record in seen):
                raise FormatError(f"{face.record} is no face of the model, or two", what)
            if face.like != NEW and (face.record != NEW or not 0 <= face.like < len(self.old)):
                raise FormatError(f"it can't be lit like {face.like}", what)
            if face.normals is not None and face.normals.shape != face.points.shape:
                raise FormatError("normals for other corners than it has", what)
            seen.add(face.record if face.record != NEW else -2 - number)

    # ------------------------------------------------------------------------------------------------------ the rows

    def texinfos(self, faces: Sequence[Face], drawn: int) -> Ints:
        """The texinfo of each face, with its own vectors: int64[n], added where there is none. FormatError.

        drawn: how many of them are put; the others are sides that nobody sees.
        """
        still = [self.plane_of(face) is not None for face in faces]
        donors = [self._donor(face) for face in faces]
        return self._texinfos(faces, still, donors, [self._is_fresh(face) for face in faces[:drawn]])

    def put(self, faces: Sequence[Face], planes: Ints, texinfos: Ints) -> int:
        """Write the faces, in this order, each with its plane and its texinfo: int64[n]; the number of the first."""
        still = [self.plane_of(face) is not None for face in faces]
        donors = [self._donor(face) for face in faces]
        rows = {lump: self._templates(self.changes.table(lump), donors) for lump in self.lumps}
        walk = _Walk(self)
        originals: list[Records] = []
        for number, face in enumerate(faces):
            geometric: dict[str, float] = {"texinfo": int(texinfos[number])}
            if face.smoothing_groups is not None:
                geometric["smoothing_groups"] = face.smoothing_groups
            if not still[number]:
                firstedge, area = walk.around(face.points), _area(face.points)
                geometric |= {"planenum": int(planes[number]), "side": int(planes[number]) & 1, "on_node": 1}
                geometric |= {"firstedge": firstedge, "numedges": len(face.points), "area": area, "dispinfo": -1}
                geometric["orig_face"] = self._original(face, geometric, originals)
                if "num_prims" in (self.old.dtype.names or ()):  # corners in the middle of edges have gone
                    geometric |= {"num_prims": int(rows[self.drawn]["num_prims"][number]) & 0x8000, "first_prim_id": 0}
                elif "shadows_num_prims" in (self.old.dtype.names or ()):
                    shadows = int(rows[self.drawn]["shadows_num_prims"][number]) & 1
                    geometric |= {"shadows_num_prims": shadows, "first_prim_id": 0}
            for table in rows.values():
                for name, value in geometric.items():
                    held(table, name, number, value)
        walk.put()
        if originals:
            self.changes.append(LumpId.ORIGINALFACES, np.concatenate(originals))
        fresh = np.array([n for n, face in enumerate(faces) if self._is_fresh(face)], np.int64)
        points = [faces[n].points for n in fresh.tolist()]
        new_light.put(self.changes, rows, fresh, points, planes, texinfos, self.model, self.place)
        normals = self._normals(faces, still, rows[self.drawn])
        first = self._place(rows, normals, faces)
        self._beside(faces, donors, first)
        return first

    def _templates(self, table: Records, donors: Sequence[int]) -> Records:
        """Rows like those of other faces; of a face that nothing is like, one without light."""
        rows = table[np.maximum(np.array(donors, np.int64), 0)] if len(table) else np.zeros(len(donors), table.dtype)
        alone = np.array([donor < 0 for donor in donors], np.bool_)
        rows[alone] = np.zeros(1, table.dtype)
        for name, value in (("styles", NO_STYLE), ("lightofs", -1), ("surface_fog_volume_id", -1), ("orig_face", -1)):
            rows[name][alone] = value
        return rows

    def _is_fresh(self, face: Face) -> bool:
        """Whether a face is to have light of its own."""
        flags = int(self.changes.table(LumpId.TEXINFO)["flags"][face.texinfo]) if face.flags is None else face.flags
        return face.record == face.like == NEW and not flags & SurfaceFlag.NOLIGHT

    def plane_of(self, face: Face) -> Floats | None:
        """The plane float64[4] of a face that lies where it lay, with the same corners; None for others."""
        if face.record == NEW:
            return None
        old, planes = self.points_of(face.record), self.level.table(LumpId.PLANES)
        number = int(self.old["planenum"][face.record])
        if old.shape != face.points.shape or not _is_same(old, face.points) or number >= len(planes):
            return None
        return np.append(planes["normal"][number], planes["dist"][number]).astype(np.float64)

    def _donor(self, face: Face) -> int:
        """The face that one is lit like: itself, or the nearest of those that are lit as a new one is; -1: none."""
        if face.record != NEW or face.like != NEW:
            return max(face.record, face.like)
        flags = self.level.table(LumpId.TEXINFO)["flags"]
        own = int(flags[face.texinfo]) if face.flags is None else face.flags
        bumped = own & SurfaceFlag.BUMPLIGHT
        if own & SurfaceFlag.NOLIGHT:
            return -1
        found, nearest = -1, np.inf
        for record in range(self.first, self.first + self.count):
            texinfo = int(self.old["texinfo"][record])
            lit = self.old["lightofs"][record] >= 0 and self.old["numedges"][record] > 0 and 0 <= texinfo < len(flags)
            if lit and flags[texinfo] & SurfaceFlag.BUMPLIGHT == bumped:
                away = float(np.abs(self.points_of(record).mean(axis=0) - face.points.mean(axis=0)).sum())
                if away < nearest:
                    found, nearest = record, away
        return found

    def _texinfos(
        self, faces: Sequence[Face], still: Sequence[bool], donors: Sequence[int], fresh: Sequence[bool]
    ) -> Ints:
        """The texinfo of each face, with its lightmap vectors. fresh: of the first ones, which get their own light."""
        old = np.array([face.texinfo for face in faces], np.int64)
        rows = self.changes.table(LumpId.TEXINFO)[old]
        for number, face in enumerate(faces):
            if face.vectors is not None:
                rows["texture_vecs"][number] = face.vectors
            if face.texdata is not None:
                rows["texdata"][number] = face.texdata
            if face.flags is not None:
                rows["flags"][number] = face.flags
            if number < len(fresh) and fresh[number]:
                vectors = rows["lightmap_vecs"][number].astype(np.float64)
                vectors = new_light.spanning(vectors, _normal(face.points), _LEFT)
                rows["lightmap_vecs"][number] = new_light.coarse(vectors, face.points)
            elif not still[number] and donors[number] >= 0 and self._is_lit(donors[number]):
                rows["lightmap_vecs"][number] = self._lightmap_vectors(face, donors[number])
        if not np.isfinite(rows["texture_vecs"]).all() or not np.isfinite(rows["lightmap_vecs"]).all():
            raise FormatError("texture vectors that are NaN or infinite", WHAT)
        return share(self.changes, rows, old)

    def _is_lit(self, record: int) -> bool:
        return any(self.level.table(lump)["lightofs"][record] >= 0 for lump in self.lumps)

    def _lightmap_vectors(self, face: Face, donor: int) -> Floats:
        """Vectors float64[2, 4] that put the corners of a moved face onto the luxels that they had."""
        lit = next((lump for lump in self.lumps if self.level.table(lump)["lightofs"][donor] >= 0), self.drawn)
        row = self.level.table(lit)[donor]
        mins, size = (row[name].astype(np.float64) for name in ("lightmap_mins", "lightmap_size"))
        texinfo = int(self.old["texinfo"][donor])
        if donor not in (face.record, face.like) or not 0 <= texinfo < len(self.level.table(LumpId.TEXINFO)):
            return np.column_stack([np.zeros((2, 3)), mins + size / 2])
        points = self.points_of(donor)
        vectors = self.level.table(LumpId.TEXINFO)["lightmap_vecs"][texinfo].astype(np.float64)
        points = points if len(points) == len(face.points) else face.points  # it was cut: light stays in its place
        luxels = points @ vectors[:, :3].T + vectors[:, 3] - mins
        return np.asarray(_fitted(face.points, luxels, size) + np.column_stack([np.zeros((2, 3)), mins]))

    def _original(self, face: Face, fields: dict[str, float], fresh: list[Records]) -> int:
        """The number of a new original face for one that has moved, put behind fresh ones; -1 in maps without any."""
        if not len(self.level.bytes_of(LumpId.ORIGINALFACES)):
            return -1
        originals = self.changes.table(LumpId.ORIGINALFACES)
        of = int(self.old["orig_face"][face.record]) if face.record != NEW else -1
        row = (originals[of : of + 1] if 0 <= of < len(originals) else (fresh or [originals[-1:]])[-1]).copy()
        for name, value in fields.items():
            if name != "orig_face":
                held(row, name, 0, value if name != "area" else 0)
        fresh.append(row)
        return len(originals) + len(fresh) - 1

    # ------------------------------------------------------------------------------------------- what goes with them

    def _normals(self, faces: Sequence[Face], still: Sequence[bool], rows: Records) -> list[Ints] | None:
        """The normals of each face's corners, as numbers in VERTNORMALS; None in maps without any."""
        numbers = self.level.table(LumpId.VERTNORMALINDICES)["normal"].astype(np.int64)
        if not len(numbers) or len(numbers) != len(self.polygons.corners):
            return None
        own = self.changes.table(LumpId.PLANES)["normal"][rows["planenum"].astype(np.int64)].astype(np.float64)
        groups = rows["smoothing_groups"].astype(np.int64)
        found: list[Ints] = []
        fresh = [self.changes.table(LumpId.VERTNORMALS)[:0]]
        count = len(self.changes.table(LumpId.VERTNORMALS))
        for number, face in enumerate(faces):
            if still[number]:
                first, end = self.polygons.first_corner[face.record : face.record + 2]
                found.append(numbers[first:end])
                continue
            smoothed = np.tile(own[number], (len(face.points), 1))
            if face.normals is not None:
                smoothed = np.where(face.normals.any(axis=1, keepdims=True), face.normals, smoothed)
            for other in np.flatnonzero(groups & groups[number]).tolist() if face.normals is None else ():
                if other != number:
                    apart = np.abs(face.points[:, None] - faces[other].points[None]).max(axis=2)
                    smoothed[(apart <= _UNMOVED).any(axis=1)] += own[other]
            lengths = np.sqrt((smoothed * smoothed).sum(axis=1, keepdims=True))
            smoothed = np.where(lengths > _FLAT, smoothed / np.maximum(lengths, _FLAT), own[number])
            made = np.zeros(len(smoothed), self.changes.table(LumpId.VERTNORMALS).dtype)
            made["normal"] = smoothed
            distinct, where = np.unique(made["normal"], axis=0, return_inverse=True)
            new = np.zeros(len(distinct), made.dtype)
            new["normal"] = distinct
            found.append(count + where.reshape(-1))
            fresh.append(new)
            count += len(new)
        self.changes.append(LumpId.VERTNORMALS, np.concatenate(fresh))
        return found

    def _place(self, rows: dict[LumpId, Records], normals: list[Ints] | None, faces: Sequence[Face]) -> int:
        """Put rows into the model's place; the number of the first. Faces of other models follow."""
        total, count, first, end = len(self.old), len(faces), self.first, self.first + self.count
        now = np.arange(total)
        now[end:] += count - self.count
        tables = self.changes.tables_naming(LumpId.FACES)
        renumber(tables.get, LumpId.FACES, now)
        for lump, table in rows.items():
            old = self.changes.table(lump)
            self.changes.set_table(lump, joined(joined(old[:first], table), old[end:]))
        if normals is not None:
            table = self.changes.table(LumpId.VERTNORMALINDICES)
            before = int(self.polygons.first_corner[first])
            behind = int(self.polygons.first_corner[end])
            made = np.zeros(sum(len(part) for part in normals), table.dtype)
            held(made, "normal", slice(None), np.concatenate([*normals, np.zeros(0, np.int64)]))
            self.changes.set_table(LumpId.VERTNORMALINDICES, joined(joined(table[:before], made), table[behind:]))
        self._follow_overlays({face.record: first + n for n, face in enumerate(faces) if face.record != NEW})
        now[first:end] = NEW
        for number, face in enumerate(faces):
            if face.record != NEW:
                now[face.record] = first + number
        self._follow_overlay_lists(now)
        return first

    def _follow_overlays(self, now: dict[int, int]) -> None:
        """Have overlays name faces that have other numbers. Raises FormatError for one whose face has gone."""
        layout = self.level.layout(LumpId.OVERLAYS).dtype
        if layout is None or "faces" not in (layout.names or ()):
            return
        overlays = self.changes.table(LumpId.OVERLAYS)
        counts = overlay_counts(overlays)[0]
        for number in range(len(overlays)):
            names = overlays["faces"][number]
            for slot in range(min(int(counts[number]), len(names))):
                was = int(names[slot])
                if self.first <= was < self.first + self.count:
                    if was not in now:
                        raise FormatError(f"overlay {number} lies on face {was}, which has gone", WHAT)
                    names[slot] = now[was]

    def _follow_overlay_lists(self, now: Ints) -> None:
        """As `_follow_overlays`, where all overlays share a list of faces. now: int64[faces], NEW: it has gone."""
        for lump in (LumpId.OVERLAYS, LumpId.WATEROVERLAYS):
            if self.level.version_of(lump) < overlay_lists.VERSION or self.changes.peek(lump) is not None:
                continue
            lists = overlay_lists.read(self.level.bytes_of(lump))
            faces = lists.faces.astype(np.int64)
            known = (faces >= 0) & (faces < len(now))
            moved = np.where(known, now[np.where(known, faces, 0)], faces)
            if (known & (moved == NEW)).any():
                raise FormatError(f"an overlay lies on face {faces[known & (moved == NEW)][0]}, which has gone", WHAT)
            if not np.array_equal(moved, faces):
                lists.faces = moved.astype(lists.faces.dtype)
                self.changes.set_bytes(lump, lists.to_bytes())

    def _beside(self, faces: Sequence[Face], donors: Sequence[int], first: int) -> None:
        """Fill the rows of lumps that have one for each face."""
        numbers = np.arange(first, first + len(faces))
        for lump, usual in ((LumpId.FACEIDS, 0), (LumpId.FACE_MACRO_TEXTURE_INFO, _NO_MACRO)):
            old = self.level.table(lump)
            if len(old) != len(self.old) or not len(old):
                continue
            name = (old.dtype.names or ("",))[0]
            table = self._in_place(old, len(faces))
            for number, face, donor in zip(numbers.tolist(), faces, donors, strict=True):
                table[name][number] = old[name][face.record] if face.record != NEW else usual
                if face.record == NEW and donor >= 0 and lump == LumpId.FACEIDS:
                    table[name][number] = old[name][donor]
            self.changes.set_table(lump, table)
        self._face_brushes(faces, first)

    def _in_place(self, old: Records, count: int) -> Records:
        """A lump with a row for each face, with `count` empty ones in the place of the model's."""
        end = self.first + self.count
        return joined(joined(old[: self.first], np.zeros(count, old.dtype)), old[end:])

    def _face_brushes(self, faces: Sequence[Face], first: int) -> None:
        """Fill the lists of CS:GO that say which brush a face is of: a list of one holds the brush itself."""
        layout = self.level.layout(LumpId.CLUSTERS).dtype
        if layout is None or "start" not in (layout.names or ()) or "count" not in (layout.names or ()):
            return
        old = self.level.table(LumpId.CLUSTERS)
        if len(old) != len(self.old):
            return
        table = self._in_place(old, len(faces))
        for number, face in enumerate(faces):
            table[first + number] = old[face.record] if face.record != NEW else np.zeros(1, old.dtype)[0]
            if self.brushes[number] >= 0 and int(table["count"][first + number]) < 2:
                held(table, "count", first + number, 1)
                held(table, "start", first + number, self.brushes[number])
        self.changes.set_table(LumpId.CLUSTERS, table)


class _Walk:
    """Vertices, edges and surfedges of faces; vertices that the model has already are used again."""

    def __init__(self, edit: FaceEdit) -> None:
        self.changes = edit.changes
        polygons = edit.polygons
        first, end = (int(polygons.first_corner[n]) for n in (edit.first, edit.first + edit.count))
        used = np.unique(polygons.corners[first:end])
        points = polygons.positions[used] + np.float32(0)
        self.known: dict[bytes, int] = {
            point.tobytes(): number for point, number in zip(points, used.tolist(), strict=True)
        }
        self.vertices = len(polygons.positions)
        self.edges: dict[tuple[int, int], int] = {}
        self.first_edge = len(edit.changes.table(LumpId.EDGES))
        self.first_surfedge = len(edit.changes.table(LumpId.SURFEDGES))
        self.points: list[Floats] = []
        self.ends: list[tuple[int, int]] = []
        self.walked: list[int] = []

    def around(self, points: Floats) -> int:
        """Go around a polygon; the number of its first surfedge."""
        start = self.first_surfedge + len(self.walked)
        numbers = [self._vertex(point) for point in points]
        for one, two in zip(numbers, [*numbers[1:], numbers[0]], strict=True):
            if (two, one) in self.edges:
                self.walked.append(-self.edges.pop((two, one)))  # an edge is of two faces at most
            else:
                number = self.first_edge + len(self.ends)
                self.edges[one, two] = number
                self.ends.append((one, two))
                self.walked.append(number)
        return start

    def _vertex(self, point: Floats) -> int:
        near = np.asarray(point, np.float64).astype(np.float32) + np.float32(0)
        key: bytes = near.tobytes()
        if key not in self.known:
            self.known[key] = self.vertices + len(self.points)
            self.points.append(near)
        return self.known[key]

    def put(self) -> None:
        """Put all of it behind what is there."""
        for lump, name, values in (
            (LumpId.VERTEXES, "point", self.points),
            (LumpId.EDGES, "v", self.ends),
            (LumpId.SURFEDGES, "edge", self.walked),
        ):
            rows = np.zeros(len(values), self.changes.table(lump).dtype)
            if len(values):
                held(rows, name, slice(None), np.array(values))
            self.changes.append(lump, rows)


def _is_same(old: Floats, new: Floats) -> bool:
    """Whether two polygons have the same corners, whichever they begin with."""
    begins = np.flatnonzero(np.abs(new - old[0]).max(axis=1) <= _UNMOVED).tolist()
    return any(np.abs(np.roll(new, -turn, axis=0) - old).max() <= _UNMOVED for turn in begins)


def plane_of(points: Floats, number: int) -> Floats:
    """The plane float64[4] of a face. Raises FormatError, which names the face, for one that isn't flat."""
    total = _normal(points)
    length = float(np.sqrt(total @ total))
    if length <= _FLAT:
        raise FormatError("a face has no area", f"face {number} of {WHAT}")
    normal = total / length
    heights = points @ normal
    if np.ptp(heights) > _BENT:
        raise FormatError("a face isn't flat", f"face {number} of {WHAT}")
    return np.append(snapped(normal[None])[0], heights.mean())


def is_sliver(points: Floats) -> bool:
    """Whether a polygon float64[n, 3] goes back the way that it came: it has no area, and no side that it looks to."""
    return 2 * _area(points) <= _THIN * float(np.ptp(points, axis=0).max())


def _area(points: Floats) -> float:
    total = _normal(points)
    return float(np.sqrt(total @ total)) / 2


def _normal(points: Floats) -> Floats:
    """float64[3]: out of the front of a polygon, twice as long as its area."""
    arms = points - points[0]
    return np.asarray(np.cross(np.roll(arms, -1, axis=0), arms).sum(axis=0))


def _fitted(points: Floats, luxels: Floats, size: Floats) -> Floats:
    """The affine map float64[2, 4] of a polygon's plane that comes nearest to luxels, within 0 and size."""
    middle, mean = points.mean(axis=0), luxels.mean(axis=0)
    slopes = (np.linalg.pinv(points - middle, rcond=1e-7) @ (luxels - mean)).T
    placed = (points - middle) @ slopes.T + mean
    low, high = placed.min(axis=0), placed.max(axis=0)
    reach = np.maximum(high - low, _FLAT)
    scale = np.where(reach > size + _FITS, size / reach, 1.0)
    slopes *= scale[:, None]
    mean = low + (mean - low) * scale
    high = low + reach * scale
    mean += np.where(low < -_FITS, -low, np.where(high > size + _FITS, size - high, 0.0))
    return np.column_stack([slopes, mean - slopes @ middle])


def level_faces(level: Level, model: int) -> list[Face]:
    """The faces of a model as they are, to be rebuilt. Raises FormatError."""
    edit = FaceEdit(Changes(level), model)
    numbers = range(edit.first, edit.first + edit.count)
    return [Face(edit.points_of(number), int(edit.old["texinfo"][number]), number) for number in numbers]
