# SPDX-License-Identifier: GPL-3.0-or-later
"""Real levels in Blender: every height bit for bit, every field, the game map the right way up."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.palettes import lists
from levelwright.addon.fable.palettes.build import names_of
from levelwright.addon.scene.kept import identity, originals
from levelwright.formats import fable
from levelwright.formats.fable import theme_weights

from tests.addon.fable.test_import import game_map_of, terrain_of, values
from tests.addon.fable.test_import import weights as shown_weights

LEVELS = ("BarrowFields", "StartOakValeEast", "StartOakvaleMemorialGarden")


@pytest.fixture(params=LEVELS)
def file(request: pytest.FixtureRequest, corpus: Path) -> Path:
    found = next((corpus / "lev").rglob(f"{request.param}.lev"), None)
    if found is None:
        pytest.skip(f"no {request.param}.lev in {corpus}")
    return found


def imported(file: Path, tmp_path: Path) -> tuple[bpy.types.Collection, fable.Level]:
    """Through the operator, saved and opened again."""
    assert bpy.ops.import_scene.fable_lev(filepath=str(file)) == {"FINISHED"}
    path = str(tmp_path / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    (level,) = originals.levels()
    return level, fable.read(file.read_bytes())


def test_the_ground_is_what_the_file_says(file: Path, tmp_path: Path) -> None:
    collection, level = imported(file, tmp_path)
    terrain = terrain_of(collection)
    rows, columns = level.cells.shape
    positions = values(terrain, "position").reshape(rows, columns, 3)
    assert positions[..., 2].tobytes() == (level.cells["height"] * np.float32(2048)).tobytes()
    assert np.array_equal(positions[..., :2], np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1))
    for name, field in layout.CELL_FIELDS.items():
        assert np.array_equal(values(terrain, name).reshape(rows, columns), field.of(level.cells)), name
    for name in layout.FLAGS:
        assert np.array_equal(values(terrain, name).reshape(rows, columns), level.cells[name] == 1), name
    names = lists.get(collection)
    assert names == names_of(level)
    token = originals.describe(collection).token
    assert np.array_equal(identity.read_ids(terrain.data, "POINT", token), np.arange(1, rows * columns + 1))
    strengths = fable.strengths(level.cells)
    for slot in (2, 114, 3):
        layer = names.layers()[slot]
        wanted = np.where(level.cells["themes"] == slot, strengths, 0).sum(axis=-1).clip(0, theme_weights.FULL)
        if layer:
            assert np.array_equal(shown_weights(terrain, layer).reshape(rows, columns), wanted)


def test_the_game_map_is_the_right_way_up(file: Path, tmp_path: Path) -> None:
    collection, level = imported(file, tmp_path)
    mesh = game_map_of(collection).data
    data = file.read_bytes()
    rows, columns = level.game_map.shape
    start = int(level.header["brush_offset"]) - 11 * rows * columns
    sounds = np.frombuffer(data, np.uint8)[start + 10 : start + 11 * rows * columns : 11].reshape(rows, columns)
    found = values(game_map_of(collection), "sound")
    for face in (0, columns - 1, columns * (rows - 1), columns * rows // 2 + 3):
        x, y = (int(value) // 4 for value in mesh.polygons[face].center[:2])
        assert found[face] == sounds[rows - 1 - y, x]
    assert np.array_equal(found.reshape(rows, columns), sounds[::-1])


def test_water_sounds_lie_over_water(file: Path, tmp_path: Path) -> None:
    """Of the cells that sound of water, most have some within a cell: only if neither grid is upside down."""
    collection, level = imported(file, tmp_path)
    names = lists.get(collection)
    wet = np.array([name.startswith(("WATER", "SEA")) for name in names.themes])
    under = wet[level.cells["themes"]] & (fable.strengths(level.cells) > 0)
    rows, columns = level.game_map.shape
    blocks = under.any(axis=-1)[: rows * 4, : columns * 4].reshape(rows, 4, columns, 4).any(axis=(1, 3))
    near = np.pad(blocks, 1)
    near = near[:-2, 1:-1] | near[2:, 1:-1] | near[1:-1, :-2] | near[1:-1, 2:] | blocks
    watery = [n for n, name in enumerate(names.sounds, 1) if name.endswith(("RIVER", "OCEAN", "LAKE"))]
    sounding = np.isin(values(game_map_of(collection), "sound"), watery).reshape(rows, columns)
    if not sounding.any():
        pytest.skip(f"{file.stem} has no sound of water")
    assert near[sounding].mean() > 0.8
    assert near[sounding].mean() > near[sounding[::-1]].mean() + 0.1
