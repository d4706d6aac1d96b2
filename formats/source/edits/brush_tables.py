# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of tables that are used again, and numbers that fields may be too narrow for."""

import numpy as np
import numpy.typing as npt

from ...arrays import Array, Bools, Floats, Ints, Records
from ...binary import FormatError
from ..lumps import LumpId, lump_name
from .brush_pieces import WHAT
from .changes import Changes
from .living import Living

GROWING = (
    *(LumpId.PLANES, LumpId.BRUSHES, LumpId.BRUSHSIDES, LumpId.NODES, LumpId.LEAFS, LumpId.LEAFBRUSHES),
    *(LumpId.LEAFFACES, LumpId.FACES, LumpId.VERTEXES, LumpId.EDGES, LumpId.SURFEDGES, LumpId.TEXINFO),
)
"""Tables that brushes grow, of which usual compilers allow only so many rows."""


def held(records: Records, name: str, rows: Ints | int | slice, values: npt.ArrayLike) -> None:
    """Set a field of some rows. Raises FormatError for numbers that it cannot hold."""
    kind = records.dtype[name].base
    if kind.kind in "iu":
        limits, wanted = np.iinfo(kind), np.asarray(values)
        if wanted.size and not limits.min <= int(wanted.min()) <= int(wanted.max()) <= limits.max:
            raise FormatError(f"{name} would be {wanted.min()} to {wanted.max()}, {limits.max} is the most", WHAT)
    records[name][rows] = values


_WIPED = {
    LumpId.BRUSHES: {"firstside": 0, "numsides": 0, "contents": 0},
    LumpId.NODES: {"children": -1, "planenum": 0, "firstface": 0, "numfaces": 0},
    LumpId.LEAFS: {"firstleafface": 0, "numleaffaces": 0, "firstleafbrush": 0, "numleafbrushes": 0},
}
"""What fields of rows hold that an edit had no more use for."""


def wipe(table: Records, lump: LumpId, rows: Ints) -> None:
    """Have rows, int64[n], name nothing: the next edit uses them again."""
    for name, value in _WIPED[lump].items():
        table[name][rows] = value


def is_wiped(table: Records, lump: LumpId) -> Bools:
    """Which rows name nothing, as `wipe` leaves them, bool[n]."""
    found = np.ones(len(table), np.bool_)
    for name, value in _WIPED[lump].items() if len(table) else ():
        found &= (table[name] == value).reshape(len(table), -1).all(axis=1)
    return found


def cut(changes: Changes, lump: LumpId, own: Ints) -> int:
    """Cut off rows at a table's end that were a model's own, int64[n]; how many are left."""
    table = changes.table(lump)
    others = np.setdiff1d(np.arange(len(table)), own)
    left = int(others[-1]) + 1 if len(others) else 0
    changes.set_table(lump, table[:left])
    return left


def _unused(changes: Changes, lump: LumpId) -> Ints:
    """The rows that an edit has wiped before and that nothing names; never the first, the leaf of all that is solid."""
    free = ~Living(changes.level, changes.peek).rows(lump) & is_wiped(changes.table(lump), lump)
    free[:1] = False
    return np.flatnonzero(free)


def slots(changes: Changes, lump: LumpId, old: Ints, count: int) -> Ints:
    """The numbers of `count` rows to be written: the old ones, then ones that earlier edits left, then new ones behind
    the table. int64[count].
    """
    used = old[:count]
    if len(used) < count:
        used = np.concatenate([used, np.setdiff1d(_unused(changes, lump), old)])[:count]
    more = count - len(used)
    table = changes.table(lump)
    if more <= 0:
        return used
    first = changes.append(lump, np.zeros(more, table.dtype))
    return np.concatenate([used, np.arange(first, first + more)])


def plane_numbers(changes: Changes, normals: Floats, dists: Floats) -> Ints:
    """The numbers of planes: of ones that are there, bit for bit, or of new pairs behind them, int64[n]. Those that
    nothing named before the changes aren't there.
    """
    table = changes.table(LumpId.PLANES)
    wanted = np.zeros(len(dists), table.dtype)
    wanted["normal"], wanted["dist"] = normals, dists
    near = np.flatnonzero(np.isin(_bits(table["dist"]), _bits(wanted["dist"])) & ~_unnamed_planes(changes))
    known = dict(zip(reversed(_keys(table[near])), near[::-1].tolist(), strict=True))  # of planes alike, the first
    found: list[int] = []
    fresh: list[Records] = []
    for row, key, opposite in zip(wanted, _keys(wanted), _keys(_turned(wanted)), strict=True):
        if key not in known:
            pair = [row, _turned(row.reshape(1))[0]]
            swap = (np.abs(row["normal"]) == 1).any() and row["normal"].sum() < 0
            known[key], known[opposite] = len(table) + 2 * len(fresh) + swap, len(table) + 2 * len(fresh) + (not swap)
            fresh.append(np.array(pair[::-1] if swap else pair, table.dtype))
        found.append(known[key])
    if len(table) % 2:
        raise FormatError("planes aren't in pairs", lump_name(LumpId.PLANES))
    if fresh:
        rows = np.concatenate(fresh)
        across = np.abs(rows["normal"])
        rows["type"] = np.where((across == 1).any(axis=1), 0, 3) + across.argmax(axis=1)
        changes.append(LumpId.PLANES, rows)
    return np.array(found, np.int64)


def _unnamed_planes(changes: Changes) -> Bools:
    """The planes that nothing named before the changes, nor their opposites."""
    count = len(changes.table(LumpId.PLANES))
    nameless = changes.nameless(LumpId.PLANES, count - count % 2).reshape(-1, 2).all(axis=1)
    return np.append(np.repeat(nameless, 2), np.zeros(count % 2, np.bool_))


def vector_numbers(changes: Changes, lump: LumpId, vectors: npt.ArrayLike, nameless: bool = False) -> Ints:
    """The numbers of float32[n, 3] rows of VERTEXES or VERTNORMALS: of ones that are there, bit for bit but for -0, or
    of new ones behind them, each once. int64[n]. Those that nothing named before the changes count as there only if
    `nameless` is set, for edits that close no gaps: the rows that one leaves are there for the next.
    """
    table = changes.table(lump)
    name = (table.dtype.names or ("",))[0]
    known, wanted = (
        np.ascontiguousarray(part, "<f4").reshape(-1, 3) + np.float32(0) for part in (table[name], vectors)
    )
    there = np.arange(len(table)) if nameless else np.flatnonzero(~changes.nameless(lump, len(table)))
    keys = np.concatenate([known[there], wanted]).view("S12").reshape(-1)  # compares all bytes, as all have one length
    _, first, where = np.unique(keys, return_index=True, return_inverse=True)
    found = first[where.reshape(-1)[len(there) :]]
    fresh = np.unique(found[found >= len(there)])
    rows = np.zeros(len(fresh), table.dtype)
    rows[name] = wanted[fresh - len(there)]
    start = changes.append(lump, rows)
    places = np.where(found < len(there), found, len(there) + np.searchsorted(fresh, found))
    return np.asarray(np.concatenate([there, start + np.arange(len(fresh))])[places])


def _turned(planes: Records) -> Records:
    turned = planes.copy()
    turned["normal"], turned["dist"] = -planes["normal"], -planes["dist"]
    return turned


def _bits(dists: Array) -> npt.NDArray[np.uint32]:
    return (dists.astype(np.float32) + np.float32(0)).view(np.uint32)


def _keys(planes: Records) -> list[bytes]:
    rows = np.column_stack([planes["normal"], planes["dist"]]).astype(np.float32) + np.float32(0)
    return [row.tobytes() for row in rows]
