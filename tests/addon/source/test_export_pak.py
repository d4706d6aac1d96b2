# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are added to, replaced in and removed from the pak; textures from images; and the operators for that."""

import io
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.pak import collect as pak
from levelwright.addon.source.pak import files
from levelwright.addon.source.pak import operators as pak_operators
from levelwright.formats.source.content import vmt, vtf
from levelwright.formats.source.content.texels import ImageFormat
from levelwright.formats.source.content.vtf import TextureFlags

from tests.addon.source.surface_edits import edited, small_room
from tests.formats.source_room import FILES

APPLY = pak.apply


@pytest.fixture
def level() -> bpy.types.Collection:
    return small_room()


def an_image(width: int = 16, height: int = 8) -> bpy.types.Image:
    row, column = np.mgrid[0:height, 0:width]
    pixels = np.stack([column * 15, row * 30, row * 0 + 77, 255 - column], axis=2)
    return images.from_rgba("wall", pixels.astype(np.uint8))


def test_nothing_in_the_list_changes_nothing(level) -> None:
    assert edited(level, APPLY)[1] == set()


def test_files_added_replaced_and_removed(level) -> None:
    report = Report()
    files.put_file(level, "sound\\ambient/wind.wav", b"RIFF\0\0")
    files.put_file(level, "SP_0.vhv", b"other light")
    files.remove(level, "sp_1.vhv")
    made, changed = edited(level, APPLY, report)
    assert changed == {"PAKFILE"}
    wanted = {name: data for name, data in FILES.items() if name != "sp_1.vhv"}
    wanted |= {"sp_0.vhv": b"other light", "sound/ambient/wind.wav": b"RIFF\0\0"}
    assert {name: bytes(made.pak.read(name)) for name in made.pak.names} == wanted
    assert {kind: report.counts[f"files {kind} the pak"] for kind in ("added to", "replaced in", "removed from")} == {
        "added to": 1, "replaced in": 1, "removed from": 1,
    }  # fmt: skip


def test_what_is_there_already_changes_nothing(level) -> None:
    files.put_file(level, "sp_0.vhv", FILES["sp_0.vhv"])
    assert edited(level, APPLY)[1] == set()


@pytest.mark.parametrize("form", [ImageFormat.DXT1, ImageFormat.DXT5, ImageFormat.BGRA8888])
def test_an_image_is_a_texture_that_others_read(level, form: ImageFormat) -> None:
    srctools = pytest.importorskip("srctools.vtf")
    image = an_image()
    files.put_image(level, "brick/wall", image, form, TextureFlags.CLAMPS)
    made, changed = edited(level, APPLY)
    assert changed == {"PAKFILE"}
    data = bytes(made.pak.read("materials/brick/wall.vtf"))
    texture = vtf.read(data)
    assert (texture.width, texture.height, texture.mipmaps, texture.format) == (16, 8, 5, form)
    assert texture.flags & TextureFlags.CLAMPS
    channels = 3 if form == ImageFormat.DXT1 else 4
    away = texture.pixels()[..., :channels].astype(int) - images.to_rgba(image)[..., :channels]
    assert np.abs(away).mean() <= (0 if form == ImageFormat.BGRA8888 else 8)
    theirs = srctools.VTF.read(io.BytesIO(data))
    theirs.load()
    assert (theirs.width, theirs.height, theirs.mipmap_count) == (16, 8, 5)


def test_an_image_that_was_painted_after_it_was_put_there(level) -> None:
    image = an_image()
    files.put_image(level, "wall", image, ImageFormat.BGRA8888)
    image.pixels.foreach_set(np.full(16 * 8 * 4, 0.2, np.float32))
    made, _ = edited(level, APPLY)
    assert set(vtf.read(made.pak.read("materials/wall.vtf")).pixels().ravel().tolist()) == {51}


def test_sides_that_are_no_powers_of_two_are_resized_and_told(level) -> None:
    report = Report()
    files.put_image(level, "wall", an_image(15, 12))
    made, _ = edited(level, APPLY, report)
    texture = vtf.read(made.pak.read("materials/wall.vtf"))
    assert (texture.width, texture.height) == (16, 16)
    assert any("resized from 15 x 12 to 16 x 16" in each for each in report.warnings)


def test_a_texture_with_its_material(level) -> None:
    files.put_image(level, "brick/wall", an_image())
    entry = files.put_material(level, "brick/wall")
    assert entry.name == "materials/brick/wall.vmt"
    made, _ = edited(level, APPLY)
    found = vmt.read(bytes(made.pak.read(entry.name)))
    assert found.shader == "LightmappedGeneric"
    assert found.texture("$basetexture") == "brick/wall"
    text = originals.resources(level, files.TEXTS)[entry.number]
    text.clear()
    text.write('"UnlitGeneric" { }')
    made, _ = edited(level, APPLY)
    assert bytes(made.pak.read(entry.name)) == b'"UnlitGeneric" { }'


def test_a_texture_that_was_painted_but_is_not_in_the_list_is_told(level) -> None:
    image, report = an_image(), Report()
    identity.stamp(image, originals.describe(level).token, layout.IMAGE, 0)
    assert edited(level, APPLY, report)[1] == set()
    assert not report.warnings
    image.pixels.foreach_set(np.full(16 * 8 * 4, 0.2, np.float32))
    edited(level, APPLY, report)
    assert any("was painted, but" in each for each in report.warnings)
    files.put_image(level, "wall", image)
    report = Report()
    edited(level, APPLY, report)
    assert not report.warnings


def test_the_list_travels_and_is_undone_one_by_one(level, tmp_path: Path) -> None:
    files.put_file(level, "a.txt", b"a\0b")
    files.put_image(level, "b", an_image())
    files.remove(level, "sp_0.vhv")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "pak.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "pak.blend"))
    (level,) = originals.levels()
    assert [entry.name for entry in files.entries(level)] == ["a.txt", "materials/b.vtf", "sp_0.vhv"]
    made, _ = edited(level, APPLY)
    assert bytes(made.pak.read("a.txt")) == b"a\0b"
    assert "materials/b.vtf" in made.pak
    for entry in files.entries(level):
        files.forget(level, entry.name)
    assert edited(level, APPLY)[1] == set()
    assert not originals.resources(level, files.IMAGES)


@pytest.mark.parametrize("name", ["", "../a", "a//b", "c:/a", "a/\u4e00", "x" * 300, "a\nb"])
def test_names_that_no_pak_has_are_refused(level, name: str) -> None:
    with pytest.raises(SceneError, match="can't be the path"):
        files.put_file(level, name, b"")


def test_what_is_gone_is_told(level) -> None:
    image = an_image()
    files.put_image(level, "wall", image)
    bpy.data.images.remove(image)
    with pytest.raises(SceneError, match=r"wall.vtf was to be made of is gone"):
        edited(level, APPLY)
    files.forget(level, "materials/wall.vtf")
    files.remove(level, "nothing.txt")
    with pytest.raises(SceneError, match="no such file"):
        edited(level, APPLY)


def test_the_operators(level, tmp_path: Path) -> None:
    operators = bpy.ops.levelwright
    (tmp_path / "one.wav").write_bytes(b"one")
    (tmp_path / "two.wav").write_bytes(b"two")
    names = [{"name": "one.wav"}, {"name": "two.wav"}]
    assert operators.source_pak_files(directory=str(tmp_path), files=names, folder="sound/a") == {"FINISHED"}
    image, text = an_image(), bpy.data.texts.new("notes.txt")
    assert operators.source_pak_image(image=image.name, path="n", normal=True, material=True) == {"FINISHED"}
    assert operators.source_pak_text(text=text.name, path="maps/notes.txt") == {"FINISHED"}
    assert operators.source_pak_remove(path="sp_2.vhv") == {"FINISHED"}
    assert operators.source_pak_forget(path="sound/a/two.wav") == {"FINISHED"}
    kinds = {entry.name: entry.kind for entry in files.entries(level)}
    assert kinds == {
        "sound/a/one.wav": "file", "materials/n.vtf": "image", "materials/n.vmt": "text", "maps/notes.txt": "text",
        "sp_2.vhv": "removed",
    }  # fmt: skip
    assert edited(level, APPLY)[0].pak.read("sound/a/one.wav") == b"one"
    with pytest.raises(RuntimeError, match="no image"):
        operators.source_pak_image(image="none")
    assert pak_operators._files(None, bpy.context, "VHV")[:2] == ["sp_0.vhv", "sp_1.vhv"]
    assert "wall" in pak_operators._images(None, bpy.context, "WAL")
    assert "notes.txt" in pak_operators._texts(None, bpy.context, "")
