# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels and parts of levels that were made in Blender."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.genesis.entities.operators import add_entity
from levelwright.addon.genesis.models.operators import make_model
from levelwright.addon.genesis.new_level import new_level
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import brush, exported, imported, part
from tests.formats.genesis_bytes import room


def box(level, size=64.0, location=(0, 0, 0)):
    mesh = bpy.data.meshes.new("box")
    made = bmesh.new()
    bmesh.ops.create_cube(made, size=size)
    made.to_mesh(mesh)
    made.free()
    mesh.materials.append(bpy.data.materials.get("stone") or bpy.data.materials.new("stone"))
    obj = bpy.data.objects.new("box", mesh)
    obj.parent = next(one for one in level.objects if one.parent is None)
    obj.location = location
    level.objects.link(obj)
    return obj


def test_a_root_whose_scale_was_applied_is_refused():
    data = room()
    level = imported(data)
    root = next(one for one in level.objects if one.parent is None)
    root.scale = (1, 1, 1)
    assert exported(level) == data
    root.scale = (layout.SCALE,) * 3
    bpy.context.view_layer.update()
    with bpy.context.temp_override(active_object=root, object=root, selected_editable_objects=[root]):
        assert bpy.ops.object.transform_apply() == {"FINISHED"}
    with pytest.raises(SceneError, match="its scale was applied"):
        exported(level)


def test_what_has_no_mesh_of_its_own_is_refused_with_a_message(tmp_path):
    level = imported(room())
    text = bpy.data.objects.new("Words", bpy.data.curves.new("Words", "FONT"))
    text.data.body, text.data.extrude = "L", 0.1
    level.objects.link(text)
    with pytest.raises(RuntimeError, match="Words can't be a brush: it is concave"):
        bpy.ops.export_scene.genesis_map(filepath=str(tmp_path / "a.map"))
    assert text.select_get()


def test_what_has_no_parent_is_where_it_is_seen():
    data = room()
    level = imported(data)
    root = next(one for one in level.objects if one.parent is None)
    root.location = (2, 0, 0)
    bpy.context.view_layer.update()
    for freed in (brush(level, 0), next(one for one in level.all_objects if identity.kind_of(one) == "entity")):
        seen = freed.matrix_world.copy()
        freed.parent = None
        freed.matrix_world = seen
    made = box(level, size=64 * layout.SCALE, location=(2 + 128 * layout.SCALE, 0, 0))
    made.parent = None
    made.data.materials.clear()
    report = Report()
    was, now = genesis.read(data), genesis.read(exported(level, report))
    assert "6 textures of new faces" in report.summary()
    *kept, new = now.world.brushes
    np.testing.assert_allclose(np.sort(new.faces["dist"]), [-96, 32, 32, 32, 32, 160], atol=1e-3)
    for before, after in zip(was.world.brushes, kept, strict=True):
        assert before.faces.tobytes() == after.faces.tobytes()
    assert [one.pairs for one in was.points] == [one.pairs for one in now.points]


def test_new_spotlights_shine_where_they_are_turned_to():
    level = new_level(bpy.context, "mine", "map")
    box(level)
    for data in (bpy.data.lights.new("Spot", "SPOT"), bpy.data.lights.new("Point", "POINT")):
        made = bpy.data.objects.new(data.name, data)
        made.rotation_euler.y = -np.pi / 2  # from straight down to Blender's x, which is the engine's
        level.objects.link(made)
    added = add_entity(bpy.context, level, "spotlight", (0, 0, 0))
    assert (added["light"], added["arc"]) == (150, 45)
    added.rotation_euler.x += 1
    report = Report()
    point, spot, turned = sorted(genesis.read(exported(level, report)).points, key=lambda one: one.get("angles") or "")
    assert point.get("angles") is None
    assert np.allclose([float(one) for one in spot.get("angles").split()], 0, atol=1e-3)
    assert np.isclose(float(turned.get("angles").split()[0]), np.degrees(1), atol=1e-3)
    assert not any("was turned" in line for line in report.warnings)
    door = bpy.data.objects.new("Door", None)
    door["classname"], door.rotation_euler.z = "Door", 1
    level.objects.link(door)
    exported(level, report)
    assert "Door was turned, but its class has no angles, as far as is known" in report.warnings


@pytest.mark.parametrize("kind", ["map", "3dt"])
def test_a_level_made_in_blender(kind):
    level = new_level(bpy.context, "mine", kind)
    box(level)
    bpy.context.scene.cursor.location = (1, 0, 0)
    assert bpy.ops.levelwright.genesis_add_entity(classname="light") == {"FINISHED"}
    data = exported(level)
    made = genesis.read(data)
    assert made.kind == kind
    points = made.points if kind == "map" else made.entities
    assert [one.classname for one in points] == ["light"]
    assert points[0].get("origin") == f"{round(1 / layout.SCALE)} 0 0"
    solid = made.world.brushes if kind == "map" else made.brushes
    assert len(solid) == 1
    assert not [one for one in genesis.check(made) if one.severity == "error"]
    assert exported(imported(data, f"mine.{kind}")) == data


def test_the_operator_makes_a_level():
    assert bpy.ops.levelwright.genesis_new_level(name="other", kind="3dt", room=False) == {"FINISHED"}
    level = bpy.data.collections["other"]
    with pytest.raises(SceneError, match="no valid entities"):
        exported(level)
    add_entity(bpy.context, level, "light", (0, 0, 0))
    assert genesis.read(exported(level)).kind == "3dt"


@pytest.mark.parametrize("kind", ["map", "3dt"])
def test_brushes_become_a_world_model_with_a_motion(kind):
    level = new_level(bpy.context, "mine", kind)
    obj = box(level, location=(128, 0, 0))
    add_entity(bpy.context, level, "light", (0, 0, 0))
    empty = make_model(bpy.context, level, [obj], "lift")
    moved = obj.parent
    action = animation.action("lift")
    for index, values in enumerate(((0, 0), (0, 0), (0, 96))):
        animation.set_keys(animation.fcurve(action, animation.slot(action), "location", index), (0, 24), values)
    animation.assign(moved, action)
    bpy.context.scene.frame_set(24)
    made = genesis.read(exported(level))
    (model,) = made.models
    assert (model.name, model.origin) == ("lift", (128, 0, 0))
    np.testing.assert_allclose(model.motion.paths[0].translation.values, [(0, 0, 0), (0, 96, 0)])
    if kind == "map":
        assert np.sort(model.brushes[0].faces["dist"]).tolist() == [-96, 32, 32, 32, 32, 160]
    else:
        assert made.brushes[0].model_id == model.model_id
        assert made.brushes[0].faces[0].points[:, 0].min() >= 96
    assert empty.get("model_name") == "lift"
    for index, values in enumerate(((1, 0), (0, 0), (0, 0), (0, 1))):
        curve = animation.fcurve(action, animation.slot(action), "rotation_quaternion", index)
        animation.set_keys(curve, (0, 24), values)
    empty.rotation_euler.x, empty.scale = np.pi / 2, (-1, 1, 1)  # its way, and what it turns about, go along
    (path,) = genesis.read(exported(level)).models[0].motion.paths
    np.testing.assert_allclose(path.translation.values, [(0, 0, 0), (0, 0, 96)], atol=1e-4)
    np.testing.assert_allclose(path.rotation.values[1], (0, 0, 0, -1), atol=1e-6)
    empty.scale = (1, 2, 1)
    with pytest.raises(SceneError, match="it turns in its motion"):
        exported(level)


def test_brushes_of_an_imported_level_become_a_model_unchanged():
    data = room()
    level = imported(data)
    make_model(bpy.context, level, [brush(level, 0), brush(level, 1)], "pair")
    report = Report()
    made = genesis.read(exported(level, report))
    was = genesis.read(data)
    assert [len(one.brushes) for one in made.entities[:2]] == [4, 2]
    for one, other in zip(made.entities[1].brushes, was.world.brushes[:2], strict=True):
        assert one.faces.tobytes() == other.faces.tobytes()
    assert report.notes == ["model pair is new"]


def test_what_is_no_brush_makes_no_model():
    level = imported(room())
    with pytest.raises(SceneError, match="not a brush"):
        make_model(bpy.context, level, [part(level, identity.ROOT, 0)], "x")


def test_classes_that_a_level_does_not_define_are_refused():
    level = imported(room())
    with pytest.raises(SceneError, match="defines no class Nobody"):
        add_entity(bpy.context, level, "Nobody", (0, 0, 0))


def test_one_convex_mesh_of_bent_faces_can_be_split():
    level = new_level(bpy.context, "mine", "map")
    obj = box(level)
    add_entity(bpy.context, level, "light", (200, 0, 0))
    obj.data.vertices[7].co = (48, 48, 48)
    with pytest.raises(SceneError, match="3 faces are not flat") as caught:
        exported(level)
    assert len(caught.value.faces[obj]) == 3
    made = genesis.read(exported(level, split_concave=True))
    assert [len(one.faces) for one in made.world.brushes] == [9]
