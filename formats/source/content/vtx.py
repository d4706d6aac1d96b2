# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a model's vertices makes triangles (`.vtx`, version 7, and 107 of Bloodlines), of one level of detail.

Layout: `optimize.h` of the Source SDK. Headers say where their lists are from their own first byte on. Strips and
strip groups are 8 bytes longer in the games since Alien Swarm; nothing says so but what then stands in them. Bloodlines
has shorter numbers and two forms of vertices: measured on three models of a mod, after public descriptions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from ... import ranges
from ...arrays import Ints, Records
from ...binary import Budget, Buffer, Cursor, FormatError
from ..records import Dtype, record

VERSION, TROIKA_VERSION = 7, 107
TRIANGLE_LIST, TRIANGLE_STRIP = 1, 2  # of a strip's flags

HEADER = record(
    ("version", "<i4"),
    ("cache_size", "<i4"),
    ("max_bones_per_strip", "<u2"),
    ("max_bones_per_triangle", "<u2"),
    ("max_bones_per_vertex", "<i4"),
    ("checksum", "<i4"),
    ("lod_count", "<i4"),
    ("replacement_offset", "<i4"),  # a list a level of detail
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
TROIKA_MESH = record(("count", "<u2"), ("flags", "u1"), ("unused", "u1"), ("offset", "<i4"), size=8)
TROIKA_GROUP = record(
    ("vertex_count", "<u2"),
    ("index_count", "<u2"),
    ("strip_count", "<u2"),
    ("flags", "u1"),
    ("unused", "u1"),
    ("vertex_offset", "<i4"),
    ("index_offset", "<i4"),
    ("strip_offset", "<i4"),
    size=20,
)
TROIKA_STRIP = record(
    ("index_count", "<u2"),
    ("index_start", "<u2"),
    ("vertex_count", "<u2"),
    ("vertex_start", "<u2"),
    ("bone_count", "u1"),
    ("flags", "u1"),
    ("bone_change_count", "<u2"),
    ("bone_change_offset", "<i4"),
    size=16,
)
TROIKA_BONED = record(("bones", "V10"), ("vertex", "<u2"), size=12)
TROIKA_PLAIN = record(("vertex", "<u2"), size=2)
_PLAIN = 0x10
"""Of a group's flags in Bloodlines: its vertices are but numbers."""
REPLACEMENTS = record(("count", "<i4"), ("offset", "<i4"), size=8)
REPLACEMENT = record(("material", "<i2"), ("name_offset", "<i4"), size=6)
_SHADOW = -1.0
"""Switch point of the level of detail that only throws shadows."""

_Made = TypeVar("_Made")

Triangles = Ints
"""[n, 3] vertices of a mesh, clockwise seen from the front."""


@dataclass(frozen=True, slots=True)
class Strips:
    """The triangles of a level of detail."""

    checksum: int
    """Of the model that it belongs to."""
    parts: list[list[Triangles]]
    """By body part and mesh: triangles of the part's first model."""
    renamed: dict[int, str] = field(default_factory=dict)
    """Materials that it has others for, by their numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A strip group."""

    level: int
    """Of detail."""
    vertices: Ints
    """int64[n], those of its mesh (of the whole model, from `mdl.groups`); -1 for each of a mesh that isn't shown."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """The records of a version below its levels of detail."""

    mesh: Dtype
    group: Dtype
    strip: Dtype
    vertex: Dtype


_LAYOUTS = {
    VERSION: (_Layout(MESH, STRIP_GROUP, STRIP, VERTEX), _Layout(MESH, STRIP_GROUP_33, STRIP_35, VERTEX)),
    TROIKA_VERSION: (_Layout(TROIKA_MESH, TROIKA_GROUP, TROIKA_STRIP, TROIKA_BONED),),
}


def read(data: Buffer, level: int = 0) -> Strips:
    """Read the triangles of a level of detail, of each body part's first model. Raises FormatError.

    level: 0 is the finest; a model that has fewer shows its coarsest.
    """
    return _tried(data, lambda layout: _Reader(data, layout, level).strips())


def groups(data: Buffer, level: int = 0) -> list[list[list[list[Group]]]]:
    """Read the strip groups of a level of detail, of all models: [body part][model][mesh], in the file's order.

    level: as of `read`. Raises FormatError.
    """

    def found(layout: _Layout) -> list[list[list[list[Group]]]]:
        _Reader(data, layout, level).strips()  # which tells one layout from the other
        return _Reader(data, layout, level).groups()

    return _tried(data, found)


def _tried(data: Buffer, make: Callable[[_Layout], _Made]) -> _Made:
    """What one of the layouts of a file's version gives. Raises FormatError where none does."""
    version = int(Cursor(data).array(HEADER, 1, "VTX header")[0]["version"])
    if version not in _LAYOUTS:
        raise FormatError(f"version {version}; known are {VERSION} and {TROIKA_VERSION}", "VTX header", 0)
    first: FormatError | None = None
    for layout in _LAYOUTS[version]:
        try:
            return make(layout)
        except FormatError as error:
            first = first or error
    raise first or FormatError("has no known layout", "VTX")


class _Reader:
    """Reads a file with one kind of strips. Lists that overlap, so that a small file would become very many triangles,
    run into the budget.
    """

    def __init__(self, data: Buffer, layout: _Layout, level: int) -> None:
        self.data, self.layout, self.level = data, layout, level
        self.budget = Budget(memoryview(data).nbytes)

    def table(self, dtype: Dtype, start: int, count: int, what: str) -> Records:
        """Records at a byte of the file."""
        found = self.at(start, what).array(dtype, count, f"VTX {what}")
        self.budget.spend(found.nbytes, f"VTX {what}")
        return found

    def at(self, start: int, what: str) -> Cursor:
        size = memoryview(self.data).nbytes
        if not 0 <= start <= size:
            raise FormatError(f"begins at byte {start} of {size}", f"VTX {what}")
        return Cursor(self.data, start)

    def inner(self, dtype: Dtype, at: int, header: np.void, what: str) -> Iterator[tuple[int, np.void]]:
        """The records of the list that a header at a byte has, each with its own place."""
        start = at + int(header["offset"])
        records = self.table(dtype, start, int(header["count"]), what)
        return ((start + number * dtype.itemsize, one) for number, one in enumerate(records))

    def strips(self) -> Strips:
        header = self.table(HEADER, 0, 1, "header")[0]
        parts = []
        for part_at, part in self.inner(BODY_PART, 0, header, "body parts"):
            model = next(self.inner(MODEL, part_at, part, "models"), None)
            lod = self.lod(*model) if model is not None else None
            meshes = self.inner(self.layout.mesh, *lod[1], "meshes") if lod is not None else ()
            parts.append([self.mesh(at, mesh) for at, mesh in meshes])
        return Strips(int(header["checksum"]), parts, self.renamed(header) if self.level else {})

    def groups(self) -> list[list[list[list[Group]]]]:
        """See `groups`."""
        header = self.table(HEADER, 0, 1, "header")[0]
        return [
            [self.groups_of(*model) for model in self.inner(MODEL, *part, "models")]
            for part in self.inner(BODY_PART, 0, header, "body parts")
        ]

    def groups_of(self, at: int, model: np.void) -> list[list[Group]]:
        """The groups of each mesh of a model."""
        lod = self.lod(at, model)
        if lod is None:
            return []
        return [
            [Group(lod[0], self.vertices(*group)) for group in self.inner(self.layout.group, *mesh, "strip groups")]
            for mesh in self.inner(self.layout.mesh, *lod[1], "meshes")
        ]

    def lod(self, at: int, model: np.void) -> tuple[int, tuple[int, np.void]] | None:
        """The level of detail that is wanted of a model, or its coarsest that is drawn: its number, and where it is."""
        lods = list(enumerate(self.inner(LOD, at, model, "levels of detail")))
        drawn = [one for one in lods if one[1][1]["switch_point"] != _SHADOW] or lods
        return drawn[min(self.level, len(drawn) - 1)] if drawn else None

    def vertices(self, at: int, group: np.void) -> Ints:
        """The vertices of a group: numbers of its mesh's."""
        plain = self.layout.vertex is TROIKA_BONED and int(group["flags"]) & _PLAIN
        vertex = TROIKA_PLAIN if plain else self.layout.vertex
        found = self.table(vertex, at + int(group["vertex_offset"]), int(group["vertex_count"]), "vertex list")
        return found["vertex"].astype(np.int64)

    def renamed(self, header: np.void) -> dict[int, str]:
        """The names of materials that the level of detail has in place of others."""
        found: dict[int, str] = {}
        if header["replacement_offset"] == 0 or header["lod_count"] == 0:
            return found
        lists = self.table(REPLACEMENTS, int(header["replacement_offset"]), int(header["lod_count"]), "replacements")
        number = min(self.level, len(lists) - 1)
        start = int(header["replacement_offset"]) + number * REPLACEMENTS.itemsize
        for at, one in self.inner(REPLACEMENT, start, lists[number], "replaced materials"):
            name = self.at(at + int(one["name_offset"]), "name of a material").cstring("VTX name of a material")
            found[int(one["material"])] = name.decode("latin-1")
        return found

    def mesh(self, at: int, mesh: np.void) -> Triangles:
        found = [np.zeros((0, 3), np.int64)]
        for group_at, group in self.inner(self.layout.group, at, mesh, "strip groups"):
            vertices = self.vertices(group_at, group)
            parts = (("index", np.dtype("<u2")), ("strip", self.layout.strip))
            indices, strips = (
                self.table(dtype, group_at + int(group[f"{name}_offset"]), int(group[f"{name}_count"]), f"{name} list")
                for name, dtype in parts
            )
            if len(indices) and int(indices.max()) >= len(vertices):
                raise FormatError(f"vertex {indices.max()} of {len(vertices)}", "VTX indices")
            ranges.check_total(strips["index_count"], len(indices), "VTX strips")
            numbers = vertices[indices]
            if _are_one_list(strips, len(numbers)):
                found.append(numbers.reshape(-1, 3))
            else:
                found += [_triangles(numbers, strip) for strip in strips]
        return np.concatenate(found)


def _are_one_list(strips: Records, indices: int) -> bool:
    """Whether strips are lists of triangles, one behind the other, of all indices: then the group is one, too."""
    starts, counts = strips["index_start"].astype(np.int64), strips["index_count"].astype(np.int64)
    ends = np.cumsum(counts)
    return bool(
        len(strips)
        and (strips["flags"] & TRIANGLE_LIST != 0).all()
        and (counts % 3 == 0).all()
        and (counts >= 0).all()
        and (starts == ends - counts).all()
        and ends[-1] == indices
    )


def _triangles(numbers: Ints, strip: np.void) -> Triangles:
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
