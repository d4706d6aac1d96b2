"""After an edit only what was edited differs: words, stored blobs and their order of everything else stay."""

import zlib
from uuid import UUID

import numpy as np
import pytest

from formats.binary import FormatError
from formats.teeworlds import (
    BEZIER,
    POINT,
    QUAD,
    SOURCE,
    TILE,
    Automapper,
    Envelope,
    EnvelopeKind,
    Group,
    Image,
    Info,
    Level,
    QuadLayer,
    Sound,
    SoundLayer,
    TileKind,
    TileLayer,
    read,
    write,
)
from formats.teeworlds.datafile import Datafile
from tests.formats import teeworlds_bytes as build
from tests.formats.teeworlds_bytes import Map, small_map, tile, whole_map


def level_of(m: Map) -> Level:
    return read(m.build())


def blobs(level: Level) -> list[bytes]:
    """What the written file's blobs hold."""
    return [blob.data() for blob in Datafile.read(write(level)).blobs]


def stored(file: Datafile) -> list[bytes]:
    return [bytes(blob.stored(file.version)) for blob in file.blobs]


def words(file: Datafile) -> dict[tuple[int, int], list[int]]:
    return {(item.type, item.id): item.words.tolist() for item in file.all_items()}


def differences(level: Level, original: bytes) -> dict[tuple[int, int], list[int]]:
    """Which words of which items differ from the original's; an item that is gone or came is all of itself."""
    before, after = words(Datafile.read(original)), words(Datafile.read(write(level)))
    changed = {}
    for key in before.keys() | after.keys():
        old, new = before.get(key, []), after.get(key, [])
        places = [i for i in range(max(len(old), len(new))) if old[i : i + 1] != new[i : i + 1]]
        if places:
            changed[key] = places
    return changed


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


# ------------------------------------------------------------------------------------------- images, sounds, envelopes


def test_removing_an_image_renumbers(original):
    level = read(original)
    level.groups[0].layers[1].image = 1
    level.remove_image(0)
    after = read(write(level))
    assert [image.name for image in after.images] == ["grass_main"]
    assert after.images[0].item.id == 0
    assert [layer.image for layer in after.groups[0].layers] == [-1, 0]
    assert after.groups[1].layers[1].image == -1
    assert len(after.file.blobs) == len(level.file.blobs) - 2


def test_numbers_that_name_nothing_stay():
    m = small_map()
    for title in "abc":
        m.image(title, 1, 1)
    for image in (-2, 0, 1, 2, 3, 70):
        m.quads([build.quad()], image)
    level = level_of(m)
    level.remove_image(1)
    assert [layer.image for layer in read(write(level)).groups[0].layers[1:]] == [-2, 0, -1, 1, 3, 70]


def test_numbers_count_from_the_end_too_but_must_be_there(original):
    level, other = read(original), read(original)
    level.remove_image(-2)
    other.remove_image(0)
    assert write(level) == write(other)
    for remove in (level.remove_image, level.remove_sound, level.remove_envelope):
        with pytest.raises(IndexError):
            remove(9)


def test_removing_a_sound(original):
    level = read(original)
    level.remove_sound(0)
    after = read(write(level))
    assert after.sounds == []
    assert build.SOUND not in {row.type for row in after.file.item_types}
    assert [layer.sound for layer in after.groups[2].layers] == [-1, -1]


def test_removing_an_envelope_renumbers_quads_sources_and_layers(original):
    level = read(original)
    level.remove_envelope(0)
    after = read(write(level))
    assert [envelope.name for envelope in after.envelopes] == ["glow", "fade"]
    assert [envelope.start_point for envelope in after.envelopes] == [0, 2]
    quads = after.groups[0].layers[0].quads()
    assert quads["position_envelope"].tolist() == [-1, -1, -1]
    assert quads["color_envelope"].tolist() == [-1, 0, 0]
    assert after.groups[1].layers[1].color_envelope == 0
    sources = after.groups[2].layers[0].sources()
    assert sources["position_envelope"].tolist() == [-1, -1]
    assert sources["sound_envelope"].tolist() == [1, -1]
    assert after.envelopes[0].tangents["out_x"][0].tolist() == [100] * 4
    assert len(after.file.items(build.POINTS)[0]) == 4 * 6
    assert after.groups[2].layers[1].blob(5).data() == level.groups[2].layers[1].blob(5).data()


def points(*times: int) -> np.ndarray:
    table = np.zeros(len(times), POINT)
    table["time"] = times
    return table


def test_other_points_move_those_that_follow(original):
    level = read(original)
    level.envelopes[0].set_points(points(0, 5))
    assert differences(level, original).keys() == {
        (build.ENVELOPE, 0), (build.ENVELOPE, 1), (build.ENVELOPE, 2), (build.POINTS, 0), (0xFFFE, 0),
    }  # fmt: skip
    after = read(write(level))
    assert [envelope.points["time"].tolist() for envelope in after.envelopes] == [[0, 5], [0, 2000], [0, 3000]]
    assert after.envelopes[1].tangents["out_x"].tolist() == [[100] * 4, [0] * 4]


def test_as_many_points_move_nothing(original):
    level = read(original)
    moved = level.envelopes[1].points.copy()
    moved["time"][1] = 2500
    level.envelopes[1].set_points(moved, level.envelopes[1].tangents)
    assert differences(level, original) == {(build.POINTS, 0): [4 * 6]}


def test_points_of_envelopes_that_share_them():
    m = Map()
    m.envelope(1, [build.point(t, 1, t) for t in (0, 10, 20)], "first")
    m.item(build.ENVELOPE, (2, 1, 1, 2, *build.name("second", 8), 1))
    level = level_of(m)
    assert write(level) == m.build()
    level.envelopes[1].set_points(points(0, 77))
    after = read(write(level))
    assert after.envelopes[0].points["time"].tolist() == [0, 10, 20]
    assert after.envelopes[1].points["time"].tolist() == [0, 77]


def test_new_envelopes_join_the_table(original):
    level = read(original)
    level.envelopes.append(Envelope.new(EnvelopeKind.SOUND, "new", points(1, 2)))
    after = read(write(level))
    assert [envelope.points["time"].tolist() for envelope in after.envelopes][2:] == [[0, 3000], [1, 2]]
    assert (after.envelopes[3].name, after.envelopes[3].kind, after.envelopes[3].item.id) == (
        "new",
        EnvelopeKind.SOUND,
        3,
    )
    assert len(after.envelopes[3].tangents) == 2  # DDNet's item has a tangent for every point, or doesn't count


def test_the_first_tangents_make_ddnets_item():
    m = small_map()
    m.envelope(1, [build.point(0, 5, 0), build.point(9, 1, 1024)])
    level = level_of(m)
    tangents = np.zeros(2, BEZIER)
    tangents["out_x"] = 3
    level.envelopes[0].set_points(level.envelopes[0].points, tangents)
    after = read(write(level))
    assert after.envelopes[0].tangents.tobytes() == tangents.tobytes()
    assert after.file.uuids() == {0xFFFE: UUID(bytes=build.BEZIER)}
    after.envelopes[0].set_points(after.envelopes[0].points, None)
    assert write(after) == m.build()


def test_tangents_of_a_vanilla_map_stay_in_its_points():
    m = Map()
    m.envelope(3, [tuple(range(22))], "a", version=3)
    level = level_of(m)
    level.envelopes.append(Envelope.new(EnvelopeKind.COLOR, "b", points(7), np.ones(1, BEZIER)))
    after = read(write(level))
    assert [envelope.version for envelope in after.envelopes] == [3, 3]
    assert after.file.items(build.POINTS)[0].words.tolist() == [*range(22), 7, 0, 0, 0, 0, 0, *[1] * 16]


def test_a_new_automapper_registers_its_type():
    level = read(small_map().build())
    level.groups[0].layers.append(TileLayer.new(TileKind.TILES, 2, 2, "t"))
    level.groups[0].layers[1].automapper = Automapper.new(3, 99, True)
    after = read(write(level))
    mapper = after.groups[0].layers[1].automapper
    assert mapper.item.words.tolist() == [1, 0, 1, 3, 99, 1]
    assert [(row.type, len(row.items)) for row in after.file.item_types][-2:] == [(0xFFFE, 1), (0xFFFF, 1)]
    after.groups[0].layers[1].automapper = None
    assert [row.type for row in read(write(after)).file.item_types] == [0, 4, 5]


def test_ids_that_were_not_counted_up_stay():
    m = small_map()
    for ident in (0, 0, 2, 2):
        m.item(build.ENVELOPE, (2, 1, 0, 0, *build.name("", 8), 1), ident)
    level = level_of(m)
    level.remove_envelope(1)
    level.envelopes.append(Envelope.new(EnvelopeKind.SOUND, "", points()))
    assert [item.id for item in Datafile.read(write(level)).items(build.ENVELOPE)] == [0, 2, 2, 3]


def test_pixels_and_names(original):
    level = read(original)
    level.images[0].name = "other"
    level.images[0].set_pixels(np.zeros((4, 2, 4), np.uint8))
    level.images[1].set_pixels(np.ones((1, 1, 4), np.uint8))
    level.sounds[0].set_data(None)
    after = read(write(level))
    assert after.images[0].item.words[1:4].tolist() == [2, 4, 0]
    assert after.images[0].name == "other"
    assert (after.images[1].external, after.images[1].pixels().tolist()) == (False, [[[1, 1, 1, 1]]])
    assert (after.sounds[0].external, after.sounds[0].data()) == (True, None)


def test_rgb_stays_rgb_while_it_is_opaque():
    m = Map()
    m.image("rgb", 2, 1, b"abcdef", variant=0)
    level = level_of(m)
    pixels = level.images[0].pixels().copy()
    pixels[0, 0, 0] = 1
    level.images[0].set_pixels(pixels)
    assert blobs(level)[1] == b"\1bcdef"
    pixels[0, 0, 3] = 1
    level.images[0].set_pixels(pixels)
    assert blobs(level)[1] == pixels.tobytes()
    assert read(write(level)).images[0].variant == 1


def test_a_name_in_a_layer_of_version_2():
    m = small_map()
    m.tiles(2, 2, b"\1\2" * 4, flags=build.TELE, version=2)
    level = level_of(m)
    layer = level.groups[0].layers[1]
    layer.name = "named"
    after = read(write(level)).groups[0].layers[1]
    assert (after.name, after.version, after.tiles().tobytes()) == ("named", 3, b"\1\2" * 4)
