# SPDX-License-Identifier: GPL-3.0-or-later
"""Sections of navigation that are renamed, added and deleted in Blender, and the map's version."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.importer import import_level
from levelwright.addon.fable.new_level import new_level
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.scene.kept.identity import kind_of
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import fable

from tests.addon.fable.export_helpers import LEVEL, exported, game_map, imported, reopened, set_values, terrain
from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb
from tests.samples import fable_vale

DOORS = fb.Lev(sections=((b"NULL", fb.DOORS), (b"Q_Quest", fb.DOORS), (b"Q_Last", fb.ONE_ROOT)))
DATA = DOORS.build()


def home(level: bpy.types.Collection) -> bpy.types.Collection:
    return next(one for one in level.children if kind_of(one) == layout.NAVIGATION)


def section(level: bpy.types.Collection, name: str) -> bpy.types.Collection:
    return home(level).children[name]


def sections(data: bytes) -> dict[str, bytes]:
    """The bytes of each section behind its end, by its name, in order."""
    return {one.name: bytes(one.payload()) for one in fable.read(data).sections}


def added(level: bpy.types.Collection, name: str) -> bpy.types.Collection:
    made = bpy.data.collections.new(name)
    home(level).children.link(made)
    return made


def duplicated(level: bpy.types.Collection, name: str) -> bpy.types.Collection:
    """What the outliner's Duplicate Collection makes of a section's collection."""
    source = section(level, name)
    made = source.copy()
    for obj in list(made.objects):
        made.objects.unlink(obj)
        copy = obj.copy()
        copy.data = obj.data.copy() if obj.data is not None else None
        made.objects.link(copy)
    home(level).children.link(made)
    return made


def shown_again(data: bytes) -> list[str]:
    return [child.name.partition(".")[0] for child in home(imported(data)).children]


# ------------------------------------------------------------------------------------------------------------ renamed


def test_a_renamed_collection_is_a_renamed_section():
    level, report = imported(DATA), Report()
    section(level, "Q_Quest").name = "Q_Other"
    after = exported(level, report)
    assert after == DOORS.but(sections=[(b"NULL", fb.DOORS), (b"Q_Other", fb.DOORS), (b"Q_Last", fb.ONE_ROOT)]).build()
    assert "navigation: section Q_Quest is called Q_Other now" in report.notes
    assert shown_again(after) == ["NULL", "Q_Other", "Q_Last"]


def test_numbers_that_blender_adds_to_names_rename_nothing(tmp_path):
    first, second = imported(DATA), imported(DATA)
    assert [child.name for child in home(second).children] == ["NULL.001", "Q_Quest.001", "Q_Last.001"]
    assert exported(second) == DATA
    home(second).children["Q_Last.001"].name = "Q_Quest"
    assert home(second).children[2].name == "Q_Quest.002"
    with pytest.raises(SceneError, match=r"are called Q_Quest: rename one of 'Q_Quest\.001', 'Q_Q"):
        exported(second)
    assert exported(reopened(first, tmp_path)) == DATA


@pytest.mark.parametrize("name", ["two words", 'a"b', "a;b", "\u8349", "caf\xe9"])
def test_names_that_no_section_can_have_are_refused_with_the_collection(name):
    level = imported(DATA)
    section(level, "Q_Quest").name = name
    with pytest.raises(SceneError, match=f"collection '{name}': '{name}' can't be the name of a section"):
        exported(level)


@pytest.mark.parametrize(
    "name", [b"", b"-", b"two words", b"caf\xe9", b"a\0b", b"a\nb", b"\x85", b"Q.001", b"x" * 70, b"\xe9" * 70, b"NULL"]
)
def test_strange_names_of_a_file_stay(name, tmp_path):
    data = DOORS.but(sections=[(b"NULL", fb.DOORS), (name, fb.ONE_ROOT)]).build()
    first, second = imported(data), imported(data)
    assert exported(first) == exported(second) == data
    assert exported(reopened(second, tmp_path)) == data


# ------------------------------------------------------------------------------------------------------------ deleted


def test_a_deleted_collection_with_its_objects_is_a_deleted_section():
    level, report = imported(DATA), Report()
    gone = section(level, "NULL")
    bpy.data.batch_remove([*gone.all_objects, gone])
    after = exported(level, report)
    assert after == DOORS.but(sections=[(b"Q_Quest", fb.DOORS), (b"Q_Last", fb.ONE_ROOT)]).build()
    assert "navigation: section NULL is gone" in report.notes
    assert shown_again(after) == ["Q_Quest", "Q_Last"]


def test_all_sections_can_go_and_one_can_come_back():
    level = imported(DATA)
    for child in list(home(level).children):
        bpy.data.batch_remove([*child.all_objects, child])
    after = exported(level)
    assert after == DOORS.but(sections=[]).build()
    again = imported(after)
    assert list(home(again).children) == []
    added(again, "NULL")
    assert list(sections(exported(again))) == ["NULL"]


def test_a_section_whose_collection_alone_is_deleted_stays_and_is_told():
    level, report = imported(DATA), Report()
    gone = section(level, "Q_Quest")
    for obj in list(gone.objects):
        home(level).objects.link(obj)
    bpy.data.collections.remove(gone)
    assert exported(level, report) == DATA
    assert any("section Q_Quest has no collection of its own: it stays" in line for line in report.warnings)


def test_edits_of_leaves_count_wherever_their_object_is():
    level, report = imported(DATA), Report()
    upper = part(level, layout.LEAVES, layout.leaves_record(1, 1))
    section(level, "Q_Quest").objects.unlink(upper)
    section(level, "NULL").objects.link(upper)
    upper.data.attributes["preference"].data[0].value = 9
    made = sections(exported(level, report))
    assert made["NULL"] == fb.DOORS
    assert fable.read(exported(level)).sections[1].navigation.nodes["preference"][6] == 9
    assert any("is in the collection of section NULL, but is navigation of Q_Quest" in line for line in report.warnings)


def test_what_was_moved_out_of_all_collections_of_navigation_is_still_of_its_section():
    level = imported(DATA)
    upper = part(level, layout.LEAVES, layout.leaves_record(1, 1))
    point = part(level, layout.ACTION_POINT, 2)
    for obj in (upper, point):
        section(level, "Q_Quest").objects.unlink(obj)
        level.objects.link(obj)
    assert exported(level) == DATA
    upper.data.attributes["preference"].data[0].value = 9
    point.location.x = 7
    made = fable.read(exported(level)).sections[1].navigation
    assert (made.nodes["preference"][6], made.positions["x"][0]) == (9, 7)


def test_an_action_point_moves_between_sections():
    level = imported(DATA)
    point = part(level, layout.ACTION_POINT, 0)
    section(level, "NULL").objects.unlink(point)
    section(level, "Q_Last").objects.link(point)
    point[layout.POINT_LAYER] = 0
    made = fable.read(exported(level)).sections
    assert [len(one.navigation.positions) for one in made] == [1, 2, 1]


def test_navigation_that_is_gone_as_a_whole_is_told():
    level, report = imported(DATA), Report()
    bpy.data.collections.remove(home(level))
    assert exported(level, report) == DATA
    assert any("the collection Navigation is gone" in line for line in report.warnings)
    bare, report = imported(DATA, navigation=False), Report()
    assert exported(bare, report) == DATA
    assert report.warnings == []


def test_a_section_that_cannot_be_read_can_be_renamed_and_deleted_but_not_copied():
    data = DOORS.but(sections=[(b"NULL", fb.ONE_ROOT), (b"BAD", b"not navigation")]).build()
    level = imported(data)
    section(level, "BAD").name = "WORSE"
    assert sections(exported(level)) == {"NULL": fb.ONE_ROOT, "WORSE": b"not navigation"}
    duplicated(level, "WORSE").name = "TWIN"
    with pytest.raises(SceneError, match="the game would refuse the level test: error: section 'TWIN'"):
        exported(level)
    bpy.data.collections.remove(section(level, "WORSE"))
    bpy.data.collections.remove(section(level, "TWIN"))
    assert list(sections(exported(level))) == ["NULL"]


# -------------------------------------------------------------------------------------------------------------- added


def test_a_duplicated_collection_is_a_copy_of_its_section():
    level, report = imported(DATA), Report()
    duplicated(level, "Q_Quest").name = "Q_New"
    after = exported(level, report)
    was = [(b"NULL", fb.DOORS), (b"Q_Quest", fb.DOORS), (b"Q_Last", fb.ONE_ROOT)]
    assert after == DOORS.but(sections=[*was, (b"Q_New", fb.DOORS)]).build()
    assert "navigation: section Q_New is new, a copy of Q_Quest" in report.notes
    assert shown_again(after) == ["NULL", "Q_Quest", "Q_Last", "Q_New"]


def test_a_copy_has_edits_of_its_own():
    level = imported(DATA)
    copy = duplicated(level, "Q_Quest")
    copy.name = "Q_New"
    upper = next(obj for obj in copy.objects if obj.name.startswith("Q_Quest layer 1"))
    upper.data.attributes[layout.CLOSED].data[2].value = False
    point = next(obj for obj in copy.objects if obj.type == "EMPTY")
    bpy.data.objects.remove(point)
    made = fable.read(exported(level)).sections
    assert [bytes(one.payload()) for one in made[:3]] == [fb.DOORS, fb.DOORS, fb.ONE_ROOT]
    assert made[3].navigation.nodes["blocked"].tolist()[6:] == [0, 0, 0]
    assert made[1].navigation.nodes["blocked"].tolist()[6:] == [0, 0, 1]
    assert len(made[3].navigation.positions) == 1


def test_a_copy_that_was_not_renamed_is_refused():
    level = imported(DATA)
    copy = duplicated(level, "Q_Quest")
    with pytest.raises(SceneError, match="2 sections of navigation are called Q_Quest: rename one of") as error:
        exported(level)
    assert set(copy.objects) <= set(error.value.objects)


def test_an_empty_collection_is_a_section_of_the_ground():
    cells = LEVEL.but(sections=((b"NULL", fb.ONE_ROOT),))
    level, report = imported(cells.build()), Report()
    made = added(level, "Q_New")
    bed = bpy.data.objects.new("Bed", None)
    bed.location = (3.5, 4.25, 0)
    made.objects.link(bed)
    after = fable.read(exported(level, report))
    assert [one.name for one in after.sections] == ["NULL", "Q_New"]
    assert bytes(after.sections[0].payload()) == fb.ONE_ROOT
    ground = fable.new_navigation(fable.weights(after.cells))
    assert after.sections[1].navigation.nodes.tobytes() == ground.nodes.tobytes()
    assert after.sections[1].navigation.positions.tolist() == [(3.5, 4.25, 0)]
    assert "navigation: section Q_New is new, made of the ground, action points 1 new" in report.notes


def test_ground_that_was_painted_is_in_it():
    level = imported(LEVEL.but(sections=()).build())
    added(level, "NULL")
    before = fable.read(exported(level)).sections[0].navigation
    set_values(terrain(level), "walkable", [5 * 33 + 20], False)
    after = fable.read(exported(level)).sections[0].navigation
    assert (fable.raster(after, 0) >= 0).sum() == (fable.raster(before, 0) >= 0).sum() - 16


def test_leaves_of_several_sections_are_refused_in_a_new_one():
    level = imported(DATA)
    made = added(level, "Q_New")
    both = [part(level, layout.LEAVES, layout.leaves_record(number, 0)) for number in (0, 1)]
    for obj in both:
        made.objects.link(obj)
    with pytest.raises(SceneError, match="the new section Q_New has leaves of several sections") as error:
        exported(level)
    assert set(error.value.objects) == set(both)


def test_sections_in_a_folder_of_ones_own_stay_what_they_are():
    level = imported(DATA)
    folder = bpy.data.collections.new("mine")
    for name in ("NULL", "Q_Quest"):
        child = section(level, name)
        home(level).children.unlink(child)
        folder.children.link(child)
    home(level).children.link(folder)
    made = fable.read(exported(level))
    assert sorted(one.name for one in made.sections) == ["NULL", "Q_Last", "Q_Quest"]
    assert exported(level) == DATA


def test_navigation_of_another_level_is_left_out_by_name():
    level, other, report = imported(DATA), imported(DATA), Report()
    stranger = part(other, layout.LEAVES, 0)
    section(level, "NULL").objects.link(stranger)
    assert exported(level, report) == DATA
    assert f"{stranger.name} is no navigation of this level: it is left out" in report.warnings


def test_an_action_point_outside_of_all_sections_is_told():
    level, report = imported(DATA), Report()
    bed = bpy.data.objects.new("Bed", None)
    home(level).objects.link(bed)
    assert exported(level, report) == DATA
    assert any("Bed, which is in no section of navigation" in line for line in report.lines())


def test_an_action_point_on_a_layer_that_there_is_none_of_is_refused_by_name():
    level = imported(DATA)
    point = part(level, layout.ACTION_POINT, 0)
    point[layout.POINT_LAYER] = 2
    with pytest.raises(SceneError, match="property layer: there is no layer 2, section NULL has 2") as error:
        exported(level)
    assert error.value.objects == [point]


def test_a_level_without_a_directory_has_no_sections():
    data = DOORS.but(sections=None).build()
    level = imported(data)
    assert not [child for child in level.children if kind_of(child) == layout.NAVIGATION]
    assert exported(level) == data


def test_a_level_made_in_blender_has_the_sections_of_its_collections():
    level = new_level(bpy.context, "Mine", 32, 32)
    assert list(sections(exported(level))) == ["NULL"]
    quest = added(level, "Q_New")
    bed = bpy.data.objects.new("Bed", None)
    bed.location = (1, 2, 0)
    quest.objects.link(bed)
    high = bpy.data.objects.new("High", None)
    high[layout.POINT_LAYER] = 1
    quest.objects.link(high)
    report = Report()
    made = fable.read(exported(level, report)).sections
    assert [one.name for one in made] == ["NULL", "Q_New"]
    assert made[1].navigation.positions.tolist() == [(1, 2, 0)]
    assert any("above the ground: High" in line for line in report.lines())


def test_leaves_of_a_level_made_in_blender_can_be_edited_while_the_ground_has_them():
    level = new_level(bpy.context, "Mine", 32, 32)
    leaves = part(level, layout.LEAVES, 0)
    leaves.data.attributes["region"].data[0].value = 7
    report = Report()
    assert fable.read(exported(level, report)).sections[0].navigation.nodes["region"].tolist() == [7]
    assert not any("other leaves" in line for line in report.warnings)
    set_values(terrain(level), "walkable", [5 * 33 + 20], False)
    made = fable.read(exported(level, report)).sections[0].navigation
    assert 7 not in made.nodes["region"].tolist()
    assert any(f"{leaves.name}: the ground has other leaves" in line for line in report.warnings)


def test_action_points_of_a_level_made_in_blender_may_be_driven():
    level = new_level(bpy.context, "Mine", 32, 32)
    bed = bpy.data.objects.new("Bed", None)
    section(level, "NULL").objects.link(bed)
    limit = bed.constraints.new("LIMIT_LOCATION")
    limit.use_min_x, limit.min_x = True, 5.0
    assert fable.read(exported(level)).sections[0].navigation.positions.tolist() == [(5, 0, 0)]


def test_the_sample_gets_a_section_for_a_second_quest():
    data = fable_vale.LEVEL.read_bytes()
    level = import_level(bpy.context, data, Path("vale.lev"), ImportSettings(things=False), Report())
    duplicated(level, fable_vale.QUEST).name = "Q_Second"
    after = fable.read(exported(level))
    before = fable.read(data)
    assert [one.name for one in after.sections] == ["NULL", fable_vale.QUEST, "Q_Second"]
    assert bytes(after.sections[2].payload()) == bytes(before.sections[1].payload())
    assert after.cells.tobytes() == before.cells.tobytes()
    assert not fable.check(after)


# -------------------------------------------------------------------------------------------------------- map version


SOUNDS = LEVEL.but(sections=((b"NULL", fb.ONE_ROOT),))


@pytest.mark.parametrize("version", [0, 1, 2])
def test_the_map_version_can_be_set_and_sounds_follow(version):
    level, report = imported(SOUNDS.build()), Report()
    assert level["map_version"] == 3
    level["map_version"] = version
    after = exported(level, report)
    made, was = fable.read(after), fable.read(SOUNDS.build())
    assert made.map_version == version
    assert (made.game_map is None) == (version < 2)
    assert made.cells["old_sound"][::4, ::4][:8, :8].tolist() == was.game_map["sound"].tolist()
    assert f"map version: {version}, it was 3" in report.notes
    assert any("has no game map: Atmosphere isn't written" in line for line in report.warnings) == (version < 2)
    assert imported(after)["map_version"] == version


def test_an_old_level_can_be_brought_to_version_3():
    old = SOUNDS.but(map_version=1, cell=lambda x, y: fb.height_cell(old_sound=2))
    level = imported(old.build())
    level["map_version"] = 3
    again = imported(exported(level))
    assert again["map_version"] == 3
    assert {one.value for one in game_map(again).data.attributes["sound"].data} == {2}


def test_sounds_that_were_painted_go_along():
    level = imported(SOUNDS.build())
    set_values(game_map(level), "sound", [0], 2)
    level["map_version"] = 2
    assert set(fable.read(exported(level)).cells["old_sound"][:4, :4].ravel().tolist()) == {2}


@pytest.mark.parametrize("value", [4, -1, "three", [1, 2], 1.5])
def test_map_versions_that_there_are_not_are_refused_by_name(value):
    level = imported(SOUNDS.build())
    level["map_version"] = value
    with pytest.raises(SceneError, match=f"{level.name}: property map_version"):
        exported(level)


def test_a_version_above_3_stays():
    data = SOUNDS.but(map_version=77).build()
    level = imported(data)
    assert level["map_version"] == 3
    assert exported(level) == data


def test_built_as_new_a_level_has_the_version_of_its_objects():
    level = imported(SOUNDS.but(map_version=2, cell=lambda x, y: fb.height_cell(old_sound=1)).build())
    assert fable.read(exported(level, build_as_new=True)).map_version == 2
    level["map_version"] = 3
    made = fable.read(exported(level, build_as_new=True))
    assert made.map_version == 3
    assert set(made.game_map["sound"].ravel().tolist()) == {1}
