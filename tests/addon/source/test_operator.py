"""Source maps through the operators and the command line: opened everywhere, and written nowhere yet."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon import commands, games, levels, operators
from levelwright.addon.scene import originals
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout

from tests.addon.source.rooms import GREY, of_kind, room, texture

LIT = "LightmappedGeneric { $basetexture grey }"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "room.bsp"
    path.write_bytes(room(LIT, grey=texture(GREY)))
    return path


@pytest.mark.parametrize("name", ["source_bsp", "game_level"])
def test_the_operators_open_maps(file: Path, name: str) -> None:
    other = file.with_name("second.bsp")
    other.write_bytes(file.read_bytes())
    files = [{"name": file.name}, {"name": other.name}]
    operator = getattr(bpy.ops.import_scene, name)
    assert operator("EXEC_DEFAULT", True, directory=str(file.parent), files=files) == {"FINISHED"}
    assert [level.name for level in originals.levels()] == ["room", "second"]
    for level in originals.levels():
        assert of_kind(level, layout.MODEL)
        assert levels.report_of(level) is not None


def test_an_import_that_fails_leaves_nothing(file: Path) -> None:
    broken = file.with_name("broken.bsp")
    broken.write_bytes(file.read_bytes()[:20])
    before = len(bpy.data.objects), len(bpy.data.images), len(bpy.data.node_groups), len(bpy.data.materials)
    with pytest.raises(RuntimeError, match=r"broken\.bsp"):
        bpy.ops.import_scene.source_bsp(directory=str(file.parent), files=[{"name": file.name}, {"name": broken.name}])
    assert (len(bpy.data.objects), len(bpy.data.images), len(bpy.data.node_groups), len(bpy.data.materials)) == before


def test_one_undo_step(file: Path) -> None:
    bpy.ops.ed.undo_push()
    bpy.ops.import_scene.source_bsp("EXEC_DEFAULT", True, filepath=str(file))
    bpy.ops.ed.undo()
    assert originals.levels() == []


def test_maps_are_dropped_and_cannot_be_exported(file: Path, tmp_path: Path) -> None:
    assert ".bsp" in operators.IO_FH_game_level.bl_file_extensions.split(";")
    assert not games.by_key("source").can_write
    bpy.ops.import_scene.source_bsp(filepath=str(file))
    (level,) = originals.levels()
    target = tmp_path / "out.bsp"
    with pytest.raises(SceneError, match="Source maps can be opened"):
        levels.export_file(bpy.context, level, target, None, levels.Report())
    assert not target.exists()


@pytest.mark.parametrize("ending", [".blend", ".glb", ".png"])
def test_the_command_line_converts(file: Path, ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"out{ending}"
    size = ["--option", "width=64", "--option", "height=64"] if ending == ".png" else []
    assert commands.main(["convert", str(file), str(target), "--option", "split=material", *size]) == 0
    assert target.stat().st_size > 500


def test_the_command_line_says_that_maps_are_not_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = file.with_name("out.bsp")
    assert commands.main(["convert", str(file), str(target)]) == commands.FAILED
    assert "Source maps can be opened" in capsys.readouterr().err
    assert not target.exists()
