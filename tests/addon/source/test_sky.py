# SPDX-License-Identifier: GPL-3.0-or-later
"""The sky that a map names, as the background of the scene's world: which side is where, and which way up."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report
from levelwright.addon.scene.view import stage
from levelwright.addon.source import view

from tests.addon.source.rooms import imported, rendered, room
from tests.formats import source_bytes as build
from tests.formats import source_content_bytes as content

CORNERS = np.array([(x, y, z) for x, y, z in [
    (-1, -1, -1), (-1, -1, 1), (-1, 1, 1), (-1, 1, -1), (1, -1, -1), (1, -1, 1), (1, 1, 1), (1, 1, -1)]])  # fmt: skip
"""Of the engine's cube around the sky (x forward, y left, z up), by the numbers that Valve gave them."""
SIDES = {
    "rt": (7, 6, 5, 4),
    "lf": (0, 1, 2, 3),
    "bk": (3, 2, 6, 7),
    "ft": (4, 5, 1, 0),
    "up": (6, 2, 1, 5),
    "dn": (3, 7, 4, 0),
}
"""The corners that each side's texture has: lower left, top left, top right, bottom right."""
WIDTH, HEIGHT = 64, 32
LIGHTING_HDR = 53
SIZE = 16
WORLD = b'{\n"classname" "worldspawn"\n"skyname" "Test"\n}\n\0'


def ramp(side: int, height: int = SIZE) -> np.ndarray:
    """A texture, uint8[h, w, 4]: red grows to the right, green downwards, blue is the side's."""
    pixels = np.full((height, SIZE, 4), 255, np.uint8)
    pixels[..., 0] = np.linspace(0, 255, SIZE)[None, :]
    pixels[..., 1] = np.linspace(0, 255, height)[:, None]
    pixels[..., 2] = 50 * side
    return pixels


def with_sky(files: dict[str, bytes], lumps: dict[int, bytes] | None = None) -> bytes:
    """A map with a sky of these files, by their names in materials/skybox/."""
    pak = build.zip_file({f"materials/skybox/{name}": data for name, data in files.items()})
    return room(lumps={build.ENTITIES: WORLD, build.PAKFILE: pak, **(lumps or {})})


def sides(material: str, height: int = SIZE, flat: str = "updn") -> dict[str, bytes]:
    """The files of all sides; material: with "NAME" for its texture. Those in `flat` are never lower than wide."""
    found = {}
    for number, side in enumerate(SIDES):
        pixels = ramp(number, SIZE if side in flat else height)
        found[f"test{side}.vmt"] = material.replace("NAME", f"skybox/test{side}").encode()
        found[f"test{side}.vtf"] = content.vtf(pixels.tobytes(), SIZE, len(pixels), form=0)
    return found


def around(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """All that is seen from high above the map: directions [y, x, 3], and linear colours [y, x, 3]."""
    scene = bpy.context.scene
    data = bpy.data.cameras.new("camera")
    data.type = "PANO"
    settings = getattr(data, "cycles", data)  # where they are depends on the version
    settings.panorama_type = "EQUIRECTANGULAR"
    scene.camera = bpy.data.objects.new("camera", data)
    scene.camera.location, scene.camera.rotation_euler = (0, 0, 1000), (np.pi / 2, 0, -np.pi / 2)  # looks along +x
    scene.collection.objects.link(scene.camera)
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BLACKMAN_HARRIS", 0.01
    turn = np.pi * (1 - 2 * (np.arange(WIDTH) + 0.5) / WIDTH)  # to the left, where y is
    rise = np.pi * ((np.arange(HEIGHT) + 0.5) / HEIGHT - 0.5)[:, None]
    where = np.stack(np.broadcast_arrays(np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)), -1)
    return where, rendered(folder, WIDTH, HEIGHT, samples=1)


def expected(where: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The side that directions meet, and how far to the right and how far down on it, 0 to 1."""
    on_cube = where / np.abs(where).max(axis=-1, keepdims=True)
    side, across, down = (np.full(where.shape[:-1], -1.0) for _ in range(3))
    for number, (low, top, right, _) in enumerate(SIDES.values()):
        middle = (CORNERS[low] + CORNERS[right]) / 2
        here = on_cube @ middle > 1 - 1e-6
        side[here] = number
        across[here] = ((on_cube - CORNERS[top]) @ (CORNERS[right] - CORNERS[top]) / 4)[here]
        down[here] = ((on_cube - CORNERS[top]) @ (CORNERS[low] - CORNERS[top]) / 4)[here]
    return side, across, down


def gamma(light: np.ndarray) -> np.ndarray:
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)


def test_each_side_is_where_the_game_has_it(tmp_path: Path) -> None:
    report = Report()
    imported(with_sky(sides("UnlitGeneric { $basetexture NAME }")), report=report)
    assert report.counts["skies"] == 1
    spaces = list(stage.viewports(bpy.context))
    assert spaces
    assert all(space.shading.use_scene_world for space in spaces)
    where, seen = around(tmp_path)
    side, across, down = expected(where)
    assert set(np.unique(side)) == set(range(6))
    blue = np.rint(gamma(seen[..., 2]) * 255 / 50)
    np.testing.assert_array_equal(blue, side)
    # The first and the last texel's middles are 0 and 1.
    ends = [np.clip((part * SIZE - 0.5) / (SIZE - 1), 0, 1) for part in (across, down)]
    np.testing.assert_allclose(gamma(seen[..., 0]), ends[0], atol=0.02)
    np.testing.assert_allclose(gamma(seen[..., 1]), ends[1], atol=0.02)


def test_sides_may_end_at_the_horizon(tmp_path: Path) -> None:
    half = 'Sky { $basetexture NAME $basetexturetransform "center 0 0 scale 1 2 rotate 0 translate 0 0" }'
    files = sides(half, SIZE // 2)
    files |= {name: data for name, data in sides("Sky { $basetexture NAME }").items() if name[4:6] in ("up", "dn")}
    imported(with_sky(files))
    where, seen = around(tmp_path)
    side, _, down = expected(where)
    low = (side < 4) & (down > 0.5)
    np.testing.assert_allclose(gamma(seen[low][:, 1]), 1, atol=0.01)
    high = (side < 4) & (down > 0.1) & (down < 0.4)
    np.testing.assert_allclose(gamma(seen[high][:, 1]), (down[high] * SIZE - 0.5) / (SIZE // 2 - 1), atol=0.03)


def test_light_of_hdr_skies(tmp_path: Path) -> None:
    texels = np.full((4, 4, 4), (200, 100, 50, 64), np.uint8)
    packed, floats = content.vtf(texels.tobytes(), 4, 4, form=0), np.full((8, 8, 4), (3, 2, 0.5, 1), "<f2")
    files = {}
    for side in SIDES:
        parameter = "$hdrbasetexture" if side in "rtlf" else "$hdrcompressedtexture"
        files[f"test{side}.vmt"] = f"Sky {{ $basetexture skybox/no {parameter} skybox/test{side} }}".encode()
        files[f"test{side}.vtf"] = content.vtf(floats.tobytes(), 8, 8, form=24) if side in "rtlf" else packed
    files["testdn.vmt"] = b'Sky { $hdrcompressedtexture skybox/testdn $color "[0.5 1 2]" }'
    imported(with_sky(files, {LIGHTING_HDR: bytes(120)}))
    where, seen = around(tmp_path)
    side, _, _ = expected(where)
    light = np.array([200, 100, 50]) * 64 / 255**2 * 8
    np.testing.assert_allclose(seen[side == 0][:, :3], np.tile([3, 2, 0.5], ((side == 0).sum(), 1)), rtol=0.02)
    np.testing.assert_allclose(seen[side == 4], np.tile(light, ((side == 4).sum(), 1)), rtol=0.02)
    np.testing.assert_allclose(seen[side == 5], np.tile(light * (0.5, 1, 2), ((side == 5).sum(), 1)), rtol=0.02)


def test_the_sky_lights_nothing(tmp_path: Path) -> None:
    """What is seen of a white wall is the light that it would have without a sky."""
    imported(with_sky(sides("UnlitGeneric { $basetexture NAME }")))
    mesh = bpy.data.meshes.new("wall")
    mesh.from_pydata([(-9e3, -9e3, 990), (9e3, -9e3, 990), (0, 9e3, 990)], [], [(0, 1, 2)])
    material = bpy.data.materials.new("white")
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    bsdf = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    bsdf.inputs["Base Color"].default_value, bsdf.inputs["Specular IOR Level"].default_value = (1, 1, 1, 1), 0
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("wall", mesh))
    _, seen = around(tmp_path)
    np.testing.assert_allclose(seen[:8].mean(axis=(0, 1)), view.LIGHT, rtol=0.1)


def test_a_sky_that_is_not_all_there_is_told_once() -> None:
    files = sides("UnlitGeneric { $basetexture NAME }")
    del files["testft.vtf"]
    report = Report()
    before = set(bpy.data.images)
    imported(with_sky(files), report=report)
    assert report.missing_names["skies"] == ["Test"]
    assert bpy.context.scene.world.name.startswith("Source")
    assert not [image for image in set(bpy.data.images) - before if "skybox" in image.name]


@pytest.mark.parametrize("case", ["world", "objects"])
def test_the_world_of_somebody_else_stays(case: str) -> None:
    scene = bpy.context.scene
    scene.world = world = bpy.data.worlds.new("Studio")
    if case == "objects":
        scene.world = world = None
        scene.collection.objects.link(bpy.data.objects.new("Suzanne", None))
    report = Report()
    imported(with_sky(sides("UnlitGeneric { $basetexture NAME }")), report=report)
    assert scene.world == world
    assert "skies" not in report.counts
    assert "skies" not in report.missing_names


def test_a_new_map_brings_its_own_sky() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    scene = bpy.context.scene
    assert scene.world.name == "World"
    imported(with_sky(sides("UnlitGeneric { $basetexture NAME }")))
    first = scene.world
    assert first.name.startswith("Test")
    imported(room())
    assert scene.world == first, "it has no sky that could be shown in its place"
    imported(with_sky(sides("UnlitGeneric { $basetexture NAME }")))
    assert scene.world not in (None, first)
