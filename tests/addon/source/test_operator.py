# SPDX-License-Identifier: GPL-3.0-or-later
"""Source maps through the operators and the command line."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon import commands, games, levels
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import importer, layout
from levelwright.addon.source.settings import ImportSettings

from tests.addon.command_line import convert
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
    scene = bpy.context.scene
    scene.view_settings.view_transform, scene.view_settings.exposure = "AgX", 0.5

    def state() -> list[object]:
        tables = [table.identifier for table in bpy.data.bl_rna.properties if table.type == "COLLECTION"]
        counts = [len(getattr(bpy.data, name)) for name in tables]
        return [*counts, scene.world, scene.view_settings.view_transform, scene.view_settings.exposure]

    before = state()
    with pytest.raises(RuntimeError, match=r"broken\.bsp"):
        bpy.ops.import_scene.source_bsp(directory=str(file.parent), files=[{"name": file.name}, {"name": broken.name}])
    assert state() == before


def test_an_import_that_is_cancelled_leaves_nothing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancel(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(importer.view, "prepare_scene", cancel)
    before = len(bpy.data.objects), len(bpy.data.images), len(bpy.data.node_groups), len(bpy.data.collections)
    with pytest.raises(KeyboardInterrupt):
        levels.import_files(bpy.context, [file], lambda _: ImportSettings(), Report(), games.by_key("source"))
    assert (len(bpy.data.objects), len(bpy.data.images), len(bpy.data.node_groups), len(bpy.data.collections)) == before


def test_one_undo_step(file: Path) -> None:
    bpy.ops.ed.undo_push()
    bpy.ops.import_scene.source_bsp("EXEC_DEFAULT", True, filepath=str(file))
    bpy.ops.ed.undo()
    assert originals.levels() == []


def test_maps_are_dropped_and_written(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert games.by_key("source").export_level is not None
    bpy.ops.import_scene.source_bsp(filepath=str(file))
    target = tmp_path / "out.bsp"
    target.write_bytes(b"what was there")
    assert bpy.ops.export_scene.source_bsp(filepath=str(target), backup=True) == {"FINISHED"}
    assert target.read_bytes() == file.read_bytes()
    assert (tmp_path / "out.bsp.bak").read_bytes() == b"what was there"
    (level,) = originals.levels()
    assert "byte for byte" in levels.report_of(level).as_string()
    assert "byte for byte" in capfd.readouterr().err
    assert bpy.ops.export_scene.source_bsp(filepath=str(tmp_path / "second.bsp")) == {"FINISHED"}
    assert not list(tmp_path.glob("second.bsp.*"))


def test_a_collection_exporter_writes_the_map(file: Path, tmp_path: Path) -> None:
    bpy.ops.import_scene.source_bsp(filepath=str(file))
    (level,) = originals.levels()
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection.children[level.name]
    bpy.ops.collection.exporter_add(name="IO_FH_source_bsp")
    level.exporters[0].export_properties.filepath = str(tmp_path / "out.bsp")
    bpy.ops.collection.export_all()
    assert (tmp_path / "out.bsp").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("ending", [".blend", ".glb", ".png"])
def test_the_command_line_converts(file: Path, ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"out{ending}"
    size = ["--option", "width=64", "--option", "height=64"] if ending == ".png" else []
    assert convert(file, target, "--option", "split=material", *size) == commands.OK
    assert target.stat().st_size > 500


def test_the_command_line_writes_maps(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = file.with_name("out.bsp")
    options = ["--option", "static_props=boxes", "--option", "geometry=refuse"]
    assert commands.main(["convert", str(file), str(target), *options]) == commands.OK
    assert "byte for byte" in capsys.readouterr().err
    assert target.read_bytes() == file.read_bytes()


def test_a_map_that_came_from_nowhere_is_not_written(file: Path) -> None:
    bpy.ops.import_scene.source_bsp(filepath=str(file))
    (level,) = originals.levels()
    del level[originals.ORIGINAL]
    target = file.with_name("out.bsp")
    with pytest.raises(RuntimeError, match="SHA-256"):
        bpy.ops.export_scene.source_bsp(filepath=str(target))
    assert not target.exists()
