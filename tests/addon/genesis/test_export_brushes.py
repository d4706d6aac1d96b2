# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of brushes in a `.map`: what changed is written, and no more."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis
from mathutils import Matrix

from tests.addon.genesis.export_helpers import (
    DOWN,
    UP,
    brush,
    changes,
    exported,
    imported,
    laid_box,
    part,
    place,
    positions,
    sample,
    uvs,
)
from tests.formats.genesis_bytes import LIGHT, entity, level, light, model, motion, sliver, typedef
from tests.formats.genesis_bytes import brush as brush_bytes

PLANE = {"normal", "dist"}


def planes(data, number=0):
    faces = genesis.read(data).world.brushes[number].faces
    return {(*map(float, one["normal"]), float(one["dist"])) for one in faces}


def edit(obj):
    """The mesh of an object as a BMesh, to be given to `done`."""
    made = bmesh.new()
    made.from_mesh(obj.data)
    made.faces.ensure_lookup_table()
    return made


def done(made, obj):
    made.to_mesh(obj.data)
    made.free()
    obj.data.update()


# ---- moving


def test_a_moved_brush_moves_its_planes_and_takes_its_texture_along():
    data = sample()
    scene = imported(data)
    brush(scene, 0).location.x += 16  # Blender's x is the level's
    report = Report()
    found = changes(data, exported(scene, report))
    assert found == {
        (0, 0, 0): {"dist"},
        (0, 0, 1): {"dist"},
        (0, 0, 2): {"offset_x"},
        (0, 0, 3): {"offset_x"},
        (0, 0, 4): {"offset_x"},
        (0, 0, 5): {"offset_x"},
    }
    assert report.notes == ["brush Brush 0 changed: 2 planes, 4 texture placements"]


def test_without_texture_lock_the_texture_stays_where_it_was():
    data = sample()
    scene = imported(data)
    brush(scene, 0).location.z += 16  # the level's y
    after = exported(scene, texture_lock=False)
    assert changes(data, after) == {(0, 0, UP): {"dist"}, (0, 0, DOWN): {"dist"}}
    assert {one[3] for one in planes(after)} == {64, 80, 48}


def test_a_turned_brush_turns_planes_and_texture():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    obj.rotation_euler.z = np.pi / 4
    faces = genesis.read(exported(scene)).world.brushes[0].faces
    half = np.float32(np.sqrt(0.5))
    # About Blender's z, the level's y: x turns to Blender's y, the level's -z.
    np.testing.assert_allclose(faces["normal"][0], (half, 0, -half), atol=1e-6)
    np.testing.assert_array_equal(faces["normal"][UP], (0, 1, 0))
    np.testing.assert_allclose(faces["dist"], 64, atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(faces["u_vec"], axis=1), 0.5, rtol=1e-6)
    np.testing.assert_allclose(faces["u_vec"][UP], (0.5 * half, 0, -0.5 * half), atol=1e-6)
    np.testing.assert_array_equal(faces["draw_scale_x"], np.float32(0.5))


def test_a_scaled_brush_scales_its_texture_but_not_its_lightmap():
    data = sample()
    scene = imported(data)
    brush(scene, 0).scale = (2, 2, 2)
    faces = genesis.read(exported(scene)).world.brushes[0].faces
    assert set(faces["dist"].tolist()) == {128}
    np.testing.assert_allclose(np.linalg.norm(faces["u_vec"], axis=1), 0.5)
    assert set(faces["draw_scale_x"].tolist()) == {1.0}


def test_a_mirrored_brush_still_faces_outwards():
    data = sample(laid_box((0, 0, 0), (64, 32, 16)))
    scene = imported(data)
    brush(scene, 0).scale.x = -1
    after = exported(scene)
    assert genesis.read(after).world.brushes[0].faces["normal"][0].tolist() == [-1, 0, 0]
    assert planes(after) == planes(data), "mirrored about its own middle"


def test_applied_transforms_and_moved_origins_are_no_edit_where_all_ends_up_the_same():
    data = sample(laid_box((16, 32, 48), (80, 96, 112)))
    scene = imported(data)
    obj = brush(scene, 0)
    shift = Matrix.Translation(obj.location)
    obj.data.transform(shift)
    obj.location = (0, 0, 0)
    report = Report()
    assert exported(scene, report) == data, report.lines()


def test_moving_the_whole_level_is_no_edit():
    data = sample()
    scene = imported(data)
    root = next(obj for obj in scene.objects if obj.parent is None)
    root.location, root.scale = (5, 6, 7), (1, 1, 1)
    assert exported(scene) == data


# ---- reshaping


def test_a_face_that_moves_along_its_normal_is_one_plane():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    moved = positions(obj)
    moved[moved[:, 2] > 0, 2] += 32
    place(obj, moved)
    found = changes(data, exported(scene, texture_lock=False))
    assert found == {(0, 0, UP): {"dist"}}


def test_with_texture_lock_the_sides_stretch_as_blender_shows_them():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    moved = positions(obj)
    moved[moved[:, 2] > 0, 2] += 128
    place(obj, moved)
    found = changes(data, exported(scene))
    assert found.pop((0, 0, UP)) == {"dist"}
    assert found == {(0, 0, side): {"draw_scale_y", "offset_y"} for side in (0, 1, 4, 5)}


def test_a_shape_that_textures_cannot_follow_leaves_them_and_says_so():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    moved = positions(obj)
    moved[moved[:, 2] > 0, :2] *= 0.5  # a frustum: its sides' UVs are bent now
    place(obj, moved)
    report = Report()
    after = exported(scene, report)
    assert any("can't follow" in one for one in report.warnings)
    found = changes(data, after)
    assert (0, 0, UP) not in found or "dist" not in found[0, 0, UP]
    assert all(found[0, 0, side] >= PLANE for side in (0, 1, 4, 5))


def test_a_bevelled_edge_adds_a_face_and_leaves_the_others():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    made = edit(obj)
    edge = next(one for one in made.edges if all(v.co.z > 0 and v.co.x > 0 for v in one.verts))
    bmesh.ops.bevel(made, geom=[edge], offset=16, segments=1, affect="EDGES", profile=0.5)
    done(made, obj)
    after = exported(scene)
    old, new = (genesis.read(one).world.brushes[0].faces for one in (data, after))
    assert len(new) == 7
    for name in ("normal", "dist", "u_vec", "v_vec", "tex_name"):
        assert old[name].tobytes() == new[name][:6].tobytes(), name
    half = np.sqrt(0.5)
    np.testing.assert_allclose(new["normal"][6], (half, half, 0), atol=1e-6)
    assert genesis.texture_names(new)[6] == "rock"


def test_a_face_cut_in_two_is_still_one_side():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    made = edit(obj)
    bmesh.ops.bisect_plane(made, geom=[*made.verts, *made.edges, *made.faces], plane_co=(8, 0, 0), plane_no=(1, 0, 0))
    done(made, obj)
    assert len(obj.data.polygons) == 10
    assert exported(scene) == data


def test_two_textures_in_one_plane_are_refused_with_both_faces():
    scene = imported(sample())
    obj = brush(scene, 0)
    made = edit(obj)
    bmesh.ops.bisect_plane(made, geom=[*made.verts, *made.edges, *made.faces], plane_co=(8, 0, 0), plane_no=(1, 0, 0))
    done(made, obj)
    obj.data.materials.append(bpy.data.materials.new("other"))
    top = [one for one in obj.data.polygons if one.normal.z > 0.9]
    top[0].material_index = len(obj.data.materials) - 1
    with pytest.raises(SceneError, match="one plane") as caught:
        exported(scene)
    assert set(caught.value.faces[obj]) == {one.index for one in top}


@pytest.mark.parametrize("operation", ["subdivide", "triangulate"])
def test_finer_meshes_of_the_same_shape_are_no_edit(operation):
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    made = edit(obj)
    if operation == "subdivide":
        bmesh.ops.subdivide_edges(made, edges=made.edges, cuts=2, use_grid_fill=True)
    else:
        bmesh.ops.triangulate(made, faces=made.faces)
    done(made, obj)
    assert exported(scene) == data


def test_an_open_mesh_is_refused_with_the_faces_round_the_hole():
    scene = imported(sample())
    obj = brush(scene, 0)
    made = edit(obj)
    bmesh.ops.delete(made, geom=[made.faces[0]], context="FACES_ONLY")
    done(made, obj)
    with pytest.raises(SceneError, match="Brush 0 can't be a brush: it is open") as caught:
        exported(scene)
    assert caught.value.objects == [obj] and len(caught.value.faces[obj]) == 4


def test_a_concave_mesh_is_refused_or_split():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    made = edit(obj)
    top = max(made.faces, key=lambda one: one.calc_center_median().z)
    inset = bmesh.ops.inset_individual(made, faces=[top], thickness=16)
    assert inset
    for vertex in top.verts:
        vertex.co.z -= 32  # a basin
    done(made, obj)
    with pytest.raises(SceneError, match=r"concave.*Split concave"):
        exported(scene)
    after = genesis.read(exported(scene, split_concave=True))
    parts = after.world.brushes
    assert len(parts) >= 5
    assert {name for one in parts for name in genesis.texture_names(one.faces)} == {"rock"}
    assert genesis.check(after) == [] or all(one.severity == "warning" for one in genesis.check(after))


# ---- flags, copies, new and removed


def test_flags_of_brushes():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    obj["detail"], obj["contents"] = True, 2
    report = Report()
    assert changes(data, exported(scene, report)) == {(0, 0, -1): {"flags"}}
    assert genesis.read(exported(scene)).world.brushes[0].flags == 0x20021
    assert report.notes == ["brush Brush 0 changed: flags"]


def test_a_duplicate_is_one_more_brush_and_the_original_stays():
    data = sample()
    scene = imported(data)
    obj = brush(scene, 0)
    twin = obj.copy()
    twin.data = obj.data.copy()
    twin.location.x += 256
    for collection in obj.users_collection:
        collection.objects.link(twin)
    obj.name, twin.name = "z", "a"  # names don't tell which is which
    after = exported(scene)
    one, other = sorted(genesis.read(after).world.brushes, key=lambda each: float(each.faces["dist"][0]))
    assert one.faces.tobytes() == genesis.read(data).world.brushes[0].faces.tobytes()
    assert (other.faces["dist"] - one.faces["dist"]).tolist() == [256, -256, 0, 0, 0, 0]
    assert other.flags == one.flags


def test_an_array_is_several_brushes():
    data = sample()
    scene = imported(data)
    modifier = brush(scene, 0).modifiers.new("array", "ARRAY")
    modifier.count, modifier.relative_offset_displace = 3, (1.5, 0, 0)
    made = genesis.read(exported(scene)).world.brushes
    assert [float(one.faces["dist"][0]) for one in made] == [64, 256, 448]
    assert made[0].faces.tobytes() == genesis.read(data).world.brushes[0].faces.tobytes()


def test_joined_brushes_are_still_two():
    data = sample(laid_box(), laid_box((128, 0, 0), (192, 64, 32), name="wall"))
    scene = imported(data)
    one, other = brush(scene, 0), brush(scene, 1)
    with bpy.context.temp_override(active_object=one, selected_editable_objects=[one, other]):
        bpy.ops.object.join()
    assert exported(scene) == data


def test_removed_brushes_go_and_the_others_stay():
    data = sample(laid_box(), laid_box((128, 0, 0), (192, 64, 32)))
    scene = imported(data)
    bpy.data.objects.remove(brush(scene, 0))
    report = Report()
    after = exported(scene, report)
    assert after == sample(laid_box((128, 0, 0), (192, 64, 32)))
    assert report.notes == ["brush 0 removed"]


def new_box(scene, name="Cube", size=32.0):
    mesh = bpy.data.meshes.new(name)
    made = bmesh.new()
    made.loops.layers.uv.new(layout.UV)
    bmesh.ops.create_cube(made, size=size, calc_uvs=True)
    made.to_mesh(mesh)
    made.free()
    obj = bpy.data.objects.new(name, mesh)
    obj.parent = next(one for one in scene.objects if one.parent is None)
    scene.objects.link(obj)
    return obj


def test_a_new_convex_mesh_is_a_brush_with_default_axes():
    data = sample()
    scene = imported(data)
    obj = new_box(scene)
    obj.data.materials.append(bpy.data.materials.new("stone"))
    obj.location = (256, 0, 0)
    report = Report()
    after = genesis.read(exported(scene, report))
    assert report.notes == ["brush Cube is new (6 faces)"]
    made = after.world.brushes[1]
    assert made.flags == 1
    assert set(genesis.texture_names(made.faces)) == {"stone"}
    assert sorted(made.faces["dist"].tolist()) == [-240, 16, 16, 16, 16, 272]
    top = made.faces[made.faces["normal"][:, 1] == 1][0]
    np.testing.assert_array_equal(top["u_vec"], (0.5, 0, 0))
    np.testing.assert_array_equal(top["v_vec"], (0, 0, 0.5))
    assert (top["draw_scale_x"], top["alpha"], top["face_light"]) == (0.5, 255, 300)
    assert after.world.brushes[0].faces.tobytes() == genesis.read(data).world.brushes[0].faces.tobytes()


def test_a_new_mesh_may_be_textured_by_its_uvs():
    scene = imported(sample())
    obj = new_box(scene)
    material = bpy.data.materials.new("stone")
    material[layout.TEXTURE_SIZE] = [64, 64]
    obj.data.materials.append(material)
    again = imported(exported(scene, new_textures="uv"))
    faces = brush(again, 1)
    spans = [np.ptp(uvs(faces)[list(one.loop_indices)], axis=0) for one in faces.data.polygons]
    wanted = [np.ptp(uvs(obj)[list(one.loop_indices)], axis=0) for one in obj.data.polygons]
    size = faces.data.materials[0][layout.TEXTURE_SIZE][0] / 64
    np.testing.assert_allclose(sorted(map(tuple, np.array(spans) * size)), sorted(map(tuple, wanted)), atol=1e-4)


def test_several_brushes_an_object_export_too():
    data = sample(*(laid_box((n * 128, 0, 0), (n * 128 + 64, 64, 64)) for n in range(6)))
    scene = imported(data, many_brushes=2)
    assert exported(scene) == data
    (obj,) = (one for one in scene.all_objects if one.type == "MESH")
    moved = positions(obj)
    third = np.flatnonzero((moved[:, 0] > 250) & (moved[:, 0] < 330))
    moved[third, 2] += 8
    place(obj, moved)
    found = changes(data, exported(scene, texture_lock=False))
    assert found == {(0, 2, UP): {"dist"}, (0, 2, DOWN): {"dist"}}


def test_unclosed_brushes_go_back_and_may_be_moved():
    world = entity([brush_bytes(laid_box()), brush_bytes(sliver())], pairs=[("TextureLib", "a.txl")])
    data = level([world, light(), typedef("light", LIGHT)])
    scene = imported(data)
    assert exported(scene) == data
    brush(scene, 1).location.x += 8
    assert set(changes(data, exported(scene, texture_lock=False)).values().__iter__().__next__()) == {"dist"}


def test_a_map_with_an_unclosed_brush_becomes_a_3dt_that_tells_of_it():
    world = entity([brush_bytes(laid_box()), brush_bytes(laid_box()[:5])], pairs=[("TextureLib", "a.txl")])
    scene, report = imported(level([world, light(), typedef("light", LIGHT)])), Report()
    made = genesis.read(exported(scene, report, container="3dt"))
    assert [len(one.faces) for one in made.leaves()] == [6, 5]
    assert "brush 'World2': its planes do not close" in report.warnings


# ---- models


def test_brushes_that_move_to_a_model_and_back():
    data = sample(laid_box(), more=[model(motion(), brushes=None)])
    scene = imported(data)
    assert exported(scene) == data
    obj, door = brush(scene, 0), part(scene, layout.MOTION, 1)
    obj.parent = door
    obj.matrix_parent_inverse = brush(scene, 1).matrix_parent_inverse
    after = genesis.read(exported(scene))
    assert [len(one.brushes) for one in after.entities[:2]] == [0, 2]
    brush(scene, 1).parent = obj.parent = next(one for one in scene.objects if one.parent is None)
    for one in (obj, brush(scene, 1)):
        one.matrix_parent_inverse = Matrix()
    after = genesis.read(exported(scene))
    assert [len(one.brushes) for one in after.entities[:2]] == [2, 0]


def test_the_frame_that_is_shown_moves_nothing():
    data = sample(more=[model(motion())])
    scene = imported(data)
    bpy.context.scene.frame_set(36)
    assert exported(scene) == data


def test_a_moved_model_takes_its_brushes_along():
    data = sample(more=[model(motion())])
    scene = imported(data)
    part(scene, layout.MODEL, 1).location.x += 32
    after = exported(scene, texture_lock=False)
    assert changes(data, after) == {(1, 0, 0): {"dist"}, (1, 0, 1): {"dist"}}
    assert genesis.read(after).entities[1].get("origin") == "48.000000 0.000000 8.000000"


def test_stamps_of_another_level_are_new_brushes():
    data = sample()
    one, other = imported(data), imported(data)
    guest = brush(other, 0)
    guest.location.x += 512
    guest.parent = next(obj for obj in one.objects if obj.parent is None)
    other.children[0].objects.unlink(guest)
    one.children[0].objects.link(guest)
    report = Report()
    after = genesis.read(exported(one, report))
    assert len(after.world.brushes) == 2
    assert any("another level" in text for text in report.warnings)
    assert identity.stamped(guest).token != identity.stamped(one).token


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda obj: setattr(obj, "scale", (0, 1, 1)), "its scale is 0"),
        (lambda obj: setattr(obj, "location", (np.inf, 0, 0)), "8 of its vertices are out of the world"),
        (lambda obj: setattr(obj, "location", (1e9, 0, 0)), "8 of its vertices are out of the world"),
        (lambda obj: setattr(obj.data.vertices[0].co, "x", np.nan), "1 of its vertices are out of the world"),
        (lambda obj: obj.data.materials.__setitem__(0, bpy.data.materials.new("\u65e5")), "Latin-1 has not"),
    ],
)
def test_places_and_names_that_no_brush_has(edit, message):
    level = imported(sample())
    edit(brush(level, 0))
    with pytest.raises(SceneError, match=message):
        exported(level)


def test_a_mesh_without_any_uv_map_says_nothing_of_textures():
    data = sample()
    level = imported(data)
    mesh = brush(level, 0).data
    mesh.uv_layers.remove(mesh.uv_layers[0])
    assert exported(level) == data


def test_textures_stay_on_a_brush_of_another_level():
    first, second = imported(sample(laid_box(scale=(0.25, 0.5), offset=(24.0, 0.0)))), imported(sample())
    crate = brush(first, 0)
    crate.parent = next(one for one in second.all_objects if one.parent is None)
    second.objects.link(crate)
    brushes = genesis.read(exported(second)).world.brushes
    laid = [{(float(face["draw_scale_x"]), float(face["offset_x"])) for face in one.faces} for one in brushes]
    assert sorted(map(list, laid)) == [[(0.25, 24)], [(0.5, 0)]]
