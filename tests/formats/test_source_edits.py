"""Edits of a map made here: only the lumps that have to change do, all that is linked follows, errors change none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.source import LumpId, Output, check, displacements, geometry, lighting, overlay_quads, read, rgbe, write
from formats.source.edits import (
    cubemaps,
    entities,
    lightmaps,
    overlays,
    pak,
    texture_vectors,
    textures,
    worldlights,
)
from formats.source.edits import displacements as disp_edits
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
@settings(deadline=None, max_examples=60)
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


# ------------------------------------------------------------------------------------------------------- displacements


def laid_out(level):
    laid = displacements.displacements(level, geometry.polygons(level))
    return laid, laid.positions(level.table(E.DISP_VERTS))


def test_a_border_that_is_moved_takes_the_neighbour_along(level):
    laid, old = laid_out(level)
    pairs = displacements.shared(laid, old)
    assert len(pairs[0]) == 2 * room.SIDE
    wanted = old.copy()
    wanted[(old[:, 0] == 0) & (laid.owner == 0), 2] += 12
    assert disp_edits.change(level, wanted).tolist() == [0, 1]
    assert changed(level) == {"DISP_VERTS", "PHYSDISP"}
    assert not len(level.bytes_of(E.PHYSDISP))
    made = laid.positions(level.table(E.DISP_VERTS))
    assert np.abs(made - np.where((old[:, :1] == 0), old + np.array([0, 0, 12]), old)).max() < 1e-4
    assert (made[pairs[0]] == made[pairs[1]]).all()


def test_borders_that_are_moved_apart_meet_halfway(level):
    laid, old = laid_out(level)
    wanted = old.copy()
    wanted[(old[:, 0] == 0) & (laid.owner == 0), 2] += 12
    wanted[(old[:, 0] == 0) & (laid.owner == 1), 2] += 4
    disp_edits.change(level, wanted)
    assert set(laid.positions(level.table(E.DISP_VERTS))[old[:, 0] == 0, 2]) == {8}


def test_the_inside_of_one_displacement_changes_it_alone(level):
    _, old = laid_out(level)
    wanted = old.copy()
    wanted[12] += [1, 2, 3]
    before = level.table(E.DISP_VERTS).copy()
    assert disp_edits.change(level, wanted).tolist() == [0]
    after = level.table(E.DISP_VERTS)
    assert np.flatnonzero(before != after).tolist() == [12]
    assert after["alpha"][12] == 10


def test_alphas_and_tags_leave_the_collision(level):
    laid, old = laid_out(level)
    alphas = level.table(E.DISP_VERTS)["alpha"].copy()
    alphas[(old[:, 0] == 0) & (laid.owner == 0)] = 200
    tags = level.table(E.DISP_TRIS)["tags"].copy()
    tags[40] = 6
    assert disp_edits.change(level, alphas=alphas, tags=tags).tolist() == [0, 1]
    assert changed(level) == {"DISP_VERTS", "DISP_TRIS"}
    assert set(level.table(E.DISP_VERTS)["alpha"][old[:, 0] == 0]) == {200}
    assert disp_edits.change(level, old, alphas).tolist() == [0, 1]  # those of the neighbour, which followed
    assert disp_edits.change(level, old, level.table(E.DISP_VERTS)["alpha"]).tolist() == []


def test_vertices_that_a_coarser_neighbour_has_not_stay_on_its_line(level):
    infos = level.table(E.DISPINFO).copy()
    infos["allowed_verts"][0, 0] ^= 1 << 1 | 1 << 3  # of the border from vertex 0 to 4
    level.set_table(E.DISPINFO, infos)
    before = read(write(level))
    laid, old = laid_out(level)
    wanted = old.copy()
    wanted[[1, 2], 2] += [50, 8]
    disp_edits.change(level, wanted)
    assert laid.positions(level.table(E.DISP_VERTS))[:5, 2].tolist() == [0, 4, 8, 4, 0]
    assert changed(level, before) == {"DISP_VERTS", "PHYSDISP"}


def test_displacements_that_cannot_be(level):
    _, old = laid_out(level)
    refused(level, "shape", disp_edits.change, old[1:])
    refused(level, "no numbers", disp_edits.change, np.full_like(old, np.nan))
    refused(level, "vertex 3 would lie outside", disp_edits.change, np.where(np.arange(50)[:, None] == 3, 20000.0, old))
    refused(level, "tags", disp_edits.change, tags=np.full(64, -1))
    refused(level, "alphas", disp_edits.change, old + 1, alphas=np.zeros(3))


# ------------------------------------------------------------------------------------------------------------ textures


def test_a_texture_is_renamed_and_replaced(level):
    textures.change(level, 0, "nature/a_much_longer_name_of_grass", (128, 256), (0.1, 0.2, 0.3))
    assert changed(level) == {"TEXDATA", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE"}
    after = read(write(level))
    assert after.texture_names.names == ["nature/a_much_longer_name_of_grass", "maps/room/dev/wall_10_20_30"]
    row = after.table(E.TEXDATA)[0]
    assert (row["width"], row["height"], row["view_width"], row["view_height"]) == (128, 256, 128, 256)
    assert row["reflectivity"].tolist() == np.float32([0.1, 0.2, 0.3]).tolist()


def test_a_name_of_the_same_length_changes_one_lump(level):
    textures.change(level, 0, "dev/walls")
    assert changed(level) == {"TEXDATA_STRING_DATA"}


def test_a_name_that_others_have_too_is_not_taken_from_them(level):
    table = level.table(E.TEXDATA).copy()
    table["name_string_table_id"] = 0
    level.set_table(E.TEXDATA, table)
    textures.change(level, 1, "dev/other")
    names = level.texture_names.names
    assert [names[number] for number in level.table(E.TEXDATA)["name_string_table_id"]] == ["dev/floor", "dev/other"]


def test_a_texture_is_added_once(level):
    assert textures.add(level, "DEV/floor", (8, 8)) == 0
    assert changed(level) == set()
    assert textures.add(level, "dev/new", (8, 16)) == 2
    assert textures.add(level, "dev/NEW", (8, 16)) == 2
    assert changed(level) == {"TEXDATA", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE"}


def test_textures_that_cannot_be(level):
    refused(level, "isn't there", textures.change, 2, "a")
    refused(level, "127", textures.change, 0, "x" * 128, (1, 1))
    refused(level, "Latin-1", textures.change, 0, "日本")
    refused(level, "0 x 4", textures.change, 0, "a", (0, 4))
    refused(level, "needs a name", textures.add, "", (4, 4))


# ----------------------------------------------------------------------------------------------------- texture vectors


def test_one_face_gets_a_texinfo_of_its_own_and_those_linked_follow(level):
    vectors = level.table(E.TEXINFO)["texture_vecs"][[1]].copy()
    vectors[0, 0, 3] += 8
    texture_vectors.assign(level, [room.WEST], vectors)
    assert changed(level) == {"TEXINFO", "FACES", "FACES_HDR", "ORIGINALFACES", "BRUSHSIDES"}
    for lump in (E.FACES, E.FACES_HDR, E.ORIGINALFACES):
        assert level.table(lump)["texinfo"].tolist() == [0, 0, 0, 0, 4, 2, 1, 1, 1, 1]
    assert level.table(E.BRUSHSIDES)["texinfo"].tolist() == [0] * 6 + [4] + [1] * 5
    made = level.table(E.TEXINFO)
    assert made["lightmap_vecs"][4].tolist() == made["lightmap_vecs"][1].tolist()
    texture_vectors.assign(level, [room.SOUTH_LEFT, room.NORTH_LEFT], vectors[[0, 0]])  # the row is there
    assert len(level.table(E.TEXINFO)) == 5
    assert level.table(E.FACES)["texinfo"].tolist() == [0, 0, 0, 0, 4, 2, 4, 1, 4, 1]


def test_a_brush_side_follows_when_no_face_on_it_lies_as_before(level):
    vectors = level.table(E.TEXINFO)["texture_vecs"][[0, 0]].copy() * 2
    texture_vectors.assign(level, [room.FLOOR_LEFT], vectors[:1])
    assert level.table(E.BRUSHSIDES)["texinfo"][0] == 0
    texture_vectors.assign(level, [room.FLOOR_RIGHT], vectors[:1])
    assert level.table(E.FACES)["texinfo"][:2].tolist() == [4, 4]
    assert level.table(E.BRUSHSIDES)["texinfo"].tolist() == [4] + [0] * 5 + [1] * 6
    other = room.room()
    texture_vectors.assign(other, [room.FLOOR_LEFT, room.FLOOR_RIGHT], vectors)
    assert other.table(E.BRUSHSIDES)["texinfo"].tolist() == [4] + [0] * 5 + [1] * 6


def test_original_faces_whose_texinfos_mean_nothing_stay(level):
    originals = level.table(E.ORIGINALFACES).copy()
    originals["texinfo"] += 900
    level.set_table(E.ORIGINALFACES, originals)
    before = read(write(level))
    texture_vectors.assign(level, [room.EAST], level.table(E.TEXINFO)["texture_vecs"][[0]])
    assert changed(level, before) == {"TEXINFO", "FACES", "FACES_HDR"}


def test_another_texture_on_a_face(level):
    texture_vectors.assign(level, [room.EAST], texdata=[0])
    row = level.table(E.TEXINFO)[level.table(E.FACES)["texinfo"][room.EAST]]
    assert (row["texdata"], row["flags"]) == (0, 0x800)


def corners_of(level, polygons, faces):
    sizes = np.diff(polygons.first_corner)[faces]
    where = np.concatenate([np.arange(polygons.first_corner[f], polygons.first_corner[f + 1]) for f in faces])
    points = polygons.positions[polygons.corners[where]]
    numbers = level.table(E.FACES)["texinfo"][np.repeat(faces, sizes)]
    return points, geometry.texels(points, level.table(E.TEXINFO), numbers)


@given(
    st.lists(st.floats(-4, 4), min_size=4, max_size=4),
    st.tuples(st.floats(-500, 500), st.floats(-500, 500)),
    st.lists(st.integers(0, 9), min_size=1, max_size=10, unique=True),
)
@settings(deadline=None, max_examples=60)
def test_affine_movements_are_solved(turn, shift, faces):
    level = room.room()
    polygons = geometry.polygons(level)
    _, old = corners_of(level, polygons, faces)
    wanted = old @ np.array(turn).reshape(2, 2) + shift
    vectors = texture_vectors.solve(level, polygons, faces, wanted)
    texture_vectors.assign(level, faces, vectors)
    assert np.abs(corners_of(level, polygons, faces)[1] - wanted).max() < 0.01
    assert changed(level) <= {"TEXINFO", "FACES", "FACES_HDR", "ORIGINALFACES", "BRUSHSIDES"}


def test_unmoved_corners_give_the_old_vectors_and_what_lies_across_the_plane_stays(level):
    polygons = geometry.polygons(level)
    faces = list(range(10))
    _, old = corners_of(level, polygons, faces)
    before = level.table(E.TEXINFO)["texture_vecs"][level.table(E.FACES)["texinfo"]]
    assert (texture_vectors.solve(level, polygons, faces, old) == before).all()
    shifted = texture_vectors.solve(level, polygons, faces, old + np.array([3, 4]))
    assert (shifted[:, :, :3] == before[:, :, :3]).all()


def test_what_is_not_affine_is_refused_with_its_distance(level):
    polygons = geometry.polygons(level)
    _, old = corners_of(level, polygons, [4, 5])
    wanted = old.copy()
    wanted[5] += [8, 0]
    with pytest.raises(FormatError, match="face 5: its coordinates are 2 texels"):
        texture_vectors.solve(level, polygons, [4, 5], wanted)
    assert np.allclose(texture_vectors.misfits(level, polygons, [4, 5], wanted), [0, 2])


def test_texture_vectors_that_cannot_be(level):
    vectors = np.zeros((1, 2, 4))
    refused(level, "record 10 isn't there", texture_vectors.assign, [10], vectors)
    refused(level, "twice", texture_vectors.assign, [1, 1], np.zeros((2, 2, 4)))
    refused(level, "finite", texture_vectors.assign, [1], vectors + np.inf)
    refused(level, "isn't there", texture_vectors.assign, [1], vectors, [2])
    faces = level.table(E.FACES).copy()
    faces["texinfo"][3] = -1
    level.set_table(E.FACES, faces)
    refused(level, "face 3 has no texinfo", texture_vectors.assign, [2, 3], np.zeros((2, 2, 4)))


def test_more_texinfos_than_faces_can_name():
    level = room.room()
    many = np.repeat(level.table(E.TEXINFO)[:1], 32767)
    many["texture_vecs"][:, 0, 3] = np.arange(32767)
    level.set_table(E.TEXINFO, many)
    refused(level, "32767 can be told", texture_vectors.assign, [2], np.full((1, 2, 4), 0.5))


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


def test_overlays_that_cannot_be(level):
    refused(level, "lies on 0 faces", overlays.change, {0: {"origin": (-100, 100, 64)}})
    refused(level, "isn't there", overlays.change, {1: {"origin": (0, 0, 0)}})
    refused(level, "isn't there", overlays.remove, [1])
    refused(level, "needs", overlays.add, [{"origin": (0, 0, 0)}])
    refused(level, "render order 4", overlays.change, {0: {"render_order": 4}})
    refused(level, "OVERLAY_SYSTEM_LEVELS", overlays.change, {0: {"min_cpu_level": 1}})
    with pytest.raises(FormatError, match="no plane"):
        overlays.placed([[0, 0, 0], [0, 9, 5], [9, 9, 0], [9, 0, 5]])


# ------------------------------------------------------------------------------------------------------------ cubemaps


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
