# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities that are made in Blender: their place, by the key that their class has for it, and their name."""

import bpy
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.genesis.entities.operators import add_entity
from levelwright.addon.scene.reports import Report
from levelwright.formats import genesis
from levelwright.formats.genesis import convert, headers, typedefs

from tests.addon.genesis.export_helpers import exported, imported, part, reopened
from tests.addon.genesis.test_export_editor import LAMP, lines
from tests.addon.genesis.test_export_editor import sample as editor_sample
from tests.addon.genesis.test_export_entities import sample
from tests.formats.genesis_3dt_text import entity, group, leaf, level
from tests.formats.genesis_bytes import typedef


def new_entity(scene, classname, name="Empty", **keys):
    """An empty that stands for an entity of a class."""
    obj = bpy.data.objects.new(name, None)
    obj["classname"] = classname
    for key, value in keys.items():
        obj[key] = value
    obj.parent = next(one for one in scene.all_objects if one.parent is None)
    obj.location = (8, 16, 24)
    scene.objects.link(obj)
    return obj


def test_keys_of_new_entities_are_spelled_as_their_class_declares_them():
    """The engine goes by the class, whose place may be called Origin."""
    goal = typedef("Goal", (("Origin", "point"), ("Angles", "point"), ("MaxRadius", "int")))
    scene = imported(sample(more=[goal]))
    obj = new_entity(scene, "goal", "finish", maxradius=40)
    obj.rotation_euler.z = 1.0
    new_entity(scene, "Goal", "finish")["%name%"] = "second"
    first, second = [dict(one.pairs) for one in genesis.read(exported(scene)).points[-2:]]
    assert list(first) == ["classname", "MaxRadius", "Origin", "Angles", "%name%"]
    assert (first["Origin"], first["%name%"]) == ("8 24 -16", "finish")
    assert (second["Origin"], second["%name%"]) == ("8 24 -16", "second")


def test_new_entities_have_a_name_that_no_other_has():
    scene = imported(sample())
    for name in ("start", "caf\xe9", "\u6771"):
        new_entity(scene, "PlayerStart", name)
    names = [one.name for one in genesis.read(exported(scene)).points[-3:]]
    assert names == ["start_2", "caf\xe9", "PlayerStart"]


def test_a_class_without_a_place_gets_no_key_that_the_engine_would_refuse():
    scene = imported(sample(more=[typedef("Rule", (("Count", "int"),))]))
    rule = new_entity(scene, "Rule", count=3)
    report = Report()
    made = genesis.read(exported(scene, report)).points[-1]
    assert made.pairs == [("classname", "Rule"), ("Count", "3"), ("%name%", "Empty")]
    assert "Empty: entities of the class Rule have no place: where it is isn't written" in report.warnings
    rule.location = (0, 0, 0)  # as an import shows it
    report = Report()
    exported(scene, report)
    assert not any("have no place" in line for line in report.warnings)


# ---- in a .3dt


FLAG = """
#pragma GE_Type("flag.bmp")
typedef struct Flag {
#pragma GE_Published
    geVec3d Origin;
    int Team;
#pragma GE_Origin(Origin)
#pragma GE_DefaultValue(Team, "3")
} Flag;
#pragma GE_Type("rule.bmp")
typedef struct Rule {
    int Count;
} Rule;
"""


def new_editor_entity(scene, classname, name="Empty"):
    """An empty at (5, 6, 7) that stands for an entity of a class."""
    obj = bpy.data.objects.new(name, None)
    obj["classname"] = classname
    obj.parent = next(one for one in scene.all_objects if one.parent is None)
    obj.location = (5, -7, 6)
    scene.objects.link(obj)
    return obj


def compiled(data, folder):
    """The entity that a `.3dt` gives to the compiler last, with the headers in a folder."""
    declared = headers.parse([(folder / "a.h").read_text()])
    return convert.to_map(genesis.read(data), (*typedefs.BUILTIN, *declared.types))[0].points[-1]


@pytest.mark.parametrize("way", ["headers at import", "headers at export", "another of its class", "nothing"])
def test_a_new_entity_keeps_its_place(way, tmp_path):
    """Its key is the class's `Origin`: one called `origin` the editor leaves out. Unknown, only eOrigin says it."""
    (tmp_path / "a.h").write_text(FLAG)
    own = [("classname", "Flag"), ("%name%", "Flag1"), ("Origin", "1 2 3")] if way == "another of its class" else LAMP
    data = level((1, 31), [leaf("box")], [entity(own, (1, 31), (1, 2, 3))], (), [group("Default", 0)]).encode()
    scene = imported(data, "a.3dt", headers_directory=str(tmp_path) if way == "headers at import" else "")
    new_editor_entity(scene, "Flag", "Flag1" if way == "another of its class" else "goal")
    after = exported(scene, headers_directory=str(tmp_path) if way == "headers at export" else "")
    made = genesis.read(after).entities[-1]
    assert (made.place, made.style, "origin" in [key for key, _ in made.pairs]) == ((5, 6, 7), 0, False)
    assert made.name == ("Flag1_2" if way == "another of its class" else "goal")
    assert ("Origin" in made) == (way != "nothing")
    assert dict(compiled(after, tmp_path).pairs)["Origin"] == "5 6 7"
    assert exported(imported(after, "b.3dt")) == after


def test_entities_are_added_with_the_fields_that_headers_declare(tmp_path):
    (tmp_path / "a.h").write_text(FLAG)
    scene = imported(editor_sample(), "a.3dt", headers_directory=str(tmp_path))
    scene = reopened(scene, tmp_path)
    obj = add_entity(bpy.context, scene, "Flag", (5, -7, 6))
    assert (obj["Team"], tuple(obj.location)) == (3, (5, -7, 6))
    obj.location.x = 8
    made = genesis.read(exported(scene)).entities[-1]
    assert made.pairs == [("classname", "Flag"), ("%name%", "Flag1"), ("Team", "3"), ("Origin", "8 6 7")]


def test_what_has_no_place_by_its_class_is_marked_so(tmp_path):
    (tmp_path / "a.h").write_text(FLAG)
    scene = imported(editor_sample(), "a.3dt", headers_directory=str(tmp_path))
    new_editor_entity(scene, "Rule")
    made = genesis.read(exported(scene)).entities[-1]
    assert (made.style, made.place, made.pairs) == (1, (5, 6, 7), [("classname", "Rule"), ("%name%", "Empty")])


def test_a_misspelled_place_is_mended_where_it_is_edited(tmp_path):
    """As levels have them that version 0.3.0 wrote."""
    (tmp_path / "a.h").write_text(FLAG)
    own = [("classname", "Flag"), ("%name%", "f"), ("origin", "1 2 3")]
    data = level((1, 31), [leaf("box")], [entity(own, (1, 31), (1, 2, 3))], (), [group("Default", 0)]).encode()
    scene = imported(data, "a.3dt", headers_directory=str(tmp_path))
    assert exported(scene) == data
    assert dict(compiled(data, tmp_path).pairs)["Origin"] == "1 2 3"
    part(scene, layout.ENTITY, 0).location.x = 4
    assert lines(data, exported(scene)) == [
        (["eOrigin 1 2 3 2"], ["eOrigin 4 2 3 2"]),
        (['Key origin Value "1 2 3"'], ['Key Origin Value "4 2 3"']),
    ]
