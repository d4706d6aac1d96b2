"""Things: what is shown of a `.tng`, and edits that change only the text that they mean."""

import difflib
import math
import time
from collections.abc import Mapping
from pathlib import Path

import bpy
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.exporter import export_level
from levelwright.addon.fable.importer import build_scene
from levelwright.addon.fable.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable
from levelwright.formats.fable import UID_BASE, tng
from mathutils import Matrix

from tests.addon.fable.export_helpers import reopened
from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb

UID = UID_BASE + 70
COUNTER = 77  # of fable_bytes' levels

TNG = f"""Version 2;

XXXSectionStart NULL;

NewThing Marker;
Player 4;
UID {UID};
DefinitionType "MARKER_BASIC";
ScriptName MK_GO;
ScriptName MK_TWICE;
ThingGamePersistent FALSE;
StartCTCPhysicsStandard;
PositionX 18.369873;
PositionY 24.726318;
PositionZ  3.2318270;
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
ObjectScale 0.5;
EndThing;

NewThing AICreature;
UID {UID + 1};
DefinitionType "CREATURE_BANDIT";
ScriptName NULL;
ScriptData "a; b";
StartCTCPhysicsNavigator;
PositionX 4.0;
PositionY 5.0;
PositionZ 1.0;
RHSetForwardX 0.0;
RHSetForwardY 1.0;
RHSetForwardZ 0.0;
RHSetUpX 0.0;
RHSetUpY 0.0;
RHSetUpZ 1.0;
EndCTCPhysicsNavigator;
StartCTCDoor;
Open FALSE;
Count 12;
Inner C3DCoordF(1.0,-2.5,3.0);
Colour CRGBColour(130,60,5,255);
OwnerUID {UID};
EndCTCDoor;
InitialPosX 2596.0;
InitialPosY 2117.0;
InitialPosZ 1.0;
EndThing;

NewThing Thing;
UID {UID + 2};
DefinitionType "NAVIGATION_SEED";
StartCTCDNavigationSeed;
EndCTCDNavigationSeed;
EndThing;

XXXSectionEnd;


XXXSectionStart Q_Quest;

NewThing Holy Site;
UID {UID + 3};
DefinitionType "HOLY_SITE_BASIC";
StartCTCPhysicsStandard;
PositionX 1.0;
PositionY 2.0;
PositionZ 3.0;
EndCTCPhysicsStandard;
EndThing;

XXXSectionEnd;

"""


def opened(text: str = TNG, report: Report | None = None) -> bpy.types.Collection:
    data = fb.Lev().build()
    parts = {"test.tng": text.encode("latin-1")}
    level = fable.read(data)
    return build_scene(bpy.context, level, data, Path("test.lev"), ImportSettings(), report or Report(), parts)


def both(level: bpy.types.Collection, report: Report | None = None, **settings: object) -> tuple[bytes, str]:
    made = export_level(bpy.context, level, ExportSettings(**settings), report or Report())
    assert isinstance(made, Mapping)
    return made[".lev"], made[".tng"].decode("latin-1")


def written(level: bpy.types.Collection, report: Report | None = None) -> str:
    return both(level, report)[1]


def thing(level: bpy.types.Collection, number: int) -> bpy.types.Object:
    return part(level, layout.THING, number)


def difference(after: str, before: str = TNG) -> list[str]:
    """Lines that are gone or new."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


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
        ("NewThing", 3, "is no kind of a thing"),
        ("ScriptName", "\u4e2d", "MK_GO"),
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


def test_a_deleted_thing_goes_and_who_names_it_is_told():
    level = opened()
    bpy.data.objects.remove(thing(level, 0))
    report = Report()
    after = written(level, report)
    assert [each.uid for each in tng.read(after.encode())] == [UID + 1, UID + 2, UID + 3]
    assert not [line for line in difference(after) if line[0] == "+"]
    assert any("name some that are gone" in line and str(UID) in line for line in report.lines())


def test_a_deleted_door_that_navigation_names_is_told():
    data = fb.WALKED.build()
    text = TNG.replace(f"UID {UID + 1};", f"UID {UID_BASE + fb.DOOR};")
    parts = {"test.tng": text.encode()}
    level = build_scene(bpy.context, fable.read(data), data, Path("test.lev"), ImportSettings(), Report(), parts)
    bpy.data.objects.remove(thing(level, 1))
    report = Report()
    written(level, report)
    assert any(f"opened by things that are gone: {UID_BASE + fb.DOOR}" in line for line in report.lines())


def test_copies_are_new_things_with_uids_of_the_levels_counter():
    level = opened()
    first = thing(level, 0)
    copies = [first.copy() for _ in range(2)]
    for number, one in enumerate(copies):
        one.location.y = number
        first.users_collection[0].objects.link(one)
    copies[1]["Health"] = 9.0
    first.location.x = 0
    lev, after = both(level)
    found = list(tng.read(after.encode()))
    assert [each.uid for each in found] == [UID, UID + 1, UID + 2, UID_BASE + 77, UID_BASE + 78, UID + 3]
    assert found[0].position == (0, 24.726318, 3.231827)
    assert found[3].position == (18.369873, 0, 3.231827)
    assert found[4].block.get("Health") == "9.0"
    assert found[4].block.get("ScriptName") == "MK_GO"
    assert int(fable.read(lev).map_header["thing_uid_counter"]) == COUNTER + 2


def test_a_copy_that_was_moved_is_the_new_one():
    level = opened()
    first = thing(level, 0)
    copy = first.copy()
    first.users_collection[0].objects.link(copy)
    first.name, copy.name = "Z", "A"
    copy.location.x = 9
    found = tng.read(written(level).encode()).by_uid()
    assert found[UID].position == (18.369873, 24.726318, 3.231827)
    assert found[UID_BASE + 77].position == (9, 24.726318, 3.231827)


def test_a_new_empty_becomes_a_thing():
    level = opened()
    new = bpy.data.objects.new("Chest", None)
    new["DefinitionType"], new["CTCChest.NumKeys"], new["ScriptName"] = "OBJECT_CHEST", 3, "MyChest"
    new.location, new.scale = (1, 2.25, 3), (2, 2, 2)
    level.children["Things"].children["Q_Quest"].objects.link(new)
    lost = bpy.data.objects.new("Nothing", None)
    level.children["Things"].children["Q_Quest"].objects.link(lost)
    report = Report()
    after = written(level, report)
    assert not [line for line in difference(after) if line[0] == "-"]
    made = tng.read(after.encode()).by_uid()[UID_BASE + 77]
    assert (made.kind, made.definition_type, made.position) == ("Object", "OBJECT_CHEST", (1, 2.25, 3))
    assert (made.forward, made.up) == ((0, 1, 0), (0, 0, 1))
    assert made.block.get("ObjectScale") == "2.0"
    assert made.components["CTCChest"].get("NumKeys") == "3"
    assert made.block.find("ScriptName").value == "MyChest"
    assert "object 'Nothing' among the things" in report.summary()


def test_things_move_between_sections_which_come_and_go():
    level = opened()
    home = level.children["Things"]
    quest = bpy.data.collections.new("Q_New")
    home.children.link(quest)
    marker = thing(level, 0)
    home.children["NULL"].objects.unlink(marker)
    quest.objects.link(marker)
    bpy.data.objects.remove(thing(level, 3))
    bpy.data.collections.remove(home.children["Q_Quest"])
    found = tng.read(written(level).encode())
    assert [(each.name, len(each.things)) for each in found.sections] == [("NULL", 2), ("Q_New", 1)]
    home.children["NULL"][layout.SECTION_NAME] = "bad name"
    with pytest.raises(SceneError, match="is no name for a section"):
        written(level)


def test_things_outside_of_their_sections_stay_in_them():
    level = opened()
    marker = thing(level, 3)
    marker.users_collection[0].objects.unlink(marker)
    level.objects.link(marker)
    assert written(level) == TNG


def test_without_its_collection_nothing_changes():
    level = opened()
    bpy.data.collections.remove(level.children["Things"])
    assert written(level) == TNG


def test_built_as_new_things_say_what_they_did():
    level = opened(TNG)
    after = written_as_new(level)
    old, new = list(tng.read(TNG.encode())), list(tng.read(after.encode()))
    assert [(each.kind, each.uid, each.definition_type) for each in new] == [
        (each.kind, each.uid, each.definition_type) for each in old
    ]
    assert new[1].components["CTCDoor"].get("Inner") == "C3DCoordF(1.0,-2.5,3.0)"
    assert new[0].position == pytest.approx(old[0].position, abs=1e-6)


def written_as_new(level: bpy.types.Collection) -> str:
    return both(level, build_as_new=True)[1]


def test_the_counter_skips_uids_that_are_taken():
    text = TNG.replace(f"UID {UID + 3};", f"UID {UID_BASE + 77};")
    level = opened(text)
    copy = thing(level, 0).copy()
    level.children["Things"].children["NULL"].objects.link(copy)
    assert UID_BASE + 78 in tng.read(written(level).encode()).by_uid()


def test_things_of_another_level_are_new():
    first, second = opened(), opened()
    guest = part(first, layout.THING, 1)
    guest.users_collection[0].objects.unlink(guest)
    home = next(child for child in second.children_recursive if child.name.startswith("Q_Quest"))
    home.objects.link(guest)
    guest.parent = part(second, "root", 0)
    report = Report()
    found = list(tng.read(written(second, report).encode()))
    assert len(found) == 5
    assert found[4].uid == UID_BASE + 77
    assert found[4].definition_type == "CREATURE_BANDIT"
    assert any("come from another level" in line for line in report.lines())


def test_a_mirrored_matrix_is_no_thing():
    level = opened()
    thing(level, 1).matrix_basis = Matrix.Diagonal((1, 1, -1, 1))
    with pytest.raises(SceneError, match="0 or negative"):
        written(level)


def test_twenty_thousand_things_take_as_long_each_as_a_few():
    one = TNG[TNG.index("NewThing Marker") : TNG.index("NewThing AICreature")]
    seconds = {}
    for count in (2_000, 20_000):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        text = "Version 2;\n\nXXXSectionStart NULL;\n\n" + one * count + "XXXSectionEnd;\n"
        start = time.perf_counter()
        level = opened(text)
        seconds[count] = time.perf_counter() - start
    assert seconds[20_000] < 40 * seconds[2_000], seconds
    assert written(level) == text


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
