# SPDX-License-Identifier: GPL-3.0-or-later
"""New maps, and maps converted to what the editors of DDNet and Teeworlds 0.7 write, read back from their bytes."""

import struct
from itertools import pairwise

import numpy as np
import pytest

from formats.binary import FormatError
from formats.teeworlds import (
    BEZIER,
    POINT,
    Envelope,
    EnvelopeKind,
    Group,
    Level,
    QuadLayer,
    SoundLayer,
    TileKind,
    TileLayer,
    check,
    convert,
    new_level,
    read,
    write,
)
from tests.formats.teeworlds_bytes import (
    FRONT,
    GAME,
    GROUP,
    SPEEDUP,
    TELE,
    Map,
    name,
    noise,
    old_source,
    point,
    quad,
    small_map,
    source,
    tile,
    whole_map,
)

GRID = (4, 3)
EMPTY = bytes(48)


def converted(m: Map, profile: str, drop: bool = False) -> tuple[Level, list[str]]:
    """A map converted and read back."""
    before = m.build()
    level = read(before)
    result, lost = convert(level, profile, drop)  # type: ignore[arg-type]
    assert write(level) == before  # it was not touched
    data = write(result)
    again = read(data)
    assert write(again) == data
    assert [problem for problem in check(again) if problem.severity == "error"] == []
    twice, nothing = convert(again, profile)  # type: ignore[arg-type]
    assert nothing == []
    assert write(twice) == data  # it is in the target's form already
    return again, lost


def reasons(m: Map, profile: str) -> list[str]:
    """Why a target refuses a map, taken from the error; dropping names the same."""
    with pytest.raises(FormatError) as caught:
        convert(read(m.build()), profile)  # type: ignore[arg-type]
    _, lost = convert(read(m.build()), profile, drop=True)  # type: ignore[arg-type]
    title = {"ddnet": "DDNet", "vanilla07": "Teeworlds 0.7"}[profile]
    assert str(caught.value) == f"{title} cannot hold: {'; '.join(lost)}"
    return lost


def layer_items(level: Level) -> list[list[int]]:
    return [layer.item.words.tolist() for layer in level.layers]


def made(*layers: dict[str, object]) -> Map:
    """A small map with more tile layers (4 x 3) of these options."""
    m = small_map()
    for options in layers:
        values: dict[str, object] = {"width": 4, "height": 3, "data": EMPTY} | options
        m.tiles(**values)  # type: ignore[arg-type]
    return m


def test_a_new_level_is_what_the_game_asks_for() -> None:
    level = read(write(new_level()))
    assert check(level) == check(level, "lenient") == []
    (group,) = level.groups
    (layer,) = group.layers
    assert isinstance(layer, TileLayer)
    assert (group.name, group.offset_x, group.parallax_x, group.use_clip) == ("Game", 0, 100, False)
    assert (layer.name, layer.tile_kind, layer.tiles().shape) == ("Game", TileKind.GAME, (50, 50))
    assert level.info is not None
    assert level.info.author is None
    assert level.info.settings == []
    assert not layer.tiles().tobytes().strip(b"\0")


def test_a_new_level_byte_by_byte() -> None:
    expected = Map()
    expected.version()
    expected.info()
    expected.group("Game")
    expected.tiles(2, 3, bytes(24), flags=GAME, title="Game")
    assert write(new_level(2, 3)) == expected.build()


def test_a_new_level_grows() -> None:
    level = new_level(20, 10)
    group = Group.new("Sky")
    group.layers += [QuadLayer.new("Stars"), TileLayer.new(TileKind.TILES, 5, 4, "Clouds"), SoundLayer.new("Wind")]
    level.groups.insert(0, group)
    level.envelopes.append(Envelope.new(EnvelopeKind.COLOR, "glow", np.zeros(0, POINT)))
    again = read(write(level))
    assert check(again) == []
    assert [layer.name for layer in again.layers] == ["Stars", "Clouds", "Wind", "Game"]


def test_unknown_profiles_are_refused() -> None:
    with pytest.raises(ValueError, match="preserve, ddnet, vanilla07"):
        convert(new_level(), "ddrace")  # type: ignore[arg-type]


@pytest.mark.parametrize("m", [whole_map(), whole_map(3), made({"version": 2, "flags": TELE, "data": EMPTY[:24]})])
def test_preserve_keeps_every_byte(m: Map) -> None:
    level = read(m.build())
    copy, lost = convert(level, "preserve")
    assert lost == []
    assert copy is not level
    assert write(copy) == m.build()
    copy.groups.clear()
    assert write(level) == m.build()


def test_to_ddnet_all_items_have_their_newest_form() -> None:
    level, lost = converted(whole_map(3), "ddnet", drop=True)
    assert lost == []
    assert level.file.version == 4
    assert [len(image.item) for image in level.images] == [6, 6]
    assert {(len(layer.item), layer.version) for layer in level.layers if isinstance(layer, TileLayer)} == {(23, 3)}
    assert {layer.kind for layer in level.layers} == {2, 3, 10}
    assert all(words[0] == 0 for words in layer_items(level))  # the garbage of old editors
    original = read(whole_map().build())
    for old, new in zip(original.layers, level.layers, strict=True):
        assert (old.name, old.detail) == (new.name, new.detail)
        if isinstance(old, TileLayer):
            assert isinstance(new, TileLayer)
            assert np.array_equal(old.tiles(), new.tiles())
            assert (old.tile_kind, old.image, old.color, old.color_envelope) == (
                new.tile_kind,
                new.image,
                new.color,
                new.color_envelope,
            )
        elif isinstance(old, QuadLayer):
            assert isinstance(new, QuadLayer)
            assert np.array_equal(old.quads(), new.quads())
        elif isinstance(old, SoundLayer):
            assert isinstance(new, SoundLayer)
            assert np.array_equal(old.sources(), new.sources())
    assert [
        (e.kind, e.name, e.synchronized, e.points.tobytes(), e.tangents.tobytes())  # type: ignore[union-attr]
        for e in level.envelopes
    ] == [
        (e.kind, e.name, e.synchronized, e.points.tobytes(), e.tangents.tobytes())  # type: ignore[union-attr]
        for e in original.envelopes
    ]
    assert [group.name for group in level.groups] == [group.name for group in original.groups]
    assert level.info is not None
    assert level.info.settings == ["tune_zone 1 gravity 0.3", "sv_team 2"]
    deco = level.groups[1].layers[1]
    assert isinstance(deco, TileLayer)
    assert deco.automapper is not None
    assert (deco.automapper.config, deco.automapper.seed, deco.automapper.automatic) == (2, 1234, True)


def test_to_ddnet_runs_become_tiles() -> None:
    m = Map()
    m.version()
    m.group("Game")
    m.tiles(4, 3, tile(1, 8, 6) + tile(0, 0, 4), flags=GAME, version=4)
    level, lost = converted(m, "ddnet")
    assert lost == []
    (words,) = layer_items(level)
    assert (len(words), words[3]) == (23, 3)
    assert level.file.blobs[0].data() == tile(1, 8) * 7 + tile(0) * 5


def test_to_ddnet_wide_points_become_an_item_of_tangents() -> None:
    m = small_map()
    tangents = [(*[-100] * 4, *[-7] * 4, *[100] * 4, *[9] * 4), (*[-50] * 4, *[0] * 12)]
    m.envelope(3, [(*point(0, 5, 1, 2, 3), *tangents[0]), (*point(99, 1, 4), *tangents[1])], "move", version=3)
    level, lost = converted(m, "ddnet")
    assert lost == []
    (envelope,) = level.envelopes
    assert (envelope.version, len(envelope.item)) == (2, 13)
    assert envelope.points.tobytes() == struct.pack("<12i", *point(0, 5, 1, 2, 3), *point(99, 1, 4))
    assert envelope.tangents is not None
    assert envelope.tangents.tobytes() == struct.pack("<32i", *tangents[0], *tangents[1])
    assert len(level.file.items(6)[0]) == 12


def test_to_ddnet_unused_tangents_go() -> None:
    m = small_map()
    m.envelope(3, [(*point(0, 1, 1), *range(16)), (*point(99, 1, 4), *range(16))], version=3)
    level, _ = converted(m, "ddnet")
    assert level.envelopes[0].tangents is None
    assert level.file.items(0xFFFF) == []


def test_to_ddnet_rgb_becomes_rgba() -> None:
    m = small_map()
    m.image("rgb", 2, 1, bytes(range(6)), variant=0)
    m.image("old", 2, 1, bytes(range(8)), extra=(12345,))
    level, _ = converted(m, "ddnet")
    assert [image.item.words[:4].tolist() for image in level.images] == [[1, 2, 1, 0]] * 2
    assert [image.pixels().tobytes() for image in level.images] == [b"\0\1\2\xff\3\4\5\xff", bytes(range(8))]  # type: ignore[union-attr]


def test_to_ddnet_old_sound_layers_become_new_ones() -> None:
    m = small_map()
    m.sound("hum", b"OggS")
    m.sounds([old_source(1, 2, 300)], 0, "Old", kind=9)
    level, _ = converted(m, "ddnet")
    layer = level.groups[0].layers[1]
    assert isinstance(layer, SoundLayer)
    assert (layer.kind, layer.sound, layer.name) == (10, 0, "Old")
    assert layer.sources().tobytes() == source(1, 2, 1, 300, pan=1, falloff=0)


def test_numbers_that_name_nothing_become_minus_one() -> None:
    m = small_map()
    m.envelope(3, [point(0, 1, 0)])
    m.quads([quad(envelopes=(0, 5, -2, 6)), quad(envelopes=(1, 7, 70000, 8))], image=4)
    m.tiles(4, 3, EMPTY, image=9, color_envelope=-5, stray=17)
    level, lost = converted(m, "ddnet")
    assert lost == []
    _, quads, tiles = level.groups[0].layers
    assert isinstance(quads, QuadLayer)
    assert isinstance(tiles, TileLayer)
    assert quads.image == tiles.image == tiles.color_envelope == -1
    fields = ("position_envelope", "position_envelope_offset", "color_envelope", "color_envelope_offset")
    assert [[row[field] for field in fields] for row in quads.quads()] == [[0, 5, -1, 6], [-1, 7, -1, 8]]
    assert tiles.item.words[18:].tolist() == [-1] * 5


def two_thousand_and_ten() -> Map:
    return made({"flags": SPEEDUP, "data": struct.pack("<BBh", 9, 0, 90) * 12})


@pytest.mark.parametrize(
    ("m", "lost"),
    [
        (made({"data": EMPTY[:-4] + tile(1, 0, 0, 5)}), ["layer 1 of group 0: the reserved bytes of 1 tile"]),
        (made({"data": tile(0, 0, 2) * 12}), ["layer 1 of group 0: the skip bytes of 12 tiles"]),
        (made({"color": (300, -1, 0, 9)}), ["layer 1 of group 0: the colour (300, -1, 0, 9), which leaves 0 to 255"]),
        (
            made({"width": 1, "height": 12}),
            ["layer 1 of group 0: 1 x 12 tiles: each side must be at least 2"],
        ),
        (
            made({"width": 2, "height": 2, "flags": FRONT, "data": EMPTY[:16]}),
            ["layer 1 of group 0: 2 x 2 tiles: the game layer has more"],
        ),
        (
            made({"flags": FRONT | TELE, "length": 23}),
            ["layer 1 of group 0: flags 10 make it several physics layers at once"],
        ),
        (
            made({"flags": TELE, "length": 18}),
            ["layer 1 of group 0: the tele layer has records ('index', 'flags', 'skip', 'reserved')"],
        ),
        (two_thousand_and_ten(), ["layer 1 of group 0: the speedup layer has records ('force', 'reserved', 'angle')"]),
        (made({"title": b"\xffab"}), ["layer 1 of group 0: the text '\\udcffab' is no UTF-8"]),
    ],
)  # fmt: skip
def test_what_ddnet_cannot_hold(m: Map, lost: list[str]) -> None:
    assert reasons(m, "ddnet") == lost
    level, also = converted(m, "ddnet", drop=True)
    assert also == lost
    assert check(level) == []


def crowded() -> Map:
    """Everything at once that a target may have to leave out."""
    m = small_map()
    m.item(9, (0, 32, 0))
    m.item(9, (1, 2, 3))
    m.layer((0, 42, 0))
    m.group("Zoomed", parallax=(50, 20))
    m.group_ex(50)
    m.group_ex(70)
    m.image("art", 16, 16, bytes(10))
    for number in range(65):
        m.image(f"i{number}", 16, 16)
    m.quads([], 65, "Q")
    return m


def test_all_reasons_are_named_at_once() -> None:
    lost = reasons(crowded(), "ddnet")
    assert lost[0].startswith("image 0: its pixels")
    assert lost[1:] == [
        "image 64: more than 64",
        "image 65: more than 64",
        "group 0: a parallax zoom of 50",
        "layer 1 of group 0: a layer of kind 42",
        "group 1: a parallax zoom of 70",
        "items of type 9: that type is unknown (their ids: 0, 1)",
    ]
    level, _ = converted(crowded(), "ddnet", drop=True)
    assert len(level.images) == 64
    assert level.images[0].external  # its place and size are kept
    assert [layer.name for layer in level.layers] == ["Game", "Q"]
    assert [layer.image for layer in level.layers if isinstance(layer, QuadLayer)] == [-1]


def test_a_parallax_zoom_that_the_game_would_use_anyway_is_no_loss() -> None:
    m = small_map()
    m.group("Far", parallax=(40, 140))
    m.group_ex(100)
    m.group_ex(100)
    level, lost = converted(m, "ddnet")
    assert lost == []
    assert [group.parallax_zoom for group in level.groups] == [None, None]


def test_layers_in_no_group_are_lost() -> None:
    m = small_map()
    m.groups.append(m.groups[0])  # `layer` puts it nowhere
    m.groups = [m.groups[0]]
    m.layers += 1
    m.item(5, (0, 3, 0, 2, 0, 0, -1, *name("Lonely")))
    assert reasons(m, "ddnet") == ["layer 'Lonely': is in no group"]


def test_without_a_game_layer_nothing_is_converted() -> None:
    m = Map()
    m.version()
    m.item(GROUP, (3, 0, 0, 100, 100, 0, 0))
    with pytest.raises(FormatError, match="needs a game layer"):
        convert(read(m.build()), "ddnet", drop=True)


def test_maps_of_2007_are_refused_by_name() -> None:
    m = Map()
    m.item(0x8002, (1, 2, 3))
    with pytest.raises(FormatError, match="2007"):
        convert(read(m.build()), "vanilla07", drop=True)


def test_to_vanilla_what_it_lacks_is_named() -> None:
    lost = reasons(whole_map(), "vanilla07")
    assert [line for line in lost if "parallax zoom" not in line] == [
        "info: 2 server settings",
        "sound 0: the sound 'hum'",
        "envelope 2: the sound envelope 'fade'",
        "layer 1 of group 1: automapper rules 2",
        "layer 2 of group 1: the tele layer",
        "layer 3 of group 1: the speedup layer",
        "layer 4 of group 1: the front layer",
        "layer 5 of group 1: the switch layer",
        "layer 6 of group 1: the tune layer",
        "layer 0 of group 2: the sound layer 'Hum'",
        "layer 1 of group 2: the sound layer 'Old'",
    ]


def test_to_vanilla_runs_images_and_wide_points() -> None:
    level, _ = converted(whole_map(), "vanilla07", drop=True)
    original = read(whole_map().build())
    assert [len(image.item) for image in level.images] == [7, 7]
    assert [(image.version, image.variant) for image in level.images] == [(2, 1), (2, 1)]
    assert level.info is not None
    assert len(level.info.item) == 5
    tiles = [layer for layer in level.layers if isinstance(layer, TileLayer)]
    assert [(len(layer.item), layer.version, layer.tile_kind) for layer in tiles] == [(18, 4, 1), (18, 4, 0)]
    games = original.game_layer, level.game_layer
    assert games[0]
    assert games[1]
    assert np.array_equal(games[0][1].tiles(), games[1][1].tiles())
    assert [envelope.version for envelope in level.envelopes] == [3, 3]
    points = level.file.items(6)[0]
    assert len(points) == 22 * sum(len(envelope.points) for envelope in level.envelopes)
    assert level.envelopes[1].tangents is not None
    old = original.envelopes[1].tangents
    assert old is not None
    assert level.envelopes[1].tangents.tobytes() == old.tobytes()
    assert level.file.items(7) == level.file.items(0xFFFF) == []


def test_to_vanilla_tiles_are_stored_in_runs() -> None:
    m = Map()
    m.version()
    m.group("Game")
    m.tiles(40, 20, tile(1) * 700 + tile(2, 9) * 100, flags=GAME)
    level, lost = converted(m, "vanilla07")
    assert lost == []
    stored = level.file.blobs[0].data()
    assert stored == tile(1, 0, 255) * 2 + tile(1, 0, 187) + tile(2, 9, 99)


def test_to_vanilla_without_bezier_points_stay_narrow() -> None:
    m = small_map()
    m.envelope(4, [point(0, 4, 1024), point(500, 1, 0)], "glow", length=5, version=1)
    level, _ = converted(m, "vanilla07")
    (envelope,) = level.envelopes
    assert (envelope.version, len(envelope.item), envelope.synchronized) == (2, 13, True)
    assert len(level.file.items(6)[0]) == 12


def test_there_and_back_is_the_same_map() -> None:
    m = small_map()
    m.image("art", 16, 16, noise(1024))
    m.envelope(3, [point(0, 5, 1, 2, 3), point(70, 1, 4, 5, 6)], "move")
    m.tangents([range(16), range(16, 32)])
    m.quads([quad(envelopes=(0, 10, -1, 0))], 0, "Q", detail=1)
    ddnet, _ = convert(read(m.build()), "ddnet")
    there, _ = convert(read(write(ddnet)), "vanilla07")
    back, _ = convert(read(write(there)), "ddnet")
    assert write(back) == write(ddnet)
    assert back.envelopes[0].tangents is not None
    assert back.envelopes[0].tangents.dtype == BEZIER


def test_blobs_stand_in_the_editors_order() -> None:
    level, _ = converted(whole_map(), "ddnet", drop=True)
    numbers = [record.file_blob(word) for record in level.records() for word in record.blob_words()]
    named = [number for number in numbers if number is not None]
    assert all(later == earlier + 1 for earlier, later in pairwise(named))
    assert len(named) == len(level.file.blobs)
