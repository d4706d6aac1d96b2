# SPDX-License-Identifier: GPL-3.0-or-later
"""Edited polygons laid over a level's mesh: only what was edited differs."""

from dataclasses import replace

import numpy as np
import pytest

from formats import ns2
from formats.binary import FormatError
from formats.ns2.editing import (
    EditedMesh,
    Finding,
    MaterialEdits,
    OverlaidMesh,
    RefusedFacesError,
    ShownPolygons,
    TextureRules,
    overlay,
    show_mesh,
)
from formats.ns2.editing.numbering import EdgeNumbers, Kept, mixed, number_vertices
from formats.ns2.editing.shown import edge_numbers
from tests.formats import ns2_bytes as build

VERSIONS = (4, 5, 6, 7, 9, 10)
RAMP = 2
"""The face of the tests' level that has one loop, no mapping group and finite parameters."""


def mesh_of(version: int = 10) -> ns2.Mesh:
    return ns2.read(build.whole(version)).mesh


def edited_of(mesh: ns2.Mesh) -> EditedMesh:
    return EditedMesh.of(mesh, show_mesh(mesh))


def laid_over(mesh: ns2.Mesh, edited: EditedMesh, materials: MaterialEdits | None = None, **options) -> OverlaidMesh:
    shown = show_mesh(mesh).polygons
    return overlay(edited, mesh, shown, MaterialEdits.of(mesh) if materials is None else materials, **options)


def chunks(mesh: ns2.Mesh) -> dict[int, bytes]:
    return {chunk.id: bytes(chunk.data) for chunk in mesh.written()}


def differing(mesh: ns2.Mesh, made: OverlaidMesh) -> set[int]:
    before, after = chunks(mesh), chunks(made.mesh)
    return {number for number in before.keys() | after.keys() if before.get(number) != after.get(number)}


VERTICES, EDGES, FACES, MATERIALS, TRIANGLES, LAYERS, MAPPING, GROUPS = (
    ns2.records.MeshChunkId[name]
    for name in (
        "VERTICES",
        "EDGES",
        "FACES",
        "MATERIALS",
        "TRIANGLES",
        "FACE_LAYERS",
        "MAPPING_GROUPS",
        "GEOMETRY_GROUPS",
    )
)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_was_not_edited_stays_to_the_bit(version):
    mesh = mesh_of(version)
    made = laid_over(mesh, edited_of(mesh))
    assert differing(mesh, made) == set()
    assert made.findings == []
    assert made.table.same.all()


def test_real_levels_stay_to_the_bit(corpus):
    files = [path for path in sorted((corpus / "ns2").glob("*/*.level")) if 5 < path.stat().st_size < 100_000]
    assert len(files) > 25
    for path in files:
        mesh = ns2.read(path.read_bytes()).mesh
        made = laid_over(mesh, edited_of(mesh))
        assert differing(mesh, made) == set(), path.name


def test_a_vertex_that_moves_takes_its_faces_triangles_along():
    mesh = mesh_of()
    edited = edited_of(mesh)
    edited.positions[8] += (0, -1, 0)
    made = laid_over(mesh, edited)
    assert differing(mesh, made) == {VERTICES, TRIANGLES}
    assert Finding("note", "1 vertex moved") in made.findings
    assert made.mesh.vertices[:8].tobytes() == mesh.vertices[:8].tobytes()
    assert made.mesh.positions[8].tolist() == (mesh.positions[8] + (0, -1, 0)).tolist()


def test_what_is_off_by_rounding_only_did_not_move():
    mesh = mesh_of()
    edited = edited_of(mesh)
    edited.positions[5] += np.float32(1e-6)
    edited.rounding[5] = 1e-5
    assert differing(mesh, laid_over(mesh, edited)) == set()


def test_a_face_goes_with_its_last_polygon():
    mesh = mesh_of()
    edited = edited_of(mesh)
    made = laid_over(mesh, edited.take(edited.faces != RAMP))
    assert made.table.records.tolist() == [0, 1]
    assert Finding("note", "1 face deleted") in made.findings
    assert len(made.mesh.face_layers.has) == 2
    assert made.mesh.faces.records.tobytes() == mesh.faces.records[:2].tobytes()


def test_a_copied_face_is_a_new_one_like_it():
    mesh = mesh_of()
    edited = edited_of(mesh)
    (ramp,) = np.flatnonzero(edited.faces == RAMP)
    twice = edited.take(np.append(np.arange(len(edited.faces)), ramp))
    made = laid_over(mesh, twice)
    assert made.table.records.tolist() == [0, 1, 2, -1]
    assert made.table.parents.tolist() == [0, 1, 2, 2]
    records = made.mesh.faces.records
    assert records[3].tobytes() == records[2].tobytes()
    assert made.mesh.triangles is not None
    assert len(made.mesh.triangles.face_triangles) == 5


def test_a_new_face_without_uvs_or_a_material_has_the_usual_ones():
    mesh = mesh_of()
    edited = edited_of(mesh)
    (ramp,) = np.flatnonzero(edited.faces == RAMP)
    edited.faces[ramp] = -1
    edited.uvs[edited.polygons == ramp] = np.nan
    edited.materials[ramp] = len(mesh.materials)
    made = laid_over(mesh, edited)
    new = made.mesh.faces.records[2]
    assert made.table.records.tolist() == [0, 1, -1]
    assert new["scale"] == pytest.approx(0.30758, abs=1e-4)
    assert (new["angle"], new["offset"].tolist(), new["material"]) == (0, [0, 0], 0)
    warning = f"1 face has no material, so {mesh.materials[0]} is used"
    assert Finding("warning", warning) in made.findings


def test_uvs_that_moved_change_the_offset_only():
    mesh = mesh_of()
    edited = edited_of(mesh)
    edited.uvs[np.isin(edited.polygons, np.flatnonzero(edited.faces == RAMP))] += np.float32([0.25, 0])
    made = laid_over(mesh, edited)
    assert differing(mesh, made) == {FACES}
    before, after = mesh.faces.records[RAMP], made.mesh.faces.records[RAMP]
    assert (after["offset"] - before["offset"]).tolist() == pytest.approx([0.25, 0], abs=1e-6)
    assert (after["angle"], after["scale"].tolist()) == (before["angle"], before["scale"].tolist())


def test_skewed_uvs_are_refused_or_brought_near():
    mesh = mesh_of()
    edited = edited_of(mesh)
    (ramp,) = np.flatnonzero(edited.faces == RAMP)
    edited.uvs[int(edited.starts[ramp])] += np.float32([0.3, 0.2])
    with pytest.raises(RefusedFacesError, match="give the UVs of 1 face: they are skewed") as refused:
        laid_over(mesh, edited)
    assert refused.value.polygons.tolist() == [ramp]
    made = laid_over(mesh, edited, textures=TextureRules(nearest=True))
    assert Finding("warning", "1 face has textures near their UVs: these are skewed or bent") in made.findings


def test_materials_are_renamed_added_and_dropped():
    mesh = mesh_of()
    edited = edited_of(mesh)
    edited.materials[edited.faces == RAMP] = 3
    paths = [*mesh.materials, "", "materials/new.material"]
    listed = ["materials/other.material", mesh.materials[1]]
    made = laid_over(mesh, edited, MaterialEdits(["materials/other.material", *paths[1:]], listed, frozenset()))
    assert made.mesh.materials == ["materials/other.material", mesh.materials[1], "materials/new.material"]
    assert made.mesh.faces.records["material"].tolist() == [0, 1, 2]
    less = made.mesh.faces.records["material"] == 1
    assert less.tolist() == [False, True, False]


def test_layers_and_groups_follow_their_polygons():
    mesh = mesh_of()
    edited = edited_of(mesh)
    edited.layers[edited.faces == RAMP, 0] |= np.uint32(1 << 5)
    edited.face_groups[edited.faces == RAMP] = 2
    made = laid_over(mesh, edited)
    assert differing(mesh, made) == {LAYERS, GROUPS}
    assert made.mesh.face_layers.members(5).tolist() == [False, False, True]
    assert made.mesh.geometry_groups.faces.assignment(3).tolist() == [1, ns2.NO_GROUP, 2]


def test_what_an_older_version_lacks_is_refused():
    mesh = mesh_of(4)
    grouped = edited_of(mesh)
    grouped.face_groups[0] = 1
    with pytest.raises(FormatError, match="version 4 has no groups of geometry: save it as version 10"):
        laid_over(mesh, grouped)
    layered = edited_of(mesh)
    layered.layers[0, 3] = 1
    with pytest.raises(FormatError, match="version 4 has layers of ids below 64 only"):
        laid_over(mesh, layered)


def test_a_smooth_edge_that_turns_hard():
    mesh = mesh_of()
    shown = show_mesh(mesh)
    edited = EditedMesh.of(mesh, shown)
    edited.smooth[shown.numbers == 0] = False
    made = laid_over(mesh, edited)
    assert differing(mesh, made) == {EDGES, TRIANGLES}
    assert mesh.smooth.tolist() == [True] + [False] * 10
    assert not made.mesh.smooth.any()


def test_faces_are_cut_where_a_bridge_becomes_an_edge():
    mesh = mesh_of()
    edited = edited_of(mesh)
    holed = np.count_nonzero(edited.faces == 0)
    assert holed > 1
    edited.bridges[:] = False
    made = laid_over(mesh, edited)
    assert len(made.mesh.faces) == 2 + holed
    assert np.diff(made.mesh.faces.face_loops).tolist() == [1] * (2 + holed), "no face has a hole any more"
    assert made.mesh.face_layers.members(200).sum() == holed


def test_a_mesh_that_is_made_of_nothing():
    mesh, like = ns2.new_level().mesh, mesh_of()
    edited = edited_of(like)
    for name in ("vertices", "faces"):
        setattr(edited, name, np.full_like(getattr(edited, name), -1))
    edited.mapping_groups[:] = ns2.NO_MAPPING_GROUP
    made = overlay(edited, mesh, ShownPolygons.none(), MaterialEdits([*like.materials, ""], [], frozenset()))
    assert len(made.mesh.faces) == 3
    assert np.diff(made.mesh.faces.face_loops).tolist() == [2, 1, 1]
    assert made.mesh.materials == like.materials
    assert (made.table.records == -1).all()


# ------------------------------------------------------------------------------------------------------------- numbers


def test_edges_between_the_same_vertices_are_shown_by_the_first_that_is_used():
    pairs = np.array([[0, 1], [1, 2], [1, 0], [0, 1]])
    used = np.ones(4, bool)
    assert edge_numbers(pairs, used).tolist() == [0, 1, 0, 0]
    used[0] = False
    assert edge_numbers(pairs, used).tolist() == [2, 1, 2, 2]
    used[:] = False
    assert edge_numbers(pairs, used)[[0, 2, 3]].tolist() == [-1, -1, -1]


def test_of_vertices_with_one_number_the_nearest_keeps_it():
    mesh = mesh_of()
    edited = edited_of(mesh)
    where = mesh.positions
    positions = np.concatenate([where[[2]] + 1, where[[2]], where[[2]], where[[3]]])
    some = replace(edited, positions=positions, vertices=np.array([2, 2, 2, 3]))
    found = number_vertices(some, where)
    assert found.numbers.tolist() == [10, 2, 2, 3], "those at one place are one"
    assert found.instances[[0, 2, 3, 10]].tolist() == [-1, 1, 3, 0]


def test_new_edges_are_numbered_as_they_are_asked_for():
    edges = EdgeNumbers(np.array([[0, 1], [1, 2], [1, 0]]), np.array([False, True, True]))
    assert edges.representatives.tolist() == [2, 1, 2], "the one that was shown stands for both"
    assert edges.find(np.array([[2, 1], [5, 6]])).tolist() == [1, -1]
    assert edges.need(np.array([[9, 4], [1, 2], [5, 6], [4, 9]])).tolist() == [3, 1, 4, 3]
    assert edges.pairs[3:].tolist() == [[9, 4], [5, 6]]


def test_kept_numbers_close_up():
    kept = Kept.of(np.array([True, False, True]))
    assert (kept.old.tolist(), kept.numbers.tolist()) == ([0, 2], [0, -1, 1])


def test_mixed_numbers_differ_by_order_and_column():
    one, two = np.array([1, 2, 1]), np.array([2, 1, 2])
    found = mixed(one, two)
    assert found[0] == found[2] != found[1]
    assert mixed(two, one)[1] == found[0]
