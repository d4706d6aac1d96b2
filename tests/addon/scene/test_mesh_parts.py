# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of meshes: which faces hang together, and what a mesh of some of them keeps."""

import bpy
import numpy as np
from levelwright.addon.scene.geometry import mesh_parts, meshes
from levelwright.addon.scene.geometry.mesh_parts import MeshPart

QUAD = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], np.float32)


def strips() -> meshes.MeshData:
    """Two faces that share an edge, and the first of them again 10 further; red, blue and red."""
    points = np.concatenate([QUAD, [[4, 0, 0], [4, 2, 0]], QUAD + np.float32([10, 0, 0])])
    corners = [0, 1, 2, 3, 1, 4, 5, 2, 6, 7, 8, 9]
    uvs = np.arange(24, dtype=np.float32).reshape(12, 2)
    numbers = {"number": ("FACE", "INT", np.array([7, 8, 9], np.int32))}
    mesh = meshes.build("Strips", points, corners, [0, 4, 8], {"UVMap": uvs}, numbers, np.array([0, 1, 0]))
    for name in ("Red", "Blue"):
        mesh.materials.append(bpy.data.materials.new(name))
    return meshes.read(bpy.data.objects.new("Strips", mesh))


def test_what_shares_a_vertex_is_one_part() -> None:
    assert [part.faces.tolist() for part in mesh_parts.loose(strips())] == [[0, 1], [2]]


def test_a_mesh_of_parts_lies_about_their_middle_and_keeps_what_faces_have() -> None:
    data = strips()
    mesh = mesh_parts.build("Part", [MeshPart(data, np.array([1]))], ("number", "other"))
    made = meshes.read(bpy.data.objects.new("Part", mesh))
    assert made.positions.tolist() == [[-1, -1, 0], [-1, 1, 0], [1, -1, 0], [1, 1, 0]]
    assert made.positions[made.corner_verts].tolist() == [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
    assert made.uv("UVMap").tolist() == data.uv("UVMap")[4:8].tolist()
    assert made.attribute("number").tolist() == [8]
    assert [material.name for material in made.materials] == ["Blue"]


def test_several_parts_share_materials() -> None:
    data, more = strips(), strips()
    parts = [MeshPart(data, np.array([1, 2])), MeshPart(more, np.array([0]))]
    made = meshes.read(bpy.data.objects.new("Parts", mesh_parts.build("Parts", parts, ("number",))))
    assert [material.name for material in made.materials] == ["Red", "Blue", "Red.001"]
    assert made.material_index.tolist() == [1, 0, 2]
    assert made.attribute("number").tolist() == [8, 9, 7]


def test_equal_shapes_have_one_key_wherever_they_are() -> None:
    data = strips()
    keys = [MeshPart(data, np.array([face])).shape_key() for face in range(3)]
    assert keys[0] == keys[2] != keys[1], "they are painted differently"
