# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a navigation section: bytes <-> arrays (fable.md §2.7)."""

from dataclasses import dataclass
from struct import Struct
from struct import error as struct_error

import numpy as np
import numpy.typing as npt

from .. import ranges
from ..arrays import Array, Bools, Int32s, Integers, Ints, Records
from ..binary import Buffer, Cursor, FormatError
from .records import END_MARK, NAVIGATION_HEADER, NODE, POSITION, node_parts

VERSIONS = range(5, 9)
COSTS_SINCE = 7  # version
OLD_PREFERENCE = 64  # what leaves cost in versions that do not store it
_I32, _U32 = Struct("<i"), Struct("<I")


@dataclass(frozen=True, slots=True, eq=False)
class Navigation:
    """Where creatures may walk: quadtrees of squares, 32 units and smaller, on one or more layers.

    Nothing in it changes; edits make a new one (`dataclasses.replace`, or `rebuild` and `patch`).
    """

    header: Records  # one NAVIGATION_HEADER; its counts are those of the file, `encode` writes the real ones
    positions: Records  # POSITION [n]
    layer_count: int
    nodes: Records  # NODE [n], in the file's order
    neighbours: Int32s  # indices of nodes, leaf after leaf
    keys: npt.NDArray[np.uint64]  # of doors, switchable leaf after switchable leaf
    tail: bytes = b""  # what stands between the end mark and the section's end

    @property
    def version(self) -> int:
        """5 to 8."""
        return int(self.header["version"])

    @property
    def region_count(self) -> int:
        """One more than the highest region; region 0 is none."""
        return int(self.header["region_count"])

    def first_neighbours(self) -> Ints:
        """Where in `neighbours` those of each node start; one entry more than there are nodes."""
        return ranges.starts(self.nodes["neighbour_count"])

    def first_keys(self) -> Ints:
        """Where in `keys` those of each node start; one entry more than there are nodes."""
        return ranges.starts(self.nodes["key_count"])


def _blocked(nodes: Records) -> Bools:
    """Which nodes end behind their head."""
    blocked: Bools = (nodes["switchable"] == 0) & (nodes["blocked"] != 0)
    return blocked


# ------------------------------------------------------------------------------------------------------------- decode


def decode(data: Buffer, base: int = 0) -> Navigation:
    """Read a section from behind its block end to its end; `base`: where in the file that is. Raises FormatError."""
    cursor = Cursor(data, base=base)
    header = cursor.array(NAVIGATION_HEADER, 1, "navigation").reshape(())
    version = int(header["version"])
    if version not in VERSIONS:
        raise FormatError(f"version {version}, known are 5 to 8", "navigation", base)
    positions = cursor.array(POSITION, int(header["position_count"]), "action points")
    layer_count = cursor.u32("number of layers")
    count = cursor.i32("number of nodes")
    head = node_parts(version)[0]
    if count < 0:
        raise cursor.error(f"its count is negative ({count})", "nodes")
    cursor.need(count * head.itemsize, "nodes")
    view = memoryview(data).toreadonly().cast("B")
    starts = _node_starts(cursor, view, count, version)
    nodes, neighbours, keys = _gather(view, starts, version)
    mark = cursor.u32("end mark")
    if mark != END_MARK:
        cursor.offset -= 4
        raise cursor.error(f"{mark:#x} where {END_MARK:#x} should be", "end mark")
    return Navigation(header, positions, layer_count, nodes, neighbours, keys, bytes(cursor.take(cursor.left, "tail")))


def _node_starts(cursor: Cursor, data: memoryview, count: int, version: int) -> Ints:
    """Where each node starts; skips them. The only loop over nodes: where one ends is known when it is read."""
    head, place, leaf = (part.itemsize for part in node_parts(version))
    switch_at, blocked_at = (None, 1) if version == 5 else (0, 2)
    neighbours_at = head + place + leaf - _I32.size
    internal_size, leaf_size = head + place + 16, head + place + leaf
    starts: list[int] = []
    at, size = cursor.offset, len(data)
    read_i32, read_u32 = _I32.unpack_from, _U32.unpack_from
    for _ in range(count):
        starts.append(at)
        try:
            switchable = switch_at is not None and data[at] != 0
            if data[at + blocked_at] and not switchable:
                at += head
            elif not data[at + head]:
                at += internal_size
            else:
                neighbours = read_i32(data, at + neighbours_at)[0]
                if neighbours < 0:
                    break
                at += leaf_size + 4 * neighbours
                if switchable:
                    at += 4 + 8 * read_u32(data, at)[0]
        except (IndexError, struct_error):
            at = size + 1
        if at > size:
            break
    else:
        cursor.skip(at - cursor.offset, "nodes")
        return np.array(starts, np.int64)
    cursor.skip(starts[-1] - cursor.offset, "nodes")
    raise cursor.error("reaches beyond its section, or has a negative number of neighbours", f"node {len(starts) - 1}")


def _gather(data: memoryview, starts: Ints, version: int) -> tuple[Records, Int32s, npt.NDArray[np.uint64]]:
    """Read the parts of all nodes at once."""
    head, place, leaf = node_parts(version)
    nodes = np.zeros(len(starts), NODE)
    _assign(nodes, slice(None), _at(data, head, starts))
    placed = np.flatnonzero(~_blocked(nodes))
    _assign(nodes, placed, _at(data, place, starts[placed] + head.itemsize))
    is_leaf = nodes["leaf"] != 0
    inner, leaves = placed[~is_leaf[placed]], placed[is_leaf[placed]]
    behind = head.itemsize + place.itemsize
    nodes["children"][inner] = _at(data, NODE["children"], starts[inner] + behind)
    _assign(nodes, leaves, _at(data, leaf, starts[leaves] + behind))
    if "preference" not in (leaf.names or ()):
        nodes["preference"][leaves] = OLD_PREFERENCE
    behind += leaf.itemsize
    counts = nodes["neighbour_count"][leaves]
    neighbours = _at(data, np.dtype("<i4"), _spread(starts[leaves] + behind, counts, 4))
    doors = leaves[nodes["switchable"][leaves] != 0]
    at = starts[doors] + behind + 4 * nodes["neighbour_count"][doors].astype(np.int64)
    nodes["key_count"][doors] = _at(data, np.dtype("<u4"), at)
    keys = _at(data, np.dtype("<u8"), _spread(at + 4, nodes["key_count"][doors], 8))
    for array in (nodes, neighbours, keys):
        array.flags.writeable = False
    return nodes, neighbours, keys


def _records(data: Buffer, dtype: np.dtype[np.generic]) -> Array:
    """View bytes as records that begin at every byte."""
    base, shape = dtype.base, dtype.shape
    count = max(memoryview(data).nbytes - dtype.itemsize + 1, 0)
    strides = (1, *(base.itemsize for _ in shape))
    return np.ndarray((count, *shape), base, data, 0, strides)


def _at(data: Buffer, dtype: np.dtype[np.generic], offsets: Ints) -> Array:
    """The records that begin at these offsets."""
    return _records(data, dtype)[offsets]


def _assign(nodes: Records, where: slice | Ints, values: Records) -> None:
    for name in values.dtype.names or ():
        nodes[name][where] = values[name]


def _spread(starts: Ints, counts: Integers, size: int) -> Ints:
    """Offsets of all elements of lists: list i starts at starts[i] and has counts[i] elements of `size` bytes."""
    counts = counts.astype(np.int64)
    first = np.cumsum(counts) - counts
    offsets: Ints = np.repeat(starts - size * first, counts) + size * np.arange(counts.sum())
    return offsets


# ------------------------------------------------------------------------------------------------------------- encode


def encode(navigation: Navigation) -> bytes:
    """The bytes of a section from behind its block end to its end. Raises FormatError if it does not fit together."""
    nodes, version = navigation.nodes, navigation.version
    if version not in VERSIONS:
        raise FormatError(f"version {version}, known are 5 to 8", "navigation")
    blocked = _blocked(nodes)
    is_leaf = ~blocked & (nodes["leaf"] != 0)
    doors = is_leaf & (nodes["switchable"] != 0)
    _fits("neighbours", nodes["neighbour_count"], is_leaf, len(navigation.neighbours))
    _fits("keys", nodes["key_count"], doors, len(navigation.keys))
    if version == 5 and nodes["switchable"].any():
        raise FormatError("version 5 has no switchable nodes", "navigation")
    if version < COSTS_SINCE and (nodes["preference"][is_leaf] != OLD_PREFERENCE).any():
        raise FormatError(f"version {version} stores no preference other than {OLD_PREFERENCE}", "navigation")

    head, place, leaf = node_parts(version)
    behind = head.itemsize + place.itemsize
    sizes = np.where(blocked, head.itemsize, behind + 16)
    sizes[is_leaf] = behind + leaf.itemsize + 4 * nodes["neighbour_count"][is_leaf].astype(np.int64)
    list_ends = sizes.copy()
    sizes[doors] += 4 + 8 * nodes["key_count"][doors].astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    data = bytearray(int(sizes.sum()))

    def put(dtype: np.dtype[np.generic], offsets: Ints, values: Array) -> None:
        if len(offsets):
            _records(data, dtype)[offsets] = values

    put(head, starts, _part(nodes, head))
    put(place, starts[~blocked] + head.itemsize, _part(nodes[~blocked], place))
    inner = ~blocked & ~is_leaf
    put(NODE["children"], starts[inner] + behind, nodes["children"][inner])
    put(leaf, starts[is_leaf] + behind, _part(nodes[is_leaf], leaf))
    lists = starts[is_leaf] + behind + leaf.itemsize
    put(np.dtype("<i4"), _spread(lists, nodes["neighbour_count"][is_leaf], 4), navigation.neighbours)
    at = (starts + list_ends)[doors]
    put(np.dtype("<u4"), at, nodes["key_count"][doors])
    put(np.dtype("<u8"), _spread(at + 4, nodes["key_count"][doors], 8), navigation.keys)

    header = navigation.header.copy()
    header["position_count"] = len(navigation.positions)
    counts = _U32.pack(navigation.layer_count) + _I32.pack(len(nodes))
    positions = navigation.positions.astype(POSITION, copy=False).tobytes()
    return b"".join([header.tobytes(), positions, counts, data, _U32.pack(END_MARK), navigation.tail])


def _part(nodes: Records, dtype: np.dtype[np.void]) -> Records:
    part = np.empty(len(nodes), dtype)
    for name in dtype.names or ():
        part[name] = nodes[name]
    return part


def _fits(what: str, counts: Integers, owners: Bools, length: int) -> None:
    if (counts[~owners] != 0).any() or (counts < 0).any() or int(counts.sum(dtype=np.int64)) != length:
        raise FormatError(f"its nodes do not name the {length} {what} that there are", "navigation")
