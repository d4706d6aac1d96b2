# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled lights that are edited in Blender, back in the map: each field, in both lists."""

import math

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import baselines
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.tables.lights import WORLDLIGHT_V2

from tests.addon.source.exports import ROOM, Scene, close, copied, removed
from tests.addon.source.placed import a_map


@pytest.fixture
def lit() -> Scene:
    level = source.read(ROOM)
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        lights = level.table(lump).copy()
        lights["quadratic_attn"] = 1
        level.set_table(lump, lights)
    return Scene(bytes(source.write(level)), entities=False, static_props="none")


def test_a_compiled_light_moves_in_both_lists(lit: Scene) -> None:
    lit.objects(layout.WORLDLIGHT)[0].location.x = 120
    made = lit.export()
    assert lit.changed(made) == ["WORLDLIGHTS", "WORLDLIGHTS_HDR"]
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        assert made.table(lump)["origin"][0].tolist() == [120, 0, 100]
        assert made.table(lump)["cluster"][0] == 1, "the cluster where it is now"
        assert made.table(lump)[1:].tobytes() == source.read(lit.data).table(lump)[1:].tobytes()


def test_a_compiled_light_is_as_bright_as_blenders(lit: Scene) -> None:
    obj = lit.objects(layout.WORLDLIGHT)[1]
    obj.data.energy *= 2
    obj.data.color = (1, 0.5, 0)
    made = lit.export()
    assert close(made.table(LumpId.WORLDLIGHTS)["intensity"][1], (18, 9, 0))
    obj["intensity"] = [1.0, 2.0, 3.0]
    assert close(lit.export().table(LumpId.WORLDLIGHTS_HDR)["intensity"][1], (1, 2, 3))
    obj["style"] = 4
    assert lit.export().table(LumpId.WORLDLIGHTS)["style"].tolist() == [0, 4]


def test_compiled_lights_are_copied_and_deleted(lit: Scene) -> None:
    first, second = (lit.objects(layout.WORLDLIGHT)[number] for number in range(2))
    copied(second).location.x = -50
    removed(first)
    made = lit.export()
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        assert made.table(lump)["origin"][:, 0].tolist() == [100, -50]
        assert made.table(lump)["cluster"].tolist() == [1, 0]
    second.location.z = 5000
    with pytest.raises(SceneError, match="within a wall or outside"):
        lit.export()


LIGHT_VALUES = {
    "type": 2, "style": 12, "cluster": 0, "owner": 3, "texinfo": 2, "flags": 1, "stopdot": 0.75, "stopdot2": 0.5,
    "exponent": 2.0, "radius": 512.0, "constant_attn": 3.0, "linear_attn": 0.25, "quadratic_attn": 0.5,
}  # fmt: skip
"""Of each property of a compiled light another value than the room's lights have."""


def test_every_field_of_a_compiled_light_is_a_property(lit: Scene) -> None:
    names = set(source.read(lit.data).table(LumpId.WORLDLIGHTS).dtype.names)
    assert names - LIGHT_VALUES.keys() == {"origin", "normal", "intensity"}, "these are its place, turn and colour"
    assert names - {"origin", "normal"} <= set(lit.objects(layout.WORLDLIGHT)[0].keys())


@pytest.mark.parametrize("name", LIGHT_VALUES)
def test_a_property_of_a_compiled_light_is_written(lit: Scene, name: str) -> None:
    obj, value = lit.objects(layout.WORLDLIGHT)[1], LIGHT_VALUES[name]
    assert obj[name] != value
    assert lit.export().file.write() == lit.data
    obj[name] = value
    made = lit.export()
    assert lit.changed(made) == ["WORLDLIGHTS", "WORLDLIGHTS_HDR"]
    before = source.read(lit.data)
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        was, now = before.table(lump), made.table(lump)
        assert now[name][1] == value
        assert was[0].tobytes() == now[0].tobytes()
        kept = [each for each in was.dtype.names if each != name and (name, each) != ("type", "normal")]
        assert [each for each in kept if was[each].tobytes() != now[each].tobytes()] == []
    again = Scene(bytes(made.file.write()), entities=False).objects(layout.WORLDLIGHT)[1]
    assert again[name] == value


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("type", 9, "type 9 is none of surface"),
        ("type", "spot", "'spot' is no whole number"),
        ("style", 64, "style 64, 0 to 63"),
        ("cluster", 99, "cluster 99 isn't there"),
        ("texinfo", 99, "texinfo 99 isn't there"),
        ("stopdot", 1.5, "stopdot is 1.5, a cosine"),
        ("stopdot2", -2.0, "stopdot2 is -2"),
        ("quadratic_attn", 0.0, "one has to be above 0"),
        ("linear_attn", -1.0, "none below"),
        ("radius", math.nan, "is not finite"),
        ("exponent", "much", "'much' is not a number"),
    ],
)
def test_what_a_compiled_light_cannot_have(lit: Scene, name: str, value: object, says: str) -> None:
    obj = lit.objects(layout.WORLDLIGHT)[1]
    obj[name] = value
    with pytest.raises(SceneError, match=says) as caught:
        lit.export()
    assert caught.value.objects == [obj]


def test_a_compiled_light_becomes_a_spot_in_blender(lit: Scene) -> None:
    obj = lit.objects(layout.WORLDLIGHT)[1]
    obj.data.type = "SPOT"
    spot = bpy.data.lights[obj.data.name]
    spot.spot_size, spot.spot_blend = math.radians(120), 0.5
    spot.use_custom_distance, spot.cutoff_distance = True, 256 * layout.SCALE
    obj.rotation_euler = (0, 0, 0)  # down
    made = lit.export()
    light = made.table(LumpId.WORLDLIGHTS)[1]
    assert (light["type"], light["radius"]) == (2, 256)
    assert (light["stopdot"], light["stopdot2"]) == pytest.approx((0.75, 0.5))
    assert light["normal"].tolist() == [0, 0, -1]
    assert made.table(LumpId.WORLDLIGHTS_HDR)[1].tobytes() == light.tobytes()
    assert made.table(LumpId.WORLDLIGHTS)[0].tobytes() == source.read(lit.data).table(LumpId.WORLDLIGHTS)[0].tobytes()
    again = Scene(bytes(made.file.write()), entities=False).objects(layout.WORLDLIGHT)[1].data
    assert again.type == "SPOT"
    assert (again.spot_size, again.spot_blend) == pytest.approx((math.radians(120), 0.5))
    assert again.cutoff_distance == pytest.approx(256 * layout.SCALE)


def test_a_compiled_light_is_no_area_light(lit: Scene) -> None:
    obj = lit.objects(layout.WORLDLIGHT)[1]
    obj.data.type = "AREA"
    with pytest.raises(SceneError, match="no area light") as caught:
        lit.export()
    assert caught.value.objects == [obj]


def test_a_level_without_shapes_of_lamps_sees_them_edited(lit: Scene) -> None:
    baselines.forget(lit.level, layout.SHAPES)  # as 0.3.0 saved it
    lights = len(bpy.data.lights)
    assert lit.export().file.write() == lit.data
    obj = lit.objects(layout.WORLDLIGHT)[1]
    obj.data.use_custom_distance, obj.data.cutoff_distance = True, 64 * layout.SCALE
    assert lit.export().table(LumpId.WORLDLIGHTS)["radius"].tolist() == [0, 64]
    assert len(bpy.data.lights) == lights


def test_a_turned_or_scaled_point_of_light_is_told(lit: Scene) -> None:
    first, second = (lit.objects(layout.WORLDLIGHT)[number] for number in range(2))
    first.rotation_euler.x += 1
    second.scale = (2, 2, 2)
    assert lit.export().file.write() == lit.data
    assert f"{first.name}: it shines everywhere: that it was turned is not written" in lit.report.warnings
    assert f"{second.name}: its scale says nothing of a compiled light and is not written" in lit.report.warnings
    first["type"] = 2  # now it has a direction
    made = lit.export().table(LumpId.WORLDLIGHTS)
    assert np.linalg.norm(made["normal"][0]) == pytest.approx(1)


def test_a_light_of_version_2_has_its_mode_and_offset() -> None:
    light = np.zeros(1, WORLDLIGHT_V2)
    light["type"], light["intensity"], light["quadratic_attn"], light["pad"] = 1, 5, 1, b"abc"
    light["origin"], light["shadow_cast_offset"] = (10, 20, 64), (1, 2, 3)
    level = source.read(ROOM)
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        level.set_bytes(lump, light.tobytes() if lump == LumpId.WORLDLIGHTS else b"")
        level.file.entries["version"][lump] = 2
    here = Scene(source.write(level), entities=False, static_props="none")
    obj = here.objects(layout.WORLDLIGHT)[0]
    assert (obj["mode"], list(obj["shadow_cast_offset"])) == (0, [1, 2, 3])
    obj["mode"], obj["shadow_cast_offset"] = 3, [4.0, 5.0, 6.0]
    made = here.export().table(LumpId.WORLDLIGHTS)
    assert (made["mode"][0], made["shadow_cast_offset"][0].tolist()) == (3, [4, 5, 6])
    assert made["pad"].tobytes() == b"abc"
    obj["shadow_cast_offset"] = [1.0, 2.0]
    with pytest.raises(SceneError, match="isn't 3 numbers"):
        here.export()


@pytest.mark.parametrize("off", [-0.4, 0.4])
def test_a_colour_is_rounded_to_the_nearest_channel(off: float) -> None:
    """Of entities' lights: cutting off what is behind the point would make 99 of 99.6."""
    light = [("classname", "light"), ("origin", "0 0 0"), ("_light", "255 255 255 100")]
    here = Scene(bytes(source.write(a_map([light]))))
    here.objects()[1].data.color = [1.0, *(((channel + off) / 255) ** 2.2 for channel in (200, 100))]
    assert dict(here.export().entities[1].pairs)["_light"].split()[:3] == ["255", "200", "100"]


@pytest.mark.parametrize("angle", [10.1, 33.3, 47.7, 90.9])
def test_cones_and_directions_are_rounded_to_six_digits(lit: Scene, angle: float) -> None:
    obj = lit.objects(layout.WORLDLIGHT)[1]
    obj.data.type = "SPOT"
    spot = bpy.data.lights[obj.data.name]
    spot.spot_size, spot.spot_blend = math.radians(angle), 0.3
    obj.rotation_euler = (0.3, 0.2, 0.1)
    made = lit.export().table(LumpId.WORLDLIGHTS)[1]
    outer = math.cos(spot.spot_size / 2)
    assert made["stopdot2"] == np.float32(round(outer, 6))
    assert made["stopdot"] == np.float32(round(outer + spot.spot_blend * (1 - outer), 6))
    way = -np.array(obj.rotation_euler.to_matrix())[:, 2]
    assert close(made["normal"], way, 2e-6)
    assert made["normal"].tolist() == np.round(made["normal"].astype(np.float64), 6).astype(np.float32).tolist()


def test_a_dark_compiled_light_says_nothing_of_how_bright_it_is() -> None:
    level = source.read(ROOM)
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        lights = level.table(lump).copy()
        lights["intensity"], lights["quadratic_attn"] = [(0, 0, 0), (9, 6, 3)], 1
        level.set_table(lump, lights)
    here = Scene(bytes(source.write(level)), entities=False, static_props="none")
    dark, other = (here.objects(layout.WORLDLIGHT)[number] for number in range(2))
    other.data.energy *= 3
    made = here.export().table(LumpId.WORLDLIGHTS)["intensity"]
    assert close(made, [(0, 0, 0), (27, 18, 9)])
    dark.data.energy = 1
    with pytest.raises(SceneError, match="its power was 0, so nothing says how bright") as caught:
        here.export()
    assert caught.value.objects == [dark]
    dark["intensity"] = [1.0, 2.0, 3.0]
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        assert close(here.export().table(lump)["intensity"], [(1, 2, 3), (27, 18, 9)])
