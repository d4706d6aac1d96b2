# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a `.3dt`: the lines that say what was edited, and no others; and from one kind of file to the other."""

import difflib

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.genesis.fates import FATES
from levelwright.addon.genesis.new_level import NewSettings, make
from levelwright.addon.scene.fates import ledger
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis
from levelwright.formats.genesis import EditorFace, convert, typedefs

from tests.addon.genesis.export_helpers import brush, exported, imported, part, place, positions, set_uvs, uvs
from tests.formats.genesis_3dt_text import (
    IDENTITY,
    box_points,
    entity,
    face,
    group,
    head,
    hollow,
    leaf,
    level,
    model,
    whole_level,
)
from tests.formats.genesis_bytes import room
from tests.samples import genesis_room

UP, DOWN = 2, 3
LAMP = [("classname", "light"), ("%name%", "lamp"), ("light", "150"), ("origin", "10 20 -30")]
CAMERA = [("classname", "Camera"), ("%name%", "eye"), ("origin", "0 0 0")]


def sample(*brushes, models=(), version=(1, 31)):
    return level(
        version,
        brushes or [leaf("box", version)],
        [entity(LAMP, version, (10, 20, -30)), entity(CAMERA, version, group=1)],
        models,
        [group("Default", 0, version), group("g1", 1, version, 0)],
    ).encode("latin-1")


def lines(before, after):
    """The lines that differ, as (before, after)."""
    old, new = (one.decode("latin-1").split("\n") for one in (before, after))
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append(([one.strip() for one in old[a:b]], [one.strip() for one in new[c:d]]))
    return found


@pytest.mark.parametrize("minor", [2, 5, 10, 14, 20, 27, 31, 32, 33, 34])
def test_an_unedited_scene_is_the_original_byte_for_byte(minor):
    data = whole_level((1, minor)).encode("latin-1")
    report = Report()
    assert exported(imported(data, "a.3dt"), report) == data
    assert not report.notes, report.lines()


def test_line_ends_stay():
    data = sample().replace(b"\n", b"\r\n")
    scene = imported(data, "a.3dt")
    assert exported(scene) == data
    part(scene, layout.ENTITY, 0)["light"] = 200
    assert exported(scene) == data.replace(b'Key light Value "150"', b'Key light Value "200"')


def test_a_moved_brush_moves_its_points_and_takes_its_texture_along():
    data = sample()
    scene = imported(data, "a.3dt")
    brush(scene, 0).location.x += 16
    report = Report()
    after = genesis.read(exported(scene, report))
    was, now = genesis.read(data).brushes[0], after.brushes[0]
    for one, other in zip(was.faces, now.faces, strict=True):
        np.testing.assert_array_equal(other.points, one.points + np.float32([16, 0, 0]))
    assert [face.shift for face in now.faces] == [(0, 0), (0, 0), (-16, 0), (-16, 0), (-16, 0), (-16, 0)]
    assert report.notes == ["brush box changed: 6 faces with other corners, 4 texture placements"]
    free = genesis.read(exported(scene, texture_lock=False)).brushes[0]
    assert {face.shift for face in free.faces} == {(0, 0)}


def test_a_moved_face_is_that_faces_lines_and_its_neighbours():
    data = sample()
    scene = imported(data, "a.3dt")
    obj = brush(scene, 0)
    moved = positions(obj)
    moved[moved[:, 2] > 0, 2] += 16
    place(obj, moved)
    found = lines(data, exported(scene, texture_lock=False))
    assert all("64.000000" in one for before, _ in found for one in before)
    now = [one for _, after in found for one in after]
    assert len(now) == 4 + 4 * 2 and all(one.split()[2] == "80.000000" for one in now)


def test_a_new_texture_placement_and_another_texture():
    data = sample()
    scene = imported(data, "a.3dt")
    obj = brush(scene, 0)
    uv = uvs(obj)
    width = obj.data.materials[0][layout.TEXTURE_SIZE][0]
    uv[list(obj.data.polygons[UP].loop_indices), 0] += 8 / width
    set_uvs(obj, uv)
    obj.data.materials.append(bpy.data.materials.new("stone"))
    obj.data.polygons[DOWN].material_index = len(obj.data.materials) - 1
    info = "TexInfo Rotate 0 Shift {} 0 Scale 1.000000 1.000000 Name {}"
    assert lines(data, exported(scene)) == [
        ([info.format(0, '"brick"')], [info.format(8, '"brick"')]),
        ([info.format(0, '"brick"')], [info.format(0, '"stone"')]),
    ]


def test_a_turned_texture():
    data = sample()
    scene = imported(data, "a.3dt")
    obj = brush(scene, 0)
    uv = uvs(obj)
    loops = list(obj.data.polygons[UP].loop_indices)
    uv[loops] = uv[loops] @ np.array([[0, 1], [-1, 0]])
    set_uvs(obj, uv)
    ((before, after),) = lines(data, exported(scene))
    assert before[0].startswith("TexInfo Rotate 0") and after[0].split()[2] in ("90", "-90")
    np.testing.assert_allclose(uvs(brush(imported(exported(scene), "b.3dt"), 0)), uv, atol=1e-3)


def laid_out(obj):
    """Places below the root and texels of a box's corners, [6, 4, 3] and [6, 4, 2]."""
    matrix = np.array(obj.matrix_basis)
    places = positions(obj)[[loop.vertex_index for loop in obj.data.loops]] @ matrix[:3, :3].T + matrix[:3, 3]
    return places.reshape(6, 4, 3), uvs(obj).reshape(6, 4, 2) * obj.data.materials[0][layout.TEXTURE_SIZE][0]


def texels_off(scene, after):
    """Texels by which the textures of a scene's first brush lie elsewhere in a file, [6]; whole tiles are none."""
    bpy.context.view_layer.update()
    (seen, wanted), (there, found) = laid_out(brush(scene, 0)), laid_out(brush(imported(after, "b.3dt"), 0))
    match = np.abs(seen[:, :, None] - there[:, None]).max(axis=3).argmin(axis=2)
    away = np.take_along_axis(found, match[..., None], axis=1) - wanted
    size = brush(scene, 0).data.materials[0][layout.TEXTURE_SIZE][0]
    return np.abs(away - np.round(away[:, :1] / size) * size).max(axis=(1, 2))


def test_textures_stay_on_brushes_that_are_turned_about_the_vertical_or_mirrored():
    scene = imported(sample(), "a.3dt")
    obj = brush(scene, 0)
    obj.rotation_euler.z = np.radians(37)
    report = Report()
    assert texels_off(scene, exported(scene, report)).max() <= 1
    assert not report.warnings
    obj.rotation_euler.z, obj.scale.x = 0, -1
    assert texels_off(scene, exported(scene, report)).max() <= 1
    assert not report.warnings


def test_textures_that_cannot_stay_on_a_brush_come_near_and_are_told():
    scene = imported(sample(), "a.3dt")
    brush(scene, 0).rotation_euler = (0.4, 0.5, 0.6)
    report = Report()
    exported(scene, report)
    assert "textures lie along the axes" in " ".join(report.warnings)


def test_scales_count_as_the_file_says_them():
    scene = imported(sample(leaf("box", low=(9000, 0, 0), high=(9064, 64, 64))), "a.3dt")
    obj = brush(scene, 0)
    set_uvs(obj, uvs(obj) * 128)  # a scale of 1 / 128, which needs 7 decimals
    assert texels_off(scene, exported(scene)).max() <= 1


def test_textures_that_the_editor_has_no_numbers_for_are_refused():
    scene = imported(sample(), "a.3dt")
    obj = brush(scene, 0)
    uv = uvs(obj)
    loops = list(obj.data.polygons[UP].loop_indices)
    uv[loops, 0] += uv[loops, 1] * 0.7  # skewed
    set_uvs(obj, uv)
    with pytest.raises(SceneError, match="no numbers for") as caught:
        exported(scene)
    assert caught.value.faces[obj].tolist() == [UP]


def test_properties_of_brushes_and_faces():
    data = sample()
    scene = imported(data, "a.3dt")
    obj = brush(scene, 0)
    obj["brush_name"], obj["detail"] = "crate", True
    obj.data.attributes["face_light"].data[UP].value = 50
    assert lines(data, exported(scene)) == [
        (['Brush "box"', "Flags 1"], ['Brush "crate"', "Flags 9"]),
        (["Light 300"], ["Light 50"]),
    ]


def test_values_of_several_lines_are_refused():
    scene = imported(sample(), "a.3dt")
    part(scene, layout.ENTITY, 0)["light"] = "1\n2"
    with pytest.raises(SceneError, match="property light: a value in a"):
        exported(scene)


def test_a_hollow_brush_moves_as_one():
    data = sample(hollow("room", (-256, 0, -256), (256, 256, 256)), leaf("box"))
    scene, report = imported(data, "a.3dt"), Report()
    assert exported(scene) == data
    ledger.tell(scene, FATES, report)
    assert not report.notes, "nothing was edited"
    brush(scene, 0).location.z += 32
    after = genesis.read(exported(scene, texture_lock=False))
    was = genesis.read(data)
    for one, other in zip(was.brushes[0].leaves(), after.brushes[0].leaves(), strict=True):
        for a, b in zip(one.faces, other.faces, strict=True):
            np.testing.assert_array_equal(b.points, a.points + np.float32([0, 32, 0]))
    assert after.brushes[1].faces[0].points.tobytes() == was.brushes[1].faces[0].points.tobytes()


def test_copies_and_removals_in_the_tree():
    data = sample(hollow("room", (-256, 0, -256), (256, 256, 256)), leaf("box"))
    scene = imported(data, "a.3dt")
    shell, inner = brush(scene, 1), brush(scene, 2)
    bpy.data.objects.remove(inner)
    report = Report()
    after = genesis.read(exported(scene, report))
    assert [one.is_multi for one in after.brushes] == [True, False]
    assert len(after.brushes[0].children) == 1
    bpy.data.objects.remove(shell)
    after = genesis.read(exported(scene))
    assert [one.name for one in after.brushes] == ["box"]
    box = brush(scene, 3)
    twin = box.copy()
    twin.data = box.data.copy()
    twin.location.x += 256
    box.users_collection[0].objects.link(twin)
    after = genesis.read(exported(scene))
    assert [one.name for one in after.brushes] == ["box", "box"]
    assert after.brushes[1].faces[0].points[0, 0] - after.brushes[0].faces[0].points[0, 0] == 256


def test_groups_follow_from_collections():
    data = sample(leaf("box", group=0))
    scene = imported(data, "a.3dt")
    homes = [one for one in scene.children_recursive if one.get("group_name") is not None]
    obj = brush(scene, 0)
    homes[0].objects.unlink(obj)
    homes[1].objects.link(obj)
    homes[1]["group_name"] = "doors"
    report = Report()
    assert lines(data, exported(scene, report)) == [
        (["GroupId 0"], ["GroupId 1"]),
        (['Group "g1"'], ['Group "doors"']),
    ]
    assert set(report.notes) == {"brush box changed: group", "group doors changed: group_name"}


def test_models_stand_as_at_their_key_and_motions_are_read_back():
    data = sample(leaf("box"), leaf("door", model=1), models=[model("door", 1, time=2.5, origin=(0, 64, 0))])
    scene = imported(data, "a.3dt")
    assert exported(scene) == data
    bpy.context.scene.frame_set(20)
    assert exported(scene) == data
    part(scene, layout.MODEL, 0)["model_name"] = "gate"
    part(scene, layout.MODEL, 0)["key_time"] = 0.0
    found = lines(data, exported(scene, texture_lock=False))
    assert (['Model "door"'], ['Model "gate"']) in found


def test_the_levels_own_words_and_settings():
    data = sample()
    scene = imported(data, "a.3dt")
    scene["TextureLib"] = "b.txl"
    scene["SkyTop"] = "up"
    scene["SkyBack"] = "-bk"
    found = lines(data, exported(scene))
    assert (['TextureLib "..\\\\a b.txl"'], ['TextureLib "b.txl"']) in found
    assert (['0 ""'], ['1 "up"']) in found and (['1 "bk"'], ['0 "bk"']) in found
    assert len(found) == 3
    text = originals.resources(scene, layout.SETTINGS)[0]
    body = text.as_string()
    text.clear()
    text.write(body.replace("CompileInfo", "CompileInfo2"))
    assert (["CompileInfo"], ["CompileInfo2"]) in lines(data, exported(scene))


def test_entities_move_in_both_their_places():
    data = sample()
    scene = imported(data, "a.3dt")
    part(scene, layout.ENTITY, 0).location.x += 5
    assert lines(data, exported(scene)) == [
        (["eOrigin 10 20 -30 2"], ["eOrigin 15 20 -30 2"]),
        (['Key origin Value "10 20 -30"'], ['Key origin Value "15 20 -30"']),
    ]


def test_an_edited_old_level_becomes_one_of_today():
    data = whole_level((1, 20)).encode("latin-1")
    scene = imported(data, "a.3dt")
    part(scene, layout.ENTITY, 0)["light"] = 99
    report = Report()
    after = genesis.read(exported(scene, report))
    assert after.version == (1, 31) and after.entities[0].get("light") == "99"
    assert "version 1.20 became 1.31" in report.notes


def test_a_new_mesh_is_a_brush():
    import bmesh

    scene = imported(sample(), "a.3dt")
    mesh = bpy.data.meshes.new("cube")
    made = bmesh.new()
    bmesh.ops.create_cube(made, size=32)
    made.to_mesh(mesh)
    made.free()
    obj = bpy.data.objects.new("cube", mesh)
    obj.parent = next(one for one in scene.objects if one.parent is None)
    scene.children[0].objects.link(obj)
    after = genesis.read(exported(scene)).brushes[1]
    assert (after.name, after.flags, len(after.faces)) == ("cube", 1, 6)
    face = after.faces[0]
    assert (face.flags, face.light, face.rotate, face.shift, face.scale, face.light_scale) == (
        0x200, 300, 0, (0, 0), (1, 1), (2, 2),
    )  # fmt: skip
    again = imported(genesis.write(genesis.read(exported(scene))), "b.3dt")
    np.testing.assert_allclose(np.abs(positions(brush(again, 1))), 16)


# ---- the other kind of file


def test_a_3dt_becomes_a_map():
    data = sample(hollow("room", (-256, 0, -256), (256, 256, 256)))
    scene = imported(data, "a.3dt")
    report = Report()
    made = genesis.read(exported(scene, report, container="map"))
    assert made.kind == "map" and len(made.world.brushes) == 6, "six walls of the room"
    assert "converted from .3dt to .map" in report.notes
    assert [one.classname for one in made.points] == ["light"]


def test_a_map_becomes_a_3dt():
    data = room()
    made = genesis.read(exported(imported(data), container="3dt"))
    assert made.kind == "3dt" and len(made.brushes) == 6
    back = genesis.read(exported(imported(genesis.write(made), "a.3dt"), container="map"))
    assert sorted(len(one.faces) for one in back.world.brushes) == [6] * 6


def test_edits_are_part_of_what_is_converted():
    scene = imported(room())
    brush(scene, 0).location.x += 8
    made = genesis.read(exported(scene, container="3dt", texture_lock=False))
    was = genesis.read(exported(imported(room()), container="3dt"))
    first, other = made.brushes[0].faces[0].points, was.brushes[0].faces[0].points
    np.testing.assert_array_equal(first - other, np.broadcast_to(np.float32([8, 0, 0]), first.shape))


def test_a_conversion_that_the_compiler_would_refuse_is_refused():
    data = level((1, 31), [leaf("box")], [], (), [group("Default", 0)]).encode("latin-1")
    with pytest.raises(SceneError, match="no entity but the world"):
        exported(imported(data, "a.3dt"), container="map")


def test_hidden_and_locked_brushes_are_so_in_the_viewport_and_go_back():
    data = level((1, 31), [leaf("a", flags=0x1001), leaf("b", flags=0x2001), leaf("c")]).encode("latin-1")
    scene = imported(data, "a.3dt")
    a, b, c = (brush(scene, number) for number in range(3))
    assert [(one.hide_viewport, one.hide_select) for one in (a, b, c)] == [(True, False), (False, True), (False, False)]
    c.hide_set(True)
    assert exported(scene) == data
    a.hide_viewport, b.hide_select, c.hide_viewport, c.hide_select = False, False, True, True
    report = Report()
    assert [one.flags for one in genesis.read(exported(scene, report)).brushes] == [1, 1, 0x3001]
    assert report.notes == [f"brush {one.name} changed: flags" for one in (a, b, c)]
    c.hide_viewport = c.hide_select = False
    c["hidden"] = True
    assert [one.flags for one in genesis.read(exported(scene)).brushes] == [1, 1, 0x1001]


LOCKED = 0x300
AXES = (0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1, 0, 0, 0)


def corners(obj, matrix):
    """Places and UVs of an object's corners, [c, 5], in an order that doesn't depend on the mesh's."""
    own = positions(obj)[[loop.vertex_index for loop in obj.data.loops]]
    rows = np.column_stack([own @ matrix[:3, :3].T + matrix[:3, 3], uvs(obj)])
    return np.array(sorted(map(tuple, np.round(rows, 2).tolist())))


def same_picture(data, scene, record):
    """A written level shows textures where the scene has them, and compiles to that."""
    seen = brush(scene, record)
    expected = corners(seen, np.array(seen.matrix_basis))
    compiled, _ = convert.to_map(genesis.read(data), typedefs.BUILTIN)
    for again, file in ((data, "again.3dt"), (genesis.write(compiled), "again.map")):
        made = brush(imported(again, file), record)
        np.testing.assert_allclose(corners(made, np.array(made.matrix_basis)), expected, atol=0.02)


@pytest.mark.parametrize("minor", [32, 33, 34])
def test_locked_textures_stay_locked_on_what_is_moved_and_turned(minor):
    look = {"transform": AXES, "position": (3, 4, 5), "rotate": 30, "shift": (5, -7), "scale": (0.5, 2.0)}
    sides = [face(points, (1, minor), flags=LOCKED, **look) for points in box_points((-64,) * 3, (64,) * 3)]
    brushes = head("box", (1, minor), 1, 2) + "\tBrushFaces 6\n" + "".join(sides)
    data = sample(brushes, leaf("other", (1, minor), (200,) * 3, (300,) * 3), version=(1, minor))
    scene = imported(data, "a.3dt")
    obj = brush(scene, 0)
    obj.location = (10.5, 20.25, -3)
    obj.rotation_euler = (0.3, 0.2, 0.1)
    report = Report()
    after = exported(scene, report)
    assert not report.warnings and report.notes == [
        "brush box changed: 6 faces with other corners, 6 texture placements"
    ]
    level_now = genesis.read(after)
    assert {one.flags for one in level_now.brushes[0].faces} == {LOCKED}
    same_picture(after, scene, 0)
    moved = imported(after, "b.3dt")
    assert exported(moved) == after


def test_textures_that_only_a_lock_can_lay_are_locked_since_that_exists():
    scene = imported(sample(leaf("box", (1, 32)), version=(1, 32)), "a.3dt")
    obj = brush(scene, 0)
    uv = uvs(obj)
    loops = list(obj.data.polygons[UP].loop_indices)
    uv[loops] = uv[loops] @ np.array([[1, 0.5], [0.25, 2]]) + 0.3
    set_uvs(obj, uv)
    after = exported(scene)
    flags = [one.flags & LOCKED for one in genesis.read(after).brushes[0].faces]
    assert flags == [0x200, 0x200, 0x300, 0x200, 0x200, 0x200]
    same_picture(after, scene, 0)


def test_axes_that_look_like_none_are_told_otherwise():
    record = genesis.new_faces(1)
    record["u_vec"], record["v_vec"], record["normal"] = (0.5, 0, 0), (0, 0.5, 0), (0, 0, -1)
    record["offset_x"], record["offset_y"] = 3.25, -4
    rotate, axes, position = convert.lock(record[0], (2.0, 2.0), (1.0, 1.0), (3, -4))
    assert axes != IDENTITY
    made = EditorFace(np.zeros((0, 3), np.float32), "a", LOCKED, rotate=rotate, transform=axes, position=position)
    made.shift = (3, -4)
    again = record.copy()
    again["u_vec"] = again["v_vec"] = again["offset_x"] = 9
    convert.lay_locked(again, [made])
    for name in ("u_vec", "v_vec", "offset_x", "offset_y"):
        np.testing.assert_allclose(again[name], record[name], atol=1e-6)


def test_a_collection_that_was_made_in_blender_is_a_new_group():
    data = sample(leaf("crate"))
    scene = imported(data, "a.3dt")
    made, cameras = bpy.data.collections.new("Barrels"), bpy.data.collections.new("Cameras")
    for one in (made, cameras):
        scene.children.link(one)
    cameras.objects.link(bpy.data.objects.new("view", bpy.data.cameras.new("view")))
    crate = brush(scene, 0)
    made.objects.link(crate)
    assert exported(scene) == data  # it is still in its own group
    for home in crate.users_collection:
        if home != made:
            home.objects.unlink(crate)
    after = genesis.read(exported(scene))
    assert [one.name for one in after.groups] == [*(one.name for one in genesis.read(data).groups), "Barrels"]
    assert after.brushes[0].group_id == after.groups[-1].group_id


def test_a_level_built_as_new_keeps_groups_textures_and_what_it_says_of_itself():
    data = (genesis_room.FOLDER / "genesis_room.3dt").read_bytes()
    after = genesis.read(exported(imported(data, "a.3dt"), build_as_new=True))
    was = genesis.read(data)
    assert [(one.name, one.group_id) for one in after.groups] == [(one.name, one.group_id) for one in was.groups]
    assert (after.texture_library, after.headers_directory) == (was.texture_library, was.headers_directory)
    skies = [(one.sky.axis, one.sky.speed, [face.texture for face in one.sky.faces]) for one in (was, after)]
    assert skies[0] == skies[1]
    laid = [
        [(one.texture, one.rotate, one.shift, one.scale, one.light_scale) for one in brush.faces]
        for level in (was, after)
        for brush in level.brushes
    ]
    assert laid[: len(laid) // 2] == laid[len(laid) // 2 :]


def test_a_new_level_has_one_first_group():
    made = make(bpy.context, NewSettings(kind="3dt"), Report())
    assert [(one.name, one.group_id) for one in genesis.read(exported(made)).groups] == [("Default", 0)]
