# SPDX-License-Identifier: GPL-3.0-or-later
"""After an edit of images, sounds, envelopes or automappers only what was edited differs."""

from uuid import UUID

import numpy as np
import pytest

from formats.teeworlds import (
    BEZIER,
    POINT,
    Automapper,
    Envelope,
    EnvelopeKind,
    TileKind,
    TileLayer,
    read,
    write,
)
from formats.teeworlds.datafile import Datafile
from tests.formats import teeworlds_bytes as build
from tests.formats.teeworlds_bytes import Map, small_map, whole_map
from tests.formats.teeworlds_edits import blobs, differences, level_of


@pytest.fixture(params=[3, 4])
def original(request) -> bytes:
    # Level 1, so that a blob that is compressed anew (level 6) is not the same bytes.
    return whole_map(request.param, level=1, crude=True).build()


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
