# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that come and go: deleted, copied, new, moved between sections, levels built as new."""

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
from levelwright.formats.fable.text import Statement

from tests.addon.fable.thing_helpers import COUNTER, TNG, UID, both, difference, opened, thing, written, written_as_new
from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb


def test_a_deleted_thing_goes_and_who_names_it_is_told():
    level = opened()
    bpy.data.objects.remove(thing(level, 0))
    report = Report()
    after = written(level, report)
    assert [each.uid for each in tng.read(after.encode())] == [UID + 1, UID + 2, UID + 3]
    assert not [line for line in difference(after) if line[0] == "+"]
    assert any("refer to some that are gone" in line and str(UID) in line for line in report.lines())


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
    heads = [entry.key for entry in made.block.entries if isinstance(entry, Statement)]
    assert heads[:4] == ["Player", "UID", "DefinitionType", "ScriptName"]


def test_what_has_no_parent_is_where_it_is_seen():
    level = opened()
    root = next(obj for obj in level.objects if obj.parent is None)
    root.location = (2592, 2112, 8)
    bpy.context.view_layer.update()
    freed = thing(level, 0)
    seen = freed.matrix_world.copy()
    freed.parent = None
    freed.matrix_world = seen
    new = bpy.data.objects.new("Chest", None)
    new["DefinitionType"], new.location = "OBJECT_CHEST", (2593, 2114.25, 11)
    level.children["Things"].children["Q_Quest"].objects.link(new)
    after = written(level)
    assert not [line for line in difference(after) if line[0] == "-"]
    assert tng.read(after.encode()).by_uid()[UID_BASE + 77].position == (1, 2.25, 3)


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
    with pytest.raises(SceneError, match="can't be the name of a section"):
        written(level)


def test_a_section_is_renamed_as_its_collection_or_by_its_property():
    level, report = opened(), Report()
    quest = level.children["Things"].children["Q_Quest"]
    quest.name = "Q_Other"
    assert written(level, report) == TNG.replace("XXXSectionStart Q_Quest", "XXXSectionStart Q_Other")
    assert "section Q_Quest of the things is called Q_Other now" in report.notes
    quest[layout.SECTION_NAME] = "Q_Third"
    with pytest.raises(SceneError, match="'Q_Other': its property XXXSectionStart calls it 'Q_Third'"):
        written(level)
    quest.name = "Q_Quest"
    assert "XXXSectionStart Q_Third;" in written(level)
    quest[layout.SECTION_NAME] = 7
    with pytest.raises(SceneError, match="'Q_Quest': property XXXSectionStart must be a text"):
        written(level)


@pytest.mark.parametrize("name", ["", "-", "a\0b", "\x85", "two words", "caf\xe9", "x" * 80, "NULL.001", "NULL"])
def test_strange_names_of_sections_stay(name):
    text = TNG.replace("XXXSectionStart Q_Quest", f"XXXSectionStart {name}")
    first, second = opened(text), opened(text)
    assert written(first) == written(second) == text


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
    assert any("from another level" in line for line in report.lines())


def test_a_level_without_things_gets_some():
    """Nothing is written beside it before there is a thing."""
    data = fb.WALKED.build()
    level = build_scene(bpy.context, fable.read(data), data, Path("test.lev"), ImportSettings(), Report())
    assert export_level(bpy.context, level, ExportSettings(), Report()) == data
    marker = bpy.data.objects.new("marker", None)
    marker["DefinitionType"] = "MARKER_BASIC"
    marker.location = (5, 6, 7)
    level.children["Things"].objects.link(marker)
    made = export_level(bpy.context, level, ExportSettings(), Report())
    (section,) = tng.read(made[".tng"]).sections
    (found,) = section.things
    assert (section.name, found.position, found.uid) == ("NULL", (5, 6, 7), UID_BASE + COUNTER)
    assert int(fable.read(made[".lev"]).map_header["thing_uid_counter"]) == COUNTER + 1


def test_what_is_no_thing_makes_no_section_among_the_things():
    level = opened("Version 2;\n")
    home = next(one for one in level.children_recursive if one.name.startswith("Things"))
    home.objects.link(next(one for one in level.all_objects if one.name.startswith("Terrain")))
    home.objects.link(bpy.data.objects.new("Nothing", None))
    report = Report()
    assert written(level, report) == "Version 2;\n"
    assert "object 'Nothing' among the things" in report.summary()
