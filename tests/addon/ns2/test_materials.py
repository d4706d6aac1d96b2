# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials by their paths: what is found in the game's folders, what isn't, and what is no texture."""

import struct
from pathlib import Path

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.ns2 import importer, layout
from levelwright.addon.ns2.exporter import export_level
from levelwright.addon.ns2.materials.build import PLACEHOLDER
from levelwright.addon.ns2.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report

from tests.formats import ns2_bytes as nb

GRID, GRASS = nb.HOLED.materials
LEVEL = nb.level(10, mesh=nb.mesh(10, nb.HOLED))


def dds(kind: bytes, blocks: bytes, side: int = 4) -> bytes:
    """A texture of one mip."""
    head = struct.pack("<4s7I44x", b"DDS ", 124, 0x81007, side, side, len(blocks), 0, 1)
    return head + struct.pack("<2I4s20x", 32, 4, kind) + struct.pack("<I16x", 0x1000) + blocks


RED = dds(b"DXT1", struct.pack("<HHI", 0xF800, 0, 0))
CLEAR_BLUE = dds(b"DXT5", bytes([128, 128, *bytes(6)]) + struct.pack("<HHI", 0x001F, 0, 0))


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A mod's folder: a level among its maps, materials beside those."""
    for folder in ("maps", "materials/dev", "materials/biodome"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "maps" / "x.level").write_bytes(LEVEL)
    return tmp_path


def imported(game: Path, report: Report | None = None, **settings) -> dict[str, bpy.types.Material]:
    path = game / "maps" / "x.level"
    importer.import_level(bpy.context, LEVEL, path, ImportSettings(**settings), report or Report())
    return {material[layout.MATERIAL]: material for material in bpy.data.materials}


def write(game: Path, path: str, content: str | bytes) -> None:
    file = game / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())


def shown(material: bpy.types.Material, name: str) -> str:
    """What feeds an input of the surface: the picture's name, and of which of its outputs; "" for nothing."""
    surface = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    socket, output = surface.inputs[name], ""
    while socket.is_linked:
        link = socket.links[0]
        if link.from_node.type == "TEX_IMAGE":
            return f"{link.from_node.image.name} {link.from_socket.name}"
        output = link.from_node.type
        socket = next((one for one in link.from_node.inputs if one.is_linked), link.from_node.inputs[0])
    return output


def test_all_maps_of_a_material_beside_the_level_are_shown(game: Path) -> None:
    maps = ("albedo", "normal", "specular", "opacity", "emissive")
    lines = ['shader = "shaders/Model.surface_shader"', *(f'{one}Map = "materials/dev/{one}.dds"' for one in maps)]
    write(game, GRID, "\n".join(lines))
    for one in maps:
        write(game, f"materials/dev/{one}.dds", CLEAR_BLUE if one in ("specular", "opacity") else RED)
    material = imported(game)[GRID]
    assert shown(material, "Base Color") == "albedo.dds Color"
    assert shown(material, "Normal") == "normal.dds Color"
    assert shown(material, "Specular IOR Level") == "specular.dds Color"
    assert shown(material, "Roughness") == "specular.dds Alpha", "gloss"
    assert shown(material, "Emission Color") == "emissive.dds Color"
    assert shown(material, "Alpha") == "opacity.dds Alpha"
    assert material.get(PLACEHOLDER) is None
    assert material.use_backface_culling
    spaces = {image.name: image.colorspace_settings.name for image in bpy.data.images}
    assert (spaces["albedo.dds"], spaces["normal.dds"]) == ("sRGB", "Non-Color")
    assert bpy.data.images["albedo.dds"].pixels[:3] == pytest.approx((1, 0, 0)), "Blender reads it"


def test_shaders_of_levels_have_highlights_in_the_albedo(game: Path) -> None:
    text = 'shader = "shaders/Level.surface_shader"\nalbedoMap = "a.dds"\nspecularMap = "s.dds"\n'
    write(game, GRID, text)
    write(game, "a.dds", CLEAR_BLUE)
    write(game, "s.dds", RED)
    assert shown(imported(game)[GRID], "Specular IOR Level") == "a.dds Alpha"
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    write(game, "a.dds", RED)  # which has no alpha
    assert shown(imported(game)[GRID], "Specular IOR Level") == "s.dds Color"


def test_what_is_missing_is_a_labelled_checker_and_named_once(game: Path) -> None:
    write(game, GRASS, 'albedoMap = "gone.dds"')
    report = Report()
    found = imported(game, report)
    assert report.missing_names == {"materials": [GRID], "textures": ["gone.dds"]}
    for material in found.values():
        assert material[PLACEHOLDER]
        picture = next(node.image for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
        assert images.is_placeholder(picture)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x89PNG" + bytes(200), "does not begin with 'DDS '"),
        (RED[:-1], "need 136"),
        (b"DDS ", "4 bytes"),
        (RED.replace(b"DXT1", b"ATI2"), "ATI2"),
    ],
)
def test_what_is_no_texture_is_warned_of(game: Path, data: bytes, why: str) -> None:
    write(game, GRID, 'albedoMap = "a.dds"')
    write(game, "a.dds", data)
    report = Report()
    assert imported(game, report)[GRID][PLACEHOLDER]
    assert any("a.dds" in warning for warning in report.warnings), why


def test_a_missing_material_whose_path_is_no_utf_8_is_named_and_stays(game: Path) -> None:
    data = LEVEL.replace(GRID.encode(), GRID.encode()[:-14] + b"\xff" + GRID.encode()[-13:])
    (game / "maps" / "x.level").write_bytes(data)
    report = Report()
    (level,) = levels.import_files(
        bpy.context, [game / "maps" / "x.level"], lambda each: each.import_settings(), report
    )
    (text,) = (text for text in bpy.data.texts if "import" in text.name)
    assert f"missing material: {GRID[:-14]}?{GRID[-13:]}" in text.as_string()
    assert export_level(bpy.context, level, ExportSettings(), Report()) == data


def test_a_broken_material_is_warned_of(game: Path) -> None:
    write(game, GRID, b"\0\1\2")
    report = Report()
    assert imported(game, report)[GRID][PLACEHOLDER]
    assert any(GRID in warning for warning in report.warnings)


def test_folders_are_looked_into_in_their_order(
    game: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    option, variable = (tmp_path_factory.mktemp(name) for name in ("option", "variable"))
    monkeypatch.setenv("LEVELWRIGHT_NS2", str(variable))
    for number, folder in enumerate((variable, option / "ns2", game)):
        write(folder, GRID, f'albedoMap = "{number}.dds"')
        write(folder, f"{number}.dds", RED)
        found = imported(game, game_directory=str(option))
        assert shown(found[GRID], "Base Color") == f"{number}.dds Color"
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def test_capitals_of_files_do_not_matter(game: Path) -> None:
    write(game, "materials/Dev/Dev_Floor_Grid.material", 'albedoMap = "MATERIALS/dev/Floor.DDS"')
    (game / "materials" / "dev").rmdir()
    write(game, "materials/Dev/floor.dds", RED)
    assert shown(imported(game)[GRID], "Base Color") == "floor.dds Color"
