# SPDX-License-Identifier: GPL-3.0-or-later
"""The surface of water: where it is, that it follows the ground when that is refreshed, and that no export sees it."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import importer, kinds, layout
from levelwright.addon.fable.palettes import lists
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.scene.level import first_of
from levelwright.addon.scene.reports import Report

from tests.addon.fable.export_helpers import LEVEL, exported, imported
from tests.addon.fable.test_import import terrain_of
from tests.formats import fable_archive_bytes as archives
from tests.formats import fable_bytes as build

THEMES = ((b"", 0), (b"STANDIN", 9), (b"GRASS", 11), (b"WATER_LAKE_4", 12), (b"WATER_LAKE_0", 13), (b"POND", 14))


def lake(x: int, _y: int) -> bytes:
    """A trough, 4 units deep, filled up to 20; grass on both sides of it."""
    z = 16 + min(4, abs(x - 16) / 2)
    deep = round((20 - z) / 4 * 255)
    wet = 9 <= x <= 23
    return build.height_cell(z / 2048, (3, 4, 0) if wet else (2, 0, 0), (deep, 255 - deep) if wet else (255, 0))


DATA = LEVEL.but(ground=THEMES, cell=lake).build()


def surface_of(level: bpy.types.Collection) -> np.ndarray:
    """The places of its vertices, none without one."""
    water = first_of(level, layout.WATER)
    return np.array([tuple(point.co) for point in water.data.vertices] if water is not None else []).reshape(-1, 3)


def test_water_is_shown_where_it_stands() -> None:
    level = imported(DATA)
    points = surface_of(level)
    assert np.abs(points[:, 2] - 20).max() < 0.01
    assert (points[:, 0].min(), points[:, 0].max(), points[:, 1].max()) == (8, 24, 32)
    water = first_of(level, layout.WATER)
    assert water.parent is not None and water.hide_select and kinds.kind_shown(water, level) == "Water"
    assert exported(level) == DATA
    assert not len(surface_of(imported())), "no theme of water, no surface"


def test_water_follows_when_the_ground_is_refreshed() -> None:
    level = imported(DATA)
    terrain = terrain_of(level)
    cells = [y * 33 + x for y in range(33) for x in range(4)]
    terrain.vertex_groups["GRASS"].remove(cells)
    terrain.vertex_groups["WATER_LAKE_4"].add(cells, 1.0, "REPLACE")
    assert bpy.ops.levelwright.fable_refresh() == {"FINISHED"}
    points = surface_of(level)
    assert points[:, 0].min() == 0 and points[points[:, 0] < 4, 2].max() == 24
    for name in ("WATER_LAKE_4", "WATER_LAKE_0"):
        terrain.vertex_groups[name].remove(range(33 * 33))
    assert bpy.ops.levelwright.fable_refresh() == {"FINISHED"}
    assert not len(surface_of(level)) and not [mesh for mesh in bpy.data.meshes if mesh.name.startswith("Water")]


def test_the_games_definitions_say_how_deep_other_themes_are(tmp_path: Path) -> None:
    definition = ("ENGINE_THEME", "POND", archives.theme(water=(1, 2.5)))
    (tmp_path / "CompiledDefs").mkdir()
    for name, data in zip(("game.bin", "names.bin"), archives.definitions([definition]), strict=True):
        (tmp_path / "CompiledDefs" / name).write_bytes(data)
    pond = LEVEL.but(ground=THEMES, cell=lambda x, y: build.height_cell(0, (5, 0, 0))).build()
    settings = ImportSettings(game_directory=str(tmp_path))
    level = importer.import_level(bpy.context, pond, "pond.lev", settings, Report())
    assert set(surface_of(level)[:, 2]) == {2.5}
    assert bpy.ops.levelwright.fable_refresh() == {"FINISHED"}
    assert set(surface_of(level)[:, 2]) == {2.5}, "the level remembers it"


def ridge(x: int, y: int) -> bytes:
    """Along the diagonal, 20 units high; 12 far from it."""
    return build.height_cell(max(12, 20 - abs(x - y)) / 2048, (2, 0, 0))


def test_a_hollow_is_filled_up_to_the_cursor() -> None:
    """Its surface is level in the file that is written, and the rest of the ground is as it was."""
    level = imported(LEVEL.but(ground=THEMES, cell=ridge).build())
    for place, words in (
        ((100, 4, 16), "over a hollow"),
        ((10, 10, 16), "over a hollow"),
        ((9, 9, 40), "28.0 units deep"),
    ):
        bpy.context.scene.cursor.location = place
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.levelwright.fable_fill_water()
    bpy.context.scene.cursor.location = (30, 4, 16.3)
    assert bpy.ops.levelwright.fable_fill_water(family="SEA_OAKVALE") == {"FINISHED"}
    wet = surface_of(level)
    assert len(wet) and np.abs(wet[:, 2] - 16.3).max() < 0.01 and (wet[:, 0] > wet[:, 1]).all(), "one side of the ridge"
    again = imported(exported(level))
    np.testing.assert_allclose(surface_of(again)[:, 2], 16.3, atol=0.01)
    steps = {f"SEA_OAKVALE_{depth}" for depth in (0, 1, 2, 3, 4, 8)}
    assert {item.name for item in lists.of(again).themes if "SEA" in item.name} == steps


def test_a_full_palette_leaves_the_ground_as_it_was() -> None:
    themes = (*THEMES[:3], *((b"T%d" % slot, slot) for slot in range(3, 256)))
    data = LEVEL.but(ground=themes, cell=ridge).build()
    level = imported(data)
    bpy.context.scene.cursor.location = (30, 4, 16.3)
    with pytest.raises(RuntimeError, match="slots are taken"):
        bpy.ops.levelwright.fable_fill_water(family="SEA_OAKVALE")
    assert exported(level) == data
