# SPDX-License-Identifier: GPL-3.0-or-later
"""Light that the compiler baked into the vertices of a static prop (`.vhv`, version 2), a file a prop in the map's pak.

Layout: `hardwareverts.h` of the Source SDK; Valve Developer Community, "VHV". A file has the checksum of its prop's
model, and a mesh for each strip group of the model's `.vtx`, of all body parts and models, in their order, and of all
levels of detail: as many colours as the group has vertices.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Bytes, Ints, Records, Singles
from ...binary import Buffer, Cursor, FormatError
from ..records import record
from .vtx import Group

VERSION = 2
HEADER = record(
    ("version", "<i4"),
    ("checksum", "<i4"),  # of the model
    ("vertex_flags", "<u4"),
    ("vertex_size", "<u4"),  # 4, a colour; 12 since CS:GO, one for each direction of the bump basis
    ("vertex_count", "<u4"),
    ("mesh_count", "<i4"),
    ("unused", "V16"),
    size=40,
)
MESH = record(
    ("level", "<i4"),  # of detail
    ("vertex_count", "<i4"),
    ("offset", "<i4"),  # from the file's first byte on
    ("unused", "V16"),
    size=28,
)
_COLOR = 4  # bytes: blue, green, red, and one that says nothing
_GAMMA, _OVERBRIGHT = 2.2, 2.0
_LINEAR = np.power(np.arange(256) / 255 * _OVERBRIGHT, _GAMMA).astype(np.float32)
"""Light by a byte: half of what the screen's curve makes of it, so that there is room up to 4.6."""


@dataclass(frozen=True, slots=True, eq=False)
class VertexLight:
    """The light of one prop."""

    checksum: int
    """Of its model."""
    meshes: Records
    """MESH [n]."""
    colors: list[Bytes]
    """uint8[v, k, 4] of each mesh, k colours a vertex: blue, green, red, and a byte that says nothing."""


def read(data: Buffer) -> VertexLight:
    """Read a file. Raises FormatError."""
    header = Cursor(data).array(HEADER, 1, "VHV header")[0]
    if header["version"] != VERSION:
        raise FormatError(f"version {header['version']}; known is {VERSION}", "VHV header", 0)
    size = int(header["vertex_size"])
    if size not in (_COLOR, 3 * _COLOR):
        raise FormatError(f"{size} bytes a vertex; known are {_COLOR} and {3 * _COLOR}", "VHV header", 12)
    meshes = Cursor(data, HEADER.itemsize).array(MESH, int(header["mesh_count"]), "VHV meshes")
    counts = meshes["vertex_count"].astype(np.int64)
    if (counts < 0).any() or counts.sum() != header["vertex_count"]:
        raise FormatError(f"meshes of {counts.sum()} vertices, there are {header['vertex_count']}", "VHV meshes")
    whole = memoryview(data).nbytes
    colors = []
    for offset, count in zip(meshes["offset"].tolist(), counts.tolist(), strict=True):
        if not 0 <= offset <= whole:
            raise FormatError(f"begins at byte {offset} of {whole}", "VHV vertices")
        found = Cursor(data, offset).array(np.dtype("u1"), count * size, "VHV vertices")
        colors.append(found.reshape(count, size // _COLOR, _COLOR))
    return VertexLight(int(header["checksum"]), meshes, colors)


@dataclass(frozen=True, slots=True, eq=False)
class VertexOrder:
    """Where the vertices of a model stand in its props' light, in one level of detail."""

    checksum: int
    """Of the model."""
    meshes: list[tuple[int, int]]
    """Level and vertices of each strip group."""
    places: Ints
    """int64[v], which colour of that level each vertex has, -1: none."""

    @classmethod
    def of(cls, groups: Sequence[Group], checksum: int, vertices: int) -> "VertexOrder":
        """Of the strip groups that `mdl.groups` gives, and the checksum and number of vertices of the model.

        Raises FormatError for groups with other vertices.
        """
        numbers = np.concatenate([np.zeros(0, np.int64), *(group.vertices for group in groups)])
        if numbers.max(initial=-1) >= vertices:
            raise FormatError(f"vertex {numbers.max()} of {vertices}", "VHV meshes")
        places = np.full(vertices, -1)
        shown = np.flatnonzero(numbers >= 0)
        places[numbers[shown]] = shown
        return cls(checksum, [(group.level, len(group.vertices)) for group in groups], places)

    def take(self, vertices: Ints) -> "VertexOrder":
        """That of some of the vertices, int64[n]."""
        return VertexOrder(self.checksum, self.meshes, self.places[vertices])


def light_of(light: VertexLight, order: VertexOrder) -> Singles:
    """Linear light, float32[v, 3], red, green and blue, of a model's vertices, 0 to 4.6: 1 shows a texture as it is. 0
    where a vertex has none. Raises FormatError for the light of another model.
    """
    if light.checksum != order.checksum:
        raise FormatError(f"is of a model {light.checksum:#x}, not of {order.checksum:#x}", "VHV checksum")
    levels = {level for level, _ in order.meshes}
    there = [number for number, level in enumerate(light.meshes["level"].tolist()) if level in levels]
    if [(int(light.meshes["level"][number]), len(light.colors[number])) for number in there] != order.meshes:
        raise FormatError(f"its {len(there)} meshes aren't the {len(order.meshes)} groups of the model", "VHV meshes")
    if not there:
        return np.zeros((len(order.places), 3), np.float32)
    colors = light.colors[there[0]] if len(there) == 1 else np.concatenate([light.colors[number] for number in there])
    found = _LINEAR[colors[order.places, :, 2::-1]]
    made: Singles = found[:, 0] if found.shape[1] == 1 else found.mean(axis=1)
    made[order.places < 0] = 0
    return made
