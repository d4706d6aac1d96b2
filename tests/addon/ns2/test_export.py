# SPDX-License-Identifier: GPL-3.0-or-later
"""Export: unedited the same bytes, edited only what was edited, on levels of each version made byte by byte."""

import hashlib

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.ns2.layers import lists
from levelwright.addon.ns2.layers.build import make_home
from levelwright.addon.scene import attributes
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2
from levelwright.formats.binary import FormatError

from tests.addon import blenders
from tests.addon.ns2.export_helpers import (
    changed,
    edited,
    exported,
    faces,
    geometry,
    imported,
    loops,
    reopened,
    sound,
    vertex,
)
from tests.formats.ns2_bytes import HOLED, Face, Shape, whole
from tests.formats.ns2_bytes import level as level_bytes
from tests.formats.ns2_bytes import mesh as mesh_bytes

VERSIONS = (4, 6, 7, 9, 10)


@pytest.mark.parametrize("settings", [{}, {"split": "group"}, {"split": "layer"}, {"loose_edges": True}], ids=str)
@pytest.mark.parametrize("version", VERSIONS)
def test_unedited_levels_are_the_same_bytes(version, settings):
    report = Report()
    assert exported(imported(whole(version), **settings), report) == whole(version)
    assert not report.notes
    assert not report.warnings


@pytest.mark.parametrize("version", VERSIONS)
def test_after_saving_and_opening_again_they_are_still(version, tmp_path):
    assert exported(reopened(imported(whole(version)), tmp_path)) == whole(version)


EXPORT_ELSEWHERE = """
import hashlib
from levelwright.addon.ns2.exporter import export_level
from levelwright.addon.ns2.settings import ExportSettings
from levelwright.addon.scene.reports import Report
load().register()
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
level = bpy.data.collections["test"]
result = hashlib.sha256(export_level(bpy.context, level, ExportSettings(), Report())).hexdigest()
"""


@pytest.mark.slow
@pytest.mark.parametrize("python", blenders.pythons(), ids=blenders.name)
def test_another_blender_writes_the_same_bytes(python, tmp_path):
    imported(whole(9))
    path = tmp_path / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    for environment in ({}, blenders.without_cpu_features(python)):
        digest = blenders.run(EXPORT_ELSEWHERE, path, python=python, environment=environment)
        assert digest == hashlib.sha256(whole(9)).hexdigest()


@pytest.mark.parametrize("version", VERSIONS)
def test_save_as_version_10_is_the_librarys_conversion(version):
    level = imported(whole(version))
    assert exported(level, save_as_v10=True) == ns2.write(ns2.as_v10(ns2.read(whole(version))))


@pytest.mark.parametrize("version", [4, 7, 9])
def test_the_version_that_the_level_says_is_written(version):
    level, report = imported(whole(version)), Report()
    assert level["format_version"] == version
    level["format_version"] = 10
    assert exported(level, report) == ns2.write(ns2.as_v10(ns2.read(whole(version))))
    assert f"version {version} becomes version 10" in report.notes
    level["format_version"] = version
    assert exported(level) == whole(version)


@pytest.mark.parametrize("wanted", [8, 11, "seven", [10, 10]])
def test_other_versions_are_refused_by_name(wanted):
    for level, had in ((imported(whole(7), "old.level"), ", or as version 7, which it has"), (imported(whole(10)), "")):
        level["format_version"] = wanted
        with pytest.raises(SceneError, match=f"{level.name}: format_version .* are written as version 10{had}$"):
            exported(level)
        assert ns2.read(exported(level, save_as_v10=True)).version == 10


@pytest.mark.parametrize("version", VERSIONS)
def test_a_vertex_that_moved_is_all_that_changes_but_for_triangles(version):
    level = imported(whole(version))
    with edited(geometry(level)) as mesh:
        vertex(mesh, 9).co.z -= 1
    after = exported(level)
    found = changed(whole(version), after)
    assert found.pop("vertices") == [9]
    assert set(found.pop("triangles", [])) <= {0, 2}  # 0 is smooth with 2: its normals follow
    assert not found
    assert ns2.read(after).mesh.positions[9].tolist() == [0, -3, 4]


def test_moving_the_object_moves_its_vertices_and_moving_the_root_nothing():
    level = imported(whole(10))
    root = next(obj for obj in level.all_objects if obj.name == level.name)
    root.location = (5, 6, 7)
    assert exported(level) == whole(10)
    geometry(level).location = (1, 2, 3)  # z, x, y of Spark
    before, after = ns2.read(whole(10)).mesh.positions, ns2.read(exported(level)).mesh.positions
    assert np.array_equal(after, before + np.float32([2, 3, 1]))


def test_a_mirrored_object_shows_the_sides_that_it_did():
    level = imported(whole(10))
    geometry(level).scale = (1, 1, -1)
    after = ns2.read(exported(level))
    sound(after)
    # What looked up looks down: the border runs the other way round.
    border = loops(after)[0][0]
    assert border[border.index(0) :] + border[: border.index(0)] == (0, 3, 2, 1)


def test_deleted_faces_go_with_their_edges_and_vertices_and_numbers_close_up():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        bmesh.ops.delete(mesh, geom=faces(mesh, 0), context="FACES")
    after = ns2.read(exported(level))
    sound(after)
    assert loops(after) == [[(2, 3, 4, 5)], [(1, 0, 6, 7)]]
    assert len(after.mesh.edges) == 8
    groups = after.mesh.geometry_groups
    assert groups.vertices.assignment(8).tolist() == [1, *[ns2.NO_GROUP] * 6, 2]
    assert groups.faces.assignment(2).tolist() == [ns2.NO_GROUP, 1]
    assert after.mesh.mapping_groups.size == 0  # its last face went
    assert after.mesh.smooth.tolist() == [True, *[False] * 7]
    assert len(after.mesh.triangles.normals) == 0  # the edge has one face left


def test_unshown_elements_stay_as_they_are():
    # An unchained loop, a face of two edges, a degenerate edge, one without a face, a vertex without an edge.
    shape = Shape(
        points=(*HOLED.points, (9, 9, 9)),
        edges=(*HOLED.edges, (3, 3), (8, 2)),
        faces=(*HOLED.faces, Face([[(0, 0), (0, 2), (0, 5)]]), Face([[(0, 8), (1, 8)]])),
        materials=HOLED.materials,
        mapping=HOLED.mapping,
    )
    data = level_bytes(10, mesh=mesh_bytes(10, shape))
    level = imported(data)
    assert exported(level) == data
    with edited(geometry(level)) as mesh:
        vertex(mesh, 9).co.z -= 1
    found = changed(data, exported(level))
    assert found == {"vertices": [9]}


@pytest.mark.parametrize(("number", "name"), [(3, "layers_0"), (200, "layers_6")])
def test_layers_of_faces_are_bits_of_their_ids(number, name):
    level = imported(whole(10))
    obj = geometry(level)
    values = attributes.read(obj.data, name, "FACE").view(np.uint32)
    values[-1] |= np.uint32(1) << np.uint32(number % 32)  # the face that is in none
    attributes.write(obj.data, name, "FACE", "INT", values.view(np.int32))
    after = ns2.read(exported(level))
    assert after.mesh.face_layers.members(number).tolist() == [True, number == 3, True]
    assert after.mesh.face_layers.has.tolist() == [True, True, True]
    assert not changed(whole(10), ns2.write(after))


def test_a_layer_and_a_group_that_were_added_are_written():
    level = imported(whole(10))
    for kind, number in (("layers", 9), ("groups", 5)):
        item = lists.entries(level, kind).add()
        item.number, item.name, item.visible = number, f"New {kind}", True
        make_home(level, kind, number, item.name)
    obj = geometry(level)
    values = attributes.read(obj.data, "face_group", "FACE")
    values[-1] = 5
    attributes.write(obj.data, "face_group", "FACE", "INT", values)
    after = ns2.read(exported(level))
    assert [(each.id, each.name) for each in after.layers][-1] == (9, "New layers")
    assert [(each.id, each.name) for each in after.groups][-1] == (5, "New groups")
    assert after.mesh.geometry_groups.faces.assignment(3).tolist() == [1, ns2.NO_GROUP, 5]
    assert after.mesh.geometry_groups.edges.members.tolist() == [2]


@pytest.mark.parametrize("version", [7, 10])
def test_levels_without_triangles_get_them_with_the_first_edit(version):
    original = ns2.read(whole(version))
    mesh = original.mesh
    mesh.chunks = [chunk for chunk in mesh.chunks if chunk.id != ns2.records.MeshChunkId.TRIANGLES]
    original.mesh = mesh
    before = ns2.write(original)
    level = imported(before)
    assert exported(level) == before
    geometry(level).data.vertices[0].co.x += 0.25
    made = ns2.read(exported(level)).mesh.triangles
    assert len(made.face_triangles) - 1 == len(mesh.faces)
    assert (np.diff(made.face_triangles) > 0).all()


def test_one_polygon_of_a_face_with_holes_changes_the_material_of_the_face():
    level = imported(whole(10))
    obj = geometry(level)
    obj.data.polygons[0].material_index = 1
    after = exported(level)
    assert changed(whole(10), after) == {"records": [0]}
    assert ns2.read(after).mesh.faces.records["material"].tolist() == [1, 1, 0]


def test_a_copy_of_a_material_that_is_renamed_to_a_path_is_that_material():
    level = imported(whole(10))
    mesh = geometry(level).data
    copy = mesh.materials[0].copy()
    mesh.materials[0] = copy
    assert exported(level) == whole(10), "a copy that has no path of its own"
    copy.name = "materials/own/copy.material"
    assert "materials/own/copy.material" in ns2.read(exported(level)).mesh.materials


def test_materials_are_added_by_their_path_and_go_when_the_scene_has_them_no_more():
    level = imported(whole(10))
    obj = geometry(level)
    made = bpy.data.materials.new("brick")
    made["material"] = "materials/own/brick.material"
    obj.data.materials.append(made)
    for polygon in obj.data.polygons:
        polygon.material_index = len(obj.data.materials) - 1
    assert ns2.read(exported(level)).mesh.materials == [*HOLED.materials, "materials/own/brick.material"]
    old = next(each for each in bpy.data.materials if each.get("material") == HOLED.materials[1])
    bpy.data.materials.remove(old)
    after = ns2.read(exported(level)).mesh
    assert after.materials == [HOLED.materials[0], "materials/own/brick.material"]
    assert after.faces.records["material"].tolist() == [1, 1, 1]


def test_a_material_that_is_renamed_is_that_in_the_list_and_its_faces_stay():
    level = imported(whole(10))
    one, two = (next(each for each in bpy.data.materials if each.get("material") == path) for path in HOLED.materials)
    one.name = "materials/own/brick.material"
    after = exported(level)
    assert ns2.read(after).mesh.materials == ["materials/own/brick.material", HOLED.materials[1]]
    assert changed(whole(10), after) == {}
    one.name, one["material"] = "brick", HOLED.materials[1]  # the other's
    mesh = ns2.read(exported(level)).mesh
    assert mesh.materials == [HOLED.materials[1]]
    assert mesh.faces.records["material"].tolist() == [0, 0, 0]
    two["material"] = HOLED.materials[0]
    mesh = ns2.read(exported(level)).mesh
    assert mesh.materials == list(HOLED.materials)
    assert mesh.faces.records["material"].tolist() == [1, 0, 1]


def test_smooth_edges_are_those_that_blender_shows_smooth():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        for face in mesh.faces:
            face.smooth = True
        for edge in mesh.edges:
            edge.smooth = True
    after = ns2.read(exported(level)).mesh
    assert after.smooth.all()
    assert len(after.triangles.normals) == 5  # of edges that two faces have
    assert not changed(whole(10), ns2.write(ns2.read(exported(level)))).get("loops")
    with edited(geometry(level)) as mesh:
        for edge in mesh.edges:
            edge.smooth = False
    after = ns2.read(exported(level)).mesh
    assert not after.smooth.any()
    assert len(after.triangles.normals) == 0


def test_before_version_9_there_are_no_smooth_edges():
    level = imported(whole(7))
    with edited(geometry(level)) as mesh:
        for face in mesh.faces:
            face.smooth = True
    report = Report()
    assert exported(level, report) == whole(7)
    assert "version 7 has no smooth edges" in report.warnings[0]
    assert ns2.read(exported(level, save_as_v10=True)).mesh.smooth.all()


def test_what_only_later_versions_hold_is_refused_with_a_hint():
    level = imported(whole(4))
    attributes.write(geometry(level).data, "face_group", "FACE", "INT", np.ones(len(geometry(level).data.polygons)))
    with pytest.raises(FormatError, match="as version 10"):
        exported(level)
    assert ns2.read(exported(level, save_as_v10=True)).mesh.geometry_groups.faces.assignment(3).tolist() == [1, 1, 1]


def test_a_collection_among_the_layers_that_is_no_layer_is_told():
    level = imported(whole(10))
    parent = next(each for each in level.children_recursive if each.name == "Layers")
    parent.children.link(bpy.data.collections.new("by hand"))
    report = Report()
    assert exported(level, report) == whole(10)
    assert "no layers or groups (the sidebar adds those): by hand" in report.warnings[0]


def test_lost_baselines_are_refused_and_build_as_new_builds_all_of_it():
    level = imported(whole(10))
    del level["levelwright_was_polygon_faces"]
    with pytest.raises(SceneError, match="Build as New"):
        exported(level)
    after = ns2.read(exported(level, build_as_new=True))
    assert [[len(loop) for loop in face] for face in loops(after)] == [[4, 4], [4], [4]]
    sound(after)


def test_attributes_of_another_type_are_refused():
    level = imported(whole(10))
    obj = geometry(level)
    attributes.write(obj.data, "face_group", "FACE", "FLOAT", np.zeros(len(obj.data.polygons)))
    with pytest.raises(SceneError, match="face_group must hold one whole number"):
        exported(level)
