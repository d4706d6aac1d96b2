# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures that are painted, or replaced in a material: the level has them, or it is told."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.fates import aspects
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.reach import AllowedFolders

from tests.addon.contract import edits
from tests.addon.contract.registered import DECLARED


def shown(level: bpy.types.Collection) -> list[bpy.types.ShaderNodeTexImage]:
    """The nodes with images of a level's materials."""
    materials = {slot.material for obj in level.all_objects for slot in obj.material_slots if slot.material is not None}
    nodes = [node for material in materials for node in material.node_tree.nodes]
    return [node for node in nodes if isinstance(node, bpy.types.ShaderNodeTexImage) and node.image is not None]


def silent(game: Game, level: bpy.types.Collection, target: Path, sample: Path) -> bool:
    report = Report()
    levels.export_file(bpy.context, level, target, game.export_settings(), report)
    unwritten = target.read_bytes() == sample.read_bytes()
    return unwritten and not any("the edit of" in line or "was painted" in line for line in report.lines())


@DECLARED
@pytest.mark.parametrize("packed", [False, True])
def test_a_painted_one_is_written_or_told(game: Game, sample: Path, packed: bool, tmp_path: Path) -> None:
    level = edits.imported(game, sample, game.import_settings())
    nodes = shown(level)
    if not nodes:
        pytest.skip("it has no pictures")
    image = min((node.image for node in nodes), key=lambda image: image.name)
    pixels = list(image.pixels)
    pixels[:4] = (1.0, 0.0, 1.0, 1.0)
    image.pixels = pixels
    if packed:
        image.pack()
    assert not silent(game, level, tmp_path / sample.name, sample)


@DECLARED
def test_one_that_shows_something_else_than_its_file_is_written_or_told(
    game: Game, sample: Path, tmp_path: Path
) -> None:
    level = edits.imported(game, sample, game.import_settings())
    nodes = shown(level)
    if not nodes:
        pytest.skip("it has no pictures")
    min((node.image for node in nodes), key=lambda image: image.name).source = "GENERATED"
    try:
        assert not silent(game, level, tmp_path / sample.name, sample)
    except SceneError as error:
        assert "image" in str(error)


@pytest.mark.parametrize("painted", [False, True])
def test_a_file_that_was_loaded_painted_and_packed_is_told(painted: bool, tmp_path: Path) -> None:
    made = images.from_rgba("made", np.full((8, 8, 4), 255, np.uint8))
    path = tmp_path / "wall.png"
    path.write_bytes(bytes(made.packed_file.data))
    image = images.load(path, AllowedFolders([tmp_path]))
    (aspect,) = (one for one in aspects.static(image) if one.name == "pixels")
    before = aspect.read(image)
    if painted:
        image.pixels = [0.5, 0.25] * (len(image.pixels) // 2)
    image.pack()
    assert (aspect.read(image) != before) is painted
    assert images.seems_painted(image) is painted


@pytest.mark.parametrize("kind", ["BMP", "TARGA_RAW", "TARGA"])
@pytest.mark.parametrize("held", ["loaded", "packed"])
@pytest.mark.parametrize("painted", [False, True])
def test_paint_that_changes_no_size_is_told(kind: str, held: str, painted: bool, tmp_path: Path) -> None:
    """Files of pixels that aren't compressed have as many bytes whatever they show."""
    path = tmp_path / "wall.tga"
    made = images.from_rgba("made", np.full((8, 8, 4), 255, np.uint8))
    made.file_format, made.filepath_raw = kind, str(path)
    made.save()
    if held == "loaded":
        image = images.load(path, AllowedFolders([tmp_path]))
    else:
        image = images.from_file_bytes("wall", path.read_bytes())
    (aspect,) = (one for one in aspects.static(image) if one.name == "pixels")
    before = aspect.read(image)
    pixels = np.array(image.pixels[:])
    if painted:
        pixels[0] = 0.25
        image.pixels = pixels.tolist()
        image.update()
    image.pack()
    assert not image.is_dirty
    lost = image.packed_file is None  # Blender 5.0 takes the picture away of an image that was made of bytes
    assert not lost or bpy.app.version[:2] == (5, 0)
    assert (aspect.read(image) != before) is (painted or lost)
    assert images.seems_painted(image) is (painted or lost)


@DECLARED
def test_unpacked_images_edit_none(game: Game, sample: Path, tmp_path: Path) -> None:
    """File > External Data > Unpack Resources: the same bytes, in files beside the .blend."""
    level = edits.imported(game, sample, game.import_settings())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    unpacked = [image for image in bpy.data.images if image.packed_file]
    for image in unpacked:
        image.unpack(method="WRITE_LOCAL")
        assert not image.packed_file
    report, target = Report(), tmp_path / f"again{sample.suffix}"
    levels.export_file(bpy.context, level, target, game.export_settings(), report)
    assert not [line for line in report.lines() if "the edit of" in line or "painted" in line]
    assert target.read_bytes() == sample.read_bytes()
    nodes = [node for node in shown(level) if node.image in unpacked]
    if nodes:
        image = min((node.image for node in nodes), key=lambda image: image.name)
        image.pixels = [1.0 - value for value in image.pixels]
        image.save()
        assert not silent(game, level, target, sample)


@DECLARED
def test_one_that_a_material_shows_instead_is_written_or_told(game: Game, sample: Path, tmp_path: Path) -> None:
    level = edits.imported(game, sample, game.import_settings())
    nodes = shown(level)
    if not nodes:
        pytest.skip("it has no pictures")
    min(nodes, key=lambda node: node.image.name).image = bpy.data.images.new("mine", 8, 8)
    assert not silent(game, level, tmp_path / sample.name, sample)


@DECLARED
def test_packing_and_other_paths_edit_none(game: Game, sample: Path, tmp_path: Path) -> None:
    level = edits.imported(game, sample, game.import_settings())
    for node in shown(level):
        if not node.image.packed_file and node.image.has_data:
            node.image.pack()
        node.image.filepath = f"//elsewhere/{bpy.path.basename(node.image.filepath)}" if node.image.filepath else ""
    report = Report()
    levels.export_file(bpy.context, level, tmp_path / sample.name, game.export_settings(), report)
    assert not [line for line in report.lines() if "the edit of" in line]
