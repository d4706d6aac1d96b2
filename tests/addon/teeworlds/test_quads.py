# SPDX-License-Identifier: GPL-3.0-or-later
"""Quad layers as meshes and objects, and back: unedited they are the very records, an edit changes what was edited."""

import dataclasses

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.envelopes.collect import EnvelopeTable
from levelwright.addon.teeworlds.quads import collect as quad_collect
from levelwright.formats import teeworlds
from levelwright.formats.teeworlds.quad_faces import corner_positions
from levelwright.formats.teeworlds.quads import default_quads
from levelwright.formats.teeworlds.records import POINT, EnvelopeKind

from tests.addon.teeworlds.game_scene import FPS, GameScene

TILE = 32768


def envelope(kind, *times):
    points = np.zeros(len(times) or 2, POINT)
    points["time"] = times or (0, 1000)
    points["value"][1:, 0] = TILE
    points["curve"] = 1
    return teeworlds.Envelope.new(kind, "env", points)


def random_quads(count, seed=1, span=200 * TILE):
    rng = np.random.default_rng(seed)
    made = default_quads(rng.integers(-span, span, (count, 2)))
    made["points"] += rng.integers(-TILE, TILE, (count, 5, 2), dtype=np.int32)
    made["colors"] = rng.integers(0, 256, (count, 4, 4))
    made["texcoords"] = rng.integers(-5000, 5000, (count, 4, 2))
    made["position_envelope_offset"] = rng.integers(0, 5000, count)
    made["color_envelope_offset"] = rng.integers(0, 5000, count)
    return made


def odd_quads():
    """Everything that files are known to hold: see teeworlds.md §3."""
    made = random_quads(14)
    made["points"][0] = 0  # no area
    made["points"][1, [0, 3]] = made["points"][1, [3, 0]]  # folded: crossed sides
    made["points"][2, 1] = made["points"][2, 2]
    made["points"][3] += 88224352  # beyond what float32 tells apart
    made["points"][4, 4] = -(2**31)
    made["colors"][5, 1] = (-5, 1000, 2**31 - 1, 256)
    made["texcoords"][6] = 2**30 + 1
    made["position_envelope"] = (-1, -2, 5, 0, 1, 0, -1, 2, 99, 0, -1, -(2**31), 2**31 - 1, 1)
    made["color_envelope"] = (-1, 7, -2, -1, 2, 2, 0, -1, 2, -1, -1, 3, -1, 3)
    made["position_envelope_offset"][5:7] = -700, 2**31 - 1
    made["position_envelope_offset"][9] = 123456789
    return made


ENVELOPES = (EnvelopeKind.POSITION, EnvelopeKind.POSITION, EnvelopeKind.COLOR, EnvelopeKind.SOUND)


def scene_of(records, *more):
    layers = [teeworlds.QuadLayer.new(f"q{n}", -1, one) for n, one in enumerate((records, *more))]
    return GameScene(layers, [envelope(kind) for kind in ENVELOPES])


def collect(scene, index=0):
    return scene.collect(quad_collect, index)


def same(records, other):
    assert len(records) == len(other)
    for name in records.dtype.names:
        assert records[name].tolist() == other[name].tolist(), name


def shared(count=4):
    """A scene whose quads all share a mesh."""
    records = random_quads(count)
    return scene_of(records), records


# ------------------------------------------------------------------------------------------------------------- unedited


@pytest.mark.parametrize("reopened", [False, True])
def test_unedited_quads_are_the_records(reopened, tmp_path):
    records = odd_quads()
    scene = scene_of(records, records[:0], random_quads(50, 2))
    if reopened:
        scene.reopened(tmp_path / "map.blend")
    bpy.context.scene.frame_set(13)  # in the middle of all motion
    bpy.context.view_layer.update()
    for index in range(3):
        same(collect(scene, index), scene.record(index)[1].quads())
    envelopes = scene.envelopes()
    assert envelopes.apply(scene.level) == []
    assert teeworlds.write(scene.level) == scene.data


def test_moving_turning_and_scaling_the_level_edits_nothing():
    scene = scene_of(odd_quads())
    top = scene.root.parent
    top.location, top.rotation_euler, top.scale = (9.9, -3, 1), (0.3, 0.2, 0.1), (2, 2, 2)
    scene.root.location.x += 4
    same(collect(scene), odd_quads())


# ---------------------------------------------------------------------------------------------------------- as it looks


def test_each_quad_lies_where_the_record_says_with_its_colours_and_texture():
    records = random_quads(3)
    records["position_envelope"][1] = 0
    scene = scene_of(records)
    layer = scene.layers[0]
    assert [child.name for child in layer.children] == [f"{layer.name} quad 1", f"{layer.name} quads 2-2"]
    for number, (obj, record) in enumerate(zip((layer, *layer.children), records, strict=True)):
        data = meshes.read(obj)
        place = np.array(obj.location) - (np.array(layer.location) if obj == layer else 0)
        ring = record["points"][[0, 2, 3, 1]] / TILE * (1, -1)
        assert (data.positions[data.corner_verts] + place)[:, :2] == pytest.approx(ring, abs=1e-4)
        assert (data.positions[:, 2] + place[2]).tolist() == [number * layout.QUAD_STEP] * 4
        assert data.attribute("corner_color", "CORNER") * 255 == pytest.approx(record["colors"][[0, 2, 3, 1]], abs=1e-3)
        assert data.uv() * (1, -1) + (0, 1) == pytest.approx(record["texcoords"][[0, 2, 3, 1]] / 1024, abs=1e-4)
    pivot = records["points"][1, 4] / TILE * (1, -1)
    assert layer.children[0].location[:2] == pytest.approx(pivot, abs=1e-4)


def test_blender_splits_faces_as_the_game_does():
    records = random_quads(300)
    scene = scene_of(records)
    mesh = scene.layers[0].data
    mesh.calc_loop_triangles()
    corners = meshes.read(scene.layers[0]).positions[:, :2]
    got = [{tuple(corners[v]) for v in triangle.vertices} for triangle in mesh.loop_triangles]
    ring = corner_positions(records)
    for number in range(len(records)):
        for split in ((0, 1, 2), (0, 2, 3)):
            assert {tuple(ring[number, corner]) for corner in split} in got
    assert len(got) == 2 * len(records)
    assert len(mesh.polygons) > len(records)  # the folded ones are two triangles


def test_animated_quads_move_about_their_pivot():
    records = default_quads(np.array([(0, 0)], np.int32))
    records["points"][0, 4] = (TILE, 0)
    records["position_envelope"], records["position_envelope_offset"] = 0, 250
    points = np.zeros(2, POINT)
    points["time"], points["curve"] = (0, 1000), 1
    points["value"][1, :3] = (4 * TILE, 8 * TILE, 360 * 1024)
    scene = GameScene(
        [teeworlds.QuadLayer.new("q", -1, records)], [teeworlds.Envelope.new(EnvelopeKind.POSITION, "", points)]
    )
    bpy.context.scene.frame_set(0)
    obj = scene.layers[0].children[0].evaluated_get(bpy.context.evaluated_depsgraph_get())
    corner = (scene.root.matrix_world.inverted() @ obj.matrix_world) @ obj.data.vertices[0].co
    # A quarter of the way: 1 right, 2 down, turned by 90 degrees clockwise about (1, 0): (-2, 1) from there is (1, 2).
    assert corner[:2] == pytest.approx((1 + 1 + 1, 0 - 2 + 2), abs=1e-4)


def test_500_animated_quads_are_objects_of_their_own():
    records = random_quads(500)
    records["color_envelope"] = 2
    scene = scene_of(records)
    assert len(scene.layers[0].children) == 500
    same(collect(scene), records)


# ---------------------------------------------------------------------------------------------------------------- edits


def test_moving_a_shared_quad_moves_its_points_and_pivot_only():
    scene, records = shared()
    points = scene.layers[0].data.vertices
    for vertex in range(4, 8):
        points[vertex].co.x += 2
    want = records.copy()
    want["points"][1, :, 0] += 2 * TILE
    same(collect(scene), want)


def test_moving_one_corner_moves_nothing_else():
    scene, records = shared()
    scene.layers[0].data.vertices[4].co.y -= 0.5
    want = records.copy()
    want["points"][1, 0, 1] += TILE // 2
    same(collect(scene), want)


def test_moving_the_layers_object_moves_all_quads():
    records = random_quads(5)
    records["color_envelope"][2:] = 2
    scene = scene_of(records)
    scene.layers[0].location.x += 1.5
    bpy.context.view_layer.update()
    want = records.copy()
    want["points"][..., 0] += 3 * TILE // 2
    same(collect(scene), want)


def test_an_animated_quad_is_moved_turned_and_scaled_as_an_object():
    records = default_quads(np.array([(0, 0), (10 * TILE, 0)], np.int32))
    records["position_envelope"] = 0
    scene = scene_of(records)
    bpy.context.scene.frame_set(7)
    obj = scene.layers[0].children[1]
    obj.location.y += 3
    obj.rotation_euler.z = np.pi / 2
    obj.scale.x = 2
    want = records.copy()
    want["points"][1, :, 1] -= 3 * TILE
    centre = want["points"][1, 4]
    # Twice as wide, then turned counter-clockwise: top left ends below left.
    want["points"][1, :4] = centre + np.array([(-1, 2), (-1, -2), (1, 2), (1, -2)]) * TILE
    same(collect(scene), want)


def test_applied_transforms_change_no_record():
    records = random_quads(3, span=20 * TILE)
    records["color_envelope"] = 2
    scene = scene_of(records)
    obj = scene.layers[0].children[0]
    matrix = obj.matrix_basis.copy()
    obj.data.transform(matrix)
    obj.matrix_basis.identity()
    want = records.copy()
    want["points"][0, 4] = 0  # the origin, which is the pivot, now is the layer's
    same(collect(scene), want)


def test_colours_textures_and_pivots_are_read_back():
    scene, records = shared()
    mesh = scene.layers[0].data
    mesh.attributes["corner_color"].data[5].color = (1, 0.5, 2, -1)
    mesh.uv_layers[0].uv[6].vector = (0.25, 3)
    mesh.attributes[layout.PIVOT].data[3].vector = (1, -2, 0)
    want = records.copy()
    want["colors"][1, 2] = (255, 128, 255, 0)
    want["texcoords"][1, 3] = (256, -2048)
    want["points"][3, 4] = (TILE, 2 * TILE)
    same(collect(scene), want)


def edit_mesh(obj, edit):
    """Edit an object's mesh as edit mode does."""
    import bmesh

    made = bmesh.new()
    made.from_mesh(obj.data)
    made.faces.ensure_lookup_table()
    edit(made, made.faces)
    made.to_mesh(obj.data)
    made.free()


def test_duplicated_deleted_and_new_faces():
    import bmesh

    scene, records = shared()

    def edit(mesh, faces):
        first = faces[0]
        made = bmesh.ops.duplicate(mesh, geom=[faces[2]])["geom"]
        bmesh.ops.translate(mesh, vec=(1, 0, 0), verts=[one for one in made if isinstance(one, bmesh.types.BMVert)])
        bmesh.ops.delete(mesh, geom=[first], context="FACES")
        corners = [mesh.verts.new(at) for at in ((0, 0, 0), (0, -1, 0), (1, -1, 0), (1, 0, 0))]
        mesh.faces.new(corners)

    edit_mesh(scene.layers[0], edit)
    got = collect(scene)
    moved = records[2:3].copy()
    moved["points"][..., 0] += TILE
    assert len(got) == 5
    same(got[:2], records[1:3])
    same(got[2:3], moved)
    same(got[3:4], records[3:4])
    new = got[4]
    assert new["points"].tolist() == [[0, 0], [TILE, 0], [0, TILE], [TILE, TILE], [TILE // 2, TILE // 2]]
    assert (new["position_envelope"], new["color_envelope"]) == (-1, -1)


def test_flipped_normals_change_nothing_and_rotated_faces_follow():
    import bmesh

    scene, records = shared()
    edit_mesh(scene.layers[0], lambda mesh, faces: bmesh.ops.reverse_faces(mesh, faces=list(faces)))
    same(collect(scene), records)


def test_depth_is_the_draw_order():
    records = random_quads(3)
    records["position_envelope"] = 0, -1, -1
    scene = scene_of(records)
    scene.layers[0].children[0].location.z += 2.5 * layout.QUAD_STEP
    same(collect(scene), records[[1, 2, 0]])


def test_copies_of_objects_are_copies_of_quads():
    records = random_quads(2)
    records["position_envelope"] = 0
    records["colors"][1, 0] = (300, -1, 0, 0)
    scene = scene_of(records)
    twin = scene.layers[0].children[1].copy()
    scene.collection.objects.link(twin)
    twin.location.x += 1
    bpy.data.objects.remove(scene.layers[0].children[0])
    want = records[[1, 1]].copy()
    want["points"][1, :, 0] += TILE
    same(collect(scene), want)


def test_quads_move_between_layers():
    records, others = random_quads(3), random_quads(2, 5)
    records["position_envelope"] = 1, -1, -1
    scene = scene_of(records, others)
    scene.layers[0].children[0].parent = scene.layers[1]
    same(collect(scene, 0), records[1:])
    same(collect(scene, 1), np.concatenate([others, records[:1]]))


@pytest.mark.parametrize("position", [(1, -1, -1), (-1, -1, 1)])
def test_joining_objects_keeps_envelopes_and_pivots(position):
    records = random_quads(3)
    records["position_envelope"], records["position_envelope_offset"] = position, 0
    scene = scene_of(records)
    bpy.context.scene.frame_set(0)  # joining keeps what an envelope shows
    layer = scene.layers[0]
    first = layer.children[0]
    with bpy.context.temp_override(active_object=layer, selected_editable_objects=[layer, first]):
        bpy.ops.object.join()
    got = collect(scene)
    same(got[np.argsort(got["points"][:, 0, 0])], records[np.argsort(records["points"][:, 0, 0])])


def test_a_triangulated_quad_is_still_one():
    import bmesh

    records = default_quads(np.array([(0, 0), (5 * TILE, 0)], np.int32))
    records["colors"] = np.arange(32).reshape(2, 4, 4)
    scene = scene_of(records)
    edit_mesh(scene.layers[0], lambda mesh, faces: bmesh.ops.triangulate(mesh, faces=[faces[0]]))
    assert len(scene.layers[0].data.polygons) == 3
    same(collect(scene), records)


@pytest.mark.parametrize("edit", ["poke", "dissolve"])
def test_faces_that_are_no_quads_are_refused_with_their_numbers(edit):
    import bmesh

    scene, _ = shared()

    def change(mesh, faces):
        if edit == "poke":
            bmesh.ops.poke(mesh, faces=[faces[1]])
        else:
            bmesh.ops.delete(mesh, geom=[faces[1].verts[0]], context="VERTS")
            mesh.faces.new([mesh.verts.new((x, y, 0)) for x, y in ((0, 0), (1, 0), (2, 1), (1, 2), (0, 1))])

    edit_mesh(scene.layers[0], change)
    with pytest.raises(SceneError, match=r"q0: .*four corners") as caught:
        collect(scene)
    (obj, numbers), *_ = caught.value.faces.items()
    assert obj == scene.layers[0]
    assert [len(obj.data.polygons[int(number)].vertices) != 4 for number in numbers] == [True] * len(numbers)


def test_quads_too_far_away_are_refused():
    scene, _ = shared()
    scene.layers[0].data.vertices[0].co.x = 70000
    with pytest.raises(SceneError, match="65,536 tiles"):
        collect(scene)


def test_modifiers_and_hidden_objects_are_exported_as_they_look():
    scene, records = shared(1)
    layer = scene.layers[0]
    array = layer.modifiers.new("array", "ARRAY")
    array.count, array.use_relative_offset, array.use_constant_offset = 3, False, True
    array.constant_offset_displace = (4, 0, 0)
    bpy.context.view_layer.update()
    want = np.repeat(records, 3)
    want["points"][..., 0] += np.arange(3)[:, None] * 4 * TILE
    same(collect(scene), want)


# ------------------------------------------------------------------------------------------------------------ envelopes


def test_another_envelope_another_offset_none():
    records = random_quads(4)
    records["position_envelope"], records["position_envelope_offset"] = 0, (0, 100, 333, 1001)
    scene = scene_of(records)
    _, second, third, fourth = scene.layers[0].children
    second.animation_data.nla_tracks[0].strips[0].action = scene.envelopes()._actions[1]
    third.animation_data.nla_tracks[0].strips[0].frame_start += FPS
    fourth.animation_data.nla_tracks.remove(fourth.animation_data.nla_tracks[0])
    want = records.copy()
    want["position_envelope"] = 0, 1, 0, -1
    want["position_envelope_offset"][2] = 333 - 1000
    same(collect(scene), want)


def test_keys_on_a_quad_make_a_new_envelope():
    scene, records = shared(2)
    layer = scene.layers[0]
    with bpy.context.temp_override(active_object=layer, selected_objects=[layer]):
        pass
    obj = bpy.data.objects.new("own", layer.data.copy())
    scene.collection.objects.link(obj)
    obj.parent = layer
    edit_mesh(obj, lambda mesh, faces: mesh.faces.remove(faces[0]))
    edit_mesh(layer, lambda mesh, faces: mesh.faces.remove(faces[1]))
    obj.delta_location = (1, 0, 0)
    obj.keyframe_insert("delta_location", frame=0)
    obj.delta_location = (2, -1, 0)
    obj.keyframe_insert("delta_location", frame=FPS)
    envelopes = scene.envelopes()
    got = scene.collect(quad_collect, 0, envelopes)
    assert got["position_envelope"].tolist() == [-1, 4]
    assert got["points"][1, :4].tolist() == records["points"][1, :4].tolist()
    envelopes.apply(scene.level)
    assert scene.level.envelopes[4].points["value"][:, :2].tolist() == [[TILE, 0], [2 * TILE, TILE]]


def test_attributes_of_shared_faces_choose_envelopes():
    scene, records = shared()
    scene.layers[0].data.attributes["color_envelope"].data[1].value = 3
    scene.layers[0].data.attributes["color_envelope_offset"].data[1].value = 40
    want = records.copy()
    want["color_envelope"][1], want["color_envelope_offset"][1] = 2, 40
    same(collect(scene), want)
    scene.layers[0].data.attributes["color_envelope"].data[1].value = 9
    with pytest.raises(SceneError, match="no envelope 8"):
        collect(scene)


def test_removing_an_envelope_renumbers_the_quads():
    records = random_quads(4)
    records["position_envelope"] = 0, 1, -1, 77
    records["color_envelope"] = -1, 2, 2, -1
    scene = scene_of(records)
    bpy.data.actions.remove(scene.envelopes()._actions[0])
    want = records.copy()
    want["position_envelope"] = -1, 0, -1, 77
    want["color_envelope"] = -1, 1, 1, -1
    same(collect(scene), want)


def test_an_edited_envelope_leaves_the_quads():
    records = random_quads(1)
    records["position_envelope"] = 0
    scene = scene_of(records)
    curve = animation.fcurves(scene.envelopes()._actions[0])[0]
    curve.keyframe_points[1].co.y = 9
    envelopes = scene.envelopes()
    same(scene.collect(quad_collect, 0, envelopes), records)
    assert envelopes.apply(scene.level) == ["envelope 0 changed"]
    assert scene.level.envelopes[0].points["value"][1, 0] == 9 * TILE


def test_a_layer_whose_quads_cannot_be_read_stays():
    layer = teeworlds.QuadLayer.new("q", -1, random_quads(2))
    layer.count = 5
    scene = GameScene([layer])
    assert scene.report.warnings
    assert collect(scene) is None


def test_a_scene_without_its_original_is_built_whole():
    records = random_quads(6)
    records["position_envelope"] = 0, 1, -1, 0, -1, -1
    records["color_envelope"] = -1, 2, 2, -1, -1, -1
    scene = scene_of(records)
    envelopes = EnvelopeTable(scene.collection, None, FPS)
    new = dataclasses.replace(scene.scene_of(scene.layers[0], 1), ids_token=None, new=True)
    got = quad_collect.collect(new, scene.record()[1], envelopes)
    order = [np.flatnonzero((records["points"] == one).all(axis=(1, 2)))[0] for one in got["points"]]
    same(got, records[order])
    level = teeworlds.new_level()
    envelopes.apply(level)
    assert [one.points.tobytes() for one in level.envelopes] == [one.points.tobytes() for one in scene.level.envelopes]


def test_keys_that_are_not_exported_are_named():
    (records := random_quads(1))["color_envelope"] = 2
    quad = (scene := scene_of(records)).layers[0].children[0]
    for quad.scale.x in (1, 2):
        quad.keyframe_insert("scale", frame=quad.scale.x)
    EnvelopeTable(scene.collection, scene.level, FPS, scene.report)
    assert any("quad 0: keys on its scale are not exported" in warning for warning in scene.report.warnings)
    scene.layers[0].keyframe_insert("color", frame=0)
    EnvelopeTable(scene.collection, scene.level, FPS, scene.report)
    assert any(scene.layers[0].name in warning and "colour" in warning for warning in scene.report.warnings)


def test_the_scene_rate_is_that_of_the_import():
    assert EnvelopeTable(scene_of(random_quads(1)).collection, None, 60.0).fps == FPS
