# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of themes out of an installed game: which one, how it is chosen and remembered, what Solid views show."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import importer, layout
from levelwright.addon.fable.palettes import lists
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.fable.terrain import materials, overlays, pictures
from levelwright.addon.scene.disk import content_folders
from levelwright.addon.scene.reports import Report
from levelwright.formats.fable import colors

from tests.addon.fable.export_helpers import LEVEL, exported
from tests.addon.fable.test_import import terrain_of, values
from tests.formats import fable_archive_bytes as archives
from tests.formats import fable_bytes as build

HALVES = LEVEL.but(cell=lambda x, y: build.height_cell(0, (2, 5, 0), (255, 0) if x < 16 else (0, 255))).build()
"""Grass in the west, mud in the east."""
RED, BLUE = (0xF800, (1, 0, 0)), (0x001F, (0, 0, 1))
"""As blocks of DXT have colours, and as linear ones."""


def plain(name: str, color: int, number: int = 0) -> archives.Texture:
    """8 x 8 pixels of one colour, 5 bits red, 6 green, 5 blue."""
    return archives.texture(name, 8, 8, (color.to_bytes(2, "little") * 2 + bytes(4)) * 4, number=number)


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed game: its definitions say that grass is texture 9; a texture is called like mud."""
    folder = tmp_path / "Fable"
    definitions = [("ENGINE_THEME", "GRASS", archives.theme(9)), ("ENGINE_THEME", "SAND", archives.theme(77))]
    game, names = archives.definitions(definitions)
    textures = [plain("GROUND_01", RED[0], 9), plain("MUD.TGA", BLUE[0], 3)]
    for name, data in {
        "Data/Graphics/PC/Textures.big": archives.archive({"GBANK_MAIN_PC": textures}),
        "Data/CompiledDefs/Game.bin": game,
        "Data/CompiledDefs/names.bin": names,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    monkeypatch.setenv("LEVELWRIGHT_FABLE", str(folder))
    yield folder
    for theme in pictures.choices():
        pictures.remember(theme, "")


def imported(data: bytes = HALVES, **options: str) -> tuple[bpy.types.Collection, Report]:
    report = Report()
    return importer.import_level(bpy.context, data, "vale.lev", ImportSettings(**options), report), report


def shown(level: bpy.types.Collection) -> dict[str, str]:
    """What themes show, by theme."""
    names = lists.get(level).themes
    return {names[slot]: image.name for slot, image in materials.pictures_of(level).items()}


def choose(theme: str, texture: str) -> None:
    level = bpy.data.collections["vale"]
    held = lists.of(level)
    held.active_theme = [item.name for item in held.themes].index(theme)
    assert bpy.ops.levelwright.fable_choose_picture(texture=texture) == {"FINISHED"}


def test_themes_have_the_pictures_of_the_game(game: Path) -> None:
    level, report = imported()
    assert shown(level) == {"GRASS": "GROUND_01", "MUD": "MUD.TGA"}
    assert report.counts["theme images"] == 2 and report.warnings == [] and report.missing_names == {}
    again, _ = imported()
    assert materials.pictures_of(again) == materials.pictures_of(level), "a texture is one image"
    assert exported(level) == HALVES


def test_images_of_the_users_come_first(game: Path, tmp_path: Path) -> None:
    (tmp_path / "GRASS.png").write_bytes(b"")
    assert shown(imported(textures_directory=str(tmp_path))[0]) == {"GRASS": "GRASS.png", "MUD": "MUD.TGA"}


def test_solid_views_show_what_pictures_look_like_from_afar(game: Path) -> None:
    level, _ = imported()
    mesh = terrain_of(level).data
    found = values(terrain_of(level), layout.GROUND_COLOR)[:, :3]
    np.testing.assert_allclose(found[0], RED[1], atol=2e-3)
    np.testing.assert_allclose(found[32], BLUE[1], atol=2e-3)
    assert mesh.attributes.active_color.name == layout.GROUND_COLOR
    overlays.show(level, "walkable")
    overlays.show_solid(level)
    assert values(terrain_of(level), layout.SOLID_COLOR)[0, 0] > 0.3, "the overlay lies over the picture's colour"


def test_a_chosen_picture_is_shown_and_remembered(game: Path) -> None:
    level, _ = imported()
    overlays.show(level, "path")
    choose("GRASS", "MUD.TGA")
    assert shown(level) == {"GRASS": "MUD.TGA", "MUD": "MUD.TGA"} and overlays.shown(level) == "path"
    np.testing.assert_allclose(values(terrain_of(level), layout.GROUND_COLOR)[0, :3], BLUE[1], atol=2e-3)
    choose("GRASS", pictures.NO_PICTURE)
    assert shown(level) == {"MUD": "MUD.TGA"}
    np.testing.assert_allclose(values(terrain_of(level), layout.GROUND_COLOR)[0, :3], colors.theme("GRASS"), atol=2e-3)
    terrain_of(level).shape_key_add()
    with pytest.raises(RuntimeError, match="shape keys"):
        choose("GRASS", "MUD.TGA")
    assert shown(level) == {"MUD": "MUD.TGA"}, "what was refused changes nothing"
    terrain_of(level).shape_key_clear()
    choose("GRASS", ":game")
    assert shown(level)["GRASS"] == "GROUND_01" and pictures.choices() == {}
    assert exported(level) == HALVES


def test_levels_that_are_opened_later_have_it_too(game: Path) -> None:
    imported()
    choose("GRASS", "MUD.TGA")
    choose("MUD", pictures.NO_PICTURE)
    level, report = imported()
    assert shown(level) == {"GRASS": "MUD.TGA"} and report.missing_names == {}
    assert [item.picture for item in lists.of(level).themes] == ["", "MUD.TGA", "", "", pictures.NO_PICTURE]


def test_choices_are_lines_of_the_preferences(game: Path) -> None:
    for theme, texture in (("MUD", "A = B"), ("GRASS", "C"), ("SAND", "D"), ("SAND", "")):
        pictures.remember(theme, texture)
    assert content_folders.preferences().fable_pictures == "GRASS = C\nMUD = A = B"
    assert pictures.choices() == {"GRASS": "C", "MUD": "A = B"}


def test_a_resized_level_keeps_its_pictures(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported()
    choose("GRASS", "MUD.TGA")
    monkeypatch.delenv("LEVELWRIGHT_FABLE")
    pictures.remember("GRASS", "")
    assert bpy.ops.levelwright.fable_resize(north=32) == {"FINISHED"}
    assert shown(bpy.data.collections["vale"]) == {"GRASS": "MUD.TGA", "MUD": "MUD.TGA"}


def test_a_damaged_game_is_told_and_left_out(game: Path) -> None:
    archive = game / "Data/Graphics/PC/Textures.big"
    whole = archive.read_bytes()
    archive.write_bytes(whole.replace(bytes([0x1F, 0, 0, 0]), bytes([0x77, 0, 0, 0]), 1))
    _, report = imported()
    assert [line for line in report.warnings if "isn't known" in line], "one texture"
    archive.write_bytes(whole[:200])
    (game / "Data/CompiledDefs/Game.bin").write_bytes(b"none")
    level, report = imported()
    assert [line.partition(" of the game")[0] for line in report.warnings] == ["Textures.big", "Game.bin"]
    assert shown(level) == {}
