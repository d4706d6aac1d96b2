# SPDX-License-Identifier: GPL-3.0-or-later
"""Worlds: levels at their places of a `.wld`, and those that were moved written back to it."""

import random
from pathlib import Path

import bpy
import pytest
from levelwright.addon import commands, levels
from levelwright.addon.fable import worlds
from levelwright.addon.scene.kept import originals
from levelwright.formats import fable

from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb
from tests.fuzz.scenes import empty_file

WORLD = """MapUIDCount 3;\r
ThingManagerUIDCount 99;\r
\r
NewMap 1;\r
MapX 2592;\r
MapY  2112 ;\r
LevelName "Albion\\First.lev";\r
LevelScriptName "First";\r
MapUID 17;\r
IsSea FALSE;\r
EndMap;\r
\r
NewMap 2;\r
MapX 2624;\r
MapY 2112;\r
LevelName "Albion\\second.lev";\r
LevelScriptName "Second";\r
EndMap;\r
\r
NewMap 7;\r
MapX 0;\r
MapY 0;\r
LevelName "Albion\\Gone.lev";\r
EndMap;\r
\r
NewMap 8;\r
LevelName "Albion\\Gone.lev";\r
EndMap;\r
\r
NewRegion 4;\r
RegionName "Farm";\r
ContainsMap "Second";\r
SeesMap "First";\r
EndRegion;\r
"""

THINGS = b"""Version 2;

XXXSectionStart NULL;

NewThing AICreature;
UID 18446741874686296070;
DefinitionType "CREATURE_BANDIT";
StartCTCPhysicsNavigator;
PositionX 4.0;
PositionY 5.0;
PositionZ 0.0;
EndCTCPhysicsNavigator;
InitialPosX 2596.0;
InitialPosY 2117.0;
InitialPosZ 0.0;
EndThing;

XXXSectionEnd;
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    folder = tmp_path / "albion"
    folder.mkdir()
    (folder / "First.lev").write_bytes(fb.Lev(sections=((b"NULL", fb.ONE_ROOT),)).build())
    (folder / "First.tng").write_bytes(THINGS)
    (folder / "Second.lev").write_bytes(fb.Lev(width=64).build())
    path = tmp_path / "World.wld"
    path.write_bytes(WORLD.encode("latin-1"))
    return path


def opened(path: Path, **options: object) -> bpy.types.Collection:
    assert bpy.ops.import_scene.fable_wld(filepath=str(path), **options) == {"FINISHED"}
    return worlds.choose(bpy.context)


def root(world: bpy.types.Collection, name: str) -> bpy.types.Object:
    return part(world.children[name], "root", 0)


def written(path: Path) -> str:
    target = path.with_name("out.wld")
    assert bpy.ops.export_scene.fable_wld(filepath=str(target)) == {"FINISHED"}
    return target.read_bytes().decode("latin-1")


def test_levels_are_at_their_places_and_missing_ones_are_named_once(world, capsys):
    collection = opened(world)
    assert sorted(child.name for child in collection.children) == ["First", "Second"]
    assert tuple(root(collection, "First").location) == (2592, 2112, 0)
    assert tuple(root(collection, "Second").location) == (2624, 2112, 0)
    assert "Warning: missing level: Gone.lev\n" in said_by(capsys)
    assert [level.name for level in originals.levels(bpy.context.scene)] == ["First", "Second"]


def test_unedited_it_comes_back_as_it_was_also_after_reopening(world, tmp_path):
    opened(world)
    assert written(world) == WORLD
    path = tmp_path / "world.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert written(world) == WORLD


def said_by(capsys) -> str:
    """All that was shown since the last time, and all lines of reports."""
    return "".join(capsys.readouterr())


def test_levels_in_it_are_exported_as_they_were(world):
    opened(world)
    out = world.with_name("First.lev")
    assert bpy.ops.export_scene.fable_lev(filepath=str(out), collection="First") == {"FINISHED"}
    assert out.read_bytes() == (world.parent / "albion" / "First.lev").read_bytes()
    assert out.with_suffix(".tng").read_bytes() == THINGS
    assert "written: First.lev, First.tng" in levels.report_of(bpy.data.collections["First"]).as_string()


def test_a_moved_level_changes_its_place_and_nothing_else(world, capsys):
    collection = opened(world)
    root(collection, "First").location.y = 2144
    assert written(world) == WORLD.replace("MapY  2112 ;", "MapY  2144;")
    said = said_by(capsys)
    assert "its 1 creature starts at places" in said and "export the level, too" in said, "whose places are the world's"
    root(collection, "First").location.y = 2112
    root(collection, "Second").location.x = -17
    assert written(world) == WORLD.replace("MapX 2624;", "MapX -17;")
    said = said_by(capsys)
    assert "multiples of 32" in said
    assert "from 0 to 8192" in said


CAMERAS = "".join(
    f"""
NewThing Object;
UID {18446741874686296080 + number};
DefinitionType "CAMERA_POINT_SCRIPTED_SPLINE";
StartCTCPhysicsStandard;
PositionX 10.5;
PositionY 20.25;
PositionZ 1.0;
EndCTCPhysicsStandard;
StartCTCCameraPointScriptedSpline;
CoordBase C3DCoordF({place},-1.0);
EndCTCCameraPointScriptedSpline;
EndThing;
"""
    for number, place in enumerate(("-2602.5,-2132.25", "-3946.5,-1620.25"))
)
"""The first one's CoordBase is its place in the world, with the sign turned; the other's was that once."""


def test_what_things_have_in_the_world_moves_with_their_map(world):
    things = THINGS.replace(b"\nXXXSectionEnd;", CAMERAS.encode() + b"\nXXXSectionEnd;")
    (world.parent / "albion" / "First.tng").write_bytes(things)
    collection = opened(world)
    out = world.with_name("First.lev")

    def exported() -> bytes:
        assert bpy.ops.export_scene.fable_lev(filepath=str(out), collection="First") == {"FINISHED"}
        return out.with_suffix(".tng").read_bytes()

    assert exported() == things
    root(collection, "First").location = (2624, 2080, 0)
    changes = {
        b"InitialPosX 2596.0": b"InitialPosX 2628.0",
        b"InitialPosY 2117.0": b"InitialPosY 2085.0",
        b"C3DCoordF(-2602.5,-2132.25,-1.0)": b"C3DCoordF(-2634.5,-2100.25,-1.0)",
    }
    expected = things
    for old, new in changes.items():
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    assert exported() == expected
    creature = part(collection.children["First"], "thing", 0)
    creature.location.x += 1.5
    assert exported() == expected.replace(b"PositionX 4.0", b"PositionX 5.5").replace(b"2628.0", b"2629.5")
    creature.location.x -= 1.5
    root(collection, "First").location = (2592, 2112, 0)
    assert exported() == things


def test_a_level_that_lies_where_no_map_can_keeps_what_its_things_have_in_the_world(world, capsys):
    root(opened(world), "First").rotation_euler.z = 1
    out = world.with_name("First.lev")
    assert bpy.ops.export_scene.fable_lev(filepath=str(out), collection="First") == {"FINISHED"}
    assert out.with_suffix(".tng").read_bytes() == THINGS
    assert "have in the world stays as it was: First is turned or scaled" in said_by(capsys)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda obj: setattr(obj, "location", (2592.5, 2112, 0)), "whole units"),
        (lambda obj: setattr(obj, "location", (2592, 2112, 3)), "at height 0"),
        (lambda obj: setattr(obj, "scale", (2, 2, 2)), "turned or scaled"),
        (lambda obj: setattr(obj, "rotation_euler", (0, 0, 1)), "turned or scaled"),
    ],
)
def test_what_maps_cannot_do_is_refused(world, edit, message):
    edit(root(opened(world), "First"))
    out = world.with_name("out.wld")
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.export_scene.fable_wld(filepath=str(out))
    assert not out.exists()


def test_a_level_that_was_deleted_or_not_opened_stays_in_the_map(world):
    collection = opened(world, maps="first")
    assert [child.name for child in collection.children] == ["First"]
    bpy.data.collections.remove(collection.children["First"])
    assert written(world) == WORLD


def test_only_the_maps_of_a_region(world):
    assert [child.name for child in opened(world, maps=" farm ").children] == ["Second"]
    with pytest.raises(RuntimeError, match="no map and no region called harbour"):
        bpy.ops.import_scene.fable_wld(filepath=str(world), maps="farm, harbour")


def test_levels_in_another_folder(world, tmp_path):
    other = tmp_path / "elsewhere" / "World.wld"
    other.parent.mkdir()
    other.write_bytes(world.read_bytes())
    with pytest.raises(RuntimeError, match="none of its levels is there"):
        bpy.ops.import_scene.fable_wld(filepath=str(other))
    assert not bpy.data.collections
    assert len(opened(other, levels_directory=str(tmp_path / "albion")).children) == 2


def test_what_is_no_world_is_refused_and_leaves_nothing(world):
    for data in (b"Version 2;\n", b"NewMap 1;\n", b"\0\1\2"):
        world.write_bytes(data)
        with pytest.raises(RuntimeError, match=r"World\.wld"):
            bpy.ops.import_scene.fable_wld(filepath=str(world))
    (world.parent / "albion" / "Second.lev").write_bytes(b"no level")
    world.write_bytes(WORLD.encode())
    with pytest.raises(RuntimeError, match=r"Second\.lev"):
        bpy.ops.import_scene.fable_wld(filepath=str(world))
    assert not bpy.data.collections


def test_headless(world, tmp_path):
    blend, out = tmp_path / "world.blend", tmp_path / "out.wld"
    assert commands.main(["convert", str(world), str(blend), "--option", "maps=First"]) == 0
    assert commands.main(["convert", str(blend), str(out)]) == 0
    assert out.read_bytes() == world.read_bytes()
    lev = tmp_path / "again.lev"
    assert commands.main(["convert", str(blend), str(lev)]) == 0
    assert fable.read(lev.read_bytes()).width == 32
    assert lev.with_suffix(".tng").read_bytes() == THINGS


def test_a_level_that_many_maps_name_is_opened_once(world, capsys):
    again = b'NewMap 9;\r\nMapX 64;\r\nMapY 64;\r\nLevelName "albion\\FIRST.lev";\r\nEndMap;\r\n'
    world.write_bytes(world.read_bytes() + again * 1_000)
    opened(world)
    assert sorted(one.name for one in bpy.data.collections["World"].children) == ["First", "Second"]
    said = said_by(capsys)
    assert said.count("map 9 has the level of another one, FIRST.lev: it is left out") == 1


@pytest.mark.parametrize("place", ["16777217", "-99999999", "1e300", "1.5", "nan", "9" * 5000])
def test_a_map_whose_place_blender_cannot_hold_is_left_out(world, capsys, place):
    text = WORLD.replace("MapX 2592", f"MapX {place}")
    world.write_bytes(text.encode())
    opened(world)
    assert "has no place in the world: it is left out" in said_by(capsys)
    assert written(world) == text


WORLD_TOKENS = (";", '"', "\n", "\r", " ", "\0", "\xff", "1.5", "-1", "1e9", "nan", "99999999999999999999", "TRUE",
                "EndMap;", "NewMap 3;", "NewRegion 3;", "MapX 64;", "MapY 64;",
                'LevelName "albion/second.lev";')  # fmt: skip


def damaged(seed: int) -> str:
    """The world with tokens put over, or between, what stands there."""
    rng, text = random.Random(seed), WORLD
    for _ in range(rng.choice((1, 2, 4))):
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(WORLD_TOKENS) + text[at + rng.choice((0, 0, 1, 8)) :]
    return text


def come_back(world: Path, seeds: range) -> tuple[int, int]:
    """Open damaged worlds and write them without an edit: the same bytes, or refused when opened. How many of each."""
    ends = [0, 0]
    for seed in seeds:
        empty_file()
        world.write_bytes(damaged(seed).encode("latin-1"))
        try:
            opened(world)
        except RuntimeError:  # what operators make of an error that they report
            ends[1] += 1
            continue
        assert written(world).encode("latin-1") == world.read_bytes(), seed
        ends[0] += 1
    return ends[0], ends[1]


def test_damaged_worlds_come_back_or_are_refused_when_opened(world):
    back, refused = come_back(world, range(20))
    assert min(back, refused) > 3


@pytest.mark.slow
def test_more_damaged_worlds(world):
    back, refused = come_back(world, range(20, 400))
    assert min(back, refused) > 50
