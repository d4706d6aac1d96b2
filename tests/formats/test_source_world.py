# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes put into the world of a map and taken out of it: what is where afterwards, and who sees whom."""

from dataclasses import replace

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source import Level, LumpId, check, read, world, write
from formats.source.edits import changes as edits_changes
from formats.source.edits.brush_pieces import Piece
from formats.source.edits.changes import Changes
from formats.source.edits.compaction import compact
from formats.source.records import Contents
from formats.source.world import Change, WorldEdits, WorldError, carve
from formats.source.world.tree import WorldTree
from tests.formats import source_rooms
from tests.formats.source_points import Space, compared, near
from tests.formats.source_rooms import (
    BEAM,
    BRUSHES,
    CEILING,
    CRATE,
    DIVIDER,
    FLOOR,
    MIDDLE,
    NORTH_WALL,
    SOUTH_WALL,
    WEST_WALL,
    rooms,
)  # fmt: skip
from tests.formats.source_rows import nameless

E = LumpId
COUNT = 40_000
EVERYWHERE = (-300, -170, -40), (300, 440, 170)
CLIPPED = np.array([[-35.0, -40, 25]])
SIDES = [(axis, end) for axis in range(3) for end in (0, 1)]


def box(low, high, contents=int(Contents.SOLID), texinfo=1) -> Piece:
    normals = np.array([np.eye(3)[axis] * (2 * end - 1) for axis, end in SIDES])
    dists = np.array([(high if end else low)[axis] * (2 * end - 1) for axis, end in SIDES], np.float64)
    return Piece(normals, dists, np.full(6, texinfo), contents)


def wedge(low, high) -> Piece:
    """A box whose upper eastern edge is cut off."""
    piece = box(low, high)
    normal = np.array([1.0, 0, 1]) / np.sqrt(2)
    dist = float(normal @ np.add(low, high) / 2)
    return replace(
        piece, normals=np.vstack([piece.normals, normal]), dists=np.append(piece.dists, dist), texinfos=np.full(7, 2)
    )


def moved(piece: Piece, *by: float) -> Piece:
    return replace(piece, dists=piece.dists + piece.normals @ np.array(by))


def points(seed: int = 0, low=EVERYWHERE[0], high=EVERYWHERE[1], count: int = COUNT) -> np.ndarray:
    return np.random.default_rng(seed).uniform(low, high, (count, 3))


def changed_lumps(before, after) -> set[int]:
    return {lump for lump in after.lumps if bytes(after.bytes_of(lump)) != bytes(before.bytes_of(lump))}


def applied(edits: WorldEdits, level=None):
    """The edited map as it is read again, and what came of it; `check` finds nothing new in it."""
    level = rooms() if level is None else level
    known = {str(problem) for problem in check(level)}
    carved = world.apply(level, edits)
    again = read(write(level))
    assert not [str(problem) for problem in check(again) if str(problem) not in known]
    return again, carved


def kernel(level, edits: WorldEdits):
    """The map with other brushes, leafs and visibility, and faces as they were."""
    changes = Changes(level)
    carved = carve.carve(changes, edits)
    compact(changes, dense=(E.LEAFBRUSHES,))
    changes.apply()
    return read(write(level)), carved


def prove(before, after, gone: list[Piece], new: list[Piece]) -> None:
    """Nothing changed outside of some brushes; inside it is as the brushes of now say; leafs have their points."""
    found = compared(before, after, gone, new, world.pieces(after).values(), points())
    assert found == {"outside": 0, "inside": 0, "box": 0}


def prove_sight(after, seed: int = 1) -> int:
    """Who can see one another by the tree, do so by the visibility; how many of them were looked at."""
    space, visibility = Space(after), after.visibility
    some = points(seed, (-256, -128, 0), (256, 400, 128))
    some = some[space.leafs["contents"][space.leaf(some)] & Contents.SOLID == 0]
    one, other = some[: len(some) // 2], some[len(some) // 2 : len(some) // 2 * 2]
    sees = space.sees(one, other)
    assert space.visible(visibility, one, other)[sees].all()
    return int(sees.sum())


def with_a_clip_cut_away() -> tuple[Level, Piece, int]:
    """A map with a crate around a part of a clip, which leafs don't list there; the crate and its number."""
    crate, clip = box((-62, -62, 0), (0, -18, 50)), box((-60, -60, 10), (40, -20, 40), int(Contents.PLAYERCLIP))
    level, carved = kernel(rooms(), WorldEdits(added=[crate, clip]))
    solid, inner = carved.added.tolist()
    leafs, listed = level.table(E.LEAFS), level.table(E.LEAFBRUSHES)["brush"]
    rows = [
        np.arange(int(leaf["firstleafbrush"]), int(leaf["firstleafbrush"] + leaf["numleafbrushes"])) for leaf in leafs
    ]
    kept = [own[listed[own] != inner] if solid in listed[own] else own for own in rows]
    assert any(inner in listed[own] for own in kept)
    changes = Changes(level)
    table = changes.table(E.LEAFS)
    table["firstleafbrush"] = np.cumsum([0, *map(len, kept)])[:-1]
    table["numleafbrushes"] = [len(own) for own in kept]
    changes.set_table(E.LEAFBRUSHES, level.table(E.LEAFBRUSHES)[np.concatenate(kept)])
    changes.apply()
    before = read(write(level))
    assert Space(before).contents(CLIPPED) == Contents.SOLID
    return before, crate, solid


def test_what_a_detail_had_cut_away_is_listed_where_it_goes():
    before, crate, solid = with_a_clip_cut_away()
    after, _ = kernel(read(write(before)), WorldEdits({solid: Change(None)}))
    prove(before, after, [crate], [])
    assert Space(after).contents(CLIPPED) == Contents.PLAYERCLIP


@pytest.mark.parametrize("moves", [(2, 2, 2), (30, 0, 0)], ids=["inside the crate", "across its side"])
def test_what_another_still_covers_stays_cut_away(moves):
    """A brush is put over the crate and taken away: the crate still covers the clip."""
    before, crate, _ = with_a_clip_cut_away()
    level, carved = kernel(read(write(before)), WorldEdits(added=[moved(crate, *moves)]))
    again, _ = kernel(level, WorldEdits({int(number): Change(None) for number in carved.added}))
    assert not changed_lumps(before, again)


def test_an_added_brush_is_in_leafs_as_they_are():
    new = wedge((-60, -60, 0), (40, -20, 50))  # through the divider
    before = rooms()
    after, carved = kernel(rooms(), WorldEdits(added=[new]))
    prove(before, after, [], [new])
    assert carved.added.tolist() == [len(BRUSHES)] and list(carved.shapes) == [len(BRUSHES)]
    assert not len(carved.removed) and not len(carved.opened) and not len(carved.clusters) and not carved.bare
    assert changed_lumps(before, after) == {E.PLANES, E.BRUSHES, E.BRUSHSIDES, E.LEAFS, E.LEAFBRUSHES}
    assert np.array_equal(after.table(E.LEAFS)["contents"], before.table(E.LEAFS)["contents"])
    row = after.table(E.BRUSHES)[-1]
    assert row["contents"] == Contents.SOLID | Contents.DETAIL
    sides = after.table(E.BRUSHSIDES)[row["firstside"] :]
    assert len(sides) == row["numsides"] == 7 and not sides["bevel"].any()
    prove_sight(after)


def test_adding_and_taking_away_again_gives_the_same_bytes():
    before = rooms()
    new = [
        wedge((-60, -60, 0), (40, -20, 50)),
        box((150, -50, 0), (170, -30, 200)),
        moved(wedge((0, 0, 0), (9, 9, 9)), 5, 150, 60),
    ]
    after, carved = kernel(rooms(), WorldEdits(added=new))
    again, _ = kernel(after, WorldEdits({int(number): Change(None) for number in carved.added}))
    assert not changed_lumps(before, again)


def test_a_wall_taken_away_opens_its_leaf():
    before = rooms()
    after, carved = applied(WorldEdits({DIVIDER: Change(None)}))
    prove(before, after, [box(*BRUSHES[DIVIDER])], [])
    assert carved.removed.tolist() == [DIVIDER] and not carved.shapes
    assert len(carved.opened) == 1
    leaf = int(carved.opened[0])
    assert carved.cells[leaf].box.tolist() == [list(corner) for corner in BRUSHES[DIVIDER]]
    row = after.table(E.LEAFS)[leaf]
    assert row["contents"] == 0 and row["cluster"] >= 0 and row["numleafbrushes"] == 0
    assert row["cluster"] == before.table(E.LEAFS)["cluster"][carved.like[leaf]]
    assert after.table(E.BRUSHES)["numsides"][DIVIDER] == 0


def test_sight_goes_through_what_opened_and_no_further():
    before = rooms()
    after, carved = applied(WorldEdits({DIVIDER: Change(None)}))
    assert prove_sight(after) > 1000
    was, now = before.visibility.matrix(), after.visibility.matrix()
    assert (now >= was).all() and (now == now.T).all()
    space = Space(after)
    west, east, north = space.where(np.array([(-128.0, 0, 120), (200.0, 0, 120), (0.0, 300, 64)]))[:, 0].tolist()
    assert now[west, east] and not was[west, east]
    assert not now[west, north] and north not in carved.clusters and {west, east} <= set(carved.clusters.tolist())
    heard = np.unpackbits(after.visibility.pas, axis=1, count=len(now), bitorder="little")
    assert (heard.astype(bool) >= now).all()


def test_clusters_on_the_same_side_of_a_hole_learn_nothing():
    before = rooms()
    seen = before.visibility.matrix()
    leafs = before.table(E.LEAFS)
    clusters = leafs["cluster"][(leafs["cluster"] >= 0) & (leafs["mins"][:, 0] > 8)][:2].tolist()
    seen[clusters[0], clusters[1]] = seen[clusters[1], clusters[0]] = False
    packed = np.packbits(seen, axis=1, bitorder="little")
    before.visibility = replace(before.visibility, pvs=packed)
    after, _ = applied(WorldEdits({DIVIDER: Change(None)}), before)
    assert not after.visibility.matrix()[clusters[0], clusters[1]]  # both are east of it


def test_a_door_is_cut_through_a_wall():
    """The wall becomes what is left of it, beside and above the door: one brush shrinks, two are new."""
    before = rooms()
    low, high = BRUSHES[DIVIDER]
    parts = [box(low, (8, -24, 128)), box((-8, 24, 0), high), box((-8, -24, 96), (8, 24, 128))]
    after, carved = applied(WorldEdits({DIVIDER: Change(parts[0])}, parts[1:]))
    prove(before, after, [box(low, high)], parts)
    door = points(3, (-8, -24, 0), (8, 24, 96), 2000)
    assert (Space(after).contents(door) == 0).all()
    assert len(carved.opened) == 1 and carved.cells[int(carved.opened[0])].box.tolist() == [[-8, -24, 0], [8, 24, 96]]
    floor = [part for part in carved.bare if part.brush == FLOOR]
    assert len(floor) == 1 and sorted(map(tuple, floor[0].points.tolist())) == sorted(
        [(-8, -24, 0), (-8, 24, 0), (8, -24, 0), (8, 24, 0)]
    )
    assert prove_sight(after) > 100


def test_bare_sides_are_what_the_brush_covered():
    _, carved = applied(WorldEdits({DIVIDER: Change(None)}))
    sizes = {part.brush: world.cells.area(part.points) for part in carved.bare}
    across, up = 16 * 256, 16 * 128
    assert sizes == pytest.approx({FLOOR: across, CEILING: across, SOUTH_WALL: up, MIDDLE: up})
    for part in carved.bare:
        normal = np.cross(part.points[2] - part.points[1], part.points[1] - part.points[0])
        middle = part.points.mean(axis=0) + normal / np.linalg.norm(normal)
        assert near(middle[None], [box(*BRUSHES[DIVIDER])]).all()  # clockwise, seen from where it is open


def test_what_is_taken_away_beside_others_opens_only_itself():
    before = rooms()
    other = box((-8, -128, 0), (8, 0, 128))  # half of the divider, twice there
    level, _ = applied(WorldEdits(added=[other]))
    after, carved = applied(WorldEdits({DIVIDER: Change(None)}), level)
    prove(before, after, [box(*BRUSHES[DIVIDER])], [other])
    assert carved.cells[int(carved.opened[0])].box.tolist() == [[-8, 0, 0], [8, 128, 128]]
    assert len(after.table(E.LEAFS)) == len(before.table(E.LEAFS)) + 5  # the void on four sides, and the other half
    prove_sight(after)


def test_a_brush_that_others_cover_opens_nothing():
    level, carved = applied(WorldEdits(added=[box((-8, -50, 0), (8, 50, 50))]))
    before = read(write(level))
    after, carved = applied(WorldEdits({int(carved.added[0]): Change(None)}), level)
    assert not len(carved.opened)
    prove(before, after, [], [])


def test_a_brush_that_shrinks_at_its_inner_side():
    before = rooms()
    thin = box((-256, -144, 0), (256, -136, 128))
    after, carved = applied(WorldEdits({SOUTH_WALL: Change(thin)}))
    prove(before, after, [box(*BRUSHES[SOUTH_WALL])], [thin])
    assert len(carved.opened) and prove_sight(after) > 1000
    with pytest.raises(WorldError, match=r"brush 4 would leak") as error:
        world.apply(rooms(), WorldEdits({SOUTH_WALL: Change(box((-256, -144, 0), (250, -128, 128)))}))
    assert error.value.changed == (SOUTH_WALL,)


def test_a_brush_that_shrinks_at_its_outer_side_stays_solid_there():
    thin = box((-264, -144, 0), (-256, 416, 128))
    after, carved = applied(WorldEdits({WEST_WALL: Change(thin)}))
    assert not len(carved.opened) and len(after.table(E.LEAFS)) == len(rooms().table(E.LEAFS))
    assert (Space(after).contents(points(2, (-272, -144, 0), (-264, 416, 128), 500)) == Contents.SOLID).all()


def test_taking_away_and_adding_again_gives_the_same_contents_and_no_dead_rows():
    for number in (DIVIDER, CRATE, BEAM):
        before = rooms()
        piece = world.pieces(before)[number]
        level, _ = applied(WorldEdits({number: Change(None)}))
        after, carved = applied(WorldEdits(added=[piece]), level)
        assert carved.added.tolist() == [number]
        assert nameless(after) == nameless(before)
        some = points(number)
        assert np.array_equal(Space(before).contents(some), Space(after).contents(some))


@pytest.mark.parametrize("count", [15, pytest.param(50, marks=pytest.mark.slow)])
def test_many_at_once(count: int):
    rng = np.random.default_rng(11)
    before = rooms()
    pieces = world.pieces(before)
    corners = rng.integers((-250, -120, 4), (230, 380, 100), (count, 3))
    new = [(wedge if n % 2 else box)(corner, corner + rng.integers(3, 40, 3)) for n, corner in enumerate(corners)]
    crate, beam = moved(pieces[CRATE], -30, 7, 3), moved(pieces[BEAM], 110, 40.5, 0)
    edits = WorldEdits({CRATE: Change(crate), BEAM: Change(beam), DIVIDER: Change(None)}, new)
    after, carved = applied(edits)
    prove(before, after, [pieces[number] for number in (CRATE, BEAM, DIVIDER)], [crate, beam, *new])
    prove_sight(after)
    assert carved.added.tolist() == list(range(len(BRUSHES), len(BRUSHES) + count))
    back = {int(number): Change(None) for number in carved.added}
    back |= {CRATE: Change(pieces[CRATE]), BEAM: Change(pieces[BEAM])}
    again, _ = applied(WorldEdits(back, [pieces[DIVIDER]]), after)
    some = points(5)
    assert np.array_equal(Space(before).contents(some), Space(again).contents(some))
    assert nameless(again) == nameless(before)


def test_textures_of_sides_are_all_that_changes():
    before = rooms()
    piece = world.pieces(before)[CRATE]
    after, carved = applied(WorldEdits({CRATE: Change(replace(piece, texinfos=np.arange(6) % 3))}))
    assert carved.retextured.tolist() == [CRATE] and not len(carved.removed) and not carved.shapes
    assert [lump for lump in after.lumps if bytes(after.bytes_of(lump)) != bytes(before.bytes_of(lump))] == [
        E.BRUSHSIDES
    ]
    assert world.pieces(after)[CRATE].texinfos.tolist() == [0, 1, 2, 0, 1, 2]
    after, carved = applied(WorldEdits({CRATE: Change(piece)}))
    assert write(after) == write(before) and not len(carved.retextured)


def test_other_contents():
    before = rooms()
    piece = world.pieces(before)[CRATE]
    clip = replace(piece, contents=int(Contents.PLAYERCLIP))
    after, carved = applied(WorldEdits({CRATE: Change(clip)}))
    prove(before, after, [piece], [clip])
    inside = points(4, *BRUSHES[CRATE], 200)
    assert (Space(after).contents(inside) == Contents.PLAYERCLIP).all() and len(carved.opened)


def test_the_model_is_as_large_as_its_brushes():
    after, carved = applied(WorldEdits(added=[box((200, 300, 100), (400, 310, 110))]))
    assert after.table(E.MODELS)["maxs"][0].tolist() == [400, 416, 144]
    again, _ = applied(WorldEdits({int(carved.added[0]): Change(None)}), after)
    assert again.table(E.MODELS)["maxs"][0].tolist() == [272, 416, 144]


def test_the_worldspawn_says_where_it_opened():
    level = rooms()
    level.entities[0].set("world_mins", "-250 -100 0")
    level.entities[0].set("world_maxs", "-20 20 20")
    after, _ = applied(WorldEdits({DIVIDER: Change(None)}), level)
    assert after.entities[0].get("world_mins") == "-250 -128 0" and after.entities[0].get("world_maxs") == "8 128 128"


def test_maps_without_visibility():
    before = rooms(visible=False)
    after, carved = applied(WorldEdits({DIVIDER: Change(None)}), rooms(visible=False))
    prove(before, after, [box(*BRUSHES[DIVIDER])], [])
    assert after.visibility is None and not len(carved.clusters)


def test_leafs_that_many_nodes_share():
    """Compilers and other tools may have one leaf for all that is solid."""
    level = rooms()
    nodes, leafs = level.table(E.NODES).copy(), level.table(E.LEAFS)
    solid = leafs["contents"] & Contents.SOLID != 0
    child = nodes["children"]
    ends = np.where(child < 0, -1 - child, 0)
    nodes["children"] = np.where((child < 0) & solid[ends], -1, child)
    level.set_table(E.NODES, nodes)
    listed, made = level.table(E.LEAFBRUSHES), leafs.copy()
    made["firstleafbrush"][0], made["numleafbrushes"][0] = len(listed), BEAM
    level.set_table(E.LEAFS, made)
    everything = np.zeros(len(listed) + BEAM, listed.dtype)
    everything["brush"] = [*listed["brush"], *range(BEAM)]
    level.set_table(E.LEAFBRUSHES, everything)
    level = read(write(level))
    for number in (DIVIDER, CRATE):
        before = read(write(level))
        after, carved = applied(WorldEdits({number: Change(None)}), read(write(level)))
        some = points(6)
        gone = near(some, [box(*BRUSHES[number])])
        old, new = Space(before), Space(after)
        assert np.array_equal(old.contents(some)[~gone], new.contents(some)[~gone])
        assert (new.contents(some)[gone] == 0).all() and len(carved.opened) == 1
        assert after.table(E.LEAFS)["contents"][0] == Contents.SOLID


REFUSED = [
    ({MIDDLE: Change(None)}, [], "would join areas 1 and 2", (MIDDLE,), ()),
    ({NORTH_WALL: Change(None)}, [], "brush 5 would leak", (NORTH_WALL,), ()),
    ({99: Change(None)}, [], "brush 99 isn't a brush of the world", (99,), ()),
    ({CRATE: Change(box((0, 0, 0), (9, -9, 9)))}, [], "brush 8 encloses nothing", (CRATE,), ()),
    ({}, [box((0, 0, 0), (9, 9, 9)), box((0, 0, 0), (9, 9, 20000))], "reaches further than 16384 units", (), (1,)),
    ({}, [box((0, 0, 0), (9, 9, 9), texinfo=3)], "has the texinfo 3, there are 3", (), (0,)),
    ({}, [replace(box((0, 0, 0), (9, 9, 9)), texinfos=np.array([1, 1, 1, -2, 1, 1]))], "has the texinfo -2", (), (0,)),
    ({}, [box((0, 0, 0), (9, 9, 9), int(Contents.WATER))], "is water", (), (0,)),
    ({CRATE: Change(box((0, 0, 0), (9, 9, 9), int(Contents.SLIME)))}, [], "is slime", (CRATE,), ()),
    ({}, [box((0, 0, 0), (9, 9, 9), int(Contents.AREAPORTAL))], "is an area portal", (), (0,)),
    ({}, [replace(box((0, 0, 0), (9, 9, 9)), normals=np.full((6, 3), np.nan))], "side that is no plane", (), (0,)),
    ({}, [replace(box((0, 0, 0), (9, 9, 9)), texinfos=np.zeros(4, np.int64))], "don't fit together", (), (0,)),
]  # fmt: skip


@pytest.mark.parametrize("changed, added, message, brushes, places", REFUSED)
def test_what_cannot_be_names_its_brush_and_changes_nothing(changed, added, message, brushes, places):
    level = rooms()
    before = write(level)
    with pytest.raises(WorldError, match=message) as error:
        world.apply(level, WorldEdits(changed, added))
    assert error.value.changed == brushes and error.value.added == places
    assert write(level) == before
    found = world.check(level, WorldEdits(changed, added))
    assert [(each.message, each.changed, each.added) for each in found] == [
        (error.value.message, error.value.changed, error.value.added)
    ]
    assert write(level) == before


def test_check_tells_all_that_is_refused():
    edits = WorldEdits(
        {MIDDLE: Change(None), NORTH_WALL: Change(None), 99: Change(None)}, [box((0, 0, 0), (9, 9, 9), texinfo=9)]
    )
    found = world.check(rooms(), edits)
    assert sorted((each.changed, each.added) for each in found) == [
        ((), (0,)),
        ((NORTH_WALL,), ()),
        ((MIDDLE,), ()),
        ((99,), ()),
    ]
    assert world.check(rooms(), WorldEdits({CRATE: Change(None)})) == []


def test_area_portals_and_water_stay():
    level = rooms()
    brushes = level.table(E.BRUSHES).copy()
    brushes["contents"][[CRATE, BEAM]] = [Contents.WATER, Contents.AREAPORTAL]
    level.set_table(E.BRUSHES, brushes)
    found = world.check(level, WorldEdits({CRATE: Change(None), BEAM: Change(None)}))
    assert [each.message.split(",")[0] for each in found] == ["brush 8 is water", "brush 9 is an area portal"]


def test_an_opening_beside_an_area_portal():
    level = rooms()
    space = Space(level)
    leafs = level.table(E.LEAFS).copy()
    leafs["contents"][space.leaf(np.array([[-128.0, 0, 120]]))] = Contents.AREAPORTAL
    level.set_table(E.LEAFS, leafs)
    with pytest.raises(WorldError, match="brush 6 would open an area portal's side"):
        world.apply(level, WorldEdits({DIVIDER: Change(None)}))


def test_tables_that_are_full(monkeypatch):
    monkeypatch.setattr(edits_changes, "most_records", lambda level, lump: len(level.table(lump)))
    with pytest.raises(WorldError, match=r"PLANES\) would have \d+ records, usual compilers allow \d+"):
        world.apply(rooms(), WorldEdits(added=[wedge((0, 50, 0), (9, 59, 9))]))


def test_trees_that_are_none():
    level = rooms()
    nodes = level.table(E.NODES).copy()
    nodes["children"][3] = (0, 0)
    level.set_table(E.NODES, nodes)
    with pytest.raises(FormatError, match="runs in circles"):
        world.apply(level, WorldEdits(added=[box((0, 0, 0), (9, 9, 9))]))
    with pytest.raises(WorldError, match="it has no tree"):
        world.editable(source_rooms.new_level())


def test_polygons_lie_in_the_leafs_that_they_look_into():
    level = rooms()
    tree = WorldTree(Changes(level))
    space = Space(level)
    low, high = BRUSHES[DIVIDER]
    ring = np.array([(8, -128, 0), (8, 128, 0), (8, 128, 128), (8, -128, 128)], np.float64)
    for normal in (np.array([1.0, 0, 0]), np.array([-1.0, 0, 0])):
        found = tree.of_polygon(ring, normal)
        assert sum(world.cells.area(part) for _, part in found) == pytest.approx(256 * 128)
        for leaf, part in found:
            assert space.leaf(part.mean(axis=0)[None] + normal / 8).tolist() == [leaf]
    assert low < high
