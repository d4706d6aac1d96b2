# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces taken out of a mesh, and others put behind those that stay."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import attributes
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.teeworlds.tiles import reshape as reshaping
from levelwright.addon.teeworlds.tiles.reshape import reshape

COLUMNS, ROWS = 3, 2
NEW = 2
RING = np.array(((0, 1), (0, 0), (1, 0), (1, 1)), np.float32)


def grid(shared: bool) -> bpy.types.Mesh:
    """Faces of a unit each, by rows, with vertices that neighbours share or with their own."""
    if not shared:
        return meshes.build("grid", boxes([(column, row) for row in range(ROWS) for column in range(COLUMNS)]))
    points = [(column, row, 0) for row in range(ROWS + 1) for column in range(COLUMNS + 1)]
    width = COLUMNS + 1
    starts = [row * width + column for row in range(ROWS) for column in range(COLUMNS)]
    mesh = bpy.data.meshes.new("grid")
    mesh.from_pydata(points, [], [(at + width, at, at + 1, at + width + 1) for at in starts])
    return mesh


def boxes(cells: list[tuple[int, int]]) -> np.ndarray:
    """Corners [4n, 3] of faces of a unit."""
    corners = np.zeros((len(cells), 4, 3), np.float32)
    corners[..., :2] = np.array(cells, np.float32).reshape(-1, 1, 2) + RING
    return corners.reshape(-1, 3)


def dressed(shared: bool) -> bpy.types.Mesh:
    """A mesh with attributes of all domains."""
    mesh, rng = grid(shared), np.random.default_rng(5)
    corners, points, faces = len(mesh.loops), len(mesh.vertices), len(mesh.polygons)
    attributes.write(mesh, "index", "FACE", "INT", np.arange(1, faces + 1))
    attributes.write(mesh, "UVMap", "CORNER", "FLOAT2", rng.random((corners, 2), np.float32))
    attributes.write(mesh, "bits", "FACE", "INT8", np.arange(faces))
    attributes.write(mesh, "heat", "POINT", "FLOAT", rng.random(points, np.float32))
    attributes.write(mesh, "tint", "CORNER", "BYTE_COLOR", np.full((corners, 4), 1, np.float32))
    attributes.write(mesh, "glow", "POINT", "FLOAT_COLOR", np.full((points, 4), 0.5, np.float32))
    attributes.write(mesh, "crease", "EDGE", "FLOAT", np.full(len(mesh.edges), 0.25, np.float32))
    return mesh


def added(mesh: bpy.types.Mesh, cells: list[tuple[int, int]], index: int = 250) -> None:
    count = len(cells)
    uvs = np.arange(8 * count, dtype=np.float32).reshape(-1, 2) / 64
    fields: reshaping.Layers = {"index": ("FACE", "INT", np.full(count, index, np.int32))}
    fields["flags"] = ("FACE", "INT", np.arange(3, 3 + count, dtype=np.int32))
    reshape(mesh, np.ones(len(mesh.polygons), np.bool_), boxes(cells), fields, {"UVMap": uvs})


def told(mesh: bpy.types.Mesh) -> dict[str, list[object]]:
    """All that a mesh's faces have, by corner or by face."""
    corner_verts = attributes.read(mesh, ".corner_vert")
    assert corner_verts is not None
    found: dict[str, list[object]] = {"materials": [face.material_index for face in mesh.polygons]}
    for held in mesh.attributes:
        if held.domain == "EDGE" or held.name.startswith("."):
            continue
        values = attributes.read(mesh, held.name)
        assert values is not None
        by_face = values[corner_verts] if held.domain == "POINT" else values
        found[held.name] = [held.data_type, *np.round(by_face.astype(np.float64), 5).tolist()]
    return found


@pytest.mark.parametrize("shared", [False, True])
def test_faces_are_put_behind_others(shared: bool) -> None:
    mesh = dressed(shared)
    before = told(mesh)
    added(mesh, [(5, 5), (-9, 4)])
    after = told(mesh)
    assert len(mesh.polygons) == COLUMNS * ROWS + NEW
    for name, values in before.items():
        assert after[name][: len(values)] == values
    assert after["tint"][-1] == after["glow"][-1] == [0, 0, 0, 0]
    assert after["index"][-NEW:] == [250, 250]
    assert after["flags"][1:] == [0] * COLUMNS * ROWS + [3, 4]


@pytest.mark.parametrize("shared", [False, True])
def test_what_blender_knows_of_a_mesh_is_known_of_the_new_faces(shared: bool) -> None:
    mesh = dressed(shared)
    obj = bpy.data.objects.new("grid", mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    assert tuple(obj.bound_box[6])[:2] == (COLUMNS, ROWS)
    mesh.calc_loop_triangles()
    triangles = len(mesh.loop_triangles)
    added(mesh, [(5, 5), (-9, 4)])
    bpy.context.view_layer.update()
    assert tuple(obj.bound_box[6])[:2] == (6, 6)
    assert tuple(obj.bound_box[0])[:2] == (-9, 0)
    mesh.calc_loop_triangles()
    assert len(mesh.loop_triangles) == triangles + 2 * NEW
    assert len(mesh.edges) == 4 * len(mesh.polygons)
    assert not any(edge.is_loose for edge in mesh.edges)
    crease = attributes.read(mesh, "crease")
    assert crease is not None
    assert crease.tolist() == [0.25] * 4 * COLUMNS * ROWS + [0] * 4 * NEW
    assert [tuple(face.normal) for face in mesh.polygons] == [(0, 0, 1)] * len(mesh.polygons)
    assert not mesh.validate(verbose=True)
    seen = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert len(seen.polygons) == COLUMNS * ROWS + NEW


@pytest.mark.parametrize("shared", [False, True])
def test_what_edges_have_and_what_is_hidden_stays(shared: bool) -> None:
    mesh = dressed(shared)
    middle = {edge.index: sum(mesh.vertices[each].co.x for each in edge.vertices) / 2 for edge in mesh.edges}
    attributes.write(mesh, "middle", "EDGE", "FLOAT", np.array([middle[number] for number in range(len(middle))]))
    mesh.polygons[4].hide = True
    added(mesh, [(5, 5), (-9, 4)])
    assert [face.index for face in mesh.polygons if face.hide] == [4]
    kept = attributes.read(mesh, "middle")
    assert kept is not None
    for edge in list(mesh.edges)[: 4 * COLUMNS * ROWS]:
        assert kept[edge.index] == sum(mesh.vertices[each].co.x for each in edge.vertices) / 2


def test_faces_are_put_into_an_empty_mesh() -> None:
    mesh = bpy.data.meshes.new("empty")
    added(mesh, [(0, 0), (1, 0)])
    assert np.array_equal(attributes.read(mesh, "position"), boxes([(0, 0), (1, 0)]))
    assert told(mesh)["index"] == ["INT", 250, 250]
    assert mesh.uv_layers["UVMap"].uv[7].vector[:] == (14 / 64, 15 / 64)
    assert not mesh.validate(verbose=True)


@pytest.mark.parametrize("kind", ["INT8", "FLOAT", "BOOLEAN"])
def test_an_index_of_another_type_holds_the_new_ones(kind: attributes.Kind) -> None:
    """A script or a node may have made it: of 8 bits it holds no index over 127."""
    mesh = dressed(False)
    attributes.write(mesh, "index", "FACE", kind, np.ones(COLUMNS * ROWS))
    added(mesh, [(5, 5), (-9, 4)])
    assert told(mesh)["index"] == ["INT", *[1] * COLUMNS * ROWS, 250, 250]


@pytest.mark.parametrize("extra", [0, 1, 2, 5])
def test_faces_are_taken_out_and_others_put_behind(extra: int) -> None:
    mesh = dressed(True)
    before = told(mesh)
    keep = np.array([True, False, True, True, False, True])
    cells = [(5 + number, 5) for number in range(extra)]
    fields: reshaping.Layers = {"index": ("FACE", "INT", np.full(extra, 250, np.int32))}
    reshape(mesh, keep, boxes(cells), fields, {"UVMap": np.full((4 * extra, 2), 0.5, np.float32)})
    after = told(mesh)
    assert after.keys() == before.keys()
    for name in ("bits", "index", "heat", "UVMap", "tint", "position"):
        kind, *values = before[name]
        each = len(values) // len(keep)
        kept = [value for number, value in enumerate(values) if keep[number // each]]
        assert after[name][: 1 + len(kept)] == [kind, *kept]
        assert len(after[name]) == 1 + len(kept) + each * extra
    assert after["bits"][5:] == [0] * extra
    assert after["index"][5:] == [250] * extra
    assert len(mesh.vertices) == 4 * (4 + extra)
    assert not mesh.validate(verbose=True)


@pytest.mark.parametrize("spare", [0, 4, 400])
def test_arrays_that_were_read_already_are_used(spare: int) -> None:
    mesh, other = dressed(False), dressed(False)
    added(other, [(5, 5), (-9, 4)])
    positions, uvs = attributes.read(mesh, "position"), attributes.read(mesh, "UVMap")
    assert positions is not None
    assert uvs is not None
    known = {
        "position": np.concatenate((positions, np.full((spare, 3), np.nan, np.float32))),
        "UVMap": np.concatenate((uvs, np.full((spare, 2), np.nan, np.float32))),
    }
    fields: reshaping.Layers = {"index": ("FACE", "INT", np.full(NEW, 250, np.int32))}
    fields["flags"] = ("FACE", "INT", np.arange(3, 3 + NEW, dtype=np.int32))
    given = np.arange(8 * NEW, dtype=np.float32).reshape(-1, 2) / 64
    reshape(mesh, np.ones(COLUMNS * ROWS, np.bool_), boxes([(5, 5), (-9, 4)]), fields, {"UVMap": given}, known)
    assert told(mesh) == told(other)
    assert not known


@pytest.mark.parametrize("keeps", [False, True])
def test_a_mesh_as_large_as_layers_get_is_added_to(keeps: bool) -> None:
    mesh = bpy.data.meshes.new("large")
    cells = [(column, row) for row in range(500) for column in range(600)]
    added(mesh, cells)
    keep = np.ones(len(cells), np.bool_)
    keep[7] = keeps
    fields: reshaping.Layers = {"index": ("FACE", "INT", np.full(100, 9, np.int32))}
    reshape(mesh, keep, boxes([(700 + number, 0) for number in range(100)]), fields, {})
    assert len(mesh.polygons) == len(cells) + 99 + keeps
    index = attributes.read(mesh, "index")
    assert index is not None
    assert index[-101:].tolist() == [250, *[9] * 100]
    assert mesh.polygons[len(mesh.polygons) - 1].center[:2] == (799.5, 0.5)
