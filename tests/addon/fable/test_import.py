# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import makes of the ground of a level. The levels are built byte by byte, not by our writer."""

import struct
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import importer, layout
from levelwright.addon.fable.palettes import lists
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.scene import attributes
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.geometry import vertex_groups
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.level import first_of
from levelwright.addon.scene.reports import Report
from levelwright.formats.binary import FormatError

from tests.addon.fable.export_helpers import LEVEL, imported
from tests.formats import fable_bytes as build


def terrain_of(level: bpy.types.Collection) -> bpy.types.Object:
    found = first_of(level, layout.TERRAIN)
    assert found is not None
    return found


def game_map_of(level: bpy.types.Collection) -> bpy.types.Object:
    found = first_of(level, layout.GAME_MAP)
    assert found is not None
    return found


def values(obj: bpy.types.Object, name: str) -> np.ndarray:
    found = attributes.read(obj.data, name)
    assert found is not None
    return found


def weights(obj: bpy.types.Object, layer: str) -> np.ndarray:
    ((_, found),) = vertex_groups.read(bpy.context, obj, names=[layer])
    return np.rint(found * 255).astype(int)


def test_each_cell_is_a_vertex_at_its_place() -> None:
    heights = {(0, 0): 0.0, (1, 0): 1 / 2048, (0, 1): 3.25 / 2048, (32, 32): 0.0257}
    level = imported(LEVEL.but(cell=lambda x, y: build.height_cell(heights.get((x, y), 0.5))).build())
    terrain = terrain_of(level)
    positions = values(terrain, "position").reshape(33, 33, 3)
    assert positions[..., 0].tolist() == [list(range(33))] * 33
    assert positions[..., 1].T.tolist() == [list(range(33))] * 33
    assert positions[0, :2, 2].tolist() == [0.0, 1.0]
    assert positions[1, 0, 2] == 3.25
    assert positions[32, 32, 2] == np.float32(0.0257) * 2048
    assert values(terrain, identity.ID).tolist() == list(range(1, 33 * 33 + 1))
    token = originals.describe(level).token
    assert identity.read_ids(terrain.data, "POINT", token).tolist() == list(range(1, 33 * 33 + 1))


def test_the_squares_between_cells_look_up() -> None:
    terrain = terrain_of(imported())
    mesh = terrain.data
    assert len(mesh.polygons) == 32 * 32
    assert len(mesh.edges) == 2 * 32 * 33
    assert not mesh.validate(verbose=True)  # our edges are those that Blender would make
    assert min(face.normal.z for face in mesh.polygons) > 0
    assert [tuple(mesh.edges[loop.edge_index].vertices) for loop in mesh.loops][:4] == [
        (0, 1),
        (1, 34),
        (33, 34),
        (0, 33),
    ]
    assert list(mesh.polygons[33].vertices) == [34, 35, 68, 67]


def test_heights_keep_their_bits_and_what_is_no_number_lies_at_0() -> None:
    bits = {
        0: 0x80000000,
        1: 0x00000001,
        2: build.NAN,
        3: 0x7F800000,
        4: 0x7F000000,
    }  # -0, denormal, NaN, inf, overflow
    data = LEVEL.but(cell=lambda x, y: build.height_cell(bits.get(x + 33 * y, 0))).build()
    report = Report()
    level = importer.import_level(bpy.context, data, "odd.lev", ImportSettings(), report)
    z = values(terrain_of(level), "position")[:5, 2].copy()
    assert z[:1].tobytes() == struct.pack("<f", -0.0)
    assert z[1] == np.float32(2.0**-149) * 2048
    assert z[2:].tolist() == [0, 0, 0]
    assert [one for one in report.warnings if one.startswith("3 cells have heights")]


def test_every_byte_of_a_cell_is_an_attribute() -> None:
    def cell(x: int, y: int) -> bytes:
        if (x, y) == (3, 1):
            return build.height_cell(0, (2, 3, 5), (100, 50), 3, 0, 182, 7, 255)
        return build.height_cell(0, (4, 0, 0), (255, 0), 2, 2, 0, 0, 0)

    terrain = terrain_of(imported(LEVEL.but(cell=cell).build()))
    at = 33 + 3
    shown = {name: values(terrain, name)[at].item() for name in (*layout.CELL_FIELDS, *layout.FLAGS)}
    assert shown == {
        "theme_1": 2, "theme_2": 3, "theme_3": 5, "strength_1": 100, "strength_2": 50, "old_sound": 182,
        "walkable": True, "camera": False, "shore": True, "path": True,
    }  # fmt: skip
    assert not values(terrain, "walkable")[0]  # the engine keeps bit 0
    assert values(terrain, "camera")[0]


def test_themes_have_layers_of_the_weights_that_cells_give_them() -> None:
    cells = {
        0: build.height_cell(0, (2, 3, 4), (100, 50)),
        1: build.height_cell(0, (2, 3, 2), (100, 50)),  # a theme twice
        2: build.height_cell(0, (2, 2, 2), (10, 20)),
        3: build.height_cell(0, (2, 3, 4), (200, 100)),  # the third one has less than nothing
        4: build.height_cell(0, (0, 200, 2), (100, 55)),  # slots that are no themes
        5: build.height_cell(0, (3, 2, 3), (0, 0)),
    }
    terrain = terrain_of(imported(LEVEL.but(cell=lambda x, y: cells.get(x + 33 * y, build.height_cell())).build()))
    assert [group.name for group in terrain.vertex_groups] == ["INVALID_THEME_STANDIN", "GRASS", "SAND", "ROCK", "MUD"]
    assert weights(terrain, "GRASS")[:7].tolist() == [100, 205, 255, 200, 100, 0, 0]
    assert weights(terrain, "SAND")[:7].tolist() == [50, 50, 0, 100, 0, 255, 0]
    assert weights(terrain, "ROCK")[:7].tolist() == [105, 0, 0, 0, 0, 0, 0]
    assert weights(terrain, "INVALID_THEME_STANDIN")[5:8].tolist() == [0, 255, 255]
    assert len(terrain.data.vertices[5].groups) == 1  # no weights of 0
    assert terrain.data.vertices[0].groups[0].weight == np.float32(100 / 255)


def test_layers_are_told_apart_by_slots_where_names_do_not() -> None:
    long = "A" * 127
    names = ["", "ONE", "ONE", "", long, "ÄÖ" * 40]
    layers = layout.layer_names(names, [True] * len(names))
    assert layers[:4] == ["", "ONE", "ONE 2", "3"]
    assert layers[4] == "A" * 59 + " 4"
    assert layers[5].endswith("Ä 5")
    assert all(len(layer.encode()) <= 63 for layer in layers)
    assert layout.layer_names(["", "ONE"], [True, False]) == ["", ""]


def test_a_full_palette_has_255_layers() -> None:
    ground = [(b"", 0), *((b"THEME_%03d" % slot, 1) for slot in range(1, 256))]
    data = LEVEL.but(ground=ground, cell=lambda x, y: build.height_cell(0, ((x + y * 33) % 256, 0, 0))).build()
    terrain = terrain_of(imported(data))
    assert len(terrain.vertex_groups) == 255
    assert np.flatnonzero(weights(terrain, "THEME_200")).tolist() == [200, 456, 712, 968]


def test_rows_of_the_game_map_run_upwards() -> None:
    def cell(x: int, row: int) -> bytes:  # the file's first row is the northernmost
        return build.game_cell((1, 2, x), (200, 10 + row), row)

    game_map = game_map_of(imported(LEVEL.but(game=cell, height=64, sounds=[b"S%d" % n for n in range(16)]).build()))
    mesh = game_map.data
    assert len(mesh.polygons) == 8 * 16
    for x, y in ((0, 0), (5, 0), (2, 15), (7, 9)):
        face = y * 8 + x
        assert values(game_map, "sound")[face] == 15 - y
        assert values(game_map, "strength_2")[face] == 10 + 15 - y
        assert values(game_map, "atmosphere_3")[face] == x
        assert tuple(mesh.polygons[face].center)[:2] == (4 * x + 2, 4 * y + 2)
    assert values(game_map, identity.ID).tolist() == list(range(1, 8 * 16 + 1))


def test_old_maps_have_no_game_map() -> None:
    level = imported(LEVEL.but(map_version=1).build())
    assert first_of(level, layout.GAME_MAP) is None
    assert originals.describe(level).options["map_version"] == 1


def test_without_plus_one_there_is_a_vertex_less_each_way() -> None:
    terrain = terrain_of(imported(LEVEL.but(plus_one=0, width=64, sections=()).build()))
    assert len(terrain.data.vertices) == 64 * 32
    assert len(terrain.data.polygons) == 63 * 31


@pytest.mark.parametrize(
    ("width", "height", "plus_one"), [(0, 0, 0), (0, 0, 1), (4, 0, 1), (0, 4, 1), (1, 1, 0), (5, 1, 0)]
)
def test_maps_of_any_size_are_shown(width: int, height: int, plus_one: int) -> None:
    lev = LEVEL.but(width=width, height=height, plus_one=plus_one, sections=())
    terrain = terrain_of(imported(lev.build()))
    assert len(terrain.data.vertices) == (width + plus_one) * (height + plus_one)
    assert len(terrain.data.polygons) == max(width + plus_one - 1, 0) * max(height + plus_one - 1, 0)


def test_the_lists_and_the_headers_values_are_on_the_level() -> None:
    level = imported(
        LEVEL.but(
            uid_counter=2**63 + 5, ground=((b"", 0), (b"ONE\0junk", 9), (b"", 7), (b"", 0), (b"F\xfcr", 1))
        ).build()
    )
    names = lists.get(level)
    assert names.themes[:6] == ["", "ONE", "", "", "Für", ""]
    assert names.used_themes == {1, 2, 4}
    assert names.atmospheres[1:4] == ["ENVIRONMENT_DAY", "ENVIRONMENT_FOG", ""]
    assert names.sounds == ["SOUND_SEA", "SOUND_WIND"]
    shown, edited = properties.read(level, layout.LevelProperties)
    assert (shown.thing_uid_counter, shown.checksum, edited) == (2**63 + 5, 0xF33B90B5, frozenset())


def test_everything_hangs_on_the_root() -> None:
    level = imported()
    root = first_of(level, layout.ROOT)
    assert root.name == level.name == "test"
    assert {obj.parent for obj in (terrain_of(level), game_map_of(level))} == {root}
    assert level.name in bpy.context.scene.collection.children


def test_things_come_from_the_file_beside(tmp_path: Path) -> None:
    lines = ("Version 2", "XXXSectionStart NULL", "NewThing Marker", "PositionX 1.5", "EndThing", "XXXSectionEnd")
    tng = "".join(f"{line};\r\n" for line in lines).encode()
    file = tmp_path / "Farm.lev"
    file.write_bytes(LEVEL.build())
    (tmp_path / "FARM.TNG").write_bytes(tng)
    level = imported(LEVEL.build(), file)
    assert originals.find(level).parts == {"FARM.TNG": tng}
    assert first_of(level, layout.THING) is not None
    without = imported(LEVEL.build(), file, things=False)
    assert originals.find(without).parts == {}
    assert first_of(without, layout.THING) is None


def test_what_is_no_level_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "cut.lev"
    file.write_bytes(LEVEL.build()[:-70000])
    with pytest.raises(RuntimeError, match=r"cut\.lev"):
        bpy.ops.import_scene.fable_lev(filepath=str(file))
    assert not bpy.data.collections and not bpy.data.meshes and not bpy.data.objects
    with pytest.raises(FormatError):
        imported(b"no level")


def test_a_scene_with_other_things_keeps_its_colours_and_light() -> None:
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("mine", None))
    bpy.context.scene.view_settings.view_transform = "AgX"
    report = Report()
    level = importer.import_level(bpy.context, LEVEL.build(), "x.lev", ImportSettings(), report)
    assert bpy.context.scene.view_settings.view_transform == "AgX"
    assert [one for one in report.warnings if "AgX" in one]
    assert first_of(level, layout.PREVIEW) is None
    assert not bpy.context.scene.tool_settings.sculpt.lock_x


def test_two_levels_share_one_sun() -> None:
    first, second = imported(), imported()
    assert bpy.context.scene.view_settings.view_transform == "Standard"
    sculpt = bpy.context.scene.tool_settings.sculpt
    assert (sculpt.lock_x, sculpt.lock_y, sculpt.lock_z) == (True, True, False), "cells go up and down alone"
    assert first_of(first, layout.PREVIEW) is not None
    assert first_of(second, layout.PREVIEW) is None
