# SPDX-License-Identifier: GPL-3.0-or-later
"""NS2 levels through the operators, by drag and drop, and from the command line."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon import commands, levels
from levelwright.addon.ns2 import layout
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.level import only
from levelwright.formats import ns2

from tests.addon.command_line import convert
from tests.addon.ns2.export_helpers import edited, geometry
from tests.formats.ns2_bytes import whole
from tests.samples import ns2_art, ns2_room


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The sample, in the maps of a game that has its content."""
    maps = ns2_art.write(tmp_path / "ns2") / "maps"
    maps.mkdir()
    path = maps / "room.level"
    path.write_bytes(ns2_room.LEVEL.read_bytes())
    return path


def blocks() -> tuple[int, ...]:
    data = bpy.data
    return tuple(len(each) for each in (data.objects, data.meshes, data.materials, data.images, data.collections))


@pytest.mark.parametrize("name", ["ns2_level", "game_level"])
def test_the_operators_open_levels_with_the_content_around_them(file: Path, name: str) -> None:
    other = file.with_name("second.level")
    other.write_bytes(file.read_bytes())
    files = [{"name": file.name}, {"name": other.name}]
    operator = getattr(bpy.ops.import_scene, name)
    assert operator("EXEC_DEFAULT", True, directory=str(file.parent), files=files) == {"FINISHED"}
    assert [level.name for level in originals.levels()] == ["room", "second"]
    for level in originals.levels():
        assert only(level, layout.GEOMETRY) is not None
        report = levels.report_of(level)
        assert report is not None
        assert "missing" not in report.as_string()


def test_an_import_that_fails_leaves_nothing(file: Path) -> None:
    broken = file.with_name("broken.level")
    broken.write_bytes(file.read_bytes()[:-9])
    before = blocks()
    with pytest.raises(RuntimeError, match=r"broken\.level"):
        bpy.ops.import_scene.ns2_level(directory=str(file.parent), files=[{"name": file.name}, {"name": broken.name}])
    assert blocks() == before


def test_what_was_not_edited_is_written_as_it_was_and_a_refused_export_leaves_the_old_file(file: Path) -> None:
    bpy.ops.import_scene.ns2_level(filepath=str(file))
    target = file.with_name("out.level")
    assert bpy.ops.export_scene.ns2_level(filepath=str(target)) == {"FINISHED"}
    assert target.read_bytes() == file.read_bytes()
    (level,) = originals.levels()
    with edited(geometry(level)) as mesh:
        layer = mesh.loops.layers.uv[layout.UV]
        mesh.faces[0].loops[0][layer].uv.x += 3
    with pytest.raises(RuntimeError, match=r"Geometry: .* UVs"):
        bpy.ops.export_scene.ns2_level(filepath=str(target))
    assert target.read_bytes() == file.read_bytes()
    assert bpy.ops.export_scene.ns2_level(filepath=str(target), uneven_uvs="nearest") == {"FINISHED"}
    assert target.read_bytes() != file.read_bytes()


def test_a_collection_exporter_writes_the_level(file: Path, tmp_path: Path) -> None:
    bpy.ops.import_scene.ns2_level(filepath=str(file))
    (level,) = originals.levels()
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection.children[level.name]
    bpy.ops.collection.exporter_add(name="IO_FH_ns2_level")
    level.exporters[0].export_properties.filepath = str(tmp_path / "out.level")
    bpy.ops.collection.export_all()
    assert (tmp_path / "out.level").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("ending", [".level", ".blend", ".glb"])
def test_the_command_line_converts(file: Path, ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"out{ending}"
    assert convert(file, target, "--option", "split=group") == commands.OK
    if ending == ".level":
        assert target.read_bytes() == file.read_bytes()
    elif ending == ".blend":
        again = tmp_path / "again.level"
        assert commands.main(["convert", str(target), str(again)]) == commands.OK
        assert again.read_bytes() == file.read_bytes()
    else:
        assert target.stat().st_size > 500


def test_the_command_line_saves_older_levels_as_version_10(tmp_path: Path) -> None:
    source, target = tmp_path / "old.level", tmp_path / "new.level"
    source.write_bytes(whole(7))
    assert commands.main(["convert", str(source), str(target), "--option", "save_as_v10=true"]) == commands.OK
    assert target.read_bytes() == ns2.write(ns2.as_v10(ns2.read(whole(7))))
