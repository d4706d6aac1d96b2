# SPDX-License-Identifier: GPL-3.0-or-later
"""UVs to angle, scale and offset, and mapping groups."""

import math
from dataclasses import replace

import bmesh
import numpy as np
import pytest
from levelwright.addon.scene import attributes
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2
from levelwright.formats.ns2.normals import face_normals

from tests.addon.ns2.export_helpers import changed, edited, exported, faces, geometry, imported
from tests.formats.ns2_bytes import whole
from tests.samples import ns2_room


def map_face(level, record, change):
    """Replace the UV (u, v) of each corner of a face by change(u, v)."""
    with edited(geometry(level)) as mesh:
        layer = mesh.loops.layers.uv["UVMap"]
        for face in faces(mesh, record):
            for corner in face.loops:
                corner[layer].uv = change(*corner[layer].uv)


def test_a_texture_that_moved_keeps_angle_and_scale_to_the_bit():
    level = imported(whole(10))
    map_face(level, 2, lambda u, v: (u + 0.5, v + 0.25))
    after = exported(level)
    assert changed(whole(10), after) == {"records": [2]}
    before, record = ns2.read(whole(10)).mesh.faces.records[2], ns2.read(after).mesh.faces.records[2]
    assert record["angle"].tobytes() == before["angle"].tobytes()
    assert record["scale"].tobytes() == before["scale"].tobytes()
    assert record["offset"] == pytest.approx([0.75, -0.25], abs=1e-6)


def test_a_texture_that_was_turned_and_scaled():
    level = imported(whole(10))
    cos, sin = math.cos(0.4), math.sin(0.4)
    map_face(level, 2, lambda u, v: (2 * u, 2 * v))
    after = exported(level)
    assert changed(whole(10), after) == {"records": [2]}
    assert ns2.read(after).mesh.faces.records[2]["scale"] == pytest.approx([0.61516, -0.61516], abs=1e-5)
    map_face(level, 2, lambda u, v: (cos * u - sin * v, sin * u + cos * v))
    record = ns2.read(exported(level)).mesh.faces.records[2]
    assert abs(record["angle"]) == pytest.approx(0.4, abs=1e-5)
    assert np.abs(record["scale"]) == pytest.approx([0.61516] * 2, abs=1e-5)


def test_what_was_written_is_shown_again_as_it_was():
    level = imported(whole(10))
    map_face(level, 2, lambda u, v: (3 * u - 0.2, 0.5 * v + 7))
    obj = geometry(level)
    shown = attributes.read(obj.data, "UVMap")
    again = geometry(imported(exported(level), "again.level"))
    assert attributes.read(again.data, "UVMap") == pytest.approx(shown, abs=1e-4)


def test_skewed_uvs_are_refused_with_the_face_selected_or_come_near_by_option():
    level = imported(whole(10))
    obj = geometry(level)
    map_face(level, 2, lambda u, v: (u + v, v))
    with pytest.raises(SceneError, match="no angle, scale and offset give the UVs of 1 face") as caught:
        exported(level)
    ids = attributes.read(obj.data, "record_id", "FACE")
    assert ids[caught.value.faces[obj]].tolist() == [3]
    report = Report()
    assert changed(whole(10), exported(level, report, uneven_uvs="nearest")) == {"records": [2]}
    assert "near their UVs" in report.warnings[0]


def test_a_face_that_was_reshaped_keeps_its_parameters():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        faces(mesh, 2)[0].verts[3].co.z -= 0.7
    report = Report()
    found = changed(whole(10), exported(level, report))
    assert "records" not in found
    assert any("textures stay where they are" in note for note in report.notes)


def test_the_texture_of_a_floor_that_was_bent_stays_where_it_is_in_the_level():
    """What angle and offset mean jumps where a face is no longer level: they are others then."""
    level = imported(ns2_room.LEVEL.read_bytes(), "room.level")
    obj = geometry(level)
    with edited(obj) as mesh:
        floor = faces(mesh, 0)
        floor[0].verts[0].co.z += 0.5
        count = sum(len(part.verts) for part in floor)
    shown = attributes.read(obj.data, "UVMap")
    data = exported(level)
    assert not set(changed(ns2_room.LEVEL.read_bytes(), data)) - {"vertices", "records", "triangles"}
    again = attributes.read(geometry(imported(data, "again.level")).data, "UVMap")
    assert again[:count] == pytest.approx(shown[:count], abs=0.01)


def test_a_face_that_was_cut_keeps_its_parameters_where_the_cut_skewed_its_uvs():
    """As bevel, dissolve and merge do: nobody mapped it anew, so nothing is refused."""
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        face = faces(mesh, 2)[0]
        bmesh.utils.face_split(face, face.verts[0], face.verts[2])
        layer = mesh.loops.layers.uv["UVMap"]
        for part in faces(mesh, 2):
            for corner in part.loops:
                corner[layer].uv = (corner[layer].uv[0] + corner[layer].uv[1], corner[layer].uv[1])
    report = Report()
    after = ns2.read(exported(level, report)).mesh.faces.records
    assert len(after) == 4
    assert after[[2, 3]].tobytes() == ns2.read(whole(10)).mesh.faces.records[[2, 2]].tobytes()
    assert any("2 reshaped faces have skewed UVs" in warning for warning in report.warnings)


def test_a_texture_travels_with_a_face_that_was_moved_whole():
    level = imported(whole(10))
    geometry(level).location = (0, 1, 0)  # x of Spark
    record = ns2.read(exported(level)).mesh.faces.records[2]
    before = ns2.read(whole(10)).mesh.faces.records[2]
    assert record["scale"].tolist() == before["scale"].tolist()
    assert record["angle"] == before["angle"]


def test_parameters_that_are_no_numbers_stay_with_all_their_bits():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        bmesh.ops.translate(mesh, verts=faces(mesh, 1)[0].verts, vec=(0, 0, 1))
    after = ns2.read(exported(level)).mesh.faces.records[1]
    assert after.tobytes() == ns2.read(whole(10)).mesh.faces.records[1].tobytes()


def test_a_mapping_group_whose_faces_agree_moves_with_them():
    level = imported(whole(10))
    map_face(level, 0, lambda u, v: (u + 0.5, v))
    mesh = ns2.read(exported(level)).mesh
    assert mesh.mapping_groups["offset"][0] == pytest.approx([0.75, 0.75], abs=1e-6)
    assert mesh.mapping_groups["scale"][0].tolist() == [1, 2]
    assert mesh.faces.records[0].tobytes() == ns2.read(whole(10)).mesh.faces.records[0].tobytes()


def test_a_mapping_group_turns_with_its_faces():
    level = imported(whole(10))
    geometry(level).rotation_euler = (0.2, 0.3, 0.4)
    after = ns2.read(exported(level)).mesh
    assert after.faces.records["mapping_group"].tolist()[0] == 7
    normals = face_normals(after.positions, after.corners, after.faces.face_loops, after.faces.loop_members)
    before = ns2.read(whole(10)).mesh.mapping_groups
    assert after.mapping_groups["normal"][0] == pytest.approx(normals[0], abs=1e-5)
    assert np.abs(after.mapping_groups["scale"][0]) == pytest.approx(np.abs(before["scale"][0]), rel=1e-4)


def test_a_face_that_disagrees_with_its_group_leaves_it():
    level = imported(whole(10))
    with edited(geometry(level)) as mesh:
        copies = bmesh.ops.duplicate(mesh, geom=list(faces(mesh, 0)))["geom"]
        corners = [each for each in copies if isinstance(each, bmesh.types.BMVert)]
        bmesh.ops.translate(mesh, verts=corners, vec=(0, 10, 0))
    report = Report()
    mesh = ns2.read(exported(level, report)).mesh
    assert mesh.faces.records["mapping_group"].tolist() == [
        7,
        ns2.NO_MAPPING_GROUP,
        ns2.NO_MAPPING_GROUP,
        ns2.NO_MAPPING_GROUP,
    ]
    assert mesh.faces.records["scale"][3].tolist() == [1, 2]  # as the group has it
    assert any("left mapping group 7" in note for note in report.notes)
    assert mesh.mapping_groups.tobytes() == ns2.read(whole(10)).mesh.mapping_groups.tobytes()


def test_faces_that_lie_askew_to_their_group_get_groups_like_it():
    """What only the group's normal gives, no angle, scale and offset of the face do."""
    original = ns2.read(whole(10))
    records, groups = original.mesh.faces.records.copy(), original.mesh.mapping_groups.copy()
    records["mapping_group"] = 7
    groups["normal"] = (0.6, 0.64, 0.48)
    original.mesh.faces = replace(original.mesh.faces, records=records)
    original.mesh.mapping_groups = groups
    before = ns2.write(original)
    level = imported(before)
    map_face(level, 1, lambda u, v: (u + 0.5, v))
    map_face(level, 2, lambda u, v: (u, v + 0.25))
    after = exported(level)
    mesh = ns2.read(after).mesh
    assert mesh.faces.records["mapping_group"].tolist() == [7, 6, 8]
    assert mesh.mapping_groups["id"].tolist() == [7, 6, 8]
    assert mesh.mapping_groups[:1].tobytes() == groups.tobytes()
    assert mesh.mapping_groups["offset"] == pytest.approx(np.array([[0.25, 0.75], [0.75, 0.75], [0.25, 0.5]]))
    for name in ("normal", "angle", "scale"):
        assert (mesh.mapping_groups[name] == groups[name]).all()
    assert mesh.faces.records["scale"].tobytes() == records["scale"].tobytes()
    assert exported(imported(after, "again.level")) == after
    anew = ns2.read(exported(imported(before, "new.level"), build_as_new=True)).mesh
    assert anew.faces.records["mapping_group"].tolist() == [7, 7, 7]
    for name in ("normal", "scale", "offset"):  # which the textures of all three tell
        assert anew.mapping_groups[name] == pytest.approx(groups[name], abs=1e-4)


def test_uvs_of_faces_on_which_no_texture_lies_count_for_nothing():
    """So that the textures of a whole level can be moved: real ones have faces that are lines, or lie nowhere."""
    original = ns2.read(whole(10))
    records, vertices = original.mesh.faces.records.copy(), original.mesh.vertices.copy()
    records["offset"][0] = np.nan
    records["mapping_group"] = ns2.NO_MAPPING_GROUP
    faces_of = original.mesh.faces
    loop = original.mesh.corners[slice(*faces_of.loop_members[faces_of.face_loops[[2, 3]]])]
    vertices["position"][loop] = vertices["position"][loop] * np.float32((1, 1e-6, 1)) + np.float32((0, 9, 0))
    original.mesh.faces = replace(faces_of, records=records)
    original.mesh.vertices = vertices
    before = ns2.write(original)
    level = imported(before)
    for face in (0, 2):
        map_face(level, face, lambda u, v: (0.25 - v, u + 0.5))
    assert exported(level) == before


def test_faces_put_into_a_group_take_its_texture_and_a_new_number_makes_a_group():
    level = imported(whole(10))
    obj = geometry(level)
    ids, groups = (attributes.read(obj.data, name, "FACE") for name in ("record_id", "mapping_group"))
    groups[ids == 2] = 7
    attributes.write(obj.data, "mapping_group", "FACE", "INT", groups)
    after = exported(level)
    assert changed(whole(10), after) == {"records": [1]}
    assert ns2.read(after).mesh.faces.records["mapping_group"].tolist()[1] == 7
    groups[ids == 2], groups[ids == 3] = 0, 12
    attributes.write(obj.data, "mapping_group", "FACE", "INT", groups)
    mesh = ns2.read(exported(level)).mesh
    assert mesh.mapping_groups["id"].tolist() == [7, 12]
    assert mesh.mapping_groups["normal"][1] == pytest.approx([-1, 0, 0])
    assert mesh.mapping_groups["scale"][1] == pytest.approx([0.30758, -0.30758], abs=1e-5)


def test_a_face_taken_out_of_its_group_looks_as_it_did():
    level = imported(whole(10))
    obj = geometry(level)
    attributes.write(obj.data, "mapping_group", "FACE", "INT", np.zeros(len(obj.data.polygons)))
    mesh = ns2.read(exported(level)).mesh
    assert not len(mesh.mapping_groups)
    record = mesh.faces.records[0]
    assert record["angle"] == pytest.approx(0.5, abs=1e-5)
    assert record["scale"] == pytest.approx([1, 2], abs=1e-5)
    assert record["offset"] == pytest.approx([0.25, 0.75], abs=1e-5)
