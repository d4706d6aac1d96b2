# SPDX-License-Identifier: GPL-3.0-or-later
"""Texture libraries: their three containers, pixels of every form, new textures, and what is refused."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats import FormatError
from formats.genesis import bitmap, txl, vfs
from formats.genesis.bitmap import PixelFormat
from formats.genesis.palette import quantized
from tests.formats import genesis_txl_bytes as build

COLORS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (10, 20, 30)]


def picture(height: int, width: int, colors: int | None = None, seed: int = 1) -> np.ndarray:  # type: ignore[type-arg]
    random = np.random.default_rng(seed)
    if colors is None:
        made = random.integers(0, 256, (height, width, 4), np.uint8)
    else:
        made = random.integers(0, 256, (colors, 4), np.uint8)[random.integers(0, colors, (height, width))]
    made[..., 3] = 255
    return made


def test_a_library():
    data = build.small_library()
    assert txl.identify(data)
    library = txl.read(data)
    assert library.container == "VF00"
    assert [texture.name for texture in library] == ["inner", "photo", "glass", "stripes"]
    stripes = library.get("STRIPES")
    assert stripes is not None
    assert stripes.size == (4, 4)
    assert stripes.pixels().tolist() == [[[*color, 255] for color in COLORS]] * 4
    assert stripes.indices() is not None
    assert stripes.indices().tolist() == [[0, 1, 2, 3]] * 4
    assert stripes.palette().tolist() == [[*color, 255] for color in COLORS]
    glass = library.get("glass").pixels()
    assert glass[:, :, :3].tolist() == stripes.pixels()[:, :, :3].tolist()
    assert glass[:, :, 3].ravel().tolist() == list(range(0, 256, 16))
    photo = library.get("photo").pixels()
    assert photo.tolist() == [[[9, 8, 7, 255], [12, 11, 10, 255]], [[3, 2, 1, 255], [6, 5, 4, 255]]]
    assert library.get("nothing") is None
    assert txl.write(library) == data


def test_untouched_files_are_made_anew_as_they_were():
    data = build.small_library()
    files = vfs.read(data)
    files.source = None
    assert vfs.write(files) == data


def test_bitmaps_are_made_anew_as_they_were():
    for texture in txl.read(build.small_library()):
        if texture.name != "photo":
            assert bitmap.write(bitmap.read(texture.node.data)) == texture.node.data


@pytest.mark.parametrize("mask", [0x01, 0x5A, 0xFF])
def test_a_masked_library(mask):
    files = [("a", build.gebm(2, 2, bytes(4), palette=build.bgrx(COLORS))), ("b", b"something else")]
    data = build.vf00(files, magic=b"CF00", mask=mask)
    library = txl.read(data)
    assert (library.container, library.files.mask) == ("CF00", mask)
    assert library.get("a").pixels()[0, 0].tolist() == [255, 0, 0, 255]
    assert library.get("b").node.data == b"something else"
    assert txl.write(library) == data
    library.remove("b")
    assert txl.write(library) == build.vf00(files[:1], magic=b"CF00", mask=mask)


def test_the_older_library():
    palette = build.bgrx([(n, 255 - n, n // 2) for n in range(256)])
    mips = [bytes(range(32)), bytes(range(8)), bytes((9, 8))]
    data = build.eegc([("one", 8, 4, palette, mips), ("two", 1, 1, palette, [b"\7"])])
    assert txl.identify(data)
    library = txl.read(data)
    assert (library.container, [texture.size for texture in library]) == ("EEGC", [(8, 4), (1, 1)])
    assert library.get("One").pixels()[0, 5].tolist() == [5, 250, 2, 255]
    assert [pixels.shape for _, pixels in library.get("one").bitmap.mips] == [(4, 8, 1), (2, 4, 1), (1, 2, 1)]
    with pytest.raises(FormatError, match="not written"):
        txl.write(library)
    with pytest.raises(FormatError, match="cannot be changed"):
        library.add("x", picture(2, 2))


def test_a_texture_is_added_and_all_others_stay():
    data = build.small_library()
    library = txl.read(data)
    made = picture(8, 16, 40)
    library.add("brick", made)
    edited = txl.write(library)
    again = txl.read(edited)
    assert [texture.name for texture in again] == ["brick", "inner", "photo", "glass", "stripes"]
    assert np.array_equal(again.get("brick").pixels(), made)
    assert again.get("brick").bitmap.format == PixelFormat.PALETTE_8
    for texture in txl.read(data):
        assert again.get(texture.name).node.data == texture.node.data
    stored = len(again.get("brick").node.data)
    end = int.from_bytes(data[12:16], "little")
    assert edited[24:end] == data[24:end]  # its data stand behind those of the others
    assert int.from_bytes(edited[12:16], "little") == end + stored
    assert len(edited) == len(data) + stored + 4 + 4 + 6 + 24 + 4
    again.remove("brick")
    assert txl.write(again) == data


def test_a_texture_is_replaced():
    library = txl.read(build.small_library())
    made = picture(4, 4, 3)
    library.add("Glass", made)
    again = txl.read(txl.write(library))
    assert [texture.name for texture in again] == ["inner", "photo", "glass", "stripes"]
    assert np.array_equal(again.get("glass").pixels(), made)


def test_a_new_library():
    library = txl.Library()
    made = picture(256, 256)
    made[:, :128, 3] = 0
    library.add("noise", made)
    data = txl.write(library)
    assert data[:4] == b"VF00"
    again = txl.read(data).get("noise")
    assert len(again.palette()) == 256
    assert np.array_equal(again.pixels()[:, :, 3], made[:, :, 3])
    assert np.abs(again.pixels().astype(int) - made)[:, :, :3].mean() < 12  # of 65,536 random colours


@pytest.mark.parametrize(
    ("name", "made", "message"),
    [
        ("a" * 16, picture(2, 2), "a name has 1 to 15"),
        ("", picture(2, 2), "a name has 1 to 15"),
        ("a/b", picture(2, 2), "none of"),
        ("a", picture(3, 2), "2 by 3 pixels"),
        ("a", picture(512, 2), "up to 256"),
        ("a", picture(2, 2)[:, :, :3], "is not a picture"),
        ("a", picture(2, 2).astype(np.float32), "is not a picture"),
        ("\u20ac", picture(2, 2), "Latin-1"),
    ],
)
def test_what_cannot_be_added(name, made, message):
    library = txl.Library()
    with pytest.raises(FormatError, match=message):
        library.add(name, made)
        txl.write(library)


@pytest.mark.parametrize(
    ("form", "stored", "expected"),
    [
        (PixelFormat.GRAY_8, b"\x80", (128, 128, 128, 255)),
        (PixelFormat.RGB_555, b"\x1f\x7c", (255, 0, 255, 255)),
        (PixelFormat.BGR_555, b"\x1f\x00", (255, 0, 0, 255)),
        (PixelFormat.RGB_565, b"\xe0\x07", (0, 255, 0, 255)),
        (PixelFormat.BGR_565, b"\x00\xf8", (0, 0, 255, 255)),
        (PixelFormat.ARGB_4444, b"\x0f\x8a", (170, 0, 255, 136)),
        (PixelFormat.ARGB_1555, b"\x00\x7c", (255, 0, 0, 0)),
        (PixelFormat.RGB_24, b"\x01\x02\x03", (1, 2, 3, 255)),
        (PixelFormat.BGR_24, b"\x01\x02\x03", (3, 2, 1, 255)),
        (PixelFormat.RGBX_32, b"\x00\x03\x02\x01", (1, 2, 3, 255)),
        (PixelFormat.XRGB_32, b"\x03\x02\x01\x00", (1, 2, 3, 255)),
        (PixelFormat.BGRX_32, b"\x00\x01\x02\x03", (1, 2, 3, 255)),
        (PixelFormat.XBGR_32, b"\x01\x02\x03\x00", (1, 2, 3, 255)),
        (PixelFormat.RGBA_32, b"\x04\x03\x02\x01", (1, 2, 3, 4)),
        (PixelFormat.ARGB_32, b"\x03\x02\x01\x04", (1, 2, 3, 4)),
        (PixelFormat.BGRA_32, b"\x04\x01\x02\x03", (1, 2, 3, 4)),
        (PixelFormat.ABGR_32, b"\x01\x02\x03\x04", (1, 2, 3, 4)),
    ],
)
def test_forms_of_pixels(form, stored, expected):
    made = bitmap.read(build.gebm(2, 4, stored * 8, form=int(form)))
    assert (made.pixels() == expected).all()
    assert made.pixels().shape == (4, 2, 4)
    assert bitmap.write(made) == build.gebm(2, 4, stored * 8, form=int(form))


@pytest.mark.parametrize(("size", "width", "height"), [("log2", 8, 2), ("bytes", 5, 3), ("words", 300, 1)])
def test_forms_of_sizes(size, width, height):
    data = build.gebm(width, height, bytes(width * height), palette=build.bgrx(COLORS), size=size)
    made = bitmap.read(data)
    assert (made.width, made.height, made.pixels().shape) == (width, height, (height, width, 4))
    assert bitmap.write(made) == data


def test_a_colour_key_is_clear():
    data = build.gebm(2, 2, bytes((0, 1, 1, 0)), palette=build.bgrx(COLORS), key=b"\1")
    made = bitmap.read(data)
    assert made.pixels()[:, :, 3].tolist() == [[255, 0], [0, 255]]
    assert made.colors()[:, 3].tolist() == [255, 0, 255, 255]
    assert bitmap.write(made) == data
    true = bitmap.read(build.gebm(2, 1, b"\1\2\3\4\5\6", form=9, key=b"\4\5\6"))
    assert true.pixels()[:, :, 3].tolist() == [[255, 0]]


def test_mip_maps_and_whole_palettes():
    palette = build.bgrx([(n, n, 255 - n) for n in range(256)])
    data = build.gebm(4, 2, bytes(8), palette=palette, mips=[bytes((5, 6)), b"\7"])
    made = bitmap.read(data)
    assert [(level, pixels.ravel().tolist()) for level, pixels in made.mips[1:]] == [(1, [5, 6]), (2, [7])]
    assert (len(made.palette), bitmap.write(made)) == (256, data)


def test_an_8_bit_bmp():
    palette = build.bgrx(COLORS)
    made = bitmap.read(build.bmp(3, 2, 8, bytes((0, 1, 2, 0, 3, 2, 1, 0)), palette))
    assert made.indices().tolist() == [[3, 2, 1], [0, 1, 2]]
    assert made.pixels()[1, 2].tolist() == [0, 0, 255, 255]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GeBn" + bytes(20), "does not begin with GeBm"),
        (build.gebm(2, 2, bytes(4))[:4] + b"\x41" + build.gebm(2, 2, bytes(4))[5:], "version 0x41"),
        (build.gebm(2, 2, bytes(4), form=21), "no pixel format 21"),
        (build.gebm(2, 2, bytes(4), form=20), "cannot be read"),
        (build.gebm(2, 2, bytes(3)), "pixels|bytes"),
        (build.gebm(1 << 15, 1 << 15, b""), "pixels: .* bytes are left|1073741824"),
        (build.gebm(2, 2, bytes(4))[:9] + b"\x10" + bytes(5), "is compressed"),
        (build.bmp(2, 2, 4, bytes(8)), "4 bits"),
        (build.bmp(-2, 2, 24, bytes(16)), "-2 by 2"),
    ],
)
def test_bitmaps_that_are_refused(data, message):
    with pytest.raises(FormatError, match=message):
        bitmap.read(data)


def test_a_broken_bitmap_is_named_when_it_is_asked_for():
    library = txl.read(build.vf00([("good", build.gebm(1, 1, b"\0", palette=build.bgrx(COLORS))), ("bad", b"Ge")]))
    assert library.get("good").pixels().shape == (1, 1, 4)
    with pytest.raises(FormatError, match="at byte 0x36: reading bitmap of texture 'bad': needs 4"):
        library.get("bad").pixels()
    bare = txl.read(build.vf00([("bare", build.gebm(1, 1, b"\0"))]))
    with pytest.raises(FormatError, match="texture 'bare': has no palette"):
        bare.get("bare").pixels()


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (4, b"\1", "version 1"),
        (8, b"\1", "dispersed 1"),
        (12, b"\xff\xff\xff\x7f", "the directory is at 2147483647"),
        (12, b"\x18\0\0\0", "does not begin with DT01"),
    ],
)
def test_libraries_that_are_refused(at, value, message):
    data = bytearray(build.small_library())
    data[at : at + len(value)] = value
    with pytest.raises(FormatError, match=message):
        txl.read(data)


def test_a_file_beyond_the_end_is_refused():
    data = build.vf00([("a", bytes(10))])
    with pytest.raises(FormatError, match="10 bytes at 2000000000 are not in"):
        txl.read(data.replace((24).to_bytes(4, "little") + bytes(4), (2000000000).to_bytes(4, "little") + bytes(4)))


def test_files_that_share_bytes_are_refused():
    data = build.vf00([("a", bytes(200)), ("b", bytes(200)), ("c", bytes(200))])
    for size in (0, 200, 400):
        data = data.replace(struct.pack("<iii", 200, 24 + size, 0), struct.pack("<iii", 600, 24, 0))
    with pytest.raises(FormatError, match="share bytes"):
        txl.read(data)


def test_a_file_with_files_in_it_is_refused():
    inner = build.vf00([("a", bytes(4))], folder=[("b", bytes(4))])
    mark = build.ENTRY.pack(0x11223344, 0x01BE5566, 2, 0, 0, 0)
    with pytest.raises(FormatError, match="is not a directory"):
        txl.read(inner.replace(mark, build.ENTRY.pack(0x11223344, 0x01BE5566, 0, 0, 0, 0)))


@given(st.integers(1, 300), st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_up_to_256_colours_are_exact(colors, seed):
    made = picture(16, 32, colors, seed)
    palette, indices = quantized(made[:, :, :3])
    assert len(palette) <= 256
    if len(np.unique(made.reshape(-1, 4), axis=0)) <= 256:
        assert np.array_equal(palette[indices], made[:, :, :3])
    else:
        assert np.abs(palette[indices].astype(int) - made[:, :, :3]).mean() < 8


def test_a_gradient_keeps_its_steps():
    across = np.linspace(0, 255, 64).astype(np.uint8)
    made = np.stack(np.broadcast_arrays(across, across[:, None], np.uint8(128)), axis=-1)
    palette, indices = quantized(made)
    assert np.abs(palette[indices].astype(int) - made).max() <= 12
