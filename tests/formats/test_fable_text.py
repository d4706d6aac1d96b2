# SPDX-License-Identifier: GPL-3.0-or-later
"""`.tng` and `.wld` text: every character kept, typed values, edits of what they say and no more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.fable import UID_BASE, tng, wld
from formats.fable.text import DEEPEST, coordinates, coordinates_text, decimal

DOOR_UID = UID_BASE + 3202

THINGS = f"""Version 2;

XXXSectionStart NULL;

NewThing Marker;
Player 4;
UID 18446741874686301533;
DefinitionType "MARKER_BASIC";
ScriptName MK_TCO_TRADERGO;
ScriptData "NULL";
StartCTCPhysicsStandard;
PositionX 18.369873;
PositionY 84.726318;
PositionZ 23.231827;
RHSetForwardX -0.819133;
RHSetForwardY 0.573564;
RHSetForwardZ 0.0;
RHSetUpX -0.000343;
RHSetUpY -0.00049;
RHSetUpZ 0.999994;
EndCTCPhysicsStandard;
StartCTCEditor;
EndCTCEditor;
Health 1.0;
EndThing;

NewThing Object;
UID {DOOR_UID};
DefinitionType "OBJECT_BUILDING_DOOR_3";
StartCTCCameraPoint;
StartCTCInner;
KeyCameras[0].Position C3DCoordF(-1.367676,0.2771,1.950901);
EndCTCInner;
EndCTCCameraPoint;
EndThing;

XXXSectionEnd;


XXXSectionStart Q_Quest;

XXXSectionEnd;

"""

WORLD = r"""MapUIDCount 3;
ThingManagerUIDCount 99;

NewMap 1;
MapX 2592;
MapY 2112;
LevelName "FinalAlbion\BarrowFields.lev";
LevelScriptName "BarrowFields";
MapUID 17;
IsSea FALSE;
LoadedOnPlayerProximity TRUE;
EndMap;

NewRegion 4;
RegionName "Barrow";
ContainsMap "BarrowFields";
SeesMap "Darkwood";
SeesMap "Oakvale";
EndRegion;
"""


def changed(before: str, after: bytes) -> list[str]:
    return [line for line in after.decode("latin-1").splitlines() if line not in before.splitlines()]


@pytest.mark.parametrize(
    "text",
    [
        THINGS,
        THINGS.replace("\n", "\r\n"),
        THINGS.replace("Player 4;\n", "Player 4 ;\t\n\r\nX;Y  z ; ; ;"),
        THINGS.replace("MARKER_BASIC", "semi;colon // "),
        "Version 2;\n",
        "Version 2",
        "",
        " \n\r\n\t",
        'Key "a;b" "c";\n',
        "Key\n;\n",
        "\xe9\xff\x80 \xa0;",
        "Empty ;\nBare;\n",
    ],
)
def test_every_character_is_kept(text):
    data = text.encode("latin-1")
    assert tng.write(tng.read(data)) == data
    assert wld.write(wld.read(data)) == data


@given(
    st.lists(st.sampled_from(["Key", " ", ";", "\n", "\r\n", "1.5", '"q;q"', "StartCTCA;", "EndCTCA;", "NewThing X;"]))
)
def test_any_text_is_kept_or_refused(parts):
    data = "".join(parts).encode()
    try:
        things = tng.read(data)
    except FormatError:
        return
    assert tng.write(things) == data


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("XXXSectionStart NULL;\nNewThing Marker;\n", "ends without the EndThing of NewThing Marker"),
        ("NewThing A;\nStartCTCX;\nEndThing;\nEndCTCX;", "at byte 0x17: reading statement: EndThing inside StartCTCX"),
        ("EndThing;", "at byte 0x0: reading statement: EndThing outside of everything"),
        ("StartCTCA;EndCTCB;", "EndCTCB inside StartCTCA"),
        ('Key "never ended;\n', "does not begin a statement"),
    ],
)
def test_text_that_is_torn_is_refused(text, message):
    with pytest.raises(FormatError, match=message):
        tng.read(text.encode())


def test_what_things_say():
    things = tng.read(THINGS.encode())
    assert things.version == "2"
    assert [section.name for section in things.sections] == ["NULL", "Q_Quest"]
    marker, door = things
    assert (marker.kind, marker.definition_type, marker.script_name) == ("Marker", "MARKER_BASIC", "MK_TCO_TRADERGO")
    assert marker.uid == 18446741874686301533
    assert marker.position == (18.369873, 84.726318, 23.231827)
    assert marker.forward == (-0.819133, 0.573564, 0.0)
    assert marker.up == (-0.000343, -0.00049, 0.999994)
    assert list(marker.components) == ["CTCPhysicsStandard", "CTCEditor"]
    assert (door.uid, door.door_key) == (DOOR_UID, 3202)
    assert (door.position, door.forward, door.script_name) == (None, None, None)
    inner = next(door.components["CTCCameraPoint"].blocks("StartCTCInner"))
    assert inner.get("KeyCameras[0].Position") == "C3DCoordF(-1.367676,0.2771,1.950901)"
    assert things.by_uid()[DOOR_UID].kind == "Object"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_edits_change_what_they_say(newline):
    text = THINGS.replace("\n", newline)
    things = tng.read(text.encode())
    marker, door = things
    marker.position, marker.forward, marker.up = marker.position, marker.forward, marker.up
    marker.uid, marker.definition_type, marker.script_name = marker.uid, marker.definition_type, marker.script_name
    assert tng.write(things) == text.encode()
    marker.position = (18.369873, 84.5, 23.231827)
    marker.definition_type = "MARKER_OTHER"
    door.script_name = "Gate"
    after = tng.write(things)
    assert changed(text, after) == ['DefinitionType "MARKER_OTHER";', "PositionY 84.5;", "ScriptName Gate;"]
    assert after.count(b"\r\n") == (after.count(b"\n") if newline == "\r\n" else 0)
    assert len(after.splitlines()) == len(text.splitlines()) + 1


def test_refused_edits():
    marker, door = tng.read(THINGS.encode())
    for name in ("a;b", 'a"b', "a\nb"):
        with pytest.raises(ValueError, match="cannot stand in a statement"):
            marker.script_name = name
    marker.definition_type = "a;b"  # quoted, and so allowed
    assert marker.definition_type == "a;b"
    with pytest.raises(ValueError, match="has no place"):
        door.position = (1.0, 2.0, 3.0)


def test_things_come_and_go():
    things = tng.read(THINGS.encode())
    first, second = things.sections
    door = first.things[1]
    first.remove(door)
    second.add(door)
    again = tng.read(tng.write(things))
    assert [[thing.uid for thing in section.things] for section in again.sections] == [
        [18446741874686301533],
        [DOOR_UID],
    ]
    second.remove(door)
    first.add(door)
    assert tng.write(things) == THINGS.encode()
    second.add(tng.new_thing("Marker", UID_BASE + 5, "MARKER_BASIC", (1.0, 2.5, -0.125)))
    added = tng.read(tng.write(things)).sections[1].things[0]
    assert (added.kind, added.uid, added.door_key, added.position) == ("Marker", UID_BASE + 5, 5, (1.0, 2.5, -0.125))
    assert (added.forward, added.up) == ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert changed(THINGS, tng.write(things))[:2] == [f"UID {UID_BASE + 5};", "ScriptName NULL;"]


CREATURE = """NewThing AICreature;
StartCTCPhysicsNavigator;
PositionX 99.173828;
PositionY 25.650391;
PositionZ 27.999424;
EndCTCPhysicsNavigator;
InitialPosX 2691.173828;
InitialPosY 2137.650391;
InitialPosZ 27.999424;
EndThing;
"""


def test_where_a_creature_starts_moves_along():
    things = tng.read(f"XXXSectionStart NULL;\n{CREATURE}XXXSectionEnd;\n".encode())
    (creature,) = things
    assert creature.initial_position == (2691.173828, 2137.650391, 27.999424)
    creature.move_to(creature.position)
    assert changed(CREATURE, tng.write(things)) == ["XXXSectionStart NULL;", "XXXSectionEnd;"]
    creature.move_to((100.173828, 25.650391, 27.5))
    assert changed(CREATURE, tng.write(things))[1:-1] == [
        "PositionX 100.173828;",
        "PositionZ 27.5;",
        "InitialPosX 2692.173828;",
        "InitialPosZ 27.5;",
    ]
    with pytest.raises(ValueError, match="PositionX cannot be nan"):
        creature.position = (float("nan"), 0.0, 0.0)


def test_coordinates():
    value = (-2667.044922, 0.0, 0.2771)
    assert coordinates("C3DCoordF(-2667.044922,0.0,0.2771)") == value
    assert coordinates_text(value) == "C3DCoordF(-2667.044922,0.0,0.2771)"
    for other in (None, "", "C3DCoordF(1,2)", "C3DCoordF(1,2,x)", "(1,2,3)"):
        assert coordinates(other) is None


def test_decimals_are_the_editors():
    values = (0.0, 1.0, -0.00049, 18.369873, 0.999994, 100.5, 1e-9, 2048.0)
    assert [decimal(v) for v in values] == ["0.0", "1.0", "-0.00049", "18.369873", "0.999994", "100.5", "0.0", "2048.0"]


def test_what_a_world_says():
    world = wld.read(WORLD.encode())
    (barrow,) = world.maps
    assert (barrow.number, barrow.origin, barrow.uid) == ("1", (2592, 2112), 17)
    assert (barrow.level_name, barrow.script_name) == (r"FinalAlbion\BarrowFields.lev", "BarrowFields")
    assert (barrow.is_sea, barrow.loaded_on_player_proximity) == (False, True)
    (region,) = world.regions
    assert (region.number, region.contains, region.sees) == ("4", ["BarrowFields"], ["Darkwood", "Oakvale"])
    assert world.map_of("/home/me/barrowfields.LEV").uid == 17
    assert world.map_of("Other.lev") is None
    barrow.origin = (2592, 2144)
    assert changed(WORLD, wld.write(world)) == ["MapY 2144;"]
    assert wld.read(b"NewMap 2;EndMap;").maps[0].origin is None


# ------------------------------------------------------------------------------------------------------ hostile files


def nested(opening: str, closing: str, depth: int) -> bytes:
    return (opening * depth + closing * depth).encode()


def in_a_section(things: str) -> bytes:
    return f"XXXSectionStart NULL;{things}XXXSectionEnd;".encode()


@pytest.mark.slow
@pytest.mark.cpu_seconds(20)
@pytest.mark.parametrize(
    ("read", "data"),
    [
        (tng.read, nested("StartCTCA;", "EndCTCA;", 120_000)),
        (tng.read, "".join(f"StartCTC{n};" for n in range(150_000)).encode()),
        (tng.read, in_a_section("NewThing A;" + "a 1;" * 600_000 + "EndThing;")),
        (tng.read, in_a_section("NewThing A;EndThing;" * 120_000)),
        (tng.read, b"XXXSectionStart A;XXXSectionEnd;" * 75_000),
        (wld.read, nested("NewMap 1;", "EndMap;", 150_000)),
        (wld.read, b'NewMap 1;LevelName "A.lev";EndMap;' * 70_000),
    ],
    ids=["nested", "never closed", "statements", "things", "sections", "nested maps", "maps"],
)
def test_two_megabytes_that_would_take_for_ever_are_refused(read, data):
    with pytest.raises(FormatError, match=r"known|the game has some 400") as error:
        read(data)
    assert len(str(error.value)) < 300


def test_the_deepest_text_is_kept_and_one_deeper_is_refused():
    for read, write, opening, closing in (
        (tng.read, tng.write, "StartCTCA;", "EndCTCA;"),
        (wld.read, wld.write, "NewMap 1;", "EndMap;"),
    ):
        deepest = nested(opening, closing, DEEPEST)
        assert write(read(deepest)) == deepest
        with pytest.raises(FormatError, match=f"inside {DEEPEST} blocks"):
            read(nested(opening, closing, DEEPEST + 1))


def test_as_much_as_is_read_at_most_is_kept():
    for data in (
        in_a_section("NewThing A;" + "a 1;" * tng.MOST_STATEMENTS + "EndThing;"),
        in_a_section("NewThing A;EndThing;" * tng.MOST_THINGS),
        b"XXXSectionStart A;XXXSectionEnd;" * tng.MOST_SECTIONS,
    ):
        assert tng.write(tng.read(data)) == data
    maps = b"NewMap 1;EndMap;" * wld.MOST_MAPS
    assert wld.write(wld.read(maps)) == maps


def test_errors_show_the_beginning_of_a_long_text_only():
    for text in (b"NewThing " + b"x" * 100_000 + b";", b"StartCTC" + b"x" * 100_000 + b";", b"EndCTC" + b"x" * 100_000):
        with pytest.raises(FormatError) as error:
            tng.read(text)
        assert len(str(error.value)) < 300
