# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush entities by operators: boxes at the 3D cursor, brushes that become entities and back."""

from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.differences import differences
from levelwright.formats.source.edits import brush_models
from levelwright.formats.source.tree import brushes, empty_models

from tests.addon.source.exports import Scene
from tests.formats import source_door, source_hall

E = LumpId
MAP = source.write(source_door.with_door())
SAMPLE = Path(__file__).parents[2] / "samples" / "source_room.bsp"


def imported(data: bytes = MAP) -> Scene:
    scene = Scene(data, lightmaps="none", static_props="none", brushes=True)
    bpy.context.view_layer.active_layer_collection = _found(bpy.context.view_layer.layer_collection, scene.level)
    for home in scene.level.children_recursive:
        home.hide_viewport = False
    return scene


def _found(layer: bpy.types.LayerCollection, wanted: bpy.types.Collection) -> bpy.types.LayerCollection | None:
    if layer.collection == wanted:
        return layer
    return next((one for one in (_found(child, wanted) for child in layer.children) if one is not None), None)


def chosen(*objects: bpy.types.Object) -> None:
    """Select objects alone, the first one active."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


def world_points(obj: bpy.types.Object) -> set[tuple[float, ...]]:
    """Where an object's vertices are, in units."""
    bpy.context.view_layer.update()
    root = obj.parent.matrix_world.inverted() @ obj.matrix_world
    return {tuple(round(value, 3) + 0.0 for value in root @ vertex.co) for vertex in obj.data.vertices}


def door_of(scene: Scene) -> bpy.types.Object:
    return next(obj for obj in scene.objects().values() if obj.get("classname") == "func_door")


@pytest.mark.parametrize("data", [MAP, SAMPLE.read_bytes()], ids=["room", "sample"])
@pytest.mark.parametrize("classname", ["func_brush", "trigger_multiple"])
def test_a_box_is_added_at_the_cursor(data: bytes, classname: str) -> None:
    scene = imported(data)
    bpy.context.scene.cursor.location = (1.3, 0.1, 0.6)
    assert bpy.ops.levelwright.source_add_brush_entity(what=classname) == {"FINISHED"}
    made = bpy.context.active_object
    assert made["classname"] == classname and made in list(scene.level.all_objects)
    level = scene.export()
    entity = level.entities[-1]
    assert entity.classname == classname and entity.model == len(level.table(E.MODELS)) - 1
    row = level.table(E.MODELS)[entity.model]
    assert (row["maxs"] - row["mins"]).tolist() == [64] * 3 and row["mins"].tolist() == [-32] * 3
    assert np.allclose(np.mod(np.array(entity.origin) - 32, 8), 0), "its corners are on the grid"
    known = {str(problem) for problem in source.check(source.read(data))}
    assert {str(problem) for problem in source.check(level)} <= known
    if classname == "func_brush":
        assert row["numfaces"] == 6
    else:
        assert scene.report.warnings == [], "tool textures have a size that is known"


def test_what_is_no_class_of_brush_entities_is_refused() -> None:
    imported()
    for name in ("info_target", "func_detail", 'a"b'):
        with pytest.raises(RuntimeError, match="class"):
            bpy.ops.levelwright.source_add_brush_entity(what=name)


def test_a_brush_becomes_an_entity_in_edit_mode() -> None:
    """One of two brushes of an object: a face is selected, all of its brush goes."""
    scene = imported()
    brushes = next(obj for obj in scene.objects(layout.BRUSHES).values() if len(obj.data.polygons) == 18)
    numbers = meshes.read(brushes).attribute(layout.BRUSH, "FACE")
    first = np.flatnonzero(numbers == numbers[0])
    before = {tuple(brushes.data.vertices[v].co) for n in first for v in brushes.data.polygons[n].vertices}
    chosen(brushes)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="FACE")
    bpy.ops.mesh.select_all(action="DESELECT")
    edited = bmesh.from_edit_mesh(brushes.data)
    edited.faces.ensure_lookup_table()
    edited.faces[int(first[0])].select_set(True)
    bmesh.update_edit_mesh(brushes.data)
    assert bpy.ops.levelwright.source_make_brush_entity(what="func_brush") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    made = next(obj for obj in scene.level.all_objects if obj.get("classname") == "func_brush")
    assert world_points(made) == before and len(made.data.polygons) == 6
    assert len(brushes.data.polygons) == 12, "it is a brush no longer"
    assert layout.BRUSH not in made.data.attributes and layout.CONTENTS in made.data.attributes
    level = scene.export(world="ignore")
    assert brush_models.pieces(level, 2)[0].contents == 1
    row = level.table(E.MODELS)[2]
    low, high = np.min(list(before), axis=0), np.max(list(before), axis=0)
    origin = np.array(level.entities[-1].origin)
    assert np.allclose([row["mins"] + origin, row["maxs"] + origin], [low, high])


def test_a_drawn_brush_becomes_an_entity_and_a_brush_again() -> None:
    scene = imported()
    bpy.ops.levelwright.source_add_brush(what="dev/dev_measuregeneric01")
    brush = bpy.context.active_object
    points = world_points(brush)
    assert bpy.ops.levelwright.source_make_brush_entity(what="func_door") == {"FINISHED"}
    made = bpy.context.active_object
    assert made["classname"] == "func_door" and world_points(made) == points
    assert scene.export(world="ignore").entities[-1].model == 2
    assert bpy.ops.levelwright.source_make_world_brush() == {"FINISHED"}
    again = bpy.context.active_object
    assert again.get("classname") is None and world_points(again) == points
    assert again.users_collection[0].name.startswith(layout.BRUSH_HOME)
    with pytest.raises(SceneError, match="brushes were edited") as caught:
        scene.export()
    assert caught.value.objects == [again]


def test_a_door_becomes_a_brush_of_the_world() -> None:
    scene = imported()
    door = door_of(scene)
    points = world_points(door)
    chosen(door)
    assert bpy.ops.levelwright.source_make_world_brush() == {"FINISHED"}
    made = bpy.context.active_object
    assert world_points(made) == points and not made.keys()
    contents = meshes.read(made).attribute(layout.CONTENTS, "FACE")
    assert contents.tolist() == [1] * 6
    assert not {layout.VERTEX_ID, "record_id", layout.TEXINFO} & set(made.data.attributes.keys())
    level = scene.export(world="edit")
    assert "func_door" not in [entity.classname for entity in level.entities]


def test_a_door_of_which_sides_were_never_drawn_becomes_a_whole_brush() -> None:
    """Faces that there are keep their materials; a mesh that was reshaped without these sides is refused."""
    level = source.read(MAP)
    whole = brushes.solids(level, np.flatnonzero(brushes.of_models(level) == 1)).polygons.positions
    table = level.table(E.MODELS).copy()
    table["numfaces"][1] -= 2
    level.set_table(E.MODELS, table)
    scene = imported(source.write(level))
    door = door_of(scene)
    assert len(door.data.polygons) == 4
    other = bpy.data.materials.new("hall/other")
    door.data.materials[0] = other
    place = np.array(door.location)
    chosen(door)
    assert bpy.ops.levelwright.source_make_world_brush() == {"FINISHED"}
    made = bpy.context.active_object
    assert len(made.data.polygons) == 6
    assert np.allclose(
        sorted(world_points(made)), sorted({tuple(point) for point in (whole + place).tolist()}), atol=0.01
    )
    assert sum(made.material_slots[face.material_index].material == other for face in made.data.polygons) == 4
    after = scene.export(world="edit", geometry="rebuild")
    assert len(after.table(E.MODELS)) == 1
    scene = imported(source.write(level))
    door = door_of(scene)
    door.data.vertices[0].co.z += 9
    chosen(door)
    with pytest.raises(RuntimeError, match="it was reshaped"):
        bpy.ops.levelwright.source_make_world_brush()


def test_what_stands_for_something_else_is_refused() -> None:
    scene = imported()
    chosen(door_of(scene))
    with pytest.raises(RuntimeError, match="stands for something else"):
        bpy.ops.levelwright.source_make_brush_entity(what="func_brush")
    assert bpy.context.selected_objects == [door_of(scene)]
    prop = bpy.data.objects.new("plain", None)
    scene.level.objects.link(prop)
    chosen(prop)
    assert bpy.ops.levelwright.source_make_world_brush() == {"CANCELLED"}


def test_it_is_undone() -> None:
    scene = imported()
    name, before = scene.level.name, len(scene.level.all_objects)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.levelwright.source_add_brush_entity(what="func_brush")
    bpy.ops.ed.undo_push(message="added")
    assert len(bpy.data.collections[name].all_objects) == before + 1
    bpy.ops.ed.undo()
    scene.level = bpy.data.collections[name]
    assert len(scene.level.all_objects) == before and source.write(scene.export()) == MAP


def test_a_brush_of_the_world_leaves_it_and_comes_back() -> None:
    """With `world` = `edit`: as an entity it is no brush of the world any more; as a brush it is one again."""
    data = source.write(source_hall.hall())
    scene = imported(data)
    solid = next(obj for obj in scene.objects(layout.BRUSHES).values() if obj.name.startswith("SOLID, DETAIL"))
    count = int((brushes.of_models(source.read(data)) == 0).sum())
    chosen(solid)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    edited = bmesh.from_edit_mesh(solid.data)
    edited.faces.ensure_lookup_table()
    edited.faces[0].select_set(True)
    bmesh.update_edit_mesh(solid.data)
    assert bpy.ops.levelwright.source_make_brush_entity(what="func_brush") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    made = next(obj for obj in scene.level.all_objects if obj.get("classname") == "func_brush")
    level = scene.export(world="edit")
    owners = brushes.of_models(level)
    assert level.entities[-1].model == 1 and (owners == 1).sum() == 1 and (owners == 0).sum() == count - 1
    assert brush_models.pieces(level, 1)[0].contents == 1, "an entity's brush is no detail"
    chosen(made)
    assert bpy.ops.levelwright.source_make_world_brush() == {"FINISHED"}
    level = scene.export(world="edit")
    assert len(level.table(E.MODELS)) == 1 and (brushes.of_models(level) == 0).sum() == count


def test_a_box_in_a_map_without_faces() -> None:
    scene = imported(source_hall.write(source_hall.without_faces(source_hall.hall())))
    assert bpy.ops.levelwright.source_add_brush_entity(what="func_brush") == {"FINISHED"}
    assert len(scene.export().table(E.FACES)) == 6


@pytest.mark.parametrize("data", [MAP, SAMPLE.read_bytes()], ids=["room", "sample"])
def test_a_model_goes_with_its_entity(data: bytes) -> None:
    """Added in one export and deleted in the next, the map is as it was; else models keep their numbers."""
    scene = imported(data)
    for _ in range(2):
        assert bpy.ops.levelwright.source_add_brush_entity(what="trigger_multiple") == {"FINISHED"}
    added = source.write(scene.export())
    count = len(source.read(data).table(E.MODELS))
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = imported(added)
    ours = [
        obj for record, obj in sorted(scene.objects().items()) if obj.get("model") in (f"*{count}", f"*{count + 1}")
    ]
    bpy.data.objects.remove(ours[0])
    assert len(scene.export(world="edit").table(E.MODELS)) == count + 2, "the last one is still there"
    bpy.data.objects.remove(ours[1])
    assert scene.changed(scene.export()) == ["ENTITIES"], "not asked for"
    for options in ({"world": "edit"}, {"geometry": "rebuild"}):
        left = scene.export(**options)
        assert [str(each) for each in differences(source.read(data), left)] == []
        assert any(f"model *{count}, model *{count + 1}, which no entity has" in note for note in scene.report.notes)
    scene.objects()[1]["OnOpen"] = [f"!self,AddOutput,model *{count},0,-1"]
    left = scene.export(world="edit")
    assert len(left.table(E.MODELS)) == count + 1 and not empty_models.empty(left).any(), "an output names it"
