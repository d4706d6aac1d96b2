# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures that were written: every format against our reader and srctools', blocks against what they are made of."""

import io
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.source.content import dxt_write, texels, vtf, vtf_write
from formats.source.content.texels import ImageFormat
from formats.source.content.vtf import TextureFlags
from tests import examples

RNG = np.random.default_rng(3)
SIDE = 64


def picture() -> np.ndarray:
    """Gradients and an edge, with alpha: what textures look like."""
    row, column = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1)
    parts = [row * 200 + 20, column * 180 + 30, (row + column) * 60 + 40, column * 255]
    made = np.stack(parts, axis=2)
    made[16:40, 20:44, :3] = (220, 40, 30)
    return np.rint(made).astype(np.uint8)


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """Root of the mean squared difference."""
    return float(np.sqrt(((one.astype(float) - other) ** 2).mean()))


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("form", [ImageFormat.BGRA8888, ImageFormat.DXT5])
def test_every_version_reads_back(version: int, form: ImageFormat) -> None:
    data = vtf_write.write(picture(), form, version=version, flags=TextureFlags.CLAMPS, bump_scale=2)
    texture = vtf.read(data)
    assert texture.version == (7, version)
    assert (texture.width, texture.height, texture.mipmaps, texture.frames) == (SIDE, SIDE, 7, 1)
    assert texture.flags == TextureFlags.CLAMPS | TextureFlags.EIGHTBITALPHA
    assert texture.bump_scale == 2
    assert apart(texture.pixels(), picture()) < (4 if form == ImageFormat.DXT5 else 1e-9)
    assert apart(texture.pixels(2), picture()[1::4, 1::4]) < 12
    light = ((picture()[..., :3] / 255) ** 2.2).mean(axis=(0, 1))
    assert texture.reflectivity == pytest.approx(light, rel=1e-5)


CLOSE = {
    ImageFormat.DXT1: 3, ImageFormat.DXT3: 4, ImageFormat.DXT5: 3, ImageFormat.BGR565: 3, ImageFormat.BGRA4444: 6,
}  # fmt: skip


@pytest.mark.parametrize("form", vtf_write.FORMATS)
def test_every_format_reads_back_here_and_elsewhere(form: ImageFormat) -> None:
    srctools = pytest.importorskip("srctools.vtf")
    pixels = picture()
    data = vtf_write.write(pixels, form)
    ours = vtf.read(data).pixels()
    wanted = {
        ImageFormat.A8: [3], ImageFormat.UV88: [0, 1], ImageFormat.ATI1N: [0], ImageFormat.ATI2N: [0, 1],
        ImageFormat.I8: [], ImageFormat.IA88: [3], ImageFormat.DXT1_ONEBITALPHA: [], ImageFormat.BGRA5551: [0, 1, 2],
    }.get(form, [0, 1, 2, 3] if form in vtf_write._ALPHA else [0, 1, 2])  # fmt: skip
    if wanted:
        assert apart(ours[..., wanted], pixels[..., wanted]) < CLOSE.get(form, 2.5)
    if form in (ImageFormat.I8, ImageFormat.IA88):
        assert apart(ours[..., 0], pixels[..., :3] @ (0.299, 0.587, 0.114)) < 1
    if form in (ImageFormat.DXT1_ONEBITALPHA, ImageFormat.BGRA5551):
        clear = pixels[..., 3] < 128
        assert (ours[..., 3] == np.where(clear, 0, 255)).all()
        assert apart(ours[~clear][..., :3], pixels[~clear][..., :3]) < 4
    if form in (ImageFormat.ATI1N, ImageFormat.ATI2N, ImageFormat.ARGB8888):
        return  # which srctools has no decoder for, or takes for other channels than the engine
    theirs = srctools.VTF.read(io.BytesIO(data))
    theirs.load()
    assert (theirs.width, theirs.height, theirs.mipmap_count) == (SIDE, SIDE, 7)
    read = np.array(theirs.get().to_PIL().convert("RGBA")).reshape(-1, 4)
    ours = ours.reshape(-1, 4)
    solid = ours[:, 3] > 0
    channels = [0, 1] if form == ImageFormat.UV88 else [3] if form == ImageFormat.A8 else [0, 1, 2]
    assert np.abs(read[solid][:, channels].astype(int) - ours[solid][:, channels]).max() <= 9, "their rounding"


def test_mipmaps_average_light_and_keep_normals_long() -> None:
    checker = np.full((8, 8, 4), 255, np.uint8)
    checker[::2, ::2, :3] = checker[1::2, 1::2, :3] = 0
    small = vtf.read(vtf_write.write(checker, ImageFormat.BGRA8888)).pixels(1)
    assert set(small[..., :3].ravel().tolist()) == {round(255 * 0.5 ** (1 / 2.2))}
    bumps = np.full((8, 8, 4), 255, np.uint8)
    bumps[..., :3] = (218, 128, 218)
    bumps[:, ::2, 0] = 37
    flat = vtf.read(vtf_write.write(bumps, ImageFormat.BGRA8888, TextureFlags.NORMAL)).pixels(1)
    assert np.abs(flat[0, 0, :3].astype(int) - (128, 128, 255)).max() <= 1


def test_frames_and_no_mipmaps() -> None:
    frames = [np.full((16, 32, 4), n, np.uint8) for n in (10, 200, 90)]
    data = vtf_write.write(frames, ImageFormat.BGRA8888, mipmaps=False)
    texture = vtf.read(data)
    assert (texture.frames, texture.mipmaps) == (3, 1)
    assert texture.flags & TextureFlags.NOMIP
    assert [int(texture.pixels(frame=n)[3, 3, 0]) for n in range(3)] == [10, 200, 90]


@pytest.mark.parametrize(
    ("pixels", "options", "message"),
    [
        (np.zeros((12, 16, 4), np.uint8), {}, "powers of two"),
        (np.zeros((16, 16, 3), np.uint8), {}, "not uint8"),
        (np.zeros((16, 16, 4), np.float32), {}, "not uint8"),
        (np.zeros((16, 16, 4), np.uint8), {"form": ImageFormat.BC7}, "BC7 are not written"),
        (np.zeros((16, 16, 4), np.uint8), {"version": 6}, "7.6 is not written"),
        ([], {}, "0 frames"),
    ],
)
def test_what_cannot_be_a_texture_is_refused(pixels, options, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        vtf_write.write(pixels, **options)


def test_pictures_are_brought_to_powers_of_two() -> None:
    made = vtf_write.resized(picture()[:50, :60])
    assert made.shape == (64, 64, 4)
    assert (
        apart(made[::8, ::8], picture()[:50, :60][(np.arange(8) * 8 * 50 // 64)][:, np.arange(8) * 8 * 60 // 64]) < 25
    )
    assert (vtf_write.resized(np.full((3, 700, 4), 77, np.uint8)) == 77).all()
    assert vtf_write.resized(np.full((3, 700, 4), 77, np.uint8)).shape == (4, 512, 4)


@examples.at_most(60)
@given(st.binary(min_size=64, max_size=64))
def test_blocks_of_anything_are_no_worse_than_a_flat_one(data: bytes) -> None:
    pixels = np.frombuffer(data, np.uint8).reshape(4, 4, 4)
    for form in (ImageFormat.DXT1, ImageFormat.DXT5):
        made = texels.decode(form, dxt_write.encode(form, pixels), 4, 4)
        mean = pixels[..., :3].reshape(-1, 3).mean(axis=0)
        flat = ((pixels[..., :3] - mean) ** 2).sum()
        assert ((made[..., :3].astype(float) - pixels[..., :3]) ** 2).sum() <= flat * 1.05 + 16 * 3 * 9
    alpha = made[..., 3].astype(int) - pixels[..., 3]
    assert (alpha**2).sum() <= 16 * 19**2, "half a step of seven"


@examples.at_most(60)
@given(st.tuples(*[st.integers(0, 255)] * 4))
def test_flat_colours_are_kept(color: tuple) -> None:
    pixels = np.broadcast_to(np.array(color, np.uint8), (4, 4, 4))
    made = texels.decode(ImageFormat.DXT5, dxt_write.encode(ImageFormat.DXT5, pixels), 4, 4)
    assert np.abs(made[..., :3].astype(int) - color[:3]).max() <= 2
    assert (made[..., 3] == color[3]).all()


def test_a_large_picture_is_quick() -> None:
    pixels = RNG.integers(0, 256, (512, 512, 4), np.uint8)
    start = time.process_time()
    dxt_write.encode(ImageFormat.DXT5, pixels)
    assert time.process_time() - start < 5
