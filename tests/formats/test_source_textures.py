# SPDX-License-Identifier: GPL-3.0-or-later
"""VTF textures against bytes built by hand, the textures in real levels, and what sourcepp makes of both."""

import io
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.source.content import texels, troika, vtf, vtf_write
from formats.source.content.texels import ImageFormat
from tests.formats import source_content_bytes as build

RNG = np.random.default_rng(1)
PIXELS = RNG.integers(0, 256, (16, 32, 4), np.uint8)


def test_a_plain_texture():
    images = bytes(range(1, 65))
    texture = vtf.read(build.vtf(images, thumbnail=b"\xff" * 8))
    assert (texture.version, texture.width, texture.height, texture.depth) == ((7, 2), 4, 4, 1)
    assert texture.reflectivity == pytest.approx((0.1, 0.2, 0.3))
    assert texture.bump_scale == 1.5
    assert texture.pixels()[0, 0].tolist() == [3, 2, 1, 4]
    assert texture.pixels()[3, 3].tolist() == [63, 62, 61, 64]


@pytest.mark.parametrize("minor", [0, 1, 2, 3, 4, 5, 6])
def test_mipmaps_frames_and_faces_in_the_files_order(minor):
    sizes = [(1, 1), (2, 2), (4, 4)]
    images, number = b"", 0
    for width, height in sizes:
        for _frame in range(2):
            for _face in range(6):
                images += bytes([number]) * (width * height)
                number += 1
    data = build.vtf(images, form=ImageFormat.I8, minor=minor, mipmaps=3, frames=2, flags=vtf.TextureFlags.ENVMAP)
    texture = vtf.read(data)
    assert (texture.faces, texture.frames) == (6, 2)
    for mipmap in range(3):
        for frame in range(2):
            for face in range(6):
                expected = ((2 - mipmap) * 2 + frame) * 6 + face
                assert set(texture.pixels(mipmap, frame, face)[..., 0].ravel().tolist()) == {expected}


def test_a_sphere_map_is_a_seventh_face_where_there_is_room_for_it():
    flags = vtf.TextureFlags.ENVMAP
    assert vtf.read(build.vtf(bytes(16 * 7), form=5, minor=2, flags=flags)).faces == 7
    assert vtf.read(build.vtf(bytes(16 * 6), form=5, minor=2, flags=flags)).faces == 6
    assert vtf.read(build.vtf(bytes(16 * 7), form=5, minor=5, flags=flags)).faces == 6


def test_slices_of_a_volume():
    images = b"".join(bytes([n]) * 16 for n in range(4))
    texture = vtf.read(build.vtf(images, form=5, depth=4))
    assert [int(texture.pixels(layer=n)[0, 0, 0]) for n in range(4)] == [0, 1, 2, 3]


def test_resources():
    resources = ((b"CRC", 2, b"\1\2\3\4"), (b"KVD", 0, b'"a" { }'))
    texture = vtf.read(build.vtf(bytes(range(64)), minor=4, resources=resources, thumbnail=bytes(8)))
    assert texture.resources == {b"CRC": b"\1\2\3\4", b"KVD": b'"a" { }'}
    assert bytes(texture.image()) == bytes(range(64))


def test_compressed_images():
    small, large = bytes(4), bytes(range(64))
    for method in (0, 8):
        sizes, images = build.compressed([small, large], method=method)
        data = build.vtf(images, minor=6, mipmaps=2, resources=((b"AXC", 0, sizes),), height=4)
        with pytest.raises(FormatError, match="decompresses"):
            vtf.read(data).image(1)  # 2 x 2 pixels, but the builder's has only one
        assert bytes(vtf.read(data).image(0)) == large
    sizes, images = build.compressed([small, large], method=93)
    with pytest.raises(FormatError, match="zstd"):
        vtf.read(build.vtf(images, minor=6, mipmaps=2, resources=((b"AXC", 0, sizes),)))


def test_orders_of_channels():
    orders = {"RGBA8888": [1, 2, 3, 4], "ABGR8888": [4, 3, 2, 1], "ARGB8888": [2, 3, 4, 1], "BGRA8888": [3, 2, 1, 4]}
    for name, wanted in orders.items():
        assert texels.decode(ImageFormat[name], bytes([1, 2, 3, 4]), 1, 1).tolist() == [[wanted]], name
    blocks = bytes([200, 200, *bytes(6), 100, 100, *bytes(6)])
    assert texels.decode(ImageFormat.ATI2N, blocks, 1, 1)[0, 0, :2].tolist() == [100, 200]


def test_blocks_of_dxt():
    red, blue = 0xF800, 0x001F
    choices = bytes([0b11100100] * 4)
    four = struct.pack("<HH", red, blue) + choices
    assert texels.decode(ImageFormat.DXT1, four, 4, 4)[0].tolist() == [
        [255, 0, 0, 255], [0, 0, 255, 255], [170, 0, 85, 255], [85, 0, 170, 255]]  # fmt: skip
    three = struct.pack("<HH", blue, red) + choices
    assert texels.decode(ImageFormat.DXT1, three, 4, 4)[0].tolist() == [
        [0, 0, 255, 255], [255, 0, 0, 255], [127, 0, 127, 255], [0, 0, 0, 0]]  # fmt: skip
    alpha = bytes([0x10, 0x32] * 4)
    assert texels.decode(ImageFormat.DXT3, alpha + three, 4, 4)[0, :, 3].tolist() == [0, 17, 34, 51]
    ramp = bytes([255, 0]) + sum(n << 3 * n for n in range(8)).to_bytes(3, "little") * 2
    row = texels.decode(ImageFormat.DXT5, ramp + four, 4, 4)[:2, :, 3].ravel().tolist()
    assert row == [255, 0, 219, 182, 146, 109, 73, 36]
    odd = texels.decode(ImageFormat.DXT1, four * 2, 5, 3)
    assert odd.shape == (3, 5, 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"minor": 7}, "version 7.7"),
        ({"form": 99}, "format 99"),
        ({"form": 0xFFFFFFFF}, "format -1"),
        ({"width": 0}, "0 x 4"),
        ({"mipmaps": 0}, "0 mipmaps"),
        ({"frames": 0}, "0 frames"),
    ],
)
def test_bad_headers(change, message):
    with pytest.raises(FormatError, match=message):
        vtf.read(build.vtf(bytes(64), **change))


def test_cut_off_textures():
    data = build.vtf(bytes(64))
    assert vtf.read(data[:-1]).width == 4
    with pytest.raises(FormatError, match="ends in mipmap 0"):
        vtf.read(data[:-1]).image()
    for end in range(80):
        with pytest.raises(FormatError):
            vtf.read(data[:end])
    with pytest.raises(FormatError, match="not decoded"):
        vtf.read(build.vtf(bytes(16), form=ImageFormat.P8)).pixels()


def test_troika_textures():
    whole = vtf_write.write(PIXELS)
    head, rest = build.troika(whole, 80)
    assert troika.join(head, rest) == whole
    assert troika.join(build.troika(whole, len(whole))[0], None) == whole
    with pytest.raises(FormatError, match="is missing"):
        troika.join(head, None)
    with pytest.raises(FormatError, match="has 3 bytes"):
        troika.join(head, b"abc")
    with pytest.raises(FormatError):
        troika.join(head[:20], rest)


def pakfiles(corpus):
    for path in sorted((corpus / "bsp").rglob("*.bsp")):
        try:
            archive = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
        except zipfile.BadZipFile:
            continue
        yield from ((path.name, archive, info) for info in archive.infolist())


def test_textures_of_real_levels(corpus):
    counts = dict.fromkeys(("vtf", "tth"), 0)
    for _, archive, info in pakfiles(corpus):
        ending = info.filename.lower().rpartition(".")[2]
        if ending == "vtf":
            texture = vtf.read(archive.read(info))
        elif ending == "tth":
            rest = info.filename[:-1] + "z"
            names = archive.namelist()
            texture = vtf.read(troika.join(archive.read(info), archive.read(rest) if rest in names else None))
        else:
            continue
        counts[ending] += 1
        assert texture._smaller(-1) == len(texture.images), info.filename
        assert texture.pixels(texture.mipmaps - 1).shape[2] == 4
    assert counts["vtf"] >= 200
    assert counts["tth"] >= 8


def test_pixels_of_real_levels_are_those_of_sourcepp(corpus):
    vtfpp = pytest.importorskip("sourcepp", exc_type=ImportError).vtfpp
    for name, archive, info in pakfiles(corpus):
        if not info.filename.lower().endswith(".vtf"):
            continue
        data = archive.read(info)
        ours, theirs = vtf.read(data), vtfpp.VTF(data)
        shape = (ours.width, ours.height, ours.faces, ours.mipmaps, ours.frames)
        assert shape == (theirs.width, theirs.height, theirs.face_count, theirs.mip_count, theirs.frame_count)
        mipmap = min(2, ours.mipmaps - 1)
        for face in range(ours.faces):
            assert bytes(theirs.get_image_data_raw(mip=mipmap, face=face)) == bytes(ours.image(mipmap, 0, face)), name
            pixels = ours.pixels(mipmap, 0, face)
            if pixels.dtype == np.uint8:
                other = np.frombuffer(bytes(theirs.get_image_data_as_rgba8888(mip=mipmap, face=face)), np.uint8)
                assert np.abs(pixels.ravel().astype(int) - other).max() <= 1, name


COMPARED = [
    form for form in ImageFormat
    if form not in (ImageFormat.NONE, ImageFormat.P8, ImageFormat.A8, ImageFormat.DXT1_ONEBITALPHA)
    and form < ImageFormat.R8
]  # fmt: skip


@pytest.mark.parametrize("form", COMPARED, ids=lambda form: form.name)
@pytest.mark.parametrize("minor", [2, 5, 6])
def test_textures_that_sourcepp_made(form, minor):
    vtfpp = pytest.importorskip("sourcepp", exc_type=ImportError).vtfpp
    options = vtfpp.VTF.CreationOptions()
    options.version, options.output_format = minor, getattr(vtfpp.ImageFormat, form.name)
    options.compression_method, options.compression_level = vtfpp.CompressionMethod.DEFLATE, 6
    smooth = np.full((16, 32, 4), 255, np.uint8)
    smooth[..., 0], smooth[..., 1] = np.arange(32) * 8, np.arange(16)[:, None] * 16
    smooth[..., 2] = 70
    made = vtfpp.VTF.create(smooth.tobytes(), vtfpp.ImageFormat.RGBA8888, 32, 16, options)
    texture = vtf.read(bytes(made.bake()))
    assert texture.format == form
    assert bool(texture.compressed_sizes) == (minor == 6)
    assert bytes(texture.image(1)) == bytes(made.get_image_data_raw(mip=1))
    pixels = texture.pixels()
    if pixels.dtype == np.float32:
        channels = {"R32F": 1, "RGB323232F": 3}.get(form.name, 4)
        assert np.abs(pixels[..., :channels] * 255 - smooth[..., :channels]).max() < 0.2
    else:
        theirs = np.frombuffer(bytes(made.get_image_data_as_rgba8888()), np.uint8).reshape(pixels.shape)
        # It shows an unused bit as alpha, and what formats of one or two channels lack in other ways.
        channels = {ImageFormat.BGRX5551: 3, ImageFormat.ATI2N: 2, ImageFormat.ATI1N: 1}.get(form, 4)
        assert np.abs(pixels[..., :channels].astype(int) - theirs[..., :channels]).max() <= 1


@given(st.data())
def test_damaged_textures_are_read_or_refused(data):
    sizes, images = build.compressed([bytes(4), bytes(range(64))])
    whole = data.draw(
        st.sampled_from(
            [
                build.vtf(bytes(80), mipmaps=2),
                build.vtf(bytes(96), minor=4, form=5, flags=0x4000, resources=((b"KVD", 0, b"abc"),)),
                build.vtf(images, minor=6, mipmaps=2, resources=((b"AXC", 0, sizes),)),
                build.vtf(bytes(32), form=15, frames=2),
            ]
        )
    )
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    try:
        texture = vtf.read(bytes(damaged))
        pixels = texture.pixels(texture.mipmaps - 1, texture.frames - 1, texture.faces - 1)
    except FormatError:
        return
    assert pixels.shape[2] == 4
