# SPDX-License-Identifier: GPL-3.0-or-later
"""How the ground looks: blended colours, images by their weights, overlays. Seen through Cycles where it matters."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import importer, layout
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.fable.terrain import materials, overlays
from levelwright.addon.fable.terrain.gltf_materials import make_gltf_materials
from levelwright.addon.scene import attributes
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report
from levelwright.formats.fable import colors

from tests.addon.fable.export_helpers import LEVEL, imported
from tests.addon.fable.test_import import game_map_of, terrain_of, values
from tests.formats import fable_bytes as build

HALVES = LEVEL.but(cell=lambda x, y: build.height_cell(0, (2, 5, 0), (255, 0) if x < 16 else (0, 255)))
"""Grass in the west, mud in the east."""


def rendered(level: bpy.types.Collection, folder: Path, size: int = 32) -> np.ndarray:
    """The level from above, a pixel a square: linear RGB [y upwards, x, 3] without light or shade."""
    scene = bpy.context.scene
    for obj in list(level.all_objects):
        obj.hide_render = obj is not terrain_of(level)
    for material in terrain_of(level).data.materials:  # as it is, whatever the light
        tree = material.node_tree
        surface = next(node for node in tree.nodes if node.type == "BSDF_DIFFUSE")
        shine = tree.nodes.new("ShaderNodeEmission")
        tree.links.new(shine.inputs[0], surface.inputs[0].links[0].from_socket)
        output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
        tree.links.new(output.inputs[0], shine.outputs[0])
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 32.0
    camera.location = (16, 16, 100)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 4, False
    scene.cycles.pixel_filter_type = "BOX"
    scene.render.resolution_x = scene.render.resolution_y = size
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.filepath = str(folder / "ground.exr")
    bpy.ops.render.render(write_still=True)
    picture = bpy.data.images.load(scene.render.filepath)
    pixels = np.empty(size * size * 4, np.float32)
    picture.pixels.foreach_get(pixels)
    return pixels.reshape(size, size, 4)[..., :3]


def test_colours_are_blended_not_slots(tmp_path: Path) -> None:
    level = imported(HALVES.build())
    picture = rendered(level, tmp_path)
    grass, mud = np.array(colors.theme("GRASS")), np.array(colors.theme("MUD"))
    np.testing.assert_allclose(picture[8, 4], grass, atol=2e-3)
    np.testing.assert_allclose(picture[8, 28], mud, atol=2e-3)
    between = picture[8, 15]  # the squares between a cell of slot 2 and one of slot 5 have nothing of slots 3 and 4
    np.testing.assert_allclose(between, (grass + mud) / 2, atol=0.02)


def test_themes_with_an_image_show_it_by_their_weights(tmp_path: Path) -> None:
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[..., 3] = 255
    pixels[:, :4, 0] = pixels[:, 4:, 2] = 255  # red in the west, blue in the east
    picture = images.from_rgba("mud", pixels)
    (tmp_path / "MUD.PNG").write_bytes(bytes(picture.packed_file.data))
    report = Report()
    settings = ImportSettings(textures_directory=str(tmp_path))
    level = importer.import_level(bpy.context, HALVES.build(), "x.lev", settings, report)
    assert report.counts["theme images"] == 1
    assert report.missing_names == {"theme images": ["GRASS"]}
    shown = rendered(level, tmp_path)
    np.testing.assert_allclose(shown[8, 4], colors.theme("GRASS"), atol=2e-3)
    np.testing.assert_allclose(shown[8, 25], (1, 0, 0), atol=0.02)  # 8 units a repeat: 24 to 28 is its west
    np.testing.assert_allclose(shown[8, 30], (0, 0, 1), atol=0.02)


def test_only_the_images_that_cover_most_are_shown(tmp_path: Path) -> None:
    picture = images.from_rgba("any", np.full((2, 2, 4), 255, np.uint8))
    ground = [(b"", 0), (b"STANDIN", 1), *((b"THEME_%d" % n, 1) for n in range(40))]
    for n in range(40):
        (tmp_path / f"THEME_{n}.png").write_bytes(bytes(picture.packed_file.data))
    data = LEVEL.but(ground=ground, cell=lambda x, y: build.height_cell(0, (2 + max(39 - x, 12), 0, 0)))
    report = Report()
    settings = ImportSettings(textures_directory=str(tmp_path))
    level = importer.import_level(bpy.context, data.build(), "x.lev", settings, report)
    assert report.counts["theme images"] == materials.MAX_IMAGES
    assert len([one for one in report.warnings if "have images" in one]) == 1
    mesh = terrain_of(level).data
    packed = [values(terrain_of(level), f"{layout.IMAGE_WEIGHTS}{n}") for n in range(6)]
    assert mesh.attributes.get(f"{layout.IMAGE_WEIGHTS}6") is None
    assert len(mesh.attributes) <= 32
    assert np.unique(sum(one.sum(axis=1) for one in packed)).tolist() == [0, 1]


def test_painting_shows_when_the_ground_is_refreshed() -> None:
    level = imported(HALVES.build())
    terrain = terrain_of(level)
    terrain.vertex_groups["GRASS"].add([0, 1], 0.0, "REPLACE")
    terrain.vertex_groups["SAND"].add([0, 1], 1.0, "REPLACE")
    before = values(terrain, layout.THEME_COLOR)
    assert bpy.ops.levelwright.fable_refresh() == {"FINISHED"}
    after = values(terrain, layout.THEME_COLOR)
    np.testing.assert_allclose(after[:2, :3], [colors.theme("SAND")] * 2, atol=1e-5)
    assert np.array_equal(before[2:], after[2:])
    assert not [obj for obj in bpy.data.objects if "plain" in obj.name]


def test_overlays_are_switched_in_the_material(tmp_path: Path) -> None:
    blocked = LEVEL.but(cell=lambda x, y: build.height_cell(0, (2, 0, 0), walkable=int(x < 16), path=int(y < 16)))
    level = imported(blocked.build())
    assert overlays.shown(level) == "themes"
    plain = rendered(level, tmp_path)
    assert bpy.ops.levelwright.fable_overlay(kind="walkable") == {"FINISHED"}
    assert overlays.shown(level) == "walkable"
    walkable = rendered(level, tmp_path)
    assert walkable[8, 4, 1] > plain[8, 4, 1] and walkable[8, 28, 0] > plain[8, 28, 0] + 0.2
    overlays.show(level, "path")
    path = rendered(level, tmp_path)
    assert path[4, 4, 0] > plain[4, 4, 0] + 0.3
    np.testing.assert_allclose(path[28, 4], plain[28, 4], atol=2e-3)  # no path, nothing drawn
    terrain = terrain_of(level)
    values_now = values(terrain, "path")
    attributes.write(terrain.data, "path", "POINT", "BOOLEAN", ~values_now)
    assert rendered(level, tmp_path)[28, 4, 0] > plain[28, 4, 0] + 0.3  # flags are drawn as they are now


def test_sounds_are_drawn_over_the_squares_of_their_cells() -> None:
    level = imported(LEVEL.but(game=lambda x, row: build.game_cell(sound=1 if row == 0 and x == 2 else 2)).build())
    overlays.show(level, "sound")
    tints = values(terrain_of(level), layout.OVERLAY_COLOR).reshape(32, 32, 4)[..., :3]
    sea = np.isclose(tints, colors.distinct("SOUND_SEA")).all(axis=-1)
    assert np.argwhere(sea).min(axis=0).tolist() == [28, 8]  # the file's first row is the northernmost
    assert np.argwhere(sea).max(axis=0).tolist() == [31, 11]
    assert sea.sum() == 16
    sounds = values(game_map_of(level), "sound")
    attributes.write(game_map_of(level).data, "sound", "FACE", "INT", np.zeros_like(sounds))
    overlays.show(level, "sound")
    assert np.unique(values(terrain_of(level), layout.OVERLAY_COLOR)[:, :3]).tolist() == [np.float32(colors.NONE[0])]


def test_atmospheres_are_drawn_blended() -> None:
    level = imported(LEVEL.but(game=lambda x, row: build.game_cell((1, 2, 0), (155, 100))).build())
    overlays.show(level, "atmosphere")
    day, fog = (np.array(colors.distinct(f"ENVIRONMENT_{name}")) for name in ("DAY", "FOG"))
    tints = values(terrain_of(level), layout.OVERLAY_COLOR)
    np.testing.assert_allclose(tints[:, :3], [(day * 155 + fog * 100) / 255] * 1024, atol=1e-5)


def test_a_terrain_without_our_material_has_no_overlays() -> None:
    level = imported()
    terrain_of(level).data.materials.clear()
    assert not overlays.show(level, "walkable")
    with pytest.raises(RuntimeError, match="another material"):
        bpy.ops.levelwright.fable_overlay(kind="walkable")


def test_a_plain_ground_has_a_material_that_gltf_holds() -> None:
    level = imported()
    make_gltf_materials(level, Report())
    (material,) = terrain_of(level).data.materials
    assert [node.layer_name for node in material.node_tree.nodes if node.type == "VERTEX_COLOR"] == [layout.THEME_COLOR]
