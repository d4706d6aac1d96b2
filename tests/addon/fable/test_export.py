# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels through Blender and back: unedited the same bytes, and every kind of edit writes only what it means."""

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.palettes import lists
from levelwright.addon.scene import attributes
from levelwright.addon.scene.level import first_of
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable

from tests.addon import blenders
from tests.addon.fable.export_helpers import (
    LEVEL,
    activate,
    changed_bytes,
    changed_cells,
    exported,
    game_map,
    imported,
    paint,
    place,
    positions,
    reopened,
    set_values,
    terrain,
)
from tests.formats import fable_bytes as build

COLUMNS = 33
DATA = LEVEL.build()
VARIANTS = build.variants()


def at(x: int, y: int) -> int:
    """The vertex of a cell."""
    return y * COLUMNS + x


# ---- unedited


@pytest.mark.parametrize("name", VARIANTS)
def test_unedited_levels_come_out_as_they_came_in(name):
    data = VARIANTS[name].build()
    if not fable.read(data).cells.size:
        pytest.skip("a level without cells has no terrain to look at")
    report = Report()
    assert exported(imported(data), report) == data
    assert not report.notes and not report.warnings, report.lines()


@pytest.mark.slow
def test_also_after_saving_and_reopening_and_in_another_blender(tmp_path):
    data = VARIANTS["whole"].build()
    level = reopened(imported(data), tmp_path)
    assert exported(level) == data
    for python in blenders.pythons():
        assert blenders.run(EXPORT, tmp_path / "level.blend", python=python) == 1
        assert (tmp_path / "level.out").read_bytes() == data, blenders.name(python)


EXPORT = """
from pathlib import Path
import levelwright
levelwright.register()
from tests.addon.fable.export_helpers import exported
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
level = next(one for one in bpy.data.collections if one.get("levelwright_level") is not None)
Path(sys.argv[1]).with_suffix(".out").write_bytes(exported(level))
result = 1
"""


def test_looking_at_a_level_edits_nothing():
    level = imported()
    obj = terrain(level)
    activate(obj)
    for mode in ("EDIT", "SCULPT", "WEIGHT_PAINT", "OBJECT"):
        bpy.ops.object.mode_set(mode=mode)
        assert exported(level) == DATA
    obj.hide_viewport = True
    game_map(level).hide_set(True)
    first_of(level, layout.ROOT).location = (2592, 2112, 7)
    level.hide_viewport = True
    assert exported(level) == DATA


def test_the_order_of_vertices_says_nothing():
    level = imported()
    mesh = terrain(level).data
    order = np.random.default_rng(2).permutation(len(mesh.vertices))
    layers = {}
    for attribute in list(mesh.attributes):
        if attribute.domain == "POINT" and attribute.data_type in attributes.LAYOUT:
            layers[attribute.name] = (attribute.data_type, attributes.read(mesh, attribute.name)[order])
    for name, (kind, values) in layers.items():
        attributes.write(mesh, name, "POINT", kind, values)
    terrain(level).vertex_groups.clear()
    assert exported(level) == DATA


# ---- one edit of each kind


def test_a_height():
    level = imported()
    values = positions(terrain(level))
    values[at(5, 7), 2] = 12.25
    place(terrain(level), values)
    report = Report()
    after = exported(level, report)
    assert changed_cells(DATA, after) == {(5, 7): {"height"}}
    assert fable.heights(fable.read(after).cells)[7, 5] == 12.25
    assert report.notes == ["Terrain: 1 cell with other heights"]
    assert any("FinalAlbion_RT.stb" in line for line in report.warnings)


def test_the_whole_terrain_raised_by_its_object():
    level = imported()
    terrain(level).location.z = 2.0
    after = exported(level)
    assert set(map(frozenset, changed_cells(DATA, after).values())) == {frozenset({"height"})}
    np.testing.assert_array_equal(
        fable.heights(fable.read(after).cells), fable.heights(fable.read(DATA).cells) + np.float32(2)
    )


@pytest.mark.parametrize("name", layout.FLAGS)
def test_a_flag(name):
    level = imported()
    was = bool(attributes.read(terrain(level).data, name)[at(20, 3)])
    set_values(terrain(level), name, at(20, 3), not was)
    report = Report()
    after = exported(level, report)
    assert changed_cells(DATA, after) == {(20, 3): {name}}
    assert fable.read(after).cells[name][3, 20] == int(not was)
    told = [line for line in report.warnings if "where creatures can walk is as it was" in line]
    assert len(told) == (name in ("walkable", "path"))


def test_bits_that_are_no_flags_stay_in_cells_that_were_not_edited():
    data = LEVEL.but(cell=build.varied_cell, ground=build.full_palette()).build()
    level = imported(data)
    set_values(terrain(level), "walkable", [at(1, 0), at(2, 0)], [True, False])
    after = exported(level)
    was, now = (fable.read(one).cells["walkable"] for one in (data, after))
    changed = {tuple(one) for one in np.argwhere(was != now).tolist()}
    assert changed <= {(0, 1), (0, 2)}
    assert now[0, 1] & 1 and not now[0, 2] & 1


def test_old_sounds_and_slots_by_attributes():
    level = imported()
    set_values(terrain(level), "old_sound", at(3, 3), 2)
    set_values(terrain(level), "theme_3", at(4, 3), 5)
    set_values(terrain(level), "strength_1", at(5, 3), 7)
    assert changed_cells(DATA, exported(level)) == {
        (3, 3): {"old_sound"},
        (4, 3): {"themes"},
        (5, 3): {"strengths"},
    }


def test_a_painted_theme():
    level = imported()
    paint(terrain(level), "ROCK", [at(8, 4)], 0.4)  # 191 grass, 64 sand
    after = exported(level)
    cells = fable.read(after).cells
    assert changed_cells(DATA, after) == {(8, 4): {"themes", "strengths"}}
    assert cells["themes"][4, 8].tolist() == [2, 3, 4]
    assert cells["strengths"][4, 8].tolist() == [115, 38]  # 102 rock, the others as 191 : 64


def test_a_theme_that_a_cell_remembers_is_painted_where_it_was():
    level = imported()
    paint(terrain(level), "MUD", [at(4, 1)], 1.0)
    cells = fable.read(exported(level)).cells
    assert cells["themes"][1, 4].tolist() == [2, 3, 5] and cells["strengths"][1, 4].tolist() == [0, 0]


def test_a_game_map_cell_by_its_face():
    level = imported()
    faces = game_map(level)
    set_values(faces, "sound", 3, 0)
    set_values(faces, "strength_1", 10, 100)
    set_values(faces, "atmosphere_3", 11, 1)
    report = Report()
    after = exported(level, report)
    assert changed_cells(DATA, after, "game_map") == {(3, 0): {"sound"}, (2, 1): {"strengths"}, (3, 1): {"themes"}}
    assert not report.warnings
    assert report.notes == [
        "game map: 2 cells with other atmospheres",
        "game map: 1 cell with other sounds",
    ]


def test_a_sound_lies_where_its_face_lies():
    """Row 0 of the file is the top (fable.md §2.4): face 0 is the lower left of the map, the last record row."""
    level = imported()
    set_values(game_map(level), "sound", 0, 2)
    after = exported(level)
    offset = int(fable.read(DATA).header["brush_offset"]) - 8 * 11
    assert changed_bytes(DATA, after) == [offset + 10]
    assert after[offset + 10] == 2


def test_header_values():
    level = imported()
    level["thing_uid_counter"] = "5000000000"
    after = exported(level)
    assert fable.read(after).map_header["thing_uid_counter"] == 5_000_000_000
    assert all(30 <= offset < 38 for offset in changed_bytes(DATA, after))
    level["checksum"] = "4294967295"
    again = exported(level)
    assert fable.read(again).checksum == 0xFFFFFFFF
    assert len(changed_bytes(after, again)) == 4
    level["checksum"] = "-1"
    with pytest.raises(SceneError, match="checksum"):
        exported(level)


def test_a_checksum_that_the_header_has_no_place_for():
    level = imported(LEVEL.but(map_header_version=8).build())
    level["checksum"] = "7"
    with pytest.raises(SceneError, match="has no checksum"):
        exported(level)


def test_palettes():
    level = imported()
    names = lists.get(level)
    names.themes[9], names.atmospheres[2] = "LAVA", "ENVIRONMENT_NIGHT"
    names.used_themes.add(9)
    names.used_themes.discard(5)
    lists.put(level, names)
    after = exported(level)
    made = fable.read(after)
    assert fable.palette_names(made.ground_palette)[:10] == [
        "", "INVALID_THEME_STANDIN", "GRASS", "SAND", "ROCK", "", "", "", "", "LAVA",
    ]  # fmt: skip
    assert made.ground_palette["value"][:10].tolist() == [0, 9, 11, 12, 13, 0, 0, 0, 0, 9]
    assert fable.palette_names(made.atmosphere_palette)[:3] == ["", "ENVIRONMENT_DAY", "ENVIRONMENT_NIGHT"]
    assert made.atmosphere_palette["value"][2] == 4
    palette = 25 + 22
    touched = {(offset - palette) // 132 for offset in changed_bytes(DATA, after) if offset < palette + 256 * 132}
    assert touched == {5, 9}


def test_a_renamed_theme_keeps_its_weights_and_cells():
    level = imported()
    lists.of(level).themes[1].name = "MEADOW"
    after = exported(level)
    assert changed_cells(after, after) == {}
    assert fable.palette_names(fable.read(after).ground_palette)[2] == "MEADOW"
    name = 25 + 22 + 2 * 132
    assert all(name <= offset < name + len("MEADOW") for offset in changed_bytes(DATA, after))
    paint(terrain(level), "MEADOW", [at(31, 2)], 1.0)
    assert changed_cells(after, exported(level)) == {(31, 2): {"strengths"}}


def test_sounds_move_what_stands_behind_them():
    level = imported()
    names = lists.get(level)
    names.sounds.append("SOUND_ADDED")
    names.sounds[0] = "SOUND_RIVER"
    lists.put(level, names)
    after = exported(level)
    assert len(after) == len(DATA) + 4 + len("SOUND_ADDED") + 2
    made = fable.read(after)
    assert made.sounds == ["SOUND_RIVER", "SOUND_WIND", "SOUND_ADDED"]
    made.sounds = ["SOUND_SEA", "SOUND_WIND"]
    made.map_header["sound_count"] = 3
    assert fable.write(made) == DATA


def test_an_edit_in_edit_mode_counts():
    level = imported()
    obj = terrain(level)
    activate(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 1))
    after = exported(level)
    assert obj.mode == "EDIT"
    assert len(changed_cells(DATA, after)) == COLUMNS * COLUMNS


def test_modifiers_count():
    level = imported()
    modifier = terrain(level).modifiers.new("up", "DISPLACE")
    modifier.direction, modifier.strength, modifier.mid_level = "Z", 3.0, 0.0
    after = exported(level)
    np.testing.assert_array_equal(
        fable.heights(fable.read(after).cells), fable.heights(fable.read(DATA).cells) + np.float32(3)
    )
    modifier.show_viewport = False
    assert exported(level) == DATA


def test_weights_of_modifiers_count():
    level = imported()
    obj = terrain(level)
    modifier = obj.modifiers.new("sand", "VERTEX_WEIGHT_MIX")
    modifier.vertex_group_a, modifier.default_weight_b = "SAND", 1.0
    modifier.mix_mode, modifier.mix_set, modifier.mask_constant = "SET", "ALL", 1.0
    cells = fable.read(exported(level)).cells
    assert (cells["themes"][:, :, 1] == 3).all() and (cells["strengths"] == (0, 255)).all()


def test_objects_that_are_no_part_of_the_level_are_left_out_by_name():
    level = imported()
    level.objects.link(bpy.data.objects.new("House", bpy.data.meshes.new("House")))
    level.objects.link(bpy.data.objects.new("Sight", bpy.data.cameras.new("Sight")))
    report = Report()
    assert exported(level, report) == DATA
    assert "2 objects that aren't part of a Fable level ('House', 'Sight')" in report.summary()
