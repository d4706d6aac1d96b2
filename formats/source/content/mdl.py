# SPDX-License-Identifier: GPL-3.0-or-later
"""Models (`.mdl`, versions 44 to 49, with their `.vvd` and `.vtx`): what of them is seen at rest, in full detail.

Layout: `studio.h` of the Source SDK (studiohdr_t and what it refers to). Bones, animations and flexes are not read:
vertices are stored as they lie in the pose of rest, and static props have no other.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...binary import Budget, Buffer, Cursor, FormatError
from ..records import VECTOR, Dtype, Records, record
from . import vtx, vvd

MAGIC, VERSIONS = b"IDST", range(44, 50)
STATIC_PROP = 0x10
"""Of a model's flags: made for static props, which have one bone that never moves."""

HEADER = record(
    ("id", "S4"),
    ("version", "<i4"),
    ("checksum", "<i4"),
    ("name", "V64"),
    ("length", "<i4"),
    ("eye_position", VECTOR),
    ("illumination_position", VECTOR),
    ("hull_min", VECTOR),
    ("hull_max", VECTOR),
    ("view_min", VECTOR),
    ("view_max", VECTOR),
    ("flags", "<i4"),
    ("animation", "<i4", 12),  # bones, hit boxes, sequences
    ("texture_count", "<i4"),
    ("texture_offset", "<i4"),
    ("folder_count", "<i4"),
    ("folder_offset", "<i4"),
    ("skin_width", "<i4"),  # textures of a skin
    ("skin_count", "<i4"),
    ("skin_offset", "<i4"),
    ("part_count", "<i4"),
    ("part_offset", "<i4"),
    size=240,
)
TEXTURE = record(("name_offset", "<i4"), ("flags", "<i4"), ("used", "<i4"), ("unused", "V52"), size=64)
BODY_PART = record(("name_offset", "<i4"), ("count", "<i4"), ("base", "<i4"), ("offset", "<i4"), size=16)  # models
SUB_MODEL = record(
    ("name", "V64"),
    ("type", "<i4"),
    ("radius", "<f4"),
    ("count", "<i4"),  # meshes
    ("offset", "<i4"),
    ("vertex_count", "<i4"),
    ("vertex_start", "<i4"),  # in bytes: of the vertices in the .vvd
    ("rest", "V60"),
    size=148,
)
MESH = record(
    ("material", "<i4"),  # a column of the skins
    ("model_offset", "<i4"),
    ("vertex_count", "<i4"),
    ("vertex_start", "<i4"),  # of the model's
    ("rest", "V100"),
    size=116,
)
_ENDINGS = (".dx90.vtx", ".dx80.vtx", ".sw.vtx", ".vtx")
_LONGEST_NAME = 260
_MOST = 4096  # textures, folders, skins: the compiler allows 32 of each


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model, z up, in units. Triangles are clockwise seen from the front; v is down.

    skins: int32[skins, columns] numbers of materials. triangle_column: which column of the skins each triangle has.
    """

    version: int
    flags: int
    hull_min: tuple[float, float, float]
    hull_max: tuple[float, float, float]
    materials: list[str]  # as the model names them
    folders: list[str]  # of materials: where each is looked for, in order
    skins: NDArray[np.int32]
    positions: NDArray[np.float32]  # [v, 3]
    normals: NDArray[np.float32]  # [v, 3]
    uvs: NDArray[np.float32]  # [v, 2]
    triangles: NDArray[np.int64]  # [t, 3]
    triangle_column: NDArray[np.int32]  # [t]

    def paths(self, material: int) -> list[str]:
        """Where a material may be, as `SearchPath.material` wants it: the first that is there counts."""
        name = self.materials[material].replace("\\", "/").lower().strip("/")
        tidy = (folder.replace("\\", "/").lower().strip("/") for folder in self.folders)
        return [f"{folder}/{name}" if folder else name for folder in tidy] or [name]


def read(mdl: Buffer, vertices: Buffer, strips: Buffer) -> Model:
    """Read a model of the bytes of its three files: of each body part the first choice. Raises FormatError."""
    reader = _Reader(mdl)
    header = reader.header
    materials = reader.materials()
    shown = vvd.read(vertices)
    shapes = vtx.read(strips)
    for what, checksum in (("VVD", shown.checksum), ("VTX", shapes.checksum)):
        if checksum != header["checksum"]:
            raise FormatError(f"is of a model {checksum:#x}, not of {int(header['checksum']):#x}", f"{what} checksum")
    skins = reader.skins(len(materials))
    triangles, columns = reader.triangles(shapes, len(shown.vertices), skins.shape[1])
    points = shown.vertices
    return Model(
        int(header["version"]),
        int(header["flags"]),
        _vector(header["hull_min"]),
        _vector(header["hull_max"]),
        materials,
        reader.folders(),
        skins,
        np.ascontiguousarray(points["position"]),
        np.ascontiguousarray(points["normal"]),
        np.ascontiguousarray(points["uv"]),
        triangles,
        columns,
    )


def load(name: str, file: Callable[[str], Buffer | None]) -> Model | None:
    """Read the model of a name ("models/props/crate.mdl"); None where one of its files is missing.

    file: gives a file's bytes, None where it isn't there. Raises FormatError for bad ones.
    """
    stem = name.removesuffix(".mdl")
    main, vertices = file(f"{stem}.mdl"), file(f"{stem}.vvd")
    if main is None or vertices is None:
        return None
    strips = next((found for ending in _ENDINGS if (found := file(stem + ending)) is not None), None)
    return read(main, vertices, strips) if strips is not None else None


class _Reader:
    """Takes the lists of a file apart. Lists that overlap run into the budget."""

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self.header = Cursor(data).array(HEADER, 1, "MDL header")[0]
        if self.header["id"] != MAGIC:
            raise FormatError(f"begins with {bytes(memoryview(data)[:4])!r}, not {MAGIC!r}", "MDL header", 0)
        if int(self.header["version"]) not in VERSIONS:
            raise FormatError(f"version {self.header['version']}; known are 44 to 49", "MDL header", 4)
        self.budget = Budget(2 * memoryview(data).nbytes)

    def table(self, dtype: Dtype, start: int, count: int, what: str) -> Records:
        found = self.at(start, what).array(dtype, count, f"MDL {what}")
        self.budget.spend(found.nbytes, f"MDL {what}")
        return found

    def at(self, start: int, what: str) -> Cursor:
        size = memoryview(self.data).nbytes
        if not 0 <= start <= size:
            raise FormatError(f"begins at byte {start} of {size}", f"MDL {what}")
        return Cursor(self.data, start)

    def text(self, start: int, what: str) -> str:
        found = self.at(start, what).cstring(f"MDL {what}")
        if len(found) > _LONGEST_NAME:
            raise FormatError(f"has {len(found)} characters", f"MDL {what}", start)
        return found.decode("latin-1")

    def count(self, field: str) -> int:
        number = int(self.header[field])
        if not 0 <= number <= _MOST:
            raise FormatError(f"{number}", f"MDL {field.replace('_', ' ')}")
        return number

    def materials(self) -> list[str]:
        start, count = int(self.header["texture_offset"]), self.count("texture_count")
        textures = self.table(TEXTURE, start, count, "textures")
        places = start + TEXTURE.itemsize * np.arange(count) + textures["name_offset"]
        return [self.text(place, "name of a texture") for place in places.tolist()]

    def folders(self) -> list[str]:
        offsets = self.table(
            np.dtype("<i4"), int(self.header["folder_offset"]), self.count("folder_count"), "folders of textures"
        )
        return [self.text(offset, "folder of textures") for offset in offsets.tolist()]

    def skins(self, materials: int) -> NDArray[np.int32]:
        rows, columns = self.count("skin_count"), self.count("skin_width")
        found = self.table(np.dtype("<i2"), int(self.header["skin_offset"]), rows * columns, "skins")
        if len(found) and not 0 <= int(found.min()) <= int(found.max()) < materials:
            raise FormatError(f"textures {found.min()} to {found.max()} of {materials}", "MDL skins")
        return found.reshape(rows, columns).astype(np.int32)

    def triangles(self, shapes: vtx.Strips, vertices: int, columns: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The triangles of all meshes, over the vertices of the whole model, and the column of each."""
        start = int(self.header["part_offset"])
        parts = self.table(BODY_PART, start, int(self.header["part_count"]), "body parts")
        if len(parts) != len(shapes.parts):
            raise FormatError(f"{len(parts)} body parts, the VTX has {len(shapes.parts)}", "MDL")
        corners, owners = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int32)]
        for number, (part, shown) in enumerate(zip(parts, shapes.parts, strict=True)):
            if not part["count"]:
                continue
            model_at = start + number * BODY_PART.itemsize + int(part["offset"])
            model = self.table(SUB_MODEL, model_at, int(part["count"]), "models")[0]
            meshes = self.table(MESH, model_at + int(model["offset"]), int(model["count"]), "meshes")
            if len(meshes) != len(shown):
                raise FormatError(f"{len(meshes)} meshes, the VTX has {len(shown)}", "MDL model")
            for mesh, triangles in zip(meshes, shown, strict=True):
                column = int(mesh["material"])
                if not 0 <= column < columns:
                    raise FormatError(f"column {column} of skins that have {columns}", "MDL mesh")
                first = int(model["vertex_start"]) // vvd.VERTEX.itemsize + int(mesh["vertex_start"])
                moved = triangles + first
                if len(moved) and not 0 <= int(moved.min()) <= int(moved.max()) < vertices:
                    raise FormatError(f"vertices {moved.min()} to {moved.max()} of {vertices}", "MDL mesh")
                corners.append(moved)
                owners.append(np.full(len(moved), column, np.int32))
        return np.concatenate(corners), np.concatenate(owners)


def _vector(values: NDArray[np.float32]) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
