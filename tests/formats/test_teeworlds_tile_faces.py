# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces to tile records, without a scene: what each kind of edit of a face writes, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from formats.teeworlds import tile_faces
from formats.teeworlds import tiles as tile_geometry
from formats.teeworlds.tile_faces import TileError, TileFaces

TILE = np.dtype([("index", "u1"), ("flags", "u1"), ("skip", "u1"), ("reserved", "u1")])
TELE = np.dtype([("number", "u1"), ("type", "u1")])
SWITCH = np.dtype([("number", "u1"), ("type", "u1"), ("flags", "u1"), ("delay", "u1")])
SPEEDUP = np.dtype([("force", "u1"), ("max_speed", "u1"), ("type", "u1"), ("reserved", "u1"), ("angle", "<i2")])
RING = np.array([(0, 0), (0, 1), (1, 1), (1, 0)], float)  # top left, bottom left, bottom right, top right; y down
# Stray bytes (skip 9, reserved 7), an OPAQUE bit, flags on air: what Blender doesn't show must come back as well.
MAP = np.array([[(1, 0, 9, 7), (0, 5, 0, 0), (2, 4 | 8, 0, 0)], [(0, 0, 0, 0), (3, 3, 0, 0), (255, 11, 0, 1)]], TILE)


def drawn(tiles, kind="TILES"):
    """The faces that an import makes of the records."""
    rows, columns = np.nonzero(~tile_faces.is_air(tiles, kind))
    records = tiles[rows, columns]
    names = {"index": "type"} if kind in ("TELE", "SWITCH", "SPEEDUP") else {"index": "index"}
    names |= {name: name for name in tiles.dtype.names if name not in ("type", "index", "skip", "reserved")}
    attributes = {name: records[field].astype(np.int32) for name, field in names.items()}
    flags = attributes.get("flags", np.zeros_like(attributes["index"]))
    return TileFaces(
        corners=RING + np.stack((columns, rows), axis=-1)[:, None],
        uvs=tile_geometry.corner_uvs(attributes["index"], flags),
        ids=(rows * tiles.shape[1] + columns + 1).astype(np.int32),
        attributes=attributes,
        uv_tile=tile_faces.made_for(kind, attributes),
    )


def older(faces):
    """The faces of a level that version 0.3 saved: nothing tells what their UVs were made for."""
    return replace(faces, uv_tile=None)


def picked(faces, numbers):
    """Some of the faces, or some of them twice."""
    return TileFaces(
        faces.corners[numbers],
        faces.uvs[numbers],
        faces.ids[numbers],
        {name: values[numbers] for name, values in faces.attributes.items()},
        faces.uv_tile[numbers],
    )


def turned(faces, matrix):
    """Every face turned about its own centre by a 2x2 matrix (map axes, y down)."""
    centres = faces.corners.mean(axis=1, keepdims=True)
    corners = (faces.corners - centres) @ np.array(matrix, float).T + centres
    return replace(faces, corners=corners)


def new(faces, **attributes):
    """The faces as Blender makes new ones: no id, attributes 0."""
    zeros = np.zeros_like(faces.ids)
    return TileFaces(
        faces.corners,
        faces.uvs,
        zeros,
        {name: np.full_like(zeros, attributes.get(name, 0)) for name in faces.attributes},
        zeros,
    )


def read(faces, original=MAP, kind="TILES", shape=None):
    return tile_faces.read_tiles(faces, kind, original, shape or original.shape)


def changed(faces, original=MAP, **kwargs):
    """{(row, column): record} of the cells that differ from the original."""
    result = read(faces, original, **kwargs)
    return {(int(y), int(x)): result[y, x].item() for y, x in zip(*np.nonzero(result != original), strict=True)}


def test_unedited_faces_are_the_records_they_came_from():
    assert read(drawn(MAP)).tobytes() == MAP.tobytes()
    assert read(older(drawn(MAP))).tobytes() == MAP.tobytes()


def test_faces_may_come_in_any_order_start_at_any_corner_and_run_either_way():
    faces = picked(drawn(MAP), [3, 1, 0, 2])
    rolled = replace(faces, corners=np.roll(faces.corners, 1, axis=1), uvs=np.roll(faces.uvs, 1, axis=1))
    flipped = replace(faces, corners=faces.corners[:, ::-1], uvs=faces.uvs[:, ::-1])
    assert read(rolled).tobytes() == read(flipped).tobytes() == MAP.tobytes()


def test_a_moved_tile_takes_its_whole_record_along_and_leaves_air():
    faces = drawn(MAP)
    faces.corners[0] += (0.02, 1 - 0.03)  # snapped
    assert changed(faces) == {(0, 0): (0, 0, 0, 0), (1, 0): (1, 0, 9, 7)}


def test_a_deleted_tile_becomes_air_and_a_copied_one_is_there_twice():
    faces = picked(drawn(MAP), [0, 0, 2, 3])
    faces.corners[1] += (1, 0)
    assert changed(faces) == {(0, 1): (1, 0, 9, 7), (0, 2): (0, 0, 0, 0)}


@pytest.mark.parametrize(
    ("matrix", "flags"),
    [
        ([[0, -1], [1, 0]], 8),
        ([[-1, 0], [0, -1]], 3),
        ([[0, 1], [-1, 0]], 11),
        ([[-1, 0], [0, 1]], 1),
        ([[1, 0], [0, -1]], 2),
    ],
)
def test_a_turned_tile_gets_the_flags_that_show_the_same(matrix, flags):
    assert changed(mixed(matrix, 0)) == {(0, 0): (1, flags, 9, 7)}


def mixed(matrix, face):
    """All faces of MAP, one of them turned."""
    faces = drawn(MAP)
    faces.corners[face] = turned(faces, matrix).corners[face]
    return faces


def test_turning_keeps_the_bits_that_turn_nothing():
    # Rotated by 90 degrees once more: 180 degrees. OPAQUE (4) stays, the picture is the same.
    assert changed(mixed([[0, -1], [1, 0]], 1)) == {(0, 2): (2, 3 | 4, 0, 0)}


def test_an_edited_attribute_is_written():
    faces = drawn(MAP)
    faces.attributes["flags"][0] = 1 | 4
    faces.attributes["index"][2] = 77
    assert changed(faces) == {(0, 0): (1, 5, 9, 7), (1, 1): (77, 3, 0, 0)}


def test_another_picture_by_its_texture_alone_is_another_index_and_no_longer_opaque():
    faces = drawn(MAP)
    faces.uvs[1] = tile_geometry.corner_uvs(np.array([200]), np.array([8]))[0] + np.float32(0.001)
    assert changed(faces) == {(0, 2): (200, 8, 0, 0)}


def test_both_edited_alike_is_fine():
    faces = mixed([[0, -1], [1, 0]], 0)
    faces.attributes["flags"][0] = 8
    assert changed(faces) == {(0, 0): (1, 8, 9, 7)}


@pytest.mark.parametrize("way", [lambda faces: faces, older], ids=["now", "of version 0.3"])
def test_where_both_were_edited_the_attribute_decides(way):
    faces = mixed([[0, -1], [1, 0]], 3)
    faces.attributes["flags"][3] = 1
    assert changed(way(faces)) == {(1, 2): (255, 1, 0, 1)}
    faces = drawn(MAP)
    faces.uvs[2] = tile_geometry.corner_uvs(np.array([9]), np.array([3]))[0]
    faces.attributes["index"][2] = 10
    assert changed(way(faces)) == {(1, 1): (10, 3, 0, 0)}


def test_index_and_turn_are_decided_apart():
    faces = mixed([[0, -1], [1, 0]], 0)
    faces.attributes["index"][0] = 50
    faces.uvs[2] = tile_geometry.corner_uvs(np.array([9]), np.array([3]))[0]
    faces.attributes["flags"][2] = 8
    assert changed(faces) == {(0, 0): (50, 8, 9, 7), (1, 1): (9, 8, 0, 0)}


def test_a_tile_painted_to_air_is_gone_wherever_it_lies():
    faces = drawn(MAP)
    faces.attributes["index"][:3] = 0
    faces.corners[1:3] += (7.3, 0)
    faces.corners[0] = faces.corners[3]
    assert changed(faces) == {(0, 0): (0, 0, 0, 0), (0, 2): (0, 0, 0, 0), (1, 1): (0, 0, 0, 0)}
    faces.attributes["index"][3] = 256
    with pytest.raises(TileError, match="given a index outside") as caught:
        read(faces)
    assert caught.value.faces.tolist() == [3], "the faces' own numbers, those of air counted"


def test_what_the_uvs_were_made_for_fits_a_float():
    flags = np.arange(256)
    made = tile_faces.made_for("SWITCH", {"index": np.full(256, 255), "flags": flags})
    assert (made == 255 + 256 * (flags & 11)).all()
    angles = np.array([0, 359, -1, -(2**15)])
    made = tile_faces.made_for("SPEEDUP", {"index": np.full(4, 255), "angle": angles})
    assert made.tolist() == [255, 255 + 256 * 359, 2**24 - 1, 255 + (2**15 << 8)]
    assert (made.astype(np.float32) == made).all()
    assert tile_faces.made_for("TELE", {"index": np.array([26]), "number": np.array([7])}).tolist() == [26]


def test_a_new_face_with_an_index_is_what_its_attributes_say_whatever_its_uvs():
    faces = new(drawn(MAP), index=4, flags=2)
    assert read(faces, np.zeros((0, 0), TILE), shape=(2, 3))[1, 2].item() == (4, 2, 0, 0)
    assert read(new(drawn(MAP), index=4))[1, 2].item() == (4, 0, 0, 0), "not turned as its UVs are"
    assert read(older(new(drawn(MAP), index=4)))[1, 2].item() == (4, 11, 0, 0), "as version 0.3 filled tiles"


def test_tiles_between_the_cells_are_refused():
    faces = drawn(MAP)
    faces.corners[1] += (0.25, 0)
    with pytest.raises(TileError, match=r"1 tile is not on the grid .* at \(2.25, 0\)") as caught:
        read(faces)
    assert caught.value.faces.tolist() == [1]


@pytest.mark.parametrize(
    "corners",
    [
        RING * 2,
        RING[[0, 2, 1, 3]],
        RING[[0, 0, 1, 2]],
        RING * np.nan,
        RING @ np.array([[0.7071, 0.7071], [-0.7071, 0.7071]]),
    ],
    ids=["bigger", "twisted", "folded", "nan", "turned by 45 degrees"],
)
def test_faces_that_are_no_cell_are_refused(corners):
    faces = drawn(MAP)
    faces.corners[0] = corners
    with pytest.raises(TileError, match="1 tile is not on the grid"):
        read(faces)


def test_overlapping_tiles_are_refused_with_all_of_them():
    faces = picked(drawn(MAP), [0, 1, 2, 0])
    with pytest.raises(TileError, match=r"2 tiles are overlapping: at \(0, 0\)$") as caught:
        read(faces)
    assert caught.value.faces.tolist() == [0, 3]


def test_tiles_outside_the_layer_are_refused_until_it_is_resized():
    faces = drawn(MAP)
    faces.corners[:] += (2, 0)
    with pytest.raises(TileError, match=r"3 tiles are outside the layer \(3 x 2\): at \(4, 0\), \(3, 1\), \(4, 1\)$"):
        read(faces)
    result = read(faces, shape=(2, 5))
    assert result[:, 2:]["index"].tolist() == [[1, 0, 2], [0, 3, 255]]
    assert result[0, 1].item() == (0, 5, 0, 0), "air keeps its bytes"


def test_a_layer_may_shrink_where_no_tile_lies():
    faces = picked(drawn(MAP), [0])
    assert read(faces, shape=(1, 2)).tolist() == [[(1, 0, 9, 7), (0, 5, 0, 0)]]


def test_new_faces_without_attributes_are_what_they_show():
    faces = new(drawn(MAP))
    result = read(faces, np.zeros((0, 0), TILE), shape=(2, 3))
    assert result["index"].tolist() == MAP["index"].tolist()
    assert result[1, 2].item() == (255, 11, 0, 0)


def test_new_faces_with_attributes_need_no_texture():
    faces = new(drawn(MAP), index=4, flags=12)
    bare, blank = replace(faces, uvs=None), replace(faces, uvs=np.zeros_like(faces.uvs))
    for told in (bare, blank, older(bare), older(blank)):
        assert read(told, np.zeros((0, 0), TILE), shape=(2, 3))[1, 2].item() == (4, 12, 0, 0)


def test_new_faces_that_say_nothing_are_refused():
    blank = new(drawn(MAP))
    blank.uvs[:] = 0
    for faces in (blank, older(blank)):
        with pytest.raises(TileError, match="4 tiles are new, and neither"):
            read(faces)


def test_a_tile_with_an_unreadable_texture_is_refused():
    faces = drawn(MAP)
    faces.uvs[1] *= 0.5
    with pytest.raises(TileError, match=r"1 tile is textured with no whole tile of the image: at \(2, 0\)"):
        read(faces)


def test_a_value_too_big_for_its_field_is_refused():
    faces = drawn(MAP)
    faces.attributes["flags"][0] = 256
    with pytest.raises(TileError, match=r"given a flags outside 0\.\.255: at \(0, 0\)"):
        read(faces)


def test_ids_beyond_the_layer_count_as_new():
    faces = drawn(MAP)
    faces.ids[:] = 1000
    assert read(faces)["index"].tolist() == MAP["index"].tolist()


def test_special_fields_are_attributes():
    tele = np.array([[(7, 10), (0, 0)], [(1, 0), (3, 26)]], TELE)
    faces = drawn(tele, "TELE")
    assert read(faces, tele, "TELE").tobytes() == tele.tobytes(), "a number without a type is kept: it is air"
    faces.attributes["number"][0] = 200
    assert changed(faces, tele, kind="TELE") == {(0, 0): (200, 10)}
    assert changed(turned(drawn(tele, "TELE"), [[0, -1], [1, 0]]), tele, kind="TELE") == {}, "a tele has no orientation"


def test_switches_turn_by_flags_and_keep_the_others():
    switch = np.array([[(1, 22, 8, 5)]], SWITCH)
    faces = turned(drawn(switch, "SWITCH"), [[-1, 0], [0, -1]])
    assert changed(faces, switch, kind="SWITCH") == {(0, 0): (1, 22, 11, 5)}


@pytest.mark.parametrize(
    ("matrix", "angle"),
    [([[0, -1], [1, 0]], 100), ([[-1, 0], [0, 1]], 170), ([[1, 0], [0, -1]], 350), ([[0, 1], [-1, 0]], 280)],
)
def test_a_turned_speedup_turns_its_angle(matrix, angle):
    speedup = np.array([[(1, 2, 28, 0, 10)]], SPEEDUP)
    faces = turned(drawn(speedup, "SPEEDUP"), matrix)
    assert changed(faces, speedup, kind="SPEEDUP") == {(0, 0): (1, 2, 28, 0, angle)}
    faces.attributes["angle"][0] = angle
    assert changed(faces, speedup, kind="SPEEDUP") == {(0, 0): (1, 2, 28, 0, angle)}
    faces.attributes["angle"][0] = 11
    assert changed(faces, speedup, kind="SPEEDUP") == {(0, 0): (1, 2, 28, 0, 11)}, "the attribute decides"
    assert changed(older(faces), speedup, kind="SPEEDUP") == {(0, 0): (1, 2, 28, 0, 11)}


def test_any_angle_that_was_not_turned_stays_as_it_was():
    speedup = np.array([[(1, 2, 28, 0, -700)]], SPEEDUP)
    faces = drawn(speedup, "SPEEDUP")
    assert read(faces, speedup, "SPEEDUP").tobytes() == speedup.tobytes()
    faces.attributes["angle"][0] = 400
    assert changed(faces, speedup, kind="SPEEDUP") == {(0, 0): (1, 2, 28, 0, 400)}


# ---- what nobody edited isn't looked into


def test_a_layer_that_nobody_edited_is_its_own_records():
    assert read(drawn(MAP)) is MAP
    assert read(older(drawn(MAP))) is MAP
    assert read(drawn(MAP), shape=(3, 3)) is not MAP
    assert read(picked(drawn(MAP), [0, 1, 2])) is not MAP


@pytest.mark.parametrize("seed", range(30))
def test_edited_faces_among_others_are_what_they_are_alone(seed, monkeypatch):
    random = np.random.default_rng(seed)
    original = np.zeros((9, 14), TILE)
    original["index"] = random.integers(0, 4, original.shape)
    original["flags"] = random.choice([0, 1, 2, 5, 8, 11], original.shape)
    faces = drawn(original)
    numbers = random.permutation(len(faces.ids))[: random.integers(1, len(faces.ids))]
    faces = picked(faces, np.sort(numbers) if random.random() < 0.5 else numbers)
    for name in ("index", "flags"):
        some = random.random(len(numbers)) < 0.1
        faces.attributes[name][some] = random.integers(0, 4, some.sum())
    faces.corners[random.random(len(numbers)) < 0.02] += (1, 0)
    if random.random() < 0.2:
        faces = older(faces)

    def result():
        try:
            return read(faces, original, shape=(9, 15)).tobytes()
        except TileError as error:
            return error.message, sorted(error.faces.tolist())

    quick = result()
    monkeypatch.setattr(tile_faces, "_as_drawn", lambda faces, *_: np.zeros(len(faces.ids), np.bool_))
    assert quick == result()


def test_two_faces_of_one_record_in_its_cell_are_refused():
    faces = picked(drawn(MAP), [0, 1, 1, 2, 3])
    with pytest.raises(TileError, match="2 tiles are overlapping") as caught:
        read(faces)
    assert caught.value.faces.tolist() == [1, 2]
