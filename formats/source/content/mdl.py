# SPDX-License-Identifier: GPL-3.0-or-later
"""Models (`.mdl`): what of them is seen at rest, in one level of detail.

Versions 44 to 49 have their vertices in a `.vvd`, Bloodlines' (2531) in the `.mdl`; triangles are in a `.vtx`. The
layouts are in `mdl_records`. Animations and flexes are not read: vertices are stored as they lie in the pose of rest,
and static props have no other. Of bones only those that hold eyes are (`mdl_eyes`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Int32s, Ints, Records, Singles
from ...binary import Budget, Buffer, Cursor, FormatError
from ..records import Dtype
from . import mdl_eyes, mdl_vertices, vtx, vvd
from .mdl_records import BODY_PART, LAYOUTS, POINT

MAGIC = b"IDST"
STATIC_PROP = 0x10
"""Of a model's flags: made for static props, which have one bone that never moves."""
_ENDINGS = (".dx90.vtx", ".dx80.vtx", ".dx7_2bone.vtx", ".sw.vtx", ".vtx")
_LONGEST_NAME = 260
_MOST = 4096  # textures, folders, skins: the compiler allows 32 of each


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model as the game draws it at rest: looking along +x, z up, in units."""

    version: int
    checksum: int
    flags: int
    illumination_position: tuple[float, float, float]
    hull_min: tuple[float, float, float]
    hull_max: tuple[float, float, float]
    materials: list[str]
    """As the model names them."""
    folders: list[str]
    """Of materials: where each is looked for, in order."""
    skins: Int32s
    """int32[skins, columns], numbers of materials."""
    positions: Singles
    """[v, 3]."""
    normals: Singles
    """[v, 3]."""
    uvs: Singles
    """[v, 2]; v is down."""
    triangles: Ints
    """[t, 3], clockwise seen from the front."""
    triangle_column: Int32s
    """[t]: which column of the skins each has."""
    irises: Singles | None = None
    """[v, 2]: where vertices of eyes are on the texture of the iris (eyes that look ahead), NaN for others; None: no
    eyes."""

    def paths(self, material: int) -> list[str]:
        """Where a material may be, as `SearchPath.material` wants it: the first that is there counts."""
        name = self.materials[material].replace("\\", "/").lower().strip("/")
        tidy = (folder.replace("\\", "/").lower().strip("/") for folder in self.folders)
        return [f"{folder}/{name}" if folder else name for folder in tidy] or [name]


def read(mdl: Buffer, vertices: Buffer | None, strips: Buffer, level: int = 0) -> Model:
    """Read a model of the bytes of its files: of each body part the first choice, in a level of detail (0: the finest).

    vertices: None for models that have them themselves (`has_vertices`). Raises FormatError.
    """
    reader = _Reader(mdl)
    header = reader.header
    checksum = int(header["checksum"])
    shapes = vtx.read(strips, level)
    _same(shapes.checksum, checksum, "VTX checksum")
    models = list(reader.models())
    if reader.layout.has_vertices:
        points = reader.own_vertices(models)
    elif vertices is None:
        raise FormatError("has no vertices of its own, and no VVD", "MDL")
    else:
        shown = vvd.read(vertices)
        _same(shown.checksum, checksum, "VVD checksum")
        points = shown.vertices
    materials = reader.materials()
    skins = reader.skins(len(materials))
    materials = [shapes.renamed.get(number, name) for number, name in enumerate(materials)]
    meshes = list(reader.meshes(models, shapes, len(points)))
    corners, columns = _joined(meshes, skins.shape[1])
    return Model(
        int(header["version"]),
        checksum,
        int(header["flags"]),
        _vector(header["illumination_position"]),
        _vector(header["hull_min"]),
        _vector(header["hull_max"]),
        materials,
        reader.folders(),
        skins,
        _drawn(points["position"], int(header["flags"])),
        _drawn(points["normal"], int(header["flags"])),
        np.ascontiguousarray(points["uv"]),
        corners,
        columns,
        reader.irises(meshes, points),
    )


def groups(mdl: Buffer, strips: Buffer, level: int = 0) -> list[vtx.Group]:
    """The strip groups of a level of detail, of all body parts, models and meshes one after another, with the numbers
    of the vertices that `read` gives; -1 for those of choices that it doesn't show. Raises FormatError.
    """
    reader = _Reader(mdl)
    models, parts = list(reader.models()), vtx.groups(strips, level)
    _same_count("body parts", len(models), len(parts))
    found: list[vtx.Group] = []
    for (at, model), start, choices in zip(models, reader.starts(models), parts, strict=True):
        if not choices:
            continue
        _, meshes = reader.meshes_of(at, model)
        _same_count("meshes", len(meshes), len(choices[0]))
        for mesh, shown in zip(meshes, choices[0], strict=True):
            first = start + int(mesh["vertex_start"])
            found += [vtx.Group(group.level, group.vertices + first) for group in shown]
        rest = (group for choice in choices[1:] for mesh in choice for group in mesh)
        found += [vtx.Group(group.level, np.full_like(group.vertices, -1)) for group in rest]
    return found


def has_vertices(mdl: Buffer) -> bool:
    """Whether a model has its vertices itself, and not in a `.vvd`. Raises FormatError for what is no model."""
    return _Reader(mdl).layout.has_vertices


def load(name: str, file: Callable[[str], Buffer | None], level: int = 0) -> Model | None:
    """Read the model of a name ("models/props/crate.mdl"); None where one of its files is missing.

    file: gives a file's bytes, None where it isn't there. level: of detail. Raises FormatError for bad ones.
    """
    stem = name.removesuffix(".mdl")
    main = file(f"{stem}.mdl")
    if main is None:
        return None
    whole = has_vertices(main)
    vertices = None if whole else file(f"{stem}.vvd")
    if vertices is None and not whole:
        return None
    strips = _strips(stem, file)
    return read(main, vertices, strips, level) if strips is not None else None


def load_groups(name: str, file: Callable[[str], Buffer | None], level: int = 0) -> list[vtx.Group]:
    """Read the strip groups of a model that `load` reads: see `groups`. Arguments as of `load`. Raises FormatError."""
    stem = name.removesuffix(".mdl")
    main, strips = file(f"{stem}.mdl"), _strips(stem, file)
    return groups(main, strips, level) if main is not None and strips is not None else []


def _strips(stem: str, file: Callable[[str], Buffer | None]) -> Buffer | None:
    return next((found for ending in _ENDINGS if (found := file(stem + ending)) is not None), None)


def missing(name: str, file: Callable[[str], Buffer | None]) -> list[str]:
    """Which of a model's files aren't there, by their endings, for a model that `load` gives None for."""
    stem = name.removesuffix(".mdl")
    main = file(f"{stem}.mdl")
    if main is None:
        return [".mdl"]
    wanted = [] if has_vertices(main) else [".vvd"]
    lacking = [ending for ending in wanted if file(stem + ending) is None]
    return lacking + [".vtx"] * all(file(stem + ending) is None for ending in _ENDINGS)


@dataclass(frozen=True, slots=True)
class _Mesh:
    """A mesh that is shown, and the model that it is of, with the bytes where they are."""

    at: int
    model_at: int
    model: np.void
    record: np.void
    triangles: vtx.Triangles


class _Reader:
    """Takes the lists of a file apart. Lists that overlap run into the budget."""

    def __init__(self, data: Buffer) -> None:
        self.data = data
        start = Cursor(data).array(np.dtype([("id", "S4"), ("version", "<i4")]), 1, "MDL header")[0]
        if start["id"] != MAGIC:
            raise FormatError(f"begins with {bytes(memoryview(data)[:4])!r}, not {MAGIC!r}", "MDL header", 0)
        if int(start["version"]) not in LAYOUTS:
            raise FormatError(f"version {start['version']}; known are 44 to 49 and 2531", "MDL header", 4)
        self.layout = LAYOUTS[int(start["version"])]
        self.header = Cursor(data).array(self.layout.header, 1, "MDL header")[0]
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
        textures = self.table(self.layout.texture, start, count, "textures")
        places = start + self.layout.texture.itemsize * np.arange(count) + textures["name_offset"]
        return [self.text(place, "name of a texture") for place in places.tolist()]

    def folders(self) -> list[str]:
        offsets = self.table(
            np.dtype("<i4"), int(self.header["folder_offset"]), self.count("folder_count"), "folders of textures"
        )
        return [self.text(offset, "folder of textures") for offset in offsets.tolist()]

    def skins(self, materials: int) -> Int32s:
        rows, columns = self.count("skin_count"), self.count("skin_width")
        found = self.table(np.dtype("<i2"), int(self.header["skin_offset"]), rows * columns, "skins")
        if len(found) and not 0 <= int(found.min()) <= int(found.max()) < materials:
            raise FormatError(f"textures {found.min()} to {found.max()} of {materials}", "MDL skins")
        return found.reshape(rows, columns).astype(np.int32)

    def models(self) -> Iterator[tuple[int, np.void]]:
        """The first model of each body part, at its byte; an empty one of parts that have none."""
        start = int(self.header["part_offset"])
        parts = self.table(BODY_PART, start, int(self.header["part_count"]), "body parts")
        for number, part in enumerate(parts):
            at = start + number * BODY_PART.itemsize + int(part["offset"])
            records = self.table(self.layout.sub_model, at, int(part["count"]), "models")
            yield at, records[0] if len(records) else np.zeros(1, self.layout.sub_model)[0]

    def starts(self, models: list[tuple[int, np.void]]) -> list[int]:
        """Which vertex is the first of each model."""
        if self.layout.has_vertices:
            counts = [int(model["vertex_count"]) for _, model in models]
            return [sum(counts[:number]) for number in range(len(counts))]
        return [int(model["vertex_start"]) // vvd.VERTEX.itemsize for _, model in models]

    def own_vertices(self, models: list[tuple[int, np.void]]) -> Records:
        """The vertices that the file has itself, POINT [v]."""
        found = [np.zeros(0, POINT)]
        for at, model in models:
            form = int(model["vertex_form"])
            if form not in mdl_vertices.FORMS:
                raise FormatError(f"form {form} of vertices; known are 0 to 2", "MDL model", at)
            place = at + int(model["vertex_start"])
            records = self.table(mdl_vertices.FORMS[form], place, int(model["vertex_count"]), "vertices")
            found.append(mdl_vertices.points(form, records, model))
        return np.concatenate(found)

    def meshes_of(self, at: int, model: np.void) -> tuple[int, Records]:
        """The records of a model's meshes, and the byte where they are. at: the model's."""
        start = at + int(model["offset"])
        if not model["count"]:
            return start, np.zeros(0, self.layout.mesh)
        return start, self.table(self.layout.mesh, start, int(model["count"]), "meshes")

    def meshes(self, models: list[tuple[int, np.void]], shapes: vtx.Strips, vertices: int) -> Iterator[_Mesh]:
        """The meshes of these models, with triangles over the vertices of the whole."""
        _same_count("body parts", len(models), len(shapes.parts))
        for (at, model), start, shown in zip(models, self.starts(models), shapes.parts, strict=True):
            meshes_at, records = self.meshes_of(at, model)
            _same_count("meshes", len(records), len(shown))
            for number, (mesh, triangles) in enumerate(zip(records, shown, strict=True)):
                moved = triangles + (start + int(mesh["vertex_start"]))
                if len(moved) and not 0 <= int(moved.min()) <= int(moved.max()) < vertices:
                    raise FormatError(f"vertices {moved.min()} to {moved.max()} of {vertices}", "MDL mesh")
                yield _Mesh(meshes_at + number * self.layout.mesh.itemsize, at, model, mesh, moved)

    def irises(self, meshes: list[_Mesh], points: Records) -> Singles | None:
        """See `Model`. Eyes that can't be read look nowhere."""
        eyes = [mesh for mesh in meshes if mesh.record["kind"] == mdl_eyes.EYE and len(mesh.triangles)]
        if not eyes:
            return None
        found = np.full((len(points), 2), np.nan, np.float32)
        for mesh in eyes:
            try:
                count, start = int(mesh.model["eyeball_count"]), mesh.model_at + int(mesh.model["eyeball_offset"])
                balls = self.table(self.layout.eyeball, start, count, "eyeballs")
                bones = self.table(
                    self.layout.bone, int(self.header["bone_offset"]), int(self.header["bone_count"]), "bones"
                )
                ball = mdl_eyes.pick(balls, int(mesh.record["parameter"]), "eyeballs")
                bone = mdl_eyes.pick(bones, int(ball["bone"]), "bones")
            except FormatError:
                continue
            used = np.unique(mesh.triangles)
            found[used] = mdl_eyes.iris(points["position"][used], ball, bone)
        return found


def _joined(meshes: list[_Mesh], columns: int) -> tuple[Ints, Int32s]:
    """The triangles of all meshes, and the column of the skins of each."""
    corners, owners = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int32)]
    for mesh in meshes:
        column = int(mesh.record["material"])
        if not 0 <= column < columns:
            raise FormatError(f"column {column} of skins that have {columns}", "MDL mesh", mesh.at)
        corners.append(mesh.triangles)
        owners.append(np.full(len(mesh.triangles), column, np.int32))
    return np.concatenate(corners), np.concatenate(owners)


def _drawn(vectors: Singles, flags: int) -> Singles:
    """Vectors as the game draws them: but for static props, the compiler turns what moves a model by 90 degrees about
    z, and not the vertices (the hull of a model that only turns has them so).
    """
    if flags & STATIC_PROP:
        return np.ascontiguousarray(vectors)
    return np.stack([-vectors[:, 1], vectors[:, 0], vectors[:, 2]], axis=1)


def _same(found: int, checksum: int, what: str) -> None:
    """Files of one model have one checksum."""
    if found != checksum:
        raise FormatError(f"is of a model {found:#x}, not of {checksum:#x}", what)


def _same_count(what: str, there: int, shown: int) -> None:
    if there != shown:
        raise FormatError(f"{there} {what}, the VTX has {shown}", "MDL")


def _vector(values: Singles) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
