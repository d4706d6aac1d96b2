# SPDX-License-Identifier: GPL-3.0-or-later
"""Dataclass fields as custom properties: what Blender would refuse, cut or lose is kept, and edits are told by name."""

from dataclasses import dataclass, field, make_dataclass
from enum import IntEnum, IntFlag
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.fields import properties
from levelwright.addon.scene.fields.properties import setting


class Style(IntEnum):
    STEADY = 0
    FAST_FLICKER = 5


class Flags(IntFlag):
    A = 1
    B = 2


@dataclass
class Lamp:
    brightness: int = setting(200, "How bright it is", minimum=0, maximum=255)
    radius: float = setting(0.1, "In units", minimum=0.0)
    lit: bool = setting(True, "Whether it is on")
    name: str = setting("lamp", "Its name")
    kind: str = setting("SPOT", "What it is", choices=("POINT", "SPOT", "SUN"))
    style: Style = setting(Style(5), "How it flickers")  # noqa: RUF009
    flags: Flags = setting(Flags(3), "Bits")  # noqa: RUF009
    serial: int = setting(2270205972, "An uint32", minimum=0, maximum=2**32 - 1)
    color: tuple[float, ...] = setting((1.0, 0.5, 0.25), "Colour", subtype="COLOR")
    cells: tuple[int, ...] = setting((1, -2, 3), "Three numbers")
    junk: bytes = setting(b"\0\1\xff", "Bytes")
    plain: int = 7


def block() -> bpy.types.Object:
    return bpy.data.objects.new("block", None)


def test_everything_comes_back() -> None:
    obj = block()
    lamp = Lamp()
    properties.write(obj, lamp)
    assert properties.read(obj, Lamp) == (lamp, frozenset())
    found = properties.read(obj, Lamp)[0]
    assert isinstance(found.style, Style)
    assert isinstance(found.flags, Flags)


def test_save_and_reopen(tmp_path: Path) -> None:
    obj = block()
    obj.use_fake_user = True
    lamp = Lamp(name="a\0b\udcff", serial=2**32 - 1, junk=bytes(range(256)), radius=-0.0)
    properties.write(obj, lamp)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "p.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "p.blend"))
    assert properties.read(bpy.data.objects["block"], Lamp) == (lamp, frozenset())
    assert str(properties.read(bpy.data.objects["block"], Lamp)[0].radius) == "-0.0"


def test_what_the_artist_sees() -> None:
    obj = block()
    properties.write(obj, Lamp())
    ui = obj.id_properties_ui("brightness").as_dict()
    assert (ui["description"], ui["min"], ui["max"], ui["default"]) == ("How bright it is", 0, 255, 200)
    ui = obj.id_properties_ui("radius").as_dict()
    assert (ui["min"], ui["default"]) == (0.0, 0.1)
    assert [item[0] for item in obj.id_properties_ui("kind").as_dict()["items"]] == ["POINT", "SPOT", "SUN"]
    assert [item[:2] for item in obj.id_properties_ui("style").as_dict()["items"]] == [
        ("STEADY", "Steady"),
        ("FAST_FLICKER", "Fast Flicker"),
    ]
    assert obj.id_properties_ui("color").as_dict()["subtype"] == "COLOR"
    assert obj.id_properties_ui("name").as_dict()["description"] == "Its name"
    assert obj["serial"] == "2270205972", "wide integers are text, never floats"


EDITS = [
    ("brightness", 201),
    ("radius", 0.1000000000000001),
    ("lit", False),
    ("name", "Lamp"),
    ("kind", 2),
    ("style", 0),
    ("serial", "2270205971"),
    ("color", [1.0, 0.5, 0.5]),
    ("cells", [1, -2, 4]),
    ("plain", 8),
]


@pytest.mark.parametrize(("name", "value"), EDITS)
def test_each_edit_is_told(name: str, value: object) -> None:
    obj = block()
    properties.write(obj, Lamp())
    obj[name] = value
    found, changed = properties.read(obj, Lamp)
    assert changed == {name}
    assert found != Lamp()
    obj[name] = properties.to_blender(next(f for f in properties.fields(Lamp) if f.name == name), getattr(Lamp(), name))
    assert properties.read(obj, Lamp) == (Lamp(), frozenset())


def test_a_deleted_property_is_an_edit_to_its_default() -> None:
    obj = block()
    properties.write(obj, Lamp(brightness=3))
    del obj["brightness"]
    found, changed = properties.read(obj, Lamp)
    assert (found.brightness, changed) == (200, {"brightness"})


def test_a_new_object_has_defaults_and_what_was_typed() -> None:
    obj = block()
    obj["name"] = "mine"
    obj["kind"] = "SUN"
    obj["brightness"] = 3.0
    found, changed = properties.read(obj, Lamp)
    assert (found.name, found.kind, found.brightness, found.plain) == ("mine", "SUN", 3, 7)
    assert changed == {"name", "kind", "brightness"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("brightness", value) for value in (256, -1, 1.5, float("inf"), [1, 2])],
        *[("kind", 3), ("kind", "MOON"), ("kind", [1]), ("serial", "many")],
    ],
)
def test_values_that_do_not_fit_are_refused_by_name(name: str, value: object) -> None:
    obj = block()
    properties.write(obj, Lamp())
    obj[name] = value
    with pytest.raises(ValueError, match=f"block: property {name}"):
        properties.read(obj, Lamp)


def test_numbers_that_no_enum_names_stay_numbers() -> None:
    obj = block()
    properties.write(obj, Lamp(style=99))
    assert properties.read(obj, Lamp)[0].style == 99


@pytest.mark.parametrize(
    "value",
    [np.int64(5), np.uint32(5), np.int32(5), np.uint8(5), np.bool_(True), np.float32(5), np.float64(5), 5, True],
)
def test_numpy_scalars_are_converted(value: object) -> None:
    """Blender 4.2 and 4.5 store an empty group for some of these, without a word."""
    obj = block()
    properties.write(obj, Lamp(plain=value, radius=value, cells=(value, value)))
    found = properties.read(obj, Lamp)[0]
    assert found.plain == value
    assert found.radius == value
    assert list(found.cells) == [value, value]


@pytest.mark.parametrize("value", [2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63, 2**64 - 1])
def test_integers_of_any_width(value: int) -> None:
    obj = block()
    properties.write(obj, Lamp(plain=value))
    assert properties.read(obj, Lamp)[0].plain == value
    assert isinstance(obj["plain"], int) == (value in properties.INT32)


@pytest.mark.parametrize("text", ["", "a\0b", "\0", "\udcff\udc80", "Ünïcode ☃", "x" * 100_000, "a\nb\tc"])
def test_text(text: str) -> None:
    obj = block()
    for _ in range(2):  # Blender cuts bytes at a NUL when it overwrites bytes
        properties.write(obj, Lamp(name=text, junk=text.encode("utf-8", "surrogateescape") + b"\0x"))
        assert properties.read(obj, Lamp)[0].name == text
    properties.write(obj, Lamp(name="now\0longer than before"))
    assert properties.read(obj, Lamp)[0].name == "now\0longer than before"


@pytest.mark.parametrize("number", [0.1, -0.0, float("inf"), float("nan"), 5e-324, 1.7976931348623157e308])
def test_floats_are_exact(number: float) -> None:
    obj = block()
    properties.write(obj, Lamp(radius=number, color=(number, number)))
    found, changed = properties.read(obj, Lamp)
    assert not changed
    assert np.array(found.radius).tobytes() == np.array(number).tobytes()
    assert np.array(found.color).tobytes() == np.array([number, number]).tobytes()


def test_several_dataclasses_on_one_block() -> None:
    @dataclass
    class Other:
        weight: int = setting(1, "Weight")

    obj = block()
    properties.write(obj, Lamp())
    properties.write(obj, Other(3))
    obj["weight"] = 4
    assert properties.read(obj, Lamp)[1] == frozenset()
    assert properties.read(obj, Other) == (Other(4), {"weight"})


def test_what_cannot_be_kept_is_refused() -> None:
    obj = block()
    with pytest.raises(ValueError, match="kind"):
        properties.write(obj, Lamp(kind="MOON"))
    with pytest.raises(ValueError, match="32 bits"):
        properties.write(obj, Lamp(cells=(2**31,)))
    with pytest.raises(ValueError, match="no custom property"):
        properties.write(obj, Lamp(plain=object()))
    with pytest.raises(ValueError, match="63 bytes"):
        properties.fields(make_dataclass("Long", [("x" * 64, int, field(default=0))]))


def test_metadata_without_setting() -> None:
    @dataclass
    class Plain:
        width: int = field(default=2, metadata={"tooltip": "Width", "min": 1, "max": 9})

    obj = block()
    properties.write(obj, Plain())
    assert obj.id_properties_ui("width").as_dict()["max"] == 9


def test_copies_keep_values_and_baseline() -> None:
    obj = block()
    properties.write(obj, Lamp())
    copy = obj.copy()
    copy["plain"] = 1
    assert properties.read(copy, Lamp)[1] == {"plain"}
    assert properties.read(obj, Lamp)[1] == frozenset()
