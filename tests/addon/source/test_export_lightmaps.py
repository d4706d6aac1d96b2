# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps that were painted: luxels of the map, LDR and HDR, styles and bump samples; what wasn't keeps its bits."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.lightmaps import build as lightmaps
from levelwright.addon.source.lightmaps import collect as collect_lightmaps
from levelwright.formats.source import LumpId
from levelwright.formats.source.light import lighting, radiance, rgbe

from tests.addon.source.surface_edits import edited, small_room
from tests.formats import source_room as room

APPLY = collect_lightmaps.apply
LDR, HDR = LumpId.LIGHTING, LumpId.LIGHTING_HDR


def image_of(level: bpy.types.Collection, lump: LumpId, slot: int = 0, sample: int = 0) -> bpy.types.Image:
    return originals.resources(level, layout.LIGHTMAP)[lightmaps.record(lump, slot, sample)]


def pixels(image: bpy.types.Image) -> np.ndarray:
    values = np.empty(image.size[0] * image.size[1] * 4, np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(image.size[1], image.size[0], 4)


def put(image: bpy.types.Image, values: np.ndarray) -> None:
    image.pixels.foreach_set(np.ascontiguousarray(values, np.float32).ravel())
    image.update()


def paint(level: bpy.types.Collection, lump: LumpId, face: int, color: tuple, sample: int = 0) -> None:
    """Paint the first luxel of a face; the image is as high as it is, from the top."""
    image = image_of(level, lump, 0, sample)
    places = collect_lightmaps.places(level, room.room())
    values = pixels(image)[::-1].copy()
    values.reshape(-1, 4)[places.pixels[places.first[face]], :3] = color
    put(image, values[::-1])


def luxels(made, lump: LumpId, face: int, sample: int = 0) -> np.ndarray:
    found = lighting.lightmaps(made)[lump]
    offsets, owners = lighting.luxel_offsets(found, 0, sample)
    return lighting.colors_at(made.bytes_of(lump), offsets[found.faces[owners] == face])


@pytest.fixture
def level() -> bpy.types.Collection:
    return small_room()


@pytest.mark.parametrize("width", [16, 64, 4096])
def test_blender_reads_pictures_as_they_were_stored(width: int) -> None:
    numbers = np.random.default_rng(5).integers(0, 256, (40, width, 4), np.uint8)
    numbers[..., 3] = radiance.EXPONENT_BIAS - 8  # 128: the mantissas are 256ths
    numbers[3], numbers[5, :, 1], numbers[20:] = 0, 7, 0
    light = numbers[..., :3] / 256
    for shown in (light, np.zeros_like(light)):  # a picture without any light, too
        data = radiance.encode(numbers if shown.any() else np.zeros_like(numbers))
        image = images.from_file_bytes("picture", data, non_color=True)
        assert np.array_equal(pixels(image)[::-1, :, :3], np.where(numbers[..., 3:] > 0, shown, 0).astype(np.float32))


def test_nothing_painted_changes_nothing(level) -> None:
    image = image_of(level, LDR)
    put(image, pixels(image))
    assert image.is_dirty
    assert edited(level, APPLY)[1] == set(), "not even if it was saved"


@pytest.mark.parametrize(("lump", "name"), [(LDR, "LIGHTING"), (HDR, "LIGHTING_HDR")])
def test_a_luxel_is_painted_and_others_keep_their_bits(level, lump: LumpId, name: str) -> None:
    report = Report()
    paint(level, lump, room.WEST, (510, 255, 0))
    made, changed = edited(level, APPLY, report)
    assert changed == {name}
    assert rgbe.decode(luxels(made, lump, room.WEST))[0].tolist() == pytest.approx([2, 1, 0], abs=1 / 128)
    before = room.room()
    assert (luxels(made, lump, room.WEST)[1:] == luxels(before, lump, room.WEST)[1:]).all()
    for face in set(range(10)) - {room.WEST}:
        assert (luxels(made, lump, face) == luxels(before, lump, face)).all()
    assert report.counts[f"luxels painted ({lightmaps.TITLES[lump]})"] == 1


def test_the_bump_samples_of_a_painted_face_follow_it(level) -> None:
    before = room.room()
    paint(level, HDR, room.EAST, pixels_of_first(before) * 2)
    made, _ = edited(level, APPLY)
    for sample in range(4):
        old, new = (rgbe.decode(luxels(each, HDR, room.EAST, sample)) for each in (before, made))
        assert np.allclose(new[0], old[0] * 2, rtol=0.01)
        assert (new[1:] == old[1:]).all()


def pixels_of_first(before) -> np.ndarray:
    return collect_lightmaps.pixels_of(luxels(before, HDR, room.EAST))[0]


def test_bump_samples_that_were_painted_are_what_was_painted() -> None:
    level = small_room(bump_lightmaps=True)
    paint(level, HDR, room.EAST, (255, 0, 0))
    paint(level, HDR, room.EAST, (0, 0, 510), sample=2)
    made, _ = edited(level, APPLY)
    light = [rgbe.decode(luxels(made, HDR, room.EAST, sample))[0].tolist() for sample in range(4)]
    assert light[0] == [1, 0, 0]
    assert light[2] == [0, 0, 2]
    assert light[1][1:] == [0, 0]


@pytest.mark.skipif(
    bpy.app.version[:2] == (5, 0), reason="Blender 5.0 loses packed images that are packed again without a change"
)
def test_what_was_saved_and_opened_again_is_still_painted(level, tmp_path: Path) -> None:
    paint(level, LDR, room.NORTH_LEFT, (100, 300, 70000))
    image_of(level, LDR).pack()
    for image in originals.resources(level, layout.LIGHTMAP).values():
        image.pack()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "painted.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "painted.blend"))
    made, changed = edited(originals.levels()[0], APPLY)
    assert changed == {"LIGHTING"}
    assert np.allclose(rgbe.decode(luxels(made, LDR, room.NORTH_LEFT))[0] * 255, (100, 300, 70000), atol=300)


def test_light_that_cannot_be_is_refused_or_cut(level) -> None:
    paint(level, LDR, room.WEST, (-5, 255, np.inf))
    made, _ = edited(level, APPLY)
    assert rgbe.decode(luxels(made, LDR, room.WEST))[0, 0] == 0
    paint(level, LDR, room.WEST, (np.nan, 0, 0))
    with pytest.raises(SceneError, match="are NaN"):
        edited(level, APPLY)


def test_an_image_of_another_size_is_refused(level) -> None:
    image_of(level, LDR).scale(8, 8)
    with pytest.raises(SceneError, match="has to keep 16 x 16"):
        edited(level, APPLY)


def test_without_lightmaps_nothing_is_written() -> None:
    level = small_room(lightmaps="none")
    assert edited(level, APPLY)[1] == set()
