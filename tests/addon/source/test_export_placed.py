# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays and cubemaps that are edited in Blender, back in the map."""

import math

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.placed import overlay_quads
from levelwright.formats.source.tables.fields import overlay_counts

from tests.addon.source.exports import ROOM, Scene, close, copied, removed
from tests.formats.source_room import NORTH_LEFT, NORTH_RIGHT

BEFORE = source.read(ROOM)


def overlays(level: source.Level) -> np.ndarray:
    return level.table(LumpId.OVERLAYS)


def faces(level: source.Level, number: int = 0) -> set[int]:
    counts = overlay_counts(overlays(level))[0]
    return set(overlays(level)["faces"][number][: counts[number]].tolist())


# ------------------------------------------------------------------------------------------------------------ overlays


def test_an_overlay_moves_in_its_plane() -> None:
    here = Scene()
    obj = here.objects(layout.OVERLAY)[0]
    obj.location.x = -10  # over both halves of the wall
    made = here.export()
    assert here.changed(made) == ["OVERLAYS"]
    assert overlays(made)["origin"][0].tolist() == [-10, 128, 64]
    assert faces(made) == {NORTH_LEFT, NORTH_RIGHT}
    was, now = overlays(BEFORE), overlays(made)
    assert all(was[name].tobytes() == now[name].tobytes() for name in ("u", "v", "uv_points", "basis_normal", "id"))
    obj.location.x = -100
    assert here.export().file.write() == ROOM


def test_an_overlay_is_turned_and_scaled() -> None:
    here = Scene()
    obj = here.objects(layout.OVERLAY)[0]
    before = overlay_quads.corners(overlays(BEFORE))[0]
    obj.rotation_euler.y = math.radians(90)
    made = here.export()
    assert here.changed(made) == ["OVERLAYS"]
    turned = (before - (-100, 128, 64)) @ np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])
    assert close(overlay_quads.corners(overlays(made))[0], np.add(turned, (-100, 128, 64)))
    obj.rotation_euler.y = 0
    obj.scale.x = 2
    made = here.export()
    assert close(overlay_quads.corners(overlays(made))[0], (before - (-100, 128, 64)) * (2, 1, 1) + (-100, 128, 64))
    assert overlays(made)["basis_normal"].tobytes() == overlays(BEFORE)["basis_normal"].tobytes()
    obj.scale.x = 1
    obj.data.vertices[0].co.x -= 4
    made = here.export()
    moved = before - [[4, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert close(overlay_quads.corners(overlays(made))[0], moved)


def test_an_overlay_has_another_texture_and_order() -> None:
    here = Scene()
    obj = here.objects(layout.OVERLAY)[0]
    other = bpy.data.materials.new("other")
    other[layout.MATERIAL] = "maps/room/dev/wall_10_20_30"
    obj.data.materials[0] = other
    obj["render_order"] = 2
    for loop in obj.data.uv_layers[0].uv:
        loop.vector.x *= 3
    made = here.export()
    assert set(here.changed(made)) == {"OVERLAYS", "TEXINFO"}
    texinfo = made.table(LumpId.TEXINFO)[int(overlays(made)["texinfo"][0])]
    assert texinfo["texdata"] == 1
    assert overlay_counts(overlays(made))[1].tolist() == [2]
    assert overlays(made)["u"][0].tolist() == [0, 3]
    assert faces(made) == {NORTH_LEFT}
    obj.data.uv_layers[0].uv[0].vector.y += 0.5
    with pytest.raises(SceneError, match="upright rectangle"):
        here.export()


def test_overlays_are_copied_and_deleted() -> None:
    here = Scene()
    obj = here.objects(layout.OVERLAY)[0]
    copied(obj).location.x = -180
    copied(obj, linked=True).location.x = 100
    removed(obj)
    made = here.export()
    assert set(here.changed(made)) == {"OVERLAYS", "OVERLAY_FADES"}
    assert overlays(made)["origin"][:, 0].tolist() == [-180, 100]
    assert (faces(made, 0), faces(made, 1)) == ({NORTH_LEFT}, {NORTH_RIGHT})
    assert made.table(LumpId.OVERLAY_FADES).tolist() == BEFORE.table(LumpId.OVERLAY_FADES).tolist() * 2
    again = Scene(bytes(made.file.write()))
    assert sorted(round(each.location.x) for each in again.objects(layout.OVERLAY).values()) == [-180, 100]


def test_each_edge_of_an_overlays_texture_is_its_own() -> None:
    here = Scene()
    obj = here.objects(layout.OVERLAY)[0]
    edges = {0: 0.25, 1: 2.0}  # u where it begins and ends
    upward = {0: 0.375, 1: 3.0}  # v, which counts downwards in the map: 1 is at its upper end
    for loop in obj.data.uv_layers[0].uv:
        loop.vector = edges[round(loop.vector.x)], upward[round(loop.vector.y)]
    made = here.export()
    assert here.changed(made) == ["OVERLAYS"]
    assert overlays(made)["u"][0].tolist() == [0.25, 2.0]
    assert overlays(made)["v"][0].tolist() == [1 - 3.0, 1 - 0.375]
    again = Scene(bytes(made.file.write())).objects(layout.OVERLAY)[0]
    shown = [[tuple(loop.vector) for loop in one.data.uv_layers[0].uv] for one in (obj, again)]
    assert shown[0] == shown[1]


def test_a_hovering_overlay_slides_scales_and_is_copied() -> None:
    level = source.read(ROOM)
    table = overlays(level).copy()
    table["origin"][0, 1] = 100  # 28 units before its wall
    level.set_table(LumpId.OVERLAYS, table)
    here = Scene(source.write(level))
    obj = here.objects(layout.OVERLAY)[0]
    obj.location.x += 1
    made = here.export()
    assert here.changed(made) == ["OVERLAYS"]
    assert overlays(made)["faces"].tobytes() == table["faces"].tobytes()
    obj.scale = (1.5, 1, 1.5)
    assert faces(here.export()) == {NORTH_LEFT}
    obj.location.x = -10
    assert faces(here.export()) == {NORTH_LEFT, NORTH_RIGHT}
    copied(obj)
    made = here.export()
    assert (faces(made, 0), faces(made, 1)) == ({NORTH_LEFT, NORTH_RIGHT},) * 2
    obj.location.y = 60
    with pytest.raises(SceneError, match="no face of the world") as caught:
        here.export()
    assert caught.value.objects == [obj]


def levelled() -> source.Level:
    """The room with levels of processor and graphics for its overlay, and distances where it fades."""
    level = source.read(ROOM)
    level.set_table(LumpId.OVERLAY_FADES, np.array([(300.0, 90000.0)], level.table(LumpId.OVERLAY_FADES).dtype))
    level.set_bytes(LumpId.OVERLAY_SYSTEM_LEVELS, bytes([1, 2, 0, 3]))
    return level


def test_fades_and_levels_of_an_overlay() -> None:
    here = Scene(source.write(levelled()))
    obj = here.objects(layout.OVERLAY)[0]
    assert (obj["fade_min_dist"], obj["fade_max_dist"]) == (math.sqrt(300), 300)
    assert [obj[f"{end}_{what}_level"] for what in ("cpu", "gpu") for end in ("min", "max")] == [1, 2, 0, 3]
    assert here.export().file.write() == here.data
    obj["fade_max_dist"] = 512.0
    made = here.export()
    assert here.changed(made) == ["OVERLAY_FADES"]
    assert made.table(LumpId.OVERLAY_FADES).tolist() == [(300.0, 512.0**2)]
    obj["fade_min_dist"] = -1
    assert here.export().table(LumpId.OVERLAY_FADES).tolist() == [(-1.0, 512.0**2)]
    obj["fade_min_dist"], obj["fade_max_dist"] = math.sqrt(300), 300.0
    obj["max_gpu_level"] = 2
    made = here.export()
    assert here.changed(made) == ["OVERLAY_SYSTEM_LEVELS"]
    assert made.table(LumpId.OVERLAY_SYSTEM_LEVELS).tolist() == [(1, 2, 0, 2)]
    again = Scene(bytes(made.file.write()))
    assert again.objects(layout.OVERLAY)[0]["max_gpu_level"] == 2
    obj["max_gpu_level"] = 256
    with pytest.raises(SceneError, match=r"max_gpu_level.*256 is no whole number from 0 to 255") as caught:
        here.export()
    assert caught.value.objects == [obj]


def test_a_copy_of_an_overlay_has_its_fades_and_levels() -> None:
    here = Scene(source.write(levelled()))
    copied(here.objects(layout.OVERLAY)[0])["min_cpu_level"] = 2
    made = here.export()
    assert set(here.changed(made)) == {"OVERLAYS", "OVERLAY_FADES", "OVERLAY_SYSTEM_LEVELS"}
    assert made.table(LumpId.OVERLAY_FADES).tolist() == [(300.0, 90000.0)] * 2
    assert made.table(LumpId.OVERLAY_SYSTEM_LEVELS).tolist() == [(1, 2, 0, 3), (2, 2, 0, 3)]


def test_a_map_without_levels_of_overlays_takes_none() -> None:
    here = Scene()
    obj = here.objects(layout.OVERLAY)[0]
    assert "min_cpu_level" not in obj
    obj["min_cpu_level"] = 1
    with pytest.raises(SceneError, match="the map has no OVERLAY_SYSTEM_LEVELS") as caught:
        here.export()
    assert caught.value.objects == [obj]


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda obj: setattr(obj, "location", (-100, 60, 64)), "no face of the world"),
        (lambda obj: setattr(obj, "delta_location", (5, 5, 5)), "delta location"),
        (lambda obj: obj.data.vertices.add(1), "four corners"),
        (lambda obj: setattr(obj, "scale", (0, 0, 0)), "span no area"),
        (lambda obj: setattr(obj, "scale", (0, 1, 1)), "span no area"),
        (lambda obj: obj.__setitem__("render_order", 9), "render order 9"),
        (lambda obj: obj.__setitem__("render_order", 1.5), "render order 1.5"),
        (lambda obj: obj.__setitem__("overlay_id", "sign"), "'sign' is not a number"),
        (lambda obj: obj.__setitem__("fade_max_dist", "far"), "is not a number"),
    ],
)
def test_what_an_overlay_cannot_be(edit: object, says: str) -> None:
    here = Scene()
    obj = here.objects(layout.OVERLAY)[0]
    edit(obj)
    with pytest.raises(SceneError, match=says) as caught:
        here.export()
    assert caught.value.objects == [obj]


# ------------------------------------------------------------------------------------------------------------ cubemaps


def test_a_cubemap_moves_with_all_that_is_named_after_it() -> None:
    here = Scene()
    here.objects(layout.CUBEMAP)[0].location = (11.2, 20, 30)
    made = here.export()
    assert set(here.changed(made)) == {"CUBEMAPS", "PAKFILE", "TEXDATA_STRING_DATA"}
    assert made.table(LumpId.CUBEMAPS)["origin"].tolist() == [[11, 20, 30], [50, 60, 70]]
    assert "materials/maps/room/c11_20_30.vtf" in made.pak
    assert "maps/room/dev/wall_11_20_30" in made.texture_names.names
    assert "build cubemaps" in here.report.warnings[0]
    first, second = (here.objects(layout.CUBEMAP)[number] for number in range(2))
    first.location, second.location = (50, 60, 70), (90, 100, 110)
    assert here.export().table(LumpId.CUBEMAPS)["origin"].tolist() == [[50, 60, 70], [90, 100, 110]], "one by one"
    second.location = (10, 20, 30)
    with pytest.raises(SceneError, match=r"is at .* already"):
        here.export()
    first.location, second.location = (10, 20, 30), (50, 60, 70)
    here.objects(layout.CUBEMAP)[0].location.x = 10.3  # still the same whole units
    assert here.export().file.write() == ROOM


def test_cubemaps_are_added_deleted_and_sized() -> None:
    here = Scene()
    first, second = (here.objects(layout.CUBEMAP)[number] for number in range(2))
    copied(second, linked=True).location.x = 55
    second["cubemapsize"] = 7
    removed(first)
    made = here.export()
    assert here.changed(made) == ["CUBEMAPS"], "its files stay: a material needs them"
    table = made.table(LumpId.CUBEMAPS)
    assert table["origin"].tolist() == [[50, 60, 70], [55, 60, 70]]
    assert table["size"].tolist() == [7, 6]
    third = copied(second, linked=True)
    with pytest.raises(SceneError, match=r"is at .* already") as caught:
        here.export()
    assert caught.value.objects == [third]
