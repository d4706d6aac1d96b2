# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound layers as speakers, and back: unedited they are the very records, an edit changes what was edited."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.scene.work.progress import drain
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.sounds import build as sounds
from levelwright.addon.teeworlds.sounds import layer_collect as source_collect
from levelwright.formats import teeworlds
from levelwright.formats.reach import AllowedFolders
from levelwright.formats.teeworlds.records import POINT, SOURCE, EnvelopeKind

from tests.addon.teeworlds.game_scene import GameScene, begin

TILE = 32768
OPUS = b"OggS\0\1\2 as if it were Opus \xff\0"
FIELDS = SOURCE.names
POSITION, VOLUME = EnvelopeKind.POSITION, EnvelopeKind.SOUND


def sources_of(*rows):
    return np.array(list(rows), SOURCE)


CIRCLE = (3 * TILE, -5 * TILE, 1, 0, 7, 51, -1, 0, -1, 0, 1, 640, 12345)  # the last word is unused, and garbage
RECTANGLE = (-TILE, TILE, 0, 1, 0, 255, 0, 40, 1, -200, 0, 4 * TILE + 1, 2 * TILE)
ODD = [
    (2**31 - 1, -(2**31), 5, -1, -3, 300, -2, 7, 9, 9, 1, -1, -7),
    (0, 0, 1, 1, 2**31 - 1, -1, 1, 5, 0, 6, 77, 2**31 - 1, 3),  # envelopes of the other kind; an unknown shape
    (1, 1, 1, 1, 0, 0, -1, 3, -1, 4, 0, -5, 2**31 - 1),
]


def envelopes():
    points = np.zeros(2, POINT)
    points["time"], points["curve"] = (0, 1000), 1
    points["value"][1, 0] = TILE
    volume = points.copy()
    volume["value"][:, 0] = 1024, 0
    return [teeworlds.Envelope.new(POSITION, "", points), teeworlds.Envelope.new(VOLUME, "", volume)]


def scene_of(*rows, **options):
    records = sources_of(*rows)
    other = teeworlds.SoundLayer.new("other", 1, records[:1])
    layers = [teeworlds.SoundLayer.new("near", 0, records), other]
    listed = [teeworlds.Sound.new("ding", OPUS), teeworlds.Sound.new("wind", external=True)]
    return GameScene(layers, envelopes(), listed)


def collect(scene, index=0):
    return scene.collect(source_collect, index)


def speakers(scene):
    return [obj for obj in scene.layers[0].children if obj.type == "SPEAKER"]


def same(records, rows):
    assert records.tolist() == sources_of(*rows).tolist()


def changed(row, **values):
    return tuple(values.get(name, value) for name, value in zip(FIELDS, row, strict=True))


@pytest.mark.parametrize("reopened", [False, True])
def test_unedited_sources_and_sounds_are_the_records(reopened, tmp_path):
    scene = scene_of(CIRCLE, RECTANGLE, *ODD)
    if reopened:
        scene.reopened(tmp_path / "map.blend")
    bpy.context.scene.frame_set(13)
    same(collect(scene), [CIRCLE, RECTANGLE, *ODD])
    same(collect(scene, 1), [CIRCLE])
    table = scene.sounds()
    for index, layer in enumerate(scene.layers):
        assert table.of_layer(layer, layer.children_recursive, index, index) == index
    table.remove_deleted()
    assert teeworlds.write(scene.level) == scene.data


def test_embedded_sounds_are_packed_and_external_ones_named():
    scene = scene_of(CIRCLE)
    ding, wind = bpy.data.sounds["ding"], bpy.data.sounds["wind"]
    assert (bytes(ding.packed_file.data), ding.filepath) == (OPUS, "//ding.opus")
    assert (wind.packed_file, wind.filepath, wind["external"]) == (None, "//mapres/wind.opus", True)
    assert scene.report.missing_names == {"sounds": ["wind"]}


def test_external_sounds_are_looked_up(tmp_path):
    (tmp_path / "wind.opus").write_bytes(OPUS)
    level = teeworlds.new_level()
    level.sounds.append(teeworlds.Sound.new("wind", external=True))
    report = Report()
    held = drain(sounds.build(begin(level, report, folders=[tmp_path], reach=AllowedFolders([tmp_path]))))
    assert (held.blocks[0].filepath, report.missing_names) == (str(tmp_path / "wind.opus"), {})


def test_a_circle_is_heard_as_far_as_in_the_game():
    speaker = speakers(scene_of(CIRCLE))[0]
    bpy.context.view_layer.update()
    assert speaker.location[:] == (3, 5, 0)
    assert (speaker.data.distance_max, speaker.data.distance_reference) == (20, 4)
    assert speaker.data.attenuation == 1
    assert speaker.data.sound.name == "ding"
    circle, rectangle = sorted(speaker.children, key=lambda child: child.name)
    assert (circle.hide_viewport, rectangle.hide_viewport) == (False, True)
    assert circle.dimensions[:2] == pytest.approx((40, 40), rel=1e-2)


def test_a_rectangle_is_as_large_as_in_the_game():
    speaker = speakers(scene_of(changed(RECTANGLE, width=4 * TILE)))[0]
    bpy.context.view_layer.update()
    circle, rectangle = sorted(speaker.children, key=lambda child: child.name)
    assert (circle.hide_viewport, rectangle.hide_viewport) == (True, False)
    assert rectangle.dimensions[:2] == pytest.approx((4, 2))
    assert (speaker["width"], speaker["height"]) == (128, 64)


def test_envelopes_move_speakers_and_their_volume():
    speaker = speakers(scene_of(changed(RECTANGLE, sound_envelope_offset=200)))[0]
    bpy.context.scene.frame_set(5)  # 0.2 s at 25 frames a second
    ready = speaker.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert ready.delta_location[0] == pytest.approx(0.24)
    assert ready.data.volume == pytest.approx(0.6)


def test_properties_write_their_fields():
    scene = scene_of(CIRCLE, CIRCLE, RECTANGLE, ODD[0])
    first, second, third, odd = speakers(scene)
    first["radius"], first["looping"], first["falloff"] = 100, False, 255
    second["shape"], second["width"], second["height"] = 0, 64.0, 32.0
    third["panning"], third["height"] = False, 1.0
    odd["delay"] = 4
    want = [
        changed(CIRCLE, width=100, looping=0, falloff=255),
        changed(CIRCLE, shape=0, width=2 * TILE, height=TILE),
        changed(RECTANGLE, panning=0, height=1024),
        changed(ODD[0], delay=4),
    ]
    same(collect(scene), want)


def test_a_property_out_of_its_limits_is_refused():
    scene = scene_of(CIRCLE)
    speakers(scene)[0]["falloff"] = 256
    with pytest.raises(SceneError, match=r"source 0.*falloff"):
        collect(scene)


def test_moved_scaled_and_re_ranged_speakers():
    scene = scene_of(CIRCLE, RECTANGLE, CIRCLE)
    first, second, third = speakers(scene)
    first.location.x += 2
    second.scale = (2, 3, 1)
    third.data.distance_max = 10
    third.data.distance_reference = 5
    want = [
        changed(CIRCLE, x=5 * TILE),
        changed(RECTANGLE, width=8 * TILE + 2, height=6 * TILE),
        changed(CIRCLE, width=320, falloff=128),
    ]
    same(collect(scene), want)


def test_copies_deleted_and_new_speakers():
    scene = scene_of(CIRCLE, RECTANGLE)
    layer = scene.layers[0]
    first, second = speakers(scene)
    twin = second.copy()
    scene.collection.objects.link(twin)
    twin.location.y += 1
    bpy.data.objects.remove(first)
    new = bpy.data.objects.new("a new one", bpy.data.speakers.new("a new one"))
    new["radius"] = 320
    new.parent = layer
    scene.collection.objects.link(new)
    bpy.context.view_layer.update()
    default = (0, 0, 1, 1, 0, 80, -1, 0, -1, 0, 1, 320, 0)
    same(collect(scene), [RECTANGLE, changed(RECTANGLE, y=0), default])


def test_speakers_of_another_layer_are_new_ones():
    scene = scene_of(CIRCLE, RECTANGLE)
    speakers(scene)[0].parent = scene.layers[1]
    same(collect(scene), [RECTANGLE])
    same(collect(scene, 1), [CIRCLE, changed(CIRCLE, height=0)])


def test_layers_play_another_sound():
    scene = scene_of(CIRCLE, CIRCLE)
    near = scene.layers[0]
    table = scene.sounds()
    assert table.of_layer(near, near.children_recursive, 0, 1) == 1  # the property was edited
    fresh = sounds.pack("boo", OPUS + b"!")
    for speaker in speakers(scene):
        speaker.data.sound = fresh
    assert table.of_layer(near, near.children_recursive, 0, 0) == 2
    assert (scene.level.sounds[2].name, scene.level.sounds[2].data()) == ("boo", OPUS + b"!")
    speakers(scene)[0].data.sound = bpy.data.sounds["wind"]
    with pytest.raises(SceneError, match="one sound"):
        table.of_layer(near, near.children_recursive, 0, 0)


def test_sounds_are_renamed_replaced_and_removed():
    scene = scene_of(CIRCLE)
    ding, wind = bpy.data.sounds["ding"], bpy.data.sounds["wind"]
    ding["sound_name"] = "dong"
    wind.name = "storm"
    wind["external"] = False
    with pytest.raises(SceneError, match="storm"):
        scene.sounds()
    bpy.data.sounds.remove(wind)
    scene.sounds().remove_deleted()
    level = teeworlds.read(teeworlds.write(scene.level))
    assert [(sound.name, sound.data()) for sound in level.sounds] == [("dong", OPUS)]
    assert [layer.sound for layer in level.groups[0].layers[1:]] == [0, -1]


def test_data_that_is_no_ogg_is_refused_unless_it_came_with_the_map():
    layer = teeworlds.SoundLayer.new("near", 0, sources_of(CIRCLE))
    scene = GameScene([layer], envelopes(), [teeworlds.Sound.new("junk", b"RIFF")])
    table = scene.sounds()
    with pytest.raises(SceneError, match="Ogg"):
        table.number_of(sounds.pack("other", b"RIFF"))


def test_a_layer_whose_sources_cannot_be_read_stays():
    layer = teeworlds.SoundLayer.new("near", -1, sources_of(CIRCLE))
    layer.count = 9
    scene = GameScene([layer])
    assert scene.report.warnings
    assert scene.layers[0][layout.STORAGE] == layout.KEPT
    assert collect(scene) is None
