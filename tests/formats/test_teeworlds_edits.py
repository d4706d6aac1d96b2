# SPDX-License-Identifier: GPL-3.0-or-later
"""After an edit only what was edited differs: words, stored blobs and their order of everything else stay."""

import zlib

import numpy as np
import pytest

from formats.binary import FormatError
from formats.teeworlds import (
    QUAD,
    SOURCE,
    TILE,
    Group,
    Image,
    Info,
    Level,
    QuadLayer,
    Sound,
    SoundLayer,
    TileKind,
    TileLayer,
    check,
    read,
    write,
)
from formats.teeworlds.datafile import Datafile
from tests.formats import teeworlds_bytes as build
from tests.formats.teeworlds_bytes import small_map, tile, whole_map
from tests.formats.teeworlds_edits import blobs, differences, level_of, stored


@pytest.fixture(params=[3, 4])
def original(request) -> bytes:
    # Level 1, so that a blob that is compressed anew (level 6) is not the same bytes.
    return whole_map(request.param, level=1, crude=True).build()


def test_setting_what_is_there_changes_nothing(original):
    level = read(original)
    for thing in (level.info, *level.images, *level.sounds, *level.groups, *level.layers, *level.envelopes):
        for name in dir(type(thing)):
            attribute = getattr(type(thing), name, None)
            if (isinstance(attribute, property) and attribute.fset) or name in vars(type(thing)):
                try:
                    setattr(thing, name, getattr(thing, name))
                except (AttributeError, TypeError):
                    continue  # not settable
    for image in level.images:
        image.set_pixels(image.pixels())
    for sound in level.sounds:
        sound.set_data(sound.data())
    for envelope in level.envelopes:
        envelope.set_points(envelope.points.copy(), envelope.tangents.copy())
    for layer in level.layers:
        if isinstance(layer, TileLayer):
            layer.set_tiles(layer.tiles().copy())
        elif isinstance(layer, QuadLayer):
            layer.set_quads(layer.quads().copy())
        elif isinstance(layer, SoundLayer):
            layer.set_sources(layer.sources().copy())
    assert write(level) == original


def test_one_word(original):
    level = read(original)
    level.groups[0].parallax_x = 77
    assert differences(level, original) == {(build.GROUP, 0): [3]}
    assert stored(Datafile.read(write(level))) == stored(Datafile.read(original))
    with pytest.raises(FormatError, match="32 bits"):
        level.groups[0].offset_x = 1 << 31


def test_one_tile_changes_one_blob():
    original = whole_map(level=1).build()
    level = read(original)
    layer = level.groups[1].layers[1]
    tiles = layer.tiles().copy()
    tiles[3, 4]["index"] = 99
    layer.set_tiles(tiles)
    assert differences(level, original) == {}
    before, after = Datafile.read(original), Datafile.read(write(level))
    changed = [i for i, (a, b) in enumerate(zip(stored(before), stored(after), strict=True)) if a != b]
    assert changed == [layer.item.words[14]]
    assert stored(after)[changed[0]] == zlib.compress(tiles.tobytes(), 6)


def test_writing_leaves_the_level_as_it_is(original):
    level = read(original)
    level.groups.reverse()
    level.remove_image(0)
    first = write(level)
    assert write(level) == first
    assert write(read(first)) == first


def test_resizing_a_physics_layer_resizes_its_dummy(original):
    level = read(original)
    tele = level.groups[1].layers[2]
    tele.set_tiles(np.zeros((3, 5), tele.tiles().dtype))
    again = read(write(level)).groups[1].layers[2]
    assert (again.width, again.height) == (5, 3)
    assert (again.blob(14).data(), again.blob(18).data()) == (bytes(60), bytes(30))


def test_bytes_beyond_the_tiles_stay():
    m = small_map()
    m.tiles(2, 2, bytes(16) + b"rest", title="longer")
    level = level_of(m)
    layer = level.groups[0].layers[1]
    tiles = layer.tiles().copy()
    tiles["index"] = 3
    layer.set_tiles(tiles)
    assert blobs(level)[1] == tile(3) * 4 + b"rest"


def test_version_4_is_written_in_the_games_runs_but_only_if_the_tiles_change():
    m = small_map()
    odd = tile(5, 0, 1) + tile(5, 0, 0) + tile(6, 0, 0)
    m.tiles(4, 1, odd, version=4)
    level = level_of(m)
    layer = level.groups[0].layers[1]
    layer.set_tiles(layer.tiles().copy())
    assert write(level) == m.build()
    tiles = layer.tiles().copy()
    tiles[0, 3] = (5, 0, 0, 0)
    layer.set_tiles(tiles)
    assert blobs(level)[1] == tile(5, 0, 3)


def test_a_shared_blob_is_not_changed_for_both():
    m = small_map()
    m.tiles(4, 3, bytes(48), title="second")
    values = list(np.frombuffer(m.items[-1][2], "<i4"))
    values[14] = 0
    m.items[-1] = (build.LAYER, 1, build.words(*values))
    m.blobs.pop()
    level = level_of(m)
    assert write(level) == m.build()
    layer = level.groups[0].layers[1]
    layer.set_tiles(np.full((3, 4), 7, TILE))
    again = read(write(level))
    assert not again.groups[0].layers[0].tiles()["index"].any()
    assert again.groups[0].layers[1].tiles()["index"].all()


# ------------------------------------------------------------------------------------------------- groups and layers


def names(level: Level) -> list[list[str]]:
    return [[group.name, *(layer.name for layer in group.layers)] for group in level.groups]


def test_removing_a_layer_removes_its_blobs_and_automapper_and_moves_the_rest(original):
    level = read(original)
    deco = level.groups[1].layers.pop(1)
    removed = deco.item.words[14]
    after = read(write(level))
    assert names(after)[1] == ["Game", "Game", "Tele", "Speedup", "Front", "Switch", "Tune"]
    assert after.automappers == []
    assert not [
        item for item in after.file.items(build.INDEX) if item.id not in {row.type for row in after.file.item_types}
    ]
    left = stored(Datafile.read(original))
    del left[removed]
    assert stored(after.file) == left
    assert [group.start_layer for group in after.groups] == [0, 2, 8, 10]
    tele = after.groups[1].layers[1].tiles()
    assert tele[0, 0].item() == (1, 26)


@pytest.mark.parametrize("gone", range(3))
@pytest.mark.parametrize("number", [1, 2])
def test_a_group_that_loses_a_layer_claims_one_less_wherever_it_is(number, gone):
    m = small_map()
    for title in ("One", "Two"):
        m.group(title)
        for name in "abc":
            m.tiles(4, 3, bytes(48), title=name)
    level = read(m.build())
    del level.groups[number].layers[gone]
    assert check(level) == []
    after = read(write(level))
    assert [(group.start_layer, group.num_layers) for group in after.groups] == [
        (0, 1), (1, 2 if number == 1 else 3), (3 if number == 1 else 4, 3 if number == 1 else 2)
    ]  # fmt: skip
    assert [layer.name for layer in after.groups[number].layers] == [name for name in "abc" if name != "abc"[gone]]


def test_an_automapper_follows_its_layer(original):
    level = read(original)
    layer = level.groups[1].layers.pop(1)
    level.groups[3].layers.append(layer)
    level.groups.insert(0, Group.new("new"))
    after = read(write(level))
    moved = after.groups[4].layers[0]
    assert moved.automapper is not None
    assert (moved.automapper.group, moved.automapper.layer, moved.automapper.seed) == (4, 0, 1234)
    assert moved.item.words[0] == 6770608  # garbage that nobody reads stays
    assert stored(after.file) == stored(Datafile.read(original))


def test_reordering_groups_and_layers(original):
    level = read(original)
    level.groups[1].layers.reverse()
    level.groups.reverse()
    wanted = names(level)
    after = read(write(level))
    assert names(after) == wanted
    assert [group.parallax_zoom for group in after.groups] == [100, 0, 100, 50]
    assert [group.start_layer for group in after.groups] == [0, 0, 2, 9]
    assert stored(after.file) == stored(Datafile.read(original))
    assert [item.id for item in after.file.items(build.LAYER)] == list(range(11))


def test_new_layers_come_where_the_editor_would_put_their_blobs():
    original = whole_map().build()
    level = read(original)
    layer = TileLayer.new(TileKind.SWITCH, 3, 2, "new", image=-1)
    layer.set_tiles(np.array([[(1, 2, 0, 4)] * 3] * 2, layer.tiles().dtype))
    level.groups[1].layers.insert(1, layer)
    game = level.groups[1].layers[0].item.words[14]
    before, after = stored(Datafile.read(original)), Datafile.read(write(level))
    assert stored(after)[: game + 1] == before[: game + 1]
    assert after.blobs[game + 1].data() == bytes(24)
    assert after.blobs[game + 2].data() == bytes((1, 2, 0, 4)) * 6
    assert stored(after)[game + 3 :] == before[game + 1 :]
    assert write(read(after.write())) == after.write()
    assert names(read(after.write()))[1][:4] == ["Game", "Game", "new", "Deco"]


def test_new_quads_and_sounds():
    level = read(small_map().build())
    quads = np.zeros(2, QUAD)
    quads["colors"] = 255
    level.images.append(Image.new("pic", np.full((2, 3, 4), 9, np.uint8)))
    level.sounds.append(Sound.new("hum", b"OggS"))
    level.groups.append(Group.new("more"))
    level.groups[1].layers += [
        QuadLayer.new("quads", 0, quads),
        QuadLayer.new("none"),
        SoundLayer.new("sounds", 0, np.zeros(1, SOURCE)),
    ]
    level.info = Info.new()
    level.info.author = "somebody"
    assert blobs(level) == [
        b"somebody\0", b"pic\0", b"\x09" * 24, b"hum\0", b"OggS", bytes(48), quads.tobytes(), bytes(152), bytes(52),
    ]  # fmt: skip
    after = read(write(level))
    assert names(after) == [["Game", "Game"], ["more", "quads", "none", "sounds"]]
    assert after.groups[1].layers[0].quads().tobytes() == quads.tobytes()
    assert (after.images[0].pixels() == 9).all()
    assert after.info.author == "somebody"
    assert [row.type for row in after.file.item_types] == [0, 1, 2, 4, 5, 7]


def test_a_copied_layer_has_blobs_of_its_own(original):
    level = read(original)
    twin = level.groups[1].layers[2].copy()
    level.groups[1].layers.append(twin)
    after = read(write(level))
    first, second = after.groups[1].layers[2], after.groups[1].layers[-1]
    assert first.tiles().tobytes() == second.tiles().tobytes()
    assert not set(first.item.words[[14, 18]]) & set(second.item.words[[14, 18]])
    assert len(after.file.blobs) == len(level.file.blobs) + 2


def test_a_layer_of_another_level():
    level, other = read(small_map().build()), read(whole_map().build())
    level.groups[0].layers.append(other.groups[1].layers[3])
    after = read(write(level))
    assert after.groups[0].layers[1].tiles()[0, 0].item() == (30, 5, 28, 0, 270)
    assert len(after.file.blobs) == 3


def test_a_layer_cannot_be_in_two_groups():
    level = read(whole_map().build())
    level.groups[3].layers.append(level.groups[0].layers[0])
    with pytest.raises(FormatError, match="layer 'Sky' is in two groups"):
        write(level)


def test_blobs_that_nothing_ever_named_stay():
    m = small_map()
    m.blob(b"nobody's")
    m.quads([build.quad()], title="q")
    level = level_of(m)
    del level.groups[0].layers[1]
    assert blobs(level) == [bytes(48), b"nobody's"]


def test_stray_numbers_stay_when_blobs_move():
    m = small_map()
    m.quads([build.quad()], title="q")
    m.tiles(4, 3, bytes(48), stray=1, title="stray")
    level = level_of(m)
    del level.groups[0].layers[1]
    after = read(write(level)).groups[0].layers[1]
    assert after.item.words[14] == 1
    assert after.item.words[18:].tolist() == [1] * 5
