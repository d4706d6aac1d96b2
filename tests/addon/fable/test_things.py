# SPDX-License-Identifier: GPL-3.0-or-later
"""Things: what is shown of a `.tng`, and edits that change only the text that they mean."""

import math

import bpy
import pytest
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.fable import tng
from mathutils import Matrix

from tests.addon.fable.export_helpers import LEVEL, reopened
from tests.addon.fable.thing_helpers import TNG, UID, difference, opened, thing, written, written_as_new
from tests.addon.genesis.export_helpers import part


def test_things_are_empties_in_their_sections():
    level = opened()
    home = level.children["Things"]
    assert {child.name: len(child.objects) for child in home.children} == {"NULL": 3, "Q_Quest": 1}
    marker = thing(level, 0)
    assert (marker.name, marker.empty_display_type) == ("MK_GO", "PLAIN_AXES")
    assert thing(level, 1).name == "CREATURE_BANDIT"
    assert tuple(marker.location) == pytest.approx((18.369873, 24.726318, 3.231827))
    assert tuple(marker.scale) == pytest.approx((0.5, 0.5, 0.5))
    right, front, top = marker.matrix_basis.to_3x3().normalized().transposed()
    assert tuple(front) == pytest.approx((-0.819133, 0.573564, 0), abs=1e-4)
    assert tuple(top) == pytest.approx((0, 0, 1), abs=1e-3)
    assert tuple(right) == pytest.approx((0.573564, 0.819133, 0), abs=1e-3), "right is front x top"
    assert thing(level, 2).rotation_euler[:] == (0, 0, 0), "it says nothing of its place"


def test_all_else_is_properties_in_their_order():
    level = opened()
    shown = {key: value for key, value in thing(level, 0).items() if not key.startswith("levelwright")}
    assert list(shown.items()) == [
        ("NewThing", "Marker"),
        ("Player", 4),
        ("UID", str(UID)),
        ("DefinitionType", "MARKER_BASIC"),
        ("ScriptName", "MK_GO"),
        ("ScriptName#2", "MK_TWICE"),
        ("ThingGamePersistent", False),
        ("CTCPhysicsStandard", ""),
        ("CTCEditor", ""),
        ("Health", 1.0),
    ]
    creature = thing(level, 1)
    assert creature["ScriptData"] == "a; b"
    assert creature["CTCDoor.Open"] is False
    assert creature["CTCDoor.Count"] == 12
    assert list(creature["CTCDoor.Inner"]) == [1, -2.5, 3]
    assert creature["CTCDoor.Colour"] == "CRGBColour(130,60,5,255)"


@pytest.mark.parametrize("text", [TNG, TNG.replace("\n", "\r\n"), "Version 2;\n", TNG.replace("18.369873", "1e39")])
def test_unedited_they_come_back_as_they_were(text, tmp_path):
    assert written(reopened(opened(text), tmp_path)) == text


def test_what_cannot_be_read_stays():
    report = Report()
    level = opened("NewThing Marker;\n", report)
    assert any("can't be read" in line for line in report.lines())
    assert written(level) == "NewThing Marker;\n"


@pytest.mark.parametrize(
    "text", [TNG[:900], 'junk \x00\xff "', "NewThing Marker;\n", ""], ids=["cut", "junk", "open", "empty"]
)
def test_what_cannot_be_read_goes_out_again(text, tmp_path):
    """The level beside it was read well, and can be edited and exported."""
    source, target = tmp_path / "in.lev", tmp_path / "out.lev"
    source.write_bytes(LEVEL.build())
    source.with_suffix(".tng").write_bytes(text.encode("latin-1"))
    assert bpy.ops.import_scene.fable_lev(filepath=str(source)) == {"FINISHED"}
    assert bpy.ops.export_scene.fable_lev(filepath=str(target)) == {"FINISHED"}
    assert target.read_bytes() == source.read_bytes()
    assert target.with_suffix(".tng").read_bytes() == source.with_suffix(".tng").read_bytes()


@pytest.mark.parametrize(
    ("number", "key", "value", "gone", "new"),
    [
        (0, "Health", 2.5, "Health 1.0;", "Health 2.5;"),
        (0, "Health", 3, "Health 1.0;", "Health 3.0;"),
        (0, "ThingGamePersistent", True, "ThingGamePersistent FALSE;", "ThingGamePersistent TRUE;"),
        (0, "ScriptName#2", "MK_NEW", "ScriptName MK_TWICE;", "ScriptName MK_NEW;"),
        (0, "DefinitionType", "MARKER_2", 'DefinitionType "MARKER_BASIC";', 'DefinitionType "MARKER_2";'),
        (0, "NewThing", "Thing", "NewThing Marker;", "NewThing Thing;"),
        (1, "CTCDoor.Count", 13, "Count 12;", "Count 13;"),
        (1, "CTCDoor.Open", 1, "Open FALSE;", "Open TRUE;"),
        (1, "CTCDoor.Inner", [1.0, 2.0, 3.0], "Inner C3DCoordF(1.0,-2.5,3.0);", "Inner C3DCoordF(1.0,2.0,3.0);"),
        (1, "CTCDoor.OwnerUID", "7", f"OwnerUID {UID};", "OwnerUID 7;"),
        (1, "InitialPosX", 9.0, "InitialPosX 2596.0;", "InitialPosX 9.0;"),
    ],
)
def test_properties(number, key, value, gone, new):
    level = opened()
    thing(level, number)[key] = value
    assert difference(written(level)) == [f"- {gone}", f"+ {new}"]


def test_new_and_deleted_properties_and_components():
    level = opened()
    creature = thing(level, 1)
    for name in ("Open", "Count", "Inner", "Colour", "OwnerUID"):
        del creature[f"CTCDoor.{name}"]
    creature["CTCShop.Money"] = 5
    creature["CTCTalk"] = ""
    creature["Radius"] = 1.5
    creature["ReplacementName"] = "OBJECT_CHEST"
    after = written(level)
    assert "CTCDoor" not in after
    added = [line[2:] for line in difference(after) if line[0] == "+"]
    assert added == [
        "StartCTCShop;", "Money 5;", "EndCTCShop;", "StartCTCTalk;", "EndCTCTalk;", "Radius 1.5;",
        'ReplacementName "OBJECT_CHEST";',
    ]  # fmt: skip
    assert len(list(tng.read(after.encode()))) == 4


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("two words", 1, "property two words: a statement's name"),
        ("Health", float("nan"), "property Health: nan"),
        ("ScriptName", "one;two", "property ScriptName:"),
        ("ScriptName", "line\nend", "property ScriptName:"),
        ("DefinitionType", 'a"b', "property DefinitionType:"),
        ("junk", {"a": 1}, "property junk: a statement holds"),
        ("junk", [1, 2], "property junk: a statement holds"),
        ("NewThing", 3, "can't be the kind of a thing"),
        ("ScriptName", "\u4e2d", "property ScriptName: .* has characters that Latin-1 does not have"),
        ("UID", str(2**64), "property UID: '18446744073709551616' isn't a number of 64 bits"),
        ("UID", "seven", "property UID: 'seven' isn't a number of 64 bits"),
        ("UID", str(UID + 1), f"property UID: {UID + 1} is another thing's"),
    ],
)
def test_junk_is_refused(key, value, message):
    level = opened()
    thing(level, 0)[key] = value
    with pytest.raises(SceneError, match=message) as error:
        written(level)
    assert error.value.objects == [thing(level, 0)]


def test_moving_writes_the_axes_that_changed():
    level = opened()
    thing(level, 0).location.x += 1
    assert difference(written(level)) == ["- PositionX 18.369873;", "+ PositionX 19.369873;"]


def test_creatures_start_where_they_were_moved_to():
    level = opened()
    thing(level, 1).location = (4, 7.5, 1)
    assert difference(written(level)) == [
        "- PositionY 5.0;", "+ PositionY 7.5;", "- InitialPosY 2117.0;", "+ InitialPosY 2119.5;",
    ]  # fmt: skip


def test_turning_writes_what_changed_of_the_directions():
    level = opened()
    thing(level, 1).rotation_euler.z = math.radians(-90)
    assert sorted(difference(written(level))) == [
        "+ RHSetForwardX 1.0;", "+ RHSetForwardY 0.0;", "- RHSetForwardX 0.0;", "- RHSetForwardY 1.0;",
    ]  # fmt: skip


def test_scaling():
    level = opened()
    thing(level, 0).scale = (2, 2, 2)
    thing(level, 1).scale = (1.5, 1.5, 1.5)
    assert difference(written(level)) == ["- ObjectScale 0.5;", "+ ObjectScale 2.0;", "+ ObjectScale 1.5;"]


def test_moving_the_level_or_parenting_in_place_edits_nothing():
    level = opened()
    part(level, "root", 0).location = (2592, 2112, 0)
    parent = bpy.data.objects.new("Group", None)
    parent.parent = part(level, "root", 0)
    parent.location, parent.rotation_euler = (5, 6, 7), (0, 0, 0.3)
    level.objects.link(parent)
    bpy.context.view_layer.update()
    child = thing(level, 0)
    child.parent, child.matrix_parent_inverse = parent, parent.matrix_basis.inverted()
    assert written(level) == TNG
    parent.location.x += 2
    gone, new = difference(written(level))
    assert gone == "- PositionX 18.369873;"
    assert float(new.removeprefix("+ PositionX ").rstrip(";")) == pytest.approx(20.369873, abs=5e-6)


@pytest.mark.parametrize(
    ("number", "edit", "message"),
    [
        (0, {"scale": (1, 2, 1)}, "differs between the axes"),
        (0, {"scale": (-1, 1, 1)}, "0 or negative"),
        (2, {"location": (1, 2, 3)}, "has no place in its file"),
        (2, {"rotation_euler": (1, 0, 0)}, "so it can't be turned"),
    ],
)
def test_places_that_things_cannot_have_are_refused(number, edit, message):
    level = opened()
    for name, value in edit.items():
        setattr(thing(level, number), name, value)
    with pytest.raises(SceneError, match=message):
        written(level)


def test_a_constraint_moves_a_thing():
    level = opened()
    target = bpy.data.objects.new("Target", None)
    target.location = (1, 2, 3)
    bpy.context.scene.collection.objects.link(target)
    thing(level, 1).constraints.new("COPY_LOCATION").target = target
    found = tng.read(written(level).encode()).by_uid()[UID + 1]
    assert found.position == (1, 2, 3)
    assert found.initial_position == (2593, 2114, 3)


def test_a_mirrored_matrix_is_no_thing():
    level = opened()
    thing(level, 1).matrix_basis = Matrix.Diagonal((1, 1, -1, 1))
    with pytest.raises(SceneError, match="0 or negative"):
        written(level)


def test_real_things_come_back_as_they_were(corpus):
    files = sorted(corpus.glob("lev/*/*.tng"))
    if not files:
        pytest.skip("the corpus has no things")
    for path in files:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        text = path.read_bytes().decode("latin-1")
        level = opened(text)
        assert written(level) == text
        made, real = (list(tng.read(one.encode("latin-1"))) for one in (written_as_new(level), text))
        assert [(each.kind, each.uid, each.position) for each in made] == [
            (each.kind, each.uid, pytest.approx(each.position, abs=1e-5)) for each in real
        ]
        statements = [sorted((s.key, s.value) for b in each.block.blocks() for s in b.statements()) for each in made]
        for each, found in zip(real, statements, strict=True):
            wanted = sorted((s.key, s.value) for b in each.block.blocks() for s in b.statements())
            assert [key for key, _ in found if not key.startswith("RHSet")] == [
                key for key, _ in wanted if not key.startswith("RHSet")
            ]


def test_things_that_nest_too_deeply_stay_in_the_file_and_are_told():
    report = Report()
    text = "XXXSectionStart NULL;NewThing A;" + "StartCTCA;" * 5_000 + "EndCTCA;" * 5_000 + "EndThing;XXXSectionEnd;"
    level = opened(text, report)
    assert written(level) == text
    assert any("the things beside the level can't be read" in line and "32 blocks" in line for line in report.warnings)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "CTCDNavigationSeed",
            "something",
            "property CTCDNavigationSeed: it stands for a component, which has",
        ),
        ("NewThing", None, "property NewThing: None can't be the kind of a thing"),
        ("ScriptName", "x" * 5_000 + ";", "property ScriptName: 'xxx.{,80} cannot stand in a statement"),
        ("UID", "9" * 5_000, "property UID: '999.{,80} isn't a number of 64 bits"),
    ],
)
def test_properties_that_no_thing_can_have_are_refused_by_name(key, value, message):
    level = opened()
    obj = thing(level, 2)
    if value is None:
        del obj[key]
    else:
        obj[key] = value
    with pytest.raises(SceneError, match=f"{obj.name}: {message}") as error:
        written(level)
    assert error.value.objects == [obj]


def test_the_component_that_holds_a_place_cannot_be_taken_away():
    level = opened()
    obj = thing(level, 3)
    del obj["CTCPhysicsStandard"]
    with pytest.raises(SceneError, match="HOLY_SITE_BASIC: property CTCPhysicsStandard is gone"):
        written(level)


def test_a_switch_is_no_number():
    level = opened()
    obj = thing(level, 0)
    del obj["Health"]
    obj["Health"] = True
    assert difference(written(level)) == ["- Health 1.0;", "+ Health TRUE;"]


def test_things_that_are_gone_as_a_whole_are_told():
    level, report = opened(), Report()
    bpy.data.collections.remove(level.children["Things"])
    assert written(level, report) == TNG
    assert "the collection Things is gone: the level's things stay as they are" in report.warnings
