# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps: lighting lumps made byte by byte, block after block."""

import struct

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source.light import lighting
from formats.source.records import RGBE, LevelFlag
from formats.source.tables import geometry
from tests.formats import source_record_bytes as build

NONE = 255
BUMPED, FLAT = 0, 1  # texinfos
FACES = ("FACE", "FACE_32", "FACE_STRATA", "FACE_17", "FACE_17_DAY_NIGHT", "FACE_18")  # the last three hold averages
TEXINFOS = np.frombuffer(build.record("TEXINFO", flags=0x800) + build.record("TEXINFO", flags=0x400), geometry.TEXINFO)


class Lump:
    """A lighting lump and its faces. The luxel s, t of sample k of style n of face f is (f, n * 8 + k, t * 16 + s)."""

    def __init__(self, name="FACE", extra=0, interleaved=False, header=True):
        self.name, self.extra, self.interleaved, self.header = name, extra, interleaved, header
        self.data = b""
        self.faces = []

    def add(self, width, height, styles=(0,), texinfo=FLAT):
        number = len(self.faces)
        samples = 4 if texinfo == BUMPED else 1
        if self.header:
            for style in reversed(range(len(styles))):
                self.data += struct.pack("3Bb", 200, number, style, -1)
        offset = len(self.data)
        tail = b""
        for style in range(len(styles)):
            for sample in range(samples):
                for t in range(height):
                    for s in range(width):
                        self.data += struct.pack("3Bb", number, style * 8 + sample, t * 16 + s, 2)
            extra = bytes([style + 1]) * (self.extra * width * height)
            self.data, tail = (self.data + extra, tail) if self.interleaved else (self.data, tail + extra)
        self.data += tail
        self.face(offset, (width - 1, height - 1), styles, texinfo)
        return self

    def face(self, lightofs, size, styles=(0,), texinfo=FLAT):
        slots = 8 if self.name == "FACE_17_DAY_NIGHT" else 4
        used = [*styles, *[NONE] * (slots - len(styles))]
        self.faces.append(
            build.record(
                self.name, len(self.faces), lightofs=lightofs, lightmap_size=size, styles=used, texinfo=texinfo
            )
        )
        return self

    def blocks(self, flags=0):
        faces = np.frombuffer(b"".join(self.faces), getattr(geometry, self.name))
        return lighting.blocks(faces, TEXINFOS, len(self.data), flags)


def usual(**options):
    lump = Lump(**options).add(3, 2).face(-1, (4, 4)).add(2, 2, (0, 32, 33), BUMPED).face(400, (3, 3), (NONE,))
    return lump.add(4, 1, (0, 5)).add(2, 3, texinfo=BUMPED)


def test_places_of_blocks():
    found = usual().blocks()
    assert found.faces.tolist() == [0, 2, 4, 5]
    assert found.width.tolist() == [3, 2, 4, 2]
    assert found.height.tolist() == [2, 2, 1, 3]
    assert found.styles.tolist() == [1, 3, 2, 1]
    assert found.samples.tolist() == [1, 4, 1, 4]
    assert found.header.tolist() == [4, 12, 8, 4]
    assert found.offset[0] == 4
    assert (found.extra, found.interleaved, found.outside.tolist()) == (0, False, [])
    assert found.size.tolist() == [24, 192, 32, 96]


@pytest.mark.parametrize(
    ("name", "header"), [*((name, True) for name in FACES), *((name, False) for name in FACES[3:])]
)
@pytest.mark.parametrize(("extra", "interleaved"), [(0, False), (1, False), (4, False), (1, True), (4, True)])
def test_every_luxel_is_found(name, extra, interleaved, header):
    lump = usual(name=name, extra=extra, interleaved=interleaved, header=header)
    found = lump.blocks(LevelFlag.LIGHTSTYLES_WITH_CSM if interleaved else 0)
    assert (found.extra, found.interleaved) == (extra, interleaved)
    assert len(found.outside) == 0
    number = 0
    for style in range(8):
        for sample in range(4):
            offsets, owners = lighting.luxel_offsets(found, style, sample)
            colors = lighting.colors_at(lump.data, offsets)
            number += len(colors)
            has = (style < found.styles) & (sample < found.samples)
            begin = found.lightmap(style, sample)[has]
            assert (lighting.lightmap_colors(lump.data, begin, found.luxels[has]) == colors).all()
            assert len(colors) == found.luxels[has].sum()
            assert (colors["exponent"] == 2).all()
            assert (colors["rgb"][:, 0] == found.faces[owners]).all()
            assert (colors["rgb"][:, 1] == style * 8 + sample).all()
            for each in np.unique(owners):
                t, s = np.indices((found.height[each], found.width[each]))
                assert (colors["rgb"][owners == each, 2] == (t * 16 + s).ravel()).all()
        for each, begin in enumerate(found.extras(style)):
            count = int(found.luxels[each]) * extra
            assert begin == -1 or set(lump.data[begin : begin + count]) == {style + 1}
        average = found.averages(style)
        there = average >= 0
        assert there.tolist() == [header and style < count for count in found.styles]
        colors = lighting.colors_at(lump.data, average[there])
        assert (colors["rgb"][:, 0] == 200).all()
        assert (colors["rgb"][:, 2] == style).all()
    assert number * 4 == len(lump.data) - found.header.sum() - extra * (found.luxels * found.styles).sum()


def test_flags_tell_what_one_block_leaves_open():
    lump = Lump(extra=4).add(2, 2).face(-1, (0, 0))
    lump.data += bytes(3)  # so that nothing fits exactly
    assert lump.blocks(LevelFlag.LIGHTMAP_ALPHA | LevelFlag.LIGHTMAP_ALPHA_3).extra == 4
    assert lump.blocks(LevelFlag.LIGHTMAP_ALPHA).extra == 1
    assert lump.blocks().extra == 0


def test_blocks_outside_of_the_lump_are_left_out():
    lump = usual()
    number = len(lump.faces)
    for offset, size in ((2, (1, 1)), (len(lump.data) - 4, (1, 1)), (8, (2**31 - 1, 2**31 - 1)), (8, (-3, 4))):
        lump.face(offset, size)
    found = lump.blocks()
    assert found.faces.tolist() == [0, 2, 4, 5]
    assert found.outside.tolist() == list(range(number, number + 4))


def test_blocks_that_all_are_the_same_are_refused():
    lump = Lump().add(16, 16)
    for _ in range(40):
        lump.face(4, (15, 15))
    with pytest.raises(FormatError, match="lightmaps"):
        lump.blocks()


def test_no_faces():
    found = Lump().blocks()
    assert len(found.faces) == len(found.outside) == 0
    offsets, owners = lighting.luxel_offsets(found)
    assert len(lighting.colors_at(b"", offsets)) == len(owners) == 0


def test_a_face_may_have_no_texinfo():
    lump = Lump().add(2, 2, texinfo=-1).add(2, 2, texinfo=99)
    assert lump.blocks().samples.tolist() == [1, 1]


@pytest.mark.parametrize("extra", [0, 1])
def test_colours_are_put_back(extra):
    lump = usual(extra=extra)
    found = lump.blocks()
    offsets, owners = lighting.luxel_offsets(found, 1)
    assert lighting.with_colors(lump.data, offsets, lighting.colors_at(lump.data, offsets)) == lump.data
    painted = np.zeros(len(offsets), RGBE)
    painted["rgb"] = (9, 8, 7)
    data = lighting.with_colors(lump.data, offsets, painted)
    assert len(data) == len(lump.data)
    assert (lighting.colors_at(data, offsets) == painted).all()
    changed = np.flatnonzero(np.frombuffer(data, "u1") != np.frombuffer(lump.data, "u1"))
    assert len(changed)
    assert set(changed) <= set((offsets[:, None] + np.arange(4)).ravel())
    assert owners.tolist() == [1] * 4 + [2] * 4


def test_colours_outside_of_the_lump_are_refused():
    with pytest.raises(FormatError, match="bytes 0 to 6 of 9"):
        lighting.colors_at(bytes(9), np.array([0, 6]))
    with pytest.raises(FormatError, match="bytes 4 to 12 of 9"):
        lighting.lightmap_colors(bytes(9), np.array([4]), np.array([2]))
    with pytest.raises(FormatError, match="bytes -1 to -1 of 9"):
        lighting.with_colors(bytes(9), np.array([-1]), np.zeros(1, RGBE))
