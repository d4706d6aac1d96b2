# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles moved, turned, painted, copied and removed in Blender: what the map gets, and what is refused."""

import math

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.formats import teeworlds

from tests.addon.teeworlds.export_helpers import (
    changes,
    corners,
    exported,
    face_at,
    imported,
    layer,
    names,
    opened,
    parse,
    place,
)
from tests.formats.teeworlds_bytes import LAYER, small_map, tile, whole_map

# Of whole_map: a blob and layers by number.
DECO_TILES = 13
DECO, TELE, SPEEDUP, FRONT, SWITCH = 3, 4, 5, 6, 7


def tiles(data: bytes, blob: int, width: int = 12) -> np.ndarray:
    """The tiles of a blob, [height, width, 4 bytes]."""
    return np.frombuffer(parse(data)[1][blob], np.uint8).reshape(-1, width, 4)


def differing(before: bytes, after: bytes, blob: int) -> dict[tuple[int, int], list[int]]:
    """The tiles that differ, by column and row."""
    old, new = tiles(before, blob), tiles(after, blob)
    return {(int(x), int(y)): new[y, x].tolist() for y, x in zip(*np.nonzero((old != new).any(axis=2)), strict=True)}


def moved(positions: np.ndarray, face: int, x: float, y: float) -> np.ndarray:
    positions[face] += (x, y, 0)
    return positions


def test_moving_a_tile_changes_two_cells_and_nothing_else():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    place(deco, moved(corners(deco), face_at(deco, 1, 0), 1, -2))
    report = Report()
    after = exported(level, report)
    assert changes(data, after) == ({}, [DECO_TILES])
    assert differing(data, after, DECO_TILES) == {(1, 0): [0, 0, 0, 0], (2, 2): [1, 1, 0, 0]}
    assert report.notes == [f"layer {deco.name} changed"]


def test_an_edit_in_progress_in_edit_mode_is_exported():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    face, other = face_at(deco, 1, 0), face_at(deco, 3, 0)
    bpy.context.view_layer.objects.active = deco
    bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(deco.data)
    mesh.faces.ensure_lookup_table()
    chosen, gone = mesh.faces[face], mesh.faces[other]
    made = bmesh.ops.duplicate(mesh, geom=[chosen])["geom"]
    bmesh.ops.translate(mesh, vec=(1, 0, 0), verts=[one for one in made if isinstance(one, bmesh.types.BMVert)])
    bmesh.ops.delete(mesh, geom=[gone], context="FACES")
    bmesh.update_edit_mesh(deco.data)
    after = exported(level)
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert differing(data, after, DECO_TILES) == {(2, 0): [1, 1, 0, 0], (3, 0): [0, 0, 0, 0]}


def test_blenders_own_operators_on_tiles():
    data = small_map(5, 5, tile(7, 1) + bytes(4 * 24)).build()
    level = imported(data, physics=True)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = layer(level, 0)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.duplicate()
    bpy.ops.transform.translate(value=(2, -3, 0))
    bpy.ops.transform.rotate(value=math.pi / 2, orient_axis="Z")
    assert differing_small(data, exported(level)) in (
        {(2, 3): [7, 8 | 1, 0, 0]},
        {(2, 3): [7, 8 | 2, 0, 0]},
    ), "turned by 90 degrees; which way is Blender's affair"
    bpy.ops.transform.mirror(constraint_axis=(True, False, False))
    bpy.ops.mesh.delete(type="FACE")
    assert exported(level) == data
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize(
    ("matrix", "flags"),
    [
        ([[0, 1], [-1, 0]], 8),
        ([[-1, 0], [0, -1]], 3),
        ([[0, -1], [1, 0]], 11),
        ([[-1, 0], [0, 1]], 1),
        ([[1, 0], [0, -1]], 2),
    ],
    ids=["clockwise", "half", "counterclockwise", "mirrored", "upside down"],
)
def test_turning_a_tile_in_edit_mode_writes_the_flags_that_look_so(matrix, flags):
    data = small_map(tiles=tile(5) + bytes(44)).build()
    level = imported(data, physics=True)
    game = layer(level, 0)
    bpy.context.view_layer.objects.active = game
    bpy.ops.object.mode_set(mode="EDIT")
    mesh = bmesh.from_edit_mesh(game.data)
    full = np.eye(3)
    full[:2, :2] = matrix
    bmesh.ops.transform(mesh, matrix=_about((0.5, -0.5, 0), full), verts=mesh.verts)
    bmesh.ops.reverse_faces(mesh, faces=mesh.faces)
    bmesh.update_edit_mesh(game.data)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert tiles(exported(level), 0, 4)[0, 0].tolist() == [5, flags, 0, 0]


def _about(centre, turn):
    from mathutils import Matrix, Vector

    return Matrix.Translation(Vector(centre)) @ Matrix(turn).to_4x4() @ Matrix.Translation(-Vector(centre))


def test_attributes_are_written_where_they_were_edited():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    face = face_at(deco, 1, 0)
    deco.data.attributes["index"].data[face].value = 200
    deco.data.attributes["flags"].data[face].value = 8 | 4
    assert differing(data, exported(level), DECO_TILES) == {(1, 0): [200, 12, 0, 0]}


@pytest.mark.parametrize(
    ("record", "blob", "attribute", "byte", "value"),
    [
        (TELE, 15, "number", 0, 77),
        (TELE, 15, "index", 1, 10),
        (SPEEDUP, 17, "force", 0, 99),
        (SPEEDUP, 17, "max_speed", 1, 7),
        (SPEEDUP, 17, "angle", 4, 45),
        (SWITCH, 21, "delay", 3, 9),
        (SWITCH, 21, "number", 0, 4),
    ],
)
def test_special_fields_are_attributes(record, blob, attribute, byte, value):
    data = whole_map().build()
    level = opened(data)
    layer(level, record).data.attributes[attribute].data[0].value = value
    after = exported(level)
    assert changes(data, after) == ({}, [blob])
    old, new = parse(data)[1][blob], parse(after)[1][blob]
    allowed = {byte, byte + 1} if attribute == "angle" else {byte}
    assert {at for at in range(len(old)) if old[at] != new[at]} <= allowed
    assert new[byte] == value


def test_an_attribute_decides_over_a_turned_face():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    face = face_at(deco, 1, 0)
    deco.data.attributes["flags"].data[face].value = 2
    positions = corners(deco)
    positions[face] = np.roll(positions[face], 1, axis=0)
    place(deco, positions)
    assert differing(data, exported(level), DECO_TILES) == {(1, 0): [1, 2, 0, 0]}


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [(0.5, 0, r"1 tile is not on the grid .* at \(1.5, 0\)"), (1, -1, r"2 tiles are overlapping: at \(2, 1\)"),
     (0, 3, r"1 tile is outside the layer \(12 x 8\): at \(1, -3\)")],
)  # fmt: skip
def test_tiles_that_fit_no_cell_are_refused_and_selected(x, y, message):
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    face = face_at(deco, 1, 0)
    place(deco, moved(corners(deco), face, x, y))
    with pytest.raises(SceneError, match=message) as caught:
        exported(level)
    assert face in caught.value.faces[deco]


def test_the_operator_selects_the_tiles_and_leaves_the_file(tmp_path):
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    face = face_at(deco, 1, 0)
    place(deco, moved(corners(deco), face, 0.5, 0))
    path = tmp_path / "out.map"
    path.write_bytes(b"as it was")
    with pytest.raises(RuntimeError, match="not on the grid"):
        bpy.ops.export_scene.teeworlds_map(filepath=str(path))
    assert path.read_bytes() == b"as it was"
    assert [one.index for one in deco.data.polygons if one.select] == [face]
    assert bpy.context.view_layer.objects.active == deco


def test_a_layer_moved_and_turned_in_object_mode():
    data = small_map(5, 5, tile(7) + tile(8, 1) + bytes(4 * 23)).build()
    level = imported(data, physics=True)
    game = layer(level, 0)
    game.location.x, game.location.y = 2, -1
    assert differing_small(data, exported(level)) == {
        (0, 0): [0, 0, 0, 0], (1, 0): [0, 0, 0, 0], (2, 1): [7, 0, 0, 0], (3, 1): [8, 1, 0, 0]
    }  # fmt: skip
    game.location.x, game.location.y = 5, 0
    game.rotation_euler.z = -math.pi / 2  # clockwise: rows become columns from the right
    assert differing_small(data, exported(level)) == {
        (0, 0): [0, 0, 0, 0], (1, 0): [0, 0, 0, 0], (4, 0): [7, 8, 0, 0], (4, 1): [8, 9, 0, 0]
    }  # fmt: skip
    game.rotation_euler.z = 0
    game.scale.x = -1
    assert differing_small(data, exported(level)) == {
        (0, 0): [0, 0, 0, 0], (1, 0): [0, 0, 0, 0], (3, 0): [8, 0, 0, 0], (4, 0): [7, 1, 0, 0]
    }  # fmt: skip
    game.scale.x = 2
    with pytest.raises(SceneError, match="2 tiles are not on the grid"):
        exported(level)


def differing_small(before: bytes, after: bytes) -> dict[tuple[int, int], list[int]]:
    old, new = tiles(before, 0, 5), tiles(after, 0, 5)
    return {(int(x), int(y)): new[y, x].tolist() for y, x in zip(*np.nonzero((old != new).any(axis=2)), strict=True)}


def test_array_and_mirror_modifiers_make_tiles():
    data = small_map(5, 5, tile(7, 1) + bytes(4 * 24)).build()
    level = imported(data, physics=True)
    game = layer(level, 0)
    array = game.modifiers.new("array", "ARRAY")
    array.count, array.use_relative_offset, array.use_constant_offset = 2, False, True
    array.constant_offset_displace = (1, 0, 0)
    assert differing_small(data, exported(level)) == {(1, 0): [7, 1, 0, 0]}
    game.modifiers.remove(array)
    centre = bpy.data.objects.new("centre", None)
    centre.location = (1.5, 0, 0)
    mirror = game.modifiers.new("mirror", "MIRROR")
    mirror.mirror_object = centre
    assert differing_small(data, exported(level)) == {(2, 0): [7, 0, 0, 0]}


def test_new_faces_get_index_and_flags_from_their_texture():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    mesh = bmesh.new()
    mesh.from_mesh(deco.data)
    uv = mesh.loops.layers.uv[layout.UV]
    face = mesh.faces.new([mesh.verts.new((x, y, 0)) for x, y in ((2, 0), (2, -1), (3, -1), (3, 0))])
    for loop, (u, v) in zip(face.loops, ((5, 16), (5, 15), (6, 15), (6, 16)), strict=True):
        loop[uv].uv = (u / 16, v / 16)
    mesh.to_mesh(deco.data)
    assert differing(data, exported(level), DECO_TILES) == {(2, 0): [5, 0, 0, 0]}
    for corner in deco.data.polygons[-1].loop_indices:
        deco.data.uv_layers[0].uv[corner].vector = (0, 0)
    with pytest.raises(SceneError, match=r"1 tile is new, and neither .* at \(2, 0\)"):
        exported(level)


def test_subdivided_tiles_are_refused():
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    mesh = bmesh.new()
    mesh.from_mesh(deco.data)
    bmesh.ops.subdivide_edges(mesh, edges=mesh.edges, cuts=1, use_grid_fill=True)
    mesh.to_mesh(deco.data)
    with pytest.raises(SceneError, match="not on the grid"):
        exported(level)


def test_triangulated_tiles_are_refused():
    level = opened(whole_map().build())
    deco = layer(level, DECO)
    mesh = bmesh.new()
    mesh.from_mesh(deco.data)
    bmesh.ops.triangulate(mesh, faces=mesh.faces)
    mesh.to_mesh(deco.data)
    with pytest.raises(SceneError, match="96 faces don't have four corners") as caught:
        exported(level)
    assert len(caught.value.faces[deco]) == 96


def test_tiles_joined_into_another_layer_go_there():
    data = whole_map().build()
    level = imported(data, physics=True)
    front, deco = layer(level, FRONT), layer(level, DECO)
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in (front, deco))
    bpy.context.view_layer.objects.active = deco
    bpy.ops.object.join()
    after = exported(level)
    assert names(after)[1] == ("Game", ["Game", "Deco", "Tele", "Speedup", "Switch", "Tune"])
    assert differing(data, after, DECO_TILES) == {(0, 0): [9, 0, 0, 0]}


def test_tiles_separated_from_a_layer_become_a_layer_like_it():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    bpy.context.view_layer.objects.active = deco
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == deco)
    face = face_at(deco, 1, 0)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.tool_settings.mesh_select_mode = (False, False, True)
    for one in bmesh.from_edit_mesh(deco.data).faces:
        one.select_set(one.index == face)
    bmesh.update_edit_mesh(deco.data)
    bpy.ops.mesh.separate(type="SELECTED")
    bpy.ops.object.mode_set(mode="OBJECT")
    after = exported(level)
    assert names(after)[1] == ("Game", ["Game", "Deco", "Deco", "Tele", "Speedup", "Front", "Switch", "Tune"])
    items, blobs = parse(after)
    assert differing(data, after, items[LAYER, DECO][14]) == {(1, 0): [0, 0, 0, 0]}
    made = np.frombuffer(blobs[items[LAYER, DECO + 1][14]], np.uint8).reshape(8, 12, 4)
    assert made[0, 1].tolist() == [1, 1, 0, 0] and np.count_nonzero(made[..., 0]) == 1
    old, new = items[LAYER, DECO], items[LAYER, DECO + 1]
    assert [number for number in range(23) if old[number] != new[number]] == [14], "all fields but its tiles"


def test_a_layer_is_resized_by_its_properties():
    data = whole_map().build()
    level = opened(data)
    deco = layer(level, DECO)
    deco["width"], deco["height"] = 14, 9
    after = exported(level)
    assert changes(data, after) == ({(LAYER, DECO): [4, 5]}, [DECO_TILES])
    assert (tiles(after, DECO_TILES, 14)[:8, :12] == tiles(data, DECO_TILES)).all()
    deco["width"] = 4
    with pytest.raises(SceneError, match=r"outside the layer \(4 x 9\)"):
        exported(level)


def test_a_layer_larger_than_any_map_is_refused():
    level = opened(whole_map().build())
    layer(level, DECO)["width"] = layer(level, DECO)["height"] = 100_000
    with pytest.raises(SceneError, match="Deco: a layer of 100000 x 100000 tiles is larger"):
        exported(level)
    bpy.context.view_layer.objects.active = layer(level, DECO)
    with pytest.raises(RuntimeError, match="larger than a map can hold"):
        bpy.ops.levelwright.teeworlds_add_layer(kind="TILES", width=100_000, height=100_000)
    with pytest.raises(RuntimeError, match="larger than a map can hold"):
        bpy.ops.levelwright.teeworlds_new_map(width=100_000, height=100_000)


def test_a_layer_drawn_from_images_is_edited_by_painting():
    data = whole_map().build()
    level = imported(data, large_layer=10)
    deco = layer(level, DECO)
    assert deco[layout.STORAGE] == layout.PLANE
    assert exported(level) == data
    picture = deco[layout.FIELD_IMAGES[0]]
    pixels = np.array(picture.pixels[:], np.float32).reshape(8, 12, 4)
    pixels[7, 0, :2] = np.array((9, 8)) / 255  # the top row is the last
    picture.pixels.foreach_set(pixels.ravel())
    picture.update()
    after = exported(level)
    assert changes(data, after) == ({}, [DECO_TILES])
    assert differing(data, after, DECO_TILES) == {(0, 0): [9, 8, 0, 0]}
    deco.location.x += 1
    with pytest.raises(SceneError, match="can't be moved or turned, only painted"):
        exported(level)


def test_another_layers_image_is_written_like_a_painted_one():
    data = whole_map().build()
    level = imported(data, large_layer=0)
    deco, key = layer(level, DECO), layout.FIELD_IMAGES[0]
    others = [obj for obj in level.all_objects if obj.get(key) is not None and obj != deco]
    own = np.array(deco[key].pixels[:])
    other = next(obj for obj in others if not np.array_equal(np.resize(obj[key].pixels[:], own.shape), own))
    deco[key] = other[key]
    before, after = (list(teeworlds.read(each).layers)[DECO].tiles() for each in (data, exported(level)))
    assert (before["index"] != after["index"]).any()


def test_painting_reaches_every_byte_of_a_speedup():
    data = whole_map().build()
    level = imported(data, large_layer=0)
    speedup = layer(level, SPEEDUP)
    assert exported(level) == data
    picture = speedup[layout.FIELD_IMAGES[1]]
    pixels = np.array(picture.pixels[:], np.float32).reshape(8, 12, 4)
    pixels[7, 0, :2] = np.array((0xFE, 0xFF)) / 255  # -2 in 16 bits
    picture.pixels.foreach_set(pixels.ravel())
    assert parse(exported(level))[1][17][:6] == bytes((30, 5, 28, 0, 0xFE, 0xFF))
