# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: what it makes of which endings, and its exit codes."""

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import bpy
import pytest
from levelwright.addon import batch, commands

from tests.addon.command_line import convert

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "samples" / "first-light.map"


def test_a_level_becomes_a_blend_and_a_level_again(tmp_path: Path) -> None:
    assert convert(SAMPLE, tmp_path / "level.blend") == 0
    assert convert(tmp_path / "level.blend", tmp_path / "level.blend") == 0
    assert [file.name for file in tmp_path.iterdir()] == ["level.blend"], "no .blend1"
    assert convert(tmp_path / "level.blend", tmp_path / "out.map") == 0
    assert (tmp_path / "out.map").read_bytes() == SAMPLE.read_bytes()


def test_a_level_through_a_scene_is_the_same_level(tmp_path: Path) -> None:
    assert convert(SAMPLE, tmp_path / "out.map") == 0
    assert (tmp_path / "out.map").read_bytes() == SAMPLE.read_bytes()


def test_a_level_becomes_a_glb(tmp_path: Path) -> None:
    assert convert(SAMPLE, tmp_path / "out.glb") == 0
    magic, version, size = struct.unpack("<4sII", (tmp_path / "out.glb").read_bytes()[:12])
    assert (magic, version, size) == (b"glTF", 2, (tmp_path / "out.glb").stat().st_size)


def test_the_glb_looks_like_the_level(tmp_path: Path) -> None:
    """glTF knows no node groups: its materials are image x colour x vertex colour, unlit and blended."""
    assert convert(SAMPLE, tmp_path / "out.glb") == 0
    data = (tmp_path / "out.glb").read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    gltf = json.loads(data[20 : 20 + size])
    materials = {mesh["name"]: gltf["materials"][mesh["primitives"][0]["material"]] for mesh in gltf["meshes"]}
    for name, material in materials.items():
        assert material["alphaMode"] == "BLEND", name
        assert "KHR_materials_unlit" in material["extensions"], name
    factor = materials["20 Fence"]["pbrMetallicRoughness"]["baseColorFactor"]
    assert factor == pytest.approx([0.045, 0.032, 0.061, 1], abs=0.001), "60, 50, 70 of 255, as light"
    texture = gltf["textures"][materials["20 Fence"]["pbrMetallicRoughness"]["baseColorTexture"]["index"]]
    assert gltf["images"][texture["source"]]["name"] == "first_light"
    assert "baseColorTexture" not in materials["0 Gradient"]["pbrMetallicRoughness"]
    colours = next(mesh for mesh in gltf["meshes"] if mesh["name"] == "0 Gradient")["primitives"][0]["attributes"]
    assert "COLOR_0" in colours
    assert not any("Game" in name for name in materials), "physics layers are hidden"


def test_planes_are_left_out_of_a_glb_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(SAMPLE, tmp_path / "out.glb", "--option", "large_layer=10") == 0
    said = capsys.readouterr().err
    assert "left out: '9 Ground'" in said
    assert "11 Game' (drawn" not in said, "hidden anyway"


def test_things_are_counted_once_on_the_way_through_a_scene(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(SAMPLE, tmp_path / "out.map") == 0
    assert "out.map: 7 groups, 7 quad layers," in capsys.readouterr().err


def test_a_level_becomes_a_picture(tmp_path: Path) -> None:
    options = [word for pair in ("width=96", "height=64", "samples=1") for word in ("--option", pair)]
    assert convert(SAMPLE, tmp_path / "out.png", *options) == 0
    image = bpy.data.images.load(str(tmp_path / "out.png"))
    assert tuple(image.size) == (96, 64)
    pixels = list(image.pixels)
    colours = {tuple(round(value, 1) for value in pixels[at : at + 3]) for at in range(0, len(pixels), 4)}
    assert len(colours) > 3  # something is seen


def test_one_of_several_levels_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "two.blend"))
    assert convert(tmp_path / "two.blend", tmp_path / "out.map") == 1
    assert "first-light, first-light.001" in capsys.readouterr().err
    assert not (tmp_path / "out.map").exists()
    assert convert(tmp_path / "two.blend", tmp_path / "out.map", "--level", "first-light.001") == 0
    assert (tmp_path / "out.map").read_bytes() == SAMPLE.read_bytes()
    assert convert(tmp_path / "two.blend", tmp_path / "out.map", "--level", "third") == 1


@pytest.mark.parametrize("name", ["out.map", "out.blend", "out.glb"])
def test_a_folder_is_not_replaced(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).mkdir()
    assert convert(SAMPLE, tmp_path / name) == 2
    assert "is a folder" in capsys.readouterr().err


def test_a_damaged_level_fails_and_leaves_the_old_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.map").write_bytes(SAMPLE.read_bytes()[:-9])
    (tmp_path / "out.map").write_bytes(b"old")
    assert convert(tmp_path / "in.map", tmp_path / "out.map") == 1
    assert "in.map" in capsys.readouterr().err
    assert (tmp_path / "out.map").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["IN", "out.obj"], "ending"),
        (["nothing.map", "out.blend"], "no such file"),
        (["IN", "out.glb", "--level", "first-light"], "only with a level's ending"),
        (["IN", "nowhere/out.blend"], "folder does not exist"),
        (["IN", "out.blend", "--option", "colour=red"], "no option colour"),
        (["IN", "out.blend", "--option", "physics"], "KEY=VALUE"),
        (["IN", "out.blend", "--option", "physics=perhaps"], "neither true nor false"),
        (["IN", "out.png", "--option", "samples=0"], "0: 1 is the least"),
        (["IN", "out.png", "--option", "width=wide"], "no whole number"),
        (["IN", "out.png", "--option", "width=99999"], "width: 99999 is outside 0 to 16384"),
        (["IN", "out.blend", "--report", "nowhere/out.json"], "folder does not exist"),
        (["IN", "out.blend", "--report", "out.blend"], "the report would replace this file"),
        (["IN", "out.txt", "--report", "out.json"], "ending"),
        (["IN"], "give IN and OUT"),
        ([], "required"),
    ],
)
def test_a_senseless_command_line_is_exit_code_2(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert convert(*[str(SAMPLE) if word == "IN" else word for word in words]) == 2
    assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_level_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = SAMPLE.with_name("genesis_room.map")
    assert commands.main(["check", str(sample)]) == 0
    assert capsys.readouterr().out == f"ok {sample}\n"
    open_room = tmp_path / "room.map"
    open_room.write_bytes(sample.read_bytes()[:-1])
    assert commands.main(["check", str(open_room)]) == 1
    assert "refused" in capsys.readouterr().out


def test_help_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["convert", "--help"]) == 0
    assert "KEY=VALUE" in capsys.readouterr().out


@pytest.mark.slow
def test_options_may_stand_between_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(SAMPLE, "--option", "physics=false", tmp_path / "level.blend", "--option", "preview=false") == 0
    assert (tmp_path / "level.blend").is_file()
    capsys.readouterr()
    assert commands.main(["check", str(SAMPLE), "--leak-file", str(SAMPLE)]) == 0
    assert capsys.readouterr().out.count("ok ") == 2
    assert convert(SAMPLE, tmp_path / "level.blend", "--bogus") == 2
    assert "levelwright convert: error: unrecognized arguments: --bogus" in capsys.readouterr().err


def test_import_opens_levels_and_export_scenes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    level = shutil.copy(SAMPLE, tmp_path)
    assert commands.main(["export", level, str(tmp_path / "scene.blend")]) == 2
    assert "`export` is of .blend files" in capsys.readouterr().err
    assert convert(level, tmp_path / "scene.blend", "--option", "preview=false") == 0
    assert commands.main(["import", str(tmp_path / "scene.blend"), str(tmp_path / "b.blend")]) == 2
    assert "`import` is of levels" in capsys.readouterr().err
    jobs = batch.plan([tmp_path], tmp_path / "out", ".map", False, scenes=True)
    assert [job.source.name for job in jobs] == ["scene.blend"], "what is beside them is left out"


def test_the_program_ends_with_the_exit_code(tmp_path: Path) -> None:
    """A process of its own: nothing stays registered, which would hang bpy 4.5 or crash 4.2 at exit."""
    program = [sys.executable, str(ROOT / "scripts" / "extension.py"), "convert"]
    for words, code in (([SAMPLE, tmp_path / "out.blend"], 0), ([SAMPLE, tmp_path / "out.txt"], 2)):
        done = subprocess.run([*program, *map(str, words)], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == code, done.stderr.decode()
    assert (tmp_path / "out.blend").exists()
