# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind and form of item, from bytes that the library did not make."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.teeworlds import (
    BEZIER,
    POINT,
    EnvelopeKind,
    LayerKind,
    Level,
    QuadLayer,
    SoundLayer,
    SourceShape,
    TileKind,
    UnknownLayer,
    read,
    write,
)
from formats.teeworlds.records import text_to_words, words_to_text
from tests.formats import teeworlds_bytes as build
from tests.formats.teeworlds_bytes import Map, small_map, tile, whole_map


def level_of(m: Map) -> Level:
    """The map, read; written back unchanged it is the same bytes."""
    data = m.build()
    level = read(data)
    assert write(level) == data
    return level


def only_layer(m: Map):
    level = level_of(m)
    return level.groups[-1].layers[-1]


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=11).filter(
        lambda text: len(text.encode()) <= 11
    )
)
def test_names_in_words(text):
    assert tuple(text_to_words(text, 3, "name").tolist()) == build.name(text)
    assert words_to_text(np.array(build.name(text), "<i4")) == text


def test_names_that_are_no_utf8_come_back():
    raw = b"caf\xe9 \xff"
    words = np.array(build.name(raw), "<i4")
    assert text_to_words(words_to_text(words), 3, "name").tolist() == words.tolist()
    with pytest.raises(FormatError, match="12 bytes, 11 fit"):
        text_to_words("twelve bytes", 3, "name")
    with pytest.raises(FormatError, match="NUL"):
        text_to_words("a\0b", 3, "name")


def test_info():
    m = Map()
    m.info("me", None, "you", b"no end", ["one", "", "tune x 1"])
    info = level_of(m).info
    assert (info.author, info.map_version, info.credits, info.license) == ("me", None, "you", "no end")
    assert info.settings == ["one", "", "tune x 1"]


def test_info_of_5_words_gets_settings():
    m = Map()
    m.info("me", length=5)
    level = level_of(m)
    assert level.info.settings == []
    level.info.settings = ["sv_team 3"]
    again = read(write(level))
    assert again.info.settings == ["sv_team 3"]
    assert len(again.info.item) == 6
    again.info.settings = []
    assert read(write(again)).info.item.words.tolist() == [1, 0, -1, -1, -1, -1]


def test_a_map_without_info():
    level = level_of(small_map())
    assert level.info is None


def test_images():
    pixels = build.noise(4 * 6 * 5)
    rgb = build.noise(3 * 4 * 4)
    m = Map()
    m.image("in", 6, 5, pixels)
    m.image("out", 1024, 512)
    m.image("v2", 6, 5, pixels, variant=1)
    m.image("rgb", 4, 4, rgb, variant=0)
    m.image("ninslash", 6, 5, pixels, extra=(-858993460,))
    m.image("oddly marked", 6, 5, pixels, variant=-1)
    m.image("short", 9, 9, pixels)
    images = level_of(m).images
    assert [image.name for image in images] == ["in", "out", "v2", "rgb", "ninslash", "oddly marked", "short"]
    for image in (images[0], images[2], images[4], images[5]):
        assert image.pixels().tobytes() == pixels
        assert image.pixels().shape == (5, 6, 4)
    assert (images[1].external, images[1].width, images[1].height, images[1].pixels()) == (True, 1024, 512, None)
    assert images[3].pixels()[:, :, :3].tobytes() == rgb
    assert (images[3].pixels()[:, :, 3] == 255).all()
    with pytest.raises(FormatError, match=r"pixels of image 'short': 120 bytes for 9 x 9 px"):
        images[6].pixels()


def test_sounds():
    m = Map()
    m.sound("in", b"OggS1234")
    m.sound("out")
    inside, outside = level_of(m).sounds
    assert (inside.name, inside.external, inside.data(), inside.data_size) == ("in", False, b"OggS1234", 8)
    assert (outside.name, outside.external, outside.data()) == ("out", True, None)


def test_envelopes_of_every_length():
    m = Map()
    m.envelope(3, [build.point(0, 1, 10, 20, 30), build.point(9, 0, 1)], length=5, version=1)
    m.envelope(4, [build.point(5, 2, 1, 2, 3, 4)], "colour", length=12, version=1)
    m.envelope(1, [build.point(7, 3, 1024)], "volume", synchronized=0)
    m.envelope(7, [], "strange")
    first, second, third, fourth = level_of(m).envelopes
    assert (first.kind, first.name, first.synchronized) == (EnvelopeKind.POSITION, "", True)
    assert first.points["value"].tolist() == [[10, 20, 30, 0], [1, 0, 0, 0]]
    assert (second.kind, second.name, second.points["time"].tolist()) == (EnvelopeKind.COLOR, "colour", [5])
    assert (third.kind, third.synchronized, third.points["curve"].tolist()) == (EnvelopeKind.SOUND, False, [3])
    assert (fourth.kind, fourth.channels, len(fourth.points)) == (EnvelopeKind.COLOR, 7, 0)
    assert first.tangents is None


def test_vanilla_bezier_makes_every_point_22_words():
    m = Map()
    wide = [tuple(range(100 * i, 100 * i + 22)) for i in range(3)]
    m.envelope(3, wide[:1], "a", version=3)
    m.envelope(4, wide[1:], "b", version=3)
    a, b = level_of(m).envelopes
    assert b.points["time"].tolist() == [100, 200]
    assert b.points["value"].tolist() == [[102, 103, 104, 105], [202, 203, 204, 205]]
    assert a.tangents.dtype == BEZIER
    assert b.tangents["in_x"].tolist()[0] == [106, 107, 108, 109]
    assert b.tangents["out_y"].tolist()[1] == [218, 219, 220, 221]


def test_ddnet_bezier_counts_only_if_complete():
    points = [build.point(0, 5, 0), build.point(100, 5, 1024)]
    for tangents, found in (([tuple(range(16)), tuple(range(16, 32))], True), ([tuple(range(16))], False)):
        m = Map()
        m.envelope(1, points)
        m.tangents(tangents)
        (envelope,) = level_of(m).envelopes
        assert (envelope.tangents is not None) == found
    assert POINT.itemsize == 24


def test_points_that_the_table_lacks():
    m = Map()
    m.envelope(1, [build.point(0, 1, 5)])
    m.item(build.ENVELOPE, (2, 1, 40, 7, *build.name("", 8), 1))
    m.item(build.ENVELOPE, (2, 1, -3, -7, *build.name("", 8), 1))
    assert [len(envelope.points) for envelope in level_of(m).envelopes] == [1, 0, 0]


@pytest.mark.parametrize("length", [7, 12, 15])
def test_groups(length):
    m = Map()
    m.group("A group", offset=(5, -6), parallax=(50, 0), clip=(1, 2, 3, 4), length=length)
    level = level_of(m)
    (group,) = level.groups
    assert (group.offset_x, group.offset_y, group.parallax_x, group.parallax_y) == (5, -6, 50, 0)
    assert (group.use_clip, group.clip_x, group.clip_h) == ((True, 1, 4) if length >= 12 else (False, 0, 0))
    assert group.name == ("A group" if length == 15 else "")
    before = group.item.words.tolist()
    group.name = "Other"
    (group,) = read(write(level)).groups
    assert (group.name, group.version, group.clip_x) == ("Other", 3, before[8] if length >= 12 else 0)
    assert group.item.words[1:length].tolist()[:11] == before[1:12]


def test_group_ex_belongs_to_groups_by_place():
    level = level_of(whole_map())
    assert [group.parallax_zoom for group in level.groups] == [50, 100, 0, 100]


@pytest.mark.parametrize(("version", "length"), [(2, 15), (2, 17), (2, 19), (3, 18), (3, 22), (3, 23)])
def test_tile_layers_of_every_length(version, length):
    m = small_map()
    data = build.checkered(5, 4)
    m.tiles(5, 4, data, title="T", version=version, length=length, stray=0, image=-2, color=(1, 2, 3, 4), garbage=77)
    layer = only_layer(m)
    assert (layer.tile_kind, layer.width, layer.height, layer.image) == (TileKind.TILES, 5, 4, -2)
    assert (layer.name, layer.color) == ("T" if version == 3 else "", (1, 2, 3, 4))
    assert layer.tiles().tobytes() == data
    assert layer.tiles().shape == (4, 5)
    assert not layer.tiles().flags.writeable


def test_runs_of_version_4():
    m = small_map()
    m.tiles(200, 3, tile(5, 1, 255) + tile(6, 0, 99) + tile(5, 8, 243), version=4)
    tiles = only_layer(m).tiles().reshape(-1)
    assert tiles["index"].tolist() == [5] * 256 + [6] * 100 + [5] * 244
    assert tiles["flags"][[0, 256, 599]].tolist() == [1, 0, 8]
    assert not tiles["skip"].any()


@pytest.mark.parametrize(
    ("flags", "data", "fields"),
    [
        (build.TELE, bytes((7, 26)), (7, 26)),
        (build.SPEEDUP, struct.pack("<4Bh", 50, 9, 28, 0, -45), (50, 9, 28, 0, -45)),
        (build.FRONT, bytes((3, 9, 0, 0)), (3, 9, 0, 0)),
        (build.SWITCH, bytes((2, 24, 1, 60)), (2, 24, 1, 60)),
        (build.TUNE, bytes((4, 68)), (4, 68)),
    ],
)
@pytest.mark.parametrize("version", [2, 3])
def test_physics_layers(flags, data, fields, version):
    m = small_map()
    m.tiles(
        3, 2, data + bytes(5 * len(data)), flags=flags, version=version, length=None if version == 2 else 23, stray=0
    )
    layer = only_layer(m)
    assert layer.tile_kind == TileKind(flags)
    assert layer.tiles().shape == (2, 3)
    assert layer.tiles()[0, 0].item() == fields
    assert not any(layer.tiles()[1, 2].item())


@pytest.mark.parametrize(
    ("flags", "data", "fields"),
    [(build.SPEEDUP, struct.pack("<2Bh", 50, 0, 270), ("force", "reserved", "angle")), (build.SWITCH, b"\2\x18", None)],
)
def test_shorter_records_of_2010(flags, data, fields):
    m = small_map()
    m.tiles(3, 2, data * 6, flags=flags, version=2)
    layer = only_layer(m)
    assert layer.tiles().dtype.names == (fields or ("number", "type"))
    assert layer.tiles().tobytes() == data * 6
    changed = layer.tiles().copy()
    changed[1, 1] = 0
    layer.set_tiles(changed)
    assert layer.tiles().tobytes() == data * 4 + bytes(len(data)) + data


def test_physics_layers_without_the_word_of_their_kind():
    m = small_map()
    data = build.checkered(4, 3)
    m.tiles(4, 3, data, flags=build.TILES, length=18)
    words = bytearray(m.items[-1][2])
    words[24:28] = build.words(build.TELE)
    m.items[-1] = (*m.items[-1][:2], bytes(words))
    layer = only_layer(m)
    assert layer.tile_kind == TileKind.TELE
    assert layer.tiles().dtype.names == ("index", "flags", "skip", "reserved")
    assert layer.tiles().tobytes() == data


def test_too_few_tiles_are_refused_by_name():
    m = small_map()
    m.tiles(5, 5, bytes(96), title="Deco")
    with pytest.raises(FormatError, match=r"tiles of layer 'Deco': 96 bytes for 5 x 5 records of 4"):
        only_layer(m).tiles()
    m = small_map(3, 3, bytes(40))  # more are accepted
    assert only_layer(m).tiles().shape == (3, 3)


@pytest.mark.parametrize(("width", "height"), [(-1, 3), (1 << 30, 1 << 30), (65536, 65536), (3, -2)])
@pytest.mark.parametrize("version", [3, 4])
def test_hostile_sizes(width, height, version):
    m = small_map()
    m.tiles(width, height, tile(0, 0, 255 if version == 4 else 0) * 9, version=version)
    with pytest.raises(FormatError):
        only_layer(m).tiles()


@pytest.mark.parametrize("version", [1, 2])
def test_quads(version):
    m = small_map()
    raw = [build.quad(((1, 2), (3, 4), (5, 6), (7, 8)), (9, 10), envelopes=(-2, 11, 99, 12)), build.quad()]
    m.quads(raw, 3, "Quads", version=version, detail=1)
    layer = only_layer(m)
    assert isinstance(layer, QuadLayer)
    assert (layer.kind, layer.image, layer.detail, layer.name) == (LayerKind.QUADS, 3, True, "Quads" * (version == 2))
    quad = layer.quads()[0]
    assert quad["points"].tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]
    assert (quad["position_envelope"], quad["position_envelope_offset"]) == (-2, 11)
    assert (quad["color_envelope"], quad["color_envelope_offset"]) == (99, 12)
    assert layer.quads().tobytes() == b"".join(raw)


def test_an_empty_layer_has_a_dummy():
    m = small_map()
    m.quads([])
    layer = only_layer(m)
    assert len(layer.quads()) == 0
    assert len(layer.blob(5).data()) == 152


def test_sound_sources():
    m = small_map()
    m.sounds([build.source(1024, -2048, 1, 1500, 77), build.source(0, 0, 0, 4096, 8192, loop=0, falloff=9)], 0, "S")
    layer = only_layer(m)
    assert isinstance(layer, SoundLayer)
    sources = layer.sources()
    assert sources["shape"].tolist() == [SourceShape.CIRCLE, SourceShape.RECTANGLE]
    assert sources[["width", "height"]].tolist() == [(1500, 77), (4096, 8192)]
    assert sources["falloff"].tolist() == [80, 9]


def test_deprecated_sounds_are_circles():
    m = small_map()
    m.sounds([build.old_source(1024, 2048, 700, (1, 2, 3, 4))], 0, "Old", kind=9)
    layer = only_layer(m)
    assert layer.deprecated
    assert layer.sources()[0].item() == (1024, 2048, 1, 1, 0, 0, 1, 2, 3, 4, SourceShape.CIRCLE, 700, 0)
    moved = layer.sources().copy()
    moved["x"] = 5
    layer.set_sources(moved)
    assert layer.blob(5).data() == build.old_source(5, 2048, 700, (1, 2, 3, 4))
    moved["falloff"] = 3
    with pytest.raises(FormatError, match="source 0"):
        layer.set_sources(moved)


def test_unknown_layers_and_items_are_kept():
    m = small_map()
    m.layer((5, 42, 1, 7))
    m.layer((5,))
    m.item(9, (0, 32, 0))
    m.uuid_item(bytes(range(16)), (1, 2, 3))
    level = level_of(m)
    assert [type(layer) for layer in level.groups[0].layers[1:]] == [UnknownLayer, UnknownLayer]
    assert level.groups[0].layers[1].kind == 42
    assert [(item.type, item.words.tolist()) for item in level.unknown] == [(9, [0, 32, 0]), (0xFFFE, [1, 2, 3])]


def test_automappers_find_their_layers():
    level = level_of(whole_map())
    mapper = level.groups[1].layers[1].automapper
    assert (mapper.config, mapper.seed, mapper.automatic, mapper.version) == (2, 1234, True, 1)
    assert sum(getattr(layer, "automapper", None) is not None for layer in level.layers) == 1


def test_the_game_layer_is_the_last():
    m = small_map()
    m.tiles(9, 9, bytes(9 * 9 * 4), flags=build.GAME)
    level = level_of(m)
    assert level.game_layer == (level.groups[0], level.groups[0].layers[1])
    assert read(Map().build()).game_layer is None


def test_pre_0_4_maps_are_named_as_such():
    m = Map()
    m.item(0x8002, (1, 2, 3))
    m.item(1, (100, 200))  # an entity, not an info
    m.item(4, (100, 200))
    m.blob(b"tiles")
    level = level_of(m)
    assert level.era == "pre-0.4"
    assert (level.info, level.groups) == (None, [])
    assert len(level.unknown) == 3


def test_overlapping_groups_and_orphans_are_read_as_they_are():
    m = small_map()
    for name in ("a", "b"):
        m.quads([build.quad()], title=name)
    m.group("again")
    m.groups[1] = [1]
    m.groups[0] = [0, 1]
    level = level_of(m)
    assert level.groups[1].layers[0] is level.groups[0].layers[1]
    assert [layer.name for layer in level.orphans] == ["b"]


def test_stray_numbers_are_no_references():
    m = small_map()
    m.tiles(4, 3, bytes(48), stray=0, title="stray")
    level = level_of(m)
    assert level.groups[0].layers[1].blob_words() == (14,)
    assert level.before.blobs == {0, 1}


def test_a_blob_far_longer_than_its_item_needs_is_not_decoded():
    m = small_map()
    m.tiles(2, 2, bytes(17 << 20), title="bomb")
    m.quads([build.quad()], title="fine")
    m.info(settings=bytes(17 << 20))
    level = level_of(m)
    with pytest.raises(FormatError, match="tiles of layer 'bomb': a blob of 17825792 bytes where 16 are needed"):
        level.groups[0].layers[1].tiles()
    with pytest.raises(FormatError, match="a blob of 17825792 bytes"):
        _ = level.info.settings
    assert level.file.budget.left == level.file.budget.limit


def test_runs_are_charged_for_what_they_become():
    m = small_map()
    m.tiles(2048, 1024, tile(1, 0, 255) * 8192, version=4, title="runs")
    data = m.build()
    level = read(data)
    layer = level.groups[0].layers[1]
    layer.tiles()
    spent = 8192 * 4 + 2048 * 1024 * 4
    assert level.file.budget.left == level.file.budget.limit - spent
    layer.forget()
    layer.tiles()
    assert level.file.budget.left == level.file.budget.limit - spent
    level = read(data)
    level.file.budget.left = spent - 1
    with pytest.raises(FormatError, match="beyond the limit"):
        level.groups[0].layers[1].tiles()
    assert write(level) == data
