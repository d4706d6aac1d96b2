# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of entities: definitions as tables, typed values, and the games' C headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import FormatError
from formats.genesis import Entity, headers, read, typedefs, write
from formats.genesis.typedefs import BUILTIN, Field, TypeDef
from tests.formats import genesis_bytes as build

HEADER = """
#ifndef GAME_H
#include "genesis.h" // not ours
#pragma warning( disable : 4068 )
#pragma GE_BrushContents
typedef enum
{
    Water = 0x00010000, /* type2 = 0x00020000, */
    Lava  = 0x00020000
} UserContentsEnum;

typedef enum { NOTHING = 0, OTHER } Unnamed;
typedef struct Hidden { uint16 x[3], * (*f)(int); } Hidden;   // no GE_Type: no class
#pragma GE_Type("Door.ico")
typedef struct Lift Lift;
#pragma GE_Type("..\\\\icons\\\\door.bmp")
typedef struct _Lift {
#pragma GE_Private
    void *State;
    geActor * Actor, *Shadow;
    float Since;
#pragma GE_Published
    geVec3d Origin;
    geVec3d Turn;
    const char *Sound;
    geBoolean Locked, Loud;
    struct _Lift *Next;
    Lever   *Lever1;
    geWorld_Model *Model;
    GE_RGBA Color;
    geFloat Speed;
#pragma GE_Origin(Origin)
#pragma GE_Angles( Turn )
#pragma GE_DefaultValue(Speed, "2.5")
#pragma GE_DefaultValue(nobody, "1")
#pragma GE_Documentation(Speed, "Units a second // not a comment, \\"said\\" he")
} Lift;

#pragma GE_Type("Lever.ico")
typedef struct Lever {
    int Reach;
#pragma GE_Radius(Reach)
#pragma GE_Arc(Reach)
} Lever;

geBoolean Lift_Init(geWorld *World);
#endif
"""


def test_headers():
    found = headers.parse([HEADER])
    assert found.contents == {"Water": 0x10000, "Lava": 0x20000}
    lift, lever = found.types
    assert (lift.name, lift.icon, lift.origin, lift.angles) == ("Lift", "..\\icons\\door.bmp", "Origin", "Turn")
    assert [(each.name, each.type) for each in lift.fields] == [
        ("State", "ptr"), ("Actor", "ptr"), ("Shadow", "ptr"), ("Since", "float"), ("Origin", "point"),
        ("Turn", "point"), ("Sound", "string"), ("Locked", "int"), ("Loud", "int"), ("Next", "Lift"),
        ("Lever1", "Lever"), ("Model", "model"), ("Color", "color"), ("Speed", "float"),
    ]  # fmt: skip
    assert [each.published for each in lift.fields] == [False] * 4 + [True] * 10
    assert [each.name for each in lift.fields if each.boolean] == ["Locked", "Loud"]
    speed = lift.field("speed")
    assert (speed.default, speed.documentation) == ("2.5", 'Units a second // not a comment, "said" he')
    assert (lever.radius, lever.arc, lever.fields[0].published) == ("Reach", "Reach", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("typedef struct A { int x", "ends within a declaration"),
        ("typedef struct A { geXForm3d x; } A;", "knows no fields of geXForm3d"),
        ("typedef struct A { int x[3]; } A;", "field x is neither a value nor a pointer"),
        ("typedef struct A { int *; } A;", "';' stands where the name"),
        ("#pragma GE_BrushContents\nenum { A = B }", "'B', the value of A, is not a number"),
        ("#pragma GE_BrushContents\nenum { A = ", "ends within"),
    ],
)
def test_headers_that_cannot_be_read(text, message):
    with pytest.raises(FormatError, match=message):
        headers.parse(['#pragma GE_Type("a")\n' + text])


@given(st.text(st.sampled_from('abc_ \n#{}();,*"\\/=0'), max_size=80), st.integers(0, len(HEADER)))
def test_any_text_gives_headers_or_a_format_error(text, at):
    for damaged in (text, HEADER[:at] + text + HEADER[at:], HEADER[:at]):
        try:
            headers.parse([damaged])
        except FormatError as error:
            assert 0 <= error.offset <= len(damaged)


def test_definitions_and_back():
    level = read(build.room())
    (definition,) = level.typedefs
    light = typedefs.from_entity(definition)
    assert [(each.name, each.type, each.default) for each in light.fields] == [(*each, "") for each in build.LIGHT]
    assert light.origin == "origin"
    assert light.entity().pairs == definition.pairs
    assert typedefs.read(level.entities) == {"light": light}


def test_the_editors_own_classes():
    assert [made.name for made in BUILTIN] == ["light", "spotlight", "ModelOrigin", "Camera"]
    assert [entity.get("%typename%") for entity in typedefs.entities(BUILTIN)][-1] == "light"
    level = read(build.level([]))
    level.entities = [Entity(), *typedefs.entities(BUILTIN)]
    again = typedefs.read(read(write(level)).entities)
    assert {name: [(each.name, each.type) for each in made.fields] for name, made in again.items()} == {
        made.name.lower(): [(each.name, each.type) for each in made.fields] for made in BUILTIN
    }


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("classname", "%typedef%")], "does not begin with"),
        ([("%typename%", "a"), ("classname", "%typedef%")], "does not begin with"),
        ([("classname", "%typedef%"), ("%typename%", "a"), ("x", "int")], "'x' has no %defaultvalue%"),
        ([("classname", "%typedef%"), ("%typename%", "a"), ("x", "int"), ("y", "int")], "'y' stands where"),
    ],
)
def test_definitions_that_are_none(pairs, message):
    with pytest.raises(FormatError, match=message):
        typedefs.from_entity(Entity(pairs))


LAMP = TypeDef(
    "Lamp", [Field("Power", "int"), Field("Reach", "float"), Field("Color", "color"), Field("Where", "point"),
             Field("Next", "Lamp"), Field("Note", "string")],
)  # fmt: skip


def test_typed_values():
    entity = Entity(
        [("classname", "Lamp"), ("where", "1 -2 3.5"), ("Power", "150 or so"), ("Reach", "x"), ("Color", "255 128 0"),
         ("Next", "Lamp2")],
    )  # fmt: skip
    assert typedefs.values(entity, LAMP) == {
        "Power": 150, "Reach": "x", "Color": (255, 128, 0), "Where": (1, -2, 3.5), "Next": "Lamp2",
    }  # fmt: skip
    before = list(entity.pairs)
    for name, value in typedefs.values(entity, LAMP).items():
        typedefs.assign(entity, LAMP, name, value)
    assert entity.pairs == before
    typedefs.assign(entity, LAMP, "Power", 200)
    typedefs.assign(entity, LAMP, "Reach", 0.25)
    typedefs.assign(entity, LAMP, "Where", (1.0, 2.0, -0.5))
    typedefs.assign(entity, LAMP, "note", "new")
    assert entity.pairs == [
        ("classname", "Lamp"), ("where", "1 2 -0.5"), ("Power", "200"), ("Reach", "0.25"), ("Color", "255 128 0"),
        ("Next", "Lamp2"), ("Note", "new"),
    ]  # fmt: skip
    with pytest.raises(KeyError):
        typedefs.assign(entity, LAMP, "other", 1)


@pytest.mark.parametrize(
    ("kind", "text"), [("int", ""), ("float", "x1"), ("color", "1 2"), ("point", "1 2 z"), ("int", "1e39")]
)
def test_values_that_are_none(kind, text):
    with pytest.raises(FormatError):
        typedefs.parse(kind, text)


@given(st.tuples(*[st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6).map(lambda x: round(x, 5))] * 3))
def test_any_point_comes_back(value):
    found = typedefs.parse("point", typedefs.text_of(value))
    assert found == pytest.approx(value, abs=1e-6)
