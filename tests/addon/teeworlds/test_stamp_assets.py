# SPDX-License-Identifier: GPL-3.0-or-later
"""Stamps as assets: saved from the tool, and put into layers by the nearest cells."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.media import images
from levelwright.addon.teeworlds.stamp import held, targets
from levelwright.addon.teeworlds.structure.parts import tile_kind
from levelwright.formats import teeworlds
from levelwright.formats.teeworlds import stamps

from tests.addon.teeworlds.export_helpers import exported, imported
from tests.addon.teeworlds.test_stamp import layer, opened

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "first-light.map"


def held_stamp(*index: int) -> None:
    held.pick(bpy.context, [stamps.of_cells("TILES", _row(index), (0, 0, len(index), 1))])


def _row(index: tuple[int, ...]) -> dict[str, np.ndarray]:
    values = np.array([index], np.int32)
    return {"index": values, "flags": values * 0}


def tiles(level: bpy.types.Collection, name: str = "Ground") -> list[list[int]]:
    for group in teeworlds.read(exported(level)).groups:
        for one in group.layers:
            if one.name == name:
                return one.tiles()["index"].tolist()
    raise KeyError(name)


def dragged(level: bpy.types.Collection, place: tuple[float, float], *index: int) -> bpy.types.Object:
    """A stamp that was saved, and dropped at a place."""
    held_stamp(*index)
    assert bpy.ops.levelwright.teeworlds_save_stamp(title="House") == {"FINISHED"}
    made = bpy.data.objects["House"]
    assert made.asset_data is not None
    assert not made.users_collection, "it is no part of the map"
    level.objects.link(made)
    made.location = (*place, 0.5)
    bpy.context.view_layer.update()
    return made


@pytest.mark.parametrize("storage", ["mesh", "image"])
def test_a_saved_stamp_is_put_into_a_layer(storage: str) -> None:
    level, ground = opened(storage)
    before = tiles(level)
    piece = dragged(level, (2.2, -1.9), 40, 0, 41)
    piece.select_set(True)
    bpy.context.view_layer.objects.active = ground
    assert bpy.ops.levelwright.teeworlds_put_tiles() == {"FINISHED"}
    assert "House" not in bpy.data.objects
    before[2][2], before[2][4] = 40, 41
    assert tiles(level) == before, "and what its air covers stays"


def test_what_can_not_be_put_is_refused() -> None:
    level, ground = opened("mesh")
    before = tiles(level)
    piece = dragged(level, (20, -20), 40)
    bpy.context.view_layer.objects.active = ground
    with pytest.raises(RuntimeError, match="Select tiles"):
        bpy.ops.levelwright.teeworlds_put_tiles()
    piece.select_set(True)
    there = piece.copy()
    level.objects.link(there)
    there.name, there.location, there.rotation_euler = "A House", (1, -1, 0), (0.5, 0, 0)
    there.select_set(True)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="House lies outside of"):
        bpy.ops.levelwright.teeworlds_put_tiles()
    assert there.rotation_euler.x == 0.5
    for one in (piece, there):
        level.objects.unlink(one)
    assert tiles(level) == before, "nothing is put where not all can be"
    level.objects.link(piece)
    piece.select_set(True)
    game = next(obj for obj in level.all_objects if tile_kind(obj) == "GAME")
    bpy.context.view_layer.objects.active = game
    with pytest.raises(RuntimeError, match="its tiles are TILES"):
        bpy.ops.levelwright.teeworlds_put_tiles()
    bpy.context.view_layer.objects.active = piece
    with pytest.raises(RuntimeError, match="it has to be active"):
        bpy.ops.levelwright.teeworlds_put_tiles()


def test_layers_of_another_map_are_no_tiles_to_be_put() -> None:
    """They are selected, too, where one selects all; putting them would take them out of their map."""
    other, theirs = opened("mesh")
    _, ground = opened("mesh")
    before = tiles(other)
    theirs.select_set(True)
    bpy.context.view_layer.objects.active = ground
    with pytest.raises(RuntimeError, match="Select tiles"):
        bpy.ops.levelwright.teeworlds_put_tiles()
    assert tiles(other) == before


def test_no_stamp_is_no_asset() -> None:
    opened("mesh")
    held.drop()
    with pytest.raises(RuntimeError, match="Pick a stamp of one layer first"):
        bpy.ops.levelwright.teeworlds_save_stamp()


def preview_of(piece: bpy.types.Object) -> np.ndarray:
    """The preview of an asset, the top row first, 0 to 255."""
    assert piece.preview is not None and tuple(piece.preview.image_size) == (128, 128)
    return np.array(piece.preview.image_pixels_float[:]).reshape(128, 128, 4)[::-1] * 255


def test_a_saved_stamp_shows_its_tiles_in_the_browser() -> None:
    level = imported(SAMPLE.read_bytes())
    house = layer(level, "House")
    bpy.context.view_layer.objects.active = house
    image = targets.tileset(house)
    assert image is not None
    index, side = next(iter(targets.used(house) - {0})), image.size[0] // 16
    row, column = divmod(index, 16)
    tile = images.to_rgba(image)[row * side : (row + 1) * side, column * side : (column + 1) * side]
    seen = preview_of(dragged(level, (0.0, 0.0), index, 0, index))
    assert np.abs(seen[64, [21, 106]] - tile[side // 2, side // 2]).max() < 2
    assert not seen[64, 64].any(), "the air between them is clear"


def test_a_saved_stamp_without_an_image_is_white() -> None:
    level, _ = opened("mesh")
    seen = preview_of(dragged(level, (0.0, 0.0), 40, 0))
    assert (seen[64, 32] == 255).all() and not seen[64, 96].any()
