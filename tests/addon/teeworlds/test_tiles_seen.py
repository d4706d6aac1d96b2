# SPDX-License-Identifier: GPL-3.0-or-later
"""What is painted is what is seen is what is exported: tiles by attributes, by UVs, by turned faces, by nodes."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds.gltf_materials import make_gltf_materials
from levelwright.addon.teeworlds.operators import set_image
from levelwright.addon.teeworlds.tiles import faces
from levelwright.addon.teeworlds.tiles.operators import fill_tiles
from levelwright.formats.teeworlds import tile_faces, tiles

from tests.addon.teeworlds.export_helpers import corners, exported, imported, layer, parse, place, values
from tests.addon.teeworlds.test_look import level_of, render
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, tile

SIZE = 5
"""Tiles side by side in the layer that is edited."""
PIXELS = 8
ALIKE = 1.6
"""Of 255: what rounding to bytes and back may change."""


def art() -> bytes:
    """A tileset 256 x 256 of which each tile's quarters have colours of their own."""
    pixels = np.zeros((256, 256, 4), np.uint8)
    row, column = np.mgrid[:256, :256]
    pixels[..., 0] = row // 8 * 8
    pixels[..., 1] = column // 8 * 8
    pixels[..., 2] = 128 + 64 * (column // 16 % 2)
    pixels[..., 3] = 255
    return pixels.tobytes()


def level(cells: bytes = tile(17) * SIZE) -> bpy.types.Collection:
    m = Map()
    m.version()
    m.group("drawn")
    m.tiles(SIZE, 2, cells + bytes(4 * SIZE), image=m.image("art", 256, 256, art()))
    return level_of(m)


def row(level: bpy.types.Collection) -> list[list[int]]:
    """Index and flags of the layer's first row, as it is exported."""
    data = parse(exported(level))[1]
    blob = next(blob for blob in data if len(blob) == 8 * SIZE)
    return np.frombuffer(blob, np.uint8).reshape(-1, 4)[:SIZE, :2].tolist()


def written(level: bpy.types.Collection, **attributes: list[int]) -> None:
    """Write whole attributes of the layer, and nothing else."""
    mesh = layer(level, 0).data
    for name, numbers in attributes.items():
        mesh.attributes[name].data.foreach_set("value", np.array(numbers, np.int32))
    mesh.update()


def show_uv(level: bpy.types.Collection, face: int, index: int, flags: int) -> None:
    """Let a face's UVs show another tile, as the UV editor would."""
    uvs = layer(level, 0).data.uv_layers[0].uv
    for corner, uv in enumerate(tiles.corner_uvs(np.array([index]), np.array([flags]))[0]):
        uvs[4 * face + corner].vector = uv


def turn(level: bpy.types.Collection, face: int) -> None:
    """Turn a face by 90 degrees about its middle, as in edit mode."""
    positions = corners(layer(level, 0))
    positions[face] = np.roll(positions[face], 1, axis=0)
    place(layer(level, 0), positions)


def by_attributes(level: bpy.types.Collection) -> None:
    written(level, index=[17, 200, 3, 0, 17], flags=[8, 1, 0, 0, 11])


def by_uvs(level: bpy.types.Collection) -> None:
    for face, (index, flags) in enumerate([(17, 8), (200, 1), (3, 0), (17, 0), (17, 11)]):
        show_uv(level, face, index, flags)


def by_both(level: bpy.types.Collection) -> None:
    show_uv(level, 0, 90, 3)
    turn(level, 1)
    turn(level, 2)
    show_uv(level, 3, 44, 0)
    written(level, index=[200, 200, 17, 17, 17], flags=[0, 0, 9, 2, 0])


def by_tool(level: bpy.types.Collection) -> None:
    turn(level, 2)
    show_uv(level, 1, 9, 9)
    faces.paint(layer(level, 0), np.array([0, 1, 2, 4]), index=[17, 200, 3, 17], flags=[8, 1, 0, 11])


def by_filling(level: bpy.types.Collection) -> None:
    for column, (index, flags) in enumerate([(17, 8), (200, 1), (3, 0), (0, 0), (17, 11)]):
        fill_tiles(layer(level, 0), (column, 0), (1, 1), index, flags)


def by_nodes(level: bpy.types.Collection) -> None:
    obj = layer(level, 0)
    tree = bpy.data.node_groups.new("paint", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    store.data_type, store.domain = "INT", "FACE"
    store.inputs["Name"].default_value = "index"
    next(one for one in store.inputs if one.name == "Value" and one.enabled).default_value = 77
    tree.links.new(tree.nodes.new("NodeGroupInput").outputs[0], store.inputs[0])
    tree.links.new(store.outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
    obj.modifiers.new("paint", "NODES").node_group = tree


PAINTED = [[17, 8], [200, 1], [3, 0], [0, 0], [17, 11]]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (by_attributes, PAINTED),
        (by_uvs, [*PAINTED[:3], [17, 0], PAINTED[4]]),
        (by_both, [[200, 3], [200, 8], [17, 9], [44, 2], [17, 0]]),
        (by_tool, [*PAINTED[:3], [17, 0], PAINTED[4]]),
        (by_filling, PAINTED),
        (by_nodes, [[77, 0]] * SIZE),
    ],
)
def test_what_is_painted_is_seen_and_exported(edit, expected, tmp_path: Path) -> None:
    edited = level()
    edit(edited)
    bpy.context.view_layer.update()
    assert row(edited) == expected
    seen = render(edited, SIZE, 1, PIXELS, tmp_path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    fresh = level(b"".join(tile(*each) for each in expected))
    assert np.abs(render(fresh, SIZE, 1, PIXELS, tmp_path) - seen).max() < ALIKE


@pytest.mark.parametrize("turned", [False, True])
def test_speedups_are_drawn_as_they_are_exported(turned: bool, tmp_path: Path) -> None:
    def speedup(*angles: int) -> bpy.types.Collection:
        m = Map()
        m.version()
        m.group("Game")
        m.tiles(2, 2, bytes(16), flags=raw.GAME)
        cells = b"".join(b"\x05\x02\x1c\x00" + angle.to_bytes(2, "little") for angle in angles)
        m.tiles(2, 2, cells + bytes(12), flags=raw.SPEEDUP)
        return imported(m.build(), physics=True)

    found = speedup(0, 30)
    arrows = layer(found, 1)
    if turned:
        positions = corners(arrows)
        place(arrows, np.roll(positions, 1, axis=1))
    else:
        arrows.data.attributes["angle"].data.foreach_set("value", np.array([90, 120], np.int32))
        arrows.data.update()
    angles = faces.shown(arrows).values["angle"].tolist()
    assert angles in ([90, 120], [270, 300])
    seen = render(found, 2, 1, 32, tmp_path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    fresh = render(speedup(*angles), 2, 1, 32, tmp_path)
    assert (np.abs(fresh - seen).max(axis=2) > 60).mean() < 0.02, "but for the rim of the arrow"


def test_tele_tiles_stay_upright(tmp_path: Path) -> None:
    m = Map()
    m.version()
    m.group("Game")
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    m.tiles(2, 2, b"\x05\x1a" * 4, flags=raw.TELE)
    found = imported(m.build(), physics=True)
    before = render(found, 2, 2, 32, tmp_path)
    tele = layer(found, 1)
    place(tele, np.roll(corners(tele), 1, axis=1))
    assert np.abs(render(found, 2, 2, 32, tmp_path) - before).max() < ALIKE


def test_settling_brings_attributes_and_uvs_in_line() -> None:
    found = level()
    by_both(found)
    expected = row(found)
    obj = layer(found, 0)
    assert np.stack([faces.shown(obj).values[name] for name in ("index", "flags")], axis=-1).tolist() == expected
    faces.settle(obj)
    assert np.stack([values(obj, "index"), values(obj, "flags")], axis=-1).tolist() == expected
    made = tile_faces.made_for("TILES", {"index": values(obj, "index"), "flags": values(obj, "flags")})
    assert values(obj, tile_faces.UV_TILE).tolist() == made.tolist()
    assert row(found) == expected
    mesh = obj.data
    uvs = np.array([one.vector for one in mesh.uv_layers[0].uv], np.float32).reshape(-1, 4, 2)
    points = corners(obj)[..., :2] * (1, -1)
    index, way = tiles.tiles_from_uvs(tiles.locate(points, 0.1)[1], uvs)
    assert np.stack([index, way], axis=-1).tolist() == expected


def test_a_level_of_before_settles_to_what_it_exported() -> None:
    found = level()
    by_both(found)
    obj = layer(found, 0)
    obj.data.attributes.remove(obj.data.attributes[tile_faces.UV_TILE])
    expected = row(found)
    faces.paint(obj, np.array([0]), index=5)
    assert values(obj, "index").tolist() == [5, *(index for index, _ in expected[1:])]
    assert row(found) == [[5, expected[0][1]], *expected[1:]]


def test_tiles_are_painted_in_object_mode_into_meshes_of_tiles() -> None:
    found = level()
    obj = layer(found, 0)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    assert faces.shown(obj).cells[:, 0].tolist() == list(range(SIZE))
    for act in (lambda: faces.paint(obj, np.array([0]), index=1), lambda: faces.settle(obj)):
        with pytest.raises(SceneError, match="object mode"):
            act()
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(SceneError, match="isn't a layer of tiles"):
        faces.shown(found.objects[0])


def test_an_attribute_of_another_domain_is_refused() -> None:
    found = level()
    mesh = layer(found, 0).data
    mesh.attributes.remove(mesh.attributes["index"])
    mesh.attributes.new("index", "INT", "POINT")
    with pytest.raises(SceneError, match="attribute index must hold one whole number a face"):
        exported(found)


@pytest.mark.parametrize("edit", [by_attributes, by_nodes])
def test_other_formats_get_the_texture_of_what_is_seen(edit) -> None:
    found = level()
    edit(found)
    bpy.context.view_layer.update()
    expected = [each for each in row(found) if each[0]]
    make_gltf_materials(found, Report())
    mesh = layer(found, 0).data
    uvs = np.array([one.vector for one in mesh.uv_layers[0].uv], np.float32).reshape(-1, 4, 2)
    index, way = tiles.tiles_from_uvs(np.tile(np.arange(4), (len(uvs), 1)), uvs)
    assert np.stack([index, way], axis=-1).tolist() == expected


def test_a_level_of_before_shows_its_attributes_when_its_image_is_set_anew() -> None:
    found = level()
    by_attributes(found)
    obj = layer(found, 0)
    obj.data.attributes.remove(obj.data.attributes[tile_faces.UV_TILE])
    expected = row(found)
    set_image(found, obj, 0)
    assert np.stack([faces.shown(obj).values[name] for name in ("index", "flags")], axis=-1).tolist() == expected
    assert tile_faces.UV_TILE in obj.data.attributes
    assert row(found) == expected


@pytest.mark.parametrize("edit", [by_attributes, by_both])
def test_uvs_follow_what_was_written_into_attributes(edit) -> None:
    """So that Solid views, which know UVs alone, show it; what is exported stays the same."""
    found = level()
    bpy.context.view_layer.update()
    edit(found)
    expected = row(found)
    obj = layer(found, 0)
    bpy.context.view_layer.update()
    there = np.array([index > 0 for index, _ in expected])
    assert row(found) == expected
    made = tile_faces.made_for("TILES", {"index": values(obj, "index"), "flags": values(obj, "flags")})
    assert (values(obj, tile_faces.UV_TILE) == made)[there].all()
    uvs = np.array([one.vector for one in obj.data.uv_layers[0].uv], np.float32).reshape(-1, 4, 2)
    index, way = tiles.tiles_from_uvs(tiles.locate(corners(obj)[..., :2] * (1, -1), 0.1)[1], uvs)
    assert np.stack([index, way], axis=-1)[there].tolist() == np.array(expected)[there].tolist()
    assert faces.follow(obj) == 0, "once"


def test_faces_off_the_grid_and_air_are_not_followed_for_ever() -> None:
    found = level()
    bpy.context.view_layer.update()
    written(found, index=[0, 5, 17, 17, 17])
    obj = layer(found, 0)
    for corner in obj.data.polygons[1].vertices:
        obj.data.vertices[corner].co.x += 0.3
    before = values(obj, tile_faces.UV_TILE).tolist()
    assert faces.follow(obj) == 0
    assert values(obj, tile_faces.UV_TILE).tolist() == before
    for corner in obj.data.polygons[1].vertices:
        obj.data.vertices[corner].co.x -= 0.3
    assert faces.follow(obj) == 1


def test_uvs_follow_through_undo_and_redo() -> None:
    found = level()
    obj = layer(found, 0)
    name = obj.name
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="before")
    written(found, index=[3] * SIZE)
    bpy.ops.ed.undo_push(message="written")  # Blender makes a step before it tells
    bpy.context.view_layer.update()
    assert values(obj, tile_faces.UV_TILE).tolist() == [3] * SIZE
    bpy.ops.ed.undo()
    bpy.context.view_layer.update()
    assert values(bpy.data.objects[name], tile_faces.UV_TILE).tolist() == [17] * SIZE
    bpy.ops.ed.redo()
    bpy.context.view_layer.update()
    assert values(bpy.data.objects[name], tile_faces.UV_TILE).tolist() == [3] * SIZE
