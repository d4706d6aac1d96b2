# SPDX-License-Identifier: GPL-3.0-or-later
"""Patch files (`.lmp`) opened with their maps and written, through operators and the command line."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.source import game, layout
from levelwright.formats import source
from levelwright.formats.source import LumpId, patch_file

from tests.addon.command_line import convert
from tests.addon.source.exports import ROOM

ENTITIES = b'{\n"classname" "worldspawn"\n"message" "patched"\n}\n{\n"classname" "info_null"\n"origin" "1 2 3"\n}\n\0'
NAME = "room_l_0.lmp"


def patch_of(data: bytes = ROOM, **fields: object) -> patch_file.PatchFile:
    """A patch file for a map, with other entities."""
    made = patch_file.PatchFile.of(source.read(data), LumpId.ENTITIES)
    made.data = ENTITIES
    for name, value in fields.items():
        setattr(made, name, value)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the map and a patch file of it, which has bytes that nobody asks for."""
    (tmp_path / "room.bsp").write_bytes(ROOM)
    (tmp_path / NAME).write_bytes(patch_file.write(patch_of(gap=b"gap!", trailing=b"more")))
    return tmp_path


def opened(file: Path, **options: object) -> bpy.types.Collection:
    assert bpy.ops.import_scene.source_lmp(filepath=str(file), **options) == {"FINISHED"}
    return originals.levels()[-1]


def objects(level: bpy.types.Collection) -> list[str]:
    return [obj["classname"] for obj in level.all_objects if identity.kind_of(obj) == layout.ENTITY]


def said(level: bpy.types.Collection) -> str:
    text = levels.report_of(level)
    assert text is not None
    return str(text.as_string())


def test_it_is_opened_with_its_map_and_comes_back(folder: Path) -> None:
    level = opened(folder / NAME)
    assert level.name == "room" and level["message"] == "patched" and objects(level) == ["info_null"]
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "room.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "room.blend"), load_ui=False)
    bpy.ops.export_scene.source_lmp(filepath=str(folder / "other.lmp"))
    assert (folder / "other.lmp").read_bytes() == (folder / NAME).read_bytes()
    (level,) = originals.levels()
    assert f"{NAME} beside room.bsp" in said(level)
    next(obj for obj in level.all_objects if obj.get("classname") == "info_null").location.x = 9
    bpy.ops.export_scene.source_lmp(filepath=str(folder / "other.lmp"))
    made = patch_file.read((folder / "other.lmp").read_bytes())
    assert made.data == ENTITIES.replace(b"1 2 3", b"9 2 3") and (made.gap, made.trailing) == (b"gap!", b"more")


def test_the_map_can_be_written_with_its_entities(folder: Path) -> None:
    level = opened(folder / NAME)
    bpy.ops.export_scene.source_bsp(filepath=str(folder / "whole.bsp"))
    whole = source.read((folder / "whole.bsp").read_bytes())
    assert bytes(whole.bytes_of(LumpId.ENTITIES)) == ENTITIES
    assert bytes(whole.bytes_of(LumpId.FACES)) == bytes(source.read(ROOM).bytes_of(LumpId.FACES))
    assert "those of the patch file" in said(level)
    assert (folder / "room.bsp").read_bytes() == ROOM


def test_entities_of_a_map_that_had_no_patch_file(folder: Path) -> None:
    bpy.ops.import_scene.source_bsp(filepath=str(folder / "room.bsp"))
    bpy.ops.export_scene.source_lmp(filepath=str(folder / "new.lmp"), others="refuse")
    made = patch_file.read((folder / "new.lmp").read_bytes())
    before = source.read(ROOM)
    assert made.data == bytes(before.bytes_of(LumpId.ENTITIES)) and made.revision == before.revision
    assert patch_file.write(patch_file.PatchFile.of(before, 0)) == patch_file.write(made)


def test_other_edits_are_refused_or_named(folder: Path) -> None:
    level = opened(folder / NAME)
    prop = next(obj for obj in level.all_objects if identity.kind_of(obj) == layout.STATIC_PROP)
    prop.location.x += 8
    level["message"] = "edited"
    target = folder / "out.lmp"
    with pytest.raises(RuntimeError, match=r"entities alone.*sprp.*Other Edits"):
        bpy.ops.export_scene.source_lmp(filepath=str(target))
    assert not target.exists()
    bpy.ops.export_scene.source_lmp(filepath=str(target), others="ignore")
    assert b'"message" "edited"' in patch_file.read(target.read_bytes()).data
    assert "sprp" in said(level) and "left out" in said(level).lower()


def test_moved_faces_are_refused_or_named(folder: Path) -> None:
    level = opened(folder / NAME)
    wall = next(obj for obj in level.all_objects if identity.kind_of(obj) == layout.MODEL)
    wall.data.vertices[0].co.x += 8
    with pytest.raises(RuntimeError, match="moved"):
        bpy.ops.export_scene.source_lmp(filepath=str(folder / "out.lmp"))
    bpy.ops.export_scene.source_lmp(filepath=str(folder / "out.lmp"), others="ignore")
    assert "left out" in said(level)


def test_a_patch_file_for_another_revision(folder: Path) -> None:
    revision = source.read(ROOM).revision
    data = patch_file.write(patch_of(revision=revision + 1))
    (folder / NAME).write_bytes(data)
    with pytest.raises(
        RuntimeError, match=rf"revision {revision + 1} of the map, room.bsp is {revision}.*Map Revision"
    ):
        opened(folder / NAME)
    assert originals.levels() == []
    level = opened(folder / NAME, revision="any")
    assert objects(level) == ["info_null"]
    bpy.ops.export_scene.source_lmp(filepath=str(folder / "out.lmp"))
    assert (folder / "out.lmp").read_bytes() == data


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("room.lmp", patch_file.write(patch_of()), "doesn't say which map"),
        ("hall_l_0.lmp", patch_file.write(patch_of()), r"its map hall\.bsp isn't beside it"),
        ("room_l_1.lmp", patch_file.write(patch_of(lump=1)), r"it is for lump 1 \(PLANES\), only entities"),
        ("room_l_0.lmp", b"short", r"room_l_0\.lmp"),
        ("bad_l_0.lmp", patch_file.write(patch_of()), r"bad\.bsp"),
    ],
)
def test_what_cannot_be_opened_leaves_nothing(folder: Path, name: str, data: bytes, reason: str) -> None:
    (folder / name).write_bytes(data)
    (folder / "bad.bsp").write_bytes(ROOM[:100])
    with pytest.raises(RuntimeError, match=reason):
        opened(folder / name)
    assert not bpy.data.collections and not originals.levels()


def test_the_maps_name_may_be_written_otherwise(folder: Path) -> None:
    (folder / "room.bsp").rename(folder / "ROOM.BSP")
    (folder / NAME).rename(folder / "Room_s_0.LMP")
    assert opened(folder / "Room_s_0.LMP").name == "ROOM"


def test_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(folder / "room.bsp", folder / "plain.lmp") == 0
    plain = patch_file.read((folder / "plain.lmp").read_bytes())
    assert patch_file.write(plain) == patch_file.write(patch_file.PatchFile.of(source.read(ROOM), 0))
    assert convert(folder / NAME, folder / "patched.bsp") == 0
    assert bytes(source.read((folder / "patched.bsp").read_bytes()).bytes_of(0)) == ENTITIES
    assert convert(folder / NAME, folder / "same.lmp") == 0
    assert (folder / "same.lmp").read_bytes() == (folder / NAME).read_bytes()
    assert convert(folder / NAME, folder / "room.blend") == 0
    assert convert(folder / "room.blend", folder / "again.lmp", "--option", "others=ignore") == 0
    assert (folder / "again.lmp").read_bytes() == (folder / NAME).read_bytes()
    (folder / NAME).write_bytes(patch_file.write(patch_of(revision=99)))
    assert convert(folder / NAME, folder / "no.bsp") == 1 and not (folder / "no.bsp").exists()
    assert "revision 99" in capsys.readouterr().err
    assert convert(folder / NAME, folder / "yes.bsp", "--option", "revision=any") == 0


def test_the_name_that_is_suggested_is_the_games() -> None:
    assert patch_file.name_of("room.bsp", 0) == f"room{game.LMP.suffix}{game.LMP.ending}"
