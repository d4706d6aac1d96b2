# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces made by ordinary modelling: cut, holed, extruded, copied; who keeps a record, which edges are shared."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.ns2.faces.edges import mark_bridges
from levelwright.addon.ns2.new_level import new_level
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2
from mathutils import Matrix

from tests.addon.ns2.export_helpers import area, changed, edited, exported, faces, geometry, imported, loops, sound
from tests.formats.ns2_bytes import whole


def cut(mesh: bmesh.types.BMesh, chosen: list[bmesh.types.BMFace], at: tuple, across: tuple) -> None:
    """Cut faces along a plane, as the knife does."""
    edges = {edge for face in chosen for edge in face.edges}
    vertices = {corner for face in chosen for corner in face.verts}
    bmesh.ops.bisect_plane(mesh, geom=[*chosen, *edges, *vertices], plane_co=at, plane_no=across)


def cube(level: bpy.types.Collection, size: float, place: tuple, preview: bool = False) -> bpy.types.Object:
    made, mesh = bpy.data.meshes.new("cube"), bmesh.new()
    bmesh.ops.create_cube(mesh, size=size, matrix=Matrix.Translation(place))
    mesh.to_mesh(made)
    mesh.free()
    obj = bpy.data.objects.new("cube", made)
    level.objects.link(obj)
    if preview:
        obj["levelwright"] = "preview 0 0"
    return obj


def areas(level: ns2.Level) -> list[float]:
    return [round(area(level, face), 4) for face in range(len(level.mesh.faces))]


def test_a_knife_through_a_face_without_holes_makes_two():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        cut(mesh, faces(mesh, 2), (2, 2, -1), (0, 0, 1))
    after = ns2.read(exported(level))
    sound(after)
    assert len(after.mesh.faces) == 4
    assert loops(after)[0] == loops(ns2.read(whole(10)))[0]
    assert areas(after) == [12, 4, 4, 4]
    both = after.mesh.faces.records[[2, 3]]
    assert both[0].tobytes() == both[1].tobytes()  # the texture goes on across the cut


def test_a_knife_through_a_face_beside_its_hole_makes_two_of_which_one_has_the_hole():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        cut(mesh, faces(mesh, 0), (0.5, 0.5, 0), (1, 0, 0))
    after = ns2.read(exported(level))
    sound(after)
    sizes = sorted([len(loop) for loop in face] for face in loops(after))
    assert [len(face) for face in loops(after)].count(2) == 1
    assert len(sizes) == 4
    assert areas(after)[0] + areas(after)[3] == pytest.approx(16 - 4)
    assert sorted(areas(after)) == [2, 4, 8, 10]


def test_a_knife_through_a_hole_makes_two_faces_without_one():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        cut(mesh, list(mesh.faces), (2, 2, 0), (1, 0, 0))
    after = ns2.read(exported(level))
    sound(after)
    assert [len(face) for face in loops(after)] == [1] * 6
    assert sorted(areas(after)) == [2, 2, 4, 4, 6, 6]
    records = after.mesh.faces.records
    assert records["mapping_group"].tolist().count(7) == 2


def test_a_bridge_that_is_cleared_parts_the_face():
    level = imported(whole(10))
    mesh = geometry(level).data
    mesh.attributes["bridge"].data.foreach_set("value", np.zeros(len(mesh.edges), bool))
    after = ns2.read(exported(level))
    sound(after)
    assert [len(face) for face in loops(after)] == [1] * 4
    assert sum(areas(after)) == 12 + 4 + 8


def test_a_hole_that_a_boolean_cuts_is_open():
    level = imported(whole(10))
    obj = geometry(level)
    made = obj.modifiers.new("hole", "BOOLEAN")
    made.object, made.solver = cube(level, 1, (2, 2, 0), preview=True), "EXACT"
    after = ns2.read(exported(level))
    assert not any(each.class_name == "cube" for each in after.entities)
    inside = [face for face in range(len(after.mesh.faces)) if after.mesh.faces.records["material"][face] == 1]
    assert sum(area(after, face) for face in inside) == pytest.approx(4 - 1)
    assert loops(after)[0] == loops(ns2.read(whole(10)))[0]
    assert loops(after)[2] == loops(ns2.read(whole(10)))[2]


def test_marked_edges_make_a_hole_of_new_faces():
    level = new_level(bpy.context, "made")
    obj = cube(level, 2, (0, 0, 0))
    with edited(obj) as mesh:
        mesh.select_mode = {"EDGE"}
        top = max(mesh.faces, key=lambda face: face.calc_center_median().z)
        inner = bmesh.ops.inset_individual(mesh, faces=[top], thickness=0.5, use_even_offset=True)
        assert inner["faces"]
        bmesh.ops.delete(mesh, geom=[top], context="FACES_ONLY")
        for edge in mesh.edges:
            heights = [corner.co.z for corner in edge.verts]
            middle = [max(abs(corner.co.x), abs(corner.co.y)) for corner in edge.verts]
            edge.select_set(min(heights) > 0.9 and middle[0] != middle[1])
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = obj
    bpy.context.scene.tool_settings.mesh_select_mode = (False, True, False)
    bpy.ops.object.mode_set(mode="EDIT")
    assert mark_bridges(bpy.context, True) == 4
    bpy.ops.object.mode_set(mode="OBJECT")
    after = ns2.read(exported(level))
    sound(after)
    assert sorted(len(face) for face in loops(after)) == [1] * 5 + [2]
    assert sum(areas(after)) == pytest.approx(5 * 4 + 3)


def test_an_extruded_face_gets_sides_that_share_edges():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        made = bmesh.ops.extrude_face_region(mesh, geom=faces(mesh, 1))["geom"]
        corners = [each for each in made if isinstance(each, bmesh.types.BMVert)]
        bmesh.ops.translate(mesh, verts=corners, vec=(0, 0, 1))
        bmesh.ops.delete(mesh, geom=faces(mesh, 1)[:1], context="FACES_ONLY")
    after = ns2.read(exported(level))
    sound(after)
    assert len(after.mesh.faces) == 7
    uses = np.bincount(after.mesh.faces.members["edge"])
    assert (uses == 2).sum() == 1 + 4 + 4 + 4  # with the wall, below, upright, above
    assert areas(after)[1:2] == [4]
    assert np.isfinite(after.mesh.faces.records["scale"][3:]).all()
    assert (after.mesh.faces.records["mapping_group"][3:] == ns2.NO_MAPPING_GROUP).all()


@pytest.mark.parametrize("kind", ["ARRAY", "MIRROR"])
def test_copies_by_modifiers_are_new_and_the_nearest_keeps_the_record(kind):
    level = imported(whole(10))
    made = geometry(level).modifiers.new("copies", kind)
    if kind == "ARRAY":
        made.use_relative_offset, made.use_constant_offset = False, True
        made.constant_offset_displace, made.count = (0, 20, 0), 3
    else:
        made.use_axis = (False, True, False)
        made.use_mirror_merge = False
    after = ns2.read(exported(level))
    sound(after)
    count = 3 if kind == "ARRAY" else 2
    assert len(after.mesh.faces) == 3 * count
    assert loops(after)[:3] == loops(ns2.read(whole(10)))
    assert [len(face) for face in loops(after)] == [2, 1, 1] * count
    assert not set(changed(whole(10), ns2.write(after))) - {"triangles"}  # numbers of "no normal" move on


def test_a_duplicated_object_is_new_geometry_and_a_separated_one_is_not():
    level = imported(whole(10))
    obj = geometry(level)
    other = obj.copy()
    other.data = obj.data.copy()
    level.objects.link(other)
    with edited(obj) as mesh:
        bmesh.ops.delete(mesh, geom=faces(mesh, 2), context="FACES")
    with edited(other) as mesh:
        bmesh.ops.delete(mesh, geom=[*faces(mesh, 0), *faces(mesh, 1)], context="FACES")
    assert exported(level) == whole(10)  # two objects that share a border are one mesh
    other.location = (0, 0, 10)
    after = ns2.read(exported(level))
    sound(after)
    assert len(after.mesh.faces) == 3
    assert len(after.mesh.vertices) == 12  # the border is there twice now


def test_joined_objects_of_two_levels_are_new_where_they_are_strangers():
    one, two = imported(whole(10), "one.level"), imported(whole(10), "two.level")
    guest = geometry(two)
    guest.location = (0, 0, 20)
    two.objects.unlink(guest)
    one.objects.link(guest)
    report = Report()
    after = ns2.read(exported(one, report))
    sound(after)
    assert len(after.mesh.faces) == 6
    assert loops(after)[:3] == loops(ns2.read(whole(10)))


@pytest.mark.parametrize("joined", [False, True])
def test_faces_of_another_level_are_in_the_layers_and_groups_of_the_same_names(joined):
    host = ns2.read(whole(10))
    host.layers, host.groups = [ns2.Layer("Vents", 40)], [ns2.Group("CollisionGeometry", 6)]
    one, two = imported(ns2.write(host), "one.level"), imported(whole(10), "two.level")
    guest = geometry(two)
    two.objects.unlink(guest)
    one.objects.link(guest)
    if joined:
        bpy.context.view_layer.update()
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj in (guest, geometry(one)))
        bpy.context.view_layer.objects.active = geometry(one)
        bpy.ops.object.join()
    report = Report()
    mesh = ns2.read(exported(one, report)).mesh
    masks = [int.from_bytes(mask.tobytes(), "little") for mask in mesh.face_layers.masks]
    assert [ns2.layers_of(mask) for mask in masks] == [[3, 200], [3], [], [40], [40], []]
    assert mesh.geometry_groups.faces.assignment(6).tolist() == [1, ns2.NO_GROUP, 1, 6, ns2.NO_GROUP, 6]
    assert any("of two, 1 face was in layers or groups that one hasn't" in warning for warning in report.warnings)


def test_elements_that_pass_for_those_of_another_level_too_stay_their_own_levels(monkeypatch):
    own, other = 7, 41475473  # tokens that give the first face and the first vertex the same check
    first = np.array([1], np.int32)
    assert identity.checks(own, first) == identity.checks(other, first)
    tokens = iter([own, other])
    monkeypatch.setattr(identity, "new_token", lambda data=None: identity.Token(next(tokens)))
    level, report = imported(whole(10), "one.level"), Report()
    rebuilt = exported(level, build_as_new=True)
    mesh = ns2.read(whole(10)).mesh
    assert mesh.face_layers.masks[0].any() and 0 in mesh.geometry_groups.vertices.members
    bare = ns2.read(whole(10))
    bare.layers, bare.groups = [], []
    imported(ns2.write(bare), "two.level")
    assert exported(level, report) == whole(10)
    assert exported(level, report, build_as_new=True) == rebuilt
    assert not [text for text in report.warnings if "two" in text]


def test_new_objects_without_material_or_uvs_are_faces_as_the_editor_would_lay_them():
    level = imported(whole(10))
    cube(level, 2, (9, 9, 9))
    report = Report()
    after = ns2.read(exported(level, report))
    sound(after)
    assert len(after.mesh.faces) == 9
    records = after.mesh.faces.records[3:]
    assert records["scale"] == pytest.approx(0.30757874)
    assert (records["material"] == 0).all()
    assert "6 faces have no material" in report.warnings[0]
    assert not set(changed(whole(10), ns2.write(after))) - {"triangles"}


def test_a_new_level_is_exported_whole():
    level = new_level(bpy.context, "made")
    cube(level, 2, (0, 0, 1))
    after = ns2.read(exported(level))
    sound(after)
    assert (after.version, len(after.mesh.faces), len(after.mesh.edges), len(after.mesh.vertices)) == (10, 6, 12, 8)
    assert areas(after) == [4] * 6
    normals = after.mesh.positions[[loop[0][0] for loop in loops(after)]]
    assert len(normals) == 6
    assert not [problem for problem in ns2.check(after) if problem.severity == "error"]
    assert exported(level) == ns2.write(after)  # the same every time


def test_bent_faces_are_told():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        mesh.verts[0].co.z += 1
    report = Report()
    exported(level, report)
    assert any("not flat" in warning for warning in report.warnings)


def test_faces_that_are_too_large_to_be_cut_into_triangles_are_refused():
    level = imported(whole(10))
    made, mesh = bpy.data.meshes.new("disc"), bmesh.new()
    bmesh.ops.create_circle(mesh, cap_ends=True, radius=50, segments=2049)
    mesh.to_mesh(made)
    obj = bpy.data.objects.new("disc", made)
    level.objects.link(obj)
    with pytest.raises(SceneError, match="disc: 1 face of more than 2,048 corners") as refused:
        exported(level)
    assert refused.value.objects == [obj]
    assert {one.name: found.tolist() for one, found in refused.value.faces.items()} == {"disc": [0]}
    with edited(obj) as mesh:
        bmesh.ops.connect_verts(mesh, verts=[mesh.verts[0], mesh.verts[1024]])
    after = ns2.read(exported(level))
    assert sorted(areas(after))[-2:] == pytest.approx([np.pi * 1250] * 2, rel=1e-3)


def test_a_material_that_is_renamed_to_no_path_is_told():
    level = imported(whole(10))
    material = geometry(level).material_slots[0].material
    material.name, report = "Moss", Report()
    assert exported(level, report) == whole(10)
    assert any(line.startswith("Moss: a material's name is written only if it is a path") for line in report.warnings)
