# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities that no editor would write: they are opened without a word too much, and come out as they came."""

import random
import struct
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon.ns2.entities.custom_properties import written_keys
from levelwright.addon.ns2.layout import CLASS
from levelwright.addon.scene.reports import SceneError
from levelwright.formats import ns2

from tests.addon.ns2.entity_helpers import (
    BOOL,
    COLOR,
    DISTANCE,
    FILE,
    LIGHT,
    NAN,
    PLACES,
    REAL,
    STRING,
    exported,
    level_bytes,
    object_of,
    opened,
    placed,
    text,
    whole,
)
from tests.addon.ns2.export_helpers import reopened
from tests.formats import ns2_bytes as nb

INF = float("inf")
STRANGE: dict[str, list[bytes]] = {
    "light_point": [*placed(0, 0, 0), nb.floats("color", COLOR, NAN, -1.0, 5.0), nb.floats("distance", DISTANCE, -2.0),
                    nb.floats("intensity", REAL, INF)],
    "light_spot": [*placed(0, 0, 0, NAN, INF, 0.0), *LIGHT, nb.floats("outerAngle", 7, 90.0),
                   nb.floats("innerAngle", 7, -1.0)],
    "light_ambient": [*placed(0, 0, 0), text("distance", "far"), text("color", "red")],
    "ambient_sound": [*placed(0, 0, 0), nb.floats("pitch", REAL, 1e30), nb.floats("volume", REAL, -4.0),
                      nb.floats("minFalloff", DISTANCE, 1e38)],
    "camera_origin": [*placed(0, 0, 0), nb.floats("fov", REAL, 0.0)],
    "prop_static": [nb.floats("scale", REAL, 0.0, NAN, -INF), text("model", "../../x\n.model", FILE),
                    *placed(1e38, 0, 0)],
    "prop_dynamic": [*placed(0, 0, 0), text("model", "a\0b", FILE), text("", "no name"), text("a" * 64, "long")],
    "location": [*placed(0, 0, 0), nb.floats("scale", REAL, 1.0), nb.floats("scale", REAL, 2.0, 2.0, 2.0)],
    "twice": [*placed(1, 2, 3), *placed(4, 5, 6), text("class_name", "own"), text("levelwright", "x"),
              text("cycles", "y")],
    "places": [text("angles", "west"), nb.floats("origin", DISTANCE, 1.0, 2.0), *placed(4, 5, 6)],
    "types": [*placed(0, 0, 0), nb.prop("unknown", 99, b"\1\2\3\4"), nb.prop("none", REAL, b"", 0),
              nb.prop("torn", STRING, nb.u32(9)), nb.prop("six", 6, nb.f32(0.5)), nb.chunk(1, b"older kind")],
    "texts": [*placed(0, 0, 0), nb.prop("half", STRING, nb.u32(1) + b"\x00\xd8"), text("nul", "a\0b"),
              whole("odd", 7, BOOL)],
    "nowhere": [],
    "a\x01\x7f class": [nb.floats("angles", 7, 1.0), nb.floats("origin", DISTANCE, 1.0)],
    "": placed(0, 0, 0),
}  # fmt: skip


def strange(version: int = 10) -> bytes:
    objects = [nb.entity(version, name, parts) for name, parts in STRANGE.items()]
    if version >= 10:
        short = [("reflection_probe_cubemap", b"\1\2\3"), ("reflection_probe_cubemap", b"")]
        objects.append(nb.entity(version, "reflection_probe", placed(0, 0, 0), editor_data=short))
    return nb.level(version, objects=objects)


@pytest.mark.parametrize("version", [4, 7, 10])
def test_strange_entities_come_out_as_they_came(version: int, tmp_path: Path) -> None:
    data = strange(version)
    level = opened(data)
    assert exported(level) == data
    assert exported(reopened(level, tmp_path)) == data


def test_what_has_no_key_stays_with_an_entity_that_is_edited() -> None:
    level = opened(strange())
    obj = object_of(level, "types")
    assert written_keys(obj) == ["six"]
    obj["six"], obj.location.x = 0.75, 2.0
    before, after = (
        next(e for e in ns2.read(d).entities if e.class_name == "types") for d in (strange(), exported(level))
    )
    assert [p.name for p in after.properties] == [p.name for p in before.properties]
    differ = [p.name for p, q in zip(after.properties, before.properties, strict=True) if p != q]
    assert differ == ["origin", "six"]


def test_only_the_first_place_is_the_objects() -> None:
    level = opened(strange())
    obj = object_of(level, "twice")
    assert obj["class_name#2"] == "own"
    assert list(obj["origin#2"]) == [4.0, 5.0, 6.0]
    obj.location = (9, 7, 8)
    entity = next(e for e in ns2.read(exported(level)).entities if e.class_name == "twice")
    assert entity.get_all("origin") == [(7.0, 8.0, 9.0), (4.0, 5.0, 6.0)]


def _edit(obj: Any, chance: random.Random) -> None:
    """One of the things that an artist does to an object."""
    kind = chance.randrange(5)
    if kind == 0:
        obj.location[chance.randrange(3)] += chance.uniform(-5, 5)
    elif kind == 1:
        obj.rotation_euler[chance.randrange(3)] = chance.uniform(-3, 3)
    elif kind == 2 and written_keys(obj):
        key = chance.choice(written_keys(obj))
        value = obj[key]
        if isinstance(value, float | int | str):
            obj[key] = value + "x" if isinstance(value, str) else not value if isinstance(value, bool) else value + 1
    elif kind == 3 and written_keys(obj):
        del obj[chance.choice(written_keys(obj))]
    else:
        copy = obj.copy()
        copy.location.z += 1
        obj.users_collection[0].objects.link(copy)


@pytest.mark.parametrize("seed", range(25))
def test_random_edits_leave_all_other_entities_as_they_are(seed: int) -> None:
    chance = random.Random(seed)
    data = level_bytes(chance.choice((7, 9, 10)))
    level = opened(data)
    victims = chance.sample(sorted(PLACES), 3)
    for name in victims:
        _edit(object_of(level, name), chance)
    lost = sorted((obj for obj in level.all_objects if obj.get(CLASS) == "lost"), key=lambda obj: obj.name)
    if len(lost) > 1:  # its angles are NaN: those of a copy would be further ones
        with pytest.raises(SceneError, match=r"object \d+ \(lost\): angles is NaN"):
            exported(level)
        bpy.data.objects.remove(lost[1])
    after = exported(level)
    before, now = ns2.read(data).entities, ns2.read(after).entities
    assert [e.class_name for e in now[: len(before)]] == [e.class_name for e in before]
    for was, entity in zip(before, now, strict=False):
        if was.class_name not in victims:
            assert entity.properties == was.properties
            assert (entity.layers, entity.group) == (was.layers, was.group)
    again = opened(after)
    assert exported(again) == after
    assert {e.class_name for e in now[len(before) :]} <= set(victims)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_levels_raise_what_they_should(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(nb.level(10, objects=[nb.entity(10, name, parts) for name, parts in PLACES.items()]))
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(4, len(data) - 4)
        data[at : at + 4] = struct.pack(
            "<I", chance.choice((0, 1, 5, 255, 0x7FC00000, 0xFFFFFFFF, chance.getrandbits(32)))
        )
    try:
        level = opened(bytes(data))
    except ValueError:  # FormatError
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        return
    try:
        assert exported(level) == bytes(data)
    except SceneError as error:
        pytest.fail(str(error))
    assert sum(isinstance(obj.get(CLASS), str) for obj in level.all_objects) == len(ns2.read(bytes(data)).entities)
