# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of mapping groups: what is edited there is seen, and reaches the file; which faces are in one."""

from dataclasses import replace

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.ns2.mapping_groups.collect import KEY, held
from levelwright.addon.scene import attributes
from levelwright.addon.scene.kept import baselines
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2

from tests.addon.ns2.export_helpers import changed, exported, geometry, imported, reopened
from tests.addon.ns2.test_lists import editing
from tests.formats.ns2_bytes import whole

BEFORE = ns2.read(whole(10)).mesh
EDITS = {
    "angle": (0.75, 0.75),
    "scale": ((0.5, -3.0), (0.5, -3.0)),
    "offset": ((0.125, 7.0), (0.125, 7.0)),
    "normal": ((0.0, 0.6, 0.8), (0.6, 0.8, 0.0)),  # Blender's x, y, z are Spark's z, x, y
}


def uvs(level: bpy.types.Collection) -> np.ndarray:
    return attributes.read(geometry(level).data, "UVMap")


def members(level: bpy.types.Collection) -> dict[int, int]:
    """The mapping group of each face of the file, by its number."""
    mesh = geometry(level).data
    ids, groups = (attributes.read(mesh, name, "FACE") for name in ("record_id", "mapping_group"))
    return {int(face) - 1: int(group) for face, group in zip(ids, groups, strict=True)}


@pytest.mark.parametrize("name", EDITS)
def test_what_is_edited_in_the_list_is_seen_and_reaches_the_file(name):
    level = imported(whole(10))
    shown = uvs(level)
    value, written = EDITS[name]
    setattr(held(level).groups[0], name, value)
    now = uvs(level)
    assert not np.array_equal(now, shown)
    after = exported(level)
    groups = ns2.read(after).mesh.mapping_groups
    assert groups[name][0] == pytest.approx(written)
    others = [other for other in EDITS if other != name]
    assert all(groups[other].tobytes() == BEFORE.mapping_groups[other].tobytes() for other in others)
    assert not changed(whole(10), after), "no face, edge or vertex"
    assert uvs(imported(after, "again.level")) == pytest.approx(now, abs=1e-5)


def test_it_is_seen_in_edit_mode_too():
    level, other = imported(whole(10)), imported(whole(10), "other.level")
    with editing(geometry(level)):
        held(level).groups[0].offset = (3.0, 4.0)
    held(other).groups[0].offset = (3.0, 4.0)
    assert uvs(level).tolist() == uvs(other).tolist()
    assert ns2.read(exported(level)).mesh.mapping_groups["offset"].tolist() == [[3, 4]]


def test_an_edit_that_is_taken_back_is_none():
    level = imported(whole(10))
    group = held(level).groups[0]
    before, group.angle = group.angle, 2.0
    group.angle = before
    assert exported(level) == whole(10)


def test_numbers_that_are_not_finite_stay_with_all_their_bits():
    original = ns2.read(whole(10))
    groups = np.concatenate([BEFORE.mapping_groups, BEFORE.mapping_groups])
    groups["id"][1] = 0xFFFFFFF0
    strange = np.array([0x7FC00001, 0xFF800000, 0x80000000], "<u4")  # a NaN, an infinity, -0
    groups.view(np.uint8).reshape(2, -1)[1, 4:16] = strange.view(np.uint8)
    original.mesh.mapping_groups = groups
    data = ns2.write(original)
    level = imported(data)
    assert exported(level) == data
    held(level).groups[1].offset = (1.0, 2.0)
    after = ns2.read(exported(level)).mesh.mapping_groups
    groups["offset"][1] = (1, 2)
    assert after.tobytes() == groups.tobytes()


@pytest.mark.parametrize(("name", "value"), [("normal", (0.0, 0.0, 0.0)), ("angle", float("nan"))])
def test_a_group_that_says_nothing_is_refused_by_name(name, value):
    level = imported(whole(10), "station.level")
    setattr(held(level).groups[0], name, value)
    with pytest.raises(SceneError, match=f"station: mapping group 7: its {name} is"):
        exported(level)


def test_a_new_group_takes_the_texture_of_the_first_selected_face_on_to_the_others():
    level = imported(whole(10), invisible="show")
    before = uvs(level)
    with editing(geometry(level), {1, 2}):
        assert bpy.ops.levelwright.ns2_add_mapping() == {"FINISHED"}
    assert held(level).active == 1
    assert members(level) == {0: 7, 1: 6, 2: 6}
    polygons = geometry(level).data.polygons
    other = slice(polygons[-2].loop_start, polygons[-1].loop_start)
    assert not before[other].any(), "the first selected face has a texture that isn't finite"
    before[other] = uvs(level)[other]
    assert uvs(level)[other].any()
    assert uvs(level) == pytest.approx(before, abs=1e-5)
    data = exported(level)
    mesh = ns2.read(data).mesh
    assert mesh.mapping_groups["id"].tolist() == [7, 6]
    assert mesh.faces.records["mapping_group"].tolist() == [7, 6, 6]
    assert mesh.mapping_groups[:1].tobytes() == BEFORE.mapping_groups.tobytes()
    assert uvs(imported(data, "again.level")) == pytest.approx(uvs(level), abs=1e-5)


def test_a_new_group_without_faces_is_in_the_file_too():
    level = imported(whole(10))
    assert bpy.ops.levelwright.ns2_add_mapping() == {"FINISHED"}
    held(level).groups[1].offset = (0.5, 0.25)
    groups = ns2.read(exported(level)).mesh.mapping_groups
    assert groups["id"].tolist() == [7, 6]
    assert groups["offset"][1].tolist() == [0.5, 0.25]
    assert groups["normal"][1].tolist() == [0, 1, 0]


def test_faces_are_assigned_selected_and_taken_out():
    level = imported(whole(10), invisible="show")
    with editing(geometry(level), {2}) as mesh:
        assert bpy.ops.levelwright.ns2_assign_mapping() == {"FINISHED"}
        for face in mesh.faces:
            face.select_set(False)
        bpy.ops.levelwright.ns2_select_mapping()
        ids = mesh.faces.layers.int["record_id"]
        assert {face[ids] - 1 for face in bmesh.from_edit_mesh(geometry(level).data).faces if face.select} == {0, 2}
    data = exported(level)
    mesh = ns2.read(data).mesh
    assert mesh.faces.records["mapping_group"].tolist() == [7, ns2.NO_MAPPING_GROUP, 7]
    assert mesh.mapping_groups.tobytes() == BEFORE.mapping_groups.tobytes()
    assert uvs(imported(data, "again.level")) == pytest.approx(uvs(level), abs=1e-5)


def test_a_group_goes_with_its_last_face_and_that_is_told():
    level = imported(whole(10), invisible="show")
    shown = uvs(level)
    with editing(geometry(level), {0, 2}):
        assert bpy.ops.levelwright.ns2_assign_mapping(on=False) == {"FINISHED"}
    report = Report()
    data = exported(level, report)
    mesh = ns2.read(data).mesh
    assert (mesh.faces.records["mapping_group"] == ns2.NO_MAPPING_GROUP).all()
    assert not len(mesh.mapping_groups)
    assert "mapping group 7 goes with its last face" in report.notes
    assert uvs(imported(data, "again.level")) == pytest.approx(shown, abs=1e-5)


@pytest.mark.parametrize("in_edit_mode", [False, True])
def test_a_group_that_is_removed_leaves_its_faces_as_they_look(in_edit_mode):
    level = imported(whole(10))
    shown = uvs(level)
    if in_edit_mode:
        with editing(geometry(level)):
            bpy.ops.levelwright.ns2_remove_mapping()
    else:
        bpy.ops.levelwright.ns2_remove_mapping()
    assert not len(held(level).groups)
    data = exported(level)
    mesh = ns2.read(data).mesh
    assert not len(mesh.mapping_groups)
    assert mesh.faces.records["mapping_group"][0] == ns2.NO_MAPPING_GROUP
    assert uvs(imported(data, "again.level")) == pytest.approx(shown, abs=1e-5)


def test_a_group_that_faces_still_name_comes_back_from_their_textures():
    level = imported(whole(10))
    held(level).groups.remove(0)
    mesh = ns2.read(exported(level)).mesh
    assert mesh.mapping_groups["id"].tolist() == [7]
    assert mesh.mapping_groups["scale"][0] == pytest.approx([1, 2], abs=1e-5)


def test_an_edited_list_is_saved_with_the_blend(tmp_path):
    level = imported(whole(10))
    held(level).groups[0].angle = 1.25
    data = exported(level)
    assert exported(reopened(level, tmp_path)) == data


def test_levels_of_0_3_0_have_no_list_until_they_get_one():
    level = imported(whole(10))
    held(level).groups.clear()
    held(level).listed = False
    pasted = BEFORE.mapping_groups.copy()
    pasted["id"] = 9
    baselines.store(level, "mapping_groups", pasted)
    groups = attributes.read(geometry(level).data, "mapping_group", "FACE")
    groups[attributes.read(geometry(level).data, "record_id", "FACE") == 3] = 9
    attributes.write(geometry(level).data, "mapping_group", "FACE", "INT", groups)
    unlisted = exported(level)
    assert ns2.read(unlisted).mesh.mapping_groups["id"].tolist() == [7, 9]
    assert bpy.ops.levelwright.ns2_list_mapping() == {"FINISHED"}
    assert [group.number for group in held(level).groups] == [7, 9]
    assert exported(level) == unlisted


def test_versions_without_mapping_groups_get_none():
    original = ns2.read(whole(7))
    records = original.mesh.faces.records.copy()
    records["mapping_group"] = ns2.NO_MAPPING_GROUP
    original.mesh.faces = replace(original.mesh.faces, records=records)
    original.mesh.mapping_groups = BEFORE.mapping_groups[:0]
    level = imported(ns2.write(original))
    assert bpy.ops.levelwright.ns2_add_mapping() == {"FINISHED"}
    with pytest.raises(ValueError, match="version 7 has no mapping groups: save it as version 10"):
        exported(level)
    assert ns2.read(exported(level, save_as_v10=True)).mesh.mapping_groups["id"].tolist() == [6]


def test_a_level_with_many_groups_lists_them_all():
    original = ns2.read(whole(10))
    groups = np.repeat(BEFORE.mapping_groups, 2000)
    groups["id"] = np.arange(7, 2007)
    original.mesh.mapping_groups = groups
    data = ns2.write(original)
    level = imported(data)
    assert len(held(level).groups) == 2000
    assert exported(level) == data
    assert exported(imported(data, "new.level"), build_as_new=True)
    assert getattr(level, KEY).listed
