# SPDX-License-Identifier: GPL-3.0-or-later
"""All that an export says of an edit of each kind: every count, note and warning, with its numbers and names."""

import bpy
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.exporter import BAKED
from levelwright.addon.fable.palettes import lists
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable
from levelwright.formats.fable import UID_BASE, tng

from tests.addon.fable.export_helpers import (
    exported,
    game_map,
    imported,
    place,
    positions,
    set_values,
    terrain,
)
from tests.addon.fable.test_navigation_sections import DATA as THREE_SECTIONS
from tests.addon.fable.test_navigation_sections import added, duplicated, section
from tests.addon.fable.thing_helpers import COUNTER, TNG, UID, both, opened, thing, written
from tests.addon.genesis.export_helpers import part

COLUMNS = 33


def at(x: int, y: int) -> int:
    return y * COLUMNS + x


def said(level: bpy.types.Collection, **settings: object) -> list[str]:
    report = Report()
    exported(level, report, **settings)
    return report.lines()


def test_cells_that_were_edited_are_counted_by_what_they_got():
    """Flags are set where they weren't: all cells but one are walkable, all seen by the camera, row 0 is the shore."""
    level = imported()
    ground, faces = terrain(level), game_map(level)
    heights = positions(ground)
    heights[[at(1, 1), at(2, 1), at(3, 1), at(4, 1)], 2] = 9
    place(ground, heights)
    for name, cells in (("walkable", 1), ("camera", 2), ("path", 3), ("shore", 5)):
        set_values(ground, name, [at(x, 3) for x in range(cells)], name in ("path", "shore"))
    for name, cells in (("old_sound", 6), ("theme_3", 7), ("strength_1", 8)):
        set_values(ground, name, [at(x, 4) for x in range(cells)], 2)
    set_values(faces, "sound", [0, 1, 2], 0)
    set_values(faces, "strength_1", [7], 100)
    set_values(faces, "strength_2", [9], 0)
    level["thing_uid_counter"], level["checksum"] = "900", "901"
    names = lists.get(level)
    names.themes[5], names.sounds[1] = "TAR", "SOUND_RAIN"
    names.used_atmospheres.discard(2)
    lists.put(level, names)
    assert said(level) == [
        "1,089 cells, 5 themes, 2 sections of navigation; 4 warnings",
        "warning: where creatures can walk is as it was, though cells were made passable, impassable or path: "
        "the option Navigation brings it in line",
        f"warning: {BAKED}",
        "warning: height cells: walkable, so the camera passes, though closed to it: 1 cell, the first at x 1, y 3",
        "warning: game map: shows a theme that the palette does not have: 63 cells, the first at x 0, y 0",
        "checksum: 901",
        "thing_uid_counter: 900",
        "theme 'TAR' is in slot 5",
        "atmosphere 'ENVIRONMENT_FOG' is taken out of slot 2",
        "2 sounds: SOUND_SEA, SOUND_RAIN",
        "game map: 2 cells with other atmospheres",
        "game map: 2 cells with other sounds",
        "Terrain: 4 cells with other heights",
        "Terrain: 6 cells with other old sounds",
        "Terrain: 1 cell with other walkable",
        "Terrain: 2 cells with other camera",
        "Terrain: 5 cells with other shore",
        "Terrain: 3 cells with other path",
        "Terrain: 8 cells with other themes",
    ]


def test_sections_of_navigation_say_what_became_of_each():
    level = imported(THREE_SECTIONS)
    duplicated(level, "NULL").name = "Q_Copy"
    added(level, "Q_Ground")
    section(level, "Q_Quest").name = "Q_Named"
    part(level, layout.LEAVES, 0).data.attributes["region"].data[0].value = 7
    part(level, layout.ACTION_POINT, 0).location.x += 1
    strayed = part(level, layout.LEAVES, layout.leaves_record(1, 1))
    section(level, "Q_Named").objects.unlink(strayed)
    section(level, "NULL").objects.link(strayed)
    bpy.data.objects.remove(part(level, layout.LEAVES, layout.leaves_record(2, 0)))
    assert said(level) == [
        "1,089 cells, 2 themes, 5 sections of navigation; 2 warnings",
        "warning: Q_Quest layer 1 is in the collection of section NULL, but is navigation of Q_Quest",
        "warning: Q_Last layer 0: the object is gone, and navigation of section Q_Last stays as it is there",
        "navigation of section NULL: 1 leaf with other region, action points 1 changed",
        "navigation: section Q_Quest is called Q_Named now",
        "navigation: section Q_Copy is new, a copy of NULL",
        "navigation: section Q_Ground is new, made of the ground",
    ]


def test_points_of_another_level_are_in_no_section_unless_they_are_put_into_one():
    level, other = imported(THREE_SECTIONS), imported(THREE_SECTIONS)
    loose, held = (part(other, layout.ACTION_POINT, record) for record in (2, 3))
    level.objects.link(loose)
    section(level, "Q_Last").objects.link(held)
    report = Report()
    made = fable.read(exported(level, report)).sections
    assert [len(one.navigation.positions) for one in made] == [2, 2, 1]
    assert report.lines()[1:] == [
        f"left out: {loose.name}, which is in no section of navigation",
        "navigation of section Q_Last: action points 1 new",
    ]


def test_things_say_what_became_of_each():
    level, report = opened(), Report()
    home = level.children["Things"]
    first = thing(level, 0)
    for _ in range(2):
        home.children["NULL"].objects.link(first.copy())
    thing(level, 1)["CTCDoor.Count"] = 4
    thing(level, 1).location.x = 2
    first.instance_collection = bpy.data.collections.new("House")
    first.keyframe_insert("location", frame=1)
    thing(level, 2).color = (1, 0, 0, 1)
    thing(level, 2)["UID"] = "5"
    bpy.data.objects.remove(thing(level, 3))
    bpy.data.collections.remove(home.children["Q_Quest"])
    new = bpy.data.collections.new("Q_New")
    home.children.link(new)
    new.objects.link(bpy.data.objects.new("Nothing", None))
    home.children["NULL"].name = "Q_First"
    written(level, report)
    assert report.lines() == [
        "5 things, 1,089 cells, 2 themes; left out: object 'Nothing' among the things (no empty with a "
        "DefinitionType); 3 warnings",
        "left out: object 'Nothing' among the things (no empty with a DefinitionType)",
        "warning: MK_GO: the collection that it is an instance of isn't written",
        "warning: MK_GO: its animation isn't written: a thing is where it is at the current frame",
        "warning: NAVIGATION_SEED: property UID: 5 is none that the game gives: those are larger",
        "section NULL of the things is called Q_First now",
        "section Q_Quest of the things is gone, with 1 thing",
        "things: 1 gone",
        "NAVIGATION_SEED: names, colours and sizes of empties are Blender's alone, a thing's name is its ScriptName",
        "things: 2 changed",
        "things: 2 new",
    ]


@pytest.mark.parametrize("action", [True, False], ids=["action", "driver"])
def test_motion_of_a_thing_is_told_whatever_makes_it(action):
    level, report = opened(), Report()
    obj = thing(level, 1)
    assert not any("animation" in line for line in report.warnings)
    if action:
        obj.keyframe_insert("location", frame=1)
    else:
        obj.driver_add("location", 0).driver.expression = "4"
    written(level, report)
    assert report.warnings == [f"{obj.name}: its animation isn't written: a thing is where it is at the current frame"]


@pytest.mark.parametrize(("name", "value"), [("name", "Other"), ("color", (1, 1, 0.5, 1)), ("empty_display_size", 3.0)])
def test_what_is_blenders_alone_is_told_of_each_thing(name, value):
    level, report = opened(), Report()
    for number in (0, 3):
        setattr(thing(level, number), name, value)
    named = ", ".join(thing(level, number).name for number in (0, 3))
    assert written(level, report) == TNG
    told = f"{named}: names, colours and sizes of empties are Blender's alone, a thing's name is its ScriptName"
    assert (report.notes, report.warnings) == ([told], [])


@pytest.mark.parametrize(
    ("uid", "message", "warning"),
    [
        (2**64 - 1, None, False),
        (2**64, "isn't a number of 64 bits", False),
        (UID_BASE, None, False),
        (UID_BASE - 1, None, True),
        (UID + 1, "is another thing's", False),
    ],
)
def test_a_uid_that_was_set_by_hand(uid, message, warning):
    level, report = opened(), Report()
    thing(level, 0)["UID"] = str(uid)
    if message is not None:
        with pytest.raises(SceneError, match=f"MK_GO: property UID: '?{uid}'? {message}") as error:
            written(level, report)
        assert error.value.objects == [thing(level, 0)]
        return
    assert f"\nUID {uid};\n" in written(level, report)
    told = f"MK_GO: property UID: {uid} is none that the game gives: those are larger"
    assert report.warnings == [told] * warning


@pytest.mark.parametrize(("counter", "allowed"), [(2**41 - 1, True), (2**41, False)])
def test_a_new_thing_needs_a_counter_of_41_bits(counter, allowed):
    level = opened()
    level["thing_uid_counter"] = str(counter)
    copy = thing(level, 0).copy()
    level.children["Things"].children["NULL"].objects.link(copy)
    if not allowed:
        with pytest.raises(SceneError, match=f"the level's counter, {counter}, is too high") as error:
            both(level)
        assert error.value.objects == [copy]
        return
    lev, text = both(level)
    assert f"\nUID {UID_BASE + counter};\n" in text
    assert int(fable.read(lev).map_header["thing_uid_counter"]) == counter + 1


@pytest.mark.parametrize(("uid", "kept"), [(2**64 - 1, True), (2**64, False), (UID + 1, False), (0, False)])
def test_a_new_empty_keeps_a_uid_that_is_free(uid, kept):
    level = opened()
    new = bpy.data.objects.new("Chest", None)
    new["DefinitionType"], new["UID"] = "OBJECT_CHEST", str(uid)
    level.children["Things"].children["NULL"].objects.link(new)
    made = [each for each in tng.read(written(level).encode()) if each.definition_type == "OBJECT_CHEST"]
    assert [each.uid for each in made] == [uid if kept else UID_BASE + COUNTER]


def test_names_that_refer_to_things_that_are_gone_are_sorted_and_those_left_alone():
    """Quoted wherever they stand: in a thing or in its components. What nobody refers to isn't named."""
    text = TNG.replace("Health 1.0;", f"Health 1.0;\nOwnerUID {UID + 3};").replace("Open FALSE;", f"Open {UID + 2};")
    level, report = opened(text), Report()
    for number in (2, 3):
        bpy.data.objects.remove(thing(level, number))
    written(level, report)
    assert report.warnings == [f"other things refer to some that are gone, by their UIDs: {UID + 2}, {UID + 3}"]
    assert "things: 2 gone" in report.notes
