# SPDX-License-Identifier: GPL-3.0-or-later
"""The text with a `.map`'s definitions of classes: what is edited in it reaches the file, or is refused by the line."""

import bpy
import pytest
from levelwright.addon.genesis.classes.collect import classes_of
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis
from levelwright.formats.genesis import typedefs

from tests.addon.genesis.export_helpers import exported, imported, laid_box
from tests.formats.genesis_bytes import LIGHT, entity, level, light, typedef
from tests.formats.genesis_bytes import brush as brush_bytes

DOOR = [("origin", "point"), ("Model", "model"), ("speed", "int")]
WORLD = entity([brush_bytes(laid_box())], pairs=[("TextureLib", "a.txl")])
DATA = level([WORLD, light("8 16 -24"), typedef("Door", DOOR), typedef("light", LIGHT), typedef("door", LIGHT)])


def text_of(scene: bpy.types.Collection) -> bpy.types.Text:
    held = originals.resources(scene, "typedefs")[0]
    assert isinstance(held, bpy.types.Text)
    return held


def rewritten(scene: bpy.types.Collection, *changes: tuple[str, str]) -> None:
    text = text_of(scene)
    body = text.as_string()
    for old, new in changes:
        assert old in body
        body = body.replace(old, new, 1)
    text.from_string(body)


def definitions(data: bytes) -> list[tuple[str, dict[str, str]]]:
    made = [typedefs.from_entity(one) for one in genesis.read(data).typedefs]
    return [(one.name, {each.name: each.type for each in one.fields}) for one in made]


def test_a_field_is_added_removed_and_given_another_type():
    scene, report = imported(DATA), Report()
    rewritten(scene, ("    model Model;\n", ""), ("int speed", "float speed"), ("};", "    Door next;\n};"))
    after = exported(scene, report)
    before = definitions(DATA)
    assert definitions(after) == [("Door", {"origin": "point", "speed": "float", "next": "Door"}), *before[1:]]
    assert report.notes == ["class Door changed"]
    was, now = genesis.read(DATA), genesis.read(after)
    assert [one.pairs for one in now.entities if not one.is_typedef] == [
        one.pairs for one in was.entities if not one.is_typedef
    ]
    assert now.typedefs[1].pairs == was.typedefs[1].pairs
    assert text_of(imported(after)).as_string().split() == text_of(scene).as_string().split()


def test_defaults_and_the_first_of_two_definitions_stay():
    pairs = [("classname", "%typedef%"), ("%typename%", "Lamp"), ("a", "int"), ("%defaultvalue%", "7")]
    data = level([WORLD, light(), typedef("light", LIGHT), entity(pairs=pairs), typedef("LAMP", DOOR)])
    scene = imported(data)
    rewritten(scene, ("    int a;\n", "    int b;\n    float a;\n"))
    first, second = genesis.read(exported(scene)).typedefs[1:]
    assert first.pairs[2:] == [("b", "int"), ("%defaultvalue%", ""), ("a", "float"), ("%defaultvalue%", "7")]
    assert second.pairs == genesis.read(data).typedefs[2].pairs


def test_classes_are_added_removed_and_sorted():
    scene, report = imported(DATA), Report()
    rewritten(scene, ("struct light", "struct Lift {\n    point origin;\n};\n\nstruct light"))
    names = [name for name, _ in definitions(exported(scene, report))]
    assert names == ["Door", "Lift", "light", "door"]
    assert report.notes == ["class Lift is new"]
    assert "lift" in classes_of(scene)
    body = text_of(scene).as_string()
    first = body[: body.index("struct Lift")]
    text_of(scene).from_string(body.replace(first, "") + first)
    assert [name for name, _ in definitions(exported(scene))] == ["Lift", "light", "Door", "door"]
    text_of(scene).from_string(body.replace(first, ""))
    assert [name for name, _ in definitions(exported(scene))] == ["Lift", "light"]


def test_a_level_without_definitions_gets_some():
    data = level([WORLD, light()])
    scene = imported(data)
    assert exported(scene) == data
    text_of(scene).from_string("struct light { int light; color color; int style; point origin; };")
    assert [name for name, _ in definitions(exported(scene))] == ["light"]


def test_values_of_entities_go_by_the_text():
    scene = imported(DATA)
    rewritten(scene, ("struct Door", "struct Sign {\n    point origin;\n    point angles;\n};\n\nstruct Door"))
    obj = bpy.data.objects.new("sign", None)
    obj["classname"] = "Sign"
    obj.rotation_euler = (0, 0, 1)
    obj.parent = next(one for one in scene.objects if one.parent is None)
    scene.objects.link(obj)
    made = next(one for one in genesis.read(exported(scene)).points if one.classname == "Sign")
    assert made.get("angles") is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("int speed;", "int speed"), r"test types, line 5: '}' stands where ';' should"),
        (("struct light", "struct Door"), r"line 7: class Door is there twice"),
        (("model Model", "mesh Model"), r"Model is of the class mesh, which is not defined"),
        (("    int light;\n", ""), r"entity 1 \(light, light1\).*light"),
    ],
)
def test_what_is_broken_is_refused_by_name(change: tuple[str, str], message: str):
    scene = imported(DATA)
    rewritten(scene, change)
    with pytest.raises(SceneError, match=message):
        exported(scene)


def test_names_that_the_text_cannot_say_stay_but_cannot_be_edited():
    data = level([WORLD, light(), typedef("light", LIGHT), typedef("two words", DOOR)])
    scene = imported(data)
    assert exported(scene) == data
    text_of(scene).write("// more")
    with pytest.raises(SceneError, match="names that this text can't say"):
        exported(scene)


def test_only_a_comment_changes_nothing():
    scene, report = imported(DATA), Report()
    rewritten(scene, ("struct light", "// what shines\nstruct light"))
    assert exported(scene, report) == DATA
    assert report.notes == []


def test_a_3dt_holds_no_definitions_and_that_is_told():
    report = Report()
    exported(imported(DATA), report, container="3dt")
    assert "3 definitions of classes, which a .3dt takes from the game's headers" in report.summary()
