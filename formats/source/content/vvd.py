# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of models (`.vvd`, version 4): of all levels of detail in one list, which fixups put in order.

Layout: `studio.h` of the Source SDK (vertexFileHeader_t, vertexFileFixup_t, mstudiovertex_t).
"""

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Ints, Records
from ...binary import Buffer, Cursor, FormatError
from ..records import VECTOR, record

MAGIC, VERSION = b"IDSV", 4
HEADER = record(
    ("id", "S4"),
    ("version", "<i4"),
    ("checksum", "<i4"),  # the same in .mdl and .vtx
    ("lod_count", "<i4"),
    ("lod_vertex_counts", "<i4", 8),
    ("fixup_count", "<i4"),
    ("fixup_start", "<i4"),
    ("vertex_start", "<i4"),
    ("tangent_start", "<i4"),
    size=64,
)
#: The vertices of a level of detail are those of its fixups and of all with a higher one, in the table's order.
FIXUP = record(("lod", "<i4"), ("source_vertex", "<i4"), ("vertex_count", "<i4"), size=12)
VERTEX = record(
    ("weights", "<f4", 3),
    ("bones", "u1", 3),
    ("bone_count", "u1"),
    ("position", VECTOR),
    ("normal", VECTOR),
    ("uv", "<f4", 2),  # v down
    size=48,
)


@dataclass(frozen=True, slots=True)
class Vertices:
    """What level of detail 0 has."""

    checksum: int
    """Of the model that it belongs to."""
    vertices: Records
    """VERTEX [n], read-only."""


def read(data: Buffer) -> Vertices:
    """Read the vertices of level of detail 0. Raises FormatError."""
    header = Cursor(data).array(HEADER, 1, "VVD header")[0]
    if header["id"] != MAGIC or header["version"] != VERSION:
        found = bytes(memoryview(data)[:4])
        raise FormatError(f"{found!r}, version {header['version']}: not {MAGIC!r}, version {VERSION}", "VVD header", 0)
    count = int(header["lod_vertex_counts"][0])
    cursor = _at(data, int(header["vertex_start"]), "VVD vertices")
    vertices = cursor.array(VERTEX, count, "VVD vertices")
    if header["fixup_count"]:
        fixups = _at(data, int(header["fixup_start"]), "VVD fixups").array(
            FIXUP, int(header["fixup_count"]), "VVD fixups"
        )
        vertices = vertices[_order(fixups, count)]
    return Vertices(int(header["checksum"]), vertices)


def _order(fixups: Records, count: int) -> Ints:
    """The place in the file of each of the vertices of level of detail 0."""
    used = fixups[fixups["lod"] >= 0]
    first, counts = used["source_vertex"].astype(np.int64), used["vertex_count"].astype(np.int64)
    outside = (first < 0) | (counts < 0) | (first + counts > count)
    if outside.any():
        worst = int(outside.argmax())
        raise FormatError(f"vertices {first[worst]} to {first[worst] + counts[worst]} of {count}", "VVD fixups")
    if counts.sum() != count:
        raise FormatError(f"fixups of {counts.sum()} vertices, there are {count}", "VVD fixups")
    return ranges.flat(first, counts)


def _at(data: Buffer, offset: int, what: str) -> Cursor:
    size = memoryview(data).nbytes
    if not 0 <= offset <= size:
        raise FormatError(f"begins at byte {offset} of {size}", what)
    return Cursor(data, offset)
