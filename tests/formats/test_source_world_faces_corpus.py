# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces and light of real maps whose world is edited: brushes moved, taken away and put in, alone and several at once.

Skipped where there is no corpus (../shared/corpus beside the repository, or $LEVELWRIGHT_SHARED/corpus).
"""

from dataclasses import replace

import numpy as np
import pytest

from formats.source import Level, LumpId, check, geometry, read, world, write
from formats.source.collision import physcollide_surface as surface
from formats.source.edits import displaced_collision, world_collision
from formats.source.edits.brush_pieces import Piece
from formats.source.edits.changes import Changes
from formats.source.faces import displacements
from formats.source.world import Change, WorldEdits
from tests.formats import source_world_faces as proofs

E = LumpId
MAPS = ("wall", "aim_TheBest", "trade_weed420-3sb", "c1l1", "zoo_jukebox", "csgo_tooltextures")
SEVERAL = 5
WATER = 0x20 | 0x10

pytestmark = pytest.mark.slow


def moved(piece: Piece, by: np.ndarray) -> Piece:
    return replace(piece, dists=piece.dists + piece.normals @ by)


def asked(level: Level, kind: str, count: int, random: np.random.Generator) -> WorldEdits:
    """Edits of random brushes, without those that the map refuses."""
    shapes, beneath = world.pieces(level), world.displaced(level)
    usable = [number for number, shape in shapes.items() if not shape.contents & WATER and number not in beneath]
    chosen = random.choice(usable, min(count, len(usable)), replace=False).tolist()
    if kind == "added":
        return WorldEdits(added=[moved(shapes[number], random.uniform(-64, 64, 3).round()) for number in chosen])
    changed = {}
    for number in chosen:
        by, move = random.uniform(-16, 16, 3).round(), np.eye(4)
        move[:3, 3] = by
        shape = moved(shapes[number], by)
        changed[number] = Change(None) if kind == "gone" else Change(shape, np.arange(len(shape.dists)), move)
    bad: set[int] = set()
    for error in world.check(level, WorldEdits(changed=changed)):
        bad |= set(error.changed)
    return WorldEdits(changed={number: change for number, change in changed.items() if number not in bad})


@pytest.mark.parametrize("kind", ["moved", "gone", "added"])
def test_faces_of_real_maps(corpus, kind: str) -> None:
    random, tried = np.random.default_rng(sum(map(ord, kind))), 0
    for name in MAPS:
        data = next(corpus.glob(f"bsp/*/{name}.bsp")).read_bytes()
        for count in (1, SEVERAL):
            before, after = read(data), read(data)
            edits = asked(read(data), kind, count, random)
            if not edits.changed and not edits.added:
                continue
            carved = world.apply(after, edits)
            after = read(write(after))
            tried += 1
            known = set(map(str, check(before)))
            assert not [problem for problem in check(after) if str(problem) not in known], name
            fresh, same = proofs.new_faces(before, after)
            was, now = proofs.luxels_of(before), proofs.luxels_of(after)
            for lump, blocks in was.items():
                assert all(now[lump].get(face) == blocks.get(old) for face, old in same.items()), name
            fresh = random.permutation(fresh)[:60]
            assert proofs.unlisted(after, fresh, random, 15)[0] == 0, name
            hidden, points = proofs.hidden(after, fresh, random, 15)
            assert hidden <= 0.02 * points, name  # gaps of a twentieth of a unit; rests of faces under what was moved
            sides = proofs.changed_sides(after, carved) + [(part.brush, part.side) for part in carved.bare]
            bare, twice, _, points = proofs.side_cover(after, sorted(set(sides))[:60], random, 30)
            assert bare + twice <= 0.001 * points, name
    assert tried >= len(MAPS)


def test_brushes_of_faces_follow(corpus) -> None:
    """CS:GO's lists of brushes: new faces name theirs, others keep theirs."""
    level = read(next(corpus.glob("bsp/*/csgo_tooltextures.bsp")).read_bytes())
    before = read(write(level))
    shapes = world.pieces(level)
    number = next(number for number, shape in shapes.items() if shape.contents == 1)
    up = moved(shapes[number], np.array([0, 0, 40.0]))
    carved = world.apply(level, WorldEdits(added=[up]))
    fresh, same = proofs.new_faces(before, level)
    lists, old = level.table(E.CLUSTERS), before.table(E.CLUSTERS)
    assert len(lists) == len(level.table(E.FACES))
    assert (lists["count"][fresh] == 1).all()
    assert (lists["start"][fresh] == int(carved.added[0])).all()
    assert all(lists[face] == old[was] for face, was in same.items())


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_displacements_of_real_maps_go_along(corpus, turn: float) -> None:
    """16 of 46 lie on two brushes of clips: moved, turned and taken away. A console's map refuses it."""
    data = next(corpus.glob("bsp/*/wall.bsp")).read_bytes()
    before = read(data)
    known, shapes, beneath = set(map(str, check(before))), world.pieces(before), world.displaced(before)
    assert sorted(map(len, beneath.values())) == [8, 8]
    was, laid = places(before)
    move = np.eye(4)
    move[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    move[:3, 3] = 8, 16, 0
    for brush, pairs in beneath.items():
        own = np.isin(laid.owner, pairs[:, 0])
        for gone in (False, True):
            after = read(data)
            world.apply(after, WorldEdits({brush: Change(None) if gone else carried(shapes[brush], move)}))
            after = read(write(after))
            assert not [problem for problem in check(after) if str(problem) not in known]
            now = places(after)[0]
            if gone:
                assert np.array_equal(now, was[~own])
                continue
            assert np.array_equal(now[~own], was[~own])
            assert np.abs(was[own] @ move[:3, :3].T + move[:3, 3] - now[own]).max() < 1e-3


def test_others_read_displacements_that_went_along(corpus, tmp_path) -> None:
    """bsp_tool, srctools and sourcepp, after one brush with displacements was moved and the other was taken away."""
    bsp_tool, srctools, sourcepp = (pytest.importorskip(name) for name in ("bsp_tool", "srctools.bsp", "sourcepp"))
    level = read(next(corpus.glob("bsp/*/wall.bsp")).read_bytes())
    (moved_brush, _), (taken, _) = world.displaced(level).items()
    move = np.eye(4)
    move[:3, 3] = 8, 16, 0
    change = carried(world.pieces(level)[moved_brush], move)
    world.apply(level, WorldEdits({moved_brush: change, taken: Change(None)}))
    path = tmp_path / "edited.bsp"
    path.write_bytes(write(level))
    level = read(path.read_bytes())
    infos, polygons = level.table(E.DISPINFO), geometry.polygons(level)
    theirs = bsp_tool.load_bsp(str(path))
    assert not theirs.loading_errors
    found = list(theirs.DISPLACEMENT_INFO)
    assert [info.face for info in found] == infos["map_face"].tolist()
    assert [info.first_displacement_vertex for info in found] == infos["disp_vert_start"].tolist()
    assert [theirs.FACES[info.face].displacement_info for info in found] == list(range(len(found)))
    theirs.file.close()
    faces = srctools.BSP(path).faces
    assert len(faces) == len(level.table(E.FACES))
    for number in infos["map_face"].tolist():
        first, end = polygons.first_corner[number : number + 2]
        corners = [tuple(edge.a) for edge in faces[number].edges]
        assert np.abs(polygons.positions[polygons.corners[first:end]] - corners).max() < 1e-3
    other = sourcepp.bsppp.BSP(str(path), False)
    for lump in (E.DISPINFO, E.DISP_VERTS, E.DISP_TRIS, E.DISP_LIGHTMAP_SAMPLE_POSITIONS):
        assert bytes(other.get_lump_data(sourcepp.bsppp.BSP.Lump(int(lump)))) == bytes(level.bytes_of(lump))


def test_solids_of_displacements_are_as_compilers_make_them(corpus) -> None:
    """Made anew, they are the same hulls of the same materials as those of two maps that have hulls."""
    for name in ("dissenter", "trade_weed420-3sb"):
        level = read(next(corpus.glob(f"bsp/*/{name}.bsp")).read_bytes())
        model = level.physcollide.of_model(0)
        assert model is not None
        old = [solid for place, solid in enumerate(model.solids) if place not in world_collision.masks(model.text)]
        verts = level.table(E.DISP_VERTS)
        made = displaced_collision.solids(Changes(level), {}, old, 0, True, verts)
        (then, theirs), (now, ours) = middles(old), middles(made)
        assert len(then) == len(now)
        nearest = np.array([np.abs(now - middle).max(axis=1).argmin() for middle in then])
        assert np.abs(now[nearest] - then).max() < 0.1
        assert (ours[nearest] == theirs).mean() > 0.99


def places(level: Level) -> tuple[np.ndarray, displacements.Displacements]:
    """Where vertices of displacements are."""
    laid = displacements.displacements(level, geometry.polygons(level))
    return laid.positions(level.table(E.DISP_VERTS)), laid


def carried(piece: Piece, move: np.ndarray) -> Change:
    normals = piece.normals @ move[:3, :3].T
    shape = replace(piece, normals=normals, dists=piece.dists + normals @ move[:3, 3])
    return Change(shape, np.arange(len(shape.dists)), move)


def middles(solids: list) -> tuple[np.ndarray, np.ndarray]:
    """The middle of each hull of two triangles, and its material."""
    parts = [surface.read_ledges(solid) for solid in solids]
    points = [surface.from_ivp(part.points[part.triangles[::2]]).mean(axis=1) for part in parts]
    materials = [part.words[::2] >> surface.MATERIAL & surface.MOST_MATERIALS for part in parts]
    return np.concatenate(points), np.concatenate(materials)
