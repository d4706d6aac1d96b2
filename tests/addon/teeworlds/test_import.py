# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import makes of each part of a map. The maps are built byte by byte, not by our writer."""

import struct
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.importer import import_level
from levelwright.addon.teeworlds.settings import ImportSettings
from levelwright.addon.teeworlds.structure import clips
from levelwright.addon.teeworlds.structure import group_build as groups
from levelwright.addon.teeworlds.tiles import build as tiles
from levelwright.formats.binary import FormatError

from tests.addon.teeworlds.export_helpers import group, image, imported, layer, part
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, noise, small_map, tile, whole_map

# Where each texture corner (u right, v down) is shown: top left, bottom left, bottom right, top right of the cell.
TURNED = {
    0: ((0, 0), (0, 1), (1, 1), (1, 0)),
    1: ((1, 0), (1, 1), (0, 1), (0, 0)),
    2: ((0, 1), (0, 0), (1, 0), (1, 1)),
    3: ((1, 1), (1, 0), (0, 0), (0, 1)),
    8: ((0, 1), (1, 1), (1, 0), (0, 0)),
    9: ((1, 1), (0, 1), (0, 0), (1, 0)),
    10: ((0, 0), (1, 0), (1, 1), (0, 1)),
    11: ((1, 0), (0, 0), (0, 1), (1, 1)),
}


def imported_from(path: Path, data: bytes, report: Report, **settings: object) -> bpy.types.Collection:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return import_level(bpy.context, data, path, ImportSettings(**settings), report)


def one_layer(data: bytes, width: int, height: int, **options: object) -> bytes:
    """A map whose layer 1 has these tiles."""
    m = small_map()
    m.tiles(width, height, data, **options)
    return m.build()


def faces(obj: bpy.types.Object) -> meshes.MeshData:
    return meshes.read(obj)


def attribute(obj: bpy.types.Object, name: str) -> list[int]:
    found = faces(obj).attribute(name, "FACE")
    assert found is not None and found.dtype == np.int32
    return found.tolist()


def test_the_collections_follow_the_map() -> None:
    level = imported(whole_map().build())
    assert level.name == "test"
    assert originals.find(level).data == whole_map().build()
    names = [child.name for child in level.children]
    assert names == ["Group 0: Background", "Group 1: Game", "Group 2: Sound", "Group 3: Later"]
    assert [identity.stamped(child).record for child in level.children] == [0, 1, 2, 3]
    numbers = [identity.stamped(obj).record for obj in level.all_objects if identity.stamped(obj).kind == layout.LAYER]
    assert sorted(numbers) == list(range(11))
    assert [layer(level, number)[layout.ORDER] for number in (0, 1, 2, 3, 4)] == [0, 1, 0, 1, 2]
    depths = [layer(level, number).location.z for number in (0, 1, 3, 9)]
    assert depths == [0, layout.STEP, 3 * layout.STEP, 9 * layout.STEP]
    assert layer(level, 2).location.z > max(depths)  # physics over everything


def test_names_texts_and_settings() -> None:
    level = imported(whole_map().build())
    values, _ = properties.read(level, layout.LevelProperties)
    assert (values.author, values.map_version, values.credits, values.license) == (
        "the author",
        "1.0",
        "with thanks",
        "CC0",
    )
    text = originals.resources(level, layout.SETTINGS)[0]
    assert text.as_string().splitlines() == ["tune_zone 1 gravity 0.3", "sv_team 2"]


def test_groups_hold_offset_parallax_and_clip() -> None:
    level = imported(whole_map().build())
    root = part(level, layout.GROUP, 0)
    assert tuple(root.location) == (-0.5, -0.25, 0)
    values, _ = properties.read(root, layout.GroupProperties)
    assert (values.group_name, values.parallax_x, values.parallax_y, values.use_clip) == ("Background", 50, 25, True)
    clip = part(level, layout.CLIP, 0)
    assert tuple(clip.location)[:2] == (5, -3.125) and tuple(clip.scale)[:2] == (5, 3.125)
    assert clip.parent is part(level, identity.ROOT, 0)  # not below its group: it doesn't follow the group's offset
    assert clips.clip_of(clip.location[:2], clip.scale[:2]) == (0, 0, 320, 200)
    assert groups.offset_of(root.location[:2]) == (16, -8)


@pytest.mark.parametrize("clip", [(0, 0, 0, 0), (-33, 7, 1, 0), (5, 5, -64, 3), (100001, -77, 31, 65535)])
def test_clip_rectangles_come_back(clip: tuple[int, int, int, int]) -> None:
    m = small_map()
    m.group("clipped", clip=clip)
    empty = part(imported(m.build()), layout.CLIP, 1)
    assert clips.clip_of(empty.location[:2], empty.scale[:2]) == clip


def test_the_game_group_lies_where_the_game_draws_it() -> None:
    m = Map()
    m.version()
    m.group("Game", offset=(320, 64), parallax=(50, 50))
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    level = imported(m.build())
    bpy.context.view_layer.update()
    root = part(level, layout.GROUP, 0)
    assert tuple(root.location) == (-10, 2, 0) and tuple(root.matrix_world.translation) == (0, 0, 0)


def test_a_tile_is_a_face_with_its_corners_texture_and_numbers() -> None:
    ways = list(TURNED)
    data = b"".join(tile(index, way) for index, way in zip(range(17, 25), ways, strict=True))
    obj = layer(imported(one_layer(bytes(4) + data + bytes(12), 3, 4)), 1)
    found = faces(obj)
    assert attribute(obj, "index") == list(range(17, 25)) and attribute(obj, "flags") == ways
    assert found.ids("FACE", layout.element_token(identity.stamped(obj).token, 1)).tolist() == list(range(2, 10))
    corners = found.positions[found.corner_verts].reshape(-1, 4, 3)
    uvs = found.uv(layout.UV).reshape(-1, 4, 2)
    for number, (cell, way) in enumerate(zip(range(1, 9), ways, strict=True)):
        row, column = divmod(cell, 3)
        ring = [(0, 0), (0, 1), (1, 1), (1, 0)]
        assert corners[number].tolist() == [[column + x, -(row + y), 0] for x, y in ring]
        index = 17 + number
        expected = [((index % 16 + u) / 16, 1 - (index // 16 + v) / 16) for u, v in TURNED[way]]
        assert uvs[number].tolist() == [list(pair) for pair in expected]


def test_tiles_share_no_vertices() -> None:
    obj = layer(imported(one_layer(tile(1) * 12, 4, 3)), 1)
    assert len(obj.data.polygons) == 12 and len(obj.data.vertices) == 48
    assert not obj.data.validate()


@pytest.mark.parametrize(
    ("flags", "record", "expected"),
    [
        (raw.TELE, b"\x07\x1a", {"index": 26, "number": 7}),
        (raw.TUNE, b"\x05\x44", {"index": 68, "number": 5}),
        (raw.SWITCH, bytes((3, 24, 8, 5)), {"index": 24, "number": 3, "flags": 8, "delay": 5}),
        (
            raw.SPEEDUP,
            struct.pack("<4Bh", 30, 5, 28, 0, -270),
            {"index": 28, "force": 30, "max_speed": 5, "angle": -270},
        ),
        (raw.FRONT, tile(9, 11), {"index": 9, "flags": 11}),
    ],
)
def test_physics_layers_have_every_field(flags: int, record: bytes, expected: dict[str, int]) -> None:
    size = len(record)
    level = imported(one_layer(bytes(5 * size) + record + bytes(6 * size), 4, 3, flags=flags))
    obj = layer(level, 1)
    assert {name: attribute(obj, name) for name in expected} == {name: [value] for name, value in expected.items()}
    collection = obj.users_collection[0]
    assert identity.stamped(collection).kind == layout.PHYSICS
    assert collection.hide_viewport and collection.hide_render


def test_physics_layers_can_be_shown() -> None:
    level = imported(small_map().build(), physics=True)
    collection = layer(level, 0).users_collection[0]
    assert not (collection.hide_viewport or collection.hide_render)


def test_layer_properties_colour_and_material() -> None:
    level = imported(whole_map().build())
    deco = layer(level, 3)
    values, _ = properties.read(deco, layout.TileLayerProperties)
    assert (values.layer_name, values.tile_kind, values.width, values.height, values.image) == (
        "Deco",
        "TILES",
        12,
        8,
        0,
    )
    assert (values.color_envelope, values.color_envelope_offset) == (1, 300)
    assert (values.automapper_config, values.automapper_seed, values.automapper_automatic) == (2, 1234, True)
    assert [round(value * 255, 3) for value in deco.color] == [255, 128, 64, 200]
    nodes = deco.data.materials[0].node_tree.nodes
    assert image(level, 0) in [node.image for node in nodes if node.bl_idname == "ShaderNodeTexImage"]
    assert tuple(deco[layout.ENVELOPE_COLOR]) == (1, 1, 1, 1)


def test_layers_that_look_alike_share_a_material() -> None:
    m = small_map()
    m.image("art", 16, 16, noise(1024))
    for color in ((255, 0, 0, 255), (0, 255, 0, 9)):
        m.tiles(2, 2, tile(3) * 4, image=0, color=color)
    level = imported(m.build())
    assert layer(level, 1).data.materials[0] is layer(level, 2).data.materials[0]


def test_embedded_images_are_packed_as_they_are() -> None:
    level = imported(whole_map().build())
    art = image(level, 0)
    assert art.packed_file is not None and art.colorspace_settings.name == "Non-Color"
    assert images.to_rgba(art).tobytes() == noise(4 * 32 * 32)


def external(*names: str, runs: bool = False) -> bytes:
    """A map with external images; with runs one of 0.7."""
    m = small_map()
    for title in names:
        m.image(title, 64, 64)
    if runs:
        m.tiles(2, 2, tile(1, skip=3), version=4)
    return m.build()


def put(folder: Path, name: str, color: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.png").write_bytes(images.png(np.full((16, 16, 4), color, np.uint8)))


def test_missing_images_become_checkers_and_are_named_once(tmp_path: Path) -> None:
    report = Report()
    level = imported_from(tmp_path / "a.map", external("no such picture", "no such picture", "nor this"), report)
    assert report.missing_names == {"images": ["no such picture", "nor this"]}
    assert all(images.is_placeholder(image(level, number)) for number in range(3))


def test_external_images_are_found_beside_the_map(tmp_path: Path) -> None:
    put(tmp_path / "mapres", "mine", 7)
    report = Report()
    level = imported_from(tmp_path / "a.map", external("mine"), report)
    assert report.missing_names == {}
    assert images.to_rgba(image(level, 0))[0, 0, 0] == 7
    assert image(level, 0).packed_file is None and image(level, 0)["external"] is True


def test_the_chosen_folder_comes_first(tmp_path: Path) -> None:
    put(tmp_path / "mapres", "mine", 7)
    put(tmp_path / "chosen", "mine", 8)
    level = imported_from(tmp_path / "a.map", external("mine"), Report(), mapres_directory=str(tmp_path / "chosen"))
    assert images.to_rgba(image(level, 0))[0, 0, 0] == 8


@pytest.mark.parametrize(("runs", "color"), [(False, 6), (True, 7)])
def test_maps_of_0_7_get_its_pictures(tmp_path: Path, runs: bool, color: int) -> None:
    put(tmp_path / "mapres", "grass_main", 6)
    put(tmp_path / "mapres", "grass_main_0.7", 7)
    level = imported_from(tmp_path / "a.map", external("grass_main", runs=runs), Report())
    assert images.to_rgba(image(level, 0))[0, 0, 0] == color


@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize("folder", ["mine", "ddnet", "teeworlds"])
@pytest.mark.parametrize("way", ["option", "variable"])
def test_the_users_own_folder_wins_whatever_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: bool, folder: str, way: str
) -> None:
    own = tmp_path / folder / "mapres"
    put(own, "grass_main", 5)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    for game in ("ddnet", "teeworlds"):
        put(tmp_path / "share" / game / "mapres", "grass_main", 6)
        put(tmp_path / "share" / game / "mapres", "grass_main_0.7", 7)
    settings = {"mapres_directory": str(own)} if way == "option" else {}
    if way == "variable":
        monkeypatch.setenv("LEVELWRIGHT_MAPRES", str(own))
    level = imported_from(tmp_path / "maps" / "a.map", external("grass_main", runs=runs), Report(), **settings)
    assert images.to_rgba(image(level, 0))[0, 0, 0] == 5


@pytest.mark.parametrize(("runs", "color"), [(False, 6), (True, 7)])
def test_of_the_installed_games_the_maps_own_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: bool, color: int
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    put(tmp_path / "share" / "ddnet" / "mapres", "sun", 6)
    put(tmp_path / "share" / "teeworlds" / "mapres", "sun", 7)
    level = imported_from(tmp_path / "maps" / "a.map", external("sun", runs=runs), Report())
    assert images.to_rgba(image(level, 0))[0, 0, 0] == color


def test_an_image_that_is_no_image_is_told(tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"not a picture")
    report = Report()
    level = imported_from(tmp_path / "a.map", external("broken"), report)
    assert images.is_placeholder(image(level, 0)) and any("broken.png" in warning for warning in report.warnings)


def test_maps_from_before_0_4_are_refused_by_name() -> None:
    m = Map()
    m.item(0x8002, (0, 4, 4, 0))
    with pytest.raises(FormatError, match=r"before Teeworlds 0\.4"):
        imported(m.build())


def test_tiles_that_cannot_be_read_are_kept_and_told() -> None:
    m = small_map()
    m.tiles(4, 3, bytes(8), title="short")
    m.tiles(4, 3, bytes(4 * 12), flags=raw.SPEEDUP, title="alpha")  # 4 bytes a tile: the alphas of 2010
    report = Report()
    level = import_level(bpy.context, m.build(), "a.map", ImportSettings(), report)
    assert [layer(level, number)[layout.STORAGE] for number in (0, 1, 2)] == [layout.MESH, layout.KEPT, layout.KEPT]
    assert len(report.warnings) == 2 and "short" in report.warnings[0]


def test_unknown_layers_are_left_out_by_name() -> None:
    m = small_map()
    m.layer((0, 77, 0, 1, 2, 3))
    report = Report()
    import_level(bpy.context, m.build(), "a.map", ImportSettings(), report)
    assert any("unknown kind" in line for line in report.lines())


def test_importing_twice_gives_two_levels() -> None:
    first, second = imported(small_map().build()), imported(small_map().build())
    assert first != second and originals.describe(first).token != originals.describe(second).token


# ---------------------------------------------------------------------------------------------------- layers as planes


@pytest.mark.parametrize(
    ("flags", "record", "pixels"),
    [
        (raw.TILES, tile(200, 11), [(200, 11, 0)]),
        (raw.TELE, b"\x07\x1a", [(26, 7, 0)]),
        (raw.SWITCH, bytes((3, 24, 8, 5)), [(24, 8, 3), (5, 0, 0)]),
        (raw.SPEEDUP, struct.pack("<4Bh", 30, 5, 28, 0, -2), [(28, 30, 5), (254, 255, 0)]),
    ],
)
def test_a_plane_holds_every_field_in_its_images(flags: int, record: bytes, pixels: list[tuple[int, ...]]) -> None:
    size = len(record)
    data = one_layer(bytes(5 * size) + record + bytes(6 * size), 4, 3, flags=flags)
    obj = layer(imported(data, large_layer=0), 1)
    assert obj[layout.STORAGE] == layout.PLANE and len(obj.data.polygons) == 1
    for key, expected in zip(layout.FIELD_IMAGES, pixels, strict=False):
        found = images.to_rgba(obj[key])
        assert found.shape == (3, 4, 4) and (found[..., 3] == 255).all()
        assert tuple(found[1, 1, :3]) == expected
        found[1, 1] = 0
        assert not found[..., :3].any()


def test_planes_are_told_in_the_report() -> None:
    report = Report()
    import_level(
        bpy.context, one_layer(tile(1) * 4, 2, 2, title="many"), "a.map", ImportSettings(large_layer=3), report
    )
    assert any("'many' has 4 tiles" in warning and "plane" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([10, 11, 3], [False, True, False]),
        ([10, 9, 8], [True, False, False]),
        ([10, 10, 10], [True, False, False]),
        ([0, 0], [False, False]),
        ([], []),
    ],
)
def test_which_layers_become_planes(counts: list[int], expected: list[bool]) -> None:
    assert tiles.choose_planes(counts, large_layer=10, large_map=20) == expected


# ------------------------------------------------------------------------------------------------------------ the scene


def test_an_empty_scene_gets_the_games_colours() -> None:
    imported(small_map().build())
    assert bpy.context.scene.view_settings.view_transform == "Raw"


def test_viewports_look_straight_down_on_the_map() -> None:
    """Also without windows: a .blend that was made on the command line is opened with its screens. The game
    layer counts, not a larger one with nothing there.
    """
    made = small_map(40, 20)
    made.tiles(90, 60, bytes(4 * 90 * 60), title="large")
    imported(made.build())
    views = [area.spaces.active for screen in bpy.data.screens for area in screen.areas if area.type == "VIEW_3D"]
    assert views
    for space in views:
        assert space.region_3d.view_perspective == "ORTHO"
        assert tuple(space.region_3d.view_rotation) == (1, 0, 0, 0)
        assert tuple(space.region_3d.view_location) == (20, -10, 0)


def test_a_scene_with_other_things_keeps_its_own() -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("mine", None))
    bpy.context.scene.view_settings.view_transform = "AgX"
    report = Report()
    import_level(bpy.context, small_map().build(), "a.map", ImportSettings(), report)
    assert bpy.context.scene.view_settings.view_transform == "AgX"
    assert any("AgX" in warning for warning in report.warnings)


def test_the_report_counts_what_came_in() -> None:
    report = Report()
    import_level(bpy.context, whole_map().build(), "a.map", ImportSettings(), report)
    counts = {"groups": 4, "tile layers": 1, "physics layers": 6, "quad layers": 2, "quads": 3, "images": 2}
    assert {kind: report.counts[kind] for kind in counts} == counts
    assert group(bpy.data.collections["a"], 1).name == "Group 1: Game"
