# SPDX-License-Identifier: GPL-3.0-or-later
"""Planes of large layers: edits of their meshes say nothing of the tiles, and are refused."""

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.resizing.resize import Growth, resize_map
from levelwright.addon.teeworlds.tiles.operators import fill_tiles
from levelwright.formats import teeworlds

from tests.addon.teeworlds.export_helpers import exported, imported, layer
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, tile


def two_layers() -> bytes:
    """A layer of 6 x 4 tiles that becomes a plane, and one of a single tile that doesn't; the game's has none."""
    m = Map()
    m.version()
    art = m.image("art", 16, 16, bytes(1024))
    m.group("Game")
    m.tiles(6, 4, tile(5) * 24, title="plane", image=art)
    m.tiles(6, 4, tile(7) + bytes(4 * 23), title="mesh", image=art)
    m.tiles(6, 4, bytes(4 * 24), flags=raw.GAME)
    return m.build()


@pytest.fixture
def level() -> bpy.types.Collection:
    made = imported(two_layers(), large_layer=10)
    assert [layer(made, number)[layout.STORAGE] for number in range(2)] == [layout.PLANE, layout.MESH]
    bpy.context.view_layer.update()
    return made


def edit(obj: bpy.types.Object, change: Callable[[], object]) -> None:
    """Change all of a mesh in edit mode."""
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    change()
    bpy.ops.object.mode_set(mode="OBJECT")


EDITS: dict[str, Callable[[], object]] = {
    "moved": lambda: bpy.ops.transform.translate(value=(1, 0, 0)),
    "scaled": lambda: bpy.ops.transform.resize(value=(0.5, 1, 1)),
    "deleted": lambda: bpy.ops.mesh.delete(type="FACE"),
    "doubled": lambda: bpy.ops.mesh.duplicate(),
}


def stamp(obj: bpy.types.Object) -> None:
    fill_tiles(obj, (1, 1), (2, 1), 6)


def paint(obj: bpy.types.Object) -> None:
    image = obj["index_image"]
    image.pixels[4 * 13] = 6 / 255  # the rows begin at the lowest
    image.pixels[4 * 14] = 6 / 255
    image.update()


@pytest.mark.parametrize("change", [stamp, paint])
def test_tiles_of_a_plane_are_written_and_no_edit_is_said_to_be_lost(
    level: bpy.types.Collection, change: Callable[[bpy.types.Object], None]
) -> None:
    change(layer(level, 0))
    report = Report("plane")
    after = teeworlds.read(exported(level, report))
    assert after.groups[0].layers[0].tiles()["index"].tolist() == [[5] * 6, [5, 6, 6, 5, 5, 5], [5] * 6, [5] * 6]
    assert report.warnings == [] and not [line for line in report.notes if "isn't written" in line]


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_plane_is_refused(level: bpy.types.Collection, what: str) -> None:
    obj = layer(level, 0)
    edit(obj, EDITS[what])
    with pytest.raises(SceneError, match="its plane was edited") as caught:
        exported(level)
    assert caught.value.objects == [obj]
    with pytest.raises(SceneError, match="its plane was edited"):
        resize_map(level, Growth(right=2))
    assert (layer(level, 1)["width"], layer(level, 2)["width"]) == (6, 6)


def test_tiles_joined_into_a_plane_are_refused(level: bpy.types.Collection) -> None:
    obj = layer(level, 0)
    bpy.ops.object.select_all(action="DESELECT")
    for one in (layer(level, 1), obj):
        one.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.join()
    with pytest.raises(SceneError, match="its plane was edited"):
        exported(level)


def test_modifiers_of_a_plane_are_refused(level: bpy.types.Collection) -> None:
    layer(level, 0).modifiers.new("many", "ARRAY")
    with pytest.raises(SceneError, match="its plane was edited"):
        exported(level)


@pytest.mark.parametrize("linked", [False, True])
def test_a_divided_plane_and_its_copy_are_resized(level: bpy.types.Collection, linked: bool) -> None:
    obj = layer(level, 0)
    edit(obj, lambda: bpy.ops.mesh.subdivide(number_cuts=2))
    assert exported(level) == two_layers()
    bpy.ops.object.duplicate(linked=linked)
    resize_map(level, Growth(left=1, bottom=3))
    after = teeworlds.read(exported(level))
    drawn = [one.tiles()["index"] for one in after.layers if isinstance(one, teeworlds.TileLayer)]
    expected = np.zeros((7, 7), np.uint8)
    expected[:4, 1:] = 5
    assert len(drawn) == 4
    assert (drawn[0] == expected).all() and (drawn[1] == expected).all()
