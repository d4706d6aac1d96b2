# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of exports share: a way in and out of Blender, edits by bmesh, and what differs between two levels."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import bmesh
import bpy
import numpy as np
from levelwright.addon.ns2.exporter import export_level
from levelwright.addon.ns2.importer import import_level
from levelwright.addon.ns2.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "ns2"


def imported(data: bytes, file: str | Path = "test.level", **settings: object) -> bpy.types.Collection:
    return import_level(bpy.context, data, file, ImportSettings(**settings), Report())


def exported(level: bpy.types.Collection, report: Report | None = None, **settings: object) -> bytes:
    return export_level(bpy.context, level, ExportSettings(**settings), Report() if report is None else report)


def reopened(level: bpy.types.Collection, folder: Path) -> bpy.types.Collection:
    """The level after saving the .blend and opening it again."""
    name, path = level.name, folder / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.collections[name]


def geometry(level: bpy.types.Collection) -> bpy.types.Object:
    """The first object with the level's faces."""
    found = [obj for obj in level.all_objects if (mark := identity.stamped(obj)) and mark.kind == "geometry"]
    return min(found, key=lambda obj: identity.stamped(obj).record)


@contextmanager
def edited(obj: bpy.types.Object) -> Iterator[bmesh.types.BMesh]:
    """The mesh of an object as a bmesh, written back at the end."""
    made = bmesh.new()
    made.from_mesh(obj.data)
    for elements in (made.verts, made.edges, made.faces):
        elements.ensure_lookup_table()
    yield made
    made.to_mesh(obj.data)
    made.free()
    obj.data.update()


def vertex(mesh: bmesh.types.BMesh, record: int) -> bmesh.types.BMVert:
    layer = mesh.verts.layers.int["vertex_id"]
    return next(each for each in mesh.verts if each[layer] == record + 1)


def faces(mesh: bmesh.types.BMesh, record: int) -> list[bmesh.types.BMFace]:
    """The polygons of a face of the file."""
    layer = mesh.faces.layers.int["record_id"]
    return [each for each in mesh.faces if each[layer] == record + 1]


def changed(before: bytes, after: bytes) -> dict[str, list[int]]:
    """The records of tables that differ (numbers), and chunks of the level by id; what is only longer isn't told."""
    one, two = ns2.read(before), ns2.read(after)
    found: dict[str, list[int]] = {}
    tables: dict[str, Callable[[ns2.Mesh], np.ndarray]] = {
        "vertices": lambda mesh: mesh.vertices,
        "edges": lambda mesh: mesh.edges,
        "records": lambda mesh: mesh.faces.records,
    }
    for name, table in tables.items():
        a, b = table(one.mesh), table(two.mesh)
        common = min(len(a), len(b))
        found[name] = [k for k in range(common) if a[k].tobytes() != b[k].tobytes()]
    a, b = (list(map(tuple, loops(each))) for each in (one, two))
    found["loops"] = [k for k in range(min(len(a), len(b))) if a[k] != b[k]]
    a, b = triangles(one), triangles(two)
    found["triangles"] = [k for k in range(min(len(a), len(b))) if a[k] != b[k]]
    ids = {2: "mesh", 1: "objects", 3: "layers", 5: "groups", 4: "viewports", 6: "colors", 7: "editor"}
    for number, name in ids.items():
        parts = [[bytes(each.data) for each in level.chunks if each.id == number] for level in (one, two)]
        if number != 2 and parts[0] != parts[1]:
            found[name] = []
    return {name: numbers for name, numbers in found.items() if numbers or name not in (*tables, "loops", "triangles")}


def loops(level: ns2.Level) -> list[list[list[int]]]:
    """Of each face the vertices along each loop."""
    faces, corners = level.mesh.faces, level.mesh.corners.tolist()
    begins = faces.loop_members.tolist()
    every = [corners[begins[k] : begins[k + 1]] for k in range(len(begins) - 1)]
    starts = faces.face_loops.tolist()
    return [list(map(tuple, every[starts[k] : starts[k + 1]])) for k in range(len(faces))]


def triangles(level: ns2.Level) -> list[bytes]:
    """Of each face the bytes of its triangles."""
    table = level.mesh.triangles
    begins = table.face_triangles.tolist()
    return [table.triangles[begins[k] : begins[k + 1]].tobytes() for k in range(len(begins) - 1)]


def area(level: ns2.Level, face: int) -> float:
    """What a face's triangles cover, square metres."""
    table = level.mesh.triangles
    rows = table.triangles["vertices"][table.face_triangles[face] : table.face_triangles[face + 1]]
    points = level.mesh.positions.astype(float)[rows]
    return float(np.linalg.norm(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]), axis=1).sum() / 2)


def sound(level: ns2.Level) -> None:
    """Assert that loops close, that edges are shared and none is there twice, and that triangles are of the faces."""
    mesh = level.mesh
    members = mesh.faces.loop_members
    following = np.arange(1, len(mesh.corners) + 1)
    following[members[1:] - 1] = members[:-1]
    assert np.array_equal(mesh.ends, mesh.corners[following])
    pairs = np.sort(mesh.edge_vertices, axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    assert np.array_equal(np.unique(mesh.faces.members["edge"]), np.arange(len(mesh.edges)))
    table = mesh.triangles
    owners = np.repeat(np.arange(len(mesh.faces)), np.diff(table.face_triangles))
    member_faces = mesh.faces.loop_faces[mesh.faces.member_loops]
    allowed = set(zip(member_faces.tolist(), mesh.corners.tolist(), strict=True))
    found = {
        (face, v) for face, row in zip(owners.tolist(), table.triangles["vertices"].tolist(), strict=True) for v in row
    }
    assert found <= allowed
