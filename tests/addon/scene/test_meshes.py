# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes from arrays and back; what would crash or confuse Blender never reaches it."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import attributes
from levelwright.addon.scene.geometry import meshes, quads
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import face_rings

from tests.addon.scene.scene_helpers import active, grid, grid_arrays, link


def test_build_and_read_back() -> None:
    rng = np.random.default_rng(0)
    positions, corners = grid_arrays(3)
    positions[:, 2] = rng.normal(size=16)
    uv = rng.random((36, 2), np.float32)
    values = {
        "f": ("FACE", "INT", rng.integers(-(2**31), 2**31, 9).astype(np.int32)),
        "p": ("POINT", "FLOAT", rng.random(16, np.float32)),
        "v": ("FACE", "FLOAT_VECTOR", rng.random((9, 3), np.float32)),
        "c": ("CORNER", "FLOAT_COLOR", rng.random((36, 4), np.float32)),
        "b": ("FACE", "BOOLEAN", rng.random(9) > 0.5),
        "t": ("CORNER", "INT8", rng.integers(-128, 128, 36).astype(np.int8)),
        "w": ("POINT", "FLOAT2", rng.random((16, 2), np.float32)),
        "i": ("POINT", "INT32_2D", rng.integers(-9, 9, (16, 2)).astype(np.int32)),
        "q": ("POINT", "QUATERNION", rng.random((16, 4), np.float32)),
    }
    mesh = meshes.build("m", positions, corners, uvs={"UVMap": uv, "light": uv * 2}, attributes=values)
    data = meshes.read(link(bpy.data.objects.new("o", mesh)))
    assert np.array_equal(data.positions, positions)
    assert np.array_equal(data.corner_verts, corners)
    assert np.array_equal(data.face_starts, np.arange(0, 36, 4))
    assert data.face_sizes.tolist() == [4] * 9
    assert np.array_equal(data.uv(), uv)
    assert np.array_equal(data.uv("light"), uv * 2)
    assert data.uv("none") is None
    for name, (domain, _, expected) in values.items():
        assert np.array_equal(data.attribute(name, domain), expected), name
        assert data.attribute(name).dtype == expected.dtype
    assert data.attribute("f", "POINT") is None
    assert data.attribute("none") is None
    assert len(mesh.edges) == 24
    assert meshes.dropped(mesh).tolist() == []
    assert not any(polygon.use_smooth for polygon in mesh.polygons)


def test_polygons_of_any_size_materials_and_smooth() -> None:
    positions = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 2, 0)]
    mesh = meshes.build("m", positions, [0, 1, 2, 3, 3, 2, 4], [0, 4], material_index=[1, 0], smooth=True)
    assert [len(polygon.vertices) for polygon in mesh.polygons] == [4, 3]
    assert [polygon.material_index for polygon in mesh.polygons] == [1, 0]
    assert all(polygon.use_smooth for polygon in mesh.polygons)
    data = meshes.read(link(bpy.data.objects.new("o", mesh)))
    assert data.material_index.tolist() == [1, 0]
    assert data.face_sizes.tolist() == [4, 3]


def test_empty_and_points_only() -> None:
    mesh = meshes.build(
        "m", np.zeros((0, 3)), [], uvs={"UVMap": np.zeros((0, 2))}, attributes={"a": ("FACE", "INT", [])}
    )
    data = meshes.read(link(bpy.data.objects.new("o", mesh)))
    assert (len(data.positions), len(data.corner_verts), len(data.face_starts)) == (0, 0, 0)
    assert data.ids("FACE", 1).tolist() == []
    mesh = meshes.build("m", [(1, 2, 3)], [], [])
    assert meshes.read(link(bpy.data.objects.new("p", mesh))).positions.tolist() == [[1, 2, 3]]


@pytest.mark.parametrize(
    "starts", [[4, 0], [0, 4, 4], [0, 8], [1, 4], [0, -4], [0, 4, 2]], ids=lambda starts: str(starts)
)
def test_face_starts_that_would_crash_blender_are_refused(starts: list[int]) -> None:
    with pytest.raises(ValueError, match="ascend"):
        meshes.build("m", np.zeros((8, 3)), np.arange(8), starts)
    assert not bpy.data.meshes


def test_arrays_that_do_not_fit_are_refused() -> None:
    positions, corners = grid_arrays(1)
    for wrong in (
        {"uvs": {"UVMap": np.zeros((3, 2))}},
        {"attributes": {"a": ("FACE", "INT", [1, 2])}},
        {"material_index": [0, 0]},
    ):
        with pytest.raises(ValueError, match="numbers for"):
            meshes.build("m", positions, corners, **wrong)
    with pytest.raises(ValueError, match="quads"):
        meshes.build("m", positions, [0, 1, 2])
    with pytest.raises(ValueError, match="without a face"):
        meshes.build("m", positions, [0, 1, 2], [])
    assert not bpy.data.meshes, "nothing is left behind"


@pytest.mark.skipif(bpy.app.version >= (5, 0), reason="5.x lets faces have an attribute called id")
def test_names_that_blender_keeps_are_refused() -> None:
    positions, corners = grid_arrays(1)
    with pytest.raises(ValueError, match="can't make an attribute 'id'"):
        meshes.build("m", positions, corners, attributes={"id": ("FACE", "INT", [1])})
    assert not bpy.data.meshes


POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
GOOD = [0, 1, 2, 3]
BAD_FACES = {
    "beyond": [0, 1, 2, 6],
    "negative": [-1, 1, 2, 3],
    "far": [2**31 - 1, -(2**31), 0, 1],
    "vertex twice": [1, 4, 4, 2],
    "repeats a face": [0, 1, 2, 3],
    "repeats it turned over": [3, 2, 1, 0],
}


@pytest.mark.parametrize("kind", BAD_FACES)
def test_bad_faces_are_left_out_and_known(kind: str) -> None:
    corners = [*GOOD, *BAD_FACES[kind], 1, 4, 5, 2]
    report = Report()
    mesh = meshes.build("m", POINTS, corners, attributes={"n": ("FACE", "INT", [10, 11, 12])}, report=report)
    assert meshes.dropped(mesh).tolist() == [1]
    assert attributes.read(mesh, "n").tolist() == [10, 12], "the data of the others stay with them"
    assert attributes.read(mesh, "levelwright_source") is None
    assert len(report.warnings) == 1
    assert "1 face was left out" in report.warnings[0]
    with pytest.raises(SceneError, match="left out"):
        meshes.build("m", POINTS, corners)


def test_faces_with_two_corners() -> None:
    report = Report()
    mesh = meshes.build("m", POINTS, [0, 1, 2, 3, 1, 4, 1, 4, 5, 2], [0, 4, 6], report=report)
    assert meshes.dropped(mesh).tolist() == [1]


def test_faces_without_any_vertex() -> None:
    mesh = meshes.build("m", np.zeros((0, 3)), [0, 1, 2, 3], report=Report())
    assert meshes.dropped(mesh).tolist() == [0]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_coordinates_that_are_no_numbers(number: float) -> None:
    report = Report()
    points = np.array(POINTS, np.float32)
    points[5, 1] = number
    mesh = meshes.build("m", points, [*GOOD, 1, 4, 5, 2], report=report)
    assert np.isfinite(attributes.read(mesh, "position")).all()
    assert attributes.read(mesh, "position")[5].tolist() == [2, 0, 0]
    assert "1 vertex" in report.warnings[0]
    with pytest.raises(SceneError, match="aren't numbers"):
        meshes.build("m", points, [*GOOD, 1, 4, 5, 2])


def test_huge_finite_coordinates_are_no_problem() -> None:
    points = np.full((6, 3), np.finfo(np.float32).max)
    points[:, :2] = np.array(POINTS)[:, :2]
    assert len(meshes.build("m", points, GOOD).polygons) == 1


def test_random_rubbish_never_crashes() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        count = int(rng.integers(0, 8))
        starts = np.sort(rng.choice(40, int(rng.integers(1, 12)), replace=False))
        starts[0] = 0
        corners = rng.integers(-2, count + 2, 40)
        mesh = meshes.build("m", rng.normal(size=(count, 3)), corners, starts, report=Report())
        assert len(mesh.polygons) + len(meshes.dropped(mesh)) == len(starts)
        assert not mesh.validate()


def test_read_only_some_attributes() -> None:
    mesh = grid("m", 2, shared=True)
    identity.write_ids(mesh, "FACE", np.arange(1, 5), 9)
    for name in ("a", "b"):
        attributes.write(mesh, name, "FACE", "INT", np.zeros(4, np.int32))
    data = meshes.read(link(bpy.data.objects.new("o", mesh)), names=["a"])
    assert data.attribute("a") is not None
    assert data.attribute("b") is None
    assert data.ids("FACE", 9).tolist() == [1, 2, 3, 4]


def test_edit_mode_hides_nothing() -> None:
    obj = link(bpy.data.objects.new("o", grid("m", 2, shared=True)))
    other = link(bpy.data.objects.new("other", obj.data))
    identity.write_ids(obj.data, "FACE", np.arange(1, 5), 9)
    active(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 3))
    count = len(bpy.data.meshes)
    for one in (obj, other):
        data = meshes.read(one)
        assert data.ids("FACE", 9).tolist() == [1, 2, 3, 4]
        assert np.allclose(data.positions[:, 2], 3)
        assert len(data.corner_verts) == 16
    assert len(bpy.data.meshes) == count
    with pytest.raises(ValueError, match="edit mode"):
        attributes.read(obj.data, "position")
    with pytest.raises(ValueError, match="edit mode"):
        attributes.write(obj.data, "a", "FACE", "INT", [0] * 4)


def test_read_copies() -> None:
    obj = link(bpy.data.objects.new("o", grid("m", 2, shared=True)))
    data = meshes.read(obj)
    data.positions[:] = 9
    assert attributes.read(obj.data, "position").max() == 2


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_select_faces(mode: str) -> None:
    obj = link(bpy.data.objects.new("o", grid("m", 3, shared=True)))
    active(obj)
    if mode == "EDIT":
        bpy.ops.object.mode_set(mode="EDIT")
    meshes.select_faces(obj, np.array([1, 4, 99]))
    if mode == "EDIT":
        bpy.ops.object.mode_set(mode="OBJECT")
    assert [polygon.index for polygon in obj.data.polygons if polygon.select] == [1, 4]


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_select_points(mode: str) -> None:
    obj = link(bpy.data.objects.new("o", grid("m", 3, shared=True)))
    active(obj)
    if mode == "EDIT":
        bpy.ops.object.mode_set(mode="EDIT")
    meshes.select_points(obj, np.array([0, 1, 4, 5, 10, 99, -1]))
    if mode == "EDIT":
        bpy.ops.object.mode_set(mode="OBJECT")
    assert [vertex.index for vertex in obj.data.vertices if vertex.select] == [0, 1, 4, 5, 10]
    assert [polygon.index for polygon in obj.data.polygons if polygon.select] == [0]


def test_replacing_an_attribute() -> None:
    mesh = grid("m", 2, shared=True)
    attributes.write(mesh, "a", "FACE", "INT", [1, 2, 3, 4])
    attributes.write(mesh, "a", "POINT", "FLOAT", np.arange(9))
    assert attributes.read(mesh, "a").tolist() == list(range(9))
    assert attributes.read(mesh, "a", "FACE") is None
    assert [attribute.name for attribute in mesh.attributes].count("a") == 1


def test_faces_that_share_no_vertices_get_the_edges_that_validate_finds() -> None:
    starts = np.array((0, 3, 7, 12), np.int32)  # a triangle, a quad, a pentagon, a quad
    positions = np.random.default_rng(1).random((16, 3), np.float32)
    mesh = meshes.build("apart", positions, np.arange(16), starts)
    edges = {tuple(sorted(edge.vertices)) for edge in mesh.edges}
    assert len(mesh.edges) == 16 and not mesh.validate(verbose=True) and len(mesh.edges) == 16
    expected = {tuple(sorted(key)) for polygon in mesh.polygons for key in polygon.edge_keys}
    assert edges == expected
    for polygon in mesh.polygons:
        found = {tuple(sorted(mesh.edges[mesh.loops[loop].edge_index].vertices)) for loop in polygon.loop_indices}
        assert found == {tuple(sorted(key)) for key in polygon.edge_keys}


@pytest.mark.parametrize(("sizes", "are"), [((4, 4, 4), True), ((4, 3, 5), False), ((3, 4), False), ((), True)])
def test_meshes_of_quads_are_known(sizes: tuple[int, ...], are: bool) -> None:
    """By their triangles: three corners and five have as many as four and four."""
    starts = np.cumsum((0, *sizes[:-1])) if sizes else np.zeros(0, int)
    angles = np.concatenate([np.linspace(0, 6, size, endpoint=False) for size in sizes] or [np.zeros(0)])
    positions = np.stack((np.cos(angles), np.sin(angles), 0 * angles), axis=-1)
    mesh = meshes.build("m", positions, np.arange(len(angles)), starts)
    assert quads.are_quads(mesh) is are
    if are and sizes:
        assert np.array_equal(face_rings.ring_edges(len(sizes)), attributes.read(mesh, ".edge_verts"))


def test_uvs_are_made_where_positions_were() -> None:
    """Of quads that share no vertices; of other meshes in memory of their own. The mesh is the same."""
    positions = np.random.default_rng(2).random((12, 3), np.float32)
    before, rooms = positions.copy(), list[np.ndarray]()

    def made(room: np.ndarray) -> np.ndarray:
        rooms.append(room)
        room[:24] = np.arange(24)
        return room[:24]

    plain = meshes.build("plain", before, uvs={"a": np.arange(24.0), "b": np.arange(24.0)})
    other = meshes.build("other", before, np.arange(12), np.arange(0, 12, 4), uvs={"a": made, "b": made})
    mesh = meshes.build("made", positions, uvs={"a": made, "b": made})
    assert [np.shares_memory(room, positions) for room in rooms] == [False, False, True, True]
    for name in ("position", ".corner_vert", ".edge_verts", ".corner_edge", "a", "b"):
        expected = attributes.read(plain, name)
        assert np.array_equal(attributes.read(mesh, name), expected), name
        assert np.array_equal(attributes.read(other, name), expected), name
    assert not mesh.validate(verbose=True)


def test_sound_faces_make_the_mesh_that_validate_makes() -> None:
    positions, corners = grid_arrays(5)
    plain, sound = (meshes.build("m", positions, corners, sound=known) for known in (False, True))
    assert [one.name for one in sound.attributes] == [one.name for one in plain.attributes]
    found = [meshes.read(link(bpy.data.objects.new("o", mesh)), edges=True) for mesh in (plain, sound)]
    assert np.array_equal(found[0].edges, found[1].edges)
    assert np.array_equal(found[0].corner_edges, found[1].corner_edges)
    assert not sound.validate(verbose=True)


@pytest.mark.parametrize("corners", [3, 4, 11])
def test_unsound_faces_are_what_blender_drops(corners: int) -> None:
    random = np.random.default_rng(corners)
    faces = random.integers(0, corners + 3, (60, corners))
    faces[30:40] = np.argsort(random.random((10, corners + 3)), axis=1)[:, :corners]
    faces[40:45] = faces[30:35, ::-1]
    found = face_rings.unsound(faces.reshape(-1), np.full(60, corners), corners + 3)
    sets = [frozenset(face) for face in faces.tolist()]
    assert found.tolist() == [len(one) < corners or one in sets[:place] for place, one in enumerate(sets)]
    points, starts = random.random((corners + 3, 3)), np.arange(60) * corners
    mesh = meshes.build("faces", points, faces.reshape(-1), starts, report=Report())
    assert 60 - found.sum() <= len(mesh.polygons) < 60  # Blender 5.2 holds faces of the same vertices in another order
    sound = faces[~found]
    kept = meshes.build("sound", points, sound.reshape(-1), starts[: len(sound)], sound=True)
    assert len(kept.polygons) == len(sound)
    assert not kept.validate()
