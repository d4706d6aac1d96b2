# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of displacements: where their points are, how the textures blend there, tags of triangles, and what each says
of itself (source.md §2.2, §2.3, §3).

Touched are DISP_VERTS, DISP_TRIS and DISPINFO. Where points moved, the hulls in PHYSDISP go, as half of all maps have
none, and solids of displacements among the world's, which a few maps have, are made anew.
"""

import numpy as np
import numpy.typing as npt

from ... import ranges
from ...arrays import Bools, Floats, Ints, Records
from ...binary import FormatError
from .. import geometry
from ..faces import displacements as grids
from ..level import Level
from ..lumps import LumpId, lump_name
from ..records import DispInfoFlag
from . import world_collision
from .changes import FARTHEST, Changes, fitting, numbered, put

_LARGEST = float(np.finfo(np.float32).max)
_BLENDED = int(DispInfoFlag.HAS_MULTIBLEND)
_CLOSE = 1e-3  # units; what rounding makes of one movement at two places


def change(
    level: Level,
    positions: npt.ArrayLike | None = None,
    alphas: npt.ArrayLike | None = None,
    tags: npt.ArrayLike | None = None,
    ways: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> Ints:
    """Change displacements; returns the numbers of those that changed, neighbours included.

    positions: float[n, 3] of all vertices, in units. alphas: float[n], 0 to 255. tags: int[t] of all triangles,
    DispTriTag. ways: `vec` float[n, 3] and `dist` float[n]: where these are others than the records', a vertex goes
    there whatever `positions` says, and has them to the bit, unless a border takes it on. n and t: as many as
    DISP_VERTS and DISP_TRIS have; what is left out, and what is as it was, stays.

    A vertex on a border that is moved takes along the neighbours' vertices in the same place; if these were moved
    otherwise, all go the mean of their ways. So do alphas that were the same. Vertices on a border that a coarser
    neighbour doesn't have (`allowed_verts`) stay on the line between those that it has.

    Raises FormatError for other numbers of values, values that are none, and places outside of the engine's world.
    """
    grid = grids.displacements(level, geometry.polygons(level))
    changes = Changes(level)
    verts = changes.table(LumpId.DISP_VERTS)
    before = verts.copy()
    if not np.isfinite(grid.flat).all():
        raise FormatError("the face of a displacement has a corner that is NaN or infinite", lump_name(LumpId.DISPINFO))
    pairs = grids.shared(grid, grid.positions(verts))
    meant = _ways(ways, before) if ways is not None else None
    if positions is not None or meant is not None:
        _move(grid, verts, positions, meant, pairs)
    if alphas is not None:
        _blend(verts, alphas, pairs)
    changed = grid.owner[_differs(before, verts)]
    if tags is not None:
        changed = np.concatenate([changed, _tag(changes, grid, tags)])
    if any(before[field].tobytes() != verts[field].tobytes() for field in ("vec", "dist")):
        changes.set_bytes(LumpId.PHYSDISP, b"")
        world_collision.put_displaced(changes)
    changes.apply()
    return np.asarray(np.unique(changed[changed >= 0]))


def _move(
    grid: grids.Displacements,
    verts: Records,
    positions: npt.ArrayLike | None,
    meant: Records | None,
    pairs: tuple[Ints, Ints],
) -> None:
    """Put vertices elsewhere: `verts` are changed. meant: the records with other ways. pairs: vertices in one place."""
    old = grid.positions(verts)
    wanted = old if positions is None else _all_of(positions, (len(verts), 3), LumpId.DISP_VERTS, "positions")
    wanted = wanted.copy()
    given = _differs(verts, meant) if meant is not None else np.zeros(len(verts), np.bool_)
    if meant is not None:
        wanted[given] = grid.positions(meant)[given]
    if (np.abs(wanted) > FARTHEST).any():
        vertex = int((np.abs(wanted) > FARTHEST).any(axis=1).argmax())
        raise FormatError(f"vertex {vertex} would lie outside of the world", lump_name(LumpId.DISP_VERTS))
    with np.errstate(over="ignore"):  # of damaged fields
        moved = (wanted.astype(np.float32) != old.astype(np.float32)).any(axis=1)
    wanted = _mirrored(old, wanted, moved, pairs)
    if moved.any():
        _straighten(grid, old, wanted)
    verts[:] = grids.fields(grid, wanted, verts)
    if meant is not None:
        there = given & (wanted.astype(np.float32) == grid.positions(meant).astype(np.float32)).all(axis=1)
        verts["vec"][there], verts["dist"][there] = meant["vec"][there], meant["dist"][there]


def _blend(verts: Records, alphas: npt.ArrayLike, pairs: tuple[Ints, Ints]) -> None:
    """Give vertices other alphas: `verts` are changed. pairs: vertices in one place."""
    wanted = _all_of(alphas, (len(verts),), LumpId.DISP_VERTS, "alphas")[:, None]
    was = verts["alpha"].astype(np.float64)[:, None]
    moved = (wanted.astype(np.float32) != was.astype(np.float32))[:, 0]
    alike = (was[pairs[0]] == was[pairs[1]])[:, 0]
    made = _mirrored(was, wanted, moved, (pairs[0][alike], pairs[1][alike]))[:, 0]
    touched = made.astype(np.float32) != verts["alpha"]
    verts["alpha"][touched] = made[touched]


def change_info(level: Level, number: int, min_tess: int | None = None, smoothing_angle: float | None = None) -> None:
    """Change what a displacement says of itself; what is left out stays.

    min_tess: the whole word, with DispInfoFlag.IS_FLAGS flags. smoothing_angle: float32, degrees.

    Raises FormatError for a displacement that isn't there, values that the record can't hold, and for another
    HAS_MULTIBLEND, which says which rows of DISP_MULTIBLEND are whose.
    """
    changes = Changes(level)
    table = changes.table(LumpId.DISPINFO)
    numbered(number, len(table), LumpId.DISPINFO)
    if min_tess is not None:
        now, then = (
            word & _BLENDED if word & int(DispInfoFlag.IS_FLAGS) else 0
            for word in (int(min_tess), int(table["min_tess"][number]))
        )
        if now != then and len(level.bytes_of(LumpId.DISP_MULTIBLEND)):
            message = "whether it blends four textures, which is a row of DISP_MULTIBLEND for each vertex, can't change"
            raise FormatError(message, f"flags of displacement {number}")
        put(table, number, {"min_tess": min_tess}, f"displacement {number}")
    if smoothing_angle is not None:
        put(table, number, {"smoothing_angle": smoothing_angle}, f"displacement {number}")
    changes.apply()


def _ways(ways: tuple[npt.ArrayLike, npt.ArrayLike], before: Records) -> Records:
    """Records with other ways. Raises FormatError for another number of them, and those that are NaN or infinite."""
    meant = before.copy()
    for name, values in zip(("vec", "dist"), ways, strict=True):
        made = np.asarray(values)
        if made.shape != before[name].shape or made.dtype.kind not in "fiu":
            message = f"ways of the shape {made.shape}, numbers of {before[name].shape} are meant"
            raise FormatError(message, lump_name(LumpId.DISP_VERTS))
        with np.errstate(over="ignore", invalid="ignore"):
            meant[name] = made
    other = _differs(before, meant)
    if not all(np.isfinite(meant[name][other]).all() for name in ("vec", "dist")):
        raise FormatError("ways that are NaN, infinite or too large", lump_name(LumpId.DISP_VERTS))
    return meant


def _tag(changes: Changes, grid: grids.Displacements, tags: npt.ArrayLike) -> Ints:
    """Set tags; returns the displacements of those that changed."""
    table = changes.table(LumpId.DISP_TRIS)
    before = table["tags"].copy()
    table["tags"] = fitting(np.asarray(tags), before, f"tags of {lump_name(LumpId.DISP_TRIS)}")
    owner = np.full(len(table), -1, np.int64)
    counts = 2 * (grid.edge - 1) ** 2
    places = ranges.flat(grid.first_triangle, counts)
    if len(places) and places.max() >= len(table):
        raise FormatError(f"triangle {places.max()} of {len(table)}", lump_name(LumpId.DISP_TRIS))
    owner[places] = ranges.owners(counts)
    return np.asarray(owner[before != table["tags"]])


def _all_of(values: npt.ArrayLike, shape: tuple[int, ...], lump: LumpId, what: str) -> Floats:
    found = np.asarray(values, np.float64)
    if found.shape != shape:
        raise FormatError(f"{what} of the shape {found.shape}, {shape} is meant", lump_name(lump))
    if not (np.abs(found) <= _LARGEST).all():
        raise FormatError(f"{what} that are NaN, infinite or too large", lump_name(lump))
    return found


def _differs(one: Records, other: Records) -> Bools:
    """Which records differ in a bit."""
    first, second = (np.ascontiguousarray(records) for records in (one, other))
    size = first.dtype.itemsize
    rows = (first.view((np.uint8, size)) != second.view((np.uint8, size))).any(axis=1)
    return np.asarray(rows)


def _mirrored(old: Floats, new: Floats, moved: Bools, pairs: tuple[Ints, Ints]) -> Floats:
    """Values float64[n, c] with those of other displacements in the same place gone the same way."""
    first, second = pairs
    way = new - old
    way[~moved] = 0
    leading = moved[first]
    first, second = first[leading], second[leading]
    total = np.where(moved[:, None], way, 0.0)
    total += np.column_stack([np.bincount(second, way[first, axis], len(old)) for axis in range(old.shape[1])])
    count = moved + np.bincount(second, minlength=len(old))
    disagree = np.zeros(len(old), np.bool_)
    disagree[second] |= ~moved[second]
    disagree[second[(np.abs(way[first] - way[second]) > _CLOSE).any(axis=1)]] = True
    made = new.copy()
    made[~moved] = old[~moved]
    made[disagree] = old[disagree] + total[disagree] / count[disagree][:, None]
    return made


def _straighten(grid: grids.Displacements, old: Floats, new: Floats) -> None:
    """Put moved vertices of borders that a coarser neighbour doesn't have between those that it has, in place."""
    moved = (old != new).any(axis=1)
    for number in np.unique(grid.owner[moved & (grid.owner >= 0)]).tolist():
        edge, first = int(grid.edge[number]), int(grid.first_vertex[number])
        local = np.arange(edge * edge).reshape(edge, edge)
        bits = grid.infos["allowed_verts"][number].astype("<u4").view(np.uint8)
        allowed = np.unpackbits(bits, bitorder="little").astype(np.bool_)
        for side in (local[0], local[-1], local[:, 0], local[:, -1]):
            kept = allowed[side]
            kept[[0, -1]] = True
            line = first + side
            if kept.all() or not moved[line].any():
                continue
            steps = np.arange(edge)
            for axis in range(3):
                new[line[~kept], axis] = np.interp(steps[~kept], steps[kept], new[line[kept], axis])
