# SPDX-License-Identifier: GPL-3.0-or-later
"""The world of a map edited by its brushes: each kind of edit by Blender's own operators, and what is refused."""

from pathlib import Path

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import SceneError
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.records import Contents, SurfaceFlag
from levelwright.formats.source.shaping.side_texinfos import sides_of
from levelwright.formats.source.tree import brushes

from tests.addon.source.worlds import HALL, World, bounds, contents, looks, translate
from tests.formats.source_hall import BOXES, CRATE, STEP


def planes_of(level: source.Level, brush: int) -> np.ndarray:
    """The normals of a brush's sides."""
    rows, _ = sides_of(level, np.array([brush]))
    return level.table(LumpId.PLANES)["normal"][level.table(LumpId.BRUSHSIDES)["planenum"][rows]].astype(np.float64)


def rows_of(level: source.Level, brush: int) -> np.ndarray:
    """The texinfos of a brush's sides."""
    rows, _ = sides_of(level, np.array([brush]))
    return level.table(LumpId.TEXINFO)[level.table(LumpId.BRUSHSIDES)["texinfo"][rows]]


def texels_of(level: source.Level, brush: int) -> np.ndarray:
    """Texture and luxel coordinates of a brush's corners on all of its sides, in an order that turning keeps."""
    solids = brushes.solids(level, np.array([brush]))
    table = level.table(LumpId.TEXINFO)[level.table(LumpId.BRUSHSIDES)["texinfo"][solids.sides]]
    found = []
    for side in range(len(solids.sides)):
        first, end = solids.polygons.first_corner[side : side + 2]
        points = solids.polygons.positions[solids.polygons.corners[first:end]]
        vectors = np.concatenate([table["texture_vecs"][side], table["lightmap_vecs"][side]]).astype(np.float64)
        if len(points):
            found.append(sorted(map(tuple, np.round(points @ vectors[:, :3].T + vectors[:, 3], 1).tolist())))
    return np.array(sorted(found))


def test_unedited_it_is_the_map() -> None:
    scene = World()
    assert source.write(scene.edit()) == HALL


def test_a_brush_moved() -> None:
    scene = World()
    with scene.selected(CRATE):
        translate(32, 0, 16)
    made = scene.edit()
    low, high = np.add(BOXES[CRATE], (32, 0, 16))
    assert bounds(made, CRATE) == [low.tolist(), high.tolist()]
    assert bounds(made, STEP) == [list(map(float, corner)) for corner in BOXES[STEP]]
    assert scene.report.counts["brushes of the world edited"] == 1


def test_a_side_pushed_in_and_an_edge_lowered() -> None:
    scene = World()
    with scene.selected(CRATE, side=(1, 0, 0)):
        translate(-16, 0, 0)
    assert bounds(scene.edit(), CRATE) == [[128, 128, 0], [176, 192, 64]]
    with scene.selected(CRATE, side=(1, 0, 0)):
        bpy.context.scene.tool_settings.mesh_select_mode = (False, True, False)
        bpy.ops.mesh.select_mode(type="EDGE")
        obj = bpy.context.object
        mesh = bmesh.from_edit_mesh(obj.data)
        for edge in mesh.edges:
            edge.select_set(edge.select and all(vertex.co.z == 64 for vertex in edge.verts))
        bmesh.update_edit_mesh(obj.data)
        translate(0, 0, -32)
    made = scene.edit()
    assert bounds(made, CRATE) == [[128, 128, 0], [176, 192, 64]]
    normals = planes_of(made, CRATE)
    assert (np.abs(normals - np.array([32, 0, 48]) / np.hypot(32, 48)).max(axis=1) < 1e-5).sum() == 1


@pytest.mark.parametrize("degrees", [90, 30])
def test_a_brush_turned(degrees: int) -> None:
    scene = World()
    before = texels_of(scene.export(), CRATE)
    with scene.selected(CRATE):
        bpy.ops.transform.rotate(value=np.radians(degrees), orient_axis="Z")
    made = scene.edit()
    middle, reach = (160, 160), 32 * (np.cos(np.radians(degrees)) + np.sin(np.radians(degrees)))
    low, high = np.array(bounds(made, CRATE))
    assert np.allclose(low, (middle[0] - reach, middle[1] - reach, 0), atol=1e-2)
    assert np.allclose(high, (middle[0] + reach, middle[1] + reach, 64), atol=1e-2)
    # The texture and the luxels go along: their coordinates at the corners are the same ones.
    assert np.allclose(texels_of(made, CRATE), before, atol=0.02)


def test_a_brush_scaled() -> None:
    scene = World()
    with scene.selected(CRATE):
        bpy.ops.transform.resize(value=(2, 1, 1))
    assert bounds(scene.edit(), CRATE) == [[96, 128, 0], [224, 192, 64]]


def test_a_mirrored_brush_is_as_it_is_seen() -> None:
    """Mirror, in Edit Mode, leaves faces that look inwards, and sides across it where they were."""
    scene = World()
    with scene.selected(CRATE, side=(1, 0, 0)):
        bpy.ops.transform.resize(value=(1, 0.5, 1))
    with scene.selected(CRATE):
        bpy.ops.transform.mirror(constraint_axis=(True, False, False))
    made = scene.edit()
    assert bounds(made, CRATE) == [[128, 128, 0], [192, 192, 64]]
    slanted = [normal for normal in planes_of(made, CRATE).tolist() if 0.01 < abs(normal[0]) < 0.99]
    assert len(slanted) == 2 and all(normal[0] < 0 for normal in slanted)
    assert bounds(made, STEP) == [list(map(float, corner)) for corner in BOXES[STEP]]


def test_a_brush_deleted_and_one_duplicated() -> None:
    scene = World()
    with scene.selected(CRATE):
        bpy.ops.mesh.delete(type="FACE")
    with scene.selected(STEP):
        bpy.ops.mesh.duplicate()
        translate(0, 128, 0)
    made = scene.edit()
    there = np.flatnonzero(made.table(LumpId.BRUSHES)["numsides"])
    assert len(there) == 10
    boxes = [bounds(made, brush) for brush in there.tolist()]
    assert [[-256, 64, 0], [-128, 192, 16]] in boxes
    assert list(map(list, BOXES[CRATE])) not in boxes
    assert bounds(made, STEP) == [list(map(float, corner)) for corner in BOXES[STEP]]
    counts = scene.report.counts
    assert (counts["brushes of the world deleted"], counts["brushes of the world added"]) == (1, 1)


def test_a_brush_cut_in_two() -> None:
    scene = World()
    with scene.selected(CRATE) as obj:
        mesh = bmesh.from_edit_mesh(obj.data)
        own = [face for face in mesh.faces if face.select]
        corners = {
            *own,
            *(edge for face in own for edge in face.edges),
            *(vertex for face in own for vertex in face.verts),
        }
        cut = bmesh.ops.bisect_plane(mesh, geom=list(corners), plane_co=(150, 0, 0), plane_no=(1, 0, 0))
        edges = [part for part in cut["geom_cut"] if isinstance(part, bmesh.types.BMEdge)]
        bmesh.ops.split_edges(mesh, edges=edges)
        bmesh.ops.holes_fill(mesh, edges=[edge for edge in mesh.edges if edge.is_boundary])
        bmesh.update_edit_mesh(obj.data)
    made = scene.edit()
    boxes = sorted([bounds(made, CRATE), bounds(made, 10)])
    assert boxes == [[[128, 128, 0], [150, 192, 64]], [[150, 128, 0], [192, 192, 64]]]


def test_an_object_moved_with_all_its_brushes_is_told_to_leak() -> None:
    scene = World()
    obj = scene.object_of(0)
    obj.location.z += 64
    with pytest.raises(SceneError, match="leak") as caught:
        scene.edit()
    assert obj in caught.value.objects


def test_a_new_brush_by_the_button() -> None:
    scene = World()
    bpy.context.scene.cursor.location = (0, 3.048, 1.2192)
    bpy.ops.object.select_all(action="DESELECT")
    assert bpy.ops.levelwright.source_add_brush(what="dev/dev_measuregeneric01") == {"FINISHED"}
    made = scene.edit()
    assert bounds(made, 10) == [[-32, 128, 32], [32, 192, 96]]
    assert contents(made, 10) & Contents.SOLID


@pytest.mark.parametrize(
    ("material", "wanted"),
    [
        ("tools/toolsplayerclip", Contents.PLAYERCLIP),
        ("tools/toolsinvisibleladder", Contents.GRATE | Contents.LADDER),
        ("brick/new", Contents.SOLID),
    ],
)
def test_what_a_new_brush_contains_follows_from_its_texture(material: str, wanted: Contents) -> None:
    scene = World()
    bpy.ops.levelwright.source_add_brush(what=material)
    made = scene.edit()
    assert contents(made, 10) & ~Contents.DETAIL == wanted
    sides = made.table(LumpId.BRUSHSIDES)[60:66]
    flags = made.table(LumpId.TEXINFO)["flags"][sides["texinfo"]]
    assert (flags & SurfaceFlag.NODRAW > 0).all() == material.startswith("tools/")


def test_sides_with_another_texture_and_other_coordinates() -> None:
    scene = World()
    before = scene.export()
    material = bpy.data.materials.new("brick/red")
    with scene.selected(CRATE, side=(0, 0, 1)) as obj:
        obj.data.materials.append(material)
        obj.active_material_index = len(obj.data.materials) - 1
        bpy.ops.object.material_slot_assign()
    obj = scene.object_of(CRATE)
    face = next(
        f
        for f in obj.data.polygons
        if looks(f, (1, 0, 0)) and obj.data.attributes["brush"].data[f.index].value == CRATE + 1
    )
    for corner in face.loop_indices:
        obj.data.uv_layers["UVMap"].uv[corner].vector.x += 0.25
    made = scene.edit()
    assert bounds(made, CRATE) == bounds(before, CRATE)
    names = [made.texture_names.names[n] for n in made.table(LumpId.TEXDATA)["name_string_table_id"]]
    was, now = (rows_of(level, CRATE) for level in (before, made))
    top, east = 5, 1
    assert names[now["texdata"][top]] == "brick/red"
    assert np.abs(now["texture_vecs"][east] - was["texture_vecs"][east])[0, 3] == pytest.approx(0.25 * 512, abs=0.01)
    faces = made.table(LumpId.TEXINFO)[made.table(LumpId.FACES)["texinfo"]]
    assert "brick/red" in {names[number] for number in faces["texdata"].tolist()}  # what is seen follows
    others = [n for n in range(6) if n not in (top, east)]
    assert np.array_equal(now[others], was[others])


def test_other_contents() -> None:
    scene = World()
    obj = scene.object_of(CRATE)
    for face in obj.data.polygons:
        if obj.data.attributes["brush"].data[face.index].value == CRATE + 1:
            obj.data.attributes["contents"].data[face.index].value = int(Contents.PLAYERCLIP)
    made = scene.edit()
    assert contents(made, CRATE) & ~Contents.DETAIL == Contents.PLAYERCLIP
    assert contents(made, STEP) == contents(source.read(HALL), STEP)


def test_contents_that_differ_are_refused() -> None:
    scene = World()
    obj = scene.object_of(CRATE)
    number = next(f.index for f in obj.data.polygons if obj.data.attributes["brush"].data[f.index].value == CRATE + 1)
    obj.data.attributes["contents"].data[number].value = int(Contents.PLAYERCLIP)
    with pytest.raises(SceneError, match="differ in their 'contents'"):
        scene.edit()


def test_water_is_refused() -> None:
    scene = World()
    obj = scene.object_of(CRATE)
    for face in obj.data.polygons:
        if obj.data.attributes["brush"].data[face.index].value == CRATE + 1:
            obj.data.attributes["contents"].data[face.index].value = int(Contents.WATER)
    with pytest.raises(SceneError, match="water") as caught:
        scene.edit()
    assert len(caught.value.faces[obj]) == 6


def test_without_the_option_nothing_is_written() -> None:
    scene = World()
    with scene.selected(CRATE):
        translate(0, 0, 16)
    with pytest.raises(SceneError, match="its option World on Edit") as caught:
        scene.export()
    assert caught.value.objects == [scene.object_of(CRATE)]


@pytest.mark.parametrize("what", ["dent", "hole"])
def test_what_is_no_brush_is_refused(what: str) -> None:
    scene = World()
    with scene.selected(CRATE, side=(0, 0, 1)) as obj:
        if what == "hole":
            bpy.ops.mesh.delete(type="FACE")
        else:
            mesh = bmesh.from_edit_mesh(obj.data)
            made = bmesh.ops.poke(mesh, faces=[face for face in mesh.faces if face.select])
            made["verts"][0].co.z -= 32
            bmesh.update_edit_mesh(obj.data)
    with pytest.raises(SceneError, match="a brush is not") as caught:
        scene.edit()
    assert len(caught.value.faces[obj]) > 0


def test_twice_in_a_row_and_after_undo() -> None:
    scene = World()
    bpy.ops.ed.undo_push(message="as imported")
    with scene.selected(CRATE):
        translate(32, 0, 0)
    first = source.write(scene.edit())
    assert source.write(scene.edit()) == first
    bpy.ops.ed.undo_push(message="moved")
    name = scene.level.name
    bpy.ops.ed.undo()
    scene.level = bpy.data.collections[name]
    assert source.write(scene.edit()) == HALL
    bpy.ops.ed.redo()
    scene.level = bpy.data.collections[name]
    assert source.write(scene.edit()) == first


def test_a_saved_scene_gives_the_same_map(tmp_path: Path) -> None:
    scene = World()
    with scene.selected(CRATE, STEP):
        translate(0, 0, 32)
    wanted, name = source.write(scene.edit()), scene.level.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hall.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hall.blend"))
    scene.level = bpy.data.collections[name]
    assert source.write(scene.edit()) == wanted


def test_what_was_edited_can_be_edited_again_and_back() -> None:
    scene = World()
    with scene.selected(CRATE):
        translate(32, 0, 0)
    again = World(source.write(scene.edit()))
    assert source.write(again.edit()) == again.data
    with again.selected(CRATE):
        translate(-32, 0, 0)
    back = again.edit()
    assert bounds(back, CRATE) == bounds(source.read(HALL), CRATE)
    assert len(back.table(LumpId.PLANES)) == len(source.read(HALL).table(LumpId.PLANES))


def test_a_brush_of_the_world_becomes_an_entity_and_back() -> None:
    scene = World()
    with scene.selected(CRATE):
        assert bpy.ops.levelwright.source_make_brush_entity(what="func_brush") == {"FINISHED"}
    made = scene.edit()
    assert len(made.table(LumpId.BRUSHES)) == len(source.read(HALL).table(LumpId.BRUSHES)), "the model's has its row"
    assert (brushes.of_models(made) == 1).sum() == 1
    entity = made.entities[-1]
    assert (entity.classname, entity.model) == ("func_brush", 1)
    assert scene.report.counts["brushes of the world deleted"] == 1
    again = World(source.write(made))
    originals.make_active(bpy.context, again.level)
    obj = next(obj for obj in again.level.all_objects if obj.get("classname") == "func_brush")
    for other in bpy.context.view_layer.objects:
        other.select_set(other == obj)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.levelwright.source_make_world_brush() == {"FINISHED"}
    back = again.edit()
    assert "func_brush" not in [entity.classname for entity in back.entities]
    there = np.flatnonzero(brushes.of_models(back) == 0)
    assert list(map(list, BOXES[CRATE])) in [bounds(back, brush) for brush in there.tolist()]
    assert again.report.counts["brushes of the world added"] == 1
