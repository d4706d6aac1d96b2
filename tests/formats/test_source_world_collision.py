# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the world physics objects collide with after edits: hulls of changed brushes, and all others as read."""

from dataclasses import replace

import numpy as np
import pytest

from formats.source import LumpId, PhysModel, edits, read, write
from formats.source.collision import physcollide_build, physcollide_surface
from formats.source.edits import world_collision
from formats.source.edits.brush_pieces import Piece
from formats.source.edits.changes import Changes
from formats.source.records import Contents
from formats.source.tree import brushes
from formats.source.world import collision
from formats.source.world.along import Displaced
from formats.source.world.types import Carved, WorldError
from tests.formats.source_door import box, hull_of
from tests.formats.source_room import room

E = LumpId
NONE = np.zeros(0, np.int64)
NOTHING = Displaced(NONE)
SOLID, CLIP = 0x200400B, 0x10000
MOPP = b"VPHY\0\1\1\0" + bytes(60)
TEXT = (
    'staticsolid {\n"index" "0"\n"contents" "33570827"\n}\nstaticsolid {\n"index" "1"\n}\n'
    'virtualterrain {}\nmaterialtable {\n"concrete" "1"\n"wood" "2"\n}\n'
)
FLOOR, WALL = 0, 1


def piece_of(level, brush: int, move=(0, 0, 0)) -> Piece:
    """A brush without its bevels, moved."""
    row, sides, planes = level.table(E.BRUSHES)[brush], level.table(E.BRUSHSIDES), level.table(E.PLANES)
    own = sides[row["firstside"] : row["firstside"] + row["numsides"]]
    own = own[own["bevel"] == 0]
    used = planes[own["planenum"]]
    normals = used["normal"].astype(np.float64)
    dists = used["dist"] + normals @ np.asarray(move, np.float64)
    return Piece(normals, dists, own["texinfo"].astype(np.int64), int(row["contents"]))


def carved(removed=(), shapes=None, added=(), retextured=()) -> Carved:
    """What the kernel says of brushes; of leafs, nothing."""
    return Carved(
        removed=np.array(removed, np.int64), shapes=shapes or {}, added=np.array(added, np.int64),
        retextured=np.array(retextured, np.int64), source=NONE, like=NONE, opened=NONE, cells={}, bare=[],
        clusters=NONE,
    )  # fmt: skip


def colliding(text: str = TEXT):
    """The room, whose two brushes collide: the floor is of wood, the wall of concrete; and a MOPP of displacements."""
    level = read(write(room()))
    solids = brushes.solids(level).polygons
    hulls = []
    for brush, material in ((FLOOR, 2), (WALL, 1)):
        points = solids.positions[solids.first_vertex[brush] : solids.first_vertex[brush + 1]]
        hull = hull_of(box(points.min(axis=0), points.max(axis=0)), brush)
        hulls.append(replace(hull, materials=np.full(12, material)))
    data = [physcollide_build.build(hulls, with_outer=False), MOPP]
    level.physcollide.models.insert(0, PhysModel(0, data, text.encode() + b"\0"))
    return read(write(level))


def put(level, what: Carved):
    """The level with the world's collision changed, as read from its bytes; what carving would have done isn't."""
    changes = Changes(level)
    collision.put(changes, what, NOTHING)
    changes.apply()
    return read(write(level))


def hulls_of(level) -> dict[tuple[int, int], physcollide_surface.Hull]:
    """The world's hulls, by the contents that their solid is for and their brush."""
    world = level.physcollide.of_model(0)
    found = {}
    for place, mask in world_collision.masks(world.text).items():
        for hull in physcollide_surface.read(world.solids[place]).hulls:
            found[mask, hull.brush] = hull
    return found


def same(one: physcollide_surface.Hull, other: physcollide_surface.Hull) -> bool:
    return (
        np.array_equal(one.points[one.triangles], other.points[other.triangles])
        and np.array_equal(one.materials, other.materials)
        and np.array_equal(one.across, other.across)
    )


def test_a_deleted_brush_collides_no_more():
    before = colliding()
    after = put(colliding(), carved([FLOOR]))
    assert hulls_of(after).keys() == {(SOLID, WALL)}
    assert same(hulls_of(after)[SOLID, WALL], hulls_of(before)[SOLID, WALL])
    world = after.physcollide.of_model(0)
    assert world.text == TEXT and bytes(world.solids[1]) == MOPP


def test_a_moved_brush_takes_its_materials_along():
    before = colliding()
    after = put(colliding(), carved([FLOOR], {FLOOR: piece_of(before, FLOOR, (0, 0, 24))}))
    was, now = (hulls_of(level)[SOLID, FLOOR] for level in (before, after))
    assert np.allclose(now.points.min(axis=0) - was.points.min(axis=0), [0, 0, 24], atol=1e-3)
    assert np.allclose(now.points.max(axis=0) - was.points.max(axis=0), [0, 0, 24], atol=1e-3)
    assert set(now.materials.tolist()) == {2}
    assert same(hulls_of(after)[SOLID, WALL], hulls_of(before)[SOLID, WALL])


def test_a_brush_collides_by_its_contents():
    """A player clip gets a solid of its own, behind the others; what is no solid of anything collides with nothing."""
    shape = piece_of(colliding(), FLOOR)
    clip = replace(shape, contents=int(Contents.PLAYERCLIP | Contents.DETAIL))
    both = replace(shape, contents=int(Contents.SOLID | Contents.PLAYERCLIP))
    ladder = replace(shape, contents=int(Contents.LADDER))
    after = put(colliding(), carved([FLOOR], {FLOOR: clip}))
    assert hulls_of(after).keys() == {(SOLID, WALL), (CLIP, FLOOR)}
    world = after.physcollide.of_model(0)
    assert len(world.solids) == 3 and bytes(world.solids[1]) == MOPP
    assert world.text == TEXT.replace("virtual", 'staticsolid {\n"index" "2"\n"contents" "65536"\n}\nvirtual')
    assert hulls_of(put(after, carved([FLOOR], {FLOOR: both}))).keys() == {(SOLID, WALL), (SOLID, FLOOR), (CLIP, FLOOR)}
    again = put(after, carved([FLOOR], {FLOOR: ladder}))
    assert hulls_of(again).keys() == {(SOLID, WALL)}
    assert again.physcollide.of_model(0).text == TEXT and len(again.physcollide.of_model(0).solids) == 2


def test_a_solid_without_hulls_goes_and_others_have_other_numbers():
    after = put(colliding(), carved([FLOOR, WALL]))
    world = after.physcollide.of_model(0)
    assert [bytes(solid) for solid in world.solids] == [MOPP]
    assert world.text == TEXT.partition("}\n")[2].replace('"index" "1"', '"index" "0"')
    shape = piece_of(after, WALL)
    grown = put(after, carved([], {WALL: shape}))
    assert hulls_of(grown).keys() == {(SOLID, WALL)} and len(grown.physcollide.of_model(0).solids) == 2
    only = colliding()
    only.physcollide.models[0].solids.pop()
    only.physcollide.models[0].keys = TEXT.replace('staticsolid {\n"index" "1"\n}\n', "").encode() + b"\0"
    assert put(read(write(only)), carved([FLOOR, WALL])).physcollide.of_model(0) is None


def test_other_textures_are_of_other_materials():
    """A brush that was only given another texture: its hull stays but for the materials of its triangles."""
    level = colliding()
    before = hulls_of(level)[SOLID, FLOOR]
    sides = level.table(E.BRUSHSIDES).copy()
    texdata = level.table(E.TEXINFO)["texdata"]
    assert texdata[0] != texdata[1], "the brushes have different textures"
    sides["texinfo"][:6] = 1
    level.set_table(E.BRUSHSIDES, sides)
    learned = colliding()
    changes = Changes(learned)
    changes.set_table(E.BRUSHSIDES, sides)
    collision.put(changes, carved(retextured=[FLOOR]), NOTHING)
    changes.apply()
    now = hulls_of(learned)[SOLID, FLOOR]
    assert set(before.materials.tolist()) == {2} and set(now.materials.tolist()) == {1}
    assert np.array_equal(now.points[now.triangles], before.points[before.triangles])
    data = learned.bytes_of(E.PHYSCOLLIDE)
    assert put(learned, carved(retextured=[FLOOR])).bytes_of(E.PHYSCOLLIDE) == data, "nothing is other any more"


def test_textures_that_no_hull_tells_of_have_the_usual_material():
    level = colliding()
    texture = edits.textures.add(level, "room/new", (64, 64), (0.5, 0.5, 0.5))
    changes = Changes(level)
    row = changes.table(E.TEXINFO)[:1].copy()
    row["texdata"] = texture
    number = changes.append(E.TEXINFO, row)
    changes.table(E.BRUSHSIDES)["texinfo"][:6] = number
    collision.put(changes, carved([FLOOR], {FLOOR: piece_of(level, FLOOR)}), NOTHING)
    changes.apply()
    assert level.physcollide.of_model(0).text.endswith('"wood" "2"\n"default" "3"\n}\n')
    assert set(hulls_of(level)[SOLID, FLOOR].materials.tolist()) == {3}


def test_maps_without_collision_stay_without():
    level = room()
    level.set_bytes(E.PHYSCOLLIDE, b"")
    level = read(write(level))
    assert put(level, carved([], {FLOOR: piece_of(level, FLOOR)})).bytes_of(E.PHYSCOLLIDE) == b""
    ended = read(write(room()))  # only the end is there: the world is the first that collides
    made = put(ended, carved([], {FLOOR: piece_of(ended, FLOOR)}))
    assert hulls_of(made).keys() == {(SOLID, FLOOR)}


def test_what_no_hull_can_be_made_of_is_refused_by_name():
    level = colliding()
    shape = piece_of(level, FLOOR)
    thin = replace(shape, dists=shape.dists - 200.0)
    with pytest.raises(WorldError, match="can't collide") as caught:
        put(level, carved([FLOOR], {FLOOR: thin}))
    assert caught.value.changed == (FLOOR,) and caught.value.added == ()
    with pytest.raises(WorldError) as caught:
        put(level, carved([], {5: thin}, added=[5]))
    assert caught.value.added == (0,)


# ------------------------------------------------------------------------------------------------------------ real maps


@pytest.fixture(scope="module")
def maps(corpus) -> dict[str, bytes]:
    """Maps with a world that collides, the smaller ones first."""
    paths = [path for path in corpus.glob("bsp/*/*.bsp") if path.parent.name != "derived"]
    found = {}
    for path in sorted(paths, key=lambda path: path.stat().st_size):
        level = read(path.read_bytes())
        if level.byte_order == "<" and level.physcollide.of_model(0) is not None:
            found[f"{path.parent.name}/{path.name}"] = path.read_bytes()
    if not found:
        pytest.skip(f"no Source maps in {corpus}")
    return found


def test_hulls_are_those_of_the_brushes_of_their_class(maps):
    """A brush of the world has a hull in each solid whose contents it has, and no other has."""
    seen = 0
    for name, data in maps.items():
        level = read(data)
        contents = level.table(E.BRUSHES)["contents"].astype(np.int64)
        world = brushes.of_models(level) == 0
        found = hulls_of(level)
        for mask in {mask for mask, _ in found}:
            own = [brush for other, brush in found if other == mask]
            assert sorted(own) == np.flatnonzero(world & (contents & mask != 0)).tolist(), name
        seen += len(found)
    assert seen == 7654


@pytest.mark.slow
def test_hulls_that_are_taken_out_and_put_in_are_those_of_the_compiler(maps):
    """Each triangle's material, too; all other hulls stay as they were, bit for bit."""
    count = 0
    for name, data in maps.items():
        level = read(data)
        before = hulls_of(level)
        numbers = sorted({brush for _, brush in before})
        some = numbers[:: max(1, len(numbers) // 8)]
        try:
            after = hulls_of(put(level, carved(some, {brush: piece_of(level, brush) for brush in some})))
        except WorldError as error:
            assert "too fine" in str(error), name  # slivers that no corners can be told of
            continue
        assert before.keys() == after.keys(), name
        for (mask, brush), hull in before.items():
            made = after[mask, brush]
            if brush not in some:
                assert same(hull, made), (name, brush)
                continue
            apart = np.abs(hull.points[:, None] - made.points[None]).max(axis=2)
            assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 0.02, (name, brush)  # welded
            assert set(hull.materials.tolist()) == set(made.materials.tolist()), (name, brush)
            count += 1
    assert count > 150
