# SPDX-License-Identifier: GPL-3.0-or-later
"""How maps look: textures times lightmaps as in the game, what is missing, what is seen through. Through Cycles."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon import asset_previews
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import layout, panel
from levelwright.addon.source.lightmaps import build as lightmaps
from levelwright.addon.source.materials import gltf_materials
from levelwright.formats import binary

from tests.addon.source.rooms import (
    GREY,
    LIGHT,
    NAME,
    WORLDLIGHTS,
    imported,
    linear,
    of_kind,
    room,
    seen_from_above,
    texture,
)
from tests.formats import source_bytes as build
from tests.formats import source_content_bytes as content

LIT = "LightmappedGeneric { $basetexture grey }"
BAKED = np.array(LIGHT[:3]) / 255


def material_of(level: bpy.types.Collection) -> bpy.types.Material:
    world = of_kind(level, layout.MODEL)[0]
    return world.data.materials[0]


def test_a_wall_is_its_texture_times_its_light(tmp_path: Path) -> None:
    imported(room(LIT, grey=texture(GREY)))
    np.testing.assert_allclose(
        seen_from_above(tmp_path)[2:6, 2:6], np.broadcast_to(BAKED * linear(128), (4, 4, 3)), rtol=0.02
    )


def test_light_may_exceed_white_and_be_exposed(tmp_path: Path) -> None:
    level = imported(room(LIT, light=(200, 100, 50, 3), grey=texture(GREY)))
    values = dict(panel.settings(level))
    values[lightmaps.EXPOSURE].default_value = -1.0
    np.testing.assert_allclose(seen_from_above(tmp_path)[4, 4], BAKED * 8 / 2 * linear(128), rtol=0.02)


def test_without_baked_light_blenders_lights_shine(tmp_path: Path) -> None:
    level = imported(room(LIT, grey=texture(GREY)))
    values = dict(panel.settings(level))
    values[lightmaps.BAKED].default_value = 0.0
    seen = seen_from_above(tmp_path)[4, 4]
    assert np.abs(seen - BAKED * linear(128)).max() > 0.01


def test_light_styles_are_switched_one_by_one(tmp_path: Path) -> None:
    faces = bytearray(build.room()[build.FACES])
    faces[16::56] = bytes([33]) * (len(faces) // 56)
    lamp = b'{\n"classname" "light"\n"targetname" "hall"\n"style" "33"\n"spawnflags" "1"\n}\n\0'
    level = imported(room(LIT, lumps={build.FACES: bytes(faces), build.ENTITIES: lamp}, grey=texture(GREY)))
    (switch,) = (socket for title, socket in panel.settings(level) if title == "Style 33 hall")
    assert switch.default_value == 0, "dark at first, its spawnflags say"
    assert seen_from_above(tmp_path)[4, 4].max() == 0
    switch.default_value = 0.5
    np.testing.assert_allclose(seen_from_above(tmp_path)[4, 4], BAKED * linear(128) / 2, rtol=0.02)


def test_a_map_that_was_never_lit_is_bright(tmp_path: Path) -> None:
    imported(room(LIT, lumps={build.LIGHTING: b""}, grey=texture(GREY)))
    np.testing.assert_allclose(seen_from_above(tmp_path)[4, 4], np.full(3, linear(128)), rtol=0.02)


def test_a_map_without_compiled_lights_is_bright(tmp_path: Path) -> None:
    level = imported(room(LIT, lumps={WORLDLIGHTS: b""}, grey=texture(GREY)))
    np.testing.assert_allclose(seen_from_above(tmp_path)[4, 4], np.full(3, linear(128)), rtol=0.02)
    dict(panel.settings(level))[lightmaps.FULL].default_value = 0.0
    np.testing.assert_allclose(seen_from_above(tmp_path)[4, 4], BAKED * linear(128), rtol=0.02)


@pytest.mark.parametrize(
    ("material", "factor"),
    [
        ('LightmappedGeneric { $basetexture grey $color "[0.5 1 0.25]" }', np.array([0.5, 1, 0.25]) ** 2.2 * BAKED),
        ('patch { include materials/base.vmt replace { $color "{255 0 255}" } }', np.array([1, 0, 1]) * BAKED),
        ("UnlitGeneric { $basetexture grey }", np.ones(3)),
        ("LightmappedGeneric { $basetexture grey $selfillum 1 }", np.ones(3)),
        ("WorldVertexTransition { $basetexture grey $basetexture2 white }", BAKED),
        (
            'LightmappedGeneric { $basetexture grey $selfillum 1 $selfillumtint "[0.5 1 0.25]" }',
            np.array([0.5, 1, 0.25]),
        ),
        ("LightmappedGeneric { $basetexture grey $detail grey $detailscale 1 }", BAKED * 2 * 128 / 255),
        ("LightmappedGeneric { $basetexture grey $detail grey $detailblendmode 1 }", BAKED * 2),
        ("LightmappedGeneric { $basetexture grey $detail white $detailblendmode 2 $detailblendfactor 0 }", BAKED),
        ("LightmappedGeneric { $basetexture white $detail grey $detailblendmode 3 }", BAKED),
        ("LightmappedGeneric { $basetexture grey $detail white $detailblendmode 4 }", BAKED),
        ("LightmappedGeneric { $basetexture grey $detail grey $detailblendmode 5 }", BAKED + 1),
        ("LightmappedGeneric { $basetexture grey $detail white $detailblendmode 7 }", BAKED * 2),
        ("LightmappedGeneric { $basetexture white $detail grey $detailblendmode 8 }", BAKED),
        ("LightmappedGeneric { $basetexture grey $detail white $detailblendmode 9 }", BAKED),
        ("WorldTwoTextureBlend { $basetexture white $detail grey }", BAKED),
        ("LightmappedGeneric { $basetexture grey $seamless_scale 0.01 }", BAKED),
        ("LightmappedGeneric { $basetexture grey $bumpmap white $ssbump 1 $envmap env_cubemap $envmaptint 0 }", BAKED),
        ("WorldVertexTransition { $basetexture grey $basetexture2 white $bumpmap grey $bumpmap2 grey }", BAKED),
        (
            "Lightmapped_4WayBlend { $basetexture grey $basetexture2 white $basetexture3 white $basetexture4 white }",
            BAKED,
        ),
    ],
)
def test_shaders(tmp_path: Path, material: str, factor: np.ndarray) -> None:
    lumps = {}
    if material.startswith("patch"):
        files = {f"materials/{NAME.lower()}.vmt": material.encode(), "materials/grey.vtf": texture(GREY)}
        files["materials/base.vmt"] = b"LightmappedGeneric { $basetexture grey $color 1 }"
        lumps[build.PAKFILE] = build.zip_file(files)
    report = Report()
    imported(room(material, lumps=lumps, grey=texture(GREY), white=texture((255, 255, 255, 255))), report=report)
    assert report.missing_names == {}
    np.testing.assert_allclose(seen_from_above(tmp_path)[4, 4], factor * linear(128), rtol=0.03, atol=1e-3)


@pytest.mark.parametrize(
    ("shader", "share"), [("$translucent 1", 64 / 255), ("$alphatest 1", 0.0), ("$translucent 1 $alpha 0.5", 32 / 255)]
)
def test_what_is_behind_shines_through(tmp_path: Path, shader: str, share: float) -> None:
    material = f"LightmappedGeneric {{ $basetexture grey {shader} }}"
    level = imported(room(material, grey=texture((128, 128, 128, 64))))
    assert material_of(level).surface_render_method == ("BLENDED" if "$translucent" in shader else "DITHERED")
    world = bpy.context.scene.world
    background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    background.inputs["Color"].default_value = (0.0, 0.0, 1.0, 1.0)
    seen = seen_from_above(tmp_path)[4, 4]
    wanted = BAKED * linear(128) * share + np.array([0, 0, 1]) * (1 - share)
    np.testing.assert_allclose(seen, wanted, rtol=0.1, atol=0.03)


def behind(color: tuple[float, float, float]) -> None:
    """Let the world shine in a colour."""
    nodes = bpy.context.scene.world.node_tree.nodes
    next(node for node in nodes if node.type == "BACKGROUND").inputs["Color"].default_value = (*color, 1.0)


@pytest.mark.parametrize("found", [True, False])
def test_both_sides_of_water_lie_in_one_plane(tmp_path: Path, found: bool) -> None:
    """From above only the upper side is seen, once, wherever the two are hit: Cycles culls nothing."""
    text = 'UnlitGeneric { $basetexture grey $color "{255 0 0}" $translucent 1 }'
    flags = bytearray(build.room()[build.TEXINFO])
    flags[64::72] = bytes([8]) * (len(flags) // 72)  # SURF_WARP: water
    files = {"grey": texture((255, 255, 255, 128))} if found else {}
    level = imported(room(text if found else "", lumps={build.TEXINFO: bytes(flags)}, **files))
    (water,) = {material for obj in of_kind(level, layout.MODEL) for material in obj.data.materials}
    for obj in of_kind(level, layout.MODEL):
        bpy.data.objects.remove(obj)
    mesh = bpy.data.meshes.new("pool")
    corners = [(-99.0, -98, 1), (99, -97, 1), (98, 99, 1), (-97, 99, 1)]
    mesh.from_pydata(corners * 2, [], [(0, 1, 2, 3), (7, 6, 5, 4)])
    beneath = water.copy()
    end = next(node for node in beneath.node_tree.nodes if node.type == "GROUP" and "surface" in node.node_tree.name)
    for name in ("Color", "Light"):
        for link in list(end.inputs[name].links):
            beneath.node_tree.links.remove(link)
        end.inputs[name].default_value = (0, 0, 1, 1)
    mesh.materials.append(water)
    mesh.materials.append(beneath)
    mesh.polygons[1].material_index = 1
    pool = bpy.data.objects.new("pool", mesh)
    pool.scale = (0.01905,) * 3
    bpy.context.scene.collection.objects.link(pool)
    behind((0.0, 1.0, 0.0))
    seen = seen_from_above(tmp_path, size=16, height=100)
    assert seen[..., 2].max() <= (0.01 if found else seen[..., 0].max()), "the lower side is blue"
    if found:
        np.testing.assert_allclose(seen.mean(axis=(0, 1)), (128 / 255, 127 / 255, 0), atol=0.06)
    else:
        assert seen[..., 1].max() < 0.9, "nothing is seen through"


@pytest.mark.parametrize(
    ("mirror", "share"),
    [
        ("$envmaptint 0.5", 0.5),
        ("$basealphaenvmapmask 1", 0.0),
        ("$envmapmask grey", 128 / 255),
        ("$bumpmap half $normalmapalphaenvmapmask 1", 64 / 255),
        ("$fresnelreflection 0.25", 0.25),
    ],
)
def test_what_is_around_is_mirrored_and_added(tmp_path: Path, mirror: str, share: float) -> None:
    material = f"LightmappedGeneric {{ $basetexture white $envmap env_cubemap {mirror} }}"
    images = {"white": (255, 255, 255, 255), "grey": GREY, "half": (128, 128, 255, 64)}
    flat = {build.VERTNORMALS: b"", build.VERTNORMALINDICES: b""}
    files = {name: texture(pixel) for name, pixel in images.items()}
    level = imported(room(material, light=(0, 0, 0, 0), lumps=flat, **files))
    of_kind(level, layout.ROOT)[0].rotation_euler.x = np.pi  # the room's faces are seen from outside
    behind((0.25, 1.0, 0.0))
    seen = seen_from_above(tmp_path, height=200)[2:6, 2:6].mean(axis=(0, 1))
    np.testing.assert_allclose(seen, np.array([0.25, 1, 0]) * share, rtol=0.06, atol=0.02)


@pytest.mark.parametrize(
    ("material", "factor"),
    [("DecalModulate { $basetexture grey }", 1.0), ("Modulate { $basetexture grey }", linear(128)),
     ("DecalModulate { $basetexture dark }", linear(128)), ("Modulate { $mod2x 1 $basetexture dark }", linear(128))],
)  # fmt: skip
def test_what_modulates_darkens_what_is_behind(tmp_path: Path, material: str, factor: float) -> None:
    imported(room(material, grey=texture(GREY), dark=texture((64, 64, 64, 255))))
    behind((0.5, 1.0, 0.25))
    np.testing.assert_allclose(seen_from_above(tmp_path)[4, 4], np.array([0.5, 1, 0.25]) * factor, rtol=0.06)


@pytest.mark.parametrize(
    ("text", "color", "alpha"),
    [
        ('Water { $normalmap grey $fogcolor "{255 0 0}" }', (1.0, 0.0, 0.0), 0.6),
        ("Refract { $normalmap grey }", (1.0, 1.0, 1.0), 0.15),
    ],
)
def test_solid_views_show_the_colour_of_what_has_only_a_normal_map(
    text: str, color: tuple[float, ...], alpha: float
) -> None:
    kept = material_of(imported(room(text, grey=texture(GREY))))
    assert kept.diffuse_color[:] == pytest.approx((*color, alpha))
    assert kept.node_tree.nodes.active.image is None, "Blender looks for one that is active, then for any"
    assert asset_previews.of_material(kept)[0, 0].tolist() == [*(round(255 * part) for part in color), int(255 * alpha)]


def test_what_the_material_says_is_kept() -> None:
    report = Report()
    text = 'WATER { $basetexture grey $fogcolor "{10 20 30}" $fogend 300 %compilewater 1 }'
    kept = material_of(imported(room(text, grey=texture(GREY)), report=report))
    assert (kept[layout.SHADER], kept["$fogcolor"], kept["$fogend"]) == ("WATER", "{10 20 30}", "300")
    text = "LightmappedGeneric { $basetexture grey $detail grey $detailblendmode 6 }"
    imported(room(text, grey=texture(GREY)), report=report)
    assert [note for note in report.notes if NAME in note and "$detailblendmode 6" in note]


def test_textures_lie_as_in_the_game(tmp_path: Path) -> None:
    # t runs with y here, so that the texture's first row, red, is at the low y; s with x: its first column is at low x.
    rows = [(255, 0, 0, 255)] * 32 + [(0, 255, 0, 255)] * 32
    imported(room("UnlitGeneric { $basetexture grey }", grey=texture(*rows, size=8)))
    seen = seen_from_above(tmp_path, size=16, width=64)  # units -32 to 32 of a texture of 64, which starts at 0
    assert seen[2:6, :, 1].min() > 0.9, "below 0: the second half of the texture, green"
    assert seen[10:14, :, 0].min() > 0.9, "above 0: its first half, red"


def test_missing_materials_are_named_once_and_show_a_checker(tmp_path: Path) -> None:
    report = Report()
    level = imported(room(), report=report)
    assert report.missing_names == {"materials": [NAME]}
    material = material_of(level)
    assert material["levelwright_placeholder"]
    image = next(node.image for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
    assert tuple(image.size) == (64, 64), "what the map says of it"
    seen = seen_from_above(tmp_path, size=32)
    wanted = BAKED * 0.5  # the reflectivity that the map has of it
    np.testing.assert_allclose(seen.reshape(-1, 3).mean(axis=0), wanted, rtol=0.15)
    assert seen[..., 0].std() > 0.02, "a checker"


@pytest.mark.parametrize(("there", "byte"), [("pak loose vpk", 255), ("loose vpk", 128), ("vpk", 64)])
def test_the_maps_own_files_come_first_then_loose_ones_then_archives(tmp_path: Path, there: str, byte: int) -> None:
    game = tmp_path / "game"
    (game / "materials").mkdir(parents=True)
    picture = {place: texture((value,) * 3 + (255,)) for place, value in (("pak", 255), ("loose", 128), ("vpk", 64))}
    if "loose" in there:
        (game / "materials" / "Wall.VTF").write_bytes(picture["loose"])
    archive = content.vpk({"materials/wall.vtf": (b"", picture["vpk"], 0x7FFF)})
    (game / "pak01_dir.vpk").write_bytes(archive)
    own = {"wall": picture["pak"]} if "pak" in there else {}
    report = Report()
    imported(room("UnlitGeneric { $basetexture wall }", **own), report=report, game_directory=str(game))
    assert report.missing_names == {}
    np.testing.assert_allclose(seen_from_above(tmp_path)[4, 4], np.full(3, linear(byte)), rtol=0.02)


def test_a_missing_texture_is_told_and_stands_in(tmp_path: Path) -> None:
    report = Report()
    level = imported(room("LightmappedGeneric { $basetexture brick/gone }"), report=report)
    assert report.missing_names == {"textures": ["brick/gone"]}
    assert material_of(level)["levelwright_placeholder"]


def test_textures_beyond_the_limit_of_pixels_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary, "PIXEL_LIMIT", 1)
    report = Report()
    imported(room(LIT, grey=texture(GREY)), report=report)
    assert [warning for warning in report.warnings if "texture grey can't be read" in warning and "pixels" in warning]


def test_broken_textures_are_told(tmp_path: Path) -> None:
    report = Report()
    imported(room(LIT, grey=texture(GREY)[:90]), report=report)
    assert report.missing_names == {"textures": ["grey"]}
    assert any("grey" in warning for warning in report.warnings)


def test_what_stands_still_is_named() -> None:
    material = "LightmappedGeneric { $basetexture grey Proxies { TextureScroll { } } }"
    report = Report()
    imported(room(material, grey=texture(GREY)), report=report)
    assert [note for note in report.notes if "texturescroll" in note.lower() and NAME in note]


def test_gltf_gets_the_colour_of_water() -> None:
    level = imported(room('Water { $normalmap grey $fogcolor "{255 0 0}" }', grey=texture(GREY)))
    gltf_materials.make_gltf_materials(level, Report())
    made = material_of(level)
    assert not [node for node in made.node_tree.nodes if node.type == "TEX_IMAGE"]
    assert made.diffuse_color[:] == pytest.approx((1, 0, 0, 0.6))


def test_gltf_gets_plain_materials() -> None:
    level = imported(room(LIT, grey=texture(GREY)))
    report = Report()
    gltf_materials.make_gltf_materials(level, report)
    for obj in of_kind(level, layout.MODEL):
        for material in obj.data.materials:
            kinds = {node.type for node in material.node_tree.nodes}
            assert "GROUP" not in kinds
            assert "EMISSION" in kinds
    assert len(report.notes) == 1
