# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be placed in a level: classes that are known without the game, and those of its editor_setup.xml."""

from formats import ns2
from formats.ns2 import PropertyType, editor_setup
from formats.ns2.entity_classes import ANGLES, ORIGIN, Classes

SETUP = b"""<?xml version="1.0"?>
<editor><classes>
<class name="base" placeable="false"><parameter name="volume" type="real" default="0.25"/></class>
<class name="horn" label="Horn"><parent>base</parent><parameter name="team" type="choice" default="2"/></class>
</classes></editor>
"""


def test_classes_are_known_without_the_game():
    known = Classes()
    assert {"prop_static", "light_point", "resource_point"} < set(known.names())
    assert list(known.parameters("location")) == ["scale", "name", "showOnMinimap"]
    assert [hint.kind for hint in known.hints("light_spot")] == ["spot_light"]
    assert (known.parameters("nothing"), known.hints("nothing")) == ({}, [])


def test_a_new_entity_has_its_place_and_the_defaults():
    made = Classes().new("light_spot")
    assert [one.name for one in made[:2]] == [ORIGIN, ANGLES]
    said = {one.name: one for one in made}
    assert said["color"].value == (1.0, 1.0, 1.0)
    assert said["casts_shadows"].value is True
    assert said["innerAngle"].type == PropertyType.ANGLE
    level = ns2.new_level()
    level.entities = [ns2.Entity("light_spot", made)]
    assert [each.class_name for each in ns2.read(ns2.write(level)).entities] == ["light_spot"]


def test_the_setup_of_the_game_counts_first():
    known = Classes(editor_setup.read(SETUP))
    assert known.names() == ["horn"]
    assert {one.name: one.value for one in known.new("horn")[2:]} == {"volume": 0.25, "team": 2}
    assert "minFalloff" in known.parameters("ambient_sound"), "what the setup doesn't have is ours"
