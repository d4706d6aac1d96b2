# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a model's vertices makes triangles (`.vtx`, version 7), of level of detail 0.

Layout: `optimize.h` of the Source SDK. Headers say where their lists are from their own first byte on. Strips and
strip groups are 8 bytes longer in the games since Alien Swarm; nothing says so but what then stands in them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import ranges
from ...binary import Budget, Buffer, Cursor, FormatError
from ..records import Dtype, Records, record

VERSION = 7
TRIANGLE_LIST, TRIANGLE_STRIP = 1, 2  # of a strip's flags

HEADER = record(
    ("version", "<i4"),
    ("cache_size", "<i4"),
    ("max_bones_per_strip", "<u2"),
    ("max_bones_per_triangle", "<u2"),
    ("max_bones_per_vertex", "<i4"),
    ("checksum", "<i4"),
    ("lod_count", "<i4"),
    ("material_replacements", "<i4"),
    ("count", "<i4"),  # of body parts
    ("offset", "<i4"),
    size=36,
)
BODY_PART = record(("count", "<i4"), ("offset", "<i4"), size=8)  # models
MODEL = record(("count", "<i4"), ("offset", "<i4"), size=8)  # levels of detail
LOD = record(("count", "<i4"), ("offset", "<i4"), ("switch_point", "<f4"), size=12)  # meshes
MESH = record(("count", "<i4"), ("offset", "<i4"), ("flags", "u1"), size=9)  # strip groups
_GROUP = (
    ("vertex_count", "<i4"),
    ("vertex_offset", "<i4"),
    ("index_count", "<i4"),
    ("index_offset", "<i4"),
    ("strip_count", "<i4"),
    ("strip_offset", "<i4"),
    ("flags", "u1"),
)
_STRIP = (
    ("index_count", "<i4"),
    ("index_start", "<i4"),  # of the group's indices
    ("vertex_count", "<i4"),
    ("vertex_start", "<i4"),
    ("bone_count", "<i2"),
    ("flags", "u1"),
    ("bone_change_count", "<i4"),
    ("bone_change_offset", "<i4"),
)
_TOPOLOGY = (("topology_count", "<i4"), ("topology_offset", "<i4"))
STRIP_GROUP, STRIP = record(*_GROUP, size=25), record(*_STRIP, size=27)
STRIP_GROUP_33, STRIP_35 = record(*_GROUP, *_TOPOLOGY, size=33), record(*_STRIP, *_TOPOLOGY, size=35)
VERTEX = record(
    ("weights", "u1", 3),
    ("bone_count", "u1"),
    ("vertex", "<u2"),  # of the mesh
    ("bones", "i1", 3),
    size=9,
)

Triangles = NDArray[np.int64]
"""[n, 3] vertices of a mesh, clockwise seen from the front."""


@dataclass(frozen=True, slots=True)
class Strips:
    """checksum: of the model that it belongs to. parts[body part][mesh]: triangles of the part's first model."""

    checksum: int
    parts: list[list[Triangles]]


def read(data: Buffer) -> Strips:
    """Read the triangles of level of detail 0, of each body part's first model. Raises FormatError."""
    try:
        return _Reader(data, STRIP_GROUP, STRIP).strips()
    except FormatError as error:
        try:
            return _Reader(data, STRIP_GROUP_33, STRIP_35).strips()
        except FormatError:
            raise error from None


class _Reader:
    """Reads a file with one of the two kinds of strips. Lists that overlap, so that a small file would become very many
    triangles, run into the budget.
    """

    def __init__(self, data: Buffer, group: Dtype, strip: Dtype) -> None:
        self.data = data
        self.group, self.strip = group, strip
        self.budget = Budget(memoryview(data).nbytes)

    def table(self, dtype: Dtype, start: int, count: int, what: str) -> Records:
        """Records at a byte of the file."""
        size = memoryview(self.data).nbytes
        if not 0 <= start <= size:
            raise FormatError(f"begin at byte {start} of {size}", f"VTX {what}")
        found = Cursor(self.data, start).array(dtype, count, f"VTX {what}")
        self.budget.spend(found.nbytes, f"VTX {what}")
        return found

    def inner(self, dtype: Dtype, at: int, header: np.void, what: str) -> Iterator[tuple[int, np.void]]:
        """The records of the list that a header at a byte has, each with its own place."""
        start = at + int(header["offset"])
        records = self.table(dtype, start, int(header["count"]), what)
        return ((start + number * dtype.itemsize, one) for number, one in enumerate(records))

    def strips(self) -> Strips:
        header = self.table(HEADER, 0, 1, "header")[0]
        if header["version"] != VERSION:
            raise FormatError(f"version {header['version']}; known is {VERSION}", "VTX header", 0)
        parts = []
        for part_at, part in self.inner(BODY_PART, 0, header, "body parts"):
            model = next(self.inner(MODEL, part_at, part, "models"), None)
            lod = next(self.inner(LOD, *model, "levels of detail"), None) if model is not None else None
            meshes = self.inner(MESH, *lod, "meshes") if lod is not None else ()
            parts.append([self.mesh(at, mesh) for at, mesh in meshes])
        return Strips(int(header["checksum"]), parts)

    def mesh(self, at: int, mesh: np.void) -> Triangles:
        found = [np.zeros((0, 3), np.int64)]
        for group_at, group in self.inner(self.group, at, mesh, "strip groups"):
            parts = (("vertex", VERTEX), ("index", np.dtype("<u2")), ("strip", self.strip))
            vertices, indices, strips = (
                self.table(dtype, group_at + int(group[f"{name}_offset"]), int(group[f"{name}_count"]), f"{name} list")
                for name, dtype in parts
            )
            if len(indices) and int(indices.max()) >= len(vertices):
                raise FormatError(f"vertex {indices.max()} of {len(vertices)}", "VTX indices")
            ranges.check_total(strips["index_count"], len(indices), "VTX strips")
            numbers = vertices["vertex"].astype(np.int64)[indices]
            found += [_triangles(numbers, strip) for strip in strips]
        return np.concatenate(found)


def _triangles(numbers: NDArray[np.int64], strip: np.void) -> Triangles:
    """The triangles of one strip of a group's vertices."""
    start, count = int(strip["index_start"]), int(strip["index_count"])
    if start < 0 or count < 0 or start + count > len(numbers):
        raise FormatError(f"indices {start} to {start + count} of {len(numbers)}", "VTX strip")
    corners = numbers[start : start + count]
    flags = int(strip["flags"])
    if flags & TRIANGLE_LIST and count % 3 == 0:
        return corners.reshape(-1, 3)
    if flags & TRIANGLE_STRIP and not flags & TRIANGLE_LIST:
        made = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1) if count > 2 else corners[:0].reshape(0, 3)
        made[1::2] = made[1::2, [1, 0, 2]]
        return made
    raise FormatError(f"{count} indices with the flags {flags:#x}", "VTX strip")
