# SPDX-License-Identifier: GPL-3.0-or-later
"""`.model` files: the meshes of props, without their animation (ns2.md §10)."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..arrays import Indices, Records, Singles
from ..binary import Buffer, Cursor, FormatError, table

MAGIC = b"MDL"
VERSIONS = (3, 5, 7)

_COMMON = [
    ("position", "<f4", (3,)),  # metres, Y up
    ("normal", "<f4", (3,)),
    ("tangent", "<f4", (3,)),
    ("binormal", "<f4", (3,)),
    ("uv", "<f4", (2,)),  # v downwards
]
_WEIGHTS = ("weights", [("weight", "<f4"), ("bone", "<u4")], (4,))
VERTEX88 = np.dtype([*_COMMON, _WEIGHTS])  # versions 3 and 5
VERTEX92 = np.dtype([*_COMMON, ("color", "u1", (4,)), _WEIGHTS])  # version 7

_HEAD = 8
"""Bytes of a chunk's id and length."""
_PRINTABLE = 32
_VERTICES, _INDICES, _FACE_SETS, _MATERIALS, _ATTACH_POINTS, _BOUNDS = 1, 2, 3, 4, 13, 17


@dataclass(frozen=True, slots=True)
class FaceSet:
    """Triangles first to first + count, which have one material."""

    material: int
    """Into `Model.materials`."""
    first: int
    count: int
    bones: tuple[int, ...] = ()
    """Those that move the triangles."""


@dataclass(frozen=True, slots=True, eq=False)
class AttachPoint:
    """A named place on a model."""

    name: str
    bone: int
    """That it moves with, -1: none."""
    coords: Singles
    """[4, 3]: x, y and z axis and origin."""


@dataclass(slots=True, eq=False)
class Model:
    """A model."""

    version: int
    vertices: Records = field(default_factory=lambda: np.zeros(0, VERTEX92))
    """VERTEX88 or VERTEX92 [v]."""
    triangles: npt.NDArray[np.uint32] = field(default_factory=lambda: np.zeros((0, 3), np.uint32))
    """[t, 3]: vertices."""
    face_sets: list[FaceSet] = field(default_factory=list)
    materials: list[str] = field(default_factory=list)
    """Paths of `.material` files, which the face sets have numbers of."""
    attach_points: list[AttachPoint] = field(default_factory=list)
    bounds: Singles | None = None
    """[2, 3]: middle and half extents; None in version 3."""
    chunks: dict[int, int] = field(default_factory=dict)
    """The sizes of all chunks by id, of those too that aren't read (bones, animations, solids)."""
    flaws: list[str] = field(default_factory=list)
    """What is wrong with it, and how it was read nevertheless."""

    def triangle_materials(self) -> Indices:
        """int[triangles]: the number of each one's material; 0 for those in no face set."""
        result = np.zeros(len(self.triangles), np.intp)
        for part in self.face_sets:
            result[part.first : part.first + part.count] = part.material
        return result

    def uv(self) -> Singles:
        """Texture coordinates of the vertices [n, 2], v upwards as in Blender."""
        turned: Singles = self.vertices["uv"].copy()
        turned[:, 1] = 1 - turned[:, 1]
        return turned


def identify(data: Buffer) -> bool:
    """Whether this looks like a `.model`."""
    return bytes(data[:3]) == MAGIC


def read(data: Buffer) -> Model:
    """Read a model. Raises FormatError."""
    cursor = Cursor(data)
    magic = bytes(cursor.take(3, "magic"))
    if magic != MAGIC:
        raise FormatError(f"begins with {magic!r}, models begin with {MAGIC!r}", "model", 0)
    version = cursor.u8("version")
    if version not in VERSIONS:
        raise FormatError(f"version {version}, known are {', '.join(map(str, VERSIONS))}", "model", 3)
    model = Model(version)
    while cursor.left:
        number, size = cursor.u32("chunk"), cursor.u32("chunk")
        what = f"chunk {number}"
        place = cursor.offset
        if number == _MATERIALS and (surplus := _surplus(bytes(memoryview(data)[place : place + size]))):
            model.flaws.append(f"the last name of a material is {surplus} bytes shorter than it says")
            size -= surplus
        body = Cursor(cursor.take(size, what), base=place)
        if number in model.chunks and number in _READERS:
            model.flaws.append(f"{what} at byte {place - _HEAD} is there for the second time, and left out")
            continue
        model.chunks[number] = size
        if number in _READERS:
            _READERS[number](model, body)
            if body.left:
                raise body.error(f"{body.left} bytes too many", what)
    _check(model)
    return model


def _check(model: Model) -> None:
    highest = int(model.triangles.max(initial=0))
    if len(model.triangles) and highest >= len(model.vertices):
        raise FormatError(f"vertex {highest}, there are {len(model.vertices)}", "indices")
    for number, part in enumerate(model.face_sets):
        if part.first + part.count > len(model.triangles):
            end = part.first + part.count
            raise FormatError(
                f"triangles {part.first} to {end}, there are {len(model.triangles)}", f"face set {number}"
            )
        if part.material >= len(model.materials):
            raise FormatError(f"material {part.material}, there are {len(model.materials)}", f"face set {number}")


def _vertices(model: Model, cursor: Cursor) -> None:
    record = VERTEX92 if model.version >= 7 else VERTEX88
    model.vertices = cursor.array(record, cursor.u32("vertices"), "vertices")


def _indices(model: Model, cursor: Cursor) -> None:
    count = cursor.u32("indices")
    if count % 3:
        raise cursor.error(f"{count} indices are no whole number of triangles", "indices")
    model.triangles = cursor.array("<u4", count, "indices").reshape(-1, 3)


def _face_sets(model: Model, cursor: Cursor) -> None:
    for _ in range(_count(cursor, 16, "face sets")):
        material, first, count, bones = (cursor.u32("face set") for _ in range(4))
        model.face_sets.append(
            FaceSet(material, first, count, tuple(cursor.array("<u4", bones, "bones of a face set").tolist()))
        )


def _materials(model: Model, cursor: Cursor) -> None:
    for _ in range(_count(cursor, 4, "materials")):
        length = cursor.u32("material")
        there = min(length, cursor.left) if model.flaws else length
        model.materials.append(str(bytes(cursor.take(there, "material")), "latin-1"))


def _surplus(chunk: bytes) -> int:
    """How many bytes too many a chunk of materials and its last name claim, if that was shortened by hand: it ends at
    its first byte that isn't printed.
    """
    cursor = Cursor(chunk)
    name = b""
    try:
        for _ in range(_count(cursor, 4, "materials")):
            name = bytes(cursor.take(cursor.u32("material"), "material"))
    except FormatError:
        return 0  # told by whoever reads them
    end = next((at for at, byte in enumerate(name) if byte < _PRINTABLE), len(name))
    return len(name) - end if not cursor.left else 0


def _attach_points(model: Model, cursor: Cursor) -> None:
    for _ in range(_count(cursor, 56, "attach points")):
        name = _text(cursor, "name of an attach point")
        bone = cursor.i32("bone of an attach point")
        coords: Singles = cursor.array("<f4", 12, "attach point").reshape(4, 3)
        model.attach_points.append(AttachPoint(name, bone, coords))


def _bounds(model: Model, cursor: Cursor) -> None:
    model.bounds = table(cursor.take(24, "bounds"), "<f4", "bounds").reshape(2, 3)


def _count(cursor: Cursor, least: int, what: str) -> int:
    """A number of things that take at least so many bytes each."""
    count = cursor.u32(what)
    if count * least > cursor.left:
        raise cursor.error(f"{count} of at least {least} bytes, but {cursor.left} bytes are left", what)
    return count


def _text(cursor: Cursor, what: str) -> str:
    return str(bytes(cursor.take(cursor.u32(what), what)), "latin-1")


_READERS = {
    _VERTICES: _vertices,
    _INDICES: _indices,
    _FACE_SETS: _face_sets,
    _MATERIALS: _materials,
    _ATTACH_POINTS: _attach_points,
    _BOUNDS: _bounds,
}
