# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of the world's faces, and of every lump that has something for each face or names one (source.md §2.4).

Faces of the world follow one another: new ones come behind its last one, and all behind that have other numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ... import matrices, ranges
from ...arrays import Bools, Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..edits.brush_tables import held, vector_numbers
from ..edits.changes import Changes, joined
from ..edits.face_fields import DRAWN
from ..geometry import Polygons
from ..lumps import LumpId, lump_name
from ..records import NO_STYLE, Contents
from ..tables import overlay_lists
from ..tables.fields import overlay_counts
from ..tables.references import NUMBERS, RUNS, OverlayFaces, has
from .drafts import NEW, Draft
from .rings import FlatRings

_NO_MACRO = 0xFFFF
_SHADOWLESS = 0x8000
_NONE = (("styles", NO_STYLE), ("lightofs", -1), ("surface_fog_volume_id", -1), ("orig_face", -1), ("dispinfo", -1))


def tables(changes: Changes) -> Iterator[Records]:
    """The filled lumps of drawn faces, to be written to. Raises FormatError where they have different faces."""
    count = len(changes.table(geometry.drawn_faces(changes.level)))
    for lump in _lumps(changes):
        if len(changes.table(lump)) != count:
            raise FormatError(f"{len(changes.table(lump))} faces, others are {count}", lump_name(lump))
        yield changes.table(lump)


def _lumps(changes: Changes) -> list[LumpId]:
    return [lump for lump in DRAWN if len(changes.level.bytes_of(lump))] or [LumpId.FACES]


def put(changes: Changes, polygons: Polygons, gone: Bools, made: Sequence[Draft], left: Ints) -> tuple[Ints, int]:
    """Take faces of the world away, bool[faces], and put others behind its last one.

    Returns the number of each face of before, int64[faces], -1 where it is gone, and that of the first new one. Lists
    of leafs still have the numbers of before: see `put_lists`. left: int64[n], faces that stay, but no longer lie where
    they did.
    """
    model = changes.level.table(LumpId.MODELS)[0]
    end = int(model["firstface"]) + int(model["numfaces"])
    kept = ranges.starts(~gone)  # how many faces before each stay
    now = np.where(gone, NEW, kept[:-1] + np.where(np.arange(len(gone)) >= end, len(made), 0))
    first = int(kept[end])
    _follow(changes, kept, now, end, len(made))
    _overlays(changes, np.where(np.isin(np.arange(len(now)), left), NEW, now), _heirs(made, first))
    rings = FlatRings.of([draft.points for draft in made])
    fields = _fields(changes, made, rings)
    for lump in _lumps(changes):
        table = changes.table(lump)
        rows = _templates(table, made)
        for name, values in fields.items():
            held(rows, name, slice(None), values)
        changes.set_table(lump, _in_place(table, gone, rows, end))
    _beside(changes, gone, made, end)
    _normals(changes, polygons, gone, made, end)
    return now, first


def _in_place(table: Records, gone: Bools, rows: Records, end: int) -> Records:
    """Rows that stay, with new ones behind the world's last."""
    return joined(joined(table[:end][~gone[:end]], rows), table[end:][~gone[end:]])


def _heirs(made: Sequence[Draft], first: int) -> dict[int, list[int]]:
    """What faces that are gone have become, where they were: numbers of new ones."""
    found: dict[int, list[int]] = {}
    for number, draft in enumerate(made):
        if draft.face != NEW and draft.move is None:
            found.setdefault(draft.face, []).append(first + number)
    return found


# ------------------------------------------------------------------------------------------------------------ new rows


def _templates(table: Records, made: Sequence[Draft]) -> Records:
    """Rows like those of the faces that drafts are of; of new ones, without light."""
    of = np.array([draft.face for draft in made], np.int64)
    rows = table[np.maximum(of, 0)] if len(table) else np.zeros(len(of), table.dtype)
    rows[of == NEW] = np.zeros(1, table.dtype)
    for name, value in _NONE:
        rows[name][of == NEW] = value
    rows["on_node"] = 0
    if "num_prims" in (table.dtype.names or ()):
        rows["num_prims"] &= _SHADOWLESS
        rows["first_prim_id"] = 0
    elif "shadows_num_prims" in (table.dtype.names or ()):
        rows["shadows_num_prims"] = np.where(of == NEW, 1, rows["shadows_num_prims"] & 1)
        rows["first_prim_id"] = 0
    return rows


def _fields(changes: Changes, made: Sequence[Draft], rings: FlatRings) -> dict[str, Ints | Floats]:
    """What new faces have in all lumps of them. Their vertices, edges and original faces are put where these belong."""
    planes = np.array([draft.plane for draft in made], np.int64)
    originals = len(changes.level.bytes_of(LumpId.ORIGINALFACES)) > 0
    fields: dict[str, Ints | Floats] = {
        "planenum": planes,
        "side": planes & 1,
        "texinfo": np.array([draft.texinfo for draft in made], np.int64),
        "firstedge": surfedges(changes, rings, 1 + originals) + ranges.starts(rings.sizes)[:-1],
        "numedges": rings.sizes,
        "area": rings.areas,
    }
    if originals:
        rows = np.zeros(len(made), changes.table(LumpId.ORIGINALFACES).dtype)
        for name, value in _NONE:
            rows[name] = value
        for name, values in fields.items():
            held(rows, name, slice(None), 0 if name == "area" else values)
        rows["firstedge"] += len(rings.points)
        first = changes.append(LumpId.ORIGINALFACES, rows)
        fields["orig_face"] = first + np.arange(len(made))
    return fields


def surfedges(changes: Changes, rings: FlatRings, walks: int = 1) -> int:
    """Put polygons behind the surfedges, each edge its own; the number of the first. Vertices are used again.

    walks: how often: original faces go along the same edges, but not by the same rows.
    """
    numbers = vector_numbers(changes, LumpId.VERTEXES, rings.points)
    starts = ranges.starts(rings.sizes)
    following = np.arange(1, len(numbers) + 1)
    following[starts[1:] - 1] = starts[:-1]
    edges = np.zeros(len(numbers), changes.table(LumpId.EDGES).dtype)
    held(edges, "v", slice(None), np.column_stack([numbers, numbers[following]]))
    edge = changes.append(LumpId.EDGES, edges)
    walked = np.zeros(len(numbers), changes.table(LumpId.SURFEDGES).dtype)
    walked["edge"] = edge + np.arange(len(numbers))
    return changes.append(LumpId.SURFEDGES, np.tile(walked, walks))


# ------------------------------------------------------------------------------------------------- what names the faces


def _follow(changes: Changes, kept: Ints, now: Ints, end: int, more: int) -> None:
    """Have all that names faces follow, but leafs and overlays. kept: int64[faces + 1], how many before each stay."""
    for number in NUMBERS:
        records = changes.peek(number.lump) if number.target == LumpId.FACES else None
        if number.lump == LumpId.LEAFFACES or isinstance(number, OverlayFaces) or not has(records, number.field):
            continue
        table = changes.table(number.lump)
        names = number.names(table)
        known = (names >= 0) & (names < len(now))
        moved = np.where(known, now[np.where(known, names, 0)], names)
        if (known & (moved < 0)).any():
            raise FormatError(f"a face that {lump_name(number.lump)} names has gone", lump_name(number.lump))
        number.put(table, moved)
    for run in RUNS:
        records = changes.peek(run.lump) if run.target == LumpId.FACES else None
        if not has(records, run.first, run.count):
            continue
        table = changes.table(run.lump)
        first, counts = run.runs(table)
        there = (first >= 0) & (counts >= 0) & (first + counts < len(kept))
        start, stop = np.where(there, first, 0), np.where(there, first + counts, 0)
        moved = kept[start] + np.where(start >= end, more, 0)
        left = kept[stop] - kept[start]
        if run.lump == LumpId.MODELS:
            moved[0], left[0] = first[0], left[0] + more
        run.put(table, np.where(there, moved, first))
        held(table, run.count, slice(None), np.where(there, left, counts))


def _overlays(changes: Changes, now: Ints, heirs: dict[int, list[int]]) -> None:
    """Have overlays lie on what their faces have become; they lose those that are gone."""
    for lump in (LumpId.OVERLAYS, LumpId.WATEROVERLAYS):
        records = changes.peek(lump)
        if has(records, "faces"):
            table = changes.table(lump)
            counts = overlay_counts(table)[0]
            for number in range(len(table)):
                names = table["faces"][number]
                found = _successors(names[: min(int(counts[number]), len(names))].tolist(), now, heirs)
                if len(found) > len(names):
                    raise FormatError(f"overlay {number} would lie on {len(found)} faces", lump_name(lump))
                word = table["face_count_and_render_order"][number]
                names[:] = np.where(np.arange(len(names)) < max(len(found), int(counts[number])), 0, names)
                names[: len(found)] = found
                table["face_count_and_render_order"][number] = int(word) & ~0x3FFF | len(found)
        elif records is None and changes.level.version_of(lump) >= overlay_lists.VERSION:
            lists = overlay_lists.read(changes.level.bytes_of(lump))
            runs = [_successors(lists.faces_of(n).tolist(), now, heirs) for n in range(len(lists.overlays))]
            sizes = np.array([len(run) for run in runs], np.int64)
            overlays = lists.overlays.copy()
            overlays["face_offset"], overlays["face_count"] = ranges.starts(sizes)[:-1], sizes
            lists.overlays, lists.faces = overlays, np.array([face for run in runs for face in run], "<i4")
            changes.set_bytes(lump, lists.to_bytes())


def _successors(faces: list[int], now: Ints, heirs: dict[int, list[int]]) -> list[int]:
    found: list[int] = []
    for face in faces:
        if not 0 <= face < len(now):
            found.append(face)
        elif now[face] >= 0:
            found.append(int(now[face]))
        else:
            found += heirs.get(face, [])
    return found


def put_lists(changes: Changes, counts: Ints, faces: Ints) -> None:
    """Write LEAFFACES: how many faces each leaf has, int64[leafs], and their numbers, one leaf after another."""
    rows, table = changes.table(LumpId.LEAFS), changes.table(LumpId.LEAFFACES)
    made = np.zeros(len(faces), table.dtype)
    held(made, "face", slice(None), faces)
    changes.set_table(LumpId.LEAFFACES, made)
    first = ranges.starts(counts)[:-1]
    blank = (counts == 0) & ((rows["contents"] & Contents.SOLID) > 0)  # of solid ones, the compiler says nothing
    held(rows, "firstleafface", slice(None), np.where(blank, 0, first))
    held(rows, "numleaffaces", slice(None), counts)


# ------------------------------------------------------------------------------------------- what has a row for a face


def _beside(changes: Changes, gone: Bools, made: Sequence[Draft], end: int) -> None:
    """Rows of lumps that have one for each face: ids, macro textures, CS:GO's brushes."""
    of = np.array([draft.face for draft in made], np.int64)
    for lump, usual in ((LumpId.FACEIDS, 0), (LumpId.FACE_MACRO_TEXTURE_INFO, _NO_MACRO)):
        table = changes.peek(lump)
        if table is not None and 0 < len(table) == len(gone):
            rows = table[np.maximum(of, 0)].copy()
            rows[(rows.dtype.names or ("",))[0]][of == NEW] = usual
            changes.set_table(lump, _in_place(table, gone, rows, end))
    lists = changes.peek(LumpId.CLUSTERS)
    if lists is None or not has(lists, "start", "count") or not 0 < len(lists) == len(gone):
        return
    rows = lists[np.maximum(of, 0)].copy()
    brush = np.array([draft.brush for draft in made], np.int64)
    rows["count"][brush >= 0] = 1
    held(rows, "start", np.flatnonzero(brush >= 0), brush[brush >= 0])
    changes.set_table(LumpId.CLUSTERS, _in_place(lists, gone, rows, end))


def _normals(changes: Changes, polygons: Polygons, gone: Bools, made: Sequence[Draft], end: int) -> None:
    """Normals of corners: those of their planes; faces that moved as they are take their own along."""
    numbers = geometry.normal_numbers(changes.level, polygons)
    if numbers is None:
        return
    counts = np.diff(polygons.first_corner)
    planes = changes.table(LumpId.PLANES)["normal"].astype(np.float64)
    table = changes.table(LumpId.VERTNORMALS)
    wanted = [np.repeat(planes[draft.plane][None], len(draft.points), axis=0) for draft in made]
    for number, draft in enumerate(made):
        if draft.whole:
            first, stop = polygons.first_corner[draft.face : draft.face + 2]
            own = table["normal"][numbers[first:stop]].astype(np.float64)
            turn = np.eye(3) if draft.move is None else matrices.inverse(draft.move[:3, :3]).T
            turned = own @ turn.T
            lengths = np.sqrt((turned * turned).sum(axis=1, keepdims=True))
            wanted[number] = np.where(lengths > 0, turned / np.maximum(lengths, 1e-12), own)
    found = vector_numbers(changes, LumpId.VERTNORMALS, np.concatenate([np.zeros((0, 3)), *wanted]))
    indices = changes.table(LumpId.VERTNORMALINDICES)
    kept = np.repeat(~gone, counts)
    behind = int(polygons.first_corner[end])
    made_rows = np.zeros(len(found), indices.dtype)
    held(made_rows, "normal", slice(None), found)
    changes.set_table(
        LumpId.VERTNORMALINDICES,
        joined(joined(indices[:behind][kept[:behind]], made_rows), indices[behind:][kept[behind:]]),
    )
