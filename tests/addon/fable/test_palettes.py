# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of themes, atmospheres and sounds: renamed, added, removed; with the weight layers of the themes."""

import bpy
import numpy as np
import pytest
from levelwright.addon.fable.palettes import edit as palette_edit
from levelwright.addon.fable.palettes import lists
from levelwright.addon.scene.reports import SceneError

from tests.addon.fable.export_helpers import LEVEL, imported
from tests.addon.fable.test_import import game_map_of, terrain_of, values, weights
from tests.formats import fable_bytes as build

PLAIN = LEVEL.but(
    cell=lambda x, y: build.height_cell(0, (2, 0, 0)), game=lambda x, y: build.game_cell((1, 0, 0), sound=2)
)


def layers(level: bpy.types.Collection) -> list[str]:
    return [group.name for group in terrain_of(level).vertex_groups]


def test_a_renamed_theme_takes_its_layer_along() -> None:
    level = imported(PLAIN.build())
    held = lists.of(level)
    before = weights(terrain_of(level), "GRASS")
    held.themes[1].name = "MEADOW"
    assert lists.get(level).themes[2] == "MEADOW"
    assert layers(level) == ["INVALID_THEME_STANDIN", "MEADOW", "SAND", "ROCK", "MUD"]
    assert np.array_equal(weights(terrain_of(level), "MEADOW"), before)
    assert lists.get(level).layers()[2] == "MEADOW"


def test_names_that_are_taken_are_told_apart_by_slots() -> None:
    level = imported(PLAIN.build())
    themes = lists.of(level).themes
    themes[2].name = "GRASS"
    assert layers(level)[1:3] == ["GRASS", "GRASS 3"]
    themes[1].name = "SAND"
    assert layers(level)[1:3] == ["SAND", "GRASS"]
    assert weights(terrain_of(level), "SAND").max() == 255


def test_the_chosen_theme_is_the_one_to_paint() -> None:
    level = imported(PLAIN.build())
    lists.of(level).active_theme = 3
    assert terrain_of(level).vertex_groups.active.name == "ROCK"


def test_a_new_theme_has_the_first_free_slot_and_a_layer() -> None:
    ground = [*LEVEL.ground[:3], (b"", 0), *LEVEL.ground[3:]]
    level = imported(PLAIN.but(ground=ground).build())
    assert bpy.ops.levelwright.fable_add_name(kind="themes", name="SNOW") == {"FINISHED"}
    names = lists.get(level)
    assert names.themes[:7] == ["", "INVALID_THEME_STANDIN", "GRASS", "SNOW", "SAND", "ROCK", "MUD"]
    assert set(layers(level)) == {"INVALID_THEME_STANDIN", "GRASS", "SAND", "ROCK", "MUD", "SNOW"}
    held = lists.of(level)
    assert held.themes[held.active_theme].name == "SNOW"
    assert weights(terrain_of(level), "GRASS").tolist() == [255] * 33 * 33


@pytest.mark.parametrize("name", ["", "GRASS", "A" * 128, "Ω"])
def test_names_that_no_level_can_have_are_refused(name: str) -> None:
    level = imported(PLAIN.build())
    before = lists.get(level)
    with pytest.raises(SceneError):
        palette_edit.add(level, "themes", name)
    with pytest.raises(RuntimeError):
        bpy.ops.levelwright.fable_add_name(kind="themes", name=name)
    assert lists.get(level) == before


def test_full_lists_are_refused() -> None:
    level = imported(
        PLAIN.but(ground=[(b"T%d" % n, 1) for n in range(256)], sounds=[b"S%d" % n for n in range(127)]).build()
    )
    with pytest.raises(SceneError, match="256"):
        palette_edit.add(level, "themes", "ONE MORE")
    with pytest.raises(SceneError, match="127"):
        palette_edit.add(level, "sounds", "ONE MORE")


def test_only_what_no_cell_has_is_removed() -> None:
    level = imported(PLAIN.build())
    for kind, place in (("themes", 2), ("atmospheres", 1), ("sounds", 2)):
        with pytest.raises(SceneError, match="cells have it"):
            palette_edit.remove(bpy.context, level, kind, place)
    terrain_of(level).vertex_groups["ROCK"].add([7], 0.5, "REPLACE")
    with pytest.raises(SceneError, match="painted on 1 cell"):
        palette_edit.remove(bpy.context, level, "themes", 4)
    palette_edit.remove(bpy.context, level, "themes", 3)
    palette_edit.remove(bpy.context, level, "atmospheres", 2)
    names = lists.get(level)
    assert names.themes[2:6] == ["GRASS", "", "ROCK", "MUD"]
    assert names.atmospheres[:3] == ["", "ENVIRONMENT_DAY", ""]
    assert layers(level) == ["INVALID_THEME_STANDIN", "GRASS", "ROCK", "MUD"]
    assert weights(terrain_of(level), "ROCK")[7] == 128


def test_a_theme_that_stays_behind_without_strength_is_not_in_use() -> None:
    level = imported(PLAIN.but(cell=lambda x, y: build.height_cell(0, (2, 3, 4), (255, 0))).build())
    palette_edit.remove(bpy.context, level, "themes", 4)
    assert lists.get(level).themes[4] == ""


def test_sounds_behind_a_removed_one_move_up() -> None:
    level = imported(PLAIN.build())
    held = lists.of(level)
    held.active_sound = 0
    assert bpy.ops.levelwright.fable_remove_name(kind="sounds") == {"FINISHED"}
    assert lists.get(level).sounds == ["SOUND_WIND"]
    assert np.unique(values(game_map_of(level), "sound")).tolist() == [1]


def test_sounds_of_old_maps_are_those_of_the_cells() -> None:
    old = PLAIN.but(map_version=2, cell=lambda x, y: build.height_cell(0, (2, 0, 0), old_sound=2))
    level = imported(old.build())
    with pytest.raises(SceneError, match="1,089 cells"):
        palette_edit.remove(bpy.context, level, "sounds", 2)
    palette_edit.remove(bpy.context, level, "sounds", 1)
    assert np.unique(values(terrain_of(level), "old_sound")).tolist() == [1]
    assert np.unique(values(game_map_of(level), "sound")).tolist() == [2]  # counts for nothing, and stays


def test_the_lists_travel_with_their_level(tmp_path) -> None:
    level = imported(PLAIN.build())
    lists.of(level).themes[1].name = "MEADOW"
    wanted = lists.get(level)
    copy = level.copy()
    assert lists.get(copy) == wanted
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path) as (source, target):
        target.collections = [name for name in source.collections if name == "test"]
    (appended,) = target.collections
    assert lists.get(appended) == wanted
