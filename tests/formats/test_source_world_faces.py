# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces and light of an edited world: which go and come, where they lie, and what light they have."""

import numpy as np
import pytest

from formats.source import Level, LumpId, check, geometry, read, world, write
from formats.source.edits.brush_pieces import Piece
from formats.source.light import lighting, rgbe
from formats.source.world import Change, WorldEdits, rings
from tests.formats import source_world_faces as proofs
from tests.formats.source_lit_rooms import BUMPED, LUXEL, SWITCHED, lit_rooms
from tests.formats.source_rooms import BEAM, BRUSHES, CRATE, DIVIDER, FLOOR
from tests.formats.test_source_edits import changed
from tests.formats.test_source_world import box

E = LumpId


@pytest.fixture
def level() -> Level:
    made = lit_rooms()
    assert check(made) == []
    return made


def solid(low, high) -> Piece:
    """A box with a texinfo for each axis."""
    piece = box(low, high)
    return Piece(piece.normals, piece.dists, np.abs(piece.normals).argmax(axis=1), piece.contents)


def applied(level: Level, **edits) -> tuple[Level, world.Carved]:
    """The level after, as read from its bytes, of which all proofs are true."""
    before = read(write(level))
    carved = world.apply(level, WorldEdits(**edits))
    after = read(write(level))
    assert check(after) == []
    proven(before, after, carved)
    return after, carved


def proven(before: Level, after: Level, carved: world.Carved) -> None:
    """New faces lie in leafs that list them, none in a solid, each side is covered once, other faces' light stays."""
    random = np.random.default_rng(0)
    fresh, same = proofs.new_faces(before, after)
    assert proofs.unlisted(after, fresh, random)[0] == 0
    assert proofs.hidden(after, fresh, random)[0] == 0
    own, others = proofs.changed_sides(after, carved), sorted({(part.brush, part.side) for part in carved.bare})
    assert proofs.side_cover(after, own, random, 200)[:3] == (0, 0, 0)
    assert proofs.side_cover(after, others, random, 200)[:2] == (0, 0)  # of these, new brushes may cover some
    was, now = proofs.luxels_of(before), proofs.luxels_of(after)
    assert set(was) == {E.LIGHTING, E.LIGHTING_HDR}
    for lump, blocks in was.items():
        assert all(now[lump].get(face) == blocks.get(old) for face, old in same.items())
    for lump in (E.LIGHTING, E.LIGHTING_HDR):  # no bytes between blocks, none of faces that are gone
        assert sum(map(len, now[lump].values())) == len(after.bytes_of(lump))
    counts = after.table(E.LEAFS)["numleaffaces"]
    assert int(counts.sum()) == len(after.table(E.LEAFFACES))


def area_of(level: Level, faces: np.ndarray) -> float:
    here = proofs.Map(level)
    return float(rings.FlatRings.of([here.ring(face) for face in faces.tolist()]).areas.sum())


def on_plane(level: Level, axis: int, dist: float, sign: int) -> np.ndarray:
    """Faces of the world that look along an axis, or the other way."""
    planes = level.table(E.PLANES)[level.table(E.FACES)["planenum"]]
    return np.flatnonzero((planes["normal"][:, axis] == sign) & (planes["dist"] == sign * dist))


def luxels(level: Level, face: int) -> np.ndarray:
    """Where the corners of a face are in its lightmap."""
    row, ring = level.table(E.FACES)[face], proofs.Map(level).ring(face)
    return geometry.luxels(ring, level.table(E.TEXINFO), np.full(len(ring), row["texinfo"]), row["lightmap_mins"][None])


def test_a_box_is_drawn_where_it_is_seen(level) -> None:
    before = read(write(level))
    after, carved = applied(level, added=[solid((-200, -100, -8), (-136, -36, 40))])  # it stands in the floor
    fresh, _ = proofs.new_faces(before, after)
    assert len(fresh) == 5
    assert area_of(after, fresh) == pytest.approx(64 * 64 + 4 * 64 * 40, rel=1e-3)
    faces = after.table(E.FACES)[fresh]
    assert (faces["on_node"] == 0).all()
    assert (faces["dispinfo"] == -1).all()
    assert (faces["side"] == faces["planenum"] & 1).all()
    assert int(after.table(E.MODELS)["numfaces"][0]) == len(before.table(E.FACES)) + 5
    for lump in (E.FACES_HDR, E.FACEIDS):
        assert len(after.table(lump)) == len(after.table(E.FACES))
    assert carved.added.tolist() == [len(BRUSHES)]


def test_sides_without_a_texinfo_are_not_drawn(level) -> None:
    before = read(write(level))
    crate = solid((-200, -100, 0), (-136, -36, 40))
    crate.texinfos[crate.normals[:, 2] > 0] = -1  # its top
    world.apply(level, WorldEdits(added=[crate]))
    after = read(write(level))
    assert check(after) == []
    fresh, _ = proofs.new_faces(before, after)
    assert len(fresh) == 4
    assert area_of(after, fresh) == pytest.approx(4 * 64 * 40, rel=1e-3)
    moved = Piece(crate.normals, crate.dists + crate.normals[:, 0] * 8, crate.texinfos, crate.contents)
    world.apply(after, WorldEdits({len(BRUSHES): Change(moved)}))
    fresh, _ = proofs.new_faces(before, read(write(after)))
    assert check(after) == [] and len(fresh) == 4
    world.apply(after, WorldEdits({len(BRUSHES): Change(None)}))
    assert changed(read(write(after)), before) == set()


def test_added_and_deleted_leaves_the_map_as_it_was(level) -> None:
    before = read(write(level))
    after, carved = applied(level, added=[solid((-200, -100, 0), (-136, -36, 40)), solid((50, 50, 50), (60, 60, 60))])
    again, _ = applied(after, changed={int(number): Change(None) for number in carved.added})
    assert changed(again, before) == set()


def test_a_moved_brush_takes_its_light_along(level) -> None:
    before = read(write(level))
    shape = world.pieces(level)[BEAM]
    by = np.array([40.0, 16, 0])
    move = np.eye(4)
    move[:3, 3] = by
    moved_shape = Piece(shape.normals, shape.dists + shape.normals @ by, shape.texinfos, shape.contents)
    after, _ = applied(level, changed={BEAM: Change(moved_shape, np.arange(6), move)})
    fresh, _ = proofs.new_faces(before, after)
    gone, _ = proofs.new_faces(after, before)
    assert len(fresh) == len(gone) == 5
    was, now = proofs.luxels_of(before), proofs.luxels_of(after)
    here, there = proofs.Map(before), proofs.Map(after)
    for face in gone.tolist():
        new = next(f for f in fresh.tolist() if np.abs(there.ring(f) - here.ring(face) - by).max() < 1e-3)
        for lump, blocks in was.items():
            assert now[lump][new] == blocks[face]
        assert np.abs(luxels(before, face) - luxels(after, new)).max() < 1e-3  # each corner has the luxel that it had
        assert before.table(E.FACEIDS)[face] == after.table(E.FACEIDS)[new]
    overlay = after.table(E.OVERLAYS)[0]  # it lay on one of the faces that moved, and on a wall
    assert overlay["face_count_and_render_order"] == 1
    assert overlay["faces"][:2].tolist() == [0, 0]


def test_a_turned_brush_keeps_its_luxels(level) -> None:
    before = read(write(level))
    shape = world.pieces(level)[BEAM]
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    move = np.eye(4)
    move[:3, :3], move[:3, 3] = turn, (-195, 95, 0)
    normals = shape.normals @ turn.T
    dists = shape.dists + normals @ move[:3, 3]
    texinfos = np.abs(normals).argmax(axis=1)
    after, _ = applied(level, changed={BEAM: Change(Piece(normals, dists, texinfos, 1), np.arange(6), move)})
    fresh, _ = proofs.new_faces(before, after)
    gone, _ = proofs.new_faces(after, before)
    assert len(fresh) == len(gone) == 5
    was, now = (proofs.luxels_of(each)[E.LIGHTING] for each in (before, after))
    assert sorted(was[face] for face in gone.tolist()) == sorted(now[face] for face in fresh.tolist())


def test_a_side_that_is_pushed_leaves_the_others_their_light(level) -> None:
    before = read(write(level))
    low, high = BRUSHES[CRATE]
    shape = world.pieces(level)[CRATE]
    taller = Piece(shape.normals, np.where(shape.normals[:, 2] > 0, 48.0, shape.dists), shape.texinfos, shape.contents)
    after, _ = applied(level, changed={CRATE: Change(taller, np.arange(6))})
    top = on_plane(after, 2, 48, 1)
    assert area_of(after, top) == 32 * 32
    fresh, same = proofs.new_faces(before, after)
    assert len(same) == len(before.table(E.FACES)) - 1  # but for the top, all is as it was
    rest = [face for face in fresh.tolist() if face not in top]
    assert area_of(after, np.array(rest)) == 4 * 32 * (48 - high[2])
    assert (proofs.Map(after).ring(rest[0])[:, 2] >= high[2]).all()
    assert low[2] == 0


def test_a_brush_taken_away_bares_what_it_hid(level) -> None:
    before = read(write(level))
    after, carved = applied(level, changed={CRATE: Change(None)})
    fresh, _ = proofs.new_faces(before, after)
    low, high = np.array(BRUSHES[CRATE])
    assert area_of(after, fresh) == pytest.approx(float(np.prod(high[:2] - low[:2])), rel=1e-3)  # the floor beneath
    assert {part.brush for part in carved.bare} == {FLOOR}
    blocks = lighting.lightmaps(after)[E.LIGHTING]
    assert set(fresh.tolist()) <= set(blocks.faces.tolist())
    assert len(after.table(E.LEAF_AMBIENT_INDEX)) == len(after.table(E.LEAFS)) == len(after.table(E.LEAFMINDISTTOWATER))
    for leaf in carved.opened.tolist():
        assert after.table(E.LEAF_AMBIENT_INDEX_HDR)["count"][leaf] >= 1


def test_a_door_in_a_wall(level) -> None:
    """The wall is made two: between them is the door, whose sides are seen, and the room behind it."""
    before = read(write(level))
    (x, y, z), (east, north, top) = BRUSHES[DIVIDER]
    halves = [solid((x, y, z), (east, -32, top)), solid((x, 32, z), (east, north, top))]
    after, carved = applied(level, changed={DIVIDER: Change(halves[0])}, added=[halves[1]])
    threshold = area_of(after, on_plane(after, 2, 0, 1)) - area_of(before, on_plane(before, 2, 0, 1))
    assert threshold == pytest.approx(64 * 16, rel=1e-3)
    for sign, wall in ((1, east), (-1, x)):
        assert area_of(after, on_plane(after, 0, wall, sign)) == pytest.approx(128 * (256 - 64), rel=1e-3)
    cheeks = [on_plane(after, 1, dist, sign) for dist, sign in ((-32, 1), (32, -1))]
    assert [area_of(after, each) for each in cheeks] == pytest.approx([16 * 128] * 2, rel=1e-3)
    assert len(carved.opened)
    fresh, _ = proofs.new_faces(before, after)
    corners = proofs.corners_of_faces(after, proofs.Map(after).world)
    assert proofs.junctions(after, fresh, corners) == 0


def test_new_faces_have_corners_where_others_have_them(level) -> None:
    """Two crates side by side, the second one longer: the edge of its top has corners where the first one ends."""
    before = read(write(level))
    crates = [solid((-200, 20, 0), (-180, 40, 20)), solid((-180, 10, 0), (-160, 60, 20))]
    after, _ = applied(level, added=crates)
    fresh, _ = proofs.new_faces(before, after)
    top = on_plane(after, 2, 20, 1)
    assert sorted(after.table(E.FACES)["numedges"][top].tolist()) == [4, 6]
    assert proofs.junctions(after, fresh, proofs.corners_of_faces(after, fresh)) == 0


def test_new_faces_are_lit_like_what_is_near(level) -> None:
    data = bytearray(level.bytes_of(E.LIGHTING))
    blocks = lighting.lightmaps(level)[E.LIGHTING]
    for place in range(len(blocks.faces)):  # each face a colour of its own
        data[blocks.offset[place] - blocks.header[place] : blocks.offset[place] + blocks.size[place]] = bytes(
            [10 + place, 20 + place, 30, 0]
        ) * int((blocks.header[place] + blocks.size[place]) // 4)
    level.set_bytes(E.LIGHTING, bytes(data))
    before = read(write(level))
    after, _ = applied(level, added=[solid((-250, -4, 60), (-240, 4, 68))])  # just before the west wall, high up
    fresh, _ = proofs.new_faces(before, after)
    found = lighting.lightmaps(after)[E.LIGHTING]
    east_side = next(face for face in fresh.tolist() if proofs.Map(after).normal(face)[0] == 1)
    place = found.faces.tolist().index(east_side)
    offsets, owners = lighting.luxel_offsets(found)
    colors = lighting.colors_at(after.bytes_of(E.LIGHTING), offsets[owners == place])
    wall = on_plane(before, 0, -256, 1)[0]
    assert (colors["rgb"] == [10 + wall, 20 + wall, 30]).all()
    average = lighting.colors_at(after.bytes_of(E.LIGHTING), found.averages()[place : place + 1])
    assert np.allclose(rgbe.decode(average), rgbe.decode(colors).mean(axis=0), rtol=0.01)
    assert (after.table(E.FACES)["styles"][east_side] == before.table(E.FACES)["styles"][wall]).all()


def test_styles_and_bumped_light_as_in_the_map(level) -> None:
    before = read(write(level))
    west = on_plane(before, 0, -256, 1)
    assert before.table(E.FACES)["styles"][west[0], 1] == SWITCHED
    piece = solid((-250, -4, 60), (-240, 4, 68))
    texinfos = piece.texinfos.copy()
    texinfos[texinfos == 2] = BUMPED
    after, _ = applied(level, added=[Piece(piece.normals, piece.dists, texinfos, piece.contents)])
    fresh, _ = proofs.new_faces(before, after)
    for lump in (E.LIGHTING, E.LIGHTING_HDR):
        found = lighting.lightmaps(after)[lump]
        mine = np.isin(found.faces, fresh)
        assert len(np.unique(found.samples[mine])) == 2
        assert (found.styles[mine] == 2).any()
        assert not len(found.outside)


def test_large_faces_are_cut_as_compilers_do(level) -> None:
    rows = level.table(E.TEXINFO)
    fine = rows[:3].copy()
    fine["lightmap_vecs"] *= LUXEL / 4  # a luxel every 4 units
    level.set_table(E.TEXINFO, np.concatenate([rows, fine]))
    before = read(write(level))
    piece = solid((-200, 150, 20), (0, 200, 60))
    after, _ = applied(level, added=[Piece(piece.normals, piece.dists, piece.texinfos + len(rows), piece.contents)])
    fresh, _ = proofs.new_faces(before, after)
    assert len(fresh) == 4 * 2 + 2  # 200 units are 50 luxels
    sizes = after.table(E.FACES)["lightmap_size"][fresh]
    assert (sizes <= 32).all()
    assert sizes.max() == 25


def test_tools_make_no_faces(level) -> None:
    rows = level.table(E.TEXINFO).copy()
    rows["flags"][1] |= 0x80  # NODRAW
    level.set_table(E.TEXINFO, rows)
    before = read(write(level))
    after, _ = applied(level, added=[solid((-200, -100, 20), (-136, -36, 40))])
    fresh, _ = proofs.new_faces(before, after)
    assert len(fresh) == 4
    assert not on_plane(after, 1, -100, -1).size


def test_one_pane_of_glass_hides_the_other(level) -> None:
    window = 0x10000002
    panes = [solid((-60, -40, 0), (-50, 0, 64)), solid((-60, 0, 0), (-50, 40, 64))]
    glass = [Piece(each.normals, each.dists, each.texinfos, window) for each in panes]
    before = read(write(level))
    after, _ = applied(level, added=glass)
    fresh, _ = proofs.new_faces(before, after)
    assert len(fresh) == 8
    assert not on_plane(after, 1, 0, 1).size


def test_other_textures_keep_the_light(level) -> None:
    before = read(write(level))
    shape = world.pieces(level)[BEAM]
    rows = level.table(E.TEXINFO)
    other = rows[:1].copy()
    other["texture_vecs"] *= 2
    level.set_table(E.TEXINFO, np.concatenate([rows, other]))
    texinfos = np.where(shape.texinfos == 0, len(rows), shape.texinfos)
    after, carved = applied(
        level, changed={BEAM: Change(Piece(shape.normals, shape.dists, texinfos, shape.contents), np.arange(6))}
    )
    assert carved.retextured.tolist() == [BEAM]
    assert changed(after, before) <= {"TEXINFO", "FACES", "FACES_HDR", "BRUSHSIDES"}
    touched = np.flatnonzero(before.table(E.FACES)["texinfo"] != after.table(E.FACES)["texinfo"])
    assert len(touched) == 2
    assert (after.table(E.FACES)["texinfo"][touched] == len(rows)).all()


def test_coplanar_brushes_are_drawn_once(level) -> None:
    applied(level, added=[solid((-200, -100, 0), (-136, -36, 40)), solid((-160, -80, 0), (-100, -50, 40))])
