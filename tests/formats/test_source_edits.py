# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a map made here: only the lumps that have to change do, all that is linked follows, errors change none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.source import LumpId, Output, Visibility, check, read, write
from formats.source.edits import (
    cubemaps,
    entities,
    lightmaps,
    overlays,
    pak,
    worldlights,
)
from formats.source.light import lighting, rgbe
from formats.source.placed import overlay_quads
from tests import examples
from tests.formats import source_room as room

E = LumpId


@pytest.fixture
def level():
    return room.room()


def changed(level, before=None) -> set[str]:
    """The lumps that are other than before in the file as it is written; and it is checked."""
    before, after = before or room.room(), read(write(level))
    problems = {str(problem) for problem in check(before)}
    assert [str(problem) for problem in check(after) if str(problem) not in problems] == []
    found = set()
    for lump in before.lumps:
        if lump == E.GAME_LUMP:  # its offsets count from the beginning of the file
            assert before.game_lumps.ids == after.game_lumps.ids
            found |= {n for n in after.game_lumps.ids if before.game_lumps.bytes_of(n) != after.game_lumps.bytes_of(n)}
        elif before.bytes_of(lump) != after.bytes_of(lump):
            found.add(LumpId(lump).name)
    return found


def refused(level, message, edit, *arguments, **more):
    """The edit raises and changes no byte."""
    data = write(level)
    with pytest.raises(FormatError, match=message):
        edit(level, *arguments, **more)
    assert write(level) == data


def test_the_room_is_a_map_that_nothing_is_wrong_with(level):
    assert check(level) == []
    assert changed(level) == set()


# ------------------------------------------------------------------------------------------------------------ entities


def test_entities(level):
    entities.set_keys(level, 1, {"origin": "1 2 3", "_light": "255 255 255 200", "spawnflags": None})
    assert entities.add(level, [("classname", "env_fog"), ("fogcolor", "1 2 3")]) == 3
    assert entities.add(level, [("classname", "first")], at=1) == 1
    entities.remove(level, [3])
    assert changed(level) == {"ENTITIES"}
    after = read(write(level)).entities
    assert [entity.classname for entity in after] == ["worldspawn", "first", "light", "env_fog"]
    assert after[2].origin == (1, 2, 3)
    assert after[2].get("_light") == "255 255 255 200"


def test_keys_and_values_may_be_as_long_as_the_maps_own(level):
    level.entities[2].pairs += [("k" * 40, "x" * 2000)]
    entities.add(level, level.entities[2].pairs)
    entities.set_keys(level, 2, {"k" * 40: "y" * 2000})
    with pytest.raises(FormatError, match="longer than 1024"):
        entities.set_keys(level, 2, {"k" * 40: "y" * 2001})


def test_outputs_take_the_places_of_the_old_ones(level):
    entities.set_pairs(
        level,
        2,
        [("classname", "logic_relay"), ("OnSpawn", "b,Kill,,0,-1"), ("targetname", "a"), ("OnTrigger", "b,Use,,1,1")],
    )
    entities.set_outputs(
        level, 2, [Output("OnSpawn", "c", "Use", "x", "0.5"), Output("A", "b", "c"), Output("B", "b", "c")]
    )
    assert [key for key, _ in level.entities[2].pairs] == ["classname", "OnSpawn", "targetname", "A", "B"]
    assert level.entities[2].outputs[0] == Output("OnSpawn", "c", "Use", "x", "0.5")
    entities.set_outputs(level, 2, [])
    assert level.entities[2].pairs == [("classname", "logic_relay"), ("targetname", "a")]
    entities.set_outputs(level, 2, [Output("A", "b", "c")])
    assert level.entities[2].outputs == [Output("A", "b", "c")]
    assert changed(level) == {"ENTITIES"}


@pytest.mark.parametrize(
    ("message", "edit", "arguments"),
    [
        ("quotation mark", entities.set_keys, (1, {"targetname": 'a "b" c'})),
        ("NUL", entities.set_keys, (1, {"targetname": "a\0"})),
        ("longer than 1024", entities.set_keys, (1, {"message": "x" * 1025})),
        ("longer than 32", entities.set_keys, (1, {"x" * 33: "1"})),
        (r"model is \*7, there are 1", entities.set_keys, (1, {"model": "*7"})),
        ("no classname", entities.set_keys, (1, {"classname": None})),
        ("no classname", entities.add, ([("origin", "0 0 0")],)),
        ("the world", entities.remove, ([0],)),
        ("isn't there", entities.remove, ([1, 3],)),
        ("the world", entities.set_keys, (0, {"classname": "light"})),
        ("the first is the world", entities.add, ([("classname", "a")], 0)),
        ("read as something else", entities.set_outputs, (1, [Output("A", "b\x1bc", "d")])),
    ],
)
def test_entities_that_cannot_be(level, message, edit, arguments):
    refused(level, message, edit, *arguments)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters='"\0', exclude_categories=["Cs"]), max_size=40)
KEYS = st.text(
    st.characters(codec="utf-8", exclude_characters='"\0', exclude_categories=["Cs"]), min_size=1, max_size=20
)


@given(st.lists(st.tuples(KEYS, TEXT), max_size=6))
@examples.at_most(60)
def test_any_text_is_read_back_or_refused(pairs):
    level = room.room()
    wanted = [("classname", "thing"), *((key, value) for key, value in pairs if key.lower() != "classname")]
    try:
        number = entities.add(level, wanted)
    except FormatError:
        assert changed(level) == set()
        return
    assert read(write(level)).entities[number].pairs == wanted
    entities.remove(level, [number])
    assert write(level) == write(room.room())


# ------------------------------------------------------------------------------------------------------------ overlays


def test_an_overlay_is_moved_and_finds_its_faces(level):
    corners = overlay_quads.corners(level.table(E.OVERLAYS))[0]
    fields = overlays.placed(corners + np.array([60, 0, 0]), level.table(E.OVERLAYS)[0])
    assert list(fields) == ["origin"]
    overlays.change(level, {0: fields})
    assert changed(level) == {"OVERLAYS"}
    overlays.change(level, {0: overlays.placed(corners + np.array([100, 0, 0]), level.table(E.OVERLAYS)[0])})
    row = level.table(E.OVERLAYS)[0]
    assert row["origin"].tolist() == [0, 128, 64]
    assert row["faces"][:3].tolist() == [room.NORTH_LEFT, room.NORTH_RIGHT, 0]
    assert row["face_count_and_render_order"] == 2
    assert np.allclose(overlay_quads.corners(level.table(E.OVERLAYS))[0], corners + np.array([100, 0, 0]))


def test_an_overlay_stays_off_faces_that_it_was_not_painted_on(level):
    overlays.change(level, {0: {"origin": (0, 128, 64)}})
    overlays.change(level, {0: {"faces": [room.NORTH_RIGHT]}})
    overlays.change(level, {0: {"origin": (2, 128, 64)}})
    row = level.table(E.OVERLAYS)[:1]
    assert row["faces"][0, :2].tolist() == [room.NORTH_RIGHT, 0]
    copy = {name: row[name][0] for name in ("origin", "basis_normal", "uv_points", "texinfo")}
    overlays.add(level, [copy, copy], [0, None])
    assert level.table(E.OVERLAYS)["face_count_and_render_order"].tolist() == [1, 1, 2]
    overlays.change(level, {0: {"origin": (-100, 128, 64)}})
    assert level.table(E.OVERLAYS)["faces"][0, :2].tolist() == [room.NORTH_LEFT, 0], "there is nothing else"


def test_an_overlay_is_turned_in_its_plane_or_put_onto_another(level):
    corners = overlay_quads.corners(level.table(E.OVERLAYS))[0]
    middle = corners.mean(axis=0)
    turned = middle + (corners - middle)[:, [2, 1, 0]] * [1, 1, -1]
    fields = overlays.placed(turned, level.table(E.OVERLAYS)[0])
    assert sorted(fields) == ["origin", "uv_points"]
    overlays.change(level, {0: fields})
    assert np.allclose(overlay_quads.corners(level.table(E.OVERLAYS))[0], turned)
    floor = np.array([[-80, -20, 0], [-80, 20, 0], [-40, 20, 0], [-40, -20, 0.0]])
    fields = overlays.placed(floor, level.table(E.OVERLAYS)[0])
    assert np.allclose(fields["basis_normal"], [0, 0, 1])
    overlays.change(level, {0: fields})
    assert np.allclose(overlay_quads.corners(level.table(E.OVERLAYS))[0], floor)
    assert level.table(E.OVERLAYS)["faces"][0, :2].tolist() == [room.FLOOR_LEFT, 0]
    assert changed(level) == {"OVERLAYS"}


def test_overlays_are_added_and_removed_with_the_rows_beside_them(level):
    corners = overlay_quads.corners(level.table(E.OVERLAYS))[0] + [150, 0, 0]
    new = overlays.placed(corners) | {"texdata": 1, "render_order": 2, "fade": (10, 20)}
    assert overlays.add(level, [new, new | {"texdata": 0}]) == [1, 2]
    assert changed(level) == {"OVERLAYS", "OVERLAY_FADES", "TEXINFO"}
    table = level.table(E.OVERLAYS)
    assert table["id"].tolist() == [4, 5, 6]
    assert table["texinfo"].tolist() == [3, 4, 3]  # what only names a texture is there but once
    assert table["face_count_and_render_order"][1] == 1 | 2 << 14
    assert table["faces"][1, 0] == room.NORTH_RIGHT
    assert np.allclose(overlay_quads.corners(table)[1], corners)
    assert level.table(E.OVERLAY_FADES).tolist() == [(-1, 0), (100, 400), (100, 400)]
    overlays.remove(level, [0, 2])
    assert level.table(E.OVERLAYS)["id"].tolist() == [5]
    assert level.table(E.OVERLAY_FADES).tolist() == [(100, 400)]
    assert changed(level) == {"OVERLAYS", "OVERLAY_FADES", "TEXINFO"}


def test_the_first_overlay_of_a_map(level):
    fields = overlays.placed(overlay_quads.corners(level.table(E.OVERLAYS))[0]) | {"texdata": 1, "fade": (3, 5)}
    overlays.remove(level, [0])
    assert not len(level.table(E.OVERLAYS))
    assert not len(level.table(E.OVERLAY_FADES))
    assert overlays.add(level, [fields]) == [0]
    assert level.table(E.OVERLAY_FADES).tolist() == [(9, 25)]
    assert changed(level) == {"OVERLAYS", "OVERLAY_FADES", "TEXINFO"}


def test_limits_are_those_of_compilers_where_the_map_is_within_them(level):
    lying = overlays.placed(overlay_quads.corners(level.table(E.OVERLAYS))[0]) | {"texdata": 0}
    rows = {lump: level.table(lump) for lump in (E.OVERLAYS, E.OVERLAY_FADES)}
    cases = ((20, 511, True), (20, 512, False), (20, 600, True), (21, 512, True), (21, 1024, False))
    for version, count, fits in cases:
        level.file.version = version
        for lump, row in rows.items():
            level.set_table(lump, np.repeat(row[:1], count))
        if fits:
            assert overlays.add(level, [lying]) == [count]
        else:
            refused(level, f"would have {count + 1:,} records, usual compilers allow {count}", overlays.add, [lying])
    level.file.version = 20
    light = [("classname", "light")]
    level.entities.extend(level.entities[1:2] * (8192 - len(level.entities)))
    refused(level, "there are 8192 entities", entities.add, light)
    level.entities.append(level.entities[1])
    assert entities.add(level, light) == 8193


def test_overlays_that_cannot_be(level):
    refused(level, "lies on no face", overlays.change, {0: {"origin": (-100, 100, 64)}})
    refused(level, "isn't there", overlays.change, {1: {"origin": (0, 0, 0)}})
    refused(level, "isn't there", overlays.remove, [1])
    refused(level, "needs", overlays.add, [{"origin": (0, 0, 0)}])
    lying = overlays.placed(overlay_quads.corners(level.table(E.OVERLAYS))[0]) | {"texdata": 0}
    refused(level, "record 1 isn't there", overlays.add, [lying], [1])
    refused(level, "cannot be set", overlays.change, {0: {"face_count_and_render_order": 4}})
    for order in (4, 0.5, np.inf):
        refused(level, f"render order {order}", overlays.change, {0: {"render_order": order}})
    for number in (np.inf, 0.5, -1, 99):
        refused(level, "isn't there", overlays.change, {0: {"texinfo": number}})
    refused(level, "not the number of a record", overlays.change, {0: {"texinfo": "first"}})
    refused(level, "OVERLAY_SYSTEM_LEVELS", overlays.change, {0: {"min_cpu_level": 1}})
    for fade in (1, (1, 2, 3), (1, "far"), (1, np.nan), (1, 1e20)):
        refused(level, "number|finite", overlays.change, {0: {"fade": fade}})
    with pytest.raises(FormatError, match="no plane"):
        overlays.placed([[0, 0, 0], [0, 9, 5], [9, 9, 0], [9, 0, 5]])


# ------------------------------------------------------------------------------------------------------------ cubemaps


def test_numbers_that_are_part_of_others_are_no_cubemaps(level):
    level.pak.put("materials/maps/room/floor_10_20_30_40.vmt", b"")
    level.pak.put("materials/maps/room/floor_10_20_30_-40.vmt", b"")
    level.pak.put("materials/maps/room/water_10_20_30_depth_40.vmt", b"")
    cubemaps.change(level, 0, (1, 2, 3))
    names = [name.removeprefix("materials/maps/room/") for name in level.pak.names[-3:]]
    assert names == ["floor_10_20_30_40.vmt", "floor_10_20_30_-40.vmt", "water_1_2_3_depth_40.vmt"]


def test_all_that_is_named_after_a_cubemap_moves_with_it(level):
    cubemaps.change(level, 0, (-1, 20, 3000))
    assert changed(level) == {"CUBEMAPS", "PAKFILE", "TEXDATA_STRING_DATA"}
    assert level.texture_names.names[1] == "maps/room/dev/wall_-1_20_3000"
    material = "materials/maps/room/dev/wall_-1_20_3000.vmt"
    assert b'"maps/room/c-1_20_3000"' in bytes(level.pak.read(material))
    assert bytes(level.pak.read("materials/maps/room/c-1_20_3000.vtf")) == b"ldr one"
    assert bytes(level.pak.read("materials/maps/room/c-1_20_3000.hdr.vtf")) == b"hdr one"
    assert not [name for name in level.pak.names if "10_20_30" in name]
    cubemaps.change(level, 0, (10, 20, 30))
    assert write(level) == write(room.room())


def test_the_size_of_a_cubemap(level):
    cubemaps.change(level, 1, size=3)
    assert changed(level) == {"CUBEMAPS"}


def test_cubemaps_are_added_and_removed_with_their_files(level):
    assert cubemaps.add(level, (1, 2, 3), 0, {".vtf": b"new", ".hdr.vtf": b"newer"}) == 2
    assert bytes(level.pak.read("materials/maps/room/c1_2_3.hdr.vtf")) == b"newer"
    assert changed(level) == {"CUBEMAPS", "PAKFILE"}
    cubemaps.remove(level, 1)
    assert "materials/maps/room/c50_60_70.vtf" not in level.pak
    cubemaps.remove(level, 0)  # a material needs its files
    assert "materials/maps/room/c10_20_30.vtf" in level.pak
    assert level.table(E.CUBEMAPS)["origin"].tolist() == [[1, 2, 3]]
    assert changed(level) == {"CUBEMAPS", "PAKFILE"}


def test_cubemaps_that_cannot_be(level):
    refused(level, "cubemap 1 is at", cubemaps.change, 0, (50, 60, 70))
    refused(level, "cubemap 0 is at", cubemaps.add, (10, 20, 30))
    refused(level, "whole number", cubemaps.change, 0, (0.5, 0, 0))
    refused(level, "isn't there", cubemaps.remove, 2)
    level.pak.put("materials/maps/room/c7_7_7.vtf", b"")
    refused(level, "already", cubemaps.change, 0, (7, 7, 7))


# -------------------------------------------------------------------------------------------------------- world lights


@pytest.mark.parametrize("lump", [E.WORLDLIGHTS, E.WORLDLIGHTS_HDR])
def test_world_lights(level, lump):
    worldlights.change(level, lump, {0: {"origin": (50, 0, 50), "intensity": (1, 2, 3)}})
    assert level.table(lump)["cluster"].tolist() == [1, 1]
    assert worldlights.add(level, lump, [{"origin": (-5, 0, 5), "intensity": (1, 1, 1), "type": 2}]) == [2]
    worldlights.remove(level, lump, [1])
    table = level.table(lump)
    assert table["cluster"].tolist() == [1, 0]
    assert table["intensity"].tolist() == [[1, 2, 3], [1, 1, 1]]
    assert changed(level) == {lump.name}


def test_world_lights_that_cannot_be(level):
    lump = E.WORLDLIGHTS
    refused(level, "within a wall", worldlights.change, lump, {0: {"origin": (0, 0, -5)}})
    refused(level, "type 9", worldlights.change, lump, {0: {"type": 9}})
    refused(level, "no 'mode'", worldlights.change, lump, {0: {"mode": 1}})
    level.visibility = Visibility(np.full((1, 1), 1, np.uint8), np.full((1, 1), 1, np.uint8))
    refused(level, "cluster 99 isn't there", worldlights.change, lump, {0: {"cluster": 99}})
    refused(level, "not finite", worldlights.change, lump, {0: {"intensity": (1, np.nan, 1)}})
    refused(level, "isn't there", worldlights.remove, lump, [2])
    refused(level, "has no world lights", worldlights.remove, E.FACES, [0])


# ----------------------------------------------------------------------------------------------------------- lightmaps


@pytest.mark.parametrize("lump", [E.LIGHTING, E.LIGHTING_HDR])
def test_painted_luxels_change_alone_with_their_average(level, lump):
    found = lighting.lightmaps(level)[lump]
    offsets, owners = lighting.luxel_offsets(found)
    before = bytes(level.bytes_of(lump))
    light = rgbe.decode(lighting.colors_at(before, offsets))
    assert lightmaps.paint(level, lump, {(0, 0): light}) == 0
    assert changed(level) == set()
    light[owners == 6] *= 4
    assert lightmaps.paint(level, lump, {(0, 0): light}) == 4
    assert changed(level) == {lump.name}
    after = bytes(level.bytes_of(lump))
    places = np.concatenate([offsets[owners == 6], found.averages()[6:7]])
    untouched = np.ones(len(before), bool)
    untouched[(places[:, None] + np.arange(4)).reshape(-1)] = False
    assert (np.frombuffer(after, "u1")[untouched] == np.frombuffer(before, "u1")[untouched]).all()
    old, new = (rgbe.decode(lighting.colors_at(data, places)) for data in (before, after))
    assert np.allclose(new, old * 4)


def test_bump_samples_leave_the_average(level):
    found = lighting.lightmaps(level)[E.LIGHTING]
    offsets, owners = lighting.luxel_offsets(found, 0, 2)
    assert set(found.faces[owners]) == {room.EAST}
    before = bytes(level.bytes_of(E.LIGHTING))
    assert lightmaps.paint(level, E.LIGHTING, {(0, 2): np.full((4, 3), 0.75)}) == 4
    after = bytes(level.bytes_of(E.LIGHTING))
    assert {place for place in range(len(after)) if before[place] != after[place]} <= set(
        range(offsets[0], offsets[0] + 16)
    )


def test_black_and_bright_again(level):
    found = lighting.lightmaps(level)[E.LIGHTING]
    offsets, _ = lighting.luxel_offsets(found)
    lightmaps.paint(level, E.LIGHTING, {(0, 0): np.zeros((len(offsets), 3))})
    averages = lighting.colors_at(level.bytes_of(E.LIGHTING), found.averages())
    assert not averages["rgb"].any()
    lightmaps.paint(level, E.LIGHTING, {(0, 0): np.full((len(offsets), 3), 2.0)})
    averages = lighting.colors_at(level.bytes_of(E.LIGHTING), found.averages())
    assert np.allclose(rgbe.decode(averages), 2, rtol=0.01)


def test_lightmaps_that_cannot_be(level):
    refused(level, "for 40 luxels", lightmaps.paint, E.LIGHTING, {(0, 0): np.zeros((3, 3))})
    refused(
        level,
        "luxel 2 of face 0",
        lightmaps.paint,
        E.LIGHTING,
        {(0, 0): np.where(np.arange(40)[:, None] == 2, -1, [1, 1, 1])},
    )
    refused(level, "no such lightmaps", lightmaps.paint, E.PLANES, {})


# ----------------------------------------------------------------------------------------------------------------- pak


def test_files_of_the_pak(level):
    pak.put(level, {"materials/new.vmt": b"new" * 500, "sp_0.vhv": b"other"})
    pak.put(level, {"materials/packed.vmt": b"new" * 500}, compress=True)
    pak.remove(level, ["SP_1.VHV"])
    pak.rename(level, {"sp_2.vhv": "sp_9.vhv"})
    assert changed(level) == {"PAKFILE"}
    after = read(write(level)).pak
    assert bytes(after.read("materials/packed.vmt")) == bytes(after.read("materials/new.vmt")) == b"new" * 500
    assert "sp_1.vhv" not in after
    assert bytes(after.read("sp_9.vhv")) == b"light of 2"


def test_files_that_are_as_they_were_change_nothing(level):
    pak.put(level, dict(room.FILES))
    assert changed(level) == set()


def test_files_that_cannot_be(level):
    refused(level, "name of a file", pak.put, {"a": b"", "日": b""})
    refused(level, "has no file", pak.remove, ["sp_0.vhv", "sp_7.vhv"])
    refused(level, "already", pak.rename, {"sp_0.vhv": "x", "sp_1.vhv": "sp_2.vhv"})
