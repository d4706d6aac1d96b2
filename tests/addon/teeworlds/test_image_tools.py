# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of a map replaced in place, put into its file, left out of it."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.media import images
from levelwright.addon.teeworlds.materials.collect import shown_images
from levelwright.addon.teeworlds.menu import MENU
from levelwright.formats import teeworlds

from tests.addon.teeworlds.export_helpers import exported, image, imported, layer, reopened
from tests.formats.teeworlds_bytes import Map, small_map, tile, whole_map


def picture_map() -> Map:
    """A map with an embedded image (0), shown by a layer of tiles and one of quads, and an external one (1)."""
    m = small_map()
    m.image("grass", 16, 16, bytes((10, 20, 30, 255)) * 256)
    m.image("far", 32, 32)
    m.tiles(2, 2, tile(1) * 4, image=0, title="shows")
    m.tiles(2, 2, tile(1) * 4, image=1, title="names")
    return m


def painted(path: Path, size: int, color: tuple[int, int, int, int]) -> Path:
    path.write_bytes(images.png(np.full((size, size, 4), color, np.uint8)))
    return path


def records(data: bytes) -> list[tuple[str, bool, int]]:
    return [(one.name, one.external, one.width) for one in teeworlds.read(data).images]


@pytest.mark.parametrize("record", [0, 1])
def test_a_replaced_image_keeps_name_number_and_what_shows_it(record: int, tmp_path: Path) -> None:
    level = imported(picture_map().build())
    before = records(exported(level))
    path = painted(tmp_path / "other name.png", 64, (200, 100, 50, 255))
    assert bpy.ops.levelwright.teeworlds_replace_image(filepath=str(path), record=record) == {"FINISHED"}
    name = before[record][0]
    held = image(level, record)
    assert held.name == name and tuple(held.size) == (64, 64)
    shows = layer(level, 1 + record)
    assert shown_images(shows, shows.material_slots[0].material) == [held]
    path.unlink()
    data = exported(reopened(level, tmp_path))
    after = teeworlds.read(data)
    assert records(data) == [(name, False, 64) if number == record else one for number, one in enumerate(before)]
    assert (after.images[record].pixels() == (200, 100, 50, 255)).all()
    assert [one.image for one in after.layers] == [one.image for one in teeworlds.read(picture_map().build()).layers]


def test_what_was_painted_on_a_replaced_image_is_kept(tmp_path: Path) -> None:
    level = imported(picture_map().build())
    path = painted(tmp_path / "new.png", 16, (200, 100, 50, 255))
    bpy.ops.levelwright.teeworlds_replace_image(filepath=str(path), record=0)
    image(level, 0).pixels[0] = 1.0
    after = teeworlds.read(exported(reopened(level, tmp_path)))
    assert after.images[0].pixels()[-1, 0].tolist() == [255, 100, 50, 255]


def test_an_image_is_left_out_and_put_in(tmp_path: Path) -> None:
    data = picture_map().build()
    level = imported(data)
    assert bpy.ops.levelwright.teeworlds_embed_image(record=0, embed=False) == {"FINISHED"}
    assert records(exported(level))[0] == ("grass", True, 16)
    assert bpy.ops.levelwright.teeworlds_embed_image(record=0, embed=True) == {"FINISHED"}
    assert exported(level) == data
    with pytest.raises(RuntimeError, match="image 'far' wasn't found, only its placeholder is here"):
        bpy.ops.levelwright.teeworlds_embed_image(record=1, embed=True)
    assert exported(level) == data


def test_only_what_can_be_put_in_or_left_out_is_offered(tmp_path: Path) -> None:
    """Neither what is there already, nor what was not found."""

    def offered() -> list[list[int]]:
        entries = [one for section in MENU for one in section.entries if one.operator == "embed_image"]
        return [[values["record"] for _, values in one.rows(bpy.context)] for one in entries]

    data = picture_map().build()
    level = imported(data)
    bpy.context.view_layer.objects.active = layer(level, 0)
    assert offered() == [[], [0]]
    assert bpy.ops.levelwright.teeworlds_embed_image(record=0) == {"CANCELLED"}
    assert bpy.ops.levelwright.teeworlds_embed_image(record=1, embed=False) == {"CANCELLED"}
    bpy.ops.levelwright.teeworlds_embed_image(record=0, embed=False)
    assert offered() == [[0], []]
    painted(tmp_path / "far.png", 32, (1, 2, 3, 255))
    level = imported(data, mapres_directory=str(tmp_path))
    bpy.context.view_layer.objects.active = layer(level, 0)
    assert offered() == [[1], [0]]


def test_an_image_found_outside_is_put_in(tmp_path: Path) -> None:
    painted(tmp_path / "far.png", 32, (1, 2, 3, 255))
    level = imported(picture_map().build(), mapres_directory=str(tmp_path))
    assert bpy.ops.levelwright.teeworlds_embed_image(record=1) == {"FINISHED"}
    (tmp_path / "far.png").unlink()
    after = teeworlds.read(exported(reopened(level, tmp_path)))
    assert not after.images[1].external and (after.images[1].pixels() == (1, 2, 3, 255)).all()


def test_a_removed_images_number_is_not_given_again(tmp_path: Path) -> None:
    """An export would take the new one for the deleted one, and layers that showed that would show it."""
    level = imported(picture_map().build())
    bpy.ops.levelwright.teeworlds_remove_image(record=1)
    bpy.ops.levelwright.teeworlds_add_image(filepath=str(painted(tmp_path / "new.png", 16, (9, 9, 9, 255))))
    after = teeworlds.read(exported(level))
    assert [one.name for one in after.images] == ["grass", "new"]
    assert [one.image for one in after.layers] == [-1, 0, -1]


def test_there_is_nothing_to_replace_without_an_image(tmp_path: Path) -> None:
    imported(small_map().build())
    path = painted(tmp_path / "new.png", 16, (9, 9, 9, 255))
    for call in (bpy.ops.levelwright.teeworlds_replace_image, bpy.ops.levelwright.teeworlds_embed_image):
        given = {"filepath": str(path)} if call is bpy.ops.levelwright.teeworlds_replace_image else {}
        with pytest.raises(RuntimeError, match="The map has no images"):
            call(record=3, **given)
    assert not bpy.data.images.get("new.png")


def test_operators_on_layers_and_groups_need_one_that_is_active() -> None:
    level = imported(whole_map().build())
    operators = bpy.ops.levelwright
    of_layers = (operators.teeworlds_set_image, operators.teeworlds_automap, operators.teeworlds_remove_layer)
    of_groups = (operators.teeworlds_move_group, operators.teeworlds_add_layer)
    root = next(obj for obj in level.all_objects if obj.parent is None)
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children[level.name]
    bpy.context.view_layer.objects.active = root
    assert not any(one.poll() for one in (*of_layers, *of_groups))
    with pytest.raises(RuntimeError, match="The active object is not a layer of the map"):
        operators.teeworlds_set_image(record=-1)
    bpy.context.view_layer.objects.active = layer(level, 3)
    assert all(one.poll() for one in (*of_layers, *of_groups))
