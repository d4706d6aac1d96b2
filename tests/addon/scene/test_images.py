# SPDX-License-Identifier: GPL-3.0-or-later
"""Images: bit for bit through save and reopen, painting seen, placeholders readable, files found without capitals."""

import struct
import zlib
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.media import images
from levelwright.formats import bitmap_font


def every_value() -> np.ndarray:
    """uint8[256,256,4]: every red with every alpha (0 too), and more."""
    alpha, red = np.mgrid[0:256, 0:256]
    return np.dstack([red, 255 - red, (red * 7 + alpha) % 256, alpha]).astype(np.uint8)


def reopen(path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


@pytest.mark.parametrize("non_color", [False, True])
def test_bit_exact_through_save_and_reopen(tmp_path: Path, non_color: bool) -> None:
    pixels = every_value()
    image = images.from_rgba("i", pixels, non_color=non_color)
    image.use_fake_user = True
    assert np.array_equal(images.to_rgba(image), pixels)
    assert image.colorspace_settings.name == ("Non-Color" if non_color else "sRGB")
    reopen(tmp_path / "i.blend")
    image = bpy.data.images["i"]
    assert image.packed_file is not None
    assert images.unchanged(image)
    assert np.array_equal(images.to_rgba(image), pixels)
    assert images.unchanged(image), "looking at the pixels changes nothing"


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (13, 2), (31, 33)])
def test_any_size(shape: tuple[int, int]) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (*shape, 4)).astype(np.uint8)
    image = images.from_rgba("i", pixels)
    assert tuple(image.size) == shape[::-1]
    assert np.array_equal(images.to_rgba(image), pixels)


@pytest.mark.parametrize("wrong", [(4, 4), (4, 4, 3), (0, 4, 4)])
def test_wrong_shapes_are_refused(wrong: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="height, width, 4"):
        images.from_rgba("i", np.zeros(wrong, np.uint8))


def test_top_row_first() -> None:
    pixels = np.zeros((2, 1, 4), np.uint8)
    pixels[0] = (255, 0, 0, 255)
    image = images.from_rgba("i", pixels)
    assert list(image.pixels)[4:] == [1, 0, 0, 1], "Blender's rows go up"


def test_painting_is_seen_and_exact(tmp_path: Path) -> None:
    pixels = every_value()
    image = images.from_rgba("i", pixels)
    image.use_fake_user = True
    painted = np.array(image.pixels[:], np.float32).reshape(256, 256, 4)
    painted[10, 20] = (0.2, 0.4, 0.6, 0.8)
    image.pixels.foreach_set(painted.reshape(-1))
    assert not images.unchanged(image)
    expected = pixels.copy()
    expected[255 - 10, 20] = (51, 102, 153, 204)
    assert np.array_equal(images.to_rgba(image), expected)
    image.pack()
    assert not images.unchanged(image), "packed, so not dirty, but other bytes"
    reopen(tmp_path / "i.blend")
    assert not images.unchanged(bpy.data.images["i"])
    assert np.array_equal(images.to_rgba(bpy.data.images["i"]), expected)


def test_other_packed_bytes_are_a_change() -> None:
    image = images.from_rgba("i", every_value())
    other = images.png(np.zeros((4, 4, 4), np.uint8))
    image.pack(data=other, data_len=len(other))
    assert not images.unchanged(image)
    images.remember(image)
    assert images.unchanged(image)


def test_images_without_baseline_are_changed() -> None:
    assert not images.unchanged(bpy.data.images.new("new", 4, 4))


def test_images_of_other_kinds_become_rgba() -> None:
    image = bpy.data.images.new("float", 2, 2, float_buffer=True)
    image.pixels.foreach_set(np.array([2.0, -1.0, 0.5, 1.0] * 4, np.float32))
    assert images.to_rgba(image)[0, 0].tolist() == [255, 0, 128, 255]


def test_an_image_without_pixels_is_named() -> None:
    image = bpy.data.images.new("gone", 4, 4)
    image.source = "FILE"
    image.filepath = "/nowhere/gone.png"
    with pytest.raises(ValueError, match="gone"):
        images.to_rgba(image)


def test_png_is_a_png() -> None:
    data = images.png(every_value())
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, kinds = 8, []
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(kind + body)
        kinds.append(kind)
        at += 12 + length
    assert kinds == [b"IHDR", b"IDAT", b"IEND"]


def test_palettes_give_their_colours() -> None:
    indices = np.arange(15, dtype=np.uint8).reshape(3, 5) % 4
    colors = np.array([(0, 0, 0), (255, 128, 1), (3, 2, 200), (9, 90, 99)], np.uint8)
    image = images.from_palette("few", indices, colors)
    found = images.to_rgba(image)
    assert np.array_equal(found[..., :3], colors[indices])
    assert (found[..., 3] == 255).all()
    with pytest.raises(ValueError, match="colours 3 of 2"):
        images.from_palette("fewer", indices, colors[:2])


def test_file_bytes_are_kept() -> None:
    data = images.png(every_value())
    image = images.from_file_bytes("i", data)
    assert image.packed_file.data == data
    assert tuple(image.size) == (256, 256)
    assert np.array_equal(images.to_rgba(image), every_value())


def dxt1(color: int, width: int, height: int) -> bytes:
    """Blocks of one colour (565) all over."""
    return struct.pack("<HHI", color, color, 0) * ((width + 3) // 4 * ((height + 3) // 4))


def test_dds_is_decoded_by_blender_and_kept(tmp_path: Path) -> None:
    image = images.from_dds("d", 8, 4, b"DXT1", dxt1(0xF800, 8, 4) + b"smaller mips")
    image.use_fake_user = True
    packed = image.packed_file.data
    assert images.to_rgba(image).tolist() == [[[255, 0, 0, 255]] * 8] * 4
    reopen(tmp_path / "d.blend")
    image = bpy.data.images["d"]
    assert image.packed_file.data == packed
    assert images.unchanged(image)
    assert images.to_rgba(image)[0, 0].tolist() == [255, 0, 0, 255]


@pytest.mark.parametrize("four_cc", [b"DXT3", b"DXT5"])
def test_dds_with_alpha(four_cc: bytes) -> None:
    alpha = b"\x88" * 8 if four_cc == b"DXT3" else bytes([136, 136]) + bytes(6)
    image = images.from_dds("d", 4, 4, four_cc, alpha + dxt1(0x07E0, 4, 4))
    assert images.to_rgba(image)[0, 0].tolist() == [0, 255, 0, 136]


def test_bc7_images():
    """A block of mode 6, which its lowest bit says: two ends of 7 bits a channel, a bit of each end, 4 bits a pixel."""
    red, green, blue, alpha = 100, 50, 25, 127
    bits = 1 << 6
    for place, value in enumerate((red, red, green, green, blue, blue, alpha, alpha)):
        bits |= value << 7 + 7 * place
    bits |= 0b11 << 63
    image = images.from_dds("d", 4, 4, b"BC7", bits.to_bytes(16, "little"))
    assert list(image.size) == [4, 4]
    assert [round(value * 255) for value in image.pixels[:4]] == [2 * red + 1, 2 * green + 1, 2 * blue + 1, 255]


def test_dds_of_light() -> None:
    """BC6H, of one colour: five bits for the way, three ends of 10 bits, twice; 480 of 1023 is a half of 0x3A2F."""
    bits, at = 0b00011, 5
    for end in (480, 0, 240) * 2:
        bits |= end << at
        at += 10
    image = images.from_dds("d", 4, 4, b"BC6H", bits.to_bytes(16, "little"), non_color=False)
    assert image.is_float and image.colorspace_settings.name == images.LINEAR
    wanted = [np.array([number], np.uint16).view(np.float16)[0] for number in (0x3A2F, 0, 0x1D27)]
    np.testing.assert_allclose(image.pixels[:4], [*wanted, 1], atol=2e-3)


def test_dds_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="needs 16"):
        images.from_dds("d", 8, 4, b"DXT1", bytes(15))
    with pytest.raises(ValueError, match="isn't"):
        images.from_dds("d", 8, 4, b"ATI2", bytes(64))
    with pytest.raises(ValueError, match="needs"):
        images.from_dds("d", 0, 4, b"DXT1", bytes(64))


@pytest.mark.parametrize("size", [(1024, 1024), (256, 512), (64, 64), (1, 1), (3, 200)])
def test_placeholder(size: tuple[int, int]) -> None:
    image = images.checker("grass_main", *size)
    assert tuple(image.size) == size
    assert images.is_placeholder(image)
    assert not images.is_placeholder(images.from_rgba("i", every_value()))
    pixels = images.to_rgba(image)
    assert (pixels[..., 3] == 255).all()
    assert (np.ptp(pixels[..., :3].astype(int), axis=2) <= 8).all(), "grey, never pink"


def test_placeholder_bears_its_name() -> None:
    pixels = images.to_rgba(images.checker("grass", 512, 512))
    light = (pixels[..., :3] == images.PLACEHOLDER_TEXT).all(2)
    rows, columns = np.flatnonzero(light.any(1)), np.flatnonzero(light.any(0))
    text = light[rows[0] : rows[0] + bitmap_font.HEIGHT * 8, columns[0] : columns[-1] + 1]
    assert np.array_equal(text, bitmap_font.text("grass", 8))


def test_painting_on_packed_images_is_saved(tmp_path: Path) -> None:
    """Blender saves no painting on a packed image that nobody packs again; the extension does that."""
    pixels = every_value()
    for name, non_color in (("colour", False), ("data", True)):
        image = images.from_rgba(name, pixels, non_color=non_color)
        image.use_fake_user = True
        values = np.array(image.pixels[:], np.float32)
        values[:4] = (1.0, 0.0, 1.0, 0.0)  # the lower left pixel
        image.pixels.foreach_set(values)
        image.update()
    reopen(tmp_path / "i.blend")
    painted = pixels.copy()
    painted[-1, 0] = (255, 0, 255, 0)
    for name in ("colour", "data"):
        image = bpy.data.images[name]
        assert np.array_equal(images.to_rgba(image), painted)
        assert not images.unchanged(image)
