# SPDX-License-Identifier: GPL-3.0-or-later
"""What artists do in Blender, by the operators that they use; each time written, opened again and written once more."""

from collections.abc import Callable
from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.ns2.new_level import new_level
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.level import root_of
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2

from tests.addon.ns2.export_helpers import area, changed, exported, geometry, imported, loops, reopened, sound
from tests.formats.ns2_bytes import whole
from tests.samples import ns2_room

ROOM = ns2_room.LEVEL.read_bytes()
BEFORE = ns2.read(ROOM)


def total(level: ns2.Level) -> float:
    return sum(area(level, face) for face in range(len(level.mesh.faces)))


def round_trip(level: bpy.types.Collection) -> ns2.Level:
    """The level as it is written: sound, and the same bytes after it was opened once more."""
    data = exported(level)
    assert exported(imported(data, "again.level")) == data
    made = ns2.read(data)
    sound(made)
    assert ns2.check(made) == []
    return made


def select_faces(obj: bpy.types.Object, wanted: Callable[[bpy.types.MeshPolygon], bool]) -> None:
    """Edit an object with some of its polygons selected."""
    bpy.context.view_layer.objects.active = obj
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="FACE")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for polygon in obj.data.polygons:
        polygon.select = wanted(polygon)
    bpy.ops.object.mode_set(mode="EDIT")


def of_material(name: str) -> Callable[[bpy.types.MeshPolygon], bool]:
    number = next(k for k, path in enumerate(ns2_room.MATERIALS) if name in path)
    return lambda polygon: polygon.material_index == number


@pytest.fixture
def level() -> bpy.types.Collection:
    made = imported(ROOM, "room.level", invisible="show")
    bpy.context.view_layer.update()  # as the operator does: what isn't shown yet can't be duplicated
    return made


def test_the_level_that_is_edited_has_what_matters(level: bpy.types.Collection) -> None:
    assert (np.diff(BEFORE.mesh.faces.face_loops) > 1).sum() == 3
    assert exported(level) == ROOM


def test_extruding_a_face(level: bpy.types.Collection) -> None:
    select_faces(geometry(level), of_material("pane"))
    bpy.ops.mesh.extrude_region_shrink_fatten(TRANSFORM_OT_shrink_fatten={"value": 0.25})
    made = round_trip(level)
    assert len(made.mesh.faces) == len(BEFORE.mesh.faces) + 4
    assert total(made) == pytest.approx(total(BEFORE) + 2 * (1.5 + 1.25) * 0.25)
    assert made.mesh.vertices[: len(BEFORE.mesh.vertices)].tobytes() == BEFORE.mesh.vertices.tobytes()


def test_a_cut_through_faces_with_holes_in_edit_mode(level: bpy.types.Collection) -> None:
    select_faces(geometry(level), of_material("floor"))
    bpy.ops.mesh.bisect(plane_co=(3.0, 2.5, 0.0), plane_no=(0.0, 1.0, 0.0))
    made = round_trip(level)  # still in edit mode
    assert len(made.mesh.faces) == len(BEFORE.mesh.faces) + 1
    assert total(made) == pytest.approx(total(BEFORE), rel=1e-5)
    floor = made.mesh.faces.records["material"] == ns2_room.FLOOR
    assert floor.sum() == 2
    assert sorted(np.diff(made.mesh.faces.face_loops)[floor].tolist()) == [1, 2], "through the pit, beside the column"


def test_a_hole_by_the_boolean_modifier_that_is_applied(level: bpy.types.Collection) -> None:
    obj = geometry(level)
    before = total(BEFORE)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(5.0, 6.5, 0.0))  # Blender's axes: through the floor
    cutter = bpy.context.object
    modifier = obj.modifiers.new("hole", "BOOLEAN")
    modifier.object, modifier.solver, modifier.operation = cutter, "EXACT", "DIFFERENCE"
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.modifier_apply(modifier="hole")
    bpy.data.objects.remove(cutter)
    made = round_trip(level)
    floor = np.flatnonzero(made.mesh.faces.records["material"] == ns2_room.FLOOR)
    was = float(sum(area(BEFORE, face) for face in np.flatnonzero(BEFORE.mesh.faces.records["material"] == 0)))
    assert sum(area(made, face) for face in floor) != pytest.approx(was)
    assert abs(total(made) - before) < 6


def test_joining_a_new_object_with_the_geometry(level: bpy.types.Collection) -> None:
    obj = geometry(level)
    bpy.ops.mesh.primitive_cube_add(size=2, location=(3.0, 4.0, 1.5))
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.join()
    made = round_trip(level)
    assert len(made.mesh.faces) == len(BEFORE.mesh.faces) + 6
    assert total(made) == pytest.approx(total(BEFORE) + 24)
    assert loops(made)[: len(BEFORE.mesh.faces)] == loops(BEFORE)


def test_a_new_object_with_skewed_uvs(level: bpy.types.Collection) -> None:
    """As cones have, and spheres: nobody mapped them, so they come as near as can be."""
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection.children[level.name]
    bpy.ops.mesh.primitive_cone_add(vertices=6, radius1=1, depth=1, location=(3.0, 4.0, 1.5))
    report = Report()
    made = ns2.read(exported(level, report, new_textures="uv"))
    sound(made)
    assert len(made.mesh.faces) == len(BEFORE.mesh.faces) + 7
    assert any("new faces have skewed UVs" in warning for warning in report.warnings)
    scales = np.abs(made.mesh.faces.records["scale"][len(BEFORE.mesh.faces) :])
    assert ((scales > 0.1) & (scales < 1)).all()


def test_joining_the_geometry_with_a_new_object(level: bpy.types.Collection) -> None:
    """The new one is the active one: the object of the import, with its stamp, is gone."""
    obj = geometry(level)
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection.children[level.name]
    bpy.ops.mesh.primitive_cube_add(size=2, location=(3.0, 4.0, 1.5))
    obj.select_set(True)
    bpy.ops.object.join()
    made = round_trip(level)
    assert len(made.mesh.faces) == len(BEFORE.mesh.faces) + 6
    assert loops(made)[: len(BEFORE.mesh.faces)] == loops(BEFORE)
    assert made.mesh.faces.records[: len(BEFORE.mesh.faces)].tobytes() == BEFORE.mesh.faces.records.tobytes()


def test_separating_faces_is_no_edit(level: bpy.types.Collection) -> None:
    select_faces(geometry(level), of_material("wall"))
    bpy.ops.mesh.separate(type="SELECTED")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert exported(level) == ROOM


def test_a_new_origin_or_parent_of_the_geometry_and_uvs_that_are_gone_are_no_edits(level: bpy.types.Collection) -> None:
    """Blender rounds the coordinates to those of the new place: what the transform undoes is what was there."""
    obj = geometry(level)
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)
    bpy.context.view_layer.objects.active = obj
    bpy.context.scene.cursor.location = (-100.1, 33.3, 7.7)
    bpy.ops.object.origin_set(type="ORIGIN_CURSOR")
    bpy.ops.object.empty_add(location=(3, 4, 5), rotation=(0.3, 0.4, 0.5))
    obj.select_set(True)
    bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
    assert exported(level) == ROOM
    obj.data.uv_layers.remove(obj.data.uv_layers[0])
    assert exported(level) == ROOM


def test_joining_what_was_split_is_no_edit() -> None:
    level = imported(ROOM, "room.level", split="layer")
    objects = [obj for obj in level.all_objects if obj.type == "MESH" and "vertex_id" in obj.data.attributes]
    assert len(objects) > 3
    for obj in objects:
        obj.hide_set(False)
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]
    bpy.ops.object.join()
    assert exported(level) == ROOM


def test_duplicating_the_geometry_and_moving_it(level: bpy.types.Collection) -> None:
    obj = geometry(level)
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)
    bpy.ops.object.duplicate()
    bpy.context.selected_objects[0].location.z += 10
    made = round_trip(level)
    assert len(made.mesh.faces) == 2 * len(BEFORE.mesh.faces)
    assert total(made) == pytest.approx(2 * total(BEFORE))
    assert loops(made)[: len(BEFORE.mesh.faces)] == loops(BEFORE)
    holes = np.diff(made.mesh.faces.face_loops) - 1
    assert sorted(holes[len(BEFORE.mesh.faces) :].tolist()) == sorted(holes[: len(BEFORE.mesh.faces)].tolist())
    groups = made.mesh.faces.records["mapping_group"]
    assert set(groups.tolist()) - {ns2.NO_MAPPING_GROUP} >= {ns2_room.CORNER}


def test_duplicating_an_entity(level: bpy.types.Collection) -> None:
    crate = next(obj for obj in level.all_objects if obj.get("class_name") == "prop_static")
    for other in bpy.context.view_layer.objects:
        other.select_set(other == crate)
    bpy.ops.object.duplicate_move(TRANSFORM_OT_translate={"value": (1.0, 0.0, 0.0)})
    made = round_trip(level)
    assert len(made.entities) == len(BEFORE.entities) + 1
    now, was = ([bytes(each.data) for each in one.chunks if each.id == 1] for one in (made, BEFORE))
    assert now[:-1] == was
    origin = BEFORE.entities[3].get("origin")
    assert made.entities[-1].get("origin") == (origin[0], origin[1], origin[2] + 1.0)


def test_deleting_faces_and_undoing_it(level: bpy.types.Collection) -> None:
    name = level.name
    obj = geometry(level)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.ed.undo_push(message="before")
    select_faces(obj, of_material("wall"))
    bpy.ops.mesh.delete(type="FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.ed.undo_push(message="deleted")
    level = bpy.data.collections[name]
    made = round_trip(level)
    assert ns2_room.WALL not in made.mesh.faces.records["material"]
    assert len(made.mesh.faces) == len(BEFORE.mesh.faces) - 5
    bpy.ops.ed.undo()
    assert exported(bpy.data.collections[name]) == ROOM


def test_a_level_without_geometry(level: bpy.types.Collection) -> None:
    bpy.data.objects.remove(geometry(level))
    made = round_trip(level)
    assert (len(made.mesh.faces), len(made.mesh.vertices), len(made.mesh.edges)) == (0, 0, 0)
    assert len(made.entities) == len(BEFORE.entities)
    assert made.mesh.materials == BEFORE.mesh.materials, "the scene still has them"


def test_an_empty_level_that_was_made_in_blender() -> None:
    made = new_level(bpy.context, "made")
    assert ns2.write(round_trip(made)) == ns2.write(ns2.new_level())


def test_removing_the_root_is_no_edit(level: bpy.types.Collection) -> None:
    bpy.data.objects.remove(root_of(level))
    assert exported(level) == ROOM


@pytest.mark.parametrize("kind", ["MIRROR", "ARRAY", "SOLIDIFY", "TRIANGULATE", "DECIMATE", "WELD"])
def test_modifiers_are_written_as_they_are_seen(level: bpy.types.Collection, kind: str) -> None:
    obj = geometry(level)
    obj.modifiers.new("modifier", kind)
    seen = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    expected = sum(polygon.area for polygon in seen.polygons)
    made = ns2.read(exported(level, uneven_uvs="nearest"))
    assert total(made) == pytest.approx(expected, rel=1e-4)
    assert exported(imported(ns2.write(made), "again.level")) == ns2.write(made)


def test_text_and_curves_are_geometry(level: bpy.types.Collection) -> None:
    curve = bpy.data.curves.new("text", "FONT")
    curve.body, curve.extrude = "NS2", 0.1
    level.objects.link(bpy.data.objects.new("text", curve))
    assert len(round_trip(level).mesh.faces) > len(BEFORE.mesh.faces) + 50


def test_rotating_a_textures_uvs_in_the_uv_editor(level: bpy.types.Collection) -> None:
    obj = geometry(level)
    select_faces(obj, of_material("pane"))
    mesh = bmesh.from_edit_mesh(obj.data)
    layer = mesh.loops.layers.uv["UVMap"]
    for face in mesh.faces:
        for corner in face.loops if face.select else ():
            u, v = corner[layer].uv
            corner[layer].uv = -v, u
    bmesh.update_edit_mesh(obj.data)
    made = round_trip(level)
    found = changed(ROOM, ns2.write(made))
    (face,) = np.flatnonzero(BEFORE.mesh.faces.records["material"] == ns2_room.PANE).tolist()
    assert found == {"records": [face]}
    turned = made.mesh.faces.records["angle"][face] - BEFORE.mesh.faces.records["angle"][face]
    assert turned == pytest.approx(np.pi / 2, abs=1e-5)


def test_all_that_is_edited_outlives_saving(level: bpy.types.Collection, tmp_path: Path) -> None:
    select_faces(geometry(level), of_material("pane"))
    bpy.ops.mesh.subdivide(number_cuts=2)
    bpy.ops.object.mode_set(mode="OBJECT")
    data = exported(level)
    assert data != ROOM
    assert exported(reopened(level, tmp_path)) == data


@pytest.mark.parametrize("version", [7, 9])
def test_older_levels_are_edited_in_their_version(version: int) -> None:
    level = imported(whole(version), invisible="show")
    select_faces(geometry(level), lambda polygon: polygon.index == 0)
    bpy.ops.mesh.subdivide(number_cuts=1)
    report = Report()
    data = exported(level, report)
    assert ns2.read(data).version == version
    assert len(ns2.read(data).mesh.faces) > len(ns2.read(whole(version)).mesh.faces)
    assert any("as version 10" in note for note in report.notes), "of triangles that older editors weld"
    assert exported(imported(data, "again.level")) == data


def test_a_level_that_is_appended_to_another_file(level: bpy.types.Collection, tmp_path: Path) -> None:
    name = level.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "level.blend")) as (_, wanted):
        wanted.collections = [name]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    (found,) = originals.levels()
    assert exported(found) == ROOM
